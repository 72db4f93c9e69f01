// Kafka, bound to the engines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "protocol/kafka/family.h"
#include "sim/binding_base.h"
#include "sim/direct.h"
#include "sim/kafka/asks.h"
#include "sim/kafka/words.h"
#include "sim/scenario.h"
#include "sim/trace.h"
#include "sim/zookeeper/binding.h"

namespace zablab {
namespace kafka {

/// What a server of a scenario is.
struct ServerFields {
  NodeKind kind{};
};
BOOST_DESCRIBE_STRUCT(ServerFields, (), (kind))

}  // namespace kafka

ZABLAB_FAMILY(extern template, kafka::Family);

template <>
struct Binding<kafka::Family> : BindingBase<kafka::Family>, kafka::Words {
  using F = kafka::Family;

  /// The end of the log of ZooKeeper's servers.
  static Json logPicture(const F::Node& node, const F::Durable& disk);
  static std::string timerKeyName(const F::TimerKey& key) {
    return Binding<zookeeper::Family>::timerKeyName(key);
  }

  /// What a trace's header contains about this family, for drawing.
  static Json header();
  static std::string nodeKind(const F::Config& config, ServerId) {
    return std::string(enumName(config.kind));
  }

  static constexpr std::string_view default_variant = "fixed";

  using Asks = kafka::Asks;
  static F::Request request(const Asks& asks, AskContext context);
  static Asks asking(const F::Request& request);
  static Asks turn(ServerId server) { return kafka::asks::Connect{server}; }
  static std::optional<ServerId> turnsTo(const Asks& asks);

  using ServerFields = kafka::ServerFields;

  /// Checks that server `id` can be in the state that `place` describes. Throws InputError.
  static void checkState(const JsonValue& place, ServerId id, const F::Node& node);
  /// Checks the limits of a configuration's fields. Throws InputError.
  static void checkConfig(const JsonValue& place, const F::Config& config);

  /// Each node's configuration: the default one, then the scenario's fields, then its own. Throws InputError.
  static std::vector<F::Config> configs(const Scenario& scenario, const JsonValue& document,
                                        const std::vector<ServerSpec>& servers);
};

}  // namespace zablab
