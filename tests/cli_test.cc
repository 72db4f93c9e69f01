// The program as its users see it: exit statuses, messages, files, and the effects of bad input.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "checker/execute.h"
#include "checker/protocol.h"
#include "checker/replay.h"
#include "tests/program.h"

namespace zablab {
namespace {

const std::string shipped = ZABLAB_SOURCE_DIR "/scenarios/election/000-F1-three-servers-start.json";
const std::string shipped_model = ZABLAB_SOURCE_DIR "/scenarios/models/election-2.json";

std::size_t countOf(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// A scenario with these further fields, as text.
std::string scenario(const std::string& fields, const std::string& servers = "3") {
  return "{\"kind\": \"scenario\", \"name\": \"n\", \"until\": 300,\n \"servers\": " + servers +
         (fields.empty() ? "" : ",\n " + fields) + "}\n";
}

std::optional<InputError> refusal(const std::string& text) {
  try {
    const Case one = readCase("f", parseJson("f", text));
    if (one.kind == Case::Kind::scenario) runScenario(one.scenario);
    return std::nullopt;
  } catch (const InputError& error) {
    return error;
  }
}

struct Bad {
  std::string text;
  std::string message;
  std::string hint = "";
};

/// A zoo.cfg of this many servers, as written in a JSON string.
std::string manyServers(int count) {
  std::string text = "initLimit=10\\nsyncLimit=5\\n";
  for (int id = 1; id <= count; ++id) text += "server." + std::to_string(id) + "=a:2888:3888\\n";
  return text;
}

std::vector<Bad> badFiles() {
  const std::string vote = R"("message": {"type": "NOTIFICATION", "vote": {"leader": 3}})";
  return {
      // not JSON
      {"", "", ""},
      {"this is no JSON", "", ""},
      {"{\"kind\": \"scenario\"", "", ""},
      {std::string(2000, '[') + std::string(2000, ']'), "deep", ""},
      {scenario("\"seed\": 1, \"seed\": 2"), "seed", ""},
      // not the schema
      {"[]", "`kind` is missing", ""},
      {"{}", "`kind` is missing", ""},
      {"{\"format\": \"zablab-trace\", \"version\": 4}", "this is a trace", "zablab replay"},
      {"{\"kind\": \"scenery\"}", "there is no kind", "scenario"},
      {"{\"kind\": 7}", "", ""},
      {"{\"kind\": \"scenario\", \"name\": \"n\", \"servers\": 3}", "until", ""},
      {"{\"kind\": \"scenario\", \"name\": \"n\", \"until\": 3}", "servers", ""},
      {scenario("\"sead\": 1"), "unknown key `sead`", "did you mean `seed`"},
      {scenario("\"steps\": {}"), "", ""},
      {scenario("\"steps\": [[]]"), "", ""},
      {scenario("\"name2\": 1"), "unknown key", ""},
      // servers
      {scenario("", "0"), "", ""},
      {scenario("", "-3"), "", ""},
      {scenario("", "1000000000"), "", ""},
      {scenario("", "1e3"), "", ""},
      {scenario("", "[]"), "there are no servers", ""},
      {scenario("", "[{\"id\": 1}, {\"id\": 1}]"), "two servers 1", ""},
      {scenario("", "[{\"id\": 1, \"role\": \"votre\"}]"), "role", "voter"},
      {scenario("", "[{\"id\": 1, \"weight\": -1}]"), "weight", ""},
      {scenario("", "[{\"id\": 1, \"disk\": {\"logg\": []}}]"), "logg", "log"},
      {scenario("", "[{\"id\": 1, \"disk\": {\"log\": [\"1.x\"]}}]"), "zxid", "1.11"},
      {scenario("", "[{\"id\": 1, \"state\": {\"role\": \"LEDING\"}}]"), "LEDING", "LEADING"},
      {scenario("", "[{\"id\": 1, \"view\": [4]}]"), "", ""},
      {scenario("", "[{\"id\": 1, \"config\": {\"tick_ms\": 0}}]"), "tick_ms", ""},
      {scenario("\"config\": {\"tick_ms\": 1}"), "`tick_ms` is from 2", ""},
      {scenario("\"config\": {\"standalone\": true}", "2"), "for a single server", ""},
      // which servers there are follows from `servers` and `clients`
      {scenario(R"("protocol": "leader_followers", "config": {"client": true})"), "which servers there are",
       ""},
      {scenario(R"("protocol": "quorum_register")", R"([{"id": 1, "config": {"client": true}}])"),
       "which servers there are", ""},
      {scenario(R"("protocol": "quorum_register", "config": {"homes": []})"), "no home", ""},
      {scenario(R"("protocol": "redis_cluster", "config": {"members": [{"id": 1}]})",
                R"([{"id": 1, "owned_slots": [0]}])"),
       "which servers there are", ""},
      {scenario(R"("protocol": "sentinel", "config": {"redis": []})",
                R"([{"id": 1}, {"id": 4, "kind": "redis"}])"),
       "which servers there are", ""},
      {scenario(R"("protocol": "kafka", "config": {"brokers": []})",
                R"([{"id": 1}, {"id": 9, "kind": "zookeeper"}])"),
       "which servers there are", ""},
      {scenario(R"("protocol": "external_store")",
                R"([{"id": 1, "config": {"kind": "store"}}, {"id": 11, "kind": "store"},
                    {"id": 12, "kind": "resource"}])"),
       "which servers there are", ""},
      {scenario("", "[{\"id\": -1}]"), "from 0", ""},
      {scenario("\"clients\": [{\"id\": -1}]"), "from 0", ""},
      {scenario("\"config\": {\"members\": [{\"id\": 1}, {\"id\": 1}]}"), "two members 1", ""},
      {scenario(R"("config": {"members": [{"id": 1, "group": 1, "weight": 4611686018427387904}]})"),
       "weights", ""},
      {R"({"kind": "scenario", "name": "n", "until": 9, "zoo_cfg": ")" + manyServers(32) + "\"}",
       "more than 31 servers", ""},
      // unknown names
      {R"({"kind": "scenario", "name": "n", "until": 9, "zoo_cfg": "server.1=a:2888:3888\n",
          "steps": [{"at": 1, "kill": 9}]})",
       "there is no server 9", "1"},
      {R"({"kind": "scenario", "name": "n", "until": 9, "zoo_cfg": "electionAlg=0\n"})", "electionAlg"},
      {R"({"kind": "scenario", "name": "n", "until": 9, "zoo_cfg": "missing.cfg"})", "cannot read"},
      {R"({"kind": "scenario", "name": "n", "until": 9, "zoo_cfg": "/"})", "this is a directory"},
      {R"({"kind": "scenario", "name": "n", "until": 9, "zoo_cfg": "/dev/null"})", "not a regular file"},
      {scenario("\"variant\": \"zokeeper\""), "variant", "zookeeper"},
      {scenario("\"protocol\": \"raft\""), "protocol", "zab"},
      {scenario("\"rules\": {\"decisoin\": \"at_once\"}"), "decisoin", "decision"},
      {scenario("\"rules\": {\"decision\": \"at_onec\"}"), "at_onec", "at_once"},
      {scenario("\"mutations\": [\"fle_clear_box\"]"), "fle_clear_box", "fle_clears_box"},
      {scenario("\"steps\": [{\"at\": 1, \"kill\": 9}]"), "there is no server 9", "1, 2, 3"},
      {scenario("\"steps\": [{\"at\": 1, \"kil\": 1}]"), "unknown key `kil`", "kill"},
      {scenario("\"steps\": [{\"at\": 1, \"break\": {\"link\": \"elction\", \"between\": [1, 2]}}]"),
       "there is no link", "election"},
      {scenario("\"steps\": [{\"at\": 1, \"disk\": {\"server\": 1, \"fault\": \"stal\"}}]"), "fault",
       "stall"},
      {scenario("\"steps\": [{\"at\": 1, \"set\": {\"server\": 1, \"state\": {\"logicalclok\": 1}}}]"),
       "logicalclok", "logicalclock"},
      {scenario("\"expect\": [{\"finally\": true, \"server\": 4, \"state\": {}}]"), "there is no server 4",
       ""},
      // expectations that compare nothing
      {scenario(R"("expect": [])"), "`expect` is empty", "leave it out"},
      {scenario(R"("expect": [{"finally": true, "server": 1, "state": {}}])"), "empty `state`", "fields"},
      {scenario(R"("expect": [{"finally": true, "server": [], "state": {"role": "LEADING"}}])"),
       "no server is named", ""},
      {scenario(R"("expect": [{"event": {"kind": "vote"}, "count": {}}])"), "every number fits", "max"},
      {scenario(R"("expect": [{"event": {"kind": "vote"}, "count": {"min": 0}}])"), "every number fits", ""},
      {scenario(R"("expect": [{"packets": {"from": 1, "to": 2, "contains": []}}])"), "empty `contains`",
       "exactly"},
      {scenario(R"("expect": [{"finally": true, "equal": {"servers": [1], "field": "role"}}])"),
       "two servers or more", ""},
      {scenario(R"("expect": [{"finally": true, "equal": {"servers": [], "field": "role"}}])"),
       "two servers or more", ""},
      {scenario(R"("expect": [{"finally": true, "equal": {"servers": [2, 2], "field": "role"}}])"),
       "two servers or more", ""},
      {scenario(R"("expect": [{"any_of": []}])"), "no condition", ""},
      {scenario(R"("expect": [{"order": []}])"), "no condition", ""},
      {scenario(R"("expect": [{"order": [{"kind": "vote"}]}])"), "two events", ""},
      {scenario(R"("expect": [{"event": {}}])"), "fields", ""},
      // what would be ignored
      {scenario(R"("expect": [{"never": true, "event": {"kind": "vote"}, "count": 2}])"),
       "does not go together", ""},
      {scenario(R"("expect": [{"finally": true, "event": {"kind": "vote"}}])"), "one of at, by", ""},
      {scenario(R"("expect": [{"always": true, "event": {"kind": "vote"}}])"), "one of at, by", ""},
      {scenario(R"("expect": [{"at_event": {"kind": "vote"}, "event": {"kind": "vote"}}])"), "one of at, by",
       ""},
      {scenario(R"("expect": [{"by": 9, "packets": {"from": 1, "to": 2, "exactly": []}}])"), "the whole run",
       "leave"},
      {scenario(R"("expect": [{"at": 9, "invariant": {"name": "vote-order"}}])"), "the whole run", "leave"},
      {scenario(R"("expect": [{"at": 9, "order": [{"kind": "vote"}, {"kind": "vote"}]}])"), "the whole run",
       "leave"},
      {scenario(R"("expect": [{"at": 9, "any_of": [{"server": 1, "state": {"up": true}}]}])"),
       "does not apply to what is in `any_of`", "own place"},
      {scenario(R"("expect": [{"any_of": [{"server": 1, "state": {"up": true}}]}])"), "one place", ""},
      {scenario(R"("expect": [{"event": {"kind": "vote"}, "server": 1}])"), "whose `state`", "node"},
      // models that say nothing
      {R"({"kind": "model", "name": "m", "servers": 1, "expect": {}})", "`expect` is empty", "leave it out"},
      {R"({"kind": "model", "name": "m", "servers": 1, "reach": [{"name": "r", "state": {}}]})",
       "every state is like this", ""},
      {R"({"kind": "model", "name": "m", "servers": 1, "never": [{"name": "r", "state": {"1": {}}}]})",
       "every state is like this", ""},
      {scenario("\"expect\": [{\"invariant\": {\"name\": \"vote-order\", \"verdict\": \"hold\"}}]"),
       "verdict", "held"},
      // clients
      {scenario("\"steps\": [{\"at\": 1, \"write\": true}]"), "unknown key `write`", "client"},
      {scenario("\"steps\": [{\"at\": 1, \"client\": 101, \"read\": true}]"), "there is no client 101",
       "clients"},
      {scenario("\"steps\": [{\"at\": 1, \"client\": 1, \"sync\": true}]"), "there is no client 1",
       "clients"},
      {scenario("\"clients\": 2"), "clients", ""},
      {scenario("\"clients\": [{\"server\": 1}]"), "id", ""},
      {scenario("\"clients\": [{\"id\": 3}]"), "the id 3 is taken", "their own"},
      {scenario("\"clients\": [{\"id\": 9}, {\"id\": 9}]"), "the id 9 is taken", ""},
      {scenario("\"clients\": [{\"id\": 101, \"server\": 9}]"), "there is no server 9", "1, 2, 3"},
      {scenario("\"clients\": [{\"id\": 101, \"disk\": {}}]"), "unknown key `disk`", ""},
      {scenario(R"("clients": [{"id": 101}], "steps": [{"at": 1, "client": 101, "connect": true}])"),
       "connect", ""},
      {scenario(R"("clients": [{"id": 101}], "steps": [{"at": 1, "client": 101, "connect": 4}])"),
       "there is no server 4", "1, 2, 3"},
      {scenario(
           R"("clients": [{"id": 101}], "steps": [{"at": 1, "client": 101, "write": true, "times": 0}])"),
       "times", ""},
      {scenario(
           R"("clients": [{"id": 101}], "steps": [{"at": 1, "client": 101, "write": true, "every": -1}])"),
       "every", ""},
      {scenario(R"("steps": [{"at": 1, "kill": 1, "closed": true}])"), "`closed` repeats", ""},
      {scenario(R"("clients": [{"id": 101}], "steps": [{"at": 1, "client": 101, "write": "x"}])"), "write",
       ""},
      {R"({"kind": "scenario", "name": "n", "until": 9, "zoo_cfg": "server.1=a:2888:3888\n",
          "clients": [{"id": 1}]})",
       "the id 1 is taken", ""},
      // words of older files
      {scenario(R"("clients": [{"id": 101}], "steps": [{"at": 1, "write": {"client": 101, "value": 3}}])"),
       "`client` is a key beside `write`", "migrate.py"},
      {scenario(R"("steps": [{"at": 1, "look": 1}])"), "`look` is `prompt` now", "migrate.py"},
      {scenario(R"("steps": [{"at": 1, "power_loss": 1, "keep": 2}])"), "`keep` is in `power_loss`",
       "migrate.py"},
      {scenario("", "[{\"id\": 1, \"state\": {\"box\": {}}}, {\"id\": 2}]"), "unknown key `box`",
       "`recvset` now"},
      {scenario(R"("expect": [{"finally": true, "server": 1, "state": {"current_vote": {"round": 1}}}])"),
       "unknown key `round`", "`election_epoch` now"},
      {scenario(R"("actions": [{"do": "ask", "server": 1, "operation": "put"}])"), "unknown key `operation`",
       "`ask` now"},
      // things that the protocol does not have
      {scenario(R"("clients": [{"id": 101}], "steps": [{"at": 1, "client": 101, "wriet": 3}])"),
       "unknown key `wriet` in `steps[0]`", "write"},
      {scenario(
           R"("clients": [{"id": 101}], "steps": [{"at": 1, "client": 101, "write": 3, "expected": 1}])"),
       "`write` has no `expected`", ""},
      {scenario(R"("steps": [{"at": 1, "kill": 1, "times": 2}])"), "`times` repeats", ""},
      {scenario(R"("clients": [{"id": 101}], "steps": [{"at": 1, "client": 101}])"), "there is no request",
       "write"},
      {scenario(R"("steps": [{"at": 1, "server": 4, "write": 3}])"), "there is no server 4", ""},
      // runs whose actions are listed
      {scenario(R"("actions": [{"do": "paint", "server": 1}])"), "paint", "known actions"},
      {scenario(R"("actions": [{"do": "kill"}])"), "`server` is missing", ""},
      {scenario(R"("actions": [{"do": "deliver", "link": "election", "from": 1}])"), "`to` is missing", ""},
      {scenario(R"("actions": [{"do": "fire", "server": 1, "timer": "tic"}])"), "there is no timer", ""},
      {scenario(R"("actions": [{"do": "fire", "server": 1, "timer": "tick", "dies": {}}])"), "write", ""},
      {scenario(R"("actions": [{"do": "start", "server": 1, "dies": {"write": 0}}])"), "from 1", ""},
      {scenario(R"("actions": [{"do": "start", "server": 1, "dies": {"write": 256}}])"), "255", ""},
      {scenario(R"("clients": [{"id": 9}], "actions": [{"do": "ask", "server": 9}])"), "`ask` is missing",
       ""},
      {scenario(R"("clients": [{"id": 9}],
                   "actions": [{"do": "ask", "server": 9, "ask": {"connect": 4}}])"),
       "there is no server 4", ""},
      // disks and transactions
      {scenario("", "[{\"id\": 1, \"disk\": {\"log\": [{\"zxid\": \"1.1\", \"kind\": \"puts\"}]}}]"), "puts",
       "put"},
      {scenario("", "[{\"id\": 1, \"disk\": {\"snapshot\": \"1.10001\"}}]"), "this many", "history"},
      {scenario("", "[{\"id\": 1, \"disk\": {\"snapshot\": {\"lsat\": \"1.1\"}}}]"), "lsat", "last"},
      {scenario("", "[{\"id\": 1, \"disk\": {\"log_files\": [\"one\"]}}]"), "zxid", ""},
      {scenario("", "[{\"id\": 1, \"disk\": {\"accepted_epoch\": 9223372036854775807}}]"), "accepted_epoch",
       ""},
      // states that no server can be in
      {scenario("", "[{\"id\": 1, \"state\": {\"role\": \"FOLLOWING\"}}, {\"id\": 2}]"), "has a leader",
       "leader"},
      {scenario("", "[{\"id\": 1, \"state\": {\"self\": 2}}, {\"id\": 2}]"), "self", ""},
      {scenario("", "[{\"id\": 1, \"state\": {\"client\": {}}}, {\"id\": 2}]"), "not a client", "clients"},
      {scenario("", "[{\"id\": 1, \"state\": {\"doublings\": 33}}, {\"id\": 2}]"), "doublings", ""},
      {scenario("", "[{\"id\": 1, \"state\": {\"logicalclock\": 9223372036854775807}}, {\"id\": 2}]"),
       "logicalclock", ""},
      {scenario("\"steps\": [{\"at\": 9, \"set\": {\"server\": 1, \"state\": {\"role\": \"OBSERVING\"}}}]"),
       "has a leader", "leader"},
      {scenario(
           "\"steps\": [{\"at\": 9, \"set\": {\"server\": 1, \"state\": {\"round\": 9223372036854775807}}}]"),
       "round", ""},
      {scenario(R"("steps": [{"at": 9, "send": {"link": "election", "from": 2, "to": 1,
                "message": {"type": "NOTIFICATION", "vote": {"election_epoch": 9223372036854775807}}}}])",
                "[{\"id\": 1}, {\"id\": 2, \"scripted\": true}]"),
       "election_epoch", ""},
      // contradictory or empty
      {scenario("\"steps\": [{\"at\": 1}]"), "does nothing", ""},
      {scenario("\"steps\": [{\"at\": 1, \"after\": 1, \"kill\": 1}]"), "one of", "split"},
      {scenario("\"steps\": [{\"after\": 1, \"kill\": 1}]"), "first step", ""},
      {scenario("\"steps\": [{\"at\": 1, \"kill\": 1, \"start\": 1}]"), "one thing", ""},
      {scenario("\"steps\": [{\"at\": 1, \"partition\": [[1, 2], [2, 3]]}]"), "two sides", ""},
      {scenario("\"steps\": [{\"at\": 1, \"break\": {\"link\": \"election\", \"between\": [1]}}]"),
       "two servers", ""},
      {scenario("\"steps\": [{\"at\": 1, \"drop\": {\"link\": \"election\", \"from\": 1, \"to\": 2}}]"),
       "connection", "break"},
      {scenario("\"steps\": [{\"when\": {\"event\": {\"kind\": \"sent\"}, \"nth\": 0}, \"kill\": 1}]"), "nth",
       ""},
      {scenario("\"steps\": [{\"when\": {\"event\": {}}, \"kill\": 1}]"), "fields", ""},
      {scenario(
           "\"steps\": [{\"when\": {\"event\": {\"kind\": \"sent\"}, \"edge\": \"before\"}, \"start\": 1}]"),
       "before", ""},
      {scenario(
           "\"steps\": [{\"when\": {\"event\": {\"kind\": \"sent\"}, \"edge\": \"during\"}, \"kill\": 1}]"),
       "only `written`", ""},
      {scenario("\"steps\": [{\"at\": 1, \"send\": {\"link\": \"election\", \"from\": 1, \"to\": 2, " + vote +
                "}}]"),
       "is not scripted", "scripted"},
      {scenario("\"steps\": [{\"at\": 1, \"action\": {\"do\": \"kill\", \"server\": 1}}]"),
       "no action `kill`", "a step of its own"},
      {scenario("\"steps\": [{\"at\": 1, \"action\": {\"do\": \"fire\", \"server\": 1, \"timer\": \"no\"}}]"),
       "there is no timer `no`", ""},
      {scenario("\"steps\": [{\"at\": 1, \"action\": {\"do\": \"deliver\", \"link\": \"learner\", \"from\": "
                "1, \"to\": 2, "
                "\"message\": {\"type\": \"UPTODATE\"}}}]"),
       "arrive in their order", "the next one"},
      {scenario("\"steps\": [{\"at\": 1, \"action\": {\"do\": \"sync\", \"server\": 9}}]"),
       "there is no server 9", ""},
      {scenario("\"expect\": [{}]"), "no condition", ""},
      {scenario("\"expect\": [{\"at\": 1, \"by\": 2, \"server\": 1, \"state\": {}}]"), "one place", ""},
      {scenario("\"expect\": [{\"server\": 1, \"state\": {}}]"), "one place", ""},
      {scenario("\"expect\": [{\"at\": 1, \"state\": {}}]"), "server", ""},
      {scenario("\"expect\": [{\"packets\": {\"from\": 1, \"to\": 2}}]"), "exactly", ""},
      {scenario("\"expect\": [{\"always\": [5, 1], \"server\": 1, \"state\": {}}]"), "span", ""},
      {scenario("\"expect\": [{\"event\": {\"kind\": \"vote\"}, \"count\": {\"min\": 3, \"max\": 1}}]"),
       "min", ""},
      {scenario("\"fails_with\": [{}]"), "mutation", ""},
      {scenario("\"fails_with\": [{\"rule\": \"decision=at_once\", \"variant\": \"real\"}]"), "use one of",
       ""},
      {scenario("\"fails_with\": [{\"steps\": [{\"at\": 1, \"kill\": 9}]}]"),
       "with these steps: ", "servers are: "},
      {scenario("\"fails\": true"), "nothing is changed", "mutations"},
      // impossible sizes
      {scenario("\"steps\": [{\"at\": -1, \"kill\": 1}]"), "is negative", ""},
      {scenario("\"steps\": [{\"at\": 99999999999999, \"kill\": 1}]"), "year", ""},
      {scenario("\"steps\": [{\"at\": 1.5, \"kill\": 1}]"), "whole number", ""},
      {"{\"kind\": \"scenario\", \"name\": \"n\", \"servers\": 1, \"until\": 31536000001}", "year", ""},
      {"{\"kind\": \"scenario\", \"name\": \"n\", \"servers\": 1, \"until\": -1}", "is negative", ""},
      {scenario("\"choices\": {\"latency election 3->1 #0\": 9223372036854775807}"), "a choice is", ""},
      {scenario("\"timing\": {\"latency_ms\": -1}"), "", ""},
      {scenario("\"timing\": {\"latency_ms\": [9, 1]}"), "low end", ""},
      {scenario("\"timing\": {\"slow\": [{\"from\": 1, \"to\": 9, \"latency_ms\": 1}]}"), "", ""},
      {scenario("\"timing\": {\"connect_timeout_ms\": 0}"), "connect_timeout_ms", ""},
      {scenario("\"config\": {\"tick_ms\": -5}"), "tick_ms", ""},
      {scenario("\"steps\": [{\"at\": 1, \"clock\": {\"server\": 1, \"permille\": 0}}]"), "permille", ""},
      {scenario("\"steps\": [{\"at\": 1, \"send\": {\"link\": \"election\", \"from\": 2, \"to\": 1, "
                "\"repeat\": 1000000000, " +
                    vote + "}}]",
                "[{\"id\": 1}, {\"id\": 2, \"scripted\": true}]"),
       "repeat", ""},
      {scenario("\"steps\": [{\"when\": {\"event\": {\"kind\": \"vote\"}, \"plus\": -1}, \"kill\": 1}]"),
       "plus", ""},
      {scenario("\"steps\": [{\"when\": {\"event\": {\"kind\": 7}}, \"kill\": 1}]"), "kind", ""},
      {scenario("\"expect\": [{\"event\": {\"node\": \"x\"}}]"), "node", ""},
      // tables
      {R"({"kind": "table", "name": "t", "function": "vote_ordr", "rows": []})", "vote_ordr", "vote_order"},
      {R"({"kind": "table", "name": "t", "function": "quorum", "rows": []})", "rows", ""},
      {R"({"kind": "table", "name": "t", "function": "available", "fails_with": [{"mutation": "fle_half"}],
          "rows": [{"given": {"voters": 3, "crashed": 1}, "expect": true}]})",
       "there is no mutation `fle_half`", ""},
      {R"({"kind": "table", "name": "t", "function": "available", "fails_with": [{"steps": [{"at": 0, "kill": 1}]}],
          "rows": [{"given": {"voters": 3, "crashed": 1}, "expect": true}]})",
       "only a scenario has steps", ""},
      {R"({"kind": "table", "name": "t", "function": "quorum", "rows": [{"given": {}, "expect": 1}]})", "",
       ""},
      {R"({"kind": "table", "name": "t", "function": "sync_plan", "rows": [{"expect": {},
          "given": {"learner": "1.1", "last": "1.2", "committed_log": ["1.1", "1.2"]}}]})",
       "empty `expect`", ""},
      {R"({"kind": "table", "name": "t", "function": "available",
          "rows": [{"given": {"voters": 1000000000, "crashed": 1}, "expect": true}]})",
       "voters", ""},
      {R"({"kind": "table", "name": "t", "function": "quorum", "rows": [{"expect": true, "given": {"agree": [1],
          "servers": [{"id": 1, "group": 1, "weight": 9223372036854775807}, {"id": 2, "group": 1}]}}]})",
       "from -1152921504606846976 to 1152921504606846976", ""},
      {R"({"kind": "table", "name": "t", "function": "quorum", "rows": [{"expect": true, "given": {"agree": [1],
          "servers": [{"id": 1, "group": 1, "weight": 1152921504606846976},
                      {"id": 2, "group": 1, "weight": 1152921504606846976},
                      {"id": 3, "group": 1, "weight": 1152921504606846976},
                      {"id": 4, "group": 1, "weight": 1152921504606846976}]}}]})",
       "add up to", ""},
      {R"({"kind": "table", "name": "t", "function": "proposed_epoch", "rows": [{"expect": 1,
          "given": {"servers": [{"id": 1}], "accepted": {"1": 9223372036854775807}}}]})",
       "accepted", ""},
      {R"({"kind": "table", "name": "t", "function": "sync_plan", "rows": [{"expect": {},
          "given": {"learner": "1.1", "last": "1.2", "config": {"txn_bytes": 9223372036854775807}}}]})",
       "txn_bytes", ""},
  };
}

