// What a server's steps make observable. Every decision carries its reason. Monitors, pictures and narratives
// read these; none of them looks into a node.
#pragma once

#include <boost/mp11.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "protocol/variant.h"
#include "protocol/zab/types.h"

namespace zablab::zab {

/// How one vote compares with another, and by which key.
enum class Comparison : std::uint8_t {
  higher_epoch,
  higher_zxid,
  higher_id,
  equal,
  lower_epoch,
  lower_zxid,
  lower_id,
  no_weight
};
BOOST_DESCRIBE_ENUM(Comparison, higher_epoch, higher_zxid, higher_id, equal, lower_epoch, lower_zxid,
                    lower_id, no_weight)

enum class RoleReason : std::uint8_t {
  started,
  decided,
  leader_gone,
  leader_silent,
  leader_unreachable,
  quorum_lost,
  quorum_never_came,
  told,
  placed,
  no_promises,
  epoch_behind,
  no_newleader_quorum,
  counter_used_up,
  sync_failed,
  write_failed
};
BOOST_DESCRIBE_ENUM(RoleReason, started, decided, leader_gone, leader_silent, leader_unreachable, quorum_lost,
                    quorum_never_came, told, placed, no_promises, epoch_behind, no_newleader_quorum,
                    counter_used_up, sync_failed, write_failed)

enum class IgnoreReason : std::uint8_t {
  lower_round,
  higher_round,
  unknown_candidate,
  no_database,
  sender_observes,
  undecodable,
  not_looking,
  waiting_to_decide,
  not_yet_looking
};
BOOST_DESCRIBE_ENUM(IgnoreReason, lower_round, higher_round, unknown_candidate, no_database, sender_observes,
                    undecodable, not_looking, waiting_to_decide, not_yet_looking)

enum class DecidedBy : std::uint8_t { finalize_wait, at_once, join_same_round, join_established, told };
BOOST_DESCRIBE_ENUM(DecidedBy, finalize_wait, at_once, join_same_round, join_established, told)

/// The server entered a role.
struct RoleChanged {
  static constexpr std::string_view name = "role";
  Role from{};
  Role to{};
  Phase phase{};
  std::optional<ServerId> leader;
  RoleReason reason{};
  bool operator==(const RoleChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(RoleChanged, (), (from, to, phase, leader, reason))

/// The server reached a phase of its role.
struct PhaseChanged {
  static constexpr std::string_view name = "phase";
  Role role{};
  Phase phase{};
  bool operator==(const PhaseChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(PhaseChanged, (), (role, phase))

/// A call of lookForLeader began.
struct Looking {
  static constexpr std::string_view name = "looking";
  std::int64_t round = 0;
  Vote vote;
  bool operator==(const Looking&) const = default;
};
BOOST_DESCRIBE_STRUCT(Looking, (), (round, vote))

struct VoteChanged {
  static constexpr std::string_view name = "vote";
  Vote vote;
  Vote instead_of;
  ServerId from = no_server;  ///< whose notification changed it
  Comparison reason{};
  bool operator==(const VoteChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(VoteChanged, (), (vote, instead_of, from, reason))

struct VoteKept {
  static constexpr std::string_view name = "kept";
  Vote vote;
  Vote against;
  ServerId from = no_server;
  Comparison reason{};
  bool operator==(const VoteKept&) const = default;
};
BOOST_DESCRIBE_STRUCT(VoteKept, (), (vote, against, from, reason))

/// A higher round was received and adopted; the ballot box was emptied.
struct RoundRaised {
  static constexpr std::string_view name = "round";
  std::int64_t from = 0;
  std::int64_t to = 0;
  ServerId because_of = no_server;
  bool operator==(const RoundRaised&) const = default;
};
BOOST_DESCRIBE_STRUCT(RoundRaised, (), (from, to, because_of))

/// A notification that had no effect on the vote.
struct Ignored {
  static constexpr std::string_view name = "ignored";
  ServerId from = no_server;
  IgnoreReason reason{};
  bool operator==(const Ignored&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ignored, (), (from, reason))

struct BoxEntry {
  ServerId voter = no_server;
  Ballot ballot;
  bool counted = false;  ///< it agrees with the candidate
  bool operator==(const BoxEntry&) const = default;
};
BOOST_DESCRIBE_STRUCT(BoxEntry, (), (voter, ballot, counted))

/// A ballot box changed: that of the present round, or that of the servers that already lead or follow.
struct BoxChanged {
  static constexpr std::string_view name = "box";
  bool established = false;
  ServerId candidate = no_server;
  std::vector<BoxEntry> entries;
  bool quorum = false;
  bool operator==(const BoxChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(BoxChanged, (), (established, candidate, entries, quorum))

/// The counted votes are a quorum; `vote` is final if no better vote arrives within the finalize wait.
struct QuorumCounted {
  static constexpr std::string_view name = "quorum";
  Vote vote;
  std::vector<ServerId> counted;
  std::int64_t needed = 0;
  bool operator==(const QuorumCounted&) const = default;
};
BOOST_DESCRIBE_STRUCT(QuorumCounted, (), (vote, counted, needed))

/// A better vote arrived during the finalize wait: the election continues.
struct Reopened {
  static constexpr std::string_view name = "reopened";
  ServerId from = no_server;
  bool operator==(const Reopened&) const = default;
};
BOOST_DESCRIBE_STRUCT(Reopened, (), (from))

struct Decided {
  static constexpr std::string_view name = "decided";
  Vote vote;
  DecidedBy by{};
  std::vector<ServerId> counted;
  bool operator==(const Decided&) const = default;
};
BOOST_DESCRIBE_STRUCT(Decided, (), (vote, by, counted))

/// No notification arrived in time: the server sends its vote again, or dials again if nothing it sent has
/// left yet.
struct Silent {
  static constexpr std::string_view name = "silence";
  bool redial = false;
  Millis next_wait_ms = 0;
  bool operator==(const Silent&) const = default;
};
BOOST_DESCRIBE_STRUCT(Silent, (), (redial, next_wait_ms))

/// A leader accepted a learner, or dropped it.
struct LearnerChanged {
  static constexpr std::string_view name = "learner";
  ServerId learner = no_server;
  bool present = false;
  std::vector<ServerId> learners;
  bool operator==(const LearnerChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(LearnerChanged, (), (learner, present, learners))

/// The server's history was replaced: read from its disk, or taken from a leader's snapshot.
enum class HistoryReason : std::uint8_t { started, truncated, snapshot, reloaded, placed };
BOOST_DESCRIBE_ENUM(HistoryReason, started, truncated, snapshot, reloaded, placed)

template <class S>
struct BasicHistoryLoaded {
  static constexpr std::string_view name = "history";
  HistoryReason reason{};
  Txns<S> history;
  bool operator==(const BasicHistoryLoaded&) const = default;
  BOOST_DESCRIBE_CLASS(BasicHistoryLoaded, (), (reason, history), (), ())
};
template <class S>
BasicHistoryLoaded(HistoryReason, Txns<S>) -> BasicHistoryLoaded<S>;

/// Why a transaction became part of the server's history.
enum class AppliedBecause : std::uint8_t { committed, synchronized, tail_of_log };
BOOST_DESCRIBE_ENUM(AppliedBecause, committed, synchronized, tail_of_log)

template <class S>
struct BasicApplied {
  static constexpr std::string_view name = "applied";
  BasicTxn<S> txn;
  AppliedBecause because{};
  bool operator==(const BasicApplied&) const = default;
  BOOST_DESCRIBE_CLASS(BasicApplied, (), (txn, because), (), ())
};
template <class S>
BasicApplied(BasicTxn<S>, AppliedBecause) -> BasicApplied<S>;

/// A prospective leader fixed its epoch: one more than the largest that a quorum had accepted.
struct EpochProposed {
  static constexpr std::string_view name = "epoch";
  std::int64_t epoch = 0;
  std::vector<ServerId> connecting;
  bool operator==(const EpochProposed&) const = default;
};
BOOST_DESCRIBE_STRUCT(EpochProposed, (), (epoch, connecting))

/// A quorum promised the epoch.
struct EpochPromised {
  static constexpr std::string_view name = "promised";
  std::int64_t epoch = 0;
  std::vector<ServerId> by;
  bool operator==(const EpochPromised&) const = default;
};
BOOST_DESCRIBE_STRUCT(EpochPromised, (), (epoch, by))

/// A leader refused a learner whose history is newer than its own.
struct LearnerAhead {
  static constexpr std::string_view name = "ahead";
  ServerId learner = no_server;
  std::int64_t epoch = 0;
  Zxid last;
  bool operator==(const LearnerAhead&) const = default;
};
BOOST_DESCRIBE_STRUCT(LearnerAhead, (), (learner, epoch, last))

/// Which row of the decision table (LearnerHandler.syncFollower) chose how a learner is synchronized.
enum class SyncReason : std::uint8_t {
  forced,
  equal,
  learner_ahead,
  within_committed_log,
  behind_from_disk,
  behind_without_log,
  other_epoch,
  gap_in_log,
  no_match,
  after_committed,
  outstanding
};
BOOST_DESCRIBE_ENUM(SyncReason, forced, equal, learner_ahead, within_committed_log, behind_from_disk,
                    behind_without_log, other_epoch, gap_in_log, no_match, after_committed, outstanding)

struct SyncChosen {
  static constexpr std::string_view name = "sync";
  ServerId learner = no_server;
  Zxid last;  ///< the learner's
  SyncMode mode{};
  Zxid to;
  std::int64_t proposals = 0;  ///< number of committed proposals that follow
  SyncReason reason{};
  bool operator==(const SyncChosen&) const = default;
};
BOOST_DESCRIBE_STRUCT(SyncChosen, (), (learner, last, mode, to, proposals, reason))

/// A new leader counted the servers that have a transaction not known to be committed, and keeps it or drops
/// it with everything after it.
struct TailJudged {
  static constexpr std::string_view name = "tail_judged";
  Zxid zxid;
  std::vector<ServerId> holders;  ///< among the servers it heard from, itself included
  std::vector<ServerId> unheard;  ///< voters that it did not hear from
  bool kept = false;
  bool operator==(const TailJudged&) const = default;
};
BOOST_DESCRIBE_STRUCT(TailJudged, (), (zxid, holders, unheard, kept))

/// A leader's epoch is active: a quorum acknowledged NEWLEADER. Its whole history is committed. `by` is empty
/// where a scenario begins with it.
struct Established {
  static constexpr std::string_view name = "established";
  std::int64_t epoch = 0;
  Zxid last;  ///< of the history
  std::vector<ServerId> by;
  bool operator==(const Established&) const = default;
};
BOOST_DESCRIBE_STRUCT(Established, (), (epoch, last, by))

/// A leader counted a quorum of acknowledgements.
struct Committed {
  static constexpr std::string_view name = "committed";
  Zxid zxid;
  std::vector<ServerId> acks;
  bool operator==(const Committed&) const = default;
};
BOOST_DESCRIBE_STRUCT(Committed, (), (zxid, acks))

/// Everything that the broadcast makes observable; the service's events follow.
template <class S>
using BasicEvent = boost::mp11::mp_append<
    variant<RoleChanged, PhaseChanged, Looking, VoteChanged, VoteKept, RoundRaised, Ignored, BoxChanged,
            QuorumCounted, Reopened, Decided, Silent, LearnerChanged, BasicHistoryLoaded<S>, BasicApplied<S>,
            EpochProposed, EpochPromised, LearnerAhead, SyncChosen, TailJudged, Established, Committed>,
    typename S::Events>;

}  // namespace zablab::zab
