// The shipped scenarios and tables: each passes, each can fail, each replays, and together they have every
// invariant held and violated.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/collision.h"
#include "checker/execute.h"
#include "checker/expectations.h"
#include "checker/protocol.h"
#include "checker/replay.h"
#include "checker/tables.h"
#include "tests/shipped.h"

namespace zablab {
namespace {

/// Files that no mutation and no rule makes fail, and why. At most five.
const std::map<std::string, std::string> cannot_fail{
    {"000-A0-election-algorithm.json", "a file is parsed: no rule of the protocol has a say in it"},
};

/// Files of which no entry of `fails_with` makes an expectation fail: only invariants are violated.
const std::set<std::string> breaks_invariants_alone{
    "002-A2-two-writes-of-one-node.json",
    "004-1b-a-server-that-starts-finds-the-leader.json",
    "004-2-a-leader-by-a-majority.json",
};

/// Files whose story needs the shortest latencies, and why.
const std::map<std::string, std::string> needs_defaults{
    {"000-E5-deaths-in-any-order.json",
     "its times are those of sessions that end as soon as they may; recipes_test.cc draws thirty runs"},
};

std::vector<Case> allCases() {
  std::vector<Case> cases;
  for (const std::string& path : shippedFiles()) {
    Case one = loadCase(path);
    if (one.kind != Case::Kind::model) cases.push_back(std::move(one));
  }
  return cases;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = allCases();
  return all;
}

std::string fileOf(const Case& one) { return std::filesystem::path(one.path).filename().string(); }

const JsonValue& documentOf(const Case& one) {
  return one.kind == Case::Kind::table ? one.table : one.scenario.document;
}

Outcome run(const Case& one, const Overrides& overrides = {}) {
  return one.kind == Case::Kind::table ? runTable(one.table, overrides)
                                       : runScenario(withOverrides(one.scenario, overrides));
}

/// Patterns of what happened in the trace: of each kind an event with as many fields as there are, and the last
/// states.
Json patternsOf(const Trace& trace) {
  std::map<std::string, Json> of_each_kind;
  std::map<ServerId, Json> states;
  for (const TraceEvent& event : trace.events) {
    Json pattern{{"kind", event.kind}};
    if (event.node) pattern["node"] = *event.node;
    pattern.update(event.data);
    Json& kept = of_each_kind[event.kind + event.data.value("type", "") + event.data.value("record", "")];
    if (pattern.size() > kept.size()) kept = std::move(pattern);
    if (event.node) states[*event.node].update(event.changes);
  }
  Json patterns = Json::array();
  for (const auto& [kind, pattern] : of_each_kind) patterns.push_back({{"event", pattern}});
  for (const auto& [server, state] : states) {
    if (!state.empty()) patterns.push_back({{"finally", true}, {"server", server}, {"state", state}});
  }
  return patterns;
}

/// A file's run with its own choices, without the events of its trace: those of all files take gigabytes.
struct OwnRun {
  const Case* file;
  Outcome outcome;
  Json patterns;
  bool elects;  ///< an event is, as the header says, an election
};
const std::vector<OwnRun>& ownRuns() {
  static const std::vector<OwnRun> all = [] {
    std::vector<OwnRun> runs;
    for (const Case& one : cases()) {
      OwnRun own{&one, run(one), {}, false};
      own.patterns = patternsOf(own.outcome.trace);
      own.elects = electionsIn(own.outcome.trace, electionEventsOf(own.outcome.trace.header)) > 0;
      own.outcome.trace.events = {};
      runs.push_back(std::move(own));
    }
    return runs;
  }();
  return all;
}

std::string problemsOf(const Outcome& outcome) {
  std::string text;
  for (const std::string& problem : outcome.problems) text += "\n  " + problem;
  for (const std::string& open : outcome.open) text += "\n  undecided: " + open;
  return text;
}

std::vector<Overrides> waysToFail(const Case& one) {
  std::vector<Overrides> ways;
  const JsonValue* fails_with = documentOf(one).find("fails_with");
  if (fails_with == nullptr) return ways;
  for (const FailsWith& how : read<std::vector<FailsWith>>(*fails_with)) ways.push_back(overridesOf(how));
  return ways;
}

std::string nameOf(const Overrides& way) {
  if (!way.mutations.empty()) return way.mutations[0];
  if (way.variant) return *way.variant;
  if (way.rules.empty()) return JsonCodec<StepSpec>::write(way.steps.at(0)).dump();
  return way.rules[0].first + "=" + way.rules[0].second;
}

TEST_CASE("scenarios: every file passes") {
  CHECK(cases().size() > 50);
  for (const OwnRun& own : ownRuns()) {
    const std::string name = fileOf(*own.file);
    CHECK_MESSAGE(own.outcome.verdict == Verdict::passed, name, problemsOf(own.outcome));
    CHECK_MESSAGE(own.outcome.checks > 0, name, " expects nothing");
  }
}

TEST_CASE("scenarios: a headline that names who was elected has a mark in the run") {
  const std::regex names_a_winner(R"(\b(elected|replaces)\b)");
  std::set<std::string> protocols;
  for (const OwnRun& own : ownRuns()) {
    const Json& header = own.outcome.trace.header;
    for (const Json& sentence : header.value("answer", Json::array())) {
      const std::string text = sentence.get<std::string>();
      if (!std::regex_search(text, names_a_winner)) continue;
      CHECK_MESSAGE(own.elects, fileOf(*own.file), ": ", text);
      protocols.insert(header.at("protocol").get<std::string>());
    }
  }
  CHECK(protocols.size() > 5);
}

/// The expectations, or the rows of a table, that fail.
std::set<std::size_t> failedIn(const Case& one, const Outcome& outcome) {
  std::set<std::size_t> failed;
  if (one.kind == Case::Kind::table) {
    for (const std::string& problem : outcome.problems)
      failed.insert(std::stoul(problem.substr(4)));  // row 3
    return failed;
  }
  std::size_t i = 0;
  for (const TraceVerdict& verdict : outcome.trace.verdicts) {
    if (verdict.kind != "expectation") continue;
    if (verdict.verdict == "failed") failed.insert(i);
    ++i;
  }
  return failed;
}

TEST_CASE("scenarios: what a file names in `fails_with` makes expectations fail") {
  CHECK(cannot_fail.size() <= 5);
  for (const Case& one : cases()) {
    const std::vector<Overrides> ways = waysToFail(one);
    const bool is_scenario = one.kind == Case::Kind::scenario;
    const bool told = is_scenario && one.scenario.spec.fails;
    CHECK_MESSAGE((ways.empty() && !told) == cannot_fail.contains(fileOf(one)), fileOf(one),
                  " names nothing that breaks it, or is listed though it does");
    std::set<std::size_t> failed;
    for (const Overrides& way : ways) {
      const Outcome outcome = run(one, way);
      const std::set<std::size_t> here = failedIn(one, outcome);
      CHECK_MESSAGE(outcome.verdict == Verdict::failed, fileOf(one), " does not fail with ", nameOf(way));
      CHECK_MESSAGE((!here.empty() || breaks_invariants_alone.contains(fileOf(one))), fileOf(one),
                    ": no expectation fails with ", nameOf(way));
      failed.insert(here.begin(), here.end());
    }
    if (ways.empty() || !is_scenario) continue;
    for (std::size_t i = 0; i < one.scenario.spec.expect.size(); ++i) {
      CHECK_MESSAGE(failed.contains(i), fileOf(one), ": nothing in `fails_with` breaks expect[", i,
                    "]; scripts/fails-with.py finds entries");
    }
  }
}

TEST_CASE("scenarios: an exercise is not solved by its run, and is by each of its solutions") {
  std::set<std::string> protocols;
  for (const Case& one : cases()) {
    if (one.kind != Case::Kind::scenario || !one.scenario.spec.exercise) continue;
    const Exercise& exercise = *one.scenario.spec.exercise;
    CHECK_MESSAGE((exercise.task.contains("en") && exercise.task.contains("zh")), fileOf(one));
    CHECK_MESSAGE(!run(one).exercise.value().empty(), fileOf(one), " is already solved");
    CHECK_MESSAGE(!exercise.solved_with.empty(), fileOf(one), " has no solution");
    for (const FailsWith& how : exercise.solved_with) {
      const Overrides way = overridesOf(how);
      const std::vector<std::string> missing = run(one, way).exercise.value();
      CHECK_MESSAGE(missing.empty(), fileOf(one), " is not solved with ", nameOf(way), ": ",
                    missing.empty() ? "" : missing[0]);
    }
    protocols.insert(one.scenario.spec.protocol);
  }
  CHECK(protocols.size() > 3);
}

TEST_CASE("scenarios: one with `fails` passes as long as it fails with its bug and holds without it") {
  const std::string path = ZABLAB_SOURCE_DIR "/scenarios/found/retain_db_no_ff.json";
  const Json text = loadJson(path).plain();
  REQUIRE(text.value("fails", false));
  const auto outcomeOf = [&](const Json& changed) {
    return runScenario(readCase(path, JsonValue::fromJson(changed, path)).scenario);
  };
  const Outcome as_it_is = outcomeOf(text);
  CHECK(as_it_is.verdict == Verdict::passed);
  CHECK(as_it_is.told.size() == 2);  // the invariant, and the expectation that it is held
  const auto violated = [](const TraceVerdict& verdict) { return verdict.verdict == "violated"; };
  CHECK(std::any_of(as_it_is.trace.verdicts.begin(), as_it_is.trace.verdicts.end(), violated));

  Json harmless = text;
  harmless["mutations"] = {"fle_no_back_off"};
  const Outcome nothing_fails = outcomeOf(harmless);
  CHECK(nothing_fails.verdict == Verdict::failed);
  CHECK(nothing_fails.problems == std::vector<std::string>{"it is declared to fail, and nothing fails"});

  Json impossible = text;
  impossible["expect"].push_back({{"event", {{"kind", "committed"}}}, {"count", 77}});
  const Outcome always_fails = outcomeOf(impossible);
  CHECK(always_fails.verdict == Verdict::failed);
  REQUIRE(always_fails.problems.size() == 1);
  CHECK(always_fails.problems[0].starts_with("without the changed rules: expect[1]"));

  Overrides other;
  other.rules.emplace_back("decision", "at_once");
  const LoadedScenario loaded = readCase(path, JsonValue::fromJson(text, path)).scenario;
  CHECK_FALSE(withOverrides(loaded, other).spec.fails);
  CHECK(runScenario(withOverrides(loaded, other)).verdict == Verdict::failed);  // the bug is still in it

  const std::string stall = ZABLAB_SOURCE_DIR "/scenarios/found/fle_never_joins.json";
  Until early;
  early.time = 10;  // before it could fail
  CHECK(runScenario(loadCase(stall).scenario, early).verdict == Verdict::inconclusive);
}

TEST_CASE("scenarios: the story does not depend on the shortest latencies") {
  std::size_t without_choices = 0;
  std::size_t different = 0;
  for (const Case& one : cases()) {
    if (one.kind != Case::Kind::scenario || needs_defaults.contains(fileOf(one))) continue;
    if (one.scenario.spec.seed || !one.scenario.spec.choices.empty()) continue;
    if (one.path.find("/found/") != std::string::npos) continue;  // shrunk to what these latencies need
    std::set<std::string> choices;
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      Overrides overrides;
      overrides.seed = seed;
      const Outcome outcome = run(one, overrides);
      CHECK_MESSAGE(outcome.verdict == Verdict::passed, fileOf(one), " with seed ", seed,
                    problemsOf(outcome));
      if (outcome.trace.header.contains("no_choices")) break;  // every seed results in this run
      choices.insert(Json(outcome.trace.choices).dump());
    }
    if (choices.empty()) ++without_choices;
    if (choices.size() == 2) ++different;
  }
  MESSAGE(different, " files have two different runs; ", without_choices, " have nothing to choose");
  CHECK(different > 100);
}

TEST_CASE("scenarios: every step of a file is done, and a seed that it names makes a difference") {
  for (const OwnRun& own : ownRuns()) {
    std::string warnings;
    for (const std::string& warning : own.outcome.warnings) warnings += "\n  " + warning;
    CHECK_MESSAGE(warnings.empty(), fileOf(*own.file), warnings);
  }
}

TEST_CASE("scenarios: patterns may ask for everything that happens in a run") {
  for (const OwnRun& own : ownRuns()) {
    const Case& one = *own.file;
    if (one.kind != Case::Kind::scenario) continue;
    CHECK_MESSAGE(!own.patterns.empty(), fileOf(one));
    Json text = one.scenario.document.plain();
    text["expect"] = own.patterns;
    CHECK_NOTHROW_MESSAGE(readCase(one.path, JsonValue::fromJson(text, fileOf(one))), fileOf(one));
  }
}

TEST_CASE("scenarios: a pattern that could match nothing is refused, with what was probably meant") {
  struct Row {
    std::string expect;
    std::string message;
    std::string hint;
  };
  const std::vector<Row> rows{
      {R"({"event": {"kind": "comitted"}, "count": 0})", "unknown kind `comitted`", "committed"},
      {R"({"event": {"kind": "committed", "zxidd": "1.1"}})", "has no field `zxidd`", ""},
      {R"({"event": {"kind": "committed", "zxid": "1.01"}})", "never matches", "1.1"},
      {R"({"event": {"kind": "committed", "zxid": 7}})", "never matches", "0.7"},
      {R"({"event": {"kind": "decided", "node": 4}})", "there is no server 4", ""},
      {R"({"packets": {"from": 1, "to": 2, "contains": [{"type": "ASK"}]}})", "unknown type `ASK`",
       "it is `CLIENT_REQUEST` now"},
      {R"({"event": {"kind": "decided", "by": "finalise_wait"}})", "unknown name `finalise_wait`",
       "finalize_wait"},
      {R"({"event": {"kind": "sent", "type": "NOTIFICATIONS"}})", "unknown type `NOTIFICATIONS`",
       "NOTIFICATION"},
      {R"({"event": {"kind": "sent", "link": "elections"}})", "unknown link `elections`", "election"},
      {R"({"event": {"kind": "sent", "type": "COMMIT", "vote": {"leader": 1}}})", "has no field `vote`", ""},
      {R"({"event": {"kind": "sent", "to": 3}})", "not a server", "receiver"},
      {R"({"event": {"kind": "sent", "type": "NOTIFICATION", "vote": {"lead": 1}}})", "unknown key `lead`",
       "leader"},
      {R"({"event": {"kind": "written", "record": "transaction"}})", "unknown record `transaction`", ""},
      {R"({"event": {"zxidd": "1.1"}})", "no event has the field `zxidd`", ""},
      {R"({"at_event": {"kind": "quorom"}, "server": 1, "state": {"up": true}})", "unknown kind `quorom`",
       "quorum"},
      {R"({"finally": true, "server": 1, "state": {"rol": "LEADING"}})", "unknown key `rol`", "role"},
      {R"({"finally": true, "server": 1, "state": {"role": "LEADER"}})", "unknown name `LEADER`", "LEADING"},
      {R"({"finally": true, "server": 1, "state": {"disk": {"logs": []}}})", "unknown key `logs`", "log"},
      {R"({"finally": true, "server": 1, "state": {"history": ["1.1", {"zxid": "1.2", "valu": 3}]}})",
       "unknown key `valu`", "value"},
      {R"({"packets": {"from": 1, "to": 2, "contains": [{"type": "ACKK"}]}})", "unknown type `ACKK`", "ACK"},
      {R"({"packets": {"from": 1, "to": 2, "contains": [{"kind": "sent"}]}})", "a packet has no `kind`", ""},
      {R"({"at": 5, "equal": {"servers": [1, 2], "field": "curent_vote.leader"}})",
       "a state has no `curent_vote`", "current_vote"},
      {R"({"invariant": {"name": "agrement", "verdict": "held"}})", "there is no invariant `agrement`",
       "agreement"},
      {R"({"any_of": [{"event": {"kind": "comitted"}}]})", "unknown kind `comitted`", "committed"},
  };
  for (const Row& row : rows) {
    const std::string text =
        R"({"kind": "scenario", "name": "x", "servers": 3, "until": 10, "expect": [)" + row.expect + "]}";
    CAPTURE(row.expect);
    std::string message, hint;
    try {
      readCase("x.json", parseJson("x.json", text));
    } catch (const InputError& error) {
      message = error.message;
      hint = error.hint;
      CHECK(error.position.has_value());
    }
    CHECK(message.empty() == row.message.empty());
    CHECK(message.find(row.message) != std::string::npos);
    CHECK(hint.find(row.hint) != std::string::npos);
  }
}

TEST_CASE("scenarios: a pattern may ask that an event has no timer") {
  const auto passes = [](const std::string& expect) {
    const std::string text =
        R"({"kind": "scenario", "name": "x", "servers": 3, "until": 600, "expect": [)" + expect + "]}";
    return run(readCase("x.json", parseJson("x.json", text))).verdict == Verdict::passed;
  };
  CHECK(passes(R"({"event": {"kind": "timer"}})"));
  CHECK(passes(R"({"event": {"kind": "timer", "timer": null}, "count": 0})"));
  CHECK(!passes(R"({"event": {"kind": "timer", "timer": null}, "count": 1})"));
}

TEST_CASE("scenarios: every file has a description, and no two have the same name") {
  std::set<std::string> names;
  for (const Case& one : cases()) {
    const JsonValue* about = documentOf(one).find("about");
    CHECK_MESSAGE((about != nullptr && !about->asString().empty()), fileOf(one), " has no `about`");
    CHECK_MESSAGE(names.insert(documentOf(one).find("name")->asString()).second, fileOf(one),
                  " has the name of another file");
  }
}

// Only ZAB's: other protocols' tests break theirs themselves.
TEST_CASE("scenarios: every invariant is seen held and seen violated") {
  std::set<std::string> held;
  std::set<std::string> violated;
  std::set<std::string> watched;
  for (const OwnRun& own : ownRuns()) {
    const Case& one = *own.file;
    if (one.kind != Case::Kind::scenario || protocolOf(one.scenario).name() != "zab") continue;
    for (const ExpectSpec& expect : one.scenario.spec.expect) {
      if (!expect.invariant) continue;
      watched.insert(expect.invariant->name);
      if (expect.invariant->verdict == "held") held.insert(expect.invariant->name);
      if (expect.invariant->verdict == "violated") violated.insert(expect.invariant->name);
    }
    for (const TraceVerdict& verdict : own.outcome.trace.verdicts) {
      if (verdict.kind == "invariant") watched.insert(verdict.name);
    }
  }
  CHECK(held == watched);
  CHECK(violated == watched);
}

TEST_CASE("scenarios: traces replay, also from their files") {
  bool seeded = false;  // every other file with drawn latencies
  std::size_t files = 0;
  for (const std::string& path : coveringFiles()) {
    const Case one = loadCase(path);
    Overrides overrides;
    if (std::exchange(seeded, !seeded) && !one.scenario.spec.seed) overrides.seed = 7;
    const Outcome recorded = run(one, overrides);
    const std::string text = traceText(recorded.trace);
    const Trace read = readTrace(fileOf(one), text);
    CHECK_MESSAGE(traceText(read) == text, fileOf(one), ": the trace read back is another");
    // Of some also without the recorded choices, which takes as long again.
    const std::vector<std::string> differences =
        files++ % 7 == 0 || read.header.contains("unused_choices")
            ? replay(read, fileOf(one)).differences
            : differencesOf(read, runScenario(replayOf(read, fileOf(one))).trace);
    CHECK_MESSAGE(differences.empty(), fileOf(one), ": ", differences.empty() ? "" : differences.front());
  }
}

}  // namespace
}  // namespace zablab
