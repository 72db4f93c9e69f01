// What a broker does when a controller tells it something, and what it tells clients.
#include "protocol/kafka/broker.h"

namespace zablab::kafka {

void onControllerRequest(const Context& ctx, const ControllerRequest& request) {
  Broker& broker = ctx.broker();
  const std::int64_t seen = broker.seen_epoch;
  const bool accepted =
      request.controller_epoch >= seen || ctx.rules.older_controller == OlderController::obeyed;
  ctx.emit(RequestDecided{request.controller, request.controller_epoch, seen, accepted});
  if (!accepted) return;
  broker.seen_epoch = request.controller_epoch;
  broker.told_controller = request.controller;
  const Partition& next = request.partition;
  const bool fresh = broker.told.leader == no_server && next.leader != no_server;
  if (!fresh && next.leader_epoch <= broker.told.leader_epoch) return;
  broker.told = next;
  ctx.emit(RoleChanged{next.leader, next.leader_epoch});
}

void onMetadataRequest(const Context& ctx, ServerId from, const MetadataRequest& request) {
  const Broker& broker = ctx.broker();
  ctx.send(metadata_link, from, MetadataResponse{request.number, broker.told_controller, broker.told.leader});
}

}  // namespace zablab::kafka
