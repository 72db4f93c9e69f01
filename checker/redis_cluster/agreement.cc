#include "checker/redis_cluster/agreement.h"

#include <algorithm>
#include <optional>
#include <set>

#include "protocol/redis_cluster/parts.h"

namespace zablab::redis_cluster {
namespace {

std::optional<ServerId> ownerOf(const Node& node, Slot slot) {
  const auto at = node.conf.slots.find(slot);
  return at == node.conf.slots.end() ? std::nullopt : std::optional(at->second);
}

bool tellsMore(const Rules& rules, ServerId from, const Ping& ping, const Running& receiver) {
  Node after = *receiver.node;
  Effects effects;
  Family::step(*receiver.config, rules, after, V::Received{bus_link, from, ping}, effects);
  return after.conf != receiver.node->conf ||
         std::any_of(effects.begin(), effects.end(), [](const auto& one) {
           const auto* send = get_if<V::Send>(&one);
           return send != nullptr && !holds_alternative<Pong>(send->message);
         });
}

}  // namespace

bool ownersDiffer(const std::vector<Running>& nodes) {
  std::set<Slot> claimed;
  for (const Running& one : nodes) {
    for (const auto& [slot, owner] : one.node->conf.slots) {
      if (owner == one.node->self) claimed.insert(slot);
    }
  }
  return std::any_of(claimed.begin(), claimed.end(), [&](Slot slot) {
    const auto first = ownerOf(*nodes.front().node, slot);
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](const Running& one) { return ownerOf(*one.node, slot) != first; });
  });
}

bool configEpochsCollide(const std::vector<Running>& nodes) {
  std::set<std::int64_t> epochs;
  for (const Running& one : nodes) {
    const Node& node = *one.node;
    const Known& own = node.conf.nodes.at(node.self);
    const bool has_slots = std::any_of(node.conf.slots.begin(), node.conf.slots.end(),
                                       [&](const auto& slot) { return slot.second == node.self; });
    if (own.master == no_server && has_slots && !epochs.insert(own.config_epoch).second) return true;
  }
  return false;
}

bool pingsTellMore(const Rules& rules, const std::vector<Running>& nodes) {
  for (const Running& sender : nodes) {
    Node copy = *sender.node;
    Effects effects;
    const Ping ping = pingOf(Context{*sender.config, rules, copy, effects});
    for (const Running& receiver : nodes) {
      if (sender.node != receiver.node && tellsMore(rules, sender.node->self, ping, receiver)) return true;
    }
  }
  return false;
}

}  // namespace zablab::redis_cluster
