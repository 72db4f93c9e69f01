#include "checker/zookeeper/model.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "checker/zookeeper/model_rights.h"

namespace zablab::zookeeper::model {
namespace {

/// As Java's integers do: behind the largest comes the smallest.
std::int32_t oneMore(std::int32_t number) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(number) + 1);
}

std::int64_t sizeOf(const std::optional<std::string>& data) {
  return data ? static_cast<std::int64_t>(data->size()) : 0;
}

Znode* nodeAt(State& state, std::string_view path) {
  return const_cast<Znode*>(model::nodeAt(std::as_const(state), path));
}

/// Calls `visit(path, node)` for each node below this one, at any depth.
template <class Visit>
void forEachBelow(const State& state, std::string_view path, Visit&& visit) {
  const std::string prefix = below(path.empty() ? "/" : path);
  for (auto at = state.nodes.lower_bound(prefix); at != state.nodes.end() && at->first.starts_with(prefix);
       ++at) {
    if (at->first.size() > prefix.size()) visit(at->first, at->second);
  }
}

// ---- quotas: a node zookeeper_limits below /zookeeper/quota and the path states the limits of what is at
// the path and below it, and zookeeper_stats beside it what there is.

struct QuotaNodes {
  const Znode* limits = nullptr;
  std::string stats;  ///< its path
};

/// Of the longest path above that has limits; nothing for the root and ZooKeeper's own nodes.
std::optional<QuotaNodes> quotaOf(const State& state, std::string_view path) {
  for (; path.size() > 1; path = above(path)) {
    const std::string place = "/zookeeper/quota" + std::string(path) + "/";
    const Znode* const limits = nodeAt(state, place + "zookeeper_limits");
    if (limits == nullptr) continue;
    if (path == "/zookeeper") return std::nullopt;
    return QuotaNodes{limits, place + "zookeeper_stats"};
  }
  return std::nullopt;
}

/// Of "count=5,bytes=10=;byteHardLimit=20" the number of a key; -1: it has none.
std::int64_t valueOf(const std::optional<std::string>& data, std::string_view key) {
  if (!data) return -1;
  for (std::size_t begin = 0; begin < data->size();) {
    const std::size_t end = std::min(data->find_first_of(",;", begin), data->size());
    const std::string_view part = std::string_view(*data).substr(begin, end - begin);
    const std::size_t equals = part.find('=');
    if (equals != std::string_view::npos && part.substr(0, equals) == key) {
      std::int64_t value = -1;
      std::from_chars(part.data() + equals + 1, part.data() + part.size(), value);
      return value;
    }
    begin = end + 1;
  }
  return -1;
}

/// As Java's: no limit is exceeded by a sum that is too large for it.
std::int64_t plus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::string statistics(std::int64_t nodes, std::int64_t bytes) {
  return "count=" + std::to_string(nodes) + ",bytes=" + std::to_string(bytes);
}

void count(State& state, std::string_view path, std::int64_t bytes, std::int64_t nodes) {
  const auto quota = quotaOf(state, path);
  Znode* const stats = quota ? nodeAt(state, quota->stats) : nullptr;
  if (stats == nullptr) return;
  stats->data =
      statistics(plus(valueOf(stats->data, "count"), nodes), plus(valueOf(stats->data, "bytes"), bytes));
}

/// A new zookeeper_stats begins with what there is.
void beginCounting(State& state, std::string_view path) {
  constexpr std::string_view quotas = "/zookeeper/quota", name = "/zookeeper_stats";
  if (!path.starts_with(quotas) || !path.ends_with(name)) return;
  const std::string_view counted = path.substr(quotas.size(), path.size() - quotas.size() - name.size());
  if (counted.empty()) return;
  std::int64_t nodes = 0, bytes = 0;
  const auto add = [&](const std::string&, const Znode& node) {
    ++nodes;
    bytes += sizeOf(node.data);
  };
  if (const Znode* const top = nodeAt(std::as_const(state), counted)) add({}, *top);
  forEachBelow(state, counted, add);
  nodeAt(state, path)->data = statistics(nodes, bytes);
}

