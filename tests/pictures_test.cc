// Pictures of the shipped scenarios: what they say first, that they fit, and that every format shows the
// same.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "checker/check/check.h"
#include "checker/execute.h"
#include "checker/why.h"
#include "tests/shipped.h"
#include "tests/viz_check.h"
#include "tests/viz_dot_reader.h"
#include "tests/viz_stories.h"
#include "viz/dot.h"
#include "viz/explain.h"
#include "viz/formats.h"
#include "viz/phrases.h"
#include "viz/place.h"
#include "viz/roles.h"
#include "viz/sheet.h"
#include "viz/story.h"
#include "viz/svg.h"
#include "viz/text.h"
#include "viz/watches.h"

namespace zablab::viz {
namespace {

Trace shippedTrace(const std::string& name) {
  const Case one = loadCase(ZABLAB_SOURCE_DIR "/scenarios/" + name + ".json");
  return runScenario(one.scenario).trace;
}

LadderOptions withDetail(Detail detail) {
  LadderOptions options;
  options.detail = detail;
  return options;
}

/// Height of the picture at this width.
std::int64_t heightAt(const Ladder& ladder, std::int64_t width) {
  return static_cast<std::int64_t>(ladder.height) * width / ladder.width;
}

// Who leads and for what is from the documents' accounts of these runs; the voters are those whose votes
// arrive first, and for ids FastLeaderElection's order of votes decides.
TEST_CASE(
    "pictures: the result comes first: who leads, by whose votes, preferred for what, and what became of the "
    "log") {
  struct Row {
    std::string scenario;
    std::vector<std::string> answer;
  };
  const std::vector<Row> rows{
      {"election/000-F1-three-servers-start", {"3 leads epoch 1, elected by 1, 3: id 3 > 2"}},
      {"election/000-F9-leader-restart", {"1 leads epoch 2, elected by 1, 2: zxid 1.11 > 1.10 of server 2"}},
      {"recovery/000-C1-leader-dies-with-P3",
       {"B leads epoch 2, elected by B, C, D: zxid 1.3 > 1.2 of server D",
        "1.3, not known to be committed before, is committed with epoch 2",
        "2 writes were acknowledged, 0 of them lost"}},
  };
  for (const Row& row : rows) {
    const Trace trace = shippedTrace(row.scenario);
    CAPTURE(row.scenario);
    CHECK(trace.header.at("answer") == Json(row.answer));
    const Ladder ladder = layOut(trace, {});
    REQUIRE(ladder.answer.size() == row.answer.size());
    for (std::size_t i = 0; i < row.answer.size(); ++i) CHECK(ladder.answer[i].full == row.answer[i]);
    for (const Format& format : formats()) {
      if (format.of_sheet == nullptr) continue;
      std::string text = format.of_sheet(ladder);
      text = std::regex_replace(text, std::regex("&gt;"), ">");
      text = std::regex_replace(text, std::regex("&#39;|&apos;"), "'");
      CHECK_MESSAGE(text.find(row.answer[0]) != std::string::npos, format.extension);
    }
  }
}

// As the documents tell these runs; the order of the answers is that of the requests.
TEST_CASE("pictures: the result of Leader and Followers, and of a quorum register") {
  struct Row {
    std::string scenario;
    std::vector<std::string> answer;
    std::string violated;  ///< by which invariant, and its text
  };
  const std::vector<Row> rows{
      {"leader-followers/004-2-a-leader-by-a-majority",
       {"C leads generation 2, elected by B, C", "C commits up to 2.2, with B, C"},
       ""},
      {"quorum-register/004-Q1-a-read-finds-what-a-later-read-does-not",
       {"writer1 does not know if its write was done",
        "c1 reads 2 (v1 of writer1), as server1, server2 have it",
        "c2 reads 1 (v0), as server2, server3 have it"},
       "linearizable: client c2 read 1 fits in no order. Before it, this order fits: client writer1 write 2, "
       "without an answer; client c1 read 2. It could have been: read 2"},
  };
  for (const Row& row : rows) {
    const Trace trace = shippedTrace(row.scenario);
    CAPTURE(row.scenario);
    CHECK(trace.header.at("answer") == Json(row.answer));
    std::string violated;
    for (const TraceVerdict& verdict : trace.verdicts) {
      if (verdict.verdict == "violated" && verdict.kind == "invariant")
        violated += (violated.empty() ? "" : "\n") + verdict.name + ": " + verdict.text;
    }
    CHECK(violated == row.violated);
  }
}

TEST_CASE(
    "pictures: what a violation is about has a frame and a sign of its own, in logs and at a ballot box") {
  struct Row {
    std::string scenario;
    std::string about;
    std::set<std::string> servers;  ///< whose pictures show it
  };
  const std::vector<Row> rows{
      // C leads without P3, which A had committed before it died; B and C have truncated it
      {"recovery/000-C7b-an-acknowledged-P3-is-lost-naive", "1.3", {"A"}},
      {"election/002-A1-half-is-available-as-documented", "quorum for 2", {"1"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.scenario);
    const Trace trace = shippedTrace(row.scenario);
    const auto violated = std::find_if(trace.verdicts.begin(), trace.verdicts.end(),
                                       [](const TraceVerdict& verdict) { return !verdict.about.empty(); });
    REQUIRE(violated != trace.verdicts.end());
    CHECK(violated->about == row.about);
    const Ladder ladder = layOut(trace, {});
    std::set<std::string> servers;
    std::size_t marked = 0;
    for (const Box& box : ladder.boxes) {
      const bool cell = std::any_of(box.cells.begin(), box.cells.end(), [&](const Cell& each) {
        CHECK((each.text.find(sign_of_violation) != std::string::npos) == each.violated);
        return each.violated;
      });
      if (!cell && !box.violated) continue;
      ++marked;
      servers.insert(ladder.lanes[static_cast<std::size_t>(box.lane)].name);
    }
    CHECK(servers == row.servers);
    CHECK(marked == servers.size());
    const std::string svg = toSvg(ladder);
    CHECK(svg.find(" violation\"") != std::string::npos);
    CHECK(std::any_of(ladder.legend.begin(), ladder.legend.end(),
                      [](const LegendEntry& entry) { return entry.kind == LegendEntry::Kind::violated; }));
    // A story has rows of all logs instead of the boxes at each server.
    const Ladder story = layOut(trace, withDetail(Detail::story));
    CHECK(std::any_of(story.boxes.begin(), story.boxes.end(), [](const Box& box) {
      return box.violated ||
             std::any_of(box.cells.begin(), box.cells.end(), [](const Cell& each) { return each.violated; });
    }));
    // A trace that does not say what it is about has the same picture without it.
    Trace silent = trace;
    for (TraceVerdict& verdict : silent.verdicts) verdict.about.clear();
    for (const Box& box : layOut(silent, {}).boxes) {
      CHECK(!box.violated);
      CHECK(std::none_of(box.cells.begin(), box.cells.end(), [](const Cell& each) { return each.violated; }));
    }
  }
}

TEST_CASE("pictures: what is violated is said first, by the servers' names, and marked at its server") {
  const Trace trace = shippedTrace("recovery/000-C7b-an-acknowledged-P3-is-lost-naive");
  for (const Detail detail : {Detail::full, Detail::story, Detail::outline}) {
    const Ladder ladder = layOut(trace, withDetail(detail));
    const auto said = std::find_if(ladder.answer.begin(), ladder.answer.end(),
                                   [](const AnswerLine& line) { return line.violated; });
    REQUIRE(said != ladder.answer.end());
    CHECK(said->full ==
          "committed-never-lost is violated: 1.3, committed in epoch 1, is not in the history of C, "
          "which leads epoch 2");
    const auto mark = std::find_if(ladder.tags.begin(), ladder.tags.end(),
                                   [](const Tag& tag) { return tag.kind == Tag::Kind::violated; });
    REQUIRE(mark != ladder.tags.end());
    CHECK(ladder.lanes[static_cast<std::size_t>(mark->lane)].name == "C");
  }
}

TEST_CASE("pictures: a log that lost its last entry is drawn empty") {
  const Trace trace =
      shippedTrace("recovery/an-ack-outlives-its-truncation");  // a TRUNC removes all that 1 has
  const Ladder ladder = layOut(trace, withDetail(Detail::story));
  const auto empty = std::find_if(ladder.boxes.begin(), ladder.boxes.end(), [](const Box& box) {
    return box.state && box.cells.size() == 1 && box.cells[0].text == "empty";
  });
  REQUIRE(empty != ladder.boxes.end());
  CHECK(ladder.lanes[static_cast<std::size_t>(empty->lane)].name == "1");
}

TEST_CASE("pictures: a story's rows of logs have the epochs where they differ or have changed") {
  const Trace trace = shippedTrace("recovery/000-C1-leader-dies-with-P3");
  const Ladder ladder = layOut(trace, withDetail(Detail::story));
  std::map<int, std::set<std::string>> captions;
  for (const Box& box : ladder.boxes) {
    if (box.state) captions[box.row].insert(box.caption);
  }
  REQUIRE(captions.size() >= 2);
  CHECK(captions.begin()->second == std::set<std::string>{"log"});  // at the crash all are in epoch 1
  CHECK(captions.rbegin()->second.contains("epoch 2"));
}

TEST_CASE(
    "pictures: a story of a run without a leader ends with the ballot boxes, and says who votes for whom") {
  const Trace trace =
      shippedTrace("election/002-A1-half-is-not-available");  // 1 and 2 are cut off from 3 and 4
  CHECK(resultOf(trace) == std::vector<std::string>{"nobody leads when the run ends",
                                                    "2 has the votes of 1, 2", "4 has the votes of 3, 4"});
  const Ladder ladder = layOut(trace, withDetail(Detail::story));
  checkLayout(ladder);
  std::map<std::string, std::vector<std::string>> boxes;
  for (const Box& box : ladder.boxes) {
    CHECK(box.caption == "no quorum");
    CHECK(box.row == static_cast<int>(ladder.rows.size()) - 1);
    for (const Cell& cell : box.cells)
      boxes[ladder.lanes[static_cast<std::size_t>(box.lane)].name].push_back(cell.text);
  }
  const std::vector<std::string> for_2{"1→2", "2→2"}, for_4{"3→4", "4→4"};
  CHECK(boxes == decltype(boxes){{"1", for_2}, {"2", for_2}, {"3", for_4}, {"4", for_4}});
  for (const Box& box :
       layOut(shippedTrace("election/000-F1-three-servers-start"), withDetail(Detail::story)).boxes)
    CHECK(box.caption != "no quorum");
}

TEST_CASE(
    "pictures: the votes for a server that looks for a leader are also those of servers that follow it") {
  // 3 does not end its wait; 1, whose notifications do not reach 2, follows it.
  const Case one = loadCase(ZABLAB_SOURCE_DIR "/scenarios/models/an-election-with-a-one-way-cut.json");
  const CheckResult result = check(one.model, {});
  REQUIRE(result.scenario);
  const Case told = readCase("a lasso", JsonValue::fromJson(*result.scenario, "a lasso"));
  CHECK(resultOf(runScenario(told.scenario).trace) ==
        std::vector<std::string>{"nobody leads when the run ends", "2 has the votes of 2",
                                 "3 has the votes of 1, 3"});
}

TEST_CASE("pictures: a server that does not run has this at its name") {
  const Trace trace = shippedTrace("election/000-F2-a-dead-server-s-vote");
  const Ladder ladder = layOut(trace, withDetail(Detail::story));
  std::map<std::string, std::string> notes;
  for (const Lane& lane : ladder.lanes) notes[lane.name] = lane.note();
  CHECK(notes ==
        decltype(notes){{"1", ""}, {"2", ""}, {"3", ""}, {"4", "not started"}, {"5", "not started"}});
  CHECK(toText(ladder, {}).find("4 (not started)") != std::string::npos);

  const Trace failover = shippedTrace("recovery/000-C1-leader-dies-with-P3");
  const auto crash = std::find_if(failover.events.begin(), failover.events.end(),
                                  [](const TraceEvent& event) { return event.kind == "stopped"; });
  REQUIRE(crash != failover.events.end());
  LadderOptions options;
  const auto noteOfA = [&](std::int64_t from) {
    options.from = Bound{Bound::Unit::event, from};
    return layOut(failover, options).lanes.front().note();
  };
  CHECK(noteOfA(static_cast<std::int64_t>(crash->index)).empty());
  CHECK(noteOfA(static_cast<std::int64_t>(crash->index) + 1) == "down");
}

TEST_CASE("explain: the result, what led to it, and a violation's causes, each with the event before it") {
  const Trace trace = shippedTrace("recovery/000-C7b-an-acknowledged-P3-is-lost-naive");
  const std::string text = explain(trace, 5);
  std::size_t at = 0;
  for (const char* part :
       {"A, B and C have logged P3, A has committed it", "source: documents 000 l.264",
        "rules leader_tail=heard_majority", "C leads epoch 2, elected by B, C, D: id C > B",
        "30 ms  A is killed", "C drops 1.3: B, C have it; not heard from: A",
        "committed-never-lost is violated: 1.3", "epoch 2 is established by B, C, D",
        "C receives ACK 2.0 from D", "D sends ACK 2.0 to C", "--causes lists more"}) {
    CAPTURE(part);
    const std::size_t found = text.find(part, at);
    REQUIRE(found != std::string::npos);
    at = found;
  }
  CHECK(explain(shippedTrace("recovery/000-C1-leader-dies-with-P3"), 5).find("violated") ==
        std::string::npos);
}

TEST_CASE("explain: two runs are compared up to where they part") {
  const Trace safe = shippedTrace("recovery/000-C7-a-majority-has-P3");
  const Trace naive = shippedTrace("recovery/000-C7-a-majority-has-P3-naive");
  CHECK(compare(safe, safe).empty());
  Trace later = safe;
  later.events.back().time += 1;
  const std::string last = std::to_string(safe.events.size() - 2);
  CHECK(compare(safe, later).find("The same happens up to event " + last) != std::string::npos);
  later = safe;
  later.events.pop_back();
  CHECK(compare(safe, later).find("second: no more events") != std::string::npos);
  const std::string text = compare(safe, naive);
  CHECK(text.find("rules leader_tail=heard_majority") != std::string::npos);
  CHECK(text.find("first:  C leads") != std::string::npos);
  CHECK(text.find("C drops 1.3") != std::string::npos);
}

TEST_CASE("pictures: a story fits: five servers on one screen, seven on two") {
  const Ladder five = layOut(shippedTrace("recovery/000-C1-leader-dies-with-P3"), withDetail(Detail::story));
  CHECK(heightAt(five, 1400) <= 900);
  const Ladder seven =
      layOut(shippedTrace("recovery/000-7b-seven-servers-of-the-document"), withDetail(Detail::story));
  CHECK(heightAt(seven, 1400) <= 1800);
  CHECK(labelsWithoutRoom(five) == 0);
}

TEST_CASE(
    "pictures: a story can be narrowed to a page's column: words below the rows, boxes of several lines") {
  const std::pair<const char*, Tenths> rows[] = {{"election/000-F1-three-servers-start", 6900},
                                                 {"recovery/000-C1-leader-dies-with-P3", 7700},
                                                 {"recovery/000-C7b-an-acknowledged-P3-is-lost-naive", 8800}};
  for (const auto& row : rows) {
    CAPTURE(row.first);
    const Tenths width = row.second;
    const Trace trace = shippedTrace(row.first);
    LadderOptions options = withDetail(Detail::story);
    const Measures usual = measure(layOut(trace, options));
    options.width = width;
    const Ladder ladder = layOut(trace, options);
    checkLayout(ladder);
    const Measures narrow = measure(ladder);
    CHECK(narrow.width <= width);
    CHECK(narrow.smallest_text == usual.smallest_text);
    CHECK(narrow.cut_texts == 0);
    CHECK(narrow.texts >= usual.texts - static_cast<int>(ladder.rows.size()));  // row numbers are not drawn
  }
}

// What the page promises of its pictures: text of at least 11 pixels on a page 900 pixels wide.
TEST_CASE("pictures: a pair is one picture: what both runs show once, then each, readable on a page") {
  std::ifstream list(ZABLAB_SOURCE_DIR "/docs/pictures/versus.txt");
  std::size_t pairs = 0, parted_later = 0;
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    std::string name, one, other;
    words >> name >> one >> other;
    if (name.empty() || name[0] == '#') continue;
    ++pairs;
    CAPTURE(name);
    std::ifstream drawn(ZABLAB_SOURCE_DIR "/docs/pictures/versus/" + name + ".svg");
    std::string svg((std::istreambuf_iterator<char>(drawn)), std::istreambuf_iterator<char>());
    REQUIRE(svg.starts_with("<svg"));
    std::smatch match;
    REQUIRE(std::regex_search(svg, match, std::regex(R"re(viewBox="0 0 ([0-9.]+) )re")));
    const double width = std::stod(match[1]);
    double smallest = 100;
    static const std::regex size_of(R"re(font-size="([0-9.]+)")re");
    for (std::sregex_iterator at(svg.begin(), svg.end(), size_of), end; at != end; ++at)
      smallest = std::min(smallest, std::stod((*at)[1]));
    CHECK(smallest * 900 / width >= 11);
    static const std::regex cut("[^>]…<");  // what is only an ellipsis stands for what a log had before
    CHECK(!std::regex_search(svg, cut));
    const Trace first = shippedTrace(one), second = shippedTrace(other);
    LadderOptions options = withDetail(Detail::story);
    const auto [in_first, in_second] = firstDifferenceDrawn(first, second, options);
    const Sheet sheet = pairOf(first, second, options);
    const std::size_t common = in_first > 0 ? 1 : 0;  // two of them part at once
    parted_later += common;
    REQUIRE(sheet.parts.size() == common + 2);
    for (const Ladder& part : sheet.parts) {
      checkLayout(part);
      CHECK(part.legend.empty() == (&part != &sheet.parts.back()));
    }
    if (common == 1) CHECK(sheet.parts[0].rows.back().number < in_first);
    for (const auto& [part, from] : {std::pair(common, in_first), std::pair(common + 1, in_second)}) {
      const std::vector<Row>& rows = sheet.parts[part].rows;
      CHECK((rows.empty() || rows.front().number >= from));
    }
  }
  CHECK(pairs == 15);
  CHECK(parted_later >= 10);
}

TEST_CASE(
    "pictures: the view of an election has its ballot boxes, the view of logs all logs whenever one "
    "changes") {
  const Trace trace = shippedTrace("recovery/000-C1-leader-dies-with-P3");
  LadderOptions options;
  options.view = View::election;
  const Ladder election = layOut(trace, options);
  checkLayout(election);
  CHECK(election.arrows.empty());
  std::size_t quorums = 0;
  for (const Box& box : election.boxes) {
    CHECK(!box.state);
    quorums += box.quorum ? 1 : 0;
    if (box.quorum) CHECK(box.caption == "quorum for B");  // not those of the writes
  }
  CHECK(quorums == 4);
  CHECK(election.boxes.size() > 4 * 3);  // each of four servers receives at least three votes
  for (const Band& band : election.bands) CHECK(band.phase.empty());  // only roles

  options.view = View::log;
  const Ladder logs = layOut(trace, options);
  checkLayout(logs);
  CHECK(logs.arrows.empty());
  CHECK(logs.narration.empty());
  std::map<int, std::vector<std::string>> by_row;
  for (const Box& box : logs.boxes) {
    CHECK(box.state);
    std::string cells = logs.lanes[static_cast<std::size_t>(box.lane)].name + ":";
    for (const Cell& cell : box.cells) cells += " " + cell.text;
    by_row[box.row].push_back(cells);
  }
  REQUIRE(by_row.size() > 5);
  CHECK(by_row.begin()->second == std::vector<std::string>{"A: 1.1□"});
  CHECK(by_row.rbegin()->second == std::vector<std::string>{"B: 1.1✓ 1.2✓ 1.3✓", "C: 1.1✓ 1.2✓ 1.3✓",
                                                            "D: 1.1✓ 1.2✓ 1.3✓", "E: 1.1✓ 1.2✓ 1.3✓"});
}

TEST_CASE("pictures: the view of roles is an automaton with the number of each change") {
  const std::string dot = rolesDot(shippedTrace("recovery/000-C1-leader-dies-with-P3"), {});
  for (const char* part :
       {R"("state FOLLOWING" -> "state LOOKING" [label="4 × B, C, D, E")",
        R"("state LEADING" -> "state down" [label="1 × A")", R"(begin -> "state LEADING" [label="1 × A")",
        R"("state FOLLOWING · synchronization" -> "state FOLLOWING" [label="3 × C, D, E")"})
    CHECK_MESSAGE(dot.find(part) != std::string::npos, part);
  CHECK(dot.find("\"state LOOKING\" -> \"state LEADING\"") == std::string::npos);
  LadderOptions late;
  late.from = Bound{Bound::Unit::time_ms, 35};
  const std::string rest = rolesDot(shippedTrace("recovery/000-C1-leader-dies-with-P3"), late);
  CHECK(rest.find("begin") == std::string::npos);
  CHECK(rest.find("\"state LOOKING\" -> ") != std::string::npos);
}

/// The edges of DOT, without their attributes, by the last parts of paths.
std::set<std::string> edgesOf(const std::string& dot) {
  std::set<std::string> edges;
  const std::regex edge(R"re(\n  "(?:[^"]*/)?([^"/]+)" -> "(?:[^"]*/)?([^"/]+)" \[label="(\w+)"\])re");
  for (std::sregex_iterator at(dot.begin(), dot.end(), edge), end; at != end; ++at)
    edges.insert((*at)[1].str() + " -> " + (*at)[2].str() + ", " + (*at)[3].str());
  return edges;
}
LadderOptions until(std::int64_t time) {
  LadderOptions options;
  options.to = Bound{Bound::Unit::time_ms, time};
  return options;
}

TEST_CASE("pictures: the view of watches has an edge from each watcher to what it watches, at a moment") {
  // Document 000 l.420-422: each watches the one before it, and nobody the last.
  CHECK(edgesOf(watchesDot(shippedTrace("recipes/000-E1-the-smallest-leads"), until(2'900))) ==
        std::set<std::string>{"leader0000000002 -> leader0000000001, node",
                              "leader0000000003 -> leader0000000002, node"});

  // Document 003: when 3 and 4 have gone, 5 watches 2.
  const Trace second = shippedTrace("recipes/003-B-the-second-program");
  const auto edge = [](int from, int to) {
    const auto node = [](int number) { return "host_process_no_000000000" + std::to_string(number); };
    return node(from) + " -> " + node(to) + ", node";
  };
  CHECK(edgesOf(watchesDot(second, until(62'000))) ==
        std::set<std::string>{edge(3, 2), edge(4, 3), edge(5, 4), edge(6, 5), edge(7, 6), edge(8, 7),
                              edge(9, 8)});
  CHECK(edgesOf(watchesDot(second, until(82'000))) ==
        std::set<std::string>{edge(4, 2), edge(5, 4), edge(6, 5), edge(7, 6), edge(8, 7), edge(9, 8)});
  CHECK(edgesOf(watchesDot(second, until(102'000))) ==
        std::set<std::string>{edge(5, 2), edge(6, 5), edge(7, 6), edge(8, 7), edge(9, 8)});
  CHECK(watchesDot(second, until(102'000)).find("who watches what at 102000 ms") != std::string::npos);

  // Its first program: all watch the list, the leader as well.
  const auto first = edgesOf(watchesDot(shippedTrace("recipes/003-A-the-first-program"), until(10'000)));
  CHECK(first.size() == 10);
  CHECK(first.contains("host_process_no_0000000009 -> ZKLeader_Leader, list"));

  // Who has no node is drawn as itself.
  CHECK(edgesOf(watchesDot(shippedTrace("recipes/000-U1-three-clients"), until(2'900))) ==
        std::set<std::string>{"client 102 -> leader, node", "client 103 -> leader, node"});

  CHECK_THROWS_AS(watchesDot(shippedTrace("recovery/000-C1-leader-dies-with-P3"), {}), std::invalid_argument);
}

TEST_CASE("pictures: a name in a trace cannot end the text of a graph") {
  Trace trace = threeServersStart();
  trace.header["title"] = "a \" ] -> \\ </script> title";
  for (Json& node : trace.header["nodes"]) node["name"] = "x\"]; y -> z; [\"";
  const std::string dot = rolesDot(trace, {});
  CHECK(dot.find(dotString(clean("a \" ] -> \\ </script> title"))) != std::string::npos);
  CHECK(dot.find("\n  y -> z") == std::string::npos);
  Trace clients = shippedTrace("recipes/000-U1-three-clients");
  for (Json& node : clients.header["nodes"]) node["name"] = "x\"]; y -> z; [\"";
  CHECK(watchesDot(clients, until(2'900)).find("\n  y -> z") == std::string::npos);
  CHECK(dot.find(dotString("x\"]; y -> z; [\"").substr(1, 12)) != std::string::npos);
}

TEST_CASE("pictures: pages have the paper's shape, every row once, and the names of the lanes") {
  const Trace trace = shippedTrace("recovery/000-7b-seven-servers-of-the-document");
  LadderOptions options;
  options.page_rows = 0;
  const Ladder whole = layOut(trace, options);
  for (const Paper& paper : {a4, letter}) {
    const std::vector<Sheet> pages = pagesOf(trace, {}, paper);
    REQUIRE(pages.size() > 2);
    std::size_t rows = 0;
    for (const Sheet& page : pages) {
      REQUIRE(page.parts.size() == 1);
      const Ladder& ladder = page.parts[0];
      checkLayout(ladder);
      rows += ladder.rows.size();
      CHECK(ladder.heads.size() >= 1);
      CHECK(ladder.height <= page.height);
      CHECK(page.printed_width == paper.width);
      const std::int64_t scaled = static_cast<std::int64_t>(page.height) * paper.width / page.width;
      CHECK(std::abs(scaled - paper.height) <= 2);
      const std::string number =
          std::to_string(&page - pages.data() + 1) + " of " + std::to_string(pages.size());
      CHECK(toSvg(page).find(">" + number + "<") != std::string::npos);
    }
    CHECK(rows == whole.rows.size());
    CHECK(pages.front().parts[0].answer.size() == whole.answer.size());
    CHECK(pages.back().parts[0].answer.empty());
  }
  // A story's row of states names an event that is above it; it may be on both pages, and nothing is missing.
  LadderOptions story = withDetail(Detail::story);
  std::size_t rows = 0;
  for (const Sheet& page : pagesOf(trace, story, {8000, 3000})) rows += page.parts[0].rows.size();
  CHECK(rows >= layOut(trace, story).rows.size());
  CHECK_THROWS_AS(pagesOf(trace, {}, {6000, 200}), std::length_error);
}

TEST_CASE("pictures: with every amount of detail nothing covers anything, whatever shipped scenarios show") {
  for (const std::string& path : coveringFiles()) {
    const Trace trace = runScenario(loadCase(path).scenario).trace;
    std::size_t rows = 0;
    for (const Detail detail : {Detail::outline, Detail::story, Detail::full}) {
      const Ladder ladder = layOut(trace, withDetail(detail));
      CAPTURE(nameOfFile(path));
      checkLayout(ladder);
      CHECK(ladder.rows.size() + (detail == Detail::full ? ladder.boxes.size() : 0) >= rows);
      rows = ladder.rows.size();
    }
  }
  CHECK(coveringFiles().size() > 100);
}

TEST_CASE("pictures: generated traces have stories") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    Trace trace = randomTrace(seed, 15 + static_cast<int>(seed % 7) * 12);
    trace.header["milestones"] = {"box", "quorum", "decided"};
    trace.header["state_rows"] = {"role"};
    trace.header["state_picture"] = "log";
    for (const Detail detail : {Detail::story, Detail::outline})
      checkLayout(layOut(trace, withDetail(detail)));
  }
}

// ---- SVG

/// The elements of an SVG that have an id, with their texts; checks that its tags are balanced.
struct SvgReader {
  std::map<std::string, std::string> texts;
  std::map<std::string, std::map<std::string, std::string>>
      first;  ///< attributes of an element or its first shape
  std::vector<std::string> open;

  explicit SvgReader(const std::string& svg) {
    static const std::regex tag(R"re(<(/?)([a-z]+)((?: [a-zA-Z:-]+="[^"<]*")*)(/?)>([^<]*))re");
    std::size_t read = 0;
    std::vector<std::string> ids;
    for (std::sregex_iterator at(svg.begin(), svg.end(), tag), end; at != end; ++at) {
      const std::smatch& match = *at;
      REQUIRE(static_cast<std::size_t>(match.position()) == read);
      read += static_cast<std::size_t>(match.length());
      if (match[1] == "/") {
        REQUIRE(!open.empty());
        REQUIRE(open.back() == match[2]);
        open.pop_back();
        ids.pop_back();
        continue;
      }
      std::map<std::string, std::string> attributes;
      static const std::regex one(R"re( ([a-zA-Z:-]+)="([^"<]*)")re");
      const std::string list = match[3];
      for (std::sregex_iterator a(list.begin(), list.end(), one); a != end; ++a)
        attributes[(*a)[1]] = (*a)[2];
      std::string id = ids.empty() ? "" : ids.back();
      if (attributes.contains("id")) {
        id = attributes["id"];
        CHECK_MESSAGE(first.emplace(id, attributes).second, "twice: ", id);
      } else if (!id.empty() && match[2] != "title") {
        first[id].insert(attributes.begin(), attributes.end());
      }
      if (match[2] == "text") texts[id] += match[5];
      if (match[4] == "/") continue;
      open.push_back(match[2]);
      ids.push_back(id);
    }
    REQUIRE(read == svg.size());
    CHECK(open.empty());
  }
};

TEST_CASE("pictures: below the title is what a lost write needed, and how long nobody led") {
  struct Row {
    std::string scenario;
    std::vector<std::string> told;
  };
  // What is told comes from the scenarios' steps and `about`; 200 ms are ZooKeeper's finalizeWait.
  const std::vector<Row> rows{
      {"recovery/000-C1-leader-dies-with-P3",
       {"from 30 ms (A is killed) until B leads", "200 ms E waits: finalize_wait, finalize_wait_ms 200"}},
      {"releases/3.8.0-writes-the-epoch-before-the-history",
       {"Why a write of writer is lost, with the variant zookeeper-3.8.0", "1 loses power",
        "2 truncates its log"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.scenario);
    Trace trace = shippedTrace(row.scenario);
    trace.why = whyOf(trace);
    const std::string svg = toSvg(layOut(trace, {}));
    for (const std::string& part : row.told) CHECK_MESSAGE(svg.find(part) != std::string::npos, part);
    LadderOptions plain;
    plain.around.result = false;
    CHECK(layOut(trace, plain).causes.empty());
  }
}

TEST_CASE("pictures: in Chinese no sentence is left in English") {
  const std::regex english("[a-z]{2,} [a-z]{2,} [a-z]{2,}");
  LadderOptions options;
  options.book = &phrasesOf(Language::zh);
  std::size_t translated = 0;
  for (const std::string& path : shippedFiles()) {
    const Case one = loadCase(path);
    if (one.kind != Case::Kind::scenario || one.scenario.spec.translations.empty()) continue;
    ++translated;
    CAPTURE(path);
    Trace trace = runScenario(one.scenario).trace;
    trace.why = whyOf(trace);
    const Ladder ladder = layOut(trace, options);
    CHECK(ladder.title == one.scenario.spec.translations.at("zh").name);
    std::vector<std::string> texts = ladder.causes;
    texts.insert(texts.end(), ladder.subtitle.begin(), ladder.subtitle.end());
    for (const AnswerLine& line : ladder.answer) texts.push_back(line.full);
    // Requests to a tree are commands: `getChildren /a and watch`.
    const std::string& protocol = one.scenario.spec.protocol;
    if (protocol != "zookeeper" && protocol != "kafka") {
      for (const Narration& line : ladder.narration) texts.push_back(line.full);
    }
    for (const LegendEntry& entry : ladder.legend) texts.push_back(entry.text);
    for (const std::string& text : texts) CHECK_MESSAGE(!std::regex_search(text, english), text);
  }
  CHECK(translated > 20);
}

TEST_CASE("pictures: SVG shows what the DOT picture shows, at the same places") {
  std::vector<Trace> traces{threeServersStart(), leaderCrashes(), leaderFailsOver()};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) traces.push_back(randomTrace(seed, 40));
  traces.push_back(shippedTrace("recovery/000-C7b-an-acknowledged-P3-is-lost-naive"));
  for (const Trace& trace : traces) {
    for (const Detail detail : {Detail::full, Detail::story}) {
      LadderOptions options = withDetail(detail);
      options.self_messages = true;
      const Ladder ladder = layOut(trace, options);
      const SvgReader svg(toSvg(ladder));
      const std::string text = toDot(ladder);
      const DotReader dot(text);
      std::set<std::string> expected;
      for (const auto& entry : dot.nodes) {
        const Element& node = entry.second;
        if (node.has("pin")) continue;
        expected.insert(node.id());
        REQUIRE_MESSAGE(svg.first.contains(node.id()), node.id());
        const auto& attributes = svg.first.at(node.id());
        if (!attributes.contains("width") || !attributes.contains("x")) continue;
        const double middle = std::stod(attributes.at("x")) + std::stod(attributes.at("width")) / 2;
        const double difference = middle - node.x();
        const bool paused = node.get("style") == "striped";  // its first shape is a stripe
        CHECK_MESSAGE((paused || (difference < 0.11 && difference > -0.11)), node.id());
      }
      for (const Element& edge : dot.edges) expected.insert(edge.id());
      std::set<std::string> drawn;
      for (const auto& [id, attributes] : svg.first) drawn.insert(id);
      CHECK(drawn == expected);
    }
  }
}

}  // namespace
}  // namespace zablab::viz
