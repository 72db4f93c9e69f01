#include "checker/kafka/fuzz_run.h"

#include <algorithm>
#include <map>

#include "checker/fuzz/swarm.h"
#include "checker/fuzz/watcher_of.h"
#include "checker/kafka/rest.h"
#include "sim/kafka/binding.h"

namespace zablab {
namespace kafka {
namespace {

class KafkaSwarm : public Swarm {
 public:
  using Swarm::Swarm;

 private:
  /// The family's own topics.
  enum : std::uint8_t { sessions_lost = Topic::first_free, operators, assignments, replication };

  std::string mainLink() const override { return "session"; }
  std::string otherLink() const override { return "broker"; }
  std::array<int, 4> voterCounts() const override { return {2, 3, 3, 4}; }
  std::array<int, 5> observerCounts() const override { return {1, 1, 1, 1, 1}; }
  bool needsObservers() const override { return true; }
  std::size_t coreMin() const override { return 1; }
  Json observer() const override { return {{"kind", "zookeeper"}}; }
  std::vector<std::string> struck() const override {
    return names({zookeeper::ClientRequest::name, zookeeper::Reply::name, zookeeper::Reply::name,
                  zookeeper::WatchEvent::name, zookeeper::ConnectRequest::name,
                  zookeeper::ConnectResponse::name, ControllerRequest::name, Fetch::name, FetchResponse::name,
                  Produce::name});
  }
  std::vector<std::string> clogged() const override { return struck(); }

  Json drawConfig() override {
    Draws draws = drawsOf(Topic::timing);
    const Millis timeout = draws.of(2, std::array<Millis, 3>{1000, 1500, 2000});
    Json config{{"tick_ms", 500}, {"session_timeout_ms", timeout}};
    if (has(assignments, "assignment")) config["assignment"] = drawsOf(assignments).shuffled(1, voters());
    Draws replicas = drawsOf(replication);
    config["replica_lag_ms"] = replicas.of(1, std::array<Millis, 3>{400, 1000, 3000});
    config["fetch_wait_ms"] = replicas.of(2, std::array<Millis, 2>{50, 200});
    config["min_isr"] = replicas(3, 1, 2);
    // A session ends, and another one begins, with reconnections in between.
    quiet_ms = 2 * timeout + 5500;
    slow_ms_max = timeout / 5;
    read_after_ms = 2 * next_ask_ms;
    return config;
  }

  CrashPoint drawPlace(Draws& draws) override {
    CrashPoint point{.where = anyone(draws, 2), .when = {}};
    Json event{{"node", point.where}};
    const std::int64_t kind = draws(3, 0, 9);
    if (kind < 6) {
      point.sends = kind >= 3;
      event["kind"] = point.sends ? "sent" : "delivered";
      event["type"] = draws.of(6, struck());
    } else {
      event["kind"] =
          draws.of(7, names({ControllerElected::name, BrokersSeen::name, LeaderChosen::name,
                             zookeeper::Watched::name, Registered::name, Resigned::name, RoleChanged::name,
                             IsrChanged::name, HighWatermarkRaised::name, Truncated::name}));
    }
    return placedAt(draws, std::move(point), std::move(event));
  }

  void drawWorkload() override {
    Draws draws = drawsOf(Topic::workload);
    const ServerId client = first_client;
    scenario().clients.push_back({.id = client, .name = {}, .server = {}});
    for (std::int64_t burst = draws(2, 1, 3); burst > 0; --burst) {
      const Millis when = draws(3, 300, chaosMs());
      const std::int64_t times = draws(6, 1, 6);
      const Millis every = draws(7, 50, 800);
      ask(when, client, {{"metadata", true}}, times, every);
    }
    // Producers and a consumer ask all brokers who leads.
    Draws records = drawsOf(replication);
    for (ServerId producer = first_client + 2; producer < first_client + 4; ++producer) {
      scenario().clients.push_back({.id = producer, .name = {}});
      for (std::int64_t burst = records(4, 1, 4); burst > 0; --burst) {
        Json produce{{"produce", "all"}};
        if (records.chance(5, 250))
          produce["produce"] = records.of(6, std::array<const char*, 2>{"leader", "none"});
        // At a broker that may not lead, or no longer.
        if (records.chance(13, 150)) produce["to"] = records.of(14, voters());
        const Millis when = records(7, 300, chaosMs());
        const std::int64_t times = records(8, 1, 8);
        ask(when, producer, produce, times, records(9, 20, 500));
      }
      Json consume{{"consume", true}};
      if (records.chance(15, 300)) consume["consume"] = records.of(16, voters());
      ask(records(10, 300, chaosMs()), producer, consume, 2, 700);
    }
    if (records.chance(11, 600))
      ask(records(12, 300, chaosMs()), first_client + 2, {{"elect_preferred", true}}, 3, 1100);
  }

