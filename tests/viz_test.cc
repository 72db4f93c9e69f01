// Pictures of traces. The main test reads the DOT text back with a separate reader and compares what it finds
// with the trace: everything is present once, on its lane, in order, and nothing else. It runs on three small
// stories and on many generated ones. Golden texts are in tests/data/viz; ZABLAB_WRITE_GOLDEN=1 in the
// environment rewrites them.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "tests/viz_check.h"
#include "tests/viz_dot_reader.h"
#include "tests/viz_stories.h"
#include "viz/dot.h"
#include "viz/graphviz.h"
#include "viz/ladder.h"
#include "viz/text.h"

namespace zablab::viz {
namespace {

namespace fs = std::filesystem;

// ---- files

std::string readFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void checkGolden(const std::string& name, const std::string& text) {
  const fs::path path = fs::path(ZABLAB_SOURCE_DIR) / "tests/data/viz" / name;
  if (std::getenv("ZABLAB_WRITE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << text;
  CHECK_MESSAGE(readFile(path) == text, name,
                " is not what is drawn; look at the difference, then write it anew");
}

/// A folder that is removed afterwards.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "zablab-viz-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path); }

  std::string script(const std::string& text) const {
    const fs::path file = path / "program";
    std::ofstream(file) << "#!/bin/sh\n" << text;
    chmod(file.c_str(), 0755);
    return file.string();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }

  fs::path path;
};

GraphvizError::Kind failure(const std::function<void()>& draw, const std::string& words) {
  try {
    draw();
  } catch (const GraphvizError& error) {
    CHECK_MESSAGE(std::string(error.what()).find(words) != std::string::npos, error.what());
    return error.kind;
  }
  FAIL("nothing failed");
  return GraphvizError::Kind::failed;
}

/// Draws with the real program.
void drawForReal(const std::string& dot, const std::function<void(const std::string&)>& look) {
  const Folder folder;
  const std::string path = (folder.path / "out.svg").string();
  try {
    drawDot(dot, ImageFormat::svg, path, {});
  } catch (const GraphvizError& error) {
    FAIL(error.what(), " (scripts/deps.sh installs Graphviz)");
  }
  CHECK(folder.files() == 1);
  look(readFile(path));
}

/// Difficult text for all formats: quotes, escapes, markup, control and invisible characters, broken UTF-8.
std::string nastyText(Dice& dice) {
  static const std::vector<std::string> parts = {"\"",
                                                 "\\",
                                                 "\\\\",
                                                 "\\n",
                                                 "\\N",
                                                 "\\\"",
                                                 "<",
                                                 ">",
                                                 "&",
                                                 "&amp;",
                                                 "&#39;",
                                                 "<B>",
                                                 "</TD>",
                                                 "]]>",
                                                 "\n",
                                                 "\r\n",
                                                 "\t",
                                                 std::string(1, '\0'),
                                                 "\x01",
                                                 "\x1b[31m",
                                                 "\x7f",
                                                 "\xc3",
                                                 "\xff\xfe",
                                                 "\xe2\x80\xae",
                                                 "\xef\xbf\xbf",
                                                 "ä",
                                                 "→",
                                                 "漢字",
                                                 "😀",
                                                 "́",
                                                 "%s",
                                                 "$(reboot)",
                                                 "`",
                                                 "'",
                                                 ";",
                                                 "];",
                                                 "//",
                                                 "/*",
                                                 "#",
                                                 "-->",
                                                 "a",
                                                 "b c",
                                                 " "};
  std::string text;
  for (int i = dice.below(12); i >= 0; --i)
    text += parts[static_cast<std::size_t>(dice.below(static_cast<int>(parts.size())))];
  return text;
}

Trace nastyTrace(std::uint64_t seed) {
  Dice dice(seed);
  TraceBuilder t(nastyText(dice), 3);
  t.trace.header["variant"] = nastyText(dice);
  t.trace.header["mutations"] = Json::array({nastyText(dice)});
  t.trace.header["label"] = nastyText(dice);
  for (Json& node : t.trace.header["nodes"]) {
    node["name"] = nastyText(dice);
    node["kind"] = nastyText(dice);
  }
  for (int node = 1; node <= 3; ++node) t.start(node);
  t.now = 5;
  const auto nasty = [&] { return nastyText(dice); };
  const std::vector<std::string> words = {nasty(), nasty(), nasty(), nasty(), nasty(), nasty(),
                                          nasty(), nasty(), nasty(), nasty(), nasty(), nasty()};
  const int one = t.send(1, 2, words[0], {{"content", words[1]}}, words[2]);
  const int two = t.send(1, 3, words[3], Json::object(), words[4]);
  t.now = 6;
  t.deliver(one, words[5]);
  Json picture = {{"cells", Json::array({{{"text", words[6]}, {"mark", words[7]}}})}, {"quorum", true}};
  picture["caption"] = words[8];
  t.add(2, "box", {{"picture", picture}}, words[9]);
  t.trace.header["phases"] = {{words[1], "syncing"}};
  t.role(2, words[10], words[11], words[1]);
  t.lose(two, nastyText(dice));
  t.add(3, "stopped", {{"how", "exit"}, {"reason", nastyText(dice)}}, words[1]);
  t.add(std::nullopt, nastyText(dice), {{"selector", words[2]}}, words[3]);
  t.add(std::nullopt, "held", {{"selector", nastyText(dice)}});
  t.add(std::nullopt, "note", Json::object(), nastyText(dice));
  t.trace.verdicts.push_back({nastyText(dice), "invariant", "violated", 1, nastyText(dice), 3});
  return t.trace;
}

bool isHarmless(const std::string& text, bool ascii) {
  return std::all_of(text.begin(), text.end(), [=](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '\n' || (byte >= 0x20 && byte != 0x7F && (!ascii || byte < 0x7F));
  });
}

// ---- tests

const std::vector<RowMode> all_modes = {RowMode::event, RowMode::causal, RowMode::time};

TEST_CASE("viz: a picture is correct") {
  for (const Trace& trace : {threeServersStart(), leaderCrashes(), leaderFailsOver()}) {
    for (const RowMode mode : all_modes) {
      for (const bool self : {false, true}) {
        LadderOptions options;
        options.rows = mode;
        options.self_messages = self;
        checkPicture(trace, options);
        checkLayout(layOut(trace, options));
      }
    }
  }
}

TEST_CASE("viz: pictures of generated traces are correct") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const Trace trace = randomTrace(seed, 15 + static_cast<int>(seed % 7) * 12);
    for (const RowMode mode : all_modes) {
      LadderOptions options;
      options.rows = mode;
      options.self_messages = seed % 3 == 0;
      options.fold_heartbeats = seed % 4 != 0;
      checkPicture(trace, options);
      checkLayout(layOut(trace, options));
    }
  }
}

TEST_CASE("viz: golden texts") {
  const Ladder start = layOut(threeServersStart(), {});
  checkGolden("start.dot", toDot(start));
  checkGolden("start.txt", toText(start, {120, false, false}));
  LadderOptions dark;
  dark.theme = Theme::dark;
  const Ladder crash = layOut(leaderCrashes(), dark);
  checkGolden("crash.dot", toDot(crash));
  checkGolden("crash.txt", toText(crash, {100, true, false}));
  const Ladder failover = layOut(leaderFailsOver(), {});
  checkGolden("failover.dot", toDot(failover));
  checkGolden("failover.txt", toText(failover, {160, false, false}));
}

TEST_CASE("viz: Graphviz draws the golden pictures") {
  for (const Trace& trace : {threeServersStart(), leaderCrashes(), leaderFailsOver()}) {
    const std::string text = toDot(layOut(trace, {}));
    const DotReader dot(text);
    drawForReal(text, [&](const std::string& svg) {
      CHECK(svg.find("</svg>") != std::string::npos);
      for (const Element& edge : dot.edges) {
        if (!edge.has("message")) continue;
        CHECK(svg.find("<g id=\"" + edge.id() + "\" class=\"edge message ") != std::string::npos);
      }
    });
  }
}

TEST_CASE("viz: the DOT text is well-formed for any texts") {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed);
    const Trace trace = nastyTrace(seed);
    const Ladder ladder = layOut(trace, {});
    const std::string text = toDot(ladder);
    const DotReader dot(text);
    for (const Lane& lane : ladder.lanes) CHECK(clean(lane.name) == lane.name);
    for (const Arrow& arrow : ladder.arrows) {
      const std::string id = "label-" + std::to_string(arrow.message);
      if (arrow.label_place) CHECK(shownText(dot.nodes.at(id).get("label")) == arrow.label);
    }
    CHECK(isHarmless(text, false));
    for (const Narration& entry : ladder.narration) {
      if (entry.kind == Narration::Kind::violation) continue;
      const std::string id = "text-" + std::to_string(entry.event);
      CHECK(shownText(dot.nodes.at(id).get("label")) == entry.lines.front());
    }
    for (const bool ascii : {false, true}) {
      CHECK(isHarmless(toText(ladder, {100, ascii, false}), ascii));
    }
    if (seed % 25 != 0) continue;
    drawForReal(text, [](const std::string& svg) { CHECK(svg.find("</svg>") != std::string::npos); });
  }
}

