#include "checker/kafka/check.h"

#include "checker/zookeeper/check.h"

namespace zablab {

using KafkaCheck = CheckOf<kafka::Family>;

std::uint32_t KafkaCheck::view(const kafka::Config&, const kafka::Rules&, const kafka::Node& node) {
  const bool waits = node.client && (node.client->asked || !node.zookeeper.client->waiting.empty());
  const bool works = node.broker && (node.broker->item || !node.broker->registered);
  return (waits ? 0 : idle) | (works ? 0 : settled);
}

Fires KafkaCheck::firesByDefault(F::TimerKind kind) {
  switch (kind) {
    case F::TimerKind::session_expiry: return Fires::budgeted;
    case F::TimerKind::snapshot:
    case F::TimerKind::reconnect:
    case F::TimerKind::fetch_retry:
    case F::TimerKind::fetch_wait: return Fires::free;
    case F::TimerKind::server_limit: return Fires::peer_unreachable;
    case F::TimerKind::replica_lag: return Fires::budgeted;
    // They change nothing but other timers, or nodes that are not there; and a dial waits here until it is
    // answered.
    case F::TimerKind::request_retry:
    case F::TimerKind::client_ping:
    case F::TimerKind::container_check:
    case F::TimerKind::node_ttl: return Fires::never;
  }
  return Fires::never;
}

}  // namespace zablab
