// What a step works on.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "protocol/external_store/family.h"

namespace zablab::external_store {

struct Context {
  const Config& config;
  const Rules& rules;
  Node& node;
  Effects& out;

  void send(Link link, ServerId to, Message message) const {
    out.push_back(V::Send{link, to, std::move(message)});
  }
  void connect(Link link, ServerId to) const { out.push_back(V::Connect{link, to}); }
  void disconnect(Link link, ServerId to) const { out.push_back(V::Disconnect{link, to}); }
  void emit(Event event) const { out.push_back(V::Emit{std::move(event)}); }
  void set(TimerKind kind, Millis wait, std::int64_t id = 0) const {
    out.push_back(V::SetTimer{{kind, {id}}, wait, wait});
  }
  void cancel(TimerKind kind, std::int64_t id = 0) const { out.push_back(V::CancelTimer{{kind, {id}}}); }
  /// Is durable when the effect is done.
  void write(Record record) const { out.push_back(V::Write{std::move(record), true}); }
};

void stepCandidate(const Context&, const Input&);
void stepStore(const Context&, const Input&);
/// A server of a replicated store.
void stepReplica(const Context&, const Input&);
void stepResource(const Context&, const Input&);
void stepClient(const Context&, const Input&);

/// The server of the store that a candidate or a client turns to.
ServerId storeOf(const Context&);

/// The answer to a transaction, after which the store has this revision.
TxnReply replyTo(const Context&, const Result& result, std::int64_t revision);
/// The store has executed a transaction or ended a lease.
void report(const Context&, const Result& result, ServerId by);
/// Notifies those who watch what has changed.
void notify(const Context&, const std::vector<Change>& changes);
void onWatch(const Context&, ServerId from, Watch watch);

/// For how long a lease is granted that is asked for with this time.
inline Millis grantedTtl(const Context& ctx, Millis asked_ms) {
  return ctx.rules.least_ttl == LeastTtl::none ? asked_ms : std::max(asked_ms, ctx.config.leastTtl());
}
/// The time that a lease has at a store that begins to measure it, and cannot know when it was renewed.
inline Millis firstTime(const Context& ctx, Millis ttl_ms) {
  if (ctx.rules.new_leader == NewLeader::gives_half_time) return ttl_ms / 2;
  const bool adds = ctx.rules.new_leader == NewLeader::adds_election_timeout;
  return ttl_ms + (adds ? ctx.config.election_timeout_min_ms : 0);
}
/// The time of this lease is over. The next check ends it.
void onLeaseOver(const Context&, std::int64_t lease);
/// The process has run for so long, and leases are over.
void awaitCheck(const Context&, std::optional<Millis> age);

/// The rules of a replicated store's log.
leader_followers::Rules logRules(const Rules& rules);

/// Who leads, by the keys that the store was asked for; empty: nobody.
std::optional<KeyValue> leaderAmong(const std::vector<KeyValue>& keys);
/// The operation that reads those keys.
Operate whoLeads(const Rules& rules);

}  // namespace zablab::external_store
