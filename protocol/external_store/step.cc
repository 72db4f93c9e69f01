#include <algorithm>

#include "protocol/external_store/context.h"
#include "protocol/overloaded.h"

namespace zablab::external_store {
namespace {

using Log = leader_followers::BasicFamily<StoreLog>;

/// The candidates of a replicated store begin with different servers, and so do its clients.
std::int64_t firstTurn(const Config& config, ServerId self) {
  const auto count = static_cast<std::int64_t>(config.stores.size());
  if (config.kind == NodeKind::client) return self % count;
  const auto at = std::find(config.candidates.begin(), config.candidates.end(), self);
  return (at - config.candidates.begin()) % count;
}

}  // namespace

ServerId storeOf(const Context& ctx) {
  return ctx.config.storeAt(ctx.node.candidate ? ctx.node.candidate->turn : ctx.node.client->turn);
}

Operate whoLeads(const Rules& rules) {
  if (rules.procedure == Procedure::queue) return {Does::range, {Prefix::queue}};
  return {Does::get, {Prefix::leader}};
}

std::optional<KeyValue> leaderAmong(const std::vector<KeyValue>& keys) {
  const auto first = std::min_element(
      keys.begin(), keys.end(),
      [](const KeyValue& one, const KeyValue& other) { return one.create_revision < other.create_revision; });
  if (first == keys.end()) return std::nullopt;
  return *first;
}

void Family::step(const Config& config, const Rules& rules, Node& node, const Input& input, Effects& out) {
  const Context ctx{config, rules, node, out};
  if (const auto* start = get_if<V::Start>(&input)) node = loaded(config, rules, node.self, start->disk);
  switch (config.kind) {
    case NodeKind::candidate: return stepCandidate(ctx, input);
    case NodeKind::store: return config.isReplicated() ? stepReplica(ctx, input) : stepStore(ctx, input);
    case NodeKind::resource: return stepResource(ctx, input);
    case NodeKind::client: return stepClient(ctx, input);
  }
}

Node Family::loaded(const Config& config, const Rules& rules, ServerId self, const Durable& disk) {
  Node node = blank(self);
  switch (config.kind) {
    case NodeKind::candidate: node.candidate.emplace().turn = firstTurn(config, self); break;
    case NodeKind::store:
      node.store.emplace().state = disk.store;
      if (!config.isReplicated()) break;
      node.replica.emplace().server = Log::loadedServer(self, disk.log);
      node.replica->starts = disk.starts;
      break;
    case NodeKind::resource:
      node.resource.emplace();
      if (rules.resource_starts == ResourceStarts::from_its_disk) node.resource = disk.resource;
      break;
    case NodeKind::client: node.client.emplace().turn = firstTurn(config, self); break;
  }
  return node;
}

void Family::write(Durable& disk, const Record& record) {
  visit(Overloaded{[&](const Apply& one) { external_store::apply(disk.store, one.command); },
                   [&](const Accept& one) {
                     disk.resource = {one.newest, one.client, one.number};
                   },
                   [&](const CountStart& one) { disk.starts = one.starts; },
                   [&](const auto& one) { Log::write(disk.log, one); }},
        record);
}

bool Family::accepts(const Node& node, Link link) {
  switch (link) {
    case store_link: return node.store.has_value();
    case resource_link: return node.resource.has_value();
    case peer_link: return node.replica.has_value();
    default: return node.candidate.has_value();
  }
}

}  // namespace zablab::external_store
