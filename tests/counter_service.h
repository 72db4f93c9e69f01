// A second service on the broadcast, as small as possible: a counter. Its payload is a number and not a
// struct, it has no clients, and requests are made to servers themselves. The broadcast, its words and its
// invariants know nothing about it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/family.h"
#include "checker/zab/check.h"
#include "checker/zab/ledger.h"
#include "protocol/variant.h"
#include "protocol/zab/context.h"
#include "protocol/zab/service.h"
#include "sim/binding_base.h"
#include "sim/run.h"
#include "sim/zab/binding.h"
#include "sim/zab/codec.h"
#include "sim/zab/service_words.h"
#include "sim/zab/words.h"

namespace zablab::counter {

using zab::Zxid;

/// A request to a server, and the message by which a server forwards it to its leader.
enum class Operation : std::uint8_t { add, tell };
BOOST_DESCRIBE_ENUM(Operation, add, tell)
struct Request {
  Operation operation{};
  std::int64_t amount = 0;
  std::int64_t number = 0;
  bool operator==(const Request&) const = default;
};
BOOST_DESCRIBE_STRUCT(Request, (), (operation, amount, number))
struct HandedOn {
  static constexpr std::string_view name = "ADD";
  std::int64_t amount = 0;
  bool operator==(const HandedOn&) const = default;
};
BOOST_DESCRIBE_STRUCT(HandedOn, (), (amount))

/// A server shows the sum, after a requested amount or whenever it is instructed to.
struct Shown {
  static constexpr std::string_view name = "sum";
  Zxid after;
  std::int64_t sum = 0;
  bool operator==(const Shown&) const = default;
};
BOOST_DESCRIBE_STRUCT(Shown, (), (after, sum))

struct Sum {
  std::int64_t sum = 0;
  bool operator==(const Sum&) const = default;
};
BOOST_DESCRIBE_STRUCT(Sum, (), (sum))

struct Counter {
  using Payload = std::int64_t;
  using State = Sum;
  struct Applied {};
  using Proposed = std::int64_t;
  using Request = counter::Request;
  using Rules = zab::BroadcastRules;
  using Node = zab::BasicServer<Counter>;
  using Messages = variant<HandedOn>;
  using Events = variant<Shown>;
  using Context = zab::BasicContext<Counter>;
  using Message = zab::BasicMessage<Counter>;

  static constexpr std::int64_t sum_max = 100;

  /// Refused if it would exceed the limit, together with everything proposed before it.
  static std::optional<std::int64_t> prepare(const Rules&, const State& state,
                                             const std::vector<zab::BasicOutstanding<Counter>>& outstanding,
                                             std::int64_t amount);
  static Applied apply(State& state, Zxid, std::int64_t amount) {
    state.sum += amount;
    return {};
  }
  static void onDelivered(const Context& ctx, const zab::BasicTxn<Counter>& txn, const Applied&);
  static void onServes(const Context&) {}
  static void onPinged(const Context&) {}
  static void onCommitted(const Context&, Zxid) {}
  static void onFromLearner(const Context& ctx, ServerId, const Message& message);
  static void onFromLeader(const Context&, const Message&) {}
  static void onLearnerGone(const Context&, ServerId) {}
  static void onRoleOver(const Context&) {}
  static void onOwnLink(const Context&, const Vocabulary<zab::BasicTypes<Counter>>::Input&) {}
  static void onAsked(const Context& ctx, const Request& request);
};

struct Family : zab::BasicFamily<Counter> {
  using Config = zab::Config;
  using Rules = Counter::Rules;
  static constexpr std::string_view name = "counter";
  static constexpr std::string_view text = "ZooKeeper's broadcast with a counter, for tests";
  static constexpr std::array links{LinkSpec{"election", LinkKind::slot}, LinkSpec{"learner", LinkKind::tcp}};
  static void step(const Config& config, const Rules& rules, Node& node, const Vocabulary::Input& input,
                   Vocabulary::Effects& out) {
    stepServer(config, rules, node, input, out);
  }
  static bool accepts(const Node& node, Link link) { return acceptsServer(node, link); }
};

using Ledger = zab::BasicLedger<Family>;

}  // namespace zablab::counter

