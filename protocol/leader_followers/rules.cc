#include "protocol/leader_followers/rules.h"

#include <array>

namespace zablab::leader_followers {
namespace {

constexpr std::array values{
    RuleValue{"new_generation", "log_compared",
              "a server that is asked for its vote in a higher generation compares the logs first",
              "Raft, section 5.4.1; the document's text before its handler"},
    RuleValue{"new_generation", "granted", "a higher generation is reason enough to vote for whoever asks",
              "the document's handler, handleVoteRequest"},
    RuleValue{"log_order", "generation_index",
              "the log whose last entry has the higher generation is better, then the longer one",
              "Raft, section 5.4.1"},
    RuleValue{"log_order", "index_alone", "the longer log is better, whatever is in it",
              "the document's handler, handleVoteRequestForSameGeneration"},
    RuleValue{"tie_break", "first_to_ask", "of equal logs whoever asks first gets the vote",
              "the document's second criterion; Raft, section 5.2"},
    RuleValue{"tie_break", "highest_id", "of equal logs the higher id is better",
              "the document's first criterion, after Zab"},
    RuleValue{"vote_saved", "vote_and_generation", "both are durable before anybody is told",
              "Raft, figure 2: persistent state"},
    RuleValue{"vote_saved", "generation_alone", "a restart forgets for whom the server voted",
              "the document says of nothing that it is durable"},
    RuleValue{"vote_saved", "nothing", "and in which generation",
              "the document says of nothing that it is durable"},
    RuleValue{"ask_when", "durable",
              "a candidate asks for votes when its generation and own vote are durable",
              "Raft, figure 2; etcd: what is to be saved is saved before anything is sent"},
    RuleValue{
        "ask_when", "at_once",
        "and before that: elected by the others, it may restart and be elected in the same generation again",
        "no source: found by a search"},
    RuleValue{"pre_vote", "asked", "a server begins a generation when a quorum would vote for it",
              "Ongaro's thesis, section 9.6"},
    RuleValue{"pre_vote", "skipped", "a server begins a generation when it hears no leader",
              "the document's startLeaderElection; Raft, section 5.2"},
    RuleValue{"led_voter", "refuses_pre_vote", "who hears a leader sees no need of another",
              "Ongaro's thesis, section 9.6"},
    RuleValue{"led_voter", "refuses_votes", "and does not heed a higher generation that a candidate names",
              "Ongaro's thesis, section 4.2.3; etcd's CheckQuorum"},
    RuleValue{"led_voter", "refuses_nothing", "a leader that is heard speaks against no candidate",
              "Raft without what came later"},
    RuleValue{"check_quorum", "steps_down", "a leader that no quorum answers is none any more",
              "Ongaro's thesis, section 6.2; etcd's CheckQuorum"},
    RuleValue{"check_quorum", "keeps_leading", "only a higher generation ends a leader's role",
              "the document; Raft, section 5"},
    RuleValue{"leader_begins", "empty_entry",
              "with an entry of its own generation, to commit what is before it", "Raft, section 8"},
    RuleValue{"leader_begins", "nothing", "with what it is asked for", "the document"},
    RuleValue{"append_from", "present_generation", "what an older leader says is refused", "Raft, figure 2"},
    RuleValue{"append_from", "any_generation", "entries are taken from whoever sends them",
              "no source: for tests"},
    RuleValue{"truncate_when", "conflict", "entries go when the leader has others in their place",
              "Raft, figure 2"},
    RuleValue{"truncate_when", "always", "whatever stands behind the point of agreement goes",
              "no source: a common slip"},
    RuleValue{"ack_when", "durable", "an entry is acknowledged when it is durable", "Raft, figure 2"},
    RuleValue{"ack_when", "at_once", "and when it is in memory", "no source: a common slip"},
    RuleValue{"commit_counts", "own_generation",
              "a quorum commits entries of the leader's generation, and with them what is before",
              "Raft, section 5.4.2"},
    RuleValue{"commit_counts", "any_generation", "a quorum commits any entry", "Raft, figure 8"},
    RuleValue{"reads_by", "read_index", "a read waits until a quorum has confirmed the leader since",
              "Ongaro's thesis, section 6.4"},
    RuleValue{"reads_by", "leaders_memory", "a leader answers from what it has", "the document"},
    RuleValue{"reads_at", "leader", "a follower hands reads on to its leader, as it does writes",
              "the document's text: only the leader deals with requests"},
    RuleValue{"reads_at", "any_server", "whoever does not lead answers from what it has applied",
              "no source: a common slip"},
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

constexpr Rules plain{
    .pre_vote = PreVote::skipped,
    .led_voter = LedVoter::refuses_nothing,
    .check_quorum = CheckQuorum::keeps_leading,
};

constexpr std::array all_variants{
    Variant{"sound", sound,
            "votes by generation and index, durable before they count; pre-vote, check-quorum, read-index"},
    Variant{"highest-id", highest_id, "the same, and of equal logs the higher id is better"},
    Variant{"plain", plain,
            "the same as sound without pre-vote and check-quorum: as safe, and less available"},
    Variant{"document", literal, "the document's handler as it is printed: not correct"},
};

}  // namespace

std::span<const RuleValue> ruleValues() { return values; }
std::span<const Variant> variants() { return all_variants; }

}  // namespace zablab::leader_followers
