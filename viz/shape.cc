#include "viz/shape.h"

#include <algorithm>
#include <cstdlib>

namespace zablab::viz {
namespace {

constexpr std::size_t cells_max = 24;
constexpr std::size_t letters_max = 24;  ///< of a cell's text
constexpr Tenths cell_width_min = 180;
constexpr Tenths caption_before_max = 420;
constexpr Tenths tag_width_max = 900;

Mark markOf(const std::string& word) {
  if (word == "counted") return Mark::counted;
  if (word == "empty") return Mark::empty;
  if (word == "proposed") return Mark::proposed;
  if (word == "durable") return Mark::durable;
  if (word == "committed") return Mark::committed;
  if (word == "gone") return Mark::gone;
  return Mark::plain;
}

/// The text of a cell; a mark that would otherwise be shown only by colour is written, too.
Cell readCell(const Json& cell) {
  Cell result;
  if (cell.is_string()) result.text = clean(cell.get<std::string>());
  if (cell.is_object()) result.text = wordOf(cell, "text");
  result.text = elideColumns(result.text, letters_max);
  result.mark = cell.is_object() ? markOf(wordOf(cell, "mark")) : Mark::plain;
  if (result.mark == Mark::plain && result.text == "…") result.mark = Mark::omitted;
  result.text += signOf(result.mark);
  return result;
}

/// Places the cells side by side from the origin, in several lines if there are many; returns the total size.
Point lineUp(std::vector<Cell>& cells, Tenths width_max) {
  Tenths cell_width = cell_width_min;
  for (const Cell& cell : cells) {
    cell_width = std::max(cell_width, textWidth(cell.text, Face::mono, size::cell) + 60);
  }
  Point at, end{0, size::cell_height};
  for (Cell& cell : cells) {
    const Tenths width = cell.mark == Mark::omitted
                             ? textWidth(cell.text, Face::mono, size::cell) + size::cell_gap
                             : cell_width;
    if (at.x > 0 && at.x + width > width_max) at = {0, at.y + size::cell_height + size::cell_gap};
    cell.place = {at.x, at.y, at.x + width, at.y + size::cell_height};
    end = {std::max(end.x, cell.place.right), cell.place.bottom};
    at.x = cell.place.right + size::cell_gap;
  }
  return end;
}

/// A short caption is placed before a single line of cells, any other one above them.
void placeCells(Box& box, Tenths width_max) {
  const Point cells = lineUp(box.cells, width_max);
  const Tenths words = box.caption.empty() ? 0 : textWidth(box.caption, Face::sans, size::cell) + 55;
  const bool before =
      words <= caption_before_max && cells.y == size::cell_height && words + cells.x <= width_max;
  const Tenths above = before || words == 0 ? 0 : size::caption_height;
  const Tenths inner = before ? words + cells.x : std::max(words, cells.x);
  const Tenths width = inner + 2 * size::box_pad, height = above + cells.y + 2 * size::box_pad;
  box.place = {-width / 2, -height / 2, width - width / 2, height - height / 2};
  const Tenths left = box.place.left + size::box_pad, top = box.place.top + size::box_pad;
  if (before) {
    box.caption_place = {left, top, left + words, top + cells.y};
  } else {
    box.caption_place = {left, top, left + inner, top + above};
  }
  const Tenths cells_left = before ? left + words : left + (inner - cells.x) / 2;
  for (Cell& cell : box.cells) {
    cell.place = {cell.place.left + cells_left, cell.place.top + top + above, cell.place.right + cells_left,
                  cell.place.bottom + top + above};
  }
}

Tag::Kind tagKind(const TraceEvent& event) {
  const std::string how = wordOf(event.data, "how");
  if (event.kind == "started") return how == "restart" ? Tag::Kind::restart : Tag::Kind::start;
  if (event.kind == "stopped") {
    if (how == "kill") return Tag::Kind::kill;
    if (how == "power_loss") return Tag::Kind::power_loss;
    return how == "exit" ? Tag::Kind::exit : Tag::Kind::stop;
  }
  if (event.kind == "paused") return Tag::Kind::pause;
  if (event.kind == "resumed") return Tag::Kind::resume;
  if (event.kind == "wiped") return Tag::Kind::wiped;
  if (event.kind == "set") return Tag::Kind::set;
  return event.kind == "write_failed" ? Tag::Kind::write_failed : Tag::Kind::role;
}

std::string tagText(Tag::Kind kind, const TraceEvent& event, const PhraseBook& book) {
  const std::string reason = wordOf(event.data, "reason");
  switch (kind) {
    case Tag::Kind::role: return wordOf(event.data, "to");
    case Tag::Kind::start: return "";
    case Tag::Kind::restart: return book.form("restart");
    case Tag::Kind::stop: return book.form("stopped");
    case Tag::Kind::kill: return book.form("crash");
    case Tag::Kind::power_loss: return book.form("power loss");
    case Tag::Kind::exit:
      return reason.empty() ? book.form("exits")
                            : book.form("exits: {reason}", {{"reason", book.word(reason)}});
    case Tag::Kind::pause: return book.form("paused");
    case Tag::Kind::resume: return book.form("resumed");
    case Tag::Kind::wiped: return book.form("disk wiped");
    case Tag::Kind::set: return book.form("set by scenario");
    case Tag::Kind::write_failed: return book.form("write failed");
    case Tag::Kind::violated: return book.form("violated");
  }
  return "";
}

/// An invariant's name in lines of this width.
std::vector<std::string> brokenAtHyphens(const std::string& name, Tenths width_max) {
  std::vector<std::string> lines{""};
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t hyphen = name.find('-', begin);
    const std::size_t end = hyphen == std::string::npos ? name.size() : hyphen + 1;
    const std::string part = name.substr(begin, end - begin);
    if (!lines.back().empty() && textWidth(lines.back() + part, Face::bold, size::cell) > width_max)
      lines.emplace_back();
    lines.back() += part;
    begin = end;
  }
  for (std::string& line : lines) line = elide(line, Face::bold, size::cell, width_max);
  return lines;
}

/// Gives a tag its size, with its first line at this height; returns how much further down its last line is.
Tenths measureTag(Tag& tag, Tenths at) {
  const bool pill = tag.kind == Tag::Kind::role;
  const Face face = pill ? Face::sans : Face::bold;
  const Tenths letter_size = pill ? size::tag : size::cell;
  Tenths letters = textWidth(tag.text, face, letter_size);
  for (const std::string& line : tag.details) letters = std::max(letters, textWidth(line, face, letter_size));
  const Tenths more = static_cast<Tenths>(tag.details.size()) * size::tag_line;
  const Tenths width = tag.text.empty() ? 0 : letters + 70;
  tag.place = {0, at - size::tag_height / 2, width, at + size::tag_height / 2 + more};
  return more;
}

}  // namespace

