// The family of Redis Clusters, bound to the engines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/redis_cluster/family.h"
#include "sim/binding_base.h"
#include "sim/direct.h"
#include "sim/redis_cluster/asks.h"
#include "sim/redis_cluster/words.h"
#include "sim/scenario.h"
#include "sim/trace.h"

namespace zablab {
namespace redis_cluster {

/// A node of the cluster as it was created.
struct ServerFields {
  std::optional<ServerId> master = std::nullopt;  ///< it is a replica of this one
  std::optional<std::vector<Slot>> owned_slots =
      std::nullopt;                                         ///< a master's slots; one with its id by default
  std::optional<std::int64_t> config_epoch = std::nullopt;  ///< a master's; counted from 1 by default
};
BOOST_DESCRIBE_STRUCT(ServerFields, (), (master, owned_slots, config_epoch))

}  // namespace redis_cluster

ZABLAB_FAMILY(extern template, redis_cluster::Family);

template <>
struct Binding<redis_cluster::Family> : BindingBase<redis_cluster::Family>, redis_cluster::Words {
  using F = redis_cluster::Family;

  /// The last writes that a node has.
  static Json logPicture(const F::Node& node, const F::Durable& disk);

  /// What a trace's header contains about this family, for drawing.
  static Json header();
  static constexpr std::string_view default_variant = "fixed";

  using ServerFields = redis_cluster::ServerFields;
  using Asks = redis_cluster::Asks;
  static F::Request request(const Asks& asks, AskContext context);
  static Asks asking(const F::Request& request);
  static constexpr bool asks_servers = true;

  /// A replica whose state says that it is linked has a connection to its master.
  static std::vector<Opened> arrange(const Cluster<F>& cluster, std::vector<std::optional<F::Node>>& placed);

  /// Checks that server `id` can be in the state that `place` describes. Throws InputError.
  static void checkState(const JsonValue& place, ServerId id, const F::Node& node);
  /// Checks the limits of a configuration's fields. Throws InputError.
  static void checkConfig(const JsonValue& place, const F::Config& config);

  /// Each node's configuration: the scenario's fields, its own, and the cluster as it was created. Throws
  /// InputError.
  static std::vector<F::Config> configs(const Scenario& scenario, const JsonValue& document,
                                        const std::vector<ServerSpec>& servers);
};

}  // namespace zablab
