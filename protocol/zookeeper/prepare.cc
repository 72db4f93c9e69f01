#include "protocol/zookeeper/prepare.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "protocol/zookeeper/acl.h"
#include "protocol/zookeeper/paths.h"
#include "protocol/zookeeper/quotas.h"

namespace zablab::zookeeper {
namespace {

/// The tree as it will be when everything outstanding is applied; copied only if there is anything.
class Ahead {
 public:
  Ahead(const Tree& tree, const std::vector<const Payload*>& outstanding) : tree_(tree) {
    for (const Payload* payload : outstanding) apply(*payload);
  }
  const Tree& operator*() const { return copy_ ? *copy_ : tree_; }
  const Tree* operator->() const { return &**this; }
  void apply(const Payload& payload) {
    if (!copy_) copy_ = tree_;
    copy_->apply({}, payload);
    // PrepRequestProcessor: what is outstanding sets the counter, also behind its largest value, where
    // applying leaves it as it is.
    for (const Change& change : payload.changes) {
      if (change.kind != ChangeKind::create || change.creates == uncounted) continue;
      if (ZNode* parent = copy_->find(parentOf(change.path))) parent->creates = change.creates;
    }
  }

 private:
  const Tree& tree_;
  std::optional<Tree> copy_;
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
  /// `ahead`: the tree as it will be; `applied`: as it is, from which quotas are read.
  Decision(const Rules& rules, const Tree& ahead, const Tree& applied, const Proposed& proposed)
      : rules_(rules),
        tree_(ahead),
        applied_(applied),
        session_(proposed.session),
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

  std::int32_t numberFor(const ZNode& parent) const {
    return rules_.sequence_numbers == SequenceNumbers::creations
               ? parent.creates
               : static_cast<std::int32_t>(parent.children.names.size());
  }

  bool allowed(const ZNode& node, std::int32_t wanted) const {
    return rules_.rights == Rights::unchecked || isAllowed(node.acl, wanted, identities_);
  }

  bool isExpected(std::int32_t expected, std::int32_t version) const {
    return expected == -1 || expected == version || rules_.expected_version == ExpectedVersion::ignored;
  }

  bool isTooMuch(const std::string& path, std::int64_t bytes, std::int64_t nodes) const {
    return rules_.quotas == Quotas::enforced && exceedsQuota(applied_, path, bytes, nodes);
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
    if (mode->kind == NodeKind::ephemeral && ephemerals_refused_ != Error::OK) return ephemerals_refused_;
    if (op.path.find('/') == std::string::npos || op.path.find('\0') != std::string::npos)
      return Error::BADARGUMENTS;
    const auto acl = fixedUp(op.acl, identities_);
    if (!acl) return Error::INVALIDACL;
    const ZNode* parent = tree_.find(parentOf(op.path));
    if (parent == nullptr) return Error::NONODE;
    if (!allowed(*parent, perms::create)) return Error::NOAUTH;
    if (mode->sequential) change.path += sequenceNumber(numberFor(*parent));
    if (!isValidPath(change.path)) return Error::BADARGUMENTS;
    if (tree_.find(change.path) != nullptr) return Error::NODEEXISTS;
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
    if (rules_.parent_counter == ParentCounter::in_transaction)
      change.creates = static_cast<std::int32_t>(static_cast<std::uint32_t>(parent->creates) + 1);
    return Error::OK;
  }

  Error remove(const SubOp& op, Change& change) const {
    const bool has_parent = op.path.find('/') != std::string::npos;
    if (!has_parent || op.path.find('\0') != std::string::npos || isSpecialPath(op.path))
      return Error::BADARGUMENTS;
    const ZNode* parent = tree_.find(parentOf(op.path));
    if (parent == nullptr) return Error::NONODE;
    if (!allowed(*parent, perms::remove)) return Error::NOAUTH;
    const ZNode* node = tree_.find(op.path);
    if (node == nullptr) return Error::NONODE;
    if (!isExpected(op.version, node->version)) return Error::BADVERSION;
    if (!node->children.names.empty()) return Error::NOTEMPTY;
    change.kind = ChangeKind::remove;
    return Error::OK;
  }

