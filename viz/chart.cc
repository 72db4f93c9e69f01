#include "viz/chart.h"

#include <algorithm>

#include "viz/lettering.h"
#include "viz/palette.h"

namespace zablab::viz {
namespace {

// Pixels.
constexpr std::int64_t label_width = 230, axis_width = 560, numbers_width = 190;
constexpr std::int64_t edge = 24, row_height = 24, bar_height = 12, axis_height = 26, heading_height = 34;

/// 1, 2 or 5 times a power of ten, so that `most` takes at most eight of them.
std::int64_t tickOf(std::int64_t most) {
  for (std::int64_t power = 1;; power *= 10) {
    for (const std::int64_t step : {power, 2 * power, 5 * power}) {
      if (most <= 8 * step) return step;
    }
  }
}

class Chart {
 public:
  std::string draw(const std::string& title, const std::vector<ChartPanel>& panels) {
    text(edge, y_ + 18, "start", 17, colours_.text, title, "bold");
    text(edge, y_ + 38, "start", 12, colours_.muted,
         "bar: 10th to 90th percentile; line: median; dot: 99th percentile");
    y_ += 52;
    for (const ChartPanel& panel : panels) drawPanel(panel);
    const std::string size =
        "width=\"" + std::to_string(width()) + "\" height=\"" + std::to_string(y_ + edge) + "\"";
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" " + size +
           " font-family=\"Helvetica, Arial, sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"" +
           colours_.ground + "\"/>\n" + body_ + "</svg>\n";
  }

 private:
  static std::int64_t width() { return 2 * edge + label_width + axis_width + numbers_width; }

  void text(std::int64_t x, std::int64_t y, const char* anchor, int size, const char* colour,
            const std::string& words, const char* weight = "normal") {
    body_ += "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" text-anchor=\"" + anchor +
             "\" font-size=\"" + std::to_string(size) + "\" font-weight=\"" + weight + "\" fill=\"" + colour +
             "\">" + htmlText(words) + "</text>\n";
  }
  void bar(std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h, const char* colour) {
    body_ += "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"" +
             std::to_string(std::max<std::int64_t>(w, 1)) + "\" height=\"" + std::to_string(h) +
             "\" fill=\"" + colour + "\"/>\n";
  }

  void drawPanel(const ChartPanel& panel) {
    std::int64_t most = 1;
    for (const ChartRow& row : panel.rows) most = std::max(most, row.p99);
    const std::int64_t tick = tickOf(most);
    const std::int64_t end = (most + tick - 1) / tick * tick;
    const std::int64_t left = edge + label_width;
    const auto at = [&](std::int64_t value) { return left + value * axis_width / end; };
    const std::int64_t bottom =
        y_ + heading_height + static_cast<std::int64_t>(panel.rows.size()) * row_height;
    text(edge, y_ + 20, "start", 14, colours_.text, panel.title, "bold");
    for (std::int64_t value = 0; value <= end; value += tick) {
      bar(at(value), y_ + heading_height - 4, 1, bottom - y_ - heading_height + 8, colours_.grid);
      text(at(value), bottom + 18, "middle", 11, colours_.muted, std::to_string(value));
    }
    y_ += heading_height;
    for (const ChartRow& row : panel.rows) {
      const std::int64_t middle = y_ + row_height / 2;
      text(left - 10, middle + 4, "end", 12, colours_.text, row.label);
      bar(at(row.p10), middle - bar_height / 2, at(row.p90) - at(row.p10), bar_height, colours_.messages[1]);
      bar(at(row.p50) - 1, middle - bar_height / 2 - 2, 3, bar_height + 4, colours_.text);
      body_ += "<circle cx=\"" + std::to_string(at(row.p99)) + "\" cy=\"" + std::to_string(middle) +
               "\" r=\"3\" fill=\"" + colours_.messages[1] + "\"/>\n";
      text(left + axis_width + 14, middle + 4, "start", 11, colours_.muted,
           std::to_string(row.p50) + " (of " + std::to_string(row.count) + ")");
      y_ += row_height;
    }
    y_ += axis_height + 10;
  }

  const Palette& colours_ = paletteOf(Theme::light);
  std::string body_;
  std::int64_t y_ = edge;
};

}  // namespace

std::string chartSvg(const std::string& title, const std::vector<ChartPanel>& panels) {
  return Chart().draw(title, panels);
}

}  // namespace zablab::viz
