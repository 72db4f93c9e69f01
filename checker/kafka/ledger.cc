#include "checker/kafka/ledger.h"

#include <algorithm>

#include "checker/kafka/store_text.h"

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
      const auto registered = shared().registrations.find(id(seen.node));
      if (registered != shared().registrations.end()) mine.registered_before = registered->second;
      return;
    }
    case Kind::stopped:
    case Kind::wiped: own(seen.node) = {}; return;
    case Kind::event: return onEvent(seen);
    case Kind::written: return onWritten(seen);
    default: return;
  }
}

void Ledger::begin(const WorldValue<Family>& value) {
  for (std::size_t i = 0; i < value.servers.size(); ++i) {
    if (config(static_cast<int>(i)).kind != NodeKind::zookeeper || !value.servers[i].up) continue;
    for (const zookeeper::Txn& txn : value.disks[i].image.zookeeper.log) {
      if (txn.zxid <= value.servers[i].node.zookeeper.last_processed) onApplied(txn);
    }
  }
  for (const StateWrite& write : state_writes_)
    shared().leaders.try_emplace(write.partition.leader_epoch, write.partition.leader);
  settle();
  for (std::size_t i = 0; i < value.servers.size(); ++i) {
    const int node = static_cast<int>(i);
    const auto& broker = value.servers[i].node.broker;
    own(node).log = value.disks[i].image.log;
    if (!value.servers[i].up || !broker) continue;
    own(node) = {.accepted_epoch = broker->seen_epoch, .log = broker->replica.log};
    const Log& log = broker->replica.log;
    const auto known = static_cast<std::size_t>(broker->replica.high_watermark);
    if (known > shared().committed.size())
      shared().committed.assign(log.begin(), log.begin() + broker->replica.high_watermark);
    if (broker->replica.role == ReplicaRole::leader) noteLeader(id(node), broker->applied.leader_epoch, log);
    if (!broker->active) continue;
    std::vector<ServerId>& seen_live = shared().seen_live[id(node)];
    for (const LiveBroker& one : broker->live) seen_live.push_back(one.id);
  }
}

void Ledger::onEvent(const Happened<Family>& seen) {
  if (const auto* applied = get_if<zab::BasicApplied<zookeeper::ZooKeeper>>(seen.event))
    onApplied(applied->txn);
  if (const auto* brokers = get_if<BrokersSeen>(seen.event))
    shared().seen_live[id(seen.node)] = brokers->live;
  const auto* role = get_if<RoleChanged>(seen.event);
  if (role == nullptr || role->leader != id(seen.node)) return;
  noteLeader(role->leader, role->leader_epoch, own(seen.node).log);
}

void Ledger::noteLeader(ServerId leader, std::int64_t leader_epoch, const Log& log) {
  // A request may be late: then this leader has a successor already.
  const auto last = std::find_if(shared().leaders.rbegin(), shared().leaders.rend(),
                                 [](const auto& one) { return one.second != no_server; });
  if (last == shared().leaders.rend() || leader_epoch != last->first) return;
  shared().leads_in = leader_epoch;
  shared().leader = leader;
  shared().leader_log = log;
}

void Ledger::onWritten(const Happened<Family>& seen) {
  if (config(seen.node).kind != NodeKind::broker) return;
  Log& log = own(seen.node).log;
  if (const auto* more = get_if<AppendRecords>(seen.record))
    log.insert(log.end(), more->entries.begin(), more->entries.end());
  if (const auto* less = get_if<TruncateLog>(seen.record)) log.resize(static_cast<std::size_t>(less->end));
  if (id(seen.node) == shared().leader && shared().leader_log != log) shared().leader_log = log;
}

void Ledger::onApplied(const zookeeper::Txn& txn) {
  if (txn.zxid <= shared().applied) return;
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
    if (created && change.path == registrationPath(broker)) shared().registrations[broker] = txn.zxid.value;
    if (change.path == epoch_path) shared().epoch = readNumber(change.data.value_or("")).value_or(0);
    if (change.path != state_path) continue;
    if (const auto partition = readState(change.data.value_or(""))) {
      state_writes_.push_back({broker, shared().claimer, shared().partition, *partition});
      shared().partition = partition;
    }
  }
  if (!claimed) return;
  claims_.push_back({broker, shared().claimed_epoch, shared().epoch});
  shared().claimer = broker;
  shared().claimed_epoch = shared().epoch;
}

}  // namespace zablab::kafka
