// Gives everything of a picture its place. Heights first; then a greedy search for the sides and offsets of
// tags, boxes, crosses and labels. What finds no place asks for more room above its row, and all heights are
// computed again.
#pragma once

#include "viz/rows.h"

namespace zablab::viz {

/// Fills the lanes, rows and everything between them of a picture whose rows begin below `top`.
void place(const Trace& trace, const Story& story, const RowPlan& plan, const LadderOptions& options,
           Tenths top, Ladder& ladder);

/// Labels that found no room; they remain in the tooltips.
int labelsWithoutRoom(const Ladder& ladder);

}  // namespace zablab::viz
