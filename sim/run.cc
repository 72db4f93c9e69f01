#include "sim/run.h"

#include <algorithm>

#include "protocol/overloaded.h"
#include "sim/recorder.h"
#include "sim/setup.h"

namespace zablab {
namespace {

std::string topicName(const AnyFamily& family, ChoiceKind kind, std::uint8_t topic) {
  switch (kind) {
    case ChoiceKind::latency:
    case ChoiceKind::datagram:
    case ChoiceKind::dial: return std::string(family.links()[topic].name);
    case ChoiceKind::timer: return family.timerName(topic);
    case ChoiceKind::fsync: return "";
    case ChoiceKind::fault:
    case ChoiceKind::workload: return std::to_string(topic);
  }
  return "";
}

/// The number of values in it, itself included.
std::uint64_t valuesOf(const Json& json) {
  std::uint64_t count = 1;
  if (!json.is_structured()) return count;
  for (const Json& child : json) count += valuesOf(child);
  return count;
}

std::unique_ptr<ChoiceSource> sourceOf(const LoadedScenario& scenario, std::unique_ptr<ChoiceSource> given) {
  if (given) return given;
  if (scenario.spec.seed && !scenario.recorded) return std::make_unique<SeededChoices>(*scenario.spec.seed);
  return std::make_unique<DefaultChoices>();
}

std::vector<Choice> pinsOf(const LoadedScenario& scenario) {
  if (scenario.recorded) return *scenario.recorded;
  std::vector<Choice> pins;
  for (const auto& [address, value] : scenario.spec.choices) pins.push_back({address, value});
  return pins;
}

/// How a step ends processes.
struct HowEnded {
  ActionKind kind{};
  HowStopped how{};
  bool in_flight = true;       ///< what they sent still arrives
  std::uint32_t unsynced = 0;  ///< how many unsynced writes reach the disk
};
/// Empty: it ends none.
std::optional<HowEnded> endOf(const StepSpec& spec) {
  if (spec.is<step::Stop>()) return HowEnded{ActionKind::stop, HowStopped::stop};
  if (spec.is<step::Kill>()) return HowEnded{ActionKind::kill, HowStopped::kill};
  if (spec.is<step::Crash>()) return HowEnded{ActionKind::kill, HowStopped::kill, false};
  if (const auto* loss = spec.as<step::PowerLoss>())
    return HowEnded{ActionKind::lose_power, HowStopped::power_loss, true,
                    static_cast<std::uint32_t>(loss->with.keep)};
  return std::nullopt;
}

/// Whether the first step that starts or ends the server starts it.
bool startsByStep(const std::vector<StepSpec>& steps, ServerId server) {
  for (const StepSpec& spec : steps) {
    const Ids* ids = idsOf(spec);
    if (ids == nullptr || std::find(ids->list.begin(), ids->list.end(), server) == ids->list.end()) continue;
    if (spec.is<step::Start>()) return true;
    if (endOf(spec)) return false;
  }
  return false;
}

/// Whether a server runs from the beginning.
bool begins(const ServerSpec& server, const Scenario& scenario) {
  return server.state || (!server.down && !startsByStep(scenario.steps, server.id));
}

}  // namespace

ScenarioRun::ScenarioRun(const LoadedScenario& scenario, Setup setup, const Until& until,
                         std::unique_ptr<ChoiceSource> source)
    : scenario_(scenario),
      setup_(std::move(setup)),
      until_(until),
      choices_(sourceOf(scenario, std::move(source)),
               [family = setup_.cluster.family](ChoiceKind kind, std::uint8_t topic) {
                 return topicName(*family, kind, topic);
               }),
      simulator_(setup_.cluster, setup_.timing, choices_),
      telling_(setup_.cluster, namesOf(setup_.servers)),
      recorder_(std::make_unique<Recorder>(setup_.cluster, simulator_, telling_, trace_.events)) {
  choices_.pin(pinsOf(scenario));
  done_.resize(scenario.spec.steps.size());
}

ScenarioRun::~ScenarioRun() = default;

Trace ScenarioRun::execute() {
  trace_.header = header();
  recording_ = true;
  simulator_.listen(*recorder_);
  prepare();
  const Millis end = std::min(scenario_.spec.until, until_.time.value_or(scenario_.spec.until));
  const auto ended = [this] {
    limitTrace();
    return stop_ || (until_.step && trace_.events.size() > *until_.step);
  };
  try {
    simulator_.run(end, ended);
  } catch (const EndlessRun& endless) {
    trace_.header["broken_off"] = endless.what();
  } catch (const BadStep& bad) {
    trace_.header["broken_off"] = bad.what();
    trace_.header["broken_step"] = true;
  }
  trace_.header["end"] = simulator_.now();
  if (const auto answer = family().answer(trace_)) {
    Json& said = trace_.header["answer_said"] = Json::array();
    Json& texts = trace_.header["answer"] = Json::array();
    for (const Phrase& sentence : *answer) {
      texts.push_back(sentence.english());
      said.push_back(sentence.said());
    }
  }
  for (const Choice& choice : choices_.made()) trace_.choices.push_back({choice.address, choice.value});
  for (const std::string& unused : choices_.unusedPins()) trace_.header["unused_choices"].push_back(unused);
  if (!choices_.anyOpen()) trace_.header["no_choices"] = true;
  const bool whole = !until_.event && !until_.time && !until_.step && !trace_.header.contains("broken_off");
  for (std::size_t index = 0; whole && index < done_.size(); ++index) {
    if (!done_[index]) trace_.header["undone_steps"].push_back(index);
  }
  return std::move(trace_);
}

void ScenarioRun::limitTrace() {
  for (; weighed_ < trace_.events.size(); ++weighed_) {
    const TraceEvent& event = trace_.events[weighed_];
    values_ +=
        valuesOf(event.data) + valuesOf(event.changes) + valuesOf(event.appended) + valuesOf(event.entries);
  }
  const bool long_trace = trace_.events.size() > until_.events_max;
  if (!long_trace && values_ <= until_.values_max) return;
  throw scenario_.document.keyError(
      "until",
      "the run has more than " +
          (long_trace ? std::to_string(until_.events_max) + " events"
                      : std::to_string(until_.values_max) + " values in its events") +
          " by " + std::to_string(simulator_.now()) + " ms",
      "let it end earlier, or do less: a trace contains every event and its changes");
}

std::uint64_t ScenarioRun::executeBare(const std::function<bool()>& ended, bool remember_choices) {
  choices_.remember(remember_choices);
  prepare();
  simulator_.run(scenario_.spec.until, ended);
  return simulator_.applied();
}

int ScenarioRun::indexOf(ServerId id) const { return setup_.cluster.indexOf(id); }

Link ScenarioRun::linkOf(const std::string& name) const {
  const auto links = family().links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (links[i].name == name) return static_cast<Link>(i);
  }
  throw scenario_.document.error("there is no link " + inBackticks(name));
}

