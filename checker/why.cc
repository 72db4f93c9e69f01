#include "checker/why.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checker/clients/account.h"
#include "checker/collision.h"
#include "checker/execute.h"
#include "checker/protocol.h"
#include "sim/phrase.h"

namespace zablab {
namespace {

/// What a run does that it should not: an invariant's name, or the client whose write is lost.
struct Harm {
  std::string invariant;  ///< or empty
  ServerId client = no_server;
  auto operator<=>(const Harm&) const = default;
};

/// By what event it is violated, or lost.
using Harms = std::map<Harm, std::optional<std::uint64_t>>;

/// Of a run that was just made.
Harms harmsOf(const Trace& trace) {
  Harms harms;
  for (const TraceVerdict& verdict : trace.verdicts) {
    if (verdict.verdict == "violated") harms.try_emplace({verdict.name}, verdict.event);
  }
  const auto clients = trace.header.find("clients");
  if (clients == trace.header.end()) return harms;
  for (const Json& lost : clients->at("lost")) {
    std::optional<std::uint64_t> by;
    if (lost.contains("lost_by")) by = lost["lost_by"].get<std::uint64_t>();
    harms.try_emplace({"", lost.at("client").get<ServerId>()}, by);
  }
  return harms;
}

/// Of any trace that could be read: whether it says that there is one.
bool tellsHarm(const Trace& trace) {
  if (std::any_of(trace.verdicts.begin(), trace.verdicts.end(),
                  [](const TraceVerdict& verdict) { return verdict.verdict == "violated"; }))
    return true;
  const auto clients = trace.header.find("clients");
  if (clients == trace.header.end() || !clients->is_object()) return false;
  const auto lost = clients->find("lost");
  return lost != clients->end() && lost->is_array() && !lost->empty();
}

/// Who has a write, from its beginning on.
class Holders : public AnyListener {
 public:
  struct Change {
    std::uint64_t event;
    ServerId node;
    std::set<ServerId> holders;
    bool lost;  ///< somebody has it no more
  };

  Holders(ScenarioRun& run, ClientsView& view, Value write)
      : run_(run), view_(view), write_(std::move(write)) {}

  void on(const AnyHappened& happened) override {
    const bool may_change =
        happened.kind == Kind::step_over || happened.kind == Kind::stopped || happened.kind == Kind::wiped;
    if (!may_change || happened.node < 0 || happened.node >= run_.cluster().serverCount()) return;
    const ServerId id = run_.cluster().ids[static_cast<std::size_t>(happened.node)];
    const bool has = view_.has(happened.node, write_);
    if (has == holders_.contains(id)) return;
    has ? static_cast<void>(holders_.insert(id)) : static_cast<void>(holders_.erase(id));
    if (const auto event = run_.newestEvent()) changes_.push_back({*event, id, holders_, !has});
  }
  const std::vector<Change>& changes() const { return changes_; }

