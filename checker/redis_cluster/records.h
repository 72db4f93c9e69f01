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
#include "protocol/redis_cluster/family.h"

namespace zablab::redis_cluster {

/// What a node has heard of another one.
struct Watched {
  Millis packet = 0;  ///< when the last packet of the bus arrived, or the node started
  Millis failed_at = 0;
  Flag flag = Flag::none;         ///< as the node has reported
  std::vector<ServerId> failing;  ///< what it says in PING and PONG
  Since failing_at;
  bool reported_as_master = false;  ///< the node took it for a master when it said so
  std::int64_t offset = 0;
  ServerId master = no_server;  ///< as it says in its last PING or PONG
  bool heard = false;           ///< there was one
  std::optional<Millis> voted;  ///< when it voted about this master
  Since voted_since;
  bool unanswered = false;            ///< it was sent a PING, and has not sent a PONG since
  std::optional<Since> silent_since;  ///< since when it has sent nothing meanwhile
  Since pinged;                       ///< when it was sent the last PING, or is to be sent them more often
  bool often = true;                  ///< the next one follows as soon as its port can be dialled
};

/// A client's request.
struct Asking {
  Request request;
  Since began;
  ServerId turn = no_server;  ///< the node that has to answer
  std::int64_t redirections = 0;
};

struct NodeRecord {
  /// It was started in this run, so that all that it has and does is known.
  bool running = false;
  Millis started_at = 0;
  bool returns = false;  ///< it was a master when it started, and has not been a replica since
  bool known_disk = false;
  bool lost_power = false;         ///< or a write failed: data that were written may be lost
  NodesConf conf;                  ///< what is synced
  std::map<ServerId, Known> view;  ///< of the nodes, as synced or told since
  History history;
  std::int64_t epoch = 0;  ///< the highest that it has written, or heard
  std::map<ServerId, Watched> watched;
  // ---- a replica
  bool copied = false;            ///< its present master has sent it all it had, through this connection
  bool ever_copied = false;       ///< a master has, since it started or was a master itself
  std::optional<Millis> data_at;  ///< when its master has sent something last
  std::optional<Millis> link_at;  ///< when the connection to a master ended last
  bool forced = false;            ///< it was instructed, and need not wait
  bool hands_over = false;        ///< its master executes no writes, and it has all of them
  std::int64_t rank = 0;
  std::optional<Millis> scheduled_at;
  std::optional<Millis> attempt_at;  ///< when its last attempt began, if that need not have ended
  std::optional<Since> looks;        ///< since when it waits before it looks again whether it can stand
  bool retries = false;              ///< for the next attempt, which is longer
  std::optional<Since> waits;  ///< since when it waits before it asks for votes
  std::optional<Millis> asked_at;
  std::int64_t asked = 0;               ///< the epoch in which it has asked for votes last
  std::optional<Since> instructed;      ///< to replace its master at once, and has not asked for votes yet
  std::optional<std::int64_t> awaited;  ///< in a manual failover: the offset that it has to come to
  std::optional<Since> delayed;         ///< since when what it sends to one other node waits
  ServerId delayed_to = no_server;
  // ---- a master
  bool serves = false;
  std::optional<Millis> minority_at;  ///< since when it has refused requests for want of a majority
  bool minority = false;              ///< it has not reached a majority since it served last
  std::optional<Since> again_since;   ///< since when it could serve again after that
  std::optional<Since> could_since;   ///< since when it could serve
  bool paused = false;
  Millis manual_at = 0;
  std::optional<Since> manual;  ///< of a manual failover that goes on, for a replica or its master
  ServerId manual_with = no_server;
  std::set<std::int64_t> postponed;    ///< requests that wait for its end
  std::map<std::int64_t, Entry> sets;  ///< by request, as it was asked
  std::map<std::int64_t, Slot> gets;
  std::vector<ServerId> fed;  ///< the replicas that have asked for its data, through this connection
  Since fed_at;               ///< when it has sent all of them a sign of life last, or could first
  // ---- a client
  std::map<Slot, ServerId> believed;
  std::optional<Asking> asking;
};

/// What a node has done in the present step.
struct Done {
  bool by_age = false;  ///< it was told the age of its data
  std::optional<Millis> age;
  bool instructed = false;  ///< to replace its master with that one's help
  ServerId master_before = no_server;
  bool schedules = false;
  bool asks = false;
  bool promoted = false;
  bool follows = false;
  bool collides = false;
  bool requests = false;  ///< a manual failover
  bool refuses = false;
  bool asks_master = false;
  bool flags = false;
  bool saves = false;
  bool expires = false;
  bool begins_to_serve = false;
  ServerId fails = no_server;  ///< that it takes for failed as others have reported
  std::optional<VoteReason> vote;
  bool acknowledges = false;
  int answers = 0;  ///< to the request that it reads
  bool updates = false;
  std::optional<Known> told;  ///< by the sender of the PING or PONG that it reads
  std::vector<ServerId> ponged;
  std::vector<ServerId> asked;
  std::vector<ServerId> told_failed;
  std::vector<ServerId> pinged;
  std::vector<ServerId> signs;    ///< of life, to replicas
  std::size_t copies = 0;         ///< of its writes, to replicas
  bool pauses = false;            ///< for a manual failover
  bool rises = false;             ///< its rank
  bool waited = false;            ///< until now, before it asks for votes
  bool forgets = false;           ///< it writes another configuration epoch of a node than it was told
  std::optional<Millis> attempt;  ///< when the attempt before began
  std::optional<SlotsMoved> moved;
  std::vector<std::int64_t> discards;  ///< by what it is sent
  std::optional<std::vector<std::int64_t>> discarded;
  std::optional<Asking> asking;  ///< the client's request before the step
  bool ends = false;             ///< that request

