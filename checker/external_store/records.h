// What the monitors of a run remember besides the ledger: what each server of the store contains and has on
// its disk, what it was asked and who watches it; what each candidate has asked and heard; what the resource
// has accepted; and when. It is computed from messages that arrive, requests, writes and reported decisions,
// never from a node's state. A search has no such book: its memory grows with the run, and a search knows no
// times.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checker/book.h"
#include "checker/run_clock.h"
#include "checker/step_input.h"
#include "protocol/external_store/family.h"

namespace zablab::external_store {

/// A request that a server of the store has read, and not answered.
struct Unanswered {
  Message request;
  Since since;
  std::int64_t revision = 0;      ///< of this server's contents when it was read
  std::int64_t revision_all = 0;  ///< of the newest contents of any server then
  std::size_t done = 0;           ///< how many commands of this server had been executed
};

/// A command that was executed, and which this server had put forward.
struct Done {
  ServerId by = no_server;  ///< for whom
  Command command;
  Result result;
  std::int64_t revision = 0;
  bool told = false;
};

struct Watching {
  Watch watch;
  std::vector<Change> owed;
  bool over = false;
};

/// A lease that a server of the store measures.
struct Measured {
  Since since;
  Millis wait = 0;
  bool ends = false;  ///< it has been decided to end it
};

/// A renewal that a server of the store has forwarded.
struct ForwardedRenewal {
  ServerId by = no_server;
  ServerId to = no_server;
};

/// A renewal that a server of the store has read, by its number there.
struct ReadRenewal {
  ServerId by = no_server;
  std::int64_t lease = 0;
  Since since;
};

/// A client's request that a candidate has read.
struct Task {
  Operation operation{};
  Since since;
  std::int64_t token = 0;        ///< of the candidate, if it led
  bool led = false;              ///< then
  bool sent = false;             ///< to the resource
  std::optional<bool> accepted;  ///< as the resource has answered
};

struct NodeRecord {
  /// It was started in this run, so that all that it has and does is known.
  bool running = false;
  bool has_run = false;  ///< before, in this run
  // ---- a server of the store
  StoreState contents;  ///< what it has executed, without its history
  std::int64_t executed = 0;
  leader_followers::BasicLog<StoreLog> log;      ///< as it has written it
  leader_followers::BasicLog<StoreLog> durable;  ///< what is synced of it
  std::int64_t unsynced = 0;                     ///< what it has written and is not synced
  bool leads = false;                            ///< or it is the only one
  std::vector<Done> done;
  std::map<ServerId, std::deque<Unanswered>> waiting;
  std::map<ServerId, std::deque<Unanswered>> renewals;
  std::map<ServerId, std::vector<Watching>> watches;
  std::map<std::int64_t, Measured> measured;
  std::map<std::int64_t, Since> ended;                 ///< leases that have ended here, and when
  std::map<std::int64_t, ForwardedRenewal> forwarded;  ///< by their numbers
  std::map<std::int64_t, ReadRenewal> limited;         ///< renewals for whose answer there is a limit
  Since led;                                           ///< when it last heard of a leader
  std::int64_t generation = 0;                         ///< which it leads
  bool commits = false;                                ///< and has executed an entry of it
  // ---- the resource
  Resource resource;  ///< on its disk
  // ---- a candidate or a client
  std::size_t turn = 0;  ///< to which server of the store it turns
  bool at_store = false;
  bool dials_store = false;
  // ---- a candidate
  bool at_resource = false;
  bool dials_resource = false;
  std::optional<Since> without_store;     ///< it has no connection, and does not try to make one
  std::optional<Since> without_resource;  ///< the same
  std::deque<Txn> asking;  ///< of the store
  std::int64_t lease = 0;
  Millis ttl_ms = 0;
  bool renewing = false;  ///< it has asked for its lease, or to renew it, and has no answer
  Since asked_at;
  Since answered_at;       ///< when it sent the last such request that was answered
  Since may_renew;         ///< when it last asked, was answered or was connected
  std::int64_t token = 0;  ///< 0: it does not lead
  std::optional<Key> watched;
  std::int64_t seen = 0;  ///< the last revision of which it knows that
  std::set<ServerId> members;
  std::optional<std::int64_t> members_seen;
  std::map<std::pair<ServerId, std::int64_t>, Task> tasks;
  std::int64_t releases = 0;  ///< the token of the key that it has to delete, since it has resigned
  // ---- a client
  std::optional<Request> request;
  std::optional<Request> read;
  Since request_at;
  Since read_at;
  std::optional<std::pair<ServerId, std::int64_t>> looks;  ///< where, and for which read
  std::optional<ServerId> named;                           ///< who leads, as the store has told it
  bool at_leader = false;
  bool dials_leader = false;
  bool asks = false;                   ///< it has sent its request, and has no answer
  std::optional<Since> request_rests;  ///< nothing is under way that it waits for
  std::optional<Since> read_rests;
};

struct AskedCommand {
  ServerId at = no_server;
  ServerId by = no_server;
  Command command;
};

struct RunRecord {
  bool known = true;  ///< all that the store contains
  bool begun = false;
  StoreState contents;  ///< the newest of any server
  std::int64_t executed = 0;
  std::vector<Change> changes;                            ///< all of them
  std::map<std::int64_t, std::vector<KeyValue>> keys;     ///< by revision
  std::map<std::int64_t, std::vector<KeyValue>> created;  ///< by the revision of their creation
  std::vector<AskedCommand> asked;                        ///< and not executed yet
  std::set<std::pair<ServerId, std::int64_t>> numbers;    ///< of what is executed, by server of the store
  std::set<std::pair<ServerId, std::int64_t>> accepted;   ///< writes, by client and number
  std::set<std::pair<ServerId, std::int64_t>> refused;    ///< as the client was told
};

class Records : public Book<Family, NodeRecord, RunRecord>, public RunClock, public StepInput<Family> {
 public:
  using Book::Book;
  using Applied = leader_followers::BasicApplied<StoreLog>;

