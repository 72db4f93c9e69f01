#include "viz/furniture.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "viz/explain.h"
#include "viz/outages.h"
#include "viz/palette.h"
#include "viz/place.h"
#include "viz/shape.h"

namespace zablab::viz {
namespace {

constexpr std::size_t title_lines_max = 3, subtitle_lines_max = 4, note_lines_max = 8;
constexpr Tenths subtitle_height = 135;
constexpr Tenths banner_height = 180, banner_step = 210;
constexpr Tenths legend_step = 200;

/// A pattern with a number, and the one for the number 1.
template <class Count>
std::string counted(const PhraseBook& book, Count count, std::string_view one, std::string_view many) {
  return book.form(count == 1 ? one : many, {{"count", std::to_string(count)}});
}

void append(std::string& line, const std::string& part) {
  if (part.empty()) return;
  if (!line.empty()) line += "  ·  ";
  line += part;
}

std::string runWords(const Json& header, const PhraseBook& book) {
  std::string line;
  const std::string protocol = wordOf(header, "protocol"), variant = wordOf(header, "variant");
  append(line, protocol + (protocol.empty() || variant.empty() ? "" : " ") + variant);
  const std::string seed = wordOf(header, "seed");
  append(line, seed.empty() ? "" : book.form("seed {seed}", {{"seed", seed}}));
  const std::string rules = textsIn(header, "rules");
  append(line, rules.empty() ? "" : book.form("rules {rules}", {{"rules", rules}}));
  const std::string mutations = textsIn(header, "mutations");
  append(line, mutations.empty() ? "" : book.form("mutations {mutations}", {{"mutations", mutations}}));
  const std::string end = wordOf(header, "end");
  append(line, end.empty() ? "" : book.form("run ended at {time} ms", {{"time", end}}));
  return line;
}

/// The run's result: what the header says, and what was violated.
std::vector<AnswerLine> answerLines(const Trace& trace, const PhraseBook& book, Tenths width) {
  std::vector<AnswerLine> result;
  const auto add = [&](const std::string& text, bool violated) {
    AnswerLine line{violated, wrap(text, Face::bold, size::answer, width, 3), text, {}};
    if (!text.empty()) result.push_back(std::move(line));
  };
  for (const std::string& sentence : resultOf(trace)) add(sentence, false);
  for (const TraceVerdict& verdict : trace.verdicts) {
    if (verdict.verdict != "violated") continue;
    const std::string what = book.form("{name} is violated", {{"name", clean(verdict.name)}});
    add(verdict.text.empty() ? what : what + ": " + clean(verdict.text), true);
  }
  return result;
}

/// What the first violation or lost write needed, and how long nobody led.
std::vector<std::string> causesOf(const Trace& trace, const PhraseBook& book) {
  std::vector<std::string> lines;
  std::istringstream why(whysOf(trace, book));
  for (std::string line; std::getline(why, line);) {
    // The lines of a violation have their time behind at least four columns, what is violated has two.
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == 2 && line[begin] != '*' && !lines.empty()) break;
    lines.push_back(line.substr(begin));
  }
  for (std::string& line : outageLines(trace, book)) lines.push_back(std::move(line));
  return lines;
}

/// How to read the rows, and what is not drawn.
std::string readingWords(const Story& story, const LadderOptions& options, const PhraseBook& book) {
  const RowMode mode = options.rows;
  std::string line =
      mode == RowMode::event    ? book.form("a row per step, in the order of the run; rows are not to scale")
      : mode == RowMode::causal ? book.form("rows by causal depth: only arrows and lanes give an order")
                                : book.form("rows by time, close ones pulled apart, long pauses shortened");
  const LeftOut& out = story.left_out;
  if (out.to_self > 0)
    append(line, counted(book, out.to_self, "{count} message to oneself not drawn (--self)",
                         "{count} messages to oneself not drawn (--self)"));
  if (out.heartbeats == 0) {
    // nothing is left out
  } else if (options.view != View::ladder) {
    append(line, counted(book, out.heartbeats, "{count} message not drawn (--view ladder)",
                         "{count} messages not drawn (--view ladder)"));
  } else if (options.detail == Detail::story) {
    append(line,
           counted(book, out.heartbeats, "{count} message of lesser importance not drawn (--detail full)",
                   "{count} messages of lesser importance not drawn (--detail full)"));
  } else if (options.detail != Detail::full) {
    append(line, counted(book, out.heartbeats, "{count} message not drawn (--detail full)",
                         "{count} messages not drawn (--detail full)"));
  } else {
    std::string types;
    for (const std::string& type : out.heartbeat_types) types += (types.empty() ? "" : ", ") + type;
    append(line, book.form(out.heartbeats == 1 ? "{count} {types} message folded (--no-fold)"
                                               : "{count} {types} messages folded (--no-fold)",
                           {{"count", std::to_string(out.heartbeats)}, {"types", types}}));
  }
  if (out.of_hidden_servers > 0)
    append(line, counted(book, out.of_hidden_servers, "{count} message of other servers (--nodes)",
                         "{count} messages of other servers (--nodes)"));
  if (out.of_hidden_kinds > 0)
    append(line, counted(book, out.of_hidden_kinds, "{count} message of other kinds (--kinds)",
                         "{count} messages of other kinds (--kinds)"));
  if (out.across_window > 0)
    append(line,
           counted(book, out.across_window, "{count} message passing by", "{count} messages passing by"));
  return line;
}

void addBanners(const Trace& trace, const Story& story, const RowPlan& plan, const LadderOptions& options,
                const PhraseBook& book, Ladder& ladder) {
  if (!options.around.window) return;
  const LeftOut& out = story.left_out;
  if (out.events_before > 0) {
    ladder.banners_top.push_back(counted(book, out.events_before,
                                         "{count} event before this window not drawn: --from 0 shows it",
                                         "{count} events before this window not drawn: --from 0 shows them"));
  }
  if (plan.next_step) {
    const PhraseBook::Fields fields{{"count", std::to_string(plan.rows.size())},
                                    {"all", std::to_string(plan.rows_in_all)},
                                    {"event", std::to_string(*ladder.next_event)}};
    ladder.banners_bottom.push_back(
        options.rows == RowMode::causal
            ? book.form("{count} of {all} rows drawn; more with a larger --page (or --page 0 for all)",
                        fields)
            : book.form(
                  "{count} of {all} rows drawn; the rest begins with --from {event} (or --page 0 for all "
                  "on one page)",
                  fields));
  }
  if (out.events_after > 0) {
    const PhraseBook::Fields fields{{"count", std::to_string(out.events_after)},
                                    {"event", std::to_string(trace.events[story.window_end].index)}};
    ladder.banners_bottom.push_back(
        out.events_after == 1
            ? book.form("{count} event after this window not drawn: --from {event} shows it", fields)
            : book.form("{count} events after this window not drawn: --from {event} shows them", fields));
  }
}

// ---- legend

/// One of the header's maps from words to words.
std::map<std::string, std::string> wordsIn(const Json& header, const char* key) {
  std::map<std::string, std::string> words;
  if (!header.is_object() || !header.contains(key) || !header[key].is_object()) return words;
  for (const auto& [word, meaning] : header[key].items()) {
    if (meaning.is_string()) words[clean(word)] = clean(meaning.get<std::string>());
  }
  return words;
}

class Legend {
 public:
  Legend(const Trace& trace, const Ladder& ladder, const PhraseBook& book)
      : trace_(trace), ladder_(ladder), book_(book) {}

