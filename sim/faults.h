// Random faults: what may go wrong and how often is a struct of knobs; where and when it does is drawn from
// `Choices`. Faults are placed by time, or strike at what happens (the n-th durable write, message or
// milestone): blind ones find little. Whatever is stopped, paused or cut is restarted, resumed or healed
// after a drawn time, so that a run with faults ends as a run without.
//
// Knobs know nothing of rules: a run with a mutation and its twin without get the same faults.
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/simulator.h"

namespace zablab {

/// How many faults of each kind, and how long they last. Ranges are drawn from; all zero: a calm run.
struct FaultKnobs {
  Range begin_ms{0, 40'000};  ///< faults that are placed by time begin within it
  Range kills;
  Range power_losses;
  Range pauses;
  Range one_way_cuts;
  Range two_way_cuts;
  Range isolations;             ///< one server cut off from all others, both ways
  Range breaks;                 ///< of single connections
  Range strikes;                ///< faults that are placed by what happens
  Range strike_at{1, 100};      ///< at the so-manyth happening of its kind
  Range strike_delay_ms{0, 4};  ///< 0 at a write: at once, before the next effect of the same step
  Range down_ms{100, 5000};
  Range paused_ms{100, 12'000};
  Range cut_ms{500, 12'000};
  std::int64_t clock_drift_permille = 0;  ///< clocks are up to so much too slow or too fast
  bool operator==(const FaultKnobs&) const = default;
};
BOOST_DESCRIBE_STRUCT(FaultKnobs, (),
                      (begin_ms, kills, power_losses, pauses, one_way_cuts, two_way_cuts, isolations, breaks,
                       strikes, strike_at, strike_delay_ms, down_ms, paused_ms, cut_ms, clock_drift_permille))

enum class FaultPreset : std::uint8_t { calm, crashes, partitions, pauses, everything };
BOOST_DESCRIBE_ENUM(FaultPreset, calm, crashes, partitions, pauses, everything)

FaultKnobs knobsOf(FaultPreset preset);

/// A swarm: each kind of fault that `knobs` allows is left out of about half of all runs.
FaultKnobs swarm(FaultKnobs knobs, Choices& choices);

enum class FaultKind : std::uint8_t {
  kill,
  power_loss,
  pause,
  one_way_cut,
  two_way_cut,
  isolation,
  break_,
  strike,
  restart,
  clock,
  swarm
};
BOOST_DESCRIBE_ENUM(FaultKind, kill, power_loss, pause, one_way_cut, two_way_cut, isolation, break_, strike,
                    restart, clock, swarm)

enum class FaultQuestion : std::uint8_t { count, when, who, whom, how_long, how, at, nth };
BOOST_DESCRIBE_ENUM(FaultQuestion, count, when, who, whom, how_long, how, at, nth)

/// The topic of a choice about a fault, and its words in an address.
constexpr std::uint8_t faultTopic(FaultKind kind, FaultQuestion question) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(kind) * 8 + static_cast<unsigned>(question));
}
std::string faultTopicName(std::uint8_t topic);

/// What a strike waits for.
enum class StrikeAt : std::uint8_t { written, before_write, synced, sent, delivered, started, milestone };
BOOST_DESCRIBE_ENUM(StrikeAt, written, before_write, synced, sent, delivered, started, milestone)

/// Must live as long as its simulator runs.
template <class F>
class FaultPlan : public Listener<F> {
 public:
  /// What a family's milestones are (a server changed its role).
  using Milestone = std::function<bool(const Happened<F>&)>;

  FaultPlan(const Cluster<F>& cluster, Simulator<F>& simulator, Choices& choices, FaultKnobs knobs,
            Milestone milestone = {})
      : cluster_(cluster),
        simulator_(simulator),
        choices_(choices),
        knobs_(std::move(knobs)),
        milestone_(std::move(milestone)),
        up_(cluster.ids.size(), false) {}

  /// Draws everything that can be drawn in advance. Call once, before the run.
  void arm() {
    simulator_.listen(*this);
    drift();
    place(FaultKind::kill, knobs_.kills);
    place(FaultKind::power_loss, knobs_.power_losses);
    place(FaultKind::pause, knobs_.pauses);
    place(FaultKind::one_way_cut, knobs_.one_way_cuts);
    place(FaultKind::two_way_cut, knobs_.two_way_cuts);
    place(FaultKind::isolation, knobs_.isolations);
    place(FaultKind::break_, knobs_.breaks);
    aim();
  }

