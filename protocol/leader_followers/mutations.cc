#include "protocol/leader_followers/mutations.h"

#include <array>

namespace zablab::leader_followers {
namespace {

constexpr std::array rows{
    Mutation{"lf_skip_log_check_on_new_gen", "", "", "safety", "leader-completeness",
             "a higher generation gets the vote regardless of the candidate's log", "new_generation",
             "granted"},
    Mutation{"lf_index_only_log_check", "", "", "safety", "leader-completeness",
             "a longer log of older generations counts as better", "log_order", "index_alone"},
    Mutation{"lf_vote_not_durable", "", "", "safety", "vote-durable",
             "a server that restarts votes again in the same generation", "vote_saved", "generation_alone"},
    Mutation{"lf_gen_not_durable", "", "", "safety", "generation-grows",
             "a server that restarts is back in an old generation", "vote_saved", "nothing"},
    Mutation{"lf_asks_before_durable", "", "", "safety", "log-matching",
             "a candidate asks for votes before its generation is durable, and leads one generation twice",
             "ask_when", "at_once"},
    Mutation{"lf_no_term_check_on_append", "", "", "safety", "append-of-leader",
             "entries of an older leader are accepted when there is a newer one", "append_from",
             "any_generation"},
    Mutation{"raft_commit_prior_term", "", "", "safety", "leader-completeness",
             "an older generation's entry counts as committed as soon as a quorum has it", "commit_counts",
             "any_generation"},
    Mutation{"raft_truncate_on_any_append", "", "", "safety", "committed-stays",
             "an Append that arrives late removes what was acknowledged since", "truncate_when", "always"},
    Mutation{"raft_ack_before_fsync", "", "", "safety", "acknowledged-durable",
             "entries are acknowledged before they are durable", "ack_when", "at_once"},
    Mutation{"raft_no_read_index", "", "", "safety", "reads-fresh",
             "a leader that was deposed and does not know it answers reads", "reads_by", "leaders_memory"},
    Mutation{"lf_followers_answer_reads", "", "", "safety", "reads-fresh",
             "a server that does not lead answers reads from what it has applied", "reads_at", "any_server"},
    Mutation{"raft_led_voter_grants", "", "", "liveness", "led-voters-refuse",
             "servers that hear from a leader encourage another candidate", "led_voter", "refuses_nothing"},
    Mutation{"raft_no_prevote", "", "", "liveness", "a returning server deposes the leader",
             "a server that was cut off comes back with a higher generation", "pre_vote", "skipped"},
    Mutation{"raft_no_check_quorum", "", "", "liveness", "a leader without followers",
             "a leader that no server hears from continues to lead", "check_quorum", "keeps_leading"},
};

}  // namespace

std::span<const Mutation> mutations() { return rows; }

}  // namespace zablab::leader_followers
