#include "protocol/zab/mutations.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace zablab::zab {
namespace {

constexpr std::array rows{
    Mutation{"no_epoch_in_vote", "ZOOKEEPER-335", "fixed in 3.4.0", "safety", "vote-order",
             "votes are compared without the candidate's epoch", "vote_order", "zxid_id"},
    Mutation{"fle_non_total_order", "ZOOKEEPER-1419", "fixed in 3.4.4, 3.5.0", "liveness", "vote-order",
             "at equal zxids the id decides even against the epoch, so that two votes can beat each other",
             "vote_order", "id_regardless_of_epoch"},
    Mutation{"fle_join_compares_round", "ZOOKEEPER-1732", "fixed in 3.4.6, 3.5.0", "liveness", "never joins",
             "a joiner wants its members' votes to agree in zxid and round as well", "join_compares",
             "whole_vote"},
    Mutation{"fle_join_without_leader", "", "", "safety", "joined-leader-leads",
             "a joiner takes the followers' word for a leader that may be dead", "join", "quorum_alone"},
    Mutation{"fle_join_without_quorum", "", "", "safety", "decided-by-quorum",
             "a joiner takes the leader's word alone", "join", "leader_alone"},
    Mutation{"fle_never_joins", "", "", "liveness", "never joins",
             "votes of servers that lead or follow are not heard", "join", "never"},
    Mutation{"fle_half_is_a_quorum", "", "", "safety", "decided-by-quorum", "half of the voters elect",
             "majority", "half"},
    Mutation{"fle_counts_observers", "", "", "safety", "decided-by-quorum", "observers vote", "counted",
             "everybody"},
    Mutation{"fle_counts_old_rounds", "", "", "safety", "decided-by-quorum",
             "votes of a lower round are counted", "lower_round", "counted"},
    Mutation{"fle_no_answer_to_lower_round", "", "", "liveness", "later election",
             "who is behind in rounds is not told", "lower_round", "silent"},
    Mutation{"fle_ignores_higher_round", "", "", "liveness", "never agrees",
             "a higher round is not taken over", "higher_round", "ignored"},
    Mutation{"fle_keeps_vote_of_old_round", "", "", "liveness", "elects the dead",
             "a higher round's vote is compared with the last vote instead of the first", "higher_round",
             "current_vote"},
    Mutation{"fle_keeps_first_vote", "", "", "liveness", "never agrees",
             "a changed vote does not reach the ballot box", "ballot_box", "first_vote"},
    Mutation{"fle_clears_box", "", "", "liveness", "other boxes",
             "a change of the own vote empties the ballot box", "ballot_box", "cleared_on_update"},
    Mutation{"fle_no_finalize_wait", "", "", "safety", "other leader", "the first quorum decides", "decision",
             "at_once"},
    Mutation{"fle_nobody_answers", "", "", "liveness", "never joins", "who leads or follows does not answer",
             "answer", "nobody"},
    Mutation{"fle_no_back_off", "", "", "liveness", "more messages",
             "the wait for a notification does not double", "silence", "constant"},
    Mutation{"fle_says_it_once", "", "", "liveness", "never agrees", "a vote is not sent again after silence",
             "silence", "never"},
    Mutation{"fle_round_stays", "", "", "liveness", "other round",
             "a new election does not begin a new round", "round_start", "kept"},
    Mutation{"fle_zxid_of_snapshot", "", "", "safety", "other leader",
             "a vote names the newest snapshot's zxid, not the log's", "advertised", "last_snapshot"},
    Mutation{"zab_leader_never_steps_down", "", "", "liveness", "two leaders",
             "a leader without a quorum goes on leading", "lost_quorum", "keep_leading"},
    Mutation{"zab_follower_never_looks", "", "", "liveness", "no election",
             "a follower whose leader is gone goes on following", "lost_leader", "keep_following"},
    Mutation{"follower_ahead_accepted", "", "", "safety", "epoch-closure, with vote_order=zxid_id",
             "a leader takes learners whose history is newer than its own", "follower_ahead", "accepted"},
    Mutation{"equal_epoch_acked_twice", "ZOOKEEPER-335", "fixed in 3.4.0", "safety",
             "one-leader-per-epoch, with new_epoch=same", "an epoch can be promised twice", "equal_epoch",
             "counted"},
    Mutation{"accepted_epoch_not_saved", "ZOOKEEPER-1291", "fixed in 3.4.0", "safety", "epochs-durable",
             "learners hear of an epoch before it is durable at the leader", "epoch_saved",
             "after_leaderinfo"},
    Mutation{"epoch_ack_quorum_skipped", "ZOOKEEPER-1192", "fixed in 3.4.0", "safety",
             "expectations: a leader without promises", "discovery ends without a quorum of promises",
             "epoch_quorum", "connections"},
    Mutation{"diff_without_trunc", "ZOOKEEPER-1154", "fixed in 3.3.4, 3.4.0", "safety", "agreement",
             "a learner keeps a transaction that its leader does not have", "sync_table", "range_only"},
    Mutation{"ack_newleader_before_log", "ZOOKEEPER-3911", "fixed in 3.5.10, 3.6.3, 3.7.0", "safety",
             "uncommitted-never-visible", "NEWLEADER is acknowledged before the history is logged",
             "newleader_order", "epoch_ack_history"},
    Mutation{"epoch_before_history", "ZOOKEEPER-4643", "fixed in 3.9.3", "safety", "committed-never-lost",
             "currentEpoch is durable before the history that belongs to it", "newleader_order",
             "epoch_history_ack"},
    Mutation{"async_log_before_ack", "ZOOKEEPER-4646", "fixed in 3.9.3", "safety",
             "uncommitted-never-visible", "NEWLEADER is acknowledged while the history waits for the disk",
             "newleader_order", "queue_epoch_ack"},
    Mutation{"proposal_ack_first", "ZOOKEEPER-4685", "fixed in 3.8.5, 3.9.2", "liveness", "no leader",
             "a proposal's ACK overtakes that of NEWLEADER", "newleader_order", "epoch_queue_ack"},
    Mutation{"epoch_at_uptodate", "ZOOKEEPER-1282", "fixed in 3.4.0", "safety", "epochs-durable",
             "currentEpoch is written at UPTODATE", "newleader_order", "ack_history_epoch"},
    Mutation{"sync_commit_dropped", "ZOOKEEPER-1264", "fixed in 3.3.4, 3.4.0", "safety",
             "expectations: a follower exits", "a COMMIT during synchronization is forgotten", "sync_commit",
             "dropped"},
    Mutation{"commit_without_pending", "ZOOKEEPER-4394", "fixed in 3.9.3", "liveness", "no leader",
             "a COMMIT between NEWLEADER and UPTODATE ends the synchronization", "sync_commit",
             "needs_pending"},
    Mutation{"trunc_kept_in_memory", "ZOOKEEPER-5094", "open", "safety", "same-zxid-same-history",
             "memory that an interrupted TRUNC changed is kept", "interrupted_sync", "trunc_kept"},
    Mutation{"snap_kept_in_memory", "ZOOKEEPER-3642", "fixed in 3.5.10, 3.6.3, 3.7.0", "safety",
             "same-zxid-same-history", "memory that an interrupted SNAP changed is kept", "interrupted_sync",
             "snap_kept"},
    Mutation{"zxid_set_at_diff_header", "ZOOKEEPER-2355", "fixed in 3.4.11, 3.5.4, 3.6.0", "safety",
             "same-zxid-same-history", "DIFF moves the learner's zxid before anything came", "diff_header",
             "moves_zxid"},
    Mutation{"retain_db_no_ff", "ZOOKEEPER-2845", "fixed in 3.4.12, 3.5.4, 3.6.0", "safety",
             "committed-never-lost", "a server votes with what was committed, not with what it logged",
             "tail", "forgotten"},
    Mutation{"log_queue_survives_shutdown", "ZOOKEEPER-4712", "fixed in 3.9.3", "safety", "agreement",
             "what waits for the disk is logged after the next election began", "tail", "logged_later"},
    Mutation{"zab_ack_before_fsync", "", "", "safety", "uncommitted-never-visible",
             "a proposal is acknowledged before it is durable", "ack_when", "at_once"},
    Mutation{"zab_first_ack_commits", "", "", "safety", "uncommitted-never-visible",
             "the first acknowledgement commits", "commit_when", "first_ack"},
    Mutation{"zab_commits_out_of_order", "", "", "safety",
             "commits-contiguous, with registration=misses_outstanding", "proposals commit in any order",
             "commit_when", "quorum_any_order"},
    Mutation{"zab_applies_proposals", "", "", "safety", "uncommitted-never-visible",
             "a follower shows what is merely proposed", "apply_when", "proposal"},
    Mutation{"committedlog_hole", "ZOOKEEPER-4925", "3.9.3 alone", "safety", "same-zxid-same-history",
             "what a synchronization brought is missing in the committed log", "committed_log",
             "without_synced"},
    Mutation{"zxid_before_quorum", "ZOOKEEPER-790", "fixed in 3.3.2, 3.4.0", "safety", "uncommitted-never-visible",
             "a leader takes the new epoch's zxid before a quorum follows", "activation", "epoch_quorum"},
    Mutation{"counter_overflow", "ZOOKEEPER-1277", "fixed in 3.3.5, 3.4.4, 3.5.0", "safety",
             "proposed-in-own-epoch", "the counter carries into the epoch", "rollover", "carries"},
    Mutation{"register_learner_nonatomic", "ZOOKEEPER-962", "fixed in 3.3.3, 3.4.0", "safety",
             "commits-contiguous", "a learner that joins misses what is outstanding", "registration",
             "misses_outstanding"},
    Mutation{"zab_epoch_is_reused", "", "", "safety",
             "no leader; one-leader-per-epoch, with equal_epoch=counted",
             "a leader proposes an epoch that was accepted before", "new_epoch", "same"},
    Mutation{"client_sees_the_past", "", "", "safety", "monotonic-reads",
             "a server takes clients that have seen more than it has", "last_seen", "unchecked"},
};

}  // namespace

std::span<const Mutation> mutations() { return rows; }

const Mutation* findMutation(std::string_view name) {
  const auto at =
      std::find_if(rows.begin(), rows.end(), [name](const Mutation& row) { return row.name == name; });
  return at == rows.end() ? nullptr : &*at;
}

void mutate(Rules& rules, const Mutation& mutation) {
  [[maybe_unused]] const auto problem = setRule(rules, mutation.rule, mutation.value);
  assert(!problem);
}

}  // namespace zablab::zab
