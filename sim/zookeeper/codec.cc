#include "sim/zookeeper/codec.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace zablab {
namespace {

using zookeeper::OpCode;

std::vector<std::string> opNames() {
  std::vector<std::string> names;
  forEachEnumerator<OpCode>([&](std::string_view, OpCode code) { names.emplace_back(nameOf(code)); });
  return names;
}

std::optional<OpCode> opNamed(std::string_view name) {
  std::optional<OpCode> found;
  forEachEnumerator<OpCode>([&](std::string_view, OpCode code) {
    if (nameOf(code) == name) found = code;
  });
  return found;
}

template <class O>
Json writeOp(const O& op) {
  Json fields = json_detail::structTypeOf<O>().writeCompact(&op);
  Json object = Json::object();
  object[std::string(nameOf(op.code))] = op.path.empty() ? Json(true) : Json(op.path);
  for (auto& [name, value] : fields.items()) {
    if (name != "code" && name != "path") object[name] = std::move(value);
  }
  return object;
}

template <class O>
O readOp(const JsonValue& value) {
  O op;
  bool named = false;
  const json_detail::StructType& type = json_detail::structTypeOf<O>();
  for (const JsonValue& member : value.members()) {
    if (const auto code = opNamed(member.key()); code && !named) {
      named = true;
      op.code = *code;
      const bool without_path = member.kind() == JsonValue::Kind::boolean && member.asBool();
      if (!without_path) op.path = member.asString();
      continue;
    }
    const auto is_it = [&](const auto& field) { return field.name == member.key(); };
    const auto at = std::find_if(type.about.members.begin(), type.about.members.end(), is_it);
    if (at == type.about.members.end() || member.key() == "code" || member.key() == "path")
      json_detail::throwUnknownKey(member, named ? type.names() : opNames());
    at->type().assign(type.field(&op, static_cast<std::size_t>(at - type.about.members.begin())), member,
                      json_detail::Mode::make);
  }
  if (!named)
    throw value.error("there is no operation", "write it with its path, as in {\"create\": \"/a\"}");
  if (op.acl.empty() && (op.code <= OpCode::createTTL || op.code == OpCode::setACL))
    op.acl = zookeeper::openAcl();
  return op;
}

/// A pattern names the operation, any of its fields, or both.
template <class O>
void checkOpPattern(const JsonValue& pattern) {
  const json_detail::StructType& type = json_detail::structTypeOf<O>();
  for (const JsonValue& member : pattern.members()) {
    if (opNamed(member.key())) continue;
    if (member.key() != "code" && member.key() != "path" && type.find(member.key()) != nullptr) continue;
    json_detail::throwUnknownKey(member, opNames());
  }
}

constexpr std::array<std::pair<char, std::int32_t>, 5> letters{{{'c', zookeeper::perms::create},
                                                                {'d', zookeeper::perms::remove},
                                                                {'r', zookeeper::perms::read},
                                                                {'w', zookeeper::perms::write},
                                                                {'a', zookeeper::perms::admin}}};

Json opSchema() {
  return {{"type", "object"}, {"description", "an operation: its name with its path, and its fields"}};
}

}  // namespace

Json JsonCodec<zookeeper::Acl>::write(const zookeeper::Acl& acl) {
  std::string text = acl.scheme + ":" + acl.id + ":";
  for (const auto& [letter, bit] : letters) {
    if ((acl.perms & bit) != 0) text += letter;
  }
  return text;
}
zookeeper::Acl JsonCodec<zookeeper::Acl>::read(const JsonValue& value) {
  const std::string& text = value.asString();
  const std::size_t scheme = text.find(':');
  const std::size_t perms = text.rfind(':');
  zookeeper::Acl acl{.perms = 0};
  bool known = scheme != std::string::npos && scheme < perms;
  for (std::size_t i = perms + 1; known && i < text.size(); ++i) {
    const auto at =
        std::find_if(letters.begin(), letters.end(), [&](const auto& one) { return one.first == text[i]; });
    known = at != letters.end();
    if (known) acl.perms |= at->second;
  }
  if (!known)
    throw value.error(inBackticks(text) + " is no entry of an access control list",
                      "write scheme, id and permissions, as in \"world:anyone:cdrwa\"");
  acl.scheme = text.substr(0, scheme);
  acl.id = text.substr(scheme + 1, perms - scheme - 1);
  return acl;
}
Json JsonCodec<zookeeper::Acl>::schema() {
  return {{"type", "string"},
          {"pattern", "^[^:]+:.*:[cdrwa]*$"},
          {"description", "scheme, id and permissions, as in \"world:anyone:cdrwa\""}};
}

Json JsonCodec<zookeeper::SubOp>::write(const zookeeper::SubOp& op) { return writeOp(op); }
zookeeper::SubOp JsonCodec<zookeeper::SubOp>::read(const JsonValue& value) {
  return readOp<zookeeper::SubOp>(value);
}
void JsonCodec<zookeeper::SubOp>::checkPattern(const JsonValue& pattern) {
  checkOpPattern<zookeeper::SubOp>(pattern);
}
Json JsonCodec<zookeeper::SubOp>::schema() { return opSchema(); }

Json JsonCodec<zookeeper::Op>::write(const zookeeper::Op& op) { return writeOp(op); }
zookeeper::Op JsonCodec<zookeeper::Op>::read(const JsonValue& value) { return readOp<zookeeper::Op>(value); }
void JsonCodec<zookeeper::Op>::checkPattern(const JsonValue& pattern) {
  checkOpPattern<zookeeper::Op>(pattern);
}
Json JsonCodec<zookeeper::Op>::schema() { return opSchema(); }

}  // namespace zablab