  void on(const Happened<Family>& seen) override;

  bool isStore(int node) const { return config(node).kind == NodeKind::store; }
  bool isOneOfSeveral(int node) const { return config(node).stores.size() > 1; }
  /// How long a candidate counts on its lease.
  Millis countedOn(int node);

  // ---- the present step
  /// A process that starts finds on its disk what was synced there.
  bool findsItsDisk() const { return finds_its_disk_; }
  /// It begins because a connection to the store is open.
  bool hasConnected() const { return begun_by_ == Kind::connected && link_ == store_link; }
  /// It begins with a message of another server of the store: most do, and waits are judged in the others.
  bool isAmongServers() const { return begun_by_ == Kind::delivered && link_ == peer_link; }
  /// Something has happened in it that somebody watches.
  bool tells() const { return tells_; }
  /// The read that the answer which a client reads belongs to; 0: none.
  std::int64_t readDue() const { return read_due_; }
  const std::optional<Request>& instruction() const { return instruction_; }
  /// The transaction whose answer a candidate reads.
  const std::optional<Txn>& asked() const { return asked_; }
  bool ledBefore() const { return led_before_; }
  /// The key for whose end a candidate waited, and the last revision of which it knew.
  const std::optional<Key>& watchedBefore() const { return watched_before_; }
  std::int64_t seenBefore() const { return seen_before_; }
  const std::optional<StepDownWhy>& stopped() const { return stopped_; }
  /// The server of the store that a candidate or a client has to turn to.
  ServerId storeFor(int node) { return config(node).stores[own(node).turn]; }
  /// A candidate has resigned, and does not ask the store to delete its key.
  bool keepsItsKey(int node);
  /// It learns that the key of its resignation is gone.
  bool released() const { return released_; }
  /// Candidates whose renewals this server of the store has to forward, to answer or to give up in this step.
  const std::set<ServerId>& owedRenewals() const { return owed_renewals_; }
  /// The limit of a renewal is over whose lease had ended long before.
  bool lateForEnded() const { return late_for_ended_; }
  /// How many commands of its own this server of the store had executed before.
  std::size_t doneBefore() const { return done_before_; }
  /// How many changes it has reported so far.
  std::size_t reported() const { return reported_; }
  /// What it has sent so far.
  bool sentWatch() const { return sent_watch_; }
  bool sentReply() const { return sent_reply_; }
  bool sentRevoke() const { return sent_revoke_; }

