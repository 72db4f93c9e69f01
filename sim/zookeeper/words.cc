#include "sim/zookeeper/words.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/zab/codec_impl.h"
#include "sim/zab/words_impl.h"

namespace zablab {

template struct JsonCodec<zookeeper::Txn>;
template struct JsonCodec<zab::BasicSnapshot<zookeeper::ZooKeeper>>;

}  // namespace zablab

namespace zablab::zab {

template std::string label<zookeeper::ZooKeeper>(const Names&, const zookeeper::Message&);
template std::vector<std::vector<std::string>> messageGroups<zookeeper::ZooKeeper>(std::vector<std::string>);
template std::vector<std::string> foldedInStories<zookeeper::ZooKeeper>(std::vector<std::string>);
template std::vector<std::string> milestones<zookeeper::ZooKeeper>(std::vector<std::string>);
template Json data<zookeeper::ZooKeeper>(const Names&, const zookeeper::Event&);
template std::string tell<zookeeper::ZooKeeper>(const Names&, ServerId, const zookeeper::Event&);

}  // namespace zablab::zab

namespace zablab::zookeeper {
namespace {

constexpr std::size_t shown_bytes = 24;

std::string quoted(const std::optional<std::string>& data) {
  if (!data) return "null";
  if (data->size() <= shown_bytes) return "\"" + *data + "\"";
  return std::to_string(data->size()) + " bytes";
}

std::string sessionWords(SessionId session) { return "session " + std::to_string(session); }

std::string modeWords(const SubOp& op) {
  const auto mode = createMode(op.flags);
  if (!mode) return " with flags " + std::to_string(op.flags);
  std::string text = mode->kind == NodeKind::ephemeral   ? " EPHEMERAL"
                     : mode->kind == NodeKind::container ? " CONTAINER"
                     : mode->kind == NodeKind::ttl       ? " TTL"
                                                         : "";
  return text + (mode->sequential ? " SEQUENTIAL" : "");
}

template <class T>
std::string listed(const std::vector<T>& items) {
  constexpr std::size_t items_max = 4;
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i == items_max) return text + ", ...";
    std::string item;
    if constexpr (std::is_same_v<T, std::string>) {
      item = items[i];
    } else {
      item = words(items[i]);
    }
    text += (text.empty() ? "" : ", ") + item;
  }
  return text;
}

std::string resultWords(const SubResult& result) {
  if (result.error != Error::OK) return std::string(enumName(result.error));
  switch (result.code) {
    case OpCode::create:
    case OpCode::create2:
    case OpCode::createContainer:
    case OpCode::createTTL: return result.path.value_or("");
    case OpCode::getData: return quoted(result.data);
    case OpCode::getChildren:
    case OpCode::getChildren2:
    case OpCode::getEphemerals: return "[" + listed(result.children) + "]";
    case OpCode::exists:
    case OpCode::setData: return result.stat ? "version " + std::to_string(result.stat->version) : "OK";
    default: return "OK";
  }
}

std::string recipeWords(recipes::Recipe recipe) {
  std::string text = "the " + std::string(enumName(recipe));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

}  // namespace

std::string words(const SubOp& op) {
  std::string text(nameOf(op.code));
  if (!op.path.empty()) text += " " + op.path;
  const bool creates = op.code <= OpCode::createTTL;
  if ((creates && op.data && !op.data->empty()) || op.code == OpCode::setData) text += " " + quoted(op.data);
  if (creates) text += modeWords(op);
  if (op.version != -1) text += " if version " + std::to_string(op.version);
  return text;
}

std::string words(const Op& op) {
  std::string text = words(static_cast<const SubOp&>(op));
  if (op.code == OpCode::multi || op.code == OpCode::multiRead) text += " [" + listed(op.ops) + "]";
  if (op.code == OpCode::auth) text += " " + op.credentials.scheme;
  if (op.code == OpCode::addWatch) text += op.kind == 1 ? " recursive" : " persistent";
  if (op.watch) text += " and watch";
  return text;
}

