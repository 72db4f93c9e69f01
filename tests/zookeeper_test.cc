// ZooKeeper's tree, sessions and watches: pure parts by tables, the whole by what real servers answered.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "checker/check/check.h"
#include "checker/protocol.h"
#include "checker/zookeeper/conform.h"
#include "checker/zookeeper/quiet_ensemble.h"
#include "protocol/zab/broadcast_impl.h"
#include "protocol/zookeeper/acl.h"
#include "protocol/zookeeper/family.h"
#include "protocol/zookeeper/hash_order.h"
#include "protocol/zookeeper/paths.h"
#include "protocol/zookeeper/prepare.h"
#include "protocol/zookeeper/rules.h"
#include "protocol/zookeeper/sessions.h"
#include "protocol/zookeeper/watches.h"
#include "tests/shipped.h"

namespace zablab::zookeeper {
namespace {

JsonValue recorded(const std::string& name) {
  const std::string path = ZABLAB_SOURCE_DIR "/recordings/zookeeper-3.8.0-clients/" + name;
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return parseJson(path, text.str());
}

/// The names of the sequences that do not agree.
std::set<std::string> disagreeing(const JsonValue& recording, const Rules& rules,
                                  Agreement agreement = Agreement::differs) {
  std::set<std::string> names;
  const auto conformance = judgeClients(rules);
  for (const ConformLine& line : conformance->judge(recording)) {
    CAPTURE(line.why);
    if (line.agreement == agreement) names.insert(line.what);
  }
  return names;
}

TEST_CASE("zookeeper: which paths are valid") {
  for (const char* path : {"/", "/a", "/a/b", "/...", "/.a", "/a.", "/\xc3\xa9", "/zookeeper"}) {
    CAPTURE(path);
    CHECK(isValidPath(path));
  }
  for (const char* path :
       {"", "a", "/a/", "//", "/a//b", "/.", "/..", "/a/./b", "/a/..", "/a\x01", "/\xf0\x9f\x98\x80"}) {
    CAPTURE(path);
    CHECK_FALSE(isValidPath(path));
  }
}

TEST_CASE("zookeeper: identities, and what lists of rights grant them") {
  CHECK(digestOf("u:p") == "u:Jq7wMyA/w2Vd5WIDAKdu4OIIFEQ=");  // recorded
  const std::vector<Id> here{{"ip", "10.1.2.3"}, *authenticated({"digest", "u:p"})};
  CHECK_FALSE(authenticated({"kerberos", "x"}));
  struct Row {
    Acl entry;
    bool read;
  };
  for (const Row& row :
       {Row{{perms::read, "world", "anyone"}, true}, Row{{perms::write, "world", "anyone"}, false},
        Row{{perms::read, "ip", "10.0.0.0/8"}, true}, Row{{perms::read, "ip", "10.1.2.4"}, false},
        Row{{perms::read, "ip", "10.1.2.0/33"}, false}, Row{{perms::all, "digest", digestOf("u:p")}, true},
        Row{{perms::all, "digest", digestOf("u:q")}, false}}) {
    CAPTURE(row.entry.id);
    CHECK(isAllowed({row.entry}, perms::read, here) == row.read);
  }
  CHECK(isAllowed({}, perms::admin, here));
  CHECK(fixedUp({{perms::all, "auth", ""}}, here) ==
        std::vector<Acl>{{perms::all, "digest", digestOf("u:p")}});
  CHECK_FALSE(fixedUp({{perms::all, "auth", ""}}, {}));
  CHECK_FALSE(fixedUp({}, here));
  CHECK_FALSE(fixedUp({{perms::all, "ip", "10.0.0.256"}}, here));
}

TEST_CASE("zookeeper: children are listed in the order of Java's hash sets") {
  // Recorded: names_unicode.
  HashSet names{{}, 8};
  for (const char* name : {"\u00e9", "e\u0301", "\u65e5\u672c", "\u202e", "a:b,c", "%2F", "a\\b", "'\""})
    names.insert(name);
  CHECK(names.names == std::vector<std::string>{"a:b,c", "a\\b", "\u00e9", "%2F", "\u65e5\u672c", "'\"",
                                                "e\u0301", "\u202e"});
  names.insert("%2F");
  CHECK(names.names.size() == 8);
  names.erase("%2F");
  CHECK(names.names.size() == 7);
  CHECK(names.capacity == 16);
}

TEST_CASE("zookeeper: the counter of sequential names ends at the largest number") {
  Tree tree;
  tree.find("/")->creates = 2147483646;
  const auto create = [&](const std::string& path, std::int32_t flags) {
    Proposed proposed{.session = 1, .number = 1};
    proposed.op = {{.code = OpCode::create, .path = path, .flags = flags, .acl = openAcl()}};
    const Payload payload = prepare(Rules{}, tree, {}, proposed);
    tree.apply({7}, payload);
    return payload.changes.front();
  };
  CHECK(create("/a-", 2).path == "/a-2147483646");
  CHECK(create("/a-", 2).path == "/a-2147483647");
  // The next one would be -2147483648; a transaction that is replayed must not set the counter back, so it
  // stays.
  CHECK(create("/a-", 2).error == Error::NODEEXISTS);
}

TEST_CASE("zookeeper: a write is decided as if what is outstanding were applied") {
  std::minstd_rand random(1);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random()) % n; };
  const char* const paths[] = {"/a", "/b", "/a/x", "/a/y", "/b/x", "/a/x/z"};
  const OpCode codes[] = {OpCode::create, OpCode::remove, OpCode::setData, OpCode::setACL, OpCode::check};
  const auto drawn = [&] {
    SubOp op{.code = codes[below(5)], .path = paths[below(6)]};
    op.version = static_cast<std::int32_t>(below(4)) - 1;
    op.flags = static_cast<std::int32_t>(below(4));
    op.data = std::string(below(3), 'd');
    op.acl = openAcl();
    if (below(4) == 0) op.acl.front().perms = perms::read | perms::admin;
    return op;
  };
  std::map<ChangeKind, int> decided;
  for (int round = 0; round < 2000; ++round) {
    Tree applied;
    Tree ahead;
    std::vector<Payload> outstanding;
    for (int i = 0; i < 12; ++i) {
      Proposed proposed{.session = 1, .number = i + 1};
      if (below(4) == 0) {
        proposed.op = {{.code = OpCode::multi}};
        for (std::uint32_t n = 1 + below(3); n > 0; --n) proposed.op.ops.push_back(drawn());
      } else {
        proposed.op = {drawn()};
      }
      std::vector<const Payload*> ahead_of_it;
      for (const Payload& payload : outstanding) ahead_of_it.push_back(&payload);
      const Payload payload = prepare(Rules{}, applied, ahead_of_it, proposed);
      REQUIRE(payload == prepare(Rules{}, ahead, {}, proposed));
      for (const Change& change : payload.changes) ++decided[change.kind];
      ahead.apply({i + 1}, payload);
      outstanding.push_back(payload);
      if (below(3) == 0) {
        applied.apply({i + 1}, outstanding.front());
        outstanding.erase(outstanding.begin());
      }
    }
    Proposed close{.session = 1, .number = 13};
    close.op = {{.code = OpCode::closeSession}};
    std::vector<const Payload*> ahead_of_it;
    for (const Payload& payload : outstanding) ahead_of_it.push_back(&payload);
    REQUIRE(prepare(Rules{}, applied, ahead_of_it, close) == prepare(Rules{}, ahead, {}, close));
  }
  CHECK(decided.size() == 6);  // each kind of change, and errors
}

