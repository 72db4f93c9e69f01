// docs/course: lessons have their parts, and are the same in both languages.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/program.h"

namespace zablab {
namespace {

const fs::path course = fs::path(ZABLAB_SOURCE_DIR) / "docs/course";

std::set<std::string> courseFiles(const std::string& language) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(course / language))
    names.insert(entry.path().filename().string());
  return names;
}

bool isLesson(const std::string& name) { return std::isdigit(static_cast<unsigned char>(name[0])) != 0; }

/// The pictures that docs/course/pictures.txt lists, each with its scenario.
std::map<std::string, std::string> listedPictures() {
  std::map<std::string, std::string> scenarios;
  std::istringstream lines(contentsOf(course / "pictures.txt"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, scenario;
    words >> name >> scenario;
    if (!name.empty() && name[0] != '#') scenarios[name] = scenario;
  }
  return scenarios;
}

/// What does not depend on the language, in order: ``` blocks, texts in `...`, targets of links and pictures.
std::vector<std::string> sharedParts(const std::string& text, const std::string& language) {
  std::vector<std::string> parts;
  std::istringstream lines(text);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) inside = !inside;
    if (inside || line.starts_with("```")) {
      parts.push_back(line);
      continue;
    }
    std::vector<std::string> of_line;
    const auto between = [&](std::string_view open, char close) {
      for (std::size_t at = line.find(open); at != std::string::npos;) {
        const std::size_t from = at + open.size();
        const std::size_t end = line.find(close, from);
        if (end == std::string::npos) break;
        of_line.push_back(line.substr(from, end - from));
        at = line.find(open, end + 1);
      }
    };
    between("`", '`');
    between("](", ')');
    parts.insert(parts.end(), of_line.begin(), of_line.end());
  }
  // A page names the other language, and the built pages and pictures of its own.
  const std::string other = language == "en" ? "zh" : "en";
  for (std::string& part : parts) {
    for (const std::string& pictures : {"../pictures/" + language + "/", std::string("../pictures/")}) {
      if (part.starts_with(pictures)) part.replace(0, pictures.size(), "PICTURES/");
    }
    if (part.starts_with("../" + other + "/")) part.replace(3, 2, "OTHER");
    const std::size_t own = part.find("build/course/" + language + "/");
    if (own != std::string::npos) part.replace(own + std::string_view("build/course/").size(), 2, "OWN");
  }
  return parts;
}

TEST_CASE("the course: both languages have the same pages, commands, quotations, links and pictures") {
  const std::set<std::string> names = courseFiles("en");
  CHECK(courseFiles("zh") == names);
  CHECK(std::count_if(names.begin(), names.end(), isLesson) == 15);
  std::size_t compared = 0;
  for (const std::string& name : names) {
    CAPTURE(name);
    std::vector<std::string> english = sharedParts(contentsOf(course / "en" / name), "en");
    std::vector<std::string> chinese = sharedParts(contentsOf(course / "zh" / name), "zh");
    compared += english.size();
    // A sentence may name the same things in another order.
    std::sort(english.begin(), english.end());
    std::sort(chinese.begin(), chinese.end());
    std::vector<std::string> one_alone;
    std::set_symmetric_difference(english.begin(), english.end(), chinese.begin(), chinese.end(),
                                  std::back_inserter(one_alone));
    std::string report;
    for (const std::string& part : one_alone) report += part + "\n";
    CHECK_MESSAGE(one_alone.empty(), "in one language only: ", report);
  }
  CHECK(compared > 200);
}

TEST_CASE("the course: a lesson hides its run, its picture and the solution of its exercise") {
  const std::map<std::string, std::string> scenarios = listedPictures();
  for (const char* language : {"en", "zh"}) {
    std::set<std::string> shown;
    for (const std::string& name : courseFiles(language)) {
      if (!isLesson(name)) continue;
      CAPTURE(language);
      CAPTURE(name);
      const std::string text = contentsOf(course / language / name);
      const std::size_t question = text.find("\n<details>\n");
      const std::size_t answered = text.find("\n</details>\n", question);
      const std::size_t solution = text.find("\n<details>\n", answered);
      const std::size_t solved = text.find("\n</details>\n", solution);
      REQUIRE(solved != std::string::npos);
      const std::string answer = text.substr(question, answered - question);
      const std::string exercise = text.substr(answered, solution - answered);
      CHECK(has(exercise, "\n```sh\nbuild/zablab "));

      const std::string open =
          std::string("](../pictures/") + (language == std::string_view("zh") ? "zh/" : "");
      const std::size_t at = answer.find(open);
      REQUIRE(at != std::string::npos);
      CHECK(text.find(open) == question + at);  // not before the question
      const std::size_t from = at + open.size();
      const std::string picture = answer.substr(from, answer.find(".svg)", from) - from);
      CAPTURE(picture);
      REQUIRE(scenarios.contains(picture));
      CHECK(fs::exists(course / "pictures" / (picture + ".svg")));
      CHECK(fs::exists(course / "pictures/zh" / (picture + ".svg")));
      CHECK(has(answer, "build/zablab run scenarios/" + scenarios.at(picture) + ".json "));
      shown.insert(picture);
    }
    CHECK(shown.size() == scenarios.size());
  }
}

}  // namespace
}  // namespace zablab
