#include "viz/place.h"

#include <algorithm>
#include <cstdlib>

#include "viz/cuts.h"

namespace zablab::viz {
namespace {

constexpr int attempts_max = 12;
constexpr Tenths row_gap = 240;
constexpr Tenths more_room = 120;
constexpr Tenths narration_width_min = 1300, narration_width_max = 2000;
constexpr Tenths lane_gap_narrow = 900, lane_gap_min = 1500, lane_gap_max = 3400;
constexpr Tenths note_width = 200;  ///< of the numbers of notes at their rows
constexpr Tenths slope_min = 140;   ///< how far an arrow falls at least
constexpr Tenths time_gap_max = 1500;
constexpr std::uint64_t nobody = ~std::uint64_t{0};

Rect moved(const Rect& place, Tenths x, Tenths y) {
  return {place.left + x, place.top + y, place.right + x, place.bottom + y};
}

Rect grown(const Rect& place, Tenths by) {
  return {place.left - by, place.top - by, place.right + by, place.bottom + by};
}

class Placer {
 public:
  Placer(const Trace& trace, const Story& story, const RowPlan& plan, const LadderOptions& options,
         Ladder& ladder)
      : trace_(trace), story_(story), plan_(plan), options_(options), out_(ladder) {
    makeShapes();
    extra_.assign(plan.rows.size() + 1, 0);
    usual_pause_ = usualPause();
    numberTypes();
  }

  void place(const std::function<Tenths()>& top) {
    placeLanes();
    top_ = top();
    const Ladder empty = out_;
    for (int attempt = 1;; ++attempt) {
      placeRows();
      anchorMessages();
      placeBottom();
      cramped_.clear();
      space_ = Space();
      blockFixed();
      placeCrosses();
      placeTagsAndBoxes();
      placeShades();
      placeLabels();
      if (cramped_.empty() || attempt == attempts_max) break;
      for (const int row : cramped_) extra_[static_cast<std::size_t>(row)] += more_room;
      out_ = empty;
    }
    placeCaptions();
    placeBands();
  }

 private:
  const TraceEvent& event(std::size_t position) const { return trace_.events[position]; }
  Tenths laneX(int lane) const { return out_.lanes[static_cast<std::size_t>(lane)].x; }
  Tenths rowY(int row) const { return out_.rows[static_cast<std::size_t>(row)].y; }
  int laneCount() const { return static_cast<int>(out_.lanes.size()); }
  int rowOf(std::size_t position) const {
    const std::optional<std::size_t> step = story_.step_of[position];
    return step ? plan_.row_of[*step] : -1;
  }

  /// The header's groups of message types come first, so that a type has the same colour in every picture.
  void numberTypes() {
    const auto groups = trace_.header.find("message_groups");
    int number = 0;
    if (groups != trace_.header.end() && groups->is_array()) {
      for (const Json& group : *groups) {
        for (const Json& type : group) {
          if (type.is_string()) types_.try_emplace(type.get<std::string>(), number);
        }
        ++number;
      }
    }
    for (const Message& message : story_.messages) {
      if (message.folded || message.type.empty()) continue;
      if (types_.try_emplace(message.type, number).second) ++number;
    }
  }

  void makeShapes() {
    const ShapeMaker maker(trace_, story_, options_, room_);
    shapes_.assign(story_.steps.size(), {});
    for (const std::vector<std::size_t>& row : plan_.rows) {
      for (const std::size_t step : row) shapes_[step] = maker.make(story_.steps[step]);
    }
  }

  // ---- lanes

  Tenths widestBox(int lane_from, int lane_to) const {
    Tenths widest = 0;
    for (const StepShape& shape : shapes_) {
      for (const Box& box : shape.boxes) {
        if (box.lane >= lane_from && box.lane <= lane_to) widest = std::max(widest, box.place.width());
      }
    }
    return widest;
  }

  /// What the rows need sideways.
  struct Needs {
    bool words = false;  ///< there is narration
    Tenths tag = 0, label = 0, box = 0;
    Tenths left = 0, right = 0;  ///< beside the outer lanes
  };

  Needs needs() const {
    Needs result;
    const int last = laneCount() - 1;
    const Tenths side = room_.stacked ? 160 : 240;
    result.left = Tenths{300};
    result.right = room_.stacked ? Tenths{300} : Tenths{500};
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      for (const Tag& tag : shapes_[i].tags) {
        result.tag = std::max(result.tag, tag.place.width());
        if (tag.lane == 0) result.left = std::max(result.left, tag.place.width());
        if (tag.lane == last) result.right = std::max(result.right, tag.place.width());
      }
      if (plan_.row_of[i] >= 0 && !story_.steps[i].text.empty()) result.words = true;
    }
    for (const Message& message : story_.messages) {
      if (message.drawn) result.label = std::max(result.label, labelWidth(message));
    }
    result.box = widestBox(0, last);
    const Tenths loop =
        options_.self_messages ? result.label + 100 : 0;  // what a message to the sender itself needs
    result.left = side + std::max({result.left, room_.stacked ? 0 : widestBox(0, 0), loop});
    result.right = side + std::max({result.right, widestBox(last, last), loop});
    return result;
  }

  void placeLanes() {
    out_.lanes = story_.lanes;
    Needs need = needs();
    const Tenths beside = std::max(need.box, need.tag);
    const Tenths gap = std::clamp(std::max(beside, need.label) + std::min(beside, need.label) / 4 + 400,
                                  lane_gap_min, lane_gap_max);
    out_.number_right = 460;
    out_.time_right = 940;
    narration_width_ = narration_width_max;
    placeColumns(need, gap);
    if (options_.width == 0 || out_.width <= options_.width) return;
    narrow(need);
  }

