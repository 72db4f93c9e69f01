// The family of quorum registers, bound to the engines.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/quorum_register/family.h"
#include "sim/binding_base.h"
#include "sim/direct.h"
#include "sim/quorum_register/asks.h"
#include "sim/quorum_register/codec.h"
#include "sim/quorum_register/words.h"
#include "sim/scenario.h"
#include "sim/trace.h"

namespace zablab {

extern template struct BindingBase<quorum_register::Family>;

template <>
struct Binding<quorum_register::Family> : BindingBase<quorum_register::Family>, quorum_register::Words {
  using F = quorum_register::Family;

  /// What a replica has; there is no log.
  static Json logPicture(const F::Node& node, const F::Durable& disk);

  static RuleTables<F::Rules> ruleTables();

  /// What a trace's header contains about this family, for drawing.
  static Json header();

  static constexpr std::string_view default_variant = "abd";

  /// What was read and written, one line for each.
  static std::vector<std::string> narrate(const Trace& trace);

  using Asks = quorum_register::Asks;
  static F::Request request(const Asks& asks, AskContext context);
  static Asks asking(const F::Request& request);

  /// Checks that server `id` can be in the state that `place` describes. Throws InputError.
  static void checkState(const JsonValue& place, ServerId id, const F::Node& node);
  /// Checks the limits of a configuration's fields. Throws InputError.
  static void checkConfig(const JsonValue& place, const F::Config& config);

  /// Each node's configuration: the scenario's fields, and its own. Every server that is not a stand-in is a
  /// home, unless the homes are listed. Throws InputError.
  static std::vector<F::Config> configs(const Scenario& scenario, const JsonValue& document,
                                        const std::vector<ServerSpec>& servers);
};

}  // namespace zablab
