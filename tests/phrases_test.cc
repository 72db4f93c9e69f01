// What runs say is a pattern and its parts (sim/phrase.h), and the phrase book (viz/phrases.h) has the
// Chinese of each pattern.
#include "viz/phrases.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "checker/execute.h"
#include "checker/protocol.h"
#include "sim/happened.h"
#include "tests/shipped.h"
#include "viz/explain.h"

namespace zablab::viz {
namespace {

std::string sourceOf(const std::filesystem::path& path) {
  std::ifstream in(ZABLAB_SOURCE_DIR / path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::vector<std::filesystem::path> filesIn(const std::string& folder, const std::set<std::string>& endings) {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path top = ZABLAB_SOURCE_DIR;
  for (const auto& file : std::filesystem::recursive_directory_iterator(top / folder)) {
    if (endings.contains(file.path().extension().string()))
      files.push_back(file.path().lexically_relative(top));
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Both sides of all pairs.
const std::map<std::string, std::string>& pairs() {
  static const std::map<std::string, std::string> all = [] {
    std::map<std::string, std::string> pairs;
    for (const auto& file : filesIn("viz/zh", {".json"})) {
      const Json document = Json::parse(sourceOf(file));
      for (const auto& pair : document.items()) {
        const std::string& english = pair.key();
        CHECK_MESSAGE(pairs.emplace(english, pair.value().get<std::string>()).second, english);
      }
    }
    return pairs;
  }();
  return all;
}

const PhraseBook& chinese() { return phrasesOf(Language::zh); }

Trace traceOfShipped(const std::string& name) {
  return runScenario(loadCase(ZABLAB_SOURCE_DIR "/scenarios/" + name + ".json").scenario).trace;
}

/// The places of a pattern, sorted.
std::vector<std::string> placesOf(const std::string& pattern) {
  static const std::regex place(R"(\{([^{}]+)\})");
  std::vector<std::string> places;
  for (std::sregex_iterator at(pattern.begin(), pattern.end(), place), end; at != end; ++at)
    places.push_back((*at)[1]);
  std::sort(places.begin(), places.end());
  return places;
}

std::set<std::string> matchesIn(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    found.insert((*at)[1]);
  return found;
}

/// The first argument of each call of `phrase` or `form`, with its parts joined; both patterns of one that
/// depends on a number; and the separators of lists.
std::set<std::string> patternsIn(const std::string& source) {
  static const std::regex call(R"re(\b(?:phrase|form)\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+))re");
  static const std::regex separator(R"re(Phrase::list\([^;]*?,\s*("(?:[^"\\]|\\.)*")\))re");
  static const std::regex alternatives(
      R"re(\b(?:counted|form)\([^";{]*("(?:[^"\\]|\\.)*")\s*[,:]\s*("(?:[^"\\]|\\.)*"))re");
  static const std::regex quotes(R"re("((?:[^"\\]|\\.)*)")re");
  std::set<std::string> patterns;
  for (const std::regex* const one : {&call, &separator}) {
    for (const std::string& literals : matchesIn(source, *one)) {
      std::string pattern;
      for (std::sregex_iterator at(literals.begin(), literals.end(), quotes), end; at != end; ++at)
        pattern += (*at)[1];
      patterns.insert(std::regex_replace(pattern, std::regex(R"(\\(.))"), "$1"));
    }
  }
  for (std::sregex_iterator at(source.begin(), source.end(), alternatives), end; at != end; ++at) {
    for (const std::string& literal : {(*at)[1].str(), (*at)[2].str()})
      patterns.insert(literal.substr(1, literal.size() - 2));
  }
  return patterns;
}

TEST_CASE("phrases: both sides of each pair have the same places") {
  for (const auto& pair : pairs()) {
    const std::string& english = pair.first;
    CAPTURE(english);
    CHECK(chinese().has(english));  // the program has all files
    const std::vector<std::string> places = placesOf(english);
    CHECK(places == placesOf(pair.second));
    CHECK(std::adjacent_find(places.begin(), places.end()) == places.end());
  }
}

TEST_CASE("phrases: every pattern of the sources is in the book, and the book has no others") {
  std::set<std::string> used;
  std::string declarations;
  for (const char* folder : {"protocol", "sim", "checker", "viz", "cli"}) {
    for (const auto& file : filesIn(folder, {".h", ".cc"})) {
      const std::string source = sourceOf(file);
      for (const std::string& pattern : patternsIn(source)) {
        CHECK_MESSAGE(pairs().contains(pattern), file.string() << ": " << pattern);
        used.insert(pattern);
      }
      declarations += std::regex_replace(source, std::regex("//[^\n]*"), "");
    }
  }
  CHECK(used.size() > 400);
  const std::string page = sourceOf("viz/explorer/words.js");
  // Words are enumerators or reasons.
  const auto isWord = [&](std::string text) {
    if (declarations.find('"' + text + '"') != std::string::npos) return true;
    std::replace(text.begin(), text.end(), ' ', '_');
    return std::regex_search(declarations, std::regex("BOOST_DESCRIBE_ENUM\\([^)]*\\b" + text + "\\b"));
  };
  for (const auto& pair : pairs()) {
    const std::string& english = pair.first;
    if (used.contains(english) || english == Phrase::server_pattern) continue;
    const bool in_page = page.find("'" + english + "'") != std::string::npos ||
                         page.find('"' + english + '"') != std::string::npos;
    CHECK_MESSAGE((in_page || (placesOf(english).empty() && isWord(english))), english);
  }
}

TEST_CASE("phrases: every reason for a loss or an end, and every verdict, has one") {
  std::vector<std::string> words{"held", "violated", "not exercised", "met", "failed", "undecided"};
  const auto add = [&](auto descriptor) { words.emplace_back(descriptor.name); };
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<LossReason>>(add);
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<HowStopped>>(add);
  for (const auto& file : filesIn("protocol", {".h", ".cc"})) {
    for (const std::string& why : matchesIn(sourceOf(file), std::regex(R"re(\bexit\(\s*"([^"]*)"\))re")))
      words.push_back(why);
  }
  CHECK(words.size() > 20);
  for (std::string& word : words) {
    std::replace(word.begin(), word.end(), '_', ' ');
    CHECK_MESSAGE(chinese().has(word), word);
  }
}

/// The patterns of what a trace says that the book does not have.
void addMissing(std::set<std::string>& missing, const Json& said) {
  if (!said.is_array()) return;
  const std::string& pattern = said.front().get_ref<const std::string&>();
  if (!chinese().has(pattern)) missing.insert(pattern);
  for (const Json& part : said) addMissing(missing, part);
}

class Sayings : public TraceReader {
 public:
  void read(const std::string&, const Case&, const Outcome& outcome) override {
    const Trace& trace = outcome.trace;
    for (const TraceEvent& event : trace.events) {
      if (event.kind != "note") look(event.said, event.text);  // a note is the scenario's own
      addMissing(missing, event.data.value("label_said", Json()));
      if (event.kind == "lost") {
        std::string reason = event.data.at("reason").get<std::string>();
        std::replace(reason.begin(), reason.end(), '_', ' ');
        if (!chinese().has(reason)) missing.insert(reason);
      }
      const auto picture = event.data.find("picture");
      if (picture != event.data.end() && picture->value("caption", "") != "")
        look(picture->value("caption_said", Json()), picture->at("caption").get<std::string>());
    }
    const Json answer = trace.header.value("answer", Json::array());
    for (std::size_t i = 0; i < answer.size(); ++i)
      look(trace.header.at("answer_said").at(i), answer[i].get<std::string>());
    for (const TraceVerdict& verdict : trace.verdicts) look(verdict.said, verdict.text);
  }
  std::set<std::string> missing;
  std::size_t texts = 0;

 private:
  void look(const Json& said, const std::string& text) {
    if (text.empty()) return;
    ++texts;
    if (said.is_null()) missing.insert("only as text: " + text);
    addMissing(missing, said);
  }
} sayings;

TEST_CASE("phrases: everything that the shipped scenarios say has one") {
  TraceReader::readAll();
  CHECK(sayings.texts > 50'000);
  for (const std::string& text : sayings.missing) FAIL_CHECK(text);
}

TEST_CASE("phrases: a phrase in English, as traces have it, and in Chinese") {
  struct Row {
    Phrase phrase;
    const char* english;
    const char* said;
    const char* chinese;
  };
  const auto name = [](const char* text) { return Phrase(std::string(text)); };
  const std::vector<Row> rows{
      {Phrase(), "", "null", ""},
      {7, "7", "null", "7"},
      {phrase("{node} restarts", name("甲")), "甲 restarts", R"(["{node} restarts","甲"])", "甲重新启动"},
      {phrase("{node} is killed {when}", name("1"), Phrase::words("in the midst of a write")),
       "1 is killed in the midst of a write",
       R"(["{node} is killed {when}","1",["in the midst of a write"]])", "1 在一次写入的中途被杀死"},
      {phrase("at the end {difference}", phrase("{server}: {difference}", Phrase::server(1),
                                                phrase("{field} is {value}, expected {value2}",
                                                       name("disk.log"), name("[]"), name("[1]")))),
       "at the end server 1: disk.log is [], expected [1]",
       R"(["at the end {difference}",["{server}: {difference}",["server {id}","1"],)"
       R"(["{field} is {value}, expected {value2}","disk.log","[]","[1]"]]])",
       "结束时服务器 1：disk.log 是 []，预期 [1]"},
      {Phrase::list({phrase("at {time} ms it held", 3), phrase("at {time} ms it held", 4)}, "; and "),
       "at 3 ms it held; and at 4 ms it held",
       R"(["; and ",["at {time} ms it held","3"],["at {time} ms it held","4"]])",
       "在 3 ms 时它成立；并且在 4 ms 时它成立"},
      {Phrase::list({name("A"), name("B")}), "A, B", R"([", ","A","B"])", "A、B"},
      {Phrase::list({name("A")}), "A", "null", "A"},
      {Phrase::list({}), "", "null", ""},
      {Phrase::words("not {a place}"), "not {a place}", "null", "not {a place}"},
      {phrase("{server} has no {field}", Phrase::client(9), Phrase::node(7)), "client 9 has no 7",
       R"(["{server} has no {field}",["client {id}","9"],"7"])", "客户端 9 没有 7"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.english);
    CHECK(row.phrase.english() == row.english);
    CHECK(row.phrase.said() == Json::parse(row.said));
    CHECK(chinese().said(row.phrase) == row.chinese);
    CHECK(phrasesOf(Language::en).said(row.phrase) == row.english);
    TraceEvent event;
    event.text = row.phrase.english();
    event.said = row.phrase.said();
    CHECK(Phrase::of(event).english() == row.english);
    CHECK(Phrase::of(event).said() == event.said);
  }
}

TEST_CASE("phrases: nodes are called by their names") {
  const Names names({{1, "A"}, {3, "3"}, {101, "client"}, {102, "writer"}, {103, "client x"}});
  struct Row {
    Phrase phrase;
    const char* named;
  };
  const std::vector<Row> rows{
      {Phrase::server(1), "A"},
      {Phrase::server(3), "server 3"},
      {Phrase::server(7), "server 7"},
      {Phrase::client(101), "client"},
      {Phrase::client(102), "client writer"},
      {Phrase::client(103), "client x"},
      {Phrase::node(1), "A"},
      {Phrase::node(3), "3"},
      {Phrase::node(102), "writer"},
      {phrase("{server} has no {field}", Phrase::server(1), Phrase::list({Phrase::node(1), Phrase::node(3)})),
       "A has no A, 3"},
  };
  for (const Row& row : rows) CHECK(row.phrase.named(names).english() == row.named);
}

TEST_CASE("phrases: what the book does not have stays as it is, whatever it is") {
  std::string long_text, han;
  for (int i = 0; i < 1'000'000; ++i) long_text += " leads, elected by";
  for (int i = 0; i < 9'000; ++i) han += " \xE4";
  for (const std::string& text :
       std::vector<std::string>{"", " ", "{server} {", "leads", long_text, han, std::string("\0x\xFF", 3)}) {
    CHECK(chinese().word(text) == text);
    CHECK(chinese().said(Json(), text) == text);
    if (text != "{server} {") CHECK(chinese().form(text, {}) == text);
  }
  // A trace that another program wrote: parts without a place, and places without a part.
  CHECK(chinese().said(Json::parse(R"(["{node} restarts"])"), "") == " 重新启动");
  CHECK(chinese().said(Json::parse(R"(["{node} restarts", "A", "B"])"), "") == "A 重新启动");
  CHECK(chinese().said(Json::parse(R"(["{x} is new", ["{node} restarts", "A"]])"), "A is new") == "A is new");
  CHECK(chinese().said(Json::parse(R"(["{node} restarts", ["{x} and {}", "A"]])"), "") ==
        "A and {} 重新启动");
  for (const char* said :
       {"1", "{}", "[]", "[1]", R"("a")", R"([["a"]])", R"(["a", 1])", R"(["a", ["b", null]])"})
    CHECK_FALSE(isSaid(Json::parse(said)));
  // A place that occurs twice does not double what is in it.
  Json said = "A";
  for (int depth = 0; depth < 60; ++depth) said = Json::array({"{a}{a}", "", said});
  CHECK(chinese().said(Json::array({"{node} restarts", said}), "") == "A 重新启动");
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
