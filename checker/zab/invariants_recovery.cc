#include "checker/zab/invariants_recovery.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "checker/zab/invariants_clients.h"
#include "checker/zab/invariants_election.h"
#include "checker/zab/recovery_monitor.h"

namespace zablab::zab {
namespace {

class CommittedNeverLost : public RecoveryMonitor {
 public:
  explicit CommittedNeverLost(Ledger& ledger) : RecoveryMonitor(ledger, claim_kinds) {}
  InvariantInfo info() const override {
    return {
        "committed-never-lost",
        "what was committed in an epoch is in the history of every leader of a later one, and a server that "
        "showed it never serves without it"};
  }
  void on(const Seen& seen) override {
    const auto& facts = ledger_.facts();
    if (facts.established && !facts.given) judgeLeader(seen.node);
    if (facts.shown) judgeServer(seen.node);
  }

 private:
  void judgeLeader(int leader) {
    const Epoch& epoch = shared().epochs.back();
    const auto& made = shared().claims;
    // Claims of this very activation are in its history by themselves.
    for (std::size_t i = made.size(); i > 0; --i) {
      const Claim& claim = made[i - 1];
      if (claim.epoch >= epoch.epoch) continue;
      check(stands(epoch.initial, i - 1, claim.entry), [&] {
        return words(claim.entry.zxid()) + ", committed in epoch " + std::to_string(claim.epoch) +
               ", is not in the history of " + server(leader) + ", which leads epoch " +
               std::to_string(epoch.epoch);
      });
      return;  // everything before it is in its hash
    }
  }
  void judgeServer(int node) {
    auto& shown = own(node).shown;
    const History& memory = own(node).memory;
    if (shown) {
      check(stands(memory, shown->place, shown->entry), [&] {
        return server(node) + " has shown " + words(shown->entry.zxid()) + " and serves without it";
      });
    }
    shown = {memory.size() - 1, memory.back()};
  }
};

class UncommittedNeverVisible : public RecoveryMonitor {
 public:
  explicit UncommittedNeverVisible(Ledger& ledger) : RecoveryMonitor(ledger, claim_kinds) {}
  InvariantInfo info() const override {
    return {"uncommitted-never-visible",
            "what is committed or shown to a client is durable on a quorum of voters since one epoch"};
  }
  void on(const Seen&) override {
    const auto& facts = ledger_.facts();
    if (facts.claimed_from == facts.claimed_to || facts.given) return;
    const Entry& last = shared().claims[facts.claimed_to - 1].entry;
    check(ledger_.isBacked(last), [&] {
      return theClaimer() + " shows " + words(last.zxid()) + ", which is durable on " +
             words(ledger_.holders(last)) + " alone";
    });
  }
};

class EpochClosure : public RecoveryMonitor {
 public:
  explicit EpochClosure(Ledger& ledger) : RecoveryMonitor(ledger, claim_kinds) {}
  InvariantInfo info() const override {
    return {
        "epoch-closure",
        "when an epoch is established, nothing of an older epoch is committed any more that its leader did "
        "not have"};
  }
  void on(const Seen&) override {
    forNewClaims([&](std::size_t position, const Claim& claim) {
      for (const Epoch& epoch : shared().epochs) {
        if (epoch.epoch <= claim.entry.zxid().epoch()) continue;
        check(stands(epoch.initial, position, claim.entry), [&] {
          return words(claim.entry.zxid()) + " is committed though epoch " + std::to_string(epoch.epoch) +
                 " was established without it";
        });
      }
    });
  }
};

class OneLeaderPerEpoch : public RecoveryMonitor {
 public:
  explicit OneLeaderPerEpoch(Ledger& ledger) : RecoveryMonitor(ledger, kindsOf(Kind::event)) {}
  InvariantInfo info() const override {
    return {"one-leader-per-epoch", "no epoch is established by two leaders"};
  }
  void on(const Seen& seen) override {
    if (!ledger_.facts().established) return;
    const auto& epochs = shared().epochs;
    const std::int64_t epoch = epochs.back().epoch;
    const int leader = std::find_if(epochs.begin(), epochs.end(), [epoch](const Epoch& other) {
                         return other.epoch == epoch;
                       })->leader;
    check(leader == seen.node, [&] {
      return server(leader) + " and " + server(seen.node) + " both lead epoch " + std::to_string(epoch);
    });
  }
};

class Agreement : public RecoveryMonitor {
 public:
  explicit Agreement(Ledger& ledger) : RecoveryMonitor(ledger, claim_kinds) {}
  InvariantInfo info() const override {
    return {"agreement", "servers that serve have the same transactions in the same places"};
  }
  void on(const Seen& seen) override {
    const auto& facts = ledger_.facts();
    if (facts.conflict) {
      check(false, [&] {
        const auto& claim = shared().claims[*facts.conflict_at];
        return theClaimer() + " commits something else than " + words(claim.entry.zxid()) + " in place " +
               std::to_string(*facts.conflict_at + 1);
      });
    }
    if (facts.committed_unknown) {
      check(false, [&] { return theClaimer() + " commits what is not in its history"; });
    }
    if (seen.kind != Kind::event || seen.node < 0) return;
    const OwnMemory& memory = own(seen.node);
    const bool serves = memory.phase == Phase::broadcast && memory.role != Role::LOOKING;
    // What a server counts in when its role ends is not served.
    const auto* applied = std::get_if<Applied>(seen.event);
    const bool grew = applied != nullptr && applied->because != AppliedBecause::tail_of_log;
    const bool began = std::holds_alternative<PhaseChanged>(*seen.event);
    if (!serves || !(grew || began) || memory.memory.empty() || shared().claims.empty()) return;
    const std::size_t place = std::min(memory.memory.size(), shared().claims.size()) - 1;
    check(stands(memory.memory, place, shared().claims[place].entry), [&] {
      return server(seen.node) + " has " + words(memory.memory[place].zxid()) + " in place " +
             std::to_string(place + 1) + ", where " + words(shared().claims[place].entry.zxid()) +
             " is committed, or something else before it";
    });
  }
};

class TotalOrder : public RecoveryMonitor {
 public:
  explicit TotalOrder(Ledger& ledger) : RecoveryMonitor(ledger, claim_kinds) {}
  InvariantInfo info() const override {
    return {"total-order", "zxids of committed transactions increase, also from one epoch to the next"};
  }
  void on(const Seen&) override {
    forNewClaims([&](std::size_t i, const Claim& claim) {
      if (i == 0) return;
      const Zxid before = shared().claims[i - 1].entry.zxid();
      check(before < claim.entry.zxid(),
            [&] { return words(claim.entry.zxid()) + " is committed behind " + words(before); });
    });
  }
};

class CommitsContiguous : public RecoveryMonitor {
 public:
  explicit CommitsContiguous(Ledger& ledger) : RecoveryMonitor(ledger, claim_kinds) {}
  InvariantInfo info() const override {
    return {"commits-contiguous", "within an epoch transactions are committed one after the other, from 1"};
  }
  void on(const Seen&) override {
    if (ledger_.facts().given) return;
    forNewClaims([&](std::size_t i, const Claim& claim) {
      const Zxid zxid = claim.entry.zxid();
      if (zxid.counter() == 1 || i == 0) return;
      const Zxid before = shared().claims[i - 1].entry.zxid();
      check(before == Zxid{zxid.value - 1},
            [&] { return words(zxid) + " is committed right behind " + words(before); });
    });
  }
};

class ProposedInOwnEpoch : public RecoveryMonitor {
 public:
  explicit ProposedInOwnEpoch(Ledger& ledger) : RecoveryMonitor(ledger, kindsOf(Kind::written)) {}
  InvariantInfo info() const override {
    return {"proposed-in-own-epoch", "a leader proposes in its own epoch, never with counter 0"};
  }
  void on(const Seen& seen) override {
    const auto* write = std::get_if<WriteTxn>(seen.record);
    const OwnMemory& memory = own(seen.node);
    if (write == nullptr || memory.role != Role::LEADING || memory.phase != Phase::broadcast) return;
    const Zxid zxid = write->txn.zxid;
    check(zxid.epoch() == memory.current() && zxid.counter() != 0, [&] {
      return server(seen.node) + " proposes " + words(zxid) + " in epoch " + std::to_string(memory.current());
    });
  }
};

class SameHistory : public RecoveryMonitor {
 public:
  explicit SameHistory(Ledger& ledger) : RecoveryMonitor(ledger, kindsOf(Kind::written, Kind::synced)) {}
  InvariantInfo info() const override {
    return {"same-history",
            "a zxid names one transaction, and whoever has it durable has the same before it"};
  }
  void on(const Seen& seen) override {
    if (seen.kind == Kind::written && !seen.blocking) return;
    const History& durable = own(seen.node).durable;
    if (durable.empty() || std::holds_alternative<WriteAcceptedEpoch>(*seen.record)) return;
    const Entry& last = durable.back();
    const auto [known, fresh] = shared().chains.try_emplace(last.zxid(), last.chain);
    if (fresh) return;
    check(known->second == last.chain, [&] {
      return server(seen.node) + " has something else up to " + words(last.zxid()) + " than others have";
    });
  }
};

class AcksDurable : public RecoveryMonitor {
 public:
  explicit AcksDurable(Ledger& ledger) : RecoveryMonitor(ledger, kindsOf(Kind::sent)) {}
  InvariantInfo info() const override {
    return {"acks-durable", "a server acknowledges a proposal when it is durable there"};
  }
  void on(const Seen& seen) override {
    const auto* ack = std::get_if<Ack>(seen.content);
    if (ack == nullptr || ack->zxid.counter() == 0) return;
    if (isScripted(seen.node)) return passOver();
    check(find(own(seen.node).durable, ack->zxid).has_value(), [&] {
      return server(seen.node) + " acknowledges " + words(ack->zxid) + ", which is not durable there";
    });
  }
};

class EpochsMonotonic : public RecoveryMonitor {
 public:
  explicit EpochsMonotonic(Ledger& ledger) : RecoveryMonitor(ledger, kindsOf(Kind::written, Kind::synced)) {}
  InvariantInfo info() const override {
    return {"epochs-monotonic",
            "a server's accepted and current epoch never go back, and the current one is not ahead"};
  }
  void on(const Seen& seen) override {
    if (seen.kind == Kind::written && !seen.blocking) return;
    if (!std::holds_alternative<WriteAcceptedEpoch>(*seen.record) &&
        !std::holds_alternative<WriteCurrentEpoch>(*seen.record))
      return;
    const OwnMemory& memory = own(seen.node);
    const auto& facts = ledger_.facts();
    check(memory.accepted() >= facts.accepted_before && memory.current() >= facts.current_before, [&] {
      return server(seen.node) + " goes back from epochs " + std::to_string(facts.accepted_before) + ", " +
             std::to_string(facts.current_before) + " to " + std::to_string(memory.accepted()) + ", " +
             std::to_string(memory.current());
    });
    check(memory.accepted() >= memory.current() || !memory.image.accepted_epoch, [&] {
      return server(seen.node) + " is in epoch " + std::to_string(memory.current()) +
             " and has accepted only " + std::to_string(memory.accepted());
    });
  }
};

class EpochsDurable : public RecoveryMonitor {
 public:
  explicit EpochsDurable(Ledger& ledger) : RecoveryMonitor(ledger, kindsOf(Kind::sent, Kind::event)) {}
  InvariantInfo info() const override {
    return {"epochs-durable",
            "where an epoch is proposed, promised, acknowledged or led, it is what is durable there, before "
            "anybody hears of it"};
  }
  void on(const Seen& seen) override {
    if (isScripted(seen.node)) return;
    const OwnMemory& memory = own(seen.node);
    if (seen.kind == Kind::event) {
      if (!ledger_.facts().established) return;
      require(seen.node, "leads", memory.current(), shared().epochs.back().epoch);
    } else if (const auto* info = std::get_if<LeaderInfo>(seen.content)) {
      require(seen.node, "proposes", memory.accepted(), info->epoch);
    } else if (const auto* promise = std::get_if<AckEpoch>(seen.content)) {
      if (promise->current_epoch) require(seen.node, "promises", memory.accepted(), memory.asked_epoch);
    } else if (const auto* ack = std::get_if<Ack>(seen.content)) {
      if (ack->zxid.counter() == 0) require(seen.node, "acknowledges", memory.current(), ack->zxid.epoch());
    }
  }

