#include "checker/check/begin.h"

#include <string>

#include "checker/check/watch.h"
#include "sim/asks.h"

namespace zablab {
namespace {

/// Refuses budgets that nothing in this family, or on these links, would spend. Throws InputError.
void checkBudgets(const FamilyCheck& check, const LoadedModel& model, const AnyCluster& cluster) {
  const Guards guards = check.guards();
  const BoundsSpec& bounds = model.spec.bounds;
  const auto refuse = [&](std::int64_t bound, const char* budget, const char* why, const char* hint) {
    if (bound > 0) throw model.document.find("bounds")->keyError(budget, why, hint);
  };
  if (!guards.elections)
    refuse(bounds.elections, "elections", "this protocol has no elections", "leave it out");
  if (!guards.budgeted) {
    constexpr const char* hint = "list in `asks` what clients ask";
    refuse(bounds.writes, "writes", "a request of this protocol is not given by a number", hint);
    refuse(bounds.reads, "reads", "a request of this protocol is not given by a number", hint);
  }
  if (!guards.turns)
    refuse(bounds.turns, "turns", "clients of this protocol are not connected to one server", "leave it out");
  const auto& kinds = cluster.links;
  if (std::find(kinds.begin(), kinds.end(), LinkKind::datagram) != kinds.end()) return;
  constexpr const char* why = "no link loses or duplicates single messages";
  refuse(bounds.drops, "drops", why, "`breaks` loses a connection with what is in flight");
  refuse(bounds.duplicates, "duplicates", why, "leave it out");
}

/// The model's list of requests. Throws InputError.
std::vector<std::pair<int, Value>> asksOf(const FamilyCheck& check, const LoadedModel& model,
                                          const AnyCluster& cluster) {
  std::vector<std::pair<int, Value>> asks;
  if (model.spec.asks.empty()) return asks;
  if (!check.guards().asks)
    throw model.document.keyError("asks", "a model of this protocol has no list of requests");
  const AnyFamily& family = *cluster.family;
  for (const AskedFor& ask : model.spec.asks) {
    const JsonValue& place = model.document.find("asks")->elements()[asks.size()];
    const int index = cluster.indexOf(ask.client);
    if (index < cluster.serverCount())
      throw place.keyError("client", "there is no client " + std::to_string(ask.client));
    const AnyAsks what = family.readAsks(place, ask.own);
    if (family.turnsTo(what))
      throw ask.own.front().errorAtKey("a list of requests has no " + inBackticks(ask.own.front().key()));
    const auto number = static_cast<std::int64_t>(asks.size()) + 1;
    asks.emplace_back(index, family.request(what, {number}));
  }
  if (asks.size() > budget_max)
    throw model.document.keyError("asks", "there are more than " + std::to_string(budget_max) + " requests");
  if (model.spec.asks_order == AskOrder::per_client && cluster.clients > Spent::lists_max)
    throw model.document.keyError(
        "asks_order", "more than " + std::to_string(Spent::lists_max) + " clients have lists of their own");
  return asks;
}

}  // namespace

Setup setupOf(const AnyFamily& family, const FamilyCheck& check, const LoadedModel& model,
              const LoadedScenario& begins, bool anew) {
  Setup setup = makeSetup(family, begins);
  const auto change = [&](const auto& links) {
    links(static_cast<ClusterShape&>(setup.cluster).links);
    links(setup.cluster.own->links);
  };
  const auto own_links = check.linksOfServers();
  if (own_links && anew && begins.spec.clients.empty())
    change([&](std::vector<LinkKind>& links) { links.resize(*own_links); });
  if (const auto link = check.mutedBy(model.spec.grain))
    change([&](std::vector<LinkKind>& links) { links[*link] = LinkKind::mute; });
  return setup;
}

Limits limitsOf(const FamilyCheck& check, const LoadedModel& model, const AnyCluster& cluster) {
  checkBudgets(check, model, cluster);
  const AnyFamily& family = *cluster.family;
  const Model& spec = model.spec;
  Limits limits;
  limits.bounds = spec.bounds.bounds();
  limits.ends = spec.ends;
  limits.ends_inside_steps = spec.ends_inside_steps;
  limits.dials = spec.dials;
  limits.slots_connect_at_once = spec.connect_at_once;
  limits.grain = spec.grain;
  if (!check.knows(spec.grain))
    throw model.document.keyError(
        "grain",
        "this protocol is not searched at the grain " + inBackticks(std::string(enumName(spec.grain))),
        "every protocol supports `full`");
  for (std::size_t kind = 0; kind < family.timerKinds(); ++kind)
    limits.fires.push_back(check.firesByDefault(static_cast<std::uint8_t>(kind)));
  for (const auto& [name, fires] : spec.timers) {
    const auto kind = family.timerFromName(name);
    if (!kind) throw model.document.find("timers")->keyError(name, "there is no timer " + inBackticks(name));
    if (!check.knows(fires))
      throw model.document.find("timers")->keyError(
          name, "no timer of this protocol fires " + inBackticks(std::string(enumName(fires))),
          "every protocol supports: never, budgeted, free, quiescent, peer_unreachable");
    limits.fires[*kind] = fires;
  }
  if (!spec.only.empty()) {
    limits.links = 0;
    for (const std::string& name : spec.only) {
      const auto links = family.links();
      const auto link = std::find_if(links.begin(), links.end(), [&](auto& one) { return one.name == name; });
      if (link == links.end()) throw model.document.keyError("only", "there is no link " + inBackticks(name));
      limits.links |= 1U << (link - links.begin());
    }
  }
  limits.asks = asksOf(check, model, cluster);
  limits.asks_order = spec.asks_order;
  limits.bounds[static_cast<std::size_t>(Budget::asked)] = static_cast<std::uint32_t>(limits.asks.size());
  return limits;
}

WorldValue<Any> startOf(const LoadedScenario& scenario, const Setup& setup) {
  DirectStore<Any> store(setup.cluster);
  WatchEnvironment environment(setup.cluster);
  World<DirectStore<Any>, WatchEnvironment> world(setup.cluster, store, environment);
  performStart(scenario, setup, store, world);
  return store.value();
}

std::vector<Action<Any>> connectClients(const FamilyCheck& check, const LoadedModel& model,
                                        const AnyCluster& cluster, WorldValue<Any>& start) {
  std::vector<Action<Any>> way;
  if (!check.connectsClients()) return way;
  const auto& clients = model.spec.clients;
  if (std::none_of(clients.begin(), clients.end(), [](const ClientSpec& one) { return one.server; }))
    return way;
  DirectStore<Any> store(cluster);
  store.setValue(start);
  IdleEnvironment<Any> environment;
  World<DirectStore<Any>, IdleEnvironment<Any>> world(cluster, store, environment);
  const auto next = [&]() -> std::optional<Action<Any>> {
    for (Link link = 0; link < cluster.links.size(); ++link) {
      for (int from = 0; from < store.size(); ++from) {
        for (int to = 0; to < store.size(); ++to) {
          if (world.canDeliver(link, from, to))
            return Action<Any>{.kind = ActionKind::deliver, .link = link, .a = from, .b = to};
          if (world.isDialling(link, from, to) && store.isUp(to))
            return Action<Any>{.kind = ActionKind::dial, .link = link, .a = from, .b = to};
        }
      }
    }
    for (int i = 0; i < store.size(); ++i) {
      if (store.isUp(i) && store.hasUnsynced(i)) return Action<Any>{.kind = ActionKind::sync, .a = i};
    }
    return std::nullopt;
  };
  while (const auto action = next()) {
    world.apply(*action);
    way.push_back(*action);
  }
  start = store.value();
  for (const ClientSpec& client : clients) {
    const auto i = static_cast<std::size_t>(cluster.indexOf(client.id));
    if (client.server && !check.isConnected(start.servers[i].node))
      throw model.document.keyError(
          "clients", "client " + std::to_string(client.id) + " is not connected before the search begins",
          "let a server lead, and the client's server follow it, or leave out the client's `server`");
  }
  return way;
}

}  // namespace zablab
