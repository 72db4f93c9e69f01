#include "sim/trace.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "checker/expectations.h"
#include "checker/protocol.h"
#include "checker/replay.h"
#include "sim/json_reflect.h"
#include "sim/kafka/binding.h"
#include "sim/leader_followers/binding.h"
#include "sim/quorum_register/binding.h"
#include "sim/redis_cluster/binding.h"
#include "sim/run_of.h"
#include "sim/zab_register/binding.h"
#include "tests/shipped.h"

namespace zablab {
namespace {

Trace sample() {
  Trace trace;
  trace.header =
      Json::parse(R"({"title":"café \u0000","seed":null,"nodes":[{"id":1,"name":"1","kind":"voter"}]})");
  trace.scenario = Json::parse(R"({"servers":1,"steps":[{"at":0,"note":"hello"}]})");
  trace.choices = Json::parse(R"([["latency 3->1 #17",5],["crash B #0",true],["torn 1 #0",[1,2]]])");
  TraceEvent note;
  note.kind = "note";
  note.text = "hello\n\"you\"";
  trace.events.push_back(note);
  TraceEvent started;
  started.index = 1;
  started.time = 7;
  started.node = -3;
  started.kind = "started";
  started.data = Json::parse(R"({"how":"start","disk":{"epoch":18446744073709551615}})");
  started.cause = 0;
  started.changes = Json::parse(R"({"up":true,"box":null})");
  started.text = "1 starts";
  started.said = Json::parse(R"(["{node} starts","1"])");
  trace.events.push_back(started);
  trace.verdicts.push_back({"agreement", "invariant", "violated", 3, "1 and 2 differ", 1});
  trace.verdicts.back().said = Json::parse(R"(["{all} differ",[" and ","1","2"]])");
  trace.verdicts.push_back({"leader", "expectation", "met", 0, "", std::nullopt});
  return trace;
}

const std::string sample_text =
    R"({
"format":"zablab-trace","version":4,
"header":{"title":"café \u0000","seed":null,"nodes":[{"id":1,"name":"1","kind":"voter"}]},
"scenario":{"servers":1,"steps":[{"at":0,"note":"hello"}]},
"choices":[
["latency 3->1 #17",5],
["crash B #0",true],
["torn 1 #0",[1,2]]
],
"events":[
{"index":0,"time":0,"kind":"note","data":{},"text":"hello\n\"you\""},
{"index":1,"time":7,"node":-3,"kind":"started","data":{"how":"start","disk":{"epoch":18446744073709551615}},)"
    R"("cause":0,"changes":{"up":true,"box":null},"text":"1 starts",)"
    R"("said":["{node} starts","1"]}
],
"verdicts":[
{"name":"agreement","kind":"invariant","verdict":"violated","obligations":3,"text":"1 and 2 differ","event":1,)"
    R"("said":["{all} differ",[" and ","1","2"]]},
{"name":"leader","kind":"expectation","verdict":"met","obligations":0}
]
}
)";

TEST_CASE("a trace is written byte for byte and read back") {
  CHECK(traceText(sample()) == sample_text);
  CHECK(readTrace("t", sample_text) == sample());
  CHECK(traceText(readTrace("t", sample_text)) == sample_text);
  // Older traces have nothing that this version would not have.
  for (const char* version : {"2", "3"}) {
    std::string older = sample_text;
    CHECK(readTrace("t", older.replace(older.find("\"version\":4") + 10, 1, version)) == sample());
  }

  const std::string empty = traceText(Trace());
  CHECK(empty ==
        "{\n\"format\":\"zablab-trace\",\"version\":4,\n\"header\":{},\n\"scenario\":{},\n\"choices\":[],\n"
        "\"events\":[],\n\"verdicts\":[]\n}\n");
  CHECK(readTrace("t", empty) == Trace());
}

/// The state after the last event, derived from the changes alone, of each server that then runs.
void compareLastStates(const LoadedScenario& scenario, const std::string& name) {
  CAPTURE(name);
  ScenarioRun run(scenario, makeSetup(protocolOf(scenario).family(), scenario), {});
  const Trace trace = run.execute();
  std::map<ServerId, Json> states;
  for (const TraceEvent& event : trace.events) {
    if (event.node) applyChanges(states[*event.node], event);
  }
  for (int i = 0; i < run.cluster().serverCount(); ++i) {
    const auto& store = run.simulator().store();
    if (run.cluster().scripted[static_cast<std::size_t>(i)] || !store.isUp(i)) continue;
    const auto types = run.cluster().family->patternTypes();
    Json whole = types.node.write(store.server(i).node.get());
    whole["disk"] = types.durable.write(store.disk(i).image.get());
    const Json& told = states[run.cluster().ids[static_cast<std::size_t>(i)]];
    for (const auto& member : whole.items()) {
      CAPTURE(member.key());
      CHECK(sameValues(told.value(member.key(), Json()), member.value()));
    }
  }
}

TEST_CASE("a trace's changes tell every server's state, short or long") {
  for (const std::string& path : coveringFiles()) compareLastStates(loadCase(path).scenario, path);
  const JsonValue many =
      JsonValue::fromJson(Json::parse(R"({"kind": "scenario", "name": "twelve", "servers": 12, "until": 9000,
                      "steps": [{"at": 3000, "kill": 12}, {"at": 6000, "start": 12}]})"),
                          "twelve");
  const Case twelve = readCase("twelve", many);
  compareLastStates(twelve.scenario, "twelve");
  std::uint64_t patched = 0;
  std::uint64_t entries = 0;
  const Outcome outcome = runScenario(twelve.scenario);
  for (const TraceEvent& event : outcome.trace.events) {
    if (!event.entries.contains("recvset")) continue;
    ++patched;
    entries += event.entries["recvset"].size();
  }
  CHECK(patched > 100);
  CHECK(entries < 2 * patched);
}

