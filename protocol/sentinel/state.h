// The state of a sentinel, of a Redis server and of a client. None of them holds a time: each `..._due`, and
// whatever else depends on how long ago something was, is set by a timer.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "protocol/sentinel/messages.h"

namespace zablab::sentinel {

/// What a sentinel knows about a Redis server or another sentinel.
struct Instance {
  bool connected = false;
  bool dialled = false;  ///< less than a second ago
  bool pinged = false;   ///< a PING is not answered
  bool ping_due = false;
  bool overdue = false;  ///< it is not answered for down_after_ms
  bool down = false;     ///< subjectively
  bool hello_due = false;

  // ---- a Redis server
  bool info_sent = false;  ///< INFO is not answered
  bool info_due = false;
  bool info_soon_due = false;
  bool info_valid = false;
  bool available = false;
  RedisRole role{};  ///< as it reports
  std::optional<ServerId> master;
  bool link_up = false;
  std::int64_t offset = 0;
  std::int64_t priority = 0;
  bool settled = false;   ///< it has reported this for long enough
  bool detached = false;  ///< it had been without its master for too long when the master went down
  Reconf reconf{};

  // ---- a sentinel
  bool ask_sent = false;  ///< a question is not answered
  bool ask_due = false;
  bool sees_down = false;
  Vote vote;
  bool operator==(const Instance&) const = default;
};
BOOST_DESCRIBE_STRUCT(Instance, (),
                      (connected, dialled, pinged, ping_due, overdue, down, hello_due, info_sent, info_due,
                       info_soon_due, info_valid, available, role, master, link_up, offset, priority, settled,
                       detached, reconf, ask_sent, ask_due, sees_down, vote))

struct Sentinel {
  // ---- as in the configuration file
  std::int64_t current_epoch = 0;
  std::int64_t config_epoch = 0;  ///< of the configuration that it follows
  ServerId master = no_server;
  std::set<ServerId> known;  ///< sentinels, itself included
  // ---- in memory
  Vote vote;  ///< its last; the epoch is in the file
  std::map<ServerId, Instance> instances;
  bool odown = false;
  FailoverState state{};
  std::int64_t failover_epoch = 0;
  std::set<ServerId> votes;  ///< for its attempt, in the attempt's epoch: who has given one
  std::optional<ServerId> promoted;
  bool waits = false;        ///< it may not start a failover yet
  bool waits_told = false;   ///< and has said so
  bool out_of_time = false;  ///< the present state of the failover, or its election, takes too long
  bool tilt = false;
  bool operator==(const Sentinel&) const = default;
};
BOOST_DESCRIBE_STRUCT(Sentinel, (),
                      (current_epoch, config_epoch, master, known, vote, instances, odown, state,
                       failover_epoch, votes, promoted, waits, waits_told, out_of_time, tilt))

struct Redis {
  ServerId master = no_server;  ///< itself, or the master that it copies
  bool link_up = false;         ///< a replica has the master's data
  Data data;
  std::set<ServerId> replicas;                ///< that copy this one
  std::set<ServerId> lagging;                 ///< of these, as of the last look
  std::map<ServerId, std::int64_t> reported;  ///< the second of a replica's last report
  std::int64_t second = 0;                    ///< of its clock, which it reads in whole seconds
  std::set<ServerId> subscribers;             ///< sentinels that are connected
  bool operator==(const Redis&) const = default;
};
BOOST_DESCRIBE_STRUCT(Redis, (), (master, link_up, data, replicas, lagging, reported, second, subscribers))

/// A client: one request at a time.
struct Client {
  std::optional<Request> request;
  bool sent = false;  ///< the request may have been read
  ServerId sentinel = no_server;
  bool asks = false;  ///< there is a connection to the sentinel
  std::optional<ServerId> master;
  bool connected = false;  ///< to the master
  bool operator==(const Client&) const = default;
};
BOOST_DESCRIBE_STRUCT(Client, (), (request, sent, sentinel, asks, master, connected))

struct Node {
  ServerId self = 0;
  std::optional<Sentinel> sentinel;
  std::optional<Redis> redis;
  std::optional<Client> client;
  bool operator==(const Node&) const = default;
};
BOOST_DESCRIBE_STRUCT(Node, (), (self, sentinel, redis, client))

}  // namespace zablab::sentinel
