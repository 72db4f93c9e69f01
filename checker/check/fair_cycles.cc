#include "checker/check/fair_cycles.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace zablab {

void LivenessGraph::addEdge(Edge edge) {
  labels_ = std::max<std::size_t>(labels_, edge.label + 1U);
  edges_.push_back(edge);
}

std::uint16_t LivenessGraph::numberOf(const std::vector<Label>& renewed) {
  const auto [known, fresh] =
      renewal_numbers_.try_emplace(renewed, static_cast<std::uint16_t>(renewals_.size()));
  if (!fresh) return known->second;
  if (renewals_.size() > 0xffff) throw std::length_error("too many different sets of timers");
  for (const Label label : renewed) labels_ = std::max<std::size_t>(labels_, label + 1U);
  renewals_.push_back(renewed);
  return known->second;
}

namespace {

using Label = LivenessGraph::Label;
using Edge = LivenessGraph::Edge;
using States = std::vector<std::uint32_t>;

class Finder {
 public:
  Finder(const LivenessGraph& graph, const std::vector<Fairness>& fairness, const std::vector<bool>& from,
         const std::vector<bool>& inside)
      : graph_(graph), fairness_(fairness), from_(from), inside_(inside), group_(graph.states()) {}

  std::optional<Lasso> find() {
    reach();
    for (const std::uint32_t state : region_) {
      if (mayStay(state)) offer({state}, 0);
    }
    searchCycles();
    if (found_.empty()) return std::nullopt;
    Lasso lasso;
    if (found_in_ == 0) {
      lasso.at = found_.front();
    } else {
      lasso = loopIn();
    }
    leadTo(lasso);
    return lasso;
  }

 private:
  Fairness of(Label label) const { return label < fairness_.size() ? fairness_[label] : Fairness::none; }

  // ---- the part of the graph that is looked at: group 1

  void reach() {
    came_from_.assign(graph_.states(), {LivenessGraph::outside, 0});
    const auto meet = [this](std::uint32_t state, GraphStep by) {
      group_[state] = 1;
      came_from_[state] = by;
      region_.push_back(state);
    };
    for (std::uint32_t state = 0; state < graph_.states(); ++state) {
      if (from_[state] && inside_[state]) meet(state, {state, 0});
    }
    for (std::size_t next = 0; next < region_.size(); ++next) {
      const std::uint32_t state = region_[next];
      const auto edges = graph_.of(state);
      for (std::size_t k = 0; k < edges.size(); ++k) {
        const std::uint32_t to = edges[k].to;
        if (to != LivenessGraph::outside && inside_[to] && group_[to] == 0)
          meet(to, {state, static_cast<std::uint16_t>(k)});
      }
    }
    groups_ = 2;
  }

  /// Nothing that can happen here is promised to happen.
  bool mayStay(std::uint32_t state) const {
    const auto edges = graph_.of(state);
    return std::all_of(edges.begin(), edges.end(),
                       [this](const Edge& edge) { return of(edge.label) == Fairness::none; });
  }

  /// The states of a loop, all of the group, or one state in which nothing has to happen.
  void offer(const States& states, std::uint32_t group) {
    const std::uint32_t least = *std::min_element(states.begin(), states.end());
    if (!found_.empty() && least >= found_.front()) return;
    found_ = {least};
    found_in_ = group;
  }

  /// How one came from a state of `from`.
  void leadTo(Lasso& lasso) const {
    lasso.begins = lasso.at;
    while (came_from_[lasso.begins].state != lasso.begins) {
      lasso.stem.push_back(came_from_[lasso.begins]);
      lasso.begins = lasso.stem.back().state;
    }
    std::reverse(lasso.stem.begin(), lasso.stem.end());
  }

  // ---- strongly connected components

  void searchCycles() {
    index_.assign(graph_.states(), 0);
    low_.assign(graph_.states(), 0);
    std::vector<std::pair<States, std::uint32_t>> left;
    left.emplace_back(region_, 1);
    while (!left.empty()) {
      const auto [states, group] = std::move(left.back());
      left.pop_back();
      for (States& component : componentsOf(states, group)) {
        const std::uint32_t own = groups_++;
        for (const std::uint32_t state : component) group_[state] = own;
        States kept = fairPartOf(component, own);
        if (kept.empty()) continue;
        if (kept.size() == component.size()) {
          offer(component, own);
          continue;
        }
        const std::uint32_t rest = groups_++;
        for (const std::uint32_t state : kept) group_[state] = rest;
        left.emplace_back(std::move(kept), rest);
      }
    }
  }