// A part of it is recorded by itself. Programs of version 3 recorded the whole field.
TEST_CASE("a trace that records objects completely, as older ones do, is the same run") {
  std::size_t parts = 0;
  for (const char* path : {"/scenarios/sentinel/a-quorum-of-one-elects-two-leaders.json",
                           "/scenarios/kafka/001-K2-the-controller-dies.json",
                           "/scenarios/clients/000-V1-a-watch-fires-once.json"}) {
    CAPTURE(std::string(path));
    const Trace trace = runScenario(loadCase(std::string(ZABLAB_SOURCE_DIR) + path).scenario).trace;
    Trace older = trace;
    std::map<ServerId, Json> states;
    for (TraceEvent& event : older.events) {
      if (!event.node) continue;
      applyChanges(states[*event.node], event);
      for (const std::string& field : changedFields(event)) {
        parts += event.changes.contains(field) ? 0 : 1;
        event.changes[field] = states[*event.node].value(field, Json());
      }
      event.entries = event.appended = Json::object();
    }
    CHECK(older.events != trace.events);
    CHECK(traceText(older).size() > traceText(trace).size());
    CHECK(differencesOf(older, trace).empty());
    // What leads to another state is not the same.
    for (TraceEvent& event : older.events) {
      if (event.changes.empty()) continue;
      event.changes["up"] = "perhaps";
      break;
    }
    CHECK(differencesOf(older, trace).size() == 1);
  }
  CHECK(parts > 100);
}

/// Compares every state that a server reaches with its encoding.
class RoundTrips : public AnyListener {
 public:
  explicit RoundTrips(ScenarioRun& run) : run_(run) { run.watch(*this); }
  void on(const AnyHappened& seen) override {
    if (seen.kind != Kind::step_over || seen.node < 0) return;
    const Value& node = run_.simulator().store().server(seen.node).node;
    Bytes bytes;
    node.encodeTo(bytes);
    different += run_.cluster().family->nodeFrom(bytes) == node ? 0 : 1;
    ++states;
  }
  std::uint64_t states = 0;
  std::uint64_t different = 0;

 private:
  ScenarioRun& run_;
};

TEST_CASE("every state that a run comes into is what its encoding says, in every family") {
  std::map<std::string_view, std::uint64_t> states;
  for (const std::string& path : shippedFiles()) {
    const Case one = loadCase(path);
    if (one.kind != Case::Kind::scenario) continue;
    CAPTURE(path);
    const AnyFamily& family = protocolOf(one.scenario).family();
    ScenarioRun run(one.scenario, makeSetup(family, one.scenario), {});
    RoundTrips watching(run);
    run.executeBare();
    CHECK(watching.different == 0);
    states[family.name()] += watching.states;
  }
  for (const Protocol* protocol : protocols()) {
    CAPTURE(std::string(protocol->name()));
    CHECK(states[protocol->name()] > 50);
  }
}

TEST_CASE("every protocol says which roles lead, and which events are elections, in words that exist") {
  for (const Protocol* protocol : protocols()) {
    CAPTURE(std::string(protocol->name()));
    CHECK_NOTHROW(protocol->checkHeader());
    const Json header = protocol->family().header();
    const bool leads = std::any_of(header.at("roles").begin(), header.at("roles").end(),
                                   [](const Json& tone) { return tone == "leading"; });
    CHECK(leads == header.contains("elections"));
  }
}

TEST_CASE("bytes that are no text do not spoil a trace") {
  Trace trace;
  trace.header["title"] = "a\xFFz";
  CHECK(readTrace("t", traceText(trace)).header["title"] == "a\xEF\xBF\xBDz");
}

InputError refusal(const std::string& text) {
  try {
    readTrace("t", text);
  } catch (const InputError& error) {
    return error;
  }
  FAIL("no InputError was thrown");
  return InputError("", std::nullopt, "");
}