std::vector<int> placeServers(const Setup& setup, const Scenario& scenario, DirectStore<Any>& store,
                              const std::function<void(Link, int, int)>& open) {
  const auto& specs = setup.servers;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].disk) setup.cluster.family->readDisk(store.disk(static_cast<int>(i)).image, *specs[i].disk);
  }
  const auto runs = [&](int i) { return begins(specs[static_cast<std::size_t>(i)], scenario); };
  for (Link link = 0; scenario.connected && link < setup.cluster.links.size(); ++link) {
    if (!isSlot(setup.cluster.links[link])) continue;
    for (int a = 0; a < store.size(); ++a) {
      for (int b = a + 1; b < store.size(); ++b) {
        if (runs(a) && runs(b)) open(link, a, b);
      }
    }
  }
  std::vector<std::optional<Value>> placed(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!specs[i].state || specs[i].scripted) continue;
    placed[i] = placedNode(setup, i, store.disk(static_cast<int>(i)).image);
  }
  for (const auto& [link, a, b] : setup.cluster.family->arrange(setup.cluster, placed)) open(link, a, b);
  std::vector<int> servers;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!placed[i]) continue;
    servers.push_back(static_cast<int>(i));
    store.boot(servers.back());
    store.setNode(servers.back(), std::move(*placed[i]));
  }
  return servers;
}

