// What the monitors of a run remember besides the ledger: which requests each server was sent and has not
// answered, which servers have confirmed each read, and what each client waits for. It is computed from
// messages, connections and what servers and clients report, never from a node's state. A search has no such
// book: its memory grows with the run, and a search knows no times.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "checker/book.h"
#include "checker/run_clock.h"
#include "checker/step_input.h"
#include "protocol/leader_followers/family.h"

namespace zablab::leader_followers {

/// A client's request at a server. `via`: the server that has forwarded it there.
struct Open {
  ServerId client = no_server;
  std::int64_t number = 0;
  ServerId via = no_server;
  auto operator<=>(const Open&) const = default;
};

struct NodeRecord {
  bool running = false;  ///< it was started in this run, so that all that it was sent is known
  // ---- a server
  Role role{};
  std::int64_t generation = 0;
  std::map<Open, Operation> open;
  std::vector<Open> reads;                       ///< of a leader, in order of arrival
  std::map<Open, std::set<ServerId>> confirmed;  ///< who has answered since then that it follows
  // ---- a client
  std::optional<std::int64_t> waits;  ///< the number of its request
  Since began;
  ServerId asked = no_server;  ///< whom
  bool connection_over = false;
};

struct RunRecord {};

class Records : public Book<Family, NodeRecord, RunRecord>, public RunClock, public StepInput<Family> {
 public:
  using Book::Book;

  void on(const Happened<Family>& seen) override;

  /// What the reply that is sent now answers; null: nothing that was asked.
  const Open* answered() const { return answered_ ? &*answered_ : nullptr; }
  Operation operation() const { return operation_; }
  /// Who has confirmed the read that is answered now.
  const std::set<ServerId>& confirmedBy() const { return confirmed_by_; }

 private:
  void read(const Happened<Family>& seen);
  void arrives(NodeRecord& memory, const Open& request, Operation operation);
  void onSent(const Happened<Family>& seen);
  void onEvent(const Happened<Family>& seen);
  void forget(NodeRecord& memory, const Open& request);

  std::optional<Open> answered_;
  Operation operation_{};
  std::set<ServerId> confirmed_by_;
};

/// The invariants that only runs judge.
std::span<const zablab::Invariant<Records>> runInvariants();

}  // namespace zablab::leader_followers
