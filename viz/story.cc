#include "viz/story.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace zablab::viz {
namespace {

constexpr std::size_t fold_row_messages_min = 4;

bool isOneOf(const std::string& kind, std::initializer_list<const char*> kinds) {
  return std::any_of(kinds.begin(), kinds.end(), [&](const char* other) { return kind == other; });
}

bool isMessageKind(const std::string& kind) {
  return isOneOf(kind, {"sent", "transmitted", "delivered", "lost"});
}

bool isDivider(const std::string& kind) { return isOneOf(kind, {"cut", "healed", "held", "released"}); }

class Teller {
 public:
  Teller(const Trace& trace, const LadderOptions& options) : trace_(trace), options_(options) {}

  Story tell() {
    story_.book = options_.book;
    readLanes();
    readWindow();
    readAbsences();
    readStandings();
    readMilestones();
    readMessages();
    readSteps();
    chooseMessages();
    foldHeartbeats();
    chooseSteps();
    addFolds();
    addStates();
    findConcerned();
    addVerdicts();
    linkSteps();
    return std::move(story_);
  }

 private:
  bool shows(const std::string& kind) const {
    return options_.kinds.empty() || options_.kinds.contains(kind);
  }
  bool inWindow(std::size_t position) const {
    return position >= story_.window_begin && position < story_.window_end;
  }

  void readLanes() {
    if (!trace_.header.is_object() || !trace_.header.contains("nodes")) return;
    for (const Json& entry : trace_.header["nodes"]) {
      if (!entry.is_object()) continue;
      const std::optional<std::int64_t> id = numberOf(entry, "id");
      if (!id || story_.names.contains(*id)) continue;
      std::string name = wordOf(entry, "name");
      if (name.empty()) name = std::to_string(*id);
      story_.names[*id] = name;
      const Lane lane{*id, std::move(name), wordOf(entry, "kind")};
      if (lane.isClient()) story_.clients.insert(*id);
      if (!options_.nodes.empty() && !options_.nodes.contains(*id)) continue;
      story_.lane_of[*id] = static_cast<int>(story_.lanes.size());
      story_.lanes.push_back(lane);
    }
  }

  bool before(std::size_t position, const Bound& bound) const {
    const TraceEvent& event = trace_.events[position];
    return bound.unit == Bound::Unit::event ? static_cast<std::int64_t>(event.index) < bound.value
                                            : event.time < bound.value;
  }

  bool after(std::size_t position, const Bound& bound) const {
    const TraceEvent& event = trace_.events[position];
    return bound.unit == Bound::Unit::event ? static_cast<std::int64_t>(event.index) > bound.value
                                            : event.time > bound.value;
  }

  void readWindow() {
    std::size_t begin = 0, end = trace_.events.size();
    while (options_.from && begin < end && before(begin, *options_.from)) ++begin;
    while (options_.to && end > begin && after(end - 1, *options_.to)) --end;
    story_.window_begin = begin;
    story_.window_end = end;
    story_.left_out.events_before = static_cast<int>(begin);
    story_.left_out.events_after = static_cast<int>(trace_.events.size() - end);
  }

  /// Servers that do not run at any time of the window.
  void readAbsences() {
    std::set<int> ever, running;  ///< when the window begins, or later in it
    for (std::size_t position = 0; position < story_.window_end; ++position) {
      const TraceEvent& event = trace_.events[position];
      if (event.kind == "started") {
        ever.insert(lane(event.node));
        running.insert(lane(event.node));
      } else if (event.kind == "stopped" && !inWindow(position)) {
        running.erase(lane(event.node));
      }
    }
    for (int at = 0; at < static_cast<int>(story_.lanes.size()); ++at) {
      Lane& server = story_.lanes[static_cast<std::size_t>(at)];
      if (server.isClient() || server.kind == "scripted" || running.contains(at)) continue;
      server.absence = ever.contains(at) ? "down" : "not started";
    }
  }

  /// The tones of one of the header's maps.
  std::map<std::string, Tone> tones(const char* key) const {
    static const std::map<std::string, Tone> known = {
        {"seeking", Tone::seeking},     {"leading", Tone::leading}, {"following", Tone::following},
        {"observing", Tone::observing}, {"syncing", Tone::syncing}, {"down", Tone::down}};
    std::map<std::string, Tone> result;
    if (!trace_.header.is_object() || !trace_.header.contains(key) || !trace_.header[key].is_object())
      return result;
    for (const auto& [word, tone] : trace_.header[key].items()) {
      const auto found = tone.is_string() ? known.find(tone.get<std::string>()) : known.end();
      result[clean(word)] = found == known.end() ? Tone::other : found->second;
    }
    return result;
  }

  /// The role that an event gives its node, if it does: as itself says, or as the header's `turns` do.
  static std::string roleAfter(const TraceEvent& event, const Json& turns) {
    if (event.kind == "role") return wordOf(event.data, "to");
    for (const Json& turn : turns) {
      if (turn.is_object() && turn.contains("event") && fits(turn["event"], event))
        return wordOf(turn, "role");
    }
    return {};
  }
  /// Whether the event is of the pattern's kind, and its data have the pattern's other members.
  static bool fits(const Json& pattern, const TraceEvent& event) {
    if (!pattern.is_object() || wordOf(pattern, "kind") != event.kind) return false;
    for (const auto& [key, value] : pattern.items()) {
      if (key != "kind" && (!event.data.is_object() || !event.data.contains(key) || event.data[key] != value))
        return false;
    }
    return true;
  }

