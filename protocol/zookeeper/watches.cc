#include "protocol/zookeeper/watches.h"

#include <algorithm>
#include <set>

#include "protocol/zookeeper/paths.h"

namespace zablab::zookeeper {
namespace {

/// WatchManager.triggerWatch: the watches of the path itself, and the recursive ones above it.
void trigger(WatchTable& table, const NodeEvent& event, bool keeps, std::set<ServerId>& notified) {
  std::string_view path = event.path;
  for (bool itself = true;; itself = false) {
    if (const auto at = table.find(path); at != table.end()) {
      for (auto watch = at->second.begin(); watch != at->second.end();) {
        const auto [client, mode] = *watch;
        const bool recursive = mode == WatchMode::recursive;
        if (recursive ? event.type != EventType::NodeChildrenChanged : itself) notified.insert(client);
        const bool over = itself && mode == WatchMode::once && !keeps;
        watch = over ? at->second.erase(watch) : std::next(watch);
      }
      if (at->second.empty()) table.erase(at);
    }
    if (path == "/" || path.empty()) return;
    path = parentOf(path);
    if (path.empty()) path = "/";
  }
}

bool removeFrom(WatchTable& table, std::string_view path, ServerId client) {
  const auto at = table.find(path);
  if (at == table.end() || at->second.erase(client) == 0) return false;
  if (at->second.empty()) table.erase(at);
  return true;
}

}  // namespace

void Watches::addBoth(std::string_view path, ServerId client, WatchMode mode) {
  data[std::string(path)][client] = mode;
  child[std::string(path)][client] = mode;
}

void Watches::forget(ServerId client) {
  for (WatchTable* table : {&data, &child}) {
    for (auto& [path, clients] : *table) clients.erase(client);
    std::erase_if(*table, [](const auto& entry) { return entry.second.empty(); });
  }
}

bool Watches::remove(std::string_view path, WatchTableKind kind, ServerId client) {
  bool removed = false;
  if (kind != WatchTableKind::data) removed = removeFrom(child, path, client);
  if (kind != WatchTableKind::child) removed = removeFrom(data, path, client) || removed;
  return removed;
}

bool Watches::contains(std::string_view path, WatchTableKind kind) const {
  return (kind != WatchTableKind::data && child.find(path) != child.end()) ||
         (kind != WatchTableKind::child && data.find(path) != data.end());
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
