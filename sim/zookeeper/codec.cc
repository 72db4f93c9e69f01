#include "sim/zookeeper/codec.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "sim/zookeeper/asks.h"

namespace zablab {

bool zookeeper::asks::has(const std::vector<CreateFlag>& flags, CreateFlag flag) {
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

std::int32_t zookeeper::asks::modeOf(const std::vector<CreateFlag>& flags) {
  const bool sequential = has(flags, CreateFlag::SEQUENTIAL);
  const bool ephemeral = has(flags, CreateFlag::EPHEMERAL);
  const bool container = has(flags, CreateFlag::CONTAINER);
  const bool ttl = has(flags, CreateFlag::TTL);
  if (int{ephemeral} + int{container} + int{ttl} > 1 || (container && sequential)) return -1;
  if (container) return 4;
  return (ttl ? 5 : ephemeral ? 1 : 0) + (sequential ? (ttl ? 1 : 2) : 0);
}

std::vector<zookeeper::asks::CreateFlag> zookeeper::asks::flagsOf(std::int32_t mode) {
  using enum CreateFlag;
  switch (mode) {
    case 1: return {EPHEMERAL};
    case 2: return {SEQUENTIAL};
    case 3: return {EPHEMERAL, SEQUENTIAL};
    case 4: return {CONTAINER};
    case 5: return {TTL};
    case 6: return {TTL, SEQUENTIAL};
    default: return {};
  }
}

namespace {

using zookeeper::OpCode;

/// A list of children with the node's Stat has a code of its own. It is written as getChildren is, as it is
/// in a step, with `"stat": true`.
constexpr std::string_view with_stat = "stat";

std::string_view writtenName(OpCode code) {
  return nameOf(code == OpCode::getChildren2 ? OpCode::getChildren : code);
}

std::vector<std::string> opNames() {
  std::vector<std::string> names;
  forEachEnumerator<OpCode>([&](std::string_view, OpCode code) {
    if (code != OpCode::getChildren2) names.emplace_back(nameOf(code));
  });
  return names;
}

std::optional<OpCode> opNamed(std::string_view name) {
  std::optional<OpCode> found;
  forEachEnumerator<OpCode>([&](std::string_view, OpCode code) {
    if (code != OpCode::getChildren2 && nameOf(code) == name) found = code;
  });
  return found;
}

/// As in a step. A number that no CreateMode has is written as it is on the wire.
Json writeFlags(std::int32_t mode) {
  const std::vector<zookeeper::asks::CreateFlag> flags = zookeeper::asks::flagsOf(mode);
  return flags.empty() ? Json(mode) : toJson(flags);
}

std::int32_t readFlags(const JsonValue& value) {
  if (value.kind() == JsonValue::Kind::array)
    return zookeeper::asks::modeOf(read<std::vector<zookeeper::asks::CreateFlag>>(value));
  constexpr std::int32_t last_mode = 6;
  if (value.kind() == JsonValue::Kind::integer) return static_cast<std::int32_t>(value.asInt64(0, last_mode));
  throw value.error("flags are a list of words", "as in [\"EPHEMERAL\", \"SEQUENTIAL\"]");
}

void checkFlags(const JsonValue& pattern) {
  if (pattern.kind() != JsonValue::Kind::array)
    throw pattern.error("flags are a list of words", "as in [\"EPHEMERAL\", \"SEQUENTIAL\"]");
  read<std::vector<zookeeper::asks::CreateFlag>>(pattern);
}

template <class O>
Json writeOp(const O& op) {
  Json fields = json_detail::structTypeOf<O>().writeCompact(&op);
  Json object = Json::object();
  object[std::string(writtenName(op.code))] = op.path.empty() ? Json(true) : Json(op.path);
  for (auto& [name, value] : fields.items()) {
    if (name != "code" && name != "path") object[name] = name == "flags" ? writeFlags(op.flags) : value;
  }
  if (op.code == OpCode::getChildren2) object[std::string(with_stat)] = true;
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
    if (member.key() == with_stat && op.code == OpCode::getChildren) {
      if (member.asBool()) op.code = OpCode::getChildren2;
      continue;
    }
    if (member.key() == "flags") {
      op.flags = readFlags(member);
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
    if (opNamed(member.key()) || member.key() == with_stat) continue;
    if (member.key() == "flags") {
      checkFlags(member);
      continue;
    }
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
