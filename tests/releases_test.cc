// The releases as they are: each has a story in which it breaks an invariant, and the same story under the
// repaired rules breaks none, although it exercises that invariant.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checker/execute.h"
#include "protocol/zab_register/rules.h"
#include "tests/shipped.h"

namespace zablab {
namespace {

bool isOneOf(std::string_view word, const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool isRelease(std::string_view variant) { return variant.starts_with("zookeeper-"); }

std::vector<std::string> violationsExpectedIn(const Scenario& scenario) {
  std::vector<std::string> names;
  for (const ExpectSpec& expect : scenario.expect) {
    if (expect.invariant && expect.invariant->verdict == "violated") names.push_back(expect.invariant->name);
  }
  return names;
}

TEST_CASE("releases: what a release violates holds under the repaired rules, in the same story") {
  std::set<std::string> broken;
  std::set<std::string> lost;
  for (const std::string& path : shippedFiles()) {
    const Case one = loadCase(path);
    if (one.kind != Case::Kind::scenario || !isRelease(one.scenario.spec.variant)) continue;
    const std::string file = nameOfFile(path);
    CAPTURE(file);
    const std::vector<std::string> violated = violationsExpectedIn(one.scenario.spec);
    if (!violated.empty()) broken.insert(one.scenario.spec.variant);
    if (isOneOf("acknowledged-writes", violated)) lost.insert(one.scenario.spec.variant);

    Overrides repaired;
    repaired.variant = "zookeeper";
    const Trace trace = runScenario(withOverrides(one.scenario, repaired)).trace;
    std::size_t exercised = 0;
    for (const TraceVerdict& verdict : trace.verdicts) {
      if (verdict.kind != "invariant") continue;
      CHECK_MESSAGE(verdict.verdict != "violated", verdict.name, ": ", verdict.text);
      if (!isOneOf(verdict.name, violated)) continue;
      ++exercised;
      CHECK_MESSAGE(verdict.obligations > 0, verdict.name, " is not exercised");
    }
    CHECK(exercised == violated.size());
  }
  for (const zab::Variant& variant : zab::ruleTables().variants) {
    if (!isRelease(variant.name)) continue;
    CHECK_MESSAGE(broken.contains(std::string(variant.name)), variant.name, " breaks nothing in any story");
    CHECK_MESSAGE(lost.contains(std::string(variant.name)), variant.name, " loses no acknowledged write");
  }
  CHECK(broken.size() >= 5);
}

TEST_CASE("releases: a story's file has its release's name, and no change to its rules") {
  for (const std::string& path : shippedFiles()) {
    const Case one = loadCase(path);
    const bool in_folder = path.find("/scenarios/releases/") != std::string::npos;
    const bool of_release = one.kind == Case::Kind::scenario && isRelease(one.scenario.spec.variant);
    const std::string file = nameOfFile(path);
    CAPTURE(file);
    CHECK(in_folder == of_release);
    if (!in_folder || !of_release) continue;
    const Scenario& scenario = one.scenario.spec;
    CHECK(file.starts_with(scenario.variant.substr(std::string("zookeeper-").size()) + "-"));
    CHECK(scenario.rules.empty());
    CHECK(scenario.mutations.empty());
  }
}

}  // namespace
}  // namespace zablab
