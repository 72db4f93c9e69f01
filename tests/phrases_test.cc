// The phrase book (viz/phrases.h): it has everything that runs say, and reads any text in one pass.
#include "viz/phrases.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "checker/execute.h"
#include "tests/shipped.h"
#include "viz/explain.h"

namespace zablab::viz {
namespace {

std::string sourceOf(const std::string& path) {
  std::ifstream in(ZABLAB_SOURCE_DIR "/" + path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

const Json& phraseLists() {
  static const Json lists = Json::parse(sourceOf("viz/phrases.zh.json"));
  return lists;
}

const PhraseBook& chinese() { return phrasesOf(Language::zh); }

Trace traceOfShipped(const std::string& name) {
  return runScenario(loadCase(ZABLAB_SOURCE_DIR "/scenarios/" + name + ".json").scenario).trace;
}

/// The places of a pattern, sorted.
std::vector<std::string> placesOf(const std::string& pattern) {
  static const std::regex place(R"(\{\+?(\w+)\})");
  std::vector<std::string> places;
  for (std::sregex_iterator at(pattern.begin(), pattern.end(), place), end; at != end; ++at)
    places.push_back((*at)[1]);
  std::sort(places.begin(), places.end());
  return places;
}

std::string listOfPlace(const std::string& place) {
  return place.substr(0, place.find_last_not_of("0123456789") + 1);
}

/// What may be in a place: of its list the first text without lists of its own, or else the last.
std::string exampleFor(const std::string& place) {
  const auto list = phraseLists().find(listOfPlace(place));
  if (list == phraseLists().end()) return "1";
  for (const Json& pair : *list) {
    const std::string& english = pair.at(0).get_ref<const std::string&>();
    const std::vector<std::string> places = placesOf(english);
    const auto has_list = [](const std::string& one) { return phraseLists().contains(listOfPlace(one)); };
    if (std::none_of(places.begin(), places.end(), has_list))
      return std::regex_replace(english, std::regex(R"(\{\w+\})"), "1");
  }
  const std::string& english = list->back().at(0).get_ref<const std::string&>();
  std::string text = english;
  for (const std::string& inner : placesOf(english))
    text = std::regex_replace(text, std::regex("\\{\\+?" + inner + "\\}"), exampleFor(inner));
  return text;
}

TEST_CASE("phrases: both sides of each pair have the same places, and no pattern is there twice") {
  for (const auto& list : phraseLists().items()) {
    const std::string& name = list.key();
    std::set<std::string> seen;
    for (const Json& pair : list.value()) {
      const std::string& english = pair.at(0).get_ref<const std::string&>();
      CAPTURE(name);
      CAPTURE(english);
      REQUIRE(pair.size() == 2);
      CHECK(placesOf(english) == placesOf(pair.at(1).get_ref<const std::string&>()));
      const std::vector<std::string> places = placesOf(english);
      CHECK(std::adjacent_find(places.begin(), places.end()) == places.end());
      CHECK(english.find("}{") == std::string::npos);  // where the first of the two ends would be open
      CHECK(seen.insert(english).second);
    }
  }
}

TEST_CASE("phrases: no pattern is hidden by one before it") {
  for (const auto& list : phraseLists().items()) {
    const std::string& name = list.key();
    if (name == "forms") continue;
    for (const Json& pair : list.value()) {
      const std::string& english = pair.at(0).get_ref<const std::string&>();
      CAPTURE(name);
      PhraseBook::Fields fields;
      const std::vector<std::string> places = placesOf(english);
      for (const std::string& place : places) fields.emplace_back(place, exampleFor(place));
      const std::string text = PhraseBook().form(english, fields);
      CAPTURE(text);
      Json alone = phraseLists();
      alone["forms"] = Json::array({pair});
      const PhraseBook::Said said = chinese().part(name, text);
      CHECK(said.whole);
      CHECK(said.text == PhraseBook(alone).form(english, fields));
    }
  }
}

TEST_CASE("phrases: everything that the shipped scenarios say has one") {
  std::set<std::string> missing;
  std::size_t texts = 0;
  const auto look = [&](const std::string& list, const std::string& text) {
    if (text.empty()) return;
    ++texts;
    if (!chinese().part(list, text).whole) missing.insert(list + ": " + text);
  };
  for (const std::string& path : shippedFiles()) {
    const Case one = loadCase(path);
    if (one.kind != Case::Kind::scenario) continue;
    const Trace trace = runScenario(one.scenario).trace;
    for (const TraceEvent& event : trace.events) {
      if (event.kind != "note") look("sentences", event.text);  // a note is the scenario's own
      if (event.kind == "sent") look("label", event.data.at("label").get_ref<const std::string&>());
      if (event.kind == "lost") {
        std::string reason = event.data.at("reason").get<std::string>();
        std::replace(reason.begin(), reason.end(), '_', ' ');
        look("loss", reason);
      }
      const auto picture = event.data.find("picture");
      if (picture != event.data.end()) look("caption", picture->value("caption", ""));
    }
    for (const Json& sentence : trace.header.value("answer", Json::array()))
      look("sentences", sentence.get_ref<const std::string&>());
    for (const TraceVerdict& verdict : trace.verdicts)
      look(verdict.kind == "expectation" ? "expectation" : "violation", verdict.text);
  }
  CHECK(texts > 50'000);
  for (const std::string& text : missing) FAIL_CHECK(text);
}

TEST_CASE("phrases: translations, part by part") {
  struct Row {
    const char* list;
    const char* english;
    const char* chinese;
  };
  const std::vector<Row> rows{
      {"sentences", "B leads epoch 2, elected by B, C, D: zxid 1.3 > 1.2 of server D",
       "B 是 epoch 2 的 Leader，由 B、C、D 选出：zxid 1.3 > D 的 1.2"},
      {"sentences", "1.3, not known to be committed before, is committed with epoch 2",
       "1.3 此前不知是否已提交，随 epoch 2 一并提交"},
      {"sentences", "3 was elected by 1, 3: 5 has no weight (against 5), and leads no more",
       "3 曾由 1、3 选出：5 没有权重（对手是 5）；现在已不是 Leader"},
      {"sentences", "1 adopts (1,3,0) from 3: id 3 > 2", "1 采用 3 的选票，改投 (1,3,0)：id 3 > 2"},
      {"sentences", "C drops 1.3: B, C have it; not heard from: A", "C 丢弃 1.3：B、C 拥有它；没有 A 的消息"},
      {"sentences", "2 keeps (1,2,0): the same vote", "2 维持选票 (1,2,0)：选票相同"},
      {"sentences", "3 sends 1 DIFF 1.3 and 2 proposals: what is known to be committed there stays",
       "3 向 1 发送 DIFF 1.3 和 2 个提案：对方已知提交的部分予以保留"},
      {"sentences", "1 is killed in the midst of a write", "1 在一次写入的中途被杀死"},
      {"sentences", "client 3's sync is done, 1.1", "client 3 的 sync 已完成，1.1"},
      {"sentences", "client's write is done, 1.1", "client 的写入已完成，1.1"},
      {"sentences", "甲 restarts", "甲重新启动"},
      {"sentences", "B does not vote for C in generation 2: 0 is less than 1.2",
       "B 在第 2 代不投给 C：0 小于 1.2"},
      {"sentences", "c1 reads 2 (v1 of w), as s1, s2 have it", "c1 读到 2（w 的 v1），s1、s2 都有它"},
      {"violation", "1.1, committed in epoch 1, is not in the history of server 3, which leads epoch 2",
       "在 epoch 1 中提交的 1.1 不在服务器 3（epoch 2 的 Leader）的历史中"},
      {"violation", "C shows 1.1, which is durable only on these servers: none",
       "C 显示 1.1，而它只在这些服务器上落盘：无"},
      {"violation",
       "client 13 read 1 fits in no order. Before it, this order fits: client 11 write 2, without an answer, "
       "client 12 read 2. It could have been: read 1, read 2",
       "没有任何次序能容纳客户端 13 读到 1。在它之前，这样的次序成立：客户端 11 写入 2（没有回答），"
       "客户端 12 读到 2。它本可以是：读到 1，读到 2"},
      {"expectation", "at the end server 1: disk.log is [], expected [{\"zxid\":\"1.1\"}] [l. 3]",
       "结束时服务器 1：disk.log 是 []，预期 [{\"zxid\":\"1.1\"}] [l. 3]"},
      {"expectation",
       "event {\"kind\":\"role\"} by 9 ms was seen 0 times; the run ended at 5 ms; and at 3 ms it held",
       "事件 {\"kind\":\"role\"} 到 9 ms 为止出现了 0 次；运行在 5 ms 时结束；并且在 3 ms 时它成立"},
      {"expectation", "invariant agreement: violated, expected held (1.7 is committed after 1.8) [l. 1]",
       "不变式 agreement：被违反，预期成立（1.7 在 1.8 之后提交） [l. 1]"},
      {"label", "early: done, entry 2", "early：完成，条目 2"},
      {"label", "PROPOSAL 1.1", "PROPOSAL 1.1"},
      {"name", "not a list", "not a list"},
  };
  for (const Row& row : rows) {
    const PhraseBook::Said said = chinese().part(row.list, row.english);
    CAPTURE(row.english);
    CHECK(said.text == row.chinese);
    CHECK(said.whole);
    CHECK(phrasesOf(Language::en).part(row.list, row.english).text == row.english);
  }
}

TEST_CASE("phrases: what no pattern matches stays as it is, whatever it is") {
  std::string words, nested, quotes;
  for (int i = 0; i < 1'000'000; ++i) words += " leads, elected by";
  for (int i = 0; i < 1'000; ++i) nested += "at 1 ms it held; and ";
  for (int i = 0; i < 9'000; ++i) quotes += " \xE4";
  const std::vector<std::string> texts{"",
                                       " ",
                                       "{server} {",
                                       "leads",
                                       " leads",
                                       words,
                                       words + ": id 3 > 2",
                                       quotes,
                                       std::string("\0x\xFF", 3),
                                       "nobody leads when"};
  for (const std::string& text : texts) {
    const PhraseBook::Said said = chinese().sentence(text);
    CHECK(said.text == text);
    CHECK_FALSE(said.whole);
  }
  // Nested too deeply, both: what is left over stays as it is.
  CHECK_FALSE(chinese().part("expectation", nested).whole);
  CHECK_FALSE(chinese().sentence(words.substr(0, PhraseBook::translated_max)).whole);
  CHECK(chinese().part("expectation", "at 1 ms it held; and at 2 ms what?").text ==
        "在 1 ms 时它成立；并且在 2 ms 时 what?");
  CHECK_FALSE(chinese().part("expectation", "at 1 ms it held; and at 2 ms what?").whole);
}

TEST_CASE("phrases: the forms are those that the program and the page use") {
  const std::string program = sourceOf("viz/explain.cc") + sourceOf("cli/trace_commands.cc");
  const std::string page = sourceOf("viz/explorer/words.js");
  std::set<std::string> forms;
  for (const Json& pair : phraseLists().at("forms")) {
    const std::string& form = pair.at(0).get_ref<const std::string&>();
    CAPTURE(form);
    const bool used = program.find('"' + form + '"') != std::string::npos ||
                      page.find("'" + form + "'") != std::string::npos ||
                      page.find('"' + form + '"') != std::string::npos;
    CHECK(used);
    forms.insert(form);
  }
  const std::regex literal(R"re((form\(\s*)?"((?:[^"\\]|\\.)*)")re");
  std::size_t count = 0;
  for (std::sregex_iterator at(program.begin(), program.end(), literal), end; at != end; ++at) {
    const std::string text = (*at)[2];
    if (!(*at)[1].matched && text.find('{') == std::string::npos) continue;
    CHECK_MESSAGE(forms.contains(text), text);
    ++count;
  }
  CHECK(count > 25);
}

TEST_CASE("phrases: a run is explained in Chinese, with a violation's causes") {
  const Trace trace = traceOfShipped("recovery/000-C7b-an-acknowledged-P3-is-lost-naive");
  const std::string text = explain(trace, 5, chinese());
  std::size_t at = 0;
  for (const char* part :
       {"C 是 epoch 2 的 Leader，由 B、C、D 选出：id C > B", "30 ms  A 被杀死",
        "C 丢弃 1.3：B、C 拥有它；没有 A 的消息",
        "committed-never-lost 被违反：在 epoch 1 中提交的 1.3 不在 C（epoch 2 的 Leader）的历史中\n"
        "  原因，最后的在前：\n    事件 ",
        "C 收到 D 的 ACK 2.0", "D 向 C 发送 ACK 2.0", "以及此前的原因：用 --causes 列出更多"}) {
    CAPTURE(part);
    const std::size_t found = text.find(part, at);
    REQUIRE(found != std::string::npos);
    at = found;
  }
}

TEST_CASE("phrases: two runs are compared in Chinese") {
  const Trace safe = traceOfShipped("recovery/000-C7-a-majority-has-P3");
  const Trace naive = traceOfShipped("recovery/000-C7-a-majority-has-P3-naive");
  const std::string text = compare(safe, naive, chinese());
  for (const char* part : {"规则 leader_tail=heard_majority，无种子", "为止相同。然后：\n  第一次：",
                           "\n结果：\n  第一次：C ", "C 丢弃 1.3", "\n不同的判定：\n"}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

}  // namespace
}  // namespace zablab::viz
