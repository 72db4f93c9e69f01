// Invariants that a run judges only if its scenario expects something of them.
#pragma once

#include <algorithm>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/monitor.h"
#include "sim/run_of.h"

namespace zablab {

template <class F>
struct InvariantsOf;

template <class F>
class Requested : public Monitor<F> {
 public:
  /// Why the run has been too short to judge it so far; empty: it has not been.
  virtual std::string undecided() const { return {}; }
};

/// The family has such invariants; `requested` returns null if it has none of that name.
template <class F>
concept HasRequested = requires(RunOf<F>& run, std::string_view name) {
  { InvariantsOf<F>::requested(run, name) } -> std::same_as<std::unique_ptr<Requested<F>>>;
};

/// The names of the invariants of which the scenario expects something.
inline std::vector<std::string> namedInvariants(const std::vector<ExpectSpec>& expectations) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const ExpectSpec& expect : expectations) {
    if (expect.invariant) add(expect.invariant->name);
    for (const std::string& name : namedInvariants(expect.any_of)) add(name);
  }
  return names;
}

/// Those that a scenario names.
template <class F>
class RequestedSet : public Listener<F> {
 public:
  RequestedSet(RunOf<F>& run, const Scenario& scenario) {
    if constexpr (HasRequested<F>) {
      for (const std::string& name : namedInvariants(scenario.expect)) {
        if (auto requested = InvariantsOf<F>::requested(run, name)) monitors_.push_back(std::move(requested));
      }
    }
    if (!monitors_.empty()) run.watch(*this);
  }

  void on(const Happened<F>& happened) override {
    for (std::size_t i = 0; i < monitors_.size(); ++i) {
      Requested<F>& monitor = *monitors_[i];
      if (((monitor.kinds() >> static_cast<unsigned>(happened.kind)) & 1) == 0) continue;
      const bool violated_before = monitor.violation().has_value();
      monitor.on(happened);
      if (!violated_before && monitor.violation() && on_violation) on_violation(i);
    }
  }

  const std::vector<std::unique_ptr<Requested<F>>>& monitors() const { return monitors_; }
  /// Called for the first violation of each.
  std::function<void(std::size_t)> on_violation;

 private:
  std::vector<std::unique_ptr<Requested<F>>> monitors_;
};

}  // namespace zablab
