// Recipes: their pure parts by tables, their steps without any network, and drawn runs, in which every
// invariant about them is exercised and planted bugs are found.
#include "protocol/recipes/line.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "checker/fuzz/campaign.h"
#include "checker/fuzz/report.h"
#include "checker/protocol.h"
#include "protocol/recipes/mutations.h"
#include "protocol/recipes/program.h"
#include "protocol/recipes/resource.h"
#include "protocol/recipes/variants.h"
#include "protocol/zookeeper/rules.h"
#include "tests/shipped.h"

namespace zablab {
namespace {

using namespace recipes;

TEST_CASE("recipes: the number of a sequential node, and the order of a line") {
  CHECK(numberOf("node-0000000012") == 12);
  CHECK(numberOf("0000000000") == 0);
  CHECK(numberOf("/l/_c_100-node-2147483647") == 2147483647);
  CHECK(numberOf("/l/_c_100-node--2147483648") == -2147483648);
  for (const char* name : {"", "12", "node-12", "node-00000000x1", "node-0000000012-"}) {
    CAPTURE(name);
    CHECK_FALSE(numberOf(name));
  }
  CHECK(inOrder({"b-0000000002", "other", "_c_9-z-0000000000", "a-0000000010"}) ==
        std::vector<std::string>{"_c_9-z-0000000000", "b-0000000002", "a-0000000010"});
  // Behind the largest number comes the smallest, which sorts first if the numbers are compared as they are.
  const std::vector<std::string> wrapped{"b--2147483648", "a-2147483647", "d-2147483646"};
  CHECK(inOrder(wrapped) == std::vector<std::string>{"d-2147483646", "a-2147483647", "b--2147483648"});
  CHECK(inOrder(wrapped, NumberOrder::as_signed) ==
        std::vector<std::string>{"b--2147483648", "d-2147483646", "a-2147483647"});
  // No session's guard is the beginning of another's.
  CHECK_FALSE(("_c_101-node-0000000000" + std::string()).starts_with(guardOf(10)));
  CHECK(("_c_101-node-0000000000" + std::string()).starts_with(guardOf(101)));
}

/// A program, and what it has asked and reported since this was looked at last.
struct Run {
  RecipeRules rules;
  Program program;
  std::vector<Op> asked = {};
  std::vector<bool> beliefs = {};

  explicit Run(Recipe recipe, RecipeRules with = {}) : Run(Settings{recipe, "/l", "n-"}, with) {}
  explicit Run(const Settings& settings, RecipeRules with = {}) : rules(with), program(programOf(settings)) {}

