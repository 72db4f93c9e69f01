// The broadcast under a service that is not the register: one that has its own timers.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "protocol/zab/step_impl.h"

namespace zablab::zab {
namespace {

/// What is granted for a while, and to whom; the leader takes it back when the time is over.
struct Grant {
  std::int64_t client = 0;
  std::int64_t number = 0;
  auto operator<=>(const Grant&) const = default;
};
BOOST_DESCRIBE_STRUCT(Grant, (), (client, number))

struct Granted {
  Grant grant;
  bool operator==(const Granted&) const = default;
};
BOOST_DESCRIBE_STRUCT(Granted, (), (grant))

enum class LeaseTimer : std::uint8_t { warning, expiry };
BOOST_DESCRIBE_ENUM(LeaseTimer, warning, expiry)

struct Leases {
  using TimerKind = LeaseTimer;
  using TimerKey = Grant;
  using Payload = Grant;
  using State = std::vector<Grant>;
  struct Applied {};
  using Proposed = Grant;
  using Request = Grant;
  using Rules = BroadcastRules;
  struct Node;
  using Messages = variant<Granted>;
  using Events = variant<Granted>;
  using Context = BasicContext<Leases>;

  static std::optional<Grant> prepare(const Rules&, const State&, const std::vector<BasicOutstanding<Leases>>&,
                                      const Grant& asked) {
    return asked;
  }
  static Applied apply(State& state, Zxid, const Grant& grant) {
    state.push_back(grant);
    return {};
  }
  static void onDelivered(const Context&, const BasicTxn<Leases>&, const Applied&) {}
  static void onServes(const Context&) {}
  static void onPinged(const Context&) {}
  static void onCommitted(const Context&, Zxid) {}
  static void onFromLearner(const Context&, ServerId, const BasicMessage<Leases>&) {}
  static void onFromLeader(const Context&, const BasicMessage<Leases>&) {}
  static void onLearnerGone(const Context&, ServerId) {}
  static void onRoleOver(const Context&) {}
  static void onOwnLink(const Context&, const Vocabulary<BasicTypes<Leases>>::Input&) {}
  static void onAsked(const Context& ctx, const Grant& grant);
  static void onTimer(const Context& ctx, TimerKind kind, const Grant& grant);
};

struct Leases::Node : BasicServer<Leases> {
  std::vector<std::string> done;
  bool operator==(const Node&) const = default;
  BOOST_DESCRIBE_CLASS(Node, (BasicServer<Leases>), (done), (), ())
};

void Leases::onAsked(const Context& ctx, const Grant& grant) {
  ctx.setTimer(LeaseTimer::expiry, 100, grant);
  ctx.cancelTimer(LeaseTimer::warning, grant);
}
void Leases::onTimer(const Context& ctx, LeaseTimer kind, const Grant& grant) {
  ctx.node.done.push_back(std::string(enumName(kind)) + " " + std::to_string(grant.number));
}

using Broadcast = BasicFamily<Leases>;
using V = Broadcast::Vocabulary;
using Kind = V::TimerKind;

TEST_CASE("service: its timers follow the broadcast's, and are distinguished by its own keys") {
  const std::size_t below = enumCount<TimerKind>();
  CHECK(timerKindCount<Kind>() == below + 2);
  CHECK(timerKindFromName<Kind>("half_tick") == Kind(TimerKind::half_tick));
  CHECK(timerKindFromName<Kind>("expiry") == Kind(LeaseTimer::expiry));
  CHECK(!timerKindFromName<Kind>("expire").has_value());
  CHECK(static_cast<std::size_t>(Kind(LeaseTimer::expiry)) == below + 1);
  CHECK(static_cast<Kind>(below).above() == LeaseTimer::warning);
  CHECK(!static_cast<Kind>(below).below().has_value());
  static_assert(std::is_same_v<Vocabulary<BasicTypes<Leases>>::TimerKey, BasicTimerKey<Leases>>);

  const Config config{.members = {{.id = 1}, {.id = 2}, {.id = 3}}};
  const BroadcastRules rules;
  Leases::Node node = Broadcast::blank(1);
  const auto step = [&](const V::Input& input) {
    V::Effects effects;
    Broadcast::stepServer(config, rules, node, input, effects);
    return effects;
  };
  V::Effects effects = step(V::Asked{Grant{7, 1}});
  REQUIRE(effects.size() == 2);
  const auto& set = get<V::SetTimer>(effects[0]);
  CHECK(set.timer == V::Timer{LeaseTimer::expiry, {std::nullopt, Grant{7, 1}}});
  CHECK(set.timer != V::Timer{LeaseTimer::expiry, {std::nullopt, Grant{7, 2}}});
  CHECK(get<V::CancelTimer>(effects[1]).timer.kind.above() == LeaseTimer::warning);
  CHECK(step(V::Fired{set.timer, false}).empty());
  CHECK(node.done == std::vector<std::string>{"expiry 1"});

  // The broadcast's own timers are handled as before.
  const auto waits = [](const V::Effects& all, TimerKind kind) {
    return std::any_of(all.begin(), all.end(), [&](const V::Effect& effect) {
      const auto* timer = get_if<V::SetTimer>(&effect);
      return timer != nullptr && timer->timer == V::Timer{kind, {}};
    });
  };
  CHECK(waits(step(V::Start{}), TimerKind::notification_wait));
  CHECK(waits(step(V::Fired{{TimerKind::notification_wait, {}}, false}), TimerKind::notification_wait));
  CHECK(node.done.size() == 1);
}

}  // namespace
}  // namespace zablab::zab