 private:
  void require(int node, const char* does, std::int64_t durable, std::int64_t epoch) {
    check(durable == epoch, [&] {
      return server(node) + " " + does + " epoch " + std::to_string(epoch) + ", and durable there is " +
             std::to_string(durable);
    });
  }
};

class PromisesKept : public RecoveryMonitor {
 public:
  explicit PromisesKept(Ledger& ledger) : RecoveryMonitor(ledger, kindsOf(Kind::sent)) {}
  InvariantInfo info() const override {
    return {"promises-kept", "a server acknowledges nothing in an epoch below the one it has accepted"};
  }
  void on(const Seen& seen) override {
    const auto* ack = std::get_if<Ack>(seen.content);
    if (ack == nullptr || isScripted(seen.node)) return;
    const OwnMemory& memory = own(seen.node);
    const bool leads = memory.role == Role::LEADING;
    if (seen.to == ledger_.id(seen.node)) {  // its own proposal, durable when it may have moved on
      if (!leads || memory.phase != Phase::broadcast || ack->zxid.epoch() != memory.current()) return;
    }
    const std::int64_t epoch = leads || memory.asked_epoch == 0 ? memory.current() : memory.asked_epoch;
    check(memory.accepted() <= epoch, [&] {
      return server(seen.node) + " acknowledges " + words(ack->zxid) + " in epoch " + std::to_string(epoch) +
             ", and has accepted " + std::to_string(memory.accepted());
    });
  }
};

class PromisedByQuorum : public RecoveryMonitor {
 public:
  explicit PromisedByQuorum(Ledger& ledger)
      : RecoveryMonitor(ledger, kindsOf(Kind::sent, Kind::delivered, Kind::wiped)) {}
  InvariantInfo info() const override {
    return {"promised-by-quorum",
            "a server promises an epoch to one leader, and none below it later; nobody is led in an epoch "
            "unless a "
            "quorum of voters promised it"};
  }
  void on(const Seen& seen) override {
    if (seen.late) return;
    if (seen.kind == Kind::wiped) {
      own(seen.node).promise.reset();
    } else if (const auto* promise = std::get_if<AckEpoch>(seen.content)) {
      if (!promise->current_epoch) return;  // it promised before, and does not count
      if (seen.kind == Kind::sent) return onPromise(seen.node, seen.to);
      if (own(seen.node).role == Role::LEADING) own(seen.node).promised_by |= bit(seen.from);
    } else if (const auto* led = std::get_if<NewLeader>(seen.content)) {
      if (seen.kind == Kind::sent) onNewLeader(seen.node, led->zxid.epoch());
    }
  }

