// What stands around the ladder: title, subtitle, banners above; banners and legend below.
#pragma once

#include "viz/rows.h"
#include "viz/story.h"

namespace zablab::viz {

/// Writes and places what stands above; returns where the rows may begin.
Tenths placeTop(const Trace& trace, const Story& story, const RowPlan& plan, const LadderOptions& options,
                Ladder& ladder);

/// Places what stands below the finished ladder, and the page's size.
void placeBelow(const Trace& trace, const Story& story, const RowPlan& plan, Ladder& ladder);

}  // namespace zablab::viz
