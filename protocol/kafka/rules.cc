#include "protocol/kafka/rules.h"

#include <array>

namespace zablab::kafka {
namespace {

constexpr std::array values{
    RuleValue{"controller_epoch", "raised_with_claim",
              "one multi creates /controller and raises /controller_epoch, if its version is the one read",
              "Kafka 3.x, KafkaZkClient.scala: registerControllerAndIncrementControllerEpoch"},
    RuleValue{"controller_epoch", "none", "whoever creates /controller is the controller, without an epoch",
              "documents 001 and 004"},
    RuleValue{"store_writes", "with_epoch_check",
              "a controller writes only if the version of /controller_epoch is the one of its own claim",
              "Kafka 3.x, KafkaZkClient.scala: wrapRequestWithControllerEpochCheck; KAFKA-6082"},
    RuleValue{"store_writes", "unchecked", "it writes whatever the epoch is", "Kafka before KAFKA-6082"},
    RuleValue{
        "older_controller", "refused",
        "a broker refuses a request of an earlier controller epoch than the latest that it has accepted",
        "Kafka 3.x, ReplicaManager.scala: becomeLeaderOrFollower"},
    RuleValue{"older_controller", "accepted", "it accepts every request", "no source: for tests"},
    RuleValue{"failed_claim", "read_again",
              "after NODEEXISTS or BADVERSION a broker reads who the controller is: it may be itself",
              "Kafka 3.x, KafkaZkClient.scala: checkControllerAndEpoch"},
    RuleValue{"failed_claim", "lost", "NODEEXISTS or BADVERSION mean that another broker is the controller",
              "no source: for tests"},
    RuleValue{"old_registration", "replaced",
              "a node of an earlier session below /brokers/ids is deleted and created again",
              "Kafka 2.1 and later, KafkaZkClient.scala: CheckedEphemeral; KAFKA-7165"},
    RuleValue{"old_registration", "kept", "the broker takes it for its own", "Kafka before KAFKA-7165"},
    RuleValue{"controller_watch", "set_again", "every read of /controller sets the watch again",
              "Kafka 3.x, ZooKeeperClient.scala: shouldWatch"},
    RuleValue{"controller_watch", "set_once", "the watch is set when the broker starts",
              "no source: for tests"},
    RuleValue{"no_controller", "elects", "whoever reads that there is no controller stands for election",
              "no source: what Kafka lacks"},
    RuleValue{"no_controller", "waits",
              "who was notified that /controller was created or changed only resigns, even if it is gone",
              "Kafka 3.x, KafkaController.scala: processControllerChange"},
    RuleValue{"expiry_handled", "before_new_session",
              "an expired session ends what the controller does, before there is a new session",
              "Kafka 3.x, KafkaController.scala: beforeInitializingSession"},
    RuleValue{"expiry_handled", "in_turn",
              "the new session begins at once; the expiry waits behind what the controller has to do",
              "Kafka before KAFKA-5642"},
    RuleValue{"leader_epoch", "raised", "a new leader of the partition has the next leader epoch",
              "Kafka 3.x, LeaderAndIsr.scala: newLeaderAndIsr"},
    RuleValue{"leader_epoch", "kept", "it has the leader epoch of the last one", "no source: for tests"},
    RuleValue{"leader_order", "assignment", "the first live replica of the assignment becomes the leader",
              "Kafka 3.x, PartitionLeaderElectionAlgorithms: offlinePartitionLeaderElection"},
    RuleValue{"leader_order", "by_id", "the live replica with the lowest id does", "no source: for tests"},
    RuleValue{"broker_epoch", "checked",
              "a broker refuses a controller's request that is meant for an earlier process of it",
              "KIP-380; Kafka 2.2 and later, KafkaApis.scala: isBrokerEpochStale"},
    RuleValue{"broker_epoch", "ignored", "it does not know for which of its processes a request is meant",
              "Kafka before 2.2"},
    RuleValue{"unclean_election", "disabled", "without a live replica in sync the partition has no leader",
              "Kafka 0.11 and later, unclean.leader.election.enable=false"},
    RuleValue{"unclean_election", "enabled", "then the first live replica becomes the leader",
              "Kafka before 0.11, or unclean.leader.election.enable=true"},
    RuleValue{"truncation", "to_epoch_end",
              "a follower asks the leader where its last leader epoch ends, and removes what is after it",
              "KIP-101; Kafka 0.11 and later, AbstractFetcherThread.scala"},
    RuleValue{"truncation", "to_high_watermark", "it removes what is after its own high watermark",
              "Kafka before 0.11"},
    RuleValue{"isr_shrink", "after_write", "a record needs a follower until ZooKeeper has the ISR without it",
              "Kafka 3.x, Partition.scala: maximalIsr"},
    RuleValue{"isr_shrink", "at_once", "a leader no longer waits for it when it has asked for that",
              "no source: for tests"},
    RuleValue{"isr_version", "compared",
              "a leader's write of the ISR is conditional on the version of the partition's state",
              "Kafka 2.x, ReplicationUtils.scala: updateLeaderAndIsr"},
    RuleValue{"isr_version", "ignored", "it writes whatever the version is", "no source: for tests"},
    RuleValue{
        "in_sync", "with_everything",
        "a follower that has all of the leader's log stays in sync; otherwise it has to have fetched, in the "
        "last replica.lag.time.max.ms, what there was at that fetch or at the one before",
        "Kafka 2.1 and later, Replica.scala: isCaughtUp, updateFetchStateOrThrow"},
    RuleValue{"in_sync", "by_fetches", "the latter alone counts",
              "Kafka 0.10.2 to 2.0, Partition.scala: getOutOfSyncReplicas; KAFKA-4485"},
    RuleValue{"in_sync", "at_end", "only a fetch at the end of the leader's log counts",
              "Kafka 0.9 to 0.10.1, Replica.scala: isReadFromLogEnd"},
    RuleValue{
        "stale_isr", "reads_again",
        "a leader whose write of the ISR names an old version reads the state, and goes on with what it "
        "says, if it still leads there",
        "what KAFKA-2729 asks for"},
    RuleValue{"stale_isr", "waits", "it waits until a controller sends it the state",
              "Kafka 3.x, Partition.scala: handleAlterPartitionError, INVALID_UPDATE_VERSION"},
    RuleValue{"min_isr", "refuses", "acks=all is refused if fewer than min.insync.replicas are in sync",
              "Kafka 3.x, Partition.scala: appendRecordsToLeader, checkEnoughReplicasReachOffset"},
    RuleValue{"min_isr", "ignored", "it is answered when all that are in sync have the record, however few",
              "no source: for tests"},
    RuleValue{"log_flush", "before_answer", "a replica flushes what it appends",
              "log.flush.interval.messages=1"},
    RuleValue{"log_flush", "later", "the operating system does that later", "Kafka's default"},
    RuleValue{"request_retry", "until_connected",
              "every 100 ms a controller connects again to the live brokers that it has no connection to",
              "Kafka 3.x, ControllerChannelManager.scala: RequestSendThread"},
    RuleValue{"request_retry", "none", "it connects again only when it has a new request",
              "no source: for tests"},
};

constexpr Rules fixed{};
constexpr Rules real{
    .no_controller = NoController::waits, .stale_isr = StaleIsr::waits, .log_flush = LogFlush::later};

constexpr Rules textbook{.controller_epoch = ControllerEpoch::none};

constexpr Rules unfenced{.store_writes = StoreWrites::unchecked,
                         .no_controller = NoController::waits,
                         .expiry_handled = ExpiryHandled::in_turn,
                         .broker_epoch = BrokerEpoch::ignored,
                         .unclean_election = UncleanElection::enabled,
                         .truncation = Truncation::to_high_watermark,
                         .stale_isr = StaleIsr::waits,
                         .in_sync = InSync::at_end,
                         .log_flush = LogFlush::later};

constexpr std::array all_variants{
    Variant{"fixed", fixed, "as in Kafka 3.x with ZooKeeper, with what is unsafe or can stop there repaired"},
    Variant{"real", real, "as in Kafka 3.x with ZooKeeper"},
    Variant{"unfenced", unfenced,
            "as in Kafka before 0.11 and KAFKA-5642, KAFKA-6082 and KIP-101: without fences, with unclean "
            "elections"},
    Variant{"textbook", textbook, "as documents 001 and 004 describe it: no epoch fences an old controller"},
};

// The planted bugs, by name.
constexpr std::array mutations{
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

RuleTables<Rules> ruleTables() { return {all_variants, values, mutations}; }

}  // namespace zablab::kafka
