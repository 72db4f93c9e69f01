// docs/scenarios.md: every example runs and passes, every field occurs, and defaults are those of the code.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "checker/execute.h"
#include "checker/protocol.h"
#include "checker/tables.h"
#include "protocol/zab_register/family.h"
#include "sim/zab_register/binding.h"
#include "sim/zab_register/words.h"

namespace zablab {
namespace {

std::string contentsOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

const std::string& page() {
  static const std::string text = contentsOf(ZABLAB_SOURCE_DIR "/docs/scenarios.md");
  return text;
}

/// A block ```json WORD of the page.
struct Block {
  std::string word;
  std::string text;
  std::string place;
};

std::vector<Block> blocks() {
  constexpr std::string_view fence = "```";
  std::vector<Block> found;
  Block block;
  bool inside = false;
  bool wanted = false;
  int number = 0;
  for (std::size_t at = 0; at < page().size();) {
    const std::size_t end = std::min(page().find('\n', at), page().size());
    const std::string line = page().substr(at, end - at);
    at = end + 1;
    ++number;
    if (!line.starts_with(fence)) {
      if (inside) block.text += line + "\n";
      continue;
    }
    if (inside && wanted) found.push_back(block);
    inside = !inside;
    wanted = line.starts_with("```json");
    block = {line.size() > 8 ? line.substr(8) : "", "", "scenarios.md:" + std::to_string(number)};
  }
  CHECK_FALSE(inside);
  return found;
}

Json asList(const Json& one) { return one.is_array() ? one : Json::array({one}); }

/// The scenario around a fragment.
Json wholeOf(const Block& block) {
  const Json content = parseJson(block.place, block.text).plain();
  if (block.word.empty()) return content;
  Json whole{{"kind", "scenario"}, {"name", block.place}, {"servers", 3}, {"until", 20'000}};
  if (block.word == "step") {
    whole["steps"] = asList(content);
  } else if (block.word == "expect") {
    whole["until"] = 3000;
    whole["expect"] = asList(content);
  } else if (block.word == "top") {
    whole.update(content);
  } else {
    FAIL("a block is ```json, or ```json step, expect or top, not " << block.word);
  }
  return whole;
}

std::string onLines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST_CASE("scenarios.md: every example runs and passes") {
  const std::vector<Block> all = blocks();
  CHECK(all.size() > 40);
  for (const Block& block : all) {
    CAPTURE(block.place);
    const Case one = readCase(block.place, JsonValue::fromJson(wholeOf(block), block.place));
    const Outcome outcome =
        one.kind == Case::Kind::table ? runTable(one.table, {}) : runScenario(one.scenario);
    CAPTURE(onLines(outcome.problems) + onLines(outcome.open));
    CHECK(outcome.verdict == Verdict::passed);
    if (block.word.empty()) CHECK(outcome.checks > 0);
    const auto& events = outcome.trace.events;
    CHECK(std::none_of(events.begin(), events.end(),
                       [](const auto& event) { return event.kind == "skipped"; }));
  }
}

TEST_CASE("scenarios.md: what an example names in `fails_with` makes it fail") {
  for (const Block& block : blocks()) {
    if (!block.word.empty()) continue;
    CAPTURE(block.place);
    const Case one = readCase(block.place, parseJson(block.place, block.text));
    const JsonValue& document = one.kind == Case::Kind::table ? one.table : one.scenario.document;
    const JsonValue* list = document.find("fails_with");
    if (list == nullptr) continue;
    for (const FailsWith& how : read<std::vector<FailsWith>>(*list)) {
      const Overrides overrides = overridesOf(how);
      const Outcome outcome = one.kind == Case::Kind::table
                                  ? runTable(one.table, overrides)
                                  : runScenario(withOverrides(one.scenario, overrides));
      CHECK(outcome.verdict == Verdict::failed);
    }
  }
}

template <class Struct>
void checkFieldsOccur() {
  const Struct fields{};
  forEachField(fields, [](std::string_view field, const auto&) {
    std::string name(field);
    if (name.ends_with('_')) name.pop_back();
    CAPTURE(name);
    CHECK((page().find("`" + name + "`") != std::string::npos ||
           page().find("\"" + name + "\":") != std::string::npos));
  });
}

TEST_CASE("scenarios.md: every field of the format occurs") {
  checkFieldsOccur<Scenario>();
  checkFieldsOccur<ServerSpec>();
  checkFieldsOccur<ClientSpec>();
  checkFieldsOccur<TimingSpec>();
  checkFieldsOccur<SlowWay>();
  checkFieldsOccur<When>();
  checkFieldsOccur<BreakSpec>();
  checkFieldsOccur<Selector>();
  checkFieldsOccur<SendSpec>();
  checkFieldsOccur<DiskSpec>();
  checkFieldsOccur<SetSpec>();
  checkFieldsOccur<ClockSpec>();
  checkFieldsOccur<ExpectSpec>();
  checkFieldsOccur<PacketsSpec>();
  checkFieldsOccur<EqualSpec>();
  checkFieldsOccur<InvariantSpec>();
  checkFieldsOccur<FailsWith>();
  for (const std::string& key : JsonCodec<StepSpec>::keys()) {
    CAPTURE(key);
    CHECK(page().find("\"" + key + "\":") != std::string::npos);
  }
  for (const Protocol* protocol : protocols()) {
    const OwnKeys keys = protocol->ownKeys();
    for (const Json* own : {&keys.step, &keys.server, &keys.scenario}) {
      for (const auto& own_key : own->items()) {
        CAPTURE(own_key.key());
        CHECK(page().find("`" + own_key.key() + "`") != std::string::npos);
      }
    }
  }
  for (const TableFunction& function : findProtocol("zab")->functions()) {
    CAPTURE(function.name);
    CHECK(page().find("\"function\": \"" + function.name + "\"") != std::string::npos);
  }
}

template <class Variant>
void checkAlternativesOccur(const std::string& text) {
  boost::mp11::mp_for_each<boost::mp11::mp_transform<std::type_identity, Variant>>([&](auto type) {
    const std::string name(decltype(type)::type::name);
    CAPTURE(name);
    CHECK(text.find("`" + name + "`") != std::string::npos);
  });
}

TEST_CASE("scenarios.md: every field of a disk and of a state, every message and record occur") {
  checkFieldsOccur<zab::Durable>();
  checkFieldsOccur<JsonCodec<zab::Snapshot>::Fields>();
  checkFieldsOccur<JsonCodec<zab::Txn>::Fields>();
  checkFieldsOccur<zab::Node>();
  checkFieldsOccur<zab::Client>();
  checkFieldsOccur<zab::Config>();
  checkAlternativesOccur<zab::Message>(page());
  checkAlternativesOccur<zab::Record>(page());
}

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// The values of a table's column `default`, by the names in backticks in the column `field`.
std::map<std::string, std::string> defaultsIn(const std::string& text) {
  std::map<std::string, std::string> defaults;
  const std::size_t table = text.find("\n| field | default |");
  REQUIRE(table != std::string::npos);
  std::size_t at = text.find('\n', text.find('\n', table + 1) + 1) + 1;  // after the header and its rule
  while (text[at] == '|') {
    const std::size_t end = text.find('\n', at);
    REQUIRE(end != std::string::npos);
    const std::size_t second = text.find('|', at + 1);
    const std::size_t third = text.find('|', second + 1);
    REQUIRE(third < end);
    const std::string field = trimmed(text.substr(at + 1, second - at - 1));
    CAPTURE(field);
    REQUIRE(field.size() > 2);
    CHECK((field.front() == '`' && field.back() == '`'));
    const std::string value = trimmed(text.substr(second + 1, third - second - 1));
    CHECK(defaults.emplace(field.substr(1, field.size() - 2), value).second);
    at = end + 1;
  }
  return defaults;
}

TEST_CASE("scenarios.md: the table of the configuration has every field with its default") {
  std::map<std::string, std::string> listed = defaultsIn(page());
  const Json defaults = toJson(zab::Config{});
  CHECK(defaults.size() > 10);
  for (const auto& [field, value] : defaults.items()) {
    const std::string name = field;
    CAPTURE(name);
    REQUIRE(listed.contains(name));
    // The scenario's servers are the members, unless it names others.
    CHECK(listed.at(name) == (name == "members" ? "the servers" : value.dump()));
    listed.erase(name);
  }
  for (const auto& row : listed) FAIL_CHECK(row.first, " is no field of the configuration");
}

TEST_CASE("scenarios.md or traces.md: every event occurs") {
  checkAlternativesOccur<zab::Event>(page() + contentsOf(ZABLAB_SOURCE_DIR "/docs/traces.md"));
}

/// The texts in backticks on a page, and the targets of its links and pictures.
std::set<std::string> namedOn(const std::string& text) {
  std::set<std::string> named;
  const auto between = [&](std::string_view open, char close) {
    for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at + 1)) {
      const std::size_t from = at + open.size();
      const std::size_t end = text.find_first_of(std::string("\n") + close, from);
      if (end != std::string::npos && text[end] == close) named.insert(text.substr(from, end - from));
    }
  };
  between("`", '`');
  between("](", ')');
  return named;
}

/// Whether a scenario exists, by its path below scenarios/, with or without `.json`; `*` at the end matches
/// the rest.
bool isShipped(std::string name) {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(ZABLAB_SOURCE_DIR) / "scenarios";
  if (name.ends_with(".json")) name.resize(name.size() - std::string_view(".json").size());
  const std::size_t star = name.find('*');
  if (star == std::string::npos) return fs::exists(root / name) || fs::exists(root / (name + ".json"));
  const fs::path folder = (root / name).parent_path();
  const std::string begin = fs::path(name.substr(0, star)).filename().string();
  const std::string end = name.substr(star + 1);
  return std::any_of(fs::directory_iterator(folder), fs::directory_iterator(), [&](const auto& entry) {
    const std::string stem = entry.path().stem().string();
    return stem.starts_with(begin) && stem.ends_with(end);
  });
}

TEST_CASE("recipes.md: the recipe that it shows is the file, of less than 80 lines") {
  const std::string text = contentsOf(ZABLAB_SOURCE_DIR "/docs/recipes.md");
  const std::string recipe = contentsOf(ZABLAB_SOURCE_DIR "/protocol/recipes/semaphore.h");
  REQUIRE_FALSE(recipe.empty());
  CHECK(text.find("```cpp\n" + recipe + "```\n") != std::string::npos);
  CHECK(std::count(recipe.begin(), recipe.end(), '\n') < 80);
}

TEST_CASE("the pages: every link leads to a file, and to a heading in it") {
  namespace fs = std::filesystem;
  const auto anchorOf = [](const std::string& heading) {
    std::string anchor;
    for (const char c : heading) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_')
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      if (c == ' ') anchor += '-';
    }
    return anchor;
  };
  const auto anchorsOf = [&](const fs::path& page) {
    std::set<std::string> anchors;
    std::istringstream lines(contentsOf(page.string()));
    for (std::string line; std::getline(lines, line);) {
      const std::size_t text = line.find_first_not_of('#');
      if (text > 0 && text != std::string::npos && line[text] == ' ')
        anchors.insert(anchorOf(line.substr(text + 1)));
    }
    return anchors;
  };
  std::vector<fs::path> pages;
  for (const char* folder : {"", "docs", "docs/generated", "docs/course/en", "docs/course/zh"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(ZABLAB_SOURCE_DIR) / folder)) {
      if (entry.path().extension() == ".md") pages.push_back(entry.path());
    }
  }
  std::size_t links = 0;
  for (const fs::path& page : pages) {
    const std::string text = contentsOf(page.string());
    for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
      const std::size_t end = text.find_first_of(")\n", at);
      if (end == std::string::npos || text[end] != ')') continue;
      const std::string target = text.substr(at + 2, end - at - 2);
      if (target.starts_with("http") || target.find(' ') != std::string::npos)
        continue;  // a lambda is not a link
      CAPTURE(page.filename().string());
      CAPTURE(target);
      const std::size_t mark = target.find('#');
      const fs::path file =
          target.substr(0, mark).empty() ? page : page.parent_path() / target.substr(0, mark);
      CHECK(fs::exists(file));
      if (mark != std::string::npos && fs::exists(file))
        CHECK(anchorsOf(file).contains(target.substr(mark + 1)));
      ++links;
    }
  }
  CHECK(links > 80);
}

