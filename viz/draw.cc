#include "viz/draw.h"

#include <algorithm>
#include <map>
#include <set>

#include "viz/palette.h"
#include "viz/shape.h"

namespace zablab::viz {
namespace {

constexpr std::size_t tooltip_letters_max = 700;

/// Letters that a class may have.
std::string classWord(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    result += plain ? c : '-';
  }
  return result;
}

class Drawing {
 public:
  Drawing(const Ladder& ladder, Canvas& canvas)
      : in_(ladder), colour_(paletteOf(ladder.theme)), canvas_(canvas) {}

  void draw() {
    rectangle("page", "page", {0, 0, in_.width, in_.height}, {colour_.ground, colour_.ground}, in_.title);
    drawShades();
    drawRows();
    drawBands();
    drawNarration();
    drawDividers();
    drawDots();
    for (const Arrow& arrow : in_.arrows) drawArrow(arrow);
    drawLabels();
    drawBoxes();
    drawTags();
    drawHeads();
    drawTop();
    drawBanners();
    drawLegend();
  }

 private:
  // ---- shapes with their names

  static Named named(const std::string& id, const std::string& classes, const std::string& tooltip) {
    std::string shown = clean(tooltip);
    if (shown.size() > tooltip_letters_max)
      shown = elideColumns(shown, static_cast<int>(tooltip_letters_max));
    return {id, classes, shown};
  }

  void rectangle(const std::string& id, const std::string& classes, const Rect& place, const Fill& fill,
                 const std::string& tooltip) {
    canvas_.rectangle(named(id, classes, tooltip), place, fill);
  }

  void text(const std::string& id, const std::string& classes, const Rect& place, const std::string& words,
            const Lettering& look, const std::string& tooltip) {
    if (!words.empty()) canvas_.text(named(id, classes, tooltip), place, words, look);
  }

