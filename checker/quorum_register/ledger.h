// The book that the monitors read: the history of the clients' requests and answers, and what is durable
// where. It is computed from durable writes, messages and what clients report about their requests.
#pragma once

#include <utility>
#include <vector>

#include "checker/monitor.h"
#include "checker/quorum_register/memory.h"
#include "protocol/quorum_register/family.h"
#include "sim/direct.h"

namespace zablab::quorum_register {

class Ledger : public Listener<Family> {
 public:
  explicit Ledger(const Cluster<Family>& cluster) : cluster_(cluster), own_(cluster.ids.size()) {}

  void on(const Happened<Family>& seen) override;

  OwnMemory& own(int server) { return own_[static_cast<std::size_t>(server)]; }
  SharedMemory& shared() {
    shared_touched_ = true;
    return shared_;
  }
  const Cluster<Family>& cluster() const { return cluster_; }
  ServerId id(int server) const { return cluster_.ids[static_cast<std::size_t>(server)]; }
  const Config& config(int server) const { return cluster_.configs[static_cast<std::size_t>(server)]; }
  /// What the replica had before the last write, or start, seen.
  const Version& storedBefore() const { return stored_before_; }
  /// The homes whose copy, there or with a stand-in, is durable and at least as new.
  std::vector<ServerId> homesThatHave(const Version& version);

  // ---- for a search, which keeps the memory elsewhere
  void setShared(SharedMemory memory) {
    shared_ = std::move(memory);
    shared_touched_ = false;
  }
  bool sharedTouched() const { return shared_touched_; }
  /// The content of a disk when the world begins.
  void begin(int server, const Durable& disk);

 private:
  void onRecord(int server, const Record& record);
  void onEvent(int server, const Event& event);
  void note(int holder, ServerId home, const Version& version);
  void forget(int holder, ServerId home);

  const Cluster<Family>& cluster_;
  std::vector<OwnMemory> own_;
  SharedMemory shared_;
  bool shared_touched_ = false;
  Version stored_before_;
};

}  // namespace zablab::quorum_register
