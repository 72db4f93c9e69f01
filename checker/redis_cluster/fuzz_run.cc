#include "checker/redis_cluster/fuzz_run.h"

#include <algorithm>
#include <map>

#include "checker/fuzz/swarm.h"
#include "checker/fuzz/watcher_of.h"
#include "checker/redis_cluster/agreement.h"
#include "sim/redis_cluster/binding.h"

namespace zablab {
namespace redis_cluster {
namespace {

/// All nodes of the cluster correspond to a swarm's voters: the first are masters, the others their replicas.
class RedisClusterSwarm : public Swarm {
 public:
  using Swarm::Swarm;

 private:
  /// The family's own topics.
  enum : std::uint8_t {
    datagrams = Topic::first_free,
    replication,
    equal_epochs,
    failovers,
    validity,
    siblings
  };

  std::string mainLink() const override { return std::string(Family::links[bus_link].name); }
  bool hasConnections() const override { return false; }
  std::vector<std::string> struck() const override {
    return names({AuthRequest::name, AuthAck::name, AuthAck::name, Fail::name, Pong::name});
  }
  std::vector<std::string> clogged() const override {
    return names(
        {AuthRequest::name, AuthAck::name, Fail::name, MfStart::name, Ping::name, Pong::name, Update::name});
  }
  std::array<int, 4> voterCounts() const override { return {5, 6, 6, 8}; }
  /// Every slot needs a node of its own shard.
  std::size_t coreMin() const override {
    if (has_validity_) return voters().size();  // a replica whose data are too old replaces nobody
    return voters().size() < 2 * static_cast<std::size_t>(masters()) ? voters().size() : voters().size() - 1;
  }
  std::int64_t masters() const {
    const auto nodes = static_cast<std::int64_t>(voters().size());
    if (nodes == 8 && has_siblings_) return 3;
    return nodes < 6 ? std::max<std::int64_t>(1, nodes - 2) : nodes / 2;
  }

  Json drawConfig() override {
    has_siblings_ = has(siblings, "siblings");
    Draws draws = drawsOf(Topic::timing);
    const TimingSpec& timing = scenario().timing;
    const Millis round_trip = 2 * timing.latency_ms.hi;
    const Millis timeout = std::max(draws.of(2, std::array<Millis, 3>{500, 1000, 2000}), 6 * round_trip);
    const bool equal = has(equal_epochs, "equal_epochs");
    for (ServerSpec& server : scenario().servers->list) {
      Json own = Json::object();
      if (server.id > masters()) own["master"] = (server.id - 1) % masters() + 1;
      if (server.id <= masters() && equal) own["config_epoch"] = 1;
      server.own = json(own).members();
    }
    // After an attempt that failed: the next one, and a returning master's wait.
    quiet_ms = std::max<Millis>(4 * timeout, 4000) + 2 * timeout + 2000;
    slow_ms_max = timeout / 8;
    const Millis request_limit = draws.of(3, std::array<Millis, 3>{200, 500, 1000}) + 4 * round_trip;
    read_after_ms = request_limit + 50;  // the client is not busy any more
    Json config{{"node_timeout_ms", timeout}, {"validity_factor", 0}, {"request_limit_ms", request_limit}};
    has_validity_ = has(validity, "validity");
    if (has_validity_) {
      config["validity_factor"] = drawsOf(validity)(1, 1, 2);
      config["repl_ping_ms"] = drawsOf(validity).of(2, std::array<Millis, 3>{200, 500, 1000});
    }
    return config;
  }

  CrashPoint drawPlace(Draws& draws) override {
    CrashPoint point{.where = anyone(draws, 2), .when = {}};
    Json event{{"node", point.where}};
    std::int64_t nth_max = 4;
    const std::int64_t kind = draws(3, 0, 9);
    if (kind < 3) {
      event["kind"] = "written";
      event["record"] = std::string(SaveConf::name);
      point.writes = true;
    } else if (kind < 5) {
      event["kind"] = "delivered";
      event["type"] = draws.of(6, struck());
    } else if (kind < 7) {
      event["kind"] = "sent";
      event["type"] = draws.of(7, names({AuthRequest::name, AuthAck::name, AuthAck::name}));
      point.sends = true;
    } else {
      event["kind"] = draws.of(8, names({Flagged::name, Scheduled::name, Promoted::name, Follows::name}));
      nth_max = 2;
    }
    return placedAt(draws, std::move(point), std::move(event), nth_max);
  }

