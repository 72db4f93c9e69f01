// Kafka's controller and partitions: drawn runs, the form of a partition's state, and rules that are used.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checker/execute.h"
#include "checker/fuzz/campaign.h"
#include "checker/kafka/check.h"
#include "checker/kafka/moves.h"
#include "checker/protocol.h"
#include "protocol/kafka/rules.h"
#include "protocol/kafka/types.h"
#include "sim/kafka/binding.h"
#include "tests/lookups.h"

namespace zablab::kafka {
namespace {

TEST_CASE("kafka: a partition's state is read as it was written") {
  for (const Partition& partition :
       std::vector<Partition>{{}, {1, 2, {1, 3}, 4}, {no_server, 0, {}, 0}, {12, 100, {12}, 7}})
    CHECK(partitionOf(textOf(partition)) == partition);
  CHECK(textOf({1, 2, {1, 3}, 4}) == "leader=1 leader_epoch=2 isr=1,3 controller_epoch=4");
  for (const std::string_view text : {"", "leader=1", "leader=x leader_epoch=2 isr=1 controller_epoch=4",
                                      "leader=1 leader_epoch=2 isr=1,,3 controller_epoch=4"})
    CHECK_MESSAGE(!partitionOf(text), text);
}

// ---- searches

LoadedModel shippedModel(const std::string& name, const std::string& mutation = "") {
  LoadedModel model = loadCase(ZABLAB_SOURCE_DIR "/scenarios/models/" + name + ".json").model;
  if (!mutation.empty()) model.spec.mutations.push_back(mutation);
  return model;
}

TEST_CASE("kafka: looked-up results of steps and monitors equal the computed ones") {
  lookups::Compared tally;
  for (const char* model : {"kafka-3", "kafka-2-restart", "kafka-2-record-restart"}) {
    for (const char* mutation : {"", "kafka_no_epoch", "kafka_leader_epoch_kept"})
      lookups::compare(prepared<Family>(shippedModel(model, mutation)), 20, 60, tally);
  }
  CHECK(tally.steps > 4'000);
  CHECK(tally.violations > 0);
}

/// Passes on everything that happens.
struct Watched : IdleEnvironment<Any> {
  static constexpr bool watches = true;
  Listener<Family>* listener = nullptr;
  void tell(const AnyHappened& happened) { listener->on(Typed<Family>::happened(happened)); }
};

TEST_CASE("kafka: a search begins with the memories of monitors that have watched the start") {
  const Prepared model = prepared<Family>(shippedModel("kafka-3"));
  const auto& cluster = model.cluster().as<Family>();

  auto ledger = std::make_unique<Ledger>(cluster);
  Ledger& book = *ledger;
  const auto monitors = monitorsWith(std::move(ledger));
  Watched environment;
  environment.listener = monitors.get();
  DirectStore<Any> store(model.cluster());
  World<DirectStore<Any>, Watched> world(model.cluster(), store, environment);
  performStart(model.scenario, model.setup, store, world);
  for (const Action<Any>& action : model.connecting) world.apply(action);
  REQUIRE(store.value() == model.start);

  CheckOf<Family> check(cluster);
  const auto [owns, shared] = check.memoriesOf(Typed<Family>::world(model.start));
  for (int i = 0; i < store.size(); ++i) CHECK(owns[static_cast<std::size_t>(i)] == book.own(i));
  CHECK(shared == book.shared());
  CHECK(shared.claimer == 1);
  CHECK(shared.epoch == 1);
  REQUIRE(shared.partition);
  CHECK(shared.partition->isr.size() == 3);
}

// ---- drawn runs

std::map<std::string, std::uint64_t> kindsDrawn(const std::string& mutation, SeedRange seeds,
                                                FuzzStatistics* statistics = nullptr) {
  FuzzTarget target{.protocol = "kafka"};
  target.shape.knobs = knobsOf(FuzzPreset::swarm, findProtocol("kafka")->fuzzSettings());
  if (!mutation.empty()) target.overrides.mutations.push_back(mutation);
  std::map<std::string, std::uint64_t> kinds;
  const CampaignResult result = runCampaign(target, seeds, 1, {});
  for (const Finding& finding : result.findings) ++kinds[finding.failure.what];
  if (statistics != nullptr) *statistics = result.statistics;
  return kinds;
}

TEST_CASE("kafka: in 200 drawn runs Kafka's rules violate nothing") {
  FuzzStatistics statistics;
  CHECK(kindsDrawn("", {0, 200}, &statistics).empty());
  CHECK(statistics.obligations.size() == 27);
  for (const auto& entry : statistics.obligations) CHECK_MESSAGE(entry.second > 100, entry.first);
}

TEST_CASE("kafka: drawn runs that once failed violate nothing") {
  // 32: the next session had the id of the last one, and was not noticed. 190: ZooKeeper's server had ended
  // before it applied a claim that was on its disk. 636: a client was content with a broker that knows no
  // controller. 3572: a late reply was taken for that of the next request. 7468: a claim failed, and
  // /controller was gone.
  // 42: a request of the controller came before the broker knew that it was registered. 245: the preferred
  // leader was asked for before the controller had read who is alive. 5850, 13772: a leader whose session
  // had ended took its last write of the ISR for not made. 14522: nobody leads in the latest leader epoch.
  // 42132: a controller did not connect again after a connection was refused.
  // 131991, 152498: a late answer to a write of the ISR was taken for that to the next one, of another leader
  // epoch. 102304: a record that was answered a moment before its broker followed another one counted as
  // lost.
  for (const std::uint64_t seed : std::vector<std::uint64_t>{1, 32, 42, 190, 245, 636, 3572, 5850, 7468,
                                                             13772, 14522, 42132, 102304, 131991, 152498})
    CHECK_MESSAGE(kindsDrawn("", {seed, seed + 1}).empty(), seed);
}

TEST_CASE("kafka: drawn runs find each change within some seeds, by what it violates") {
  struct Drawn {
    const char* mutation;
    SeedRange seeds;
    const char* breaks;
  };
  std::set<std::string_view> drawn_for;
  for (const Drawn& row : std::vector<Drawn>{
           {"kafka_no_epoch", {0, 5}, "epoch-raised"},
           {"kafka_no_zk_epoch_check", {0, 50}, "controller-writes"},
           {"kafka_no_broker_epoch_check", {61, 62}, "older-controller-refused"},
           {"kafka_leader_epoch_kept", {0, 10}, "one-leader-in-epoch"},
           {"kafka_assignment_ignored", {0, 30}, "first-live-leads"},
           {"kafka_no_own_znode_check", {604, 605}, "stall: no controller"},
           {"kafka_stale_ephemeral", {0, 10}, "stall: no service"},
           {"kafka_change_without_election", {846, 847}, "stall: no controller"},
           {"kafka_watch_not_rearmed", {0, 80}, "stall: no controller"},
           {"kafka_no_kip380", {0, 20}, "requests-for-this-process"},
           {"kafka_unclean", {0, 50}, "acknowledged-kept"},
           {"kafka_truncate_to_hw", {44, 45}, "acknowledged-by-all"},
           {"kafka_truncate_to_hw", {129, 130}, "acknowledged-kept"},
           {"kafka_isr_shrink_without_store", {0, 10}, "committed-as-fetched"},
           {"kafka_isr_shrink_without_store", {115, 116}, "committed-agree"},
           {"kafka_isr_version_ignored", {0, 80}, "controller-writes"},
           {"kafka_no_flush", {110, 111}, "acknowledged-kept"},
           {"kafka_no_flush", {171, 172}, "acknowledged-by-all"},
           {"kafka_no_flush", {20, 21}, "followers-match"},
           {"kafka_answers_unappended", {0, 50}, "producers-answered"},
           {"kafka_min_isr_ignored", {0, 20}, "enough-in-sync"},
           {"kafka_reads_uncommitted", {0, 10}, "consumed-is-committed"},
           {"kafka_commits_alone", {0, 10}, "committed-as-fetched"},
           {"kafka_new_records_wait", {0, 10}, "fetches-answered"},
           {"kafka_high_watermark_not_taken", {0, 10}, "followers-copy"},
           {"kafka_fetch_not_repeated", {0, 10}, "followers-ask"},
           {"kafka_isr_shrinks_early", {0, 20}, "isr-as-fetched"},
           {"kafka_isr_assumed_written", {0, 50}, "isr-as-written"},
           {"kafka_same_leader_epoch_taken", {0, 10}, "requests-obeyed"},
           {"kafka_refusal_taken_for_done", {0, 10}, "client-told-true"},
           {"kafka_does_not_resign", {0, 20}, "elects-by-answers"},
           {"kafka_tells_all_in_sync", {0, 10}, "told-as-read"},
           {"kafka_isr_of_leader_alone", {0, 30}, "state-as-ruled"},
           {"kafka_dead_stay_in_sync", {0, 10}, "controller-decides"},
           {"kafka_preferred_ignored", {0, 50}, "preferred-elected"},
           {"kafka_no_request_retry", {0, 5}, "brokers-reached"},
       }) {
    CAPTURE(row.mutation);
    drawn_for.insert(row.mutation);
    CHECK_MESSAGE(kindsDrawn(row.mutation, row.seeds).contains(row.breaks), row.breaks);
  }
  for (const Mutation& mutation : ruleTables().mutations)
    CHECK_MESSAGE(drawn_for.contains(mutation.name), mutation.name);
}

}  // namespace
}  // namespace zablab::kafka
