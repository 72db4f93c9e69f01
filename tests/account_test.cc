// The account of a run: what clients were answered, who waits for whom, and what nobody can read any more.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "checker/execute.h"
#include "checker/fuzz/campaign.h"
#include "checker/protocol.h"
#include "tests/shipped.h"
#include "viz/explain.h"

namespace zablab {
namespace {

Trace runOfFile(const std::string& name) {
  const std::string path = ZABLAB_SOURCE_DIR "/scenarios/" + name + ".json";
  return runScenario(readCase(path, loadJson(path)).scenario).trace;
}
Trace runOfText(const std::string& text) {
  return runScenario(readCase("f", parseJson("f", text)).scenario).trace;
}

TEST_CASE("account: writes that clients were answered, and those that nobody can read, in every protocol") {
  struct Row {
    const char* protocol;
    const char* scenario;
    std::size_t lost;
  };
  // As the scenarios' documents say what becomes of the writes.
  constexpr Row rows[] = {
      {"zab", "recovery/000-C7b-an-acknowledged-P3-is-lost-naive", 1},
      {"zab", "recovery/000-C8-B-dies-too-and-P2-is-lost-naive", 1},
      {"leader_followers", "leader-followers/004-X1-a-vote-without-a-look-at-the-log", 1},
      {"redis_cluster", "redis-cluster/a-replica-with-less-data-is-elected", 1},
      {"kafka", "kafka/a-record-that-the-leader-alone-has-is-lost", 1},
      {"zookeeper", "clients/000-G1-requests-in-order", 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.scenario);
    const Trace trace = runOfFile(row.scenario);
    CHECK(trace.header.at("protocol") == row.protocol);
    const Json& clients = trace.header.at("clients");
    CHECK(clients.at("writes") > 0);
    CHECK(clients.at("lost").size() == row.lost);
    const std::string told = viz::explain(trace, 5);
    for (const Json& lost : clients.at("lost")) {
      const TraceEvent& answer = trace.events.at(lost.at("event").get<std::size_t>());
      CHECK(answer.node == lost.at("client").get<std::int64_t>());
      CHECK(lost.at("time").get<Millis>() >= answer.time);
      const TraceEvent& by = trace.events.at(lost.at("lost_by").get<std::size_t>());
      CHECK(by.time == lost.at("time").get<Millis>());
      CHECK(told.find("and nobody can read what it wrote since " + std::to_string(by.time) + " ms") !=
            std::string::npos);
    }
  }
}

TEST_CASE("account: where nobody leads, what is on no disk any more is lost when the last of them is gone") {
  struct Row {
    const char* protocol;
    const char* scenario;
    Millis lost_at;
  };
  const Row rows[] = {
      {"quorum_register", R"("servers": 3, "clients": [{"id": 101}], "until": 6000, "steps": [
         {"at": 1000, "client": 101, "write": 7}, {"at": 3000, "kill": [1, 2, 3]},
         {"at": 3100, "wipe": 1}, {"at": 3200, "wipe": 2}, {"at": 3300, "wipe": 3}])",
       3300},
      {"zab", R"("servers": 3, "clients": [{"id": 101}], "until": 12000, "steps": [
         {"at": 5000, "client": 101, "connect": 1}, {"at": 6000, "client": 101, "write": 7},
         {"at": 9000, "kill": [1, 2, 3]}, {"at": 9100, "wipe": 2}, {"at": 9200, "wipe": 3}, {"at": 9300, "wipe": 1}])",
       9300},
      {"external_store",
       R"("servers": [{"id": 1}, {"id": 11, "kind": "store"}, {"id": 12, "kind": "resource"}],
         "clients": [{"id": 101}], "until": 6000, "steps": [
         {"at": 2000, "client": 101, "write": 1}, {"at": 4000, "kill": 12}, {"at": 4500, "wipe": 12}])",
       4500},
  };
  for (const Row& row : rows) {
    CAPTURE(row.protocol);
    const Trace trace = runOfText(R"({"kind": "scenario", "name": "n", "protocol": ")" +
                                  std::string(row.protocol) + R"(", )" + row.scenario + "}");
    const Json& clients = trace.header.at("clients");
    CHECK(clients.at("writes") == 1);
    REQUIRE(clients.at("lost").size() == 1);
    CHECK(clients.at("lost")[0].at("time") == row.lost_at);
    const TraceEvent& by = trace.events.at(clients.at("lost")[0].at("lost_by").get<std::size_t>());
    CHECK(by.kind == "wiped");
    CHECK(trace.header.at("answer").back() == "1 write was acknowledged, and is lost");
  }
}

TEST_CASE("account: a client waits for the server that it has asked and that has not answered") {
  struct Row {
    const char* protocol;
    std::string scenario;
  };
  const std::string three = R"("kind": "scenario", "name": "n", "servers": 3, )";
  const auto asks = [](const std::string& what) {
    return R"("clients": [{"id": 101}], "until": 12000, "steps": [{"at": 5000, "client": 101, "connect": 1},
              {"at": 9000, "pause": [1, 2, 3]}, {"at": 9100, "client": 101, )" +
           what + "}]";
  };
  const Row rows[] = {
      {"zab", three + asks(R"("write": 7)")},
      {"zookeeper", three + R"("protocol": "zookeeper", )" + asks(R"("create": "/a")")},
      {"leader_followers", three + R"("protocol": "leader_followers", )" + asks(R"("write": 7)")},
  };
  for (const Row& row : rows) {
    CAPTURE(row.protocol);
    const Trace trace = runOfText("{" + row.scenario + "}");
    const Json& waiting = trace.header.at("clients").at("waiting");
    REQUIRE(waiting.size() == 1);
    CHECK(waiting[0].at("client") == 101);
    CHECK(waiting[0].at("since") == 9100);
    CHECK(waiting[0].at("for") == Json::array({1}));
    CHECK(trace.header.at("answer").back() == "client 101 has waited for server 1 since 9100 ms");
  }
}

TEST_CASE(
    "account: random runs see at rest, by this alone, that a server has answered what it does not keep") {
  struct Row {
    const char* protocol;
    const char* mutation;
  };
  for (const Row& row :
       {Row{"sentinel", "sentinel_answers_unexecuted"}, Row{"redis_cluster", "rc_answers_unexecuted"}}) {
    CAPTURE(row.mutation);
    FuzzTarget target{.protocol = row.protocol};
    target.shape.knobs = knobsOf(FuzzPreset::swarm, findProtocol(row.protocol)->fuzzSettings());
    target.invariants = {"a write is lost in place"};
    CHECK(runCampaign(target, {0, 10}, 1, {}).findings.empty());
    target.overrides.mutations.push_back(row.mutation);
    CHECK(runCampaign(target, {0, 10}, 1, {}).findings.size() >= 5);
  }
}

}  // namespace
}  // namespace zablab
