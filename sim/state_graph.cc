#include "sim/state_graph.h"

#include "sim/json_reflect.h"

namespace zablab {
namespace {

constexpr std::int64_t graph_version = 1;

struct StateGraphFile : StateGraph {
  std::string format;
  std::int64_t version = 0;
  static constexpr std::array required{"format", "version", "model", "states", "actions"};
};
BOOST_DESCRIBE_STRUCT(StateGraphFile, (StateGraph), (format, version))

template <class List>
void addGraphLines(std::string& out, const char* key, const List& list) {
  out += ",\n\"" + std::string(key) + "\":[";
  const char* separator = "\n";
  for (const auto& element : list) {
    Json line = toJson(element);
    for (const char* lesser : {"messages", "effects", "violates"}) {
      if (line.contains(lesser) && line[lesser].empty()) line.erase(lesser);
    }
    out += separator + onOneLine(line);
    separator = ",\n";
  }
  out += list.empty() ? "]" : "\n]";
}

void checkGraphFormat(const JsonValue& file) {
  const JsonValue* const format = file.find("format");
  const char* const hint = "`zablab check MODEL --graph FILE` writes one";
  if (format == nullptr) throw file.error("this is not a graph of states: it has no `format`", hint);
  if (format->kind() != JsonValue::Kind::string || format->asString() != state_graph_format)
    throw format->error(
        "this is not a graph of states: its `format` must be \"" + std::string(state_graph_format) + "\"",
        hint);
  const JsonValue* const version = file.find("version");
  if (version != nullptr && version->asInt64() != graph_version)
    throw version->error("this is version " + std::to_string(version->asInt64()) + " of the format of graphs",
                         "this program reads version " + std::to_string(graph_version) + " only");
}

void checkGraph(const JsonValue& file, const StateGraph& graph) {
  if (graph.states.empty()) throw file.find("states")->error("a graph has at least the initial state");
  std::vector<bool> met(graph.states.size(), false);
  met.front() = true;
  for (std::size_t i = 0; i < graph.actions.size(); ++i) {
    const GraphAction& action = graph.actions[i];
    const JsonValue& place = file.find("actions")->elements()[i];
    for (const auto& [key, state] : {std::pair{"from", action.from}, {"to", action.to}}) {
      if (state >= graph.states.size())
        throw place.find(key)->error("there is no state " + std::to_string(state));
    }
    if (action.from < action.to) met[action.to] = true;
  }
  for (std::size_t i = 0; i < met.size(); ++i) {
    if (!met[i])
      throw file.find("states")->elements()[i].error("no action leads from an earlier state to state " +
                                                     std::to_string(i));
  }
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < graph.path.size(); ++i) {
    const JsonValue& place = file.find("path")->elements()[i];
    if (graph.path[i] >= graph.actions.size())
      throw place.error("there is no action " + std::to_string(graph.path[i]));
    const GraphAction& action = graph.actions[graph.path[i]];
    if (action.from != at)
      throw place.error("the path is at state " + std::to_string(at) + ", and action " +
                        std::to_string(graph.path[i]) + " begins at state " + std::to_string(action.from));
    at = action.to;
  }
}

}  // namespace

std::string stateGraphText(const StateGraph& graph) {
  std::string out = "{\n\"format\":" + onOneLine(Json(std::string(state_graph_format))) +
                    ",\"version\":" + std::to_string(graph_version);
  const Json all = toJson(graph);
  for (const char* key : {"model", "exhausted", "pruned", "violated", "reached", "path"})
    out += ",\n\"" + std::string(key) + "\":" + onOneLine(all.at(key));
  addGraphLines(out, "states", graph.states);
  addGraphLines(out, "actions", graph.actions);
  return out + "\n}\n";
}

StateGraph readStateGraph(const std::string& file_name, std::string_view text) {
  const JsonValue file = parseJson(file_name, text);
  checkGraphFormat(file);
  StateGraph graph = read<StateGraphFile>(file);
  checkGraph(file, graph);
  return graph;
}

}  // namespace zablab
