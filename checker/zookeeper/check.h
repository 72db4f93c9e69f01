// What an exhaustive search requires of the family `zookeeper` besides its steps.
#pragma once

#include <algorithm>
#include <array>
#include <set>
#include <string>

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
  static constexpr std::array state_invariants{
      InvariantInfo{
          "somebody-leads",
          "if nothing is under way and all processes run, no client waits for its turn where nobody "
          "leads or holds"},
      InvariantInfo{"barrier-passes",
                    "if nothing is under way and all processes run, no client waits to leave a barrier in "
                    "which nobody is who was not told to leave"}};
  template <class Store>
  InvariantMask judge(const Store& store) {
    bool waits = false;
    for (int i = 0; i < store.size() && !waits; ++i) waits = (store.says(i) & contends) != 0;
    if (!waits || !isAtRest(store)) return 0;
    std::set<std::string> held;     // by a leader or holder
    std::set<std::string> inside;   // where somebody is who stays
    std::set<std::string> waiting;  // where somebody waits for its turn
    std::set<std::string> leaving;
    for (int i = 0; i < store.size(); ++i) {
      const zookeeper::Node& node = store.server(i).node;
      const bool contending = (store.says(i) & contends) != 0;
      if (const auto* holder = holderOf(node)) {
        if (holder->holds) held.insert(holder->path);
        if (contending) waiting.insert(holder->path);
      } else if (const auto* barrier = barrierOf(node)) {
        if (barrier->inside && !barrier->leaving) inside.insert(barrier->path);
        if (contending && barrier->inside) leaving.insert(barrier->path);
      }
    }
    return judge(waiting, held, 0) | judge(leaving, inside, 1);
  }

 private:
  /// The part of a client's recipe that says whether it leads or holds; null if it runs none.
  static const recipes::Holder* holderOf(const zookeeper::Node& node);
  static const recipes::DoubleBarrier* barrierOf(const zookeeper::Node& node);
  /// Whether each of these is among those. `which`: of the state's invariants.
  InvariantMask judge(const std::set<std::string>& each, const std::set<std::string>& those,
                      std::size_t which) {
    if (each.empty()) return 0;
    const std::size_t bit = obligations_.size() - state_invariants.size() + which;
    ++obligations_[bit];
    const bool all = std::includes(those.begin(), those.end(), each.begin(), each.end());
    return all ? 0 : InvariantMask{1} << bit;
  }

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
