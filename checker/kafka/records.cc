#include "checker/kafka/records.h"

#include <algorithm>

#include "checker/kafka/store_text.h"
#include "protocol/overloaded.h"

namespace zablab::kafka {
namespace {

using zookeeper::ChangeKind, zookeeper::Error, zookeeper::OpCode;

/// Whether it was done; of a multi, all of it.
bool isDone(const zookeeper::Result& result) {
  return result.error == Error::OK &&
         std::all_of(result.results.begin(), result.results.end(),
                     [](const zookeeper::SubResult& one) { return one.error == Error::OK; });
}

/// What became of the request is not known.
bool isLost(Error error) { return error == Error::CONNECTIONLOSS || error == Error::SESSIONEXPIRED; }

/// The state that this request has read or written; none: it is another request, or it has failed.
std::optional<KnownState> stateIn(const zookeeper::Answered& answered) {
  if (!isDone(answered.result)) return std::nullopt;
  const auto known = [](const std::optional<std::string>& data, const std::optional<zookeeper::Stat>& stat) {
    const auto state = readState(data.value_or(""));
    return state ? std::optional(KnownState{*state, stat ? stat->version : 0}) : std::nullopt;
  };
  const zookeeper::Op& op = answered.op;
  if (op.code == OpCode::getData && op.path == state_path)
    return known(answered.result.data, answered.result.stat);
  const auto writes = [](const zookeeper::SubOp& one) {
    return one.path == state_path && (one.code == OpCode::setData || one.code == OpCode::create);
  };
  if (writes(op)) return known(op.data, answered.result.stat);
  for (std::size_t i = 0; i < op.ops.size() && i < answered.result.results.size(); ++i) {
    if (writes(op.ops[i])) return known(op.ops[i].data, answered.result.results[i].stat);
  }
  return std::nullopt;
}

/// The epoch that this request claims with the controller's place; none: it is another request.
std::optional<std::int64_t> claimedEpoch(const zookeeper::Op& op) {
  const auto claims = [](const zookeeper::SubOp& one) {
    return one.code == OpCode::create && one.path == controller_path;
  };
  if (claims(op)) return 0;
  if (std::none_of(op.ops.begin(), op.ops.end(), claims)) return std::nullopt;
  const auto raises = std::find_if(op.ops.begin(), op.ops.end(),
                                   [](const zookeeper::SubOp& one) { return one.path == epoch_path; });
  return raises == op.ops.end() ? 0 : readNumber(raises->data.value_or("")).value_or(0);
}

/// A controller that begins takes a replica that is not alive from the ISR, in which the last one remains
/// (ReplicaStateMachine.scala: doHandleStateChanges, removeReplicasFromIsr).
Partition takenOut(Partition state, ServerId dead, int raise) {
  if (state.isr.size() > 1) std::erase(state.isr, dead);
  if (state.leader == dead) state.leader = no_server;
  state.leader_epoch += raise;
  return state;
}

/// The state that a controller has to write when it chooses a leader; none: the present one
/// (PartitionLeaderElectionAlgorithms, Election.scala).
std::optional<Partition> chosen(const Rules& rules, const std::vector<ServerId>& assignment,
                                const ControllerRecord& controller, bool preferred) {
  const std::vector<ServerId> live = bothIn(assignment, *controller.live);
  const auto first = [&](const std::vector<ServerId>& list) {
    return rules.leader_order == LeaderOrder::assignment ? list.front()
                                                         : *std::min_element(list.begin(), list.end());
  };
  if (!controller.known) {
    if (live.empty()) return std::nullopt;
    return Partition{.leader = first(live), .leader_epoch = 0, .isr = live, .controller_epoch = 0};
  }
  const Partition& before = controller.known->partition;
  const std::vector<ServerId> in_sync = bothIn(live, before.isr);
  Partition next = before;
  if (!in_sync.empty()) {
    if (rules.dead_replicas == DeadReplicas::leave) next.isr = bothIn(before.isr, live);
    if (preferred && isIn(in_sync, assignment.front())) next.leader = assignment.front();
    if (!isIn(in_sync, next.leader)) next.leader = first(in_sync);
  } else if (rules.unclean_election == UncleanElection::enabled && !live.empty()) {
    next.leader = first(live);
    next.isr = {next.leader};
  } else {
    next.leader = no_server;
  }
  if (next == before) return std::nullopt;
  if (rules.leader_epoch == LeaderEpoch::raised) ++next.leader_epoch;
  return next;
}

}  // namespace

void Records::on(const Happened<Family>& seen) {
  keepTime(seen);
  onLink(seen);
  if (seen.node < 0) return;
  NodeRecord& memory = own(seen.node);
  switch (seen.kind) {
    case Kind::started:
      begin(seen);
      memory = {};
      memory.running = true;
      for (const zookeeper::Txn& txn : seen.disk->zookeeper.log) onApplied(txn);
      memory.log = seen.disk->log;
      memory.high_watermark = std::min<std::int64_t>(seen.disk->high_watermark, std::ssize(seen.disk->log));
      end_before_ = std::ssize(memory.log);
      high_watermark_before_ = memory.high_watermark;
      return;
    case Kind::taken_up:
      begin(seen);
      memory.running = false;
      return;
    case Kind::stopped: return end(seen.node);
    case Kind::wiped: memory = {}; return;
    case Kind::delivered: begin(seen); return read(seen);
    case Kind::asked:
      begin(seen);
      instructed_ = *seen.request;
      if (instructed_->operation == Operation::delete_controller) memory.deletes = true;
      if (seen.request->operation == Operation::connect) {
        memory.turned_to = seen.request->server;
      } else if (seen.request->operation < Operation::elect_preferred) {
        begun_ = *seen.request;
        ended_request_ = std::exchange(memory.request, begun_);
        memory.leader_asks = 0;
      }
      return;
    case Kind::timer:
      begin(seen);
      retries_ = seen.timer.kind == TimerKind::request_retry;
      if (retries_) retried_before_ = std::exchange(memory.controller.retried_at, sinceNow(seen.node));
      return;
    case Kind::closed:
    case Kind::connected:
    case Kind::refused:
    case Kind::age:
    case Kind::write_failed: return begin(seen);
    case Kind::step_over:
      if (const auto* request = input<ControllerRequest>(); request != nullptr && !has_decided_) {
        if (!memory.deferred || memory.deferred->controller_epoch <= request->controller_epoch)
          memory.deferred = *request;
      }
      return;
    case Kind::written: return onWritten(seen.node, *seen.record);
    case Kind::sent:
      if (seen.how == SentHow::fresh || seen.how == SentHow::waiting) onSent(seen);
      return;
    case Kind::event: return onEvent(seen.node, *seen.event);
    default: return;
  }
}

void Records::onLink(const Happened<Family>& seen) {
  const auto links = [&]() -> auto& { return shared().links; };
  if (seen.kind == Kind::stopped) {
    for (auto& [ends, link] : links()) {
      const bool begins = ends.first == id(seen.node);
      if (begins || ends.second == id(seen.node)) link.open = false;
      if (begins) link.dialling = false;
    }
    return;
  }
  if (seen.link != broker_link) return;
  switch (seen.kind) {
    case Kind::dialled: links()[{id(seen.from), seen.to}].dialling = true; return;
    case Kind::refused: links()[{id(seen.from), seen.to}].dialling = false; return;
    case Kind::connected:
      links()[{id(seen.from), seen.to}] = {.open = true, .dialling = false};
      links()[{seen.to, id(seen.from)}].open = true;
      return;
    case Kind::broken:
      links()[{id(seen.from), seen.to}].open = links()[{seen.to, id(seen.from)}].open = false;
      return;
    default: return;
  }
}

/// What is written remains on the disk, unless it was not synced, as the next start shows.
void Records::end(int node) {
  Log log = std::move(own(node).log);
  own(node) = {};
  own(node).log = std::move(log);
}

void Records::begin(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  if (!memory.controller.asked) memory.controller.preferred = false;  // it had nothing more to do
  forgetInput();
  appended_.clear();
  truncated_to_.reset();
  checkpoint_.reset();
  led_before_ = false;
  due_states_.clear();
  end_before_ = std::ssize(memory.log);
  last_epoch_before_ = memory.log.empty() ? -1 : memory.log.back().leader_epoch;
  high_watermark_before_ = memory.high_watermark;
  fetches_before_ = memory.fetches;
  role_changed_ = asks_leader_ = refuses_waiting_ = has_decided_ = registers_ = false;
  isr_changed_ = isr_refused_ = false;
  answers_ = 0;
  ended_.reset();
  owed_since_.reset();
  answered_state_.reset();
  decided_.reset();
  given_role_.reset();
  isr_answer_.reset();
  answer_.reset();
  expires_ = resigns_ = hears_ = retries_ = false;
  wanted_before_ = memory.wanted_isr;
  searches_ = state_changes_ = 0;
  told_session_.reset();
  state_before_ = memory.state;
  asked_leader_before_ = memory.leader_asks > 0;
  begun_.reset();
  instructed_.reset();
  ended_request_.reset();
}

void Records::read(const Happened<Family>& seen) {
  if (seen.link < broker_link) {  // ZooKeeper's own
    if (const auto* told = get_if<zookeeper::ConnectResponse>(seen.content)) told_session_ = told->session;
    return;
  }
  input_ = *seen.content;
  sender_ = id(seen.from);
  if (const auto* fetch = input<Fetch>()) onFetch(seen.node, *fetch);
  ControllerRecord& controller = own(seen.node).controller;
  if (input<ElectLeaders>() != nullptr && controller.active)
    controller.preferred = controller.preferred_fits = true;
}

void Records::onFetch(int node, const Fetch& fetch) {
  NodeRecord& memory = own(node);
  if (!leads(node) || fetch.leader_epoch != memory.applied->partition.leader_epoch) return;
  const auto found = memory.followers.find(sender_);
  if (found == memory.followers.end()) return;
  FollowerRecord& follower = found->second;
  const InSync rule = cluster().rules.in_sync;
  const std::int64_t end = std::ssize(memory.log);
  if (fetch.offset >= end) {
    follower.caught_up_at = sinceNow(node);
  } else if (follower.end && fetch.offset >= follower.leader_end && rule != InSync::at_end) {
    if (follower.fetched_at.at > follower.caught_up_at.at) follower.caught_up_at = follower.fetched_at;
  }
  if (fetch.offset < end && follower.end == end) follower.lacks_at = sinceNow(node);  // it has lost some
  follower.end = fetch.offset;
  follower.leader_end = std::max(follower.leader_end, end);
  follower.fetched_at = sinceNow(node);
  follower.owed_at = sinceNow(node);
}

void Records::onWritten(int node, const Record& record) {
  if (!isBroker(node)) return;
  NodeRecord& memory = own(node);
  if (const auto* append = get_if<AppendRecords>(&record)) {
    if (const auto* produce = input<Produce>(); produce != nullptr && produce->acks == Acks::all)
      memory.waiting.push_back({sender_, produce->number, std::ssize(memory.log)});
    for (auto& [replica, follower] : memory.followers) {
      if (follower.end == std::ssize(memory.log)) follower.lacks_at = sinceNow(node);
    }
    memory.log.insert(memory.log.end(), append->entries.begin(), append->entries.end());
    appended_.insert(appended_.end(), append->entries.begin(), append->entries.end());
  } else if (const auto* less = get_if<TruncateLog>(&record)) {
    memory.log.resize(static_cast<std::size_t>(less->end));
    truncated_to_ = less->end;
  } else if (const auto* known = get_if<CheckpointHighWatermark>(&record)) {
    checkpoint_ = known->high_watermark;
  }
}

std::optional<Partition> Records::isrWrite(int node, const zookeeper::Op& op) {
  if (op.code != OpCode::setData || op.path != state_path || !leads(node)) return std::nullopt;
  const auto next = readState(op.data.value_or(""));
  if (!next) return std::nullopt;
  Partition same = *next;
  same.isr = own(node).applied->partition.isr;
  return same == own(node).applied->partition ? next : std::nullopt;
}

std::int64_t Records::fetchedByAll(int node) {
  const NodeRecord& memory = own(node);
  std::int64_t end = std::ssize(memory.log);
  const auto needs = [&](const std::vector<ServerId>& list) {
    for (const ServerId one : list) {
      if (one == id(node)) continue;
      const auto follower = memory.followers.find(one);
      end = follower == memory.followers.end() ? 0 : std::min(end, follower->second.end.value_or(0));
    }
  };
  needs(memory.applied->partition.isr);
  if (memory.wanted_isr) needs(*memory.wanted_isr);
  return end;
}

std::optional<Partition> Records::stateWrite(int node, const zookeeper::Op& op) {
  if (isrWrite(node, op)) return std::nullopt;
  const auto writes = [](const zookeeper::SubOp& one) {
    return one.path == state_path && (one.code == OpCode::setData || one.code == OpCode::create);
  };
  if (writes(op)) return readState(op.data.value_or(""));
  const auto found = std::find_if(op.ops.begin(), op.ops.end(), writes);
  return found == op.ops.end() ? std::nullopt : readState(found->data.value_or(""));
}

/// A leader reads the state when its write is refused, and again when that answer is lost.
bool Records::isOfLeader(int node, const zookeeper::Requested& asked) {
  const zookeeper::Op& op = asked.op;
  if (op.code != OpCode::getData || op.path != state_path || !isr_answer_ || own(node).isr_asked)
    return false;
  const bool of_controller = answer_ && answer_->op == op;  // both may be lost at the same time
  if (isr_answer_->op.code == OpCode::setData)
    return isr_answer_->result.error == Error::BADVERSION && !of_controller;
  return !of_controller || isr_answer_->number == asked.number;
}

void Records::onRequested(int node, const zookeeper::Requested& asked) {
  NodeRecord& memory = own(node);
  const zookeeper::Op& op = asked.op;
  if (const auto write = isrWrite(node, op)) {
    memory.isr_asked = {asked.number, op};
    memory.wanted_isr = write->isr;
    return;
  }
  if (isOfLeader(node, asked)) {
    memory.isr_asked = {asked.number, op};
    return;
  }
  ControllerRecord& controller = memory.controller;
  controller.asked = {asked.number, op};
  if (op.path == controller_path) controller.renamed = false;
  if (op.code == OpCode::getChildren) {
    controller.changed = false;
    if (controller.live) controller.begins = false;
  }
  if (const auto epoch = claimedEpoch(op)) controller.claimed = *epoch;
  if (!repeats() && stateWrite(node, op)) onStateAsked(node);
}

bool Records::repeats() const { return answer_ && isLost(answer_->result.error); }

/// A controller that begins looks which replicas are not alive.
void Records::onStateRead(int node) {
  ControllerRecord& controller = own(node).controller;
  controller.dead.clear();
  if (!controller.begins || !controller.known || !controller.live) return;
  for (const ServerId replica : config(node).assignment) {
    if (!isIn(*controller.live, replica)) controller.dead.push_back(replica);
  }
}

void Records::onStateAsked(int node) {
  ControllerRecord& controller = own(node).controller;
  if (!controller.live) return;
  const auto due = [&](Partition next) {
    next.controller_epoch = controller.epoch;
    due_states_.push_back(std::move(next));
  };
  const int raise = cluster().rules.leader_epoch == LeaderEpoch::raised ? 1 : 0;
  while (controller.known && !controller.dead.empty()) {
    const ServerId dead = controller.dead.front();
    controller.dead.erase(controller.dead.begin());
    const Partition& before = controller.known->partition;
    if (isIn(before.isr, dead)) return due(takenOut(before, dead, raise));
  }
  controller.begins = false;
  for (const bool preferred : {false, true}) {
    if (preferred && !controller.preferred) continue;
    if (auto next = chosen(cluster().rules, config(node).assignment, controller, preferred))
      due(std::move(*next));
  }
}

/// What it learns for the controller's election, and as the controller.
void Records::onControllerAnswer(int node, const zookeeper::Answered& answered) {
  ControllerRecord& controller = own(node).controller;
  answer_ = answered;
  controller.asked.reset();
  const zookeeper::Result& result = answered.result;
  const zookeeper::Op& op = answered.op;
  if (isLost(result.error)) return;
  const bool done = isDone(result);
  if (op.path == controller_path && op.code == OpCode::getData)
    controller.named = done ? readNumber(result.data.value_or("")).value_or(no_server) : no_server;
  if (op.path == epoch_path && op.code == OpCode::getData && done && result.stat) {
    controller.epoch_read = readNumber(result.data.value_or("")).value_or(0);
    controller.epoch_version = result.stat->version;
  }
  for (std::size_t i = 0; done && i < op.ops.size() && i < result.results.size(); ++i) {
    if (op.ops[i].path != epoch_path || op.ops[i].code != OpCode::setData || !result.results[i].stat)
      continue;
    controller.epoch_read = readNumber(op.ops[i].data.value_or("")).value_or(0);
    controller.epoch_version = result.results[i].stat->version;
  }
  if (op.code == OpCode::getChildren) {
    controller.listed.clear();
    controller.since.clear();
    for (const std::string& child : result.children) {
      if (const auto broker = readNumber(child)) controller.listed.push_back(*broker);
    }
    std::sort(controller.listed.begin(), controller.listed.end());
  }
  for (const ServerId broker : std::vector<ServerId>(controller.listed)) {
    if (op.code != OpCode::exists || op.path != registrationPath(broker)) continue;
    if (done && result.stat) {
      controller.since[broker] = result.stat->czxid.value;
    } else {
      std::erase(controller.listed, broker);
    }
  }
  const bool reads = op.code == OpCode::getData && op.path == state_path;
  if (reads || (done && stateWrite(node, op))) controller.known = answered_state_;
  if (reads) onStateRead(node);
  if (reads && controller.preferred) {
    const ServerId first = config(node).assignment.front();
    controller.preferred_fits = controller.preferred_fits && controller.live && controller.known &&
                                isIn(*controller.live, first) && isIn(controller.known->partition.isr, first);
  }
}

void Records::onAnswered(int node, const zookeeper::Answered& answered) {
  NodeRecord& memory = own(node);
  hears_ = true;
  if (answered.op.code == OpCode::remove && answered.op.path == controller_path) memory.deletes = false;
  answered_state_ = stateIn(answered);
  if (memory.isr_asked && memory.isr_asked->number == answered.number &&
      memory.isr_asked->op == answered.op) {
    isr_answer_ = answered;
    memory.isr_asked.reset();
  } else if (memory.controller.asked && memory.controller.asked->number == answered.number) {
    onControllerAnswer(node, answered);
  }
}

void Records::onDecided(int node, const RequestDecided& decided) {
  NodeRecord& memory = own(node);
  has_decided_ = true;
  seen_epoch_before_ = memory.seen_epoch;
  if (const auto* request = input<ControllerRequest>()) {
    decided_ = *request;
  } else if (registers_) {
    decided_ = std::exchange(memory.deferred, std::nullopt);
  } else if (decided.controller == id(node) && answered_state_) {
    // Its own: what it has just read or written.
    decided_ = ControllerRequest{.controller = decided.controller,
                                 .controller_epoch = decided.epoch,
                                 .broker_epoch = decided.broker_epoch,
                                 .live = {},
                                 .partition = answered_state_->partition,
                                 .version = answered_state_->version};
  }
  given_role_.reset();
  if (!decided_) return;
  if (input<ControllerRequest>() == nullptr && !registers_)
    memory.controller.told[id(node)] = decided_->version;
  if (!decided.accepted) return;
  memory.seen_epoch = decided_->controller_epoch;
  memory.metadata_controller = decided_->controller;
  if (!memory.applied || decided_->partition.leader_epoch > memory.applied->partition.leader_epoch)
    given_role_ = KnownState{decided_->partition, decided_->version};
}

void Records::onRole(int node) {
  NodeRecord& memory = own(node);
  role_changed_ = true;
  led_before_ = leads(node);
  // A leader may go on by what it has read in ZooKeeper.
  memory.applied = given_role_ ? std::exchange(given_role_, std::nullopt) : answered_state_;
  memory.followers.clear();
  memory.wanted_isr.reset();
  memory.isr_asked.reset();
  memory.fetches = false;
  memory.asked_at = memory.isr_known_at = sinceNow(node);
  memory.epoch_start = std::ssize(memory.log);
  if (!leads(node)) return;
  for (const ServerId other : config(node).assignment) {
    if (other != id(node))
      memory.followers[other] = {.caught_up_at = sinceNow(node), .lacks_at = sinceNow(node)};
  }
}

void Records::onSent(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  visit(Overloaded{
            [&](const ProduceResponse& reply) {
              ended_.reset();
              if (const auto* produce = input<Produce>();
                  produce != nullptr && produce->number == reply.number && sender_ == seen.to)
                ++answers_;
              const auto waits =
                  std::find_if(memory.waiting.begin(), memory.waiting.end(), [&](const WaitingProducer& one) {
                    return one.client == seen.to && one.number == reply.number;
                  });
              if (waits == memory.waiting.end()) return;
              ended_ = *waits;
              memory.waiting.erase(waits);
              if (reply.outcome == Outcome::not_leader) refuses_waiting_ = true;
            },
            [&](const FetchResponse&) {
              const auto follower = memory.followers.find(seen.to);
              owed_since_.reset();
              if (follower != memory.followers.end())
                owed_since_ = std::exchange(follower->second.owed_at, std::nullopt);
            },
            [&](const Fetch&) {
              memory.fetches = asks_leader_ = true;
              memory.asked_at = sinceNow(seen.node);
            },
            [&](const EpochEndRequest&) {
              asks_leader_ = true;
              memory.asked_at = sinceNow(seen.node);
            },
            [&](const ControllerRequest& request) { memory.controller.told[seen.to] = request.version; },
            [&](const MetadataRequest&) { ++searches_; },
            [&](const ElectLeaders&) { ++searches_; },
            [&](const zookeeper::ClientRequest& request) {
              if (request.op.code == OpCode::remove && request.op.path == controller_path)
                memory.deletes = false;
            },
            [&](const Produce&) {
              ++memory.leader_asks;
              memory.asked_leader = seen.to;
            },
            [&](const Consume&) { ++memory.leader_asks; },
            [&](const EpochEndResponse&) { ++answers_; },
            [&](const ConsumeResponse&) { ++answers_; },
            [&](const MetadataResponse&) { ++answers_; },
            [](const auto&) {},
        },
        *seen.content);
}

void Records::onEvent(int node, const Event& event) {
  NodeRecord& memory = own(node);
  visit(Overloaded{
            [&](const zab::BasicApplied<zookeeper::ZooKeeper>& applied) { onApplied(applied.txn); },
            [&](const zookeeper::Requested& asked) {
              if (isBroker(node)) onRequested(node, asked);
            },
            [&](const zookeeper::Answered& answered) { onAnswered(node, answered); },
            [&](const zookeeper::Watched& watched) {
              hears_ = true;
              ControllerRecord& controller = memory.controller;
              if (watched.event.path == controller_path) controller.renamed = true;
              if (watched.event.path == ids_path && controller.active) controller.changed = true;
            },
            [&](const zookeeper::ClientStateChanged& changed) {
              memory.session = changed.session;
              memory.state = changed.to;
              ++state_changes_;
              if (changed.to != zookeeper::ClientState::CLOSED) return;
              memory.registered = false;
              expires_ = true;
              if (cluster().rules.expiry_handled != ExpiryHandled::before_new_session) return;
              memory.controller.asked.reset();
              memory.controller.reported = memory.controller.named = no_server;
              memory.controller.renamed = memory.controller.changed = memory.controller.preferred = false;
            },
            [&](const ControllerElected& elected) {
              ControllerRecord& controller = memory.controller;
              acted_before_ = std::exchange(controller.active, true);
              named_before_ = std::exchange(controller.named, id(node));
              controller.reported = id(node);
              controller.retried_at = sinceNow(node);
              controller.epoch = elected.epoch;
              controller.begins = true;
              controller.claim_version = controller.epoch_version;
            },
            [&](const Resigned&) {
              ControllerRecord& controller = memory.controller;
              acted_before_ = std::exchange(controller.active, false);
              resigns_ = true;
              controller.reported = no_server;
              controller.changed = controller.preferred_fits = false;
              controller.begins = false;
              controller.dead.clear();
              controller.live.reset();
              controller.known.reset();
              controller.told.clear();
            },
            [&](const ControllerKnown& known) {
              reported_before_ = std::exchange(memory.controller.reported, known.controller);
            },
            [&](const BrokersSeen& seen) {
              memory.controller.live = seen.live;
              memory.controller.told.clear();
            },
            [&](const Registered& registered) {
              registers_ = memory.registered = true;
              memory.registration = registered.assumed ? 0 : shared().registrations[id(node)];
            },
            [&](const RequestDecided& decided) { onDecided(node, decided); },
            [&](const RoleChanged&) { onRole(node); },
            [&](const IsrChanged&) {
              isr_changed_ = true;
              if (memory.applied && answered_state_) memory.applied = answered_state_;
              memory.isr_known_at = sinceNow(node);
              memory.wanted_isr.reset();
            },
            [&](const IsrRefused&) { isr_refused_ = true; },
            [&](const HighWatermarkRaised& raised) { memory.high_watermark = raised.to; },
            [&](const Truncated& truncated) {
              memory.high_watermark = std::min(memory.high_watermark, truncated.to);
            },
            [&](const Produced& one) { onEnded(node, one.number); },
            [&](const Consumed& one) { onEnded(node, one.number); },
            [&](const MetadataAnswered& one) { onEnded(node, one.number); },
            [](const auto&) {},
        },
        event);
}

void Records::onEnded(int node, std::int64_t number) {
  NodeRecord& memory = own(node);
  if (memory.request && memory.request->number == number)
    ended_request_ = std::exchange(memory.request, std::nullopt);
}

void Records::onApplied(const zookeeper::Txn& txn) {
  if (txn.zxid <= shared().applied) return;
  shared().applied = txn.zxid;
  const auto& payload = txn.payload;
  if (payload.kind != zookeeper::TxnKind::single && payload.kind != zookeeper::TxnKind::multi) return;
  const ServerId broker = payload.session % zookeeper::session_ids_apart;
  for (const zookeeper::Change& change : payload.changes) {
    if (change.kind == ChangeKind::create && change.path == registrationPath(broker))
      shared().registrations[broker] = txn.zxid.value;
  }
}

}  // namespace zablab::kafka
