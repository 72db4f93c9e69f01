// Passes one input to the part of the broadcast that it concerns, or to the service. Included by the one file
// of each family that instantiates it.
#pragma once

#include "protocol/overloaded.h"
#include "protocol/variant.h"
#include "protocol/zab/broadcast_impl.h"
#include "protocol/zab/context.h"
#include "protocol/zab/discovery_impl.h"
#include "protocol/zab/election_impl.h"
#include "protocol/zab/liveness_impl.h"
#include "protocol/zab/log_impl.h"
#include "protocol/zab/roles_impl.h"
#include "protocol/zab/synchronization_impl.h"

namespace zablab::zab {

/// Whether it is a learner that knows its leader's epoch and has not received UPTODATE.
bool synchronizes(const auto& node) { return node.phase != Phase::broadcast && node.epoch != 0; }

/// The messages of a leader to its learners.
template <class S>
void onLeaderPacket(const BasicContext<S>& ctx, ServerId from, const BasicMessage<S>& message) {
  hearLeader(ctx);
  const bool syncing = synchronizes(ctx.node);
  visit(Overloaded{
            [&](const LeaderInfo& info) {
              if (ctx.node.epoch == 0) onLeaderInfo(ctx, info);
            },
            [&](const Diff& diff) {
              if (syncing) onDiff(ctx, diff);
            },
            [&](const Trunc& trunc) {
              if (syncing) onTrunc(ctx, trunc);
            },
            [&](const BasicSnap<S>& snap) {
              if (syncing) onSnap(ctx, snap);
            },
            [&](const NewLeader& packet) {
              if (syncing) onNewLeader(ctx, packet);
            },
            [&](const UpToDate&) {
              if (syncing) onUpToDate(ctx);
            },
            [&](const BasicProposal<S>& proposal) {
              syncing ? onSyncProposal(ctx, proposal.txn) : onProposal(ctx, proposal.txn);
            },
            [&](const Commit& commit) {
              syncing ? onSyncCommit(ctx, commit.zxid) : onCommit(ctx, commit.zxid);
            },
            [&](const BasicInform<S>& inform) {
              syncing ? onSyncInform(ctx, inform.txn) : onInform(ctx, inform.txn);
            },
            [&](const Ping& ping) { onPing(ctx, from, ping); },
            [&](const auto&) { S::onFromLeader(ctx, message); },
        },
        message);
}

/// The messages of learners to their leader, and of a leader to itself.
template <class S>
void onLearnerPacket(const BasicContext<S>& ctx, ServerId from, const BasicMessage<S>& message) {
  hearLearner(ctx, from);
  visit(Overloaded{
            [&](const FollowerInfo& info) { onLearnerInfo(ctx, from, false, info.accepted_epoch); },
            [&](const ObserverInfo& info) { onLearnerInfo(ctx, from, true, info.accepted_epoch); },
            [&](const AckEpoch& ack) { onAckEpoch(ctx, from, ack); },
            [&](const Ack& ack) { onAck(ctx, from, ack.zxid); },
            [&](const auto&) { onServicePacket(ctx, from, message); },
        },
        message);
}

/// The reader of an earlier connection of a learner continues to its end, alongside that of the present one
/// (LearnerHandler.run).
template <class S>
void onLatePacket(const BasicContext<S>& ctx, ServerId from, const BasicMessage<S>& message) {
  if (const auto* ack = get_if<Ack>(&message)) {
    onLateAck(ctx, from, ack->zxid);
  } else {
    onServicePacket(ctx, from, message);
  }
}

template <class S>
void onElectionMessage(const BasicContext<S>& ctx, ServerId from, const BasicMessage<S>& message) {
  if (const auto* notification = get_if<Notification>(&message)) {
    onNotification(ctx, from, *notification);
  } else {
    ctx.emit(Ignored{from, IgnoreReason::undecodable});
  }
}

template <class S>
void onReceived(const BasicContext<S>& ctx, const typename BasicContext<S>::V::Received& received) {
  if (received.link == election_link) return onElectionMessage(ctx, received.from, received.message);
  if (received.late) return onLatePacket(ctx, received.from, received.message);
  if (ctx.node.role == Role::LEADING) return onLearnerPacket(ctx, received.from, received.message);
  const auto* own = received.from == ctx.node.self ? get_if<Ack>(&received.message) : nullptr;
  if (own != nullptr) ctx.noteLogged(own->zxid);
  if (ctx.node.learns() && received.from == ctx.node.leader) {
    onLeaderPacket(ctx, received.from, received.message);
  }
}

void onDisconnected(const IsContext auto& ctx, ServerId peer) {
  if (ctx.node.role == Role::LEADING) return onLearnerGone(ctx, peer);
  if (ctx.node.learns() && peer == ctx.node.leader) onLeaderGone(ctx);
}

void onBroadcastTimer(const IsContext auto& ctx, TimerKind kind, ServerId peer, bool undelivered) {
  switch (kind) {
    case TimerKind::notification_wait: return onSilence(ctx, undelivered);
    case TimerKind::finalize_wait: return onFinalizeWaitOver(ctx);
    case TimerKind::observer_delay: ctx.node.delayed = false; return startElection(ctx);
    case TimerKind::connect_retry: return onConnectRetry(ctx);
    case TimerKind::leader_limit: return onLeaderLimit(ctx);
    case TimerKind::learner_limit: return onLearnerLimit(ctx, peer);
    case TimerKind::half_tick: return onHalfTick(ctx);
    case TimerKind::init_limit: return onInitLimit(ctx);
    case TimerKind::ack_limit: return onAckLimit(ctx, peer);
    case TimerKind::newleader: return sendNewLeader(ctx, peer);
    case TimerKind::snapshot: return completeSnapshot(ctx);
  }
}

/// A timer of the broadcast, or of the service built on it.
template <class S>
void onTimer(const BasicContext<S>& ctx, const typename BasicContext<S>::V::Fired& fired) {
  static_assert(
      HasTimers<S> == requires { &S::onTimer; }, "TimerKind and TimerKey stand above onTimer");
  const auto& timer = fired.timer;
  const ServerId peer = BasicTimers<S>::peerOf(timer.key);
  if constexpr (HasTimers<S>) {
    if (const auto kind = timer.kind.above()) return S::onTimer(ctx, *kind, *timer.key.own);
    onBroadcastTimer(ctx, *timer.kind.below(), peer, fired.undelivered);
  } else {
    onBroadcastTimer(ctx, timer.kind, peer, fired.undelivered);
  }
}

template <class S>
typename S::Node BasicFamily<S>::blank(ServerId self) {
  Node node;
  node.self = self;
  return node;
}

template <class S>
typename S::Node BasicFamily<S>::loaded(const Config& config, const typename S::Rules& rules, ServerId self,
                                        const Durable& disk) {
  Node node = blank(self);
  typename Vocabulary::Effects ignored;
  load(BasicContext<S>{config, rules, node, ignored}, disk);
  return node;
}

template <class S>
BasicMessage<S> BasicFamily<S>::shown(const Config& config, const typename S::Rules& rules, bool up,
                                      const Node& node, const Durable& disk) {
  return Notification{Role::LOOKING,
                      initialVote(config, rules, up ? node : loaded(config, rules, node.self, disk))};
}

template <class S>
void BasicFamily<S>::stepServer(const Config& config, const typename S::Rules& rules, Node& node,
                                const typename Vocabulary::Input& input, typename Vocabulary::Effects& out,
                                Millis clock) {
  static_assert(IsService<S>);
  const BasicContext<S> ctx{config, rules, node, out, clock};
  const auto isOwnLink = [](Link link) { return link != election_link && link != learner_link; };
  visit(Overloaded{
            [&](const typename Vocabulary::Start& started) { start(ctx, started.disk); },
            [&](const typename Vocabulary::TakeUp&) { takeUp(ctx); },
            [&](const typename Vocabulary::Received& received) {
              isOwnLink(received.link) ? S::onOwnLink(ctx, input) : onReceived(ctx, received);
            },
            [&](const typename Vocabulary::Connected& connected) {
              if (isOwnLink(connected.link)) return S::onOwnLink(ctx, input);
              if (node.learns() && connected.peer == node.leader) onLeaderConnected(ctx);
            },
            [&](const typename Vocabulary::Refused& refused) {
              if (isOwnLink(refused.link)) return S::onOwnLink(ctx, input);
              if (node.learns() && refused.peer == node.leader) onLeaderRefused(ctx);
            },
            [&](const typename Vocabulary::Disconnected& closed) {
              isOwnLink(closed.link) ? S::onOwnLink(ctx, input) : onDisconnected(ctx, closed.peer);
            },
            [&](const typename Vocabulary::Fired& fired) { onTimer(ctx, fired); },
            [&](const typename Vocabulary::Prompt&) { becomeLooking(ctx, RoleReason::told); },
            [&](const typename Vocabulary::Asked& asked) { S::onAsked(ctx, asked.request); },
            [&](const typename Vocabulary::OwnAction& action) {
              const auto* shown = get_if<Notification>(&action.shown);
              if (shown != nullptr) onElected(ctx, shown->vote);
            },
            [&](const typename Vocabulary::WriteFailed& failed) { onWriteFailed(ctx, failed.record); },
            [&](const typename Vocabulary::NowDurable&) {},  // it requests none
            [&](const typename Vocabulary::Age&) {},
        },
        input);
}

template <class S>
bool BasicFamily<S>::acceptsServer(const Node& node, Link link) {
  return link == election_link || node.role == Role::LEADING;
}

}  // namespace zablab::zab
