// What a run says of itself: a scenario without a seed whose waits collide, one that expects nothing, what
// clients lost, and what is not exercised.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checker/execute.h"
#include "sim/json_reflect.h"

namespace zablab {
namespace {

Outcome ran(const std::string& text) { return runScenario(readCase("f", parseJson("f", text)).scenario); }

std::string scenarioOf(const std::string& rest) {
  return R"({"kind": "scenario", "name": "n", )" + rest + "}";
}

bool anyHas(const std::vector<std::string>& texts, const std::string& part) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

const std::string three_sentinels =
    R"("protocol": "sentinel", "servers": [{"id": 1}, {"id": 2}, {"id": 3}, {"id": 11, "kind": "redis"},
       {"id": 12, "kind": "redis"}, {"id": 13, "kind": "redis"}], "steps": [{"at": 5000, "kill": 11}],
       "until": 120000)";
const std::string three_servers = R"("protocol": "leader_followers", "servers": 3, "until": 20000)";
const std::string three_stores =
    R"("protocol": "external_store", "servers": [{"id": 1}, {"id": 2}, {"id": 21, "kind": "store"},
       {"id": 22, "kind": "store"}, {"id": 23, "kind": "store"}, {"id": 31, "kind": "resource"}],
       "until": 20000)";

TEST_CASE("run: without a seed waits that collide for ever get a default one, and it is said") {
  for (const std::string& one : {three_sentinels, three_servers, three_stores}) {
    CAPTURE(one);
    const Outcome outcome = ran(scenarioOf(one));
    CHECK(anyHas(outcome.warnings, "there is no `seed`"));
    CHECK(outcome.trace.scenario.value("seed", 0) == 1);
    // With a seed, or with a choice, it is what was asked for.
    const Outcome seeded = ran(scenarioOf(one + R"(, "seed": 1)"));
    CHECK(seeded.warnings.empty());
    CHECK(seeded.trace.events == outcome.trace.events);
  }
}

// The first of two votes that are needed leads to nothing, and nothing does at a scripted server.
TEST_CASE("run: a process that is killed when a message arrives does not see the next one") {
  for (const char* one :
       {R"("protocol": "leader_followers", "servers": [{"id": 1, "config": {"election_timeout_min_ms": 500,
         "election_timeout_max_ms": 500}}, {"id": 2}, {"id": 3}, {"id": 4}, {"id": 5}], "until": 3000,
         "steps": [{"when": {"event": {"node": 1, "kind": "delivered", "type": "VOTE_RESPONSE"}}, "kill": 1}])",
        R"("servers": [{"id": 1, "scripted": true}, {"id": 2}, {"id": 3}], "until": 3000,
         "steps": [{"when": {"event": {"node": 1, "kind": "delivered", "type": "NOTIFICATION"}}, "kill": 1}])"}) {
    CAPTURE(std::string(one));
    const Outcome outcome = ran(scenarioOf(one));
    std::vector<const TraceEvent*> of_1;
    for (const TraceEvent& event : outcome.trace.events) {
      if (event.node == 1 && (event.kind == "delivered" || event.kind == "stopped")) of_1.push_back(&event);
    }
    REQUIRE(of_1.size() == 2);
    CHECK(of_1[0]->kind == "delivered");
    CHECK(of_1[1]->kind == "stopped");
    CHECK(of_1[0]->time == of_1[1]->time);
  }
}

TEST_CASE("run: waits that differ, and servers that cannot be elected, get no seed") {
  for (
      const char* one :
      {R"("protocol": "leader_followers", "servers": [{"id": 1, "config": {"election_timeout_min_ms": 500,
           "election_timeout_max_ms": 500}}, {"id": 2}, {"id": 3}], "until": 20000)",
       R"("protocol": "leader_followers", "servers": 5, "steps": [{"at": 0, "kill": [3, 4, 5]}], "until": 20000)",
       R"("servers": 3, "until": 5000)"}) {
    CAPTURE(one);
    const Outcome outcome = ran(scenarioOf(one));
    CHECK_FALSE(anyHas(outcome.warnings, "`seed`"));
    CHECK_FALSE(outcome.trace.scenario.contains("seed"));
  }
}

