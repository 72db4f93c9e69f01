#include "checker/sentinel/fuzz_run.h"

#include <algorithm>
#include <map>

#include "checker/fuzz/swarm.h"
#include "checker/fuzz/watcher_of.h"
#include "sim/sentinel/binding.h"

namespace zablab {
namespace sentinel {
namespace {

class SentinelSwarm : public Swarm {
 public:
  using Swarm::Swarm;

 private:
  /// The family's own topics.
  enum : std::uint8_t {
    master_down = Topic::first_free,
    newcomers,
    far_quorum,
    priorities,
    uninformed,
    lost_server,
    few_replicas,
    reads
  };

  std::string mainLink() const override { return "sentinel"; }
  std::string otherLink() const override { return "replication"; }
  std::array<int, 4> voterCounts() const override { return {3, 3, 4, 5}; }
  std::array<int, 5> observerCounts() const override { return {2, 2, 3, 3, 4}; }
  bool needsObservers() const override { return true; }
  Json observer() const override { return {{"kind", "redis"}}; }
  std::vector<std::string> struck() const override {
    return names({IsMasterDown::name, IsMasterDownReply::name, IsMasterDown::name, IsMasterDownReply::name,
                  ReplicaOf::name, Hello::name, InfoReply::name});
  }
  std::vector<std::string> clogged() const override { return struck(); }

  Json drawConfig() override {
    Draws draws = drawsOf(Topic::timing);
    const Millis down_after = draws.of(2, std::array<Millis, 3>{600, 800, 1000});
    const Millis info = draws.of(3, std::array<Millis, 2>{1000, 2000});
    // Sentinels that do not hear of each other's failovers have long ones, so that these overlap.
    uninformed_ = has(uninformed, "uninformed");
    const Millis drawn_timeout = draws.of(4, std::array<Millis, 3>{1000, 2000, 5000});
    const Millis failover_timeout = uninformed_ ? 5000 : drawn_timeout;
    Json config{{"down_after_ms", down_after},
                {"failover_timeout_ms", failover_timeout},
                {"info_ms", info},
                {"hello_ms", 500},
                {"tilt_ms", 3000}};
    if (has(far_quorum, "far_quorum"))
      config["quorum"] = drawsOf(far_quorum)(1, 1, static_cast<std::int64_t>(quorum()));
    // A failover, perhaps at the second attempt, and the correction of who follows another master.
    quiet_ms = 2 * failover_timeout + 2 * (down_after + 2 * info) + 8000;
    slow_ms_max = down_after / 5;
    read_after_ms = 1050;  // the client is not busy any more
    if (drawsOf(Topic::timing).chance(5, 500)) config["parallel_syncs"] = 2;
    if (servers().size() > voters().size() + 2 && has(lost_server, "lost_server"))
      lost_ = drawsOf(lost_server)(1, voters().back() + 1, servers().back());
    few_replicas_ = has(few_replicas, "few_replicas");
    if (few_replicas_) {
      config["min_replicas_to_write"] = 1;
      config["min_replicas_max_lag_ms"] =
          drawsOf(few_replicas).of(1, std::array<Millis, 3>{1000, 2000, 3000});
    }
    if (has(newcomers, "newcomers")) drawNewcomers();
    if (has(priorities, "priorities")) {
      for (const ServerId server : servers()) {
        if (server > voters().back()) configure(server, {{"priority", drawsOf(priorities)(1, 1, 3)}});
      }
    }
    return config;
  }

  /// The last sentinels begin with all others; the first ones have not heard of them.
  void drawNewcomers() {
    const auto all = static_cast<std::int64_t>(voters().size());
    const std::int64_t old = drawsOf(newcomers)(1, 1, all - 1);
    Json known = Json::array();
    for (std::int64_t i = 0; i < old; ++i) known.push_back(voters()[static_cast<std::size_t>(i)]);
    for (std::int64_t i = 0; i < old; ++i)
      configure(voters()[static_cast<std::size_t>(i)], {{"known", known}});
  }

