#include "viz/dot.h"

#include <algorithm>
#include <cstdlib>

#include "viz/palette.h"
#include "viz/shape.h"

namespace zablab::viz {
namespace {

constexpr const char* sans = "Liberation Sans,Arial,Helvetica,sans-serif";
constexpr const char* mono = "Liberation Mono,Courier New,monospace";
constexpr std::size_t tooltip_letters_max = 700;

/// Tenths of a point as points.
std::string points(Tenths value) {
  const std::int64_t size = std::abs(static_cast<std::int64_t>(value));
  return (value < 0 ? "-" : "") + std::to_string(size / 10) + '.' + std::to_string(size % 10);
}

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

/// Letters that a class may have.
std::string classWord(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    result += plain ? c : '-';
  }
  return result;
}

/// The attributes of one node or edge, in the order in which they are set.
class Attributes {
 public:
  Attributes& raw(const char* key, const std::string& value) {
    text_ += (text_.empty() ? "" : ", ") + std::string(key) + "=" + value;
    return *this;
  }
  Attributes& word(const char* key, const std::string& value) { return raw(key, '"' + value + '"'); }
  Attributes& text(const char* key, std::string_view value) { return raw(key, dotString(value)); }
  Attributes& tooltip(const std::string& value) {
    const std::string shown = clean(value).size() > tooltip_letters_max
                                  ? elideColumns(clean(value), static_cast<int>(tooltip_letters_max))
                                  : clean(value);
    return text("tooltip", shown.empty() ? " " : shown);
  }
  const std::string& str() const { return text_; }

 private:
  std::string text_;
};

enum class Align { left, centre, right };

class DotWriter {
 public:
  explicit DotWriter(const Ladder& ladder) : in_(ladder), colour_(paletteOf(ladder.theme)) {}

  std::string write() {
    begin();
    writeShades();
    writeRows();
    writeBands();
    writeNarration();
    writeDividers();
    writeDots();
    writeArrows();
    writeLabels();
    writeBoxes();
    writeTags();
    writeHeads();
    writeTop();
    writeBanners();
    writeLegend();
    out_ += "}\n";
    return std::move(out_);
  }

 private:
  // ---- the few shapes from which everything is made

  void line(const std::string& text) { out_ += "  " + text + ";\n"; }

  void node(const std::string& name, Point at, const Attributes& attributes) {
    line('"' + name + "\" [pos=\"" + points(at.x) + "," + points(-at.y) + "\", " + attributes.str() + "]");
  }

  void edge(const std::string& from, const std::string& to, const Attributes& attributes) {
    line('"' + from + "\" -> \"" + to + "\" [" + attributes.str() + "]");
  }

  static Attributes& sized(Attributes& attributes, Tenths width, Tenths height) {
    return attributes.raw("width", inches(width)).raw("height", inches(height));
  }

  static Attributes named(const std::string& id, const std::string& classes) {
    Attributes attributes;
    attributes.word("id", id).word("class", classes);
    return attributes;
  }

  struct Fill {
    std::string fill, frame;
    Tenths pen = 0;
    const char* style = "filled";
  };

  void rectangle(const std::string& id, const std::string& classes, const Rect& place, const Fill& fill,
                 const std::string& tooltip) {
    Attributes attributes = named(id, classes);
    attributes.raw("shape", "box").word("style", fill.style);
    if (!fill.fill.empty()) attributes.word("fillcolor", fill.fill);
    attributes.word("color", fill.frame).raw("penwidth", points(fill.pen));
    sized(attributes, place.width(), place.height()).tooltip(tooltip);
    node(id, place.centre(), attributes);
  }

  struct Lettering {
    Tenths size = size::text;
    std::string colour;
    Face face = Face::sans;
    Align align = Align::left;
    std::string ground;  ///< colour of a filled rectangle behind the text
  };

  static const char* alignEscape(Align align) {
    return align == Align::left ? "\\l" : align == Align::right ? "\\r" : "";
  }