TEST_CASE("viz: text for pictures is made harmless and measured") {
  CHECK(clean("a\tb\n") == "a␉b␊");
  CHECK(clean("\x7f\xc2\x85") == "␡�");
  CHECK(clean("ok \xe2\x80\xae\xff\xed\xa0\x80") == "ok \ufffd\ufffd\ufffd\ufffd\ufffd");
  CHECK(clean("→漢😀") == "→漢😀");
  CHECK(columns("→漢😀e\xcc\x81") == 6);
  CHECK(textWidth("il", Face::sans, 100) < textWidth("mw", Face::sans, 100));
  CHECK(textWidth("il", Face::mono, 100) == textWidth("mw", Face::mono, 100));
  CHECK(elideColumns("abcdef", 4) == "abc…");
  CHECK(elideColumns("abcd", 4) == "abcd");
  CHECK(wrapColumns("one two three", 7, 5) == std::vector<std::string>{"one two", "three"});
  CHECK(wrapColumns("one two three", 7, 1) == std::vector<std::string>{"one tw…"});
  CHECK(wrapColumns("abcdefghij k", 4, 5) == std::vector<std::string>{"abcd", "efgh", "ij k"});
  CHECK(wrapColumns("", 4, 5).empty());
}

TEST_CASE("viz: unrelated steps of one instant share a row, related ones do not") {
  TraceBuilder t("rows", 3);
  for (int node = 1; node <= 3; ++node) t.start(node);
  const int message = t.send(1, 2, "x");
  t.deliver(message);
  const Ladder ladder = layOut(t.trace, {});
  REQUIRE(ladder.rows.size() == 2);
  CHECK(ladder.arrows.at(0).row_from == 0);
  CHECK(ladder.arrows.at(0).row_to == 1);
}

