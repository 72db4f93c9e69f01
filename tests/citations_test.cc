// What scenarios and pages cite: the documents' lines, of which tests/data/document-lines.txt has the first
// words, and commits of this repository. scripts/claims.py says for each claim which lines make it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json.h"
#include "tests/shipped.h"

namespace zablab {
namespace {

/// Lines `from` to `to` of a document.
struct CitedLines {
  std::string document;
  std::size_t from = 0;
  std::size_t to = 0;

  bool overlaps(const CitedLines& other) const {
    return document == other.document && from <= other.to && other.from <= to;
  }
};

bool isDigitAt(std::string_view text, std::size_t at) {
  return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
}

bool isWordAt(std::string_view text, std::size_t at) {
  return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
}

std::size_t numberAt(std::string_view text, std::size_t& at) {
  std::size_t number = 0;
  for (; isDigitAt(text, at); ++at) number = 10 * number + static_cast<std::size_t>(text[at] - '0');
  return number;
}

/// Moves behind `part` if it is there, and a digit behind it.
bool skipTo(std::string_view text, std::size_t& at, std::string_view part) {
  if (text.substr(at, part.size()) != part || !isDigitAt(text, at + part.size())) return false;
  at += part.size();
  return true;
}

/// "000 l.17, l.42-43" and "004, lines 33 to 63 and 70": what is cited after the number of a document, which
/// is no part of a claim's id.
std::vector<CitedLines> citedIn(std::string_view text) {
  std::vector<CitedLines> cited;
  std::string document;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = at == 0 || !(isWordAt(text, at - 1) || text[at - 1] == ',' || text[at - 1] == '.');
    const std::string_view three = text.substr(at, 3);
    if (begins && three.size() == 3 && three.starts_with("00") && three[2] >= '0' && three[2] <= '4' &&
        !isWordAt(text, at + 3) && text.substr(at + 3, 1) != "-") {
      document = three;
      at += 3;
      continue;
    }
    std::size_t next = at;
    const bool dotted = begins && skipTo(text, next, "l.");
    const bool worded = begins && !dotted && (skipTo(text, next, "line ") || skipTo(text, next, "lines "));
    if (document.empty() || !(dotted || worded)) {
      ++at;
      continue;
    }
    at = next;
    do {
      const std::size_t from = numberAt(text, at);
      const bool range = skipTo(text, at, "-") || (worded && skipTo(text, at, " to "));
      cited.push_back({document, from, range ? numberAt(text, at) : from});
    } while (worded && (skipTo(text, at, ", ") || skipTo(text, at, " and ")));
  }
  return cited;
}

std::vector<std::string> linesOfText(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<CitedLines> citedByLines(const std::string& text) {
  std::vector<CitedLines> all;
  for (const std::string& line : linesOfText(text)) {
    for (CitedLines& one : citedIn(line)) all.push_back(std::move(one));
  }
  return all;
}

/// By document, the numbers of the lines whose first words are known.
std::map<std::string, std::set<std::size_t>> quotedLines() {
  std::map<std::string, std::set<std::size_t>> quoted;
  for (const std::string& line : linesOfText(loadText(ZABLAB_SOURCE_DIR "/tests/data/document-lines.txt"))) {
    std::istringstream row(line);
    std::string document, words;
    std::size_t number = 0;
    REQUIRE_MESSAGE((row >> document >> number >> words), line);
    CHECK_MESSAGE(quoted[document].insert(number).second, line, " is listed twice");
  }
  return quoted;
}

std::vector<std::string> citingPages() {
  std::vector<std::string> pages{ZABLAB_SOURCE_DIR "/README.md", ZABLAB_SOURCE_DIR "/CHANGELOG.md",
                                 ZABLAB_SOURCE_DIR "/CONTRIBUTING.md"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ZABLAB_SOURCE_DIR "/docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path().string());
  }
  std::sort(pages.begin(), pages.end());
  return pages;
}

/// By claim, the lines of docs/generated/claims.md.
std::map<std::string, std::vector<CitedLines>> linesOfClaims() {
  std::map<std::string, std::vector<CitedLines>> claims;
  for (const std::string& row : linesOfText(loadText(ZABLAB_SOURCE_DIR "/docs/generated/claims.md"))) {
    if (!row.starts_with("| 0")) continue;
    std::vector<std::string> cells;
    for (std::size_t at = 2, end = row.find(" |", at); end != std::string::npos && cells.size() < 3;
         at = end + 3, end = row.find(" |", at))
      cells.push_back(row.substr(at, end - at));
    REQUIRE(cells.size() == 3);
    claims[cells[0]] = citedIn(cells[2]);
    CHECK_MESSAGE(!claims[cells[0]].empty(), cells[0], " has no lines");
  }
  return claims;
}

TEST_CASE("citations: what is cited in a text") {
  const auto cited = [](std::string_view text) {
    std::string all;
    for (const CitedLines& one : citedIn(text))
      all += one.document + ":" + std::to_string(one.from) + "-" + std::to_string(one.to) + " ";
    return all;
  };
  CHECK(cited("documents 000 l.64-68, l.318; 002 l.92") == "000:64-68 000:318-318 002:92-92 ");
  CHECK(cited("004, lines 33 to 63 and 70, 72") == "004:33-63 004:70-70 004:72-72 ");
  CHECK(cited("document 001, line 57: a node") == "001:57-57 ");
  CHECK(cited("000-C1 on line 17, 1,000 contenders, l.3.1, and all.4") == "");
}

TEST_CASE("citations: every line of a document that is cited says something: its first words are known") {
  const auto quoted = quotedLines();
  std::vector<std::string> paths = shippedFiles();
  for (std::string& page : citingPages()) paths.push_back(std::move(page));
  paths.push_back(ZABLAB_SOURCE_DIR "/scripts/claims.py");
  std::map<std::string, std::set<std::size_t>> used;
  std::size_t citations = 0;
  for (const std::string& path : paths) {
    for (const CitedLines& one : citedByLines(loadText(path))) {
      ++citations;
      const auto lines = quoted.find(one.document);
      CHECK_MESSAGE(one.from <= one.to, path, ": ", one.document, " l.", one.from, "-", one.to);
      for (const std::size_t number : {one.from, one.to}) {
        used[one.document].insert(number);
        const bool known = lines != quoted.end() && lines->second.contains(number);
        CHECK_MESSAGE(known, path, " cites ", one.document, " l.", number,
                      ": tests/data/document-lines.txt does not have its first words");
      }
    }
  }
  CHECK(citations > 2000);
  CHECK_MESSAGE(used == quoted, "tests/data/document-lines.txt has lines that nobody cites");
}

TEST_CASE("citations: a file cites a line of every claim that it names") {
  const auto claims = linesOfClaims();
  std::size_t named = 0;
  for (const std::string& path : shippedFiles()) {
    const std::string text = loadText(path);
    const JsonValue document = parseJson(path, text);
    const JsonValue* ids = document.find("claims");
    if (ids == nullptr || ids->elements().empty()) continue;
    const std::vector<CitedLines> cited = citedByLines(text);
    for (const JsonValue& id : ids->elements()) {
      ++named;
      const auto claim = claims.find(id.asString());
      REQUIRE_MESSAGE(claim != claims.end(), path, ": ", id.asString());
      const bool cites = std::any_of(cited.begin(), cited.end(), [&](const CitedLines& one) {
        return std::any_of(claim->second.begin(), claim->second.end(),
                           [&](const CitedLines& line) { return line.overlaps(one); });
      });
      CHECK_MESSAGE(cites, path, " cites no line of ", id.asString());
    }
  }
  CHECK(named > 500);
}

TEST_CASE("citations: every expectation of a claim's scenario has its reason") {
  std::size_t reasons = 0;
  for (const std::string& path : shippedFiles()) {
    const JsonValue document = loadJson(path);
    const JsonValue* ids = document.find("claims");
    if (ids == nullptr || ids->elements().empty() || document.find("kind")->asString() != "scenario")
      continue;
    std::size_t at = 0;
    for (const JsonValue& expectation : document.find("expect")->elements()) {
      const JsonValue* because = expectation.find("because");
      CHECK_MESSAGE((because != nullptr && !because->asString().empty()), path, ": expect[", at,
                    "] has no `because`");
      ++at;
      ++reasons;
    }
  }
  CHECK(reasons > 2000);
}

// ---- commits

/// What git prints; nothing if it cannot say.
std::string git(const std::string& arguments) {
  std::FILE* pipe = popen(("git -C '" ZABLAB_SOURCE_DIR "' " + arguments + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return {};
  std::string printed;
  for (char buffer[4096]; std::fgets(buffer, sizeof buffer, pipe) != nullptr;) printed += buffer;
  return pclose(pipe) == 0 ? printed : std::string();
}

/// Words that look like abbreviated commits: 7 to 12 hexadecimal digits, among them a letter and a decimal
/// digit; of decimal digits alone only after "commit".
std::vector<std::string> commitsIn(std::string_view text) {
  std::vector<std::string> commits;
  for (std::size_t at = 0; at < text.size();) {
    if (!isWordAt(text, at)) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (isWordAt(text, end)) ++end;
    const std::string_view word = text.substr(at, end - at);
    const bool hexadecimal = word.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    const bool digits = word.find_first_of("0123456789") != std::string_view::npos;
    const bool letters = word.find_first_of("abcdef") != std::string_view::npos;
    const bool announced = text.substr(0, at).ends_with("commit ");
    if (hexadecimal && word.size() >= 7 && word.size() <= 12 && digits && (letters || announced))
      commits.emplace_back(word);
    at = end;
  }
  return commits;
}

TEST_CASE("citations: what looks like a commit") {
  CHECK(commitsIn("at commit 4519607, and 20,432,021; 8c46035 |") ==
        std::vector<std::string>{"4519607", "8c46035"});
  CHECK(commitsIn("digest 44031712981fc5e0, 0x10000000f, defaced, 1234567").empty());
}

TEST_CASE("the pages: every commit that they name is one of this repository") {
  const std::set<std::string, std::less<>> of_others{
      "5a02a05ed", "53a78e36f", "c0e92411f", "d2e6c2145", "e2e8ec661",  // ZooKeeper's
      "10000000e",                                                      // a zxid
  };
  const std::string shallow = git("rev-parse --is-shallow-repository");
  const std::string history = shallow == "false\n" ? git("rev-list HEAD") : std::string();
  if (history.empty()) {
    MESSAGE("not checked: this is no repository with its whole history");
    return;
  }
  std::vector<std::string> commits = linesOfText(history);
  std::sort(commits.begin(), commits.end());
  std::size_t named = 0;
  for (const std::string& path : citingPages()) {
    for (const std::string& line : linesOfText(loadText(path))) {
      for (const std::string& commit : commitsIn(line)) {
        if (of_others.contains(commit)) continue;
        ++named;
        const auto found = std::lower_bound(commits.begin(), commits.end(), commit);
        CHECK_MESSAGE((found != commits.end() && found->starts_with(commit)), path, " names the commit ",
                      commit, ", which is not in this repository");
      }
    }
  }
  CHECK(named > 150);
}

}  // namespace
}  // namespace zablab
