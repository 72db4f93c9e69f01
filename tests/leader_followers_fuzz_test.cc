// Drawn runs of Leader and Followers: sound variants are clean, every fault strikes, every invariant is
// exercised, and planted bugs are found.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>

#include "checker/fuzz/campaign.h"
#include "checker/protocol.h"

namespace zablab {
namespace {

FuzzTarget targetOf(const std::string& variant, const std::string& mutation = "") {
  FuzzTarget target;
  target.protocol = "leader_followers";
  target.shape.knobs = knobsOf(FuzzPreset::swarm, findProtocol(target.protocol)->fuzzSettings());
  target.overrides.variant = variant;
  if (!mutation.empty()) target.overrides.mutations.push_back(mutation);
  return target;
}

TEST_CASE("leader_followers: drawn runs are clean, every fault strikes, every invariant is exercised") {
  FuzzStatistics all;
  for (const int servers : {3, 5}) {
    for (const char* variant : {"sound", "highest-id", "etcd", "plain"}) {
      FuzzTarget target = targetOf(variant);
      target.shape.voters = servers;
      if (std::string(variant) == "plain") {  // a leader that gets no answers may continue to lead: a stall
        for (const NamedText& invariant : protocolOf(target).invariants())
          target.invariants.push_back(invariant.name);
      }
      const CampaignResult result = runCampaign(target, {0, 300}, 2, {});
      for (const Finding& finding : result.findings) {
        FAIL_CHECK(servers << " servers, " << variant << ", seed " << finding.seed << ": "
                           << finding.failure.what << ": " << finding.failure.text);
      }
      all.add(result.statistics);
    }
  }
  CHECK(all.neverFired().empty());
  CHECK(all.planned.size() == all.fired.size());
  for (const auto& of : all.obligations) {
    const std::string name = of.first;
    CAPTURE(name);
    CHECK(of.second > 100);
  }
}

TEST_CASE("leader_followers: drawn runs find planted bugs, and what the handler leaves out") {
  struct Row {
    const char* variant;
    const char* mutation;
    const char* what;
    std::uint64_t seeds;
  };
  for (const Row& row : {
           Row{"document", "", "leader-completeness", 100},
           {"document", "", "reads-fresh", 100},
           {"sound", "lf_skip_log_check_on_new_gen", "leader-completeness", 100},
           {"sound", "lf_skip_log_check_on_new_gen", "applied-is-committed", 100},
           {"sound", "lf_skip_log_check_on_new_gen", "answers-committed", 100},
           {"sound", "lf_skip_log_check_on_new_gen", "state-machine-safety", 100},
           {"sound", "lf_index_only_log_check", "leader-completeness", 4'000},
           {"sound", "lf_vote_not_durable", "vote-durable", 10},
           {"sound", "lf_vote_not_durable", "election-safety", 2'000},
           {"sound", "lf_vote_not_durable", "counted-vote-durable", 10},
           {"document", "raft_commit_prior_term", "commits-own-generation", 100},
           {"sound", "lf_gen_not_durable", "generation-grows", 10},
           {"sound", "lf_gen_not_durable", "election-safety", 300},
           {"sound", "lf_asks_before_durable", "generation-grows", 200},
           {"sound", "lf_no_term_check_on_append", "append-of-leader", 500},
           {"sound", "raft_truncate_on_any_append", "committed-stays", 500},
           {"sound", "raft_ack_before_fsync", "acknowledged-durable", 30},
           {"sound", "raft_no_read_index", "reads-fresh", 2'000},
           {"sound", "lf_followers_answer_reads", "reads-fresh", 100},
           {"sound", "raft_no_read_index", "requests-end", 100},
           {"sound", "lf_followers_answer_reads", "requests-end", 100},
           {"sound", "raft_led_voter_grants", "led-voters-refuse", 30},
           {"sound", "raft_no_check_quorum", "stall: no service", 200},
       }) {
    CAPTURE(std::string(row.variant));
    CAPTURE(std::string(row.mutation));
    CAPTURE(std::string(row.what));
    FuzzTarget target = targetOf(row.variant, row.mutation);
    const std::string what = row.what;
    if (!what.starts_with("stall")) target.invariants = {what};
    const auto worker = protocolOf(target).fuzzWorker(target);
    std::optional<std::uint64_t> first;
    for (std::uint64_t seed = 0; seed < row.seeds && !first; ++seed) {
      const RunOutcome outcome = worker->run(seed);
      if (outcome.failure && outcome.failure->what == what) first = seed;
    }
    CHECK(first);
  }
}

}  // namespace
}  // namespace zablab