void ScenarioRun::prepare() {
  auto& store = simulator_.store();
  const auto& specs = setup_.servers;
  for (AnyListener* watcher : watchers_) simulator_.listen(*watcher);
  simulator_.listen(*this);
  simulator_.write_fails = [this](int server, const Value& record) {
    return !failing_writes_.empty() &&
           (failing_writes_.erase({server, std::string(family().recordName(record))}) > 0 ||
            failing_writes_.erase({server, ""}) > 0);
  };
  const std::vector<int> placed =
      placeServers(setup_, scenario_.spec, store,
                   [this](Link link, int a, int b) { simulator_.world().open(link, a, b); });
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const int server = static_cast<int>(i);
    if (specs[i].scripted) continue;
    if (std::find(placed.begin(), placed.end(), server) != placed.end()) {
      simulator_.at(0, [this, server] { simulator_.world().takeUp(server); });
    } else if (begins(specs[i], scenario_.spec)) {
      simulator_.at(0, [this, server] { simulator_.apply({.kind = ActionKind::start, .a = server}); });
    }
  }
  for (const ClientSpec& client : scenario_.spec.clients) {
    if (client.server && family().clientsTurn()) ask(indexOf(client.id), family().turn(*client.server));
  }
  for (std::size_t index = 0; index < scenario_.spec.steps.size(); ++index) {
    const StepSpec& step = scenario_.spec.steps[index];
    if (step.when) {
      conditions_.push_back(conditionOf(index));
      if (step.when->edge != "after") {
        simulator_.before_effect = [this](int server, const auto& effect) {
          return beforeEffect(server, effect);
        };
      }
    } else if (!step.after) {
      schedule(index);  // a step `after` another one is scheduled when that one is done
    }
  }
  scheduleActions();
}

void ScenarioRun::scheduleActions() {
  const auto& actions = scenario_.spec.actions;
  simulator_.led_by_hand = scenario_.spec.isByActions();
  Millis when = 0;
  const auto schedule = [&](std::size_t begin, std::size_t end, bool loops) {
    for (std::size_t i = begin; i < end; ++i) {
      simulator_.at(when += action_every_ms, [this, i, loops, is_last = i + 1 == end] {
        doAction(scenario_.spec.actions[i]);
        if (!loops) return;
        loop_->afterAction(simulator_.store());
        if (is_last) atLoop();
      });
    }
  };
  if (!scenario_.spec.loop) return schedule(0, actions.size(), false);
  const LoopSpec& spec = *scenario_.spec.loop;
  loop_.emplace(setup_.cluster, spec, *scenario_.document.find("loop"));
  const auto from = static_cast<std::size_t>(spec.from);
  schedule(0, from, false);
  const Millis begins = when + (from < actions.size() ? action_every_ms : 0);
  simulator_.at(begins, [this] { atLoop(); });
  for (std::int64_t round = 0; round < spec.times; ++round) schedule(from, actions.size(), true);
}

void ScenarioRun::atLoop() {
  const bool first = loop_->rounds() == 0 && !trace_.header.contains("loop");
  const bool same = loop_->atBegin(simulator_.store());
  const bool goes_on = static_cast<std::size_t>(scenario_.spec.loop->from) < scenario_.spec.actions.size();
  const auto event = say(-1, "note", Json::object(),
                         !goes_on ? phrase("nothing has to happen any more")
                         : first  ? phrase("the loop begins: what follows can be repeated for ever")
                         : same   ? phrase("the same state as at the beginning of the loop")
                                  : phrase("another state than at the beginning of the loop"));
  Json& loop = trace_.header["loop"];
  if (first) loop = {{"event", event}, {"rounds", 0}, {"returns", !goes_on}};
  if (!first) loop.update({{"rounds", loop_->rounds()}, {"returns", loop_->returns()}});
  loop["meets"] = loop_->meets();
}

void ScenarioRun::schedule(std::size_t index) {
  const StepSpec& step = scenario_.spec.steps[index];
  const Millis when = step.at ? *step.at : simulator_.now() + step.after.value_or(0);
  simulator_.at(when, [this, index] { perform(index); });
}

void ScenarioRun::perform(std::size_t index) {
  const std::uint64_t began = trace_.events.size();
  doStep(scenario_.spec.steps[index], index);
  stepIsDone(index, {began, trace_.events.size()});
}

void ScenarioRun::stepIsDone(std::size_t index, Events events) {
  done_[index] = events;
  const std::size_t next = index + 1;
  if (next < scenario_.spec.steps.size() && scenario_.spec.steps[next].after) schedule(next);
}

