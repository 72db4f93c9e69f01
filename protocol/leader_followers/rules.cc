#include "protocol/leader_followers/rules.h"

#include <array>

namespace zablab::leader_followers {
namespace {

constexpr std::array values{
    RuleValue{"new_generation", "log_compared",
              "a server that is asked for its vote in a higher generation compares the logs first",
              "Raft, section 5.4.1; the document's text before its handler"},
    RuleValue{"new_generation", "granted", "a higher generation is sufficient for a vote",
              "the document's handler, handleVoteRequest"},
    RuleValue{"log_order", "generation_index",
              "the log whose last entry has the higher generation is better, then the longer one",
              "Raft, section 5.4.1"},
    RuleValue{"log_order", "index_alone", "the longer log is better, regardless of its entries",
              "the document's handler, handleVoteRequestForSameGeneration"},
    RuleValue{"tie_break", "first_to_ask", "with equal logs the candidate that asks first gets the vote",
              "the document's second criterion; Raft, section 5.2"},
    RuleValue{"tie_break", "highest_id", "with equal logs the higher id is better",
              "the document's first criterion, after Zab"},
    RuleValue{"vote_saved", "vote_and_generation",
              "vote and generation are durable before any message about them is sent",
              "Raft, figure 2: persistent state"},
    RuleValue{"vote_saved", "generation_alone", "a restart loses the vote",
              "the document does not mention durability"},
    RuleValue{"vote_saved", "nothing", "a restart loses the vote and the generation",
              "the document does not mention durability"},
    RuleValue{"ask_when", "durable",
              "a candidate asks for votes when its generation and own vote are durable",
              "Raft, figure 2; etcd: what is to be saved is saved before anything is sent"},
    RuleValue{"ask_when", "at_once",
              "it asks before that: elected by the others, it may restart and be elected in the same "
              "generation again",
              "no source: found by a search"},
    RuleValue{"pre_vote", "asked", "a server begins a generation when a quorum would vote for it",
              "Ongaro's thesis, section 9.6"},
    RuleValue{"pre_vote", "skipped", "a server begins a generation when it does not hear from a leader",
              "the document's startLeaderElection; Raft, section 5.2"},
    RuleValue{"led_voter", "refuses_pre_vote", "a server that hears from a leader refuses pre-votes",
              "Ongaro's thesis, section 9.6"},
    RuleValue{"led_voter", "refuses_votes", "the same, and it ignores vote requests of a higher generation",
              "Ongaro's thesis, section 4.2.3; etcd's CheckQuorum"},
    RuleValue{"led_voter", "refuses_nothing", "hearing from a leader is no reason to refuse a candidate",
              "Raft without later additions"},
    RuleValue{"led_until", "own_timeout",
              "a server counts as led until its own election timeout, which is drawn, is over",
              "Raft, section 5.2: a follower that hears nothing begins an election"},
    RuleValue{"led_until", "least_timeout",
              "it does for the least election timeout after it has heard from its leader",
              "Ongaro's thesis, section 4.2.3; etcd's raft.go, Step: inLease"},
    RuleValue{"check_quorum", "steps_down", "a leader that no quorum answers steps down",
              "Ongaro's thesis, section 6.2; etcd's CheckQuorum"},
    RuleValue{"check_quorum", "keeps_leading", "only a higher generation ends a leader's role",
              "the document; Raft, section 5"},
    RuleValue{"leader_begins", "empty_entry",
              "a leader begins with an entry of its own generation, to commit what is before it",
              "Raft, section 8"},
    RuleValue{"leader_begins", "nothing", "a leader begins with the first request", "the document"},
    RuleValue{"append_from", "present_generation", "messages of an older leader are refused",
              "Raft, figure 2"},
    RuleValue{"append_from", "any_generation", "entries are accepted from any sender",
              "no source: for tests"},
    RuleValue{"truncate_when", "conflict", "entries are removed when the leader has others in their place",
              "Raft, figure 2"},
    RuleValue{"truncate_when", "always", "everything after the point of agreement is removed",
              "no source: a common error"},
    RuleValue{"ack_when", "durable", "an entry is acknowledged when it is durable", "Raft, figure 2"},
    RuleValue{"ack_when", "at_once", "an entry is acknowledged when it is in memory",
              "no source: a common error"},
    RuleValue{"commit_counts", "own_generation",
              "a quorum commits entries of the leader's generation, and with them what is before",
              "Raft, section 5.4.2"},
    RuleValue{"commit_counts", "any_generation", "a quorum commits any entry", "Raft, figure 8"},
    RuleValue{"reads_by", "read_index",
              "a read waits until a quorum has confirmed the leader after the request",
              "Ongaro's thesis, section 6.4"},
    RuleValue{"reads_by", "leaders_memory", "a leader answers from its own state", "the document"},
    RuleValue{"reads_at", "leader", "a follower forwards reads to its leader, as it does writes",
              "the document's text: only the leader deals with requests"},
    RuleValue{"reads_at", "any_server", "a server that does not lead answers from what it has applied",
              "no source: a common error"},
};

constexpr Rules sound{};

constexpr Rules literal{
    .new_generation = NewGeneration::granted,
    .log_order = LogOrder::index_alone,
    .pre_vote = PreVote::skipped,
    .led_voter = LedVoter::refuses_nothing,
    .check_quorum = CheckQuorum::keeps_leading,
    .leader_begins = LeaderBegins::nothing,
    .reads_by = ReadsBy::leaders_memory,
};

constexpr Rules highest_id{.tie_break = TieBreak::highest_id};

constexpr Rules etcd{.led_voter = LedVoter::refuses_votes, .led_until = LedUntil::least_timeout};

constexpr Rules plain{
    .pre_vote = PreVote::skipped,
    .led_voter = LedVoter::refuses_nothing,
    .check_quorum = CheckQuorum::keeps_leading,
};

constexpr std::array all_variants{
    Variant{"sound", sound,
            "votes by generation and index, durable before they count; pre-vote, check-quorum, read-index"},
    Variant{"highest-id", highest_id, "the same, and with equal logs the higher id is better"},
    Variant{"etcd", etcd,
            "as sound, and led servers refuse votes, too, for the least election timeout, as etcd's with "
            "CheckQuorum"},
    Variant{"plain", plain,
            "the same as sound without pre-vote and check-quorum: as safe, and less available"},
    Variant{"document", literal, "the document's handler as it is printed: not correct"},
};

// The planted bugs, by name.
constexpr std::array mutations{
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

RuleTables<Rules> ruleTables() { return {all_variants, values, mutations}; }

}  // namespace zablab::leader_followers
