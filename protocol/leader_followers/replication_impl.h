#pragma once

#include "protocol/leader_followers/replication.h"

#include <algorithm>

#include "protocol/leader_followers/requests.h"
#include "protocol/leader_followers/roles.h"

namespace zablab::leader_followers {
template <class S>
std::optional<ReadMark> lastRead(const BasicServer<S>& node) {
  if (node.reads.empty()) return std::nullopt;
  return ReadMark{node.reads.back().client, node.reads.back().number};
}

/// A follower's answer, or a leader's to itself, is sent when the entries it refers to are durable.
void acknowledge(const IsContext auto& ctx, ServerId to, const AppendResponse& response) {
  if (ctx.rules.ack_when == AckWhen::durable) return ctx.sendDurable(to, response);
  ctx.send(server_link, to, response);
}

/// Whether something is to be sent to this follower: entries, or reads that it has to confirm.
template <class S>
bool isAwaited(const BasicServer<S>& node, const Progress& follower) {
  return follower.next <= lastIndex(node.log) || (lastRead(node) && follower.read != lastRead(node));
}
/// The leader's own entries are counted like those of its followers.
void acknowledgeOwn(const IsContext auto& ctx) {
  const AppendResponse own{ctx.node.generation, true, lastIndex(ctx.node.log), std::nullopt};
  ctx.config.waits_for_disk ? onAppendResponse(ctx, ctx.node.self, own)
                            : acknowledge(ctx, ctx.node.self, own);
}

template <class S>
bool hasNews(const BasicServer<S>& node, const Progress& follower) {
  return isAwaited(node, follower) || follower.told < std::min(node.commit_index, follower.match);
}

template <class S>
void sendAppend(const BasicContext<S>& ctx, ServerId to, Progress& follower) {
  const auto& node = ctx.node;
  BasicAppend<S> append;
  append.generation = node.generation;
  append.previous = {generationAt(node.log, follower.next - 1), follower.next - 1};
  append.entries.assign(node.log.begin() + (follower.next - 1), node.log.end());
  append.commit_index = node.commit_index;
  append.read = lastRead(node);
  follower.waiting = true;
  follower.told = node.commit_index;
  follower.read = append.read;
  ctx.say(to, std::move(append));
}

/// Sends to followers from which no answer is awaited, if `which` says that there is something to send.
template <class Which>
void sendAppends(const IsContext auto& ctx, Which&& which) {
  ctx.forOthers([&](ServerId id) {
    Progress& follower = ctx.node.followers.at(id);
    if (!follower.waiting && which(follower)) sendAppend(ctx, id, follower);
  });
}

template <class S>
void applyUpTo(const BasicContext<S>& ctx, Index up_to) {
  auto& node = ctx.node;
  while (node.commit_index < up_to) {
    ++node.commit_index;
    ctx.emit(BasicApplied<S>{node.commit_index, entryAt(node.log, node.commit_index)});
  }
}

/// The last entry that a quorum has. An entry of an older generation is committed only by a later entry of
/// the leader's own generation.
void advanceCommit(const IsContext auto& ctx) {
  auto& node = ctx.node;
  for (Index index = lastIndex(node.log); index > node.commit_index; --index) {
    const bool own = entryAt(node.log, index).generation == node.generation;
    if (!own && ctx.rules.commit_counts == CommitCounts::own_generation) return;
    std::vector<ServerId> by;
    for (const auto& [id, progress] : node.followers) {
      if (progress.match >= index) by.push_back(id);
    }
    if (!ctx.config.isQuorum(by.size())) continue;
    ctx.emit(Committed{{entryAt(node.log, index).generation, index}, by});
    applyUpTo(ctx, index);
    return answerReady(ctx);
  }
}

/// Replaces the entries that differ by the leader's.
template <class S>
void takeEntries(const BasicContext<S>& ctx, const BasicAppend<S>& append) {
  auto& node = ctx.node;
  const auto cut = [&](Index index) {
    if (index >= lastIndex(node.log)) return;
    ctx.emit(Truncated{index, endOf(node.log)});
    node.log.resize(static_cast<std::size_t>(index));
    node.commit_index =
        std::min(node.commit_index, index);  // nothing committed is removed, unless a rule permits it
    ctx.write(Truncate{index});
  };
  if (ctx.rules.truncate_when == TruncateWhen::always) cut(append.previous.index);
  Index index = append.previous.index;
  for (const BasicEntry<S>& entry : append.entries) {
    ++index;
    if (index <= lastIndex(node.log)) {
      if (generationAt(node.log, index) == entry.generation) continue;
      cut(index - 1);
    }
    node.log.push_back(entry);
    ctx.write(BasicWriteEntry<S>{entry});
  }
}

template <class S>
void beginLeading(const BasicContext<S>& ctx) {
  auto& node = ctx.node;
  for (const ServerId id : ctx.config.members) node.followers[id].next = lastIndex(node.log) + 1;
  // How many of the old entries are durable is learned with the first new one, or immediately if there is
  // none.
  ctx.forOthers([&](ServerId id) { ctx.setTimer(TimerKind::silent, ctx.config.check_quorum_ms, id); });
  ctx.setTimer(TimerKind::heartbeat, ctx.config.heartbeat_ms);
  if (ctx.rules.leader_begins == LeaderBegins::empty_entry) return appendOwn(ctx, BasicPayload<S>{});
  acknowledgeOwn(ctx);
  sendAppends(ctx, [](const Progress&) { return true; });
}

template <class S>
void appendOwn(const BasicContext<S>& ctx, const BasicPayload<S>& payload) {
  auto& node = ctx.node;
  const BasicEntry<S> entry{node.generation, payload};
  node.log.push_back(entry);
  ctx.write(BasicWriteEntry<S>{entry});
  acknowledgeOwn(ctx);
  replicate(ctx);
}

void replicate(const IsContext auto& ctx) {
  sendAppends(ctx, [&](const Progress& follower) { return isAwaited(ctx.node, follower); });
}

void onHeartbeat(const IsContext auto& ctx) {
  ctx.setTimer(TimerKind::heartbeat, ctx.config.heartbeat_ms);
  sendAppends(ctx, [&](const Progress& follower) {
    return ctx.config.idle_heartbeats || hasNews(ctx.node, follower);
  });
}

template <class S>
void onAppend(const BasicContext<S>& ctx, ServerId from, const BasicAppend<S>& append) {
  auto& node = ctx.node;
  const auto refuse = [&](RefusedReason reason, Index hint) {
    ctx.emit(AppendRefused{from, append.previous, reason});
    ctx.sendDurable(from, AppendResponse{node.generation, false, hint, append.read});
  };
  const bool older = append.generation < node.generation;
  if (older && ctx.rules.append_from == AppendFrom::present_generation)
    return refuse(RefusedReason::lower_generation, 0);
  becomeFollower(ctx, from, node.generation, RoleReason::heard_leader);
  restartElectionTimer(ctx);
  restartLedTimer(ctx);
  const Position previous = append.previous;
  if (previous.index > lastIndex(node.log)) return refuse(RefusedReason::gap, lastIndex(node.log));
  if (generationAt(node.log, previous.index) != previous.generation)
    return refuse(RefusedReason::other_entry, previous.index - 1);
  takeEntries(ctx, append);
  const Index known = previous.index + static_cast<Index>(append.entries.size());
  applyUpTo(ctx, std::min(append.commit_index, known));
  acknowledge(ctx, from, {append.generation, true, known, append.read});
}

void onAppendResponse(const IsContext auto& ctx, ServerId from, const AppendResponse& response) {
  auto& node = ctx.node;
  if (node.role != Role::LEADING || response.generation != node.generation) return;
  Progress& follower = node.followers.at(from);
  if (from == node.self) {
    follower.match = std::max(follower.match, response.index);
    return advanceCommit(ctx);
  }
  follower.waiting = false;
  follower.silent = false;
  ctx.setTimer(TimerKind::silent, ctx.config.check_quorum_ms, from);
  if (response.fits) {
    follower.match = std::max(follower.match, response.index);
    follower.next = std::max(follower.next, follower.match + 1);
  } else {
    follower.next = std::max(follower.match, std::min(response.index, follower.next - 2)) + 1;
  }
  if (response.read) confirmReads(ctx, from, *response.read);
  advanceCommit(ctx);
  replicate(ctx);
}

void appendAgain(const IsContext auto& ctx, ServerId follower) {
  if (ctx.node.role == Role::LEADING) sendAppend(ctx, follower, ctx.node.followers.at(follower));
}

void onUnreachable(const IsContext auto& ctx, ServerId follower) {
  if (ctx.node.role != Role::LEADING) return;
  Progress& progress = ctx.node.followers.at(follower);
  progress.waiting = false;
  progress.told = 0;  // it may not have read the last one
  progress.read.reset();
}

void onSilent(const IsContext auto& ctx, ServerId follower) {
  auto& node = ctx.node;
  if (node.role != Role::LEADING) return;
  onUnreachable(ctx, follower);  // what was sent to it may be lost
  node.followers.at(follower).silent = true;
  ctx.emit(Silent{follower});
  if (ctx.rules.check_quorum == CheckQuorum::keeps_leading) return;
  const auto heard = std::count_if(node.followers.begin(), node.followers.end(),
                                   [](const auto& entry) { return !entry.second.silent; });
  if (!ctx.config.isQuorum(static_cast<std::size_t>(heard))) becomeLooking(ctx, RoleReason::quorum_silent);
}

}  // namespace zablab::leader_followers