void ScenarioRun::make(ActionKind kind, const Ids& ids, std::uint32_t unsynced, bool in_flight) {
  const auto& store = simulator_.store();
  for (const ServerId id : ids.list) {
    const int server = indexOf(id);
    const bool wants_down = kind == ActionKind::start || kind == ActionKind::wipe;
    const bool possible = kind == ActionKind::resume  ? store.isPaused(server)
                          : kind == ActionKind::pause ? store.isUp(server) && !store.isPaused(server)
                                                      : store.isUp(server) != wants_down;
    if (!possible) {
      say(server, "skipped", {{"action", std::string(enumName(kind))}},
          phrase("nothing to {action} at {node}", enumName(kind), names()(id)));
      continue;
    }
    simulator_.apply({.kind = kind, .a = server, .in_flight = in_flight, .unsynced = unsynced});
  }
}

void ScenarioRun::cut(const std::set<std::pair<int, int>>& ways, bool cut) {
  Json links = Json::array();
  for (const auto& [from, to] : ways) {
    if (simulator_.store().network().cut.test(from, to) == cut) continue;
    links.push_back({setup_.cluster.ids[static_cast<std::size_t>(from)],
                     setup_.cluster.ids[static_cast<std::size_t>(to)]});
  }
  if (links.empty()) return;
  say(-1, cut ? "cut" : "healed", {{"links", links}},
      cut ? phrase("the network is cut") : phrase("the network is healed"));
  for (const auto& [from, to] : ways) {
    simulator_.apply({.kind = cut ? ActionKind::cut : ActionKind::heal, .a = from, .b = to});
  }
}

Simulator<Any>::Hold ScenarioRun::holdOf(const Selector& selector) const {
  Simulator<Any>::Hold hold{linkOf(selector.link), indexOf(selector.from), indexOf(selector.to), {}};
  if (selector.message) {
    hold.matches = [pattern = selector.message->plain()](const Value& message) {
      return covers(toJson(message), pattern);
    };
  }
  return hold;
}

void ScenarioRun::send(const SendSpec& spec) {
  const Link link = linkOf(spec.link);
  const int from = indexOf(spec.from);
  const int to = indexOf(spec.to);
  auto& world = simulator_.world();
  const auto& store = simulator_.store();
  const bool reachable = to >= 0 && store.isUp(to) && store.accepts(to, link);
  if (setup_.cluster.links[link] == LinkKind::tcp && reachable && !world.isOpen(link, from, to))
    world.open(link, from, to);
  for (std::int64_t i = 0; i < spec.repeat; ++i) {
    world.inject(from, link, spec.to, family().readMessage(spec.message));
  }
}

std::int64_t ScenarioRun::ask(int node, const AnyAsks& asks, Millis later) {
  const auto number = static_cast<std::int64_t>(++requests_);
  simulator_.at(simulator_.now(), [this, node, request = family().request(asks, {number, later})] {
    if (!simulator_.store().isUp(node)) return;
    simulator_.apply({.kind = ActionKind::ask, .a = node, .request = request});
  });
  return number;
}

void ScenarioRun::askOften(const step::Ask& spec) {
  const AnyAsks asks = family().readAsks({}, spec.what);
  const int node = indexOf(spec.who);
  // A client turns to a server before the requests of the same time.
  if (family().turnsTo(asks)) {
    ask(node, asks);
    return;
  }
  if (spec.closed) {
    if (answered_number_.empty())
      answered_number_ = family().header().at("calls").at("answered_number").get<std::string>();
    loops_.push_back({node, asks, spec.every, simulator_.now(), spec.times - 1, ask(node, asks)});
    return;
  }
  for (std::int64_t i = 0; i < spec.times; ++i) {
    const Millis later = i * spec.every;
    simulator_.at(simulator_.now() + later, [this, node, asks, later] { ask(node, asks, later); });
  }
}

void ScenarioRun::continueLoops(const AnyHappened& h) {
  if (loops_.empty() || h.kind != Kind::event || telling_.kind(h) != "answered") return;
  const Json number = telling_.data(h).at(answered_number_);
  const auto ended = [&](const ClosedLoop& loop) { return loop.node == h.node && loop.number == number; };
  const auto at = std::find_if(loops_.begin(), loops_.end(), ended);
  if (at == loops_.end()) return;
  ClosedLoop loop = std::move(*at);
  loops_.erase(at);
  if (loop.left-- == 0) return;
  simulator_.at(simulator_.now() + loop.every, [this, loop = std::move(loop)]() mutable {
    loop.number = ask(loop.node, loop.asks, simulator_.now() - loop.began);
    loops_.push_back(loop);
  });
}

