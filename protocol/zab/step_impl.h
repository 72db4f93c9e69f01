// One input, handed to the part of the broadcast that it concerns, or to the service. For the one file of
// each family that instantiates it.
#pragma once

#include <variant>

#include "protocol/overloaded.h"
#include "protocol/zab/broadcast_impl.h"
#include "protocol/zab/context.h"
#include "protocol/zab/discovery_impl.h"
#include "protocol/zab/election_impl.h"
#include "protocol/zab/liveness_impl.h"
#include "protocol/zab/log_impl.h"
#include "protocol/zab/roles_impl.h"
#include "protocol/zab/synchronization_impl.h"

namespace zablab::zab {

/// A learner that knows its leader's epoch and has not been told to serve.
bool synchronizes(const auto& node) { return node.phase != Phase::broadcast && node.epoch != 0; }

/// What a leader says to its learners.
template <class S>
void onLeaderPacket(const BasicContext<S>& in, ServerId from, const BasicMessage<S>& message) {
  hearLeader(in);
  const bool syncing = synchronizes(in.node);
  std::visit(
      Overloaded{
          [&](const LeaderInfo& info) {
            if (in.node.epoch == 0) onLeaderInfo(in, info);
          },
          [&](const Diff& diff) {
            if (syncing) onDiff(in, diff);
          },
          [&](const Trunc& trunc) {
            if (syncing) onTrunc(in, trunc);
          },
          [&](const BasicSnap<S>& snap) {
            if (syncing) onSnap(in, snap);
          },
          [&](const NewLeader& packet) {
            if (syncing) onNewLeader(in, packet);
          },
          [&](const UpToDate&) {
            if (syncing) onUpToDate(in);
          },
          [&](const BasicProposal<S>& proposal) {
            syncing ? onSyncProposal(in, proposal.txn) : onProposal(in, proposal.txn);
          },
          [&](const Commit& commit) { syncing ? onSyncCommit(in, commit.zxid) : onCommit(in, commit.zxid); },
          [&](const BasicInform<S>& inform) {
            syncing ? onSyncInform(in, inform.txn) : onInform(in, inform.txn);
          },
          [&](const Ping& ping) { onPing(in, from, ping); },
          [&](const auto&) { S::onFromLeader(in, message); },
      },
      message);
}

/// What learners say to their leader, and a leader to itself.
template <class S>
void onLearnerPacket(const BasicContext<S>& in, ServerId from, const BasicMessage<S>& message) {
  hearLearner(in, from);
  std::visit(Overloaded{
                 [&](const FollowerInfo& info) { onLearnerInfo(in, from, false, info.accepted_epoch); },
                 [&](const ObserverInfo& info) { onLearnerInfo(in, from, true, info.accepted_epoch); },
                 [&](const AckEpoch& ack) { onAckEpoch(in, from, ack); },
                 [&](const Ack& ack) { onAck(in, from, ack.zxid); },
                 [&](const auto&) { onServicePacket(in, from, message); },
             },
             message);
}

/// The reader of an earlier connection of a learner goes on to its end, beside that of the present one
/// (LearnerHandler.run).
template <class S>
void onLatePacket(const BasicContext<S>& in, ServerId from, const BasicMessage<S>& message) {
  if (const auto* ack = std::get_if<Ack>(&message)) {
    onLateAck(in, from, ack->zxid);
  } else {
    onServicePacket(in, from, message);
  }
}

template <class S>
void onElectionMessage(const BasicContext<S>& in, ServerId from, const BasicMessage<S>& message) {
  if (const auto* notification = std::get_if<Notification>(&message)) {
    onNotification(in, from, *notification);
  } else {
    in.emit(Ignored{from, IgnoreReason::undecodable});
  }
}

template <class S>
void onReceived(const BasicContext<S>& in, const typename BasicContext<S>::V::Received& received) {
  if (received.link == election_link) return onElectionMessage(in, received.from, received.message);
  if (received.late) return onLatePacket(in, received.from, received.message);
  if (in.node.role == Role::LEADING) return onLearnerPacket(in, received.from, received.message);
  const auto* own = received.from == in.node.self ? std::get_if<Ack>(&received.message) : nullptr;
  if (own != nullptr) in.noteLogged(own->zxid);
  if (in.node.learns() && received.from == in.node.leader) {
    onLeaderPacket(in, received.from, received.message);
  }
}

void onDisconnected(const IsContext auto& in, ServerId peer) {
  if (in.node.role == Role::LEADING) return onLearnerGone(in, peer);
  if (in.node.learns() && peer == in.node.leader) onLeaderGone(in);
}

void onBroadcastTimer(const IsContext auto& in, TimerKind kind, ServerId peer, bool undelivered) {
  switch (kind) {
    case TimerKind::notification_wait: return onSilence(in, undelivered);
    case TimerKind::finalize_wait: return onFinalizeWaitOver(in);
    case TimerKind::observer_delay: in.node.delayed = false; return startElection(in);
    case TimerKind::connect_retry: return onConnectRetry(in);
    case TimerKind::leader_limit: return onLeaderLimit(in);
    case TimerKind::learner_limit: return onLearnerLimit(in, peer);
    case TimerKind::half_tick: return onHalfTick(in);
    case TimerKind::init_limit: return onInitLimit(in);
    case TimerKind::ack_limit: return onAckLimit(in, peer);
    case TimerKind::newleader: return sendNewLeader(in, peer);
  }
}

/// A timer of the broadcast, or of the service on it.
template <class S>
void onTimer(const BasicContext<S>& in, const typename BasicContext<S>::V::Fired& fired) {
  static_assert(
      HasTimers<S> == requires { &S::onTimer; }, "TimerKind and TimerKey stand above onTimer");
  const auto& timer = fired.timer;
  const ServerId peer = BasicTimers<S>::peerOf(timer.key);
  if constexpr (HasTimers<S>) {
    if (const auto kind = timer.kind.above()) return S::onTimer(in, *kind, *timer.key.own);
    onBroadcastTimer(in, *timer.kind.below(), peer, fired.undelivered);
  } else {
    onBroadcastTimer(in, timer.kind, peer, fired.undelivered);
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
BasicMessage<S> BasicFamily<S>::ballot(const Config& config, const typename S::Rules& rules, bool up,
                                       const Node& node, const Durable& disk) {
  return Notification{Role::LOOKING,
                      initialVote(config, rules, up ? node : loaded(config, rules, node.self, disk))};
}

template <class S>
void BasicFamily<S>::stepServer(const Config& config, const typename S::Rules& rules, Node& node,
                                const typename Vocabulary::Input& input, typename Vocabulary::Effects& out) {
  static_assert(IsService<S>);
  const BasicContext<S> in{config, rules, node, out};
  const auto isOwnLink = [](Link link) { return link != election_link && link != learner_link; };
  std::visit(Overloaded{
                 [&](const typename Vocabulary::Start& started) { start(in, started.disk); },
                 [&](const typename Vocabulary::TakeUp&) { takeUp(in); },
                 [&](const typename Vocabulary::Received& received) {
                   isOwnLink(received.link) ? S::onOwnLink(in, input) : onReceived(in, received);
                 },
                 [&](const typename Vocabulary::Connected& connected) {
                   if (isOwnLink(connected.link)) return S::onOwnLink(in, input);
                   if (node.learns() && connected.peer == node.leader) onLeaderConnected(in);
                 },
                 [&](const typename Vocabulary::Refused& refused) {
                   if (isOwnLink(refused.link)) return S::onOwnLink(in, input);
                   if (node.learns() && refused.peer == node.leader) onLeaderRefused(in);
                 },
                 [&](const typename Vocabulary::Disconnected& closed) {
                   isOwnLink(closed.link) ? S::onOwnLink(in, input) : onDisconnected(in, closed.peer);
                 },
                 [&](const typename Vocabulary::Fired& fired) { onTimer(in, fired); },
                 [&](const typename Vocabulary::Prompt&) { look(in, RoleReason::told); },
                 [&](const typename Vocabulary::Asked& asked) { S::onAsked(in, asked.request); },
                 [&](const typename Vocabulary::Elected& elected) {
                   const auto* said = std::get_if<Notification>(&elected.vote);
                   if (said != nullptr) onElected(in, said->vote);
                 },
                 [&](const typename Vocabulary::WriteFailed& failed) { onWriteFailed(in, failed.record); },
                 [&](const typename Vocabulary::NowDurable&) {},  // it asks for none
                 [&](const typename Vocabulary::Age&) {},
             },
             input);
}

template <class S>
bool BasicFamily<S>::acceptsServer(const Node& node, Link link) {
  return link == election_link || node.role == Role::LEADING;
}

}  // namespace zablab::zab
