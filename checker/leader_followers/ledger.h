// What the monitors share: a book of what every server has written and made durable, which servers were
// elected, and what was claimed as committed. All of it is computed independently from writes, messages and
// the decisions that servers report; no node's state is read.
//
// An entry is *committed* when a leader reports that it counted a quorum for it, and so is everything before
// it in that leader's log. It is *backed* while a quorum of servers has it durable.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/leader_followers/memory.h"
#include "checker/monitor.h"
#include "protocol/leader_followers/family.h"
#include "sim/direct.h"

namespace zablab::leader_followers {

class Ledger : public Listener<Family> {
 public:
  /// The effects of the last event seen.
  struct Facts {
    std::size_t claimed_from = 0;  ///< newly committed, by place in the list
    std::size_t claimed_to = 0;
    std::optional<std::size_t> conflict;  ///< where a claim contradicts an older one
    std::optional<ServerId> led_before;   ///< another leader of the generation of the leader elected now
    bool elected = false;
    bool log_changed = false;            ///< the durable log was written
    std::int64_t generation_before = 0;  ///< the durable generation before a write became durable
    std::optional<Index> read_floor;     ///< of the client's read that has just been answered
  };

  explicit Ledger(const Cluster<Family>& cluster) : cluster_(cluster), own_(cluster.ids.size()) {
    shared_.durable.resize(static_cast<std::size_t>(cluster.serverCount()));
  }

  void on(const Happened<Family>& seen) override;

  const Facts& facts() const { return facts_; }
  /// Whether the Append being read is older than the generation of its reader.
  bool readsOlderAppend() const { return reads_older_append_; }
  OwnMemory& own(int server) { return own_[static_cast<std::size_t>(server)]; }
  SharedMemory& shared() {
    shared_touched_ = true;
    return shared_;
  }
  const Cluster<Family>& cluster() const { return cluster_; }
  ServerId id(int server) const { return cluster_.ids[static_cast<std::size_t>(server)]; }
  bool isClient(int server) const { return server >= cluster_.serverCount(); }
  /// Whether a quorum has this entry durable in this place.
  bool isBacked(std::size_t place, const Entry& entry);

  // ---- for a search, which keeps the memory elsewhere
  /// Discards the rest when all monitors have seen an event. Between steps only the memory is kept.
  void settle() { facts_ = {}; }
  void setShared(SharedMemory memory) {
    shared_ = std::move(memory);
    shared_touched_ = false;
  }
  bool sharedTouched() const { return shared_touched_; }

 private:
  void onDurable(int server, const Record& record);
  void onEvent(int server, const Event& event);
  void onAnswered(int client, const Answered& answered);

  const Cluster<Family>& cluster_;
  std::vector<OwnMemory> own_;
  SharedMemory shared_;
  bool shared_touched_ = false;
  bool reads_older_append_ = false;
  Facts facts_;
};

}  // namespace zablab::leader_followers
