// What the monitors of recovery and broadcast share: a book of what every server has made durable, what it
// has in memory, and what has been claimed as committed. All of it is counted anew from durable writes,
// messages and what servers say of their history; no node is asked whether something is committed.
//
// A server *holds* an entry in epoch e when everything up to it is durable there while its durable current
// epoch is e. An entry is *backed* when for some e a quorum of voters has held it in e. It is *claimed* when
// a leader sends COMMIT or INFORM for it after its activation, when it lies in a leader's history at that
// leader's activation, or when a server's answer to a client shows it. (Commits inside a DIFF before the
// activation claim nothing.)
//
// Who is a voter, and what a quorum of them, is as the first server's configuration has it.
//
// An entry here is a transaction together with everything before it: the running hash of a history names
// both.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "checker/monitor.h"
#include "protocol/zab/family.h"
#include "sim/direct.h"

namespace zablab::zab {

struct Entry {
  Zxid zxid;
  std::uint64_t chain = 0;  ///< of the history up to and including it
};
using History = std::vector<Entry>;

/// Appends a transaction to a history.
void extend(History& history, const Txn& txn);
/// Where `zxid` stands in `history`, from the end.
std::optional<std::size_t> find(const History& history, Zxid zxid);

class Ledger : public Listener<Family> {
 public:
  /// What is known of one server.
  struct Book {
    Durable image;    ///< what is durable
    History durable;  ///< the history that a restart would find
    History memory;   ///< the history it says it has
    Role role = Role::LOOKING;
    Phase phase = Phase::election;
    std::int64_t asked_epoch = 0;  ///< of the last LEADERINFO that it read
    std::int64_t accepted() const { return image.accepted_epoch.value_or(0); }
    std::int64_t current() const { return image.current_epoch.value_or(0); }
  };
  /// A claimed entry, by its position in the one history that there should be.
  struct Claim {
    Entry entry;
    std::int64_t epoch = 0;  ///< that committed it
  };
  struct Epoch {
    std::int64_t epoch = 0;
    int leader = -1;
    History initial;  ///< the leader's at its activation
  };

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
  };

  explicit Ledger(const Cluster<Family>& cluster) : cluster_(cluster), books_(cluster.ids.size()) {}

  void on(const Happened<Family>& seen) override;

  const Facts& facts() const { return facts_; }
  const Book& book(int server) const { return books_[static_cast<std::size_t>(server)]; }
  const std::vector<Claim>& claims() const { return claims_; }
  const std::vector<Epoch>& epochs() const { return epochs_; }
  ServerId id(int server) const { return cluster_.ids[static_cast<std::size_t>(server)]; }
  bool isBacked(const Entry& entry) const;
  /// Of a set of servers, a bit each: whether its voters are a quorum as `server` has it configured; their
  /// ids.
  bool areQuorumTo(int server, std::uint64_t set) const;
  std::vector<ServerId> idsOf(std::uint64_t set) const;
  /// Who has held it, by epoch, for messages.
  std::vector<ServerId> holders(const Entry& entry) const;

 private:
  Book& at(int server) { return books_[static_cast<std::size_t>(server)]; }
  void onRecord(int server, const Record& record);
  void onEvent(int server, const Event& event);
  void onSent(const Happened<Family>& seen);
  void adoptImage(int server, const Durable& image);
  void rereadDurable(int server);
  void noteHeld(int server, const Entry& entry);
  void noteAllHeld(int server);
  void claim(int server, std::size_t position, std::int64_t epoch, bool given);

  const Cluster<Family>& cluster_;
  std::vector<Book> books_;
  boost::unordered_flat_map<std::uint64_t, std::uint64_t> held_;  ///< (chain, epoch) -> servers, a bit each
  std::vector<std::int64_t> held_epochs_;
  mutable boost::unordered_flat_map<std::uint64_t, bool> quorums_;  ///< by set of servers
  std::vector<Claim> claims_;
  std::vector<Epoch> epochs_;
  std::vector<Zxid> commits_sent_;  ///< in the present step
  bool placing_ = false;            ///< the present step takes up a role that the scenario began with
  Facts facts_;
};

}  // namespace zablab::zab
