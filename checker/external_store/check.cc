#include "checker/external_store/check.h"

#include <algorithm>

namespace zablab {
namespace external_store {

bool waitsInVain(const Node& candidate, const StoreState& there) {
  const Candidate& me = *candidate.candidate;
  const auto key = std::find_if(there.keys.begin(), there.keys.end(),
                                [&](const KeyValue& one) { return one.key == *me.watched; });
  return key == there.keys.end() || (key->value == candidate.self && key->lease == me.lease);
}

}  // namespace external_store

using external_store::TimerKind;
using Check = CheckOf<external_store::Family>;

namespace {

constexpr unsigned leader_shift = 8;

}  // namespace

std::uint32_t Check::view(const external_store::Config& config, const external_store::Rules&,
                          const external_store::Node& node) {
  const bool waiting =
      node.candidate && node.candidate->role == external_store::Role::FOLLOWING && node.candidate->watched;
  std::uint32_t view =
      (node.client && (node.client->request || node.client->read) ? 0 : idle) | (waiting ? waits : 0);
  const auto leader = node.replica ? node.replica->server.leader : std::nullopt;
  for (std::size_t i = 0; leader && i < config.stores.size(); ++i) {
    if (config.stores[i] == *leader) view |= static_cast<std::uint32_t>(i + 1) << leader_shift;
  }
  return view;
}

int Check::peerOf(const Cluster<F>& cluster, std::uint32_t view, const external_store::Timer& timer) {
  if (timer.kind == TimerKind::silent) return cluster.indexOf(timer.key.id);
  const std::uint32_t leader = view >> leader_shift;
  const bool of_leader = timer.kind == TimerKind::election || timer.kind == TimerKind::led_over;
  if (!of_leader || leader == 0) return -1;
  return cluster.indexOf(cluster.configs.front().stores[leader - 1]);
}

Fires Check::firesByDefault(TimerKind kind) {
  switch (kind) {
    case TimerKind::lease:
    case TimerKind::election:
    case TimerKind::deadline: return Fires::budgeted;
    case TimerKind::keepalive: return Fires::never;
    case TimerKind::lease_check:
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

}  // namespace zablab