  /// Tarjan's algorithm, without recursion, within the group.
  std::vector<States> componentsOf(const States& states, std::uint32_t group) {
    for (const std::uint32_t state : states) index_[state] = 0;
    struct Visit {
      std::uint32_t state;
      std::uint32_t next_edge;
    };
    std::vector<States> components;
    std::vector<Visit> path;
    States open;
    std::uint32_t count = 0;
    const auto enter = [&](std::uint32_t state) {
      index_[state] = low_[state] = ++count;
      open.push_back(state);
      path.push_back({state, 0});
    };
    for (const std::uint32_t root : states) {
      if (index_[root] != 0) continue;
      enter(root);
      while (!path.empty()) {
        const std::uint32_t state = path.back().state;
        const auto edges = graph_.of(state);
        if (path.back().next_edge < edges.size()) {
          const std::uint32_t to = edges[path.back().next_edge++].to;
          if (to == LivenessGraph::outside || group_[to] != group) continue;
          if (index_[to] == 0) {
            enter(to);
          } else if (index_[to] != closed) {
            low_[state] = std::min(low_[state], index_[to]);
          }
          continue;
        }
        path.pop_back();
        if (!path.empty()) low_[path.back().state] = std::min(low_[path.back().state], low_[state]);
        if (low_[state] != index_[state]) continue;
        const auto begin = std::find(open.rbegin(), open.rend(), state).base() - 1;
        States component(begin, open.end());
        open.erase(begin, open.end());
        for (const std::uint32_t one : component) index_[one] = closed;
        if (component.size() > 1 || hasLoop(state)) components.push_back(std::move(component));
      }
    }
    return components;
  }
  bool hasLoop(std::uint32_t state) const {
    const auto edges = graph_.of(state);
    return std::any_of(edges.begin(), edges.end(), [state](const Edge& edge) { return edge.to == state; });
  }

  // ---- fairness

  /// What a set of states shows of one label.
  struct Chances {
    std::uint32_t enabled_in = 0;  ///< states
    std::uint32_t last = LivenessGraph::outside;
    bool taken = false;
    bool renewed = false;
  };

  /// The component, if a path through all of it is fair; nothing, if no path within it is; otherwise the
  /// states that are left to look at.
  States fairPartOf(const States& component, std::uint32_t group) {
    chances_.assign(graph_.labels(), {});
    for (const std::uint32_t state : component) {
      for (const Edge& edge : graph_.of(state)) {
        Chances& chance = chances_[edge.label];
        if (chance.last != state) ++chance.enabled_in;
        chance.last = state;
        if (edge.to == LivenessGraph::outside || group_[edge.to] != group) continue;
        chance.taken = true;
        for (const Label renewed : graph_.renewedBy(edge)) chances_[renewed].renewed = true;
      }
    }
    std::vector<bool> missed(graph_.labels());
    bool any_missed = false;
    for (std::size_t label = 0; label < chances_.size(); ++label) {
      const Chances& chance = chances_[label];
      const Fairness strength = of(static_cast<Label>(label));
      if (strength == Fairness::none || chance.enabled_in == 0 || chance.taken) continue;
      if (strength == Fairness::strong) {
        missed[label] = any_missed = true;
      } else if (!chance.renewed && chance.enabled_in == component.size()) {
        return {};
      }
    }
    if (!any_missed) return component;
    States kept;
    for (const std::uint32_t state : component) {
      const auto edges = graph_.of(state);
      if (std::none_of(edges.begin(), edges.end(), [&](const Edge& edge) { return missed[edge.label]; }))
        kept.push_back(state);
    }
    return kept;
  }

  // ---- one loop

