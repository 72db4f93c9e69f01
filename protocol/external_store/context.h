// What a step works on.
#pragma once

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

/// The store has executed a transaction or ended a lease.
void report(const Context&, const Result& result, ServerId by);
/// Notifies those who watch what has changed.
void notify(const Context&, const std::vector<Change>& changes);
void onWatch(const Context&, ServerId from, Watch watch);

/// The rules of a replicated store's log.
leader_followers::Rules logRules(const Rules& rules);

/// Who leads, by the keys that the store was asked for; empty: nobody.
std::optional<KeyValue> leaderAmong(const std::vector<KeyValue>& keys);
/// The operation that reads those keys.
Operate whoLeads(const Rules& rules);

}  // namespace zablab::external_store