  std::vector<LegendEntry> entries() {
    addLifelines();
    addMessages();
    addBoxes();
    if (!ladder_.shades.empty()) add(LegendEntry::Kind::partition, book_.form("links cut"));
    const std::string label = wordOf(trace_.header, "label");
    if (!label.empty() && hasLabelLike(label) && ladder_.detail == Detail::full)
      add(LegendEntry::Kind::words, book_.form("label = {label}", {{"label", book_.word(label)}}));
    return std::move(entries_);
  }

 private:
  /// A label in parentheses is explained only if a message has one.
  bool hasLabelLike(const std::string& label) const {
    return std::any_of(ladder_.arrows.begin(), ladder_.arrows.end(), [&](const Arrow& arrow) {
      return label.front() != '(' || arrow.label.find('(') != std::string::npos;
    });
  }

  bool hasCellWith(const std::string& end) const {
    return std::any_of(ladder_.boxes.begin(), ladder_.boxes.end(), [&](const Box& box) {
      return std::any_of(box.cells.begin(), box.cells.end(),
                         [&](const Cell& cell) { return cell.text.ends_with(end); });
    });
  }

  void add(LegendEntry::Kind kind, const std::string& text, Tone tone = Tone::other, int type = 0) {
    entries_.push_back({kind, tone, type, elideColumns(text, 80)});
  }