namespace zablab {

template <>
struct zab::ServiceWords<counter::Counter> {
  static std::int64_t plain(Zxid zxid) { return zxid.counter(); }
  static constexpr const char* plain_text = "its counter, added";
  static Phrase label(const Names&, const counter::HandedOn& message) {
    return "ADD " + std::to_string(message.amount);
  }
  static Phrase tell(const Names& names, ServerId self, const counter::Shown& event) {
    return phrase("{server} shows {sum}", names(self), event.sum);
  }
};

template <>
struct zab::ServiceBook<counter::Family> {
  struct Own {
    std::int64_t shown = 0;  ///< last, in this role
    bool operator==(const Own&) const = default;
    BOOST_DESCRIBE_CLASS(Own, (), (shown), (), ())
  };
  struct Shared {
    bool operator==(const Shared&) const = default;
    BOOST_DESCRIBE_CLASS(Shared, (), (), (), ())
  };
  struct Facts {};
  static constexpr std::uint64_t kinds = kindBits(Kind::event);
  static std::optional<Showing> note(counter::Ledger&, const Happened<counter::Family>& seen, Facts&) {
    if (seen.kind != Kind::event || !holds_alternative<counter::Shown>(*seen.event)) return std::nullopt;
    return Showing{get<counter::Shown>(*seen.event).after};
  }
  static void onRoleOver(Own& own) { own.shown = 0; }
  static std::vector<std::unique_ptr<Monitor<counter::Family>>> monitors(counter::Ledger& ledger);
};

template <>
struct Binding<counter::Family> : BindingBase<counter::Family>, zab::BroadcastBinding {
  using F = counter::Family;
  static Phrase label(const Names& names, const F::Message& message) {
    return zab::label<counter::Counter>(names, message);
  }
  static Json data(const Names& names, const F::Event& event);
  static Phrase tell(const Names& names, ServerId self, const F::Event& event) {
    return zab::tell<counter::Counter>(names, self, event);
  }
  static Phrase tell(const Names& names, ServerId self, const F::Request& request) {
    return phrase("{server} is asked to {operation}", names(self), enumName(request.operation));
  }
  static Json logPicture(const F::Node& node, const F::Durable& disk);
  static Json header();
  static std::vector<std::string> narrate(const Trace& trace);
  static RuleTables<F::Rules> ruleTables();

  struct Add {
    static constexpr std::string_view name = "add";
    std::int64_t amount = 0;
    BOOST_DESCRIBE_CLASS(Add, (), (amount), (), ())
  };
  struct Tell {
    static constexpr std::string_view name = "tell";
    BOOST_DESCRIBE_CLASS(Tell, (), (), (), ())
  };
  using Asks = variant<Add, Tell>;
  static F::Request request(const Asks& asks, AskContext context) {
    const auto* add = get_if<Add>(&asks);
    return {add == nullptr ? counter::Operation::tell : counter::Operation::add,
            add == nullptr ? 0 : add->amount, context.number};
  }
  static Asks asking(const F::Request& request) {
    if (request.operation == counter::Operation::tell) return Tell{};
    return Add{request.amount};
  }
  static constexpr bool asks_servers = true;
  static std::vector<F::Config> configs(const Scenario& scenario, const JsonValue& document,
                                        const std::vector<ServerSpec>& servers) {
    return zab::configs<zab::Config>(scenario, document, servers);
  }
  static std::vector<Opened> arrange(const Cluster<F>& cluster, std::vector<std::optional<F::Node>>& placed) {
    return zab::arrange(cluster, placed);
  }
  static void checkState(const JsonValue& place, ServerId id, F::Node& node) {
    zab::checkState<F>(place, id, node);
  }
};

template <>
struct CheckOf<counter::Family> : zab::BroadcastCheck<counter::Family> {
  using F = counter::Family;
  using BroadcastCheck::BroadcastCheck;
  static constexpr std::uint32_t idle = first_own;  ///< for clients; there are none
  static std::uint32_t view(const zab::Config& config, const F::Rules& rules, const F::Node& node) {
    return viewOfServer(config, rules, node);
  }
  static F::Request write(std::uint32_t n) { return {counter::Operation::add, n}; }
  static F::Request read(std::uint32_t) { return {counter::Operation::tell, 0}; }
};

extern template const FamilyCheck& theCheck<counter::Family>();

}  // namespace zablab