// ---- the changes of a transaction

bool isReadByAll(const std::vector<Acl>& acl) { return grants(acl, perms::read, {}); }

void show(Effects& effects, EventType type, std::string_view path, const std::vector<Acl>& acl) {
  effects.events.push_back({{type, std::string(path)}, isReadByAll(acl) ? std::vector<Acl>{} : acl});
}
void showList(Effects& effects, const State& state, std::string_view path) {
  const Znode* const parent = nodeAt(state, above(path));
  show(effects, EventType::NodeChildrenChanged, above(path),
       parent == nullptr ? std::vector<Acl>{} : parent->acl);
}

void create(State& state, Zxid zxid, const Payload& payload, const Change& change, Effects& effects) {
  SubResult& result = effects.results.emplace_back(SubResult{.code = change.of, .path = change.path});
  Znode* const parent = nodeAt(state, above(change.path));
  if (parent == nullptr) {
    result.error = Error::NONODE;
    return;
  }
  const bool there = nodeAt(state, change.path) != nullptr;
  const std::int32_t counted = there ? parent->creations : oneMore(parent->creations);
  const std::int32_t creations = change.creates == uncounted ? counted : change.creates;
  if (creations > parent->creations) {  // it never goes back, nor around
    parent->creations = creations;
    parent->relisted = zxid;
  }
  if (there) {
    result.error = Error::NODEEXISTS;
    return;
  }
  Znode node{.data = change.data, .acl = change.acl, .created = zxid, .changed = zxid, .relisted = zxid};
  node.created_at = node.changed_at = payload.time;
  node.kind = change.node_kind;
  node.ttl = change.ttl;
  if (node.kind == NodeKind::ephemeral) node.owner = payload.session;
  state.nodes[change.path] = std::move(node);
  result.stat = statOf(state, change.path);
  beginCounting(state, change.path);
  count(state, change.path, sizeOf(nodeAt(state, change.path)->data), 1);
  show(effects, EventType::NodeCreated, change.path, change.acl);
  showList(effects, state, change.path);
}

void remove(State& state, Zxid zxid, const Change& change, Effects& effects) {
  SubResult& result = effects.results.emplace_back(SubResult{.code = change.of});
  if (Znode* const parent = nodeAt(state, above(change.path)))
    parent->relisted = std::max(parent->relisted, zxid);
  const auto at = state.nodes.find(change.path);
  if (at == state.nodes.end()) {
    result.error = Error::NONODE;
    return;
  }
  const Znode gone = std::move(at->second);
  state.nodes.erase(at);
  count(state, change.path, -sizeOf(gone.data), -1);
  show(effects, EventType::NodeDeleted, change.path, gone.acl);
  showList(effects, state, change.path);
}

void setData(State& state, Zxid zxid, const Payload& payload, const Change& change, Effects& effects) {
  SubResult& result = effects.results.emplace_back(SubResult{.code = change.of});
  Znode* const node = nodeAt(state, change.path);
  if (node == nullptr) {
    result.error = Error::NONODE;
    return;
  }
  count(state, change.path, sizeOf(change.data) - sizeOf(node->data), 0);
  node->data = change.data;
  node->changed = zxid;
  node->changed_at = payload.time;
  node->version = change.version;
  result.stat = statOf(state, change.path);
  show(effects, EventType::NodeDataChanged, change.path, node->acl);
}

void setList(State& state, const Change& change, Effects& effects) {
  SubResult& result = effects.results.emplace_back(SubResult{.code = change.of});
  Znode* const node = nodeAt(state, change.path);
  if (node == nullptr) {
    result.error = Error::NONODE;
    return;
  }
  node->acl = change.acl;
  node->acl_version = change.version;
  result.stat = statOf(state, change.path);
}

