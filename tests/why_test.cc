// Why a run violates an invariant or loses a write: what is named, and that it is needed.
#include <doctest/doctest.h>
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "checker/execute.h"
#include "checker/why.h"
#include "tests/shipped.h"
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
      {"recovery/an-ack-outlives-its-truncation",
       {"committed-never-lost is violated", "the rule rejoin_acks=kept",
        "3 asks: write 1; who has the write: 3", "3 sends 1 TRUNC 1.0",
        "1 truncates its log and keeps nothing; who has the write: 3", "3 commits 1.1, with 1, 3",
        "3 loses power"},
       {"votes"}},
      {"releases/3.8.0-counts-an-ACK-that-its-TRUNC-has-undone",
       {"a write of writer is lost", "the variant zookeeper-3.8.0", "the step disk (server 3, fault stall)",
        "* 150 ms the connection between 1 and 3 breaks", "3 sends 1 TRUNC 1.2",
        "1 truncates its log and keeps all up to 1.2; who has the write: 3", "write is done, 1.3",
        "* 178 ms 3 loses power"},
       {"votes"}},
      {"releases/3.8.5-counts-an-ACK-that-its-TRUNC-has-undone",
       {"the variant zookeeper-3.8.5", "3 sends 1 TRUNC 1.2", "1 truncates its log", "3 loses power"},
       {"votes"}},
      {"releases/3.9.3-counts-an-ACK-that-its-TRUNC-has-undone",
       {"the variant zookeeper-3.9.3", "3 sends 1 TRUNC 1.2", "1 truncates its log", "3 loses power"},
       {"votes"}},
      {"releases/3.9.5-counts-an-ACK-that-its-TRUNC-has-undone",
       {"the variant zookeeper-3.9.5", "3 sends 1 TRUNC 1.2", "1 truncates its log", "3 loses power"},
       {"votes"}},
      {"releases/3.4-acknowledges-a-history-it-has-not-logged",
       {"a write of writer is lost", "the variant zookeeper-3.4", "who has the write: 2, 3", "2 is killed",
        "3 is killed", "2 truncates its log and keeps all up to 1.1"},
       {"reader", "votes"}},
      {"releases/3.4-keeps-an-interrupted-TRUNC-in-memory",
       {"a write of writer is lost", "the variant zookeeper-3.4", "the network is cut",
        "the connection between 2 and 3 breaks", "3 restarts; who has the write: 1, 2",
        "1 truncates its log and keeps all up to 1.1"},
       {"votes"}},
      {"releases/3.8.5-cannot-be-joined-while-clients-write",
       {"no-fatal-message is violated", "the variant zookeeper-3.8.5", "1 is killed", "writer asks: write",
        "1 restarts", "1 looks for a leader because synchronization failed"},
       {}},
      {"releases/3.8.5-commits-what-was-thrown-away",
       {"a write of writer is lost", "the variant zookeeper-3.8.5", "the network is cut",
        "write is done, 2.1; who has the write: 1, 2, 3", "3 is killed", "5 is killed",
        "all of 4's history, up to 2.2, is committed"},
       {"votes"}},
      {"releases/3.9.3-cuts-off-what-its-committed-log-leaves-out",
       {"a write of writer is lost", "the variant zookeeper-3.9.3", "1 is killed", "2 is killed",
        "3 is killed", "2 truncates its log and keeps all up to 1.1; who has the write: 1, 3"},
       {"votes"}},
      {"releases/3.9.5-cuts-off-what-came-with-a-SNAP",
       {"a write of writer is lost", "the variant zookeeper-3.9.5", "the network is cut",
        "1 truncates its log and keeps all up to 1.1; who has the write: 2, 3", "3 is killed"},
       {"votes"}},
      {"releases/3.9.5-keeps-an-interrupted-TRUNC-in-memory",
       {"a write of writer is lost", "the variant zookeeper-3.9.5",
        "1 is killed; 1 restarts; who has the write", "2 truncates its log and keeps all up to 1.1"},
       {"votes"}},
      {"releases/3.8.0-writes-a-snapshot-on-when-its-role-is-over",
       {"answers-true is violated", "the variant zookeeper-3.8.0", "the network is cut",
        "the network is healed", "Bob connects to 1", "1 sends version 0, 2.1 to Bob"},
       {"votes"}},
      {"releases/3.9.5-writes-a-snapshot-on-when-its-role-is-over",
       {"answers-true is violated", "the variant zookeeper-3.9.5", "the network is cut",
        "the network is healed", "Bob connects to 1", "1 sends version 0, 2.1 to Bob"},
       {"votes"}},
      {"broadcast/000-Z2-the-counter-overflows",  // 3 is an epoch in what is violated, and a server
       {"proposed-in-own-epoch is violated", "the rule rollover=carries"},
       {"3 leads"}},
      {"recovery/000-R3-an-epoch-that-is-used-twice",
       {"one-leader-per-epoch is violated", "3 leads", "2 leads", "the network is cut",
        "epoch 1 is established by 1, 2"},
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
        "the step disk (server 2, fault error) at 3000 ms"},
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