Box shapeBox(const Json& picture, const Room& room, const std::set<std::string>& violated) {
  Box box;
  box.violated = violated.contains(wordOf(picture, "caption"));
  box.quorum = flagOf(picture, "quorum");
  box.caption = elideColumns(wordOf(picture, "caption"), room.caption);
  if (box.quorum && box.caption.empty()) box.caption = "quorum";
  if (box.violated) box.caption += sign_of_violation;
  for (const Json& cell : picture["cells"]) {
    Cell read = readCell(cell);
    read.violated = violated.contains(cell.is_object() ? wordOf(cell, "text") : read.text);
    if (read.violated) read.text += sign_of_violation;
    box.cells.push_back(std::move(read));
  }
  if (box.cells.size() > cells_max) {
    const std::size_t surplus = box.cells.size() - cells_max + 1;
    box.cells.erase(box.cells.begin(), box.cells.begin() + static_cast<std::ptrdiff_t>(surplus));
    box.cells.insert(box.cells.begin(), {'+' + std::to_string(surplus) + "…", Mark::omitted});
  }
  placeCells(box, room.box);
  return box;
}

/// How far down the step has been filled.
struct ShapeMaker::Draft {
  Tenths cursor = 0;
  bool taken = false;                ///< something is at the cursor
  bool sent = false;                 ///< the last element was a send
  std::optional<Tenths> tag;         ///< height of the last tag
  std::optional<Tenths> bare_start;  ///< height of a start without text
};

