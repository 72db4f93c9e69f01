// The messages between servers: notifications on the election links, packets between a leader and its
// learners.
#pragma once

#include <boost/mp11.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/variant.h"
#include "protocol/zab/types.h"

namespace zablab::zab {

// ---- election

/// An election message: the sender's role and vote. The vote's round is the sender's own while it looks, and
/// the round in which it was elected once it does not.
struct Notification {
  static constexpr std::string_view name = "NOTIFICATION";
  Role state = Role::LOOKING;
  Vote vote;
  bool operator==(const Notification&) const = default;
};
BOOST_DESCRIBE_STRUCT(Notification, (), (state, vote))

/// Bytes that are not a message: too short, or of an unknown form.
struct Undecodable {
  static constexpr std::string_view name = "UNDECODABLE";
  std::string bytes;
  bool operator==(const Undecodable&) const = default;
};
BOOST_DESCRIBE_STRUCT(Undecodable, (), (bytes))

// ---- discovery

/// A follower's first packet: the last epoch that it promised.
struct FollowerInfo {
  static constexpr std::string_view name = "FOLLOWERINFO";
  std::int64_t accepted_epoch = 0;
  bool operator==(const FollowerInfo&) const = default;
};
BOOST_DESCRIBE_STRUCT(FollowerInfo, (), (accepted_epoch))

struct ObserverInfo {
  static constexpr std::string_view name = "OBSERVERINFO";
  std::int64_t accepted_epoch = 0;
  bool operator==(const ObserverInfo&) const = default;
};
BOOST_DESCRIBE_STRUCT(ObserverInfo, (), (accepted_epoch))

/// The epoch that the leader proposes.
struct LeaderInfo {
  static constexpr std::string_view name = "LEADERINFO";
  std::int64_t epoch = 0;
  bool operator==(const LeaderInfo&) const = default;
};
BOOST_DESCRIBE_STRUCT(LeaderInfo, (), (epoch))

/// A summary of the learner's history. Without a current epoch it is not a promise and does not count (-1 on
/// the wire).
struct AckEpoch {
  static constexpr std::string_view name = "ACKEPOCH";
  std::optional<std::int64_t> current_epoch;
  Zxid last;
  std::optional<Zxid> committed =
      std::nullopt;  ///< the end of what it knows to be committed, where followers report it
  bool operator==(const AckEpoch&) const = default;
};
BOOST_DESCRIBE_STRUCT(AckEpoch, (), (current_epoch, last, committed))

// ---- synchronization

struct Diff {
  static constexpr std::string_view name = "DIFF";
  Zxid to;
  bool operator==(const Diff&) const = default;
};
BOOST_DESCRIBE_STRUCT(Diff, (), (to))

struct Trunc {
  static constexpr std::string_view name = "TRUNC";
  Zxid to;
  bool operator==(const Trunc&) const = default;
};
BOOST_DESCRIBE_STRUCT(Trunc, (), (to))

template <class S>
struct BasicSnap {
  static constexpr std::string_view name = "SNAP";
  BasicSnapshot<S> snapshot;
  bool operator==(const BasicSnap&) const = default;
  BOOST_DESCRIBE_CLASS(BasicSnap, (), (snapshot), (), ())
};

/// Follows what the learner lacked of the leader's history; `zxid` is the new epoch's, with counter 0.
struct NewLeader {
  static constexpr std::string_view name = "NEWLEADER";
  Zxid zxid;
  bool operator==(const NewLeader&) const = default;
};
BOOST_DESCRIBE_STRUCT(NewLeader, (), (zxid))

/// The epoch is established: the learner is to serve.
struct UpToDate {
  static constexpr std::string_view name = "UPTODATE";
  bool operator==(const UpToDate&) const = default;
};
BOOST_DESCRIBE_STRUCT(UpToDate, (), ())

// ---- broadcast

template <class S>
struct BasicProposal {
  static constexpr std::string_view name = "PROPOSAL";
  BasicTxn<S> txn;
  bool operator==(const BasicProposal&) const = default;
  BOOST_DESCRIBE_CLASS(BasicProposal, (), (txn), (), ())
};
template <class S>
BasicProposal(BasicTxn<S>) -> BasicProposal<S>;

/// A proposal is durable at the sender; with counter 0, the answer to NEWLEADER.
struct Ack {
  static constexpr std::string_view name = "ACK";
  Zxid zxid;
  bool operator==(const Ack&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ack, (), (zxid))

struct Commit {
  static constexpr std::string_view name = "COMMIT";
  Zxid zxid;
  bool operator==(const Commit&) const = default;
};
BOOST_DESCRIBE_STRUCT(Commit, (), (zxid))

/// A committed transaction, for observers.
template <class S>
struct BasicInform {
  static constexpr std::string_view name = "INFORM";
  BasicTxn<S> txn;
  bool operator==(const BasicInform&) const = default;
  BOOST_DESCRIBE_CLASS(BasicInform, (), (txn), (), ())
};
template <class S>
BasicInform(BasicTxn<S>) -> BasicInform<S>;

/// A heartbeat, and its answer.
struct Ping {
  static constexpr std::string_view name = "PING";
  Zxid zxid;
  bool operator==(const Ping&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ping, (), (zxid))

/// Every message between servers that belongs to the broadcast; the service's messages follow.
template <class S>
using BasicMessage = boost::mp11::mp_append<
    variant<Notification, Undecodable, FollowerInfo, ObserverInfo, LeaderInfo, AckEpoch, Diff, Trunc,
            BasicSnap<S>, NewLeader, UpToDate, BasicProposal<S>, Ack, Commit, BasicInform<S>, Ping>,
    typename S::Messages>;

inline constexpr Link election_link = 0;
inline constexpr Link learner_link = 1;

}  // namespace zablab::zab
