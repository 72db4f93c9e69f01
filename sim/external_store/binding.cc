#include "sim/external_store/binding.h"

#include <algorithm>

#include "sim/asks.h"
#include "sim/calls.h"
#include "sim/json_reflect.h"
#include "sim/sentences.h"

namespace zablab {

namespace {

using F = external_store::Family;
using B = Binding<F>;
using external_store::NodeKind;

}  // namespace

F::Request B::request(const Asks& asks, AskContext context) {
  if (holds_alternative<external_store::asks::Resign>(asks))
    return {external_store::Operation::resign, context.number};
  if (const auto* read = get_if<external_store::asks::Read>(&asks))
    return {external_store::Operation::read, context.number, read->store.value_or(no_server)};
  return {external_store::Operation::write,
          get<external_store::asks::Write>(asks).number.value_or(context.number)};
}

B::Asks B::asking(const F::Request& request) {
  if (request.operation == external_store::Operation::resign) return external_store::asks::Resign{};
  if (request.operation == external_store::Operation::read) {
    return external_store::asks::Read{request.store == no_server ? std::nullopt
                                                                 : std::optional(request.store)};
  }
  return external_store::asks::Write{request.number};
}

Json B::header() {
  return {{"roles", {{"LEADING", "leading"}, {"FOLLOWING", "following"}, {"LOOKING", "seeking"}}},
          {"turns",
           {{{"event", {{"kind", "contends"}}}, {"role", "LOOKING"}},
            {{"event", {{"kind", "elected"}}}, {"role", "LEADING"}},
            {{"event", {{"kind", "follows"}}}, {"role", "FOLLOWING"}},
            {{"event", {{"kind", "stepped_down"}}}, {"role", "LOOKING"}},
            {{"event", {{"kind", "lease_lost"}}}, {"role", "LOOKING"}}}},
          {"attempts", {{{"kind", "looking"}}}},
          {"timers",
           {{"lease", {"ttl_ms"}},
            {"lease_check", {"1 to lease_check_ms"}},
            {"keepalive", {"ttl_ms / 3", "ttl_ms"}},
            {"deadline", {"1 to ttl_ms - margin_ms"}},
            {"again", {"ttl_ms"}},
            {"store_dial", {"redial_ms"}},
            {"election", {"election_timeout_min_ms to election_timeout_max_ms"}},
            {"heartbeat", {"heartbeat_ms"}}}},
          {"elections", {{{"kind", "elected"}}, {{"kind", "quorum"}, {"pre", false}}}},
          {"phases", Json::object()},
          {"label", "what it says (revision)"},
          {"message_groups", messageGroups()},
          {"heartbeats", {"KEEPALIVE", "KEPT_ALIVE"}},
          {"folded_in_stories",
           {"LEASE_GRANT", "LEASE_GRANTED", "LEASE_REVOKE", "RENEW", "RENEWED", "VOTE_REQUEST",
            "VOTE_RESPONSE", "APPEND_RESPONSE", "FORWARDED_REPLY"}},
          {"milestones",
           {"key", "contends", "elected", "follows", "notified", "stepped_down", "lease_lost", "member",
            "write", "asked", "answered", "looking", "quorum", "truncated", "given_up"}},
          {"calls", callsOf("number", {{"write", {{"f", "write"}, {"takes", {"number"}}}}})},
          {"state_rows", {"elected", "stepped_down", "key", "quorum"}},
          {"state_picture", "keys"},
          {"facts",
           {{{"field", "candidate.token"}, {"name", {{"en", "token"}, {"zh", "令牌"}}}},
            {{"field", "candidate.holder"}, {"node", true}, {"name", {{"en", "leader"}, {"zh", "领导者"}}}},
            {{"field", "candidate.lease"}, {"name", {{"en", "lease"}, {"zh", "租约"}}}},
            {{"field", "resource.newest"}, {"name", {{"en", "greatest token"}, {"zh", "最大令牌"}}}},
            {{"field", "replica.server.generation"}, {"name", {{"en", "generation"}, {"zh", "世代"}}}},
            {{"field", "replica.server.commit_index"},
             {"name", {{"en", "committed up to"}, {"zh", "已提交至"}}}}}}};
}

std::vector<std::string> B::narrate(const Trace& trace) {
  std::vector<std::string> lines;
  for (const TraceEvent& event : trace.events) {
    const bool tells = event.kind == "elected" || event.kind == "stepped_down" || event.kind == "notified" ||
                       event.kind == "quorum";
    if (tells && !event.text.empty())
      lines.push_back("at " + std::to_string(event.time) + " ms " + event.text);
  }
  return lines;
}

Json B::logPicture(const F::Node& node, const F::Durable& disk) {
  Json cells = Json::array();
  if (node.store) {
    for (const external_store::KeyValue& one : node.store->state.keys) {
      if (one.key.prefix == external_store::Prefix::member) continue;
      const auto& keys = disk.store.keys;
      const bool durable = std::find(keys.begin(), keys.end(), one) != keys.end();
      const char* mark = node.replica ? "committed" : durable ? "durable" : "proposed";
      cells.push_back({{"text", std::to_string(one.value) + " (" + std::to_string(one.create_revision) + ")"},
                       {"mark", mark}});
    }
  } else if (node.resource && node.resource->newest > 0) {
    cells.push_back({{"text", std::to_string(node.resource->number)}, {"mark", "durable"}});
  }
  if (cells.empty()) return nullptr;
  return cellsPicture(node.store ? phrase("keys") : phrase("write"), std::move(cells));
}

namespace {

/// A server of a replicated store that leads knows what the others have in common with it.
void arrangeLog(const external_store::Config& config, std::vector<std::optional<F::Node>>& placed,
                external_store::Replica& replica) {
  auto& server = replica.server;
  if (server.role != leader_followers::Role::LEADING) return;
  server.leader = server.self;
  const auto last = leader_followers::lastIndex(server.log);
  for (const ServerId id : config.stores) {
    const auto other = std::find_if(placed.begin(), placed.end(),
                                    [id](const auto& node) { return node && node->self == id; });
    auto& progress = server.followers[id];
    progress.next = last + 1;
    if (other == placed.end() || (*other)->replica->server.log != server.log) continue;
    progress.match = last;
    if (id != server.self) progress.told = (*other)->replica->server.commit_index;
  }
}

}  // namespace

std::vector<Opened> B::arrange(const Cluster<F>& cluster, std::vector<std::optional<F::Node>>& placed) {
  std::vector<Opened> opened;
  for (int i = 0; i < cluster.serverCount(); ++i) {
    auto& node = placed[static_cast<std::size_t>(i)];
    if (!node || !node->replica) continue;
    arrangeLog(cluster.configs[static_cast<std::size_t>(i)], placed, *node->replica);
    for (int j = i + 1; j < cluster.serverCount(); ++j) {
      const auto& other = placed[static_cast<std::size_t>(j)];
      if (other && other->replica) opened.push_back({external_store::peer_link, i, j});
    }
  }
  for (int i = 0; i < cluster.serverCount(); ++i) {
    auto& node = placed[static_cast<std::size_t>(i)];
    if (!node || !node->candidate) continue;
    const external_store::Config& config = cluster.configs[static_cast<std::size_t>(i)];
    const int store = cluster.indexOf(config.storeAt(node->candidate->turn));
    const int resource = cluster.indexOf(config.resource);
    auto& store_node = placed[static_cast<std::size_t>(store)];
    external_store::Candidate& candidate = *node->candidate;
    candidate.connected = store_node.has_value();
    if (candidate.connected) {
      opened.push_back({external_store::store_link, i, store});
      if (candidate.watched)
        store_node->store->watches[node->self] = {{*candidate.watched, false, candidate.seen + 1}};
    }
    candidate.at_resource = placed[static_cast<std::size_t>(resource)].has_value();
    if (candidate.at_resource) opened.push_back({external_store::resource_link, i, resource});
  }
  return opened;
}

void B::checkState(const JsonValue& place, ServerId id, const F::Node& node) {
  if (node.self != id) throw place.keyError("self", "`self` is the server's own id, " + std::to_string(id));
  if (node.client) throw place.error("a server is no client", "clients are listed under `clients`");
  if (node.candidate.has_value() + node.store.has_value() + node.resource.has_value() != 1)
    throw place.error("a server is a candidate, a store or a resource");
  if (node.replica) {
    const auto& server = node.replica->server;
    if (server.self != id) throw place.keyError("replica", "`self` of `server` is the server's own id");
    if (server.commit_index < 0 || server.commit_index > leader_followers::lastIndex(server.log))
      throw place.keyError("replica", "`commit_index` is from 0 to the log's length");
    if (!node.replica->pending.empty())
      throw place.keyError("replica", "a server that already runs works on no request");
    if (!(node.store->state == external_store::StoreState{}))
      throw place.keyError("store", "the content of a replicated store follows from its log");
  }
  if (!node.candidate) return;
  if (!node.candidate->asking.empty() || node.candidate->renewing)
    throw place.error("a server that already runs waits for no answer of the store");
  if (node.candidate->role == external_store::Role::LEADING && node.candidate->token == 0)
    throw place.error("`token` is missing: a leader has one");
}

void B::checkConfig(const JsonValue& place, const F::Config& config) {
  const Within within(place);
  forEachField(config, [&](std::string_view key, const auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Millis>) {
      if (key.ends_with("_ms")) within(key, value, key == "margin_ms" ? 0 : 1, Within::day_ms);
    }
  });
  if (config.ttl_ms < 3) throw place.error("`ttl_ms` is at least 3: a lease is renewed three times as often");
  if (config.margin_ms >= config.ttl_ms) throw place.error("`margin_ms` must be less than `ttl_ms`");
  if (config.election_timeout_max_ms < config.election_timeout_min_ms)
    throw place.error("`election_timeout_max_ms` must not be less than `election_timeout_min_ms`");
}

