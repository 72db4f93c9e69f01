// What the checker requires of a family, besides its nodes and their written forms (sim/family.h) and what a
// search requires (checker/check/contract.h): its invariants, and how its random runs are drawn and judged.
// `FamilyInvariants` and `FamilyFuzz` are what the engines call. A family specialises `InvariantsOf` and
// `FuzzOf` in checker/<family>/ for its own types, and checker/family_of.h makes the former of the latter.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/conformance.h"
#include "checker/fuzz/drawn.h"
#include "checker/monitor.h"
#include "checker/tables.h"
#include "sim/run.h"

namespace zablab {

class FamilyInvariants {
 public:
  virtual ~FamilyInvariants() = default;
  /// New ones, for one run.
  virtual std::unique_ptr<Monitors> all(const AnyCluster& cluster) const = 0;
  virtual std::vector<InvariantInfo> list() const = 0;
  /// Whether a run judges those that states show, if its scenario names them.
  virtual bool judgesStates() const = 0;
  /// Those of them that have these names, for one run.
  virtual std::unique_ptr<Monitors> requested(ScenarioRun& run,
                                              const std::vector<std::string>& names) const = 0;
  /// Pure decisions that tables can test.
  virtual std::vector<TableFunction> functions() const = 0;
  /// What real servers did.
  virtual std::vector<RecordingKind> recordingKinds() const = 0;
};

// Specialised for the family's own types (declared in checker/monitor.h):
//
//     static std::unique_ptr<MonitorSet<F>> all(const Cluster<F>&)
//     static std::unique_ptr<Monitor<F>> requested(RunOf<F>&, std::string_view name)
//     static std::vector<TableFunction> functions()
//     static std::vector<RecordingKind> recordingKinds()
//
// All but the first may be omitted; `requested` returns null if there is none of that name.

class FuzzWatcher;
struct FuzzRun;

/// How random runs are drawn and judged. checker/fuzz/swarm.h contains what all families draw,
/// checker/fuzz/watcher.h how a run is watched.
class FamilyFuzz {
 public:
  virtual ~FamilyFuzz() = default;
  /// What they have besides the common faults.
  virtual std::span<const FuzzSetting> settings() const = 0;
  /// A run; the same for the same choices and shape, regardless of its rules.
  virtual DrawnRun draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable) const = 0;
  /// A node's place in its protocol: steps are counted by it; and in words.
  virtual std::uint32_t placeOf(const Value& node) const = 0;
  virtual std::string placeName(std::uint32_t place) const = 0;
  /// The place of a process that has not done anything.
  virtual std::uint32_t firstPlace() const = 0;
  /// The answers that each probe of the core must get, one bit each; and in words.
  virtual std::uint32_t allOperations() const = 0;
  virtual std::string operationsText() const = 0;
  /// The operation that was answered successfully; 0: none.
  virtual std::uint32_t answered(const Value& event) const = 0;
  /// The server a client turns to, and whether it waits.
  virtual std::pair<ServerId, bool> clientOf(const Value& node) const = 0;
  /// Times are grouped by it.
  virtual std::string settingOf(const AnyCluster& cluster) const = 0;
  virtual std::unique_ptr<FuzzWatcher> watcher(const FuzzRun& run) const = 0;
};

/// Specialised for the family's own types: `settings`, `draw`, `placeOf`, `placeName`, `first_place`,
/// `all_operations`, `operations_text`, `answered`, `clientOf`, `settingOf`, which mean the same; and
/// `watcher`, which may be omitted if a core has to do no more than every core.
template <class F>
struct FuzzOf;

}  // namespace zablab
