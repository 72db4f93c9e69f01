#include "sim/trace.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <map>
#include <ostream>
#include <utility>

#include "sim/json_reflect.h"
#include "sim/phrase.h"
#include "sim/plain_json.h"
#include "sim/state_graph.h"

namespace zablab {

namespace {

constexpr std::string_view format_name = "zablab-trace";
constexpr std::int64_t format_version = 4;
constexpr std::int64_t oldest_version = 2;  ///< that is read, too

bool isRead(const Json& version) {
  return version.is_number_integer() && version >= oldest_version && version <= format_version;
}

/// What precedes the trace itself in the file. Reading checks it.
struct FormatName {};
struct FormatVersion {};

struct FileHead {
  FormatName format;
  FormatVersion version;
};
BOOST_DESCRIBE_STRUCT(FileHead, (), (format, version))

/// The whole file, in the order of its keys.
struct TraceFile : FileHead, Trace {
  static constexpr std::array required{"format",  "version", "header",  "scenario",
                                       "choices", "events",  "verdicts"};
};
BOOST_DESCRIBE_STRUCT(TraceFile, (FileHead, Trace), ())

Json constant(const Json& value) {
  Json schema = Json::object();
  schema["const"] = value;
  return schema;
}

template <class List, class ToLine>
void writeLines(std::string& out, const List& list, ToLine to_line) {
  out += '[';
  const char* separator = "\n";
  for (const auto& element : list) {
    out += separator + onOneLine(to_line(element));
    separator = ",\n";
  }
  out += list.empty() ? "]" : "\n]";
}

void dropEmpty(Json& object, const char* key) {
  if (object.at(key).empty() || object.at(key) == "") object.erase(key);
}

/// The file with places; parsed when an error needs it.
class Places {
 public:
  Places(const std::string& file_name, std::string_view text) : file_name_(file_name), text_(text) {}
  const JsonValue& file() {
    if (!file_) file_ = parseJson(file_name_, text_);
    return *file_;
  }
  const JsonValue& at(std::string_view key) { return *file().find(key); }
  const JsonValue& at(std::string_view list, std::size_t i) { return at(list).elements()[i]; }
  const JsonValue& at(std::string_view list, std::size_t i, std::string_view key) {
    return *at(list, i).find(key);
  }

 private:
  const std::string& file_name_;
  std::string_view text_;
  std::optional<JsonValue> file_;
};

void checkChoices(const Json& choices, Places& places) {
  if (!choices.is_array()) places.at("choices").elements();
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i].is_array() && choices[i].size() == 2 && choices[i][0].is_string()) continue;
    json_detail::requireCount(places.at("choices", i), 2);
    places.at("choices", i).elements()[0].asString();
  }
}

template <class Place>
void checkSaid(const Json& said, const Place& place) {
  if (said.is_null() || isSaid(said)) return;
  throw place().error(
      "`said` is an array of a pattern and its parts, each of which is a text or such an array");
}

void checkEvents(const std::vector<TraceEvent>& events, Places& places) {
  std::int64_t now = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const TraceEvent& event = events[i];
    const auto place = [&](std::string_view key) -> const JsonValue& { return places.at("events", i, key); };
    const auto isObject = [](const Json& value) { return value.is_object(); };
    const auto isArray = [](const Json& value) { return value.is_array(); };
    if (!event.data.is_object()) place("data").members();
    if (!event.changes.is_object()) place("changes").members();
    if (!event.appended.is_object() || !std::all_of(event.appended.begin(), event.appended.end(), isArray)) {
      for (const JsonValue& added : place("appended").members()) added.elements();
    }
    if (!event.entries.is_object() || !std::all_of(event.entries.begin(), event.entries.end(), isObject)) {
      for (const JsonValue& changed : place("entries").members()) changed.members();
    }
    if (event.index != i) {
      throw place("index").error("`index` must be " + std::to_string(i) + ", found " +
                                 std::to_string(event.index) + ": events are numbered from 0");
    }
    if (event.time < now) {
      throw place("time").error("time goes back from " + std::to_string(now) + " to " +
                                std::to_string(event.time));
    }
    if (event.cause && *event.cause >= i) {
      throw place("cause").error("the cause " + std::to_string(*event.cause) +
                                 " is not an earlier event than " + std::to_string(i));
    }
    if (event.kind.empty()) throw place("kind").error("`kind` must not be empty");
    checkSaid(event.said, [&]() -> const JsonValue& { return place("said"); });
    now = event.time;
  }
}

