// The time of a run, for monitors that compare how long nodes have waited by their own clocks.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sim/happened.h"

namespace zablab {

/// How long a second of a node's own clock takes at least and at most where random runs draw it, in virtual
/// milliseconds.
inline constexpr Millis own_second_min_ms = 700;
inline constexpr Millis own_second_max_ms = 1400;

/// An instant, and how long the node's process had stood still by then: its timers stand still with it.
struct Since {
  Millis at = 0;
  Millis still = 0;
};

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

  Since sinceNow(int node) { return {now_, stillOf(node)}; }
  /// Whether a node has waited longer since then, by any clock, while its process was running.
  bool isLate(int node, const Since& since, Millis wait) {
    return hasLongPassed(since.at + stillOf(node) - since.still, wait);
  }
  /// When the node's present process was last resumed; 0: never.
  Millis resumedAt(int node) { return process(node).resumed_at; }

 protected:
  /// To be called first with everything that happens.
  template <class F>
  void keepTime(const Happened<F>& seen) {
    now_ = seen.now.value_or(now_);
    if (seen.node < 0) return;
    Process& here = process(seen.node);
    switch (seen.kind) {
      case Kind::paused: here.paused_at = now_; return;
      case Kind::resumed:
        here.still = stillOf(seen.node);
        here.paused_at.reset();
        here.resumed_at = now_;
        return;
      case Kind::stopped: here = {}; return;
      default: return;
    }
  }

 private:
  struct Process {
    Millis still = 0;  ///< for so long it has stood still, before it does now
    std::optional<Millis> paused_at;
    Millis resumed_at = 0;
  };
  static constexpr Millis rounding_ms = 2;

  Process& process(int node) {
    const auto at = static_cast<std::size_t>(node);
    if (at >= processes_.size()) processes_.resize(at + 1);
    return processes_[at];
  }
  /// A process that stands still may be instructed nevertheless.
  Millis stillOf(int node) {
    const Process& here = process(node);
    return here.still + (here.paused_at ? now_ - *here.paused_at : 0);
  }

  Millis now_ = 0;
  std::vector<Process> processes_;  ///< by node
};

}  // namespace zablab
