// A protocol that provides only the parts of the contract works with every command.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "checker/family_of.h"
#include "checker/fuzz/swarm.h"
#include "cli/commands.h"
#include "sim/family_of.h"
#include "tests/prepared.h"
#include "tests/shipped.h"
#include "tests/toy_protocol.h"

namespace zablab {

namespace toy = toy_protocol;
using F = toy::Family;

// ---- its nodes

void F::step(const Config& config, const Rules& rules, Node& node, const V::Input& input, V::Effects& out) {
  const auto again = [&](ServerId server) {
    return V::Timer{TimerKind::again, toy::Way{server, *node.telling}};
  };
  const auto say = [&](ServerId server) {
    out.push_back(V::Send{0, server, toy::Tell{*node.telling}});
    out.push_back(V::SetTimer{again(server), config.again_ms, config.again_ms});
  };
  if (const auto* start = get_if<V::Start>(&input)) {
    if (!config.client) node = loaded(config, rules, node.self, start->disk);
  } else if (const auto* asked = get_if<V::Asked>(&input)) {
    if (!config.client || node.telling) return;
    node.telling = asked->request.number;
    out.push_back(V::Mark{toy::Moment::asked});
    for (const ServerId server : config.servers) say(server);
  } else if (const auto* fired = get_if<V::Fired>(&input)) {
    say(fired->timer.key.server);
  } else if (const auto* durable = get_if<V::NowDurable>(&input)) {
    for (const ServerId client : node.unsynced[durable->key])
      out.push_back(V::Send{0, client, toy::Told{durable->key}});
    node.unsynced.erase(durable->key);
  } else if (holds_alternative<V::WriteFailed>(input)) {
    out.push_back(V::Exit{"a write failed"});
  } else if (const auto* age = get_if<V::Age>(&input)) {
    if (age->key == toy::Moment::answered) return;
    node.late = age->millis && *age->millis >= config.late_ms;
    out.push_back(V::Emit{toy::Answered{*node.telling, node.late}});
    node.telling.reset();
  } else if (const auto* received = get_if<V::Received>(&input)) {
    if (const auto* tell = get_if<toy::Tell>(&received->message)) {
      const bool there =
          std::find(node.numbers.begin(), node.numbers.end(), tell->number) != node.numbers.end();
      if (!there || rules.keeps == toy::Keeps::again) {
        node.numbers.push_back(tell->number);
        node.unsynced[tell->number];
        out.push_back(V::Write{toy::Keep{tell->number}, false});
        out.push_back(V::AskDurable{tell->number});
      }
      if (const auto waits = node.unsynced.find(tell->number); waits != node.unsynced.end()) {
        waits->second.insert(received->from);
      } else {
        out.push_back(V::Send{0, received->from, toy::Told{tell->number}});
      }
    } else if (const auto* told = get_if<toy::Told>(&received->message)) {
      if (node.telling != told->number) return;
      node.told.insert(received->from);
      out.push_back(V::CancelTimer{again(received->from)});
      if (2 * node.told.size() <= config.servers.size()) return;
      for (const ServerId server : config.servers) out.push_back(V::CancelTimer{again(server)});
      node.told.clear();
      out.push_back(V::AskAge{toy::Moment::answered});  // of the previous one
      out.push_back(V::AskAge{toy::Moment::asked});
      out.push_back(V::Mark{toy::Moment::answered});
    }
  }
}

// ---- how they are described

using B = Binding<F>;

Phrase B::label(const Names&, const F::Message& message) {
  const auto* tell = get_if<toy::Tell>(&message);
  const std::int64_t number = tell != nullptr ? tell->number : get<toy::Told>(message).number;
  return std::string(typeName(message)) + " " + std::to_string(number);
}
Phrase B::tell(const Names& names, ServerId self, const F::Event& event) {
  return phrase("a majority has {number} of {client}", get<0>(event).number, names(self));
}
Phrase B::tell(const Names& names, ServerId self, const F::Request& request) {
  return phrase("{client} tells {number}", names(self), request.number);
}
Json B::header() {
  return {{"roles", Json::object()},
          {"phases", Json::object()},
          {"label", "number"},
          {"message_groups", Json::array()},
          {"heartbeats", Json::array()}};
}
std::vector<std::string> B::narrate(const Trace& trace) {
  std::vector<std::string> lines;
  for (const TraceEvent& event : trace.events) {
    if (event.kind == "answered") lines.push_back(event.text);
  }
  return lines;
}
RuleTables<F::Rules> B::ruleTables() {
  static constexpr std::array variants{
      Variant<F::Rules>{"once", {}, "a number that is there already is not kept again"}};
  static constexpr std::array values{RuleValue{"keeps", "once", "once", "for tests"},
                                     RuleValue{"keeps", "again", "as often as it comes", "for tests"}};
  static constexpr std::array mutations{Mutation{"toy_keeps_again", "", "", "safety", "once",
                                                 "a number that comes twice is kept twice", "keeps",
                                                 "again"}};
  return {variants, values, mutations};
}
std::vector<F::Config> B::configs(const Scenario& scenario, const JsonValue&,
                                  const std::vector<ServerSpec>& servers) {
  F::Config common;
  if (scenario.config) readInto(common, *scenario.config);
  for (const ServerSpec& server : servers) {
    if (!server.client) common.servers.push_back(server.id);
  }
  std::vector<F::Config> configs;
  for (const ServerSpec& server : servers) {
    configs.push_back(common);
    configs.back().client = server.client;
  }
  return configs;
}

// ---- invariants

void toy_protocol::Ledger::on(const Happened<F>& seen) {
  again_ = false;
  if (seen.kind != Kind::synced) return;
  auto& numbers = own(seen.node).numbers;
  const std::int64_t number = get<toy::Keep>(*seen.record).number;
  again_ = std::find(numbers.begin(), numbers.end(), number) != numbers.end();
  numbers.push_back(number);
}

namespace {

class Once : public Monitor<F> {
 public:
  explicit Once(const toy::Ledger& ledger) : again_(ledger.again()) {}
  InvariantInfo info() const override { return {"once", "no server has a number twice"}; }
  void on(const Happened<F>& seen) override {
    if (seen.kind == Kind::synced)
      check(!again_, [&] { return "server " + std::to_string(seen.node) + " keeps a number twice"; });
  }

