#include "viz/export/history.h"

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

#include "viz/export/exported.h"

namespace zablab::viz {
namespace {

/// Jepsen's unit.
std::int64_t nanosecondsOf(const TraceEvent& event) {
  constexpr std::int64_t per_ms = 1'000'000;
  return std::clamp<std::int64_t>(event.time, 0, std::numeric_limits<std::int64_t>::max() / per_ms) * per_ms;
}

/// An operation's beginning or end.
struct Entry {
  std::string type;  ///< invoke, ok, fail, info
  std::string function;
  Json value;
  std::int64_t client = 0;
  std::int64_t process = 0;
  std::int64_t nanoseconds = 0;
  std::string error = {};
};

/// The header's `calls`: which events are operations, and what their fields mean (docs/traces.md).
class Calls {
 public:
  explicit Calls(const Json& header) {
    if (header.is_object() && header.contains("calls") && header["calls"].is_object())
      calls_ = header["calls"];
  }

  bool any() const { return !calls_.empty(); }
  std::optional<std::int64_t> numberOf(const TraceEvent& event) const {
    return viz::numberOf(event.data,
                         word(event.kind == "asked" ? "asked_number" : "answered_number").c_str());
  }
  /// The operation that the event asks for; empty if it is not one of the service.
  std::string functionOf(const TraceEvent& event) const {
    const Json where = calls_.value("where", Json::object());
    for (const auto& [field, value] : where.items()) {
      if (event.data.value(field, Json()) != value) return "";
    }
    const std::string name = nameOf(event);
    if (!calls_.contains("functions")) return name;
    const Json* const function = functionNamed(name);
    return function == nullptr ? "" : wordOf(*function, "f");
  }
  /// What it was asked with.
  Json argument(const TraceEvent& event) const {
    if (!calls_.contains("functions")) return event.data.value(word("name"), Json());
    Json values = Json::array();
    for (const Json& field : functionNamed(nameOf(event))->value("takes", Json::array())) {
      if (field.is_string()) values.push_back(event.data.value(field.get<std::string>(), Json()));
    }
    return values.empty() ? Json() : values.size() == 1 ? values.front() : values;
  }
  /// What it returned, if it was done.
  Json returned(const TraceEvent& event, const Json& argument) const {
    if (!calls_.contains("functions"))
      return {{"asked", argument}, {"result", event.data.value(word("result"), Json())}};
    const Json* const function = functionNamed(nameOf(event));
    const std::string gives = function == nullptr ? "" : wordOf(*function, "gives");
    return gives.empty() ? argument : event.data.value(gives, Json());
  }
  /// ok, fail or info, and the outcome itself if it is not ok.
  std::pair<std::string, std::string> endOf(const TraceEvent& event) const {
    const Json* at = &event.data;
    const std::string path = word("outcome");
    for (std::size_t from = 0; at != nullptr && from <= path.size();) {
      const std::size_t end = std::min(path.find('.', from), path.size());
      const auto found = at->is_object() ? at->find(path.substr(from, end - from)) : at->end();
      at = at->is_object() && found != at->end() ? &*found : nullptr;
      from = end + 1;
    }
    const std::string outcome = at != nullptr && at->is_string() ? at->get<std::string>() : "";
    if (outcome == word("done")) return {"ok", ""};
    const Json unknown = calls_.value("unknown", Json::array());
    const bool known = std::find(unknown.begin(), unknown.end(), Json(outcome)) == unknown.end();
    return {known ? "fail" : "info", outcome};
  }

 private:
  std::string word(const char* key) const { return wordOf(calls_, key); }
  /// The operation's name: a word, or the first key of what is asked.
  std::string nameOf(const TraceEvent& event) const {
    const auto field = event.data.find(word("name"));
    if (field == event.data.end()) return "";
    if (field->is_object()) return field->empty() ? "" : field->begin().key();
    return field->is_string() ? field->get<std::string>() : "";
  }
  const Json* functionNamed(const std::string& name) const {
    const auto found = calls_["functions"].find(name);
    return found == calls_["functions"].end() || !found->is_object() ? nullptr : &*found;
  }

  Json calls_ = Json::object();
};

/// The processes that clients are, one for each operation that a client has at a time. Numbered in the order
/// in which they are first used.
class Processes {
 public:
  std::int64_t begin(std::int64_t client) {
    std::set<std::int64_t>& idle = idle_[client];
    if (idle.empty()) return next_++;
    return idle.extract(idle.begin()).value();
  }
  void end(std::int64_t client, std::int64_t process) { idle_[client].insert(process); }

