// What the monitors of a run remember besides the ledger: what each broker has written, was told and was
// answered, and when. It is computed from messages that arrive, requests, writes and reported decisions,
// never from a node's state. A search has no such book: its memory grows with the run, and a search knows no
// times.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "checker/book.h"
#include "checker/run_clock.h"
#include "checker/step_input.h"
#include "protocol/kafka/family.h"

namespace zablab::kafka {

/// The partition's state, and its version in ZooKeeper.
struct KnownState {
  Partition partition;
  std::int32_t version = 0;
  bool operator==(const KnownState&) const = default;
};

/// What a leader has heard of a follower in its leader epoch.
struct FollowerRecord {
  std::optional<std::int64_t> end;  ///< the offset that it has fetched from last
  std::int64_t leader_end = 0;      ///< of the leader's log, then
  Since fetched_at;
  Since caught_up_at;            ///< when it last had what there was
  Since lacks_at;                ///< since when it has not had everything
  std::optional<Since> owed_at;  ///< since when its fetch waits
};

/// A producer that waits until its record is committed.
struct WaitingProducer {
  ServerId client = no_server;
  std::int64_t number = 0;
  std::int64_t offset = 0;
};

/// A request to ZooKeeper.
struct Asked {
  std::int64_t number = 0;
  zookeeper::Op op;
};

/// What a broker has learnt from ZooKeeper, and what it does as the controller.
struct ControllerRecord {
  std::optional<Asked> asked;     ///< besides what it asks as the leader
  ServerId named = no_server;     ///< as /controller said last
  ServerId reported = no_server;  ///< whom it has reported as the controller
  std::int64_t epoch_read = 0;    ///< as /controller_epoch said last, or as its claim has made it
  std::int32_t epoch_version = 0;
  std::int64_t claimed = 0;  ///< the epoch that it has claimed last
  bool renamed = false;  ///< it was notified of a change of /controller, and has not looked since
  // ---- while it is active
  bool active = false;
  std::int64_t epoch = 0;
  std::int32_t claim_version = 0;             ///< of /controller_epoch, by its claim
  std::vector<ServerId> listed;               ///< the list of brokers that it was answered
  std::map<ServerId, std::int64_t> since;     ///< the zxids that have created their nodes
  std::optional<std::vector<ServerId>> live;  ///< as it has reported
  std::optional<KnownState> known;            ///< the partition's state; none: it does not exist
  std::map<ServerId, std::int32_t> told;      ///< the version that each broker was told since then
  bool changed = false;                       ///< it was notified of another list, and has not read it since
  bool begins = false;                        ///< it has not chosen a leader yet
  std::vector<ServerId> dead;   ///< then: replicas to be taken from the ISR, one after the other
  Since retried_at;             ///< when it has looked last for brokers that it has no connection to
  bool preferred = false;       ///< it was asked for the preferred leader
  bool preferred_fits = false;  ///< that is alive and in sync, whenever the controller has looked since
};

struct NodeRecord {
  /// It was started in this run, so that all that it has and does is known.
  bool running = false;
  // ---- a replica
  Log log;
  std::int64_t high_watermark = 0;
  std::optional<KnownState> applied;  ///< the state that its role follows
  std::int64_t epoch_start = 0;
  std::map<ServerId, FollowerRecord> followers;
  std::optional<std::vector<ServerId>> wanted_isr;  ///< that it has asked ZooKeeper to write
  std::optional<Asked> isr_asked;
  Since isr_known_at;  ///< since when it waits for no such answer
  std::vector<WaitingProducer> waiting;
  bool fetches = false;  ///< it has fetched in this leader epoch
  Since asked_at;        ///< when it has asked its leader last
  // ---- a receiver of controllers' requests
  zookeeper::SessionId session = zookeeper::no_session;
  bool registered = false;
  std::int64_t registration = 0;  ///< the zxid that has created its node
  std::int64_t seen_epoch = 0;
  ServerId metadata_controller = no_server;
  std::optional<ControllerRequest> deferred;
  ControllerRecord controller;
  // ---- a client
  std::optional<Request> request;
  ServerId turned_to = no_server;
  int leader_asks = 0;     ///< how often it has asked the leader, for this request
  ServerId asked_leader = no_server;
  bool deletes = false;    ///< it was instructed to delete /controller, and has not asked for that yet
  zookeeper::ClientState state = zookeeper::ClientState::CLOSED;  ///< of its session with ZooKeeper
};

/// The connection that controllers' requests take.
struct RequestLink {
  bool open = false;
  bool dialling = false;
};

struct RunRecord {
  std::map<std::pair<ServerId, ServerId>, RequestLink> links;  ///< from one to the other
  std::map<ServerId, std::int64_t> registrations;              ///< the zxid of each broker's last one
  zookeeper::Zxid applied;                                     ///< the last transaction that is counted
};

class Records : public Book<Family, NodeRecord, RunRecord>, public RunClock, public StepInput<Family> {
 public:
  using Book::Book;

