// Exports of traces to other tools' formats, read back by the rules of those tools. The readers here share
// nothing with the writers; each also checks that the file says what the trace says. They run on traces that
// show what shipped scenarios show, on stories, on generated traces, and on traces with hostile content.
#include <doctest/doctest.h>
#include <regex.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "checker/execute.h"
#include "sim/plain_json.h"
#include "tests/shipped.h"
#include "tests/viz_stories.h"
#include "viz/export/itf.h"
#include "viz/export/mermaid.h"
#include "viz/export/perfetto.h"
#include "viz/export/shiviz.h"

namespace zablab::viz {
namespace {

// ---- what a trace contains, read from the trace alone

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool isAbout(const TraceEvent& event, const char* kind) {
  return event.kind == kind && event.data.is_object() && event.data.contains("message");
}

struct Letter {
  std::int64_t from = 0, to = 0;
  std::string type, label;
  std::optional<std::size_t> sent, transmitted, end;
  bool lost = false;
};

using Letters = std::map<std::int64_t, Letter>;  // by number

/// The messages of a well-formed trace.
Letters lettersOf(const Trace& trace) {
  Letters letters;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    if (isAbout(event, "sent")) {
      letters[event.data["message"]] = {*event.node,
                                        event.data["receiver"],
                                        event.data.value("type", ""),
                                        event.data.value("label", ""),
                                        i,
                                        {},
                                        {},
                                        false};
    }
    if (isAbout(event, "transmitted")) letters.at(event.data["message"]).transmitted = i;
    if (!isAbout(event, "delivered") && !isAbout(event, "lost")) continue;
    letters.at(event.data["message"]).end = i;
    letters.at(event.data["message"]).lost = event.kind == "lost";
  }
  return letters;
}

std::set<std::string> heartbeatsOf(const Trace& trace) {
  std::set<std::string> types;
  for (const Json& type : trace.header.value("heartbeats", Json::array()))
    types.insert(type.get<std::string>());
  return types;
}

std::map<std::int64_t, std::string> namesOf(const Trace& trace) {
  std::map<std::int64_t, std::string> names;
  for (const Json& node : trace.header.at("nodes")) names[node.at("id")] = node.at("name");
  return names;
}

/// Code points of UTF-8; the text must be valid.
std::vector<std::uint32_t> lettersOfText(const std::string& text) {
  std::vector<std::uint32_t> result;
  bool valid = true;
  for (std::size_t i = 0; i < text.size() && valid;) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    valid = (byte < 0x80 || byte >= 0xC2) && i + length <= text.size();
    std::uint32_t code_point = length == 1 ? byte : byte & (0x7FU >> length);
    for (std::size_t k = 1; k < length && valid; ++k) {
      valid = (static_cast<unsigned char>(text[i + k]) & 0xC0) == 0x80;
      code_point = code_point << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3F);
    }
    result.push_back(code_point);
    i += length;
  }
  REQUIRE_MESSAGE(valid, "not UTF-8");
  return result;
}

/// Characters that end a line for some reader, cannot be seen, or turn the direction of what follows.
bool isTreacherous(std::uint32_t c) {
  return (c < 0x20 && c != '\n') || (c >= 0x7F && c < 0xA0) || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || c == 0x61C;
}

void checkLetters(const std::string& text) {
  const std::vector<std::uint32_t> letters = lettersOfText(text);
  const auto found = std::find_if(letters.begin(), letters.end(), isTreacherous);
  if (found != letters.end()) FAIL("character ", *found);
}

// ---- ShiViz

/// A regular expression of a browser, as far as the C library's can say the same.
class Expression {
 public:
  explicit Expression(const std::string& browser) {
    std::string text;
    for (std::size_t i = 0; i < browser.size(); ++i) {
      if (browser.compare(i, 3, "(?<") == 0) {
        const std::size_t end = browser.find('>', i);
        REQUIRE(end != std::string::npos);
        names_.push_back(browser.substr(i + 3, end - i - 3));
        text += '(';
        i = end;
      } else if (browser[i] == '\\' && i + 1 < browser.size() && browser[i + 1] == 'S') {
        text += "[^ \t]";
        ++i;
      } else if (browser[i] == '\\' && i + 1 < browser.size() && browser[i + 1] == 'd') {
        text += "[0-9]";
        ++i;
      } else {
        REQUIRE_MESSAGE((browser[i] != '(' && browser[i] != '|'), "a group without a name");
        text += browser[i];
      }
    }
    for (const std::string& name : names_) {
      CHECK(std::count(names_.begin(), names_.end(), name) == 1);
      CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos);
    }
    REQUIRE(regcomp(&compiled_, text.c_str(), REG_EXTENDED) == 0);
  }
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;
  ~Expression() { regfree(&compiled_); }

  bool names(const std::string& name) const {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  }
  /// The groups of a line that matches; empty if it does not.
  std::map<std::string, std::string> match(const std::string& line) const {
    std::vector<regmatch_t> places(names_.size() + 1);
    if (regexec(&compiled_, line.c_str(), places.size(), places.data(), 0) != 0) return {};
    std::map<std::string, std::string> groups{{"", ""}};
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const auto begin = static_cast<std::size_t>(places[i + 1].rm_so);
      groups[names_[i]] = line.substr(begin, static_cast<std::size_t>(places[i + 1].rm_eo) - begin);
    }
    return groups;
  }

 private:
  regex_t compiled_{};
  std::vector<std::string> names_;
};

