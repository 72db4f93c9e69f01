// Histories of what clients asked and were answered: `zablab render -o run.edn` and `run.history.json`.
#include "viz/export/history.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "checker/execute.h"
#include "tests/shipped.h"

namespace zablab::viz {
namespace {

Trace shipped(const std::string& name) {
  return runScenario(loadCase(ZABLAB_SOURCE_DIR "/scenarios/" + name + ".json").scenario).trace;
}

/// Each operation's beginning or end as `type f value` of its client.
std::vector<std::string> linesOf(const Trace& trace) {
  const Json history = Json::parse(toHistoryJson(trace, {}));
  std::vector<std::string> lines;
  for (const Json& entry : history.at("operations")) {
    lines.push_back(entry.at("client").dump() + " " + entry.at("type").get<std::string>() + " " +
                    entry.at("f").get<std::string>() + " " + entry.at("value").dump() +
                    (entry.contains("error") ? " " + entry.at("error").get<std::string>() : ""));
  }
  return lines;
}

TEST_CASE("history: what the registers' clients did, in Jepsen's terms") {
  // A client reads 2, connects to a server that is behind and refuses it, and reads 2 again.
  CHECK(linesOf(shipped("broadcast/000-R2-a-server-that-is-behind-refuses")) ==
        std::vector<std::string>{"102 invoke write 2", "102 ok write 2", "101 invoke read null",
                                 "101 ok read 2", "101 invoke read null", "101 info read null unknown",
                                 "101 invoke read null", "101 ok read 2"});
}

TEST_CASE(
    "history: a compare-and-set that was refused has failed, and one process does one thing at a time") {
  Trace trace;
  trace.header = {{"nodes", Json::array()},
                  {"calls",
                   {{"name", "operation"},
                    {"asked_number", "number"},
                    {"answered_number", "request"},
                    {"outcome", "outcome"},
                    {"done", "ok"},
                    {"unknown", {"lost"}},
                    {"functions",
                     {{"cas", {{"f", "cas"}, {"takes", {"expected", "value"}}}},
                      {"read", {{"f", "read"}, {"gives", "value"}}}}}}}};
  const auto add = [&](std::int64_t client, const char* kind, Json data) {
    TraceEvent event;
    event.index = trace.events.size();
    event.time = static_cast<Millis>(trace.events.size());
    event.node = client;
    event.kind = kind;
    event.data = std::move(data);
    trace.events.push_back(std::move(event));
  };
  const auto ask = [&](std::int64_t client, const char* operation, int number) {
    add(client, "asked", {{"operation", operation}, {"number", number}, {"expected", 1}, {"value", 2}});
  };
  const auto answer = [&](std::int64_t client, const char* outcome, int number) {
    add(client, "answered", {{"operation", "?"}, {"request", number}, {"outcome", outcome}, {"value", 7}});
  };
  ask(5, "cas", 1);
  ask(5, "read", 2);     // at the same time
  ask(6, "connect", 3);  // no operation of the service
  answer(5, "refused", 1);
  ask(5, "read", 4);
  answer(5, "lost", 4);
  ask(5, "cas", 5);
  answer(5, "ok", 5);
  answer(6, "ok", 9);  // nobody asked
  CHECK(toEdn(trace, {}) ==
        "[{:index 0, :time 0, :type :invoke, :process 0, :client 5, :f :cas, :value [1 2]}\n"
        " {:index 1, :time 1000000, :type :invoke, :process 1, :client 5, :f :read, :value nil}\n"
        " {:index 2, :time 3000000, :type :fail, :process 0, :client 5, :f :cas, :value [1 2], "
        ":error \"refused\"}\n"
        " {:index 3, :time 4000000, :type :invoke, :process 0, :client 5, :f :read, :value nil}\n"
        " {:index 4, :time 5000000, :type :info, :process 0, :client 5, :f :read, :value nil, "
        ":error \"lost\"}\n"
        " {:index 5, :time 6000000, :type :invoke, :process 2, :client 5, :f :cas, :value [1 2]}\n"
        " {:index 6, :time 7000000, :type :ok, :process 2, :client 5, :f :cas, :value [1 2]}]\n");
}

TEST_CASE("history: ZooKeeper's operations have what was asked and what was answered") {
  const Json history = Json::parse(toHistoryJson(shipped("clients/002-D2-refusals"), {}));
  std::map<std::string, int> ends;
  bool created = false, refused = false;
  for (const Json& entry : history.at("operations")) {
    ++ends[entry.at("type")];
    CHECK(entry.at("f") != "connect");
    if (entry.at("f") != "create" || entry.at("type") == "invoke") continue;
    if (entry.at("type") == "ok") {
      created = true;
      CHECK(entry.at("value").at("asked").contains("create"));
      CHECK(entry.at("value").at("result").at("error") == "OK");
    }
    refused = refused || (entry.at("type") == "fail" && entry.at("error") == "NOCHILDRENFOREPHEMERALS");
  }
  CHECK(created);
  CHECK(refused);
  CHECK(ends["invoke"] == ends["ok"] + ends["fail"] + ends["info"]);
  CHECK(toEdn(shipped("clients/002-D2-refusals"), {}).find(":f :create, :value {:create \"/") !=
        std::string::npos);
}

class Processes : public TraceReader {
 public:
  void read(const std::string& path, const Case& one, const Outcome& outcome) override {
    if (one.scenario.spec.clients.empty()) return;
    const auto expect = [&](bool holds, const char* what) {
      if (!holds) wrong.insert(path + ": " + what);
    };
    Json history;
    try {
      history = Json::parse(toHistoryJson(outcome.trace, {}));
    } catch (const InputError& error) {
      expect(error.message.find("no requests of clients") != std::string::npos, error.message.c_str());
      return;
    }
    ++histories;
    std::map<std::int64_t, std::string> last;
    std::map<std::int64_t, std::int64_t> client_of;
    std::int64_t time = 0;
    for (const Json& entry : history.at("operations")) {
      const auto process = entry.at("process").get<std::int64_t>();
      expect(entry.at("time").get<std::int64_t>() >= time, "time goes back");
      time = entry.at("time").get<std::int64_t>();
      const auto client = entry.at("client").get<std::int64_t>();
      expect(client_of.try_emplace(process, client).first->second == client, "a process of two clients");
      const std::string type = entry.at("type");
      const std::string& before = last[process];
      if (type == "invoke") {
        expect(before.empty() || before == "ok" || before == "fail", "invoked after `info`, or twice");
      } else {
        expect(before == "invoke", "an end without a beginning");
      }
      last[process] = type;
    }
  }
  std::set<std::string> wrong;
  int histories = 0;
} processes;

TEST_CASE(
    "history: in every shipped scenario with clients each process is sequential, and silent after `info`") {
  TraceReader::readAll();
  for (const std::string& problem : processes.wrong) FAIL_CHECK(problem);
  CHECK(processes.histories > 40);
}

TEST_CASE("history: what cannot be written is refused, and a damaged header breaks nothing") {
  LadderOptions part;
  part.from = Bound{Bound::Unit::time_ms, 10};
  CHECK_THROWS_WITH_AS(toEdn(shipped("clients/002-D1-stat"), part),
                       doctest::Contains("a history is of a whole run"), InputError);
  CHECK_THROWS_WITH_AS(toEdn(shipped("election/000-F1-three-servers-start"), {}),
                       doctest::Contains("no requests of clients"), InputError);
  const Trace whole = shipped("broadcast/000-R2-1-after-2-as-documented");
  for (const Json& calls :
       {Json(), Json(1), Json::array({1}), Json{{"functions", 3}}, Json{{"functions", {{"put", 1}}}},
        Json{{"name", "operation"}, {"asked_number", 3}}, Json{{"name", 7}, {"unknown", "x"}},
        Json{{"name", "operation"},
             {"asked_number", "number"},
             {"answered_number", "number"},
             {"functions", {{"put", {{"f", "write"}, {"takes", 3}}}}}}}) {
    Trace trace = whole;
    trace.header["calls"] = calls;
    CAPTURE(calls);
    try {
      toEdn(trace, {});
    } catch (const InputError&) {
    }
  }
}

}  // namespace
}  // namespace zablab::viz