  /// Every role is shown, a phase only if it changes the appearance of the lifeline, and not where elections
  /// are all that is drawn.
  void readStandings() {
    const std::map<std::string, Tone> roles = tones("roles"), phases = tones("phases");
    const Json turns =
        trace_.header.is_object() ? trace_.header.value("turns", Json::array()) : Json::array();
    std::map<std::int64_t, Standing> present;
    seeking_.resize(trace_.events.size());
    const auto seeks = [&](const TraceEvent& event) {
      const auto standing = event.node ? present.find(*event.node) : present.end();
      return standing != present.end() && standing->second.role_tone == Tone::seeking;
    };
    for (std::size_t position = 0; position < trace_.events.size(); ++position) {
      const TraceEvent& event = trace_.events[position];
      seeking_[position] = seeks(event);
      if (event.node && (event.kind == "started" || event.kind == "stopped")) present.erase(*event.node);
      const std::string turned = roleAfter(event, turns);
      const bool of_role = event.kind == "role" || !turned.empty();
      if (!event.node || (!of_role && (event.kind != "phase" || options_.view == View::election))) continue;
      Standing& standing = present[*event.node];
      Standing next;
      next.role = of_role ? turned : wordOf(event.data, "role");
      if (next.role.empty()) next.role = standing.role;
      const auto role = roles.find(next.role);
      next.role_tone = next.tone = role == roles.end() ? Tone::other : role->second;
      const auto phase = phases.find(wordOf(event.data, "phase"));
      if (phase != phases.end() && options_.view != View::election) {
        next.phase = phase->first;
        next.tone = phase->second;
      }
      if (of_role || next != standing) story_.turns[position] = {next, of_role || next.role != standing.role};
      standing = std::move(next);
      if (seeks(event)) seeking_[position] = true;
    }
    for (const auto& [node, standing] : present) {
      if (standing.role_tone == Tone::seeking) seeking_at_end_.insert(node);
    }
  }

  bool whole() const { return options_.detail == Detail::full && options_.view == View::ladder; }

  /// The words in one of the header's lists.
  std::set<std::string> listed(const char* key) const {
    std::set<std::string> words;
    if (!trace_.header.is_object() || !trace_.header.contains(key)) return words;
    for (const Json& word : trace_.header[key]) {
      if (word.is_string()) words.insert(clean(word.get<std::string>()));
    }
    return words;
  }

  void readMilestones() {
    if (!whole()) story_.narrations_per_row = 12;
    milestones_ = listed("milestones");
    state_rows_ = listed("state_rows");
    for (const TraceVerdict& verdict : trace_.verdicts) {
      if (verdict.verdict == "violated" && verdict.event && *verdict.event < trace_.events.size())
        story_.violated[static_cast<std::size_t>(*verdict.event)].push_back(clean(verdict.name));
    }
    std::map<std::int64_t, std::string> quorums;  ///< the caption of each node's last
    for (std::size_t position = 0; position < trace_.events.size(); ++position) {
      const TraceEvent& event = trace_.events[position];
      const Json* picture = pictureOf(event);
      if (picture == nullptr || !shows(event.kind)) continue;
      const std::string caption = wordOf(*picture, "caption");
      bool tells = whole() || (milestones_.contains(event.kind) && statePicture(event) == nullptr);
      if (flagOf(*picture, "quorum")) {
        tells = std::exchange(quorums[*event.node], caption) != caption || tells;
      } else if (statePicture(event) == nullptr) {
        quorums.erase(*event.node);
      }
      if (options_.view == View::log) tells = false;
      if (options_.view == View::election) tells = seeking_[position] && statePicture(event) == nullptr;
      if (tells) story_.boxes.insert(position);
    }
  }

  int lane(const std::optional<std::int64_t>& node) const {
    const auto found = node ? story_.lane_of.find(*node) : story_.lane_of.end();
    return found == story_.lane_of.end() ? -1 : found->second;
  }

  void setEnds(Message& message, std::optional<std::int64_t> from, std::optional<std::int64_t> to) const {
    if (from && message.from_name.empty()) {
      message.from_name = story_.name(*from);
      message.from = lane(from);
    }
    if (to && message.to_name.empty()) {
      message.to_name = story_.name(*to);
      message.to = lane(to);
    }
    if (from && to) message.self = from == to;
  }

  void readMessages() {
    for (std::size_t position = 0; position < trace_.events.size(); ++position) {
      const TraceEvent& event = trace_.events[position];
      if (!isMessageKind(event.kind)) continue;
      const std::optional<std::int64_t> number = numberOf(event.data, "message");
      if (!number) continue;
      const auto key = static_cast<std::uint64_t>(*number);
      const auto [found, added] = story_.message_of.try_emplace(key, story_.messages.size());
      if (added) story_.messages.push_back({key});
      readMessageEvent(story_.messages[found->second], event, position);
    }
  }