  /// Bold text is HTML, which is centred unless a table of the node's width holds it.
  static std::string label(const std::string& text, const Lettering& look, Tenths width) {
    if (look.face != Face::bold) return '"' + escaped(text) + alignEscape(look.align) + '"';
    const std::string bold = "<B>" + htmlText(text) + "</B>";
    if (look.align == Align::centre) return "<" + bold + ">";
    return R"(<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"><TR><TD ALIGN="LEFT" WIDTH=")" +
           std::to_string(width / 10) + "\">" + bold + "</TD></TR></TABLE>>";
  }

  void text(const std::string& id, const std::string& classes, const Rect& place, const std::string& words,
            const Lettering& look, const std::string& tooltip) {
    if (words.empty()) return;
    Attributes attributes = named(id, classes);
    if (!look.ground.empty()) {
      attributes.raw("shape", "box")
          .word("style", "filled")
          .word("fillcolor", look.ground)
          .raw("penwidth", "0.0");
    }
    if (look.face == Face::mono) attributes.word("fontname", mono);
    attributes.raw("fontsize", points(look.size)).word("fontcolor", look.colour);
    sized(attributes, place.width(), place.height())
        .raw("label", label(words, look, place.width()))
        .tooltip(tooltip);
    node(id, place.centre(), attributes);
  }

  /// A cross whose middle is at `at`; the sign sits a little above the middle of its line.
  void cross(const std::string& id, const std::string& classes, Point at, Tenths height,
             const std::string& tooltip) {
    const Tenths half = height * 7 / 10;
    at.y += height * 9 / 100;
    text(id, classes, {at.x - half, at.y - half, at.x + half, at.y + half}, "×",
         {height, colour_.loss, Face::bold, Align::centre}, tooltip);
  }

  /// A place for an edge to begin or end.
  void pin(const std::string& name, Point at) {
    node(name, at, named(name, "pin").raw("style", "invis").raw("width", "0.01").raw("height", "0.01"));
  }

  // ---- the picture

  void begin() {
    out_ += "// dot -Tsvg ladder.dot -o ladder.svg\n";
    out_ += "digraph ladder {\n";
    line(std::string("graph [layout=nop2, splines=line, pad=0, bgcolor=\"") + colour_.ground +
         "\", tooltip=" + dotString(in_.title) + "]");
    line(std::string("node [shape=none, style=\"\", margin=0, fixedsize=true, label=\"\", fontname=\"") +
         sans + "\", fontcolor=\"" + colour_.text + "\"]");
    line("edge [arrowsize=0.6, penwidth=1.2]");
    rectangle("page", "page", {0, 0, in_.width, in_.height}, {colour_.ground, colour_.ground}, in_.title);
  }

  void writeShades() {
    for (const Shade& shade : in_.shades) {
      rectangle(shade.id, shade.side < 0 ? "cut partial" : "cut side" + std::to_string(shade.side),
                shade.place, {sideColour(shade), colour_.cut, 7, "filled,dashed"}, shade.tooltip);
    }
    for (const Shade& shade : in_.shades) {
      if (!shade.text_place) continue;
      text(shade.id + "-text", "caption", *shade.text_place, shade.text,
           {size::small, colour_.cut_text, Face::sans, Align::centre}, shade.tooltip);
    }
  }

  void writeRows() {
    for (std::size_t i = 0; i < in_.rows.size(); ++i) {
      const Row& row = in_.rows[i];
      const std::string id = std::to_string(i);
      const Rect rule{in_.lanes_left, row.y - 3, in_.lanes_right, row.y + 3};
      rectangle("row-" + id, "grid", rule, {colour_.grid, colour_.grid}, "");
      const Tenths half = size::line / 2;
      text("number-" + id, "number", {in_.number_right - 300, row.y - half, in_.number_right, row.y + half},
           std::to_string(row.number), {size::small, colour_.muted, Face::mono, Align::right},
           "event number");
      if (row.shortened_at != 0) {
        text("pause-of-row-" + id, "pause",
             {in_.number_right, row.shortened_at - half, in_.time_right, row.shortened_at + half},
             "… " + std::to_string(row.pause) + " ms …",
             {size::small, colour_.muted, Face::mono, Align::right}, "a pause that is not drawn to scale");
      }
      if (!row.new_time) continue;
      text("time-" + id, "time", {in_.number_right + 40, row.y - half, in_.time_right, row.y + half},
           std::to_string(row.time) + " ms", {size::small, colour_.text, Face::mono, Align::right},
           "virtual time");
    }
  }

