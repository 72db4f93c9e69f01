// Leader and Followers, bound to the engines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/leader_followers/family.h"
#include "sim/binding_base.h"
#include "sim/direct.h"
#include "sim/leader_followers/asks.h"
#include "sim/leader_followers/words.h"
#include "sim/scenario.h"
#include "sim/trace.h"

namespace zablab {

ZABLAB_FAMILY(extern template, leader_followers::Family);

template <>
struct Binding<leader_followers::Family> : BindingBase<leader_followers::Family>, leader_followers::Words {
  using F = leader_followers::Family;

  /// The end of a server's log: what is committed, what is durable, what is not yet durable.
  static Json logPicture(const F::Node& node, const F::Durable& disk);

  /// Who was elected in which generation, by whom, and what was committed: one line for each.
  static std::vector<std::string> narrate(const Trace& trace);

  /// What a trace's header contains about this family, for drawing.
  static Json header();

  static constexpr std::string_view default_variant = "sound";

  using Asks = leader_followers::Asks;
  static F::Request request(const Asks& asks, AskContext context);
  static Asks asking(const F::Request& request);
  static Asks turn(ServerId server) { return leader_followers::asks::Connect{server}; }
  static std::optional<ServerId> turnsTo(const Asks& asks);
  static constexpr bool asks_servers = true;

  /// Makes the servers that a scenario starts in their roles consistent with each other: they are connected,
  /// and a leader knows its followers. By index; entries of servers that are not placed are empty.
  static std::vector<Opened> arrange(const Cluster<F>& cluster, std::vector<std::optional<F::Node>>& placed);

  /// Checks that server `id` can be in the state that `place` describes. Throws InputError.
  static void checkState(const JsonValue& place, ServerId id, const F::Node& node);
  /// Checks the limits of a configuration's fields. Throws InputError.
  static void checkConfig(const JsonValue& place, const F::Config& config);

  /// Each server's configuration: the default one, then the scenario's fields, then its own. Throws
  /// InputError.
  static std::vector<F::Config> configs(const Scenario& scenario, const JsonValue& document,
                                        const std::vector<ServerSpec>& servers);
};

}  // namespace zablab