  void drawWorkload() override {
    Draws draws = drawsOf(Topic::workload);
    const std::int64_t clients = draws(0, 1, 3);
    for (std::int64_t i = 0; i < clients; ++i) {
      const ServerId client = first_client + i;
      scenario().clients.push_back({.id = client, .name = {}, .server = {}});
      for (std::int64_t burst = draws(2, 2, 6); burst > 0; --burst) {
        const Millis when = draws(3, 50, chaosMs());
        const std::int64_t times = draws(6, 1, 4);
        const Millis every = draws(7, 5, 400);
        const Slot slot = draws(8, 1, masters());
        ask(when, client, draws.chance(9, 700) ? Json{{"write", true}, {"slot", slot}} : Json{{"read", slot}},
            times, every);
      }
    }
  }

  void drawMore() override {
    if (has(datagrams, "datagrams")) {
      Draws draws = drawsOf(datagrams);
      scenario().timing.datagrams = DatagramSpec{
          .lost_permille = draws(1, 0, 150), .doubled_permille = draws(2, 0, 250), .until = faultsEndMs()};
    }
    if (has(replication, "replication")) {
      Draws draws = drawsOf(replication);
      for (std::int64_t count = draws(1, 1, 4); count > 0; --count) {
        const Millis when = draws(2, 50, chaosMs());
        const ServerId replica = draws(3, masters() + 1, static_cast<std::int64_t>(voters().size()));
        at(when) = step::Break{{"replication", {replica, (replica - 1) % masters() + 1}, true}};
      }
    }
    if (has_validity_) drawOldData();
    if (has(failovers, "failovers")) {
      Draws draws = drawsOf(failovers);
      for (std::int64_t count = draws(1, 1, 3); count > 0; --count) {
        const Millis when = draws(2, 50, chaosMs());
        if (draws.chance(5, 400)) {
          const ServerId replica = draws(6, masters() + 1, static_cast<std::int64_t>(voters().size()));
          at(when) = instructed(replica, "failover");
          // Writes that the master has to postpone, and the replica to wait for.
          const Slot slot = (replica - 1) % masters() + 1;
          ask(std::max<Millis>(50, when - 20), first_client, {{"write", true}, {"slot", slot}}, 12, 5);
        } else {
          const ServerId node = anyone(draws, 3);
          at(when) = instructed(node, draws.chance(4, 300) ? "takeover" : "force");
        }
      }
    }
  }

  /// A replica does not reach its master for a long time, and then the master is down.
  void drawOldData() {
    Draws draws = drawsOf(validity);
    const ServerId replica = draws(3, masters() + 1, static_cast<std::int64_t>(voters().size()));
    const ServerId master = (replica - 1) % masters() + 1;
    const Millis when = draws(4, 50, 1500);
    const Millis down = when + draws(5, 1000, 6000);
    cutBetween(replica, master, when, chaosMs());
    if (down >= chaosMs()) return;
    at(down) = step::Kill{id(master)};
    at(chaosMs()) = step::Start{id(master)};
  }

  static step::Ask instructed(ServerId node, const char* what) {
    return {.who = node, .client = false, .what = json({{what, true}}).members(), .times = 1, .every = 0};
  }

  void drawProbe(ServerId probe, Millis first_ask, Millis every) override {
    const std::int64_t times = recovery_ms / every - 1;
    const Slot slot = (probe - first_probe) % masters() + 1;
    ask(first_ask, probe, {{"write", true}, {"slot", slot}}, times, every);
    ask(first_ask + read_after_ms, probe, {{"read", slot}}, times, every);
    for (const char* operation : {"write", "read"}) {
      expectAnswer({{"kind", "answered"}, {"node", probe}, {"operation", operation}, {"outcome", "ok"}},
                   "a core with a node of each shard and a majority of the masters serves within 180 s");
    }
  }

