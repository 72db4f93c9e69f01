#include "protocol/zookeeper/sessions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "protocol/zab/broadcast.h"

namespace zablab::zookeeper {
namespace {

/// Sessions expire in buckets of a tick: the timeout is rounded up to the end of the next one.
void armExpiry(const Context& ctx, SessionId session, Millis timeout,
               TimerKind kind = TimerKind::session_expiry) {
  const Millis silence = ctx.rules.session_silence == SessionSilence::half ? timeout / 2 : timeout;
  ctx.setTimerWithin(kind, silence, silence + ctx.config.tick_ms, session);
}

/// The first id of the local sessions that begin here.
SessionId localIdsFrom(const Context& ctx) {
  const auto& members = ctx.config.members;
  const auto self = std::find_if(members.begin(), members.end(),
                                 [&](const zab::Member& member) { return member.id == ctx.node.self; });
  return (self - members.begin() + 1) * local_ids_apart;
}

/// Whether it is a local session of this server, or may be one of another, whose business that is
/// (LeaderSessionTracker.checkSession).
bool mayBeLocal(const Context& ctx, SessionId session) {
  if (isLocal(ctx, session)) return true;
  const SessionId from = session - session % local_ids_apart;
  return ctx.rules.new_sessions == NewSessions::local && from != 0 && from != localIdsFrom(ctx);
}

/// Why a session cannot create ephemeral nodes, although it may write (checkGlobalSession).
Error refusedEphemerals(const Context& ctx, SessionId session) {
  if (session == no_session || ctx.node.tracked.contains(session) ||
      ctx.rules.local_ephemerals == LocalEphemerals::allowed)
    return Error::OK;
  return isLocal(ctx, session) ? Error::EPHEMERALONLOCALSESSION : Error::SESSIONEXPIRED;
}

}  // namespace

Millis negotiated(const Rules& rules, const zab::Config& config, Millis asked) {
  if (rules.session_times == SessionTimes::as_asked) return asked;
  return std::clamp(asked, 2 * config.tick_ms, 20 * config.tick_ms);
}

void trackAll(const Context& ctx) {
  for (const auto& [id, session] : ctx.node.service.sessions) {
    ctx.node.tracked[id] = {};
    armExpiry(ctx, id, session.timeout);
  }
  if (ctx.rules.session_memory == SessionMemory::log) return;
  std::vector<SessionId> known;
  for (const auto& [id, session] : ctx.node.tracked) known.push_back(id);
  for (const SessionId session : known) {
    // A proposal for which there is no zxid ends the role.
    if (ctx.node.role == zab::Role::LEADING) onExpiry(ctx, session);
  }
}

void track(const Context& ctx, SessionId session, Millis timeout, ServerId owner) {
  ctx.node.tracked[session] = {.owner = owner};
  armExpiry(ctx, session, timeout);
}

void touch(const Context& ctx, SessionId session, Millis timeout) {
  const auto found = ctx.node.tracked.find(session);
  if (found != ctx.node.tracked.end() && !found->second.closing) armExpiry(ctx, session, timeout);
}

bool revalidate(const Context& ctx, SessionId session, Millis timeout, ServerId owner) {
  const auto found = ctx.node.tracked.find(session);
  if (found == ctx.node.tracked.end() || found->second.closing) return false;
  found->second.owner = owner;
  armExpiry(ctx, session, timeout);
  return true;
}

Error checkSession(const Context& ctx, SessionId session, ServerId from) {
  if (session == no_session) return Error::OK;  // the leader's own write
  const auto found = ctx.node.tracked.find(session);
  if (found == ctx.node.tracked.end()) return mayBeLocal(ctx, session) ? Error::OK : Error::SESSIONEXPIRED;
  if (found->second.closing) return Error::SESSIONEXPIRED;
  auto& owner = found->second.owner;
  if (!owner) owner = from;
  if (*owner == from || ctx.rules.session_owner == SessionOwner::unchecked) return Error::OK;
  ctx.emit(SessionMoved{session, *owner, from});
  return Error::SESSIONMOVED;
}

void setClosing(const Context& ctx, SessionId session) {
  const auto found = ctx.node.tracked.find(session);
  if (found == ctx.node.tracked.end()) return;
  found->second.closing = true;
  ctx.cancelTimer(TimerKind::session_expiry, session);
}

void untrack(const Context& ctx, SessionId session) {
  if (ctx.node.tracked.erase(session) > 0) ctx.cancelTimer(TimerKind::session_expiry, session);
}

void forgetAll(const Context& ctx) {
  for (const auto& [session, tracked] : std::exchange(ctx.node.tracked, {}))
    ctx.cancelTimer(TimerKind::session_expiry, session);
}

void onExpiry(const Context& ctx, SessionId session) {
  ctx.emit(SessionExpired{session});
  setClosing(ctx, session);
  zab::propose<ZooKeeper>(ctx, {.session = session, .op = {{.code = OpCode::closeSession}}});
}

SessionId beginLocal(const Context& ctx, SessionId proposed, Millis timeout) {
  SessionId session = localIdsFrom(ctx) + proposed;
  // A client that was restarted proposes the id of its last session, which may be alive.
  while (isLocal(ctx, session) || ctx.node.service.sessions.contains(session)) session += session_ids_apart;
  ctx.node.local_sessions[session] = timeout;
  touchLocal(ctx, session, timeout);
  return session;
}

bool isLocal(const Context& ctx, SessionId session) { return ctx.node.local_sessions.contains(session); }

void touchLocal(const Context& ctx, SessionId session, Millis timeout) {
  armExpiry(ctx, session, timeout, TimerKind::local_expiry);
}

void endLocal(const Context& ctx, SessionId session) {
  if (ctx.node.local_sessions.erase(session) > 0) ctx.cancelTimer(TimerKind::local_expiry, session);
}

void endAllLocal(const Context& ctx) {
  for (const auto& [session, timeout] : std::exchange(ctx.node.local_sessions, {}))
    ctx.cancelTimer(TimerKind::local_expiry, session);
}

void submit(const Context& ctx, Proposed proposed, ServerId from) {
  const OpCode code = proposed.op.code;
  proposed.time = ctx.clock;
  if (code == OpCode::createSession) {
    // A client that was restarted proposes the id of its last session, which may be alive.
    proposed.number = proposed.session;
    while (ctx.node.tracked.contains(proposed.session)) proposed.session += session_ids_apart;
    track(ctx, proposed.session, proposed.timeout, from);
  } else {
    if (code != OpCode::closeSession) proposed.refused = checkSession(ctx, proposed.session, from);
    proposed.ephemerals_refused = refusedEphemerals(ctx, proposed.session);
    // Nothing of the session follows its closing, which a connection may ask for that the session has left.
    if (code == OpCode::closeSession) setClosing(ctx, proposed.session);
  }
  zab::propose<ZooKeeper>(ctx, proposed);
}

}  // namespace zablab::zookeeper
