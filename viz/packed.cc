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

/// Sequences of numbers, each of which is stored once.
class Sequences {
 public:
  /// Its place among those that were added, and whether it is new.
  std::pair<std::size_t, bool> add(std::span<const Ref> sequence) {
    if (2 * entries_.size() >= slots_.size()) grow();
    std::size_t slot = freeOrEqual(sequence);
    if (slots_[slot] != 0) return {slots_[slot] - 1, false};
    entries_.emplace_back(pool_.size(), sequence.size());
    pool_.insert(pool_.end(), sequence.begin(), sequence.end());
    slots_[slot] = static_cast<std::uint32_t>(entries_.size());
    return {entries_.size() - 1, true};
  }

 private:
  std::span<const Ref> at(std::size_t place) const {
    return std::span(pool_).subspan(entries_[place].first, entries_[place].second);
  }
  std::size_t freeOrEqual(std::span<const Ref> sequence) const {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const Ref ref : sequence) {
      hash = (hash ^ static_cast<std::uint64_t>(ref)) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 29;
    }
    std::size_t slot = hash & (slots_.size() - 1);
    const auto differs = [&](std::span<const Ref> other) {
      return !std::equal(sequence.begin(), sequence.end(), other.begin(), other.end());
    };
    while (slots_[slot] != 0 && differs(at(slots_[slot] - 1))) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(2 * slots_.size(), 1024), 0);
    for (std::size_t place = 0; place < entries_.size(); ++place)
      slots_[freeOrEqual(at(place))] = static_cast<std::uint32_t>(place + 1);
  }

  std::vector<Ref> pool_;
  std::vector<std::pair<std::size_t, std::size_t>> entries_;  // beginning and length in the pool
  std::vector<std::uint32_t> slots_;                          // a power of two; 0: free, otherwise place + 1
};

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
using Texts = std::unordered_map<std::string, Ref, TextHash, std::equal_to<>>;

class Packer {
 public:
  Ref add(const Json& value) {
    switch (value.type()) {
      case Json::value_t::object: return addObject(value);
      case Json::value_t::array: return addArray(value);
      case Json::value_t::string: return addText(value.get_ref<const std::string&>());
      case Json::value_t::number_unsigned: return addInteger(value.get<std::uint64_t>());
      case Json::value_t::number_integer:
        if (const std::int64_t number = value.get<std::int64_t>(); number >= 0)
          return addInteger(static_cast<std::uint64_t>(number));
        [[fallthrough]];
      default: return addLiteral(value.dump());
    }
  }

  // Arrays and objects that are not JSON: part by part, between `begin` and `end`.
  void begin() { open_.emplace_back(stack_.size(), keys_.size()); }
  void element(Ref value) { stack_.push_back(value); }
  void member(std::string_view key, Ref value) {
    const auto known = key_numbers_.find(key);
    keys_.push_back(known != key_numbers_.end() ? known->second : addKey(key));
    stack_.push_back(value);
  }
  Ref endArray() {
    const std::size_t from = open_.back().first;
    open_.pop_back();
    stack_.push_back(array);
    return finish(from);
  }
  Ref endObject() {
    const auto [from, keys_from] = open_.back();
    open_.pop_back();
    const auto [shape, is_new] = shapes_.add(std::span<const Ref>(keys_).subspan(keys_from));
    if (is_new) {
      shapes_text_ += shapes_text_.empty() ? "[" : ",[";
      for (std::size_t i = keys_from; i < keys_.size(); ++i)
        shapes_text_ += (i == keys_from ? "" : ",") + key_texts_[static_cast<std::size_t>(keys_[i])];
      shapes_text_ += ']';
      last_members_.emplace_back(keys_.size() - keys_from, 0);
    }
    keys_.resize(keys_from);
    stack_.push_back(static_cast<Ref>(shape));
    return finish(from);
  }

  Ref addText(std::string_view text) {
    if (const auto found = texts_.find(text); found != texts_.end()) return found->second;
    return texts_.emplace(text, addAtom(onOneLine(Json(std::string(text))))).first->second;
  }
  Ref addInteger(std::uint64_t number) {
    constexpr std::uint64_t most = std::uint64_t{1}
                                   << 48;  // twice the difference of two is exact in JavaScript
    return number < most ? -1 - static_cast<Ref>(number) : addLiteral(std::to_string(number));
  }