 private:
  const bool& again_;
};

}  // namespace

std::unique_ptr<MonitorSet<F>> toy_protocol::monitorsWith(std::unique_ptr<Ledger> ledger) {
  return monitorSet<F, Once>(std::move(ledger));
}

template const FamilyCheck& theCheck<F>();

// ---- its random runs

namespace {

class ToySwarm : public Swarm {
 public:
  using Swarm::Swarm;

 private:
  enum : std::uint8_t { datagrams = Topic::first_free };
  std::string mainLink() const override { return "numbers"; }
  bool hasConnections() const override { return false; }
  std::vector<std::string> struck() const override { return {"TELL"}; }
  std::vector<std::string> clogged() const override { return struck(); }
  Json drawConfig() override {
    quiet_ms = 1000;
    slow_ms_max = 100;
    return {{"again_ms", drawsOf(Topic::timing)(2, 50, 400)}};
  }
  CrashPoint drawPlace(Draws& draws) override {
    CrashPoint point{.where = anyone(draws, 2), .when = {}};
    point.when.event = pattern({{"node", point.where}, {"kind", "written"}});
    point.when.nth = draws(9, 1, 4);
    point.writes = true;
    return point;
  }
  void drawWorkload() override {
    Draws draws = drawsOf(Topic::workload);
    scenario().clients.push_back({.id = first_client, .name = {}, .server = {}});
    for (std::int64_t count = draws(0, 1, 6); count > 0; --count)
      ask(draws(1, 50, chaosMs()), first_client, {{"tell", true}});
  }
  void drawMore() override {
    if (has(datagrams, "datagrams"))
      scenario().timing.datagrams =
          DatagramSpec{.lost_permille = 200, .doubled_permille = 100, .until = faultsEndMs()};
  }
  void drawProbe(ServerId probe, Millis first_ask, Millis every) override {
    ask(first_ask, probe, {{"tell", true}}, 20, every);
    ExpectSpec expect;
    expect.event = pattern({{"kind", "answered"}, {"node", probe}});
    scenario().expect.push_back(std::move(expect));
  }
};

}  // namespace

DrawnRun FuzzOf<F>::draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable) {
  return ToySwarm(shape, choices, unable).draw();
}

