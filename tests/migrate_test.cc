// scripts/migrate.py: files of older versions in the present format.

#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "tests/program.h"

namespace zablab {
namespace {

struct Row {
  const char* before;
  const char* after;  ///< null: it remains unchanged
};

std::string scenario(const std::string& step) {
  return "{\"kind\": \"scenario\", \"name\": \"n\", \"servers\": 3,\n"
         " \"clients\": [{\"id\": 101, \"server\": 1}],\n"
         " \"steps\": [{\"at\": 1, \"kill\": 1},\n  " +
         step + "],\n \"until\": 9}\n";
}

std::string migrated(const std::string& text) {
  const Folder folder;
  const std::string file = folder.write("old.json", text);
  const std::string command = "python3 " ZABLAB_SOURCE_DIR "/scripts/migrate.py " + file + " > /dev/null";
  REQUIRE(std::system(command.c_str()) == 0);
  return contentsOf(file);
}

TEST_CASE("migrate: older forms are rewritten, and the rest remains unchanged to the character") {
  for (const Row& row : {
           Row{R"({"at": 2,  "write": {"client": 101, "value": 7}})",
               R"({"at": 2,  "client": 101, "write": 7})"},
           {R"({"at": 2, "write": {"client": 101, "repeat": 3, "every": 5}})",
            R"({"at": 2, "client": 101, "write": true, "times": 3, "every": 5})"},
           {R"({"read": {"client": 101}, "after": 3})", R"({"client": 101, "read": true, "after": 3})"},
           {R"({"at": 2, "connect": {"client": 101, "server": 2}})",
            R"({"at": 2, "client": 101, "connect": 2})"},
           {R"({"at": 2, "look": [1, 2]})", R"({"at": 2, "prompt": [1, 2]})"},
           {R"({"at": 2, "power_loss": [1, 2], "keep": 1})",
            R"({"at": 2, "power_loss": {"servers": [1, 2], "keep": 1}})"},
           {R"({"keep": 1, "at": 2, "power_loss": 2})",
            R"({"at": 2, "power_loss": {"servers": 2, "keep": 1}})"},
           {R"({"at": 2, "hold": {"link": "learner", "from": 1, "to": 2}})", nullptr},
           {R"({"when": {"event": {"kind": "applied", "txn": {"client": 101}}}, "client": 101, "write": 7})",
            nullptr},
       }) {
    CAPTURE(row.before);
    CHECK(migrated(scenario(row.before)) == scenario(row.after == nullptr ? row.before : row.after));
  }
}

TEST_CASE("migrate: ZooKeeper's words in states, votes and models' timers") {
  CHECK(migrated(R"({"kind": "model", "timers": {"give_up": "paid", "tick": "never"}})") ==
        R"({"kind": "model", "timers": {"give_up": "budgeted", "tick": "never"}})");
  CHECK(migrated(R"({"servers": [{"id": 1, "disk": {"round": 3},
  "state": {"round": 2, "current_vote": {"leader": 1, "epoch": 0, "round": 2}}}]})") ==
        R"({"servers": [{"id": 1, "disk": {"logicalclock": 3},
  "state": {"logicalclock": 2, "current_vote": {"leader": 1, "peer_epoch": 0, "election_epoch": 2}}}]})");
  CHECK(
      migrated(
          R"({"expect": [{"server": [1, 2], "state": {"1": {"box": {}}, "2": {"epoch": 1, "pending": []}}},
  {"event": {"kind": "round", "to": 2, "round": 1}}, {"equal": {"servers": [1, 2], "field": "box.1"}}]})") ==
      R"({"expect": [{"server": [1, 2], "state": {"1": {"recvset": {}}, "2": {"epoch": 1, "pending_txns": []}}},
  {"event": {"kind": "round", "to": 2, "round": 1}}, {"equal": {"servers": [1, 2], "field": "recvset.1"}}]})");
  const char* other = R"({"protocol": "leader_followers", "servers": [{"id": 1, "state": {"round": 1}}]})";
  CHECK(migrated(other) == other);
}

TEST_CASE("migrate: types of messages") {
  CHECK(
      migrated(
          R"({"expect": [{"packets": {"exactly": [{"type": "ASK", "value": 7}, {"type": "ANSWER"}]}}]})") ==
      R"({"expect": [{"packets": {"exactly": [{"type": "CLIENT_REQUEST", "value": 7}, {"type": "REPLY"}]}}]})");
}

TEST_CASE("migrate: the receiver of a message, wherever a pattern stands") {
  CHECK(migrated(R"({"steps": [{"when": {"event": {"kind": "sent", "node": 2, "to": 3}}, "kill": 2}],
  "expect": [{"order": [{"kind": "sent", "to": 1}, {"kind": "role", "to": "LEADING"}]}, {"any_of": [{"event":
  {"kind": "sent",  "to": 2, "type": "DIFF"}}]}, {"event": {"kind": "sent", "type": "DIFF", "to": "1.2"}}]})") ==
        R"({"steps": [{"when": {"event": {"kind": "sent", "node": 2, "receiver": 3}}, "kill": 2}],
  "expect": [{"order": [{"kind": "sent", "receiver": 1}, {"kind": "role", "to": "LEADING"}]}, {"any_of": [{"event":
  {"kind": "sent",  "receiver": 2, "type": "DIFF"}}]}, {"event": {"kind": "sent", "type": "DIFF", "to": "1.2"}}]})");
}

TEST_CASE("migrate: operations of ZooKeeper's clients") {
  CHECK(
      migrated(R"({"steps": [{"at": 1, "client": 101, "multi": [{"create": "/a", "flags": 3}]}],
  "expect": [{"event": {"kind": "answered", "op": {"getChildren2": "/a"}}}]})") ==
      R"({"steps": [{"at": 1, "client": 101, "multi": [{"create": "/a", "flags": ["EPHEMERAL", "SEQUENTIAL"]}]}],
  "expect": [{"event": {"kind": "answered", "op": {"getChildren": "/a"}}}]})");
}

TEST_CASE("migrate: a model's list of requests, and the action `ask`") {
  CHECK(migrated(R"({"kind": "model", "asks": [{"client": 1, "operation": "put", "value": 3},
  {"client": 2, "operation": "sync"}]})") == R"({"kind": "model", "asks": [{"client": 1, "write": 3},
  {"client": 2, "sync": true}]})");
  CHECK(migrated(R"({"actions": [{"do": "ask", "server": 9, "operation": "connect", "to": 2}]})") ==
        R"({"actions": [{"do": "ask", "server": 9, "ask": {"connect": 2}}]})");
}

}  // namespace
}  // namespace zablab
