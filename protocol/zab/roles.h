// The changes of role. Nothing else assigns `role`; each change clears what the next role does not read.
#pragma once

#include "protocol/zab/context.h"

namespace zablab::zab {

/// The process reads its disk (QuorumPeer.loadDataBase). False when it cannot run with what is there: it
/// exits.
bool load(const IsContext auto& ctx, const auto& disk);

/// The process loads its disk; it looks for a leader, or refuses to start.
void start(const IsContext auto& ctx, const auto& disk);

/// Leaves the present role and looks for a leader (QuorumPeer.run, case LOOKING).
void becomeLooking(const IsContext auto& ctx, RoleReason reason);

/// The election is decided for `vote`, which is this server's own (QuorumPeer.run, case LEADING).
void becomeLeading(const IsContext auto& ctx, Vote vote);

/// The election is decided for `vote`, another server's: a voter follows it, any other server observes
/// (QuorumPeer.run, cases FOLLOWING and OBSERVING).
void becomeFollowing(const IsContext auto& ctx, Vote vote);

/// A write that nobody waited for failed, and those behind it with it.
template <class S>
void onWriteFailed(const BasicContext<S>& ctx, const BasicRecord<S>& record);

/// Arms what the present role needs, for a node that was put into it rather than led there.
void takeUp(const IsContext auto& ctx);

}  // namespace zablab::zab
