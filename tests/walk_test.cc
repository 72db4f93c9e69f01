// Small elections, exhausted. The counts are facts of this model: distinct values of the whole world over all
// orders of delivery, of dials and of ends of the finalize wait, in one election round, with election links
// open from the start unless stated otherwise. g++ and clang agree on them at every -O.
//
// What a reader can check: only the order of two candidates matters, so every choice of three different
// histories gives the counts of three equal ones (test below); and queueing a server's own vote adds one
// message per server and vote, which multiplies orders but adds no leader.
#include "tests/walk.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "sim/simulator.h"
#include "tests/histories.h"

namespace zablab::walk {
namespace {

using zab::Decision;
using zab::Family;
using zab::OwnVote;
using zab::Role;
using zab::Zxid;
using Value = WorldValue<Family>;

/// The servers in `role`, as "2 3".
std::string inRole(const Value& value, Role role) {
  std::string servers;
  for (const auto& server : value.servers) {
    if (server.node.role == role) servers += (servers.empty() ? "" : " ") + std::to_string(server.node.self);
  }
  return servers;
}

std::string inWords(const std::vector<Action<Family>>& path) {
  std::string text;
  for (const auto& action : path) text += (text.empty() ? "" : ", ") + words(action);
  return text;
}

std::tuple<std::int64_t, Zxid, ServerId> keyOf(const zab::Node& node) {
  return {node.currentEpoch(), node.last_processed, node.self};
}

/// Every leader is the best candidate of at least one majority.
bool leadersAreBestOfAMajority(const Value& value) {
  for (const auto& leader : value.servers) {
    if (leader.node.role != Role::LEADING) continue;
    std::size_t not_better = 0;
    for (const auto& server : value.servers) not_better += keyOf(server.node) <= keyOf(leader.node);
    if (2 * not_better <= value.servers.size()) return false;
  }
  return true;
}

struct Led {
  std::uint64_t states = 0;
  std::size_t shortest = 0;    ///< actions of the shortest path there
  std::uint64_t terminal = 0;  ///< states in which the election is over
  bool operator==(const Led&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Led& led) {
  return out << "{" << led.states << ", " << led.shortest << ", " << led.terminal << "}";
}

struct Walked {
  Counts counts;
  std::map<std::string, Led> led;  ///< by leaders
  std::map<std::string, Value> witness;
  bool best_of_a_majority = true;
  bool settled_at_the_end = true;
};

Walked walkElection(Walker<Family>& walker) {
  Walked walked;
  walked.counts = walker.run([&](const Value& value, bool terminal) {
    const std::string leaders = inRole(value, Role::LEADING);
    Led& led = walked.led[leaders];
    if (led.states++ == 0) walked.witness.emplace(leaders, value);
    if (terminal) ++led.terminal;
    if (!leadersAreBestOfAMajority(value)) walked.best_of_a_majority = false;
    if (terminal && !inRole(value, Role::LOOKING).empty()) walked.settled_at_the_end = false;
  });
  for (auto& [leaders, value] : walked.witness) walked.led[leaders].shortest = walker.pathTo(value).size();
  CHECK(walked.counts.exhausted);
  CHECK(walked.counts.impure == 0);
  CHECK(walked.counts.misread == 0);
  CHECK(walked.counts.pruned == 0);
  CHECK(walked.best_of_a_majority);
  CHECK(walked.settled_at_the_end);
  return walked;
}

struct Setting {
  Decision decision{};
  OwnVote own_vote{};
  bool connected = true;
  std::vector<Zxid> last = {};
};

Cluster<Family> clusterOf(const Setting& setting, int servers) {
  zab::Rules rules;
  rules.decision = setting.decision;
  rules.own_vote = setting.own_vote;
  return electionCluster(servers, rules);
}

Value startOf(const Setting& setting, const Cluster<Family>& cluster) {
  std::vector<Zxid> last = setting.last;
  last.resize(cluster.ids.size(), Zxid::of(1, 0));
  return allStarted(cluster, disksWith(last), setting.connected);
}

Options<Family> electionOnly(std::uint64_t check_every = 1) {
  return {.explores = isOfElection, .costs = isLooking, .budget = 0, .check_every = check_every};
}

struct Row {
  Setting setting;
  std::uint64_t states;
  std::uint64_t transitions;
  std::uint64_t depth;
  std::map<std::string, Led> led;
};

void checkRow(const Row& row, int servers, std::uint64_t check_every) {
  const Cluster<Family> cluster = clusterOf(row.setting, servers);
  Walker<Family> walker(cluster, startOf(row.setting, cluster), electionOnly(check_every));
  const Walked walked = walkElection(walker);
  CAPTURE(enumName(row.setting.decision));
  CAPTURE(enumName(row.setting.own_vote));
  CAPTURE(row.setting.connected);
  CHECK(walked.counts.states == row.states);
  CHECK(walked.counts.transitions == row.transitions);
  CHECK(walked.counts.depth == row.depth);
  REQUIRE(walked.led.size() == row.led.size());
  for (const auto& [leaders, led] : row.led) {
    const std::string& who = leaders;
    CAPTURE(who);
    REQUIRE(walked.led.contains(leaders));
    CHECK(walked.led.at(leaders) == led);
  }
}

constexpr auto wait = Decision::finalize_wait;
constexpr auto at_once = Decision::at_once;

TEST_CASE("walk: two servers elect the larger id in any order") {
  const std::vector<Row> rows{
      {{wait, OwnVote::queued}, 36, 73, 8, {{"", {32, 0, 0}}, {"2", {4, 5, 1}}}},
      {{wait, OwnVote::queued, false}, 112, 303, 10, {{"", {100, 0, 0}}, {"2", {12, 6, 1}}}},
      {{wait, OwnVote::at_once}, 10, 13, 5, {{"", {8, 0, 0}}, {"2", {2, 4, 1}}}},
      {{at_once, OwnVote::queued}, 26, 53, 6, {{"", {23, 0, 0}}, {"2", {3, 4, 1}}}},
      {{at_once, OwnVote::at_once}, 5, 5, 3, {{"", {4, 0, 0}}, {"2", {1, 3, 1}}}},
  };
  for (const Row& row : rows) checkRow(row, 2, 1);
}

// With the finalize wait two servers can be LEADING at the end of an election: 1 promised 2 its vote, changed
// it for 3, and 2 had not learned of it when its wait was over. Deciding immediately prevents that only if a
// server's own vote counts immediately, too: with a queued own vote, 1 may still change its vote after a
// quorum had it.
TEST_CASE("walk: three servers with equal histories: 1 never leads; who else can, and how soon") {
  const std::vector<Row> rows{
      {{at_once, OwnVote::at_once},
       1316,
       3733,
       14,
       {{"", {422, 0, 0}}, {"2", {37, 3, 1}}, {"3", {857, 3, 6}}}},
      {{at_once, OwnVote::queued},
       34'237,
       137'144,
       21,
       {{"", {15'691, 0, 0}}, {"2", {926, 4, 3}}, {"2 3", {204, 9, 6}}, {"3", {17'416, 4, 28}}}},
      {{wait, OwnVote::at_once},
       15'366,
       53'543,
       18,
       {{"", {7934, 0, 0}}, {"2", {215, 4, 2}}, {"2 3", {60, 9, 2}}, {"3", {7157, 4, 28}}}},
  };
  for (const Row& row : rows) checkRow(row, 3, 4);
}

TEST_CASE("walk: only the order of the candidates matters, not how far their histories differ") {
  const std::vector<std::vector<Zxid>> histories{
      {Zxid::of(1, 1), Zxid::of(1, 0), Zxid::of(1, 0)},
      {Zxid::of(1, 0), Zxid::of(1, 1), Zxid::of(1, 0)},
      {Zxid::of(1, 11), Zxid::of(1, 10), Zxid::of(1, 9)},
      {Zxid::of(2, 0), Zxid::of(1, 5), Zxid::of(1, 7)},
  };
  const std::vector<std::vector<std::string>> leaders{
      {"", "1", "1 3", "3"}, {"", "2", "2 3", "3"}, {"", "1", "1 2", "2"}, {"", "1", "1 3", "3"}};
  for (std::size_t i = 0; i < histories.size(); ++i) {
    const Setting setting{.own_vote = OwnVote::at_once, .last = histories[i]};
    const Cluster<Family> cluster = clusterOf(setting, 3);
    Walker<Family> walker(cluster, startOf(setting, cluster), electionOnly(16));
    const Walked walked = walkElection(walker);
    CHECK(walked.counts.states == 15'366);
    CHECK(walked.counts.transitions == 53'543);
    std::vector<std::string> seen;
    for (const auto& [who, led] : walked.led) seen.push_back(who);
    CHECK(seen == leaders[i]);
  }
}

/// Looks at the simulated world between any two actions.
class InGraph : public Listener<Family> {
 public:
  explicit InGraph(const Walker<Family>& walker) : walker_(walker) {}
  void on(const Happened<Family>& happened) override {
    if (happened.kind == Kind::event && isLooking(*happened.event)) ++looked;
  }
  void look(const Value& value) {
    ++states;
    if (!walker_.visited(value)) ++strangers;
  }
  std::uint64_t states = 0;
  std::uint64_t strangers = 0;
  std::uint64_t looked = 0;

 private:
  const Walker<Family>& walker_;
};

/// Runs an election with drawn latencies; the learner links take no part, because their dials never end.
std::string simulate(Cluster<Family> cluster, std::uint64_t seed, Range latency, InGraph& watch) {
  for (zab::Config& config : cluster.configs) config.min_notification_ms = 30'000;
  const Millis never = 1'000'000;
  const Timing timing{
      .latency = {latency, latency, latency}, .dial = {never, never}, .connect_timeout = never};
  Choices choices(std::make_unique<SeededChoices>(seed),
                  [](ChoiceKind, std::uint8_t) { return std::string(); });
  choices.remember(false);
  Simulator<Family> simulator(cluster, timing, choices);
  const std::vector<zab::Durable> disks = disksWith(std::vector<Zxid>(cluster.ids.size(), Zxid::of(1, 0)));
  for (std::size_t i = 0; i < disks.size(); ++i) {
    simulator.store().disk(static_cast<int>(i)).image = disks[i];
    for (std::size_t j = 0; j < i; ++j) {
      simulator.world().open(zab::election_link, static_cast<int>(j), static_cast<int>(i));
    }
  }
  for (std::size_t i = 0; i < disks.size(); ++i) {
    simulator.apply({.kind = ActionKind::start, .a = static_cast<int>(i)});
  }
  watch.look(simulator.store().value());
  std::uint64_t applied = simulator.applied();
  simulator.run(900, [&] {
    if (simulator.applied() != applied) watch.look(simulator.store().value());
    applied = simulator.applied();
    return false;
  });
  return inRole(simulator.store().value(), Role::LEADING);
}

TEST_CASE("walk: the real election of three, and every simulated run is a path in it") {
  const Setting setting{wait, OwnVote::queued};
  const Cluster<Family> cluster = clusterOf(setting, 3);
  Walker<Family> walker(cluster, startOf(setting, cluster), electionOnly(64));
  const Walked walked = walkElection(walker);
  CHECK(walked.counts.states == 123'873);
  CHECK(walked.counts.transitions == 532'518);
  CHECK(walked.counts.depth == 24);
  CHECK(walked.led ==
        std::map<std::string, Led>{
            {"", {72'610, 0, 0}}, {"2", {1354, 5, 3}}, {"2 3", {244, 11, 6}}, {"3", {49'665, 5, 28}}});
  CHECK(inWords(walker.pathTo(walked.witness.at("2"))) == "1->2, 2->1, 1->2, 2->2, wait 2");
  CHECK(inWords(walker.pathTo(walked.witness.at("2 3"))) ==
        "1->2, 1->3, 2->1, 1->2, 1->3, 2->2, 3->1, 1->3, 3->3, wait 2, wait 3");

  InGraph watch(walker);
  std::map<std::string, int> led;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) ++led[simulate(cluster, seed, {1, 30}, watch)];
  for (std::uint64_t seed = 1; seed <= 100; ++seed) ++led[simulate(cluster, seed, {1, 400}, watch)];
  CHECK(watch.strangers == 0);
  CHECK(watch.states > 400 * 12);
  CHECK(led["3"] >= 300);            // fast links: the best candidate always
  CHECK(led["2"] + led["2 3"] > 0);  // links slower than the wait: not always
  CHECK(led[""] + led["2"] + led["3"] + led["2 3"] == 400);
}

TEST_CASE("walk: simulated runs are paths in the other walks as well") {
  for (const Setting& setting : {Setting{at_once, OwnVote::queued}, Setting{at_once, OwnVote::at_once},
                                 Setting{wait, OwnVote::at_once}}) {
    const Cluster<Family> cluster = clusterOf(setting, 3);
    Walker<Family> walker(cluster, startOf(setting, cluster), electionOnly(1024));
    walker.run();
    InGraph watch(walker);
    for (std::uint64_t seed = 1; seed <= 300; ++seed) simulate(cluster, seed, {1, 30}, watch);
    CHECK(watch.strangers == 0);
    CHECK(watch.states > 300 * 8);
  }
}

// ---- recovery, without faults: discovery, synchronization, activation

bool isOfRecovery(const Action<Family>& action) {
  switch (action.kind) {
    case ActionKind::deliver:
    case ActionKind::dial: return action.link == zab::learner_link || isOfElection(action);
    case ActionKind::fire: return action.timer.kind == zab::TimerKind::connect_retry || isOfElection(action);
    case ActionKind::sync: return true;
    default: return false;
  }
}

/// A leader and its followers, a majority together, serve one history.
bool isServed(const Value& value) {
  return std::any_of(value.servers.begin(), value.servers.end(), [&](const auto& leader) {
    const zab::Node& led = leader.node;
    if (led.role != Role::LEADING || !led.serves()) return false;
    const auto serving = std::count_if(value.servers.begin(), value.servers.end(), [&](const auto& server) {
      const zab::Node& node = server.node;
      return node.serves() && node.leader == led.self && node.epoch == led.epoch &&
             node.history == led.history && node.currentEpoch() == led.epoch;
    });
    return 2 * static_cast<std::size_t>(serving) > value.servers.size();
  });
}

/// No leader leaves its role on these walks, so that two leaders of one epoch would be seen at the same time.
bool hasTwoLeadersOfAnEpoch(const Value& value) {
  std::set<std::int64_t> epochs;
  return std::any_of(value.servers.begin(), value.servers.end(), [&](const auto& server) {
    const bool established = server.node.role == Role::LEADING && server.node.serves();
    return established && !epochs.insert(server.node.epoch).second;
  });
}

Counts walkRecovery(const Cluster<Family>& cluster, const Value& start, std::uint64_t budget) {
  Walker<Family> walker(cluster, start, {.explores = isOfRecovery, .costs = isLooking, .budget = budget});
  bool served = true;
  bool one_leader = true;
  const Counts counts = walker.run([&](const Value& value, bool terminal) {
    if (terminal && !isServed(value)) served = false;
    if (hasTwoLeadersOfAnEpoch(value)) one_leader = false;
  });
  CHECK(served);
  CHECK(one_leader);
  return counts;
}

/// The worlds in which an election of servers with these disks can end.
std::vector<Value> endsOfElection(const Cluster<Family>& cluster, const std::vector<zab::Durable>& disks) {
  std::vector<Value> ends;
  Walker<Family> walker(cluster, allStarted(cluster, disks, true), electionOnly(1024));
  walker.run([&](const Value& value, bool terminal) {
    if (terminal) ends.push_back(value);
  });
  return ends;
}

zab::Durable diskOf(std::int64_t epoch, zab::Snapshot snapshot, const std::vector<Zxid>& log) {
  zab::Durable disk{.accepted_epoch = epoch, .current_epoch = epoch, .snapshot = std::move(snapshot)};
  for (const Zxid zxid : log) disk.log.push_back(zab::txnAt(zxid));
  return disk;
}

// Two servers can only choose when to dial: one dial and eight packets (FOLLOWERINFO, LEADERINFO, ACKEPOCH,
// the first synchronization packet, NEWLEADER and its ACK, UPTODATE and its ACK), and two more for each
// transaction.
TEST_CASE("walk: two servers recover with any histories") {
  struct Recovery {
    const char* by;
    zab::Durable follower;
    zab::Durable leader;
    std::uint64_t actions;
  };
  const zab::Snapshot none{};
  const Zxid first = Zxid::of(1, 1);
  const Zxid second = Zxid::of(1, 2);
  const Cluster<Family> cluster = clusterOf({wait, OwnVote::queued}, 2);
  for (const Recovery& row : std::vector<Recovery>{
           {"DIFF of nothing", diskOf(1, none, {}), diskOf(1, none, {}), 9},
           {"DIFF", diskOf(1, none, {first}), diskOf(1, none, {first, second}), 11},
           {"TRUNC", diskOf(1, none, {first, second}), diskOf(2, none, {first}), 9},
           {"SNAP", diskOf(1, none, {}), diskOf(1, zab::upTo(second), {}), 9},
       }) {
    CAPTURE(row.by);
    const std::vector<Value> ends = endsOfElection(cluster, {row.follower, row.leader});
    REQUIRE(ends.size() == 1);
    CHECK(walkRecovery(cluster, ends[0], 0) ==
          Counts{.states = row.actions + 1, .transitions = row.actions, .terminal = 1, .depth = row.actions});
  }
  // From the start: the follower may dial before the leader has decided, and at the fifth refusal it looks
  // again. It ends after none to four refusals.
  CHECK(walkRecovery(cluster, startOf({}, cluster), 0) ==
        Counts{.states = 137, .transitions = 240, .terminal = 5, .pruned = 6, .depth = 25});
}

// One of the two followers can be first in each of three quorums: of connections, of promises, of ACKs. If
// the same one is first with its promise and its ACK, the other can be so late that the epoch is active: its
// empty history is then older than the leader's zxid, and it gets a SNAP. 8 + 4 ends.
TEST_CASE("walk: three servers recover after any end of their election") {
  const Cluster<Family> cluster = clusterOf({wait, OwnVote::at_once}, 3);
  const Counts all_follow{.states = 344, .transitions = 568, .terminal = 12, .depth = 18};
  // One follows a server that follows: it looks again, once, and joins, or has missed every answer and waits.
  const Counts one_is_wrong{.states = 570, .transitions = 1023, .terminal = 15, .depth = 31};
  const Counts two_lead{
      .states = 10, .transitions = 9, .terminal = 1, .depth = 9};  // one sends no more messages
  const std::map<std::string, std::pair<int, Counts>> expected{{"2 2 2", {1, all_follow}},
                                                               {"2 3 3", {4, one_is_wrong}},
                                                               {"3 2 2", {1, one_is_wrong}},
                                                               {"3 2 3", {2, two_lead}},
                                                               {"3 3 3", {24, all_follow}}};
  std::map<std::string, int> seen;
  for (const Value& end : endsOfElection(cluster, disksWith(std::vector<Zxid>(3, Zxid::of(1, 0))))) {
    std::string leaders;
    for (const auto& server : end.servers) {
      leaders += (leaders.empty() ? "" : " ") + std::to_string(server.node.leader.value_or(0));
    }
    CAPTURE(leaders);
    REQUIRE(expected.contains(leaders));
    ++seen[leaders];
    CHECK(walkRecovery(cluster, end, 1) == expected.at(leaders).second);
  }
  for (const auto& [leaders, row] : expected) CHECK(seen[leaders] == row.first);
}

// Beyond one round: a server that loses its leader looks again, as often as the budget of calls of
// lookForLeader allows.
TEST_CASE("walk: two servers with their learner links, and calls of lookForLeader bounded") {
  const Cluster<Family> cluster = clusterOf({wait, OwnVote::at_once}, 2);
  const auto walked = [&](bool reading, std::uint64_t budget) {
    const auto explores = [reading](const Action<Family>& action) {
      if (action.kind == ActionKind::deliver) return reading || action.link == zab::election_link;
      if (action.kind != ActionKind::fire) return true;
      switch (action.timer.kind) {
        case zab::TimerKind::finalize_wait:
        case zab::TimerKind::leader_limit:
        case zab::TimerKind::connect_retry: return true;
        default: return false;
      }
    };
    Options<Family> options{.explores = explores, .costs = isLooking, .budget = budget};
    Walker<Family> walker(cluster, startOf({}, cluster), options);
    return walker.run();
  };
  // Nothing is read on the learner links: the messages between leaders and learners have no part in these.
  CHECK(walked(false, 0) == Counts{.states = 47, .transitions = 114, .pruned = 44, .depth = 14});
  // A server that has looked again once waits until its wait for a notification ends, which is not explored:
  // the end.
  CHECK(walked(false, 1) == Counts{.states = 58, .transitions = 123, .terminal = 3, .depth = 14});
  // The eight packets of a recovery, after none to four refused dials: 47 + 5 * 8.
  CHECK(walked(true, 0) == Counts{.states = 87, .transitions = 194, .pruned = 84, .depth = 22});
  // The follower may look again after any of them: seven ends by what the two had reached and it had
  // received.
  CHECK(walked(true, 1) == Counts{.states = 135, .transitions = 253, .terminal = 7, .depth = 22});
}

}  // namespace
}  // namespace zablab::walk
