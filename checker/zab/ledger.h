// What the monitors of recovery and broadcast share: a book of what every server has made durable, what it
// has in memory, and what has been claimed as committed. All of it is computed independently from durable
// writes, messages and what servers report about their history; no node is asked whether something is
// committed.
//
// A server *holds* an entry in epoch e when everything up to it is durable there while its durable current
// epoch is e, and from then on as long as it stays durable there: a truncation, a snapshot that replaces it
// or a wiped disk ends it. An entry is *backed* when for some e a quorum of voters holds it since e. It is
// *claimed* when a leader sends COMMIT or INFORM for it after its activation, when it is in a leader's
// history at that leader's activation, or when an answer of the service shows it to a client (service.h).
// (Commits inside a DIFF before the activation claim nothing.)
//
// The voters, and what a quorum of them is, are determined by the first server's configuration.
//
// All memory of all monitors is here, in plain values (memory.h). The memory of a server changes only by what
// happens at that server; the shared memory is used only if something concerns it. An exhaustive search looks
// up the effect of an event on both.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "checker/book.h"
#include "checker/zab/memory.h"
#include "checker/zab/service.h"

namespace zablab::zab {

/// The position of `zxid` in `history`, searched from the end.
template <class F>
std::optional<std::size_t> find(const std::vector<BasicEntry<F>>& history, Zxid zxid) {
  for (std::size_t i = history.size(); i > 0; --i) {
    if (history[i - 1].zxid() == zxid) return i - 1;
  }
  return std::nullopt;
}

/// Instantiated by ledger_impl.h, in one file of each family.
template <class F>
class BasicLedger : public Book<F, BasicOwnMemory<F>, BasicSharedMemory<F>> {
  using Memory = zablab::Book<F, BasicOwnMemory<F>, BasicSharedMemory<F>>;

 public:
  using Service = typename F::Service;
  using Book = ServiceBook<F>;
  using Txn = BasicTxn<Service>;
  using Entry = BasicEntry<F>;
  using History = BasicHistory<F>;
  using OwnMemory = BasicOwnMemory<F>;
  using SharedMemory = BasicSharedMemory<F>;

  /// The effects of the last event seen.
  struct Facts {
    std::size_t claimed_from = 0;  ///< positions newly claimed
    std::size_t claimed_to = 0;
    bool given = false;     ///< the scenario began with them
    int by = -1;            ///< the server that claims
    bool conflict = false;  ///< a claim contradicts an older one
    std::optional<std::size_t> conflict_at;
    bool committed_unknown = false;  ///< COMMIT for a transaction that is not in the leader's history
    bool established = false;        ///< an epoch was established
    bool shown = false;              ///< an answer showed the server's history to a client
    typename Book::Facts service{};
    std::int64_t accepted_before = 0;  ///< the server's epochs before the event
    std::int64_t current_before = 0;
  };

  explicit BasicLedger(const Cluster<F>& cluster) : Memory(cluster) {}

  using Memory::id;
  using Memory::own;
  using Memory::shared;

  void on(const Happened<F>& seen) override;

  const Facts& facts() const { return facts_; }
  bool isBacked(const Entry& entry);
  /// For a set of servers, one bit each: whether its voters are a quorum by the configuration of `server`;
  /// their ids.
  bool areQuorumTo(int server, std::uint64_t set) const;
  std::vector<ServerId> idsOf(std::uint64_t set) const;
  /// The servers that hold it, in any epoch, for messages.
  std::vector<ServerId> holders(const Entry& entry);

  // ---- for a search, which keeps the memory elsewhere
  /// Discards the rest when all monitors have seen an event. Between steps only the memory is kept.
  void settle();

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

  using Memory::cluster_;
  using Memory::own_;
  using Memory::shared_;

  mutable boost::unordered_flat_map<std::uint64_t, bool> quorums_;  ///< by set of servers
  std::optional<std::pair<ServerId, Notification>> notification_;   ///< read in the present step
  std::vector<Zxid> commits_sent_;                                  ///< in the present step
  bool placing_ = false;  ///< the present step takes up a role that the scenario began with
  Facts facts_;
};

}  // namespace zablab::zab
