// What an exhaustive search requires of the family besides its steps.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "checker/check/book_monitors.h"
#include "checker/check/check_of.h"
#include "checker/kafka/monitors.h"
#include "checker/kafka/rest.h"
#include "protocol/kafka/family.h"

namespace zablab {

class KafkaMoves;

template <>
struct CheckOf<kafka::Family> : BookMonitors<kafka::Family, kafka::Ledger, &kafka::monitorsWith> {
  using F = kafka::Family;
  using OwnMoves = KafkaMoves;
  using BookMonitors::BookMonitors;

  // ---- what guards have to know about a process
  static constexpr std::uint32_t idle = 1;     ///< a client that waits for nothing
  static constexpr std::uint32_t settled = 2;  ///< a broker that has nothing to do, or another node
  static std::uint32_t view(const kafka::Config& config, const kafka::Rules& rules, const kafka::Node& node);
  static Fires firesByDefault(F::TimerKind kind);
  /// No decision compares the time since a follower's fetch.
  static std::vector<Millis> thresholds(const kafka::Config&, ServerId) { return {}; }
  static constexpr std::array grains{Grain::settled};
  /// A client that asks one broker. In a model with such a client the brokers are registered, and one of
  /// them is the controller, when the search begins.
  static bool connected(const kafka::Node& node) { return node.client && node.client->server != no_server; }

  // ---- states
  static constexpr std::array state_invariants{
      InvariantInfo{
          "controller-acts",
          "if all brokers run and have sessions, and nothing is on the way, the one that /controller "
          "names acts as the controller"},
      InvariantInfo{
          "brokers-registered",
          "if all brokers run and have sessions, and nothing is on the way, the controller sees all "
          "of them alive"},
      InvariantInfo{
          "brokers-updated",
          "if all brokers run and have sessions, and nothing is on the way, all of them have accepted "
          "the controller's last request"}};
  StateVerdict judge(const StoreOf<F>& store) {
    const auto nodes = nodesAtRest(store);
    if (nodes.empty()) return {};
    std::vector<const kafka::Node*> brokers;
    const kafka::Node* zookeeper = nullptr;
    for (const kafka::Node* node : nodes) {
      if (node->broker) brokers.push_back(node);
      if (!node->broker && !node->client) zookeeper = node;
    }
    const auto lacks = kafka::unsettled(brokers, *zookeeper);
    StateVerdict verdict;
    for (std::size_t which = 0; which < state_invariants.size(); ++which)
      verdict.note(which, !lacks || which != static_cast<std::size_t>(lacks->what));
    return verdict;
  }

 private:
  /// None: something is on the way, or somebody does not run, waits, or is cut off.
  std::vector<const kafka::Node*> nodesAtRest(const StoreOf<F>& store) const {
    if (store.holdsAny(Relation::cut, 0)) return {};
    for (int i = 0; i < cluster_.serverCount(); ++i) {
      if (!store.isUp(i) || store.isPaused(i) || store.hasUnsynced(i)) return {};
      if ((store.says(i) & settled) == 0) return {};
    }
    for (const Link link : {zab::learner_link, zookeeper::client_link, kafka::broker_link}) {
      if (store.holdsAny(Relation::dialling, link)) return {};
      for (int from = 0; from < store.size(); ++from) {
        for (int to = 0; to < store.size(); ++to) {
          if (!store.isEmpty(link, from, to)) return {};
        }
      }
    }
    std::vector<const kafka::Node*> nodes;
    for (int i = 0; i < store.size(); ++i) nodes.push_back(&store.node(i));
    if (!kafka::areAtRest(nodes)) return {};
    return nodes;
  }
};

extern template const FamilyCheck& theCheck<kafka::Family>();

}  // namespace zablab
