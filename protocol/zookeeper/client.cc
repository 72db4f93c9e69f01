#include "protocol/zookeeper/client.h"

#include <algorithm>
#include <utility>

#include "protocol/overloaded.h"

namespace zablab::zookeeper {
namespace {

// Requests that the client makes by itself have the numbers of the wire.
constexpr std::int64_t ping_number = -2;
constexpr std::int64_t auth_number = -4;
constexpr std::int64_t set_watches_number = -8;
// Those of a recipe: one for each purpose, in as many groups as there may be writes of unknown outcome. A
// server that stands still keeps such a write while the client goes on with others.
constexpr std::int64_t first_program_number = -16;
constexpr std::int32_t write_groups = 64;

bool isOfProgram(std::int64_t number) { return number <= first_program_number; }
recipes::Purpose purposeOf(std::int64_t number) {
  return recipes::Purpose((first_program_number - number) % recipes::purposes);
}

/// ClientCnxn waits up to a second before it tries the next server, once it has had a connection, and a
/// second more when it has tried all (StaticHostProvider.next).
constexpr Millis reconnect_ms = 1000;
constexpr Millis tried_all_ms = 1000;

/// The time after which the client of a read-only server asks another one whether it writes: it doubles
/// (ClientCnxn.SendThread.pingRwServer).
constexpr Millis ask_after_ms_min = 100;
constexpr Millis ask_after_ms_max = 60'000;

struct Step {
  const NodeConfig& config;
  const Context& ctx;
  Client& client;

  void setState(ClientState state, StateReason reason) const { setState(state, reason, client.server); }
  void setState(ClientState state, StateReason reason, std::optional<ServerId> server) const {
    if (client.state == state) return;
    const ClientState from = std::exchange(client.state, state);
    ctx.emit(ClientStateChanged{from, state, reason, client.session, server});
  }

  void send(Message message) const {
    ctx.send(client_link, *client.server, std::move(message));
    pingLater();
  }

  void pingLater() const {
    if (!config.raw) ctx.setTimer(TimerKind::client_ping, client.timeout / 3, no_session);
  }

  void heard() const {
    if (config.raw) return;
    ctx.setTimer(TimerKind::server_limit, client.timeout * 2 / 3, no_session);
    limitSession();
  }

  /// From now on the session lasts as long as the client's own clock says, unless it hears from a server.
  void limitSession() const {
    if (config.raw || client.session == no_session || ctx.rules.own_expiry == OwnExpiry::never) return;
    client.overdue = false;
    ctx.setTimer(TimerKind::session_limit, client.timeout * 4 / 3, no_session);
  }
  void endLimit() const {
    if (config.raw || ctx.rules.own_expiry == OwnExpiry::never) return;
    client.overdue = false;
    ctx.cancelTimer(TimerKind::session_limit, no_session);
  }

  void stopTimers() const {
    if (config.raw) return;
    for (const TimerKind kind : {TimerKind::client_ping, TimerKind::server_limit, TimerKind::reconnect})
      ctx.cancelTimer(kind, no_session);
    endAsking();
  }

  /// Every request that was not answered ends; what became of it is not known.
  void failAll(Error error) const {
    for (Waiting& request : std::exchange(client.waiting, {})) {
      Result result;
      result.code = request.op.code;
      result.error = error;
      ctx.emit(Answered{client.session, request.number, std::move(request.op), {}, std::move(result)});
    }
  }

  void lose(StateReason reason) const {
    client.linked = false;
    stopTimers();
    if (isConnected(client.state)) setState(ClientState::CONNECTING, reason);
    failAll(Error::CONNECTIONLOSS);
    if (config.raw || client.state != ClientState::CONNECTING) return;
    const Millis least = serverAfter(*client.server) == client.accepted_by ? tried_all_ms : 0;
    const bool had_any = client.session != no_session || client.attempts > 0;
    ctx.setTimerWithin(TimerKind::reconnect, least, least + (had_any ? reconnect_ms : 0), no_session);
  }

  void end(StateReason reason, Error error) const { end(reason, error, client.server); }
  void end(StateReason reason, Error error, std::optional<ServerId> told_by) const {
    hangUp();
    stopTimers();
    endLimit();
    setState(reason == StateReason::auth_failed ? ClientState::AUTH_FAILED : ClientState::CLOSED, reason,
             told_by);
    failAll(error);
  }