  /// Lines one below the other from the top of a place; ids of further ones have their number.
  void lines(const std::string& id, const std::string& classes, Rect place,
             const std::vector<std::string>& words, const Lettering& look, Tenths height,
             const std::string& tooltip) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      place.bottom = place.top + height;
      text(i == 0 ? id : id + '-' + std::to_string(i), i == 0 ? classes : classes + " more", place, words[i],
           look, tooltip);
      place.top = place.bottom;
    }
  }

  /// A cross whose middle is at `at`; the sign sits a little above the middle of its line.
  void cross(const std::string& id, const std::string& classes, Point at, Tenths height,
             const std::string& tooltip) {
    const Tenths half = height * 7 / 10;
    at.y += height * 9 / 100;
    text(id, classes, around(at, half, half), "×", {height, colour_.loss, Face::bold, Align::centre},
         tooltip);
  }

  // ---- the picture

  void drawShades() {
    for (const Shade& shade : in_.shades) {
      rectangle(shade.id, shade.side < 0 ? "cut partial" : "cut side" + std::to_string(shade.side),
                shade.place, {sideColour(shade), colour_.cut, 7, Fill::Style::dashed}, shade.tooltip);
    }
    for (const Shade& shade : in_.shades) {
      if (!shade.text_place) continue;
      text(shade.id + "-text", "caption", *shade.text_place, shade.text,
           {size::small, colour_.cut_text, Face::sans, Align::centre}, shade.tooltip);
    }
  }

  void drawRows() {
    for (std::size_t i = 0; i < in_.rows.size(); ++i) {
      const Row& row = in_.rows[i];
      const std::string id = std::to_string(i);
      const Rect rule{in_.lanes_left, row.y - 3, in_.lanes_right, row.y + 3};
      rectangle("row-" + id, "grid", rule, {colour_.grid, colour_.grid}, "");
      const Tenths half = size::line / 2;
      if (in_.number_right > 0) {
        text("number-" + id, "number", {in_.number_right - 300, row.y - half, in_.number_right, row.y + half},
             std::to_string(row.number), {size::small, colour_.muted, Face::mono, Align::right},
             "event number");
      }
      if (row.shortened_at != 0) {
        text("pause-of-row-" + id, "pause",
             {in_.time_right - 500, row.shortened_at - half, in_.time_right, row.shortened_at + half},
             "… " + std::to_string(row.pause) + " ms …",
             {size::small, colour_.muted, Face::mono, Align::right}, "a pause that is not drawn to scale");
      }
      if (!row.new_time) continue;
      text("time-" + id, "time", {in_.time_right - 460, row.y - half, in_.time_right, row.y + half},
           std::to_string(row.time) + " ms", {size::small, colour_.text, Face::mono, Align::right},
           "virtual time");
    }
  }

  Tenths laneX(int lane) const { return in_.lanes[static_cast<std::size_t>(lane)].x; }

  Fill striped(const std::string& fill) const {
    return {fill, colour_.outline, 8, Fill::Style::striped, colour_.ground};
  }

  void drawBands() {
    for (const Band& band : in_.bands) {
      const Tenths x = laneX(band.lane);
      const std::string classes = std::string("band ") + toneName(band.tone) + (band.paused ? " paused" : "");
      if (band.tone == Tone::absent) {
        rectangle(band.id, classes, {x - 4, band.top, x + 4, band.bottom}, {colour_.grid, colour_.grid},
                  band.tooltip);
        continue;
      }
      const Tenths half = halfWidth(band.tone);
      Fill fill{toneColours(band.tone, in_.theme).fill, colour_.outline, 8};
      if (band.paused) fill = striped(fill.fill);
      if (band.tone == Tone::client) fill.pen = 5;
      if (!band.phase.empty()) {  // the frame shows the role
        fill.frame = toneColours(band.role_tone, in_.theme).fill;
        fill.pen = 18;
      }
      if (band.tone == Tone::down) fill.style = Fill::Style::dashed;
      rectangle(band.id, classes, {x - half, band.top, x + half, band.bottom}, fill, band.tooltip);
      if (band.tone == Tone::seeking && !band.paused)
        seekingSign(band.id, x, band.top, band.bottom, band.tooltip);
    }
  }

  static Tenths halfWidth(Tone tone) {
    if (tone == Tone::client) return size::band_thin;
    return tone == Tone::syncing ? size::band_narrow : size::band;
  }

  /// The middle line that distinguishes a seeking band from the others without colour.
  void seekingSign(const std::string& id, Tenths x, Tenths top, Tenths bottom, const std::string& tooltip) {
    canvas_.line(named(id + "-sign", "sign", tooltip), {.at = {x, top + 20}, .name = id + "-from"},
                 {.at = {x, bottom - 20}, .name = id + "-to"},
                 {"#6b6300", 14, Stroke::Style::dotted, Stroke::Head::none});
  }

  void drawNarration() {
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
      const Lettering look{size::text, colour, violation ? Face::bold : Face::sans};
      lines(id, std::string("narration") + kind, entry.place, entry.lines, look, size::line, entry.full);
      if (entry.note == 0) continue;
      const std::string number = std::to_string(entry.note);
      text(id + "-note", "note-number", entry.number_place, number,
           {size::text, colour, Face::bold, Align::right}, entry.full);
      Rect place = entry.place;
      place.right = place.left - 40;
      place.left -= 300;
      place.bottom = place.top + size::line;
      text(id + "-number", "note-number", place, number, {size::text, colour, Face::bold, Align::right},
           entry.full);
    }
  }

  void drawDividers() {
    for (const Divider& divider : in_.dividers) {
      const std::string id = divider.kind + "-at-" + std::to_string(divider.event);
      canvas_.line(named(id, "divider " + classWord(divider.kind), divider.text),
                   {.at = {in_.lanes_left, divider.y}, .name = id + "-from"},
                   {.at = {in_.lanes_right, divider.y}, .name = id + "-to"},
                   {colour_.cut, 10, Stroke::Style::dashed, Stroke::Head::none});
      if (!divider.place) continue;
      text(id + "-text", "caption", *divider.place, divider.text,
           {size::small, colour_.cut_text, Face::sans, Align::centre, colour_.label_ground}, divider.text);
    }
  }

  static Tenths radiusOf(const Dot& dot) { return dot.kind == Dot::Kind::minor ? 25 : size::dot; }

  void drawDots() {
    for (const Dot& dot : in_.dots) {
      const bool hollow = dot.kind == Dot::Kind::waiting || dot.kind == Dot::Kind::minor;
      const char* kind = dot.kind == Dot::Kind::waiting ? "dot waiting"
                         : dot.kind == Dot::Kind::minor ? "dot minor"
                                                        : "dot";
      radius_[dot.id] = radiusOf(dot);
      canvas_.circle(named(dot.id, kind, dot.tooltip), dot.at, radiusOf(dot),
                     hollow ? Fill{colour_.ground, colour_.text, 11} : Fill{colour_.text, colour_.ground, 8});
    }
  }

  // ---- messages

  const char* messageColour(int type_number) const {
    return colour_.messages[static_cast<std::size_t>(type_number) % colour_.messages.size()];
  }

  /// The end of a line at a dot, or at a place of its own if there is no dot.
  LineEnd end(const std::string& dot, const std::string& otherwise, Point at) const {
    const auto found = radius_.find(dot);
    if (found == radius_.end()) return {.at = at, .name = otherwise};
    return {.at = at, .dot = dot, .radius = found->second};
  }

  void drawArrow(const Arrow& arrow) {
    const std::string number = std::to_string(arrow.message);
    const LineEnd from = end(arrow.from_dot, "from-" + number, arrow.start);
    if (arrow.wait && arrow.left) drawWait(arrow, number);
    const LineEnd to = drawEnd(arrow, number);
    std::string classes = "message type-" + classWord(arrow.type);
    if (arrow.from == arrow.to) classes += " self";
    if (arrow.again) classes += " again";
    if (arrow.copy) classes += " copy";
    if (arrow.waited) classes += " waited";
    const Named name = named("m" + number, classes + fateClass(arrow), arrow.tooltip);
    if (arrow.from == arrow.to && arrow.left) return drawLoop(name, from, to, arrow);
    canvas_.line(name, from, to, strokeOf(arrow));
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

  Stroke strokeOf(const Arrow& arrow) const {
    const bool lost = arrow.fate == Arrow::Fate::lost;
    Stroke stroke{lost ? colour_.loss : messageColour(arrow.type_number)};
    stroke.style = !arrow.left ? Stroke::Style::dotted : lost ? Stroke::Style::dashed : Stroke::Style::solid;
    stroke.head = arrow.fate == Arrow::Fate::delivered ? Stroke::Head::filled
                  : lost || !arrow.left                ? Stroke::Head::none
                                                       : Stroke::Head::hollow;
    return stroke;
  }

  /// The end of the arrow; a loss is a cross.
  LineEnd drawEnd(const Arrow& arrow, const std::string& number) {
    if (!arrow.to_dot.empty()) return end(arrow.to_dot, "", arrow.end);
    if (arrow.fate != Arrow::Fate::lost) return {.at = arrow.end, .name = "to-" + number};
    const std::string id = "loss-" + number;
    cross(id, "loss", arrow.end, arrow.left ? 170 : 130, arrow.tooltip);
    if (arrow.caption_place) {
      text("cause-" + number, "caption", *arrow.caption_place, arrow.caption,
           {size::small, colour_.loss, Face::sans, Align::centre}, arrow.tooltip);
    }
    return {.at = arrow.end, .dot = id};
  }

  /// From the point at which it was sent, next to the lifeline, to the point at which it left.
  void drawWait(const Arrow& arrow, const std::string& number) {
    const Stroke stroke{messageColour(arrow.type_number), 12, Stroke::Style::dotted, Stroke::Head::none};
    const LineEnd turn{.at = arrow.wait->second, .name = "turn-" + number};
    canvas_.line(named("wait-" + number, "wait", arrow.tooltip), end("s" + number, "", arrow.wait->first),
                 turn, stroke);
    canvas_.line(named("wait-" + number + "-across", "wait", arrow.tooltip),
                 {.at = turn.at, .dot = turn.name}, end(arrow.from_dot, "", arrow.start), stroke);
  }

  /// A loop on the left of the lane, drawn as an explicit curve.
  void drawLoop(const Named& name, const LineEnd& from, const LineEnd& to, const Arrow& arrow) {
    const Tenths out = (size::self_loop - size::dot) * 4 / 3, x = arrow.start.x - size::dot;
    if (arrow.fate != Arrow::Fate::delivered) {
      return canvas_.curve(
          name, from, to,
          {{x, arrow.start.y}, {x - 60, arrow.start.y}, {arrow.end.x + 60, arrow.end.y}, arrow.end},
          std::nullopt, strokeOf(arrow));
    }
    canvas_.curve(
        name, from, to,
        {{x, arrow.start.y}, {x - out, arrow.start.y}, {x - out, arrow.end.y}, {x - 60, arrow.end.y}},
        Point{x, arrow.end.y}, strokeOf(arrow));
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

  void drawLabels() {
    for (const Arrow& arrow : in_.arrows) {
      if (!arrow.label_place) continue;
      const bool lost = arrow.fate == Arrow::Fate::lost;
      text("label-" + std::to_string(arrow.message), "label", *arrow.label_place, arrow.label,
           {size::label, lost ? colour_.loss : messageColour(arrow.type_number), Face::mono, Align::centre,
            groundAt(arrow.label_place->centre())},
           arrow.tooltip);
    }
  }

  // ---- boxes, tags, names

  void drawBoxes() {
    for (const Box& box : in_.boxes) {
      std::string id = (box.state ? "state-" : "box-") + std::to_string(box.event);
      if (box.state) id += "-of-" + std::to_string(box.lane);
      if (box.tie) {
        canvas_.line(named(id + "-tie", "tie", box.tooltip), {.at = box.tie->first, .name = id + "-tie-from"},
                     {.at = box.tie->second, .name = id + "-tie-to"}, {colour_.cell_frame, 7});
      }
      const std::string frame = box.violated ? colour_.loss
                                : box.quorum ? colour_.quorum
                                             : colour_.cell_frame;
      rectangle(id, std::string("box") + (box.quorum ? " quorum" : "") + (box.violated ? " violation" : ""),
                box.place, {colour_.ground, frame, box.quorum || box.violated ? 24 : 9, Fill::Style::rounded},
                box.tooltip);
      text(id + "-caption", "caption", box.caption_place, box.caption,
           {size::cell, box.violated ? colour_.loss : colour_.text, Face::sans, Align::centre}, box.tooltip);
      for (std::size_t i = 0; i < box.cells.size(); ++i) {
        drawCell(id + '-' + std::to_string(i), box.cells[i], box.tooltip);
      }
    }
  }

  struct CellLook {
    const char* name;
    Fill fill;
    const char* text;
  };

  CellLook cellLook(Mark mark) const {
    switch (mark) {
      case Mark::counted:
        return {"counted", {colour_.cell_counted, colour_.cell_frame_strong, 13}, colour_.text};
      case Mark::empty: return {"empty", {colour_.cell, colour_.cell_frame, 5}, colour_.muted};
      case Mark::proposed: return {"proposed", {colour_.cell, colour_.cell_frame, 5}, colour_.text};
      case Mark::durable:
        return {"durable", {colour_.cell_durable, colour_.cell_frame_strong, 11}, colour_.text};
      case Mark::omitted: return {"omitted", {colour_.ground, colour_.ground}, colour_.muted};
      case Mark::committed: return {"committed", {colour_.cell_committed, colour_.quorum, 11}, colour_.text};
      case Mark::gone:
        return {"gone", {colour_.cell_gone, colour_.cell_frame, 8, Fill::Style::dashed}, colour_.muted};
      case Mark::plain: break;
    }
    return {"plain", {colour_.cell, colour_.cell_frame, 8}, colour_.text};
  }

  void drawCell(const std::string& id, const Cell& cell, const std::string& tooltip) {
    CellLook look = cellLook(cell.mark);
    if (cell.violated) {
      look.fill.frame = colour_.loss;
      look.fill.pen = 26;
    }
    const std::string classes = std::string("cell ") + look.name + (cell.violated ? " violation" : "");
    canvas_.labelled(named(id, classes, tooltip), cell.place, look.fill, {cell.text},
                     {size::cell, look.text, Face::mono, Align::centre});
  }

  void drawTags() {
    for (const Tag& tag : in_.tags) {
      drawMark(tag);
      if (tag.text.empty()) continue;
      const std::string id =
          (tag.kind == Tag::Kind::violated ? "violated-" : "tag-") + std::to_string(tag.event);
      if (tag.kind == Tag::Kind::role) {
        const ToneColours tone = toneColours(tag.tone, in_.theme);
        std::vector<std::string> lines{tag.text};
        lines.insert(lines.end(), tag.details.begin(), tag.details.end());
        canvas_.labelled(named(id, std::string("tag role ") + toneName(tag.tone), tag.tooltip), tag.place,
                         {tone.fill, colour_.outline, 8, Fill::Style::rounded}, lines,
                         {size::tag, tone.text, Face::sans, Align::centre});
      } else {
        const Lettering look{size::cell, isFailure(tag.kind) ? colour_.loss : colour_.text, Face::bold,
                             Align::centre};
        Rect place = tag.place;
        place.bottom -= static_cast<Tenths>(tag.details.size()) * size::tag_line;
        text(id, "tag", place, tag.text, look, tag.tooltip);
        for (std::size_t i = 0; i < tag.details.size(); ++i) {
          place.top += size::tag_line;
          place.bottom += size::tag_line;
          text(id + '-' + std::to_string(i + 1), "tag more", place, tag.details[i], look, tag.tooltip);
        }
      }
    }
  }

  static bool isFailure(Tag::Kind kind) {
    return kind == Tag::Kind::kill || kind == Tag::Kind::power_loss || kind == Tag::Kind::write_failed ||
           kind == Tag::Kind::violated;
  }

  /// The mark on the lifeline itself.
  void drawMark(const Tag& tag) {
    const std::string event = std::to_string(tag.event);
    switch (tag.kind) {
      case Tag::Kind::role:
      case Tag::Kind::resume:
      case Tag::Kind::pause: break;
      case Tag::Kind::start:
      case Tag::Kind::restart: {
        const std::string name = tag.kind == Tag::Kind::start ? "start" : "restart";
        rectangle(name + "-" + event, name, around(tag.mark, 120, 11), {colour_.text, colour_.text},
                  tag.tooltip);
        break;
      }
      case Tag::Kind::kill:
      case Tag::Kind::power_loss:
        cross("crash-" + event, tag.kind == Tag::Kind::kill ? "crash kill" : "crash power-loss", tag.mark,
              320, tag.tooltip);
        break;
      case Tag::Kind::stop:
      case Tag::Kind::exit:
        rectangle((tag.kind == Tag::Kind::stop ? "stop-" : "exit-") + event, "stop", around(tag.mark, 45, 45),
                  {colour_.text, colour_.ground, 8}, tag.tooltip);
        break;
      case Tag::Kind::wiped:
      case Tag::Kind::set:
      case Tag::Kind::write_failed:
      case Tag::Kind::violated:
        canvas_.diamond(
            named((tag.kind == Tag::Kind::violated ? "violation-" : "mark-") + event, "mark", tag.tooltip),
            tag.mark, tag.kind == Tag::Kind::violated ? 90 : 55,
            {isFailure(tag.kind) ? colour_.loss : colour_.text, colour_.ground, 10});
        break;
    }
  }

  void drawHeads() {
    for (const Heads& heads : in_.heads) {
      for (std::size_t i = 0; i < heads.places.size(); ++i) {
        const Lane& lane = in_.lanes[i];
        const Rect& head = heads.places[i];
        std::string id = "head-" + std::to_string(i);
        if (heads.row > 0) id += '-' + std::to_string(heads.row);
        const std::string tooltip = lane.isClient() ? lane.title()
                                                    : "server " + std::to_string(lane.node) +
                                                          (lane.kind.empty() ? "" : ", " + lane.kind);
        canvas_.labelled(
            named(id, heads.row > 0 ? "head again" : "head", tooltip), head,
            {lane.isClient() ? colour_.ground : colour_.head, colour_.head, 10, Fill::Style::rounded},
            {lane.name},
            {size::name, lane.isClient() ? colour_.head : colour_.head_text, Face::bold, Align::centre});
        if (heads.row > 0 || lane.note().empty()) continue;
        text(id + "-kind", "kind", {head.left - 200, head.top - 120, head.right + 200, head.top - 10},
             lane.note(), {size::small, colour_.muted, Face::sans, Align::centre}, tooltip);
      }
    }
  }

  // ---- around it

  void drawTop() {
    lines("title", "title", in_.title_place, in_.title_lines, {size::title, colour_.text, Face::bold},
          size::title_line, in_.title);
    for (std::size_t i = 0; i < in_.answer.size(); ++i) {
      const AnswerLine& answer = in_.answer[i];
      lines("answer-" + std::to_string(i), answer.violated ? "answer violation" : "answer", answer.place,
            answer.lines, {size::answer, answer.violated ? colour_.loss : colour_.text, Face::bold},
            size::answer_line, answer.full);
    }
    for (std::size_t i = 0; i < in_.cause_places.size(); ++i) {
      text("why-" + std::to_string(i), "why", in_.cause_places[i], in_.causes[i], {size::text, colour_.text},
           in_.causes[i]);
    }
    for (std::size_t i = 0; i < in_.subtitle_places.size(); ++i) {
      text("subtitle-" + std::to_string(i), "subtitle", in_.subtitle_places[i], in_.subtitle[i],
           {size::text, colour_.muted}, in_.subtitle[i]);
    }
  }

  void drawBanners() {
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

  void drawLegend() {
    for (std::size_t i = 0; i < in_.legend.size(); ++i) {
      const LegendEntry& entry = in_.legend[i];
      const std::string id = "legend-" + std::to_string(i);
      const bool words = entry.kind == LegendEntry::Kind::words;
      const Rect& place = entry.place;
      if (!words) {
        drawSample(id + "-sample", entry,
                   {place.left, place.top, place.left + sampleWidth(entry.kind), place.bottom});
      }
      text(id, "legend",
           {place.left + (words ? 0 : sampleWidth(entry.kind) + 60), place.top, place.right, place.bottom},
           entry.text, {size::text, colour_.text}, entry.text);
    }
  }

  void drawSample(const std::string& id, const LegendEntry& entry, const Rect& place) {
    const Point centre = place.centre();
    const auto patch = [&](Tenths half_width, const Fill& fill) {
      rectangle(id, "sample", {centre.x - half_width, place.top + 5, centre.x + half_width, place.bottom - 5},
                fill, entry.text);
    };
    const auto stroke = [&](const Stroke& look) {
      canvas_.line(named(id, "sample", entry.text), {.at = {place.left, centre.y}, .name = id + "-from"},
                   {.at = {place.right, centre.y}, .name = id + "-to"}, look);
    };
    using Style = Stroke::Style;
    using Head = Stroke::Head;
    switch (entry.kind) {
      case LegendEntry::Kind::tone: {
        Fill fill{toneColours(entry.tone, in_.theme).fill, colour_.outline, 8};
        if (entry.tone == Tone::down) fill.style = Fill::Style::dashed;
        patch(halfWidth(entry.tone), fill);
        if (entry.tone == Tone::seeking) seekingSign(id, centre.x, place.top, place.bottom, "");
        break;
      }
      case LegendEntry::Kind::paused:
        patch(size::band, striped(toneColours(Tone::following, in_.theme).fill));
        break;
      case LegendEntry::Kind::message:
        stroke({messageColour(entry.type_number), 12, Style::solid, Head::filled});
        break;
      case LegendEntry::Kind::lost:
        stroke({colour_.loss, 12, Style::dashed, Head::none});
        cross(id + "-cross", "sample", {place.right - 40, centre.y}, 170, entry.text);
        break;
      case LegendEntry::Kind::waited: stroke({colour_.text, 12, Style::dotted, Head::none}); break;
      case LegendEntry::Kind::under_way: stroke({colour_.text, 12, Style::solid, Head::hollow}); break;
      case LegendEntry::Kind::crash: cross(id, "sample", centre, 260, entry.text); break;
      case LegendEntry::Kind::start:
        rectangle(id, "sample", around(centre, 120, 11), {colour_.text, colour_.text}, entry.text);
        break;
      case LegendEntry::Kind::counted: cellSample(id, Mark::counted, centre, entry.text); break;
      case LegendEntry::Kind::empty: cellSample(id, Mark::empty, centre, entry.text); break;
      case LegendEntry::Kind::proposed: cellSample(id, Mark::proposed, centre, entry.text); break;
      case LegendEntry::Kind::durable: cellSample(id, Mark::durable, centre, entry.text); break;
      case LegendEntry::Kind::committed: cellSample(id, Mark::committed, centre, entry.text); break;
      case LegendEntry::Kind::gone: cellSample(id, Mark::gone, centre, entry.text); break;
      case LegendEntry::Kind::violated:
        drawCell(id, {sign_of_violation, Mark::plain, around(centre, 110, 62), true}, entry.text);
        break;
      case LegendEntry::Kind::quorum:
        patch(120, {colour_.ground, colour_.quorum, 24, Fill::Style::rounded});
        break;
      case LegendEntry::Kind::partition:
        patch(110, {colour_.sides[0], colour_.cut, 7, Fill::Style::dashed});
        break;
      case LegendEntry::Kind::words: break;
    }
  }

  void cellSample(const std::string& id, Mark mark, Point centre, const std::string& tooltip) {
    drawCell(id, {signOf(mark), mark, around(centre, 110, 62)}, tooltip);
  }

  const Ladder& in_;
  const Palette& colour_;
  Canvas& canvas_;
  std::map<std::string, Tenths> radius_;  ///< of the dots drawn, by their ids
};

}  // namespace

void draw(const Ladder& ladder, Canvas& canvas) { Drawing(ladder, canvas).draw(); }

}  // namespace zablab::viz
