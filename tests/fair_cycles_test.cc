// Fair cycles against a search that tries every set of edges that can be taken again and again.
#include "checker/check/fair_cycles.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "protocol/reflect.h"

namespace zablab {
namespace {

using Edge = LivenessGraph::Edge;
using Label = LivenessGraph::Label;

/// A small graph that is drawn from a number, and what is asked of it.
struct Drawn {
  LivenessGraph graph;
  std::vector<Fairness> fairness;
  std::vector<bool> from, inside;
  std::uint64_t state;

  std::uint64_t draw(std::uint64_t below) {
    state = mix64(state + 1);
    return state % below;
  }
  explicit Drawn(std::uint64_t seed) : state(seed) {
    const std::uint64_t states = 1 + draw(5);
    const std::uint64_t labels = 1 + draw(4);
    for (std::uint64_t i = 0; i < states; ++i) {
      graph.addState();
      for (std::uint64_t k = draw(4); k > 0; --k) {
        const std::uint64_t to = draw(states + 1);
        std::vector<Label> renewed;
        if (draw(4) == 0) renewed.push_back(static_cast<Label>(draw(labels)));
        const auto label = static_cast<Label>(draw(labels));
        graph.addEdge({to == states ? LivenessGraph::outside : static_cast<std::uint32_t>(to), label,
                       graph.numberOf(renewed)});
      }
      from.push_back(draw(2) == 0);
      inside.push_back(draw(5) != 0);
    }
    for (std::uint64_t label = 0; label < labels; ++label) fairness.push_back(static_cast<Fairness>(draw(3)));
  }

  Fairness of(Label label) const { return fairness[label]; }
  std::vector<bool> reached() const {
    std::vector<bool> reached(graph.states());
    for (std::uint32_t i = 0; i < graph.states(); ++i) reached[i] = from[i] && inside[i];
    for (std::uint32_t round = 0; round < graph.states(); ++round) {
      for (std::uint32_t i = 0; i < graph.states(); ++i) {
        if (!reached[i]) continue;
        for (const Edge& edge : graph.of(i)) {
          if (edge.to != LivenessGraph::outside && inside[edge.to]) reached[edge.to] = true;
        }
      }
    }
    return reached;
  }
  bool isEnabled(std::uint32_t at, Label label) const {
    const auto edges = graph.of(at);
    return std::any_of(edges.begin(), edges.end(), [&](const Edge& edge) { return edge.label == label; });
  }
  /// Whether a path that takes these edges again and again, and no others, is fair.
  bool isFair(const std::vector<GraphStep>& taken) const {
    for (Label label = 0; label < fairness.size(); ++label) {
      bool always = true, ever = false, happens = false, renewed = false;
      for (const GraphStep& step : taken) {
        const Edge& edge = graph.of(step.state)[step.edge];
        const bool enabled = isEnabled(step.state, label);
        always = always && enabled;
        ever = ever || enabled;
        happens = happens || edge.label == label;
        for (const Label one : graph.renewedBy(edge)) renewed = renewed || one == label;
      }
      if (of(label) == Fairness::weak && always && !happens && !renewed) return false;
      if (of(label) == Fairness::strong && ever && !happens) return false;
    }
    return true;
  }
  bool mayStay(std::uint32_t at) const {
    const auto edges = graph.of(at);
    return std::all_of(edges.begin(), edges.end(),
                       [&](const Edge& edge) { return of(edge.label) == Fairness::none; });
  }
  /// Whether one can go from the begin of each of these edges to that of each other one by them alone.
  bool areConnected(const std::vector<GraphStep>& taken) const {
    for (const GraphStep& start : taken) {
      std::set<std::uint32_t> met{start.state};
      for (std::size_t round = 0; round < taken.size(); ++round) {
        for (const GraphStep& step : taken) {
          if (met.contains(step.state)) met.insert(graph.of(step.state)[step.edge].to);
        }
      }
      for (const GraphStep& step : taken) {
        if (!met.contains(step.state)) return false;
      }
      for (const std::uint32_t state : met) {
        const auto leaves = [&](const GraphStep& step) { return step.state == state; };
        if (std::none_of(taken.begin(), taken.end(), leaves)) return false;
      }
    }
    return true;
  }
  bool anyFairPath() const {
    const std::vector<bool> reached_ = reached();
    std::vector<GraphStep> all;
    for (std::uint32_t i = 0; i < graph.states(); ++i) {
      if (!reached_[i]) continue;
      if (mayStay(i)) return true;
      for (std::uint16_t k = 0; k < graph.of(i).size(); ++k) {
        const std::uint32_t to = graph.of(i)[k].to;
        if (to != LivenessGraph::outside && inside[to]) all.push_back({i, k});
      }
    }
    for (std::uint32_t chosen = 1; chosen < 1U << all.size(); ++chosen) {
      std::vector<GraphStep> taken;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if ((chosen >> i) & 1) taken.push_back(all[i]);
      }
      if (isFair(taken) && areConnected(taken)) return true;
    }
    return false;
  }
  /// Goes along the steps; the state after them.
  std::uint32_t follow(std::uint32_t at, const std::vector<GraphStep>& steps) const {
    for (const GraphStep& step : steps) {
      REQUIRE(inside[at]);
      REQUIRE(step.state == at);
      at = graph.of(at)[step.edge].to;
    }
    REQUIRE(inside[at]);
    return at;
  }
};

TEST_CASE("fair cycles: a lasso is found where one exists, and is one") {
  std::size_t found = 0, none = 0, stays = 0, needs_more_than_a_cycle = 0;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    const Drawn drawn(seed * 1000);
    CAPTURE(seed);
    const auto lasso = fairLasso(drawn.graph, drawn.fairness, drawn.from, drawn.inside);
    REQUIRE(lasso.has_value() == drawn.anyFairPath());
    if (!lasso) {
      ++none;
      continue;
    }
    ++found;
    CHECK(drawn.from[lasso->begins]);
    CHECK(drawn.follow(lasso->begins, lasso->stem) == lasso->at);
    if (lasso->loop.empty()) {
      ++stays;
      CHECK(drawn.mayStay(lasso->at));
    } else {
      CHECK(drawn.follow(lasso->at, lasso->loop) == lasso->at);
      CHECK(drawn.isFair(lasso->loop));
      std::set<std::uint32_t> states;
      for (const GraphStep& step : lasso->loop) states.insert(step.state);
      needs_more_than_a_cycle += states.size() < lasso->loop.size();
    }
  }
  CHECK(found > 1000);
  CHECK(none > 1000);
  CHECK(stays > 300);
  CHECK(found - stays > 300);
  CHECK(needs_more_than_a_cycle > 20);
}

