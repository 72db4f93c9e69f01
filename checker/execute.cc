#include "checker/execute.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "checker/check/check.h"
#include "checker/collision.h"
#include "checker/expectations.h"
#include "checker/protocol.h"
#include "checker/tables.h"

namespace zablab {
namespace {

bool expectsViolation(const std::vector<ExpectSpec>& expectations, const std::string& invariant) {
  return std::any_of(expectations.begin(), expectations.end(), [&](const ExpectSpec& expect) {
    return expect.invariant && expect.invariant->name == invariant && expect.invariant->verdict == "violated";
  });
}

/// What the exercise asks for and the run lacks; the trace's header says it, too.
std::vector<std::string> missingIn(Trace& trace, const Exercise& exercise) {
  std::vector<std::string> missing;
  const std::vector<std::string> names = namedInvariants(exercise.expect);
  const std::set<std::string> named(names.begin(), names.end());
  for (const TraceVerdict& verdict : trace.verdicts) {
    if (verdict.verdict == "violated" && !named.contains(verdict.name))
      missing.push_back("invariant " + verdict.name + " is violated: " + verdict.text);
  }
  const std::vector<TraceVerdict> verdicts = judge(trace, exercise.expect);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const std::string& because = exercise.expect[i].because;
    if (verdicts[i].verdict != "met")
      missing.push_back(because.empty() ? verdicts[i].text : "not met: " + because);
  }
  trace.header["exercise"] = {{"solved", missing.empty()}, {"missing", missing}};
  return missing;
}

/// Whether the scenario's last actions can be repeated for ever, without meeting what the loop must not.
TraceVerdict verdictOfLoop(const Trace& trace) {
  TraceVerdict verdict{.name = "loop", .kind = "expectation", .verdict = "undecided"};
  const Json loop = trace.header.value("loop", Json());
  if (loop.is_null() || (!loop["returns"].get<bool>() && loop["rounds"] == 0)) {
    verdict.text = "the run ends before the loop does";
    return verdict;
  }
  verdict.obligations = 1;
  verdict.event = loop["event"].get<std::uint64_t>();
  verdict.verdict = "failed";
  if (!loop["returns"].get<bool>()) {
    verdict.text = "after its last action the state is not that in which it began";
  } else if (loop["meets"].get<bool>()) {
    verdict.text = "a state is met of those that it goes on without";
  } else {
    verdict.verdict = "met";
  }
  return verdict;
}

/// The parts of the scenario that the run did not reach.
std::vector<std::string> warningsOf(const Scenario& scenario, const Trace& trace) {
  std::vector<std::string> warnings;
  for (const Json& undone : trace.header.value("undone_steps", Json::array())) {
    const auto index = undone.get<std::size_t>();
    const StepSpec& step = scenario.steps.at(index);
    std::string why = "the step before it was not done";
    if (step.at)
      why = "its time is " + std::to_string(*step.at) + " ms, and the run ends at " +
            std::to_string(scenario.until) + " ms";
    if (step.when) why = "what it waits for never happened";
    warnings.push_back("steps[" + std::to_string(index) + "]: not done: " + why);
  }
  if (scenario.seed && trace.header.contains("no_choices"))
    warnings.push_back("the seed changes nothing: this run has nothing to choose, every latency is fixed");
  return warnings;
}

struct Reseeded {
  LoadedScenario scenario;
  std::string why;
};

/// A scenario without a seed and without choices, of whose waits all are the shortest: if nodes therefore try
/// to be elected at the same times for ever, and with other waits one is, this is the run with another seed.
std::optional<Reseeded> reseed(const LoadedScenario& scenario, const Trace* whole) {
  constexpr std::uint64_t default_seed = 1;
  const Protocol& protocol = protocolOf(scenario);
  const std::optional<ElectionEvents> events = protocol.electionEvents();
  const Scenario& spec = scenario.spec;
  if (!events || spec.seed || scenario.recorded || !spec.choices.empty() || spec.isByActions())
    return std::nullopt;
  try {
    std::optional<Trace> own;
    const Trace& trace = whole == nullptr ? own.emplace(protocol.run(scenario, {})) : *whole;
    const std::optional<Collision> collision = collisionIn(trace, *events);
    if (!collision) return std::nullopt;
    Overrides overrides;
    overrides.seed = default_seed;
    Reseeded reseeded{withOverrides(scenario, overrides), {}};
    const Trace drawn = protocol.run(reseeded.scenario, {});
    if (collisionIn(drawn, *events) || electionsIn(drawn, *events) <= electionsIn(trace, *events))
      return std::nullopt;
    reseeded.why =
        "there is no `seed`, so every wait is the shortest: " + std::to_string(collision->nodes.size()) +
        " nodes try to be elected at the same times for ever (" + std::to_string(collision->attempts) +
        " attempts from " + std::to_string(collision->since) + " to " + std::to_string(collision->until) +
        " ms); this is the run with \"seed\": " + std::to_string(default_seed);
    return reseeded;
  } catch (const InputError&) {  // the whole run is too long for a trace
    return std::nullopt;
  }
}

/// Runs a scenario that is declared to fail once more, without its bug.
void holdsWithout(const LoadedScenario& scenario, Outcome& outcome) {
  LoadedScenario without = scenario;
  without.spec = unchanged(scenario.spec);
  without.recorded.reset();  // those choices belong to the run that fails
  const Outcome held = runScenario(without);
  const std::string where = "without the changed rules: ";
  for (const std::string& problem : held.problems) outcome.problems.push_back(where + problem);
  for (const std::string& open : held.open) outcome.open.push_back(where + open);
}

/// Replaces `field` by the text of the file that it names; false if it is not a path. A value without an end
/// of line is not a text, but a path relative to the scenario's file.
bool takeFile(Scenario& scenario, std::string_view field, const std::string& scenario_path) {
  for (JsonValue& member : scenario.own) {
    if (member.key() != field || member.kind() != JsonValue::Kind::string) continue;
    if (member.asString().find('\n') != std::string::npos) return false;
    const auto path = std::filesystem::path(scenario_path).parent_path() / member.asString();
    try {
      member =
          JsonValue::fromJson({{std::string(field), loadText(path.string())}}, path.string()).members()[0];
    } catch (const InputError& error) {
      throw member.errorAtKey("cannot read " + inBackticks(path.string()) + ": " + error.message);
    }
    return true;
  }
  return false;
}

/// Whether an expectation is about an event of this node.
bool expects(const std::vector<ExpectSpec>& expectations, ServerId node) {
  const auto isOf = [node](const EventPattern& pattern) {
    const JsonValue* const named = pattern.fields.find("node");
    return named != nullptr && named->kind() == JsonValue::Kind::integer && named->asInt64() == node;
  };
  return std::any_of(expectations.begin(), expectations.end(), [&](const ExpectSpec& expect) {
    return (expect.event && isOf(*expect.event)) ||
           std::any_of(expect.order.begin(), expect.order.end(), isOf) || expects(expect.any_of, node);
  });
}

/// Requests of clients that sent nothing in the whole run, if no expectation is about the client: what the
/// scenario is to show did not begin.
void tellNeverSent(const Scenario& scenario, const Trace& trace, std::vector<std::string>& problems) {
  std::set<ServerId> ended;
  std::set<ServerId> sent;
  for (const TraceEvent& event : trace.events) {
    if (!event.node) continue;
    if (event.kind == "sent") sent.insert(*event.node);
    if (event.kind == "answered") ended.insert(*event.node);
  }
  for (std::size_t i = 0; i < scenario.steps.size(); ++i) {
    const auto* ask = scenario.steps[i].as<step::Ask>();
    if (ask == nullptr || !ask->client || !ended.contains(ask->who) || !sent.insert(ask->who).second)
      continue;
    if (expects(scenario.expect, ask->who)) continue;
    problems.push_back("steps[" + std::to_string(i) + "]: client " + std::to_string(ask->who) +
                       " never sent this: no server was there for it");
  }
}

/// What the table's function of the same name says of the file that the scenario names: what is hardly meant,
/// and which of its keys are used.
void remarkOnFile(const LoadedScenario& scenario, Outcome& outcome) {
  const Protocol& protocol = protocolOf(scenario);
  const JsonValue* const text = scenario.document.find(protocol.fileField());
  if (protocol.fileField().empty() || text == nullptr) return;
  const std::vector<TableFunction> functions = protocol.functions();
  const auto function = std::find_if(functions.begin(), functions.end(), [&](const TableFunction& one) {
    return one.name == protocol.fileField();
  });
  if (function == functions.end()) return;
  const JsonValue row = JsonValue::fromJson({{"text", text->asString()}}, scenario.document.file());
  const Json answer = function->run(row, scenario.spec, scenario.document);
  const std::string file = function->name + ": ";
  for (const Json& warning : answer.value("warnings", Json::array()))
    outcome.warnings.push_back(file + warning.get<std::string>());
  for (const char* how : {"used", "without_effect"}) {
    std::string list;
    for (const Json& key : answer.value(how, Json::array()))
      list += (list.empty() ? "" : ", ") + key.get<std::string>();
    if (list.empty()) continue;
    std::string words = how;
    std::replace(words.begin(), words.end(), '_', ' ');
    outcome.trace.header["notes"].push_back(file + words + ": " + list);
  }
}

/// Adds the keys to those that a definition of a schema permits; after that it permits no others.
void addKeys(Json& definition, const Json& keys) {
  for (const auto& [key, schema] : keys.items()) {
    Json& known = definition["properties"][key];
    if (known.is_null()) {
      known = schema;
    } else if (known != schema) {
      known = {{"anyOf", Json::array({known, schema})}};  // two protocols have this key
    }
  }
  definition["additionalProperties"] = false;
}

}  // namespace

