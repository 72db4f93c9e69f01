// Checkpoints: a search that another process goes on with ends as one that was never stopped.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "checker/check/check.h"
#include "checker/check/checkpoint.h"
#include "checker/protocol.h"
#include "tests/program.h"
#include "tests/searches.h"
#include "tests/shipped.h"

namespace zablab {
namespace {

std::string fileIn(const Folder& folder) { return checkpointPath(folder.path()); }

/// A millisecond passes whenever it is read.
std::function<std::uint64_t()> clockOfTest() {
  return [now = std::uint64_t{0}]() mutable { return ++now; };
}

CheckOptions keeping(const Folder& folder, unsigned threads = 1) {
  CheckOptions options;
  options.threads = threads;
  options.clock = clockOfTest();
  options.checkpoint.directory = folder.path();
  return options;
}

void checkSame(const CheckResult& result, const CheckResult& whole) {
  checkSameCounts(result, whole);
  CHECK(result.scenario == whole.scenario);
}

TEST_CASE(
    "checkpoints: in every protocol a search that was stopped often finds what one finds that was not") {
  for (const LoadedModel& model : someModels()) {
    CAPTURE(model.spec.name);
    CheckOptions to_depth;
    to_depth.depth_max = 20;
    const CheckResult whole = check(model, to_depth);
    REQUIRE(whole.verdict != "violated");
    const Folder folder;
    std::uint64_t processes = 0;
    CheckResult result;
    do {
      CheckOptions options = keeping(folder, 1 + static_cast<unsigned>(processes % 2));
      options.milliseconds_max = 20;
      options.depth_max = to_depth.depth_max;
      const std::uint64_t before = result.distinct;
      result = check(model, options);
      CHECK(result.resumed == before);
      REQUIRE(++processes < 200);
    } while (result.stopped_by == "time");
    CHECK(processes > 2);
    checkSame(result, whole);
    CHECK(folder.names().empty() == whole.exhausted);
  }
}

Json electionText() {
  return loadCase(std::string(ZABLAB_SOURCE_DIR) + "/scenarios/models/election-3.json")
      .model.document.plain();
}

TEST_CASE("checkpoints: a process that is killed loses only what came after the last one") {
  const LoadedModel model = modelOf(electionText());
  const CheckResult whole = check(model, {});
  const Folder folder;
  for (const std::uint64_t lives : {25, 25, 25}) {
    const pid_t child = fork();
    if (child == 0) {
      CheckOptions options = keeping(folder);
      options.checkpoint.every_milliseconds = 5;
      options.clock = [lives, now = std::uint64_t{0}]() mutable {
        if (++now > lives) raise(SIGKILL);
        return now;
      };
      check(model, options);
      _exit(0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGKILL);
    CHECK(fs::exists(fileIn(folder)));
  }
  const CheckResult result = check(model, keeping(folder));
  CHECK(result.resumed > 0);
  CHECK(result.resumed < whole.distinct);
  checkSame(result, whole);
}

TEST_CASE("checkpoints: a limit that stopped a search stops it again, and without it the search goes on") {
  const LoadedModel model = modelOf(electionText());
  const CheckResult whole = check(model, {});
  for (const bool on_disk : {false, true}) {
    CAPTURE(on_disk);
    const Folder folder, scratch;
    CheckOptions options = keeping(folder);
    if (on_disk) options.scratch = scratch.path();
    options.states_max = 1000;
    const CheckResult first = check(model, options);
    CHECK(first.stopped_by == "states");
    const CheckResult again = check(model, options);
    CHECK(again.stopped_by == "states");
    CHECK(again.resumed == first.distinct);
    CHECK(again.generated == first.generated);
    options.states_max = 0;
    checkSame(check(model, options), whole);
  }
}

TEST_CASE("checkpoints: goals are met in the same states, by the same ways") {
  for (const char* kind : {"reach", "never"}) {
    CAPTURE(kind);
    Json text = electionText();
    text.erase("reach");
    for (const char* id : {"2", "3"})
      text[kind].push_back({{"name", std::string(id) + " leads"}, {"state", {{id, {{"role", "LEADING"}}}}}});
    const LoadedModel model = modelOf(text);
    const CheckResult whole = check(model, {});
    REQUIRE(whole.scenario);
    const Folder folder;
    CheckResult result;
    do {
      CheckOptions options = keeping(folder);
      options.checkpoint.every_milliseconds = 1;
      options.milliseconds_max = 8;
      result = check(model, options);
    } while (result.stopped_by == "time");
    checkSame(result, whole);
  }
}

TEST_CASE("checkpoints: a counterexample is found as without them") {
  Json text = electionText();
  text["mutations"].push_back("fle_join_without_quorum");
  const LoadedModel model = modelOf(text);
  const CheckResult whole = check(model, {});
  REQUIRE(whole.verdict == "violated");
  const Folder folder;
  CheckOptions options = keeping(folder, 2);
  options.depth_max = 4;
  CHECK(check(model, options).stopped_by == "depth");
  options.depth_max = 0;
  const CheckResult result = check(model, options);
  CHECK(result.violated == whole.violated);
  CHECK(result.scenario == whole.scenario);
  CHECK(folder.names().empty());
}

TEST_CASE("checkpoints: a full disk keeps the last one, and the search goes on") {
  const LoadedModel model = modelOf(electionText());
  const CheckResult whole = check(model, {});
  const Folder folder;
  CheckOptions options = keeping(folder);
  options.states_max = 100;
  check(model, options);
  const std::string last = contentsOf(fileIn(folder));
  std::vector<std::string> warnings;
  options.states_max = 10'000;
  options.checkpoint.warn = [&](const std::string& text) { warnings.push_back(text); };

  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = last.size() + 100;
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const CheckResult result = check(model, options);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, ignored);

  CHECK(result.stopped_by == "states");
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front().find("no checkpoint could be written to") == 0);
  CHECK(warnings.front().find(folder.path()) != std::string::npos);
  CHECK(contentsOf(fileIn(folder)) == last);
  CHECK(folder.names().size() == 1);
  options.states_max = 0;
  checkSame(check(model, options), whole);
}

TEST_CASE("checkpoints: what is another search's, or damaged, is refused and kept") {
  const LoadedModel model = modelOf(electionText());
  const Folder folder;
  CheckOptions stopped = keeping(folder);
  stopped.states_max = 1000;
  check(model, stopped);
  const std::string good = contentsOf(fileIn(folder));
  const auto refusal = [&](const LoadedModel& other, const std::string& bytes) -> std::string {
    std::ofstream(fileIn(folder), std::ios::binary) << bytes;
    try {
      check(other, keeping(folder));
    } catch (const InputError& error) {
      CHECK(error.file == fileIn(folder));
      CHECK(!error.hint.empty());
      CHECK(contentsOf(fileIn(folder)) == bytes);
      return error.message;
    }
    return "nothing was refused";
  };
  const auto changed = [](const char* key, Json value) {
    Json text = electionText();
    text[key] = std::move(value);
    return modelOf(text);
  };
  CHECK(refusal(changed("name", "another"), good) ==
        "this checkpoint is that of another model, " + inBackticks(model.spec.name));
  const std::string other = "this checkpoint is that of a model with other bounds, rules or invariants";
  CHECK(refusal(changed("bounds", {{"timeouts", 2}}), good) == other);
  CHECK(refusal(changed("invariants", {"vote-order"}), good) == other);
  CHECK(refusal(model, "") == "the checkpoint is damaged");
  CHECK(refusal(model, "{\"kind\": \"scenario\"}") == "this is not a checkpoint, or that of another version");
  for (const std::size_t part : {1, 2, 3}) {
    const std::size_t at = good.size() * part / 4;
    CHECK(refusal(model, good.substr(0, at)) == "the checkpoint is damaged");
    std::string flipped = good;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    CHECK(refusal(model, flipped) == "the checkpoint is damaged");
  }
  {
    CheckpointWriter file(folder.path(), {});
    file.put(CheckpointIdentity{model.spec.name, 1, 2});
    REQUIRE(file.finish().empty());
  }
  CHECK(refusal(model, contentsOf(fileIn(folder))) ==
        "this checkpoint was written by another program or version");
  CheckOptions small = keeping(folder);
  std::ofstream(fileIn(folder), std::ios::binary) << good;
  small.memory_max = 4096;
  CHECK_THROWS_WITH_AS(check(model, small), doctest::Contains("grant it more with --memory"), InputError);
}

}  // namespace
}  // namespace zablab
