#include "tests/lookups.h"

#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <vector>

#include "checker/check/search.h"

namespace zablab::lookups {
namespace {

/// A separate worker, with what it has seen.
struct Alone {
  explicit Alone(const Prepared& of)
      : shared(of.cluster(), of.check, of.limits, {.memory_max = std::uint64_t{1} << 24}, of.start, {}),
        worker(shared) {}
  /// Sets it to the state of another worker.
  void put(const Worker& other) {
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
  /// The same move by its own numbers.
  Move numbered(Move move, const Worker& other) {
    NumberedAction& action = move.action;
    const Tables& from = other.shared.tables;
    if (action.kind == ActionKind::fire) action.timer = shared.tables.numberOf(from.valueOf(action.timer));
    if (action.kind == ActionKind::ask)
      action.request = {shared.tables.requests.number(from.requests[action.request.number])};
    return move;
  }
  Shared shared;
  Worker worker;
};

}  // namespace

void compare(const Prepared& model, int walks, int depth, Compared& tally) {
  // Both are too large for the stack.
  const auto all = std::make_unique<Alone>(model);
  Worker& worker = all->worker;
  std::mt19937_64 random(7);
  for (int walk = 0; walk < walks; ++walk) {
    worker.putStart();
    for (int step = 0; step < depth; ++step) {
      const std::vector<std::uint32_t> before(worker.store.tuple(),
                                              worker.store.tuple() + worker.layout.size);
      worker.listMoves();
      if (random() % 4 == 0) worker.listAllEnds(before.data());
      if (worker.followers.empty()) break;
      const Move move = worker.followers[random() % worker.followers.size()];
      const auto anew = std::make_unique<Alone>(model);
      // What was computed with another memory of all servers must not be looked up, if that matters.
      anew->put(worker);
      const auto other = anew->worker.watch.monitors().memoriesOf(model.start).second;
      anew->worker.store.part(worker.layout.shared_at) = anew->shared.memories.shareds.number(other);
      const std::vector<std::uint32_t> elsewhere(anew->worker.store.tuple(),
                                                 anew->worker.store.tuple() + worker.layout.size);
      InvariantMask there = 0;
      anew->worker.perform(elsewhere.data(), anew->numbered(move, worker), there);
      anew->put(worker);
      const std::vector<std::uint32_t> same(anew->worker.store.tuple(),
                                            anew->worker.store.tuple() + worker.layout.size);
      REQUIRE(anew->worker.store.fingerprint() == worker.store.fingerprint());
      InvariantMask known = 0;
      InvariantMask computed = 0;
      const bool kept = worker.perform(before.data(), move, known);
      CHECK(anew->worker.perform(same.data(), anew->numbered(move, worker), computed) == kept);
      if (!kept) break;
      CHECK(known == computed);
      REQUIRE(anew->worker.store.fingerprint() == worker.store.fingerprint());
      ++tally.steps;
      if (known != 0) ++tally.violations;
    }
  }
}

}  // namespace zablab::lookups