TEST_CASE("viz: events that draw nothing take no row") {
  TraceBuilder t("rows", 2);
  t.start(1);
  t.now = 5;
  t.add(1, "timer", {{"timer", "tick"}});
  t.add(1, "written", {{"record", "epoch"}});
  t.now = 9;
  t.add(1, "timer", {{"timer", "tick"}}, "its patience ends");
  const Ladder ladder = layOut(t.trace, {});
  CHECK(ladder.rows.size() == 2);
  CHECK(ladder.rows[1].number == 4);
}

TEST_CASE("viz: heartbeats are folded and counted") {
  const Trace trace = leaderCrashes();
  const Ladder folded = layOut(trace, {});
  const auto fold = std::find_if(folded.narration.begin(), folded.narration.end(),
                                 [](const Narration& entry) { return entry.kind == Narration::Kind::fold; });
  REQUIRE(fold != folded.narration.end());
  CHECK(fold->full == "6 × PING folded");  // what is violated stands between them
  LadderOptions all;
  all.fold_heartbeats = false;
  CHECK(layOut(trace, all).arrows.size() == folded.arrows.size() + 12);
  LadderOptions more;
  more.heartbeats = {"VOTE"};
  CHECK(layOut(trace, more).arrows.size() < folded.arrows.size());
}