TEST_CASE("zookeeper: a transaction that is replayed changes nothing") {
  Tree tree;
  const Payload create{
      .session = 1, .changes = {{.kind = ChangeKind::create, .path = "/a", .acl = openAcl(), .creates = 1}}};
  const Payload remove{.session = 1, .changes = {{.kind = ChangeKind::remove, .path = "/a"}}};
  tree.apply({1}, create);
  tree.apply({2}, remove);
  const Tree after = tree;
  tree.apply({1}, create);  // the snapshot was taken after both
  tree.apply({2}, remove);
  CHECK(tree == after);
}

TEST_CASE("zookeeper: a node is created again below a parent that was deleted and created before it") {
  const auto create = [](const std::string& path) {
    return Change{.kind = ChangeKind::create, .path = path, .acl = openAcl()};
  };
  const Payload parent{.session = 1, .changes = {create("/a")}};
  const Payload replaced{.session = 1, .changes = {{.kind = ChangeKind::remove, .path = "/a"}, create("/a")}};
  const Payload child{.session = 1, .changes = {create("/a/b")}};
  Tree tree;
  tree.apply({1}, parent);
  tree.apply({2}, replaced);
  tree.apply({3}, child);
  tree.apply({2}, replaced);  // the snapshot was taken after all three
  tree.apply({3}, child);
  CHECK(tree.find("/a")->children.names == std::vector<std::string>{"b"});
  CHECK(tree.find("/a/b")->czxid == Zxid{3});
}

