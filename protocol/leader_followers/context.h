// What one step works on, and the few operations by which it acts on the world.
#pragma once

#include <utility>

#include "protocol/leader_followers/server.h"

namespace zablab::leader_followers {

template <class S>
struct BasicContext {
  using V = Vocabulary<BasicTypes<S>>;
  using Message = BasicMessage<S>;

  const Config& config;
  const Rules& rules;
  BasicServer<S>& node;
  typename V::Effects& out;

  /// Uses the existing connection; without one the message is lost.
  void send(Link link, ServerId to, Message message) const {
    out.push_back(typename V::Send{link, to, std::move(message)});
  }
  /// To another server: if there is no connection, one is requested, and the sender repeats the message when
  /// it is open.
  void say(ServerId to, Message message) const {
    connect(server_link, to);
    send(server_link, to, std::move(message));
  }
  /// Leaves when everything written so far is durable.
  void sendDurable(ServerId to, Message message) const {
    out.push_back(typename V::Send{server_link, to, std::move(message), true});
  }
  void connect(Link link, ServerId to) const { out.push_back(typename V::Connect{link, to}); }
  void disconnect(Link link, ServerId to) const { out.push_back(typename V::Disconnect{link, to}); }
  void setTimer(TimerKind kind, Millis ms, ServerId peer = no_server) const {
    setTimerWithin(kind, ms, ms, peer);
  }
  void setTimerWithin(TimerKind kind, Millis lo, Millis hi, ServerId peer = no_server) const {
    out.push_back(typename V::SetTimer{{kind, peer}, lo, hi});
  }
  void cancelTimer(TimerKind kind, ServerId peer = no_server) const {
    out.push_back(typename V::CancelTimer{{kind, peer}});
  }
  void write(BasicRecord<S> record) const {
    out.push_back(typename V::Write{std::move(record), config.waits_for_disk});
  }
  void exit(std::string reason) const { out.push_back(typename V::Exit{std::move(reason)}); }
  void emit(BasicEvent<S> event) const { out.push_back(typename V::Emit{std::move(event)}); }

  /// Calls `visit(id)` for every member but this one.
  template <class Visit>
  void forOthers(Visit&& visit) const {
    for (const ServerId id : config.members) {
      if (id != node.self) visit(id);
    }
  }
};

template <class T>
inline constexpr bool is_context = false;
template <class S>
inline constexpr bool is_context<BasicContext<S>> = true;
template <class T>
concept IsContext = is_context<T>;

}  // namespace zablab::leader_followers
