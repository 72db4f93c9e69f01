#include "cli/files.h"

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <sstream>

#include "checker/protocol.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "viz/story.h"

namespace zablab::cli {

namespace fs = std::filesystem;

std::vector<std::string> filesOf(const std::vector<std::string>& words) {
  std::vector<std::string> files;
  for (const std::string& word : words) {
    std::error_code error;
    if (!fs::is_directory(word, error)) {
      files.push_back(word);
      continue;
    }
    std::vector<std::string> found;
    fs::recursive_directory_iterator at(word, error);
    while (!error && at != fs::recursive_directory_iterator()) {
      std::error_code gone;
      if (at->path().extension() == ".json" && at->is_regular_file(gone))
        found.push_back(at->path().string());
      at.increment(error);
    }
    if (error) throw InputError(word, std::nullopt, "cannot read the directory: " + error.message());
    if (found.empty()) {
      throw InputError(word, std::nullopt, "there are no scenarios in this directory",
                       "scenarios are files that end in .json; `zablab new` prints one to start from");
    }
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

namespace {

const std::string name_of_input = "(standard input)";

std::string standardInput() { return {std::istreambuf_iterator<char>(std::cin), {}}; }

}  // namespace

Case readFile(const std::string& file) {
  if (file != "-") return loadCase(file);
  return readCase(name_of_input, parseJson(name_of_input, standardInput()));
}

Json errorLine(const std::string& file, const InputError& error) {
  Json line{{"file", file}, {"verdict", "error"}, {"error", error.message}};
  if (error.position) {
    line["line"] = error.position->line;
    line["column"] = error.position->column;
  }
  if (!error.hint.empty()) line["hint"] = error.hint;
  return line;
}

std::string forShell(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  if (printable(word) != word) {  // in the notation of bash and zsh, which keeps control characters visible
    std::ostringstream escaped;
    escaped << "$'" << std::hex << std::setfill('0');
    for (const char c : word) {
      if (c == '\'' || c == '\\') {
        escaped << '\\' << c;
      } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) {
        escaped << "\\x" << std::setw(2) << static_cast<unsigned>(static_cast<unsigned char>(c));
      } else {
        escaped << c;
      }
    }
    return escaped.str() + "'";
  }
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::optional<LoadedScenario> loadRun(const std::string& path) {
  const std::string name = path == "-" ? name_of_input : path;
  const std::string text = path == "-" ? standardInput() : loadText(path);
  const JsonValue document = parseJson(name, text);
  if (document.kind() == JsonValue::Kind::object && document.find("format") != nullptr)
    return replayOf(readTrace(name, text), name);
  Case one = readCase(name, document);
  if (one.kind != Case::Kind::scenario) return std::nullopt;
  return std::move(one.scenario);
}

namespace {

/// The text of a file that another command wrote. `what` it should be, and how one gets it.
std::string loadWritten(const std::string& path, const std::string& what, const std::string& hint) {
  std::error_code error;
  if (fs::is_directory(path, error))
    throw InputError(path, std::nullopt, "this is a directory, not a " + what, hint);
  return loadText(path);
}

}  // namespace

Trace loadTrace(const std::string& path) {
  if (path == "-") return readTrace(name_of_input, standardInput());
  return readTrace(path, loadWritten(path, "trace", "`zablab run FILE --trace T` writes a trace"));
}

StateGraph loadStateGraph(const std::string& path) {
  if (path == "-") return readStateGraph(name_of_input, standardInput());
  return readStateGraph(path,
                        loadWritten(path, "graph of states", "`zablab check MODEL --graph FILE` writes one"));
}

std::string engineForPages(const Trace& trace) {
  const Protocol* const protocol = findProtocol(viz::wordOf(trace.header, "protocol"));
  if (protocol == nullptr)
    throw UsageError("--live: pages have the engines of the program's own protocols, and " +
                     inBackticks(viz::wordOf(trace.header, "protocol")) + " is none of them");
  const std::string name(protocol->name());
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  for (const char* place : {"live", "../share/zablab/live"}) {
    const fs::path file = folder / place / (name + ".wasm");
    if (fs::is_regular_file(file)) return loadText(file.string());
  }
  throw EnvironmentError("--live: the engine of " + inBackticks(name) +
                         " for pages is not there; scripts/page.sh builds those of the program's protocols");
}

}  // namespace zablab::cli
