// An election on an external store: the store by itself, its tables of rules, the herd, and random runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "checker/execute.h"
#include "checker/fuzz/campaign.h"
#include "checker/protocol.h"
#include "protocol/external_store/rules.h"
#include "protocol/external_store/store.h"

namespace zablab::external_store {
namespace {

constexpr Key leader_key{Prefix::leader};

Txn createdBy(ServerId candidate, std::int64_t lease) {
  return {{{leader_key, 0}}, {{Does::put, leader_key, candidate, lease}}, {{Does::get, leader_key}}};
}

TEST_CASE("external_store: a transaction compares, and does one list or the other") {
  StoreState state;
  const std::int64_t lease = apply(state, Grant{3000}).lease;
  const Result first = apply(state, Transact{createdBy(1, lease)});
  CHECK(first.succeeded);
  CHECK(state.revision == 2);
  REQUIRE(first.changes.size() == 1);
  CHECK(first.changes.front().what.create_revision == 2);
  CHECK(first.changes.front().what.version == 1);

  const Result second = apply(state, Transact{createdBy(2, apply(state, Grant{3000}).lease)});
  CHECK_FALSE(second.succeeded);
  CHECK(second.changes.empty());
  CHECK(state.revision == 2);
  REQUIRE(second.found.size() == 1);
  CHECK(second.found.front().value == 1);

  // A put keeps the revision of the creation, and a deletion compares with it.
  apply(state, Transact{{{}, {{Does::put, leader_key, 1, lease}}, {}}});
  CHECK(state.keys.front().create_revision == 2);
  CHECK(state.keys.front().mod_revision == 3);
  CHECK(state.keys.front().version == 2);
  CHECK_FALSE(apply(state, Transact{{{{leader_key, 3}}, {{Does::erase, leader_key}}, {}}}).succeeded);
  CHECK(apply(state, Transact{{{{leader_key, 2}}, {{Does::erase, leader_key}}, {}}}).succeeded);
  CHECK(state.keys.empty());
  CHECK(state.revision == 4);
}

TEST_CASE(
    "external_store: the end of a lease deletes its keys as one revision, and it takes no more of them") {
  StoreState state;
  const std::int64_t lease = apply(state, Grant{3000}).lease;
  apply(state, Transact{createdBy(1, lease)});
  apply(state, Transact{{{}, {{Does::put, {Prefix::member, 1}, 1, lease}}, {}}});
  CHECK(state.revision == 3);
  const Result end = apply(state, EndLease{lease, true});
  CHECK(state.revision == 4);
  REQUIRE(end.changes.size() == 2);
  for (const Change& change : end.changes) {
    CHECK(change.revision == 4);
    CHECK(change.kind == ChangeKind::expired);
  }
  CHECK(state.history.size() == 4);
  CHECK_FALSE(hasLease(state, lease));
  CHECK(apply(state, Transact{createdBy(1, lease)}).lease_lost);
  CHECK(state.keys.empty());
  CHECK(state.revision == 4);
}

std::vector<Case> stories() {
  std::vector<Case> all;
  for (const auto& file : std::filesystem::directory_iterator(ZABLAB_SOURCE_DIR "/scenarios/external-store"))
    all.push_back(loadCase(file.path().string()));
  return all;
}

TEST_CASE("external_store: every safety mutation names an invariant, which a shipped story sees violated") {
  std::set<std::string> invariants;
  for (const NamedText& one : findProtocol("external_store")->invariants()) invariants.insert(one.name);
  std::set<std::string> broken;
  for (const Mutation& mutation : ruleTables().mutations) {
    if (mutation.kind != "safety") continue;
    const std::string name(mutation.found_by);
    CHECK_MESSAGE(invariants.contains(name), mutation.name);
    bool seen = false;
    for (const Case& one : stories()) {
      Overrides overrides;
      overrides.mutations = {std::string(mutation.name)};
      const Trace trace = runScenario(withOverrides(one.scenario, overrides)).trace;
      for (const TraceVerdict& verdict : trace.verdicts)
        seen = seen || (verdict.kind == "invariant" && verdict.name == name && verdict.verdict == "violated");
      if (seen) break;
    }
    CHECK_MESSAGE(seen, mutation.name, " breaks ", name, " in no story");
    if (seen) broken.insert(name);
  }
  CHECK(broken == invariants);
}

// ---- the herd

/// `candidates` of them, the first of which leads and dies.
Trace leaderDies(int candidates, const std::string& variant) {
  Json servers = Json::array();
  for (int id = 1; id <= candidates; ++id) servers.push_back({{"id", id}});
  servers.push_back({{"id", 101}, {"kind", "store"}});
  servers.push_back({{"id", 102}, {"kind", "resource"}});
  Json steps = Json::array();
  for (int id = 2; id <= candidates; ++id) steps.push_back({{"at", 100 * (id - 1)}, {"start", id}});
  steps.push_back({{"at", 3000}, {"kill", 1}});
  const Json scenario{{"kind", "scenario"},
                      {"name", "a leader dies"},
                      {"protocol", "external_store"},
                      {"variant", variant},
                      {"servers", servers},
                      {"timing", {{"latency_ms", 5}}},
                      {"steps", steps},
                      {"until", 7500}};
  return runScenario(readCase("a leader dies", JsonValue::fromJson(scenario, "a leader dies")).scenario)
      .trace;
}

int countAfterDeath(const Trace& trace, std::string_view kind) {
  return static_cast<int>(std::count_if(
      trace.events.begin(), trace.events.end(),
      [&](const TraceEvent& event) { return event.time >= 3000 && event.kind == kind && event.node; }));
}

TEST_CASE("external_store: a leader's end costs n-1 notifications and attempts, in a queue one and none") {
  for (const int n : {3, 5, 9}) {
    CAPTURE(n);
    const Trace one_key = leaderDies(n, "fixed");
    CHECK(countAfterDeath(one_key, "notified") == n - 1);
    CHECK(countAfterDeath(one_key, "contends") == n - 1);
    CHECK(countAfterDeath(one_key, "compare_failed") == n - 2);
    CHECK(countAfterDeath(one_key, "elected") == 1);
    const Trace queue = leaderDies(n, "fixed-queue");
    CHECK(countAfterDeath(queue, "notified") == 1);
    CHECK(countAfterDeath(queue, "contends") == 0);
    CHECK(countAfterDeath(queue, "elected") == 1);
  }
}

TEST_CASE("external_store: a read names a server of the store, or none") {
  const auto run = [](const Json& what) {
    const Json scenario{
        {"kind", "scenario"},
        {"name", "a read"},
        {"protocol", "external_store"},
        {"servers", {{{"id", 1}}, {{"id", 11}, {"kind", "store"}}, {{"id", 12}, {"kind", "resource"}}}},
        {"clients", {{{"id", 101}}}},
        {"steps", {{{"at", 500}, {"client", 101}, {"read", what}}}},
        {"until", 1000}};
    return runScenario(readCase("a read", JsonValue::fromJson(scenario, "a read")).scenario).trace;
  };
  for (const Json& what : {Json(true), Json(11)}) {
    const Trace trace = run(what);
    const auto answer = std::find_if(trace.events.begin(), trace.events.end(),
                                     [](const TraceEvent& event) { return event.kind == "answered"; });
    REQUIRE(answer != trace.events.end());
    CHECK(answer->data.at("server") == 11);
    CHECK(answer->data.at("holder") == 1);
    CHECK(answer->data.at("token") == 2);
  }
  CHECK_THROWS_AS(run(12), InputError);
}

// ---- random runs

FuzzTarget targetOf(const std::string& variant, const std::string& mutation = "") {
  FuzzTarget target;
  target.protocol = "external_store";
  target.shape.knobs = knobsOf(FuzzPreset::swarm, findProtocol(target.protocol)->fuzzSettings());
  target.overrides.variant = variant;
  if (!mutation.empty()) target.overrides.mutations.push_back(mutation);
  return target;
}

TEST_CASE("external_store: drawn runs are clean, every fault strikes, every invariant is exercised") {
  for (const char* variant : {"fixed", "fixed-queue"}) {
    CAPTURE(std::string(variant));
    const CampaignResult result = runCampaign(targetOf(variant), {0, 2000}, 2, {});
    for (const Finding& finding : result.findings)
      FAIL_CHECK("seed " << finding.seed << ": " << finding.failure.what << ": " << finding.failure.text);
    CHECK(result.statistics.neverFired().empty());
    CHECK(result.statistics.obligations.size() == findProtocol("external_store")->invariants().size());
    for (const auto& of : result.statistics.obligations) {
      const std::string name = of.first;
      CAPTURE(name);
      CHECK(of.second > 100);
    }
  }
}

TEST_CASE("external_store: a drawn run that once failed violates nothing") {
  // A candidate that was elected after its process had stood still kept the deadline that it had set before.
  CHECK(runCampaign(targetOf("fixed"), {120'018, 120'019}, 1, {}).findings.empty());
}

TEST_CASE("external_store: drawn runs find planted bugs, and what etcd's library and the document do wrong") {
  struct Row {
    const char* variant;
    const char* mutation;
    const char* what;
    std::uint64_t seeds;
    std::uint64_t first = 0;
  };
  for (const Row& row : {
           Row{"fixed", "ext_no_fencing_token", "fence", 1, 1283},
           {"fixed", "ext_deadline_from_reply_time", "one-believer", 300},
           {"fixed", "ext_no_margin", "one-believer", 400},
           {"fixed", "ext_no_step_down_on_expiry", "one-believer", 50},
           {"fixed", "ext_finishes_its_work", "acts-as-leader", 100},
           {"fixed", "ext_delete_without_compare", "deleted-by-owner", 800},
           {"fixed", "ext_get_then_put", "one-holder", 50},
           {"fixed-queue", "ext_queue_no_own_key_recheck", "elected-was-first", 100},
           {"fixed-queue", "ext_queue_no_look_at_the_queue", "elected-was-first", 100},
           {"fixed", "ext_lost_cas_reply", "candidate-follows", 50},
           {"fixed", "ext_watch_gap", "candidate-follows", 50},
           {"fixed", "ext_no_recontend_after_new_session", "candidate-follows", 50},
           {"fixed", "ext_deposed_leader_ends_leases", "one-believer", 1000},
           {"fixed", "ext_deposed_leader_ends_leases", "lease-time", 300},
           {"fixed", "ext_unconfirmed_renewal", "lease-time", 1, 3085},
           {"fixed", "ext_stale_read_store", "read-is-current", 100},
           {"fixed-queue", "ext_stale_read_store", "read-is-current", 100},
           {"fixed", "ext_store_vote_forgotten", "store-one-leader", 100},
           {"fixed", "ext_store_ack_at_once", "store-agreement", 100},
           {"fixed", "ext_new_leader_measures_nothing", "lease-lasts", 100},
           {"fixed", "ext_store_tells_old_revision", "store-answers", 20},
           {"fixed", "ext_store_executes_twice", "executed-as-asked", 50},
           {"fixed", "ext_new_leader_gives_half_time", "lease-lasts", 200},
           {"fixed", "ext_store_forgets_history", "watchers-told", 100},
           {"fixed", "ext_resource_forgets_token", "resource-answers", 200},
           {"fixed", "ext_answers_unwritten", "leader-answers", 20},
           {"fixed", "ext_renews_too_late", "leads-with-lease", 20},
           {"fixed-queue", "ext_queue_waits_for_the_first", "candidate-follows", 20},
           {"fixed", "ext_takes_unknown_for_refused", "client-told-true", 200},
           {"real", "", "elected-was-first", 200},
           {"real", "", "one-believer", 200},
           {"real", "", "fence", 1, 796},
           {"textbook", "", "one-believer", 50},
       }) {
    CAPTURE(std::string(row.variant));
    CAPTURE(std::string(row.mutation));
    CAPTURE(std::string(row.what));
    FuzzTarget target = targetOf(row.variant, row.mutation);
    const std::string what = row.what;
    if (!what.starts_with("stall")) target.invariants = {what};
    const auto worker = protocolOf(target).fuzzWorker(target);
    bool found = false;
    for (std::uint64_t seed = row.first; seed < row.first + row.seeds && !found; ++seed) {
      const RunOutcome outcome = worker->run(seed);
      found = outcome.failure && outcome.failure->what == what;
    }
    CHECK(found);
  }
}

}  // namespace
}  // namespace zablab::external_store
