#include "cli/stepper.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <utility>

#include "checker/protocol.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/overrides.h"
#include "sim/json_reflect.h"

namespace zablab::cli {
namespace {

/// How long a changed run goes on after the change, to see what follows.
constexpr Millis seen_after_ms = 3000;
constexpr std::uint64_t number_max = 1'000'000'000'000;
/// The remark at a position, where a change needs one.
constexpr const char* changed_here = "changed here";
constexpr std::size_t possible_max = 20;  ///< lines of the list that is printed at every position
const std::string from_command = "(this command)";

/// Keys of a scenario that are about the run before it was changed.
constexpr std::array about_the_original{"about",  "expect",  "fails_with", "fails",
                                        "claims", "because", "loop"};

/// The words of steps that name only servers.
const std::vector<std::string>& serverWords() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> found;
    forEachDoing([&]<class T>() {
      using With = decltype(T::with);
      if (std::is_same_v<With, Ids> || std::is_same_v<With, PowerLossSpec>) found.emplace_back(T::word);
    });
    return found;
  }();
  return words;
}

/// What a run by actions has instead of a step; null: nothing.
Json actionFor(const std::string& word, ServerId server) {
  if (word == "crash") return {{"do", "kill"}, {"server", server}, {"lose", true}};
  if (word == "power_loss") return {{"do", "lose_power"}, {"server", server}};
  for (const char* same : {"start", "stop", "kill", "pause", "resume"}) {
    if (word == same) return {{"do", word}, {"server", server}};
  }
  return nullptr;
}

