#include "checker/compare/contender_of.h"
#include "checker/kafka/clients.h"
#include "protocol/kafka/family.h"
#include "sim/kafka/binding.h"

namespace zablab {

template <>
struct CompareOf<kafka::Family> {
  using F = kafka::Family;
  static constexpr std::string_view settings =
      "Kafka 3.x: five brokers, each with a replica, and a server of ZooKeeper that no fault strikes; "
      "sessions of 18 s, followers leave the ISR after 30 s; acks=all; clients give up after 250 ms";

  /// The leader is that of the partition. ZooKeeper is on a machine of its own; it decides, so it is the only
  /// voter.
  static ComparedCluster layout() {
    ComparedCluster layout;
    layout.setting = {
        {"variant", "real"}, {"config", {{"session_timeout_ms", 18000}}}, {"servers", Json::array()}};
    for (int i = 1; i <= 5; ++i) {
      layout.setting["servers"].push_back({{"id", i}});
      layout.machines.push_back({i});
    }
    layout.setting["servers"].push_back({{"id", 11}, {"kind", "zookeeper"}});
    layout.apart = {11};
    layout.voters = 1;
    layout.write = Json{{"produce", "all"}};
    layout.read = Json{{"consume", true}};
    return layout;
  }
  static bool votes(const kafka::Node& node) {
    return !node.broker && !node.client && node.zookeeper.role == zab::Role::LEADING;
  }

  static std::optional<Reign> claim(const Happened<F>& h, const RunOf<F>& run) {
    const auto* role = h.kind == Kind::event ? get_if<kafka::RoleChanged>(h.event) : nullptr;
    if (role == nullptr || role->again || run.cluster().indexOf(role->leader) != h.node) return std::nullopt;
    return Reign{role->leader_epoch, h.node};
  }
  static bool acceptedBy(const kafka::Event& event, const Reign& reign, const RunOf<F>& run) {
    return run.cluster().indexOf(get<kafka::Produced>(event).broker) == reign.server;
  }
};

const Contender& kafkaContender() { return contenderOf<kafka::Family>(); }

}  // namespace zablab
