// The shipped models: their descriptions, what refutes them, and how that is reported.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "checker/check/check.h"
#include "checker/execute.h"
#include "tests/shipped.h"

namespace zablab {
namespace {

/// The largest search in a test; larger models are for `zablab check` itself.
constexpr std::uint64_t quick_states = 200'000;
/// The limit of this test's searches with what a model's `fails_with` names.
constexpr std::uint64_t refuted_states = 80'000;

/// What refutes or repairs a model only beyond this limit. A search that the limit stops takes longest and
/// shows nothing: these are for scripts/models.py.
const std::map<std::string, std::set<std::string>> refuted_beyond{
    {"000-C5-A-returns", {"epoch_ack_quorum_skipped", "follower_ahead_accepted"}},
    {"000-C7-4-servers", {"textbook-naive"}},
    {"002-L2-no-identifier-in-the-name", {"lost_create=looks"}},
    {"004-Q3-write-back", {"quorum"}},
    {"a-client-writes-and-reads",
     {"client_sees_the_past", "retain_db_no_ff", "textbook-naive", "zookeeper-3.8.0"}},
    {"a-learner-loses-its-leader-in-a-trunc", {"trunc_kept_in_memory"}},
    {"an-epoch-is-promised-once", {"equal_epoch_acked_twice"}},
    {"clients-3-partition", {"client_sees_the_past"}},
    {"commits-come-in-order", {"zab_commits_out_of_order"}},
    {"configuration-2", {"watch_rearm_before_read_swapped"}},
    {"contenders-3",
     {"recipe_no_recheck_missing_pred", "recipe_promote_without_recheck", "recipe_watches_first"}},
    {"double-barrier-2-expire", {"recipe_no_guid"}},
    {"election-3-at-once-partition", {"own_vote=queued"}},
    {"ephemeral-and-watch", {"expired_ephemerals_stay"}},
    {"external-store-2-faults", {"ext_get_then_put", "ext_lost_cas_reply"}},
    {"external-store-3-partition", {"ext_lost_cas_reply", "ext_no_fencing_token"}},
    {"external-store-3-pause", {"ext_no_fencing_token"}},
    {"external-store-3-restart", {"ext_lost_cas_reply"}},
    {"external-store-servers-3", {"ext_watch_gap"}},
    {"external-store-servers-3-crash", {"ext_get_then_put", "ext_lost_cas_reply", "ext_unconfirmed_renewal"}},
    {"generations-2-a-client-reads", {"raft_no_read_index"}},
    {"generations-4", {"lf_index_only_log_check", "raft_commit_prior_term"}},
    {"generations-4-crash-settled", {"lf_index_only_log_check", "raft_commit_prior_term"}},
    {"kafka-2-break", {"kafka_no_own_znode_check"}},
    {"kafka-2-operator",
     {"kafka_change_without_election", "kafka_no_broker_epoch_check", "kafka_watch_not_rearmed"}},
    {"kafka-2-record-restart", {"kafka_no_flush", "kafka_no_kip380", "kafka_truncate_to_hw"}},
    {"kafka-2-start", {"kafka_assignment_ignored", "kafka_no_own_znode_check"}},
    {"kafka-3-join", {"kafka_no_broker_epoch_check"}},
    {"lock-2-late", {"lock_no_fencing"}},
    {"one-node-ephemeral-and-watch",
     {"watches_fire_again", "watches_not_registered_again", "watches_registered_as_new"}},
    {"p3-7-servers", {"textbook-naive"}},
    {"p3-7-servers-safe", {"textbook-naive"}},
    {"redis-cluster-2-replicas-again-cut", {"rc_last_claim_wins", "rc_no_config_epoch_check"}},
    {"redis-cluster-2-replicas-again-pause", {"rc_last_claim_wins"}},
    {"redis-cluster-2-replicas-all", {"rc_no_config_epoch_check"}},
    {"redis-cluster-two-claimants", {"rc_no_epoch_collision_fix"}},
    {"rejoin-in-the-epoch-kill", {"rejoin_acks=kept"}},
    {"rejoin-in-the-epoch-read", {"rejoin_acks=kept", "rejoin_acks=not_truncated"}},
    {"rejoin-in-the-epoch-second", {"rejoin_acks=kept", "rejoin_acks=not_truncated"}},
    {"rejoin-in-the-epoch-twice", {"rejoin_acks=kept"}},
    {"sentinel-3", {"sentinel_config_goes_back"}},
    {"sentinel-3-faults", {"sentinel_publishes_too_early", "sentinel_vote_not_durable"}},
    {"sentinel-3-restart", {"sentinel_votes_lost_on_epoch_advance"}},
    {"snapshot-at-role-end", {"snapshot_survives_role"}},
    {"snapshot-at-role-end-aborted", {"snapshot_survives_role"}},
    {"the-committed-log-is-whole", {"committedlog_hole", "zookeeper-3.9.3", "zookeeper-3.9.5"}},
    {"transaction-2-expire", {"twopc_majority_commits"}},
    {"zab-3-atomic", {"newleader_before_snap"}},
    {"zab-3-full", {"zab_first_ack_commits"}},
    {"zab-3-full-queued", {"zab_first_ack_commits"}},
    {"zab-3-full-queued-kill", {"zab_first_ack_commits"}},
    {"zab-3-settled", {"proposal_ack_first", "zab_first_ack_commits"}},
    {"zab-3-settled-queued", {"zab_first_ack_commits"}},
};

/// The numbers of at least 1,000 in a row of a table, written as 1,234,567.
std::set<std::uint64_t> countsIn(const std::string& row) {
  std::set<std::uint64_t> counts;
  for (std::size_t at = row.find('|'); at != std::string::npos; at = row.find('|', at + 1)) {
    std::string digits;
    std::size_t commas = 0;
    for (std::size_t i = at + 2;
         i < row.size() && (std::isdigit(static_cast<unsigned char>(row[i])) || row[i] == ','); ++i) {
      if (row[i] == ',') ++commas;
      if (row[i] != ',') digits += row[i];
    }
    if (commas > 0) counts.insert(std::stoull(digits));
  }
  return counts;
}

TEST_CASE("the pages: a model's count of states is that of its file") {
  std::map<std::string, std::uint64_t> distinct;
  for (const std::string& path : shippedFiles()) {
    const Case one = loadCase(path);
    if (one.kind != Case::Kind::model || !one.model.spec.expect.distinct) continue;
    if (const std::uint64_t count = *one.model.spec.expect.distinct; count >= 1000)
      distinct[std::filesystem::path(path).stem().string()] = count;
  }
  std::size_t rows = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ZABLAB_SOURCE_DIR "/docs")) {
    if (entry.path().extension() != ".md") continue;
    std::ifstream page(entry.path());
    for (std::string row; std::getline(page, row);) {
      const std::size_t from = row.starts_with("| ") ? row.find('`') : std::string::npos;
      if (from == std::string::npos || from > 3) continue;
      const auto model = distinct.find(row.substr(from + 1, row.find('`', from + 1) - from - 1));
      if (model == distinct.end()) continue;
      const std::set<std::uint64_t> counts = countsIn(row);
      if (counts.empty()) continue;
      CHECK_MESSAGE(counts.contains(model->second), entry.path().filename().string(), ": ", model->first,
                    " has ", model->second, " states");
      ++rows;
    }
  }
  CHECK(rows > 100);
}

