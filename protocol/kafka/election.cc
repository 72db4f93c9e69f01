// A broker registers itself and takes part in the controller's election (KafkaController.elect): whoever
// creates the ephemeral node /controller is the controller, and the same multi raises the controller epoch.
#include <string>
#include <utility>

#include "protocol/kafka/broker.h"

namespace zablab::kafka {
namespace {

using zookeeper::Error, zookeeper::OpCode, zookeeper::Result;

void registerSelf(const Context& ctx) {
  ask(ctx, Stage::registration, {createOp(idPath(ctx.node.self), "", true)});
}

void onRegistered(const Context& ctx, zookeeper::Zxid created, bool assumed) {
  ctx.broker().registered = true;
  ctx.broker().broker_epoch = created.value;
  ctx.emit(Registered{assumed});
  if (const auto request = std::exchange(ctx.broker().deferred_request, std::nullopt))
    onControllerRequest(ctx, *request);
  beginElection(ctx);
}

void know(const Context& ctx, ServerId controller) {
  if (ctx.broker().controller == controller) return;
  ctx.broker().controller = controller;
  ctx.emit(ControllerKnown{controller});
}

/// Who is named there; no_server if the node does not exist.
ServerId controllerIn(const Result& result) {
  if (result.error != Error::OK || !result.data) return no_server;
  return numberOf(*result.data).value_or(no_server);
}

void claim(const Context& ctx) {
  Broker& broker = ctx.broker();
  const std::string self = std::to_string(ctx.node.self);
  if (!ctx.fences()) return ask(ctx, Stage::claim, {createOp(controller_path, self, true)});
  ask(ctx, Stage::claim,
      multiOf({createOp(controller_path, self, true),
               setOp(epoch_path, std::to_string(broker.wanted_epoch), broker.version)}));
}

void onElected(const Context& ctx, std::int32_t version, bool reply_lost) {
  Broker& broker = ctx.broker();
  broker.active = true;
  broker.epoch = ctx.fences() ? broker.wanted_epoch : 0;
  broker.version = version;
  broker.controller = ctx.node.self;
  ctx.emit(ControllerElected{broker.epoch, reply_lost});
  broker.begins = true;
  beginRequestRetries(ctx);
  enqueue(ctx, Item::broker_change);
  finish(ctx);
}

void onLost(const Context& ctx, ServerId controller) {
  ctx.emit(ElectionLost{ctx.broker().wanted_epoch});
  if (controller != no_server) know(ctx, controller);
  finish(ctx);
}

void onControllerRead(const Context& ctx, const Result& result) {
  Broker& broker = ctx.broker();
  const ServerId controller = controllerIn(result);
  know(ctx, controller);
  if (broker.active && controller != ctx.node.self && ctx.rules.not_named == NotNamed::resigns)
    resign(ctx, ResignReason::not_named);
  const bool waits = broker.item == Item::controller_change && ctx.rules.no_controller == NoController::waits;
  if (waits || controller != no_server) return finish(ctx);
  if (!ctx.fences()) return claim(ctx);
  ask(ctx, Stage::epoch_read, readOp(OpCode::getData, epoch_path, false));
}

void onEpochRead(const Context& ctx, const Result& result) {
  if (result.error == Error::NONODE)
    return ask(ctx, Stage::epoch_created, {createOp(epoch_path, "0", false)});
  if (result.error != Error::OK || !result.data || !result.stat) return finish(ctx);
  ctx.broker().wanted_epoch = numberOf(*result.data).value_or(0) + 1;
  ctx.broker().version = result.stat->version;
  claim(ctx);
}

void onClaimed(const Context& ctx, const Result& result) {
  const Error error = errorOf(result);
  if (error == Error::OK) {
    const bool has_stat = result.results.size() > 1 && result.results[1].stat.has_value();
    return onElected(ctx, has_stat ? result.results[1].stat->version : 0, false);
  }
  if (ctx.rules.failed_claim == FailedClaim::lost) return onLost(ctx, no_server);
  ask(ctx, Stage::claim_read, readOp(OpCode::getData, controller_path, true));
}

void onClaimRead(const Context& ctx, const Result& result) {
  const ServerId controller = controllerIn(result);
  const bool elects = controller == no_server && ctx.rules.no_controller == NoController::elects;
  if (elects) return beginElection(ctx);
  if (controller != ctx.node.self) return onLost(ctx, controller);
  if (!ctx.fences()) return onElected(ctx, 0, true);
  ask(ctx, Stage::claim_epoch_read, readOp(OpCode::getData, epoch_path, false));
}

void onClaimEpochRead(const Context& ctx, const Result& result) {
  const bool own = result.error == Error::OK && result.data && result.stat &&
                   numberOf(*result.data) == ctx.broker().wanted_epoch;
  if (!own) return onLost(ctx, no_server);
  onElected(ctx, result.stat->version, true);
}

}  // namespace

void beginStartup(const Context& ctx) {
  // Kafka creates each by a request of its own.
  const auto persistent = [](std::string_view path) { return createOp(path, "", false); };
  ask(ctx, Stage::paths,
      multiOf({persistent("/brokers"), persistent(ids_path), persistent("/brokers/topics"),
               persistent("/brokers/topics/t"), persistent("/brokers/topics/t/partitions"),
               persistent("/brokers/topics/t/partitions/0")}));
}

void beginElection(const Context& ctx) {
  const bool watches =
      ctx.rules.controller_watch == ControllerWatch::set_again || ctx.broker().item == Item::startup;
  ask(ctx, Stage::watch, readOp(OpCode::exists, controller_path, watches));
}

void resign(const Context& ctx, ResignReason reason) {
  Broker& broker = ctx.broker();
  broker.controller = no_server;
  if (!broker.active) return;
  ctx.emit(Resigned{broker.epoch, reason});
  broker.active = false;
  broker.epoch = 0;
  broker.live.clear();
  broker.reading.clear();
  broker.begins = false;
  broker.offline.clear();
  broker.partition = {};
  broker.partition_version.reset();
  endRequestRetries(ctx);
}

void onElectionAnswer(const Context& ctx, Stage stage, const Result& result, zookeeper::Zxid zxid) {
  switch (stage) {
    case Stage::paths: return registerSelf(ctx);
    case Stage::registration:
      if (result.error == Error::OK) return onRegistered(ctx, zxid, false);
      if (ctx.rules.old_registration == OldRegistration::kept) return onRegistered(ctx, {}, true);
      return ask(ctx, Stage::registration_read, readOp(OpCode::getData, idPath(ctx.node.self), false));
    case Stage::registration_read: {
      if (result.error != Error::OK || !result.stat) return registerSelf(ctx);
      if (result.stat->ephemeral_owner == ctx.broker().session)
        return onRegistered(ctx, result.stat->czxid, false);
      return ask(ctx, Stage::registration_gone, {{.code = OpCode::remove, .path = idPath(ctx.node.self)}});
    }
    case Stage::registration_gone: return registerSelf(ctx);
    case Stage::watch: {
      const bool watches =
          ctx.rules.controller_watch == ControllerWatch::set_again || ctx.broker().item == Item::startup;
      return ask(ctx, Stage::read, readOp(OpCode::getData, controller_path, watches));
    }
    case Stage::read: return onControllerRead(ctx, result);
    case Stage::epoch_read: return onEpochRead(ctx, result);
    case Stage::epoch_created: return ask(ctx, Stage::epoch_read, readOp(OpCode::getData, epoch_path, false));
    case Stage::claim: return onClaimed(ctx, result);
    case Stage::claim_read: return onClaimRead(ctx, result);
    case Stage::claim_epoch_read: return onClaimEpochRead(ctx, result);
    case Stage::none:
    case Stage::brokers:
    case Stage::broker_read:
    case Stage::partition_read:
    case Stage::partition_written:
    case Stage::isr_written:
    case Stage::isr_read: return;  // the controller's and the leader's
  }
}

}  // namespace zablab::kafka
