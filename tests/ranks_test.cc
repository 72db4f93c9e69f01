// Searches by several processes: in the tests each is a thread of its own.
#include <doctest/doctest.h>

#include <algorithm>
#include <barrier>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "checker/check/check.h"
#include "checker/check/ranks.h"
#include "checker/execute.h"
#include "tests/searches.h"
#include "tests/shipped.h"

namespace zablab {
namespace {

/// What they send each other: by sender and receiver.
struct Post {
  explicit Post(unsigned ranks) : sent(ranks, std::vector<Bytes>(ranks)), barrier(ranks) {}
  std::vector<std::vector<Bytes>> sent;
  std::barrier<> barrier;
};

class ThreadRanks : public Ranks {
 public:
  ThreadRanks(Post& post, unsigned own) : post_(post), own_(own) {}
  unsigned own() const override { return own_; }
  unsigned count() const override { return static_cast<unsigned>(post_.sent.size()); }
  std::vector<Bytes> exchange(std::vector<Bytes> to) override {
    post_.sent[own_] = std::move(to);
    post_.barrier.arrive_and_wait();
    std::vector<Bytes> received;
    for (const auto& from : post_.sent) received.push_back(from[own_]);
    post_.barrier.arrive_and_wait();
    return received;
  }

 private:
  Post& post_;
  unsigned own_;
};

/// The results of all ranks; what one of them throws, in `thrown`.
std::vector<CheckResult> checkWith(unsigned count, const std::vector<LoadedModel>& models,
                                   const CheckOptions& options, std::vector<std::string>* thrown = nullptr) {
  Post post(count);
  std::vector<CheckResult> results(count);
  std::vector<std::string> errors(count);
  std::vector<std::thread> threads;
  for (unsigned rank = 0; rank < count; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadRanks ranks(post, rank);
      CheckOptions own = options;
      own.ranks = &ranks;
      try {
        results[rank] = check(models[rank % models.size()], own);
      } catch (const std::exception& error) {
        errors[rank] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (thrown != nullptr) {
    *thrown = errors;
  } else {
    for (const std::string& error : errors) CHECK(error == "");
  }
  return results;
}

LoadedModel shipped(const std::string& name, const std::string& mutation = "") {
  LoadedModel model = loadCase(ZABLAB_SOURCE_DIR "/scenarios/models/" + name + ".json").model;
  if (mutation.empty()) return model;
  Json text = model.document.plain();
  text["mutations"].push_back(mutation);
  return modelOf(text);
}

TEST_CASE("ranks: in every protocol two, three or four find what one process finds") {
  unsigned count = 1;
  for (const LoadedModel& model : someModels()) {
    CAPTURE(model.spec.name);
    count = count == 4 ? 2 : count + 1;
    CAPTURE(count);
    CheckOptions options;
    options.depth_max = 16;
    const CheckResult whole = check(model, options);
    REQUIRE(whole.verdict != "violated");
    const std::vector<CheckResult> results = checkWith(count, {model}, options);
    for (const CheckResult& result : results) {
      checkSameCounts(result, whole);
      CHECK(result.exhausted == whole.exhausted);
      CHECK(result.stopped_by == whole.stopped_by);
    }
    // Of the states that are found, one of `count` is the rank's own.
    CHECK(results[0].states_sent > whole.distinct / 2 * (count - 1) / count);
    CHECK(results[0].states_sent < whole.generated);
  }
}

TEST_CASE(
    "ranks: a counterexample is made of what each rank knows of it, is as short, and violates the same") {
  struct Row {
    std::string name, mutation;
  };
  for (const Row& row : std::vector<Row>{{"election-3", "fle_join_without_quorum"},
                                         {"generations-2-a-voter-loses-its-disk", ""},
                                         {"kafka-2-break", "kafka_no_own_znode_check"},
                                         {"contenders-2-break", "recipe_looks_after_sync"}}) {
    CAPTURE(row.name);
    const LoadedModel model = shipped(row.name, row.mutation);
    const CheckResult whole = check(model, {});
    REQUIRE(whole.verdict == "violated");
    const std::vector<CheckResult> results = checkWith(3, {model}, {});
    for (const CheckResult& result : results) {
      checkSameCounts(result, whole);
      CHECK(result.length == whole.length);
      CHECK(result.scenario == results[0].scenario);
    }
    REQUIRE(results[0].scenario);
    // What a state violates by itself, the monitors of a run do not report.
    CHECK(results[0].scenario->contains("expect") == whole.scenario->contains("expect"));
    if (!whole.scenario->contains("expect")) continue;
    const Case told = readCase("found", JsonValue::fromJson(*results[0].scenario, "found"));
    const Trace trace = runScenario(told.scenario).trace;
    CHECK(std::any_of(trace.verdicts.begin(), trace.verdicts.end(), [&](const TraceVerdict& verdict) {
      return verdict.name == whole.violated && verdict.verdict == "violated";
    }));
  }
}

TEST_CASE("ranks: a goal is reached at the same depth, by a way of as many actions") {
  for (const char* name : {"kafka-2-restart", "sentinel-3-partition", "generations-4"}) {
    CAPTURE(name);
    CheckOptions options;
    options.depth_max = 12;
    const LoadedModel model = shipped(name);
    const CheckResult whole = check(model, options);
    for (const CheckResult& result : checkWith(2, {model}, options)) {
      checkSameCounts(result, whole);
      CHECK(result.length == whole.length);
      CHECK(result.scenario.has_value() == whole.scenario.has_value());
    }
  }
}

TEST_CASE("ranks: a limit stops all of them") {
  const LoadedModel model = shipped("kafka-2-restart");
  CheckOptions options;
  options.states_max = 3000;
  const CheckResult whole = check(model, options);
  for (const CheckResult& result : checkWith(2, {model}, options)) {
    checkSameCounts(result, whole);
    CHECK(result.stopped_by == "states");
  }
  options.states_max = 0;
  options.memory_max = std::uint64_t{1} << 20;
  for (const CheckResult& result : checkWith(2, {model}, options)) {
    CHECK(result.verdict == "undecided");
    CHECK(result.stopped_by == "memory");
  }
}

TEST_CASE("ranks: different models are refused, and liveness is one process's") {
  std::vector<std::string> thrown;
  checkWith(2, {shipped("election-3"), shipped("election-3", "fle_half_is_a_quorum")}, {}, &thrown);
  for (const std::string& error : thrown) CHECK(error.find("search different models") != std::string::npos);
  checkWith(2, {shipped("an-election-with-a-one-way-cut")}, {}, &thrown);
  for (const std::string& error : thrown)
    CHECK(error.find("liveness is searched by one process") != std::string::npos);
}

}  // namespace
}  // namespace zablab
