// One input, handed to the part of the protocol that it concerns.
#include <variant>

#include "protocol/overloaded.h"
#include "protocol/zab/broadcast.h"
#include "protocol/zab/client.h"
#include "protocol/zab/discovery.h"
#include "protocol/zab/election.h"
#include "protocol/zab/liveness.h"
#include "protocol/zab/log.h"
#include "protocol/zab/roles.h"
#include "protocol/zab/service.h"
#include "protocol/zab/synchronization.h"

namespace zablab::zab {
namespace {

/// A learner that knows its leader's epoch and has not been told to serve.
bool synchronizes(const Node& node) { return node.phase != Phase::broadcast && node.epoch != 0; }

/// What a leader says to its learners.
void onLeaderPacket(const Context& in, ServerId from, const Message& message) {
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
          [&](const Snap& snap) {
            if (syncing) onSnap(in, snap);
          },
          [&](const NewLeader& packet) {
            if (syncing) onNewLeader(in, packet);
          },
          [&](const UpToDate&) {
            if (syncing) onUpToDate(in);
          },
          [&](const Proposal& proposal) {
            syncing ? onSyncProposal(in, proposal.txn) : onProposal(in, proposal.txn);
          },
          [&](const Commit& commit) { syncing ? onSyncCommit(in, commit.zxid) : onCommit(in, commit.zxid); },
          [&](const Inform& inform) { syncing ? onSyncInform(in, inform.txn) : onInform(in, inform.txn); },
          [&](const Ping& ping) { onPing(in, from, ping); },
          [&](const SyncDone& done) { onSyncDone(in, done); },
          [&](const auto&) {},  // what a learner says, or what is of another link
      },
      message);
}

/// What learners say to their leader, and a leader to itself.
void onLearnerPacket(const Context& in, ServerId from, const Message& message) {
  hearLearner(in, from);
  std::visit(Overloaded{
                 [&](const FollowerInfo& info) { onLearnerInfo(in, from, false, info.accepted_epoch); },
                 [&](const ObserverInfo& info) { onLearnerInfo(in, from, true, info.accepted_epoch); },
                 [&](const AckEpoch& ack) { onAckEpoch(in, from, ack); },
                 [&](const Ack& ack) { onAck(in, from, ack.zxid); },
                 [&](const Forwarded& request) { onForwarded(in, from, request); },
                 [&](const auto&) {},
             },
             message);
}

/// The reader of an earlier connection of a learner goes on to its end, beside that of the present one
/// (LearnerHandler.run).
void onLatePacket(const Context& in, ServerId from, const Message& message) {
  if (const auto* ack = std::get_if<Ack>(&message)) onLateAck(in, from, ack->zxid);
  if (const auto* request = std::get_if<Forwarded>(&message)) onForwarded(in, from, *request);
}

void onElectionMessage(const Context& in, ServerId from, const Message& message) {
  if (const auto* notification = std::get_if<Notification>(&message)) {
    onNotification(in, from, *notification);
  } else {
    in.emit(Ignored{from, IgnoreReason::undecodable});
  }
}

void onClientMessage(const Context& in, ServerId from, const Message& message) {
  if (const auto* hello = std::get_if<ClientHello>(&message)) onClientHello(in, from, *hello);
  if (const auto* request = std::get_if<ClientRequest>(&message)) onClientRequest(in, from, *request);
}

void onReceived(const Context& in, const V::Received& received) {
  if (received.link == election_link) return onElectionMessage(in, received.from, received.message);
  if (received.late) {
    if (received.link == learner_link) onLatePacket(in, received.from, received.message);
    return;
  }
  if (received.link == client_link) return onClientMessage(in, received.from, received.message);
  if (in.node.role == Role::LEADING) return onLearnerPacket(in, received.from, received.message);
  const auto* own = received.from == in.node.self ? std::get_if<Ack>(&received.message) : nullptr;
  if (own != nullptr) in.noteLogged(own->zxid);
  if (in.node.learns() && received.from == in.node.leader) {
    onLeaderPacket(in, received.from, received.message);
  }
}

void onDisconnected(const Context& in, const V::Disconnected& closed) {
  if (closed.link == client_link) return onClientGone(in, closed.peer);
  if (in.node.role == Role::LEADING) return onLearnerGone(in, closed.peer);
  if (in.node.learns() && closed.peer == in.node.leader) onLeaderGone(in);
}

void onTimer(const Context& in, const V::Fired& fired) {
  switch (fired.timer.kind) {
    case TimerKind::notification_wait: return onSilence(in, fired.undelivered);
    case TimerKind::finalize_wait: return onFinalizeWaitOver(in);
    case TimerKind::observer_delay: in.node.delayed = false; return startElection(in);
    case TimerKind::connect_retry: return onConnectRetry(in);
    case TimerKind::leader_limit: return onLeaderLimit(in);
    case TimerKind::learner_limit: return onLearnerLimit(in, fired.timer.peer);
    case TimerKind::half_tick: return onHalfTick(in);
    case TimerKind::init_limit: return onInitLimit(in);
    case TimerKind::ack_limit: return onAckLimit(in, fired.timer.peer);
    case TimerKind::newleader: return sendNewLeader(in, fired.timer.peer);
  }
}

}  // namespace

Node Family::blank(ServerId self) {
  Node node;
  node.self = self;
  return node;
}

Node Family::loaded(const Config& config, const Rules& rules, ServerId self, const Durable& disk) {
  Node node = blank(self);
  Effects ignored;
  load(Context{config, rules, node, ignored}, disk);
  return node;
}

Message Family::ballot(const Config& config, const Rules& rules, bool up, const Node& node,
                       const Durable& disk) {
  return Notification{Role::LOOKING,
                      initialVote(config, rules, up ? node : loaded(config, rules, node.self, disk))};
}

void Family::step(const Config& config, const Rules& rules, Node& node, const Input& input, Effects& out) {
  const Context in{config, rules, node, out};
  if (config.client) return stepClient(in, input);
  std::visit(Overloaded{
                 [&](const V::Start& started) { start(in, started.disk); },
                 [&](const V::TakeUp&) { takeUp(in); },
                 [&](const V::Received& received) { onReceived(in, received); },
                 [&](const V::Connected& connected) {
                   if (connected.link == client_link) return onAnswerConnected(in, connected.peer);
                   if (node.learns() && connected.peer == node.leader) onLeaderConnected(in);
                 },
                 [&](const V::Refused& refused) {
                   if (refused.link == client_link) return onAnswerRefused(in, refused.peer);
                   if (node.learns() && refused.peer == node.leader) onLeaderRefused(in);
                 },
                 [&](const V::Disconnected& closed) { onDisconnected(in, closed); },
                 [&](const V::Fired& fired) { onTimer(in, fired); },
                 [&](const V::Prompt&) { look(in, RoleReason::told); },
                 [&](const V::Asked& asked) { onWriteAsked(in, asked.request); },
                 [&](const V::Elected& elected) {
                   const auto* said = std::get_if<Notification>(&elected.vote);
                   if (said != nullptr) onElected(in, said->vote);
                 },
                 [&](const V::WriteFailed& failed) { onWriteFailed(in, failed.record); },
             },
             input);
}

bool Family::accepts(const Node& node, Link link) {
  switch (link) {
    case election_link: return true;
    case learner_link: return node.role == Role::LEADING;
    default: return node.serves() || node.client;
  }
}

}  // namespace zablab::zab
