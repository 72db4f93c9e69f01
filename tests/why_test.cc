// Why a run violates an invariant or loses a write: what is named, and that it is needed.
#include <doctest/doctest.h>
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "checker/execute.h"
#include "checker/why.h"
#include "viz/explain.h"

namespace zablab {
namespace {

const std::string folder = ZABLAB_SOURCE_DIR "/scenarios/";

Trace explained(const std::string& path) {
  Trace trace = runScenario(loadCase(folder + path + ".json").scenario).trace;
  trace.why = whyOf(trace);
  return trace;
}

/// So many lines of a text.
std::string firstLines(const std::string& text, int count) {
  std::istringstream in(text);
  std::string lines, line;
  for (int i = 0; i < count && std::getline(in, line); ++i) lines += line + "\n";
  return lines;
}

struct Row {
  const char* scenario;
  std::vector<const char*> named;      ///< in the first lines of the explanation
  std::vector<const char*> not_named;  ///< in them
};

// What is named comes from what the scenario says about itself.
TEST_CASE("why: the first lines of an explanation name what a violation and a loss needed") {
  const std::vector<Row> rows{
      {"releases/3.8.0-writes-the-epoch-before-the-history",
       {"a write of writer is lost", "the variant zookeeper-3.8.0",
        "write is done, 1.2; who has the write: 2, 3", "* 90 ms 2 is killed", "1 loses power", "3 is killed",
        "2 truncates its log"},
       {"reader", "votes"}},
      {"recovery/000-C7b-an-acknowledged-P3-is-lost-naive",
       {"a write of client is lost", "* 1 ms messages from A to B are held back",
        "who has the write: A, B, C", "* 30 ms A is killed", "C drops 1.3", "B truncates its log"},
       {}},
      {"redis-cluster/a-vote-that-is-forgotten",
       {"one-vote-per-epoch is violated", "the rule vote_saved=never", "2 is killed", "2 restarts",
        "2 votes for 7 in epoch 4"},
       {}},
      {"redis-cluster/two-winners-of-one-epoch",
       {"one-winner-per-epoch is violated", "the variant real", "4 is instructed: failover, forced",
        "5 is instructed: failover, forced"},
       {}},
      {"external-store/a-pause-makes-two-believers",
       {"one-believer is violated", "the rule pauses=counted", "* 1500 ms A is paused",
        "* 6500 ms A resumes"},
       {}},
      {"kafka/a-broker-takes-the-old-node-for-its-own",
       {"requests-for-this-process is violated", "the rule old_registration=kept", "* 4000 ms B2 is killed",
        "* 5000 ms B2 restarts"},
       {}},
      {"quorum-register/004-Q1-a-read-finds-what-a-later-read-does-not",
       {"linearizable is violated", "the variant quorum", "server1 is killed", "c1 asks: read",
        "c2 asks: read"},
       {}},
      {"recipes/002-L2-no-identifier-in-the-name",
       {"one-place is violated", "the rule lost_create=creates_again",
        "the connection between Ann and 1 breaks"},
       {}},
      {"clients/read-only-shows-what-is-not-committed",
       {"uncommitted-never-visible is violated", "the network is cut", "Bob requests create /a",
        "Ann requests exists /a"},
       {}},
      {"found/retain_db_no_ff",
       {"same-history is violated", "the mutation retain_db_no_ff", "the connection between 3 and 5 breaks"},
       {"votes", "FOLLOWERINFO"}},
      {"found/epoch_before_history",
       {"up-to-date-applied is violated", "the mutation epoch_before_history",
        R"(the step {"at":3000,"disk":{"server":2,"fault":"error"}})"},
       {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.scenario);
    const Trace trace = explained(row.scenario);
    std::string text = firstLines(viz::explain(trace, 5), 1 + 7);  // the title, and seven lines
    std::string words;
    std::unique_copy(text.begin(), text.end(), std::back_inserter(words),
                     [](char one, char other) { return one == ' ' && other == ' '; });
    CAPTURE(words);
    for (const char* part : row.named) CHECK_MESSAGE(words.find(part) != std::string::npos, part);
    for (const char* part : row.not_named) CHECK_MESSAGE(words.find(part) == std::string::npos, part);
  }
}

/// The invariants that are violated.
std::vector<std::string> violatedIn(const Trace& trace) {
  std::vector<std::string> names;
  for (const TraceVerdict& verdict : trace.verdicts) {
    if (verdict.verdict == "violated") names.push_back(verdict.name);
  }
  return names;
}

TEST_CASE("why: of found stories each step that is named is needed, and no other one") {
  int stories = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder + "found")) {
    if (file.path().extension() != ".json") continue;
    const LoadedScenario scenario = loadCase(file.path().string()).scenario;
    const Trace trace = runScenario(scenario).trace;
    if (violatedIn(trace).empty()) continue;  // a stall
    CAPTURE(file.path().filename().string());
    const std::vector<Why> whys = whyOf(trace);
    for (const std::string& name : violatedIn(trace)) {
      const auto why = std::find_if(whys.begin(), whys.end(), [&](const Why& one) {
        return std::find(one.violated.begin(), one.violated.end(), name) != one.violated.end();
      });
      REQUIRE(why != whys.end());
      CHECK(why->untried == 0);
      CHECK(why->mutations == scenario.spec.mutations);
      // Steps that are done at different times, so that the time tells which one is meant.
      for (std::size_t i = 0; i < scenario.spec.steps.size(); ++i) {
        const StepSpec& step = scenario.spec.steps[i];
        const auto same_time = [&](const StepSpec& other) {
          return other.at == step.at || other.after || other.when;
        };
        if (!step.at || step.is<step::Ask>() || step.is<step::Disk>() ||
            std::count_if(scenario.spec.steps.begin(), scenario.spec.steps.end(), same_time) != 1)
          continue;
        LoadedScenario less = scenario;
        Json text = scenario.document.plain();
        text["steps"].erase(i);
        less = readCase("less.json", JsonValue::fromJson(text, "less.json")).scenario;
        less.recorded = replayOf(trace, "trace").recorded;
        const std::vector<std::string> left = violatedIn(runScenario(less).trace);
        const bool needed = std::find(left.begin(), left.end(), name) == left.end();
        const bool named = std::any_of(why->events.begin(), why->events.end(), [&](const Why::Event& line) {
          return line.needed && trace.events[line.event].time == *step.at;
        });
        CAPTURE(*step.at);
        CHECK(named == needed);
      }
    }
    ++stories;
  }
  CHECK(stories >= 30);
}

TEST_CASE("why: nothing is named where nothing is violated or lost, or where the run cannot be repeated") {
  CHECK(explained("election/000-F1-three-servers-start").why.empty());
  Trace trace = explained("found/retain_db_no_ff");
  REQUIRE(!trace.why.empty());
  trace.events[5].time += 1;
  CHECK(whyOf(trace).empty());
  trace.scenario = {{"kind", "scenario"}};
  CHECK(whyOf(trace).empty());
}

TEST_CASE("why: what was not tried is said, and a trace keeps what was found") {
  Trace trace = explained("found/retain_db_no_ff");
  const std::vector<Why> few = whyOf(trace, 0);
  REQUIRE(few.size() == 1);
  CHECK(few[0].untried > 0);
  const Trace again = readTrace("trace", traceText(trace));
  CHECK(again.why == trace.why);
  trace.why[0].events[0].event = trace.events.size();
  CHECK_THROWS_WITH(readTrace("trace", traceText(trace)), doctest::Contains("there is no event"));
}

}  // namespace
}  // namespace zablab
