// What the quorum register's clients are answered, and where what they write is kept.
#pragma once

#include <algorithm>

#include "checker/clients/clients.h"
#include "protocol/quorum_register/family.h"

namespace zablab {

template <>
struct ClientsOf<quorum_register::Family> {
  using F = quorum_register::Family;

  static bool isAnswered(const F::Request&) { return true; }
  static std::optional<ClientAnswer> answered(const F::Event& event) {
    const auto* answer = get_if<quorum_register::Answered>(&event);
    if (answer == nullptr) return std::nullopt;
    using enum quorum_register::Operation;
    // A comparison that fails writes nothing.
    const bool writes =
        answer->operation == write || (answer->operation == compare_and_set && answer->value != 0);
    const Asked what = writes ? Asked::write : answer->operation == read ? Asked::read : Asked::other;
    return ClientAnswer{answer->request, what, answer->outcome == quorum_register::Outcome::ok,
                        answer->value};
  }
  /// Nobody alone: a reader may ask any replica.
  static Serving readFrom(const RunOf<F>&, const F::Event&) { return {}; }
  static bool has(const F::Node& node, const F::Event& write) {
    return isIn(node.stored, node.hints, get<quorum_register::Answered>(write).version);
  }
  static bool has(const F::Durable& disk, const F::Event& write) {
    return isIn(disk.stored, disk.hints, get<quorum_register::Answered>(write).version);
  }

 private:
  /// This version, or a later one.
  static bool isIn(const quorum_register::Stored& stored,
                   const std::map<ServerId, quorum_register::Stored>& hints,
                   const quorum_register::Version& version) {
    return stored.version >= version || std::any_of(hints.begin(), hints.end(), [&](const auto& hint) {
             return hint.second.version >= version;
           });
  }
};

}  // namespace zablab
