// Performs a drawn run without a trace, with all invariants watching, and counts.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/clients/account.h"
#include "checker/family.h"
#include "checker/fuzz/outcome.h"

namespace zablab {

/// Counts over many runs; one for each thread. For a step it counts the place of its server
/// (FamilyFuzz::placeOf) and what began it.
class FuzzCounts {
 public:
  FuzzCounts(const AnyFamily& family, const FamilyFuzz& fuzz) : family_(family), fuzz_(fuzz) {}

  struct StepKey {
    std::uint32_t place = 0;
    Kind kind{};
    std::uint8_t what = 0;  ///< a message's type, or a timer's kind
    auto operator<=>(const StepKey&) const = default;
    bool operator==(const StepKey&) const = default;
  };
  FuzzStatistics sums;
  std::map<StepKey, std::uint64_t> steps;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> transitions;
  std::map<std::uint8_t, std::uint64_t> lost;
  std::map<std::string_view, std::uint64_t> fired;

  /// The message's type, whose name is noted.
  std::uint8_t typeOf(const Value& message);
  /// Everything counted so far, with names.
  FuzzStatistics statistics() const;

 private:
  const AnyFamily& family_;
  const FamilyFuzz& fuzz_;
  std::map<std::uint8_t, std::string> message_names_;
};

/// A run that is watched.
struct FuzzRun {
  ScenarioRun& run;
  const FamilyFuzz& family;
  const Judgement& judgement;
  FuzzCounts& counts;
  ClientsOfRun clients;
  bool sampled = false;  ///< whether its nodes' states are counted
};

/// Watches one run. After the faults each probe of the core has to be answered all operations; then the core
/// gets no more requests, every client that is connected to it is answered, and it comes to rest. A family
/// adds further requirements on its core (FuzzWatcherOf).
class FuzzWatcher : public AnyListener {
 public:
  explicit FuzzWatcher(const FuzzRun& run);

  void on(const AnyHappened& happened) override;

  std::uint64_t digest() const { return digest_; }
  /// Whether the run can end: the core has done everything that it has to do after the faults, or has failed.
  bool hasEnded();
  const std::optional<Failure>& failure() const { return failure_; }
  Millis slowElectionMs() const { return slowest_ms_; }
  bool recovered() const { return recovered_at_ >= 0; }
  bool allAnswered() const { return all_answered_; }
  /// The probes that still wait.
  std::vector<ServerId> waiting() const;
  /// Servers of the core that ended themselves repeatedly after the faults.
  std::vector<ServerId> unableToStart() const;
  /// Whether those that do not answer are permitted not to, and all others do.
  virtual bool mayBeLeftOut() const { return false; }
  virtual void finish() {}

 protected:
  // ---- what a family adds
  /// A node emits an event.
  virtual void emitted(const AnyHappened&) {}
  /// Its place has changed, or it ends.
  virtual void placeChanged(int) {}
  virtual void ended(int) {}
  /// While probes wait: whether nothing can change that any more, so that the run ends as it is.
  virtual bool endsWithoutThem() { return false; }
  /// Why the core has not come to rest.
  virtual std::optional<Failure> isUnsettled() const { return std::nullopt; }
  /// What is wrong once it has come to rest.
  virtual std::optional<Failure> judgeAtRest() const { return std::nullopt; }

  Millis now() const { return any_.simulator().now(); }
  int serverCount() const { return any_.cluster().serverCount(); }
  bool isServer(int node) const { return node >= 0 && node < serverCount(); }
  ServerId idOf(int i) const { return any_.cluster().ids[static_cast<std::size_t>(i)]; }
  int indexOf(ServerId id) const { return any_.cluster().indexOf(id); }
  /// The server that a client turns to, by index; -1: none.
  int serverOf(ServerId client) const;
  bool isCore(int i) const { return core_[static_cast<std::size_t>(i)]; }
  bool faultsAreOver() const { return now() >= judgement_.faults_end_ms; }
  void note(const char* measure, std::int64_t value) { ++counts_.sums.times[measure][setting_][value]; }
  void forgetAnswersBy(int server);
  bool isSettledDown() const { return recovered_at_ >= 0 && !failure_; }

  const Judgement& judgement_;
  std::optional<Failure> failure_;
  Millis slowest_ms_ = 0;  ///< of the slow elections
  std::uint64_t sent_ = 0;

 private:
  const Value& node(int i) const { return any_.simulator().store().server(i).node; }
  void begin(const AnyHappened& happened);
  void over(int i);
  void event(const AnyHappened& happened);
  void stopped(const AnyHappened& happened);
  /// A client that has turned to the core and waits; none: no_server.
  ServerId unansweredClient() const;
  bool disksHaveCaughtUp() const;
  /// A write that nobody can read, and the server that has answered it has been in its place since.
  std::optional<Failure> lostInPlace();

  ScenarioRun& any_;
  const FamilyFuzz& family_;
  FuzzCounts& counts_;
  std::string setting_;
  bool sampled_;
  std::vector<bool> core_;  ///< by index
  /// By probe: its operations that were answered since its server's role changed, one bit each.
  std::map<ServerId, std::uint32_t> answered_;
  bool all_answered_ = false;
  Millis idle_since_ = -1;    ///< clients are answered, and disks have caught up
  Millis recovered_at_ = -1;  ///< when all of the core served
  Millis last_asked_ = 0;     ///< the last request by a client
  std::vector<std::uint32_t> places_;
  std::vector<Millis> in_place_since_;  ///< by index
  Account account_;
  std::map<ServerId, int> exits_;
  std::uint64_t digest_ = 0;
};

/// What a family consists of for random runs.
struct WatchedFamily {
  const AnyFamily& family;
  const FamilyFuzz& fuzz;
  const FamilyInvariants& invariants;
  ClientsOfRun clients;
};

/// Runs until something is violated, the core has recovered and settled, or the time is over. `source`: of
/// the choices that the scenario does not fix; null: its seed. `made`: receives every choice that was not its
/// default.
RunOutcome runWatched(const WatchedFamily& watched, const LoadedScenario& scenario,
                      const Judgement& judgement, FuzzCounts& counts, std::uint64_t seed,
                      std::unique_ptr<ChoiceSource> source, std::vector<Choice>* made);

}  // namespace zablab