  /// Sets fields of a server's own configuration.
  void configure(ServerId server, Json fields) {
    for (ServerSpec& spec : scenario().servers->list) {
      if (spec.id == server) spec.config = json(std::move(fields));
    }
  }

  CrashPoint drawPlace(Draws& draws) override {
    CrashPoint point{.where = anyone(draws, 2), .when = {}};
    Json event{{"node", point.where}};
    const std::int64_t kind = draws(3, 0, 9);
    if (kind < 3) {
      event["kind"] = "written";
      event["record"] = draws.of(
          5, names({SaveEpoch::name, SaveVote::name, SaveVote::name, SaveConfig::name, SaveMaster::name}));
      point.writes = true;
    } else if (kind < 7) {
      point.sends = kind >= 5;
      event["kind"] = point.sends ? "sent" : "delivered";
      event["type"] = draws.of(6, struck());
    } else {
      event["kind"] =
          draws.of(7, names({SubjectivelyDown::name, TryFailover::name, VoteDecided::name, Elected::name,
                             ReplicaSelected::name, Promoted::name, SwitchMaster::name}));
    }
    return placedAt(draws, std::move(point), std::move(event));
  }

  void drawWorkload() override {
    Draws draws = drawsOf(Topic::workload);
    const std::int64_t clients = draws(0, 1, 2);
    for (std::int64_t i = 0; i < clients; ++i) {
      const ServerId client = first_client + i;
      scenario().clients.push_back({.id = client, .name = {}, .server = {}});
      for (std::int64_t burst = draws(2, 2, 5); burst > 0; --burst) {
        const Millis when = draws(3, 300, chaosMs());
        const std::int64_t times = draws(6, 1, 6);
        const Millis every = draws(7, 5, 400);
        ask(when, client, {{"write", true}}, times, every);
      }
      drawReads(client);
    }
  }

  /// At the master, or at a server that the client is sent to.
  void drawReads(ServerId client) {
    Draws draws = drawsOf(reads);
    for (std::int64_t burst = draws(1, 0, 3); burst > 0; --burst) {
      const Millis when = draws(2, 300, chaosMs());
      const std::int64_t times = draws(3, 1, 4);
      const Millis every = draws(4, 50, 400);
      const ServerId server = draws(5, voters().back() + 1, servers().back());
      ask(when, client, draws.chance(6, 500) ? Json{{"read", true}} : Json{{"read", server}}, times, every);
    }
  }

  bool isLost(ServerId server) const override { return server == lost_; }

  void drawMore() override {
    if (has(master_down, "master_down")) drawMasterDown();
    if (few_replicas_ && drawsOf(few_replicas).chance(2, 700)) drawSilentReplicas();
  }
  /// Faults that are placed at events follow each other: this one is the first.
  bool drawBeginning() override {
    if (uninformed_) drawUninformed();
    return false;
  }

  /// For a time sentinels do not receive the HELLOs of a new configuration, although everything else reaches
  /// them. One of them may restart when it has voted, and then ask for votes that arrive late.
  void drawUninformed() {
    Draws draws = drawsOf(uninformed);
    std::vector<ServerId> who = draws.shuffled(1, voters());
    const std::int64_t few = draws(2, 1, static_cast<std::int64_t>(voters().size()));
    if (draws.chance(3, 300)) who.resize(static_cast<std::size_t>(few));
    const Millis when = draws(4, 100, 1000);
    const Millis end = draws.chance(5, 700) ? chaosMs() : draws(12, chaosMs() / 2, chaosMs());
    const std::int64_t config_epoch = draws.chance(6, 200) ? 2 : 1;
    const auto hold = [&](Selector way, StepSpec::Does& does) {
      does = step::Hold{way};
      at(end) = step::Release{std::move(way)};
    };
    for (const ServerId one : who) {
      for (const ServerId other : servers()) {
        if (other == one) continue;
        hold({"hello", other, one, json({{"type", Hello::name}, {"config_epoch", config_epoch}})}, at(when));
      }
    }
    if (!draws.chance(7, 700)) return;
    const ServerId voter = draws.of(8, voters());
    StepSpec kill;
    kill.when = When{};
    kill.when->event = pattern({{"kind", VoteDecided::name}, {"node", voter}, {"granted", true}});
    kill.when->nth = draws(9, 1, 2);
    kill.when->by = end;
    kill.does = step::Kill{id(voter)};
    add(std::move(kill));
    add(after(draws(10, 20, 400), step::Start{id(voter)}));
    for (const ServerId other : voters()) {
      if (other == voter || draws.chance(11, 200)) continue;
      StepSpec held = after(0, {});
      hold({mainLink(), voter, other, json({{"type", IsMasterDown::name}, {"candidate", voter}})}, held.does);
      add(std::move(held));
    }
  }