  void readMessageEvent(Message& message, const TraceEvent& event, std::size_t position) const {
    if (message.type.empty()) message.type = wordOf(event.data, "type");
    if (message.label.empty()) {
      message.label = wordOf(event.data, "label");
      if (const auto said = event.data.find("label_said"); said != event.data.end() && isSaid(*said))
        message.label_said = *said;
    }
    if (event.kind == "sent" && !message.sent) {
      message.sent = position;
      message.waiting = flagOf(event.data, "waiting");
      message.again = flagOf(event.data, "again");
      message.copy = flagOf(event.data, "copy");
      message.content = wordOf(event.data, "content");
      setEnds(message, event.node, numberOf(event.data, "receiver"));
    } else if (event.kind == "transmitted" && !message.transmitted) {
      message.transmitted = position;
      setEnds(message, event.node, numberOf(event.data, "receiver"));
    } else if (event.kind == "delivered" && !message.end) {
      message.end = position;
      setEnds(message, numberOf(event.data, "from"), event.node);
    } else if (event.kind == "lost" && !message.end) {
      message.end = position;
      message.lost = true;
      message.reason = wordOf(event.data, "reason");
      std::replace(message.reason.begin(), message.reason.end(), '_', ' ');
      setEnds(message, numberOf(event.data, "from"), numberOf(event.data, "receiver"));
    }
  }

  /// The server at whose step a lost message is shown: its sender, if it was lost as soon as it was sent or
  /// before it left.
  int laneOfLoss(const TraceEvent& event) const {
    const std::optional<std::int64_t> number = numberOf(event.data, "message");
    const auto found = story_.message_of.find(static_cast<std::uint64_t>(number.value_or(-1)));
    if (!number || found == story_.message_of.end()) return -1;
    const Message& message = story_.messages[found->second];
    if (message.from < 0 || !message.sent) return -1;
    const bool never_left = message.waiting && !message.transmitted;
    return never_left || trace_.events[*message.sent].time == event.time ? message.from : -1;
  }

  /// In a story, messages that arrive at a server together are one step, unless something of this instant led
  /// to them.
  bool joinsArrivals(const TraceEvent& event) const {
    const Message* const message = event.kind == "delivered" && !whole() ? messageOf(event) : nullptr;
    if (message == nullptr) return false;
    const std::optional<std::size_t> left = message->transmitted ? message->transmitted : message->sent;
    return !left || trace_.events[*left].time < event.time;
  }

  void readSteps() {
    story_.step_of.resize(trace_.events.size());
    std::vector<std::optional<std::size_t>> open(story_.lanes.size());
    for (std::size_t position = 0; position < trace_.events.size(); ++position) {
      const TraceEvent& event = trace_.events[position];
      int at = lane(event.node);
      if (event.node && at < 0) continue;
      const bool loss = event.kind == "lost";
      if (loss) at = laneOfLoss(event);
      std::optional<std::size_t>* const current = at < 0 ? nullptr : &open[static_cast<std::size_t>(at)];
      const bool joins = current != nullptr && current->has_value() &&
                         (!beginsStep(event.kind) || joinsArrivals(event)) &&
                         story_.steps[**current].time == event.time &&
                         inWindow(story_.steps[**current].events.front()) == inWindow(position);
      if (!joins) {
        Step step;
        step.lane = loss ? -1 : at;
        step.kind = step.lane >= 0          ? Step::Kind::server
                    : isDivider(event.kind) ? Step::Kind::divider
                    : event.kind == "note"  ? Step::Kind::note
                                            : Step::Kind::network;
        step.time = event.time;
        step.of_start = event.kind == "started" && event.time == trace_.events.front().time;
        if (current != nullptr && !loss) *current = story_.steps.size();
        story_.step_of[position] = story_.steps.size();
        story_.steps.push_back(std::move(step));
      } else {
        story_.step_of[position] = *current;
      }
      story_.steps[*story_.step_of[position]].events.push_back(position);
    }
  }

  void chooseMessages() {
    LeftOut& left_out = story_.left_out;
    for (Message& message : story_.messages) {
      const std::size_t first = message.sent.value_or(message.transmitted.value_or(message.end.value_or(0)));
      const std::size_t last = message.end.value_or(trace_.events.size());
      const bool passed = last < story_.window_begin || first >= story_.window_end;
      const bool across = first < story_.window_begin && last >= story_.window_end;
      const bool hidden_kind = !shows("sent") && !(message.lost ? shows("lost") : shows("delivered"));
      message.drawn = false;
      if (passed) continue;
      if (message.from < 0 || message.to < 0) {
        ++left_out.of_hidden_servers;
      } else if (hidden_kind) {
        ++left_out.of_hidden_kinds;
      } else if (message.self && !options_.self_messages) {
        ++left_out.to_self;
      } else if (across) {
        ++left_out.across_window;
      } else {
        message.drawn = true;
      }
    }
  }

