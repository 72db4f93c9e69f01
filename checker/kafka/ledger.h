// What the monitors compare with: what ZooKeeper has applied, in order, and whose requests each broker has
// accepted. It is computed from the transactions that ZooKeeper applies and from reported events, never from
// a broker's state.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "checker/book.h"
#include "checker/kafka/memory.h"
#include "protocol/kafka/family.h"

namespace zablab::kafka {

/// /controller was created.
struct Claim {
  ServerId broker = no_server;
  std::int64_t epoch_before = 0;  ///< after the claim before
  std::int64_t epoch = 0;
};
/// The partition's state was written.
struct StateWrite {
  ServerId broker = no_server;
  std::optional<ServerId> claimer;
  std::optional<Partition> before;
  Partition partition;
};

class Ledger : public Book<Family, OwnMemory, SharedMemory> {
 public:
  using Book::Book;

  void on(const Happened<Family>& seen) override;
  /// As if it had seen what ZooKeeper has applied in this world, and what the brokers that run have done.
  void begin(const WorldValue<Family>& value);

  /// What the present event has applied; several at once if ZooKeeper's server has started.
  const std::vector<Claim>& claims() const { return claims_; }
  const std::vector<StateWrite>& stateWrites() const { return state_writes_; }

  // ---- for a search, which keeps the memory elsewhere
  void settle() {
    claims_.clear();
    state_writes_.clear();
  }

 private:
  void onApplied(const zookeeper::Txn& txn);
  void noteLeader(ServerId leader, std::int64_t leader_epoch, const Log& log);
  void onEvent(const Happened<Family>& seen);
  void onWritten(const Happened<Family>& seen);

  std::vector<Claim> claims_;
  std::vector<StateWrite> state_writes_;
};

}  // namespace zablab::kafka
