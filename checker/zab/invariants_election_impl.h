#pragma once

#include "checker/zab/invariants_election.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "checker/zab/majorities.h"
#include "checker/zab/recovery_monitor.h"

namespace zablab::zab {

inline Phrase words(const Vote& vote) {
  return phrase("(leader {leader}, zxid {zxid}, epoch {epoch})", Phrase::node(vote.leader), words(vote.zxid),
                vote.peer_epoch);
}

template <class F>
class ElectionMonitor : public Monitor<F> {
 public:
  using Seen = Happened<F>;
  explicit ElectionMonitor(BasicLedger<F>& ledger) : ledger_(ledger) {}

 protected:
  const Config& configOf(int node) const { return ledger_.cluster().configs[static_cast<std::size_t>(node)]; }
  Phrase server(int node) const { return ledger_.serverAt(node); }
  const std::map<ServerId, Heard>& heardBy(int node) const { return ledger_.own(node).heard; }

  BasicLedger<F>& ledger_;
};

/// The order of votes is total: by epoch, then zxid, then id (mechanics: FastLeaderElection,
/// totalOrderPredicate).
template <class F>
class VoteOrderIsTotal : public ElectionMonitor<F> {
 public:
  using typename ElectionMonitor<F>::Seen;
  explicit VoteOrderIsTotal(BasicLedger<F>& ledger) : ElectionMonitor<F>(ledger) {}

  InvariantInfo info() const override {
    return {"vote-order",
            "a vote is replaced only by a larger one: by epoch, then zxid, then id; no two votes beat each "
            "other"};
  }

  void on(const Seen& seen) override {
    if (seen.kind != Kind::event) return;
    const Config& config = this->configOf(seen.node);
    if (const auto* changed = get_if<VoteChanged>(seen.event)) {
      judgeOrder(config, changed->vote, changed->instead_of, true);
    } else if (const auto* kept = get_if<VoteKept>(seen.event)) {
      judgeOrder(config, kept->against, kept->vote, false);
    }
  }

 private:
  using Key = std::tuple<std::int64_t, Zxid, ServerId>;
  static Key key(const Vote& vote) { return {vote.peer_epoch, vote.zxid, vote.leader}; }

  void judgeOrder(const Config& config, const Vote& challenger, const Vote& held, bool won) {
    const bool larger = key(challenger) > key(held) && hasWeight(config, challenger.leader);
    this->check(won == larger, [&] {
      return won ? phrase("{vote} replaced {other}, which is not smaller", words(challenger), words(held))
                 : phrase("{vote} did not replace {other}, which is smaller", words(challenger), words(held));
    });
  }
};

/// A server that decides has processed the votes of a quorum for the decided leader.
template <class F>
class DecidedByQuorum : public ElectionMonitor<F> {
 public:
  using typename ElectionMonitor<F>::Seen;
  explicit DecidedByQuorum(BasicLedger<F>& ledger) : ElectionMonitor<F>(ledger) {}

  InvariantInfo info() const override {
    return {"decided-by-quorum",
            "a server that decides has counted the votes of a quorum for its leader, a voter with weight"};
  }
  std::uint64_t kinds() const override { return kindBits(Kind::event); }

  void on(const Seen& seen) override {
    const auto* decided = get_if<Decided>(seen.event);
    if (decided == nullptr || decided->by == DecidedBy::told) return;
    const ServerId self = this->ledger_.id(seen.node);
    const Config& config = this->configOf(seen.node);
    std::vector<ServerId> support;
    for (const auto& [from, heard] : this->heardBy(seen.node)) {
      if (supports(heard, *decided)) support.push_back(from);
    }
    if (this->ledger_.cluster().rules.own_vote == OwnVote::at_once && votesIn(config, self) &&
        std::find(support.begin(), support.end(), self) == support.end()) {
      support.push_back(self);
    }
    const ServerId leader = decided->vote.leader;
    const bool may_lead = votesIn(config, leader) && hasWeight(config, leader);
    this->check(may_lead && areMajority(config, support), [&] {
      if (!may_lead) {
        return Breach{phrase("{server} decided for {leader} in round {round}, an observer or without weight",
                             this->server(seen.node), Phrase::server(leader), decided->vote.election_epoch),
                      phrase("quorum for {candidate}", Phrase::node(leader))};
      }
      return Breach{phrase("{server} decided for {leader} in round {round} with the votes of these servers, "
                           "which are no quorum: {servers}",
                           this->server(seen.node), Phrase::server(leader), decided->vote.election_epoch,
                           words(support)),
                    phrase("quorum for {candidate}", Phrase::node(leader))};
    });
  }