// ---- through every command

namespace {

namespace fs = std::filesystem;
using cli::ExitCode;

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / "zablab-toy") {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const Json& text) const {
    std::ofstream(path_ / name) << text.dump(1);
    return *this / name;
  }

 private:
  fs::path path_;
};

Json story() {
  return {{"kind", "scenario"},
          {"name", "a number is told twice"},
          {"protocol", "toy"},
          {"servers", 3},
          {"clients", {{{"id", 9}}}},
          {"steps",
           {{{"at", 0}, {"hold", {{"link", "numbers"}, {"from", 2}, {"to", 9}}}},
            {{"at", 0}, {"hold", {{"link", "numbers"}, {"from", 3}, {"to", 9}}}},
            {{"at", 10}, {"client", 9}, {"tell", 7}},
            {{"at", 300}, {"release", {{"link", "numbers"}, {"from", 2}, {"to", 9}}}}}},
          {"until", 500},
          {"expect",
           {{{"event", {{"kind", "answered"}, {"number", 7}}}, {"count", 1}},
            {{"invariant", {{"name", "once"}}}}}}};
}

TEST_CASE("toy: a program's own protocol works with run, replay, render, check, fuzz and shrink") {
  const ProtocolOf<F> protocol;
  const ProtocolAdded added(protocol);
  const Folder folder;

  const std::string scenario = folder.write("story.json", story());
  const std::string trace = folder / "trace.json";
  CHECK(cli::runCommand({scenario, "--trace", trace}) == ExitCode::held);
  CHECK(cli::replayCommand({trace}) == ExitCode::held);
  CHECK(cli::renderCommand({trace, "-o", folder / "picture.dot"}) == ExitCode::held);
  CHECK(fs::file_size(folder / "picture.dot") > 500);
  CHECK(cli::runCommand({scenario, "--mutate", "toy_keeps_again"}) == ExitCode::broken);

  Json model{{"kind", "model"},
             {"name", "two numbers"},
             {"protocol", "toy"},
             {"servers", 2},
             {"clients", {{{"id", 8}}, {{"id", 9}}}},
             {"asks", {{{"client", 8}, {"tell", true}}, {{"client", 9}, {"tell", true}}}},
             {"asks_order", "per_client"},
             {"bounds", {{"drops", 1}, {"duplicates", 1}}}};
  const std::string sound = folder.write("model.json", model);
  CHECK(cli::checkCommand({sound}) == ExitCode::held);
  model["mutations"] = {"toy_keeps_again"};
  const std::string way = folder / "way.json";
  CHECK(cli::checkCommand({folder.write("broken.json", model), "--scenario", way}) == ExitCode::broken);
  const Outcome told = runScenario(loadCase(way).scenario);
  CHECK(std::any_of(told.trace.verdicts.begin(), told.trace.verdicts.end(), [](const TraceVerdict& verdict) {
    return verdict.name == "once" && verdict.verdict == "violated";
  }));

  CHECK(cli::fuzzCommand({"--protocol", "toy", "--seeds", "0:100"}) == ExitCode::held);
  CHECK(cli::fuzzCommand({"--protocol", "toy", "--seeds", "0:20", "--mutate", "toy_keeps_again",
                          "--no-shrink"}) == ExitCode::broken);
  const std::string small = folder / "small";
  cli::shrinkCommand({scenario, "--mutate", "toy_keeps_again", "--out", small});
  const Case shrunk = loadCase(small + ".json");
  CHECK(shrunk.scenario.spec.steps.size() <= 3);
  CHECK(cli::runCommand({small + ".json"}) == ExitCode::held);  // it is declared to fail
}