void make(State& state, Zxid zxid, const Payload& payload, const Change& change, Effects& effects) {
  switch (change.kind) {
    case ChangeKind::create: return create(state, zxid, payload, change, effects);
    case ChangeKind::remove: return remove(state, zxid, change, effects);
    case ChangeKind::set_data: return setData(state, zxid, payload, change, effects);
    case ChangeKind::set_acl: return setList(state, change, effects);
    case ChangeKind::check: effects.results.push_back({.code = change.of}); return;
    case ChangeKind::error: effects.results.push_back({.code = change.of, .error = change.error}); return;
  }
}

// ---- what a write has to become

struct Mode {
  NodeKind kind{};
  bool sequential = false;
};
/// CreateMode, by its flags.
std::optional<Mode> modeOf(std::int32_t flags) {
  constexpr std::array<Mode, 7> modes{{{NodeKind::persistent, false},
                                       {NodeKind::ephemeral, false},
                                       {NodeKind::persistent, true},
                                       {NodeKind::ephemeral, true},
                                       {NodeKind::container, false},
                                       {NodeKind::ttl, false},
                                       {NodeKind::ttl, true}}};
  if (flags < 0 || flags >= std::ssize(modes)) return std::nullopt;
  return modes[static_cast<std::size_t>(flags)];
}

/// Ten digits: "%010d", with the sign of a negative number among them.
std::string tenDigits(std::int32_t number) {
  std::string digits = std::to_string(std::abs(std::int64_t{number}));
  const std::size_t width = number < 0 ? 9 : 10;
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return number < 0 ? "-" + digits : digits;
}

bool hasNul(std::string_view path) { return path.find('\0') != std::string_view::npos; }
bool isOwn(std::string_view path) {
  return path == "/" || path == "/zookeeper" || path == "/zookeeper/quota" || path == "/zookeeper/config";
}

/// What one operation becomes in a state. Each function's conditions are in the order in which a server finds
/// fault: of several the first one is the answer.
class Becomes {
 public:
  Becomes(const Rules& rules, const State& state, SessionId session, const std::vector<Id>& identities)
      : rules_(rules), state_(state), session_(session), identities_(identities) {}

  Change operator()(const SubOp& op) const {
    Change change{.of = op.code, .path = op.path};
    const Error error = refusal(op, change);
    return error == Error::OK ? change : Change{.kind = ChangeKind::error, .of = op.code, .error = error};
  }

 private:
  Error refusal(const SubOp& op, Change& change) const {
    switch (op.code) {
      case OpCode::create:
      case OpCode::create2:
      case OpCode::createContainer:
      case OpCode::createTTL: return creates(op, change);
      case OpCode::remove: return removes(op, change);
      case OpCode::deleteContainer: return removesUnused(op, change);
      case OpCode::setData: return setsData(op, change);
      case OpCode::setACL: return setsList(op, change);
      case OpCode::check: return checks(op, change);
      default: return Error::MARSHALLINGERROR;
    }
  }

  bool may(const Znode& node, std::int32_t right) const {
    return rules_.rights == Rights::unchecked || grants(node.acl, right, identities_);
  }
  static bool isWanted(const SubOp& op, std::int32_t version) {
    return op.version == -1 || op.version == version;
  }