ShapeMaker::ShapeMaker(const Trace& trace, const Story& story, const LadderOptions& options, const Room& room)
    : trace_(trace), story_(story), options_(options), room_(room) {}

const Message* ShapeMaker::messageAt(std::size_t position) const {
  const std::optional<std::int64_t> number = numberOf(trace_.events[position].data, "message");
  const auto found = story_.message_of.find(static_cast<std::uint64_t>(number.value_or(-1)));
  return number && found != story_.message_of.end() ? &story_.messages[found->second] : nullptr;
}

std::string ShapeMaker::where(std::size_t position) const {
  const TraceEvent& event = trace_.events[position];
  std::string result = "event " + std::to_string(event.index) + ", " + std::to_string(event.time) + " ms";
  if (event.node) result += ", " + story_.title(*event.node);
  return result;
}

void ShapeMaker::addMainDot(const Step& step, StepShape& shape, Draft& draft) const {
  std::optional<std::size_t> main;
  bool arrival = false, lifeline = false, starts = false;
  for (const std::size_t position : step.events) {
    const TraceEvent& event = trace_.events[position];
    const Message* message = messageAt(position);
    const bool drawn = message != nullptr && message->drawn;
    if (event.kind == "delivered" && !arrival) {
      arrival = true;
      main = position;
    }
    if (event.kind == "lost" && drawn && message->waiting && !message->transmitted) draft.taken = true;
    if (story_.changesLifeline(trace_, position)) lifeline = true;
    if (drawn && (event.kind == "sent" || event.kind == "transmitted")) starts = true;
    if (!main && (story_.boxes.contains(position) || !event.text.empty())) main = position;
  }
  if (!main || (!arrival && (lifeline || starts))) return;
  const std::size_t position = *main;
  Dot dot;
  dot.kind = arrival ? Dot::Kind::step : Dot::Kind::minor;
  dot.id = 'e' + std::to_string(trace_.events[position].index);
  dot.lane = step.lane;
  dot.event = trace_.events[position].index;
  dot.tooltip = where(position) + ": " + clean(trace_.events[position].kind);
  const Message* message = messageAt(position);
  if (message != nullptr)
    dot.tooltip += " " + message->type + " " + message->label + " from " + message->from_name;
  shape.dots.push_back(std::move(dot));
  draft.taken = true;
}

void ShapeMaker::addTag(std::size_t position, const Step& step, StepShape& shape, Draft& draft) const {
  const TraceEvent& event = trace_.events[position];
  Tag tag;
  const auto turn = story_.turns.find(position);
  tag.kind = turn != story_.turns.end() ? Tag::Kind::role : tagKind(event);
  tag.text = tagText(tag.kind, event, *story_.book);
  if (turn != story_.turns.end()) {
    const auto& [to, names_role] = turn->second;
    tag.text = names_role || to.phase.empty() ? to.role : to.phase;
    if (names_role && !to.phase.empty())
      tag.details.push_back(elide(to.phase, Face::sans, size::tag, tag_width_max));
    tag.tone = to.tone;
  }
  tag.text = elide(tag.text, Face::sans, size::tag, tag_width_max);
  tag.lane = step.lane;
  tag.event = event.index;
  tag.tooltip = where(position) + ": " +
                (event.text.empty() ? clean(event.kind) + " " + tagText(tag.kind, event, *story_.book)
                                    : clean(event.text));
  if (draft.sent) draft.cursor += 100;
  const bool beside_start = tag.kind == Tag::Kind::role && draft.bare_start.has_value();
  if (draft.tag && !beside_start) draft.cursor = std::max(draft.cursor, *draft.tag + size::tag_step);
  const Tenths at = beside_start ? *draft.bare_start : draft.cursor;
  tag.mark.y = at;
  const Tenths more = measureTag(tag, at);
  draft.bare_start.reset();
  if (tag.kind == Tag::Kind::start) draft.bare_start = at;
  if (!tag.text.empty()) draft.tag = at + more;
  draft.taken = true;
  draft.sent = false;
  shape.tags.push_back(std::move(tag));
}

