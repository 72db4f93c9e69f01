#include "viz/text.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "viz/rows.h"

namespace zablab::viz {
namespace {

constexpr int columns_min = 60;

enum class Ink { plain, dim, bold, seeking, leading, following, observing, syncing, loss, quorum, cut };

const char* escapeOf(Ink ink) {
  switch (ink) {
    case Ink::plain: return "0";
    case Ink::dim: return "2";
    case Ink::bold: return "1";
    case Ink::seeking: return "33";
    case Ink::leading: return "1;34";
    case Ink::following: return "36";
    case Ink::observing: return "32";
    case Ink::syncing: return "2;36";
    case Ink::loss: return "31";
    case Ink::quorum: return "1;32";
    case Ink::cut: return "35";
  }
  return "0";
}

Ink inkOf(Tone tone) {
  switch (tone) {
    case Tone::seeking: return Ink::seeking;
    case Tone::leading: return Ink::leading;
    case Tone::following: return Ink::following;
    case Tone::observing: return Ink::observing;
    case Tone::syncing: return Ink::syncing;
    case Tone::client:
    case Tone::down: return Ink::dim;
    default: return Ink::plain;
  }
}

/// The characters of a picture, in both alphabets.
struct Signs {
  const char *arrival, *departure, *line, *right, *left, *cross, *crash, *rule, *to, *start, *stop, *crossing;
};

const Signs unicode_signs = {"●", "○", "─", "▶", "◀", "✕", "✖", "╌", "→", "┬", "■", "┼"};
const Signs ascii_signs = {"*", "o", "-", ">", "<", "x", "X", "-", "->", "+", "#", "+"};

std::string inAscii(const std::string& text) {
  static const std::map<std::uint32_t, std::string> known = {{0x2192, "->"}, {0x2194, "<->"}, {0x2026, "..."},
                                                             {0x2713, "+"},  {0x2717, "x"},   {0xD7, "x"},
                                                             {0xB7, "-"},    {0x25A0, "="},   {0x25A1, "~"}};
  std::string result;
  for (const std::uint32_t code_point : codePoints(text)) {
    const auto found = known.find(code_point);
    if (code_point < 0x80)
      result += static_cast<char>(code_point);
    else
      result += found == known.end() ? "?" : found->second;
  }
  return result;
}

/// Lines of characters, each with its ink.
class Page {
 public:
  explicit Page(int width) : width_(static_cast<std::size_t>(width)) {}

  int lines() const { return static_cast<int>(letters_.size()); }
  void atLeast(int lines) {
    while (this->lines() < lines) letters_.emplace_back(width_);
  }

  void put(int line, int column, const std::string& text, Ink ink) {
    atLeast(line + 1);
    for (const std::uint32_t code_point : codePoints(text)) {
      const std::string letter = utf8(code_point);
      const int wide = columns(letter);
      if (column < 0 || column + std::max(wide, 1) > static_cast<int>(width_)) return;
      if (wide == 0) {
        if (column > 0) at(line, column - 1).letter += letter;
        continue;
      }
      at(line, column) = {letter, ink, true};
      for (int i = 1; i < wide; ++i) at(line, column + i) = {"", ink, true};
      column += wide;
    }
  }

  /// True when nothing was put on these columns, both ends included.
  bool isFree(int line, int from, int to) const {
    if (line >= lines()) return true;
    for (int column = std::max(from, 0); column <= std::min(to, static_cast<int>(width_) - 1); ++column) {
      if (letters_[static_cast<std::size_t>(line)][static_cast<std::size_t>(column)].used) return false;
    }
    return true;
  }

  void write(std::string& out, bool colour) const {
    for (const std::vector<Letter>& line : letters_) {
      std::size_t end = line.size();
      while (end > 0 && line[end - 1].letter == " ") --end;
      Ink ink = Ink::plain;
      for (std::size_t i = 0; i < end; ++i) {
        if (colour && line[i].ink != ink) {
          out += std::string("\033[0m") +
                 (line[i].ink == Ink::plain ? "" : "\033[" + std::string(escapeOf(line[i].ink)) + "m");
          ink = line[i].ink;
        }
        out += line[i].letter;
      }
      if (ink != Ink::plain) out += "\033[0m";
      out += '\n';
    }
  }

