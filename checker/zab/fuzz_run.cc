#include "checker/zab/fuzz_run.h"

#include <algorithm>
#include <array>
#include <set>

#include "checker/invariants/zab/recovery.h"
#include "sim/zab/binding.h"

namespace zablab::zab {

struct FuzzCounter::Counts {
  struct StepKey {
    Role role{};
    Phase phase{};
    Kind kind{};
    std::uint8_t what = 0;  ///< a message's type, or a timer's kind
    auto operator<=>(const StepKey&) const = default;
    bool operator==(const StepKey&) const = default;
    BOOST_DESCRIBE_CLASS(StepKey, (), (role, phase, kind, what), (), ())
  };
  FuzzStatistics sums;
  std::map<StepKey, std::uint64_t> steps;
  std::map<std::tuple<Role, Phase, Role, Phase>, std::uint64_t> transitions;
  std::array<std::uint64_t, std::variant_size_v<Message>> lost{};
  std::array<std::string, std::variant_size_v<Message>> message_names;
  std::map<std::string_view, std::uint64_t> fired;
};

namespace {

std::string place(Role role, Phase phase) {
  return role == Role::LOOKING ? std::string(enumName(role))
                               : std::string(enumName(role)) + " " + std::string(enumName(phase));
}

/// Watches one run.
class Watcher : public Listener<Family> {
 public:
  using Counts = FuzzCounter::Counts;

  Watcher(ScenarioRun<Family>& run, const Judgement& judgement, Counts& counts, std::string setting,
          bool sampled)
      : run_(run),
        judgement_(judgement),
        counts_(counts),
        setting_(std::move(setting)),
        sampled_(sampled),
        core_(run.cluster().ids.size()),
        looking_since_(run.cluster().ids.size(), -1),
        places_(run.cluster().ids.size(), {Role::LOOKING, Phase::election}) {
    for (const ServerId server : judgement.core) core_[static_cast<std::size_t>(indexOf(server))] = true;
    for (const ServerId probe : judgement.probes) answered_[probe] = 0;
  }

  void on(const Happened<Family>& h) override {
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
      case Kind::write_failed: begin(h); break;
      case Kind::step_over: over(h.node); break;
      case Kind::event: event(h); break;
      case Kind::asked: last_asked_ = now(); break;
      case Kind::sent: ++sent_; break;
      case Kind::lost: ++counts_.lost[h.content->index()]; break;
      case Kind::stopped: stopped(h); break;
      case Kind::paused: ++counts_.fired["pause"]; break;
      case Kind::cut: ++counts_.fired["cut"]; break;
      case Kind::broken: ++counts_.fired["disconnect"]; break;
      default: break;
    }
  }

