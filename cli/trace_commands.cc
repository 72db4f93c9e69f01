#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "checker/execute.h"
#include "checker/protocol.h"
#include "checker/replay.h"
#include "checker/why.h"
#include "cli/drawing.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/output.h"
#include "sim/json_reflect.h"
#include "viz/explain.h"
#include "viz/formats.h"
#include "viz/html.h"
#include "viz/outages.h"
#include "viz/roles.h"
#include "viz/sheet.h"
#include "viz/statespace.h"
#include "viz/story.h"
#include "viz/watches.h"

namespace zablab::cli {
namespace {

std::string theOneFile(const po::variables_map& values, const Command& command) {
  const auto files = all(values, "file");
  if (files.size() != 1) throw UsageError("one trace at a time; usage: " + command.usage);
  return files[0];
}

/// What `explain --json` prints.
Json explanationOf(const Trace& trace) {
  Json told = Json::object();
  for (const char* key : {"title", "protocol", "variant", "rules", "mutations", "seed"}) {
    if (const auto found = trace.header.find(key); found != trace.header.end()) told[key] = *found;
  }
  told["results"] = viz::resultOf(trace);
  told["why"] = toCompactJson(trace.why);
  told["outages"] = viz::outagesJson(trace);
  told["verdicts"] = toCompactJson(trace.verdicts);
  return told;
}

/// What `diff --json` prints.
Json differenceOf(const Trace& one, const Trace& other) {
  const std::size_t at = viz::eventsInCommon(one, other);
  const auto side = [&](const Trace& trace) {
    Json shown{{"events", trace.events.size()}, {"results", viz::resultOf(trace)}};
    if (at < trace.events.size()) shown["event"] = toCompactJson(trace.events[at]);
    return shown;
  };
  Json told{{"same", viz::compare(one, other).empty()},
            {"events_in_common", at},
            {"first", side(one)},
            {"second", side(other)},
            {"verdicts", Json::array()}};
  for (const TraceVerdict& verdict : one.verdicts) {
    const auto found = std::find_if(
        other.verdicts.begin(), other.verdicts.end(),
        [&](const TraceVerdict& each) { return each.name == verdict.name && each.kind == verdict.kind; });
    if (found == other.verdicts.end() || found->verdict == verdict.verdict) continue;
    told["verdicts"].push_back({{"name", verdict.name},
                                {"kind", verdict.kind},
                                {"first", verdict.verdict},
                                {"second", found->verdict}});
  }
  return told;
}

/// The option of commands that print one object instead of lines.
void addJson(Command& command, bool& json) {
  command.options.add_options()("json", po::bool_switch(&json), "print one object");
}

}  // namespace

ExitCode replayCommand(const Words& words) {
  bool json = false;
  Command command{
      .usage = "zablab replay TRACE [options]",
      .examples =
          "Runs a trace's scenario again with the choices that it recorded, and compares everything that\n"
          "it contains: header, choices, events and verdicts.\n\n"
          "Examples:\n"
          "  zablab run my.json --seed 7 --trace run.json   writes a trace\n"
          "  zablab replay run.json\n"
          "  zablab replay lasso.json --loops 50            a run that ends in a loop, with 50 rounds of "
          "it\n\n"
          "Exit status: 0 the same, 1 a difference, 2 no such trace.\n",
      .positional = "file"};
  addJson(command, json);
  command.options.add_options()("loops", po::value<std::string>()->value_name("N"),
                                "how often the loop of a run by actions is done");
  const auto values = parse(command, words);
  if (!values) return held;
  const std::string file = theOneFile(*values, command);
  const Trace recorded = loadTrace(file);
  std::optional<std::int64_t> loops;
  if (values->contains("loops"))
    loops = numberOf("--loops", (*values)["loops"].as<std::string>(), 1, LoopSpec::times_max);
  const Replayed again = loops ? replayLoops(recorded, file, *loops) : replay(recorded, file);
  if (json) {
    std::cout << onOneLine(Json{{"same", again.differences.empty()},
                                {"events", (loops ? again.trace : recorded).events.size()},
                                {"differences", again.differences}})
              << "\n";
    return again.differences.empty() ? held : broken;
  }
  printUnusedChoices(std::cout, again.trace, "");
  for (const std::string& difference : again.differences)
    std::cout << "differs: " << printable(difference) << "\n";
  const std::string count = std::to_string(recorded.events.size()) + " events";
  if (loops && again.differences.empty()) {
    std::cout << "after each of " << *loops
              << " rounds the state is that in which the loop begins: " << again.trace.events.size()
              << " events\n";
    return held;
  }
  if (again.differences.empty()) {
    std::cout << "the same: " << count << "\n";
    return held;
  }
  if (recorded.events == again.trace.events) std::cout << "its " << count << " are the same\n";
  return broken;
}

namespace {

/// What `zablab render` has to do, in the words of the command line.
struct RenderRequest {
  std::string out, other_file, width, paper, view;
  Drawing drawing;
  bool json = false, live = false;
};

/// Whether Graphviz lays this view out.
bool isGraph(const std::string& view) { return view == "roles" || view == "watches" || view == "statespace"; }

viz::LadderOptions ladderOptions(const RenderRequest& request) {
  viz::LadderOptions options = request.drawing.options();
  if (!request.view.empty() && !isGraph(request.view)) {
    options.view = oneOf<viz::View>("--view", request.view,
                                    {{"ladder", viz::View::ladder},
                                     {"election", viz::View::election},
                                     {"log", viz::View::log},
                                     {"roles", viz::View::ladder},
                                     {"watches", viz::View::ladder},
                                     {"statespace", viz::View::ladder}});
  }
  return options;
}

/// The pictures and the files for them: several only on paper.
std::vector<std::pair<std::string, viz::Sheet>> sheetsOf(const RenderRequest& request, const Trace& trace,
                                                         const viz::LadderOptions& options) {
  std::vector<std::pair<std::string, viz::Sheet>> result;
  if (request.paper.empty()) {
    if (request.other_file.empty()) {
      result.emplace_back(request.out, viz::layOut(trace, options));
    } else {
      const Trace other = loadTrace(request.other_file);
      if (viz::eventsInCommon(trace, other) == std::max(trace.events.size(), other.events.size()))
        throw InputError(request.other_file, std::nullopt, "the same happens in both runs");
      result.emplace_back(request.out, viz::pairOf(trace, other, options));
    }
    return result;
  }
  const viz::Paper paper =
      oneOf<viz::Paper>("--paper", request.paper, {{"a4", viz::a4}, {"letter", viz::letter}});
  const std::string stem = request.out.substr(0, request.out.size() - std::string_view(".svg").size());
  std::vector<viz::Sheet> pages;
  try {
    pages = viz::pagesOf(trace, options, paper);
  } catch (const std::length_error& error) {
    throw UsageError(std::string("--paper: the run needs ") + error.what() +
                     "; choose a part with --from and --to, or --detail story");
  }
  for (viz::Sheet& page : pages) {
    const std::string file = stem + "-" + std::to_string(result.size() + 1) + ".svg";
    result.emplace_back(file, std::move(page));
  }
  return result;
}

Json measuresOf(const std::string& file, const viz::Sheet& sheet) {
  const viz::Measures measures = viz::measure(sheet);
  const auto number = [](viz::Tenths value) { return Json::parse(viz::points(value)); };
  return {{"file", file},
          {"width", number(measures.width)},
          {"height", number(measures.height)},
          {"smallest_text", number(measures.smallest_text)},
          {"texts", measures.texts},
          {"cut_texts", measures.cut_texts}};
}

/// The view of a graph of states has no window and no lanes.
void checkStatespaceRequest(const RenderRequest& request) {
  checkDrawnByGraphviz("--view statespace", request.out);
  const bool alone = !request.drawing.any() && request.width.empty() && request.paper.empty() &&
                     request.other_file.empty() && !request.json;
  if (!alone) throw UsageError("--view statespace: of the other options only --theme and -o apply");
}

/// Options that exclude each other.
void checkRequest(const RenderRequest& request) {
  if (request.out.empty()) throw UsageError("where to? -o FILE is missing; -o - draws text on the terminal");
  checkPictureName(request.out);
  const viz::Format* const format = request.out == "-" ? nullptr : viz::formatOf(request.out);
  const bool picture = format == nullptr || format->picture;
  if (!request.drawing.language.empty() && (!picture || isGraph(request.view)))
    throw UsageError("--lang: only ladders are drawn in another language; a page has both (its key l)");
  if (!request.other_file.empty() && !picture && format->extension != ".html")
    throw UsageError("--with: two runs are shown by a picture or a page, not by " + inBackticks(request.out));
  if (!request.paper.empty() && (format == nullptr || format->extension != ".svg"))
    throw UsageError("--paper: pages are .svg files; name the output as in -o run.svg");
  if (!request.paper.empty() && !request.other_file.empty())
    throw UsageError("--paper and --with exclude each other");
  if (!request.paper.empty() && request.drawing.rows == "causal")
    throw UsageError("--paper: rows by causal depth cannot be divided into pages");
  if (request.view == "statespace") return checkStatespaceRequest(request);
  if (isGraph(request.view)) {
    const std::string option = "--view " + request.view;
    checkDrawnByGraphviz(option, request.out);
    if (request.json || !request.paper.empty() || !request.other_file.empty())
      throw UsageError(option + " excludes --json, --paper and --with");
  }
  if (!request.view.empty() && !picture)
    throw UsageError("--view: only pictures have views, not " + inBackticks(request.out));
  if (request.live && !request.out.ends_with(".html"))
    throw UsageError("--live: only a page has the engine inside: -o run.html, not " +
                     inBackticks(request.out));
  if (request.json && (!picture || format == nullptr || format->extension == ".txt"))
    throw UsageError("--json: only a picture of lines and texts has such measures: .svg, .png or .dot");
}

}  // namespace

ExitCode renderCommand(const Words& words) {
  RenderRequest request;
  Command command{
      .usage = "zablab render TRACE -o FILE [options]",
      .examples =
          "Draws a trace in the format that the ending of FILE names.\n\n"
          "Examples:\n"
          "  zablab render run.json -o run.svg\n"
          "  zablab render run.json -o -                      as text, on the terminal\n"
          "  zablab render run.json -o run.shiviz             for another tool (docs/exports.md)\n"
          "  zablab render run.json -o run.html               a page to step through the run\n"
          "  zablab render run.json -o run.html --live        and to change it: the nodes run in the page\n"
          "  zablab render a.json --with b.json -o ab.svg     two runs: what is common once, then each\n"
          "  zablab render states.json --view statespace -o states.svg   the states of a model\n"
          "  zablab render run.json --view watches --to 9000ms -o w.svg  who watches what at 9 s\n"
          "  zablab render run.json -o end.svg --from 2000ms  what happened after 2 s\n"
          "  zablab render run.json -o run.svg --paper a4     run-1.svg and so on, to be printed\n",
      .positional = "file"};
  command.options.add_options()  //
      ("output,o", po::value(&request.out)->value_name("FILE"),
       ("the file to write: " + formatList()).c_str())  //
      ("with", po::value(&request.other_file)->value_name("TRACE"),
       "a second trace: in a picture below the first, in a page beside it")  //
      ("paper", po::value(&request.paper)->value_name("PAPER"),
       "a4 or letter: numbered pages of this size")  //
      ("view", po::value(&request.view)->value_name("VIEW"),
       "ladder; election: ballot boxes; log: all logs side by side; roles: an automaton; watches: who "
       "watches what at the end of the window; statespace: the graph that zablab check --graph wrote "
       "(ladder)")  //
      ("width", po::value(&request.width)->value_name("N"),
       "columns of text, by default those of the terminal; of a picture, points to which it is to be "
       "narrowed")  //
      ("live", po::bool_switch(&request.live),
       "put the engine into the page, which then repeats the run with changes")  //
      ("json", po::bool_switch(&request.json),
       "print the picture's size, its smallest text and how many texts are cut; in points");
  addDrawing(command, request.drawing);
  const auto values = parse(command, words);
  if (!values) return held;
  const std::string file = theOneFile(*values, command);
  checkRequest(request);
  viz::LadderOptions options = ladderOptions(request);
  const viz::Format* const format = request.out == "-" ? nullptr : viz::formatOf(request.out);
  const bool of_text = format == nullptr || format->extension == ".txt";
  std::optional<int> text_columns;
  if (!request.width.empty()) {
    const auto width = numberOf("--width", request.width, 20, 9999);
    (of_text ? text_columns.emplace() : options.width) = static_cast<int>(of_text ? width : width * 10);
  }
  if (request.view == "statespace") {
    const StateGraph graph = loadStateGraph(file);
    checkWritable(request.out);
    checkNotInput(request.out, file);
    writeDot(request.out, viz::statespaceDot(graph, options.theme));
    return held;
  }
  Trace trace = loadTrace(file);
  request.drawing.choose(options, trace);
  checkWritable(request.out);
  checkNotInput(request.out, file);
  checkNotInput(request.out, request.other_file);
  if (trace.events.empty())
    throw InputError(file, std::nullopt, "there is nothing to draw: the trace has no events");
  if (request.out.ends_with(".html")) {
    trace.why = whyOf(trace);
    const std::string engine = request.live ? engineForPages(trace) : "";
    writeFile(request.out, tolerating([&] {
                return request.other_file.empty()
                           ? viz::toHtml(trace, options, engine)
                           : viz::toHtml(trace, loadTrace(request.other_file), options, engine);
              }));
    return held;
  }
  if (format != nullptr && !format->picture) {
    writePicture(request.out, trace, options);
    return held;
  }
  if (request.view == "roles") {
    writeDot(request.out, tolerating([&] { return viz::rolesDot(trace, options); }));
    return held;
  }
  if (request.view == "watches") {
    try {
      writeDot(request.out, tolerating([&] { return viz::watchesDot(trace, options); }));
    } catch (const std::invalid_argument& error) {
      throw InputError(file, std::nullopt, error.what(), "protocols with ZooKeeper's tree have watches");
    }
    return held;
  }
  trace.why = whyOf(trace);
  const auto sheets = tolerating([&] { return sheetsOf(request, trace, options); });
  for (const auto& [name, sheet] : sheets) checkDrawn(sheet);
  for (const auto& [name, sheet] : sheets) {
    writeSheet(name, sheet, text_columns);
    if (request.json) std::cout << measuresOf(name, sheet).dump() << "\n";
  }
  return held;
}

ExitCode explainCommand(const Words& words) {
  std::string causes, language;
  bool json = false;
  Command command{
      .usage = "zablab explain TRACE [options]",
      .examples =
          "Describes a run: what each violation and each lost write needed, tried by leaving it out;\n"
          "who leads and why; what happened.\n\n"
          "Examples:\n"
          "  zablab run my.json --trace run.json\n"
          "  zablab explain run.json\n"
          "  zablab explain run.json --lang zh\n",
      .positional = "file"};
  command.options.add_options()                                                                //
      ("causes", po::value(&causes)->value_name("N"), "causes listed of each violation (20)")  //
      ("lang", po::value(&language)->value_name("LANG"), lang_text);
  addJson(command, json);
  const auto values = parse(command, words);
  if (!values) return held;
  if (json && !(causes.empty() && language.empty()))
    throw UsageError("--json excludes --causes and --lang: it has no sentences but the trace's own");
  const std::size_t causes_max = causes.empty() ? 20 : numberOf("--causes", causes, 1, 1'000'000);
  const viz::PhraseBook& book = bookOf(language);
  Trace trace = loadTrace(theOneFile(*values, command));
  trace.why = whyOf(trace);
  if (json) {
    std::cout << tolerating([&] { return onOneLine(explanationOf(trace)); }) << "\n";
    return held;
  }
  std::cout << viz::explain(trace, causes_max, book);
  return held;
}

ExitCode diffCommand(const Words& words) {
  std::string language;
  bool json = false;
  Command command{
      .usage = "zablab diff TRACE TRACE [options]",
      .examples =
          "Compares two runs: up to where they are equal, what each does then, and how their results\n"
          "and verdicts differ.\n\n"
          "Examples:\n"
          "  zablab run my.json --seed 1 --trace one.json\n"
          "  zablab run my.json --seed 2 --trace two.json\n"
          "  zablab diff one.json two.json\n\n"
          "Exit status: 0 they are equal, 1 they differ, 2 no such trace.\n",
      .positional = "file"};
  command.options.add_options()("lang", po::value(&language)->value_name("LANG"), lang_text);
  addJson(command, json);
  const auto values = parse(command, words);
  if (!values) return held;
  if (json && !language.empty())
    throw UsageError("--json excludes --lang: it has no sentences but the traces' own");
  const auto files = all(*values, "file");
  if (files.size() != 2) throw UsageError("two traces are compared; usage: " + command.usage);
  const viz::PhraseBook& book = bookOf(language);
  Trace one = loadTrace(files[0]);
  const Trace other = loadTrace(files[1]);
  if (one.events != other.events) writeChangesAs(other.events, one.events);
  const std::string differences = viz::compare(one, other, book);
  if (json) {
    std::cout << tolerating([&] { return onOneLine(differenceOf(one, other)); }) << "\n";
    return differences.empty() ? held : broken;
  }
  const std::string count = std::to_string(one.events.size());
  std::cout << (differences.empty() ? book.form("the same: {count} events", {{"count", count}}) + "\n"
                                    : differences);
  return differences.empty() ? held : broken;
}

}  // namespace zablab::cli