  const Message* messageOf(const TraceEvent& event) const {
    if (!isMessageKind(event.kind)) return nullptr;
    const std::optional<std::int64_t> number = numberOf(event.data, "message");
    const auto found = story_.message_of.find(static_cast<std::uint64_t>(number.value_or(-1)));
    return number && found != story_.message_of.end() ? &story_.messages[found->second] : nullptr;
  }

  /// Whether something of the step would be drawn if there were no heartbeats.
  bool isSubstantial(const Step& step, const std::set<std::string>& heartbeats) const {
    return std::any_of(step.events.begin(), step.events.end(), [&](std::size_t position) {
      const TraceEvent& event = trace_.events[position];
      if (story_.changesLifeline(trace_, position) || story_.boxes.contains(position)) return true;
      if (const Message* message = messageOf(event))
        return message->drawn && !heartbeats.contains(message->type);
      return narrates(position) && event.kind != "timer";
    });
  }

  /// Whether the event's text is told.
  bool narrates(std::size_t position) const {
    const TraceEvent& event = trace_.events[position];
    if (event.text.empty() || !shows(event.kind)) return false;
    if (isOneOf(event.kind, {"held", "released"}))
      return whole();  // the scenario's means, not part of its story
    if (event.node && options_.view == View::log) return false;
    if (event.node && options_.view == View::election) return seeking_[position] && event.kind != "timer";
    return whole() || !event.node || milestones_.contains(event.kind);
  }

  void fold(Message& message) {
    message.drawn = false;
    message.folded = true;
    ++story_.left_out.heartbeats;
    if (message.lost) ++story_.left_out.heartbeats_lost;
    story_.left_out.heartbeat_types.insert(message.type);
  }

  /// In a story what a server sends to another again, and the types that the header says to fold there; in an
  /// outline all.
  void foldForDetail() {
    if (whole()) return;
    const std::set<std::string> types = listed("folded_in_stories");
    std::set<std::tuple<int, int, std::string, std::string>> told;
    for (Message& message : story_.messages) {
      if (!message.drawn) continue;
      const bool again = !message.label.empty() &&
                         !told.emplace(message.from, message.to, message.type, message.label).second;
      if (again || options_.detail == Detail::outline || options_.view != View::ladder ||
          types.contains(message.type))
        fold(message);
    }
  }

  void foldHeartbeats() {
    foldForDetail();
    if (!options_.fold_heartbeats) return;
    std::set<std::string> types = options_.heartbeats;
    types.merge(listed("heartbeats"));
    if (types.empty()) return;
    std::vector<bool> substantial;
    for (const Step& step : story_.steps) substantial.push_back(isSubstantial(step, types));
    const auto stands = [&](const std::optional<std::size_t>& position) {
      return position && story_.step_of[*position] && substantial[*story_.step_of[*position]];
    };
    for (Message& message : story_.messages) {
      if (!message.drawn || !types.contains(message.type)) continue;
      if (stands(message.end) || (stands(message.sent) && !message.lost)) continue;
      fold(message);
    }
  }

  void chooseSteps() {
    for (Step& step : story_.steps) {
      if (!inWindow(step.events.front())) continue;
      bool folded = false, words = false, timer_words = false;
      for (const std::size_t position : step.events) {
        const TraceEvent& event = trace_.events[position];
        const Message* message = messageOf(event);
        if (story_.changesLifeline(trace_, position) || story_.boxes.contains(position) ||
            story_.violated.contains(position) || (message != nullptr && message->drawn))
          step.visible = true;
        const bool instrument = isOneOf(event.kind, {"held", "released"});
        if (isDivider(event.kind) && shows(event.kind) && (whole() || !instrument)) step.visible = true;
        if (message != nullptr && message->folded) folded = true;
        if (message != nullptr || !narrates(position)) continue;
        story_.narrated.insert(position);
        (event.kind == "timer" ? timer_words : words) = true;
      }
      if (words || (timer_words && !folded)) step.visible = true;
      if (step.visible) step.text = narration(step);
    }
  }

  /// Texts that say the same of several nodes become one: "B sends C, D DIFF 1.3" of two.
  void joinSame(std::vector<std::string>& texts) const {
    std::vector<std::string> joined;
    std::vector<std::pair<std::string, std::string>> ends;  ///< of each that names a node, around its name
    for (std::string& text : texts) {
      std::string name;
      std::pair<std::string, std::string> around;
      std::size_t first_at = text.size();
      for (const auto& [node, candidate] : story_.names) {
        const std::size_t at = text.find(' ' + candidate + ' ');
        if (at >= first_at) continue;
        first_at = at;
        name = candidate;
        around = {text.substr(0, at), text.substr(at + candidate.size() + 2)};
      }
      const auto same = name.empty() ? ends.end() : std::find(ends.begin(), ends.end(), around);
      if (same == ends.end()) {
        joined.push_back(std::move(text));
        ends.push_back(std::move(around));
      } else {
        std::string& first = joined[static_cast<std::size_t>(same - ends.begin())];
        first.insert(first.size() - around.second.size() - 1, ", " + name);
      }
    }
    texts = std::move(joined);
  }

