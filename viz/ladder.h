// A space-time ladder of a trace: time runs down, one lane per server, messages as arrows. The layout is a
// pure step from a trace to a picture that no renderer has to measure again: every element has its place in
// tenths of a point (y grows downwards) and, for renderers of text, its row. It knows no protocol: roles are
// coloured by the tones of the header's `roles`, boxes are an event's `picture`, narration is an event's
// `text`, labels are a message's `label`.
//
// Invariants of every Ladder:
//  1. Elements that belong to an event carry its index; messages carry their number.
//  2. A message's arrow starts above its end.
//  3. No two of: box, tag, label, caption, node name, cross overlap; no two narrations overlap.
//  4. What was left out (folded, filtered, cut off, no room) is counted in words in `subtitle` or `banners`.
//  5. A text that is cut ends in an ellipsis, and its tooltip has all of it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/trace.h"
#include "viz/lettering.h"
#include "viz/phrases.h"

namespace zablab::viz {

enum class RowMode {
  event,   ///< a row per step; unrelated steps of one instant share a row
  causal,  ///< a row per causal depth
  time,    ///< as `event`, and the distance of rows grows with the time between them
};

enum class Theme { light, dark };

/// How much of a run is drawn.
enum class Detail {
  full,     ///< everything
  story,    ///< what the result depends on: changes of roles and logs, and the header's `milestones`; what is
            ///< repeated becomes a count, and all servers' states are drawn together after a crash or a
            ///< milestone of `state_rows`
  outline,  ///< as `story`, without messages
};

/// What of a run is drawn on the lanes.
enum class View {
  ladder,    ///< messages and what they do
  election,  ///< ballot boxes and votes, while servers look for a leader
  log,       ///< all servers' logs side by side, whenever one changes
};

/// The beginning or end of a window of the trace.
struct Bound {
  enum class Unit { event, time_ms } unit = Unit::event;
  std::int64_t value = 0;
};

/// What is drawn above and below the rows.
struct Around {
  std::string title;    ///< empty: the trace's
  bool result = true;   ///< the result, and how the run was made
  bool reading = true;  ///< how to read the rows, and what is not drawn
  bool window = true;   ///< how to see what is outside the window
  bool legend = true;   ///< false: its entries have no place
};

struct LadderOptions {
  RowMode rows = RowMode::event;
  Detail detail = Detail::full;
  View view = View::ladder;
  std::optional<Bound> from;     ///< inclusive
  std::optional<Bound> to;       ///< inclusive
  std::set<std::int64_t> nodes;  ///< lanes to draw; empty: all
  std::set<std::string> kinds;   ///< kinds of events to draw; empty: all. `sent` stands for whole messages
  bool fold_heartbeats = true;   ///< types named by the header's `heartbeats`, and those of the next field
  std::set<std::string> heartbeats;  ///< further message types to fold
  bool self_messages = false;        ///< draw what a server sends to itself
  int page_rows = 400;               ///< rows of one picture; 0: no limit
  Tenths width =
      0;  ///< width of the picture, if it can be kept without covering anything; 0: as is comfortable
  Theme theme = Theme::light;
  const PhraseBook* book = &englishPhrases();  ///< of layOut's words, and of what the trace says
  Around around;
};

struct Point {
  Tenths x = 0, y = 0;
  bool operator==(const Point&) const = default;
};

struct Rect {
  Tenths left = 0, top = 0, right = 0, bottom = 0;
  Tenths width() const { return right - left; }
  Tenths height() const { return bottom - top; }
  Point centre() const { return {(left + right) / 2, (top + bottom) / 2}; }
  bool overlaps(const Rect& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
  bool operator==(const Rect&) const = default;
};

inline Rect around(Point centre, Tenths half_width, Tenths half_height) {
  return {centre.x - half_width, centre.y - half_height, centre.x + half_width, centre.y + half_height};
}

/// The appearance of a role, not the role itself: the header defines which role or phase has which tone.
enum class Tone { seeking, leading, following, observing, syncing, other, client, unknown, down, absent };

struct Lane {
  std::int64_t node = 0;
  std::string name;
  std::string kind;
  std::string absence;  ///< `not started` or `down`; empty if it runs at some time of the picture
  Tenths x = 0;