 private:
  ScenarioRun& run_;
  ClientsView& view_;
  Value write_;
  std::set<ServerId> holders_;
  std::vector<Change> changes_;
};

/// What became of an entry of servers' logs, as the pictures of their states show it.
struct Copies {
  struct Change {
    std::uint64_t event;
    ServerId node;
    std::set<ServerId> holders;
    bool lost;
  };
  std::vector<Change> changes;
  std::optional<std::uint64_t> committed;  ///< the event by which it was first shown as committed
  std::vector<std::uint64_t> stopped;      ///< by these ended who has it, and has not begun again
};

/// Up to this event.
Copies copiesOf(const Trace& trace, const std::string& entry, std::uint64_t end) {
  Copies copies;
  std::set<ServerId> holders;
  std::map<ServerId, std::uint64_t> down;
  const Json caption = trace.header.value("state_picture", Json());
  if (caption.is_null()) return copies;
  for (std::uint64_t i = 0; i <= end; ++i) {
    const TraceEvent& event = trace.events[i];
    if (!event.node) continue;
    if (event.kind == "stopped") down[*event.node] = i;
    if (event.kind == "started") down.erase(*event.node);
    const auto picture = event.data.find("picture");
    if (picture == event.data.end() || picture->value("caption", Json()) != caption) continue;
    const Json& cells = picture->at("cells");
    const auto shows = [&](const std::string& text) {
      return std::find_if(cells.begin(), cells.end(),
                          [&](const Json& cell) { return cell.is_object() && cell.at("text") == text; });
    };
    const auto cell = shows(entry);
    const bool has = cell != cells.end();
    if (has && cell->at("mark") == "committed" && !copies.committed) copies.committed = i;
    if (has == holders.contains(*event.node) || (!has && shows("…") != cells.end())) continue;
    has ? static_cast<void>(holders.insert(*event.node)) : static_cast<void>(holders.erase(*event.node));
    copies.changes.push_back({i, *event.node, holders, !has});
  }
  for (const auto& [node, event] : down) {
    if (holders.contains(node)) copies.stopped.push_back(event);
  }
  return copies;
}

/// The nodes that a violation names, of those that `ids` has by name. A number alone may be that of an epoch:
/// a server without a name is said as "server 3".
void addNamed(const Json& said, const std::map<std::string, ServerId>& ids, std::set<ServerId>& named,
              bool is_server = false) {
  if (said.is_string()) {
    const std::string name = said.get<std::string>();
    const auto found = ids.find(name);
    if (found != ids.end() && (is_server || name != std::to_string(found->second)))
      named.insert(found->second);
  } else if (said.is_array()) {
    for (std::size_t i = 1; i < said.size(); ++i)
      addNamed(said[i], ids, named, said[0] == Phrase::server_pattern);
  }
}
std::set<ServerId> namedIn(const Trace& trace, const Json& said) {
  std::map<std::string, ServerId> ids;
  for (const Json& node : trace.header.at("nodes"))
    ids[node.at("name").get<std::string>()] = node.at("id").get<ServerId>();
  std::set<ServerId> named;
  addNamed(said, ids, named);
  return named;
}

/// Calls the first before the second.
class Both : public AnyListener {
 public:
  Both(AnyListener& first, std::vector<Holders>& then) : first_(first), then_(then) {}
  void on(const AnyHappened& happened) override {
    first_.on(happened);
    for (Holders& one : then_) one.on(happened);
  }

 private:
  AnyListener& first_;
  std::vector<Holders>& then_;
};

/// The event that says what a step did: the first one that has a text, if possible not only that a phase or a
/// role begins. `last`: one of the step's; events of other nodes may follow it.
std::uint64_t tellingEvent(const Trace& trace, std::uint64_t last, std::optional<ServerId> node) {
  static const std::set<std::string_view> beginnings{"started",  "delivered", "connected", "refused",
                                                     "closed",   "timer",     "durable",   "age",
                                                     "taken_up", "stopped"};
  std::uint64_t own = last;
  while (own > 0 && node && trace.events[own].node != node &&
         trace.events[own - 1].time == trace.events[last].time)
    --own;
  std::optional<std::uint64_t> best, telling;
  for (std::uint64_t at = own;; --at) {
    const TraceEvent& event = trace.events[at];
    if (event.time != trace.events[own].time || event.node != trace.events[own].node) break;
    if (!event.text.empty()) telling = at;
    if (!event.text.empty() && event.kind != "phase" && event.kind != "role") best = at;
    if (at == 0 || beginnings.contains(event.kind)) break;
  }
  return best.value_or(telling.value_or(last));
}

/// The event that says what a message was sent for, if this one is of the step that a message led to.
std::optional<std::uint64_t> sentBecause(const Trace& trace, std::uint64_t event) {
  std::uint64_t at = event;
  while (at > 0 && trace.events[at].kind != "delivered" &&
         trace.events[at - 1].node == trace.events[at].node &&
         trace.events[at - 1].time == trace.events[at].time)
    --at;
  const TraceEvent& delivered = trace.events[at];
  if (delivered.kind != "delivered" || !delivered.cause) return std::nullopt;
  const std::uint64_t told = tellingEvent(trace, *delivered.cause, trace.events[*delivered.cause].node);
  return trace.events[told].text.empty() ? std::nullopt : std::optional(told);
}

/// One thing that a scenario has.
struct Part {
  enum class Is : std::uint8_t { mutation, rule, variant, step, action, choice };
  Is is{};
  std::size_t index = 0;  ///< of a step, an action or a mutation
  std::string name;       ///< of another one: a rule, the address of a choice
};

std::vector<Part> partsOf(const Scenario& spec) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < spec.mutations.size(); ++i) parts.push_back({Part::Is::mutation, i, ""});
  for (const auto& [rule, value] : spec.rules) parts.push_back({Part::Is::rule, 0, rule});
  if (!spec.variant.empty()) parts.push_back({Part::Is::variant, 0, ""});
  for (std::size_t i = 0; i < spec.actions.size(); ++i) parts.push_back({Part::Is::action, i, ""});
  if (spec.isByActions()) return parts;
  for (std::size_t i = 0; i < spec.steps.size(); ++i) {
    if (!spec.steps[i].is<step::Note>()) parts.push_back({Part::Is::step, i, ""});
  }
  for (const auto& [address, value] : spec.choices) parts.push_back({Part::Is::choice, 0, address});
  return parts;
}

