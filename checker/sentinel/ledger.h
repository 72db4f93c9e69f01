// The book that the monitors read: votes, promotions and configurations, and what each sentinel was told. It
// is computed from messages that arrive, durable writes and reported decisions, never from a node's state.
#pragma once

#include <utility>
#include <vector>

#include "checker/book.h"
#include "checker/sentinel/memory.h"
#include "protocol/sentinel/family.h"

namespace zablab::sentinel {

class Ledger : public Book<Family, OwnMemory, SharedMemory> {
 public:
  using Book::Book;

  void on(const Happened<Family>& seen) override;

  // ---- for a search, which keeps the memory elsewhere
  /// The content of a disk when the world begins.
  void begin(int node, const Durable& disk);
  /// A server that already runs then.
  void begin(int node, const Node& state);
  /// What only the monitors of this step needed.
  void settle() {
    for (OwnMemory& own : own_) {
      own.config_before = own.config_epoch;
      if (own.attempt == 0) own.attempt_votes.clear();
    }
  }

 private:
  void noteConfig(int node, const Durable& disk);
  void onDelivered(int node, ServerId from, const Message& message);
  void noteVote(int node, ServerId from, const Vote& vote);
  void onEvent(int node, const Event& event);
};

}  // namespace zablab::sentinel