void ScenarioRun::divide(const std::vector<std::vector<ServerId>>& sides) {
  const int n = simulator_.store().size();
  std::vector<std::size_t> side(static_cast<std::size_t>(n), sides.size());
  for (std::size_t i = 0; i < sides.size(); ++i) {
    for (const ServerId id : sides[i]) side[static_cast<std::size_t>(indexOf(id))] = i;
  }
  const int servers = setup_.cluster.serverCount();
  // A client that is named in no side reaches every server.
  const auto standsAside = [&](int i) {
    return i >= servers && side[static_cast<std::size_t>(i)] == sides.size();
  };
  std::set<std::pair<int, int>> ways;
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < n; ++b) {
      if (standsAside(a) || standsAside(b)) continue;
      if (side[static_cast<std::size_t>(a)] != side[static_cast<std::size_t>(b)]) ways.insert({a, b});
    }
  }
  cut(ways, true);
}

void ScenarioRun::heal(const WayOrAll& healed) {
  const int n = simulator_.store().size();
  std::set<std::pair<int, int>> ways;
  if (healed.way) ways.insert({indexOf(healed.way->from), indexOf(healed.way->to)});
  for (int a = 0; !healed.way && a < n; ++a) {
    for (int b = 0; b < n; ++b) ways.insert({a, b});
  }
  cut(ways, false);
}

/// On a datagram link, the first message that the selector names is lost, or arrives twice. On any other link
/// the last message is sent again.
void ScenarioRun::dropOrRepeat(const Selector& selector, ActionKind kind) {
  const Link link = linkOf(selector.link);
  const int from = indexOf(selector.from);
  const int to = indexOf(selector.to);
  if (setup_.cluster.links[link] != LinkKind::datagram) return simulator_.world().repeatLast(link, from, to);
  const auto hold = holdOf(selector);
  const auto& wire = simulator_.store().channel(link, from, to).wire;
  const auto found = std::find_if(wire.begin(), wire.end(), [&](const auto& item) {
    return item && (!hold.matches || hold.matches(*item));
  });
  if (found == wire.end()) return;
  simulator_.apply({.kind = kind,
                    .link = link,
                    .a = from,
                    .b = to,
                    .position = static_cast<std::uint32_t>(found - wire.begin())});
}

void ScenarioRun::setDisk(const DiskSpec& disk) {
  const int server = indexOf(disk.server);
  if (disk.fault == "error") {
    failing_writes_.insert({server, disk.record});
    return;
  }
  if (disk.fault == "none")
    std::erase_if(failing_writes_, [server](const auto& failing) { return failing.first == server; });
  simulator_.stallDisk(server, disk.fault == "stall");
}

void ScenarioRun::setState(const SetSpec& set) {
  const int server = indexOf(set.server);
  if (!simulator_.store().isUp(server)) return;
  const auto at = say(server, "set", {{"unnatural", true}, {"fields", set.state.plain()}},
                      phrase("the state of {node} is changed by the scenario", names()(set.server)));
  auto node = simulator_.store().server(server).node;
  family().readNode(node, set.state);
  family().checkState(set.state, set.server, node);
  simulator_.store().setNode(server, std::move(node));
  if (recording_) recorder_->noteChanges(server, at);
}