LoadedScenario loaded(const Json& text) {
  const JsonValue document = JsonValue::fromJson(text, "a story");
  return {readScenario(document), document};
}

std::vector<const TraceEvent*> eventsOf(const Trace& trace, std::string_view kind) {
  std::vector<const TraceEvent*> events;
  for (const TraceEvent& event : trace.events) {
    if (event.kind == kind) events.push_back(&event);
  }
  return events;
}

TEST_CASE("toy: timers of one kind are distinguished by the protocol's own keys") {
  const ProtocolOf<F> protocol;
  Json text = story();
  text["steps"].erase(3);  // the direction from 2 remains held
  text["steps"].push_back({{"at", 0}, {"hold", {{"link", "numbers"}, {"from", 1}, {"to", 9}}}});
  text["choices"] = {{"timer again 9->3:7 #0", 50}};
  text["until"] = 300;
  text.erase("expect");
  const LoadedScenario scenario = loaded(text);
  protocol.checkScenario(scenario);
  const Trace trace = protocol.run(scenario, {});
  CHECK(!trace.header.contains("unused_choices"));
  std::vector<std::pair<Millis, Json>> fired;
  for (const TraceEvent* event : eventsOf(trace, "timer")) fired.emplace_back(event->time, event->data);
  const auto again = [](int server) {
    return Json{{"timer", "again"}, {"key", {{"server", server}, {"number", 7}}}};
  };
  CHECK(fired == std::vector<std::pair<Millis, Json>>{{210, again(1)}, {210, again(2)}, {260, again(3)}});
}

TEST_CASE("toy: a run with listed actions names a timer by its key, and what a server is notified of") {
  const ProtocolOf<F> protocol;
  const Json way{{"server", 2}, {"number", 7}};
  Json text{{"kind", "scenario"}, {"name", "by hand"},        {"protocol", "toy"},
            {"servers", 3},       {"clients", {{{"id", 9}}}}, {"until", 100}};
  text["actions"] = {{{"do", "ask"}, {"server", 9}, {"ask", {{"tell", 7}}}},
                     {{"do", "fire"}, {"server", 9}, {"timer", "again"}, {"key", way}},
                     {{"do", "fire"}, {"server", 9}, {"timer", "again"}, {"key", way}},
                     {{"do", "tell_durable"}, {"server", 1}},
                     {{"do", "tell_age"}, {"server", 9}, {"age", 3}}};
  const LoadedScenario scenario = loaded(text);
  protocol.checkScenario(scenario);
  const Trace trace = protocol.run(scenario, {});
  CHECK(eventsOf(trace, "timer").size() == 2);
  CHECK(eventsOf(trace, "skipped").size() == 2);  // not requested

  struct Row {
    Json action;
    const char* says;
  };
  for (const Row& row :
       {Row{{{"do", "fire"}, {"server", 9}, {"timer", "again"}, {"peer", 1}}, "distinguished by `key`"},
        Row{{{"do", "fire"}, {"server", 9}, {"timer", "again"}, {"key", {{"sever", 1}}}}, "did you mean"},
        Row{{{"do", "tell_age"}, {"server", 9}, {"age", -1}}, "not negative"},
        Row{{{"do", "tell_age"}}, "`server` is missing"}}) {
    CAPTURE(row.says);
    text["actions"] = Json::array({row.action});
    CHECK_THROWS_WITH_AS(protocol.checkScenario(loaded(text)), doctest::Contains(row.says), InputError);
  }
}

