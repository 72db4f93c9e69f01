#include "checker/kafka/ledger.h"

#include <algorithm>

namespace zablab::kafka {

using zookeeper::ChangeKind;

void Ledger::on(const Happened<Family>& seen) {
  settle();
  switch (seen.kind) {
    case Kind::started: {
      OwnMemory& mine = own(seen.node) = {};
      // What was durable and not applied yet is applied when it is loaded, without an event.
      if (config(seen.node).kind == NodeKind::zookeeper) {
        for (const zookeeper::Txn& txn : seen.disk->zookeeper.log) onApplied(txn);
      }
      mine.log = seen.disk->log;
      const auto registered = shared_.registrations.find(id(seen.node));
      if (registered != shared_.registrations.end()) mine.registered_before = registered->second;
      return;
    }
    case Kind::stopped:
    case Kind::wiped: own(seen.node) = {}; return;
    case Kind::event: return onEvent(seen);
    case Kind::written: return onWritten(seen);
    default: return;
  }
}

void Ledger::onEvent(const Happened<Family>& seen) {
  if (const auto* applied = std::get_if<zab::BasicApplied<zookeeper::ZooKeeper>>(seen.event))
    onApplied(applied->txn);
  if (const auto* brokers = std::get_if<BrokersSeen>(seen.event))
    shared().seen_live[id(seen.node)] = brokers->live;
  const auto* role = std::get_if<RoleChanged>(seen.event);
  if (role == nullptr || role->leader != id(seen.node)) return;
  // A request may be late: then this leader has a successor already.
  const auto last = std::find_if(shared_.leaders.rbegin(), shared_.leaders.rend(),
                                 [](const auto& one) { return one.second != no_server; });
  if (last == shared_.leaders.rend() || role->leader_epoch != last->first) return;
  shared().leads_in = role->leader_epoch;
  shared().leader = role->leader;
  shared().leader_log = own(seen.node).log;
}

void Ledger::onWritten(const Happened<Family>& seen) {
  if (config(seen.node).kind != NodeKind::broker) return;
  Log& log = own(seen.node).log;
  if (const auto* more = std::get_if<AppendRecords>(seen.record))
    log.insert(log.end(), more->entries.begin(), more->entries.end());
  if (const auto* less = std::get_if<TruncateLog>(seen.record))
    log.resize(static_cast<std::size_t>(less->end));
  if (id(seen.node) == shared_.leader && shared_.leader_log != log) shared().leader_log = log;
}

void Ledger::onApplied(const zookeeper::Txn& txn) {
  if (txn.zxid <= shared_.applied) return;
  shared().applied = txn.zxid;
  const auto& payload = txn.payload;
  if (payload.kind != zookeeper::TxnKind::single && payload.kind != zookeeper::TxnKind::multi) return;
  // A client's sessions have its id, and then its id and a multiple.
  const ServerId broker = payload.session % zookeeper::session_ids_apart;
  bool claimed = false;
  for (const zookeeper::Change& change : payload.changes) {
    const bool created = change.kind == ChangeKind::create;
    if (!created && change.kind != ChangeKind::set_data) continue;
    if (change.path == controller_path && created) claimed = true;
    if (created && change.path == idPath(broker)) shared().registrations[broker] = txn.zxid.value;
    if (change.path == epoch_path) shared().epoch = numberOf(change.data.value_or("")).value_or(0);
    if (change.path != state_path) continue;
    if (const auto partition = partitionOf(change.data.value_or(""))) {
      state_writes_.push_back({broker, shared_.claimer, shared_.partition, *partition});
      shared().partition = partition;
    }
  }
  if (!claimed) return;
  claims_.push_back({broker, shared_.claimed_epoch, shared_.epoch});
  shared().claimer = broker;
  shared().claimed_epoch = shared_.epoch;
}

}  // namespace zablab::kafka
