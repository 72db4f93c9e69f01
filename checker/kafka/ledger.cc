#include "checker/kafka/ledger.h"

namespace zablab::kafka {

using zookeeper::ChangeKind;

void Ledger::on(const Happened<Family>& seen) {
  settle();
  switch (seen.kind) {
    case Kind::started:
      own(seen.node) = {};
      // What was durable and not applied yet is applied when it is loaded, without an event.
      if (config(seen.node).kind == NodeKind::zookeeper) {
        for (const zookeeper::Txn& txn : seen.disk->log) onApplied(txn);
      }
      return;
    case Kind::stopped:
    case Kind::wiped: own(seen.node) = {}; return;
    case Kind::event:
      if (const auto* applied = std::get_if<zab::BasicApplied<zookeeper::ZooKeeper>>(seen.event))
        onApplied(applied->txn);
      if (const auto* brokers = std::get_if<BrokersSeen>(seen.event))
        own(seen.node).seen_live = brokers->live;
      return;
    default: return;
  }
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
    if (change.path == epoch_path) shared().epoch = numberOf(change.data.value_or("")).value_or(0);
    if (change.path != state_path) continue;
    if (const auto partition = partitionOf(change.data.value_or("")))
      state_writes_.push_back({broker, shared_.claimer, *partition});
  }
  if (!claimed) return;
  claims_.push_back({broker, shared_.claimed_epoch, shared_.epoch});
  shared().claimer = broker;
  shared().claimed_epoch = shared_.epoch;
}

}  // namespace zablab::kafka
