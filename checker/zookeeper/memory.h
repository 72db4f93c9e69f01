// The memory of the monitors about clients, in addition to the broadcast's (checker/zab/memory.h): for each
// server or client, and for all together.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checker/zab/memory.h"
#include "checker/zookeeper/model.h"
#include "protocol/zookeeper/family.h"

namespace zablab {

namespace zookeeper {

/// A client's connection as its server has to see it.
struct ConnectionHere {
  SessionId session = no_session;
  std::vector<Id> identities;
  std::vector<Waiting> requests;  ///< not answered yet; `done`: the leader's part is, or it has none
  bool begins = false;            ///< the client asked for a new session and does not have it yet
  bool operator==(const ConnectionHere&) const = default;
};
BOOST_DESCRIBE_STRUCT(ConnectionHere, (), (session, identities, requests, begins))

/// An answer that follows from a transaction.
struct Owed {
  ServerId client = no_server;
  std::int64_t number = 0;
  Result result;
  bool operator==(const Owed&) const = default;
};
BOOST_DESCRIBE_STRUCT(Owed, (), (client, number, result))

/// A sync that a learner has forwarded to its leader.
struct ForwardedSync {
  ServerId learner = no_server;
  SessionId session = no_session;
  std::int64_t number = 0;
  Zxid after;  ///< what had been proposed by then
  bool operator==(const ForwardedSync&) const = default;
};
BOOST_DESCRIBE_STRUCT(ForwardedSync, (), (learner, session, number, after))

/// What a client watches.
struct WatchSet {
  bool child = false;  ///< of the list of children
  WatchMode mode{};
  Zxid since;             ///< what it has seen when it was set: later changes have to be reported
  bool absent = false;    ///< the node did not exist
  bool rejoined = false;  ///< registered again, on a connection on which nothing was answered yet
  /// The server may have used it up or replaced it, without a notification.
  bool doubtful = false;
  bool operator==(const WatchSet&) const = default;
};
BOOST_DESCRIBE_STRUCT(WatchSet, (), (child, mode, since, absent, rejoined, doubtful))

/// A client's part in a recipe.
struct Part {
  recipes::Recipe recipe{};
  std::string path;      ///< of the node that the recipe is about
  std::string node;      ///< the client's own; empty: none
  std::string watching;  ///< the node whose end it waits for
  Zxid seen;             ///< the newest zxid that it has been shown
  bool over = false;     ///< it learns in the present step that its session is over
  bool operator==(const Part&) const = default;
};
BOOST_DESCRIBE_STRUCT(Part, (), (recipe, path, node, watching, seen, over))

/// Of a client that believes that it holds something.
struct Believer {
  SessionId session = no_session;
  std::int32_t limit = 1;  ///< how many may hold it; 0: all that share it
  bool operator==(const Believer&) const = default;
};
BOOST_DESCRIBE_STRUCT(Believer, (), (session, limit))

/// Of a transaction of several sites.
struct Votes {
  std::map<ServerId, bool> sites;  ///< who has voted to commit, and who to abort
  std::optional<bool> outcome;     ///< that a client knows
  bool operator==(const Votes&) const = default;
};
BOOST_DESCRIBE_STRUCT(Votes, (), (sites, outcome))

}  // namespace zookeeper

namespace zab {

template <>
struct ServiceBook<zookeeper::Family> {
  /// For one server or client, from what happens at it alone.
  struct Own {
    std::optional<Zxid> seen;               ///< a client: the newest zxid it has been shown
    std::vector<zookeeper::Waiting> asked;  ///< a client: the requests it waits for, in order
    std::multimap<std::string, zookeeper::WatchSet> watches;  ///< a client, by path
    std::set<std::string> twice;  ///< a client: nodes whose deletion may be reported once more
    zookeeper::model::State state;  ///< what its history leads to
    Zxid at;                        ///< the end of this history
    /// Within a step: what the client has to be answered whose write was applied last.
    std::optional<zookeeper::Owed> owed;
    std::map<ServerId, zookeeper::ConnectionHere> clients;  ///< connected here
    std::set<zookeeper::SessionId> local;                   ///< sessions that have begun here and are local
    Zxid proposed;                                          ///< a leader: the newest, since it serves
    std::vector<zookeeper::ForwardedSync> forwarded;        ///< a leader
    std::optional<zookeeper::Part> part;                    ///< a client that runs a recipe
    std::int64_t served = -1;                               ///< a resource: the number that it served last
    bool operator==(const Own&) const = default;
    BOOST_DESCRIBE_CLASS(Own, (),
                         (seen, asked, watches, twice, state, at, owed, clients, local, proposed, forwarded,
                          part, served),
                         (), ())
  };
  struct Shared {
    std::map<std::int64_t, BasicPlaced<zookeeper::Family>> answered;  ///< the last write answered in an epoch
    std::map<zookeeper::SessionId, Zxid> upgraded;  ///< local sessions, created for all by this transaction
    bool has_recipes = false;                       ///< a client runs one, or has run one
    std::set<std::string> lines;                    ///< the parent nodes of the lines that clients stand in
    /// The clients that believe that they hold it, by path.
    std::map<std::string, std::map<ServerId, zookeeper::Believer>> believers;
    std::map<std::string, ServerId> notified;  ///< of a node of a line that is gone: who was, first
    std::set<std::string> protected_queues;    ///< their nodes
    /// Items: in which session each node of a path was taken last, by its czxid.
    std::map<std::string, std::map<Zxid, zookeeper::SessionId>> taken;
    std::map<std::string, zookeeper::Votes> transactions;
    std::set<std::string> names;  ///< that clients were given
    /// The events of a transaction that are about nodes which not everybody may read.
    std::map<Zxid, std::vector<zookeeper::NodeEvent>> guarded;
    bool operator==(const Shared&) const = default;
    BOOST_DESCRIBE_CLASS(Shared, (),
                         (answered, upgraded, has_recipes, lines, believers, notified, protected_queues,
                          taken, transactions, names, guarded),
                         (), ())
  };
  struct Facts {
    std::optional<zookeeper::Waiting> request;              ///< the request that was answered
    const zookeeper::ConnectionHere* connection = nullptr;  ///< on which it was
    std::optional<zookeeper::model::Demand> demanded;  ///< the transaction that an applied request should be
    bool applied = false;                        ///< a transaction was applied
    std::optional<zookeeper::model::Effects> effects;  ///< of it
    bool ends_local = false;                     ///< the request was to close a local session
    bool session_over = false;                   ///< a client has learned so in the step that ends
  };
  static constexpr std::uint64_t kinds =
      kindBits(Kind::delivered, Kind::sent, Kind::written, Kind::event, Kind::stopped, Kind::step_over);
  static std::optional<Showing> note(BasicLedger<zookeeper::Family>& ledger,
                                     const Happened<zookeeper::Family>& seen, Facts& facts);
  static void onRoleOver(Own& own);
  /// What is to be known of a server or client with which a search begins.
  static void place(Own& own, const zookeeper::Node& node);
  static std::vector<std::unique_ptr<Monitor<zookeeper::Family>>> monitors(
      BasicLedger<zookeeper::Family>& ledger);
  /// Those of the recipes that clients run.
  static void addRecipes(BasicLedger<zookeeper::Family>& ledger,
                         std::vector<std::unique_ptr<Monitor<zookeeper::Family>>>& monitors);
};

}  // namespace zab

namespace zookeeper {

using Entry = zab::BasicEntry<Family>;
using History = zab::BasicHistory<Family>;
using Placed = zab::BasicPlaced<Family>;
using Claim = zab::BasicClaim<Family>;
using Epoch = zab::BasicEpoch<Family>;
using Book = zab::ServiceBook<Family>;

}  // namespace zookeeper

}  // namespace zablab
