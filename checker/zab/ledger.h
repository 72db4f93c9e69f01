// What the monitors of recovery and broadcast share: a book of what every server has made durable, what it
// has in memory, and what has been claimed as committed. All of it is counted anew from durable writes,
// messages and what servers say of their history; no node is asked whether something is committed.
//
// A server *holds* an entry in epoch e when everything up to it is durable there while its durable current
// epoch is e, and from then on as long as it stays durable there: a truncation, a snapshot in its place or a
// wiped disk ends it. An entry is *backed* when for some e a quorum of voters holds it since e. It is
// *claimed* when a leader sends COMMIT or INFORM for it after its activation, when it lies in a leader's
// history at that leader's activation, or when an answer of the service shows it to a client (service.h).
// (Commits inside a DIFF before the activation claim nothing.)
//
// Who is a voter, and what a quorum of them, is as the first server's configuration has it.
//
// All memory of all monitors is here, in plain values (memory.h). Of a server it changes by what happens at
// that server alone; the shared memory is asked for only where something concerns it. An exhaustive search
// looks up what a happening does to both.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "checker/monitor.h"
#include "checker/zab/memory.h"
#include "checker/zab/service.h"
#include "sim/direct.h"

namespace zablab::zab {

/// Where `zxid` stands in `history`, from the end.
template <class F>
std::optional<std::size_t> find(const std::vector<BasicEntry<F>>& history, Zxid zxid) {
  for (std::size_t i = history.size(); i > 0; --i) {
    if (history[i - 1].zxid() == zxid) return i - 1;
  }
  return std::nullopt;
}

/// Instantiated by ledger_impl.h, in one file of each family.
template <class F>
class BasicLedger : public Listener<F> {
 public:
  using Service = typename F::Service;
  using Book = ServiceBook<F>;
  using Txn = BasicTxn<Service>;
  using Entry = BasicEntry<F>;
  using History = BasicHistory<F>;
  using OwnMemory = BasicOwnMemory<F>;
  using SharedMemory = BasicSharedMemory<F>;

  /// What the event that was seen last has brought about.
  struct Facts {
    std::size_t claimed_from = 0;  ///< positions newly claimed
    std::size_t claimed_to = 0;
    bool given = false;     ///< the scenario began with them
    int by = -1;            ///< whose claim
    bool conflict = false;  ///< a claim contradicts an older one
    std::optional<std::size_t> conflict_at;
    bool committed_unknown = false;  ///< COMMIT for what is not in the leader's history
    bool established = false;        ///< an epoch was established
    bool shown = false;              ///< an answer showed the server's history to a client
    typename Book::Facts service{};
    std::int64_t accepted_before = 0;  ///< the server's epochs, before
    std::int64_t current_before = 0;
  };

  explicit BasicLedger(const Cluster<F>& cluster) : cluster_(cluster), own_(cluster.ids.size()) {}

  void on(const Happened<F>& seen) override;

  const Facts& facts() const { return facts_; }
  OwnMemory& own(int server) { return own_[static_cast<std::size_t>(server)]; }
  SharedMemory& shared() {
    shared_touched_ = true;
    return shared_;
  }
  const Cluster<F>& cluster() const { return cluster_; }
  ServerId id(int server) const { return cluster_.ids[static_cast<std::size_t>(server)]; }
  bool isBacked(const Entry& entry);
  /// Of a set of servers, a bit each: whether its voters are a quorum as `server` has it configured; their
  /// ids.
  bool areQuorumTo(int server, std::uint64_t set) const;
  std::vector<ServerId> idsOf(std::uint64_t set) const;
  /// Who holds it, in any epoch, for messages.
  std::vector<ServerId> holders(const Entry& entry);

  // ---- for a search, which keeps the memory elsewhere
  /// What is left to forget when all have seen a happening. Between steps nothing is kept but the memory.
  void settle();
  void setShared(SharedMemory memory) {
    shared_ = std::move(memory);
    shared_touched_ = false;
  }
  bool sharedTouched() const { return shared_touched_; }

 private:
  void keep(const Happened<F>& seen);
  void onRecord(int server, const typename F::Record& record);
  void onEvent(int server, const typename F::Event& event);
  void onSent(const Happened<F>& seen);
  void onShown(int server, const Showing& showing);
  void adoptImage(int server, const BasicDurable<Service>& image);
  void rereadDurable(int server);
  void noteHeld(int server, std::size_t position);
  void noteLost(int server, const Entry& entry);
  void noteAllHeld(int server);
  void endRole(OwnMemory& memory);
  void hear(OwnMemory& memory);
  void claim(int server, std::size_t position, std::int64_t epoch, bool given);

  const Cluster<F>& cluster_;
  std::vector<OwnMemory> own_;
  SharedMemory shared_;
  bool shared_touched_ = false;
  mutable boost::unordered_flat_map<std::uint64_t, bool> quorums_;  ///< by set of servers
  std::optional<std::pair<ServerId, Notification>> notification_;   ///< read in the present step
  std::vector<Zxid> commits_sent_;                                  ///< in the present step
  bool placing_ = false;  ///< the present step takes up a role that the scenario began with
  Facts facts_;
};

}  // namespace zablab::zab
