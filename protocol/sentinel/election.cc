#include "protocol/sentinel/election.h"

#include <algorithm>
#include <map>

namespace zablab::sentinel {
namespace {

/// An answer that is older than so many intervals of asking no longer counts.
constexpr int asks_counted = 5;

Millis desyncMs(const Context& ctx) {
  return ctx.rules.desync == Desync::none ? 0 : ctx.config.desync_max_ms;
}

std::int64_t voters(const Context& ctx) {
  const auto known = std::ssize(ctx.sentinel().known);
  return ctx.rules.electorate == Electorate::known ? known : std::ssize(ctx.config.sentinels);
}

bool isEnough(const Context& ctx, std::int64_t votes) {
  const bool majority = 2 * votes > voters(ctx);
  const bool quorum = votes >= ctx.config.quorum;
  switch (ctx.rules.winner_needs) {
    case WinnerNeeds::majority_and_quorum: return majority && quorum;
    case WinnerNeeds::majority: return majority;
    case WinnerNeeds::quorum: return quorum;
  }
  return false;
}

/// Remembers a vote for the attempt, until this ends.
void noteVote(const Context& ctx, ServerId from, const Vote& vote) {
  Sentinel& sentinel = ctx.sentinel();
  if (ctx.rules.votes_kept != VotesKept::of_the_attempt || sentinel.state != FailoverState::WAIT_START)
    return;
  if (vote.leader == ctx.node.self && vote.epoch == sentinel.failover_epoch) sentinel.votes.insert(from);
}

/// Why it did not vote for the candidate now.
VoteReason whyNot(const Sentinel& sentinel, ServerId candidate, std::int64_t epoch) {
  if (epoch < sentinel.current_epoch || epoch < sentinel.vote.epoch) return VoteReason::older_epoch;
  if (!sentinel.vote.leader) return VoteReason::forgotten;
  return sentinel.vote.leader == candidate ? VoteReason::repeated : VoteReason::other_leader;
}

}  // namespace

bool startFailoverIfNeeded(const Context& ctx) {
  Sentinel& sentinel = ctx.sentinel();
  const bool down = ctx.rules.starts_when == StartsWhen::subjectively_down
                        ? sentinel.instances.at(sentinel.master).down
                        : sentinel.odown;
  if (!down || sentinel.state != FailoverState::NONE) return false;
  if (sentinel.waits) {
    if (!std::exchange(sentinel.waits_told, true)) ctx.emit(FailoverDelayed{});
    return false;
  }
  sentinel.state = FailoverState::WAIT_START;
  sentinel.failover_epoch = ++sentinel.current_epoch;
  ctx.write(SaveEpoch{sentinel.current_epoch});
  ctx.emit(NewEpoch{sentinel.current_epoch});
  ctx.emit(TryFailover{sentinel.failover_epoch});
  postpone(ctx);
  return true;
}

void postpone(const Context& ctx) {
  Sentinel& sentinel = ctx.sentinel();
  sentinel.waits = true;
  sentinel.waits_told = false;
  const Millis gate = 2 * ctx.config.failover_timeout_ms;
  ctx.setTimer(TimerKind::gate, gate, gate + desyncMs(ctx), no_server);
  if (sentinel.state != FailoverState::WAIT_START) return;
  sentinel.out_of_time = false;
  const Millis election = ctx.config.electionTimeoutMs();
  ctx.setTimer(TimerKind::election, election, election + desyncMs(ctx), no_server);
}

void askOthers(const Context& ctx, bool now) {
  Sentinel& sentinel = ctx.sentinel();
  if (!sentinel.instances.at(sentinel.master).down) return;
  const bool stands = sentinel.state != FailoverState::NONE;
  const bool own = stands && ctx.rules.votes_of == VotesOf::own_attempt;
  const IsMasterDown question{sentinel.master, own ? sentinel.failover_epoch : sentinel.current_epoch,
                              stands ? std::optional(ctx.node.self) : std::nullopt};
  for (const ServerId id : sentinel.known) {
    if (id == ctx.node.self) continue;
    Instance& peer = sentinel.instances.at(id);
    if (!peer.connected || (!now && (!peer.ask_due || peer.ask_sent))) continue;
    peer.ask_sent = true;
    ctx.send(sentinel_link, id, question);
  }
}

Vote vote(const Context& ctx, ServerId candidate, std::int64_t epoch) {
  Sentinel& sentinel = ctx.sentinel();
  if (epoch > sentinel.current_epoch) {
    sentinel.current_epoch = epoch;
    if (ctx.rules.heard_epoch == HeardEpoch::saved) ctx.write(SaveEpoch{epoch});
    ctx.emit(NewEpoch{epoch});
  }
  const bool free =
      sentinel.vote.epoch < epoch || (ctx.rules.vote_given == VoteGiven::last_to_ask &&
                                      sentinel.vote.epoch == epoch && sentinel.vote.leader != candidate);
  if (free && sentinel.current_epoch <= epoch) {
    sentinel.vote = {candidate, sentinel.current_epoch};
    if (ctx.rules.vote_saved == VoteSaved::epoch) ctx.write(SaveVote{sentinel.current_epoch});
    ctx.emit(VoteDecided{candidate, epoch, true, VoteReason::first_to_ask, sentinel.vote});
    if (candidate != ctx.node.self) postpone(ctx);
  }
  return sentinel.vote;
}

bool isElected(const Context& ctx) {
  Sentinel& sentinel = ctx.sentinel();
  const std::int64_t epoch =
      ctx.rules.votes_of == VotesOf::own_attempt ? sentinel.failover_epoch : sentinel.current_epoch;
  std::map<ServerId, std::vector<ServerId>> votes;  // by candidate
  for (const ServerId id : sentinel.known) {
    if (id == ctx.node.self) continue;
    const Vote& given = sentinel.instances.at(id).vote;
    if (given.leader && given.epoch == epoch) votes[*given.leader].push_back(id);
  }
  const auto best = [&] {
    return std::max_element(votes.begin(), votes.end(),
                            [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  };
  // Its own vote goes to who is ahead.
  const Vote own = vote(ctx, votes.empty() ? ctx.node.self : best()->first, sentinel.failover_epoch);
  if (own.leader && own.epoch == sentinel.failover_epoch) votes[*own.leader].push_back(ctx.node.self);
  noteVote(ctx, ctx.node.self, own);
  // A vote is never withdrawn, so those of the attempt's epoch are enough whatever has happened since.
  if (isEnough(ctx, std::ssize(sentinel.votes))) {
    ctx.emit(Elected{sentinel.failover_epoch,
                     sentinel.failover_epoch,
                     {sentinel.votes.begin(), sentinel.votes.end()},
                     voters(ctx)});
    return true;
  }
  if (votes.empty()) return false;
  const auto winner = best();
  if (winner->first != ctx.node.self || !isEnough(ctx, std::ssize(winner->second))) return false;
  std::sort(winner->second.begin(), winner->second.end());
  ctx.emit(Elected{sentinel.failover_epoch, epoch, winner->second, voters(ctx)});
  return true;
}

void onIsMasterDown(const Context& ctx, ServerId from, const IsMasterDown& request) {
  Sentinel& sentinel = ctx.sentinel();
  IsMasterDownReply reply{.master = request.master};
  if (request.master == sentinel.master) {
    reply.down = ctx.rules.seen_down == SeenDown::always ||
                 (!sentinel.tilt && sentinel.instances.at(sentinel.master).down);
    if (request.candidate) {
      const ServerId candidate = *request.candidate;
      const Vote before = sentinel.vote;
      reply.vote = vote(ctx, candidate, request.epoch);
      if (sentinel.vote == before) {
        const VoteReason reason = whyNot(sentinel, candidate, request.epoch);
        if (ctx.rules.second_request == SecondRequest::refused && reason != VoteReason::repeated)
          reply.vote = {};
        ctx.emit(VoteDecided{candidate, request.epoch, false, reason, reply.vote});
      }
    }
  }
  ctx.send(sentinel_link, from, reply);
}

void onIsMasterDownReply(const Context& ctx, ServerId from, const IsMasterDownReply& reply) {
  Instance& peer = ctx.sentinel().instances.at(from);
  peer.ask_sent = false;
  if (ctx.rules.old_reports == OldReports::dropped && reply.master != ctx.sentinel().master) return;
  peer.ask_due = false;
  peer.sees_down = reply.down;
  ctx.setTimer(TimerKind::ask, ctx.config.ask_ms, from);
  ctx.setTimer(TimerKind::answer, asks_counted * ctx.config.ask_ms, from);
  if (!reply.vote.leader) return;
  if (peer.vote.epoch != reply.vote.epoch) ctx.emit(PeerVoted{from, reply.vote});
  peer.vote = reply.vote;
  noteVote(ctx, from, reply.vote);
}

}  // namespace zablab::sentinel
