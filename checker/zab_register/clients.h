// What the register's clients are answered, and where what they write is kept.
#pragma once

#include "checker/zab/clients.h"
#include "protocol/zab_register/family.h"

namespace zablab {

template <>
struct ClientsOf<zab::Family> : zab::BroadcastClients<zab::Family, ClientsOf<zab::Family>> {
  using F = zab::Family;

  static bool isAnswered(const F::Request& request) { return request.operation != zab::Operation::connect; }
  static std::optional<ClientAnswer> answered(const F::Event& event) {
    const auto* answer = get_if<zab::Answered>(&event);
    if (answer == nullptr) return std::nullopt;
    const Asked what = answer->operation == zab::Operation::put    ? Asked::write
                       : answer->operation == zab::Operation::read ? Asked::read
                                                                   : Asked::other;
    return ClientAnswer{answer->number, what, answer->outcome == zab::Outcome::ok, answer->value.value_or(0)};
  }
  static bool isOf(const zab::Txn& txn, const F::Event& write) {
    const auto& answer = get<zab::Answered>(write);
    return txn.zxid == answer.zxid && txn.payload.number == answer.number;
  }
};

}  // namespace zablab
