// Cut links as shown to a reader: the sides of a partition if the cut is a clean one, names of links if it is
// not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "viz/story.h"

namespace zablab::viz {

/// Neighbouring lanes that belong together while a cut lasts.
struct CutBlock {
  int side = -1;  ///< -1: not a clean partition
  int lane_from = 0, lane_to = 0;
  std::string text;
  std::string tooltip;
};

/// From one change of the cut links to the next; positions among the trace's events.
struct CutSpan {
  std::size_t begin = 0;
  std::optional<std::size_t> end;
  std::vector<CutBlock> blocks;
};

std::vector<CutSpan> cutSpans(const Trace& trace, const Story& story);

/// A short description of an event that concerns all nodes; empty if the blocks below it show it.
std::string dividerWords(const Trace& trace, std::size_t position, const Story& story);

}  // namespace zablab::viz