  /// Asked by the leader itself: a container without children, or a node whose time is over.
  Error removeContainer(const SubOp& op, Change& change) const {
    const ZNode* node = tree_.find(op.path);
    if (session_ != no_session || isSpecialPath(op.path)) return Error::BADARGUMENTS;
    if (node == nullptr) return Error::NONODE;
    if (!node->children.names.empty()) return Error::NOTEMPTY;
    if (node->kind == NodeKind::ephemeral || node->kind == NodeKind::persistent) return Error::BADVERSION;
    change.kind = ChangeKind::remove;
    return Error::OK;
  }

  Error setData(const SubOp& op, Change& change) const {
    if (!isValidPath(op.path)) return Error::BADARGUMENTS;
    const ZNode* node = tree_.find(op.path);
    if (node == nullptr) return Error::NONODE;
    if (!allowed(*node, perms::write)) return Error::NOAUTH;
    if (isTooMuch(op.path, bytesIn(op.data) - bytesIn(node->data), 0)) return Error::QUOTAEXCEEDED;
    if (!isExpected(op.version, node->version)) return Error::BADVERSION;
    change.kind = ChangeKind::set_data;
    change.data = op.data;
    change.version = next(node->version);
    return Error::OK;
  }

  Error setAcl(const SubOp& op, Change& change) const {
    if (!isValidPath(op.path)) return Error::BADARGUMENTS;
    const auto acl = fixedUp(op.acl, identities_);
    if (!acl) return Error::INVALIDACL;
    const ZNode* node = tree_.find(op.path);
    if (node == nullptr) return Error::NONODE;
    if (!allowed(*node, perms::admin)) return Error::NOAUTH;
    if (!isExpected(op.version, node->aversion)) return Error::BADVERSION;
    change.kind = ChangeKind::set_acl;
    change.acl = *acl;
    change.version = next(node->aversion);
    return Error::OK;
  }

  Error check(const SubOp& op, Change& change) const {
    if (!isValidPath(op.path)) return Error::BADARGUMENTS;
    const ZNode* node = tree_.find(op.path);
    if (node == nullptr) return Error::NONODE;
    if (!allowed(*node, perms::read)) return Error::NOAUTH;
    if (!isExpected(op.version, node->version)) return Error::BADVERSION;
    change.kind = ChangeKind::check;
    return Error::OK;
  }

  static std::int32_t next(std::int32_t version) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(version) + 1);
  }

  const Rules& rules_;
  const Tree& tree_;
  const Tree& applied_;
  SessionId session_;
  Error ephemerals_refused_;
  const std::vector<Id>& identities_;
};

bool canBeInMulti(OpCode code) { return code <= OpCode::check && code != OpCode::deleteContainer; }

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
  if (proposed.refused != Error::OK) return fails(proposed.refused);
  Ahead ahead(tree, outstanding);
  switch (op.code) {
    case OpCode::createSession:
      payload.kind = TxnKind::create_session;
      payload.timeout = proposed.timeout;
      return payload;
    case OpCode::closeSession: {
      payload.kind = TxnKind::close_session;
      const Tree& known = rules.closed_ephemerals == ClosedEphemerals::with_outstanding ? *ahead : tree;
      const auto session = known.sessions.find(proposed.session);
      const bool expires = proposed.number == 0;  // the leader closes it
      const bool keeps = expires && rules.expiry == Expiry::keeps_ephemerals;
      if (session == known.sessions.end() || keeps) return payload;
      for (const std::string& path : cloned(session->second.ephemerals).names)
        payload.changes.push_back({.kind = ChangeKind::remove, .of = op.code, .path = path});
      return payload;
    }
    case OpCode::multi:
      if (!std::all_of(op.ops.begin(), op.ops.end(), [](const SubOp& one) { return canBeInMulti(one.code); }))
        return fails(Error::MARSHALLINGERROR);
      payload.kind = TxnKind::multi;
      for (const SubOp& one : op.ops) {
        payload.changes.push_back(Decision(rules, *ahead, tree, proposed)(one));
        if (payload.changes.back().kind == ChangeKind::error) {
          if (rules.multi_fails == MultiFails::whole) failAll(payload.changes, op.ops);
          break;
        }
        ahead.apply({.session = proposed.session, .changes = {payload.changes.back()}});
      }
      return payload;
    default: payload.changes = {Decision(rules, *ahead, tree, proposed)(op)}; return payload;
  }
}

}  // namespace zablab::zookeeper
