// What pages with the engine inside are answered (live/answer.h). That its module answers the same is tested
// in a browser (tests/browser/live.test.mjs).
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "checker/execute.h"
#include "checker/protocol.h"
#include "checker/why.h"
#include "live/answer.h"
#include "viz/outages.h"

namespace zablab {
namespace {

Json answered(const Json& request) { return Json::parse(live::answer(request.dump())); }

/// Of each protocol a scenario that is declared to violate something or, if there is none, the first.
std::vector<Case> oneOfEach() {
  std::map<const Protocol*, Case> chosen;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ZABLAB_SOURCE_DIR "/scenarios")) {
    if (entry.path().extension() != ".json" || entry.file_size() > 6000) continue;
    Case one = loadCase(entry.path().string());
    if (one.kind != Case::Kind::scenario) continue;
    const std::vector<ExpectSpec>& expect = one.scenario.spec.expect;
    const bool violates = std::any_of(expect.begin(), expect.end(), [](const ExpectSpec& each) {
      return each.invariant && each.invariant->verdict == "violated";
    });
    const Protocol* const protocol = &protocolOf(one.scenario);
    if (violates || !chosen.contains(protocol)) chosen[protocol] = std::move(one);
  }
  std::vector<Case> all;
  for (const Protocol* protocol : protocols()) all.push_back(chosen.at(protocol));
  return all;
}

}  // namespace

TEST_CASE("live: a run is answered with the bytes of its trace, and with what its violations needed") {
  std::size_t explained = 0;
  for (const Case& one : oneOfEach()) {
    CAPTURE(one.path);
    const std::string text = loadText(one.path);
    const std::string bytes = live::answer(Json{{"ask", "run"}, {"scenario", text}}.dump());
    Trace trace = runScenario(one.scenario).trace;
    const std::string written = traceText(trace);
    const std::size_t from = bytes.find("\"trace\":");
    REQUIRE(from != std::string::npos);
    CHECK(bytes.substr(from + 8) == written.substr(0, written.find_last_not_of('\n') + 1) + "}");
    const Json with_why = answered({{"ask", "run"}, {"scenario", text}, {"why", true}});
    CHECK(with_why.at("outages") == viz::outagesJson(trace));
    trace.why = whyOf(trace);
    if (trace.why.empty()) continue;
    CHECK(with_why.at("trace").at("why") == toJson(trace.why));
    ++explained;
  }
  CHECK(explained >= 4);
}

TEST_CASE("live: lists are the protocol's own") {
  for (const Protocol* protocol : protocols()) {
    const Json lists = answered({{"ask", "lists"}, {"protocol", std::string(protocol->name())}});
    CHECK(lists.at("variants").size() == protocol->variants().size());
    CHECK(lists.at("mutations").size() == protocol->mutations().size());
    CHECK(lists.at("rules").at(0).at("name") == protocol->rules().at(0).name);
  }
}

TEST_CASE("live: seeds are run until one violates something, and the answer has its scenario") {
  Json scenario{{"kind", "scenario"}, {"name", "n"}, {"servers", 3}, {"until", 3000}};
  const auto tried = [&](std::uint64_t from, std::uint64_t count) {
    return answered({{"ask", "seeds"}, {"scenario", scenario.dump()}, {"from", from}, {"count", count}});
  };
  CHECK(tried(5, 10) == Json{{"next", 15}});
  scenario["mutations"] = {"accepted_epoch_not_saved"};
  const Json found = tried(0, 50);
  REQUIRE_MESSAGE(found.contains("found"), found.dump());
  CHECK(found.at("next").get<std::uint64_t>() == found.at("seed").get<std::uint64_t>() + 1);
  const Json again = answered({{"ask", "run"}, {"scenario", found.at("found").dump()}});
  bool violated = false;
  for (const Json& one : again.at("trace").at("verdicts"))
    violated = violated || (one.at("name") == found.at("what") && one.at("verdict") == "violated");
  CHECK(violated);
}

TEST_CASE("live: a scenario's servers are searched as a model, and what is found is a scenario") {
  const std::string text = R"({"kind": "scenario", "name": "n", "about": "a", "servers": 2, "until": 3000,
    "mutations": ["fle_half_is_a_quorum"], "steps": [{"at": 1000, "kill": 1}]})";
  Json model = answered({{"ask", "model"}, {"scenario", text}}).at("model");
  CHECK(model.at("kind") == "model");
  CHECK(model.at("mutations") == Json::array({"fle_half_is_a_quorum"}));
  CHECK_FALSE(model.contains("steps"));
  model["bounds"] = Json::object();
  const auto searched = [&](std::uint64_t states) {
    return answered({{"ask", "check"}, {"model", model.dump()}, {"states", states}});
  };
  const Json found = searched(200000);
  REQUIRE(found.at("verdict") == "violated");
  const Json run = answered({{"ask", "run"}, {"scenario", found.at("found").dump()}});
  bool violated = false;
  for (const Json& one : run.at("trace").at("verdicts"))
    violated = violated || (one.at("name") == found.at("violated") && one.at("verdict") == "violated");
  CHECK(violated);
  model["mutations"] = Json::array();
  const Json held = searched(200000);
  CHECK(held.at("verdict") == "holds");
  CHECK(held.at("exhausted") == true);
  model["servers"] = 4;
  const Json limited = searched(100);
  CHECK(limited.at("verdict") == "undecided");
  CHECK(limited.at("stopped_by") == "states");
}

// Each of two servers has told both of its vote; one of these messages has been read.
TEST_CASE("live: what may happen next, in a run by actions") {
  const std::string text = R"({"kind": "scenario", "name": "n", "servers": 2, "connected": true, "until": 100,
    "actions": [{"do": "deliver", "link": "election", "from": 1, "to": 2}]})";
  const Json next = answered({{"ask", "possible"}, {"scenario", text}, {"time", 10}});
  REQUIRE_MESSAGE(next.contains("actions"), next.dump());
  const auto read = [](int from, int to) {
    return Json{{"do", "deliver"}, {"link", "election"}, {"from", from}, {"to", to}};
  };
  const auto waited = [](int server) {
    return Json{{"do", "fire"}, {"server", server}, {"timer", "notification_wait"}};
  };
  CHECK(next.at("actions") == Json::array({read(1, 1), read(2, 1), read(2, 2), waited(1), waited(2)}));
}

TEST_CASE("live: what is wrong with a request is the answer") {
  struct Row {
    Json request;
    std::string says;
  };
  for (const Row& row : {
           Row{{{"ask", "fly"}}, "there is no request `fly`"},
           Row{{{"ask", "run"}, {"scenario", "{"}}, "the scenario:1:2"},
           Row{{{"ask", "run"}, {"scenario", R"({"kind": "scenario", "name": "n", "servers": 3})"}},
               "`until`"},
           Row{{{"ask", "run"},
                {"scenario", loadText(ZABLAB_SOURCE_DIR "/scenarios/models/000-C1-A-crashes.json")}},
               "a page runs scenarios only"},
           Row{{{"ask", "lists"}, {"protocol", "paxos"}}, "there is no protocol `paxos`"},
           Row{{{"ask", "run"}, {"scenaro", ""}}, "scenaro"},
           Row{Json::array(), "the request:1:1"},
       }) {
    CAPTURE(row.request.dump());
    const Json answer = answered(row.request);
    REQUIRE(answer.contains("error"));
    CHECK_MESSAGE(answer.at("error").get<std::string>().find(row.says) != std::string::npos, answer.dump());
  }
}

}  // namespace zablab
