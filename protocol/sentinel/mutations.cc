#include "protocol/sentinel/mutations.h"

#include <array>

namespace zablab::sentinel {
namespace {

constexpr std::array rows{
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

std::span<const Mutation> mutations() { return rows; }

}  // namespace zablab::sentinel
