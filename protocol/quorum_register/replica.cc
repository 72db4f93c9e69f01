#include "protocol/quorum_register/replica.h"

namespace zablab::quorum_register {
namespace {

/// An acknowledgement is sent directly after it: whether it waits for the disk is decided by the rule.
void write(const Context& ctx, Record record) {
  ctx.out.push_back(V::Write{std::move(record), ctx.rules.ack_when == AckWhen::durable});
}

void setHandOff(const Context& ctx) {
  if (ctx.rules.hand_off == HandOff::retried) ctx.set(TimerKind::hand_off, ctx.config.hand_off_ms);
}

KeptReason weigh(const Rules& rules, const Version& told, const Version& had) {
  if (told == had) return KeptReason::there_already;
  if (told > had) return KeptReason::newer;
  return rules.kept == Kept::last_arrived ? KeptReason::arrived_last : KeptReason::older;
}

void keepHint(const Context& ctx, ServerId home, const Stored& stored) {
  const auto there = ctx.node.hints.find(home);
  const bool first = ctx.rules.hint_kept == HintKept::first;
  if (there != ctx.node.hints.end() && (first || stored.version <= there->second.version)) return;
  if (ctx.node.hints.empty()) setHandOff(ctx);
  ctx.node.hints[home] = stored;
  write(ctx, KeepHint{home, stored});
  ctx.emit(Hinted{home, stored.version, false});
}

void keep(const Context& ctx, const Stored& stored) {
  const KeptReason reason = weigh(ctx.rules, stored.version, ctx.node.stored.version);
  ctx.emit(Weighed{stored.version, ctx.node.stored.version, reason});
  if (reason != KeptReason::newer && reason != KeptReason::arrived_last) return;
  ctx.node.stored = stored;
  write(ctx, Keep{stored});
}

}  // namespace

void takeUpReplica(const Context& ctx) {
  if (!ctx.node.hints.empty()) setHandOff(ctx);
}

void onRead(const Context& ctx, ServerId from, const Read& read) {
  ctx.send(from, ReadReply{read.request, ctx.node.stored});
}

void onWrite(const Context& ctx, ServerId from, const Write& told) {
  if (told.home == no_server || told.home == ctx.node.self) {
    keep(ctx, told.stored);
  } else {
    keepHint(ctx, told.home, told.stored);
  }
  ctx.send(from, WriteAck{told.request, told.stored.version, told.home});
}

void onHandedOver(const Context& ctx, ServerId home, const WriteAck& ack) {
  const auto hint = ctx.node.hints.find(home);
  if (hint == ctx.node.hints.end() || hint->second.version != ack.version) return;
  ctx.node.hints.erase(hint);
  write(ctx, DropHint{home});
  ctx.emit(Hinted{home, ack.version, true});
  if (ctx.node.hints.empty()) ctx.cancel(TimerKind::hand_off);
}

void onHandOff(const Context& ctx) {
  for (const auto& [home, stored] : ctx.node.hints) {
    ctx.send(home, Write{no_request, stored});
    if (ctx.rules.hint_dropped == HintDropped::when_sent) write(ctx, DropHint{home});
  }
  if (ctx.rules.hint_dropped == HintDropped::when_sent) return ctx.node.hints.clear();
  setHandOff(ctx);
}

}  // namespace zablab::quorum_register