void ScenarioRun::doStep(const StepSpec& spec, std::size_t index) {
  // A process that is stopped in order may still do something, unless it stands still.
  if (spec.is<step::Stop>()) {
    for (const ServerId id : idsOf(spec)->list) {
      const int i = indexOf(id);
      const auto last = family().lastRequest(setup_.cluster, i);
      if (last && simulator_.store().isUp(i) && !simulator_.store().isPaused(i))
        simulator_.apply({.kind = ActionKind::ask, .a = i, .request = *last});
    }
  }
  if (const auto end = endOf(spec)) return make(end->kind, *idsOf(spec), end->unsynced, end->in_flight);
  const auto selector = [&](std::string_view word) {  // as the document writes it
    return recording_ ? run_detail::stepValue(scenario_, index).find(word)->plain() : Json();
  };
  const Names& name = telling_.names();
  visit(
      Overloaded{
          [](const auto&) {},
          [this](const step::Start& start) { make(ActionKind::start, start.with); },
          [this](const step::Pause& pause) { make(ActionKind::pause, pause.with); },
          [this](const step::Resume& resume) { make(ActionKind::resume, resume.with); },
          [this](const step::Wipe& wipe) { make(ActionKind::wipe, wipe.with); },
          [this](const step::Prompt& prompt) {
            for (const ServerId id : prompt.with.list) {
              if (simulator_.store().isUp(indexOf(id))) simulator_.world().prompt(indexOf(id));
            }
          },
          [this](const step::Partition& partition) { divide(partition.with); },
          [this](const step::Cut& way) {
            cut({{indexOf(way.with.from), indexOf(way.with.to)}}, true);
          },
          [this](const step::Heal& healed) { heal(healed.with); },
          [this](const step::Break& broken) {
            simulator_.apply({.kind = ActionKind::disrupt,
                              .link = linkOf(broken.with.link),
                              .a = indexOf(broken.with.between[0]),
                              .b = indexOf(broken.with.between[1]),
                              .in_flight = !broken.with.lose});
          },
          [&](const step::Hold& hold) {
            say(-1, "held", {{"selector", selector(hold.word)}},
                phrase("messages from {from} to {receiver} are held back", name(hold.with.from),
                       name(hold.with.to)));
            simulator_.hold(holdOf(hold.with));
          },
          [&](const step::Release& release) {
            say(-1, "released", {{"selector", selector(release.word)}},
                phrase("messages from {from} to {receiver} are released", name(release.with.from),
                       name(release.with.to)));
            const auto wanted = holdOf(release.with);
            simulator_.release([&](const Simulator<Any>::Hold& hold) {
              return hold.link == wanted.link && hold.from == wanted.from && hold.to == wanted.to;
            });
          },
          [this](const step::Drop& drop) { dropOrRepeat(drop.with, ActionKind::drop); },
          [this](const step::Repeat& repeat) { dropOrRepeat(repeat.with, ActionKind::duplicate); },
          [this](const step::Send& sent) { send(sent.with); },
          [this](const step::Disk& disk) { setDisk(disk.with); },
          [this](const step::Set& set) { setState(set.with); },
          [this](const step::Clock& clock) {
            simulator_.setClockRate(indexOf(clock.with.server), clock.with.permille);
          },
          [this](const step::Early& early) { doAction(early.with); },
          [this](const step::Note& note) { say(-1, "note", Json::object(), note.with); },
          [this](const step::Ask& ask) { askOften(ask); }},
      spec.does);
}

/// Sets the action's position to that of the first message that matches; false: there is none.
bool ScenarioRun::findMessage(const ActionSpec& spec, Action<Any>& action) const {
  const auto& wire = simulator_.store().channel(action.link, action.a, action.b).wire;
  if (!spec.message) return !wire.empty();
  const auto wanted = family().readMessage(*spec.message);
  const auto found = std::find(wire.begin(), wire.end(), wanted);
  action.position = static_cast<std::uint32_t>(found - wire.begin());
  return found != wire.end();
}

/// Whether the server asked for exactly that, and the answer is possible: a server gets no age of something
/// that it did not mark.
bool ScenarioRun::mayTell(const Action<Any>& action) const {
  const auto& awaited = simulator_.store().server(action.a).awaited;
  if (action.kind == ActionKind::tell_durable) return !awaited.durable.empty();
  return !awaited.ages.empty() && awaited.ages.front().marked == action.age.has_value();
}

