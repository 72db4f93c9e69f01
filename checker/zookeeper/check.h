// What an exhaustive search requires of the family `zookeeper` besides its steps.
#pragma once

#include "checker/check/moves.h"
#include "checker/zab/check.h"
#include "checker/zab/moves.h"
#include "checker/zookeeper/ledger.h"

namespace zablab {

namespace zab {
extern template class BroadcastCheck<zookeeper::Family>;
}  // namespace zab

template <>
struct CheckOf<zookeeper::Family> : zab::BroadcastCheck<zookeeper::Family> {
  using BroadcastCheck::BroadcastCheck;

  static constexpr std::uint32_t idle = first_own;  ///< a client that waits for nothing
  static std::uint32_t view(const zookeeper::NodeConfig& config, const zookeeper::Rules& rules,
                            const zookeeper::Node& node);
  static Fires firesByDefault(zookeeper::V::TimerKind kind);
  static constexpr std::size_t links_of_servers = 2;  ///< the last is for clients
  /// The model's n-th request, of the root node's data.
  static zookeeper::Request write(std::uint32_t n);
  static zookeeper::Request read(std::uint32_t n);
  static zookeeper::Request turn(ServerId server);
  /// A client has its session.
  static bool connected(const zookeeper::Node& node);
};

template <>
class Moves<zookeeper::Family> : public zab::BroadcastMoves<zookeeper::Family> {
 public:
  using BroadcastMoves::BroadcastMoves;
};

}  // namespace zablab