  Tenths laneX(int lane) const { return in_.lanes[static_cast<std::size_t>(lane)].x; }

  void writeBands() {
    for (const Band& band : in_.bands) {
      const Tenths x = laneX(band.lane);
      const std::string classes = std::string("band ") + toneName(band.tone) + (band.paused ? " paused" : "");
      if (band.tone == Tone::absent) {
        rectangle(band.id, classes, {x - 4, band.top, x + 4, band.bottom}, {colour_.grid, colour_.grid},
                  band.tooltip);
        continue;
      }
      const Tenths half = halfWidth(band.tone);
      const Rect place{x - half, band.top, x + half, band.bottom};
      Fill fill{toneColours(band.tone, in_.theme).fill, colour_.outline, 8, "filled"};
      if (band.tone == Tone::client) fill.pen = 5;
      if (!band.phase.empty()) {  // the frame shows the role
        fill.frame = toneColours(band.role_tone, in_.theme).fill;
        fill.pen = 18;
      }
      if (band.tone == Tone::down) fill.style = "filled,dashed";
      if (band.paused) {
        fill.style = "striped";
        fill.fill =
            fill.fill + ":" + colour_.ground + ":" + fill.fill + ":" + colour_.ground + ":" + fill.fill;
      }
      rectangle(band.id, classes, place, fill, band.tooltip);
      if (band.tone == Tone::seeking && !band.paused) seekingSign(band, x);
    }
  }

  static Tenths halfWidth(Tone tone) {
    if (tone == Tone::client) return size::band_thin;
    return tone == Tone::syncing ? size::band_narrow : size::band;
  }

  /// The middle line that distinguishes a seeking band from the others without colour.
  void seekingSign(const Band& band, Tenths x) {
    pin(band.id + "-from", {x, band.top + 20});
    pin(band.id + "-to", {x, band.bottom - 20});
    Attributes attributes = named(band.id + "-sign", "sign");
    attributes.raw("arrowhead", "none")
        .raw("style", "dotted")
        .raw("penwidth", "1.4")
        .word("color", "#6b6300");
    edge(band.id + "-from", band.id + "-to", attributes.tooltip(band.tooltip));
  }

  void writeNarration() {
    std::set<std::string> used;
    for (const Narration& entry : in_.narration) {
      const char* kind = entry.kind == Narration::Kind::note        ? " note"
                         : entry.kind == Narration::Kind::fold      ? " fold"
                         : entry.kind == Narration::Kind::violation ? " violation"
                                                                    : "";
      std::string id =
          (entry.kind == Narration::Kind::violation ? "verdict-" : "text-") + std::to_string(entry.event);
      while (!used.insert(id).second) id += "-";
      const bool violation = entry.kind == Narration::Kind::violation;
      const std::string colour = violation                             ? colour_.loss
                                 : entry.kind == Narration::Kind::fold ? colour_.muted
                                                                       : colour_.text;
      Rect place = entry.place;
      for (std::size_t i = 0; i < entry.lines.size(); ++i) {
        place.bottom = place.top + size::line;
        text(i == 0 ? id : id + '-' + std::to_string(i),
             std::string("narration") + kind + (i == 0 ? "" : " more"), place, entry.lines[i],
             {size::text, colour, violation ? Face::bold : Face::sans}, entry.full);
        place.top = place.bottom;
      }
    }
  }

  void writeDividers() {
    for (const Divider& divider : in_.dividers) {
      const std::string id = divider.kind + "-at-" + std::to_string(divider.event);
      pin(id + "-from", {in_.lanes_left, divider.y});
      pin(id + "-to", {in_.lanes_right, divider.y});
      Attributes attributes = named(id, "divider " + classWord(divider.kind));
      attributes.raw("arrowhead", "none")
          .raw("style", "dashed")
          .raw("penwidth", "1.0")
          .word("color", colour_.cut);
      edge(id + "-from", id + "-to", attributes.tooltip(divider.text));
      if (!divider.place) continue;
      text(id + "-text", "caption", *divider.place, divider.text,
           {size::small, colour_.cut_text, Face::sans, Align::centre, colour_.label_ground}, divider.text);
    }
  }

