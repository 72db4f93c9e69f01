// The book that a family's monitors read, and invariants that read one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checker/monitor.h"
#include "protocol/variant.h"
#include "sim/direct.h"

namespace zablab {

/// The memory of monitors: of each server and client, and one of all of them. A family's ledger derives from
/// it, and computes the memory from what it receives. A search keeps the memory elsewhere, and only that
/// (checker/check/book_monitors.h); what a ledger has besides it is discarded by `settle` when all monitors
/// have seen a step. In a search, only the memory of the node that steps is up to date: invariants that
/// searches judge must not read another node's.
template <class F, class OwnMemory, class SharedMemory>
class Book : public Listener<F> {
 public:
  using Family = F;

  explicit Book(const Cluster<F>& cluster) : cluster_(cluster), own_(cluster.ids.size()) {}

  OwnMemory& own(int node) { return own_[static_cast<std::size_t>(node)]; }
  SharedMemory& shared() {
    shared_touched_ = true;
    return shared_;
  }
  const Cluster<F>& cluster() const { return cluster_; }
  ServerId id(int node) const { return cluster_.ids[static_cast<std::size_t>(node)]; }
  const typename F::Config& config(int node) const {
    return cluster_.configs[static_cast<std::size_t>(node)];
  }
  bool isClient(int node) const { return node >= cluster_.serverCount(); }
  Phrase who(int node) const { return Phrase::node(id(node)); }
  Phrase serverAt(int node) const { return Phrase::server(id(node)); }

  // ---- for a search
  void setShared(SharedMemory memory) {
    shared_ = std::move(memory);
    shared_touched_ = false;
  }
  bool sharedTouched() const { return shared_touched_; }

 protected:
  const Cluster<F>& cluster_;
  std::vector<OwnMemory> own_;
  SharedMemory shared_;

 private:
  bool shared_touched_ = false;
};

/// The event that a node emits; null: this is none, or another one.
template <class E, class F>
const E* eventIn(const Happened<F>& seen) {
  return seen.kind == Kind::event ? get_if<E>(seen.event) : nullptr;
}
/// The record that a node writes; null: this is none, or another one.
template <class R, class F>
const R* recordIn(const Happened<F>& seen) {
  return seen.kind == Kind::written ? get_if<R>(seen.record) : nullptr;
}

/// An invariant in one function: `on` is called with each event of `kinds`, and calls `judge(holds,
/// describe)` for each comparison.
template <class Ledger>
struct Invariant {
  InvariantInfo info;
  void (*on)(Ledger& ledger, const Happened<typename Ledger::Family>& seen, Judge judge);
  std::uint64_t kinds = ~std::uint64_t{0};  ///< of the events that it reads, one bit each
  /// Whether it is claimed at all under these rules; null: it always is.
  bool (*claimed)(const Cluster<typename Ledger::Family>& cluster) = nullptr;
};

/// Monitors of such invariants, which read this ledger, at the end of `monitors`. `invariants` has a static
/// lifetime.
template <class Ledger>
void addMonitors(std::vector<std::unique_ptr<Monitor<typename Ledger::Family>>>& monitors, Ledger& ledger,
                 std::span<const Invariant<Ledger>> invariants) {
  using F = typename Ledger::Family;
  class FunctionMonitor : public Monitor<F> {
   public:
    FunctionMonitor(Ledger& ledger, const Invariant<Ledger>& invariant)
        : ledger_(ledger), invariant_(invariant) {}
    InvariantInfo info() const override { return invariant_.info; }
    std::uint64_t kinds() const override { return invariant_.kinds; }
    bool isClaimed() const override {
      return invariant_.claimed == nullptr || invariant_.claimed(ledger_.cluster());
    }
    void on(const Happened<F>& seen) override { invariant_.on(ledger_, seen, Judge(*this)); }

   private:
    Ledger& ledger_;
    const Invariant<Ledger>& invariant_;
  };
  for (const auto& invariant : invariants)
    monitors.push_back(std::make_unique<FunctionMonitor>(ledger, invariant));
}

/// Monitors of such invariants, which read this ledger. `Ledger::kinds`, if there is such a constant, has the
/// kinds of events that the ledger reads, one bit each.
template <class Ledger>
std::unique_ptr<MonitorSet<typename Ledger::Family>> monitorsOf(
    std::unique_ptr<Ledger> ledger, std::span<const Invariant<Ledger>> invariants) {
  using F = typename Ledger::Family;
  std::vector<std::unique_ptr<Monitor<F>>> monitors;
  addMonitors(monitors, *ledger, invariants);
  std::uint64_t kinds = ~std::uint64_t{0};
  if constexpr (requires { Ledger::kinds; }) kinds = Ledger::kinds;
  return std::make_unique<MonitorSet<F>>(std::move(ledger), std::move(monitors), kinds);
}

/// Monitors that read one of two books each: the book of a search, and one that only runs have, because its
/// memory grows with the run, or because it compares times.
template <class Ledger, class Records>
std::unique_ptr<MonitorSet<typename Ledger::Family>> monitorsOf(std::unique_ptr<Ledger> ledger,
                                                                std::span<const Invariant<Ledger>> invariants,
                                                                std::unique_ptr<Records> records,
                                                                std::span<const Invariant<Records>> more) {
  using F = typename Ledger::Family;
  struct Both : Listener<F> {
    std::unique_ptr<Ledger> ledger;
    std::unique_ptr<Records> records;
    void on(const Happened<F>& happened) override {
      ledger->on(happened);
      records->on(happened);
    }
  };
  std::vector<std::unique_ptr<Monitor<F>>> monitors;
  addMonitors(monitors, *ledger, invariants);
  addMonitors(monitors, *records, more);
  auto both = std::make_unique<Both>();
  both->ledger = std::move(ledger);
  both->records = std::move(records);
  return std::make_unique<MonitorSet<F>>(std::move(both), std::move(monitors));
}

}  // namespace zablab
