#include "protocol/zookeeper/prepare.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "protocol/zookeeper/acl.h"
#include "protocol/zookeeper/paths.h"
#include "protocol/zookeeper/quotas.h"

namespace zablab::zookeeper {
namespace {

/// One more, as Java counts.
std::int32_t next(std::int32_t number) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(number) + 1);
}

/// What the leader checks of a node (ZooKeeperServer.ChangeRecord).
struct Record {
  const std::optional<std::string>* data = nullptr;  ///< in the tree, or in a change
  const std::vector<Acl>* acl = nullptr;             ///< likewise
  NodeKind kind{};
  std::int32_t version = 0;
  std::int32_t aversion = 0;
  std::int32_t creates = 0;
  std::int64_t children = 0;
};

/// The nodes as they will be when everything outstanding is applied, and then `own`.
class Ahead {
 public:
  Ahead(const Rules& rules, const Tree& tree, const std::vector<const Payload*>& outstanding,
        const Payload& own)
      : rules_(rules), tree_(tree), outstanding_(outstanding), own_(own) {}

  /// The empty path is the root.
  std::optional<Record> find(std::string_view path) const {
    if (path.empty()) path = root;
    std::optional<Record> record;
    if (const ZNode* node = tree_.find(path)) {
      record = {&node->data,
                &node->acl,
                node->kind,
                node->version,
                node->aversion,
                node->creates,
                static_cast<std::int64_t>(node->children.names.size())};
    }
    for (const Payload* payload : outstanding_) follow(*payload, path, record);
    follow(own_, path, record);
    return record;
  }

  /// In the order in which they will be deleted.
  HashSet ephemeralsOf(SessionId session, bool with_outstanding) const {
    const auto at = tree_.sessions.find(session);
    HashSet ephemerals = at == tree_.sessions.end() ? HashSet{} : at->second.ephemerals;
    if (!with_outstanding) return cloned(ephemerals);
    for (const Payload* payload : outstanding_) {
      for (const Change& change : payload->changes) {
        const bool creates = change.kind == ChangeKind::create && change.node_kind == NodeKind::ephemeral;
        if (change.kind == ChangeKind::remove) ephemerals.erase(change.path);
        if (creates && payload->session == session) ephemerals.insert(change.path);
      }
    }
    return cloned(ephemerals);
  }

 private:
  static constexpr std::string_view root = "/";

  void follow(const Payload& payload, std::string_view path, std::optional<Record>& record) const {
    for (const Change& change : payload.changes) {
      const std::string_view parent = parentOf(change.path);
      if (change.path == path) {
        changeItself(change, record);
      } else if (record && (parent.empty() ? root : parent) == path) {
        // A session that is closed may delete what is deleted already, under the rule `applied_alone`.
        if (change.kind == ChangeKind::remove && record->children > 0) --record->children;
        if (change.kind == ChangeKind::create) addChild(change, *record);
      }
    }
  }

  void changeItself(const Change& change, std::optional<Record>& record) const {
    if (change.kind == ChangeKind::create)
      record = {.data = &change.data, .acl = &change.acl, .kind = change.node_kind};
    if (change.kind == ChangeKind::remove) record.reset();
    if (change.kind == ChangeKind::set_data && record) {
      record->data = &change.data;
      record->version = change.version;
    }
    if (change.kind == ChangeKind::set_acl && record) {
      if (rules_.outstanding_acl == OutstandingAcl::followed) record->acl = &change.acl;
      record->aversion = change.version;
    }
  }

  static void addChild(const Change& change, Record& record) {
    ++record.children;
    // What is outstanding sets the counter also behind its largest value, where applying leaves it as it is.
    record.creates = change.creates == uncounted ? next(record.creates) : change.creates;
  }

  const Rules& rules_;
  const Tree& tree_;
  const std::vector<const Payload*>& outstanding_;
  const Payload& own_;
};

/// The number behind the name of a sequential node: ten digits.
std::string sequenceNumber(std::int32_t number) {
  constexpr std::size_t width = 10;
  const bool negative = number < 0;
  std::string digits = std::to_string(number < 0 ? -std::int64_t{number} : std::int64_t{number});
  const std::size_t padded = width - (negative ? 1 : 0);
  if (digits.size() < padded) digits.insert(0, padded - digits.size(), '0');
  return (negative ? "-" : "") + digits;
}

class Decision {
 public:
  /// `applied`: the tree as it is, from which quotas are read.
  Decision(const Rules& rules, const Ahead& ahead, const Tree& applied, const Proposed& proposed)
      : rules_(rules),
        ahead_(ahead),
        applied_(applied),
        session_(proposed.session),
        refused_(proposed.refused),
        ephemerals_refused_(proposed.ephemerals_refused),
        identities_(proposed.identities) {}

  Change operator()(const SubOp& op) const {
    Change change{.of = op.code, .path = op.path};
    if (const Error error = decide(op, change); error != Error::OK)
      return {.kind = ChangeKind::error, .of = op.code, .error = error};
    return change;
  }