 private:
  struct Letter {
    std::string letter = " ";
    Ink ink = Ink::plain;
    bool used = false;
  };
  Letter& at(int line, int column) {
    return letters_[static_cast<std::size_t>(line)][static_cast<std::size_t>(column)];
  }
  std::size_t width_;
  std::vector<std::vector<Letter>> letters_;
};

/// An element within one lane, right of the lifeline.
struct Token {
  std::string text;
  Ink ink = Ink::plain;
  const char* sign = nullptr;  ///< on the lifeline itself
  Ink sign_ink = Ink::plain;
  bool changes_lifeline = false;
};

class TextWriter {
 public:
  TextWriter(const Ladder& ladder, const TextOptions& options)
      : in_(ladder), options_(options), signs_(options.ascii ? ascii_signs : unicode_signs) {
    measure();
    index();
  }

  std::string write() {
    writeTop();
    for (int row = 0; row < static_cast<int>(in_.rows.size()); ++row) writeRow(row);
    writeBottom();
    return std::move(out_);
  }

 private:
  std::string shown(const std::string& text) const { return options_.ascii ? inAscii(text) : text; }

  std::string fitted(const std::string& text, int columns_max) {
    const std::string whole = shown(text);
    if (columns(whole) <= columns_max) return whole;
    ++cut_;
    return shown(elideColumns(whole, options_.ascii ? columns_max - 2 : columns_max));
  }

  // ---- columns

  void measure() {
    width_ = std::max(options_.width, columns_min);
    int number = 1, time = 1;
    for (const Row& row : in_.rows) {
      number = std::max(number, static_cast<int>(std::to_string(row.number).size()));
      time = std::max(time, static_cast<int>(std::to_string(row.time).size()));
    }
    number_end_ = number;
    time_end_ = number_end_ + 1 + time + 3;
    const int lanes = std::max(static_cast<int>(in_.lanes.size()), 1);
    const int left = time_end_ + 2;
    narration_ = in_.narration.empty() ? 0 : std::clamp(width_ * 3 / 10, 18, 56);
    pitch_ = std::clamp((width_ - left - narration_ - 1) / lanes, 6, 34);
    lanes_begin_ = left;
    lanes_end_ = left + pitch_ * lanes;
    narration_begin_ = lanes_end_ + 1;
    narration_ = std::max(width_ - narration_begin_, narration_ > 0 ? 10 : 0);
    width_ = std::max(width_, narration_begin_ + narration_);
  }

  int laneColumn(int lane) const { return lanes_begin_ + lane * pitch_ + 1; }
  int room() const { return pitch_ - 3; }

  void index() {
    of_row_.resize(in_.rows.size());
    std::set<std::string> arrivals;
    for (const Arrow& arrow : in_.arrows) {
      const bool passes = arrow.from != arrow.to;
      if (arrow.left && passes) arrivals.insert(arrow.to_dot);
      if (arrow.left && passes && arrow.row_to >= 0) at(arrow.row_to).arriving.push_back(&arrow);
      if (!arrow.left && arrow.row_to >= 0) at(arrow.row_to).unsent.push_back(&arrow);
      if (arrow.row_sent >= 0) at(arrow.row_sent).leaving.push_back(&arrow);
      if (arrow.row_from >= 0 && arrow.row_from != arrow.row_sent)
        at(arrow.row_from).leaving.push_back(&arrow);
    }
    for (const Dot& dot : in_.dots) {
      const bool step = dot.kind == Dot::Kind::step || dot.kind == Dot::Kind::minor;
      if (step && !arrivals.contains(dot.id)) at(dot.row).dots.push_back(&dot);
    }
    for (const Tag& tag : in_.tags) at(tag.row).tags.push_back(&tag);
    for (const Box& box : in_.boxes) at(box.row).boxes.push_back(&box);
    for (const Narration& entry : in_.narration) at(entry.row).narration.push_back(&entry);
    bands_.resize(in_.lanes.size());
    for (const Band& band : in_.bands) bands_[static_cast<std::size_t>(band.lane)].push_back(&band);
  }

  // ---- rows

