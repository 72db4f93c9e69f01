#include "cli/overrides.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "checker/built.h"
#include "sim/json.h"

namespace zablab::cli {
namespace {

std::vector<std::string> namesOf(const std::vector<NamedText>& list) {
  std::vector<std::string> names;
  for (const NamedText& row : list) names.push_back(row.name);
  return names;
}

void checkKnown(const std::string& word, const std::string& what, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), word) != known.end()) return;
  throw UsageError("there is no " + what + " " + inBackticks(word) +
                   didYouMean(word, known, "; see zablab list " + what + "s"));
}

/// Unknown names are errors of the command line, reported once.
void checkKnownNames(const Overrides& overrides) {
  if (overrides.variant) checkKnown(*overrides.variant, "variant", namesOf(allOf(&Protocol::variants)));
  for (const std::string& name : overrides.mutations)
    checkKnown(name, "mutation", namesOf(allOf(&Protocol::mutations)));
  std::vector<std::string> rules;
  for (const std::string& name : namesOf(allOf(&Protocol::rules))) {
    const std::string rule = name.substr(0, name.find('='));
    if (rules.empty() || rules.back() != rule) rules.push_back(rule);
  }
  for (const auto& [rule, value] : overrides.rules) {
    checkKnown(rule, "rule", rules);
    std::vector<std::string> of_rule;
    std::string list;
    for (const std::string& name : namesOf(allOf(&Protocol::rules))) {
      if (name.substr(0, name.find('=')) != rule) continue;
      of_rule.push_back(name.substr(rule.size() + 1));
      list += (list.empty() ? "" : ", ") + of_rule.back();
    }
    if (std::find(of_rule.begin(), of_rule.end(), value) != of_rule.end()) continue;
    throw UsageError("the rule " + inBackticks(rule) + " has no value " + inBackticks(value) +
                     didYouMean(value, of_rule, "; its values are: " + list));
  }
}

}  // namespace

EventPattern eventPattern(const std::string& word, std::string_view option) {
  const std::string name(option);
  Json fields = Json::object();
  std::istringstream parts(word + ",");
  for (std::string part; std::getline(parts, part, ',');) {
    const auto [key, value] = keyAndValue(part, option, "kind=decided,node=1");
    if (fields.contains(key)) throw UsageError(name + " names " + inBackticks(key) + " twice");
    if (key == "kind") {
      fields[key] = value;
    } else if (key == "node") {
      std::int64_t id = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), id);
      if (error != std::errc{} || end != value.data() + value.size())
        throw UsageError(name + " node= wants a server's id, not " + inBackticks(value));
      fields[key] = id;
    } else {
      const Json parsed = Json::parse(value, nullptr, false);
      fields[key] = parsed.is_discarded() || parsed.is_structured() ? Json(value) : parsed;
    }
  }
  return {JsonValue::fromJson(fields, name)};
}

const Protocol& protocolNamed(const std::string& name) {
  if (const Protocol* found = findProtocol(name)) return *found;
  if (const auto missing = leftOut(name)) throw UsageError(*missing + "; " + how_to_build);
  std::vector<std::string> known;
  for (const Protocol* one : protocols()) known.emplace_back(one->name());
  throw UsageError("there is no protocol " + inBackticks(name) +
                   didYouMean(name, known, "; see zablab list protocols"));
}

std::pair<std::string, std::string> keyAndValue(const std::string& word, std::string_view option,
                                                std::string_view example) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError(std::string(option) + " requires NAME=VALUE, as in " + std::string(option) + " " +
                     std::string(example) + ", not " + inBackticks(word));
  }
  return {word.substr(0, equals), word.substr(equals + 1)};
}

SeedRange seedsOf(const std::string& word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string::npos)
    throw UsageError("--seeds requires FROM:TO, as in --seeds 0:1000, not " + inBackticks(word));
  constexpr std::uint64_t max = std::uint64_t{1} << 62;
  SeedRange seeds{numberOf("--seeds", word.substr(0, colon), 0, max),
                  numberOf("--seeds", word.substr(colon + 1), 0, max)};
  if (seeds.begin >= seeds.end) {
    throw UsageError("--seeds " + word + " names no seed: it is FROM:TO, without TO itself");
  }
  return seeds;
}

void addRuleOptions(Command& command) {
  command.options.add_options()  //
      ("variant", po::value<std::string>()->value_name("V"),
       "use these rules (zablab list variants)")  //
      ("rule", po::value<Words>()->value_name("K=V"),
       "set one rule (zablab list rules)")  //
      ("mutate", po::value<Words>()->value_name("M"), "plant a bug (zablab list mutations)");
}

Overrides ruleOverrides(const po::variables_map& values) {
  Overrides overrides;
  if (values.contains("variant")) overrides.variant = values["variant"].as<std::string>();
  for (const std::string& word : all(values, "rule"))
    overrides.rules.push_back(keyAndValue(word, "--rule", "decision=at_once"));
  overrides.mutations = all(values, "mutate");
  checkKnownNames(overrides);
  return overrides;
}

std::vector<std::string> ruleWords(const po::variables_map& values) {
  std::vector<std::string> words;
  if (values.contains("variant"))
    words.insert(words.end(), {"--variant", values["variant"].as<std::string>()});
  for (const char* option : {"rule", "mutate"}) {
    for (const std::string& word : all(values, option))
      words.insert(words.end(), {"--" + std::string(option), word});
  }
  return words;
}

}  // namespace zablab::cli
