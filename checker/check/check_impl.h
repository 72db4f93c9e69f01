// How a model is checked, for every family. Included by the one file of each family that instantiates it.
#pragma once

#include "checker/check/family_check.h"
#include "checker/check/search.h"
#include "sim/json_reflect.h"
#include "sim/patterns.h"

namespace zablab::check_detail {

template <class F>
std::string timerName(std::size_t kind) {
  return Binding<F>::timerName(static_cast<typename F::TimerKind>(kind));
}
template <class F>
std::size_t timerKinds() {
  return boost::mp11::mp_size<boost::describe::describe_enumerators<typename F::TimerKind>>::value;
}

/// The switches of a model. Throws InputError where it names what there is not.
template <class F>
Limits<F> limitsOf(const LoadedModel& model, const Cluster<F>& cluster) {
  const Model& spec = model.spec;
  Limits<F> limits;
  limits.bounds = spec.bounds.bounds();
  limits.ends = spec.ends;
  limits.ends_inside_steps = spec.ends_inside_steps;
  limits.dials = spec.dials;
  limits.slots_connect_at_once = spec.connect_at_once;
  limits.grain = spec.grain;
  for (std::size_t kind = 0; kind < timerKinds<F>(); ++kind) {
    limits.fires.push_back(CheckOf<F>::firesByDefault(static_cast<typename F::TimerKind>(kind)));
  }
  for (const auto& [name, fires] : spec.timers) {
    const auto kind = enumFromName<typename F::TimerKind>(name);
    if (!kind) throw model.document.find("timers")->keyError(name, "there is no timer " + inBackticks(name));
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
  for (std::size_t i = 0; i < spec.asks.size(); ++i) {
    const auto& [client, operation] = spec.asks[i];
    const JsonValue& place = model.document.find("asks")->elements()[i];
    const int index = cluster.indexOf(client);
    if (index < cluster.serverCount())
      throw place.keyError("client", "there is no client " + std::to_string(client));
    if (operation == "connect" ||
        !enumFromName<decltype(std::declval<typename F::Request>().operation)>(operation))
      throw place.keyError("operation", "a list of requests has no " + inBackticks(operation));
    const auto number = static_cast<std::int64_t>(i) + 1;
    limits.asks.emplace_back(index, Binding<F>::request(operation, number, number, no_server));
  }
  if (limits.asks.size() > budget_max)
    throw model.document.keyError("asks", "there are more than " + std::to_string(budget_max) + " requests");
  limits.bounds[static_cast<std::size_t>(Budget::asked)] = static_cast<std::uint32_t>(limits.asks.size());
  return limits;
}

/// What the search takes for possible.
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
    for (const AskedFor& ask : model.asks)
      asks += (asks.empty() ? "" : ", ") + std::to_string(ask.client) + " " + ask.operation;
    lines.push_back("asked, one after the other: " + asks);
  }
  std::string ends;
  for (const Ends how : limits.ends) ends += (ends.empty() ? "" : ", ") + std::string(enumName(how));
  if (limits.of(Budget::crashes) > 0)
    lines.push_back("servers end by: " + ends +
                    (limits.ends_inside_steps ? "; also in the midst of a step" : "; between steps alone"));
  std::string grain = "grain: " + std::string(enumName(limits.grain));
  if (limits.grain == Grain::settled) grain += " (leaves behaviours out)";
  if (limits.grain == Grain::atomic_election)
    grain += " (adds behaviours: what is reached, or violated, may take an election that cannot be)";
  lines.push_back(std::move(grain));
  std::string timers;
  for (std::size_t kind = 0; kind < limits.fires.size(); ++kind) {
    timers +=
        (timers.empty() ? "" : ", ") + timerName<F>(kind) + " " + std::string(enumName(limits.fires[kind]));
  }
  lines.push_back("timers fire: " + timers);
  std::string links;
  for (std::size_t link = 0; link < F::links.size(); ++link) {
    const auto chosen = model.links.find(std::string(F::links[link].name));
    const LinkKind kind = chosen == model.links.end() ? F::links[link].kind : chosen->second;
    links +=
        (links.empty() ? "" : ", ") + std::string(F::links[link].name) + " " + std::string(enumName(kind));
  }
  lines.push_back("links: " + links);
  lines.push_back(std::string("connections: a dial meets ") +
                  (limits.dials == Dials::patient ? "a server that looks only once it knows its role"
                                                  : "whatever the other is doing") +
                  (limits.slots_connect_at_once ? "; slot links connect at once" : ""));
  return lines;
}

