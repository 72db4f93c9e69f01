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
  void set(TimerKind kind, Millis wait, std::int64_t lease = 0) const {
    out.push_back(V::SetTimer{{kind, {lease}}, wait, wait});
  }
  void cancel(TimerKind kind, std::int64_t lease = 0) const {
    out.push_back(V::CancelTimer{{kind, {lease}}});
  }
  /// Is durable when the effect is done.
  void write(Record record) const { out.push_back(V::Write{std::move(record), true}); }
};

void stepCandidate(const Context&, const Input&);
void stepStore(const Context&, const Input&);
void stepResource(const Context&, const Input&);
void stepClient(const Context&, const Input&);

/// Who leads, by the keys that the store was asked for; empty: nobody.
std::optional<KeyValue> leaderAmong(const std::vector<KeyValue>& keys);
/// The operation that reads those keys.
Operate whoLeads(const Rules& rules);

}  // namespace zablab::external_store
