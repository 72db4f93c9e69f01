// Random runs of quorum registers.
#include <algorithm>

#include "checker/fuzz/swarm.h"
#include "checker/fuzz/watcher_of.h"
#include "checker/quorum_register/checks.h"

namespace zablab {
namespace quorum_register {
namespace {

/// Homes correspond to a swarm's voters, and stand-ins to its observers.
class QuorumRegisterSwarm : public Swarm {
 public:
  using Swarm::Swarm;

 private:
  /// The family's own topics.
  enum : std::uint8_t {
    datagrams = Topic::first_free,
    client_cut,
    client_clog,
    skew,
    uneven,
    hints,
    initial,
    hint_left
  };

  std::string mainLink() const override { return std::string(Family::links[quorum_link].name); }
  bool hasConnections() const override { return false; }
  std::vector<std::string> struck() const override {
    return {std::string(Read::name), std::string(Write::name), std::string(Write::name)};
  }
  std::vector<std::string> clogged() const override {
    return {std::string(Read::name), std::string(ReadReply::name), std::string(Write::name),
            std::string(WriteAck::name)};
  }
  Json observer() const override { return Json::object(); }
  std::size_t coreMin() const override {
    return static_cast<std::size_t>(std::max(read_quorum_, write_quorum_));
  }

  Json drawConfig() override {
    Draws draws = drawsOf(Topic::timing);
    const auto homes = static_cast<std::int64_t>(voters().size());
    write_quorum_ = static_cast<std::int64_t>(quorum());
    if (has(uneven, "uneven")) write_quorum_ = drawsOf(uneven)(1, 1, homes);
    read_quorum_ = homes + 1 - write_quorum_;
    const Millis hand_off_ms = draws.of(2, std::array<Millis, 3>{100, 300, 1000});
    quiet_ms = 3 * hand_off_ms + 1000;
    slow_ms_max = 150;
    read_after_ms = 450;  // a write's two round trips take no longer if nothing is slow
    Json config{{"homes", voters()},
                {"read_quorum", read_quorum_},
                {"write_quorum", write_quorum_},
                {"request_limit_ms", draws.of(3, std::array<Millis, 3>{300, 800, 2000})},
                {"stand_in_ms", draws.of(4, std::array<Millis, 3>{30, 100, 250})},
                {"hand_off_ms", hand_off_ms}};
    for (const ServerId server : servers()) {
      if (server > voters().back()) config["stand_ins"].push_back(server);
    }
    if (servers().size() > voters().size()) config["hints"] = has(hints, "hints");
    if (has(initial, "initial")) initial_value_ = drawsOf(initial)(1, -1000, -1);
    if (initial_value_ != 0) config["initial"] = initial_value_;
    return config;
  }

  /// The initial value was written once more, and one home lacks it. Its stand-in may already run.
  bool drawBeginning() override {
    if (servers().size() == voters().size() || !has(hint_left, "hint_left")) return false;
    Draws draws = drawsOf(hint_left);
    const ServerId lacks = draws.of(1, voters());
    const ServerId keeps = voters().back() + draws(2, 1, std::ssize(servers()) - std::ssize(voters()));
    const Json stored{{"version", "0/" + std::to_string(first_client) + "/0"}, {"value", initial_value_}};
    for (ServerSpec& server : scenario().servers->list) {
      if (server.id <= voters().back() && server.id != lacks) server.disk = json({{"stored", stored}});
      if (server.id != keeps) continue;
      server.disk = json({{"hints", {{std::to_string(lacks), stored}}}});
      if (draws.chance(3, 500)) server.state = json(Json::object());
    }
    return true;
  }

  CrashPoint drawPlace(Draws& draws) override {
    CrashPoint point{.where = anyone(draws, 2), .when = {}};
    Json event{{"node", point.where}};
    const std::int64_t kind = draws(3, 0, 9);
    if (kind < 4) {
      event["kind"] = "written";
      point.writes = true;
    } else if (kind < 7) {
      event["kind"] = "delivered";
      event["type"] = draws.of(6, struck());
    } else {
      event["kind"] = "sent";
      event["type"] = draws.of(7, std::array{std::string(ReadReply::name), std::string(WriteAck::name)});
      point.sends = true;
    }
    return placedAt(draws, std::move(point), std::move(event), 8);
  }

  void drawWorkload() override {
    Draws draws = drawsOf(Topic::workload);
    differ_ = has(skew, "skew");
    const std::int64_t clients = draws(0, 2, 4);
    for (std::int64_t i = 0; i < clients; ++i) {
      const ServerId client = first_client + i;
      scenario().clients.push_back({.id = client, .name = {}, .server = {}});
      clients_.push_back(client);
      const Millis off = skewOf(client);
      for (std::int64_t burst = draws(2, 2, 5); burst > 0; --burst) {
        const Millis when = draws(3, 50, chaosMs());
        const std::int64_t times = draws(6, 1, 3);
        const Millis every = draws(7, 5, 400);
        const bool writes = draws.chance(8, 450);
        ask(when, client, writes ? Json{{"write", true}, {"clock", when + off}} : Json{{"read", true}}, times,
            every);
      }
    }
  }

