// Kafka, bound to the engines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "protocol/kafka/family.h"
#include "sim/binding.h"
#include "sim/direct.h"
#include "sim/kafka/asks.h"
#include "sim/kafka/narrative.h"
#include "sim/kafka/words.h"
#include "sim/rule_words.h"
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

template <>
struct Binding<kafka::Family> {
  using F = kafka::Family;

  static std::string_view typeName(const F::Message& message) { return zab::nameOf(message); }
  static std::string label(const Names& names, const F::Message& message) {
    return kafka::label(names, message);
  }
  static std::string_view kindName(const F::Event& event) { return zab::nameOf(event); }
  static Json data(const Names& names, const F::Event& event) { return kafka::data(names, event); }
  static std::string tell(const Names& names, ServerId self, const F::Event& event) {
    return kafka::tell(names, self, event);
  }
  static std::string tell(const Names& names, ServerId self, const F::Request& request) {
    return kafka::tell(names, self, request);
  }
  /// The end of the log of ZooKeeper's servers.
  static Json logPicture(const F::Node& node, const F::Durable& disk);
  static std::string timerName(F::TimerKind kind) { return std::string(enumName(kind)); }
  static std::string timerKeyName(const F::TimerKey& key) {
    return Binding<zookeeper::Family>::timerKeyName(key);
  }
  static std::string_view recordName(const F::Record& record) { return zab::nameOf(record); }

  /// Names and their meanings, for lists. A rule's name is "name=value".
  static NamesAndTexts variantTexts();
  static NamesAndTexts ruleTexts();
  static NamesAndTexts mutationTexts();

  static std::vector<std::string> narrate(const Trace& trace) { return kafka::narrativeOf(trace); }
  static std::vector<std::string> answer(const Trace& trace) { return kafka::answerOf(trace); }

  /// What a trace's header contains about this family, for drawing.
  static Json header();
  static std::string nodeKind(const F::Config& config, ServerId) {
    return std::string(enumName(config.kind));
  }

  static std::vector<std::string> changedRules(const F::Rules& rules) { return kafka::changedRules(rules); }

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

  struct Opened {
    Link link = 0;
    int a = 0;
    int b = 0;
  };
  /// None: sessions are not described in scenarios.
  static std::vector<Opened> arrange(const Cluster<F>&, std::vector<std::optional<F::Node>>&) { return {}; }

  /// The rules of the variant, with single rules and mutations applied. Throws InputError if a name is
  /// unknown.
  static F::Rules rules(const Scenario& scenario, const JsonValue& document);
  /// Each node's configuration: the default one, then the scenario's fields, then its own. Throws InputError.
  static std::vector<F::Config> configs(const Scenario& scenario, const JsonValue& document,
                                        const std::vector<ServerSpec>& servers);
};

}  // namespace zablab
