#include "sim/trace.h"

#include <algorithm>
#include <ostream>

#include "sim/json_reflect.h"

namespace zablab {

namespace {

constexpr std::string_view format_name = "zablab-trace";
constexpr std::int64_t format_version = 2;

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

void requireObject(const JsonValue& parent, std::string_view key) {
  const JsonValue* value = parent.find(key);
  if (value != nullptr) value->members();
}

void checkChoices(const JsonValue& choices) {
  for (const JsonValue& choice : choices.elements()) {
    json_detail::requireCount(choice, 2);
    choice.elements()[0].asString();
  }
}

void checkEvents(const JsonValue& list, const std::vector<TraceEvent>& events) {
  std::int64_t now = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const JsonValue& place = list.elements()[i];
    const TraceEvent& event = events[i];
    requireObject(place, "data");
    requireObject(place, "changes");
    if (const JsonValue* appended = place.find("appended")) {
      for (const JsonValue& added : appended->members()) added.elements();
    }
    if (const JsonValue* entries = place.find("entries")) {
      for (const JsonValue& changed : entries->members()) changed.members();
    }
    if (event.index != i) {
      throw place.find("index")->error("`index` must be " + std::to_string(i) + ", found " +
                                       std::to_string(event.index) + ": events are numbered from 0");
    }
    if (event.time < now) {
      throw place.find("time")->error("time goes back from " + std::to_string(now) + " to " +
                                      std::to_string(event.time));
    }
    if (event.cause && *event.cause >= i) {
      throw place.find("cause")->error("the cause " + std::to_string(*event.cause) +
                                       " is not an earlier event than " + std::to_string(i));
    }
    if (event.kind.empty()) throw place.find("kind")->error("`kind` must not be empty");
    now = event.time;
  }
}

void checkVerdicts(const JsonValue& list, const Trace& trace) {
  for (std::size_t i = 0; i < trace.verdicts.size(); ++i) {
    const std::optional<std::uint64_t>& event = trace.verdicts[i].event;
    if (event && *event >= trace.events.size()) {
      throw list.elements()[i].find("event")->error("there is no event " + std::to_string(*event));
    }
  }
}

}  // namespace

template <>
struct JsonCodec<FormatName> {
  static Json write(const FormatName&) { return std::string(format_name); }
  static FormatName read(const JsonValue& value) {
    if (value.kind() == JsonValue::Kind::string && value.asString() == format_name) return {};
    throw value.error("this is not a trace: its `format` must be \"" + std::string(format_name) + "\"");
  }
  static Json schema() { return constant(std::string(format_name)); }
};

template <>
struct JsonCodec<FormatVersion> {
  static Json write(const FormatVersion&) { return format_version; }
  static FormatVersion read(const JsonValue& value) {
    const std::int64_t version = value.asInt64();
    if (version == format_version) return {};
    throw value.error("this is version " + std::to_string(version) + " of the trace format",
                      "this program reads version " + std::to_string(format_version) +
                          (version > format_version ? " only; a newer one wrote the file" : " only"));
  }
  static Json schema() { return constant(format_version); }
};

bool hasChanges(const TraceEvent& event) {
  return !event.changes.empty() || !event.appended.empty() || !event.entries.empty();
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
  for (const auto& [field, entries] : event.entries.items()) {
    Json& map = state[field];
    if (map.is_null()) map = Json::object();
    if (map.is_object()) put(map, entries);  // otherwise the file was made by another program
  }
  for (const auto& [path, elements] : event.appended.items()) {
    Json* list = &state;
    std::size_t from = 0;
    while (from <= path.size() && list->is_object()) {
      const std::size_t dot = std::min(path.find('.', from), path.size());
      list = &(*list)[path.substr(from, dot - from)];
      from = dot + 1;
    }
    if (list->is_null()) *list = Json::array();
    if (!list->is_array()) continue;  // the file was made by another program
    for (const Json& element : elements) list->push_back(element);
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
    return line;
  });
  out += ",\n\"verdicts\":";
  writeLines(out, trace.verdicts, [](const TraceVerdict& verdict) {
    Json line = toJson(verdict);
    dropEmpty(line, "text");
    return line;
  });
  out += "\n}\n";
  return out;
}

Trace readTrace(const std::string& file_name, std::string_view text) {
  const JsonValue file = parseJson(file_name, text);
  // Checked first: other errors in a file of another format or version are of no interest.
  const JsonValue* format = file.find("format");
  if (format == nullptr) {
    throw file.error("this is not a trace: it has no `format`", "`zablab run FILE --trace T` writes one");
  }
  read<FormatName>(*format);
  if (const JsonValue* version = file.find("version")) read<FormatVersion>(*version);

  Trace trace = read<TraceFile>(file);
  requireObject(file, "header");
  requireObject(file, "scenario");
  checkChoices(*file.find("choices"));
  checkEvents(*file.find("events"), trace.events);
  checkVerdicts(*file.find("verdicts"), trace);
  return trace;
}

std::string withNames(const Trace& trace, const std::string& text) {
  constexpr std::string_view before = "server ";
  std::string result;
  std::size_t from = 0;
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
    const std::size_t first = at + before.size();
    const std::size_t end = std::min(text.find_first_not_of("0123456789", first), text.size());
    const std::string id = text.substr(first, end - first);
    for (const Json& node : trace.header.at("nodes")) {
      const std::string& name = node.at("name").get_ref<const std::string&>();
      if (node.at("id").dump() != id || name == id) continue;
      result += text.substr(from, at - from) + name;
      from = end;
    }
  }
  return result + text.substr(from);
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
  return schema;
}

}  // namespace zablab
