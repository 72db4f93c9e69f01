#include "sim/recorded_states.h"

#include <algorithm>
#include <utility>

namespace zablab {
namespace {

constexpr std::size_t long_map = 8;
constexpr std::size_t long_list = 16;

std::string within(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + "." + std::string(name);
}
/// The path of what contains it, and its name there.
std::pair<std::string, std::string> split(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? std::pair(std::string(), path)
                                  : std::pair(path.substr(0, dot), path.substr(dot + 1));
}

bool isLarge(const Json& json, std::size_t& left) {
  if (left == 0 || --left == 0) return true;
  return json.is_structured() &&
         std::any_of(json.begin(), json.end(), [&](const Json& element) { return isLarge(element, left); });
}
/// Whether it has so many values that it is not recorded completely when one of them changes.
bool isLarge(const Json& json) {
  std::size_t left = 24;
  return json.is_object() && isLarge(json, left);
}

/// What the event has recorded completely, if it is at this path or around it.
std::optional<std::string> wholeAround(const TraceEvent& event, const std::string& path) {
  for (std::size_t end = path.find('.'); !path.empty(); end = path.find('.', end + 1)) {
    const std::string at = path.substr(0, end);
    const auto [parent, key] = split(at);
    const Json* const values = parent.empty()                   ? &event.changes
                               : event.entries.contains(parent) ? &event.entries[parent]
                                                                : nullptr;
    if (values != nullptr && values->contains(key)) return at;
    if (end == std::string::npos) break;
  }
  return std::nullopt;
}

/// Takes out what the event has recorded of parts of it.
void forget(TraceEvent& event, const std::string& path) {
  for (Json* const parts : {&event.appended, &event.entries}) {
    std::vector<std::string> inside;
    for (const auto& [part, elements] : parts->items()) {
      if (part == path || part.starts_with(path + ".")) inside.push_back(part);
    }
    for (const std::string& part : inside) parts->erase(part);
  }
}

bool collectGrowth(const std::string& path, const Json& before, const Json& now, Json& added) {
  if (before == now) return true;
  if (before.is_array() && now.is_array()) {
    if (before.size() < long_list || now.size() <= before.size()) return false;
    const auto grown = now.begin() + static_cast<std::ptrdiff_t>(before.size());
    if (!std::equal(before.begin(), before.end(), now.begin(), grown)) return false;
    for (auto element = grown; element != now.end(); ++element) added[path].push_back(*element);
    return true;
  }
  if (!before.is_object() || !now.is_object() || before.size() != now.size()) return false;
  for (const auto& [key, value] : now.items()) {
    const auto old = before.find(key);
    const bool named = key.find('.') == std::string::npos;  // otherwise its path would equal that of another
    if (old == before.end() || (!named && *old != value)) return false;
    if (named && !collectGrowth(path + "." + key, *old, value, added)) return false;
  }
  return true;
}

}  // namespace

void RecordedStates::noteMembers(int node, std::uint64_t index, const std::string& path,
                                 const json_detail::StructType& type, const void* before, const void* now) {
  const auto& about = type.about;
  for (std::size_t i = 0; i < about.members.size(); ++i) {
    if (before != nullptr && about.same != nullptr && about.same(before, now, i)) continue;
    noteMember(node, index, path, about.members[i].name, about.members[i].type(),
               before == nullptr ? nullptr : type.field(before, i), type.field(now, i));
  }
}

void RecordedStates::noteMember(int node, std::uint64_t index, const std::string& path, std::string_view name,
                                const json_detail::Type& type, const void* before, const void* now) {
  const json_detail::OptionalType* const optional = type.asOptional();
  if (optional != nullptr) {
    const void* const held = optional->get(now);
    if (held == nullptr) return note(node, index, path, name, std::nullopt);
    return noteMember(node, index, path, name, optional->inner(),
                      before == nullptr ? nullptr : optional->get(before), held);
  }
  if (before != nullptr) {
    const std::string inside = within(path, name);
    const json_detail::StructType* const members = type.asStruct();
    if (members != nullptr && isLarge(stateAt(node, inside)))
      return noteMembers(node, index, inside, *members, before, now);
    const json_detail::MapType* const map = type.asMap();
    if (map != nullptr && noteEntries(node, index, inside, *map, before, now)) return;
  }
  note(node, index, path, name, type.write(now));
}

void RecordedStates::note(int node, std::uint64_t index, const std::string& path, std::string_view name,
                          std::optional<Json> value) {
  Json& state = stateAt(node, path);
  const std::string key(name);
  if (path.empty() && value && value->is_null()) value.reset();
  const auto found = state.find(key);
  if (found == state.end() ? !value : value && *found == *value) return;
  const bool grown = found != state.end() && value && noteGrowth(index, within(path, key), *found, *value);
  if (value) {
    state[key] = std::move(*value);
  } else {
    state.erase(key);
  }
  if (!grown) noteWhole(node, index, path, key);
}

void RecordedStates::noteEnd(int node, std::uint64_t index) {
  const Json last = stateAt(node, "");
  for (const auto& [field, value] : last.items()) {
    if (field == "disk") continue;
    note(node, index, "", field, field == "up" ? std::optional<Json>(false) : std::nullopt);
  }
}

/// Records the entries of a large map that have changed: a ballot box written completely at every vote
/// would take the square of the number of servers. False: the map is small, or most of it was removed.
bool RecordedStates::noteEntries(int node, std::uint64_t index, const std::string& path,
                                 const json_detail::MapType& map, const void* before, const void* now) {
  const bool is_long = map.size(before) >= long_map && map.size(now) >= long_map;
  if (!map.isObject() || (!is_long && !isLarge(stateAt(node, path)))) return false;
  map.forEachChange(before, now, [&](const void* entry, const void* was, const void* is) {
    const std::string key = map.keyText(entry);
    if (is == nullptr) return note(node, index, path, key, std::nullopt);
    const bool named = key.find('.') == std::string::npos;  // otherwise it is in no path
    noteMember(node, index, path, key, map.mappedType(), named ? was : nullptr, is);
  });
  return true;
}

/// Records a member as it now is: by itself or, if the event has already recorded something around it
/// completely, with that.
void RecordedStates::noteWhole(int node, std::uint64_t index, const std::string& path,
                               const std::string& key) {
  TraceEvent& event = events_[index];
  if (const auto around = wholeAround(event, path))
    return noteWhole(node, index, split(*around).first, split(*around).second);
  const Json& state = stateAt(node, path);
  const auto found = state.find(key);
  const Json value = found == state.end() ? Json() : *found;
  // In a reader's hands null erases a member.
  if (!path.empty() && found != state.end() && value.is_null())
    return noteWhole(node, index, split(path).first, split(path).second);
  if (key.find('.') == std::string::npos) forget(event, within(path, key));
  (path.empty() ? event.changes : event.entries[path])[key] = value;
}

/// Records what was added to long lists, if nothing else has changed: histories written completely at every
/// transaction would take the square of their length. False: something else has changed.
bool RecordedStates::noteGrowth(std::uint64_t index, const std::string& path, const Json& before,
                                const Json& now) {
  Json added = Json::object();
  TraceEvent& event = events_[index];
  if (wholeAround(event, path) || !collectGrowth(path, before, now, added)) return false;
  for (const auto& [list, elements] : added.items()) {
    if (wholeAround(event, list)) return false;
  }
  for (auto& [list, elements] : added.items()) {
    Json& all = event.appended[list];
    for (Json& element : elements) all.push_back(std::move(element));
  }
  return true;
}

}  // namespace zablab
