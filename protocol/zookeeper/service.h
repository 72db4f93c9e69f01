// ZooKeeper's tree and sessions as a service on the broadcast, and the clients' own processes.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "protocol/recipes/program.h"
#include "protocol/recipes/resource.h"
#include "protocol/variant.h"
#include "protocol/zab/context.h"
#include "protocol/zab/service.h"
#include "protocol/zookeeper/events.h"
#include "protocol/zookeeper/messages.h"
#include "protocol/zookeeper/prepare.h"
#include "protocol/zookeeper/rules.h"
#include "protocol/zookeeper/tree.h"
#include "protocol/zookeeper/watches.h"

namespace zablab::zookeeper {

/// What a scenario requests of a client.
enum class Instruction : std::uint8_t {
  connect,     ///< turn to `server`, with the session that it has or for a new one
  disconnect,  ///< close the connection; the session stays
  operate,     ///< ask `op`
  run,         ///< run `program`
  act,         ///< tell the program `act`
};
BOOST_DESCRIBE_ENUM(Instruction, connect, disconnect, operate, run, act)

struct Request {
  Instruction instruction{};
  std::int64_t number = 0;  ///< unique in a run
  ServerId server = no_server;
  std::vector<ServerId> servers = {};  ///< of connect: those that it turns to afterwards; none: all
  Op op = {};
  Millis timeout = 30'000;             ///< of connect: that it asks for
  std::optional<SessionId> session{};  ///< of connect: instead of the session it has
  std::optional<Zxid> last_seen{};     ///< of connect: instead of what it has seen
  bool password = true;                ///< of connect: it knows the session's password
  bool renews = false;                 ///< of connect: begins another session when this one is over
  bool read_only = false;              ///< of connect: is content with a server that answers reads alone
  std::optional<recipes::Settings> program{};
  recipes::Act act{};
  std::string data = {};  ///< of act
  bool operator==(const Request&) const = default;
};
BOOST_DESCRIBE_STRUCT(Request, (),
                      (instruction, number, server, servers, op, timeout, session, last_seen, password,
                       renews, read_only, program, act, data))

enum class TimerKind : std::uint8_t {
  session_expiry,   ///< leader: the session was silent for its timeout; the key is the session
  container_check,  ///< leader: it looks for containers that have lost their last child
  node_ttl,         ///< leader: a node was not changed for its time to live; the key is in `expiring`
  reconnect,        ///< client: it tries to connect again
  client_ping,      ///< client: it has sent nothing for a third of the timeout
  server_limit,     ///< client: it has heard nothing for two thirds of the timeout
  local_expiry,     ///< server: its local session was silent for its timeout; the key is the session
  read_only,        ///< server: it has looked for a leader for so long that it begins to answer reads
  writable_server,  ///< client of a read-only server: it asks another one whether it writes
  program,          ///< client: of the recipe that it runs
  session_limit,    ///< client: it has heard nothing for four thirds of the timeout
};
BOOST_DESCRIBE_ENUM(TimerKind, session_expiry, container_check, node_ttl, reconnect, client_ping,
                    server_limit, local_expiry, read_only, writable_server, program, session_limit)

/// The tree and the sessions.
struct ZooKeeper {
  using TimerKind = zookeeper::TimerKind;
  using TimerKey = SessionId;
  using Payload = zookeeper::Payload;
  using State = Tree;
  using Applied = zookeeper::Applied;
  using Proposed = zookeeper::Proposed;
  using Request = zookeeper::Request;
  using Rules = zookeeper::Rules;
  struct Node;
  using Messages =
      variant<ConnectRequest, ConnectResponse, ClientRequest, Reply, WatchEvent, Forwarded, SyncDone,
              Revalidate, Revalidated, Touched, AskReadOnly, ReadOnlyAnswer, UseResource, ResourceUsed>;
  using Events = variant<ClientStateChanged, Answered, Watched, ClientRefused, SessionChecked, SessionExpired,
                         SessionMoved, WatchesFired, SessionUpgraded, ReadOnlyChanged, Requested, Served,
                         Used, recipes::RecipeBegan, recipes::BeliefChanged, recipes::PlaceChanged,
                         recipes::Reported, recipes::DepthChanged, recipes::NotHeld, recipes::BarrierPassed,
                         recipes::ItemPut, recipes::ItemTaken, recipes::SiteVoted,
                         recipes::TransactionDecided, recipes::Configured, recipes::ContainerChanged,
                         recipes::MembersSeen, recipes::ProviderChosen, recipes::NameGiven, recipes::GaveUp>;
  using Context = zab::BasicContext<ZooKeeper>;

  static std::optional<Payload> prepare(const Rules& rules, const Tree& tree,
                                        const std::vector<zab::BasicOutstanding<ZooKeeper>>& outstanding,
                                        const Proposed& proposed);
  static Applied apply(Tree& tree, Zxid zxid, const Payload& payload) { return tree.apply(zxid, payload); }

