// The nodes that the leader deletes by itself (ContainerManager): containers that have lost their last child,
// and nodes that were not changed and have no children for their time to live.
#pragma once

#include "protocol/zookeeper/family.h"

namespace zablab::zookeeper {

/// A server begins to lead: every node with a time to live gets it anew.
void trackNodes(const Context& ctx);
void forgetNodes(const Context& ctx);
/// A change was applied: the time to live of the node that it created or changed begins.
void noteExpiring(const Context& ctx, const Change& change);
/// If there is a container to delete, the leader will find it.
void armContainerCheck(const Context& ctx);
void onContainerCheck(const Context& ctx);
void onTtlOver(const Context& ctx, std::int64_t key);

}  // namespace zablab::zookeeper
