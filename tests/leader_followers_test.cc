// Leader and Followers: the decision about a vote, row by row; which rules an exhaustive search refutes and
// which it exhausts; and drawn runs with faults.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checker/check/search.h"
#include "checker/leader_followers/check.h"
#include "checker/leader_followers/monitors.h"
#include "checker/leader_followers/moves.h"
#include "protocol/leader_followers/election.h"
#include "protocol/leader_followers/mutations.h"
#include "sim/faults.h"
#include "sim/leader_followers/binding.h"
#include "sim/run.h"

namespace zablab::leader_followers {
namespace {

using Strings = std::vector<std::string>;

Rules rulesOf(std::string_view variant, const Strings& changes = {}) {
  Rules rules = findVariant(variant)->rules;
  for (const std::string& change : changes) {
    const std::size_t equals = change.find('=');
    if (equals == std::string::npos) {
      mutate(rules, *findMutation(change));
    } else {
      REQUIRE(!setRule(rules, change.substr(0, equals), change.substr(equals + 1)));
    }
  }
  return rules;
}

/// Servers 1, 2, ..., then clients 11, 12, ...
Cluster<Family> clusterOf(int servers, int clients, const Rules& rules, Config config = {}) {
  Cluster<Family> cluster;
  for (int id = 1; id <= servers; ++id) {
    config.members.push_back(id);
    cluster.ids.push_back(id);
  }
  cluster.configs.assign(cluster.ids.size(), config);
  config.client = true;
  for (int i = 0; i < clients; ++i) {
    cluster.ids.push_back(11 + i);
    cluster.configs.push_back(config);
  }
  cluster.clients = static_cast<std::size_t>(clients);
  cluster.scripted.assign(cluster.ids.size(), false);
  cluster.rules = rules;
  cluster.links = {LinkKind::tcp, LinkKind::tcp};
  return cluster;
}

// ---- the tables

TEST_CASE(
    "leader_followers: every value of every rule is some variant's or some planted bug's, and listed once") {
  std::set<std::string> used;
  for (const Variant& variant : variants()) {
    forEachField(variant.rules, [&](std::string_view rule, const auto& value) {
      used.insert(std::string(rule) + "=" + std::string(enumName(value)));
    });
  }
  for (const Mutation& mutation : mutations())
    used.insert(std::string(mutation.rule) + "=" + std::string(mutation.value));
  std::set<std::string> named;
  for (const RuleValue& value : ruleValues()) {
    const std::string name = std::string(value.rule) + "=" + std::string(value.value);
    CHECK_MESSAGE(named.insert(name).second, name, " is listed twice");
    CHECK_MESSAGE((used.contains(name) || name == "led_voter=refuses_votes"), name, " is used by nobody");
  }
  for (const std::string& name : used) CHECK_MESSAGE(named.contains(name), name, " is not listed");
  CHECK(changedRules(rulesOf("sound")).empty());
  CHECK(changedRules(rulesOf("highest-id")) == Strings{"tie_break=highest_id"});
}

// ---- the vote

/// A voter in generation 5 whose log has entries of these generations.
Node voter(std::optional<ServerId> voted_for, const std::vector<std::int64_t>& log) {
  Node node = Family::blank(2);
  node.role = Role::FOLLOWING;
  node.generation = 5;
  node.voted_for = voted_for;
  for (const std::int64_t generation : log) node.log.push_back({generation, {}});
  return node;
}

TEST_CASE(
    "leader_followers: the vote is decided row by row, by the sound rules and as the handler is printed") {
  struct Row {
    const char* what;
    std::int64_t generation;
    std::optional<ServerId> voted_for;
    Position last;  ///< of the candidate, 3; the voter has entries of generations 1, 3
    VoteReason sound;
    VoteReason literal;
  };
  using enum VoteReason;
  const auto none = std::nullopt;
  for (const Row& row : {
           Row{"a lower generation", 4, none, {4, 9}, lower_generation, lower_generation},
           {"the same vote again", 5, 3, {0, 0}, repeated, repeated},
           {"a vote for another", 5, 1, {4, 9}, voted_for_another, voted_for_another},
           {"no vote yet, the same log", 5, none, {3, 2}, up_to_date, up_to_date},
           {"no vote yet, a longer log", 5, none, {3, 3}, up_to_date, up_to_date},
           {"no vote yet, a shorter log", 5, none, {3, 1}, log_behind, log_behind},
           {"no vote yet, a longer log of an older generation", 5, none, {2, 7}, log_behind, up_to_date},
           {"no vote yet, a shorter log of a newer generation", 5, none, {4, 1}, up_to_date, log_behind},
           {"a higher generation, a good log", 6, 1, {3, 2}, up_to_date, higher_generation},
           {"a higher generation, an empty log", 6, 1, {0, 0}, log_behind, higher_generation},
       }) {
    CAPTURE(row.what);
    const Node node = voter(row.voted_for, {1, 3});
    const VoteRequest request{row.generation, row.last, false};
    const auto granted = [](VoteReason reason) {
      return reason == repeated || reason == up_to_date || reason == higher_generation;
    };
    const VoteDecision sound = decideVote(rulesOf("sound"), node, 3, request);
    CHECK(enumName(sound.reason) == enumName(row.sound));
    CHECK(sound.granted == granted(row.sound));
    const VoteDecision literal = decideVote(rulesOf("document"), node, 3, request);
    CHECK(enumName(literal.reason) == enumName(row.literal));
    CHECK(literal.granted == granted(row.literal));
  }
}

TEST_CASE("leader_followers: of equal logs the first to ask is voted for, or the higher id") {
  const VoteRequest equal{5, {3, 2}, false};
  for (const ServerId candidate : {1, 3}) {
    const VoteDecision first = decideVote(rulesOf("sound"), voter(std::nullopt, {1, 3}), candidate, equal);
    CHECK(first.granted);
    const VoteDecision highest =
        decideVote(rulesOf("highest-id"), voter(std::nullopt, {1, 3}), candidate, equal);
    CHECK(highest.granted == (candidate == 3));
    CHECK(enumName(highest.reason) == (candidate == 3 ? "up_to_date" : "lower_id"));
  }
  // A better log beats a higher id.
  CHECK(decideVote(rulesOf("highest-id"), voter(std::nullopt, {1, 3}), 1, {5, {3, 3}, false}).granted);
}

TEST_CASE("leader_followers: a pre-vote promises nothing, and is refused by who hears a leader") {
  Node node = voter(std::nullopt, {1, 3});
  const VoteRequest pre{6, {3, 2}, true};
  CHECK(decideVote(rulesOf("sound"), node, 3, pre).granted);
  Effects effects;
  Node asked = node;
  const Cluster<Family> cluster = clusterOf(3, 0, {});
  Family::step(cluster.configs[1], cluster.rules, asked, V::Received{server_link, 3, pre}, effects);
  CHECK(asked == node);
  node.leader = 1;
  CHECK(enumName(decideVote(rulesOf("sound"), node, 3, pre).reason) == "has_leader");
  CHECK(decideVote(rulesOf("sound", {"raft_led_voter_grants"}), node, 3, pre).granted);
  // A vote that is no pre-vote is weighed all the same, unless a rule says otherwise.
  const VoteRequest vote{6, {3, 2}, false};
  for (const bool heeds : {true, false}) {
    Node led = node;
    const Rules rules = heeds ? Rules{} : rulesOf("sound", {"led_voter=refuses_votes"});
    effects.clear();
    Family::step(cluster.configs[1], rules, led, V::Received{server_link, 3, vote}, effects);
    CHECK(led.generation == (heeds ? 6 : 5));
  }
}

// ---- exhaustive searches

std::string violatedIn(const Cluster<Family>& cluster, std::uint32_t mask) {
  const CheckOf<Family> check(cluster);
  std::string names;
  std::size_t i = 0;
  for (const InvariantInfo& info : check.invariants()) {
    if (((mask >> i++) & 1) != 0) names += (names.empty() ? "" : ", ") + std::string(info.name);
  }
  return names;
}

std::uint32_t maskOf(const Cluster<Family>& cluster, const Strings& names) {
  const CheckOf<Family> check(cluster);
  std::uint32_t mask = 0;
  std::size_t i = 0;
  for (const InvariantInfo& info : check.invariants()) {
    if (std::find(names.begin(), names.end(), info.name) != names.end()) mask |= 1U << i;
    ++i;
  }
  return mask;
}

struct Model {
  std::uint32_t elections = 0;
  std::uint32_t writes = 0;
  std::uint32_t crashes = 0;  ///< each may be followed by a restart
  std::uint32_t reads = 0;    ///< with them there is a client, which may turn to another server once
  bool calls = true;          ///< Grain::settled: a question and its answer are one step
  bool heartbeats = false;    ///< a leader repeats what may be lost, and tells of what is committed
  bool waits_for_disk = true;
  Ends ends = Ends::kill;
};

struct Found {
  SearchCounts counts;
  std::string violated;
  std::size_t length = 0;
  std::vector<std::uint64_t> obligations;
};

struct How {
  bool depth_first = false;
  unsigned threads = 1;
  bool exact = false;
};

Found search(const Rules& rules, const Model& model, const Strings& invariants = {}, const How& how = {}) {
  Config config;
  config.idle_heartbeats = false;
  config.waits_for_disk = model.waits_for_disk;
  Cluster<Family> cluster = clusterOf(3, model.reads > 0 ? 1 : 0, rules, config);
  if (model.reads == 0) cluster.links.resize(1);
  Limits<Family> limits;
  const auto bound = [&](Budget budget, std::uint32_t most) {
    limits.bounds[static_cast<std::size_t>(budget)] = most;
  };
  bound(Budget::elections, model.elections);
  bound(Budget::writes, model.writes);
  bound(Budget::reads, model.reads);
  bound(Budget::turns, model.reads);
  bound(Budget::crashes, model.crashes);
  bound(Budget::restarts, model.crashes);
  limits.ends = {model.ends};
  limits.ends_inside_steps = false;
  limits.grain = model.calls ? Grain::settled : Grain::full;
  limits.fires.assign(5, Fires::never);
  limits.fires[static_cast<std::size_t>(TimerKind::election)] = Fires::free;
  limits.fires[static_cast<std::size_t>(TimerKind::client_retry)] = Fires::free;
  if (model.heartbeats) limits.fires[static_cast<std::size_t>(TimerKind::heartbeat)] = Fires::free;
  SearchOptions options;
  options.threads = how.threads;
  options.exact = how.exact;
  if (!invariants.empty()) options.invariants = maskOf(cluster, invariants);
  DirectStore<Family> store(cluster);
  WatchEnvironment<Family> environment(cluster);
  World<DirectStore<Family>, WatchEnvironment<Family>> world(cluster, store, environment);
  for (int i = 0; i < store.size(); ++i) world.start(i);
  for (int i = 0; i < 3; ++i) {
    for (int j = i + 1; j < 3; ++j) world.open(server_link, i, j);
  }
  Search<Family> search(cluster, limits, options, store.value());
  Found found;
  found.counts = how.depth_first ? search.depthFirst() : search.breadthFirst();
  found.obligations = search.obligations();
  if (const auto counterexample = search.counterexample()) {
    found.violated = violatedIn(cluster, counterexample->first);
    found.length = counterexample->second.size();
  }
  return found;
}

/// Four generations, two writes, a server that ends and starts again.
constexpr Model full_bounds{.elections = 4, .writes = 2, .crashes = 1};

TEST_CASE(
    "leader_followers: what is left out of the sound machine is refuted, within the bounds it holds in") {
  constexpr Model without_crash{.elections = 4, .writes = 2};
  constexpr Model slow_disks{
      .elections = 2, .writes = 2, .crashes = 1, .waits_for_disk = false, .ends = Ends::power_loss};
  constexpr Model with_client{.elections = 2, .writes = 1, .reads = 1};
  constexpr Model pre_votes{.elections = 2};
  struct Row {
    const char* mutation;
    const char* violated;
    std::uint64_t depth;  ///< of the shortest way there, in steps
    Model model = full_bounds;
    const char* also = "leader_begins=nothing";
    const char* variant = "plain";
  };
  for (const Row& row : {
           Row{"lf_skip_log_check_on_new_gen", "leader-completeness", 7},
           {"lf_skip_log_check_on_new_gen", "leader-completeness", 6, full_bounds,
            "leader_begins=empty_entry"},
           {"lf_index_only_log_check", "leader-completeness", 11},
           {"lf_vote_not_durable", "vote-durable", 2},
           {"lf_vote_not_durable", "election-safety", 5},
           {"lf_gen_not_durable", "generation-grows", 2},
           {"lf_gen_not_durable", "election-safety", 5},
           {"lf_no_term_check_on_append", "append-of-leader", 6},
           {"lf_no_term_check_on_append", "state-machine-safety", 9},
           {"raft_commit_prior_term", "leader-completeness", 14, without_crash},
           {"lf_asks_before_durable", "log-matching", 15, slow_disks},
           {"raft_ack_before_fsync", "acknowledged-durable", 7, slow_disks},
           {"raft_ack_before_fsync", "leader-completeness", 10, slow_disks, "leader_begins=empty_entry"},
           {"raft_no_read_index", "reads-fresh", 13, with_client, "leader_begins=empty_entry"},
           {"raft_led_voter_grants", "led-voters-refuse", 5, pre_votes, "leader_begins=nothing", "sound"},
       }) {
    CAPTURE(std::string(row.mutation));
    CAPTURE(std::string(row.violated));
    const Found found = search(rulesOf(row.variant, {row.also, row.mutation}), row.model, {row.violated});
    CHECK(found.violated == row.violated);
    CHECK(found.counts.depth == row.depth);
  }
}

TEST_CASE("leader_followers: the handler as it is printed loses what was committed, by either of its holes") {
  const Rules printed = rulesOf("document");
  CHECK(search(printed, full_bounds, {"leader-completeness"}).counts.depth == 7);
  // The first hole closed, the second is left; and the reverse.
  CHECK(search(rulesOf("document", {"new_generation=log_compared"}), full_bounds, {"leader-completeness"})
            .counts.depth == 11);
  CHECK(search(rulesOf("document", {"log_order=generation_index"}), full_bounds, {"leader-completeness"})
            .counts.depth == 7);
}

struct Count {
  const char* what;
  const char* variant;
  const char* change;
  Model model;
  std::uint64_t states;
  std::uint64_t transitions;
  std::uint64_t depth;
};

void checkCount(const Count& row, const std::vector<How>& ways) {
  CAPTURE(std::string(row.what));
  for (const How& how : ways) {
    CAPTURE(how.depth_first);
    CAPTURE(how.threads);
    CAPTURE(how.exact);
    const Found found = search(rulesOf(row.variant, {row.change}), row.model, {}, how);
    CHECK(found.violated == "");
    CHECK(found.counts.exhausted);
    CHECK(found.counts.distinct == row.states);
    CHECK(found.counts.generated == row.transitions);
    if (!how.depth_first) CHECK(found.counts.depth == row.depth);
  }
}

TEST_CASE("leader_followers: the sound machine is exhausted, and nothing is violated") {
  const char* const nothing = "leader_begins=nothing";
  const char* const empty = "leader_begins=empty_entry";
  const std::vector<How> every_way{{}, {.depth_first = true}, {.threads = 2}, {.exact = true}};
  checkCount({"pre-votes, two generations, a crash",
              "sound",
              nothing,
              {.elections = 2, .writes = 2, .crashes = 1},
              78'115,
              376'475,
              21},
             every_way);
  checkCount({"pre-votes, empty entries, heartbeats",
              "sound",
              empty,
              {.elections = 2, .writes = 1, .crashes = 1, .heartbeats = true},
              118'612,
              676'661,
              23},
             every_way);
  checkCount({"ties go to the higher id",
              "highest-id",
              empty,
              {.elections = 2, .writes = 1, .crashes = 1},
              36'438,
              168'606,
              18},
             every_way);
  checkCount({"slow disks, power lost",
              "plain",
              nothing,
              {.elections = 2, .writes = 1, .crashes = 1, .waits_for_disk = false, .ends = Ends::power_loss},
              73'966,
              378'846,
              25},
             every_way);
  checkCount({"message by message, slow disks, power lost",
              "plain",
              empty,
              {.elections = 1,
               .writes = 1,
               .crashes = 1,
               .calls = false,
               .waits_for_disk = false,
               .ends = Ends::power_loss},
              116'436,
              649'190,
              32},
             every_way);
  checkCount({"a client that writes, turns and reads",
              "plain",
              empty,
              {.elections = 2, .writes = 1, .reads = 1},
              559'867,
              2'700'227,
              32},
             {{}, {.threads = 2, .exact = true}});
  checkCount({"three generations, a crash",
              "plain",
              nothing,
              {.elections = 3, .writes = 2, .crashes = 1},
              637'710,
              3'072'961,
              22},
             {{}, {.depth_first = true}});
  checkCount({"four generations", "plain", nothing, {.elections = 4, .writes = 2}, 989'791, 4'925'310, 24},
             {{}, {.threads = 2, .exact = true}});
}

TEST_CASE("leader_followers: the sound machine is exhausted within the full bounds" * doctest::skip()) {
  // Minutes; --no-skip lets it run.
  checkCount(
      {"four generations, a crash", "plain", "leader_begins=nothing", full_bounds, 9'296'169, 47'684'931, 27},
      {{}, {.depth_first = true}, {.threads = 2, .exact = true}});
  checkCount({"pre-votes", "sound", "leader_begins=nothing", full_bounds, 82'125'909, 446'789'461, 34},
             {{.threads = 2}});
  checkCount(
      {"empty entries", "plain", "leader_begins=empty_entry", full_bounds, 27'558'122, 134'908'395, 27},
      {{.threads = 2}});
}

// ---- drawn runs

struct Run {
  Strings violated;   ///< the invariants, in their order
  std::string words;  ///< of the first
  std::map<std::string, std::uint64_t> obligations;
  std::int64_t leaders = 0;  ///< elections that came to something
  std::int64_t puts = 0;     ///< that were answered
  std::int64_t reads = 0;
  bool served_at_last = false;  ///< one of the writes that were asked for when all was well again
  std::int64_t generation = 0;  ///< the highest at the end
  std::uint64_t faults = 0;
};

/// What clients were told, and who was elected.
class Watcher : public Listener<Family> {
 public:
  explicit Watcher(Run& run) : run_(run) {}
  std::int64_t last_numbers = 0;  ///< requests from here on
  void on(const Happened<Family>& seen) override {
    if (seen.kind != Kind::event) return;
    if (const auto* role = std::get_if<RoleChanged>(seen.event)) {
      run_.leaders += role->to == Role::LEADING ? 1 : 0;
      run_.generation = std::max(run_.generation, role->generation);
    }
    const auto* answered = std::get_if<Answered>(seen.event);
    if (answered == nullptr || answered->outcome != Outcome::ok) return;
    ++(answered->operation == Operation::put ? run_.puts : run_.reads);
    if (last_numbers > 0 && answered->number > last_numbers) run_.served_at_last = true;
  }

 private:
  Run& run_;
};

struct Drawn {
  int servers = 3;
  FaultPreset faults = FaultPreset::everything;
  LinkKind link = LinkKind::tcp;
  bool swarm = true;
};

std::string topicName(ChoiceKind, std::uint8_t topic) { return std::to_string(topic); }

/// Two clients ask for writes and reads at drawn times; faults begin within 20 seconds, and all is well after
/// some 40.
Run draw(const Rules& rules, std::uint64_t seed, const Drawn& drawn = {}) {
  Run run;
  Cluster<Family> cluster = clusterOf(drawn.servers, 2, rules);
  cluster.links[server_link] = drawn.link;
  Choices choices(std::make_unique<SeededChoices>(seed), topicName);
  choices.remember(false);
  const auto within = [&](std::uint8_t topic, std::int64_t lo, std::int64_t hi, ServerId of = no_server) {
    return choices.within({ChoiceKind::workload, topic, of}, lo, hi);
  };
  const Millis slow = within(0, 0, 2) == 0 ? 300 : 20;
  const Timing timing{.latency = {{1, slow}, {1, 20}}, .dial = {1, 30}, .fsync = {1, within(1, 1, 200)}};
  Simulator<Family> simulator(cluster, timing, choices);
  const auto monitors = allMonitors(cluster);
  Watcher watcher(run);
  simulator.listen(*monitors);
  simulator.listen(watcher);
  FaultKnobs knobs = knobsOf(drawn.faults);
  knobs.begin_ms = {0, 20'000};
  if (drawn.swarm) knobs = swarm(knobs, choices);
  FaultPlan<Family> plan(cluster, simulator, choices, knobs);
  plan.arm();
  const int all = static_cast<int>(cluster.ids.size());
  for (int i = 0; i < all; ++i)
    simulator.at(0, [&, i] { simulator.apply({.kind = ActionKind::start, .a = i}); });
  std::int64_t number = 0;
  const auto ask = [&](Millis when, int client, Operation operation) {
    const Request request{operation, number + 1, ++number, no_server};
    simulator.at(when, [&, client, request] {
      simulator.apply({.kind = ActionKind::ask, .a = client, .request = request});
    });
  };
  for (int client = drawn.servers; client < all; ++client) {
    const ServerId first = 1 + within(2, 0, drawn.servers - 1, client);
    simulator.at(1, [&, client, first] {
      simulator.apply({.kind = ActionKind::ask, .a = client, .request = {Operation::connect, 0, 0, first}});
    });
    for (Millis when = 500; when < 35'000; when += within(3, 50, 3000, client))
      ask(when, client, within(4, 0, 1, client) == 0 ? Operation::put : Operation::read);
  }
  watcher.last_numbers = number;
  // Faults that are placed by what happens may come late.
  for (const Millis when : {60'000, 70'000, 80'000}) ask(when, drawn.servers, Operation::put);
  simulator.run(90'000);
  for (const auto& monitor : monitors->monitors()) {
    run.obligations[std::string(monitor->info().name)] += monitor->obligations();
    if (!monitor->violation()) continue;
    if (run.violated.empty()) run.words = *monitor->violation();
    run.violated.push_back(std::string(monitor->info().name));
  }
  run.faults = plan.done();
  return run;
}

TEST_CASE("leader_followers: drawn runs of the sound machine are clean, and serve in the end") {
  std::map<std::string, std::uint64_t> obligations;
  Run sum;
  for (const int servers : {3, 5}) {
    for (const char* variant : {"sound", "highest-id", "plain"}) {
      for (std::uint64_t seed = 0; seed < 500; ++seed) {
        const Run run = draw(rulesOf(variant), seed, {.servers = servers});
        CAPTURE(servers);
        CAPTURE(variant);
        CAPTURE(seed);
        CAPTURE(run.words);
        CHECK(run.violated.empty());
        CHECK(run.served_at_last);
        for (const auto& [name, count] : run.obligations) obligations[name] += count;
        sum.leaders += run.leaders;
        sum.puts += run.puts;
        sum.reads += run.reads;
        sum.faults += run.faults;
      }
    }
  }
  for (const auto& of : obligations) {
    CAPTURE(of.first);
    CHECK(of.second > 100);
  }
  CHECK(sum.leaders > 6000);
  CHECK(sum.puts > 30'000);
  CHECK(sum.reads > 30'000);
  CHECK(sum.faults > 10'000);
}

TEST_CASE("leader_followers: drawn runs find what is planted, and what the handler leaves out") {
  struct Row {
    const char* variant;
    const char* change;
    const char* invariant;
    std::uint64_t seeds;
  };
  for (const Row& row : {
           Row{"document", "", "leader-completeness", 100},
           {"document", "", "reads-fresh", 100},
           {"sound", "lf_skip_log_check_on_new_gen", "leader-completeness", 100},
           {"sound", "lf_skip_log_check_on_new_gen", "applied-is-committed", 300},
           {"sound", "lf_skip_log_check_on_new_gen", "answers-committed", 300},
           {"sound", "lf_skip_log_check_on_new_gen", "state-machine-safety", 300},
           {"sound", "lf_index_only_log_check", "leader-completeness", 1000},
           {"sound", "lf_vote_not_durable", "vote-durable", 10},
           {"sound", "lf_vote_not_durable", "election-safety", 1000},
           {"sound", "lf_gen_not_durable", "generation-grows", 10},
           {"sound", "lf_gen_not_durable", "election-safety", 300},
           {"sound", "lf_asks_before_durable", "generation-grows", 200},
           {"sound", "lf_no_term_check_on_append", "append-of-leader", 100},
           {"sound", "raft_truncate_on_any_append", "committed-stays", 300},
           {"sound", "raft_ack_before_fsync", "acknowledged-durable", 10},
           {"sound", "raft_no_read_index", "reads-fresh", 200},
           {"sound", "raft_led_voter_grants", "led-voters-refuse", 100},
       }) {
    CAPTURE(std::string(row.variant));
    CAPTURE(std::string(row.change));
    CAPTURE(std::string(row.invariant));
    const Rules rules = *row.change == '\0' ? rulesOf(row.variant) : rulesOf(row.variant, {row.change});
    std::optional<std::uint64_t> first;
    for (std::uint64_t seed = 0; seed < row.seeds && !first; ++seed) {
      const Run run = draw(rules, seed);
      const auto& names = run.violated;
      if (std::find(names.begin(), names.end(), row.invariant) != names.end()) first = seed;
    }
    CHECK(first);
  }
}

// ---- stories

/// Three servers, one client that begins with server 2; calm but for what the test does.
class Stage : public Listener<Family> {
 public:
  explicit Stage(const Rules& rules, std::uint64_t seed = 1)
      : cluster(clusterOf(3, 1, rules)),
        choices(std::make_unique<SeededChoices>(seed), topicName),
        sim(cluster, {.latency = {{1, 20}, {1, 20}}, .dial = {1, 20}, .fsync = {1, 10}}, choices) {
    monitors = allMonitors(cluster);
    sim.listen(*monitors);
    sim.listen(*this);
    for (int i = 0; i < 4; ++i) sim.apply({.kind = ActionKind::start, .a = i});
    sim.apply({.kind = ActionKind::ask, .a = 3, .request = {Operation::connect, 0, 0, 2}});
  }
  void on(const Happened<Family>& seen) override {
    if (seen.kind != Kind::event) return;
    if (const auto* answered = std::get_if<Answered>(seen.event)) answers.push_back(*answered);
    if (std::holds_alternative<Looking>(*seen.event)) lookers.push_back(seen.node);
  }
  const Node& node(int i) const { return sim.store().server(i).node; }
  /// The index of who leads the highest generation.
  int leader() const {
    int found = -1;
    for (int i = 0; i < 3; ++i) {
      const bool leads = sim.store().isUp(i) && node(i).role == Role::LEADING;
      if (leads && (found < 0 || node(i).generation > node(found).generation)) found = i;
    }
    return found;
  }
  void isolate(int i, bool cut) {
    for (int j = 0; j < 3; ++j) {
      if (j == i) continue;
      const ActionKind kind = cut ? ActionKind::cut : ActionKind::heal;
      sim.apply({.kind = kind, .a = i, .b = j});
      sim.apply({.kind = kind, .a = j, .b = i});
    }
  }
  void ask(Operation operation, std::int64_t number) {
    sim.apply({.kind = ActionKind::ask, .a = 3, .request = {operation, number, number, no_server}});
  }
  void runFor(Millis ms) { sim.run(sim.now() + ms); }
  std::string violated() const {
    for (const auto& monitor : monitors->monitors()) {
      if (monitor->violation()) return *monitor->violation();
    }
    return {};
  }

  Cluster<Family> cluster;
  Choices choices;
  Simulator<Family> sim;
  std::unique_ptr<MonitorSet<Family>> monitors;
  std::vector<Answered> answers;
  std::vector<int> lookers;
};

TEST_CASE(
    "leader_followers: without a leader nothing is accepted; with one, any server takes it to the leader") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Stage stage(rulesOf("sound"), seed);
    stage.runFor(100);
    stage.ask(Operation::put, 1);
    stage.runFor(500);
    CHECK(stage.answers.empty());  // turned away, it asks the next server, and the next
    stage.runFor(4000);
    REQUIRE(stage.answers.size() == 1);
    CHECK(enumName(stage.answers[0].outcome) == "ok");
    stage.ask(Operation::read, 2);
    stage.runFor(1000);
    REQUIRE(stage.answers.size() == 2);
    CHECK(stage.answers[1].value == 1);
    CHECK(stage.answers[1].index >= stage.answers[0].index);
    CHECK(stage.violated() == "");
  }
}

TEST_CASE("leader_followers: a server that starts late finds the leader, and begins no election") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Stage stage(rulesOf("plain"), seed);
    stage.runFor(5000);
    const int leader = stage.leader();
    REQUIRE(leader >= 0);
    const int late = (leader + 1) % 3;
    const std::int64_t generation = stage.node(leader).generation;
    stage.sim.apply({.kind = ActionKind::kill, .a = late});
    stage.runFor(5000);
    stage.lookers.clear();
    stage.sim.apply({.kind = ActionKind::start, .a = late});
    stage.runFor(5000);
    CHECK(stage.lookers.empty());
    CHECK(stage.leader() == leader);
    CHECK(stage.node(late).leader == leader + 1);
    CHECK(stage.node(late).generation == generation);
  }
}

TEST_CASE("leader_followers: when the leader dies another is elected, and has what was committed") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Stage stage(rulesOf("sound"), seed);
    stage.runFor(4000);
    stage.ask(Operation::put, 7);
    stage.runFor(1000);
    REQUIRE(stage.answers.size() == 1);
    const int leader = stage.leader();
    const std::int64_t generation = stage.node(leader).generation;
    stage.sim.apply({.kind = ActionKind::lose_power, .a = leader});
    stage.runFor(10'000);
    REQUIRE(stage.leader() >= 0);
    CHECK(stage.leader() != leader);
    CHECK(stage.node(stage.leader()).generation > generation);
    stage.ask(Operation::read, 8);
    stage.runFor(6000);
    if (stage.answers.back().outcome != Outcome::ok) {  // it waited for the old one
      stage.ask(Operation::read, 9);
      stage.runFor(6000);
    }
    CHECK(enumName(stage.answers.back().outcome) == "ok");
    CHECK(stage.answers.back().value == 7);
    CHECK(stage.violated() == "");
  }
}

TEST_CASE(
    "leader_followers: a server that was cut off changes nothing when it comes back, unless pre-vote is "
    "missing") {
  for (const bool asks : {true, false}) {
    int deposed = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(asks);
      CAPTURE(seed);
      Stage stage(asks ? rulesOf("sound") : rulesOf("sound", {"raft_no_prevote"}), seed);
      stage.runFor(5000);
      const int leader = stage.leader();
      REQUIRE(leader >= 0);
      const std::int64_t generation = stage.node(leader).generation;
      const int away = (leader + 1) % 3;
      stage.isolate(away, true);
      stage.runFor(10'000);
      CHECK((stage.node(away).generation > generation) == !asks);
      stage.isolate(away, false);
      stage.runFor(10'000);
      REQUIRE(stage.leader() >= 0);
      deposed += stage.node(stage.leader()).generation > generation ? 1 : 0;
    }
    CHECK(deposed == (asks ? 0 : 20));
  }
}

TEST_CASE("leader_followers: a leader that no quorum answers steps down, unless check-quorum is missing") {
  for (const bool checks : {true, false}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(checks);
      CAPTURE(seed);
      Stage stage(checks ? rulesOf("sound") : rulesOf("sound", {"raft_no_check_quorum"}), seed);
      stage.runFor(5000);
      const int leader = stage.leader();
      REQUIRE(leader >= 0);
      stage.isolate(leader, true);
      stage.runFor(6000);
      CHECK((stage.node(leader).role == Role::LEADING) == !checks);
      CHECK(stage.leader() >= 0);  // the others have one
      stage.isolate(leader, false);
      stage.runFor(6000);
      CHECK(stage.node(leader).role != Role::LEADING);
    }
  }
}

// ---- scenarios

/// An entry is on servers 1 and 2 alone when 1, the leader, ends. 3, which was cut off, comes back.
Json emptyLogAsks(const std::string& variant) {
  const auto server = [](int id, const char* name, Millis timeout) {
    return Json{{"id", id},
                {"name", name},
                {"config", {{"election_timeout_min_ms", timeout}, {"election_timeout_max_ms", timeout}}}};
  };
  return {{"kind", "scenario"},
          {"name", "an empty log asks"},
          {"protocol", "leader_followers"},
          {"variant", variant},
          {"servers", {server(1, "A", 100), server(2, "B", 3000), server(3, "C", 500)}},
          {"clients", {{{"id", 11}, {"name", "client"}, {"server", 1}}}},
          {"timing", {{"latency_ms", 1}, {"dial_ms", 1}, {"fsync_ms", 1}}},
          {"steps",
           {{{"at", 0}, {"partition", {{1, 2}, {3}}}},
            {{"at", 300}, {"write", {{"client", 11}, {"value", 7}}}},
            {{"at", 400}, {"crash", 1}},
            {{"at", 401}, {"heal", true}}}},
          {"until", 6000}};
}

TEST_CASE(
    "leader_followers: the printed handler's first hole as a scenario, and what the sound machine makes of "
    "it") {
  for (const std::string variant : {"document", "sound"}) {
    CAPTURE(variant);
    const JsonValue document = JsonValue::fromJson(emptyLogAsks(variant), "a scenario");
    const LoadedScenario scenario{readScenario(document), document};
    checkFamily<Family>(scenario);
    ScenarioRun<Family> run(scenario, makeSetup<Family>(scenario), {});
    const auto monitors = allMonitors(run.cluster());
    run.watch(*monitors);
    const Trace trace = run.execute();
    const auto says = [&](const std::string& line) {
      return std::any_of(trace.events.begin(), trace.events.end(),
                         [&](const TraceEvent& event) { return event.text.find(line) != std::string::npos; });
    };
    CHECK(says("A leads in generation 1: a quorum elected it"));
    CHECK(says("client knows its write done"));
    const bool literal = variant == "document";
    CHECK(says("B votes for C in generation 2: its generation is higher") == literal);
    CHECK(says("C leads in generation 2") == literal);
    CHECK(says("B would not vote for C in generation 2: it hears a leader") == !literal);
    CHECK(says("B leads in generation 2") == !literal);
    std::string violated;
    for (const auto& monitor : monitors->monitors()) {
      if (monitor->violation() && violated.empty()) violated = monitor->info().name;
    }
    CHECK(violated == (literal ? "leader-completeness" : ""));
  }
}

}  // namespace
}  // namespace zablab::leader_followers