 private:
  Error decide(const SubOp& op, Change& change) const {
    switch (op.code) {
      case OpCode::create:
      case OpCode::create2:
      case OpCode::createContainer:
      case OpCode::createTTL: return create(op, change);
      case OpCode::remove: return remove(op, change);
      case OpCode::deleteContainer: return removeContainer(op, change);
      case OpCode::setData: return setData(op, change);
      case OpCode::setACL: return setAcl(op, change);
      case OpCode::check: return check(op, change);
      default: return Error::MARSHALLINGERROR;
    }
  }

  std::int32_t numberFor(const Record& parent) const {
    return rules_.sequence_numbers == SequenceNumbers::creations ? parent.creates
                                                                 : static_cast<std::int32_t>(parent.children);
  }

  bool allowed(const Record& node, std::int32_t wanted) const {
    return rules_.rights != Rights::checked || isAllowed(*node.acl, wanted, identities_);
  }

  bool isExpected(std::int32_t expected, std::int32_t version) const {
    return expected == -1 || expected == version || rules_.expected_version == ExpectedVersion::ignored;
  }

  bool isTooMuch(const std::string& path, std::int64_t bytes, std::int64_t nodes) const {
    return rules_.quotas == Quotas::enforced &&
           exceedsQuota(applied_, path, bytes, nodes, rules_.quota_limit);
  }

  Error create(const SubOp& op, Change& change) const {
    const auto mode = createMode(op.flags);
    if (!mode) return Error::BADARGUMENTS;
    if ((mode->kind == NodeKind::ttl) != (op.code == OpCode::createTTL)) return Error::BADARGUMENTS;
    if (mode->kind == NodeKind::ttl) {
      constexpr std::int64_t ttl_max = 0x00ffffffffff;
      if (rules_.ttl_nodes == TtlNodes::refused) return Error::UNIMPLEMENTED;
      if (op.ttl <= 0 || op.ttl > ttl_max) return Error::BADARGUMENTS;
    }
    if (refused_ != Error::OK) return refused_;
    if (mode->kind == NodeKind::ephemeral && ephemerals_refused_ != Error::OK) return ephemerals_refused_;
    if (op.path.find('/') == std::string::npos || op.path.find('\0') != std::string::npos)
      return Error::BADARGUMENTS;
    const auto acl = fixedUp(op.acl, identities_, rules_.address_lists);
    if (!acl) return Error::INVALIDACL;
    const auto parent = ahead_.find(parentOf(op.path));
    if (!parent) return Error::NONODE;
    if (!allowed(*parent, perms::create)) return Error::NOAUTH;
    if (mode->sequential) change.path += sequenceNumber(numberFor(*parent));
    if (!isValidPath(change.path)) return Error::BADARGUMENTS;
    if (const auto there = ahead_.find(change.path)) {
      if (rules_.existing_node == ExistingNode::refused) return Error::NODEEXISTS;
      change.kind = ChangeKind::set_data;
      change.data = op.data;
      change.version = next(there->version);
      return Error::OK;
    }
    if (parent->kind == NodeKind::ephemeral && rules_.ephemeral_children == EphemeralChildren::refused)
      return Error::NOCHILDRENFOREPHEMERALS;
    if (isTooMuch(change.path, bytesIn(op.data), 1)) return Error::QUOTAEXCEEDED;
    change.kind = ChangeKind::create;
    change.data = op.data;
    change.acl = *acl;
    // Of create and create2 only EPHEMERAL reaches the transaction.
    const bool is_ephemeral = mode->kind == NodeKind::ephemeral;
    change.node_kind = op.code == OpCode::createContainer ? NodeKind::container
                       : op.code == OpCode::createTTL     ? NodeKind::ttl
                       : is_ephemeral                     ? NodeKind::ephemeral
                                                          : NodeKind::persistent;
    change.ttl = op.code == OpCode::createTTL ? op.ttl : 0;
    if (rules_.parent_counter == ParentCounter::in_transaction) change.creates = next(parent->creates);
    return Error::OK;
  }

  Error remove(const SubOp& op, Change& change) const {
    if (refused_ != Error::OK) return refused_;
    const bool has_parent = op.path.find('/') != std::string::npos;
    if (!has_parent || op.path.find('\0') != std::string::npos || isSpecialPath(op.path))
      return Error::BADARGUMENTS;
    const auto parent = ahead_.find(parentOf(op.path));
    if (!parent) return Error::NONODE;
    if (!allowed(*parent, perms::remove)) return Error::NOAUTH;
    const auto node = ahead_.find(op.path);
    if (!node) return Error::NONODE;
    if (!isExpected(op.version, node->version)) return Error::BADVERSION;
    if (node->children > 0) return Error::NOTEMPTY;
    change.kind = ChangeKind::remove;
    return Error::OK;
  }

  /// Asked by the leader itself: a container without children, or a node whose time is over.
  Error removeContainer(const SubOp& op, Change& change) const {
    const auto node = ahead_.find(op.path);
    if (session_ != no_session || isSpecialPath(op.path)) return Error::BADARGUMENTS;
    if (!node) return Error::NONODE;
    if (node->children > 0) return Error::NOTEMPTY;
    if (node->kind == NodeKind::ephemeral || node->kind == NodeKind::persistent) return Error::BADVERSION;
    change.kind = ChangeKind::remove;
    return Error::OK;
  }

