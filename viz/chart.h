// Distributions as a picture: panels of rows, each row a bar over the middle of its values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace zablab::viz {

/// One distribution: a bar from the 10th to the 90th percentile, a mark at the median, a dot at the 99th.
struct ChartRow {
  std::string label;
  std::uint64_t count = 0;  ///< number of values
  std::int64_t p10 = 0, p50 = 0, p90 = 0, p99 = 0;
};

/// Rows on one axis, which begins at 0.
struct ChartPanel {
  std::string title;  ///< including the unit
  std::vector<ChartRow> rows;
};

/// A complete SVG document.
std::string chartSvg(const std::string& title, const std::vector<ChartPanel>& panels);

}  // namespace zablab::viz