  std::string result() const {
    return "{\"shapes\":[" + shapes_text_ + "],\"atoms\":[" + atoms_text_ + "]}\n" + numbers_;
  }

 private:
  static constexpr Ref array = -1;  // in the place of a shape

  Ref addArray(const Json& list) {
    begin();
    for (const Json& one : list) element(add(one));
    return endArray();
  }
  Ref addObject(const Json& object) {
    begin();
    for (auto one = object.begin(); one != object.end(); ++one) {
      const Ref value = add(one.value());
      member(one.key(), value);
    }
    return endObject();
  }

  /// Of the parts on the stack from `from` on, the last of which is the shape.
  Ref finish(std::size_t from) {
    const std::span<const Ref> sequence = std::span<const Ref>(stack_).subspan(from);
    const auto [place, is_new] = composites_.add(sequence);
    if (is_new) {
      write(sequence.back(), sequence.first(sequence.size() - 1));
      composite_refs_.push_back(count_++);
    }
    stack_.resize(from);
    return composite_refs_[place];
  }

  void write(Ref shape, std::span<const Ref> parts) {
    if (shape == array) {
      writeNumber(1);
      writeNumber(parts.size());
      Ref last = 0;
      for (const Ref part : parts) writeDifference(part, std::exchange(last, part));
      return;
    }
    writeNumber(static_cast<std::uint64_t>(shape) + 2);
    Ref* last = last_members_[static_cast<std::size_t>(shape)].data();
    for (const Ref part : parts) writeDifference(part, std::exchange(*last++, part));
  }
  void writeDifference(Ref now, Ref before) {
    const Ref difference = now - before;
    writeNumber(static_cast<std::uint64_t>(difference < 0 ? -2 * difference - 1 : 2 * difference));
  }
  void writeNumber(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) numbers_ += static_cast<char>(number | 0x80);
    numbers_ += static_cast<char>(number);
  }

  Ref addLiteral(const std::string& text) {
    if (const auto found = literals_.find(text); found != literals_.end()) return found->second;
    return literals_.emplace(text, addAtom(text)).first->second;
  }
  Ref addAtom(std::string_view json) {
    if (!atoms_text_.empty()) atoms_text_ += ',';
    atoms_text_ += json;
    writeNumber(0);
    return count_++;
  }
  Ref addKey(std::string_view key) {
    key_texts_.push_back(onOneLine(Json(std::string(key))));
    return key_numbers_.emplace(key, static_cast<Ref>(key_numbers_.size())).first->second;
  }

  Ref count_ = 0;  // of values
  std::string numbers_, atoms_text_, shapes_text_;
  std::vector<Ref> stack_, keys_;
  std::vector<std::pair<std::size_t, std::size_t>> open_;
  Sequences composites_, shapes_;
  std::vector<Ref> composite_refs_;
  std::vector<std::vector<Ref>> last_members_;  // by shape
  std::vector<std::string> key_texts_;
  Texts texts_, literals_, key_numbers_;
};

Ref addEvent(Packer& packer, const TraceEvent& event) {
  packer.begin();
  packer.member("index", packer.addInteger(event.index));
  packer.member("time", packer.add(event.time));
  if (event.node) packer.member("node", packer.add(*event.node));
  packer.member("kind", packer.addText(event.kind));
  packer.member("data", packer.add(event.data));
  if (event.cause) packer.member("cause", packer.addInteger(*event.cause));
  if (!event.changes.empty()) packer.member("changes", packer.add(event.changes));
  if (!event.appended.empty()) packer.member("appended", packer.add(event.appended));
  if (!event.entries.empty()) packer.member("entries", packer.add(event.entries));
  if (!event.text.empty()) packer.member("text", packer.addText(event.text));
  if (!event.said.is_null()) packer.member("said", packer.add(event.said));
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
  others.why = trace.why;
  const Json frame = Json::parse(traceText(others));
  Packer packer;
  packer.begin();
  for (auto member = frame.begin(); member != frame.end(); ++member) {
    if (member.key() != "events") {
      packer.member(member.key(), packer.add(member.value()));
      continue;
    }
    packer.begin();
    for (const TraceEvent& event : trace.events) packer.element(addEvent(packer, event));
    const Ref events = packer.endArray();
    packer.member("events", events);
  }
  packer.endObject();
  return packer.result();
}

}  // namespace zablab::viz