Case readCase(const std::string& path, const JsonValue& document) {
  const JsonValue* kind = document.kind() == JsonValue::Kind::object ? document.find("kind") : nullptr;
  if (kind == nullptr && saysTrace(document)) {
    throw document.error("this is a trace, the record of a run",
                         "`zablab replay FILE` runs it again, `zablab render FILE` draws it");
  }
  if (kind == nullptr) {
    throw document.error("`kind` is missing",
                         "a file is {\"kind\": \"scenario\", ...}, \"table\" or \"model\"");
  }
  Case result;
  result.path = path;
  if (kind->asString() == "scenario") {
    result.kind = Case::Kind::scenario;
    result.scenario = {readScenario(document), document};
    const Protocol& protocol = protocolOf(result.scenario);
    const bool takes_file = takeFile(result.scenario.spec, protocol.fileField(), path);
    protocol.checkScenario(result.scenario);
    if (takes_file) {  // the stored document needs no other file; errors have been reported, with their
                       // places
      Json text = document.plain();
      writeOwn(result.scenario.spec.own, text);
      result.scenario.document = JsonValue::fromJson(text, path);
    }
  } else if (kind->asString() == "table") {
    result.kind = Case::Kind::table;
    result.table = document;
    checkTable(document);
  } else if (kind->asString() == "model") {
    result.kind = Case::Kind::model;
    result.model = {readModel(document), document};
    checkModel(result.model);
  } else {
    throw document.keyError("kind", "there is no kind " + inBackticks(kind->asString()),
                            "kinds are: scenario, table, model");
  }
  return result;
}

