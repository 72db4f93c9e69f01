#include "checker/check/liveness.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "checker/check/worker.h"
#include "sim/json_reflect.h"

namespace zablab {
namespace {

/// Numbers of fingerprints, in the order in which they are met.
class PrintNumbers {
 public:
  /// The fingerprint's number, and whether it is new.
  std::pair<std::uint32_t, bool> number(std::uint64_t print) {
    if (count_ >= slots_.size() / 4 * 3) grow();
    return insert(print, count_);
  }

 private:
  struct Slot {
    std::uint64_t print;
    std::uint32_t one_more;  ///< than the number; 0: the slot is free
  };
  std::pair<std::uint32_t, bool> insert(std::uint64_t print, std::uint32_t as) {
    for (std::size_t i = mix64(print) % slots_.size();; i = i + 1 == slots_.size() ? 0 : i + 1) {
      Slot& slot = slots_[i];
      if (slot.one_more != 0 && slot.print == print) return {slot.one_more - 1, false};
      if (slot.one_more != 0) continue;
      slot = {print, as + 1};
      ++count_;
      return {as, true};
    }
  }
  void grow() {
    const PageArray<Slot> old = std::exchange(slots_, PageArray<Slot>(slots_.size() * 2, true));
    count_ = 0;
    for (std::size_t i = 0; i < old.size(); ++i) {
      if (old[i].one_more != 0) insert(old[i].print, old[i].one_more - 1);
    }
  }
  PageArray<Slot> slots_{1U << 12};
  std::uint32_t count_ = 0;
};

/// Strength where a model does not say.
Fairness byDefault(ActionKind kind) {
  switch (kind) {
    case ActionKind::deliver:
    case ActionKind::deliver_late:
    case ActionKind::dial:
    case ActionKind::give_up:
    case ActionKind::fire:
    case ActionKind::sync:
    case ActionKind::resume:
    case ActionKind::heal:
    case ActionKind::own:
    case ActionKind::tell_durable: return Fairness::weak;
    case ActionKind::tell_age: return Fairness::strong;
    default: return Fairness::none;
  }
}

class LivenessSearch {
 public:
  using Part = InternedStore::Part;

  LivenessSearch(const AnyCluster& cluster, const FamilyCheck& check, const Limits& limits,
                 const SearchOptions& options, const WorldValue<Any>& start,
                 const std::vector<LivenessProperty>& properties, const FairnessByName& fairness,
                 const std::function<void(std::uint64_t)>& progress)
      : cluster_(cluster),
        options_(withoutMonitors(options)),
        shared_(cluster, check, limits, options_, start, {}),
        worker_(shared_),
        properties_(properties),
        wanted_(fairness),
        progress_(progress) {
    for (const LivenessProperty& property : properties) {
      sets_.push_back({&property.to, {}, {}});
      if (property.from) sets_.push_back({&*property.from, {}, {}});
    }
    for (Set& set : sets_) set.known.resize(set.of->patterns().size());
    strengths_.push_back({});  // label 0: nothing is promised
  }

  LivenessResult run() {
    walk();
    result_.states = graph_.states();
    result_.transitions = graph_.edges();
    for (const Promised& promised : strengths_) {
      if (promised.strength != Fairness::none) result_.fairness[promised.name] = promised.strength;
    }
    std::size_t set = 0;
    for (std::size_t i = 0; i < properties_.size(); ++i) {
      const std::vector<bool>& to = sets_[set++].members;
      const std::vector<bool>* from = properties_[i].from ? &sets_[set++].members : nullptr;
      judge(i, to, from);
    }
    return std::move(result_);
  }

 private:
  /// What can happen, apart from whose budget it is.
  using Happening = std::tuple<ActionKind, Link, int, int, std::uint32_t>;
  struct Promised {
    std::string name;
    Fairness strength = Fairness::none;
  };
  struct Set {
    const StateSet* of;
    std::vector<std::vector<std::uint8_t>> known;  ///< by pattern and number of a server's value: 1 no, 2 yes
    std::vector<bool> members;                     ///< by state
  };

  static SearchOptions withoutMonitors(SearchOptions options) {
    options.exact = options.project = options.monitors = false;
    options.scratch.clear();
    return options;
  }

  // ---- the graph, breadth first