TEST_CASE("viz: a window, a choice of servers or of kinds, and a page state what they leave out") {
  const Trace trace = threeServersStart();
  const Ladder whole = layOut(trace, {});
  const auto has = [](const std::vector<std::string>& lines, const std::string& words) {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const std::string& line) { return line.find(words) != std::string::npos; });
  };
  CHECK(whole.banners_top.empty());
  CHECK(whole.banners_bottom.empty());

  LadderOptions page;
  page.page_rows = 3;
  const Ladder first = layOut(trace, page);
  CHECK(first.rows.size() == 3);
  REQUIRE(has(first.banners_bottom, "3 of " + std::to_string(whole.rows.size()) + " rows drawn"));
  CHECK(has(first.banners_bottom, "--from " + std::to_string(whole.rows[3].number)));
  checkLayout(first);

  LadderOptions rest;
  rest.from = Bound{Bound::Unit::event, static_cast<std::int64_t>(whole.rows[3].number)};
  const Ladder second = layOut(trace, rest);
  CHECK(second.rows.size() == whole.rows.size() - 3);
  CHECK(has(second.banners_top, "not drawn: --from 0"));
  CHECK(std::any_of(second.bands.begin(), second.bands.end(),
                    [](const Band& band) { return band.row_from < 0 && band.role == "LOOKING"; }));
  checkLayout(second);

  LadderOptions times;
  times.from = Bound{Bound::Unit::time_ms, 5};
  times.to = Bound{Bound::Unit::time_ms, 9};
  const Ladder middle = layOut(trace, times);
  CHECK(middle.rows.front().time == 5);
  CHECK(middle.rows.back().time == 9);
  checkLayout(middle);

  LadderOptions servers;
  servers.nodes = {1, 3};
  const Ladder two = layOut(trace, servers);
  CHECK(two.lanes.size() == 2);
  CHECK(has(two.subtitle, "messages of other servers"));
  checkLayout(two);

  LadderOptions kinds;
  kinds.kinds = {"sent"};
  const Ladder bare = layOut(trace, kinds);
  CHECK(bare.boxes.empty());
  CHECK(bare.arrows.size() == whole.arrows.size());
  kinds.kinds = {"box"};
  CHECK(layOut(trace, kinds).arrows.empty());
  CHECK(layOut(trace, kinds).boxes.size() == whole.boxes.size());
}

TEST_CASE("viz: a partition is shaded by its sides, a cut of single directions is named") {
  const Ladder ladder = layOut(leaderCrashes(), {});
  std::vector<std::string> texts;
  for (const Shade& shade : ladder.shades) texts.push_back(shade.text);
  CHECK(texts == std::vector<std::string>{"cut: 1 → 2 (one way)", "1 alone", "2, 3 among themselves"});
}