  /// Everything from left to right, whatever the width.
  void placeColumns(const Needs& need, Tenths gap) {
    out_.lanes_left = out_.time_right + 80;
    if (need.words) out_.lanes_left += as_notes_ ? note_width : narration_width_ + 120;
    Tenths x = out_.lanes_left + need.left;
    for (Lane& lane : out_.lanes) {
      lane.x = x;
      x += gap;
    }
    const Tenths last_x = out_.lanes.empty() ? x : out_.lanes.back().x;
    out_.lanes_right = last_x + need.right;
    out_.width = std::max(out_.lanes_right + size::margin, size::width_min);
    lane_gap_ = gap;
  }

  /// Without row numbers, with boxes of several lines, lanes as close as their content allows, and narration
  /// below the rows if it has no room beside them. What is left over is divided between the lanes.
  void narrow(Needs need) {
    room_ = narrow_room;
    makeShapes();
    need = needs();
    out_.number_right = 0;
    out_.time_right =
        size::margin + 60 + textWidth(std::to_string(longestTime()) + " ms", Face::mono, size::small);
    const Tenths gap = std::clamp(std::max({need.box + 280, need.tag + 270, need.label + 190}),
                                  lane_gap_narrow, lane_gap_max);
    narration_width_ = narration_width_min;
    placeColumns(need, gap);
    if (need.words && out_.width > options_.width) {
      as_notes_ = true;
      placeColumns(need, gap);
    }
    Tenths more = options_.width - out_.width;
    if (more <= 0) return;
    if (!as_notes_) {
      const Tenths wider = std::min(more, narration_width_max - narration_width_);
      narration_width_ += wider;
      more -= wider;
    }
    const int gaps = std::max(laneCount() - 1, 1);
    placeColumns(need, std::min(gap + more / gaps, lane_gap_max));
  }

  std::int64_t longestTime() const {
    std::int64_t longest = 0;
    for (const std::vector<std::size_t>& row : plan_.rows)
      longest = std::max(longest, story_.steps[row.front()].time);
    return longest;
  }

  // ---- heights

  void placeRows() {
    lane_bottom_.assign(out_.lanes.size(), top_);
    starts_.clear();
    narration_bottom_ = top_;
    out_.heads.clear();
    addHeads(0, top_ - 150);
    for (std::size_t r = 0; r < plan_.rows.size(); ++r) placeRow(static_cast<int>(r));
  }

  void placeRow(int row) {
    const std::vector<std::size_t>& steps = plan_.rows[static_cast<std::size_t>(row)];
    const Step& first = story_.steps[steps.front()];
    const bool repeat_heads = row > 0 && row % rows_between_heads == 0 &&
                              row + rows_between_heads / 2 <= static_cast<int>(plan_.rows.size());
    Tenths y = row == 0 ? top_ + 60 : rowY(row - 1) + distance(row);
    y += extra_[static_cast<std::size_t>(row)];
    Tenths heads_y = 0;
    if (repeat_heads) {
      heads_y = *std::max_element(lane_bottom_.begin(), lane_bottom_.end()) + 160;
      y = std::max(y, heads_y + 200);
    }
    for (const std::size_t step : steps) y = std::max(y, lowestFor(step, repeat_heads ? heads_y + 120 : 0));
    if (repeat_heads) addHeads(row, heads_y);
    Row entry;
    entry.y = y;
    entry.number = event(story_.steps[steps.front()].events.front()).index;
    for (const std::size_t step : steps) {
      entry.number = std::min(entry.number, event(story_.steps[step].events.front()).index);
    }
    entry.time = first.time;
    entry.new_time = options_.rows != RowMode::causal && (row == 0 || out_.rows.back().time != entry.time);
    if (row > 0 && options_.rows == RowMode::time && scaled(row) > time_gap_max) {
      entry.shortened_at = (rowY(row - 1) + y) / 2;
      entry.pause = pauseAbove(row);
    }
    out_.rows.push_back(entry);
    for (const std::size_t step : steps) occupy(step, row, y);
    narrate(row);
  }

  Tenths distance(int row) const {
    if (options_.rows != RowMode::time) return row_gap;
    return static_cast<Tenths>(std::clamp<std::int64_t>(scaled(row), row_gap, time_gap_max));
  }

  std::int64_t timeAt(int row) const {
    return story_.steps[plan_.rows[static_cast<std::size_t>(row)].front()].time;
  }

  std::int64_t pauseAbove(int row) const { return timeAt(row) - timeAt(row - 1); }

  /// How far a row would be below the one above it, if rows were to scale.
  std::int64_t scaled(int row) const { return pauseAbove(row) * 300 / usual_pause_; }

  /// The median of the times between rows, which is drawn thirty points high.
  std::int64_t usualPause() const {
    std::vector<std::int64_t> pauses;
    for (int row = 1; row < static_cast<int>(plan_.rows.size()); ++row) {
      if (pauseAbove(row) > 0) pauses.push_back(pauseAbove(row));
    }
    std::sort(pauses.begin(), pauses.end());
    return pauses.empty() ? 1 : pauses[pauses.size() / 2];
  }

  /// The least height at which a step collides with nothing on its lane and is below everything that points
  /// at it.
  Tenths lowestFor(std::size_t step_index, Tenths floor) const {
    const Step& step = story_.steps[step_index];
    const StepShape& shape = shapes_[step_index];
    Tenths y = floor + shape.up;
    if (step.lane >= 0) y = std::max(y, lane_bottom_[static_cast<std::size_t>(step.lane)] + 20 + shape.up);
    if (step.kind == Step::Kind::divider) {
      for (const Tenths bottom : lane_bottom_) y = std::max(y, bottom + 90);
    }
    if (!step.text.empty()) y = std::max(y, narration_bottom_ + 35 + size::line / 2);
    for (const auto& [message, dot] : shape.ends) y = std::max(y, startHeight(message) + slope_min);
    if (step.lane < 0) {
      for (const std::size_t message : shape.losses) y = std::max(y, startHeight(message) + size::loss_drop);
    }
    return y;
  }

