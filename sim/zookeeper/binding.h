// The family `zookeeper`, bound to the engines.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/zookeeper/family.h"
#include "sim/binding_base.h"
#include "sim/direct.h"
#include "sim/scenario.h"
#include "sim/zab/binding.h"
#include "sim/zookeeper/asks.h"
#include "sim/zookeeper/words.h"

namespace zablab {

ZABLAB_FAMILY(extern template, zookeeper::Family);

template <>
struct Binding<zookeeper::Family> : BindingBase<zookeeper::Family>, zab::BroadcastBinding {
  static Phrase label(const Names& names, const zookeeper::Message& message) {
    return zab::label<zookeeper::ZooKeeper>(names, message);
  }
  static Json data(const Names& names, const zookeeper::Event& event) {
    return zab::data<zookeeper::ZooKeeper>(names, event);
  }
  static Phrase tell(const Names& names, ServerId self, const zookeeper::Event& event) {
    return zab::tell<zookeeper::ZooKeeper>(names, self, event);
  }
  static Phrase tell(const Names& names, ServerId self, const zookeeper::Request& request) {
    return zookeeper::tell(names, self, request);
  }
  /// The end of a server's log: what is committed, what is durable, what is not yet durable.
  static Json logPicture(const zookeeper::Node& node, const zookeeper::Durable& disk);
  static std::string timerName(zookeeper::V::TimerKind kind);
  static std::string timerKeyName(const zookeeper::V::TimerKey& key);

  static std::vector<std::string> narrate(const Trace& trace);
  static std::vector<Phrase> answer(const Trace& trace) { return zab::answerOf(trace); }
  static Json header();

  using Asks = zookeeper::Asks;
  static zookeeper::Request request(const Asks& asks, AskContext context);
  static Asks asking(const zookeeper::Request& request);
  static Asks turn(ServerId server) { return zookeeper::asks::Connect{.server = server}; }
  static std::optional<ServerId> turnsTo(const Asks& asks);

  static std::vector<Opened> arrange(const Cluster<zookeeper::Family>& cluster,
                                     std::vector<std::optional<zookeeper::Node>>& placed);
  static void checkState(const JsonValue& place, ServerId id, zookeeper::Node& node);
  static std::vector<zookeeper::NodeConfig> configs(const Scenario& scenario, const JsonValue& document,
                                                    const std::vector<ServerSpec>& servers);
};

}  // namespace zablab