Case loadCase(const std::string& path) { return readCase(path, loadJson(path)); }

Overrides overridesOf(const FailsWith& how) {
  Overrides overrides;
  if (!how.mutation.empty()) overrides.mutations.push_back(how.mutation);
  if (!how.variant.empty()) overrides.variant = how.variant;
  for (std::string_view rest = how.rule; !rest.empty();) {
    const std::string_view rule = rest.substr(0, rest.find(", "));
    const std::size_t equals = rule.find('=');
    overrides.rules.emplace_back(rule.substr(0, equals), rule.substr(equals + 1));
    rest.remove_prefix(std::min(rule.size() + 2, rest.size()));
  }
  overrides.steps = how.steps;
  return overrides;
}

LoadedScenario withOverrides(const LoadedScenario& scenario, const Overrides& overrides) {
  LoadedScenario changed = scenario;
  if (!overrides.any()) return changed;
  Json text = scenario.document.plain();
  Scenario& spec = changed.spec;
  // With other rules it is a different run from the one that fails.
  if (overrides.changesRun()) {
    spec.fails = false;
    text.erase("fails");
  }
  if (overrides.seed) text["seed"] = *(spec.seed = overrides.seed);
  if (overrides.variant) text["variant"] = spec.variant = *overrides.variant;
  for (const auto& [rule, value] : overrides.rules) text["rules"][rule] = spec.rules[rule] = value;
  for (const std::string& mutation : overrides.mutations) {
    spec.mutations.push_back(mutation);
    text["mutations"] = spec.mutations;
  }
  if (overrides.loops && spec.loop) {
    const auto longer = static_cast<std::int64_t>(spec.actions.size()) - spec.loop->from;
    spec.until += (*overrides.loops - spec.loop->times) * longer * action_every_ms;
    text["loop"]["times"] = spec.loop->times = *overrides.loops;
    text["until"] = spec.until;
  }
  for (const StepSpec& step : overrides.steps) {
    spec.steps.push_back(step);
    text["steps"].push_back(JsonCodec<StepSpec>::write(step));
  }
  changed.document = JsonValue::fromJson(text, scenario.document.file());
  return changed;
}

