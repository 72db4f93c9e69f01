#include "checker/kafka/controller_monitors.h"

#include <algorithm>
#include <array>

#include "checker/kafka/store_text.h"

namespace zablab::kafka {
namespace {

using ControllerInvariant = zablab::Invariant<Records>;
using zookeeper::Error, zookeeper::OpCode;

/// The controller's record of a broker that runs; null: it is none.
const ControllerRecord* controllerAt(Records& records, const Happened<Family>& seen) {
  if (seen.node < 0 || !records.isBroker(seen.node) || !records.own(seen.node).running) return nullptr;
  return &records.own(seen.node).controller;
}

// ---- what a broker does by ZooKeeper's answers

bool isDoneMulti(const zookeeper::Result& result) {
  return result.error == Error::OK &&
         std::all_of(result.results.begin(), result.results.end(),
                     [](const zookeeper::SubResult& one) { return one.error == Error::OK; });
}

/// The operation on this path: itself, or one of a multi.
const zookeeper::SubOp* partOn(const zookeeper::Op& op, std::string_view path, OpCode code) {
  if (op.path == path && op.code == code) return &op;
  for (const zookeeper::SubOp& one : op.ops) {
    if (one.path == path && one.code == code) return &one;
  }
  return nullptr;
}

/// A broker claims the controller's place for itself, and the epoch after the one that it has read.
bool isTrueClaim(Records& records, int node, const zookeeper::Op& op, const zookeeper::SubOp& create) {
  const ControllerRecord& controller = records.own(node).controller;
  if (create.data != std::to_string(records.id(node)) || create.flags != 1 || controller.named != no_server)
    return false;
  if (records.cluster().rules.controller_epoch == ControllerEpoch::none) return true;
  const auto* set = partOn(op, epoch_path, OpCode::setData);
  return set != nullptr && set->data == std::to_string(controller.epoch_read + 1) &&
         set->version == controller.epoch_version;
}

bool isRead(const zookeeper::Op& op) {
  return op.code == OpCode::getData || op.code == OpCode::exists || op.code == OpCode::getChildren;
}

/// It deletes the node below /brokers/ids of another session only.
bool deletesOwnNode(Records& records, int node, const zookeeper::Op& op) {
  if (op.code != OpCode::remove || op.path != registrationPath(records.id(node))) return false;
  if (!records.answer() || records.answer()->op == op) return false;  // it repeats that
  const auto& stat = records.answer()->result.stat;
  return !stat || stat->ephemeral_owner == records.own(node).session;
}

/// A read that has to notify it of changes.
bool lacksWatch(Records& records, const zookeeper::Op& op) {
  const bool of_list = op.path == ids_path && op.code == OpCode::getChildren;
  const bool of_controller =
      op.path == controller_path && (op.code == OpCode::exists || op.code == OpCode::getData);
  const bool by_rule = records.cluster().rules.controller_watch == ControllerWatch::set_again;
  return (of_list || (of_controller && by_rule)) && !op.watch;
}

bool isOfElection(const zookeeper::Op& op) {
  return op.path == controller_path || op.path == epoch_path ||
         partOn(op, controller_path, OpCode::create) != nullptr;
}

/// A broker in a new session asks for nothing else before it is registered.
bool isTooEarly(Records& records, int node, const zookeeper::Op& op) {
  if (records.cluster().rules.expiry_handled != ExpiryHandled::before_new_session) return false;
  return (isOfElection(op) || op.path == ids_path) && !records.own(node).registered;
}

/// ZooKeeper has refused a controller's write because there is a later controller epoch.
bool isFenced(Records& records) {
  if (!records.answer()) return false;
  const zookeeper::Op& op = records.answer()->op;
  const auto& results = records.answer()->result.results;
  return !op.ops.empty() && op.ops.front().code == OpCode::check && op.ops.front().path == epoch_path &&
         !results.empty() && results.front().error == Error::BADVERSION;
}

/// The node below /brokers/ids was created by this session of the broker.
bool isRegistered(Records& records, int node) {
  if (!records.answer() || records.answer()->op.path != registrationPath(records.id(node))) return false;
  const zookeeper::Result& result = records.answer()->result;
  if (result.error != Error::OK) return false;
  return records.answer()->op.code == OpCode::create ||
         (result.stat && result.stat->ephemeral_owner == records.own(node).session);
}

void electsByAnswers(Records& records, const Happened<Family>& seen, Judge judge) {
  const ControllerRecord* controller = controllerAt(records, seen);
  if (controller == nullptr) return;
  const ServerId self = records.id(seen.node);
  const auto wrong = [&] {
    return phrase("{server} does not do what ZooKeeper's answer says, or something else",
                  records.serverAt(seen.node));
  };
  if (const auto* asked = eventIn<zookeeper::Requested>(seen)) {
    judge(!lacksWatch(records, asked->op) && !deletesOwnNode(records, seen.node, asked->op) &&
              !isTooEarly(records, seen.node, asked->op),
          wrong);
    if (const auto* create = partOn(asked->op, controller_path, OpCode::create))
      judge(isTrueClaim(records, seen.node, asked->op, *create), wrong);
  } else if (const auto* elected = eventIn<ControllerElected>(seen)) {
    const bool has_epoch = records.cluster().rules.controller_epoch != ControllerEpoch::none;
    const bool claimed = records.answer() && partOn(records.answer()->op, controller_path, OpCode::create) &&
                         isDoneMulti(records.answer()->result);
    judge(!records.actedBefore() && elected->epoch == (has_epoch ? controller->epoch_read : 0) &&
              (elected->reply_lost ? records.namedBefore() == self : claimed),
          wrong);
  } else if (const auto* known = eventIn<ControllerKnown>(seen)) {
    judge(known->controller == controller->named && known->controller != records.reportedBefore(), wrong);
  } else if (const auto* registered = eventIn<Registered>(seen)) {
    const bool may_assume = records.cluster().rules.old_registration == OldRegistration::kept;
    judge(registered->assumed ? may_assume : isRegistered(records, seen.node), wrong);
  } else if (const auto* lost = eventIn<ElectionLost>(seen)) {
    judge((controller->named != self || lost->epoch != controller->epoch_read) &&
              lost->epoch == controller->claimed,
          wrong);
  } else if (const auto* resigned = eventIn<Resigned>(seen)) {
    const bool expired = resigned->reason == ResignReason::session_expired;
    const bool in_turn = records.cluster().rules.expiry_handled == ExpiryHandled::in_turn;
    const bool due = expired                                       ? records.expires() || in_turn
                     : resigned->reason == ResignReason::not_named ? controller->named != self
                                                                   : isFenced(records);
    judge(records.actedBefore() && resigned->epoch == controller->epoch && due, wrong);
  } else if (seen.kind == Kind::step_over && records.expires()) {
    judge(!controller->active || records.cluster().rules.expiry_handled != ExpiryHandled::before_new_session,
          wrong);
  } else if (seen.kind == Kind::step_over && records.answer()) {
    judge(!isFenced(records) || records.resigns(), wrong);
    const zookeeper::Op& op = records.answer()->op;
    const Error error = records.answer()->result.error;
    if (error == Error::CONNECTIONLOSS || error == Error::SESSIONEXPIRED) {
      // It is repeated (KafkaZkClient: retryRequestsUntilConnected), a write as another request.
      judge(controller->asked && controller->asked->op == op &&
                (isRead(op) || controller->asked->number != records.answer()->number),
            wrong);
    } else if (op.path == controller_path && op.code == OpCode::getData) {
      const bool told = controller->reported == controller->named || records.resigns();
      judge(controller->named == self || (!controller->active && told), wrong);
      const bool stands = controller->asked && isOfElection(controller->asked->op);
      judge(controller->named != no_server || stands ||
                records.cluster().rules.no_controller == NoController::waits,
            wrong);
    }
  }
}

// ---- what a controller reads and tells

void toldAsRead(Records& records, const Happened<Family>& seen, Judge judge) {
  const ControllerRecord* controller = controllerAt(records, seen);
  if (controller == nullptr) return;
  const auto wrong = [&] {
    return phrase("{server}, the controller, reports or tells brokers what it has not read in ZooKeeper",
                  records.serverAt(seen.node));
  };
  if (const auto* brokers = eventIn<BrokersSeen>(seen)) {
    judge(controller->active && brokers->live == controller->listed &&
              controller->since.size() == controller->listed.size(),
          wrong);
  } else if (const auto* chosen = eventIn<LeaderChosen>(seen)) {
    judge(controller->active && controller->known && chosen->partition == controller->known->partition,
          wrong);
  } else if (seen.kind == Kind::sent) {
    const auto* request = get_if<ControllerRequest>(seen.content);
    if (request == nullptr || (seen.how != SentHow::fresh && seen.how != SentHow::waiting)) return;
    const auto since = controller->since.find(seen.to);
    judge(controller->active && controller->live && controller->known && since != controller->since.end() &&
              *request == ControllerRequest{records.id(seen.node), controller->epoch, since->second,
                                            *controller->live, controller->known->partition,
                                            controller->known->version},
          wrong);
  }
}

// ---- what it decides

void stateAsRuled(Records& records, const Happened<Family>& seen, Judge judge) {
  const ControllerRecord* controller = controllerAt(records, seen);
  const auto* asked = eventIn<zookeeper::Requested>(seen);
  if (controller == nullptr || asked == nullptr) return;
  const auto next = records.stateWrite(seen.node, asked->op);
  if (!next) return;
  const Rules& rules = records.cluster().rules;
  const auto* set = partOn(asked->op, state_path, OpCode::setData);
  const bool same_version =
      controller->known ? set != nullptr && set->version == controller->known->version : set == nullptr;
  const bool checks = rules.store_writes == StoreWrites::with_epoch_check &&
                      rules.controller_epoch == ControllerEpoch::raised_with_claim;
  const auto* check = partOn(asked->op, epoch_path, OpCode::check);
  const bool checked =
      checks ? check != nullptr && check->version == controller->claim_version : check == nullptr;
  const std::vector<Partition>& due = records.dueStates();
  judge(controller->active && controller->live && same_version && checked &&
            (records.repeats() || std::find(due.begin(), due.end(), *next) != due.end()),
        [&] {
          return phrase(
              "{server} writes {leader} as the leader in leader epoch {epoch}, which does not follow from "
              "what it has read",
              records.serverAt(seen.node),
              next->leader == no_server ? phrase("nobody") : Phrase::server(next->leader),
              next->leader_epoch);
        });
}

/// What remains to be decided when it waits for nothing.
bool isUndecided(Records& records, int node) {
  const ControllerRecord& controller = records.own(node).controller;
  const auto& assignment = records.config(node).assignment;
  if (!controller.live || controller.changed) return true;
  const std::vector<ServerId> live = bothIn(assignment, *controller.live);
  if (!controller.known) return !live.empty();
  const Partition& state = controller.known->partition;
  const std::vector<ServerId> in_sync = bothIn(state.isr, live);
  if (in_sync.empty())
    return state.leader != no_server ||
           (records.cluster().rules.unclean_election == UncleanElection::enabled && !live.empty());
  return in_sync != state.isr || !isIn(in_sync, state.leader);
}

void controllerDecides(Records& records, const Happened<Family>& seen, Judge judge) {
  const ControllerRecord* controller = controllerAt(records, seen);
  if (controller == nullptr || controller->asked || !records.hears()) return;
  judge(!controller->renamed, [&] {
    return phrase("{server} was notified of a change of /controller, and does not look",
                  records.serverAt(seen.node));
  });
  if (!controller->active) return;
  judge(!isUndecided(records, seen.node), [&] {
    return phrase("{server}, the controller, does not decide what the list of brokers makes due",
                  records.serverAt(seen.node));
  });
  if (!controller->live || !controller->known) return;
  const bool all = std::all_of(controller->live->begin(), controller->live->end(), [&](ServerId broker) {
    const auto told = controller->told.find(broker);
    return told != controller->told.end() && told->second == controller->known->version;
  });
  judge(all, [&] {
    return phrase("{server}, the controller, does not tell all live brokers who leads",
                  records.serverAt(seen.node));
  });
}

/// How often it looks for them: the back-off of RequestSendThread (ControllerChannelManager.scala).
constexpr Millis request_retry_ms = 100;

void brokersReached(Records& records, const Happened<Family>& seen, Judge judge) {
  const ControllerRecord* controller = controllerAt(records, seen);
  if (controller != nullptr && seen.kind == Kind::timer && records.retries()) {
    judge(controller->active && records.hasPassed(records.retriedBefore().at, request_retry_ms), [&] {
      return phrase("a timer of {server} fires, and it has not waited so long for anything",
                    records.serverAt(seen.node));
    });
  }
  if (controller == nullptr || !controller->active || seen.kind == Kind::timer) return;
  const auto wrong = [&] {
    return phrase("{server}, the controller, does not connect again to a live broker",
                  records.serverAt(seen.node));
  };
  judge(!records.isLate(seen.node, controller->retried_at, 2 * request_retry_ms), wrong);
  if (!records.retries() || !controller->live) return;
  judge(!records.reaches(seen.node, records.id(seen.node)),
        [&] { return phrase("{server} connects to itself", records.serverAt(seen.node)); });
  const bool all = std::all_of(controller->live->begin(), controller->live->end(), [&](ServerId broker) {
    return broker == records.id(seen.node) || records.reaches(seen.node, broker);
  });
  judge(all, wrong);
}

void preferredElected(Records& records, const Happened<Family>& seen, Judge judge) {
  const ControllerRecord* controller = controllerAt(records, seen);
  if (controller == nullptr || !controller->active || controller->asked) return;
  if (!controller->preferred || !controller->known) return;
  const ServerId first = records.config(seen.node).assignment.front();
  judge(!controller->preferred_fits || controller->known->partition.leader == first, [&] {
    return phrase(
        "{server}, the controller, was asked for the preferred leader {leader}, which is in sync, and "
        "does not elect it",
        records.serverAt(seen.node), Phrase::server(first));
  });
}

constexpr std::array controller_invariants{
    ControllerInvariant{
        {"elects-by-answers",
         "a broker watches /controller and the list of brokers whenever it reads them, claims the "
         "epoch after the one that it has read, and is elected, loses or resigns as ZooKeeper's "
         "answers say"},
        &electsByAnswers,
        kindBits(Kind::event, Kind::step_over)},
    ControllerInvariant{
        {"told-as-read",
         "a controller tells each broker who is alive, and the partition's state, as it has read "
         "or written them"},
        &toldAsRead,
        kindBits(Kind::event, Kind::sent)},
    ControllerInvariant{
        {"state-as-ruled",
         "a controller writes a new leader of those in sync only if there is none, or the "
         "preferred one is asked for; only those that are not alive leave the ISR, the last one "
         "excepted, one after the other if it begins; each write raises the leader epoch by one, on "
         "condition of what it has read"},
        &stateAsRuled,
        kindBits(Kind::event)},
    ControllerInvariant{
        {"controller-decides",
         "when a controller waits for nothing, the leader is alive and in sync, nobody else than "
         "live replicas is in the ISR, unless it would be empty, and all live brokers were told"},
        &controllerDecides,
        kindBits(Kind::step_over)},
    ControllerInvariant{
        {"brokers-reached",
         "a controller connects again, within a tenth of a second, to each live broker that it has no "
         "connection to"},
        &brokersReached,
        kindBits(Kind::timer, Kind::step_over)},
    ControllerInvariant{{"preferred-elected",
                         "a controller that is asked for the preferred leader makes the first replica of the "
                         "assignment the leader, if it is alive and in sync"},
                        &preferredElected,
                        kindBits(Kind::step_over)},
};

}  // namespace

std::span<const ControllerInvariant> controllerInvariants() { return controller_invariants; }

}  // namespace zablab::kafka
