#include "checker/sentinel/monitors.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace zablab::sentinel {
namespace {

using Seen = Happened<Family>;

std::string number(std::int64_t value) { return std::to_string(value); }
std::string server(ServerId id) { return "server " + number(id); }

using SentinelMonitor = BookMonitor<Ledger>;

/// The vote that a sentinel gives, or tells another one, if this is what happens.
class VoteOnce : public SentinelMonitor {
 public:
  explicit VoteOnce(Ledger& ledger) : SentinelMonitor(ledger, kindBits(Kind::event, Kind::delivered)) {}
  InvariantInfo info() const override {
    return {"vote-once",
            "a sentinel never has two different votes in one epoch, whether it restarts in between or not"};
  }
  void on(const Seen& seen) override {
    if (const auto* decided = eventIn<VoteDecided>(seen)) {
      if (decided->granted) note(ledger_.id(seen.node), decided->vote);
    } else if (seen.kind == Kind::delivered) {
      const auto* reply = std::get_if<IsMasterDownReply>(seen.content);
      if (reply != nullptr && reply->vote.leader) note(ledger_.id(seen.from), reply->vote);
    }
  }

 private:
  void note(ServerId voter, const Vote& vote) {
    const auto [at, fresh] = ledger_.shared().votes.try_emplace({vote.epoch, voter}, *vote.leader);
    const ServerId before = at->second;
    check(before == *vote.leader, [&] {
      return server(voter) + " has voted for " + server(before) + " in epoch " + number(vote.epoch) +
             ", and votes for " + server(*vote.leader);
    });
  }
};

class OneLeader : public SentinelMonitor {
 public:
  explicit OneLeader(Ledger& ledger) : SentinelMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"one-leader", "at most one sentinel is elected by the votes of an epoch"};
  }
  void on(const Seen& seen) override {
    const auto* elected = eventIn<Elected>(seen);
    if (elected == nullptr) return;
    const ServerId self = ledger_.id(seen.node);
    const auto [at, fresh] = ledger_.shared().leaders.try_emplace(elected->votes_epoch, self);
    const ServerId before = at->second;
    check(before == self, [&] {
      return Breach{server(self) + " is elected in epoch " + number(elected->votes_epoch) + ", as " +
                        server(before) + " was",
                    "votes in epoch " + number(elected->votes_epoch)};
    });
  }
};

class ElectedByMajority : public SentinelMonitor {
 public:
  explicit ElectedByMajority(Ledger& ledger) : SentinelMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"elected-by-majority", "more than half of all sentinels have voted for the one that is elected"};
  }
  void on(const Seen& seen) override {
    const auto* elected = eventIn<Elected>(seen);
    if (elected == nullptr) return;
    std::int64_t votes = 0;
    for (const auto& [ballot, candidate] : ledger_.shared().votes)
      votes += ballot.epoch == elected->votes_epoch && candidate == ledger_.id(seen.node);
    const auto all = std::ssize(ledger_.config(seen.node).sentinels);
    check(2 * votes > all, [&] {
      return Breach{serverAt(seen.node) + " is elected in epoch " + number(elected->votes_epoch) + " with " +
                        number(votes) + " votes of " + number(all) + " sentinels",
                    "votes in epoch " + number(elected->votes_epoch)};
    });
  }
};

class MajorityIsElected : public SentinelMonitor {
 public:
  explicit MajorityIsElected(Ledger& ledger) : SentinelMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {
        "majority-is-elected",
        "a sentinel that has received enough votes for its attempt, in the attempt's epoch, does not give "
        "the attempt up"};
  }
  void on(const Seen& seen) override {
    const auto* aborted = eventIn<FailoverAborted>(seen);
    if (aborted == nullptr) return;
    const Config& config = ledger_.config(seen.node);
    const auto votes = std::ssize(ledger_.own(seen.node).attempt_votes);
    const auto all = std::ssize(config.sentinels);
    check(2 * votes <= all || votes < config.quorum, [&] {
      return serverAt(seen.node) + " gives up its attempt of epoch " + number(aborted->epoch) + " with " +
             number(votes) + " votes of " + number(all) + " sentinels";
    });
  }
};

class ConfigEpochUnique : public SentinelMonitor {
 public:
  explicit ConfigEpochUnique(Ledger& ledger) : SentinelMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"config-epoch-unique", "no two failovers give their configurations the same epoch"};
  }
  void on(const Seen& seen) override {
    const auto* promoted = eventIn<Promoted>(seen);
    if (promoted == nullptr) return;
    const ServerId self = ledger_.id(seen.node);
    const auto [at, fresh] = ledger_.shared().promotions.try_emplace(promoted->config_epoch, self);
    const ServerId before = at->second;
    check(fresh, [&] {
      return server(self) + " makes " + server(promoted->replica) + " the master of configuration " +
             number(promoted->config_epoch) + ", which there is already from " + server(before);
    });
  }
};

