#include "viz/place.h"

#include <algorithm>

#include "viz/arrows.h"
#include "viz/heights.h"
#include "viz/lifelines.h"
#include "viz/search.h"
#include "viz/shape.h"

namespace zablab::viz {
namespace {

constexpr int attempts_max = 12;
constexpr Tenths more_room = 120;

}  // namespace

void place(const Trace& trace, const Story& story, const RowPlan& plan, const LadderOptions& options,
           Tenths top, Ladder& ladder) {
  const ShapeMaker maker(trace, story, options);
  std::vector<StepShape> shapes(story.steps.size());
  for (const std::vector<std::size_t>& row : plan.rows) {
    for (const std::size_t step : row) shapes[step] = maker.make(story.steps[step]);
  }
  const Tenths lane_gap = placeLanes(story, plan, options, shapes, ladder);
  ladder.rows_top = top;
  const Ladder bare = ladder;
  std::vector<Tenths> extra(plan.rows.size(), 0);
  for (int attempt = 1;; ++attempt) {
    const Tenths bottom = placeRows(trace, story, plan, options, shapes, top, extra, ladder);
    addArrows(trace, story, plan, shapes, ladder);
    placeBottom(ladder, bottom);
    const std::set<int> cramped = findPlaces(trace, story, plan, shapes, lane_gap, ladder);
    if (cramped.empty() || attempt == attempts_max) break;
    for (const int row : cramped) extra[static_cast<std::size_t>(row)] += more_room;
    ladder = bare;
  }
  addBands(trace, story, ladder);
}

int labelsWithoutRoom(const Ladder& ladder) {
  return static_cast<int>(std::count_if(ladder.arrows.begin(), ladder.arrows.end(), [](const Arrow& arrow) {
    return !arrow.label.empty() && !arrow.label_place;
  }));
}

}  // namespace zablab::viz
