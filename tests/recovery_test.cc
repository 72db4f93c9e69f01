// The invariants of recovery and broadcast, both ways: silent and exercised over random runs with faults
// under ZooKeeper's rules, and broken by a planted change, on seeds that hold without it. What random runs do
// not reach is broken by scenarios.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "checker/zab/trial.h"
#include "protocol/zab/discovery.h"
#include "protocol/zab/quorum.h"

namespace zablab::zab {
namespace {

struct Shape {
  const char* name;
  Config config;
};

Config weighted() {
  Config config;
  for (int id = 1; id <= 6; ++id) {
    const std::int64_t weight = id == 5 ? 0 : id == 6 ? 2 : 1;
    config.members.push_back({.id = id, .weight = weight, .group = id <= 3 ? 1 : 2});
  }
  return config;
}

Trial trialOf(Config config) {
  Trial trial = underFaults(std::move(config), 15'000);
  trial.busy_ms = 20'000;
  trial.length_ms = 40'000;
  return trial;
}

TEST_CASE("recovery: every invariant holds and is exercised, whatever fails") {
  std::map<std::string, std::uint64_t> obligations;
  for (const Shape& shape :
       {Shape{"three", ensembleOf(3)}, Shape{"four", ensembleOf(4)}, Shape{"five", ensembleOf(5)},
        Shape{"three and two observers", ensembleOf(3, 2)}, Shape{"two groups", weighted()}}) {
    const std::string name_of_shape = shape.name;
    CAPTURE(name_of_shape);
    Trial trial = trialOf(shape.config);
    std::uint64_t answered = 0;
    std::uint64_t serving = 0;
    constexpr std::uint64_t seeds = 60;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      trial.config.committed_log_max = seed % 3 == 0 ? 2 : 500;  // learners fall behind the committed log
      trial.config.snap_count = static_cast<std::int64_t>(seed % 6);
      trial.config.log_file_min_bytes = seed % 2 == 0 ? 100 : 67'108'864;
      const TrialOutcome outcome = runTrial(trial, seed);
      answered += outcome.answered;
      serving += outcome.serving ? 1 : 0;
      for (const auto& [name, count] : outcome.obligations) obligations[name] += count;
      for (const auto& [name, words] : outcome.violations) {
        FAIL_CHECK("seed " << seed << ": " << name << ": " << words);
      }
    }
    CHECK(answered > 10 * seeds);
    CHECK(serving == seeds);  // faults come to an end, and then somebody leads
  }
  for (const auto& [invariant, count] : obligations) {
    const std::string name = invariant;
    CAPTURE(name);
    if (name == "one-leader-per-round") continue;      // not claimed with the finalize wait
    if (name == "interrupted-epoch-starts") continue;  // no process dies in the middle of a write here
    CHECK(count > 50);
  }
}

struct Planted {
  const char* invariant;
  std::vector<std::pair<const char*, const char*>> rules;
  int voters = 3;
  std::uint64_t seeds = 1'500;  ///< at most: no row hangs on a single one of them
};

TEST_CASE("recovery: each invariant is broken by a planted change, on seeds that hold without it") {
  const std::vector<Planted> rows{
      {"committed-never-lost", {{"tail", "forgotten"}}},
      {"committed-never-lost", {{"commit_when", "first_ack"}}},
      {"committed-never-lost", {{"leader_tail", "heard_majority"}}},
      {"uncommitted-never-visible", {{"apply_when", "proposal"}}},
      {"uncommitted-never-visible", {{"newleader_order", "epoch_ack_history"}}},
      {"uncommitted-never-visible", {{"newleader_order", "queue_epoch_ack"}}},
      {"uncommitted-never-visible", {{"activation", "epoch_quorum"}}},
      {"epoch-closure", {{"commit_when", "first_ack"}}},
      {"one-leader-per-epoch", {{"majority", "half"}}, 4},
      {"agreement", {{"sync_table", "range_only"}}},
      {"agreement", {{"committed_log", "without_synced"}}},
      {"total-order", {{"new_epoch", "same"}, {"equal_epoch", "counted"}}},
      {"commits-contiguous", {{"registration", "misses_outstanding"}}},
      {"same-history", {{"tail", "logged_later"}}},
      {"acks-durable", {{"ack_when", "at_once"}}},
      {"acks-durable", {{"newleader_queued", "before_snapshot"}}},
      {"epochs-durable", {{"epoch_saved", "after_leaderinfo"}}},
      {"epochs-durable", {{"newleader_order", "ack_history_epoch"}}},
      {"up-to-date-applied", {{"newleader_order", "history_epoch_ack"}}},
      {"no-fatal-message", {{"sync_commit", "dropped"}}},
      {"no-fatal-message", {{"sync_commit", "needs_pending"}}},
      {"newleader-acked-first", {{"newleader_order", "epoch_queue_ack"}}},
      {"acknowledged-writes", {{"commit_when", "first_ack"}}},
      {"monotonic-reads", {{"last_seen", "unchecked"}}},
      {"monotonic-reads", {{"answered_by", "leader"}}},
  };
  for (const Planted& row : rows) {
    std::string what = row.invariant;
    Trial planted = trialOf(ensembleOf(row.voters));
    const Trial sound = planted;
    for (const auto& [rule, value] : row.rules) {
      REQUIRE_FALSE(setRule(planted.rules, rule, value));
      what += std::string(" ") + rule + "=" + value;
    }
    CAPTURE(what);
    bool broken = false;
    for (std::uint64_t seed = 1; seed <= row.seeds && !broken; ++seed) {
      if (!runTrial(planted, seed).violations.contains(row.invariant)) continue;
      const TrialOutcome twin = runTrial(sound, seed);
      CHECK(twin.violations.empty());
      broken = twin.obligations.at(row.invariant) > 0;
    }
    CHECK(broken);
  }
}

TEST_CASE("recovery: what documents tell differently and is as safe breaks nothing under faults") {
  const std::vector<std::pair<const char*, const char*>> rules{
      {"leader_tail", "possible_majority"},
      {"sync_table", "after_committed"},
      {"serve_after", "quorum"},
      {"leader_log", "first"},
      {"round_memory", "disk"},
      {"kept_vote", "said_again"},
      {"lower_round", "silent"},
      {"ballot_box", "by_zxid"},
      {"join", "quorum_alone"},
      {"ballot_box", "cleared_on_update"},
      {"decision", "at_once"},
      {"higher_round", "current_vote"},
  };
  constexpr std::uint64_t seeds = 12;
  for (const auto& told : rules) {
    const std::string rule = told.first;
    for (const int voters : {3, 5}) {
      Trial trial = trialOf(ensembleOf(voters));
      REQUIRE_FALSE(setRule(trial.rules, rule, told.second));
      std::uint64_t compared = 0;
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        CAPTURE(rule);
        CAPTURE(voters);
        CAPTURE(seed);
        TrialOutcome outcome = runTrial(trial, seed);
        outcome.violations.erase("one-leader-per-round");  // true of three servers that do not restart
        if (rule == "join") outcome.violations.erase("joined-leader-leads");  // what it gives up
        CHECK(outcome.violations.empty());
        compared += outcome.obligations.at("committed-never-lost");
      }
      CHECK(compared > 20);
    }
  }
}

/// Over all sets of servers that may hold an entry and be heard by one of the holders, which leads: how many
/// there are, and in how many of them the rule drops what a majority holds.
std::pair<int, int> majorityDropped(int servers, LeaderTail rule) {
  Config config = ensembleOf(servers);
  Rules rules;
  rules.leader_tail = rule;
  const auto membersOf = [&](unsigned set) {
    std::vector<ServerId> ids;
    for (int id = 1; id <= servers; ++id) {
      if ((set >> (id - 1) & 1U) != 0) ids.push_back(id);
    }
    return ids;
  };
  const auto majority = [&](unsigned set) { return isQuorum(config, rules, membersOf(set)); };
  const unsigned all = (1U << servers) - 1;
  std::pair<int, int> counts{0, 0};
  for (unsigned holders = 1; holders <= all; ++holders) {
    for (unsigned heard = 1; heard <= all; ++heard) {
      if ((holders & heard) == 0 || !majority(heard)) continue;
      ++counts.first;
      const bool kept = keepsTail(config, rules, membersOf(holders & heard), membersOf(all & ~heard));
      if (majority(holders) && !kept) ++counts.second;
    }
  }
  return counts;
}

TEST_CASE(
    "recovery: counting holders among the heard drops what a majority has; counting the unheard never does") {
  struct Row {
    int servers, pairs, dropped;
  };
  for (const Row& row : {Row{3, 25, 6}, Row{4, 71, 12}, Row{5, 461, 150}, Row{7, 7813, 2940}}) {
    CAPTURE(row.servers);
    CHECK(majorityDropped(row.servers, LeaderTail::heard_majority) == std::pair{row.pairs, row.dropped});
    CHECK(majorityDropped(row.servers, LeaderTail::possible_majority) == std::pair{row.pairs, 0});
    CHECK(majorityDropped(row.servers, LeaderTail::whole) == std::pair{row.pairs, 0});
  }
}

TEST_CASE("recovery: one seed is one run, and other seeds are others") {
  const Trial trial = trialOf(ensembleOf(3));
  const TrialOutcome once = runTrial(trial, 7);
  CHECK(once.actions == runTrial(trial, 7).actions);
  CHECK(once.obligations == runTrial(trial, 7).obligations);
  CHECK(once.actions != runTrial(trial, 8).actions);
}

}  // namespace
}  // namespace zablab::zab
