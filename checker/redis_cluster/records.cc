#include "checker/redis_cluster/records.h"

#include <algorithm>

#include "checker/redis_cluster/ledger.h"
#include "protocol/overloaded.h"

namespace zablab::redis_cluster {
namespace {

constexpr std::int64_t redirections_max = 5;

}  // namespace

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
  if (seen.node < 0) return;
  if (config(seen.node).client) return onClient(seen);
  NodeRecord& memory = own(seen.node);
  switch (seen.kind) {
    case Kind::started: begin(seen); return start(seen);
    case Kind::taken_up:
      begin(seen);
      memory.running = false;
      return;
    case Kind::stopped:
      memory.running = false;
      memory.lost_power = memory.lost_power || seen.stopped == HowStopped::power_loss;
      return;
    case Kind::wiped: memory = {}; return;
    case Kind::delivered: begin(seen); return read(seen);
    case Kind::timer: begin(seen); return onTimer(seen);
    case Kind::asked:
      begin(seen);
      done_.instructed = seen.request->operation == Operation::failover;
      if (done_.instructed) return;  // it may refuse that
      memory.forced = true;
      memory.asked_at.reset();
      if (isMaster(seen.node)) return;
      memory.hands_over = false;
      memory.manual.reset();
      memory.awaited.reset();
      memory.waits.reset();
      memory.looks.reset();
      memory.attempt_at.reset();
      memory.instructed = sinceNow(seen.node);
      return;
    case Kind::closed:
      begin(seen);
      if (seen.link == replication_link) std::erase(memory.fed, seen.to);
      if (seen.to != masterOf(seen.node)) return;
      if (memory.copied) memory.link_at = now();
      memory.copied = false;
      return;
    case Kind::write_failed: memory.lost_power = true; return begin(seen);
    case Kind::connected:
    case Kind::refused: return begin(seen);
    case Kind::age:
      begin(seen);
      memory.waits.reset();
      memory.looks.reset();
      done_.by_age = true;
      done_.age = seen.age;
      return;
    case Kind::step_over: return conclude(seen.node);
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
  done_.clear();
  done_.master_before = seen.node < 0 || config(seen.node).client ? no_server : masterOf(seen.node);
  if (memory.asking) done_.asking = memory.asking;
}

void Records::start(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  const NodesConf conf = confOn(*seen.disk, config(seen.node));
  finds_disk_ = !memory.known_disk ||
                (memory.conf == conf && (memory.lost_power || memory.history == seen.disk->history));
  memory = {};
  memory.running = memory.known_disk = true;
  memory.started_at = now();
  memory.conf = conf;
  memory.view = conf.nodes;
  memory.history = seen.disk->history;
  memory.epoch = memory.conf.current_epoch;
  memory.returns = isMaster(seen.node);
  for (const auto& one : memory.conf.nodes) {
    Watched& watched = memory.watched[one.first];
    watched.packet = now();
    watched.pinged = sinceNow(seen.node);
  }
  memory.fed_at = sinceNow(seen.node);
}

void Records::onTimer(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  timer_ = seen.timer;
  switch (seen.timer.kind) {
    case TimerKind::ping: return notePing(seen.node, seen.timer.key);
    case TimerKind::election:
      done_.waited = memory.waits.has_value();
      memory.waits.reset();
      memory.looks.reset();
      return;
    case TimerKind::auth_retry: memory.looks.reset(); return;
    default: return;
  }
}

/// A node that is taken for failing and does not answer is sent a PING as soon as its port can be dialled.
void Records::notePing(int node, ServerId peer) {
  Watched& watched = own(node).watched[peer];
  watched.often = watched.unanswered && watched.flag != Flag::none;
  if (!watched.unanswered && watched.flag == Flag::none) watched.silent_since = sinceNow(node);
  watched.unanswered = true;
  watched.pinged = sinceNow(node);
}

void Records::noteFlag(int node, const Flagged& flagged) {
  Watched& watched = own(node).watched[flagged.about];
  watched.flag = flagged.flag;
  if (flagged.flag == Flag::FAIL) watched.failed_at = now();
  if (flagged.flag == Flag::none) return;
  watched.silent_since.reset();
  if (flagged.flag == Flag::FAIL && !watched.unanswered) return;
  watched.often = true;
  watched.pinged = sinceNow(node);
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
  if (const auto* all = input<FullResync>(); all != nullptr) {
    for (const Entry& entry : memory.history) {
      if (std::find(all->history.begin(), all->history.end(), entry) == all->history.end())
        done_.discards.push_back(entry.value);
    }
  }
  if (holds_alternative<Psync>(*input_) && isMaster(seen.node)) {
    std::erase(memory.fed, sender_);
    memory.fed.push_back(sender_);
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
  const Header& header = *headerOf(message);
  watched.offset = header.offset;
  if (watched.silent_since) watched.silent_since = sinceNow(node);
  if (memory.manual && !memory.awaited && header.paused && sender_ == masterOf(node))
    memory.awaited = header.offset;
  if (const auto* update = get_if<Update>(&message); update != nullptr && update->owner != id(node)) {
    const auto owner = memory.view.find(update->owner);
    if (owner != memory.view.end() && owner->second.config_epoch <= update->config_epoch)
      owner->second = {no_server, update->config_epoch};
  }
  const auto* ping = get_if<Ping>(&message);
  const auto* pong = get_if<Pong>(&message);
  if (ping == nullptr && pong == nullptr) return;
  watched.failing = ping != nullptr ? ping->failing : pong->failing;
  watched.failing_at = sinceNow(node);
  watched.master = headerOf(message)->master;
  watched.heard = true;
  if (pong != nullptr) {
    watched.unanswered = false;
    watched.silent_since.reset();
  }
  watched.reported_as_master = learn(node, header).master == no_server;
}

/// What a node learns from PING and PONG, and does not write down if nobody's slots change.
const Known& Records::learn(int node, const Header& header) {
  auto& nodes = own(node).view;
  Known& sender = nodes[sender_];
  if (header.config_epoch < sender.config_epoch) return sender;
  const bool demoted = sender.master == no_server && header.master != no_server;
  if (demoted && cluster_.rules.demoted_slots == DemotedSlots::moved) {
    const auto master = nodes.find(header.master);
    if (master != nodes.end()) master->second.config_epoch = header.config_epoch;
  }
  sender = {header.master, header.config_epoch};
  done_.told = sender;
  return sender;
}

void Records::putOn(int node, const Record& record, bool synced) {
  NodeRecord& memory = own(node);
  if (const auto* save = get_if<SaveConf>(&record)) {
    if (!synced) return;
    for (const auto& [other, known] : save->conf.nodes) {
      const auto told = memory.view.find(other);
      if (other != id(node) && (told == memory.view.end() || told->second.config_epoch != known.config_epoch))
        done_.forgets = true;
    }
    conf_before_ = std::exchange(memory.conf, save->conf);
    memory.view = save->conf.nodes;
    // What the sender says of its role may come after that.
    if (done_.told) memory.view[sender_] = *done_.told;
    done_.saves = true;
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
  visit(Overloaded{[&](const Pong&) { done_.ponged.push_back(seen.to); },
                   [&](const Ping&) { done_.pinged.push_back(seen.to); },
                   [&](const AuthRequest&) { done_.asked.push_back(seen.to); },
                   [&](const ReplPing&) { done_.signs.push_back(seen.to); },
                   [&](const Replicate&) { ++done_.copies; },
                   [&](const Fail&) { done_.told_failed.push_back(seen.to); },
                   [&](const MfStart&) { done_.asks_master = seen.to == masterOf(seen.node); },
                   [&](const AuthAck&) { done_.acknowledges = seen.to == sender_; },
                   [&](const Update&) { done_.updates = seen.to == sender_; },
                   [&](const Reply& m) { noteAnswer(seen, m.number); },
                   [&](const Moved& m) { noteAnswer(seen, m.number); },
                   [&](const ClusterDown& m) { noteAnswer(seen, m.number); }, [](const auto&) {}},
        *seen.content);
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
    master.voted_since = sinceNow(seen.node);
  }
}

void Records::onEvent(int node, const Event& event) {
  NodeRecord& memory = own(node);
  visit(Overloaded{
            [&](const Flagged& flagged) {
              Watched& watched = memory.watched[flagged.about];
              if (!(input_ && headerOf(*input_) != nullptr && sender_ == flagged.about))
                watched_before_ = watched;
              noteFlag(node, flagged);
              done_.flags = true;
              if (flagged.reason == FlagReason::majority) done_.fails = flagged.about;
            },
            [&](const Scheduled& scheduled) {
              memory.rank = scheduled.rank;
              memory.scheduled_at = now();
              done_.attempt = std::exchange(memory.attempt_at, now());
              memory.waits = sinceNow(node);
              done_.schedules = true;
            },
            [&](const RankRose& rose) {
              memory.rank = rose.rank;
              done_.rises = true;
              memory.waits = sinceNow(node);
            },
            [&](const Asked& asked) {
              asked_before_ = std::exchange(memory.asked_at, now());
              memory.asked = asked.epoch;
              memory.instructed.reset();
              done_.asks = true;
            },
            [&](const Promoted&) {
              endManual(node);
              memory.fed_at = sinceNow(node);
              done_.promoted = true;
            },
            [&](const ManualFailover& manual) { onManual(node, manual); },
            [&](const Follows&) {
              memory.returns = false;
              memory.fed.clear();
              endManual(node);
              done_.follows = true;
            },
            [&](const Collided&) { done_.collides = true; },
            [&](const Expired&) {
              memory.forced = memory.hands_over;
              memory.instructed.reset();
            },
            [&](const VoteDecided& decided) { done_.vote = decided.reason; },
            [&](const SlotsMoved& moved) { done_.moved = moved; },
            [&](const Discarded& discarded) { done_.discarded = discarded.values; },
            [&](const StateChanged& state) {
              minority_before_ = memory.minority_at;
              memory.serves = state.ok;
              in_minority_before_ = memory.minority;
              done_.begins_to_serve = state.ok;
              if (state.ok) {
                memory.minority_at.reset();
                memory.minority = memory.returns = false;
              } else if (state.minority) {
                memory.minority_at = now();
              }
            },
            [](const auto&) {},
        },
        event);
}

void Records::noteAnswer(const Happened<Family>& seen, std::int64_t number) {
  own(seen.node).postponed.erase(number);
  const auto* set = input<Set>();
  const auto* get = input<Get>();
  const bool asked = (set != nullptr && set->number == number) || (get != nullptr && get->number == number);
  done_.answers += asked && seen.to == sender_ ? 1 : 0;
}

void Records::endManual(int node) {
  NodeRecord& memory = own(node);
  memory.asked_at.reset();
  memory.attempt_at.reset();
  memory.waits.reset();
  memory.looks.reset();
  memory.instructed.reset();
  memory.manual.reset();
  memory.awaited.reset();
  memory.forced = memory.hands_over = memory.paused = false;
}

void Records::onManual(int node, const ManualFailover& manual) {
  NodeRecord& memory = own(node);
  switch (manual.stage) {
    case ManualStage::refused: done_.refuses = true; return;
    case ManualStage::requested:
    case ManualStage::paused:
      endManual(node);
      done_.requests = manual.stage == ManualStage::requested;
      done_.pauses = manual.stage == ManualStage::paused;
      memory.paused = manual.stage == ManualStage::paused;
      memory.manual_at = now();
      memory.manual = sinceNow(node);
      memory.manual_with = manual.with;
      return;
    case ManualStage::started: {
      memory.asked_at.reset();
      memory.forced = memory.hands_over = true;
      // If its master has failed meanwhile, it has an attempt that goes on.
      const Watched& master = memory.watched[manual.with];
      if (master.failed_at == 0 || master.failed_at < memory.manual_at) memory.instructed = sinceNow(node);
      return;
    }
    case ManualStage::timed_out: done_.expires = memory.manual.has_value(); return endManual(node);
  }
}

ServerId Records::ownerOf(int node, Slot slot) {
  const auto at = own(node).conf.slots.find(slot);
  return at == own(node).conf.slots.end() ? no_server : at->second;
}

bool Records::reachesMajority(int node) {
  const std::vector<ServerId> masters = electorate(node);
  const auto reached = std::count_if(masters.begin(), masters.end(), [&](ServerId master) {
    return own(node).watched[master].flag == Flag::none;
  });
  return static_cast<std::size_t>(reached) >= masters.size() / 2 + 1;
}

bool Records::coversAll(int node) {
  const auto& members = config(node).members;
  return std::all_of(members.begin(), members.end(), [&](const Member& member) {
    return std::all_of(member.slots.begin(), member.slots.end(), [&](Slot slot) {
      const ServerId owner = ownerOf(node, slot);
      return owner != no_server && own(node).watched[owner].flag != Flag::FAIL;
    });
  });
}

/// At the end of a step.
void Records::conclude(int node) {
  NodeRecord& memory = own(node);
  if (!memory.running) return;
  if (isTimer(TimerKind::acknowledged)) memory.delayed.reset();
  if (isTimer(TimerKind::repl_ping)) memory.fed_at = sinceNow(node);
  if (done_.by_age || done_.waited) concludeAttempt(node);
  if (input<Ping>() != nullptr && memory.manual && !memory.delayed && sender_ == done_.master_before) {
    memory.delayed = sinceNow(node);
    memory.delayed_to = sender_;
  }
  if (memory.instructed && slotsOf(node, masterOf(node)).empty()) memory.instructed.reset();
  if (const auto* set = input<Set>(); set != nullptr && done_.answers == 0 && memory.paused &&
                                      memory.serves && ownerOf(node, set->slot) == id(node))
    memory.postponed.insert(set->number);
  if (memory.serves && !done_.flags && !done_.saves && !done_.begins_to_serve) return;
  const bool majority = cluster_.rules.minority == Minority::serves || reachesMajority(node);
  const bool could = majority && (!config(node).full_coverage || coversAll(node));
  if (!majority) memory.minority = true;
  if (!majority) memory.again_since.reset();
  if (could && !memory.again_since) memory.again_since = sinceNow(node);
  if (!could) {
    memory.could_since.reset();
  } else if (!memory.could_since) {
    memory.could_since = sinceNow(node);
  }
}

/// A replica has looked whether it can stand. If it cannot, or not yet, it looks again.
void Records::concludeAttempt(int node) {
  NodeRecord& memory = own(node);
  if (done_.schedules || done_.asks || done_.rises || isMaster(node)) return;
  const ServerId master = masterOf(node);
  const bool too_old = done_.by_age && !memory.forced && memory.watched[master].flag == Flag::FAIL &&
                       !slotsOf(node, master).empty();
  memory.looks = sinceNow(node);
  memory.retries = !too_old;
  if (too_old) memory.attempt_at.reset();
}

// ---- clients

namespace {

ServerId firstOwner(const Config& config, Slot slot) {
  for (const Member& member : config.members) {
    if (std::find(member.slots.begin(), member.slots.end(), slot) != member.slots.end()) return member.id;
  }
  return config.members.front().id;
}

}  // namespace

void Records::onClient(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  switch (seen.kind) {
    case Kind::started:
      begin(seen);
      memory = {};
      memory.running = true;
      return;
    case Kind::stopped: memory.running = false; return;
    case Kind::delivered:
      begin(seen);
      input_ = *seen.content;
      sender_ = id(seen.from);
      return onClientRead(seen.node);
    case Kind::timer: return begin(seen);
    case Kind::asked: {
      begin(seen);
      if (memory.asking) return;
      const Slot slot = seen.request->slot;
      const auto turn = memory.believed.try_emplace(slot, firstOwner(config(seen.node), slot)).first;
      memory.asking = {*seen.request, sinceNow(seen.node), turn->second, 0};
      return;
    }
    case Kind::event:
      if (const auto* answered = get_if<Answered>(seen.event);
          answered != nullptr && answered->outcome != Outcome::busy) {
        done_.ends = memory.asking && memory.asking->request.number == answered->request;
        if (done_.ends && answered->outcome != Outcome::ok) believeNext(seen.node);
        memory.asking.reset();
      }
      return;
    default: return;
  }
}

void Records::onClientRead(int node) {
  NodeRecord& memory = own(node);
  const auto* moved = input<Moved>();
  if (moved == nullptr || !memory.asking || memory.asking->turn != sender_ ||
      memory.asking->request.number != moved->number || memory.asking->redirections == redirections_max)
    return;
  ++memory.asking->redirections;
  memory.asking->turn = memory.believed[memory.asking->request.slot] = moved->to;
}

/// The next request about the slot asks another node.
void Records::believeNext(int node) {
  NodeRecord& memory = own(node);
  const auto& members = config(node).members;
  const auto at = std::find_if(members.begin(), members.end(),
                               [&](const Member& member) { return member.id == memory.asking->turn; });
  const bool last = at == members.end() || at + 1 == members.end();
  memory.believed[memory.asking->request.slot] = last ? members.front().id : (at + 1)->id;
}

}  // namespace zablab::redis_cluster