bool isNumber(const std::string& word) {
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::uint64_t millisOf(const std::string& what, const std::string& word) {
  const std::string number = word.ends_with("ms") ? word.substr(0, word.size() - 2) : word;
  return numberOf(what, number, 0, static_cast<std::uint64_t>(time_max));
}

/// Whether the step says when it is done.
bool hasTime(const Json& step) {
  return step.contains("at") || step.contains("after") || step.contains("when");
}

/// The members of both.
Json joined(Json object, const Json& other) {
  for (const auto& [key, value] : other.items()) object[key] = value;
  return object;
}

/// An object with one member.
Json member(const std::string& key, Json value) {
  Json object = Json::object();
  object[key] = std::move(value);
  return object;
}

/// A number of milliseconds in a step that has not been checked yet.
Millis millisIn(const Json& step, const char* key) {
  const auto found = step.find(key);
  if (found == step.end() || !found->is_number_integer()) return 0;
  return std::clamp(found->get<Millis>(), Millis{0}, time_max);
}

std::vector<Json> listOf(const JsonValue& value) {
  const Json given = value.plain();
  std::vector<Json> list{given};
  if (given.is_array()) list.assign(given.begin(), given.end());
  for (const Json& one : list) {
    if (!one.is_object())
      throw UsageError("a step is an object, as in do {\"kill\": 3}, not " + inBackticks(one.dump()));
  }
  if (list.empty()) throw UsageError("there is no step in this list");
  return list;
}

/// The scenario of a recorded run, with its choices in it.
LoadedScenario selfContained(const LoadedScenario& scenario, const std::string& file) {
  if (!scenario.recorded) return scenario;
  Json document = scenario.document.plain();
  for (const Choice& choice : *scenario.recorded) document["choices"][choice.address] = choice.value;
  const auto scenarioOf = [&] { return readCase(file, JsonValue::fromJson(document, file)).scenario; };
  if (!document.contains("seed")) return scenarioOf();
  // The run may have been drawn otherwise than from its seed; then all that was drawn is among the choices.
  const LoadedScenario seeded = scenarioOf();
  if (runScenario(seeded).trace.events == runScenario(scenario).trace.events) return seeded;
  document.erase("seed");
  return scenarioOf();
}

std::optional<std::size_t> firstDifferingEvent(const Trace& one, const Trace& other) {
  const auto [at, in_other] =
      std::mismatch(one.events.begin(), one.events.end(), other.events.begin(), other.events.end());
  if (at == one.events.end() && in_other == other.events.end()) return std::nullopt;
  return static_cast<std::size_t>(at - one.events.begin());
}

std::string countOf(std::size_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

}  // namespace

Stepper::Stepper(const LoadedScenario& scenario, std::string file) : file_(std::move(file)) {
  now_.version = std::make_shared<const Version>(Version{WalkedRun(selfContained(scenario, file_)), {}});
  now_.position = run().firstPosition();
  name_ = scenario.spec.name;
}

std::vector<std::string> Stepper::changes() const {
  std::vector<std::string> list;
  for (const Change& change : now_.version->changes) list.push_back(change.what);
  return list;
}

const std::vector<Stepper::Entry>& Stepper::entries() {
  static const std::vector<Entry> all{
      {"next", "[N]", "go on by one row, or N: what one node does in one go", &Stepper::next},
      {"back", "[N]", "go back", &Stepper::back},
      {"until", "300ms", "go on to a time: everything up to it has happened", &Stepper::until},
      {"until", "120", "to an event, by its number", &Stepper::until},
      {"until", "m17", "to the end of a message: it is read, or lost", &Stepper::until},
      {"until", "KIND [NODE] [FIELD=VALUE ...]", "to the next event of a kind, as in until sent 2 receiver=3",
       &Stepper::until},
      {"until", "violation", "to the next violation of an invariant", &Stepper::until},
      {"until", "end", "to the end of the run", &Stepper::until},
      {"undo", "", "take back the last move or change", &Stepper::undo},
      {"show", "", "all nodes, a line each", &Stepper::show},
      {"show", "NODE", "the whole state of one", &Stepper::show},
      {"show", "m17", "the content of a message", &Stepper::show},
      {"show", "messages", "all messages in flight", &Stepper::show},
      {"show", "events", "every event of this row", &Stepper::show},
      {"partition", "1,2 [3,4 ...]", "cut the links between groups; nodes that are not named are one more",
       &Stepper::partition},
      {"cut", "FROM TO", "cut one direction", &Stepper::cut},
      {"heal", "[FROM TO]", "heal everything, or one direction", &Stepper::heal},
      {"drop", "m17", "lose a message; on a link with connections, the connection with all that is on it",
       &Stepper::drop},
      {"delay", "m17 MS", "let a message arrive so much later than it would", &Stepper::delay},
      {"note", "TEXT", "put a remark into the run", &Stepper::note},
      {"do", "JSON", "any step of a scenario, or several in a list: do {\"client\": 101, \"write\": 7}",
       &Stepper::doSteps},
      {"possible", "", "messages, timers and writes that could be next; in a run by actions, every action",
       &Stepper::possible},
      {"choose", "N", "let what has this number happen next", &Stepper::choose},
      {"discard", "", "leave out the actions that follow", &Stepper::discard},
      {"changes", "", "list the changes", &Stepper::listChanges},
      {"save", "FILE", "write the scenario", &Stepper::save},
      {"trace", "FILE", "write the trace of the whole run", &Stepper::writeTrace},
      {"draw", "FILE", "draw the whole run; the ending of the name is the format", &Stepper::draw},
      {"help", "", "print this list", &Stepper::help},
      {"quit", "", "end", &Stepper::quit},
  };
  return all;
}

std::vector<std::string> Stepper::commands() {
  std::vector<std::string> names = serverWords();
  for (const Entry& entry : entries()) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string Stepper::perform(const std::string& line) {
  std::istringstream in(line);
  std::string name;
  if (!(in >> name) || name[0] == '#') return "";
  Said said;
  std::getline(in, said.rest, '\0');
  said.rest.erase(0, said.rest.find_first_not_of(" \t"));
  said.rest.erase(said.rest.find_last_not_of(" \t\r") + 1);
  std::istringstream rest(said.rest);
  for (std::string word; rest >> word;) said.words.push_back(word);
  command_ = name + (said.rest.empty() ? "" : " " + said.rest);
  const auto& words = serverWords();
  if (std::find(words.begin(), words.end(), name) != words.end()) return onServers(name, said);
  std::vector<std::string> known = words;
  for (const Entry& entry : entries()) {
    if (entry.name != name) {
      known.push_back(entry.name);
      continue;
    }
    if (entry.arguments.empty() && !said.words.empty() && name != "show")
      throw UsageError(name + " takes no arguments, not " + inBackticks(said.rest));
    return (this->*entry.does)(said);
  }
  throw UsageError("there is no command " + inBackticks(name) +
                   didYouMean(name, known, "; help lists the commands"));
}

// ---- moves

std::string Stepper::begin() const {
  const Trace& trace = run().trace();
  std::string text = run().title() + "\n" + viz::wordOf(trace.header, "protocol") + " " +
                     viz::wordOf(trace.header, "variant") + ", nodes " + run().nodeList() + ", " +
                     countOf(trace.events.size(), "event");
  if (run().byActions()) text += ", " + countOf(run().scenario().spec.actions.size(), "action");
  return text + "; help lists the commands\n\n" + here();
}

std::string Stepper::here() const {
  const std::size_t at = position();
  std::string text = run().happened(at) + run().changes(at) + run().pending(at);
  if (at == run().lastPosition()) text += run().ending();
  return text + alternatives();
}

/// What could be changed here.
std::string Stepper::alternatives() const {
  if (run().byActions()) return possibleList(possibleHere(), possible_max);
  std::string up, down, paused, messages;
  for (const WalkedRun::Node& node : run().nodesAt(position())) {
    if (node.kind == "client" || node.kind == "scripted") continue;
    (!node.up ? down : node.paused ? paused : up) += " " + std::to_string(node.id);
  }
  for (const WalkedRun::Message* message : run().inFlightAt(position())) {
    if (messages.size() > 40) {
      messages += " ...";
      break;
    }
    if (message->from != message->to && !run().waits(*message, position()))
      messages += " m" + std::to_string(message->number);
  }
  std::string text = "possible: ";
  if (!up.empty()) text += "kill, power_loss, pause" + up + "; ";
  if (!down.empty() && position() > 0) text += "start" + down + "; ";
  if (!paused.empty()) text += "kill, resume" + paused + "; ";
  if (!messages.empty()) text += "drop, delay" + messages + "; ";
  return text + "partition, choose, do\n";
}

std::string Stepper::moveTo(std::size_t position) {
  before_.push_back(now_);
  now_.position = position;
  now_.command = command_;
  return here();
}

std::string Stepper::next(const Said& said) {
  const std::uint64_t count = said.words.empty() ? 1 : numberOf("next", said.rest, 1, number_max);
  const std::size_t last = run().lastPosition();
  if (position() == last) return run().ending();
  const std::size_t to = position() + std::min<std::size_t>(count, last - position());
  std::string text;
  for (std::size_t at = position() + 1; at < to; ++at) text += run().happened(at);
  return text + moveTo(to);
}

std::string Stepper::back(const Said& said) {
  const std::uint64_t count = said.words.empty() ? 1 : numberOf("back", said.rest, 1, number_max);
  const std::size_t first = run().firstPosition();
  if (position() == first) return "the run begins here\n";
  return moveTo(position() - std::min<std::size_t>(count, position() - first));
}

/// The first event after the position that the words describe.
std::size_t Stepper::eventOf(const Said& said) const {
  const std::string& kind = said.words[0];
  const std::vector<std::string> kinds = protocolOf(run().scenario()).eventKinds();
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    std::vector<std::string> known = kinds;
    known.insert(known.end(), {"violation", "end"});
    throw UsageError("there are no events of the kind " + inBackticks(kind) +
                     didYouMean(kind, known,
                                "; until takes 300ms, an event's number, m17, a kind, "
                                "violation or end"));
  }
  std::string pattern = "kind=" + kind;
  for (std::size_t i = 1; i < said.words.size(); ++i) {
    const bool field = said.words[i].find('=') != std::string::npos;
    pattern += "," + (field ? said.words[i] : "node=" + std::to_string(node(said.words[i])));
  }
  const EventPattern wanted = eventPattern(pattern, "until");
  const auto& events = run().trace().events;
  for (std::size_t i = run().eventsAt(position()); i < events.size(); ++i) {
    if (matches(wanted, events[i])) return i;
  }
  throw UsageError("there is no event " + inBackticks(said.rest) + " after this position");
}

std::string Stepper::until(const Said& said) {
  if (said.words.empty())
    throw UsageError("until what? 300ms, an event's number, m17, a kind of event, violation or end");
  const std::string& word = said.words[0];
  const bool time = word.ends_with("ms") && isNumber(word.substr(0, word.size() - 2));
  const bool message = word[0] == 'm' && isNumber(word.substr(1));
  const bool alone = time || message || isNumber(word) || word == "end" || word == "violation";
  if (alone && said.words.size() > 1) throw UsageError("until " + word + " is followed by nothing");
  std::size_t to = 0;
  if (word == "end") {
    to = run().lastPosition();
  } else if (time) {
    const auto when = static_cast<Millis>(millisOf("until", word));
    if (when < run().timeAt(position()))
      throw UsageError(word + " has passed; here it is " + std::to_string(run().timeAt(position())) + " ms");
    to = std::max(position(), run().positionAtTime(when));
  } else if (word == "violation") {
    std::optional<std::size_t> first;
    for (const TraceVerdict& verdict : run().trace().verdicts) {
      if (verdict.verdict != "violated" || !verdict.event || *verdict.event < run().eventsAt(position()))
        continue;
      first = std::min<std::size_t>(first.value_or(*verdict.event), *verdict.event);
    }
    if (!first) throw UsageError("no invariant is violated after this position");
    to = run().positionAfter(*first);
  } else {
    std::size_t event = 0;
    if (message) {
      const WalkedRun::Message& named = messageNamed(word);
      if (!named.end) throw UsageError(word + " is in flight when the run ends");
      event = *named.end;
    } else if (isNumber(word)) {
      event = numberOf("an event", word, 0, run().trace().events.size() - 1);
    } else {
      event = eventOf(said);
    }
    to = run().positionAfter(event);
    if (to <= position())
      throw UsageError("event " + std::to_string(event) + " has happened already; back goes back");
  }
  const std::size_t passed = to - position();
  const std::string jump = passed > 1 ? "after " + countOf(passed, "row") + "\n" : "";
  return passed == 0 ? here() : jump + moveTo(to);
}

std::string Stepper::undo(const Said&) {
  if (before_.empty()) throw UsageError("there is nothing to undo");
  const std::string undone = now_.command;
  now_ = std::move(before_.back());
  before_.pop_back();
  return "undone: " + printable(undone) + "\n" + here();
}

std::string Stepper::show(const Said& said) {
  if (said.words.empty()) return run().overview(position());
  const std::string& word = said.rest;
  if (word == "messages") return run().messages(position());
  if (word == "events") return run().happened(position(), true);
  if (word[0] == 'm' && isNumber(word.substr(1))) return messageNamed(word).content.dump(2) + "\n";
  if (const auto known = run().nodeNamed(word)) return run().stateAt(position(), *known).dump(2) + "\n";
  throw UsageError("show takes a node (" + run().nodeList() +
                   "), a message as m17, messages or events, not " + inBackticks(word));
}

// ---- what commands name

ServerId Stepper::node(const std::string& word) const {
  if (const auto known = run().nodeNamed(word)) return *known;
  throw UsageError("there is no node " + inBackticks(word) + "; nodes are: " + run().nodeList());
}

std::vector<ServerId> Stepper::nodes(const std::vector<std::string>& words) const {
  std::vector<ServerId> ids;
  for (const std::string& word : words) ids.push_back(node(word));
  return ids;
}

Json Stepper::way(const Said& said) const {
  if (said.words.size() != 2) throw UsageError("a direction is two nodes, as in cut 1 2");
  return {{"from", node(said.words[0])}, {"to", node(said.words[1])}};
}

const WalkedRun::Message& Stepper::messageNamed(const std::string& word) const {
  if (word.size() < 2 || word[0] != 'm' || !isNumber(word.substr(1)))
    throw UsageError("a message is named as in m17, not " + inBackticks(word) + "; show messages lists them");
  const WalkedRun::Message* found = run().message(numberOf("a message", word.substr(1), 0, number_max));
  if (found != nullptr && found->sent < run().eventsAt(position())) return *found;
  throw UsageError("no message " + inBackticks(word) +
                   " has been sent up to here; show messages lists those in flight");
}

const WalkedRun::Message& Stepper::messageInFlight(const std::string& word) const {
  const WalkedRun::Message& message = messageNamed(word);
  if (run().inFlight(message, position())) return message;
  throw UsageError(word + " is no longer in flight: event " + std::to_string(*message.end) + " was its end");
}

// ---- changes

Json Stepper::withoutExpectations() const {
  Json document = run().scenario().document.plain();
  for (const char* key : about_the_original) document.erase(key);
  return document;
}

/// The last event of what the row's node did; events of the network name no node.
const TraceEvent& Stepper::lastEventHere() const {
  const auto& events = run().trace().events;
  std::size_t last = run().eventsAt(position()) - 1;
  for (std::size_t i = run().rowNumberAt(position()); i < run().eventsAt(position()); ++i) {
    if (events[i].node) last = i;
  }
  return events[last];
}

/// When a step is done that is to be the next thing after the position.
Json Stepper::momentHere() const {
  if (position() == 0) return member("at", 0);
  const auto& events = run().trace().events;
  const TraceEvent& last = lastEventHere();
  Json pattern = member("kind", last.kind);
  if (last.node) pattern["node"] = *last.node;
  const EventPattern same{JsonValue::fromJson(pattern, from_command)};
  const auto nth = std::count_if(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(last.index) + 1,
                                 [&](const TraceEvent& event) { return matches(same, event); });
  Json when = member("event", pattern);
  if (nth > 1) when["nth"] = nth;
  return member("when", when);
}

/// Whether the step, done at the row's last event, would end the process before the row's step is over.
bool Stepper::endsThisStep(const Json& step) const {
  if (position() == 0) return false;
  const StepSpec spec = read<StepSpec>(JsonValue::fromJson(step, from_command));
  const Ids* const ids = idsOf(spec);
  const bool ends =
      spec.is<step::Stop>() || spec.is<step::Kill>() || spec.is<step::Crash>() || spec.is<step::PowerLoss>();
  return ends && ids->list.size() == 1 && ids->list[0] == lastEventHere().node;
}

Stepper::Moment Stepper::withSteps(const std::vector<Json>& steps) const {
  Json document = withoutExpectations();
  Json& list = document["steps"];
  if (list.is_null()) list = Json::array();
  Millis last = run().timeAt(position());
  bool first = true;
  for (const Json& step : steps) {
    // `after` counts from the step before: for the first, from a remark at the position.
    const bool follows = first && (step.contains("after") || (!hasTime(step) && endsThisStep(step)));
    if (follows) list.push_back(joined(momentHere(), member("note", changed_here)));
    const Json moment = hasTime(step)       ? Json::object()
                        : first && !follows ? momentHere()
                                            : member("after", 0);
    list.push_back(joined(moment, step));
    last = std::max(last + millisIn(step, "after"), millisIn(step, "at"));
    first = false;
  }
  document["until"] = std::max(run().scenario().spec.until, std::min(last + seen_after_ms, time_max));
  return repeated(std::move(document), run().timeAt(position()));
}

Stepper::Moment Stepper::withActions(const std::vector<Json>& actions) const {
  Json document = withoutExpectations();
  Json& list = document["actions"];
  const std::size_t done = run().actionsAt(position());
  auto place = list.begin() + static_cast<std::ptrdiff_t>(done);
  for (const Json& action : actions) place = std::next(list.insert(place, action));
  const auto all_done = static_cast<Millis>(list.size() + 1) * action_every_ms;
  document["until"] = std::max(run().scenario().spec.until, all_done);
  return repeated(std::move(document), static_cast<Millis>(done + actions.size()) * action_every_ms);
}

/// The run of the changed scenario, if everything up to the position stays the same. `done_at`: the time at
/// which the change happens.
Stepper::Moment Stepper::repeated(Json document, Millis done_at) const {
  std::vector<Change> changes = now_.version->changes;
  const std::string row = "event " + std::to_string(run().rowNumberAt(position()));
  changes.push_back({command_, position() == 0 ? "the start" : row});
  std::set<std::string> places;
  for (const Change& change : changes) places.insert(change.where);
  document["name"] =
      name_ + ", changed at " + (places.size() == 1 ? changes[0].where : countOf(places.size(), "place"));
  const std::string file = "(the changed scenario)";
  LoadedScenario scenario = readCase(file, JsonValue::fromJson(document, file)).scenario;
  auto version = std::make_shared<const Version>(Version{WalkedRun(std::move(scenario)), std::move(changes)});
  const auto differs = firstDifferingEvent(run().trace(), version->run.trace());
  if (differs && *differs < run().eventsAt(position())) {
    throw UsageError("this would change what happened before: event " + std::to_string(*differs) +
                     " would be another; a change begins here or later, and a server that only a step starts "
                     "does not run from the beginning");
  }
  std::size_t at = position();
  const auto& events = version->run.trace().events;
  if (run().byActions()) {
    at = std::max(at, version->run.positionAtTime(done_at));
  } else if (differs) {
    const auto isNow = [&](std::size_t i) { return i < events.size() && events[i].time == done_at; };
    const bool remark = isNow(*differs) && events[*differs].text == changed_here && isNow(*differs + 1);
    if (isNow(*differs)) at = version->run.positionAfter(*differs + (remark ? 1 : 0));
    // What the network does with several messages are several rows.
    for (std::size_t i = version->run.eventsAt(at); at > position() && isNow(i) && !events[i].node; ++i) ++at;
  }
  return {std::move(version), at, command_};
}

std::string Stepper::accept(Moment moment) {
  const auto differs = firstDifferingEvent(run().trace(), moment.version->run.trace());
  const std::size_t from = position();
  before_.push_back(std::exchange(now_, std::move(moment)));
  std::string text;
  if (!differs) {
    text = "changed; nothing else happens than before\n";
  } else {
    const auto& events = run().trace().events;
    text = "changed; the run differs from event " + std::to_string(*differs) +
           (*differs < events.size() ? ", " + std::to_string(events[*differs].time) + " ms" : "") + "\n";
  }
  for (const std::string& warning : run().warnings()) text += "warning: " + printable(warning) + "\n";
  for (std::size_t at = from + 1; at < position(); ++at) text += run().happened(at);
  return text + here();
}

std::string Stepper::onServers(const std::string& word, const Said& said) {
  if (said.words.empty())
    throw UsageError(word + " which servers? as in " + word + " 1; nodes are: " + run().nodeList());
  const std::vector<ServerId> ids = nodes(said.words);
  if (run().byActions() && !actionFor(word, ids[0]).is_null()) {
    std::vector<Json> actions;
    for (const ServerId id : ids) actions.push_back(actionFor(word, id));
    return accept(withActions(actions));
  }
  return accept(withSteps({member(word, ids.size() == 1 ? Json(ids[0]) : Json(ids))}));
}

std::string Stepper::partition(const Said& said) {
  if (said.words.empty()) throw UsageError("partition what? as in partition 1,2 or partition 1,2 3");
  Json groups = Json::array();
  for (const std::string& word : said.words) {
    std::vector<std::string> names;
    std::istringstream list(word);
    for (std::string name; std::getline(list, name, ',');) names.push_back(name);
    groups.push_back(nodes(names));
  }
  return accept(withSteps({member("partition", groups)}));
}

std::string Stepper::cut(const Said& said) { return accept(withSteps({member("cut", way(said))})); }

std::string Stepper::heal(const Said& said) {
  return accept(withSteps({member("heal", said.words.empty() ? Json(true) : way(said))}));
}

/// Without the message: it is dropped or, on a link with connections, its connection breaks.
Stepper::Moment Stepper::withoutMessage(const WalkedRun::Message& message) const {
  const Json way{{"link", message.link}, {"from", message.from}, {"to", message.to}};
  if (run().byActions()) {
    try {
      return withActions({joined(member("do", "drop"), joined(way, member("message", message.content)))});
    } catch (const InputError&) {  // this link has connections
      return withActions({joined(member("do", "disrupt"), joined(way, member("lose", true)))});
    }
  }
  try {
    return withSteps({member("drop", joined(way, member("message", message.content)))});
  } catch (const InputError&) {
    const Json ends = Json::array({message.from, message.to});
    return withSteps({member("break", {{"link", message.link}, {"between", ends}, {"lose", true}})});
  }
}

std::string Stepper::drop(const Said& said) {
  const WalkedRun::Message& message = messageInFlight(said.rest);
  Moment without = withoutMessage(message);
  const WalkedRun& changed = without.version->run;
  const WalkedRun::Message* const lost = changed.message(message.number);
  const Millis done_at = changed.timeAt(without.position);
  if (lost == nullptr || !lost->lost || changed.trace().events[*lost->end].time != done_at) {
    throw UsageError(said.rest +
                     " cannot be lost here: it waits for a connection, or its connection has ended" +
                     (run().byActions() ? "" : "; delay m17 MS holds a message back"));
  }
  return accept(std::move(without));
}

std::string Stepper::delay(const Said& said) {
  requireActions(false,
                 "in a run by actions a message arrives when an action delivers it: choose another first");
  if (said.words.size() != 2) throw UsageError("delay takes a message and a time, as in delay m17 300");
  const WalkedRun::Message& message = messageInFlight(said.words[0]);
  const std::uint64_t number = message.number;
  const auto later = static_cast<Millis>(millisOf("delay", said.words[1]));
  const auto& events = run().trace().events;
  const Millis now = run().timeAt(position());
  const Millis due = message.end ? events[*message.end].time - now : 0;
  const Json way{{"link", message.link}, {"from", message.from}, {"to", message.to}};
  const Json hold = member("hold", joined(way, member("message", message.content)));
  std::string text = accept(withSteps({hold, {{"after", due + later}, {"release", way}}}));
  const WalkedRun::Message* const held = run().message(number);
  if (held == nullptr || !held->end) return text + said.words[0] + " is still in flight when the run ends\n";
  return text + said.words[0] + (held->lost ? " is lost at " : " arrives at ") +
         std::to_string(run().trace().events[*held->end].time) + " ms, event " + std::to_string(*held->end) +
         "\n";
}

std::string Stepper::note(const Said& said) {
  if (said.words.empty()) throw UsageError("a note has a text");
  // The text may have come from anywhere: bytes that are not UTF-8 are replaced.
  return accept(withSteps({parseJson(from_command, onOneLine(member("note", said.rest))).plain()}));
}

std::string Stepper::doSteps(const Said& said) {
  if (said.words.empty()) throw UsageError("do takes a step as JSON, as in do {\"kill\": 3}");
  const std::vector<Json> list = listOf(parseJson(from_command, said.rest));
  const auto actions = static_cast<std::size_t>(
      std::count_if(list.begin(), list.end(), [](const Json& one) { return one.contains("do"); }));
  if (actions == 0) return accept(withSteps(list));
  requireActions(true, "only a run by actions has actions; a step has a word such as kill instead of do");
  if (actions < list.size()) throw UsageError("actions and steps are placed by separate commands");
  return accept(withActions(list));
}

// ---- runs by actions

void Stepper::requireActions(bool wanted, const std::string& otherwise) const {
  if (run().byActions() != wanted) throw UsageError(otherwise);
}

Json Stepper::possibleHere() const {
  return protocolOf(run().scenario()).possibleActions(run().scenario(), run().timeAt(position()));
}

/// Whether the scenario does this next.
bool Stepper::isNextListed(const Json& action) const {
  const auto& actions = run().scenario().spec.actions;
  const std::size_t done = run().actionsAt(position());
  // The order of keys does not count.
  return done < actions.size() && nlohmann::json(toCompactJson(actions[done])) == nlohmann::json(action);
}

std::string Stepper::possibleList(const Json& actions, std::size_t most) const {
  std::string text;
  const auto& listed = run().scenario().spec.actions;
  const std::size_t done = run().actionsAt(position());
  if (done < listed.size())
    text += "next in the scenario: " + run().actionWords(toCompactJson(listed[done]), position()) + "\n";
  text += "possible:\n";
  // In a timed run what is chosen happens after everything else of the time.
  const std::size_t at = run().byActions() ? position() : run().positionAtTime(run().timeAt(position()));
  for (std::size_t i = 0; i < actions.size(); ++i) {
    if (i == most && actions.size() > most + 1)
      return text + "  and " + std::to_string(actions.size() - i) + " more: possible\n";
    text += "  " + std::to_string(i + 1) + (i < 9 ? "   " : "  ") + run().actionWords(actions[i], at) +
            (isNextListed(actions[i]) ? "  <- next in the scenario" : "") + "\n";
  }
  if (actions.empty()) text += "  nothing by itself\n";
  return text + "also kill, power_loss, pause, drop, " + (run().byActions() ? "" : "delay, ") +
         "partition, do\n";
}

std::string Stepper::possible(const Said&) {
  const Json actions = possibleHere();
  return possibleList(actions, actions.size());
}

std::string Stepper::choose(const Said& said) {
  const Json actions = possibleHere();
  if (actions.empty()) throw UsageError("there is nothing to choose from here");
  const Json& action = actions.at(numberOf("choose", said.rest, 1, actions.size()) - 1);
  if (!run().byActions()) return accept(withSteps({member("action", action)}));
  if (!isNextListed(action)) return accept(withActions({action}));
  const auto done_at = static_cast<Millis>(run().actionsAt(position()) + 1) * action_every_ms;
  return moveTo(std::max(position(), run().positionAtTime(done_at)));
}

std::string Stepper::discard(const Said&) {
  requireActions(true, "only a run by actions has actions to leave out");
  const std::size_t done = run().actionsAt(position());
  const std::size_t all = run().scenario().spec.actions.size();
  if (done == all) throw UsageError("no action follows");
  if (done == 0) throw UsageError("a run by actions has at least one; choose one first, or go on");
  Json document = withoutExpectations();
  Json& list = document["actions"];
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(done), list.end());
  document["until"] = static_cast<Millis>(done + 1) * action_every_ms;
  return accept(repeated(std::move(document), run().timeAt(position())));
}