Outcome runScenario(const LoadedScenario& given, const Until& until) {
  const Protocol& protocol = protocolOf(given);
  Outcome outcome;
  outcome.trace = protocol.run(given, until);
  const bool whole = !until.time && !until.event && !until.step;
  const std::optional<Reseeded> reseeded = reseed(given, whole ? &outcome.trace : nullptr);
  const LoadedScenario& scenario = reseeded ? reseeded->scenario : given;
  if (reseeded) outcome.trace = protocol.run(scenario, until);
  outcome.name = scenario.spec.name;
  outcome.trace.scenario = scenario.document.plain();
  outcome.warnings = warningsOf(scenario.spec, outcome.trace);
  if (reseeded) outcome.warnings.push_back(reseeded->why);
  remarkOnFile(scenario, outcome);
  if (whole) tellNeverSent(scenario.spec, outcome.trace, outcome.problems);
  for (const TraceVerdict& verdict : outcome.trace.verdicts) {
    if (verdict.verdict == "violated" && !expectsViolation(scenario.spec.expect, verdict.name) &&
        !(scenario.spec.exercise && expectsViolation(scenario.spec.exercise->expect, verdict.name))) {
      outcome.problems.push_back("invariant " + verdict.name + " is violated: " + verdict.text);
    }
  }
  if (scenario.spec.exercise) outcome.exercise = missingIn(outcome.trace, *scenario.spec.exercise);
  std::vector<TraceVerdict> judged = judge(outcome.trace, scenario.spec.expect);
  if (scenario.spec.loop) judged.push_back(verdictOfLoop(outcome.trace));
  for (TraceVerdict& verdict : judged) {
    ++outcome.checks;
    if (verdict.verdict == "failed") outcome.problems.push_back(verdict.name + ": " + verdict.text);
    if (verdict.verdict == "undecided") outcome.open.push_back(verdict.name + ": " + verdict.text);
    outcome.trace.verdicts.push_back(std::move(verdict));
  }
  const auto compares = [](const TraceVerdict& verdict) { return verdict.obligations > 0; };
  if (std::none_of(outcome.trace.verdicts.begin(), outcome.trace.verdicts.end(), compares))
    outcome.open.push_back("there was nothing to compare: no expectation, and nothing for any invariant");
  if (scenario.spec.fails) {
    outcome.told = std::move(outcome.problems);
    outcome.problems.clear();
    const bool ended_early = until.time || until.event || until.step;
    if (outcome.told.empty())
      (ended_early ? outcome.open : outcome.problems).push_back("it is declared to fail, and nothing fails");
    if (!ended_early) holdsWithout(scenario, outcome);
  }
  const auto broken_off = outcome.trace.header.find("broken_off");
  if (broken_off != outcome.trace.header.end()) {
    const bool is_error = outcome.trace.header.contains("broken_step");
    (is_error ? outcome.problems : outcome.open)
        .push_back("the run was aborted: " + broken_off->get<std::string>());
  }
  outcome.verdict = !outcome.problems.empty() ? Verdict::failed
                    : !outcome.open.empty()   ? Verdict::inconclusive
                                              : Verdict::passed;
  return outcome;
}

