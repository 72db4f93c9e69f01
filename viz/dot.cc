#include "viz/dot.h"

#include <algorithm>
#include <cstdlib>

#include "viz/canvas.h"

namespace zablab::viz {
namespace {

constexpr const char* sans = "Liberation Sans,Arial,Helvetica,sans-serif";
constexpr const char* mono = "Liberation Mono,Courier New,monospace";

/// Tenths of a point as inches, to four places.
std::string inches(Tenths value) {
  const std::int64_t scaled = (static_cast<std::int64_t>(std::max<Tenths>(value, 0)) * 10'000 + 360) / 720;
  std::string fraction = std::to_string(scaled % 10'000);
  return std::to_string(scaled / 10'000) + "." + std::string(4 - fraction.size(), '0') + fraction;
}

/// The form in a DOT string of text that Graphviz is to show unchanged: no escapes, no entities.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '"': result += "\\\""; break;
      case '\\': result += "\\\\"; break;
      case '&': result += "&amp;"; break;
      default: result += c;
    }
  }
  return result;
}

/// The attributes of one node or edge, in the order in which they are set.
class Attributes {
 public:
  explicit Attributes(const Named& named) { word("id", named.id).word("class", named.classes); }
  Attributes& raw(const char* key, const std::string& value) {
    text_ += (text_.empty() ? "" : ", ") + std::string(key) + "=" + value;
    return *this;
  }
  Attributes& word(const char* key, const std::string& value) { return raw(key, '"' + value + '"'); }
  Attributes& text(const char* key, std::string_view value) { return raw(key, dotString(value)); }
  Attributes& size(Tenths width, Tenths height) {
    return raw("width", inches(width)).raw("height", inches(height));
  }
  Attributes& fill(const Fill& fill) {
    const bool striped = fill.style == Fill::Style::striped;
    word("style", striped                              ? "striped"
                  : fill.style == Fill::Style::dashed  ? "filled,dashed"
                  : fill.style == Fill::Style::rounded ? "rounded,filled"
                                                       : "filled");
    const std::string pair = fill.fill + ":" + fill.other + ":";
    word("fillcolor", striped ? pair + pair + fill.fill : fill.fill);
    return word("color", fill.frame).raw("penwidth", points(fill.pen));
  }
  Attributes& lettering(const Lettering& look) {
    if (look.face == Face::mono) word("fontname", mono);
    return raw("fontsize", points(look.size)).word("fontcolor", look.colour);
  }
  std::string with(const std::string& tooltip) {
    return text("tooltip", tooltip.empty() ? " " : tooltip).text_;
  }

 private:
  std::string text_;
};

class DotCanvas : public Canvas {
 public:
  void begin(const Frame& frame) override {
    out_ += "// dot -Tsvg ladder.dot -o ladder.svg\n";
    out_ += "digraph ladder {\n";
    line("graph [layout=nop2, splines=line, pad=0, bgcolor=\"" + frame.ground +
         "\", tooltip=" + dotString(frame.title) + "]");
    line(std::string("node [shape=none, style=\"\", margin=0, fixedsize=true, label=\"\", fontname=\"") +
         sans + "\", fontcolor=\"" + frame.text_colour + "\"]");
    line("edge [arrowsize=0.6, penwidth=1.2]");
  }

  void rectangle(const Named& named, const Rect& place, const Fill& fill) override {
    shape("box", named, place, fill);
  }

  void circle(const Named& named, Point at, Tenths radius, const Fill& fill) override {
    shape("circle", named, {at.x - radius, at.y - radius, at.x + radius, at.y + radius}, fill);
  }

  void diamond(const Named& named, Point at, Tenths radius, const Fill& fill) override {
    shape("diamond", named, {at.x - radius, at.y - radius, at.x + radius, at.y + radius}, fill);
  }

  void text(const Named& named, const Rect& place, const std::string& words, const Lettering& look) override {
    Attributes attributes(named);
    if (!look.ground.empty()) {
      attributes.raw("shape", "box")
          .word("style", "filled")
          .word("fillcolor", look.ground)
          .raw("penwidth", "0.0");
    }
    attributes.lettering(look)
        .size(place.width(), place.height())
        .raw("label", label({words}, look, place.width()));
    node(named.id, place.centre(), attributes.with(named.tooltip));
  }

