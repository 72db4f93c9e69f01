#include "cli/walked_run.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "checker/expectations.h"
#include "viz/explain.h"
#include "viz/lettering.h"

namespace zablab::cli {
namespace {

/// Lines of a list that is printed at every position; `show` prints the rest.
constexpr std::size_t lines_max = 10;
constexpr std::size_t columns_max = 110;

viz::Story storyOf(const Trace& trace) {
  viz::LadderOptions options;
  options.self_messages = true;
  options.fold_heartbeats = false;
  return viz::tell(trace, options);
}

std::string cutTo(std::string text, std::size_t columns_wanted) {
  if (text.size() <= columns_wanted) return text;
  std::size_t end = columns_wanted - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // within a character
  return text.substr(0, end) + "...";
}

/// A value of a state, short.
std::string shortly(const Json& value) {
  constexpr std::size_t most = 60;
  std::string text = value.is_null()     ? "nothing"
                     : value.is_string() ? value.get<std::string>()
                                         : onOneLine(value);
  return cutTo(viz::clean(text), most);
}

bool isEmpty(const Json& value) {
  return value.is_null() || value == Json(false) || value == Json(0) || value == Json("") ||
         (value.is_structured() && value.empty());
}

/// Adds a line for each value that differs, `path: old -> new`.
void compareStates(const std::string& path, const Json& before, const Json& after,
                   std::vector<std::string>& lines) {
  if (before == after) return;
  if (before.is_object() && after.is_object()) {
    const std::string within = path.empty() ? "" : path + ".";
    static const Json absent;
    for (const auto& [key, value] : after.items())
      compareStates(within + key, before.contains(key) ? before[key] : absent, value, lines);
    for (const auto& [key, value] : before.items()) {
      if (!after.contains(key)) compareStates(within + key, value, absent, lines);
    }
    return;
  }
  if (before.is_null() && isEmpty(after)) return;  // of a process that has just started
  if (before.is_array() && after.is_array() && before.size() < after.size() &&
      std::equal(before.begin(), before.end(), after.begin())) {
    for (std::size_t i = before.size(); i < after.size(); ++i)
      lines.push_back(path + ": + " + shortly(after[i]));
    return;
  }
  lines.push_back(path + ": " + shortly(before) + " -> " + shortly(after));
}

/// The first lines, and how many there are besides.
std::string listed(const std::vector<std::string>& lines, const std::string& more,
                   const std::string& indent = "  ") {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == lines_max && lines.size() > lines_max + 1) {
      return text + indent + "and " + std::to_string(lines.size() - i) + " more" +
             (more.empty() ? "" : ": " + more) + "\n";
    }
    text += indent + cutTo(lines[i], columns_max) + "\n";
  }
  return text;
}

std::string onLines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string section(const std::string& title, const std::string& lines) {
  return lines.empty() ? "" : title + "\n" + lines;
}

std::string eventNumber(std::uint64_t index) {
  const std::string text = std::to_string(index);
  return std::string(6 - std::min<std::size_t>(6, text.size()), ' ') + text + "  ";
}

}  // namespace

WalkedRun::WalkedRun(LoadedScenario scenario)
    : scenario_(std::move(scenario)), outcome_(runScenario(scenario_)), story_(storyOf(outcome_.trace)) {
  readRows();
  readMessages();
}

void WalkedRun::readRows() {
  std::optional<std::int64_t> node;
  for (const TraceEvent& event : trace().events) {
    const auto index = static_cast<std::size_t>(event.index);
    const bool same_instant = !rows_.empty() && rows_.back().time == event.time;
    const bool lost_here =
        event.kind == "lost" && event.cause && same_instant && *event.cause >= rows_.back().first;
    const bool goes_on = node && (lost_here || (event.node == node && !viz::beginsStep(event.kind)));
    if (!same_instant || !(byActions() || goes_on)) {
      rows_.push_back({index, index, event.time});
      node = event.node;
    }
    rows_.back().end = index + 1;
  }
}

void WalkedRun::readMessages() {
  for (const viz::Message& told : story_.messages) {
    if (!told.sent) continue;
    const TraceEvent& sent = trace().events[*told.sent];
    Message message;
    message.number = told.number;
    message.link = viz::wordOf(sent.data, "link");
    message.from = sent.node.value_or(no_server);
    message.to = viz::numberOf(sent.data, "receiver").value_or(no_server);
    message.label = viz::nameOf(told);
    message.content = sent.data.value("content", Json());
    message.sent = *told.sent;
    message.transmitted = told.transmitted;
    message.end = told.end;
    message.waits = told.waiting;
    message.lost = told.lost;
    messages_.push_back(std::move(message));
  }
}

