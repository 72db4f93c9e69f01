// What the monitors of a run remember besides the ledger: what each node has written, was told and was asked,
// and when. It is computed from messages that arrive, requests, writes and reported decisions, never from a
// node's state. A search has no such book: its memory grows with the run, and a search knows no times.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "checker/book.h"
#include "checker/run_clock.h"
#include "checker/step_input.h"
#include "protocol/sentinel/family.h"

namespace zablab::sentinel {

/// What a sentinel has heard of a Redis server or another sentinel.
struct Watched {
  Since pong;  ///< when its last PONG arrived, or the sentinel began to watch it
  Millis down_at = 0;
  bool down = false;  ///< as the sentinel has reported
  std::optional<InfoReply> info;
  Since info_at;
  Millis same_since = 0;           ///< since when it has reported this role and master
  ServerId sees_down = no_server;  ///< a sentinel's last answer: this master
  Since sees_at;
  bool interrupted = true;  ///< no PONG has arrived through the present connection
};

struct NodeRecord {
  /// It was started in this run, so that all that it has and does is known.
  bool running = false;
  Durable disk;  ///< what is synced
  // ---- a Redis server
  ServerId master = no_server;         ///< itself, or whom it copies, as it has written
  Data data;                           ///< the same
  bool copied = false;                 ///< its present master has sent it all it had
  std::map<ServerId, Since> reports;   ///< when each replica asked for data, or reported, last
  // ---- a sentinel
  ServerId follows = no_server;  ///< the master that it watches
  ServerId selected = no_server;
  std::int64_t attempt = 0;
  bool elected = false;
  bool tilt = false;
  bool resends = false;             ///< it has told the other replicas, because the failover took too long
  std::optional<Millis> postponed;  ///< since when it may not begin a failover
  Millis state_since = 0;
  std::map<ServerId, Watched> watched;
  // ---- a client
  std::optional<Request> request;
};

/// What is on the way from a master to its replicas.
struct Copy {
  std::int64_t offset = 0;  ///< the master's, with this write
  Data data;                ///< all of it
};

struct RunRecord {
  std::map<std::uint64_t, Copy> copies;                       ///< by the message's number
  std::map<std::pair<ServerId, std::int64_t>, int> executed;  ///< how often, by client and request
  std::set<std::pair<ServerId, std::int64_t>> refused;        ///< as the client was told
};

class Records : public Book<Family, NodeRecord, RunRecord>, public RunClock, public StepInput<Family> {
 public:
  using Book::Book;

  void on(const Happened<Family>& seen) override;

  /// What the master had when it sent the message that is read; null: it is not known.
  const Copy* copy() const { return copy_ ? &*copy_ : nullptr; }
  bool readsLate() const { return late_; }
  /// Of the present step.
  const std::optional<Entry>& appended() const { return appended_; }
  int appends() const { return appends_; }
  bool copiedBefore() const { return copied_before_; }
  ServerId masterBefore() const { return master_before_; }
  const Data& dataBefore() const { return data_before_; }
  const Durable& diskBefore() const { return disk_before_; }
  /// Before the attempt that begins now.
  std::optional<Millis> postponedBefore() const { return postponed_before_; }
  /// That ends with the present answer.
  const std::optional<Request>& ended() const { return ended_; }

  bool isMaster(int node) { return own(node).master == id(node); }

 private:
  void begin(const Happened<Family>& seen);
  void read(const Happened<Family>& seen);
  void onWritten(int node, const Record& record);
  void onEvent(int node, const Event& event);
  void onSent(const Happened<Family>& seen);
  void beginWatching(int node);

  std::optional<Copy> copy_;
  bool late_ = false;
  std::optional<Entry> appended_;
  int appends_ = 0;
  bool copied_before_ = false;
  ServerId master_before_ = no_server;
  Data data_before_;
  Durable disk_before_;
  std::optional<Millis> postponed_before_;
  std::optional<Request> ended_;
};

}  // namespace zablab::sentinel
