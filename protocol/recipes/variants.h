// The values of the recipes' rules with their sources, and the two programs of document 003 as it prints
// them.
#pragma once

#include <array>

#include "protocol/recipes/rules.h"
#include "protocol/rule_tables.h"

namespace zablab::recipes {

inline constexpr std::array rule_values{
    RuleValue{"lost_create", "looks",
              "a client whose create may have been carried out waits for a write that changes nothing, and "
              "looks for its node before it creates another",
              "ZooKeeper's recipes, the GUID in the name; a write is answered after all before it"},
    RuleValue{"lost_create", "looks_after_sync",
              "it syncs and looks: a leader answers a sync at once, whatever it has proposed",
              "no source: CommitProcessor, matchSyncs, which is false at a leader"},
    RuleValue{"lost_create", "looks_at_once",
              "it looks at the server that it is connected to, which may lag behind the create",
              "Curator, findProtectedNodeInForeground"},
    RuleValue{"lost_create", "creates_again", "it creates another node",
              "document 002's text of the lock; zookeeper-recipes, LeaderElectionSupport"},
    RuleValue{"lost_create", "gives_up", "it takes part no more, and its session stays open",
              "document 003 l.433-437"},
    RuleValue{"lost_delete", "looks",
              "a client whose delete may have been carried out waits for a write that changes nothing, and "
              "deletes the node only if it is still its own",
              "setData and delete with an expected version; Chubby's sequencers"},
    RuleValue{"lost_delete", "deletes_again", "it deletes the node, whoever owns it now",
              "a retry loop around delete"},
    RuleValue{"watched_node", "predecessor", "a contender watches the next lower node that there is",
              "ZooKeeper's recipes, Leader Election"},
    RuleValue{"watched_node", "number_minus_one", "it watches the node whose number is one less",
              "document 003 l.341-345, a comment"},
    RuleValue{"watched_node", "first", "it watches the node of the leader",
              "Curator's InterProcessReadWriteLock watches the first write node"},
    RuleValue{"missing_predecessor", "looks_again",
              "if the node to be watched has gone meanwhile, it lists the children again",
              "ZooKeeper's recipes, Locks"},
    RuleValue{"missing_predecessor", "ignored", "it waits, and watches nothing",
              "document 003 l.515-519; zookeeper-recipes, WriteLock"},
    RuleValue{"data_change", "watches_again", "a change of the watched node's data sets the watch again",
              "a watch fires once"},
    RuleValue{"data_change", "ignored", "it uses the watch up", "document 003 l.532-534"},
    RuleValue{"promotion", "rechecks", "a contender that is notified lists the children",
              "document 000 l.432"},
    RuleValue{"promotion", "at_once", "it leads", "what document 000 l.432 warns of"},
    RuleValue{"own_node", "unwatched", "a leader does not watch its own node", "ZooKeeper's recipes"},
    RuleValue{"own_node", "watched", "it does, and notices that somebody else deletes it",
              "against document 003's flag, which nothing clears"},
    RuleValue{"lost_place", "joins_again", "a contender that does not find its node takes a new place",
              "Curator, LeaderLatch"},
    RuleValue{"lost_place", "ignored", "it goes on as before", "document 003 l.168-170, l.512-513"},
    RuleValue{"empty_list", "no_place", "an empty list of children does not contain the own node",
              "no node, no place"},
    RuleValue{"empty_list", "leads", "who reads an empty list leads", "document 003 l.176-178"},
    RuleValue{"resignation", "belief_first", "a leader stops to believe before it gives its node up",
              "document 003's first program, l.150-154"},
    RuleValue{"resignation", "node_first", "it believes until its node, or its session, is gone",
              "document 003's second program, l.453-456"},
    RuleValue{"session_loss", "doubts",
              "a leader that is not connected, or whose session is over, does not believe that it leads",
              "ZooKeeper's programmer's guide; Curator, StandardConnectionStateErrorPolicy"},
    RuleValue{"session_loss", "ignored", "it goes on to believe",
              "zookeeper-recipes, LeaderElectionSupport, which stays ELECTED"},
    RuleValue{"reconnection", "rechecks", "a client that is connected again looks at its place",
              "Curator, LeaderLatch"},
    RuleValue{"reconnection", "nothing", "it waits for its watch", "document 003 l.111-118"},
    RuleValue{"new_session", "joins", "with a new session a contender takes a new place",
              "Curator, LeaderLatch"},
    RuleValue{"new_session", "keeps_place", "it looks for its old node, which a server that lags still lists",
              "Curator's LeaderLatch, before it compared ephemeralOwner"},
    RuleValue{"new_session", "nothing", "it takes part no more", "document 003 l.111-118"},
    RuleValue{"base_exists", "joins", "who finds that another has created the parent node takes part",
              "NodeExists is no failure"},
    RuleValue{"base_exists", "gives_up", "it takes part no more, and its session stays open",
              "document 003 l.129-142"},
    RuleValue{"first_connection", "waits", "a program waits for its first connection",
              "ZooKeeper's client tries for ever"},
    RuleValue{"first_connection", "limited", "it gives up after 29.7 s", "document 003 l.120-139"},
    RuleValue{"release", "last", "the last release of a lock that was acquired several times gives it up",
              "document 000 l.343-345; Curator, InterProcessMutex"},
    RuleValue{"release", "first", "the first one does, and the client works on", "no source: for tests"},
    RuleValue{"reader", "behind_writers", "a reader waits for every writer before it",
              "ZooKeeper's recipes, Shared Locks"},
    RuleValue{"reader", "behind_first", "it waits if the first of the line is a writer",
              "no source: for tests"},
    RuleValue{"leases", "limited", "as many clients hold a semaphore as it has leases",
              "Curator, InterProcessSemaphoreV2"},
    RuleValue{"leases", "one_more", "one more does", "no source: for tests"},
    RuleValue{"fencing", "checked", "a resource refuses who comes with an older number than it has seen",
              "Chubby's sequencers; document 004"},
    RuleValue{"fencing", "unchecked", "it serves everybody", "a resource that knows no tokens"},
    RuleValue{"wake", "trusts_ready", "who is notified that all are there enters a double barrier",
              "ZooKeeper's recipes, Double Barriers"},
    RuleValue{"wake", "recounts", "it counts the nodes again, some of which may be gone",
              "Curator, DistributedDoubleBarrier.internalEnter"},
    RuleValue{"old_ready", "waits", "who finds the node of an earlier round waits for its end",
              "the rounds of a barrier that is used again"},
    RuleValue{"old_ready", "passes", "it enters", "Curator, DistributedDoubleBarrier.enter"},
    RuleValue{"round_end", "ready_gone",
              "who leaves a double barrier is out when `ready` is gone, or everybody is",
              "the last one deletes `ready` together with its node"},
    RuleValue{"round_end", "nobody_there",
              "it is out when everybody is, and waits for those who come to the next round",
              "ZooKeeper's recipes, Double Barriers; found in random runs"},
    RuleValue{"barrier_end", "deletion", "who waits at a barrier passes when its node is deleted",
              "ZooKeeper's recipes, Barriers"},
    RuleValue{"barrier_end", "any_event", "it passes when its watch fires", "a watch that is not looked at"},
    RuleValue{"queue_take", "when_deleted", "a consumer has an item when it has deleted it",
              "ZooKeeper's recipes, Queues"},
    RuleValue{"queue_take", "when_read", "it has it when it has read it", "no source: for tests"},
    RuleValue{"item_lock", "held", "a consumer of a protected queue locks an item before it processes it",
              "Curator, DistributedQueue with a lock path"},
    RuleValue{"item_lock", "none", "it does not", "no source: for tests"},
    RuleValue{"queue_process", "before_delete", "it processes an item before it deletes it",
              "Curator, DistributedQueue.processWithLockSafety"},
    RuleValue{"queue_process", "after_delete", "it deletes it first, and may die in between",
              "a queue without protection"},
    RuleValue{"site_node", "ephemeral", "a site's node ends with its session, and a dead site aborts",
              "ZooKeeper's recipes, Two-phased Commit"},
    RuleValue{"site_node", "persistent", "it stays, and the coordinator waits for its vote",
              "a transaction node with persistent children"},
    RuleValue{"twopc_decision", "all_votes", "a coordinator commits when all sites have voted to commit",
              "ZooKeeper's recipes, Two-phased Commit"},
    RuleValue{"twopc_decision", "majority", "it commits when more than half have", "no source: for tests"},
    RuleValue{"config_read", "at_once", "when a part of a configuration changes, all are read in one multi",
              "ZooKeeper's multi, of reads"},
    RuleValue{"config_read", "one_by_one", "the part that has changed is read alone", "document 002 l.99"},
    RuleValue{"config_push", "at_once", "they are written in one multi", "ZooKeeper's multi"},
    RuleValue{"config_push", "one_by_one", "they are written one after the other", "document 002 l.99"},
    RuleValue{"watch_renewal", "with_the_read",
              "who is notified of a change sets its watch again with the read",
              "ZooKeeper's programmer's guide, watches"},
    RuleValue{"watch_renewal", "after_the_read", "it reads, and then sets its watch",
              "a change in between is not reported"},
    RuleValue{"watch_renewal", "never", "it only reads", "a watch fires once"},
    RuleValue{"group_view", "replaced", "the members of a group are those of the last list",
              "ZooKeeper's recipes, Group Membership"},
    RuleValue{"group_view", "added", "those of the last list are added", "no source: for tests"},
    RuleValue{"naming", "numbered", "a name is a sequential node", "ZooKeeper's recipes, Name Service"},
    RuleValue{"naming", "counted", "it is the number of nodes that there are", "no source: for tests"},
    RuleValue{"latch_owner", "compared", "a latch that is the first reads whose its node is",
              "Curator, LeaderLatch.checkLeadership"},
    RuleValue{"latch_owner", "ignored", "it leads", "Curator, before it compared ephemeralOwner"},
};

// ---- document 003's programs

/// What both programs do.
inline constexpr RecipeRules as_printed{
    .lost_create = LostCreate::gives_up,
    .missing_predecessor = MissingPredecessor::ignored,
    .data_change = DataChange::ignored,
    .lost_place = LostPlace::ignored,
    .empty_list = EmptyList::leads,
    .reconnection = Reconnection::nothing,
    .new_session = NewSession::nothing,
    .base_exists = BaseExists::gives_up,
    .first_connection = FirstConnection::limited,
};
/// The second closes its session first, and then clears its flag.
inline constexpr RecipeRules as_printed_2 = [] {
  RecipeRules rules = as_printed;
  rules.resignation = Resignation::node_first;
  return rules;
}();

struct RecipeVariant {
  std::string_view name;
  RecipeRules rules;
  std::string_view text;
};
inline constexpr std::array variants{
    RecipeVariant{"as-printed-1", as_printed,
                  "ZooKeeper's rules, and recipes as document 003 prints its first program: not correct"},
    RecipeVariant{"as-printed-2", as_printed_2,
                  "ZooKeeper's rules, and recipes as document 003 prints its second program: not correct"},
};

}  // namespace zablab::recipes
