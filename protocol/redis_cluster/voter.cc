#include "protocol/redis_cluster/parts.h"

namespace zablab::redis_cluster {
namespace {

bool hasNewerOwner(const Context& ctx, const Header& header) {
  return std::any_of(header.slots.begin(), header.slots.end(), [&](Slot slot) {
    const auto at = ctx.node.conf.slots.find(slot);
    return at != ctx.node.conf.slots.end() && ctx.known(at->second).config_epoch > header.config_epoch;
  });
}

bool hasFresherSibling(const Context& ctx, ServerId candidate, const Header& header) {
  return std::any_of(ctx.node.conf.nodes.begin(), ctx.node.conf.nodes.end(), [&](const auto& one) {
    return one.first != candidate && one.first != ctx.node.self && one.second.master == header.master &&
           !ctx.isSuspect(one.first) && ctx.node.seen[one.first].offset > header.offset;
  });
}

/// Whether it votes, and if not, the first reason against it.
VoteReason decide(const Context& ctx, ServerId from, const AuthRequest& request) {
  const NodesConf& conf = ctx.node.conf;
  const Rules& rules = ctx.rules;
  const ServerId master = ctx.known(from).master;
  if (request.header.current_epoch < conf.current_epoch) return VoteReason::old_epoch;
  if (conf.last_vote_epoch == conf.current_epoch) return VoteReason::voted_in_epoch;
  if (master == no_server || master != request.header.master) return VoteReason::not_a_replica;
  if (rules.precondition == Precondition::master_failed && !request.force && !ctx.isFailed(master))
    return VoteReason::master_works;
  const bool waits = rules.vote_gap == VoteGap::twice_timeout ||
                     (rules.vote_gap == VoteGap::not_if_forced && !request.force);
  if (waits && contains(ctx.node.voted, master)) return VoteReason::voted_recently;
  if (rules.owner_epoch == OwnerEpoch::compared && hasNewerOwner(ctx, request.header))
    return VoteReason::newer_owner;
  if (rules.voter_offset == VoterOffset::compared && hasFresherSibling(ctx, from, request.header))
    return VoteReason::fresher_sibling;
  if (rules.own_epoch == OwnEpoch::no_vote && ctx.own().config_epoch == conf.current_epoch)
    return VoteReason::own_epoch;
  return VoteReason::granted;
}

}  // namespace

void onAuthRequest(const Context& ctx, ServerId from, const AuthRequest& request) {
  Node& node = ctx.node;
  if (!ctx.isMaster() || !ctx.hasSlots(node.self)) return;
  const VoteReason reason = decide(ctx, from, request);
  ctx.emit(VoteDecided{from, request.header.current_epoch, reason});
  if (reason != VoteReason::granted) return;
  const ServerId master = ctx.known(from).master;
  node.conf.last_vote_epoch = node.conf.current_epoch;
  if (ctx.rules.vote_saved == VoteSaved::before_ack) ctx.save();
  if (ctx.rules.vote_gap != VoteGap::none) {
    insertInOrder(node.voted, master);
    ctx.set(TimerKind::vote_gap, 2 * ctx.config.node_timeout_ms, master);
  }
  if (ctx.rules.ack_to == AckTo::everyone) return ctx.broadcast(AuthAck{ctx.header()});
  ctx.send(from, AuthAck{ctx.header()});
}

}  // namespace zablab::redis_cluster
