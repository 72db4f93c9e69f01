#include "protocol/redis_cluster/rules.h"

#include <array>

namespace zablab::redis_cluster {
namespace {

// Sources are functions of src/cluster.c of Redis 7.0.15, unless another is named.
constexpr std::array values{
    RuleValue{"precondition", "master_failed",
              "a master votes for a replica only if the replica's master is FAIL in its own view, or the "
              "request is "
              "forced",
              "clusterSendFailoverAuthIfNeeded"},
    RuleValue{"precondition", "none", "it does not matter whether the replica's master works",
              "document 001, 2.2: a master votes for the first replica that asks"},
    RuleValue{
        "owner_epoch", "compared",
        "it does not vote for a replica that claims a slot whose owner has a higher configuration epoch",
        "clusterSendFailoverAuthIfNeeded"},
    RuleValue{"owner_epoch", "not_compared", "it does not compare configuration epochs", "document 001, 2.2"},
    RuleValue{"vote_gap", "twice_timeout",
              "it does not vote for replicas of the same master twice within twice the node time-out",
              "clusterSendFailoverAuthIfNeeded, voted_time"},
    RuleValue{"vote_gap", "not_if_forced",
              "a request that is forced, as that of a manual failover is, is not refused for this reason",
              "Valkey, pull request 1305"},
    RuleValue{"vote_gap", "none", "one vote in each epoch, regardless of time", "document 001, 2.2"},
    RuleValue{"vote_saved", "before_ack", "the vote is on the disk before it is sent",
              "clusterSendFailoverAuthIfNeeded, CLUSTER_TODO_FSYNC_CONFIG"},
    RuleValue{"vote_saved", "never", "the vote is only in memory", "no source: for tests"},
    RuleValue{"own_epoch", "votes",
              "a master also votes in the epoch that is its own configuration epoch, as a replica that was "
              "just elected in it has",
              "clusterSendFailoverAuthIfNeeded; found by random runs"},
    RuleValue{"own_epoch", "no_vote", "it does not vote in that epoch", "no source: a repair"},
    RuleValue{"voter_offset", "not_compared", "voters do not compare how much data replicas have",
              "clusterSendFailoverAuthIfNeeded"},
    RuleValue{"voter_offset", "compared",
              "a voter refuses a replica if it knows one of the same master that works and has more",
              "no source: a repair"},
    RuleValue{"counted", "voters", "a voter counts once, as connections without duplicates ensure",
              "clusterProcessPacket, FAILOVER_AUTH_ACK over TCP"},
    RuleValue{"counted", "messages", "every acknowledgement counts", "no source: for tests"},
    RuleValue{"late_ack", "ignored", "votes that arrive after the time-out do not count",
              "clusterHandleSlaveFailover, auth_age > auth_timeout"},
    RuleValue{"late_ack", "counted", "they count until the next attempt begins", "no source: a repair"},
    RuleValue{
        "data_age", "from_link_down",
        "when the connection to the master ends, the age of the data is counted from then; a replica that "
        "had none since it started has data that are too old for ever",
        "clusterHandleSlaveFailover, repl_down_since"},
    RuleValue{"data_age", "from_last_data", "it is counted from the last data that were received",
              "no source: a repair"},
    RuleValue{
        "data_age", "from_start",
        "as from_link_down, but without a connection it is counted from the start of the process, or of "
        "being a replica",
        "no source: for tests"},
    RuleValue{"factor_zero", "always_eligible", "a validity factor of 0 disables the check",
              "clusterHandleSlaveFailover"},
    RuleValue{"factor_zero", "strictest", "a smaller factor makes a failover less likely, 0 included",
              "document 001, 2.2, 4.1"},
    RuleValue{"delay", "by_offset",
              "the delay grows with the number of replicas of the same master that have more",
              "clusterGetSlaveRank"},
    RuleValue{"delay", "by_failed_masters_too",
              "replicas of different failed masters also wait for each other, 500 ms each",
              "Valkey, pull request 1018"},
    RuleValue{"delay", "same_for_all", "replicas do not wait for those that have more",
              "no source: for tests"},
    RuleValue{"takeover", "at_once", "a takeover needs no votes", "clusterBumpConfigEpochWithoutConsensus"},
    RuleValue{"takeover", "by_votes", "a takeover asks for votes, which are given although the master works",
              "CLUSTER FAILOVER FORCE"},
    RuleValue{"collision", "smaller_id_moves",
              "of two masters with the same configuration epoch the one with the smaller id takes a new one",
              "clusterHandleConfigEpochCollision"},
    RuleValue{"collision", "stays", "both keep it", "no source: for tests"},
    RuleValue{"claim", "higher_epoch", "a slot belongs to the claimant with the highest configuration epoch",
              "clusterUpdateSlotsConfigWith"},
    RuleValue{"claim", "last_heard", "it belongs to the claimant that was heard last",
              "no source: for tests"},
    RuleValue{"stale_replica", "not_told",
              "a replica that has missed its master's new configuration epoch is not told of it by others, "
              "and gets no "
              "votes after the master's death",
              "clusterProcessPacket, dirty_slots"},
    RuleValue{"stale_replica", "told", "it is sent an UPDATE, as a node that claims another one's slots is",
              "no source: a repair"},
    RuleValue{"demoted_slots", "deleted",
              "when a master says that it is a replica now, its slots have no owner until one claims them",
              "clusterProcessPacket, clusterDelNodeSlots: up to 7.2.7"},
    RuleValue{"demoted_slots", "moved",
              "they belong to its master, with the configuration epoch that it claims",
              "clusterProcessPacket, clusterMoveNodeSlots: 7.2.8, and from 7.4 on (pull request 13055)"},
    RuleValue{"sub_replica", "at_claims",
              "a replica of a replica looks for the latter's master when a master claims other slots than it "
              "knew; if the slots were moved before, it stays where it is",
              "clusterUpdateSlotsConfigWith: up to 8.8 (issue 15472)"},
    RuleValue{"sub_replica", "always", "it does so at every PING and PONG",
              "clusterProcessPacket, after 8.8 (pull request 15530)"},
    RuleValue{"role_change", "not_announced",
              "a node that becomes a replica, or another master's, tells it with its next PINGs and PONGs",
              "clusterSetMaster"},
    RuleValue{"role_change", "announced", "it tells all others at once", "Valkey, pull request 1295"},
    RuleValue{"minority", "refuses",
              "a master that does not reach a majority of the masters refuses requests",
              "clusterUpdateState"},
    RuleValue{"minority", "serves", "it continues to serve", "no source: for tests"},
    RuleValue{"manual_writes", "postponed",
              "a master whose replica was instructed to replace it executes no writes for up to 5 s",
              "clusterProcessPacket, CLUSTERMSG_TYPE_MFSTART"},
    RuleValue{"manual_writes", "executed", "it goes on executing them", "no source: for tests"},
    RuleValue{"manual_offset", "awaited",
              "the replica asks for votes when it has everything that its master has executed",
              "clusterHandleManualFailover"},
    RuleValue{"manual_offset", "not_awaited", "it asks at once", "no source: for tests"},
};

constexpr Rules real{};
constexpr Rules fixed{.vote_gap = VoteGap::not_if_forced,
                      .own_epoch = OwnEpoch::no_vote,
                      .voter_offset = VoterOffset::compared,
                      .late_ack = LateAck::counted,
                      .data_age = DataAge::from_last_data,
                      .delay = Delay::by_failed_masters_too,
                      .takeover = Takeover::by_votes,
                      .stale_replica = StaleReplica::told,
                      .demoted_slots = DemotedSlots::moved,
                      .sub_replica = SubReplica::always,
                      .role_change = RoleChange::announced};
constexpr Rules textbook{.precondition = Precondition::none,
                         .owner_epoch = OwnerEpoch::not_compared,
                         .vote_gap = VoteGap::none,
                         .late_ack = LateAck::counted,
                         .factor_zero = FactorZero::strictest};

constexpr std::array all_variants{
    Variant{"fixed", fixed,
            "Redis 7.0.15 with repairs of every weakness but the loss of writes that were not replicated"},
    Variant{"real", real, "Redis 7.0.15 as it is, with its weaknesses"},
    Variant{"textbook", textbook, "document 001: a master votes once in each epoch, for the first that asks"},
};

// The planted bugs of a Redis Cluster, by name.
constexpr std::array mutations{
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

RuleTables<Rules> ruleTables() { return {all_variants, values, mutations}; }

}  // namespace zablab::redis_cluster