  /// The step's texts; those of mere sends and deliveries only if there is nothing else to show.
  std::string narration(const Step& step) const {
    std::vector<std::string> telling, passing;
    for (const std::size_t position : step.events) {
      const TraceEvent& event = trace_.events[position];
      const Message* message = messageOf(event);
      if (message == nullptr ? !narrates(position) : !whole() || !message->drawn || !shows(event.kind))
        continue;
      std::vector<std::string>& list = message != nullptr && !message->lost ? passing : telling;
      std::string text = clean(event.text);
      if (text.find_first_not_of(' ') == std::string::npos) continue;
      if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
    }
    std::vector<std::string>& list = telling.empty() ? passing : telling;
    if (!whole()) joinSame(list);
    std::string result;
    for (const std::string& text : list) result += (result.empty() ? "" : "; ") + text;
    return result;
  }

  struct Fold {
    Step step;
    std::size_t before = 0;  ///< the step above which it is placed
    std::size_t messages = 0, lost = 0;
    std::set<std::string> types;
  };

  void closeFold(std::optional<Fold>& fold, std::vector<Fold>& folds) const {
    if (fold && fold->messages >= fold_row_messages_min) folds.push_back(std::move(*fold));
    fold.reset();
  }

  void addFolds() {
    if (story_.left_out.heartbeats == 0 || !whole()) return;  // a story's are counted in the subtitle alone
    std::vector<Fold> folds;
    std::optional<Fold> fold;
    for (std::size_t i = 0; i < story_.steps.size(); ++i) {
      const Step& step = story_.steps[i];
      if (step.visible) closeFold(fold, folds);
      for (const std::size_t position : step.events) {
        const Message* message = messageOf(trace_.events[position]);
        if (message == nullptr || !message->folded || !inWindow(position)) continue;
        if (message->end == position && message->lost && fold) ++fold->lost;
        if (message->sent != position) continue;
        if (!fold) {
          fold.emplace();
          fold->before = i + (step.visible ? 1 : 0);
          fold->step.time = step.time;
        }
        fold->step.events.push_back(position);
        ++fold->messages;
        fold->types.insert(message->type);
      }
    }
    closeFold(fold, folds);
    insertFolds(std::move(folds));
  }

  void insertFolds(std::vector<Fold> folds) {
    std::vector<std::pair<std::size_t, std::vector<Step>>> groups;
    for (Fold& fold : folds) {
      std::string types;
      for (const std::string& type : fold.types) types += (types.empty() ? "" : ", ") + type;
      fold.step.kind = Step::Kind::fold;
      fold.step.visible = true;
      fold.step.text = std::to_string(fold.messages) + " × " + types + " folded";
      if (fold.lost > 0) fold.step.text += " (" + std::to_string(fold.lost) + " lost)";
      groups.emplace_back(fold.before, std::vector<Step>{std::move(fold.step)});
    }
    insert(std::move(groups));
  }

  /// The picture of the server's own state, if that is what the event shows.
  const Json* statePicture(const TraceEvent& event) const {
    const Json* const picture = pictureOf(event);
    const std::string caption = wordOf(trace_.header, "state_picture");
    return picture != nullptr && !caption.empty() && wordOf(*picture, "caption") == caption ? picture
                                                                                            : nullptr;
  }

  /// A number of a server's state that the header says to show beside it, as it is now: of several fields the
  /// different values, as in `1/2`.
  class StateNumbers {
   public:
    explicit StateNumbers(const Json& header) {
      const auto given = header.is_object() ? header.find("state_numbers") : header.end();
      if (!header.is_object() || given == header.end() || !given->is_object()) return;
      label_ = wordOf(*given, "label");
      const auto fields = given->find("fields");
      if (fields == given->end() || !fields->is_array()) return;
      for (const Json& field : *fields) {
        const std::string path = field.is_string() ? field.get<std::string>() : "";
        const std::size_t dot = path.find('.');
        if (dot != std::string::npos) fields_.emplace_back(path.substr(0, dot), path.substr(dot + 1));
      }
    }

    void read(int lane, const TraceEvent& event) {
      for (std::size_t i = 0; i < fields_.size(); ++i) {
        for (const Json* const changed : {&event.changes, &event.entries}) {
          if (!changed->is_object()) continue;
          const auto object = changed->find(fields_[i].first);
          if (object == changed->end()) continue;
          if (const std::optional<std::int64_t> number = numberOf(*object, fields_[i].second.c_str()))
            numbers_[lane][i] = *number;
        }
      }
    }

    /// Their captions, if servers differ in them or one has changed since the last row that was drawn.
    std::map<int, std::string> captions() {
      std::map<int, std::string> all;
      bool matters = false;
      for (const auto& [lane, numbers] : numbers_) {
        std::string words;
        std::set<std::int64_t> told;
        for (const auto& [field, number] : numbers) {
          if (told.insert(number).second) words += (words.empty() ? "" : "/") + std::to_string(number);
        }
        all[lane] = label_ + " " + words;
        matters = matters || all[lane] != all.begin()->second;
      }
      matters = matters || (!drawn_.empty() && drawn_ != all);
      drawn_ = all;
      return matters ? all : std::map<int, std::string>();
    }

   private:
    std::string label_;
    std::vector<std::pair<std::string, std::string>> fields_;
    std::map<int, std::map<std::size_t, std::int64_t>> numbers_;
    std::map<int, std::string> drawn_;
  };

