// Simulated runs compared with what a search considers possible: the servers of each shipped model run in
// virtual time, with faults and requests of the model's budgets, and each state must be one that the search
// has as a successor of the previous state. If it is not, the reason must be one that docs/model-checking.md
// gives under "What a search leaves out"; the run is then followed from there, as a separate path.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "checker/check/search.h"
#include "checker/protocol.h"
#include "checker/zab_register/check.h"
#include "sim/zab_register/binding.h"
#include "tests/lookups.h"
#include "tests/shipped.h"

namespace zablab {
namespace {

using F = zab::Family;

struct Tally {
  std::uint64_t steps = 0;                       ///< simulated, that changed the state
  std::map<std::string, std::uint64_t> outside;  ///< those of them that the search does not have, by reason
  std::uint64_t unexplained = 0;
};

/// A model's servers in virtual time, and in parallel a search that takes the same steps.
class Beside : public AnyListener {
 public:
  /// `lives`: the servers of the simulated world.
  Beside(const LoadedModel& model, const Setup& lives, std::uint64_t seed, Tally& tally)
      : model_(prepared<F>(model)),
        shared_(model_.cluster(), model_.check, model_.limits, {.memory_max = std::uint64_t{1} << 28},
                model_.start, {}),
        worker_(shared_),
        choices_(std::make_unique<SeededChoices>(seed),
                 [](ChoiceKind, std::uint8_t) { return std::string(); }),
        simulator_(lives.cluster, timingOf(lives), choices_),
        random_(seed),
        tally_(tally) {
    choices_.remember(false);
    worker_.putStart();
    performStart(model_.scenario, lives, simulator_.store(), simulator_.world());
    simulator_.listen(*this);
  }

  void run() {
    REQUIRE(simulated() == known());
    for (Millis now = 0; now <= 10'000; now += 5) {
      if (random_() % 16 == 0) intervene();
      simulator_.run(now, [this] {
        look();
        return false;
      });
    }
  }

  void on(const AnyHappened& any) override {
    const Happened<F> happened = Typed<F>::happened(any);
    if (happened.kind < Kind::step_over) begun_ = happened;
    if (happened.kind == Kind::event && CheckOf<F>::looks(*happened.event)) looked_ = true;
  }

 private:
  using Tuple = std::vector<InternedStore::Part>;

  /// Connections open immediately, as in most models.
  static Timing timingOf(const Setup& setup) {
    Timing timing = setup.timing;
    std::fill(timing.latency.begin(), timing.latency.end(), Range{1, 30});
    timing.dial = {0, 0};
    return timing;
  }

  Tuple whole() const { return {worker_.store.tuple(), worker_.store.tuple() + worker_.layout.size}; }
  /// The present state of the search, without its monitors and budgets.
  Tuple known() const {
    Tuple parts(worker_.store.tuple(), worker_.store.tuple() + worker_.layout.spent_at);
    std::fill(parts.begin() + worker_.layout.own_at, parts.begin() + worker_.layout.channels_at, 0);
    return parts;
  }
  /// Sets the search to the state of the simulated world, with what happens immediately by its switches.
  void putSimulated() {
    worker_.store.setValue(simulator_.store().value());
    owed_ = false;
    while (const auto next = worker_.moves->consequence()) {
      owed_ = owed_ || next->kind == ActionKind::deliver;
      worker_.world.apply(*next);
    }
    worker_.store.takeLooks();
  }
  Tuple simulated() {
    const Tuple before = whole();
    putSimulated();
    const Tuple parts = known();
    worker_.store.load(before.data());
    return parts;
  }

  /// Takes the search's step that leads to the state of the simulated world.
  void look() {
    const bool owed = owed_;
    const Tuple now = simulated();
    if (now == known()) return;
    ++tally_.steps;
    const Tuple before = whole();
    worker_.listMoves();
    bool pruned = false;
    for (const Move& move : worker_.followers) {
      worker_.store.load(before.data());
      InvariantMask violated = 0;
      if (!worker_.perform(before.data(), move, violated)) {
        pruned = true;
      } else if (known() == now) {
        looked_ = false;
        return;
      }
    }
    worker_.store.load(before.data());
    const std::string why = reason(pruned, owed);
    ++(why.empty() ? tally_.unexplained : tally_.outside[why]);
    looked_ = false;
    putSimulated();
    worker_.store.setSpent(Spent());
  }

  /// Why the search has no such step in its present state; empty: it should have it.
  std::string reason(bool pruned, bool owed) const {
    const bool of_link = begun_.kind == Kind::delivered || begun_.kind == Kind::closed ||
                         begun_.kind == Kind::connected || begun_.kind == Kind::refused;
    if (of_link && ((model_.limits.links >> begun_.link) & 1) == 0) return "a link that the model leaves out";
    if (begun_.kind == Kind::timer) {
      const Fires when = model_.limits.fires[static_cast<std::size_t>(begun_.timer.kind)];
      const bool listed = std::any_of(worker_.followers.begin(), worker_.followers.end(), [&](auto& move) {
        return move.action.kind == ActionKind::fire && move.action.a == begun_.node &&
               Typed<F>::timerOf(shared_.tables.valueOf(move.action.timer)) == begun_.timer;
      });
      if (!listed && when != Fires::free) return "a time-out: " + std::string(enumName(when));
    }
    if (pruned && looked_) return "an election beyond the budget";
    if (begun_.kind == Kind::refused && model_.limits.dials == Dials::patient) {
      const int to = model_.cluster().indexOf(begun_.to);
      const bool looks = (worker_.store.says(to) & CheckOf<F>::settled) == 0;
      if (worker_.store.isUp(to) && !worker_.store.accepts(to, begun_.link) && looks)
        return "a dial that a looking server refused";
    }
    if (owed && model_.limits.grain == Grain::settled) return "an election message that waited";
    return "";
  }

