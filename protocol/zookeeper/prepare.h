// The leader's decision about a write (PrepRequestProcessor): checked against the tree and everything that is
// proposed and not yet applied. A write that fails becomes a transaction, too, which changes nothing.
#pragma once

#include <boost/describe.hpp>
#include <vector>

#include "protocol/zookeeper/operation.h"
#include "protocol/zookeeper/rules.h"
#include "protocol/zookeeper/tree.h"

namespace zablab::zookeeper {

/// A write on its way through the leader.
struct Proposed {
  SessionId session = no_session;
  std::int64_t number = 0;
  Op op;
  std::vector<Id> identities;  ///< of the client that asks
  Millis timeout = 0;          ///< of createSession
  Error refused{};             ///< by the leader's list of sessions, if the session matters
  Error ephemerals_refused{};  ///< only that an ephemeral node is created
  Millis time = 0;             ///< by the leader's clock
  bool operator==(const Proposed&) const = default;
};
BOOST_DESCRIBE_STRUCT(Proposed, (),
                      (session, number, op, identities, timeout, refused, ephemerals_refused, time))

/// The transaction that the write becomes.
Payload prepare(const Rules& rules, const Tree& tree, const std::vector<const Payload*>& outstanding,
                const Proposed& proposed);

}  // namespace zablab::zookeeper
