#include "viz/sheet.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "viz/draw.h"
#include "viz/furniture.h"
#include "viz/palette.h"
#include "viz/shape.h"

namespace zablab::viz {
namespace {

constexpr Tenths pages_max = 100;  // each is laid out several times
constexpr Tenths footer_height = 180;

Point down(Point at, Tenths by) { return {at.x, at.y + by}; }
Rect down(const Rect& place, Tenths by) {
  return {place.left, place.top + by, place.right, place.bottom + by};
}

/// A part of another canvas's drawing.
class PartCanvas : public Canvas {
 public:
  PartCanvas(Canvas& canvas, std::string prefix, Tenths top)
      : canvas_(canvas), prefix_(std::move(prefix)), top_(top) {}

  void begin(const Frame&) override {}
  std::string finish() override { return ""; }
  void rectangle(const Named& named, const Rect& place, const Fill& fill) override {
    canvas_.rectangle(own(named), down(place, top_), fill);
  }
  void text(const Named& named, const Rect& place, const std::string& words, const Lettering& look) override {
    canvas_.text(own(named), down(place, top_), words, look);
  }
  void labelled(const Named& named, const Rect& place, const Fill& fill,
                const std::vector<std::string>& lines, const Lettering& look) override {
    canvas_.labelled(own(named), down(place, top_), fill, lines, look);
  }
  void circle(const Named& named, Point centre, Tenths radius, const Fill& fill) override {
    canvas_.circle(own(named), down(centre, top_), radius, fill);
  }
  void diamond(const Named& named, Point centre, Tenths radius, const Fill& fill) override {
    canvas_.diamond(own(named), down(centre, top_), radius, fill);
  }
  void line(const Named& named, const LineEnd& from, const LineEnd& to, const Stroke& stroke) override {
    canvas_.line(own(named), own(from), own(to), stroke);
  }
  void curve(const Named& named, const LineEnd& from, const LineEnd& to, const std::vector<Point>& points,
             std::optional<Point> tip, const Stroke& stroke) override {
    std::vector<Point> moved = points;
    for (Point& point : moved) point = down(point, top_);
    if (tip) tip = down(*tip, top_);
    canvas_.curve(own(named), own(from), own(to), moved, tip, stroke);
  }

 private:
  Named own(Named named) const {
    named.id = prefix_ + named.id;
    return named;
  }
  LineEnd own(LineEnd end) const {
    end.at = down(end.at, top_);
    if (!end.dot.empty()) end.dot = prefix_ + end.dot;
    if (!end.name.empty()) end.name = prefix_ + end.name;
    return end;
  }

  Canvas& canvas_;
  std::string prefix_;
  Tenths top_;
};

/// Draws nothing, and looks at the texts.
class Ruler : public Canvas {
 public:
  explicit Ruler(Measures& measures) : measures_(measures) {}

  void begin(const Frame& frame) override {
    measures_.width = frame.width;
    measures_.height = frame.height;
  }
  void rectangle(const Named&, const Rect&, const Fill&) override {}
  void text(const Named& named, const Rect&, const std::string& words, const Lettering& look) override {
    // A cross is drawn as a letter; of a pause only the tooltip says that it is shortened.
    if (words != "×") count(named, words, look);
  }
  void labelled(const Named& named, const Rect&, const Fill&, const std::vector<std::string>& lines,
                const Lettering& look) override {
    for (const std::string& line : lines) count(named, line, look);
  }
  void circle(const Named&, Point, Tenths, const Fill&) override {}
  void diamond(const Named&, Point, Tenths, const Fill&) override {}
  void line(const Named&, const LineEnd&, const LineEnd&, const Stroke&) override {}
  void curve(const Named&, const LineEnd&, const LineEnd&, const std::vector<Point>&, std::optional<Point>,
             const Stroke&) override {}
  std::string finish() override { return ""; }

 private:
  void count(const Named& named, const std::string& words, const Lettering& look) {
    ++measures_.texts;
    if (measures_.smallest_text == 0 || look.size < measures_.smallest_text)
      measures_.smallest_text = look.size;
    const bool omission = named.classes.ends_with(" omitted") || named.classes == "pause";
    if (words.ends_with("…") && !omission) ++measures_.cut_texts;
  }

