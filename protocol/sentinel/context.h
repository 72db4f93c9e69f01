// What one step works on, and the few operations by which it acts on the world.
#pragma once

#include <utility>

#include "protocol/sentinel/family.h"

namespace zablab::sentinel {

struct Context {
  const Config& config;
  const Rules& rules;
  Node& node;
  Effects& out;

  /// Uses the existing connection; without one the message is lost.
  void send(Link link, ServerId to, Message message) const {
    out.push_back(V::Send{link, to, std::move(message)});
  }
  void connect(Link link, ServerId to) const { out.push_back(V::Connect{link, to}); }
  void disconnect(Link link, ServerId to) const { out.push_back(V::Disconnect{link, to}); }
  void setTimer(TimerKind kind, Millis ms, ServerId peer = no_server) const {
    out.push_back(V::SetTimer{{kind, peer}, ms, ms});
  }
  void setTimer(TimerKind kind, Millis lo, Millis hi, ServerId peer) const {
    out.push_back(V::SetTimer{{kind, peer}, lo, hi});
  }
  void cancelTimer(TimerKind kind, ServerId peer = no_server) const {
    out.push_back(V::CancelTimer{{kind, peer}});
  }
  /// Is durable when the effect is done.
  void write(Record record) const { out.push_back(V::Write{std::move(record), true}); }
  /// Becomes durable later.
  void writeLater(Record record) const { out.push_back(V::Write{std::move(record), false}); }
  void emit(Event event) const { out.push_back(V::Emit{std::move(event)}); }

  Sentinel& sentinel() const { return *node.sentinel; }
  Redis& redis() const { return *node.redis; }
  Client& client() const { return *node.client; }
};

}  // namespace zablab::sentinel