  std::uint64_t digest() const { return digest_; }
  /// Whether there is nothing more to see: everything that was asked after the faults came about, or
  /// something did not.
  bool hasEnded() {
    if (failure_ || judgement_.probes.empty()) return failure_.has_value();
    if (recovered_at_ < 0) {
      // What clients asked while things failed may be more than slow disks do in time, and limits run from
      // then.
      const bool idle = all_answered_ && now() > judgement_.faults_end_ms + clients_end_ms &&
                        unansweredClient() == no_server && disksHaveCaughtUp();
      if (!idle) idle_since_ = -1;
      if (idle && idle_since_ < 0) idle_since_ = now();
      if (!idle || now() < idle_since_ + idle_ms) return someAreLeftOut();
      recovered_at_ = now();
    }
    if (now() < last_asked_ + judgement_.quiet_ms - quiet_end_ms) return false;
    const ServerId client = unansweredClient();
    if (client == no_server && haveOneHistory()) {
      const int leader = leaderOutsideCore();
      if (leader >= 0) {
        failure_ = Failure{"stall: a leader without a quorum goes on",
                           "server " + std::to_string(idOf(leader)) + " leads, and hears no quorum", now()};
      }
      return true;
    }
    if (now() <= recovered_at_ + settle_ms) return false;
    failure_ = client == no_server
                   ? Failure{"stall: histories differ", "servers of the core have different histories", now()}
                   : Failure{"stall: a request is not answered",
                             "client " + std::to_string(client) + " waits for an answer", now()};
    return true;
  }
  const std::optional<Failure>& failure() const { return failure_; }
  Millis slowElectionMs() const { return slowest_ms_; }
  bool recovered() const { return recovered_at_ >= 0; }
  bool allAnswered() const { return all_answered_; }
  std::vector<ServerId> waiting() const {
    std::vector<ServerId> probes;
    for (const auto& [probe, operations] : answered_) {
      if (operations != all_operations) probes.push_back(probe);
    }
    return probes;
  }
  /// Whether whoever still waits turns to a server that cannot join: it has accepted a later epoch than the
  /// leader's, from a leader that never had a quorum. It is left out until there is another leader (Learner:
  /// "Leaders epoch, x is less than accepted epoch, y"). It looks again and again, and each of its votes
  /// prolongs the wait of a server that is about to decide (FastLeaderElection, finalizeWait): that one may
  /// look for ever as well. Beside a server that is left out, whoever looks is let pass.
  bool othersServe() const {
    const std::vector<ServerId> waiting_probes = waiting();
    if (waiting_probes.size() >= judgement_.probes.size()) return false;
    std::int64_t epoch = 0;
    for (const int leader : leading_) epoch = std::max(epoch, node(leader).epoch);
    bool one_is_ahead = false;
    for (const ServerId probe : waiting_probes) {
      const int server = serverOf(probe);
      const bool ahead =
          server >= 0 && run_.simulator().store().disk(server).image.accepted_epoch.value_or(0) > epoch;
      if (!ahead && !(server >= 0 && node(server).role == Role::LOOKING)) return false;
      one_is_ahead = one_is_ahead || ahead;
    }
    return epoch > 0 && one_is_ahead;
  }
  /// Servers of the core that ended themselves again and again after the faults.
  std::vector<ServerId> unableToStart() const {
    std::vector<ServerId> unable;
    for (const auto& [server, times] : exits_) {
      if (times >= 3) unable.push_back(server);
    }
    return unable;
  }
  void finish() {
    if (leaderless_since_ >= 0) leaderless_ms_ += now() - leaderless_since_;
    note("leaderless, ms", leaderless_ms_);
  }

 private:
  Millis now() const { return run_.simulator().now(); }
  bool isServer(int node) const { return node >= 0 && node < run_.cluster().serverCount(); }
  const Node& node(int i) const { return run_.simulator().store().server(i).node; }
  ServerId idOf(int i) const { return run_.cluster().ids[static_cast<std::size_t>(i)]; }
  int indexOf(ServerId id) const { return run_.cluster().indexOf(id); }
  /// Whom a client turns to, by index; -1: nobody.
  int serverOf(ServerId client) const {
    const auto& state = node(indexOf(client)).client;
    return state && state->server ? indexOf(*state->server) : -1;
  }
  bool isCore(int i) const { return core_[static_cast<std::size_t>(i)]; }
  bool faultsAreOver() const { return now() >= judgement_.faults_end_ms; }
  void note(const char* measure, std::int64_t value) { ++counts_.sums.times[measure][setting_][value]; }

  void begin(const Happened<Family>& h) {
    if (h.kind == Kind::write_failed) ++counts_.fired["disk_error"];
    if (!isServer(h.node)) return;
    const Node& before = node(h.node);
    const auto what = h.kind == Kind::delivered ? static_cast<std::uint8_t>(h.content->index())
                      : h.kind == Kind::timer   ? static_cast<std::uint8_t>(h.timer.kind)
                                                : std::uint8_t{0};
    ++counts_.steps[{before.role, before.phase, h.kind, what}];
  }

  void over(int i) {
    if (!isServer(i)) return;
    const Node& after = node(i);
    auto& place = places_[static_cast<std::size_t>(i)];
    if (place != std::pair{after.role, after.phase}) {
      ++counts_.transitions[{place.first, place.second, after.role, after.phase}];
      place = {after.role, after.phase};
      if (after.role != Role::LEADING) noLongerLeads(i);
    }
    if (sampled_) counts_.sums.node_states.insert(Digest{contentHash(after)});
  }

