#include "viz/export/shiviz.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>

#include "viz/export/exported.h"

namespace zablab::viz {
namespace {

constexpr int event_columns_max = 200, token_columns_max = 40;

/// ShiViz keeps hosts and runs as properties of plain objects; these names would be found in each of them.
bool isPropertyOfEveryObject(const std::string& name) {
  static constexpr std::array<std::string_view, 12> names = {
      "constructor",      "hasOwnProperty",   "isPrototypeOf",    "propertyIsEnumerable",
      "toLocaleString",   "toString",         "valueOf",          "__defineGetter__",
      "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// What `\s` matches in the regular expressions of a browser, as far as clean text contains it.
bool isBlankInBrowsers(std::uint32_t code_point) {
  return code_point == ' ' || code_point == 0xA0 || code_point == 0x1680 || code_point == 0x202F ||
         code_point == 0x205F || code_point == 0x3000 || (code_point >= 0x2000 && code_point <= 0x200A);
}

/// Text without blanks and without what has a meaning in a line of the log.
std::string asToken(const std::string& text) {
  std::string result;
  for (const std::uint32_t code_point : codePoints(elideColumns(clean(text), token_columns_max))) {
    const bool special =
        code_point < 0x80 &&
        std::string_view("\"\\{}=#").find(static_cast<char>(code_point)) != std::string::npos;
    result += special || isBlankInBrowsers(code_point) ? "_" : utf8(code_point);
  }
  return result.empty() ? "_" : result;
}

/// Counts of events by host.
using Counts = std::map<std::size_t, std::uint64_t>;
using HostClock = std::shared_ptr<const Counts>;  ///< null: no event yet

void mergeInto(Counts& counts, const HostClock& other) {
  if (other == nullptr) return;
  for (const auto& [host, count] : *other) counts[host] = std::max(counts[host], count);
}

class LogWriter {
 public:
  LogWriter(const Trace& trace, const LadderOptions& options)
      : trace_(trace), exported_(trace, options), story_(exported_.story()) {}

  std::string write() {
    nameHosts();
    std::string lines;
    for (std::size_t position = 0; position < trace_.events.size(); ++position) lines += take(position);
    if (lines.empty()) {
      throw nothingToWrite("the trace has no such events", "--kinds, --nodes, --from and --to choose events");
    }
    return head() + lines;
  }

 private:
  std::string head() const {
    // Each named group becomes a field of the event, except the three that ShiViz requires.
    std::string result =
        "(?<host>\\S+) (?<clock>\\{[^}]*\\}) step=(?<step>\\d+) ms=(?<ms>\\d+) kind=(?<kind>\\S+) "
        "(?<event>.*)\n=== (?<trace>.*) ===\n";
    std::vector<std::string> phrases = runPhrases(trace_);
    phrases.insert(phrases.begin(), runTitle(trace_));
    std::string run = joined(phrases, ", ");
    if (isPropertyOfEveryObject(run)) run = "run " + run;
    result += "=== " + run + " ===\n";
    // Lines that the expression does not match are skipped.
    for (const std::string& phrase : answerPhrases(trace_)) result += "# result: " + phrase + "\n";
    for (const std::string& phrase : exported_.untoldPhrases()) result += "# left out: " + phrase + "\n";
    return result;
  }

  void nameHosts() {
    std::set<std::string> used;
    const auto add = [&](const std::string& name, const std::string& id) {
      std::string host = asToken(name);
      if (isPropertyOfEveryObject(host)) host += "." + id;
      while (!used.insert(host).second) host += "." + id;
      hosts_.push_back(host);
    };
    for (const Lane& lane : story_.lanes) add(lane.name, std::to_string(lane.node));
    add("network", "0");
  }

  std::size_t networkHost() const { return story_.lanes.size(); }

  HostClock clockAt(const std::optional<std::uint64_t>& position, std::size_t before) const {
    return position && *position < before ? clocks_[static_cast<std::size_t>(*position)] : nullptr;
  }

  /// Brings the clocks up to date with an event, and returns its line, if it has one.
  std::string take(std::size_t position) {
    const TraceEvent& event = trace_.events[position];
    HostClock& of_node = event.node ? node_clocks_[*event.node] : network_clock_;
    Counts past;
    mergeInto(past, clockAt(event.cause, position));
    if (const Message* const message = exported_.message(position)) {
      mergeInto(past, clockAt(message->sent, position));
      mergeInto(past, clockAt(message->transmitted, position));
    }
    const bool told = exported_.tells(position);
    if (event.node) {
      if (!told && past.empty()) {
        clocks_.push_back(of_node);
        return "";
      }
      mergeInto(past, of_node);
      if (told) ++past[static_cast<std::size_t>(story_.lane_of.at(*event.node))];
      of_node = std::make_shared<const Counts>(past);
      clocks_.push_back(of_node);
    } else {
      // What happens at no node follows its cause alone; only its line also follows the line before.
      clocks_.push_back(past.empty() ? nullptr : std::make_shared<const Counts>(past));
      if (!told) return "";
      mergeInto(past, of_node);
      ++past[networkHost()];
      of_node = std::make_shared<const Counts>(past);
    }
    return told ? line(position, past) : "";
  }

  std::string line(std::size_t position, const Counts& counts) const {
    const TraceEvent& event = trace_.events[position];
    const std::size_t host =
        event.node ? static_cast<std::size_t>(story_.lane_of.at(*event.node)) : networkHost();
    std::string clock;
    for (const auto& [other, count] : counts) {
      if (count == 0) continue;
      clock += (clock.empty() ? "\"" : ",\"") + hosts_[other] + "\":" + std::to_string(count);
    }
    const std::string kind = asToken(event.kind);
    std::string words = elideColumns(exported_.words(position), event_columns_max);
    const std::vector<std::uint32_t> letters = codePoints(words);
    if (std::all_of(letters.begin(), letters.end(), isBlankInBrowsers)) words = kind;
    return hosts_[host] + " {" + clock + "} step=" + std::to_string(position) +
           " ms=" + std::to_string(event.time) + " kind=" + kind + " " + words + "\n";
  }

  const Trace& trace_;
  const Exported exported_;
  const Story& story_;
  std::vector<std::string> hosts_;  ///< by lane, then the network
  std::map<std::int64_t, HostClock> node_clocks_;
  HostClock network_clock_;
  std::vector<HostClock> clocks_;  ///< of each event
};

}  // namespace

std::string toShiviz(const Trace& trace, const LadderOptions& options) {
  return LogWriter(trace, options).write();
}

}  // namespace zablab::viz