/// A value's fields in one line, as in "server 3, fault stall".
std::string fieldsOf(const Json& value) {
  if (!value.is_object()) return value.is_string() ? value.get<std::string>() : value.dump();
  std::string text;
  for (const auto& [key, field] : value.items())
    text += (text.empty() ? "" : ", ") + key + " " + fieldsOf(field);
  return text;
}

/// A step in words, as in "disk (server 3, fault stall) at 100 ms".
std::string wordsOf(const StepSpec& step) {
  const Json written = JsonCodec<StepSpec>::write(step);
  std::string text, place;
  for (const auto& [key, value] : written.items()) {
    if (key == "at") {
      place = " at " + value.dump() + " ms";
    } else if (key == "after") {
      place = " " + value.dump() + " ms later";
    } else if (key == "when") {
      place = " when " + fieldsOf(value);
    } else {
      text += (text.empty() ? "" : ", ") + key + " (" + fieldsOf(value) + ")";
    }
  }
  return text + place;
}

template <class T>
void eraseAt(std::vector<T>& list, std::size_t index) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
}

/// What follows a step that is left out is done when it would have been.
void leaveOutStep(LoadedScenario& scenario, std::size_t i) {
  std::vector<StepSpec>& steps = scenario.spec.steps;
  if (i + 1 < steps.size() && steps[i + 1].after) {
    const StepSpec& left_out = steps[i];
    StepSpec& next = steps[i + 1];
    if (left_out.when) {
      next.when = left_out.when;
      next.when->plus += *std::exchange(next.after, std::nullopt);
    } else if (left_out.after) {
      *next.after += *left_out.after;
    } else {
      next.at = left_out.at.value_or(0) + *std::exchange(next.after, std::nullopt);
    }
  }
  eraseAt(steps, i);
  Json text = scenario.document.plain();
  text["steps"] = Json::array();
  for (const StepSpec& step : steps) text["steps"].push_back(JsonCodec<StepSpec>::write(step));
  scenario.document = JsonValue::fromJson(text, scenario.document.file());
}

/// Without it the loop would be another one.
void leaveOutAction(LoadedScenario& scenario, std::size_t i) {
  eraseAt(scenario.spec.actions, i);
  scenario.spec.loop.reset();
  Json text = scenario.document.plain();
  text["actions"].erase(i);
  text.erase("loop");
  scenario.document = JsonValue::fromJson(text, scenario.document.file());
}

/// Whether an action of the run could not be done.
bool skips(const Trace& trace) {
  return std::any_of(trace.events.begin(), trace.events.end(),
                     [](const TraceEvent& event) { return event.kind == "skipped"; });
}

