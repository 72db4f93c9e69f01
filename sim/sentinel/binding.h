// Sentinel, bound to the engines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/sentinel/family.h"
#include "sim/binding_base.h"
#include "sim/direct.h"
#include "sim/scenario.h"
#include "sim/sentinel/asks.h"
#include "sim/sentinel/words.h"
#include "sim/trace.h"

namespace zablab {
namespace sentinel {

/// What a server of a scenario is.
struct ServerFields {
  NodeKind kind{};
};
BOOST_DESCRIBE_STRUCT(ServerFields, (), (kind))

}  // namespace sentinel

ZABLAB_FAMILY(extern template, sentinel::Family);

template <>
struct Binding<sentinel::Family> : BindingBase<sentinel::Family>, sentinel::Words {
  using F = sentinel::Family;

  /// The last writes of a Redis server: what is durable, and what is not yet.
  static Json logPicture(const F::Node& node, const F::Durable& disk);

  /// Who was elected, promoted and followed: one line for each.
  static std::vector<std::string> narrate(const Trace& trace);

  /// What a trace's header contains about this family, for drawing.
  static Json header();
  static std::string nodeKind(const F::Config& config, ServerId) {
    return std::string(enumName(config.kind));
  }

  static constexpr std::string_view default_variant = "fixed";

  using Asks = sentinel::Asks;
  static F::Request request(const Asks& asks, AskContext context);
  static Asks asking(const F::Request& request);

  using ServerFields = sentinel::ServerFields;

  /// Those of the nodes that already run, which are connected to each other.
  static std::vector<Opened> arrange(const Cluster<F>& cluster, std::vector<std::optional<F::Node>>& placed);

  /// Checks that server `id` can be in the state that `place` describes. Throws InputError.
  static void checkState(const JsonValue& place, ServerId id, const F::Node& node);
  /// Checks the limits of a configuration's fields. Throws InputError.
  static void checkConfig(const JsonValue& place, const F::Config& config);

  /// Each node's configuration: the default one, then the scenario's fields, then its own. Throws InputError.
  static std::vector<F::Config> configs(const Scenario& scenario, const JsonValue& document,
                                        const std::vector<ServerSpec>& servers);
};

}  // namespace zablab