  static void onDelivered(const Context& ctx, const zab::BasicTxn<ZooKeeper>& txn, const Applied& applied);
  static void onCommitted(const Context& ctx, Zxid zxid);
  static void onFromLearner(const Context& ctx, ServerId learner,
                            const zab::BasicMessage<ZooKeeper>& message);
  static void onFromLeader(const Context& ctx, const zab::BasicMessage<ZooKeeper>& message);
  static void onLearnerGone(const Context& ctx, ServerId learner);
  static void onServes(const Context& ctx);
  static void onPinged(const Context& ctx);
  static void onRoleOver(const Context& ctx);
  static void onOwnLink(const Context& ctx, const Vocabulary<zab::BasicTypes<ZooKeeper>>::Input& input);
  static void onAsked(const Context& ctx, const Request& request);
  static void onTimer(const Context& ctx, TimerKind kind, SessionId key);
  static void onLooking(const Context& ctx);
  static void onLookingOver(const Context& ctx);
};

/// A request of a client that is connected here, not answered yet.
struct Waiting {
  std::int64_t number = 0;
  Op op;
  bool done = false;                ///< a sync whose answer has arrived, or the closing of a local session
  std::vector<Id> identities = {};  ///< of a read: what the client had proved when it was received
  bool moved = false;               ///< the session was at another server by then
  bool operator==(const Waiting&) const = default;
};
BOOST_DESCRIBE_STRUCT(Waiting, (), (number, op, done, identities, moved))

/// The server's end of a client's connection.
struct Connection {
  SessionId session = no_session;
  Millis timeout = 0;
  bool open = false;           ///< the client has its ConnectResponse
  std::vector<Id> identities;  ///< its address, and what it has proved to be
  std::vector<Waiting> waiting = {};
  std::vector<WatchEvent> delayed = {};  ///< under the rules by which events wait for a reply
  bool operator==(const Connection&) const = default;
};
BOOST_DESCRIBE_STRUCT(Connection, (), (session, timeout, open, identities, waiting, delayed))

/// A sync of a learner's client, to be answered when `after` is committed.
struct PendingSync {
  Zxid after;
  ServerId learner = no_server;
  SessionId session = no_session;
  std::int64_t number = 0;
  bool operator==(const PendingSync&) const = default;
};
BOOST_DESCRIBE_STRUCT(PendingSync, (), (after, learner, session, number))

/// A session as the leader knows it (SessionTrackerImpl).
struct Tracked {
  std::optional<ServerId> owner;  ///< the server whose client has it; empty: not known yet
  bool closing = false;
  bool operator==(const Tracked&) const = default;
};
BOOST_DESCRIBE_STRUCT(Tracked, (), (owner, closing))

/// A client's process (ClientCnxn).
struct Client {
  ClientState state = ClientState::CLOSED;
  std::optional<ServerId> server;  ///< the server it turns to
  std::vector<ServerId> servers;   ///< those that it may turn to (its connect string)
  bool renews = false;             ///< begins another session when its own is over
  bool linked = false;             ///< the connection is open
  /// The server that has accepted it last. When all others were tried in vain, it waits before this one.
  ServerId accepted_by = no_server;
  bool overdue = false;  ///< it has heard nothing for so long that it takes its session to be over
  SessionId session = no_session;
  bool password = true;       ///< it knows the session's password
  std::int64_t attempts = 0;  ///< to begin a session: one may have succeeded although its answer was lost
  Millis asked_timeout = 0;
  Millis timeout = 0;  ///< negotiated
  Zxid last_seen;
  std::vector<Id> credentials;  ///< what it proves on every connection
  std::vector<Waiting> waiting;
  Watches watches;               ///< that it has set, under its own id
  std::set<std::string> absent;  ///< of the data watches, those of nodes that did not exist
  bool read_only = false;        ///< is content with a server that answers reads alone
  bool provisional = false;      ///< its session began at a read-only server, and is of no use elsewhere
  std::optional<ServerId> asked_other;      ///< while its server is read-only: the one that it asks
  bool other_writes = false;                ///< that server has answered that it writes
  Millis ask_after = 0;                     ///< the time before it asks the next one
  std::optional<recipes::Program> program;  ///< what it runs
  /// Distinguishes the program's writes from those before whose outcome is not known: counts these, up to 3.
  std::int32_t unknown_writes = 0;
  ServerId used = no_server;  ///< the resource that its program uses
  bool resource_linked = false;
  std::vector<std::int64_t> uses = {};             ///< of the resource, not answered yet: the numbers
  std::optional<recipes::Resource> resource = {};  ///< it is one
  bool operator==(const Client&) const = default;
};
BOOST_DESCRIBE_STRUCT(Client, (),
                      (state, server, servers, renews, linked, accepted_by, overdue, session, password,
                       attempts, asked_timeout, timeout, last_seen, credentials, waiting, watches, absent,
                       read_only, provisional, asked_other, other_writes, ask_after, program, unknown_writes,
                       used, resource_linked, uses, resource))

/// A server's process, or, where `client` is set, a client's.
struct ZooKeeper::Node : zab::BasicServer<ZooKeeper> {
  std::map<ServerId, Connection> connections;  ///< by client
  Watches watches;
  std::map<SessionId, Millis> touched;     ///< learner: heard from since the last ping, with their timeouts
  std::vector<PendingSync> pending_syncs;  ///< leader
  std::map<SessionId, Tracked> tracked;    ///< leader
  std::map<std::string, std::int64_t> expiring;  ///< leader: TTL nodes, by path: the keys of their timers
  bool container_check = false;                  ///< leader: it will look for containers
  std::map<SessionId, Millis> local_sessions;    ///< that no other server knows, with their timeouts
  bool read_only = false;                        ///< it looks for a leader and answers reads meanwhile

  std::optional<Client> client;

  bool operator==(const Node&) const = default;
  BOOST_DESCRIBE_CLASS(Node, (zab::BasicServer<ZooKeeper>),
                       (connections, watches, touched, pending_syncs, tracked, expiring, container_check,
                        local_sessions, read_only, client),
                       (), ())
};

}  // namespace zablab::zookeeper
