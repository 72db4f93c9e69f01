// Gives everything of a picture its place. Heights first, from top to bottom, so that nothing on one lane can
// meet; then a greedy search for the sides and offsets of tags, boxes, crosses and labels. What finds no
// place asks for more room above its row, and all heights are computed again.
#pragma once

#include "viz/rows.h"
#include "viz/shape.h"
#include "viz/space.h"

namespace zablab::viz {

/// Fills the lanes, rows and everything between them of a picture whose rows begin below `top`.
void place(const Trace& trace, const Story& story, const RowPlan& plan, const LadderOptions& options,
           Tenths top, Ladder& ladder);

/// Labels that found no room; they remain in the tooltips.
int labelsWithoutRoom(const Ladder& ladder);

/// Rows from one line of node names to the next.
inline constexpr int rows_between_heads = 40;

}  // namespace zablab::viz
