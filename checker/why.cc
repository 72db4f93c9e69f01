#include "checker/why.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checker/clients/account.h"
#include "checker/execute.h"
#include "checker/protocol.h"

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

/// One thing that a scenario has.
struct Part {
  enum class Is : std::uint8_t { mutation, rule, variant, step, choice };
  Is is{};
  std::size_t index = 0;  ///< of a step or a mutation
  std::string name;       ///< of another one: a rule, the address of a choice
};

std::vector<Part> partsOf(const Scenario& spec) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < spec.mutations.size(); ++i) parts.push_back({Part::Is::mutation, i, ""});
  for (const auto& [rule, value] : spec.rules) parts.push_back({Part::Is::rule, 0, rule});
  if (!spec.variant.empty()) parts.push_back({Part::Is::variant, 0, ""});
  if (!spec.actions.empty()) return parts;  // without one of them others cannot be done
  for (std::size_t i = 0; i < spec.steps.size(); ++i) {
    if (!spec.steps[i].is<step::Note>()) parts.push_back({Part::Is::step, i, ""});
  }
  for (const auto& [address, value] : spec.choices) parts.push_back({Part::Is::choice, 0, address});
  return parts;
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

LoadedScenario without(LoadedScenario scenario, const Part& part) {
  switch (part.is) {
    case Part::Is::mutation: eraseAt(scenario.spec.mutations, part.index); break;
    case Part::Is::rule: scenario.spec.rules.erase(part.name); break;
    case Part::Is::variant: scenario.spec.variant.clear(); break;
    case Part::Is::step: leaveOutStep(scenario, part.index); break;
    case Part::Is::choice:
      std::erase_if(*scenario.recorded, [&](const Choice& choice) { return choice.address == part.name; });
  }
  return scenario;
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
      for (const Harm& harm : harms) note(harm, why, lines);
      for (auto& [event, line] : lines) {
        line.event = event;
        why.events.push_back(std::move(line));
      }
      why.untried = parts.size() - tried;
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
      case Part::Is::step:
        const StepSpec& step = spec.steps[part.index];
        if (const auto event = eventOf(part.index)) {
          lines[*event].needed = true;
        } else if (!step.is<step::Ask>()) {  // a client's request may come later
          why.steps.push_back(JsonCodec<StepSpec>::write(step).dump());
        }
    }
  }

  void note(const Harm& harm, Why& why, Lines& lines) const {
    if (!harm.invariant.empty()) {
      why.violated.push_back(harm.invariant);
    } else {
      why.lost.push_back(harm.client);
      for (const Life& life : lives_) {
        if (life.client == harm.client) note(life, lines);
      }
    }
    if (const auto at = harms_.at(harm)) lines[tellingEvent(trace_, *at, trace_.events[*at].node)];
  }

  /// When it was answered, and each time that somebody lost it since.
  void note(const Life& life, Lines& lines) const {
    const auto listOf = [](const std::set<ServerId>& ids) {
      return std::vector<std::int64_t>(ids.begin(), ids.end());
    };
    std::set<ServerId> holders;
    for (const Holders::Change& change : life.changes) {
      if (change.event <= life.answered) {
        holders = change.holders;
      } else if (change.lost) {
        lines[tellingEvent(trace_, change.event, change.node)].holders = listOf(change.holders);
      }
    }
    lines[life.answered].holders = listOf(holders);
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