void ScenarioRun::doAction(const ActionSpec& spec) {
  const auto& world = simulator_.world();
  const auto& store = simulator_.store();
  Action<Any> action{.kind = *actionFromName(family(), spec.do_)};
  action.link = spec.link.empty() ? Link{0} : linkOf(spec.link);
  action.a = indexOf(spec.server ? *spec.server : spec.from.value_or(no_server));
  action.b = indexOf(spec.to.value_or(no_server));
  action.in_flight = !spec.lose;
  action.dies = spec.dies.value_or(CrashPoint{});
  action.unsynced = static_cast<std::uint32_t>(spec.keep.value_or(0));
  if (action.kind == ActionKind::cut || action.kind == ActionKind::heal) {
    return cut({{action.a, action.b}}, action.kind == ActionKind::cut);
  }
  const bool up = action.a >= 0 && store.isUp(action.a);
  const bool runs = up && !store.isPaused(action.a);
  bool possible = up;
  switch (action.kind) {
    case ActionKind::deliver:
      possible = world.canDeliver(action.link, action.a, action.b) && findMessage(spec, action);
      break;
    case ActionKind::drop:
    case ActionKind::duplicate: possible = findMessage(spec, action); break;
    case ActionKind::overtake: possible = world.canOvertake(action.link, action.a, action.b); break;
    case ActionKind::deliver_late: possible = world.canDeliverLate(action.link, action.a, action.b); break;
    case ActionKind::dial:
    case ActionKind::give_up: possible = up && world.isDialling(action.link, action.a, action.b); break;
    case ActionKind::fire:
      action.timer = timerOf(family(), spec);
      possible = false;
      if (runs)
        store.forEachTimer(action.a,
                           [&](const auto& timer) { possible = possible || timer == action.timer; });
      if (possible) simulator_.timerCancelled(action.a, action.timer);  // it may not be due yet
      break;
    case ActionKind::sync:
    case ActionKind::fail_write: possible = runs && store.hasUnsynced(action.a); break;
    case ActionKind::start:
    case ActionKind::wipe: possible = !up; break;
    case ActionKind::disrupt: possible = world.isOpen(action.link, action.a, action.b); break;
    case ActionKind::tell_durable:
    case ActionKind::tell_age:
      action.age = spec.age;
      possible = up && mayTell(action);
      break;
    case ActionKind::pause: possible = runs; break;
    case ActionKind::resume: possible = up && store.isPaused(action.a); break;
    case ActionKind::ask: {
      const auto number = static_cast<std::int64_t>(++requests_);
      const AnyAsks asks = family().readAsks(*spec.ask, spec.ask->members());
      action.request = family().request(asks, {spec.number.value_or(number)});
      break;
    }
    default: break;
  }
  if (possible) return simulator_.apply(action);
  say(action.a, "skipped", {{"action", spec.do_}}, phrase("nothing to {action} here", spec.do_));
}

/// Records what the world does not report: a cut, a hold, a note. Returns its index in the trace, if there is
/// one.
std::uint64_t ScenarioRun::say(int node, std::string kind, Json data, const Phrase& text) {
  TraceEvent event;
  event.kind = kind;
  if (node >= 0) event.node = telling_.idOf(node);
  event.data = data;
  const std::uint64_t index =
      recording_ ? recorder_->say(node, std::move(kind), std::move(data), text) : 0;
  if (until_.event && matches(*until_.event, event)) stop_ = true;
  for (Condition& condition : conditions_) {
    if (isAwaited(condition, true) && matches(condition.step->when->event, event)) met(condition, node);
  }
  return index;
}

ScenarioRun::Condition ScenarioRun::conditionOf(std::size_t index) const {
  const StepSpec& step = scenario_.spec.steps[index];
  const When& when = *step.when;
  Condition condition{.step = &step, .index = index, .from = when.from, .after = when.edge == "after"};
  if (when.by) condition.by = *when.by;
  for (const JsonValue& member : when.event.fields.members()) {
    const bool text = member.kind() == JsonValue::Kind::string;
    if (member.key() == "kind") condition.kind = member.asString();
    if (member.key() == "node") condition.node = indexOf(member.asInt64());
    if (member.key() == "type" && text) condition.type = member.asString();
    if (member.key() == "record" && text) condition.record = member.asString();
  }
  return condition;
}

bool ScenarioRun::isAwaited(const Condition& condition, bool after) const {
  return !condition.done && condition.after == after && simulator_.now() >= condition.from &&
         simulator_.now() <= condition.by;
}

bool ScenarioRun::mayMatch(const Condition& condition, const AnyHappened& h) const {
  if (condition.node && *condition.node != h.node) return false;
  if (condition.kind && *condition.kind != telling_.kind(h)) return false;
  if (condition.type && h.content != nullptr && *condition.type != family().typeName(*h.content))
    return false;
  return !condition.record || h.record == nullptr || *condition.record == family().recordName(*h.record);
}

