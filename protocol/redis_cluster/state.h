// The state of nodes and the content of disks.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "protocol/redis_cluster/messages.h"
#include "protocol/redis_cluster/types.h"
#include "protocol/variant.h"

namespace zablab::redis_cluster {

/// What nodes.conf says about one node.
struct Known {
  ServerId master = no_server;  ///< a replica's
  std::int64_t config_epoch = 0;
  bool operator==(const Known&) const = default;
};
BOOST_DESCRIBE_STRUCT(Known, (), (master, config_epoch))

/// The content of nodes.conf.
struct NodesConf {
  std::int64_t current_epoch = 0;
  std::int64_t last_vote_epoch = 0;
  std::map<ServerId, Known> nodes;
  std::map<Slot, ServerId> slots;
  bool operator==(const NodesConf&) const = default;
};
BOOST_DESCRIBE_STRUCT(NodesConf, (), (current_epoch, last_vote_epoch, nodes, slots))

/// `nodes` is empty on a disk that no node has written yet: the cluster is then as it was created.
struct Durable {
  NodesConf conf;
  History history;
  bool operator==(const Durable&) const = default;
};
BOOST_DESCRIBE_STRUCT(Durable, (), (conf, history))

/// nodes.conf is rewritten as a whole.
struct SaveConf {
  static constexpr std::string_view name = "nodes_conf";
  NodesConf conf;
  bool operator==(const SaveConf&) const = default;
};
BOOST_DESCRIBE_STRUCT(SaveConf, (), (conf))

struct AppendEntry {
  static constexpr std::string_view name = "append";
  Entry entry;
  bool operator==(const AppendEntry&) const = default;
};
BOOST_DESCRIBE_STRUCT(AppendEntry, (), (entry))

/// What a replica has received in a full resynchronization replaces what it had.
struct SaveHistory {
  static constexpr std::string_view name = "history";
  History history;
  bool operator==(const SaveHistory&) const = default;
};
BOOST_DESCRIBE_STRUCT(SaveHistory, (), (history))

using Record = variant<SaveConf, AppendEntry, SaveHistory>;

enum class TimerKind : std::uint8_t {
  ping,            ///< the next PING to that node
  silent,          ///< that node has not answered for node_timeout
  report_expires,  ///< that master has not reported anything for twice node_timeout
  fail_undo,       ///< that master may be taken for working again if it answers
  vote_gap,        ///< a replica of that master may get another vote
  election,        ///< the delay before a replica asks for votes
  auth_timeout,    ///< votes that come later do not count
  auth_retry,      ///< the next attempt
  rejoin,          ///< a master serves again
  relink,          ///< a replica dials its master
  repl_ping,       ///< a master's sign of life to its replicas
  manual_end,      ///< a manual failover has reached its time limit
  acknowledged,    ///< a packet to the master, so that the next ones follow
  give_up,         ///< a client's request has reached its time limit
};
BOOST_DESCRIBE_ENUM(TimerKind, ping, silent, report_expires, fail_undo, vote_gap, election, auth_timeout,
                    auth_retry, rejoin, relink, repl_ping, manual_end, acknowledged, give_up)

/// The instants that a node marks.
enum class MarkKey : std::uint8_t {
  data,  ///< the last byte from the master, or the end of the connection
};
BOOST_DESCRIBE_ENUM(MarkKey, data)

/// What a node remembers of another one only while it runs.
struct Seen {
  bool awaited = false;  ///< a PING is not answered yet
  bool pfail = false;
  bool fail = false;
  bool fail_fresh = false;  ///< it was flagged less than twice node_timeout ago
  std::int64_t offset = 0;  ///< from its last packet
  bool operator==(const Seen&) const = default;
};
BOOST_DESCRIBE_STRUCT(Seen, (), (awaited, pfail, fail, fail_fresh, offset))

enum class Stage : std::uint8_t {
  none,
  noticed,     ///< its master has failed; it looks after the next tick
  checking,    ///< it asks for the age of its data, to schedule an election
  waiting,     ///< for the delay
  rechecking,  ///< it asks for the age of its data, to ask for votes
  asked,       ///< it has asked for votes
  expired,     ///< it waits for the next attempt
};
BOOST_DESCRIBE_ENUM(Stage, none, noticed, checking, waiting, rechecking, asked, expired)

/// A replica's attempt to replace its master.
struct Attempt {
  Stage stage{};
  bool force = false;       ///< it was instructed: its master need not have failed
  bool too_old = false;     ///< it has reported that its data are too old
  std::int64_t rank = 0;    ///< the highest computed for this attempt
  std::int64_t waited = 0;  ///< ranks that were waited for
  std::int64_t epoch = 0;
  std::vector<ServerId> acks;  ///< voters, in order
  bool operator==(const Attempt&) const = default;
};
BOOST_DESCRIBE_STRUCT(Attempt, (), (stage, force, too_old, rank, waited, epoch, acks))

/// A replica that was instructed to replace its master (CLUSTER FAILOVER).
struct Manual {
  std::optional<std::int64_t> offset;  ///< the master's, since it has executed no more writes
  bool started = false;                ///< it has all that the master has
  bool operator==(const Manual&) const = default;
};
BOOST_DESCRIBE_STRUCT(Manual, (), (offset, started))

/// A write that a master executes after a manual failover, or not.
struct Postponed {
  ServerId client = no_server;
  Entry entry;
  std::int64_t number = 0;
  bool operator==(const Postponed&) const = default;
};
BOOST_DESCRIBE_STRUCT(Postponed, (), (client, entry, number))

/// A client's request in progress.
struct Pending {
  Request request;
  ServerId asked = no_server;
  std::int64_t redirections = 0;
  bool operator==(const Pending&) const = default;
};
BOOST_DESCRIBE_STRUCT(Pending, (), (request, asked, redirections))

struct Node {
  ServerId self = 0;
  // ---- what nodes.conf contains
  NodesConf conf;
  // ---- the other nodes
  std::map<ServerId, Seen> seen;
  std::map<ServerId, std::vector<ServerId>> reports;  ///< by master: the nodes that it reports as failing
  std::vector<ServerId> voted;                        ///< masters for whose replicas it voted recently
  // ---- a replica
  Attempt attempt;
  bool linked = false;  ///< the connection to the master is up
  bool synced = false;  ///< it has been since the process started, or since the node was a master itself
  std::optional<Manual> manual;
  ServerId delayed = no_server;   ///< the master, which has not acknowledged the answer to its PING
  std::vector<Message> withheld;  ///< what is sent to it meanwhile, in order
  // ---- a master
  std::vector<ServerId> fed;  ///< the replicas that are sent its writes
  bool serves = false;
  bool minority = false;  ///< it did not reach a majority of the masters
  bool starting = false;
  ServerId manual_replica = no_server;  ///< for which it executes no writes
  std::vector<Postponed> postponed;     ///< meanwhile, in order
  // ---- both
  History history;
  // ---- a client
  std::map<Slot, ServerId> believed;  ///< the owner of each slot
  std::optional<Pending> pending;
  bool operator==(const Node&) const = default;
};
BOOST_DESCRIBE_STRUCT(Node, (),
                      (self, conf, seen, reports, voted, attempt, linked, synced, manual, delayed, withheld,
                       fed, serves, minority, starting, manual_replica, postponed, history, believed,
                       pending))

}  // namespace zablab::redis_cluster