  void writeRow(int row) {
    for (const Heads& heads : in_.heads) {
      if (heads.row == row && row > 0) writeHeads();
    }
    Page page(width_);
    page.atLeast(1);
    putNumbers(page, row);
    tagged_.assign(in_.lanes.size(), 0);
    changed_.assign(in_.lanes.size(), -1);
    const bool divides = putDividers(page, row);
    if (!divides) {
      for (const Arrow* arrow : at(row).arriving) putArrow(page, *arrow);
      for (int lane = 0; lane < static_cast<int>(in_.lanes.size()); ++lane) putTokens(page, row, lane);
    }
    putNarration(page, row);
    putLifelines(page, row);
    page.write(out_, options_.colour);
  }

  void putNumbers(Page& page, int row) const {
    const Row& entry = in_.rows[static_cast<std::size_t>(row)];
    const std::string number = std::to_string(entry.number), time = std::to_string(entry.time) + " ms";
    page.put(0, number_end_ - static_cast<int>(number.size()), number, Ink::dim);
    if (entry.new_time) page.put(0, time_end_ - static_cast<int>(time.size()), time, Ink::plain);
  }

  void putNarration(Page& page, int row) {
    int line = 0;
    for (const Narration* narration : at(row).narration) {
      const Narration& entry = *narration;
      const Ink ink = entry.kind == Narration::Kind::violation ? Ink::loss
                      : entry.kind == Narration::Kind::note    ? Ink::bold
                      : entry.kind == Narration::Kind::fold    ? Ink::dim
                                                               : Ink::plain;
      const std::string text = shown(entry.full);
      std::vector<std::string> lines = wrapColumns(text, narration_, narration_lines_max);
      if (wrapColumns(text, narration_, narration_lines_max + 1).size() > lines.size()) ++cut_;
      for (const std::string& part : lines) page.put(line++, narration_begin_, shown(part), ink);
    }
  }

  bool putDividers(Page& page, int row) {
    bool any = false;
    for (const Divider& divider : in_.dividers) {
      if (divider.row != row) continue;
      any = true;
      std::string words = divider.text;
      for (const Shade& shade : in_.shades) {
        if (shade.event == divider.event && !shade.text.empty())
          words += (words.empty() ? "" : " | ") + shade.text;
      }
      std::string rule;
      for (int column = lanes_begin_; column < lanes_end_; ++column) rule += signs_.rule;
      page.put(0, lanes_begin_, rule, Ink::cut);
      page.put(0, lanes_begin_ + 3, ' ' + fitted(words, lanes_end_ - lanes_begin_ - 6) + " ", Ink::cut);
    }
    return any;
  }

  // ---- messages

  std::string rowName(int row) const {
    return row < 0 ? "before" : std::to_string(in_.rows[static_cast<std::size_t>(row)].number);
  }

  void putArrow(Page& page, const Arrow& arrow) {
    const int from = laneColumn(arrow.from), to = laneColumn(arrow.to);
    int line = 0;
    while (!page.isFree(line, std::min(from, to), std::max(from, to))) ++line;
    const bool lost = arrow.fate == Arrow::Fate::lost, arrives = arrow.fate == Arrow::Fate::delivered;
    const Ink ink = lost ? Ink::loss : Ink::plain;
    const int step = to > from ? 1 : -1;
    const bool same_row = arrow.row_from == arrow.row_to;
    page.put(line, from, same_row ? signs_.arrival : signs_.departure, ink);
    const int stop = arrives ? to - step : from + (to - from) * 3 / 5;
    for (int column = from + step; column != stop; column += step) {
      const bool crosses = (column - laneColumn(0)) % pitch_ == 0;
      page.put(line, column, crosses ? signs_.crossing : signs_.line, ink);
    }
    if (arrives) {
      page.put(line, stop, step > 0 ? signs_.right : signs_.left, ink);
      page.put(line, to, signs_.arrival, Ink::plain);
      tagged_[static_cast<std::size_t>(arrow.to)] = line;
    } else {
      page.put(line, stop, lost ? signs_.cross : signs_.departure, ink);
    }
    const int inner_from = std::min(from, stop) + 1, inner_to = std::max(from, stop) - 1;
    const std::string at = same_row ? "" : '@' + rowName(arrow.row_from);
    putLabel(page, line, inner_from, inner_to, arrow.label + at, ink);
    if (lost && !arrow.reason.empty()) putCause(page, line, stop, to, shown(arrow.reason));
  }