  void on(const Happened<Family>& seen) override;

  // ---- of the present step

  const Log& appended() const { return appended_; }
  const std::optional<std::int64_t>& truncatedTo() const { return truncated_to_; }
  std::int64_t endBefore() const { return end_before_; }
  std::int64_t lastEpochBefore() const { return last_epoch_before_; }
  std::int64_t highWatermarkBefore() const { return high_watermark_before_; }
  bool fetchesBefore() const { return fetches_before_; }
  bool roleChanged() const { return role_changed_; }
  bool ledBefore() const { return led_before_; }
  /// The high watermark that was written.
  const std::optional<std::int64_t>& checkpoint() const { return checkpoint_; }
  bool asksLeader() const { return asks_leader_; }
  /// How many answers to this step's request it has sent.
  int answers() const { return answers_; }
  bool refusesWaiting() const { return refuses_waiting_; }
  /// Whose wait the present answer ends.
  const std::optional<WaitingProducer>& ended() const { return ended_; }
  /// The follower's record before the fetch that is answered now.
  const std::optional<Since>& owedSince() const { return owed_since_; }
  /// The state that ZooKeeper has answered, or has written.
  const std::optional<KnownState>& answeredState() const { return answered_state_; }
  /// The controller's request that the broker decides about.
  const std::optional<ControllerRequest>& decided() const { return decided_; }
  bool decidesOrReads() const {
    return has_decided_ || registers_ || input<ControllerRequest>() != nullptr ||
           input<MetadataRequest>() != nullptr;
  }
  std::int64_t seenEpochBefore() const { return seen_epoch_before_; }
  bool registers() const { return registers_; }
  bool hasDecided() const { return has_decided_; }
  /// What the controller may write now; more than one state if it was asked for the preferred leader.
  const std::vector<Partition>& dueStates() const { return due_states_; }
  /// What it asks for in this step it has asked for before, and the answer was lost.
  bool repeats() const;
  /// The role that the accepted request gives; none: it changes nothing.
  const std::optional<KnownState>& givenRole() const { return given_role_; }
  bool isrChanged() const { return isr_changed_; }
  bool isrRefused() const { return isr_refused_; }
  /// ZooKeeper's answer to the leader's own request.
  const std::optional<zookeeper::Answered>& isrAnswer() const { return isr_answer_; }
  const std::optional<std::vector<ServerId>>& wantedBefore() const { return wanted_before_; }
  /// ZooKeeper's answer to the broker's other request.
  const std::optional<zookeeper::Answered>& answer() const { return answer_; }
  bool expires() const { return expires_; }
  bool resigns() const { return resigns_; }
  /// Whether ZooKeeper has answered, or notified, it.
  bool hears() const { return hears_; }
  /// Whether the broker was the controller until it was elected, or has resigned, just now.
  bool actedBefore() const { return acted_before_; }
  ServerId namedBefore() const { return named_before_; }
  ServerId reportedBefore() const { return reported_before_; }
  /// How often a client has asked for the leader, and whether it had asked that one before.
  int searches() const { return searches_; }
  bool askedLeaderBefore() const { return asked_leader_before_; }
  const std::optional<Request>& begun() const { return begun_; }
  /// How often the state of its session with ZooKeeper has changed, and the session that ZooKeeper has told.
  int stateChanges() const { return state_changes_; }
  const std::optional<zookeeper::SessionId>& toldSession() const { return told_session_; }
  zookeeper::ClientState stateBefore() const { return state_before_; }
  const std::optional<Request>& instructed() const { return instructed_; }
  const std::optional<Request>& endedRequest() const { return ended_request_; }

