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
  // ---- a client
  /// What its program was answered since anything has changed for it, and how often.
  std::vector<std::pair<Answered, int>> answers;
  std::map<std::int64_t, Op> asked;  ///< by number
};

struct RunRecord {
  /// What learners had to report, by the number of the message that does, or of the answer to a ping that
  /// comes without a report.
  std::map<std::uint64_t, std::map<SessionId, Millis>> reports;
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
  void begin();
  void onLost(const Happened<Family>& seen);
  void onDelivered(const Happened<Family>& seen);
  void onWritten(int node, const Record& record);
  void onSent(const Happened<Family>& seen);
  void onReport(NodeRecord& memory, const Happened<Family>& seen);
  void onReply(const Happened<Family>& seen, const Reply& reply);
  void onEvent(const Happened<Family>& seen);
  void onApplied(int node, const Txn& txn);
  void onAnswered(NodeRecord& memory, const Answered& answered);
  void noteQuota(int node, UnderQuota& write);
  void judgeQuota(int node, const Txn& txn);
  void onExpired(int node, SessionId session);
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
  Facts facts_;
};

}  // namespace zablab::zookeeper
