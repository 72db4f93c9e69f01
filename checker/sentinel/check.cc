#include "checker/sentinel/check.h"

namespace zablab {

using sentinel::TimerKind;
using Check = CheckOf<sentinel::Family>;

std::uint32_t Check::view(const sentinel::Config&, const sentinel::Rules&, const sentinel::Node& node) {
  std::uint32_t view = 0;
  if (!node.sentinel || node.sentinel->state == sentinel::FailoverState::NONE) view |= settled;
  if (node.client && !node.client->request) view |= idle;
  return view;
}

Fires Check::firesByDefault(TimerKind kind) {
  switch (kind) {
    case TimerKind::tick:
    case TimerKind::ping:
    case TimerKind::reconnect:
    case TimerKind::info:
    case TimerKind::info_soon:
    case TimerKind::ask:
    case TimerKind::answer:
    case TimerKind::report:
    case TimerKind::gate:
    case TimerKind::election:
    case TimerKind::failover:
    case TimerKind::reconf:
    case TimerKind::sync:
    case TimerKind::client_retry: return Fires::free;
    case TimerKind::down: return Fires::peer_unreachable;
    case TimerKind::answer_limit: return Fires::quiescent;
    // Published without an end, or only of use if there are many writes.
    case TimerKind::hello:
    case TimerKind::info_old:
    case TimerKind::available:
    case TimerKind::detached:
    case TimerKind::tilt:
    case TimerKind::ack:
    case TimerKind::lag:
    case TimerKind::second: return Fires::never;
  }
  return Fires::never;
}

std::pair<std::vector<Check::OwnMemory>, Check::SharedMemory> Check::memoriesOf(const WorldValue<F>& value) {
  sentinel::Ledger ledger(cluster_);
  std::vector<OwnMemory> owns;
  for (std::size_t i = 0; i < value.servers.size(); ++i) {
    ledger.begin(static_cast<int>(i), value.disks[i].image);
    OwnMemory own = ledger.own(static_cast<int>(i));
    if (value.servers[i].up && value.servers[i].node.sentinel) {
      const sentinel::Sentinel& node = *value.servers[i].node.sentinel;
      own.master = node.master;
      for (const auto& [id, instance] : node.instances) {
        if (id == node.master) own.sees_down = instance.down;
        if (instance.sees_down) own.see_down[id] = node.master;
        if (instance.master)
          own.reports[id] = {instance.role == sentinel::RedisRole::master, instance.priority,
                             instance.offset};
      }
    }
    owns.push_back(std::move(own));
  }
  return {std::move(owns), ledger.shared()};
}

}  // namespace zablab