  void give(const Input& input) {
    asked.clear();
    beliefs.clear();
    std::vector<Effect> effects;
    recipes::step({rules, 7, effects}, program, input);
    for (const Effect& effect : effects) {
      if (const auto* ask = get_if<Ask>(&effect)) asked.push_back(ask->op);
      if (const auto* event = get_if<Event>(&effect)) {
        if (const auto* belief = get_if<BeliefChanged>(event)) beliefs.push_back(belief->holds);
      }
    }
  }
  void answer(Purpose purpose, Error error, std::vector<std::string> children = {},
              const std::string& path = {}) {
    Result result;
    result.error = error;
    result.children = std::move(children);
    if (!path.empty()) result.path = path;
    give(Answer{purpose, {}, result});
  }
  /// The answer to what was asked last.
  void answerLast(Purpose purpose, const std::string& data) {
    Result result;
    result.data = data;
    give(Answer{purpose, asked.back(), result});
  }
  bool asks(OpCode code, const std::string& path, bool watch = false) const {
    return asked.size() == 1 && asked[0].code == code && asked[0].path == path && asked[0].watch == watch;
  }
};

TEST_CASE("recipes: a contender takes its place, watches its predecessor, and leads when it is the first") {
  Run run(Recipe::predecessor_watch_election);
  run.give(Begin{7});
  CHECK(run.asks(OpCode::exists, "/l"));
  run.answer(Purpose::base, Error::NONODE);
  CHECK(run.asks(OpCode::create, "/l"));
  run.answer(Purpose::create_base, Error::NODEEXISTS);
  CHECK(run.asks(OpCode::create, "/l/_c_7-n-"));
  run.answer(Purpose::join, Error::OK, {}, "/l/_c_7-n-0000000002");
  CHECK(run.asks(OpCode::getChildren, "/l"));
  run.answer(Purpose::list, Error::OK, {"_c_7-n-0000000002", "_c_5-n-0000000000", "_c_6-n-0000000001"});
  CHECK(run.asks(OpCode::getData, "/l/_c_6-n-0000000001", true));
  run.answer(Purpose::observe, Error::OK);
  CHECK(run.asked.empty());
  run.give(Changed{{EventType::NodeDeleted, "/l/_c_6-n-0000000001"}});
  CHECK(run.asks(OpCode::getChildren, "/l"));
  run.answer(Purpose::list, Error::OK, {"_c_7-n-0000000002"});
  CHECK(run.beliefs == std::vector<bool>{true});
  CHECK(run.asked.empty());
  // It stops to believe before it deletes its node.
  run.give(Instructed{Act::leave});
  CHECK(run.beliefs == std::vector<bool>{false});
  CHECK(run.asks(OpCode::remove, "/l/_c_7-n-0000000002"));
}

TEST_CASE("recipes: what follows a create without an answer is the rule's") {
  struct Row {
    LostCreate rule;
    OpCode next;
  };
  for (const Row& row :
       {Row{LostCreate::looks, OpCode::setData}, Row{LostCreate::looks_after_sync, OpCode::sync},
        Row{LostCreate::looks_at_once, OpCode::getChildren},
        Row{LostCreate::creates_again, OpCode::create}}) {
    CAPTURE(std::string(enumName(row.rule)));
    Run run(Recipe::predecessor_watch_election, {.lost_create = row.rule});
    run.give(Begin{7});
    run.answer(Purpose::base, Error::OK);
    run.give(SessionChanged{SessionLink::lost});
    run.answer(Purpose::join, Error::CONNECTIONLOSS);
    CHECK(run.asked.empty());
    run.give(SessionChanged{SessionLink::connected, 7});
    REQUIRE(run.asked.size() == 1);
    CHECK(run.asked[0].code == row.next);
  }
  Run run(Recipe::predecessor_watch_election);
  run.give(Begin{7});
  run.answer(Purpose::base, Error::OK);
  run.give(SessionChanged{SessionLink::lost});
  run.answer(Purpose::join, Error::CONNECTIONLOSS);
  run.give(SessionChanged{SessionLink::connected, 7});
  run.answer(Purpose::catch_up, Error::BADVERSION);
  run.answer(Purpose::list, Error::OK, {"_c_6-n-0000000000", "_c_7-n-0000000001"});
  CHECK(run.asks(OpCode::getData, "/l/_c_6-n-0000000000", true));
  CHECK(get<PredecessorWatchElection>(run.program).node == "/l/_c_7-n-0000000001");
}

TEST_CASE("recipes: WriteLock takes the name of its node for a path, and waits for itself") {
  Run run(Recipe::lock, {.found_node = FoundNode::bare_name});
  run.give(Begin{7});
  run.give(Instructed{Act::acquire});
  run.answer(Purpose::base, Error::OK);
  run.give(SessionChanged{SessionLink::lost});
  run.answer(Purpose::join, Error::CONNECTIONLOSS);
  run.give(SessionChanged{SessionLink::connected, 7});
  run.answer(Purpose::catch_up, Error::BADVERSION);
  run.answer(Purpose::list, Error::OK, {"_c_7-n-0000000001"});
  CHECK(run.beliefs.empty());
  CHECK(run.asks(OpCode::getData, "/l/_c_7-n-0000000001", true));
  run.answer(Purpose::observe, Error::OK);
  run.give(Instructed{Act::leave});
  CHECK(run.asks(OpCode::remove, "_c_7-n-0000000001"));
  run.answer(Purpose::leave, Error::BADARGUMENTS);
  CHECK(run.asked.empty());
  CHECK(get<Lock>(run.program).gave_up);
}

TEST_CASE("recipes: the list of recipes has what follows from each") {
  struct Row {
    Recipe recipe;
    bool election;
    bool line;
    std::vector<Act> acts;
  };
  const std::vector<Act> in_elections{Act::leave, Act::join};
  const std::vector<Act> of_locks{Act::acquire, Act::release};
  const std::vector<Row> rows{{Recipe::unfair_election, true, false, in_elections},
                              {Recipe::parent_watch_election, true, true, in_elections},
                              {Recipe::predecessor_watch_election, true, true, in_elections},
                              {Recipe::leader_latch, true, true, in_elections},
                              {Recipe::lock, false, true, of_locks},
                              {Recipe::shared_lock, false, true, of_locks},
                              {Recipe::semaphore, false, true, of_locks},
                              {Recipe::double_barrier, false, false, {Act::enter, Act::leave}},
                              {Recipe::barrier, false, false, {Act::enter}},
                              {Recipe::queue, false, false, {Act::put, Act::take}},
                              {Recipe::protected_queue, false, false, {Act::put, Act::take}},
                              {Recipe::two_phase_commit, false, false, {Act::commit, Act::abort}},
                              {Recipe::configuration, false, false, {Act::push}},
                              {Recipe::membership, false, false, {Act::leave, Act::join}},
                              {Recipe::discovery, false, false, {Act::leave, Act::join}},
                              {Recipe::naming, false, false, {Act::name}}};
  for (const Row& row : rows) {
    CAPTURE(std::string(enumName(row.recipe)));
    CHECK(isElection(row.recipe) == row.election);
    CHECK(hasLine(row.recipe) == row.line);
    const std::span<const Act> acts = actsOf(row.recipe);
    CHECK(std::vector<Act>(acts.begin(), acts.end()) == row.acts);
    const Program program = programOf({row.recipe, "/l", "n-"});
    CHECK(visit([](const auto& recipe) { return std::string(recipe.name); }, program) ==
          enumName(row.recipe));
  }
  // And `resource`, which is none.
  CHECK(rows.size() + 1 == enumerators_of<Recipe>.size());
}

TEST_CASE("recipes: a node is deleted before its client joins again") {
  Run run(Recipe::unfair_election);
  run.give(Begin{7});
  CHECK(run.asks(OpCode::create, "/l"));
  run.answer(Purpose::join, Error::OK);
  CHECK(run.beliefs == std::vector<bool>{true});
  run.give(Instructed{Act::leave});
  CHECK(run.asks(OpCode::remove, "/l"));
  run.give(Instructed{Act::join});
  CHECK(run.asked.empty());
  run.answer(Purpose::leave, Error::OK);
  CHECK(run.asks(OpCode::create, "/l"));
}

TEST_CASE("recipes: who is instructed to leave and to join without a connection joins when it is connected") {
  Run run(Recipe::leader_latch);
  run.give(Begin{7});
  run.answer(Purpose::base, Error::NONODE);
  CHECK(run.asks(OpCode::create, "/l"));
  run.give(SessionChanged{SessionLink::lost});
  run.answer(Purpose::create_base, Error::CONNECTIONLOSS);
  run.give(Instructed{Act::leave});
  run.give(Instructed{Act::join});
  CHECK(run.asked.empty());
  run.give(SessionChanged{SessionLink::connected, 7});
  CHECK(run.asks(OpCode::exists, "/l"));
}

TEST_CASE("recipes: who is to join again when it has left joins at once in a new session") {
  Run run(Recipe::predecessor_watch_election);
  run.give(Begin{7});
  run.answer(Purpose::base, Error::OK);
  run.answer(Purpose::join, Error::OK, {}, "/l/_c_7-n-0000000000");
  run.answer(Purpose::list, Error::OK, {"_c_7-n-0000000000"});
  run.give(Instructed{Act::leave});
  CHECK(run.asks(OpCode::remove, "/l/_c_7-n-0000000000"));
  run.give(Instructed{Act::join});
  run.give(SessionChanged{SessionLink::lost});
  run.answer(Purpose::leave, Error::CONNECTIONLOSS);
  // Its client has begun the session by itself: the old one is not over.
  run.give(SessionChanged{SessionLink::connected, 1'000'007});
  CHECK(run.asks(OpCode::exists, "/l"));
}

TEST_CASE("recipes: whom a reader, a writer and a lease wait for") {
  const std::vector<std::string> order{"read-0000000000", "write-0000000001", "read-0000000002",
                                       "read-0000000003", "write-0000000004"};
  Contender reader;
  reader.shared = true;
  const Contender writer;
  const RecipeRules rules;
  CHECK_FALSE(writerBefore(rules, reader, order, 0));
  CHECK(writerBefore(rules, reader, order, 2) == 1U);
  CHECK(writerBefore(rules, reader, order, 3) == 1U);
  CHECK(writerBefore(rules, writer, order, 1) == 0U);
  CHECK(writerBefore(rules, writer, order, 4) == 3U);
  CHECK_FALSE(writerBefore({.reader = Reader::behind_first}, reader, order, 2));
  const std::vector<std::string> writers{"write-0000000000", "read-0000000001", "write-0000000002",
                                         "read-0000000003"};
  CHECK(writerBefore(rules, reader, writers, 3) == 2U);
  CHECK(writerBefore({.reader = Reader::watches_first_writer}, reader, writers, 3) == 0U);
  Contender lease;
  lease.limit = 2;
  CHECK_FALSE(leaseBefore(rules, lease, order, 1));
  CHECK(leaseBefore(rules, lease, order, 2));
  CHECK_FALSE(leaseBefore({.leases = Leases::one_more}, lease, order, 2));
}

TEST_CASE("recipes: a lock is given up with its last release") {
  Run run(Recipe::lock);
  run.give(Begin{7});
  CHECK(run.asked.empty());
  run.give(Instructed{Act::acquire});
  run.answer(Purpose::base, Error::OK);
  run.answer(Purpose::join, Error::OK, {}, "/l/_c_7-n-0000000000");
  run.answer(Purpose::list, Error::OK, {"_c_7-n-0000000000"});
  CHECK(run.beliefs == std::vector<bool>{true});
  run.give(Instructed{Act::acquire});
  CHECK(run.asked.empty());
  run.give(Instructed{Act::release});
  CHECK(run.asked.empty());
  CHECK(get<Lock>(run.program).depth == 1);
  run.give(Instructed{Act::release});
  CHECK(run.beliefs == std::vector<bool>{false});
  CHECK(run.asks(OpCode::remove, "/l/_c_7-n-0000000000"));
}

TEST_CASE("recipes: a resource refuses who comes late, unless it knows no numbers") {
  Resource resource;
  CHECK(resource.use({}, 3));
  CHECK(resource.use({}, 3));
  CHECK_FALSE(resource.use({}, 2));
  CHECK(resource.use({.fencing = Fencing::unchecked}, 2));
  CHECK(resource.token == 3);
}

TEST_CASE("recipes: a queue's consumer goes on to the next item when another was faster") {
  Run run(Recipe::queue);
  run.give(Begin{7});
  run.give(Instructed{Act::take});
  CHECK(run.asks(OpCode::getChildren, "/l", true));
  run.answer(Purpose::list, Error::OK, {"item-0000000001", "item-0000000000"});
  CHECK(run.asks(OpCode::getData, "/l/item-0000000000"));
  run.answer(Purpose::base, Error::OK);
  CHECK(run.asks(OpCode::remove, "/l/item-0000000000"));
  run.answer(Purpose::leave, Error::NONODE);
  CHECK(run.asks(OpCode::getData, "/l/item-0000000001"));
  run.answer(Purpose::base, Error::OK);
  run.answer(Purpose::leave, Error::OK);
  CHECK(run.asked.empty());
  CHECK(get<Queue>(run.program).wanted == 0);
}

TEST_CASE("recipes: a contender that watches the list does so whenever it reads it") {
  for (const ListWatch rule : {ListWatch::renewed, ListWatch::once}) {
    Run run(Recipe::parent_watch_election, {.list_watch = rule});
    run.give(Begin{7});
    run.answer(Purpose::base, Error::OK);
    run.answer(Purpose::join, Error::OK, {}, "/l/_c_7-n-0000000001");
    CHECK(run.asks(OpCode::getChildren, "/l", true));
    run.answer(Purpose::list, Error::OK, {"_c_6-n-0000000000", "_c_7-n-0000000001"});
    run.give(Changed{{EventType::NodeChildrenChanged, "/l"}});
    CHECK(run.asks(OpCode::getChildren, "/l", rule == ListWatch::renewed));
  }
}

TEST_CASE("recipes: a consumer watches the list of items whenever it finds no item") {
  for (const QueueWatch rule : {QueueWatch::renewed, QueueWatch::once}) {
    Run run(Recipe::queue, {.queue_watch = rule});
    run.give(Begin{7});
    run.give(Instructed{Act::take});
    CHECK(run.asks(OpCode::getChildren, "/l", true));
    run.answer(Purpose::list, Error::OK, {});
    run.give(Changed{{EventType::NodeChildrenChanged, "/l"}});
    CHECK(run.asks(OpCode::getChildren, "/l", rule == QueueWatch::renewed));
  }
}

TEST_CASE("recipes: a protected queue's consumer knows its own lock again") {
  Run run(Recipe::protected_queue);
  run.give(Begin{7});
  run.give(Instructed{Act::take});
  run.answer(Purpose::list, Error::OK, {"item-0000000000"});
  CHECK(run.asks(OpCode::create, "/l/item-0000000000/taken"));
  run.give(SessionChanged{SessionLink::lost});
  run.give(SessionChanged{SessionLink::connected, 7});
  run.answer(Purpose::list, Error::OK, {"item-0000000000"});
  run.answer(Purpose::join, Error::NODEEXISTS);
  CHECK(run.asks(OpCode::exists, "/l/item-0000000000/taken"));
  Result lock;
  lock.stat.emplace();
  lock.stat->ephemeral_owner = 7;
  run.give(Answer{Purpose::catch_up, {}, lock});
  CHECK(run.asks(OpCode::getData, "/l/item-0000000000"));
}

TEST_CASE("recipes: a vote is of the site that was read, whatever has changed meanwhile") {
  Settings settings{Recipe::two_phase_commit, "/w"};
  settings.limit = 2;
  settings.coordinator = true;
  Run run(settings);
  run.give(Begin{7});
  run.answer(Purpose::list, Error::OK, {"site-1", "site-2"});
  CHECK(run.asks(OpCode::getData, "/w/site-1", true));
  run.answerLast(Purpose::observe, "");
  CHECK(run.asks(OpCode::getData, "/w/site-2", true));
  const Op second = run.asked.back();
  run.give(Changed{{EventType::NodeDataChanged, "/w/site-1"}});
  CHECK(run.asked.empty());
  Result commit;
  commit.data = "commit";
  run.give(Answer{Purpose::observe, second, commit});
  CHECK(run.asks(OpCode::getData, "/w/site-1", true));
  run.answerLast(Purpose::observe, "abort");
  REQUIRE(run.asks(OpCode::create, "/w/decision"));
  CHECK(run.asked.back().data == "abort");
}

TEST_CASE("recipes: with a new session, a client waits until the node of its old one is gone") {
  for (const Recipe recipe : {Recipe::two_phase_commit, Recipe::double_barrier}) {
    CAPTURE(recipe);
    const bool barrier = recipe == Recipe::double_barrier;
    const std::string own = barrier ? "/l/member-7" : "/l/site-7";
    for (const SessionId owner : {SessionId{7}, SessionId{1000007}}) {
      Run run(recipe);
      run.give(Begin{1000007});
      if (barrier) {
        run.give(Instructed{Act::enter});
        run.answer(Purpose::observe, Error::NONODE);
      }
      REQUIRE(run.asks(OpCode::create, own));
      run.answer(Purpose::join, Error::NODEEXISTS);
      REQUIRE(run.asks(OpCode::exists, own, true));
      Result node;
      node.stat.emplace();
      node.stat->ephemeral_owner = owner;
      run.give(Answer{barrier ? Purpose::observe : Purpose::catch_up, {}, node});
      if (owner == 7) {
        CHECK(run.asked.empty());
        run.give(Changed{{EventType::NodeDeleted, own}});
        // `ready` may be of the round that counted the old node.
        CHECK((barrier ? run.asks(OpCode::exists, "/l/ready", true) : run.asks(OpCode::create, own)));
      } else {
        CHECK(run.asks(barrier ? OpCode::getChildren : OpCode::exists, barrier ? "/l" : "/l/decision",
                       !barrier));
      }
    }
  }
}

TEST_CASE("recipes: a part of a configuration is watched again, whichever was read when it changed") {
  Settings settings{Recipe::configuration, "/c"};
  settings.limit = 2;
  Run run(settings);
  run.give(Begin{7});
  CHECK(run.asks(OpCode::getData, "/c/part-1", true));
  run.answerLast(Purpose::observe, "a");
  CHECK(run.asks(OpCode::getData, "/c/part-2", true));
  const Op second = run.asked.back();
  run.give(Changed{{EventType::NodeDataChanged, "/c/part-1"}});
  Result read;
  read.data = "a";
  run.give(Answer{Purpose::observe, second, read});
  CHECK(run.asks(OpCode::getData, "/c/part-1", true));
}

FuzzTarget recipesWith(const std::string& mutation = "") {
  FuzzTarget target;
  target.protocol = "zookeeper";
  target.shape.knobs = knobsOf(FuzzPreset::swarm, findProtocol(target.protocol)->fuzzSettings());
  if (!mutation.empty()) target.overrides.mutations.push_back(mutation);
  return target;
}

TEST_CASE("recipes: every invariant about them is exercised by drawn runs") {
  const CampaignResult result = runCampaign(recipesWith(), {0, 500}, 2, {});
  struct Row {
    const char* invariant;
    std::uint64_t times;
  };
  for (const Row& row :
       {Row{"one-holder", 40}, Row{"first-in-line", 40}, Row{"one-place", 40}, Row{"no-herd", 40},
        Row{"belief-ends", 40}, Row{"fencing", 40}, Row{"barrier-whole", 40}, Row{"barrier-open", 10},
        Row{"taken-once", 10}, Row{"item-processed", 4}, Row{"transaction-agrees", 4},
        Row{"transaction-votes", 1}, Row{"config-whole", 10}, Row{"group-view", 20}, Row{"name-once", 10},
        Row{"no-circular-wait", 40}, Row{"no-livelock", 1000}}) {
    CAPTURE(std::string(row.invariant));
    CHECK(result.statistics.obligations.at(row.invariant) >= row.times);
  }
}

TEST_CASE("recipes: drawn runs find every planted bug that breaks an invariant") {
  struct Row {
    const char* mutation;
    std::uint64_t seeds;      ///< enough to find it
    std::uint64_t first = 0;  ///< those before it do not find it, and take long
  };
  for (const Row& row : {Row{"recipe_no_guid", 200},
                         Row{"recipe_looks_after_sync", 4000, 1600},
                         Row{"recipe_looks_at_once", 4000},
                         Row{"recipe_deletes_again", 4000, 1050},
                         Row{"recipe_watches_first", 200},
                         Row{"recipe_waits_in_a_circle", 200},
                         Row{"recipe_asks_until_its_turn", 200},
                         Row{"recipe_watches_node_and_list", 200},
                         Row{"recipe_promote_without_recheck", 200},
                         Row{"recipe_close_before_flag", 1000},
                         Row{"recipe_expiry_ignored", 500},
                         Row{"recipe_latch_stale_children", 4000},
                         Row{"recipe_released_at_first", 500},
                         Row{"recipe_reader_passes_writers", 1000},
                         Row{"recipe_reader_watches_first_writer", 4000},
                         Row{"recipe_one_lease_more", 200},
                         Row{"lock_no_fencing", 500},
                         Row{"barrier_passes_at_any_event", 1000},
                         Row{"queue_takes_what_it_reads", 1000},
                         Row{"queue_no_item_lock", 1000},
                         Row{"queue_get_then_crash", 1000},
                         Row{"twopc_majority_commits", 4000},
                         Row{"config_read_one_by_one", 2000},
                         Row{"config_push_one_by_one", 1000},
                         Row{"group_never_forgets", 1000},
                         Row{"naming_counts_children", 1000},
                         Row{"latch_owner_unchecked", 4000}}) {
    const std::string name = row.mutation;
    CAPTURE(name);
    FuzzTarget target = recipesWith(name);
    const std::string invariant(zookeeper::ruleTables().mutation(name)->found_by);
    target.invariants = {invariant};
    const auto worker = protocolOf(target).fuzzWorker(target);
    bool found = false;
    for (std::uint64_t seed = row.first; seed < row.seeds && !found; ++seed) {
      const RunOutcome outcome = worker->run(seed);
      found = outcome.failure && outcome.failure->what == invariant;
    }
    CHECK(found);
  }
}

TEST_CASE("recipes: drawn runs find planted bugs by which clients wait for ever, or take no part") {
  struct Row {
    const char* mutation;
    const char* what;
    std::uint64_t seeds;  ///< enough to find it
  };
  for (const Row& row : {Row{"writelock_reacquire_name_mismatch", "stall: somebody-leads", 200},
                         Row{"recipe_number_minus_one", "stall: somebody-leads", 500},
                         Row{"recipe_no_regain_after_reconnect", "stall: somebody-leads", 200},
                         Row{"recipe_list_watch_not_renewed", "stall: somebody-leads", 500},
                         Row{"recipe_no_rejoin_after_expiry", "stall: takes-part", 200},
                         Row{"recipe_gives_up_lost_create", "stall: takes-part", 200},
                         Row{"recipe_gives_up_base_exists", "stall: takes-part", 200},
                         Row{"recipe_first_connection_limited", "stall: takes-part", 200},
                         Row{"queue_watch_not_renewed", "stall: items-are-taken", 200}}) {
    CAPTURE(std::string(row.mutation));
    const FuzzTarget target = recipesWith(row.mutation);
    const auto worker = protocolOf(target).fuzzWorker(target);
    bool found = false;
    for (std::uint64_t seed = 0; seed < row.seeds && !found; ++seed) {
      const RunOutcome outcome = worker->run(seed);
      found = outcome.failure && outcome.failure->what == row.what;
    }
    CHECK(found);
  }
}

/// Two contenders; the first loses its connection for a moment at 3 s.
Json disconnected() {
  return {{"kind", "scenario"},
          {"name", "disconnected"},
          {"protocol", "zookeeper"},
          {"servers", 1},
          {"config", {{"standalone", true}}},
          {"clients", {{{"id", 101}}, {{"id", 102}}}},
          {"steps",
           {{{"at", 1}, {"client", 101}, {"connect", 1}, {"timeout", 6000}},
            {{"at", 2}, {"client", 102}, {"connect", 1}, {"timeout", 6000}},
            {{"at", 1000}, {"client", 101}, {"run", "predecessor_watch_election"}, {"path", "/l"}},
            {{"at", 1100}, {"client", 102}, {"run", "predecessor_watch_election"}, {"path", "/l"}},
            {{"at", 3000}, {"break", {{"link", "client"}, {"between", {101, 1}}}}}}},
          {"until", 70'000},
          {"expect", {{{"invariant", {{"name", "somebody-leads"}}}}}}};
}

Outcome outcomeOf(const Json& text) {
  return runScenario(readCase("one", JsonValue::fromJson(text, "one")).scenario);
}

/// The verdict on the only invariant that the scenario names; "": there is none.
std::string verdictIn(const Outcome& outcome, const std::string& invariant) {
  for (const TraceVerdict& verdict : outcome.trace.verdicts) {
    if (verdict.name == invariant) return verdict.verdict;
  }
  return "";
}

TEST_CASE("recipes: a run judges whether a client waits in vain if its scenario names the invariant") {
  CHECK(outcomeOf(disconnected()).verdict == Verdict::passed);
  CHECK(verdictIn(outcomeOf(disconnected()), "takes-part").empty());

  Json planted = disconnected();
  planted["mutations"] = {"recipe_no_regain_after_reconnect"};
  const Outcome stalls = outcomeOf(planted);
  CHECK(stalls.verdict == Verdict::failed);
  CHECK(verdictIn(stalls, "somebody-leads") == "violated");
  REQUIRE(stalls.problems.size() == 2);
  CHECK(stalls.problems[0].ends_with(" waits for its turn in /l, where nobody leads or holds: for 60 s"));

  // In a shorter run it might still be served.
  planted["until"] = 20'000;
  const Outcome early = outcomeOf(planted);
  CHECK(early.verdict == Verdict::failed);
  CHECK(verdictIn(early, "somebody-leads") == "not exercised");

  // A contender that is alone waits for a moment, until it leads.
  Json alone = disconnected();
  alone["steps"].erase(3);
  CHECK(verdictIn(outcomeOf(alone), "somebody-leads") == "held");
  alone["steps"].erase(2);
  CHECK(verdictIn(outcomeOf(alone), "somebody-leads") == "not exercised");

  // Without being named it is not judged, nor is it one of the run's.
  planted["until"] = 70'000;
  planted["expect"] = {{{"event", {{"kind", "belief"}}}}};
  CHECK(outcomeOf(planted).verdict == Verdict::passed);
  CHECK(verdictIn(outcomeOf(planted), "somebody-leads").empty());

  Json unknown = disconnected();
  unknown["expect"] = {{{"any_of", {{{"invariant", {{"name", "somebody-lead"}}}}}}}};
  CHECK_THROWS_WITH_AS(outcomeOf(unknown), doctest::Contains("there is no invariant `somebody-lead`"),
                       InputError);
}

TEST_CASE("recipes: a leader that dies is not waited for in vain before its session is over") {
  Json killed = disconnected();
  killed["steps"][4] = {{"at", 3000}, {"kill", 101}};
  CHECK(outcomeOf(killed).verdict == Verdict::passed);
  // As long as its process is paused, it leads.
  Json paused = disconnected();
  paused["steps"][4] = {{"at", 3000}, {"pause", 101}};
  paused["expect"].push_back({{"invariant", {{"name", "one-believer"}, {"verdict", "violated"}}}});
  CHECK(outcomeOf(paused).verdict == Verdict::passed);
}

TEST_CASE("recipes: a contender that was instructed to take part, and takes none, is found") {
  Json expired = disconnected();
  expired["steps"][4] = {{"at", 3000}, {"client", 101}, {"connect", 1}, {"timeout", 6000}, {"session", 0}};
  expired["expect"] = {{{"invariant", {{"name", "takes-part"}}}}};
  CHECK(outcomeOf(expired).verdict == Verdict::passed);
  expired["mutations"] = {"recipe_no_rejoin_after_expiry"};
  CHECK(verdictIn(outcomeOf(expired), "takes-part") == "violated");
  // It is instructed to leave.
  expired["steps"].push_back({{"at", 3500}, {"client", 101}, {"do", "leave"}});
  CHECK(verdictIn(outcomeOf(expired), "takes-part") == "held");
}

TEST_CASE(
    "recipes: a client whose use of a resource is lost with its connection reports that, and no more is "
    "expected") {
  const std::string path = ZABLAB_SOURCE_DIR "/scenarios/recipes/000-L1-a-late-holder-is-refused.json";
  Json lost = loadJson(path).plain();
  lost["steps"].push_back(
      {{"at", 3000}, {"break", {{"link", "client"}, {"between", {101, 300}}, {"lose", true}}}});
  lost["expect"] = {{{"event", {{"kind", "used"}, {"node", 101}}}, {"by", 3100}}};
  const Outcome outcome = outcomeOf(lost);
  CHECK(outcome.verdict == Verdict::passed);
  CHECK(verdictIn(outcome, "clients-true") == "held");
}

TEST_CASE("recipes: a client's wait is not counted as another's") {
  // A session of 80 s keeps the place of the leader, whose process has ended. Bob waits for 48 s, and ends;
  // Eve waits for 42 s.
  Json waits = disconnected();
  waits["config"]["tick_ms"] = 4000;
  waits["clients"].push_back({{"id", 103}, {"name", "Eve"}});
  waits["steps"] = Json::array({{{"at", 1}, {"client", 101}, {"connect", 1}, {"timeout", 80'000}}});
  for (const int client : {102, 103})
    waits["steps"].push_back({{"at", 2}, {"client", client}, {"connect", 1}, {"timeout", 8000}});
  const std::array<std::pair<int, int>, 3> joins{{{1000, 101}, {1100, 102}, {40'000, 103}}};
  for (const auto& [when, client] : joins) {
    waits["steps"].push_back(
        {{"at", when}, {"client", client}, {"run", "predecessor_watch_election"}, {"path", "/election"}});
  }
  waits["steps"].push_back({{"at", 2000}, {"kill", 101}});
  waits["steps"].push_back({{"at", 50'000}, {"kill", 102}});
  waits["until"] = 100'000;
  waits["expect"] = {
      {{"invariant", {{"name", "somebody-leads"}, {"verdict", "held"}}}},
      {{"finally", true}, {"server", 103}, {"state", {{"client", {{"program", {{"holds", true}}}}}}}}};
  waits.erase("fails_with");
  CHECK(outcomeOf(waits).verdict == Verdict::passed);
}

TEST_CASE("recipes: the story of a stall names the invariant, and passes in a run") {
  for (const char* mutation : {"recipe_no_regain_after_reconnect", "recipe_no_rejoin_after_expiry"}) {
    const std::string name = mutation;
    CAPTURE(name);
    const FuzzTarget target = recipesWith(name);
    const auto worker = protocolOf(target).fuzzWorker(target);
    std::optional<Finding> found;
    for (std::uint64_t seed = 0; seed < 500 && !found; ++seed) {
      const RunOutcome outcome = worker->run(seed);
      if (outcome.failure && outcome.failure->isStall()) found = Finding{seed, *outcome.failure};
    }
    REQUIRE(found);
    const auto story = tellStory(target, *found);
    REQUIRE(story);
    CHECK("stall: " + story->failure.what == found->failure.what);
    REQUIRE(story->scenario.expect.size() >= 1);
    REQUIRE(story->scenario.expect[0].invariant);
    CHECK(story->scenario.expect[0].invariant->name == story->failure.what);
    CHECK(story->scenario.fails);
    CHECK(outcomeOf(toCompactJson(story->scenario)).verdict == Verdict::passed);
  }
}

TEST_CASE("recipes: every value of their rules is in a variant, a mutation or a scenario") {
  std::set<std::string> used;
  const auto name = [](std::string_view rule, std::string_view value) {
    return std::string(rule) + "=" + std::string(value);
  };
  const auto add = [&](const RecipeRules& rules) {
    forEachField(rules,
                 [&](std::string_view rule, const auto& value) { used.insert(name(rule, enumName(value))); });
  };
  add({});
  for (const RecipeVariant& variant : variants) add(variant.rules);
  for (const Mutation& mutation : zookeeper::ruleTables().mutations)
    used.insert(name(mutation.rule, mutation.value));
  for (const std::string& path : shippedFiles()) {
    const Case one = loadCase(path);
    if (one.kind != Case::Kind::scenario) continue;
    for (const auto& changed : one.scenario.spec.rules) used.insert(name(changed.first, changed.second));
    for (const FailsWith& how : one.scenario.spec.fails_with) {
      for (const auto& [rule, value] : overridesOf(how).rules) used.insert(name(rule, value));
    }
  }
  std::set<std::string> listed;
  for (const RuleValue& value : rule_values) {
    CAPTURE(name(value.rule, value.value));
    CHECK(listed.insert(name(value.rule, value.value)).second);
    CHECK(used.contains(name(value.rule, value.value)));
  }
  const auto every = [&](const RecipeRules& rules) {
    forEachField(rules, [&](std::string_view rule, const auto& field) {
      for (const auto& enumerator : enumerators_of<std::remove_cvref_t<decltype(field)>>) {
        const std::string value = name(rule, enumerator.first);
        CHECK_MESSAGE(listed.contains(value), value, " is not listed");
      }
    });
  };
  every({});
}

TEST_CASE("recipes.md: the table of all recipes has each of them, and each planted bug") {
  std::istringstream page(loadText(ZABLAB_SOURCE_DIR "/docs/recipes.md"));
  std::set<std::string> rows;
  std::string table;
  for (std::string row; std::getline(page, row);) {
    if (table.empty() && !row.starts_with("| recipe | what is counted |")) continue;
    if (row.empty()) break;
    table += row + "\n";
    if (row.starts_with("| `")) rows.insert(row.substr(3, row.find('`', 3) - 3));
  }
  for (const auto& recipe : enumerators_of<Recipe>) {
    if (recipe.second != Recipe::resource)
      CHECK_MESSAGE(rows.contains(std::string(recipe.first)), recipe.first);
  }
  for (const Mutation& mutation : recipe_mutations) {
    CHECK_MESSAGE(table.find("[`" + std::string(mutation.name) + "`](../scenarios/") != std::string::npos,
                  mutation.name, " is missing: run scripts/recipe-costs.py --recipes --update");
  }
}

/// The recipe's election of `contenders` one after another, with `idle` clients more that do nothing.
LoadedScenario electionOf(const std::string& recipe, int contenders, int idle) {
  Json clients = Json::array();
  Json steps = Json::array();
  for (int i = 0; i < contenders + idle; ++i) clients.push_back({{"id", 100 + i}});
  for (int i = 0; i < contenders; ++i)
    steps.push_back({{"at", 1}, {"client", 100 + i}, {"connect", 1}, {"timeout", 6000}});
  for (int i = 0; i < contenders; ++i)
    steps.push_back({{"at", 1000 + 20 * i}, {"client", 100 + i}, {"run", recipe}, {"path", "/l"}});
  steps.push_back({{"at", 2000 + 20 * contenders}, {"kill", 100}});
  const Json text{{"kind", "scenario"},
                  {"name", "an election"},
                  {"protocol", "zookeeper"},
                  {"servers", 1},
                  {"config", {{"standalone", true}}},
                  {"clients", clients},
                  {"seed", 7},
                  {"timing", {{"latency_ms", {2, 2}}, {"dial_ms", 1}, {"fsync_ms", 0}}},
                  {"steps", steps},
                  {"until", 12'000 + 20 * contenders},
                  {"expect", {{{"event", {{"kind", "watched"}}}}}}};
  return readCase("an election", JsonValue::fromJson(text, "an election")).scenario;
}

TEST_CASE("recipes: a hundred contenders are notified as often as the recipe says") {
  const std::uint64_t n = 100;
  const auto notifications = [&](const std::string& recipe) {
    const LoadedScenario scenario = electionOf(recipe, n, 0);
    return protocolOf(scenario).countEvents(scenario).at("watched");
  };
  CHECK(notifications("unfair_election") == n - 1);
  CHECK(notifications("parent_watch_election") == n * (n - 1) / 2 + n - 1);
  CHECK(notifications("predecessor_watch_election") == 1);
}

/// A fair and an unfair election of `n` contenders each, 101 and so on and 201 and so on, with pairwise equal
/// links. Clients of both die in the given order, 12 s apart.
Trace deathsOf(int n, const std::vector<int>& latencies, const std::vector<int>& dead) {
  Json clients = Json::array();
  Json steps = Json::array();
  Json slow = Json::array();
  for (const auto& [first, recipe] :
       {std::pair{101, "predecessor_watch_election"}, {201, "unfair_election"}}) {
    for (int i = 0; i < n; ++i) {
      const int id = first + i;
      const std::string path = first == 101 ? "/line" : "/leader";
      clients.push_back({{"id", id}});
      slow.push_back({{"from", 1}, {"to", id}, {"latency_ms", latencies[static_cast<std::size_t>(i)]}});
      steps.push_back({{"at", 1}, {"client", id}, {"connect", 1}, {"timeout", 6000}});
      steps.push_back({{"at", 1000 + 300 * i}, {"client", id}, {"run", recipe}, {"path", path}});
    }
  }
  Millis at = 12'000;
  for (const int i : dead) {
    steps.push_back({{"at", at}, {"kill", {101 + i, 201 + i}}});
    at += 12'000;
  }
  const Json text{{"kind", "scenario"},
                  {"name", "deaths"},
                  {"protocol", "zookeeper"},
                  {"servers", 1},
                  {"config", {{"standalone", true}}},
                  {"clients", clients},
                  {"timing", {{"latency_ms", 1}, {"dial_ms", 1}, {"fsync_ms", 0}, {"slow", slow}}},
                  {"steps", steps},
                  {"until", at},
                  {"expect", {{{"invariant", {{"name", "no-herd"}}}}}}};
  const LoadedScenario scenario = readCase("deaths", JsonValue::fromJson(text, "deaths")).scenario;
  return protocolOf(scenario).run(scenario, {});
}

TEST_CASE(
    "recipes: in a fair election each death notifies one, numbers lead in order, and a change takes longer") {
  constexpr int n = 7;
  std::mt19937 random(439);  // document 000, l.438-440
  int slower = 0;
  for (int run = 0; run < 30; ++run) {
    std::vector<int> latencies(n);
    for (int& latency : latencies) latency = static_cast<int>(1 + random() % 100);
    std::vector<int> dead(n);
    std::iota(dead.begin(), dead.end(), 0);
    for (std::size_t i = dead.size() - 1; i > 0; --i) std::swap(dead[i], dead[random() % (i + 1)]);
    const int last = dead.back();
    dead.pop_back();  // one is left
    CAPTURE(run);
    const Trace trace = deathsOf(n, latencies, dead);

    std::map<int, int> notified;     // by the client that died
    std::vector<ServerId> leaders;   // of the fair election
    std::map<int, Millis> over;      // when a session ended
    std::map<int, Millis> takeover;  // by the first of the ids: when somebody led after the first leader
    for (const TraceEvent& event : trace.events) {
      if (event.kind == "session_expired") over[event.data.at("session").get<int>()] = event.time;
      if (event.kind == "watched") {
        const std::string path = event.data.at("event").at("path").get<std::string>();
        if (const auto guard = path.find("_c_"); guard != std::string::npos)
          ++notified[std::stoi(path.substr(guard + 3))];
      }
      if (event.kind != "belief" || !event.data.at("holds").get<bool>()) continue;
      const int first = *event.node < 200 ? 101 : 201;
      if (first == 101) leaders.push_back(*event.node);
      if (*event.node != first) takeover.try_emplace(first, event.time);
    }
    std::set<int> left;
    for (int i = 0; i < n; ++i) left.insert(101 + i);
    for (const int i : dead) {
      const bool is_last = *left.rbegin() == 101 + i;
      CHECK_MESSAGE(notified[101 + i] == (is_last ? 0 : 1), "the death of ", 101 + i);
      left.erase(101 + i);
    }
    CHECK(std::is_sorted(leaders.begin(), leaders.end()));
    CHECK(leaders.front() == 101);
    CHECK(leaders.back() == 101 + last);
    if (last == 0) continue;  // the first leader never died
    const Millis fair = takeover.at(101) - over.at(101);
    const Millis unfair = takeover.at(201) - over.at(201);
    CHECK(fair >= unfair);
    if (fair > unfair) ++slower;
  }
  CHECK(slower > 5);  // where the next client is not the fastest
}

TEST_CASE("recipes: what many other clients do not do changes nothing, and a count is that of the trace") {
  std::map<int, std::vector<std::string>> events;
  for (const int idle : {0, 100}) {  // with 100 of them the world is a large one
    const LoadedScenario scenario = electionOf("predecessor_watch_election", 5, idle);
    const Trace trace = protocolOf(scenario).run(scenario, {});
    std::map<std::string, std::uint64_t> counts;
    for (const TraceEvent& event : trace.events) {
      ++counts[event.kind];
      if (event.node && *event.node >= 105) continue;
      Json data = event.data;
      events[idle].push_back(std::to_string(event.time) + " " + event.kind + " " + data.dump());
    }
    CHECK(counts == protocolOf(scenario).countEvents(scenario));
  }
  CHECK(events[0].size() > 300);
  CHECK(events[0] == events[100]);
}

}  // namespace
}  // namespace zablab
