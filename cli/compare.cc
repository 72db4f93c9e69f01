#include "checker/compare/compare.h"
#include "checker/compare/contender.h"

#include <algorithm>
#include <future>
#include <iostream>
#include <map>
#include <sstream>

#include "checker/built.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/overrides.h"
#include "sim/json_reflect.h"
#include "viz/chart.h"
#include "viz/outages.h"

namespace zablab::cli {
namespace {

/// A built-in name, or a file.
FaultScript scriptOf(const std::string& word) {
  std::vector<std::string> names;
  for (const FaultScript& script : builtInScripts()) {
    if (script.name == word) return script;
    names.push_back(script.name);
  }
  if (word.ends_with(".json")) return readScript(loadJson(word));
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  throw UsageError("there is no script of faults " + inBackticks(word) +
                   didYouMean(word, names, "; scripts are: " + known + ", or a file that ends in .json"));
}

std::string firstContender() { return std::string(contenders().front()->protocol()); }

std::vector<const Contender*> contendersOf(const std::string& word) {
  std::vector<std::string> known;
  std::string list;
  for (const Contender* one : contenders()) {
    known.emplace_back(one->protocol());
    list += (list.empty() ? "" : ", ") + known.back();
  }
  std::vector<const Contender*> chosen;
  std::istringstream parts(word + ",");
  for (std::string name; std::getline(parts, name, ',');) {
    const Contender* found = findContender(name);
    if (found == nullptr) {
      if (const auto missing = leftOut(name)) throw UsageError(*missing + "; " + how_to_build);
      throw UsageError("no protocol " + inBackticks(name) + " can be compared" +
                       didYouMean(name, known, "; those that can are: " + list));
    }
    if (std::find(chosen.begin(), chosen.end(), found) != chosen.end())
      throw UsageError("--protocols names " + inBackticks(name) + " twice");
    chosen.push_back(found);
  }
  return chosen;
}

/// Throws UsageError if the protocol does not have what --variant, --rule or --mutate names.
void checkHas(const Protocol& protocol, const Overrides& overrides) {
  const auto check = [&](const std::string& what, const std::string& name,
                         const std::vector<NamedText>& list) {
    std::vector<std::string> known;
    for (const NamedText& row : list) known.push_back(row.name);
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    throw UsageError(
        std::string(protocol.name()) + " has no " + what + " " + inBackticks(name) +
        didYouMean(name, known,
                   "; see zablab list " + what + "s --protocol " + std::string(protocol.name())));
  };
  if (overrides.variant) check("variant", *overrides.variant, protocol.variants());
  for (const std::string& name : overrides.mutations) check("mutation", name, protocol.mutations());
  for (const auto& [rule, value] : overrides.rules) check("rule", rule + "=" + value, protocol.rules());
}

std::string showCommand(const std::string& faults, const Words& changes, const Contender& contender,
                        std::uint64_t seed) {
  std::string command = "zablab compare --faults " + forShell(faults) + " --protocols " +
                        std::string(contender.protocol()) + " --seeds " + std::to_string(seed) + ":" +
                        std::to_string(seed + 1);
  for (const std::string& word : changes) command += " " + forShell(word);
  return command + " --show";
}

/// Milliseconds of the longest time without a leader, by what they were spent on: of each run that has one.
using PartsOfRun = std::map<std::string, std::int64_t>;

PartsOfRun partsOf(const Contender& contender, const CompareRequest& request, std::uint64_t seed) {
  const Scenario spec = contender.scenario(request.script, seed, request.overrides);
  const std::string name = "the scenario of seed " + std::to_string(seed);
  const Case read = readCase(name, JsonValue::fromJson(toCompactJson(spec), name));
  const Trace trace = runScenario(read.scenario).trace;
  viz::LadderOptions options;
  options.detail = viz::Detail::outline;
  const viz::Story story = viz::tell(trace, options);
  const viz::Outage* longest = nullptr;
  const std::vector<viz::Outage> outages = viz::outagesOf(trace, story);
  for (const viz::Outage& outage : outages) {
    if (!outage.lost_by) continue;  // it is the first leader
    if (longest == nullptr || outage.end - outage.begin > longest->end - longest->begin) longest = &outage;
  }
  PartsOfRun parts;
  if (longest == nullptr) return parts;
  for (const viz::Outage::Part& part : longest->parts) {
    const std::string words = viz::wordsOf(trace, story, part, viz::Parts::of_all_servers);
    parts[words] += part.end - part.begin;
  }
  return parts;
}

/// What times without a leader consist of, by words; the values are those of the runs that have one.
std::map<std::string, std::vector<std::optional<std::int64_t>>> partsOf(const Contender& contender,
                                                                        const CompareRequest& request) {
  std::vector<PartsOfRun> runs(request.count);
  std::vector<std::future<void>> workers;
  const auto jobs = static_cast<std::uint64_t>(request.jobs);
  for (std::uint64_t job = 0; job < jobs; ++job) {
    workers.push_back(std::async(std::launch::async, [&, job] {
      for (std::uint64_t i = job; i < request.count; i += jobs)
        runs[i] = partsOf(contender, request, request.first + i);
    }));
  }
  for (std::future<void>& worker : workers) worker.get();
  std::map<std::string, std::vector<std::optional<std::int64_t>>> parts;
  for (const PartsOfRun& run : runs) {
    for (const auto& [words, ms] : run) parts[words].resize(request.count);
  }
  for (auto& [words, values] : parts) {
    for (std::uint64_t i = 0; i < request.count; ++i) {
      if (runs[i].empty()) continue;
      const auto found = runs[i].find(words);
      values[i] = found == runs[i].end() ? 0 : found->second;
    }
  }
  return parts;
}

std::string leftAligned(const std::string& text, std::size_t width) {
  return text + std::string(width > text.size() ? width - text.size() : 0, ' ');
}
std::string rightAligned(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

/// The measures that have no value in any run of a protocol.
std::vector<std::string> undecidedBy(const CompareRequest& request,
                                     const std::vector<ContenderResult>& results) {
  std::vector<std::string> reasons;
  for (const Measure measure : all_measures) {
    std::string list;
    std::size_t count = 0;
    for (const ContenderResult& result : results) {
      if (result.spread(measure, request.first)) continue;
      list += (count++ == 0 ? "" : ", ") + std::string(result.contender->protocol());
    }
    if (count > 0)
      reasons.push_back(std::string(textOf(measure)) + ": no run" +
                        (count == results.size() ? "" : " of " + list) + " has a value");
  }
  return reasons;
}

/// Who takes part, and which timers.
std::string settingsOf(const CompareRequest& request, const Contender& contender) {
  if (request.overrides.file) return "the servers and times of " + request.overrides.file->path;
  return std::string(contender.settings());
}

void printTable(const CompareRequest& request, const std::string& faults, const Words& changes,
                const std::vector<ContenderResult>& results) {
  std::cout << request.script.name << ": " << request.script.about << "\n"
            << grouped(request.count) << " seeds from " << request.first << "\n\n";
  for (const ContenderResult& result : results) {
    std::cout << "  " << leftAligned(std::string(result.contender->protocol()), 18)
              << wrapped(settingsOf(request, *result.contender), columns - 20, 20) << "\n";
  }
  constexpr std::size_t label = 18, cell = 9;
  for (const Measure measure : all_measures) {
    std::cout << "\n" << textOf(measure) << "\n  " << leftAligned("", label);
    for (const char* heading : {"runs", "least", "25 %", "median", "75 %", "most", "worst seed"})
      std::cout << rightAligned(heading, heading == std::string_view("worst seed") ? 14 : cell);
    std::cout << "\n";
    for (const ContenderResult& result : results) {
      std::cout << "  " << leftAligned(std::string(result.contender->protocol()), label);
      const auto spread = result.spread(measure, request.first);
      if (!spread) {
        std::cout << rightAligned("-", cell) << "\n";
        continue;
      }
      std::cout << rightAligned(std::to_string(spread->runs), cell);
      for (const std::int64_t value :
           {spread->min, spread->lower, spread->median, spread->upper, spread->max})
        std::cout << rightAligned(std::to_string(value), cell);
      std::cout << rightAligned(std::to_string(spread->worst_seed), 14) << "\n";
    }
  }
  const std::vector<std::string> undecided = undecidedBy(request, results);
  if (!undecided.empty()) std::cout << "\n";
  for (const std::string& reason : undecided)
    std::cout << wrapped("undecided: " + reason, columns, 2) << "\n";
  std::cout << "\nThe run of a seed, for the seed in place of S:\n";
  for (const ContenderResult& result : results) {
    std::string command = showCommand(faults, changes, *result.contender, 0);
    command.replace(command.find("--seeds 0:1"), 11, "--seeds S:S+1");
    std::cout << "  " << command << " | zablab run - --text\n";
  }
}

Json jsonOf(const Spread& spread) {
  return {{"runs", spread.runs},
          {"min", spread.min},
          {"lower_quartile", spread.lower},
          {"median", spread.median},
          {"upper_quartile", spread.upper},
          {"max", spread.max},
          {"worst_seed", spread.worst_seed}};
}

Json partsJson(const Contender& contender, const CompareRequest& request) {
  Json json = Json::object();
  for (const auto& [words, values] : partsOf(contender, request)) {
    if (const auto spread = spreadOf(values, request.first)) json[words] = jsonOf(*spread);
  }
  return json;
}

Json jsonOf(const CompareRequest& request, const std::string& faults, const Words& changes,
            const std::vector<ContenderResult>& results, bool parts) {
  Json json{{"faults", request.script.name},
            {"seeds", {request.first, request.first + request.count}},
            {"undecided", undecidedBy(request, results)}};
  for (const ContenderResult& result : results) {
    Json measures = Json::object();
    for (const Measure measure : all_measures) {
      Json& row = measures[std::string(nameOf(measure))] = nullptr;
      const auto spread = result.spread(measure, request.first);
      if (!spread) continue;
      row = jsonOf(*spread);
      row["worst_run"] =
          showCommand(faults, changes, *result.contender, spread->worst_seed) + " | zablab run -";
    }
    Json entry{{"protocol", result.contender->protocol()},
               {"settings", settingsOf(request, *result.contender)}};
    std::int64_t answered = 0, changes = 0, without_target = 0;
    for (const Measured& run : result.runs) {
      answered += run.answered_writes;
      changes += run.changes;
      without_target += run.without_target;
    }
    entry["answered_writes"] = answered;
    entry["changes_of_leaders"] = changes;
    entry["faults_without_target"] = without_target;
    entry["measures"] = std::move(measures);
    if (parts) entry["parts"] = partsJson(*result.contender, request);
    json["protocols"].push_back(std::move(entry));
  }
  return json;
}

/// For each protocol what its times without a leader consist of, the longest parts first.
void printParts(const CompareRequest& request) {
  constexpr std::size_t cell = 9;
  std::cout << "\nWhat the longest time without a leader of each run consists of, ms\n  ";
  for (const char* heading : {"runs", "25 %", "median", "75 %"}) std::cout << rightAligned(heading, cell);
  std::cout << "\n";
  for (const Contender* contender : request.contenders) {
    std::cout << "  " << contender->protocol() << "\n";
    std::vector<std::pair<Spread, std::string>> rows;
    for (const auto& [words, values] : partsOf(*contender, request)) {
      if (const auto spread = spreadOf(values, request.first)) rows.push_back({*spread, words});
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto& one, const auto& other) {
      return std::pair(one.first.median, one.first.max) > std::pair(other.first.median, other.first.max);
    });
    if (rows.empty()) std::cout << "  " << rightAligned("-", cell) << "\n";
    for (const auto& [spread, words] : rows) {
      std::cout << "  ";
      for (const std::int64_t value :
           {static_cast<std::int64_t>(spread.runs), spread.lower, spread.median, spread.upper})
        std::cout << rightAligned(std::to_string(value), cell);
      std::cout << "  " << wrapped(words, columns, 4 * cell + 4) << "\n";
    }
  }
}

/// Measures that are 0 in every run have no panel.
std::string pictureOf(const CompareRequest& request, const std::vector<ContenderResult>& results) {
  std::vector<viz::SpreadPanel> panels;
  for (const Measure measure : all_measures) {
    viz::SpreadPanel panel{std::string(textOf(measure)), {}};
    bool any = false;
    for (const ContenderResult& result : results) {
      viz::SpreadRow row{std::string(result.contender->protocol())};
      if (const auto spread = result.spread(measure, request.first)) {
        row = {row.label,      spread->runs,  spread->min, spread->lower,
               spread->median, spread->upper, spread->max};
        any = any || spread->max > 0;
      }
      panel.rows.push_back(std::move(row));
    }
    if (any) panels.push_back(std::move(panel));
  }
  return viz::spreadSvg(request.script.name + ", " + grouped(request.count) + " seeds", request.script.about,
                        panels);
}

}  // namespace

ExitCode compareCommand(const Words& words) {
  Command command;
  command.usage = "zablab compare --faults SCRIPT --seeds A:B [options]";
  command.examples =
      "Puts the same faults to several protocols, each with the same clients, and compares what clients "
      "notice.\n"
      "A script is a file, or one of: leader-dies, leader-pauses, minority-cut, link-flaps, two-deaths,\n"
      "slow-disk, short-pauses. docs/elections.md says what is measured, and what can be compared.\n\n"
      "Examples:\n"
      "  zablab compare --faults leader-dies --seeds 0:500 --jobs 2\n"
      "                                                     all protocols, a table\n"
      "  zablab compare --faults minority-cut --seeds 0:500 --svg cut.svg\n"
      "  zablab compare --faults minority-cut --protocols " +
      firstContender() +
      " --seeds 0:100 --json\n"
      "  zablab compare --faults leader-dies --protocols " +
      firstContender() +
      " --seeds 17:18 --show \\\n"
      "    | zablab run - --text                            the run of one seed\n";
  command.options.add_options()  //
      ("faults", po::value<std::string>()->value_name("SCRIPT"),
       "a script's name, or a file that ends in .json")                                                 //
      ("protocols", po::value<std::string>()->value_name("P,Q"), "these protocols; all by default")     //
      ("seeds", po::value<std::string>()->value_name("A:B"), "seeds from A up to B, without B itself")  //
      ("jobs", po::value<std::string>()->value_name("N"), "threads; 1 by default")                      //
      ("svg", po::value<std::string>()->value_name("FILE"), "draw the result")(
          "show", po::bool_switch(), "print the scenario of the first seed, and run nothing")  //
      ("parts", po::bool_switch(),
       "also of what the longest time without a leader of each run consists, by the settings that decide it; "
       "this takes several times as long")  //
      ("set", po::value<Words>()->value_name("FIELD=N"),
       "a field of the configuration of the servers of one protocol, as in --set sync_limit=2")  //
      ("config", po::value<std::string>()->value_name("FILE"),
       "the servers and times of a configuration file, as of a zoo.cfg, for a protocol that has one")  //
      ("json", po::bool_switch(), "print one object");
  addRuleOptions(command);
  const auto values = parse(command, words);
  if (!values) return held;
  if (!values->contains("faults")) throw UsageError("which faults? as in --faults leader-dies");
  if (!values->contains("seeds")) throw UsageError("which seeds? as in --seeds 0:500");
  const std::string faults = (*values)["faults"].as<std::string>();
  CompareRequest request;
  request.script = scriptOf(faults);
  request.contenders = values->contains("protocols") ? contendersOf((*values)["protocols"].as<std::string>())
                                                     : std::vector(contenders().begin(), contenders().end());
  const SeedRange seeds = seedsOf((*values)["seeds"].as<std::string>());
  constexpr std::uint64_t seeds_max = 1'000'000;
  if (seeds.size() > seeds_max) throw UsageError("--seeds names more than " + grouped(seeds_max) + " seeds");
  request.first = seeds.begin;
  request.count = seeds.size();
  if (values->contains("jobs"))
    request.jobs = static_cast<int>(numberOf("--jobs", (*values)["jobs"].as<std::string>(), 1, 256));
  request.overrides = {ruleOverrides(*values), {}, {}};
  Words changes = ruleWords(*values);
  for (const std::string& word : all(*values, "set")) {
    const auto [field, value] = keyAndValue(word, "--set", "sync_limit=2");
    request.overrides.config.emplace_back(field, numberOf("--set " + field, value, 0, 1'000'000'000));
    changes.insert(changes.end(), {"--set", word});
  }
  if (values->contains("config")) {
    const std::string path = (*values)["config"].as<std::string>();
    if (!request.overrides.config.empty())
      throw UsageError("--config and --set do not go together: change the value in a copy of " + path);
    request.overrides.file = {path, loadText(path)};
    changes.insert(changes.end(), {"--config", path});
  }
  if (request.overrides.any() && request.contenders.size() != 1)
    throw UsageError(
        "--variant, --rule, --mutate, --set and --config require one protocol, as in --protocols " +
        firstContender());
  if (request.overrides.file &&
      protocolNamed(std::string(request.contenders.front()->protocol())).fileField().empty())
    throw UsageError(std::string(request.contenders.front()->protocol()) + " has no configuration file");
  if (request.overrides.any())
    checkHas(protocolNamed(std::string(request.contenders.front()->protocol())), request.overrides);
  if ((*values)["show"].as<bool>()) {
    if (request.contenders.size() != 1)
      throw UsageError("--show requires one protocol, as in --protocols " + firstContender());
    std::cout << laidOut(toCompactJson(
        request.contenders.front()->scenario(request.script, request.first, request.overrides)));
    return held;
  }
  const std::string svg = values->contains("svg") ? (*values)["svg"].as<std::string>() : "";
  if (!svg.empty()) checkWritable(svg);
  const bool parts = (*values)["parts"].as<bool>();
  const std::vector<ContenderResult> results = compare(request);
  if (!svg.empty()) writeFile(svg, pictureOf(request, results));
  if ((*values)["json"].as<bool>()) {
    std::cout << jsonOf(request, faults, changes, results, parts).dump() << "\n";
  } else {
    printTable(request, faults, changes, results);
    if (parts) printParts(request);
  }
  return held;
}

}  // namespace zablab::cli
