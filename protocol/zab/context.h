// What one step works on, and the few operations by which it acts on the world.
#pragma once

#include <type_traits>
#include <utility>

#include "protocol/zab/family.h"

namespace zablab::zab {

template <class S>
struct BasicContext {
  using Service = S;
  using V = Vocabulary<BasicTypes<S>>;
  using Message = BasicMessage<S>;
  using Record = BasicRecord<S>;
  using Event = BasicEvent<S>;

  const Config& config;
  const typename S::Rules& rules;
  typename S::Node& node;
  typename V::Effects& out;
  Millis clock = 0;  ///< the reading of the node's own clock, where the family reads it

  void send(Link link, ServerId to, Message message) const {
    out.push_back(typename V::Send{link, to, std::move(message)});
  }
  void connect(Link link, ServerId to) const { out.push_back(typename V::Connect{link, to}); }
  void disconnect(Link link, ServerId to) const { out.push_back(typename V::Disconnect{link, to}); }
  void setTimer(TimerKind kind, Millis ms, ServerId peer = no_server) const {
    setTimerWithin(kind, ms, ms, peer);
  }
  void setTimerWithin(TimerKind kind, Millis lo, Millis hi, ServerId peer = no_server) const {
    out.push_back(typename V::SetTimer{{kind, BasicTimers<S>::keyOf(peer)}, lo, hi});
  }
  void cancelTimer(TimerKind kind, ServerId peer = no_server) const {
    out.push_back(typename V::CancelTimer{{kind, BasicTimers<S>::keyOf(peer)}});
  }
  /// A timer of the service.
  template <HasTimers T = S>
  void setTimer(typename T::TimerKind kind, Millis ms, const typename T::TimerKey& key) const {
    setTimerWithin<T>(kind, ms, ms, key);
  }
  template <HasTimers T = S>
  void setTimerWithin(typename T::TimerKind kind, Millis lo, Millis hi,
                      const typename T::TimerKey& key) const {
    out.push_back(typename V::SetTimer{ownTimer<T>(kind, key), lo, hi});
  }
  template <HasTimers T = S>
  void cancelTimer(typename T::TimerKind kind, const typename T::TimerKey& key) const {
    out.push_back(typename V::CancelTimer{ownTimer<T>(kind, key)});
  }
  /// Leaves when everything written so far is durable.
  void sendDurable(Link link, ServerId to, Message message) const {
    out.push_back(typename V::Send{link, to, std::move(message), true});
  }
  /// The write is durable when this returns.
  void write(Record record) const {
    BasicFamily<S>::write(node.files, record);
    out.push_back(typename V::Write{std::move(record), true});
  }
  /// The write becomes durable later, in order.
  void writeLater(Record record) const {
    BasicFamily<S>::write(node.files, record);
    out.push_back(typename V::Write{std::move(record), false});
  }
  void flush() const {
    out.push_back(typename V::Flush{});
    noteLogged(node.files.log.empty() ? Zxid{} : node.files.log.back().zxid);
  }
  /// Everything up to `last` is durable.
  void noteLogged(Zxid last) const {
    if (rules.tail == Tail::logged_later) node.logged = last;
  }
  void exit(std::string reason) const { out.push_back(typename V::Exit{std::move(reason)}); }
  void emit(Event event) const { out.push_back(typename V::Emit{std::move(event)}); }

  bool isVoter() const { return config.isVoter(node.self); }

 private:
  template <HasTimers T>
  static typename V::Timer ownTimer(typename T::TimerKind kind, const typename T::TimerKey& key) {
    return {kind, {std::nullopt, key}};
  }
};

template <class T>
inline constexpr bool is_context = false;
template <class S>
inline constexpr bool is_context<BasicContext<S>> = true;
template <class T>
concept IsContext = is_context<T>;
template <class C>
using ServiceOf = typename std::remove_cvref_t<C>::Service;

}  // namespace zablab::zab
