// What has to hold when all brokers run, have sessions and wait for nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "protocol/kafka/family.h"

namespace zablab::kafka {

enum class Lacking : std::uint8_t {
  controller,    ///< none of them acts as the controller, or /controller names another one
  registration,  ///< the controller does not see one of them alive
  update,        ///< one of them has not accepted the controller's last request
};

struct Unsettled {
  Lacking what{};
  ServerId broker = no_server;  ///< which one, of `registration` and `update`
};

/// Empty: one of these brokers is the controller and named as such by ZooKeeper, sees all of them, and all
/// have accepted its last request. `store`: ZooKeeper's server.
std::optional<Unsettled> unsettled(const std::vector<const Node*>& brokers, const Node& store);
/// What the replicas lack.
enum class Unfit : std::uint8_t {
  no_state,       ///< ZooKeeper does not have the partition's state
  leader,         ///< nobody leads although one in sync runs, or somebody does although none does
  in_sync,        ///< not all that run are in sync
  logs,           ///< they do not have the same records
  not_committed,  ///< one of them does not know all of them as committed
};
std::string_view describe(Unfit unfit);
/// Empty: if one of these brokers is in sync, one of them leads, and all replicas among them are in sync with
/// the same records, which are all committed; if none is in sync, nobody leads.
std::optional<Unfit> unreplicated(const std::vector<const Node*>& brokers, const Node& store,
                                  const std::vector<ServerId>& assignment);
/// Whether all brokers have sessions and wait for nothing, and ZooKeeper has no session of a process that has
/// ended, which would still have to expire. All of these nodes run.
bool areAtRest(const std::vector<const Node*>& nodes);

}  // namespace zablab::kafka