  /// The session is over; by the client's own clock if no server says so.
  void expire(std::optional<ServerId> told_by) const {
    end(StateReason::expired, Error::SESSIONEXPIRED, told_by);
    client.session = no_session;
    if (client.renews) beginAgain();
  }

  void hangUp() const {
    if (client.server && client.state != ClientState::CLOSED) ctx.disconnect(client_link, *client.server);
    client.linked = false;
  }

  void dial(ServerId server) const {
    client.server = server;
    ctx.connect(client_link, server);
  }

  // ---- instructions

  void connect(const Request& request) const {
    const bool was_connected = isConnected(client.state);
    hangUp();
    stopTimers();
    failAll(Error::CONNECTIONLOSS);
    if (was_connected) setState(ClientState::CONNECTING, StateReason::asked);
    if (client.state == ClientState::CLOSED || client.state == ClientState::AUTH_FAILED) {
      const Zxid seen = config.raw ? client.last_seen : Zxid{};
      // Another handle, for a session of its own.
      client = {.attempts = client.attempts,
                .last_seen = seen,
                .program = std::move(client.program),
                .unknown_writes = client.unknown_writes,
                .used = client.used,
                .resource_linked = client.resource_linked,
                .uses = std::move(client.uses),
                .resource = client.resource};
    }
    client.asked_timeout = request.timeout;
    client.password = request.password;
    if (request.session) client.session = *request.session;
    if (request.last_seen) client.last_seen = *request.last_seen;
    client.servers = request.servers;
    client.renews = request.renews;
    client.read_only = request.read_only;
    setState(ClientState::CONNECTING, StateReason::asked);
    client.accepted_by = request.server;
    client.timeout = client.asked_timeout;
    endLimit();
    limitSession();
    dial(request.server);
  }

  void disconnect() const {
    hangUp();
    stopTimers();
    endLimit();
    if (isConnected(client.state)) setState(ClientState::CONNECTING, StateReason::asked);
    failAll(Error::CONNECTIONLOSS);
  }

  void operate(const Request& request) const {
    client.waiting.push_back({request.number, request.op});
    if (client.state == ClientState::CLOSED) return failAll(Error::SESSIONEXPIRED);
    if (client.state == ClientState::AUTH_FAILED) return failAll(Error::AUTHFAILED);
    if (request.op.code == OpCode::auth && !config.raw) client.credentials.push_back(request.op.credentials);
    if (isConnected(client.state)) ask(request.op, request.number);
  }

  void ask(Op op, std::int64_t number) const {
    if (ctx.rules.asked_version == AskedVersion::any) op.version = -1;
    send(ClientRequest{std::move(op), number});
  }

  // ---- what the server says

  void onConnected() const {
    client.linked = true;
    // Other servers do not know a session that began at a read-only one.
    if (client.provisional && !config.raw) client.session = no_session;
    SessionId proposed = no_session;
    if (client.session == no_session) {
      proposed = ctx.node.self + client.attempts * session_ids_apart;
      ++client.attempts;
    }
    ctx.send(client_link, *client.server,
             ConnectRequest{client.last_seen, client.asked_timeout, client.session, proposed, client.password,
                            client.read_only});
    client.timeout = client.asked_timeout;
    if (config.raw) return;
    ctx.setTimer(TimerKind::server_limit, client.timeout * 2 / 3, no_session);
    // The connection alone is a sign of life to ClientCnxnSocketNIO. It is none to applications that watch
    // over their sessions themselves (ConnectionState of Curator), which are those that begin others.
    if (!client.renews) limitSession();
  }

  void onConnectResponse(const ConnectResponse& response) const {
    if (response.session == no_session) {
      return expire(client.server);
    }
    client.session = response.session;
    client.accepted_by = *client.server;
    client.timeout = response.timeout;
    client.provisional = response.read_only;
    setState(response.read_only ? ClientState::CONNECTEDREADONLY : ClientState::CONNECTED,
             StateReason::accepted);
    heard();
    pingLater();
    if (!config.raw) {
      if (response.read_only) askLater(ask_after_ms_min);
      for (const Id& credentials : client.credentials)
        send(ClientRequest{{{.code = OpCode::auth}, false, 0, {}, {}, credentials}, auth_number});
      registerAgain();
    }
    for (const Waiting& request : client.waiting) ask(request.op, request.number);
  }

  /// Another handle of the same application.
  void beginAgain() const {
    client.last_seen = {};
    client.watches = {};
    client.absent.clear();
    setState(ClientState::CONNECTING, StateReason::asked);
    ctx.setTimerWithin(TimerKind::reconnect, 0, reconnect_ms, no_session);
  }

