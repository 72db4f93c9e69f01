// Checks a model: searches it within its bounds, and says what was found and how sure that is.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checker/check/model.h"

namespace zablab {

enum class SearchKind : std::uint8_t { bfs, dfs, walks };
BOOST_DESCRIBE_ENUM(SearchKind, bfs, dfs, walks)

struct CheckOptions {
  SearchKind search = SearchKind::bfs;
  unsigned threads = 1;
  std::uint64_t memory_max = std::uint64_t{8} << 30;  ///< bytes
  std::uint64_t milliseconds_max = 0;                 ///< 0: no limit
  std::uint64_t states_max = 0;
  std::uint64_t seed = 1;          ///< of random walks
  std::uint64_t walk_depth = 200;  ///< of random walks
  bool exact = false;
  bool project = false;
  std::string scratch;  ///< a directory for what need not be in memory (breadth first); empty: all is there
  /// The search begins where this scenario ends, instead of with the model's own servers.
  std::optional<LoadedScenario> from;
  Until from_until;
  const std::atomic<bool>* interrupted = nullptr;
  std::function<std::uint64_t()>
      clock;  ///< milliseconds; without it there is no limit of time and no progress
  /// Called about once a second.
  std::function<void(const struct CheckResult&)> progress;
};

struct CheckResult {
  std::string verdict;  ///< "holds", "violated", or "unknown" where the search was not finished
  bool exhausted = false;
  std::string stopped_by;  ///< empty: nothing
  std::string violated;    ///< the invariant, or the name of a state that must not be
  std::uint64_t distinct = 0;
  std::uint64_t generated = 0;
  std::uint64_t pruned = 0;    ///< transitions beyond the budget of elections
  std::uint64_t terminal = 0;  ///< states that nothing follows
  std::uint64_t depth = 0;
  std::uint64_t frontier = 0;
  std::uint64_t milliseconds = 0;
  std::uint64_t memory_bytes = 0;  ///< that the process had in memory at the end
  std::uint64_t disk_bytes = 0;    ///< that it kept in files at the end
  bool fingerprints = true;
  /// One in so many searches like this misses a state; 0: none does.
  std::uint64_t omission_one_in = 0;
  bool huge_pages = true;

  struct Component {
    std::string name;
    std::uint64_t values = 0;
  };
  std::vector<Component> components;  ///< distinct values
  std::vector<Component> without;     ///< states, if one kind of component did not matter
  std::map<std::string, std::uint64_t> moves;
  struct Invariant {
    std::string name;
    std::string verdict;            ///< "held", "violated", "not exercised"
    std::uint64_t obligations = 0;  ///< in distinct steps
  };
  std::vector<Invariant> invariants;
  struct Reached {
    std::string name;
    bool never = false;
    std::optional<std::uint64_t> depth;
  };
  std::vector<Reached> goals;
  std::vector<std::string> switches;  ///< what the search took for possible, in words

  /// The shortest counterexample that was found, or the way to the first state that was to be reached.
  std::optional<Json> scenario;
  std::uint64_t length = 0;  ///< its actions
};

/// Checks what only a model's family can tell. Throws InputError.
void checkModel(const LoadedModel& model);
/// Throws InputError where the model names what there is not.
CheckResult check(const LoadedModel& model, const CheckOptions& options);
/// What differs from what the model expects, in words; empty: nothing.
std::vector<std::string> compareWith(const ModelExpect& expect, const CheckResult& result);

}  // namespace zablab
