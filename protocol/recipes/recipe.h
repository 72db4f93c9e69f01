// What recipes and the client that runs them exchange. A recipe is a value and a pure function,
//
//     step(hands, recipe, input)
//
// over the interface of a session: it asks for operations and is answered, its watches fire, and its session
// is connected, lost or over. It knows neither servers nor a network.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/recipes/events.h"
#include "protocol/recipes/rules.h"
#include "protocol/variant.h"
#include "protocol/vocabulary.h"
#include "protocol/zookeeper/operation.h"

namespace zablab::recipes {

using zookeeper::Error, zookeeper::EventType, zookeeper::NodeEvent, zookeeper::Op, zookeeper::OpCode,
    zookeeper::Result;

/// Why a recipe asks. It has at most one request for each of these at a time.
enum class Purpose : std::uint8_t {
  base,         ///< is the parent node there?
  create_base,  ///< create it
  join,         ///< create the own node
  catch_up,     ///< what was asked before is then visible, or will never be
  list,         ///< the children
  observe,      ///< watch a node
  leave,        ///< delete the own node
  close,        ///< close the session
  announce,     ///< create the node that others wait for
};
inline constexpr std::int64_t purposes = 9;

// ---- inputs

/// The first input. `session`: of the client, which is connected; none: it is not.
struct Begin {
  SessionId session = no_session;
};
/// An instruction of the application.
enum class Act : std::uint8_t {
  leave,    ///< give its place up
  join,     ///< take a place again
  close,    ///< close its session, and end
  report,   ///< say whether it leads
  acquire,  ///< wait for the lock; or hold it once more
  release,  ///< the opposite
  use,      ///< use the resource, if it holds the lock
  enter,    ///< wait for the others, and enter the barrier
  put,      ///< put an item into the queue
  take,     ///< take one
  commit,   ///< vote for the transaction
  abort,    ///< vote against it
  push,     ///< write the configuration
  name,     ///< ask for a name
};
BOOST_DESCRIBE_ENUM(Act, leave, join, close, report, acquire, release, use, enter, put, take, commit, abort,
                    push, name)

/// What a program is given when it begins.
struct Settings {
  Recipe recipe{};
  std::string path;               ///< of the node that the recipe is about
  std::string prefix;             ///< of the names of a line's nodes; a shared lock has its own
  bool shared = false;            ///< of a shared lock or a discovery: as a reader
  std::int32_t limit = 1;         ///< a semaphore's leases, a configuration's parts; otherwise members
  ServerId resource = no_server;  ///< that a holder uses
  bool coordinator = false;       ///< of a transaction
  bool operator==(const Settings&) const = default;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (recipe, path, prefix, shared, limit, resource, coordinator))

struct Instructed {
  Act act{};
  std::string data{};  ///< of what it puts or pushes
};
/// CONNECTIONLOSS: whether the request was carried out is not known.
struct Answer {
  Purpose purpose{};
  Op op;
  Result result;
};
/// A watch fired.
struct Changed {
  NodeEvent event;
};
enum class SessionLink : std::uint8_t { connected, lost, over };
/// The session is connected to a server, or has lost its server, or is over.
struct SessionChanged {
  SessionLink link{};
  SessionId session = no_session;  ///< that is connected
};
struct TimerFired {};
using Input = variant<Begin, Instructed, Answer, Changed, SessionChanged, TimerFired>;

// ---- effects

struct Ask {
  Purpose purpose{};
  Op op;
};
struct SetTimer {
  Millis ms = 0;
};
struct CancelTimer {};
/// Uses the resource, with the number by which it recognizes who comes late.
struct Use {
  ServerId resource = no_server;
  std::int64_t token = 0;
};
using Event = variant<RecipeBegan, BeliefChanged, PlaceChanged, Reported, DepthChanged, NotHeld,
                      BarrierPassed, ItemPut, ItemTaken, SiteVoted, TransactionDecided, Configured,
                      ContainerChanged, MembersSeen, ProviderChosen, NameGiven, GaveUp>;
using Effect = variant<Ask, SetTimer, CancelTimer, Use, Event>;

/// What one step of a recipe works with.
struct Hands {
  const RecipeRules& rules;
  ServerId self;  ///< the client, which has one session after another
  std::vector<Effect>& out;

  /// The number in the name of a node by which others count the client; `session`: the one that it has.
  std::int64_t nodeNumber(SessionId session) const {
    return rules.node_name == NodeName::of_client ? self : session;
  }

  void ask(Purpose purpose, Op op) const { out.emplace_back(Ask{purpose, std::move(op)}); }
  void emit(Event event) const { out.emplace_back(std::move(event)); }
  void setTimer(Millis ms) const { out.emplace_back(SetTimer{ms}); }
  void cancelTimer() const { out.emplace_back(CancelTimer{}); }
  void use(ServerId resource, std::int64_t token) const { out.emplace_back(Use{resource, token}); }
};

inline Op operation(OpCode code, std::string path, bool watch = false) {
  return {{.code = code, .path = std::move(path)}, watch};
}

/// `flags`: CreateMode on the wire.
inline Op creation(std::string path, std::int32_t flags, std::string data = "") {
  Op op = operation(OpCode::create, std::move(path));
  op.data = std::move(data);
  op.flags = flags;
  op.acl = zookeeper::openAcl();
  return op;
}
inline constexpr std::int32_t ephemeral_mode = 1;
inline constexpr std::int32_t sequential_mode = 2;

/// A write that changes nothing: no node has this version. It is answered when everything is committed that
/// was proposed before it.
inline Op emptyWrite(std::string path) {
  Op op = operation(OpCode::setData, std::move(path));
  op.version = INT32_MAX;
  return op;
}

}  // namespace zablab::recipes
