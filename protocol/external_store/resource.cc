// What leaders write to. It remembers the greatest token, and refuses a smaller one.
#include <algorithm>

#include "protocol/external_store/context.h"

namespace zablab::external_store {

void stepResource(const Context& ctx, const Input& input) {
  const auto* received = get_if<V::Received>(&input);
  const auto* store = received == nullptr ? nullptr : get_if<Store>(&received->message);
  if (store == nullptr) return;
  Resource& resource = *ctx.node.resource;
  const std::int64_t newest = resource.newest;
  const bool accepted = ctx.rules.fencing == Fencing::ignored || store->token >= newest;
  if (accepted) {
    resource = {std::max(newest, store->token), store->client, store->number};
    ctx.write(Accept{resource.newest, resource.client, resource.number});
  }
  ctx.emit(WriteDecided{received->from, store->token, newest, store->number, accepted});
  ctx.send(resource_link, received->from, StoreReply{store->client, store->number, accepted});
}

}  // namespace zablab::external_store
