#include "viz/rows.h"

#include <algorithm>
#include <map>

namespace zablab::viz {
namespace {

/// Rows in the order of the trace. A step joins the row above if it is of the same instant, on another lane,
/// and nothing in that row led to it.
class InOrder {
 public:
  explicit InOrder(const Story& story) : story_(story), reach_(story.steps.size(), -1) {}

  std::vector<std::vector<std::size_t>> rows() {
    for (std::size_t i = 0; i < story_.steps.size(); ++i) {
      const Step& step = story_.steps[i];
      for (const std::size_t other : step.after) reach_[i] = std::max(reach_[i], reach_[other]);
      if (!step.visible) continue;
      if (!fits(i)) {
        rows_.emplace_back();
        narrations_ = 0;
      }
      rows_.back().push_back(i);
      reach_[i] = static_cast<int>(rows_.size()) - 1;
      narrations_ += counts(step) ? 1 : 0;
    }
    return std::move(rows_);
  }

 private:
  /// Nodes that start together are one row, however many.
  static bool counts(const Step& step) { return !step.text.empty() && !step.of_start; }

  static bool alone(const Step& step) {
    return step.kind == Step::Kind::divider || step.kind == Step::Kind::fold || step.kind == Step::Kind::note;
  }

  bool fits(std::size_t i) const {
    const Step& step = story_.steps[i];
    if (rows_.empty() || alone(step)) return false;
    const int last_row = static_cast<int>(rows_.size()) - 1;
    if (step.kind == Step::Kind::verdict) return reach_[i] == last_row;
    if (reach_[i] == last_row) return false;
    if (counts(step) && narrations_ >= story_.narrations_per_row) return false;
    return std::all_of(rows_.back().begin(), rows_.back().end(), [&](std::size_t other_index) {
      const Step& other = story_.steps[other_index];
      const bool state = step.kind == Step::Kind::state, other_state = other.kind == Step::Kind::state;
      return state == other_state && other.time == step.time && !alone(other) &&
             (step.lane < 0 || other.lane != step.lane);
    });
  }

  const Story& story_;
  std::vector<int> reach_;  ///< the lowest row with something that led to the step, or its own row
  std::vector<std::vector<std::size_t>> rows_;
  int narrations_ = 0;
};

/// Rows by causal depth. What concerns all nodes (a cut, a note) is below everything that preceded it.
std::vector<std::vector<std::size_t>> causalRows(const Story& story) {
  std::vector<int> depth(story.steps.size(), 0);
  std::map<int, int> lane_depth;
  std::map<int, std::vector<std::size_t>> by_depth;
  int deepest = 0, barrier = 0;
  for (std::size_t i = 0; i < story.steps.size(); ++i) {
    const Step& step = story.steps[i];
    int above = barrier;
    for (const std::size_t other : step.after) above = std::max(above, depth[other]);
    if (step.lane >= 0) above = std::max(above, lane_depth[step.lane]);
    depth[i] = above;
    if (!step.visible || step.kind == Step::Kind::fold) continue;
    const bool everybody = step.kind == Step::Kind::divider || step.kind == Step::Kind::note;
    if (everybody) above = deepest;
    if (step.kind != Step::Kind::verdict) depth[i] = above + 1;
    depth[i] = std::max(depth[i], 1);
    if (everybody) barrier = depth[i];
    if (step.lane >= 0) lane_depth[step.lane] = depth[i];
    deepest = std::max(deepest, depth[i]);
    by_depth[depth[i]].push_back(i);
  }
  std::vector<std::vector<std::size_t>> rows;
  for (auto& [row_depth, steps] : by_depth) rows.push_back(std::move(steps));
  return rows;
}

}  // namespace

RowPlan planRows(const Story& story, RowMode mode, int page_rows) {
  RowPlan plan;
  plan.rows = mode == RowMode::causal ? causalRows(story) : InOrder(story).rows();
  plan.rows_in_all = plan.rows.size();
  if (page_rows > 0 && plan.rows.size() > static_cast<std::size_t>(page_rows)) {
    const std::vector<std::size_t>& next = plan.rows[static_cast<std::size_t>(page_rows)];
    plan.next_step = *std::min_element(next.begin(), next.end());
    plan.rows.resize(static_cast<std::size_t>(page_rows));
  }
  plan.row_of.assign(story.steps.size(), -1);
  for (std::size_t row = 0; row < plan.rows.size(); ++row) {
    for (const std::size_t step : plan.rows[row]) plan.row_of[step] = static_cast<int>(row);
  }
  return plan;
}

}  // namespace zablab::viz