void checkVerdicts(const Trace& trace, Places& places) {
  for (std::size_t i = 0; i < trace.verdicts.size(); ++i) {
    const std::optional<std::uint64_t>& event = trace.verdicts[i].event;
    checkSaid(trace.verdicts[i].said, [&]() -> const JsonValue& { return places.at("verdicts", i, "said"); });
    if (event && *event >= trace.events.size()) {
      throw places.at("verdicts", i, "event").error("there is no event " + std::to_string(*event));
    }
  }
}

void checkWhy(const Trace& trace, Places& places) {
  for (std::size_t i = 0; i < trace.why.size(); ++i) {
    for (const Why::Event& line : trace.why[i].events) {
      if (line.event >= trace.events.size())
        throw places.at("why", i, "events").error("there is no event " + std::to_string(line.event));
    }
  }
}

const Json* atPath(const Json& state, const std::string& path) {
  const Json* at = &state;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t dot = std::min(path.find('.', begin), path.size());
    if (!at->is_object()) return nullptr;
    const auto found = at->find(path.substr(begin, dot - begin));
    if (found == at->end()) return nullptr;
    at = &*found;
    begin = dot + 1;
  }
  return at;
}

}  // namespace

template <>
struct JsonCodec<FormatName> {
  static Json write(const FormatName&) { return std::string(format_name); }
  static FormatName read(const JsonValue& value) {
    if (value.kind() == JsonValue::Kind::string && value.asString() == format_name) return {};
    const bool of_states = value.kind() == JsonValue::Kind::string && value.asString() == state_graph_format;
    throw value.error("this is not a trace: its `format` must be \"" + std::string(format_name) + "\"",
                      of_states ? "`zablab render FILE --view statespace` draws a graph of states" : "");
  }
  static Json schema() { return constant(std::string(format_name)); }
};

template <>
struct JsonCodec<FormatVersion> {
  static Json write(const FormatVersion&) { return format_version; }
  static FormatVersion read(const JsonValue& value) {
    const std::int64_t version = value.asInt64();
    if (isRead(version)) return {};
    throw value.error("this is version " + std::to_string(version) + " of the trace format",
                      "this program reads version " + std::to_string(oldest_version) + " to version " +
                          std::to_string(format_version) +
                          (version > format_version ? "; a newer one wrote the file" : ""));
  }
  static Json schema() {
    return {{"type", "integer"}, {"minimum", oldest_version}, {"maximum", format_version}};
  }
};

bool hasChanges(const TraceEvent& event) {
  return !event.changes.empty() || !event.appended.empty() || !event.entries.empty();
}

Json& memberAt(Json& object, const std::string& path) {
  Json* at = &object;
  std::size_t from = 0;
  while (!path.empty() && from <= path.size() && (at->is_object() || at->is_null())) {
    const std::size_t dot = std::min(path.find('.', from), path.size());
    at = &(*at)[path.substr(from, dot - from)];
    from = dot + 1;
  }
  return *at;
}

std::set<std::string> changedFields(const TraceEvent& event) {
  std::set<std::string> fields;
  for (const Json* const changed : {&event.changes, &event.entries, &event.appended}) {
    for (const auto& [path, value] : changed->items()) fields.insert(path.substr(0, path.find('.')));
  }
  return fields;
}

