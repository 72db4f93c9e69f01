#include "viz/svg.h"

#include <algorithm>
#include <cstdlib>

#include "viz/canvas.h"

namespace zablab::viz {
namespace {

constexpr Tenths head_length = 60, head_half = 21;
constexpr Tenths rounding = 40;
constexpr Tenths stripes = 5;

std::int64_t rootOf(std::int64_t square) {
  std::int64_t root = 0;
  for (std::int64_t bit = std::int64_t{1} << 31; bit > 0; bit >>= 1) {
    if ((root + bit) * (root + bit) <= square) root += bit;
  }
  return root;
}

/// The point at `distance` from `from` towards `to`.
Point towards(Point from, Point to, Tenths distance) {
  const std::int64_t x = to.x - from.x, y = to.y - from.y;
  const std::int64_t length = rootOf(x * x + y * y);
  if (length == 0) return from;
  return {static_cast<Tenths>(from.x + x * distance / length),
          static_cast<Tenths>(from.y + y * distance / length)};
}

std::string attribute(const char* key, const std::string& value) {
  return std::string(" ") + key + "=\"" + htmlText(value) + '"';
}
std::string attribute(const char* key, Tenths value) { return attribute(key, points(value)); }

/// A colour, and its opacity if it is written as `#rrggbbaa`.
std::string colour(const char* key, const std::string& value) {
  if (value.size() != 9) return attribute(key, value);
  const std::string percent = std::to_string(std::strtol(value.substr(7).c_str(), nullptr, 16) * 100 / 255);
  const std::string opacity = percent == "100" ? "1" : "0." + std::string(2 - percent.size(), '0') + percent;
  return attribute(key, value.substr(0, 7)) + attribute((std::string(key) + "-opacity").c_str(), opacity);
}

class SvgCanvas : public Canvas {
 public:
  void begin(const Frame& frame) override {
    const std::int64_t printed_height =
        static_cast<std::int64_t>(frame.height) * frame.printed_width / std::max(frame.width, 1);
    out_ = R"(<svg xmlns="http://www.w3.org/2000/svg" width=")" + points(frame.printed_width) +
           "pt\" height=\"" + points(static_cast<Tenths>(printed_height)) + "pt\" viewBox=\"0 0 " +
           points(frame.width) + ' ' + points(frame.height) +
           R"(" role="img" font-family="Liberation Sans,Arial,Helvetica,sans-serif")" +
           colour("fill", frame.text_colour) + " style=\"background:" + frame.ground + "\">\n<title>" +
           htmlText(frame.title) +
           "</title>\n<style>.mono{font-family:\"Liberation Mono\",\"Courier "
           "New\",monospace}.bold{font-weight:bold}"
           "</style>\n";
  }

  void rectangle(const Named& named, const Rect& place, const Fill& fill) override {
    if (fill.style != Fill::Style::striped) return shape(named, "rect" + geometry(place) + look(fill));
    group(named, [&] {
      for (Tenths i = 0; i < stripes; ++i) {
        const Tenths left = place.left + place.width() * i / stripes;
        const Tenths right = place.left + place.width() * (i + 1) / stripes;
        out_ += "<rect" + geometry({left, place.top, right, place.bottom}) +
                colour("fill", i % 2 == 0 ? fill.fill : fill.other) + "/>";
      }
      out_ += "<rect" + geometry(place) + attribute("fill", "none") + pen(fill.frame, fill.pen) + "/>";
    });
  }

  void circle(const Named& named, Point centre, Tenths radius, const Fill& fill) override {
    shape(named, "circle" + attribute("cx", centre.x) + attribute("cy", centre.y) + attribute("r", radius) +
                     look(fill));
  }

  void diamond(const Named& named, Point centre, Tenths radius, const Fill& fill) override {
    shape(named,
          "polygon" +
              attribute("points",
                        at({centre.x, centre.y - radius}) + ' ' + at({centre.x + radius, centre.y}) + ' ' +
                            at({centre.x, centre.y + radius}) + ' ' + at({centre.x - radius, centre.y})) +
              look(fill));
  }

  void text(const Named& named, const Rect& place, const std::string& words, const Lettering& look) override {
    group(named, [&] {
      if (!look.ground.empty()) out_ += "<rect" + geometry(place) + colour("fill", look.ground) + "/>";
      write(place, place.centre().y, words, look);
    });
  }

  void labelled(const Named& named, const Rect& place, const Fill& fill,
                const std::vector<std::string>& lines, const Lettering& lettering) override {
    group(named, [&] {
      out_ += "<rect" + geometry(place) + look(fill) + "/>";
      const Tenths step = lettering.size * 6 / 5;
      Tenths y = place.centre().y - step * static_cast<Tenths>(lines.size() - 1) / 2;
      for (const std::string& one : lines) {
        write(place, y, one, lettering);
        y += step;
      }
    });
  }

