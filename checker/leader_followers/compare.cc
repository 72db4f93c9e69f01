#include "checker/compare/contender_of.h"
#include "checker/leader_followers/clients.h"
#include "protocol/leader_followers/family.h"
#include "sim/leader_followers/binding.h"

namespace zablab {

template <>
struct CompareOf<leader_followers::Family> {
  using F = leader_followers::Family;
  static constexpr std::string_view settings =
      "five servers, as etcd: heartbeats every 100 ms, elections after 10 to 19 ticks of 100 ms, which are "
      "900 to "
      "1899 ms, pre-vote, check-quorum; the leader confirms reads with a quorum; clients give up after 2000 "
      "ms";

  static ComparedCluster layout() {
    ComparedCluster layout;
    // After a time-out a client asks the same server again, and only a dial that fails makes it ask the next.
    layout.setting = {
        {"variant", "etcd"},
        {"servers", 5},
        {"config",
         {{"election_timeout_min_ms", 900}, {"election_timeout_max_ms", 1899}, {"answer_limit_ms", 2000}}},
        {"timing", {{"connect_timeout_ms", 500}}}};
    layout.machines = {{1}, {2}, {3}, {4}, {5}};
    layout.voters = 5;
    layout.write = {{"write", true}};
    layout.read = Json{{"read", true}};
    layout.clients_turn = true;
    return layout;
  }
  static bool votes(const leader_followers::Node&) { return true; }

  static std::optional<Reign> claim(const Happened<F>& h, const RunOf<F>& run) {
    if (h.kind != Kind::step_over || h.node >= run.cluster().serverCount()) return std::nullopt;
    const leader_followers::Node& node = run.node(h.node);
    if (node.role != leader_followers::Role::LEADING) return std::nullopt;
    return Reign{node.generation, h.node};
  }
  static bool acceptedBy(const leader_followers::Event& event, const Reign& reign, const RunOf<F>& run) {
    const leader_followers::Index index = get<leader_followers::Answered>(event).index;
    const leader_followers::Log& log = run.node(reign.server).log;
    return index <= lastIndex(log) && generationAt(log, index) == reign.number;
  }
};

const Contender& leaderFollowersContender() { return contenderOf<leader_followers::Family>(); }

}  // namespace zablab
