// What the monitors of a run remember besides the ledger: what each replica has written and synced, for
// itself and for other homes; what each client has asked, heard and sent for its present request; and when.
// It is computed from messages, writes and what clients report about their requests, never from a node's
// state. A search has no such book: its memory grows with the run, and a search knows no times.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checker/book.h"
#include "checker/run_clock.h"
#include "checker/step_input.h"
#include "protocol/quorum_register/family.h"

namespace zablab::quorum_register {

enum class Stage : std::uint8_t { none, asking, storing, answered };

struct NodeRecord {
  /// It was started in this run, so that all that it has and does is known.
  bool running = false;
  // ---- a replica
  Stored stored;                     ///< as written
  std::map<ServerId, Stored> hints;  ///< the same, by home
  Durable disk;                      ///< what is synced
  bool has_run = false;              ///< before, in this run
  Since hands_over;                  ///< since when it waits to hand over what it keeps
  // ---- a client
  Stage stage{};
  Request request;
  Since began;
  Since stores_since;
  std::map<ServerId, Version> heard;  ///< what homes have answered
  Stored newest;                      ///< of these
  Stored chosen;                      ///< what it stores or returns
  bool own = false;                   ///< a value of its own
  std::set<ServerId> acked;           ///< homes that are known to have it
  std::map<ServerId, Version> told;   ///< what it has sent to homes
  bool stood_in = false;              ///< it has turned to stand-ins
  std::int64_t counter = 0;           ///< of its own writes, if it counts them itself
};

struct RunRecord {};

class Records : public Book<Family, NodeRecord, RunRecord>, public RunClock, public StepInput<Family> {
 public:
  using Book::Book;

  void on(const Happened<Family>& seen) override;

  bool isReplica(int node) const { return !config(node).client; }

  // ---- the present step
  /// A process that starts finds on its disk what was synced there.
  bool findsItsDisk() const { return finds_its_disk_; }
  bool isTimer(TimerKind kind) const { return fired_ == kind; }
  bool isHandOff() const { return isTimer(TimerKind::hand_off); }
  /// What a replica had before it.
  const Stored& storedBefore() const { return stored_before_; }
  const std::optional<Stored>& hintBefore() const { return hint_before_; }
  /// What it has sent back to the sender, and to whom else it has sent anything.
  bool hasReplied() const { return replied_; }
  const std::set<ServerId>& sentTo() const { return sent_to_; }
  /// A client has turned to a stand-in that it had turned to in this step, or for a home for which it had.
  bool repeatsStandIn() const { return repeats_stand_in_; }
  /// A client begins a request.
  bool begins() const { return begins_; }

  // ---- the present event
  /// What a stand-in waited for before it hands over.
  const Since& handsOverSince() const { return hands_over_since_; }
  Stage stageBefore() const { return stage_before_; }
  /// What a client had sent to the home to which it sends now.
  const std::optional<Version>& toldBefore() const { return told_before_; }

 private:
  void begin(const Happened<Family>& seen);
  void read(const Happened<Family>& seen);
  void onSent(const Happened<Family>& seen);
  void onWritten(const Happened<Family>& seen);
  void onSynced(int node, const Record& record);
  void onEvent(int node, const Event& event);

  bool finds_its_disk_ = true;
  std::optional<TimerKind> fired_;
  Stored stored_before_;
  std::optional<Stored> hint_before_;
  bool replied_ = false;
  std::set<ServerId> sent_to_;
  std::set<ServerId> stood_in_for_;
  bool repeats_stand_in_ = false;
  bool begins_ = false;
  Since hands_over_since_;
  Stage stage_before_{};
  std::optional<Version> told_before_;
};

}  // namespace zablab::quorum_register
