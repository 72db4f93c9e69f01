// The family `zab`, bound to the engines.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/zab_register/family.h"
#include "sim/binding_base.h"
#include "sim/direct.h"
#include "sim/scenario.h"
#include "sim/zab/binding.h"
#include "sim/zab_register/asks.h"
#include "sim/zab_register/words.h"

namespace zablab {

ZABLAB_FAMILY(extern template, zab::Family);

template <>
struct Binding<zab::Family> : BindingBase<zab::Family>, zab::BroadcastBinding {
  static Phrase label(const Names& names, const zab::Message& message) {
    return zab::label<zab::Register>(names, message);
  }
  static Json data(const Names& names, const zab::Event& event);
  static Phrase tell(const Names& names, ServerId self, const zab::Event& event) {
    return zab::tell<zab::Register>(names, self, event);
  }
  static Phrase tell(const Names& names, ServerId self, const zab::Request& request) {
    return zab::tell(names, self, request);
  }
  /// The end of a server's log: what is committed, what is durable, what is not yet durable.
  static Json logPicture(const zab::Node& node, const zab::Durable& disk);

  /// Who won each election and why, which epochs were established, and what clients cannot know.
  static std::vector<std::string> narrate(const Trace& trace);
  static std::vector<Phrase> answer(const Trace& trace) { return zab::answerOf(trace); }

  /// What a trace's header contains about this family, for drawing.
  static Json header();

  using Asks = zab::Asks;
  static zab::Request request(const Asks& asks, AskContext context);
  static Asks asking(const zab::Request& request);
  static Asks turn(ServerId server) { return zab::asks::Connect{server}; }
  static std::optional<ServerId> turnsTo(const Asks& asks);
  static constexpr bool asks_servers = true;

  /// Makes the servers that a scenario starts in their roles consistent with each other: a leader knows its
  /// followers and is connected to them. By index; entries of servers that are not placed are empty.
  static std::vector<Opened> arrange(const Cluster<zab::Family>& cluster,
                                     std::vector<std::optional<zab::Node>>& placed);

  /// Checks that server `id` can be in the state that `place` describes, and derives the service's state from
  /// its history. Throws InputError.
  static void checkState(const JsonValue& place, ServerId id, zab::Node& node);
  /// Each server's configuration: its zoo.cfg's or the default one, then the scenario's fields, then its own.
  /// Throws InputError.
  static std::vector<zab::NodeConfig> configs(const Scenario& scenario, const JsonValue& document,
                                              const std::vector<ServerSpec>& servers);
};

}  // namespace zablab
