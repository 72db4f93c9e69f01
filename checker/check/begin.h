// How a search of a model begins.
#pragma once

#include <algorithm>
#include <vector>

#include "checker/check/model.h"
#include "checker/check/moves.h"
#include "sim/run.h"

namespace zablab {

/// The servers of a model, with the links that its search needs. `anew`: it does not begin with another
/// scenario's end.
Setup setupOf(const AnyFamily& family, const FamilyCheck& check, const LoadedModel& model,
              const LoadedScenario& begins, bool anew);
/// The switches of a model. Throws InputError if it names something that does not exist.
Limits limitsOf(const FamilyCheck& check, const LoadedModel& model, const AnyCluster& cluster);
/// Performs the model's initial actions, in a world whose servers are down.
template <class WorldType>
void performStart(const LoadedScenario& scenario, const Setup& setup, DirectStore<Any>& store,
                  WorldType& world) {
  const AnyFamily& family = *setup.cluster.family;
  const std::vector<int> placed =
      placeServers(setup, scenario.spec, store, [&](Link link, int a, int b) { world.open(link, a, b); });
  for (int i = 0; i < store.size(); ++i) {
    const ServerSpec& server = setup.servers[static_cast<std::size_t>(i)];
    if (server.scripted || server.down) continue;
    if (std::find(placed.begin(), placed.end(), i) != placed.end()) {
      world.takeUp(i);
    } else {
      world.start(i);
    }
  }
  if (!family.clientsTurn()) return;
  for (const ClientSpec& client : scenario.spec.clients) {
    if (client.server)
      world.ask(setup.cluster.indexOf(client.id), family.request(family.turn(*client.server), {}));
  }
}
/// The initial world of the model.
WorldValue<Any> startOf(const LoadedScenario& scenario, const Setup& setup);
/// Lets the servers run until nothing is on the way, so that all clients that turn to a server are connected
/// when the search begins. Changes `start`, and returns what was done. Throws InputError if one is not.
std::vector<Action<Any>> connectClients(const FamilyCheck& check, const LoadedModel& model,
                                        const AnyCluster& cluster, WorldValue<Any>& start);

}  // namespace zablab