  /// After a crash, after the kinds of events that the header names, and at the end, one row with the states
  /// of all servers that run and of those that have just crashed.
  void addStates() {
    if (whole() || options_.view == View::election) return;
    std::map<int, Json> states, shown;
    StateNumbers numbers(trace_.header);
    std::set<int> down, crashed;           ///< before the last row, and since then
    std::optional<std::size_t> due, last;  ///< positions of the events after which a row stands
    std::vector<std::pair<std::size_t, std::vector<Step>>> rows;
    const auto close = [&](std::size_t before) {
      if (!due) return;
      std::vector<Step> steps;
      const std::map<int, std::string> captions =
          states == shown ? std::map<int, std::string>() : numbers.captions();
      for (const auto& [at, picture] : states) {
        if (down.contains(at) || states == shown) continue;
        Step step;
        step.kind = Step::Kind::state;
        step.lane = at;
        step.events = {*due};
        step.time = trace_.events[*due].time;
        step.visible = true;
        step.picture = picture;
        if (captions.contains(at)) step.picture["caption"] = captions.at(at);
        steps.push_back(std::move(step));
      }
      if (!steps.empty()) rows.emplace_back(before, std::move(steps));
      shown = states;
      down.insert(crashed.begin(), crashed.end());
      due.reset();
    };
    for (std::size_t i = 0; i < story_.steps.size(); ++i) {
      const Step& step = story_.steps[i];
      const bool waits = step.visible || options_.view == View::log;
      if (due && waits && step.time > trace_.events[*due].time) close(i);
      for (const std::size_t position : step.events) {
        const TraceEvent& event = trace_.events[position];
        const int at = lane(event.node);
        if (at < 0 || position >= story_.window_end) continue;
        numbers.read(at, event);
        const Json* const picture = statePicture(event);
        const bool changed = picture != nullptr && states[at] != *picture;
        if (picture != nullptr) states[at] = *picture;
        if (event.kind == "stopped") crashed.insert(at);
        if (event.kind == "started") {
          crashed.erase(at);
          down.erase(at);
        }
        if (!inWindow(position)) continue;
        if (step.visible) last = position;
        if (event.kind == "stopped" || state_rows_.contains(event.kind)) due = position;
        if (changed && options_.view == View::log) due = position;
      }
    }
    if (!due) due = last;
    close(story_.steps.size());
    insert(std::move(rows));
    addVotesAtEnd();
  }

  /// The ballot boxes of the servers that have not found a leader when the run ends.
  void addVotesAtEnd() {
    if (options_.view != View::ladder || story_.window_end < trace_.events.size()) return;
    std::map<int, std::size_t> boxes;
    for (std::size_t position = 0; position < trace_.events.size(); ++position) {
      const TraceEvent& event = trace_.events[position];
      const int at = lane(event.node);
      if (at < 0 || !seeking_at_end_.contains(*event.node)) continue;
      if (event.kind == "stopped" || story_.turns.contains(position)) boxes.erase(at);
      if (pictureOf(event) != nullptr && statePicture(event) == nullptr) boxes[at] = position;
    }
    for (const auto& [at, position] : boxes) {
      const Json& box = *pictureOf(trace_.events[position]);
      if (story_.boxes.contains(position)) continue;  // already drawn
      Step step;
      step.kind = Step::Kind::state;
      step.lane = at;
      step.events = {trace_.events.size() - 1};
      step.time = trace_.events.back().time;
      step.visible = true;
      step.picture = box;
      if (!flagOf(box, "quorum")) step.picture["caption"] = "no quorum";
      story_.steps.push_back(std::move(step));
    }
  }

  /// Inserts steps before those with these indexes, which ascend.
  void insert(std::vector<std::pair<std::size_t, std::vector<Step>>> groups) {
    std::vector<Step> steps;
    std::size_t next = 0;
    for (std::size_t i = 0; i <= story_.steps.size(); ++i) {
      for (; next < groups.size() && groups[next].first == i; ++next) {
        for (Step& step : groups[next].second) steps.push_back(std::move(step));
      }
      if (i < story_.steps.size()) steps.push_back(std::move(story_.steps[i]));
    }
    story_.steps = std::move(steps);
    for (std::size_t i = 0; i < story_.steps.size(); ++i) {
      const Step::Kind kind = story_.steps[i].kind;
      if (kind == Step::Kind::fold || kind == Step::Kind::state) continue;
      for (const std::size_t position : story_.steps[i].events) story_.step_of[position] = i;
    }
  }

  /// What was violated or failed is shown where it was decided.
  void addVerdicts() {
    for (const TraceVerdict& verdict : trace_.verdicts) {
      if (verdict.verdict != "violated" && verdict.verdict != "failed") continue;
      if (!verdict.event || *verdict.event >= trace_.events.size() || !inWindow(*verdict.event)) continue;
      const auto after = std::find_if(story_.steps.begin(), story_.steps.end(),
                                      [&](const Step& step) { return step.events.front() > *verdict.event; });
      Step step;
      step.kind = Step::Kind::verdict;
      step.visible = true;
      step.events = {static_cast<std::size_t>(*verdict.event)};
      step.time = trace_.events[*verdict.event].time;
      step.text = clean(verdict.name + " " + story_.book->word(verdict.verdict) +
                        (verdict.text.empty() ? "" : ": " + verdict.text));
      const auto at = static_cast<std::size_t>(after - story_.steps.begin());
      story_.steps.insert(after, std::move(step));
      for (std::optional<std::size_t>& other : story_.step_of) {
        if (other && *other >= at) ++*other;
      }
    }
  }

