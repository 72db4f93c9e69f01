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
