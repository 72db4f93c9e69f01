// The book that the monitors read: votes, promotions and configurations, and what each sentinel was told. It
// is computed from messages that arrive, durable writes and reported decisions, never from a node's state.
#pragma once

#include <utility>
#include <vector>

#include "checker/monitor.h"
#include "checker/sentinel/memory.h"
#include "protocol/sentinel/family.h"
#include "sim/direct.h"

namespace zablab::sentinel {

class Ledger : public Listener<Family> {
 public:
  explicit Ledger(const Cluster<Family>& cluster) : cluster_(cluster), own_(cluster.ids.size()) {}

  void on(const Happened<Family>& seen) override;

  OwnMemory& own(int node) { return own_[static_cast<std::size_t>(node)]; }
  SharedMemory& shared() {
    shared_touched_ = true;
    return shared_;
  }
  const Cluster<Family>& cluster() const { return cluster_; }
  ServerId id(int node) const { return cluster_.ids[static_cast<std::size_t>(node)]; }
  const Config& config(int node) const { return cluster_.configs[static_cast<std::size_t>(node)]; }

  // ---- for a search, which keeps the memory elsewhere
  void setShared(SharedMemory memory) {
    shared_ = std::move(memory);
    shared_touched_ = false;
  }
  bool sharedTouched() const { return shared_touched_; }
  /// The content of a disk when the world begins.
  void begin(int node, const Durable& disk);
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

  const Cluster<Family>& cluster_;
  std::vector<OwnMemory> own_;
  SharedMemory shared_;
  bool shared_touched_ = false;
};

}  // namespace zablab::sentinel