  /// Whether it says this in one of its cells, or in its caption.
  static bool says(const Json& picture, const std::string& text) {
    if (wordOf(picture, "caption") == text) return true;
    for (const Json& cell : picture["cells"]) {
      if (cell.is_object() ? wordOf(cell, "text") == text : cell == text) return true;
    }
    return false;
  }

  /// Where pictures show what a violation is about: the logs as they were last drawn up to the end of its
  /// step, its server's ballot box, and the rows of all servers' states before and after it.
  void findConcerned() {
    for (const TraceVerdict& verdict : trace_.verdicts) {
      if (verdict.verdict != "violated" || verdict.about.empty() || !verdict.event ||
          *verdict.event >= trace_.events.size())
        continue;
      const auto at = static_cast<std::size_t>(*verdict.event);
      const std::size_t last = story_.step_of[at] ? story_.steps[*story_.step_of[at]].events.back() : at;
      std::map<std::int64_t, std::size_t> logs;
      std::optional<std::size_t> box;
      for (std::size_t position = 0; position <= last; ++position) {
        const TraceEvent& event = trace_.events[position];
        if (event.node && statePicture(event) != nullptr) {
          logs[*event.node] = position;
        } else if (event.node == trace_.events[at].node && pictureOf(event) != nullptr) {
          box = position;
        }
      }
      const auto note = [&](std::size_t position) {
        if (says(*pictureOf(trace_.events[position]), verdict.about))
          story_.concerned[position].insert(verdict.about);
      };
      for (const auto& [node, position] : logs) note(position);
      if (box) note(*box);
      std::optional<std::size_t> before;
      for (const Step& step : story_.steps) {
        if (step.kind != Step::Kind::state) continue;
        const std::size_t row = step.events.front();
        if (row >= at) {
          story_.concerned_states[row].insert(verdict.about);
          break;
        }
        before = row;
      }
      if (before) story_.concerned_states[*before].insert(verdict.about);
    }
  }

  void linkSteps() {
    for (std::size_t i = 0; i < story_.steps.size(); ++i) {
      Step& step = story_.steps[i];
      const auto link = [&](const std::optional<std::size_t>& position) {
        if (!position || *position >= story_.step_of.size()) return;
        const std::optional<std::size_t> other = story_.step_of[*position];
        if (other && *other < i) step.after.push_back(*other);
      };
      if (step.kind == Step::Kind::verdict) link(step.events.front());
      if (step.kind == Step::Kind::verdict || step.kind == Step::Kind::fold || step.kind == Step::Kind::state)
        continue;
      for (const std::size_t position : step.events) {
        const TraceEvent& event = trace_.events[position];
        if (event.cause && event.kind != "lost") link(static_cast<std::size_t>(*event.cause));
        const Message* message = messageOf(event);
        if (message == nullptr || message->end != position) continue;
        link(message->sent);
        link(message->transmitted);
      }
    }
  }

  const Trace& trace_;
  const LadderOptions& options_;
  std::set<std::string> milestones_, state_rows_;  ///< kinds of events
  std::vector<bool>
      seeking_;  ///< by position: whether the event's server looks for a leader, before or after
  std::set<std::int64_t> seeking_at_end_;  ///< nodes
  Story story_;
};

}  // namespace

std::string Story::name(std::int64_t node) const {
  const auto found = names.find(node);
  return found == names.end() ? std::to_string(node) : found->second;
}

std::string Story::title(std::int64_t node) const {
  return lanes[static_cast<std::size_t>(lane_of.at(node))].title();
}

bool beginsStep(const std::string& kind) {
  return isOneOf(kind, {"started", "stopped", "paused", "resumed", "wiped", "set", "delivered", "timer",
                        "connected", "refused", "closed", "synced"});
}

std::string wordOf(const Json& data, const char* key) {
  if (!data.is_object() || !data.contains(key)) return "";
  const Json& value = data[key];
  if (value.is_null()) return "";
  if (value.is_string()) return clean(value.get_ref<const std::string&>());
  return clean(onOneLine(value));
}

std::optional<std::int64_t> numberOf(const Json& data, const char* key) {
  if (!data.is_object() || !data.contains(key) || !data[key].is_number_integer()) return std::nullopt;
  return data[key].get<std::int64_t>();
}

bool flagOf(const Json& data, const char* key) {
  return data.is_object() && data.contains(key) && data[key].is_boolean() && data[key].get<bool>();
}

const Json* pictureOf(const TraceEvent& event) {
  if (!event.node || !event.data.is_object() || !event.data.contains("picture")) return nullptr;
  const Json& picture = event.data["picture"];
  return picture.is_object() && picture.contains("cells") && picture["cells"].is_array() ? &picture : nullptr;
}

