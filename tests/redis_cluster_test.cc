// Redis Cluster: how old data may be, times compared with those measured on real servers, and drawn runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checker/execute.h"
#include "checker/fuzz/campaign.h"
#include "checker/protocol.h"
#include "protocol/redis_cluster/parts.h"
#include "protocol/redis_cluster/rules.h"
#include "tests/shipped.h"

namespace zablab::redis_cluster {
namespace {

// ---- the age of data (document 001, 2.2, 4.1)

TEST_CASE("redis cluster: data are too old beyond the ping period and the time-out times the factor") {
  const auto mayAsk = [](Millis age, std::int64_t factor, const Rules& rules = {}) {
    const Config config{.node_timeout_ms = 15'000, .validity_factor = factor, .repl_ping_ms = 10'000};
    const std::optional<Millis> limit = tooOldFrom(config, rules);
    return !limit || age < *limit;
  };
  CHECK(mayAsk(174'000, 10));
  CHECK(!mayAsk(176'000, 10));
  CHECK(mayAsk(40'000, 1));
  CHECK(!mayAsk(41'000, 1));
  CHECK(mayAsk(15'000, 1));
  CHECK(mayAsk(1'000'000'000, 0));
  const Rules textbook = ruleTables().variant("textbook")->rules;
  CHECK(mayAsk(25'000, 0, textbook));
  CHECK(!mayAsk(26'000, 0, textbook));
}

// ---- times, compared with those of real servers

Trace runOf(const std::string& name, std::uint64_t seed) {
  const std::string path = std::string(ZABLAB_SOURCE_DIR "/scenarios/redis-cluster/") + name + ".json";
  const Overrides overrides{.seed = seed, .variant = {}, .rules = {}, .mutations = {}};
  return runScenario(withOverrides(readCase(path, loadJson(path)).scenario, overrides)).trace;
}

/// The time of the first event of this kind, at this node if it is given.
std::optional<Millis> firstTime(const Trace& trace, std::string_view kind,
                                std::optional<ServerId> node = {}) {
  for (const TraceEvent& event : trace.events) {
    if (event.kind == kind && (!node || event.node == node)) return event.time;
  }
  return std::nullopt;
}

/// How long after this time somebody first sees another node as FAIL.
std::optional<Millis> failedAfter(const Trace& trace, Millis time) {
  for (const TraceEvent& event : trace.events) {
    if (event.kind == "flagged" && event.data.at("flag") == "FAIL") return event.time - time;
  }
  return std::nullopt;
}

Millis median(std::vector<Millis> times) {
  REQUIRE(!times.empty());
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

constexpr std::uint64_t seeds_compared = 60;

TEST_CASE("redis cluster: a master's failure is found, and its replica elected, within the measured times") {
  std::vector<Millis> found;
  for (std::uint64_t seed = 0; seed < seeds_compared; ++seed) {
    CAPTURE(seed);
    const Trace trace = runOf("001-C1-a-replica-replaces-its-master", seed);
    const auto failed = failedAfter(trace, 4000);
    const auto scheduled = firstTime(trace, "scheduled", 4);
    const auto asked = firstTime(trace, "asked_votes", 4);
    REQUIRE((failed && scheduled && asked));
    found.push_back(*failed);
    // 500 ms and up to 499 at random, for rank 0.
    CHECK(*asked - *scheduled >= 500);
    CHECK(*asked - *scheduled <= 999);
    // The time-out, and half of it until the next PING; a report comes with the next PING after that.
    CHECK(*failed >= 2000);
    CHECK(*failed <= 4300);
  }
  // Redis 7.0.15: from 2216 to 3839 ms.
  CHECK(median(found) >= 2216);
  CHECK(median(found) <= 3839);
}

TEST_CASE("redis cluster: of two replicas the one with more data asks alone, after 500 to 999 ms") {
  for (std::uint64_t seed = 0; seed < seeds_compared; ++seed) {
    CAPTURE(seed);
    const Trace trace = runOf("001-C5-the-replica-with-more-data-asks-first", seed);
    const auto scheduled = firstTime(trace, "scheduled", 7);
    const auto asked = firstTime(trace, "asked_votes", 7);
    REQUIRE((scheduled && asked));
    CHECK(*asked - *scheduled >= 500);
    CHECK(*asked - *scheduled <= 999);
  }
}

TEST_CASE("redis cluster: a replica of rank 1 asks after 1500 to 1999 ms") {
  std::vector<Millis> waits;
  for (std::uint64_t seed = 0; seed < seeds_compared; ++seed) {
    CAPTURE(seed);
    const Trace trace = runOf("001-C5-the-second-replica-asks-a-second-later", seed);
    const auto scheduled = firstTime(trace, "scheduled", 4);
    const auto asked = firstTime(trace, "asked_votes", 4);
    REQUIRE((scheduled && asked));
    waits.push_back(*asked - *scheduled);
    CHECK(waits.back() >= 1500);
    CHECK(waits.back() <= 1999);
  }
  // The random part is drawn from all of its range. Redis 7.0.15: 1551 ms.
  const auto [least, most] = std::minmax_element(waits.begin(), waits.end());
  CHECK(*least < 1551);
  CHECK(*most > 1950);
}

TEST_CASE("redis cluster: a voter's pause of 6 s makes about 22 s of 4 s") {
  std::vector<Millis> paused;
  std::vector<Millis> undisturbed;
  for (std::uint64_t seed = 0; seed < seeds_compared; ++seed) {
    CAPTURE(seed);
    const auto late = firstTime(runOf("001-C8-a-late-vote-is-wasted", seed), "promoted", 4);
    const auto at_once = firstTime(runOf("001-C1-a-replica-replaces-its-master", seed), "promoted", 4);
    REQUIRE((late && at_once));
    paused.push_back(*late - 4000);
    undisturbed.push_back(*at_once - 4000);
  }
  // Measured: 3552 ms and 21706 ms.
  CHECK(median(undisturbed) >= 3000);
  CHECK(median(undisturbed) <= 4200);
  CHECK(median(paused) >= 20'000);
  CHECK(median(paused) <= 23'000);
}

TEST_CASE("redis cluster: a master that is back after it was replaced accepts no write") {
  std::vector<Millis> found;
  for (std::uint64_t seed = 0; seed < seeds_compared; ++seed) {
    CAPTURE(seed);
    const Trace trace = runOf("a-master-that-returns-accepts-nothing", seed);
    constexpr Millis paused = 4000;
    constexpr Millis resumed = 13000;
    const auto failed = failedAfter(trace, paused);
    for (const TraceEvent& event : trace.events) {
      if (event.kind == "answered" && event.time > paused) CHECK(event.data.at("by") == 4);
    }
    const auto scheduled = firstTime(trace, "scheduled", 4);
    const auto asked = firstTime(trace, "asked_votes", 4);
    const auto promoted = firstTime(trace, "promoted", 4);
    const auto follows = firstTime(trace, "follows", 1);
    REQUIRE((failed && scheduled && asked && promoted && follows));
    found.push_back(*failed);
    // Redis 7.0.15: 866 ms, and elected 6 ms after that.
    CHECK(*asked - *scheduled >= 500);
    CHECK(*asked - *scheduled <= 999);
    CHECK(*promoted - *asked <= 6);
    // A replica 2 ms after it goes on; the first answer to a client, after 36 ms, is MOVED.
    CHECK(*follows >= resumed);
    CHECK(*follows <= resumed + 2);
  }
  // 2923 ms; without a pause from 2216 to 3839 ms.
  CHECK(median(found) >= 2216);
  CHECK(median(found) <= 3839);
}

// ---- drawn runs

FuzzTarget clusterSwarm(const std::string& variant, const std::string& mutation = "") {
  FuzzTarget target{.protocol = "redis_cluster"};
  target.shape.knobs = knobsOf(FuzzPreset::swarm, findProtocol("redis_cluster")->fuzzSettings());
  target.overrides.variant = variant;
  if (!mutation.empty()) target.overrides.mutations.push_back(mutation);
  return target;
}

std::map<std::string, std::uint64_t> kindsFound(const FuzzTarget& target, std::uint64_t seeds,
                                                FuzzStatistics* statistics = nullptr) {
  std::map<std::string, std::uint64_t> kinds;
  const CampaignResult result = runCampaign(target, {0, seeds}, 1, {});
  for (const Finding& finding : result.findings) ++kinds[finding.failure.what];
  if (statistics != nullptr) *statistics = result.statistics;
  return kinds;
}

TEST_CASE("redis cluster: a drawn run that once failed violates nothing") {
  // A FAIL that waited for an acknowledgement was judged by the reports of the time when it was sent.
  CHECK(runCampaign(clusterSwarm("fixed"), {162'071, 162'072}, 1, {}).findings.empty());
}

TEST_CASE("redis cluster: in 300 drawn runs the repaired rules violate nothing") {
  FuzzStatistics statistics;
  CHECK(kindsFound(clusterSwarm("fixed"), 300, &statistics).empty());
  CHECK(statistics.obligations.size() == 17);
  for (const auto& entry : statistics.obligations) CHECK_MESSAGE(entry.second > 20, entry.first);
  for (const std::string_view type : {AuthRequest::name, AuthAck::name, Fail::name, Update::name})
    CHECK_MESSAGE(statistics.lost.contains(std::string(type)), type);
}

TEST_CASE("redis cluster: what ends no manual failover, and no report, violates nothing") {
  struct Row {
    const char* why;
    const char* scenario;
    const char* kind;  ///< of the event that was judged
    Millis at;
  };
  for (const Row& row : {
           Row{"an instruction that is refused ends no manual failover that has begun",
               R"({"kind": "scenario", "name": "refused", "protocol": "redis_cluster",
                   "config": {"node_timeout_ms": 1200},
                   "servers": [{"id": 1, "config_epoch": 1}, {"id": 2, "config_epoch": 1}, {"id": 3, "config_epoch": 1},
                               {"id": 4, "master": 1}, {"id": 5, "master": 2}],
                   "timing": {"datagrams": {"lost_permille": 82, "doubled_permille": 82, "until": 6100}},
                   "choices": {"datagram bus 3->4 #5": 918},
                   "steps": [
                     {"when": {"event": {"node": 1, "kind": "written", "record": "nodes_conf"}, "nth": 3, "by": 5900},
                      "kill": 1},
                     {"when": {"event": {"node": 3, "kind": "sent", "type": "FAILOVER_AUTH_ACK"}, "nth": 2, "by": 5900},
                      "power_loss": 3},
                     {"at": 900, "server": 4, "failover": true}, {"at": 2800, "server": 4, "failover": true}],
                   "until": 5703})",
               "asked_votes", 5702},
           Row{"the timer that forgets a report stands still with its process",
               R"({"kind": "scenario", "name": "paused", "protocol": "redis_cluster",
                   "config": {"node_timeout_ms": 500}, "servers": [{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4},
                               {"id": 5, "master": 1}, {"id": 6, "master": 2}, {"id": 7, "master": 3},
                               {"id": 8, "master": 4}],
                   "timing": {"datagrams": {"lost_permille": 148, "doubled_permille": 26, "until": 10100}},
                   "choices": {"datagram bus 2->8 #7": 852, "datagram bus 8->2 #0": 852},
                   "steps": [
                     {"when": {"event": {"node": 7, "kind": "written", "record": "nodes_conf"}, "nth": 2, "by": 5900},
                      "kill": 8},
                     {"at": 700, "start": 3}, {"at": 1000, "pause": 8}, {"at": 4000, "resume": 8},
                     {"at": 10100, "start": [1, 3, 6, 7, 8]}],
                   "until": 4001})",
               "flagged", 4000},
       }) {
    CAPTURE(row.why);
    const Trace trace = runScenario(readCase("f", parseJson("f", row.scenario)).scenario).trace;
    CHECK(std::any_of(trace.events.begin(), trace.events.end(), [&](const TraceEvent& event) {
      return event.kind == row.kind && event.time >= row.at;
    }));
    for (const TraceVerdict& verdict : trace.verdicts)
      CHECK_MESSAGE(verdict.verdict != "violated", verdict.text);
  }
}

TEST_CASE("redis cluster: drawn runs find each change within some seeds, by the invariant it violates") {
  struct Drawn {
    const char* mutation;
    std::uint64_t seeds;
    const char* breaks;
    const char* variant = "fixed";
  };
  // Scenarios show these: 001-C5, two-winners-of-one-epoch.
  std::set<std::string_view> drawn_for{"rc_rank_ignored", "rc_winner_votes"};
  for (const Drawn& row : std::vector<Drawn>{
           {"rc_vote_not_durable", 20, "vote-durable"},
           {"rc_ack_dup_counts", 100, "winner-has-majority"},
           {"rc_no_fail_precondition", 50, "votes-for-failed"},
           // With the repairs once in some thousand seeds: a master votes less often.
           {"rc_no_config_epoch_check", 500, "votes-know-owners", "real"},
           {"rc_last_claim_wins", 50, "slot-epoch-grows"},
           {"rc_no_minority_stop", 20, "served-by-majority"},
           {"rc_manual_no_pause", 100, "manual-failover-loses-nothing"},
           {"rc_manual_no_offset", 60, "manual-failover-loses-nothing"},
           {"rc_answers_unexecuted", 10, "answers-as-executed"},
           {"rc_replica_keeps_more", 50, "copies-as-sent"},
           {"rc_tells_no_offset", 10, "packets-true"},
           {"rc_fail_alone", 20, "fail-by-majority"},
           {"rc_suspects_early", 50, "waits-long-enough"},
           {"rc_old_data_stand", 100, "too-old-does-not-stand"},
           {"rc_votes_for_everyone", 20, "votes-as-asked"},
           {"rc_client_mixes_answers", 200, "client-told-true"},
           {"rc_no_epoch_collision_fix", 20, "stall: config epochs collide"},
       }) {
    CAPTURE(row.mutation);
    drawn_for.insert(row.mutation);
    CHECK_MESSAGE(kindsFound(clusterSwarm(row.variant, row.mutation), row.seeds).contains(row.breaks),
                  row.breaks);
  }
  for (const Mutation& mutation : ruleTables().mutations)
    CHECK_MESSAGE(drawn_for.contains(mutation.name), mutation.name);
}

}  // namespace
}  // namespace zablab::redis_cluster
