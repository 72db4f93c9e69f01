// What a server answers from its own tree, without the leader (FinalRequestProcessor).
#pragma once

#include <vector>

#include "protocol/vocabulary.h"
#include "protocol/zookeeper/operation.h"
#include "protocol/zookeeper/rules.h"
#include "protocol/zookeeper/tree.h"
#include "protocol/zookeeper/watches.h"

namespace zablab::zookeeper {

/// Who asks, with the identities that it had when the request was received.
struct Asking {
  ServerId client = no_server;
  SessionId session = no_session;
  const std::vector<Id>& identities;
};

/// The answer to a read; it may leave a watch.
Result answer(const Rules& rules, const Tree& tree, Watches& watches, const Asking& asking, const Op& op);

/// Registers watches again (DataTree.setWatches). Returns what has happened to them in the meantime.
std::vector<NodeEvent> setWatches(const Rules& rules, const Tree& tree, Watches& watches, ServerId client,
                                  const WatchLists& lists);

}  // namespace zablab::zookeeper