  /// After the cross, or below the arrow if that place is too narrow.
  void putCause(Page& page, int line, int stop, int to, const std::string& cause) {
    const bool right = to > stop;
    const int wide = columns(cause);
    if (wide <= std::abs(to - stop) - 3) {
      page.put(line, right ? stop + 2 : stop - 1 - wide, cause, Ink::loss);
      return;
    }
    const int gap = laneColumn((std::min(stop, to) - laneColumn(0)) / pitch_) + 2;
    const std::string text = fitted(cause, pitch_ - 3);
    for (++line; !page.isFree(line, gap, gap + columns(text)); ++line) {
    }
    page.put(line, gap, text, Ink::loss);
  }

  /// In the middle of the first gap that has room for it, otherwise across everything between the ends.
  void putLabel(Page& page, int line, int from, int to, const std::string& label, Ink ink) {
    const int wanted = columns(shown(label));
    const int gap_to = std::min(to, from + pitch_ - 3);
    const int end = wanted + 2 <= gap_to - from + 1 ? gap_to : to;
    const std::string text = fitted(label, std::max(end - from - 1, 1));
    page.put(line, from + std::max((end - from + 1 - columns(text)) / 2, 0), text, ink);
  }

  // ---- elements within one lane

  void putTokens(Page& page, int row, int lane) {
    int line = tagged_[static_cast<std::size_t>(lane)];
    int column = laneColumn(lane) + 2;
    for (const Token& token : tokens(row, lane)) {
      if (token.sign != nullptr) {
        while (!page.isFree(line, laneColumn(lane), laneColumn(lane))) nextLine(lane, line, column);
        page.put(line, laneColumn(lane), token.sign, token.sign_ink);
        if (token.changes_lifeline) changed_[static_cast<std::size_t>(lane)] = line;
      }
      for (const std::string& part : wrapColumns(shown(token.text), room(), 6)) {
        const int end = column + columns(part);
        const bool fits = column == laneColumn(lane) + 2 || end <= laneColumn(lane) + pitch_ - 1;
        if (!fits) nextLine(lane, line, column);
        while (!page.isFree(line, column - 1, column + columns(part))) nextLine(lane, line, column);
        page.put(line, column, part, token.ink);
        column += columns(part) + 1;
      }
      if (token.text.empty()) page.atLeast(line + 1);
    }
  }

  void nextLine(int lane, int& line, int& column) const {
    ++line;
    column = laneColumn(lane) + 2;
  }

  std::vector<Token> tokens(int row, int lane) const {
    std::vector<Token> result;
    for (const Dot* dot : at(row).dots) {
      if (dot->lane == lane) result.push_back({"", Ink::plain, signs_.arrival});
    }
    for (const Tag* tag : at(row).tags) {
      if (tag->lane == lane) result.push_back(tagToken(*tag));
    }
    addUnsent(row, lane, result);
    for (const Box* box : at(row).boxes) {
      if (box->lane == lane) result.push_back(boxToken(*box));
    }
    addSends(row, lane, result);
    return result;
  }

  Token tagToken(const Tag& tag) const {
    switch (tag.kind) {
      case Tag::Kind::role: return {wordsOf(tag), inkOf(tag.tone), nullptr, Ink::plain, true};
      case Tag::Kind::start:
      case Tag::Kind::restart: return {tag.text, Ink::bold, signs_.start, Ink::bold, true};
      case Tag::Kind::kill:
      case Tag::Kind::power_loss: return {tag.text, Ink::loss, signs_.crash, Ink::loss, true};
      case Tag::Kind::stop:
      case Tag::Kind::exit: return {tag.text, Ink::bold, signs_.stop, Ink::bold, true};
      default: return {wordsOf(tag), Ink::bold, nullptr, Ink::plain, true};
    }
  }

  static std::string wordsOf(const Tag& tag) {
    std::string words = tag.text;
    for (const std::string& line : tag.details) words += " " + line;
    return words;
  }

  static Token boxToken(const Box& box) {
    std::string text = "[";
    for (std::size_t i = 0; i < box.cells.size(); ++i) {
      text += (i == 0 ? "" : " ");
      const bool empty = box.cells[i].mark == Mark::empty;
      if (empty) text += '(';
      for (const char c : box.cells[i].text) text += c == ' ' ? '_' : c;
      if (empty) text += ')';
    }
    text += "]";
    if (!box.caption.empty()) text += " " + box.caption;
    const bool violated = box.violated || std::any_of(box.cells.begin(), box.cells.end(),
                                                      [](const Cell& cell) { return cell.violated; });
    return {text, violated ? Ink::loss : box.quorum ? Ink::quorum : Ink::plain};
  }