  Tenths startHeight(std::size_t message) const {
    const auto found = starts_.find(message);
    return found == starts_.end() ? top_ : found->second;
  }

  void occupy(std::size_t step_index, int row, Tenths y) {
    const Step& step = story_.steps[step_index];
    for (const Start& start : shapes_[step_index].starts) {
      if (!start.waits) starts_[start.message] = y + start.dot.at.y;
    }
    if (step.lane >= 0) lane_bottom_[static_cast<std::size_t>(step.lane)] = y + shapes_[step_index].down;
    if (step.kind == Step::Kind::divider) {
      for (Tenths& bottom : lane_bottom_) bottom = std::max(bottom, y + 80);
      addDivider(step, row, y);
    }
  }

  void addDivider(const Step& step, int row, Tenths y) {
    const TraceEvent& what = event(step.events.front());
    Divider divider;
    divider.row = row;
    divider.event = what.index;
    divider.kind = what.kind;
    divider.text = dividerWords(trace_, step.events.front(), story_);
    divider.y = y;
    out_.dividers.push_back(std::move(divider));
  }

  void narrate(int row) {
    std::vector<std::size_t> steps = plan_.rows[static_cast<std::size_t>(row)];
    for (const std::size_t step_index : steps) {
      const Step& step = story_.steps[step_index];
      if (step.text.empty()) continue;
      Narration entry;
      entry.kind = step.kind == Step::Kind::note      ? Narration::Kind::note
                   : step.kind == Step::Kind::fold    ? Narration::Kind::fold
                   : step.kind == Step::Kind::verdict ? Narration::Kind::violation
                                                      : Narration::Kind::plain;
      entry.row = row;
      entry.event = event(step.events.front()).index;
      entry.time = step.time;
      entry.full = step.text;
      if (options_.rows == RowMode::causal) entry.full = std::to_string(step.time) + " ms: " + entry.full;
      const Face face = entry.kind == Narration::Kind::violation ? Face::bold : Face::sans;
      const Tenths left = out_.time_right + 80;
      const Tenths top = std::max(rowY(row) - size::line / 2, narration_bottom_ + (as_notes_ ? 0 : 35));
      if (as_notes_) {
        entry.note = static_cast<int>(out_.narration.size()) + 1;
        entry.number_place = {out_.time_right + 40, top, out_.time_right + note_width, top + size::line};
        narration_bottom_ = entry.number_place.bottom;
      } else {
        entry.lines = wrap(entry.full, face, size::text, narration_width_,
                           room_.stacked ? narration_lines_narrow : narration_lines_max);
        entry.place = {left, top, left + narration_width_ + 100,
                       top + static_cast<Tenths>(entry.lines.size()) * size::line};
        narration_bottom_ = entry.place.bottom;
      }
      out_.narration.push_back(std::move(entry));
    }
  }

  void addHeads(int row, Tenths y) {
    Heads heads;
    heads.row = row;
    for (Lane& lane : out_.lanes) {
      lane.name = elide(lane.name, Face::bold, size::name, std::min(lane_gap_ - 260, lane_gap_min - 500));
      const Tenths half = std::max<Tenths>(textWidth(lane.name, Face::bold, size::name) / 2 + 110, 300);
      heads.places.push_back(around({lane.x, y}, half, 110));
    }
    out_.heads.push_back(std::move(heads));
  }

  // ---- messages

  void anchorMessages() {
    for (std::size_t row = 0; row < plan_.rows.size(); ++row) {
      for (const std::size_t step : plan_.rows[row]) anchorStep(step, static_cast<int>(row));
    }
    for (std::size_t message = 0; message < story_.messages.size(); ++message) {
      if (story_.messages[message].drawn) addArrow(message);
    }
    anchors_.clear();
  }

  struct Anchor {
    std::optional<Point> sent, left, end;
    int row_sent = -1, row_left = -1, row_end = -1;
    std::string sent_dot, left_dot, end_dot;
  };

  void anchorStep(std::size_t step_index, int row) {
    const Step& step = story_.steps[step_index];
    const StepShape& shape = shapes_[step_index];
    const Tenths y = rowY(row);
    const Tenths x = step.lane >= 0 ? laneX(step.lane) : 0;
    for (Dot dot : shape.dots) {
      dot.at = {x, y + dot.at.y};
      dot.row = row;
      out_.dots.push_back(std::move(dot));
    }
    for (const Start& start : shape.starts) {
      Dot dot = start.dot;
      const Message& message = story_.messages[start.message];
      dot.at = {x + (start.waits ? waitOffset(message) : 0), y + dot.at.y};
      dot.row = row;
      Anchor& anchor = anchors_[start.message];
      (start.waits ? anchor.sent : anchor.left) = dot.at;
      (start.waits ? anchor.row_sent : anchor.row_left) = row;
      (start.waits ? anchor.sent_dot : anchor.left_dot) = dot.id;
      out_.dots.push_back(std::move(dot));
    }
    for (const auto& [message, dot] : shape.ends) {
      Anchor& anchor = anchors_[message];
      anchor.end = Point{x, y};
      anchor.row_end = row;
      anchor.end_dot = dot;
    }
    for (const std::size_t message : shape.losses) {
      anchors_[message].end = Point{0, y};
      anchors_[message].row_end = row;
    }
  }