namespace {

/// A read names a server of the store.
void checkReads(const Scenario& scenario, const std::vector<ServerId>& stores) {
  for (const StepSpec& step : scenario.steps) {
    const auto* ask = get_if<step::Ask>(&step.does);
    if (ask == nullptr) continue;
    for (const JsonValue& member : ask->what) {
      if (member.key() != external_store::asks::Read::name || member.kind() != JsonValue::Kind::integer)
        continue;
      if (std::find(stores.begin(), stores.end(), member.asInt64()) == stores.end())
        throw member.errorAtKey("there is no server " + std::to_string(member.asInt64()) + " of the store");
    }
  }
}

}  // namespace

std::vector<F::Config> B::configs(const Scenario& scenario, const JsonValue& document,
                                  const std::vector<ServerSpec>& servers) {
  F::Config common;
  std::vector<NodeKind> kinds;
  for (const ServerSpec& server : servers) {
    const NodeKind kind =
        server.client ? NodeKind::client
                      : fieldsOf<external_store::ServerFields>(server).kind.value_or(NodeKind::candidate);
    kinds.push_back(kind);
    const auto only = [&](ServerId& one) {
      if (one != no_server) throw document.error("there is more than one " + std::string(enumName(kind)));
      one = server.id;
    };
    switch (kind) {
      case NodeKind::candidate: common.candidates.push_back(server.id); break;
      case NodeKind::store: common.stores.push_back(server.id); break;
      case NodeKind::resource: only(common.resource); break;
      case NodeKind::client:
        if (!server.client) throw document.error("clients are listed under `clients`");
    }
  }
  std::sort(common.candidates.begin(), common.candidates.end());
  if (common.candidates.empty()) throw document.error("there is no candidate among the servers");
  std::sort(common.stores.begin(), common.stores.end());
  if (common.stores.empty())
    throw document.error("there is no store among the servers", R"(as in {"id": 11, "kind": "store"})");
  checkReads(scenario, common.stores);
  if (common.resource == no_server)
    throw document.error("there is no resource among the servers", R"(as in {"id": 12, "kind": "resource"})");
  return configsOf(
      scenario, servers, common, [&](F::Config& config, std::size_t i) { config.kind = kinds[i]; },
      &F::Config::kind, &F::Config::candidates, &F::Config::stores, &F::Config::resource);
}

}  // namespace zablab
