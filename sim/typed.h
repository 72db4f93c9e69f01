// Between the values that engines hold, and values of a family's own types.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "protocol/overloaded.h"
#include "protocol/variant.h"
#include "sim/any.h"

namespace zablab {

/// Between the values that engines hold and those of the family's own types.
template <class F>
class Typed {
 public:
  using V = typename F::Vocabulary;
  using AnyV = Any::Vocabulary;

  template <class Key>
  static AnyKey any(const Key& key) {
    if constexpr (std::is_same_v<Key, ServerId>) return {key, {}};
    if constexpr (!std::is_same_v<Key, ServerId>) return {no_server, Value(key)};
  }
  template <class Key>
  static Key keyOf(const AnyKey& key) {
    if constexpr (std::is_same_v<Key, ServerId>) return key.server;
    if constexpr (!std::is_same_v<Key, ServerId>) return key.own.empty() ? Key{} : key.own.as<Key>();
  }
  static AnyV::Timer any(const typename V::Timer& timer) {
    return {static_cast<std::uint8_t>(timer.kind), any<typename V::TimerKey>(timer.key)};
  }
  static typename V::Timer timerOf(const AnyV::Timer& timer) {
    return {static_cast<typename F::TimerKind>(timer.kind), keyOf<typename V::TimerKey>(timer.key)};
  }

  /// Takes what nobody else holds.
  static typename V::Input input(AnyV::Input& from) {
    return visit(
        Overloaded{
            [](AnyV::Start& start) -> typename V::Input {
              return typename V::Start{std::move(start.disk).template take<typename F::Durable>()};
            },
            [](AnyV::TakeUp&) -> typename V::Input { return typename V::TakeUp{}; },
            [](AnyV::Received& in) -> typename V::Input {
              return typename V::Received{
                  in.link, in.from, std::move(in.message).template take<typename F::Message>(), in.late};
            },
            [](AnyV::Connected& in) -> typename V::Input {
              return typename V::Connected{in.link, in.peer};
            },
            [](AnyV::Refused& in) -> typename V::Input {
              return typename V::Refused{in.link, in.peer};
            },
            [](AnyV::Disconnected& in) -> typename V::Input {
              return typename V::Disconnected{in.link, in.peer};
            },
            [](AnyV::Fired& in) -> typename V::Input {
              return typename V::Fired{timerOf(in.timer), in.undelivered};
            },
            [](AnyV::WriteFailed& in) -> typename V::Input {
              return typename V::WriteFailed{std::move(in.record).template take<typename F::Record>()};
            },
            [](AnyV::Prompt&) -> typename V::Input { return typename V::Prompt{}; },
            [](AnyV::Asked& in) ->
            typename V::Input { return typename V::Asked{in.request.template as<typename F::Request>()}; },
            [](AnyV::OwnAction& in) -> typename V::Input {
              return typename V::OwnAction{in.peer, in.shown.template as<typename F::Message>()};
            },
            [](AnyV::NowDurable& in) ->
            typename V::Input { return typename V::NowDurable{keyOf<typename V::DurableKey>(in.key)}; },
            [](AnyV::Age& in) -> typename V::Input {
              return typename V::Age{keyOf<typename V::MarkKey>(in.key), in.millis};
            }},
        from);
  }
  static AnyV::Effect effect(typename V::Effect&& from) {
    return visit(
        Overloaded{
            [](typename V::Send& out) -> AnyV::Effect {
              return AnyV::Send{out.link, out.to, Value(std::move(out.message)), out.after_durable};
            },
            [](typename V::Connect& out) -> AnyV::Effect {
              return AnyV::Connect{out.link, out.to};
            },
            [](typename V::Disconnect& out) -> AnyV::Effect {
              return AnyV::Disconnect{out.link, out.to};
            },
            [](typename V::SetTimer& out) -> AnyV::Effect {
              return AnyV::SetTimer{any(out.timer), out.lo, out.hi};
            },
            [](typename V::CancelTimer& out) -> AnyV::Effect { return AnyV::CancelTimer{any(out.timer)}; },
            [](typename V::Write& out) -> AnyV::Effect {
              return AnyV::Write{Value(std::move(out.record)), out.blocking};
            },
            [](typename V::Flush&) -> AnyV::Effect { return AnyV::Flush{}; },
            [](typename V::Exit& out) -> AnyV::Effect { return AnyV::Exit{std::move(out.reason)}; },
            [](typename V::Emit& out) -> AnyV::Effect { return AnyV::Emit{Value(std::move(out.event))}; },
            [](typename V::AskDurable& out) -> AnyV::Effect {
              return AnyV::AskDurable{any<typename V::DurableKey>(out.key)};
            },
            [](typename V::Mark& out) -> AnyV::Effect {
              return AnyV::Mark{any<typename V::MarkKey>(out.key)};
            },
            [](typename V::AskAge& out) -> AnyV::Effect {
              return AnyV::AskAge{any<typename V::MarkKey>(out.key)};
            }},
        from);
  }

