#include "protocol/zookeeper/watches.h"

#include <algorithm>
#include <set>

#include "protocol/zookeeper/paths.h"

namespace zablab::zookeeper {
namespace {

void add(WatchTable& table, std::string_view path, ServerId client, WatchMode mode, WatchModes rule) {
  WatchStats& stats = table[std::string(path)][client];
  stats = with(rule == WatchModes::last_one ? WatchStats::none : stats, mode);
}

/// WatchManager.triggerWatch: the watches of the path itself, and the recursive ones above it.
void trigger(WatchTable& table, const NodeEvent& event, bool keeps, std::set<ServerId>& notified) {
  std::string_view path = event.path;
  for (bool itself = true;; itself = false) {
    if (const auto at = table.find(path); at != table.end()) {
      for (auto watch = at->second.begin(); watch != at->second.end();) {
        auto& [client, stats] = *watch;
        const bool of_path = has(stats, WatchMode::once) || has(stats, WatchMode::persistent);
        const bool recursive =
            has(stats, WatchMode::recursive) && event.type != EventType::NodeChildrenChanged;
        if (recursive || (itself && of_path)) notified.insert(client);
        if (itself && !keeps) stats = without(stats, WatchMode::once);
        watch = stats == WatchStats::none ? at->second.erase(watch) : std::next(watch);
      }
      if (at->second.empty()) table.erase(at);
    }
    if (path == "/" || path.empty()) return;
    path = parentOf(path);
    if (path.empty()) path = "/";
  }
}

WatchStats statsIn(const WatchTable& table, std::string_view path, ServerId client) {
  const auto at = table.find(path);
  if (at == table.end()) return WatchStats::none;
  const auto watch = at->second.find(client);
  return watch == at->second.end() ? WatchStats::none : watch->second;
}

/// Leaves what `left` says of the client's watches. Whether one is gone.
template <class Left>
bool removeFrom(WatchTable& table, std::string_view path, ServerId client, Left&& left) {
  const WatchStats before = statsIn(table, path, client);
  const WatchStats after = left(before);
  if (before == after) return false;
  const auto at = table.find(path);
  if (after == WatchStats::none) {
    at->second.erase(client);
  } else {
    at->second[client] = after;
  }
  if (at->second.empty()) table.erase(at);
  return true;
}

WatchMode modeOf(WatcherType type) {
  switch (type) {
    case WatcherType::persistent: return WatchMode::persistent;
    case WatcherType::recursive: return WatchMode::recursive;
    default: return WatchMode::once;
  }
}

}  // namespace

void Watches::addData(std::string_view path, ServerId client, WatchMode mode, WatchModes rule) {
  add(data, path, client, mode, rule);
}

void Watches::addChild(std::string_view path, ServerId client, WatchMode mode, WatchModes rule) {
  add(child, path, client, mode, rule);
}

void Watches::addBoth(std::string_view path, ServerId client, WatchMode mode, WatchModes rule) {
  add(data, path, client, mode, rule);
  if (mode == WatchMode::recursive && rule == WatchModes::side_by_side) return;
  add(child, path, client, mode, rule);
}

void Watches::forget(ServerId client) {
  for (WatchTable* table : {&data, &child}) {
    for (auto& [path, clients] : *table) clients.erase(client);
    std::erase_if(*table, [](const auto& entry) { return entry.second.empty(); });
  }
}

bool Watches::remove(std::string_view path, WatcherType type, ServerId client, WatchRemoval rule) {
  const bool all = type == WatcherType::any || rule == WatchRemoval::by_table;
  const WatchMode mode = modeOf(type);
  const auto left = [&](WatchStats stats) { return all ? WatchStats::none : without(stats, mode); };
  bool removed = false;
  if (type != WatcherType::data) removed = removeFrom(child, path, client, left);
  if (type != WatcherType::children) removed = removeFrom(data, path, client, left) || removed;
  return removed;
}

bool Watches::contains(std::string_view path, WatcherType type, ServerId client, WatchRemoval rule) const {
  if (rule == WatchRemoval::by_table) {
    return (type != WatcherType::data && child.find(path) != child.end()) ||
           (type != WatcherType::children && data.find(path) != data.end());
  }
  const WatchStats in_data = statsIn(data, path, client);
  const WatchStats in_child = statsIn(child, path, client);
  switch (type) {
    case WatcherType::any: return in_data != WatchStats::none || in_child != WatchStats::none;
    case WatcherType::children: return has(in_child, WatchMode::once);
    default: return has(in_data, modeOf(type));
  }
}

std::vector<ServerId> Watches::trigger(const NodeEvent& event, const Rules& rules) {
  const bool keeps = rules.watches_once == WatchesOnce::kept;
  std::set<ServerId> of_data;
  std::set<ServerId> of_children;
  if (event.type != EventType::NodeChildrenChanged) zookeeper::trigger(data, event, keeps, of_data);
  if (event.type == EventType::NodeChildrenChanged || event.type == EventType::NodeDeleted)
    zookeeper::trigger(child, event, keeps, of_children);
  std::vector<ServerId> notified(of_data.begin(), of_data.end());
  for (const ServerId client : of_children) {
    const bool again = rules.deletion_events == DeletionEvents::per_table;
    if (again || !of_data.contains(client)) notified.push_back(client);
  }
  std::sort(notified.begin(), notified.end());
  return notified;
}

}  // namespace zablab::zookeeper
