#include "checker/replay.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "checker/execute.h"
#include "sim/json_reflect.h"

namespace zablab {
namespace {

/// Longer texts are shown shortened.
constexpr std::size_t shown_whole_max = 60;

std::string shown(const Json& value) { return value.is_null() ? "absent" : inBackticks(onOneLine(value)); }

/// "`data.link` was ... and is now ...", for the first place at which two values differ.
std::optional<std::string> changeOf(const Json& was, const Json& is, const std::string& path) {
  if (was == is) return std::nullopt;
  const auto inner = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
  if (was.is_object() && is.is_object()) {
    for (const auto& [key, value] : was.items()) {
      const auto found = is.find(key);
      if (auto change = changeOf(value, found == is.end() ? Json() : *found, inner(key))) return change;
    }
    for (const auto& [key, value] : is.items()) {
      if (was.contains(key)) continue;
      if (auto change = changeOf(Json(), value, inner(key))) return change;
    }
    return inBackticks(path) + " has its keys in another order";
  }
  if (was.is_array() && is.is_array()) {
    for (std::size_t i = 0; i < std::min(was.size(), is.size()); ++i) {
      if (auto change = changeOf(was[i], is[i], path + "[" + std::to_string(i) + "]")) return change;
    }
    if (std::max(onOneLine(was).size(), onOneLine(is).size()) > shown_whole_max)
      return inBackticks(path) + " had " + std::to_string(was.size()) + " elements and has now " +
             std::to_string(is.size());
  }
  return inBackticks(path) + " was " + shown(was) + " and is now " + shown(is);
}

std::string placeOf(const TraceEvent& event) {
  return event.kind + " at " + std::to_string(event.time) + " ms";
}

template <class Element, class NameOf>
void addFirst(std::vector<std::string>& differences, const std::vector<Element>& was,
              const std::vector<Element>& is, const std::string& what, const NameOf& nameOf) {
  for (std::size_t i = 0; i < std::min(was.size(), is.size()); ++i) {
    if (was[i] == is[i]) continue;
    const std::string change = changeOf(toJson(was[i]), toJson(is[i]), "").value_or("it differs");
    differences.push_back(nameOf(i, was[i]) + ": " + change);
    return;
  }
  if (was.size() != is.size())
    differences.push_back("there were " + std::to_string(was.size()) + " " + what + " and are now " +
                          std::to_string(is.size()));
}

/// Files of the format's version 2 have no `said`.
bool says(const Trace& trace) {
  const auto has = [](const auto& one) { return !one.said.is_null(); };
  return trace.header.contains("answer_said") || std::any_of(trace.events.begin(), trace.events.end(), has) ||
         std::any_of(trace.verdicts.begin(), trace.verdicts.end(), has);
}
void withoutSaid(Json& data) {
  if (!data.is_object()) return;
  for (auto member = data.begin(); member != data.end();)
    member = member.key().ends_with("_said") ? data.erase(member) : std::next(member);
}
Trace withoutSaid(Trace trace) {
  withoutSaid(trace.header);
  for (TraceEvent& event : trace.events) {
    event.said = nullptr;
    withoutSaid(event.data);
    if (event.data.contains("picture")) withoutSaid(event.data["picture"]);
  }
  for (TraceVerdict& verdict : trace.verdicts) verdict.said = nullptr;
  return trace;
}

std::optional<std::string> changeOfChoices(const Json& was, const Json& is) {
  for (std::size_t i = 0; i < std::max(was.size(), is.size()); ++i) {
    const Json before = i < was.size() ? was[i] : Json();
    const Json after = i < is.size() ? is[i] : Json();
    if (before != after)
      return "choice " + std::to_string(i) + " was " + shown(before) + " and is now " + shown(after);
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> differencesOf(const Trace& was, const Trace& is) {
  std::optional<Trace> unsaid, rewritten;
  if (!says(was) && says(is)) unsaid = withoutSaid(is);
  const Trace& replayed = unsaid ? *unsaid : is;
  if (was.events != replayed.events) writeChangesAs(replayed.events, rewritten.emplace(was).events);
  const Trace& recorded = rewritten ? *rewritten : was;
  std::vector<std::string> differences;
  Json keys = recorded.header;
  keys.update(replayed.header);
  for (const auto& [key, value] : keys.items()) {
    const Json was = recorded.header.value(key, Json());
    const Json is = replayed.header.value(key, Json());
    if (const auto change = changeOf(was, is, key)) differences.push_back("header: " + *change);
  }
  if (const auto change = changeOf(recorded.scenario, replayed.scenario, ""))
    differences.push_back("scenario: " + *change);
  if (const auto change = changeOfChoices(recorded.choices, replayed.choices)) differences.push_back(*change);
  addFirst(differences, recorded.events, replayed.events, "events", [](std::size_t i, const TraceEvent& was) {
    return "event " + std::to_string(i) + " (" + placeOf(was) + ")";
  });
  addFirst(differences, recorded.verdicts, replayed.verdicts, "verdicts",
           [](std::size_t, const TraceVerdict& was) { return was.kind + " " + was.name; });
  return differences;
}

Replayed replay(const Trace& recorded, const std::string& file_name) {
  LoadedScenario scenario = replayOf(recorded, file_name);
  const Until until = untilOf(recorded, file_name);
  Replayed result;
  result.trace = runScenario(scenario, until).trace;
  scenario.recorded.reset();
  const Trace own = runScenario(scenario, until).trace;
  // Which of the scenario's own choices were never asked for, a run with the recorded ones does not know.
  Json& header = result.trace.header;
  const Json kept = header;
  header.erase("unused_choices");
  if (own.header.contains("unused_choices")) header["unused_choices"] = own.header["unused_choices"];
  result.differences = differencesOf(recorded, result.trace);
  header = kept;
  const auto change = changeOfChoices(recorded.choices, own.choices);
  if (change && recorded.choices == result.trace.choices)
    result.differences.push_back(
        (scenario.spec.seed ? "the seed " + std::to_string(*scenario.spec.seed) + " draws other choices: "
                            : "without the recorded choices the scenario makes others: ") +
        *change);
  return result;
}

Replayed replayLoops(const Trace& recorded, const std::string& file_name, std::int64_t loops) {
  Overrides overrides;
  overrides.loops = loops;
  const LoadedScenario scenario = replayOf(recorded, file_name);
  if (!scenario.spec.loop)
    throw InputError(file_name, std::nullopt, "its scenario has no `loop`", "zablab replay without --loops");
  Replayed result;
  result.trace = runScenario(withOverrides(scenario, overrides)).trace;
  Trace was = recorded;
  Trace is = result.trace;
  const std::size_t both = std::min(was.events.size(), is.events.size());
  was.events.resize(both);
  is.events.resize(both);
  addFirst(result.differences, was.events, is.events, "events", [](std::size_t i, const TraceEvent& event) {
    return "event " + std::to_string(i) + " (" + placeOf(event) + ")";
  });
  for (const TraceVerdict& verdict : result.trace.verdicts) {
    if (verdict.name == "loop" && verdict.verdict != "met")
      result.differences.push_back("loop: " + verdict.text);
  }
  return result;
}

}  // namespace zablab