  /// As before the step. Lists keep their memory.
  void clear() {
    Done next;
    for (const auto list : {&Done::ponged, &Done::asked, &Done::told_failed, &Done::pinged, &Done::signs}) {
      (this->*list).clear();
      (next.*list).swap(this->*list);
    }
    *this = std::move(next);
  }
};

/// What is on the way from a master to its replicas.
struct Copy {
  std::int64_t offset = 0;  ///< the master's, with this write
  History history;          ///< all of it
};

struct RunRecord {
  std::map<std::uint64_t, Copy> copies;  ///< by the message's number
};

class Records : public Book<Family, NodeRecord, RunRecord>, public RunClock, public StepInput<Family> {
 public:
  using Book::Book;

  void on(const Happened<Family>& seen) override;

  /// What the master had when it sent the message that is read; null: it is not known.
  const Copy* copy() const { return copy_ ? &*copy_ : nullptr; }
  bool readsLate() const { return late_; }
  int appends() const { return appends_; }
  /// Of them, those that no client was answered yet.
  int unanswered() const { return unanswered_; }
  /// The write that the present answer is about.
  const std::optional<Entry>& answered() const { return answered_; }
  bool copiedBefore() const { return copied_before_; }
  /// What is sent now was withheld, and is older.
  bool sendsWithheld() const { return isTimer(TimerKind::acknowledged); }
  bool isTimer(TimerKind kind) const { return timer_ && timer_->kind == kind; }
  /// By which the present step begins.
  const std::optional<Timer>& timer() const { return timer_; }
  /// Before the present event.
  const Watched& watchedBefore() const { return watched_before_; }
  std::optional<Millis> askedBefore() const { return asked_before_; }
  const NodesConf& confBefore() const { return conf_before_; }
  std::optional<Millis> minorityBefore() const { return minority_before_; }
  bool inMinorityBefore() const { return in_minority_before_; }
  const Done& done() const { return done_; }
  /// Of a node that starts: whether its disk has what it has written.
  bool findsItsDisk() const { return finds_disk_; }

  ServerId masterOf(int node);
  bool isMaster(int node) { return masterOf(node) == no_server; }
  std::vector<Slot> slotsOf(int node, ServerId owner);
  /// The masters that own slots, as this node has written.
  std::vector<ServerId> electorate(int node);
  /// Who reports this node as failing, as far as reports still count.
  std::vector<ServerId> reportersOf(int node, ServerId about);
  /// Nobody: `no_server`.
  ServerId ownerOf(int node, Slot slot);
  /// Whether the node reaches a majority of the masters, and whether all slots are there, in its own view.
  bool reachesMajority(int node);
  bool coversAll(int node);

 private:
  void begin(const Happened<Family>& seen);
  void start(const Happened<Family>& seen);
  void read(const Happened<Family>& seen);
  void readPacket(int node, const Message& message);
  void putOn(int node, const Record& record, bool synced);
  void onEvent(int node, const Event& event);
  void onSent(const Happened<Family>& seen);
  void onManual(int node, const ManualFailover& manual);
  void endManual(int node);
  void noteAnswer(const Happened<Family>& seen, std::int64_t number);
  const Known& learn(int node, const Header& header);
  void onClient(const Happened<Family>& seen);
  void onClientRead(int node);
  void believeNext(int node);
  void onTimer(const Happened<Family>& seen);
  void notePing(int node, ServerId peer);
  void noteFlag(int node, const Flagged& flagged);
  void conclude(int node);
  void concludeAttempt(int node);

  std::optional<Copy> copy_;
  bool late_ = false;
  std::optional<Timer> timer_;
  std::optional<Entry> appended_;
  std::optional<Entry> answered_;
  int appends_ = 0;
  int unanswered_ = 0;
  bool copied_before_ = false;
  Watched watched_before_;
  std::optional<Millis> asked_before_;
  NodesConf conf_before_;
  std::optional<Millis> minority_before_;
  Done done_;
  bool finds_disk_ = true;
  bool in_minority_before_ = false;
};

/// What every packet of the bus says; null: it is none.
const Header* headerOf(const Message& message);

}  // namespace zablab::redis_cluster
