// The trace: what was run, what was chosen and what happened. Everything that examines a run afterwards
// (expectations, pictures, narratives, statistics) reads the trace and nothing else. docs/traces.md describes
// the format.
#pragma once

#include <array>
#include <boost/describe/class.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json.h"

namespace zablab {

/// One event.
struct TraceEvent {
  std::uint64_t index = 0;             ///< position in the trace, from 0
  std::int64_t time = 0;               ///< virtual milliseconds since the start of the run
  std::optional<std::int64_t> node;    ///< the server it happened at; empty for the network and the scenario
  std::string kind;                    ///< one of the kinds of docs/traces.md
  Json data = Json::object();          ///< the fields of the kind
  std::optional<std::uint64_t> cause;  ///< index of the event that led to this one
  Json changes = Json::object();   ///< top-level fields of the node's state that the step changed, new values
  Json appended = Json::object();  ///< long lists that grew: by their path, as `disk.log`, what was added
  Json entries = Json::object();   ///< large maps: by their field, the entries that changed; null: removed
  std::string text;                ///< one line for people; empty if there is nothing to report
  Json said;                       ///< the same as a pattern and its parts (sim/phrase.h); null: only as text

  static constexpr std::string_view schema_name = "event";
  static constexpr std::array required{"index", "time", "kind", "data"};
  bool operator==(const TraceEvent&) const = default;
};
BOOST_DESCRIBE_STRUCT(TraceEvent, (),
                      (index, time, node, kind, data, cause, changes, appended, entries, text, said))

/// Whether the event changes its node's state.
bool hasChanges(const TraceEvent& event);
/// The fields of its node's state that it changes.
std::set<std::string> changedFields(const TraceEvent& event);
/// What an object has at a path: names of members with points between them. What is missing is made null.
Json& memberAt(Json& object, const std::string& path);
/// Brings a node's state up to date with the event.
void applyChanges(Json& state, const TraceEvent& event);
/// Older programs recorded more of a state when a part of it had changed: of these events, what leads to the
/// same states as in `others` is written as there.
void writeChangesAs(const std::vector<TraceEvent>& others, std::vector<TraceEvent>& events);

/// The result of one invariant or expectation.
struct TraceVerdict {
  std::string name;
  std::string kind;  ///< "invariant" or "expectation"
  std::string
      verdict;  ///< "held", "violated", "not exercised"; for expectations "met", "failed", "undecided"
  std::uint64_t obligations = 0;       ///< how often something was compared
  std::string text;                    ///< what was violated or why it failed, for people
  std::optional<std::uint64_t> event;  ///< index of the event that decided it
  std::string about;  ///< what was violated is about this, as pictures write it: a log's entry, a caption
  Json said;          ///< the text as a pattern and its parts (sim/phrase.h); null: only as text

  static constexpr std::string_view schema_name = "verdict";
  static constexpr std::array required{"name", "kind", "verdict", "obligations"};
  bool operator==(const TraceVerdict&) const = default;
};
BOOST_DESCRIBE_STRUCT(TraceVerdict, (), (name, kind, verdict, obligations, text, event, about, said))

/// What violations and losses of a run needed (checker/why.h finds it): those that needed the same.
struct Why {
  struct Event {
    std::uint64_t event = 0;
    bool needed = false;  ///< what a step of the scenario did, without which this does not happen
    /// Who has the lost write, or the entry that the violation is about, after it.
    std::optional<std::vector<std::int64_t>> holders;
    static constexpr std::string_view schema_name = "why_event";
    static constexpr std::array required{"event"};
    bool operator==(const Event&) const = default;
  };
  std::vector<std::string> violated;   ///< invariants
  std::vector<std::int64_t> lost;      ///< clients whose acknowledged writes are lost
  std::vector<std::string> mutations;  ///< that are needed
  std::vector<std::string> rules;      ///< that are needed, as "NAME=VALUE"
  std::vector<std::string> steps;      ///< that are needed and of which the trace has no event, in words
  std::vector<std::string> choices;  ///< that are needed, as "ADDRESS: VALUE"
  bool variant = false;              ///< the variant is needed: not with the protocol's default
  std::vector<Event> events;         ///< what is needed, and what became of the write, in order
  std::uint64_t untried = 0;  ///< parts of the scenario that were not left out: the runs would be too many
  static constexpr std::string_view schema_name = "why";
  static constexpr std::array required{"events"};
  bool operator==(const Why&) const = default;
};
BOOST_DESCRIBE_STRUCT(Why::Event, (), (event, needed, holders))
BOOST_DESCRIBE_STRUCT(Why, (), (violated, lost, mutations, rules, variant, steps, choices, events, untried))

struct Trace {
  Json header = Json::object();
  Json scenario = Json::object();
  Json choices = Json::array();
  std::vector<TraceEvent> events;
  std::vector<TraceVerdict> verdicts;
  std::vector<Why> why;  ///< only pages have it

  static constexpr std::string_view schema_name = "trace";
  static constexpr std::array required{"header", "scenario", "choices", "events", "verdicts"};
  bool operator==(const Trace&) const = default;
};
BOOST_DESCRIBE_STRUCT(Trace, (), (header, scenario, choices, events, verdicts, why))

/// The trace as `zablab-trace` JSON: one choice, one event or one verdict per line. Bytes that are not UTF-8
/// become U+FFFD.
std::string traceText(const Trace& trace);

/// Reads a trace and checks what its readers rely on: indexes count from 0, time never goes back, causes lie
/// earlier. Throws InputError with the place in the file if it is not a valid trace.
Trace readTrace(const std::string& file_name, std::string_view text);

/// A document that says that it is a trace, of any version.
bool saysTrace(const JsonValue& document);

/// One of the header's `facts` about a node.
struct Fact {
  std::string name;      ///< in English
  Json value;            ///< never null
  bool of_node = false;  ///< the value is the id of a node
};
/// Those that a node's state has.
std::vector<Fact> factsOf(const Json& header, const Json& state);

/// The JSON Schema of a trace.
Json traceSchema();

}  // namespace zablab
