#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <utility>
#include <vector>

#include "checker/execute.h"
#include "checker/expectations.h"
#include "checker/protocol.h"
#include "checker/why.h"
#include "cli/drawing.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/overrides.h"
#include "viz/explain.h"

namespace zablab::cli {
namespace {

namespace fs = std::filesystem;

/// The request of a command line.
struct RunRequest {
  std::vector<std::string> files;
  Overrides overrides;
  std::optional<std::size_t> fails_with;  ///< an entry of the file, whose changes are made, too
  Until until;
  std::vector<std::string> again;  ///< the words for the same run, for the next command
  std::string trace, dot, svg, png, html;
  Drawing drawing;
  viz::LadderOptions picture;  ///< what `drawing` says of any trace
  std::optional<int> columns;  ///< of text; those of the terminal
  bool text = false;
  bool json = false;
  bool counts = false;
  std::optional<ServerId> state;

  bool draws() const { return text || !dot.empty() || !svg.empty() || !png.empty() || !html.empty(); }
  bool wantsTrace() const { return !trace.empty() || draws() || state || until.event || until.time; }
  /// Whether standard output is used for a result, so that messages are written elsewhere.
  bool outputTaken() const { return trace == "-" || dot == "-"; }
};

struct Tally {
  std::size_t passed = 0, ran = 0, failed = 0, inconclusive = 0, unreadable = 0, models = 0;
  ExitCode code = held;
  void raise(ExitCode other) { code = larger(code, other); }
};

/// `1500` is a time; `kind=decided,node=1` an event.
Until untilOf(const std::string& word) {
  Until until;
  if (!word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) != 0) {
    constexpr std::uint64_t year_ms = std::uint64_t{1000} * 60 * 60 * 24 * 365;
    until.time = static_cast<Millis>(numberOf("--until", word, 0, year_ms));
    return until;
  }
  until.event = eventPattern(word, "--until");
  return until;
}

/// Whether nothing was to be judged but the invariants.
bool expectsNothing(const Outcome& outcome) { return outcome.checks == 0 && outcome.told.empty(); }

std::string_view wordOf(const Outcome& outcome) {
  switch (outcome.verdict) {
    case Verdict::passed: return expectsNothing(outcome) ? "ran" : "passed";
    case Verdict::failed: return "failed";
    case Verdict::inconclusive: return "undecided";
  }
  return "";
}

ExitCode codeOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed: return held;
    case Verdict::failed: return broken;
    case Verdict::inconclusive: return inconclusive;
  }
  return trouble;
}

void count(Tally& tally, const Outcome& outcome) {
  switch (outcome.verdict) {
    case Verdict::passed: ++(expectsNothing(outcome) ? tally.ran : tally.passed); break;
    case Verdict::failed: ++tally.failed; break;
    case Verdict::inconclusive: ++tally.inconclusive; break;
  }
  tally.raise(codeOf(outcome.verdict));
}

Json jsonLine(const std::string& file, const Outcome& outcome, const RunRequest& request) {
  Json line{{"file", file},
            {"name", outcome.name},
            {"verdict", wordOf(outcome)},
            {"checks", outcome.checks},
            {"problems", outcome.problems},
            {"told", outcome.told},
            {"warnings", outcome.warnings},
            {"undecided", outcome.open}};
  for (const TraceVerdict& verdict : outcome.trace.verdicts) {
    if (verdict.kind != "invariant") continue;
    line["invariants"][verdict.name] = {{"verdict", verdict.verdict}, {"obligations", verdict.obligations}};
  }
  if (outcome.trace.header.contains("clients")) line["clients"] = outcome.trace.header["clients"];
  if (outcome.exercise) line["exercise"] = outcome.trace.header["exercise"];
  if (outcome.trace.header.contains("notes")) line["notes"] = outcome.trace.header["notes"];
  if (!outcome.trace.events.empty()) line["events"] = outcome.trace.events.size();
  if (request.state) line["state"] = stateAfter(outcome.trace, *request.state, outcome.trace.events.size());
  return line;
}

