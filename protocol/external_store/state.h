// The state of nodes. None of them holds a time.
#pragma once

#include <boost/describe.hpp>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "protocol/external_store/events.h"
#include "protocol/external_store/messages.h"
#include "protocol/variant.h"

namespace zablab::external_store {

/// What a candidate has asked the store for; answers come in order.
enum class Asking : std::uint8_t {
  key,      ///< to create its key
  look,     ///< who holds the key, to put its own if nobody does
  line,     ///< who is in the queue
  release,  ///< to delete its key
  join,     ///< to register as a member
  members,  ///< who the members are
};
BOOST_DESCRIBE_ENUM(Asking, key, look, line, release, join, members)

/// A client's request that a leader is working on.
struct Work {
  ServerId client = no_server;
  std::int64_t number = 0;
  std::int64_t token = 0;  ///< that of the leader when it began
  bool sent = false;       ///< to the resource
  bool operator==(const Work&) const = default;
};
BOOST_DESCRIBE_STRUCT(Work, (), (client, number, token, sent))

/// A leader that has resigned, until the store has answered that its key is gone.
struct Resigning {
  std::int64_t token = 0;
  std::vector<Work> clients;  ///< whom to tell
  bool operator==(const Resigning&) const = default;
};
BOOST_DESCRIBE_STRUCT(Resigning, (), (token, clients))

struct Candidate {
  Role role{};
  std::int64_t lease = 0;             ///< 0: none
  Millis ttl_ms = 0;                  ///< for which it is granted
  MarkKey answered{};                 ///< of the two marks, that of the last answered request
  std::optional<ElectedWhy> elected;  ///< it is, if it can still count on its lease
  bool doubtful = false;              ///< its deadline is over: the lease may have ended
  std::int64_t token = 0;             ///< the revision at which its own key was created
  std::optional<ServerId> holder;
  std::optional<Key> watched;
  std::int64_t seen = 0;   ///< the last revision of which it knows
  bool had_lease = false;  ///< and lost it, where this matters
  // ---- the connection to the store
  std::int64_t turn = 0;  ///< which of its servers it turns to
  bool connected = false;
  bool renewing = false;  ///< a renewal is not answered
  std::vector<Asking> asking;
  // ---- as a leader
  bool at_resource = false;
  std::vector<Work> works;
  std::optional<Resigning> resigning;
  // ---- members
  std::set<ServerId> members;
  std::int64_t members_seen = 0;
  bool operator==(const Candidate&) const = default;
};
BOOST_DESCRIBE_STRUCT(Candidate, (),
                      (role, lease, ttl_ms, answered, elected, doubtful, token, holder, watched, seen,
                       had_lease, turn, connected, renewing, asking, at_resource, works, resigning, members,
                       members_seen))

/// A renewal of a lease that is over, which is answered when the lease has ended.
struct LateRenewal {
  ServerId from = no_server;
  std::int64_t lease = 0;
  bool operator==(const LateRenewal&) const = default;
};
BOOST_DESCRIBE_STRUCT(LateRenewal, (), (from, lease))

struct StoreNode {
  StoreState state;
  std::map<ServerId, std::vector<Watch>> watches;  ///< by who watches
  std::set<std::int64_t> over;                     ///< leases that the next check ends
  std::vector<LateRenewal> late;                   ///< of a store that is one process
  bool operator==(const StoreNode&) const = default;
};
BOOST_DESCRIBE_STRUCT(StoreNode, (), (state, watches, over, late))

/// A request that a server of a replicated store works on.
struct Pending {
  /// Unique among all requests of this server, also after a restart.
  std::int64_t number = 0;
  ServerId from = no_server;  ///< whom to answer; nobody: it is gone, or the time of a lease is over
  variant<Transact, Grant, EndLease, KeepAlive> what;
  /// A renewal that another server has forwarded: its number there.
  std::optional<std::int64_t> forwarded_as;
  std::optional<ServerId> forwarded_to;  ///< a renewal: the leader that was asked
  /// Known to be confirmed: what has to be applied before it is answered.
  std::optional<leader_followers::Index> index;
  std::optional<Message> answer;  ///< which waits for the answers to its earlier requests
  bool operator==(const Pending&) const = default;
};
BOOST_DESCRIBE_STRUCT(Pending, (), (number, from, what, forwarded_as, forwarded_to, index, answer))

/// A server of a replicated store. What its log has led to is in StoreNode.
struct Replica {
  leader_followers::BasicServer<StoreLog> server;
  std::int64_t starts = 0;
  std::int64_t requests = 0;  ///< since the start
  std::vector<Pending> pending;
  std::set<std::int64_t> ending;  ///< a leader: leases whose end it has proposed
  bool operator==(const Replica&) const = default;
};
BOOST_DESCRIBE_STRUCT(Replica, (), (server, starts, requests, pending, ending))

/// A client: one request at a time, and one read.
struct Client {
  std::optional<Request> request;
  std::optional<Request> read;
  std::int64_t turn = 0;  ///< which of the store's servers it turns to
  bool at_store = false;  ///< there is a connection
  bool looking = false;   ///< it has asked the store who leads
  bool reading = false;   ///< when it asked, there was the read
  std::optional<ServerId> leader;
  bool connected = false;  ///< to the leader
  bool sent = false;       ///< the request may have been read
  bool operator==(const Client&) const = default;
};
BOOST_DESCRIBE_STRUCT(Client, (), (request, read, turn, at_store, looking, reading, leader, connected, sent))

struct Node {
  ServerId self = 0;
  std::optional<Candidate> candidate;
  std::optional<StoreNode> store;
  std::optional<Replica> replica;  ///< of a store that consists of several servers, besides `store`
  std::optional<Resource> resource;
  std::optional<Client> client;
  bool operator==(const Node&) const = default;
};
BOOST_DESCRIBE_STRUCT(Node, (), (self, candidate, store, replica, resource, client))

}  // namespace zablab::external_store
