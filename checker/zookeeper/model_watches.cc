#include "checker/zookeeper/model_watches.h"

namespace zablab::zookeeper::model {
namespace {

constexpr std::uint8_t bit(WatchMode mode) { return static_cast<std::uint8_t>(1u << static_cast<int>(mode)); }
constexpr std::uint8_t every_mode =
    bit(WatchMode::once) | bit(WatchMode::persistent) | bit(WatchMode::recursive);

/// The modes that a type of removeWatches or checkWatches means. Before 3.9 the types are of tables alone.
std::uint8_t meantBy(const Rules& rules, WatcherType type) {
  if (rules.watch_removal == WatchRemoval::by_table || type == WatcherType::any) return every_mode;
  if (type == WatcherType::persistent) return bit(WatchMode::persistent);
  if (type == WatcherType::recursive) return bit(WatchMode::recursive);
  return bit(WatchMode::once);
}

}  // namespace

bool isKindOfWatch(const Rules& rules, const Op& op) {
  if (op.code == OpCode::addWatch) return op.kind == 0 || op.kind == 1;
  const std::int32_t last = rules.watch_removal == WatchRemoval::by_table ? 3 : 5;
  return op.kind > 0 && op.kind <= last;
}

std::uint8_t ServerWatches::modesIn(const Table& table, std::string_view path, ServerId client) {
  const auto at = table.find(path);
  if (at == table.end()) return 0;
  const auto own = at->second.find(client);
  return own == at->second.end() ? Modes{0} : own->second;
}

void ServerWatches::put(const Rules& rules, Table& table, const std::string& path, ServerId client,
                        WatchMode mode) {
  Modes& modes = table[path][client];
  // Before 3.9 a client has one mode for a path: the last.
  if (rules.watch_modes == WatchModes::last_one) modes = 0;
  modes |= bit(mode);
}

void ServerWatches::take(Table& table, const std::string& path, ServerId client, Modes modes) {
  const auto at = table.find(path);
  if (at == table.end()) return;
  const auto own = at->second.find(client);
  if (own == at->second.end()) return;
  own->second &= static_cast<Modes>(~modes);
  if (own->second == 0) at->second.erase(own);
  if (at->second.empty()) table.erase(at);
}

void ServerWatches::putPersistent(const Rules& rules, ServerId client, const std::string& path,
                                  WatchMode mode) {
  put(rules, data_, path, client, mode);
  // A recursive watch is told each change of a list as the change of the child itself.
  const bool of_list = mode == WatchMode::persistent || rules.watch_modes == WatchModes::last_one;
  if (of_list) put(rules, children_, path, client, mode);
}

void ServerWatches::set(const Rules& rules, ServerId client, const Op& op) {
  if (op.code == OpCode::addWatch)
    return putPersistent(rules, client, op.path, op.kind == 1 ? WatchMode::recursive : WatchMode::persistent);
  if (!op.watch) return;
  if (op.code == OpCode::exists || op.code == OpCode::getData)
    put(rules, data_, op.path, client, WatchMode::once);
  if (op.code == OpCode::getChildren || op.code == OpCode::getChildren2)
    put(rules, children_, op.path, client, WatchMode::once);
}

std::vector<NodeEvent> ServerWatches::setAgain(const Rules& rules, const State& state, ServerId client,
                                               const WatchLists& lists) {
  std::vector<NodeEvent> missed;
  for (const std::string& path : lists.data) {
    const Znode* const node = nodeAt(state, path);
    if (node == nullptr) {
      missed.push_back({EventType::NodeDeleted, path});
    } else if (node->changed > lists.seen) {
      missed.push_back({EventType::NodeDataChanged, path});
    } else {
      put(rules, data_, path, client, WatchMode::once);
    }
  }
  for (const std::string& path : lists.exist) {
    if (nodeAt(state, path) != nullptr) {
      missed.push_back({EventType::NodeCreated, path});
    } else {
      put(rules, data_, path, client, WatchMode::once);
    }
  }
  for (const std::string& path : lists.child) {
    const Znode* const node = nodeAt(state, path);
    if (node == nullptr) {
      missed.push_back({EventType::NodeDeleted, path});
    } else if (node->relisted > lists.seen) {
      missed.push_back({EventType::NodeChildrenChanged, path});
    } else {
      put(rules, children_, path, client, WatchMode::once);
    }
  }
  for (const std::string& path : lists.persistent) putPersistent(rules, client, path, WatchMode::persistent);
  for (const std::string& path : lists.recursive) putPersistent(rules, client, path, WatchMode::recursive);
  return missed;
}

bool ServerWatches::has(const Rules& rules, ServerId client, const Op& op) const {
  const WatcherType type{op.kind};
  // Before 3.9 anybody's watch will do for checkWatches.
  if (rules.watch_removal == WatchRemoval::by_table && op.code == OpCode::checkWatches)
    return (type != WatcherType::data && children_.contains(op.path)) ||
           (type != WatcherType::children && data_.contains(op.path));
  const Modes meant = meantBy(rules, type);
  const bool in_data = (modesIn(data_, op.path, client) & meant) != 0;
  const bool in_children = (modesIn(children_, op.path, client) & meant) != 0;
  if (type == WatcherType::any) return in_data || in_children;
  if (type == WatcherType::children) return in_children;
  return in_data;
}

void ServerWatches::remove(const Rules& rules, ServerId client, const Op& op) {
  const WatcherType type{op.kind};
  const Modes meant = meantBy(rules, type);
  if (type != WatcherType::data) take(children_, op.path, client, meant);
  if (type != WatcherType::children) take(data_, op.path, client, meant);
}

void ServerWatches::fire(Table& table, const NodeEvent& event, std::set<ServerId>& told) {
  // Those of the node itself, and the recursive ones of it and of every node above it.
  if (const auto at = table.find(event.path); at != table.end()) {
    for (const auto& [client, modes] : at->second) {
      if ((modes & (bit(WatchMode::once) | bit(WatchMode::persistent))) != 0) told.insert(client);
    }
  }
  if (event.type != EventType::NodeChildrenChanged) {
    for (const auto& [path, clients] : table) {
      // The empty path is above nothing.
      const bool at_or_below = event.path == path || (!path.empty() && event.path.starts_with(below(path)));
      if (!at_or_below) continue;
      for (const auto& [client, modes] : clients) {
        if ((modes & bit(WatchMode::recursive)) != 0) told.insert(client);
      }
    }
  }
  if (const auto at = table.find(event.path); at != table.end()) {
    std::vector<ServerId> clients;
    for (const auto& [client, modes] : at->second) clients.push_back(client);
    for (const ServerId client : clients) take(table, event.path, client, bit(WatchMode::once));
  }
}

std::vector<ServerId> ServerWatches::notify(const NodeEvent& event) {
  std::set<ServerId> told;
  if (event.type != EventType::NodeChildrenChanged) fire(data_, event, told);
  if (event.type == EventType::NodeChildrenChanged || event.type == EventType::NodeDeleted)
    fire(children_, event, told);
  return {told.begin(), told.end()};
}

void ServerWatches::forget(ServerId client) {
  for (Table* table : {&data_, &children_}) {
    for (auto& [path, clients] : *table) clients.erase(client);
    std::erase_if(*table, [](const auto& entry) { return entry.second.empty(); });
  }
}

}  // namespace zablab::zookeeper::model