  void on(const Happened<F>& happened) override {
    if (happened.kind == Kind::started) up_[at(happened.node)] = true;
    if (happened.kind == Kind::stopped) {
      up_[at(happened.node)] = false;
      restartLater(happened.node);
    }
    if (const auto what = strikable(happened)) struck(*what, happened.node);
    if (milestone_ && happened.node >= 0 && milestone_(happened)) struck(StrikeAt::milestone, happened.node);
  }

  /// Faults that came to something.
  std::uint64_t done() const { return done_; }

 private:
  /// One fault, drawn in advance. What does not apply when its time comes (the server is down) is let go.
  struct Fault {
    FaultKind kind{};
    int who = 0;
    int whom = 0;
    Millis how_long = 0;
    std::uint32_t how = 0;
  };
  struct Strike {
    StrikeAt at{};
    std::uint64_t left = 0;
    Millis delay = 0;
    Fault fault;
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  /// Faults befall servers. The network between them and clients is whole.
  int size() const { return cluster_.serverCount(); }

  std::int64_t ask(FaultKind kind, FaultQuestion question, Range range, ServerId of = no_server) {
    return choices_.within({ChoiceKind::fault, faultTopic(kind, question), of}, range.lo, range.hi);
  }

  void drift() {
    for (int i = 0; i < size() && knobs_.clock_drift_permille > 0; ++i) {
      // 0, +1, -1, +2, -2, ...: the default is a right clock.
      const std::int64_t drawn = ask(FaultKind::clock, FaultQuestion::how,
                                     {0, 2 * knobs_.clock_drift_permille}, cluster_.ids[at(i)]);
      simulator_.setClockRate(i, 1000 + (drawn % 2 == 1 ? (drawn + 1) / 2 : -drawn / 2));
    }
  }

  Fault draw(FaultKind kind, FaultKind asked_as) {
    Fault fault{.kind = kind};
    fault.who = static_cast<int>(ask(asked_as, FaultQuestion::who, {0, size() - 1}));
    fault.whom = static_cast<int>(ask(asked_as, FaultQuestion::whom, {0, std::max(size() - 2, 0)}));
    if (fault.whom >= fault.who) ++fault.whom;
    const Range lasts = kind == FaultKind::pause ? knobs_.paused_ms : knobs_.cut_ms;
    fault.how_long = ask(asked_as, FaultQuestion::how_long, lasts);
    fault.how = static_cast<std::uint32_t>(ask(asked_as, FaultQuestion::how, {0, 3}));
    return fault;
  }

  void place(FaultKind kind, Range how_many) {
    if (how_many.hi == 0 || size() < 2) return;
    const std::int64_t count = ask(kind, FaultQuestion::count, how_many);
    for (std::int64_t i = 0; i < count; ++i) {
      const Millis when = ask(kind, FaultQuestion::when, knobs_.begin_ms);
      const Fault fault = draw(kind, kind);
      simulator_.at(when, [this, fault] { strike(fault); });
    }
  }

  /// Draws the strikes, and what they wait for.
  void aim() {
    if (knobs_.strikes.hi == 0 || size() < 2) return;
    const std::int64_t count = ask(FaultKind::strike, FaultQuestion::count, knobs_.strikes);
    for (std::int64_t i = 0; i < count; ++i) {
      Strike strike;
      strike.at = static_cast<StrikeAt>(ask(FaultKind::strike, FaultQuestion::at, {0, milestone_ ? 6 : 5}));
      strike.left = static_cast<std::uint64_t>(ask(FaultKind::strike, FaultQuestion::nth, knobs_.strike_at));
      strike.delay = ask(FaultKind::strike, FaultQuestion::when, knobs_.strike_delay_ms);
      // One of kill, power_loss, pause; `whom` says which.
      strike.fault = draw(FaultKind::pause, FaultKind::strike);
      const std::int64_t kind = ask(FaultKind::strike, FaultQuestion::whom, {0, 2});
      strike.fault.kind = static_cast<FaultKind>(kind);
      strikes_.push_back(strike);
    }
    auto before = simulator_.before_effect;
    simulator_.before_effect = [this, before = std::move(before)](
                                   int i, const typename F::Vocabulary::Effect& effect) {
      if (std::holds_alternative<typename F::Vocabulary::Write>(effect)) struck(StrikeAt::before_write, i);
      return before ? before(i, effect) : std::optional<typename Simulator<F>::Ending>();
    };
  }

