// Places every element of a picture. Heights come first, from top to bottom, so that elements on one lane
// cannot collide; then a greedy search finds the sides and offsets of tags, boxes, crosses and labels. An
// element that finds no place requests more room above its row, and all heights are computed again.
#pragma once

#include <functional>

#include "viz/rows.h"
#include "viz/shape.h"
#include "viz/space.h"

namespace zablab::viz {

/// Fills in the lanes and the picture's width, then rows and everything between them. `top` places what is
/// above the rows, whose width is then known, and returns where the rows may begin.
void place(const Trace& trace, const Story& story, const RowPlan& plan, const LadderOptions& options,
           const std::function<Tenths()>& top, Ladder& ladder);

/// The number of labels that found no room; they remain in the tooltips.
int labelsWithoutRoom(const Ladder& ladder);

/// The number of rows from one line of node names to the next.
inline constexpr int rows_between_heads = 40;

}  // namespace zablab::viz