TEST_CASE("zookeeper: a deletion is reported once, whatever a client watches") {
  Watches watches;
  watches.addData("/a", 1, WatchMode::once);
  watches.addChild("/a", 1, WatchMode::once);
  watches.addBoth("/", 2, WatchMode::recursive);
  CHECK(watches.trigger({EventType::NodeDeleted, "/a"}) == std::vector<ServerId>{1, 2});
  CHECK(watches.trigger({EventType::NodeCreated, "/a"}) == std::vector<ServerId>{2});
  CHECK(watches.trigger({EventType::NodeChildrenChanged, "/"}).empty());
  CHECK(watches.remove("/", WatcherType::recursive, 2));
  CHECK(watches.trigger({EventType::NodeDataChanged, "/a/b"}).empty());
}

TEST_CASE("zookeeper: a client's watches of several modes on one path do not displace each other") {
  const std::vector<ServerId> client{1};
  for (const WatchModes rule : {WatchModes::side_by_side, WatchModes::last_one}) {
    const bool together = rule == WatchModes::side_by_side;
    CAPTURE(together);
    Watches watches;
    watches.addBoth("/a", 1, WatchMode::persistent, rule);
    watches.addBoth("/a", 1, WatchMode::recursive, rule);
    watches.addData("/a", 1, WatchMode::once, rule);
    watches.addChild("/a", 1, WatchMode::once, rule);
    CHECK((watches.trigger({EventType::NodeCreated, "/a/b"}) == client) == together);
    for (const EventType type : {EventType::NodeDataChanged, EventType::NodeChildrenChanged}) {
      CHECK(watches.trigger({type, "/a"}) == client);
      CHECK((watches.trigger({type, "/a"}) == client) == together);
    }
    CHECK(watches.trigger({EventType::NodeChildrenChanged, "/a/b"}).empty());
  }
}

TEST_CASE("zookeeper: a watch is removed by its mode, or by its table") {
  Watches watches;
  watches.addBoth("/a", 1, WatchMode::persistent);
  for (const WatcherType type : {WatcherType::data, WatcherType::children, WatcherType::recursive})
    CHECK_FALSE(watches.remove("/a", type, 1));
  CHECK(watches.contains("/a", WatcherType::persistent, 1));
  CHECK(watches.contains("/a", WatcherType::any, 1));
  CHECK_FALSE(watches.contains("/a", WatcherType::any, 2));
  CHECK(watches.contains("/a", WatcherType::any, 2, WatchRemoval::by_table));
  Watches earlier = watches;
  CHECK(watches.remove("/a", WatcherType::persistent, 1));
  CHECK(watches == Watches{});
  CHECK(earlier.remove("/a", WatcherType::data, 1, WatchRemoval::by_table));
  CHECK(earlier.trigger({EventType::NodeDataChanged, "/a"}).empty());
  CHECK(earlier.trigger({EventType::NodeChildrenChanged, "/a"}) == std::vector<ServerId>{1});
}