std::string textsIn(const Json& header, const char* key) {
  if (!header.is_object() || !header.contains(key) || !header[key].is_array()) return wordOf(header, key);
  std::string result;
  for (const Json& entry : header[key]) {
    const bool named = entry.is_object() && entry.contains("name");
    const std::string word = named               ? wordOf(entry, "name")
                             : entry.is_string() ? clean(entry.get_ref<const std::string&>())
                                                 : clean(onOneLine(entry));
    result += (result.empty() ? "" : ", ") + word;
  }
  return result;
}

std::vector<std::string> resultOf(const Trace& trace, const PhraseBook& book) {
  std::vector<std::string> sentences;
  if (!trace.header.is_object() || !trace.header.contains("answer")) return sentences;
  const Json& answer = trace.header["answer"];
  if (!answer.is_array()) return sentences;
  const Json said = trace.header.value("answer_said", Json());
  for (std::size_t i = 0; i < answer.size(); ++i) {
    if (!answer[i].is_string()) continue;
    const bool has_said = said.is_array() && i < said.size() && isSaid(said[i]);
    std::string words =
        clean(book.said(has_said ? said[i] : Json(), answer[i].get_ref<const std::string&>()));
    if (words.find_first_not_of(' ') != std::string::npos) sentences.push_back(std::move(words));
  }
  return sentences;
}

std::size_t eventsInCommon(const Trace& one, const Trace& other) {
  const auto same = [](const TraceEvent& a, const TraceEvent& b) {
    return a.time == b.time && a.node == b.node && a.kind == b.kind && a.data == b.data;
  };
  const std::size_t shared = std::min(one.events.size(), other.events.size());
  std::size_t count = 0;
  while (count < shared && same(one.events[count], other.events[count])) ++count;
  return count;
}

namespace {

/// What a picture shows, one after the other, each with the first event of its step. Where its messages end
/// up is shown by later steps. Steps of one node at one time are the same as one step.
std::vector<std::pair<Json, std::size_t>> shownBy(const Trace& trace, const Story& story) {
  std::vector<std::pair<Json, std::size_t>> all;
  Json place;
  for (const Step& step : story.steps) {
    if (!step.visible) continue;
    const auto add = [&](Json item) { all.emplace_back(std::move(item), step.events.front()); };
    const Json here{static_cast<int>(step.kind), step.lane, step.time};
    if (here != place) add(here);
    place = here;
    if (!step.text.empty()) add(step.text);
    if (!step.picture.is_null()) add(step.picture);
    for (const std::size_t position : step.events) {
      const TraceEvent& event = trace.events[position];
      const auto turn = story.turns.find(position);
      if (turn != story.turns.end()) add({turn->second.to.role, turn->second.to.phase});
      if (story.boxes.contains(position)) add(*pictureOf(event));
      const auto violated = story.violated.find(position);
      if (violated != story.violated.end()) add(violated->second);
      const std::optional<std::int64_t> number = numberOf(event.data, "message");
      if (!number) continue;
      const auto found = story.message_of.find(static_cast<std::uint64_t>(*number));
      if (found == story.message_of.end() || !story.messages[found->second].drawn) continue;
      const Message& message = story.messages[found->second];
      add({event.kind, nameOf(message), message.from, message.to});
    }
  }
  return all;
}

}  // namespace

std::pair<std::size_t, std::size_t> firstDifferenceDrawn(const Trace& one, const Trace& other,
                                                         const LadderOptions& options) {
  const auto first = shownBy(one, tell(one, options)), second = shownBy(other, tell(other, options));
  std::size_t at = 0;
  while (at < first.size() && at < second.size() && first[at].first == second[at].first) ++at;
  return {at < first.size() ? first[at].second : one.events.size(),
          at < second.size() ? second[at].second : other.events.size()};
}

std::string nameOf(const Message& message) {
  if (!message.label.empty()) return message.label;
  return message.type.empty() ? "message " + std::to_string(message.number) : message.type;
}

std::string messageWords(const Message& message, const std::string& kind) {
  const std::string name = nameOf(message);
  if (kind == "lost") {
    return name + " from " + message.from_name + " to " + message.to_name + " is lost" +
           (message.reason.empty() ? "" : ": " + message.reason);
  }
  if (kind == "delivered") return "receives " + name + " from " + message.from_name;
  if (kind == "transmitted") return name + " leaves for " + message.to_name;
  return "sends " + name + " to " + message.to_name + (message.waiting ? ", waiting for a connection" : "") +
         (message.again ? ", again" : "") + (message.copy ? ", duplicated by the network" : "");
}

bool Story::changesLifeline(const Trace& trace, std::size_t position) const {
  return turns.contains(position) ||
         isOneOf(trace.events[position].kind,
                 {"started", "stopped", "paused", "resumed", "wiped", "set", "write_failed"});
}

Story tell(const Trace& trace, const LadderOptions& options) { return Teller(trace, options).tell(); }

Story outlineOf(const Trace& trace) {
  LadderOptions options;
  options.detail = Detail::outline;
  return tell(trace, options);
}

}  // namespace zablab::viz