  void addArrow(std::size_t index) {
    const Message& message = story_.messages[index];
    const Anchor& anchor = anchors_[index];
    Arrow arrow;
    describe(message, arrow);
    arrow.row_sent = anchor.sent ? anchor.row_sent : anchor.row_left;
    arrow.row_from = anchor.row_left;
    arrow.row_to = anchor.row_end;
    const int last_row = static_cast<int>(plan_.rows.size()) - 1;
    const bool before_page = sentBefore(message);
    if (!anchor.left && !anchor.sent && !before_page) return;  // beyond the page
    if (message.lost) arrow.fate = Arrow::Fate::lost;
    if (!anchor.end) {
      arrow.fate = message.end ? Arrow::Fate::leaves_page : Arrow::Fate::under_way;
      arrow.row_to = last_row;
    }
    arrow.left = anchor.left || (before_page && !(message.waiting && !message.transmitted));
    const Tenths x = laneX(message.from);
    arrow.start = anchor.left.value_or(Point{x, top_});
    if (!arrow.left) arrow.start = anchor.sent.value_or(Point{x + waitOffset(message), top_});
    arrow.from_dot = anchor.left_dot;
    if (message.waiting && anchor.sent) {
      const Tenths until = anchor.left ? anchor.left->y : anchor.end ? anchor.end->y : unset;
      arrow.wait = {*anchor.sent, Point{anchor.sent->x, until}};
      if (!arrow.left) arrow.from_dot = anchor.sent_dot;
    }
    arrow.end = anchor.end ? *anchor.end : Point{0, unset};
    arrow.to_dot = anchor.end_dot;
    if (arrow.fate == Arrow::Fate::lost && arrow.left) {
      arrow.end.y = std::max(arrow.end.y, arrow.start.y + size::loss_drop);
    }
    out_.arrows.push_back(std::move(arrow));
  }

  bool sentBefore(const Message& message) const {
    const std::optional<std::size_t> first = message.transmitted ? message.transmitted : message.sent;
    return !first || *first < story_.window_begin;
  }

  void describe(const Message& message, Arrow& arrow) const {
    arrow.message = message.number;
    arrow.from = message.from;
    arrow.to = message.to;
    arrow.type = message.type;
    arrow.label = labelOf(message);
    const auto type = types_.find(message.type);
    arrow.type_number = type == types_.end() ? 0 : type->second;
    arrow.waited = message.waiting;
    arrow.again = message.again;
    arrow.copy = message.copy;
    arrow.reason = message.reason;
    if (message.sent) arrow.sent_event = event(*message.sent).index;
    if (message.end) arrow.end_event = event(*message.end).index;
    arrow.tooltip = tooltip(message);
  }

  std::string tooltip(const Message& message) const {
    const auto at = [&](std::size_t position) {
      return std::to_string(event(position).time) + " ms (event " + std::to_string(event(position).index) +
             ")";
    };
    std::string result = "message " + std::to_string(message.number) + ": " + message.type;
    if (!message.label.empty()) result += " " + message.label;
    result += " from " + message.from_name + " to " + message.to_name;
    if (message.sent) result += ", sent at " + at(*message.sent);
    if (message.again) result += " once more";
    if (message.copy) result += " as a copy that a fault made";
    if (message.waiting) result += ", waited for a connection";
    if (message.transmitted) result += ", left at " + at(*message.transmitted);
    if (message.end) result += (message.lost ? ", lost at " : ", delivered at ") + at(*message.end);
    if (!message.end) result += ", under way when the run ended";
    if (!message.reason.empty()) result += ": " + message.reason;
    if (!message.content.empty()) result += "; " + elideColumns(message.content, 400);
    return result;
  }

  std::string labelOf(const Message& message) const {
    std::string label = message.label.empty() ? message.type : message.label;
    if (message.again) label = "again " + label;
    if (message.copy) label = "copy " + label;
    return elideColumns(label, room_.label);
  }

  Tenths labelWidth(const Message& message) const {
    const std::string label = labelOf(message);
    return label.empty() ? 0 : textWidth(label, Face::mono, size::label) + 50;
  }

  /// Waiting messages are next to the lifeline, on the side of their receiver.
  Tenths waitOffset(const Message& message) const {
    const int away = std::abs(message.to - message.from);
    const Tenths offset = 125 + 62 * std::clamp(away - 1, 0, 4);
    return message.to < message.from ? -offset : offset;
  }

  // ---- the bottom edge, and arrows that end there

  void placeBottom() {
    Tenths bottom = out_.rows.empty() ? top_ + 400 : out_.rows.back().y + 200;
    for (const Tenths lane : lane_bottom_) bottom = std::max(bottom, lane + 60);
    bottom = std::max(bottom, narration_bottom_ + 20);
    for (const Arrow& arrow : out_.arrows) {
      bottom = std::max(bottom, std::max(arrow.start.y, arrow.end.y) + 120);
      if (arrow.end.y == unset) bottom = std::max(bottom, arrow.start.y + 260);
    }
    out_.rows_top = top_;
    out_.rows_bottom = bottom;
    for (Arrow& arrow : out_.arrows) {
      if (arrow.wait && arrow.wait->second.y == unset) arrow.wait->second.y = bottom - 60;
      if (arrow.end.y == unset) {
        arrow.end = {laneX(arrow.to), bottom - 60};
        if (!arrow.left)
          arrow.end.x = arrow.start.x;
        else
          arrow.end.x = laneX(arrow.from) + (laneX(arrow.to) - laneX(arrow.from)) * 3 / 4;
        if (arrow.left && arrow.from == arrow.to) arrow.end.x = laneX(arrow.from);
        avoidLanes(arrow);
      }
    }
  }

  /// An arrow's loose end must not lie on a lifeline.
  void avoidLanes(Arrow& arrow) const {
    if (arrow.from == arrow.to || !arrow.left) return;
    for (const Lane& lane : out_.lanes) {
      const Tenths away = arrow.end.x - lane.x;
      if (std::abs(away) < 250) arrow.end.x = lane.x + (arrow.to > arrow.from ? -300 : 300);
    }
  }

  // ---- elements that need a place

  void blockFixed() {
    for (const Heads& heads : out_.heads) {
      for (const Rect& head : heads.places) space_.block(grown(head, 20));
    }
    for (const Dot& dot : out_.dots) space_.block(around(dot.at, size::dot + 8, size::dot + 8));
    for (const Arrow& arrow : out_.arrows) {
      if (arrow.fate != Arrow::Fate::lost) blockLoop(arrow);
      if (arrow.wait && arrow.left) blockWait(arrow);
    }
  }