  // ---- the present event
  /// What is answered by the message that is sent; empty: nobody has asked for that.
  const std::optional<Unanswered>& answers() const { return answers_; }
  const std::optional<Task>& ends() const { return ends_; }
  /// What is executed, by a server for the first time in its run, by any of them if `first`.
  struct Executed {
    bool first = false;
    bool in_order = true;     ///< and as the server has it in its log
    bool asked = true;        ///< and nobody has executed it yet
    std::int64_t copies = 0;  ///< on how many disks it is
  };
  const std::optional<Executed>& executes() const { return executes_; }
  struct Ending {
    std::int64_t lease = 0;
    std::optional<Measured> measured;
  };
  /// A lease whose time is over, as a server of the store says.
  const std::optional<Ending>& endsLease() const { return ends_lease_; }
  /// How the lease was measured that is renewed now.
  const std::optional<Measured>& measuredBefore() const { return measured_before_; }
  bool owed() const { return owed_; }
  const std::optional<Request>& ended() const { return ended_; }
  const std::optional<Resource>& resourceBefore() const { return resource_before_; }
  /// A candidate's or client's message is for the one with whom it has a connection, and is due.
  bool sentAsDue() const { return sent_as_due_; }

 private:
  void begin(const Happened<Family>& seen);
  void start(const Happened<Family>& seen);
  void read(const Happened<Family>& seen);
  void readAtStore(const Happened<Family>& seen);
  void readAtCandidate(const Happened<Family>& seen);
  void readAtClient(int node);
  void onConnection(const Happened<Family>& seen);
  void onDialled(const Happened<Family>& seen);
  void onTimer(const Happened<Family>& seen);
  void onStoreGone(int node);
  bool isDue(int node, const Message& message);
  void onPeerGone(int node, ServerId peer);
  void onForwarded(int node, ServerId to, const Renew& renew);
  void release(NodeRecord& memory) { released_ = std::exchange(memory.releases, 0) != 0; }
  void forgetRenewals(int node, ServerId client);
  void forgetLeader(int node);
  void waitAgain(NodeRecord& memory);
  void noteRests(int node);
  void onWritten(const Happened<Family>& seen);
  void onSynced(int node, const Record& record);
  void onSent(const Happened<Family>& seen);
  void onAsked(const Happened<Family>& seen);
  void onEvent(int node, const Event& event);
  void onApplied(int node, const Applied& applied);
  void execute(int node, const Command& command, ServerId by, bool own_command, bool first);
  bool takeAsked(ServerId at, ServerId by, const Command& command);
  void watch(int node, ServerId who, Watch watch);
  void measure(int node, std::int64_t lease, Millis wait) {
    own(node).measured[lease] = {.since = sinceNow(node), .wait = wait};
  }
  void measureAll(int node);

  Kind begun_by_{};
  std::optional<Request> instruction_;
  std::optional<Txn> asked_;
  bool finds_its_disk_ = true;
  bool led_before_ = false;
  std::optional<Key> watched_before_;
  std::int64_t seen_before_ = 0;
  std::optional<StepDownWhy> stopped_;
  std::set<ServerId> owed_renewals_;
  bool late_for_ended_ = false;
  std::size_t done_before_ = 0;
  std::size_t reported_ = 0;
  bool sent_as_due_ = true;
  bool sent_watch_ = false;
  bool sent_reply_ = false;
  bool sent_revoke_ = false;
  bool released_ = false;
  Link link_ = 0;
  std::int64_t read_due_ = 0;
  bool tells_ = false;
  std::optional<Resource> resource_before_;

  std::optional<Unanswered> answers_;
  std::optional<Task> ends_;
  std::optional<Executed> executes_;
  std::optional<Ending> ends_lease_;
  std::optional<Measured> measured_before_;
  bool owed_ = false;
  std::optional<Request> ended_;
};

}  // namespace zablab::external_store