  bool has_siblings_ = false;  ///< of eight nodes three are masters, of which two have two replicas
  bool has_validity_ = false;  ///< replicas whose data are too old do not replace their masters
};

/// In addition to what all cores have to do: its nodes agree who owns each slot and who is whose replica, see
/// nobody of the core fail and everybody outside it, and serve; masters have different configuration epochs;
/// replicas have what their masters have; and no election begins any more.
class RedisWatcher : public FuzzWatcherOf<Family> {
 public:
  using FuzzWatcherOf::FuzzWatcherOf;

 private:
  void said(const Happened<Family>& h) override {
    if ((holds_alternative<Asked>(*h.event) || holds_alternative<Promoted>(*h.event)) && isCore(h.node))
      election_at_ = now();
  }

  std::optional<Failure> isUnsettled() const override {
    std::vector<Running> core;
    for (int i = 0; i < run_.cluster().serverCount(); ++i) {
      if (isWhole(i)) core.push_back({&run_.cluster().configs[static_cast<std::size_t>(i)], &node(i)});
    }
    if (core.empty()) return std::nullopt;
    if (ownersDiffer(core))
      return Failure{"stall: owners differ", "nodes of the core give a slot to different masters", now()};
    if (configEpochsCollide(core))
      return Failure{"stall: config epochs collide", "two masters have the same configuration epoch", now()};
    for (const Running& one : core) {
      const ServerId master = one.node->conf.nodes.at(one.node->self).master;
      const int at = master == no_server ? -1 : indexOf(master);
      if (at >= 0 && isWhole(at) && node(at).history != one.node->history)
        return Failure{"stall: replicas differ", "a replica has not what its master has", now()};
      if (auto failure = viewOf(*one.node)) return failure;
    }
    const Millis calm_ms = judgement_.quiet_ms - 1000;
    if (election_at_ >= 0 && now() < election_at_ + calm_ms)
      return Failure{"stall: elections begin again", "a replica of the core has asked for votes", now()};
    return std::nullopt;
  }

  /// What a node of the core still sees wrong.
  std::optional<Failure> viewOf(const Node& one) const {
    const auto failure = [&](const char* what, ServerId other) {
      return Failure{what, "server " + std::to_string(one.self) + ", about server " + std::to_string(other),
                     now()};
    };
    for (const auto& [other, seen] : one.seen) {
      const int i = indexOf(other);
      if (!isWhole(i)) {
        if (!seen.pfail && !seen.fail && !isCore(i)) return failure("stall: a failure is not seen", other);
        continue;
      }
      if (seen.pfail || seen.fail) return failure("stall: a node is seen to fail", other);
      if (one.conf.nodes.at(other).master != node(i).conf.nodes.at(other).master)
        return failure("stall: roles differ", other);
    }
    return one.serves ? std::nullopt : std::optional(failure("stall: a node does not serve", one.self));
  }

  bool isWhole(int i) const { return isCore(i) && run_.isUp(i); }

  Millis election_at_ = -1;
};

}  // namespace
}  // namespace redis_cluster

using RedisFuzz = FuzzOf<redis_cluster::Family>;

std::string RedisFuzz::placeName(std::uint32_t place) {
  const auto stage = static_cast<redis_cluster::Stage>(place >> 2);
  std::string name = (place & 2) != 0 ? "master" : "replica";
  if ((place & 1) == 0) name += " that does not serve";
  if (stage != redis_cluster::Stage::none) name += ", attempt " + std::string(enumName(stage));
  return name;
}

std::uint32_t RedisFuzz::answered(const F::Event& event) {
  const auto* answer = get_if<redis_cluster::Answered>(&event);
  if (answer == nullptr || answer->outcome != redis_cluster::Outcome::ok) return 0;
  return all_operations & 1U << static_cast<unsigned>(answer->operation);
}

std::string RedisFuzz::settingOf(const Cluster<F>& cluster) {
  const redis_cluster::Config& config = cluster.configs.front();
  return std::to_string(cluster.serverCount()) + " nodes, time-out " +
         std::to_string(config.node_timeout_ms) + " ms";
}

DrawnRun RedisFuzz::draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable) {
  return redis_cluster::RedisClusterSwarm(shape, choices, unable).draw();
}

std::unique_ptr<FuzzWatcher> RedisFuzz::watcher(const FuzzRun& run) {
  return std::make_unique<redis_cluster::RedisWatcher>(run);
}

}  // namespace zablab
