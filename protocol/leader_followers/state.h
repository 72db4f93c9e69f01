// The state of a server and of a client.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "protocol/leader_followers/messages.h"

namespace zablab::leader_followers {

/// How far a server that looks for a leader has got.
enum class Campaign : std::uint8_t {
  none,      ///< it waits for a request for its vote or for a message of a leader
  pre_vote,  ///< it asks whether it could win, in its old generation
  vote,      ///< it has begun a generation
};
BOOST_DESCRIBE_ENUM(Campaign, none, pre_vote, vote)

/// What a leader knows about a follower; about itself, only `match`: up to which its own log is durable.
struct Progress {
  Index match = 0;
  Index next = 1;                               ///< the first entry to send to it
  Index told = 0;                               ///< the commit index last sent to it
  bool waiting = false;                         ///< an Append on the present connection is not answered yet
  bool silent = false;                          ///< nothing was received from it for a check-quorum time
  std::optional<ReadMark> read = std::nullopt;  ///< the last mark sent to it
  bool operator==(const Progress&) const = default;
};
BOOST_DESCRIBE_STRUCT(Progress, (), (match, next, told, waiting, silent, read))

/// A client's request that a leader has accepted. `via`: the follower that forwarded it.
struct Accepted {
  ServerId client = no_server;
  std::int64_t number = 0;
  ServerId via = no_server;
  Index index = 0;  ///< for a put, its entry; for a read, what has to be applied; -1: not known yet
  std::set<ServerId> confirmed{};  ///< a read: servers that have since confirmed that the leader still leads
  bool operator==(const Accepted&) const = default;
};
BOOST_DESCRIBE_STRUCT(Accepted, (), (client, number, via, index, confirmed))

/// A client's request that a follower has forwarded.
struct HandedOn {
  ServerId client = no_server;
  std::int64_t number = 0;
  bool operator==(const HandedOn&) const = default;
};
BOOST_DESCRIBE_STRUCT(HandedOn, (), (client, number))

template <class S>
struct BasicServer {
  ServerId self = 0;
  Role role = Role::LOOKING_FOR_LEADER;
  std::optional<ServerId> leader;  ///< of the present generation, if it is known

  // As written to the disk, although it may not be durable yet.
  std::int64_t generation = 0;
  std::optional<ServerId> voted_for;  ///< in the present generation
  BasicLog<S> log;

  // State of the process.
  Index commit_index = 0;  ///< also the index up to which entries are applied
  Campaign campaign = Campaign::none;
  std::set<ServerId> granted;              ///< of the present campaign
  std::map<ServerId, Progress> followers;  ///< a leader: one for each member
  std::vector<Accepted> writes;            ///< a leader, in order of their entries
  std::vector<Accepted> reads;             ///< a leader, in order of arrival
  std::vector<HandedOn> handed_on;         ///< a follower
  bool operator==(const BasicServer&) const = default;
  BOOST_DESCRIBE_CLASS(BasicServer, (),
                       (self, role, leader, generation, voted_for, log, commit_index, campaign, granted,
                        followers, writes, reads, handed_on),
                       (), ())
};

}  // namespace zablab::leader_followers
