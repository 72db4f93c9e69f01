// The book that the monitors read: the keys of the store, as it reports their changes; who takes itself for
// the leader; what the resource has accepted. It is computed from reported decisions and durable writes,
// never from a node's state.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "checker/book.h"
#include "checker/external_store/memory.h"
#include "protocol/external_store/family.h"

namespace zablab::external_store {

/// The token of who leads by these keys; 0: nobody.
std::int64_t firstToken(const StoreState& store);

class Ledger : public Book<Family, OwnMemory, SharedMemory> {
 public:
  using Book::Book;

  void on(const Happened<Family>& seen) override;

  /// What the present write to the store's disk changes, or the entry that the first server of a replicated
  /// store executes, and who has asked for it; nobody: a lease has expired.
  const std::vector<Change>& changes() const { return changes_; }
  ServerId by() const { return by_; }
  /// The key before it, if it replaces one.
  const std::optional<KeyValue>& replaced() const { return replaced_; }

  using Entry = leader_followers::BasicEntry<StoreLog>;
  /// What another server of the store has executed in the place of the entry that is executed now.
  const std::optional<Entry>& executedBefore() const { return executed_before_; }
  /// The lease whose renewal a candidate learns of now; 0: none.
  std::int64_t renewed() const { return renewed_; }
  /// The lease whose time is over, by the entry that is executed now.
  struct Ended {
    std::int64_t lease = 0;
    ServerId by = no_server;  ///< the server that has measured it
    bool measured = false;    ///< since the request for the last renewal that was answered, too
  };
  const std::optional<Ended>& ended() const { return ended_; }
  /// Another leader of the generation of the server of the store that is elected now.
  std::optional<ServerId> ledBefore() const { return led_before_; }
  bool storeElects() const { return store_elects_; }
  /// The read that is answered now.
  const std::optional<Reading>& read() const { return read_; }

  // ---- for a search, which keeps the memory elsewhere
  /// The content of a disk when the world begins.
  void begin(int node, const Durable& disk);
  /// A server or candidate that already runs then.
  void begin(int node, const Node& state);
  /// What only the monitors of this step needed.
  void settle() {
    for (OwnMemory& own : own_) own.before = own.token;
    by_ = no_server;
    forgetEvent();
  }

 private:
  /// What the monitors read of one event alone.
  void forgetEvent() {
    executed_before_.reset();
    led_before_.reset();
    store_elects_ = false;
    renewed_ = 0;
    ended_.reset();
    read_.reset();
  }
  bool isReplicated() const { return cluster_.configs.front().isReplicated(); }
  void onCommand(const Command& command);
  void onEvent(int node, const Event& event);
  void onApplied(const leader_followers::BasicApplied<StoreLog>& applied);
  /// A candidate or a server of a replicated store has sent this.
  void onSent(int node, const Message& message);
  /// This server begins to measure the lease again.
  void measures(ServerId server, std::int64_t lease);
  void onAnswered(int node, const Answered& answered);
  void noteFirst();

  ServerId by_ = no_server;
  std::vector<Change> changes_;
  std::optional<KeyValue> replaced_;
  std::optional<Entry> executed_before_;
  std::optional<ServerId> led_before_;
  bool store_elects_ = false;
  std::int64_t renewed_ = 0;
  std::optional<Ended> ended_;
  std::optional<Reading> read_;
};

}  // namespace zablab::external_store
