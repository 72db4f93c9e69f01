// Runs a scenario: sets up the servers, performs its steps at their times and on their conditions, and
// records the trace.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/binding.h"
#include "sim/recorder.h"
#include "sim/scenario.h"

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
template <class F>
struct Setup {
  Cluster<F> cluster;
  Timing timing;
  std::vector<ServerSpec> servers;
};

/// Timers of a kind are distinguished by peers, or by keys that the family can name.
template <class F>
concept NamesTimerKeys = std::same_as<typename F::Vocabulary::TimerKey, ServerId> ||
    requires(const typename F::Vocabulary::TimerKey& key) {
  { Binding<F>::timerKeyName(key) } -> std::same_as<std::string>;
};

template <class F>
concept HasBinding = requires(const Names& names, const typename F::Message& message,
                              const typename F::Event& event, const typename F::Request& request,
                              typename F::Node& node, const typename F::Durable& disk,
                              const typename F::Record& record, const typename F::Rules& rules,
                              const Scenario& scenario, const JsonValue& document,
                              const std::vector<ServerSpec>& servers, const Cluster<F>& cluster,
                              std::vector<std::optional<typename F::Node>>& placed, const Trace& trace) {
  { Binding<F>::typeName(message) } -> std::convertible_to<std::string_view>;
  { Binding<F>::label(names, message) } -> std::same_as<std::string>;
  { Binding<F>::kindName(event) } -> std::convertible_to<std::string_view>;
  { Binding<F>::data(names, event) } -> std::same_as<Json>;
  { Binding<F>::tell(names, ServerId{}, event) } -> std::same_as<std::string>;
  { Binding<F>::tell(names, ServerId{}, request) } -> std::same_as<std::string>;
  { Binding<F>::logPicture(node, disk) } -> std::same_as<Json>;
  { Binding<F>::timerName(typename F::TimerKind{}) } -> std::same_as<std::string>;
  { Binding<F>::recordName(record) } -> std::convertible_to<std::string_view>;
  requires NamesTimerKeys<F>;
  { Binding<F>::header() } -> std::same_as<Json>;
  { Binding<F>::narrate(trace) } -> std::same_as<std::vector<std::string>>;
  { Binding<F>::changedRules(rules) } -> std::same_as<std::vector<std::string>>;
  { Binding<F>::default_variant } -> std::convertible_to<std::string_view>;
  { Binding<F>::request(typename Binding<F>::Asks{}, AskContext{}) } -> std::same_as<typename F::Request>;
  { Binding<F>::asking(request) } -> std::same_as<typename Binding<F>::Asks>;
  { request.number } -> std::convertible_to<std::int64_t>;
  { Binding<F>::rules(scenario, document) } -> std::same_as<typename F::Rules>;
  { Binding<F>::configs(scenario, document, servers) } -> std::same_as<std::vector<typename F::Config>>;
  Binding<F>::arrange(cluster, placed);
  Binding<F>::checkState(document, ServerId{}, node);
};

template <class F>
Setup<F> makeSetup(const LoadedScenario& scenario);

namespace run_detail {

inline std::string nameOf(const ServerSpec& server) {
  return server.name.empty() ? std::to_string(server.id) : server.name;
}

inline Names namesOf(const std::vector<ServerSpec>& servers) {
  std::map<ServerId, std::string> names;
  for (const ServerSpec& server : servers) names.emplace(server.id, nameOf(server));
  return Names(std::move(names));
}

}  // namespace run_detail

/// Checks the parts of a scenario that are written in the family's own types. Throws InputError.
template <class F>
void checkFamily(const LoadedScenario& scenario);

/// Puts the servers into the state that the scenario begins with, except those that have yet to start: disks,
/// open connections, processes that already run. Returns their indexes; each has to be taken up.
template <class F>
std::vector<int> placeServers(const Setup<F>& setup, const Scenario& scenario, DirectStore<F>& store,
                              const std::function<void(Link, int, int)>& open);