  /// The master reaches none of its replicas any more, and clients write.
  void drawSilentReplicas() {
    const ServerId master = voters().back() + 1;
    const Millis when = drawsOf(few_replicas)(3, 500, 2000);
    for (ServerId replica = master + 1; replica <= servers().back(); ++replica)
      cutBetween(master, replica, when, chaosMs());
    ask(when, first_client, {{"write", true}}, (chaosMs() - when) / 300, 300);
  }

  /// Whoever is the master at the beginning: it dies, stands still, or is cut off.
  void drawMasterDown() {
    Draws draws = drawsOf(master_down);
    for (std::int64_t count = draws(1, 1, 2); count > 0; --count) {
      const ServerId who = count == 1 ? voters().back() + 1 : anyone(draws, 2);
      takeAway(draws, 3, who, servers(), 500, 1000);
    }
  }

  void drawProbe(ServerId probe, Millis first_ask, Millis every) override {
    const std::int64_t times = recovery_ms / every - 1;
    ask(first_ask, probe, {{"write", true}}, times, every);
    ask(first_ask + read_after_ms, probe, {{"read", true}}, times, every);
    for (const char* operation : {"write", "read"})
      expectAnswer({{"kind", "answered"}, {"node", probe}, {"operation", operation}, {"outcome", "ok"}});
  }

  bool uninformed_ = false;
  bool few_replicas_ = false;
  ServerId lost_ = no_server;  ///< a Redis server that does not come back
};

/// In addition to what all cores have to do: its sentinels know each other, follow one configuration, whose
/// master is in the core, and see no Redis server of the core down; its Redis servers obey it and have the
/// master's data, with every write that this master has accepted since it is one; and no failover begins any
/// more.
class Watcher : public FuzzWatcherOf<Family> {
 public:
  using FuzzWatcherOf::FuzzWatcherOf;

  bool mayBeLeftOut() const override { return leaderWaits(); }

 private:
  /// A leader whose promoted replica is gone before the failover has ended waits for it, and votes for
  /// nobody.
  bool leaderWaits() const {
    for (int i = 0; i < run_.cluster().serverCount(); ++i) {
      if (!isCore(i) || !node(i).sentinel) continue;
      const Sentinel& one = *node(i).sentinel;
      if (one.state == FailoverState::RECONF_REPLICAS && !isCore(indexOf(*one.promoted))) return true;
    }
    return false;
  }

  void said(const Happened<Family>& h) override {
    if (holds_alternative<TryFailover>(*h.event) && isCore(h.node)) attempt_at_ = now();
  }

