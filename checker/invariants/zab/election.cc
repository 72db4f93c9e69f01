#include "checker/invariants/zab/election.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "protocol/zab/quorum.h"

namespace zablab::zab {
namespace {

using Seen = Happened<Family>;

std::string name(ServerId id) { return std::to_string(id); }

std::string words(const Vote& vote) {
  return "(leader " + name(vote.leader) + ", zxid " + std::to_string(vote.zxid.epoch()) + "." +
         std::to_string(vote.zxid.counter()) + ", epoch " + std::to_string(vote.epoch) + ")";
}

/// The order of votes is total: by epoch, then zxid, then id (mechanics: FastLeaderElection,
/// totalOrderPredicate).
class VoteOrderIsTotal : public ZabMonitor {
 public:
  explicit VoteOrderIsTotal(const Cluster<Family>& cluster) : cluster_(cluster) {}

  InvariantInfo info() const override {
    return {"vote-order",
            "a vote gives way to a larger one only: by epoch, then zxid, then id; no two beat each other"};
  }

  void on(const Seen& seen) override {
    if (seen.kind != Kind::event) return;
    const Config& config = cluster_.configs[static_cast<std::size_t>(seen.node)];
    if (const auto* changed = std::get_if<VoteChanged>(seen.event)) {
      compare(config, changed->vote, changed->instead_of, true);
    } else if (const auto* kept = std::get_if<VoteKept>(seen.event)) {
      compare(config, kept->against, kept->vote, false);
    }
  }

 private:
  using Key = std::tuple<std::int64_t, Zxid, ServerId>;
  static Key key(const Vote& vote) { return {vote.epoch, vote.zxid, vote.leader}; }

  void compare(const Config& config, const Vote& challenger, const Vote& held, bool won) {
    const bool larger = key(challenger) > key(held) && weightOf(config, challenger.leader) != 0;
    check(won == larger, [&] {
      return words(challenger) + (won ? " replaced " : " did not replace ") + words(held) + ", which is " +
             (larger ? "smaller" : "not smaller");
    });
    if (!won) return;
    wins_.insert({key(challenger), key(held)});
    check(!wins_.contains({key(held), key(challenger)}),
          [&] { return words(challenger) + " and " + words(held) + " each beat the other"; });
  }

  const Cluster<Family>& cluster_;
  std::set<std::pair<Key, Key>> wins_;
};

/// What each server has heard of each other since it began to look.
class Hearing {
 public:
  explicit Hearing(const Cluster<Family>& cluster) : heard_(cluster.ids.size()), cluster_(cluster) {}

  void on(const Seen& seen) {
    if (seen.kind == Kind::delivered) {
      const auto* notification = std::get_if<Notification>(seen.content);
      if (notification == nullptr) return;
      heard_[static_cast<std::size_t>(seen.node)].emplace_back(
          cluster_.ids[static_cast<std::size_t>(seen.from)], *notification);
    } else if (seen.kind == Kind::started ||
               (seen.kind == Kind::event && std::holds_alternative<Looking>(*seen.event))) {
      heard_[static_cast<std::size_t>(seen.node)].clear();
    }
  }
  const std::vector<std::pair<ServerId, Notification>>& by(int node) const {
    return heard_[static_cast<std::size_t>(node)];
  }

 private:
  std::vector<std::vector<std::pair<ServerId, Notification>>> heard_;
  const Cluster<Family>& cluster_;
};

/// Who decides has heard a quorum of voters for the decided leader.
class DecidedByQuorum : public ZabMonitor {
 public:
  explicit DecidedByQuorum(const Cluster<Family>& cluster) : cluster_(cluster), hearing_(cluster) {}

  InvariantInfo info() const override {
    return {"decided-by-quorum", "a server that decides has heard a quorum of voters for its leader"};
  }

  void on(const Seen& seen) override {
    if (seen.kind == Kind::event) {
      if (const auto* decided = std::get_if<Decided>(seen.event)) judge(seen.node, *decided);
    }
    hearing_.on(seen);
  }

