// What a step works on, and what all parts of a node ask about its view of the cluster.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "protocol/redis_cluster/family.h"

namespace zablab::redis_cluster {

struct Context {
  const Config& config;
  const Rules& rules;
  Node& node;
  Effects& out;

  void send(ServerId to, Message message, Link link = bus_link) const {
    if (link == bus_link && to == node.delayed) return node.withheld.push_back(std::move(message));
    out.push_back(V::Send{link, to, std::move(message)});
  }
  void broadcast(const Message& message) const {
    for (const auto& [id, known] : node.conf.nodes) {
      if (id != node.self) send(id, message);
    }
  }
  void emit(Event event) const { out.push_back(V::Emit{std::move(event)}); }
  void setWithin(TimerKind kind, Millis lo, Millis hi, ServerId about = no_server) const {
    out.push_back(V::SetTimer{{kind, about}, lo, hi});
  }
  void set(TimerKind kind, Millis wait, ServerId about = no_server) const {
    setWithin(kind, wait, wait, about);
  }
  void cancel(TimerKind kind, ServerId about = no_server) const {
    out.push_back(V::CancelTimer{{kind, about}});
  }
  void mark() const { out.push_back(V::Mark{MarkKey::data}); }
  void askAge() const { out.push_back(V::AskAge{MarkKey::data}); }
  /// nodes.conf is on the disk before anything that this step sends later.
  void save() const { out.push_back(V::Write{SaveConf{node.conf}, true}); }

  Known& known(ServerId id) const { return node.conf.nodes[id]; }
  Known& own() const { return known(node.self); }
  bool isMaster(ServerId id) const {
    const auto at = node.conf.nodes.find(id);
    return at != node.conf.nodes.end() && at->second.master == no_server;
  }
  bool isMaster() const { return isMaster(node.self); }
  ServerId master() const { return own().master; }
  void tellRole() const { emit(RoleChanged{isMaster() ? Role::MASTER : Role::REPLICA}); }
  std::vector<Slot> slotsOf(ServerId owner) const {
    std::vector<Slot> slots;
    for (const auto& [slot, by] : node.conf.slots) {
      if (by == owner) slots.push_back(slot);
    }
    return slots;
  }
  bool hasSlots(ServerId owner) const {
    return std::any_of(node.conf.slots.begin(), node.conf.slots.end(),
                       [owner](const auto& slot) { return slot.second == owner; });
  }
  /// The masters that own slots, dead ones included.
  std::vector<ServerId> electorate() const {
    std::vector<ServerId> masters;
    for (const auto& [id, known] : node.conf.nodes) {
      if (known.master == no_server && hasSlots(id)) masters.push_back(id);
    }
    return masters;
  }
  std::size_t quorum() const { return electorate().size() / 2 + 1; }
  bool isFailed(ServerId id) const {
    const auto at = node.seen.find(id);
    return at != node.seen.end() && at->second.fail;
  }
  bool isSuspect(ServerId id) const {
    const auto at = node.seen.find(id);
    return at != node.seen.end() && (at->second.fail || at->second.pfail);
  }
  std::int64_t offset() const { return static_cast<std::int64_t>(node.history.size()); }
  Header header() const {
    const ServerId owner = isMaster() ? node.self : master();
    const std::int64_t told = rules.offset_told == OffsetTold::zero ? 0 : offset();
    return {node.conf.current_epoch,         known(owner).config_epoch, master(), slotsOf(owner), told,
            node.manual_replica != no_server};
  }
};

inline bool contains(const std::vector<ServerId>& list, ServerId id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}
inline void insertInOrder(std::vector<ServerId>& list, ServerId id) {
  list.insert(std::lower_bound(list.begin(), list.end(), id), id);
}

}  // namespace zablab::redis_cluster
