// Searches of Leader and Followers: which changes break which invariants of shipped models, and what its
// grains leave out.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "checker/check/check.h"
#include "tests/shipped.h"

namespace zablab {
namespace {

Json shipped(const std::string& name) {
  return loadJson(std::string(ZABLAB_SOURCE_DIR) + "/scenarios/models/" + name + ".json").plain();
}

TEST_CASE("leader_followers: each invariant is violated in a shipped model by what it is to detect") {
  struct Row {
    const char* model;
    const char* mutation;
    const char* invariant;
    std::uint64_t depth;  ///< of the shortest path there
  };
  for (const Row& row : {
           Row{"generations-2", "lf_skip_log_check_on_new_gen", "leader-completeness", 11},
           {"generations-4", "lf_index_only_log_check", "leader-completeness", 11},
           {"generations-4", "raft_commit_prior_term", "leader-completeness", 14},
           {"generations-2", "lf_skip_log_check_on_new_gen", "committed-stays", 15},
           {"generations-2", "lf_skip_log_check_on_new_gen", "state-machine-safety", 16},
           {"generations-2", "lf_vote_not_durable", "vote-durable", 2},
           {"generations-2", "lf_vote_not_durable", "election-safety", 8},
           {"generations-2", "lf_gen_not_durable", "election-safety", 8},
           {"generations-2", "lf_gen_not_durable", "generation-grows", 2},
           {"generations-2", "lf_no_term_check_on_append", "append-of-leader", 8},
           {"generations-2-power-loss", "lf_asks_before_durable", "generation-grows", 5},
           {"generations-2-power-loss", "raft_ack_before_fsync", "acknowledged-durable", 7},
           {"generations-2-a-client-reads", "raft_no_read_index", "reads-fresh", 13},
           {"generations-2-a-client-reads", "lf_followers_answer_reads", "reads-fresh", 11},
           {"generations-2-pre-vote", "raft_led_voter_grants", "led-voters-refuse", 9},
       }) {
    CAPTURE(std::string(row.model));
    CAPTURE(std::string(row.mutation));
    CAPTURE(std::string(row.invariant));
    Json text = shipped(row.model);
    text["mutations"] = {row.mutation};
    text["invariants"] = {row.invariant};
    const CheckResult result = check(modelOf(text), {});
    CHECK(result.violated == row.invariant);
    CHECK(result.depth == row.depth);
  }
}

TEST_CASE("leader_followers: the handler as printed loses what was committed, by either of its gaps") {
  Json text = shipped("generations-4");
  text["variant"] = "document";
  text["invariants"] = {"leader-completeness"};
  const auto depthWith = [&](const Json& rules) {
    text["rules"] = rules;
    const CheckResult result = check(modelOf(text), {});
    CHECK(result.violated == "leader-completeness");
    return result.depth;
  };
  CHECK(depthWith(Json::object()) == 8);
  CHECK(depthWith({{"log_order", "generation_index"}}) == 8);
  CHECK(depthWith({{"new_generation", "log_compared"}}) == 11);
}

/// How many different values of each component a search met.
std::map<std::string, std::uint64_t> metBy(const CheckResult& result) {
  std::map<std::string, std::uint64_t> values;
  for (const auto& component : result.components) values[component.name] = component.values;
  return values;
}

// What is read immediately may change only what is on the wire: the same servers, disks, messages and
// memories of monitors occur, in fewer states. (With pre-vote that is shown where the highest id is the
// better one: elsewhere one of two mirror images is left out, not always the same one.)
TEST_CASE("leader_followers: messages without effect are visible only on the wire") {
  struct Row {
    const char* model;
    std::int64_t elections;
    const char* mutation;  ///< and what should be violated is violated
  };
  for (const Row& row : {Row{"generations-2", 2, ""},
                         {"generations-2-empty-entries", 2, ""},
                         {"generations-2-highest-id", 2, ""},
                         {"generations-2", 2, "lf_skip_log_check_on_new_gen"},
                         {"generations-2", 2, "lf_no_term_check_on_append"},
                         {"generations-2-pre-vote", 2, "raft_led_voter_grants"}}) {
    CAPTURE(std::string(row.model));
    CAPTURE(std::string(row.mutation));
    Json text = shipped(row.model);
    text["bounds"]["elections"] = row.elections;
    text["bounds"]["writes"] = 1;
    if (*row.mutation != '\0') text["mutations"] = {row.mutation};
    text["grain"] = "full";
    CheckOptions options;
    options.threads = 2;
    const CheckResult full = check(modelOf(text), options);
    text["grain"] = "reduced";
    const CheckResult reduced = check(modelOf(text), options);
    CHECK(full.violated == reduced.violated);
    if (*row.mutation != '\0') {
      CHECK(full.verdict == "violated");
      continue;
    }
    CHECK(full.exhausted);
    CHECK(reduced.exhausted);
    CHECK(3 * reduced.distinct < 2 * full.distinct);
    auto values = metBy(full);
    auto fewer = metBy(reduced);
    for (const char* wire : {"channels", "steps"}) {
      CHECK(fewer[wire] <= values[wire]);
      values.erase(wire);
      fewer.erase(wire);
    }
    CHECK(fewer == values);
  }
}

TEST_CASE("leader_followers: a grain that the family does not have is refused") {
  Json text = shipped("generations-2");
  text["grain"] = "atomic_election";
  std::string said;
  try {
    checkModel(modelOf(text));
  } catch (const InputError& error) {
    said = error.what();
  }
  CHECK(said.find("atomic_election") != std::string::npos);
}

}  // namespace
}  // namespace zablab
