// Checks a model: searches it within its bounds, and reports what was found and how certain that is.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checker/check/model.h"
#include "checker/check/options.h"
#include "sim/state_graph.h"

namespace zablab {

/// Models of more states are not made into a graph.
inline constexpr std::uint64_t graph_states_max = 2'000;

struct CheckOptions : SearchOptions {
  SearchKind search = SearchKind::bfs;
  std::string towards;             ///< with one thread: the name of a goal that the search looks for first
  std::uint64_t seed = 1;          ///< of random walks
  std::uint64_t walk_depth = 200;  ///< of random walks
  /// The search begins where this scenario ends, instead of with the model's own servers.
  std::optional<LoadedScenario> from;
  Until from_until;
  /// Also makes the graph of the states, breadth first; a model of more states than can be drawn is refused.
  bool graph = false;
  /// Called about once a second.
  std::function<void(const struct CheckResult&)> progress;
};

struct CheckResult : SearchCounts {
  /// "holds", "violated", "undecided" if the search was not finished, or "reached" if it was to look for a
  /// goal
  std::string verdict;
  std::string violated;  ///< the invariant, or the name of a state that must not occur
  std::uint64_t milliseconds =
      0;                      ///< with those of earlier processes, up to the checkpoint from which it went on
  std::uint64_t resumed = 0;  ///< the states with which it went on; 0: from the beginning
  std::uint64_t memory_bytes = 0;  ///< in memory at the end
  std::uint64_t disk_bytes = 0;    ///< in files at the end
  unsigned ranks = 1;              ///< processes
  std::uint64_t states_sent = 0;   ///< between ranks
  std::uint64_t bytes_sent = 0;
  bool fingerprints = true;
  /// One in this many searches of this size misses a state; 0: none does.
  std::uint64_t omission_one_in = 0;
  bool huge_pages = true;

  struct Component {
    std::string name;
    std::uint64_t values = 0;
  };
  std::vector<Component> components;  ///< distinct values
  std::vector<Component> without;     ///< number of states, if one kind of component did not matter
  struct Invariant {
    std::string name;
    std::string verdict;            ///< "held", "violated", "not exercised"
    std::uint64_t obligations = 0;  ///< counted in distinct steps
  };
  std::vector<Invariant> invariants;
  struct Reached {
    std::string name;
    bool never = false;
    std::optional<std::uint64_t> depth;
  };
  std::vector<Reached> goals;
  std::optional<LivenessReport> liveness;  ///< if the model has any, and nothing else is violated
  std::vector<std::string> switches;       ///< what the search considered possible, in words

  /// The shortest counterexample found, or the path to the first state that was to be reached.
  std::optional<Json> scenario;
  std::uint64_t length = 0;                  ///< the number of its actions
  std::optional<std::uint64_t> loop_length;  ///< how many of them, the last, are a loop
  std::optional<StateGraph> graph;  ///< if requested
};

/// Checks what only a model's family can check. Throws InputError.
void checkModel(const LoadedModel& model);
/// Throws InputError if the model names something that does not exist.
CheckResult check(const LoadedModel& model, const CheckOptions& options);
/// The differences from what the model expects, in words; empty: none.
std::vector<std::string> compareWith(const ModelExpect& expect, const CheckResult& result);

}  // namespace zablab
