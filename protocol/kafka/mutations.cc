#include "protocol/kafka/mutations.h"

#include <array>

namespace zablab::kafka {
namespace {

constexpr std::array rows{
    Mutation{"kafka_no_epoch", "", "", "safety", "epoch-raised",
             "a controller has no epoch, and nothing fences the one before", "controller_epoch", "none"},
    Mutation{"kafka_no_zk_epoch_check", "KAFKA-6082", "", "safety", "controller-writes",
             "a controller that is no longer the controller writes the partition's state", "store_writes",
             "unchecked"},
    Mutation{"kafka_no_broker_epoch_check", "", "", "safety", "older-controller-refused",
             "a broker accepts a delayed request of an earlier controller", "older_controller", "accepted"},
    Mutation{"kafka_leader_epoch_kept", "", "", "safety", "one-leader-in-epoch",
             "two leaders of the partition have the same leader epoch", "leader_epoch", "kept"},
    Mutation{"kafka_assignment_ignored", "", "", "safety", "first-live-leads",
             "the live replica with the lowest id becomes the leader", "leader_order", "by_id"},
    Mutation{"kafka_no_own_znode_check", "", "", "liveness", "nobody acts as the controller",
             "a broker whose reply was lost takes its own node for another broker's", "failed_claim", "lost"},
    Mutation{"kafka_stale_ephemeral", "KAFKA-7165", "before 2.1", "liveness",
             "a live broker is not registered",
             "a restarted broker keeps the node of its earlier session, which then vanishes",
             "old_registration", "kept"},
    Mutation{"kafka_watch_not_rearmed", "", "", "liveness", "nobody is elected",
             "a broker that was notified once is not notified again", "controller_watch", "set_once"},
    Mutation{"kafka_change_without_election", "", "3.x", "liveness", "nobody is elected",
             "a broker that learns of a creation when the node is already deleted again does not stand",
             "no_controller", "waits"},
    Mutation{"kafka_no_kip380", "KAFKA-7235", "before 2.2", "safety", "requests-for-this-process",
             "a restarted broker accepts a request that was meant for the process before", "broker_epoch",
             "ignored"},
    Mutation{"kafka_unclean", "", "default before 0.11", "safety", "acknowledged-kept",
             "a replica that is not in sync becomes the leader", "unclean_election", "enabled"},
    Mutation{"kafka_truncate_to_hw", "KAFKA-1211", "before 0.11", "safety", "acknowledged-kept",
             "a follower removes records that are committed, but not as it knows", "truncation",
             "to_high_watermark"},
    Mutation{"kafka_isr_shrink_without_store", "", "", "safety", "acknowledged-kept",
             "a leader that was deposed commits without the followers that have deposed it", "isr_shrink",
             "at_once"},
    Mutation{"kafka_isr_version_ignored", "", "", "safety", "controller-writes",
             "a leader that was deposed writes itself as the leader again", "isr_version", "ignored"},
    Mutation{"kafka_no_flush", "", "default", "safety", "acknowledged-kept",
             "a replica in sync loses power and what it has acknowledged", "log_flush", "later"},
    Mutation{"kafka_no_request_retry", "", "", "liveness", "a live broker does not know the leader",
             "a controller does not connect again to a broker that it could not reach", "request_retry",
             "none"},
};

}  // namespace

std::span<const Mutation> mutations() { return rows; }

}  // namespace zablab::kafka