 private:
  void judge(int node, const Decided& decided) {
    const auto at = static_cast<std::size_t>(node);
    const ServerId self = cluster_.ids[at];
    std::vector<ServerId> support;
    const auto add = [&](ServerId id) {
      if (std::find(support.begin(), support.end(), id) == support.end()) support.push_back(id);
    };
    for (const auto& [from, heard] : hearing_.by(node)) {
      const bool same = heard.vote.leader == decided.vote.leader;
      const bool exactly = heard.vote == decided.vote;
      if (heard.state == Role::LOOKING ? exactly : same) add(from);
    }
    if (cluster_.rules.own_vote == OwnVote::at_once && cluster_.configs[at].isVoter(self)) add(self);
    check(isQuorum(cluster_.configs[at], Rules{}, support), [&] {
      std::string who;
      for (const ServerId id : support) who += (who.empty() ? "" : ", ") + name(id);
      return "server " + name(self) + " decided for " + name(decided.vote.leader) + " in round " +
             std::to_string(decided.vote.round) + " with the votes of " + (who.empty() ? "nobody" : who) +
             ", which is no quorum";
    });
  }

  const Cluster<Family>& cluster_;
  Hearing hearing_;
};

/// Who joins an ensemble was told by its leader itself (FastLeaderElection, checkLeader).
class JoinedLeaderLeads : public ZabMonitor {
 public:
  explicit JoinedLeaderLeads(const Cluster<Family>& cluster) : cluster_(cluster), hearing_(cluster) {}

  InvariantInfo info() const override {
    return {"joined-leader-leads", "a server joins only a leader that has itself said that it leads"};
  }

  void on(const Seen& seen) override {
    if (seen.kind == Kind::event) {
      const auto* decided = std::get_if<Decided>(seen.event);
      if (decided != nullptr &&
          (decided->by == DecidedBy::join_established || decided->by == DecidedBy::join_same_round) &&
          decided->vote.leader != cluster_.ids[static_cast<std::size_t>(seen.node)]) {
        judge(seen.node, decided->vote.leader);
      }
    }
    hearing_.on(seen);
  }

 private:
  void judge(int node, ServerId leader) {
    const auto& heard = hearing_.by(node);
    const bool told = std::any_of(heard.begin(), heard.end(), [leader](const auto& ballot) {
      return ballot.first == leader && ballot.second.state == Role::LEADING;
    });
    check(told, [&] {
      return "server " + name(cluster_.ids[static_cast<std::size_t>(node)]) + " joined " + name(leader) +
             ", which has not told it that it leads";
    });
  }

  const Cluster<Family>& cluster_;
  Hearing hearing_;
};

/// Where a quorum decides at once, a round has one leader.
class OneLeaderPerRound : public ZabMonitor {
 public:
  explicit OneLeaderPerRound(const Cluster<Family>& cluster) : cluster_(cluster) {}

  InvariantInfo info() const override {
    return {"one-leader-per-round",
            "where a quorum decides at once, no two servers are elected in one round (not claimed with the "
            "finalize wait)"};
  }

  void on(const Seen& seen) override {
    if (seen.kind != Kind::event) return;
    const auto* decided = std::get_if<Decided>(seen.event);
    if (decided == nullptr || decided->by != DecidedBy::at_once) return;
    const ServerId self = cluster_.ids[static_cast<std::size_t>(seen.node)];
    if (decided->vote.leader != self) return;
    const ServerId leader = leaders_.emplace(decided->vote.round, self).first->second;
    check(leader == self, [&] {
      return "servers " + name(leader) + " and " + name(self) + " were both elected in round " +
             std::to_string(decided->vote.round);
    });
  }

 private:
  const Cluster<Family>& cluster_;
  std::map<std::int64_t, ServerId> leaders_;
};

}  // namespace

std::vector<std::unique_ptr<ZabMonitor>> electionMonitors(const Cluster<Family>& cluster) {
  std::vector<std::unique_ptr<ZabMonitor>> monitors;
  monitors.push_back(std::make_unique<VoteOrderIsTotal>(cluster));
  monitors.push_back(std::make_unique<DecidedByQuorum>(cluster));
  monitors.push_back(std::make_unique<JoinedLeaderLeads>(cluster));
  monitors.push_back(std::make_unique<OneLeaderPerRound>(cluster));
  return monitors;
}

}  // namespace zablab::zab
