// The values of the broadcast's rules, with their sources, and the named sets of such values.
#pragma once

#include <array>

#include "protocol/rule_tables.h"
#include "protocol/zab/rules.h"

namespace zablab::zab {

inline constexpr std::array broadcast_rule_values{
    RuleValue{"vote_order", "epoch_zxid_id",
              "the larger epoch wins, then the larger zxid, then the larger id",
              "FastLeaderElection, totalOrderPredicate"},
    RuleValue{"vote_order", "zxid_id", "votes carry no epoch: the larger zxid wins, then the larger id",
              "before currentEpoch was a file of its own"},
    RuleValue{"vote_order", "id_regardless_of_epoch",
              "at equal zxids the larger id wins regardless of the epochs",
              "a comparison whose last term omitted the epochs"},
    RuleValue{"higher_round", "initial_vote",
              "a higher round is adopted, and its vote is compared with the server's own initial vote",
              "FastLeaderElection, lookForLeader, case LOOKING"},
    RuleValue{"higher_round", "current_vote",
              "it is adopted, and its vote is compared with the server's current vote",
              "the documents' account of the logical clock"},
    RuleValue{"higher_round", "ignored", "votes of a higher round have no effect", "no source: for tests"},
    RuleValue{"lower_round", "answered",
              "the vote has no effect, and its sender is sent the server's own vote",
              "FastLeaderElection, WorkerReceiver"},
    RuleValue{"lower_round", "silent", "the vote has no effect",
              "the documents' account of the logical clock"},
    RuleValue{"lower_round", "counted", "the vote is compared and counted like one of the server's own round",
              "no source: for tests"},
    RuleValue{"ballot_box", "last_vote", "a server's newer vote replaces its older one",
              "FastLeaderElection, recvset"},
    RuleValue{"ballot_box", "cleared_on_update",
              "the same, and a change of the server's own vote empties the box first",
              "the documents' account of the start of an ensemble"},
    RuleValue{"ballot_box", "by_zxid",
              "a server's newer vote replaces its older one only if both name the same zxid",
              "the documents' account of comparing votes"},
    RuleValue{"ballot_box", "first_vote", "a server's first vote of the round is kept",
              "no source: for tests"},
    RuleValue{"kept_vote", "silent", "a vote that is no better than the server's own is not answered",
              "FastLeaderElection, lookForLeader"},
    RuleValue{"kept_vote", "answered",
              "a LOOKING server that sends a worse vote is sent the server's own vote",
              "a repair: docs/findings.md"},
    RuleValue{"kept_vote", "said_again",
              "a server that receives a worse vote sends its own vote to all again",
              "an overview's account of comparing votes"},
    RuleValue{"decision", "finalize_wait", "a quorum decides when no better vote arrived for 200 ms",
              "FastLeaderElection, finalizeWait"},
    RuleValue{"decision", "at_once", "a quorum decides at once", "the documents' account of counting votes"},
    RuleValue{"majority", "more_than_half", "a quorum is more than half of the weight",
              "QuorumMaj, QuorumHierarchical"},
    RuleValue{"majority", "half", "half is enough", "an error in an overview: half or more"},
    RuleValue{"counted", "voters", "observers' votes are answered and never counted",
              "FastLeaderElection, WorkerReceiver"},
    RuleValue{"counted", "everybody", "observers are voters", "no source: for tests"},
    RuleValue{
        "join", "quorum_and_leader",
        "a server joins an ensemble when a quorum names the leader and the leader itself says that it leads",
        "FastLeaderElection, checkLeader"},
    RuleValue{"join", "quorum_alone", "a quorum of LEADING and FOLLOWING servers is enough",
              "the documents' account of a follower's restart"},
    RuleValue{"join", "leader_alone", "the leader's own notification is enough", "no source: for tests"},
    RuleValue{"join", "never", "only votes of LOOKING servers are read",
              "an overview that describes only LOOKING votes"},
    RuleValue{"join_compares", "leader_and_epoch",
              "members of an ensemble agree if their votes have the same leader and epoch",
              "Vote.equals, since rounds of members may differ"},
    RuleValue{"join_compares", "whole_vote", "members agree only if zxid and round are the same as well",
              "before members' rounds were known to differ"},
    RuleValue{"answer", "settled_servers", "a LEADING or FOLLOWING server answers LOOKING servers",
              "FastLeaderElection, WorkerReceiver"},
    RuleValue{"answer", "nobody", "it does not answer", "no source: for tests"},
    RuleValue{"silence", "back_off", "after silence the vote is sent again; the wait doubles up to a maximum",
              "FastLeaderElection, lookForLeader"},
    RuleValue{"silence", "constant", "after silence the vote is sent again; the wait stays the same",
              "no source: for tests"},
    RuleValue{"silence", "never", "a vote is sent once", "no source: for tests"},
    RuleValue{"observer_pause", "first",
              "an observer that lost its leader pauses, and reads nothing, before it looks for a leader",
              "Observer, reconnect delay"},
    RuleValue{"observer_pause", "beside",
              "it looks for a leader at once, and begins again when its pause ends", "no source: for tests"},
    RuleValue{"round_start", "next", "each call of lookForLeader begins a new round",
              "FastLeaderElection, logicalclock"},
    RuleValue{"round_start", "kept", "the round stays", "no source: for tests"},
    RuleValue{"round_memory", "process", "each process counts rounds from the beginning",
              "FastLeaderElection, logicalclock"},
    RuleValue{"round_memory", "disk", "a restarted server continues with the next round",
              "the documents' pictures of rounds"},
    RuleValue{"own_vote", "queued", "a server's own vote counts when it has read its own notification",
              "QuorumCnxManager, messages to oneself"},
    RuleValue{"own_vote", "at_once", "a server's own vote counts at once", "the documents' ballot boxes"},
    RuleValue{"advertised", "last_logged", "a vote names the last logged transaction",
              "FastLeaderElection, getInitLastLoggedZxid"},
    RuleValue{"advertised", "last_snapshot", "a vote names the last transaction of the newest snapshot",
              "no source: for tests"},
    RuleValue{"lost_quorum", "step_down", "a leader that no longer hears from a quorum looks for a leader",
              "Leader.lead"},
    RuleValue{"lost_quorum", "keep_leading", "it continues to lead", "no source: for tests"},
    RuleValue{"lost_leader", "look_again", "a learner whose leader is gone or silent looks for a leader",
              "Follower.followLeader"},
    RuleValue{"lost_leader", "keep_following", "it continues to follow", "no source: for tests"},
    RuleValue{"follower_ahead", "refused", "a leader refuses a learner whose history is newer than its own",
              "Leader.waitForEpochAck"},
    RuleValue{"follower_ahead", "accepted", "a leader does not compare histories",
              "the documents' account of recovery"},
    RuleValue{"leader_behind", "left",
              "a learner that has accepted a later epoch than its leader's looks for a leader again",
              "Learner.registerWithLeader"},
    RuleValue{"leader_behind", "followed", "it follows nevertheless, and promises nothing",
              "no source: for tests"},
    RuleValue{"equal_epoch", "not_counted",
              "a server that has promised this epoch before does not promise it a second time",
              "Learner.registerWithLeader"},
    RuleValue{"equal_epoch", "counted", "a promise of the same epoch counts again",
              "before accepted epochs were files"},
    RuleValue{"epoch_saved", "before_leaderinfo", "the new epoch is durable before it is sent to learners",
              "Leader.getEpochToPropose"},
    RuleValue{"epoch_saved", "after_leaderinfo", "it is sent to learners first", "before release 3.4.0"},
    RuleValue{"epoch_quorum", "promises", "discovery ends when a quorum has promised the epoch",
              "Leader.waitForEpochAck"},
    RuleValue{"epoch_quorum", "connections", "it ends when a quorum has connected", "before release 3.4.0"},
    RuleValue{"sync_table", "by_history", "a learner's last transaction is looked up in the leader's history",
              "LearnerHandler.syncFollower, 3.5 and later"},
    RuleValue{"sync_table", "across_epochs",
              "what the leader does not have is truncated even across epochs; the log's files are not read",
              "LearnerHandler.run, 3.4"},
    RuleValue{"sync_table", "range_only", "a learner within the committed log's range is sent what follows",
              "before release 3.4.0"},
    RuleValue{"sync_table", "after_committed",
              "a learner keeps what it knows to be committed, and is sent everything after it",
              "the documents' account of recovery"},
    RuleValue{"leader_tail", "whole", "a new leader keeps its whole log", "Leader.lead"},
    RuleValue{"leader_tail", "possible_majority",
              "it keeps what a majority may have, counting every server that it does not hear from",
              "the documents' account of recovery, but servers that are not heard from are counted"},
    RuleValue{"leader_tail", "heard_majority",
              "it keeps what a majority of all servers has, counting only those that it hears from",
              "the documents' account of recovery"},
    RuleValue{"rejoin_acks", "own_connection",
              "a learner that is synchronized again has acknowledged nothing yet, and what still arrives on "
              "an earlier connection of it acknowledges nothing",
              "a repair: docs/findings.md"},
    RuleValue{"rejoin_acks", "forgotten",
              "a learner that is synchronized again has acknowledged nothing yet; what still arrives on an "
              "earlier connection counts",
              "a repair that is not enough: docs/findings.md"},
    RuleValue{"rejoin_acks", "not_truncated",
              "a learner keeps what is outstanding, and its acknowledgements stand",
              "a repair that is wrong: docs/findings.md"},
    RuleValue{"rejoin_acks", "kept",
              "its earlier acknowledgements count, although TRUNC removes what they acknowledge",
              "Leader.processAck, LearnerHandler.syncFollower"},
    RuleValue{"newleader_queued", "after_snapshot",
              "a SNAP's zxid is that of its history; what is outstanding follows it, then NEWLEADER",
              "LearnerHandler.run"},
    RuleValue{
        "newleader_queued", "before_snapshot",
        "NEWLEADER is queued first: the SNAP's zxid is that of the last proposal by the time it is sent, "
        "and that proposal follows NEWLEADER",
        "ZOOKEEPER-3104, before releases 3.5.5 and 3.6.0"},
    RuleValue{"newleader_order", "committed_epoch_ack",
              "at NEWLEADER: log and apply what is committed, currentEpoch, ACK; log the rest at UPTODATE",
              "Learner.syncWithLeader, 3.9.3"},
    RuleValue{"newleader_order", "history_epoch_ack",
              "at NEWLEADER: log everything, currentEpoch, ACK; apply after UPTODATE's ACK",
              "Learner.syncWithLeader, 3.8.5 and 3.9.2"},
    RuleValue{"newleader_order", "epoch_committed_ack",
              "at NEWLEADER: currentEpoch, log and apply what is committed, ACK; log the rest at UPTODATE",
              "ZOOKEEPER-4643 together with the repairs of 3.9.4"},
    RuleValue{"newleader_order", "epoch_history_ack", "at NEWLEADER: currentEpoch, log everything, ACK",
              "ZOOKEEPER-4643 alone"},
    RuleValue{"newleader_order", "epoch_ack_queue",
              "at NEWLEADER: currentEpoch, ACK, and hand everything to the log's thread",
              "Learner.syncWithLeader, 3.5.10 to 3.8.4 and 3.9.1"},
    RuleValue{"newleader_order", "epoch_queue_ack",
              "the same, with a faster log thread: its ACK of a proposal comes before that of NEWLEADER",
              "the same, with ZOOKEEPER-4685's order"},
    RuleValue{"newleader_order", "queue_epoch_ack",
              "at NEWLEADER: hand everything to the log's thread, currentEpoch, ACK", "ZOOKEEPER-4646 alone"},
    RuleValue{"newleader_order", "epoch_ack_history", "at NEWLEADER: currentEpoch, ACK; log at UPTODATE",
              "Learner.syncWithLeader, 3.4 and up to 3.5.9"},
    RuleValue{"newleader_order", "ack_history_epoch", "at NEWLEADER: ACK; log and currentEpoch at UPTODATE",
              "before release 3.4.0"},
    RuleValue{"sync_commit", "remembered", "a COMMIT during synchronization takes effect at UPTODATE",
              "Learner.syncWithLeader"},
    RuleValue{"sync_commit", "dropped", "a COMMIT during synchronization is lost", "before release 3.4.0"},
    RuleValue{"sync_commit", "needs_pending",
              "after NEWLEADER its proposal has to be pending, but was already handed on: the "
              "synchronization fails",
              "ZOOKEEPER-4394, before 3.9.3"},
    RuleValue{"interrupted_sync", "reloaded",
              "memory that an interrupted synchronization has changed is read from the disk again",
              "ZOOKEEPER-3642, and ZOOKEEPER-5094's repair"},
    RuleValue{"interrupted_sync", "trunc_kept", "memory that an interrupted TRUNC has changed is kept",
              "Learner.shutdown, to 3.9.5"},
    RuleValue{"interrupted_sync", "snap_kept", "memory that an interrupted SNAP or TRUNC has changed is kept",
              "before releases 3.5.10 and 3.6.3"},
    RuleValue{"diff_header", "announces", "DIFF changes nothing by itself", "Learner.syncWithLeader"},
    RuleValue{"diff_header", "moves_zxid", "DIFF sets the learner's zxid to its own",
              "before release 3.4.11"},
    RuleValue{"snap_log", "removed",
              "the snapshot of a SNAP, and of a TRUNC with transactions that the log lacks, removes the log",
              "a repair: docs/variants.md"},
    RuleValue{"snap_log", "removed_after_snap", "only the snapshot of a SNAP removes the log",
              "docs/variants.md"},
    RuleValue{"snap_log", "kept", "the log is kept under the snapshot", "FileTxnSnapLog"},
    RuleValue{"trunc_snapshot", "older",
              "if the newest snapshot reaches beyond what TRUNC leaves, an older one is read",
              "a repair: docs/variants.md"},
    RuleValue{"trunc_snapshot", "kept",
              "the newest is read: what a leader had when it took over comes back, committed or not",
              "ZOOKEEPER-1558; FileTxnSnapLog.truncateLog"},
    RuleValue{"trunc_snapshot", "kept_needs_log",
              "the same, and a learner that has a snapshot and no log cannot truncate: its process ends",
              "FileTxnLog.truncate since 3.4.7, \"No log files found to truncate\"; Learner.syncWithLeader"},
    RuleValue{"trunc_snapshot", "passed_over",
              "the same, but a TRUNC reads the newest of those that are named after what remains; the others "
              "are kept, and a restart reads the newest",
              "a repair that was proposed: pull request 2172"},
    RuleValue{"snapshot_at_role_end", "awaited", "a role's end waits for the snapshot that is being written",
              "ZooKeeperServer.takeSnapshot and shutdown, synchronized in 3.9.0 to 3.9.3"},
    RuleValue{"snapshot_at_role_end", "aborted", "a role's end gives it up", "a repair: docs/findings.md"},
    RuleValue{"snapshot_at_role_end", "goes_on",
              "it is written on, under its name of before, with what the log's tail adds to the memory",
              "SyncRequestProcessor's Snapshot Thread; 3.4, 3.8, 3.9.4 and later (ZOOKEEPER-4858)"},
    RuleValue{"unfinished_epoch", "finished",
              "a restart completes the change of currentEpoch during which the previous process died",
              "QuorumPeer.loadDataBase, currentEpoch.tmp"},
    RuleValue{"unfinished_epoch", "refused", "it refuses to start", "ZOOKEEPER-1653, before release 3.4.6"},
    RuleValue{"tail", "fast_forwarded",
              "when a role ends, the log is flushed and applied to its end, committed or not",
              "ZooKeeperServer.shutdown, fastForwardDataBase"},
    RuleValue{"tail", "forgotten", "memory has only what was committed, the log has more",
              "before releases 3.4.12 and 3.5.4"},
    RuleValue{
        "tail", "logged_later",
        "a learner's log is applied as far as it is durable; the rest is logged during the next election",
        "ZOOKEEPER-4712, before 3.9.3"},
    RuleValue{"failed_write", "ends_process",
              "a server whose log cannot be written ends its process, and reads its disk at the next start",
              "a repair: docs/variants.md"},
    RuleValue{"failed_write", "ends_role",
              "it looks for a leader again, with what it has in memory, including what could not be logged",
              "ZOOKEEPER-4882, ZooKeeperCriticalThread"},
    RuleValue{"failed_write", "leads_on",
              "a leader continues to lead, accepts no more requests and counts no more ACKs; the process of "
              "another server ends",
              "ZOOKEEPER-2247, before releases 3.4.9 and 3.5.3"},
    RuleValue{"ack_when", "durable", "a proposal is acknowledged when it is durable",
              "SyncRequestProcessor, SendAckRequestProcessor"},
    RuleValue{"ack_when", "at_once", "it is acknowledged when it arrives", "no source: for tests"},
    RuleValue{"leader_log", "beside", "a leader sends a proposal while it logs it",
              "Leader.propose, SyncRequestProcessor"},
    RuleValue{"leader_log", "first", "it logs a proposal before it sends it",
              "the documents' account of a write"},
    RuleValue{"commit_when", "quorum_in_order",
              "a proposal is committed by a quorum's acknowledgements, in order", "Leader.tryToCommit"},
    RuleValue{"commit_when", "quorum_any_order",
              "a quorum's acknowledgements commit a proposal, in any order", "no source: for tests"},
    RuleValue{"commit_when", "first_ack", "the first acknowledgement commits", "no source: for tests"},
    RuleValue{"apply_when", "commit", "a follower applies what is committed", "CommitProcessor"},
    RuleValue{"apply_when", "proposal", "it applies what is proposed", "no source: for tests"},
    RuleValue{"committed_log", "all_applied", "the committed log has everything that was applied",
              "ZKDatabase.addCommittedProposal"},
    RuleValue{"committed_log", "without_synced", "what a synchronization brought is left out",
              "ZOOKEEPER-4925, release 3.9.3"},
    RuleValue{"activation", "newleader_quorum", "an epoch is active when a quorum has acknowledged NEWLEADER",
              "Leader.lead"},
    RuleValue{"activation", "epoch_quorum", "an epoch is active when a quorum has promised it",
              "before release 3.4.0"},
    RuleValue{"serve_after", "own_ack", "a follower is sent UPTODATE when it has acknowledged NEWLEADER",
              "LearnerHandler.run"},
    RuleValue{"serve_after", "quorum",
              "every follower is sent UPTODATE when a quorum has acknowledged NEWLEADER",
              "the documents' account of recovery"},
    RuleValue{"rollover", "step_down", "a leader whose counter is used up steps down", "Leader.propose"},
    RuleValue{"rollover", "carries", "the counter carries into the epoch", "before release 3.4.4"},
    RuleValue{"registration", "without_gap",
              "a learner is sent what is outstanding and every later proposal, without a gap",
              "Leader.startForwarding"},
    RuleValue{"registration", "misses_outstanding", "it is not sent what is outstanding",
              "ZOOKEEPER-962, before release 3.3.3"},
    RuleValue{"new_epoch", "larger", "a new epoch is one more than the largest that a quorum has accepted",
              "Leader.getEpochToPropose"},
    RuleValue{"new_epoch", "same", "it is the largest that a quorum has accepted", "no source: for tests"},
};

inline constexpr BroadcastRules zookeeper{};

// ---- releases as they are: docs/variants.md says which of their bugs these rules have

inline constexpr BroadcastRules release_3_9_5{
    .rejoin_acks = RejoinAcks::kept,
    .interrupted_sync = Interrupted::trunc_kept,
    .snap_log = SnapLog::kept,
    .trunc_snapshot = TruncSnapshot::kept_needs_log,
    .snapshot_at_role_end = SnapshotAtRoleEnd::goes_on,
    .failed_write = FailedWrite::ends_role,
};

inline constexpr BroadcastRules release_3_9_3 = [] {
  BroadcastRules rules = release_3_9_5;
  rules.committed_log = CommittedLog::without_synced;
  rules.snapshot_at_role_end = SnapshotAtRoleEnd::awaited;
  return rules;
}();

inline constexpr BroadcastRules release_3_8_5 = [] {
  BroadcastRules rules = release_3_9_5;
  rules.newleader_order = NewLeaderOrder::history_epoch_ack;
  rules.sync_commit = SyncCommit::needs_pending;
  rules.tail = Tail::logged_later;
  return rules;
}();

inline constexpr BroadcastRules release_3_8_0 = [] {
  BroadcastRules rules = release_3_8_5;
  rules.newleader_order = NewLeaderOrder::epoch_ack_queue;
  return rules;
}();

inline constexpr BroadcastRules release_3_4 = [] {
  BroadcastRules rules = release_3_9_5;
  rules.sync_table = SyncTable::across_epochs;
  rules.newleader_order = NewLeaderOrder::epoch_ack_history;
  rules.interrupted_sync = Interrupted::snap_kept;
  return rules;
}();

// ---- the documents' account

inline constexpr BroadcastRules textbook_safe{.leader_tail = LeaderTail::possible_majority};
inline constexpr BroadcastRules textbook_naive{.leader_tail = LeaderTail::heard_majority};

/// What an overview says about elections, where it differs: votes of LOOKING servers alone count, and a
/// server whose vote is better than a received one sends it again.
inline constexpr BroadcastRules textbook_overview{
    .vote_order = VoteOrder::zxid_id,
    .lower_round = LowerRound::silent,
    .kept_vote = KeptVote::said_again,
    .decision = Decision::at_once,
    .join = Join::never,
};

inline constexpr BroadcastRules textbook{
    .vote_order = VoteOrder::zxid_id,
    .higher_round = HigherRound::current_vote,
    .lower_round = LowerRound::silent,
    .ballot_box = BallotBox::cleared_on_update,
    .decision = Decision::at_once,
    .join = Join::quorum_alone,
    .round_memory = RoundMemory::disk,
    .own_vote = OwnVote::at_once,
    .follower_ahead = FollowerAhead::accepted,
    .sync_table = SyncTable::after_committed,
    .leader_tail = LeaderTail::heard_majority,
    .leader_log = LeaderLog::first,
    .serve_after = ServeAfter::quorum,
};

using BroadcastVariant = zablab::Variant<BroadcastRules>;
inline constexpr std::array broadcast_variants{
    BroadcastVariant{"zookeeper", zookeeper,
                     "ZooKeeper's own rules, as of release 3.9.5, with its known bugs repaired"},
    BroadcastVariant{"real", zookeeper, "the same rules; uncommitted writes are treated as in ZooKeeper"},
    BroadcastVariant{"textbook-safe", textbook_safe,
                     "a new leader drops what no majority can have, as documents describe it; safe"},
    BroadcastVariant{
        "textbook-naive", textbook_naive,
        "a new leader drops what no majority of all servers has among those it hears from: not correct"},
    BroadcastVariant{"textbook-overview", textbook_overview,
                     "elections as an overview describes them: a server that starts late never joins"},
    BroadcastVariant{"textbook", textbook,
                     "the documents' rules for elections, recovery and broadcast, literally: not correct"},
    BroadcastVariant{"zookeeper-3.4", release_3_4, "release 3.4.14 with its bugs: not correct"},
    BroadcastVariant{"zookeeper-3.8.0", release_3_8_0, "release 3.8.0 with its bugs: not correct"},
    BroadcastVariant{"zookeeper-3.8.5", release_3_8_5, "release 3.8.5 with its bugs: not correct"},
    BroadcastVariant{"zookeeper-3.9.3", release_3_9_3, "release 3.9.3 with its bugs: not correct"},
    BroadcastVariant{"zookeeper-3.9.5", release_3_9_5, "release 3.9.5 with its bugs: not correct"},
};

}  // namespace zablab::zab
