#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "checker/execute.h"
#include "checker/fuzz/campaign.h"
#include "checker/fuzz/report.h"
#include "checker/fuzz/shrink.h"
#include "checker/protocol.h"
#include "cli/crash.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/overrides.h"
#include "sim/json_reflect.h"
#include "viz/chart.h"
#include "viz/lettering.h"

namespace zablab::cli {
namespace {

namespace fs = std::filesystem;

struct FuzzRequest {
  FuzzTarget target;
  SeedRange seeds;
  std::string faults;  ///< as given on the command line
  std::uint64_t jobs = 1;
  std::optional<std::uint64_t> max_time_s;
  std::uint64_t seed_max_s = 60;  ///< of processor time
  std::string out;
  std::string junit;
  bool json = false;
  bool shrink = true;
  bool first = false;   ///< stop at the first finding
  bool strict = false;  ///< every invariant must have something to compare
};

void setShard(SeedRange& seeds, const std::string& word) {
  const std::size_t slash = word.find('/');
  if (slash == std::string::npos)
    throw UsageError("--shard requires I/N, as in --shard 0/4, not " + inBackticks(word));
  seeds.shards = numberOf("--shard", word.substr(slash + 1), 1, 1'000'000);
  seeds.shard = numberOf("--shard", word.substr(0, slash), 0, 1'000'000);
  if (seeds.shard >= seeds.shards) {
    throw UsageError("there is no shard " + word + ": of N they are 0/N to N-1/N");
  }
}

FuzzKnobs faultsOf(const std::string& word, std::span<const FuzzSetting> settings) {
  FuzzKnobs knobs;
  std::istringstream parts(word);
  for (std::string part; std::getline(parts, part, ',');) {
    if (part.find('=') == std::string::npos) {
      const auto preset = enumFromName<FuzzPreset>(part);
      std::vector<std::string> known;
      forEachEnumerator<FuzzPreset>([&](std::string_view name, FuzzPreset) { known.emplace_back(name); });
      if (!preset) {
        throw UsageError(
            "there are no faults " + inBackticks(part) +
            didYouMean(part, known, "; presets are: calm, lossy, partitions, crashes, pauses, disk, swarm"));
      }
      knobs = knobsOf(*preset, settings);
      continue;
    }
    const auto [knob, share] = keyAndValue(part, "--faults", "swarm,kill=0.5");
    if (const auto problem = setKnob(knobs, knob, share, settings)) throw UsageError(*problem);
  }
  return knobs;
}

std::vector<std::string> invariantsOf(const po::variables_map& values, const Protocol& protocol) {
  std::vector<std::string> known;
  for (const NamedText& invariant : protocol.invariants()) known.push_back(invariant.name);
  std::vector<std::string> wanted = all(values, "invariant");
  for (const std::string& name : wanted) {
    for (const NamedText& of_states : protocol.stateInvariants()) {
      if (of_states.name == name)
        throw UsageError(inBackticks(name) + " is " + std::string(protocol.stateInvariantsCheckedBy()));
    }
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError(inBackticks(protocol.name()) + " has no invariant " + inBackticks(name) +
                       didYouMean(name, known, "; zablab list invariants lists them"));
  }
  return wanted;
}

/// Reports progress on standard error: one line that changes on a terminal, an occasional line in a pipe.
class ProgressLine {
 public:
  ProgressLine() : terminal_(progressWanted()), begin_(Clock::now()), last_(begin_) {}

  void show(const CampaignProgress& progress) {
    const auto now = Clock::now();
    if (now - last_ < (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(30))) return;
    last_ = now;
    if (terminal_) {
      showProgressLine(text(progress));
    } else {
      std::cerr << text(progress) << std::endl;
    }
  }
  void clear() const {
    if (terminal_) showProgressLine("");
  }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;

