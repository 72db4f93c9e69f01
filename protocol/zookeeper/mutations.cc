#include "protocol/zookeeper/mutations.h"

#include <array>

#include "protocol/recipes/mutations.h"
#include "protocol/zab/mutations.h"

namespace zablab::zookeeper {
namespace {

constexpr std::array own_rows{
    Mutation{"client_sees_the_past", "", "", "safety", "monotonic-reads",
             "a server accepts clients that have seen more than it has", "last_seen", "unchecked"},
    Mutation{"client_sync_at_once", "", "", "safety", "sync-through-leader",
             "a follower answers a sync itself", "client_sync", "at_once"},
    Mutation{"client_reads_at_once", "", "", "safety", "answers-in-order",
             "a client's read overtakes what the client asked before", "answers", "reads_at_once"},
    Mutation{"watch_after_data", "", "", "safety", "watch-before-data",
             "a client reads the new data before it is notified of the change", "watch_order", "after_reply"},
    Mutation{"watches_not_registered_again", "ZOOKEEPER-23", "fixed in 3.0.0", "safety", "watch-before-data",
             "a client that connects again does not register its watches", "reregistration", "never"},
    Mutation{"watches_registered_as_new", "", "", "safety", "watch-before-data",
             "a client that connects again registers its watches as if it had seen everything",
             "reregistration", "as_new"},
    Mutation{"close_forgets_outstanding", "ZOOKEEPER-1496", "fixed in 3.4.4, 3.5.0", "safety", "sessions-end",
             "an ephemeral node that was only proposed when its session closed stays", "closed_ephemerals",
             "applied_alone"},
    Mutation{"session_owner_unchecked", "ZOOKEEPER-417", "fixed in 3.2.0", "safety", "session-order",
             "a write through the connection that a session has left is carried out", "session_owner",
             "unchecked"},
    Mutation{"session_accepted_unseen", "", "", "safety", "sessions-end",
             "a server accepts a session that is over", "session_check", "at_once"},
    Mutation{"sequence_counts_children", "", "", "safety", "transactions-true",
             "a number of a deleted sequential node is given again", "sequence_numbers", "children"},
    Mutation{"creations_counted_again", "", "", "safety", "answers-true",
             "a server that starts counts the creations after its snapshot twice", "parent_counter",
             "counted"},
    Mutation{"watches_fire_again", "", "", "safety", "watch-before-data",
             "a watch that was used up fires once more", "watches_once", "kept"},
    Mutation{"deletion_reported_twice", "", "", "safety", "watch-before-data",
             "a client with two watches of a node is notified twice of its deletion", "deletion_events",
             "per_table"},
    Mutation{"ephemerals_have_children", "", "", "safety", "transactions-true",
             "a child of an ephemeral node is created", "ephemeral_children", "allowed"},
    Mutation{"versions_ignored", "", "", "safety", "transactions-true",
             "a write is carried out although the version is not the expected one", "expected_version",
             "ignored"},
    Mutation{"rights_unchecked", "", "", "safety", "transactions-true",
             "a client does what it has no right to", "rights", "reads_alone"},
    Mutation{"expired_ephemerals_stay", "", "", "safety", "sessions-end",
             "the ephemeral nodes of an expired session stay", "expiry", "keeps_ephemerals"},
    Mutation{"multi_half_done", "", "", "safety", "transactions-true",
             "a multi that fails has made its first changes", "multi_fails", "from_failure"},
};

constexpr auto rows = joined(joined(zab::broadcast_mutations, own_rows), recipes::recipe_mutations);

}  // namespace

std::span<const Mutation> mutations() { return rows; }

}  // namespace zablab::zookeeper