/// What `\s` of a browser matches and the C library's blanks do not contain.
bool isBlank(std::uint32_t c) {
  return c == ' ' || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

struct ShivizEvent {
  std::string host, text, kind;
  std::map<std::string, std::uint64_t> clock;
  std::size_t step = 0;
};

/// Reads a log as ShiViz does when a file is opened, with its checks.
std::vector<ShivizEvent> readShiviz(const std::string& text) {
  checkLetters(text);
  const std::vector<std::string> lines = linesOf(text);
  REQUIRE(lines.size() > 3);
  const Expression event("^" + lines[0] + "$"), delimiter("^" + lines[1] + "$");
  for (const char* group : {"event", "host", "clock"}) CHECK(event.names(group));
  CHECK(delimiter.names("trace"));
  REQUIRE(!delimiter.match(lines[2]).empty());  // text before it would be a run of its own
  // ShiViz keeps runs in a plain object, and finds what every object has.
  CHECK(delimiter.match(lines[2])["trace"] != "constructor");
  std::vector<ShivizEvent> events;
  for (std::size_t i = 3; i < lines.size(); ++i) {
    CHECK(delimiter.match(lines[i]).empty());
    std::map<std::string, std::string> groups = event.match(lines[i]);
    // What does not match is skipped without a word: only remarks may be.
    if (groups.empty()) {
      CHECK_MESSAGE(lines[i].starts_with("# "), lines[i]);
      continue;
    }
    ShivizEvent one{groups["host"], groups["event"], groups["kind"], {}, std::stoul(groups["step"])};
    for (const std::string& token : {one.host, one.kind}) {
      const std::vector<std::uint32_t> letters = lettersOfText(token);
      CHECK(std::none_of(letters.begin(), letters.end(), isBlank));
    }
    // The log is trimmed before it is read: a text of blanks alone would be lost in the last line.
    const std::vector<std::uint32_t> letters = lettersOfText(one.text);
    CHECK(!std::all_of(letters.begin(), letters.end(), isBlank));
    const JsonValue clock = parseJson("clock", groups["clock"]);
    for (const JsonValue& count : clock.members()) one.clock[count.key()] = count.asUint64();
    events.push_back(std::move(one));
  }
  REQUIRE(!events.empty());
  return events;
}

/// ShiViz's rules for clocks: a host counts its own events, names only hosts and events that exist, and knows
/// what the events know that it knows.
void checkClocks(const std::vector<ShivizEvent>& events) {
  std::map<std::string, std::vector<const ShivizEvent*>> of_host;
  static const std::set<std::string> of_every_object = {"constructor", "toString", "valueOf",
                                                        "hasOwnProperty", "__proto__"};
  for (const ShivizEvent& event : events) {
    std::vector<const ShivizEvent*>& before = of_host[event.host];
    CHECK(!of_every_object.contains(event.host));
    REQUIRE(event.clock.contains(event.host));
    REQUIRE(event.clock.at(event.host) == before.size() + 1);
    before.push_back(&event);
  }
  std::map<std::string, std::map<std::string, std::uint64_t>> present;
  for (const ShivizEvent& event : events) {
    std::map<std::string, std::uint64_t> expected = present[event.host];
    for (const auto& [host, count] : event.clock) {
      if (count < 1 || !of_host.contains(host) || count > of_host[host].size()) FAIL(host, " ", count);
      if (host == event.host || count <= present[event.host][host]) continue;
      for (const auto& [known, known_count] : of_host[host][count - 1]->clock)
        expected[known] = std::max(expected[known], known_count);
    }
    expected[event.host] = event.clock.at(event.host);
    for (auto entry = expected.begin(); entry != expected.end();)
      entry = entry->second == 0 ? expected.erase(entry) : std::next(entry);
    REQUIRE(event.clock == expected);
    present[event.host] = event.clock;
  }
}

/// Compares the clocks with what happened before what in the trace: for each event of the log, the number of
/// events of each host in its past, counted in the graph of the trace.
void checkPast(const Trace& trace, const std::vector<ShivizEvent>& events) {
  std::vector<std::vector<std::size_t>> after(trace.events.size());  // what an event follows directly
  std::map<std::int64_t, std::size_t> last_of_node;
  std::map<std::int64_t, std::vector<std::size_t>> departures;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    if (event.node) {
      if (last_of_node.contains(*event.node)) after[i].push_back(last_of_node[*event.node]);
      last_of_node[*event.node] = i;
    }
    if (event.cause && *event.cause < i) after[i].push_back(*event.cause);
    for (const char* kind : {"transmitted", "delivered", "lost"}) {
      if (!isAbout(event, kind)) continue;
      for (const std::size_t departure : departures[event.data["message"]]) after[i].push_back(departure);
    }
    if (isAbout(event, "sent") || isAbout(event, "transmitted"))
      departures[event.data["message"]].push_back(i);
  }
  std::map<std::size_t, std::size_t> line_of;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i > 0) REQUIRE(events[i - 1].step < events[i].step);
    line_of[events[i].step] = i;
  }
  // The lines in each event's past, a bit for each.
  const std::size_t words = events.size() / 64 + 1;
  std::map<std::string, std::vector<std::uint64_t>> of_host;
  for (std::size_t i = 0; i < events.size(); ++i) {
    std::vector<std::uint64_t>& lines = of_host[events[i].host];
    lines.resize(words);
    lines[i / 64] |= std::uint64_t{1} << i % 64;
  }
  std::vector<std::vector<std::uint64_t>> past(trace.events.size(), std::vector<std::uint64_t>(words));
  std::vector<std::uint64_t> network(words);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    for (const std::size_t other : after[i]) {
      for (std::size_t w = 0; w < words; ++w) past[i][w] |= past[other][w];
    }
    if (!line_of.contains(i)) continue;
    const std::size_t line = line_of[i];
    std::vector<std::uint64_t> mine = past[i];
    const bool of_network = !trace.events[i].node;
    if (of_network) {
      for (std::size_t w = 0; w < words; ++w) mine[w] |= network[w];
    }
    mine[line / 64] |= std::uint64_t{1} << line % 64;
    (of_network ? network : past[i]) = mine;
    std::map<std::string, std::uint64_t> counts;
    for (const auto& [host, lines] : of_host) {
      std::uint64_t count = 0;
      for (std::size_t w = 0; w <= line / 64; ++w)
        count += static_cast<std::uint64_t>(std::popcount(mine[w] & lines[w]));
      if (count != 0) counts[host] = count;
    }
    CAPTURE(i);
    REQUIRE(events[line].clock == counts);
  }
}

/// A whole log without filters.
void checkShiviz(const Trace& trace, const Letters& letters) {
  const std::vector<ShivizEvent> events = readShiviz(toShiviz(trace, {}));
  checkClocks(events);
  checkPast(trace, events);
  std::map<std::size_t, const ShivizEvent*> lines;
  for (const ShivizEvent& event : events) lines[event.step] = &event;
  std::map<std::string, std::set<std::string>> hosts;  // of each node
  for (const auto& [step, line] : lines) {
    REQUIRE(step < trace.events.size());
    const auto& node = trace.events[step].node;
    hosts[node ? std::to_string(*node) : "-"].insert(line->host);
  }
  std::set<std::string> different;
  for (const auto& [node, names] : hosts) {
    CHECK(names.size() == 1);
    CHECK(different.insert(*names.begin()).second);
  }
  const std::set<std::string> heartbeats = heartbeatsOf(trace);
  for (const auto& [number, one] : letters) {
    const Letter& letter = one;
    CAPTURE(*letter.sent);
    const bool drawn = letter.from != letter.to && !heartbeats.contains(letter.type);
    const auto breaks = [&](const TraceVerdict& verdict) { return verdict.event == *letter.sent; };
    if (letter.from == letter.to && std::none_of(trace.verdicts.begin(), trace.verdicts.end(), breaks))
      CHECK(!lines.contains(*letter.sent));
    if (!drawn) continue;
    CHECK(lines.contains(*letter.sent));
    if (!letter.end) continue;
    REQUIRE(lines.contains(*letter.end));
    const auto& clock = lines[*letter.end]->clock;
    const ShivizEvent& sent = *lines[*letter.sent];
    REQUIRE(clock.contains(sent.host));
    CHECK(clock.at(sent.host) >= sent.clock.at(sent.host));
  }
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    const bool about = event.data.contains("message");
    if (about || event.kind == "timer" || !event.node) continue;
    const bool turns = event.kind == "role" || event.kind == "started" || event.kind == "stopped";
    if (!event.text.empty() || turns) CHECK(lines.contains(i));
  }
}

// ---- Mermaid

struct MermaidArrow {
  std::string from, to, head, text;
};

