#include "protocol/external_store/rules.h"

#include <array>

namespace zablab::external_store {
namespace {

constexpr std::array values{
    RuleValue{"procedure", "compare_and_set", "all candidates try to create one key, and watch it",
              "document 004, election on an external store"},
    RuleValue{
        "procedure", "queue",
        "each candidate creates a key of its own, and waits until all that were created earlier are gone",
        "etcd 3.5, client/v3/concurrency/election.go: Campaign; key.go: waitDeletes"},
    RuleValue{"acquire", "compared", "the store creates the key only if there is none",
              "document 004: compareAndSwap; etcd: compare CreateRevision with 0"},
    RuleValue{"acquire", "get_then_put", "a candidate reads first, and puts its key if it has found none",
              "no source: for tests"},
    RuleValue{"watch_from", "failed_reply",
              "the key is watched from the revision of the reply that says that it exists",
              "etcd 3.5, client/v3/concurrency/key.go: waitDelete"},
    RuleValue{"watch_from", "now", "it is watched from the moment at which the store receives the request",
              "document 004: subscribeDataChanges; ZooKeeper's watches"},
    RuleValue{"deadline", "from_sending",
              "a candidate counts on its lease for the time to live since it sent the last renewal that was "
              "answered",
              "Gray, Cheriton, Leases, SOSP 1989, section 2"},
    RuleValue{"deadline", "from_reply", "it does since the answer",
              "etcd 3.5, client/v3/lease.go: recvKeepAlive"},
    RuleValue{"margin", "kept", "and for a margin less, because clocks differ",
              "Gray, Cheriton, Leases, SOSP 1989, section 5"},
    RuleValue{"margin", "none", "and for no less", "etcd 3.5, client/v3/lease.go: recvKeepAlive"},
    RuleValue{"step_down", "at_deadline",
              "a leader stops at that deadline, or when it learns that its lease has ended",
              "Gray, Cheriton, Leases, SOSP 1989, section 2"},
    RuleValue{"step_down", "never", "it remains the leader until it is notified of a deletion",
              "document 004: there is no handler for the end of a session"},
    RuleValue{"new_session", "contends", "who has lost its lease stands for election with the next one",
              "etcd 3.5, client/v3/concurrency: a new session, and Campaign again"},
    RuleValue{"new_session", "waits", "it waits for the next deletion",
              "document 004: elect() is called at the start and by handleDataDeleted"},
    RuleValue{"on_exists", "compares_lease", "a key of the own lease means that an earlier attempt succeeded",
              "etcd 3.5, client/v3/concurrency/election.go: Campaign gets its key if it exists"},
    RuleValue{"on_exists", "believes_the_reply", "a key that exists means that another candidate leads",
              "document 004: catch (ZkNodeExistsException e)"},
    RuleValue{"release", "compared",
              "a leader deletes its key only if it is still the one that it has created",
              "etcd 3.5, client/v3/concurrency/election.go: Resign"},
    RuleValue{"release", "unconditional", "it deletes the key", "no source: for tests"},
    RuleValue{
        "resignation", "repeated",
        "who resigns asks the store again until it has answered, and only then says that it has resigned",
        "etcd pull requests 22124, 22211 and 22437: a resignation that failed can be repeated"},
    RuleValue{
        "resignation", "asked_once",
        "it asks once; if no answer comes, its caller does not know, and it forgets that its key may be "
        "there",
        "etcd 3.4.23, clientv3/concurrency/election.go: Resign; etcd issue 22123"},
    RuleValue{"orderly_stop", "revokes", "a candidate that is stopped in order gives its lease back",
              "etcd 3.4.23, clientv3/concurrency/session.go: Close"},
    RuleValue{"orderly_stop", "leaves", "its lease ends when its time is over",
              "Kubernetes, client-go, tools/leaderelection/leaderelection.go without ReleaseOnCancel"},
    RuleValue{"waiter", "checks_its_key",
              "when a wait is over, a candidate leads if its own key is still there; when its lease ends, it "
              "begins again",
              "etcd 3.5, client/v3/concurrency/mutex.go: Lock"},
    RuleValue{"waiter", "trusts_the_wait", "when a wait is over, it leads",
              "etcd 3.5, client/v3/concurrency/election.go: Campaign"},
    RuleValue{"waiter", "trusts_the_notification",
              "when the last key before its own is gone, it leads, without a look at the keys before that",
              "no source: for tests; document 000 warns of it"},
    RuleValue{"unfinished_work", "refused", "a leader that stops refuses what it is working on",
              "Kubernetes, client-go, tools/leaderelection/leaderelection.go: ReleaseOnCancel"},
    RuleValue{"unfinished_work", "finished", "it completes it",
              "Kubernetes, client-go, the same place, which warns of it"},
    RuleValue{"fencing", "checked", "the resource refuses a token that is smaller than the greatest so far",
              "Burrows, The Chubby lock service, OSDI 2006, section 2.4: sequencers"},
    RuleValue{"fencing", "ignored", "the resource accepts every write",
              "document 004: a leader's actions carry nothing"},
    RuleValue{
        "pauses", "excused",
        "`one-believer` leaves out a candidate that was paused while it leads: no rule of its own can help",
        "Gray, Cheriton, Leases, SOSP 1989, section 5: clocks and delays are bounded"},
    RuleValue{"pauses", "counted", "`one-believer` compares it, too", "no source: for scenarios"},
    RuleValue{"renewal", "confirmed",
              "the leader of a replicated store renews a lease when a quorum has confirmed that it leads",
              "etcd, server/etcdserver/v3_server.go: LeaseRenew with ensureLeadership"},
    RuleValue{"renewal", "unconfirmed", "it does so at once",
              "etcd before pull request 16822: LeaseRenew asks isLeader()"},
    RuleValue{"deposed_leader", "measures_nothing",
              "a server of the store that leads no longer measures no lease",
              "etcd, server/lease/lessor.go: Demote"},
    RuleValue{"deposed_leader", "measures_on",
              "it goes on, and asks the new leader to end a lease whose time it takes to be over",
              "etcd issue 15247, before pull request 16822"},
    RuleValue{"new_leader", "adds_election_timeout",
              "a new leader of the store, or a store that starts, gives each lease its whole time and the "
              "election timeout",
              "etcd, server/lease/lessor.go: Promote(extend); server/etcdserver/server.go: "
              "Promote(ElectionTimeout())"},
    RuleValue{"new_leader", "gives_whole_time", "it gives each lease its whole time",
              "Gray, Cheriton, Leases, SOSP 1989, section 2"},
    RuleValue{"new_leader", "measures_nothing", "it measures only leases that are granted or renewed by it",
              "no source: for tests"},
    RuleValue{"least_ttl", "kept",
              "no lease is granted for less than one and a half election timeouts, in whole seconds",
              "etcd, server/etcdserver/server.go: MinLeaseTTL; server/lease/lessor.go: Grant"},
    RuleValue{"least_ttl", "none", "it is granted for what was asked for", "no source: for tests"},
    RuleValue{"store_vote", "saved", "a vote of the store's servers is on the disk before it is sent",
              "Raft, figure 2"},
    RuleValue{"store_vote", "forgotten", "a server that restarts votes again in the same generation",
              "no source: for tests"},
    RuleValue{"store_ack", "durable", "an entry is on the disk before it is acknowledged", "Raft, figure 2"},
    RuleValue{"store_ack", "at_once", "it is acknowledged before", "no source: for tests"},
    RuleValue{
        "store_read", "linearizable",
        "a server of the store that a client asks who leads answers when the leader has confirmed that it "
        "leads, and what was committed by then is executed",
        "etcd, server/etcdserver/v3_server.go: Range with linearizableReadNotify"},
    RuleValue{"store_read", "local", "it answers at once, from what it has executed",
              "etcd, the flag `serializable` of a range request"},
};

constexpr Rules fixed{};
constexpr Rules fixed_queue{.procedure = Procedure::queue};
constexpr Rules real{
    .procedure = Procedure::queue,
    .deadline = Deadline::from_reply,
    .margin = Margin::none,
    .resignation = Resignation::asked_once,
    .waiter = Waiter::trusts_the_wait,
    .fencing = Fencing::ignored,
};
constexpr Rules textbook{
    .watch_from = WatchFrom::now,
    .step_down = StepDown::never,
    .new_session = NewSession::waits,
    .on_exists = OnExists::believes_the_reply,
    .fencing = Fencing::ignored,
};

constexpr std::array all_variants{
    Variant{"fixed", fixed, "one key, with a deadline, a margin, tokens that fence and complete watches"},
    Variant{"fixed-queue", fixed_queue, "the same with a queue of keys, each of which one candidate watches"},
    Variant{"real", real, "as etcd's concurrency.Election with its client's leases, and without tokens"},
    Variant{"textbook", textbook, "as document 004 describes it"},
};

// The planted bugs, by name.
constexpr std::array mutations{
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

RuleTables<Rules> ruleTables() { return {all_variants, values, mutations}; }

}  // namespace zablab::external_store