  bool isClient() const { return kind == "client"; }
  /// Shown at the name: its kind, unless it is the usual one or the name contains it, and its absence.
  std::string note() const {
    const bool plain = kind.empty() || kind == "voter" || name.find(kind) != std::string::npos;
    return (plain ? "" : kind) + (plain || absence.empty() ? "" : ", ") + absence;
  }
  /// Its name in tooltips.
  std::string title() const { return isClient() ? name : "server " + name; }
};

/// The names of the lanes, on top and again at intervals.
struct Heads {
  int row = 0;  ///< they are above this row
  std::vector<Rect> places;
};

struct Row {
  Tenths y = 0;
  std::uint64_t number = 0;  ///< index of its first event: drawn next to it, and accepted by `--from`
  std::int64_t time = 0;
  bool new_time = false;    ///< its time is to be shown, because it is not that of the row above
  Tenths shortened_at = 0;  ///< RowMode::time: height of the middle of a pause that is not to scale; 0: it is
  std::int64_t pause = 0;   ///< that pause
};

struct Narration {
  enum class Kind { plain, note, fold, violation } kind = Kind::plain;
  int row = 0;
  std::uint64_t event = 0;
  std::int64_t time = 0;
  int note = 0;                    ///< its number among the notes below the rows; 0: it is beside its row
  std::vector<std::string> lines;  ///< wrapped for the picture
  std::string full;
  Rect place;
  Rect number_place;  ///< of a note's number, at its row
};

/// A stretch of a lifeline.
struct Band {
  std::string id;
  int lane = 0;
  Tone tone = Tone::unknown;
  bool paused = false;
  std::string role;
  std::string phase;               ///< of the role, if it has its own tone
  Tone role_tone = Tone::unknown;  ///< that of the role itself
  int row_from = 0, row_to = 0;
  Tenths top = 0, bottom = 0;
  std::string tooltip;
};

/// Text at a lifeline, with a mark on it.
struct Tag {
  enum class Kind {
    role,
    start,
    restart,
    stop,
    kill,
    power_loss,
    exit,
    pause,
    resume,
    wiped,
    set,
    write_failed,
    violated
  };
  Kind kind = Kind::role;
  int lane = 0, row = 0;
  std::uint64_t event = 0;
  std::string text;                  ///< empty: the mark alone
  std::vector<std::string> details;  ///< further lines
  Tone tone = Tone::other;
  Point mark;
  Rect place;
  std::string tooltip;
};

/// A point on a lifeline where something happened.
struct Dot {
  enum class Kind { step, send, waiting, minor } kind = Kind::step;
  std::string id;
  int lane = 0, row = 0;
  std::uint64_t event = 0;
  Point at;
  std::string tooltip;
};

struct Arrow {
  enum class Fate {
    delivered,
    lost,
    under_way,    ///< when the run ended
    leaves_page,  ///< arrives, or is lost, after the last row
  };
  std::uint64_t message = 0;
  Fate fate = Fate::delivered;
  int from = 0, to = 0;  ///< lanes
  int row_sent = -1;     ///< where it was sent; -1: above the first row
  int row_from = -1,
      row_to = 0;  ///< where it was transmitted and where it arrives or is lost; -1: above the first row
  std::string from_dot, to_dot;  ///< ids of dots; empty where the end is no dot
  Point start, end;
  std::string type, label;
  int type_number = 0;  ///< of the group that its type belongs to: those of the header, then as they occur
  bool waited = false;  ///< it waited for a connection
  bool left = true;     ///< whether it was transmitted at all
  bool again = false, copy = false;
  std::string reason;  ///< of a loss
  std::optional<std::uint64_t> sent_event, end_event;
  std::optional<Rect> label_place;
  std::optional<Rect> caption_place;  ///< of `caption`
  std::string caption;
  std::optional<std::pair<Point, Point>> wait;  ///< from where it was sent to where it left
  std::string tooltip;
};

enum class Mark { plain, counted, empty, proposed, durable, committed, gone, omitted };

/// The text after a cell's own text, so that its mark is also visible without colour.
const char* signOf(Mark mark);
/// The same for what a violation is about; it follows the mark.
inline constexpr const char* sign_of_violation = "!";

struct Cell {
  std::string text;
  Mark mark = Mark::plain;
  Rect place;
  bool violated = false;  ///< what was violated is about it
};

struct Box {
  int lane = 0, row = 0;
  std::uint64_t event = 0;
  std::vector<Cell> cells;
  bool quorum = false;
  bool state = false;     ///< not of the event itself: a state at its time
  bool violated = false;  ///< what was violated is about the votes in it
  std::string caption;
  Rect caption_place;
  Rect place;
  std::optional<std::pair<Point, Point>> tie;  ///< a line from the lifeline to a box that is at a distance
  std::string tooltip;
};

/// The lanes of one side of a partition while it lasts, or the lanes that a partial cut touches.
struct Shade {
  std::string id;
  std::uint64_t event = 0;
  int side = 0;  ///< sides are counted from 0; -1: no side, some links are cut
  int lane_from = 0, lane_to = 0;
  int row_from = 0, row_to = 0;
  std::string text;  ///< in the first block of a side
  Rect place;
  std::optional<Rect> text_place;
  std::string tooltip;
};

/// A sentence of the run's result: from the header's `answer`, or what was violated.
struct AnswerLine {
  bool violated = false;
  std::vector<std::string> lines;  ///< wrapped for the picture
  std::string full;
  Rect place;
};

/// Something that concerns the whole picture: a cut, a healing, messages held back.
struct Divider {
  int row = 0;
  std::uint64_t event = 0;
  std::string kind;
  std::string text;
  Tenths y = 0;
  std::optional<Rect> place;
};

struct LegendEntry {
  enum class Kind {
    tone,
    paused,
    message,
    lost,
    waited,
    under_way,
    crash,
    start,
    counted,
    empty,
    proposed,
    durable,
    committed,
    gone,
    violated,
    quorum,
    partition,
    words
  };
  Kind kind = Kind::words;
  Tone tone = Tone::other;
  int type_number = 0;
  std::string text;
  Rect place;  ///< of the sample and the text
};

/// Width of the sample before a legend's text.
Tenths sampleWidth(LegendEntry::Kind kind);

struct Ladder {
  Theme theme = Theme::light;
  RowMode mode = RowMode::event;
  Detail detail = Detail::full;
  View view = View::ladder;
  std::string title;
  std::string about;                                     ///< what the scenario says of the run
  std::vector<std::string> title_lines;                  ///< wrapped for the picture
  std::vector<std::string> causes;                       ///< lines: why, and the times without a leader
  std::vector<std::string> subtitle;                     ///< lines
  std::vector<std::string> banners_top, banners_bottom;  ///< what is outside the picture, and how to see it
  std::vector<Rect> banner_places;                       ///< of the top ones, then of the bottom ones
  Rect title_place;
  std::vector<AnswerLine> answer;
  std::vector<Rect> cause_places;
  std::vector<Rect> subtitle_places;
  std::vector<Lane> lanes;
  std::vector<Heads> heads;
  std::vector<Row> rows;
  std::vector<Narration> narration;
  std::vector<Band> bands;
  std::vector<Tag> tags;
  std::vector<Dot> dots;
  std::vector<Arrow> arrows;
  std::vector<Box> boxes;
  std::vector<Shade> shades;
  std::vector<Divider> dividers;
  std::vector<LegendEntry> legend;
  Tenths number_right = 0;  ///< right edge of the column of row numbers; 0: they are not drawn
  Tenths time_right = 0;    ///< of the column of times
  std::optional<std::uint64_t> next_event;  ///< the first event of the first row that did not fit
  Tenths lanes_left = 0, lanes_right = 0;
  Tenths rows_top = 0, rows_bottom = 0;
  Tenths width = 0, height = 0;
};

Ladder layOut(const Trace& trace, const LadderOptions& options);

}  // namespace zablab::viz
