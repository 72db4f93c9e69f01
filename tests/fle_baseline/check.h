// What an exhaustive search requires of the baseline's elections. Their rules for suspecting a leader and for
// sending again read other servers' states: a search's guards may read what is known about every server.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "checker/check/check_of.h"
#include "checker/monitor.h"
#include "tests/fle_baseline/family.h"

namespace zablab {

class BaselineMoves;

template <>
struct CheckOf<fle_baseline::Family> {
  using F = fle_baseline::Family;
  using OwnMoves = BaselineMoves;
  using State = fle_baseline::State;

  // ---- what guards have to know about a process
  static constexpr std::uint32_t settled = 1;
  static constexpr std::uint32_t leads = 2;
  static constexpr std::uint32_t agreed = 4;  ///< another has its vote
  static constexpr std::uint32_t wrong = 8;   ///< its role and its vote contradict each other
  static constexpr unsigned vote_shift = 4;
  static constexpr unsigned round_shift = 6;
  static constexpr unsigned unheard_shift = 12;  ///< by server: nothing was received from it
  static std::uint32_t view(const fle_baseline::Config&, const fle_baseline::Rules&,
                            const fle_baseline::Node&);
  static std::uint32_t voteOf(std::uint32_t view) { return (view >> vote_shift) & 3; }
  static std::uint32_t roundOf(std::uint32_t view) { return (view >> round_shift) & 63; }
  static bool looks(const fle_baseline::Nothing&) { return false; }
  static Fires firesByDefault(fle_baseline::TimerKind) { return Fires::never; }

  // ---- no monitors: what must hold can be seen in a state
  static constexpr bool no_monitors = true;
  using OwnMemory = fle_baseline::Nothing;
  using SharedMemory = fle_baseline::Nothing;
  struct Seen {
    OwnMemory own;
    SharedMemory shared;
    std::uint32_t violated = 0;
    bool touches_shared = false;
  };
  struct Deaf : Listener<F> {
    void on(const Happened<F>&) override {}
  };
  static constexpr InvariantMask safe = 1;  ///< the first of these
  static constexpr std::array state_invariants{
      InvariantInfo{"safe", "roles and votes are consistent with each other"},
      InvariantInfo{"one-leader-per-round", "an election alone does not guarantee it"}};
  static StateVerdict judge(const StoreOf<F>& store) {
    bool consistent = true;
    bool one_leader = true;
    std::uint64_t led = 0;  // rounds, one bit each
    for (int i = 0; i < store.size(); ++i) {
      const std::uint32_t says = store.says(i);
      if ((says & wrong) != 0) consistent = false;
      if ((says & leads) == 0) continue;
      const std::uint64_t round = std::uint64_t{1} << roundOf(says);
      if ((led & round) != 0) one_leader = false;
      led |= round;
    }
    StateVerdict verdict;
    verdict.note(0, consistent);
    verdict.note(1, one_leader);
    return verdict;
  }

  explicit CheckOf(const Cluster<F>&) {}
  Listener<F>& listener() { return deaf_; }
  void begin(int, const OwnMemory&, const SharedMemory&) {}
  Seen end() { return {}; }
  std::pair<std::vector<OwnMemory>, SharedMemory> memoriesOf(const WorldValue<F>& value) {
    return {std::vector<OwnMemory>(value.servers.size()), {}};
  }
  const std::vector<std::uint64_t>& obligations() const { return obligations_; }

 private:
  Deaf deaf_;
  std::vector<std::uint64_t> obligations_;
};

/// A server that is down may start at any time; crashes are bounded, and rounds by the budget of elections.
class BaselineMoves : public Moves {
 public:
  using Check = CheckOf<fle_baseline::Family>;

  BaselineMoves(Tables& tables, const Limits& limits, const SearchWorld& world, const InternedStore& store)
      : Moves(tables, limits, world, store) {
    const auto timer = [&](fle_baseline::TimerKind kind, ServerId peer) {
      return tables.numberOf({static_cast<std::uint8_t>(kind), {peer, {}}});
    };
    suspect_ = timer(fle_baseline::TimerKind::suspect, no_server);
    decide_ = timer(fle_baseline::TimerKind::decide, no_server);
    for (const ServerId peer : cluster_.ids) resend_.push_back(timer(fle_baseline::TimerKind::resend, peer));
  }

  bool hasConsequences() const override { return false; }

 private:
  void listAll(Spent spent) override {
    const int n = store_.size();
    for (int a = 0; a < n; ++a) {
      if (!store_.isUp(a)) {
        add({.kind = ActionKind::start, .a = a});
        continue;
      }
      const std::uint32_t says = store_.says(a);
      if (isLeft(spent, Budget::crashes))
        add({.kind = ActionKind::kill, .a = a, .in_flight = false}, Budget::crashes);
      if ((says & Check::settled) != 0) {
        if (Check::roundOf(says) < limits_.of(Budget::elections) && hasLost(a, says)) fire(a, suspect_);
      } else if ((says & Check::agreed) != 0) {
        fire(a, decide_);
      }
      for (int b = 0; b < n; ++b) {
        if (b == a) continue;
        const bool waiting = !store_.isEmpty(0, b, a);
        if (waiting) add({.kind = ActionKind::deliver, .link = 0, .a = b, .b = a});
        const bool silent =
            !waiting && store_.isEmpty(0, a, b) && ((says >> (Check::unheard_shift + b)) & 1) != 0;
        if (silent && (says & Check::settled) == 0 && store_.isUp(b))
          fire(a, resend_[static_cast<std::size_t>(b)]);
      }
    }
  }
  void fire(int a, const Timer& timer) { add({.kind = ActionKind::fire, .a = a, .timer = timer}); }
  /// Its leader does not lead, or it leads without followers.
  bool hasLost(int a, std::uint32_t says) const {
    if ((says & Check::leads) == 0) {
      const int leader = static_cast<int>(Check::voteOf(says)) - 1;
      return !store_.isUp(leader) || (store_.says(leader) & Check::leads) == 0;
    }
    for (int b = 0; b < store_.size(); ++b) {
      const std::uint32_t other = store_.says(b);
      const bool follows = store_.isUp(b) && (other & Check::settled) != 0 && (other & Check::leads) == 0;
      if (follows && static_cast<int>(Check::voteOf(other)) == a + 1) return false;
    }
    return true;
  }

  Timer suspect_;
  Timer decide_;
  std::vector<Timer> resend_;  ///< by server
};

}  // namespace zablab
