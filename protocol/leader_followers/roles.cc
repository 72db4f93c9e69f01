#include "protocol/leader_followers/roles.h"

#include "protocol/leader_followers/replication.h"
#include "protocol/leader_followers/requests.h"

namespace zablab::leader_followers {
namespace {

/// What belongs to the role that ends, or to another leader's following.
void leaveRole(const Context& in) {
  Node& node = in.node;
  node.campaign = Campaign::none;
  node.granted.clear();
  if (node.role == Role::LEADING) {
    in.cancelTimer(TimerKind::heartbeat);
    in.forOthers([&](ServerId id) { in.cancelTimer(TimerKind::silent, id); });
    node.followers.clear();
  }
  giveUpRequests(in);
}

void enter(const Context& in, Role role, std::optional<ServerId> leader, RoleReason reason) {
  Node& node = in.node;
  const Role from = std::exchange(node.role, role);
  const auto before = std::exchange(node.leader, leader);
  if (from != role || before != leader || reason == RoleReason::started)
    in.emit(RoleChanged{from, role, node.generation, leader, reason});
}

}  // namespace

void saveVote(const Context& in, bool new_generation) {
  if (in.rules.vote_saved == VoteSaved::nothing) return;
  const bool with_vote = in.rules.vote_saved == VoteSaved::vote_and_generation;
  if (!with_vote && !new_generation) return;
  in.write(WriteVote{in.node.generation, with_vote ? in.node.voted_for : std::nullopt});
}

void restartElectionTimer(const Context& in) {
  in.out.push_back(V::SetTimer{
      {TimerKind::election}, in.config.election_timeout_min_ms, in.config.election_timeout_max_ms});
}

void load(Node& node, const Durable& disk) {
  node.generation = disk.generation;
  node.voted_for = disk.voted_for;
  node.log = disk.log;
}

void takeUp(const Context& in) {
  const Node& node = in.node;
  in.emit(RoleChanged{node.role, node.role, node.generation, node.leader, RoleReason::placed});
  if (node.role != Role::LEADING) return restartElectionTimer(in);
  in.forOthers([&](ServerId id) { in.setTimer(TimerKind::silent, in.config.check_quorum_ms, id); });
  in.setTimer(TimerKind::heartbeat, in.config.heartbeat_ms);
}

void start(const Context& in, const Durable& disk) {
  load(in.node, disk);
  enter(in, Role::LOOKING_FOR_LEADER, std::nullopt, RoleReason::started);
  restartElectionTimer(in);  // a leader that there is will be heard before
}

void becomeFollower(const Context& in, std::optional<ServerId> leader, std::int64_t generation,
                    RoleReason reason) {
  Node& node = in.node;
  if (node.role == Role::FOLLOWING && node.generation == generation && node.leader == leader) return;
  const bool led = node.role == Role::LEADING;
  leaveRole(in);
  if (generation != node.generation) {
    node.generation = generation;
    node.voted_for.reset();
    saveVote(in, true);
  }
  enter(in, Role::FOLLOWING, leader, reason);
  if (led) restartElectionTimer(in);
}

void voteFor(const Context& in, ServerId candidate, std::int64_t generation) {
  Node& node = in.node;
  leaveRole(in);
  const bool new_generation = generation != node.generation;
  node.generation = generation;
  node.voted_for = candidate;
  saveVote(in, new_generation);
  enter(in, Role::FOLLOWING, std::nullopt, RoleReason::voted);
}

void becomeLooking(const Context& in, RoleReason reason) {
  leaveRole(in);
  enter(in, Role::LOOKING_FOR_LEADER, std::nullopt, reason);
  restartElectionTimer(in);
}

void becomeLeader(const Context& in) {
  leaveRole(in);
  in.cancelTimer(TimerKind::election);
  enter(in, Role::LEADING, in.node.self, RoleReason::elected);
  beginLeading(in);
}

}  // namespace zablab::leader_followers
