// zablab step: moves, changes, and that a changed run is the run of the scenario that is saved.
#include <doctest/doctest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "checker/check/check.h"
#include "checker/protocol.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/stepper.h"
#include "sim/json_reflect.h"
#include "tests/program.h"
#include "tests/shipped.h"

namespace zablab {
namespace {

using cli::Stepper;
using cli::UsageError;
using cli::WalkedRun;

const std::string scenarios = ZABLAB_SOURCE_DIR "/scenarios/";
const std::string start_of_three = scenarios + "election/000-F1-three-servers-start.json";
const std::string with_datagrams = scenarios + "election/datagram-a-lost-vote-is-said-again-as-documented.json";
const std::string by_actions = scenarios + "recovery/a-death-in-the-midst-of-an-epoch.json";
const std::string one_of_followers = scenarios + "leader-followers/004-2-a-leader-by-a-majority.json";
const std::string one_of_registers =
    scenarios + "quorum-register/004-Q1-a-read-finds-what-a-later-read-does-not.json";

Stepper stepping(const std::string& path) { return {loadCase(path).scenario, path}; }

void performAll(Stepper& stepper, const std::vector<std::string>& commands) {
  for (const std::string& command : commands) {
    CAPTURE(command);
    stepper.perform(command);
  }
}

std::vector<TraceEvent> eventsUpTo(const Stepper& stepper) {
  const auto& events = stepper.run().trace().events;
  return {events.begin(),
          events.begin() + static_cast<std::ptrdiff_t>(stepper.run().eventsAt(stepper.position()))};
}

bool beginsWith(const std::vector<TraceEvent>& events, const std::vector<TraceEvent>& beginning) {
  return events.size() >= beginning.size() && std::equal(beginning.begin(), beginning.end(), events.begin());
}

/// What is saved gives the trace that was shown, without a warning.
void checkSaved(Stepper& stepper) {
  const Folder folder;
  stepper.perform("save " + (folder / "saved.json"));
  stepper.perform("trace " + (folder / "saved.trace.json"));
  const Outcome outcome = runScenario(loadCase(folder / "saved.json").scenario);
  CHECK(traceText(outcome.trace) == contentsOf(folder / "saved.trace.json"));
  CHECK(outcome.warnings.empty());
}

TEST_CASE("step: a move ends after the whole row of what it names") {
  struct Row {
    std::vector<std::string> commands;
    std::string kind;     // of an event in the row before the position
    std::string because;  // a field of its data
  };
  const std::vector<Row> rows{
      {{"next"}, "started", "start"},
      {{"next 4", "back 3"}, "started", "start"},
      {{"until role 3 to=LEADING"}, "role", "LEADING"},
      {{"until role"}, "role", "LOOKING"},
      {{"until role", "until role", "until role"}, "role", "LOOKING"},
      {{"until quorum"}, "quorum", ""},
      {{"until role 3 to=LEADING", "until sent 1", "until m19"}, "delivered", "FOLLOWERINFO 0"},
      {{"until 98"}, "timer", "finalize_wait"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.commands.back());
    Stepper stepper = stepping(start_of_three);
    performAll(stepper, row.commands);
    const auto& events = stepper.run().trace().events;
    const auto here = stepper.run().rowNumberAt(stepper.position());
    CHECK(
        std::any_of(events.begin() + static_cast<std::ptrdiff_t>(here),
                    events.begin() + static_cast<std::ptrdiff_t>(stepper.run().eventsAt(stepper.position())),
                    [&](const TraceEvent& event) {
                      return event.kind == row.kind && has(event.data.dump(), row.because);
                    }));
  }
  Stepper stepper = stepping(start_of_three);
  performAll(stepper, {"until 203ms"});
  const auto& events = stepper.run().trace().events;
  CHECK(events[stepper.run().eventsAt(stepper.position()) - 1].time <= 203);
  CHECK(events[stepper.run().eventsAt(stepper.position())].time > 203);
  stepper.perform("until end");
  CHECK(stepper.run().eventsAt(stepper.position()) == events.size());
  CHECK(has(stepper.perform("next"), "the run ends at 600 ms"));
  stepper.perform("back 1000");
  CHECK(stepper.position() == 0);
}

TEST_CASE("step: a violation is found and shown") {
  Stepper stepper = stepping(scenarios + "found/fle_half_is_a_quorum.json");
  CHECK(has(stepper.perform("until violation"), "violated: "));
  CHECK(has(stepper.perform("show"), "violated: "));
  CHECK_THROWS_WITH_AS(stepping(start_of_three).perform("until violation"),
                       doctest::Contains("no invariant is violated"), UsageError);
}

TEST_CASE("step: what is shown at a position") {
  Stepper stepper = stepping(start_of_three);
  const std::string text = stepper.perform("until role 3 to=LEADING");
  CHECK(has(text, "3 leads\n"));
  CHECK(has(text, "changed at 3\n  role: LOOKING -> LEADING\n"));
  CHECK(has(text, "1: finalize_wait fires in 0 ms"));
  CHECK(has(text, "possible: kill, power_loss, pause 1 2 3"));
  CHECK(has(stepper.perform("show"), "3  up  LEADING  epoch 1  round 1  leader 3"));
  CHECK(has(stepper.perform("show 3"), "\"role\": \"LEADING\""));
  const std::string later = stepper.perform("until sent 1");
  CHECK(has(later, "in flight\n  m19  FOLLOWERINFO 0  from 1 to 3, learner\n"));
  CHECK(has(stepper.perform("show m19"), "\"type\": \"FOLLOWERINFO\""));
  CHECK(has(stepper.perform("show messages"), "m19  FOLLOWERINFO 0"));
  CHECK(has(stepper.perform("show events"), "1 sends FOLLOWERINFO 0 to 3 (m19)"));
}

TEST_CASE("step: undo takes back moves and changes, one at a time") {
  Stepper stepper = stepping(start_of_three);
  const std::vector<std::string> commands{"next 5",   "until role 3 to=LEADING", "kill 1", "back", "pause 2",
                                          "until end"};
  std::vector<std::pair<const WalkedRun*, std::size_t>> before;
  for (const std::string& command : commands) {
    before.emplace_back(&stepper.run(), stepper.position());
    stepper.perform(command);
  }
  CHECK(stepper.changes() == std::vector<std::string>{"kill 1", "pause 2"});
  for (auto at = before.rbegin(); at != before.rend(); ++at) {
    stepper.perform("undo");
    CHECK(&stepper.run() == at->first);
    CHECK(stepper.position() == at->second);
  }
  CHECK(stepper.changes().empty());
  CHECK_THROWS_WITH_AS(stepper.perform("undo"), doctest::Contains("nothing to undo"), UsageError);
}

TEST_CASE("step: a change happens at its position, and nothing before it changes") {
  struct Row {
    std::string file;
    std::vector<std::string> before;
    std::string change;
    Json event;  // fields of an event of the changed run that the change led to
  };
  const std::vector<std::string> led{"until role 3 to=LEADING", "until 204ms"};
  const std::vector<Row> rows{
      {start_of_three, led, "kill 3", {{"kind", "stopped"}, {"node", 3}, {"how", "kill"}}},
      {start_of_three, led, "kill 2", {{"kind", "stopped"}, {"node", 2}, {"how", "kill"}}},
      {start_of_three, led, "kill 1 2", {{"kind", "stopped"}, {"node", 1}, {"how", "kill"}}},
      {start_of_three, {"next 3"}, "kill 3", {{"kind", "stopped"}, {"node", 3}, {"how", "kill"}}},
      {start_of_three, {}, "kill 3", {{"kind", "stopped"}, {"node", 3}, {"how", "kill"}}},
      {start_of_three, led, "stop 3", {{"kind", "stopped"}, {"node", 3}, {"how", "stop"}}},
      {start_of_three, led, "crash 2", {{"kind", "stopped"}, {"node", 2}, {"how", "kill"}}},
      {start_of_three, led, "power_loss 2", {{"kind", "stopped"}, {"node", 2}, {"how", "power_loss"}}},
      {start_of_three,
       {"until 204ms", "kill 2", "until 300ms"},
       "start 2",
       {{"kind", "started"}, {"how", "restart"}}},
      {start_of_three, {"until 204ms", "kill 2"}, "wipe 2", {{"kind", "wiped"}, {"node", 2}}},
      {start_of_three, led, "pause 3", {{"kind", "paused"}, {"node", 3}}},
      {start_of_three,
       {"until 204ms", "pause 3", "until 210ms"},
       "resume 3",
       {{"kind", "resumed"}, {"node", 3}}},
      {start_of_three, led, "prompt 3", {{"kind", "taken_up"}, {"node", 3}}},
      {start_of_three, led, "partition 3", {{"kind", "cut"}}},
      {start_of_three, led, "partition 1,2 3", {{"kind", "cut"}}},
      {start_of_three, led, "cut 1 3", {{"kind", "cut"}, {"links", {{1, 3}}}}},
      {start_of_three, {"until 204ms", "cut 1 3"}, "heal", {{"kind", "healed"}, {"links", {{1, 3}}}}},
      {start_of_three, {"until 204ms", "cut 1 3"}, "heal 1 3", {{"kind", "healed"}, {"links", {{1, 3}}}}},
      {start_of_three, led, "drop m20", {{"kind", "lost"}, {"message", 20}, {"reason", "connection_broken"}}},
      {with_datagrams,
       {"until sent 1"},
       "drop m1",
       {{"kind", "lost"}, {"message", 1}, {"reason", "dropped"}}},
      {start_of_three, led, "delay m20 300", {{"kind", "delivered"}, {"message", 20}}},
      {start_of_three, led, "note the leader is known", {{"kind", "note"}}},
      {start_of_three, led, "do {\"kill\": 3}", {{"kind", "stopped"}, {"node", 3}}},
      {start_of_three,
       led,
       "do [{\"after\": 20, \"kill\": 3}, {\"after\": 50, \"start\": 3}]",
       {{"kind", "started"}, {"node", 3}, {"how", "restart"}}},
      {start_of_three,
       led,
       "do {\"at\": 400, \"set\": {\"server\": 1, \"state\": {\"logicalclock\": 9}}}",
       {{"kind", "set"}, {"node", 1}}},
      {start_of_three,
       {"until end"},
       "do {\"after\": 2000, \"pause\": 1}",
       {{"kind", "paused"}, {"node", 1}}},
      {one_of_followers, {"until role A to=LEADING"}, "kill A", {{"kind", "stopped"}, {"node", 1}}},
      {one_of_followers, {"until role A to=LEADING"}, "delay m12 5", {{"kind", "held"}}},
      {one_of_registers,
       {"until asked writer1"},
       "drop m1",
       {{"kind", "lost"}, {"message", 1}, {"reason", "dropped"}}},
      {one_of_registers, {"until asked writer1"}, "power_loss server1", {{"kind", "stopped"}, {"node", 1}}},
      {by_actions, {"next 3"}, "kill 2", {{"kind", "stopped"}, {"node", 2}}},
      {by_actions, {"next 3"}, "drop m5", {{"kind", "lost"}, {"message", 5}}},
      {by_actions, {"next 3"}, "partition 2", {{"kind", "cut"}}},
      {by_actions,
       {"next 3"},
       "do {\"do\": \"fire\", \"server\": 2, \"timer\": \"leader_limit\"}",
       {{"kind", "timer"}, {"node", 2}}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.file);
    CAPTURE(row.change);
    Stepper stepper = stepping(row.file);
    performAll(stepper, row.before);
    const auto before = eventsUpTo(stepper);
    const std::size_t changes = stepper.changes().size();
    const std::size_t position = stepper.position();
    stepper.perform(row.change);
    CHECK(stepper.changes().size() == changes + 1);
    CHECK(stepper.position() >= position);
    const auto& events = stepper.run().trace().events;
    CHECK(beginsWith(events, before));
    const EventPattern wanted{JsonValue::fromJson(row.event, "a row")};
    CHECK(std::any_of(events.begin() + static_cast<std::ptrdiff_t>(before.size()), events.end(),
                      [&](const TraceEvent& event) { return matches(wanted, event); }));
    CHECK(has(stepper.run().title(), ", changed at "));
    CHECK_FALSE(stepper.run().scenario().document.find("expect"));
    checkSaved(stepper);
  }
}

TEST_CASE("step: a delayed message arrives so much later") {
  Stepper stepper = stepping(start_of_three);
  performAll(stepper, {"until 204ms"});
  const auto arrival = [&] { return stepper.run().trace().events[*stepper.run().message(20)->end].time; };
  const Millis before = arrival();
  CHECK(has(stepper.perform("delay m20 300ms"), "m20 arrives at " + std::to_string(before + 300) + " ms"));
  CHECK(arrival() == before + 300);
}

TEST_CASE("step: a change that would alter what happened before is refused") {
  for (const char* change :
       {"start 3", "do {\"at\": 0, \"kill\": 3}", "do {\"at\": 100, \"partition\": [[3]]}"}) {
    CAPTURE(change);
    Stepper stepper = stepping(start_of_three);
    stepper.perform("until 204ms");
    const WalkedRun* const run = &stepper.run();
    const std::size_t position = stepper.position();
    CHECK_THROWS_WITH_AS(stepper.perform(change), doctest::Contains("would change what happened before"),
                         UsageError);
    CHECK(&stepper.run() == run);
    CHECK(stepper.position() == position);
    CHECK(stepper.changes().empty());
  }
}

TEST_CASE("step: every row of a run of each family can be shown, and a server can be killed at any") {
  for (const std::string& file : {start_of_three, one_of_followers, one_of_registers}) {
    CAPTURE(file);
    Stepper stepper = stepping(file);
    for (std::size_t rows = 0; stepper.position() < stepper.run().lastPosition(); ++rows) {
      const std::size_t events = stepper.run().eventsAt(stepper.position());
      CHECK(has(stepper.perform("next"), " ms\n"));
      CHECK(stepper.run().eventsAt(stepper.position()) > events);
      if (rows % 10 != 0 || stepper.position() == stepper.run().lastPosition()) continue;
      const auto before = eventsUpTo(stepper);
      stepper.perform("kill 1");
      CHECK(beginsWith(stepper.run().trace().events, before));
      stepper.perform("undo");
    }
  }
}

/// What a run by actions did not do.
std::size_t skippedIn(const WalkedRun& run) {
  const auto& events = run.trace().events;
  return static_cast<std::size_t>(std::count_if(
      events.begin(), events.end(), [](const TraceEvent& event) { return event.kind == "skipped"; }));
}

/// At every position each action that is said to be possible is done when it is chosen.
void checkPossible(Stepper& stepper) {
  std::size_t chosen = 0, listed = 0;
  const Protocol& protocol = protocolOf(stepper.run().scenario());
  for (;;) {
    const WalkedRun& run = stepper.run();
    const Json actions = protocol.possibleActions(run.scenario(), run.timeAt(stepper.position()));
    for (std::size_t i = 1; i <= actions.size(); ++i) {
      CAPTURE(actions[i - 1].dump());
      const std::size_t changes = stepper.changes().size();
      const auto before = eventsUpTo(stepper);
      stepper.perform("choose " + std::to_string(i));
      listed += stepper.changes().size() == changes ? 1 : 0;  // it was the next one in the scenario
      ++chosen;
      CHECK(beginsWith(stepper.run().trace().events, before));
      const auto& events = stepper.run().trace().events;
      for (std::size_t at = before.size(); at < stepper.run().eventsAt(stepper.position()); ++at)
        CHECK(events[at].kind != "skipped");
      stepper.perform("undo");
    }
    if (stepper.position() == run.lastPosition()) break;
    stepper.perform("next");
  }
  CHECK(chosen > 20);
  CHECK(listed > 5);
}

TEST_CASE("step: in a run by actions the next one is chosen from those that are possible") {
  Stepper story = stepping(by_actions);
  checkPossible(story);
  // A counterexample as a search writes it, on a link whose messages have no order.
  Json model = loadCase(scenarios + "models/004-Q1-outcomes.json").model.document.plain();
  model["mutations"] = {"dynamo_r_plus_w_le_n"};
  model["invariants"] = {"regular"};
  const CheckResult found = check(modelOf(model), {});
  REQUIRE(found.scenario);
  const Case counterexample = readCase("a way", JsonValue::fromJson(*found.scenario, "a way"));
  Stepper way{counterexample.scenario, "a way"};
  checkPossible(way);
  CHECK(has(way.perform("until end"), "violated: regular"));
}

/// How often something that this action names happens at this time.
std::ptrdiff_t happensAt(const WalkedRun& run, Millis time, const Json& action) {
  const std::string does = action.at("do");
  const auto& events = run.trace().events;
  return std::count_if(events.begin(), events.end(), [&](const TraceEvent& event) {
    if (event.time != time) return false;
    if (does != "deliver") {
      if (event.node != action.at("server").get<ServerId>()) return false;
      return does == "sync" ? event.kind == "synced"
                            : event.kind == "timer" && event.data.at("timer") == action.at("timer");
    }
    if (event.kind == "closed") return event.data.at("link") == action.at("link");
    if (event.kind != "delivered") return false;
    const WalkedRun::Message* const message = run.message(event.data.at("message"));
    return message != nullptr && message->link == action.at("link") && message->from == action.at("from") &&
           message->to == action.at("to");
  });
}

TEST_CASE("step: in a timed run of each protocol what would happen by itself later may happen now") {
  std::map<std::string, std::size_t> chosen;
  for (const Protocol* protocol : protocols()) {
    const std::string name(protocol->name());
    CAPTURE(name);
    Stepper stepper =
        stepping(name == "zab" ? start_of_three : ZABLAB_SOURCE_DIR "/cli/starters/" + name + ".json");
    for (int places = 0; places < 12; ++places) {
      stepper.perform("next 9");
      const Millis time = stepper.run().timeAt(stepper.position());
      const Json actions = protocol->possibleActions(stepper.run().scenario(), time);
      for (std::size_t i = 0; i < actions.size(); ++i) {
        // Of messages and timers some of each list: many are alike.
        if (actions[i].at("do") != "sync" && i % (1 + actions.size() / 3) != 0) continue;
        CAPTURE(actions[i].dump());
        const auto before = eventsUpTo(stepper);
        const std::size_t skipped = skippedIn(stepper.run());
        const std::ptrdiff_t happened = happensAt(stepper.run(), time, actions[i]);
        stepper.perform("choose " + std::to_string(i + 1));
        CHECK(beginsWith(stepper.run().trace().events, before));
        // What it leads to may keep a later step from anything to do, but it is done itself.
        CHECK(skippedIn(stepper.run()) <= skipped + 1);
        CHECK(happensAt(stepper.run(), time, actions[i]) > happened);
        ++chosen[actions[i].at("do")];
        stepper.perform("undo");
      }
    }
  }
  CHECK(chosen["deliver"] > 40);
  CHECK(chosen["fire"] > 40);
  CHECK(chosen["sync"] >= 3);
}

TEST_CASE("step: a timer that expired early does not expire once more when it was due") {
  Stepper stepper = stepping(start_of_three);
  stepper.perform("until timer 2 timer=finalize_wait");
  const Millis due = stepper.run().timeAt(stepper.position());
  stepper.perform("undo");
  stepper.perform("until " + std::to_string(due - 1) + "ms");
  const Millis early = stepper.run().timeAt(stepper.position());
  REQUIRE(early < due);
  stepper.perform(R"(do {"action": {"do": "fire", "server": 2, "timer": "finalize_wait"}})");
  const auto& events = stepper.run().trace().events;
  const auto fired = [&](Millis time) {
    return std::count_if(events.begin(), events.end(), [&](const TraceEvent& event) {
      return event.time == time && event.kind == "timer" && event.node == 2 &&
             event.data.at("timer") == "finalize_wait";
    });
  };
  CHECK(fired(early) == 1);
  CHECK(fired(due) == 0);
  checkSaved(stepper);
}

TEST_CASE("step: what follows in a run by actions can be left out") {
  Stepper stepper = stepping(by_actions);
  performAll(stepper, {"next 3", "discard"});
  CHECK(stepper.run().scenario().spec.actions.size() == 3);
  CHECK(stepper.position() == stepper.run().lastPosition());
  CHECK(has(stepper.perform("choose 1"), "changed"));
  CHECK(stepper.run().scenario().spec.actions.size() == 4);
  CHECK(skippedIn(stepper.run()) == 0);
  checkSaved(stepper);
  CHECK_THROWS_WITH_AS(stepper.perform("discard"), doctest::Contains("no action follows"), UsageError);
}

TEST_CASE("step: a recorded run is changed with the choices that it made") {
  const Folder folder;
  const std::string drawn = scenarios + "election/000-F1b-any-delays.json";
  REQUIRE(zablab(folder, {"run", drawn, "--seed", "11", "--trace", folder / "t.json"}).status == 0);
  const Trace recorded = readTrace("t.json", contentsOf(folder / "t.json"));
  REQUIRE(recorded.choices.size() > 0);
  Stepper stepper{replayOf(recorded, "t.json"), folder / "t.json"};
  CHECK(stepper.run().trace().events == recorded.events);
  performAll(stepper, {"until quorum", "kill 1"});
  const auto before = eventsUpTo(stepper);
  CHECK(stepper.run().scenario().document.find("seed")->asInt64() == 11);
  checkSaved(stepper);
}

TEST_CASE("step: errors name what is wrong and leave everything as it was") {
  struct Row {
    std::string file;
    std::string command;
    std::string says;
  };
  const std::vector<Row> rows{
      {start_of_three, "nxt", "did you mean next?"},
      {start_of_three, "KILL 3", "did you mean kill?"},
      {start_of_three, "frobnicate", "help lists the commands"},
      {start_of_three, "next 0", "a whole number from 1"},
      {start_of_three, "next x", "a whole number from 1"},
      {start_of_three, "until", "until what?"},
      {start_of_three, "until roel", "did you mean role?"},
      {start_of_three, "until 100ms now", "is followed by nothing"},
      {start_of_three, "until 0ms", "has passed"},
      {start_of_three, "until 5", "has happened already"},
      {start_of_three, "until 99999", "a whole number from 0 to 160"},
      {start_of_three, "until role 9", "there is no node `9`; nodes are: 1, 2, 3"},
      {start_of_three, "until decided 3 by=nobody", "there is no event"},
      {start_of_three, "until m999", "no message `m999` has been sent"},
      {start_of_three, "undo now", "takes no arguments"},
      {start_of_three, "show 7", "show takes a node (1, 2, 3)"},
      {start_of_three, "kill", "kill which servers?"},
      {start_of_three, "kill 7", "there is no node `7`"},
      {start_of_three, "partition", "partition what?"},
      {start_of_three, "partition 1,1", "error"},
      {start_of_three, "cut 1", "a direction is two nodes"},
      {start_of_three, "drop 17", "a message is named as in m17"},
      {start_of_three, "drop m1", "no longer in flight"},
      {start_of_three, "delay m20", "a message and a time"},
      {start_of_three, "delay m20 -5", "a whole number from 0"},
      {start_of_three, "do", "a step as JSON"},
      {start_of_three, "do {\"kill\": 3", "error"},
      {start_of_three, "do 3", "a step is an object"},
      {start_of_three, "do []", "no step"},
      {start_of_three, "do {\"kil\": 3}", "did you mean `kill`?"},
      {start_of_three, "do {\"do\": \"kill\", \"server\": 3}", "only a run by actions"},
      {start_of_three, "choose 99", "choose"},
      {start_of_three, "discard", "only a run by actions"},
      {start_of_three, "save", "requires a file"},
      {start_of_three, "save " + start_of_three, "would overwrite the input"},
      {start_of_three, "draw run.xyz", "a picture's name ends in"},
      {by_actions, "choose 99", "a whole number from 1"},
      {by_actions, "choose", "a whole number from 1"},
      {by_actions, "delay m1 5", "in a run by actions"},
      {by_actions, "do {\"do\": \"fire\", \"server\": 2, \"timer\": \"tea\"}", "there is no timer"},
      {by_actions, "do [{\"do\": \"kill\", \"server\": 2}, {\"kill\": 1}]", "separate commands"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.command);
    Stepper stepper = stepping(row.file);
    stepper.perform("until 204ms");
    const WalkedRun* const run = &stepper.run();
    const std::size_t position = stepper.position();
    std::string said;
    try {
      stepper.perform(row.command);
    } catch (const UsageError& error) {
      said = error.what();
    } catch (const InputError& error) {
      said = error.what();
    }
    CHECK_MESSAGE(has(said, row.says), said);
    CHECK(&stepper.run() == run);
    CHECK(stepper.position() == position);
  }
}

/// What a program prints on a terminal on which these keys are typed.
std::string typedOnTerminal(const Words& words, const std::string& keys) {
  int terminal = -1;
  const pid_t process = forkpty(&terminal, nullptr, nullptr, nullptr);
  REQUIRE(process >= 0);
  if (process == 0) {
    setenv("TERM", "xterm", 1);
    std::vector<char*> arguments;
    std::vector<std::string> all{program()};
    all.insert(all.end(), words.begin(), words.end());
    for (std::string& word : all) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(program(), arguments.data());
    _exit(127);
  }
  std::string shown;
  std::size_t typed = 0;
  char part[4096];
  for (ssize_t got = 0; (got = ::read(terminal, part, sizeof part)) > 0;) {
    shown.append(part, static_cast<std::size_t>(got));
    // The keys of a line are typed when the program asks for it.
    if (!shown.ends_with("> ") || typed == keys.size()) continue;
    const std::size_t end = std::min(keys.find('\n', typed), keys.size() - 1) + 1;
    REQUIRE(::write(terminal, keys.data() + typed, end - typed) == static_cast<ssize_t>(end - typed));
    typed = end;
  }
  close(terminal);
  int status = 0;
  REQUIRE(waitpid(process, &status, 0) == process);
  CHECK(status == 0);
  return shown;
}

TEST_CASE("step: on a terminal lines can be edited, completed and had again") {
  // Completed by Tab; then had again by an arrow key, with a character more, which is deleted.
  const std::string shown = typedOnTerminal({"step", start_of_three}, "chang\t\n\x1b[Ax\x7f\nquit\n");
  const std::string answer = "nothing was changed";
  const std::size_t first = shown.find(answer);
  REQUIRE(first != std::string::npos);
  CHECK(shown.find(answer, first + 1) != std::string::npos);
  CHECK_FALSE(has(shown, "there is no command"));
}

TEST_CASE("step: commands from a file give the same output each time, and an error names its line") {
  const Folder folder;
  const auto session = [&](const std::string& file, const std::string& commands, Words options = {}) {
    options.insert(options.begin(), {"step", file});
    return zablab(folder, options, {"LC_ALL=C.UTF-8"}, folder.write("commands", commands));
  };
  const std::string good =
      "# the leader dies\nuntil role 3 to=LEADING\n\nkill 3\nuntil end\nsave a.json\nquit\nnext\n";
  const Ran ran = session(start_of_three, good);
  CHECK(ran.status == 0);
  CHECK(ran.err.empty());
  CHECK(has(ran.out, "> kill 3\n"));
  CHECK(has(ran.out, "wrote a.json: the scenario, 1 change\n"));
  CHECK_FALSE(has(ran.out, "> next"));
  CHECK(session(start_of_three, good).out == ran.out);
  CHECK(zablab(folder, {"run", "a.json"}).status == 0);

  const Ran wrong = session(start_of_three, "next\nnext\nkil 3\nsave b.json\n");
  CHECK(wrong.status == 2);
  CHECK(has(wrong.err, "line 3 of the commands, `kil 3`"));
  CHECK(has(wrong.err, "did you mean kill?"));
  CHECK_FALSE(fs::exists(folder / "b.json"));
  const Ran nowhere = session(start_of_three, "save missing/b.json\n");
  CHECK(nowhere.status == 4);
  CHECK(has(nowhere.err, "there is no directory"));
  CHECK(session(start_of_three, "").status == 0);

  const Ran drawn =
      session(scenarios + "election/000-F1b-any-delays.json", "trace t.json\n", {"--seed", "3"});
  CHECK(drawn.status == 0);
  CHECK(session(folder / "t.json", "until end\n").status == 0);
  struct Refused {
    std::string file;
    Words options;
    std::string says;
  };
  for (const Refused& row : std::vector<Refused>{
           {"-", {}, "standard input has the commands"},
           {folder / "t.json", {"--seed", "3"}, "a trace has the choices"},
           {scenarios + "models/election-2.json", {}, "zablab check searches models"},
           {"missing.json", {}, "there is no such file"},
           {start_of_three, {"--mutate", "fle_never_join"}, "did you mean fle_never_joins?"},
       }) {
    CAPTURE(row.file);
    const Ran refused = session(row.file, "next\n", row.options);
    CHECK(refused.status == 2);
    CHECK(has(refused.err, row.says));
  }
}

}  // namespace
}  // namespace zablab
