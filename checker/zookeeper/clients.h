// What ZooKeeper's clients are answered, and where what they write is kept.
#pragma once

#include "checker/zab/clients.h"
#include "protocol/zookeeper/family.h"

namespace zablab {

template <>
struct ClientsOf<zookeeper::Family> : zab::BroadcastClients<zookeeper::Family, ClientsOf<zookeeper::Family>> {
  using F = zookeeper::Family;

  static bool isAnswered(const F::Request& request) {
    return request.instruction == zookeeper::Instruction::operate;
  }
  static std::optional<ClientAnswer> answered(const F::Event& event) {
    const auto* answer = get_if<zookeeper::Answered>(&event);
    if (answer == nullptr) return std::nullopt;
    return ClientAnswer{answer->number, isData(answer->op.code) ? Asked::write : Asked::read,
                        answer->result.error == zookeeper::Error::OK};
  }
  static bool isOf(const zookeeper::Txn& txn, const F::Event& write) {
    const auto& answer = get<zookeeper::Answered>(write);
    return txn.zxid == answer.zxid && txn.payload.session == answer.session &&
           txn.payload.number == answer.number;
  }

 private:
  /// What changes the tree, and is kept in it.
  static bool isData(zookeeper::OpCode code) {
    using enum zookeeper::OpCode;
    return code == create || code == create2 || code == createContainer || code == createTTL ||
           code == remove || code == setData || code == setACL || code == multi;
  }
};

}  // namespace zablab
