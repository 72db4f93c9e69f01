// What clients of Leader and Followers are answered, and where what they write is kept.
#pragma once

#include <algorithm>

#include "checker/clients/clients.h"
#include "protocol/leader_followers/family.h"

namespace zablab {

template <>
struct ClientsOf<leader_followers::Family> {
  using F = leader_followers::Family;

  static bool isAnswered(const F::Request& request) {
    return request.operation != leader_followers::Operation::connect;
  }
  static std::optional<ClientAnswer> answered(const F::Event& event) {
    const auto* answer = get_if<leader_followers::Answered>(&event);
    if (answer == nullptr) return std::nullopt;
    return ClientAnswer{answer->number,
                        answer->operation == leader_followers::Operation::put ? Asked::write : Asked::read,
                        answer->outcome == leader_followers::Outcome::ok, answer->value};
  }
  static Serving readFrom(const RunOf<F>& run, const F::Event&) {
    return leaderBy(run, [](const F::Node& node) -> std::optional<std::int64_t> {
      if (node.role != leader_followers::Role::LEADING) return std::nullopt;
      return node.generation;
    });
  }
  static bool has(const F::Node& node, const F::Event& write) { return hasIn(node.log, write); }
  static bool has(const F::Durable& disk, const F::Event& write) { return hasIn(disk.log, write); }

 private:
  static bool hasIn(const leader_followers::Log& log, const F::Event& write) {
    const std::int64_t number = get<leader_followers::Answered>(write).number;
    return std::any_of(log.rbegin(), log.rend(),
                       [&](const auto& entry) { return entry.payload.number == number; });
  }
};

}  // namespace zablab