  Measures& measures_;
};

/// The first event at or after a bound.
std::size_t positionOf(const Trace& trace, const Bound& bound) {
  std::size_t position = 0;
  while (position < trace.events.size() &&
         (bound.unit == Bound::Unit::event ? static_cast<std::int64_t>(position)
                                           : trace.events[position].time) < bound.value)
    ++position;
  return position;
}

Bound atEvent(std::size_t position) { return {Bound::Unit::event, static_cast<std::int64_t>(position)}; }

void add(Sheet& sheet, Ladder ladder) {
  sheet.width = std::max(sheet.width, ladder.width);
  sheet.height += ladder.height;
  sheet.parts.push_back(std::move(ladder));
}

/// Adds the names of a list that are not yet in another.
void addNames(std::string& names, const std::string& more) {
  for (std::size_t from = 0; from < more.size();) {
    const std::size_t end = std::min(more.find(", ", from), more.size());
    const std::string name = more.substr(from, end - from);
    if ((", " + names + ", ").find(", " + name + ", ") == std::string::npos) names += ", " + name;
    from = end + 2;
  }
}

/// The legends of all parts, below the last one: an entry for each sign.
void shareLegend(Sheet& sheet) {
  std::vector<LegendEntry> all;
  for (Ladder& part : sheet.parts) {
    for (LegendEntry& entry : part.legend) {
      const bool of_messages = entry.kind == LegendEntry::Kind::message;
      const auto known = std::find_if(all.begin(), all.end(), [&](const LegendEntry& other) {
        return other.kind == entry.kind && other.tone == entry.tone &&
               other.type_number == entry.type_number && (of_messages || other.text == entry.text);
      });
      if (known == all.end()) {
        all.push_back(std::move(entry));
      } else if (of_messages) {
        addNames(known->text, entry.text);
      }
    }
    part.legend.clear();
  }
  Ladder& last = sheet.parts.back();
  sheet.height -= last.height;
  last.legend = std::move(all);
  placeLegend(last);
  sheet.height += last.height;
}

}  // namespace

Sheet::Sheet(Ladder ladder) : title(ladder.title) { add(*this, std::move(ladder)); }

Sheet pairOf(const Trace& one, const Trace& other, const LadderOptions& options) {
  const auto parting = firstDifferenceDrawn(one, other, options);
  const std::size_t first = parting.first, second = parting.second;
  const std::size_t from = options.from ? positionOf(one, *options.from) : 0;
  LadderOptions of_part = options;
  of_part.page_rows = 0;
  of_part.around.window = false;
  of_part.around.legend = false;
  const auto sheetWithin = [&](Tenths width) {
    of_part.width = width;
    Sheet sheet;
    if (from < first) {
      LadderOptions common = of_part;
      common.to = atEvent(first - 1);
      common.around.result = false;
      common.around.title = first < one.events.size()
                                ? options.book->form("Both runs, up to {time} ms, where they part",
                                                     {{"time", std::to_string(one.events[first].time)}})
                                : options.book->form("Both runs");
      Ladder ladder = layOut(one, common);
      if (!ladder.rows.empty()) add(sheet, std::move(ladder));
    }
    for (const auto& [trace, parted] : {std::pair(&one, first), std::pair(&other, second)}) {
      LadderOptions rest = of_part;
      rest.from = atEvent(std::max(from, parted));
      rest.around.reading = sheet.parts.empty();
      add(sheet, layOut(*trace, rest));
      sheet.title += (sheet.title.empty() ? "" : " / ") + sheet.parts.back().title;
    }
    return sheet;
  };
  Sheet sheet = sheetWithin(options.width);
  if (options.width != 0) sheet = sheetWithin(std::max(options.width, sheet.width));  // all equally wide
  shareLegend(sheet);
  return sheet;
}

std::vector<Sheet> pagesOf(const Trace& trace, const LadderOptions& options, const Paper& paper) {
  LadderOptions of_page = options;
  of_page.width = paper.width;
  of_page.page_rows = 0;
  of_page.around.window = false;
  const Ladder whole = layOut(trace, of_page);
  of_page.width = std::max(paper.width, whole.width);
  const Tenths height =
      static_cast<Tenths>(static_cast<std::int64_t>(of_page.width) * paper.height / paper.width);
  if (whole.height / height >= pages_max)
    throw std::length_error("more than " + std::to_string(pages_max) + " pages");
  std::vector<Sheet> pages;
  int rows = 16;
  for (std::optional<std::uint64_t> next = 0; next;) {
    if (!pages.empty()) {
      of_page.from = atEvent(static_cast<std::size_t>(*next));
      of_page.around.result = of_page.around.reading = false;
    }
    const auto with = [&](int row_count) {
      of_page.page_rows = row_count;
      return layOut(trace, of_page);
    };
    const auto fits = [&](const Ladder& ladder) { return ladder.height + footer_height <= height; };
    // The number of rows that fit is close to that of the page before.
    Ladder ladder = with(rows);
    while (fits(ladder) && ladder.next_event) {
      Ladder more = with(rows + 1);
      if (!fits(more)) break;
      rows += 1;
      ladder = std::move(more);
    }
    while (!fits(ladder) && rows > 1) ladder = with(--rows);
    // A row of states or a violation names an event that is above it: it must not begin the same page again.
    const std::uint64_t begun = ladder.rows.empty() ? 0 : ladder.rows.front().number;
    next = ladder.next_event;
    if (next && *next <= begun) next = begun + 1;
    Sheet page;
    page.title = ladder.title;
    add(page, std::move(ladder));
    page.width = of_page.width;
    page.height = std::max(page.height + footer_height, height);
    page.printed_width = paper.width;
    pages.push_back(std::move(page));
  }
  for (std::size_t i = 0; i < pages.size(); ++i)
    pages[i].footer = std::to_string(i + 1) + " of " + std::to_string(pages.size());
  return pages;
}

std::string draw(const Sheet& sheet, Canvas& canvas) {
  if (sheet.parts.empty()) throw std::invalid_argument("a sheet without a ladder");
  const Palette& colours = paletteOf(sheet.parts.front().theme);
  canvas.begin({sheet.title, sheet.width, sheet.height,
                sheet.printed_width == 0 ? sheet.width : sheet.printed_width, colours.ground, colours.text});
  Tenths top = 0;
  for (std::size_t i = 0; i < sheet.parts.size(); ++i) {
    PartCanvas part(canvas, i == 0 ? "" : "part" + std::to_string(i + 1) + '-', top);
    draw(sheet.parts[i], part);
    top += sheet.parts[i].height;
  }
  if (!sheet.footer.empty()) {
    canvas.text({"page-number", "page-number", ""},
                {size::margin, sheet.height - footer_height, sheet.width - size::margin,
                 sheet.height - footer_height + size::line},
                sheet.footer, {size::text, colours.muted, Face::sans, Align::right});
  }
  return canvas.finish();
}

Measures measure(const Sheet& sheet) {
  Measures measures;
  Ruler ruler(measures);
  draw(sheet, ruler);
  return measures;
}

}  // namespace zablab::viz