LoadedScenario without(LoadedScenario scenario, const Part& part) {
  switch (part.is) {
    case Part::Is::mutation: eraseAt(scenario.spec.mutations, part.index); break;
    case Part::Is::rule: scenario.spec.rules.erase(part.name); break;
    case Part::Is::variant: scenario.spec.variant.clear(); break;
    case Part::Is::step: leaveOutStep(scenario, part.index); break;
    case Part::Is::action: leaveOutAction(scenario, part.index); break;
    case Part::Is::choice:
      std::erase_if(*scenario.recorded, [&](const Choice& choice) { return choice.address == part.name; });
  }
  return scenario;
}

/// Whether it has all events of the other one, and more.
bool tellsMore(const Why& why, const Why& other) {
  return why.events.size() > other.events.size() &&
         std::all_of(other.events.begin(), other.events.end(), [&](const Why::Event& line) {
           return std::any_of(why.events.begin(), why.events.end(),
                              [&](const Why::Event& own) { return own.event == line.event; });
         });
}

class Explanation {
 public:
  /// `trace`: of the scenario's run.
  Explanation(const LoadedScenario& scenario, const Until& until, const Trace& trace)
      : trace_(trace),
        scenario_(scenario),
        until_(until),
        protocol_(protocolOf(scenario)),
        harms_(harmsOf(trace)) {
    std::vector<Account::Write> lost;
    {
      ScenarioRun run(scenario_, makeSetup(protocol_.family(), scenario_), until_);
      Account account(run, protocol_.clients(run), true);
      run.watch(account);
      run.execute();
      for (std::size_t i = 0; i < scenario_.spec.steps.size(); ++i) events_.push_back(run.eventsOfStep(i));
      for (const Account::Write* write : account.lost()) lost.push_back(*write);
    }
    if (!lost.empty()) follow(lost);
  }

  std::vector<Why> all(std::uint64_t events_max) const {
    const std::vector<Part> parts = partsOf(scenario_.spec);
    std::map<Harm, std::vector<std::size_t>> needed;  // by index
    std::uint64_t events = 0;
    std::size_t tried = 0;
    for (; tried < parts.size() && events <= events_max; ++tried) {
      for (const Harm& harm : harmsWithout(parts[tried], events)) needed[harm].push_back(tried);
    }
    std::map<std::vector<std::size_t>, std::vector<Harm>> same;
    for (const auto& [harm, at] : harms_) same[needed[harm]].push_back(harm);
    std::vector<Why> found;
    for (const auto& [indexes, harms] : same) {
      Why& why = found.emplace_back();
      Lines lines;
      for (const std::size_t index : indexes) note(parts[index], why, lines);
      const bool loses =
          std::any_of(harms.begin(), harms.end(), [](const Harm& harm) { return harm.client != no_server; });
      for (const Harm& harm : harms) note(harm, !loses, why, lines);
      for (auto& [event, line] : lines) {
        line.event = event;
        why.events.push_back(std::move(line));
      }
      why.untried = parts.size() - tried;
    }
    // What clients have lost comes first. What tells all of another one, and more, comes before it.
    std::stable_partition(found.begin(), found.end(), [](const Why& why) { return !why.lost.empty(); });
    for (std::size_t i = 1; i < found.size(); ++i) {
      const auto less = std::find_if(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(i),
                                     [&](const Why& other) { return tellsMore(found[i], other); });
      std::rotate(less, found.begin() + static_cast<std::ptrdiff_t>(i),
                  found.begin() + static_cast<std::ptrdiff_t>(i + 1));
    }
    return found;
  }

 private:
  using Lines = std::map<std::uint64_t, Why::Event>;

  struct Life {
    ServerId client;
    std::uint64_t answered;  ///< the event
    std::vector<Holders::Change> changes;
  };