  void labelled(const Named& named, const Rect& place, const Fill& fill,
                const std::vector<std::string>& lines, const Lettering& look) override {
    Attributes attributes(named);
    attributes.raw("shape", "box")
        .fill(fill)
        .lettering(look)
        .size(place.width(), place.height())
        .raw("label", label(lines, look, place.width()));
    node(named.id, place.centre(), attributes.with(named.tooltip));
  }

  void line(const Named& named, const LineEnd& from, const LineEnd& to, const Stroke& stroke) override {
    edge(named, from, to, stroke, "");
  }

  void curve(const Named& named, const LineEnd& from, const LineEnd& to, const std::vector<Point>& way,
             std::optional<Point> tip, const Stroke& stroke) override {
    std::string pos;
    if (tip) pos = "e," + position(*tip);
    for (const Point& point : way) pos += (pos.empty() ? "" : " ") + position(point);
    edge(named, from, to, stroke, pos);
  }

  std::string finish() override { return std::move(out_) + "}\n"; }

 private:
  static std::string position(Point at) { return points(at.x) + "," + points(-at.y); }

  void line(const std::string& text) { out_ += "  " + text + ";\n"; }

  void node(const std::string& name, Point at, const std::string& attributes) {
    line('"' + name + "\" [pos=\"" + position(at) + "\", " + attributes + "]");
  }

  void shape(const char* kind, const Named& named, const Rect& place, const Fill& fill) {
    Attributes attributes(named);
    attributes.raw("shape", kind).fill(fill).size(place.width(), place.height());
    node(named.id, place.centre(), attributes.with(named.tooltip));
  }

  /// Bold text is HTML, which is centred unless a table of the node's width holds it.
  static std::string label(const std::vector<std::string>& lines, const Lettering& look, Tenths width) {
    if (look.face == Face::bold) {
      const std::string bold = "<B>" + htmlText(lines.front()) + "</B>";
      if (look.align == Align::centre) return "<" + bold + ">";
      return R"(<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"><TR><TD ALIGN="LEFT" WIDTH=")" +
             std::to_string(width / 10) + "\">" + bold + "</TD></TR></TABLE>>";
    }
    std::string text;
    for (const std::string& one : lines) text += (text.empty() ? "" : "\\n") + escaped(clean(one));
    const char* align = look.align == Align::left ? "\\l" : look.align == Align::right ? "\\r" : "";
    return '"' + text + align + '"';
  }

  /// The name of a node at which a line ends; a place without a dot becomes an invisible one.
  const std::string& endOf(const LineEnd& end) {
    if (!end.dot.empty()) return end.dot;
    node(end.name, end.at, Attributes({end.name, "pin", ""}).raw("style", "invis").size(7, 7).with(""));
    return end.name;
  }

  void edge(const Named& named, const LineEnd& from, const LineEnd& to, const Stroke& stroke,
            const std::string& pos) {
    const std::string& tail = endOf(from);
    const std::string& head = endOf(to);
    Attributes attributes(named);
    attributes.word("color", stroke.colour).raw("penwidth", points(stroke.width));
    if (stroke.style != Stroke::Style::solid)
      attributes.raw("style", stroke.style == Stroke::Style::dashed ? "dashed" : "dotted");
    if (stroke.head != Stroke::Head::filled)
      attributes.raw("arrowhead", stroke.head == Stroke::Head::none ? "none" : "onormal");
    if (!from.dot.empty() && from.radius == 0) attributes.raw("tailclip", "false");
    if (!to.dot.empty() && to.radius == 0) attributes.raw("headclip", "false");
    if (!pos.empty()) attributes.word("pos", pos);
    line('"' + tail + "\" -> \"" + head + "\" [" + attributes.with(named.tooltip) + "]");
  }

  std::string out_;
};

}  // namespace

std::string dotString(std::string_view text) { return '"' + escaped(clean(text)) + '"'; }

std::string toDot(const Sheet& sheet) {
  DotCanvas canvas;
  return draw(sheet, canvas);
}

}  // namespace zablab::viz