TEST_CASE("bad files are refused with their place") {
  for (const Bad& bad : badFiles()) {
    CAPTURE(bad.text.substr(0, 300));
    const auto error = refusal(bad.text);
    REQUIRE(error);
    CAPTURE(std::string(error->what()));
    CHECK(error->position);
    CHECK(error->file == "f");
    CHECK(has(error->message + error->hint, bad.message));
    CHECK(has(error->hint, bad.hint));
  }
}

TEST_CASE("the program refuses bad files with status 2, one message, and writes nothing") {
  const Folder folder;
  const std::vector<Bad> all = badFiles();
  for (std::size_t i = 0; i < all.size(); i += 7) {  // a sample: each is a separate process
    CAPTURE(all[i].text.substr(0, 300));
    folder.write("bad.json", all[i].text);
    const Ran ran = zablab(folder, {"run", "bad.json", "--trace", "t.json", "--svg", "t.svg"});
    CHECK(ran.status == 2);
    CHECK(ran.out.empty());
    CHECK(countOf(ran.err, "error: ") == 1);
    CHECK(ran.err.starts_with("bad.json:"));
    CHECK(folder.names() == Words{"bad.json"});
    const Ran json = zablab(folder, {"run", "bad.json", "--json"});
    CHECK(json.status == 2);
    const Json line = Json::parse(json.out);
    CHECK(line["file"] == "bad.json");
    CHECK(line["verdict"] == "error");
    CHECK(line.contains("error"));
  }
}