  /// SetWatches, with what was seen last: what happened in between is then reported.
  void registerAgain() const {
    if (ctx.rules.reregistration == Reregistration::never) return;
    WatchLists lists{.seen = client.last_seen};
    if (ctx.rules.reregistration == Reregistration::as_new) lists.seen = Zxid{INT64_MAX};
    for (const auto& [path, mode] : client.watches.data) {
      const WatchStats stats = mode.begin()->second;
      if (has(stats, WatchMode::once))
        (client.absent.contains(path) ? lists.exist : lists.data).push_back(path);
      if (has(stats, WatchMode::persistent)) lists.persistent.push_back(path);
      if (has(stats, WatchMode::recursive)) lists.recursive.push_back(path);
    }
    for (const auto& [path, mode] : client.watches.child) {
      if (has(mode.begin()->second, WatchMode::once)) lists.child.push_back(path);
    }
    const bool none = lists.data.empty() && lists.exist.empty() && lists.child.empty() &&
                      lists.persistent.empty() && lists.recursive.empty();
    if (none) return;
    Op op{{.code = OpCode::setWatches}};
    op.watches = std::move(lists);
    send(ClientRequest{std::move(op), set_watches_number});
  }

  /// Keeps, of a request that has set or removed a watch, what has to be registered again. A client has a
  /// list of each mode, whatever its server keeps (ZKWatchManager).
  void noteWatch(const Op& op, Error error) const {
    const bool found = error == Error::OK;
    const ServerId self = ctx.node.self;
    switch (op.code) {
      case OpCode::exists:
        if (!op.watch || (!found && error != Error::NONODE)) return;
        client.watches.addData(op.path, self, WatchMode::once);
        if (found) {
          client.absent.erase(op.path);
        } else {
          client.absent.insert(op.path);
        }
        return;
      case OpCode::getData:
        if (op.watch && found) client.watches.addData(op.path, self, WatchMode::once);
        return;
      case OpCode::getChildren:
      case OpCode::getChildren2:
        if (op.watch && found) client.watches.addChild(op.path, self, WatchMode::once);
        return;
      case OpCode::addWatch:
        if (found)
          client.watches.addBoth(op.path, self, op.kind == 1 ? WatchMode::recursive : WatchMode::persistent);
        return;
      case OpCode::removeWatches:
        if (found) client.watches.remove(op.path, WatcherType{op.kind}, self, ctx.rules.watch_removal);
        return;
      default: return;
    }
  }

  void onReply(const Reply& reply) const {
    heard();
    client.last_seen = std::max(client.last_seen, reply.zxid);
    const auto asked = std::find_if(client.waiting.begin(), client.waiting.end(),
                                    [&](const Waiting& request) { return request.number == reply.number; });
    if (asked == client.waiting.end()) return;
    Op op = std::move(asked->op);
    client.waiting.erase(asked);
    if (!config.raw) noteWatch(op, reply.result.error);
    const OpCode code = op.code;
    ctx.emit(Answered{client.session, reply.number, std::move(op), reply.zxid, reply.result});
    if (reply.result.error == Error::AUTHFAILED && ctx.rules.failed_auth == FailedAuth::ends_handle)
      end(StateReason::auth_failed, Error::AUTHFAILED);
    if (code == OpCode::closeSession && reply.result.error == Error::OK)
      end(StateReason::asked, Error::SESSIONEXPIRED);
  }

  void onWatchEvent(const WatchEvent& message) const {
    heard();
    client.watches.trigger(message.event);
    client.absent.erase(message.event.path);
    ctx.emit(Watched{client.session, message.event, message.zxid});
  }

  // ---- while the server is read-only, others are asked whether they write

  void askLater(Millis after) const {
    client.ask_after = after;
    ctx.setTimer(TimerKind::writable_server, after, no_session);
  }

  void endAsking() const {
    if (client.ask_after == 0) return;
    ctx.cancelTimer(TimerKind::writable_server, no_session);
    client.ask_after = 0;
    giveUpOther();
  }

  void giveUpOther() const {
    if (client.asked_other) ctx.disconnect(client_link, *client.asked_other);
    client.asked_other.reset();
    client.other_writes = false;
  }

