#include "checker/redis_cluster/ledger.h"

#include <algorithm>

namespace zablab::redis_cluster {
namespace {

template <class List, class Item>
void noteOnce(List& list, const Item& item) {
  const auto at = std::lower_bound(list.begin(), list.end(), item);
  if (at == list.end() || *at != item) list.insert(at, item);
}

}  // namespace

NodesConf confOn(const Durable& disk, const Config& config) {
  if (!disk.conf.nodes.empty()) return disk.conf;
  NodesConf conf;
  for (const Member& member : config.members) {
    conf.nodes[member.id] = {member.master, member.config_epoch};
    conf.current_epoch = std::max(conf.current_epoch, member.config_epoch);
    for (const Slot slot : member.slots) conf.slots[slot] = member.id;
  }
  for (const Member& member : config.members) {
    if (member.master != no_server)
      conf.nodes[member.id].config_epoch = conf.nodes[member.master].config_epoch;
  }
  return conf;
}

void Ledger::on(const Happened<Family>& seen) {
  switch (seen.kind) {
    case Kind::started:
      conf_before_ = std::exchange(own(seen.node).conf, confOf(seen.node, *seen.disk));
      return;
    case Kind::taken_up:
      if (seen.disk != nullptr) begin(seen.node, *seen.disk);
      return;
    case Kind::stopped: {
      OwnMemory& memory = own(seen.node);
      memory.suspected.clear();
      memory.failed.clear();
      memory.voters.clear();
      memory.asked = 0;
      endHandovers(id(seen.node));
      return;
    }
    case Kind::wiped: own(seen.node).conf = confOf(seen.node, {}); return;
    case Kind::written:
      if (!holds_alternative<SaveConf>(*seen.record)) return countWrite(id(seen.node), *seen.record);
      if (seen.blocking) noteSynced(seen.node, *seen.record);
      return;
    case Kind::synced: return noteSynced(seen.node, *seen.record);
    case Kind::sent:
      if (seen.node >= 0 && seen.how != SentHow::copy) onSent(seen.node, *seen.content);
      return;
    case Kind::delivered: return onDelivered(seen.node, seen.from, *seen.content);
    case Kind::step_over: request_.reset(); return;
    case Kind::event: return onEvent(seen.node, *seen.event);
    default: return;
  }
}

void Ledger::noteSynced(int server, const Record& record) {
  if (const auto* save = get_if<SaveConf>(&record))
    conf_before_ = std::exchange(own(server).conf, save->conf);
}

void Ledger::onSent(int server, const Message& message) {
  OwnMemory& memory = own(server);
  if (const auto* ack = get_if<AuthAck>(&message)) {
    const std::int64_t epoch = ack->header.current_epoch;
    votes_again_ = std::binary_search(memory.voted.begin(), memory.voted.end(), epoch);
    noteOnce(memory.voted, epoch);
  } else if (const auto* asks = get_if<AuthRequest>(&message)) {
    // To its master a replica's messages wait (Node::withheld): one of an earlier attempt may come after it.
    if (asks->header.current_epoch <= memory.asked) return;
    memory.asked = asks->header.current_epoch;
    memory.voters.clear();
  }
}

void Ledger::onDelivered(int server, int from, const Message& message) {
  if (const auto* asks = get_if<AuthRequest>(&message)) request_ = *asks;
  const auto* ack = get_if<AuthAck>(&message);
  OwnMemory& memory = own(server);
  if (ack != nullptr && memory.asked > 0 && ack->header.current_epoch >= memory.asked)
    noteOnce(memory.voters, id(from));
}

void Ledger::onEvent(int server, const Event& event) {
  OwnMemory& memory = own(server);
  if (const auto* flagged = get_if<Flagged>(&event)) {
    std::erase(memory.suspected, flagged->about);
    if (flagged->flag != Flag::FAIL) std::erase(memory.failed, flagged->about);
    if (flagged->flag == Flag::PFAIL) noteOnce(memory.suspected, flagged->about);
    if (flagged->flag == Flag::FAIL) noteOnce(memory.failed, flagged->about);
  } else if (const auto* manual = get_if<ManualFailover>(&event)) {
    onManual(id(server), *manual);
  } else if (holds_alternative<Follows>(event)) {
    endHandovers(id(server));
  } else if (const auto* promoted = get_if<Promoted>(&event)) {
    handover_.reset();
    for (const Handover& one : shared_.handovers) {
      if (one.replica == id(server) && one.master == promoted->old_master && one.arrived) handover_ = one;
    }
    endHandovers(id(server));
    if (promoted->by != PromotedBy::election) return;
    const auto [at, is_new] = shared().winners.emplace(promoted->epoch, id(server));
    other_winner_ = is_new || at->second == id(server) ? no_server : at->second;
  }
}

void Ledger::onManual(ServerId server, const ManualFailover& event) {
  switch (event.stage) {
    case ManualStage::requested:
    case ManualStage::timed_out: return endHandovers(server);
    case ManualStage::refused: return;
    case ManualStage::paused: {
      auto& all = shared().handovers;
      const auto at = std::find_if(all.begin(), all.end(),
                                   [&](const Handover& one) { return one.replica == event.with; });
      if (at == all.end()) {
        all.push_back({event.with, server, event.offset, {}});
      } else {
        at->master = server;
        at->executed = event.offset;
      }
      return;
    }
    case ManualStage::started:
      for (Handover& one : shared().handovers) {
        if (one.replica == server) one.arrived = event.offset;
      }
  }
}

void Ledger::endHandovers(ServerId server) {
  if (shared_.handovers.empty()) return;
  std::erase_if(shared().handovers,
                [&](const Handover& one) { return one.replica == server || one.master == server; });
}

void Ledger::countWrite(ServerId server, const Record& record) {
  if (shared_.handovers.empty()) return;
  const auto* all = get_if<SaveHistory>(&record);
  for (Handover& one : shared().handovers) {
    if (one.master == server && all == nullptr) ++one.executed;
    if (one.replica != server || !one.arrived) continue;
    one.arrived = all == nullptr ? *one.arrived + 1 : static_cast<std::int64_t>(all->history.size());
  }
}

NodesConf Ledger::confOf(int server, const Durable& disk) const {
  return config(server).client ? NodesConf{} : confOn(disk, config(server));
}

void Ledger::begin(int server, const Durable& disk) { own(server).conf = confOf(server, disk); }

void Ledger::begin(const WorldValue<Family>& world) {
  const auto offsetOf = [](const Node& node) { return static_cast<std::int64_t>(node.history.size()); };
  for (std::size_t i = 0; i < world.servers.size(); ++i) {
    if (!world.servers[i].up) continue;
    const Node& node = world.servers[i].node;
    OwnMemory& memory = own(static_cast<int>(i));
    for (const auto& [id, seen] : node.seen) {
      if (seen.pfail) memory.suspected.push_back(id);
      if (seen.fail) memory.failed.push_back(id);
    }
    if (node.manual_replica != no_server)
      shared().handovers.push_back({node.manual_replica, node.self, offsetOf(node), {}});
  }
  for (const auto& server : world.servers) {
    const Node& replica = server.node;
    if (!server.up || !replica.manual || !replica.manual->started) continue;
    for (Handover& one : shared().handovers) {
      if (one.replica == replica.self) one.arrived = offsetOf(replica);
    }
  }
}

std::size_t Ledger::electorate() const {
  const auto& members = cluster_.configs.front().members;
  return static_cast<std::size_t>(std::count_if(members.begin(), members.end(),
                                                [](const Member& member) { return !member.slots.empty(); }));
}

}  // namespace zablab::redis_cluster