  /// Brokers lose their sessions, or pause for as long; an operator deletes /controller.
  void drawMore() override {
    if (has(sessions_lost, "sessions_lost")) {
      Draws draws = drawsOf(sessions_lost);
      const ServerId store = servers().back();
      for (std::int64_t count = draws(1, 1, 4); count > 0; --count) {
        const ServerId who = draws.of(2, voters());
        const Millis when = draws(3, 300, chaosMs() - 500);
        const Millis end = std::min(when + draws(4, 300, longest_ms), chaosMs());
        if (draws.chance(5, 400)) {
          at(when) = step::Pause{id(who)};
          at(end) = step::Resume{id(who)};
          continue;
        }
        cutBetween(who, store, when, end);
      }
    }
    if (has(operators, "operator")) {
      Draws draws = drawsOf(operators);
      const ServerId client = first_client + 1;
      scenario().clients.push_back({.id = client, .name = {}, .server = {}});
      for (std::int64_t count = draws(1, 1, 4); count > 0; --count)
        ask(draws(2, 300, chaosMs()), client, {{"delete_controller", true}}, 1, 0);
    }
  }

  /// Each probe asks its broker who leads; that of ZooKeeper's server asks the last one of the core.
  Json turn(ServerId server) const override {
    if (server != servers().back()) turned_to_ = server;
    return {{"connect", turned_to_}};
  }

  void drawProbe(ServerId probe, Millis first_ask, Millis every) override {
    const std::int64_t times = recovery_ms / every - 1;
    ask(first_ask, probe, {{"metadata", true}}, times, every);
    ask(first_ask + next_ask_ms, probe, {{"consume", true}}, times, every);
    // The last one: followers may take long to have it.
    ask(first_ask + 2 * next_ask_ms, probe, {{"produce", "all"}}, times, every);
    expectAnswer({{"kind", "metadata_answered"}, {"node", probe}, {"outcome", "ok"}});
  }

  /// From one request of a probe to the next: a client has one at a time.
  static constexpr Millis next_ask_ms = 450;
  mutable ServerId turned_to_ = no_server;
};

/// In addition to what all cores have to do: one of its brokers acts as the controller, sees all of them
/// alive, and all of them have accepted its last request. If one that is in sync belongs to the core, it
/// leads or follows, all of the core are in sync, with the same records, all committed, and each probe's
/// record is acknowledged; otherwise nobody leads. And nobody is elected any more.
class Watcher : public FuzzWatcherOf<Family> {
 public:
  using FuzzWatcherOf::FuzzWatcherOf;

 private:
  void said(const Happened<Family>& h) override {
    if (const auto* produced = get_if<Produced>(h.event)) {
      produced_[idOf(h.node)] = produced->outcome;
    } else if (const auto* consumed = get_if<Consumed>(h.event)) {
      consumed_[idOf(h.node)] = consumed->outcome;
    } else if (holds_alternative<ControllerElected>(*h.event) || holds_alternative<LeaderChosen>(*h.event) ||
               holds_alternative<RoleChanged>(*h.event) || holds_alternative<IsrChanged>(*h.event)) {
      if (isCore(h.node)) changed_at_ = now();
    }
  }

  std::optional<Failure> isUnsettled() const override {
    std::vector<const Node*> brokers;
    const Node* store = nullptr;
    for (int i = 0; i < run_.cluster().serverCount(); ++i) {
      if (isCore(i) && node(i).broker) brokers.push_back(&node(i));
      if (run_.cluster().configs[static_cast<std::size_t>(i)].kind == NodeKind::zookeeper) store = &node(i);
    }
    if (const auto lacks = unsettled(brokers, *store)) return failureOf(*lacks);
    const Config& config = run_.cluster().configs.front();
    const auto unfit = unreplicated(brokers, *store, config.assignment);
    if (unfit) return Failure{"stall: " + std::string(describe(*unfit)), "in the core", now()};
    if (const auto failure = unserved(brokers, config)) return failure;
    const Millis calm_ms = judgement_.quiet_ms - 2500;
    if (now() < changed_at_ + calm_ms)
      return Failure{"stall: elections go on", "leaders or replicas in sync of the core still change", now()};
    return std::nullopt;
  }