/// What was violated at this event, on its server's lifeline: in one line if that is short.
void ShapeMaker::addViolation(std::size_t position, const Step& step, StepShape& shape, Draft& draft) const {
  Tag tag;
  tag.kind = Tag::Kind::violated;
  const std::vector<std::string>& names = story_.violated.at(position);
  tag.tooltip = where(position) + ": violates";
  for (const std::string& name : names) tag.tooltip += (&name == &names.front() ? " " : ", ") + name;
  tag.text = story_.book->form("violates {name}", {{"name", names.front()}});
  if (names.size() > 1 || textWidth(tag.text, Face::bold, size::cell) > room_.violation) {
    tag.text = story_.book->form("violates");
    for (const std::string& name : names) {
      for (std::string& line : brokenAtHyphens(name, room_.violation)) tag.details.push_back(std::move(line));
    }
  }
  tag.lane = step.lane;
  tag.event = trace_.events[position].index;
  if (draft.taken) draft.cursor = std::max(draft.cursor, draft.tag.value_or(0)) + size::tag_step;
  tag.mark.y = draft.cursor;
  draft.tag = draft.cursor + measureTag(tag, draft.cursor);
  draft.taken = true;
  draft.sent = false;
  shape.tags.push_back(std::move(tag));
}

/// Everything sent from here on and before the lifeline changes, the nearest receiver first.
void ShapeMaker::addStarts(const Step& step, std::size_t from, StepShape& shape, Draft& draft) const {
  std::vector<std::pair<std::size_t, bool>> leaving;  // message, whether it waits
  std::vector<std::size_t> events;
  for (std::size_t i = from; i < step.events.size(); ++i) {
    const std::size_t position = step.events[i];
    const TraceEvent& event = trace_.events[position];
    if (story_.changesLifeline(trace_, position)) break;
    const Message* message = messageAt(position);
    if (message == nullptr || !message->drawn) continue;
    if (event.kind != "sent" && event.kind != "transmitted") continue;
    leaving.emplace_back(static_cast<std::size_t>(message - story_.messages.data()),
                         event.kind == "sent" && message->waiting);
    events.push_back(position);
  }
  std::vector<std::size_t> order(leaving.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(story_.messages[leaving[a].first].to - step.lane) <
           std::abs(story_.messages[leaving[b].first].to - step.lane);
  });
  for (const std::size_t i : order) {
    if (draft.taken) draft.cursor += size::send_step;
    draft.taken = draft.sent = true;
    const Message& message = story_.messages[leaving[i].first];
    const TraceEvent& event = trace_.events[events[i]];
    Dot dot;
    dot.kind = leaving[i].second ? Dot::Kind::waiting : Dot::Kind::send;
    dot.id = (event.kind == "sent" ? 's' : 't') + std::to_string(message.number);
    dot.lane = step.lane;
    dot.event = event.index;
    dot.at.y = draft.cursor;
    dot.tooltip = where(events[i]) + ": " + clean(event.kind) + " " + message.type + " " + message.label +
                  " to " + message.to_name + (leaving[i].second ? ", waits for a connection" : "");
    shape.starts.push_back({leaving[i].first, leaving[i].second, std::move(dot)});
  }
}

