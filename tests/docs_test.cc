// docs/scenarios.md: every example runs and passes, and every field of the format occurs.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "checker/execute.h"
#include "checker/families.h"
#include "checker/tables.h"
#include "protocol/zab/family.h"

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

std::string joined(const std::vector<std::string>& lines) {
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
    CAPTURE(joined(outcome.problems) + joined(outcome.open));
    CHECK(outcome.verdict == Verdict::passed);
    if (block.word.empty()) CHECK(outcome.checks > 0);
    const auto& events = outcome.trace.events;
    CHECK(std::none_of(events.begin(), events.end(),
                       [](const auto& event) { return event.kind == "skipped"; }));
  }
}

TEST_CASE("scenarios.md: what an example says it fails with makes it fail") {
  for (const Block& block : blocks()) {
    if (!block.word.empty()) continue;
    CAPTURE(block.place);
    const Case one = readCase(block.place, parseJson(block.place, block.text));
    const JsonValue& document = one.kind == Case::Kind::table ? one.table : one.scenario.document;
    const JsonValue* list = document.find("fails_with");
    if (list == nullptr) continue;
    for (const FailsWith& how : read<std::vector<FailsWith>>(*list)) {
      Overrides overrides;
      if (!how.mutation.empty()) overrides.mutations.push_back(how.mutation);
      if (!how.variant.empty()) overrides.variant = how.variant;
      const std::size_t equals = how.rule.find('=');
      if (!how.rule.empty())
        overrides.rules.emplace_back(how.rule.substr(0, equals), how.rule.substr(equals + 1));
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
  checkFieldsOccur<StepSpec>();
  checkFieldsOccur<When>();
  checkFieldsOccur<BreakSpec>();
  checkFieldsOccur<Selector>();
  checkFieldsOccur<SendSpec>();
  checkFieldsOccur<DiskSpec>();
  checkFieldsOccur<SetSpec>();
  checkFieldsOccur<ClockSpec>();
  checkFieldsOccur<AskSpec>();
  checkFieldsOccur<ConnectSpec>();
  checkFieldsOccur<ExpectSpec>();
  checkFieldsOccur<PacketsSpec>();
  checkFieldsOccur<EqualSpec>();
  checkFieldsOccur<InvariantSpec>();
  checkFieldsOccur<FailsWith>();
  for (const TableFunction& function : allTableFunctions()) {
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
  checkFieldsOccur<zab::Snapshot>();
  checkFieldsOccur<zab::Txn>();
  checkFieldsOccur<zab::Node>();
  checkFieldsOccur<zab::Client>();
  checkFieldsOccur<zab::Config>();
  checkAlternativesOccur<zab::Message>(page());
  checkAlternativesOccur<zab::Record>(page());
}

TEST_CASE("scenarios.md or traces.md: every event occurs") {
  checkAlternativesOccur<zab::Event>(page() + contentsOf(ZABLAB_SOURCE_DIR "/docs/traces.md"));
}

TEST_CASE("the README's scenario files are there") {
  const std::string readme = contentsOf(ZABLAB_SOURCE_DIR "/README.md");
  CHECK_FALSE(readme.empty());
  constexpr std::string_view begin = "scenarios/";
  for (std::size_t at = readme.find(begin); at != std::string::npos; at = readme.find(begin, at + 1)) {
    const std::string path = readme.substr(at, readme.find_first_of(" `)\n", at) - at);
    if (!path.ends_with(".json")) continue;
    CAPTURE(path);
    CHECK_NOTHROW(loadCase(ZABLAB_SOURCE_DIR "/" + path));
  }
}

}  // namespace
}  // namespace zablab