  std::string text(const CampaignProgress& progress) const {
    const double took = std::max(seconds(), 0.001);
    const double rate = static_cast<double>(progress.done) / took;
    std::ostringstream out;
    out << grouped(progress.done) << " of " << grouped(progress.all) << " seeds, " << std::fixed
        << std::setprecision(0) << rate << "/s, " << static_cast<double>(progress.actions) / took
        << " events/s, " << static_cast<double>(progress.virtual_ms) / 1000 / took << " virtual s/s, "
        << progress.findings << " findings";
    if (rate > 0) out << ", " << static_cast<double>(progress.all - progress.done) / rate << " s left";
    return out.str();
  }

  bool terminal_;
  Clock::time_point begin_;
  Clock::time_point last_;
};

std::string fileNameOf(std::string what) {
  for (char& c : what) {
    if (!(std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-')) c = '-';
  }
  return what;
}

/// A story's files: the scenario, its trace, its picture, its summary.
void writeStory(const std::string& stem, const Story& story) {
  writeFile(stem + ".json", laidOut(toCompactJson(story.scenario)));
  writeFile(stem + ".trace.json", traceText(story.trace));
  writeFile(stem + ".txt", story.summary);
  writePicture(stem + ".svg", story.trace);
}

/// A number as JSON: as a string beyond 2^53, where readers of JSON lose digits.
Json exactly(std::uint64_t number) {
  constexpr std::uint64_t largest = std::uint64_t{1} << 53;
  return number <= largest ? Json(number) : Json(std::to_string(number));
}
std::uint64_t exactlyFrom(const JsonValue& value) {
  if (value.kind() != JsonValue::Kind::string) return value.asUint64();
  std::uint64_t number = 0;
  const std::string& text = value.asString();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) throw value.kindError("a whole number");
  return number;
}

Json jsonOf(const Story& story) {
  return {{"what", story.failure.what},  {"signature", story.signature},
          {"seed", exactly(story.seed)}, {"text", story.failure.text},
          {"steps", story.length},       {"runs", story.runs},
          {"shrunk", !story.stopped},    {"scenario", toCompactJson(story.scenario)}};
}

/// For each thing that failed: the number of seeds, and the first.
std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> countsOf(
    const std::vector<Finding>& findings) {
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> counts;
  for (const Finding& finding : findings) {
    const auto [row, fresh] = counts.try_emplace(finding.failure.what, 0, finding.seed);
    ++row->second.first;
  }
  return counts;
}

/// What a campaign that found nothing leaves open.
struct Questions {
  std::vector<std::string> invariants;  ///< that were named: each has to have something to compare
  bool strict = false;                  ///< the same for all
  bool complete = true;
};

std::string listOf(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

/// Why the seeds decide nothing although nothing was found in them.
std::vector<std::string> undecidedBy(const FuzzStatistics& statistics, const Questions& questions) {
  std::vector<std::string> reasons;
  if (!questions.complete) reasons.emplace_back("stopped before the end");
  if (statistics.seeds >= 1000) {
    for (const std::string& kind : statistics.neverFired()) reasons.push_back("never fired: " + kind);
  }
  const Counts& counted = statistics.obligations;
  const auto had_something = [](const auto& one) { return one.second > 0; };
  std::vector<std::string> idle;
  if (questions.strict || std::none_of(counted.begin(), counted.end(), had_something))
    idle = statistics.notExercised();
  for (const std::string& name : questions.invariants) {
    const auto found = counted.find(name);
    const bool compared = found != counted.end() && found->second > 0;
    if (!compared && std::find(idle.begin(), idle.end(), name) == idle.end()) idle.push_back(name);
  }
  if (!idle.empty()) reasons.push_back("nothing to compare for " + listOf(idle));
  return reasons;
}

ExitCode codeOf(bool found, const std::vector<std::string>& undecided) {
  return found ? broken : undecided.empty() ? held : inconclusive;
}
const char* verdictOf(bool found, const std::vector<std::string>& undecided) {
  return found ? "found" : undecided.empty() ? "nothing found" : "undecided";
}

std::string junitOf(const CampaignResult& result, const std::vector<std::string>& undecided) {
  const auto counts = countsOf(result.findings);
  const std::size_t skipped = counts.empty() ? undecided.size() : 0;
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"zablab fuzz\" tests=\"" +
                    std::to_string(std::max<std::size_t>(counts.size(), 1) + skipped) + "\" failures=\"" +
                    std::to_string(counts.size()) + "\" skipped=\"" + std::to_string(skipped) + "\">\n";
  for (const auto& [what, row] : counts) {
    xml += "  <testcase name=\"" + viz::htmlText(what) + "\"><failure message=\"" +
           std::to_string(row.first) + " seeds, the first " + std::to_string(row.second) +
           "\"/></testcase>\n";
  }
  if (counts.empty()) {
    xml += "  <testcase name=\"" + std::to_string(result.statistics.seeds) + " seeds\"/>\n";
    for (const std::string& reason : undecided)
      xml +=
          "  <testcase name=\"undecided\"><skipped message=\"" + viz::htmlText(reason) + "\"/></testcase>\n";
  }
  return xml + "</testsuite>\n";
}

Json summaryOf(const FuzzRequest& request, const CampaignResult& result,
               const std::vector<std::string>& never, const std::vector<std::string>& undecided) {
  Json findings = Json::array();
  for (const auto& [what, row] : countsOf(result.findings)) {
    findings.push_back({{"what", what}, {"seeds", row.first}, {"first_seed", exactly(row.second)}});
  }
  return {{"summary",
           {{"seeds", std::to_string(request.seeds.begin) + ":" + std::to_string(request.seeds.end)},
            {"shard", std::to_string(request.seeds.shard) + "/" + std::to_string(request.seeds.shards)},
            {"faults", request.faults},
            {"invariants", request.target.invariants},
            {"strict", request.strict},
            {"complete", result.complete},
            {"verdict", verdictOf(!result.findings.empty(), undecided)},
            {"undecided", undecided},
            {"findings", findings},
            {"never_fired", never},
            {"not_exercised", result.statistics.notExercised()},
            {"statistics", toJson(result.statistics)}}}};
}

/// Median, 90th and 99th percentile of each measure.
void printTimes(const FuzzStatistics& statistics) {
  const auto table = timesTable(statistics);
  if (table.size() < 2) return;
  std::vector<std::size_t> widths(table[0].size());
  for (const auto& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::cout << "  median / 90th / 99th percentile, under faults:\n";
  for (const auto& row : table) {
    std::cout << "  ";
    for (std::size_t i = 0; i < row.size(); ++i)
      std::cout << "  " << row[i] << std::string(i + 1 < row.size() ? widths[i] - row[i].size() : 0, ' ');
    std::cout << "\n";
  }
}

/// The same as a picture.
std::string timesPicture(const FuzzStatistics& statistics) {
  std::vector<viz::ChartPanel> panels;
  for (const auto& [measure, by_setting] : statistics.times) {
    viz::ChartPanel panel{measure, {}};
    for (const auto& [setting, histogram] : by_setting) {
      viz::ChartRow row{setting,
                        0,
                        quantile(histogram, 100),
                        quantile(histogram, 500),
                        quantile(histogram, 900),
                        quantile(histogram, 990)};
      for (const auto& bin : histogram) row.count += bin.second;
      panel.rows.push_back(std::move(row));
    }
    panels.push_back(std::move(panel));
  }
  return viz::chartSvg(grouped(statistics.seeds) + " random runs", panels);
}

/// Elections that took long: their number, and the longest.
void printSlowElections(const Histogram& slow) {
  if (slow.empty()) return;
  const auto longest = std::max_element(slow.begin(), slow.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  std::cout << "SLOW ELECTION: " << slow.size() << " seeds; the longest, of seed " << longest->first
            << ", took " << grouped(longest->second) << " ms\n";
}

void printResult(const FuzzStatistics& statistics, const std::vector<Json>& findings,
                 const std::vector<std::string>& undecided, double seconds) {
  std::cout << grouped(statistics.seeds) << " seeds, " << grouped(statistics.actions) << " events, "
            << grouped(static_cast<std::uint64_t>(statistics.virtual_ms / 1000)) << " virtual seconds";
  if (seconds > 0) std::cout << std::fixed << std::setprecision(1) << ", " << seconds << " s";
  std::cout << "; digest " << hexOf(statistics.digest) << "\n";
  for (const std::string& line : tableOf(statistics)) std::cout << "  " << wrapped(line, columns, 4) << "\n";
  printTimes(statistics);
  for (const Json& row : findings) {
    std::cout << "FOUND " << row["what"].get<std::string>() << ": " << row["seeds"] << " seeds, the first "
              << (row["first_seed"].is_string() ? row["first_seed"].get<std::string>()
                                                : row["first_seed"].dump())
              << "\n";
  }
  if (findings.empty()) std::cout << "nothing found\n";
  printSlowElections(statistics.slow_elections);
  const std::string silent = listOf(statistics.notExercised());
  if (!silent.empty()) std::cout << wrapped("NOT EXERCISED: " + silent, columns, 4) << "\n";
  for (const std::string& reason : undecided)
    std::cout << wrapped("undecided: " + reason, columns, 4) << "\n";
}

constexpr std::string_view stopped_text =
    "shrinking was stopped: more of it could be removed (zablab shrink continues)\n";

/// A finding before it is shrunk.
std::string foundLine(const Finding& finding) {
  return "seed " + std::to_string(finding.seed) + " fails: " + finding.failure.what +
         (finding.failure.text.empty() ? "" : ": " + finding.failure.text);
}

/// All seeds, or those before one that ends the program.
CampaignResult campaignOf(const FuzzRequest& request,
                          const std::function<bool(const CampaignProgress&)>& proceed) {
  CrashWatch watch(request.seed_max_s);
  SeedRange seeds = request.seeds;
  if (watch.last()) seeds.end = std::clamp(watch.last()->seed, seeds.begin, seeds.end);
  CampaignResult result = runCampaign(request.target, seeds, static_cast<int>(request.jobs), proceed, &watch);
  if (watch.last()) {
    result.findings.push_back({watch.last()->seed, watch.last()->failure});
    result.complete = false;
  }
  return result;
}

ExitCode fuzz(const FuzzRequest& request) {
  if (!request.out.empty()) {
    std::error_code error;
    fs::create_directories(request.out, error);
    if (error)
      throw UsageError("cannot make the directory " + inBackticks(request.out) + ": " + error.message());
    checkWritable(request.out + "/summary.json");
  }
  if (!request.junit.empty()) checkWritable(request.junit);
  const Interruptible interruptible;
  ProgressLine line;
  const auto timeIsOver = [&] {
    return request.max_time_s && line.seconds() > static_cast<double>(*request.max_time_s);
  };
  const auto proceed = [&](const CampaignProgress& progress) {
    line.show(progress);
    if (request.first && progress.findings > 0) return false;
    return !interrupted && !timeIsOver();
  };
  const CampaignResult result = campaignOf(request, proceed);
  const double seconds = line.seconds();
  line.clear();
  ExitCode code = held;
  std::set<std::string> told;
  std::size_t number = 0;
  std::vector<Finding> to_tell = chosenFindings(result.findings);
  const auto crash = std::find_if(to_tell.begin(), to_tell.end(),
                                  [](const Finding& finding) { return finding.failure.hasNoRun(); });
  if (crash != to_tell.end()) {
    std::cerr << foundLine(*crash) << "\n  no seed after it was run; fuzz --seeds " << crash->seed << ":"
              << crash->seed + 1 << " --show prints its scenario\n";
    to_tell.erase(crash);
  }
  if (const auto& slow = result.statistics.slow_elections; !slow.empty()) {
    const auto longest = std::max_element(slow.begin(), slow.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    to_tell.push_back({static_cast<std::uint64_t>(longest->first), {slow_election, "", 0}});
  }
  const bool tells = request.shrink && !(request.target.scenario && !request.target.scenario->spec.servers);
  if (!tells) to_tell.clear();
  // Shrinking may take long: what was found stands there before.
  for (const Finding& finding : to_tell) (request.json ? std::cerr : std::cout) << foundLine(finding) << "\n";
  std::cout.flush();
  const auto time_left = [&] { return !interrupted && !timeIsOver(); };
  for (const Finding& finding : to_tell) {
    if (interrupted) break;
    std::optional<Story> shrunk;
    std::string reason =
        "its run does not fail again when it is written as a scenario; this is an error in zablab";
    try {
      shrunk = tellStory(request.target, finding, time_left);
    } catch (const InputError& error) {  // for example, its trace is too large
      reason = error.message;
    }
    if (!shrunk) {
      std::cerr << "seed " << finding.seed << ": " << finding.failure.what << ": " << finding.failure.text
                << "\n  no story for it: " << reason << "\n";
      continue;
    }
    const Story& story = *shrunk;
    if (!told.insert(story.signature).second) continue;
    std::ostringstream stem;
    stem << request.out << "/" << std::setw(2) << std::setfill('0') << ++number << "-"
         << fileNameOf(story.failure.what);
    if (!request.out.empty()) {
      try {
        writeStory(stem.str(), story);
      } catch (const EnvironmentError&
                   error) {  // for example, without Graphviz: the finding is reported nevertheless
        std::cerr << "zablab: " << error.what() << "\n";
        code = trouble;
      }
    }
    if (request.json) {
      std::cout << jsonOf(story).dump() << "\n";
    } else {
      std::cout << "seed " << finding.seed << ": " << story.summary << (story.stopped ? stopped_text : "")
                << (request.out.empty() ? "" : "  -> " + stem.str() + ".json, .svg, .trace.json\n") << "\n";
    }
  }
  const std::vector<std::string> never =
      result.statistics.seeds >= 1000 ? result.statistics.neverFired() : std::vector<std::string>{};
  const std::vector<std::string> undecided =
      undecidedBy(result.statistics, {request.target.invariants, request.strict, result.complete});
  const Json summary = summaryOf(request, result, never, undecided);
  if (!request.out.empty()) {
    writeFile(request.out + "/summary.json", summary.dump() + "\n");
    writeFile(request.out + "/coverage.dot", coverageDot(result.statistics));
    writeFile(request.out + "/times.svg", timesPicture(result.statistics));
  }
  if (!request.junit.empty()) writeFile(request.junit, junitOf(result, undecided));
  if (request.json) {
    std::cout << summary.dump() << "\n";
  } else {
    printResult(result.statistics, summary["summary"]["findings"].get<std::vector<Json>>(), undecided,
                seconds);
  }
  return larger(code, codeOf(!result.findings.empty(), undecided));
}

/// A seed's run as far as the fuzzer runs it: until the core has answered.
Scenario shownRun(const FuzzTarget& target, std::uint64_t seed) {
  Scenario scenario = protocolOf(target).drawScenario(target, seed);
  if (target.scenario) return scenario;
  const RunOutcome outcome = protocolOf(scenario).judge(scenario);
  if (!outcome.failure) scenario.until = outcome.virtual_ms + 1;
  return scenario;
}

/// Whether there is anything to shrink. A scenario that passes may serve fewer requests than a drawn one
/// must.
bool failsByItself(const LoadedScenario& scenario) {
  const std::optional<Failure> failure = protocolOf(scenario).judge(scenario.spec).failure;
  if (!failure || !failure->isUnserved()) return failure.has_value();
  const Outcome outcome = runScenario(scenario);
  return !outcome.problems.empty() || !outcome.told.empty();
}

}  // namespace

ExitCode fuzzCommand(const Words& words) {
  Command command;
  command.usage = "zablab fuzz [SCENARIO] --seeds A:B [options]";
  command.examples =
      "Runs random ensembles, or a scenario, with drawn faults and latencies; judges each run by the\n"
      "invariants, and by whether a sound core serves after the faults have ended; shrinks what fails.\n\n"
      "Examples:\n"
      "  zablab fuzz --seeds 0:10000                        random ensembles under every kind of fault\n"
      "  zablab fuzz --servers 5 --seeds 0:10000 --jobs 2   five voters, two threads, the same result\n"
      "  zablab fuzz --seeds 0:3000 --mutate no_epoch_in_vote --out found\n"
      "                                                     plant a bug, find it, and keep its story\n"
      "  zablab fuzz --seeds 0:500 --faults crashes,pause=0.2   other faults, each in a share of the seeds\n"
      "  zablab fuzz bench/workloads/failover5.json --seeds 0:100   a scenario with drawn latencies\n\n"
      "Exit status: 0 nothing was found in all the seeds; 1 something was; 2 bad input; 3 undecided: it was\n"
      "stopped by --max-time or a signal, a fault that was drawn never happened, or there was nothing to\n"
      "compare (for an invariant that is named, or with --strict for any); 4 trouble.\n";
  command.positional = "scenario";
  command.options.add_options()                                                                         //
      ("seeds", po::value<std::string>()->value_name("A:B"), "seeds from A up to B, without B itself")  //
      ("protocol", po::value<std::string>()->value_name("P"),
       "the protocol (zablab list protocols); by default the first")                                        //
      ("servers", po::value<std::string>()->value_name("N"), "number of voters; random if not given")       //
      ("observers", po::value<std::string>()->value_name("N"), "number of observers; random if not given")  //
      ("faults", po::value<std::string>()->value_name("PRESET|K=V,..."),
       "calm, lossy, partitions, crashes, pauses, disk or swarm (the default), and the share of seeds for "
       "single "
       "faults, from 0 to 1")                                                                  //
      ("jobs", po::value<std::string>()->value_name("N"), "threads; 1 by default")             //
      ("max-time", po::value<std::string>()->value_name("S"), "stop after this many seconds")  //
      ("seed-time", po::value<std::string>()->value_name("S"),
       "a seed that takes more than this many seconds of processor time is an endless step; 60")  //
      ("shard", po::value<std::string>()->value_name("I/N"),
       "run every N-th seed, beginning with the I-th (I from 0)")                                        //
      ("out", po::value<std::string>()->value_name("DIR"), "write stories, pictures and figures there")  //
      ("junit", po::value<std::string>()->value_name("FILE"), "write the result as JUnit XML")           //
      ("show", po::bool_switch(), "print the scenario of the first seed, and run nothing")               //
      ("first", po::bool_switch(), "stop when something is found")                                       //
      ("invariant", po::value<std::vector<std::string>>()->value_name("I"),
       "check only this invariant, which has to have something to compare, and nothing else ends a run; "
       "may be given several times")                                                    //
      ("strict", po::bool_switch(), "status 3 if an invariant had nothing to compare")  //
      ("no-shrink", po::bool_switch(), "only count what fails")                         //
      ("json", po::bool_switch(), "one object for each finding, then one {\"summary\": ...}");
  addRuleOptions(command);
  const auto values = parse(command, words);
  if (!values) return held;
  FuzzRequest request;
  if (values->contains("protocol"))
    request.target.protocol = protocolNamed((*values)["protocol"].as<std::string>()).name();
  if (!values->contains("seeds")) throw UsageError("which seeds? as in --seeds 0:1000");
  request.seeds = seedsOf((*values)["seeds"].as<std::string>());
  if (values->contains("shard")) setShard(request.seeds, (*values)["shard"].as<std::string>());
  const auto number = [&](const char* option, std::uint64_t min,
                          std::uint64_t max) -> std::optional<std::uint64_t> {
    if (!values->contains(option)) return std::nullopt;
    return numberOf(std::string("--") + option, (*values)[option].as<std::string>(), min, max);
  };
  if (const auto voters = number("servers", 1, 15)) request.target.shape.voters = static_cast<int>(*voters);
  if (const auto observers = number("observers", 0, 8))
    request.target.shape.observers = static_cast<int>(*observers);
  request.jobs = number("jobs", 1, 256).value_or(1);
  request.max_time_s = number("max-time", 1, 1'000'000);
  request.seed_max_s = number("seed-time", 1, 1'000'000).value_or(request.seed_max_s);
  request.target.overrides = ruleOverrides(*values);
  request.faults = values->contains("faults") ? (*values)["faults"].as<std::string>() : "swarm";
  request.target.shape.knobs = faultsOf(request.faults, protocolOf(request.target).fuzzSettings());
  if (values->contains("out")) request.out = (*values)["out"].as<std::string>();
  if (values->contains("junit")) request.junit = (*values)["junit"].as<std::string>();
  request.json = (*values)["json"].as<bool>();
  request.first = (*values)["first"].as<bool>();
  request.strict = (*values)["strict"].as<bool>();
  request.shrink = !(*values)["no-shrink"].as<bool>();
  const std::vector<std::string> files = all(*values, "scenario");
  if (files.size() > 1) throw UsageError("one scenario at a time");
  if (!files.empty()) {
    for (const char* option : {"servers", "observers", "faults"}) {
      if (values->contains(option)) {
        throw UsageError(std::string("--") + option +
                         " is for random ensembles; a scenario defines this itself");
      }
    }
    const Case one = readFile(files[0]);
    if (one.kind != Case::Kind::scenario) throw UsageError(inBackticks(files[0]) + " is not a scenario");
    request.target.scenario = one.scenario;
  }
  request.target.invariants = invariantsOf(*values, protocolOf(request.target));
  if ((*values)["show"].as<bool>()) {
    std::cout << laidOut(toCompactJson(shownRun(request.target, request.seeds.at(0))));
    return held;
  }
  return fuzz(request);
}

ExitCode mergeCommand(const Words& words) {
  Command command;
  command.usage = "zablab merge DIR...";
  command.examples =
      "Adds up the results that the shards of a campaign wrote with zablab fuzz --out.\n\n"
      "Examples:\n"
      "  zablab merge out/*     the results of all shards, as if they had run together\n\n"
      "Exit status: as zablab fuzz would have ended.\n";
  command.positional = "directory";
  command.options.add_options()("json", po::bool_switch(), "one {\"summary\": ...}");
  const auto values = parse(command, words);
  if (!values) return held;
  const std::vector<std::string> directories = all(*values, "directory");
  if (directories.empty()) throw UsageError("which directories? those that zablab fuzz --out wrote");
  FuzzStatistics statistics;
  Questions questions;
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> found;
  std::set<std::string> parts;
  for (const std::string& directory : directories) {
    const JsonValue document = loadJson(directory + "/summary.json");
    const JsonValue* summary =
        document.kind() == JsonValue::Kind::object ? document.find("summary") : nullptr;
    if (summary == nullptr) throw document.error("this is not a summary of zablab fuzz");
    const auto member = [&](const char* key) -> const JsonValue& {
      const JsonValue* value = summary->find(key);
      if (value == nullptr) throw summary->error("`" + std::string(key) + "` is missing");
      return *value;
    };
    const std::string part = member("seeds").asString() + " shard " + member("shard").asString();
    if (!parts.insert(part).second) throw member("shard").error("the seeds " + part + " occur twice");
    statistics.add(read<FuzzStatistics>(member("statistics")));
    questions.complete = questions.complete && member("complete").asBool();
    questions.strict = questions.strict || member("strict").asBool();
    for (const JsonValue& name : member("invariants").elements()) {
      auto& names = questions.invariants;
      if (std::find(names.begin(), names.end(), name.asString()) == names.end())
        names.push_back(name.asString());
    }
    for (const JsonValue& row : member("findings").elements()) {
      const JsonValue* what = row.find("what");
      const JsonValue* seeds = row.find("seeds");
      const JsonValue* first = row.find("first_seed");
      if (what == nullptr || seeds == nullptr || first == nullptr) throw row.error("this is not a finding");
      const auto [entry, fresh] = found.try_emplace(what->asString(), 0, exactlyFrom(*first));
      entry->second.first += seeds->asUint64();
      entry->second.second = std::min(entry->second.second, exactlyFrom(*first));
    }
  }
  std::vector<Json> findings;
  for (const auto& [what, row] : found) {
    findings.push_back({{"what", what}, {"seeds", row.first}, {"first_seed", exactly(row.second)}});
  }
  const std::vector<std::string> never =
      statistics.seeds >= 1000 ? statistics.neverFired() : std::vector<std::string>{};
  const std::vector<std::string> undecided = undecidedBy(statistics, questions);
  if ((*values)["json"].as<bool>()) {
    const Json summary{{"summary",
                        {{"parts", parts},
                         {"complete", questions.complete},
                         {"verdict", verdictOf(!findings.empty(), undecided)},
                         {"undecided", undecided},
                         {"findings", findings},
                         {"never_fired", never},
                         {"statistics", toJson(statistics)}}}};
    std::cout << summary.dump() << "\n";
  } else {
    printResult(statistics, findings, undecided, 0);
  }
  return codeOf(!findings.empty(), undecided);
}

ExitCode shrinkCommand(const Words& words) {
  Command command;
  command.usage = "zablab shrink TRACE|SCENARIO [options]";
  command.examples =
      "Searches for the smallest story that fails in the same way: fewer servers, steps and choices.\n\n"
      "Examples:\n"
      "  zablab shrink found.trace.json                  the smallest story that fails in the same way\n"
      "  zablab shrink my.json --mutate M --out small    a scenario under a planted bug; writes small.json, "
      ".svg, ...\n\n"
      "Exit status: 0 it was shrunk; 2 bad input, or nothing fails in it; 4 trouble.\n";
  command.positional = "file";
  command.options.add_options()("out", po::value<std::string>()->value_name("STEM"),
                                "write STEM.json, STEM.trace.json, STEM.svg and STEM.txt")  //
      ("max-time", po::value<std::string>()->value_name("S"),
       "stop after this many seconds, with what is left by then; so does a signal")  //
      ("json", "print one object: what fails, and the scenario");
  addRuleOptions(command);
  const auto values = parse(command, words);
  if (!values) return held;
  const std::vector<std::string> files = all(*values, "file");
  if (files.size() != 1) throw UsageError("which trace or scenario? one at a time");
  auto run = loadRun(files[0]);
  if (!run) throw UsageError(inBackticks(files[0]) + " is neither a trace nor a scenario");
  if (run->recorded) pin(run->spec, *run->recorded);
  const LoadedScenario loaded = withOverrides(*run, ruleOverrides(*values));
  if (!loaded.spec.servers)
    throw UsageError(
        "a scenario that names its servers in a zoo.cfg cannot be shrunk; list them under `servers`");
  const std::string out = values->contains("out") ? (*values)["out"].as<std::string>() : "";
  if (!out.empty()) checkWritable(out + ".json");
  std::optional<std::uint64_t> max_time_s;
  if (values->contains("max-time"))
    max_time_s = numberOf("--max-time", (*values)["max-time"].as<std::string>(), 1, 1'000'000);
  const Interruptible interruptible;
  const ProgressLine clock;
  const auto time_left = [&] {
    return !interrupted && !(max_time_s && clock.seconds() > static_cast<double>(*max_time_s));
  };
  const auto story = failsByItself(loaded) ? tellStory(loaded.spec, {}, time_left) : std::nullopt;
  if (!story)
    throw UsageError("nothing fails in " + inBackticks(files[0]) + ", so there is nothing to shrink");
  if (values->contains("json")) {
    if (!out.empty()) writeStory(out, *story);
    std::cout << onOneLine(jsonOf(*story)) << "\n";
  } else if (out.empty()) {
    std::cout << laidOut(toCompactJson(story->scenario));
    std::cerr << story->summary << (story->stopped ? stopped_text : "");
  } else {
    writeStory(out, *story);
    std::cout << story->summary << (story->stopped ? stopped_text : "") << "  -> " << out
              << ".json, .svg, .trace.json\n";
  }
  return held;
}

}  // namespace zablab::cli
