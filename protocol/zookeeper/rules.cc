#include "protocol/zookeeper/rules.h"

#include <array>

#include "protocol/recipes/mutations.h"
#include "protocol/recipes/variants.h"
#include "protocol/zab/mutations.h"
#include "protocol/zab/variants.h"

namespace zablab::zookeeper {
namespace {

constexpr std::array own_values{
    RuleValue{"last_seen", "checked", "a server that is behind what a client has seen refuses it",
              "ZooKeeperServer.processConnectRequest"},
    RuleValue{"last_seen", "unchecked", "every server accepts every client",
              "the documents' account of reads"},
    RuleValue{"client_sync", "by_leader",
              "a client's sync goes to the leader, and its answer follows what the leader has committed",
              "FollowerRequestProcessor, Leader.processSync"},
    RuleValue{"client_sync", "at_once", "the server that is asked answers it", "no source: for tests"},
    RuleValue{"answers", "in_turn",
              "a client's requests are answered in their order, each write when it is committed itself",
              "CommitProcessor, session and cxid"},
    RuleValue{"answers", "reads_at_once", "a read does not wait for its client's earlier requests",
              "no source: for tests"},
    RuleValue{"watch_order", "before_reply",
              "a client is notified of a change before it gets any answer that shows the change",
              "DataTree.processTxn, NIOServerCnxn.process"},
    RuleValue{"watch_order", "after_reply", "a notification follows the next answer", "no source: for tests"},
    RuleValue{"watch_order", "with_reply", "a notification waits for the client's next request",
              "no source: for tests"},
    RuleValue{"watch_order", "newest_first",
              "notifications wait for the client's next request, and the newest is sent first",
              "no source: for tests"},
    RuleValue{"reregistration", "with_last_seen",
              "a client that connects again registers its watches with the zxid that it saw last",
              "ClientCnxn.SendThread.primeConnection"},
    RuleValue{"reregistration", "as_new", "it registers them as if it had seen everything",
              "no source: for tests"},
    RuleValue{"reregistration", "never", "it does not register them again",
              "the first clients, ZOOKEEPER-23"},
    RuleValue{"closed_ephemerals", "with_outstanding",
              "the closing of a session deletes its ephemeral nodes, including those that are only proposed",
              "PrepRequestProcessor, closeSession"},
    RuleValue{"closed_ephemerals", "applied_alone", "it deletes those that are already applied",
              "what ZOOKEEPER-1496 led to"},
    RuleValue{"session_owner", "checked", "a write of a session that has moved to another server is refused",
              "SessionTrackerImpl.checkSession"},
    RuleValue{"session_owner", "unchecked", "it is carried out", "releases before 3.2, ZOOKEEPER-417"},
    RuleValue{"session_check", "by_leader",
              "a session that a client brings is accepted when the leader knows it to be alive",
              "LearnerHandler, REVALIDATE"},
    RuleValue{"session_check", "at_once", "the server accepts every session", "no source: for tests"},
    RuleValue{"session_times", "clamped", "a session's timeout is at least 2 and at most 20 ticks",
              "ZooKeeperServer.getMinSessionTimeout, getMaxSessionTimeout, by default"},
    RuleValue{"session_times", "as_asked", "it is what the client asks for", "no source: for tests"},
    RuleValue{"session_memory", "log",
              "sessions are in the log: they outlive the servers' processes, and a new leader gives each its "
              "timeout anew",
              "SessionTrackerImpl, ZooKeeperServer.loadData"},
    RuleValue{"session_memory", "process", "a server that begins to lead ends every session",
              "document 000 l.305: a restart of the server ends sessions"},
    RuleValue{"sequence_numbers", "creations",
              "a sequential name has the number of children that were ever created",
              "PrepRequestProcessor, parentCVersion"},
    RuleValue{"sequence_numbers", "children", "it has the number of children that there are",
              "no source: for tests"},
    RuleValue{"parent_counter", "in_transaction",
              "the transaction of a creation says how many children its parent has had",
              "CreateTxn.parentCVersion, DataTree.createNode"},
    RuleValue{"parent_counter", "counted",
              "each server counts, and counts again what it reads again after a snapshot",
              "no source: for tests"},
    RuleValue{"multi_fails", "whole", "a multi of which one operation fails changes nothing",
              "PrepRequestProcessor, multi"},
    RuleValue{"multi_fails", "from_failure", "the operations before the one that fails are carried out",
              "no source: for tests"},
    RuleValue{"watches_once", "used_up", "a watch of a read reports one change", "WatchManager.triggerWatch"},
    RuleValue{"watches_once", "kept", "it reports every change", "no source: for tests"},
    RuleValue{"deletion_events", "once",
              "a client that watches a node's data and its children is notified once of its deletion",
              "DataTree.deleteNode"},
    RuleValue{"deletion_events", "per_table", "it is notified twice", "no source: for tests"},
    RuleValue{"ephemeral_children", "refused", "an ephemeral node has no children",
              "PrepRequestProcessor, NoChildrenForEphemerals"},
    RuleValue{"ephemeral_children", "allowed", "it may have", "no source: for tests"},
    RuleValue{"existing_node", "refused", "a node that exists is not created",
              "PrepRequestProcessor, NodeExists; document 000 l.309"},
    RuleValue{"existing_node", "overwritten",
              "its data are replaced, and the client is told that it created it", "no source: for tests"},
    RuleValue{"expected_version", "compared", "a write is refused if the version is not the expected one",
              "PrepRequestProcessor.checkAndIncVersion"},
    RuleValue{"expected_version", "ignored", "it is carried out", "no source: for tests"},
    RuleValue{"rights", "checked", "a client without the right is refused", "ZooKeeperServer.checkACL"},
    RuleValue{"rights", "unchecked", "everybody may do everything", "zookeeper.skipACL=yes"},
    RuleValue{"rights", "reads_alone", "everybody may write everything", "no source: for tests"},
    RuleValue{"expiry", "deletes_ephemerals",
              "the ephemeral nodes of a session that expires are deleted with it",
              "SessionTrackerImpl, ZooKeeperServer.expire"},
    RuleValue{"expiry", "keeps_ephemerals", "they stay", "no source: for tests"},
    RuleValue{"ttl_nodes", "refused", "nodes with a time to live are not implemented",
              "zookeeper.extendedTypesEnabled=false, the default"},
    RuleValue{"ttl_nodes", "allowed", "they are", "zookeeper.extendedTypesEnabled=true"},
    RuleValue{"quotas", "counted", "what is below a node with a quota is counted, and no write refused",
              "zookeeper.enforceQuota=false, the default"},
    RuleValue{"quotas", "enforced", "a write that a hard limit forbids is refused",
              "zookeeper.enforceQuota=true"},
    RuleValue{"new_sessions", "global", "a new session is a transaction, which every server has",
              "localSessionsEnabled=false, the default"},
    RuleValue{"new_sessions", "local", "only the server to which the client is connected knows a new session",
              "localSessionsEnabled=true"},
    RuleValue{"local_ephemerals", "upgraded",
              "before a local session creates its first ephemeral node it becomes a global one",
              "localSessionsUpgradingEnabled=true, QuorumZooKeeperServer.checkUpgradeSession"},
    RuleValue{"local_ephemerals", "refused", "a local session cannot create an ephemeral node",
              "localSessionsUpgradingEnabled=false, the default"},
    RuleValue{"local_ephemerals", "allowed", "it creates one and stays local", "no source: for tests"},
    RuleValue{"without_quorum", "not_serving", "a server that looks for a leader serves no client",
              "readonlymode.enabled=false, the default"},
    RuleValue{"without_quorum", "read_only",
              "if it looks for more than two seconds, it answers the reads of clients that allow this",
              "readonlymode.enabled=true, ReadOnlyZooKeeperServer"},
    RuleValue{"outstanding_acl", "followed",
              "what follows a setACL that is not yet applied is judged by the new list",
              "a repair: docs/variants.md"},
    RuleValue{"outstanding_acl", "old_list", "it is judged by the list before until the setACL is applied",
              "PrepRequestProcessor, setACL: the ChangeRecord keeps the list (3.4 to master)"},
    RuleValue{"watch_modes", "side_by_side", "a client may have watches of all modes on one path",
              "ZOOKEEPER-4466, release 3.9.0; WatchStats"},
    RuleValue{"watch_modes", "last_one", "the mode that it has set last replaces the others",
              "WatcherModeManager, releases before 3.9.0"},
    RuleValue{"watch_removal", "by_mode",
              "removeWatches of data or of children leaves persistent watches, which have types of their own",
              "ZOOKEEPER-4472, release 3.9.0; DataTree.removeWatch"},
    RuleValue{
        "watch_removal", "by_table",
        "it removes a watch of any mode from that table, and checkWatches does not ask whose a watch is",
        "DataTree.removeWatch, WatchManager.containsWatcher, releases before 3.9.0"},
    RuleValue{"event_rights", "read", "a client is not notified of a node that it may not read",
              "CVE-2024-23944, releases 3.8.4 and 3.9.2; ServerCnxn.process"},
    RuleValue{"event_rights", "unchecked", "it is notified of every node that it watches",
              "releases before 3.8.4 and 3.9.2"},
    RuleValue{"exists_rights", "read", "exists needs the right to read a node that is there",
              "ZOOKEEPER-2590, releases 3.8.4 and 3.9.2; FinalRequestProcessor"},
    RuleValue{"exists_rights", "unchecked", "everybody is told whether a node exists",
              "releases before 3.8.4 and 3.9.2"},
    RuleValue{"lone_check", "unknown",
              "a check outside of a multi is no request: the server answers so and closes the connection",
              "ZOOKEEPER-2623, releases 3.8.5 and 3.9.3; Request.isValid"},
    RuleValue{"lone_check", "no_answer",
              "it takes a zxid, and the connection is closed instead of the answer that it succeeds",
              "recorded from 3.8.0; FinalRequestProcessor, releases before 3.8.5 and 3.9.3"},
    RuleValue{"own_expiry", "own_clock",
              "a client that has heard nothing for four thirds of its timeout ends its session itself",
              "ZOOKEEPER-4508, release 3.9.3; ClientCnxn.SendThread.run"},
    RuleValue{"own_expiry", "never", "it tries to connect until a server tells it that its session is over",
              "releases before 3.9.3"},
    RuleValue{"failed_auth", "ends_handle",
              "credentials that a server refuses end the client's handle for good",
              "ClientCnxn.SendThread.readResponse, AUTH_FAILED; document 002 l.79"},
    RuleValue{"failed_auth", "ignored", "the client goes on without them", "no source: for tests"},
    RuleValue{"address_lists", "both", "access control lists may name IPv4 and IPv6 addresses",
              "ZOOKEEPER-4240, release 3.9.4; IPAuthenticationProvider"},
    RuleValue{"address_lists", "four_bytes", "a list that names an IPv6 address is not valid",
              "releases before 3.9.4"},
    RuleValue{"identity_order", "hashed", "a client's identities are in the order of a hash table",
              "ServerCnxn.authInfo since 3.6"},
    RuleValue{"identity_order", "as_proved", "they are in the order in which it has proved them",
              "ServerCnxn.authInfo, releases before 3.6"},
    RuleValue{"operations", "all", "every operation is known", "ZooDefs.OpCode since 3.7"},
    RuleValue{"operations", "early",
              "create2, containers, TTL nodes, multiRead, persistent watches, removeWatches, getEphemerals, "
              "getAllChildrenNumber and whoAmI are unknown",
              "Request.isValid, MultiTransactionRecord, 3.4"},
    RuleValue{"quota_limit", "exceeded", "with an enforced quota there may be as much as its hard limit says",
              "ZooKeeperServer.checkQuota"},
    RuleValue{"quota_limit", "reached", "there may be less than that", "no source: for tests"},
    RuleValue{"unused_nodes", "deleted",
              "a leader deletes containers that have lost their last child, and nodes whose time is over",
              "ContainerManager.checkContainers"},
    RuleValue{"unused_nodes", "kept", "it does not look for them", "no source: for tests"},
    RuleValue{"revalidation", "answered",
              "a leader answers a learner whether the session of a client that has come to it is alive",
              "LearnerHandler.run (Leader.REVALIDATE)"},
    RuleValue{"revalidation", "ignored", "it does not answer", "no source: for tests"},
    RuleValue{"event_order", "as_changed",
              "what a transaction changes is reported in the order of its changes",
              "DataTree.processTxn, closeSession and multi"},
    RuleValue{"event_order", "reversed", "its last change is reported first", "no source: for tests"},
    RuleValue{"session_silence", "timeout",
              "a session ends when its leader has heard nothing of it for its timeout",
              "SessionTrackerImpl.touchSession, ExpiryQueue"},
    RuleValue{"session_silence", "half", "it ends after half of that", "no source: for tests"},
    RuleValue{"session_reports", "with_pings",
              "with each answer to a ping a learner reports the sessions that it has heard of",
              "Learner.ping, LearnerHandler (Leader.PING)"},
    RuleValue{"session_reports", "never", "it does not report them", "no source: for tests"},
    RuleValue{"asked_version", "as_asked", "a client's request names the version that it was told to expect",
              "ZooKeeper.setData, delete, setACL"},
    RuleValue{"asked_version", "any", "it names none", "no source: for tests"},
};

constexpr auto values = joined(joined(zab::broadcast_rule_values, own_values), recipes::rule_values);

/// What clients of a release meet, each built on a later one.
constexpr void asReleased(std::string_view variant, Rules& rules) {
  if (!variant.starts_with("zookeeper-")) return;
  rules.outstanding_acl = OutstandingAcl::old_list;
  if (variant == "zookeeper-3.9.5") return;
  rules.address_lists = AddressLists::four_bytes;
  if (variant == "zookeeper-3.9.3") return;
  rules.watch_modes = WatchModes::last_one;
  rules.watch_removal = WatchRemoval::by_table;
  rules.own_expiry = OwnExpiry::never;
  if (variant == "zookeeper-3.8.5") return;
  rules.event_rights = EventRights::unchecked;
  rules.exists_rights = ExistsRights::unchecked;
  rules.lone_check = LoneCheck::no_answer;
  if (variant == "zookeeper-3.8.0") return;
  rules.identity_order = IdentityOrder::as_proved;
  rules.operations = Operations::early;
}

constexpr auto all_variants = [] {
  std::array<Variant, zab::broadcast_variants.size() + recipes::variants.size()> rows{};
  for (std::size_t i = 0; i < zab::broadcast_variants.size(); ++i) {
    const auto& [name, rules, text] = zab::broadcast_variants[i];
    rows[i] = {name, {rules}, text};
    asReleased(name, rows[i].rules);
    if (name == "textbook") {
      rows[i].rules.last_seen = LastSeen::unchecked;
      rows[i].rules.session_memory = SessionMemory::process;
    }
  }
  for (std::size_t i = 0; i < recipes::variants.size(); ++i) {
    const auto& [name, rules, text] = recipes::variants[i];
    rows[zab::broadcast_variants.size() + i] = {name, {zab::zookeeper, rules}, text};
  }
  return rows;
}();

// The planted bugs, by name: those of the broadcast, and those of the service to clients.
constexpr std::array own_mutations{
    Mutation{"client_sees_the_past", "", "", "safety", "monotonic-reads",
             "a server accepts clients that have seen more than it has", "last_seen", "unchecked"},
    Mutation{"client_sync_at_once", "", "", "safety", "sync-through-leader",
             "a follower answers a sync itself", "client_sync", "at_once"},
    Mutation{"client_reads_at_once", "", "", "safety", "answers-in-order",
             "a client's read overtakes what the client asked before", "answers", "reads_at_once"},
    Mutation{"watch_after_data", "", "", "safety", "watches-true",
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
    Mutation{"watches_fire_again", "", "", "safety", "watches-true",
             "a watch that was used up fires once more", "watches_once", "kept"},
    Mutation{"deletion_reported_twice", "", "", "safety", "watches-true",
             "a client with two watches of a node is notified twice of its deletion", "deletion_events",
             "per_table"},
    Mutation{"ephemerals_have_children", "", "", "safety", "transactions-true",
             "a child of an ephemeral node is created", "ephemeral_children", "allowed"},
    Mutation{"versions_ignored", "", "", "safety", "transactions-true",
             "a write is carried out although the version is not the expected one", "expected_version",
             "ignored"},
    Mutation{"rights_unchecked", "", "", "safety", "transactions-true",
             "a client does what it has no right to", "rights", "reads_alone"},
    Mutation{"expired_ephemerals_stay", "", "", "safety", "transactions-true",
             "the ephemeral nodes of an expired session stay", "expiry", "keeps_ephemerals"},
    Mutation{"events_reversed", "", "", "safety", "watches-true",
             "of a transaction of several changes the last is reported first", "event_order", "reversed"},
    Mutation{"timeouts_unclamped", "", "", "safety", "session-timeouts",
             "a session has the timeout that its client asks for, however short or long", "session_times",
             "as_asked"},
    Mutation{"sessions_expire_early", "", "", "safety", "session-expiry",
             "a session ends after half of its timeout", "session_silence", "half"},
    Mutation{"sessions_unreported", "", "", "safety", "session-touches",
             "a learner does not tell its leader which sessions it has heard of", "session_reports", "never"},
    Mutation{"quota_refuses_its_limit", "", "", "safety", "quotas-hold",
             "a write is refused that leads to exactly what its quota allows", "quota_limit", "reached"},
    Mutation{"unused_nodes_stay", "", "", "safety", "unused-deleted",
             "a container that has lost its last child stays", "unused_nodes", "kept"},
    Mutation{"revalidations_unanswered", "", "", "safety", "requests-answered",
             "a leader does not tell a learner whether a session is alive", "revalidation", "ignored"},
    Mutation{"client_expects_any_version", "", "", "safety", "clients-true",
             "a client does not send the version that it expects", "asked_version", "any"},
    Mutation{"multi_half_done", "", "", "safety", "transactions-true",
             "a multi that fails has made its first changes", "multi_fails", "from_failure"},
};

constexpr auto mutations = joined(joined(zab::broadcast_mutations, own_mutations), recipes::recipe_mutations);

}  // namespace

RuleTables<Rules> ruleTables() { return {all_variants, values, mutations}; }

}  // namespace zablab::zookeeper