/// "expect[2]: ..." with the line of that expectation, or of that step.
std::string withLine(const std::string& problem, const JsonValue& document) {
  for (const std::string_view list : {"expect", "steps"}) {
    const std::string begin = std::string(list) + "[";
    if (!problem.starts_with(begin)) continue;
    const std::size_t close = problem.find(']');
    std::size_t index = 0;
    std::from_chars(problem.data() + begin.size(), problem.data() + close, index);
    const JsonValue* elements = document.find(list);
    if (elements == nullptr || index >= elements->elements().size()) return problem;
    const auto position = elements->elements()[index].position();
    if (!position) return problem;
    return problem.substr(0, close + 1) + " (line " + std::to_string(position->line) + ")" +
           problem.substr(close + 1);
  }
  return problem;
}

/// The first event at which something went wrong.
const TraceEvent* firstTrouble(const Outcome& outcome) {
  const TraceEvent* first = nullptr;
  for (const TraceVerdict& verdict : outcome.trace.verdicts) {
    if (verdict.verdict != "violated" && verdict.verdict != "failed") continue;
    if (!verdict.event || *verdict.event >= outcome.trace.events.size()) continue;
    const TraceEvent& event = outcome.trace.events[*verdict.event];
    if (first == nullptr || event.index < first->index) first = &event;
  }
  return first;
}

/// ", 1 of 3 acknowledged writes lost": what clients were told and nobody can read any more, if there is any.
std::string lossesIn(const Outcome& outcome) {
  const Json clients = outcome.trace.header.value("clients", Json::object());
  const std::size_t lost = clients.value("lost", Json::array()).size();
  if (lost == 0) return "";
  const auto writes = clients.value("writes", std::int64_t{0});
  return ", " + std::to_string(lost) + " of " + std::to_string(writes) + " acknowledged " +
         (writes == 1 ? "write" : "writes") + " lost";
}

void printOutcome(std::ostream& out, const std::string& file, const Case& one, const Outcome& outcome,
                  const RunRequest& request) {
  const std::string_view word = wordOf(outcome);
  const bool silent = outcome.verdict == Verdict::passed && expectsNothing(outcome);
  const char* colour = silent                               ? ""
                       : outcome.verdict == Verdict::passed ? "\033[32m"
                       : outcome.verdict == Verdict::failed ? "\033[31m"
                                                            : "\033[33m";
  const bool coloured = !silent && colourWanted() && !request.outputTaken();
  out << (coloured ? colour : "") << word << (coloured ? "\033[0m" : "") << "  " << printable(outcome.name)
      << "  (" << outcome.checks << (outcome.checks == 1 ? " check" : " checks") << lossesIn(outcome)
      << (outcome.told.empty() ? ")  " : ", fails as declared)  ") << printable(file) << "\n";
  const JsonValue& document = one.kind == Case::Kind::scenario ? one.scenario.document : one.table;
  for (const std::string& problem : outcome.problems)
    out << "    " << printable(withLine(problem, document)) << "\n";
  if (request.files.size() == 1) {
    for (const std::string& told : outcome.told)
      out << "    fails as declared: " << printable(withLine(told, document)) << "\n";
  }
  for (const std::string& open : outcome.open)
    out << "    undecided: " << printable(withLine(open, one.scenario.document)) << "\n";
  for (const std::string& warning : outcome.warnings)
    out << "    warning: " << withLine(warning, one.scenario.document) << "\n";
  if (silent && !outcome.exercise)
    out << "    there is nothing in `expect`: only the invariants were judged\n";
  if (outcome.exercise && request.files.size() == 1) {
    out << (outcome.exercise->empty() ? "    the exercise is solved\n"
                                      : "    the exercise is not solved yet\n");
    for (const std::string& missing : *outcome.exercise) out << "      " << printable(missing) << "\n";
  }
  if (request.files.size() == 1) {
    for (const Json& note : outcome.trace.header.value("notes", Json::array()))
      out << "    " << printable(note.get<std::string>()) << "\n";
  }
  printUnusedChoices(out, outcome.trace, "    ");
  if (outcome.verdict == Verdict::failed && one.kind == Case::Kind::scenario) {
    if (const TraceEvent* event = firstTrouble(outcome)) {
      out << "    first seen at step " << event->index << ", " << event->time << " ms";
      if (!event->text.empty()) out << ": " << printable(event->text);
      out << "\n";
    }
    if (!request.text) {
      out << "    see: zablab run " << forShell(file);
      for (const std::string& same : request.again) out << " " << forShell(same);
      out << " --text\n";
    }
  }
  out.flush();
}

