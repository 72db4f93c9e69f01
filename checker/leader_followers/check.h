// What an exhaustive search requires of Leader and Followers besides its steps.
#pragma once

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/check/book_monitors.h"
#include "checker/check/check_of.h"
#include "checker/leader_followers/monitors.h"
#include "protocol/leader_followers/family.h"

namespace zablab {

class LeaderFollowersMoves;

template <>
struct CheckOf<leader_followers::Family>
    : BookMonitors<leader_followers::Family, leader_followers::Ledger, &leader_followers::monitorsWith> {
  using F = leader_followers::Family;
  using OwnMoves = LeaderFollowersMoves;
  using BookMonitors::BookMonitors;

  // ---- what guards have to know about a process
  static constexpr std::uint32_t settled = 1;       ///< it does not look for a leader
  static constexpr std::uint32_t takes_writes = 2;  ///< it would put a request into its log
  static constexpr std::uint32_t leads = 8;
  static constexpr std::uint32_t idle = 64;  ///< a client that waits for nothing
  static std::uint32_t view(const leader_followers::Config& config, const leader_followers::Rules& rules,
                            const leader_followers::Node& node);
  /// The server whose silence a timer of this server measures: by index; -1: none.
  static int peerOf(const Cluster<F>& cluster, std::uint32_t view, const leader_followers::Timer& timer);
  /// The server that it follows, or turns to as a client: by index; -1: none.
  static int leaderOf(const Cluster<F>& cluster, std::uint32_t view);
  static constexpr std::size_t links_of_servers = 1;  ///< the last is for clients
  /// An election begins: with the first question, so that what follows from it is bounded as well.
  static bool looks(const leader_followers::Event& event) {
    return holds_alternative<leader_followers::Looking>(event);
  }
  /// The model's n-th request.
  static leader_followers::Request write(std::uint32_t n) {
    return {leader_followers::Operation::put, n, n, no_server};
  }
  static leader_followers::Request read(std::uint32_t n) {
    return {leader_followers::Operation::read, 0, n, no_server};
  }
  static leader_followers::Request turn(ServerId server) {
    return {leader_followers::Operation::connect, 0, 0, server};
  }
  static Fires firesByDefault(leader_followers::TimerKind kind);
  /// A search without the election's messages is not available.
  static constexpr std::array grains{Grain::reduced, Grain::settled};
  /// The effect of a model's `connect_at_once` on connections.
  static constexpr std::string_view connects_at_once = "a dial is repeated until the other server is up";
};

extern template const FamilyCheck& theCheck<leader_followers::Family>();

}  // namespace zablab
