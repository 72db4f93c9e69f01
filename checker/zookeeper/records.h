// What the monitors of a run remember besides the ledger: who watches what at each server and what is still
// to be told, what clients have asked, and when servers heard of sessions. It is computed from messages,
// requests and reported decisions, never from a node's state. A search has no such book: its memory grows
// with the run, and a search knows no times.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/run_clock.h"
#include "checker/step_input.h"
#include "checker/zookeeper/ledger.h"
#include "checker/zookeeper/model_watches.h"

namespace zablab::zookeeper {

/// A write that a quota may forbid. Its leader reads the quota from what it has applied by then: that is one
/// of the states that its client's server is in from the request to the transaction.
struct UnderQuota {
  SubOp op;
  std::int64_t replaced = 0;                        ///< bytes of the node that is written
  std::vector<std::optional<model::Quota>> states;  ///< of the quota
};

/// A request that a server has read and not answered.
struct Unanswered {
  std::int64_t number = 0;
  bool waits = false;  ///< for the leader
};

/// What a learner sends its leader, in order; what waits for the disk holds back what comes after it.
struct ToLeader {
  ServerId client = no_server;  ///< that has asked; none: a ping's answer
  SessionId session = no_session;
  std::optional<std::int64_t> number;  ///< of the request; none: it asks for its session
  bool waited_for = true;              ///< the client is still there
};

/// A client's connection at its server.
struct Attendance {
  SessionId session = no_session;
  Millis timeout = 0;  ///< negotiated
  bool begins = false;  ///< it has asked for a new session
  bool open = false;    ///< the client was told that it has its session
  /// The server may have closed it, or have read the next one before this one's end.
  bool doubtful = false;
  std::deque<NodeEvent> due;  ///< of a transaction that the server has applied: to be told next
  std::map<std::int64_t, UnderQuota> under_quota;  ///< by number
  std::vector<NodeEvent> told_early;               ///< what it was told that was not due
  std::deque<Unanswered> requests;                 ///< in order
};

/// A node that its leader is to delete: a container that has had children, or one with a time to live.
struct Unused {
  Since changed;
  Millis ttl = 0;                ///< so long after this
  std::optional<Since> emptied;  ///< it has no children
  bool asked = false;            ///< its deletion is proposed
};

/// A learner's sync, at the leader.
struct SyncHere {
  ServerId learner = no_server;
  SessionId session = no_session;
  std::int64_t number = 0;
  Zxid after;  ///< what had been proposed by then
};

/// How long a client's session lasts by its own clock.
struct OwnSession {
  bool has = false;
  Since heard;         ///< when it was last told anything, or turned to a server
  Millis timeout = 0;  ///< asked for, or negotiated if that is longer
};

/// A client's use of a resource.
struct Using {
  bool dials = false;
  bool linked = false;
  int waiting = 0;                  ///< that were not sent yet
  std::deque<std::int64_t> tokens;  ///< that were
};

/// When a server was last told of a session, and for how long the session may be silent.
struct Heard {
  Millis at = 0;
  Millis timeout = 0;
};

struct NodeRecord {
  /// It was started in this run, so that all that it has and does is known.
  bool running = false;
  // ---- a server
  std::map<ServerId, Attendance> clients;
  model::ServerWatches watches;
  std::map<SessionId, Heard> heard;       ///< a leader: of all open sessions; every server: of local ones
  std::set<SessionId> local;              ///< sessions that this server alone knows
  std::map<SessionId, Millis> to_report;  ///< a learner: heard of since its leader's last ping
  std::deque<std::map<SessionId, Millis>> reports;  ///< for each ping that it has not answered yet
  bool tracks = false;                              ///< a leader that serves
  bool failed = false;                              ///< its log could not be written
  bool read_only = false;                           ///< it looks for a leader and answers reads meanwhile
  std::map<std::string, Unused, std::less<>> unused;  ///< a leader
  std::vector<SyncHere> syncs;                        ///< a leader
  std::deque<ToLeader> to_leader;                     ///< a learner
  // ---- a client
  /// What its program was answered since anything has changed for it, and how often.
  std::vector<std::pair<Answered, int>> answers;
  std::map<std::int64_t, Op> asked;  ///< by number
  OwnSession session;
  Using uses;
  bool is_resource = false;
};

struct RunRecord {
  /// What learners had to report, by the number of the message that does, or of the answer to a ping that
  /// comes without a report.
  std::map<std::uint64_t, std::map<SessionId, Millis>> reports;
  /// The client whose request a learner did not send before that message.
  std::map<std::uint64_t, ServerId> left_out;
};

class Records : public zablab::Book<Family, NodeRecord, RunRecord>,
                public RunClock,
                public StepInput<Family> {
  using Memory = zablab::Book<Family, NodeRecord, RunRecord>;

 public:
  /// The ledger has received each event before.
  Records(const Cluster<Family>& cluster, Ledger& ledger) : Memory(cluster), ledger_(ledger) {}

  void on(const Happened<Family>& seen) override;

  /// The contender that a contender waits for, by the node that it watches; -1: it waits for none that is in
  /// a line.
  int waitsFor(int contender);
  Rules rules() { return judgedBy(ledger_); }
  /// Whether it leads, or leads or follows, and serves clients, as it has reported.
  bool leads(int node) { return ledger_.own(node).role == zab::Role::LEADING && serves(node); }
  bool serves(int node) { return ledger_.own(node).phase == zab::Phase::broadcast; }

  /// The effects of the event at hand.
  struct Facts {
    bool told = false;                                    ///< a client was told what was due
    std::optional<std::pair<ServerId, NodeEvent>> undue;  ///< a client was told what was not due
    std::optional<std::pair<ServerId, NodeEvent>>
        overdue;                                   ///< it was answered, or the step ended, before that
    std::optional<std::vector<NodeEvent>> missed;  ///< what watches that are set again have missed
    std::vector<NodeEvent> told_missed;            ///< and what the client was told of it
    std::optional<Error> about_watches;            ///< the answer that the watches here demand
    Phrase owed;                                   ///< what the server had to do at once, and has not
    std::optional<ServerId> left_out;  ///< the client whose request the learner did not send before
    /// A node that a leader deletes by itself, and whether it was to.
    std::optional<std::pair<std::string, bool>> deleted;
    std::optional<std::string> kept;  ///< one that it should have deleted
    /// Of a write: whether it is refused because its session is over, and whether that is right.
    std::optional<std::pair<bool, bool>> write_of_session;
    std::optional<SessionId> ended_again;  ///< a session that was over
    std::optional<SessionId> begun_again;  ///< one that is open
    std::optional<bool> too_large;         ///< a request that is refused because it is
    Phrase untrue_use;  ///< what a client or a resource does and should not, or does not and should
    /// What the learner had to report that now reports, or has answered a ping without a report.
    std::optional<std::map<SessionId, Millis>> to_report;
    std::optional<Heard> silent;  ///< a session that ends here: since when, and how long it may be
    std::optional<std::pair<SessionId, Heard>> overlong;  ///< one that should have ended
    /// Of a write that a quota may forbid: whether it is refused, and whether it may be, and may be carried
    /// out.
    struct UnderQuota {
      bool refused = false;
      bool may_be_refused = false;
      bool may_be_done = false;
    };
    std::optional<UnderQuota> under_quota;
    int repeated = 0;  ///< how often a client's program was given this same answer, and nothing has changed
    std::optional<Millis> negotiated;  ///< what the client's timeout has to be that gets a session
  };
  const Facts& facts() const { return facts_; }

 private:
  Facts& found() {
    any_facts_ = true;
    return facts_;
  }

  void note(const Happened<Family>& seen);
  void begin();
  void onLost(const Happened<Family>& seen);
  void onDelivered(const Happened<Family>& seen);
  void onWritten(int node, const Record& record);
  void onSent(const Happened<Family>& seen);
  void onReport(NodeRecord& memory, const Happened<Family>& seen);
  void onReply(const Happened<Family>& seen, const Reply& reply);
  void onEvent(const Happened<Family>& seen);
  void onRole(int node);
  void onApplied(int node, const Txn& txn);
  void onAnswered(NodeRecord& memory, const Answered& answered);
  void noteQuota(int node, UnderQuota& write);
  void judgeQuota(int node, const Txn& txn);
  void onExpired(int node, SessionId session);

  // ---- what servers owe, and how resources are used: in records_duties.cc
  void noteDelivered(const Happened<Family>& seen);
  void noteRequest(int node, const ClientRequest& request);
  void noteSent(int node, const Message& message, ServerId to, std::uint64_t sent_as = 0);
  void endSessionDuty(NodeRecord& memory, ServerId client);
  void noteToLeader(int node, SessionId session, std::optional<std::int64_t> number, std::uint64_t sent_as);
  void noteWritten(int node, const Payload& payload);
  void noteApplied(int node, const Txn& txn);
  void noteUnused(int node, const std::string& path, bool changed);
  void noteAllUnused(int node);
  void judgeDeletion(int node, const Payload& payload);
  void judgeSession(int node, const Payload& payload);
  void judgeWrite(NodeRecord& memory);
  void judgeOwed(int node);
  void judgeUnused(int node);
  void noteOwnSession(const Happened<Family>& seen);
  void noteUse(const Happened<Family>& seen);
  void judgeUse(int node);

  void onStepOver(int node);
  void judgeDue(NodeRecord& memory, ServerId client);
  void closeLeaving(NodeRecord& memory);
  void hear(NodeRecord& memory, SessionId session, Millis timeout);
  void hearFromLearner(NodeRecord& memory, SessionId session, Millis timeout);

  Ledger& ledger_;
  std::optional<std::pair<SessionId, Millis>> asks_;  ///< the session of the request that is read
  bool local_ = false;                                ///< that session
  bool refused_ = false;                              ///< the client's connection, in the present step
  std::vector<ServerId> leaving_;  ///< clients whose connections end with what was applied last
  /// What has to be done in the present step.
  struct Duties {
    std::optional<std::pair<ServerId, std::int64_t>> reply;         ///< whatever waits
    std::optional<std::pair<ServerId, std::int64_t>> write;         ///< the answer to what was applied last
    std::set<ServerId> sessions;                                    ///< clients that ask for theirs
    std::optional<std::pair<ServerId, SessionId>> revalidation;     ///< that a learner asks for
    std::optional<std::pair<SessionId, std::int64_t>> transaction;  ///< a leader: of a request
    std::optional<ServerId> too_large;                              ///< the request of this client
    // ---- of a resource and its clients
    bool reconnects = false;               ///< a client's timer to turn to the next server
    bool use = false;                      ///< the client is told to use one, or its recipe says why not
    int loses = 0;                         ///< uses whose end it does not learn
    std::optional<ResourceUsed> used;      ///< what it learns
    std::optional<ResourceUsed> told_use;  ///< the use that the resource has to accept or not
    std::optional<bool> served;            ///< and whether it does
  };
  Duties duties_;
  Facts facts_;
  bool any_facts_ = false;
};

}  // namespace zablab::zookeeper
