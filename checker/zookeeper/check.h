// What an exhaustive search requires of the family `zookeeper` besides its steps.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "checker/zab/check.h"
#include "checker/zookeeper/ledger.h"
#include "checker/zookeeper/one_believer.h"
#include "checker/zookeeper/progress.h"

namespace zablab {

namespace zab {
extern template class BroadcastCheck<zookeeper::Family>;
}  // namespace zab

class ZookeeperMoves;

template <>
struct CheckOf<zookeeper::Family> : zab::BroadcastCheck<zookeeper::Family> {
  using BroadcastCheck::BroadcastCheck;
  using F = zookeeper::Family;
  using OwnMoves = ZookeeperMoves;

  static constexpr std::uint32_t idle = first_own;          ///< a client that waits for nothing
  static constexpr std::uint32_t contends = first_own * 2;  ///< its recipe waits for something, or holds it
  static std::uint32_t view(const zookeeper::NodeConfig& config, const zookeeper::Rules& rules,
                            const zookeeper::Node& node);
  static Fires firesByDefault(zookeeper::V::TimerKind kind);
  /// Also the client whose silence ends a session.
  static int peerOf(const Cluster<zookeeper::Family>& cluster, std::uint32_t view,
                    const zookeeper::V::Timer& timer);
  static constexpr std::size_t links_of_servers = 2;  ///< the last is for clients
  /// The model's n-th request, of the root node's data.
  static zookeeper::Request write(std::uint32_t n);
  static zookeeper::Request read(std::uint32_t n);
  static zookeeper::Request turn(ServerId server);
  /// A client has its session.
  static bool connected(const zookeeper::Node& node);

  // ---- states
  static constexpr auto state_invariants = [] {
    std::array<InvariantInfo, zookeeper::Progress::invariants.size() + 1> all;
    std::copy(zookeeper::Progress::invariants.begin(), zookeeper::Progress::invariants.end(), all.begin());
    all.back() = zookeeper::OneBeliever::info;
    return all;
  }();
  static constexpr std::array requested_invariants{zookeeper::OneBeliever::info.name};
  StateVerdict judge(const StoreOf<F>& store) {
    StateVerdict verdict;
    bool contend = false;
    for (int i = 0; i < store.size() && !contend; ++i) contend = (store.says(i) & contends) != 0;
    if (!contend) return verdict;
    judgeBelief(store, verdict);
    if (isAtRest(store)) judgeProgress(store, verdict);
    return verdict;
  }

 private:
  static void judgeBelief(const StoreOf<F>& store, StateVerdict& verdict) {
    zookeeper::OneBeliever believers;
    for (int i = 0; i < store.size(); ++i) {
      if ((store.says(i) & contends) != 0) believers.add(store.node(i));
    }
    if (believers.judged()) verdict.note(state_invariants.size() - 1, believers.violation().empty());
  }
  static void judgeProgress(const StoreOf<F>& store, StateVerdict& verdict) {
    // Nothing is under way, so that the server that has applied most has what all of them have.
    const zookeeper::Node* server = nullptr;
    for (int i = 0; i < store.size(); ++i) {
      const zookeeper::Node& node = store.node(i);
      if (!node.client && (server == nullptr || server->last_processed < node.last_processed)) server = &node;
    }
    zookeeper::Progress progress;
    for (int i = 0; i < store.size(); ++i) progress.add(store.node(i), &server->service);
    for (std::size_t which = 0; which < zookeeper::Progress::invariants.size(); ++which) {
      if (progress.judged().test(which)) verdict.note(which, !progress.violated().test(which));
    }
  }
  static bool isAtRest(const StoreOf<F>& store) {
    for (int i = 0; i < store.size(); ++i) {
      if (!store.isUp(i)) return false;
      const zookeeper::Node& node = store.node(i);
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

extern template const FamilyCheck& theCheck<zookeeper::Family>();

}  // namespace zablab
