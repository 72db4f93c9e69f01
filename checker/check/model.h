// A model: a small configuration, how far a search of it goes, and what it must find. docs/model-checking.md
// explains it; these structs are its only definition.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checker/check/bounds.h"
#include "checker/check/fair_cycles.h"
#include "sim/run.h"
#include "sim/state_set.h"

namespace zablab {

/// Budgets; see checker/check/bounds.h.
struct BoundsSpec {
  std::int64_t elections = 0;
  std::int64_t crashes = 0;
  std::int64_t restarts = 0;
  std::int64_t partitions = 0;
  std::int64_t timeouts = 0;
  std::int64_t writes = 0;
  std::int64_t reads = 0;
  std::int64_t turns = 0;
  std::int64_t disk_errors = 0;
  std::int64_t overtakes = 0;
  std::int64_t pauses = 0;
  std::int64_t breaks = 0;
  std::int64_t drops = 0;
  std::int64_t duplicates = 0;
  std::int64_t wipes = 0;
  std::int64_t one_way_cuts = 0;
  Bounds bounds() const;
};
BOOST_DESCRIBE_STRUCT(BoundsSpec, (),
                      (elections, crashes, restarts, partitions, timeouts, writes, reads, turns, disk_errors,
                       overtakes, pauses, breaks, drops, duplicates, wipes, one_way_cuts))

/// A request of a model's list: a client, and the family's own keys, as in a step. The number of its place is
/// used for a value that it needs and does not give.
struct AskedFor {
  ServerId client = 0;
  OwnMembers own;
  static constexpr const char* schema_name = "ask";
  static constexpr std::array required{"client"};
  using Other = JsonValue;
  bool takeOther(const JsonValue& member);
  void writeOther(Json& ask) const;
};
BOOST_DESCRIBE_STRUCT(AskedFor, (), (client))

/// A state to look for: the contents of some servers' states.
struct Goal {
  std::string name;
  std::map<ServerId, JsonValue> state;
  std::string because;
  static constexpr std::array required{"name", "state"};
};
BOOST_DESCRIBE_STRUCT(Goal, (), (name, state, because))

/// What has to happen in the end, in every behaviour that is fair and stays within the bounds. One of the
/// first three is given.
struct LivenessSpec {
  std::string name;
  std::optional<StatesSpec> eventually;         ///< one of these states is met
  std::optional<StatesSpec> always_eventually;  ///< again and again
  std::optional<StatesSpec> leads_to;           ///< after each of `from`
  std::optional<StatesSpec> from;
  std::string because;
  static constexpr std::array required{"name"};
};
BOOST_DESCRIBE_STRUCT(LivenessSpec, (), (name, eventually, always_eventually, leads_to, from, because))

/// The expected result of a search of the model.
struct ModelExpect {
  std::string verdict = "holds";  ///< or "violated"
  /// The one that is violated, or the name of a state in `never`, or of what does not happen.
  std::string invariant;
  std::optional<std::uint64_t> distinct;
  std::optional<std::uint64_t> generated;
  std::optional<std::uint64_t> depth;
  std::optional<std::uint64_t> length;  ///< of the shortest counterexample, in actions
};
BOOST_DESCRIBE_STRUCT(ModelExpect, (), (verdict, invariant, distinct, generated, depth, length))

/// A search that had the same counts.
struct Confirmed {
  SearchKind search = SearchKind::bfs;
  std::int64_t jobs = 1;  ///< threads
  bool exact = false;
};
BOOST_DESCRIBE_STRUCT(Confirmed, (), (search, jobs, exact))

struct Model : Setting {
  Model() { kind = "model"; }

  // The model's clients are connected to their servers from the start.
  std::vector<AskedFor> asks;  ///< instead of the budgets' requests
  AskOrder asks_order = AskOrder::one_by_one;
  bool connected = true;          ///< slot links are connected from the start
  std::vector<std::string> only;  ///< the links in use; all by default

  BoundsSpec bounds;
  std::vector<Ends> ends{Ends::kill, Ends::power_loss};
  bool ends_inside_steps = true;        ///< also within a step, at a write
  std::map<std::string, Fires> timers;  ///< by timer, rules that differ from the family's
  Dials dials = Dials::patient;
  bool connect_at_once = true;  ///< slot links of servers that can reach each other connect without a step
  Grain grain = Grain::full;

  std::vector<std::string> invariants;  ///< those that end the search; all by default
  std::vector<Goal> reach;              ///< states that have to be met
  std::vector<Goal> never;              ///< states that must not be met
  std::vector<LivenessSpec> liveness;   ///< what has to happen in the end
  /// By kind of action or by timer, where it is not as liveness.h says.
  std::map<std::string, Fairness> fairness;
  ModelExpect expect;
  std::vector<FailsWith> fails_with;
  std::vector<Confirmed> confirmed;       ///< searches that had these counts: scripts/models.py performs them
  std::vector<std::string> confirmed_by;  ///< other confirmations of the counts
  static constexpr const char* schema_name = "model";
  static constexpr std::array required{"kind", "name", "servers"};
};
BOOST_DESCRIBE_STRUCT(Model, (Setting),
                      (asks, asks_order, connected, only, bounds, ends, ends_inside_steps, timers, dials,
                       connect_at_once, grain, invariants, reach, never, liveness, fairness, expect,
                       fails_with, confirmed, confirmed_by))

// Compiled in checker/check/model.cc.
extern template const json_detail::StructType& json_detail::structTypeOf<Model>();

/// A model with the places in its text.
struct LoadedModel {
  Model spec;
  JsonValue document;
};

/// Reads a model. Throws InputError.
Model readModel(const JsonValue& document);
/// The model's servers, as a scenario without steps.
LoadedScenario scenarioOf(const LoadedModel& model);

}  // namespace zablab
