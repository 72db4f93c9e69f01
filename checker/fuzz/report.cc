#include "checker/fuzz/report.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "checker/expectations.h"
#include "checker/fuzz/shrink.h"
#include "checker/fuzz/swarm.h"
#include "checker/protocol.h"

namespace zablab {
namespace {

/// Adds the servers without a name that a trace's `said` is about.
void addServers(std::set<ServerId>& servers, const Json& said) {
  if (!said.is_array()) return;
  if (said.size() == 2 && said[0] == Phrase::server_pattern) {
    servers.insert(std::stoll(said[1].get_ref<const std::string&>()));
    return;
  }
  for (const Json& part : said) addServers(servers, part);
}

const TraceVerdict* violated(const Trace& trace, const std::string& what) {
  for (const TraceVerdict& verdict : trace.verdicts) {
    if (verdict.name == what && verdict.verdict == "violated") return &verdict;
  }
  return nullptr;
}

/// The input that the step of an event began with: "delivered COMMIT", "timer half_tick".
std::string actionOf(const Trace& trace, std::uint64_t index) {
  const TraceEvent* event = &trace.events[index];
  static const std::set<std::string> inputs{"started", "delivered", "connected",    "refused",
                                            "closed",  "timer",     "write_failed", "taken_up",
                                            "asked",   "synced",    "durable",      "age"};
  while (!inputs.contains(event->kind) && event->cause) event = &trace.events[*event->cause];
  std::string text = event->kind;
  for (const char* key : {"type", "timer", "record"})
    text += event->data.contains(key) ? " " + event->data[key].get<std::string>() : "";
  return text;
}

std::string signatureOf(const Trace& trace, const Failure& failure) {
  const TraceVerdict* verdict = violated(trace, failure.what);
  if (verdict == nullptr || !verdict->event || *verdict->event >= trace.events.size()) return failure.what;
  std::set<ServerId> servers;
  addServers(servers, verdict->said);
  std::set<std::string> places;
  for (const ServerId server : servers) {
    const Json state = stateAfter(trace, server, *verdict->event);
    places.insert(state.value("role", std::string("down")) + "/" + state.value("phase", std::string("-")));
  }
  std::string text = failure.what + "; ";
  for (const std::string& place : places) text += place + " ";
  return text + "; " + actionOf(trace, *verdict->event);
}

std::string stepText(const StepSpec& step) {
  Json json = toCompactJson(step);
  std::string text = "then";
  if (step.at) text = "at " + std::to_string(*step.at) + " ms";
  if (step.after) text = std::to_string(*step.after) + " ms later";
  if (step.when) {
    const Json event = step.when->event.fields.plain();
    text = step.when->edge == "before" ? "just before" : step.when->edge == "during" ? "during" : "when";
    if (step.when->nth > 1) text += " occurrence " + std::to_string(step.when->nth) + " of";
    for (const auto& [key, value] : event.items()) {
      text += " " + key + " " + (value.is_string() ? value.get<std::string>() : value.dump());
    }
    if (step.when->plus > 0) text += ", " + std::to_string(step.when->plus) + " ms later";
  }
  for (const char* key : {"at", "after", "when"}) json.erase(key);
  for (const auto& [key, value] : json.items())
    text += (key == json.begin().key() ? ": " : ", ") + key + " " + value.dump();
  return text;
}

/// The changes to the rules of the run.
std::string changesOf(const Scenario& scenario) {
  std::string text;
  const auto add = [&](const std::string& one) { text += (text.empty() ? "" : ", ") + one; };
  if (!scenario.variant.empty()) add("variant " + scenario.variant);
  for (const auto& [rule, value] : scenario.rules) add(rule + "=" + value);
  for (const std::string& mutation : scenario.mutations) add(mutation);
  return text;
}

/// The end of the faults, and everything that happens from then on: the probes' requests, and what precedes
/// them.
Kept whatLetsRecover(const Scenario& scenario, const TurnsTo& turns_to) {
  Kept kept;
  for (const ExpectSpec& expect : scenario.expect) {
    const JsonValue* probe = expect.event ? expect.event->fields.find("node") : nullptr;
    if (probe == nullptr) continue;
    for (const StepSpec& spec : scenario.steps) {
      const auto* ask = spec.as<step::Ask>();
      if (!spec.at || ask == nullptr || ask->who != probe->asInt64()) continue;
      const Millis faults_end = *spec.at - probes_after_ms - (turns_to(*ask) ? 0 : first_ask_ms);
      kept.steps_from = std::min(kept.steps_from.value_or(faults_end), faults_end);
      kept.servers = true;
    }
  }
  return kept;
}

std::string summaryOf(const Scenario& scenario, const Failure& failure) {
  const std::string changes = changesOf(scenario);
  std::string text =
      failure.what + (changes.empty() ? "" : ", with " + changes) + ":\n  " + failure.text + "\n";
  text += "It takes " + std::to_string(scenario.servers->list.size()) + " servers and " +
          std::to_string(storyLength(scenario)) + " steps:\n";
  for (const ServerSpec& server : scenario.servers->list) {
    if (server.disk)
      text += "  server " + std::to_string(server.id) + " begins with " + server.disk->plain().dump() + "\n";
  }
  for (const StepSpec& step : scenario.steps) text += "  " + stepText(step) + "\n";
  for (const auto& [address, value] : scenario.choices)
    text += "  " + address + " = " + std::to_string(value) + "\n";
  return text;
}

LoadedScenario load(const Scenario& scenario) {
  return readCase("story", JsonValue::fromJson(toCompactJson(scenario), "story")).scenario;
}

/// The invariants that held, unless one was violated.
std::vector<std::string> heldIn(const Outcome& outcome) {
  std::vector<std::string> held;
  for (const TraceVerdict& verdict : outcome.trace.verdicts) {
    if (verdict.verdict == "violated") return {};
    if (verdict.kind == "invariant" && verdict.verdict == "held") held.push_back(verdict.name);
  }
  return held;
}

/// How much longer a run goes on, so that an invariant sees how long a client waits.
constexpr Millis waits_ms = 70'000;
constexpr std::string_view stall = "stall: ";

/// Whether states show the invariant, so that a scenario has to name it.
bool isOfStates(const Protocol& protocol, const std::string& invariant) {
  const std::vector<NamedText> list = protocol.stateInvariants();
  return std::any_of(list.begin(), list.end(), [&](const NamedText& one) { return one.name == invariant; });
}

/// A run that stalls as an invariant describes, without the requests that show it in random runs: it expects
/// that the invariant holds.
std::optional<Scenario> expectingProgress(const Protocol& protocol, Scenario failing,
                                          const Failure& failure) {
  if (!failure.isStall()) return std::nullopt;
  const std::string invariant = failure.what.substr(stall.size());
  if (!isOfStates(protocol, invariant)) return std::nullopt;
  ExpectSpec expect;
  expect.invariant = InvariantSpec{invariant, "held"};
  failing.expect = {std::move(expect)};
  failing.until = failure.time + waits_ms;
  return failing;
}

/// The scenario expects what holds without its changes of the rules, and declares that it fails.
void askForWhatHolds(Scenario& scenario, const Failure& failure) {
  if (!failure.isViolation() && !failure.isStall()) return;
  Scenario without = unchanged(scenario);
  without.fails_with.clear();
  if (failure.isStall()) {
    scenario.fails = runScenario(load(without)).verdict == Verdict::passed;
    return;
  }
  const auto expectHeld = [&without](const std::string& invariant) {
    ExpectSpec expect;
    expect.invariant = InvariantSpec{invariant, "held"};
    without.expect = {expect};
  };
  expectHeld(failure.what);
  std::vector<std::string> held;
  for (const Millis longer : {0, 100, 1000, 5000}) {  // until it is exercised
    without.until = failure.time + 1 + longer;
    held = heldIn(runScenario(load(without)));
    if (std::find(held.begin(), held.end(), failure.what) != held.end()) break;
  }
  if (held.empty()) return;
  // Without the change there may be nothing to compare; then another invariant shows that the run did
  // something.
  if (std::find(held.begin(), held.end(), failure.what) == held.end()) expectHeld(held.front());
  scenario.expect = without.expect;
  scenario.until = without.until;
  scenario.fails = true;
}

}  // namespace

std::optional<Story> tellStory(const Scenario& failing, const std::vector<std::string>& only,
                               const Proceed& proceed) {
  const bool slow = only == std::vector<std::string>{slow_election};
  const auto judged = [&](const Scenario& scenario, std::vector<Choice>* made = nullptr) {
    RunOutcome outcome = protocolOf(scenario).judge(scenario, made, only);
    if (slow && outcome.slow_election_ms > 0) {
      outcome.failure = Failure{slow_election,
                                "sound, connected servers needed " +
                                    std::to_string(outcome.slow_election_ms) + " ms to establish a leader",
                                outcome.virtual_ms};
    }
    return outcome;
  };
  // If the rules were changed, the same run has to hold without the change: unless it fails anyway.
  const bool changed = !changesOf(failing).empty() && !judged(unchanged(failing)).failure;
  const Protocol& protocol = protocolOf(failing);
  // Without a seed and without choices all waits are equal: nodes that are never elected for that reason are
  // another story.
  const bool by_waits = protocol.electionEvents().has_value() && (failing.seed || !failing.choices.empty());
  std::uint64_t runs = 0;
  bool stopped =
      false;          // for want of time: then it is as if nothing failed, so that nothing smaller is tried
  bool first = true;  // what is to be shrunk is run in any case
  const JudgeRun judge = [&](const Scenario& scenario, std::vector<Choice>* made) {
    if (!std::exchange(first, false)) stopped = stopped || (proceed && !proceed());
    if (stopped) return RunOutcome{};
    ++runs;
    RunOutcome outcome = judged(scenario, made);
    const bool drawn = scenario.seed || !scenario.choices.empty();
    if (outcome.failure && outcome.failure->isStall() && by_waits && !changed && !drawn)
      outcome.failure.reset();
    if (outcome.failure && changed && judged(unchanged(scenario)).failure) outcome.failure.reset();
    return outcome;
  };
  // Of an invariant that states show, it also has to show something: that takes much longer to find out.
  const auto passesWithout = [&](const Scenario& scenario) {
    return runScenario(load(unchanged(scenario))).verdict == Verdict::passed;
  };
  const JudgeRun strictly = [&](const Scenario& scenario, std::vector<Choice>* made) {
    RunOutcome outcome = judge(scenario, made);
    if (outcome.failure && !passesWithout(scenario)) outcome.failure.reset();
    return outcome;
  };
  const TurnsTo turns_to = [&](const step::Ask& ask) { return protocol.turnsTo(ask); };
  const Kept kept = changed ? Kept{} : whatLetsRecover(failing, turns_to);
  Scenario reported = failing;
  if (const auto failure = judged(failing).failure) {
    const auto expecting = expectingProgress(protocol, failing, *failure);
    const auto again = expecting ? judge(*expecting, nullptr).failure : std::nullopt;
    if (again && again->what == expecting->expect.front().invariant->name &&
        (!changed || passesWithout(*expecting)))
      reported = *expecting;
  }
  first = true;
  std::optional<Shrunk> shrunk = shrink(reported, judge, turns_to, kept);
  if (shrunk && !stopped && changed && isOfStates(protocol, shrunk->failure.what) &&
      !passesWithout(shrunk->scenario))
    shrunk = shrink(reported, strictly, turns_to, kept);
  if (!shrunk) return std::nullopt;
  Story story;
  story.seed = failing.seed.value_or(0);
  story.failure = shrunk->failure;
  story.runs = stopped ? std::min(shrunk->runs, runs) : shrunk->runs;
  story.stopped = stopped;
  story.scenario = std::move(shrunk->scenario);
  story.length = storyLength(story.scenario);
  const std::string changes = changed ? changesOf(story.scenario) : "";
  story.scenario.name = story.failure.what + (changes.empty() ? "" : " with " + changes);
  story.summary = summaryOf(story.scenario, story.failure);
  story.scenario.about = story.summary.substr(0, story.summary.find('\n', story.summary.find('\n') + 1));
  story.trace = runScenario(load(story.scenario)).trace;
  story.signature = signatureOf(story.trace, story.failure);
  if (story.failure.isViolation() && story.scenario.expect.empty()) {
    ExpectSpec expect;
    expect.invariant = InvariantSpec{story.failure.what, "violated"};
    if (!changes.empty()) story.scenario.expect = {expect};
  }
  story.scenario.fails = false;
  if (changed) askForWhatHolds(story.scenario, story.failure);
  return story;
}

std::optional<Story> tellStory(const FuzzTarget& target, const Finding& finding, const Proceed& proceed) {
  Scenario scenario = protocolOf(target).drawScenario(target, finding.seed);
  std::vector<std::string> only = target.invariants;
  if (finding.failure.what == slow_election) only = {slow_election};
  auto story = tellStory(scenario, only, proceed);
  if (story) story->seed = finding.seed;
  return story;
}

std::vector<Finding> chosenFindings(const std::vector<Finding>& findings, std::size_t of_each) {
  std::map<std::string, std::size_t> taken;
  std::vector<Finding> chosen;
  for (const Finding& finding : findings) {
    if (taken[finding.failure.what]++ < of_each) chosen.push_back(finding);
  }
  return chosen;
}

std::vector<std::string> tableOf(const FuzzStatistics& statistics) {
  std::vector<std::string> lines;
  const auto number = [](std::uint64_t n) {
    std::string text = std::to_string(n);
    for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
    return text;
  };
  const auto list = [&](const char* title, const Counts& counts) {
    if (counts.empty()) return;
    std::string text;
    for (const auto& [name, count] : counts) text += (text.empty() ? "" : ", ") + name + " " + number(count);
    lines.push_back(std::string(title) + ": " + text);
  };
  list("faults drawn", statistics.planned);
  list("faults that occurred", statistics.fired);
  list("messages lost", statistics.lost);
  list("comparisons", statistics.obligations);
  list("not compared", statistics.passed_over);
  lines.push_back("covered: " + number(statistics.coverage.size()) + " of role, phase and input; " +
                  number(statistics.node_states.size()) + " states of a server, in every 64th seed");
  return lines;
}

std::vector<std::vector<std::string>> timesTable(const FuzzStatistics& statistics) {
  std::set<std::string> settings;
  std::vector<std::vector<std::string>> rows{{""}};
  for (const auto& [measure, by_setting] : statistics.times) {
    rows[0].push_back(measure);
    for (const auto& row : by_setting) settings.insert(row.first);
  }
  for (const std::string& setting : settings) {
    std::vector<std::string> row{setting};
    for (const auto& measured : statistics.times) {
      const auto found = measured.second.find(setting);
      const Histogram histogram = found == measured.second.end() ? Histogram{} : found->second;
      std::string cell;
      for (const std::int64_t permille : {500, 900, 990})
        cell += (cell.empty() ? "" : " / ") + std::to_string(quantile(histogram, permille));
      row.push_back(histogram.empty() ? "-" : cell);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string coverageDot(const FuzzStatistics& statistics) {
  std::map<std::string, std::uint64_t> places;
  std::uint64_t most = 1;
  for (const auto& [ends, count] : statistics.transitions) {
    const std::size_t mark = ends.find(" > ");
    places[ends.substr(0, mark)] += 0;
    places[ends.substr(mark + 3)] += count;
    most = std::max(most, count);
  }
  // From 1 to 5, by powers of ten below the most frequent.
  const auto strength = [&](std::uint64_t count) {
    int level = 5;
    for (std::uint64_t bound = most; bound > count && level > 1; bound /= 10) --level;
    return std::to_string(level);
  };
  std::string dot =
      "digraph coverage {\n  node [shape=box, style=\"filled,rounded\", fontname=\"sans-serif\"];\n"
      "  edge [fontname=\"sans-serif\", fontsize=10];\n";
  for (const auto& [place, count] : places) {
    dot += "  \"" + place + "\" [fillcolor=\"/blues9/" + strength(count) + "\", label=\"" + place + "\\n" +
           std::to_string(count) + "\"];\n";
  }
  for (const auto& [ends, count] : statistics.transitions) {
    const std::size_t mark = ends.find(" > ");
    dot += "  \"" + ends.substr(0, mark) + "\" -> \"" + ends.substr(mark + 3) + "\" [label=\"" +
           std::to_string(count) + "\", color=\"gray35\", penwidth=" + strength(count) + "];\n";
  }
  return dot + "}\n";
}

}  // namespace zablab
