// The changes of role. Nothing else assigns `role`; each change clears what the next role does not read.
#pragma once

#include "protocol/zab/context.h"

namespace zablab::zab {

/// The process reads its disk (QuorumPeer.loadDataBase). False when it cannot run with what is there: it
/// exits.
bool load(const IsContext auto& in, const auto& disk);

/// The process loads its disk; it looks for a leader, or refuses to start.
void start(const IsContext auto& in, const auto& disk);

/// Leaves the present role and looks for a leader.
void look(const IsContext auto& in, RoleReason reason);

/// The election is decided for `vote`: this server leads, follows or observes.
void settle(const IsContext auto& in, Vote vote);

/// A write that nobody waited for failed, and those behind it with it.
template <class S>
void onWriteFailed(const BasicContext<S>& in, const BasicRecord<S>& record);

/// Arms what the present role needs, for a node that was put into it rather than led there.
void takeUp(const IsContext auto& in);

}  // namespace zablab::zab
