#include "checker/leader_followers/tables.h"

#include <optional>

#include "protocol/leader_followers/election.h"
#include "sim/json_reflect.h"
#include "sim/leader_followers/binding.h"

namespace zablab::leader_followers {
namespace {

/// A server whose vote is requested.
struct Voter {
  ServerId id = 2;
  std::int64_t generation = 0;
  std::optional<ServerId> voted_for;
  std::optional<ServerId> leader;
  std::vector<std::int64_t> log;  ///< the generations of its entries
};
BOOST_DESCRIBE_STRUCT(Voter, (), (id, generation, voted_for, leader, log))

struct VoteRow {
  Voter voter;
  ServerId candidate = 3;
  std::int64_t generation = 0;
  Position last;
  bool pre = false;
  static constexpr std::array required{"voter", "generation"};
};
BOOST_DESCRIBE_STRUCT(VoteRow, (), (voter, candidate, generation, last, pre))

/// A follower of a generation in which it may have voted.
Json voteDecision(const JsonValue& given, const Scenario& scenario, const JsonValue& document) {
  checkNumbers(given);
  const VoteRow row = read<VoteRow>(given);
  Node node = Family::blank(row.voter.id);
  node.role = Role::FOLLOWING;
  node.generation = row.voter.generation;
  node.voted_for = row.voter.voted_for;
  node.leader = row.voter.leader;
  for (const std::int64_t generation : row.voter.log) node.log.push_back({generation, {}});
  const VoteDecision decision = decideVote(Binding<Family>::rules(scenario, document), node, row.candidate,
                                           {row.generation, row.last, row.pre});
  return {{"granted", decision.granted}, {"reason", std::string(enumName(decision.reason))}};
}

}  // namespace

std::vector<TableFunction> tableFunctions() {
  return {{"vote_decision",
           "what a `voter` (generation, voted_for, the generations of its `log`) answers a `candidate` of a "
           "`generation` whose log ends with `last`: {granted, reason}",
           &voteDecision}};
}

}  // namespace zablab::leader_followers
