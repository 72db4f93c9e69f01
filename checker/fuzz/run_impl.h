// Performs a drawn run without a trace, with all invariants watching, and counts. Included by the one file of
// each family that instantiates it.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "checker/family.h"
#include "checker/fuzz/swarm.h"
#include "checker/requested.h"
#include "sim/binding.h"
#include "sim/run_of.h"

namespace zablab {

/// Counts over many runs; one for each thread. For a step it counts the place of its server
/// (FuzzOf<F>::placeOf) and what began it.
template <class F>
class FuzzCounts {
 public:
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
  std::map<std::uint8_t, std::string> message_names;
  std::map<std::string_view, std::uint64_t> fired;

  /// Everything counted so far, with names.
  FuzzStatistics statistics() const {
    FuzzStatistics all = sums;
    for (const auto& [key, count] : steps) {
      std::string input(enumName(key.kind));
      if (key.kind == Kind::delivered) input = message_names.at(key.what);
      if (key.kind == Kind::timer)
        input = Binding<F>::timerName(static_cast<typename F::TimerKind>(key.what));
      all.coverage[FuzzOf<F>::placeName(key.place) + ", " + input] += count;
    }
    for (const auto& [ends, count] : transitions)
      all.transitions[FuzzOf<F>::placeName(ends.first) + " > " + FuzzOf<F>::placeName(ends.second)] += count;
    for (const auto& [type, count] : lost) all.lost[message_names.at(type)] += count;
    for (const auto& [kind, count] : fired) all.fired[std::string(kind)] += count;
    return all;
  }
};

/// Watches one run. After the faults each probe of the core has to be answered all operations; then the core
/// gets no more requests, every client that is connected to it is answered, and it comes to rest. A family
/// adds further requirements on its core.
template <class F>
class FuzzWatcher : public Listener<F> {
 public:
  using Counts = FuzzCounts<F>;

  FuzzWatcher(RunOf<F>& run, const Judgement& judgement, Counts& counts, bool sampled)
      : run_(run),
        judgement_(judgement),
        counts_(counts),
        setting_(FuzzOf<F>::settingOf(run.cluster())),
        sampled_(sampled),
        core_(run.cluster().ids.size()),
        places_(run.cluster().ids.size(), FuzzOf<F>::first_place) {
    for (const ServerId server : judgement.core) core_[static_cast<std::size_t>(indexOf(server))] = true;
    for (const ServerId probe : judgement.probes) answered_[probe] = 0;
  }

  void on(const Happened<F>& h) override {
    digest_ = mix64(digest_ ^ (static_cast<std::uint64_t>(h.kind) << 56 |
                               static_cast<std::uint64_t>(h.node + 1) << 48 | h.message)) +
              static_cast<std::uint64_t>(now());
    switch (h.kind) {
      case Kind::started:
      case Kind::delivered:
      case Kind::connected:
      case Kind::refused:
      case Kind::closed:
      case Kind::timer:
      case Kind::durable:
      case Kind::age:
      case Kind::write_failed: begin(h); break;
      case Kind::step_over: over(h.node); break;
      case Kind::event: event(h); break;
      case Kind::asked: last_asked_ = now(); break;
      case Kind::sent: ++sent_; break;
      case Kind::lost: ++counts_.lost[typeOf(*h.content)]; break;
      case Kind::stopped: stopped(h); break;
      case Kind::paused: ++counts_.fired["pause"]; break;
      case Kind::cut: ++counts_.fired["cut"]; break;
      case Kind::broken: ++counts_.fired["disconnect"]; break;
      default: break;
    }
  }

  std::uint64_t digest() const { return digest_; }
  /// Whether the run can end: the core has done everything that it has to do after the faults, or has failed.
  bool hasEnded() {
    if (failure_ || judgement_.probes.empty()) return failure_.has_value();
    if (recovered_at_ < 0) {
      // The clients' requests during the faults may be more than slow disks can handle in time, and limits
      // run from then.
      const bool idle = all_answered_ && now() > judgement_.faults_end_ms + clients_end_ms &&
                        unansweredClient() == no_server && disksHaveCaughtUp();
      if (!idle) idle_since_ = -1;
      if (idle && idle_since_ < 0) idle_since_ = now();
      if (!idle || now() < idle_since_ + idle_ms) return endsWithoutThem();
      recovered_at_ = now();
    }
    if (now() < last_asked_ + judgement_.quiet_ms - quiet_end_ms) return false;
    const ServerId client = unansweredClient();
    const std::optional<Failure> unsettled = isUnsettled();
    if (client == no_server && !unsettled) {
      failure_ = judgeAtRest();
      return true;
    }
    if (now() <= recovered_at_ + settle_ms) return false;
    failure_ = client == no_server
                   ? unsettled
                   : Failure{"stall: a request is not answered",
                             "client " + std::to_string(client) + " has received no answer", now()};
    return true;
  }
  const std::optional<Failure>& failure() const { return failure_; }
  Millis slowElectionMs() const { return slowest_ms_; }
  bool recovered() const { return recovered_at_ >= 0; }
  bool allAnswered() const { return all_answered_; }
  std::vector<ServerId> waiting() const {
    std::vector<ServerId> probes;
    for (const auto& [probe, operations] : answered_) {
      if (operations != FuzzOf<F>::all_operations) probes.push_back(probe);
    }
    return probes;
  }
  /// Servers of the core that ended themselves repeatedly after the faults.
  std::vector<ServerId> unableToStart() const {
    std::vector<ServerId> unable;
    for (const auto& [server, times] : exits_) {
      if (times >= 3) unable.push_back(server);
    }
    return unable;
  }
  /// Whether those that do not answer are permitted not to, and all others do.
  virtual bool mayBeLeftOut() const { return false; }
  virtual void finish() {}

