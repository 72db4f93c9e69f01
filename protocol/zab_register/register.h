// The register, a service built on the broadcast. Clients write one value, read it at the server they are
// connected to, and sync; the transactions of sessions are writes without a value.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "protocol/variant.h"
#include "protocol/zab/context.h"
#include "protocol/zab/service.h"
#include "protocol/zab_register/events.h"
#include "protocol/zab_register/messages.h"
#include "protocol/zab_register/rules.h"

namespace zablab::zab {

struct Register {
  using Payload = Write;
  using State = RegisterState;
  struct Applied {};
  using Proposed = Write;
  using Request = zab::Request;
  using Rules = zab::Rules;
  struct Node;
  using Messages = variant<Forwarded, SyncDone, ClientHello, ClientRequest, Reply>;
  using Events = variant<Answered, ClientRefused>;
  using Context = BasicContext<Register>;

  /// Every write is possible, regardless of the value.
  static std::optional<Write> prepare(const Rules&, const State&, const std::vector<BasicOutstanding<Register>>&,
                                      const Write& asked) {
    return asked;
  }
  static Applied apply(State& state, Zxid, const Write& write) {
    if (write.kind == TxnKind::put) state.value = write.value;
    return {};
  }

  static void onDelivered(const Context& ctx, const BasicTxn<Register>& txn, const Applied&);
  static void onServes(const Context&) {}
  static void onPinged(const Context&) {}
  static void onCommitted(const Context& ctx, Zxid zxid);
  static void onFromLearner(const Context& ctx, ServerId learner, const BasicMessage<Register>& message);
  static void onFromLeader(const Context& ctx, const BasicMessage<Register>& message);
  static void onLearnerGone(const Context& ctx, ServerId learner);
  static void onRoleOver(const Context& ctx);
  static void onOwnLink(const Context& ctx, const Vocabulary<BasicTypes<Register>>::Input& input);
  static void onAsked(const Context& ctx, const zab::Request& request);
};

/// A sync of a learner's client, to be answered when `after` is committed.
struct PendingSync {
  Zxid after;
  ServerId learner = no_server;
  ServerId client = no_server;
  std::int64_t number = 0;
  bool operator==(const PendingSync&) const = default;
};
BOOST_DESCRIBE_STRUCT(PendingSync, (), (after, learner, client, number))

/// A request of a client that is connected here, not answered yet.
struct Waiting {
  Operation operation{};
  std::int64_t number = 0;
  bool done = false;  ///< a sync whose answer has arrived
  bool operator==(const Waiting&) const = default;
};
BOOST_DESCRIBE_STRUCT(Waiting, (), (operation, number, done))

/// A client's process.
struct Client {
  std::optional<ServerId> server;  ///< the server it turns to
  bool connected = false;
  Zxid last_seen;
  std::vector<Request> waiting;  ///< requests sent and not answered
  bool operator==(const Client&) const = default;
};
BOOST_DESCRIBE_STRUCT(Client, (), (server, connected, last_seen, waiting))

/// A server's process, or, where `client` is set, a client's.
struct Register::Node : BasicServer<Register> {
  std::map<ServerId, std::vector<Waiting>> clients;  ///< connected here, with what they wait for in order
  std::map<ServerId, std::vector<Reply>> owed;       ///< answers to clients of other servers, to be sent when
                                                     ///< a connection is there
  std::vector<PendingSync> pending_syncs;            ///< at the leader

  std::optional<Client> client;

  bool operator==(const Node&) const = default;
  BOOST_DESCRIBE_CLASS(Node, (BasicServer<Register>), (clients, owed, pending_syncs, client), (), ())
};

}  // namespace zablab::zab
