// The options of a search, and how far it went.
#pragma once

#include <atomic>
#include <boost/describe.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "checker/check/fair_cycles.h"

namespace zablab {

/// A set of a search's invariants: one bit each, in the order in which it lists them.
using InvariantMask = std::uint64_t;
inline constexpr std::size_t invariants_max = 64;

/// What has to be the same where a search goes on.
struct CheckpointIdentity {
  std::string model;          ///< its name, for messages
  std::uint64_t content = 0;  ///< a hash of the model and of what else decides what is searched
  std::uint64_t program = 0;  ///< a hash of the program and, for a protocol of a module, of the module
  BOOST_DESCRIBE_CLASS(CheckpointIdentity, (), (model, content, program), (), ())
};

/// Where a search breadth first leaves how far it is (checkpoint.h), and goes on if it finds that.
struct CheckpointOptions {
  std::string directory;  ///< empty: nowhere
  std::uint64_t every_milliseconds = 600'000;
  CheckpointIdentity identity;
  std::function<void(const std::string&)>
      warn;  ///< a checkpoint could not be written; the last one is as it was
};

class Ranks;

/// The options of a search, besides its model.
struct SearchOptions {
  unsigned threads = 1;
  std::uint64_t memory_max = std::uint64_t{8} << 30;  ///< bytes
  std::uint64_t states_max = 0;                       ///< 0: no limit; between levels
  std::uint64_t depth_max = 0;                        ///< 0: no limit
  std::uint64_t milliseconds_max = 0;                 ///< 0: no limit
  bool monitors = true;                               ///< states include what monitors remember
  InvariantMask invariants = ~InvariantMask{0};       ///< those that end the search when they are violated
  bool exact = false;                                 ///< whole states instead of fingerprints
  std::string scratch;   ///< a directory for origins and, breadth first, for waiting states; empty: memory
  CheckpointOptions checkpoint;
  Ranks* ranks = nullptr;  ///< search with other processes (ranks.h): breadth first, with one thread each
  bool project = false;  ///< count the states that would be left if one kind of component did not matter
  const std::atomic<bool>* interrupted = nullptr;
  std::function<std::uint64_t()>
      clock;  ///< milliseconds, for limits and progress; without it there are no such limits and no progress
};

/// How far a search is, and how it ended.
struct SearchCounts {
  std::uint64_t distinct = 0;
  std::uint64_t generated = 0;  ///< transitions
  std::uint64_t pruned = 0;     ///< those of them that an election beyond the budget ends
  std::uint64_t terminal = 0;   ///< states without successors
  std::uint64_t depth = 0;
  std::uint64_t frontier = 0;
  std::map<std::string, std::uint64_t> moves;  ///< transitions, by kind of action
  bool exhausted = false;
  /// "memory", "disk", "ordinals", "lost rank", "time", "states", "depth", "interrupt", "violation", "goal";
  /// empty: nothing
  std::string stopped_by;
  BOOST_DESCRIBE_CLASS(SearchCounts, (),
                       (distinct, generated, pruned, terminal, depth, frontier, moves, exhausted, stopped_by),
                       (), ())
};

/// Fairness by the name of a kind of action, or of a timer.
using FairnessByName = std::map<std::string, Fairness>;

/// What was found of liveness (liveness.h).
struct LivenessReport {
  std::uint64_t states = 0;  ///< without what monitors remember
  std::uint64_t transitions = 0;
  std::uint64_t leaving = 0;  ///< of them, those that exceed the budget of elections
  std::string stopped_by;     ///< as in SearchCounts; empty: the graph is whole
  FairnessByName fairness;    ///< of everything that can happen in these states, except where it is none

  struct Property {
    std::string name;
    std::string verdict;  ///< "held", "violated", "not exercised"; without a whole graph "undecided"
    std::vector<std::string> needs;  ///< held: that of which the fairness is necessary
  };
  std::vector<Property> properties;
};

}  // namespace zablab