std::string words(const Result& result) {
  if (result.error == Error::OK && (result.code == OpCode::multi || result.code == OpCode::multiRead)) {
    std::string text;
    for (const SubResult& part : result.results) text += (text.empty() ? "" : ", ") + resultWords(part);
    return "[" + text + "]";
  }
  if (result.error == Error::OK && result.code == OpCode::getAllChildrenNumber)
    return std::to_string(result.number);
  return resultWords(result);
}

std::string tell(const Names& name, ServerId self, const Request& request) {
  const std::string client = name(self);
  switch (request.instruction) {
    case Instruction::connect: return client + " connects to " + name(request.server);
    case Instruction::disconnect: return client + " closes its connection";
    case Instruction::operate: return client + " requests " + words(request.op);
    case Instruction::run:
      return client + " runs " + recipeWords(request.program->recipe) +
             (request.program->recipe == recipes::Recipe::resource ? "" : " on " + request.program->path);
    case Instruction::act: return client + " is instructed to " + std::string(enumName(request.act));
  }
  return "";
}

std::string tellUnanswered(const TraceEvent& event, const Called& called) {
  if (event.kind != Answered::name) return "";
  const Json& error = event.data.at("result").at("error");
  if (error != enumName(Error::CONNECTIONLOSS)) return "";
  return called(Json(*event.node)) + " does not know whether its request was carried out";
}

}  // namespace zablab::zookeeper

