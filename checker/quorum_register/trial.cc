#include "checker/quorum_register/trial.h"

#include <algorithm>
#include <memory>

#include "checker/quorum_register/monitors.h"
#include "protocol/reflect.h"

namespace zablab::quorum_register {
namespace {

constexpr ServerId first_client = 1000;

/// What is asked about requests and datagrams.
enum Topic : std::uint8_t { when, what, skew, fate, cuts, cut_when, cut_whom, cut_long };

Cluster<Family> clusterOf(const Trial& trial) {
  Cluster<Family> cluster{
      .ids = {}, .clients = static_cast<std::size_t>(trial.clients), .rules = trial.rules};
  Config config;
  config.read_quorum = trial.read_quorum;
  config.write_quorum = trial.write_quorum;
  for (int id = 1; id <= trial.homes + trial.stand_ins; ++id) {
    (id <= trial.homes ? config.homes : config.stand_ins).push_back(id);
    cluster.ids.push_back(id);
  }
  cluster.configs.assign(cluster.ids.size(), config);
  config.client = true;
  for (int i = 0; i < trial.clients; ++i) {
    cluster.ids.push_back(first_client + i);
    cluster.configs.push_back(config);
  }
  cluster.scripted.assign(cluster.ids.size(), false);
  for (const auto& link : Family::links) cluster.links.push_back(link.kind);
  return cluster;
}

/// Lets clients ask, and lets datagrams and the network misbehave while they do.
class Driver : public Listener<Family> {
 public:
  Driver(const Trial& trial, const Cluster<Family>& cluster, Simulator<Family>& simulator, Choices& choices,
         TrialOutcome& outcome)
      : trial_(trial), cluster_(cluster), simulator_(simulator), choices_(choices), outcome_(outcome) {}

  void arm() {
    simulator_.listen(*this);
    for (int i = 0; i < trial_.clients; ++i) plan(i);
    const std::int64_t count = within(cuts, no_server, trial_.cut_off.lo, trial_.cut_off.hi);
    for (std::int64_t i = 0; i < count; ++i) {
      const Millis at = draw(cut_when, no_server, trial_.busy_ms);
      const int whom = static_cast<int>(draw(cut_whom, no_server, cluster_.serverCount()));
      const Millis until = at + draw(cut_long, no_server, trial_.cut_off_ms);
      simulator_.at(at, [this, whom] { cut(whom, ActionKind::cut); });
      simulator_.at(until, [this, whom] { cut(whom, ActionKind::heal); });
    }
    for (const Millis at : {trial_.length_ms / 2, trial_.length_ms / 4 * 3})
      simulator_.at(at, [this] { ask(0, Operation::read, 0); });
  }

  void on(const Happened<Family>& seen) override {
    if (seen.kind == Kind::sent && simulator_.now() < trial_.busy_ms) return decide(seen);
    if (seen.kind != Kind::event) return;
    if (const auto* answered = std::get_if<Answered>(seen.event)) {
      ++outcome_.answers[std::string(enumName(answered->operation)) + " " +
                         std::string(enumName(answered->outcome))];
    } else if (const auto* repaired = std::get_if<Repaired>(seen.event)) {
      ++outcome_.happened["repair " + std::string(enumName(repaired->when))];
    } else if (const auto* hinted = std::get_if<Hinted>(seen.event)) {
      ++outcome_.happened[hinted->handed_over ? "handed over" : "stood in"];
    } else if (const auto* weighed = std::get_if<Weighed>(seen.event)) {
      ++outcome_.happened["told of " + std::string(enumName(weighed->reason))];
    }
  }

 private:
  std::int64_t draw(Topic topic, ServerId of, std::int64_t options) {
    return within(topic, of, 0, options - 1);
  }
  std::int64_t within(Topic topic, ServerId of, std::int64_t lo, std::int64_t hi) {
    return choices_.within({ChoiceKind::workload, topic, of}, lo, hi);
  }

  void plan(int client) {
    const ServerId id = first_client + client;
    const Millis off = draw(skew, id, 2 * trial_.skew_ms + 1) - trial_.skew_ms;
    for (std::int64_t i = 0; i < trial_.requests / trial_.clients; ++i) {
      const Millis at = draw(when, id, trial_.busy_ms);
      const bool write = draw(what, id, 1000) < trial_.writes_permille && (!trial_.one_writer || client == 0);
      simulator_.at(
          at, [this, client, write, off] { ask(client, write ? Operation::write : Operation::read, off); });
    }
  }