  void writeDots() {
    for (const Dot& dot : in_.dots) {
      const bool hollow = dot.kind == Dot::Kind::waiting || dot.kind == Dot::Kind::minor;
      const Tenths size = dot.kind == Dot::Kind::minor ? 50 : 2 * size::dot;
      const char* kind = dot.kind == Dot::Kind::waiting ? "dot waiting"
                         : dot.kind == Dot::Kind::minor ? "dot minor"
                                                        : "dot";
      Attributes attributes = named(dot.id, kind);
      attributes.raw("shape", "circle").word("style", "filled");
      attributes.word("fillcolor", hollow ? colour_.ground : colour_.text);
      attributes.word("color", hollow ? colour_.text : colour_.ground)
          .raw("penwidth", hollow ? "1.1" : "0.8");
      sized(attributes, size, size).tooltip(dot.tooltip);
      node(dot.id, dot.at, attributes);
    }
  }

  // ---- messages

  const char* messageColour(const Arrow& arrow) const {
    return colour_.messages[static_cast<std::size_t>(arrow.type_number) % colour_.messages.size()];
  }

  void writeArrows() {
    for (const Arrow& arrow : in_.arrows) writeArrow(arrow);
  }

  void writeArrow(const Arrow& arrow) {
    const std::string number = std::to_string(arrow.message);
    const std::string from = arrow.from_dot.empty() ? "from-" + number : arrow.from_dot;
    if (arrow.from_dot.empty()) pin(from, arrow.start);
    if (arrow.wait && arrow.left) writeWait(arrow, number);
    const std::string to = writeEnd(arrow, number);
    std::string classes = "message type-" + classWord(arrow.type);
    if (arrow.from == arrow.to) classes += " self";
    if (arrow.again) classes += " again";
    if (arrow.copy) classes += " copy";
    if (arrow.waited) classes += " waited";
    Attributes attributes = named("m" + number, classes + fateClass(arrow));
    lookOf(arrow, attributes);
    if (arrow.from == arrow.to && arrow.left) attributes.word("pos", loop(arrow));
    attributes.tooltip(arrow.tooltip);
    edge(from, to, attributes);
  }

  static std::string fateClass(const Arrow& arrow) {
    switch (arrow.fate) {
      case Arrow::Fate::delivered: return "";
      case Arrow::Fate::lost: return arrow.left ? " lost" : " lost unsent";
      case Arrow::Fate::under_way: return arrow.left ? " under-way" : " under-way unsent";
      case Arrow::Fate::leaves_page: return " leaves-page";
    }
    return "";
  }

  void lookOf(const Arrow& arrow, Attributes& attributes) const {
    const bool lost = arrow.fate == Arrow::Fate::lost;
    attributes.word("color", lost ? colour_.loss : messageColour(arrow));
    if (!arrow.left || lost)
      attributes.raw("style", arrow.left ? "dashed" : "dotted").raw("headclip", "false");
    if (lost) attributes.raw("arrowhead", "none");
    if (!lost && arrow.fate != Arrow::Fate::delivered)
      attributes.raw("arrowhead", arrow.left ? "onormal" : "none");
  }

  /// The end of the arrow; a loss is a separate node.
  std::string writeEnd(const Arrow& arrow, const std::string& number) {
    if (!arrow.to_dot.empty()) return arrow.to_dot;
    if (arrow.fate != Arrow::Fate::lost) {
      pin("to-" + number, arrow.end);
      return "to-" + number;
    }
    const std::string id = "loss-" + number;
    cross(id, "loss", arrow.end, arrow.left ? 170 : 130, arrow.tooltip);
    if (arrow.caption_place) {
      text("cause-" + number, "caption", *arrow.caption_place, arrow.caption,
           {size::small, colour_.loss, Face::sans, Align::centre}, arrow.tooltip);
    }
    return id;
  }

