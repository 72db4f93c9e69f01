// What has to happen in the end: verdicts of models, counterexamples that go on for ever, and what is
// refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "checker/check/check.h"
#include "checker/execute.h"
#include "checker/protocol.h"
#include "checker/replay.h"
#include "tests/shipped.h"

namespace zablab {
namespace {

Json modelText(const std::string& name) {
  return loadCase(std::string(ZABLAB_SOURCE_DIR) + "/scenarios/models/" + name + ".json")
      .model.document.plain();
}
CheckResult search(const Json& text) { return check(modelOf(text), {}); }
const LivenessReport::Property& only(const CheckResult& result) {
  REQUIRE(result.liveness);
  REQUIRE(result.liveness->properties.size() == 1);
  return result.liveness->properties.front();
}
LoadedScenario lassoOf(const CheckResult& result) {
  REQUIRE(result.scenario);
  return readCase("a lasso", JsonValue::fromJson(*result.scenario, "a lasso")).scenario;
}

TEST_CASE("liveness: in every protocol something is shown to happen, and with a planted bug it need not") {
  std::set<std::string> shown, refuted;
  for (const std::string& path : shippedFiles()) {
    const Case one = loadCase(path);
    if (one.kind != Case::Kind::model || one.model.spec.liveness.empty()) continue;
    const Model& model = one.model.spec;
    const std::string protocol(model.protocol.empty() ? protocols().front()->name() : model.protocol);
    if (model.expect.verdict == "holds") shown.insert(protocol);
    for (const FailsWith& how : model.fails_with) {
      if (how.mutation.empty() || refuted.contains(protocol)) continue;
      Json text = one.model.document.plain();
      text["mutations"].push_back(how.mutation);
      if (search(text).loop_length) refuted.insert(protocol);
    }
  }
  for (const Protocol* protocol : protocols()) {
    CAPTURE(protocol->name());
    CHECK(shown.contains(std::string(protocol->name())));
    CHECK(refuted.contains(std::string(protocol->name())));
  }
}

TEST_CASE(
    "liveness: the releases' elections end at a start, and need not where a worse vote is not answered") {
  for (const char* variant : {"zookeeper", "real", "zookeeper-3.4", "zookeeper-3.8.0", "zookeeper-3.8.5",
                              "zookeeper-3.9.3", "zookeeper-3.9.5"}) {
    CAPTURE(variant);
    for (const char* model :
         {"an-election-ends", "an-election-of-different-rounds-ends", "a-server-that-restarts-joins"}) {
      Json text = modelText(model);
      text["variant"] = variant;
      CHECK(search(text).verdict == "holds");
    }
    Json text = modelText("two-sound-servers-that-do-not-elect");  // docs/findings.md, finding 3
    text["variant"] = variant;
    CHECK(search(text).violated == "an election ends");
    text["rules"]["kept_vote"] = "answered";
    CHECK(search(text).verdict == "holds");
  }
  for (const char* variant : {"textbook", "textbook-overview"}) {  // whose servers do not all answer
    Json text = modelText("an-election-ends");
    text["variant"] = variant;
    CHECK(search(text).violated == "an election ends");
  }
}

TEST_CASE("liveness: fairness decides, and a result says of what it is needed") {
  const CheckResult held = search(modelText("requests-are-answered"));
  CHECK(only(held).verdict == "held");
  CHECK(only(held).needs == std::vector<std::string>{"deliver", "dial", "sync"});
  CHECK(held.liveness->fairness.at("deliver") == Fairness::weak);
  for (const char* needed : {"deliver", "dial", "sync"}) {
    CAPTURE(needed);
    Json text = modelText("requests-are-answered");
    text["fairness"][needed] = "none";
    const CheckResult result = search(text);
    CHECK(only(result).verdict == "violated");
    CHECK(result.loop_length == 0);
    CHECK(runScenario(lassoOf(result)).verdict == Verdict::passed);
  }
  Json text = modelText("an-election-ends");
  text["fairness"]["finalize_wait"] = "none";  // by the timer's name
  CHECK(only(search(text)).verdict == "violated");
  text["fairness"]["finalize_wait"] = "strong";
  CHECK(only(search(text)).verdict == "held");
}

TEST_CASE("liveness: what exceeds the budget of elections is not judged, and is counted") {
  const CheckResult result = search(modelText("generations-2-elect"));
  CHECK(only(result).verdict == "held");
  CHECK(result.liveness->leaving > 0);
}

TEST_CASE("liveness: a limit leaves it undecided, and what need not happen is not exercised") {
  Json text = modelText("an-election-ends");
  CheckOptions few;
  few.states_max = 5000;
  CHECK(check(modelOf(text), few).verdict == "undecided");
  text["liveness"] = {{{"name", "3 leads again"},
                       {"from", {{{"3", {{"up", false}}}}}},
                       {"leads_to", {{{"3", {{"role", "LEADING"}}}}}}}};
  CHECK(only(search(text)).verdict == "not exercised");
}

TEST_CASE("liveness: a lasso goes on for as many rounds as are asked for") {
  Json text = modelText("an-election-ends");
  text["mutations"] = {"fle_never_joins"};
  const CheckResult result = search(text);
  REQUIRE(result.loop_length);
  CHECK(*result.loop_length > 0);
  const LoadedScenario lasso = lassoOf(result);
  const Outcome outcome = runScenario(lasso);
  CHECK(outcome.verdict == Verdict::passed);
  const Trace recorded = outcome.trace;
  CHECK(replay(recorded, "its trace").differences.empty());
  for (const std::int64_t loops : {1, 2, 40}) {
    const Replayed again = replayLoops(recorded, "its trace", loops);
    CHECK(again.differences.empty());
    CHECK(again.trace.header["loop"]["rounds"] == loops);
  }
  // One action less, and it does not lead back; another set of states, and they are met.
  Json shorter = *result.scenario;
  shorter["actions"].erase(shorter["actions"].size() - 1);
  const Outcome broken = runScenario(readCase("shorter", JsonValue::fromJson(shorter, "shorter")).scenario);
  CHECK(broken.verdict == Verdict::failed);
  Json other = *result.scenario;
  other["loop"]["without"] = {{{"some", {{"role", "LEADING"}}}}};
  CHECK(runScenario(readCase("other", JsonValue::fromJson(other, "other")).scenario).verdict ==
        Verdict::failed);
  // Without one of its actions the run has no such loop; that it is explained must not depend on one.
  Json longer = *result.scenario;
  longer["loop"]["times"] = 3;
  const Outcome thrice = runScenario(readCase("longer", JsonValue::fromJson(longer, "longer")).scenario);
  CHECK(thrice.trace.events.size() > recorded.events.size());
}

struct Refused {
  const char* key;
  const char* value;  ///< JSON
  const char* error;  ///< a part of it
};

TEST_CASE("liveness: what a model asks for by mistake is refused at its place") {
  for (
      const Refused& refused : {
          Refused{"liveness", R"([{"name": "x"}])",
                  "one of `eventually`, `always_eventually` and `leads_to`"},
          {"liveness",
           R"([{"name": "x", "eventually": [{"1": {"up": true}}], "always_eventually": [{"1": {"up": true}}]}])",
           "one of `eventually`"},
          {"liveness", R"([{"name": "x", "leads_to": [{"1": {"up": true}}]}])", "belong together"},
          {"liveness",
           R"([{"name": "x", "eventually": [{"1": {"up": true}}], "from": [{"1": {"up": true}}]}])",
           "belong together"},
          {"liveness", R"([{"name": "x", "eventually": []}])", "no state is like this"},
          {"liveness", R"([{"name": "x", "eventually": [{}]}])", "every state is like this"},
          {"liveness", R"([{"name": "x", "eventually": [{"1": {}}]}])", "every server is like this"},
          {"liveness", R"([{"name": "x", "eventually": [{"1": []}]}])", "no server is like this"},
          {"liveness", R"([{"name": "x", "eventually": [{"9": {"up": true}}]}])", "there is no server `9`"},
          {"liveness", R"([{"name": "x", "eventually": [{"anybody": {"up": true}}]}])",
           "there is no server `anybody`"},
          {"liveness", R"([{"name": "x", "eventually": [{"some": {"role": "LEADS"}}]}])", "LEADING"},
          {"liveness", R"([{"name": "x", "eventually": [{"some": {"disk": {}}}]}])", "not about its disk"},
          {"fairness", R"({"delivers": "weak"})", "did you mean deliver?"},
          {"fairness", R"({"deliver": "always"})", "none, weak, strong"},
      }) {
    CAPTURE(refused.value);
    Json text = modelText("an-election-ends");
    text[refused.key] = Json::parse(refused.value);
    std::string error;
    try {
      readCase("a model", JsonValue::fromJson(text, "a model"));
    } catch (const InputError& thrown) {
      error = thrown.what();
    }
    CHECK_MESSAGE(error.find(refused.error) != std::string::npos, error);
  }
  Json without = modelText("election-3");
  without["fairness"]["deliver"] = "weak";
  CHECK_THROWS_AS(readCase("a model", JsonValue::fromJson(without, "a model")), InputError);
}

TEST_CASE("liveness: a loop that a scenario asks for by mistake is refused at its place") {
  Json text = modelText("an-election-ends");
  text["mutations"] = {"fle_never_joins"};
  const Json lasso = *search(text).scenario;
  const auto errorOf = [](const Json& scenario) -> std::string {
    try {
      readCase("a scenario", JsonValue::fromJson(scenario, "a scenario"));
    } catch (const InputError& thrown) {
      return thrown.what();
    }
    return "";
  };
  CHECK(errorOf(lasso).empty());
  const auto changed = [&](const char* key, const Json& value) {
    Json scenario = lasso;
    scenario["loop"][key] = value;
    return errorOf(scenario);
  };
  CHECK(changed("from", 500).find("there is no action 500") != std::string::npos);
  CHECK(changed("from", -1).find("there is no action -1") != std::string::npos);
  Json last_state = lasso;
  last_state["loop"] = {{"from", lasso["actions"].size()}};
  CHECK(errorOf(last_state).find("nothing is said of the last state") != std::string::npos);
  CHECK(changed("times", 0).find("from 1 to 1000") != std::string::npos);
  CHECK(changed("without", Json::array()).find("no state is like this") != std::string::npos);
  Json steps = lasso;
  steps["steps"] = {{{"at", 100}, {"kill", 1}}};
  CHECK(errorOf(steps).find("a loop is one of `actions`") != std::string::npos);
}

}  // namespace
}  // namespace zablab