  void addLifelines() {
    std::set<std::pair<Tone, std::string>> roles;
    bool paused = false;
    for (const Band& band : ladder_.bands) {
      if (band.tone == Tone::absent || band.tone == Tone::unknown || band.tone == Tone::client) continue;
      roles.emplace(band.tone, band.phase.empty() ? band.role : toneName(band.tone));
      paused = paused || band.paused;
    }
    for (const auto& [tone, role] : roles) add(LegendEntry::Kind::tone, role, tone);
    if (paused) add(LegendEntry::Kind::paused, book_.form("paused"));
    const auto has = [&](Tag::Kind kind) {
      return std::any_of(ladder_.tags.begin(), ladder_.tags.end(),
                         [=](const Tag& tag) { return tag.kind == kind; });
    };
    if (has(Tag::Kind::kill) || has(Tag::Kind::power_loss)) {
      add(LegendEntry::Kind::crash,
          has(Tag::Kind::power_loss) ? book_.form("crash, power loss") : book_.form("crash"));
    }
    if (has(Tag::Kind::restart)) add(LegendEntry::Kind::start, book_.form("restart"));
  }

  void addMessages() {
    std::map<int, std::vector<std::string>> types;
    bool lost = false, waited = false, under_way = false;
    for (const Arrow& arrow : ladder_.arrows) {
      auto& same_colour = types[arrow.type_number];
      if (!arrow.type.empty() &&
          std::find(same_colour.begin(), same_colour.end(), arrow.type) == same_colour.end())
        same_colour.push_back(arrow.type);
      lost = lost || arrow.fate == Arrow::Fate::lost;
      waited = waited || arrow.wait.has_value();
      under_way = under_way || arrow.fate == Arrow::Fate::under_way || arrow.fate == Arrow::Fate::leaves_page;
    }
    for (const auto& [number, names] : types) {
      std::string text;
      for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
      if (!text.empty()) add(LegendEntry::Kind::message, text, Tone::other, number);
    }
    if (lost) add(LegendEntry::Kind::lost, book_.form("lost"));
    if (waited) add(LegendEntry::Kind::waited, book_.form("waits for a connection"));
    if (under_way) add(LegendEntry::Kind::under_way, book_.form("under way at the end"));
  }

  void addBoxes() {
    std::set<Mark> marks;
    bool quorum = false, violated = false;
    for (const Box& box : ladder_.boxes) {
      quorum = quorum || box.quorum;
      violated = violated || box.violated;
      for (const Cell& cell : box.cells) {
        marks.insert(cell.mark);
        violated = violated || cell.violated;
      }
    }
    if (marks.contains(Mark::counted)) add(LegendEntry::Kind::counted, book_.form("counted"));
    if (marks.contains(Mark::empty)) add(LegendEntry::Kind::empty, book_.form("nothing heard yet"));
    if (marks.contains(Mark::proposed))
      add(LegendEntry::Kind::proposed, book_.form("logged, not durable yet"));
    if (marks.contains(Mark::durable)) add(LegendEntry::Kind::durable, book_.form("durable"));
    if (marks.contains(Mark::committed)) add(LegendEntry::Kind::committed, book_.form("committed"));
    if (marks.contains(Mark::gone)) add(LegendEntry::Kind::gone, book_.form("gone"));
    if (quorum) add(LegendEntry::Kind::quorum, book_.form("quorum"));
    for (const auto& [word, meaning] : wordsIn(trace_.header, "cell_words")) {
      if (hasCellWith(' ' + word)) add(LegendEntry::Kind::words, word + " = " + book_.word(meaning));
    }
    if (violated) add(LegendEntry::Kind::violated, book_.form("named by the violation"));
  }

  const Trace& trace_;
  const Ladder& ladder_;
  const PhraseBook& book_;
  std::vector<LegendEntry> entries_;
};

/// Writes the legend's entries side by side from this height on; returns the height below them.
Tenths lineUp(Ladder& ladder, Tenths y) {
  Tenths x = size::margin;
  for (LegendEntry& entry : ladder.legend) {
    const Tenths sample = sampleWidth(entry.kind);
    const Tenths width = sample + (sample > 0 ? 60 : 0) + textWidth(entry.text, Face::sans, size::text) + 60;
    if (x > size::margin && x + width > ladder.width - size::margin) {
      x = size::margin;
      y += legend_step;
    }
    entry.place = {x, y, x + width, y + 150};
    x += width + 160;
  }
  return ladder.legend.empty() ? y : y + legend_step;
}

/// Narration that has no room beside the rows.
void placeNotes(Ladder& ladder, Tenths& y) {
  const Tenths left = size::margin + 300, right = ladder.width - size::margin;
  bool any = false;
  for (Narration& entry : ladder.narration) {
    if (entry.note == 0) continue;
    any = true;
    const Face face = entry.kind == Narration::Kind::violation ? Face::bold : Face::sans;
    entry.lines = wrap(entry.full, face, size::text, right - left, note_lines_max);
    entry.place = {left, y, right, y + static_cast<Tenths>(entry.lines.size()) * size::line};
    y = entry.place.bottom + 25;
  }
  if (any) y += 60;
}

void placeBanner(std::string& line, Tenths& y, Ladder& ladder) {
  const Tenths left = size::margin, right = ladder.width - size::margin;
  line = elide(line, Face::sans, size::text, right - left - 100);
  ladder.banner_places.push_back({left, y, right, y + banner_height});
  y += banner_step;
}

}  // namespace

