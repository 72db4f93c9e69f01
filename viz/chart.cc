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
    heading(title, "bar: 10th to 90th percentile; line: median; dot: 99th percentile");
    for (const ChartPanel& panel : panels) {
      std::int64_t most = 1;
      for (const ChartRow& row : panel.rows) most = std::max(most, row.p99);
      drawPanel(panel, most, [&](const ChartRow& row, std::size_t, const Axis& axis, std::int64_t middle) {
        drawRow(row, axis, middle);
      });
    }
    return document();
  }
  std::string draw(const std::string& title, const std::string& about,
                   const std::vector<SpreadPanel>& panels) {
    heading(title, about);
    text(edge, y_, "start", 12, colours_.muted,
         "bar: the middle half of the runs; mark: median; line: least to most");
    y_ += 14;
    for (const SpreadPanel& panel : panels) {
      std::int64_t most = 1;
      for (const SpreadRow& row : panel.rows) most = std::max(most, row.max);
      drawPanel(panel, most, [&](const SpreadRow& row, std::size_t i, const Axis& axis, std::int64_t middle) {
        drawRow(row, colours_.messages[1 + i % (colours_.messages.size() - 1)], axis, middle);
      });
    }
    return document();
  }

 private:
  struct Axis {
    std::int64_t left = 0, end = 0;
    std::int64_t at(std::int64_t value) const { return left + value * axis_width / end; }
  };

  void heading(const std::string& title, const std::string& about) {
    text(edge, y_ + 18, "start", 17, colours_.text, title, "bold");
    text(edge, y_ + 38, "start", 12, colours_.muted, about);
    y_ += 52;
  }
  std::string document() const {
    const std::string size =
        "width=\"" + std::to_string(width()) + "\" height=\"" + std::to_string(y_ + edge) + "\"";
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" " + size +
           " font-family=\"Helvetica, Arial, sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"" +
           colours_.ground + "\"/>\n" + body_ + "</svg>\n";
  }
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

  template <class Panel, class Draw>
  void drawPanel(const Panel& panel, std::int64_t most, Draw draw) {
    const std::int64_t tick = tickOf(most);
    const Axis axis{edge + label_width, (most + tick - 1) / tick * tick};
    const std::int64_t bottom =
        y_ + heading_height + static_cast<std::int64_t>(panel.rows.size()) * row_height;
    text(edge, y_ + 20, "start", 14, colours_.text, panel.title, "bold");
    for (std::int64_t value = 0; value <= axis.end; value += tick) {
      bar(axis.at(value), y_ + heading_height - 4, 1, bottom - y_ - heading_height + 8, colours_.grid);
      text(axis.at(value), bottom + 18, "middle", 11, colours_.muted, std::to_string(value));
    }
    y_ += heading_height;
    for (std::size_t i = 0; i < panel.rows.size(); ++i) {
      const std::int64_t middle = y_ + row_height / 2;
      text(axis.left - 10, middle + 4, "end", 12, colours_.text, panel.rows[i].label);
      draw(panel.rows[i], i, axis, middle);
      y_ += row_height;
    }
    y_ += axis_height + 10;
  }

  void drawRow(const ChartRow& row, const Axis& axis, std::int64_t middle) {
    bar(axis.at(row.p10), middle - bar_height / 2, axis.at(row.p90) - axis.at(row.p10), bar_height,
        colours_.messages[1]);
    bar(axis.at(row.p50) - 1, middle - bar_height / 2 - 2, 3, bar_height + 4, colours_.text);
    body_ += "<circle cx=\"" + std::to_string(axis.at(row.p99)) + "\" cy=\"" + std::to_string(middle) +
             "\" r=\"3\" fill=\"" + colours_.messages[1] + "\"/>\n";
    text(axis.left + axis_width + 14, middle + 4, "start", 11, colours_.muted,
         std::to_string(row.p50) + " (of " + std::to_string(row.count) + ")");
  }

  void drawRow(const SpreadRow& row, const char* colour, const Axis& axis, std::int64_t middle) {
    const std::int64_t numbers = axis.left + axis_width + 14;
    if (row.count == 0) return text(numbers, middle + 4, "start", 11, colours_.muted, "-");
    bar(axis.at(row.min), middle - 1, axis.at(row.max) - axis.at(row.min), 2, colour);
    for (const std::int64_t end : {row.min, row.max}) bar(axis.at(end), middle - 4, 1, 8, colour);
    bar(axis.at(row.lower), middle - bar_height / 2, axis.at(row.upper) - axis.at(row.lower), bar_height,
        colour);
    bar(axis.at(row.median) - 1, middle - bar_height / 2 - 2, 3, bar_height + 4, colours_.text);
    text(
        numbers, middle + 4, "start", 11, colours_.muted,
        std::to_string(row.median) + " (" + std::to_string(row.min) + " to " + std::to_string(row.max) + ")");
  }

  const Palette& colours_ = paletteOf(Theme::light);
  std::string body_;
  std::int64_t y_ = edge;
};

}  // namespace

std::string chartSvg(const std::string& title, const std::vector<ChartPanel>& panels) {
  return Chart().draw(title, panels);
}
std::string spreadSvg(const std::string& title, const std::string& about,
                      const std::vector<SpreadPanel>& panels) {
  return Chart().draw(title, about, panels);
}

}  // namespace zablab::viz
