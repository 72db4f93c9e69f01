// Leader and Followers: its tables of rules, and the effects of its decisions about a vote. The decisions are
// tested row by row in scenarios/leader-followers/.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checker/execute.h"
#include "protocol/leader_followers/election.h"
#include "protocol/leader_followers/family.h"
#include "protocol/leader_followers/rules.h"

namespace zablab::leader_followers {
namespace {

using Strings = std::vector<std::string>;

Rules rulesOf(std::string_view variant, const Strings& changes = {}) {
  Rules rules = ruleTables().variant(variant)->rules;
  for (const std::string& change : changes) {
    const std::size_t equals = change.find('=');
    if (equals == std::string::npos) {
      mutate(rules, *ruleTables().mutation(change));
    } else {
      REQUIRE(!setRule(rules, change.substr(0, equals), change.substr(equals + 1)));
    }
  }
  return rules;
}

TEST_CASE("leader_followers: a run names the rules that are not the default") {
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

TEST_CASE("leader_followers: with equal logs the first candidate gets the vote, or the higher id") {
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

TEST_CASE("leader_followers: a pre-vote promises nothing, and a server with a leader refuses it") {
  Node node = voter(std::nullopt, {1, 3});
  const VoteRequest pre{6, {3, 2}, true};
  CHECK(decideVote(rulesOf("sound"), node, 3, pre).granted);
  Effects effects;
  Node asked = node;
  const Config config{.members = {1, 2, 3}};
  Family::step(config, {}, asked, V::Received{server_link, 3, pre}, effects);
  CHECK(asked == node);
  node.leader = 1;
  CHECK(enumName(decideVote(rulesOf("sound"), node, 3, pre).reason) == "has_leader");
  CHECK(decideVote(rulesOf("sound", {"raft_led_voter_grants"}), node, 3, pre).granted);
  // A vote that is not a pre-vote is considered nevertheless, unless a rule says otherwise.
  const VoteRequest vote{6, {3, 2}, false};
  for (const bool heeds : {true, false}) {
    Node led = node;
    const Rules rules = heeds ? Rules{} : rulesOf("sound", {"led_voter=refuses_votes"});
    effects.clear();
    Family::step(config, rules, led, V::Received{server_link, 3, vote}, effects);
    CHECK(led.generation == (heeds ? 6 : 5));
  }
}

// ---- etcd 3.4.23 as recorded: three members, ticks of 100 ms, elections after 10 to 19 of them

/// A server counts ticks, which begin up to one before the heartbeat: of 10, between 900 and 1000 ms are
/// left.
Trace etcdRun(std::uint64_t seed, bool pre_vote, const Json& steps) {
  Json scenario{{"kind", "scenario"},
                {"name", "a leader is lost"},
                {"protocol", "leader_followers"},
                {"variant", "etcd"},
                {"servers", 3},
                {"config", {{"election_timeout_min_ms", 900}, {"election_timeout_max_ms", 1899}}},
                {"timing", {{"latency_ms", 1}, {"fsync_ms", 1}}},
                {"steps", steps},
                {"seed", seed},
                {"until", 12000}};
  if (!pre_vote) scenario["mutations"] = {"raft_no_prevote"};
  return runScenario(readCase("etcd", JsonValue::fromJson(scenario, "etcd")).scenario).trace;
}

struct Reign {
  std::int64_t at = 0;
  ServerId leader = no_server;
  std::int64_t generation = 0;
};

/// The first leader after this time, or the last one before it.
std::optional<Reign> reignOf(const Trace& trace, std::int64_t time, bool after) {
  std::optional<Reign> found;
  for (const TraceEvent& event : trace.events) {
    if (event.kind != "role" || event.data.at("to") != "LEADING" || (event.time > time) != after) continue;
    found = Reign{event.time, *event.node, event.data.at("generation").get<std::int64_t>()};
    if (after) break;
  }
  return found;
}

/// The times from the loss of the leader until there is another.
std::vector<std::int64_t> lossesOf(bool pre_vote, const std::string& fault) {
  std::vector<std::int64_t> times;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto at = static_cast<std::int64_t>(5000 + 37 * seed % 100);  // at any time between two heartbeats
    const auto before = reignOf(etcdRun(seed, pre_vote, Json::array()), at, false);
    REQUIRE(before.has_value());
    const auto after = reignOf(etcdRun(seed, pre_vote, {{{"at", at}, {fault, before->leader}}}), at, true);
    REQUIRE(after.has_value());
    CHECK(after->leader != before->leader);
    times.push_back(after->at - at);
  }
  std::sort(times.begin(), times.end());
  return times;
}

TEST_CASE(
    "leader_followers: the loss of a leader takes as long as recorded of etcd, with and without pre-vote") {
  struct Row {
    bool pre_vote;
    std::int64_t least, most;  ///< of a leader that was killed and one that was stopped
  };
  for (const Row& row : {Row{false, 963, 1171}, {true, 1118, 1715}}) {
    CAPTURE(row.pre_vote);
    std::vector<std::int64_t> times = lossesOf(row.pre_vote, "kill");
    for (const std::int64_t time : lossesOf(row.pre_vote, "pause")) times.push_back(time);
    std::sort(times.begin(), times.end());
    const std::int64_t median = times[times.size() / 2];
    CHECK(median >= row.least);
    CHECK(median <= row.most);
    // The recorded ones are among those that occur.
    CHECK(times.front() <= row.least);
    CHECK(times.back() >= row.most);
  }
}

TEST_CASE("leader_followers: what else was recorded of etcd: stopped members, and generations") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const bool pre_vote : {false, true}) {
      CAPTURE(seed);
      CAPTURE(pre_vote);
      const auto before = reignOf(etcdRun(seed, pre_vote, Json::array()), 5000, false);
      REQUIRE(before.has_value());
      std::vector<ServerId> followers;
      for (ServerId id = 1; id <= 3; ++id) {
        if (id != before->leader) followers.push_back(id);
      }
      // A follower that stands still for 4 s changes nothing.
      const Json one{{{"at", 5000}, {"pause", followers.front()}},
                     {{"at", 9000}, {"resume", followers.front()}}};
      CHECK_FALSE(reignOf(etcdRun(seed, pre_vote, one), 5000, true).has_value());
      // Both do: the leader steps down, and asks again and again. With the pre-vote the generation of the
      // next leader is the next one; without, each attempt has taken one.
      const Json both{{{"at", 5000}, {"pause", followers}}, {{"at", 9000}, {"resume", followers}}};
      const Trace trace = etcdRun(seed, pre_vote, both);
      const auto next = reignOf(trace, 5000, true);
      REQUIRE(next.has_value());
      if (pre_vote) {
        CHECK(next->generation == before->generation + 1);
      } else {
        CHECK(next->generation > before->generation + 1);
      }
    }
  }
}

}  // namespace
}  // namespace zablab::leader_followers
