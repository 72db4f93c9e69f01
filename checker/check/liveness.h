// What has to happen in the end: searched in the graph of all states within the bounds, without what monitors
// remember.
//
// A behaviour that goes on for ever, or stops where nothing has to happen, is one that counts if it is fair:
// by default the protocol goes on. Messages that can be read are read, timers that stay armed fire, writes
// become durable, dials are answered, questions to the world are answered, what was cut heals, what was
// paused resumes (weak fairness, for each channel, timer, disk and pair by itself; a timer that is set again
// is a new one). Of the ages that a server may be told each is told again and again if the server asks again
// and again (strong fairness). Nothing is promised about faults, starts, requests and whatever else has a
// budget. What a budget ends is not such a behaviour: it goes on where the search does not.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checker/check/contract.h"
#include "checker/check/fair_cycles.h"
#include "checker/check/moves.h"
#include "checker/check/options.h"
#include "sim/state_set.h"

namespace zablab {

/// From each of the states `from` (without them: from the beginning or, `always`, from all) one of `to` is
/// met.
struct LivenessProperty {
  std::string name;
  bool always = false;
  std::optional<StateSet> from;
  StateSet to;
};

struct LivenessResult : LivenessReport {
  /// Of the first property that is violated: what happens, and what then happens again and again. An empty
  /// loop: nothing has to happen any more.
  struct Counterexample {
    std::size_t property = 0;
    std::vector<Action<Any>> stem;
    std::vector<Action<Any>> loop;
  };
  std::optional<Counterexample> counterexample;
};

/// With one thread; in pages it is left out (no_liveness.cc). `progress` is told how many states there are,
/// about once a second.
LivenessResult searchLiveness(const AnyCluster& cluster, const FamilyCheck& check, const Limits& limits,
                              const SearchOptions& options, const WorldValue<Any>& start,
                              const std::vector<LivenessProperty>& properties, const FairnessByName& fairness,
                              const std::function<void(std::uint64_t)>& progress);

}  // namespace zablab
