// Leader and Followers: its tables of rules, and the effects of its decisions about a vote. The decisions are
// tested row by row in scenarios/leader-followers/.
#include <doctest/doctest.h>

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checker/execute.h"
#include "protocol/leader_followers/election.h"
#include "protocol/leader_followers/family.h"
#include "protocol/leader_followers/mutations.h"

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

TEST_CASE(
    "leader_followers: every value of every rule is some variant's, planted bug's or story's, and listed "
    "once") {
  std::set<std::string> used;
  for (const Variant& variant : variants()) {
    forEachField(variant.rules, [&](std::string_view rule, const auto& value) {
      used.insert(std::string(rule) + "=" + std::string(enumName(value)));
    });
  }
  for (const Mutation& mutation : mutations())
    used.insert(std::string(mutation.rule) + "=" + std::string(mutation.value));
  for (const auto& file :
       std::filesystem::directory_iterator(ZABLAB_SOURCE_DIR "/scenarios/leader-followers")) {
    const Case one = loadCase(file.path().string());
    for (const auto& [rule, value] : one.scenario.spec.rules) used.insert(rule + "=" + value);
  }
  std::set<std::string> named;
  for (const RuleValue& value : ruleValues()) {
    const std::string name = std::string(value.rule) + "=" + std::string(value.value);
    CHECK_MESSAGE(named.insert(name).second, name, " is listed twice");
    CHECK_MESSAGE(used.contains(name), name, " is used by nobody");
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

}  // namespace
}  // namespace zablab::leader_followers