  void drawMore() override {
    if (has(datagrams, "datagrams")) {
      Draws draws = drawsOf(datagrams);
      scenario().timing.datagrams = DatagramSpec{
          .lost_permille = draws(1, 0, 250), .doubled_permille = draws(2, 0, 250), .until = faultsEndMs()};
    }
    betweenClientsAndServers(client_cut, "client_cut", [&](Draws&, Millis when, Millis end, Way way) {
      cutBetween(way.from, way.to, when, end);
    });
    betweenClientsAndServers(client_clog, "client_clog", [&](Draws& draws, Millis when, Millis end, Way way) {
      const std::string type = draws.of(7, clogged());
      const bool answers = type == ReadReply::name || type == WriteAck::name;
      Selector held{mainLink(), answers ? way.to : way.from, answers ? way.from : way.to,
                    json({{"type", type}})};
      at(when) = step::Hold{held};
      at(end) = step::Release{std::move(held)};
    });
  }

  template <class Place>
  void betweenClientsAndServers(std::uint8_t topic, std::string_view setting, Place place) {
    if (!has(topic, setting)) return;
    Draws draws = drawsOf(topic);
    for (std::int64_t count = draws(1, 1, 5); count > 0; --count) {
      const Millis when = draws(2, 50, chaosMs() - 100);
      const Millis end = std::min(when + lasting(draws, 3), chaosMs());
      const ServerId client = draws.of(5, clients_);
      place(draws, when, end, Way{client, anyone(draws, 6)});
    }
  }

  void drawProbe(ServerId probe, Millis first_ask, Millis every) override {
    const std::int64_t times = recovery_ms / every - 1;
    ask(first_ask + read_after_ms, probe, {{"read", true}}, times, every);
    ask(first_ask, probe, {{"write", true}, {"clock", first_ask + skewOf(probe)}}, times, every);
    for (const char* operation : {"write", "read"}) {
      expectAnswer({{"kind", "answered"}, {"node", probe}, {"operation", operation}, {"outcome", "ok"}},
                   "a core that has R and W homes serves within 180 s");
    }
  }

  /// The deviation of a client's clock. No clock reads less than 1.
  Millis skewOf(ServerId client) {
    const Millis drawn = drawsOf(skew)(static_cast<int>(client), -skew_ms_max, skew_ms_max);
    return skew_ms_max + 1 + (differ_ ? drawn : 0);
  }

  static constexpr Millis skew_ms_max = 1000;

  std::int64_t read_quorum_ = 0;
  std::int64_t write_quorum_ = 0;
  std::int64_t initial_value_ = 0;
  bool differ_ = false;
  std::vector<ServerId> clients_;
};

/// In addition to what all cores have to do: its homes end with the same content, and no stand-in keeps
/// anything for them.
class Watcher : public FuzzWatcherOf<Family> {
 public:
  using FuzzWatcherOf::FuzzWatcherOf;

 private:
  std::optional<Failure> isUnsettled() const override {
    const Config& config = run_.cluster().configs.front();
    const Stored* first = nullptr;
    for (int i = 0; i < run_.cluster().serverCount(); ++i) {
      if (!isWhole(i)) continue;
      for (const auto& hint : node(i).hints) {
        if (isWhole(indexOf(hint.first)))
          return Failure{"stall: hints stay",
                         std::to_string(idOf(i)) + " keeps what is " + std::to_string(hint.first) + "'s",
                         now()};
      }
      if (!config.isHome(idOf(i))) continue;
      if (first != nullptr && node(i).stored != *first)
        return Failure{"stall: homes differ", "homes of the core have different values", now()};
      first = &node(i).stored;
    }
    return std::nullopt;
  }
  bool isWhole(int i) const { return isCore(i) && run_.isUp(i); }
};

}  // namespace
}  // namespace quorum_register

using Fuzz = FuzzOf<quorum_register::Family>;

std::string Fuzz::placeName(std::uint32_t place) {
  const std::string value = (place & 1) == 0 ? "first value" : "written";
  return (place & 2) == 0 ? value : value + " with hints";
}

std::uint32_t Fuzz::answered(const F::Event& event) {
  const auto* answer = get_if<quorum_register::Answered>(&event);
  if (answer == nullptr || answer->outcome != quorum_register::Outcome::ok) return 0;
  return all_operations & 1U << static_cast<unsigned>(answer->operation);
}

std::string Fuzz::settingOf(const Cluster<F>& cluster) {
  const quorum_register::Config& config = cluster.configs.front();
  return "N " + std::to_string(config.homes.size()) + ", R " + std::to_string(config.read_quorum) + ", W " +
         std::to_string(config.write_quorum);
}

DrawnRun Fuzz::draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable) {
  return quorum_register::QuorumRegisterSwarm(shape, choices, unable).draw();
}

std::unique_ptr<FuzzWatcher> Fuzz::watcher(const FuzzRun& run) {
  return std::make_unique<quorum_register::Watcher>(run);
}

}  // namespace zablab
