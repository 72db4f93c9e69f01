// A model as a search takes it.
#pragma once

#include "checker/check/begin.h"
#include "checker/check/family_check.h"
#include "sim/nodes_of.h"

namespace zablab {

/// With all that a search's constructor takes.
struct Prepared {
  const FamilyCheck& check;
  LoadedScenario scenario;
  Setup setup;
  Limits limits;
  WorldValue<Any> start;
  std::vector<Action<Any>> connecting;  ///< what connects the clients

  Prepared(const AnyFamily& family, const FamilyCheck& of, const LoadedModel& model)
      : check(of),
        scenario(scenarioOf(model)),
        setup(setupOf(family, of, model, scenario, true)),
        limits(limitsOf(of, model, setup.cluster)),
        start(startOf(scenario, setup)),
        connecting(connectClients(of, model, setup.cluster, start)) {}
  const AnyCluster& cluster() const { return setup.cluster; }
};

/// The servers of `own`, as engines see them.
template <class F>
AnyCluster anyCluster(Cluster<F> own) {
  AnyCluster any = anyCluster(std::move(own), theFamily<F>());
  any.family = &theFamily<F>();
  return any;
}

template <class F>
Prepared prepared(const LoadedModel& model) {
  return {theFamily<F>(), theCheck<F>(), model};
}

}  // namespace zablab