void checkAsked(const Case& one, const Outcome& outcome, const RunRequest& request) {
  if (one.kind != Case::Kind::scenario) return;
  if (!request.state) return;
  for (const Json& node : outcome.trace.header.at("nodes")) {
    if (node.at("id") == *request.state) return;
  }
  throw UsageError("--state: there is no server " + std::to_string(*request.state) + " in " +
                   printable(one.path));
}

/// Writes what was requested. What cannot be written is reported, and the rest is written nevertheless.
ExitCode writeResults(Outcome& outcome, const RunRequest& request, const viz::LadderOptions& picture) {
  ExitCode code = held;
  std::vector<Why> why = std::exchange(outcome.trace.why, {});  // pages have it, traces have not
  const auto attempt = [&](const std::string& path, const auto& write) {
    if (path.empty()) return;
    try {
      write();
    } catch (const EnvironmentError& error) {
      std::cerr << "zablab: " << error.what() << "\n";
      code = trouble;
    }
  };
  attempt(request.trace, [&] { writeFile(request.trace, traceText(outcome.trace)); });
  outcome.trace.why = std::move(why);
  attempt(request.dot, [&] { writeFile(request.dot, dotPicture(outcome.trace, picture)); });
  attempt(request.svg, [&] { writePicture(request.svg, outcome.trace, picture); });
  attempt(request.html, [&] { writePicture(request.html, outcome.trace, picture); });
  attempt(request.png, [&] { writePicture(request.png, outcome.trace, picture); });
  return code;
}

/// The changes that the command line asks for, with those of an entry of the file.
Overrides overridesFor(const Case& one, const RunRequest& request) {
  Overrides overrides = request.overrides;
  if (!request.fails_with) return overrides;
  const JsonValue& document = one.kind == Case::Kind::table ? one.table : one.scenario.document;
  const JsonValue* list = document.find("fails_with");
  const std::size_t entries = list == nullptr ? 0 : list->elements().size();
  if (*request.fails_with >= entries)
    throw UsageError("--fails-with counts from 0, and `fails_with` of " + printable(one.path) + " has " +
                     std::to_string(entries) + (entries == 1 ? " entry" : " entries"));
  const Overrides entry = overridesOf(read<FailsWith>(list->elements()[*request.fails_with]));
  if (entry.variant) overrides.variant = entry.variant;
  overrides.rules.insert(overrides.rules.end(), entry.rules.begin(), entry.rules.end());
  overrides.mutations.insert(overrides.mutations.end(), entry.mutations.begin(), entry.mutations.end());
  overrides.steps = entry.steps;
  return overrides;
}

void printCounts(const std::string& file, const LoadedScenario& scenario, const RunRequest& request) {
  const auto counts = protocolOf(scenario).countEvents(scenario);
  if (request.json) {
    std::cout << onOneLine(Json{{"file", file}, {"name", scenario.spec.name}, {"counts", counts}})
              << std::endl;
    return;
  }
  std::cout << printable(file) << "\n";
  for (const auto& [kind, count] : counts) std::cout << "    " << kind << ": " << count << "\n";
}

