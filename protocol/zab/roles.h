// The changes of role. No other code assigns `role`; each change clears what the next role does not read.
#pragma once

#include "protocol/zab/context.h"

namespace zablab::zab {

/// The process reads its disk (QuorumPeer.loadDataBase). False when it cannot run with the disk's content: it
/// exits.
bool load(const IsContext auto& ctx, const auto& disk);

/// The process loads its disk; it looks for a leader, or refuses to start.
void start(const IsContext auto& ctx, const auto& disk);

/// Leaves the present role and looks for a leader (QuorumPeer.run, case LOOKING).
void becomeLooking(const IsContext auto& ctx, RoleReason reason);

/// The election is decided for `vote`, which is this server's own (QuorumPeer.run, case LEADING).
void becomeLeading(const IsContext auto& ctx, Vote vote);

/// The election is decided for `vote`, which is another server's: a voter follows it, any other server
/// observes (QuorumPeer.run, cases FOLLOWING and OBSERVING).
void becomeFollowing(const IsContext auto& ctx, Vote vote);

/// An asynchronous write failed, and with it those after it.
template <class S>
void onWriteFailed(const BasicContext<S>& ctx, const BasicRecord<S>& record);

/// Arms what the present role needs, for a node that was put into the role rather than reaching it by steps.
void takeUp(const IsContext auto& ctx);

}  // namespace zablab::zab