  void walk() {
    worker_.putStart();
    numberOf(worker_.start_print, {0, 0});
    while (!next_prints_.empty() && result_.stopped_by.empty()) {
      const std::vector<Part> tuples = std::exchange(next_tuples_, {});
      const std::vector<std::uint64_t> prints = std::exchange(next_prints_, {});
      for (std::size_t i = 0; i < prints.size() && result_.stopped_by.empty(); ++i) {
        if (expanded_ % 4096 == 0) checkLimits();
        expand(tuples.data() + i * static_cast<std::size_t>(worker_.layout.size), prints[i]);
      }
      if (options_.states_max > 0 && known_.size() >= options_.states_max && result_.stopped_by.empty() &&
          !next_prints_.empty())
        result_.stopped_by = "states";
    }
  }

  /// The number of the state in the store; it may be new.
  std::uint32_t numberOf(std::uint64_t print, GraphStep by) {
    const auto [number, fresh] = numbers_.number(print);
    if (!fresh) return number;
    const InternedStore& store = worker_.store;
    next_tuples_.insert(next_tuples_.end(), store.tuple(), store.tuple() + worker_.layout.size);
    next_prints_.push_back(print);
    known_.push_back(by);
    for (Set& set : sets_) {
      set.members.push_back(set.of->contains([&](int server, std::size_t pattern) {
        const Part value = store.part(server);
        auto& known = set.known[pattern];
        if (value >= known.size()) known.resize(value + 64);
        if (known[value] == 0)
          known[value] = isLike(store.server(server), set.of->patterns()[pattern]) ? 2 : 1;
        return known[value] == 2;
      }));
    }
    return number;
  }

  void expand(const Part* tuple, std::uint64_t print) {
    const std::uint32_t number = expanded_++;
    auto& followers = worker_.followers;
    worker_.store.load(tuple);
    worker_.listMoves();
    const std::size_t whole = followers.size();
    graph_.addState();
    for (std::size_t k = 0; k < followers.size(); ++k) {
      if (k > 0) worker_.store.reload(tuple);
      LivenessGraph::Edge edge{LivenessGraph::outside, labelOf(followers[k]), 0};
      InvariantMask violated = 0;
      const bool within = worker_.perform(tuple, followers[k], violated);
      edge.resets = renewed();
      if (within) {
        if (k < whole) worker_.listEnds(worker_.store.spentIn(tuple), k);
        edge.to = numberOf(worker_.store.fingerprint(tuple, print), {number, static_cast<std::uint16_t>(k)});
      } else {
        ++result_.leaving;
      }
      graph_.addEdge(edge);
    }
  }

  /// In the state before the move.
  LivenessGraph::Label labelOf(const Move& move) {
    const NumberedAction& action = move.action;
    if (action.dies.write != 0 || move.spends == Budget::timeouts) return 0;
    Happening happening{action.kind, action.link, action.a, action.b, 0};
    if (action.kind == ActionKind::fire) std::get<4>(happening) = action.timer.key.number;
    if (action.kind == ActionKind::tell_age)
      std::get<4>(happening) = static_cast<std::uint32_t>(action.age.value_or(-1) + 1);
    const bool datagram =
        action.kind == ActionKind::deliver && cluster_.links[action.link] == LinkKind::datagram;
    if (datagram)
      std::get<4>(happening) = worker_.store.itemAt(action.link, action.a, action.b, action.position).number;
    return labelOf(happening, move.spends.has_value());
  }
  LivenessGraph::Label labelOf(const Happening& happening, bool spends) {
    const auto [known, fresh] =
        labels_.try_emplace({happening, spends}, static_cast<LivenessGraph::Label>(strengths_.size()));
    if (!fresh) return known->second;
    if (strengths_.size() > 0xffff) throw TableFull("there are too many different things that can happen");
    strengths_.push_back(promisedOf(happening, spends));
    return known->second;
  }
  Promised promisedOf(const Happening& happening, bool spends) const {
    const AnyFamily& family = *cluster_.family;
    const ActionKind kind = std::get<0>(happening);
    Promised promised{std::string(actionName(family, kind)), spends ? Fairness::none : byDefault(kind)};
    if (const auto found = wanted_.find(promised.name); found != wanted_.end())
      promised.strength = found->second;
    if (kind != ActionKind::fire) return promised;
    promised.name = family.timerName(shared_.tables.timer(std::get<4>(happening)).kind);
    if (const auto found = wanted_.find(promised.name); found != wanted_.end())
      promised.strength = found->second;
    return promised;
  }

