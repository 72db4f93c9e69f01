// The graph of the states that a search of a small model meets, in words: what `zablab check --graph` writes
// and `zablab render --view statespace` draws. docs/model-checking.md describes the format.
//
// Invariants of every StateGraph, checked when it is read:
//  1. States are in the order in which a breadth-first search meets them; the first is the initial one.
//  2. Both ends of an action are states. Each state except the initial one has an action that leads to it
//     from an earlier state; the first of them is the one by which it was met.
//  3. The actions of the path begin at the initial state, each where the previous one ends.
#pragma once

#include <array>
#include <boost/describe/class.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json.h"

namespace zablab {

/// The `format` of such a file.
inline constexpr std::string_view state_graph_format = "zablab-states";

struct GraphState {
  std::uint64_t depth = 0;            ///< the number of moves of a shortest way to it
  std::vector<std::string> nodes;     ///< what each server and client is
  std::vector<std::string> messages;  ///< on the way, or waiting for a connection
  static constexpr std::string_view schema_name = "state";
  static constexpr std::array required{"depth", "nodes"};
  bool operator==(const GraphState&) const = default;
};
BOOST_DESCRIBE_STRUCT(GraphState, (), (depth, nodes, messages))

struct GraphAction {
  std::uint64_t from = 0;  ///< states, by index
  std::uint64_t to = 0;
  std::string text;                  ///< what happens
  std::vector<std::string> effects;  ///< what the nodes do, as in a run
  std::vector<std::string> violates;
  static constexpr std::string_view schema_name = "action";
  static constexpr std::array required{"from", "to", "text"};
  bool operator==(const GraphAction&) const = default;
};
BOOST_DESCRIBE_STRUCT(GraphAction, (), (from, to, text, effects, violates))

struct StateGraph {
  std::string model;
  bool exhausted = false;    ///< every state that the bounds allow is in it
  std::uint64_t pruned = 0;  ///< transitions that exceed the budget of elections: they lead to no state
  std::string violated;      ///< the invariant, or the state that must not be reached
  std::string reached;       ///< the state that was to be reached, if the path leads to it
  std::vector<GraphState> states;
  std::vector<GraphAction> actions;
  std::vector<std::uint64_t> path;  ///< the counterexample, or the way to what is reached: actions, by index
  static constexpr std::array required{"model", "states", "actions"};
  bool operator==(const StateGraph&) const = default;
};
BOOST_DESCRIBE_STRUCT(StateGraph, (), (model, exhausted, pruned, violated, reached, states, actions, path))

/// The graph as `zablab-states` JSON: one state or action per line.
std::string stateGraphText(const StateGraph& graph);
/// Throws InputError with the place in the file if it is not a valid graph.
StateGraph readStateGraph(const std::string& file_name, std::string_view text);

}  // namespace zablab