  Error creates(const SubOp& op, Change& change) const {
    constexpr std::int64_t ttl_max = (std::int64_t{1} << 40) - 1;
    const auto mode = modeOf(op.flags);
    const bool asks_ttl = op.code == OpCode::createTTL;
    if (!mode || asks_ttl != (mode->kind == NodeKind::ttl)) return Error::BADARGUMENTS;
    if (asks_ttl && rules_.ttl_nodes == TtlNodes::refused) return Error::UNIMPLEMENTED;
    if (asks_ttl && (op.ttl < 1 || op.ttl > ttl_max)) return Error::BADARGUMENTS;
    if (op.path.find('/') == std::string::npos || hasNul(op.path)) return Error::BADARGUMENTS;
    const auto list = listFor(op.acl, identities_, rules_.address_lists);
    if (!list) return Error::INVALIDACL;
    const Znode* const parent = nodeAt(state_, above(op.path));
    if (parent == nullptr) return Error::NONODE;
    if (!may(*parent, perms::create)) return Error::NOAUTH;
    if (mode->sequential) change.path += tenDigits(parent->creations);
    if (!isPath(change.path)) return Error::BADARGUMENTS;
    if (nodeAt(state_, change.path) != nullptr) return Error::NODEEXISTS;
    if (parent->kind == NodeKind::ephemeral) return Error::NOCHILDRENFOREPHEMERALS;
    change.kind = ChangeKind::create;
    change.data = op.data;
    change.acl = *list;
    if (op.code == OpCode::createContainer) {
      change.node_kind = NodeKind::container;
    } else if (asks_ttl) {
      change.node_kind = NodeKind::ttl;
      change.ttl = op.ttl;
    } else if (mode->kind == NodeKind::ephemeral) {
      change.node_kind = NodeKind::ephemeral;
    }  // of the flag CONTAINER in a create nothing is left
    if (rules_.parent_counter == ParentCounter::in_transaction) change.creates = oneMore(parent->creations);
    return Error::OK;
  }

  Error removes(const SubOp& op, Change& change) const {
    if (op.path.find('/') == std::string::npos || hasNul(op.path) || isOwn(op.path))
      return Error::BADARGUMENTS;
    const Znode* const parent = nodeAt(state_, above(op.path));
    if (parent == nullptr) return Error::NONODE;
    if (!may(*parent, perms::remove)) return Error::NOAUTH;
    const Znode* const node = nodeAt(state_, op.path);
    if (node == nullptr) return Error::NONODE;
    if (!isWanted(op, node->version)) return Error::BADVERSION;
    if (!childrenOf(state_, op.path).empty()) return Error::NOTEMPTY;
    change.kind = ChangeKind::remove;
    return Error::OK;
  }

  /// The leader's own: of a container that has lost its last child, or of a node whose time is over.
  Error removesUnused(const SubOp& op, Change& change) const {
    if (session_ != no_session || isOwn(op.path)) return Error::BADARGUMENTS;
    const Znode* const node = nodeAt(state_, op.path);
    if (node == nullptr) return Error::NONODE;
    if (!childrenOf(state_, op.path).empty()) return Error::NOTEMPTY;
    if (node->kind != NodeKind::container && node->kind != NodeKind::ttl) return Error::BADVERSION;
    change.kind = ChangeKind::remove;
    return Error::OK;
  }

  Error setsData(const SubOp& op, Change& change) const {
    if (!isPath(op.path)) return Error::BADARGUMENTS;
    const Znode* const node = nodeAt(state_, op.path);
    if (node == nullptr) return Error::NONODE;
    if (!may(*node, perms::write)) return Error::NOAUTH;
    if (!isWanted(op, node->version)) return Error::BADVERSION;
    change.kind = ChangeKind::set_data;
    change.data = op.data;
    change.version = oneMore(node->version);
    return Error::OK;
  }

  Error setsList(const SubOp& op, Change& change) const {
    if (!isPath(op.path)) return Error::BADARGUMENTS;
    const auto list = listFor(op.acl, identities_, rules_.address_lists);
    if (!list) return Error::INVALIDACL;
    const Znode* const node = nodeAt(state_, op.path);
    if (node == nullptr) return Error::NONODE;
    if (!may(*node, perms::admin)) return Error::NOAUTH;
    if (!isWanted(op, node->acl_version)) return Error::BADVERSION;
    change.kind = ChangeKind::set_acl;
    change.acl = *list;
    change.version = oneMore(node->acl_version);
    return Error::OK;
  }

  Error checks(const SubOp& op, Change& change) const {
    if (!isPath(op.path)) return Error::BADARGUMENTS;
    const Znode* const node = nodeAt(state_, op.path);
    if (node == nullptr) return Error::NONODE;
    if (!may(*node, perms::read)) return Error::NOAUTH;
    if (!isWanted(op, node->version)) return Error::BADVERSION;
    change.kind = ChangeKind::check;
    return Error::OK;
  }

