#include "protocol/overloaded.h"
#include "protocol/quorum_register/coordinator.h"
#include "protocol/quorum_register/replica.h"

namespace zablab::quorum_register {
namespace {

void onMessage(const Context& ctx, ServerId from, const Message& message) {
  visit(Overloaded{[](monostate) {}, [&](const Read& read) { onRead(ctx, from, read); },
                   [&](const ReadReply& reply) { onReadReply(ctx, from, reply); },
                   [&](const Write& write) { onWrite(ctx, from, write); },
                   [&](const WriteAck& ack) {
                     ctx.config.client ? onWriteAck(ctx, from, ack) : onHandedOver(ctx, from, ack);
                   }},
        message);
}

}  // namespace

void Family::step(const Config& config, const Rules& rules, Node& node, const Input& input, Effects& out) {
  const Context ctx{config, rules, node, out};
  if (const auto* start = get_if<V::Start>(&input)) {
    if (config.client) return;
    node = loaded(config, rules, node.self, start->disk);
    takeUpReplica(ctx);
  } else if (holds_alternative<V::TakeUp>(input)) {
    takeUpReplica(ctx);
  } else if (const auto* received = get_if<V::Received>(&input)) {
    onMessage(ctx, received->from, received->message);
  } else if (const auto* asked = get_if<V::Asked>(&input)) {
    if (config.client) onAsked(ctx, asked->request);
  } else if (const auto* fired = get_if<V::Fired>(&input)) {
    switch (fired->timer.kind) {
      case TimerKind::give_up: return onGiveUp(ctx);
      case TimerKind::stand_in: return onStandIn(ctx);
      case TimerKind::hand_off: return onHandOff(ctx);
    }
  }
}

Node Family::loaded(const Config& config, const Rules&, ServerId self, const Durable& disk) {
  Node node = blank(self);
  node.stored = disk.stored;
  if (disk.stored.version == Version{}) node.stored.value = config.initial;
  node.hints = disk.hints;
  return node;
}

void Family::write(Durable& disk, const Record& record) {
  visit(Overloaded{[&](const Keep& keep) { disk.stored = keep.stored; },
                   [&](const KeepHint& keep) { disk.hints[keep.home] = keep.stored; },
                   [&](const DropHint& drop) { disk.hints.erase(drop.home); }},
        record);
}

}  // namespace zablab::quorum_register