  bool onLane(const Rect& place, int but) const {
    for (int lane = 0; lane < laneCount(); ++lane) {
      if (lane != but && place.left < laneX(lane) + 95 && place.right > laneX(lane) - 95) return true;
    }
    return false;
  }

  bool inside(const Rect& place) const {
    return place.left >= out_.lanes_left && place.right <= out_.lanes_right && place.top >= top_ - 20;
  }

  bool canStand(const Rect& place, int own_lane) const {
    return inside(place) && !onLane(place, own_lane) && space_.isFree(place);
  }

  /// On its path, in the gap before the receiver; if it never left or was lost immediately, near the sender.
  void placeCrosses() {
    for (Arrow& arrow : out_.arrows) {
      if (arrow.fate == Arrow::Fate::lost) {
        if (!arrow.left)
          placeUnsentCross(arrow);
        else if (arrow.from == arrow.to)
          placeLoopCross(arrow);
        else
          placeCross(arrow);
        const Tenths half = arrow.left ? size::cross : size::cross_unsent;
        space_.block(around(arrow.end, half, half));
      }
      if (!arrow.left || arrow.from == arrow.to) continue;
      space_.draw(arrow.start, arrow.end, arrow.message);
    }
    for (const Arrow& arrow : out_.arrows) {
      if (arrow.wait && !arrow.left) blockWait(arrow);
      if (arrow.fate == Arrow::Fate::lost) blockLoop(arrow);
    }
  }

  void blockLoop(const Arrow& arrow) {
    if (!arrow.left || arrow.from != arrow.to) return;
    const Tenths x = laneX(arrow.from);
    space_.block({x - size::self_loop - 20, arrow.start.y - 20, x - size::band, arrow.end.y + 20});
  }

  /// A message to the sender itself is lost on the left of its lane.
  void placeLoopCross(Arrow& arrow) {
    bool found = false;
    for (Tenths away = size::self_loop; away <= 800 && !found; away += 100) {
      arrow.end.x = laneX(arrow.from) - away;
      found = canStand(around(arrow.end, size::cross, size::cross), arrow.from);
    }
    if (!found) cramped_.insert(arrow.row_to);
  }

  void blockWait(const Arrow& arrow) {
    const auto& [from, to] = *arrow.wait;
    space_.block({from.x - 12, std::min(from.y, to.y) - 12, from.x + 12, std::max(from.y, to.y) + 12});
  }

  /// At the end of its wait, next to the lifeline.
  void placeUnsentCross(Arrow& arrow) {
    const Tenths first = std::max(arrow.end.y, arrow.start.y + 80);
    arrow.end = {arrow.start.x, first};
    bool found = false;
    const Tenths outward = arrow.start.x < laneX(arrow.from) ? -62 : 62;
    for (const Tenths side : {0, 1, 2, 3, 4, 5}) {
      for (const Tenths shift : {0, -70, 70, -140, 140}) {
        if (found || first + shift < arrow.start.y + 80) continue;
        const Point at{arrow.start.x + side * outward, first + shift};
        if (!space_.isFree(around(at, size::cross_unsent, size::cross_unsent))) continue;
        arrow.end = at;
        found = true;
      }
    }
    if (!found) cramped_.insert(arrow.row_to);
    if (arrow.wait) arrow.wait->second = arrow.end;
  }

  void placeCross(Arrow& arrow) {
    const int step = arrow.to > arrow.from ? 1 : -1;
    const bool at_once = arrow.row_from == arrow.row_to;
    const int gap_from = at_once ? arrow.from : arrow.to - step;
    const Tenths begin = laneX(gap_from), span = laneX(gap_from + step) - begin;
    const std::int64_t first = at_once ? 45 : 62;
    Point best{begin + static_cast<Tenths>(span * first / 100), arrow.end.y};
    bool found = false;
    // Lower only if there is no place at its height.
    for (Tenths lower = 0; lower <= 180 && !found; lower += 60) {
      for (std::int64_t i = 0; i < 40 && !found; ++i) {
        const std::int64_t percent = first + (i % 2 == 0 ? -1 : 1) * (i + 1) / 2 * 4;
        if (percent < 10 || percent > 90) continue;
        const Point at{begin + static_cast<Tenths>(span * percent / 100), arrow.end.y + lower};
        if (!canStand(around(at, size::cross + 5, size::cross + 5), -1)) continue;
        best = at;
        found = true;
      }
    }
    if (!found) cramped_.insert(arrow.row_to);
    arrow.end = best;
  }

  void placeTagsAndBoxes() {
    for (std::size_t row = 0; row < plan_.rows.size(); ++row) {
      for (const std::size_t step : plan_.rows[row]) {
        for (const Tag& tag : shapes_[step].tags) placeTag(tag, static_cast<int>(row));
      }
      for (const std::size_t step : plan_.rows[row]) {
        for (std::size_t i = 0; i < shapes_[step].boxes.size(); ++i) {
          placeBox(shapes_[step].boxes[i], shapes_[step].box_at[i], static_cast<int>(row));
        }
      }
    }
  }

  void placeTag(Tag tag, int row) {
    const Tenths x = laneX(tag.lane), y = rowY(row);
    tag.row = row;
    tag.mark = {x, y + tag.mark.y};
    if (tag.text.empty()) {
      tag.place = around(tag.mark, 0, 0);
    } else {
      const Point centre{0, y + tag.place.centre().y};
      const std::vector<Tenths> away = {135, 200, 280, 380};
      const std::vector<Tenths> shifts = {0, -30, 30, -60, 60, -90, 90};
      const std::optional<Rect> found =
          beside(tag.lane, tag.place.width(), tag.place.height(), centre.y, away, shifts, -1);
      if (!found) cramped_.insert(row);
      const Tenths left = x - 135 - tag.place.width();
      tag.place = found.value_or(Rect{left, y + tag.place.top, x - 135, y + tag.place.bottom});
      space_.block(grown(tag.place, 10));
    }
    out_.tags.push_back(std::move(tag));
  }