struct MermaidDiagram {
  std::string title;
  std::vector<std::pair<std::string, std::string>> participants;  ///< ids and names
  std::vector<MermaidArrow> arrows;
  std::vector<std::string> notes;
  int shaded = 0;
};

/// Text as it is shown. Before it reads a text, Mermaid replaces characters written by their numbers; of what
/// is then left, # and ; would end it, and the others are directives, comments, formulas or elements of HTML.
std::string shown(std::string text) {
  std::string result;
  while (!text.empty()) {
    if (text.starts_with("<br/>")) {
      result += '\n';
      text.erase(0, 5);
      continue;
    }
    if (text[0] == '#') {
      const std::size_t end = text.find(';');
      REQUIRE(end != std::string::npos);
      const std::string digits = text.substr(1, end - 1);
      REQUIRE(!digits.empty());
      REQUIRE(digits.find_first_not_of("0123456789") == std::string::npos);
      const int code_point = std::stoi(digits);
      REQUIRE((code_point < 0x80 || code_point == 0xFB02 || code_point == 0xB6));
      result += code_point < 0x80 ? std::string(1, static_cast<char>(code_point)) : "?";
      text.erase(0, end + 1);
      continue;
    }
    if (std::string(";:%<>&\"\\{}$").find(text[0]) != std::string::npos) FAIL(text);
    result += text[0];
    text.erase(0, 1);
  }
  CHECK(result.find_first_not_of(" \n") != std::string::npos);
  return result;
}