class ConfigAgree : public SentinelMonitor {
 public:
  explicit ConfigAgree(Ledger& ledger) : SentinelMonitor(ledger, kindBits(Kind::written)) {}
  InvariantInfo info() const override {
    return {"config-agree", "sentinels with a configuration of the same epoch have the same master"};
  }
  void on(const Seen& seen) override {
    const auto* config = std::get_if<SaveConfig>(seen.record);
    if (config == nullptr) return;
    const auto [at, fresh] = ledger_.shared().configurations.try_emplace(config->epoch, config->master);
    const ServerId before = at->second;
    check(before == config->master, [&] {
      return serverAt(seen.node) + " has configuration " + number(config->epoch) + " with the master " +
             server(config->master) + ", which elsewhere is " + server(before);
    });
  }
};

class ConfigForward : public SentinelMonitor {
 public:
  explicit ConfigForward(Ledger& ledger) : SentinelMonitor(ledger, kindBits(Kind::written, Kind::started)) {}
  InvariantInfo info() const override {
    return {"config-forward", "a sentinel's configuration never becomes older, and survives a restart"};
  }
  void on(const Seen& seen) override {
    if (seen.kind == Kind::written && !std::holds_alternative<SaveConfig>(*seen.record)) return;
    if (ledger_.config(seen.node).kind != NodeKind::sentinel) return;
    const OwnMemory& memory = ledger_.own(seen.node);
    check(memory.config_epoch >= memory.config_before, [&] {
      return serverAt(seen.node) + " had configuration " + number(memory.config_before) + " and has " +
             number(memory.config_epoch);
    });
  }
};

class BestReplica : public SentinelMonitor {
 public:
  explicit BestReplica(Ledger& ledger) : SentinelMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"best-replica",
            "of the replicas that may be promoted, the one with the lowest priority number is, then the one "
            "with the most writes, as far as they have reported"};
  }
  void on(const Seen& seen) override {
    const auto* selected = eventIn<ReplicaSelected>(seen);
    if (selected == nullptr) return;
    const auto& reports = ledger_.own(seen.node).reports;
    // Without a report in this run, what the sentinel knew when the run began.
    const auto rank = [&](const Candidate& one) {
      const auto at = reports.find(one.id);
      return at == reports.end() ? std::pair(one.priority, -one.offset)
                                 : std::pair(at->second.priority, -at->second.offset);
    };
    const auto best =
        std::min_element(selected->among.begin(), selected->among.end(),
                         [&](const Candidate& a, const Candidate& b) { return rank(a) < rank(b); });
    const auto chosen = std::find_if(selected->among.begin(), selected->among.end(),
                                     [&](const Candidate& one) { return one.id == selected->replica; });
    check(chosen != selected->among.end() && rank(*chosen) == rank(*best) && rank(*chosen).first != 0, [&] {
      return serverAt(seen.node) + " chooses " + server(selected->replica) + " with " +
             number(-rank(*chosen).second) + " writes; " + server(best->id) + " has " +
             number(-rank(*best).second);
    });
  }
};

class QuorumSeesItDown : public SentinelMonitor {
 public:
  explicit QuorumSeesItDown(Ledger& ledger) : SentinelMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {
        "quorum-sees-it-down",
        "a sentinel begins a failover when it sees the master down, and as many have told it that they do "
        "that the quorum is reached"};
  }
  void on(const Seen& seen) override {
    if (eventIn<TryFailover>(seen) == nullptr) return;
    const OwnMemory& memory = ledger_.own(seen.node);
    const Config& config = ledger_.config(seen.node);
    const ServerId master = memory.master == no_server ? config.master : memory.master;
    std::int64_t count = memory.sees_down ? 1 : 0;
    for (const auto& [peer, down] : memory.see_down) count += down == master;
    const bool enough = memory.sees_down && count >= config.quorum;
    if (memory.placed && !enough) return passOver();
    check(enough, [&] {
      return serverAt(seen.node) + " begins a failover, and the master is down for " + number(count) +
             " sentinels; the quorum is " + number(config.quorum);
    });
  }
};

class PromotionConfirmed : public SentinelMonitor {
 public:
  explicit PromotionConfirmed(Ledger& ledger) : SentinelMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"promotion-confirmed",
            "a configuration is published when the new master has reported that it is one"};
  }
  void on(const Seen& seen) override {
    const auto* promoted = eventIn<Promoted>(seen);
    if (promoted == nullptr) return;
    const auto& reports = ledger_.own(seen.node).reports;
    const auto report = reports.find(promoted->replica);
    check(report != reports.end() && report->second.master, [&] {
      return serverAt(seen.node) + " publishes " + server(promoted->replica) +
             " as the master, which has not reported that it is one";
    });
  }
};

}  // namespace

std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger) {
  return monitorSet<Family, VoteOnce, OneLeader, ElectedByMajority, MajorityIsElected, ConfigEpochUnique,
                    ConfigAgree, ConfigForward, BestReplica, QuorumSeesItDown, PromotionConfirmed>(
      std::move(ledger));
}

}  // namespace zablab::sentinel
