#include "checker/external_store/ledger.h"

#include <algorithm>

#include "checker/external_store/contents.h"

namespace zablab::external_store {

std::int64_t firstToken(const StoreState& store) {
  std::int64_t first = 0;
  for (const KeyValue& one : store.keys) {
    if (one.key.prefix != Prefix::member && (first == 0 || one.create_revision < first))
      first = one.create_revision;
  }
  return first;
}

void Ledger::on(const Happened<Family>& seen) {
  changes_.clear();
  forgetEvent();
  switch (seen.kind) {
    case Kind::started:
      own(seen.node).token = own(seen.node).before = seen.disk->resource.newest;
      [[fallthrough]];
    case Kind::stopped:
      own(seen.node).leads = false;
      shared().believers.erase(id(seen.node));
      return;
    case Kind::taken_up:
      if (seen.disk != nullptr) begin(seen.node, *seen.disk);
      return;
    case Kind::paused:
    case Kind::resumed: {
      if (!shared().believers.contains(id(seen.node))) return;
      Believer& one = shared().believers.at(id(seen.node));
      one.paused = seen.kind == Kind::paused;
      one.was_paused = true;
      return;
    }
    case Kind::delivered:
      by_ = id(seen.from);
      if (const auto* kept = get_if<KeptAlive>(seen.content); kept != nullptr && isReplicated()) {
        if (!kept->found || seen.late) return;
        renewed_ = kept->lease;
        Renewals& of = shared().renewals[kept->lease];
        of.since_answered = of.since_sent;
      }
      return;
    case Kind::sent:
      if (isReplicated()) onSent(seen.node, *seen.content);
      return;
    case Kind::asked:
      if (seen.request->operation == Operation::read)
        shared().readings.insert({id(seen.node), {seen.request->number, {firstToken(shared_.store)}}});
      return;
    case Kind::timer: by_ = no_server; return;
    case Kind::written:
      if (const auto* one = get_if<Apply>(seen.record)) onCommand(one->command);
      return;
    case Kind::event: return onEvent(seen.node, *seen.event);
    default: return;
  }
}

void Ledger::begin(int node, const Durable& disk) {
  own(node).token = own(node).before = disk.resource.newest;
  const Config& config = cluster_.configs.front();
  if (config.isReplicated() || id(node) != config.stores.front()) return;
  shared().store = disk.store;
  shared_.store.history.clear();
  noteFirst();
}

void Ledger::begin(int node, const Node& state) {
  const auto happens = [&](const Event& event) { onEvent(node, event); };
  if (state.candidate && state.candidate->role == Role::LEADING)
    happens(Elected{state.candidate->token, ElectedWhy::placed});
  if (!state.replica) return;
  const auto& server = state.replica->server;
  for (leader_followers::Index index = 1; index <= server.commit_index; ++index)
    happens(leader_followers::BasicApplied<StoreLog>{index, server.log[static_cast<std::size_t>(index - 1)]});
  happens(leader_followers::RoleChanged{.to = server.role, .generation = server.generation});
}

void Ledger::onSent(int node, const Message& message) {
  if (const auto* keep = get_if<KeepAlive>(&message)) {
    const auto& stores = cluster_.configs.front().stores;
    shared().renewals[keep->lease].since_sent = {stores.begin(), stores.end()};
  } else if (const auto* kept = get_if<KeptAlive>(&message)) {
    if (kept->found && own(node).leads) measures(id(node), kept->lease);
  } else if (const auto* renewed = get_if<Renewed>(&message)) {
    if (renewed->found) measures(id(node), renewed->lease);
  }
}

void Ledger::measures(ServerId server, std::int64_t lease) {
  Renewals& of = shared().renewals[lease];
  of.since_sent.erase(server);
  of.since_answered.erase(server);
}

void Ledger::onCommand(const Command& command) {
  StoreState& store = shared().store;
  const std::vector<KeyValue> before = store.keys;
  changes_ = carryOut(store, command).changes;
  replaced_.reset();
  for (const Change& change : changes_) {
    if (change.kind != ChangeKind::put || change.what.key.prefix == Prefix::member) continue;
    const auto at = std::find_if(before.begin(), before.end(),
                                 [&](const KeyValue& one) { return one.key == change.what.key; });
    if (at != before.end() && at->lease != change.what.lease) replaced_ = *at;
  }
  noteFirst();
}

void Ledger::onEvent(int node, const Event& event) {
  if (const auto* elected = get_if<Elected>(&event)) {
    shared().believers[id(node)] = {elected->token};
  } else if (holds_alternative<SteppedDown>(event)) {
    shared().believers.erase(id(node));
  } else if (const auto* applied = get_if<leader_followers::BasicApplied<StoreLog>>(&event)) {
    onApplied(*applied);
  } else if (const auto* role = get_if<leader_followers::RoleChanged>(&event)) {
    own(node).leads = role->to == leader_followers::Role::LEADING;
    if (!own(node).leads) return;
    for (const Lease& lease : shared().store.leases) measures(id(node), lease.id);
    store_elects_ = true;
    const ServerId first = shared().leaders.emplace(role->generation, id(node)).first->second;
    if (first != id(node)) led_before_ = first;
  } else if (const auto* write = get_if<WriteDecided>(&event)) {
    if (!write->accepted) return;
    own(node).before = own(node).token;
    own(node).token = write->token;
  } else if (const auto* answered = get_if<Answered>(&event)) {
    if (answered->operation == Operation::read) onAnswered(node, *answered);
  }
}

/// Of a client that is asked while it is busy, the request before goes on.
void Ledger::onAnswered(int node, const Answered& answered) {
  auto& readings = shared().readings;
  const auto at = readings.find(id(node));
  if (at == readings.end() || at->second.number != answered.number) return;
  if (answered.outcome == Outcome::ok) read_ = std::move(at->second);
  readings.erase(at);
}

/// The first server that executes an entry decides what the store's content is.
void Ledger::onApplied(const leader_followers::BasicApplied<StoreLog>& applied) {
  auto& executed = shared().executed;
  const auto place = static_cast<std::size_t>(applied.index - 1);
  if (place < executed.size()) {
    executed_before_ = executed[place];
    return;
  }
  executed.push_back(applied.entry);
  if (applied.entry.payload.number == 0) return;
  by_ = applied.entry.payload.value.by;
  if (const auto* end = get_if<EndLease>(&applied.entry.payload.value.command)) {
    const ServerId measured_by = applied.entry.payload.client;
    if (end->expired)
      ended_ = {end->lease, measured_by, !shared().renewals[end->lease].since_answered.contains(measured_by)};
    shared().renewals.erase(end->lease);
  }
  onCommand(applied.entry.payload.value.command);
}

void Ledger::noteFirst() {
  const std::int64_t first = firstToken(shared_.store);
  if (first != 0) shared_.first.insert(first);
  for (auto& [client, reading] : shared_.readings) reading.current.insert(first);
}

}  // namespace zablab::external_store