  void placeBox(Box box, Tenths at, int row) {
    const Tenths y = rowY(row) + at;
    const std::vector<Tenths> away = {140, 200, 270, 350, 440, 540, 700};
    const std::vector<Tenths> shifts = {0,   -40,  40,  -80,  80,  -120, 120,  -160, 160, -200,
                                        200, -250, 250, -300, 300, -400, -500, -650, -800};
    const int side = box.lane == 0 && laneCount() > 1 && !room_.stacked ? -1 : 1;
    const std::optional<Rect> found =
        beside(box.lane, box.place.width(), box.place.height(), y, away, shifts, side);
    if (!found) cramped_.insert(row);
    const Tenths left = laneX(box.lane) + 140;
    const Rect fallback{left, y + box.place.top, left + box.place.width(), y + box.place.bottom};
    const Rect place = found.value_or(fallback);
    const Tenths dx = place.left - box.place.left, dy = place.top - box.place.top;
    for (Cell& cell : box.cells) cell.place = moved(cell.place, dx, dy);
    box.caption_place = moved(box.caption_place, dx, dy);
    box.place = place;
    box.row = row;
    box.tie = tie(box, y);
    space_.block(grown(place, 10));
    out_.boxes.push_back(std::move(box));
  }

  /// Whether something at this place would seem to belong to another lane.
  bool nearOther(int lane, Tenths x) const {
    return std::any_of(out_.lanes.begin(), out_.lanes.end(),
                       [&](const Lane& other) { return std::abs(other.x - x) < std::abs(laneX(lane) - x); });
  }

  /// Leads from the lifeline to a box that is not directly next to its event.
  std::optional<std::pair<Point, Point>> tie(const Box& box, Tenths y) const {
    const Tenths x = laneX(box.lane);
    const bool right = box.place.left > x;
    const Tenths edge = right ? box.place.left : box.place.right;
    if (std::abs(edge - x) < 250 && box.place.top < y && box.place.bottom > y) return std::nullopt;
    const Tenths height = std::clamp(y, box.place.top + 40, box.place.bottom - 40);
    return std::pair{Point{x + (right ? size::band : -size::band), y}, Point{edge, height}};
  }

  /// The free place next to a lifeline that hides the least of the arrows.
  std::optional<Rect> beside(int lane, Tenths width, Tenths height, Tenths y, const std::vector<Tenths>& away,
                             const std::vector<Tenths>& shifts, int side_first) const {
    std::optional<Rect> best;
    std::int64_t best_cost = 0;
    for (const int side : {side_first, -side_first}) {
      for (const Tenths distance_x : away) {
        for (const Tenths shift : shifts) {
          const Tenths edge = laneX(lane) + side * distance_x;
          const Tenths left = side > 0 ? edge : edge - width;
          const Tenths top = y + shift - height / 2;
          const Rect place{left, top, left + width, top + height};
          if (nearOther(lane, place.centre().x)) continue;
          const std::int64_t fixed =
              std::abs(shift) * 3 + (distance_x - away.front()) * 2 + (side == side_first ? 0 : 150);
          if (best && fixed >= best_cost) continue;
          if (!canStand(grown(place, 10), -1)) continue;
          const std::int64_t cost = fixed + space_.crossed(place, nobody);
          if (best && cost >= best_cost) continue;
          best = place;
          best_cost = cost;
        }
      }
    }
    return best;
  }

  // ---- partitions

  void placeShades() {
    const auto heightOf = [&](int row) { return row < 0 ? out_.rows_top : rowY(row); };
    const int last_row = static_cast<int>(plan_.rows.size()) - 1;
    for (const CutSpan& span : cutSpans(trace_, story_)) {
      const int row_from = span.begin < story_.window_begin ? -1 : rowOf(span.begin);
      const bool ends = span.end && *span.end < story_.window_end && rowOf(*span.end) >= 0;
      if (span.begin >= story_.window_begin && row_from < 0) continue;  // beyond the page
      const Tenths top = heightOf(row_from), bottom = ends ? rowY(rowOf(*span.end)) : out_.rows_bottom;
      if (top >= bottom) continue;
      int block = 0;
      for (const CutBlock& piece : span.blocks) {
        Shade shade;
        shade.id = "cut-" + std::to_string(event(span.begin).index) + '-' + std::to_string(block++);
        shade.event = event(span.begin).index;
        shade.side = piece.side;
        shade.lane_from = piece.lane_from;
        shade.lane_to = piece.lane_to;
        shade.row_from = row_from;
        shade.row_to = ends ? rowOf(*span.end) : last_row;
        shade.text = piece.text;
        shade.tooltip = piece.tooltip;
        shade.place = {shadeEdge(piece.lane_from, -1), top, shadeEdge(piece.lane_to, 1), bottom};
        if (!shade.text.empty()) shade.text_place = placeShadeText(shade);
        out_.shades.push_back(std::move(shade));
      }
    }
    for (Divider& divider : out_.dividers) placeDividerText(divider);
  }

  Tenths shadeEdge(int lane, int side) const {
    const Tenths x = laneX(lane);
    if (side < 0) return lane == 0 ? out_.lanes_left : x - lane_gap_ / 2 + 40;
    return lane == laneCount() - 1 ? out_.lanes_right : x + lane_gap_ / 2 - 40;
  }

