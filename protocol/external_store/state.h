// The state of nodes. None of them holds a time.
#pragma once

#include <boost/describe.hpp>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "protocol/external_store/events.h"
#include "protocol/external_store/messages.h"

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
  bool sent = false;  ///< to the resource
  bool operator==(const Work&) const = default;
};
BOOST_DESCRIBE_STRUCT(Work, (), (client, number, sent))

struct Candidate {
  Role role{};
  std::int64_t lease = 0;             ///< 0: none
  MarkKey answered{};                 ///< of the two marks, that of the last answered request
  std::optional<ElectedWhy> elected;  ///< it is, if it can still count on its lease
  bool doubtful = false;              ///< its deadline is over: the lease may have ended
  std::int64_t token = 0;             ///< the revision at which its own key was created
  std::optional<ServerId> holder;
  std::optional<Key> watched;
  std::int64_t seen = 0;   ///< the last revision of which it knows
  bool had_lease = false;  ///< and lost it, where this matters
  // ---- the connection to the store
  bool connected = false;
  bool renewing = false;  ///< a renewal is not answered
  std::vector<Asking> asking;
  // ---- as a leader
  bool at_resource = false;
  std::vector<Work> works;
  // ---- members
  std::set<ServerId> members;
  std::int64_t members_seen = 0;
  bool operator==(const Candidate&) const = default;
};
BOOST_DESCRIBE_STRUCT(Candidate, (),
                      (role, lease, answered, elected, doubtful, token, holder, watched, seen, had_lease,
                       connected, renewing, asking, at_resource, works, members, members_seen))

struct StoreNode {
  StoreState state;
  std::map<ServerId, std::vector<Watch>> watches;  ///< by who watches
  bool operator==(const StoreNode&) const = default;
};
BOOST_DESCRIBE_STRUCT(StoreNode, (), (state, watches))

/// A client: one request at a time.
struct Client {
  std::optional<Request> request;
  bool at_store = false;  ///< there is a connection
  bool looking = false;   ///< it has asked the store who leads
  std::optional<ServerId> leader;
  bool connected = false;  ///< to the leader
  bool sent = false;       ///< the request may have been read
  bool operator==(const Client&) const = default;
};
BOOST_DESCRIBE_STRUCT(Client, (), (request, at_store, looking, leader, connected, sent))

struct Node {
  ServerId self = 0;
  std::optional<Candidate> candidate;
  std::optional<StoreNode> store;
  std::optional<Resource> resource;
  std::optional<Client> client;
  bool operator==(const Node&) const = default;
};
BOOST_DESCRIBE_STRUCT(Node, (), (self, candidate, store, resource, client))

}  // namespace zablab::external_store
