#include "checker/sentinel/records.h"

#include "protocol/overloaded.h"

namespace zablab::sentinel {
namespace {

void putOn(Durable& disk, const Record& record) {
  visit(Overloaded{
            [&](const SaveEpoch& save) { disk.current_epoch = save.epoch; },
            [&](const SaveVote& save) { disk.leader_epoch = save.epoch; },
            [&](const SaveConfig& save) {
              disk.config_epoch = save.epoch;
              disk.master = save.master;
            },
            [&](const SaveKnown& save) { disk.found.push_back(save.sentinel); },
            [&](const SaveMaster& save) { disk.master = save.master; },
            [&](const AppendEntry& append) { disk.data.push_back(append.entry); },
            [&](const ReplaceData& replace) { disk.data = replace.data; },
        },
        record);
}

}  // namespace

void Records::on(const Happened<Family>& seen) {
  keepTime(seen);
  if (seen.node < 0) return;
  NodeRecord& memory = own(seen.node);
  switch (seen.kind) {
    case Kind::started:
      begin(seen);
      memory = {};
      memory.running = true;
      memory.disk = *seen.disk;
      memory.master = memory.follows =
          seen.disk->master == no_server ? config(seen.node).master : seen.disk->master;
      memory.data = seen.disk->data;
      beginWatching(seen.node);
      return;
    case Kind::taken_up:
      begin(seen);
      memory.running = false;
      return;
    case Kind::stopped: memory.running = false; return;
    case Kind::wiped: memory = {}; return;
    case Kind::delivered: begin(seen); return read(seen);
    case Kind::asked:
      begin(seen);
      if (!memory.request) memory.request = *seen.request;
      return;
    case Kind::closed:
      begin(seen);
      if (seen.link == sentinel_link) memory.watched[seen.to].interrupted = true;
      if (seen.link == replication_link && seen.to == memory.master) memory.copied = false;
      return;
    case Kind::connected:
    case Kind::refused:
    case Kind::timer:
    case Kind::age:
    case Kind::write_failed: return begin(seen);
    case Kind::written:
      if (seen.blocking) putOn(memory.disk, *seen.record);
      return onWritten(seen.node, *seen.record);
    case Kind::synced: return putOn(memory.disk, *seen.record);
    case Kind::sent:
      if (seen.how != SentHow::copy) onSent(seen);
      return;
    case Kind::lost: shared().copies.erase(seen.message); return;
    case Kind::event: return onEvent(seen.node, *seen.event);
    default: return;
  }
}

void Records::begin(const Happened<Family>& seen) {
  const NodeRecord& memory = own(seen.node);
  forgetInput();
  copy_.reset();
  appended_.reset();
  appends_ = 0;
  late_ = false;
  copied_before_ = memory.copied;
  master_before_ = memory.master;
  if (config(seen.node).kind == NodeKind::sentinel) {
    disk_before_ = memory.disk;
  } else if (seen.kind == Kind::delivered && holds_alternative<FullSync>(*seen.content)) {
    data_before_ = memory.data;
  }
}

void Records::beginWatching(int node) {
  const Config& here = config(node);
  if (here.kind != NodeKind::sentinel) return;
  for (const ServerId server : here.redis) own(node).watched[server] = {.pong = sinceNow(node)};
  for (const ServerId sentinel : here.sentinels) own(node).watched[sentinel] = {.pong = sinceNow(node)};
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
  if (holds_alternative<FullSync>(*input_)) memory.copied = memory.copied || sender_ == memory.master;
  if (holds_alternative<Psync>(*input_) || holds_alternative<ReplicaAck>(*input_))
    memory.reports[sender_] = sinceNow(seen.node);
  if (config(seen.node).kind != NodeKind::sentinel) return;
  Watched& watched = memory.watched[sender_];
  if (holds_alternative<Pong>(*input_)) {
    watched.pong = sinceNow(seen.node);
    watched.interrupted = false;
  } else if (const auto* info = input<InfoReply>()) {
    if (!watched.info || watched.info->role != info->role || watched.info->master != info->master)
      watched.same_since = now();
    watched.info = *info;
    watched.info_at = sinceNow(seen.node);
  } else if (const auto* answer = input<IsMasterDownReply>()) {
    watched.sees_down = answer->down ? answer->master : no_server;
    watched.sees_at = sinceNow(seen.node);
  }
}

void Records::onWritten(int node, const Record& record) {
  NodeRecord& memory = own(node);
  if (const auto* append = get_if<AppendEntry>(&record)) {
    memory.data.push_back(append->entry);
    appended_ = append->entry;
    ++appends_;
    if (isMaster(node)) ++shared().executed[{append->entry.client, append->entry.number}];
  } else if (const auto* replace = get_if<ReplaceData>(&record)) {
    memory.data = replace->data;
  } else if (const auto* save = get_if<SaveMaster>(&record)) {
    memory.master = save->master;
    memory.copied = false;
    memory.reports.clear();
  }
}

void Records::onSent(const Happened<Family>& seen) {
  const NodeRecord& memory = own(seen.node);
  if (!memory.running) return;
  if (holds_alternative<FullSync>(*seen.content)) {
    shared().copies[seen.message] = {0, memory.data};
  } else if (holds_alternative<Replicate>(*seen.content)) {
    shared().copies[seen.message] = {std::ssize(memory.data), {}};
  }
}

void Records::onEvent(int node, const Event& event) {
  NodeRecord& memory = own(node);
  visit(Overloaded{
            [&](const SubjectivelyDown& told) {
              Watched& watched = memory.watched[told.instance];
              watched.down = told.down;
              if (told.down) watched.down_at = now();
            },
            [&](const TryFailover& begun) {
              postponed_before_ = memory.postponed;
              memory.postponed = memory.state_since = now();
              memory.attempt = begun.epoch;
              memory.elected = memory.resends = false;
              memory.selected = no_server;
            },
            [&](const VoteDecided& vote) {
              if (vote.granted && vote.candidate != id(node)) memory.postponed = now();
            },
            [&](const Elected&) { memory.elected = true; },
            [&](const FailoverStateChanged&) { memory.state_since = now(); },
            [&](const ReplicaSelected& selected) { memory.selected = selected.replica; },
            [&](const FailoverEnded&) { memory.resends = true; },
            [&](const FailoverAborted&) {
              memory.elected = false;
              memory.attempt = 0;
            },
            [&](const SwitchMaster& switched) {
              memory.follows = switched.to;
              memory.attempt = 0;
              memory.elected = false;
              memory.selected = no_server;
              memory.postponed.reset();
              for (const ServerId server : config(node).redis)
                memory.watched[server] = {.pong = sinceNow(node),
                                          .interrupted = memory.watched[server].interrupted};
            },
            [&](const SentinelFound& found) { memory.watched[found.sentinel] = {.pong = sinceNow(node)}; },
            [&](const TiltChanged& tilt) { memory.tilt = tilt.on; },
            [&](const Answered& answered) {
              if (answered.outcome == Outcome::refused && answered.operation == Operation::write)
                shared().refused.insert({id(node), answered.number});
              ended_.reset();
              if (memory.request && memory.request->number == answered.number)
                ended_ = std::exchange(memory.request, std::nullopt);
            },
            [](const auto&) {},
        },
        event);
}

}  // namespace zablab::sentinel
