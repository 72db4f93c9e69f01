#include "checker/compare/contender_of.h"
#include "checker/sentinel/clients.h"
#include "protocol/sentinel/family.h"
#include "sim/sentinel/binding.h"

namespace zablab {

template <>
struct CompareOf<sentinel::Family> {
  using F = sentinel::Family;
  static constexpr std::string_view settings =
      "Redis 7.0: five sentinels, quorum 3, a master and four replicas, down-after-milliseconds 1000, "
      "failover-timeout 5000; the master answers reads; clients give up after 1000 ms";

  /// The leader is the master. Each machine has a Redis server and a sentinel.
  static ComparedCluster layout() {
    ComparedCluster layout;
    layout.setting = {{"variant", "real"}, {"servers", Json::array()}};
    for (int i = 1; i <= 5; ++i) layout.setting["servers"].push_back({{"id", i}});
    for (int i = 1; i <= 5; ++i) {
      layout.setting["servers"].push_back({{"id", 10 + i}, {"kind", "redis"}});
      layout.machines.push_back({10 + i, i});
    }
    layout.voters = 5;
    layout.first = Reign{0, 5};
    layout.write = {{"write", true}};
    layout.read = Json{{"read", true}};
    return layout;
  }
  static bool votes(const sentinel::Node& node) { return node.sentinel.has_value(); }

  static std::optional<Reign> claim(const Happened<F>& h, const RunOf<F>& run) {
    const auto* promoted = h.kind == Kind::event ? get_if<sentinel::Promoted>(h.event) : nullptr;
    if (promoted == nullptr) return std::nullopt;
    return Reign{promoted->config_epoch, run.cluster().indexOf(promoted->replica)};
  }
  static bool acceptedBy(const sentinel::Event& event, const Reign& reign, const RunOf<F>& run) {
    return run.cluster().indexOf(get<sentinel::Answered>(event).server) == reign.server;
  }
};

const Contender& sentinelContender() { return contenderOf<sentinel::Family>(); }

}  // namespace zablab