  const Rules& rules_;
  const State& state_;
  SessionId session_;
  const std::vector<Id>& identities_;
};

bool fitsMulti(const Rules& rules, OpCode code) {
  const bool since_3_5 =
      code == OpCode::create2 || code == OpCode::createContainer || code == OpCode::createTTL;
  return code == OpCode::create || code == OpCode::remove || code == OpCode::setData ||
         code == OpCode::check || (since_3_5 && rules.operations == Operations::all);
}

/// All of them or none: if one fails, those before it are said to be right, and those after it not tried.
std::vector<Change> together(const Rules& rules, const State& state, const Asked& asked) {
  State meanwhile = state;
  std::vector<Change> changes;
  for (const SubOp& op : asked.op.ops) {
    changes.push_back(Becomes(rules, meanwhile, asked.session, asked.identities)(op));
    if (changes.back().kind == ChangeKind::error) break;
    Effects ignored;
    make(meanwhile, {}, {.session = asked.session}, changes.back(), ignored);
  }
  if (changes.empty() || changes.back().kind != ChangeKind::error) return changes;
  const Change failed = changes.back();
  const std::size_t at = changes.size() - 1;
  changes.clear();
  for (std::size_t i = 0; i < asked.op.ops.size(); ++i) {
    Change change = failed;
    change.of = asked.op.ops[i].code;
    if (i != at) change.error = i < at ? Error::OK : Error::RUNTIMEINCONSISTENCY;
    changes.push_back(change);
  }
  return changes;
}

}  // namespace

State initialState() {
  State state;
  for (const char* path : {"/", "/zookeeper", "/zookeeper/config", "/zookeeper/quota"})
    state.nodes[path] = {.data = "", .acl = {{perms::all, "world", "anyone"}}};
  // The configuration, which clients may only read, was never written.
  Znode& configuration = state.nodes["/zookeeper/config"];
  configuration.acl = {{perms::read, "world", "anyone"}};
  configuration.version = configuration.acl_version = -1;
  return state;
}

const Znode* nodeAt(const State& state, std::string_view path) {
  const auto at = state.nodes.find(path.empty() ? std::string_view("/") : path);
  return at == state.nodes.end() ? nullptr : &at->second;
}

std::vector<std::string> childrenOf(const State& state, std::string_view path) {
  std::vector<std::string> names;
  const std::size_t begin = below(path.empty() ? "/" : path).size();
  forEachBelow(state, path, [&](const std::string& below, const Znode&) {
    if (below.find('/', begin) == std::string::npos) names.push_back(below.substr(begin));
  });
  return names;
}

std::vector<std::string> ephemeralsOf(const State& state, SessionId session) {
  std::vector<std::string> paths;
  for (const auto& [path, node] : state.nodes) {
    if (node.kind == NodeKind::ephemeral && node.owner == session) paths.push_back(path);
  }
  return paths;
}

Stat statOf(const State& state, std::string_view path) {
  const Znode& node = *nodeAt(state, path);
  const auto children = static_cast<std::int64_t>(childrenOf(state, path).size());
  Stat stat;
  stat.czxid = node.created;
  stat.mzxid = node.changed;
  stat.pzxid = node.relisted;
  stat.ctime = node.created_at;
  stat.mtime = node.changed_at;
  stat.version = node.version;
  // Changes of the list: as many creations as there were, and of them as many deletions as are not there.
  stat.cversion = static_cast<std::int32_t>(2 * std::int64_t{node.creations} - children);
  stat.aversion = node.acl_version;
  stat.ephemeral_owner = node.owner;
  stat.data_length = sizeOf(node.data);
  stat.num_children = children;
  return stat;
}

Effects apply(State& state, Zxid zxid, const Payload& payload) {
  Effects effects;
  if (payload.kind == TxnKind::create_session) state.sessions[payload.session] = payload.timeout;
  for (const Change& change : payload.changes) make(state, zxid, payload, change, effects);
  if (payload.kind == TxnKind::close_session) state.sessions.erase(payload.session);
  return effects;
}

