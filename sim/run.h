// Runs a scenario: sets up the servers, performs its steps at their times and on their conditions, and
// records the trace.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/family.h"
#include "sim/loop.h"
#include "sim/scenario.h"
#include "sim/simulator.h"
#include "sim/telling.h"
#include "sim/trace.h"

namespace zablab {

/// A scenario with the places in its text, and the overrides of the command line.
struct LoadedScenario {
  Scenario spec;
  JsonValue document;
  /// For a replay: every choice that was not its default. The seed is then only a name.
  std::optional<std::vector<Choice>> recorded = std::nullopt;
  /// The document's keys that are not the family's own.
  std::vector<std::string> (*keys)() = &scenarioKeys;
};

/// Ends a run early: at the first event that matches, or at a virtual time. A recorded run of more events, or
/// of more JSON values in them, is refused: a trace of that size takes several gigabytes.
struct Until {
  std::optional<EventPattern> event = std::nullopt;
  std::optional<Millis> time = std::nullopt;
  std::optional<std::uint64_t> step = std::nullopt;  ///< the index of an event
  std::uint64_t events_max = 500'000;
  std::uint64_t values_max = 100'000'000;
};

/// The servers of a scenario, as described by their own entries or by its zoo.cfg.
struct Setup {
  AnyCluster cluster;
  Timing timing;
  std::vector<ServerSpec> servers;
};

/// Throws InputError.
Setup makeSetup(const AnyFamily& family, const LoadedScenario& scenario);

/// The names of a scenario's servers and clients.
Names namesOf(const std::vector<ServerSpec>& servers);

/// Checks the parts of a scenario that are written in the family's own types. Throws InputError.
void checkScenario(const AnyFamily& family, const LoadedScenario& scenario);

/// Puts the servers into the state that the scenario begins with, except those that have yet to start: disks,
/// open connections, processes that already run. Returns their indexes; each has to be taken up.
std::vector<int> placeServers(const Setup& setup, const Scenario& scenario, DirectStore<Any>& store,
                              const std::function<void(Link, int, int)>& open);

class Recorder;

/// One run of one scenario. Observers are notified of everything, in order, after the recorder has recorded
/// it.
class ScenarioRun : private AnyListener {
 public:
  /// `source`: the source of choices that the scenario does not fix; by default, its seed.
  ScenarioRun(const LoadedScenario& scenario, Setup setup, const Until& until,
              std::unique_ptr<ChoiceSource> source = nullptr);
  ScenarioRun(const ScenarioRun&) = delete;
  ~ScenarioRun() override;

  /// Call before the run.
  void watch(AnyListener& watcher) { watchers_.push_back(&watcher); }
  const AnyCluster& cluster() const { return setup_.cluster; }
  const Names& names() const { return telling_.names(); }
  const Choices& choices() const { return choices_; }
  /// Whether the scenario's step has been done.
  bool stepDone(std::size_t index) const { return done_[index].has_value(); }
  /// The trace's events from `begin` up to `end`.
  struct Events {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  /// Those by which the trace tells the scenario's step; empty: it has not been done.
  std::optional<Events> eventsOfStep(std::size_t index) const { return done_[index]; }
  Simulator<Any>& simulator() { return simulator_; }
  const Simulator<Any>& simulator() const { return simulator_; }

  /// The index of the newest event in the trace: the one that reports what is being observed or, if there is
  /// none, the last before it.
  std::optional<std::uint64_t> newestEvent() const {
    if (trace_.events.empty()) return std::nullopt;
    return trace_.events.size() - 1;
  }

  /// Runs to the end. The trace has its header, scenario, choices and events; verdicts are added by the code
  /// that judges it.
  Trace execute();

  /// The same without a trace, as fast as possible; returns how many actions were done. `ended` is called
  /// after each; true ends the run. Throws EndlessRun.
  std::uint64_t executeBare(const std::function<bool()>& ended = {}, bool remember_choices = false);

