// The family of quorum registers, bound to the engines.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/quorum_register/family.h"
#include "sim/binding.h"
#include "sim/direct.h"
#include "sim/quorum_register/asks.h"
#include "sim/quorum_register/codec.h"
#include "sim/quorum_register/narrative.h"
#include "sim/quorum_register/words.h"
#include "sim/rule_words.h"
#include "sim/scenario.h"
#include "sim/trace.h"

namespace zablab {

template <>
struct Binding<quorum_register::Family> {
  using F = quorum_register::Family;

  static std::string_view typeName(const F::Message& message) { return quorum_register::typeName(message); }
  static std::string label(const Names& names, const F::Message& message) {
    return quorum_register::label(names, message);
  }
  static std::string_view kindName(const F::Event& event) { return quorum_register::kindName(event); }
  static Json data(const Names& names, const F::Event& event) { return quorum_register::data(names, event); }
  static std::string tell(const Names& names, ServerId self, const F::Event& event) {
    return quorum_register::tell(names, self, event);
  }
  static std::string tell(const Names& names, ServerId self, const F::Request& request) {
    return quorum_register::tell(names, self, request);
  }
  /// What a replica has; there is no log.
  static Json logPicture(const F::Node& node, const F::Durable& disk);
  static std::string timerName(F::TimerKind kind) { return std::string(enumName(kind)); }
  static std::string_view recordName(const F::Record& record) {
    return std::visit([](const auto& alternative) { return alternative.name; }, record);
  }

  /// Names and their meanings, for lists. A rule's name is "name=value".
  static NamesAndTexts variantTexts();
  static NamesAndTexts ruleTexts();
  static NamesAndTexts mutationTexts();

  /// What a trace's header contains about this family, for drawing.
  static Json header();
  static std::vector<std::string> changedRules(const F::Rules& rules) {
    return quorum_register::changedRules(rules);
  }

  static constexpr std::string_view default_variant = "abd";

  /// What was read and written, one line for each.
  static std::vector<std::string> narrate(const Trace& trace);
  static std::vector<std::string> answer(const Trace& trace) { return quorum_register::answerOf(trace); }

  using Asks = quorum_register::Asks;
  static F::Request request(const Asks& asks, AskContext context);
  static Asks asking(const F::Request& request);

  /// A connection that is open from the start. There are none: datagrams need no connection.
  struct Opened {
    Link link = 0;
    int a = 0;
    int b = 0;
  };
  static std::vector<Opened> arrange(const Cluster<F>& cluster, std::vector<std::optional<F::Node>>& placed);

  /// Checks that server `id` can be in the state that `place` describes. Throws InputError.
  static void checkState(const JsonValue& place, ServerId id, const F::Node& node);
  /// Checks the limits of a configuration's fields. Throws InputError.
  static void checkConfig(const JsonValue& place, const F::Config& config);

  /// The rules of the variant, with single rules and mutations applied. Throws InputError if a name is
  /// unknown.
  static F::Rules rules(const Scenario& scenario, const JsonValue& document);
  /// Each node's configuration: the scenario's fields, and its own. Every server that is not a stand-in is a
  /// home, unless the homes are listed. Throws InputError.
  static std::vector<F::Config> configs(const Scenario& scenario, const JsonValue& document,
                                        const std::vector<ServerSpec>& servers);
};

}  // namespace zablab