TEST_CASE("what is no trace is refused at its place") {
  struct Case {
    std::string from;  // in sample_text, replaced by `to`
    std::string to;
    std::string at;
    std::string message;
    std::string hint;
  };
  const std::vector<Case> cases = {
      {"\"zablab-trace\"", "\"trace\"", "2:10", "not a trace: its `format` must be \"zablab-trace\"", ""},
      {"\"zablab-trace\"", "1", "2:10", "not a trace", ""},
      {"\"format\":\"zablab-trace\",", "", "1:1", "not a trace: it has no `format`", "--trace"},
      {"\"version\":4", "\"version\":5", "2:35", "version 5 of the trace format",
       "reads version 2 to version 4; a newer one"},
      {"\"version\":4", "\"version\":1", "2:35", "version 1", "reads version 2 to version 4"},
      {"\"version\":4", "\"version\":\"1\"", "2:35", "`version` must be a whole number, found a string", ""},
      {",\"version\":4", "", "1:1", "the top level needs `version`", ""},
      {"\"scenario\"", "\"scenarios\"", "4:1", "unknown key `scenarios`", "did you mean `scenario`?"},
      {"{\"servers\":1,\"steps\":[{\"at\":0,\"note\":\"hello\"}]}", "[]", "4:12",
       "`scenario` must be an object", ""},
      {"[\"crash B #0\",true]", "[\"crash B #0\"]", "7:1", "`choices[1]` must have 2 elements, found 1", ""},
      {"\"crash B #0\"", "1", "7:2", "`choices[1][0]` must be a string", ""},
      {"\"index\":1", "\"index\":2", "12:10", "`index` must be 1, found 2", ""},
      {"\"index\":1,", "", "12:1", "`events[1]` needs `index`", ""},
      {"\"index\":0,\"time\":0", "\"index\":0,\"time\":8", "12:19", "time goes back from 8 to 7", ""},
      {"\"time\":0", "\"time\":-1", "11:19", "time goes back from 0 to -1", ""},
      {"\"cause\":0", "\"cause\":1", "12:117", "the cause 1 is not an earlier event than 1", ""},
      {"\"cause\":0", "\"cause\":-1", "12:117", "`events[1].cause` must be a whole number from 0", ""},
      {"\"kind\":\"note\"", "\"kind\":\"\"", "11:28", "`kind` must not be empty", ""},
      {"\"kind\":\"note\"", "\"knid\":\"note\"", "11:21", "unknown key `knid` in `events[0]`",
       "did you mean `kind`?"},
      {"\"data\":{}", "\"data\":[]", "11:42", "`events[0].data` must be an object, found an array", ""},
      {"{\"up\":true,\"box\":null}", "7", "12:129", "`events[1].changes` must be an object, found 7", ""},
      {"\"obligations\":0", "\"obligations\":\"0\"", "16:69", "must be a whole number, found a string", ""},
      {"\"event\":1", "\"event\":2", "15:109", "there is no event 2", ""},
      {"\"verdict\":\"met\",", "", "16:1", "`verdicts[1]` needs `verdict`", ""},
      {"[\"{node} starts\",\"1\"]", "[\"{node} starts\",1]", "12:177", "`said` is an array of a pattern", ""},
      {"[\" and \",\"1\",\"2\"]", "[]", "15:118", "`said` is an array of a pattern", ""},
      {"}\n]\n}", "}\n]\n}\n{", "19:1", "expected the end of the file", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.from);
    CAPTURE(c.to);
    std::string text = sample_text;
    const std::size_t found = text.find(c.from);
    REQUIRE(found != std::string::npos);
    const InputError error = refusal(text.replace(found, c.from.size(), c.to));
    CAPTURE(std::string(error.what()));
    REQUIRE(error.position);
    CHECK(std::to_string(error.position->line) + ":" + std::to_string(error.position->column) == c.at);
    CHECK(error.message.find(c.message) != std::string::npos);
    CHECK(error.hint.find(c.hint) != std::string::npos);
  }
}

TEST_CASE("every truncation and every corrupted byte is refused or read") {
  for (std::size_t size = 0; size + 2 <= sample_text.size(); ++size)
    CHECK(refusal(sample_text.substr(0, size)).position);
  for (std::size_t at = 0; at < sample_text.size(); ++at) {
    for (const char byte : {'\0', '"', '{', ']', ',', '9', '-', '\\', ' ', '\xC3'}) {
      std::string text = sample_text;
      text[at] = byte;
      try {
        const Trace trace = readTrace("t", text);
        REQUIRE(readTrace("t", traceText(trace)) == trace);
      } catch (const InputError& error) {
        REQUIRE(error.position);
      }
    }
  }
}

TEST_CASE("the schema of a trace") {
  const Json schema = traceSchema();
  CHECK(schema["$ref"] == "#/$defs/trace");
  const Json& trace = schema["$defs"]["trace"];
  CHECK(trace["properties"]["format"].dump() == R"({"const":"zablab-trace"})");
  CHECK(trace["properties"]["version"].dump() == R"({"type":"integer","minimum":2,"maximum":4})");
  CHECK(trace["properties"]["events"].dump() == R"({"type":"array","items":{"$ref":"#/$defs/event"}})");
  CHECK(trace["required"].size() + 1 == trace["properties"].size());  // `why` is in pages alone
  CHECK(trace["properties"].contains("why"));
  CHECK(schema["$defs"]["event"]["required"].dump() == R"(["index","time","kind","data"])");
  CHECK(schema["$defs"]["event"]["properties"]["data"].dump() == R"({"type":"object"})");
}

}  // namespace
}  // namespace zablab