TEST_CASE("toy: a server answers when what it wrote is durable, and a client knows how long it took") {
  const ProtocolOf<F> protocol;
  Json text = story();
  text["timing"]["fsync_ms"] = 30;
  text.erase("expect");
  const Trace trace = protocol.run(loaded(text), {});
  const auto durable = eventsOf(trace, "durable");
  REQUIRE(durable.size() == 3);
  for (const TraceEvent* told : durable) {
    CHECK(told->data == Json{{"key", 7}});
    REQUIRE(told->cause.has_value());
    CHECK(trace.events[*told->cause].kind == "synced");
    CHECK(trace.events[*told->cause].time == told->time);
  }
  const auto ages = eventsOf(trace, "age");
  REQUIRE(ages.size() == 2);
  CHECK(ages[0]->data == Json{{"key", "answered"}, {"ms", nullptr}});
  const Json asked{{"key", "asked"}, {"ms", ages[1]->time - 10}};
  CHECK(ages[1]->data == asked);
  CHECK(eventsOf(trace, "answered")[0]->data == Json{{"number", 7}, {"late", ages[1]->time >= 310}});
}

TEST_CASE("toy: a search gives a node each age that differs for it, and the run along the path does too") {
  const ProtocolOf<F> protocol;
  Json model{{"kind", "model"},
             {"name", "late"},
             {"protocol", "toy"},
             {"servers", 1},
             {"config", {{"late_ms", 70}}},
             {"clients", {{{"id", 9}}}},
             {"asks", {{{"client", 9}, {"tell", 5}}, {{"client", 9}, {"tell", 6}}}}};
  const auto checked = [&](const char* name, bool late, bool never) {
    model.erase("reach");
    model.erase("never");
    const Json state{{"telling", nullptr}, {"late", late}};
    model[never ? "never" : "reach"] = {{{"name", name}, {"state", {{"9", {{"late", late}}}}}}};
    const LoadedModel read = modelOf(model);
    protocol.checkModel(read);
    return protocol.check(read, {});
  };
  CHECK(checked("in time", false, false).verdict == "holds");
  const CheckResult result = checked("it takes long", true, true);
  CHECK(result.verdict == "violated");
  REQUIRE(result.scenario.has_value());
  const Trace trace = protocol.run(loaded(*result.scenario), {});
  CHECK(eventsOf(trace, "skipped").empty());
  const auto ages = eventsOf(trace, "age");
  REQUIRE(ages.size() == 2);
  CHECK(ages[0]->data == Json{{"key", "answered"}, {"ms", nullptr}});
  CHECK(ages[1]->data == Json{{"key", "asked"}, {"ms", 70}});
  CHECK(eventsOf(trace, "answered").back()->data == Json{{"number", 5}, {"late", true}});

  // No threshold at which anything changes: no answer is late.
  model["config"]["late_ms"] = 0;
  CHECK(checked("in time", false, true).goals[0].depth.has_value());  // before the first answer
}

TEST_CASE("toy: what a search has no room for is refused") {
  const ProtocolOf<F> protocol;
  Json model{{"kind", "model"}, {"name", "m"}, {"protocol", "toy"}, {"servers", 31}};
  model["clients"] = Json::array();
  for (int id = 101; id <= 131; ++id) model["clients"].push_back({{"id", id}});
  CHECK_THROWS_WITH_AS(protocol.checkModel(modelOf(model)),
                       doctest::Contains("at most 19 servers and clients together"), InputError);
  CHECK_THROWS_WITH_AS(protocol.check(modelOf(model), {}),
                       doctest::Contains("at most 19 servers and clients together"), InputError);
  model["servers"] = 3;
  model["clients"] = {{{"id", 101}}};
  protocol.checkModel(modelOf(model));

  CHECK_NOTHROW(checkInvariantCount(64));
  CHECK_THROWS_WITH_AS(checkInvariantCount(65), doctest::Contains("at most 64 invariants, not 65"),
                       TableFull);

  const LoadedScenario scenario = loaded(story());
  const Setup setup = makeSetup(theFamily<F>(), scenario);
  const auto tables = std::make_unique<Tables>(setup.cluster, theCheck<F>());
  const auto timer = [](int number) {
    return Typed<F>::any(F::Vocabulary::Timer{toy::TimerKind::again, toy::Way{1, number}});
  };
  for (int number = 0; number < 64; ++number) tables->numberOf(timer(number));
  CHECK_THROWS_WITH_AS(tables->numberOf(timer(64)), doctest::Contains("more than 64 distinct timers"),
                       TableFull);
  CHECK(tables->numberOf(timer(63)).key.number == 63);

  // As many links as a family may have, each with its own inputs.
  AnyCluster wide = setup.cluster;
  wide.links.assign(8, LinkKind::datagram);
  const auto of_eight = std::make_unique<Tables>(wide, theCheck<F>());
  InternedStore store(*of_eight);
  store.setValue(DirectStore<Any>(wide).value());
  store.boot(0);
  std::set<std::uint32_t> inputs;
  for (Link link = 0; link < 8; ++link) {
    const Value told{F::Message(toy::Told{7})};
    store.step(0, InternedStore::V::Received{link, wide.ids[1], {of_eight->messages.number(told)}}, 0);
    inputs.insert(store.lastInput());
  }
  CHECK(inputs.size() == 8);
}

