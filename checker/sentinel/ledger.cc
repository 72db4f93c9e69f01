#include "checker/sentinel/ledger.h"

namespace zablab::sentinel {

void Ledger::on(const Happened<Family>& seen) {
  switch (seen.kind) {
    case Kind::started: {
      OwnMemory& memory = own(seen.node);
      const std::int64_t before = memory.config_epoch;
      memory = {};
      memory.config_before = before;
      memory.config_epoch = seen.disk->config_epoch;
      memory.master = seen.disk->master;
      return noteConfig(seen.node, *seen.disk);
    }
    case Kind::taken_up:
      if (seen.disk == nullptr) return;
      own(seen.node).placed = true;
      return begin(seen.node, *seen.disk);
    case Kind::stopped: {
      OwnMemory& memory = own(seen.node);
      const std::int64_t epoch = memory.config_epoch;
      memory = {};
      memory.config_before = memory.config_epoch = epoch;
      return;
    }
    case Kind::wiped: own(seen.node) = {}; return;
    case Kind::written:
      if (const auto* config = get_if<SaveConfig>(seen.record)) {
        OwnMemory& memory = own(seen.node);
        memory.config_before = memory.config_epoch;
        memory.config_epoch = config->epoch;
      }
      return;
    case Kind::delivered: return onDelivered(seen.node, id(seen.from), *seen.content);
    case Kind::event: return onEvent(seen.node, *seen.event);
    default: return;
  }
}

void Ledger::begin(int node, const Durable& disk) {
  OwnMemory& memory = own(node);
  memory.config_before = memory.config_epoch = disk.config_epoch;
  memory.master = disk.master;
  noteConfig(node, disk);
}

void Ledger::begin(int node, const Node& state) {
  if (!state.sentinel) return;
  OwnMemory& memory = own(node);
  memory.master = state.sentinel->master;
  for (const auto& [id, instance] : state.sentinel->instances) {
    if (id == memory.master) memory.sees_down = instance.down;
    if (instance.sees_down) memory.see_down[id] = memory.master;
    if (instance.master)
      memory.reports[id] = {instance.role == RedisRole::master, instance.priority, instance.offset};
  }
}

/// A configuration that is on a disk was published by somebody.
void Ledger::noteConfig(int node, const Durable& disk) {
  if (config(node).kind != NodeKind::sentinel || disk.config_epoch == 0) return;
  shared().configurations.try_emplace(disk.config_epoch, disk.master);
  shared().promotions.try_emplace(disk.config_epoch, id(node));
}

void Ledger::onDelivered(int node, ServerId from, const Message& message) {
  if (config(node).kind != NodeKind::sentinel) return;
  if (const auto* info = get_if<InfoReply>(&message)) {
    own(node).reports[from] = {info->role == RedisRole::master, info->priority, info->offset};
  } else if (const auto* reply = get_if<IsMasterDownReply>(&message)) {
    if (reply->down) {
      own(node).see_down[from] = reply->master;
    } else {
      own(node).see_down.erase(from);
    }
    noteVote(node, from, reply->vote);
  }
}

void Ledger::noteVote(int node, ServerId from, const Vote& vote) {
  OwnMemory& memory = own(node);
  if (memory.attempt != 0 && vote.leader == id(node) && vote.epoch == memory.attempt)
    memory.attempt_votes.insert(from);
}

void Ledger::onEvent(int node, const Event& event) {
  if (const auto* down = get_if<SubjectivelyDown>(&event)) {
    if (down->master) own(node).sees_down = down->down;
  } else if (const auto* switched = get_if<SwitchMaster>(&event)) {
    own(node).sees_down = false;
    own(node).master = switched->to;
    own(node).placed = false;
    own(node).attempt = 0;
  } else if (const auto* begun = get_if<TryFailover>(&event)) {
    own(node).attempt = begun->epoch;
    own(node).attempt_votes.clear();
  } else if (const auto* decided = get_if<VoteDecided>(&event)) {
    if (decided->granted) noteVote(node, id(node), decided->vote);
  } else if (holds_alternative<Elected>(event)) {
    own(node).attempt = 0;
    own(node).attempt_votes.clear();
  } else if (holds_alternative<FailoverAborted>(event)) {
    own(node).attempt = 0;
  }
}

}  // namespace zablab::sentinel
