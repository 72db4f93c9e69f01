// An election on an external store, bound to the engines.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/external_store/family.h"
#include "sim/binding.h"
#include "sim/direct.h"
#include "sim/external_store/asks.h"
#include "sim/external_store/narrative.h"
#include "sim/external_store/words.h"
#include "sim/rule_words.h"
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

template <>
struct Binding<external_store::Family> {
  using F = external_store::Family;

  static std::string_view typeName(const F::Message& message) { return external_store::typeName(message); }
  static std::string label(const Names& names, const F::Message& message) {
    return external_store::label(names, message);
  }
  static std::string_view kindName(const F::Event& event) { return external_store::kindName(event); }
  static Json data(const Names& names, const F::Event& event) { return external_store::data(names, event); }
  static std::string tell(const Names& names, ServerId self, const F::Event& event) {
    return external_store::tell(names, self, event);
  }
  static std::string tell(const Names& names, ServerId self, const F::Request& request) {
    return external_store::tell(names, self, request);
  }
  /// The keys of a store, and the last write of a resource.
  static Json logPicture(const F::Node& node, const F::Durable& disk);
  static std::string timerKeyName(const external_store::TimerKey& key) { return std::to_string(key.id); }
  static std::string timerName(F::TimerKind kind) { return std::string(enumName(kind)); }
  static std::string_view recordName(const F::Record& record) {
    return std::visit([](const auto& alternative) { return alternative.name; }, record);
  }

  /// Names and their meanings, for lists. A rule's name is "name=value".
  static NamesAndTexts variantTexts();
  static NamesAndTexts ruleTexts();
  static NamesAndTexts mutationTexts();

  /// Who was elected, and who stepped down: one line for each.
  static std::vector<std::string> narrate(const Trace& trace);
  static std::vector<std::string> answer(const Trace& trace) { return external_store::answerOf(trace); }
  static constexpr std::array<std::string_view, 2> election_events{R"({"kind": "looking"})",
                                                                   R"({"kind": "quorum", "pre": false})"};

  /// What a trace's header contains about this family, for drawing.
  static Json header();
  static std::string nodeKind(const F::Config& config, ServerId) {
    return std::string(enumName(config.kind));
  }

  static std::vector<std::string> changedRules(const F::Rules& rules) {
    return external_store::changedRules(rules);
  }

  static constexpr std::string_view default_variant = "fixed";

  static constexpr bool asks_servers = true;
  using Asks = external_store::Asks;
  static F::Request request(const Asks& asks, AskContext context);
  static Asks asking(const F::Request& request);

  using ServerFields = external_store::ServerFields;

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