void applyChanges(Json& state, const TraceEvent& event) {
  const auto put = [](Json& object, const Json& values) {
    for (const auto& [key, value] : values.items()) {
      if (value.is_null()) {
        object.erase(key);
      } else {
        object[key] = value;
      }
    }
  };
  put(state, event.changes);
  for (const auto& [path, entries] : event.entries.items()) {
    Json& members = memberAt(state, path);
    if (members.is_null()) members = Json::object();
    if (members.is_object()) put(members, entries);  // otherwise the file was made by another program
  }
  for (const auto& [path, elements] : event.appended.items()) {
    Json& list = memberAt(state, path);
    if (list.is_null()) list = Json::array();
    if (!list.is_array()) continue;  // the file was made by another program
    for (const Json& element : elements) list.push_back(element);
  }
}

void writeChangesAs(const std::vector<TraceEvent>& others, std::vector<TraceEvent>& events) {
  std::map<ServerId, Json> states, other_states;
  for (std::size_t i = 0; i < std::min(events.size(), others.size()); ++i) {
    TraceEvent& event = events[i];
    const TraceEvent& other = others[i];
    if (!event.node || event.node != other.node) continue;
    applyChanges(states[*event.node], event);
    applyChanges(other_states[*other.node], other);
    const bool alike =
        event.changes == other.changes && event.entries == other.entries && event.appended == other.appended;
    if (alike || !sameValues(states[*event.node], other_states[*other.node])) continue;
    event.changes = other.changes;
    event.entries = other.entries;
    event.appended = other.appended;
  }
}

std::string traceText(const Trace& trace) {
  std::string out;
  const auto itself = [](const Json& json) -> const Json& { return json; };
  out += "{\n\"format\":" + onOneLine(toJson(FormatName())) +
         ",\"version\":" + onOneLine(toJson(FormatVersion())) + ",\n\"header\":" + onOneLine(trace.header) +
         ",\n\"scenario\":" + onOneLine(trace.scenario) + ",\n\"choices\":";
  writeLines(out, trace.choices, itself);
  out += ",\n\"events\":";
  writeLines(out, trace.events, [](const TraceEvent& event) {
    Json line = toJson(event);
    dropEmpty(line, "changes");
    dropEmpty(line, "appended");
    dropEmpty(line, "entries");
    dropEmpty(line, "text");
    dropEmpty(line, "said");
    return line;
  });
  out += ",\n\"verdicts\":";
  writeLines(out, trace.verdicts, [](const TraceVerdict& verdict) {
    Json line = toJson(verdict);
    dropEmpty(line, "text");
    dropEmpty(line, "said");
    dropEmpty(line, "about");
    return line;
  });
  if (!trace.why.empty()) {
    out += ",\n\"why\":";
    writeLines(out, trace.why, [](const Why& why) { return toJson(why); });
  }
  out += "\n}\n";
  return out;
}

