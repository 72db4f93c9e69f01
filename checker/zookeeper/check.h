// What an exhaustive search requires of the family `zookeeper` besides its steps.
#pragma once

#include <algorithm>
#include <cstddef>

#include "checker/check/moves.h"
#include "checker/zab/check.h"
#include "checker/zab/moves.h"
#include "checker/zookeeper/ledger.h"
#include "checker/zookeeper/progress.h"

namespace zablab {

namespace zab {
extern template class BroadcastCheck<zookeeper::Family>;
}  // namespace zab

template <>
struct CheckOf<zookeeper::Family> : zab::BroadcastCheck<zookeeper::Family> {
  explicit CheckOf(const Cluster<zookeeper::Family>& cluster) : BroadcastCheck(cluster) {
    obligations_.resize(obligations_.size() + state_invariants.size());
  }

  static constexpr std::uint32_t idle = first_own;          ///< a client that waits for nothing
  static constexpr std::uint32_t contends = first_own * 2;  ///< its recipe waits until it is the one
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

  // ---- monitors, followed by invariants that a state shows
  static constexpr auto state_invariants = zookeeper::Progress::invariants;
  template <class Store>
  InvariantMask judge(const Store& store) {
    bool waits = false;
    for (int i = 0; i < store.size() && !waits; ++i) waits = (store.says(i) & contends) != 0;
    if (!waits || !isAtRest(store)) return 0;
    // Nothing is under way, so that the server that has applied most has what all of them have.
    const zookeeper::Node* server = nullptr;
    for (int i = 0; i < store.size(); ++i) {
      const zookeeper::Node& node = store.server(i).node;
      if (!node.client && (server == nullptr || server->last_processed < node.last_processed)) server = &node;
    }
    zookeeper::Progress progress;
    for (int i = 0; i < store.size(); ++i) progress.add(store.server(i).node, &server->service);
    const std::size_t first = obligations_.size() - state_invariants.size();
    for (std::size_t which = 0; which < state_invariants.size(); ++which) {
      if (progress.judged().test(which)) ++obligations_[first + which];
    }
    return InvariantMask{progress.violated().to_ullong()} << first;
  }

 private:
  template <class Store>
  static bool isAtRest(const Store& store) {
    for (int i = 0; i < store.size(); ++i) {
      if (!store.isUp(i)) return false;
      const zookeeper::Node& node = store.server(i).node;
      if (node.client && node.client->state == zookeeper::ClientState::CONNECTING) return false;
      if (node.client && !node.client->waiting.empty()) return false;
      if (!node.outstanding_proposals.empty() || !node.pending_txns.empty()) return false;
      for (int j = 0; j < store.size(); ++j) {
        for (const Link link : {zab::learner_link, zookeeper::client_link}) {
          if (!store.isEmpty(link, i, j)) return false;
        }
      }
    }
    return true;
  }
};

template <>
class Moves<zookeeper::Family> : public zab::BroadcastMoves<zookeeper::Family> {
 public:
  using BroadcastMoves::BroadcastMoves;
};

}  // namespace zablab
