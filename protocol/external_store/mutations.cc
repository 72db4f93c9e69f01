#include "protocol/external_store/mutations.h"

#include <array>

namespace zablab::external_store {
namespace {

constexpr std::array rows{
    Mutation{"ext_no_fencing_token", "", "a resource without tokens", "safety", "fence",
             "a leader whose key has expired writes after the next one has", "fencing", "ignored"},
    Mutation{"ext_deadline_from_reply_time", "", "etcd's client", "safety", "one-believer",
             "a leader counts on its lease from the answer, the store from the request", "deadline",
             "from_reply"},
    Mutation{"ext_no_margin", "", "etcd's client", "safety", "one-believer",
             "a leader's clock is slower than the store's", "margin", "none"},
    Mutation{"ext_no_step_down_on_expiry", "", "document 004", "safety", "one-believer",
             "a leader whose lease has ended goes on", "step_down", "never"},
    Mutation{"ext_finishes_its_work", "", "what client-go warns of", "safety", "acts-as-leader",
             "a leader that has stepped down completes a write", "unfinished_work", "finished"},
    Mutation{"ext_delete_without_compare", "", "", "safety", "deleted-by-owner",
             "a leader whose key has expired deletes the next one's", "release", "unconditional"},
    Mutation{"ext_get_then_put", "", "", "safety", "one-holder",
             "between a candidate's reading and its writing another one has put its key", "acquire",
             "get_then_put"},
    Mutation{"ext_queue_no_own_key_recheck", "", "etcd's Election.Campaign", "safety", "elected-was-first",
             "a candidate leads at the end of its wait, although its own key has expired meanwhile", "waiter",
             "trusts_the_wait"},
    Mutation{"ext_queue_no_look_at_the_queue", "", "", "safety", "elected-was-first",
             "a candidate leads when the one before it is gone, although an older one leads", "waiter",
             "trusts_the_notification"},
    Mutation{"ext_watch_gap", "", "document 004", "liveness", "nobody leads",
             "a key is deleted before it is watched, and nobody is notified", "watch_from", "now"},
    Mutation{"ext_no_recontend_after_new_session", "", "document 004", "liveness", "nobody leads",
             "the only candidate's session has expired, and it waits for a deletion", "new_session", "waits"},
    Mutation{"ext_lost_cas_reply", "", "document 004", "liveness", "the holder does not lead",
             "the reply of a successful attempt is lost, and the next one says that the key exists",
             "on_exists", "believes_the_reply"},
    Mutation{"ext_unconfirmed_renewal", "etcd#15247", "before pull request 16822", "safety", "lease-time",
             "a server that was the store's leader renews a lease that the new leader ends", "renewal",
             "unconfirmed"},
    Mutation{"ext_deposed_leader_ends_leases", "etcd#15247", "before pull request 16822", "safety",
             "one-believer", "a server that was the store's leader has a lease ended that was renewed since",
             "deposed_leader", "measures_on"},
    Mutation{"ext_store_vote_forgotten", "", "", "safety", "store-one-leader",
             "a server of the store that restarts votes again in the same generation", "store_vote",
             "forgotten"},
    Mutation{"ext_store_ack_at_once", "", "", "safety", "store-agreement",
             "a server of the store acknowledges an entry that a power loss takes from it", "store_ack",
             "at_once"},
    Mutation{"ext_stale_read_store", "", "etcd's serializable reads", "safety", "read-is-current",
             "a server of the store that is cut off answers a client with who led before", "store_read",
             "local"},
    Mutation{"ext_new_leader_measures_nothing", "", "", "liveness", "nobody leads",
             "a new leader of the store never ends the lease of a candidate that has died", "new_leader",
             "measures_nothing"},
};

}  // namespace

std::span<const Mutation> mutations() { return rows; }

}  // namespace zablab::external_store