 private:
  static std::uint64_t bit(int server) { return std::uint64_t{1} << server; }

  void onPromise(int node, ServerId leader) {
    const Promise given{own(node).asked_epoch, leader};
    auto& last = own(node).promise;
    if (last && last->epoch >= given.epoch) {
      check(*last == given, [&] {
        return server(node) + " promises epoch " + std::to_string(given.epoch) + " to server " +
               std::to_string(leader) + ", and promised " + std::to_string(last->epoch) + " to server " +
               std::to_string(last->leader) + " before";
      });
    } else {
      check(true, [] { return std::string(); });
      last = given;
    }
  }

  void onNewLeader(int leader, std::int64_t epoch) {
    const OwnMemory& memory = own(leader);
    if (memory.placed) return;  // what went before is not told
    std::uint64_t all = memory.promised_by;
    if (memory.accepted() >= epoch) all |= bit(leader);
    check(ledger_.areQuorumTo(leader, all), [&] {
      return server(leader) + " leads in epoch " + std::to_string(epoch) + ", which only " +
             words(ledger_.idsOf(all)) + " promised";
    });
  }
};

class InterruptedEpochStarts : public RecoveryMonitor {
 public:
  explicit InterruptedEpochStarts(Ledger& ledger)
      : RecoveryMonitor(ledger, kindsOf(Kind::started, Kind::write_failed, Kind::stopped, Kind::step_over)) {}
  InvariantInfo info() const override {
    return {"interrupted-epoch-starts",
            "a server that died while it wrote currentEpoch, with all of that epoch's history, starts again"};
  }
  void on(const Seen& seen) override {
    if (seen.kind == Kind::started) {
      const OwnMemory& memory = own(seen.node);
      const std::int64_t last = memory.durable.empty() ? 0 : memory.durable.back().zxid().epoch();
      const std::int64_t unfinished = memory.image.current_epoch_tmp.value_or(0);
      starting_ =
          last > memory.current() && unfinished >= last && memory.accepted() >= unfinished ? seen.node : -1;
    } else if (seen.kind == Kind::write_failed) {
      starting_ = -1;  // the disk is to blame
    } else if (starting_ >= 0 && starting_ == seen.node) {
      starting_ = -1;
      check(seen.kind != Kind::stopped || seen.stopped != HowStopped::exit,
            [&] { return server(seen.node) + " does not start: " + std::string(seen.why); });
    }
  }