TEST_CASE("what is no file is refused with status 2") {
  const Folder folder;
  const Folder empty;
  fs::create_directory(folder / "folder");
  std::ofstream(folder / "large.json").close();
  fs::resize_file(folder / "large.json", std::uintmax_t{400} << 20);
  const std::vector<Words> all = {
      {"run", "missing.json"},
      {"run", "folder"},
      {"run", "large.json"},
      {"validate", "large.json"},
      {"validate", "missing"},
      {"replay", "folder"},
      {"replay", "missing.json"},
      {"replay", "large.json"},
      {"list", "scenarios", "missing"},
      {"render", "missing.json", "-o", "x.svg"},
      {"explain", "missing.json"},
      {"diff", "missing.json", "missing.json"},
  };
  for (const Words& words : all) {
    CAPTURE(words[0] + " " + words[1]);
    const Ran ran = zablab(folder, words);
    CHECK(ran.status == 2);
    CHECK(countOf(ran.err, "error: ") == 1);
    CHECK(ran.out.empty());
  }
  CHECK(folder.names() == Words{"folder", "large.json"});
}

TEST_CASE("a FIFO that nobody writes to, a device and a directory are refused by every command that reads") {
  const Folder folder;
  fs::create_directory(folder / "found");
  fs::create_directory(folder / "list");
  for (const char* name : {"fifo", "fifo.json", "found/summary.json", "fifo.so"})
    REQUIRE(mkfifo((folder / name).c_str(), 0600) == 0);
  fs::create_directory(folder / "dir.json");
  const std::string with_cfg =
      folder.write("cfg.json", R"({"kind": "scenario", "name": "n", "until": 9, "zoo_cfg": "fifo"})");
  const auto statusOf = [&](const Words& words, const std::string& message) {
    std::string all;
    for (const std::string& word : words) all += word + " ";
    CAPTURE(all);
    const Ran ran = zablab(folder, words);
    CHECK(ran.status == 2);
    CHECK_MESSAGE(has(ran.err, message), ran.err);
    CHECK(ran.out.empty());
  };
  const std::vector<Words> commands = {{"run", "F"},
                                       {"validate", "F"},
                                       {"replay", "F"},
                                       {"render", "F", "-o", "x.svg"},
                                       {"render", "F", "-o", "x.svg", "--view", "statespace"},
                                       {"explain", "F"},
                                       {"diff", "F", "F"},
                                       {"step", "F"},
                                       {"fuzz", "F", "--seeds", "0:1"},
                                       {"check", "F"},
                                       {"check", shipped_model, "--from", "F"},
                                       {"shrink", "F"},
                                       {"compare", "--faults", "F", "--seeds", "0:1"},
                                       {"conform", "election", "F"},
                                       {"list", "scenarios", "F"}};
  for (Words words : commands) {
    std::replace(words.begin(), words.end(), std::string("F"), std::string("fifo.json"));
    statusOf(words, "nobody writes to this FIFO");
    if (words[0] == "compare") continue;  // where a name without .json is that of a script
    std::replace(words.begin(), words.end(), std::string("fifo.json"), std::string("/dev/null"));
    statusOf(words, "this is not a regular file");
    const bool takes_folders = words[0] == "run" || words[0] == "validate" || words[0] == "check" ||
                               words[0] == "list";  // all the files in it
    if (takes_folders) continue;
    std::replace(words.begin(), words.end(), std::string("/dev/null"), std::string("dir.json"));
    statusOf(words, "this is a directory");
  }
  statusOf({"run", with_cfg}, "nobody writes to this FIFO");
  statusOf({"merge", "found"}, "nobody writes to this FIFO");
  statusOf({"list", "rules", "--protocol-module", "fifo.so"}, "this is not a regular file");
  CHECK_FALSE(fs::exists(folder / "x.svg"));

  // What has been written to one is read.
  const int reads = open((folder / "fifo").c_str(), O_RDONLY | O_NONBLOCK);
  const int writes = open((folder / "fifo").c_str(), O_WRONLY);
  const std::string text = scenario("");
  REQUIRE(write(writes, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  close(writes);
  CHECK(zablab(folder, {"run", "fifo"}).status == 0);
  close(reads);
}

TEST_CASE("usage errors have status 2 and name what was probably meant") {
  const Folder folder;
  const std::vector<std::pair<Words, std::string>> all = {
      {{}, "Examples"},
      {{"rnu"}, "did you mean run"},
      {{"run"}, "nothing to run"},
      {{"run", shipped, "--muate", "x"}, "--mutate"},
      {{"run", shipped, "--mutate", "fle_clear_box"}, "fle_clears_box"},
      {{"run", shipped, "--mutate"}, "--mutate"},
      {{"run", shipped, "--fails-with", "99"}, "counts from 0"},
      {{"run", shipped, "--rule", "decision"}, "NAME=VALUE"},
      {{"run", shipped, "--rule", "decision=at_onec"}, "at_once"},
      {{"run", shipped, "--rule", "decisoin=at_once"}, "decision"},
      {{"run", shipped, "--variant", "zookeper"}, "zookeeper"},
      {{"run", shipped, "--seed", "-1"}, "--seed"},
      {{"run", shipped, "--seed", "1", "--seed", "2"}, "more than once"},
      {{"run", shipped, "--until", "soon"}, "--until"},
      {{"run", shipped, "--until", ""}, "--until"},
      {{"run", shipped, "--until", "12ms"}, "--until"},
      {{"run", shipped, "--until", "kind=vote,node=x"}, "node="},
      {{"run", shipped, "--state", "9"}, "there is no server 9"},
      {{"run", shipped, "--svg", "a.pdf"}, ".svg"},
      {{"run", shipped, "--text", "--json"}, "exclude"},
      {{"run", shipped, shipped, "--text"}, "one scenario"},
      {{"run", shipped, "--detail", "story"}, "is for --text, --svg"},
      {{"run", shipped, "--text", "--detail", "stroy"}, "did you mean story?"},
      {{"run", shipped, "--text", "--kinds", "sned"}, "no events of the kind `sned`"},
      {{"run", shipped, "--svg", "a.svg", "--width", "80"}, "--width is for --text"},
      {{"run", shipped, "--lang", "zh"}, "is for --text, --svg"},
      {{"run", shipped, "--text", "--lang", "fr"}, "--lang cannot be"},
      {{"render", "t.json", "-o", "a.html", "--lang", "zh"}, "a page has both"},
      {{"render", "t.json", "-o", "a.mmd", "--lang", "zh"}, "only ladders"},
      {{"render", "t.json", "-o", "a.svg", "--view", "roles", "--lang", "zh"}, "only ladders"},
      {{"render", "t.json"}, "-o FILE"},
      {{"render", "t.json", "-o", "a.gif"}, ".png"},
      {{"replay"}, "one trace"},
      {{"explain"}, "one trace"},
      {{"explain", "t.json", "--causes", "none"}, "--causes"},
      {{"explain", "t.json", "--lang", "fr"}, "--lang cannot be"},
      {{"diff", "t.json"}, "two traces"},
      {{"render", "t.json", "-o", "a.svg", "--detail", "stori"}, "story"},
      {{"render", "t.json", "-o", "a.mmd", "--with", "t.json"}, "a picture or a page"},
      {{"render", "t.json", "-o", "a.txt", "--json"}, ".svg, .png or .dot"},
      {{"render", "t.json", "-o", "a.png", "--paper", "a4"}, "-o run.svg"},
      {{"render", "t.json", "-o", "a.svg", "--paper", "a4", "--rows", "causal"}, "cannot be divided"},
      {{"render", "t.json", "-o", "a.txt", "--view", "roles"}, "Graphviz"},
      {{"render", "t.json", "-o", "-", "--view", "watches"}, "Graphviz"},
      {{"render", "t.json", "-o", "a.svg", "--view", "watches", "--json"}, "excludes --json"},
      {{"render", "t.json", "-o", "a.html", "--view", "log"}, "only pictures have views"},
      {{"render", "t.json", "-o", "a.txt", "--view", "statespace"}, ".svg, .png or .dot"},
      {{"render", "t.json", "-o", "a.svg", "--view", "statespace", "--from", "3"}, "only --theme"},
      {{"new", "--servers", "1000000000"}, "31"},
      {{"new", "--protocol", "kafca"}, "did you mean kafka?"},
      {{"new", "--protocol", "kafka", "--servers", "5"}, "--servers is for zab"},
      {{"new", "--protocol", "kafka", "--recipe", "semaphore"}, "do not go together"},
      {{"check"}, "nothing to check"},
      {{"check", shipped}, "is not a model"},
      {{"check", shipped_model, "--crashes", "99"}, "--crashes"},
      {{"check", shipped_model, "--crashes", "one"}, "--crashes"},
      {{"check", shipped_model, "--grain", "coarse"}, "coarse"},
      {{"check", shipped_model, "--search", "widest"}, "bfs, dfs or random"},
      {{"check", shipped_model, "--memory", "8Q"}, "8Q"},
      {{"check", shipped_model, "--invariant", "agreed"}, "agreed"},
      {{"check", shipped_model, "--scratch", "/no/such/place"}, "no file can be created in `/no/such/place`"},
      {{"check", shipped_model, "--scratch", "/tmp", "--search", "random"}, "breadth first or depth first"},
      {{"check", shipped_model, "--checkpoint", "/no/such/place"},
       "no file can be created in `/no/such/place`"},
      {{"check", shipped_model, shipped_model, "--checkpoint", "/tmp"}, "--checkpoint requires one model"},
      {{"check", shipped_model, "--checkpoint", "/tmp", "--search", "dfs"},
       "requires a search breadth first"},
      {{"check", shipped_model, "--checkpoint", "/tmp", "--exact"}, "without --search, --exact"},
      {{"check", shipped_model, "--towards", "the moon"}, "has no goal `the moon`"},
      {{"check", shipped_model, "--towards", "x", "--search", "dfs"}, "--towards is an order of its own"},
      {{"check", shipped_model, "--every", "5"}, "--every requires --checkpoint DIR"},
      {{"check", shipped_model, "--checkpoint", "/tmp", "--every", "0"}, "--every"},
      {{"check", shipped_model, shipped_model, "--trace", "t.json"}, "one model"},
      {{"check", shipped_model, shipped_model, "--graph", "g.json"}, "one model"},
      {{"check", shipped_model, "--graph", "g.txt"}, ".svg, .png or .dot"},
      {{"check", shipped_model, "--graph", "g.json", "--search", "dfs"}, "breadth first"},
      {{"schema", "scenari"}, "scenario"},
      {{"list", "mutation"}, "mutations"},
      {{"list"}, "usage"},
  };
  for (const auto& row : all) {
    const auto& words = row.first;
    const auto& message = row.second;
    CAPTURE(message);
    const Ran ran = zablab(folder, words);
    CHECK(ran.status == 2);
    CHECK(ran.out.empty());
    CHECK(has(ran.err, message));
  }
  CHECK(folder.names().empty());
}

TEST_CASE("a scenario cut off anywhere is refused") {
  const std::string text = contentsOf(shipped);
  REQUIRE(text.size() > 500);
  for (std::size_t size = 0; size + 2 < text.size(); size += 50) {
    CAPTURE(size);
    const auto error = refusal(text.substr(0, size));
    REQUIRE(error);
    CHECK(error->position);
  }
}

Trace traceOf(const std::string& text) {
  return runScenario(readCase("f", parseJson("f", text)).scenario).trace;
}

/// The result of `zablab replay` for a file's text: the first difference, if any.
std::optional<std::string> replayed(const std::string& text) {
  const std::vector<std::string> differences = replay(readTrace("t", text), "t").differences;
  return differences.empty() ? std::nullopt : std::optional(differences.front());
}

TEST_CASE("a trace cut off anywhere is refused") {
  const std::string text = traceText(traceOf(scenario("\"seed\": 3")));
  for (std::size_t size = 0; size + 2 < text.size(); size += 50) {
    CAPTURE(size);
    CHECK_THROWS_AS(readTrace("t", text.substr(0, size)), InputError);
  }
}

TEST_CASE("a zoo.cfg next to the scenario: errors in either have their places") {
  const Folder folder;
  folder.write("zoo.cfg", "initLimit=10\nsyncLimit=5\nserver.1=a:2888:3888\nserver.2=b:2888:3888\n");
  folder.write("bad.cfg", "server.x=a:2888:3888\n");
  const auto ran = [&](const std::string& fields) {
    folder.write("s.json", "{\"kind\": \"scenario\", \"name\": \"n\", \"until\": 300,\n " + fields + "}\n");
    return zablab(folder, {"run", "s.json"});
  };
  CHECK(ran("\"zoo_cfg\": \"zoo.cfg\"").status == 0);
  const Ran bad = ran("\"zoo_cfg\": \"bad.cfg\"");
  CHECK(bad.status == 2);
  CHECK_MESSAGE(bad.err.starts_with("s.json:2:2: error: zoo.cfg line 1, column 8"), bad.err);
  const Ran step = ran("\"zoo_cfg\": \"zoo.cfg\",\n \"steps\": [{\"at\": 1, \"kill\": 9}]");
  CHECK(step.status == 2);
  CHECK_MESSAGE(step.err.starts_with("s.json:3:22: error: there is no server 9"), step.err);
}

TEST_CASE("a run whose trace would not fit is refused") {
  const LoadedScenario one = readCase("f", parseJson("f", scenario(""))).scenario;
  const auto refused = [&](const Until& until) {
    try {
      runScenario(one, until);
      return std::string();
    } catch (const InputError& error) {
      CHECK(error.position);
      return error.message;
    }
  };
  CHECK(refused({}) == "");
  CHECK(has(refused({.events_max = 20}), "more than 20 events by "));
  CHECK(has(refused({.values_max = 200}), "more than 200 values in its events by "));
}

TEST_CASE("a slow clock makes the longest wait longer") {
  const auto one =
      readCase("f", parseJson("f", R"({"kind": "scenario", "name": "n", "until": 300000, "servers": 3,
      "config": {"tick_ms": 86400000, "init_limit": 1000000, "min_notification_ms": 1000},
      "steps": [{"at": 0, "clock": {"server": 3, "permille": 1000000}}],
      "expect": [{"finally": true, "server": 3, "state": {"role": "LEADING", "phase": "discovery"}}]})"));
  const Outcome outcome = runScenario(one.scenario);
  CHECK_MESSAGE(outcome.verdict == Verdict::passed, outcome.problems.front());
}

TEST_CASE("there is no zxid after the last one: the leader steps down") {
  const auto one =
      readCase("f", parseJson("f", R"({"kind": "scenario", "name": "n", "until": 2000, "servers": 3,
      "clients": [{"id": 101, "server": 3}], "rules": {"rollover": "carries"},
      "steps": [{"at": 1000, "set": {"server": 3, "state": {"last_proposed": "2147483647.4294967295"}}},
                {"at": 1001, "client": 101, "write": true}],
      "expect": [{"event": {"kind": "role", "node": 3, "to": "LOOKING", "reason": "counter_used_up"}}]})"));
  const Outcome outcome = runScenario(one.scenario);
  CHECK_MESSAGE(outcome.verdict == Verdict::passed, outcome.problems.front());
}

TEST_CASE("a spoilt trace is refused, and a changed one differs") {
  const Trace good = traceOf(scenario("\"seed\": 3"));
  REQUIRE(good.choices.size() > 2);
  CHECK_FALSE(replayed(traceText(good)));
  const auto changed = [&](const auto& change) {
    Trace trace = good;
    change(trace);
    return traceText(trace);
  };
  CHECK(replayed(changed([](Trace& t) { t.events[5].data["link"] = "other"; })));
  CHECK(replayed(changed([](Trace& t) { t.events.pop_back(); })));
  CHECK(replayed(changed([](Trace& t) { t.verdicts[0].verdict = "violated"; })));
  const std::vector<std::string> broken = {
      changed([](Trace& t) { t.choices[0][1] = "3"; }),
      changed([](Trace& t) { t.choices[0][1] = -3; }),
      changed([](Trace& t) { t.choices[0][1] = std::numeric_limits<std::int64_t>::max(); }),
      changed([](Trace& t) { t.choices[0][1] = std::numeric_limits<std::uint64_t>::max(); }),
      changed([](Trace& t) { t.choices[0][1] = true; }),
      changed([](Trace& t) {
        t.choices[0] = Json::array({1, 2});
      }),
      changed([](Trace& t) { t.scenario = Json::object(); }),
      changed([](Trace& t) { t.scenario["servers"] = 1'000'000'000; }),
      changed([](Trace& t) {
        t.scenario = {{"kind", "model"}};
      }),
      changed([](Trace& t) { t.header["until"] = "soon"; }),
      changed([](Trace& t) { t.events[5].cause = 7; }),
      changed([](Trace& t) { t.events[5].index = 4; }),
  };
  for (std::size_t i = 0; i < broken.size(); ++i) {
    CAPTURE(i);
    CHECK_THROWS_AS(replayed(broken[i]), InputError);
  }
  std::string other = traceText(good);
  other.replace(other.find("\"version\":4"), 11, "\"version\":9");
  CHECK_THROWS_AS(replayed(other), InputError);

  const Folder folder;
  folder.write("good.json", traceText(good));
  folder.write("changed.json", changed([](Trace& t) { t.events[5].data["link"] = "other"; }));
  folder.write("broken.json", broken[0]);
  const Ran same = zablab(folder, {"replay", "good.json"});
  CHECK(same.status == 0);
  CHECK(has(same.out, "the same"));
  const Ran differs = zablab(folder, {"replay", "changed.json"});
  CHECK(differs.status == 1);
  CHECK(has(differs.out, "differs: event 5"));
  CHECK(zablab(folder, {"replay", "broken.json"}).status == 2);

  CHECK(has(zablab(folder, {"explain", "good.json"}).out, "leads"));
  CHECK(zablab(folder, {"diff", "good.json", "good.json"}).status == 0);
  const Ran parted = zablab(folder, {"diff", "good.json", "changed.json"});
  CHECK(parted.status == 1);
  CHECK(has(parted.out, "The same happens up to event 4"));
}

TEST_CASE("replay names everything in which a trace differs from the run of its scenario") {
  const Trace good = traceOf(scenario(R"("seed": 3, "variant": "zookeeper",
      "expect": [{"event": {"kind": "vote"}, "because": "b"}])"));
  REQUIRE(good.header.contains("answer"));
  const auto differencesWith = [&](const std::function<void(Trace&)>& change) {
    Trace trace = good;
    change(trace);
    std::string all;
    for (const std::string& one : replay(readTrace("t", traceText(trace)), "t").differences)
      all += one + "\n";
    return all;
  };
  CHECK(differencesWith([](Trace&) {}).empty());
  std::size_t spoken = 0;
  while (good.events[spoken].said.is_null()) ++spoken;
  const std::string event = "event " + std::to_string(spoken) + " (";
  const std::vector<std::pair<std::string, std::function<void(Trace&)>>> rows{
      {"header: `answer[0]` was", [](Trace& t) { t.header["answer"][0] = "server 1 leads"; }},
      {"header: `title` was `\"n\"` and is now", [](Trace& t) { t.scenario["name"] = "m"; }},
      {"header: `title` was `\"m\"` and is now", [](Trace& t) { t.header["title"] = "m"; }},
      {"header: `variant`", [](Trace& t) { t.header["variant"] = "textbook"; }},
      {"header: `rules` was `[\"decision=at_once\"]` and is now `[]`",
       [](Trace& t) { t.header["rules"].push_back("decision=at_once"); }},
      {"header: `mutations` was `[\"fle_clears_box\"]` and is now `[]`",
       [](Trace& t) { t.header["mutations"].push_back("fle_clears_box"); }},
      {"header: `seed` was `4` and is now `3`", [](Trace& t) { t.header["seed"] = 4; }},
      {"header: `seed` was `3` and is now `4`", [](Trace& t) { t.scenario["seed"] = 4; }},
      {"the seed 4 draws other choices: choice 0 was",
       [](Trace& t) { t.header["seed"] = t.scenario["seed"] = 4; }},
      {"header: `seed` was `3` and is now absent", [](Trace& t) { t.scenario.erase("seed"); }},
      {"header: `end`", [](Trace& t) { t.header["end"] = 299; }},
      {"header: `extra` was `1` and is now absent", [](Trace& t) { t.header["extra"] = 1; }},
      {"choice 0 was", [](Trace& t) { t.choices[0][1] = t.choices[0][1].get<int>() + 1; }},
      {event, [&](Trace& t) { t.events[spoken].text = "nothing"; }},
      {"`said[0]` was", [&](Trace& t) { t.events[spoken].said[0] = "nothing"; }},
      {"`data.link` was `\"other\"`", [](Trace& t) { t.events[5].data["link"] = "other"; }},
      {"there were " + std::to_string(good.events.size() - 1) + " events and are now",
       [](Trace& t) { t.events.pop_back(); }},
      {"invariant " + good.verdicts[0].name + ": `obligations`",
       [](Trace& t) { t.verdicts[0].obligations += 1; }},
      {"expectation expect[0]: `verdict` was `\"failed\"`",
       [](Trace& t) { t.verdicts.back().verdict = "failed"; }},
  };
  for (const auto& row : rows) {
    const std::string differences = differencesWith(row.second);
    CHECK_MESSAGE(has(differences, row.first), row.first, " is not in: ", differences);
  }
  // Files of version 2 say nothing in parts.
  Trace unsaid = good;
  unsaid.header.erase("answer_said");
  for (TraceEvent& one : unsaid.events) {
    one.said = nullptr;
    for (const char* key : {"label_said", "caption_said"}) one.data.erase(key);
    if (one.data.contains("picture")) one.data["picture"].erase("caption_said");
  }
  for (TraceVerdict& one : unsaid.verdicts) one.said = nullptr;
  CHECK(replay(unsaid, "t").differences.empty());
}

TEST_CASE("a trace whose header is damaged is drawn nevertheless") {
  const Folder folder;
  for (const char* key : {"protocol", "nodes", "answer", "milestones", "rules", "title"}) {
    Trace trace = traceOf(scenario("\"seed\": 3"));
    trace.header[key] = 5;
    folder.write("odd.json", traceText(trace));
    for (const Words& words : std::vector<Words>{{"render", "odd.json", "-o", "-"},
                                                 {"render", "odd.json", "-o", "-", "--nodes", "1"},
                                                 {"explain", "odd.json"},
                                                 {"diff", "odd.json", "odd.json"}}) {
      CAPTURE(key);
      CAPTURE(words[0]);
      const Ran ran = zablab(folder, words);
      const bool nothing = key == std::string("nodes") && words[0] == "render";  // no server: nothing to draw
      CHECK(ran.status == (nothing ? 2 : 0));
      CHECK(ran.err.empty() == !nothing);
    }
  }
}

TEST_CASE("names from a file reach no shell and spoil no picture") {
  const Folder folder;
  const std::string name = R"(a\"b\\c\n$(touch x)`touch y`<b>&amp;</b>;|)";
  const std::string file = folder.write(
      "evil.json", "{\"kind\": \"scenario\", \"name\": \"" + name +
                       "\", \"until\": 500, \"servers\": [{\"id\": 1, \"name\": \"" + name +
                       "\"}, {\"id\": 2, \"name\": \"-Tpdf\"}], \"steps\": [{\"at\": 5, \"note\": \"" + name +
                       "\"}]}");
  const Ran ran = zablab(
      folder, {"run", file, "--dot", "e.dot", "--svg", "e.svg", "--png", "e.png", "--trace", "e.json"});
  CHECK(ran.status == 0);
  CHECK(ran.err.empty());
  CHECK(folder.names() == Words{"e.dot", "e.json", "e.png", "e.svg", "evil.json"});
  CHECK(zablab(folder, {"replay", "e.json"}).status == 0);
  CHECK(zablab(folder, {"render", "e.json", "-o", "f.txt"}).status == 0);
  CHECK(countOf(contentsOf(folder / "e.svg"), "<b>") == 0);
}

TEST_CASE("results") {
  const Folder folder;
  const Ran ran = zablab(folder, {"run", shipped, "--seed", "7", "--trace", "a.json"});
  CHECK(ran.status == 0);
  CHECK(has(ran.out, "passed  "));
  CHECK(zablab(folder, {"run", shipped, "--seed", "7", "--trace", "b.json"}).status == 0);
  CHECK(contentsOf(folder / "a.json") == contentsOf(folder / "b.json"));
  const Ran same = zablab(folder, {"replay", "a.json"});
  CHECK(same.status == 0);
  CHECK(has(same.out, "the same: "));
  for (const std::string name : {"p.svg", "p.png", "p.dot", "p.txt"}) {
    CAPTURE(name);
    CHECK(zablab(folder, {"render", "a.json", "-o", name}).status == 0);
    CHECK(contentsOf(folder / name).size() > 100);
  }
  CHECK(contentsOf(folder / "p.png").substr(1, 3) == "PNG");
  const Ran ascii = zablab(folder, {"run", shipped, "--text"}, {"LC_ALL=C"});
  CHECK(ascii.status == 0);
  CHECK(has(ascii.out, "3 wins at"));
  CHECK(std::all_of(ascii.out.begin(), ascii.out.end(),
                    [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  CHECK(has(zablab(folder, {"run", shipped, "--text"}).out, "●"));
  const Ran drawn = zablab(folder, {"render", "a.json", "-o", "-", "--detail", "outline", "--width", "90"});
  CHECK(drawn.status == 0);
  CHECK(has(
      zablab(folder, {"run", shipped, "--seed", "7", "--text", "--detail", "outline", "--width", "90"}).out,
      drawn.out));
  const Ran piped = zablab(folder, {"run", shipped, "--trace", "-"});
  CHECK(piped.out == traceText(readTrace("-", piped.out)));
  const Ran stopped = zablab(folder, {"run", shipped, "--until", "kind=vote", "--trace", "u.json"});
  CHECK(stopped.status == 3);
  CHECK(zablab(folder, {"replay", "u.json"}).status == 0);
  CHECK(Json::parse(zablab(folder, {"run", shipped, "--state", "3", "--json"}).out)["state"]["role"] ==
        "LEADING");
}

TEST_CASE("exit statuses, and of several the larger claim") {
  const Folder folder;
  const std::string fails = folder.write(
      "fails.json",
      scenario("\"expect\": [{\"finally\": true, \"server\": 1, \"state\": {\"role\": \"LEADING\"}}]"));
  const std::string open = folder.write(
      "open.json",
      scenario("\"expect\": [{\"by\": 900, \"server\": 1, \"state\": {\"role\": \"LEADING\"}}]"));
  const std::string bad = folder.write("bad.json", "{");
  const std::string good = folder.write("good.json", scenario(""));
  const std::string model = folder.write("model.json", R"({"kind": "model", "name": "n", "servers": 1})");
  const std::string seen = folder.write(
      "seen.json",
      R"({"kind": "scenario", "name": "n", "servers": 4, "until": 3000, "mutations": ["fle_half_is_a_quorum"],
          "steps": [{"at": 0, "partition": [[1, 2], [3, 4]]}],
          "expect": [{"invariant": {"name": "decided-by-quorum", "verdict": "violated"}},
                     {"invariant": {"name": "one-leader-per-epoch", "verdict": "violated"}},
                     {"invariant": {"name": "promised-by-quorum", "verdict": "violated"}}]})");
  CHECK(zablab(folder, {"run", good}).status == 0);
  CHECK(zablab(folder, {"run", seen}).status == 0);
  CHECK(zablab(folder, {"run", open}).status == 3);
  const Ran failed = zablab(folder, {"run", fails, "--seed", "4"});
  CHECK(failed.status == 1);
  CHECK(has(failed.out, "expect[0] (line 3)"));
  CHECK(has(failed.out, "see: zablab run " + fails + " --seed 4 --text"));
  CHECK(zablab(folder, {"run", good, open, fails}).status == 1);
  CHECK(zablab(folder, {"run", fails, bad, good}).status == 2);
  CHECK(zablab(folder, {"run", model}).status == 2);
  const Ran all = zablab(folder, {"run", "."});
  CHECK(all.status == 2);
  CHECK(
      has(all.out, "1 passed, 1 failed, 1 expected nothing, 1 undecided, 1 unreadable; 1 model left aside"));

  const Ran json = zablab(folder, {"run", ".", "--json"});
  std::istringstream lines(json.out);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) CHECK(Json::parse(line).contains("verdict"));
  CHECK(count == 6);

  const Ran no_graphviz =
      zablab(folder, {"run", good, "--png", "x.png", "--dot", "x.dot"}, {"PATH=/nowhere"});
  CHECK(no_graphviz.status == 4);
  CHECK(has(no_graphviz.out, "ran"));
  CHECK(has(no_graphviz.err, "graphviz"));
  CHECK(zablab(folder, {"run", fails, "--png", "x.png"}, {"PATH=/nowhere"}).status == 4);
  const Ran no_folder = zablab(folder, {"run", good, "--trace", "missing/t.json"});
  CHECK(no_folder.status == 4);
  CHECK(has(no_folder.err, "there is no directory missing"));
  CHECK(zablab(folder, {"run", good, "--trace", "good.json"}).status == 2);
  CHECK(folder.names() ==
        Words{"bad.json", "fails.json", "good.json", "model.json", "open.json", "seen.json", "x.dot"});
  CHECK(contentsOf(good) == scenario(""));
}

TEST_CASE("a run that would never end is broken off, and its trace replays") {
  const Folder folder;
  const std::string disk = R"("accepted_epoch": 2, "snapshot": "0.0", "log": ["1.1"])";
  const std::string file = folder.write(
      "endless.json", R"({"kind": "scenario", "name": "two votes beat each other", "until": 1000,
       "rules": {"vote_order": "id_regardless_of_epoch"}, "choices": {"latency election 7->8 #0": 1},
       "timing": {"latency_ms": [0, 0]}, "expect": [{"invariant": {"name": "vote-order", "verdict": "violated"}}],
       "servers": [{"id": 1, "disk": {"current_epoch": 2, )" +
                          disk + R"(}}, {"id": 2, "disk": {"current_epoch": 1, )" + disk + "}}]}");
  const std::string trace = folder / "trace.json";
  const Ran ran = zablab(folder, {"run", file, "--trace", trace});
  CHECK(ran.status == 3);
  CHECK_MESSAGE(ran.out.find("an endless exchange") != std::string::npos, ran.out);
  CHECK_MESSAGE(ran.out.find("note: the choice `latency election 7->8 #0` was never") != std::string::npos,
                ran.out);
  CHECK(zablab(folder, {"replay", trace}).status == 0);
}

TEST_CASE("help, lists and schemas") {
  const Folder folder;
  const std::vector<Words> all = {
      {"--help"},           {"run", "--help"},      {"replay", "--help"},
      {"render", "--help"}, {"validate", "--help"}, {"new", "--help"},
      {"schema", "--help"}, {"list", "--help"},     {"help", "run"},
      {"list", "rules"},    {"list", "mutations"},  {"list", "invariants"},
      {"list", "variants"}, {"list", "functions"},  {"list", "events"},
      {"list", "messages"}, {"list", "records"},    {"list", "state"},
  };
  for (const Words& words : all) {
    CAPTURE(words[0]);
    const Ran ran = zablab(folder, words);
    CHECK(ran.status == 0);
    CHECK(ran.err.empty());
    CHECK_FALSE(ran.out.empty());
    if (words.back() == "--help") CHECK(ran.out.find("Example") < 200);
    std::istringstream lines(ran.out);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      CHECK(line.size() <= 100);
    }
  }
  for (const std::string what : {"rules", "mutations", "invariants", "variants", "functions", "events",
                                 "messages", "records", "state"})
    CHECK(Json::parse(zablab(folder, {"list", what, "--json"}).out).size() > 0);
  for (const std::string what : {"scenario", "table", "trace"})
    CHECK(Json::parse(zablab(folder, {"schema", what}).out).contains("$defs"));
  const Json list =
      Json::parse(zablab(folder, {"list", "scenarios", ZABLAB_SOURCE_DIR "/scenarios", "--json"}).out);
  CHECK(list.size() > 1);
  for (const Json& line : list)
    CHECK((line.contains("name") && line.contains("file") && line.contains("claims")));
}

TEST_CASE("recordings are compared with the nodes") {
  const Folder folder;
  const std::string recorded = ZABLAB_SOURCE_DIR "/recordings/zookeeper-3.8.0/";
  const Ran agreed = zablab(folder, {"conform", "election", recorded + "election_calls.json"});
  CHECK(agreed.status == 3);
  CHECK(has(agreed.out, "\n118 calls: 117 agree, 0 differ, 1 undecidable; "));
  CHECK(has(agreed.out, "\nundecided: 1 of 118 calls cannot be decided\n"));
  CHECK(countOf(agreed.out, "\nagrees  ") + 1 == 117);
  const Ran synced = zablab(folder, {"conform", "sync", recorded + "sync_decisions.json", "--json"});
  CHECK(synced.status == 0);
  CHECK(countOf(synced.out, "\"agreement\":\"agrees\"") == 86);
  CHECK(has(synced.out, "{\"summary\":{\"decisions\":86,\"agree\":79,"));
  const Ran other =
      zablab(folder, {"conform", "sync", recorded + "sync_decisions.json", "--mutate", "diff_without_trunc"});
  CHECK(other.status == 1);
  CHECK(has(other.out, "first packet: the node DIFF 2.4, the server SNAP 2.4"));

  const std::string text = contentsOf(recorded + "election_calls.json");
  const std::string cut = folder.write("cut.json", text.substr(0, text.size() / 2));
  const Ran broken_off = zablab(folder, {"conform", "election", cut});
  CHECK(broken_off.status == 2);
  CHECK(broken_off.out.empty());
  CHECK(countOf(broken_off.err, "error:") == 1);
  const Ran confused = zablab(folder, {"conform", "sync", recorded + "election_calls.json"});
  CHECK(confused.status == 2);
  CHECK(countOf(confused.err, "error:") == 1);
  CHECK(zablab(folder, {"conform"}).status == 2);
  CHECK(zablab(folder, {"conform", "sync"}).status == 2);
  CHECK(has(zablab(folder, {"conform", "elections", cut}).err, "did you mean election?"));
}

TEST_CASE("fuzz: merged shards equal the whole; a story is written, fails again and can be shrunk") {
  const Folder folder;
  const Words seeds{"fuzz", "--seeds", "0:40", "--mutate", "retain_db_no_ff", "--json"};
  const auto with = [&seeds](Words more) {
    Words words = seeds;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const auto summaryOf = [](const std::string& out) {
    const std::size_t line = out.rfind('\n', out.size() - 2);
    return Json::parse(out.substr(line == std::string::npos ? 0 : line + 1))["summary"];
  };
  const Ran whole = zablab(folder, with({"--no-shrink"}));
  CHECK(whole.status == 1);
  for (const char* shard : {"0", "1"}) {
    const Words part{"--no-shrink", "--shard", std::string(shard) + "/2", "--out", shard};
    CHECK(zablab(folder, with(part)).status < 2);
  }
  const Ran merged = zablab(folder, {"merge", "0", "1", "--json"});
  CHECK(merged.status == 1);
  CHECK(summaryOf(merged.out)["findings"] == summaryOf(whole.out)["findings"]);
  CHECK(summaryOf(merged.out)["statistics"] == summaryOf(whole.out)["statistics"]);
  CHECK(zablab(folder, {"merge", "0", "0"}).status == 2);

  const Ran told = zablab(folder, with({"--first", "--out", "found"}));
  CHECK(told.status == 1);
  const Json story = Json::parse(told.out.substr(0, told.out.find('\n')));
  const std::string stem = "found/01-" + story["what"].get<std::string>();
  CHECK(zablab(folder, {"run", stem + ".json"}).status == 0);
  CHECK(zablab(folder, {"run", stem + ".json", "--mutate", "retain_db_no_ff"}).status == 1);
  CHECK(zablab(folder, {"replay", stem + ".trace.json"}).status == 0);
  const Ran small = zablab(folder, {"shrink", stem + ".trace.json", "--out", "small"});
  CHECK(small.status == 0);
  CHECK(zablab(folder, {"run", "small.json", "--mutate", "retain_db_no_ff"}).status == 1);
  for (const char* file : {"found/times.svg", "found/coverage.dot", "found/summary.json", "small.svg"})
    CHECK_FALSE(contentsOf(folder / file).empty());
}

TEST_CASE("a new scenario passes") {
  for (const std::int64_t servers : {1, 2, 3, 9}) {
    CAPTURE(servers);
    const Case one = readCase("new", parseJson("new", newScenario(servers)));
    CHECK(runScenario(one.scenario).verdict == Verdict::passed);
  }
  const Folder folder;
  for (const Protocol* protocol : protocols()) {
    CAPTURE(std::string(protocol->name()));
    const Ran made = zablab(folder, {"new", "--protocol", std::string(protocol->name())});
    CHECK(made.status == 0);
    const Case one = readCase("new", parseJson("new", made.out));
    CHECK(protocolOf(one.scenario).name() == protocol->name());
    CHECK(runScenario(one.scenario).verdict == Verdict::passed);
    if (protocol == protocols().front()) continue;  // expects what happens before its only step
    Json idle = one.scenario.document.plain();
    idle.erase("steps");
    CHECK(runScenario(readCase("idle", JsonValue::fromJson(idle, "idle")).scenario).verdict ==
          Verdict::failed);
  }
}

TEST_CASE("lists: what a run's events, messages, records and states have is listed, in every protocol") {
  const Folder folder;
  const auto listed = [&](const char* what, const Protocol& protocol) {
    std::map<std::string, std::string> texts;
    const Ran ran = zablab(folder, {"list", what, "--protocol", std::string(protocol.name()), "--json"});
    for (const Json& row : Json::parse(ran.out)) texts[row.at("name")] = row.at("text");
    return texts;
  };
  const auto hasAll = [](const std::string& text, const Json& fields) {
    for (const auto& field : fields.items()) {
      if (field.key() != "type") CHECK(("; " + text).find("; " + field.key() + ": ") != std::string::npos);
    }
  };
  for (const Protocol* protocol : protocols()) {
    CAPTURE(std::string(protocol->name()));
    const auto events = listed("events", *protocol);
    const auto messages = listed("messages", *protocol);
    const auto records = listed("records", *protocol);
    const auto state = listed("state", *protocol);
    const Ran made = zablab(folder, {"new", "--protocol", std::string(protocol->name())});
    const Trace trace = runScenario(readCase("new", parseJson("new", made.out)).scenario).trace;
    std::set<std::string> changed;
    for (const TraceEvent& event : trace.events) {
      CAPTURE(event.kind);
      REQUIRE(events.contains(event.kind));
      if (event.kind == "sent") hasAll(messages.at(event.data.at("type")), event.data.at("content"));
      if (event.kind == "written") hasAll(records.at(event.data.at("record")), event.data.at("content"));
      if (events.at(event.kind).find("docs/traces.md") == std::string::npos) {
        Json fields = event.data;
        fields.erase("picture");
        hasAll(events.at(event.kind), fields);
      }
      for (const auto& field : event.changes.items()) changed.insert(field.key());
    }
    CHECK(changed.size() >= 3);
    for (const std::string& field : changed) CHECK(state.contains(field));
  }
  CHECK(listed("state", *protocols().front()).at("role") == "LOOKING | FOLLOWING | LEADING | OBSERVING");
  CHECK(listed("events", *protocols().front()).at("quorum").find("; counted: [number]; needed: number") !=
        std::string::npos);
}

}  // namespace
}  // namespace zablab