TEST_CASE("check: every shipped model is refuted by what its file names, and a violation is repaired by it") {
  std::size_t refuted = 0;
  std::size_t beyond = 0;
  std::size_t left_out = 0;
  for (const std::string& path : shippedFiles()) {
    const Case one = loadCase(path);
    if (one.kind != Case::Kind::model) continue;
    const auto listed = refuted_beyond.find(std::filesystem::path(path).stem().string());
    for (const FailsWith& how : one.model.spec.fails_with) {
      const std::string change = how.mutation + how.rule + how.variant;
      if (listed != refuted_beyond.end() && listed->second.contains(change)) {
        ++left_out;
        continue;
      }
      CAPTURE(path);
      CAPTURE(change);
      Json text = one.model.document.plain();
      const Overrides changes = overridesOf(how);
      for (const std::string& mutation : changes.mutations) text["mutations"].push_back(mutation);
      if (changes.variant) text["variant"] = *changes.variant;
      for (const auto& [rule, value] : changes.rules) text["rules"][rule] = value;
      const LoadedModel changed = modelOf(text);
      CheckOptions options;
      options.memory_max = std::uint64_t{4} << 30;
      options.states_max = refuted_states;
      const CheckResult result = check(changed, options);
      if (one.model.spec.expect.verdict == "violated") {  // it shows a defect, and this is the repair
        CHECK(result.verdict == "holds");
        CHECK(result.exhausted);
        continue;
      }
      const bool unreached =
          result.exhausted && std::any_of(result.goals.begin(), result.goals.end(), [](const auto& one_goal) {
            return !one_goal.never && !one_goal.depth;
          });
      const bool stopped = result.stopped_by == "states";
      ++(stopped ? beyond : refuted);
      if (unreached || stopped) continue;
      CHECK(result.verdict == "violated");
      REQUIRE(result.scenario);
      const bool goal = std::any_of(result.goals.begin(), result.goals.end(),
                                    [&](const auto& one_goal) { return one_goal.name == result.violated; });
      const Case told =
          readCase("a counterexample", JsonValue::fromJson(*result.scenario, "a counterexample"));
      const Outcome outcome = runScenario(told.scenario);
      if (goal) CHECK(told.scenario.spec.name == result.violated);
      // What a state violates by itself, be it a goal or an invariant, is not reported by the monitors of a
      // run.
      bool violated = goal || !result.scenario->contains("expect");
      for (const TraceVerdict& verdict : outcome.trace.verdicts) {
        if (verdict.name == result.violated && verdict.verdict == "violated") violated = true;
        if (verdict.name == "loop") CHECK(verdict.verdict == "met");
      }
      CHECK(violated);
      CHECK_NOTHROW(readTrace("its trace", traceText(outcome.trace)));
      for (const TraceEvent& event : outcome.trace.events) CHECK(event.kind != "skipped");
    }
  }
  // More than a few: list them.
  CHECK(refuted > 50 * beyond);
  std::size_t all_listed = 0;
  for (const auto& model : refuted_beyond) all_listed += model.second.size();
  CHECK(left_out == all_listed);  // each is there
}

