// Compares what a search looks up with what it computes anew, on drawn paths through a model: the steps of
// nodes, and the verdicts and memories of monitors.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <vector>

#include "checker/check/check_impl.h"

namespace zablab::lookups {

/// A separate worker, with what it has seen.
template <class F>
struct Alone {
  explicit Alone(const Cluster<F>& cluster, const Limits<F>& limits, const WorldValue<F>& start)
      : shared(cluster, limits, {.memory_max = std::uint64_t{1} << 24}, start, {}), worker(shared) {}
  /// Sets it to the state of another worker.
  void put(const Worker<F>& other) {
    const Layout& layout = other.layout;
    worker.store.setValue(other.store.value());
    for (int i = 0; i < layout.servers; ++i) {
      worker.store.part(layout.own_at + i) =
          shared.memories.owns.number(other.shared.memories.owns[other.store.part(layout.own_at + i)]);
    }
    worker.store.part(layout.shared_at) =
        shared.memories.shareds.number(other.shared.memories.shareds[other.store.part(layout.shared_at)]);
    worker.store.setSpent(other.store.spent());
  }
  Shared<F> shared;
  Worker<F> worker;
};

struct Compared {
  std::uint64_t steps = 0;
  std::uint64_t violations = 0;  ///< steps that violated something
};

/// Adds to `tally` what `walks` paths of at most `depth` moves from the model's start have compared.
template <class F>
void compare(const LoadedModel& model, int walks, int depth, Compared& tally) {
  const LoadedScenario scenario = scenarioOf(model);
  const Setup setup = check_detail::setupOf<F>(model, scenario, true);
  const auto& cluster = setup.cluster.as<F>();
  const Limits<F> limits = check_detail::limitsOf<F>(model, cluster);
  WorldValue<F> start = Typed<F>::world(check_detail::startOf(scenario, setup));
  check_detail::connectClients(model, cluster, start);
  // Both are too large for the stack.
  const auto all = std::make_unique<Alone<F>>(cluster, limits, start);
  Worker<F>& worker = all->worker;
  std::mt19937_64 random(7);
  for (int walk = 0; walk < walks; ++walk) {
    worker.putStart();
    for (int step = 0; step < depth; ++step) {
      const std::vector<std::uint32_t> before(worker.store.tuple(),
                                              worker.store.tuple() + worker.layout.size);
      worker.listMoves();
      if (random() % 4 == 0) worker.listAllEnds(before.data());
      if (worker.followers.empty()) break;
      const Move<F> move = worker.followers[random() % worker.followers.size()];
      const auto anew = std::make_unique<Alone<F>>(cluster, limits, start);
      // What was computed with another memory of all servers must not be looked up, if that matters.
      anew->put(worker);
      const auto other = anew->worker.watch.monitors().memoriesOf(start).second;
      anew->worker.store.part(worker.layout.shared_at) = anew->shared.memories.shareds.number(other);
      const std::vector<std::uint32_t> elsewhere(anew->worker.store.tuple(),
                                                 anew->worker.store.tuple() + worker.layout.size);
      typename Memories<F>::Mask there = 0;
      anew->worker.perform(elsewhere.data(), move, there);
      anew->put(worker);
      const std::vector<std::uint32_t> same(anew->worker.store.tuple(),
                                            anew->worker.store.tuple() + worker.layout.size);
      REQUIRE(anew->worker.store.fingerprint() == worker.store.fingerprint());
      typename Memories<F>::Mask known = 0;
      typename Memories<F>::Mask computed = 0;
      const bool kept = worker.perform(before.data(), move, known);
      CHECK(anew->worker.perform(same.data(), move, computed) == kept);
      if (!kept) break;
      CHECK(known == computed);
      REQUIRE(anew->worker.store.fingerprint() == worker.store.fingerprint());
      ++tally.steps;
      if (known != 0) ++tally.violations;
    }
  }
}

}  // namespace zablab::lookups