  /// Messages that were lost before they left, or still wait at the end.
  void addUnsent(int row, int lane, std::vector<Token>& result) const {
    for (const Arrow* unsent : at(row).unsent) {
      const Arrow& arrow = *unsent;
      if (arrow.from != lane) continue;
      const std::string what =
          arrow.label + " " + signs_.to + in_.lanes[static_cast<std::size_t>(arrow.to)].name;
      if (arrow.fate == Arrow::Fate::lost) {
        result.push_back({std::string(signs_.cross) + " " + what + " unsent: " + arrow.reason, Ink::loss});
      } else {
        result.push_back({what + " still waits", Ink::dim});
      }
    }
  }

  /// Messages that leave or begin to wait, those of one label together.
  void addSends(int row, int lane, std::vector<Token>& result) const {
    std::vector<std::pair<std::string, std::string>> said;  // label and manner, receivers
    for (const Arrow* leaving : at(row).leaving) {
      const Arrow& arrow = *leaving;
      if (arrow.from != lane) continue;
      const bool leaves = arrow.left && arrow.row_from == row;
      const bool waits = arrow.wait && arrow.row_sent == row && !leaves;
      if (!leaves && !waits) continue;
      if (leaves && arrow.fate == Arrow::Fate::lost && arrow.row_to == row) continue;
      const std::string manner = arrow.label + (waits ? " waits" : "");
      const std::string& name = in_.lanes[static_cast<std::size_t>(arrow.to)].name;
      const auto found =
          std::find_if(said.begin(), said.end(), [&](const auto& one) { return one.first == manner; });
      if (found == said.end())
        said.emplace_back(manner, name);
      else
        found->second += "," + name;
    }
    bool first = result.empty();
    for (const auto& [manner, receivers] : said) {
      result.push_back(
          {std::string(signs_.to) + receivers + " " + manner, Ink::dim, first ? signs_.arrival : nullptr});
      first = false;
    }
  }

  // ---- lifelines

  struct State {
    Tone tone = Tone::absent;
    bool paused = false;
  };

  State stateAfter(int lane, int row) const {
    State state;
    for (const Band* band : bands_[static_cast<std::size_t>(lane)]) {
      if (band->row_from <= row) state = {band->tone, band->paused};
    }
    return state;
  }

  const char* sign(const State& state) const {
    const bool ascii = options_.ascii;
    if (state.paused) return ascii ? "=" : "‖";
    switch (state.tone) {
      case Tone::seeking: return ascii ? ":" : "┊";
      case Tone::leading: return ascii ? "#" : "┃";
      case Tone::observing: return ascii ? "!" : "╎";
      case Tone::syncing: return ascii ? ";" : "┆";
      case Tone::client: return ascii ? "'" : "╷";
      case Tone::down: return ascii ? "." : "·";
      case Tone::absent: return " ";
      default: return ascii ? "|" : "│";
    }
  }

  void putLifelines(Page& page, int row) {
    for (int lane = 0; lane < static_cast<int>(in_.lanes.size()); ++lane) {
      const State before = stateAfter(lane, row - 1), after = stateAfter(lane, row);
      const int changed = changed_[static_cast<std::size_t>(lane)];
      for (int line = 0; line < page.lines(); ++line) {
        const int column = laneColumn(lane);
        if (!page.isFree(line, column, column)) continue;
        const State& state = changed >= 0 && line <= changed ? before : after;
        page.put(line, column, sign(state), inkOf(state.tone));
      }
    }
  }

  // ---- around it

  void writeLine(const std::string& text, Ink ink, std::size_t lines_max = 3) {
    for (const std::string& part : wrapColumns(shown(text), width_, lines_max)) {
      Page page(width_);
      page.put(0, 0, part, ink);
      page.write(out_, options_.colour);
    }
  }

