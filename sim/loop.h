// A run that goes on for ever, as far as it is run: whether its last actions lead back to the state in which
// they begin, and which states are met in between.
#pragma once

#include <cstddef>
#include <optional>

#include "sim/direct.h"
#include "sim/scenario.h"
#include "sim/state_set.h"

namespace zablab {

class LoopWatch {
 public:
  /// Throws InputError.
  LoopWatch(const AnyCluster& cluster, const LoopSpec& spec, const JsonValue& place);

  /// Before the first action of the loop, and after the last one each time. Whether it is the state of the
  /// first call.
  bool atBegin(const DirectStore<Any>& store);
  /// After each action from there on.
  void afterAction(const DirectStore<Any>& store) { meets_ = meets_ || isMet(store); }

  /// Whether every round has led back, and there was one.
  bool returns() const { return returns_ && rounds_ > 0; }
  /// Whether a state was met that must not be.
  bool meets() const { return meets_; }
  std::size_t rounds() const { return rounds_; }

 private:
  bool isMet(const DirectStore<Any>& store) const { return without_ && without_->contains(store); }

  const AnyCluster& cluster_;
  std::optional<StateSet> without_;
  std::optional<WorldValue<Any>> begin_;
  std::size_t rounds_ = 0;
  bool returns_ = true;
  bool meets_ = false;
};

}  // namespace zablab