// ---- results

std::string Stepper::listChanges(const Said&) {
  std::string text;
  for (const Change& change : now_.version->changes)
    text += "at " + change.where + ": " + printable(change.what) + "\n";
  return text.empty() ? "nothing was changed\n" : text;
}

std::string Stepper::save(const Said& said) {
  if (said.rest.empty()) throw UsageError("save requires a file, as in save my.json");
  checkNotInput(said.rest, file_);
  writeFile(said.rest, laidOut(run().scenario().document.plain()));
  return "wrote " + printable(said.rest) + ": the scenario, " +
         countOf(now_.version->changes.size(), "change") + "\n";
}

std::string Stepper::writeTrace(const Said& said) {
  if (said.rest.empty()) throw UsageError("trace requires a file, as in trace run.json");
  checkNotInput(said.rest, file_);
  writeFile(said.rest, traceText(run().trace()));
  return "wrote " + printable(said.rest) + ": the trace, " + countOf(run().trace().events.size(), "event") +
         "\n";
}

std::string Stepper::draw(const Said& said) {
  if (said.rest.empty()) throw UsageError("draw requires a file, as in draw run.svg");
  checkNotInput(said.rest, file_);
  writePicture(said.rest, run().trace());
  return "wrote " + printable(said.rest) + "\n";
}

std::string Stepper::help(const Said&) {
  constexpr std::size_t column = 26;
  const auto line = [&](const std::string& usage, const std::string& text) {
    const std::string gap =
        usage.size() < column ? std::string(column - usage.size(), ' ') : "\n" + std::string(column + 2, ' ');
    return "  " + usage + gap + wrapped(text, columns, column + 2) + "\n";
  };
  std::string words;
  for (const std::string& word : serverWords()) words += (words.empty() ? "" : ", ") + word;
  std::string text;
  for (const Entry& entry : entries()) {
    if (entry.name == "partition") text += line("kill 2 [3 ...]", "what happens to servers: " + words);
    text += line(entry.name + (entry.arguments.empty() ? "" : " " + entry.arguments), entry.text);
  }
  return text + "A change is placed at the position and repeats the run. What begins with # is a remark.\n";
}

std::string Stepper::quit(const Said&) {
  over_ = true;
  return "";
}

}  // namespace zablab::cli