Tenths sampleWidth(LegendEntry::Kind kind) {
  switch (kind) {
    case LegendEntry::Kind::words: return 0;
    case LegendEntry::Kind::tone:
    case LegendEntry::Kind::paused:
    case LegendEntry::Kind::crash: return 160;
    case LegendEntry::Kind::start:
    case LegendEntry::Kind::counted:
    case LegendEntry::Kind::empty:
    case LegendEntry::Kind::proposed:
    case LegendEntry::Kind::durable:
    case LegendEntry::Kind::committed:
    case LegendEntry::Kind::gone:
    case LegendEntry::Kind::violated:
    case LegendEntry::Kind::quorum:
    case LegendEntry::Kind::partition: return 240;
    default: return 320;
  }
}

Tenths placeTop(const Trace& trace, const Story& story, const RowPlan& plan, const LadderOptions& options,
                Ladder& ladder) {
  const PhraseBook& book = *options.book;
  const Tenths left = size::margin, right = ladder.width - size::margin, inner = right - left;
  ladder.title = options.around.title.empty() ? wordOf(trace.header, "title") : options.around.title;
  if (ladder.title.empty()) ladder.title = book.form("a run without a title");
  ladder.about = wordOf(trace.scenario, "about");
  ladder.title_lines = wrap(ladder.title, Face::bold, size::title, inner, title_lines_max);
  const Tenths title_bottom =
      size::margin + 20 + static_cast<Tenths>(ladder.title_lines.size()) * size::title_line;
  ladder.title_place = {left, size::margin, right, title_bottom};
  Tenths y = ladder.title_place.bottom;
  if (options.around.result) ladder.answer = answerLines(trace, book, inner);
  for (AnswerLine& answer : ladder.answer) {
    answer.place = {left, y, right, y + static_cast<Tenths>(answer.lines.size()) * size::answer_line};
    y = answer.place.bottom;
  }
  if (!ladder.answer.empty()) y += 50;
  const auto add = [&](const std::string& line, std::vector<std::string>& lines, std::vector<Rect>& places) {
    for (std::string& part : wrap(line, Face::sans, size::text, inner, subtitle_lines_max)) {
      lines.push_back(std::move(part));
      places.push_back({left, y, right, y + subtitle_height});
      y += subtitle_height;
    }
  };
  if (options.around.result) {
    for (const std::string& line : causesOf(trace, book)) add(line, ladder.causes, ladder.cause_places);
    if (!ladder.causes.empty()) y += 50;
    add(runWords(trace.header, book), ladder.subtitle, ladder.subtitle_places);
  }
  if (options.around.reading)
    add(readingWords(story, options, book), ladder.subtitle, ladder.subtitle_places);
  y += 60;
  addBanners(trace, story, plan, options, book, ladder);
  for (std::string& line : ladder.banners_top) placeBanner(line, y, ladder);
  const bool notes = std::any_of(story.lanes.begin(), story.lanes.end(),
                                 [](const Lane& lane) { return !lane.note().empty(); });
  return y + 330 + (notes ? 110 : 0);
}

void placeLegend(Ladder& ladder) {
  ladder.height = lineUp(ladder, ladder.height - size::margin + 60) + size::margin - 60;
}

void placeBelow(const Trace& trace, const Story& story, const RowPlan& plan, const LadderOptions& options,
                Ladder& ladder) {
  const PhraseBook& book = *options.book;
  const int hidden = labelsWithoutRoom(ladder);
  if (hidden > 0) {
    ladder.banners_bottom.push_back(counted(book, hidden,
                                            "{count} label did not fit and is only in a tooltip",
                                            "{count} labels did not fit and are only in tooltips"));
  }
  if (plan.rows.empty()) {
    ladder.banners_bottom.push_back(story.lanes.empty() ? book.form("no server to draw")
                                                        : book.form("nothing to draw in this window"));
  }
  Tenths y = ladder.rows_bottom + 160;
  placeNotes(ladder, y);
  for (std::string& line : ladder.banners_bottom) placeBanner(line, y, ladder);
  ladder.legend = Legend(trace, ladder, book).entries();
  ladder.height = y + size::margin - 60;
  if (options.around.legend) placeLegend(ladder);
}

}  // namespace zablab::viz
