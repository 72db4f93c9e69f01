#include "checker/redis_cluster/monitors.h"

#include <algorithm>
#include <string>

namespace zablab::redis_cluster {
namespace {

using Seen = Happened<Family>;

class ClusterMonitor : public BookMonitor<Ledger> {
 public:
  using BookMonitor::BookMonitor;

 protected:
  template <class T>
  static const T* sentBy(const Seen& seen) {
    return seen.kind == Kind::sent && seen.node >= 0 && seen.how != SentHow::copy
               ? std::get_if<T>(seen.content)
               : nullptr;
  }
  static const Promoted* electionIn(const Seen& seen) {
    const auto* promoted = eventIn<Promoted>(seen);
    return promoted != nullptr && promoted->by == PromotedBy::election ? promoted : nullptr;
  }
  static std::string number(std::int64_t value) { return std::to_string(value); }
};

class OneVotePerEpoch : public ClusterMonitor {
 public:
  explicit OneVotePerEpoch(Ledger& ledger) : ClusterMonitor(ledger, kindBits(Kind::sent)) {}
  InvariantInfo info() const override {
    return {"one-vote-per-epoch", "a master votes at most once in each epoch, also if it restarts"};
  }
  void on(const Seen& seen) override {
    const auto* ack = sentBy<AuthAck>(seen);
    if (ack == nullptr) return;
    check(!ledger_.votesAgain(), [&] {
      return serverAt(seen.node) + " votes a second time in epoch " + number(ack->header.current_epoch);
    });
  }
};

class VoteDurable : public ClusterMonitor {
 public:
  explicit VoteDurable(Ledger& ledger) : ClusterMonitor(ledger, kindBits(Kind::sent)) {}
  InvariantInfo info() const override {
    return {"vote-durable", "when a vote is sent, its epoch is on the voter's disk"};
  }
  void on(const Seen& seen) override {
    const auto* ack = sentBy<AuthAck>(seen);
    if (ack == nullptr) return;
    check(own(seen.node).conf.last_vote_epoch >= ack->header.current_epoch, [&] {
      return serverAt(seen.node) + " votes in epoch " + number(ack->header.current_epoch) +
             ", and the last vote on its disk is of epoch " + number(own(seen.node).conf.last_vote_epoch);
    });
  }
};

class VotesForFailed : public ClusterMonitor {
 public:
  explicit VotesForFailed(Ledger& ledger) : ClusterMonitor(ledger, kindBits(Kind::sent)) {}
  InvariantInfo info() const override {
    return {
        "votes-for-failed",
        "a master votes for a replica only if it flags the replica's master as FAIL, or the vote is forced"};
  }
  void on(const Seen& seen) override {
    const AuthRequest* request = ledger_.request();
    if (sentBy<AuthAck>(seen) == nullptr || request == nullptr || request->force) return;
    const auto& failed = own(seen.node).failed;
    check(std::find(failed.begin(), failed.end(), request->header.master) != failed.end(), [&] {
      return serverAt(seen.node) + " votes for a replica of server " + number(request->header.master) +
             ", which has not failed in its view";
    });
  }
};

class VotesKnowOwners : public ClusterMonitor {
 public:
  explicit VotesKnowOwners(Ledger& ledger) : ClusterMonitor(ledger, kindBits(Kind::sent)) {}
  InvariantInfo info() const override {
    return {
        "votes-know-owners",
        "a master does not vote for a replica that claims a slot with an older configuration epoch than the "
        "slot's owner has"};
  }
  void on(const Seen& seen) override {
    const AuthRequest* request = ledger_.request();
    if (sentBy<AuthAck>(seen) == nullptr || request == nullptr) return;
    const NodesConf& conf = own(seen.node).conf;
    for (const Slot slot : request->header.slots) {
      const auto owner = conf.slots.find(slot);
      if (owner == conf.slots.end()) continue;
      const std::int64_t epoch = conf.nodes.at(owner->second).config_epoch;
      check(epoch <= request->header.config_epoch, [&] {
        return serverAt(seen.node) + " votes for a replica that claims slot " + number(slot) +
               " with configuration epoch " + number(request->header.config_epoch) + ", but server " +
               number(owner->second) + " has it with " + number(epoch);
      });
    }
  }
};

class OneWinnerPerEpoch : public ClusterMonitor {
 public:
  explicit OneWinnerPerEpoch(Ledger& ledger) : ClusterMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"one-winner-per-epoch", "at most one replica is elected in each epoch"};
  }
  void on(const Seen& seen) override {
    const Promoted* promoted = electionIn(seen);
    if (promoted == nullptr) return;
    check(ledger_.otherWinner() == no_server, [&] {
      return serverAt(seen.node) + " is elected in epoch " + number(promoted->epoch) + ", as server " +
             number(ledger_.otherWinner()) + " was";
    });
  }
};

