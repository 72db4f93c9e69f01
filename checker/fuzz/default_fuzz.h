// Random runs that follow from the types alone, for a family that says no more about them: `FuzzOf<F>`
// derives from `DefaultFuzz<F>`, and hides what it does otherwise.
#pragma once

#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/family.h"
#include "checker/fuzz/swarm.h"
#include "protocol/reflect.h"
#include "protocol/variant.h"

namespace zablab {

/// A configuration that was drawn, and the times that follow from it, in virtual milliseconds.
struct DrawnConfig {
  Json config;             ///< fields of every server's configuration
  Millis quiet_ms = 0;     ///< longer than any limit on silence
  Millis slow_ms_max = 0;  ///< latency of a slow direction
};

/// What `FuzzOf<F>` has to contain for it:
///
///     static DrawnConfig drawConfig(Draws&, const TimingSpec&)
///     static Json drawAsk(Draws&)            a request, in a scenario's own keys; its questions: 20 and up
///     probe                                  the request that each client of the core repeats
///     answer_kind                            the kind of the event that its client has been answered
///     static std::size_t coreMin(std::size_t voters)
///                                            how many servers are needed to serve; omitted: more than half
template <class F>
class DefaultSwarm : public Swarm {
 public:
  using Swarm::Swarm;

 protected:
  using Fuzz = FuzzOf<F>;
  enum : std::uint8_t { datagrams = Topic::first_free };

  static constexpr bool isDatagram() { return F::links[0].kind == LinkKind::datagram; }

  std::string mainLink() const override { return std::string(F::links[0].name); }
  bool hasConnections() const override { return !isDatagram(); }
  std::vector<std::string> struck() const override {
    return namesOf(static_cast<typename F::Message*>(nullptr));
  }
  std::vector<std::string> clogged() const override { return struck(); }

  std::size_t coreMin() const override {
    if constexpr (requires { Fuzz::coreMin(voters().size()); }) return Fuzz::coreMin(voters().size());
    return quorum();
  }

  Json drawConfig() override {
    Draws draws = drawsOf(Topic::timing);
    DrawnConfig drawn = Fuzz::drawConfig(draws, scenario().timing);
    quiet_ms = drawn.quiet_ms;
    slow_ms_max = drawn.slow_ms_max;
    return std::move(drawn.config);
  }

  /// A fault strikes when a server writes, sends or receives.
  CrashPoint drawPlace(Draws& draws) override {
    CrashPoint point{.where = anyone(draws, 2), .when = {}};
    Json event{{"node", point.where}};
    const std::int64_t kind = draws(3, 0, 9);
    point.writes = kind < 4;
    point.sends = kind >= 7;
    event["kind"] = point.writes ? "written" : point.sends ? "sent" : "delivered";
    if (point.writes) {
      event["record"] = draws.of(5, namesOf(static_cast<typename F::Record*>(nullptr)));
    } else {
      event["type"] = draws.of(6, struck());
    }
    return placedAt(draws, std::move(point), std::move(event), 8);
  }

  void drawWorkload() override {
    Draws draws = drawsOf(Topic::workload);
    const std::int64_t clients = draws(0, 1, 3);
    for (ServerId client = first_client; client < first_client + clients; ++client) {
      scenario().clients.push_back({.id = client, .name = {}, .server = {}});
      for (std::int64_t asks = draws(1, 2, 8); asks > 0; --asks) {
        const Millis when = draws(2, 50, chaosMs());
        ask(when, client, Fuzz::drawAsk(draws));
      }
    }
  }

  void drawMore() override {
    if (!isDatagram() || !has(datagrams, "datagrams")) return;
    Draws draws = drawsOf(datagrams);
    const std::int64_t lost = draws(1, 0, 250);
    const std::int64_t doubled = draws(2, 0, 250);
    scenario().timing.datagrams =
        DatagramSpec{.lost_permille = lost, .doubled_permille = doubled, .until = faultsEndMs()};
  }

  void drawProbe(ServerId probe, Millis first_ask, Millis every) override {
    ask(first_ask, probe, Json::parse(Fuzz::probe), recovery_ms / every - 1, every);
    expectAnswer({{"kind", Fuzz::answer_kind}, {"node", probe}});
  }

 private:
  template <class... Alternative>
  static std::vector<std::string> namesOf(variant<Alternative...>*) {
    std::vector<std::string> list;
    const auto add = [&]<class T>(T*) {
      if constexpr (requires { T::name; }) list.emplace_back(T::name);
    };
    (add(static_cast<Alternative*>(nullptr)), ...);
    return list;
  }
};

template <class F>
struct DefaultFuzz {
  using Node = typename F::Node;

  /// Messages are lost, or arrive twice.
  static constexpr std::array settings{FuzzSetting{"datagrams", FuzzPreset::lossy, 700}};
  static DrawnRun draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable) {
    return DefaultSwarm<F>(shape, choices, unable).draw();
  }

  /// Its role, if nodes have one.
  static std::uint32_t placeOf(const Node& node) {
    if constexpr (requires { node.role; }) return static_cast<std::uint32_t>(node.role);
    return 0;
  }
  static constexpr std::uint32_t first_place = 0;
  static std::string placeName(std::uint32_t place) {
    if constexpr (requires(Node & node) { node.role; })
      return std::string(enumName(static_cast<decltype(Node::role)>(place)));
    return "any";
  }

  static constexpr std::uint32_t all_operations = 1;
  static constexpr const char* operations_text = "a request";
  static std::uint32_t answered(const typename F::Event& event) {
    return visit([](const auto& one) { return one.name == FuzzOf<F>::answer_kind ? 1 : 0; }, event);
  }
  static std::pair<ServerId, bool> clientOf(const Node&) { return {no_server, false}; }
  static std::string settingOf(const Cluster<F>& cluster) {
    return std::to_string(cluster.serverCount()) + " servers";
  }
};

}  // namespace zablab