LoadedScenario replayOf(const Trace& trace, const std::string& file_name) {
  const JsonValue document = JsonValue::fromJson(trace.scenario, file_name);
  Case recorded = readCase(file_name, document);
  if (recorded.kind != Case::Kind::scenario)
    throw InputError(file_name, std::nullopt, "the trace's `scenario` is not a scenario");
  LoadedScenario scenario = std::move(recorded.scenario);
  scenario.recorded.emplace();
  const auto isTime = [](const Json& value) {
    return value.is_number_unsigned() ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(time_max)
                                      : value.is_number_integer() && value.get<std::int64_t>() >= 0 &&
                                            value.get<std::int64_t>() <= time_max;
  };
  for (const Json& choice : trace.choices) {
    if (!choice.is_array() || choice.size() != 2 || !choice[0].is_string() || !isTime(choice[1])) {
      throw InputError(file_name, std::nullopt,
                       "the choice " + inBackticks(choice.dump()) + " cannot be made",
                       "a choice is [address, a whole number of ms from 0 to a year]");
    }
    scenario.recorded->push_back({choice[0].get<std::string>(), choice[1].get<std::uint64_t>()});
  }
  return scenario;
}

Until untilOf(const Trace& trace, const std::string& file_name) {
  Until until;
  const auto found = trace.header.find("until");
  if (found == trace.header.end()) return until;
  const JsonValue value = JsonValue::fromJson(*found, file_name);
  if (value.kind() == JsonValue::Kind::integer) {
    until.time = value.asInt64(0);
  } else {
    until.event = read<EventPattern>(value);
  }
  return until;
}

std::string newScenario(std::int64_t servers) {
  const std::string last = std::to_string(servers);
  return "{\n"
         "  \"kind\": \"scenario\",\n"
         "  \"name\": \"server " +
         last +
         " is killed\",\n"
         "  \"about\": \"" +
         last +
         " servers elect a leader; it is killed at 3 s.\",\n"
         "  \"servers\": " +
         last +
         ",\n"
         "  \"steps\": [\n"
         "    {\"at\": 3000, \"kill\": " +
         last +
         "}\n"
         "  ],\n"
         "  \"until\": 10000,\n"
         "  \"expect\": [\n"
         "    {\"by\": 2000, \"server\": " +
         last +
         ", \"state\": {\"role\": \"LEADING\"}, \"because\": \"the largest id wins\"}\n"
         "  ]\n"
         "}\n";
}

Json scenarioSchema() {
  Json schema = schemaOf<Scenario>("zablab scenario");
  Json& defined = schema["$defs"];
  for (const Protocol* protocol : protocols()) {
    const OwnKeys keys = protocol->ownKeys();
    addKeys(defined[Scenario::schema_name]["properties"]["steps"]["items"], keys.step);
    addKeys(defined[ServerSpec::schema_name], keys.server);
    addKeys(defined[Scenario::schema_name], keys.scenario);
  }
  return schema;
}

Json modelSchema() {
  Json schema = schemaOf<Model>("zablab model");
  Json& defined = schema["$defs"];
  for (const Protocol* protocol : protocols()) {
    const OwnKeys keys = protocol->ownKeys();
    addKeys(defined[AskedFor::schema_name], keys.step);
    addKeys(defined[ServerSpec::schema_name], keys.server);
    addKeys(defined[Model::schema_name], keys.scenario);
  }
  return schema;
}

}  // namespace zablab
