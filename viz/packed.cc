#include "viz/packed.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace zablab::viz {
namespace {

using Ref = std::int64_t;

struct RefsHash {
  using is_transparent = void;
  std::size_t operator()(std::span<const Ref> refs) const {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const Ref ref : refs) {
      hash = (hash ^ static_cast<std::uint64_t>(ref)) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 29;
    }
    return hash;
  }
};
struct RefsEqual {
  using is_transparent = void;
  bool operator()(std::span<const Ref> a, std::span<const Ref> b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
};
using RefsMap = std::unordered_map<std::vector<Ref>, Ref, RefsHash, RefsEqual>;

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

class Packer {
 public:
  Ref add(const Json& value) {
    switch (value.type()) {
      case Json::value_t::object: return addObject(value);
      case Json::value_t::array: return addArray(value);
      case Json::value_t::string: return addText(value.get_ref<const std::string&>());
      case Json::value_t::number_integer:
      case Json::value_t::number_unsigned: {
        constexpr std::int64_t most = std::int64_t{1} << 52;
        const bool huge = value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{most};
        if (!huge && value.get<std::int64_t>() >= 0 && value.get<std::int64_t>() < most)
          return -1 - value.get<std::int64_t>();
        return addLiteral(value.dump());
      }
      default: return addLiteral(value.dump());
    }
  }

  Ref addArray(const Json& list) {
    const std::size_t begin = stack_.size();
    for (const Json& element : list) stack_.push_back(add(element));
    return addComposite(begin, -1);
  }

  Ref addObject(const Json& object) {
    const std::size_t begin = stack_.size(), keys_begin = keys_.size();
    for (auto member = object.begin(); member != object.end(); ++member) {
      const Ref value = add(member.value());
      keys_.push_back(addText(member.key()));
      stack_.push_back(value);
    }
    return finishObject(begin, keys_begin);
  }

  /// Objects that are not JSON: member by member, between `beginObject` and `endObject`.
  void beginObject() { open_.emplace_back(stack_.size(), keys_.size()); }
  void member(std::string_view key, Ref value) {
    keys_.push_back(addText(key));
    stack_.push_back(value);
  }
  void member(std::string_view key, const Json& value) { member(key, add(value)); }
  Ref endObject() {
    const auto [begin, keys_begin] = open_.back();
    open_.pop_back();
    return finishObject(begin, keys_begin);
  }
  void beginArray() { open_.emplace_back(stack_.size(), 0); }
  void element(Ref value) { stack_.push_back(value); }
  Ref endArray() {
    const std::size_t begin = open_.back().first;
    open_.pop_back();
    return addComposite(begin, -1);
  }

  std::string finish(Ref root) const {
    return "{\"shapes\":[" + shapes_text_ + "],\"values\":[" + values_text_ +
           "],\"root\":" + std::to_string(root) + "}";
  }

 private:
  Ref finishObject(std::size_t begin, std::size_t keys_begin) {
    const std::span<const Ref> keys = std::span<const Ref>(keys_).subspan(keys_begin);
    auto found = shapes_.find(keys);
    if (found == shapes_.end()) {
      found =
          shapes_.emplace(std::vector<Ref>(keys.begin(), keys.end()), static_cast<Ref>(shapes_.size())).first;
      shapes_text_ += shapes_text_.empty() ? "[" : ",[";
      for (std::size_t i = 0; i < keys.size(); ++i)
        shapes_text_ += (i == 0 ? "" : ",") + std::to_string(keys[i]);
      shapes_text_ += ']';
    }
    keys_.resize(keys_begin);
    return addComposite(begin, found->second);
  }

  /// What is on the stack from `begin` on.
  Ref addComposite(std::size_t begin, Ref shape) {
    stack_.push_back(shape);
    const std::span<const Ref> refs = std::span<const Ref>(stack_).subspan(begin);
    Ref result = 0;
    if (const auto found = composites_.find(refs); found != composites_.end()) {
      result = found->second;
    } else {
      result = next();
      composites_.emplace(std::vector<Ref>(refs.begin(), refs.end()), result);
      values_text_ += '[' + std::to_string(shape);
      for (const Ref ref : refs.first(refs.size() - 1)) {
        values_text_ += ',';
        values_text_ += std::to_string(ref);
      }
      values_text_ += ']';
    }
    stack_.resize(begin);
    return result;
  }

  Ref addText(std::string_view text) {
    if (const auto found = texts_.find(text); found != texts_.end()) return found->second;
    const Ref result = next();
    values_text_ += onOneLine(Json(std::string(text)));
    texts_.emplace(text, result);
    return result;
  }

  Ref addLiteral(const std::string& text) {
    if (const auto found = literals_.find(text); found != literals_.end()) return found->second;
    const Ref result = next();
    values_text_ += text;
    literals_.emplace(text, result);
    return result;
  }

  Ref next() {
    if (count_ > 0) values_text_ += ',';
    return count_++;
  }

  Ref count_ = 0;
  std::string values_text_, shapes_text_;
  std::vector<Ref> stack_, keys_;
  std::vector<std::pair<std::size_t, std::size_t>> open_;
  RefsMap composites_, shapes_;
  std::unordered_map<std::string, Ref, TextHash, std::equal_to<>> texts_, literals_;
};

Ref addEvent(Packer& packer, const TraceEvent& event) {
  packer.beginObject();
  packer.member("index", Json(event.index));
  packer.member("time", Json(event.time));
  if (event.node) packer.member("node", Json(*event.node));
  packer.member("kind", Json(event.kind));
  packer.member("data", event.data);
  if (event.cause) packer.member("cause", Json(*event.cause));
  if (!event.changes.empty()) packer.member("changes", event.changes);
  if (!event.appended.empty()) packer.member("appended", event.appended);
  if (!event.entries.empty()) packer.member("entries", event.entries);
  if (!event.text.empty()) packer.member("text", Json(event.text));
  return packer.endObject();
}

}  // namespace

std::string packed(const Trace& trace) {
  // All but the events, as in any trace.
  Trace others;
  others.header = trace.header;
  others.scenario = trace.scenario;
  others.choices = trace.choices;
  others.verdicts = trace.verdicts;
  const Json frame = Json::parse(traceText(others));
  Packer packer;
  packer.beginObject();
  for (auto member = frame.begin(); member != frame.end(); ++member) {
    if (member.key() != "events") {
      packer.member(member.key(), member.value());
      continue;
    }
    packer.beginArray();
    for (const TraceEvent& event : trace.events) packer.element(addEvent(packer, event));
    const Ref events = packer.endArray();
    packer.member("events", events);
  }
  const Ref root = packer.endObject();
  return packer.finish(root);
}

}  // namespace zablab::viz
