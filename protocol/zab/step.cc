// One input, handed to the part of the protocol that it concerns.
#include <variant>

#include "protocol/zab/context.h"
#include "protocol/zab/election.h"
#include "protocol/zab/liveness.h"
#include "protocol/zab/roles.h"

namespace zablab::zab {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;  // clang 14 does not deduce it by itself

void onMessage(const Context& in, ServerId from, const Message& message) {
  std::visit(Overloaded{
                 [&](const Notification& notification) { onNotification(in, from, notification); },
                 [&](const Undecodable&) {
                   in.emit(Ignored{from, IgnoreReason::undecodable});
                 },
                 [&](const LearnerInfo&) { onLearnerInfo(in, from); },
                 [&](const Ping& ping) { onPing(in, from, ping); },
             },
             message);
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

void Family::step(const Config& config, const Rules& rules, Node& node, const Input& input, Effects& out) {
  const Context in{config, rules, node, out};
  std::visit(Overloaded{
                 [&](const V::Start& started) { start(in, started.disk); },
                 [&](const V::TakeUp&) { takeUp(in); },
                 [&](const V::Received& received) { onMessage(in, received.from, received.message); },
                 [&](const V::Connected&) { onConnected(in); },
                 [&](const V::Refused&) { onRefused(in); },
                 [&](const V::Disconnected& closed) { onDisconnected(in, closed.peer); },
                 [&](const V::Fired& fired) { onTimer(in, fired); },
                 [&](const V::Prompt&) { look(in, RoleReason::told); },
                 [&](const V::WriteFailed&) { in.exit("a write to the disk failed"); },
             },
             input);
}

void Family::write(Durable& disk, const Record& record) {
  std::visit(Overloaded{
                 [&](const WriteAcceptedEpoch& write) { disk.accepted_epoch = write.epoch; },
                 [&](const WriteCurrentEpoch& write) { disk.current_epoch = write.epoch; },
                 [&](const WriteSnapshot& write) { disk.snapshot = write.last; },
             },
             record);
}

bool Family::accepts(const Node& node, Link link) {
  return link == election_link || node.role == Role::LEADING;
}

}  // namespace zablab::zab
