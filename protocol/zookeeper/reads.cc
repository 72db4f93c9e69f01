#include "protocol/zookeeper/reads.h"

#include <algorithm>

#include "protocol/zookeeper/acl.h"
#include "protocol/zookeeper/paths.h"

namespace zablab::zookeeper {
namespace {

class Read {
 public:
  Read(const Rules& rules, const Tree& tree, Watches& watches, const Asking& asking)
      : rules_(rules), tree_(tree), watches_(watches), asking_(asking) {}

  Result operator()(const Op& op) {
    Result result;
    result.code = op.code;
    result.error = fill(op, result);
    return result;
  }

 private:
  Error fill(const Op& op, Result& result) {
    const ZNode* node = tree_.find(op.path);
    switch (op.code) {
      case OpCode::exists:
        if (op.path.find('\0') != std::string::npos) return Error::BADARGUMENTS;
        if (node != nullptr && rules_.exists_rights == ExistsRights::read && !allowed(*node, perms::read))
          return Error::NOAUTH;
        if (op.watch) watches_.addData(op.path, asking_.client, WatchMode::once, rules_.watch_modes);
        if (node == nullptr) return Error::NONODE;
        result.stat = node->stat();
        return Error::OK;
      case OpCode::getData:
      case OpCode::getChildren:
      case OpCode::getChildren2: return read(op, node, op.watch, result);
      case OpCode::getAllChildrenNumber:
        if (node == nullptr) return Error::NONODE;
        if (!allowed(*node, perms::read)) return Error::NOAUTH;
        result.number = descendants(op.path);
        return Error::OK;
      case OpCode::getEphemerals: result.children = ephemerals(op.path); return Error::OK;
      case OpCode::getACL:
        if (node == nullptr) return Error::NONODE;
        if (!allowed(*node, perms::read | perms::admin)) return Error::NOAUTH;
        result.acl = allowed(*node, perms::admin) ? node->acl : withoutHashes(node->acl);
        result.stat = node->stat();
        return Error::OK;
      case OpCode::multiRead: return readAll(op, result);
      case OpCode::addWatch:
        if (op.kind != 0 && op.kind != 1) return Error::MARSHALLINGERROR;
        watches_.addBoth(op.path, asking_.client, op.kind == 1 ? WatchMode::recursive : WatchMode::persistent,
                         rules_.watch_modes);
        return Error::OK;
      case OpCode::checkWatches:
        if (!isType(op.kind)) return Error::MARSHALLINGERROR;
        return watches_.contains(op.path, WatcherType{op.kind}, asking_.client, rules_.watch_removal)
                   ? Error::OK
                   : Error::NOWATCHER;
      case OpCode::removeWatches:
        if (!isType(op.kind)) return Error::MARSHALLINGERROR;
        return watches_.remove(op.path, WatcherType{op.kind}, asking_.client, rules_.watch_removal)
                   ? Error::OK
                   : Error::NOWATCHER;
      case OpCode::whoAmI:
        for (const Id& identity : asking_.identities) result.identities.push_back(shown(identity));
        return Error::OK;
      case OpCode::sync: result.path = op.path; return Error::OK;
      default: return Error::OK;
    }
  }

  bool isType(std::int32_t kind) const {
    return kind >= 1 && kind <= (rules_.watch_removal == WatchRemoval::by_mode ? 5 : 3);
  }

  bool allowed(const ZNode& node, std::int32_t wanted) const {
    return rules_.rights == Rights::unchecked || isAllowed(node.acl, wanted, asking_.identities);
  }

  /// The reads that may be in a multi, too.
  Error read(const SubOp& op, const ZNode* node, bool watched, SubResult& result) {
    if (node == nullptr) return Error::NONODE;
    if (!allowed(*node, perms::read)) return Error::NOAUTH;
    const bool of_data = op.code == OpCode::getData;
    if (watched && of_data) watches_.addData(op.path, asking_.client, WatchMode::once, rules_.watch_modes);
    if (watched && !of_data) watches_.addChild(op.path, asking_.client, WatchMode::once, rules_.watch_modes);
    if (of_data) {
      result.data = node->data;
    } else {
      result.children = node->children.names;
    }
    if (op.code != OpCode::getChildren) result.stat = node->stat();
    return Error::OK;
  }

  Error readAll(const Op& op, Result& result) {
    for (const SubOp& one : op.ops) {
      if (one.code != OpCode::getData && one.code != OpCode::getChildren) {
        result.results.clear();
        return Error::MARSHALLINGERROR;
      }
      SubResult part{.code = one.code};
      part.error = read(one, tree_.find(one.path), false, part);
      result.results.push_back(std::move(part));
    }
    return Error::OK;
  }

  std::int64_t descendants(std::string_view path) const {
    const std::string below = std::string(path == "/" ? "" : path) + "/";
    return std::count_if(tree_.nodes.lower_bound(below), tree_.nodes.end(),
                         [&](const auto& entry) { return entry.first.starts_with(below); }) -
           (path == "/" || path.empty() ? 1 : 0);
  }

  std::vector<std::string> ephemerals(std::string_view path) const {
    const auto session = tree_.sessions.find(asking_.session);
    if (session == tree_.sessions.end()) return {};
    std::vector<std::string> paths = cloned(session->second.ephemerals).names;
    if (path != "/" && !path.empty())
      std::erase_if(paths, [path](const std::string& one) { return !one.starts_with(path); });
    return paths;
  }

  const Rules& rules_;
  const Tree& tree_;
  Watches& watches_;
  const Asking& asking_;
};

}  // namespace

Result answer(const Rules& rules, const Tree& tree, Watches& watches, const Asking& asking, const Op& op) {
  return Read(rules, tree, watches, asking)(op);
}

std::vector<NodeEvent> setWatches(const Rules& rules, const Tree& tree, Watches& watches, ServerId client,
                                  const WatchLists& lists) {
  const WatchModes modes = rules.watch_modes;
  std::vector<NodeEvent> events;
  for (const std::string& path : lists.data) {
    const ZNode* node = tree.find(path);
    if (node == nullptr) {
      events.push_back({EventType::NodeDeleted, path});
    } else if (node->mzxid > lists.seen) {
      events.push_back({EventType::NodeDataChanged, path});
    } else {
      watches.addData(path, client, WatchMode::once, modes);
    }
  }
  for (const std::string& path : lists.exist) {
    if (tree.find(path) != nullptr) {
      events.push_back({EventType::NodeCreated, path});
    } else {
      watches.addData(path, client, WatchMode::once, modes);
    }
  }
  for (const std::string& path : lists.child) {
    const ZNode* node = tree.find(path);
    if (node == nullptr) {
      events.push_back({EventType::NodeDeleted, path});
    } else if (node->pzxid > lists.seen) {
      events.push_back({EventType::NodeChildrenChanged, path});
    } else {
      watches.addChild(path, client, WatchMode::once, modes);
    }
  }
  for (const std::string& path : lists.persistent)
    watches.addBoth(path, client, WatchMode::persistent, modes);
  for (const std::string& path : lists.recursive) watches.addBoth(path, client, WatchMode::recursive, modes);
  return events;
}

}  // namespace zablab::zookeeper
