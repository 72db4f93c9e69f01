#include "viz/export/itf.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "viz/export/exported.h"

namespace zablab::viz {
namespace {

constexpr int itf_name_columns_max = 60;

Json itfInteger(const std::string& digits) { return Json::object({{"#bigint", digits}}); }
Json itfInteger(std::int64_t value) { return itfInteger(std::to_string(value)); }

/// The number that a text is, if it is one without a needless sign or zero.
std::optional<std::int64_t> wholeNumber(const std::string& text) {
  const std::size_t digits = text.starts_with('-') ? 1 : 0;
  if (text.size() == digits || text.size() > 18 + digits) return std::nullopt;
  if (text[digits] == '0' && text.size() > 1) return std::nullopt;
  if (text.find_first_not_of("0123456789", digits) != std::string::npos) return std::nullopt;
  return std::stoll(text);
}

/// Whether readers take this for the name of a field. A name that begins with # is a form of the format, and
/// one that begins with __ or is `tag` has a meaning of its own in Quint.
bool isFieldName(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && !digit(name[0]) && name != "tag" && !name.starts_with("__") &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || digit(c); });
}

Json itfValue(const Json& value);

/// An object whose keys are numbers or no names of fields.
Json itfMap(const Json& object) {
  bool numbers = true;
  for (const auto& [key, value] : object.items()) numbers = numbers && wholeNumber(key).has_value();
  std::map<std::pair<std::int64_t, std::string>, Json>
      sorted;  // the order must not depend on the state's past
  for (const auto& [key, value] : object.items()) {
    if (value.is_null()) continue;
    const std::int64_t number = numbers ? *wholeNumber(key) : 0;
    sorted[{number, key}] = Json::array({numbers ? itfInteger(number) : Json(key), itfValue(value)});
  }
  Json pairs = Json::array();
  for (auto& [key, pair] : sorted) pairs.push_back(std::move(pair));
  return Json::object({{"#map", std::move(pairs)}});
}

/// The format has no null: a field without a value is absent.
Json itfValue(const Json& value) {
  if (value.is_boolean() || value.is_string()) return value;
  if (value.is_number_integer()) return itfInteger(value.dump());
  if (value.is_array()) {
    Json list = Json::array();
    for (const Json& element : value) list.push_back(itfValue(element));
    return list;
  }
  if (!value.is_object()) return Json::object({{"#unserializable", value.dump()}});
  bool record = !value.empty();
  for (const auto& [key, member] : value.items()) record = record && isFieldName(key);
  if (!record) return itfMap(value);
  Json result = Json::object();
  for (const auto& [key, member] : value.items()) {
    if (!member.is_null()) result[key] = itfValue(member);
  }
  if (result.empty()) return itfMap(value);  // readers know no empty record
  return result;
}

Json someOf(Json value) { return Json::object({{"tag", "Some"}, {"value", std::move(value)}}); }
Json none() { return Json::object({{"tag", "None"}, {"value", Json::object({{"tag", "UNIT"}})}}); }

class StatesWriter {
 public:
  StatesWriter(const Trace& trace, const LadderOptions& options, std::size_t bytes_max)
      : trace_(trace),
        options_(options),
        bytes_max_(bytes_max),
        exported_(trace, options),
        story_(exported_.story()) {}

  std::string write() {
    nameNodes();
    nameVariables();
    for (const Step& step : story_.steps) {
      if (retells(step)) continue;
      const std::size_t first = step.events.front();
      if (first >= story_.window_end) break;
      if (first >= story_.window_begin && states_ == 0) addState(nullptr, first);
      for (const std::size_t position : step.events) take(position);
      if (first < story_.window_begin) continue;
      if (!shows(step)) {
        ++hidden_steps_;
        continue;
      }
      if (cut_at_ || text_.size() > bytes_max_) {
        cut_at_ = std::min(cut_at_.value_or(first), first);
        ++cut_steps_;
        continue;
      }
      addState(&step, first);
    }
    if (states_ < 2) {
      throw nothingToWrite("the trace has no such steps", "--kinds, --nodes, --from and --to choose steps");
    }
    return "{\"#meta\":" + onOneLine(about()) + ",\n\"vars\":" + onOneLine(variables_) + ",\n\"states\":[\n" +
           text_ + "\n]}\n";
  }