 private:
  int starting_ = -1;
};

class UpToDateApplied : public RecoveryMonitor {
 public:
  explicit UpToDateApplied(Ledger& ledger) : RecoveryMonitor(ledger, kindsOf(Kind::delivered, Kind::sent)) {}
  InvariantInfo info() const override {
    return {"up-to-date-applied",
            "a server that acknowledges UPTODATE has applied what it was told to be committed before "
            "NEWLEADER"};
  }
  void on(const Seen& seen) override {
    if (seen.link != learner_link) return;
    if (seen.kind == Kind::sent) return onSent(seen.node, *seen.content);
    Told& told = own(seen.node).told;
    const Message& message = *seen.content;
    if (std::holds_alternative<Diff>(message) || std::holds_alternative<Trunc>(message) ||
        std::holds_alternative<Snap>(message)) {
      told = {.syncing = true};
      const auto* snap = std::get_if<Snap>(&message);
      if (snap != nullptr && !snap->snapshot.history.empty()) told.last = snap->snapshot.history.back().zxid;
    } else if (std::holds_alternative<NewLeader>(message)) {
      told.newleader = told.syncing;
    } else if (std::holds_alternative<UpToDate>(message)) {
      told.up_to_date = told.newleader;
    } else if (told.syncing && !told.newleader) {
      if (const auto* commit = std::get_if<Commit>(&message)) told.last = commit->zxid;
      if (const auto* inform = std::get_if<Inform>(&message)) told.last = inform->txn.zxid;
    }
  }