  /// From the point at which it was sent, next to the lifeline, to the point at which it left.
  void writeWait(const Arrow& arrow, const std::string& number) {
    const std::string turn = "turn-" + number, sent = "s" + number;
    pin(turn, arrow.wait->second);
    Attributes attributes = named("wait-" + number, "wait");
    attributes.raw("arrowhead", "none").raw("style", "dotted").word("color", messageColour(arrow));
    edge(sent, turn, attributes.raw("headclip", "false").tooltip(arrow.tooltip));
    Attributes across = named("wait-" + number + "-across", "wait");
    across.raw("arrowhead", "none").raw("style", "dotted").word("color", messageColour(arrow));
    edge(turn, arrow.from_dot, across.raw("tailclip", "false").tooltip(arrow.tooltip));
  }

  /// A loop on the left of the lane, drawn as an explicit curve.
  static std::string loop(const Arrow& arrow) {
    const auto at = [](Tenths x, Tenths y) { return points(x) + "," + points(-y); };
    const Tenths out = (size::self_loop - size::dot) * 4 / 3, x = arrow.start.x - size::dot;
    if (arrow.fate != Arrow::Fate::delivered) {
      return at(x, arrow.start.y) + " " + at(x - 60, arrow.start.y) + " " +
             at(arrow.end.x + 60, arrow.end.y) + " " + at(arrow.end.x, arrow.end.y);
    }
    return "e," + at(x, arrow.end.y) + " " + at(x, arrow.start.y) + " " + at(x - out, arrow.start.y) + " " +
           at(x - out, arrow.end.y) + " " + at(x - 60, arrow.end.y);
  }

  /// The background of a label: the page, or one side of a partition.
  std::string groundAt(Point at) const {
    for (const Shade& shade : in_.shades) {
      const Rect& place = shade.place;
      if (at.x < place.left || at.x > place.right || at.y < place.top || at.y > place.bottom) continue;
      return sideColour(shade) + std::string("f2");
    }
    return colour_.label_ground;
  }

  const char* sideColour(const Shade& shade) const {
    return colour_.sides[static_cast<std::size_t>(std::max(shade.side, 0)) % colour_.sides.size()];
  }

  void writeLabels() {
    for (const Arrow& arrow : in_.arrows) {
      if (!arrow.label_place) continue;
      const bool lost = arrow.fate == Arrow::Fate::lost;
      text("label-" + std::to_string(arrow.message), "label", *arrow.label_place, arrow.label,
           {size::label, lost ? colour_.loss : messageColour(arrow), Face::mono, Align::centre,
            groundAt(arrow.label_place->centre())},
           arrow.tooltip);
    }
  }

  // ---- boxes, tags, names

  void writeBoxes() {
    for (const Box& box : in_.boxes) {
      const std::string id = "box-" + std::to_string(box.event);
      if (box.tie) writeTie(id + "-tie", *box.tie, box.tooltip);
      rectangle(id, box.quorum ? "box quorum" : "box", box.place,
                {colour_.ground, box.quorum ? colour_.quorum : colour_.cell_frame, box.quorum ? 24 : 9,
                 "rounded,filled"},
                box.tooltip);
      text(id + "-caption", "caption", box.caption_place, box.caption,
           {size::cell, colour_.text, Face::sans, Align::centre}, box.tooltip);
      for (std::size_t i = 0; i < box.cells.size(); ++i) {
        writeCell(id + '-' + std::to_string(i), box.cells[i], box.tooltip);
      }
    }
  }

  void writeTie(const std::string& id, const std::pair<Point, Point>& tie, const std::string& tooltip) {
    pin(id + "-from", tie.first);
    pin(id + "-to", tie.second);
    Attributes attributes = named(id, "tie");
    attributes.raw("arrowhead", "none").raw("penwidth", "0.7").word("color", colour_.cell_frame);
    edge(id + "-from", id + "-to", attributes.tooltip(tooltip));
  }

  struct CellLook {
    const char *fill, *frame, *text, *name;
    Tenths pen;
    const char* style;
  };

