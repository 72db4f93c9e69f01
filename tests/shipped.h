// The files below scenarios/, for tests that look at all of them; and models written in tests.
#pragma once

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "checker/execute.h"

namespace zablab {

/// Paths of all files below scenarios/, in order.
inline std::vector<std::string> shippedFiles() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ZABLAB_SOURCE_DIR "/scenarios")) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

inline std::string nameOfFile(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// What a test asks of the trace of every shipped scenario. All ask in one pass, since the runs take longer
/// than the questions.
class TraceReader {
 public:
  TraceReader() { readers().push_back(this); }
  virtual ~TraceReader() = default;
  /// A scenario and what came of it, with its own choices; in the order of the files.
  virtual void read(const std::string& path, const Case& one, const Outcome& outcome) = 0;

  /// Has all of them read everything, unless they have.
  static void readAll() {
    static bool done = false;
    if (std::exchange(done, true)) return;
    for (const std::string& path : shippedFiles()) {
      const Case one = loadCase(path);
      if (one.kind != Case::Kind::scenario) continue;
      const Outcome outcome = runScenario(one.scenario);
      for (TraceReader* reader : readers()) reader->read(path, one, outcome);
    }
  }

 private:
  static std::vector<TraceReader*>& readers() {
    static std::vector<TraceReader*> all;
    return all;
  }
};

class Covering : public TraceReader {
 public:
  void read(const std::string& path, const Case&, const Outcome& outcome) override {
    const Trace& trace = outcome.trace;
    const std::string protocol = trace.header.value("protocol", "") + " ";
    std::set<std::string> shown{protocol + std::to_string(trace.header.at("nodes").size())};
    for (const auto& [member, value] : trace.header.items()) shown.insert(protocol + member);
    for (const TraceVerdict& result : trace.verdicts) {
      const bool has_name = result.kind != "expectation";  // others are numbered
      shown.insert(protocol + result.kind + " " + (has_name ? result.name + " " : "") + result.verdict);
    }
    for (const TraceEvent& event : trace.events) {
      const bool is_object = event.data.is_object();
      shown.insert(protocol + event.kind + " " + (is_object ? event.data.value("type", Json()).dump() : "") +
                   " " + (is_object ? event.data.value("role", Json()).dump() : ""));
    }
    runs_.push_back({trace.events.size(), path, std::move(shown)});
  }

  /// The short runs first: long ones only for what is in no others.
  std::vector<std::string> files() {
    std::sort(runs_.begin(), runs_.end());
    std::set<std::string> seen;
    std::vector<std::string> files;
    for (const auto& [events, path, shown] : runs_) {
      const std::size_t before = seen.size();
      seen.insert(shown.begin(), shown.end());
      if (seen.size() > before) files.push_back(path);
    }
    return files;
  }

 private:
  std::vector<std::tuple<std::size_t, std::string, std::set<std::string>>> runs_;
};
inline Covering covering;

/// Files of scenarios that together show what all of them show, for tests that take long for each trace:
/// every kind of event and of message, with each role, every result, number of nodes and member of the
/// header, of every protocol, is in one of them.
inline const std::vector<std::string>& coveringFiles() {
  static const std::vector<std::string> files = [] {
    TraceReader::readAll();
    return covering.files();
  }();
  return files;
}

/// The model in a text. Throws InputError.
inline LoadedModel modelOf(const Json& text) {
  const JsonValue document = JsonValue::fromJson(text, "a model");
  return {readModel(document), document};
}

}  // namespace zablab
