// The exhaustive search: its counts compared with the walker's, SPIN's and TLC's, its two stores with each
// other, and its findings with the simulator.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "checker/check/check.h"
#include "checker/check/search.h"
#include "checker/protocol.h"
#include "checker/zab_register/check.h"
#include "sim/zab_register/binding.h"
#include "tests/fle_baseline/check.h"
#include "tests/prepared.h"
#include "tests/shipped.h"

namespace zablab {
namespace {

namespace fs = std::filesystem;

// ---- elections: the counts of the walker (tests/walk_test.cc) and of SPIN (tests/referee)

Json election(int servers, bool queued, bool at_once, int timeouts) {
  return {
      {"kind", "model"},
      {"name", "an election"},
      {"servers", servers},
      {"rules",
       {{"own_vote", queued ? "queued" : "at_once"}, {"decision", at_once ? "at_once" : "finalize_wait"}}},
      {"config", {{"min_notification_ms", 200}, {"max_notification_ms", 200}}},
      {"only", {"election"}},
      {"connect_at_once", false},
      {"timers", {{"notification_wait", "budgeted"}, {"init_limit", "never"}, {"leader_limit", "never"}}},
      {"bounds", {{"timeouts", timeouts}}},
      {"invariants", {"vote-order", "decided-by-quorum"}}};
}

struct ElectionCount {
  int servers;
  bool queued;
  bool at_once;
  int timeouts;
  std::uint64_t states;
  std::uint64_t transitions;
  std::uint64_t depth;
};
constexpr std::array election_counts{
    ElectionCount{2, false, false, 0, 10, 13, 5},
    ElectionCount{2, true, false, 0, 36, 73, 8},
    ElectionCount{2, true, true, 0, 26, 53, 6},
    ElectionCount{3, false, false, 0, 15'366, 53'543, 18},
    ElectionCount{3, false, true, 0, 1316, 3733, 14},
    ElectionCount{3, true, true, 0, 34'237, 137'144, 21},
    ElectionCount{3, true, false, 0, 123'873, 532'518, 24},
    ElectionCount{2, true, false, 1, 298, 742, 12},
    ElectionCount{3, false, false, 1, 139'469, 548'992, 22},
};

TEST_CASE("check: elections have the counts of the walker and of SPIN, however they are searched") {
  for (const ElectionCount& row : election_counts) {
    CAPTURE(row.servers);
    CAPTURE(row.queued);
    CAPTURE(row.at_once);
    CAPTURE(row.timeouts);
    const LoadedModel model = modelOf(election(row.servers, row.queued, row.at_once, row.timeouts));
    if (row.servers == 3 && row.queued && row.at_once) {
      // There two may lead in one round, and a monitor's memory of the first distinguishes states.
      CheckOptions options;
      options.project = true;
      const CheckResult result = check(model, options);
      CHECK(result.distinct == 34'387);
      for (const auto& without : result.without) {
        if (without.name == "monitors") CHECK(without.values == row.states);
      }
      continue;
    }
    struct Way {
      unsigned threads;
      bool exact;
      SearchKind search;
    };
    for (const Way& way :
         {Way{1, false, SearchKind::bfs}, Way{1, false, SearchKind::dfs}, Way{1, true, SearchKind::dfs},
          Way{2, true, SearchKind::bfs}, Way{3, false, SearchKind::bfs}}) {
      // The larger ones take long with the sanitizers.
      if (row.states > 100'000 && way.threads != 3 && !(way.exact && way.threads == 2)) continue;
      CheckOptions options;
      options.threads = way.threads;
      options.exact = way.exact;
      options.search = way.search;
      const CheckResult result = check(model, options);
      CHECK(result.verdict == "holds");
      CHECK(result.exhausted);
      CHECK(result.distinct == row.states);
      CHECK(result.generated == row.transitions);
      if (way.search == SearchKind::bfs) CHECK(result.depth == row.depth);
    }
  }
}

TEST_CASE("check: a limit ends the search with its figures, and nothing is claimed") {
  const LoadedModel model = modelOf(election(3, true, false, 0));
  const std::atomic<bool> interrupted{true};
  std::uint64_t now = 0;
  const auto stopped = [&](const std::function<void(CheckOptions&)>& limit) {
    CheckOptions options;
    limit(options);
    const CheckResult result = check(model, options);
    CHECK(result.verdict == "undecided");
    CHECK(!result.exhausted);
    CHECK(result.distinct > 0);
    CHECK(result.distinct < 123'873);
    return result.stopped_by;
  };
  CHECK(stopped([](CheckOptions& options) { options.memory_max = 1; }) == "memory");
  CHECK(stopped([](CheckOptions& options) { options.states_max = 1000; }) == "states");
  CHECK(stopped([&](CheckOptions& options) { options.interrupted = &interrupted; }) == "interrupt");
  CHECK(stopped([&](CheckOptions& options) {
          options.milliseconds_max = 5;
          options.clock = [&now] { return now += 10; };
        }) == "time");
}

TEST_CASE("check: a set that cannot grow holds more than it would otherwise, and forgets nothing") {
  FingerprintSet set(1 << 10);
  const std::uint64_t most = set.capacityAtMost();
  CHECK(most > set.capacity());
  CHECK(most < set.slots());
  for (std::uint64_t i = 0; i < most; ++i) REQUIRE(set.insert(mix64(i)));
  const auto holds_them = [&] {
    for (std::uint64_t i = 0; i < 2 * most; ++i) {
      if (set.contains(mix64(i)) != (i < most)) return false;
    }
    return true;
  };
  CHECK(holds_them());
  CHECK(!set.insert(mix64(0)));
  set.grow(set.slots() / 8 * 9);
  CHECK(holds_them());
}

TEST_CASE("check: what is kept in files changes nothing, and a disk that is full ends the search") {
  const fs::path folder = fs::temp_directory_path() / ("zablab-scratch-" + std::to_string(getpid()));
  fs::create_directories(folder);
  Json broken = election(3, true, false, 0);
  broken["mutations"] = {"fle_half_is_a_quorum"};
  for (const Json& text : {election(3, true, false, 0), broken}) {
    const LoadedModel model = modelOf(text);
    struct Way {
      SearchKind search;
      unsigned threads;
      bool exact;
    };
    std::map<SearchKind, CheckResult> in_memory;
    for (const SearchKind search : {SearchKind::bfs, SearchKind::dfs}) {
      CheckOptions options;
      options.search = search;
      in_memory.emplace(search, check(model, options));
    }
    for (const Way& way :
         {Way{SearchKind::bfs, 1, false}, Way{SearchKind::bfs, 1, true}, Way{SearchKind::bfs, 2, false},
          Way{SearchKind::bfs, 2, true}, Way{SearchKind::dfs, 1, false}, Way{SearchKind::dfs, 1, true}}) {
      const CheckResult& plain = in_memory.at(way.search);
      CheckOptions options;
      options.search = way.search;
      options.threads = way.threads;
      options.exact = way.exact;
      options.scratch = folder.string();
      const CheckResult result = check(model, options);
      CHECK(result.disk_bytes > 0);
      CHECK(result.verdict == plain.verdict);
      CHECK(result.distinct == plain.distinct);
      CHECK(result.generated == plain.generated);
      CHECK(result.depth == plain.depth);
      CHECK(result.scenario == plain.scenario);
    }
  }
  CHECK(fs::is_empty(folder));

  // A limit on the size of a file simulates a full disk.
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 100'000;
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  CheckOptions options;
  options.scratch = folder.string();
  const CheckResult result = check(modelOf(election(3, true, false, 0)), options);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, ignored);
  CHECK(result.verdict == "undecided");
  CHECK(result.stopped_by == "disk");
  CHECK(result.distinct > 1000);
  fs::remove_all(folder);
}

TEST_CASE("check: a search towards a goal reaches what can be reached, by a way that leads there") {
  std::size_t reached = 0;
  for (const std::string& path : shippedFiles()) {
    const Case one = loadCase(path);
    if (one.kind != Case::Kind::model) continue;
    const Model& model = one.model.spec;
    if (model.reach.empty() || model.expect.verdict != "holds" ||
        model.expect.distinct.value_or(50'001) > 50'000)
      continue;
    const CheckResult whole = check(one.model, {});
    for (std::size_t i = 0; i < model.reach.size(); ++i) {
      const Goal& goal = model.reach[i];
      CAPTURE(path);
      CAPTURE(goal.name);
      CheckOptions options;
      options.towards = goal.name;
      const CheckResult result = check(one.model, options);
      REQUIRE(whole.goals[i].depth);
      CHECK(result.verdict == "reached");
      CHECK(result.distinct <= whole.distinct);
      ++reached;
      REQUIRE(result.scenario);
      Json text = *result.scenario;
      for (const auto& [id, state] : goal.state) {
        if (state.plain().dump().find("\"number\"") ==
            std::string::npos)  // a run numbers requests from the beginning
          text["expect"].push_back({{"finally", true}, {"server", id}, {"state", state.plain()}});
      }
      const Outcome outcome = runScenario(readCase("a way", JsonValue::fromJson(text, "a way")).scenario);
      for (const std::string& problem : outcome.problems) CHECK(problem.find("expect[") == std::string::npos);
    }
  }
  CHECK(reached > 10);
}

TEST_CASE("check: a goal that cannot be reached is not, in whatever order states are searched") {
  Json text = election(2, false, false, 0);
  text["reach"] = {
      {{"name", "two lead"}, {"state", {{"1", {{"role", "LEADING"}}}, {"2", {{"role", "LEADING"}}}}}}};
  CheckOptions options;
  const CheckResult whole = check(modelOf(text), options);
  options.towards = "two lead";
  const CheckResult result = check(modelOf(text), options);
  CHECK(result.verdict == "holds");
  CHECK(result.distinct == whole.distinct);
  options.towards = "three lead";
  CHECK_THROWS_WITH_AS(check(modelOf(text), options), doctest::Contains("did you mean `two lead`?"),
                       InputError);
}

TEST_CASE("check: a model's own requests exist and can be made") {
  struct Row {
    Json asks;
    const char* says;
  };
  Json both = election(1, true, true, 0);
  both["clients"] = {{{"id", 9}}};
  both["asks"] = {{{"client", 9}, {"sync", true}}};
  both["bounds"]["reads"] = 1;
  CHECK_THROWS_WITH_AS(modelOf(both), doctest::Contains("with `asks` there are no other writes and reads"),
                       InputError);
  for (const Row& row : {Row{{{{"client", 9}, {"sync", true}}}, nullptr},
                         {{{{"client", 8}, {"sync", true}}}, "there is no client 8"},
                         {{{{"client", 1}, {"sync", true}}}, "there is no client 1"},
                         {{{{"client", 9}, {"sing", true}}}, "unknown key `sing`"},
                         {{{{"client", 9}, {"operation", "put"}}}, "a key of its own now"},
                         {{{{"client", 9}, {"connect", 1}}}, "has no `connect`"},
                         {Json(16, {{"client", 9}, {"write", true}}), "more than 15 requests"}}) {
    CAPTURE(row.asks);
    Json text = election(1, true, true, 0);
    text["clients"] = {{{"id", 9}}};
    text["asks"] = row.asks;
    const LoadedModel model = modelOf(text);
    if (row.says == nullptr) {
      CHECK_NOTHROW(checkModel(model));
    } else {
      CHECK_THROWS_WITH_AS(checkModel(model), doctest::Contains(row.says), InputError);
    }
  }
}

/// The output of a command; empty if it fails.
std::string printed(const std::string& command) {
  std::string text;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 4096> part{};
  for (std::size_t got = 0; (got = std::fread(part.data(), 1, part.size(), pipe)) > 0;)
    text.append(part.data(), got);
  return pclose(pipe) == 0 ? text : std::string();
}

/// The number in front of `what`.
std::uint64_t numberBefore(const std::string& text, const std::string& what) {
  const std::size_t end = text.find(what);
  if (end == std::string::npos) return 0;
  const std::size_t last = text.find_last_of("0123456789", end);
  const std::size_t first = text.find_last_not_of("0123456789", last);
  return std::stoull(text.substr(first + 1, last - first));
}

TEST_CASE("check: SPIN counts the same elections in a model that was written independently of these nodes") {
  const fs::path folder = fs::temp_directory_path() / ("zablab-spin-" + std::to_string(getpid()));
  for (const ElectionCount& row : election_counts) {
    const bool in_test = row.timeouts > 0 ? row.servers == 2 : row.queued || row.servers == 3;
    if (!in_test) continue;
    CAPTURE(row.states);
    fs::create_directories(folder);
    const std::string flags =
        " -DN=" + std::to_string(row.servers) + " -DOWN_QUEUED=" + (row.queued ? "1" : "0") +
        " -DDECIDE_AT_ONCE=" + (row.at_once ? "1" : "0") + " -DT=" + std::to_string(row.timeouts) + " -DK=6 ";
    const std::string text = printed(
        "cd " + folder.string() + " && spin -o2 -a" + flags + ZABLAB_SOURCE_DIR +
        "/tests/referee/election.pml >/dev/null && gcc -O1 -w -DSAFETY -DNOREDUCE -DMEMLIM=4000 -o pan pan.c "
        "&& ./pan -m100000 -w22 -n");
    fs::remove_all(folder);
    CAPTURE(text);
    REQUIRE(text.find("errors: 0") != std::string::npos);
    // SPIN counts one state before the start, and the step from it.
    CHECK(numberBefore(text, " states, stored") == row.states + 1);
    CHECK(numberBefore(text, " transitions (= stored+matched)") == row.transitions + 2);
  }
}

// ---- the baseline, counted by SPIN and by TLC

TEST_CASE("check: the baseline's elections have their published counts") {
  using F = fle_baseline::Family;
  struct Row {
    std::uint32_t rounds, crashes;
    std::size_t capacity;
    std::uint64_t states, transitions;
  };
  for (const Row& row : {Row{1, 0, 1, 2276, 7773}, Row{2, 0, 1, 93'803, 399'157}}) {
    Cluster<F> cluster;
    cluster.ids = {1, 2, 3};
    cluster.configs.assign(3, {});
    cluster.scripted.assign(3, false);
    cluster.links = {LinkKind::bounded};
    cluster.capacity = row.capacity;
    Limits limits;
    limits.bounds[static_cast<std::size_t>(Budget::elections)] = row.rounds;
    limits.bounds[static_cast<std::size_t>(Budget::crashes)] = row.crashes;
    const NodesOf<F, AnyNodes> nodes;
    const FamilyCheckOf<F> check;
    const AnyCluster servers = anyCluster(cluster, nodes);
    const DirectStore<Any> store(servers);
    SearchOptions options;
    options.threads = 2;
    options.invariants = CheckOf<F>::safe;
    Search search(servers, check, limits, options, store.value());
    const SearchCounts counts = search.breadthFirst();
    CHECK(counts.exhausted);
    CHECK(counts.distinct == row.states);
    CHECK(counts.generated + 1 == row.transitions);  // the published counts include the start
  }
}

// ---- two stores, one world

using Zab = zab::Family;

/// Servers of one configuration, with the links of models.
AnyCluster clusterOf(int servers) {
  Cluster<Zab> cluster;
  zab::NodeConfig config;
  config.min_notification_ms = config.max_notification_ms = 200;
  config.connect_attempts = 2;
  for (int id = 1; id <= servers; ++id) {
    config.members.push_back({.id = id});
    cluster.ids.push_back(id);
  }
  cluster.configs.assign(cluster.ids.size(), config);
  cluster.scripted.assign(cluster.ids.size(), false);
  cluster.links = {LinkKind::slot, LinkKind::tcp};
  return anyCluster(cluster);
}

TEST_CASE("check: the interned store does the same as the direct store, on drawn paths with every fault") {
  const AnyCluster cluster = clusterOf(3);
  Limits limits;
  limits.bounds = {9, 3, 3, 3, 9, 5, 0, 0, 3};
  limits.ends = {Ends::kill, Ends::crash, Ends::power_loss};
  limits.dials = Dials::any;
  for (std::size_t kind = 0; kind < 10; ++kind)
    limits.fires.push_back(CheckOf<Zab>::firesByDefault(static_cast<zab::TimerKind>(kind)));
  Tables tables(cluster, theCheck<Zab>());
  InternedStore store(tables);
  IdleEnvironment<Numbers> silent;
  const SearchWorld guards(cluster, store, silent);
  SearchWorld interned(cluster, store, silent);
  DirectStore<Any> values(cluster);
  WatchEnvironment environment(cluster);
  World<DirectStore<Any>, WatchEnvironment> direct(cluster, values, environment);
  const auto moves = theCheck<Zab>().moves(tables, limits, guards, store);
  const WorldValue<Any> nothing = values.value();
  std::map<ActionKind, int> done;
  std::map<AtWrite, int> died;
  for (std::uint64_t walk = 0; walk < 60; ++walk) {
    values.setValue(nothing);
    for (int i = 0; i < 3; ++i) direct.start(i);
    store.setValue(values.value());
    Spent spent;
    for (std::uint64_t step = 0; step < 300; ++step) {
      std::vector<Move> list;
      moves->list(spent, list);
      if (list.empty()) break;
      const auto draw = [&](std::uint64_t again, std::uint64_t of) {
        return mix64((walk * 1000 + step) * 8 + again) % of;
      };
      std::uint64_t which = draw(0, list.size());
      // Faults are rare, because otherwise no server would ever serve.
      for (std::uint64_t again = 1; again < 5; ++again) {
        const auto& spends = list[which].spends;
        if (spends && *spends != Budget::writes) which = draw(again, list.size());
      }
      Move& move = list[which];
      ++done[move.action.kind];
      const std::vector<std::uint32_t> before(store.tuple(), store.tuple() + store.layout().size);
      store.forgetInput();
      interned.apply(move.action);
      const auto& points = store.crashPoints();
      if (!points.empty() && draw(5, 16) == 0) {
        move.action.dies = points[draw(6, points.size())];
        move.action.dies.power_loss = draw(7, 2) == 0;
        ++died[move.action.dies.at];
        store.load(before.data());
        interned.apply(move.action);
      }
      direct.apply(tables.valueOf(move.action));
      if (move.spends) spent.spend(*move.spends);
      REQUIRE(store.value() == values.value());
    }
  }
  for (const ActionKind kind : {ActionKind::deliver, ActionKind::dial, ActionKind::give_up, ActionKind::fire,
                                ActionKind::sync, ActionKind::fail_write, ActionKind::start, ActionKind::kill,
                                ActionKind::lose_power, ActionKind::cut, ActionKind::heal, ActionKind::ask}) {
    CAPTURE(enumName(kind));
    CHECK(done[kind] > 0);
  }
  for (const AtWrite at : {AtWrite::before, AtWrite::half, AtWrite::after}) {
    CAPTURE(enumName(at));
    CHECK(died[at] > 0);
  }
}

TEST_CASE("check: everything that the simulator does is a move of the search") {
  const AnyCluster cluster = clusterOf(3);
  Limits limits;
  limits.bounds = {9, 9, 9, 0, 0, 9};
  limits.dials = Dials::any;
  limits.fires.assign(10, Fires::free);
  Tables tables(cluster, theCheck<Zab>());
  InternedStore store(tables);
  IdleEnvironment<Numbers> silent;
  SearchWorld world(cluster, store, silent);
  const auto moves = theCheck<Zab>().moves(tables, limits, world, store);
  const auto tupleOf = [&](const WorldValue<Any>& value) {
    store.setValue(value);
    return std::vector<std::uint32_t>(store.tuple(), store.tuple() + store.layout().size);
  };
  std::uint64_t steps = 0;
  std::uint64_t writes = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Range latency{1, seed % 2 == 0 ? 30 : 400};
    const Timing timing{
        .latency = {latency, latency}, .dial = {1, 30}, .fsync = {1, 60}, .connect_timeout = 5'000};
    Choices choices(std::make_unique<SeededChoices>(seed),
                    [](ChoiceKind, std::uint8_t) { return std::string(); });
    choices.remember(false);
    Simulator<Any> simulator(cluster, timing, choices);
    Spent spent;
    bool asked = false;
    const auto later = [&](Millis when, ActionKind kind, int server) {
      simulator.at(when, [&, kind, server] {
        const bool up = simulator.store().isUp(server);
        if (up == (kind == ActionKind::start)) return;
        Action<Any> action{.kind = kind, .a = server};
        if (kind == ActionKind::lose_power) action.in_flight = false;
        if (kind == ActionKind::ask) {
          const auto& node = simulator.store().server(server).node.as<zab::Node>();
          if (node.role != zab::Role::LEADING || !node.serves()) return;
          action.request = theCheck<Zab>().write(spent.of(Budget::writes) + 1);
          asked = true;
        }
        simulator.apply(action);
      });
    };
    for (int i = 0; i < 3; ++i) later(0, ActionKind::start, i);
    for (Millis when = 1'000; when < 9'000; when += 1'700) {
      for (int i = 0; i < 3; ++i) later(when + i, ActionKind::ask, i);
    }
    const int victim = static_cast<int>(seed % 3);
    later(static_cast<Millis>(500 + 97 * seed), seed % 4 < 2 ? ActionKind::kill : ActionKind::lose_power,
          victim);
    later(static_cast<Millis>(3'000 + 97 * seed), ActionKind::start, victim);
    std::vector<std::uint32_t> before = tupleOf(simulator.store().value());
    std::uint64_t applied = simulator.applied();
    std::uint64_t strangers = 0;
    simulator.run(9'000, [&] {
      if (simulator.applied() == applied) return false;
      const bool one = simulator.applied() == applied + 1;
      applied = simulator.applied();
      const std::vector<std::uint32_t> after = tupleOf(simulator.store().value());
      std::vector<Move> list;
      store.load(before.data());
      moves->list(spent, list);
      const bool met = std::any_of(list.begin(), list.end(), [&](const Move& move) {
        store.load(before.data());
        world.apply(move.action);
        return std::equal(after.begin(), after.end(), store.tuple());
      });
      if (!one || !met) ++strangers;
      ++steps;
      if (std::exchange(asked, false)) spent.spend(Budget::writes);
      before = after;
      return false;
    });
    CAPTURE(seed);
    CHECK(strangers == 0);
    writes += spent.of(Budget::writes);
  }
  CHECK(steps > 40 * 150);
  CHECK(writes > 40);
}

// ---- the grain of one step for an election

/// Which server was elected, and in which state of disks and processes.
std::set<std::pair<int, std::vector<std::uint64_t>>> electedIn(const LoadedModel& model, Grain grain) {
  LoadedModel changed = model;
  changed.spec.grain = grain;
  Setup setup = makeSetup(theFamily<Zab>(), scenarioOf(changed));
  setup.cluster.links = {grain == Grain::full ? LinkKind::newest : LinkKind::mute, LinkKind::tcp};
  setup.cluster.own->links = setup.cluster.links;
  const FamilyCheck& check = theCheck<Zab>();
  const Limits limits = limitsOf(check, changed, setup.cluster);
  Search search(setup.cluster, check, limits, {}, startOf(scenarioOf(changed), setup));
  std::set<std::pair<int, std::vector<std::uint64_t>>> elected;
  const Tables& tables = search.tables();
  search.setWitness([&](const std::uint32_t* before, const InternedStore& after) {
    for (int i = 0; i < after.size(); ++i) {
      const bool led = (tables.servers.view(before[i]).says & CheckOf<Zab>::leads) != 0;
      if (led || !after.isUp(i) || (after.says(i) & CheckOf<Zab>::leads) == 0) continue;
      std::vector<std::uint64_t> state;
      for (int j = 0; j < after.size(); ++j) {
        state.push_back(tables.disks.hashes()[before[tables.layout().disks_at + j]]);
        state.push_back(tables.servers.view(before[j]).up ? 1 : 0);
      }
      elected.emplace(i, std::move(state));
    }
  });
  CHECK(search.breadthFirst().exhausted);
  return elected;
}

TEST_CASE("check: every server elected message by message, in any state, is also elected in one step") {
  const auto disk = [](const Json& log) {
    return Json{{"accepted_epoch", 1}, {"current_epoch", 1}, {"snapshot", "0.0"}, {"log", log}};
  };
  const Json crash{
      {"kind", "model"},
      {"name", "a crash"},
      {"rules", {{"own_vote", "at_once"}}},
      {"config", {{"connect_attempts", 1}, {"min_notification_ms", 200}, {"max_notification_ms", 200}}},
      {"servers", 3},
      {"bounds", {{"elections", 1}, {"crashes", 1}}}};
  Json logs = crash;
  logs["servers"] = Json::array({{{"id", 1}, {"disk", disk(Json::array({"1.1", "1.2"}))}},
                                 {{"id", 2}, {"disk", disk(Json::array({"1.1"}))}},
                                 {{"id", 3}, {"disk", disk(Json::array())}, {"down", true}}});
  logs["bounds"] = {{"elections", 1}, {"restarts", 1}, {"crashes", 1}};
  for (const Json& text : {crash, logs}) {
    const LoadedModel model = modelOf(text);
    const auto by_messages = electedIn(model, Grain::full);
    const auto in_one_step = electedIn(model, Grain::atomic_election);
    MESSAGE(by_messages.size() << " pairs message by message, " << in_one_step.size() << " in one step");
    CHECK(by_messages.size() > 4);
    for (const auto& pair : by_messages) CHECK(in_one_step.contains(pair));
  }
}

}  // namespace
}  // namespace zablab