  /// Whether the present step looks for brokers without a connection.
  bool retries() const { return retries_; }
  /// When it had looked for them before.
  const Since& retriedBefore() const { return retried_before_; }
  bool reaches(int node, ServerId broker) {
    const RequestLink& link = shared().links[{id(node), broker}];
    return link.open || link.dialling;
  }

  bool leads(int node) {
    const NodeRecord& memory = own(node);
    return memory.running && memory.applied && memory.applied->partition.leader == id(node);
  }
  bool follows(int node) {
    const NodeRecord& memory = own(node);
    return memory.running && memory.applied && memory.applied->partition.leader != no_server && !leads(node);
  }
  bool isBroker(int node) const { return config(node).kind == NodeKind::broker; }
  /// The leader's own write of the ISR; none: it is another request.
  std::optional<Partition> isrWrite(int node, const zookeeper::Op& op);
  /// The end of what the leader's followers have, as far as it has heard: of those that are in sync, or may
  /// be so by a write that is not answered.
  std::int64_t fetchedByAll(int node);
  /// The write of the partition's state that a controller asks for; none: it is another request.
  std::optional<Partition> stateWrite(int node, const zookeeper::Op& op);

 private:
  void onLink(const Happened<Family>& seen);
  void begin(const Happened<Family>& seen);
  void read(const Happened<Family>& seen);
  void onFetch(int node, const Fetch& fetch);
  void onWritten(int node, const Record& record);
  void onEvent(int node, const Event& event);
  void onAnswered(int node, const zookeeper::Answered& answered);
  void onControllerAnswer(int node, const zookeeper::Answered& answered);
  bool isOfLeader(int node, const zookeeper::Requested& asked);
  void onRequested(int node, const zookeeper::Requested& asked);
  void onStateRead(int node);
  void onStateAsked(int node);
  void onDecided(int node, const RequestDecided& decided);
  void onRole(int node);
  void onSent(const Happened<Family>& seen);
  void onEnded(int node, std::int64_t number);
  void onApplied(const zookeeper::Txn& txn);
  void end(int node);

  Log appended_;
  std::optional<std::int64_t> truncated_to_;
  std::int64_t end_before_ = 0;
  std::int64_t last_epoch_before_ = -1;
  std::int64_t high_watermark_before_ = 0;
  bool fetches_before_ = false;
  bool role_changed_ = false;
  bool led_before_ = false;
  std::optional<std::int64_t> checkpoint_;
  bool asks_leader_ = false;
  int answers_ = 0;
  bool refuses_waiting_ = false;
  std::optional<WaitingProducer> ended_;
  std::optional<Since> owed_since_;
  std::optional<KnownState> answered_state_;
  std::optional<ControllerRequest> decided_;
  bool has_decided_ = false;
  std::int64_t seen_epoch_before_ = 0;
  bool registers_ = false;
  std::optional<KnownState> given_role_;
  bool isr_changed_ = false;
  bool isr_refused_ = false;
  std::optional<zookeeper::Answered> isr_answer_;
  std::optional<std::vector<ServerId>> wanted_before_;
  std::optional<zookeeper::Answered> answer_;
  bool retries_ = false;
  Since retried_before_;
  std::vector<Partition> due_states_;
  bool expires_ = false;
  bool resigns_ = false;
  bool hears_ = false;
  bool acted_before_ = false;
  ServerId named_before_ = no_server;
  ServerId reported_before_ = no_server;
  int state_changes_ = 0;
  std::optional<zookeeper::SessionId> told_session_;
  zookeeper::ClientState state_before_ = zookeeper::ClientState::CLOSED;
  int searches_ = 0;
  bool asked_leader_before_ = false;
  std::optional<Request> begun_;
  std::optional<Request> instructed_;
  std::optional<Request> ended_request_;
};

}  // namespace zablab::kafka