class WinnerHasMajority : public ClusterMonitor {
 public:
  explicit WinnerHasMajority(Ledger& ledger) : ClusterMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"winner-has-majority",
            "a replica that is elected has the votes of a majority of the masters with slots"};
  }
  void on(const Seen& seen) override {
    const Promoted* promoted = electionIn(seen);
    if (promoted == nullptr) return;
    const OwnMemory& memory = own(seen.node);
    const std::size_t votes = memory.asked == promoted->epoch ? memory.voters.size() : 0;
    check(votes >= ledger_.quorum(), [&] {
      return serverAt(seen.node) + " is elected in epoch " + number(promoted->epoch) + " with " +
             number(static_cast<std::int64_t>(votes)) + " of " +
             number(static_cast<std::int64_t>(ledger_.electorate())) + " masters' votes";
    });
  }
};

class ManualLosesNothing : public ClusterMonitor {
 public:
  explicit ManualLosesNothing(Ledger& ledger) : ClusterMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"manual-failover-loses-nothing",
            "a replica that replaces its master as instructed, while the master works and waits for it, has "
            "every write that the master has executed"};
  }
  void on(const Seen& seen) override {
    const Handover* handover = ledger_.handover();
    if (handover == nullptr || !std::holds_alternative<Promoted>(*seen.event)) return;
    check(*handover->arrived >= handover->executed, [&] {
      return serverAt(seen.node) + " replaces server " + number(handover->master) + " with " +
             number(*handover->arrived) + " of its " + number(handover->executed) + " writes";
    });
  }
};

class SlotEpochGrows : public ClusterMonitor {
 public:
  explicit SlotEpochGrows(Ledger& ledger) : ClusterMonitor(ledger, kindBits(Kind::written)) {}
  InvariantInfo info() const override {
    return {"slot-epoch-grows",
            "a node gives a slot to another owner only if that one's configuration epoch is higher"};
  }
  void on(const Seen& seen) override {
    if (!std::holds_alternative<SaveConf>(*seen.record)) return;
    const NodesConf& before = ledger_.confBefore();
    const NodesConf& now = own(seen.node).conf;
    for (const auto& slot : now.slots) {
      const auto was = before.slots.find(slot.first);
      if (was == before.slots.end() || was->second == slot.second) continue;
      const std::int64_t old_epoch = before.nodes.at(was->second).config_epoch;
      const std::int64_t new_epoch = now.nodes.at(slot.second).config_epoch;
      check(new_epoch > old_epoch, [&] {
        return serverAt(seen.node) + " gives slot " + number(slot.first) + " of server " +
               number(was->second) + ", configuration epoch " + number(old_epoch) + ", to server " +
               number(slot.second) + ", " + number(new_epoch);
      });
    }
  }
};

class ServedByMajority : public ClusterMonitor {
 public:
  explicit ServedByMajority(Ledger& ledger) : ClusterMonitor(ledger, kindBits(Kind::sent)) {}
  InvariantInfo info() const override {
    return {"served-by-majority",
            "a master answers requests only while it flags fewer than a majority of the masters as PFAIL or "
            "FAIL"};
  }
  void on(const Seen& seen) override {
    if (sentBy<Reply>(seen) == nullptr) return;
    const OwnMemory& memory = own(seen.node);
    std::vector<ServerId> masters;
    for (const auto& slot : memory.conf.slots) {
      if (std::find(masters.begin(), masters.end(), slot.second) == masters.end())
        masters.push_back(slot.second);
    }
    const auto reached = std::count_if(masters.begin(), masters.end(), [&](ServerId master) {
      return std::find(memory.suspected.begin(), memory.suspected.end(), master) == memory.suspected.end() &&
             std::find(memory.failed.begin(), memory.failed.end(), master) == memory.failed.end();
    });
    check(2 * static_cast<std::size_t>(reached) > masters.size(), [&] {
      return serverAt(seen.node) + " answers a request while it reaches " + number(reached) + " of " +
             number(static_cast<std::int64_t>(masters.size())) + " masters";
    });
  }
};

}  // namespace

std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger) {
  return monitorSet<Family, OneVotePerEpoch, VoteDurable, VotesForFailed, VotesKnowOwners, OneWinnerPerEpoch,
                    WinnerHasMajority, ManualLosesNothing, SlotEpochGrows, ServedByMajority>(
      std::move(ledger));
}

}  // namespace zablab::redis_cluster
