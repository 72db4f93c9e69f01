// What producers and consumers are answered, and where what they write is kept.
#pragma once

#include <algorithm>

#include "checker/clients/clients.h"
#include "protocol/kafka/family.h"

namespace zablab {

template <>
struct ClientsOf<kafka::Family> {
  using F = kafka::Family;

  static bool isAnswered(const F::Request& request) {
    return request.operation == kafka::Operation::metadata ||
           request.operation == kafka::Operation::produce || request.operation == kafka::Operation::consume;
  }
  static std::optional<ClientAnswer> answered(const F::Event& event) {
    if (const auto* produced = get_if<kafka::Produced>(&event)) {
      // Without acknowledgements nobody answers.
      return ClientAnswer{produced->number, produced->acks == kafka::Acks::none ? Asked::other : Asked::write,
                          produced->outcome == kafka::Outcome::ok};
    }
    if (const auto* consumed = get_if<kafka::Consumed>(&event))
      return ClientAnswer{consumed->number, Asked::read, consumed->outcome == kafka::Outcome::ok,
                          consumed->last_record};
    if (const auto* told = get_if<kafka::MetadataAnswered>(&event))
      return ClientAnswer{told->number, Asked::other, told->outcome == kafka::Outcome::ok};
    return std::nullopt;
  }
  /// The partition's leader.
  static Serving readFrom(const RunOf<F>& run, const F::Event&) {
    return leaderBy(run, [](const F::Node& node) -> std::optional<std::int64_t> {
      if (!node.broker || node.broker->replica.role != kafka::ReplicaRole::leader) return std::nullopt;
      return node.broker->applied.leader_epoch;
    });
  }
  static bool has(const F::Node& node, const F::Event& write) {
    return node.broker && hasIn(node.broker->replica.log, write);
  }
  static bool has(const F::Durable& disk, const F::Event& write) { return hasIn(disk.log, write); }

 private:
  static bool hasIn(const kafka::Log& log, const F::Event& write) {
    const std::int64_t number = get<kafka::Produced>(write).number;
    return std::any_of(log.rbegin(), log.rend(), [&](const auto& entry) { return entry.number == number; });
  }
};

}  // namespace zablab