  Failure failureOf(const Unsettled& lacks) const {
    const std::string who = "server " + std::to_string(lacks.broker);
    switch (lacks.what) {
      case Lacking::controller:
        return {"stall: no controller", "no broker of the core acts as the controller", now()};
      case Lacking::registration:
        return {"stall: a broker is not registered", who + " is not among the live brokers", now()};
      case Lacking::update: break;
    }
    return {"stall: a broker is not up to date", who + " has not accepted the controller's last request",
            now()};
  }

  /// What the probes were answered last.
  std::optional<Failure> unserved(const std::vector<const Node*>& brokers, const Config& config) const {
    const bool leads = std::any_of(brokers.begin(), brokers.end(), [](const Node* node) {
      return node->broker->replica.role == ReplicaRole::leader;
    });
    const Outcome expected = leads ? Outcome::ok : Outcome::not_leader;
    // A slow one may leave the ISR with each record, and join it again.
    const bool refused = leads && config.min_isr > 1;
    for (const ServerId probe : judgement_.probes) {
      const auto last = [&](const std::map<ServerId, Outcome>& outcomes) {
        const auto found = outcomes.find(probe);
        return found == outcomes.end() ? Outcome::unanswered : found->second;
      };
      const bool written =
          last(produced_) == expected || (refused && last(produced_) == Outcome::not_enough_replicas);
      if (written && last(consumed_) == expected) continue;
      return Failure{"stall: a record is not served",
                     "client " + std::to_string(probe) + " cannot produce or read a record", now()};
    }
    return std::nullopt;
  }

  std::map<ServerId, Outcome> produced_;
  std::map<ServerId, Outcome> consumed_;
  Millis changed_at_ = 0;  ///< the last election, or change of who is in sync
};

}  // namespace
}  // namespace kafka

using Fuzz = FuzzOf<kafka::Family>;

std::string Fuzz::placeName(std::uint32_t place) {
  if (place == 0) return "no broker";
  const std::uint32_t broker = (place - 1) / replica_roles;
  const auto stage = static_cast<kafka::Stage>(broker / 2);
  const auto role = static_cast<kafka::ReplicaRole>((place - 1) % replica_roles);
  return std::string(enumName(stage)) + (broker % 2 == 1 ? ", controller" : "") +
         (role == kafka::ReplicaRole::none ? "" : ", replica: " + std::string(enumName(role)));
}

std::uint32_t Fuzz::answered(const F::Event& event) {
  // Whether it is the right answer is examined at rest.
  const auto bit = [](kafka::Operation operation, kafka::Outcome outcome) {
    const bool answered = outcome != kafka::Outcome::unanswered && outcome != kafka::Outcome::no_controller;
    return answered ? 1U << static_cast<unsigned>(operation) : 0;
  };
  if (const auto* one = get_if<kafka::MetadataAnswered>(&event))
    return bit(kafka::Operation::metadata, one->outcome);
  if (const auto* one = get_if<kafka::Produced>(&event)) return bit(kafka::Operation::produce, one->outcome);
  if (const auto* one = get_if<kafka::Consumed>(&event)) return bit(kafka::Operation::consume, one->outcome);
  return 0;
}

std::pair<ServerId, bool> Fuzz::clientOf(const F::Node& node) {
  if (!node.client) return {no_server, false};
  return {node.client->server, node.client->asked.has_value()};
}

std::string Fuzz::settingOf(const Cluster<F>& cluster) {
  const kafka::Config& config = cluster.configs.front();
  return std::to_string(config.brokers.size()) + " brokers, session timeout " +
         std::to_string(config.session_timeout_ms) + " ms";
}

DrawnRun Fuzz::draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable) {
  return kafka::KafkaSwarm(shape, choices, unable).draw();
}

std::unique_ptr<FuzzWatcher> Fuzz::watcher(const FuzzRun& run) {
  return std::make_unique<kafka::Watcher>(run);
}

}  // namespace zablab
