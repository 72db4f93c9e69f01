// The graph of a model's states: `zablab check --graph`, `zablab render --view statespace`.
#include "sim/state_graph.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>

#include "checker/check/check.h"
#include "tests/shipped.h"
#include "tests/viz_dot_reader.h"
#include "viz/statespace.h"

namespace zablab {
namespace {

LoadedModel shippedModel(const std::string& name, const Json& changes = Json::object()) {
  Json text = loadCase(ZABLAB_SOURCE_DIR "/scenarios/models/" + name + ".json").model.document.plain();
  text.update(changes);
  return modelOf(text);
}

CheckResult withGraph(const LoadedModel& model, std::uint64_t states_max = 0) {
  CheckOptions options;
  options.graph = true;
  options.states_max = states_max;
  return check(model, options);
}

StateGraph graphOf(const std::string& name, const Json& changes = Json::object()) {
  return *withGraph(shippedModel(name, changes)).graph;
}

/// Whether the texts occur in the others, in this order.
bool occurIn(const std::vector<std::string>& texts, const std::vector<std::string>& others) {
  auto at = others.begin();
  for (const std::string& text : texts) {
    at = std::find(at, others.end(), text);
    if (at == others.end()) return false;
    ++at;
  }
  return true;
}

TEST_CASE("state graph: it has the states and transitions that the search counts, and its counterexample") {
  struct Row {
    const char* model;
    Json changes;
    std::uint64_t states_max;
    std::string violated;
    std::string reached;
  };
  const Json nothing = Json::object();
  const std::vector<Row> rows{
      {"election-2", nothing, 0, "", ""},
      {"election-2", {{"mutations", {"fle_half_is_a_quorum"}}}, 0, "decided-by-quorum", ""},
      {"election-3", nothing, 300, "", ""},
      {"000-F8-a-follower-restarts", nothing, 0, "", ""},
      {"000-F8-a-follower-restarts",
       {{"mutations", {"fle_join_without_quorum"}}},
       0,
       "decided-by-quorum",
       ""},
      {"p3-3-servers", {{"variant", "textbook-naive"}}, 0, "B leads without P", ""},
      {"broadcast-5", {{"mutations", {"zab_first_ack_commits"}}}, 0, "uncommitted-never-visible", ""},
      {"004-Q2-one-read-repairs", {{"rules", {{"read_repair", "none"}}}}, 0, "converged", ""},
      {"generations-1-power-loss", nothing, 400, "", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.model);
    CAPTURE(row.violated);
    const CheckResult result = withGraph(shippedModel(row.model, row.changes), row.states_max);
    REQUIRE(result.graph);
    const StateGraph& graph = *result.graph;
    CHECK(graph.states.size() == result.distinct);
    CHECK(graph.actions.size() + graph.pruned == result.generated);
    CHECK(graph.pruned == result.pruned);
    CHECK(graph.exhausted == result.exhausted);
    std::uint64_t depth = 0;
    for (const GraphState& state : graph.states) depth = std::max(depth, state.depth);
    CHECK(depth == result.depth);
    CHECK(result.violated == row.violated);
    CHECK(graph.violated == row.violated);
    if (!result.scenario) {
      CHECK(graph.path.empty());
      continue;
    }
    // A step of the path has one action, or several if something follows from it at once.
    REQUIRE(!graph.path.empty());
    CHECK(graph.path.size() <= result.length);
    CHECK(graph.states[graph.actions[graph.path.back()].to].depth == graph.path.size());
    std::vector<std::string> effects, told;
    for (const std::uint64_t i : graph.path)
      effects.insert(effects.end(), graph.actions[i].effects.begin(), graph.actions[i].effects.end());
    const Outcome run =
        runScenario(readCase("found", JsonValue::fromJson(*result.scenario, "found")).scenario);
    for (const TraceEvent& event : run.trace.events) told.push_back(event.text);
    CHECK(!effects.empty());
    CHECK(occurIn(effects, told));
    const std::vector<std::string>& violates = graph.actions[graph.path.back()].violates;
    const bool by_action = std::find(violates.begin(), violates.end(), row.violated) != violates.end();
    const auto& names = result.goals;
    const bool goal =
        std::any_of(names.begin(), names.end(), [&](const auto& one) { return one.name == row.violated; });
    CHECK((by_action || goal || row.violated.empty()));
  }
}

TEST_CASE("state graph: a model of more states than can be drawn is refused, unless it is ended before") {
  const LoadedModel model = shippedModel("election-3");
  try {
    withGraph(model);
    FAIL("not refused");
  } catch (const InputError& error) {
    const std::string text = error.what();
    CHECK(text.find("a graph has at most 2000 states") != std::string::npos);
    CHECK(text.find("--max-states") != std::string::npos);
  }
  CHECK(withGraph(model, 300).graph->states.size() < graph_states_max);
  CHECK(!check(model, {}).graph);  // if nobody asks for one, there is no limit
}

TEST_CASE("state graph: a limit of time ends it and the search, and so does an interrupt") {
  const LoadedModel model = shippedModel("election-3");  // of more states than are drawn
  std::uint64_t now = 0;
  const std::atomic<bool> interrupted{true};
  CheckOptions timed;
  timed.graph = true;
  timed.milliseconds_max = 1000;
  timed.clock = [&now] { return now += 10; };
  const CheckResult late = check(model, timed);
  CHECK(late.stopped_by == "time");
  CHECK(late.verdict == "undecided");
  REQUIRE(late.graph);
  CHECK_FALSE(late.graph->exhausted);
  CHECK(late.graph->states.size() > 10);
  CheckOptions stopped;
  stopped.graph = true;
  stopped.interrupted = &interrupted;
  const CheckResult early = check(model, stopped);
  CHECK(early.stopped_by == "interrupt");
  REQUIRE(early.graph);
  CHECK(early.graph->states.size() == 1);
}

TEST_CASE("state graph: what is written is read") {
  for (const Json& changes : {Json::object(), Json{{"mutations", {"fle_half_is_a_quorum"}}}}) {
    const StateGraph graph = graphOf("election-2", changes);
    CHECK(readStateGraph("g.json", stateGraphText(graph)) == graph);
  }
}

TEST_CASE("state graph: a damaged file is refused with its place") {
  const std::string head = R"({"format":"zablab-states","version":1,"model":"m",)";
  const std::string states = R"("states":[{"depth":0,"nodes":[]},{"depth":1,"nodes":[]}],)";
  const std::string action = R"("actions":[{"from":0,"to":1,"text":"a"}])";
  CHECK_NOTHROW(readStateGraph("g", head + states + action + "}"));
  const std::vector<std::pair<std::string, std::string>> rows{
      {"{}", "it has no `format`"},
      {R"({"format":"zablab-trace"})", "must be \"zablab-states\""},
      {R"({"format":"zablab-states","version":2})", "this is version 2"},
      {head + action + "}", "`states`"},
      {head + R"("states":[],"actions":[]})", "at least the initial state"},
      {head + states + R"("actions":[]})", "no action leads from an earlier state to state 1"},
      {head + states + R"("actions":[{"from":0,"to":2,"text":"a"}]})", "there is no state 2"},
      {head + states + action + R"(,"path":[1]})", "there is no action 1"},
      {head + states + action + R"(,"path":[0,0]})", "the path is at state 1"},
  };
  for (const auto& row : rows) {
    const std::string& message = row.second;
    CAPTURE(message);
    try {
      readStateGraph("g.json", row.first);
      FAIL_CHECK("not refused");
    } catch (const InputError& error) {
      CHECK(std::string(error.what()).find(message) != std::string::npos);
      CHECK(std::string(error.what()).find("g.json") != std::string::npos);
    }
  }
}

std::vector<viz::Element> elementsOf(const StateGraph& graph, viz::Theme theme) {
  const std::string text = viz::statespaceDot(graph, theme);
  const viz::DotReader reader(text);
  std::vector<viz::Element> all = reader.edges;
  for (const auto& [name, node] : reader.nodes) all.push_back(node);
  return all;
}

/// The number of elements that have this class.
std::size_t withClass(const std::vector<viz::Element>& elements, const std::string& word) {
  return static_cast<std::size_t>(std::count_if(elements.begin(), elements.end(),
                                                [&](const viz::Element& one) { return one.has(word); }));
}

TEST_CASE("state graph: the picture marks the initial state, the path and the violation by shape and width") {
  for (const viz::Theme theme : {viz::Theme::light, viz::Theme::dark}) {
    const StateGraph graph = graphOf("election-2", {{"mutations", {"fle_half_is_a_quorum"}}});
    const std::vector<viz::Element> all = elementsOf(graph, theme);
    CHECK(withClass(all, "state") == graph.states.size());
    CHECK(withClass(all, "action") == graph.actions.size());
    CHECK(withClass(all, "initial") == 1);
    CHECK(withClass(all, "path") == 2 * graph.path.size() + 1);
    for (const viz::Element& one : all) {
      CAPTURE(one.id());
      const bool state = one.has("state");
      CHECK((one.get("style").find("diagonals") != std::string::npos) == (state && one.has("violation")));
      CHECK((one.get("peripheries") == "2") == one.has("initial"));
      if (!state) CHECK((one.get("penwidth") == "3.2") == one.has("path"));
      if (one.has("state") && one.id() == "state-" + std::to_string(graph.actions[graph.path.back()].to))
        CHECK(one.get("label").find("violated: decided-by-quorum") != std::string::npos);
    }
    CHECK(withClass(all, "violation") >= 1);
  }
}

TEST_CASE("state graph: in a large picture only the path has labels, and tooltips say the rest") {
  const StateGraph graph = graphOf("000-F2-a-higher-round-begins-anew");
  REQUIRE(graph.states.size() > viz::labelled_states_max);
  for (const viz::Element& one : elementsOf(graph, viz::Theme::light)) {
    CAPTURE(one.id());
    if (one.has("state")) CHECK(one.get("label").empty() == !(one.has("path") || one.has("initial")));
    if (one.has("action")) CHECK(one.get("label").empty() == !one.has("path"));
    if (one.has("state") || one.has("action")) CHECK(!one.get("tooltip").empty());
  }
}

}  // namespace
}  // namespace zablab
