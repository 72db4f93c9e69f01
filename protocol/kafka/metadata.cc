// What a broker does at a controller's request, and how it answers clients' requests for metadata.
#include "protocol/kafka/broker.h"
#include "protocol/kafka/replica.h"

namespace zablab::kafka {

void onControllerRequest(const Context& ctx, const ControllerRequest& request) {
  Broker& broker = ctx.broker();
  if (!broker.registered && ctx.rules.broker_epoch == BrokerEpoch::checked) {
    // A broker does not handle requests before it knows that it is registered.
    if (!broker.deferred_request || broker.deferred_request->controller_epoch <= request.controller_epoch)
      broker.deferred_request = request;
    return;
  }
  const std::int64_t seen = broker.seen_epoch;
  const bool older =
      request.controller_epoch < seen && ctx.rules.older_controller == OlderController::refused;
  const bool other_process =
      request.broker_epoch < broker.broker_epoch && ctx.rules.broker_epoch == BrokerEpoch::checked;
  const bool accepted = !older && !other_process;
  ctx.emit(RequestDecided{request.controller, request.controller_epoch, seen, request.broker_epoch,
                          other_process, accepted});
  if (!accepted) return;
  broker.seen_epoch = request.controller_epoch;
  broker.metadata_controller = request.controller;
  const Partition& next = request.partition;
  const bool fresh = broker.applied.isr.empty();
  const bool later = next.leader_epoch > broker.applied.leader_epoch;
  if (!fresh && !later && ctx.rules.same_leader_epoch == SameLeaderEpoch::ignored) return;
  broker.applied = next;
  broker.applied_version = request.version;
  takeRole(ctx);
}

void onMetadataRequest(const Context& ctx, ServerId from, const MetadataRequest& request) {
  const Broker& broker = ctx.broker();
  ctx.send(metadata_link, from,
           MetadataResponse{request.number, broker.metadata_controller, broker.applied.leader});
}

void onElectLeaders(const Context& ctx) {
  if (ctx.broker().active) enqueue(ctx, Item::preferred);
}

}  // namespace zablab::kafka
