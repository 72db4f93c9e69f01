// The time of a run, for monitors that compare how long nodes have waited by their own clocks.
#pragma once

#include <optional>

#include "protocol/vocabulary.h"

namespace zablab {

/// How long a second of a node's own clock takes at least and at most where random runs draw it, in virtual
/// milliseconds.
inline constexpr Millis own_second_min_ms = 700;
inline constexpr Millis own_second_max_ms = 1400;

class RunClock {
 public:
  Millis now() const { return now_; }
  /// Whether a node may have waited `wait` since then, by a clock as fast as there is one. Each of its timers
  /// may fire up to a millisecond early, which one in a thousand allows for where several follow each other.
  bool hasPassed(Millis since, Millis wait) const {
    return (now_ - since + rounding_ms) * 1001 >= wait * own_second_min_ms;
  }
  /// Whether it has waited longer by any clock. Nodes that look at their ticks only are two in a hundred late.
  bool hasLongPassed(Millis since, Millis wait) const {
    return (now_ - since) * 980 > wait * own_second_max_ms;
  }

 protected:
  void tell(std::optional<Millis> now) { now_ = now.value_or(now_); }

 private:
  static constexpr Millis rounding_ms = 2;

  Millis now_ = 0;
};

}  // namespace zablab