namespace {

/// Moves JSON without places into what it describes. False if read() might refuse it, which then says why.
struct Take {
  static bool into(FormatName&, Json& json) { return json == format_name; }
  static bool into(FormatVersion&, Json& json) { return isRead(json); }
  static bool into(Json& target, Json& json) {
    target = std::move(json);
    return true;
  }
  static bool into(bool& target, Json& json) {
    if (!json.is_boolean()) return false;
    target = json.get<bool>();
    return true;
  }
  static bool into(std::string& target, Json& json) {
    if (!json.is_string()) return false;
    target = std::move(json.get_ref<std::string&>());
    return true;
  }
  static bool into(std::int64_t& target, Json& json) {
    if (!json.is_number_integer() || json.is_number_unsigned()) return false;
    target = json.get<std::int64_t>();
    return true;
  }
  static bool into(std::uint64_t& target, Json& json) {
    if (!json.is_number_unsigned() && !(json.is_number_integer() && json.get<std::int64_t>() >= 0))
      return false;
    target = json.get<std::uint64_t>();
    return true;
  }
  template <class T>
  static bool into(std::optional<T>& target, Json& json) {
    return into(target.emplace(), json);
  }
  template <class T>
  static bool into(std::vector<T>& target, Json& json) {
    if (!json.is_array()) return false;
    target.reserve(json.size());
    return std::all_of(json.begin(), json.end(),
                       [&](Json& element) { return into(target.emplace_back(), element); });
  }
  template <DescribedStruct T>
  static bool into(T& target, Json& json) {
    if (!json.is_object()) return false;
    for (const std::string_view name : T::required) {
      if (!json.contains(name)) return false;
    }
    for (auto& [key, value] : json.get_ref<Json::object_t&>()) {
      bool taken = false;
      forEachField(target, [&, &member = value, &name = key](const char* field_name, auto& field) {
        if (!taken && name == field_name) taken = into(field, member);
      });
      if (!taken) return false;
    }
    return true;
  }
};

std::optional<Trace> readQuickly(std::string_view text) {
  std::optional<Json> json = plainJson(text);
  TraceFile file;
  if (!json || !Take::into(file, *json)) return std::nullopt;
  return std::move(static_cast<Trace&>(file));
}

Trace readWithPlaces(const JsonValue& file) {
  // Checked first: other errors in a file of another format or version are of no interest.
  const JsonValue* format = file.find("format");
  if (format == nullptr) {
    throw file.error("this is not a trace: it has no `format`", "`zablab run FILE --trace T` writes one");
  }
  read<FormatName>(*format);
  if (const JsonValue* version = file.find("version")) read<FormatVersion>(*version);
  return read<TraceFile>(file);
}

}  // namespace

bool saysTrace(const JsonValue& document) {
  const JsonValue* format = document.kind() == JsonValue::Kind::object ? document.find("format") : nullptr;
  return format != nullptr && format->kind() == JsonValue::Kind::string && format->asString() == format_name;
}

Trace readTrace(const std::string& file_name, std::string_view text) {
  Places places(file_name, text);
  std::optional<Trace> trace = readQuickly(text);
  if (!trace) trace = readWithPlaces(places.file());
  if (!trace->header.is_object()) places.at("header").members();
  if (!trace->scenario.is_object()) places.at("scenario").members();
  checkChoices(trace->choices, places);
  checkEvents(trace->events, places);
  checkVerdicts(*trace, places);
  checkWhy(*trace, places);
  return *std::move(trace);
}

std::vector<Fact> factsOf(const Json& header, const Json& state) {
  std::vector<Fact> facts;
  for (const Json& fact : header.value("facts", Json::array())) {
    const Json* const value = atPath(state, fact.at("field").get_ref<const std::string&>());
    if (value == nullptr || value->is_null()) continue;
    facts.push_back({fact.at("name").at("en").get<std::string>(), *value,
                     fact.value("node", false) && value->is_number_integer()});
  }
  return facts;
}

Json traceSchema() {
  Json schema = schemaOf<TraceFile>(std::string(format_name));
  // What the fields' types do not express and the reader checks.
  Json& file = schema["$defs"]["trace"]["properties"];
  file["header"] = file["scenario"] = json_detail::typeSchema("object");
  file["choices"] =
      json_detail::arraySchema(json_detail::tupleSchema({json_detail::typeSchema("string"), Json::object()}));
  Json& event = schema["$defs"]["event"]["properties"];
  event["data"] = event["changes"] = event["appended"] = event["entries"] = json_detail::typeSchema("object");
  event["kind"]["minLength"] = 1;
  const Json said{{"$ref", "#/$defs/said"}};
  event["said"] = schema["$defs"]["verdict"]["properties"]["said"] = said;
  schema["$defs"]["said"] = json_detail::arraySchema({{"anyOf", {json_detail::typeSchema("string"), said}}});
  schema["$defs"]["said"]["minItems"] = 1;
  return schema;
}

}  // namespace zablab