// ---- positions

std::size_t WalkedRun::positionAfter(std::size_t event) const {
  const auto found = std::upper_bound(rows_.begin(), rows_.end(), event,
                                      [](std::size_t index, const Row& row) { return index < row.first; });
  return static_cast<std::size_t>(found - rows_.begin());
}

std::size_t WalkedRun::positionAtTime(Millis time) const {
  const auto found = std::upper_bound(rows_.begin(), rows_.end(), time,
                                      [](Millis when, const Row& row) { return when < row.time; });
  return std::max(firstPosition(), static_cast<std::size_t>(found - rows_.begin()));
}

std::size_t WalkedRun::actionsAt(std::size_t position) const {
  return std::min(scenario_.spec.actions.size(),
                  static_cast<std::size_t>(timeAt(position) / action_every_ms));
}

// ---- nodes and messages

std::optional<ServerId> WalkedRun::nodeNamed(const std::string& word) const {
  ServerId id = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
  if (error == std::errc{} && end == word.data() + word.size() && story_.names.contains(id)) return id;
  for (const auto& [node, name] : story_.names) {
    if (name == word) return node;
  }
  return std::nullopt;
}

std::string WalkedRun::title(ServerId node) const {
  const std::string id = std::to_string(node);
  return name(node) == id ? id : id + " (" + name(node) + ")";
}

std::string WalkedRun::nodeList() const {
  std::string list;
  for (const viz::Lane& lane : story_.lanes) list += (list.empty() ? "" : ", ") + title(lane.node);
  return list;
}

Json WalkedRun::stateAt(std::size_t position, ServerId node) const {
  const std::size_t events = eventsAt(position);
  return events == 0 ? Json{{"up", false}} : stateAfter(trace(), node, events - 1);
}

const WalkedRun::Message* WalkedRun::message(std::uint64_t number) const {
  const auto found = std::find_if(messages_.begin(), messages_.end(),
                                  [&](const Message& one) { return one.number == number; });
  return found == messages_.end() ? nullptr : &*found;
}

bool WalkedRun::inFlight(const Message& message, std::size_t position) const {
  const std::size_t events = eventsAt(position);
  return message.sent < events && (!message.end || *message.end >= events);
}

bool WalkedRun::waits(const Message& message, std::size_t position) const {
  return message.waits && (!message.transmitted || *message.transmitted >= eventsAt(position));
}

std::vector<const WalkedRun::Message*> WalkedRun::inFlightAt(std::size_t position) const {
  std::vector<const Message*> found;
  for (const Message& one : messages_) {
    if (inFlight(one, position)) found.push_back(&one);
  }
  return found;
}

// ---- in words

/// Whether the event says something that the rest of its row does not.
bool WalkedRun::isTold(const TraceEvent& event) const {
  static const std::set<std::string> told{"written", "synced", "timer", "connected", "refused", "closed"};
  return !event.text.empty() || event.data.contains("message") || told.contains(event.kind);
}

std::string WalkedRun::happened(std::size_t position, bool whole) const {
  if (position == 0) return "0 ms, before the first event\n";
  const Row& row = rows_[position - 1];
  std::vector<std::string> lines;
  for (std::size_t i = row.first; i < row.end; ++i) {
    const TraceEvent& event = trace().events[i];
    if (!whole && !isTold(event)) continue;
    std::string line = viz::wordsOf(event, story_);
    const auto number = viz::numberOf(event.data, "message");
    if (!whole) line = cutTo(line, columns_max - 16);
    if (number) line += " (m" + std::to_string(*number) + ")";
    lines.push_back(eventNumber(event.index) + line);
  }
  if (lines.empty())
    lines.push_back(eventNumber(row.first) + viz::wordsOf(trace().events[row.first], story_));
  return std::to_string(row.time) + " ms\n" + (whole ? onLines(lines) : listed(lines, "show events", "")) +
         violations(row.first, row.end);
}

std::string WalkedRun::violations(std::size_t first, std::size_t end) const {
  std::string text;
  for (const TraceVerdict& verdict : trace().verdicts) {
    if (verdict.verdict != "violated" || !verdict.event || *verdict.event < first || *verdict.event >= end)
      continue;
    text += "  violated: " + viz::clean(verdict.name) + ": " + viz::clean(verdict.text) + "\n";
  }
  return text;
}