  void event(const Happened<Family>& h) {
    const auto at = static_cast<std::size_t>(h.node);
    if (std::holds_alternative<Looking>(*h.event)) {
      looking_since_[at] = now();
    } else if (std::holds_alternative<Decided>(*h.event) && looking_since_[at] >= 0) {
      note("election, ms", now() - looking_since_[at]);
      looking_since_[at] = -1;
    } else if (std::holds_alternative<Established>(*h.event)) {
      if (leaderless_since_ >= 0) {
        leaderless_ms_ += now() - leaderless_since_;
        if (led_before_) {
          note("failover, ms", now() - leaderless_since_);
          note("failover, messages", static_cast<std::int64_t>(sent_ - sent_before_));
        }
      }
      leaderless_since_ = -1;
      led_before_ = true;
      leading_.insert(h.node);
      if (isCore(h.node)) coreIsLed(h.node);
    } else if (const auto* answered = std::get_if<Answered>(h.event)) {
      if (answered->outcome == Outcome::ok && faultsAreOver())
        probeAnswered(idOf(h.node), answered->operation);
    } else if (const auto* role = std::get_if<RoleChanged>(h.event)) {
      if (isCore(h.node) && faultsAreOver()) roleOfCoreChanged(h.node, *role);
    }
  }

  // ---- after the faults

  /// Whether that some cannot join has lasted: nothing changes it any more.
  bool someAreLeftOut() {
    if (now() < next_look_) return false;
    next_look_ = now() + 1000;
    left_out_looks_ = faultsAreOver() && othersServe() ? left_out_looks_ + 1 : 0;
    return left_out_looks_ > 20;
  }

  void probeAnswered(ServerId probe, Operation operation) {
    const auto found = answered_.find(probe);
    if (found == answered_.end()) return;
    found->second |= 1U << static_cast<unsigned>(operation);
    all_answered_ = waiting().empty();
  }

  void roleOfCoreChanged(int i, const RoleChanged& role) {
    for (auto& [probe, operations] : answered_) {
      if (serverOf(probe) == i) operations = 0;
    }
    all_answered_ = waiting().empty();
    if (recovered_at_ < 0 || failure_) return;
    failure_ = Failure{"stall: a role changes without a fault",
                       "server " + std::to_string(idOf(i)) + " goes from " +
                           std::string(enumName(role.from)) + " to " + std::string(enumName(role.to)) + " (" +
                           std::string(enumName(role.reason)) + ") after all of the core served",
                       now()};
  }

  void coreIsLed(int i) {
    if (core_leading_.empty() && faultsAreOver() && !judgement_.probes.empty()) {
      const Millis took = now() - std::max(core_leaderless_since_, judgement_.faults_end_ms);
      if (took > slow_election_ms) slowest_ms_ = std::max(slowest_ms_, took);
    }
    core_leading_.insert(i);
  }

  /// A client that has turned to the core and waits; none: no_server.
  ServerId unansweredClient() const {
    for (int i = run_.cluster().serverCount(); i < static_cast<int>(run_.cluster().ids.size()); ++i) {
      const auto& client = node(i).client;
      const bool waits = client && client->server && !client->waiting.empty();
      if (waits && isCore(indexOf(*client->server))) return idOf(i);
    }
    return no_server;
  }
  bool disksHaveCaughtUp() const {
    for (int i = 0; i < run_.cluster().serverCount(); ++i) {
      if (isCore(i) && run_.simulator().store().disk(i).hasUnsynced()) return false;
    }
    return true;
  }
  /// It is cut off, and all its limits have run out since.
  int leaderOutsideCore() const {
    const Config& config = run_.cluster().configs.front();
    const Millis limits = (config.init_limit + config.sync_limit + 2) * config.tick_ms;
    if (now() < judgement_.faults_end_ms + limits) return -1;
    for (const int leader : leading_) {
      if (!isCore(leader) && !run_.simulator().store().isPaused(leader)) return leader;
    }
    return -1;
  }
  bool haveOneHistory() const {
    const std::vector<Txn>* first = nullptr;
    for (int i = 0; i < run_.cluster().serverCount(); ++i) {
      if (!isCore(i)) continue;
      if (first != nullptr && node(i).history != *first) return false;
      first = &node(i).history;
    }
    return true;
  }