  void writeHeads() {
    Page page(width_);
    page.atLeast(1);
    for (int lane = 0; lane < static_cast<int>(in_.lanes.size()); ++lane) {
      const Lane& entry = in_.lanes[static_cast<std::size_t>(lane)];
      const std::string note = entry.note().empty() ? "" : " (" + entry.note() + ")";
      page.put(0, laneColumn(lane), fitted(entry.name + note, pitch_ - 1), Ink::bold);
    }
    page.write(out_, options_.colour);
  }

  void writeTop() {
    writeLine(in_.title, Ink::bold);
    for (const std::string& line : wrapColumns(in_.about, width_, 20)) writeLine(line, Ink::dim);
    for (const AnswerLine& answer : in_.answer) {
      for (const std::string& line : wrapColumns(shown(answer.full), width_, 4))
        writeLine(line, answer.violated ? Ink::loss : Ink::bold);
    }
    for (const std::string& line : in_.subtitle) writeLine(line, Ink::dim);
    for (const std::string& line : in_.banners_top) writeLine("! " + line, Ink::bold);
    out_ += '\n';
    writeHeads();
  }

  void writeBottom() {
    out_ += '\n';
    for (const std::string& line : in_.banners_bottom) writeLine("! " + line, Ink::bold);
    writeLegend();
    if (cut_ == 0) return;
    writeLine("! " + std::to_string(cut_) + (cut_ == 1 ? " text was" : " texts were") + " cut to fit " +
                  std::to_string(width_) + " columns; a greater --width or a picture shows them whole",
              Ink::bold);
  }

  static const char* markSign(LegendEntry::Kind kind) {
    switch (kind) {
      case LegendEntry::Kind::empty: return "( )";
      case LegendEntry::Kind::proposed: return signOf(Mark::proposed);
      case LegendEntry::Kind::durable: return signOf(Mark::durable);
      case LegendEntry::Kind::committed: return signOf(Mark::committed);
      case LegendEntry::Kind::gone: return signOf(Mark::gone);
      case LegendEntry::Kind::violated: return sign_of_violation;
      default: return nullptr;
    }
  }

  void writeLegend() {
    std::string legend;
    const auto add = [&](const std::string& part) { legend += (legend.empty() ? "" : "   ") + part; };
    for (const LegendEntry& entry : in_.legend) {
      if (entry.kind == LegendEntry::Kind::tone)
        add(sign({entry.tone, false}) + std::string(" ") + entry.text);
      if (entry.kind == LegendEntry::Kind::paused) add(sign({Tone::other, true}) + std::string(" paused"));
      if (entry.kind == LegendEntry::Kind::lost) add(signs_.cross + std::string(" lost"));
      if (const char* mark = markSign(entry.kind)) add(mark + std::string(" ") + entry.text);
      if (entry.kind == LegendEntry::Kind::words) add(entry.text);
    }
    if (!in_.arrows.empty()) {
      add(std::string(signs_.departure) + signs_.line + "(...)@33" + signs_.line + signs_.right +
          signs_.arrival + " drawn at its arrival; it was sent in row 33");
    }
    writeLine(legend, Ink::dim, 6);
  }

  const Ladder& in_;
  const TextOptions& options_;
  const Signs& signs_;
  std::string out_;
  struct OfRow {
    std::vector<const Arrow*> arriving, leaving, unsent;
    std::vector<const Dot*> dots;
    std::vector<const Tag*> tags;
    std::vector<const Box*> boxes;
    std::vector<const Narration*> narration;
  };
  OfRow& at(int row) { return of_row_[static_cast<std::size_t>(row)]; }
  const OfRow& at(int row) const { return of_row_[static_cast<std::size_t>(row)]; }

  std::vector<OfRow> of_row_;
  std::vector<std::vector<const Band*>> bands_;  ///< by lane
  std::vector<int> tagged_;                      ///< by lane: the line of this row in which a message arrives
  std::vector<int>
      changed_;  ///< by lane: the line of this row in which its lifeline changes; -1: it does not
  int width_ = 0, number_end_ = 0, time_end_ = 0, lanes_begin_ = 0, lanes_end_ = 0;
  int narration_begin_ = 0, narration_ = 0, pitch_ = 0;
  int cut_ = 0;
};

}  // namespace

std::string toText(const Sheet& sheet, const TextOptions& options) {
  std::string text;
  for (const Ladder& part : sheet.parts)
    text += (text.empty() ? "" : "\n") + TextWriter(part, options).write();
  return text;
}

}  // namespace zablab::viz