void runOne(const std::string& file, const RunRequest& request, Tally& tally) {
  const Case one = readFile(file);
  if (one.kind == Case::Kind::model) {
    ++tally.models;
    if (request.json)
      std::cout << Json{{"file", file}, {"verdict", "left aside"}, {"kind", "model"}}.dump() << "\n";
    return;
  }
  if (one.kind == Case::Kind::table && (request.wantsTrace() || request.counts)) {
    throw UsageError(
        printable(file) +
        " is a table: it has no run to stop, no events, no trace, no picture and no server state");
  }
  const Overrides overrides = overridesFor(one, request);
  if (request.counts) return printCounts(file, withOverrides(one.scenario, overrides), request);
  Outcome outcome = one.kind == Case::Kind::table
                        ? runTable(one.table, overrides)
                        : runScenario(withOverrides(one.scenario, overrides), request.until);
  checkAsked(one, outcome, request);
  viz::LadderOptions picture = request.picture;
  request.drawing.choose(picture, outcome.trace);
  count(tally, outcome);
  if (request.draws()) outcome.trace.why = whyOf(outcome.trace);
  if (request.text) {
    std::cout << textForTerminal(outcome.trace, picture, request.columns);
    for (const std::string& line : protocolOf(one.scenario).narrate(outcome.trace))
      std::cout << printable(line) << "\n";
    std::cout << viz::whysOf(outcome.trace, *picture.book);
  }
  if (request.json) {
    std::cout << onOneLine(jsonLine(file, outcome, request)) << std::endl;
  } else {
    printOutcome(request.outputTaken() ? std::cerr : std::cout, file, one, outcome, request);
  }
  if (request.until.event) {
    const auto seen = [&](const TraceEvent& event) { return matches(*request.until.event, event); };
    if (std::none_of(outcome.trace.events.begin(), outcome.trace.events.end(), seen))
      std::cerr << "zablab: note: no event matched --until; the run went to its end\n";
  }
  if (request.state && !request.json) {
    std::cout << stateAfter(outcome.trace, *request.state, outcome.trace.events.size()).dump(2) << "\n";
  }
  tally.raise(writeResults(outcome, request, picture));
}

void printTally(const Tally& tally) {
  std::cout << "\n" << tally.passed << " passed, " << tally.failed << " failed";
  if (tally.ran > 0) std::cout << ", " << tally.ran << " expected nothing";
  if (tally.inconclusive > 0) std::cout << ", " << tally.inconclusive << " undecided";
  if (tally.unreadable > 0) std::cout << ", " << tally.unreadable << " unreadable";
  if (tally.models > 0) {
    std::cout << "; " << tally.models << (tally.models == 1 ? " model" : " models")
              << " left aside: models are checked, not run";
  }
  std::cout << "\n";
}

void checkEnding(const std::string& option, const std::string& path, const std::string& ending) {
  if (path.empty() || fs::path(path).extension() == ending || (path == "-" && ending == ".dot")) return;
  throw UsageError("--" + option + " requires a file that ends in " + ending + ", not " + inBackticks(path));
}

void checkResults(const RunRequest& request) {
  checkEnding("dot", request.dot, ".dot");
  checkEnding("svg", request.svg, ".svg");
  checkEnding("html", request.html, ".html");
  checkEnding("png", request.png, ".png");
  if (request.counts && request.wantsTrace())
    throw UsageError("--counts records nothing: it excludes --until, --state, --text, traces and pictures");
  const bool says_how =
      request.drawing.any() || !request.drawing.theme.empty() || !request.drawing.language.empty();
  if (says_how && !request.draws())
    throw UsageError("what is drawn, and how, is for --text, --svg, --png, --dot and --html");
  if (request.columns && !request.text) throw UsageError("--width is for --text");
  if (request.text && request.json) throw UsageError("--text and --json exclude each other");
  if (request.outputTaken() &&
      (request.text || request.json || request.state || request.trace == request.dot))
    throw UsageError("standard output takes one result at a time");
  if (request.wantsTrace() && request.files.size() > 1) {
    const bool files = request.until.event || request.until.time;
    throw UsageError(
        std::string(files ? "--until" : "--trace, --dot, --svg, --png, --html, --text and --state") +
        " require one scenario, not " + std::to_string(request.files.size()));
  }
  for (const std::string& path : {request.trace, request.dot, request.svg, request.png, request.html}) {
    checkWritable(path);
    checkNotInput(path, request.files.front());
  }
}

