// The assignment of steps to rows.
#pragma once

#include <cstddef>
#include <vector>

#include "viz/story.h"

namespace zablab::viz {

/// The maximum number of lines of a step's narration; more lines are cut.
inline constexpr std::size_t narration_lines_max = 6;
inline constexpr std::size_t narration_lines_narrow = 16;  ///< where it is narrower than usual

struct RowPlan {
  std::vector<std::vector<std::size_t>> rows;  ///< the steps of each row, in order
  std::vector<int> row_of;                     ///< of each step; -1 for what is not drawn or not on this page
  std::size_t rows_in_all = 0;                 ///< number of rows before the page was cut
  std::optional<std::size_t> next_step;        ///< the first step that did not fit the page
};

RowPlan planRows(const Story& story, RowMode mode, int page_rows);

}  // namespace zablab::viz
