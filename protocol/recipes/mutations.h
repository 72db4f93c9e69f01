// The planted bugs of the recipes, by name.
#pragma once

#include <array>

#include "protocol/rule_tables.h"

namespace zablab::recipes {

inline constexpr std::array recipe_mutations{
    Mutation{"recipe_no_guid", "", "", "safety", "one-place",
             "a client whose create may have been carried out creates another node", "lost_create",
             "creates_again"},
    Mutation{"recipe_looks_at_once", "", "", "safety", "one-place",
             "a client looks for its node before what it has asked is committed, and creates another",
             "lost_create", "looks_at_once"},
    Mutation{"recipe_looks_after_sync", "", "", "safety", "one-place",
             "a client looks for its node after a sync, which a leader answers before it has committed what "
             "it has proposed, and creates another",
             "lost_create", "looks_after_sync"},
    Mutation{"recipe_deletes_again", "", "", "safety", "one-holder",
             "a client whose delete may have been carried out deletes the next leader's node", "lost_delete",
             "deletes_again"},
    Mutation{"recipe_number_minus_one", "", "", "liveness", "nobody leads",
             "a contender watches the node whose number is one less, although it is gone", "watched_node",
             "number_minus_one"},
    Mutation{"recipe_watches_first", "", "", "safety", "no-herd", "every contender watches the leader's node",
             "watched_node", "first"},
    Mutation{"recipe_no_recheck_missing_pred", "", "", "liveness", "nobody leads",
             "a contender whose predecessor has gone meanwhile watches nothing", "missing_predecessor",
             "ignored"},
    Mutation{"recipe_data_watch_ignores_change", "", "", "liveness", "nobody leads",
             "a change of data uses up the watch of a deletion", "data_change", "ignored"},
    Mutation{"recipe_promote_without_recheck", "", "", "safety", "first-in-line",
             "a contender that is notified leads, whoever else is before it", "promotion", "at_once"},
    Mutation{"recipe_leader_flag_never_cleared", "", "", "safety", "first-in-line",
             "a leader whose node was deleted goes on to lead", "lost_place", "ignored"},
    Mutation{"recipe_empty_means_leader", "", "", "safety", "first-in-line",
             "a contender that reads an empty list leads", "empty_list", "leads"},
    Mutation{"recipe_close_before_flag", "", "", "safety", "one-holder",
             "a leader that has given its node up still believes that it leads", "resignation", "node_first"},
    Mutation{"recipe_expiry_ignored", "", "", "safety", "belief-ends",
             "a leader whose session is over goes on to lead", "session_loss", "ignored"},
    Mutation{"recipe_no_regain_after_reconnect", "", "", "liveness", "nobody leads",
             "a leader that was disconnected for a moment never leads again", "reconnection", "nothing"},
    Mutation{"recipe_no_rejoin_after_expiry", "", "", "liveness", "nobody leads",
             "a contender whose session was over takes part no more", "new_session", "nothing"},
    Mutation{"recipe_latch_stale_children", "", "", "safety", "one-holder",
             "a contender with a new session leads with the node of the old one", "new_session",
             "keeps_place"},
    Mutation{"recipe_released_at_first", "", "", "safety", "one-holder",
             "the first release of a lock that was acquired twice gives it up", "release", "first"},
    Mutation{"recipe_reader_passes_writers", "", "", "safety", "first-in-line",
             "a reader passes a writer that waits behind a reader", "reader", "behind_first"},
    Mutation{"recipe_one_lease_more", "", "", "safety", "one-holder",
             "a semaphore gives one lease more than it has", "leases", "one_more"},
    Mutation{"lock_no_fencing", "", "", "safety", "fencing",
             "a resource serves who has lost its lock without knowing it", "fencing", "unchecked"},
    Mutation{"barrier_enter_recounts", "", "", "liveness", "barrier-passes",
             "who is woken by a double barrier counts again, and waits if others are leaving already", "wake",
             "recounts"},
    Mutation{"barrier_ready_left_behind", "", "", "safety", "barrier-whole",
             "who comes while others are leaving enters a double barrier alone", "old_ready", "passes"},
};

}  // namespace zablab::recipes