TEST_CASE("check: a violation is reported at the event that shows it, the last of a run or not") {
  Json text =
      loadCase(std::string(ZABLAB_SOURCE_DIR) + "/scenarios/models/broadcast-5.json").model.document.plain();
  text["mutations"] = {"zab_first_ack_commits"};
  const CheckResult result = check(modelOf(text), {});
  REQUIRE(result.scenario);
  Json longer = *result.scenario;
  longer["actions"].push_back({{"do", "kill"}, {"server", 1}});
  longer["until"] = longer["until"].get<Millis>() + 100;
  for (const Json& told : {*result.scenario, longer}) {
    const Trace trace =
        runScenario(readCase("a counterexample", JsonValue::fromJson(told, "a counterexample")).scenario)
            .trace;
    const auto verdict = std::find_if(
        trace.verdicts.begin(), trace.verdicts.end(),
        [](const TraceVerdict& one_verdict) { return one_verdict.name == "uncommitted-never-visible"; });
    REQUIRE(verdict != trace.verdicts.end());
    CHECK(verdict->verdict == "violated");
    REQUIRE(verdict->event);
    REQUIRE(*verdict->event < trace.events.size());
    CHECK(trace.events[*verdict->event].kind == "applied");
    CHECK((*verdict->event + 1 < trace.events.size()) == (told == longer));
  }
}

/// What is reported about a model, with any number of threads.
CheckResult toldByAll(const LoadedModel& model) {
  CheckResult told;
  for (const unsigned threads : {1U, 2U, 3U}) {
    CheckOptions options;
    options.threads = threads;
    CheckResult result = check(model, options);
    REQUIRE(result.scenario);
    if (threads > 1) CHECK(*result.scenario == *told.scenario);
    told = std::move(result);
  }
  return told;
}

TEST_CASE("check: any number of threads finds the same counterexample, and it is a shortest one") {
  Json text = loadCase(std::string(ZABLAB_SOURCE_DIR) + "/scenarios/models/a-leader-ends-with-a-write.json")
                  .model.document.plain();
  text["variant"] = "textbook-naive";
  const LoadedModel model = modelOf(text);
  const CheckResult told = toldByAll(model);
  CHECK(told.violated == "committed-never-lost");
  CHECK(told.length == 18);
  CheckOptions deep;
  deep.search = SearchKind::dfs;
  CHECK(check(model, deep).length >= 18);
}