Demand demandedBy(const Rules& rules, const State& state, const Asked& asked) {
  Demand demand;
  const Op& op = asked.op;
  if (op.code == OpCode::closeSession) {
    demand.kind = TxnKind::close_session;
    for (const std::string& path : ephemeralsOf(state, asked.session))
      demand.changes.push_back({.kind = ChangeKind::remove, .of = op.code, .path = path});
  } else if (op.code != OpCode::multi) {
    demand.changes = {Becomes(rules, state, asked.session, asked.identities)(op)};
  } else if (std::all_of(op.ops.begin(), op.ops.end(),
                         [&](const SubOp& one) { return fitsMulti(rules, one.code); })) {
    demand.kind = TxnKind::multi;
    demand.changes = together(rules, state, asked);
  } else {
    demand.changes = {{.kind = ChangeKind::error, .of = op.code, .error = Error::MARSHALLINGERROR}};
  }
  return demand;
}

std::optional<Quota> quotaAt(const State& state, std::string_view path) {
  const auto quota = quotaOf(state, path);
  const Znode* const stats = quota ? nodeAt(state, quota->stats) : nullptr;
  if (stats == nullptr) return std::nullopt;
  const auto& limits = quota->limits->data;
  return Quota{valueOf(limits, "countHardLimit"), valueOf(limits, "byteHardLimit"),
               valueOf(stats->data, "count"), valueOf(stats->data, "bytes")};
}

bool isExceeded(const std::optional<Quota>& quota, std::int64_t bytes, std::int64_t nodes) {
  if (!quota) return false;
  const bool too_many = nodes != 0 && quota->nodes_max >= 0 && plus(quota->nodes, nodes) > quota->nodes_max;
  const bool too_large = bytes != 0 && quota->bytes_max >= 0 && plus(quota->bytes, bytes) > quota->bytes_max;
  return too_many || too_large;
}

Result answerTo(const Op& op, const Payload& payload, const Effects& effects) {
  Result result;
  result.code = op.code;
  if (payload.kind == TxnKind::single) {
    static_cast<SubResult&>(result) = effects.results.front();
    if (op.code == OpCode::create) result.stat.reset();
  } else if (payload.kind == TxnKind::multi) {
    for (SubResult part : effects.results) {
      // In a multi a create2 is answered as a create, without a Stat, and the others as a create2.
      const bool is_plain = part.code == OpCode::create || part.code == OpCode::create2;
      const bool is_other = part.code == OpCode::createContainer || part.code == OpCode::createTTL;
      if (is_plain) part.stat.reset();
      if (is_plain || is_other) part.code = is_plain ? OpCode::create : OpCode::create2;
      result.results.push_back(std::move(part));
    }
  }
  return result;
}

