// Sentinel, bound to the engines.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/sentinel/family.h"
#include "sim/binding.h"
#include "sim/direct.h"
#include "sim/rule_words.h"
#include "sim/scenario.h"
#include "sim/sentinel/asks.h"
#include "sim/sentinel/narrative.h"
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

template <>
struct Binding<sentinel::Family> {
  using F = sentinel::Family;

  static std::string_view typeName(const F::Message& message) { return sentinel::typeName(message); }
  static std::string label(const Names& names, const F::Message& message) {
    return sentinel::label(names, message);
  }
  static std::string_view kindName(const F::Event& event) { return sentinel::kindName(event); }
  static Json data(const Names& names, const F::Event& event) { return sentinel::data(names, event); }
  static std::string tell(const Names& names, ServerId self, const F::Event& event) {
    return sentinel::tell(names, self, event);
  }
  static std::string tell(const Names& names, ServerId self, const F::Request& request) {
    return sentinel::tell(names, self, request);
  }
  /// The last writes of a Redis server: what is durable, and what is not yet.
  static Json logPicture(const F::Node& node, const F::Durable& disk);
  static std::string timerName(F::TimerKind kind) { return std::string(enumName(kind)); }
  static std::string_view recordName(const F::Record& record) {
    return std::visit([](const auto& alternative) { return alternative.name; }, record);
  }

  /// Names and their meanings, for lists. A rule's name is "name=value".
  static NamesAndTexts variantTexts();
  static NamesAndTexts ruleTexts();
  static NamesAndTexts mutationTexts();

  /// Who was elected, promoted and followed: one line for each.
  static std::vector<std::string> narrate(const Trace& trace);
  static std::vector<std::string> answer(const Trace& trace) { return sentinel::answerOf(trace); }
  static constexpr std::array<std::string_view, 2> election_events{R"({"kind": "try_failover"})",
                                                                   R"({"kind": "elected"})"};

  /// What a trace's header contains about this family, for drawing.
  static Json header();
  static std::string nodeKind(const F::Config& config, ServerId) {
    return std::string(enumName(config.kind));
  }

  static std::vector<std::string> changedRules(const F::Rules& rules) {
    return sentinel::changedRules(rules);
  }

  static constexpr std::string_view default_variant = "fixed";

  using Asks = sentinel::Asks;
  static F::Request request(const Asks& asks, AskContext context);
  static Asks asking(const F::Request& request);

  using ServerFields = sentinel::ServerFields;

  /// A connection that is open from the start.
  struct Opened {
    Link link = 0;
    int a = 0;
    int b = 0;
  };
  /// Those of the nodes that already run, which are connected to each other.
  static std::vector<Opened> arrange(const Cluster<F>& cluster, std::vector<std::optional<F::Node>>& placed);

  /// Checks that server `id` can be in the state that `place` describes. Throws InputError.
  static void checkState(const JsonValue& place, ServerId id, const F::Node& node);
  /// Checks the limits of a configuration's fields. Throws InputError.
  static void checkConfig(const JsonValue& place, const F::Config& config);

  /// The rules of the variant, with single rules and mutations applied. Throws InputError if a name is
  /// unknown.
  static F::Rules rules(const Scenario& scenario, const JsonValue& document);
  /// Each node's configuration: the default one, then the scenario's fields, then its own. Throws InputError.
  static std::vector<F::Config> configs(const Scenario& scenario, const JsonValue& document,
                                        const std::vector<ServerSpec>& servers);
};

}  // namespace zablab
