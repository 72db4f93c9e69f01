#include "protocol/zab_register/mutations.h"

#include <array>

#include "protocol/zab/mutations.h"

namespace zablab::zab {
namespace {

constexpr std::array own_rows{
    Mutation{"client_sees_the_past", "", "", "safety", "monotonic-reads",
             "a server accepts clients that have seen more than it has", "last_seen", "unchecked"},
    Mutation{"client_sync_at_once", "", "", "safety", "sync-through-leader",
             "a follower answers a sync itself", "client_sync", "at_once"},
    Mutation{"client_reads_at_once", "", "", "safety", "answers-in-order",
             "a client's read overtakes what the client asked before", "answers", "reads_at_once"},
    Mutation{"client_asks_again", "", "", "safety", "done-once",
             "a client repeats a request that was not answered when it lost its connection", "unanswered",
             "asked_again"},
    Mutation{"client_gets_another_answer", "", "", "safety", "answers-true",
             "a write that its client has given up is answered as the next one", "answers", "oldest_write"},
};

constexpr auto rows = joined(broadcast_mutations, own_rows);

}  // namespace

std::span<const Mutation> mutations() { return rows; }

}  // namespace zablab::zab