  CellLook cellLook(Mark mark) const {
    switch (mark) {
      case Mark::counted:
        return {colour_.cell_counted, colour_.cell_frame_strong, colour_.text, "counted", 13, "filled"};
      case Mark::empty: return {colour_.cell, colour_.cell_frame, colour_.muted, "empty", 5, "filled"};
      case Mark::proposed: return {colour_.cell, colour_.cell_frame, colour_.text, "proposed", 5, "filled"};
      case Mark::durable:
        return {colour_.cell_durable, colour_.cell_frame_strong, colour_.text, "durable", 11, "filled"};
      case Mark::omitted: return {colour_.ground, colour_.ground, colour_.muted, "omitted", 0, "filled"};
      case Mark::committed:
        return {colour_.cell_committed, colour_.quorum, colour_.text, "committed", 11, "filled"};
      case Mark::gone:
        return {colour_.cell_gone, colour_.cell_frame, colour_.muted, "gone", 8, "filled,dashed"};
      case Mark::plain: break;
    }
    return {colour_.cell, colour_.cell_frame, colour_.text, "plain", 8, "filled"};
  }

  void writeCell(const std::string& id, const Cell& cell, const std::string& tooltip) {
    const CellLook look = cellLook(cell.mark);
    Attributes attributes = named(id, std::string("cell ") + look.name);
    attributes.raw("shape", "box")
        .word("style", look.style)
        .word("fillcolor", look.fill)
        .word("color", look.frame);
    attributes.raw("penwidth", points(look.pen)).word("fontname", mono).raw("fontsize", points(size::cell));
    attributes.word("fontcolor", look.text);
    sized(attributes, cell.place.width(), cell.place.height()).text("label", cell.text).tooltip(tooltip);
    node(id, cell.place.centre(), attributes);
  }

  void writeTags() {
    for (const Tag& tag : in_.tags) {
      writeMark(tag);
      if (tag.text.empty()) continue;
      const std::string id = "tag-" + std::to_string(tag.event);
      if (tag.kind == Tag::Kind::role) {
        const ToneColours tone = toneColours(tag.tone, in_.theme);
        Attributes attributes = named(id, std::string("tag role ") + toneName(tag.tone));
        attributes.raw("shape", "box").word("style", "rounded,filled").word("fillcolor", tone.fill);
        attributes.word("color", colour_.outline).raw("penwidth", "0.8");
        attributes.raw("fontsize", points(size::tag)).word("fontcolor", tone.text);
        sized(attributes, tag.place.width(), tag.place.height());
        if (tag.detail.empty())
          attributes.text("label", tag.text);
        else
          attributes.word("label", escaped(tag.text) + "\\n" + escaped(tag.detail));
        attributes.tooltip(tag.tooltip);
        node(id, tag.place.centre(), attributes);
      } else {
        text(id, "tag", tag.place, tag.text,
             {size::cell, isFailure(tag.kind) ? colour_.loss : colour_.text, Face::bold, Align::centre},
             tag.tooltip);
      }
    }
  }

  static bool isFailure(Tag::Kind kind) {
    return kind == Tag::Kind::kill || kind == Tag::Kind::power_loss || kind == Tag::Kind::write_failed;
  }

  /// The mark on the lifeline itself.
  void writeMark(const Tag& tag) {
    const std::string event = std::to_string(tag.event);
    const auto around = [&](Tenths half_width, Tenths half_height) {
      return Rect{tag.mark.x - half_width, tag.mark.y - half_height, tag.mark.x + half_width,
                  tag.mark.y + half_height};
    };
    switch (tag.kind) {
      case Tag::Kind::role:
      case Tag::Kind::resume:
      case Tag::Kind::pause: break;
      case Tag::Kind::start:
      case Tag::Kind::restart: {
        const std::string name = tag.kind == Tag::Kind::start ? "start" : "restart";
        rectangle(name + "-" + event, name, around(120, 11), {colour_.text, colour_.text}, tag.tooltip);
        break;
      }
      case Tag::Kind::kill:
      case Tag::Kind::power_loss:
        cross("crash-" + event, tag.kind == Tag::Kind::kill ? "crash kill" : "crash power-loss", tag.mark,
              320, tag.tooltip);
        break;
      case Tag::Kind::stop:
      case Tag::Kind::exit:
        rectangle((tag.kind == Tag::Kind::stop ? "stop-" : "exit-") + event, "stop", around(45, 45),
                  {colour_.text, colour_.ground, 8}, tag.tooltip);
        break;
      case Tag::Kind::wiped:
      case Tag::Kind::set:
      case Tag::Kind::write_failed: {
        Attributes attributes = named("mark-" + event, "mark");
        attributes.raw("shape", "diamond").word("style", "filled").word("color", colour_.ground);
        attributes.word("fillcolor", isFailure(tag.kind) ? colour_.loss : colour_.text);
        sized(attributes, 110, 110).tooltip(tag.tooltip);
        node("mark-" + event, tag.mark, attributes);
        break;
      }
    }
  }

