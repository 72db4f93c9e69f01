#include "checker/external_store/check.h"

namespace zablab {

using external_store::TimerKind;
using Check = CheckOf<external_store::Family>;

std::uint32_t Check::view(const external_store::Config&, const external_store::Rules&,
                          const external_store::Node& node) {
  return node.client && node.client->request ? 0 : idle;
}

Fires Check::firesByDefault(TimerKind kind) {
  switch (kind) {
    case TimerKind::lease:
    case TimerKind::election:
    case TimerKind::deadline: return Fires::budgeted;
    case TimerKind::keepalive: return Fires::never;
    case TimerKind::store_dial:
    case TimerKind::resource_dial:
    case TimerKind::again:
    case TimerKind::work:
    case TimerKind::heartbeat:
    case TimerKind::led_over:
    case TimerKind::client_retry: return Fires::free;
    case TimerKind::silent:
    case TimerKind::request: return Fires::budgeted;
    case TimerKind::answer_limit: return Fires::quiescent;
  }
  return Fires::never;
}

std::pair<std::vector<Check::OwnMemory>, Check::SharedMemory> Check::memoriesOf(const WorldValue<F>& value) {
  external_store::Ledger ledger(cluster_);
  std::vector<OwnMemory> owns;
  for (std::size_t i = 0; i < value.servers.size(); ++i) {
    ledger.begin(static_cast<int>(i), value.disks[i].image);
    const auto& node = value.servers[i].node;
    if (value.servers[i].up && node.candidate && node.candidate->role == external_store::Role::LEADING)
      ledger.shared().believers[ledger.id(static_cast<int>(i))] = {node.candidate->token};
    owns.push_back(ledger.own(static_cast<int>(i)));
  }
  return {std::move(owns), ledger.shared()};
}

}  // namespace zablab