TEST_CASE("viz: a phase with its own tone changes the band, and the label states it once") {
  const Ladder ladder = layOut(leaderFailsOver(), {});
  const auto lane = [&](const std::string& name) {
    const auto found = std::find_if(ladder.lanes.begin(), ladder.lanes.end(),
                                    [&](const Lane& one) { return one.name == name; });
    return static_cast<int>(found - ladder.lanes.begin());
  };
  const auto bands = [&](const std::string& name) {
    std::vector<std::string> result;
    for (const Band& band : ladder.bands) {
      if (band.lane != lane(name) || band.tone == Tone::absent) continue;
      result.push_back(band.role + (band.phase.empty() ? "" : " · " + band.phase));
      CHECK((band.tone == Tone::syncing) == !band.phase.empty());
    }
    return result;
  };
  const auto tags = [&](const std::string& name) {
    std::vector<std::string> result;
    for (const Tag& tag : ladder.tags) {
      if (tag.lane == lane(name) && tag.kind == Tag::Kind::role)
        result.push_back(tag.text + (tag.details.empty() ? "" : " · " + tag.details.front()));
    }
    return result;
  };
  CHECK(bands("D") == std::vector<std::string>{"FOLLOWING", "LOOKING", "LEADING · discovery",
                                               "LEADING · synchronization", "LEADING"});
  CHECK(tags("D") == std::vector<std::string>{"FOLLOWING", "LOOKING", "LEADING · discovery",
                                              "synchronization", "LEADING"});
  CHECK(bands("client 101") == std::vector<std::string>{""});
  CHECK(tags("client 101").empty());
}

TEST_CASE("viz: the legend has every look that occurs, once") {
  std::vector<std::string> texts;
  for (const LegendEntry& entry : layOut(leaderFailsOver(), {}).legend) texts.push_back(entry.text);
  const std::vector<std::string> expected = {"LOOKING",
                                             "LEADING",
                                             "FOLLOWING",
                                             "syncing",
                                             "down",
                                             "crash",
                                             "restart",
                                             "VOTE",
                                             "REQUEST, REPLY",
                                             "PROPOSAL",
                                             "COMMIT",
                                             "ACK",
                                             "FOLLOWERINFO, LEADERINFO, ACKEPOCH",
                                             "DIFF, NEWLEADER, UPTODATE",
                                             "lost",
                                             "counted",
                                             "nothing heard yet",
                                             "logged, not durable yet",
                                             "durable",
                                             "committed",
                                             "gone",
                                             "quorum",
                                             "label = (round, candidate, zxid)"};
  CHECK(texts == expected);
}

TEST_CASE("viz: a client is on no side of a partition that does not touch it") {
  TraceBuilder t("cut", 3);
  t.addClient(101);
  for (int node = 1; node <= 3; ++node) t.start(node);
  const auto blocks = [&] {
    std::vector<std::string> texts;
    for (const Shade& shade : layOut(t.trace, {}).shades) {
      texts.push_back(shade.text + " " + std::to_string(shade.lane_from) + std::to_string(shade.lane_to));
    }
    return texts;
  };
  t.now = 5;
  t.links("cut", {{1, 2}, {2, 1}, {1, 3}, {3, 1}});
  CHECK(blocks() == std::vector<std::string>{"1 alone 00", "2, 3 among themselves 12"});
  t.links("cut", {{1, 101}, {101, 1}});
  CHECK(blocks().back() == "2, 3, client 101 among themselves 13");
}

TEST_CASE("viz: an empty trace and a trace without servers have a picture") {
  Trace trace;
  const Ladder nothing = layOut(trace, {});
  const std::string text = toDot(nothing);
  const DotReader dot(text);
  CHECK(!toText(nothing, {}).empty());
  trace.header["nodes"] = Json::array({{{"id", 1}}});
  const Ladder one = layOut(trace, {});
  CHECK(one.lanes.size() == 1);
  CHECK(one.banners_bottom.size() == 1);
}

TEST_CASE("viz: text keeps to its width, and shows where it is cut") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Ladder ladder = layOut(randomTrace(seed, 60), {});
    if (ladder.lanes.size() > 5) continue;
    for (const int width : {100, 130, 160}) {
      std::istringstream lines(toText(ladder, {width, seed % 2 == 0, false}));
      std::string line;
      while (std::getline(lines, line)) {
        CHECK(columns(line) <= width);
        CHECK((line.empty() || line.back() != ' '));
      }
    }
  }
  TraceBuilder t("cut", 5);
  for (int node = 1; node <= 5; ++node) t.start(node);
  t.now = 3;
  t.deliver(t.send(1, 2, "a label as long as thirty five"));
  CHECK(toText(layOut(t.trace, {}), {100, false, false}).find("cut to fit 100 columns") != std::string::npos);
  CHECK(toText(layOut(threeServersStart(), {}), {140, false, false}).find("cut to fit") == std::string::npos);
  CHECK(toText(layOut(t.trace, {}), {100, false, true}).find("\033[") != std::string::npos);
}