/// The part of Mermaid's grammar that is used. Everything else is an error.
MermaidDiagram readMermaid(const std::string& text) {
  checkLetters(text);
  std::size_t units = 0;  // as JavaScript counts
  for (const std::uint32_t c : lettersOfText(text)) units += c < 0x10000 ? 1 : 2;
  CHECK(units <= 50'000);
  const std::vector<std::string> lines = linesOf(text);
  REQUIRE(!lines.empty());
  CHECK(lines[0] == "sequenceDiagram");
  MermaidDiagram diagram;
  std::set<std::string> ids;
  bool in_rect = false;
  const auto known = [&](const std::string& id) {
    REQUIRE_MESSAGE(ids.contains(id), id);
    return id;
  };
  for (std::size_t i = 1; i < lines.size(); ++i) {
    CAPTURE(lines[i]);
    REQUIRE(lines[i].starts_with("  "));
    const std::string line = lines[i].substr(lines[i].find_first_not_of(' '));
    // Mermaid takes these for the styles of a flow chart, if a colon and a number sign follow, and damages
    // them.
    for (const char* word : {"style", "classDef"}) {
      const std::size_t at = line.find(word);
      if (at != std::string::npos) CHECK(line.find(':', at) == std::string::npos);
    }
    if (line.starts_with("title ")) {
      CHECK(i == 1);
      diagram.title = shown(line.substr(6));
    } else if (line.starts_with("participant ") || line.starts_with("actor ")) {
      const std::size_t id = line.find(' ') + 1, as = line.find(" as ", id);
      REQUIRE(as != std::string::npos);
      const std::string name = line.substr(id, as - id);
      REQUIRE(name.size() > 1);
      CHECK(name[0] == 'n');  // and so no word of the grammar
      CHECK(name.find_first_not_of("0123456789", 1) == std::string::npos);
      CHECK(ids.insert(name).second);
      diagram.participants.emplace_back(name, shown(line.substr(as + 4)));
    } else if (line.starts_with("Note over ")) {
      const std::size_t colon = line.find(": ");
      REQUIRE(colon != std::string::npos);
      const std::string over = line.substr(10, colon - 10);
      const std::size_t comma = over.find(',');
      known(over.substr(0, comma));
      if (comma != std::string::npos) known(over.substr(comma + 1));
      diagram.notes.push_back(shown(line.substr(colon + 2)));
    } else if (line == "rect rgb(255, 214, 200)") {
      CHECK(!in_rect);
      in_rect = true;
      ++diagram.shaded;
    } else if (line == "end") {
      CHECK(in_rect);
      in_rect = false;
    } else {
      const std::size_t colon = line.find(": ");
      REQUIRE(colon != std::string::npos);
      std::string ends = line.substr(0, colon);
      MermaidArrow arrow;
      for (const char* head : {"->>", "-x", "--)"}) {
        const std::size_t at = ends.find(head);
        if (at == std::string::npos || !arrow.head.empty()) continue;
        arrow = {known(ends.substr(0, at)), known(ends.substr(at + std::string(head).size())), head,
                 shown(line.substr(colon + 2))};
      }
      REQUIRE(!arrow.head.empty());
      diagram.arrows.push_back(std::move(arrow));
    }
  }
  CHECK(!in_rect);
  CHECK(diagram.arrows.size() <= 500);
  return diagram;
}

bool hasNote(const MermaidDiagram& diagram, const std::string& part) {
  return std::any_of(diagram.notes.begin(), diagram.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

/// A whole diagram without filters: each message that is drawn is there once, in the order in which they
/// arrive.
void checkMermaid(const Trace& trace, const Letters& all_letters) {
  const MermaidDiagram diagram = readMermaid(toMermaid(trace, {}));
  std::map<std::int64_t, std::string> ids;
  const Json& nodes = trace.header.at("nodes");
  REQUIRE(diagram.participants.size() == nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    ids[nodes[i].at("id")] = diagram.participants[i].first;
    CHECK(diagram.participants[i].second == nodes[i].at("name").get<std::string>());
  }
  const std::set<std::string> heartbeats = heartbeatsOf(trace);
  const bool cut = hasNote(diagram, "cut here");
  // Of what is under way at the end, this many had no room.
  const std::string left_out_text = " messages still under way";
  const bool pending_left_out = hasNote(diagram, left_out_text);
  std::int64_t left_out_least = 0;  // without heartbeats, which may or may not be drawn
  std::int64_t left_out_most = 0;
  std::map<std::string, std::map<std::size_t, Letter>> expected;  // by head, then in order
  for (const auto& [number, letter] : all_letters) {
    if (letter.from == letter.to) continue;
    const std::string head = !letter.end ? "--)" : letter.lost ? "-x" : "->>";
    expected[head][letter.end ? *letter.end : *letter.sent] = letter;
  }
  std::size_t checked = 0;
  for (const auto& [head, letters] : expected) {
    std::vector<MermaidArrow> arrows;
    for (const MermaidArrow& arrow : diagram.arrows) {
      if (arrow.head == head) arrows.push_back(arrow);
    }
    // Deliveries are in order; what is lost at once is where it was sent.
    std::size_t at = 0;
    for (const auto& [end, one] : letters) {
      const Letter& letter = one;
      if (cut && at == arrows.size()) break;
      if (pending_left_out && !letter.end && at == arrows.size()) {
        ++left_out_most;
        if (!heartbeats.contains(letter.type)) ++left_out_least;
        continue;
      }
      const std::string mark = " @" + std::to_string(*letter.sent);
      const auto fits = [&](const MermaidArrow& arrow) {
        return arrow.from == ids[letter.from] && arrow.to == ids[letter.to] &&
               arrow.text.starts_with(letter.label.substr(0, 50)) &&
               (arrow.text + ",").find(mark + ",") != std::string::npos;
      };
      const bool here = letter.lost ? std::count_if(arrows.begin(), arrows.end(), fits) == 1
                                    : at < arrows.size() && fits(arrows[at]);
      if (!here && (cut || heartbeats.contains(letter.type))) continue;  // left out
      CAPTURE(mark);
      REQUIRE(here);
      ++at;
    }
    checked += at;
  }
  CHECK(checked == diagram.arrows.size());
  if (pending_left_out) {
    bool stated = false;
    for (std::int64_t count = left_out_least; count <= left_out_most; ++count)
      stated = stated || hasNote(diagram, " " + std::to_string(count) + left_out_text);
    CHECK(stated);
  }
  if (cut) return;
  int broken = 0;
  for (const TraceVerdict& verdict : trace.verdicts) {
    if ((verdict.verdict != "violated" && verdict.verdict != "failed") || !verdict.event) continue;
    ++broken;
    CHECK(hasNote(diagram, verdict.name.substr(0, 20)));
  }
  CHECK(diagram.shaded == broken);
}

// ---- ITF

const JsonValue& memberOf(const JsonValue& object, const std::string& key) {
  const JsonValue* const found = object.find(key);
  if (found == nullptr) FAIL("no ", key, " in ", onOneLine(object.plain()).substr(0, 200));
  return *found;
}

/// Whether it is a value of one of the format's forms. Keys are unique: the parser sees to it.
bool isItfValue(const JsonValue& value);

bool areItfValues(const std::vector<JsonValue>& values) {
  return std::all_of(values.begin(), values.end(), isItfValue);
}

bool isItfPair(const JsonValue& pair) {
  return pair.kind() == JsonValue::Kind::array && pair.elements().size() == 2 &&
         areItfValues(pair.elements());
}

bool isItfValue(const JsonValue& value) {
  using Kind = JsonValue::Kind;
  if (value.kind() == Kind::boolean || value.kind() == Kind::string) return true;
  if (value.kind() == Kind::array) return areItfValues(value.elements());
  if (value.kind() != Kind::object || value.members().empty()) return false;  // an empty record is none
  const JsonValue& first = value.members()[0];
  const bool alone = value.members().size() == 1;
  if (first.key() == "#bigint") {
    const std::string digits = first.asString().substr(first.asString().starts_with('-') ? 1 : 0);
    return alone && !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
  }
  if (first.key() == "#unserializable") return alone && first.kind() == Kind::string;
  if (first.key() == "#map") {
    std::set<std::string> keys;
    return alone && std::all_of(first.elements().begin(), first.elements().end(), [&](const JsonValue& pair) {
             return isItfPair(pair) && keys.insert(onOneLine(pair.elements()[0].plain())).second;
           });
  }
  if (value.find("tag") != nullptr) {  // a sum type
    if (first.key() != "tag" || first.kind() != Kind::string) return false;
    return first.asString() == "UNIT" ? alone
                                      : value.members().size() == 2 && isItfValue(memberOf(value, "value"));
  }
  return std::all_of(value.members().begin(), value.members().end(), [](const JsonValue& member) {
    const std::string& key = member.key();
    return !key.empty() && key[0] != '#' && !key.starts_with("__") && isItfValue(member);
  });
}

/// Whether the value says what a node's state said. Null, which the format has not, is a field that is
/// absent.
bool says(const JsonValue& value, const Json& expected) {
  if (expected.is_boolean() || expected.is_string()) return value.plain() == expected;
  if (expected.is_number_integer()) {
    const JsonValue* const digits = value.find("#bigint");
    return digits != nullptr && digits->asString() == expected.dump();
  }
  if (expected.is_array()) {
    const std::vector<JsonValue>& elements = value.elements();
    if (elements.size() != expected.size()) return false;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (!says(elements[i], expected[i])) return false;
    }
    return true;
  }
  if (!expected.is_object()) return memberOf(value, "#unserializable").asString() == expected.dump();
  std::map<std::string, const JsonValue*> members;
  if (const JsonValue* const map = value.find("#map")) {
    for (const JsonValue& pair : map->elements()) {
      const JsonValue& key = pair.elements()[0];
      members[key.kind() == JsonValue::Kind::string ? key.asString() : memberOf(key, "#bigint").asString()] =
          &pair.elements()[1];
    }
  } else {
    for (const JsonValue& member : value.members()) members[member.key()] = &member;
  }
  std::size_t found = 0;
  for (const auto& [key, member] : expected.items()) {
    if (member.is_null()) continue;
    ++found;
    if (!members.contains(key) || !says(*members[key], member)) return false;
  }
  return found == members.size();
}

struct ItfTrace {
  JsonValue file;
  std::set<std::string> variables;
  std::vector<JsonValue> states;
  std::vector<std::vector<std::size_t>> events;  ///< of the step before each state
  std::string description;
};

ItfTrace readItf(const std::string& text) {
  ItfTrace trace;
  trace.file = parseJson("export", text);
  for (const JsonValue& member : trace.file.members())
    CHECK((member.key() == "#meta" || member.key() == "vars" || member.key() == "states"));
  trace.description = memberOf(memberOf(trace.file, "#meta"), "description").asString();
  for (const JsonValue& variable : memberOf(trace.file, "vars").elements()) {
    const std::string& name = variable.asString();
    CHECK_MESSAGE((!name.empty() && name[0] != '#' && name != "tag" && !name.starts_with("__")), name);
    CHECK(trace.variables.insert(name).second);
  }
  trace.states = memberOf(trace.file, "states").elements();
  REQUIRE(trace.states.size() > 1);
  for (std::size_t at = 0; at < trace.states.size(); ++at) {
    const JsonValue& state = trace.states[at];
    const JsonValue& meta = memberOf(state, "#meta");
    CHECK(memberOf(meta, "index").asUint64() == at);
    CHECK(state.members().size() == trace.variables.size() + 1);
    for (const std::string& name : trace.variables) {
      if (!isItfValue(memberOf(state, name))) FAIL(name, " of state ", at);
    }
    CHECK(memberOf(state, "mbt::actionTaken").asString() == memberOf(state, "event").asString());
    trace.events.emplace_back();
    if (const JsonValue* const events = meta.find("events")) {
      for (const JsonValue& event : events->elements()) trace.events.back().push_back(event.asUint64());
    }
    CHECK(trace.events.back().empty() == (at == 0));
  }
  return trace;
}

/// The pairs of a map, by their keys as text.
std::map<std::string, const JsonValue*> pairsOf(const JsonValue& state, const std::string& variable) {
  std::map<std::string, const JsonValue*> pairs;
  for (const JsonValue& pair : memberOf(memberOf(state, variable), "#map").elements())
    pairs[onOneLine(pair.elements()[0].plain())] = &pair.elements()[1];
  return pairs;
}

/// Compares each state with the nodes' states in the trace.
void checkItf(const Trace& trace, const Letters& letters, const LadderOptions& options) {
  const ItfTrace itf = readItf(toItf(trace, options));
  static const std::set<std::string> own = {"step",     "time_ms",          "event",
                                            "messages", "mbt::actionTaken", "mbt::nondetPicks"};
  const std::map<std::int64_t, std::string> names = namesOf(trace);
  const auto begin = static_cast<std::size_t>(options.from ? options.from->value : 0);
  std::map<std::int64_t, Json> states;
  // The messages that begin or end at each event, and those that are under way.
  std::vector<std::pair<std::int64_t, const Letter*>> sent(trace.events.size()), ended(trace.events.size());
  for (const auto& [number, letter] : letters) {
    sent[*letter.sent] = {number, &letter};
    if (letter.end) ended[*letter.end] = {number, &letter};
  }
  std::map<std::int64_t, const Letter*> expected_letters;
  std::vector<bool> taken(trace.events.size());
  std::size_t taken_count = 0;
  const auto take = [&](std::size_t i) {
    if (taken.at(i)) FAIL("event ", i, " twice");
    taken[i] = true;
    ++taken_count;
    if (trace.events[i].node) applyChanges(states[*trace.events[i].node], trace.events[i]);
    const Letter* const letter = sent[i].second;
    if (letter != nullptr && !(letter->end && taken[*letter->end])) expected_letters.insert(sent[i]);
    if (ended[i].second != nullptr) expected_letters.erase(ended[i].first);
  };
  for (std::size_t i = 0; i < begin; ++i) take(i);
  for (std::size_t at = 0; at < itf.states.size(); ++at) {
    CAPTURE(at);
    for (const std::size_t i : itf.events[at]) take(i);
    const JsonValue& state = itf.states[at];
    for (const std::string& variable : itf.variables) {
      if (own.contains(variable)) continue;
      const std::map<std::string, const JsonValue*> pairs = pairsOf(state, variable);
      std::size_t expected = 0;
      for (const auto& [node, present] : states) {
        if (!present.contains(variable) || present.at(variable).is_null()) continue;
        ++expected;
        const auto found = pairs.find(Json(names.at(node)).dump());
        if (found == pairs.end() || !says(*found->second, present.at(variable))) FAIL(variable, " of ", node);
      }
      if (expected != pairs.size()) FAIL(variable);
    }
    for (const auto& [node, present] : states) {
      for (const auto& [field, value] : present.items()) {
        if (!itf.variables.contains(field)) FAIL(field);
      }
    }
    const std::map<std::string, const JsonValue*> under_way = pairsOf(state, "messages");
    for (const auto& entry : expected_letters) {
      const auto found = under_way.find("{\"#bigint\":\"" + std::to_string(entry.first) + "\"}");
      REQUIRE(found != under_way.end());
      CHECK(memberOf(*found->second, "label").asString() == entry.second->label);
      CHECK(memberOf(*found->second, "to").asString() == names.at(entry.second->to));
    }
    CHECK(under_way.size() == expected_letters.size());
    if (itf.events[at].empty()) continue;
    const TraceEvent& first = trace.events[itf.events[at].front()];
    CHECK(says(memberOf(state, "step"), Json(first.index)));
    CHECK(says(memberOf(state, "time_ms"), Json(first.time)));
    CHECK(says(memberOf(state, "event"), Json(first.kind)));
    const JsonValue& picks = memberOf(state, "mbt::nondetPicks");
    if (first.node) CHECK(says(memberOf(memberOf(picks, "node"), "value"), Json(names.at(*first.node))));
    if (isAbout(first, "delivered"))
      CHECK(says(memberOf(memberOf(picks, "message"), "value"), first.data["message"]));
  }
  CHECK(taken_count == trace.events.size());
}

// ---- Chrome's trace events

struct TimelineSlice {
  double from = 0, to = 0;
  std::string name, category;
  Json args;
};

struct Timeline {
  std::map<std::int64_t, std::string> processes;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> threads;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<TimelineSlice>> slices;
  struct Flow {
    std::optional<Json> from, to;  ///< the arguments of the slices that it joins
    int between = 0;
    double at = 0;
  };
  std::map<std::int64_t, Flow> flows;
  std::map<std::pair<std::int64_t, std::string>, std::vector<double>> counters;
  std::vector<std::string> instants;
};

/// Reads a file by the rules of Perfetto's reader of this format.
Timeline readTimeline(const std::string& text) {
  REQUIRE(text[0] == '{');
  const std::optional<Json> read = plainJson(text);
  REQUIRE(read);
  const Json& file = *read;
  REQUIRE(file.at("traceEvents").is_array());
  Timeline timeline;
  double now = 0;
  struct Open {
    std::vector<double> ends;
    double last_start = -1;  ///< of the slice at which an arrow would begin or end
    Json args;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, Open> open;
  for (const Json& event : file.at("traceEvents")) {
    const auto phase = event.at("ph").get<std::string>();
    const auto pid = event.at("pid").get<std::int64_t>(), tid = event.at("tid").get<std::int64_t>();
    REQUIRE((pid > 0 && pid < 1LL << 31 && tid > 0 && tid < 1LL << 31));
    const auto name = event.at("name").get<std::string>();
    CHECK(!name.empty());
    checkLetters(name);
    if (phase == "M") {
      CHECK(timeline.slices.empty());
      const Json& args = event.at("args");
      if (name == "process_name") {
        CHECK(timeline.processes.emplace(pid, args.at("name").get<std::string>()).second);
      } else if (name == "thread_name") {
        CHECK(timeline.threads.emplace(std::pair(pid, tid), args.at("name").get<std::string>()).second);
      } else {
        REQUIRE((name == "process_sort_index" || name == "thread_sort_index"));
        CHECK(args.at("sort_index").is_number_integer());
      }
      continue;
    }
    REQUIRE(event.at("ts").is_number());
    const double at = event.at("ts").get<double>();
    CHECK(at >= now);  // of all tracks, and so of each
    now = at;
    REQUIRE(timeline.processes.contains(pid));
    if (phase != "C") REQUIRE(timeline.threads.contains({pid, tid}));
    Open& here = open[{pid, tid}];
    if (phase == "X") {
      const double lasts = event.at("dur").get<double>();
      REQUIRE(lasts > 0);
      const auto over = [&](double end) { return end <= at + 1e-4; };
      while (!here.ends.empty() && over(here.ends.back())) here.ends.pop_back();
      if (!here.ends.empty()) REQUIRE(at + lasts <= here.ends.back() + 1e-4);  // slices nest
      here.ends.push_back(at + lasts);
      here.last_start = at;
      here.args = event.at("args");
      timeline.slices[{pid, tid}].push_back({at, at + lasts, name, event.at("cat"), event.at("args")});
    } else if (phase == "s" || phase == "t" || phase == "f") {
      CHECK(event.at("cat") == "message");
      CHECK(name == "message");
      REQUIRE(here.last_start == at);  // it binds to the slice that began last
      const auto id = event.at("id").get<std::int64_t>();
      const bool known = timeline.flows.contains(id);
      Timeline::Flow& flow = timeline.flows[id];
      CHECK(known == (phase != "s"));
      CHECK(!flow.to);
      CHECK(at >= flow.at);
      flow.at = at;
      if (phase == "s") flow.from = here.args;
      if (phase == "t") ++flow.between;
      if (phase == "f") flow.to = here.args;
      if (phase != "s") CHECK(event.at("bp") == "e");
    } else if (phase == "C") {
      CHECK(event.at("args").size() == 1);
      timeline.counters[{pid, name}].push_back(event.at("args").at("value").get<double>());
    } else {
      REQUIRE(phase == "i");
      CHECK(event.at("s") == "t");
      timeline.instants.push_back(name);
    }
  }
  for (const auto& [id, flow] : timeline.flows) CHECK((flow.from && flow.to));
  REQUIRE(!timeline.slices.empty());
  return timeline;
}

/// A whole file without filters.
void checkTimeline(const Trace& trace, const Letters& letters) {
  const Timeline timeline = readTimeline(toPerfetto(trace, {}));
  std::map<std::int64_t, std::string> process_of;  // of nodes
  const std::map<std::int64_t, std::string> names = namesOf(trace);
  std::map<std::size_t, const TimelineSlice*> slices;  // of events
  std::map<std::int64_t, std::vector<std::string>> roles;
  for (const auto& [track, list] : timeline.slices) {
    const std::string& process = timeline.processes.at(track.first);
    for (const TimelineSlice& slice : list) {
      const auto index = slice.args.at("event").get<std::size_t>();
      REQUIRE(index < trace.events.size());
      const TraceEvent& event = trace.events[index];
      // A slice is within the millisecond of its event.
      CHECK(slice.from >= static_cast<double>(event.time) * 1000 - 1e-4);
      CHECK(slice.from < static_cast<double>(event.time + 1) * 1000);
      if (event.node) {
        CHECK(process_of.emplace(*event.node, process).first->second == process);
        CHECK(process.ends_with(names.at(*event.node)));
      } else {
        CHECK(process == "network");
      }
      if (slice.category == "role") {
        CHECK(timeline.threads.at(track) == "role");
        if (slice.name != "paused" && trace.events[index].kind != "stopped")
          roles[*event.node].push_back(slice.name);
      } else {
        CHECK(slices.emplace(index, &slice).second);
        CHECK(slice.args.at("kind") == event.kind);
        if (!event.text.empty()) CHECK(slice.args.at("text") == event.text);
      }
    }
  }
  const std::set<std::string> heartbeats = heartbeatsOf(trace);
  std::map<std::pair<std::size_t, std::size_t>, int> joined;
  for (const auto& [id, flow] : timeline.flows)
    joined[{flow.from->at("event"), flow.to->at("event")}] = flow.between;
  CHECK(joined.size() == timeline.flows.size());
  std::size_t drawn = 0, under_way = 0;
  for (const auto& [number, letter] : letters) {
    if (letter.from == letter.to) continue;
    if (heartbeats.contains(letter.type)) {
      if (letter.end && joined.contains({*letter.sent, *letter.end})) ++drawn;
      if (!letter.end && slices.contains(*letter.sent)) ++under_way;
      continue;
    }
    CHECK(slices.contains(*letter.sent));
    if (!letter.end) {
      ++under_way;
      continue;
    }
    ++drawn;
    REQUIRE(joined.contains({*letter.sent, *letter.end}));
    CHECK(joined[{*letter.sent, *letter.end}] == (letter.transmitted ? 1 : 0));
  }
  CHECK(drawn == timeline.flows.size());
  for (const auto& [key, values] : timeline.counters) {
    if (key.second != "messages under way") continue;
    CHECK(values.back() == static_cast<double>(under_way));
    CHECK(std::all_of(values.begin(), values.end(), [](double value) { return value >= 0; }));
  }
  // Each role that a node takes is a slice, in order.
  std::map<std::int64_t, std::vector<std::string>> expected;
  for (const TraceEvent& event : trace.events) {
    if (event.kind == "role") expected[*event.node].push_back(event.data.at("to"));
  }
  const std::map<std::string, std::string> phases =
      trace.header.value("phases", std::map<std::string, std::string>());
  for (const auto& [node, list] : expected) {
    std::vector<std::string> found;
    for (const std::string& name : roles[node]) {
      if (!phases.contains(name)) found.push_back(name);
    }
    std::size_t at = 0;  // a phase may also begin a role
    for (const std::string& name : found) at += at < list.size() && list[at] == name ? 1 : 0;
    CHECK(at == list.size());
  }
  std::size_t broken = 0;
  for (const TraceVerdict& verdict : trace.verdicts)
    broken += (verdict.verdict == "violated" || verdict.verdict == "failed") && verdict.event ? 1 : 0;
  CHECK(broken == static_cast<std::size_t>(std::count_if(
                      timeline.instants.begin(), timeline.instants.end(), [](const std::string& name) {
                        return name.starts_with("violated: ") || name.starts_with("failed: ");
                      })));
}

/// Each state of ITF is written whole: of a long trace, its last events are enough.
void checkAll(const Trace& trace, std::size_t itf_events) {
  const Letters letters = lettersOf(trace);
  checkShiviz(trace, letters);
  checkMermaid(trace, letters);
  checkTimeline(trace, letters);
  LadderOptions window;
  if (trace.events.size() > itf_events)
    window.from = Bound{Bound::Unit::event, static_cast<std::int64_t>(trace.events.size() - itf_events)};
  checkItf(trace, letters, window);
}

/// What the formats require of any file, whatever it says.
void checkForms(const Trace& trace, const LadderOptions& options) {
  checkClocks(readShiviz(toShiviz(trace, options)));
  readMermaid(toMermaid(trace, options));
  readTimeline(toPerfetto(trace, options));
  readItf(toItf(trace, options));
}

std::vector<std::function<std::string(const Trace&, const LadderOptions&)>> writers() {
  return {toShiviz, toMermaid, toPerfetto,
          [](const Trace& trace, const LadderOptions& options) { return toItf(trace, options); }};
}

/// The errors of all writers contain the words.
void checkRefused(const Trace& trace, const LadderOptions& options, const std::string& words) {
  for (const auto& write : writers()) {
    std::string error;
    try {
      write(trace, options);
    } catch (const InputError& refused) {
      error = refused.what();
    }
    CHECK_MESSAGE(error.find(words) != std::string::npos, error);
  }
}

LadderOptions window(std::int64_t from, std::int64_t to) {
  LadderOptions options;
  options.from = Bound{Bound::Unit::event, from};
  options.to = Bound{Bound::Unit::event, to};
  return options;
}

// ---- test cases

TEST_CASE("export: whatever shipped scenarios show is accepted by the foreign readers' rules") {
  for (const std::string& path : coveringFiles()) {
    CAPTURE(path);
    checkAll(runScenario(loadCase(path).scenario).trace, 16);
  }
  CHECK(coveringFiles().size() > 100);
}

TEST_CASE("export: stories and generated traces are accepted by the foreign readers' rules") {
  for (const Trace& trace : {threeServersStart(), leaderCrashes(), leaderFailsOver()}) checkAll(trace, 1000);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    checkAll(randomTrace(seed, 80), 1000);
  }
}

TEST_CASE("export: windows, nodes, kinds and details are obeyed, and the file says what is left out") {
  const Trace trace = leaderCrashes();
  const auto last = static_cast<std::int64_t>(trace.events.size()) - 1;
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const LadderOptions part = window(10, last - 5);
  checkForms(trace, part);
  for (const auto& write : writers()) {
    CHECK(has(write(trace, part), "10 events before this window (--from 0)"));
    CHECK(has(write(trace, part), "5 events after this window (--from " + std::to_string(last - 4) + ")"));
  }
  for (const ShivizEvent& event : readShiviz(toShiviz(trace, part)))
    CHECK((event.step >= 10 && event.step <= trace.events.size() - 6));
  for (const auto& events : readItf(toItf(trace, part)).events) {
    for (const std::size_t event : events) CHECK((event >= 10 && event <= trace.events.size() - 6));
  }
  checkItf(leaderFailsOver(), lettersOf(leaderFailsOver()), window(30, 1000));

  LadderOptions two;
  two.nodes = {1, 3};
  checkForms(trace, two);
  CHECK(readMermaid(toMermaid(trace, two)).participants.size() == 2);
  for (const auto& write : writers()) CHECK(has(write(trace, two), "1 node (--nodes)"));
  for (const ShivizEvent& event : readShiviz(toShiviz(trace, two))) CHECK(event.host != "2");

  LadderOptions roles;
  roles.kinds = {"role"};
  checkForms(trace, roles);
  CHECK(readMermaid(toMermaid(trace, roles)).arrows.empty());
  CHECK(readTimeline(toPerfetto(trace, roles)).flows.empty());
  for (const ShivizEvent& event : readShiviz(toShiviz(trace, roles))) {
    const bool violated = event.text.find("violated: ") != std::string::npos;  // is told whatever its kind
    CHECK((violated || !trace.events[event.step].data.contains("message")));
  }
  for (const auto& write : writers()) {
    const std::string text = write(trace, roles);
    CHECK((has(text, "of other kinds (--kinds)") || has(text, "of these kinds (--kinds)")));
  }

  const Trace whole = leaderFailsOver();
  LadderOptions outline;
  outline.detail = Detail::outline;
  checkForms(whole, outline);
  CHECK(readMermaid(toMermaid(whole, outline)).arrows.empty());
  LadderOptions unfolded;
  unfolded.fold_heartbeats = false;
  unfolded.self_messages = true;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Trace random = randomTrace(seed, 60);
    checkForms(random, unfolded);
    const auto arrows = readMermaid(toMermaid(random, unfolded)).arrows.size();
    CHECK(arrows == lettersOf(random).size());
  }
}

TEST_CASE("export: what is hidden still orders what is shown") {
  TraceBuilder t("a chain", 3);
  for (int node = 1; node <= 3; ++node) t.start(node);
  t.now = 1;
  const int first = t.send(1, 2, "a");
  t.now = 2;
  t.deliver(first);
  const int second = t.send(2, 3, "b");
  t.now = 3;
  t.deliver(second, "the end of the chain");
  LadderOptions ends;
  ends.nodes = {1, 3};
  ends.kinds = {"role", "delivered", "sent"};
  t.role(3, "LEADING");
  const std::vector<ShivizEvent> events = readShiviz(toShiviz(t.trace, ends));
  checkClocks(events);
  CHECK(events.back().host == "3");
  CHECK(events.back().clock.at("1") ==
        2);  // the start and the role of node 1: its message is hidden with node 2
  CHECK(!events.back().clock.contains("2"));
}

TEST_CASE("export: a message orders what it joins, also where the trace names no causes") {
  Trace trace = leaderFailsOver();
  for (TraceEvent& event : trace.events) event.cause.reset();
  const std::vector<ShivizEvent> events = readShiviz(toShiviz(trace, {}));
  checkClocks(events);
  checkPast(trace, events);
  checkTimeline(trace, lettersOf(trace));
}

TEST_CASE("export: what happens at no node orders nothing but what it causes") {
  TraceBuilder t("losses", 3);
  for (int node = 1; node <= 3; ++node) t.start(node);
  t.lose(t.send(1, 2, "a"), "connection_broken");
  t.lose(t.send(3, 2, "b"), "connection_broken");
  t.add(2, "closed", Json::object(), "it notices", t.trace.events.size() - 1);
  const std::vector<ShivizEvent> events = readShiviz(toShiviz(t.trace, {}));
  checkClocks(events);
  checkPast(t.trace, events);
  CHECK(events.back().clock.contains("3"));
  CHECK(!events.back().clock.contains("1"));
}

TEST_CASE("export: a diagram ends before the limits of Mermaid, and says how to see the rest") {
  const Trace trace = randomTrace(5, 3000);
  LadderOptions options;
  std::size_t messages = 0, parts = 0;
  while (true) {
    const MermaidDiagram diagram = readMermaid(toMermaid(trace, options));
    for (const MermaidArrow& arrow : diagram.arrows) messages += arrow.head == "--)" ? 0 : 1;
    ++parts;
    std::string from;
    for (const std::string& note : diagram.notes) {
      const std::size_t at = note.find("the rest begins with --from ");
      if (at != std::string::npos) from = note.substr(at + 28);
    }
    if (from.empty()) break;
    REQUIRE((!options.from || std::stoll(from) > options.from->value));
    options.from = Bound{Bound::Unit::event, std::stoll(from)};
  }
  CHECK(parts > 1);
  std::size_t expected = 0;
  for (const auto& [number, letter] : lettersOf(trace))
    expected += letter.from != letter.to && letter.type != "PING" && letter.end ? 1 : 0;
  CHECK(messages >= expected);
}

TEST_CASE("export: ITF ends before a file becomes too large, and says where the rest begins") {
  const Trace trace = leaderFailsOver();
  const ItfTrace whole = readItf(toItf(trace, {}));
  const ItfTrace part = readItf(toItf(trace, {}, 5000));
  CHECK(part.states.size() < whole.states.size());
  const std::string from = std::to_string(whole.events[part.states.size()].front());
  CHECK(part.description.find(std::to_string(whole.states.size() - part.states.size()) + " steps") !=
        std::string::npos);
  CHECK(part.description.find("the rest begins with --from " + from) != std::string::npos);
}

TEST_CASE("export: many events of one millisecond stay in it, in order") {
  TraceBuilder t("busy", 2);
  t.start(1);
  t.start(2);
  t.now = 7;
  for (int i = 0; i < 3000; ++i) t.add(1, "box", Json::object(), "it does something");
  t.now = 8;
  t.add(2, "box", Json::object(), "and then this");
  checkTimeline(t.trace, lettersOf(t.trace));
}

/// A trace in which everything that can be a text is this one.
Trace traceOf(const std::string& text) {
  TraceBuilder t(text, 3);
  Json& nodes = t.trace.header["nodes"];
  for (Json& node : nodes) node["name"] = text;
  t.trace.header["variant"] = text;
  t.trace.header["answer"] = Json::array({text, 7, nullptr});
  t.trace.header["roles"][text] = "leading";
  t.trace.header["phases"][text] = "syncing";
  for (int node = 1; node <= 3; ++node) t.start(node, text);
  t.trace.events[0].changes = {
      {text, text}, {"map", {{text, text}}}, {"tag", {{"tag", text}}}, {"#set", nullptr}};
  t.trace.events[0].entries = {{text, {{text, 1}}}};
  t.trace.events[0].appended = {{text + "." + text, Json::array({text})}};
  t.role(1, text, text, text);
  t.now = 5;
  const int message = t.send(1, 2, text, {{"content", text}}, text);
  const int lost = t.send(1, 3, text, Json::object(), text);
  t.deliver(message, text);
  t.lose(lost, text);
  t.add(2, "box", {{"picture", {{"cells", {{{"text", text}, {"mark", text}}, 3}}, {"caption", text}}}}, text);
  if (!text.empty()) t.add(3, text, {{text, text}}, text);
  t.links("cut", {{1, 2}});
  t.add(std::nullopt, "held", {{"selector", text}}, text);
  t.add(std::nullopt, "note", Json::object(), text);
  t.add(3, "timer", {{"timer", text}}, text, 1'000'000);  // a cause that is missing
  t.trace.verdicts.push_back({text, "invariant", "violated", 1, text, 4});
  t.trace.verdicts.push_back({text, "expectation", "failed", 1, text, 1'000'000});
  return t.trace;
}

const std::vector<std::string>& hostileTexts() {
  static const std::vector<std::string> texts = {"",
                                                 " ",
                                                 "\"",
                                                 "'",
                                                 "\\",
                                                 "\\n",
                                                 "</script>",
                                                 "<b>x</b>",
                                                 "<br/>",
                                                 "&amp;",
                                                 "#35;",
                                                 "#;",
                                                 ";",
                                                 "a;b#c",
                                                 "\n",
                                                 "\r\n",
                                                 "\t",
                                                 "%% x",
                                                 "%%{init:{}}",
                                                 "{x}",
                                                 "}",
                                                 "end",
                                                 "note",
                                                 "as",
                                                 "wrap:x",
                                                 "style a:b#c;",
                                                 "$$x$$",
                                                 "---",
                                                 "constructor",
                                                 "__proto__",
                                                 "toString",
                                                 "tag",
                                                 "#map",
                                                 "#bigint",
                                                 "__x",
                                                 "=== x ===",
                                                 "# x",
                                                 "{\"A\":1} step=1 ms=2 kind=x y",
                                                 "A {\"A\":1} step=1 ms=1 kind=x y",
                                                 "-->>",
                                                 "n1->>n2: x",
                                                 "\xe2\x80\xae",
                                                 "\xe2\x80\xa8",
                                                 "\xe2\x80\x8b",
                                                 "\xc2\xa0",
                                                 "\xe3\x80\x80",
                                                 "\xff\xfe",
                                                 "\xc3",
                                                 "\xef\xac\x82\xc2\xb0",
                                                 "\xc2\xb6",
                                                 "漢字 😀",
                                                 "-1",
                                                 "007",
                                                 std::string(1, '\0') + "x",
                                                 "\x1b[31m",
                                                 "step",
                                                 "messages",
                                                 "mbt::actionTaken",
                                                 "state::x",
                                                 "#meta"};
  return texts;
}

TEST_CASE("export: any text in a trace gives files that the readers accept") {
  for (const std::string& text : hostileTexts()) {
    CAPTURE(text);
    checkForms(traceOf(text), {});
    checkForms(traceOf(text + text), {});
  }
}

TEST_CASE("export: texts of megabytes give files that the readers accept") {
  const Trace trace = traceOf(std::string(1'500'000, 'x'));
  checkClocks(readShiviz(toShiviz(trace, {})));
  readMermaid(toMermaid(trace, {}));
  CHECK(toPerfetto(trace, {}).size() < std::size_t{200} << 20);
  CHECK(toItf(trace, {}).size() < (std::size_t{64} << 20) + (std::size_t{40} << 20));
}

/// Any JSON.
Json anyJson(Dice& dice, int depth) {
  const int what = dice.below(depth > 3 ? 7 : 9);
  if (what == 0) return nullptr;
  if (what == 1) return dice.chance(50);
  if (what == 2) return dice.below(5);
  if (what == 3) return -1;
  if (what == 4) return 1.5;
  if (what == 5) return std::uint64_t{18'446'744'073'709'551'615U};
  if (what == 6) return hostileTexts()[static_cast<std::size_t>(dice.below(30))];
  Json value = what == 7 ? Json::array() : Json::object();
  for (int i = dice.below(4); i > 0; --i) {
    if (what == 7)
      value.push_back(anyJson(dice, depth + 1));
    else
      value[hostileTexts()[static_cast<std::size_t>(dice.below(40))]] = anyJson(dice, depth + 1);
  }
  return value;
}

TEST_CASE("export: a damaged trace gives files that the readers accept, or a clear error") {
  std::size_t written = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    Trace trace = randomTrace(seed, 30);
    for (int i = 1 + dice.below(30); i > 0; --i) {
      TraceEvent& event =
          trace.events[static_cast<std::size_t>(dice.below(static_cast<int>(trace.events.size())))];
      const int what = dice.below(8);
      if (what == 0) event.data = Json::object();
      if (what == 1 && !event.data.empty()) {
        auto member = event.data.begin();
        for (int k = dice.below(static_cast<int>(event.data.size())); k > 0; --k) ++member;
        member.value() = anyJson(dice, 0);
      }
      if (what == 2) event.node.reset();
      if (what == 3) event.node = dice.below(9) - 3;
      if (what == 4) event.kind = dice.chance(50) ? "delivered" : "role";
      if (what == 5) event.cause = static_cast<std::uint64_t>(dice.below(200));
      if (what == 6) event.changes = {{"field", anyJson(dice, 0)}, {"disk", anyJson(dice, 0)}};
      if (what == 7) event.appended = {{"field.list", Json::array({anyJson(dice, 0)})}};
    }
    for (const char* key :
         {"nodes", "roles", "phases", "heartbeats", "answer", "end", "title", "mutations"}) {
      if (dice.chance(4)) trace.header[key] = anyJson(dice, 0);
    }
    try {
      checkForms(trace, {});
      ++written;
    } catch (const InputError& error) {
      CHECK(std::string(error.what()).find("there is nothing to write") != std::string::npos);
    }
  }
  CHECK(written > 65);
}

TEST_CASE("export: where nothing is left to write, the error says why") {
  Trace trace = threeServersStart();
  checkRefused(trace, window(1'000'000, 2'000'000), "no such events");
  trace.header["nodes"] = Json::array();
  checkRefused(trace, {}, "names no nodes");
  trace.header = Json::object();
  checkRefused(trace, {}, "names no nodes");
  trace = Trace();
  checkRefused(trace, {}, "names no nodes");
  trace.header["nodes"] = Json::array({{{"id", 1}}});
  checkRefused(trace, {}, "no such events");
  TraceBuilder late("late", 1);
  late.now = 9'000'000'000'000'000;
  late.start(1);
  CHECK_THROWS_AS(toPerfetto(late.trace, {}), InputError);
  TraceBuilder many("many", 3000);
  many.start(1);
  CHECK_THROWS_AS(toMermaid(many.trace, {}), InputError);
}

}  // namespace
}  // namespace zablab::viz
