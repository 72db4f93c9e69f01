// What the monitors of a run remember besides the ledger: what each node has written, was told and was asked,
// and when. It is computed from messages that arrive, requests, writes and reported decisions, never from a
// node's state. A search has no such book: its memory grows with the run, and a search knows no times.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checker/book.h"
#include "checker/run_clock.h"
#include "checker/step_input.h"
#include "protocol/sentinel/family.h"

namespace zablab::sentinel {

/// What a sentinel has heard of a Redis server or another sentinel.
struct Watched {
  Since pong;           ///< when its last PONG arrived, or the sentinel began to watch it
  int pongs = 0;        ///< since then, through the present connection
  Millis hello_at = 0;  ///< when it was sent a HELLO, or the sentinel began to watch it
  bool hello_soon = false;
  bool connected = false;
  Since up;  ///< since when it is not seen down
  Millis down_at = 0;
  bool down = false;  ///< as the sentinel has reported
  std::optional<InfoReply> info;
  Since info_at;
  RedisRole role{};                ///< as it has reported, or is taken to have
  Millis same_since = 0;           ///< since when it has reported this role and master
  ServerId sees_down = no_server;  ///< a sentinel's last answer: this master
  Since sees_at;
  bool interrupted = true;  ///< no PONG has arrived through the present connection
  // ---- a replica in the sentinel's failover
  std::optional<Millis> told;  ///< when it was told the new master
  bool obeys = false;          ///< it has reported this master since
  bool done = false;           ///< and then that it has the master's data
};

/// What a client with a request, or a replica without its master's data, does about it.
struct Effort {
  ServerId with = no_server;  ///< whom it dials, or has asked; unset: nobody's answer is due
  Since idle;                 ///< since when
};

struct NodeRecord {
  /// It was started in this run, so that all that it has and does is known.
  bool running = false;
  bool known_disk = false;  ///< it has been running, and its disk is what it has written
  Durable disk;             ///< what is synced
  // ---- a Redis server
  ServerId master = no_server;        ///< itself, or whom it copies, as it has written
  Data data;                          ///< the same
  bool copied = false;                ///< its present master has sent it all it had
  std::map<ServerId, Since> reports;  ///< when each replica asked for data, or reported, last
  std::set<ServerId> replicas;        ///< that it has sent its data, and sends each write
  // ---- a sentinel
  ServerId follows = no_server;  ///< the master that it watches
  ServerId selected = no_server;
  std::int64_t attempt = 0;
  bool elected = false;
  bool odown = false;
  bool tilt = false;
  std::set<ServerId> known;        ///< sentinels
  std::optional<Since> postponed;  ///< since when it may not begin a failover
  FailoverState state{};
  Since state_since;
  std::map<ServerId, Watched> watched;
  // ---- a client
  std::optional<Request> request;
  Since began;
  ServerId turn = no_server;   ///< the sentinel that it asks
  ServerId named = no_server;  ///< the master that a sentinel has named
  bool reaches = false;        ///< it has a connection to the sentinel
  // ---- a client or a replica
  Effort effort;
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
  /// Whether the question that is read has been answered.
  bool hasReplied() const { return replied_; }
  /// To whom the write of the present step was handed on.
  const std::set<ServerId>& handedTo() const { return handed_to_; }
  RedisRole roleBefore() const { return role_before_; }
  /// The HELLO that is sent now: whether the last one is so long ago as it has to be.
  bool hasHelloPassed() const { return hello_passed_; }
  /// Whether the sentinel that is written down now was not known before.
  bool hasFound() const { return found_; }
  bool hasToldRole() const { return told_role_; }
  bool isTick() const { return tick_; }
  /// Replicas that a failover that takes too long has not told, and those that are told at its end.
  const std::set<ServerId>& untold() const { return untold_; }
  const std::set<ServerId>& toldLast() const { return told_last_; }
  /// The replica that has been told so long ago that it is waited for no longer, and whether this is
  /// reported.
  ServerId overdue() const { return overdue_; }
  bool hasGivenUp() const { return given_up_; }
  /// Of a server that starts: whether its disk has what it has written.
  bool findsItsDisk() const { return finds_disk_; }
  bool hasEndedFailover() const { return ended_failover_; }
  /// That ends with the present answer.
  const std::optional<Request>& ended() const { return ended_; }

  bool isMaster(int node) { return own(node).master == id(node); }
  bool isRunning(int node, NodeKind kind) { return own(node).running && config(node).kind == kind; }
  /// The replicas that a failover of this sentinel has to tell the new master.
  std::vector<ServerId> othersOf(int node);

 private:
  void begin(const Happened<Family>& seen);
  void read(const Happened<Family>& seen);
  void onWritten(int node, const Record& record);
  void onEvent(int node, const Event& event);
  void onSent(const Happened<Family>& seen);
  void beginWatching(int node);
  void watch(int node, ServerId instance);
  void noteReport(int node, const InfoReply& info);
  void onConnection(const Happened<Family>& seen);
  void onClientRead(int node);
  void rest(int node) { own(node).effort = {no_server, sinceNow(node)}; }
  void takeTurn(int node);

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
  bool replied_ = false;
  bool tick_ = false;
  bool hello_passed_ = false;
  bool found_ = false;
  bool told_role_ = false;
  RedisRole role_before_{};
  bool ended_failover_ = false;
  bool given_up_ = false;
  bool finds_disk_ = true;
  ServerId overdue_ = no_server;
  std::set<ServerId> handed_to_;
  std::set<ServerId> untold_;
  std::set<ServerId> told_first_;  ///< before the failover ends; what is sent in this step is lost
  std::set<ServerId> told_last_;
};

}  // namespace zablab::sentinel