TEST_CASE("zookeeper: what is an address in an access control list") {
  const auto isValid = [](const char* address, AddressLists rule) {
    return fixedUp({{perms::all, "ip", address}}, {}, rule).has_value();
  };
  for (const char* address : {"127.0.0.1", "10.0.0.0/8", "0.0.0.0/0"}) {
    CAPTURE(address);
    CHECK(isValid(address, AddressLists::both));
    CHECK(isValid(address, AddressLists::four_bytes));
  }
  for (const char* address :
       {"::", "::1", "1::", "2001:db8::/32", "1:2:3:4:5:6:7:8", "fe80::aB:1/128", "1::7:8/0"}) {
    CAPTURE(address);
    CHECK(isValid(address, AddressLists::both));
    CHECK_FALSE(isValid(address, AddressLists::four_bytes));
  }
  for (const char* address :
       {"", "localhost", "1.2.3", "1.2.3.256", "1.2.3.4/33", ":", "1:2", "1::2::3", "::12345",
        "1:2:3:4:5:6:7:8:9", "1:2:3:4::5:6:7:8", "::g", "::1/129", ":1::", "::1.2.3.4"}) {
    CAPTURE(address);
    CHECK_FALSE(isValid(address, AddressLists::both));
  }
  CHECK(isAllowed({{perms::read, "ip", "2001:db8::/32"}}, perms::read, {{"ip", "2001:db8:0:1::5"}}));
  CHECK_FALSE(isAllowed({{perms::read, "ip", "2001:db8::/32"}}, perms::read, {{"ip", "2001:db9::"}}));
  CHECK_FALSE(isAllowed({{perms::read, "ip", "::/0"}}, perms::read, {{"ip", "127.0.0.1"}}));
}

