#include "checker/external_store/ledger.h"

#include <algorithm>

namespace zablab::external_store {

void Ledger::on(const Happened<Family>& seen) {
  changes_.clear();
  executed_before_.reset();
  led_before_.reset();
  store_elects_ = false;
  switch (seen.kind) {
    case Kind::started:
      own(seen.node).token = own(seen.node).before = seen.disk->resource.newest;
      [[fallthrough]];
    case Kind::stopped:
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
    case Kind::delivered: by_ = id(seen.from); return;
    case Kind::timer: by_ = no_server; return;
    case Kind::written:
      if (const auto* one = std::get_if<Apply>(seen.record)) onCommand(one->command);
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

void Ledger::onCommand(const Command& command) {
  StoreState& store = shared().store;
  const std::vector<KeyValue> before = store.keys;
  changes_ = external_store::apply(store, command).changes;
  store.history.clear();
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
  if (const auto* elected = std::get_if<Elected>(&event)) {
    shared().believers[id(node)] = {elected->token};
  } else if (std::holds_alternative<SteppedDown>(event)) {
    shared().believers.erase(id(node));
  } else if (const auto* applied = std::get_if<leader_followers::BasicApplied<StoreLog>>(&event)) {
    onApplied(*applied);
  } else if (const auto* role = std::get_if<leader_followers::RoleChanged>(&event)) {
    if (role->to != leader_followers::Role::LEADING) return;
    store_elects_ = true;
    const ServerId first = shared().leaders.emplace(role->generation, id(node)).first->second;
    if (first != id(node)) led_before_ = first;
  } else if (const auto* write = std::get_if<WriteDecided>(&event)) {
    if (!write->accepted) return;
    own(node).before = own(node).token;
    own(node).token = write->token;
  }
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
  onCommand(applied.entry.payload.value.command);
}

void Ledger::noteFirst() {
  std::int64_t first = 0;
  for (const KeyValue& one : shared_.store.keys) {
    if (one.key.prefix != Prefix::member && (first == 0 || one.create_revision < first))
      first = one.create_revision;
  }
  if (first != 0) shared_.first.insert(first);
}

}  // namespace zablab::external_store