TEST_CASE(
    "toy: a step that sets a timer to a range that is none is an error of the protocol, with its server") {
  const ProtocolOf<F> protocol;
  Json text = story();
  text.erase("expect");
  text["config"] = {{"again_ms", -1}};
  const Trace trace = protocol.run(loaded(text), {});
  CHECK(trace.header.at("broken_step") == true);
  CHECK(trace.header.at("broken_off").get<std::string>() == "server 9 sets a timer to -1 to -1 ms");
  CHECK(eventsOf(trace, "asked").size() == 1);
}

TEST_CASE("toy: what this protocol does not have is refused, with its place") {
  const ProtocolOf<F> protocol;
  const ProtocolAdded added(protocol);
  struct Row {
    const char* key;
    Json value;
    const char* says;
  };
  const Json model{{"kind", "model"}, {"name", "m"}, {"protocol", "toy"}, {"servers", 3}};
  for (const Row& row :
       {Row{"bounds", {{"elections", 1}}, "this protocol has no elections"},
        {"bounds", {{"writes", 1}}, "is not given by a number"},
        {"bounds", {{"turns", 1}}, "are not connected to one server"},
        {"grain", "settled", "not searched at the grain `settled`"},
        {"timers", {{"again", "paid"}}, "it is `budgeted` now"},
        {"timers", {{"again", "lost_quorum"}}, "no timer of this protocol fires `lost_quorum`"},
        {"clients", {{{"id", 9}, {"server", 1}}}, "are not connected to one server"},
        {"fails_with", {{{"mutation", "toy_keep_again"}}}, "did you mean \"toy_keeps_again\""},
        {"fails_with", {{{"rule", "keeps=again, keeps=never"}}}, "there is no rule `keeps=never`"},
        {"fails_with", {{{"variant", "twice"}}}, "there is no variant `twice`"},
        {"fails_with", {{{"mutation", "toy_keeps_again"}, {"variant", "x"}}}, "use one of `mutation`"},
        {"fails_with", {{{"steps", {{{"at", 0}, {"kill", 1}}}}}}, "only a scenario has steps"}}) {
    CAPTURE(row.says);
    Json text = model;
    text[row.key] = row.value;
    CHECK_THROWS_WITH_AS(checkModel(modelOf(text)), doctest::Contains(row.says), InputError);
  }
  Json text = story();
  text["steps"].push_back({{"at", 400}, {"client", 9}, {"tell", true}, {"clock", 3}});
  const JsonValue document = JsonValue::fromJson(text, "a story");
  CHECK_THROWS_WITH_AS(protocol.checkScenario({readScenario(document), document}),
                       doctest::Contains("`tell` has no `clock`"), InputError);
  CHECK(findProtocol("toy") == &protocol);
}

TEST_CASE("toy: a protocol that a program removed again does not exist") {
  CHECK(findProtocol("toy") == nullptr);
}

}  // namespace
}  // namespace zablab