void ScenarioRun::on(const AnyHappened& h) {
  std::optional<TraceEvent> event;
  const auto has = [&](const EventPattern& pattern) {
    if (!event) {
      event.emplace();
      if (h.node >= 0) event->node = telling_.idOf(h.node);
      event->kind = telling_.kind(h);
      event->data = telling_.data(h);
    }
    return !event->kind.empty() && matches(pattern, *event);
  };
  if (until_.event && has(*until_.event)) stop_ = true;
  for (Condition& condition : conditions_) {
    if (!isAwaited(condition, true) || !mayMatch(condition, h)) continue;
    if (has(condition.step->when->event)) met(condition, h.node);
  }
  continueLoops(h);
  telling_.note(h);
  if (h.kind == Kind::stopped && h.stopped == HowStopped::exit && scenario_.spec.restart_after_ms) {
    const int server = h.node;
    simulator_.at(simulator_.now() + *scenario_.spec.restart_after_ms, [this, server] {
      if (!simulator_.store().isUp(server)) simulator_.apply({.kind = ActionKind::start, .a = server});
    });
  }
}

/// The event that the condition waits for has happened again.
void ScenarioRun::met(Condition& condition, int node) {
  const When& when = *condition.step->when;
  if (++condition.seen < when.nth) return;
  condition.done = true;
  const auto end = endOf(*condition.step);
  const bool ends_this_step = end && when.plus == 0 && idsOf(*condition.step)->list.size() == 1 &&
                              node == indexOf(idsOf(*condition.step)->list[0]) && simulator_.inStep(node);
  if (ends_this_step) {
    simulator_.endProcess(node, end->how, end->in_flight, end->unsynced);
    const std::uint64_t next = trace_.events.size();
    stepIsDone(condition.index, {next, next + 1});  // that it has ended
  } else {
    const std::size_t index = condition.index;
    simulator_.at(simulator_.now() + when.plus, [this, index] { perform(index); });
  }
}

std::optional<Simulator<Any>::Ending> ScenarioRun::beforeEffect(int server,
                                                                const Any::Vocabulary::Effect& effect) {
  AnyHappened happened{.node = server};
  if (const auto* write = get_if<Any::Vocabulary::Write>(&effect)) {
    happened.kind = Kind::written;
    happened.record = &write->record;
    happened.blocking = write->blocking;
  } else if (const auto* send = get_if<Any::Vocabulary::Send>(&effect)) {
    happened.kind = Kind::sent;
    happened.link = send->link;
    happened.to = send->to;
    happened.content = &send->message;
  } else {
    return std::nullopt;
  }
  for (Condition& condition : conditions_) {
    const When& when = *condition.step->when;
    if (!isAwaited(condition, false) || !mayMatch(condition, happened)) continue;
    TraceEvent event;
    event.node = telling_.idOf(server);
    event.kind = telling_.kind(happened);
    event.data = telling_.data(happened);
    if (!matches(when.event, event) || ++condition.seen < when.nth) continue;
    condition.done = true;
    const auto end = endOf(*condition.step);
    const std::uint64_t next = trace_.events.size();
    stepIsDone(condition.index, {next, next + 1});  // that it has ended
    return Simulator<Any>::Ending{end->how, end->unsynced, when.edge == "during"};
  }
  return std::nullopt;
}

Json ScenarioRun::header() const {
  const Scenario& spec = scenario_.spec;
  Json header{{"title", spec.name},
              {"protocol", std::string(family().name())},
              {"variant", spec.variant.empty() ? std::string(family().defaultVariant()) : spec.variant},
              {"rules", family().changedRules(setup_.cluster)},
              {"mutations", spec.mutations}};
  header["seed"] = spec.seed ? Json(*spec.seed) : Json(nullptr);
  header["nodes"] = Json::array();
  const auto kindOf = [this](std::size_t i) -> std::string {
    if (setup_.servers[i].scripted) return "scripted";
    if (setup_.servers[i].client) return "client";
    const std::string kind = family().nodeKind(setup_.cluster, static_cast<int>(i));
    return kind.empty() ? "voter" : kind;
  };
  for (std::size_t i = 0; i < setup_.servers.size(); ++i) {
    const ServerSpec& server = setup_.servers[i];
    header["nodes"].push_back({{"id", server.id}, {"name", shownName(server)}, {"kind", kindOf(i)}});
  }
  header.update(family().header());
  header["configuration"] = family().configuration(setup_.cluster);
  if (until_.time) header["until"] = *until_.time;
  if (until_.event) header["until"] = until_.event->fields.plain();
  return header;
}

}  // namespace zablab