TEST_CASE("fair cycles: strong fairness asks for more than weak, and weak for more than none") {
  // Two states that alternate; in one of them something else can happen, which leads away.
  LivenessGraph graph;
  graph.addState();
  graph.addEdge({1, 0, 0});
  graph.addState();
  graph.addEdge({0, 1, 0});
  graph.addEdge({2, 2, 0});
  graph.addState();
  const std::vector<bool> from{true, false, false}, inside{true, true, false};
  const auto lassoWith = [&](Fairness of_exit) {
    return fairLasso(graph, {Fairness::weak, Fairness::weak, of_exit}, from, inside).has_value();
  };
  CHECK(lassoWith(Fairness::none));
  CHECK(lassoWith(Fairness::weak));
  CHECK_FALSE(lassoWith(Fairness::strong));
}

TEST_CASE("fair cycles: a timer that is set anew is a new one") {
  const auto lassoIf = [](bool renewed) {
    LivenessGraph graph;
    graph.addState();
    graph.addEdge({0, 0, graph.numberOf(renewed ? std::vector<Label>{1} : std::vector<Label>{})});
    graph.addEdge({1, 1, 0});
    graph.addState();
    return fairLasso(graph, {Fairness::weak, Fairness::weak}, {true, false}, {true, false}).has_value();
  };
  CHECK_FALSE(lassoIf(false));
  CHECK(lassoIf(true));
}

TEST_CASE("fair cycles: what has to leave the bounds is no counterexample") {
  const auto lassoWith = [](Fairness strength) {
    LivenessGraph graph;
    graph.addState();
    graph.addEdge({LivenessGraph::outside, 0, 0});
    return fairLasso(graph, {strength}, {true}, {true}).has_value();
  };
  CHECK(lassoWith(Fairness::none));
  CHECK_FALSE(lassoWith(Fairness::weak));
}

}  // namespace
}  // namespace zablab
