// The comparison of protocols: its figures, what moves them, and that a seed's run can be had again.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "checker/compare/compare.h"
#include "checker/compare/contender.h"
#include "checker/execute.h"
#include "tests/program.h"

namespace zablab {
namespace {

using Values = std::vector<std::optional<std::int64_t>>;

FaultScript scriptNamed(const std::string& name) {
  const auto& all = builtInScripts();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const FaultScript& one) { return one.name == name; });
  REQUIRE(found != all.end());
  return *found;
}

struct Planted {
  std::string protocol;
  std::string faults;
  std::string mutation = "";
};

/// Of the first seeds.
std::optional<Spread> spreadOf(const Planted& planted, Measure measure, std::uint64_t seeds) {
  CompareRequest request;
  request.script = scriptNamed(planted.faults);
  request.contenders = {findContender(planted.protocol)};
  REQUIRE(request.contenders.front() != nullptr);
  request.count = seeds;
  if (!planted.mutation.empty()) request.overrides.mutations = {planted.mutation};
  return compare(request).front().spread(measure, 0);
}

std::int64_t mostOf(const Planted& planted, Measure measure, std::uint64_t seeds) {
  const auto spread = spreadOf(planted, measure, seeds);
  REQUIRE(spread.has_value());
  return spread->max;
}

}  // namespace

TEST_CASE("compare: quartiles, extremes and the worst seed") {
  struct Row {
    Values values;
    std::optional<Spread> spread;
  };
  const std::vector<Row> rows{
      {{}, std::nullopt},
      {{std::nullopt, std::nullopt}, std::nullopt},
      {{7}, Spread{1, 7, 7, 7, 7, 7, 100}},
      {{std::nullopt, 7}, Spread{1, 7, 7, 7, 7, 7, 101}},
      {{-3}, Spread{1, -3, -3, -3, -3, -3, 100}},
      {{4, 1, 3, 2}, Spread{4, 1, 1, 2, 3, 4, 100}},
      {{1, 9, 9, 2}, Spread{4, 1, 1, 2, 9, 9, 101}},
      {{0, 0, 0, 0, 5}, Spread{5, 0, 0, 0, 0, 5, 104}},
      {{8, 7, 6, 5, 4, 3, 2, 1}, Spread{8, 1, 2, 4, 6, 8, 100}},
  };
  for (const Row& row : rows) CHECK(spreadOf(row.values, 100) == row.spread);
}