std::optional<RunRequest> runRequestOf(const Words& words) {
  RunRequest request;
  std::string seed, until, state, fails_with, width;
  Command command{
      .usage = "zablab run FILE|DIR... [options]",
      .examples =
          "Runs scenarios and tables, and reports what held.\n\n"
          "Examples:\n"
          "  zablab run scenarios                               every shipped scenario, one line each\n"
          "  zablab run my.json --text --svg my.svg             watch one, and draw it\n"
          "  zablab run my.json --seed 7 --trace run.json       other latencies; keep the trace\n"
          "  zablab run my.json --mutate fle_half_is_a_quorum   with a planted bug\n"
          "  zablab run my.json --rule decision=at_once         with another rule\n"
          "  zablab run my.json --fails-with 0                  as its first fails_with says: it must fail\n"
          "  zablab run my.json --until kind=decided,node=1 --state 1\n"
          "  zablab new | zablab run -                          from standard input\n\n"
          "Exit status: 0 all held, 1 something failed, 2 bad input, 3 undecided (the run ended before what\n"
          "is expected could be decided), 4 trouble (a file that cannot be written, Graphviz missing). Of\n"
          "several the first of 2, 4, 1, 3, 0.\n",
      .positional = "file"};
  command.options.add_options()  //
      ("seed", po::value(&seed)->value_name("N"), "draw latencies and other choices from this seed");
  addRuleOptions(command);
  command.options.add_options()  //
      ("fails-with", po::value(&fails_with)->value_name("N"),
       "change what the N-th entry of the file's fails_with says (from 0)")  //
      ("until", po::value(&until)->value_name("COND"),
       "stop at a virtual time in ms, or after an event: kind=decided,node=1")                             //
      ("state", po::value(&state)->value_name("SERVER"), "print this server's state at the end")           //
      ("trace", po::value(&request.trace)->value_name("F"), "write the trace to this file")                //
      ("dot", po::value(&request.dot)->value_name("F"), "draw the run as DOT")                             //
      ("svg", po::value(&request.svg)->value_name("F"), "draw the run as SVG")                             //
      ("html", po::value(&request.html)->value_name("F"), "write a page to step through the run")          //
      ("png", po::value(&request.png)->value_name("F"), "draw the run as PNG (needs Graphviz)")            //
      ("text", po::bool_switch(&request.text), "draw the run as text; say who won each election and why")  //
      ("counts", po::bool_switch(&request.counts),
       "count the events of each kind without recording or judging the run: for runs too long for a trace")  //
      ("json", po::bool_switch(&request.json), "print one JSON object for each file")  //
      ("width", po::value(&width)->value_name("N"), "columns of text, by default those of the terminal");
  addDrawing(command, request.drawing);
  const auto values = parse(command, words);
  if (!values) return std::nullopt;
  const std::vector<std::string> named = all(*values, "file");
  if (named.empty()) throw UsageError("nothing to run; usage: " + command.usage + " (see --help)");

  const auto same = [&](const std::string& option, const std::string& word) {
    request.again.insert(request.again.end(), {"--" + option, word});
  };
  request.overrides = ruleOverrides(*values);
  const std::vector<std::string> rules = ruleWords(*values);
  request.again.insert(request.again.end(), rules.begin(), rules.end());
  if (values->contains("seed")) {
    request.overrides.seed = numberOf("--seed", seed, 0, std::numeric_limits<std::uint64_t>::max());
    same("seed", seed);
  }
  if (values->contains("fails-with")) {
    request.fails_with = numberOf("--fails-with", fails_with, 0, 1'000'000);
    same("fails-with", fails_with);
  }
  if (values->contains("until")) {
    request.until = untilOf(until);
    same("until", until);
  }
  if (values->contains("state")) {
    constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<ServerId>::max());
    request.state = static_cast<ServerId>(numberOf("--state", state, 0, largest));
  }
  request.picture = request.drawing.options();
  if (!width.empty()) request.columns = static_cast<int>(numberOf("--width", width, 20, 9999));
  request.files = filesOf(named);
  checkResults(request);
  return request;
}

}  // namespace

ExitCode runCommand(const Words& words) {
  const auto request = runRequestOf(words);
  if (!request) return held;
  Tally tally;
  for (const std::string& file : request->files) {
    try {
      runOne(file, *request, tally);
    } catch (const InputError& error) {
      ++tally.unreadable;
      tally.raise(bad_input);
      if (request->json)
        std::cout << onOneLine(errorLine(file, error)) << std::endl;
      else
        std::cerr << error.what() << "\n";
    } catch (const UsageError&) {
      throw;
    } catch (const std::exception& error) {
      tally.raise(trouble);
      std::cerr << "zablab: " << printable(file) << ": " << error.what() << "\n";
    }
  }
  const bool nothing_run = tally.models == request->files.size();
  if (!request->json && (request->files.size() > 1 || nothing_run)) printTally(tally);
  if (nothing_run) throw UsageError("there was nothing to run, only models");
  return tally.code;
}

}  // namespace zablab::cli
