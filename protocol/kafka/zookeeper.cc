// ZooKeeper's servers, and the sessions of brokers and clients, by the steps of the family `zookeeper`.
#include <algorithm>
#include <cassert>

#include "protocol/kafka/context.h"
#include "protocol/overloaded.h"

namespace zablab::kafka {
namespace {

using Z = zookeeper::V;

template <class To, class From>
To widened(From&& from) {
  return visit([](auto&& one) { return To(std::forward<decltype(one)>(one)); }, std::forward<From>(from));
}

/// Empty: it is not one of ZooKeeper's.
template <class To, class From>
std::optional<To> narrowed(const From& from) {
  return visit(
      [](const auto& one) -> std::optional<To> {
        if constexpr (boost::mp11::mp_contains<To, std::decay_t<decltype(one)>>::value) {
          return To(one);
        } else {
          return std::nullopt;
        }
      },
      from);
}

std::string_view nameOf(Z::TimerKind wanted) {
  std::string_view found;
  forEachTimerKind<Z::TimerKind>([&](std::string_view name, Z::TimerKind kind) {
    if (kind == wanted) found = name;
  });
  return found;
}

/// One server and its clients have no other timers than these.
V::Timer timerOf(const Z::Timer& timer) {
  const auto kind = enumFromName<TimerKind>(nameOf(timer.kind));
  assert(kind);
  return {*kind, timer.key};
}

/// Empty: it is a replica's.
std::optional<Z::Timer> timerOfZooKeeper(const V::Timer& timer) {
  const auto kind = timerKindFromName<Z::TimerKind>(enumName(timer.kind));
  if (!kind) return std::nullopt;
  return Z::Timer{*kind, timer.key};
}

void perform(const Context& ctx, zookeeper::Effects effects, std::vector<zookeeper::Event>& events) {
  for (Z::Effect& effect : effects) {
    visit(Overloaded{
              [&](Z::Send& one) {
                ctx.out.push_back(
                    V::Send{one.link, one.to, widened<Message>(std::move(one.message)), one.after_durable});
              },
              [&](Z::Connect& one) {
                ctx.out.push_back(V::Connect{one.link, one.to});
              },
              [&](Z::Disconnect& one) {
                ctx.out.push_back(V::Disconnect{one.link, one.to});
              },
              [&](Z::SetTimer& one) {
                ctx.out.push_back(V::SetTimer{timerOf(one.timer), one.lo, one.hi});
              },
              [&](Z::CancelTimer& one) { ctx.out.push_back(V::CancelTimer{timerOf(one.timer)}); },
              [&](Z::Write& one) {
                ctx.out.push_back(V::Write{widened<Record>(std::move(one.record)), one.blocking});
              },
              [&](Z::Flush&) { ctx.out.push_back(V::Flush{}); },
              [&](Z::Exit& one) { ctx.out.push_back(V::Exit{std::move(one.reason)}); },
              [&](Z::Emit& one) {
                events.push_back(one.event);
                ctx.emit(widened<Event>(std::move(one.event)));
              },
              [](const auto&) {},  // marks, which ZooKeeper has none of
          },
          effect);
  }
}

std::vector<zookeeper::Event> stepAsked(const Context& ctx, zookeeper::Request request) {
  return stepZooKeeper(ctx, Z::Asked{std::move(request)});
}

}  // namespace

std::vector<zookeeper::Event> stepZooKeeper(const Context& ctx, const zookeeper::Input& input) {
  zookeeper::Effects effects;
  std::vector<zookeeper::Event> events;
  zookeeper::Family::step(ctx.config.zookeeper, zookeeper_rules, ctx.node.zookeeper, input, effects,
                          ctx.clock);
  perform(ctx, std::move(effects), events);
  return events;
}

std::optional<zookeeper::Input> inputOfZooKeeper(const Input& input) {
  const auto ofLink = [](Link link) { return link < broker_link; };
  return visit(
      Overloaded{
          [](const V::Start& one) -> std::optional<zookeeper::Input> { return Z::Start{one.disk.zookeeper}; },
          [](const V::TakeUp&) -> std::optional<zookeeper::Input> { return Z::TakeUp{}; },
          [&](const V::Received& one) -> std::optional<zookeeper::Input> {
            if (!ofLink(one.link)) return std::nullopt;
            auto message = narrowed<zookeeper::Message>(one.message);
            if (!message) return std::nullopt;
            return Z::Received{one.link, one.from, std::move(*message), one.late};
          },
          [&](const V::Connected& one) -> std::optional<zookeeper::Input> {
            if (!ofLink(one.link)) return std::nullopt;
            return Z::Connected{one.link, one.peer};
          },
          [&](const V::Refused& one) -> std::optional<zookeeper::Input> {
            if (!ofLink(one.link)) return std::nullopt;
            return Z::Refused{one.link, one.peer};
          },
          [&](const V::Disconnected& one) -> std::optional<zookeeper::Input> {
            if (!ofLink(one.link)) return std::nullopt;
            return Z::Disconnected{one.link, one.peer};
          },
          [](const V::Fired& one) -> std::optional<zookeeper::Input> {
            const auto timer = timerOfZooKeeper(one.timer);
            if (!timer) return std::nullopt;
            return Z::Fired{*timer, one.undelivered};
          },
          [](const V::WriteFailed& one) -> std::optional<zookeeper::Input> {
            auto record = narrowed<zookeeper::Record>(one.record);
            if (!record) return std::nullopt;
            return Z::WriteFailed{std::move(*record)};
          },
          [](const V::Prompt&) -> std::optional<zookeeper::Input> { return Z::Prompt{}; },
          [](const auto&) -> std::optional<zookeeper::Input> { return std::nullopt; },
      },
      input);
}

std::vector<zookeeper::Event> connectToZooKeeper(const Context& ctx) {
  const auto& stores = ctx.config.stores;
  return stepAsked(ctx, {.instruction = zookeeper::Instruction::connect,
                         .server = stores.front(),
                         .servers = stores,
                         .timeout = ctx.config.session_timeout_ms});
}

std::vector<zookeeper::Event> askZooKeeper(const Context& ctx, std::int64_t number, const zookeeper::Op& op) {
  return stepAsked(ctx, {.instruction = zookeeper::Instruction::operate, .number = number, .op = op});
}

}  // namespace zablab::kafka