  void writeHeads() {
    for (const Heads& heads : in_.heads) {
      for (std::size_t i = 0; i < heads.places.size(); ++i) {
        const Lane& lane = in_.lanes[i];
        std::string id = "head-" + std::to_string(i);
        if (heads.row > 0) id += '-' + std::to_string(heads.row);
        const std::string tooltip = lane.isClient() ? lane.title()
                                                    : "server " + std::to_string(lane.node) +
                                                          (lane.kind.empty() ? "" : ", " + lane.kind);
        Attributes attributes = named(id, heads.row > 0 ? "head again" : "head");
        attributes.raw("shape", "box").word("style", "rounded,filled");
        attributes.word("fillcolor", lane.isClient() ? colour_.ground : colour_.head);
        attributes.word("color", colour_.head)
            .raw("fontsize", points(size::name))
            .word("fontcolor", lane.isClient() ? colour_.head : colour_.head_text);
        sized(attributes, heads.places[i].width(), heads.places[i].height());
        attributes.raw("label", label(lane.name, {size::name, "", Face::bold, Align::centre}, 0))
            .tooltip(tooltip);
        node(id, heads.places[i].centre(), attributes);
        if (heads.row > 0 || !lane.showsKind()) continue;
        const Rect& head = heads.places[i];
        text(id + "-kind", "kind", {head.left - 200, head.top - 120, head.right + 200, head.top - 10},
             lane.kind, {size::small, colour_.muted, Face::sans, Align::centre}, tooltip);
      }
    }
  }

  // ---- around it

  void writeTop() {
    text("title", "title", in_.title_place, in_.title, {170, colour_.text, Face::bold}, in_.title);
    for (std::size_t i = 0; i < in_.subtitle_places.size(); ++i) {
      text("subtitle-" + std::to_string(i), "subtitle", in_.subtitle_places[i], in_.subtitle[i],
           {95, colour_.muted}, in_.subtitle[i]);
    }
  }

  void writeBanners() {
    for (std::size_t i = 0; i < in_.banner_places.size(); ++i) {
      const std::string& words =
          i < in_.banners_top.size() ? in_.banners_top[i] : in_.banners_bottom[i - in_.banners_top.size()];
      const Rect& place = in_.banner_places[i];
      const std::string id = "banner-" + std::to_string(i);
      rectangle(id, "banner", place, {colour_.banner, colour_.banner}, words);
      text(id + "-text", "banner-text",
           {place.left + 60, place.top + 20, place.right - 60, place.bottom - 20}, words,
           {size::text, colour_.banner_text}, words);
    }
  }

  void writeLegend() {
    for (std::size_t i = 0; i < in_.legend.size(); ++i) {
      const LegendEntry& entry = in_.legend[i];
      const std::string id = "legend-" + std::to_string(i);
      const bool words = entry.kind == LegendEntry::Kind::words;
      const Rect& place = entry.place;
      if (!words)
        writeSample(id + "-sample", entry,
                    {place.left, place.top, place.left + sampleWidth(entry.kind), place.bottom});
      text(id, "legend",
           {place.left + (words ? 0 : sampleWidth(entry.kind) + 60), place.top, place.right, place.bottom},
           entry.text, {size::text, colour_.text}, entry.text);
    }
  }

