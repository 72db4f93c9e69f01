#include <bit>
#include <memory>

#include "checker/check/begin.h"
#include "checker/check/family_check.h"
#include "checker/check/graph.h"
#include "checker/check/liveness.h"
#include "checker/check/search.h"
#include "sim/json_reflect.h"
#include "sim/patterns.h"
#include "sim/state_set.h"

namespace zablab {
namespace {

/// Throws InputError if there are more servers and clients than a search has room for.
void checkSize(const LoadedModel& model, const AnyCluster& cluster) {
  const auto links = static_cast<int>(cluster.links.size());
  int most = 1;
  while (Layout(most + 1, links).fits()) ++most;
  if (static_cast<int>(cluster.ids.size()) > most)
    throw model.document.keyError("servers", "a model of this protocol has at most " + std::to_string(most) +
                                                 " servers and clients together");
}

/// What the search considers possible.
std::vector<std::string> switchesOf(const AnyFamily& family, const FamilyCheck& check, const Model& model,
                                    const Limits& limits) {
  std::vector<std::string> lines;
  std::string bounds;
  forEachField(model.bounds, [&](const char* name, std::int64_t bound) {
    bounds += (bounds.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(bound);
  });
  lines.push_back("bounds: " + bounds);
  if (!limits.asks.empty()) {
    std::string asks;
    for (const AskedFor& ask : model.asks) {
      const std::string word(family.askName(family.readAsks({}, ask.own)));
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
    timers += (timers.empty() ? "" : ", ") + family.timerName(static_cast<std::uint8_t>(kind)) + " " +
              std::string(enumName(limits.fires[kind]));
  }
  lines.push_back("timers fire: " + timers);
  if (check.guards().ages)
    lines.push_back("ages: any time between thresholds, regardless of clocks (adds behaviours)");
  std::string links;
  for (const LinkSpec& link : family.links()) {
    const auto chosen = model.links.find(std::string(link.name));
    const LinkKind kind = chosen == model.links.end() ? link.kind : chosen->second;
    links += (links.empty() ? "" : ", ") + std::string(link.name) + " " + std::string(enumName(kind));
  }
  lines.push_back("links: " + links);
  lines.push_back(
      std::string("connections: a dial reaches ") +
      (limits.dials == Dials::patient ? "a server only when it has a role" : "a server in any state") +
      (limits.slots_connect_at_once ? "; " + std::string(check.connectsAtOnce()) : ""));
  return lines;
}

}  // namespace

void checkInvariantCount(std::size_t count) {
  if (count > invariants_max)
    throw TableFull("a search distinguishes at most " + std::to_string(invariants_max) + " invariants, not " +
                    std::to_string(count));
}

namespace {

/// Checks that the goals name existing servers, and states that their processes can be in. Throws InputError.
void checkGoals(const LoadedModel& model, const AnyCluster& cluster) {
  for (const auto* goals : {&model.spec.reach, &model.spec.never}) {
    for (const Goal& goal : *goals) {
      for (const auto& [id, state] : goal.state) {
        if (cluster.indexOf(id) < 0) throw state.error("there is no server " + std::to_string(id));
        checkLikeness(cluster, state);
      }
    }
  }
}

/// What a family's actions and timers are called, as keys of fairness.
std::vector<std::string> fairnessNames(const AnyFamily& family) {
  std::vector<std::string> names;
  forEachEnumerator<ActionKind>([&](std::string_view, ActionKind kind) {
    const std::string_view name = actionName(family, kind);
    if (!name.empty()) names.emplace_back(name);
  });
  for (std::uint8_t kind = 0; kind < family.timerKinds(); ++kind) names.push_back(family.timerName(kind));
  return names;
}

/// What the model requires to happen. Throws InputError.
std::vector<LivenessProperty> propertiesOf(const LoadedModel& model, const AnyCluster& cluster) {
  std::vector<LivenessProperty> properties;
  for (std::size_t i = 0; i < model.spec.liveness.size(); ++i) {
    const LivenessSpec& spec = model.spec.liveness[i];
    const JsonValue& written = model.document.find("liveness")->elements()[i];
    const auto setOf = [&](const std::optional<StatesSpec>& states, std::string_view key) {
      return StateSet(cluster, *states, *written.find(key));
    };
    LivenessProperty property{spec.name,
                              spec.always_eventually.has_value(),
                              {},
                              spec.eventually ? setOf(spec.eventually, "eventually")
                              : spec.leads_to ? setOf(spec.leads_to, "leads_to")
                                              : setOf(spec.always_eventually, "always_eventually")};
    if (spec.from) property.from = setOf(spec.from, "from");
    properties.push_back(std::move(property));
  }
  const std::vector<std::string> names = fairnessNames(*cluster.family);
  for (const auto& [name, strength] : model.spec.fairness) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string meant = nearest(name, names);
    throw model.document.find("fairness")
        ->keyError(name, "there is no kind of action and no timer " + inBackticks(name),
                   meant.empty() ? "" : "did you mean " + meant + "?");
  }
  return properties;
}

/// What has to be met nowhere in the loop of a counterexample, as the model writes it.
Json withoutOf(const LoadedModel& model, std::size_t property) {
  const JsonValue& written = model.document.find("liveness")->elements()[property];
  for (const char* key : {"eventually", "always_eventually", "leads_to"}) {
    if (const JsonValue* states = written.find(key)) return states->plain();
  }
  return {};
}

ActionSpec specOf(const AnyCluster& cluster, const Action<Any>& action) {
  const auto id = [&](int i) { return cluster.ids[static_cast<std::size_t>(i)]; };
  ActionSpec spec;
  const AnyFamily& family = *cluster.family;
  spec.do_ = std::string(actionName(family, action.kind));
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
    case ActionKind::disrupt: spec.link = std::string(family.links()[action.link].name); [[fallthrough]];
    case ActionKind::own:
    case ActionKind::cut:
    case ActionKind::heal:
      spec.from = id(action.a);
      spec.to = id(action.b);
      return spec;
    case ActionKind::fire:
      spec.timer = family.timerName(action.timer.kind);
      if (!family.isKey(action.timer.key)) break;
      if (action.timer.key.own.empty()) {
        spec.peer = action.timer.key.server;
      } else {
        spec.key = JsonValue::fromJson(toJson(action.timer.key), "a timer's key");
      }
      break;
    case ActionKind::tell_age: spec.age = action.age; break;
    case ActionKind::lose_power:
      if (action.unsynced > 0) spec.keep = action.unsynced;
      break;
    case ActionKind::ask: spec.ask = JsonValue::fromJson(family.written(action.request), "witness"); break;
    default: break;
  }
  spec.server = id(action.a);
  return spec;
}

/// The action as a scenario writes it.
Json written(const ActionSpec& spec) {
  Json said = Json::object();
  const Json all = toJson(spec);
  for (const auto& [key, value] : all.items()) {
    if (value != "" && value != false) said[key] = value;
  }
  return said;
}

/// The actions of a path, as a scenario writes them. On links where messages have no order each is identified
/// by its content; the requests' numbers are written too, because messages may contain them.
std::vector<ActionSpec> specsOf(const AnyCluster& cluster, const WorldValue<Any>& start,
                                const std::vector<Action<Any>>& way, std::size_t asked_before) {
  DirectStore<Any> store(cluster);
  store.setValue(start);
  IdleEnvironment<Any> environment;
  World<DirectStore<Any>, IdleEnvironment<Any>> world(cluster, store, environment);
  const bool any_datagrams =
      std::find(cluster.links.begin(), cluster.links.end(), LinkKind::datagram) != cluster.links.end();
  auto requests = static_cast<std::int64_t>(asked_before);
  std::vector<ActionSpec> specs;
  for (const Action<Any>& action : way) {
    ActionSpec& spec = specs.emplace_back(specOf(cluster, action));
    if (!any_datagrams) continue;
    Action<Any> here = action;
    const bool ordered = spec.link.empty() || cluster.links[action.link] != LinkKind::datagram;
    if (action.kind == ActionKind::ask) {
      const std::int64_t number = cluster.family->numberOf(action.request);
      if (number != ++requests) spec.number = number;
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
Json scenarioAlong(const FamilyCheck& check, const LoadedModel& model, const AnyCluster& cluster,
                   const WorldValue<Any>& start, const std::vector<Action<Any>>& way, const std::string& name,
                   const std::string& about, const std::string& violated) {
  Json text = model.document.plain();
  Json scenario{{"kind", "scenario"}, {"name", name}, {"about", about}};
  for (const char* key :
       {"protocol", "variant", "rules", "mutations", "config", "servers", "clients", "links"}) {
    if (text.contains(key)) scenario[key] = text[key];
  }
  if (model.spec.connected) scenario["connected"] = true;
  if (const auto link = check.mutedBy(model.spec.grain))
    scenario["links"][std::string(cluster.family->links()[*link].name)] = "mute";
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

/// The conditions that a pattern joins: each has one innermost field.
std::vector<Json> conditionsOf(const Json& pattern) {
  if (!pattern.is_object() || pattern.empty()) return {pattern};
  std::vector<Json> conditions;
  for (const auto& [key, value] : pattern.items()) {
    for (Json& inner : conditionsOf(value)) conditions.emplace_back(Json::object())[key] = std::move(inner);
  }
  return conditions;
}

/// Throws InputError if no goal has this name.
std::size_t soughtNamed(const LoadedModel& model, const std::vector<Sought>& sought,
                        const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < sought.size(); ++i) {
    if (sought[i].name == name) return i;
    names.push_back(sought[i].name);
  }
  const std::string meant = nearest(name, names);
  throw model.document.error("the model has no goal " + inBackticks(name),
                             !meant.empty()  ? "did you mean " + inBackticks(meant) + "?"
                             : names.empty() ? "`reach` and `never` have goals; this model has neither"
                                             : "its first goal is " + inBackticks(names.front()));
}

/// What a search that goes on has to have in common with this one.
CheckpointIdentity identityOf(const AnyFamily& family, const LoadedModel& model, const SearchOptions& options,
                              const WorldValue<Any>& start) {
  if constexpr (has_checkpoints) {
    if (options.checkpoint.directory.empty() && options.ranks == nullptr) return {};
    std::uint64_t content = contentHash(model.document.plain().dump());
    content = mix64(content ^ contentHash(start));
    content = mix64(content ^ options.invariants);
    return {model.spec.name, content, programHash(family)};
  }
  return {};
}

/// In how many searches of this many states one state is missed: the expected number of equal pairs among n
/// fingerprints of 64 bits is about n * n / 2^65.
std::uint64_t omissionOneIn(std::uint64_t states) {
  if (states < 2) return 0;
  const std::uint64_t per_state = (std::uint64_t{1} << 63) / states;  // a quarter of 2^65
  return per_state / ((states + 3) / 4);
}

}  // namespace

CheckResult checkOf(const AnyFamily& family, const FamilyCheck& check, const LoadedModel& model,
                    const CheckOptions& options) {
  const LoadedScenario scenario = scenarioOf(model);
  const Setup setup = setupOf(family, check, model, options.from ? *options.from : scenario, !options.from);
  const AnyCluster& cluster = setup.cluster;
  checkSize(model, cluster);
  const Limits limits = limitsOf(check, model, cluster);
  WorldValue<Any> start;
  if (options.from) {
    ScenarioRun run(*options.from, setup, options.from_until);
    const std::size_t events = run.execute().events.size();
    if (const auto step = options.from_until.step; step && *step >= events)
      throw options.from->document.error("there is no event " + std::to_string(*step) + " to start at",
                                         "the run has " + std::to_string(events) + " events, from 0");
    start = run.simulator().store().value();
  } else {
    start = startOf(scenario, setup);
  }
  const WorldValue<Any> first = start;
  std::vector<Action<Any>> before;
  if (!options.from) before = connectClients(check, model, cluster, start);
  const auto scenarioOfPath = [&](const std::vector<Action<Any>>& path, const std::string& name,
                                  const std::string& violated) {
    std::vector<Action<Any>> way = before;
    way.insert(way.end(), path.begin(), path.end());
    return scenarioAlong(check, model, cluster, first, way, name,
                         "Found by zablab check in " + model.spec.name + ".", violated);
  };

  std::vector<InvariantInfo> invariants = check.monitors(cluster)->invariants();
  const std::size_t of_monitors = invariants.size();
  const auto of_states = check.stateInvariants();
  invariants.insert(invariants.end(), of_states.begin(), of_states.end());
  checkInvariantCount(invariants.size());
  SearchOptions search_options = options;
  if (!model.spec.invariants.empty()) {
    search_options.invariants = 0;
    for (const std::string& name : model.spec.invariants) {
      const auto found =
          std::find_if(invariants.begin(), invariants.end(), [&](auto& one) { return one.name == name; });
      if (found == invariants.end())
        throw model.document.keyError("invariants", "a search has no invariant " + inBackticks(name),
                                      "`zablab list invariants` also lists those that only runs judge");
      search_options.invariants |= InvariantMask{1} << (found - invariants.begin());
    }
  } else {
    for (const std::string_view name : check.requestedInvariants()) {
      const auto found =
          std::find_if(invariants.begin(), invariants.end(), [&](auto& one) { return one.name == name; });
      search_options.invariants &= ~(InvariantMask{1} << (found - invariants.begin()));
    }
  }
  std::vector<Sought> sought;
  for (const auto* goals : {&model.spec.reach, &model.spec.never}) {
    for (const Goal& goal : *goals) {
      Sought one{goal.name, goals == &model.spec.never, {}};
      for (const auto& [id, state] : goal.state) {
        for (const Json& condition : conditionsOf(state.plain())) {
          one.parts.push_back({cluster.indexOf(id),
                               [condition](const Server<Any>& server) { return isLike(server, condition); }});
        }
      }
      sought.push_back(std::move(one));
    }
  }

  if (options.ranks != nullptr && !model.spec.liveness.empty())
    throw model.document.errorAtKey("liveness is searched by one process", "use zablab check");

  CheckResult result;
  const std::uint64_t graph_began = options.clock ? options.clock() : 0;
  std::unique_ptr<GraphWalk> walk;  // large
  if (options.graph) {
    walk = std::make_unique<GraphWalk>(cluster, check, limits, search_options, start, sought,
                                       namesOf(setup.servers), invariants);
    result.graph = walk->walk();
    if (!result.graph)
      throw model.document.error(
          "a graph has at most " + std::to_string(graph_states_max) + " states, and the model has more",
          "lower its bounds, or let --max-states N end it after the level that reaches N states");
    result.graph->model = model.spec.name;
    if (options.clock && options.milliseconds_max > 0) {  // the limit is for both
      const std::uint64_t took = options.clock() - graph_began;
      search_options.milliseconds_max -= std::min(took, options.milliseconds_max - 1);
    }
  }
  const auto markPath = [&](const std::vector<Action<Any>>& way, const std::string& reached) {
    if (!result.graph) return;
    result.graph->path = walk->pathAlong(*result.graph, way);
    result.graph->violated = result.violated;
    if (result.violated.empty()) result.graph->reached = reached;
  };
  result.fingerprints = !options.exact;
  if constexpr (has_ranks) {
    if (options.ranks != nullptr) result.ranks = options.ranks->count();
  }
  result.switches = switchesOf(family, check, model.spec, limits);
  const std::uint64_t began = options.clock ? options.clock() : 0;
  const auto newSearch = [&] {
    return std::make_unique<Search>(cluster, check, limits, search_options, start, sought);
  };
  search_options.checkpoint.identity = identityOf(family, model, search_options, start);
  std::unique_ptr<Search> search = newSearch();
  search_options.checkpoint.directory.clear();  // what is searched again begins at the beginning
  const auto note = [&](const SearchCounts& counts) {
    static_cast<SearchCounts&>(result) = counts;
    result.memory_bytes = search->bytesInMemory();
    std::tie(result.states_sent, result.bytes_sent) = search->sent();
    result.disk_bytes = search->bytesOnDisk();
    result.milliseconds = search->earlier() + (options.clock ? options.clock() - began : 0);
    result.resumed = search->resumed();
  };
  const auto progress = [&](const SearchCounts& counts) {
    note(counts);
    if (options.progress) options.progress(result);
  };
  SearchCounts counts;
  switch (options.search) {
    case SearchKind::bfs:
      if (!options.towards.empty()) {
        counts = search->towards(soughtNamed(model, sought, options.towards), progress);
        break;
      }
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
  if (options.ranks == nullptr)  // each rank has its own
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
  const auto wayToMet = [&](std::size_t i) -> std::optional<std::vector<Action<Any>>> {
    const bool by_levels = options.search == SearchKind::bfs && options.towards.empty();
    if (by_levels && search_options.threads > 1) {  // again with one
      search.reset();
      search_options.threads = 1;
      search_options.depth_max = std::max<std::uint64_t>(1, met[i]->depth);
      search_options.milliseconds_max = 0;
      search = newSearch();
      search->breadthFirst();
    }
    if (!search->met(i) || counts.stopped_by == "lost rank") return std::nullopt;  // interrupted
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
      const bool asked_for = options.towards.empty() || goal.name == options.towards;
      const auto way = refutes || (asked_for && !result.scenario) ? wayToMet(i) : std::nullopt;
      if (way) {
        result.length = way->size();
        result.scenario = scenarioOfPath(*way, goal.name, "");
        markPath(*way, goal.name);
      }
    }
    result.goals.push_back(std::move(reached));
  }
  if (!model.spec.liveness.empty() && result.violated.empty() && result.exhausted) {
    search.reset();
    SearchOptions within = search_options;
    within.milliseconds_max -= std::min(within.milliseconds_max, result.milliseconds);
    if (search_options.milliseconds_max > 0)
      within.milliseconds_max = std::max<std::uint64_t>(1, within.milliseconds_max);
    const auto tell = [&](std::uint64_t states) {
      result.frontier = 0;
      result.distinct = states;
      if (options.progress) options.progress(result);
    };
    const std::uint64_t distinct = result.distinct;
    LivenessResult found_live = searchLiveness(cluster, check, limits, within, start,
                                               propertiesOf(model, cluster), model.spec.fairness, tell);
    result.distinct = distinct;
    if (auto& lasso = found_live.counterexample) {
      result.violated = found_live.properties[lasso->property].name;
      result.loop_length = lasso->loop.size();
      std::vector<Action<Any>> way = std::move(lasso->stem);
      // A search begins after `before`, by which clients have connected; a scenario does that, too.
      const std::size_t from = before.size() + way.size();
      way.insert(way.end(), lasso->loop.begin(), lasso->loop.end());
      result.length = way.size();
      result.scenario = scenarioOfPath(way, "need not happen: " + result.violated, "");
      (*result.scenario)["loop"] = {
          {"from", from}, {"times", 2}, {"without", withoutOf(model, lasso->property)}};
      (*result.scenario)["until"] = static_cast<Millis>(from + 2 * lasso->loop.size() + 1) * action_every_ms;
    }
    if (!found_live.stopped_by.empty()) {
      result.exhausted = false;
      result.stopped_by = found_live.stopped_by;
    }
    result.liveness = std::move(found_live);
  }
  result.verdict = !result.violated.empty()      ? "violated"
                   : result.stopped_by == "goal" ? "reached"
                   : result.exhausted            ? "holds"
                                                 : "undecided";
  if constexpr (has_checkpoints) {
    if (!options.checkpoint.directory.empty() && result.verdict != "undecided")
      removeCheckpoint(options.checkpoint.directory);
  }
  if (options.from) result.scenario.reset();  // it would have to begin at the end of the other scenario
  return result;
}

namespace {

/// Lists the actions that a run by actions could do next.
class PossibleActions {
 public:
  PossibleActions(const FamilyCheck& check, const AnyCluster& cluster, Simulator<Any>& simulator)
      : check_(check), cluster_(cluster), store_(simulator.store()), world_(simulator.world()) {}

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
  void add(const Action<Any>& action) { actions_.push_back(written(specOf(cluster_, action))); }
  void addFault(const Action<Any>& action) { faults_.push_back(written(specOf(cluster_, action))); }
  bool runs(int i) const { return store_.isUp(i) && !store_.isPaused(i); }

  /// What the server asked the world: for an age, each answer that differs for it.
  void answers(int i) {
    const auto& awaited = store_.server(i).awaited;
    if (!runs(i)) return;
    if (!awaited.durable.empty()) add({.kind = ActionKind::tell_durable, .a = i});
    if (awaited.ages.empty()) return;
    const auto& asked = awaited.ages.front();
    if (!asked.marked) return add({.kind = ActionKind::tell_age, .a = i});
    for (const Millis age : check_.agesOf(cluster_, i, asked.key))
      add({.kind = ActionKind::tell_age, .a = i, .age = age});
  }

  void between(Link link, int from, int to) {
    const auto action = [&](ActionKind kind) {
      return Action<Any>{.kind = kind, .link = link, .a = from, .b = to};
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
        ActionSpec spec = specOf(cluster_, Action<Any>{.kind = kind, .link = link, .a = from, .b = to});
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
    if (!store_.isUp(i)) {
      addFault({.kind = ActionKind::start, .a = i});
      addFault({.kind = ActionKind::wipe, .a = i});
    }
    if (store_.isPaused(i)) addFault({.kind = ActionKind::resume, .a = i});
    if (!runs(i)) return;
    store_.forEachTimer(i, [&](const Any::Vocabulary::Timer& timer) {
      add({.kind = ActionKind::fire, .a = i, .timer = timer});
    });
    if (store_.hasUnsynced(i)) {
      add({.kind = ActionKind::sync, .a = i});
      addFault({.kind = ActionKind::fail_write, .a = i});
    }
    if (check_.guards().elections && !cluster_.family->ownAction().empty()) elections(i);
  }

  /// Without notifications the family's own action decides instead of them.
  void elections(int i) {
    const auto& links = cluster_.links;
    if (i >= cluster_.serverCount() || std::find(links.begin(), links.end(), LinkKind::mute) == links.end())
      return;
    if ((check_.view(cluster_, i, store_.server(i).node) & check_.guards().settled) != 0) return;
    for (int leader = 0; leader < cluster_.serverCount(); ++leader)
      add({.kind = ActionKind::own, .a = i, .b = leader});
  }

  const FamilyCheck& check_;
  const AnyCluster& cluster_;
  const DirectStore<Any>& store_;
  const World<DirectStore<Any>, Simulator<Any>>& world_;
  Json actions_ = Json::array();  ///< of the protocol itself
  Json faults_ = Json::array();
};

}  // namespace

void checkModelOf(const AnyFamily& family, const FamilyCheck& check, const LoadedModel& model) {
  const LoadedScenario scenario = scenarioOf(model);
  checkScenario(family, scenario);
  const Setup setup = makeSetup(family, scenario);
  checkSize(model, setupOf(family, check, model, scenario, true).cluster);
  checkGoals(model, setup.cluster);
  propertiesOf(model, setup.cluster);
  limitsOf(check, model, setup.cluster);
}

Json possibleActionsOf(const AnyFamily& family, const FamilyCheck& check, const LoadedScenario& scenario,
                       Millis time) {
  ScenarioRun run(scenario, makeSetup(family, scenario), {.time = time});
  run.execute();
  Json actions = PossibleActions(check, run.cluster(), run.simulator()).list();
  if (scenario.spec.isByActions()) return actions;
  Json by_themselves = Json::array();
  for (Json& action : actions) {
    const auto kind = actionFromName(family, action.at("do").get<std::string>());
    if (kind && happensByItself(*kind)) by_themselves.push_back(std::move(action));
  }
  return by_themselves;
}

}  // namespace zablab
