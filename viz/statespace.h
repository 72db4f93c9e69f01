// The graph of the states that a search met: a node for each state, an edge for each action. The initial
// state, the path to the violation and the state in which it ends have a frame, a line and a shape of their
// own, so that they are found without colours.
#pragma once

#include <cstddef>
#include <string>

#include "sim/state_graph.h"
#include "viz/ladder.h"

namespace zablab::viz {

/// In larger graphs only the states of the path, and the actions that lead along it, are labelled.
inline constexpr std::size_t labelled_states_max = 60;

/// DOT that Graphviz lays out.
std::string statespaceDot(const StateGraph& graph, Theme theme);

}  // namespace zablab::viz