  void writeSample(const std::string& id, const LegendEntry& entry, const Rect& place) {
    const Point centre = place.centre();
    const auto patch = [&](Tenths half_width, const Fill& fill) {
      rectangle(id, "sample", {centre.x - half_width, place.top + 5, centre.x + half_width, place.bottom - 5},
                fill, entry.text);
    };
    const auto stroke = [&](const char* colour, const char* style, const char* head) {
      pin(id + "-from", {place.left, centre.y});
      pin(id + "-to", {place.right, centre.y});
      Attributes attributes = named(id, "sample");
      attributes.word("color", colour).raw("style", style).raw("arrowhead", head).tooltip(entry.text);
      edge(id + "-from", id + "-to", attributes);
    };
    const char* following = toneColours(Tone::following, in_.theme).fill;
    switch (entry.kind) {
      case LegendEntry::Kind::tone: {
        Fill fill{toneColours(entry.tone, in_.theme).fill, colour_.outline, 8, "filled"};
        if (entry.tone == Tone::down) fill.style = "filled,dashed";
        patch(halfWidth(entry.tone), fill);
        if (entry.tone == Tone::seeking) {
          Band band;
          band.id = id;
          band.top = place.top;
          band.bottom = place.bottom;
          seekingSign(band, centre.x);
        }
        break;
      }
      case LegendEntry::Kind::paused:
        patch(size::band, {std::string(following) + ":" + colour_.ground + ":" + following + ":" +
                               colour_.ground + ":" + following,
                           colour_.outline, 8, "striped"});
        break;
      case LegendEntry::Kind::message:
        stroke(colour_.messages[static_cast<std::size_t>(entry.type_number) % colour_.messages.size()],
               "solid", "normal");
        break;
      case LegendEntry::Kind::lost:
        stroke(colour_.loss, "dashed", "none");
        cross(id + "-cross", "sample", {place.right - 40, centre.y}, 170, entry.text);
        break;
      case LegendEntry::Kind::waited: stroke(colour_.text, "dotted", "none"); break;
      case LegendEntry::Kind::under_way: stroke(colour_.text, "solid", "onormal"); break;
      case LegendEntry::Kind::crash: cross(id, "sample", centre, 260, entry.text); break;
      case LegendEntry::Kind::start:
        rectangle(id, "sample", {centre.x - 120, centre.y - 11, centre.x + 120, centre.y + 11},
                  {colour_.text, colour_.text}, entry.text);
        break;
      case LegendEntry::Kind::counted: cellSample(id, Mark::counted, centre, entry.text); break;
      case LegendEntry::Kind::empty: cellSample(id, Mark::empty, centre, entry.text); break;
      case LegendEntry::Kind::proposed: cellSample(id, Mark::proposed, centre, entry.text); break;
      case LegendEntry::Kind::durable: cellSample(id, Mark::durable, centre, entry.text); break;
      case LegendEntry::Kind::committed: cellSample(id, Mark::committed, centre, entry.text); break;
      case LegendEntry::Kind::gone: cellSample(id, Mark::gone, centre, entry.text); break;
      case LegendEntry::Kind::quorum:
        patch(120, {colour_.ground, colour_.quorum, 24, "rounded,filled"});
        break;
      case LegendEntry::Kind::partition:
        patch(110, {colour_.sides[0], colour_.cut, 7, "filled,dashed"});
        break;
      case LegendEntry::Kind::words: break;
    }
  }

  void cellSample(const std::string& id, Mark mark, Point centre, const std::string& tooltip) {
    Cell cell;
    cell.mark = mark;
    cell.text = signOf(mark);
    cell.place = {centre.x - 110, centre.y - 62, centre.x + 110, centre.y + 62};
    writeCell(id, cell, tooltip);
  }

  const Ladder& in_;
  const Palette& colour_;
  std::string out_;
};

}  // namespace

std::string dotString(std::string_view text) { return '"' + escaped(clean(text)) + '"'; }

std::string toDot(const Ladder& ladder) { return DotWriter(ladder).write(); }

}  // namespace zablab::viz