 private:
  bool shows(const Step& step) const {
    return options_.kinds.empty() ||
           std::any_of(step.events.begin(), step.events.end(), [&](std::size_t position) {
             return options_.kinds.contains(trace_.events[position].kind);
           });
  }

  void nameNodes() {
    std::set<std::string> used;
    for (const Lane& lane : story_.lanes) {
      std::string name = elideColumns(lane.name, itf_name_columns_max);
      while (!used.insert(name).second) name += "." + std::to_string(lane.node);
      names_.push_back(name);
    }
    values_.resize(names_.size(), Json::object());
    written_.resize(names_.size());
  }

  /// The variables of the whole trace: they are the same in each window.
  void nameVariables() {
    variables_ =
        Json::array({"step", "time_ms", "event", "messages", "mbt::actionTaken", "mbt::nondetPicks"});
    const auto add = [&](const std::string& field) {
      if (fields_.contains(field)) return;
      const auto taken = [&](const std::string& name) {
        return std::find(variables_.begin(), variables_.end(), name) != variables_.end();
      };
      std::string name = isFieldName(field) && !taken(field) ? field : "state::" + clean(field);
      while (taken(name)) name += "'";
      fields_[field] = name;
      variables_.push_back(name);
    };
    for (const TraceEvent& event : trace_.events) {
      if (!event.node || !story_.lane_of.contains(*event.node)) continue;
      for (const std::string& field : changedFields(event)) add(field);
    }
  }

  /// Brings the state up to date with an event.
  void take(std::size_t position) {
    const TraceEvent& event = trace_.events[position];
    if (const Message* const message = exported_.message(position)) {
      if (message->sent == position && message->from >= 0 && message->to >= 0)
        under_way_.insert(message->number);
      if (message->end == position) under_way_.erase(message->number);
    }
    if (!event.node || !story_.lane_of.contains(*event.node) || !hasChanges(event)) return;
    const auto lane = static_cast<std::size_t>(story_.lane_of.at(*event.node));
    Json& state = values_[lane];
    applyChanges(state, event);
    for (const std::string& field : changedFields(event)) written_[lane].erase(field);
  }

  /// The value of a node's field as text; what has not changed is not converted again.
  const std::string& written(std::size_t lane, const std::string& field) {
    const auto [found, added] = written_[lane].try_emplace(field);
    if (added) found->second = onOneLine(itfValue(values_[lane].at(field)));
    return found->second;
  }

  std::string messagesUnderWay() const {
    std::string pairs;
    for (const std::uint64_t number : under_way_) {
      const Message& message = story_.messages[story_.message_of.at(number)];
      const Json record = {{"from", message.from_name},
                           {"to", message.to_name},
                           {"type", message.type},
                           {"label", message.label}};
      pairs += (pairs.empty() ? "[" : ",[") + onOneLine(itfInteger(std::to_string(number))) + "," +
               onOneLine(record) + "]";
    }
    return "{\"#map\":[" + pairs + "]}";
  }