TEST_CASE("check: any number of threads finds the same path to a state that is to be reached") {
  const CheckResult told =
      toldByAll(loadCase(std::string(ZABLAB_SOURCE_DIR) + "/scenarios/models/000-R1-a-read-lags.json").model);
  CHECK(told.verdict == "holds");
}

TEST_CASE("check: the effect of a fault with its own budget is reported with that fault") {
  struct Row {
    const char* model;
    const char* rule;
    const char* value;
    const char* invariant;
    const char* action;  ///< in the path to the violation
  };
  for (const Row& row : {
           Row{"a-server-stands-still", "rejoin_acks", "kept", "uncommitted-never-visible",
               R"("do":"pause")"},
           Row{"a-connection-breaks", "rejoin_acks", "kept", "uncommitted-never-visible",
               R"("do":"disrupt")"},
           Row{"a-power-loss-keeps-a-part", "ack_when", "at_once", "committed-never-lost", R"("keep":1)"},
       }) {
    CAPTURE(row.model);
    Json text = loadCase(std::string(ZABLAB_SOURCE_DIR) + "/scenarios/models/" + row.model + ".json")
                    .model.document.plain();
    text["rules"][row.rule] = row.value;
    text["invariants"] = {row.invariant};
    const CheckResult result = check(modelOf(text), {});
    CHECK(result.violated == row.invariant);
    REQUIRE(result.scenario);
    CHECK(result.scenario->dump().find(row.action) != std::string::npos);
    const Case told = readCase("told.json", JsonValue::fromJson(*result.scenario, "told.json"));
    bool violated = false;
    for (const TraceVerdict& verdict : runScenario(told.scenario).trace.verdicts)
      violated = violated || (verdict.name == row.invariant && verdict.verdict == "violated");
    CHECK(violated);
  }
}

TEST_CASE("check: a shipped model states its result, how else that was found, and what refutes it") {
  for (const std::string& path : shippedFiles()) {
    const Case one = loadCase(path);
    if (one.kind != Case::Kind::model) continue;
    CAPTURE(path);
    const Model& model = one.model.spec;
    if (model.expect.verdict == "violated") {
      CHECK(model.expect.length);
      continue;
    }
    CHECK(model.expect.distinct);
    CHECK(model.expect.generated);
    CHECK(!model.confirmed.empty());
    if (model.reach.empty()) CHECK(!model.fails_with.empty());
  }
}

TEST_CASE("check: what a fault of the search refutes holds without it, and with its nearest relative") {
  struct Row {
    const char* model;
    const char* fault;
    const char* instead;  ///< a budget that is larger by as much instead
  };
  for (const Row& row : {Row{"a-server-comes-back-with-an-empty-disk", "wipes", "restarts"},
                         {"generations-2-a-voter-loses-its-disk", "wipes", "restarts"},
                         {"an-election-with-a-one-way-cut", "one_way_cuts", "partitions"}}) {
    CAPTURE(row.model);
    const Case one = loadCase(std::string(ZABLAB_SOURCE_DIR) + "/scenarios/models/" + row.model + ".json");
    CHECK(check(one.model, {}).verdict == "violated");
    Json text = one.model.document.plain();
    Json& bounds = text["bounds"];
    const Json budget = bounds.at(row.fault);
    bounds[row.fault] = 0;
    CHECK(check(modelOf(text), {}).verdict == "holds");
    bounds[row.instead] = bounds.value(row.instead, 0) + budget.get<int>();
    CHECK(check(modelOf(text), {}).verdict == "holds");
  }
}

TEST_CASE("check: small shipped models have the expected results") {
  for (const std::string& path : shippedFiles()) {
    const Case one = loadCase(path);
    if (one.kind != Case::Kind::model) continue;
    const ModelExpect& expect = one.model.spec.expect;
    const bool quick =
        expect.verdict == "violated" || expect.distinct.value_or(quick_states + 1) <= quick_states;
    if (!quick) continue;
    CAPTURE(path);
    CheckOptions options;
    options.threads = 2;
    const CheckResult result = check(one.model, options);
    for (const std::string& problem : compareWith(one.model.spec.expect, result)) FAIL_CHECK(problem);
  }
}

}  // namespace
}  // namespace zablab
