// The parts around the ladder: title, subtitle, banners above; banners and legend below.
#pragma once

#include "viz/rows.h"
#include "viz/story.h"

namespace zablab::viz {

/// Writes and places the parts above, on a picture whose width is known; returns where the rows may begin.
Tenths placeTop(const Trace& trace, const Story& story, const RowPlan& plan, const LadderOptions& options,
                Ladder& ladder);

/// Places the parts below the finished ladder, and sets the picture's height.
void placeBelow(const Trace& trace, const Story& story, const RowPlan& plan, const LadderOptions& options,
                Ladder& ladder);

/// Places the legend below everything else, and sets the picture's height.
void placeLegend(Ladder& ladder);

}  // namespace zablab::viz
