#include "sim/setup.h"

#include <algorithm>

#include "protocol/overloaded.h"
#include "sim/asks.h"
#include "sim/patterns.h"
#include "sim/state_set.h"

namespace zablab {

const JsonValue& run_detail::stepValue(const LoadedScenario& scenario, std::size_t index) {
  return scenario.document.find("steps")->elements()[index];
}

std::string shownName(const ServerSpec& server) {
  return server.name.empty() ? std::to_string(server.id) : server.name;
}

Names namesOf(const std::vector<ServerSpec>& servers) {
  std::map<ServerId, std::string> names;
  for (const ServerSpec& server : servers) names.emplace(server.id, shownName(server));
  return Names(std::move(names));
}

std::optional<ActionKind> actionFromName(const AnyFamily& family, std::string_view name) {
  if (!family.ownAction().empty() && name == family.ownAction()) return ActionKind::own;
  const auto kind = enumFromName<ActionKind>(name);
  return kind == ActionKind::own ? std::nullopt : kind;
}

bool happensByItself(ActionKind kind) {
  return kind == ActionKind::deliver || kind == ActionKind::fire || kind == ActionKind::sync;
}

Link linkIndex(const AnyFamily& family, std::string_view name) {
  const auto links = family.links();
  const auto link =
      std::find_if(links.begin(), links.end(), [&](const LinkSpec& one) { return one.name == name; });
  return static_cast<Link>(link - links.begin());
}

Any::Vocabulary::Timer timerOf(const AnyFamily& family, const ActionSpec& action) {
  Any::Vocabulary::Timer timer{*family.timerFromName(action.timer), family.noKey()};
  if (family.timerKeyWord() == std::string_view("peer")) {
    timer.key.server = action.peer.value_or(no_server);
  } else if (action.key) {
    timer.key = family.readTimerKey(*action.key);
  }
  return timer;
}

namespace {

/// The kind that the link runs on in this scenario.
LinkKind kindOf(const LinkSpec& link, const Scenario& scenario) {
  const auto chosen = scenario.links.find(std::string(link.name));
  return chosen == scenario.links.end() ? link.kind : chosen->second;
}

/// The servers, followed by the clients. Throws InputError.
std::vector<ServerSpec> serversOf(const AnyFamily& family, const LoadedScenario& scenario) {
  const Scenario& spec = scenario.spec;
  std::vector<ServerSpec> servers;
  if (spec.servers) servers = spec.servers->list;
  std::optional<std::vector<ServerSpec>> others = family.serversOf(spec, scenario.keys(), scenario.document);
  if (others && spec.servers)
    throw scenario.document.keyError("servers", "the servers are given twice", "leave `servers` out");
  if (others) servers = std::move(*others);
  if (servers.empty()) throw scenario.document.error("`servers` is missing", "as in \"servers\": 3");
  for (ServerSpec& client : clientsOf(spec)) servers.push_back(std::move(client));
  return servers;
}

}  // namespace

Setup makeSetup(const AnyFamily& family, const LoadedScenario& scenario) {
  const Scenario& spec = scenario.spec;
  Setup setup;
  setup.servers = serversOf(family, scenario);
  const std::shared_ptr<ClusterShape> own = family.cluster(spec, scenario.document, setup.servers);
  for (const ServerSpec& server : setup.servers) {
    own->ids.push_back(server.id);
    own->scripted.push_back(server.scripted);
    if (server.client) ++own->clients;
  }
  for (const LinkSpec& link : family.links()) {
    own->links.push_back(kindOf(link, spec));
    setup.timing.latency.push_back({spec.timing.latency_ms.lo, spec.timing.latency_ms.hi});
  }
  static_cast<ClusterShape&>(setup.cluster) = *own;
  setup.cluster.nodes = setup.cluster.family = &family;
  setup.cluster.own = own;
  setup.timing.dial = {spec.timing.dial_ms.lo, spec.timing.dial_ms.hi};
  setup.timing.fsync = {spec.timing.fsync_ms.lo, spec.timing.fsync_ms.hi};
  setup.timing.connect_timeout = spec.timing.connect_timeout_ms;
  if (const auto& datagrams = spec.timing.datagrams) {
    setup.timing.lost_permille = datagrams->lost_permille;
    setup.timing.doubled_permille = datagrams->doubled_permille;
    setup.timing.datagrams_until = datagrams->until;
  }
  for (const SlowWay& way : spec.timing.slow) {
    const int from = setup.cluster.indexOf(way.from);
    const int to = setup.cluster.indexOf(way.to);
    if (from < 0 || to < 0) {
      throw scenario.document.find("timing")->error("`slow` names a server that does not exist");
    }
    setup.timing.slow[{from, to}] = {way.latency_ms.lo, way.latency_ms.hi};
  }
  return setup;
}

Value placedNode(const Setup& setup, std::size_t i, const Value& disk) {
  const AnyFamily& family = *setup.cluster.family;
  const ServerSpec& server = setup.servers[i];
  Value node = family.loaded(setup.cluster, static_cast<int>(i), disk);
  family.readNode(node, *server.state);
  family.checkState(*server.state, server.id, node);
  return node;
}

namespace {

/// Checks that every name in the scenario's `links` is a link that can run on datagrams.
void checkLinks(const AnyFamily& family, const LoadedScenario& scenario) {
  const auto links = family.links();
  std::string known;
  for (const LinkSpec& link : links) {
    if (isSlot(link.kind)) known += (known.empty() ? "" : ", ") + std::string(link.name);
  }
  for (const auto& chosen : scenario.spec.links) {
    const bool slot = std::any_of(links.begin(), links.end(), [&](const LinkSpec& link) {
      return link.name == chosen.first && link.kind == LinkKind::slot;
    });
    if (slot && chosen.second != LinkKind::tcp) continue;
    throw scenario.document.find("links")->keyError(
        chosen.first, inBackticks(chosen.first) + " does not run on " + std::string(enumName(chosen.second)),
        "links that can run on `datagram` or `newest`: " + known);
  }
}

/// Checks the request that the members of `place` describe.
void checkAsked(const JsonValue& place, const OwnMembers& members, const AnyCluster& cluster) {
  const auto server = cluster.family->turnsTo(cluster.family->readAsks(place, members));
  if (!server || cluster.indexOf(*server) >= 0) return;
  std::string known;
  for (int i = 0; i < cluster.serverCount(); ++i)
    known += (known.empty() ? "" : ", ") + std::to_string(cluster.ids[static_cast<std::size_t>(i)]);
  throw members.front().errorAtKey("there is no server " + std::to_string(*server), "servers are: " + known);
}

/// Checks that an action names what it is about, and that this exists.
template <class RequireLink>
void checkAction(const ActionSpec& action, const JsonValue& place, const Setup& setup,
                 const RequireLink& requireLink) {
  const AnyFamily& family = *setup.cluster.family;
  const auto kind = actionFromName(family, action.do_);
  bool between = false;
  if (action.message) {
    requireLink(place, "link", action.link);
    checkNumbers(*action.message);
    family.readMessage(*action.message);
  }
  if (!kind) {
    std::string own;
    if (!family.ownAction().empty()) own = ", " + std::string(family.ownAction());
    throw place.keyError(
        "do", "a run by `actions` has no " + inBackticks(action.do_),
        "known actions: deliver, overtake, deliver_late, drop, duplicate, dial, give_up, disrupt, "
        "fire, sync, fail_write, start, stop, kill, lose_power, pause, resume, wipe, cut, heal, ask, "
        "tell_durable, tell_age" +
            own);
  }
  switch (*kind) {
    case ActionKind::drop:
    case ActionKind::duplicate:
      requireLink(place, "link", action.link);
      if (setup.cluster.links[linkIndex(family, action.link)] != LinkKind::datagram)
        throw place.keyError("link", inBackticks(action.link) + " is no datagram link");
      between = true;
      break;
    case ActionKind::deliver:
      requireLink(place, "link", action.link);
      if (action.message && setup.cluster.links[linkIndex(family, action.link)] != LinkKind::datagram)
        throw place.keyError("message", "messages of " + inBackticks(action.link) + " arrive in their order",
                             "without `message` the next one arrives");
      between = true;
      break;
    case ActionKind::overtake:
    case ActionKind::deliver_late:
    case ActionKind::dial:
    case ActionKind::give_up:
    case ActionKind::disrupt: requireLink(place, "link", action.link); [[fallthrough]];
    case ActionKind::own:
    case ActionKind::cut:
    case ActionKind::heal: between = true; break;
    case ActionKind::fire:
      if (!family.timerFromName(action.timer))
        throw place.keyError("timer", "there is no timer " + inBackticks(action.timer));
      if (family.timerKeyWord() == std::string_view("key") ? action.peer.has_value() : action.key.has_value())
        throw place.keyError(action.key ? "key" : "peer", "timers of this protocol are distinguished by `" +
                                                              std::string(family.timerKeyWord()) + "`");
      timerOf(family, action);
      break;
    case ActionKind::tell_durable:
    case ActionKind::tell_age:
      if (!family.asksWorld()) throw place.keyError("do", "servers of this protocol do not ask for this");
      if (action.age && *action.age < 0) throw place.keyError("age", "an age is not negative");
      break;
    case ActionKind::sync:
    case ActionKind::fail_write:
    case ActionKind::start:
    case ActionKind::stop:
    case ActionKind::kill:
    case ActionKind::lose_power:
    case ActionKind::pause:
    case ActionKind::resume:
    case ActionKind::wipe: break;
    case ActionKind::ask: {
      if (!action.ask) throw place.error("`ask` is missing", "as in \"ask\": {\"read\": true}");
      checkAsked(*action.ask, action.ask->members(), setup.cluster);
      break;
    }
  }
  if (action.keep && (*action.keep < 0 || *action.keep > 1'000'000))
    throw place.keyError("keep", "`keep` is a number of writes, from 0 to 1000000");
  if (action.dies && action.dies->write == 0) {
    throw place.find("dies")->keyError("write", "the writes of a step are counted from 1");
  }
  const auto require = [&](std::string_view key, const std::optional<ServerId>& id) {
    if (id && setup.cluster.indexOf(*id) >= 0) return;
    throw id ? place.keyError(key, "there is no server " + std::to_string(*id))
             : place.error("`" + std::string(key) + "` is missing");
  };
  if (between) {
    require("from", action.from);
    require("to", action.to);
  } else {
    require("server", action.server);
  }
}

/// Checks the patterns of an expectation.
void checkPatterns(const PatternChecker& patterns, const JsonValue& place, const ExpectSpec& expect) {
  if (expect.event) patterns.checkEvent(expect.event->fields);
  if (expect.at_event) patterns.checkEvent(expect.at_event->fields);
  for (const EventPattern& event : expect.order) patterns.checkEvent(event.fields);
  if (expect.state) patterns.checkState(*expect.state);
  if (expect.equal) patterns.checkPath(*place.find("equal"), "field", expect.equal->field);
  if (expect.packets) {
    for (const auto& list : {expect.packets->exactly, expect.packets->contains}) {
      if (!list) continue;
      for (const EventPattern& packet : *list) patterns.checkPacket(packet.fields);
    }
  }
  for (std::size_t i = 0; i < expect.any_of.size(); ++i)
    checkPatterns(patterns, place.find("any_of")->elements()[i], expect.any_of[i]);
}

/// Checks the parts of a step that use the family's own types.
template <class RequireLink>
void checkDoes(const StepSpec& spec, const JsonValue& place, const Setup& setup,
               const PatternChecker& patterns, const RequireLink& requireLink) {
  const AnyFamily& family = *setup.cluster.family;
  const PatternTypes types = family.patternTypes();
  if (spec.when) patterns.checkEvent(spec.when->event.fields);
  const auto checkSelector = [&](std::string_view word, const Selector& selector) {
    requireLink(place, word, selector.link);
    if (selector.message) json_detail::checkShape(types.message, *selector.message);
  };
  const auto scripted = [&](ServerId id) {
    const auto found = std::find_if(setup.servers.begin(), setup.servers.end(),
                                    [&](const ServerSpec& server) { return server.id == id; });
    return found != setup.servers.end() && found->scripted;
  };
  visit(
      Overloaded{
          [](const auto&) {},
          [&](const step::Ask& ask) {
            if (!ask.client && !family.asksServers())
              throw place.keyError("server", "servers of this protocol take no requests", "ask a `client`");
            checkAsked(place, ask.what, setup.cluster);
            if (ask.closed && (!ask.client || !family.header().contains("calls")))
              throw place.keyError("closed", "nobody waits for the answers to these requests",
                                   "only a `client`'s can be a closed loop");
          },
          [&](const step::Break& broken) { requireLink(place, broken.word, broken.with.link); },
          [&](const step::Hold& hold) { checkSelector(hold.word, hold.with); },
          [&](const step::Release& release) { checkSelector(release.word, release.with); },
          [&](const step::Repeat& repeat) { checkSelector(repeat.word, repeat.with); },
          [&](const step::Drop& drop) {
            checkSelector(drop.word, drop.with);
            if (setup.cluster.links[linkIndex(family, drop.with.link)] != LinkKind::datagram)
              throw place.keyError(
                  "drop", "a connection does not lose single messages",
                  "`break` with \"lose\": true loses what is in flight; `hold` holds a message back");
          },
          [&](const step::Early& early) {
            const JsonValue& action = *place.find(early.word);
            if (const auto kind = actionFromName(family, early.with.do_); !kind || !happensByItself(*kind))
              throw action.keyError("do", "a step has no action " + inBackticks(early.with.do_),
                                    "it may deliver, fire or sync; a fault is a step of its own, such as "
                                    "\"kill\"");
            if (early.with.dies) throw action.keyError("dies", "only in a run by `actions`");
            checkAction(early.with, action, setup, requireLink);
          },
          [&](const step::Set& set) {
            checkNumbers(set.with.state);
            family.checkNode(set.with.state);
          },
          [&](const step::Send& send) {
            requireLink(place, send.word, send.with.link);
            checkNumbers(send.with.message);
            family.readMessage(send.with.message);
            if (!scripted(send.with.from))
              throw place.keyError("send", "server " + std::to_string(send.with.from) + " is not scripted",
                                   "only a server with \"scripted\": true sends what a scenario specifies");
          }},
      spec.does);
}

}  // namespace

void checkScenario(const AnyFamily& family, const LoadedScenario& scenario) {
  const Setup setup = makeSetup(family, scenario);
  family.checkFields(scenario.spec, scenario.keys());
  for (const ServerSpec& server : setup.servers) family.checkFields(server);
  checkStepsAndExpectations(scenario.spec, scenario.document, setup.servers);
  const PatternChecker patterns = patternChecker(setup.cluster);
  for (std::size_t i = 0; !family.clientsTurn() && i < scenario.spec.clients.size(); ++i) {
    if (scenario.spec.clients[i].server)
      throw scenario.document.find("clients")->elements()[i].keyError(
          "server", "clients of this protocol are not connected to one server", "leave it out");
  }
  for (std::size_t i = 0; i < scenario.spec.expect.size(); ++i)
    checkPatterns(patterns, scenario.document.find("expect")->elements()[i], scenario.spec.expect[i]);
  checkLinks(family, scenario);
  for (std::size_t i = 0; i < setup.servers.size(); ++i) {
    const ServerSpec& server = setup.servers[i];
    Value disk = family.emptyDisk();
    if (server.disk) {
      checkNumbers(*server.disk);
      family.readDisk(disk, *server.disk);
    }
    if (!server.state) continue;
    checkNumbers(*server.state);
    placedNode(setup, i, disk);
  }
  const auto requireLink = [&family](const JsonValue& place, std::string_view key, const std::string& name) {
    const auto named = [&](const auto& link) { return link.name == name; };
    const auto links = family.links();
    if (std::any_of(links.begin(), links.end(), named)) return;
    std::string known;
    for (const LinkSpec& link : links) known += (known.empty() ? "" : ", ") + std::string(link.name);
    throw place.keyError(key, "there is no link " + inBackticks(name), "links are: " + known);
  };
  for (std::size_t i = 0; i < scenario.spec.actions.size(); ++i) {
    checkAction(scenario.spec.actions[i], scenario.document.find("actions")->elements()[i], setup,
                requireLink);
  }
  if (scenario.spec.loop && scenario.spec.loop->without)
    StateSet(setup.cluster, *scenario.spec.loop->without, *scenario.document.find("loop")->find("without"));
  for (std::size_t i = 0; i < scenario.spec.steps.size(); ++i)
    checkDoes(scenario.spec.steps[i], run_detail::stepValue(scenario, i), setup, patterns, requireLink);
}

}  // namespace zablab