  /// Runs it again, now that it is known what was answered.
  void follow(const std::vector<Account::Write>& lost) {
    ScenarioRun run(scenario_, makeSetup(protocol_.family(), scenario_), until_);
    const std::unique_ptr<ClientsView> view = protocol_.clients(run);
    std::vector<Holders> holders;
    for (const Account::Write& write : lost) holders.emplace_back(run, *view, write.said);
    Both both(*view, holders);
    run.watch(both);
    run.execute();
    for (std::size_t i = 0; i < lost.size(); ++i) {
      if (lost[i].event) lives_.push_back({lost[i].client, *lost[i].event, holders[i].changes()});
    }
  }

  /// What the run does not do without this. `events`: counts those of the run.
  std::vector<Harm> harmsWithout(const Part& part, std::uint64_t& events) const {
    std::vector<Harm> gone;
    try {
      const Trace trace = protocol_.run(without(scenario_, part), until_);
      events += trace.events.size();
      if (trace.header.contains("broken_off")) return gone;
      if (part.is == Part::Is::action && skips(trace)) return gone;  // others depend on it
      const Harms left = harmsOf(trace);
      for (const auto& [harm, at] : harms_) {
        if (!left.contains(harm)) gone.push_back(harm);
      }
    } catch (const InputError&) {  // without it the others make no scenario, or one that is too long
    }
    return gone;
  }

  /// The event that says what a step did; empty: there is none.
  std::optional<std::uint64_t> eventOf(std::size_t step) const {
    const auto& events = events_[step];
    if (!events || events->begin >= trace_.events.size()) return std::nullopt;
    if (events->begin == events->end) {  // what a client is asked follows
      const TraceEvent& next = trace_.events[events->begin];
      const auto* ask = scenario_.spec.steps[step].as<step::Ask>();
      const bool follows = ask != nullptr && next.kind == "asked" && next.node == ask->who;
      return follows ? std::optional(events->begin) : std::nullopt;
    }
    std::uint64_t at = events->begin;
    while (at + 1 < events->end && trace_.events[at].text.empty()) ++at;
    return trace_.events[at].text.empty() ? events->begin : at;
  }

  void note(const Part& part, Why& why, Lines& lines) const {
    const Scenario& spec = scenario_.spec;
    switch (part.is) {
      case Part::Is::mutation: why.mutations.push_back(spec.mutations[part.index]); return;
      case Part::Is::rule: why.rules.push_back(part.name + "=" + spec.rules.at(part.name)); return;
      case Part::Is::variant: why.variant = true; return;
      case Part::Is::choice:
        why.choices.push_back(part.name + ": " + std::to_string(spec.choices.at(part.name)));
        return;
      case Part::Is::action: lines[eventOfAction(part.index)].needed = true; return;
      case Part::Is::step:
        const StepSpec& step = spec.steps[part.index];
        if (const auto event = eventOf(part.index)) {
          lines[*event].needed = true;
        } else if (!step.is<step::Ask>()) {  // a client's request may come later
          why.steps.push_back(wordsOf(step));
        }
    }
  }

  /// The event that says what an action did.
  std::uint64_t eventOfAction(std::size_t index) const {
    const Millis time = static_cast<Millis>(index + 1) * action_every_ms;
    const auto begin = std::find_if(trace_.events.begin(), trace_.events.end(),
                                    [&](const TraceEvent& event) { return event.time >= time; });
    const auto end =
        std::find_if(begin, trace_.events.end(), [&](const TraceEvent& event) { return event.time > time; });
    const auto told = std::find_if(begin, end, [](const TraceEvent& event) { return !event.text.empty(); });
    return static_cast<std::uint64_t>((told == end ? begin : told) - trace_.events.begin());
  }

