#include "checker/redis_cluster/records.h"

#include <algorithm>

#include "checker/redis_cluster/ledger.h"
#include "protocol/overloaded.h"

namespace zablab::redis_cluster {
const Header* headerOf(const Message& message) {
  return visit(
      Overloaded{[](const Ping& m) { return &m.header; }, [](const Pong& m) { return &m.header; },
                 [](const Fail& m) { return &m.header; }, [](const AuthRequest& m) { return &m.header; },
                 [](const AuthAck& m) { return &m.header; }, [](const MfStart& m) { return &m.header; },
                 [](const Update& m) { return &m.header; },
                 [](const auto&) { return static_cast<const Header*>(nullptr); }},
      message);
}

ServerId Records::masterOf(int node) {
  const auto at = own(node).conf.nodes.find(id(node));
  return at == own(node).conf.nodes.end() ? no_server : at->second.master;
}

std::vector<Slot> Records::slotsOf(int node, ServerId owner) {
  std::vector<Slot> slots;
  for (const auto& [slot, by] : own(node).conf.slots) {
    if (by == owner) slots.push_back(slot);
  }
  return slots;
}

std::vector<ServerId> Records::electorate(int node) {
  std::vector<ServerId> masters;
  for (const auto& one : own(node).conf.slots) {
    if (std::find(masters.begin(), masters.end(), one.second) == masters.end()) masters.push_back(one.second);
  }
  return masters;
}

std::vector<ServerId> Records::reportersOf(int node, ServerId about) {
  std::vector<ServerId> reporters;
  for (const auto& [reporter, watched] : own(node).watched) {
    const bool says =
        std::find(watched.failing.begin(), watched.failing.end(), about) != watched.failing.end();
    if (says && !isLate(node, watched.failing_at, 2 * config(node).node_timeout_ms))
      reporters.push_back(reporter);
  }
  return reporters;
}

void Records::on(const Happened<Family>& seen) {
  keepTime(seen);
  if (seen.node < 0 || config(seen.node).client) {
    if (seen.kind == Kind::delivered || seen.kind == Kind::timer || seen.kind == Kind::asked) begin(seen);
    if (seen.kind == Kind::delivered) {
      input_ = *seen.content;
      sender_ = id(seen.from);
    }
    return;
  }
  NodeRecord& memory = own(seen.node);
  switch (seen.kind) {
    case Kind::started: begin(seen); return start(seen);
    case Kind::taken_up:
      begin(seen);
      memory.running = false;
      return;
    case Kind::stopped: memory.running = false; return;
    case Kind::wiped: memory = {}; return;
    case Kind::delivered: begin(seen); return read(seen);
    case Kind::timer:
      begin(seen);
      timer_ = seen.timer.kind;
      return;
    case Kind::asked:
      begin(seen);
      if (seen.request->operation == Operation::failover) return;  // it may refuse that
      memory.forced = true;
      memory.asked_at.reset();
      return;
    case Kind::closed:
      begin(seen);
      if (seen.to != masterOf(seen.node)) return;
      if (memory.copied) memory.link_at = now();
      memory.copied = false;
      return;
    case Kind::connected:
    case Kind::refused:
    case Kind::age:
    case Kind::write_failed: return begin(seen);
    case Kind::written: return putOn(seen.node, *seen.record, seen.blocking);
    case Kind::synced:
      if (holds_alternative<SaveConf>(*seen.record)) putOn(seen.node, *seen.record, true);
      return;
    case Kind::sent:
      if (seen.how != SentHow::copy) onSent(seen);
      return;
    case Kind::lost:
      if (seen.link == replication_link) shared().copies.erase(seen.message);
      return;
    case Kind::event: return onEvent(seen.node, *seen.event);
    default: return;
  }
}

void Records::begin(const Happened<Family>& seen) {
  const NodeRecord& memory = own(seen.node);
  forgetInput();
  copy_.reset();
  timer_.reset();
  appended_.reset();
  answered_.reset();
  appends_ = unanswered_ = 0;
  late_ = false;
  copied_before_ = memory.copied;
}

void Records::start(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  memory = {};
  memory.running = true;
  memory.started_at = now();
  memory.conf = confOn(*seen.disk, config(seen.node));
  memory.history = seen.disk->history;
  memory.epoch = memory.conf.current_epoch;
  memory.returns = isMaster(seen.node);
  for (const auto& one : memory.conf.nodes) memory.watched[one.first] = {.packet = now()};
}

void Records::read(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  input_ = *seen.content;
  sender_ = id(seen.from);
  late_ = seen.late;
  if (const auto at = shared().copies.find(seen.message); at != shared().copies.end()) {
    copy_ = std::move(at->second);
    shared().copies.erase(at);
  }
  if (const Header* header = headerOf(*input_)) {
    memory.epoch = std::max(memory.epoch, header->current_epoch);
    return readPacket(seen.node, *input_);
  }
  const bool is_master = sender_ == masterOf(seen.node);
  if (holds_alternative<FullResync>(*input_) && is_master) memory.copied = memory.ever_copied = true;
  const bool data = holds_alternative<FullResync>(*input_) || holds_alternative<ReplPing>(*input_) ||
                    (holds_alternative<Replicate>(*input_) && memory.copied);
  if (data && is_master) memory.data_at = now();
  if (const auto* set = input<Set>()) memory.sets[set->number] = {set->slot, set->value};
  if (const auto* get = input<Get>()) memory.gets[get->number] = get->slot;
}

void Records::readPacket(int node, const Message& message) {
  NodeRecord& memory = own(node);
  const auto at = memory.watched.find(sender_);
  if (at == memory.watched.end()) return;  // no member
  Watched& watched = at->second;
  watched_before_ = watched;
  watched.packet = now();
  watched.offset = headerOf(message)->offset;
  const auto* ping = get_if<Ping>(&message);
  const auto* pong = get_if<Pong>(&message);
  if (ping == nullptr && pong == nullptr) return;
  watched.failing = ping != nullptr ? ping->failing : pong->failing;
  watched.failing_at = sinceNow(node);
  watched.master = headerOf(message)->master;
  watched.heard = true;
}

void Records::putOn(int node, const Record& record, bool synced) {
  NodeRecord& memory = own(node);
  if (const auto* save = get_if<SaveConf>(&record)) {
    if (!synced) return;
    conf_before_ = std::exchange(memory.conf, save->conf);
    memory.epoch = std::max(memory.epoch, save->conf.current_epoch);
    const auto before = conf_before_.nodes.find(id(node));
    if (before != conf_before_.nodes.end() && before->second.master != masterOf(node)) {
      if (memory.copied) memory.link_at = now();
      memory.copied = false;
      if (isMaster(node)) memory.ever_copied = false;
    }
  } else if (const auto* append = get_if<AppendEntry>(&record)) {
    memory.history.push_back(append->entry);
    appended_ = append->entry;
    ++appends_;
    ++unanswered_;
  } else if (const auto* all = get_if<SaveHistory>(&record)) {
    memory.history = all->history;
  }
}

void Records::onSent(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  if (!memory.running) return;
  if (holds_alternative<FullResync>(*seen.content)) {
    shared().copies[seen.message] = {0, memory.history};
  } else if (holds_alternative<Replicate>(*seen.content)) {
    shared().copies[seen.message] = {static_cast<std::int64_t>(memory.history.size()), {}};
  } else if (holds_alternative<Reply>(*seen.content)) {
    answered_ = std::exchange(appended_, std::nullopt);
    unanswered_ = 0;
  } else if (holds_alternative<AuthAck>(*seen.content)) {
    const auto* request = input<AuthRequest>();
    if (request == nullptr) return;
    Watched& master = memory.watched[request->header.master];
    watched_before_ = master;
    master.voted = now();
  }
}

void Records::onEvent(int node, const Event& event) {
  NodeRecord& memory = own(node);
  visit(Overloaded{
            [&](const Flagged& flagged) {
              Watched& watched = memory.watched[flagged.about];
              if (!(input_ && headerOf(*input_) != nullptr && sender_ == flagged.about))
                watched_before_ = watched;
              watched.flag = flagged.flag;
              if (flagged.flag == Flag::FAIL) watched.failed_at = now();
            },
            [&](const Scheduled& scheduled) {
              memory.rank = scheduled.rank;
              memory.scheduled_at = now();
            },
            [&](const RankRose& rose) { memory.rank = rose.rank; },
            [&](const Asked&) { asked_before_ = std::exchange(memory.asked_at, now()); },
            [&](const Promoted&) {
              memory.asked_at.reset();
              memory.forced = memory.hands_over = memory.paused = false;
            },
            [&](const ManualFailover& manual) {
              if (manual.stage == ManualStage::refused) return;
              memory.asked_at.reset();
              memory.forced = memory.hands_over = manual.stage == ManualStage::started;
              memory.paused = manual.stage == ManualStage::paused;
              if (manual.stage == ManualStage::paused || manual.stage == ManualStage::requested)
                memory.manual_at = now();
            },
            [&](const Follows&) {
              memory.returns = false;
              memory.asked_at.reset();
              memory.forced = memory.hands_over = memory.paused = false;
            },
            [&](const Expired&) { memory.forced = memory.hands_over; },
            [&](const StateChanged& state) {
              minority_before_ = memory.minority_at;
              memory.serves = state.ok;
              if (state.ok) {
                memory.minority_at.reset();
              } else if (state.minority) {
                memory.minority_at = now();
              }
            },
            [](const auto&) {},
        },
        event);
}

}  // namespace zablab::redis_cluster