  /// Through the component that was found, from its first state, past everything that makes it fair.
  Lasso loopIn() {
    Lasso lasso;
    lasso.at = found_.front();
    noteDue();
    std::uint32_t at = lasso.at;
    meet(at);
    while (std::find(due_.begin(), due_.end(), true) != due_.end()) at = go(at, lasso.loop, std::nullopt);
    if (lasso.loop.empty() || at != lasso.at) go(at, lasso.loop, lasso.at);
    return lasso;
  }
  /// What has to be seen: of what is strong and can happen, that it happens; of the others, that they happen,
  /// cannot happen, or are something new.
  void noteDue() {
    States component;
    for (const std::uint32_t state : region_) {
      if (group_[state] == found_in_) component.push_back(state);
    }
    fairPartOf(component, found_in_);
    due_.assign(graph_.labels(), false);
    for (std::size_t label = 0; label < due_.size(); ++label)
      due_[label] = of(static_cast<Label>(label)) != Fairness::none && chances_[label].enabled_in > 0;
  }
  bool isWeak(std::size_t label) const { return of(static_cast<Label>(label)) == Fairness::weak; }

  /// Whether being in the state shows something that is due, and takes it off the list.
  bool meet(std::uint32_t state) {
    std::vector<bool> enabled(graph_.labels());
    for (const Edge& edge : graph_.of(state)) enabled[edge.label] = true;
    bool any = false;
    for (std::size_t label = 0; label < due_.size(); ++label) {
      if (!due_[label] || !isWeak(label) || enabled[label]) continue;
      due_[label] = false;
      any = true;
    }
    return any;
  }
  /// The same of an edge.
  bool take(const Edge& edge) {
    bool any = due_[edge.label];
    due_[edge.label] = false;
    for (const Label label : graph_.renewedBy(edge)) {
      if (!due_[label] || !isWeak(label)) continue;
      due_[label] = false;
      any = true;
    }
    return any;
  }

  /// Goes on within the component, by a shortest way, until something due has been seen or, if nothing is
  /// due, to `to`; returns where.
  std::uint32_t go(std::uint32_t from, std::vector<GraphStep>& way, std::optional<std::uint32_t> to) {
    std::vector<std::pair<GraphStep, std::size_t>>
        tries;  // a step, and the number of the one before it, from 1
    std::vector<std::pair<std::uint32_t, std::size_t>> met{{from, 0}};
    std::vector<bool> known(graph_.states());
    known[from] = true;
    const std::vector<bool> due = due_;
    for (std::size_t next = 0; next < met.size(); ++next) {
      const auto [state, by] = met[next];
      const auto edges = graph_.of(state);
      for (std::size_t k = 0; k < edges.size(); ++k) {
        const std::uint32_t target = edges[k].to;
        if (target == LivenessGraph::outside || group_[target] != found_in_) continue;
        tries.push_back({{state, static_cast<std::uint16_t>(k)}, by});
        const bool arrived = to ? target == *to : take(edges[k]) || meet(target);
        if (arrived) {
          const std::size_t before = way.size();
          for (std::size_t i = tries.size(); i != 0; i = tries[i - 1].second)
            way.push_back(tries[i - 1].first);
          std::reverse(way.begin() + static_cast<std::ptrdiff_t>(before), way.end());
          if (!to) {
            due_ = due;
            for (std::size_t i = before; i < way.size(); ++i) {
              const Edge& edge = graph_.of(way[i].state)[way[i].edge];
              take(edge);
              meet(edge.to);
            }
          }
          return target;
        }
        if (known[target]) continue;
        known[target] = true;
        met.emplace_back(target, tries.size());
      }
    }
    throw std::logic_error("a loop that is not connected");
  }

  static constexpr std::uint32_t closed = ~std::uint32_t{0};

  const LivenessGraph& graph_;
  const std::vector<Fairness>& fairness_;
  const std::vector<bool>& from_;
  const std::vector<bool>& inside_;
  States region_;                     ///< in the order in which it is met
  std::vector<GraphStep> came_from_;  ///< by state; of one of `from`: itself
  std::vector<std::uint32_t> group_;  ///< by state; 0: it is not looked at
  std::uint32_t groups_ = 1;          ///< the next free number
  std::vector<std::uint32_t> index_;
  std::vector<std::uint32_t> low_;
  std::vector<Chances> chances_;  ///< by label
  std::vector<bool> due_;         ///< by label
  States found_;                  ///< the first state of the loop; empty: there is none
  std::uint32_t found_in_ = 0;    ///< its group; 0: nothing has to happen in that state
};

}  // namespace

std::optional<Lasso> fairLasso(const LivenessGraph& graph, const std::vector<Fairness>& fairness,
                               const std::vector<bool>& from, const std::vector<bool>& inside) {
  return Finder(graph, fairness, from, inside).find();
}

}  // namespace zablab
