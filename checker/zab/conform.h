// Checks whether the nodes would have done what real servers did. Recorded inputs are given to the nodes, and
// what they do is compared with what the servers did. Only a record's own fields are used.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/conformance.h"
#include "checker/zab/recordings.h"
#include "protocol/zab/rules.h"

namespace zablab::zab {

/// A server's clock, its log's time stamps and its threads deviate this far from virtual time when nothing is
/// wrong.
inline constexpr Millis punctual_ms = 25;

/// The result for one recorded call of lookForLeader.
struct ElectionVerdict {
  Agreement agreement = Agreement::agrees;
  std::string why;                          ///< why it differs, or cannot be decided
  std::optional<std::size_t> notification;  ///< at which of `received` it began to differ
  std::optional<Millis> late_ms;            ///< how much later than the node the server decided
  std::vector<std::size_t>
      decisive;  ///< of `received`: at these it changed its vote, or had its final quorum

  bool punctual() const { return late_ms && *late_ms <= punctual_ms && *late_ms >= -punctual_ms; }
};

/// Gives the call's notifications and time-outs to an election node at their recorded times, and compares its
/// broadcasts, the vote it decides for and its role with the server's.
///
/// Virtual time begins with the call. A notification is read when it arrived, or when the server was ready
/// again; a time-out happens when the node's wait is over, provided that the server's log has it then, or the
/// server receives its own notification again. Whether a time-out led to a broadcast depends on what the
/// network had delivered, which a recording shows by the server's own notification coming back. The
/// broadcasts are counted by these, too.
///
/// A call whose record contradicts itself is undecidable, regardless of what the node would have done.
ElectionVerdict conform(const ElectionCall& call, const BroadcastRules& rules);

struct SyncVerdict {
  Agreement agreement = Agreement::agrees;
  std::string why;
};

/// Makes a leader's node synchronize the learner, and compares the packets before NEWLEADER with those the
/// server sent: the first one's type and zxid, how many proposals and commits, the first and last proposal's
/// zxid.
SyncVerdict conform(const SyncDecision& decision, const BroadcastRules& rules);

}  // namespace zablab::zab