  void noLongerLeads(int i) {
    if (core_leading_.erase(i) != 0 && core_leading_.empty()) core_leaderless_since_ = now();
    if (leading_.erase(i) == 0 || !leading_.empty()) return;
    leaderless_since_ = now();
    sent_before_ = sent_;
  }

  void stopped(const Happened<Family>& h) {
    noLongerLeads(h.node);
    looking_since_[static_cast<std::size_t>(h.node)] = -1;
    places_[static_cast<std::size_t>(h.node)] = {Role::LOOKING, Phase::election};
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

  static constexpr unsigned all_operations = 1U << static_cast<unsigned>(Operation::put) |
                                             1U << static_cast<unsigned>(Operation::read) |
                                             1U << static_cast<unsigned>(Operation::sync);
  /// So long after the faults clients still ask for what was drawn for the time before (swarm.cc).
  static constexpr Millis clients_end_ms = 1000;
  static constexpr Millis idle_ms = 500;
  /// The part of a quiet time in which the core is looked at.
  static constexpr Millis quiet_end_ms = 600;

  ScenarioRun<Family>& run_;
  const Judgement& judgement_;
  Counts& counts_;
  std::string setting_;
  bool sampled_;
  std::vector<bool> core_;                 ///< by index
  std::map<ServerId, unsigned> answered_;  ///< probes' operations since its server's role changed, a bit each
  bool all_answered_ = false;
  Millis idle_since_ = -1;    ///< clients are answered, and disks have caught up
  Millis recovered_at_ = -1;  ///< when all of the core served
  Millis last_asked_ = 0;     ///< anything by a client
  Millis next_look_ = 0;
  int left_out_looks_ = 0;  ///< in a row that found some left out
  std::optional<Failure> failure_;
  Millis slowest_ms_ = 0;  ///< of the slow elections
  std::set<int> core_leading_;
  Millis core_leaderless_since_ = 0;
  std::vector<Millis> looking_since_;
  std::vector<std::pair<Role, Phase>> places_;
  std::map<ServerId, int> exits_;
  std::set<int> leading_;  ///< established leaders
  Millis leaderless_since_ = 0;
  Millis leaderless_ms_ = 0;
  bool led_before_ = false;
  std::uint64_t sent_ = 0;
  std::uint64_t sent_before_ = 0;
  std::uint64_t digest_ = 0;
};

std::string settingOf(const Cluster<Family>& cluster) {
  const Config& config = cluster.configs.front();
  int voters = 0;
  for (const Member& member : config.members) voters += member.observer ? 0 : 1;
  return std::to_string(voters) + " voters, tick " + std::to_string(config.tick_ms) + " ms";
}

}  // namespace

FuzzCounter::FuzzCounter() : counts_(std::make_unique<Counts>()) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((counts_->message_names[I] = std::string(std::variant_alternative_t<I, Message>::name)), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Message>>());
}
FuzzCounter::~FuzzCounter() = default;

FuzzStatistics FuzzCounter::statistics() const {
  FuzzStatistics all = counts_->sums;
  for (const auto& [key, count] : counts_->steps) {
    std::string input(enumName(key.kind));
    if (key.kind == Kind::delivered) input = counts_->message_names[key.what];
    if (key.kind == Kind::timer) input = enumName(static_cast<TimerKind>(key.what));
    all.coverage[place(key.role, key.phase) + ", " + input] += count;
  }
  for (const auto& [ends, count] : counts_->transitions) {
    const auto& [role, phase, to_role, to_phase] = ends;
    all.transitions[place(role, phase) + " > " + place(to_role, to_phase)] += count;
  }
  for (std::size_t i = 0; i < counts_->lost.size(); ++i) {
    if (counts_->lost[i] > 0) all.lost[counts_->message_names[i]] += counts_->lost[i];
  }
  for (const auto& [kind, count] : counts_->fired) all.fired[std::string(kind)] += count;
  return all;
}

