#include "protocol/redis_cluster/mutations.h"

#include <array>

namespace zablab::redis_cluster {
namespace {

constexpr std::array rows{
    Mutation{"rc_vote_not_durable", "", "", "safety", "one-vote-per-epoch",
             "a master that restarts votes again in the same epoch", "vote_saved", "never"},
    Mutation{"rc_winner_votes", "", "all", "safety", "one-winner-per-epoch",
             "a replica that was elected votes for another one in the same epoch", "own_epoch", "votes"},
    Mutation{"rc_ack_dup_counts", "", "", "safety", "winner-has-majority",
             "a vote that arrives twice counts twice", "counted", "messages"},
    Mutation{"rc_no_fail_precondition", "", "", "safety", "votes-for-failed",
             "a master votes against a master that works", "precondition", "none"},
    Mutation{"rc_no_config_epoch_check", "", "", "safety", "votes-know-owners",
             "a replica that missed a failover is elected for slots that have another owner", "owner_epoch",
             "not_compared"},
    Mutation{"rc_last_claim_wins", "", "", "safety", "slot-epoch-grows",
             "a master that was replaced gets its slots back when it returns", "claim", "last_heard"},
    Mutation{"rc_no_minority_stop", "", "", "safety", "served-by-majority",
             "a master that is cut off from the others answers writes that will be lost", "minority",
             "serves"},
    Mutation{"rc_manual_no_pause", "", "", "safety", "manual-failover-loses-nothing",
             "a master goes on executing writes while a replica that was instructed to replaces it",
             "manual_writes", "executed"},
    Mutation{"rc_manual_no_offset", "", "", "safety", "manual-failover-loses-nothing",
             "a replica that was instructed to replaces its master before it has the last writes",
             "manual_offset", "not_awaited"},
    Mutation{"rc_rank_ignored", "", "", "liveness", "a replica with less data is elected",
             "replicas do not wait for those that have more", "delay", "same_for_all"},
    Mutation{"rc_no_epoch_collision_fix", "", "", "liveness", "config epochs collide",
             "two masters keep the same configuration epoch", "collision", "stays"},
};

}  // namespace

std::span<const Mutation> mutations() { return rows; }

}  // namespace zablab::redis_cluster
