// The store as a service on the log of `leader_followers`: what its servers put into the log.
#pragma once

#include <boost/describe.hpp>

#include "protocol/external_store/store.h"
#include "protocol/leader_followers/server.h"

namespace zablab::external_store {

/// A command, and who has asked for it; nobody: the time of a lease is over.
struct Proposed {
  ServerId by = no_server;
  Command command;
  bool operator==(const Proposed&) const = default;
};
BOOST_DESCRIBE_STRUCT(Proposed, (), (by, command))

/// A server reads its own state once it has applied what the leader had committed: the log's answer has no
/// content.
struct UpToDate {
  bool operator==(const UpToDate&) const = default;
};
BOOST_DESCRIBE_STRUCT(UpToDate, (), ())

struct StoreLog {
  using Value = Proposed;
  using Result = UpToDate;
  static Result read(const leader_followers::BasicLog<StoreLog>&, leader_followers::Index) { return {}; }
};

}  // namespace zablab::external_store