  Error setData(const SubOp& op, Change& change) const {
    if (refused_ != Error::OK) return refused_;
    if (!isValidPath(op.path)) return Error::BADARGUMENTS;
    const auto node = ahead_.find(op.path);
    if (!node) return Error::NONODE;
    if (!allowed(*node, perms::write)) return Error::NOAUTH;
    if (isTooMuch(op.path, bytesIn(op.data) - bytesIn(*node->data), 0)) return Error::QUOTAEXCEEDED;
    if (!isExpected(op.version, node->version)) return Error::BADVERSION;
    change.kind = ChangeKind::set_data;
    change.data = op.data;
    change.version = next(node->version);
    return Error::OK;
  }

  Error setAcl(const SubOp& op, Change& change) const {
    if (refused_ != Error::OK) return refused_;
    if (!isValidPath(op.path)) return Error::BADARGUMENTS;
    const auto acl = fixedUp(op.acl, identities_, rules_.address_lists);
    if (!acl) return Error::INVALIDACL;
    const auto node = ahead_.find(op.path);
    if (!node) return Error::NONODE;
    if (!allowed(*node, perms::admin)) return Error::NOAUTH;
    if (!isExpected(op.version, node->aversion)) return Error::BADVERSION;
    change.kind = ChangeKind::set_acl;
    change.acl = *acl;
    change.version = next(node->aversion);
    return Error::OK;
  }

  Error check(const SubOp& op, Change& change) const {
    if (refused_ != Error::OK) return refused_;
    if (!isValidPath(op.path)) return Error::BADARGUMENTS;
    const auto node = ahead_.find(op.path);
    if (!node) return Error::NONODE;
    if (!allowed(*node, perms::read)) return Error::NOAUTH;
    if (!isExpected(op.version, node->version)) return Error::BADVERSION;
    change.kind = ChangeKind::check;
    return Error::OK;
  }

  const Rules& rules_;
  const Ahead& ahead_;
  const Tree& applied_;
  SessionId session_;
  Error refused_;
  Error ephemerals_refused_;
  const std::vector<Id>& identities_;
};

/// MultiOperationRecord.deserialize.
bool canBeInMulti(Operations operations, OpCode code) {
  switch (code) {
    case OpCode::create:
    case OpCode::remove:
    case OpCode::setData:
    case OpCode::check: return true;
    case OpCode::create2:
    case OpCode::createContainer:
    case OpCode::createTTL: return operations == Operations::all;
    default: return false;
  }
}

/// One operation fails, and with it all: those before it would have succeeded, those after it were not tried.
void failAll(std::vector<Change>& changes, const std::vector<SubOp>& ops) {
  const Error error = changes.back().error;
  const std::size_t failed = changes.size() - 1;
  changes.clear();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    changes.push_back({.kind = ChangeKind::error,
                       .of = ops[i].code,
                       .error = i < failed    ? Error::OK
                                : i == failed ? error
                                              : Error::RUNTIMEINCONSISTENCY});
  }
}

}  // namespace

Payload prepare(const Rules& rules, const Tree& tree, const std::vector<const Payload*>& outstanding,
                const Proposed& proposed) {
  const Op& op = proposed.op;
  Payload payload{.session = proposed.session, .number = proposed.number, .time = proposed.time};
  const auto fails = [&](Error error) {
    payload.changes = {{.kind = ChangeKind::error, .of = op.code, .error = error}};
    return payload;
  };
  const Ahead ahead(rules, tree, outstanding, payload);
  switch (op.code) {
    case OpCode::createSession:
      payload.kind = TxnKind::create_session;
      payload.timeout = proposed.timeout;
      return payload;
    case OpCode::closeSession: {
      payload.kind = TxnKind::close_session;
      const bool expires = proposed.number == 0;  // the leader closes it
      if (expires && rules.expiry == Expiry::keeps_ephemerals) return payload;
      const bool with_outstanding = rules.closed_ephemerals == ClosedEphemerals::with_outstanding;
      for (std::string& path : ahead.ephemeralsOf(proposed.session, with_outstanding).names)
        payload.changes.push_back({.kind = ChangeKind::remove, .of = op.code, .path = std::move(path)});
      return payload;
    }
    case OpCode::multi:
      if (!std::all_of(op.ops.begin(), op.ops.end(),
                       [&](const SubOp& one) { return canBeInMulti(rules.operations, one.code); }))
        return fails(Error::MARSHALLINGERROR);
      payload.kind = TxnKind::multi;
      for (const SubOp& one : op.ops) {
        payload.changes.push_back(Decision(rules, ahead, tree, proposed)(one));
        if (payload.changes.back().kind == ChangeKind::error) {
          if (rules.multi_fails == MultiFails::whole) failAll(payload.changes, op.ops);
          break;
        }
      }
      return payload;
    default: payload.changes = {Decision(rules, ahead, tree, proposed)(op)}; return payload;
  }
}

}  // namespace zablab::zookeeper