Result answerTo(const Rules& rules, const State& state, const Asked& asked) {
  const Op& op = asked.op;
  const auto may = [&](const Znode& node, std::int32_t rights) {
    return rules.rights == Rights::unchecked || grants(node.acl, rights, asked.identities);
  };
  // getData, getChildren, and what a multiRead consists of.
  const auto read = [&](const SubOp& one, SubResult& result) {
    const Znode* const node = nodeAt(state, one.path);
    if (node == nullptr) return Error::NONODE;
    if (!may(*node, perms::read)) return Error::NOAUTH;
    if (one.code == OpCode::getData) result.data = node->data;
    if (one.code != OpCode::getData) result.children = childrenOf(state, one.path);
    if (one.code != OpCode::getChildren) result.stat = statOf(state, one.path);
    return Error::OK;
  };
  Result result;
  result.code = op.code;
  const Znode* const node = nodeAt(state, op.path);
  switch (op.code) {
    case OpCode::exists:
      if (hasNul(op.path)) {
        result.error = Error::BADARGUMENTS;
      } else if (node == nullptr) {
        result.error = Error::NONODE;
      } else if (rules.exists_rights == ExistsRights::read && !may(*node, perms::read)) {
        result.error = Error::NOAUTH;
      } else {
        result.stat = statOf(state, op.path);
      }
      break;
    case OpCode::getData:
    case OpCode::getChildren:
    case OpCode::getChildren2: result.error = read(op, result); break;
    case OpCode::getAllChildrenNumber:
      if (node == nullptr) {
        result.error = Error::NONODE;
      } else if (!may(*node, perms::read)) {
        result.error = Error::NOAUTH;
      } else {
        forEachBelow(state, op.path, [&](const std::string&, const Znode&) { ++result.number; });
      }
      break;
    case OpCode::getEphemerals:
      result.children = ephemeralsOf(state, asked.session);
      std::erase_if(result.children, [&](const std::string& path) { return !path.starts_with(op.path); });
      break;
    case OpCode::getACL:
      if (node == nullptr) {
        result.error = Error::NONODE;
      } else if (!may(*node, perms::read | perms::admin)) {
        result.error = Error::NOAUTH;
      } else {
        result.acl = shownTo(node->acl, may(*node, perms::admin));
        result.stat = statOf(state, op.path);
      }
      break;
    case OpCode::multiRead:
      for (const SubOp& one : op.ops) {
        if (one.code != OpCode::getData && one.code != OpCode::getChildren) {
          result.error = Error::MARSHALLINGERROR;
          result.results.clear();
          break;
        }
        SubResult part{.code = one.code};
        part.error = read(one, part);
        result.results.push_back(std::move(part));
      }
      break;
    case OpCode::whoAmI:
      for (const Id& identity : asked.identities) {
        const bool hashed = identity.scheme == "digest";
        result.identities.push_back(
            {identity.scheme, hashed ? identity.id.substr(0, identity.id.find(':')) : identity.id});
      }
      break;
    case OpCode::sync: result.path = op.path; break;
    default: break;
  }
  return result;
}

bool saySame(Result a, Result b) {
  for (Result* one : {&a, &b}) {
    std::sort(one->children.begin(), one->children.end());
    std::sort(one->identities.begin(), one->identities.end());
    for (SubResult& part : one->results) std::sort(part.children.begin(), part.children.end());
  }
  return a == b;
}

bool isSequential(std::int32_t flags) {
  const auto mode = modeOf(flags);
  return mode && mode->sequential;
}

std::int64_t bytesOf(const Op& op) {
  // A text is preceded by its length, a list by its number.
  constexpr std::int64_t number = 4, request_header = 8, part_header = 9;
  const auto text = [](std::string_view one) { return number + static_cast<std::int64_t>(one.size()); };
  const auto record = [&](const SubOp& one) {
    std::int64_t bytes = text(one.path);
    const bool creates = one.code <= OpCode::createTTL;
    if (creates || one.code == OpCode::setData) bytes += number + sizeOf(one.data);
    if (creates || one.code == OpCode::setACL) {
      bytes += number;
      for (const Acl& entry : one.acl) bytes += number + text(entry.scheme) + text(entry.id);
    }
    if (changesState(one.code)) bytes += number;  // flags, or a version
    if (one.code == OpCode::createTTL) bytes += 8;
    return bytes;
  };
  if (op.code != OpCode::multi && op.code != OpCode::multiRead) return request_header + record(op);
  std::int64_t bytes = request_header + part_header;
  for (const SubOp& one : op.ops) bytes += part_header + record(one);
  return bytes;
}

bool changesState(OpCode code) {
  switch (code) {
    case OpCode::create:
    case OpCode::create2:
    case OpCode::createContainer:
    case OpCode::createTTL:
    case OpCode::remove:
    case OpCode::deleteContainer:
    case OpCode::setData:
    case OpCode::setACL:
    case OpCode::check:
    case OpCode::multi:
    case OpCode::undecodable:
    case OpCode::createSession:
    case OpCode::closeSession: return true;
    default: return false;
  }
}

}  // namespace zablab::zookeeper::model
