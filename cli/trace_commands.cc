#include <fstream>
#include <iostream>
#include <iterator>

#include "checker/execute.h"
#include "cli/options.h"
#include "cli/output.h"

namespace zablab::cli {
namespace {

Trace loadTrace(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(path, std::nullopt, "cannot read the trace");
  return readTrace(path, std::string(std::istreambuf_iterator<char>(in), {}));
}

std::string theOneFile(const po::variables_map& values, const Command& command) {
  const auto files = all(values, "file");
  if (files.size() != 1) throw UsageError("one trace at a time; usage: " + command.usage);
  return files[0];
}

}  // namespace

ExitCode replayCommand(const Words& words) {
  Command command{.usage = "zablab replay TRACE",
                  .examples = "Runs a trace's scenario again with the choices that it recorded, and compares.\n\n"
                              "Example:\n  zablab replay run.json\n",
                  .positional = "file"};
  const auto values = parse(command, words);
  if (!values) return held;
  const std::string file = theOneFile(*values, command);
  const Trace recorded = loadTrace(file);
  const Outcome again = runScenario(replayOf(recorded, file));
  const auto difference = firstDifference(recorded, again.trace);
  if (difference) {
    std::cout << "differs: " << *difference << "\n";
    return broken;
  }
  std::cout << "the same: " << recorded.events.size() << " events\n";
  return held;
}

ExitCode renderCommand(const Words& words) {
  std::string out;
  Command command{.usage = "zablab render TRACE -o FILE",
                  .examples = "Draws a trace: DOT, SVG, PNG or text, by the ending of FILE.\n\n"
                              "Examples:\n  zablab render run.json -o run.svg\n  zablab render run.json -o run.txt\n",
                  .positional = "file"};
  command.options.add_options()("output,o", po::value(&out), "the file to write: .dot, .svg, .png or .txt");
  const auto values = parse(command, words);
  if (!values) return held;
  if (out.empty()) throw UsageError("where to? -o FILE is missing");
  writePicture(out, loadTrace(theOneFile(*values, command)));
  return held;
}

}  // namespace zablab::cli