/// What there is to say about a state first.
Json WalkedRun::firstFields(const Json& state) const {
  std::set<std::string> first{"up", "disk", "role", "phase"};
  for (const Json& fact : trace().header.value("facts", Json::array())) {
    const auto path = fact.at("field").get<std::string>();
    first.insert(path.substr(0, path.find('.')));
  }
  Json fields = Json::object();
  for (const auto& [key, value] : state.items()) {
    if (first.contains(key)) fields[key] = value;
  }
  return fields;
}

std::string WalkedRun::changes(std::size_t position) const {
  if (position == 0) return "";
  const Row& row = rows_[position - 1];
  std::vector<ServerId> changed;
  for (std::size_t i = row.first; i < row.end; ++i) {
    const TraceEvent& event = trace().events[i];
    const bool known = event.node && std::find(changed.begin(), changed.end(), *event.node) != changed.end();
    if (event.node && hasChanges(event) && !known) changed.push_back(*event.node);
  }
  std::string text;
  for (const ServerId node : changed) {
    Json before = stateAt(position - 1, node);
    Json after = stateAt(position, node);
    const bool starts = !before.value("up", false) && after.value("up", false);
    // A process that starts or ends changes with all that it knows.
    if (starts || !after.value("up", true)) {
      before = firstFields(before);
      after = firstFields(after);
    }
    std::vector<std::string> lines;
    compareStates("", before, after, lines);
    text += section("changed at " + name(node), listed(lines, "show " + std::to_string(node)));
  }
  return text;
}

std::string WalkedRun::messageLine(const Message& message, std::size_t position) const {
  return "m" + std::to_string(message.number) + "  " + message.label + "  from " + name(message.from) +
         " to " + name(message.to) + ", " + message.link +
         (waits(message, position) ? ", waiting for a connection" : "");
}

std::string WalkedRun::timers(std::size_t position) const {
  // Only what led to a timer is recorded, so these are the timers that do fire.
  std::vector<std::string> lines;
  const std::size_t events = eventsAt(position);
  for (std::size_t i = events; i < trace().events.size(); ++i) {
    const TraceEvent& event = trace().events[i];
    if (event.kind != "timer" || !event.cause || *event.cause >= events || !event.node) continue;
    lines.push_back(name(*event.node) + ": " + viz::wordOf(event.data, "timer") + " fires in " +
                    std::to_string(event.time - timeAt(position)) + " ms, event " + std::to_string(i));
  }
  return listed(lines, "");
}

std::string WalkedRun::writes(std::size_t position) const {
  std::map<ServerId, std::vector<std::size_t>> unsynced;
  for (std::size_t i = 0; i < eventsAt(position); ++i) {
    const TraceEvent& event = trace().events[i];
    if (!event.node) continue;
    std::vector<std::size_t>& writes = unsynced[*event.node];
    if (event.kind == "written" && !viz::flagOf(event.data, "durable")) writes.push_back(i);
    if (event.kind == "stopped" || event.kind == "write_failed") writes.clear();
    if (event.kind == "synced" && event.cause) std::erase(writes, *event.cause);
  }
  std::vector<std::string> lines;
  for (const auto& [node, writes] : unsynced) {
    for (const std::size_t i : writes) {
      const TraceEvent& event = trace().events[i];
      lines.push_back(name(node) + ": " + viz::wordOf(event.data, "record") + " " +
                      viz::wordOf(event.data, "content"));
    }
  }
  return listed(lines, "");
}

/// Cut directions and messages that are held back.
std::string WalkedRun::obstacles(std::size_t position) const {
  std::vector<std::pair<ServerId, ServerId>> cuts;
  std::vector<Json> holds;
  for (std::size_t i = 0; i < eventsAt(position); ++i) {
    const TraceEvent& event = trace().events[i];
    if (event.kind == "cut" || event.kind == "healed") {
      for (const Json& link : event.data.value("links", Json::array())) {
        const std::pair way{link.at(0).get<ServerId>(), link.at(1).get<ServerId>()};
        std::erase(cuts, way);
        if (event.kind == "cut") cuts.push_back(way);
      }
    } else if (event.kind == "held") {
      holds.push_back(event.data.at("selector"));
    } else if (event.kind == "released") {
      const Json& selector = event.data.at("selector");
      std::erase_if(holds, [&](const Json& hold) {
        return hold.at("link") == selector.at("link") && hold.at("from") == selector.at("from") &&
               hold.at("to") == selector.at("to");
      });
    }
  }
  std::string list;
  for (const auto& [from, to] : cuts) list += (list.empty() ? "" : ", ") + name(from) + " to " + name(to);
  std::string text = list.empty() ? "" : "cut: " + cutTo(list, columns_max) + "\n";
  std::vector<std::string> lines;
  for (const Json& hold : holds)
    lines.push_back("from " + name(hold.at("from").get<ServerId>()) + " to " +
                    name(hold.at("to").get<ServerId>()) + ", " + viz::wordOf(hold, "link") +
                    (hold.contains("message") ? ": " + shortly(hold.at("message")) : ""));
  return text + section("held back", listed(lines, ""));
}

