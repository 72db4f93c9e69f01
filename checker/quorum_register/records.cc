#include "checker/quorum_register/records.h"

#include <algorithm>

#include "protocol/overloaded.h"

namespace zablab::quorum_register {

void Records::on(const Happened<Family>& seen) {
  keepTime(seen);
  if (seen.node < 0) return;
  NodeRecord& memory = own(seen.node);
  stage_before_ = memory.stage;
  switch (seen.kind) {
    case Kind::started:
      finds_its_disk_ = !memory.has_run || memory.disk == *seen.disk;
      memory = {};
      memory.running = memory.has_run = true;
      memory.disk = *seen.disk;
      memory.stored = seen.disk->stored;
      if (memory.stored.version == Version{}) memory.stored.value = config(seen.node).initial;
      memory.hints = seen.disk->hints;
      memory.hands_over = sinceNow(seen.node);
      return begin(seen);
    case Kind::taken_up:
      begin(seen);
      memory = {};
      return;
    case Kind::stopped: memory.running = false; return;
    case Kind::wiped: memory = {}; return;
    case Kind::delivered: begin(seen); return read(seen);
    case Kind::asked: return begin(seen);
    case Kind::timer:
      begin(seen);
      fired_ = seen.timer.kind;
      hands_over_since_ = memory.hands_over;
      if (isHandOff()) memory.hands_over = sinceNow(seen.node);
      return;
    case Kind::write_failed: return begin(seen);
    case Kind::written: return onWritten(seen);
    case Kind::synced: return onSynced(seen.node, *seen.record);
    case Kind::sent:
      if (seen.how != SentHow::copy) onSent(seen);
      return;
    case Kind::event: return onEvent(seen.node, *seen.event);
    default: return;
  }
}

void Records::begin(const Happened<Family>& seen) {
  forgetInput();
  fired_.reset();
  stored_before_ = own(seen.node).stored;
  hint_before_.reset();
  replied_ = false;
  sent_to_.clear();
  stood_in_for_.clear();
  repeats_stand_in_ = false;
  begins_ = false;
}

void Records::read(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  input_ = *seen.content;
  sender_ = id(seen.from);
  if (!memory.running) return;
  const auto hint = [&](ServerId home) {
    const auto at = memory.hints.find(home);
    if (at != memory.hints.end()) hint_before_ = at->second;
  };
  if (const auto* write = input<Write>()) hint(write->home);
  const auto* ack = input<WriteAck>();
  if (isReplica(seen.node)) {
    if (ack != nullptr) hint(sender_);
    return;
  }
  const auto* reply = input<ReadReply>();
  if (reply != nullptr && reply->request == memory.request.number && !memory.heard.contains(sender_)) {
    const Stored& told = reply->stored;
    if (memory.stage == Stage::storing) {
      if (!memory.own && told.version >= memory.chosen.version) memory.acked.insert(sender_);
    } else if (memory.stage != Stage::none) {
      if (memory.heard.empty() || told.version > memory.newest.version) memory.newest = told;
      memory.heard[sender_] = told.version;
    }
  } else if (ack != nullptr && ack->request == memory.request.number && memory.stage == Stage::storing &&
             ack->version == memory.chosen.version) {
    // A stand-in's copy counts as the home's only where that is the rule.
    if (ack->home == no_server) memory.acked.insert(sender_);
    if (ack->home != no_server && cluster_.rules.write_targets == WriteTargets::sloppy)
      memory.acked.insert(ack->home);
  }
}

void Records::onSent(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  if (!memory.running) return;
  replied_ = replied_ || seen.to == sender_;
  const bool again = !sent_to_.insert(seen.to).second;
  const auto* write = get_if<Write>(seen.content);
  if (write == nullptr || isReplica(seen.node)) return;
  if (write->home == no_server) {
    const auto [told, first] = memory.told.try_emplace(seen.to, write->stored.version);
    told_before_ = first ? std::nullopt : std::optional(told->second);
    told->second = std::max(told->second, write->stored.version);
  } else {
    memory.stood_in = true;
    const bool stood_in = !stood_in_for_.insert(write->home).second;
    repeats_stand_in_ = repeats_stand_in_ || again || stood_in;
  }
}

void Records::onWritten(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  if (seen.blocking) onSynced(seen.node, *seen.record);
  visit(Overloaded{[&](const Keep& keep) { memory.stored = keep.stored; },
                   [&](const KeepHint& keep) {
                     if (memory.hints.empty()) memory.hands_over = sinceNow(seen.node);
                     memory.hints[keep.home] = keep.stored;
                   },
                   [&](const DropHint& drop) { memory.hints.erase(drop.home); }},
        *seen.record);
}

void Records::onSynced(int node, const Record& record) {
  Durable& disk = own(node).disk;
  visit(Overloaded{[&](const Keep& keep) { disk.stored = keep.stored; },
                   [&](const KeepHint& keep) { disk.hints[keep.home] = keep.stored; },
                   [&](const DropHint& drop) { disk.hints.erase(drop.home); }},
        record);
}

void Records::onEvent(int node, const Event& event) {
  NodeRecord& memory = own(node);
  if (!memory.running) return;
  if (const auto* invoked = get_if<Invoked>(&event)) {
    const std::int64_t counter = memory.counter;
    memory = {.running = true, .counter = counter};
    memory.stage = Stage::asking;
    memory.request = invoked->request;
    memory.began = sinceNow(node);
    begins_ = true;
  } else if (const auto* read = get_if<QuorumRead>(&event)) {
    memory.chosen = read->newest;
  } else if (const auto* chosen = get_if<VersionChosen>(&event)) {
    memory.stage = Stage::storing;
    memory.stores_since = sinceNow(node);
    memory.own = true;
    memory.chosen = chosen->stored;
    if (chosen->source == VersionSource::own_counter) ++memory.counter;
  } else if (const auto* repaired = get_if<Repaired>(&event)) {
    if (repaired->when != RepairWhen::before_answer) return;
    memory.stage = Stage::storing;
    memory.stores_since = sinceNow(node);
    for (const auto& [home, version] : memory.heard) {
      if (version == memory.chosen.version) memory.acked.insert(home);
    }
  } else if (const auto* answered = get_if<Answered>(&event)) {
    if (answered->request == memory.request.number && answered->outcome != Outcome::busy)
      memory.stage =
          answered->outcome == Outcome::ok && stage_before_ == Stage::asking ? Stage::answered : Stage::none;
  }
}

}  // namespace zablab::quorum_register
