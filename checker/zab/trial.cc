#include "checker/zab/trial.h"

#include <memory>

namespace zablab::zab {
namespace {

constexpr ServerId first_client = 1000;

/// What is asked about a request. Addresses name them by their numbers.
enum Topic : std::uint8_t { when, what, turns, where };

Cluster<Family> clusterOf(const Trial& trial) {
  Cluster<Family> cluster{
      .ids = {}, .clients = static_cast<std::size_t>(trial.clients), .rules = trial.rules};
  for (const Member& member : trial.config.members) {
    cluster.ids.push_back(member.id);
    cluster.configs.push_back({trial.config, false});
  }
  for (int i = 0; i < trial.clients; ++i) {
    cluster.ids.push_back(first_client + i);
    cluster.configs.push_back({trial.config, true});
  }
  cluster.scripted.assign(cluster.ids.size(), false);
  for (const auto& link : Family::links) cluster.links.push_back(link.kind);
  return cluster;
}

/// Lets clients ask: each turns to another server now and then.
class Workload {
 public:
  Workload(const Trial& trial, const Cluster<Family>& cluster, Simulator<Family>& simulator, Choices& choices)
      : trial_(trial), cluster_(cluster), simulator_(simulator), choices_(choices) {}

  void arm() {
    for (int i = 0; i < trial_.clients; ++i) plan(cluster_.serverCount() + i);
  }

 private:
  std::int64_t draw(Topic topic, ServerId client, std::int64_t options) {
    return static_cast<std::int64_t>(
        choices_.draw({ChoiceKind::workload, topic, client}, static_cast<std::uint64_t>(options)));
  }

  void plan(int client) {
    const ServerId id = cluster_.ids[static_cast<std::size_t>(client)];
    const int requests = trial_.requests / trial_.clients;
    for (int i = 0; i < requests; ++i) {
      const Millis at = draw(when, id, trial_.busy_ms);
      const std::int64_t kind = draw(what, id, 10);
      const bool turn = i == 0 || draw(turns, id, 4) == 3;
      const std::int64_t server = draw(where, id, cluster_.serverCount());
      simulator_.at(at, [this, client, kind, turn, server] {
        if (turn || !simulator_.store().server(client).node.client->server) {
          ask(client, {Operation::connect, 0, 0, cluster_.ids[static_cast<std::size_t>(server)]});
        }
        const Operation operation = kind < 7 ? Operation::put : kind < 9 ? Operation::read : Operation::sync;
        ++numbers_;
        ask(client, {operation, numbers_, numbers_, no_server});
      });
    }
  }

  void ask(int client, const Request& request) {
    simulator_.apply({.kind = ActionKind::ask, .a = client, .request = request});
  }

  const Trial& trial_;
  const Cluster<Family>& cluster_;
  Simulator<Family>& simulator_;
  Choices& choices_;
  std::int64_t numbers_ = 0;
};

/// Counts what a run is for.
class Tally : public Listener<Family> {
 public:
  explicit Tally(TrialOutcome& outcome) : outcome_(outcome) {}
  void on(const Happened<Family>& happened) override {
    if (happened.kind != Kind::event) return;
    if (std::holds_alternative<Established>(*happened.event)) ++outcome_.established;
    const auto* answered = std::get_if<Answered>(happened.event);
    if (answered != nullptr && answered->outcome == Outcome::ok) ++outcome_.answered;
  }

 private:
  TrialOutcome& outcome_;
};

bool isMilestone(const Happened<Family>& happened) {
  return happened.kind == Kind::event && (std::holds_alternative<RoleChanged>(*happened.event) ||
                                          std::holds_alternative<PhaseChanged>(*happened.event) ||
                                          std::holds_alternative<Established>(*happened.event));
}

}  // namespace

Config ensembleOf(int voters, int observers) {
  Config config;
  for (int id = 1; id <= voters + observers; ++id)
    config.members.push_back({.id = id, .observer = id > voters});
  return config;
}

Trial underFaults(Config config, Millis faults_until_ms) {
  Trial trial;
  trial.config = std::move(config);
  trial.config.tick_ms = 200;
  trial.knobs = knobsOf(FaultPreset::everything);
  trial.knobs.begin_ms = {0, faults_until_ms};
  trial.knobs.strikes = {0, 3};
  return trial;
}

TrialOutcome runTrial(const Trial& trial, std::uint64_t seed) {
  const Cluster<Family> cluster = clusterOf(trial);
  Choices choices(std::make_unique<SeededChoices>(seed),
                  [](ChoiceKind, std::uint8_t) { return std::string(); });
  choices.remember(false);
  Simulator<Family> simulator(
      cluster, {.latency = {trial.latency, trial.latency, trial.latency}, .fsync = trial.fsync}, choices);
  TrialOutcome outcome;
  const auto monitors = allMonitors(cluster);
  simulator.listen(*monitors);
  Tally tally(outcome);
  simulator.listen(tally);
  FaultPlan<Family> faults(cluster, simulator, choices, swarm(trial.knobs, choices), &isMilestone);
  faults.arm();
  for (int i = 0; i < simulator.store().size(); ++i) simulator.apply({.kind = ActionKind::start, .a = i});
  Workload workload(trial, cluster, simulator, choices);
  workload.arm();
  simulator.run(trial.length_ms);

  outcome.actions = simulator.applied();
  for (int i = 0; i < cluster.serverCount(); ++i) {
    const Node& node = simulator.store().server(i).node;
    outcome.serving = outcome.serving || (node.role == Role::LEADING && node.serves());
  }
  for (const auto& monitor : monitors->monitors()) {
    const std::string name(monitor->info().name);
    outcome.obligations[name] = monitor->obligations();
    if (monitor->violation()) outcome.violations[name] = *monitor->violation();
  }
  return outcome;
}

}  // namespace zablab::zab
