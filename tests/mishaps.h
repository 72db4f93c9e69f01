// Random mishaps for tests of the simulator itself: a number of each kind begin at drawn times, and whatever
// is stopped, paused or cut is restored after a drawn time. Faults of complete runs are drawn by
// checker/fuzz.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/simulator.h"

namespace zablab {

enum class Mishap : std::uint8_t { kill, power_loss, pause, cut, break_, at_write };
BOOST_DESCRIBE_ENUM(Mishap, kill, power_loss, pause, cut, break_, at_write)

/// The largest number of each, and the latest times at which they begin and end.
struct MishapCounts {
  std::array<Range, 6> counts{Range{0, 4}, {0, 3}, {0, 4}, {0, 8}, {0, 4}, {0, 3}};
  Millis begin_ms_max = 4000;
  Millis lasts_ms_max = 1000;
  Range& of(Mishap kind) { return counts[static_cast<std::size_t>(kind)]; }
};

/// The questions about one, in addresses: "kill count", "kill when".
enum class MishapQuestion : std::uint8_t { count, when, who, whom, how, lasts };
BOOST_DESCRIBE_ENUM(MishapQuestion, count, when, who, whom, how, lasts)

constexpr std::uint8_t mishapTopic(Mishap kind, MishapQuestion question) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(kind) * 8 + static_cast<unsigned>(question));
}
inline std::string mishapTopicName(std::uint8_t topic) {
  std::string kind(enumName(static_cast<Mishap>(topic / 8)));
  if (kind.back() == '_') kind.pop_back();
  return kind + " " + std::string(enumName(static_cast<MishapQuestion>(topic % 8)));
}

/// Must live as long as its simulator runs.
template <class F>
class Mishaps : public Listener<F> {
 public:
  Mishaps(const Cluster<F>& cluster, Simulator<F>& simulator, Choices& choices, MishapCounts counts)
      : cluster_(cluster), simulator_(simulator), choices_(choices), counts_(counts) {}

  /// Draws all of them. Call once, before the run.
  void arm() {
    simulator_.listen(*this);
    for (std::size_t i = 0; i < counts_.counts.size(); ++i) {
      const auto kind = static_cast<Mishap>(i);
      if (counts_.of(kind).hi == 0) continue;
      for (std::int64_t n = ask(kind, MishapQuestion::count, counts_.of(kind)); n > 0; --n) place(kind);
    }
  }

  /// A process that writes may end there, inside its step; a process that ended starts again.
  void on(const Happened<F>& happened) override {
    if (happened.kind == Kind::stopped) {
      const int who = happened.node;
      const Millis down = ask(Mishap::kill, MishapQuestion::lasts, lasts(), cluster_.ids[at(who)]);
      simulator_.at(simulator_.now() + down, [this, who] {
        if (!simulator_.store().isUp(who)) simulator_.apply({.kind = ActionKind::start, .a = who});
      });
    }
    if (happened.kind != Kind::written) return;
    ++writes_;
    for (const AtWrite& one : at_writes_) {
      if (one.nth == writes_)
        simulator_.endProcess(happened.node, one.power ? HowStopped::power_loss : HowStopped::kill);
    }
  }

 private:
  struct AtWrite {
    std::int64_t nth = 0;
    bool power = false;
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  Range lasts() const { return {1, counts_.lasts_ms_max}; }
  std::int64_t ask(Mishap kind, MishapQuestion question, Range range, ServerId of = no_server) {
    return choices_.within({ChoiceKind::fault, mishapTopic(kind, question), of}, range.lo, range.hi);
  }

  void place(Mishap kind) {
    const int n = cluster_.serverCount();
    const Millis when = ask(kind, MishapQuestion::when, {0, counts_.begin_ms_max});
    const int who = static_cast<int>(ask(kind, MishapQuestion::who, {0, n - 1}));
    int whom = static_cast<int>(ask(kind, MishapQuestion::whom, {0, n - 2}));
    if (whom >= who) ++whom;
    const std::int64_t how = ask(kind, MishapQuestion::how, {0, 3});
    if (kind == Mishap::at_write) return at_writes_.push_back({when / 20 + 1, how % 2 == 1});
    const Millis end = when + ask(kind, MishapQuestion::lasts, lasts());
    simulator_.at(when, [=, this] { begin(kind, who, whom, how); });
    simulator_.at(end, [=, this] { finish(kind, who, whom); });
  }

  void begin(Mishap kind, int who, int whom, std::int64_t how) {
    const bool up = simulator_.store().isUp(who);
    const bool in_flight = how % 2 == 0;
    switch (kind) {
      case Mishap::kill:
        if (up) simulator_.apply({.kind = ActionKind::kill, .a = who, .in_flight = in_flight});
        return;
      case Mishap::power_loss:
        if (up) {
          simulator_.apply(
              {.kind = ActionKind::lose_power, .a = who, .unsynced = static_cast<std::uint32_t>(how)});
        }
        return;
      case Mishap::pause:
        if (up && !simulator_.store().isPaused(who)) simulator_.apply({.kind = ActionKind::pause, .a = who});
        return;
      case Mishap::cut: return simulator_.apply({.kind = ActionKind::cut, .a = who, .b = whom});
      case Mishap::break_:
        for (Link link = 0; link < cluster_.links.size(); ++link) {
          simulator_.apply(
              {.kind = ActionKind::disrupt, .link = link, .a = who, .b = whom, .in_flight = in_flight});
        }
        return;
      case Mishap::at_write: return;
    }
  }

  void finish(Mishap kind, int who, int whom) {
    if (kind == Mishap::pause && simulator_.store().isPaused(who))
      simulator_.apply({.kind = ActionKind::resume, .a = who});
    if (kind == Mishap::cut) simulator_.apply({.kind = ActionKind::heal, .a = who, .b = whom});
  }

  const Cluster<F>& cluster_;
  Simulator<F>& simulator_;
  Choices& choices_;
  MishapCounts counts_;
  std::vector<AtWrite> at_writes_;
  std::int64_t writes_ = 0;
};

}  // namespace zablab