TEST_CASE("compare: each measure moves when what it measures is broken") {
  const auto as_it_is = [](const std::string& protocol, const std::string& faults) {
    return Planted{protocol, faults};
  };
  SUBCASE("no new leader: there is no time without one, and nothing is answered any more") {
    CHECK(spreadOf(as_it_is("zab", "leader-dies"), Measure::without_leader, 5)->runs == 5);
    CHECK(mostOf(as_it_is("zab", "leader-dies"), Measure::longest_wait, 5) < 1000);
    const Planted broken{"zab", "leader-dies", "zab_follower_never_looks"};
    CHECK_FALSE(spreadOf(broken, Measure::without_leader, 5).has_value());
    CHECK_FALSE(spreadOf(broken, Measure::messages, 5).has_value());
    CHECK(mostOf(broken, Measure::longest_wait, 5) > 50'000);
  }
  SUBCASE("messages: without the pre-vote there are fewer until a new leader serves") {
    const auto messages = [](const std::string& mutation) {
      return spreadOf({"leader_followers", "leader-dies", mutation}, Measure::messages, 40)->median;
    };
    CHECK(messages("raft_no_prevote") < messages(""));
  }
  SUBCASE("lost writes: a minority that commits loses what it answered") {
    CHECK(mostOf(as_it_is("zab", "minority-cut"), Measure::lost_writes, 5) == 0);
    CHECK(mostOf({"zab", "minority-cut", "zab_first_ack_commits"}, Measure::lost_writes, 5) > 0);
  }
  SUBCASE("false elections: a server that comes back deposes the leader") {
    CHECK(mostOf(as_it_is("leader_followers", "link-flaps"), Measure::false_elections, 30) == 0);
    CHECK(mostOf({"leader_followers", "link-flaps", "raft_no_prevote"}, Measure::false_elections, 30) > 0);
  }
  SUBCASE("lost writes, where leaders write to a resource: one that compares no tokens takes a late write") {
    CHECK(mostOf(as_it_is("external_store", "minority-cut"), Measure::lost_writes, 20) == 0);
    CHECK(mostOf({"external_store", "minority-cut", "ext_no_fencing_token"}, Measure::lost_writes, 20) > 0);
  }
  SUBCASE("false elections: a leader whose key is replaced while it runs") {
    CHECK(mostOf(as_it_is("external_store", "leader-pauses"), Measure::false_elections, 30) == 0);
    CHECK(mostOf({"external_store", "leader-pauses", "ext_get_then_put"}, Measure::false_elections, 30) > 0);
  }
  SUBCASE("stale reads: followers that answer reads") {
    CHECK(mostOf(as_it_is("leader_followers", "link-flaps"), Measure::stale_reads, 5) == 0);
    CHECK(mostOf({"leader_followers", "link-flaps", "lf_followers_answer_reads"}, Measure::stale_reads, 5) >
          0);
  }
  SUBCASE("stale reads, where the store has what is read: one of its servers that asks nobody") {
    CHECK(mostOf(as_it_is("external_store", "minority-cut"), Measure::stale_reads, 20) == 0);
    CHECK(mostOf({"external_store", "minority-cut", "ext_stale_read_store"}, Measure::stale_reads, 20) > 0);
  }
}

TEST_CASE("compare: as real servers do") {
  const auto median = [](const Planted& planted, Measure measure, std::uint64_t seeds = 60) {
    const auto spread = spreadOf(planted, measure, seeds);
    REQUIRE(spread.has_value());
    return spread->median;
  };
  const auto isBetween = [](std::int64_t value, std::int64_t least, std::int64_t most) {
    CHECK(value >= least);
    CHECK(value <= most);
  };
  // A connection that ends is noticed at once; a leader that is silent only after syncLimit ticks of 2 s.
  CHECK(mostOf({"zab", "leader-dies"}, Measure::without_leader, 20) < 1000);
  CHECK(spreadOf({"zab", "leader-pauses"}, Measure::without_leader, 20)->min >= 5 * 2000);
  // etcd 3.4 with pre-vote, three members, T = 1000 ms: 1118 and 1715 ms. Of five, the first of four asks:
  // after 9 ticks at the earliest.
  isBetween(median({"leader_followers", "leader-dies"}, Measure::without_leader), 900, 1715);
  // Redis 7.0.15: until +odown 1053 to 1206 ms, then medians of 78 (elected), 143 (told), 828 (seen as
  // master) and 52 ms (others switch).
  isBetween(median({"sentinel", "leader-dies"}, Measure::without_leader), 1053 + 78 + 143 + 828 + 52,
            1206 + 78 + 143 + 828 + 52 + 100);
  // FAIL after 2457 to 3202 ms; delays of 529 to 984 ms at rank 0, and up to a tick of 100 ms.
  isBetween(median({"redis_cluster", "leader-dies"}, Measure::without_leader), 2457 + 529, 3202 + 984 + 100);
  // The old master accepts writes of two clients, four in a second, while it is cut off; with Sentinel 10 s
  // longer, as a master that had been stopped did; in a cluster until it notices that it is in a minority, at
  // 2825 ms.
  isBetween(median({"sentinel", "minority-cut"}, Measure::lost_writes, 20), 4 * (30 + 9), 4 * (30 + 11));
  isBetween(median({"redis_cluster", "minority-cut"}, Measure::lost_writes, 20), 4 * 2, 4 * 3);
  // As long as it does, it answers as many reads of these two, most of them with old data, and the new master
  // does not have what the old one accepts.
  isBetween(median({"sentinel", "minority-cut"}, Measure::stale_reads, 20), 2 * (30 + 9), 10 * (30 + 11));
  // On an external store the lease decides: 3000 ms since the store's last renewal, which is up to 1000 ms
  // old, and up to 500 ms until the store looks which leases are over; then the change is notified, the key
  // is created, and a client of a dead leader asks again within 100 ms.
  for (const char* faults : {"leader-dies", "two-deaths"}) {
    const auto spread = spreadOf({"external_store", faults}, Measure::without_leader, 60);
    CHECK(spread->min >= 3000 - 1000);
    CHECK(spread->max <= 3000 + 500 + 200);
  }
  // Kafka's brokers notice a death by ZooKeeper: the session of 18 s ends that long after the last ping,
  // which is up to 6 s old; ZooKeeper rounds up to its tick of 2 s.
  for (const char* faults : {"leader-dies", "two-deaths", "leader-pauses"}) {
    const auto spread = spreadOf({"kafka", faults}, Measure::without_leader, 20);
    CHECK(spread->min >= 18'000 - 6000);
    CHECK(spread->max <= 18'000 + 2000 + 1000);
  }
  // A pause that is longer than the detection and shorter than the replacement: Redis' sentinels see a master
  // down after 1.0 to 1.2 s, and need 2.1 s until the promotion, which nothing stops; a master of a cluster
  // is marked FAIL after 2.5 to 3.2 s, and replaced after 3.0 at the earliest.
  isBetween(mostOf({"sentinel", "short-pauses"}, Measure::false_elections, 20), 1, 3);
  isBetween(mostOf({"redis_cluster", "short-pauses"}, Measure::false_elections, 20), 1, 3);
  for (const FaultScript& script : builtInScripts()) {
    CAPTURE(script.name);
    for (const char* safe : {"zab", "leader_followers", "external_store", "kafka"})
      CHECK(mostOf({safe, script.name}, Measure::lost_writes, 5) == 0);
  }
}

TEST_CASE("compare: the run of a seed can be had again, and shows the same, by the same account") {
  for (const Contender* contender : contenders()) {
    CAPTURE(contender->protocol());
    CompareRequest request;
    request.script = scriptNamed("leader-dies");
    request.contenders = {contender};
    request.first = 10;
    request.count = 3;
    const ContenderResult result = compare(request).front();
    const auto spread = result.spread(Measure::longest_wait, request.first);
    REQUIRE(spread.has_value());
    // As it is printed and read again.
    const Json text = toCompactJson(contender->scenario(request.script, spread->worst_seed, {}));
    const LoadedScenario scenario = readCase("again", JsonValue::fromJson(text, "again")).scenario;
    const Trace trace = runScenario(scenario).trace;
    const auto killed = std::find_if(trace.events.begin(), trace.events.end(),
                                     [](const TraceEvent& event) { return event.kind == "stopped"; });
    REQUIRE(killed != trace.events.end());
    std::int64_t last = killed->time, longest = 0;
    for (const TraceEvent& event : trace.events) {
      if (event.time < killed->time) continue;
      // Of Kafka's brokers there are also answers of ZooKeeper.
      const std::string operation = event.kind == "produced" ? "write" : event.data.value("operation", "");
      const bool answer = event.kind == "produced" || event.kind == "answered";
      if (!answer || (operation != "put" && operation != "write") || event.data.at("outcome") != "ok")
        continue;
      longest = std::max(longest, event.time - last);
      last = event.time;
    }
    CHECK(std::max(longest, scenario.spec.until - last) == spread->max);
    const Measured& measured = result.runs[spread->worst_seed - request.first];
    const Json& clients = trace.header.at("clients");
    CHECK(measured.answered_writes > 10);
    CHECK(clients.at("writes") == measured.answered_writes);
    CHECK(clients.at("lost").size() == measured[Measure::lost_writes].value_or(0));
  }
}

TEST_CASE("compare: a measure without a meaning is no 0, in a table, in JSON and in a picture") {
  const Folder folder;
  const std::string svg = folder / "f.svg";
  // It ends before ZooKeeper can end the session of Kafka's controller, after 12 s at the earliest.
  const std::string file = folder.write(
      "f.json", R"({"kind": "faults", "name": "n", "until": 9000, "faults": [{"fault": "dies"}]})");
  Words words{"compare", "--faults", file, "--seeds", "0:5", "--svg", svg};
  const Ran table = zablab(folder, words);
  REQUIRE(table.status == 0);
  const auto lineAfter = [&](const std::string& heading, const std::string& protocol) {
    const std::size_t at = table.out.find("  " + protocol + " ", table.out.find(heading));
    return table.out.substr(at, table.out.find('\n', at) - at);
  };
  CHECK(lineAfter("time without a leader", "kafka").ends_with(" -"));
  CHECK_FALSE(lineAfter("time without a leader", "zab").ends_with(" -"));
  words.emplace_back("--json");
  const Json json = Json::parse(zablab(folder, words).out);
  for (const Json& row : json.at("protocols")) {
    CHECK(row.at("measures").at("without_leader_ms").is_null() == (row.at("protocol") == "kafka"));
    CHECK_FALSE(row.at("measures").at("stale_reads").is_null());
  }
  const std::string picture = contentsOf(svg);
  CHECK(picture.starts_with("<svg "));
  CHECK(picture.ends_with("</svg>\n"));
  for (const Contender* contender : contenders())
    CHECK(has(picture, ">" + std::string(contender->protocol()) + "<"));
  CHECK(has(picture, ">time without a leader, ms<"));
  CHECK(has(picture, ">-</text>"));
  CHECK_FALSE(has(picture, ">false elections<"));  // there are none in these runs
  CHECK(zablab(folder, {"compare", "--faults", "leader-dies", "--seeds", "0:1", "--svg", folder / "no/f.svg"})
            .status == 4);
}

TEST_CASE("compare: the same bytes for any number of threads") {
  const Folder folder;
  const auto ran = [&](Words more) {
    Words words{"compare", "--faults", "leader-dies", "--seeds", "0:6"};
    words.insert(words.end(), more.begin(), more.end());
    const Ran result = zablab(folder, words);
    CHECK(result.status == 0);
    CHECK(result.err.empty());
    return result.out;
  };
  CHECK(ran({"--jobs", "1"}) == ran({"--jobs", "2"}));
  CHECK(ran({"--json", "--jobs", "1"}) == ran({"--json", "--jobs", "2"}));
}

TEST_CASE("compare: what a file of faults says is done, and whom it strikes is asked of the run") {
  const Folder folder;
  const std::string file = folder.write("f.json",
                                        R"({"kind": "faults", "name": "n", "until": 9000, "faults": [
          {"fault": "dies", "for": 2000}, {"at": 5000, "fault": "pauses", "for": 1000}]})");
  const Ran ran =
      zablab(folder, {"compare", "--faults", file, "--protocols", "zab", "--seeds", "0:1", "--show"});
  REQUIRE(ran.status == 0);
  const LoadedScenario scenario = readCase("f", parseJson("f", ran.out)).scenario;
  const Trace trace = runScenario(scenario).trace;
  std::vector<std::int64_t> struck;
  for (const TraceEvent& event : trace.events) {
    if (event.kind == "stopped" || event.kind == "paused") struck.push_back(*event.node);
  }
  // The second one is the leader that the death of the first has made.
  CHECK(struck.size() == 2);
  CHECK(struck.front() != struck.back());
}

// A follower hears the leader's ping every half tick: the last one at most 1 s before the pause.
TEST_CASE("compare: the time without a leader has the part that its setting decides, and a run to look at") {
  const Folder folder;
  const auto partOf = [&](int sync_limit) {
    const std::string set = "sync_limit=" + std::to_string(sync_limit);
    const Ran ran = zablab(folder, {"compare", "--faults", "leader-pauses", "--protocols", "zab", "--seeds",
                                    "0:3", "--set", set, "--parts", "--json"});
    REQUIRE(ran.status == 0);
    const Json zab = Json::parse(ran.out).at("protocols").at(0);
    CHECK(has(zab.at("measures").at("longest_wait_ms").at("worst_run").get<std::string>(), "--set " + set));
    return zab.at("parts").at("leader_limit, sync_limit " + std::to_string(sync_limit) + " × tick_ms 2000");
  };
  for (const int sync_limit : {2, 4}) {
    const Json part = partOf(sync_limit);
    const std::int64_t whole = sync_limit * 2000;
    CHECK(part.at("runs") == 3);
    CHECK(part.at("min").get<std::int64_t>() >= whole - 1050);
    CHECK(part.at("max").get<std::int64_t>() <= whole);
  }
}

TEST_CASE("compare: the servers and the times of a zoo.cfg") {
  const Folder folder;
  const std::string servers = "server.1=a:2888:3888\nserver.2=b:2888:3888\nserver.3=c:2888:3888\n";
  const std::string file = folder.write(
      "zoo.cfg", "tickTime=500\ninitLimit=10\nsyncLimit=2\n" + servers + "server.4=d:2888:3888:observer\n");
  const Words words{"compare", "--faults", "leader-pauses", "--protocols", "zab",
                    "--seeds", "0:1",      "--config",      file};
  const auto with = [&](Words more) {
    more.insert(more.begin(), words.begin(), words.end());
    return zablab(folder, more);
  };
  const Ran ran = with({"--parts", "--json"});
  REQUIRE(ran.status == 0);
  const Json zab = Json::parse(ran.out).at("protocols").at(0);
  const Json part = zab.at("parts").at("leader_limit, sync_limit 2 × tick_ms 500");
  CHECK(part.at("max").get<std::int64_t>() <= 1000);
  CHECK(has(zab.at("settings").get<std::string>(), file));
  CHECK(has(zab.at("measures").at("longest_wait_ms").at("worst_run").get<std::string>(), "--config"));
  const Ran shown = with({"--show"});
  CHECK(shown.status == 0);
  const Json scenario = Json::parse(shown.out);
  CHECK(has(scenario.at("zoo_cfg").get<std::string>(), "server.4=d"));
  CHECK(scenario.at("clients").size() == 4);  // one on each machine
  struct Row {
    std::string file;
    Words more;
    std::string message;
  };
  for (const Row& row :
       {Row{servers + "group.1=1:2\ngroup.2=3\n", {}, "not majorities"},
        Row{"syncLimit=two\n" + servers, {}, "syncLimit"}, Row{"tickTime=500\n", {}, "names no servers"},
        Row{servers, {"--set", "sync_limit=2"}, "do not go together"}}) {
    folder.write("zoo.cfg", row.file);
    const Ran bad = with(row.more);
    CAPTURE(bad.err);
    CHECK(bad.status == 2);
    CHECK(has(bad.err, row.message));
    CHECK(bad.out.empty());
  }
  const Ran other = zablab(folder, {"compare", "--faults", "leader-dies", "--protocols", "kafka", "--seeds",
                                    "0:1", "--config", file});
  CHECK(other.status == 2);
  CHECK(has(other.err, "kafka has no configuration file"));
}

TEST_CASE("compare: bad words and files have status 2, one message, and the nearest name") {
  const Folder folder;
  const auto file = [&](const std::string& fields) {
    return folder.write("bad.json",
                        "{\"kind\": \"faults\", \"name\": \"n\",\n \"faults\": [" + fields + "]}\n");
  };
  struct Row {
    Words words;
    std::string message;
  };
  const Words seeds{"--seeds", "0:1"};
  const std::vector<Row> rows{
      {{"compare", "--seeds", "0:1"}, "which faults?"},
      {{"compare", "--faults", "leader-dies"}, "which seeds?"},
      {{"compare", "--faults", "leader-die", "--seeds", "0:1"}, "did you mean leader-dies?"},
      {{"compare", "--faults", "x", "--seeds", "0:1"}, "scripts are: leader-dies, "},
      {{"compare", "--faults", "leader-dies", "--protocols", "zap", "--seeds", "0:1"}, "did you mean zab?"},
      {{"compare", "--faults", "leader-dies", "--protocols", "", "--seeds", "0:1"},
       "those that can are: zab, "},
      {{"compare", "--faults", "leader-dies", "--protocols", "quorum_register", "--seeds", "0:1"},
       "can be compared"},
      {{"compare", "--faults", "leader-dies", "--protocols", "zab,zab", "--seeds", "0:1"}, "twice"},
      {{"compare", "--faults", "leader-dies", "--seeds", "1:0"}, "names no seed"},
      {{"compare", "--faults", "leader-dies", "--seeds", "0:2000000"}, "more than 1,000,000"},
      {{"compare", "--faults", "leader-dies", "--seeds", "0:1", "--jobs", "0"}, "--jobs is a whole number"},
      {{"compare", "--faults", "leader-dies", "--seeds", "0:1", "--show"}, "requires one protocol"},
      {{"compare", "--faults", "leader-dies", "--seeds", "0:1", "--mutate", "zab_first_ack_commits"},
       "require one protocol"},
      {{"compare", "--faults", "leader-dies", "--seeds", "0:1", "--protocols", "zab", "--mutate",
        "raft_no_prevote"},
       "zab has no mutation `raft_no_prevote`"},
      {{"compare", "--faults", folder / "none.json", "--seeds", "0:1"}, "none.json"},
      {{"compare", "--faults", "leader-dies", "--seeds", "0:1", "--set", "sync_limit=2"},
       "require one protocol"},
      {{"compare", "--faults", "leader-dies", "--protocols", "zab", "--seeds", "0:1", "--set", "sync_limit"},
       "--set requires NAME=VALUE"},
      {{"compare", "--faults", "leader-dies", "--protocols", "zab", "--seeds", "0:1", "--set", "sync=2"},
       "unknown key `sync` in `config`"},
      {{"compare", "--faults", "leader-dies", "--protocols", "zab", "--seeds", "0:1", "--set", "tick_ms=0"},
       "`tick_ms` is from 2"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.words);
    const Ran ran = zablab(folder, row.words);
    CHECK(ran.status == 2);
    CHECK(ran.out.empty());
    CHECK(has(ran.err, row.message));
  }
  const std::vector<std::pair<std::string, std::string>> files{
      {R"({"fault": "die"})", "bad.json:2:23: error: "},
      {R"({"falt": "dies"})", "did you mean `fault`?"},
      {R"({"at": 0})", "`faults[0]` needs `fault`"},
      {R"({"at": 5, "fault": "dies"})", "the first is at 0"},
      {R"({"fault": "dies"}, {"at": -1, "fault": "dies"})", "bad.json:2:33: error: `at` is a number"},
      {R"({"fault": "dies", "for": 0})", "`for` is a number"},
      {R"({"fault": "slow_disk", "every": 1})", "`every` is at least 10 ms"},
      {"", "names no fault"},
      {"{", "bad.json:"},
  };
  for (const auto& bad : files) {
    CAPTURE(bad.first);
    const Ran ran = zablab(folder, {"compare", "--faults", file(bad.first), "--seeds", "0:1"});
    CHECK(ran.status == 2);
    CHECK(ran.out.empty());
    CHECK(has(ran.err, bad.second));
  }
}

}  // namespace zablab
