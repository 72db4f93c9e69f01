// What servers and clients send each other: notifications on the election links, packets between a leader and
// its learners, requests and answers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

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

/// Bytes that are no message: too short, or of an unknown form.
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

/// The learner's history in short. Without a current epoch it is no promise and does not count (-1 on the
/// wire).
struct AckEpoch {
  static constexpr std::string_view name = "ACKEPOCH";
  std::optional<std::int64_t> current_epoch;
  Zxid last;
  std::optional<Zxid> committed =
      std::nullopt;  ///< the end of what it knows to be committed, where followers tell
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

struct Snap {
  static constexpr std::string_view name = "SNAP";
  Snapshot snapshot;
  bool operator==(const Snap&) const = default;
};
BOOST_DESCRIBE_STRUCT(Snap, (), (snapshot))

/// The end of what the leader's history has more; `zxid` is the new epoch's, counter 0.
struct NewLeader {
  static constexpr std::string_view name = "NEWLEADER";
  Zxid zxid;
  bool operator==(const NewLeader&) const = default;
};
BOOST_DESCRIBE_STRUCT(NewLeader, (), (zxid))

/// The epoch is established: serve.
struct UpToDate {
  static constexpr std::string_view name = "UPTODATE";
  bool operator==(const UpToDate&) const = default;
};
BOOST_DESCRIBE_STRUCT(UpToDate, (), ())

// ---- broadcast

struct Proposal {
  static constexpr std::string_view name = "PROPOSAL";
  Txn txn;
  bool operator==(const Proposal&) const = default;
};
BOOST_DESCRIBE_STRUCT(Proposal, (), (txn))

/// A proposal is durable here; with counter 0, the answer to NEWLEADER.
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
struct Inform {
  static constexpr std::string_view name = "INFORM";
  Txn txn;
  bool operator==(const Inform&) const = default;
};
BOOST_DESCRIBE_STRUCT(Inform, (), (txn))

/// A heartbeat, and its answer.
struct Ping {
  static constexpr std::string_view name = "PING";
  Zxid zxid;
  bool operator==(const Ping&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ping, (), (zxid))

// ---- requests

/// A client's request, forwarded to the leader by the server that the client is connected to.
struct Forwarded {
  static constexpr std::string_view name = "REQUEST";
  Operation operation{};
  std::int64_t value = 0;
  ServerId client = no_server;
  std::int64_t number = 0;
  bool operator==(const Forwarded&) const = default;
};
BOOST_DESCRIBE_STRUCT(Forwarded, (), (operation, value, client, number))

/// Everything that was proposed when the client asked to sync has been committed.
struct SyncDone {
  static constexpr std::string_view name = "SYNC";
  ServerId client = no_server;
  std::int64_t number = 0;
  bool operator==(const SyncDone&) const = default;
};
BOOST_DESCRIBE_STRUCT(SyncDone, (), (client, number))

/// A client's first message: what it has seen so far.
struct ClientHello {
  static constexpr std::string_view name = "CONNECT";
  Zxid last_seen;
  bool operator==(const ClientHello&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClientHello, (), (last_seen))

struct ClientRequest {
  static constexpr std::string_view name = "ASK";
  Operation operation{};
  std::int64_t value = 0;
  std::int64_t number = 0;
  bool operator==(const ClientRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClientRequest, (), (operation, value, number))

/// `zxid` is the write's own, or what the server had applied when it answered; `value` a read's answer.
struct Answer {
  static constexpr std::string_view name = "ANSWER";
  Operation operation{};
  std::int64_t number = 0;
  Zxid zxid;
  std::optional<std::int64_t> value;
  bool operator==(const Answer&) const = default;
};
BOOST_DESCRIBE_STRUCT(Answer, (), (operation, number, zxid, value))

using Message = std::variant<Notification, Undecodable, FollowerInfo, ObserverInfo, LeaderInfo, AckEpoch,
                             Diff, Trunc, Snap, NewLeader, UpToDate, Proposal, Ack, Commit, Inform, Ping,
                             Forwarded, SyncDone, ClientHello, ClientRequest, Answer>;

inline constexpr Link election_link = 0;
inline constexpr Link learner_link = 1;
inline constexpr Link client_link = 2;

}  // namespace zablab::zab