/// One run of one scenario. Observers are notified of everything, in order, after the recorder has recorded
/// it.
template <class F>
class ScenarioRun : private Listener<F> {
 public:
  /// `source`: the source of choices that the scenario does not fix; by default, its seed.
  ScenarioRun(const LoadedScenario& scenario, Setup<F> setup, const Until& until,
              std::unique_ptr<ChoiceSource> source = nullptr);
  ScenarioRun(const ScenarioRun&) = delete;

  /// Call before the run.
  void watch(Listener<F>& watcher) { watchers_.push_back(&watcher); }
  const Cluster<F>& cluster() const { return setup_.cluster; }
  const Choices& choices() const { return choices_; }
  /// Whether the scenario's step has been done.
  bool stepDone(std::size_t index) const { return done_[index]; }
  Simulator<F>& simulator() { return simulator_; }

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
  /// A step that waits for an event. Besides its pattern, the parts that can be checked without JSON.
  struct Condition {
    const StepSpec* step;
    std::size_t index;
    std::int64_t seen = 0;
    bool done = false;
    std::optional<std::string> kind = std::nullopt;
    std::optional<int> node = std::nullopt;
    std::optional<std::string> type = std::nullopt;    ///< of a message
    std::optional<std::string> record = std::nullopt;  ///< of a write
  };

  /// Requests of a client of which each waits for the end of the one before.
  struct ClosedLoop {
    int node = 0;
    typename Binding<F>::Asks asks;
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
  void scheduleNext(std::size_t index);
  void doStep(const StepSpec& spec, std::size_t index);
  void divide(const std::vector<std::vector<ServerId>>& sides);
  void heal(const WayOrAll& healed);
  void dropOrRepeat(const Selector& selector, ActionKind kind);
  void setDisk(const DiskSpec& disk);
  void setState(const SetSpec& set);
  void doAction(const ActionSpec& spec);
  bool mayTell(const Action<F>& action) const;
  bool findMessage(const ActionSpec& spec, Action<F>& action) const;
  void cut(const std::set<std::pair<int, int>>& ways, bool cut);
  void send(const SendSpec& spec);
  /// Returns the request's number.
  std::int64_t ask(int node, const typename Binding<F>::Asks& asks, Millis later = 0);
  void askOften(const step::Ask& ask);
  void continueLoops(const Happened<F>& happened);
  void on(const Happened<F>& happened) override;
  std::uint64_t say(int node, std::string kind, Json data, std::string text);
  Condition conditionOf(std::size_t index) const;
  bool isAwaited(const Condition& condition, bool after) const;
  bool mayMatch(const Condition& condition, const Happened<F>& happened) const;
  void met(Condition& condition, int node);
  std::optional<typename Simulator<F>::Ending> beforeEffect(int server,
                                                            const typename F::Vocabulary::Effect& effect);
  typename Simulator<F>::Hold holdOf(const Selector& selector) const;
  void make(ActionKind kind, const Ids& ids, std::uint32_t unsynced = 0, bool in_flight = true);
  /// Throws InputError if the trace has become larger than permitted.
  void limitTrace();
  Json header() const;

  const LoadedScenario& scenario_;
  Setup<F> setup_;
  Until until_;
  Choices choices_;
  Trace trace_;
  Simulator<F> simulator_;
  Telling<F> telling_;
  Recorder<F> recorder_;
  std::vector<Listener<F>*> watchers_;
  bool recording_ = false;
  std::vector<bool> done_;  ///< by step
  std::vector<Condition> conditions_;
  std::vector<ClosedLoop> loops_;
  std::string
      answered_number_;  ///< the field of `answered` with the request's number; empty if there is none
  std::set<std::pair<int, std::string>> failing_writes_;
  std::uint64_t requests_ = 0;  ///< sent to clients so far
  std::uint64_t values_ = 0;    ///< JSON values of the trace's first `weighed_` events
  std::size_t weighed_ = 0;
  bool stop_ = false;
};

}  // namespace zablab