 private:
  void onSent(int node, const Message& message) {
    const auto* ack = std::get_if<Ack>(&message);
    if (ack == nullptr || ack->zxid.counter() != 0 || !own(node).told.up_to_date) return;
    const Told told = std::exchange(own(node).told, Told{});
    if (!told.last) return;
    check(find(own(node).memory, *told.last).has_value(), [&] {
      return server(node) + " says that it is up to date and has not applied " + words(*told.last) +
             ", which it was told to be committed before NEWLEADER";
    });
  }
};

class NoFatalMessage : public RecoveryMonitor {
 public:
  explicit NoFatalMessage(Ledger& ledger)
      : RecoveryMonitor(ledger, kindsOf(Kind::delivered, Kind::event, Kind::write_failed, Kind::stopped,
                                        Kind::step_over)) {}
  InvariantInfo info() const override {
    return {"no-fatal-message",
            "nothing that a leader or a learner says makes a server end its process or its synchronization"};
  }
  void on(const Seen& seen) override {
    if (seen.kind == Kind::delivered) {
      reader_ = seen.link == learner_link ? seen.node : -1;
      return;
    }
    if (reader_ < 0 || reader_ != seen.node) return;
    if (seen.kind == Kind::event) {
      const auto* role = std::get_if<RoleChanged>(seen.event);
      if (role == nullptr || role->reason != RoleReason::sync_failed) return;
      check(false, [&] { return server(seen.node) + " gives up its synchronization"; });
    } else if (seen.kind != Kind::write_failed) {
      const bool ended = seen.kind == Kind::stopped && seen.stopped == HowStopped::exit;
      check(!ended, [&] { return server(seen.node) + " ends itself: " + std::string(seen.why); });
    }
    reader_ = -1;
  }

