#include "protocol/zookeeper/tree.h"

#include <algorithm>
#include <utility>

#include "protocol/zookeeper/acl.h"
#include "protocol/zookeeper/paths.h"
#include "protocol/zookeeper/quotas.h"

namespace zablab::zookeeper {
namespace {

void addChild(Tree& tree, std::string_view path) {
  if (ZNode* parent = tree.find(parentOf(path))) parent->children.insert(nameOf(path));
}

void show(Applied& applied, EventType type, std::string_view path, const std::vector<Acl>& acl) {
  applied.events.push_back({{type, std::string(path)}, everybodyReads(acl) ? std::vector<Acl>{} : acl});
}

/// The list of children of a node above has changed.
void showList(Applied& applied, std::string_view above, const ZNode* parent) {
  static const std::vector<Acl> none;
  show(applied, EventType::NodeChildrenChanged, above.empty() ? "/" : above, parent ? parent->acl : none);
}

bool has(const HashSet& children, std::string_view name) {
  return std::find(children.names.begin(), children.names.end(), name) != children.names.end();
}

void create(Tree& tree, Zxid zxid, const Payload& payload, const Change& change, Applied& applied) {
  ZNode* parent = tree.find(parentOf(change.path));
  SubResult result{.code = change.of, .path = change.path};
  if (parent == nullptr) {
    result.error = Error::NONODE;
  } else if (tree.find(change.path) != nullptr && has(parent->children, nameOf(change.path))) {
    // DataTree.createNode asks the parent: a snapshot may contain a node whose parent was deleted and created
    // again before it, and both are replayed.
    result.error = Error::NODEEXISTS;
  } else {
    ZNode node{.data = change.data, .acl = change.acl, .czxid = zxid, .mzxid = zxid, .pzxid = zxid};
    node.ctime = node.mtime = payload.time;
    node.kind = change.node_kind;
    node.ttl = change.ttl;
    if (node.kind == NodeKind::ephemeral) {
      node.owner = payload.session;
      tree.sessions[payload.session].ephemerals.insert(change.path);
    }
    result.stat = node.stat();
    parent->children.insert(nameOf(change.path));
    tree.nodes.insert_or_assign(change.path, std::move(node));
    onCreatedInQuota(tree, change.path);
    show(applied, EventType::NodeCreated, change.path, change.acl);
    showList(applied, parentOf(change.path), parent);
  }
  if (parent != nullptr) {
    // DataTree.createNode: a creation that is replayed does not set the counter back. For the same reason the
    // counter does not wrap round: it stays at its largest value.
    const bool created = result.error == Error::OK;
    const std::int32_t creates =
        change.creates == uncounted ? parent->creates + (created ? 1 : 0) : change.creates;
    if (creates > parent->creates) {
      parent->creates = creates;
      parent->pzxid = zxid;
    }
  }
  applied.results.push_back(std::move(result));
}

void remove(Tree& tree, Zxid zxid, const Change& change, Applied& applied) {
  SubResult result{.code = change.of};
  const auto at = tree.nodes.find(change.path);
  ZNode* const parent = tree.find(parentOf(change.path));
  if (parent != nullptr) {
    parent->children.erase(nameOf(change.path));
    if (zxid > parent->pzxid) parent->pzxid = zxid;
  }
  if (at == tree.nodes.end()) {
    result.error = Error::NONODE;
  } else {
    if (const auto owner = tree.sessions.find(at->second.owner); owner != tree.sessions.end())
      owner->second.ephemerals.erase(change.path);
    const std::int64_t bytes = bytesIn(at->second.data);
    show(applied, EventType::NodeDeleted, change.path, at->second.acl);
    tree.nodes.erase(at);
    countInQuota(tree, change.path, -bytes, -1);
    showList(applied, parentOf(change.path), parent);
  }
  applied.results.push_back(std::move(result));
}

void setData(Tree& tree, Zxid zxid, Millis time, const Change& change, Applied& applied) {
  SubResult result{.code = change.of};
  if (ZNode* node = tree.find(change.path)) {
    const std::int64_t before = bytesIn(node->data);
    node->data = change.data;
    countInQuota(tree, change.path, bytesIn(change.data) - before, 0);
    node->mzxid = zxid;
    node->mtime = time;
    node->version = change.version;
    result.stat = node->stat();
    show(applied, EventType::NodeDataChanged, change.path, node->acl);
  } else {
    result.error = Error::NONODE;
  }
  applied.results.push_back(std::move(result));
}

void setAcl(Tree& tree, const Change& change, Applied& applied) {
  SubResult result{.code = change.of};
  if (ZNode* node = tree.find(change.path)) {
    node->acl = change.acl;
    node->aversion = change.version;
    result.stat = node->stat();
  } else {
    result.error = Error::NONODE;
  }
  applied.results.push_back(std::move(result));
}

void make(Tree& tree, Zxid zxid, const Payload& payload, const Change& change, Applied& applied) {
  switch (change.kind) {
    case ChangeKind::create: return create(tree, zxid, payload, change, applied);
    case ChangeKind::remove: return remove(tree, zxid, change, applied);
    case ChangeKind::set_data: return setData(tree, zxid, payload.time, change, applied);
    case ChangeKind::set_acl: return setAcl(tree, change, applied);
    case ChangeKind::check: applied.results.push_back({.code = change.of}); return;
    case ChangeKind::error: applied.results.push_back({.code = change.of, .error = change.error}); return;
  }
}

}  // namespace

std::optional<CreateMode> createMode(std::int32_t flags) {
  switch (flags) {
    case 0: return CreateMode{NodeKind::persistent, false};
    case 1: return CreateMode{NodeKind::ephemeral, false};
    case 2: return CreateMode{NodeKind::persistent, true};
    case 3: return CreateMode{NodeKind::ephemeral, true};
    case 4: return CreateMode{NodeKind::container, false};
    case 5: return CreateMode{NodeKind::ttl, false};
    case 6: return CreateMode{NodeKind::ttl, true};
    default: return std::nullopt;
  }
}

std::string_view nameOf(OpCode code) { return code == OpCode::remove ? "delete" : enumName(code); }

Stat ZNode::stat() const {
  const auto shown = 2 * std::int64_t{creates} - static_cast<std::int64_t>(children.names.size());
  return {czxid,
          mzxid,
          pzxid,
          ctime,
          mtime,
          version,
          static_cast<std::int32_t>(shown),
          aversion,
          owner,
          static_cast<std::int64_t>(data ? data->size() : 0),
          static_cast<std::int64_t>(children.names.size())};
}

const ZNode* Tree::find(std::string_view path) const {
  const auto at = nodes.find(path.empty() ? std::string_view("/") : path);
  return at == nodes.end() ? nullptr : &at->second;
}

ZNode* Tree::find(std::string_view path) {
  return const_cast<ZNode*>(static_cast<const Tree&>(*this).find(path));
}

Applied Tree::apply(Zxid zxid, const Payload& payload) {
  Applied applied;
  switch (payload.kind) {
    case TxnKind::create_session: sessions[payload.session].timeout = payload.timeout; break;
    case TxnKind::close_session:
      for (const Change& change : payload.changes) make(*this, zxid, payload, change, applied);
      applied.results.clear();
      sessions.erase(payload.session);
      break;
    case TxnKind::single:
    case TxnKind::multi:
      for (const Change& change : payload.changes) make(*this, zxid, payload, change, applied);
      break;
  }
  return applied;
}

Nodes Tree::initialNodes() {
  Tree tree{.nodes = {}, .sessions = {}};
  tree.nodes["/"].data = "";
  for (const char* path : {"/zookeeper", "/zookeeper/config", "/zookeeper/quota"}) {
    tree.nodes[path].data = "";
    addChild(tree, path);
  }
  // DataTree.addConfigNode: the configuration, which everybody may read.
  ZNode& config = tree.nodes["/zookeeper/config"];
  config.version = config.aversion = -1;
  config.acl = {{perms::read, "world", "anyone"}};
  return std::move(tree.nodes);
}

}  // namespace zablab::zookeeper
