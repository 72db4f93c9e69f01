// An election on an external store, bound to the engines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/external_store/family.h"
#include "sim/binding_base.h"
#include "sim/direct.h"
#include "sim/external_store/asks.h"
#include "sim/external_store/words.h"
#include "sim/scenario.h"
#include "sim/trace.h"

namespace zablab {
namespace external_store {

/// What a server of a scenario is.
struct ServerFields {
  std::optional<NodeKind> kind;  ///< a candidate, if it is not given
};
BOOST_DESCRIBE_STRUCT(ServerFields, (), (kind))

}  // namespace external_store

ZABLAB_FAMILY(extern template, external_store::Family);

template <>
struct Binding<external_store::Family> : BindingBase<external_store::Family>, external_store::Words {
  using F = external_store::Family;

  /// The keys of a store, and the last write of a resource.
  static Json logPicture(const F::Node& node, const F::Durable& disk);
  static std::string timerKeyName(const external_store::TimerKey& key) { return std::to_string(key.id); }

  /// Who was elected, and who stepped down: one line for each.
  static std::vector<std::string> narrate(const Trace& trace);

  /// What a trace's header contains about this family, for drawing.
  static Json header();
  static std::string nodeKind(const F::Config& config, ServerId) {
    return std::string(enumName(config.kind));
  }

  static constexpr std::string_view default_variant = "fixed";

  static constexpr bool asks_servers = true;
  using Asks = external_store::Asks;
  static F::Request request(const Asks& asks, AskContext context);
  static Asks asking(const F::Request& request);

  using ServerFields = external_store::ServerFields;

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