 private:
  const AnyFamily& family() const { return *setup_.cluster.family; }

  /// A step that waits for an event. Besides its pattern, the parts that can be checked without JSON.
  struct Condition {
    const StepSpec* step;
    std::size_t index;
    Millis from = 0;
    Millis by = std::numeric_limits<Millis>::max();
    bool after = false;  ///< the effect, and not before it
    bool done = false;
    std::int64_t seen = 0;
    std::optional<std::string> kind = std::nullopt;
    std::optional<int> node = std::nullopt;
    std::optional<std::string> type = std::nullopt;    ///< of a message
    std::optional<std::string> record = std::nullopt;  ///< of a write
  };

  /// Requests of a client of which each waits for the end of the one before.
  struct ClosedLoop {
    int node = 0;
    AnyAsks asks;
    Millis every = 0;
    Millis began = 0;         ///< when the first was made
    std::int64_t left = 0;    ///< after the one that is under way
    std::int64_t number = 0;  ///< of that one
  };

  int indexOf(ServerId id) const;
  Link linkOf(const std::string& name) const;

  void prepare();
  void schedule(std::size_t index);
  void perform(std::size_t index);
  void stepIsDone(std::size_t index, Events events);
  void doStep(const StepSpec& spec, std::size_t index);
  void divide(const std::vector<std::vector<ServerId>>& sides);
  void heal(const WayOrAll& healed);
  void dropOrRepeat(const Selector& selector, ActionKind kind);
  void setDisk(const DiskSpec& disk);
  void setState(const SetSpec& set);
  void scheduleActions();
  void doAction(const ActionSpec& spec);
  /// Before the loop's first action, and after its last one each time.
  void atLoop();
  bool mayTell(const Action<Any>& action) const;
  bool findMessage(const ActionSpec& spec, Action<Any>& action) const;
  void cut(const std::set<std::pair<int, int>>& ways, bool cut);
  void send(const SendSpec& spec);
  /// Returns the request's number.
  std::int64_t ask(int node, const AnyAsks& asks, Millis later = 0);
  void askOften(const step::Ask& ask);
  void continueLoops(const AnyHappened& happened);
  void on(const AnyHappened& happened) override;
  std::uint64_t say(int node, std::string kind, Json data, const Phrase& text);
  Condition conditionOf(std::size_t index) const;
  bool isAwaited(const Condition& condition, bool after) const;
  bool mayMatch(const Condition& condition, const AnyHappened& happened) const;
  void met(Condition& condition, int node);
  std::optional<Simulator<Any>::Ending> beforeEffect(int server, const Any::Vocabulary::Effect& effect);
  Simulator<Any>::Hold holdOf(const Selector& selector) const;
  void make(ActionKind kind, const Ids& ids, std::uint32_t unsynced = 0, bool in_flight = true);
  /// Throws InputError if the trace has become larger than permitted.
  void limitTrace();
  Json header() const;

  const LoadedScenario& scenario_;
  Setup setup_;
  Until until_;
  Choices choices_;
  Trace trace_;
  Simulator<Any> simulator_;
  Telling telling_;
  std::unique_ptr<Recorder> recorder_;
  std::vector<AnyListener*> watchers_;
  bool recording_ = false;
  std::vector<std::optional<Events>> done_;  ///< by step
  std::vector<Condition> conditions_;
  std::vector<ClosedLoop> loops_;
  std::optional<LoopWatch> loop_;  ///< of actions
  std::string
      answered_number_;  ///< the field of `answered` with the request's number; empty if there is none
  std::set<std::pair<int, std::string>> failing_writes_;
  std::uint64_t requests_ = 0;  ///< sent to clients so far
  std::uint64_t values_ = 0;    ///< JSON values of the trace's first `weighed_` events
  std::size_t weighed_ = 0;
  bool stop_ = false;
};

}  // namespace zablab