  std::optional<Rect> placeShadeText(const Shade& shade) {
    const Tenths width = textWidth(shade.text, Face::sans, size::small) + 40;
    for (Tenths down = 90; down <= std::min<Tenths>(shade.place.height() - 80, 700); down += 60) {
      for (Tenths x = shade.place.left + 60; x + width < shade.place.right - 40; x += 80) {
        const Rect place{x, shade.place.top + down - 55, x + width, shade.place.top + down + 55};
        if (!canStand(place, -1) || space_.crossed(place, nobody) > 0) continue;
        space_.block(place);
        return place;
      }
    }
    return std::nullopt;
  }

  /// On the line if that hides no arrow; a divider's text is also in its tooltip.
  void placeDividerText(Divider& divider) {
    const Tenths width = textWidth(divider.text, Face::sans, size::small) + 60;
    std::int64_t best_cost = 0;
    for (Tenths x = out_.lanes_left; x + width < out_.lanes_right; x += 60) {
      const Rect place{x, divider.y - 60, x + width, divider.y + 60};
      if (!canStand(place, -1)) continue;
      const std::int64_t cost = space_.crossed(place, nobody) * 10 + (x - out_.lanes_left) / 10;
      if (divider.place && cost >= best_cost) continue;
      best_cost = cost;
      divider.place = place;
    }
    if (divider.place) space_.block(*divider.place);
  }

  // ---- labels

  void placeLabels() {
    for (Arrow& arrow : out_.arrows) {
      if (arrow.label.empty()) continue;
      arrow.label_place = labelPlace(arrow);
      if (arrow.label_place) {
        space_.block(grown(*arrow.label_place, 14));
      } else {
        cramped_.insert(std::max(arrow.row_to, 0));
      }
    }
  }

  std::optional<Rect> labelPlace(const Arrow& arrow) const {
    const Tenths width = textWidth(arrow.label, Face::mono, size::label) + 30;
    std::optional<Rect> best;
    std::int64_t best_cost = 0;
    const auto offer = [&](Point centre, std::int64_t fixed) {
      if (best && fixed >= best_cost) return;
      const Rect place = {centre.x - width / 2, centre.y - size::label_height / 2,
                          centre.x - width / 2 + width, centre.y + size::label_height / 2};
      if (!canStand(place, -1)) return;
      const std::int64_t cost = fixed + space_.crossed(place, arrow.message) * 3;
      if (best && cost >= best_cost) return;
      best = place;
      best_cost = cost;
    };
    if (arrow.left && arrow.from != arrow.to) offerAlong(arrow, width, offer);
    if (arrow.left && arrow.from == arrow.to) {
      const Tenths y = (arrow.start.y + arrow.end.y) / 2;
      for (const Tenths off : {0, -60, 60}) {
        offer({laneX(arrow.from) - size::self_loop - 40 - width / 2, y + off}, std::abs(off));
      }
    }
    if (!best || best_cost > 600) offerBeside(arrow, width, offer);
    return best;
  }

  /// On the arrow itself, in each gap that it crosses; the middle of a gap is best.
  template <class Offer>
  void offerAlong(const Arrow& arrow, Tenths width, Offer&& offer) const {
    const Tenths low = std::min(arrow.start.x, arrow.end.x), high = std::max(arrow.start.x, arrow.end.x);
    const Tenths end_room = arrow.fate == Arrow::Fate::delivered ? 0 : size::cross + 20;
    for (int gap = std::min(arrow.from, arrow.to); gap < std::max(arrow.from, arrow.to); ++gap) {
      const bool right = arrow.end.x > arrow.start.x;
      const Tenths begin = std::max(laneX(gap) + 100, low + (right ? 0 : end_room)) + width / 2;
      const Tenths end = std::min(laneX(gap + 1) - 100, high - (right ? end_room : 0)) - width / 2;
      const Tenths middle = (laneX(gap) + laneX(gap + 1)) / 2;
      for (Tenths x = begin; x <= end; x += 50) {
        for (const Tenths off : {0, -90, 90}) {
          offer({x, heightAt(arrow, x) + off}, std::abs(x - middle) / 10 + (off == 0 ? 0 : 250));
        }
      }
    }
  }

  static Tenths heightAt(const Arrow& arrow, Tenths x) {
    const std::int64_t run = arrow.end.x - arrow.start.x, rise = arrow.end.y - arrow.start.y;
    return run == 0 ? arrow.start.y : static_cast<Tenths>(arrow.start.y + rise * (x - arrow.start.x) / run);
  }

  /// Next to the end of an arrow that is too short for its label.
  template <class Offer>
  void offerBeside(const Arrow& arrow, Tenths width, Offer&& offer) const {
    const int side = arrow.to <= arrow.from ? -1 : 1;
    for (const Tenths off : {0, 60, -60, 110, -110, -160, -210, -260, -310}) {
      for (const Tenths away : {70, 120, 200, 300, 400}) {
        offer({arrow.end.x + side * (away + width / 2), arrow.end.y + off}, 400 + away + std::abs(off));
        offer({arrow.end.x - side * (away + width / 2), arrow.end.y + off}, 700 + away + std::abs(off));
        offer({arrow.start.x - side * (away + 100 + width / 2), arrow.start.y + off},
              900 + away + std::abs(off));
        offer({arrow.start.x + side * (away + width / 2), arrow.start.y + off}, 950 + away + std::abs(off));
      }
    }
  }