void ShapeMaker::addBox(std::size_t position, const Json& picture, const Step& step, StepShape& shape) const {
  const TraceEvent& event = trace_.events[position];
  const bool state = step.kind == Step::Kind::state;
  const auto& concerned = state ? story_.concerned_states : story_.concerned;
  const auto about = concerned.find(position);
  Box box = shapeBox(picture, room_, about == concerned.end() ? std::set<std::string>() : about->second);
  box.lane = step.lane;
  box.event = event.index;
  box.state = state;
  box.tooltip = state ? "state at " + std::to_string(event.time) + " ms"
                      : where(position) + ": " + (event.text.empty() ? clean(event.kind) : clean(event.text));
  Tenths at = 0;
  if (!shape.boxes.empty()) {
    at = shape.box_at.back() + shape.boxes.back().place.bottom + 40 - box.place.top;
  }
  shape.box_at.push_back(at);
  shape.boxes.push_back(std::move(box));
}

void ShapeMaker::measure(StepShape& shape) const {
  shape.up = shape.down = 45;
  const auto cover = [&](Tenths top, Tenths bottom) {
    shape.up = std::max(shape.up, -top);
    shape.down = std::max(shape.down, bottom);
  };
  for (const Dot& dot : shape.dots) cover(dot.at.y - 45, dot.at.y + 45);
  for (const Start& start : shape.starts) cover(start.dot.at.y - 45, start.dot.at.y + 45);
  for (const Start& start : shape.starts) {
    const bool lost =
        std::find(shape.losses.begin(), shape.losses.end(), start.message) != shape.losses.end();
    if (lost) cover(start.dot.at.y, start.dot.at.y + size::loss_drop + size::cross + 10);
  }
  for (const Tag& tag : shape.tags) cover(tag.place.top - 10, tag.place.bottom + 10);
  for (std::size_t i = 0; i < shape.boxes.size(); ++i) {
    cover(shape.box_at[i] + shape.boxes[i].place.top - 18,
          shape.box_at[i] + shape.boxes[i].place.bottom + 18);
  }
}

StepShape ShapeMaker::make(const Step& step) const {
  StepShape shape;
  Draft draft;
  if (step.kind == Step::Kind::fold || step.kind == Step::Kind::verdict) return shape;
  if (step.kind == Step::Kind::state) {
    addBox(step.events.front(), step.picture, step, shape);
    measure(shape);
    return shape;
  }
  if (step.lane >= 0) addMainDot(step, shape, draft);
  bool started = false;
  for (std::size_t i = 0; i < step.events.size(); ++i) {
    const std::size_t position = step.events[i];
    const TraceEvent& event = trace_.events[position];
    const Message* message = messageAt(position);
    if (step.lane >= 0 && story_.changesLifeline(trace_, position)) {
      addTag(position, step, shape, draft);
      started = false;
    }
    if (step.lane >= 0 && story_.boxes.contains(position)) addBox(position, *pictureOf(event), step, shape);
    if (step.lane >= 0 && story_.violated.contains(position)) addViolation(position, step, shape, draft);
    if (message == nullptr || !message->drawn) continue;
    const auto number = static_cast<std::size_t>(message - story_.messages.data());
    if (event.kind == "delivered" && message->end == position && !shape.dots.empty()) {
      shape.ends.emplace_back(number, shape.dots.front().id);
    }
    if (event.kind == "lost" && message->end == position) shape.losses.push_back(number);
    if (event.kind != "sent" && event.kind != "transmitted") continue;
    if (!started) addStarts(step, i, shape, draft);
    started = true;
  }
  if (room_.stacked && draft.tag && !shape.boxes.empty()) {
    const Tenths below = *draft.tag + size::tag_height / 2 + 30;
    const Tenths by = std::max(below - shape.box_at.front() - shape.boxes.front().place.top, 0);
    for (Tenths& at : shape.box_at) at += by;
  }
  measure(shape);
  return shape;
}

}  // namespace zablab::viz