  void note(const Harm& harm, bool tells_entry, Why& why, Lines& lines) const {
    if (!harm.invariant.empty()) {
      why.violated.push_back(harm.invariant);
      noteStory(harm, tells_entry, lines);
    } else {
      why.lost.push_back(harm.client);
      for (const Life& life : lives_) {
        if (life.client == harm.client) note(life, lines);
      }
    }
    if (const auto at = harms_.at(harm)) {
      const TraceEvent& event = trace_.events[*at];
      const bool is_itself = !event.text.empty() && (event.kind == "role" || event.kind == "phase");
      lines[is_itself ? *at : tellingEvent(trace_, *at, event.node)];
    }
  }

  static std::vector<std::int64_t> listOf(const std::set<ServerId>& ids) { return {ids.begin(), ids.end()}; }

  /// What became of the entry that a violation is about; and when the nodes that it names were elected.
  /// `tells_entry`: unless a lost write's story is told with it.
  void noteStory(const Harm& harm, bool tells_entry, Lines& lines) const {
    const auto verdict =
        std::find_if(trace_.verdicts.begin(), trace_.verdicts.end(), [&](const TraceVerdict& one) {
          return one.verdict == "violated" && one.name == harm.invariant && one.event;
        });
    if (verdict == trace_.verdicts.end()) return;
    if (!verdict->about.empty()) {
      const Copies copies = copiesOf(trace_, verdict->about, *verdict->event);
      if (tells_entry) note(copies, lines);
      if (!copies.changes.empty()) return;
    }
    const std::set<ServerId> named = namedIn(trace_, verdict->said);
    if (named.size() < 2) return;
    const ElectionEvents elections = electionEventsOf(trace_.header);
    for (const ServerId node : named) {
      for (std::uint64_t i = *verdict->event; i-- > 0;) {
        if (trace_.events[i].node != node || !isElection(elections, trace_.events[i])) continue;
        lines[trace_.events[i].text.empty() ? tellingEvent(trace_, i, node) : i];
        break;
      }
    }
  }

  /// Who wrote it, by whom and why it was lost, and when it was committed.
  void note(const Copies& copies, Lines& lines) const {
    bool first = true;
    for (const Copies::Change& change : copies.changes) {
      if (change.lost) {
        noteLoss(change.event, change.node, change.holders, lines);
      } else if (first) {
        lines[tellingEvent(trace_, change.event, change.node)].holders = listOf(change.holders);
      }
      first = false;
    }
    if (copies.committed)
      lines[tellingEvent(trace_, *copies.committed, trace_.events[*copies.committed].node)];
    for (const std::uint64_t event : copies.stopped) lines[event];
  }

  /// When it was answered, and each time that somebody lost it.
  void note(const Life& life, Lines& lines) const {
    std::set<ServerId> holders;
    for (const Holders::Change& change : life.changes) {
      if (change.event <= life.answered) holders = change.holders;
      if (change.lost) noteLoss(change.event, change.node, change.holders, lines);
    }
    lines[life.answered].holders = listOf(holders);
  }

  /// Who has it no more, who still has it, and what another node sent for that.
  void noteLoss(std::uint64_t event, ServerId node, const std::set<ServerId>& holders, Lines& lines) const {
    lines[tellingEvent(trace_, event, node)].holders = listOf(holders);
    if (const auto because = sentBecause(trace_, event)) lines[*because];
  }

  const Trace& trace_;
  const LoadedScenario& scenario_;
  const Until& until_;
  const Protocol& protocol_;
  Harms harms_;
  std::vector<std::optional<ScenarioRun::Events>> events_;  ///< by step
  std::vector<Life> lives_;
};

}  // namespace

std::vector<Why> whyOf(const Trace& trace, std::uint64_t events_max) {
  if (!tellsHarm(trace)) return {};
  try {
    const std::string name = "the trace";
    const LoadedScenario scenario = replayOf(trace, name);
    const Until until = untilOf(trace, name);
    const Trace again = protocolOf(scenario).run(scenario, until);
    if (again.events != trace.events || harmsOf(again).empty()) return {};
    return Explanation(scenario, until, again).all(events_max);
  } catch (const InputError&) {  // a trace of other releases, or one that was edited
    return {};
  }
}

}  // namespace zablab