  void ask(int client, Operation operation, Millis off) {
    ++numbers_;
    simulator_.apply({.kind = ActionKind::ask,
                      .a = cluster_.serverCount() + client,
                      .request = {.operation = operation,
                                  .value = operation == Operation::write ? numbers_ : 0,
                                  .number = numbers_,
                                  .clock = simulator_.now() + off + trial_.skew_ms + 1}});
  }

  /// Whether a datagram that was just sent is lost, or comes twice. It happens when the step is over.
  void decide(const Happened<Family>& seen) {
    if (seen.how == SentHow::copy) return;
    const std::int64_t drawn =
        choices_.within({ChoiceKind::workload, fate, cluster_.ids[at(seen.from)], seen.to}, 0, 999);
    const bool lost = drawn >= 1000 - trial_.lost_permille;
    const bool doubled = !lost && drawn >= 1000 - trial_.lost_permille - trial_.doubled_permille;
    if (!lost && !doubled) return;
    const ActionKind kind = lost ? ActionKind::drop : ActionKind::duplicate;
    simulator_.at(simulator_.now(),
                  [this, kind, from = seen.from, to = cluster_.indexOf(seen.to), number = seen.message] {
                    const auto& wire = simulator_.store().channel(quorum_link, from, to).wire;
                    for (std::size_t position = 0; position < wire.size(); ++position) {
                      if (simulator_.messageAt(quorum_link, from, to, position) != number) continue;
                      ++outcome_.happened[std::string(enumName(kind))];
                      return simulator_.apply({.kind = kind,
                                               .link = quorum_link,
                                               .a = from,
                                               .b = to,
                                               .position = static_cast<std::uint32_t>(position)});
                    }
                  });
  }

  void cut(int server, ActionKind kind) {
    ++outcome_.happened[std::string(enumName(kind))];
    for (int i = cluster_.serverCount(); i < simulator_.store().size(); ++i) {
      simulator_.apply({.kind = kind, .a = server, .b = i});
      simulator_.apply({.kind = kind, .a = i, .b = server});
    }
  }

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  const Trial& trial_;
  const Cluster<Family>& cluster_;
  Simulator<Family>& simulator_;
  Choices& choices_;
  TrialOutcome& outcome_;
  std::int64_t numbers_ = 0;
};

bool isConverged(const Cluster<Family>& cluster, const Simulator<Family>& simulator) {
  const auto nodeOf = [&](int i) -> const Node& { return simulator.store().server(i).node; };
  const Stored& first = nodeOf(cluster.indexOf(cluster.configs.front().homes.front())).stored;
  for (int i = 0; i < cluster.serverCount(); ++i) {
    const bool home = cluster.configs.front().isHome(cluster.ids[static_cast<std::size_t>(i)]);
    if (!simulator.store().isUp(i) || !nodeOf(i).hints.empty() || (home && nodeOf(i).stored != first))
      return false;
  }
  return true;
}

}  // namespace

Trial underFaults(const Rules& rules) {
  Trial trial{.rules = rules};
  trial.knobs.begin_ms = {0, trial.busy_ms};
  trial.knobs.kills = {0, 2};
  trial.knobs.power_losses = {0, 2};
  trial.knobs.pauses = {0, 2};
  trial.knobs.strikes = {0, 2};
  trial.knobs.strike_at = {1, 40};
  trial.knobs.down_ms = {50, 1500};
  trial.knobs.paused_ms = {50, 1500};
  return trial;
}

TrialOutcome runTrial(const Trial& trial, std::uint64_t seed) {
  const Cluster<Family> cluster = clusterOf(trial);
  Choices choices(std::make_unique<SeededChoices>(seed),
                  [](ChoiceKind, std::uint8_t) { return std::string(); });
  choices.remember(false);
  Simulator<Family> simulator(cluster, {.latency = {trial.latency}}, choices);
  TrialOutcome outcome;
  const auto monitors = allMonitors(cluster);
  simulator.listen(*monitors);
  Driver driver(trial, cluster, simulator, choices, outcome);
  FaultPlan<Family> faults(cluster, simulator, choices, swarm(trial.knobs, choices));
  faults.arm();
  for (int i = 0; i < simulator.store().size(); ++i) simulator.apply({.kind = ActionKind::start, .a = i});
  driver.arm();
  simulator.run(trial.length_ms);

  outcome.actions = simulator.applied();
  outcome.converged = isConverged(cluster, simulator);
  for (const auto& monitor : monitors->monitors()) {
    const std::string name(monitor->info().name);
    outcome.obligations[name] = monitor->obligations();
    if (monitor->violation()) outcome.violations[name] = *monitor->violation();
  }
  return outcome;
}

}  // namespace zablab::quorum_register