  /// `step`: null for the state before the first one.
  void addState(const Step* step, std::size_t first) {
    const TraceEvent& event = trace_.events[first];
    Json about = {{"index", states_}};
    Json picks = {{"node", none()}, {"message", none()}, {"timer", none()}};
    std::string words;
    if (step != nullptr) {
      about["events"] = step->events;
      std::string told = step->text.empty() ? exported_.words(first) : step->text;
      about["description"] = std::move(told);
      addVerdicts(*step, about);
      if (step->lane >= 0) picks["node"] = someOf(names_[static_cast<std::size_t>(step->lane)]);
      if (const Message* const message = exported_.message(first))
        picks["message"] = someOf(itfInteger(std::to_string(message->number)));
      const std::string timer = wordOf(event.data, "timer");
      if (!timer.empty()) picks["timer"] = someOf(timer);
    }
    const std::int64_t time = step != nullptr || first == 0 ? event.time : trace_.events[first - 1].time;
    const std::string kind = step == nullptr ? "init" : clean(event.kind);
    std::string line = "{\"#meta\":" + onOneLine(about);
    const auto add = [&](const std::string& name, const std::string& value) {
      line += "," + onOneLine(Json(name)) + ":" + value;
    };
    add("step", onOneLine(itfInteger(step == nullptr ? -1 : static_cast<std::int64_t>(first))));
    add("time_ms", onOneLine(itfInteger(time)));
    add("event", onOneLine(Json(kind)));
    add("messages", messagesUnderWay());
    add("mbt::actionTaken", onOneLine(Json(kind)));
    add("mbt::nondetPicks", onOneLine(picks));
    for (const auto& [field, variable] : fields_) {
      std::string pairs;
      for (std::size_t lane = 0; lane < names_.size(); ++lane) {
        if (!values_[lane].contains(field) || values_[lane].at(field).is_null()) continue;
        pairs +=
            (pairs.empty() ? "[" : ",[") + onOneLine(Json(names_[lane])) + "," + written(lane, field) + "]";
      }
      add(variable, "{\"#map\":[" + pairs + "]}");
    }
    text_ += (states_ == 0 ? "" : ",\n") + line + "}";
    ++states_;
  }

  /// What was violated or failed at the step.
  void addVerdicts(const Step& step, Json& about) const {
    for (const std::size_t position : step.events) {
      const auto [first, last] = exported_.brokenVerdicts().equal_range(position);
      for (auto one = first; one != last; ++one)
        about[one->second->verdict].push_back(clean(one->second->name));
    }
  }

  Json about() const {
    // Messages are in `messages` whether or not a picture would draw them.
    std::vector<std::string> left_out = exported_.windowPhrases();
    if (hidden_steps_ > 0)
      left_out.push_back(std::to_string(hidden_steps_) + " steps without events of these kinds (--kinds)");
    if (cut_at_) {
      left_out.push_back(std::to_string(cut_steps_) +
                         " steps, because the file would become too large: the rest begins with --from " +
                         std::to_string(*cut_at_));
    }
    left_out.push_back("contents of messages");
    Json verdicts = Json::array();
    for (const TraceVerdict& verdict : trace_.verdicts)
      verdicts.push_back({{"name", verdict.name}, {"kind", verdict.kind}, {"verdict", verdict.verdict}});
    const bool violated = std::any_of(trace_.verdicts.begin(), trace_.verdicts.end(),
                                      [](const TraceVerdict& one) { return one.verdict == "violated"; });
    return {{"format", "ITF"},
            {"format-description", "https://apalache-mc.org/docs/adr/015adr-trace.html"},
            {"source", runTitle(trace_)},
            {"status", violated ? "violation" : "ok"},
            {"description", "Created by zablab: " + joined(runPhrases(trace_), ", ") +
                                "; left out: " + joined(left_out, ", ")},
            {"answer", answerPhrases(trace_)},
            {"verdicts", verdicts}};
  }

  const Trace& trace_;
  const LadderOptions& options_;
  const std::size_t bytes_max_;
  const Exported exported_;
  const Story& story_;
  std::vector<std::string> names_;  ///< of the nodes, by lane
  Json variables_;
  std::map<std::string, std::string> fields_;                ///< the variable of each field of a node's state
  std::vector<Json> values_;                                 ///< the states, by lane
  std::vector<std::map<std::string, std::string>> written_;  ///< their fields' values as text
  std::set<std::uint64_t> under_way_;
  std::string text_;
  std::size_t states_ = 0, hidden_steps_ = 0, cut_steps_ = 0;
  std::optional<std::size_t> cut_at_;
};

}  // namespace

std::string toItf(const Trace& trace, const LadderOptions& options, std::size_t bytes_max) {
  return StatesWriter(trace, options, bytes_max).write();
}

}  // namespace zablab::viz