/// Does what the model begins with, in a world whose servers are down.
template <class F, class WorldType>
void begin(const LoadedScenario& scenario, const Setup<F>& setup, DirectStore<F>& store, WorldType& world) {
  const std::vector<int> placed =
      placeServers<F>(setup, scenario.spec, store, [&](Link link, int a, int b) { world.open(link, a, b); });
  for (int i = 0; i < store.size(); ++i) {
    const ServerSpec& server = setup.servers[static_cast<std::size_t>(i)];
    if (server.scripted || server.down) continue;
    if (std::find(placed.begin(), placed.end(), i) != placed.end()) {
      world.takeUp(i);
    } else {
      world.start(i);
    }
  }
  for (const ClientSpec& client : scenario.spec.clients) {
    if (!client.server) continue;
    world.ask(setup.cluster.indexOf(client.id), Binding<F>::request("connect", 0, 0, *client.server));
  }
}

/// The world that the model begins with.
template <class F>
WorldValue<F> startOf(const LoadedScenario& scenario, const Setup<F>& setup) {
  DirectStore<F> store(setup.cluster);
  WatchEnvironment<F> environment(setup.cluster);
  World<DirectStore<F>, WatchEnvironment<F>> world(setup.cluster, store, environment);
  begin(scenario, setup, store, world);
  return store.value();
}

/// Checks that the goals name servers that there are, and what their processes can be. Throws InputError.
template <class F>
void checkGoals(const LoadedModel& model, const Cluster<F>& cluster) {
  const PatternChecker<F> patterns(cluster);
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

/// Whether a server is as a goal wants it.
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
  spec.do_ = std::string(enumName(action.kind));
  if (action.dies.write != 0) spec.dies = action.dies;
  if (spec.dies || action.kind == ActionKind::kill || action.kind == ActionKind::disrupt)
    spec.lose = !action.in_flight;
  switch (action.kind) {
    case ActionKind::deliver:
    case ActionKind::overtake:
    case ActionKind::deliver_late:
    case ActionKind::dial:
    case ActionKind::give_up:
    case ActionKind::disrupt: spec.link = std::string(F::links[action.link].name); [[fallthrough]];
    case ActionKind::elect:
    case ActionKind::cut:
    case ActionKind::heal:
      spec.from = id(action.a);
      spec.to = id(action.b);
      return spec;
    case ActionKind::fire:
      spec.timer = Binding<F>::timerName(action.timer.kind);
      if (action.timer.peer != no_server) spec.peer = action.timer.peer;
      break;
    case ActionKind::lose_power:
      if (action.unsynced > 0) spec.keep = action.unsynced;
      break;
    case ActionKind::ask:
      spec.operation = std::string(enumName(action.request.operation));
      if (spec.operation == "put") spec.operation.clear();
      spec.value = action.request.value;
      if (action.request.server != no_server) spec.to = action.request.server;
      break;
    default: break;
  }
  spec.server = id(action.a);
  return spec;
}

/// The way as a scenario that is led by hand.
template <class F>
Json scenarioAlong(const LoadedModel& model, const Cluster<F>& cluster, const std::vector<Action<F>>& way,
                   const std::string& name, const std::string& about, const std::string& violated) {
  Json text = model.document.plain();
  Json scenario{{"kind", "scenario"}, {"name", name}, {"about", about}};
  for (const char* key :
       {"protocol", "variant", "rules", "mutations", "config", "servers", "clients", "links"}) {
    if (text.contains(key)) scenario[key] = text[key];
  }
  if (model.spec.connected) scenario["connected"] = true;
  if (model.spec.grain == Grain::atomic_election)
    scenario["links"][std::string(F::links[CheckOf<F>::quiet_link].name)] = "mute";
  scenario["actions"] = Json::array();
  for (const Action<F>& action : way) {
    Json said = Json::object();
    const Json all = toJson(specOf(cluster, action));
    for (const auto& [key, value] : all.items()) {
      if (value != "" && value != false) said[key] = value;
    }
    scenario["actions"].push_back(std::move(said));
  }
  scenario["until"] = static_cast<Millis>(way.size() + 1) * action_every_ms;
  if (!violated.empty()) scenario["expect"] = Json::array({{{"invariant", {{"name", violated}}}}});
  return scenario;
}

/// One in how many searches of so many states misses one: two of n fingerprints of 64 bits are equal about
/// n * n / 2^65 times.
inline std::uint64_t omissionOneIn(std::uint64_t states) {
  if (states < 2) return 0;
  const std::uint64_t per_state = (std::uint64_t{1} << 63) / states;  // a quarter of 2^65
  return per_state / ((states + 3) / 4);
}

