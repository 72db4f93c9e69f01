#include "sim/zookeeper/binding.h"

#include <algorithm>

#include "protocol/overloaded.h"
#include "sim/zab/binding_impl.h"

namespace zablab {

namespace {

using B = Binding<zookeeper::Family>;
using zookeeper::Instruction, zookeeper::Op, zookeeper::OpCode, zookeeper::Request;
namespace asks = zookeeper::asks;

zookeeper::WatcherType typeOf(asks::WatcherType name) {
  using zookeeper::WatcherType;
  switch (name) {
    case asks::WatcherType::Children: return WatcherType::children;
    case asks::WatcherType::Data: return WatcherType::data;
    case asks::WatcherType::Persistent: return WatcherType::persistent;
    case asks::WatcherType::PersistentRecursive: return WatcherType::recursive;
    case asks::WatcherType::Any: break;
  }
  return WatcherType::any;
}
asks::WatcherType nameOf(zookeeper::WatcherType type) {
  switch (type) {
    case zookeeper::WatcherType::children: return asks::WatcherType::Children;
    case zookeeper::WatcherType::data: return asks::WatcherType::Data;
    case zookeeper::WatcherType::persistent: return asks::WatcherType::Persistent;
    case zookeeper::WatcherType::recursive: return asks::WatcherType::PersistentRecursive;
    case zookeeper::WatcherType::any: break;
  }
  return asks::WatcherType::Any;
}

Op onPath(OpCode code, std::string path, bool watch = false) {
  return {{.code = code, .path = std::move(path)}, watch};
}

Op opOf(const zookeeper::Asks& ask) {
  return visit(
      Overloaded{
          [](const asks::CloseSession&) { return onPath(OpCode::closeSession, ""); },
          [](const asks::Create& a) {
            Op op = onPath(asks::has(a.flags, asks::CreateFlag::CONTAINER) ? OpCode::createContainer
                           : asks::has(a.flags, asks::CreateFlag::TTL)     ? OpCode::createTTL
                                                                           : OpCode::create,
                           a.path);
            op.data = a.data;
            op.flags = asks::modeOf(a.flags);
            op.acl = a.acl;
            op.ttl = a.ttl;
            return op;
          },
          [](const asks::Delete& a) {
            Op op = onPath(OpCode::remove, a.path);
            op.version = a.version;
            return op;
          },
          [](const asks::SetData& a) {
            Op op = onPath(OpCode::setData, a.path);
            op.data = a.data;
            op.version = a.version;
            return op;
          },
          [](const asks::SetAcl& a) {
            Op op = onPath(OpCode::setACL, a.path);
            op.acl = a.acl;
            op.version = a.version;
            return op;
          },
          [](const asks::Check& a) {
            Op op = onPath(OpCode::check, a.path);
            op.version = a.version;
            return op;
          },
          [](const asks::Multi& a) {
            Op op = onPath(OpCode::multi, "");
            op.ops = a.ops;
            return op;
          },
          [](const asks::Exists& a) { return onPath(OpCode::exists, a.path, a.watch); },
          [](const asks::GetData& a) { return onPath(OpCode::getData, a.path, a.watch); },
          [](const asks::GetChildren& a) { return onPath(OpCode::getChildren2, a.path, a.watch); },
          [](const asks::GetAllChildrenNumber& a) { return onPath(OpCode::getAllChildrenNumber, a.path); },
          [](const asks::GetEphemerals& a) { return onPath(OpCode::getEphemerals, a.path); },
          [](const asks::GetAcl& a) { return onPath(OpCode::getACL, a.path); },
          [](const asks::MultiRead& a) {
            Op op = onPath(OpCode::multiRead, "");
            op.ops = a.ops;
            return op;
          },
          [](const asks::Sync& a) { return onPath(OpCode::sync, a.path); },
          [](const asks::AddWatch& a) {
            Op op = onPath(OpCode::addWatch, a.path);
            op.kind = a.mode == asks::AddWatchMode::PERSISTENT ? 0 : 1;
            return op;
          },
          [](const asks::RemoveWatches& a) {
            Op op = onPath(OpCode::removeWatches, a.path);
            op.kind = static_cast<std::int32_t>(typeOf(a.watcher_type));
            return op;
          },
          [](const asks::WhoAmI&) { return onPath(OpCode::whoAmI, ""); },
          [](const asks::Auth& a) {
            Op op = onPath(OpCode::auth, "");
            op.credentials = {a.scheme, a.credentials};
            return op;
          },
          [](const auto&) { return Op{}; },
      },
      ask);
}

/// What the number of its settings is called in a scenario.
std::int32_t& limitOf(asks::Run& run) {
  switch (run.recipe) {
    case recipes::Recipe::double_barrier:
    case recipes::Recipe::two_phase_commit: return run.members;
    case recipes::Recipe::configuration: return run.parts;
    default: return run.leases;
  }
}

asks::Run ran(const recipes::Settings& settings) {
  asks::Run run{settings.recipe, settings.path, settings.prefix, settings.shared};
  run.coordinator = settings.coordinator;
  limitOf(run) = settings.limit;
  if (settings.resource != no_server) run.resource = settings.resource;
  return run;
}

/// Fields of a server's configuration.
struct ServerConfig : zab::Config {
  Millis container_check_ms = zookeeper::NodeConfig{}.container_check_ms;
};
BOOST_DESCRIBE_STRUCT(ServerConfig, (zab::Config), (container_check_ms))

void checkConfig(const JsonValue& place, const ServerConfig& config) {
  zab::checkConfig(place, config);
  const Within within(place);
  within("container_check_ms", config.container_check_ms, 1, Within::day_ms);
}

std::string nameOfKind(zookeeper::V::TimerKind wanted) {
  std::string found;
  forEachTimerKind<zookeeper::V::TimerKind>([&](std::string_view name, zookeeper::V::TimerKind kind) {
    if (kind == wanted) found = name;
  });
  return found;
}

}  // namespace

std::string B::timerName(zookeeper::V::TimerKind kind) { return nameOfKind(kind); }

std::string B::timerKeyName(const zookeeper::V::TimerKey& key) {
  if (key.peer) return std::to_string(*key.peer);
  return "session " + std::to_string(key.own.value_or(zookeeper::no_session));
}

Request B::request(const Asks& ask, AskContext context) {
  Request request{.number = context.number};
  if (const auto* connect = get_if<asks::Connect>(&ask)) {
    request.instruction = Instruction::connect;
    request.server = connect->server;
    request.servers = connect->servers;
    request.timeout = connect->timeout;
    request.session = connect->session;
    request.last_seen = connect->last_seen;
    request.password = connect->password;
    request.renews = connect->renews;
    request.read_only = connect->read_only;
  } else if (const auto* run = get_if<asks::Run>(&ask)) {
    request.instruction = Instruction::run;
    asks::Run settings = *run;
    request.program = {run->recipe,     run->path,         run->prefix,
                       run->reader,     limitOf(settings), run->resource.value_or(no_server),
                       run->coordinator};
  } else if (const auto* told = get_if<asks::Do>(&ask)) {
    request.instruction = Instruction::act;
    request.act = told->act;
    request.data = told->data;
  } else if (holds_alternative<asks::Disconnect>(ask)) {
    request.instruction = Instruction::disconnect;
  } else {
    request.instruction = Instruction::operate;
    request.op = opOf(ask);
  }
  return request;
}

B::Asks B::asking(const Request& request) {
  switch (request.instruction) {
    case Instruction::connect:
      return asks::Connect{request.server,    request.servers,  request.timeout, request.session,
                           request.last_seen, request.password, request.renews,  request.read_only};
    case Instruction::disconnect: return asks::Disconnect{};
    case Instruction::run: return ran(*request.program);
    case Instruction::act: return asks::Do{request.act, request.data};
    case Instruction::operate: break;
  }
  const Op& op = request.op;
  switch (op.code) {
    case OpCode::create:
    case OpCode::create2:
    case OpCode::createContainer:
    case OpCode::createTTL: return asks::Create{op.path, op.data, asks::flagsOf(op.flags), op.acl, op.ttl};
    case OpCode::remove: return asks::Delete{op.path, op.version};
    case OpCode::setData: return asks::SetData{op.path, op.data, op.version};
    case OpCode::setACL: return asks::SetAcl{op.path, op.acl, op.version};
    case OpCode::check: return asks::Check{op.path, op.version};
    case OpCode::multi: return asks::Multi{op.ops};
    case OpCode::closeSession: return asks::CloseSession{};
    case OpCode::exists: return asks::Exists{op.path, op.watch};
    case OpCode::getData: return asks::GetData{op.path, op.watch};
    case OpCode::getChildren:
    case OpCode::getChildren2: return asks::GetChildren{op.path, op.watch};
    case OpCode::getAllChildrenNumber: return asks::GetAllChildrenNumber{op.path};
    case OpCode::getEphemerals: return asks::GetEphemerals{op.path};
    case OpCode::getACL: return asks::GetAcl{op.path};
    case OpCode::multiRead: return asks::MultiRead{op.ops};
    case OpCode::addWatch:
      return asks::AddWatch{
          op.path, op.kind == 1 ? asks::AddWatchMode::PERSISTENT_RECURSIVE : asks::AddWatchMode::PERSISTENT};
    case OpCode::checkWatches:
    case OpCode::removeWatches: return asks::RemoveWatches{op.path, nameOf(zookeeper::WatcherType{op.kind})};
    case OpCode::whoAmI: return asks::WhoAmI{};
    case OpCode::auth: return asks::Auth{op.credentials.id, op.credentials.scheme};
    case OpCode::sync: return asks::Sync{op.path};
    // What clients and servers ask by themselves.
    case OpCode::deleteContainer:
    case OpCode::undecodable:
    case OpCode::createSession:
    case OpCode::setWatches:
    case OpCode::ping: break;
  }
  return asks::Disconnect{};
}

std::optional<ServerId> B::turnsTo(const Asks& ask) {
  const auto* connect = get_if<asks::Connect>(&ask);
  return connect == nullptr ? std::nullopt : std::optional(connect->server);
}

Json B::header() {
  using namespace zookeeper;
  std::vector<std::string> names;
  for (const std::string_view name :
       {ConnectRequest::name, ConnectResponse::name, zookeeper::ClientRequest::name, zookeeper::Reply::name,
        zookeeper::Forwarded::name, zookeeper::SyncDone::name, Revalidate::name, Revalidated::name,
        Touched::name, AskReadOnly::name, ReadOnlyAnswer::name, UseResource::name, ResourceUsed::name})
    names.emplace_back(name);
  std::vector<std::vector<std::string>> groups = zab::messageGroups<ZooKeeper>(names);
  const std::vector<std::string> milestones = zab::milestones<ZooKeeper>(
      {"asked", "answered", "watched", "client_state", "session_expired", "session_moved", "session_upgraded",
       "read_only", "belief", "gave_up", "served", "item_taken", "transaction_decided", "configured"});
  groups.push_back({std::string(WatchEvent::name)});  // a notification has arrows of its own
  Json elections{{{"kind", "role"}, {"to", "LEADING"}}};
  forEachEnumerator<recipes::Recipe>([&](std::string_view name, recipes::Recipe recipe) {
    if (recipes::isElection(recipe))
      elections.push_back({{"kind", "belief"}, {"recipe", name}, {"holds", true}});
  });
  return {{"roles",
           {{"LOOKING", "seeking"},
            {"FOLLOWING", "following"},
            {"LEADING", "leading"},
            {"OBSERVING", "observing"}}},
          {"elections", std::move(elections)},
          {"phases", {{"discovery", "syncing"}, {"synchronization", "syncing"}}},
          {"timers", zab::timerForms()},
          {"label", "(round, candidate, its last zxid)"},
          {"message_groups", groups},
          {"heartbeats", Json::array({std::string(zab::Ping::name), std::string(Touched::name)})},
          {"folded_in_stories",
           zab::foldedInStories<ZooKeeper>({std::string(ConnectRequest::name), std::string(Revalidate::name),
                                            std::string(Touched::name)})},
          {"milestones", milestones},
          // A request that is under way when credentials are refused may have been carried out.
          {"calls",
           {{"where", {{"instruction", "operate"}}},
            {"name", "op"},
            {"asked_number", "number"},
            {"answered_number", "number"},
            {"outcome", "result.error"},
            {"done", "OK"},
            {"unknown", {"CONNECTIONLOSS", "AUTHFAILED"}},
            {"result", "result"}}},
          {"state_rows", Json::array({std::string(zab::Established::name)})},
          {"state_picture", "log"},
          {"state_numbers", {{"label", "epoch"}, {"fields", {"disk.current_epoch", "disk.accepted_epoch"}}}},
          {"trees",
           {{{"field", "service.nodes"},
             {"name", {{"en", "Tree"}, {"zh", "节点树"}}},
             {"hidden", {"/zookeeper"}},
             {"shows", {"data", "version", "owner"}},
             {"watches", {{"node", "watches.data"}, {"list", "watches.child"}}},
             {"owner", "owner"},
             {"identity", "client.session"}}}},
          {"facts",
           {{{"field", "epoch"}, {"name", {{"en", "epoch"}, {"zh", "纪元"}}}},
            {{"field", "logicalclock"}, {"name", {{"en", "round"}, {"zh", "轮次"}}}},
            {{"field", "leader"}, {"node", true}, {"name", {{"en", "leader"}, {"zh", "领导者"}}}},
            {{"field", "last_processed"}, {"name", {{"en", "last applied"}, {"zh", "最后应用"}}}},
            {{"field", "client.state"}, {"name", {{"en", "state"}, {"zh", "状态"}}}},
            {{"field", "client.session"}, {"name", {{"en", "session"}, {"zh", "会话"}}}},
            {{"field", "client.server"}, {"node", true}, {"name", {{"en", "server"}, {"zh", "服务器"}}}}}}};
}

std::vector<std::string> B::narrate(const Trace& trace) {
  return zab::tellElections(trace, &zookeeper::tellUnanswered);
}

Json B::logPicture(const zookeeper::Node& node, const zookeeper::Durable& disk) {
  if (node.client) return nullptr;
  return zab::logPicture<zookeeper::Family>(node, disk);
}

std::vector<Opened> B::arrange(const Cluster<zookeeper::Family>& cluster,
                               std::vector<std::optional<zookeeper::Node>>& placed) {
  return zab::arrange(cluster, placed);
}

void B::checkState(const JsonValue& place, ServerId id, zookeeper::Node& node) {
  if (node.client)
    throw place.keyError("client", "a server is not a client", "clients are listed under `clients`");
  zab::checkState<zookeeper::Family>(place, id, node);
}

std::vector<zookeeper::NodeConfig> B::configs(const Scenario& scenario, const JsonValue& document,
                                              const std::vector<ServerSpec>& servers) {
  std::vector<zookeeper::NodeConfig> configs;
  for (ServerConfig& config : zab::configs<ServerConfig>(scenario, document, servers)) {
    const Millis interval = config.container_check_ms;
    configs.push_back({std::move(config), servers[configs.size()].client, false, interval});
  }
  return configs;
}

}  // namespace zablab