  std::optional<Failure> isUnsettled() const override {
    if (leaderWaits()) return std::nullopt;  // its failover does not end, and nobody follows its configuration
    const Sentinel* first = nullptr;
    for (int i = 0; i < run_.cluster().serverCount(); ++i) {
      if (!isCore(i) || !node(i).sentinel) continue;
      const Sentinel& one = *node(i).sentinel;
      if (first == nullptr) first = &one;
      if (one.config_epoch != first->config_epoch || one.master != first->master ||
          one.current_epoch != first->current_epoch)
        return Failure{"stall: configurations differ", "sentinels of the core have different configurations",
                       now()};
      if (one.state != FailoverState::NONE)
        return Failure{"stall: a failover does not end", "a sentinel of the core is in a failover", now()};
      if (const auto failure = seesCoreDown(i)) return failure;
    }
    for (int i = 0; first != nullptr && i < run_.cluster().serverCount(); ++i) {
      if (!isCore(i) || !node(i).redis) continue;
      const Redis& one = *node(i).redis;
      if (one.master != first->master || (!one.link_up && one.master != node(i).self))
        return Failure{"stall: a server does not obey",
                       "server " + std::to_string(idOf(i)) + " does not copy the master", now()};
      const int master = indexOf(first->master);
      if (node(master).redis && one.data != node(master).redis->data)
        return Failure{"stall: data differ", "a replica does not have its master's data", now()};
    }
    // A failover that begins again and again is calm for twice its time-out at most.
    const Millis calm_ms = judgement_.quiet_ms - 4000;
    if (attempt_at_ >= 0 && now() < attempt_at_ + calm_ms)
      return Failure{"stall: failovers begin again", "a sentinel of the core has begun a failover", now()};
    return std::nullopt;
  }

  /// What a sentinel of the core still sees wrong.
  std::optional<Failure> seesCoreDown(int i) const {
    const Sentinel& one = *node(i).sentinel;
    for (int other = 0; other < run_.cluster().serverCount(); ++other) {
      if (!isCore(other) || other == i) continue;
      const auto seen = one.instances.find(idOf(other));
      if (seen == one.instances.end())
        return Failure{"stall: sentinels do not know each other",
                       "server " + std::to_string(idOf(i)) + " does not know " + std::to_string(idOf(other)),
                       now()};
      // Between sentinels a PING may have been lost with a machine: nothing makes them connect anew, as Redis
      // does after 15 s.
      if (seen->second.down && node(other).redis)
        return Failure{"stall: a server is seen down",
                       "server " + std::to_string(idOf(i)) + " sees " + std::to_string(idOf(other)) + " down",
                       now()};
    }
    if (one.odown || !isCore(indexOf(one.master)))
      return Failure{"stall: no master", "the master of the core is down, or outside it", now()};
    return std::nullopt;
  }

  Millis attempt_at_ = -1;
};

}  // namespace
}  // namespace sentinel

using Fuzz = FuzzOf<sentinel::Family>;

std::string Fuzz::placeName(std::uint32_t place) {
  switch (place) {
    case 0: return "blank";
    case 100: return "master";
    case 101: return "replica";
    case 102: return "replica without a link";
    default: return std::string(enumName(static_cast<sentinel::FailoverState>(place - 1)));
  }
}

std::uint32_t Fuzz::answered(const F::Event& event) {
  const auto* answer = get_if<sentinel::Answered>(&event);
  return answer != nullptr && answer->outcome == sentinel::Outcome::ok
             ? 1U << static_cast<unsigned>(answer->operation)
             : 0;
}

std::pair<ServerId, bool> Fuzz::clientOf(const F::Node& node) {
  if (!node.client) return {no_server, false};
  return {node.client->sentinel, node.client->request.has_value()};
}

std::string Fuzz::settingOf(const Cluster<F>& cluster) {
  const sentinel::Config& config = cluster.configs.front();
  return std::to_string(config.sentinels.size()) + " sentinels, down after " +
         std::to_string(config.down_after_ms) + " ms";
}

DrawnRun Fuzz::draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable) {
  return sentinel::SentinelSwarm(shape, choices, unable).draw();
}

std::unique_ptr<FuzzWatcher> Fuzz::watcher(const FuzzRun& run) {
  return std::make_unique<sentinel::Watcher>(run);
}

}  // namespace zablab