  void askNextOther() const {
    const ServerId next = serverAfter(client.asked_other.value_or(*client.server));
    giveUpOther();
    askLater(std::min(2 * client.ask_after, ask_after_ms_max));
    if (next == *client.server) return;
    client.asked_other = next;
    ctx.connect(client_link, next);
  }

  /// The other server has closed the connection, as it does after its answer, or could not be reached.
  void onOtherGone() const {
    const ServerId other = *std::exchange(client.asked_other, std::nullopt);
    if (!std::exchange(client.other_writes, false)) return;
    hangUp();
    lose(StateReason::writable_found);
    ctx.cancelTimer(TimerKind::reconnect, no_session);
    dial(other);
  }

  // ---- timers

  void onTimer(TimerKind kind) const {
    switch (kind) {
      case TimerKind::client_ping:
        if (isConnected(client.state)) send(ClientRequest{{{.code = OpCode::ping}}, ping_number});
        return;
      case TimerKind::server_limit:
        if (client.state == ClientState::CLOSED) return;
        hangUp();
        return lose(StateReason::silence);
      case TimerKind::reconnect:
        if (client.overdue) return expire(std::nullopt);
        return dial(serverAfter(*client.server));
      case TimerKind::session_limit:
        client.overdue = client.state == ClientState::CONNECTING;  // seen before the next attempt
        return;
      case TimerKind::writable_server: return askNextOther();
      case TimerKind::program: return advance(recipes::TimerFired{});
      case TimerKind::session_expiry:
      case TimerKind::container_check:
      case TimerKind::node_ttl:
      case TimerKind::local_expiry:
      case TimerKind::read_only: return;  // a server's
    }
  }

  // ---- the recipe

  void run(const recipes::Settings& settings) const {
    if (settings.recipe == recipes::Recipe::resource) {
      client.resource.emplace();
      return;
    }
    client.used = settings.resource;
    client.program = recipes::programOf(settings);
    advance(recipes::Begin{client.state == ClientState::CONNECTED ? client.session : no_session});
  }

  void advance(const recipes::Input& input) const {
    if (!client.program) return;
    std::vector<recipes::Effect> effects;
    recipes::step({ctx.rules, ctx.node.self, effects}, *client.program, input);
    for (recipes::Effect& effect : effects) {
      visit(
          Overloaded{
              [&](recipes::Ask& ask) { request(ask); },
              [&](const recipes::SetTimer& timer) { ctx.setTimer(TimerKind::program, timer.ms, no_session); },
              [&](const recipes::CancelTimer&) { ctx.cancelTimer(TimerKind::program, no_session); },
              [&](const recipes::Use& one) { use(one); },
              [&](recipes::Event& event) { visit([&](auto& one) { ctx.emit(std::move(one)); }, event); },
          },
          effect);
    }
  }

  void request(recipes::Ask& ask) const {
    const std::int64_t number = first_program_number - static_cast<std::int64_t>(ask.purpose) -
                                client.unknown_writes * recipes::purposes;
    ctx.emit(Requested{number, ask.op});
    operate({.number = number, .op = std::move(ask.op)});
  }

  // ---- a resource

  /// It is asked as soon as there is a connection.
  void use(const recipes::Use& one) const {
    client.uses.push_back(one.token);
    if (client.resource_linked) return ctx.send(client_link, one.resource, UseResource{one.token});
    if (client.uses.size() == 1) ctx.connect(client_link, one.resource);
  }
  void onResourceConnected() const {
    client.resource_linked = true;
    for (const std::int64_t token : client.uses) ctx.send(client_link, client.used, UseResource{token});
  }
  void onResourceLost() const {
    client.resource_linked = false;
    for (const std::int64_t token : std::exchange(client.uses, {})) ctx.emit(Used{token, std::nullopt});
  }
  void onResourceUsed(const ResourceUsed& used) const {
    if (!client.uses.empty()) client.uses.erase(client.uses.begin());
    ctx.emit(Used{used.token, used.accepted});
  }
  /// At the resource itself.
  void serve(ServerId user, const UseResource& one) const {
    const bool accepted = client.resource->use(ctx.rules, one.token);
    ctx.emit(Served{user, one.token, accepted});
    ctx.send(client_link, user, ResourceUsed{one.token, accepted});
  }
  bool isResource(ServerId peer) const { return peer == client.used && peer != no_server; }

