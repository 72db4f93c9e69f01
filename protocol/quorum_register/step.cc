#include "protocol/overloaded.h"
#include "protocol/quorum_register/coordinator.h"
#include "protocol/quorum_register/replica.h"

namespace zablab::quorum_register {
namespace {

void onMessage(const Context& in, ServerId from, const Message& message) {
  std::visit(Overloaded{[](std::monostate) {}, [&](const Read& read) { onRead(in, from, read); },
                        [&](const ReadReply& reply) { onReadReply(in, from, reply); },
                        [&](const Write& write) { onWrite(in, from, write); },
                        [&](const WriteAck& ack) {
                          in.config.client ? onWriteAck(in, from, ack) : onHandedOver(in, from, ack);
                        }},
             message);
}

}  // namespace

void Family::step(const Config& config, const Rules& rules, Node& node, const Input& input, Effects& out) {
  const Context in{config, rules, node, out};
  if (const auto* start = std::get_if<V::Start>(&input)) {
    if (config.client) return;
    node = loaded(config, rules, node.self, start->disk);
    takeUpReplica(in);
  } else if (std::holds_alternative<V::TakeUp>(input)) {
    takeUpReplica(in);
  } else if (const auto* received = std::get_if<V::Received>(&input)) {
    onMessage(in, received->from, received->message);
  } else if (const auto* asked = std::get_if<V::Asked>(&input)) {
    if (config.client) onAsked(in, asked->request);
  } else if (const auto* fired = std::get_if<V::Fired>(&input)) {
    switch (fired->timer.kind) {
      case TimerKind::give_up: return onGiveUp(in);
      case TimerKind::stand_in: return onStandIn(in);
      case TimerKind::hand_off: return onHandOff(in);
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
  std::visit(Overloaded{[&](const Keep& keep) { disk.stored = keep.stored; },
                        [&](const KeepHint& keep) { disk.hints[keep.home] = keep.stored; },
                        [&](const DropHint& drop) { disk.hints.erase(drop.home); }},
             record);
}

}  // namespace zablab::quorum_register
