// The leader's list of sessions (SessionTrackerImpl): which are alive, which server each belongs to, and when
// they expire. Only the leader expires these sessions. Each server has a list of local sessions, which no
// other one knows and which it expires itself (UpgradeableSessionTracker).
#pragma once

#include "protocol/zookeeper/family.h"

namespace zablab::zookeeper {

/// The timeout that a server grants.
Millis negotiated(const Rules& rules, const zab::Config& config, Millis asked);

/// A server begins to lead: every session gets its timeout anew, or is over, as the rules have it.
void trackAll(const Context& ctx);
/// A session begins, at the server `owner`.
void track(const Context& ctx, SessionId session, Millis timeout, ServerId owner);
/// The session was heard from.
void touch(const Context& ctx, SessionId session, Millis timeout);
/// A client brought its session to the server `owner`. Whether it is alive.
bool revalidate(const Context& ctx, SessionId session, Millis timeout, ServerId owner);
/// Whether a request of this session from this server may be carried out: OK, SESSIONEXPIRED or SESSIONMOVED.
Error checkSession(const Context& ctx, SessionId session, ServerId from);
/// The session is closed from now on.
void setClosing(const Context& ctx, SessionId session);
/// The closing of the session is applied.
void untrack(const Context& ctx, SessionId session);
void forgetAll(const Context& ctx);
void onExpiry(const Context& ctx, SessionId session);

/// A local session begins. Its id.
SessionId beginLocal(const Context& ctx, SessionId proposed, Millis timeout);
bool isLocal(const Context& ctx, SessionId session);
void touchLocal(const Context& ctx, SessionId session, Millis timeout);
/// The session is over, or is not local any more.
void endLocal(const Context& ctx, SessionId session);
void endAllLocal(const Context& ctx);

/// Proposes a client's write, or its failure (PrepRequestProcessor).
void submit(const Context& ctx, Proposed proposed, ServerId from);

}  // namespace zablab::zookeeper
