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

/// One distribution: a line from the least to the most, a bar over the middle half, a mark at the median.
struct SpreadRow {
  std::string label;
  std::uint64_t count = 0;  ///< number of values; 0: there are none
  std::int64_t min = 0, lower = 0, median = 0, upper = 0, max = 0;
};

/// Rows on one axis, which begins at 0.
struct SpreadPanel {
  std::string title;  ///< including the unit
  std::vector<SpreadRow> rows;
};

/// The same with other rows, each label in one colour in all panels; `about` is below the title.
std::string spreadSvg(const std::string& title, const std::string& about,
                      const std::vector<SpreadPanel>& panels);

}  // namespace zablab::viz
