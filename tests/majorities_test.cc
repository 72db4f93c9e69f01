// The invariants' own reckoning of quorums.
#include "checker/zab/majorities.h"

#include <doctest/doctest.h>

#include <optional>
#include <vector>

#include "protocol/zab/quorum.h"

namespace zablab::zab {
namespace {

using Servers = std::vector<ServerId>;

Member voter(ServerId id, std::optional<std::int64_t> group = {}, std::int64_t weight = 1) {
  Member member;
  member.id = id;
  member.group = group;
  member.weight = weight;
  return member;
}

Member observer(ServerId id) {
  Member member;
  member.id = id;
  member.observer = true;
  return member;
}

Config configOf(const std::vector<Member>& members) {
  Config config;
  config.members = members;
  return config;
}

const Config plain = configOf({voter(1), voter(2), voter(3), observer(4), observer(5)});
const Config even = configOf({voter(1), voter(2), voter(3), voter(4)});
/// Three groups; the second has one server with most of the weight, the third has none.
const Config grouped = configOf(
    {voter(1, 1), voter(2, 1), voter(3, 1), voter(4, 2, 3), voter(5, 2), voter(6, 3, 0), voter(7, 3, 0)});

TEST_CASE("majorities: more than half of the voters, or of the weight in more than half of the groups") {
  const struct {
    const Config& config;
    Servers servers;
    bool enough;
  } rows[] = {
      {plain, {1}, false},
      {plain, {1, 2}, true},
      {plain, {1, 4, 5}, false},  // observers do not count
      {plain, {9, 8, 7}, false},  // nor do strangers
      {even, {1, 2}, false},
      {even, {1, 2, 3}, true},
      {grouped, {1, 2, 4}, true},
      {grouped, {1, 2, 5}, false},
      {grouped, {1, 4, 5}, false},
      {grouped, {1, 2, 3, 6, 7}, false},  // one of the two groups that have weight
      {configOf({}), {1}, false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.servers.size());
    CHECK(areMajority(row.config, row.servers) == row.enough);
  }
  CHECK(hasWeight(plain, 1));
  CHECK(hasWeight(grouped, 5));
  CHECK_FALSE(hasWeight(grouped, 6));
  CHECK(votesIn(plain, 3));
  CHECK_FALSE(votesIn(plain, 4));
  CHECK_FALSE(votesIn(plain, 9));
}

TEST_CASE("majorities: the servers reckon the same") {
  for (const Config* config : {&plain, &even, &grouped}) {
    for (unsigned set = 0; set < 256; ++set) {
      Servers servers;
      for (ServerId id = 1; id <= 8; ++id) {
        if ((set >> (id - 1) & 1) != 0) servers.push_back(id);
      }
      CHECK(areMajority(*config, servers) == isQuorum(*config, BroadcastRules{}, servers));
    }
    for (ServerId id = 1; id <= 8; ++id) {
      CHECK(hasWeight(*config, id) == (weightOf(*config, id) != 0));
      CHECK(votesIn(*config, id) == config->isVoter(id));
    }
  }
}

}  // namespace
}  // namespace zablab::zab