  /// A fault or a request of the model's budgets.
  void intervene() {
    worker_.listMoves();
    std::vector<Move> list;
    for (const Move& move : worker_.followers) {
      switch (move.action.kind) {
        case ActionKind::deliver:
        case ActionKind::deliver_late:
        case ActionKind::dial:
        case ActionKind::give_up:
        case ActionKind::fire:
        case ActionKind::sync: break;
        default: list.push_back(move);
      }
    }
    if (list.empty()) return;
    const Move& chosen = list[random_() % list.size()];
    Action<Any> action = shared_.tables.valueOf(chosen.action);
    simulator_.apply(action);
    if (isBothWays(chosen)) {
      std::swap(action.a, action.b);
      simulator_.apply(action);
    }
    look();
  }

  Prepared model_;
  Shared shared_;
  Worker worker_;
  Choices choices_;
  Simulator<Any> simulator_;
  std::mt19937_64 random_;
  Tally& tally_;
  Happened<F> begun_;    ///< what began the last step
  bool looked_ = false;  ///< it began an election
  bool owed_ = false;    ///< an election message waits that the search has read
};

void walkBeside(const LoadedModel& model, const Setup& lives, Tally& tally) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) std::make_unique<Beside>(model, lives, seed, tally)->run();
}

TEST_CASE("check: with the switches of the shipped models, simulated runs are paths in their graphs") {
  Tally all;
  for (const std::string& path : shippedFiles()) {
    const Case one = loadCase(path);
    if (one.kind != Case::Kind::model || protocolOf(one.model).name() != F::name) continue;
    CAPTURE(path);
    Tally tally;
    walkBeside(one.model, setupOf(theFamily<F>(), theCheck<F>(), one.model, scenarioOf(one.model), true),
               tally);
    CHECK(tally.steps > 100);
    CHECK(tally.unexplained == 0);
    all.steps += tally.steps;
    for (const auto& [why, count] : tally.outside) all.outside[why] += count;
  }
  std::string told;
  for (const auto& [why, count] : all.outside) told += "; " + why + " " + std::to_string(count);
  MESSAGE(all.steps, " steps; outside", told);
  // Each reason, and the page's words for it.
  const std::map<std::string, std::string> stated{
      {"a dial that a looking server refused", "a dial of a server that looks waits"},
      {"a link that the model leaves out", "links that are not in `only`"},
      {"a time-out: lost_quorum", "no PINGs while a quorum follows it"},
      {"a time-out: peer_unreachable", "time-outs beyond the budget"},
      {"a time-out: never", "timers that `never` fire"},
      {"a time-out: budgeted", "time-outs beyond the budget"},
      {"a time-out: no_pending_votes", "time-outs beyond the budget"},
      {"a time-out: quiescent", "time-outs beyond the budget"},
      {"an election beyond the budget", "more elections"},
      {"an election message that waited", "nothing between what a server"},
  };
  const std::string page = loadText(ZABLAB_SOURCE_DIR "/docs/model-checking.md");
  for (const auto& outside : all.outside) {
    const std::string& why = outside.first;
    CAPTURE(why);
    REQUIRE(stated.contains(why));
    CHECK(page.find(stated.at(why)) != std::string::npos);
  }
}

TEST_CASE("check: servers with other rules leave the graph of a model") {
  const Case one = loadCase(ZABLAB_SOURCE_DIR "/scenarios/models/a-follower-comes-back.json");
  LoadedModel other = one.model;
  other.spec.rules["ack_when"] = "at_once";
  Tally tally;
  walkBeside(one.model, setupOf(theFamily<F>(), theCheck<F>(), other, scenarioOf(other), true), tally);
  CHECK(tally.unexplained > 0);
}

TEST_CASE("check: looked-up results of steps and monitors equal the computed ones") {
  lookups::Compared tally;
  for (const char* name : {"a-client-writes-and-reads", "an-epoch-half-written", "a-power-loss-keeps-a-part",
                           "a-connection-breaks", "election-3-partition", "rejoin-in-the-epoch-late"}) {
    for (const bool broken : {false, true}) {
      const Case one = loadCase(std::string(ZABLAB_SOURCE_DIR "/scenarios/models/") + name + ".json");
      LoadedModel model = one.model;
      if (broken) model.spec.rules["commit_when"] = "first_ack";
      lookups::compare(prepared<F>(model), 20, 40, tally);
    }
  }
  CHECK(tally.steps > 4'000);
  CHECK(tally.violations > 0);
}

}  // namespace
}  // namespace zablab
