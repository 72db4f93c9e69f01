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

}  // namespace zablab