TEST_CASE("run: a master that is back without its data has lost what was acknowledged") {
  const std::string servers =
      R"("protocol": "sentinel", "variant": "fixed", "servers": [{"id": 1}, {"id": 2}, {"id": 3},
         {"id": 11, "kind": "redis"}, {"id": 12, "kind": "redis"}, {"id": 13, "kind": "redis"}],
         "clients": [{"id": 101}], "until": 20000, "steps": [
         {"at": 2000, "client": 101, "write": true, "times": 10, "every": 50}, {"at": 5000, "kill": 11})";
  // The manual of Redis' replication: replicas copy the empty master.
  const Outcome empty =
      ran(scenarioOf(servers + R"(, {"at": 5010, "wipe": 11}, {"at": 5200, "start": 11}])"));
  CHECK(anyHas(empty.trace.header.at("answer").get<std::vector<std::string>>(),
               "10 writes were acknowledged, 10 of them lost"));
  const Outcome kept = ran(scenarioOf(servers + R"(, {"at": 5200, "start": 11}])"));
  CHECK(anyHas(kept.trace.header.at("answer").get<std::vector<std::string>>(),
               "10 writes were acknowledged, 0 of them lost"));
}

TEST_CASE("run: `held` of what is not exercised says that there was nothing to compare") {
  const Outcome outcome = ran(scenarioOf(
      R"("servers": 3, "until": 5, "expect": [{"invariant": {"name": "acknowledged-writes", "verdict": "held"}}])"));
  CHECK(anyHas(outcome.problems, "not exercised, expected held: there was nothing to compare"));
}