namespace zablab::zab {

using namespace zookeeper;
using Words = ServiceWords<ZooKeeper>;

Payload Words::plain(Zxid zxid) {
  return {.changes = {{.kind = ChangeKind::create,
                       .of = OpCode::create,
                       .path = "/" + std::to_string(zxid.counter()),
                       .acl = openAcl()}}};
}

std::string Words::label(const Names&, const ConnectRequest& m) {
  return m.session == no_session ? "connect" : "connect, " + sessionWords(m.session);
}
std::string Words::label(const Names&, const ConnectResponse& m) {
  if (m.session == no_session) return "the session is over";
  return (m.read_only ? "connected read-only, " : "connected, ") + sessionWords(m.session);
}
std::string Words::label(const Names&, const ClientRequest& m) { return words(m.op); }
std::string Words::label(const Names&, const Reply& m) { return words(m.result) + ", " + text(m.zxid); }
std::string Words::label(const Names&, const WatchEvent& m) {
  return std::string(enumName(m.event.type)) + " " + m.event.path;
}
std::string Words::label(const Names&, const Forwarded& m) { return "REQUEST " + words(m.op); }
std::string Words::label(const Names&, const SyncDone&) { return "SYNC"; }
std::string Words::label(const Names&, const Revalidate& m) {
  return "REVALIDATE " + sessionWords(m.session);
}
std::string Words::label(const Names&, const Revalidated& m) {
  return sessionWords(m.session) + (m.alive ? " is alive" : " is over");
}
std::string Words::label(const Names&, const Touched& m) {
  return std::to_string(m.sessions.size()) + (m.sessions.size() == 1 ? " session" : " sessions") + " alive";
}
std::string Words::label(const Names&, const AskReadOnly&) { return "isro"; }
std::string Words::label(const Names&, const ReadOnlyAnswer& m) { return m.read_only ? "ro" : "rw"; }

std::string Words::label(const Names&, const UseResource& m) { return "use, " + std::to_string(m.token); }
std::string Words::label(const Names&, const ResourceUsed& m) { return m.accepted ? "served" : "refused"; }

std::string Words::tell(const Names& name, ServerId self, const ClientStateChanged& e) {
  const std::string client = name(self);
  switch (e.reason) {
    case StateReason::asked:
      return e.to == ClientState::CLOSED ? client + " has closed its session" : client + " is connecting";
    case StateReason::accepted:
      return client + " is connected to " + name(e.server.value_or(no_server)) + ", " +
             sessionWords(e.session) + (e.to == ClientState::CONNECTEDREADONLY ? ", read-only" : "");
    case StateReason::connection_lost: return client + " has lost its connection";
    case StateReason::silence: return client + " hears nothing from its server and gives it up";
    case StateReason::expired:
      if (!e.server) return client + " has heard nothing for so long that it takes its session to be over";
      return client + " learns that its session is over";
    case StateReason::auth_failed: return client + " could not prove who it is";
    case StateReason::writable_found:
      return client + " leaves its read-only server: another one takes writes, too";
  }
  return "";
}
std::string Words::tell(const Names& name, ServerId self, const Answered& e) {
  const std::string client = name(self);
  if (e.result.error == Error::CONNECTIONLOSS)
    return client + " does not know whether " + words(e.op) + " was carried out";
  return client + ": " + words(e.op) + " -> " + words(e.result);
}
std::string Words::tell(const Names& name, ServerId self, const Watched& e) {
  return name(self) + " is notified: " + std::string(enumName(e.event.type)) + " " + e.event.path;
}
std::string Words::tell(const Names& name, ServerId self, const ClientRefused& e) {
  const std::string start = name(self) + " refuses " + name(e.client);
  switch (e.reason) {
    case RefusedBecause::not_serving: return start + ": it does not serve";
    case RefusedBecause::has_seen_more:
      return start + ", which has seen " + text(e.seen) + ": it has only " + text(e.here);
    case RefusedBecause::too_large: return start + ": its request is too large";
    case RefusedBecause::wants_writes: return start + ": it is read-only, which the client does not allow";
    case RefusedBecause::global_session:
      return start + ": it is read-only, and the session belongs to the ensemble";
    case RefusedBecause::no_local_sessions:
      return start + ": it is read-only, and a new session needs a leader";
  }
  return "";
}
std::string Words::tell(const Names& name, ServerId self, const SessionChecked& e) {
  return name(self) + (e.alive ? " accepts " : " refuses ") + (e.local ? "local " : "") +
         sessionWords(e.session) + " of " + name(e.client);
}
std::string Words::tell(const Names& name, ServerId self, const SessionExpired& e) {
  return name(self) + " has heard nothing of " + sessionWords(e.session) + " for its timeout and closes it";
}
std::string Words::tell(const Names& name, ServerId self, const SessionMoved& e) {
  return name(self) + " refuses a request of " + sessionWords(e.session) + " from " + name(e.asked) +
         ": it has moved to " + name(e.owner);
}
std::string Words::tell(const Names&, ServerId, const WatchesFired&) { return ""; }
std::string Words::tell(const Names& name, ServerId self, const SessionUpgraded& e) {
  return name(self) + " has " + sessionWords(e.session) + " created for the whole ensemble";
}
std::string Words::tell(const Names& name, ServerId self, const ReadOnlyChanged& e) {
  return name(self) + (e.serves ? " has found no leader and answers reads" : " ends answering reads");
}
std::string Words::tell(const Names& name, ServerId self, const Requested& e) {
  return name(self) + " requests " + words(e.op);
}
std::string Words::tell(const Names&, ServerId, const recipes::RecipeBegan&) { return ""; }
std::string Words::tell(const Names& name, ServerId self, const recipes::BeliefChanged& e) {
  using enum recipes::BeliefReason;
  const std::string client = name(self);
  const std::string has = recipes::isElection(e.recipe) ? "leads" : "holds " + e.path;
  const std::string has_no_more = client + " " + has + " no more: ";
  switch (e.reason) {
    case created: return client + " has created " + e.place + " and " + has;
    case owner: return client + " finds that " + e.place + " is its own, and " + has;
    case first: return client + " has its turn with " + e.place + " and " + has;
    case notified: return client + " is notified and " + has + " without looking";
    case empty_list: return client + " reads an empty list and " + has;
    case disconnected: return client + " does not know whether it still " + has;
    case session_over: return has_no_more + "its session is over";
    case left: return has_no_more + "it leaves";
    case closed: return has_no_more + "it closes its session";
    case lost_place: return has_no_more + "its node is gone";
    case not_first: return has_no_more + "it is not its turn";
  }
  return "";
}
std::string Words::tell(const Names& name, ServerId self, const recipes::PlaceChanged& e) {
  const std::string client = name(self);
  return e.place.empty() ? client + " has no place in the line" : client + " has the place " + e.place;
}
std::string Words::tell(const Names& name, ServerId self, const recipes::Reported& e) {
  return name(self) + (e.holds ? " says that it leads" : " says that it does not lead");
}
std::string Words::tell(const Names& name, ServerId self, const recipes::DepthChanged& e) {
  return name(self) + " has acquired it " + std::to_string(e.depth) + (e.depth == 1 ? " time" : " times");
}
std::string Words::tell(const Names& name, ServerId self, const recipes::NotHeld&) {
  return name(self) + " does not hold it";
}
std::string Words::tell(const Names& name, ServerId self, const recipes::BarrierPassed& e) {
  return name(self) + (e.inside ? " enters the barrier " : " leaves the barrier ") + e.path;
}
std::string Words::tell(const Names& name, ServerId self, const recipes::ItemPut& e) {
  if (e.item.empty()) return name(self) + " does not know whether its item is in " + e.path;
  return name(self) + " has put " + e.item;
}
std::string Words::tell(const Names& name, ServerId self, const recipes::ItemTaken& e) {
  return name(self) + " has taken " + e.item;
}
std::string Words::tell(const Names& name, ServerId self, const recipes::SiteVoted& e) {
  return name(self) + (e.commit ? " votes to commit " : " votes to abort ") + e.path;
}
std::string Words::tell(const Names& name, ServerId self, const recipes::TransactionDecided& e) {
  return name(self) + " knows that " + e.path + (e.commit ? " is committed" : " is aborted");
}
std::string Words::tell(const Names& name, ServerId self, const recipes::Configured& e) {
  std::string values;
  for (const std::string& value : e.values) values += (values.empty() ? "\"" : ", \"") + value + "\"";
  return name(self) + " works with " + e.path + " = " + values;
}
std::string Words::tell(const Names& name, ServerId self, const recipes::ContainerChanged& e) {
  return name(self) + (e.runs ? " starts its container" : " closes its container");
}
std::string Words::tell(const Names& name, ServerId self, const recipes::MembersSeen& e) {
  std::string members;
  for (const std::string& member : e.members) members += (members.empty() ? "" : ", ") + member;
  return name(self) + " knows the members of " + e.path + ": [" + members + "]";
}
std::string Words::tell(const Names& name, ServerId self, const recipes::ProviderChosen& e) {
  if (e.provider.empty()) return name(self) + " finds nobody in " + e.path;
  return name(self) + " turns to " + e.provider + " of " + e.path;
}
std::string Words::tell(const Names& name, ServerId self, const recipes::NameGiven& e) {
  return name(self) + " is given the name " + e.given;
}
std::string Words::tell(const Names& name, ServerId self, const Served& e) {
  const std::string number = " with the number " + std::to_string(e.token);
  return name(self) + (e.accepted ? " serves " : " refuses ") + name(e.client) + number;
}
std::string Words::tell(const Names& name, ServerId self, const Used& e) {
  const std::string client = name(self);
  if (!e.accepted) return client + " does not know whether it was served";
  return client + (*e.accepted ? " was served" : " was refused: it is late");
}
std::string Words::tell(const Names& name, ServerId self, const recipes::GaveUp& e) {
  const std::string client = name(self);
  switch (e.reason) {
    case recipes::GaveUpBecause::create_lost:
      return client + " gives up: what became of its request is not known";
    case recipes::GaveUpBecause::base_exists:
      return client + " gives up: another has created the parent node";
    case recipes::GaveUpBecause::no_parent: return client + " gives up: the parent node cannot be created";
    case recipes::GaveUpBecause::no_connection: return client + " gives up: it could not connect in time";
    case recipes::GaveUpBecause::invalid_path: return client + " gives up: its node's name is not a path";
  }
  return "";
}

}  // namespace zablab::zab