  /// The cause next to the cross, if there is room for it and no arrow is hidden.
  void placeCaptions() {
    for (Arrow& arrow : out_.arrows) {
      if (arrow.fate != Arrow::Fate::lost || arrow.reason.empty()) continue;
      arrow.caption = elide(arrow.reason, Face::sans, size::small, 1100);
      const Tenths width = textWidth(arrow.caption, Face::sans, size::small) + 20;
      const Point at = arrow.end;
      const std::vector<Point> centres = {{at.x, at.y + 95},
                                          {at.x + width / 2 + 60, at.y},
                                          {at.x - width / 2 - 60, at.y},
                                          {at.x + width / 2 - 30, at.y + 95},
                                          {at.x - width / 2 + 30, at.y + 95},
                                          {at.x, at.y - 95},
                                          {at.x + width / 2 + 60, at.y + 50},
                                          {at.x - width / 2 - 60, at.y + 50}};
      for (const Point centre : centres) {
        const Rect place{centre.x - width / 2, centre.y - 50, centre.x - width / 2 + width, centre.y + 50};
        if (!canStand(place, -1) || space_.crossed(place, nobody) > 0 || place.bottom > out_.rows_bottom)
          continue;
        arrow.caption_place = place;
        space_.block(place);
        break;
      }
    }
  }

  // ---- lifelines

  struct Life {
    Standing standing;
    bool paused = false;
    std::string id;
    int row = -1;
    Tenths top = 0;
    std::int64_t since = 0;
  };

  static Standing standing(Tone tone, const std::string& role = "") { return {role, "", tone, tone}; }

  /// A client is present from the beginning; a server only after it starts.
  Standing up(int lane) const {
    return standing(out_.lanes[static_cast<std::size_t>(lane)].isClient() ? Tone::client : Tone::unknown);
  }

  void placeBands() {
    for (int lane = 0; lane < laneCount(); ++lane) {
      Life life;
      life.id = "life-" + std::to_string(lane);
      life.standing =
          out_.lanes[static_cast<std::size_t>(lane)].isClient() ? up(lane) : standing(Tone::absent);
      life.top = out_.rows_top;
      for (std::size_t position = 0; position < story_.window_begin; ++position) {
        if (isOf(position, lane) && apply(position, lane, life)) life.since = event(position).time;
      }
      for (const Tag& tag : out_.tags) {
        if (tag.lane != lane || tag.kind == Tag::Kind::violated) continue;
        Life next = life;
        if (!apply(static_cast<std::size_t>(tag.event), lane, next)) continue;
        closeBand(lane, life, tag.row, tag.mark.y, event(static_cast<std::size_t>(tag.event)).time);
        life = std::move(next);
        life.row = tag.row;
        life.top = tag.mark.y;
        life.since = event(static_cast<std::size_t>(tag.event)).time;
      }
      closeBand(lane, life, static_cast<int>(plan_.rows.size()) - 1, out_.rows_bottom, std::nullopt);
    }
  }

  bool isOf(std::size_t position, int lane) const {
    const std::optional<std::int64_t>& node = event(position).node;
    const auto found = node ? story_.lane_of.find(*node) : story_.lane_of.end();
    return found != story_.lane_of.end() && found->second == lane;
  }

  bool apply(std::size_t position, int lane, Life& life) const {
    const TraceEvent& what = event(position);
    const std::string index = std::to_string(what.index);
    const auto turn = story_.turns.find(position);
    if (turn != story_.turns.end()) {
      life.standing = turn->second.to;
      life.id = "role-" + index;
    } else if (what.kind == "started" || what.kind == "stopped") {
      const bool starts = what.kind == "started";
      life.standing = starts ? up(lane) : standing(Tone::down, "down");
      life.paused = false;
      life.id = (starts ? "up-" : "down-") + index;
    } else if (what.kind == "paused" || what.kind == "resumed") {
      life.paused = what.kind == "paused";
      life.id = (life.paused ? "pause-" : "resume-") + index;
    } else {
      return false;
    }
    return true;
  }

  void closeBand(int lane, const Life& life, int row, Tenths bottom, std::optional<std::int64_t> until) {
    if (bottom <= life.top) return;
    Band band;
    band.id = life.id;
    band.lane = lane;
    band.tone = life.standing.tone;
    band.paused = life.paused;
    band.role = life.standing.role;
    band.phase = life.standing.phase;
    band.role_tone = life.standing.role_tone;
    band.row_from = life.row;
    band.row_to = row;
    band.top = life.top;
    band.bottom = bottom;
    band.tooltip = out_.lanes[static_cast<std::size_t>(lane)].title() + " ";
    if (band.tone == Tone::absent) {
      band.tooltip += "not started";
    } else {
      band.tooltip += (band.role.empty() ? "up" : band.role) +
                      (band.phase.empty() ? "" : " · " + band.phase) + (band.paused ? ", paused" : "") +
                      " from " + std::to_string(life.since) + " ms" +
                      (until ? " to " + std::to_string(*until) + " ms" : "");
    }
    out_.bands.push_back(std::move(band));
  }

  static constexpr Tenths unset = -1'000'000;

  const Trace& trace_;
  const Story& story_;
  const RowPlan& plan_;
  const LadderOptions& options_;
  Tenths top_ = 0;
  Ladder& out_;
  std::vector<StepShape> shapes_;
  std::vector<Tenths> extra_;  ///< room requested above each row
  std::map<std::string, int> types_;
  std::map<std::size_t, Tenths> starts_;   ///< heights at which messages leave
  std::map<std::size_t, Anchor> anchors_;  ///< by message
  std::vector<Tenths> lane_bottom_;
  std::int64_t usual_pause_ = 1;
  Room room_;
  Tenths narration_width_ = 0;
  bool as_notes_ = false;  ///< narration is below the rows
  Tenths narration_bottom_ = 0, lane_gap_ = 0;
  Space space_;
  std::set<int> cramped_;  ///< rows in which an element found no place
};

}  // namespace

void place(const Trace& trace, const Story& story, const RowPlan& plan, const LadderOptions& options,
           const std::function<Tenths()>& top, Ladder& ladder) {
  Placer(trace, story, plan, options, ladder).place(top);
}

int labelsWithoutRoom(const Ladder& ladder) {
  return static_cast<int>(std::count_if(ladder.arrows.begin(), ladder.arrows.end(), [](const Arrow& arrow) {
    return !arrow.label.empty() && !arrow.label_place;
  }));
}

}  // namespace zablab::viz
