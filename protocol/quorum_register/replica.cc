#include "protocol/quorum_register/replica.h"

namespace zablab::quorum_register {
namespace {

/// An acknowledgement is sent right behind it: whether it waits for the disk is the rule's.
void write(const Context& in, Record record) {
  in.out.push_back(V::Write{std::move(record), in.rules.ack_when == AckWhen::durable});
}

void setHandOff(const Context& in) {
  if (in.rules.hand_off == HandOff::retried) in.set(TimerKind::hand_off, in.config.hand_off_ms);
}

KeptReason weigh(const Rules& rules, const Version& told, const Version& had) {
  if (told == had) return KeptReason::there_already;
  if (told > had) return KeptReason::newer;
  return rules.kept == Kept::last_arrived ? KeptReason::arrived_last : KeptReason::older;
}

void keepHint(const Context& in, ServerId home, const Stored& stored) {
  const auto there = in.node.hints.find(home);
  if (there != in.node.hints.end() && stored.version <= there->second.version) return;
  if (in.node.hints.empty()) setHandOff(in);
  in.node.hints[home] = stored;
  write(in, KeepHint{home, stored});
  in.emit(Hinted{home, stored.version, false});
}

void keep(const Context& in, const Stored& stored) {
  const KeptReason reason = weigh(in.rules, stored.version, in.node.stored.version);
  in.emit(Weighed{stored.version, in.node.stored.version, reason});
  if (reason != KeptReason::newer && reason != KeptReason::arrived_last) return;
  in.node.stored = stored;
  write(in, Keep{stored});
}

}  // namespace

void takeUpReplica(const Context& in) {
  if (!in.node.hints.empty()) setHandOff(in);
}

void onRead(const Context& in, ServerId from, const Read& read) {
  in.send(from, ReadReply{read.request, in.node.stored});
}

void onWrite(const Context& in, ServerId from, const Write& told) {
  if (told.home == no_server || told.home == in.node.self) {
    keep(in, told.stored);
  } else {
    keepHint(in, told.home, told.stored);
  }
  in.send(from, WriteAck{told.request, told.stored.version, told.home});
}

void onHandedOver(const Context& in, ServerId home, const WriteAck& ack) {
  const auto hint = in.node.hints.find(home);
  if (hint == in.node.hints.end() || hint->second.version != ack.version) return;
  in.node.hints.erase(hint);
  write(in, DropHint{home});
  in.emit(Hinted{home, ack.version, true});
  if (in.node.hints.empty()) in.cancel(TimerKind::hand_off);
}

void onHandOff(const Context& in) {
  for (const auto& [home, stored] : in.node.hints) in.send(home, Write{no_request, stored});
  setHandOff(in);
}

}  // namespace zablab::quorum_register
