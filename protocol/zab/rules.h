// The decisions that ZooKeeper, its releases and its descriptions make differently. There is one field for
// each decision and one enumerator for each answer; docs and sources are in variants.h. A node reads each
// rule in one place.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <span>
#include <string_view>

#include "protocol/rule_tables.h"

namespace zablab::zab {

enum class VoteOrder : std::uint8_t { epoch_zxid_id, zxid_id, id_regardless_of_epoch, smallest };
BOOST_DESCRIBE_ENUM(VoteOrder, epoch_zxid_id, zxid_id, id_regardless_of_epoch, smallest)

enum class HigherRound : std::uint8_t { initial_vote, current_vote, ignored };
BOOST_DESCRIBE_ENUM(HigherRound, initial_vote, current_vote, ignored)

enum class LowerRound : std::uint8_t { answered, silent, counted };
BOOST_DESCRIBE_ENUM(LowerRound, answered, silent, counted)

enum class BallotBox : std::uint8_t { last_vote, cleared_on_update, by_zxid, first_vote };
BOOST_DESCRIBE_ENUM(BallotBox, last_vote, cleared_on_update, by_zxid, first_vote)

enum class KeptVote : std::uint8_t { silent, answered, said_again };
BOOST_DESCRIBE_ENUM(KeptVote, silent, answered, said_again)

enum class Decision : std::uint8_t { finalize_wait, at_once };
BOOST_DESCRIBE_ENUM(Decision, finalize_wait, at_once)

enum class Majority : std::uint8_t { more_than_half, half };
BOOST_DESCRIBE_ENUM(Majority, more_than_half, half)

enum class Counted : std::uint8_t { voters, everybody };
BOOST_DESCRIBE_ENUM(Counted, voters, everybody)

enum class Electable : std::uint8_t { voters_with_weight, everybody };
BOOST_DESCRIBE_ENUM(Electable, voters_with_weight, everybody)

enum class Join : std::uint8_t { quorum_and_leader, quorum_alone, leader_alone, never };
BOOST_DESCRIBE_ENUM(Join, quorum_and_leader, quorum_alone, leader_alone, never)

enum class JoinCompares : std::uint8_t { leader_and_epoch, whole_vote };
BOOST_DESCRIBE_ENUM(JoinCompares, leader_and_epoch, whole_vote)

enum class Answering : std::uint8_t { settled_servers, nobody };
BOOST_DESCRIBE_ENUM(Answering, settled_servers, nobody)

enum class Silence : std::uint8_t { back_off, constant, never };
BOOST_DESCRIBE_ENUM(Silence, back_off, constant, never)

enum class ObserverPause : std::uint8_t { first, beside };
BOOST_DESCRIBE_ENUM(ObserverPause, first, beside)

enum class RoundStart : std::uint8_t { next, kept };
BOOST_DESCRIBE_ENUM(RoundStart, next, kept)

enum class RoundMemory : std::uint8_t { process, disk };
BOOST_DESCRIBE_ENUM(RoundMemory, process, disk)

enum class OwnVote : std::uint8_t { queued, at_once };
BOOST_DESCRIBE_ENUM(OwnVote, queued, at_once)

enum class Advertised : std::uint8_t { last_logged, last_snapshot };
BOOST_DESCRIBE_ENUM(Advertised, last_logged, last_snapshot)

enum class LostQuorum : std::uint8_t { step_down, keep_leading };
BOOST_DESCRIBE_ENUM(LostQuorum, step_down, keep_leading)

enum class LostLeader : std::uint8_t { look_again, keep_following };
BOOST_DESCRIBE_ENUM(LostLeader, look_again, keep_following)

enum class FollowerAhead : std::uint8_t { refused, accepted };
BOOST_DESCRIBE_ENUM(FollowerAhead, refused, accepted)

enum class LeaderBehind : std::uint8_t { left, followed };
BOOST_DESCRIBE_ENUM(LeaderBehind, left, followed)

enum class EqualEpoch : std::uint8_t { not_counted, counted };
BOOST_DESCRIBE_ENUM(EqualEpoch, not_counted, counted)

enum class EpochSaved : std::uint8_t { before_leaderinfo, after_leaderinfo };
BOOST_DESCRIBE_ENUM(EpochSaved, before_leaderinfo, after_leaderinfo)

enum class EpochQuorum : std::uint8_t { promises, connections };
BOOST_DESCRIBE_ENUM(EpochQuorum, promises, connections)

enum class SyncTable : std::uint8_t { by_history, across_epochs, range_only, after_committed };
BOOST_DESCRIBE_ENUM(SyncTable, by_history, across_epochs, range_only, after_committed)

enum class LeaderTail : std::uint8_t { whole, possible_majority, heard_majority };
BOOST_DESCRIBE_ENUM(LeaderTail, whole, possible_majority, heard_majority)

enum class RejoinAcks : std::uint8_t { own_connection, forgotten, not_truncated, kept };
BOOST_DESCRIBE_ENUM(RejoinAcks, own_connection, forgotten, not_truncated, kept)

enum class NewLeaderOrder : std::uint8_t {
  committed_epoch_ack,
  history_epoch_ack,
  epoch_committed_ack,
  epoch_history_ack,
  epoch_ack_queue,
  epoch_queue_ack,
  queue_epoch_ack,
  epoch_ack_history,
  ack_history_epoch
};
BOOST_DESCRIBE_ENUM(NewLeaderOrder, committed_epoch_ack, history_epoch_ack, epoch_committed_ack,
                    epoch_history_ack, epoch_ack_queue, epoch_queue_ack, queue_epoch_ack, epoch_ack_history,
                    ack_history_epoch)

enum class NewLeaderQueued : std::uint8_t { after_snapshot, before_snapshot };
BOOST_DESCRIBE_ENUM(NewLeaderQueued, after_snapshot, before_snapshot)

enum class SyncCommit : std::uint8_t { remembered, dropped, needs_pending };
BOOST_DESCRIBE_ENUM(SyncCommit, remembered, dropped, needs_pending)

enum class Interrupted : std::uint8_t { reloaded, trunc_kept, snap_kept };
BOOST_DESCRIBE_ENUM(Interrupted, reloaded, trunc_kept, snap_kept)

enum class DiffHeader : std::uint8_t { announces, moves_zxid };
BOOST_DESCRIBE_ENUM(DiffHeader, announces, moves_zxid)

enum class SnapLog : std::uint8_t { removed, removed_after_snap, kept };
BOOST_DESCRIBE_ENUM(SnapLog, removed, removed_after_snap, kept)

enum class TruncSnapshot : std::uint8_t { older, kept, kept_needs_log, passed_over };
BOOST_DESCRIBE_ENUM(TruncSnapshot, older, kept, kept_needs_log, passed_over)

enum class SnapshotAtRoleEnd : std::uint8_t { awaited, aborted, goes_on };
BOOST_DESCRIBE_ENUM(SnapshotAtRoleEnd, awaited, aborted, goes_on)

enum class UnfinishedEpoch : std::uint8_t { finished, refused };
BOOST_DESCRIBE_ENUM(UnfinishedEpoch, finished, refused)

enum class Tail : std::uint8_t { fast_forwarded, forgotten, logged_later };
BOOST_DESCRIBE_ENUM(Tail, fast_forwarded, forgotten, logged_later)

enum class FailedWrite : std::uint8_t { ends_process, ends_role, leads_on };
BOOST_DESCRIBE_ENUM(FailedWrite, ends_process, ends_role, leads_on)

enum class AckWhen : std::uint8_t { durable, at_once };
BOOST_DESCRIBE_ENUM(AckWhen, durable, at_once)

enum class CommitWhen : std::uint8_t { quorum_in_order, quorum_any_order, first_ack };
BOOST_DESCRIBE_ENUM(CommitWhen, quorum_in_order, quorum_any_order, first_ack)

enum class ApplyWhen : std::uint8_t { commit, proposal };
BOOST_DESCRIBE_ENUM(ApplyWhen, commit, proposal)

enum class CommittedLog : std::uint8_t { all_applied, without_synced };
BOOST_DESCRIBE_ENUM(CommittedLog, all_applied, without_synced)

enum class Activation : std::uint8_t { newleader_quorum, epoch_quorum };
BOOST_DESCRIBE_ENUM(Activation, newleader_quorum, epoch_quorum)

enum class ServeAfter : std::uint8_t { own_ack, quorum };
BOOST_DESCRIBE_ENUM(ServeAfter, own_ack, quorum)

enum class LeaderLog : std::uint8_t { beside, first };
BOOST_DESCRIBE_ENUM(LeaderLog, beside, first)

enum class Rollover : std::uint8_t { step_down, carries };
BOOST_DESCRIBE_ENUM(Rollover, step_down, carries)

enum class Registration : std::uint8_t { without_gap, misses_outstanding };
BOOST_DESCRIBE_ENUM(Registration, without_gap, misses_outstanding)

enum class NewEpoch : std::uint8_t { larger, same };
BOOST_DESCRIBE_ENUM(NewEpoch, larger, same)

/// The rules that the servers of a run obey; a family adds those of its service. The defaults are
/// ZooKeeper's.
struct BroadcastRules {
  VoteOrder vote_order{};
  HigherRound higher_round{};
  LowerRound lower_round{};
  BallotBox ballot_box{};
  KeptVote kept_vote{};
  Decision decision{};
  Majority majority{};
  Counted counted{};
  Electable electable{};
  Join join{};
  JoinCompares join_compares{};
  Answering answer{};
  Silence silence{};
  ObserverPause observer_pause{};
  RoundStart round_start{};
  RoundMemory round_memory{};
  OwnVote own_vote{};
  Advertised advertised{};
  LostQuorum lost_quorum{};
  LostLeader lost_leader{};
  FollowerAhead follower_ahead{};
  LeaderBehind leader_behind{};
  EqualEpoch equal_epoch{};
  EpochSaved epoch_saved{};
  EpochQuorum epoch_quorum{};
  SyncTable sync_table{};
  LeaderTail leader_tail{};
  RejoinAcks rejoin_acks{};
  NewLeaderQueued newleader_queued{};
  NewLeaderOrder newleader_order{};
  SyncCommit sync_commit{};
  Interrupted interrupted_sync{};
  DiffHeader diff_header{};
  SnapLog snap_log{};
  TruncSnapshot trunc_snapshot{};
  SnapshotAtRoleEnd snapshot_at_role_end{};
  UnfinishedEpoch unfinished_epoch{};
  Tail tail{};
  FailedWrite failed_write{};
  AckWhen ack_when{};
  LeaderLog leader_log{};
  CommitWhen commit_when{};
  ApplyWhen apply_when{};
  CommittedLog committed_log{};
  Activation activation{};
  ServeAfter serve_after{};
  Rollover rollover{};
  Registration registration{};
  NewEpoch new_epoch{};
  bool operator==(const BroadcastRules&) const = default;
};
BOOST_DESCRIBE_STRUCT(BroadcastRules, (),
                      (vote_order, higher_round, lower_round, ballot_box, kept_vote, decision, majority,
                       counted, electable, join, join_compares, answer, silence, observer_pause, round_start,
                       round_memory, own_vote, advertised, lost_quorum, lost_leader, follower_ahead,
                       leader_behind, equal_epoch, epoch_saved, epoch_quorum, sync_table, leader_tail,
                       rejoin_acks, newleader_queued, newleader_order, sync_commit, interrupted_sync,
                       diff_header, snap_log, trunc_snapshot, snapshot_at_role_end, unfinished_epoch, tail,
                       failed_write, ack_when, leader_log, commit_when, apply_when, committed_log, activation,
                       serve_after, rollover, registration, new_epoch))

}  // namespace zablab::zab
