// The documents' statements about elections, recovery and broadcast: each claim is named by a shipped file.
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json.h"
#include "tests/shipped.h"

namespace zablab {
namespace {

/// A group of claims, by subject.
struct Group {
  std::string_view subject;
  std::vector<std::string> ids;
};

std::vector<Group> wanted() {
  return {
      {"writes and reads",
       {"000-W1", "000-W2", "000-W3", "000-W4", "000-W5", "000-W5b", "000-W6", "000-R1", "000-R1b", "000-R2",
        "000-R3", "000-R4", "000-O1", "000-A0", "000-Q"}},
      {"zxids", {"000-Z1", "000-Z2", "000-Z3"}},
      {"elections", {"000-F0",  "000-F1",  "000-F1b", "000-F1c", "000-F2",  "000-F3",  "000-F4",  "000-F5",
                     "000-F6",  "000-F7",  "000-F8",  "000-F8b", "000-F9",  "000-F9b", "000-F9c", "000-F10",
                     "000-F11", "000-F12", "000-F13", "000-F14", "000-F15", "000-H1",  "000-H2"}},
      {"recovery of five servers",
       {"000-C0", "000-C1", "000-C1b", "000-C2", "000-C3", "000-C4", "000-C5", "000-C6", "000-C7", "000-C7b",
        "000-C8", "000-C9", "000-P3-revive"}},
      {"recovery of seven servers", {"000-7a", "000-7b", "000-7c", "000-7d", "000-7e"}},
      {"what ZooKeeper promises its clients",
       {"000-G1", "000-G2", "000-G3", "000-G4", "000-G5", "002-A2", "002-G"}},
      {"nodes, sessions and watches",
       {"000-N1", "000-N2", "000-N3", "000-N4", "000-V1", "000-V2", "000-V3", "002-D1", "002-D2", "002-D3",
        "002-S1", "002-API"}},
      {"locks of clients", {"000-L1", "000-L2", "000-L3", "002-L1", "002-L2"}},
      {"other recipes of clients", {"002-B", "002-CFG", "002-CFG2", "002-M1", "002-NS"}},
      {"elections of clients",
       {"000-U1",  "000-U2", "000-U3", "000-U4",  "000-U5",  "000-E1",  "000-E2", "000-E3",
        "000-E4",  "000-E5", "003-P1", "003-P2",  "003-A",   "003-A'",  "003-B",  "003-B'",
        "003-B''", "003-C",  "003-X1", "003-X2",  "003-X3",  "003-X4",  "003-X5", "003-X6",
        "003-X7",  "003-X8", "003-X9", "003-X10", "003-X11", "003-X12", "003-X13"}},
      {"the overviews' elections", {"001-Z1", "001-Z2", "001-Z3", "002-A1", "002-F1", "002-P1"}},
      {"sentinels", {"001-S1", "001-S2", "001-S3", "001-S4", "001-S5", "001-S6", "001-S7"}},
      {"leader and followers",
       {"004-1", "004-1b", "004-2", "004-3", "004-4", "004-5", "004-6", "004-7", "004-X1", "004-X2",
        "004-X3"}},
      {"Redis Cluster", {"001-C1", "001-C2", "001-C3", "001-C4", "001-C5", "001-C6", "001-C7", "001-C8"}},
      {"elections on an external store", {"004-8", "004-9", "004-10", "004-11", "004-X4"}},
      {"Kafka's controller", {"001-K1", "001-K2", "001-K3"}},
      {"quorum registers", {"004-Q1", "004-Q2", "004-Q3"}},
  };
}

TEST_CASE("claims: every claim of the documents on elections, recovery and broadcast has a file") {
  std::set<std::string> claimed;
  std::size_t files = 0;
  for (const std::string& path : shippedFiles()) {
    const JsonValue document = loadJson(path);
    ++files;
    const JsonValue* claims = document.find("claims");
    if (claims == nullptr) continue;
    for (const JsonValue& claim : claims->elements()) claimed.insert(claim.asString());
  }
  CHECK(files > 150);
  std::set<std::string> listed;
  for (const Group& group : wanted()) {
    for (const std::string& id : group.ids) {
      CHECK_MESSAGE(listed.insert(id).second, id, " is listed twice");
      CHECK_MESSAGE(claimed.contains(id), group.subject, ": ", id, " is claimed by no file");
    }
  }
  for (const std::string& id : claimed) CHECK_MESSAGE(listed.contains(id), "there is no claim ", id);
}

TEST_CASE("claims.md: every claim with the files that name it, and no other") {
  std::map<std::string, std::string> rows;
  std::istringstream page(loadText(ZABLAB_SOURCE_DIR "/docs/claims.md"));
  std::size_t links = 0;
  for (std::string line; std::getline(page, line);) {
    for (std::size_t at = line.find("](../scenarios/"); at != std::string::npos;
         at = line.find("](../scenarios/", at + 1))
      ++links;
    if (line.starts_with("| 0")) rows[line.substr(2, line.find(' ', 2) - 2)] = line;
  }
  std::size_t named = 0;
  const std::string scenarios = ZABLAB_SOURCE_DIR "/scenarios/";
  for (const std::string& path : shippedFiles()) {
    const JsonValue document = loadJson(path);
    const JsonValue* claims = document.find("claims");
    if (claims == nullptr) continue;
    for (const JsonValue& claim : claims->elements()) {
      ++named;
      CAPTURE(path);
      CAPTURE(claim.asString());
      REQUIRE(rows.contains(claim.asString()));
      const std::string link = "](../scenarios/" + path.substr(scenarios.size()) + ")";
      CHECK_MESSAGE(rows[claim.asString()].find(link) != std::string::npos, "run scripts/claims.py");
    }
  }
  CHECK(named == links);
  CHECK(named > 150);
}

}  // namespace
}  // namespace zablab
