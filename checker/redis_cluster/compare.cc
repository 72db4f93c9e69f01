#include "checker/compare/contender_of.h"
#include "checker/redis_cluster/clients.h"
#include "protocol/redis_cluster/family.h"
#include "sim/redis_cluster/binding.h"

namespace zablab {

template <>
struct CompareOf<redis_cluster::Family> {
  using F = redis_cluster::Family;
  static constexpr std::string_view settings =
      "Redis 7.0: three masters, two replicas of the one that clients use, cluster-node-timeout 2000; the "
      "master answers reads; clients give up after 1000 ms";

  /// The leader is the master of slot 1. Its replicas are on the machines after its own.
  static ComparedCluster layout() {
    ComparedCluster layout;
    layout.setting = {
        {"variant", "real"},
        {"config", {{"node_timeout_ms", 2000}}},
        {"servers",
         {{{"id", 1}}, {{"id", 2}}, {{"id", 3}}, {{"id", 4}, {"master", 1}}, {{"id", 5}, {"master", 1}}}}};
    layout.machines = {{1}, {4}, {5}, {2}, {3}};
    layout.voters = 3;
    layout.first = Reign{1, 0};
    layout.write = {{"write", true}};
    layout.read = Json{{"read", 1}};
    return layout;
  }
  static bool votes(const redis_cluster::Node& node) {
    return std::any_of(node.conf.slots.begin(), node.conf.slots.end(),
                       [&](const auto& slot) { return slot.second == node.self; });
  }

  static std::optional<Reign> claim(const Happened<F>& h, const RunOf<F>&) {
    const auto* promoted = h.kind == Kind::event ? get_if<redis_cluster::Promoted>(h.event) : nullptr;
    if (promoted == nullptr) return std::nullopt;
    return Reign{promoted->epoch, h.node};
  }
  static bool acceptedBy(const redis_cluster::Event& event, const Reign& reign, const RunOf<F>& run) {
    return run.cluster().indexOf(get<redis_cluster::Answered>(event).by) == reign.server;
  }
};

const Contender& redisClusterContender() { return contenderOf<redis_cluster::Family>(); }

}  // namespace zablab