  void line(const Named& named, const LineEnd& from, const LineEnd& to, const Stroke& stroke) override {
    const Point start = towards(from.at, to.at, from.radius);
    Point end = towards(to.at, from.at, to.radius);
    group(named, [&] {
      const Point tip = end;
      if (stroke.head != Stroke::Head::none) end = towards(tip, from.at, head_length);
      out_ += "<path" + attribute("d", "M" + at(start) + 'L' + at(end)) + strokeOf(stroke) + "/>";
      addHead(end, tip, stroke);
    });
  }

  void curve(const Named& named, const LineEnd&, const LineEnd&, const std::vector<Point>& way,
             std::optional<Point> tip, const Stroke& stroke) override {
    group(named, [&] {
      std::string path;
      for (const Point& point : way)
        path += (path.empty() ? "M" : path.find('C') == std::string::npos ? "C" : " ") + at(point);
      out_ += "<path" + attribute("d", path) + attribute("fill", "none") + strokeOf(stroke) + "/>";
      if (tip) addHead(way.back(), *tip, stroke);
    });
  }

  std::string finish() override { return std::move(out_) + "</svg>\n"; }

 private:
  static std::string at(Point point) { return points(point.x) + ',' + points(point.y); }

  static std::string names(const Named& named) {
    return attribute("id", named.id) + attribute("class", named.classes);
  }
  static std::string title(const Named& named) {
    return named.tooltip.empty() ? "" : "<title>" + htmlText(named.tooltip) + "</title>";
  }

  void shape(const Named& named, const std::string& element) {
    const std::string kind = element.substr(0, element.find(' '));
    const std::string inside = title(named);
    out_ += '<' + kind + names(named) + element.substr(kind.size()) +
            (inside.empty() ? "/>\n" : '>' + inside + "</" + kind + ">\n");
  }

  template <class Content>
  void group(const Named& named, Content content) {
    out_ += "<g" + names(named) + '>' + title(named);
    content();
    out_ += "</g>\n";
  }

  static std::string geometry(const Rect& place) {
    return attribute("x", place.left) + attribute("y", place.top) + attribute("width", place.width()) +
           attribute("height", place.height());
  }

  static std::string pen(const std::string& frame, Tenths width) {
    return width == 0 ? "" : colour("stroke", frame) + attribute("stroke-width", width);
  }

  static std::string look(const Fill& fill) {
    return (fill.style == Fill::Style::rounded ? attribute("rx", rounding) : "") + colour("fill", fill.fill) +
           pen(fill.frame, fill.pen) +
           (fill.style == Fill::Style::dashed ? attribute("stroke-dasharray", "5,2") : "");
  }

  static std::string strokeOf(const Stroke& stroke) {
    const char* dashes = stroke.style == Stroke::Style::dashed   ? "5,2"
                         : stroke.style == Stroke::Style::dotted ? "1,4"
                                                                 : nullptr;
    return colour("stroke", stroke.colour) + attribute("stroke-width", stroke.width) +
           (dashes == nullptr ? "" : attribute("stroke-dasharray", dashes));
  }

  void addHead(Point base, Point tip, const Stroke& stroke) {
    if (stroke.head == Stroke::Head::none) return;
    const std::int64_t x = tip.x - base.x, y = tip.y - base.y;
    const std::int64_t length = std::max<std::int64_t>(rootOf(x * x + y * y), 1);
    const auto side_x = static_cast<Tenths>(-y * head_half / length);
    const auto side_y = static_cast<Tenths>(x * head_half / length);
    const bool hollow = stroke.head == Stroke::Head::hollow;
    out_ += "<polygon" +
            attribute("points", at(tip) + ' ' + at({base.x + side_x, base.y + side_y}) + ' ' +
                                    at({base.x - side_x, base.y - side_y})) +
            (hollow ? attribute("fill", "none") + pen(stroke.colour, 10) : colour("fill", stroke.colour)) +
            "/>";
  }

  /// One line of text whose middle is at `y`.
  void write(const Rect& place, Tenths y, const std::string& words, const Lettering& look) {
    const Tenths x = look.align == Align::left    ? place.left
                     : look.align == Align::right ? place.right
                                                  : place.centre().x;
    out_ += "<text" + attribute("x", x) + attribute("y", y + look.size * 35 / 100) +
            attribute("font-size", look.size);
    if (look.align != Align::left)
      out_ += attribute("text-anchor", look.align == Align::right ? "end" : "middle");
    if (look.face != Face::sans) out_ += attribute("class", look.face == Face::mono ? "mono" : "bold");
    if (!look.colour.empty()) out_ += colour("fill", look.colour);
    out_ += '>' + htmlText(clean(words)) + "</text>";
  }

  std::string out_;
};

}  // namespace

std::string toSvg(const Sheet& sheet) {
  SvgCanvas canvas;
  return draw(sheet, canvas);
}

}  // namespace zablab::viz