TEST_CASE("run: an expectation about what is beyond the run is undecided, and so is one that might change") {
  using enum Verdict;
  struct Row {
    std::string expect;
    Verdict whole;    ///< of a run until 1,000 ms: 3 leads from 213 ms on
    Verdict stopped;  ///< of the same run, stopped at 500 ms
  };
  const std::string leads = R"("server": 3, "state": {"role": "LEADING"})";
  const std::string looks = R"("server": 3, "state": {"role": "LOOKING"})";
  const std::string decided = R"("event": {"kind": "decided", "node": 3})";
  const std::string stopped = R"("event": {"kind": "stopped"})";
  const std::string same = R"("equal": {"servers": [1, 2], "field": "current_vote.leader"})";
  const auto to1 = [](const std::string& list) {
    return R"("packets": {"from": 3, "to": 1, "link": "client", )" + list + "}";
  };
  const std::vector<Row> rows{
      // a place at the end of the run, or behind it
      {R"("at": 1000, )" + leads, passed, inconclusive},
      {R"("at": 1001, )" + leads, inconclusive, inconclusive},
      {R"("at": 2000, )" + looks, inconclusive, inconclusive},
      {R"("at": 2000, )" + same, inconclusive, inconclusive},
      {R"("at": 2000, )" + stopped, inconclusive, inconclusive},
      {R"("at": 2000, "count": 0, )" + stopped, inconclusive, inconclusive},
      {R"("by": 2000, )" + leads, passed, passed},
      {R"("by": 2000, "server": 1, "state": {"role": "LEADING"})", inconclusive, inconclusive},
      {R"("by": 2000, )" + decided, passed, passed},
      {R"("by": 2000, "count": 1, )" + decided, inconclusive, inconclusive},
      {R"("by": 2000, "count": 0, )" + decided, failed, failed},
      {R"("by": 2000, "count": 0, )" + stopped, inconclusive, inconclusive},
      {R"("by": 900, "count": 0, )" + stopped, passed, inconclusive},
      {R"("by": 400, "count": 0, )" + stopped, passed, passed},
      // spans
      {R"("always": [2000, 3000], )" + leads, inconclusive, inconclusive},
      {R"("always": [600, 3000], )" + leads, inconclusive, inconclusive},
      {R"("always": [300, 3000], )" + looks, failed, failed},
      {R"("never": [2000, 3000], )" + looks, inconclusive, inconclusive},
      {R"("never": [600, 3000], )" + looks, inconclusive, inconclusive},
      {R"("never": [300, 3000], )" + leads, failed, failed},
      {R"("not_within": [2000, 3000], )" + looks, inconclusive, inconclusive},
      {R"("not_within": [600, 3000], )" + looks, inconclusive, inconclusive},
      {R"("never": [2000, 3000], )" + stopped, inconclusive, inconclusive},
      {R"("never": [600, 3000], )" + stopped, inconclusive, inconclusive},
      {R"("not_within": [600, 3000], )" + stopped, inconclusive, inconclusive},
      {R"("never": [0, 3000], )" + decided, failed, failed},
      {R"("never": [600, 900], )" + stopped, passed, inconclusive},
      {R"("never": true, )" + stopped, passed, inconclusive},
      {R"("never": true, )" + decided, failed, failed},
      {R"("never": true, "server": [1, 3], "state": {"role": "LEADING"})", failed, failed},
      {R"("not_within": [600, 900], "server": [1, 2, 3], "state": {"role": "LEADING"})", failed,
       inconclusive},
      {R"("never": true, "server": [1, 2], "state": {"role": "LEADING"})", passed, inconclusive},
      {R"("always": true, "server": 3, "state": {"self": 3})", passed, inconclusive},
      // a span in which nothing changes
      {R"("always": [601, 602], )" + leads, passed, inconclusive},
      {R"("never": [601, 602], )" + leads, failed, inconclusive},
      {R"("not_within": [1000, 1000], )" + leads, failed, inconclusive},
      {R"("never": true, "server": 4, "state": {"up": false})", failed, failed},
      {R"("by": 900, "server": 4, "state": {"up": false})", passed, passed},
      {R"("always": true, "server": [3, 4], "state": {"self": 3})", failed, inconclusive},
      {R"("always": true, "server": 4, "state": {"role": "LOOKING"})", failed, inconclusive},
      // the whole run
      {R"("finally": true, )" + leads, passed, inconclusive},
      {R"("finally": true, )" + looks, failed, inconclusive},
      {R"("finally": true, )" + same, passed, inconclusive},
      {decided, passed, passed},
      {R"("count": 1, )" + decided, passed, inconclusive},
      {R"("count": {"max": 1}, )" + stopped, passed, inconclusive},
      {R"("count": 2, )" + decided, failed, inconclusive},
      {R"("at_event": {"kind": "decided", "node": 3}, "server": 3, "state": {"up": true})", passed,
       inconclusive},
      {R"("at_event": {"kind": "stopped"}, )" + leads, failed, inconclusive},
      {R"("order": [{"kind": "quorum", "node": 3}, {"kind": "decided", "node": 3}])", passed, passed},
      {R"("order": [{"kind": "decided", "node": 3}, {"kind": "stopped"}])", failed, inconclusive},
      {to1(R"("exactly": [])"), passed, inconclusive},
      {to1(R"("contains": [{"type": "REPLY"}])"), failed, inconclusive},
      {R"("invariant": {"name": "vote-order"})", passed, inconclusive},
      {R"("invariant": {"name": "vote-order", "verdict": "violated"})", failed, inconclusive},
      {R"("invariant": {"name": "vote-order", "verdict": "not exercised"})", failed, failed},
      {R"("invariant": {"name": "monotonic-reads", "verdict": "not exercised"})", passed, inconclusive},
      {R"("invariant": {"name": "monotonic-reads"})", failed, inconclusive},
      // one of several is enough, and one that is undecided may be met
      {R"("any_of": [{"at": 2000, )" + leads + R"(}, {"at": 300, )" + leads + "}]", passed, passed},
      {R"("any_of": [{"at": 2000, )" + leads + R"(}, {"at": 300, )" + looks + "}]", inconclusive,
       inconclusive},
      {R"("any_of": [{"never": [2000, 3000], )" + leads + R"(}, {"at": 300, )" + looks + "}]", inconclusive,
       inconclusive},
  };
  for (const Row& row : rows) {
    CAPTURE(row.expect);
    const std::string text =
        scenarioOf(R"("servers": [{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4, "down": true}], "until": 1000,
                      "expect": [{)" +
                   row.expect + "}]");
    const LoadedScenario scenario = readCase("f", parseJson("f", text)).scenario;
    const Outcome whole = runScenario(scenario);
    Until until;
    until.time = 500;
    const Outcome early = runScenario(scenario, until);
    const auto textOf = [](const Outcome& outcome) {
      std::string all;
      for (const auto* list : {&outcome.problems, &outcome.open}) {
        for (const std::string& one : *list) all += one + "; ";
      }
      return all;
    };
    CHECK_MESSAGE(whole.verdict == row.whole, textOf(whole));
    CHECK_MESSAGE(early.verdict == row.stopped, textOf(early));
  }
}

TEST_CASE("run: a client that never sent its write makes its scenario fail") {
  const std::string asked =
      R"("servers": 3, "clients": [{"id": 101}], "steps": [{"at": 2000, "client": 101, "write": 5}], "until": 4000)";
  CHECK(anyHas(ran(scenarioOf(asked)).problems, "steps[0]: client 101 never sent this"));
  // Whoever expects that knows it.
  CHECK(ran(scenarioOf(asked +
                       R"(, "expect": [{"event": {"kind": "answered", "node": 101, "outcome": "not_sent"},
      "count": 1}])"))
            .problems.empty());
  CHECK(ran(scenarioOf(R"("servers": 3, "clients": [{"id": 101, "server": 2}], "until": 4000,
      "steps": [{"at": 2000, "client": 101, "write": 5}])"))
            .problems.empty());
}

TEST_CASE("run: a zoo.cfg's keys are said to be used, without effect here, or unknown") {
  const std::string file = R"(tickTme=3\nforceSync=maybe\ninitLimit=10\nsyncLimit=5\nserver.1=a:2888:3888\n)"
                           R"(server.2=b:2888:3888\nserver.3=c:2888:3888\n)";
  const Outcome outcome = ran(scenarioOf(R"("until": 100, "zoo_cfg": ")" + file + "\""));
  CHECK(anyHas(outcome.warnings, "tickTme"));
  CHECK(anyHas(outcome.warnings, "did you mean tickTime?"));
  CHECK(anyHas(outcome.warnings, "forceSync is \"maybe\""));
  const auto notes = outcome.trace.header.at("notes").get<std::vector<std::string>>();
  CHECK(anyHas(notes, "used: initLimit, syncLimit, server.1, server.2, server.3"));
  CHECK(anyHas(notes, "without effect: forceSync"));
}