 protected:
  // ---- what a family adds
  /// Its node emits an event.
  virtual void said(const Happened<F>&) {}
  /// Its place has changed, or it ends.
  virtual void placeChanged(int) {}
  virtual void ended(int) {}
  /// While probes wait: whether nothing can change that any more, so that the run ends as it is.
  virtual bool endsWithoutThem() { return false; }
  /// Why the core has not come to rest.
  virtual std::optional<Failure> isUnsettled() const { return std::nullopt; }
  /// What is wrong once it has come to rest.
  virtual std::optional<Failure> judgeAtRest() const { return std::nullopt; }

  Millis now() const { return run_.now(); }
  bool isServer(int node) const { return node >= 0 && node < run_.cluster().serverCount(); }
  const typename F::Node& node(int i) const { return run_.node(i); }
  ServerId idOf(int i) const { return run_.cluster().ids[static_cast<std::size_t>(i)]; }
  int indexOf(ServerId id) const { return run_.cluster().indexOf(id); }
  /// The server that a client turns to, by index; -1: none.
  int serverOf(ServerId client) const {
    const auto [server, waits] = FuzzOf<F>::clientOf(node(indexOf(client)));
    return server == no_server ? -1 : indexOf(server);
  }
  bool isCore(int i) const { return core_[static_cast<std::size_t>(i)]; }
  bool faultsAreOver() const { return now() >= judgement_.faults_end_ms; }
  void note(const char* measure, std::int64_t value) { ++counts_.sums.times[measure][setting_][value]; }
  void forgetAnswersBy(int server) {
    for (auto& [probe, operations] : answered_) {
      if (serverOf(probe) == server) operations = 0;
    }
    all_answered_ = waiting().empty();
  }
  bool isSettledDown() const { return recovered_at_ >= 0 && !failure_; }

  RunOf<F>& run_;
  const Judgement& judgement_;
  Counts& counts_;
  std::optional<Failure> failure_;
  Millis slowest_ms_ = 0;  ///< of the slow elections
  std::uint64_t sent_ = 0;

 private:
  std::uint8_t typeOf(const typename F::Message& message) {
    const auto type = static_cast<std::uint8_t>(message.index());
    const auto [known, fresh] = counts_.message_names.try_emplace(type);
    if (fresh) known->second = std::string(Binding<F>::typeName(message));
    return type;
  }

  void begin(const Happened<F>& h) {
    if (h.kind == Kind::write_failed) ++counts_.fired["disk_error"];
    if (!isServer(h.node)) return;
    const std::uint8_t what = h.kind == Kind::delivered ? typeOf(*h.content)
                              : h.kind == Kind::timer   ? static_cast<std::uint8_t>(h.timer.kind)
                                                        : std::uint8_t{0};
    ++counts_.steps[{FuzzOf<F>::placeOf(node(h.node)), h.kind, what}];
  }

  void over(int i) {
    if (!isServer(i)) return;
    const std::uint32_t after = FuzzOf<F>::placeOf(node(i));
    std::uint32_t& place = places_[static_cast<std::size_t>(i)];
    if (place != after) {
      ++counts_.transitions[{place, after}];
      place = after;
      placeChanged(i);
    }
    if (sampled_) counts_.sums.node_states.insert(Digest{contentHash(node(i))});
  }

  void event(const Happened<F>& h) {
    const std::uint32_t operation = FuzzOf<F>::answered(*h.event);
    if (operation != 0 && faultsAreOver()) {
      if (const auto found = answered_.find(idOf(h.node)); found != answered_.end()) {
        found->second |= operation;
        all_answered_ = waiting().empty();
      }
    }
    said(h);
  }

  /// A client that has turned to the core and waits; none: no_server.
  ServerId unansweredClient() const {
    for (int i = run_.cluster().serverCount(); i < static_cast<int>(run_.cluster().ids.size()); ++i) {
      const auto [server, waits] = FuzzOf<F>::clientOf(node(i));
      if (waits && server != no_server && isCore(indexOf(server))) return idOf(i);
    }
    return no_server;
  }
  bool disksHaveCaughtUp() const {
    for (int i = 0; i < run_.cluster().serverCount(); ++i) {
      if (isCore(i) && run_.hasUnsynced(i)) return false;
    }
    return true;
  }