/// The servers of a model, with the links that its search needs.
template <class F>
Setup<F> setupOf(const LoadedModel& model, const LoadedScenario& begins, bool anew) {
  Setup<F> setup = makeSetup<F>(begins);
  if (anew && begins.spec.clients.empty()) setup.cluster.links.resize(CheckOf<F>::links_of_servers);
  if (model.spec.grain == Grain::atomic_election)
    setup.cluster.links[CheckOf<F>::quiet_link] = LinkKind::mute;
  return setup;
}

template <class F>
CheckResult check(const LoadedModel& model, const CheckOptions& options) {
  const LoadedScenario scenario = scenarioOf(model);
  const Setup<F> setup = setupOf<F>(model, options.from ? *options.from : scenario, !options.from);
  const Limits<F> limits = limitsOf<F>(model, setup.cluster);
  WorldValue<F> start;
  if (options.from) {
    ScenarioRun<F> run(*options.from, setup, options.from_until);
    const std::size_t events = run.execute().events.size();
    if (const auto step = options.from_until.step; step && *step >= events)
      throw options.from->document.error("there is no event " + std::to_string(*step) + " to begin at",
                                         "the run has " + std::to_string(events) + " events, from 0");
    start = run.simulator().store().value();
  } else {
    start = startOf<F>(scenario, setup);
  }

  CheckOf<F> monitors(setup.cluster);
  const std::vector<InvariantInfo> invariants = monitors.invariants();
  SearchOptions search_options = options;
  if (!model.spec.invariants.empty()) {
    search_options.invariants = 0;
    for (const std::string& name : model.spec.invariants) {
      const auto found =
          std::find_if(invariants.begin(), invariants.end(), [&](auto& one) { return one.name == name; });
      if (found == invariants.end())
        throw model.document.keyError("invariants", "there is no invariant " + inBackticks(name));
      search_options.invariants |= 1U << (found - invariants.begin());
    }
  }
  std::vector<Sought<F>> sought;
  for (const auto* goals : {&model.spec.reach, &model.spec.never}) {
    for (const Goal& goal : *goals) {
      Sought<F> one{goal.name, goals == &model.spec.never, {}};
      for (const auto& [id, state] : goal.state) {
        one.parts.push_back({setup.cluster.indexOf(id), matcherOf<F>(state)});
      }
      sought.push_back(std::move(one));
    }
  }

  CheckResult result;
  result.fingerprints = !options.exact;
  result.switches = switchesOf<F>(model.spec, limits);
  const std::uint64_t began = options.clock ? options.clock() : 0;
  const auto newSearch = [&] {
    return std::make_unique<Search<F>>(setup.cluster, limits, search_options, start, sought);
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
      // Which of several shortest ways was noted hangs on the threads; one thread always notes the same.
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
    const bool violated = found && ((found->first >> i) & 1) != 0;
    if (violated && result.violated.empty()) result.violated = std::string(invariants[i].name);
    result.invariants.push_back({std::string(invariants[i].name),
                                 violated             ? "violated"
                                 : obligations[i] > 0 ? "held"
                                                      : "not exercised",
                                 obligations[i]});
  }
  if (found) {
    result.length = found->second.size();
    result.scenario = scenarioAlong(model, setup.cluster, found->second, result.violated + " is violated",
                                    "Found by zablab check in " + model.spec.name + ".", result.violated);
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
        result.scenario = scenarioAlong(model, setup.cluster, *way, goal.name,
                                        "Found by zablab check in " + model.spec.name + ".", "");
      }
    }
    result.goals.push_back(std::move(reached));
  }
  result.verdict = !result.violated.empty() ? "violated" : result.exhausted ? "holds" : "unknown";
  if (options.from) result.scenario.reset();  // it would have to begin where the other scenario ends
  return result;
}

}  // namespace zablab::check_detail

namespace zablab {

template <class F>
void checkModelOf(const LoadedModel& model) {
  const LoadedScenario scenario = scenarioOf(model);
  checkFamily<F>(scenario);
  const Cluster<F> cluster = makeSetup<F>(scenario).cluster;
  check_detail::checkGoals<F>(model, cluster);
  check_detail::limitsOf<F>(model, cluster);
}

template <class F>
CheckResult checkOf(const LoadedModel& model, const CheckOptions& options) {
  return check_detail::check<F>(model, options);
}

}  // namespace zablab