  static std::optional<StrikeAt> strikable(const Happened<F>& happened) {
    switch (happened.kind) {
      case Kind::written: return StrikeAt::written;
      case Kind::synced: return StrikeAt::synced;
      case Kind::sent: return StrikeAt::sent;
      case Kind::delivered: return StrikeAt::delivered;
      case Kind::started: return StrikeAt::started;
      default: return std::nullopt;
    }
  }

  void struck(StrikeAt what, int node) {
    if (node < 0 || node >= size()) return;
    for (Strike& strike : strikes_) {
      if (strike.at != what || strike.left == 0 || --strike.left > 0) continue;
      Fault fault = strike.fault;
      fault.who = node;
      const bool at_a_write =
          what == StrikeAt::written || what == StrikeAt::before_write || what == StrikeAt::synced;
      if (strike.delay == 0 && at_a_write && fault.kind != FaultKind::pause && up_[at(node)]) {
        ++done_;
        simulator_.endProcess(node,
                              fault.kind == FaultKind::kill ? HowStopped::kill : HowStopped::power_loss);
      } else {
        simulator_.at(simulator_.now() + strike.delay, [this, fault] { this->strike(fault); });
      }
    }
  }

  // ---- doing it

  bool runs(int i) const { return simulator_.store().isUp(i) && !cluster_.scripted[at(i)]; }

  void strike(const Fault& fault) {
    ++done_;
    switch (fault.kind) {
      case FaultKind::kill:
        if (runs(fault.who)) {
          simulator_.apply({.kind = ActionKind::kill, .a = fault.who, .in_flight = fault.how % 2 == 0});
        }
        return;
      case FaultKind::power_loss:
        if (runs(fault.who)) {
          const std::uint32_t kept =
              fault.how == 0 ? std::numeric_limits<std::uint32_t>::max() : fault.how - 1;
          simulator_.apply({.kind = ActionKind::lose_power, .a = fault.who, .unsynced = kept});
        }
        return;
      case FaultKind::pause: return pause(fault.who, fault.how_long);
      case FaultKind::one_way_cut: return cut(fault.who, fault.whom, fault.how_long);
      case FaultKind::two_way_cut:
        cut(fault.who, fault.whom, fault.how_long);
        return cut(fault.whom, fault.who, fault.how_long);
      case FaultKind::isolation:
        for (int i = 0; i < size(); ++i) {
          if (i == fault.who) continue;
          cut(fault.who, i, fault.how_long);
          cut(i, fault.who, fault.how_long);
        }
        return;
      case FaultKind::break_:
        for (Link link = 0; link < cluster_.links.size(); ++link) {
          simulator_.apply({.kind = ActionKind::disrupt,
                            .link = link,
                            .a = fault.who,
                            .b = fault.whom,
                            .in_flight = fault.how % 2 == 0});
        }
        return;
      default: return;
    }
  }

  void pause(int i, Millis how_long) {
    if (!runs(i) || simulator_.store().isPaused(i)) return;
    simulator_.apply({.kind = ActionKind::pause, .a = i});
    simulator_.at(simulator_.now() + how_long, [this, i] {
      if (simulator_.store().isPaused(i)) simulator_.apply({.kind = ActionKind::resume, .a = i});
    });
  }

  void cut(int from, int to, Millis how_long) {
    simulator_.apply({.kind = ActionKind::cut, .a = from, .b = to});
    simulator_.at(simulator_.now() + how_long,
                  [this, from, to] { simulator_.apply({.kind = ActionKind::heal, .a = from, .b = to}); });
  }

  void restartLater(int i) {
    if (cluster_.scripted[at(i)]) return;
    const Millis down = ask(FaultKind::restart, FaultQuestion::how_long, knobs_.down_ms, cluster_.ids[at(i)]);
    simulator_.at(simulator_.now() + down, [this, i] {
      if (!simulator_.store().isUp(i)) simulator_.apply({.kind = ActionKind::start, .a = i});
    });
  }

  const Cluster<F>& cluster_;
  Simulator<F>& simulator_;
  Choices& choices_;
  FaultKnobs knobs_;
  Milestone milestone_;
  std::vector<bool> up_;
  std::vector<Strike> strikes_;
  std::uint64_t done_ = 0;
};

}  // namespace zablab
