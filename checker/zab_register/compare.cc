#include <algorithm>

#include "checker/compare/contender_of.h"
#include "checker/zab_register/clients.h"
#include "protocol/zab_register/family.h"
#include "sim/zab_register/binding.h"

namespace zablab {

template <>
struct CompareOf<zab::Family> {
  using F = zab::Family;
  static constexpr std::string_view settings =
      "five servers, tickTime 2000, initLimit 10, syncLimit 5; clients read at their own server";

  static ComparedCluster layout() {
    ComparedCluster layout;
    layout.setting = {{"servers", 5}};
    layout.machines = {{1}, {2}, {3}, {4}, {5}};
    layout.voters = 5;
    layout.write = {{"write", true}};
    layout.read = Json{{"read", true}};
    layout.clients_turn = true;
    return layout;
  }
  static bool votes(const zab::Config& config, ServerId id) { return config.isVoter(id); }
  static bool hasMajorities(const zab::Config& config) {
    return std::none_of(config.members.begin(), config.members.end(),
                        [](const zab::Member& member) { return member.group.has_value(); });
  }

  static std::optional<Reign> claim(const Happened<F>& h, const RunOf<F>& run) {
    if (h.kind != Kind::step_over || h.node >= run.cluster().serverCount()) return std::nullopt;
    const zab::Node& node = run.node(h.node);
    if (node.role != zab::Role::LEADING || !node.serves()) return std::nullopt;
    return Reign{node.epoch, h.node};
  }
  static bool acceptedBy(const zab::Event& event, const Reign& reign, const RunOf<F>&) {
    return get<zab::Answered>(event).zxid.epoch() == reign.number;
  }
};

const Contender& zabContender() { return contenderOf<zab::Family>(); }

}  // namespace zablab
