// Sentinel: its tables of rules, what recorded runs of Redis 7.0.15 have measured, and random runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checker/execute.h"
#include "checker/fuzz/campaign.h"
#include "checker/protocol.h"
#include "protocol/sentinel/mutations.h"

namespace zablab::sentinel {
namespace {

TEST_CASE(
    "sentinel: every value of every rule is some variant's, planted bug's or story's, and listed once") {
  std::set<std::string> used;
  for (const Variant& variant : variants()) {
    forEachField(variant.rules, [&](std::string_view rule, const auto& value) {
      used.insert(std::string(rule) + "=" + std::string(enumName(value)));
    });
  }
  for (const Mutation& mutation : mutations())
    used.insert(std::string(mutation.rule) + "=" + std::string(mutation.value));
  for (const auto& file : std::filesystem::directory_iterator(ZABLAB_SOURCE_DIR "/scenarios/sentinel")) {
    const Case one = loadCase(file.path().string());
    for (const FailsWith& change : one.scenario.spec.fails_with) used.insert(change.rule);
  }
  used.erase("");
  std::set<std::string> named;
  for (const RuleValue& value : ruleValues()) {
    const std::string name = std::string(value.rule) + "=" + std::string(value.value);
    CHECK_MESSAGE(named.insert(name).second, name, " is listed twice");
    CHECK_MESSAGE(used.contains(name), name, " is used by nobody");
  }
  for (const std::string& name : used) CHECK_MESSAGE(named.contains(name), name, " is not listed");
}

TEST_CASE("sentinel: every safety mutation names an invariant, which a shipped story sees violated") {
  std::set<std::string> invariants;
  for (const NamedText& one : findProtocol("sentinel")->invariants()) invariants.insert(one.name);
  std::set<std::string> broken;
  for (const Mutation& mutation : mutations()) {
    if (mutation.kind != "safety") continue;
    const std::string name(mutation.found_by);
    CHECK_MESSAGE(invariants.contains(name), mutation.name);
    bool seen = false;
    for (const auto& file : std::filesystem::directory_iterator(ZABLAB_SOURCE_DIR "/scenarios/sentinel")) {
      const Case one = loadCase(file.path().string());
      if (one.scenario.spec.fails) continue;
      Overrides overrides;
      overrides.variant = "fixed";
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

// ---- times, against recordings of three sentinels on one machine (down after 1000 ms)

constexpr Millis killed_at = 5000;

/// Three sentinels and three Redis servers whose master is killed, with these latencies and phases.
Trace failoverOf(std::uint64_t seed) {
  Json servers = Json::array();
  for (int id = 1; id <= 3; ++id) servers.push_back({{"id", id}});
  for (int id = 11; id <= 13; ++id) servers.push_back({{"id", id}, {"kind", "redis"}});
  const Json scenario{{"kind", "scenario"},
                      {"name", "a failover"},
                      {"protocol", "sentinel"},
                      {"variant", "real"},
                      {"seed", seed},
                      {"timing", {{"latency_ms", Json::array({1, 4})}, {"dial_ms", 1}}},
                      {"servers", servers},
                      {"steps", Json::array({{{"at", killed_at}, {"kill", 11}}})},
                      {"until", killed_at + 9000}};
  return runScenario(readCase("a failover", JsonValue::fromJson(scenario, "a failover")).scenario).trace;
}

/// The time of the first such event after the master's death; `of`: at this node.
std::optional<Millis> firstOf(const Trace& trace, std::string_view kind, std::optional<ServerId> of = {}) {
  for (const TraceEvent& event : trace.events) {
    if (event.time < killed_at || event.kind != kind || (of && event.node != of)) continue;
    return event.time - killed_at;
  }
  return std::nullopt;
}

std::optional<Millis> lastOf(const Trace& trace, std::string_view kind) {
  std::optional<Millis> last;
  for (const TraceEvent& event : trace.events) {
    if (event.time >= killed_at && event.kind == kind) last = event.time - killed_at;
  }
  return last;
}

/// Whether these events happen at the node in this order, each for the first time after the one before.
bool happenInOrder(const Trace& trace, ServerId node,
                   const std::vector<std::pair<std::string, Json>>& events) {
  std::size_t next = 0;
  for (const TraceEvent& event : trace.events) {
    if (next == events.size()) break;
    if (event.time < killed_at || event.node != node || event.kind != events[next].first) continue;
    if (covers(event.data, events[next].second)) ++next;
  }
  return next == events.size();
}

TEST_CASE("sentinel: as recorded, in 200 runs: the order of events, and how long each step takes") {
  std::map<std::string, std::vector<Millis>> times;
  std::size_t first_attempts = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const Trace trace = failoverOf(seed);
    const auto elected = std::find_if(trace.events.begin(), trace.events.end(),
                                      [](const TraceEvent& event) { return event.kind == "elected"; });
    REQUIRE(elected != trace.events.end());
    if (elected->data.at("epoch") != 1) continue;  // the attempts collided: also recorded
    ++first_attempts;
    const ServerId leader = *elected->node;
    CHECK(happenInOrder(trace, leader,
                        {{"sdown", {{"instance", 11}, {"down", true}}},
                         {"odown", {{"down", true}}},
                         {"new_epoch", {{"epoch", 1}}},
                         {"try_failover", Json::object()},
                         {"vote", {{"candidate", leader}, {"granted", true}}},
                         {"peer_voted", Json::object()},
                         {"elected", Json::object()},
                         {"failover_state", {{"state", "SELECT_REPLICA"}}},
                         {"selected_replica", Json::object()},
                         {"failover_state", {{"state", "SEND_REPLICAOF"}}},
                         {"failover_state", {{"state", "WAIT_PROMOTION"}}},
                         {"role_reported", {{"role", "master"}}},
                         {"promoted_replica", Json::object()},
                         {"failover_state", {{"state", "RECONF_REPLICAS"}}},
                         {"replica_reconf", {{"reconf", "sent"}}},
                         {"replica_reconf", {{"reconf", "in_progress"}}},
                         {"replica_reconf", {{"reconf", "done"}}},
                         {"failover_end", Json::object()},
                         {"switch_master", Json::object()},
                         {"sdown", {{"instance", 11}, {"master", false}}}}));
    for (ServerId voter = 1; voter <= 3; ++voter) {
      if (voter == leader) continue;
      CHECK(happenInOrder(trace, voter,
                          {{"new_epoch", {{"epoch", 1}}},
                           {"vote", {{"granted", true}}},
                           {"config_update", {{"from", leader}}},
                           {"switch_master", Json::object()}}));
    }
    times["first sdown"].push_back(*firstOf(trace, "sdown"));
    times["first odown"].push_back(*firstOf(trace, "odown"));
    const Millis begun = *firstOf(trace, "try_failover", leader);
    times["attempt to elected"].push_back(*firstOf(trace, "elected", leader) - begun);
    times["elected to REPLICAOF NO ONE"].push_back(*firstOf(trace, "role") - *firstOf(trace, "elected"));
    times["REPLICAOF NO ONE to promoted"].push_back(*firstOf(trace, "promoted_replica") -
                                                    *firstOf(trace, "role"));
    times["promoted to the first switch"].push_back(*firstOf(trace, "switch_master") -
                                                    *firstOf(trace, "promoted_replica"));
    times["the leader's switch after the first"].push_back(*lastOf(trace, "switch_master") -
                                                           *firstOf(trace, "switch_master"));
    times["until all agree"].push_back(*lastOf(trace, "switch_master"));
  }
  CHECK(first_attempts > 150);
  struct Recorded {
    const char* step;
    Millis least;
    Millis most;
  };
  for (const Recorded& row : {
           Recorded{"first sdown", 1012, 1173},
           {"first odown", 1053, 1206},
           {"attempt to elected", 58, 107},
           {"elected to REPLICAOF NO ONE", 110, 190},
           {"REPLICAOF NO ONE to promoted", 750, 1000},
           {"promoted to the first switch", 1, 100},
           {"the leader's switch after the first", 900, 1200},
           {"until all agree", 3178, 3400},
       }) {
    CAPTURE(std::string(row.step));
    std::vector<Millis>& all = times[row.step];
    REQUIRE(!all.empty());
    std::sort(all.begin(), all.end());
    const Millis median = all[all.size() / 2];
    CHECK(median >= row.least);
    CHECK(median <= row.most);
  }
}

// ---- random runs

FuzzTarget targetOf(const std::string& variant, const std::string& mutation = "") {
  FuzzTarget target;
  target.protocol = "sentinel";
  target.shape.knobs = knobsOf(FuzzPreset::swarm, findProtocol(target.protocol)->fuzzSettings());
  target.overrides.variant = variant;
  if (!mutation.empty()) target.overrides.mutations.push_back(mutation);
  return target;
}

TEST_CASE("sentinel: drawn runs are clean, every fault strikes, every invariant is exercised") {
  const CampaignResult result = runCampaign(targetOf("fixed"), {0, 2000}, 2, {});
  for (const Finding& finding : result.findings)
    FAIL_CHECK("seed " << finding.seed << ": " << finding.failure.what << ": " << finding.failure.text);
  CHECK(result.statistics.neverFired().empty());
  CHECK(result.statistics.obligations.size() == 9);
  for (const auto& of : result.statistics.obligations) {
    const std::string name = of.first;
    CAPTURE(name);
    CHECK(of.second > 100);
  }
}

TEST_CASE("sentinel: drawn runs find planted bugs, and what the real one does wrong") {
  struct Row {
    const char* variant;
    const char* mutation;
    const char* what;
    std::uint64_t from;
    std::uint64_t seeds;
  };
  for (const Row& row : {
           Row{"fixed", "sentinel_divergent_electorate", "elected-by-majority", 200, 100},
           {"fixed", "sentinel_no_majority_rule", "elected-by-majority", 0, 50},
           {"fixed", "sentinel_votes_twice", "vote-once", 0, 50},
           {"fixed", "sentinel_vote_not_durable", "vote-once", 0, 200},
           {"fixed", "sentinel_rank_ignored", "best-replica", 0, 200},
           {"fixed", "sentinel_starts_alone", "quorum-sees-it-down", 0, 50},
           {"fixed", "sentinel_publishes_too_early", "promotion-confirmed", 0, 50},
           {"fixed", "sentinel_config_goes_back", "config-forward", 0, 50},
           {"fixed", "sentinel_old_reports_count", "quorum-sees-it-down", 0, 200},
           {"fixed", "sentinel_overtaken_leader_goes_on", "config-agree", 200, 100},
           {"fixed", "sentinel_no_desync", "stall: no service", 200, 100},
           {"fixed", "sentinel_old_master_left_alone", "stall: a server does not obey", 0, 50},
           {"real", "", "quorum-sees-it-down", 0, 200},
       }) {
    CAPTURE(std::string(row.variant));
    CAPTURE(std::string(row.mutation));
    CAPTURE(std::string(row.what));
    FuzzTarget target = targetOf(row.variant, row.mutation);
    const std::string what = row.what;
    if (!what.starts_with("stall")) target.invariants = {what};
    const auto worker = protocolOf(target).fuzzWorker(target);
    bool found = false;
    for (std::uint64_t seed = row.from; seed < row.from + row.seeds && !found; ++seed) {
      const RunOutcome outcome = worker->run(seed);
      found = outcome.failure && outcome.failure->what == what;
    }
    CHECK(found);
  }
}

}  // namespace
}  // namespace zablab::sentinel