TEST_CASE("the pages: scenarios, sources, links and pictures that they name exist") {
  namespace fs = std::filesystem;
  const std::set<std::string> folders{"election", "recovery", "broadcast", "tables", "releases", "recorded"};
  std::vector<fs::path> pages;
  for (const char* folder :
       {ZABLAB_SOURCE_DIR, ZABLAB_SOURCE_DIR "/docs", ZABLAB_SOURCE_DIR "/docs/generated",
        ZABLAB_SOURCE_DIR "/docs/course/en", ZABLAB_SOURCE_DIR "/docs/course/zh"}) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".md") pages.push_back(entry.path());
    }
  }
  std::size_t scenarios = 0;
  std::size_t links = 0;
  std::size_t sources = 0;
  for (const fs::path& page : pages) {
    for (std::string name : namedOn(contentsOf(page.string()))) {
      CAPTURE(page.filename().string());
      CAPTURE(name);
      const bool link =
          name.ends_with(".md") || name.ends_with(".svg") || name.find(".md#") != std::string::npos;
      if (link && name.find(' ') == std::string::npos && !name.starts_with("build")) {
        const std::string file = name.substr(0, name.find('#'));
        const bool there =
            fs::exists(page.parent_path() / file) || fs::exists(fs::path(ZABLAB_SOURCE_DIR) / file);
        if (file.find('/') != std::string::npos) CHECK(there);
        ++links;
        continue;
      }
      const bool source =
          name.ends_with(".h") || name.ends_with(".cc") || name.ends_with(".py") || name.ends_with(".sh");
      if (source && page.filename() != "CHANGELOG.md" && name.find('/') != std::string::npos &&
          name.find_first_of(" <*{") == std::string::npos) {
        CHECK(fs::exists(fs::path(ZABLAB_SOURCE_DIR) / name.substr(name.starts_with("./") ? 2 : 0)));
        ++sources;
        continue;
      }
      if (name.starts_with("scenarios/")) name.erase(0, std::string_view("scenarios/").size());
      const std::size_t slash = name.find('/');
      if (slash == std::string::npos || !folders.contains(name.substr(0, slash))) continue;
      if (name.find(' ') != std::string::npos || slash + 1 == name.size()) continue;
      CHECK(isShipped(name));
      ++scenarios;
    }
  }
  CHECK(scenarios > 50);
  CHECK(links > 30);
  CHECK(sources > 50);
}

}  // namespace
}  // namespace zablab
