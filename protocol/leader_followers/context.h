// What one step works on, and the few operations by which it acts on the world.
#pragma once

#include <utility>

#include "protocol/leader_followers/family.h"

namespace zablab::leader_followers {

struct Context {
  const Config& config;
  const Rules& rules;
  Node& node;
  Effects& out;

  /// Uses the existing connection; without one the message is lost.
  void send(Link link, ServerId to, Message message) const {
    out.push_back(V::Send{link, to, std::move(message)});
  }
  /// To another server: if there is no connection, one is requested, and the sender repeats the message when
  /// it is open.
  void say(ServerId to, Message message) const {
    connect(server_link, to);
    send(server_link, to, std::move(message));
  }
  /// Leaves when everything written so far is durable.
  void sendDurable(ServerId to, Message message) const {
    out.push_back(V::Send{server_link, to, std::move(message), true});
  }
  void connect(Link link, ServerId to) const { out.push_back(V::Connect{link, to}); }
  void disconnect(Link link, ServerId to) const { out.push_back(V::Disconnect{link, to}); }
  void setTimer(TimerKind kind, Millis ms, ServerId peer = no_server) const {
    out.push_back(V::SetTimer{{kind, peer}, ms, ms});
  }
  void cancelTimer(TimerKind kind, ServerId peer = no_server) const {
    out.push_back(V::CancelTimer{{kind, peer}});
  }
  void write(Record record) const { out.push_back(V::Write{std::move(record), config.waits_for_disk}); }
  void exit(std::string reason) const { out.push_back(V::Exit{std::move(reason)}); }
  void emit(Event event) const { out.push_back(V::Emit{std::move(event)}); }

  /// Calls `visit(id)` for every member but this one.
  template <class Visit>
  void forOthers(Visit&& visit) const {
    for (const ServerId id : config.members) {
      if (id != node.self) visit(id);
    }
  }
};

}  // namespace zablab::leader_followers