/// Without one of its steps, with the same other choices.
std::vector<std::string> violatedWithout(const LoadedScenario& scenario, const Trace& trace,
                                         std::size_t step) {
  Json text = scenario.document.plain();
  text["steps"].erase(step);
  LoadedScenario less = readCase("less.json", JsonValue::fromJson(text, "less.json")).scenario;
  less.recorded = replayOf(trace, "trace").recorded;
  return violatedIn(runScenario(less).trace);
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Steps are told by their times: of each time as many are named as are needed. Every other story is tried.
TEST_CASE("why: as many steps are named as are needed, and no other ones") {
  int files = 0, stories = 0, needed_steps = 0, other_steps = 0;
  const std::set<std::string> folders{folder + "found", folder + "found/zookeeper", folder + "releases",
                                      folder + "recovery"};
  for (const std::string& path : shippedFiles()) {
    const std::filesystem::path file = path;
    if (!folders.contains(file.parent_path().string()) || files++ % 2 != 0) continue;
    const LoadedScenario scenario = loadCase(path).scenario;
    const Trace trace = runScenario(scenario).trace;
    if (violatedIn(trace).empty() || !scenario.spec.actions.empty()) continue;
    CAPTURE(file.filename().string());
    ++stories;
    const std::vector<Why> whys = whyOf(trace);
    std::map<std::size_t, std::vector<std::string>> without;  // by step
    const bool timed = std::all_of(scenario.spec.steps.begin(), scenario.spec.steps.end(),
                                   [](const StepSpec& step) { return step.at.has_value(); });
    for (std::size_t i = 0; timed && i < scenario.spec.steps.size(); ++i) {
      const StepSpec& step = scenario.spec.steps[i];
      if (step.is<step::Ask>() || step.is<step::Note>()) continue;
      if (step.is<step::Disk>() || step.is<step::Clock>()) continue;
      without[i] = violatedWithout(scenario, trace, i);
    }
    for (const std::string& name : violatedIn(trace)) {
      const auto why =
          std::find_if(whys.begin(), whys.end(), [&](const Why& one) { return has(one.violated, name); });
      REQUIRE(why != whys.end());
      CHECK(why->untried == 0);
      if (!scenario.spec.mutations.empty()) CHECK(why->mutations == scenario.spec.mutations);
      if (!timed) continue;
      std::map<Millis, int> needed, named;
      for (const auto& [i, left] : without) {
        needed[*scenario.spec.steps[i].at] += !has(left, name);
        ++(has(left, name) ? other_steps : needed_steps);
      }
      for (const Why::Event& line : why->events) {
        const TraceEvent& event = trace.events[line.event];
        if (line.needed && event.kind != "asked") ++named[event.time];
      }
      std::erase_if(needed, [](const auto& one) { return one.second == 0; });
      CAPTURE(name);
      CHECK(named == needed);
    }
  }
  CHECK(stories >= 60);
  CHECK(needed_steps >= 50);
  CHECK(other_steps >= 20);
  MESSAGE(stories, " stories: ", needed_steps, " steps are needed, ", other_steps, " are not");
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
