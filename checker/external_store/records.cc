#include "checker/external_store/records.h"

#include <algorithm>

#include "checker/external_store/contents.h"
#include "protocol/overloaded.h"

namespace zablab::external_store {
namespace {

bool concerns(const Watch& watch, const Key& key) {
  return watch.prefix ? watch.key.prefix == key.prefix : watch.key == key;
}

/// Whether there is one of these that it watches.
bool owe(Watching& one, const std::vector<Change>& changes) {
  for (const Change& change : changes) {
    if (one.over || change.revision < one.watch.from || !concerns(one.watch, change.what.key)) continue;
    one.owed.push_back(change);
    one.over = !one.watch.prefix && change.kind != ChangeKind::put;
  }
  return !one.owed.empty();
}

/// Candidates begin with one server of the store each, in order, and so do clients by their ids.
std::size_t firstTurn(const Config& config, ServerId id) {
  auto place = static_cast<std::size_t>(id);
  for (std::size_t i = 0; i < config.candidates.size(); ++i) {
    if (config.candidates[i] == id) place = i;
  }
  return place % config.stores.size();
}

/// The least time that a lease is granted for: etcd's minimum of one and a half election timeouts, in whole
/// seconds.
Millis leastTime(const Config& config) {
  const Millis ticks = 3 * (config.election_timeout_min_ms / config.heartbeat_ms) / 2;
  const Millis seconds = (ticks * config.heartbeat_ms + 999) / 1000;
  return seconds * 1000;
}

/// The command that a request puts forward; empty: it changes nothing.
std::optional<Command> commandOf(const Message& request, const Config& config, const Rules& rules) {
  if (const auto* txn = get_if<TxnRequest>(&request)) {
    if (isReading(txn->txn)) return std::nullopt;
    return Transact{txn->txn};
  }
  if (const auto* grant = get_if<LeaseGrant>(&request)) {
    const Millis least = rules.least_ttl == LeastTtl::none ? 0 : leastTime(config);
    return Grant{std::max(grant->ttl_ms, least)};
  }
  if (const auto* revoke = get_if<LeaseRevoke>(&request)) return EndLease{revoke->lease, false};
  return std::nullopt;
}

bool erases(const Txn& txn) { return !txn.then.empty() && txn.then.front().does == Does::erase; }

bool isExpiry(const Command& command) {
  const auto* end = get_if<EndLease>(&command);
  return end != nullptr && end->expired;
}

}  // namespace

Millis Records::countedOn(int node) {
  const bool less = cluster_.rules.margin == Margin::kept;
  return own(node).ttl_ms - (less ? config(node).margin_ms : 0);
}

void Records::on(const Happened<Family>& seen) {
  keepTime(seen);
  answers_.reset();
  ends_.reset();
  executes_.reset();
  ends_lease_.reset();
  measured_before_.reset();
  ended_.reset();
  owed_ = false;
  sent_as_due_ = true;
  if (seen.node < 0) return;
  NodeRecord& memory = own(seen.node);
  switch (seen.kind) {
    case Kind::started: begin(seen); return start(seen);
    case Kind::taken_up:
      begin(seen);
      memory = {};
      if (isStore(seen.node)) shared().known = false;
      return;
    case Kind::stopped: {
      NodeRecord left;
      left.has_run = memory.has_run;
      left.resource = memory.resource;
      left.contents = std::move(memory.contents);
      left.durable = std::move(memory.durable);
      memory = std::move(left);
      return;
    }
    case Kind::wiped:
      memory = {};
      if (isStore(seen.node)) shared().known = false;
      return;
    case Kind::delivered: begin(seen); return read(seen);
    case Kind::connected:
    case Kind::refused:
    case Kind::closed: begin(seen); return onConnection(seen);
    case Kind::asked: begin(seen); return onAsked(seen);
    case Kind::timer: begin(seen); return onTimer(seen);
    case Kind::timer_set: {
      if (seen.timer.kind != TimerKind::request || !isStore(seen.node)) return;
      const auto* keep = input<KeepAlive>();
      const auto* renew = input<Renew>();
      if (keep == nullptr && renew == nullptr) return;
      memory.limited[seen.timer.key.id] = {sender_, keep != nullptr ? keep->lease : renew->lease,
                                           sinceNow(seen.node)};
      return;
    }
    case Kind::dialled: return onDialled(seen);
    case Kind::step_over: return noteRests(seen.node);
    case Kind::age:
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
  const NodeRecord& memory = own(seen.node);
  begun_by_ = seen.kind;
  forgetInput();
  instruction_.reset();
  asked_.reset();
  led_before_ = memory.token != 0;
  watched_before_ = memory.watched;
  seen_before_ = memory.seen;
  stopped_.reset();
  sent_watch_ = sent_reply_ = sent_revoke_ = released_ = false;
  link_ = seen.link;
  read_due_ = 0;
  tells_ = false;
  resource_before_ = memory.resource;
  owed_renewals_.clear();
  late_for_ended_ = false;
  done_before_ = memory.done.size();
  reported_ = 0;
}

void Records::start(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  const bool alone = isStore(seen.node) && !isOneOfSeveral(seen.node);
  StoreState contents = seen.disk->store;
  contents.history.clear();
  finds_its_disk_ =
      !memory.has_run || (memory.resource == seen.disk->resource && memory.durable == seen.disk->log.log &&
                          (!alone || memory.contents == contents));
  memory = {};
  memory.running = memory.has_run = true;
  memory.resource = seen.disk->resource;
  resource_before_ = memory.resource;
  memory.log = memory.durable = seen.disk->log.log;
  memory.turn = firstTurn(config(seen.node), id(seen.node));
  if (!alone) return;
  memory.leads = true;
  memory.contents = std::move(contents);
  measureAll(seen.node);
  RunRecord& all = shared();
  if (std::exchange(all.begun, true)) return;
  all.contents = memory.contents;
  all.changes = seen.disk->store.history;
  all.keys[all.contents.revision] = all.contents.keys;
  for (const KeyValue& one : all.contents.keys) all.created[one.create_revision].push_back(one);
}

/// A server that begins to measure leases cannot know when they were renewed.
void Records::measureAll(int node) {
  NodeRecord& memory = own(node);
  const bool adds = cluster_.rules.new_leader == NewLeader::adds_election_timeout;
  const Millis more = adds ? config(node).election_timeout_min_ms : 0;
  for (const Lease& lease : memory.contents.leases) measure(node, lease.id, lease.ttl_ms + more);
}

// ---- messages that arrive

void Records::read(const Happened<Family>& seen) {
  sender_ = id(seen.from);
  const bool renewal = holds_alternative<Renew>(*seen.content) || holds_alternative<Renewed>(*seen.content);
  if (seen.link == peer_link && !renewal) {
    if (holds_alternative<leader_followers::BasicAppend<StoreLog>>(*seen.content))
      own(seen.node).led = sinceNow(seen.node);
    return;
  }
  input_ = *seen.content;
  if (!own(seen.node).running) return;
  if (const auto* renewed = input<Renewed>()) {
    const auto& forwarded = own(seen.node).forwarded;
    const auto at = forwarded.find(renewed->number);
    if (at != forwarded.end() && at->second.to == sender_) owed_renewals_.insert(at->second.by);
  }
  if (seen.late) return;
  if (isStore(seen.node)) return readAtStore(seen);
  if (config(seen.node).kind == NodeKind::candidate) return readAtCandidate(seen);
  if (config(seen.node).kind == NodeKind::client) readAtClient(seen.node);
}

/// Before a client tries again, it waits once more as long.
void Records::waitAgain(NodeRecord& memory) {
  memory.request_rests.reset();
  memory.read_rests.reset();
}

void Records::readAtClient(int node) {
  NodeRecord& memory = own(node);
  if (const auto* reply = input<TxnReply>()) {
    if (!memory.looks || memory.looks->first != sender_) return;
    read_due_ = memory.looks->second;
    memory.looks.reset();
    if (!memory.request || memory.named) return;
    std::int64_t first = 0;
    for (const KeyValue& one : reply->found) {
      if (first != 0 && one.create_revision >= first) continue;
      first = one.create_revision;
      memory.named = one.value;
    }
  } else if (const auto* answer = input<Answer>()) {
    const bool its = memory.request && memory.request->number == answer->number && memory.named == sender_;
    if (its && answer->outcome == Outcome::refused) forgetLeader(node);
  }
}

void Records::forgetLeader(int node) {
  NodeRecord& memory = own(node);
  memory.named.reset();
  memory.at_leader = memory.dials_leader = memory.asks = false;
  waitAgain(memory);
}

void Records::readAtStore(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  const Unanswered request{*input_, sinceNow(seen.node), memory.contents.revision, shared().contents.revision,
                           memory.done.size()};
  if (const auto* begun = input<Watch>()) {
    watch(seen.node, sender_, *begun);
  } else if (input<TxnRequest>() != nullptr || input<LeaseGrant>() != nullptr) {
    memory.waiting[sender_].push_back(request);
  } else if (input<KeepAlive>() != nullptr || input<Renew>() != nullptr) {
    memory.renewals[sender_].push_back(request);
    if (!memory.leads && memory.unsynced == 0) owed_renewals_.insert(sender_);
  }
  if (auto command = commandOf(*input_, config(seen.node), cluster_.rules))
    shared().asked.push_back({id(seen.node), sender_, std::move(*command)});
}

void Records::watch(int node, ServerId who, Watch watch) {
  NodeRecord& memory = own(node);
  if (watch.from == 0) watch.from = memory.contents.revision + 1;
  auto& list = memory.watches[who];
  std::erase_if(list, [&](const Watching& one) { return one.watch.key.prefix == watch.key.prefix; });
  Watching one{.watch = watch, .owed = {}};
  std::vector<Change> until_now;
  for (const Change& change : shared().changes) {
    if (change.revision <= memory.contents.revision) until_now.push_back(change);
  }
  tells_ = owe(one, until_now);
  list.push_back(std::move(one));
}

void Records::readAtCandidate(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  if (input<TxnReply>() != nullptr && !memory.asking.empty()) {
    asked_ = std::move(memory.asking.front());
    memory.asking.pop_front();
    const bool members = !asked_->then.empty() && asked_->then.front().does == Does::range &&
                         asked_->then.front().key.prefix == Prefix::member;
    if (members) memory.members_seen = input<TxnReply>()->revision;
    if (erases(*asked_)) release(memory);
  } else if (const auto* changes = input<Changes>()) {
    for (const Change& change : changes->changes) {
      if (change.what.key.prefix == Prefix::member) {
        if (memory.members_seen) memory.members_seen = std::max(*memory.members_seen, change.revision);
      } else if (memory.watched == change.what.key) {
        memory.seen = std::max(memory.seen, change.revision);
      }
    }
  } else if (const auto* granted = input<LeaseGranted>()) {
    if (!memory.renewing || memory.lease != 0) return;
    memory.renewing = false;
    memory.lease = granted->lease;
    memory.ttl_ms = granted->ttl_ms;
    memory.answered_at = memory.asked_at;
    memory.may_renew = sinceNow(seen.node);
  } else if (const auto* kept = input<KeptAlive>()) {
    if (!memory.renewing || memory.lease != kept->lease) return;
    memory.renewing = false;
    memory.may_renew = sinceNow(seen.node);
    if (kept->found) memory.answered_at = memory.asked_at;
  } else if (const auto* ask = input<Ask>()) {
    memory.tasks[{sender_, ask->number}] = {
        .operation = ask->operation, .since = sinceNow(seen.node), .token = memory.token, .led = led_before_};
  } else if (const auto* reply = input<StoreReply>()) {
    const auto at = memory.tasks.find({reply->client, reply->number});
    if (at != memory.tasks.end() && at->second.sent) at->second.accepted = reply->accepted;
  }
}

void Records::onConnection(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  const ServerId peer = seen.to;
  sender_ = peer;
  const bool open = seen.kind == Kind::connected;
  if (isStore(seen.node)) {
    if (open) return;
    memory.waiting.erase(peer);
    memory.renewals.erase(peer);
    memory.watches.erase(peer);
    seen.link == peer_link ? onPeerGone(seen.node, peer) : forgetRenewals(seen.node, peer);
  } else if (seen.link == store_link) {
    if (!open) return onStoreGone(seen.node);
    memory.at_store = true;
    memory.dials_store = false;
    memory.may_renew = sinceNow(seen.node);
  } else if (config(seen.node).kind == NodeKind::candidate) {
    if (seen.link == resource_link) {
      memory.at_resource = open;
      memory.dials_resource = false;
    } else if (seen.link == client_link) {
      std::erase_if(memory.tasks, [&](const auto& task) { return task.first.first == peer; });
    }
  } else if (seen.link == client_link && peer == memory.named) {
    if (!open) return forgetLeader(seen.node);
    memory.at_leader = true;
    memory.dials_leader = false;
  }
}

/// A candidate or client turns to the next server.
void Records::onStoreGone(int node) {
  NodeRecord& memory = own(node);
  memory.at_store = memory.dials_store = memory.renewing = false;
  memory.asking.clear();
  memory.looks.reset();
  memory.may_renew = sinceNow(node);
  if (cluster_.rules.resignation == Resignation::asked_once) memory.releases = 0;
  memory.turn = (memory.turn + 1) % config(node).stores.size();
  waitAgain(memory);
}

/// What was forwarded to this server is not answered any more.
void Records::onPeerGone(int node, ServerId peer) {
  std::erase_if(own(node).forwarded, [&](const auto& one) {
    if (one.second.to != peer) return false;
    owed_renewals_.insert(one.second.by);
    return true;
  });
}

/// It may have waited for what is said before to be durable.
void Records::onForwarded(int node, ServerId to, const Renew& renew) {
  NodeRecord& memory = own(node);
  const auto at = memory.limited.find(renew.number);
  if (at == memory.limited.end() || at->second.lease != renew.lease) return;
  memory.forwarded[renew.number] = {at->second.by, to};
  owed_renewals_.erase(at->second.by);
}

void Records::forgetRenewals(int node, ServerId client) {
  std::erase_if(own(node).forwarded, [client](const auto& one) { return one.second.by == client; });
  std::erase_if(own(node).limited, [client](const auto& one) { return one.second.by == client; });
}

void Records::onDialled(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  if (seen.link == store_link) memory.dials_store = true;
  if (seen.link == resource_link) memory.dials_resource = true;
  if (seen.link == client_link) memory.dials_leader = true;
}

void Records::onTimer(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  const bool several = isOneOfSeveral(seen.node);
  const std::int64_t which = seen.timer.key.id;
  if (seen.timer.kind == TimerKind::keepalive) {
    if (memory.at_store && memory.renewing && several) onStoreGone(seen.node);
  } else if (seen.timer.kind == TimerKind::answer_limit) {
    if (memory.looks && several) onStoreGone(seen.node);
    if (which == 0) forgetLeader(seen.node);
  } else if (seen.timer.kind == TimerKind::request) {
    const auto at = memory.limited.find(which);
    if (at == memory.limited.end()) return;
    const ReadRenewal renewal = at->second;
    memory.limited.erase(at);
    const auto end = memory.ended.find(renewal.lease);
    if (!memory.leads || !memory.commits || end == memory.ended.end()) return;
    const Since now = sinceNow(seen.node);
    if (now.still != renewal.since.still) return;
    const Config& its = config(seen.node);
    // By its own clock the limit has just passed since it was read.
    const Millis since_end = now.at - std::max(end->second.at, renewal.since.at);
    late_for_ended_ =
        since_end * its.request_limit_ms >= (now.at - renewal.since.at) * 2 * its.election_timeout_min_ms;
  }
}

/// For how long nothing is under way that a candidate or client waits for.
void Records::noteRests(int node) {
  NodeRecord& memory = own(node);
  if (!memory.running) return;
  const auto note = [&](std::optional<Since>& rests, bool so) {
    if (!so) {
      rests.reset();
    } else if (!rests) {
      rests = sinceNow(node);
    }
  };
  const NodeKind kind = config(node).kind;
  if (kind == NodeKind::candidate) {
    note(memory.without_store, !memory.at_store && !memory.dials_store);
    note(memory.without_resource, !memory.at_resource && !memory.dials_resource);
  } else if (kind == NodeKind::client) {
    const bool looks = memory.looks || memory.dials_store;
    note(memory.read_rests, memory.read && !looks);
    note(memory.request_rests,
         memory.request && !memory.asks && !(memory.named ? memory.dials_leader : looks));
  }
}

void Records::onAsked(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  instruction_ = *seen.request;
  if (config(seen.node).kind != NodeKind::client) return;
  const bool reads = seen.request->operation == Operation::read;
  auto& place = reads ? memory.read : memory.request;
  if (place) return;
  place = *seen.request;
  const auto& stores = config(seen.node).stores;
  for (std::size_t i = 0; i < stores.size(); ++i) {
    if (stores[i] != place->store || i == memory.turn) continue;
    memory.at_store = memory.dials_store = false;
    memory.looks.reset();
    memory.turn = i;
    break;
  }
  (reads ? memory.read_at : memory.request_at) = sinceNow(seen.node);
}

// ---- what is written and executed

void Records::onSynced(int node, const Record& record) {
  auto& durable = own(node).durable;
  own(node).unsynced = std::max<std::int64_t>(own(node).unsynced - 1, 0);
  if (const auto* entry = get_if<leader_followers::BasicWriteEntry<StoreLog>>(&record))
    durable.push_back(entry->entry);
  if (const auto* cut = get_if<leader_followers::Truncate>(&record))
    durable.resize(std::min(durable.size(), static_cast<std::size_t>(cut->index)));
}

void Records::onWritten(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  const Record& record = *seen.record;
  ++memory.unsynced;
  if (seen.blocking) onSynced(seen.node, record);
  if (const auto* accept = get_if<Accept>(&record)) {
    memory.resource = {accept->newest, accept->client, accept->number};
    shared().accepted.insert({accept->client, accept->number});
  } else if (const auto* entry = get_if<leader_followers::BasicWriteEntry<StoreLog>>(&record)) {
    memory.log.push_back(entry->entry);
    const Command& command = entry->entry.payload.value.command;
    if (entry->entry.payload.number == 0 || !memory.leads || !isExpiry(command)) return;
    const std::int64_t lease = get<EndLease>(command).lease;
    const auto at = memory.measured.find(lease);
    const bool measured = at != memory.measured.end() && entry->entry.payload.client == id(seen.node);
    ends_lease_ = {lease, measured ? std::optional(at->second) : std::nullopt};
    if (measured) at->second.ends = true;
  } else if (const auto* cut = get_if<leader_followers::Truncate>(&record)) {
    memory.log.resize(std::min(memory.log.size(), static_cast<std::size_t>(cut->index)));
  } else if (const auto* apply = get_if<Apply>(&record)) {
    if (!memory.running) return;
    executes_ = Executed{.first = true};
    if (isExpiry(apply->command)) {
      const std::int64_t lease = get<EndLease>(apply->command).lease;
      const auto at = memory.measured.find(lease);
      ends_lease_ = {lease, at == memory.measured.end() ? std::nullopt : std::optional(at->second)};
    } else {
      executes_->asked = takeAsked(id(seen.node), sender_, apply->command);
    }
    execute(seen.node, apply->command, sender_, true, true);
  }
}

bool Records::takeAsked(ServerId at, ServerId by, const Command& command) {
  auto& asked = shared().asked;
  const auto found = std::find_if(asked.begin(), asked.end(), [&](const AskedCommand& one) {
    return one.at == at && one.by == by && one.command == command;
  });
  if (found == asked.end()) return false;
  asked.erase(found);
  return true;
}

void Records::onApplied(int node, const Applied& applied) {
  NodeRecord& memory = own(node);
  RunRecord& all = shared();
  const auto place = static_cast<std::size_t>(applied.index - 1);
  const auto has = [&](const auto& log) { return place < log.size() && log[place] == applied.entry; };
  executes_ = Executed{.first = applied.index > all.executed,
                       .in_order = applied.index == memory.executed + 1 && has(memory.log)};
  memory.executed = applied.index;
  memory.commits = memory.commits || (memory.leads && applied.entry.generation == memory.generation);
  if (executes_->first) {
    all.executed = applied.index;
    for (const ServerId server : config(node).stores)
      executes_->copies += has(own(cluster_.indexOf(server)).durable) ? 1 : 0;
  }
  if (applied.entry.payload.number == 0) return;
  const Proposed& proposed = applied.entry.payload.value;
  if (executes_->first) {
    const ServerId at = applied.entry.payload.client;
    executes_->asked = all.numbers.insert({at, applied.entry.payload.number}).second &&
                       (isExpiry(proposed.command) || takeAsked(at, proposed.by, proposed.command));
  }
  execute(node, proposed.command, proposed.by, applied.entry.payload.client == id(node), executes_->first);
}

void Records::execute(int node, const Command& command, ServerId by, bool own_command, bool first) {
  NodeRecord& memory = own(node);
  Result result = carryOut(memory.contents, command);
  if (first) {
    RunRecord& all = shared();
    carryOut(all.contents, command);
    for (const Change& change : result.changes) {
      all.changes.push_back(change);
      if (change.kind == ChangeKind::put && change.what.version == 1)
        all.created[change.revision].push_back(change.what);
    }
    if (!result.changes.empty()) all.keys[all.contents.revision] = all.contents.keys;
  }
  for (auto& [who, list] : memory.watches) {
    for (Watching& one : list) tells_ = owe(one, result.changes) || tells_;
  }
  if (const auto* grant = get_if<Grant>(&command)) {
    if (memory.leads) measure(node, result.lease, grant->ttl_ms);
  } else if (const auto* end = get_if<EndLease>(&command)) {
    memory.measured.erase(end->lease);
    memory.ended.emplace(end->lease, sinceNow(node));
  }
  if (own_command) memory.done.push_back({by, command, std::move(result), memory.contents.revision});
}

// ---- what is sent

/// What a candidate or client asks the store for is its own, and is not asked for already.
bool Records::isDue(int node, const Message& message) {
  const NodeRecord& memory = own(node);
  if (const auto* request = get_if<TxnRequest>(&message))
    return !memory.looks &&
           std::find(memory.asking.begin(), memory.asking.end(), request->txn) == memory.asking.end();
  if (const auto* keep = get_if<KeepAlive>(&message)) return !memory.renewing && keep->lease == memory.lease;
  if (const auto* grant = get_if<LeaseGrant>(&message))
    return !memory.renewing && memory.lease == 0 && grant->ttl_ms == config(node).ttl_ms;
  if (const auto* revoke = get_if<LeaseRevoke>(&message))
    return memory.lease != 0 && revoke->lease == memory.lease && instruction_ &&
           instruction_->operation == Operation::end;
  return true;
}

bool Records::keepsItsKey(int node) {
  const NodeRecord& memory = own(node);
  if (memory.releases == 0 || !memory.at_store || memory.lease == 0) return false;
  return std::none_of(memory.asking.begin(), memory.asking.end(), erases);
}

void Records::onSent(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  if (!memory.running) return;
  sent_watch_ = sent_watch_ || holds_alternative<Watch>(*seen.content);
  sent_reply_ = sent_reply_ || holds_alternative<StoreReply>(*seen.content);
  sent_revoke_ = sent_revoke_ || holds_alternative<LeaseRevoke>(*seen.content);
  const auto take = [&](std::deque<Unanswered>& list, auto is_it) {
    const auto at = std::find_if(list.begin(), list.end(), is_it);
    if (at == list.end()) return;
    answers_ = std::move(*at);
    list.erase(at);
  };
  const auto takeFirst = [&](auto is_it) {
    auto& list = memory.waiting[seen.to];
    if (!list.empty() && is_it(list.front().request)) take(list, [](const auto&) { return true; });
  };
  const auto renewed = [&](std::int64_t lease) {
    const auto at = memory.measured.find(lease);
    if (at != memory.measured.end()) measured_before_ = at->second;
    for (const Lease& one : memory.contents.leases) {
      if (one.id == lease && memory.leads) measure(seen.node, lease, one.ttl_ms);
    }
  };
  const bool to_store = seen.link == store_link && !isStore(seen.node);
  if (to_store) {
    sent_as_due_ = memory.at_store && seen.to == storeFor(seen.node) && isDue(seen.node, *seen.content);
  }
  visit(Overloaded{
            [&](const TxnReply&) {
              takeFirst([](const Message& one) { return holds_alternative<TxnRequest>(one); });
            },
            [&](const LeaseGranted&) {
              takeFirst([](const Message& one) { return holds_alternative<LeaseGrant>(one); });
            },
            [&](const KeptAlive& kept) {
              take(memory.renewals[seen.to], [&](const Unanswered& one) {
                const auto* keep = get_if<KeepAlive>(&one.request);
                return keep != nullptr && keep->lease == kept.lease;
              });
              if (kept.found) renewed(kept.lease);
              owed_renewals_.erase(seen.to);
              forgetRenewals(seen.node, seen.to);
            },
            [&](const Renewed& one) {
              take(memory.renewals[seen.to], [&](const Unanswered& asked) {
                const auto* renew = get_if<Renew>(&asked.request);
                return renew != nullptr && renew->lease == one.lease && renew->number == one.number;
              });
              if (one.found) renewed(one.lease);
              std::erase_if(memory.limited, [&](const auto& limit) {
                return limit.second.by == seen.to && limit.second.lease == one.lease;
              });
              owed_renewals_.erase(seen.to);
            },
            [&](const Renew& renew) { onForwarded(seen.node, seen.to, renew); },
            [&](const Changes& told) {
              auto& list = memory.watches[seen.to];
              const auto at = std::find_if(list.begin(), list.end(), [&](const Watching& one) {
                return !one.owed.empty() && one.owed == told.changes;
              });
              owed_ = at != list.end();
              if (!owed_) return;
              at->owed.clear();
              if (at->over) list.erase(at);
            },
            [&](const TxnRequest& request) {
              if (config(seen.node).kind == NodeKind::candidate) {
                memory.asking.push_back(request.txn);
              } else {
                memory.looks = {seen.to, memory.read ? memory.read->number : 0};
              }
            },
            [&](const Store& write) {
              const auto at = memory.tasks.find({write.client, write.number});
              if (at == memory.tasks.end()) return;
              ends_ = at->second;
              at->second.sent = true;
            },
            [&](const Ask& ask) {
              sent_as_due_ = memory.named == seen.to && memory.at_leader && !memory.asks && memory.request &&
                             ask == Ask{memory.request->number, memory.request->operation};
              memory.asks = true;
            },
            [&](const Answer& answer) {
              const auto at = memory.tasks.find({seen.to, answer.number});
              if (at == memory.tasks.end()) return;
              ends_ = at->second;
              memory.tasks.erase(at);
            },
            [](const auto&) {},
        },
        *seen.content);
  if (holds_alternative<KeepAlive>(*seen.content) || holds_alternative<LeaseGrant>(*seen.content)) {
    memory.renewing = true;
    memory.asked_at = memory.may_renew = sinceNow(seen.node);
  }
}

// ---- what is reported

void Records::onEvent(int node, const Event& event) {
  NodeRecord& memory = own(node);
  if (!memory.running) return;
  visit(Overloaded{
            [&](const Applied& applied) { onApplied(node, applied); },
            [&](const leader_followers::RoleChanged& role) {
              const bool leads = role.to == leader_followers::Role::LEADING;
              if (leads == memory.leads) return;
              memory.leads = leads;
              memory.measured.clear();
              memory.generation = role.generation;
              memory.commits = false;
              if (leads) measureAll(node);
            },
            [&](const GivenUp& given) {
              memory.waiting.erase(given.client);
              memory.renewals.erase(given.client);
              memory.watches.erase(given.client);
              owed_renewals_.erase(given.client);
              forgetRenewals(node, given.client);
            },
            [&](const KeyChanged&) { ++reported_; },
            [&](const Elected& elected) {
              memory.token = elected.token;
              memory.watched.reset();
            },
            [&](const SteppedDown& stepped) {
              if (stepped.why == StepDownWhy::resigned) memory.releases = memory.token;
              memory.token = 0;
              stopped_ = stepped.why;
            },
            [&](const LeaseLost&) {
              release(memory);
              const bool trusts = cluster_.rules.waiter == Waiter::trusts_the_wait;
              memory.renewing = false;
              if (cluster_.rules.procedure == Procedure::queue && trusts && memory.watched) return;
              memory.lease = 0;
              if (cluster_.rules.procedure == Procedure::queue) memory.watched.reset();
            },
            [&](const Follows& follows) {
              const auto* reply = input<TxnReply>();
              if (reply == nullptr) return;
              for (const KeyValue& one : reply->found) {
                if (one.create_revision == follows.revision && one.value == follows.holder)
                  memory.watched = one.key;
              }
              memory.seen = reply->revision;
            },
            [&](const Notified&) { memory.watched.reset(); },
            [&](const MemberChanged& member) {
              member.there ? (void)memory.members.insert(member.member)
                           : (void)memory.members.erase(member.member);
            },
            [&](const Answered& answered) {
              if (answered.outcome == Outcome::refused && answered.operation == Operation::write)
                shared().refused.insert({id(node), answered.number});
              auto& place = answered.operation == Operation::read ? memory.read : memory.request;
              if (!place || place->number != answered.number) return;
              ended_ = std::exchange(place, std::nullopt);
              if (answered.operation != Operation::read) memory.asks = false;
            },
            [](const auto&) {},
        },
        event);
}

}  // namespace zablab::external_store