  void stopped(const Happened<F>& h) {
    ended(h.node);
    places_[static_cast<std::size_t>(h.node)] = FuzzOf<F>::first_place;
    switch (h.stopped) {
      case HowStopped::kill:
      case HowStopped::stop: ++counts_.fired["kill"]; break;
      case HowStopped::power_loss: ++counts_.fired["power_loss"]; break;
      case HowStopped::exit:
        if (h.why == "a write to the disk failed") ++counts_.fired["disk_error"];
        if (faultsAreOver() && isCore(h.node)) ++exits_[idOf(h.node)];
        break;
    }
  }

  /// How long a core may take to come to rest, once all of it serves.
  static constexpr Millis settle_ms = 60'000;
  /// How long after the faults clients still make requests that were drawn for the time before (swarm.cc).
  static constexpr Millis clients_end_ms = 1000;
  static constexpr Millis idle_ms = 500;
  /// The part of a quiet time in which the core is examined.
  static constexpr Millis quiet_end_ms = 600;

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
  std::map<ServerId, int> exits_;
  std::uint64_t digest_ = 0;
};

/// Runs until something is violated, the core has recovered and settled, or the time is over.
template <class F, class Watcher>
RunOutcome runCounted(const LoadedScenario& scenario, const Judgement& judgement, FuzzCounts<F>& counts,
                      std::uint64_t seed, std::unique_ptr<ChoiceSource> source, std::vector<Choice>* made) {
  RunOutcome outcome;
  ScenarioRun any(scenario, makeSetup(theFamily<F>(), scenario), {}, std::move(source));
  RunOf<F> run(any);
  const auto monitors = InvariantsOf<F>::all(run.cluster());
  const auto fail = [&](Failure failure) {
    const auto& only = judgement.only;
    const bool wanted = only.empty() || std::find(only.begin(), only.end(), failure.what) != only.end();
    if (wanted && !outcome.failure) outcome.failure = std::move(failure);
  };
  monitors->on_violation = [&](std::size_t i) {
    const auto& monitor = *monitors->monitors()[i];
    fail({std::string(monitor.info().name), *monitor.violation(), run.now()});
  };
  run.watch(*monitors);
  RequestedSet<F> requested(run, scenario.spec);
  requested.on_violation = [&](std::size_t i) {
    const auto& monitor = *requested.monitors()[i];
    fail({std::string(monitor.info().name), *monitor.violation(), run.now()});
  };
  Watcher watcher(run, judgement, counts, seed % 64 == 0);
  run.watch(watcher);
  try {
    any.executeBare([&] { return outcome.failure || watcher.hasEnded(); }, made != nullptr);
  } catch (const EndlessRun& endless) {
    fail({endless_exchange, endless.what(), run.now()});
  }
  watcher.finish();
  if (watcher.failure()) fail(*watcher.failure());
  outcome.slow_election_ms = watcher.slowElectionMs();
  if (outcome.slow_election_ms > 0)
    counts.sums.slow_elections[static_cast<std::int64_t>(seed)] =
        static_cast<std::uint64_t>(outcome.slow_election_ms);
  if (!outcome.failure && !judgement.probes.empty() && !watcher.recovered() && !watcher.mayBeLeftOut()) {
    outcome.unable = watcher.unableToStart();
    const std::string left = watcher.allAnswered()
                                 ? "a client of the core is not answered"
                                 : std::to_string(watcher.waiting().size()) + " of " +
                                       std::to_string(judgement.probes.size()) +
                                       " servers of the core do not answer " + FuzzOf<F>::operations_text;
    fail({outcome.unable.empty() ? stall_no_service : stall_unable,
          left + " within 180 s after the last fault", run.now()});
  }
  if (made != nullptr) *made = any.choices().made();
  outcome.actions = any.simulator().applied();
  outcome.virtual_ms = run.now();
  outcome.digest = mix64(watcher.digest() ^ mix64(seed));
  counts.sums.actions += outcome.actions;
  counts.sums.virtual_ms += outcome.virtual_ms;
  counts.sums.digest.value += outcome.digest;
  for (const auto& monitor : monitors->monitors()) {
    if (!monitor->isClaimed()) continue;
    const std::string name(monitor->info().name);
    counts.sums.obligations[name] += monitor->obligations();
    if (monitor->passedOver() > 0) counts.sums.passed_over[name] += monitor->passedOver();
  }
  for (std::size_t i = 0; i < scenario.spec.steps.size(); ++i) {
    if (!any.stepDone(i)) continue;
    const StepSpec& spec = scenario.spec.steps[i];
    if (spec.when) ++counts.fired["crash_point"];
    if (spec.is<step::Hold>()) ++counts.fired["clog"];
    if (spec.is<step::Clock>()) ++counts.fired["clock"];
    if (const auto* disk = spec.as<step::Disk>(); disk != nullptr && disk->with.fault == "stall")
      ++counts.fired["disk_stall"];
  }
  return outcome;
}

}  // namespace zablab
