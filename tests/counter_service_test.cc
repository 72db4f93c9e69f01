// A second service is built on the broadcast without a change below it: it runs, its runs with faults keep
// the broadcast's invariants, a search exhausts it, and each of these finds a planted bug of the broadcast.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "checker/check/family_check.h"
#include "checker/zab/monitors.h"
#include "protocol/zab/mutations.h"
#include "sim/run_of.h"
#include "tests/counter_service.h"
#include "tests/mishaps.h"
#include "tests/shipped.h"

namespace zablab {
namespace {

using F = counter::Family;
using counter::Operation;

std::unique_ptr<MonitorSet<F>> monitorsOf(const Cluster<F>& cluster) {
  return zab::monitorsWith(std::make_unique<counter::Ledger>(cluster));
}

std::map<std::string, std::uint64_t> obligationsOf(const MonitorSet<F>& set) {
  std::map<std::string, std::uint64_t> obligations;
  for (const auto& monitor : set.monitors())
    obligations[std::string(monitor->info().name)] += monitor->obligations();
  return obligations;
}

std::vector<std::string> violatedIn(const MonitorSet<F>& set) {
  std::vector<std::string> violated;
  for (const auto& monitor : set.monitors()) {
    if (monitor->violation()) violated.emplace_back(monitor->info().name);
  }
  return violated;
}

TEST_CASE("counter: a scenario makes requests to servers, and a crash loses nothing that was shown") {
  const Json text{{"kind", "scenario"},
                  {"name", "sums"},
                  {"servers", 3},
                  {"steps",
                   {{{"at", 3000}, {"server", 3}, {"add", 60}},
                    {{"at", 3100}, {"server", 1}, {"add", 30}},
                    {{"at", 3200}, {"server", 3}, {"add", 11}},
                    {{"at", 4000}, {"kill", 3}},
                    {{"at", 9000}, {"server", 1}, {"add", 10}},
                    {{"at", 9500}, {"server", 1}, {"tell", true}}}},
                  {"until", 10000}};
  const JsonValue document = JsonValue::fromJson(text, "sums");
  const LoadedScenario scenario{readScenario(document), document};
  checkScenario(theFamily<F>(), scenario);
  Json in_a_loop = text;
  in_a_loop["steps"][0]["closed"] = true;
  const JsonValue loop = JsonValue::fromJson(in_a_loop, "a loop");
  CHECK_THROWS_AS(checkScenario(theFamily<F>(), {readScenario(loop), loop}),
                  InputError);  // nobody waits for answers
  ScenarioRun any(scenario, makeSetup(theFamily<F>(), scenario), {});
  RunOf<F> run(any);
  const auto monitors = monitorsOf(run.cluster());
  run.watch(*monitors);
  const Trace trace = any.execute();
  std::vector<std::int64_t> shown;
  std::vector<std::string> proposals;
  for (const TraceEvent& event : trace.events) {
    if (event.kind == "sum" && event.node == 1) shown.push_back(event.data.at("sum").get<std::int64_t>());
    if (event.kind == "written" && event.node == 1 && event.data.at("record") == "txn")
      proposals.push_back(event.data.at("content").at("txn").dump());
  }
  // 60 and 30 leave no room for 11.
  CHECK(shown == std::vector<std::int64_t>{60, 90, 100, 100});
  CHECK(proposals == std::vector<std::string>{R"({"zxid":"1.1","payload":60})",
                                              R"({"zxid":"1.2","payload":30})",
                                              R"({"zxid":"2.1","payload":10})"});
  CHECK(violatedIn(*monitors).empty());
  auto obligations = obligationsOf(*monitors);
  for (const char* name : {"committed-never-lost", "uncommitted-never-visible", "agreement", "same-history",
                           "acks-durable", "promised-by-quorum", "decided-by-quorum", "sums-true"}) {
    CHECK_MESSAGE(obligations[name] > 0, std::string(name));
  }
}

struct RandomRun {
  std::vector<std::string> violated;
  std::map<std::string, std::uint64_t> obligations;
};

/// A minute of three servers, all of which may fail, with occasional requests.
RandomRun randomRun(std::uint64_t seed, const zab::BroadcastRules& rules) {
  zab::Config config;
  for (ServerId id = 1; id <= 3; ++id) config.members.push_back({.id = id});
  Cluster<F> cluster;
  cluster.rules = rules;
  cluster.ids = {1, 2, 3};
  cluster.configs.assign(3, config);
  cluster.scripted.assign(3, false);
  for (const auto& link : F::links) cluster.links.push_back(link.kind);

  Choices choices(std::make_unique<SeededChoices>(seed),
                  [](ChoiceKind, std::uint8_t) { return std::string(); });
  choices.remember(false);
  Simulator<F> simulator(cluster, {.latency = {{1, 30}, {1, 30}, {1, 30}}, .dial = {1, 10}}, choices);
  const auto monitors = monitorsOf(cluster);
  simulator.listen(*monitors);
  Mishaps<F> mishaps(cluster, simulator, choices, {.begin_ms_max = 40'000, .lasts_ms_max = 8000});
  mishaps.arm();
  for (int i = 0; i < 3; ++i) simulator.apply({.kind = ActionKind::start, .a = i});
  for (Millis when = 1000; when < 60'000; when += 400) {
    simulator.at(when, [&simulator, when] {
      const int server = static_cast<int>(when / 400 % 3);
      const auto operation = when / 400 % 4 == 0 ? Operation::tell : Operation::add;
      if (simulator.store().isUp(server) && !simulator.store().isPaused(server))
        simulator.apply({.kind = ActionKind::ask, .a = server, .request = F::Request{operation, 1}});
    });
  }
  simulator.run(60'000, [] { return false; });
  return {violatedIn(*monitors), obligationsOf(*monitors)};
}

zab::BroadcastRules mutated(std::string_view name) {
  const auto row = std::find_if(zab::broadcast_mutations.begin(), zab::broadcast_mutations.end(),
                                [name](const Mutation& mutation) { return mutation.name == name; });
  REQUIRE(row != zab::broadcast_mutations.end());
  zab::BroadcastRules rules;
  mutate(rules, *row);
  return rules;
}

TEST_CASE("counter: the broadcast's invariants hold over random runs, and a planted bug of it breaks one") {
  std::map<std::string, std::uint64_t> obligations;
  std::map<std::string, int> broken;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const RandomRun sound = randomRun(seed, {});
    for (const std::string& name : sound.violated) FAIL_CHECK("seed ", seed, ": ", name);
    for (const auto& [name, count] : sound.obligations) obligations[name] += count;
    for (const std::string& name : randomRun(seed, mutated("zab_first_ack_commits")).violated) ++broken[name];
  }
  for (const char* name : {"committed-never-lost", "uncommitted-never-visible", "epoch-closure", "agreement",
                           "commits-contiguous", "same-history", "up-to-date-applied", "sums-true"}) {
    CHECK_MESSAGE(obligations[name] > 30, std::string(name));
  }
  CHECK(broken["uncommitted-never-visible"] > 50);
}

/// Three servers that already serve; two amounts are requested, one server may end, and there is an election.
Json amounts() {
  const Json disk{{"accepted_epoch", 1}, {"current_epoch", 1}, {"snapshot", "0.0"}, {"log", Json::array()}};
  Json servers = Json::array();
  for (ServerId id = 1; id <= 3; ++id) {
    servers.push_back(
        {{"id", id},
         {"disk", disk},
         {"state",
          {{"role", id == 3 ? "LEADING" : "FOLLOWING"},
           {"phase", "broadcast"},
           {"leader", 3},
           {"logicalclock", 1},
           {"current_vote", {{"leader", 3}, {"zxid", "0.0"}, {"peer_epoch", 1}, {"election_epoch", 1}}}}}});
  }
  return {{"kind", "model"},
          {"name", "two amounts"},
          {"servers", servers},
          {"bounds", {{"writes", 2}, {"crashes", 1}}},
          {"grain", "atomic_election"}};
}

TEST_CASE("counter: a search exhausts it, and refutes a planted bug of the broadcast") {
  const LoadedModel sound = modelOf(amounts());
  checkModelOf(theFamily<F>(), theCheck<F>(), sound);
  const CheckResult result = checkOf(theFamily<F>(), theCheck<F>(), sound, {});
  CHECK(result.verdict == "holds");
  CHECK(result.distinct > 500);
  for (const auto& invariant : result.invariants) {
    if (invariant.name == "uncommitted-never-visible" || invariant.name == "sums-true")
      CHECK_MESSAGE(invariant.obligations > 0, invariant.name);
  }

  Json text = amounts();
  text["mutations"] = {"zab_ack_before_fsync"};
  const CheckResult refuted = checkOf(theFamily<F>(), theCheck<F>(), modelOf(text), {});
  CHECK(refuted.verdict == "violated");
  CHECK((refuted.violated == "uncommitted-never-visible" || refuted.violated == "acks-durable"));

  // The counterexample is an ordinary scenario.
  REQUIRE(refuted.scenario);
  const JsonValue document = JsonValue::fromJson(*refuted.scenario, "counterexample");
  const LoadedScenario scenario{readScenario(document), document};
  ScenarioRun any(scenario, makeSetup(theFamily<F>(), scenario), {});
  RunOf<F> run(any);
  const auto monitors = monitorsOf(run.cluster());
  run.watch(*monitors);
  any.executeBare();
  CHECK(violatedIn(*monitors) == std::vector<std::string>{refuted.violated});
}

}  // namespace
}  // namespace zablab
