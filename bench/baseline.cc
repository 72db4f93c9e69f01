// Exhausts the baseline's elections (tests/fle_baseline) and reports how long that took; bench/check.py
// compares it with SPIN.
//
//   zablab_baseline ROUNDS CRASHES CAPACITY THREADS
#include <chrono>
#include <iostream>
#include <string>

#include "checker/check/search.h"
#include "sim/nodes_of.h"
#include "tests/fle_baseline/check.h"

int main(int count, char** words) {
  using namespace zablab;
  using F = fle_baseline::Family;
  if (count != 5) {
    std::cerr << "usage: zablab_baseline ROUNDS CRASHES CAPACITY THREADS\n";
    return 2;
  }
  Cluster<F> cluster;
  cluster.ids = {1, 2, 3};
  cluster.configs.assign(3, {});
  cluster.scripted.assign(3, false);
  cluster.links = {LinkKind::bounded};
  cluster.capacity = std::stoul(words[3]);
  Limits limits;
  limits.bounds[static_cast<std::size_t>(Budget::elections)] =
      static_cast<std::uint32_t>(std::stoul(words[1]));
  limits.bounds[static_cast<std::size_t>(Budget::crashes)] = static_cast<std::uint32_t>(std::stoul(words[2]));
  SearchOptions options;
  options.threads = static_cast<unsigned>(std::stoul(words[4]));
  options.invariants = CheckOf<F>::safe;
  const NodesOf<F, AnyNodes> nodes;
  const FamilyCheckOf<F> check;
  const AnyCluster servers = anyCluster(cluster, nodes);
  const DirectStore<Any> store(servers);
  const auto began = std::chrono::steady_clock::now();
  Search search(servers, check, limits, options, store.value());
  const SearchCounts counts = search.breadthFirst();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::cout << counts.distinct << " distinct, " << counts.generated + 1 << " generated, "
            << (counts.exhausted ? "exhausted" : "not exhausted") << ", " << took.count() << " s\n";
}
