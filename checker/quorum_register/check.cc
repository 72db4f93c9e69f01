#include "checker/quorum_register/check.h"

namespace zablab {

using quorum_register::Phase;

std::uint32_t CheckOf<quorum_register::Family>::view(const quorum_register::Config&,
                                                     const quorum_register::Rules&,
                                                     const quorum_register::Node& node) {
  std::uint32_t view = node.doing && node.doing->phase != Phase::repairing ? 0 : idle;
  if (!node.hints.empty()) view |= has_hints;
  return view;
}

Fires CheckOf<quorum_register::Family>::firesByDefault(quorum_register::TimerKind kind) {
  switch (kind) {
    case quorum_register::TimerKind::give_up: return Fires::quiescent;
    case quorum_register::TimerKind::stand_in:
    case quorum_register::TimerKind::hand_off: return Fires::free;
  }
  return Fires::never;
}

CheckOf<quorum_register::Family>::CheckOf(const Cluster<F>& cluster)
    : BookMonitors(cluster, &quorum_register::monitorsWith) {}

std::pair<std::vector<CheckOf<quorum_register::Family>::OwnMemory>,
          CheckOf<quorum_register::Family>::SharedMemory>
CheckOf<quorum_register::Family>::memoriesOf(const WorldValue<F>& value) {
  quorum_register::Ledger ledger(cluster_);
  std::vector<OwnMemory> owns;
  for (std::size_t i = 0; i < value.servers.size(); ++i) {
    ledger.begin(static_cast<int>(i), value.disks[i].image);
    owns.push_back(ledger.own(static_cast<int>(i)));
  }
  return {std::move(owns), ledger.shared()};
}

}  // namespace zablab