  /// Tells the recipe what the client has learned since this effect.
  void tellProgram(std::size_t from) const {
    for (std::size_t i = from; client.program && i < ctx.out.size(); ++i) {
      const auto* emitted = get_if<V::Emit>(&ctx.out[i]);
      if (emitted == nullptr) continue;
      if (const auto* answered = get_if<Answered>(&emitted->event)) {
        if (!isOfProgram(answered->number)) continue;
        if (answered->result.error == Error::CONNECTIONLOSS && isWrite(answered->op.code))
          client.unknown_writes = (client.unknown_writes + 1) % write_groups;
        advance(recipes::Answer{purposeOf(answered->number), answered->op, answered->result});
      } else if (const auto* watched = get_if<Watched>(&emitted->event)) {
        advance(recipes::Changed{watched->event});
      } else if (const auto* state = get_if<ClientStateChanged>(&emitted->event)) {
        if (state->to == ClientState::CONNECTED)
          advance(recipes::SessionChanged{recipes::SessionLink::connected, state->session});
        else if (state->from == ClientState::CONNECTED && state->to == ClientState::CONNECTING)
          advance(recipes::SessionChanged{recipes::SessionLink::lost});
        else if (state->to == ClientState::CLOSED || state->to == ClientState::AUTH_FAILED)
          advance(recipes::SessionChanged{recipes::SessionLink::over});
      }
    }
  }

  /// The next server of the client's list (StaticHostProvider).
  ServerId serverAfter(ServerId server) const {
    std::vector<ServerId> servers = client.servers;
    if (servers.empty()) {
      for (const zab::Member& member : config.members) servers.push_back(member.id);
    }
    const auto at = std::find(servers.begin(), servers.end(), server);
    if (servers.empty()) return server;
    return at == servers.end() || std::next(at) == servers.end() ? servers.front() : *std::next(at);
  }
};

}  // namespace

void stepClient(const NodeConfig& config, const Context& ctx, const Input& input) {
  if (holds_alternative<V::Start>(input)) {
    ctx.node.client.emplace();
    return;
  }
  if (!ctx.node.client) return;
  const Step step{config, ctx, *ctx.node.client};
  Client& client = *ctx.node.client;
  const std::size_t before = ctx.out.size();
  visit(Overloaded{
            [&](const V::Asked& asked) {
              switch (asked.request.instruction) {
                case Instruction::connect: return step.connect(asked.request);
                case Instruction::disconnect: return step.disconnect();
                case Instruction::operate: return step.operate(asked.request);
                case Instruction::run: return step.run(*asked.request.program);
                case Instruction::act:
                  return step.advance(recipes::Instructed{asked.request.act, asked.request.data});
              }
            },
            [&](const V::Connected& connected) {
              if (step.isResource(connected.peer)) return step.onResourceConnected();
              if (connected.peer == client.server && client.state == ClientState::CONNECTING)
                step.onConnected();
              if (connected.peer == client.asked_other) ctx.send(client_link, connected.peer, AskReadOnly{});
            },
            [&](const V::Refused& refused) {
              if (step.isResource(refused.peer)) return step.onResourceLost();
              if (refused.peer == client.server) step.lose(StateReason::connection_lost);
              if (refused.peer == client.asked_other) step.onOtherGone();
            },
            [&](const V::Disconnected& closed) {
              if (step.isResource(closed.peer)) return step.onResourceLost();
              if (closed.peer == client.server) step.lose(StateReason::connection_lost);
              if (closed.peer == client.asked_other) step.onOtherGone();
            },
            [&](const V::Received& received) {
              if (received.late) return;
              if (const auto* answer = get_if<ReadOnlyAnswer>(&received.message);
                  answer != nullptr && received.from == client.asked_other)
                client.other_writes = !answer->read_only;
              if (const auto* use = get_if<UseResource>(&received.message)) {
                if (client.resource) step.serve(received.from, *use);
                return;
              }
              if (const auto* used = get_if<ResourceUsed>(&received.message))
                return step.onResourceUsed(*used);
              if (received.from != client.server) return;
              if (const auto* response = get_if<ConnectResponse>(&received.message))
                step.onConnectResponse(*response);
              if (const auto* reply = get_if<Reply>(&received.message)) step.onReply(*reply);
              if (const auto* event = get_if<WatchEvent>(&received.message)) step.onWatchEvent(*event);
            },
            [&](const V::Fired& fired) {
              if (const auto kind = fired.timer.kind.above()) step.onTimer(*kind);
            },
            [](const auto&) {},
        },
        input);
  step.tellProgram(before);
}

}  // namespace zablab::zookeeper
