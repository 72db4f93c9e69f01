#include "sim/zookeeper/words.h"

#include <functional>
#include <nlohmann/json.hpp>

#include "sim/zab/codec_impl.h"
#include "sim/zab/words_impl.h"

namespace zablab {

template struct JsonCodec<zookeeper::Txn>;
template struct JsonCodec<zab::BasicSnapshot<zookeeper::ZooKeeper>>;

}  // namespace zablab

namespace zablab::zab {

template Phrase label<zookeeper::ZooKeeper>(const Names&, const zookeeper::Message&);
template std::vector<std::vector<std::string>> messageGroups<zookeeper::ZooKeeper>(std::vector<std::string>);
template std::vector<std::string> foldedInStories<zookeeper::ZooKeeper>(std::vector<std::string>);
template std::vector<std::string> milestones<zookeeper::ZooKeeper>(std::vector<std::string>);
template Json data<zookeeper::ZooKeeper>(const Names&, const zookeeper::Event&);
template Phrase tell<zookeeper::ZooKeeper>(const Names&, ServerId, const zookeeper::Event&);

}  // namespace zablab::zab

namespace zablab::zookeeper {
namespace {

constexpr std::size_t shown_bytes = 24;

std::string quoted(const std::optional<std::string>& data) {
  if (!data) return "null";
  if (data->size() <= shown_bytes) return "\"" + *data + "\"";
  return std::to_string(data->size()) + " bytes";
}

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

Phrase recipeWords(recipes::Recipe recipe) {
  switch (recipe) {
    case recipes::Recipe::unfair_election: return phrase("the unfair election");
    case recipes::Recipe::parent_watch_election: return phrase("the parent watch election");
    case recipes::Recipe::predecessor_watch_election: return phrase("the predecessor watch election");
    case recipes::Recipe::leader_latch: return phrase("the leader latch");
    case recipes::Recipe::lock: return phrase("the lock");
    case recipes::Recipe::shared_lock: return phrase("the shared lock");
    case recipes::Recipe::semaphore: return phrase("the semaphore");
    case recipes::Recipe::double_barrier: return phrase("the double barrier");
    case recipes::Recipe::barrier: return phrase("the barrier");
    case recipes::Recipe::queue: return phrase("the queue");
    case recipes::Recipe::protected_queue: return phrase("the protected queue");
    case recipes::Recipe::two_phase_commit: return phrase("the two phase commit");
    case recipes::Recipe::configuration: return phrase("the configuration");
    case recipes::Recipe::membership: return phrase("the membership");
    case recipes::Recipe::discovery: return phrase("the discovery");
    case recipes::Recipe::naming: return phrase("the naming");
    case recipes::Recipe::resource: break;
  }
  return {};
}

Phrase told(const std::string& client, recipes::Act act) {
  switch (act) {
    case recipes::Act::leave: return phrase("{client} is instructed to leave", client);
    case recipes::Act::join: return phrase("{client} is instructed to join", client);
    case recipes::Act::close: return phrase("{client} is instructed to close", client);
    case recipes::Act::report: return phrase("{client} is instructed to report", client);
    case recipes::Act::acquire: return phrase("{client} is instructed to acquire", client);
    case recipes::Act::release: return phrase("{client} is instructed to release", client);
    case recipes::Act::use: return phrase("{client} is instructed to use", client);
    case recipes::Act::enter: return phrase("{client} is instructed to enter", client);
    case recipes::Act::put: return phrase("{client} is instructed to put", client);
    case recipes::Act::take: return phrase("{client} is instructed to take", client);
    case recipes::Act::commit: return phrase("{client} is instructed to commit", client);
    case recipes::Act::abort: return phrase("{client} is instructed to abort", client);
    case recipes::Act::push: return phrase("{client} is instructed to push", client);
    case recipes::Act::name: return phrase("{client} is instructed to name", client);
  }
  return {};
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
    return "[" + listOf(result.results, resultWords).english() + "]";
  }
  if (result.error == Error::OK && result.code == OpCode::getAllChildrenNumber)
    return std::to_string(result.number);
  return resultWords(result);
}

std::string words(const NodeEvent& event) { return std::string(enumName(event.type)) + " " + event.path; }

Phrase tell(const Names& name, ServerId self, const Request& request) {
  const std::string client = name(self);
  switch (request.instruction) {
    case Instruction::connect: return phrase("{client} connects to {server}", client, name(request.server));
    case Instruction::disconnect: return phrase("{client} closes its connection", client);
    case Instruction::operate: return phrase("{client} requests {task}", client, words(request.op));
    case Instruction::run:
      return request.program->recipe == recipes::Recipe::resource
                 ? phrase("{client} runs the resource", client)
                 : phrase("{client} runs {recipe} on {path}", client, recipeWords(request.program->recipe),
                          request.program->path);
    case Instruction::act: return told(client, request.act);
  }
  return {};
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

Phrase Words::label(const Names&, const ConnectRequest& m) {
  return m.session == no_session ? phrase("connect") : phrase("connect, session {session}", m.session);
}
Phrase Words::label(const Names&, const ConnectResponse& m) {
  if (m.session == no_session) return phrase("the session is over");
  return m.read_only ? phrase("connected read-only, session {session}", m.session)
                     : phrase("connected, session {session}", m.session);
}
Phrase Words::label(const Names&, const ClientRequest& m) { return words(m.op); }
Phrase Words::label(const Names&, const Reply& m) { return words(m.result) + ", " + text(m.zxid); }
Phrase Words::label(const Names&, const WatchEvent& m) { return words(m.event); }
Phrase Words::label(const Names&, const Forwarded& m) { return "REQUEST " + words(m.op); }
Phrase Words::label(const Names&, const SyncDone&) { return std::string("SYNC"); }
Phrase Words::label(const Names&, const Revalidate& m) {
  return phrase("REVALIDATE session {session}", m.session);
}
Phrase Words::label(const Names&, const Revalidated& m) {
  return m.alive ? phrase("session {session} is alive", m.session)
                 : phrase("session {session} is over", m.session);
}
Phrase Words::label(const Names&, const Touched& m) {
  return m.sessions.size() == 1 ? phrase("{count} session alive", 1)
                                : phrase("{count} sessions alive", m.sessions.size());
}
Phrase Words::label(const Names&, const AskReadOnly&) { return std::string("isro"); }
Phrase Words::label(const Names&, const ReadOnlyAnswer& m) { return std::string(m.read_only ? "ro" : "rw"); }

Phrase Words::label(const Names&, const UseResource& m) { return phrase("use, {number}", m.token); }
Phrase Words::label(const Names&, const ResourceUsed& m) {
  return m.accepted ? phrase("served") : phrase("refused");
}

Phrase Words::tell(const Names& name, ServerId self, const ClientStateChanged& e) {
  const std::string client = name(self);
  switch (e.reason) {
    case StateReason::asked:
      return e.to == ClientState::CLOSED ? phrase("{client} has closed its session", client)
                                         : phrase("{client} is connecting", client);
    case StateReason::accepted: {
      const Phrase server = nameOf(name, e.server.value_or(no_server));
      return e.to == ClientState::CONNECTEDREADONLY
                 ? phrase("{client} is connected to {server}, session {session}, read-only", client, server,
                          e.session)
                 : phrase("{client} is connected to {server}, session {session}", client, server, e.session);
    }
    case StateReason::connection_lost: return phrase("{client} has lost its connection", client);
    case StateReason::silence:
      return phrase("{client} hears nothing from its server and gives it up", client);
    case StateReason::expired:
      return e.server ? phrase("{client} learns that its session is over", client)
                      : phrase("{client} has heard nothing for so long that it takes its session to be over",
                               client);
    case StateReason::auth_failed: return phrase("{client} could not prove who it is", client);
    case StateReason::writable_found:
      return phrase("{client} leaves its read-only server: another one takes writes, too", client);
  }
  return {};
}
Phrase Words::tell(const Names& name, ServerId self, const Answered& e) {
  if (e.result.error == Error::CONNECTIONLOSS)
    return phrase("{client} does not know whether {task} was carried out", name(self), words(e.op));
  return phrase("{client}: {task} -> {outcome}", name(self), words(e.op), words(e.result));
}
Phrase Words::tell(const Names& name, ServerId self, const Watched& e) {
  return phrase("{client} is notified: {change}", name(self), words(e.event));
}
Phrase Words::tell(const Names& name, ServerId self, const ClientRefused& e) {
  const auto refuses = [&](const Phrase& reason) {
    return phrase("{server} refuses {client}: {reason}", name(self), name(e.client), reason);
  };
  switch (e.reason) {
    case RefusedBecause::not_serving: return refuses(phrase("it does not serve"));
    case RefusedBecause::has_seen_more:
      return phrase("{server} refuses {client}, which has seen {seen}: it has only {here}", name(self),
                    name(e.client), text(e.seen), text(e.here));
    case RefusedBecause::too_large: return refuses(phrase("its request is too large"));
    case RefusedBecause::wants_writes:
      return refuses(phrase("it is read-only, which the client does not allow"));
    case RefusedBecause::global_session:
      return refuses(phrase("it is read-only, and the session belongs to the ensemble"));
    case RefusedBecause::no_local_sessions:
      return refuses(phrase("it is read-only, and a new session needs a leader"));
  }
  return {};
}
Phrase Words::tell(const Names& name, ServerId self, const SessionChecked& e) {
  const std::string server = name(self), client = name(e.client);
  if (e.local)
    return e.alive
               ? phrase("{server} accepts local session {session} of {client}", server, e.session, client)
               : phrase("{server} refuses local session {session} of {client}", server, e.session, client);
  return e.alive ? phrase("{server} accepts session {session} of {client}", server, e.session, client)
                 : phrase("{server} refuses session {session} of {client}", server, e.session, client);
}
Phrase Words::tell(const Names& name, ServerId self, const SessionExpired& e) {
  return phrase("{server} has heard nothing of session {session} for its timeout and closes it", name(self),
                e.session);
}
Phrase Words::tell(const Names& name, ServerId self, const SessionMoved& e) {
  return phrase("{server} refuses a request of session {session} from {asked}: it has moved to {owner}",
                name(self), e.session, name(e.asked), name(e.owner));
}
Phrase Words::tell(const Names&, ServerId, const WatchesFired&) { return {}; }
Phrase Words::tell(const Names& name, ServerId self, const SessionUpgraded& e) {
  return phrase("{server} has session {session} created for the whole ensemble", name(self), e.session);
}
Phrase Words::tell(const Names& name, ServerId self, const ReadOnlyChanged& e) {
  return e.serves ? phrase("{server} has found no leader and answers reads", name(self))
                  : phrase("{server} ends answering reads", name(self));
}
Phrase Words::tell(const Names& name, ServerId self, const Requested& e) {
  return phrase("{client} requests {task}", name(self), words(e.op));
}
Phrase Words::tell(const Names&, ServerId, const recipes::RecipeBegan&) { return {}; }
Phrase Words::tell(const Names& name, ServerId self, const recipes::BeliefChanged& e) {
  using enum recipes::BeliefReason;
  const std::string client = name(self);
  const bool leads = recipes::isElection(e.recipe);
  const auto no_more = [&](const Phrase& reason) {
    return leads ? phrase("{client} leads no more: {reason}", client, reason)
                 : phrase("{client} holds {path} no more: {reason}", client, e.path, reason);
  };
  switch (e.reason) {
    case created:
      return leads ? phrase("{client} has created {place} and leads", client, e.place)
                   : phrase("{client} has created {place} and holds {path}", client, e.place, e.path);
    case owner:
      return leads ? phrase("{client} finds that {place} is its own, and leads", client, e.place)
                   : phrase("{client} finds that {place} is its own, and holds {path}", client, e.place,
                            e.path);
    case first:
      return leads ? phrase("{client} has its turn with {place} and leads", client, e.place)
                   : phrase("{client} has its turn with {place} and holds {path}", client, e.place, e.path);
    case notified:
      return leads ? phrase("{client} is notified and leads without looking", client)
                   : phrase("{client} is notified and holds {path} without looking", client, e.path);
    case empty_list:
      return leads ? phrase("{client} reads an empty list and leads", client)
                   : phrase("{client} reads an empty list and holds {path}", client, e.path);
    case disconnected:
      return leads ? phrase("{client} does not know whether it still leads", client)
                   : phrase("{client} does not know whether it still holds {path}", client, e.path);
    case session_over: return no_more(phrase("its session is over"));
    case left: return no_more(phrase("it leaves"));
    case closed: return no_more(phrase("it closes its session"));
    case lost_place: return no_more(phrase("its node is gone"));
    case not_first: return no_more(phrase("it is not its turn"));
  }
  return {};
}
Phrase Words::tell(const Names& name, ServerId self, const recipes::PlaceChanged& e) {
  return e.place.empty() ? phrase("{client} has no place in the line", name(self))
                         : phrase("{client} has the place {place}", name(self), e.place);
}
Phrase Words::tell(const Names& name, ServerId self, const recipes::Reported& e) {
  return e.holds ? phrase("{client} says that it leads", name(self))
                 : phrase("{client} says that it does not lead", name(self));
}
Phrase Words::tell(const Names& name, ServerId self, const recipes::DepthChanged& e) {
  return e.depth == 1 ? phrase("{client} has acquired it {number} time", name(self), e.depth)
                      : phrase("{client} has acquired it {number} times", name(self), e.depth);
}
Phrase Words::tell(const Names& name, ServerId self, const recipes::NotHeld&) {
  return phrase("{client} does not hold it", name(self));
}
Phrase Words::tell(const Names& name, ServerId self, const recipes::BarrierPassed& e) {
  return e.inside ? phrase("{client} enters the barrier {path}", name(self), e.path)
                  : phrase("{client} leaves the barrier {path}", name(self), e.path);
}
Phrase Words::tell(const Names& name, ServerId self, const recipes::ItemPut& e) {
  return e.item.empty() ? phrase("{client} does not know whether its item is in {path}", name(self), e.path)
                        : phrase("{client} has put {item}", name(self), e.item);
}
Phrase Words::tell(const Names& name, ServerId self, const recipes::ItemTaken& e) {
  return phrase("{client} has taken {item}", name(self), e.item);
}
Phrase Words::tell(const Names& name, ServerId self, const recipes::SiteVoted& e) {
  return e.commit ? phrase("{client} votes to commit {path}", name(self), e.path)
                  : phrase("{client} votes to abort {path}", name(self), e.path);
}
Phrase Words::tell(const Names& name, ServerId self, const recipes::TransactionDecided& e) {
  return e.commit ? phrase("{client} knows that {path} is committed", name(self), e.path)
                  : phrase("{client} knows that {path} is aborted", name(self), e.path);
}
Phrase Words::tell(const Names& name, ServerId self, const recipes::Configured& e) {
  const auto in_quotes = [](const std::string& value) { return "\"" + value + "\""; };
  return phrase("{client} works with {path} = {values}", name(self), e.path,
                listOf(e.values, in_quotes).english());
}
Phrase Words::tell(const Names& name, ServerId self, const recipes::ContainerChanged& e) {
  return e.runs ? phrase("{client} starts its container", name(self))
                : phrase("{client} closes its container", name(self));
}
Phrase Words::tell(const Names& name, ServerId self, const recipes::MembersSeen& e) {
  if (e.members.empty()) return phrase("{client} knows the members of {path}: []", name(self), e.path);
  return phrase("{client} knows the members of {path}: [{members}]", name(self), e.path,
                listOf(e.members, std::identity()).english());
}
Phrase Words::tell(const Names& name, ServerId self, const recipes::ProviderChosen& e) {
  return e.provider.empty()
             ? phrase("{client} finds nobody in {path}", name(self), e.path)
             : phrase("{client} turns to {provider} of {path}", name(self), e.provider, e.path);
}
Phrase Words::tell(const Names& name, ServerId self, const recipes::NameGiven& e) {
  return phrase("{client} is given the name {path}", name(self), e.given);
}
Phrase Words::tell(const Names& name, ServerId self, const Served& e) {
  return e.accepted ? phrase("{server} serves {client} with the number {number}", name(self), name(e.client),
                             e.token)
                    : phrase("{server} refuses {client} with the number {number}", name(self), name(e.client),
                             e.token);
}
Phrase Words::tell(const Names& name, ServerId self, const Used& e) {
  const std::string client = name(self);
  if (!e.accepted) return phrase("{client} does not know whether it was served", client);
  return *e.accepted ? phrase("{client} was served", client)
                     : phrase("{client} was refused: it is late", client);
}
Phrase Words::tell(const Names& name, ServerId self, const recipes::GaveUp& e) {
  const auto because = [&](const Phrase& reason) {
    return phrase("{client} gives up: {reason}", name(self), reason);
  };
  switch (e.reason) {
    case recipes::GaveUpBecause::create_lost:
      return because(phrase("what became of its request is not known"));
    case recipes::GaveUpBecause::base_exists: return because(phrase("another has created the parent node"));
    case recipes::GaveUpBecause::no_parent: return because(phrase("the parent node cannot be created"));
    case recipes::GaveUpBecause::no_connection: return because(phrase("it could not connect in time"));
    case recipes::GaveUpBecause::invalid_path: return because(phrase("its node's name is not a path"));
  }
  return {};
}

}  // namespace zablab::zab
