// What can happen next in a state of a search: what the protocol does by itself, the timers that may fire by
// the model's rules, the faults that its budgets still allow, and the clients' requests; always in the same
// order.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/check/bounds.h"
#include "checker/check/contract.h"
#include "checker/check/interned.h"
#include "sim/idle.h"
#include "sim/world.h"

namespace zablab {

/// A search's switches, all of them.
struct Limits {
  Bounds bounds{};
  std::vector<Ends> ends{Ends::kill, Ends::power_loss};
  bool ends_inside_steps = true;  ///< also at a write within a step
  std::vector<Fires> fires;       ///< by kind of timer
  Dials dials = Dials::patient;
  std::uint32_t links = ~std::uint32_t{0};  ///< the links in use, one bit each
  std::vector<std::pair<int, Value>> asks;  ///< the model's list: client, by index, and request
  AskOrder asks_order = AskOrder::one_by_one;
  bool slots_connect_at_once = false;  ///< slot links between servers that reach each other are always open
  Grain grain = Grain::full;

  std::uint32_t of(Budget budget) const { return bounds[static_cast<std::size_t>(budget)]; }
};

/// One thing that can happen.
struct Move {
  NumberedAction action;
  std::optional<Budget> spends;  ///< in addition to a crash within it
};

/// The meaning of links, disks, timers and faults, on a search's numbers.
struct SearchWorld : World<InternedStore, IdleEnvironment<Numbers>> {
  using World::World;
};

/// The moves that all families have. A family whose search has something of its own derives from it and
/// redefines what is virtual.
class Moves {
 public:
  using Timer = Numbers::Vocabulary::Timer;

  /// `tables` gives the requests of `limits` their numbers.
  Moves(Tables& tables, const Limits& limits, const SearchWorld& world, const InternedStore& store);
  virtual ~Moves() = default;
  Moves(const Moves&) = delete;

  /// Appends what can happen next.
  void list(Spent spent, std::vector<Move>& moves) {
    moves_ = &moves;
    listAll(spent);
  }

  /// Whether a server asked the world for something. It gets the answer before anything else happens.
  bool isAwaited() const;
  /// Appends the answers to the first of those servers: for an age, each one that differs for it. Or the
  /// server ends before that.
  void listAnswers(Spent spent, std::vector<Move>& moves);

  /// Whether anything happens immediately after the chosen move. It is always the same.
  virtual bool hasConsequences() const { return limits_.slots_connect_at_once; }
  /// The next of these consequences, if any.
  virtual std::optional<NumberedAction> consequence() const;

 protected:
  /// Appends all of it to `moves_`.
  virtual void listAll(Spent spent);
  /// Whether a dial of this server is not answered yet.
  virtual bool dialWaits(Link, int) const { return false; }
  /// False: they are among the consequences.
  virtual bool dialsAreMoves() const { return true; }
  /// Further steps of the family's protocol, at no cost.
  virtual void listOwnSteps() {}
  /// Whether a timer of server `i` may fire by a rule of the family's own.
  virtual bool ownRule(int, Fires) const { return false; }

  void add(const NumberedAction& action) { moves_->push_back({action, {}}); }
  void add(const NumberedAction& action, Budget spends) { moves_->push_back({action, spends}); }

  // ---- guards
  bool says(int i, std::uint32_t what) const { return (store_.says(i) & what) != 0; }
  bool isLeft(Spent spent, Budget budget) const { return spent.of(budget) < limits_.of(budget); }
  bool runs(int i) const { return store_.isUp(i) && !store_.isPaused(i); }
  bool reachEachOther(int a, int b) const { return world_.reaches(a, b) && world_.reaches(b, a); }

  const Tables& tables_;
  const Limits& limits_;
  const SearchWorld& world_;
  const InternedStore& store_;
  const AnyCluster& cluster_;
  std::vector<Move>* moves_ = nullptr;  ///< the list that is being made

 private:
  void listMessages();
  void listDatagrams(Link link, ActionKind kind, std::optional<Budget> spends);
  std::optional<NumberedAction> dialAtOnce(Link link) const;
  template <class Which>
  void listTimers(std::optional<Budget> spends, Which&& which);
  Fires ruleOf(const Timer& timer) const { return limits_.fires[timer.kind]; }
  bool mayFire(int i, const Timer& timer, Fires when) const;
  bool isGone(int i, int peer) const;
  void listFaults(Spent spent);
  void listEnds(int i, Ends how);
  void listBreaks();
  void listOvertakes();
  void listRequests(Spent spent);
  void listNextOfAll(Spent spent);
  void listNextOfEach(Spent spent);
  void listBudgeted(Spent spent);
  void listTurns();

  const Guards guards_;
  std::vector<std::pair<int, RequestNumber>> asks_;  ///< the model's list
  std::vector<RequestNumber> writes_;                ///< from the first
  std::vector<RequestNumber> reads_;
  std::vector<RequestNumber> turns_;  ///< by server
};

}  // namespace zablab