TEST_CASE("viz: the text has the rows of the picture") {
  const Ladder ladder = layOut(threeServersStart(), {});
  std::istringstream lines(toText(ladder, {140, false, false}));
  std::string line;
  std::vector<std::string> numbers;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string first;
    if (words >> first &&
        std::all_of(first.begin(), first.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      if (line.find("ms") != std::string::npos || line.size() > 6) numbers.push_back(first);
    }
  }
  std::vector<std::string> expected = {"1"};  // the line of names
  for (const Row& row : ladder.rows) expected.push_back(std::to_string(row.number));
  CHECK(numbers == expected);
}

TEST_CASE("viz: running a program that fails leaves no file behind") {
  const Folder folder;
  const std::string out = (folder.path / "out.svg").string();
  const std::string dot = toDot(layOut(threeServersStart(), {}));
  GraphvizOptions options;

  options.program = "zablab-no-such-program";
  CHECK(failure([&] { drawDot(dot, ImageFormat::svg, out, options); }, "package `graphviz`") ==
        GraphvizError::Kind::missing);
  options.program = folder.script("echo first >&2; echo 'syntax error near x' >&2; exit 3\n");
  CHECK(failure([&] { drawDot(dot, ImageFormat::svg, out, options); },
                "ended with status 3\n  first\n  syntax error") == GraphvizError::Kind::failed);
  options.program = folder.script("kill -9 $$\n");
  CHECK(failure([&] { drawDot(dot, ImageFormat::svg, out, options); }, "signal 9") ==
        GraphvizError::Kind::failed);
  options.program = folder.script("exec sleep 20\n");
  options.time_limit_ms = 200;
  CHECK(failure([&] { drawDot(dot, ImageFormat::svg, out, options); }, "longer than 200 ms") ==
        GraphvizError::Kind::timed_out);
  CHECK(failure([&] { drawDot(dot, ImageFormat::svg, (folder.path / "no/out.svg").string(), options); },
                "cannot write") == GraphvizError::Kind::file);
  CHECK(folder.files() == 1);  // the script
}

TEST_CASE("viz: what the program writes replaces the file") {
  const Folder folder;
  const fs::path out = folder.path / "out.svg";
  std::ofstream(out) << "old";
  GraphvizOptions options;
  options.program = folder.script("echo \"$@\"; exec cat\n");
  drawDot(std::string(300'000, 'x'), ImageFormat::png, out.string(), options);
  CHECK(readFile(out) == "-Tpng -Gdpi=96\n" + std::string(300'000, 'x'));
  options.program = folder.script("exec 0<&-; echo done\n");  // reads nothing
  drawDot(std::string(300'000, 'x'), ImageFormat::svg, out.string(), options);
  CHECK(readFile(out) == "done\n");
  CHECK(folder.files() == 2);
}

TEST_CASE("viz: a PNG that cairo could not draw is refused before anything runs") {
  Ladder ladder = layOut(threeServersStart(), {});
  ladder.height = 400'000;
  GraphvizOptions options;
  options.program = "zablab-no-such-program";
  CHECK(failure([&] { drawSheet(ladder, ImageFormat::png, "/nowhere/out.png", options); }, "--page") ==
        GraphvizError::Kind::too_large);
}

TEST_CASE("viz: a long trace is drawn in pages in reasonable time") {
  const Trace trace = randomTrace(5, 3000);
  const Ladder ladder = layOut(trace, {});
  CHECK(ladder.rows.size() == 400);
  CHECK(ladder.heads.size() == 10);
  REQUIRE(ladder.banners_bottom.size() >= 1);
  CHECK(ladder.banners_bottom[0].find("400 of ") == 0);
}

}  // namespace
}  // namespace zablab::viz
