// The shipped scenarios and tables: each passes, each can fail, each replays, and together they see every
// invariant held and violated.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "checker/execute.h"
#include "checker/tables.h"
#include "tests/shipped.h"

namespace zablab {
namespace {

/// Files that no mutation and no rule breaks, and why. At most five.
const std::map<std::string, std::string> cannot_fail{
    {"000-A0-election-algorithm.json", "a file is parsed: no rule of the protocol has a say in it"},
};

/// Files whose story needs the shortest latencies, and why.
const std::map<std::string, std::string> needs_defaults{};

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
  for (const JsonValue& how : fails_with->elements()) {
    Overrides way;
    if (const JsonValue* mutation = how.find("mutation")) way.mutations.push_back(mutation->asString());
    if (const JsonValue* variant = how.find("variant")) way.variant = variant->asString();
    if (const JsonValue* rule = how.find("rule")) {
      const std::string& text = rule->asString();
      const std::size_t equals = text.find('=');
      REQUIRE(equals != std::string::npos);
      way.rules.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    ways.push_back(std::move(way));
  }
  return ways;
}

std::string nameOf(const Overrides& way) {
  if (!way.mutations.empty()) return way.mutations[0];
  if (way.variant) return *way.variant;
  return way.rules[0].first + "=" + way.rules[0].second;
}

std::string written(const Trace& trace) {
  std::ostringstream out;
  writeTrace(out, trace);
  return out.str();
}

TEST_CASE("scenarios: every file passes") {
  CHECK(cases().size() > 50);
  for (const Case& one : cases()) {
    const Outcome outcome = run(one);
    CHECK_MESSAGE(outcome.verdict == Verdict::passed, fileOf(one), problemsOf(outcome));
    CHECK_MESSAGE(outcome.checks > 0, fileOf(one), " expects nothing");
  }
}

TEST_CASE("scenarios: every file fails with what it says it fails with") {
  CHECK(cannot_fail.size() <= 5);
  for (const Case& one : cases()) {
    const std::vector<Overrides> ways = waysToFail(one);
    CHECK_MESSAGE(ways.empty() == cannot_fail.contains(fileOf(one)), fileOf(one),
                  " names nothing that breaks it, or is listed though it does");
    for (const Overrides& way : ways) {
      CHECK_MESSAGE(run(one, way).verdict == Verdict::failed, fileOf(one), " does not fail with ",
                    nameOf(way));
    }
  }
}

TEST_CASE("scenarios: the story does not hang on the shortest latencies") {
  for (const Case& one : cases()) {
    if (one.kind != Case::Kind::scenario || needs_defaults.contains(fileOf(one))) continue;
    if (one.scenario.spec.seed || !one.scenario.spec.choices.empty()) continue;
    if (one.path.find("/found/") != std::string::npos) continue;  // shrunk to what these latencies need
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      Overrides overrides;
      overrides.seed = seed;
      const Outcome outcome = run(one, overrides);
      CHECK_MESSAGE(outcome.verdict == Verdict::passed, fileOf(one), " with seed ", seed,
                    problemsOf(outcome));
    }
  }
}

TEST_CASE("scenarios: every file says what it is about, and no two have one name") {
  std::set<std::string> names;
  for (const Case& one : cases()) {
    const JsonValue* about = documentOf(one).find("about");
    CHECK_MESSAGE((about != nullptr && !about->asString().empty()), fileOf(one), " has no `about`");
    CHECK_MESSAGE(names.insert(documentOf(one).find("name")->asString()).second, fileOf(one),
                  " has the name of another file");
  }
}

TEST_CASE("scenarios: every invariant is seen held and seen violated") {
  std::set<std::string> held;
  std::set<std::string> violated;
  std::set<std::string> watched;
  for (const Case& one : cases()) {
    if (one.kind != Case::Kind::scenario) continue;
    for (const ExpectSpec& expect : one.scenario.spec.expect) {
      if (!expect.invariant) continue;
      watched.insert(expect.invariant->name);
      if (expect.invariant->verdict == "held") held.insert(expect.invariant->name);
      if (expect.invariant->verdict == "violated") violated.insert(expect.invariant->name);
    }
    for (const TraceVerdict& verdict : run(one).trace.verdicts) {
      if (verdict.kind == "invariant") watched.insert(verdict.name);
    }
  }
  CHECK(held == watched);
  CHECK(violated == watched);
}

TEST_CASE("scenarios: every trace replays, also from its file") {
  bool seeded = false;  // every other file with drawn latencies
  for (const Case& one : cases()) {
    if (one.kind != Case::Kind::scenario) continue;
    Overrides overrides;
    if (std::exchange(seeded, !seeded) && !one.scenario.spec.seed) overrides.seed = 7;
    const Outcome recorded = run(one, overrides);
    const std::string text = written(recorded.trace);
    const Trace read = readTrace(fileOf(one), text);
    CHECK_MESSAGE(written(read) == text, fileOf(one), ": the trace read back is another");
    const Outcome replayed = runScenario(replayOf(read, fileOf(one)));
    const auto difference = firstDifference(read, replayed.trace);
    CHECK_MESSAGE(!difference, fileOf(one), ": ", difference.value_or(""));
  }
}

}  // namespace
}  // namespace zablab