RunOutcome runCounted(const LoadedScenario& scenario, const Judgement& judgement, FuzzCounter& counter,
                      std::uint64_t seed, std::unique_ptr<ChoiceSource> source, std::vector<Choice>* made) {
  FuzzCounter::Counts& counts = *counter.counts_;
  RunOutcome outcome;
  ScenarioRun<Family> run(scenario, makeSetup<Family>(scenario), {}, std::move(source));
  const auto monitors = allMonitors(run.cluster());
  const auto fail = [&](Failure failure) {
    const auto& only = judgement.only;
    const bool wanted = only.empty() || std::find(only.begin(), only.end(), failure.what) != only.end();
    if (wanted && !outcome.failure) outcome.failure = std::move(failure);
  };
  monitors->on_violation = [&](std::size_t i) {
    const auto& monitor = *monitors->monitors()[i];
    fail({std::string(monitor.info().name), *monitor.violation(), run.simulator().now()});
  };
  run.watch(*monitors);
  Watcher watcher(run, judgement, counts, settingOf(run.cluster()), seed % 64 == 0);
  run.watch(watcher);
  try {
    run.executeBare([&] { return outcome.failure || watcher.hasEnded(); }, made != nullptr);
  } catch (const EndlessRun& endless) {
    fail({endless_exchange, endless.what(), run.simulator().now()});
  }
  watcher.finish();
  if (watcher.failure()) fail(*watcher.failure());
  outcome.slow_election_ms = watcher.slowElectionMs();
  if (outcome.slow_election_ms > 0)
    counts.sums.slow_elections[static_cast<std::int64_t>(seed)] =
        static_cast<std::uint64_t>(outcome.slow_election_ms);
  if (!outcome.failure && !judgement.probes.empty() && !watcher.recovered() && !watcher.othersServe()) {
    outcome.unable = watcher.unableToStart();
    const std::string left = watcher.allAnswered()
                                 ? "a client of the core is not answered"
                                 : std::to_string(watcher.waiting().size()) + " of " +
                                       std::to_string(judgement.probes.size()) +
                                       " servers of the core do not answer a write, a read and a sync";
    fail({outcome.unable.empty() ? "stall: no service" : stall_unable,
          left + " within 180 s after the last fault", run.simulator().now()});
  }
  if (made != nullptr) *made = run.choices().made();
  outcome.actions = run.simulator().applied();
  outcome.virtual_ms = run.simulator().now();
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
    if (!run.stepDone(i)) continue;
    const StepSpec& step = scenario.spec.steps[i];
    if (step.when) ++counts.fired["crash_point"];
    if (step.hold) ++counts.fired["clog"];
    if (step.clock) ++counts.fired["clock"];
    if (step.disk && step.disk->fault == "stall") ++counts.fired["disk_stall"];
  }
  return outcome;
}

void notePlan(FuzzStatistics& statistics, const DrawnRun& drawn) {
  for (const StepSpec& step : drawn.scenario.steps) {
    const auto plan = [&](const char* kind) { ++statistics.planned[kind]; };
    if (step.when) plan("crash_point");
    if (step.kill || step.crash || step.stop) plan("kill");
    if (step.power_loss) plan("power_loss");
    if (step.pause) plan("pause");
    if (step.cut || step.partition) plan("cut");
    if (step.break_) plan("disconnect");
    if (step.hold) plan("clog");
    if (step.clock) plan("clock");
    if (step.disk && step.disk->fault == "error") plan("disk_error");
    if (step.disk && step.disk->fault == "stall") plan("disk_stall");
  }
}

}  // namespace zablab::zab
