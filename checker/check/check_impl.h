// How a model is checked, for every family. Included by the one file of each family that instantiates it.
#pragma once

#include <bit>
#include <memory>

#include "checker/check/contract.h"
#include "checker/check/family_check.h"
#include "checker/check/graph.h"
#include "checker/check/search.h"
#include "protocol/timer_kinds.h"
#include "sim/asks.h"
#include "sim/json_reflect.h"
#include "sim/patterns.h"
#include "sim/run.h"
#include "sim/typed.h"

namespace zablab::check_detail {

template <class F>
std::string timerName(std::size_t kind) {
  return Binding<F>::timerName(static_cast<typename F::TimerKind>(kind));
}

/// Throws InputError if there are more servers and clients than a search has room for.
template <class F>
void checkSize(const LoadedModel& model, const Cluster<F>& cluster) {
  const auto links = static_cast<int>(cluster.links.size());
  int most = 1;
  while (Layout(most + 1, links).fits()) ++most;
  if (static_cast<int>(cluster.ids.size()) > most)
    throw model.document.keyError("servers", "a model of this protocol has at most " + std::to_string(most) +
                                                 " servers and clients together");
}

/// Throws TableFull.
inline void checkInvariantCount(std::size_t count) {
  if (count > invariants_max)
    throw TableFull("a search distinguishes at most " + std::to_string(invariants_max) + " invariants, not " +
                    std::to_string(count));
}

/// Refuses budgets that nothing in this family, or on these links, would spend. Throws InputError.
template <class F>
void checkBudgets(const LoadedModel& model, const Cluster<F>& cluster) {
  const BoundsSpec& bounds = model.spec.bounds;
  const auto refuse = [&](std::int64_t bound, const char* budget, const char* why, const char* hint) {
    if (bound > 0) throw model.document.find("bounds")->keyError(budget, why, hint);
  };
  if constexpr (!HasElections<F>)
    refuse(bounds.elections, "elections", "this protocol has no elections", "leave it out");
  if constexpr (!HasBudgetedRequests<F>) {
    constexpr const char* hint = "list in `asks` what clients ask";
    refuse(bounds.writes, "writes", "a request of this protocol is not given by a number", hint);
    refuse(bounds.reads, "reads", "a request of this protocol is not given by a number", hint);
  }
  if constexpr (!HasTurns<F>)
    refuse(bounds.turns, "turns", "clients of this protocol are not connected to one server", "leave it out");
  const auto& kinds = cluster.links;
  if (std::find(kinds.begin(), kinds.end(), LinkKind::datagram) != kinds.end()) return;
  constexpr const char* why = "no link loses or duplicates single messages";
  refuse(bounds.drops, "drops", why, "`breaks` loses a connection with what is in flight");
  refuse(bounds.duplicates, "duplicates", why, "leave it out");
}

/// The model's list of requests. Throws InputError.
template <class F>
std::vector<std::pair<int, typename F::Request>> asksOf(const LoadedModel& model, const Cluster<F>& cluster) {
  std::vector<std::pair<int, typename F::Request>> asks;
  if (model.spec.asks.empty()) return asks;
  if constexpr (requires { CheckOf<F>::idle; }) {
    for (const AskedFor& ask : model.spec.asks) {
      const JsonValue& place = model.document.find("asks")->elements()[asks.size()];
      const int index = cluster.indexOf(ask.client);
      if (index < cluster.serverCount())
        throw place.keyError("client", "there is no client " + std::to_string(ask.client));
      const auto what = readAsks<typename Binding<F>::Asks>(place, ask.own);
      if (turnsTo<F>(what))
        throw ask.own.front().errorAtKey("a list of requests has no " + inBackticks(ask.own.front().key()));
      const auto number = static_cast<std::int64_t>(asks.size()) + 1;
      asks.emplace_back(index, Binding<F>::request(what, {number}));
    }
  } else {
    throw model.document.keyError("asks", "a model of this protocol has no list of requests");
  }
  if (asks.size() > budget_max)
    throw model.document.keyError("asks", "there are more than " + std::to_string(budget_max) + " requests");
  if (model.spec.asks_order == AskOrder::per_client && cluster.clients > Spent::lists_max)
    throw model.document.keyError(
        "asks_order", "more than " + std::to_string(Spent::lists_max) + " clients have lists of their own");
  return asks;
}

/// The effect of `connect_at_once` on connections, in words.
template <class F>
std::string connectsAtOnce() {
  if constexpr (requires { CheckOf<F>::connects_at_once; }) return std::string(CheckOf<F>::connects_at_once);
  return "slot links connect at once";
}

/// The switches of a model. Throws InputError if it names something that does not exist.
template <class F>
Limits<F> limitsOf(const LoadedModel& model, const Cluster<F>& cluster) {
  checkBudgets(model, cluster);
  const Model& spec = model.spec;
  Limits<F> limits;
  limits.bounds = spec.bounds.bounds();
  limits.ends = spec.ends;
  limits.ends_inside_steps = spec.ends_inside_steps;
  limits.dials = spec.dials;
  limits.slots_connect_at_once = spec.connect_at_once;
  limits.grain = spec.grain;
  if (!search_of::knows<F>(spec.grain))
    throw model.document.keyError(
        "grain",
        "this protocol is not searched at the grain " + inBackticks(std::string(enumName(spec.grain))),
        "every protocol supports `full`");
  for (std::size_t kind = 0; kind < timerKindCount<typename F::TimerKind>(); ++kind) {
    limits.fires.push_back(CheckOf<F>::firesByDefault(static_cast<typename F::TimerKind>(kind)));
  }
  for (const auto& [name, fires] : spec.timers) {
    const auto kind = timerKindFromName<typename F::TimerKind>(name);
    if (!kind) throw model.document.find("timers")->keyError(name, "there is no timer " + inBackticks(name));
    if (!search_of::knows<F>(fires))
      throw model.document.find("timers")->keyError(
          name, "no timer of this protocol fires " + inBackticks(std::string(enumName(fires))),
          "every protocol supports: never, budgeted, free, quiescent, peer_unreachable");
    limits.fires[static_cast<std::size_t>(*kind)] = fires;
  }
  if (!spec.only.empty()) {
    limits.links = 0;
    for (const std::string& name : spec.only) {
      const auto link =
          std::find_if(F::links.begin(), F::links.end(), [&](auto& one) { return one.name == name; });
      if (link == F::links.end())
        throw model.document.keyError("only", "there is no link " + inBackticks(name));
      limits.links |= 1U << (link - F::links.begin());
    }
  }
  limits.asks = asksOf(model, cluster);
  limits.asks_order = spec.asks_order;
  limits.bounds[static_cast<std::size_t>(Budget::asked)] = static_cast<std::uint32_t>(limits.asks.size());
  return limits;
}

/// What the search considers possible.
template <class F>
std::vector<std::string> switchesOf(const Model& model, const Limits<F>& limits) {
  std::vector<std::string> lines;
  std::string bounds;
  forEachField(model.bounds, [&](const char* name, std::int64_t bound) {
    bounds += (bounds.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(bound);
  });
  lines.push_back("bounds: " + bounds);
  if (!limits.asks.empty()) {
    std::string asks;
    for (const AskedFor& ask : model.asks) {
      const auto what = readAsks<typename Binding<F>::Asks>({}, ask.own);
      const std::string word(std::visit([](const auto& one) { return one.name; }, what));
      asks += (asks.empty() ? "" : ", ") + std::to_string(ask.client) + " " + word;
    }
    const bool one_by_one = limits.asks_order == AskOrder::one_by_one;
    lines.push_back((one_by_one ? "asked, one after the other: " : "asked, each client in its order: ") +
                    asks);
  }
  std::string ends;
  for (const Ends how : limits.ends) ends += (ends.empty() ? "" : ", ") + std::string(enumName(how));
  if (limits.of(Budget::crashes) > 0)
    lines.push_back("servers end by: " + ends +
                    (limits.ends_inside_steps ? "; also in the middle of a step" : "; only between steps"));
  std::string grain = "grain: " + std::string(enumName(limits.grain));
  if (limits.grain == Grain::reduced) grain += " (messages without effect are read at once)";
  if (limits.grain == Grain::settled) grain += " (leaves behaviours out)";
  if (limits.grain == Grain::atomic_election)
    grain += " (adds behaviours: what is reached, or violated, may need an election that is impossible)";
  lines.push_back(std::move(grain));
  std::string timers;
  for (std::size_t kind = 0; kind < limits.fires.size(); ++kind) {
    timers +=
        (timers.empty() ? "" : ", ") + timerName<F>(kind) + " " + std::string(enumName(limits.fires[kind]));
  }
  lines.push_back("timers fire: " + timers);
  if constexpr (F::Vocabulary::has_marks)
    lines.push_back("ages: any time between thresholds, regardless of clocks (adds behaviours)");
  std::string links;
  for (std::size_t link = 0; link < F::links.size(); ++link) {
    const auto chosen = model.links.find(std::string(F::links[link].name));
    const LinkKind kind = chosen == model.links.end() ? F::links[link].kind : chosen->second;
    links +=
        (links.empty() ? "" : ", ") + std::string(F::links[link].name) + " " + std::string(enumName(kind));
  }
  lines.push_back("links: " + links);
  lines.push_back(
      std::string("connections: a dial reaches ") +
      (limits.dials == Dials::patient ? "a server only when it has a role" : "a server in any state") +
      (limits.slots_connect_at_once ? "; " + connectsAtOnce<F>() : ""));
  return lines;
}

/// Performs the model's initial actions, in a world whose servers are down.
template <class WorldType>
void begin(const LoadedScenario& scenario, const Setup& setup, DirectStore<Any>& store, WorldType& world) {
  const AnyFamily& family = *setup.cluster.family;
  const std::vector<int> placed =
      placeServers(setup, scenario.spec, store, [&](Link link, int a, int b) { world.open(link, a, b); });
  for (int i = 0; i < store.size(); ++i) {
    const ServerSpec& server = setup.servers[static_cast<std::size_t>(i)];
    if (server.scripted || server.down) continue;
    if (std::find(placed.begin(), placed.end(), i) != placed.end()) {
      world.takeUp(i);
    } else {
      world.start(i);
    }
  }
  if (!family.clientsTurn()) return;
  for (const ClientSpec& client : scenario.spec.clients) {
    if (client.server)
      world.ask(setup.cluster.indexOf(client.id), family.request(family.turn(*client.server), {}));
  }
}

/// The initial world of the model.
inline WorldValue<Any> startOf(const LoadedScenario& scenario, const Setup& setup) {
  DirectStore<Any> store(setup.cluster);
  WatchEnvironment<Any> environment(setup.cluster);
  World<DirectStore<Any>, WatchEnvironment<Any>> world(setup.cluster, store, environment);
  begin(scenario, setup, store, world);
  return store.value();
}

/// Lets the servers run until nothing is on the way, so that all clients that turn to a server are connected
/// when the search begins. Changes `start`, and returns what was done. Throws InputError if one is not.
template <class F>
std::vector<Action<F>> connectClients(const LoadedModel& model, const Cluster<F>& cluster,
                                      WorldValue<F>& start) {
  std::vector<Action<F>> way;
  if constexpr (requires { &CheckOf<F>::connected; }) {
    const auto& clients = model.spec.clients;
    if (std::none_of(clients.begin(), clients.end(), [](const ClientSpec& one) { return one.server; }))
      return way;
    DirectStore<F> store(cluster);
    store.setValue(start);
    IdleEnvironment<F> environment;
    World<DirectStore<F>, IdleEnvironment<F>> world(cluster, store, environment);
    const auto next = [&]() -> std::optional<Action<F>> {
      for (Link link = 0; link < cluster.links.size(); ++link) {
        for (int from = 0; from < store.size(); ++from) {
          for (int to = 0; to < store.size(); ++to) {
            if (world.canDeliver(link, from, to))
              return Action<F>{.kind = ActionKind::deliver, .link = link, .a = from, .b = to};
            if (world.isDialling(link, from, to) && store.isUp(to))
              return Action<F>{.kind = ActionKind::dial, .link = link, .a = from, .b = to};
          }
        }
      }
      for (int i = 0; i < store.size(); ++i) {
        if (store.isUp(i) && store.hasUnsynced(i)) return Action<F>{.kind = ActionKind::sync, .a = i};
      }
      return std::nullopt;
    };
    while (const auto action = next()) {
      world.apply(*action);
      way.push_back(*action);
    }
    start = store.value();
    for (const ClientSpec& client : clients) {
      const auto i = static_cast<std::size_t>(cluster.indexOf(client.id));
      if (client.server && !CheckOf<F>::connected(start.servers[i].node))
        throw model.document.keyError(
            "clients", "client " + std::to_string(client.id) + " is not connected before the search begins",
            "let a server lead, and the client's server follow it, or leave out the client's `server`");
    }
  }
  return way;
}

/// Checks that the goals name existing servers, and states that their processes can be in. Throws InputError.
template <class F>
void checkGoals(const LoadedModel& model, const Cluster<F>& cluster) {
  const PatternChecker patterns = patternChecker(cluster);
  for (const auto* goals : {&model.spec.reach, &model.spec.never}) {
    for (const Goal& goal : *goals) {
      for (const auto& [id, state] : goal.state) {
        if (cluster.indexOf(id) < 0) throw state.error("there is no server " + std::to_string(id));
        if (state.find("disk") != nullptr)
          throw state.keyError("disk", "a goal is about a process, not about its disk",
                               "`files` is the disk as the process sees it");
        patterns.checkState(state);
      }
    }
  }
}

/// Whether a server is in the state that a goal requires.
template <class F>
std::function<bool(const Server<F>&)> matcherOf(const JsonValue& state) {
  return [wanted = state.plain()](const Server<F>& server) {
    Json fields = toJson(server.node);
    fields["up"] = server.up;
    return covers(fields, wanted);
  };
}

template <class F>
ActionSpec specOf(const Cluster<F>& cluster, const Action<F>& action) {
  const auto id = [&](int i) { return cluster.ids[static_cast<std::size_t>(i)]; };
  ActionSpec spec;
  spec.do_ = std::string(actionName<F>(action.kind));
  if (action.dies.write != 0) spec.dies = action.dies;
  if (spec.dies || action.kind == ActionKind::kill || action.kind == ActionKind::disrupt)
    spec.lose = !action.in_flight;
  switch (action.kind) {
    case ActionKind::deliver:
    case ActionKind::overtake:
    case ActionKind::deliver_late:
    case ActionKind::dial:
    case ActionKind::give_up:
    case ActionKind::drop:
    case ActionKind::duplicate:
    case ActionKind::disrupt: spec.link = std::string(F::links[action.link].name); [[fallthrough]];
    case ActionKind::own:
    case ActionKind::cut:
    case ActionKind::heal:
      spec.from = id(action.a);
      spec.to = id(action.b);
      return spec;
    case ActionKind::fire:
      spec.timer = Binding<F>::timerName(action.timer.kind);
      if constexpr (std::is_same_v<typename F::Vocabulary::TimerKey, ServerId>) {
        if (action.timer.key != no_server) spec.peer = action.timer.key;
      } else {
        if (action.timer.key != noTimerKey<typename F::Vocabulary::TimerKey>())
          spec.key = JsonValue::fromJson(toJson(action.timer.key), "a timer's key");
      }
      break;
    case ActionKind::tell_age: spec.age = action.age; break;
    case ActionKind::lose_power:
      if (action.unsynced > 0) spec.keep = action.unsynced;
      break;
    case ActionKind::ask:
      spec.ask = JsonValue::fromJson(writeAsks(Binding<F>::asking(action.request)), "witness");
      break;
    default: break;
  }
  spec.server = id(action.a);
  return spec;
}

/// The action as a scenario writes it.
inline Json written(const ActionSpec& spec) {
  Json said = Json::object();
  const Json all = toJson(spec);
  for (const auto& [key, value] : all.items()) {
    if (value != "" && value != false) said[key] = value;
  }
  return said;
}

/// The actions of a path, as a scenario writes them. On links where messages have no order each is identified
/// by its content; the requests' numbers are written too, because messages may contain them.
template <class F>
std::vector<ActionSpec> specsOf(const Cluster<F>& cluster, const WorldValue<F>& start,
                                const std::vector<Action<F>>& way, std::size_t asked_before) {
  DirectStore<F> store(cluster);
  store.setValue(start);
  IdleEnvironment<F> environment;
  World<DirectStore<F>, IdleEnvironment<F>> world(cluster, store, environment);
  const bool any_datagrams =
      std::find(cluster.links.begin(), cluster.links.end(), LinkKind::datagram) != cluster.links.end();
  auto requests = static_cast<std::int64_t>(asked_before);
  std::vector<ActionSpec> specs;
  for (const Action<F>& action : way) {
    ActionSpec& spec = specs.emplace_back(specOf(cluster, action));
    if (!any_datagrams) continue;
    Action<F> here = action;
    const bool ordered = spec.link.empty() || cluster.links[action.link] != LinkKind::datagram;
    if (action.kind == ActionKind::ask) {
      if (action.request.number != ++requests) spec.number = action.request.number;
    } else if (!ordered) {
      const auto& wire = store.channel(action.link, action.a, action.b).wire;
      auto in_order = wire;
      putInOrder(in_order);
      const auto& message = in_order[action.position];
      spec.message = JsonValue::fromJson(toJson(*message), "a message");
      here.position = static_cast<std::uint32_t>(std::find(wire.begin(), wire.end(), message) - wire.begin());
    }
    world.apply(here);
  }
  return specs;
}

/// The path as a scenario whose actions are listed.
template <class F>
Json scenarioAlong(const LoadedModel& model, const Cluster<F>& cluster, const WorldValue<F>& start,
                   const std::vector<Action<F>>& way, const std::string& name, const std::string& about,
                   const std::string& violated) {
  Json text = model.document.plain();
  Json scenario{{"kind", "scenario"}, {"name", name}, {"about", about}};
  for (const char* key :
       {"protocol", "variant", "rules", "mutations", "config", "servers", "clients", "links"}) {
    if (text.contains(key)) scenario[key] = text[key];
  }
  if (model.spec.connected) scenario["connected"] = true;
  if (const auto link = search_of::mutedBy<F>(model.spec.grain))
    scenario["links"][std::string(F::links[*link].name)] = "mute";
  scenario["actions"] = Json::array();
  const auto& clients = model.spec.clients;
  const auto asked = static_cast<std::size_t>(std::count_if(
      clients.begin(), clients.end(), [](const ClientSpec& client) { return client.server.has_value(); }));
  for (const ActionSpec& spec : specsOf(cluster, start, way, asked))
    scenario["actions"].push_back(written(spec));
  scenario["until"] = static_cast<Millis>(way.size() + 1) * action_every_ms;
  if (!violated.empty()) scenario["expect"] = Json::array({{{"invariant", {{"name", violated}}}}});
  return scenario;
}

/// In how many searches of this many states one state is missed: the expected number of equal pairs among n
/// fingerprints of 64 bits is about n * n / 2^65.
inline std::uint64_t omissionOneIn(std::uint64_t states) {
  if (states < 2) return 0;
  const std::uint64_t per_state = (std::uint64_t{1} << 63) / states;  // a quarter of 2^65
  return per_state / ((states + 3) / 4);
}

/// The servers of a model, with the links that its search needs.
template <class F>
Setup setupOf(const LoadedModel& model, const LoadedScenario& begins, bool anew) {
  Setup setup = makeSetup(theFamily<F>(), begins);
  const auto change = [&](const auto& links) {
    links(static_cast<ClusterShape&>(setup.cluster).links);
    links(setup.cluster.own->links);
  };
  if constexpr (requires { CheckOf<F>::links_of_servers; }) {
    if (anew && begins.spec.clients.empty())
      change([](std::vector<LinkKind>& links) { links.resize(CheckOf<F>::links_of_servers); });
  }
  if (const auto link = search_of::mutedBy<F>(model.spec.grain))
    change([&](std::vector<LinkKind>& links) { links[*link] = LinkKind::mute; });
  return setup;
}

template <class F>
CheckResult check(const LoadedModel& model, const CheckOptions& options) {
  const LoadedScenario scenario = scenarioOf(model);
  const Setup setup = setupOf<F>(model, options.from ? *options.from : scenario, !options.from);
  const auto& cluster = setup.cluster.as<F>();
  checkSize(model, cluster);
  const Limits<F> limits = limitsOf<F>(model, cluster);
  WorldValue<F> start;
  if (options.from) {
    ScenarioRun run(*options.from, setup, options.from_until);
    const std::size_t events = run.execute().events.size();
    if (const auto step = options.from_until.step; step && *step >= events)
      throw options.from->document.error("there is no event " + std::to_string(*step) + " to start at",
                                         "the run has " + std::to_string(events) + " events, from 0");
    start = Typed<F>::world(run.simulator().store().value());
  } else {
    start = Typed<F>::world(startOf(scenario, setup));
  }
  const WorldValue<F> first = start;
  std::vector<Action<F>> before;
  if (!options.from) before = connectClients(model, cluster, start);
  const auto scenarioOfPath = [&](const std::vector<Action<F>>& path, const std::string& name,
                                  const std::string& violated) {
    std::vector<Action<F>> way = before;
    way.insert(way.end(), path.begin(), path.end());
    return scenarioAlong(model, cluster, first, way, name,
                         "Found by zablab check in " + model.spec.name + ".", violated);
  };

  const CheckOf<F> monitors(cluster);
  std::vector<InvariantInfo> invariants = monitors.invariants();
  const std::size_t of_monitors = invariants.size();
  const std::vector<InvariantInfo> of_states = stateInvariantsOf<F>();
  invariants.insert(invariants.end(), of_states.begin(), of_states.end());
  checkInvariantCount(invariants.size());
  SearchOptions search_options = options;
  if (!model.spec.invariants.empty()) {
    search_options.invariants = 0;
    for (const std::string& name : model.spec.invariants) {
      const auto found =
          std::find_if(invariants.begin(), invariants.end(), [&](auto& one) { return one.name == name; });
      if (found == invariants.end())
        throw model.document.keyError("invariants", "there is no invariant " + inBackticks(name));
      search_options.invariants |= InvariantMask{1} << (found - invariants.begin());
    }
  }
  std::vector<Sought<F>> sought;
  for (const auto* goals : {&model.spec.reach, &model.spec.never}) {
    for (const Goal& goal : *goals) {
      Sought<F> one{goal.name, goals == &model.spec.never, {}};
      for (const auto& [id, state] : goal.state) {
        one.parts.push_back({cluster.indexOf(id), matcherOf<F>(state)});
      }
      sought.push_back(std::move(one));
    }
  }

  CheckResult result;
  std::unique_ptr<GraphWalk<F>> walk;  // large
  if (options.graph) {
    walk = std::make_unique<GraphWalk<F>>(cluster, limits, search_options, start, sought,
                                          namesOf(setup.servers), invariants);
    result.graph = walk->walk();
    if (!result.graph)
      throw model.document.error(
          "a graph has at most " + std::to_string(graph_states_max) + " states, and the model has more",
          "lower its bounds, or let --max-states N end it after the level that reaches N states");
    result.graph->model = model.spec.name;
  }
  const auto markPath = [&](const std::vector<Action<F>>& way, const std::string& reached) {
    if (!result.graph) return;
    result.graph->path = walk->pathAlong(*result.graph, way);
    result.graph->violated = result.violated;
    if (result.violated.empty()) result.graph->reached = reached;
  };
  result.fingerprints = !options.exact;
  result.switches = switchesOf<F>(model.spec, limits);
  const std::uint64_t began = options.clock ? options.clock() : 0;
  const auto newSearch = [&] {
    return std::make_unique<Search<F>>(cluster, limits, search_options, start, sought);
  };
  std::unique_ptr<Search<F>> search = newSearch();
  const auto note = [&](const SearchCounts& counts) {
    static_cast<SearchCounts&>(result) = counts;
    result.memory_bytes = residentBytes();
    result.disk_bytes = search->bytesOnDisk();
    result.milliseconds = options.clock ? options.clock() - began : 0;
  };
  const auto progress = [&](const SearchCounts& counts) {
    note(counts);
    if (options.progress) options.progress(result);
  };
  SearchCounts counts;
  switch (options.search) {
    case SearchKind::bfs:
      counts = search->breadthFirst(progress);
      if (counts.stopped_by != "violation" || search_options.threads == 1) break;
      // Which of several shortest paths was recorded depends on the threads; one thread always records the
      // same.
      search.reset();
      search_options.threads = 1;
      search = newSearch();
      counts = search->breadthFirst(progress);
      break;
    case SearchKind::dfs: counts = search->depthFirst(progress); break;
    case SearchKind::walks: counts = search->randomWalks(options.seed, options.walk_depth, progress); break;
  }
  note(counts);
  if (result.fingerprints) result.omission_one_in = omissionOneIn(result.distinct);
  result.huge_pages = search->set().huge() || search->set().slots() <= 1U << 18;

  const auto& tables = search->tables();
  result.components = {{"servers", tables.servers.size()},
                       {"disks", tables.disks.size()},
                       {"channels", tables.channels.size()},
                       {"messages", tables.messages.size()},
                       {"monitors, of a server", search->memories().owns.size()},
                       {"monitors, of all", search->memories().shareds.size()},
                       {"steps", tables.steps.size()}};
  for (const auto& projection : search->projections()) {
    result.without.push_back({projection.without, projection.states});
  }

  const auto found = search->counterexample();
  const std::vector<std::uint64_t> obligations = search->obligations();
  for (std::size_t i = 0; i < invariants.size(); ++i) {
    if (((search_options.invariants >> i) & 1) == 0) continue;  // it was not requested
    const bool violated = found && ((found->first >> i) & 1) != 0;
    if (violated && result.violated.empty()) result.violated = std::string(invariants[i].name);
    result.invariants.push_back({std::string(invariants[i].name),
                                 violated             ? "violated"
                                 : obligations[i] > 0 ? "held"
                                                      : "not exercised",
                                 obligations[i]});
  }
  if (found) {
    // The monitors of a run cannot see what a state violates by itself.
    const bool by_monitor = static_cast<std::size_t>(std::countr_zero(found->first)) < of_monitors;
    result.length = found->second.size();
    result.scenario =
        scenarioOfPath(found->second, result.violated + " is violated", by_monitor ? result.violated : "");
    markPath(found->second, "");
  }
  std::vector<std::optional<Met>> met;
  for (std::size_t i = 0; i < sought.size(); ++i) met.push_back(search->met(i));
  const auto wayToMet = [&](std::size_t i) -> std::optional<std::vector<Action<F>>> {
    if (options.search == SearchKind::bfs && search_options.threads > 1) {  // again with one
      search.reset();
      search_options.threads = 1;
      search_options.depth_max = std::max<std::uint64_t>(1, met[i]->depth);
      search_options.milliseconds_max = 0;
      search = newSearch();
      search->breadthFirst();
    }
    if (!search->met(i)) return std::nullopt;  // interrupted
    return search->wayToMet(i);
  };
  for (std::size_t i = 0; i < sought.size(); ++i) {
    const bool never = i >= model.spec.reach.size();
    const Goal& goal = never ? model.spec.never[i - model.spec.reach.size()] : model.spec.reach[i];
    CheckResult::Reached reached{goal.name, never, {}};
    if (met[i]) {
      reached.depth = met[i]->depth;
      const bool refutes = never && result.violated.empty();
      if (refutes) result.violated = goal.name;
      const auto way = refutes || !result.scenario ? wayToMet(i) : std::nullopt;
      if (way) {
        result.length = way->size();
        result.scenario = scenarioOfPath(*way, goal.name, "");
        markPath(*way, goal.name);
      }
    }
    result.goals.push_back(std::move(reached));
  }
  result.verdict = !result.violated.empty() ? "violated" : result.exhausted ? "holds" : "unknown";
  if (options.from) result.scenario.reset();  // it would have to begin at the end of the other scenario
  return result;
}

/// Lists the actions that a run by actions could do next.
template <class F>
class PossibleActions {
 public:
  PossibleActions(const Cluster<F>& cluster, Simulator<Any>& simulator)
      : cluster_(cluster), store_(simulator.store()), world_(simulator.world()) {}

  Json list() {
    for (int i = 0; i < store_.size(); ++i) answers(i);
    for (Link link = 0; link < cluster_.links.size(); ++link) {
      for (int from = 0; from < store_.size(); ++from) {
        for (int to = 0; to < store_.size(); ++to) between(link, from, to);
      }
    }
    for (int i = 0; i < store_.size(); ++i) at(i);
    for (Json& fault : faults_) actions_.push_back(std::move(fault));
    return std::move(actions_);
  }

 private:
  void add(const Action<F>& action) { actions_.push_back(written(specOf(cluster_, action))); }
  void addFault(const Action<F>& action) { faults_.push_back(written(specOf(cluster_, action))); }
  bool runs(int i) const { return store_.isUp(i) && !store_.isPaused(i); }

  /// What the server asked the world: for an age, each answer that differs for it.
  void answers(int i) {
    if constexpr (F::Vocabulary::asks_world) {
      const auto& awaited = store_.server(i).awaited;
      if (!runs(i)) return;
      if (!awaited.durable.empty()) add({.kind = ActionKind::tell_durable, .a = i});
      if (awaited.ages.empty()) return;
      const auto& asked = awaited.ages.front();
      if (!asked.marked) return add({.kind = ActionKind::tell_age, .a = i});
      for (const Millis age :
           search_of::agesOf<F>(cluster_.configs[static_cast<std::size_t>(i)],
                                Typed<F>::template keyOf<typename F::Vocabulary::MarkKey>(asked.key)))
        add({.kind = ActionKind::tell_age, .a = i, .age = age});
    }
  }

  void between(Link link, int from, int to) {
    const auto action = [&](ActionKind kind) {
      return Action<F>{.kind = kind, .link = link, .a = from, .b = to};
    };
    if (cluster_.links[link] == LinkKind::datagram) return datagrams(link, from, to);
    if (world_.canDeliver(link, from, to)) add(action(ActionKind::deliver));
    if (world_.canDeliverLate(link, from, to)) add(action(ActionKind::deliver_late));
    if (world_.canOvertake(link, from, to)) addFault(action(ActionKind::overtake));
    if (!runs(from) || !world_.isDialling(link, from, to)) return;
    add(action(ActionKind::dial));
    add(action(ActionKind::give_up));
  }

  /// Datagrams have no order: each is named by its content.
  void datagrams(Link link, int from, int to) {
    const auto& wire = store_.channel(link, from, to).wire;
    for (auto item = wire.begin(); item != wire.end(); ++item) {
      if (std::find(wire.begin(), item, *item) != item) continue;
      const auto named = [&](ActionKind kind) {
        ActionSpec spec = specOf(cluster_, Action<F>{.kind = kind, .link = link, .a = from, .b = to});
        spec.message = JsonValue::fromJson(toJson(**item), "a message");
        return written(spec);
      };
      if (world_.canDeliver(link, from, to)) actions_.push_back(named(ActionKind::deliver));
      if (from == to) continue;
      faults_.push_back(named(ActionKind::drop));
      faults_.push_back(named(ActionKind::duplicate));
    }
  }

  void at(int i) {
    if (cluster_.scripted[static_cast<std::size_t>(i)]) return;
    if (!store_.isUp(i)) addFault({.kind = ActionKind::start, .a = i});
    if (store_.isPaused(i)) addFault({.kind = ActionKind::resume, .a = i});
    if (!runs(i)) return;
    store_.forEachTimer(i, [&](const Any::Vocabulary::Timer& timer) {
      add({.kind = ActionKind::fire, .a = i, .timer = Typed<F>::timerOf(timer)});
    });
    if (store_.hasUnsynced(i)) {
      add({.kind = ActionKind::sync, .a = i});
      addFault({.kind = ActionKind::fail_write, .a = i});
    }
    if constexpr (HasElections<F> && requires { F::own_action; }) elections(i);
  }

  /// Without notifications the family's own action decides instead of them.
  void elections(int i) {
    const auto& links = cluster_.links;
    if (i >= cluster_.serverCount() || std::find(links.begin(), links.end(), LinkKind::mute) == links.end())
      return;
    const auto& config = cluster_.configs[static_cast<std::size_t>(i)];
    if ((CheckOf<F>::view(config, cluster_.rules, store_.server(i).node.template as<typename F::Node>()) &
         CheckOf<F>::settled) != 0)
      return;
    for (int leader = 0; leader < cluster_.serverCount(); ++leader)
      add({.kind = ActionKind::own, .a = i, .b = leader});
  }

  const Cluster<F>& cluster_;
  const DirectStore<Any>& store_;
  const World<DirectStore<Any>, Simulator<Any>>& world_;
  Json actions_ = Json::array();  ///< of the protocol itself
  Json faults_ = Json::array();
};

}  // namespace zablab::check_detail

namespace zablab {

template <class F>
void checkModelOf(const LoadedModel& model) {
  static_assert(HasSearch<F>);
  const LoadedScenario scenario = scenarioOf(model);
  checkScenario(theFamily<F>(), scenario);
  const Setup setup = makeSetup(theFamily<F>(), scenario);
  const auto& cluster = setup.cluster.as<F>();
  check_detail::checkSize(model, check_detail::setupOf<F>(model, scenario, true).cluster.template as<F>());
  check_detail::checkGoals<F>(model, cluster);
  check_detail::limitsOf<F>(model, cluster);
}

template <class F>
CheckResult checkOf(const LoadedModel& model, const CheckOptions& options) {
  return check_detail::check<F>(model, options);
}

template <class F>
Json possibleActionsOf(const LoadedScenario& scenario, Millis time) {
  ScenarioRun run(scenario, makeSetup(theFamily<F>(), scenario), {.time = time});
  run.execute();
  return check_detail::PossibleActions<F>(run.cluster().as<F>(), run.simulator()).list();
}

template <class F>
std::vector<InvariantInfo> stateInvariantsOf() {
  if constexpr (requires { CheckOf<F>::state_invariants; })
    return {CheckOf<F>::state_invariants.begin(), CheckOf<F>::state_invariants.end()};
  return {};
}

}  // namespace zablab
