#include "protocol/sentinel/rules.h"

#include <array>

namespace zablab::sentinel {
namespace {

constexpr std::array values{
    RuleValue{"votes_of", "own_attempt",
              "a candidate asks for and counts votes of its attempt's epoch, and gives up when there is a "
              "later one",
              "the repair; document 001: the returned epoch has to equal its own"},
    RuleValue{"votes_of", "current_epoch",
              "it asks for and counts votes of the epoch that it knows now, which may be later than the one "
              "that it will publish",
              "redis 7.0, sentinel.c: sentinelGetLeader, sentinelAskMasterStateToOtherSentinels; redis pull "
              "request 2230"},
    RuleValue{
        "votes_kept", "of_the_attempt",
        "a vote for the attempt counts until the attempt ends, whatever later epoch the candidate or the "
        "voter has heard of since",
        "the repair"},
    RuleValue{"votes_kept", "of_the_latest_epoch",
              "it counts while no later epoch is known: a majority that has arrived is lost if one comes "
              "before the tick that would count it",
              "redis 7.0, sentinel.c: sentinelGetLeader; redis issue 12865"},
    RuleValue{"electorate", "configured", "a majority is one of all sentinels that there are", "the repair"},
    RuleValue{"electorate", "known", "a majority is one of the sentinels that the candidate has heard of",
              "redis 7.0, sentinel.c: sentinelGetLeader"},
    RuleValue{"winner_needs", "majority_and_quorum",
              "the winner has a majority, and at least as many votes as the quorum",
              "redis 7.0, sentinel.c: sentinelGetLeader"},
    RuleValue{"winner_needs", "majority", "the winner has a majority, whatever the quorum is",
              "document 001: more than half of the sentinels"},
    RuleValue{"winner_needs", "quorum", "the winner has as many votes as the quorum",
              "no source: the two numbers confused"},
    RuleValue{"vote_given", "first_to_ask", "a sentinel votes for the first that asks in an epoch",
              "document 001; redis 7.0, sentinel.c: sentinelVoteLeader"},
    RuleValue{"vote_given", "last_to_ask", "it votes again for whoever asks in the same epoch",
              "no source: for tests"},
    RuleValue{"vote_saved", "epoch", "the epoch of a vote is on the disk before the answer leaves",
              "redis 7.0, sentinel.c: sentinelVoteLeader, sentinelFlushConfig"},
    RuleValue{"vote_saved", "nothing", "a restart forgets that there was a vote", "no source: for tests"},
    RuleValue{"second_request", "told_the_vote",
              "who asks later is told for whom the sentinel has voted, and in which epoch",
              "redis 7.0, sentinel.c: sentinelVoteLeader"},
    RuleValue{"second_request", "refused", "who asks later gets no vote and no name", "document 001"},
    RuleValue{"desync", "drawn", "a random time of up to a second separates the sentinels' attempts",
              "redis 7.0, sentinel.c: SENTINEL_MAX_DESYNC, hz"},
    RuleValue{"desync", "none", "all wait for the same time", "no source: for tests"},
    RuleValue{"replica_choice", "priority_offset_id",
              "the lowest priority number, then the greatest offset, then the lowest id is promoted",
              "redis 7.0, sentinel.c: compareSlavesForPromotion"},
    RuleValue{"replica_choice", "lowest_id", "the lowest id is promoted", "no source: for tests"},
    RuleValue{"starts_when", "objectively_down", "a failover needs a quorum that sees the master down",
              "redis 7.0, sentinel.c: sentinelStartFailoverIfNeeded"},
    RuleValue{"starts_when", "subjectively_down", "it needs one sentinel that does", "no source: for tests"},
    RuleValue{"promotion", "confirmed",
              "the new configuration is published when the replica reports that it is a master",
              "redis 7.0, sentinel.c: sentinelRefreshInstanceInfo"},
    RuleValue{"promotion", "assumed", "it is published when the replica was told", "no source: for tests"},
    RuleValue{"config_accepted", "newer", "a configuration of a higher epoch replaces the own one",
              "redis 7.0, sentinel.c: sentinelProcessHelloMessage"},
    RuleValue{"config_accepted", "any", "any other configuration does", "no source: for tests"},
    RuleValue{"old_reports", "dropped",
              "what other sentinels have said about the old master does not count against the new one",
              "the repair"},
    RuleValue{"old_reports", "kept", "it counts for up to five seconds",
              "redis 7.0, sentinel.c: sentinelResetMaster keeps the sentinels with their flags"},
    RuleValue{"overtaken", "gives_up",
              "a sentinel that hears of a newer configuration gives up its own failover", "the repair"},
    RuleValue{
        "overtaken", "compares_old_address",
        "it does so if the newer master is not the one that its failover replaces; otherwise it goes on, "
        "and ends with its own master and the newer epoch",
        "redis 7.0, sentinel.c: sentinelProcessHelloMessage; found by random runs"},
    RuleValue{"who_disagrees", "corrected",
              "a Redis server that does not obey the configuration is told to, once it must have heard of it",
              "redis 7.0, sentinel.c: sentinelRefreshInstanceInfo"},
    RuleValue{"who_disagrees", "left_alone", "it stays a master, or copies another one",
              "no source: for tests"},
    RuleValue{"writes_accepted", "with_replicas",
              "a master accepts a write if as many replicas as it is configured to need are there",
              "redis.conf: min-replicas-to-write, min-replicas-max-lag"},
    RuleValue{"writes_accepted", "always", "it accepts every write", "redis.conf: the default"},
};

constexpr Rules fixed{};

constexpr Rules real{
    .votes_of = VotesOf::current_epoch,
    .votes_kept = VotesKept::of_the_latest_epoch,
    .electorate = Electorate::known,
    .old_reports = OldReports::kept,
    .overtaken = Overtaken::compares_old_address,
};

constexpr Rules textbook{
    .winner_needs = WinnerNeeds::majority,
    .second_request = SecondRequest::refused,
};

constexpr std::array all_variants{
    Variant{
        "fixed", fixed,
        "the weaknesses of the real ones repaired: votes of the attempt's own epoch, all of them, from a "
        "majority of all sentinels; no reports about an old master; a leader that was overtaken gives up"},
    Variant{"real", real, "as in Redis 7.0: safe only with luck"},
    Variant{"textbook", textbook, "as document 001 describes it"},
};

// The planted bugs, by name.
constexpr std::array mutations{
    Mutation{"sentinel_stale_failover_epoch", "redis#2230", "all", "safety", "config-epoch-unique",
             "a sentinel elected by votes of a later epoch publishes its configuration with its old one",
             "votes_of", "current_epoch"},
    Mutation{"sentinel_votes_lost_on_epoch_advance", "redis#12865", "all", "safety", "majority-is-elected",
             "a majority that has arrived is not counted when a later epoch begins before the next tick",
             "votes_kept", "of_the_latest_epoch"},
    Mutation{"sentinel_divergent_electorate", "redis#6459", "all", "safety", "one-leader",
             "sentinels that have not heard of each other count different majorities", "electorate", "known"},
    Mutation{"sentinel_no_majority_rule", "", "", "safety", "elected-by-majority",
             "as many votes as the quorum elect a leader", "winner_needs", "quorum"},
    Mutation{"sentinel_votes_twice", "", "", "safety", "vote-once",
             "a sentinel votes for whoever asked last in an epoch", "vote_given", "last_to_ask"},
    Mutation{"sentinel_vote_not_durable", "", "", "safety", "vote-once",
             "a sentinel that restarts votes again in the same epoch", "vote_saved", "nothing"},
    Mutation{"sentinel_rank_ignored", "", "", "safety", "best-replica",
             "the replica with the lowest id is promoted, although another one has more writes",
             "replica_choice", "lowest_id"},
    Mutation{"sentinel_starts_alone", "", "", "safety", "quorum-sees-it-down",
             "one sentinel that does not reach the master begins a failover", "starts_when",
             "subjectively_down"},
    Mutation{"sentinel_publishes_too_early", "", "", "safety", "promotion-confirmed",
             "the new configuration names a server that is not yet a master", "promotion", "assumed"},
    Mutation{"sentinel_config_goes_back", "", "", "safety", "config-forward",
             "a sentinel takes over an older configuration", "config_accepted", "any"},
    Mutation{"sentinel_old_reports_count", "", "all", "safety", "quorum-sees-it-down",
             "reports that the old master is down count against the new one", "old_reports", "kept"},
    Mutation{"sentinel_overtaken_leader_goes_on", "", "all", "safety", "config-agree",
             "a leader that hears that the old master is the new one again goes on with its own failover",
             "overtaken", "compares_old_address"},
    Mutation{"sentinel_no_desync", "", "", "liveness", "all attempts at the same time",
             "all sentinels start at the same time, vote for themselves, and do so again", "desync", "none"},
    Mutation{"sentinel_old_master_left_alone", "", "", "liveness", "two masters stay",
             "the old master stays a master when it returns", "who_disagrees", "left_alone"},
};

}  // namespace

RuleTables<Rules> ruleTables() { return {all_variants, values, mutations}; }

}  // namespace zablab::sentinel