  // ---- what happens, for code that knows the family's types: pointers into the values of `from`
  static Happened<F> happened(const AnyHappened& from) {
    Happened<F> to{.kind = from.kind,
                   .node = from.node,
                   .link = from.link,
                   .from = from.from,
                   .to = from.to,
                   .message = from.message,
                   .content = at<typename F::Message>(from.content),
                   .how = from.how,
                   .late = from.late,
                   .reason = from.reason,
                   .stopped = from.stopped,
                   .why = from.why,
                   .blocking = from.blocking,
                   .record = at<typename F::Record>(from.record),
                   .event = at<typename F::Event>(from.event),
                   .disk = at<typename F::Durable>(from.disk),
                   .request = at<typename F::Request>(from.request),
                   .timer = {},
                   .durable_key = atKey<typename V::DurableKey>(from.durable_key),
                   .mark = atKey<typename V::MarkKey>(from.mark),
                   .age = from.age,
                   .now = from.now};
    if (from.kind == Kind::timer || from.kind == Kind::timer_set) to.timer = timerOf(from.timer);
    return to;
  }

  // ---- a world, for code that knows the family's types
  static Server<F> server(const Server<Any>& from) {
    Server<F> to;
    to.up = from.up;
    to.paused = from.paused;
    if constexpr (V::asks_world) {
      for (const auto& key : from.awaited.durable)
        to.awaited.durable.push_back(keyOf<typename V::DurableKey>(key));
      for (const auto& ask : from.awaited.ages)
        to.awaited.ages.push_back({keyOf<typename V::MarkKey>(ask.key), ask.marked});
      for (const auto& key : from.awaited.marks) to.awaited.marks.push_back(keyOf<typename V::MarkKey>(key));
    }
    for (const auto& timer : from.timers) to.timers.push_back(timerOf(timer));
    to.node = from.node.as<typename F::Node>();
    return to;
  }
  static Disk<F> disk(const Disk<Any>& from) {
    Disk<F> to;
    to.image = from.image.as<typename F::Durable>();
    for (const auto& entry : from.queue) {
      visit(Overloaded{[&](const Value& record) { to.queue.push_back(record.as<typename F::Record>()); },
                       [&](const GatedSend<Value>& send) {
                         to.queue.push_back(GatedSend<typename F::Message>{
                             send.link, send.to, send.message.as<typename F::Message>()});
                       },
                       [&](const DurableAsk<AnyKey>& ask) {
                         to.queue.push_back(
                             DurableAsk<typename V::DurableKey>{keyOf<typename V::DurableKey>(ask.key)});
                       }},
            entry);
    }
    return to;
  }
  static Channel<typename F::Message> channel(const Channel<Value>& from) {
    const auto messageOf = [](const std::optional<Value>& message) {
      return message ? std::optional(message->as<typename F::Message>()) : std::nullopt;
    };
    Channel<typename F::Message> to;
    for (const auto& item : from.wire) to.wire.push_back(messageOf(item));
    to.unsent = messageOf(from.unsent);
    to.last = messageOf(from.last);
    for (const auto& message : from.late) to.late.push_back(message.as<typename F::Message>());
    return to;
  }
  static WorldValue<F> world(const WorldValue<Any>& from) {
    WorldValue<F> to;
    for (const auto& one : from.servers) to.servers.push_back(server(one));
    for (const auto& one : from.disks) to.disks.push_back(disk(one));
    for (const auto& one : from.channels) to.channels.push_back(channel(one));
    to.network = from.network;
    return to;
  }

 private:
  template <class T>
  static const T* at(const Value* value) {
    return value == nullptr ? nullptr : &value->as<T>();
  }
  template <class Key>
  static const Key* atKey(const AnyKey* key) {
    if (key == nullptr) return nullptr;
    if constexpr (std::is_same_v<Key, ServerId>) return &key->server;
    if constexpr (!std::is_same_v<Key, ServerId>) return &key->own.as<Key>();
  }
};

}  // namespace zablab
