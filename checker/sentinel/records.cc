#include "checker/sentinel/records.h"

#include <algorithm>

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

/// Whether a message answers this question.
bool answers(const Message& message, const Message& question) {
  if (holds_alternative<Ping>(question)) return holds_alternative<Pong>(message);
  if (holds_alternative<Info>(question)) return holds_alternative<InfoReply>(message);
  if (holds_alternative<IsMasterDown>(question)) return holds_alternative<IsMasterDownReply>(message);
  if (holds_alternative<GetMaster>(question)) return holds_alternative<MasterIs>(message);
  if (holds_alternative<WriteRequest>(question)) return holds_alternative<WriteReply>(message);
  return holds_alternative<ReadRequest>(question) && holds_alternative<ReadReply>(message);
}

}  // namespace

void Records::on(const Happened<Family>& seen) {
  keepTime(seen);
  if (seen.kind == Kind::lost) shared().copies.erase(seen.message);
  if (seen.node < 0) return;
  NodeRecord& memory = own(seen.node);
  switch (seen.kind) {
    case Kind::started:
      begin(seen);
      finds_disk_ = !memory.known_disk || memory.disk == *seen.disk;
      memory = {};
      memory.running = memory.known_disk = true;
      memory.disk = *seen.disk;
      memory.master = memory.follows =
          seen.disk->master == no_server ? config(seen.node).master : seen.disk->master;
      memory.data = seen.disk->data;
      rest(seen.node);
      if (isClient(seen.node)) memory.turn = config(seen.node).sentinels.front();
      beginWatching(seen.node);
      return;
    case Kind::taken_up:
      begin(seen);
      memory.running = memory.known_disk = false;
      return;
    case Kind::stopped: memory.running = false; return;
    case Kind::wiped: memory = {}; return;
    case Kind::delivered: begin(seen); return read(seen);
    case Kind::asked:
      begin(seen);
      if (memory.request) return;
      memory.request = *seen.request;
      memory.began = sinceNow(seen.node);
      return rest(seen.node);
    case Kind::closed:
    case Kind::connected:
    case Kind::refused: begin(seen); return onConnection(seen);
    case Kind::dialled:
      if (seen.link == client_link || (seen.link == replication_link && seen.to == memory.master))
        memory.effort.with = seen.to;
      return;
    case Kind::timer:
      begin(seen);
      if (seen.timer.kind == TimerKind::reconf) overdue_ = seen.timer.key;
      if (!isClient(seen.node) || seen.timer.kind != TimerKind::answer_limit) return;
      memory.named = no_server;
      memory.reaches = false;
      return takeTurn(seen.node);
    case Kind::age:
      begin(seen);
      tick_ = true;
      return;
    case Kind::write_failed: return begin(seen);
    case Kind::written:
      if (seen.blocking) putOn(memory.disk, *seen.record);
      return onWritten(seen.node, *seen.record);
    case Kind::synced: return putOn(memory.disk, *seen.record);
    case Kind::sent:
      if (seen.how != SentHow::copy) onSent(seen);
      return;
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
  late_ = replied_ = tick_ = found_ = given_up_ = told_role_ = ended_failover_ = false;
  overdue_ = no_server;
  handed_to_.clear();
  untold_.clear();
  told_first_.clear();
  told_last_.clear();
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
  NodeRecord& memory = own(node);
  for (const ServerId server : here.redis) watch(node, server);
  for (const ServerId sentinel : here.sentinels) watch(node, sentinel);
  const auto& known = here.known.empty() ? here.sentinels : here.known;
  memory.known.insert(known.begin(), known.end());
  memory.known.insert(memory.disk.found.begin(), memory.disk.found.end());
}

/// It begins to watch an instance, or begins again.
void Records::watch(int node, ServerId instance) {
  Watched& watched = own(node).watched[instance];
  const bool connected = watched.connected;
  const bool interrupted = watched.interrupted;
  watched = {};
  watched.pong = watched.up = sinceNow(node);
  watched.hello_at = now();
  watched.connected = connected;
  watched.interrupted = interrupted;
  watched.role = instance == own(node).follows ? RedisRole::master : RedisRole::replica;
}

std::vector<ServerId> Records::othersOf(int node) {
  std::vector<ServerId> others = config(node).redis;
  std::erase_if(others, [&](ServerId id) { return id == own(node).follows || id == own(node).selected; });
  return others;
}

void Records::onConnection(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  const bool over = seen.kind != Kind::connected;
  if (seen.link == sentinel_link && config(seen.node).kind == NodeKind::sentinel) {
    Watched& watched = memory.watched[seen.to];
    watched.connected = !over;
    if (seen.kind != Kind::closed) return;
    watched.interrupted = true;
    watched.pongs = 0;
  } else if (seen.link == replication_link) {
    if (over) {
      memory.replicas.erase(seen.to);
      memory.reports.erase(seen.to);
    }
    if (seen.to != memory.master) return;
    if (over) memory.copied = false;
    rest(seen.node);
  } else if (isClient(seen.node)) {
    if (memory.effort.with == seen.to) rest(seen.node);
    if (seen.to == memory.turn) memory.reaches = !over;
    if (!over) return;
    if (seen.to == memory.named) memory.named = no_server;
    if (seen.to == memory.turn) takeTurn(seen.node);
  }
}

/// The next sentinel is asked.
void Records::takeTurn(int node) {
  const auto& all = config(node).sentinels;
  const auto at = std::find(all.begin(), all.end(), own(node).turn) - all.begin();
  own(node).turn = all[static_cast<std::size_t>(at + 1) % all.size()];
}

void Records::onClientRead(int node) {
  NodeRecord& memory = own(node);
  if (memory.effort.with == sender_) rest(node);
  if (const auto* answer = input<MasterIs>()) {
    if (sender_ != memory.turn) return;
    memory.named = answer->master;
    memory.reaches = false;  // it has been told, and leaves
  } else if (sender_ == memory.named) {
    const auto* written = input<WriteReply>();
    const auto* read = input<ReadReply>();
    const bool there = memory.request && memory.request->server == sender_;
    if ((written != nullptr && written->result != WriteResult::ok) ||
        (read != nullptr && !read->master && !there))
      memory.named = no_server;
  }
}

void Records::noteReport(int node, const InfoReply& info) {
  const NodeRecord& memory = own(node);
  Watched& watched = own(node).watched[sender_];
  role_before_ = std::exchange(watched.role, info.role);
  if (!watched.info || watched.info->role != info.role || watched.info->master != info.master)
    watched.same_since = now();
  watched.info = info;
  watched.info_at = sinceNow(node);
  if (!watched.told || memory.tilt || info.role != RedisRole::replica) return;
  watched.obeys = watched.obeys || info.master == memory.selected;
  watched.done = watched.done || (watched.obeys && info.link_up);
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
  if (holds_alternative<Psync>(*input_)) {
    memory.replicas.erase(sender_);
    // Two that copy each other, without data: the connection that they share is closed.
    if (sender_ == memory.master && !memory.copied) rest(seen.node);
  }
  if (holds_alternative<Psync>(*input_) || holds_alternative<ReplicaAck>(*input_))
    memory.reports[sender_] = sinceNow(seen.node);
  if (isClient(seen.node)) return onClientRead(seen.node);
  if (config(seen.node).kind != NodeKind::sentinel) return;
  Watched& watched = memory.watched[sender_];
  if (holds_alternative<Pong>(*input_)) {
    watched.pong = sinceNow(seen.node);
    ++watched.pongs;
    watched.interrupted = false;
  } else if (const auto* info = input<InfoReply>()) {
    noteReport(seen.node, *info);
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
    memory.replicas.clear();
    memory.reports.clear();
  } else if (const auto* save = get_if<SaveMaster>(&record)) {
    memory.master = save->master;
    memory.copied = false;
    memory.replicas.clear();
    memory.reports.clear();
    rest(node);
  } else if (const auto* found = get_if<SaveKnown>(&record)) {
    found_ = memory.known.insert(found->sentinel).second && found->sentinel != id(node);
  }
}

void Records::onSent(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  if (!memory.running) return;
  if (input_ && seen.to == sender_ && answers(*seen.content, *input_)) replied_ = true;
  if (holds_alternative<FullSync>(*seen.content)) {
    shared().copies[seen.message] = {0, memory.data};
    memory.replicas.insert(seen.to);
  } else if (holds_alternative<Replicate>(*seen.content)) {
    shared().copies[seen.message] = {std::ssize(memory.data), {}};
    handed_to_.insert(seen.to);
  } else if (holds_alternative<Psync>(*seen.content) || isClient(seen.node)) {
    memory.effort.with = seen.to;
  } else if (holds_alternative<Hello>(*seen.content) && config(seen.node).kind == NodeKind::sentinel) {
    Watched& watched = memory.watched[seen.to];
    hello_passed_ = watched.hello_soon || hasPassed(watched.hello_at, config(seen.node).hello_ms);
    watched.hello_at = now();
    watched.hello_soon = false;
  } else if (const auto* order = get_if<ReplicaOf>(seen.content);
             order != nullptr && tick_ && order->master == memory.selected) {
    memory.watched[seen.to].told = now();
  }
}

void Records::onEvent(int node, const Event& event) {
  NodeRecord& memory = own(node);
  visit(Overloaded{
            [&](const SubjectivelyDown& told) {
              Watched& watched = memory.watched[told.instance];
              watched.down = told.down;
              if (told.down)
                watched.down_at = now();
              else
                watched.up = sinceNow(node);
            },
            [&](const ObjectivelyDown& told) { memory.odown = told.down; },
            [&](const TryFailover& begun) {
              postponed_before_ = memory.postponed ? std::optional(memory.postponed->at) : std::nullopt;
              memory.state = FailoverState::WAIT_START;
              memory.postponed = memory.state_since = sinceNow(node);
              memory.attempt = begun.epoch;
              memory.elected = false;
              memory.selected = no_server;
            },
            [&](const VoteDecided& vote) {
              if (vote.granted && vote.candidate != id(node)) memory.postponed = sinceNow(node);
            },
            [&](const Elected&) { memory.elected = true; },
            [&](const FailoverStateChanged& changed) {
              memory.state = changed.state;
              memory.state_since = sinceNow(node);
            },
            [&](const ReplicaSelected& selected) {
              memory.selected = selected.replica;
              for (auto& [server, watched] : memory.watched) {
                watched.told.reset();
                watched.obeys = watched.done = false;
              }
            },
            [&](const Promoted&) {
              for (auto& [server, watched] : memory.watched) watched.hello_soon = true;
            },
            [&](const RoleReported&) { told_role_ = true; },
            [&](const ReplicaReconf& reconf) {
              if (reconf.timed_out && reconf.replica == overdue_) given_up_ = true;
              if (reconf.reconf == Reconf::sent)
                (ended_failover_ ? told_last_ : told_first_).insert(reconf.replica);
            },
            [&](const FailoverEnded& ended) {
              ended_failover_ = true;
              if (!ended.timed_out) return;
              for (const ServerId other : othersOf(node)) {
                const Watched& watched = memory.watched[other];
                if (!watched.told && watched.connected && !told_first_.contains(other)) untold_.insert(other);
              }
            },
            [&](const FailoverAborted&) {
              memory.elected = false;
              memory.attempt = 0;
              memory.state = FailoverState::NONE;
            },
            [&](const SwitchMaster& switched) {
              memory.follows = switched.to;
              memory.attempt = 0;
              memory.elected = memory.odown = false;
              memory.state = FailoverState::NONE;
              memory.selected = no_server;
              memory.postponed.reset();
              for (const ServerId server : config(node).redis) watch(node, server);
            },
            [&](const SentinelFound& found) { watch(node, found.sentinel); },
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