 private:
  int reader_ = -1;  ///< whose step is under way, begun by a message
};

class NewLeaderAckedFirst : public RecoveryMonitor {
 public:
  explicit NewLeaderAckedFirst(Ledger& ledger)
      : RecoveryMonitor(ledger, kindsOf(Kind::sent, Kind::delivered, Kind::event)) {}
  InvariantInfo info() const override {
    return {"newleader-acked-first", "the first ACK that a leader reads behind NEWLEADER is NEWLEADER's"};
  }
  void on(const Seen& seen) override {
    auto& awaited = own(seen.node).awaited;
    if (seen.kind == Kind::event) {
      const auto* changed = std::get_if<LearnerChanged>(seen.event);
      if (changed != nullptr && !changed->present) awaited.erase(changed->learner);
      return;
    }
    if (seen.link != learner_link) return;
    if (seen.kind == Kind::sent) {
      if (const auto* sent = std::get_if<NewLeader>(seen.content)) awaited[seen.to] = sent->zxid;
      return;
    }
    const auto* ack = std::get_if<Ack>(seen.content);
    if (ack == nullptr || seen.late) return;
    const auto first = awaited.find(ledger_.id(seen.from));
    if (first == awaited.end()) return;
    const Zxid zxid = first->second;
    awaited.erase(first);
    check(ack->zxid == zxid, [&] {
      return server(seen.node) + " reads the ACK of " + words(ack->zxid) + " from " + server(seen.from) +
             " before that of NEWLEADER";
    });
  }
};

}  // namespace

std::vector<std::unique_ptr<Monitor<Family>>> recoveryMonitors(Ledger& ledger) {
  std::vector<std::unique_ptr<Monitor<Family>>> monitors;
  const auto add = [&]<class M>(std::type_identity<M>) { monitors.push_back(std::make_unique<M>(ledger)); };
  add(std::type_identity<CommittedNeverLost>{});
  add(std::type_identity<UncommittedNeverVisible>{});
  add(std::type_identity<EpochClosure>{});
  add(std::type_identity<OneLeaderPerEpoch>{});
  add(std::type_identity<Agreement>{});
  add(std::type_identity<TotalOrder>{});
  add(std::type_identity<CommitsContiguous>{});
  add(std::type_identity<ProposedInOwnEpoch>{});
  add(std::type_identity<SameHistory>{});
  add(std::type_identity<AcksDurable>{});
  add(std::type_identity<EpochsMonotonic>{});
  add(std::type_identity<EpochsDurable>{});
  add(std::type_identity<PromisesKept>{});
  add(std::type_identity<PromisedByQuorum>{});
  add(std::type_identity<InterruptedEpochStarts>{});
  add(std::type_identity<UpToDateApplied>{});
  add(std::type_identity<NoFatalMessage>{});
  add(std::type_identity<NewLeaderAckedFirst>{});
  return monitors;
}

std::unique_ptr<MonitorSet<Family>> allMonitors(const Cluster<Family>& cluster) {
  return monitorsWith(std::make_unique<Ledger>(cluster));
}

std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger) {
  auto monitors = recoveryMonitors(*ledger);
  for (auto& monitor : serviceMonitors(*ledger)) monitors.push_back(std::move(monitor));
  for (auto& monitor : electionMonitors(*ledger)) monitors.push_back(std::move(monitor));
  return std::make_unique<MonitorSet<Family>>(std::move(ledger), std::move(monitors));
}

}  // namespace zablab::zab