 private:
  /// Votes of the present round and the votes of settled servers about their ensemble are two boxes, and each
  /// is counted separately (FastLeaderElection, recvset and outofelection). In the round a settled server's
  /// vote counts by its leader; for an ensemble, by leader and epoch.
  static bool supports(const Heard& heard, const Decided& decided) {
    if (decided.by == DecidedBy::join_established) {
      return heard.settled && heard.settled->leader == decided.vote.leader &&
             heard.settled->peer_epoch == decided.vote.peer_epoch;
    }
    const auto& votes = heard.votes;
    if (std::find(votes.begin(), votes.end(), decided.vote) != votes.end()) return true;
    return decided.by == DecidedBy::join_same_round && heard.state != Role::LOOKING && !votes.empty() &&
           votes.back().leader == decided.vote.leader;
  }
};

/// A server that joins an ensemble was notified by its leader itself (FastLeaderElection, checkLeader).
template <class F>
class JoinedLeaderLeads : public ElectionMonitor<F> {
 public:
  using typename ElectionMonitor<F>::Seen;
  explicit JoinedLeaderLeads(BasicLedger<F>& ledger) : ElectionMonitor<F>(ledger) {}

  InvariantInfo info() const override {
    return {"joined-leader-leads", "a server joins only a leader that has itself said that it leads"};
  }
  std::uint64_t kinds() const override { return kindBits(Kind::event); }

  void on(const Seen& seen) override {
    const auto* decided = get_if<Decided>(seen.event);
    if (decided == nullptr) return;
    const bool in_round = decided->by == DecidedBy::join_same_round;
    const bool joined = in_round || decided->by == DecidedBy::join_established;
    if (!joined || decided->vote.leader == this->ledger_.id(seen.node)) return;
    const auto leader = this->heardBy(seen.node).find(decided->vote.leader);
    const bool heard = leader != this->heardBy(seen.node).end();
    const bool leads = heard && (in_round ? leader->second.state == Role::LEADING : leader->second.leads);
    this->check(leads, [&] {
      return phrase("{server} joined {leader}, which has not told it that it leads", this->server(seen.node),
                    Phrase::server(decided->vote.leader));
    });
  }
};

/// What a server states about itself is true when it first sends it; what a slot link sends again is older.
template <class F>
class NotificationsTrue : public ElectionMonitor<F> {
 public:
  using typename ElectionMonitor<F>::Seen;
  explicit NotificationsTrue(BasicLedger<F>& ledger) : ElectionMonitor<F>(ledger) {}

  InvariantInfo info() const override {
    return {"notifications-true", "a notification names the role that its sender is in"};
  }
  std::uint64_t kinds() const override { return kindBits(Kind::sent); }

  void on(const Seen& seen) override {
    const auto* said = seen.kind == Kind::sent ? get_if<Notification>(seen.content) : nullptr;
    if (said == nullptr || seen.how == SentHow::again || seen.how == SentHow::copy) return;
    if (this->ledger_.cluster().scripted[static_cast<std::size_t>(seen.node)]) return;
    const Role role = this->ledger_.own(seen.node).role;
    this->check(said->state == role, [&] {
      return phrase("{server} says {role} and is {actual}", this->server(seen.node), enumName(said->state),
                    enumName(role));
    });
  }
};

/// If a quorum decides immediately, a round has one leader.
template <class F>
class OneLeaderPerRound : public ElectionMonitor<F> {
 public:
  using typename ElectionMonitor<F>::Seen;
  explicit OneLeaderPerRound(BasicLedger<F>& ledger) : ElectionMonitor<F>(ledger) {}

  InvariantInfo info() const override {
    return {"one-leader-per-round",
            "if a quorum decides at once, no two servers are elected in one round (not claimed with the "
            "finalize wait)"};
  }
  bool isClaimed() const override { return this->ledger_.cluster().rules.decision == Decision::at_once; }

  void on(const Seen& seen) override {
    if (seen.kind != Kind::event) return;
    const auto* decided = get_if<Decided>(seen.event);
    if (decided == nullptr || decided->by != DecidedBy::at_once) return;
    const ServerId self = this->ledger_.id(seen.node);
    if (decided->vote.leader != self) return;
    const ServerId leader =
        this->ledger_.shared().elected.emplace(decided->vote.election_epoch, self).first->second;
    this->check(leader == self, [&] {
      return phrase("{server} and {other} were both elected in round {round}", Phrase::server(leader),
                    Phrase::server(self), decided->vote.election_epoch);
    });
  }
};

template <class F>
std::vector<std::unique_ptr<Monitor<F>>> electionMonitors(BasicLedger<F>& ledger) {
  std::vector<std::unique_ptr<Monitor<F>>> monitors;
  monitors.push_back(std::make_unique<VoteOrderIsTotal<F>>(ledger));
  monitors.push_back(std::make_unique<DecidedByQuorum<F>>(ledger));
  monitors.push_back(std::make_unique<JoinedLeaderLeads<F>>(ledger));
  monitors.push_back(std::make_unique<NotificationsTrue<F>>(ledger));
  monitors.push_back(std::make_unique<OneLeaderPerRound<F>>(ledger));
  return monitors;
}

}  // namespace zablab::zab