 private:
  std::map<std::int64_t, std::set<std::int64_t>> idle_;  ///< of each client, those without an operation
  std::int64_t next_ = 0;
};

std::vector<Entry> historyOf(const Trace& trace, const LadderOptions& options) {
  if (options.from || options.to)
    throw InputError("", std::nullopt, "a history is of a whole run: a part of it cannot be judged",
                     "leave out --from and --to");
  const Calls calls(trace.header);
  Processes processes;
  struct Open {
    std::string function;
    Json argument;
    std::int64_t process = 0;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, Open> open;  ///< by client and number
  std::vector<Entry> entries;
  for (const TraceEvent& event : trace.events) {
    const bool asked = event.kind == "asked";
    if (!calls.any() || !event.node || !event.data.is_object() || (!asked && event.kind != "answered"))
      continue;
    if (!options.nodes.empty() && !options.nodes.contains(*event.node)) continue;
    const auto number = calls.numberOf(event);
    if (!number) continue;
    const std::pair key{*event.node, *number};
    if (asked) {
      Open call{calls.functionOf(event), {}};
      if (call.function.empty()) continue;
      call.argument = calls.argument(event);
      call.process = processes.begin(*event.node);
      entries.push_back(
          {"invoke", call.function, call.argument, *event.node, call.process, nanosecondsOf(event)});
      open[key] = std::move(call);
    } else if (const auto call = open.find(key); call != open.end()) {
      const auto [type, error] = calls.endOf(event);
      const Open& begun = call->second;
      entries.push_back({type, begun.function,
                         type == "ok" ? calls.returned(event, begun.argument) : begun.argument, *event.node,
                         begun.process, nanosecondsOf(event), error});
      if (type != "info") processes.end(*event.node, begun.process);
      open.erase(call);
    }
  }
  if (entries.empty())
    throw nothingToWrite("the trace has no requests of clients", "a scenario's `clients` make requests");
  return entries;
}

bool isKeyword(const std::string& key) {
  return !key.empty() &&
         std::all_of(key.begin(), key.end(),
                     [](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                              c == '_' || c == '-';
                     }) &&
         !(key.front() >= '0' && key.front() <= '9') && key.front() != '-';
}

/// Strings are escaped as in JSON, which Clojure's reader also knows.
std::string edn(const Json& value) {
  std::string text;
  switch (value.type()) {
    case Json::value_t::null: return "nil";
    case Json::value_t::array:
      for (const Json& element : value) text += (text.empty() ? "" : " ") + edn(element);
      return "[" + text + "]";
    case Json::value_t::object:
      for (const auto& [key, element] : value.items()) {
        text +=
            (text.empty() ? "" : ", ") + (isKeyword(key) ? ":" + key : edn(Json(key))) + " " + edn(element);
      }
      return "{" + text + "}";
    default: return onOneLine(value);
  }
}

}  // namespace

std::string toEdn(const Trace& trace, const LadderOptions& options) {
  std::string text = "[";
  std::size_t index = 0;
  for (const Entry& entry : historyOf(trace, options)) {
    text += (index == 0 ? "{:index " : "\n {:index ") + std::to_string(index) + ", :time " +
            std::to_string(entry.nanoseconds) + ", :type :" + entry.type + ", :process " +
            std::to_string(entry.process) + ", :client " + std::to_string(entry.client) + ", :f " +
            (isKeyword(entry.function) ? ":" + entry.function : edn(Json(entry.function))) + ", :value " +
            edn(entry.value) + (entry.error.empty() ? "" : ", :error " + edn(Json(entry.error))) + "}";
    ++index;
  }
  return text + "]\n";
}

std::string toHistoryJson(const Trace& trace, const LadderOptions& options) {
  std::string text;
  std::size_t index = 0;
  for (const Entry& entry : historyOf(trace, options)) {
    Json line{{"index", index++},         {"time", entry.nanoseconds}, {"type", entry.type},
              {"process", entry.process}, {"client", entry.client},    {"f", entry.function},
              {"value", entry.value}};
    if (!entry.error.empty()) line["error"] = entry.error;
    text += (text.empty() ? "" : ",\n") + onOneLine(line);
  }
  return "{\"format\":\"zablab-history\",\"version\":1,\"title\":" + onOneLine(Json(runTitle(trace))) +
         ",\"operations\":[\n" + text + "\n]}\n";
}

}  // namespace zablab::viz
