// An invariant is a monitor: an automaton over what happens, with a memory of its own. It counts its
// obligations (how often it compared something): one that had none did not hold, it was not exercised.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/happened.h"

namespace zablab {

/// What an invariant is, for lists and reports.
struct InvariantInfo {
  std::string_view name;
  std::string_view text;
};

template <class F>
class Monitor : public Listener<F> {
 public:
  virtual InvariantInfo info() const = 0;

  std::uint64_t obligations() const { return obligations_; }
  /// The first violation, in words.
  const std::optional<std::string>& violation() const { return violation_; }

 protected:
  /// Counts an obligation; the first one that does not hold is the violation. `describe()` is called only
  /// then.
  template <class Describe>
  void check(bool holds, Describe&& describe) {
    ++obligations_;
    if (!holds && !violation_) violation_ = describe();
  }

 private:
  std::uint64_t obligations_ = 0;
  std::optional<std::string> violation_;
};

}  // namespace zablab