std::string WalkedRun::messages(std::size_t position) const {
  std::vector<std::string> lines;
  for (const Message* one : inFlightAt(position)) lines.push_back(messageLine(*one, position));
  return lines.empty() ? "no message is in flight\n" : onLines(lines);
}

std::string WalkedRun::pending(std::size_t position) const {
  std::vector<std::string> lines;
  for (const Message* one : inFlightAt(position)) lines.push_back(messageLine(*one, position));
  return section("in flight", listed(lines, "show messages")) +
         (byActions() ? "" : section("timers", timers(position))) +
         section("written and not yet durable", writes(position)) + obstacles(position);
}

std::vector<WalkedRun::Node> WalkedRun::nodesAt(std::size_t position) const {
  std::set<ServerId> paused;
  for (std::size_t i = 0; i < eventsAt(position); ++i) {
    const TraceEvent& event = trace().events[i];
    if (!event.node) continue;
    if (event.kind == "paused") paused.insert(*event.node);
    if (event.kind == "resumed" || event.kind == "stopped") paused.erase(*event.node);
  }
  std::vector<Node> nodes;
  for (const viz::Lane& lane : story_.lanes) {
    Json state = stateAt(position, lane.node);
    const bool up = state.value("up", false);
    nodes.push_back({lane.node, lane.kind, std::move(state), up, paused.contains(lane.node)});
  }
  return nodes;
}

std::string WalkedRun::overview(std::size_t position) const {
  std::string text;
  for (const Node& node : nodesAt(position)) {
    text += title(node.id);
    if (node.kind == "scripted") {
      text += "  sends what the scenario says\n";
      continue;
    }
    text += !node.up ? "  down" : node.paused ? "  paused" : "  up";
    if (node.state.contains("role")) text += "  " + viz::wordOf(node.state, "role");
    for (const Fact& fact : factsOf(trace().header, node.state)) {
      text +=
          "  " + fact.name + " " + (fact.of_node ? name(fact.value.get<ServerId>()) : shortly(fact.value));
    }
    text += "\n";
  }
  return text + violations(0, eventsAt(position));
}

std::string WalkedRun::actionWords(const Json& action, std::size_t position) const {
  std::string text = viz::wordOf(action, "do");
  if (action.contains("link")) text += " " + viz::wordOf(action, "link");
  if (action.contains("from") && action.contains("to"))
    text += " " + name(action.at("from").get<ServerId>()) + " to " + name(action.at("to").get<ServerId>());
  if (action.contains("timer")) text += " " + viz::wordOf(action, "timer");
  if (action.contains("server")) text += " at " + name(action.at("server").get<ServerId>());
  static const std::set<std::string> said{"do", "link", "from", "to", "timer", "server"};
  for (const auto& [key, value] : action.items()) {
    if (!said.contains(key) && key != "message") text += ", " + key + " " + shortly(value);
  }
  if (text.starts_with("dial ") || text.starts_with("give_up ") || text.starts_with("disrupt ")) return text;
  for (const Message* one : inFlightAt(position)) {
    const bool named = action.contains("message");
    if (waits(*one, position) || action.value("link", "") != one->link ||
        action.value("from", no_server) != one->from || action.value("to", no_server) != one->to ||
        (named && action.at("message") != one->content))
      continue;
    return text + ": m" + std::to_string(one->number) + " " + one->label;
  }
  return text + (text.starts_with("deliver ") ? ": the end of the connection" : "");
}

std::string WalkedRun::ending() const {
  std::string text = "the run ends at " + viz::wordOf(trace().header, "end") + " ms\n";
  if (trace().header.contains("broken_off"))
    text = "the run was ended: " + viz::wordOf(trace().header, "broken_off") + "\n";
  for (const std::string& sentence : viz::resultOf(trace())) text += "  " + sentence + "\n";
  std::size_t violated = 0;
  for (const TraceVerdict& verdict : trace().verdicts) violated += verdict.verdict == "violated" ? 1 : 0;
  if (violated > 0)
    text += "  " + std::to_string(violated) + (violated == 1 ? " invariant was" : " invariants were") +
            " violated\n";
  return text;
}

}  // namespace zablab::cli
