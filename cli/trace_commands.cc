#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <vector>

#include "checker/execute.h"
#include "checker/protocol.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/output.h"
#include "viz/explain.h"
#include "viz/html.h"
#include "viz/story.h"

namespace zablab::cli {
namespace {

std::string theOneFile(const po::variables_map& values, const Command& command) {
  const auto files = all(values, "file");
  if (files.size() != 1) throw UsageError("one trace at a time; usage: " + command.usage);
  return files[0];
}

/// `1500` is an event, `1500ms` a time.
std::optional<viz::Bound> boundOf(const std::string& option, const std::string& word) {
  if (word.empty()) return std::nullopt;
  constexpr std::uint64_t largest = 1'000'000'000'000;
  if (!word.ends_with("ms")) {
    return viz::Bound{viz::Bound::Unit::event, static_cast<std::int64_t>(numberOf(option, word, 0, largest))};
  }
  const std::uint64_t time = numberOf(option, word.substr(0, word.size() - 2), 0, largest);
  return viz::Bound{viz::Bound::Unit::time_ms, static_cast<std::int64_t>(time)};
}

template <class Value>
Value oneOf(const std::string& option, const std::string& word,
            const std::vector<std::pair<std::string, Value>>& known) {
  std::vector<std::string> names;
  std::string list;
  for (const auto& [name, value] : known) {
    if (name == word) return value;
    names.push_back(name);
    list += (list.empty() ? "" : ", ") + name;
  }
  throw UsageError(option + " cannot be " + inBackticks(word) +
                   didYouMean(word, names, "; known names: " + list));
}

/// The kinds of events in traces of this trace's protocol, or those in it if the protocol is unknown.
std::vector<std::string> kindsOf(const Trace& trace) {
  const auto protocol = trace.header.find("protocol");
  if (protocol != trace.header.end() && protocol->is_string()) {
    if (const Protocol* const known = findProtocol(protocol->get<std::string>())) return known->eventKinds();
  }
  std::vector<std::string> kinds;
  for (const TraceEvent& event : trace.events) kinds.push_back(event.kind);
  return kinds;
}

}  // namespace

ExitCode replayCommand(const Words& words) {
  Command command{
      .usage = "zablab replay TRACE",
      .examples =
          "Runs a trace's scenario again with the choices that it recorded, and compares every event.\n\n"
          "Examples:\n"
          "  zablab run my.json --seed 7 --trace run.json   writes a trace\n"
          "  zablab replay run.json\n\n"
          "Exit status: 0 the same, 1 a difference, 2 no such trace.\n",
      .positional = "file"};
  const auto values = parse(command, words);
  if (!values) return held;
  const std::string file = theOneFile(*values, command);
  const Trace recorded = loadTrace(file);
  const Outcome again = runScenario(replayOf(recorded, file), untilOf(recorded, file));
  printUnusedChoices(std::cout, again.trace, "");
  const auto difference = firstDifference(recorded, again.trace);
  if (difference) {
    std::cout << "differs: " << printable(*difference) << "\n";
    return broken;
  }
  std::cout << "the same: " << recorded.events.size() << " events\n";
  return held;
}

ExitCode renderCommand(const Words& words) {
  std::string out, from, to, page, nodes, kinds, rows, theme, width, detail, other_file;
  bool self = false, unfolded = false;
  Command command{
      .usage = "zablab render TRACE -o FILE [options]",
      .examples =
          "Draws a trace in the format that the ending of FILE names.\n\n"
          "Examples:\n"
          "  zablab render run.json -o run.svg\n"
          "  zablab render run.json -o -                      as text, on the terminal\n"
          "  zablab render run.json -o run.shiviz             for another tool (docs/exports.md)\n"
          "  zablab render run.json -o run.html               a page to step through the run\n"
          "  zablab render a.json --with b.json -o ab.html    two runs side by side\n"
          "  zablab render run.json -o end.svg --from 2000ms  what happened after 2 s\n",
      .positional = "file"};
  command.options.add_options()                                                                          //
      ("output,o", po::value(&out)->value_name("FILE"), ("the file to write: " + formatList()).c_str())  //
      ("with", po::value(&other_file)->value_name("TRACE"),
       "a second trace, beside the first; only .html")                                                    //
      ("from", po::value(&from)->value_name("AT"), "begin at this event, or at this time, as in 2000ms")  //
      ("to", po::value(&to)->value_name("AT"), "end at this event or time")                               //
      ("page", po::value(&page)->value_name("N"), "rows of the picture; 0: all (400)")                    //
      ("nodes", po::value(&nodes)->value_name("IDS"), "draw only these servers, as in 1,3")               //
      ("kinds", po::value(&kinds)->value_name("KINDS"),
       "draw only these kinds of events, as in sent,role")  //
      ("detail", po::value(&detail)->value_name("DETAIL"),
       "full; story: what the result depends on; outline: a story without messages (full)")               //
      ("rows", po::value(&rows)->value_name("MODE"), "event, causal or time: what a row is (event)")      //
      ("theme", po::value(&theme)->value_name("THEME"), "light or dark (light)")                          //
      ("width", po::value(&width)->value_name("N"), "columns of text; by default those of the terminal")  //
      ("self", po::bool_switch(&self), "draw what servers send to themselves")                            //
      ("no-fold", po::bool_switch(&unfolded), "draw every heartbeat");
  const auto values = parse(command, words);
  if (!values) return held;
  const std::string file = theOneFile(*values, command);
  if (out.empty()) throw UsageError("where to? -o FILE is missing; -o - draws text on the terminal");
  checkPictureName(out);
  if (!other_file.empty() && !out.ends_with(".html"))
    throw UsageError("--with: only a page, whose name ends in .html, shows two runs");
  viz::LadderOptions options;
  options.self_messages = self;
  options.fold_heartbeats = !unfolded;
  options.from = boundOf("--from", from);
  options.to = boundOf("--to", to);
  if (!page.empty()) options.page_rows = static_cast<int>(numberOf("--page", page, 0, 1'000'000));
  if (!rows.empty()) {
    options.rows = oneOf<viz::RowMode>(
        "--rows", rows,
        {{"event", viz::RowMode::event}, {"causal", viz::RowMode::causal}, {"time", viz::RowMode::time}});
  }
  if (!detail.empty()) {
    options.detail = oneOf<viz::Detail>(
        "--detail", detail,
        {{"full", viz::Detail::full}, {"story", viz::Detail::story}, {"outline", viz::Detail::outline}});
  }
  if (!theme.empty()) {
    options.theme =
        oneOf<viz::Theme>("--theme", theme, {{"light", viz::Theme::light}, {"dark", viz::Theme::dark}});
  }
  std::istringstream kind_list(kinds);
  for (std::string kind; std::getline(kind_list, kind, ',');) options.kinds.insert(kind);
  const Trace trace = loadTrace(file);
  const std::vector<std::string> known = kindsOf(trace);
  for (const std::string& kind : options.kinds) {
    if (std::find(known.begin(), known.end(), kind) == known.end())
      throw UsageError("--kinds: there are no events of the kind " + inBackticks(kind) +
                       didYouMean(kind, known, ""));
  }
  std::istringstream node_list(nodes);
  for (std::string node; std::getline(node_list, node, ',');) {
    std::vector<std::pair<std::string, std::int64_t>> known;
    for (const Json& one : trace.header.value("nodes", Json::array())) {
      if (const std::optional<std::int64_t> id = viz::numberOf(one, "id"))
        known.emplace_back(std::to_string(*id), *id);
    }
    options.nodes.insert(oneOf<std::int64_t>("--nodes", node, known));
  }
  checkWritable(out);
  checkNotInput(out, file);
  if (trace.events.empty())
    throw InputError(file, std::nullopt, "there is nothing to draw: the trace has no events");
  std::optional<int> columns_wanted;
  if (!width.empty()) columns_wanted = static_cast<int>(numberOf("--width", width, 20, 9999));
  if (other_file.empty()) {
    writePicture(out, trace, options, columns_wanted);
  } else {
    checkNotInput(out, other_file);
    writeFile(out, viz::toHtml(trace, loadTrace(other_file), options));
  }
  return held;
}

ExitCode explainCommand(const Words& words) {
  std::string causes;
  Command command{
      .usage = "zablab explain TRACE [options]",
      .examples =
          "Describes a run: who leads and why, what led to it, and what caused each violation.\n\n"
          "Examples:\n"
          "  zablab run my.json --trace run.json\n"
          "  zablab explain run.json\n",
      .positional = "file"};
  command.options.add_options()("causes", po::value(&causes)->value_name("N"),
                                "causes listed of each violation (20)");
  const auto values = parse(command, words);
  if (!values) return held;
  const std::size_t causes_max = causes.empty() ? 20 : numberOf("--causes", causes, 1, 1'000'000);
  std::cout << viz::explain(loadTrace(theOneFile(*values, command)), causes_max);
  return held;
}

ExitCode diffCommand(const Words& words) {
  Command command{
      .usage = "zablab diff TRACE TRACE",
      .examples =
          "Compares two runs: up to where they are equal, what each does then, and how their results\n"
          "and verdicts differ.\n\n"
          "Examples:\n"
          "  zablab run my.json --seed 1 --trace one.json\n"
          "  zablab run my.json --seed 2 --trace two.json\n"
          "  zablab diff one.json two.json\n\n"
          "Exit status: 0 they are equal, 1 they differ, 2 no such trace.\n",
      .positional = "file"};
  const auto values = parse(command, words);
  if (!values) return held;
  const auto files = all(*values, "file");
  if (files.size() != 2) throw UsageError("two traces are compared; usage: " + command.usage);
  const Trace one = loadTrace(files[0]);
  const std::string differences = viz::compare(one, loadTrace(files[1]));
  std::cout << (differences.empty() ? "the same: " + std::to_string(one.events.size()) + " events\n"
                                    : differences);
  return differences.empty() ? held : broken;
}

}  // namespace zablab::cli