TEST_CASE("zookeeper: in a closed loop each request waits for the end of the one before") {
  struct Happening {
    Millis asked = 0;
    Millis answered = 0;
    std::string error;
  };
  const auto setsData = [](bool closed) {
    Json loop{{"at", 1000}, {"client", 101}, {"setData", "/a"}, {"times", 4}, {"every", 10}};
    if (closed) loop["closed"] = true;
    const Json text{{"kind", "scenario"},
                    {"name", "a loop"},
                    {"protocol", "zookeeper"},
                    {"servers", 1},
                    {"config", {{"standalone", true}}},
                    {"clients", {{{"id", 101}}}},
                    {"timing", {{"latency_ms", 50}, {"dial_ms", 1}, {"fsync_ms", 1}}},
                    {"steps",
                     {{{"at", 1}, {"client", 101}, {"connect", 1}},
                      {{"at", 500}, {"client", 101}, {"create", "/a"}},
                      loop,
                      {{"at", 1160}, {"crash", 1}},
                      {{"at", 1200}, {"start", 1}}}},
                    {"until", 9000}};
    std::map<std::int64_t, Happening> found;
    for (const TraceEvent& event :
         runScenario(readCase("a loop", JsonValue::fromJson(text, "a loop")).scenario).trace.events) {
      if (event.kind != "asked" && event.kind != "answered") continue;
      if (event.time < 1000 || !event.data.at("op").contains("setData")) continue;
      Happening& one = found[event.data.at("number")];
      if (event.kind == "asked") {
        one.asked = event.time;
      } else {
        one.answered = event.time;
        one.error = event.data.at("result").at("error");
      }
    }
    std::vector<Happening> inOrder;
    for (const auto& [number, one] : found) inOrder.push_back(one);
    return inOrder;
  };
  const auto open = setsData(false);
  REQUIRE(open.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(open[i].asked == 1000 + static_cast<Millis>(i) * 10);
  const auto closed = setsData(true);
  REQUIRE(closed.size() == 4);
  CHECK(closed[0].error == "OK");
  CHECK(closed[0].answered >= 1100);  // two messages of 50 ms
  CHECK(closed[1].error == "CONNECTIONLOSS");
  CHECK(closed[3].error == "OK");
  for (std::size_t i = 1; i < 4; ++i) CHECK(closed[i].asked == closed[i - 1].answered + 10);
}

TEST_CASE("conform: real servers' answers to clients are those of the simulated ones") {
  const Rules release = ruleTables().variant("zookeeper-3.8.0")->rules;
  CHECK(disagreeing(recorded("random.json"), release) == std::set<std::string>{});
  const JsonValue facts = recorded("facts.json");
  CHECK(disagreeing(facts, release) == std::set<std::string>{});
  CHECK(disagreeing(facts, release, Agreement::undecidable) ==
        std::set<std::string>{"expiry_delay_dropped", "expiry_delay_silent_follower",
                              "expiry_delay_silent_leader"});
}

TEST_CASE("conform: while a leader is stopped another one is elected, and counts") {
  QuietEnsemble ensemble({.servers = 3, .leader = 2}, {});
  const std::int64_t before = ensemble.last().epoch();
  ensemble.pause(2);
  ensemble.pass(60'000);
  CHECK(ensemble.leads(3));
  CHECK(ensemble.leads(2));  // it does not know better
  CHECK(ensemble.last().epoch() == before + 1);
  ensemble.resume(2, QuietEnsemble::Backlog::as_arrived);
  ensemble.pass(60'000);
  CHECK(!ensemble.leads(2));
}

TEST_CASE("conform: with another rule recorded sequences differ") {
  const JsonValue random = recorded("random.json");
  const JsonValue facts = recorded("facts.json");
  struct Row {
    const char* mutation;
    const char* fact;  ///< one that differs; null: the random sequences do
  };
  for (const Row& row :
       {Row{"watch_after_data", "watch_own_event_before_reply"},
        Row{"session_owner_unchecked", "session_moved"},
        Row{"session_accepted_unseen", "session_bad_credentials"},
        Row{"sequence_counts_children", "seq_after_deletes"}, Row{"multi_half_done", "multi_fail"},
        Row{"client_reads_at_once", "fifo_pipeline"},
        Row{"client_reads_at_once", "read_behind_pending_write"}, Row{"watch_after_data", "stale_read"},
        Row{"watches_fire_again", "watch_exists_absent"},
        Row{"deletion_reported_twice", "watch_both_deleted"},
        Row{"ephemerals_have_children", "zxid_no_children"}, Row{"versions_ignored", "zxid_bad_version"},
        Row{"rights_unchecked", "acl_digest"}, Row{"expired_ephemerals_stay", "expiry_zxid"},
        Row{"sequence_counts_children", nullptr}, Row{"multi_half_done", nullptr},
        Row{"versions_ignored", nullptr}}) {
    CAPTURE(std::string(row.mutation));
    Rules rules = ruleTables().variant("zookeeper-3.8.0")->rules;
    mutate(rules, *ruleTables().mutation(row.mutation));
    const auto names = disagreeing(row.fact == nullptr ? random : facts, rules);
    CHECK((row.fact == nullptr ? names.size() >= 10 : names.contains(row.fact)));
  }
}

TEST_CASE("conform: what later releases answer differently is not what was recorded") {
  const JsonValue facts = recorded("facts.json");
  CHECK(disagreeing(facts, {}).contains("watch_persistent_and_standard"));
  CHECK(disagreeing(facts, ruleTables().variant("zookeeper-3.9.5")->rules)
            .contains("watch_persistent_and_standard"));
}

TEST_CASE("conform: without upgrades the recorded sequences with local sessions differ") {
  Rules rules = ruleTables().variant("zookeeper-3.8.0")->rules;
  rules.local_ephemerals = LocalEphemerals::refused;
  CHECK(disagreeing(recorded("facts.json"), rules) ==
        std::set<std::string>{"local_sessions", "readonly_mode_local_sessions"});
}

TEST_CASE("conform: a damaged sequence of clients is undecidable, with the place of what is wrong") {
  const std::string fact = R"({"name":"x","options":[],"steps":[)";
  const std::string connected =
      R"({"c":"c1","op":"connect","server":1,"a":{"timeout":30000,"lastZxidSeen":0,"session":0},)"
      R"("r":{"session":"s1","timeout":30000}})";
  struct Row {
    std::string record;
    const char* message;
    int column;
  };
  for (const Row& row :
       {Row{"{}", "there is no `options`", 11},
        Row{R"({"options":[],"steps":[]})", "there is no `name`", 11},
        Row{R"({"name":"x","options":[]})", "there is no `steps`", 11},
        Row{R"({"name":"x","options":[],"servers":10,"steps":[]})", "must be a whole number from 1 to 9", 46},
        Row{R"({"name":"x","options":[],"leader":1,"steps":[]})", "server 1 does not lead", 36},
        Row{R"({"name":"x","options":[],"tick_ms":0,"steps":[]})",
            "must be a whole number from 2 to 86400000", 46},
        Row{fact + "{}]}", "key 'op' not found", 45},
        Row{fact + "{\"op\":7}]}", "type must be string", 45},
        Row{fact + connected + R"(,{"op":"note","note":"kill -9","server":4}]})", "there is no server 4",
            170},
        Row{fact + R"({"op":"note","note":"started","server":3}]})", "server 3 is up already", 45},
        Row{fact + R"({"op":"note","note":"server runs","server":3}]})", "there is no server to which", 45},
        Row{fact + connected + R"(,{"c":"c1","op":"send only","a":["getData"]}]})",
            "an operation that is sent has no arguments", 170},
        Row{fact + R"({"op":"wait","a":{"seconds":0.1}}],"second_recording":{"leader":1,"steps":{}}})",
            "server 1 does not lead", 100},
        Row{fact + R"({"op":"wait","a":{"seconds":0.1}}],"second_recording":{"steps":{"1":{}}}})",
            "not all of these are indices of steps", 108},
        Row{fact + R"({"op":"wait","a":{"seconds":"x"}}]})", "stoll", 45},
        Row{fact + R"({"op":"wait","a":{"seconds":3600}}]})", "a wait of 3600 seconds", 45},
        Row{fact + R"({"op":"wait","a":{"seconds":10000000000000}}]})", "must be a whole number from", 73},
        Row{fact + R"({"op":"note","note":"waited long"}]})", "stoll", 45},
        Row{fact + R"({"op":"note","note":"waited 1 s"}]})", "key 'roles' not found", 45},
        Row{fact + R"({"op":"wait","a":{"minutes":1.5}}]})", "must be a whole number", 73}}) {
    const std::string file = "{\"facts\":[" + row.record + "]}";
    CAPTURE(file);
    const JsonValue recording = parseJson("damaged.json", file);
    const std::vector<ConformLine> lines = judgeClients({})->judge(recording);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].agreement == Agreement::undecidable);
    CHECK_MESSAGE(lines[0].why.find(row.message) != std::string::npos, lines[0].why);
    CHECK_MESSAGE(lines[0].why.find("column " + std::to_string(row.column) + ")") != std::string::npos,
                  lines[0].why);
  }
}

TEST_CASE("conform: a value that cannot be read makes its sequence undecidable, and no other one") {
  const JsonValue facts = recorded("facts.json");
  const std::vector<ConformLine> before = judgeClients({})->judge(facts);
  for (const char* arguments :
       {R"({"path": "/t/a", "data": "", "flags": "TTL", "ttl": 1099511627776})",
        R"({"path": "/t/a", "data": "", "flags": 1.5})", R"({"path": null, "data": "", "flags": "P"})",
        R"({"path": "/t/a", "data": "", "flags": "P", "acl": null})",
        R"({"path": "/t/a", "data": "", "flags": "EPHEMERALL"})"}) {
    CAPTURE(arguments);
    Json changed = facts.plain();
    changed["facts"][0]["steps"].push_back(
        {{"c", "c1"}, {"op", "create"}, {"a", Json::parse(arguments)}, {"r", {{"err", 0}}}});
    changed["facts"][0]["steps"][0] = {
        {"c", "c1"}, {"op", "create"}, {"a", Json::parse(arguments)}, {"r", {{"err", 0}}}};
    const std::vector<ConformLine> lines = judgeClients({})->judge(JsonValue::fromJson(changed, "changed"));
    REQUIRE(lines.size() == before.size());
    CHECK_MESSAGE(lines[0].agreement == Agreement::undecidable, lines[0].why);
    for (std::size_t i = 1; i < lines.size(); ++i) CHECK(lines[i].agreement == before[i].agreement);
  }
}

TEST_CASE("conform: a zxid of a later epoch is an argument, too; requests that are sent stand in pairs") {
  const std::string connect =
      R"({"c":"c1","op":"connect","server":3,"a":{"timeout":30000,"lastZxidSeen":0,"session":0},)"
      R"("r":{"session":"s1","timeout":30000}},)";
  const std::string begin =
      R"({"facts":[{"name":"x","options":[],"servers":3,"leader":3,"steps":[)" + connect;
  // A server refuses a client that has seen more than it has.
  const std::string later =
      R"({"c":"c2","op":"connect","server":3,"a":{"timeout":30000,"lastZxidSeen":"+1.5","session":0},)"
      R"("r":{"closed":true}}]}]})";
  // As recorded from ZooKeeper 3.8.0: one request may be sent while another one is outstanding.
  const std::string pairs =
      R"({"c":"c1","op":"send only","a":[["create",{"path":"/t/a","data":"","flags":"P"}],)"
      R"(["setData",{"path":"/t/a","data":"x","version":-1}]],"note":"both followers stand still"},)"
      R"({"c":"c1","op":"listen","a":{},"no_barrier":true,"arrivals":[)"
      R"(["reply","create",{"err":0,"rel":2,"path":"/t/a"}],["reply","setData",{"err":0,"rel":3,"stat":)"
      R"({"czxid":2,"mzxid":3,"pzxid":2,"version":1,"cversion":0,"aversion":0,"ephemeralOwner":0,)"
      R"("dataLength":1,"numChildren":0}}]]}]}]})";
  for (const std::string& rest : {later, pairs}) {
    CAPTURE(rest);
    const auto lines = judgeClients({})->judge(parseJson("facts.json", begin + rest));
    REQUIRE(lines.size() == 1);
    CHECK_MESSAGE(lines[0].agreement == Agreement::agrees, lines[0].why);
  }
}

TEST_CASE("zookeeper: a client that asks nothing pings") {
  NodeConfig config;
  config.client = true;
  Node node;
  node.self = 101;
  node.client = {.state = ClientState::CONNECTING, .server = 1};
  Effects effects;
  Family::step(config, {}, node, V::Received{client_link, 1, ConnectResponse{101, 6000}}, effects);
  CHECK(std::any_of(effects.begin(), effects.end(), [](const auto& effect) {
    const auto* set = get_if<V::SetTimer>(&effect);
    return set != nullptr && set->timer.kind == V::TimerKind(TimerKind::client_ping) && set->lo == 2000;
  }));
}

TEST_CASE("zookeeper: a leader that cannot propose proposes nothing for emptied containers or sessions") {
  Node leading;
  leading.self = 1;
  leading.role = zab::Role::LEADING;
  leading.phase = zab::Phase::broadcast;
  leading.last_proposed = {zab::counter_max - 1};
  for (const char* path : {"/a", "/b"})
    leading.service.nodes[path] = {.creates = 1, .kind = NodeKind::container};
  leading.tracked[1];
  const auto fired = [](Node node, TimerKind kind, SessionId key) {
    NodeConfig config;
    config.members = {{.id = 1}};
    Effects effects;
    Family::step(config, {}, node, V::Fired{{kind, {.own = key}}, false}, effects);
    return node;
  };
  const Node after = fired(leading, TimerKind::container_check, no_session);
  CHECK(after.role == zab::Role::LOOKING);  // there is no zxid for the first of the two
  CHECK(after.files.log.empty());           // and the second is not proposed with another

  leading.last_proposed = {};
  CHECK(fired(leading, TimerKind::container_check, no_session).outstanding_proposals.size() == 2);
  CHECK(fired(leading, TimerKind::session_expiry, 1).outstanding_proposals.size() == 1);
  // Where a restart ends every session, there may be a zxid for fewer than all.
  Node restarted = Family::blank(1);
  restarted.role = zab::Role::LEADING;
  restarted.phase = zab::Phase::broadcast;
  restarted.last_proposed = {zab::counter_max - 1};
  for (const SessionId session : {1, 2}) restarted.service.sessions[session].timeout = 4000;
  NodeConfig config;
  config.members = {{.id = 1}};
  Rules rules;
  rules.session_memory = SessionMemory::process;
  Effects effects;
  trackAll({config, rules, restarted, effects});
  CHECK(restarted.role == zab::Role::LOOKING);
  CHECK(restarted.files.log.empty());
  leading.log_failed = true;
  CHECK(fired(leading, TimerKind::container_check, no_session).outstanding_proposals.empty());
  CHECK(fired(leading, TimerKind::session_expiry, 1).outstanding_proposals.empty());
}

TEST_CASE("zookeeper: quotas count what is below a path, and hard limits refuse what exceeds them") {
  Tree tree;
  Zxid zxid;
  const auto prepared = [&](const SubOp& op) {
    Rules rules;
    rules.quotas = Quotas::enforced;
    return prepare(rules, tree, {}, {.session = 1, .op = {op}, .identities = {{"world", "anyone"}}});
  };
  const auto asked = [&](const SubOp& op) {
    ++zxid.value;
    const auto results = tree.apply(zxid, prepared(op)).results;
    return results.front().error;
  };
  const auto create = [&](const std::string& path, const std::string& data) {
    return asked({.code = OpCode::create, .path = path, .data = data, .acl = openAcl()});
  };
  const std::string below = "/zookeeper/quota/q/", stats = below + "zookeeper_stats";
  const auto counted = [&] { return tree.find(stats)->data.value_or(""); };
  for (const std::string path : {"/q", "/q/old", "/zookeeper/quota/q"})
    CHECK(create(path, "abc") == Error::OK);
  CHECK(create(below + "zookeeper_limits", "count=1,bytes=1=;byteHardLimit=9;countHardLimit=4") == Error::OK);
  CHECK(create(stats, "count=77,bytes=77") == Error::OK);
  CHECK(counted() == "count=2,bytes=6");                 // what there was already
  CHECK(create("/quiet", "abcdefghijkl") == Error::OK);  // not below /q
  CHECK(create("/q/a", "ab") == Error::OK);              // beyond the soft limits
  CHECK(counted() == "count=3,bytes=8");
  CHECK(create("/q/b", "ab") == Error::QUOTAEXCEEDED);
  CHECK(create("/q/b", "a") == Error::OK);
  CHECK(create("/q/c", "") == Error::QUOTAEXCEEDED);
  CHECK(counted() == "count=4,bytes=9");
  CHECK(asked({.code = OpCode::setData, .path = "/q/a", .data = "abc", .version = -1}) ==
        Error::QUOTAEXCEEDED);
  CHECK(asked({.code = OpCode::setData, .path = "/q/a", .data = "", .version = -1}) == Error::OK);
  CHECK(asked({.code = OpCode::remove, .path = "/q/b", .version = -1}) == Error::OK);
  CHECK(counted() == "count=3,bytes=6");
  CHECK(asked({.code = OpCode::setData,
               .path = below + "zookeeper_limits",
               .data = "no=numbers,,;=",
               .version = -1}) == Error::OK);
  CHECK(create("/q/long", "abcdefghijkl") == Error::OK);
  // Whatever a client writes there is counted on, as Java's numbers are.
  CHECK(asked({.code = OpCode::setData,
               .path = stats,
               .data = "count=9223372036854775807,bytes=1",
               .version = -1}) == Error::OK);
  CHECK(create("/q/more", "") == Error::OK);
  CHECK(counted() == "count=-9223372036854775808,bytes=1");
}

TEST_CASE(
    "check: clients have their sessions when a search begins, and a counterexample contains how they got "
    "them") {
  const auto modelWith = [](const Json& changes) {
    Json text = loadCase(ZABLAB_SOURCE_DIR "/scenarios/models/one-node-ephemeral-and-watch.json")
                    .model.document.plain();
    text.update(changes);
    return modelOf(text);
  };
  CheckOptions options;
  options.states_max = 100;
  CHECK(check(modelWith(Json::object()), options).distinct >= 100);
  const CheckResult result = check(modelWith({{"mutations", {"expired_ephemerals_stay"}}}), {});
  REQUIRE(result.scenario);
  std::map<std::string, int> done;
  for (const Json& action : result.scenario->at("actions")) ++done[action.at("do")];
  CHECK(done["dial"] == 3);
  CHECK(result.scenario->at("actions").size() > result.length);
  // Servers that look for a leader serve nobody.
  CHECK_THROWS_WITH_AS(check(modelWith({{"servers", 3}, {"config", Json::object()}}), options),
                       doctest::Contains("client 101 is not connected before the search begins"), InputError);
}

}  // namespace
}  // namespace zablab::zookeeper