TEST_CASE("run: a leader that has proposed less than it has logged is refused") {
  try {
    ran(scenarioOf(
        R"("servers": [{"id": 1, "disk": {"accepted_epoch": 1, "current_epoch": 1, "snapshot": "0.0", "log": [
      {"zxid": "1.1", "kind": "put", "value": 1}, {"zxid": "1.2", "kind": "put", "value": 2}]},
      "state": {"role": "LEADING", "phase": "broadcast", "leader": 1, "last_proposed": "1.1"}}, {"id": 2}, {"id": 3}],
      "until": 100)"));
    FAIL_CHECK("it was accepted");
  } catch (const InputError& error) {
    CHECK_MESSAGE(error.message.find("`last_proposed` is 1.1") != std::string::npos, error.message);
  }
}

TEST_CASE("run: getChildren and flags are written in events and patterns as in steps") {
  const std::string steps =
      R"("protocol": "zookeeper", "servers": 3, "clients": [{"id": 101}], "until": 9000, "steps": [
         {"at": 2000, "client": 101, "connect": 1}, {"at": 4000, "client": 101, "getChildren": "/"},
         {"at": 5000, "client": 101, "multi": [{"create": "/a", "flags": FLAGS}]}], "expect": [
         {"event": {"kind": "answered", "op": {"getChildren": "/"}, "result": {"error": "OK"}}, "count": 1},
         {"event": {"kind": "asked", "op": {"multi": true, "ops": [{"create": "/a", "flags": ["EPHEMERAL"]}]}},
          "count": 1}])";
  const auto with = [&](const std::string& flags) {
    std::string text = steps;
    return scenarioOf(text.replace(text.find("FLAGS"), 5, flags));
  };
  const Outcome outcome = ran(with(R"(["EPHEMERAL"])"));
  for (const std::string& problem : outcome.problems) FAIL_CHECK(problem);
  for (const char* unknown : {R"(["EPHEMERALL"])", "9", R"("EPHEMERAL")"}) {
    CAPTURE(unknown);
    CHECK_THROWS_AS(ran(with(unknown)), InputError);
  }
}

}  // namespace
}  // namespace zablab