  /// The number of the list of timers that the last move set.
  std::uint16_t renewed() {
    std::vector<LivenessGraph::Label> labels;
    for (int i = 0; i < worker_.layout.servers; ++i) {
      for (std::uint64_t left = worker_.store.takeArmed(i); left != 0; left &= left - 1) {
        const auto timer = static_cast<std::uint32_t>(std::countr_zero(left));
        labels.push_back(labelOf({ActionKind::fire, 0, i, -1, timer}, false));
      }
    }
    return labels.empty() ? 0 : graph_.numberOf(labels);
  }

  void checkLimits() {
    shared_.tables.grow();
    const std::uint64_t now = options_.clock ? options_.clock() : 0;
    if (began_ == 0) began_ = now;
    if (options_.interrupted != nullptr && *options_.interrupted) result_.stopped_by = "interrupt";
    if (options_.milliseconds_max > 0 && now - began_ > options_.milliseconds_max)
      result_.stopped_by = "time";
    if (residentBytes() > options_.memory_max) result_.stopped_by = "memory";
    if (known_.size() > LivenessGraph::outside - 100'000) result_.stopped_by = "ordinals";
    if (progress_ && now >= told_ + 1000) {
      told_ = now;
      progress_(known_.size());
    }
  }

  // ---- verdicts

  void judge(std::size_t which, const std::vector<bool>& to, const std::vector<bool>* from) {
    const LivenessProperty& property = properties_[which];
    LivenessReport::Property& one = result_.properties.emplace_back();
    one.name = property.name;
    one.verdict = "undecided";
    if (!result_.stopped_by.empty()) return;
    std::vector<bool> outside = to;
    outside.flip();
    std::vector<bool> begins(to.size());
    for (std::size_t i = 0; i < begins.size(); ++i)
      begins[i] = outside[i] && (from != nullptr ? (*from)[i] : property.always || i == 0);
    if (std::find(begins.begin(), begins.end(), true) == begins.end()) {
      one.verdict = "not exercised";
      return;
    }
    const auto search = [&](const std::string& without) {
      std::vector<Fairness> strengths;
      for (const Promised& promised : strengths_)
        strengths.push_back(promised.name == without ? Fairness::none : promised.strength);
      return fairLasso(graph_, strengths, begins, outside);
    };
    if (const auto lasso = search("")) {
      one.verdict = "violated";
      if (!result_.counterexample) tell(which, *lasso);
      return;
    }
    one.verdict = "held";
    for (const auto& [name, strength] : result_.fairness) {
      if (search(name)) one.needs.push_back(name);
    }
  }

  /// The lasso's actions, from the beginning.
  void tell(std::size_t property, const Lasso& lasso) {
    std::vector<GraphStep> way;
    for (std::uint32_t at = lasso.begins; at != 0; at = known_[at].state) way.push_back(known_[at]);
    std::reverse(way.begin(), way.end());
    way.insert(way.end(), lasso.stem.begin(), lasso.stem.end());
    std::vector<std::uint16_t> moves;
    for (const GraphStep& step : way) moves.push_back(step.edge);
    auto stem = worker_.follow(moves);
    for (const GraphStep& step : lasso.loop) moves.push_back(step.edge);
    auto loop = worker_.follow(moves);
    loop.erase(loop.begin(), loop.begin() + static_cast<std::ptrdiff_t>(stem.size()));
    result_.counterexample = {property, std::move(stem), std::move(loop)};
  }

  const AnyCluster& cluster_;
  const SearchOptions options_;
  Shared shared_;
  Worker worker_;
  const std::vector<LivenessProperty>& properties_;
  const FairnessByName& wanted_;
  const std::function<void(std::uint64_t)>& progress_;
  std::vector<Set> sets_;
  LivenessGraph graph_;
  PrintNumbers numbers_;
  std::vector<GraphStep> known_;  ///< by state: the one from which it was first met, and by which move
  std::uint32_t expanded_ = 0;
  std::vector<Part> next_tuples_;  ///< of the states that wait
  std::vector<std::uint64_t> next_prints_;
  std::map<std::pair<Happening, bool>, LivenessGraph::Label> labels_;
  std::vector<Promised> strengths_;  ///< by label
  LivenessResult result_;
  std::uint64_t began_ = 0;
  std::uint64_t told_ = 0;
};

}  // namespace

LivenessResult searchLiveness(const AnyCluster& cluster, const FamilyCheck& check, const Limits& limits,
                              const SearchOptions& options, const WorldValue<Any>& start,
                              const std::vector<LivenessProperty>& properties, const FairnessByName& fairness,
                              const std::function<void(std::uint64_t)>& progress) {
  return LivenessSearch(cluster, check, limits, options, start, properties, fairness, progress).run();
}

}  // namespace zablab
