#pragma once

#include "checker/zab/invariants_recovery.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "checker/zab/majorities.h"
#include "checker/zab/recovery_monitor.h"

namespace zablab::zab {

template <class F>
class CommittedNeverLost : public BasicRecoveryMonitor<F> {
 public:
  using typename BasicRecoveryMonitor<F>::Seen;

  explicit CommittedNeverLost(BasicLedger<F>& ledger) : BasicRecoveryMonitor<F>(ledger, claim_kinds) {}
  InvariantInfo info() const override {
    return {"committed-never-lost",
            "what was committed in an epoch is in the history of every leader of a later one, and a server "
            "that has shown it never serves without it"};
  }
  void on(const Seen& seen) override {
    const auto& facts = this->ledger_.facts();
    if (facts.established && !facts.given) judgeLeader(seen.node);
    if (facts.shown) judgeServer(seen.node);
  }

 private:
  /// A disk that was lost may have an epoch led again: what was committed in this epoch counts, too.
  void judgeLeader(int leader) {
    const auto& epoch = this->shared().epochs.back();
    const auto& made = this->shared().claims;
    // Claims of this very activation are in its history by themselves.
    const auto& facts = this->ledger_.facts();
    const bool claims = facts.claimed_from != facts.claimed_to;
    for (std::size_t i = claims ? facts.claimed_from : made.size(); i > 0; --i) {
      const auto& claim = made[i - 1];
      if (claim.epoch > epoch.epoch) continue;
      this->check(stands(epoch.initial, i - 1, claim.entry), [&] {
        const std::string zxid = words(claim.entry.zxid());
        return Breach{phrase("{zxid}, committed in epoch {epoch}, is not in the history of {leader}, which "
                             "leads epoch {led}",
                             zxid, claim.epoch, this->server(leader), epoch.epoch),
                      zxid};
      });
      return;  // everything before it is in its hash
    }
  }
  void judgeServer(int node) {
    auto& shown = this->own(node).shown;
    const auto& memory = this->own(node).memory;
    if (shown) {
      this->check(stands(memory, shown->place, shown->entry), [&] {
        const std::string zxid = words(shown->entry.zxid());
        return Breach{phrase("{server} has shown {zxid} and serves without it", this->server(node), zxid),
                      zxid};
      });
    }
    shown = {memory.size() - 1, memory.back()};
  }
};

template <class F>
class UncommittedNeverVisible : public BasicRecoveryMonitor<F> {
 public:
  using typename BasicRecoveryMonitor<F>::Seen;

  explicit UncommittedNeverVisible(BasicLedger<F>& ledger) : BasicRecoveryMonitor<F>(ledger, claim_kinds) {}
  InvariantInfo info() const override {
    return {"uncommitted-never-visible",
            "what is committed or shown to a client is durable on a quorum of voters that had it in the same "
            "epoch"};
  }
  void on(const Seen&) override {
    const auto& facts = this->ledger_.facts();
    if (facts.claimed_from == facts.claimed_to || facts.given) return;
    const auto& last = this->shared().claims[facts.claimed_to - 1].entry;
    this->check(this->ledger_.isBacked(last), [&] {
      const std::string zxid = words(last.zxid());
      return Breach{phrase("{server} shows {zxid}, which is durable only on these servers: {servers}",
                           this->theClaimer(), zxid, words(this->ledger_.holders(last))),
                    zxid};
    });
  }
};

template <class F>
class EpochClosure : public BasicRecoveryMonitor<F> {
 public:
  using typename BasicRecoveryMonitor<F>::Seen;

  explicit EpochClosure(BasicLedger<F>& ledger) : BasicRecoveryMonitor<F>(ledger, claim_kinds) {}
  InvariantInfo info() const override {
    return {
        "epoch-closure",
        "after an epoch is established, nothing of an older epoch is committed that its leader did not have"};
  }
  void on(const Seen&) override {
    this->forNewClaims([&](std::size_t position, const auto& claim) {
      for (const auto& epoch : this->shared().epochs) {
        if (epoch.epoch <= claim.entry.zxid().epoch()) continue;
        this->check(stands(epoch.initial, position, claim.entry), [&] {
          const std::string zxid = words(claim.entry.zxid());
          return Breach{phrase("{zxid} is committed though epoch {epoch} was established without it", zxid,
                               epoch.epoch),
                        zxid};
        });
      }
    });
  }
};

template <class F>
class OneLeaderPerEpoch : public BasicRecoveryMonitor<F> {
 public:
  using typename BasicRecoveryMonitor<F>::Seen;

  explicit OneLeaderPerEpoch(BasicLedger<F>& ledger)
      : BasicRecoveryMonitor<F>(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"one-leader-per-epoch", "no epoch is established by two leaders"};
  }
  void on(const Seen& seen) override {
    if (!this->ledger_.facts().established) return;
    const auto& epochs = this->shared().epochs;
    const std::int64_t epoch = epochs.back().epoch;
    const int leader = std::find_if(epochs.begin(), epochs.end(), [epoch](const auto& other) {
                         return other.epoch == epoch;
                       })->leader;
    this->check(leader == seen.node, [&] {
      return phrase("{server} and {other} both lead epoch {epoch}", this->server(leader),
                    this->server(seen.node), epoch);
    });
  }
};

template <class F>
class Agreement : public BasicRecoveryMonitor<F> {
 public:
  using typename BasicRecoveryMonitor<F>::Seen;

  explicit Agreement(BasicLedger<F>& ledger) : BasicRecoveryMonitor<F>(ledger, claim_kinds) {}
  InvariantInfo info() const override {
    return {"agreement", "servers that serve have the same transactions in the same places"};
  }
  void on(const Seen& seen) override {
    const auto& facts = this->ledger_.facts();
    if (facts.conflict) {
      this->check(false, [&] {
        const std::string zxid = words(this->shared().claims[*facts.conflict_at].entry.zxid());
        return Breach{phrase("{server} commits another transaction than {zxid} in place {place}",
                             this->theClaimer(), zxid, *facts.conflict_at + 1),
                      zxid};
      });
    }
    if (facts.committed_unknown) {
      this->check(false, [&] {
        return phrase("{server} commits a transaction that is not in its history", this->theClaimer());
      });
    }
    if (seen.kind != Kind::event || seen.node < 0) return;
    const auto& memory = this->own(seen.node);
    const bool serves = memory.phase == Phase::broadcast && memory.role != Role::LOOKING;
    // What a server adds to its history when its role ends is not served.
    const auto* applied = get_if<BasicApplied<typename F::Service>>(seen.event);
    const bool grew = applied != nullptr && applied->because != AppliedBecause::tail_of_log;
    const bool began = holds_alternative<PhaseChanged>(*seen.event);
    if (!serves || !(grew || began) || memory.memory.empty() || this->shared().claims.empty()) return;
    const std::size_t place = std::min(memory.memory.size(), this->shared().claims.size()) - 1;
    this->check(stands(memory.memory, place, this->shared().claims[place].entry), [&] {
      const std::string zxid = words(memory.memory[place].zxid());
      return Breach{
          phrase("{server} has {zxid} in place {place}, where {other} is committed, or another "
                 "transaction before it",
                 this->server(seen.node), zxid, place + 1, words(this->shared().claims[place].entry.zxid())),
          zxid};
    });
  }
};

template <class F>
class TotalOrder : public BasicRecoveryMonitor<F> {
 public:
  using typename BasicRecoveryMonitor<F>::Seen;

  explicit TotalOrder(BasicLedger<F>& ledger) : BasicRecoveryMonitor<F>(ledger, claim_kinds) {}
  InvariantInfo info() const override {
    return {"total-order", "zxids of committed transactions increase, also from one epoch to the next"};
  }
  void on(const Seen&) override {
    this->forNewClaims([&](std::size_t i, const auto& claim) {
      if (i == 0) return;
      const Zxid before = this->shared().claims[i - 1].entry.zxid();
      this->check(before < claim.entry.zxid(), [&] {
        const std::string zxid = words(claim.entry.zxid());
        return Breach{phrase("{zxid} is committed after {before}", zxid, words(before)), zxid};
      });
    });
  }
};

template <class F>
class CommitsContiguous : public BasicRecoveryMonitor<F> {
 public:
  using typename BasicRecoveryMonitor<F>::Seen;

  explicit CommitsContiguous(BasicLedger<F>& ledger) : BasicRecoveryMonitor<F>(ledger, claim_kinds) {}
  InvariantInfo info() const override {
    return {"commits-contiguous", "within an epoch transactions are committed one after the other, from 1"};
  }
  void on(const Seen&) override {
    if (this->ledger_.facts().given) return;
    this->forNewClaims([&](std::size_t i, const auto& claim) {
      const Zxid zxid = claim.entry.zxid();
      if (zxid.counter() == 1 || i == 0) return;
      const Zxid before = this->shared().claims[i - 1].entry.zxid();
      this->check(before == Zxid{zxid.value - 1}, [&] {
        return Breach{phrase("{zxid} is committed directly after {before}", words(zxid), words(before)),
                      words(zxid)};
      });
    });
  }
};

template <class F>
class ProposedInOwnEpoch : public BasicRecoveryMonitor<F> {
 public:
  using typename BasicRecoveryMonitor<F>::Seen;

  explicit ProposedInOwnEpoch(BasicLedger<F>& ledger)
      : BasicRecoveryMonitor<F>(ledger, kindBits(Kind::written)) {}
  InvariantInfo info() const override {
    return {"proposed-in-own-epoch", "a leader proposes in its own epoch, never with counter 0"};
  }
  void on(const Seen& seen) override {
    const auto* write = get_if<BasicWriteTxn<typename F::Service>>(seen.record);
    const auto& memory = this->own(seen.node);
    if (write == nullptr || memory.role != Role::LEADING || memory.phase != Phase::broadcast) return;
    const Zxid zxid = write->txn.zxid;
    this->check(zxid.epoch() == memory.current() && zxid.counter() != 0, [&] {
      return Breach{phrase("{server} proposes {zxid} in epoch {epoch}", this->server(seen.node), words(zxid),
                           memory.current()),
                    words(zxid)};
    });
  }
};

template <class F>
class SameHistory : public BasicRecoveryMonitor<F> {
 public:
  using typename BasicRecoveryMonitor<F>::Seen;

  explicit SameHistory(BasicLedger<F>& ledger)
      : BasicRecoveryMonitor<F>(ledger, kindBits(Kind::written, Kind::synced)) {}
  InvariantInfo info() const override {
    return {
        "same-history",
        "a zxid names one transaction, and all servers that have it durable have the same history before it"};
  }
  void on(const Seen& seen) override {
    if (seen.kind == Kind::written && !seen.blocking) return;
    const auto& durable = this->own(seen.node).durable;
    if (durable.empty() || holds_alternative<WriteAcceptedEpoch>(*seen.record)) return;
    const auto& last = durable.back();
    const auto [known, fresh] = this->shared().chains.try_emplace(last.zxid(), last.chain);
    if (fresh) return;
    this->check(known->second == last.chain, [&] {
      const std::string zxid = words(last.zxid());
      return Breach{phrase("{server} differs from other servers in its history up to {zxid}",
                           this->server(seen.node), zxid),
                    zxid};
    });
  }
};

template <class F>
class AcksDurable : public BasicRecoveryMonitor<F> {
 public:
  using typename BasicRecoveryMonitor<F>::Seen;

  explicit AcksDurable(BasicLedger<F>& ledger) : BasicRecoveryMonitor<F>(ledger, kindBits(Kind::sent)) {}
  InvariantInfo info() const override {
    return {"acks-durable", "a server acknowledges a proposal only when it is durable there"};
  }
  void on(const Seen& seen) override {
    const auto* ack = get_if<Ack>(seen.content);
    if (ack == nullptr || ack->zxid.counter() == 0) return;
    if (this->isScripted(seen.node)) return this->passOver();
    this->check(find(this->own(seen.node).durable, ack->zxid).has_value(), [&] {
      const std::string zxid = words(ack->zxid);
      return Breach{
          phrase("{server} acknowledges {zxid}, which is not durable there", this->server(seen.node), zxid),
          zxid};
    });
  }
};

template <class F>
class EpochsMonotonic : public BasicRecoveryMonitor<F> {
 public:
  using typename BasicRecoveryMonitor<F>::Seen;

  explicit EpochsMonotonic(BasicLedger<F>& ledger)
      : BasicRecoveryMonitor<F>(ledger, kindBits(Kind::written, Kind::synced)) {}
  InvariantInfo info() const override {
    return {
        "epochs-monotonic",
        "a server's accepted and current epoch never decrease, and the current one is not the larger one"};
  }
  void on(const Seen& seen) override {
    if (seen.kind == Kind::written && !seen.blocking) return;
    if (!holds_alternative<WriteAcceptedEpoch>(*seen.record) &&
        !holds_alternative<WriteCurrentEpoch>(*seen.record))
      return;
    const auto& memory = this->own(seen.node);
    const auto& facts = this->ledger_.facts();
    this->check(memory.accepted() >= facts.accepted_before && memory.current() >= facts.current_before, [&] {
      return phrase("{server} goes back from epochs {accepted}, {current} to {accepted2}, {current2}",
                    this->server(seen.node), facts.accepted_before, facts.current_before, memory.accepted(),
                    memory.current());
    });
    this->check(memory.accepted() >= memory.current() || !memory.image.accepted_epoch, [&] {
      return phrase("{server} is in epoch {epoch} and has accepted only {accepted}", this->server(seen.node),
                    memory.current(), memory.accepted());
    });
  }
};

template <class F>
class EpochsDurable : public BasicRecoveryMonitor<F> {
 public:
  using typename BasicRecoveryMonitor<F>::Seen;

  explicit EpochsDurable(BasicLedger<F>& ledger)
      : BasicRecoveryMonitor<F>(ledger, kindBits(Kind::sent, Kind::event)) {}
  InvariantInfo info() const override {
    return {
        "epochs-durable",
        "a server proposes, promises, acknowledges or leads an epoch only when that epoch is durable there"};
  }
  void on(const Seen& seen) override {
    if (this->isScripted(seen.node)) return;
    const auto& memory = this->own(seen.node);
    if (seen.kind == Kind::event) {
      if (!this->ledger_.facts().established) return;
      require(seen.node, leads, memory.current(), this->shared().epochs.back().epoch);
    } else if (const auto* info = get_if<LeaderInfo>(seen.content)) {
      require(seen.node, proposes, memory.accepted(), info->epoch);
    } else if (const auto* promise = get_if<AckEpoch>(seen.content)) {
      if (promise->current_epoch) require(seen.node, promises, memory.accepted(), memory.asked_epoch);
    } else if (const auto* ack = get_if<Ack>(seen.content)) {
      if (ack->zxid.counter() == 0) require(seen.node, acknowledges, memory.current(), ack->zxid.epoch());
    }
  }

 private:
  template <class Does>
  void require(int node, const Does& does, std::int64_t durable, std::int64_t epoch) {
    this->check(durable == epoch, [&] {
      return phrase("{does}, and its durable epoch is {durable}", does(this->server(node), epoch), durable);
    });
  }
  static Phrase leads(const Phrase& server, std::int64_t epoch) {
    return phrase("{server} leads epoch {epoch}", server, epoch);
  }
  static Phrase proposes(const Phrase& server, std::int64_t epoch) {
    return phrase("{server} proposes epoch {epoch}", server, epoch);
  }
  static Phrase promises(const Phrase& server, std::int64_t epoch) {
    return phrase("{server} promises epoch {epoch}", server, epoch);
  }
  static Phrase acknowledges(const Phrase& server, std::int64_t epoch) {
    return phrase("{server} acknowledges epoch {epoch}", server, epoch);
  }
};

template <class F>
class PromisesKept : public BasicRecoveryMonitor<F> {
 public:
  using typename BasicRecoveryMonitor<F>::Seen;

  explicit PromisesKept(BasicLedger<F>& ledger) : BasicRecoveryMonitor<F>(ledger, kindBits(Kind::sent)) {}
  InvariantInfo info() const override {
    return {"promises-kept", "a server acknowledges nothing in an epoch below the one it has accepted"};
  }
  void on(const Seen& seen) override {
    const auto* ack = get_if<Ack>(seen.content);
    if (ack == nullptr || this->isScripted(seen.node)) return;
    const auto& memory = this->own(seen.node);
    const bool leads = memory.role == Role::LEADING;
    if (seen.to == this->ledger_.id(seen.node)) {  // its own proposal, durable when it may have moved on
      if (!leads || memory.phase != Phase::broadcast || ack->zxid.epoch() != memory.current()) return;
    }
    const std::int64_t epoch = leads || memory.asked_epoch == 0 ? memory.current() : memory.asked_epoch;
    this->check(memory.accepted() <= epoch, [&] {
      const std::string zxid = words(ack->zxid);
      return Breach{phrase("{server} acknowledges {zxid} in epoch {epoch}, and has accepted {accepted}",
                           this->server(seen.node), zxid, epoch, memory.accepted()),
                    zxid};
    });
  }
};

template <class F>
class PromisedByQuorum : public BasicRecoveryMonitor<F> {
 public:
  using typename BasicRecoveryMonitor<F>::Seen;

  explicit PromisedByQuorum(BasicLedger<F>& ledger)
      : BasicRecoveryMonitor<F>(ledger, kindBits(Kind::sent, Kind::delivered, Kind::wiped)) {}
  InvariantInfo info() const override {
    return {"promised-by-quorum",
            "a server promises an epoch to one leader, and later none below it; no server leads in an epoch "
            "unless a quorum of voters promised it"};
  }
  void on(const Seen& seen) override {
    if (seen.late) return;
    if (seen.kind == Kind::wiped) {
      this->own(seen.node).promise.reset();
    } else if (const auto* promise = get_if<AckEpoch>(seen.content)) {
      if (!promise->current_epoch) return;  // it promised before, so this does not count
      if (seen.kind == Kind::sent) return onPromise(seen.node, seen.to);
      if (this->own(seen.node).role == Role::LEADING) this->own(seen.node).promised_by |= bit(seen.from);
    } else if (const auto* led = get_if<NewLeader>(seen.content)) {
      if (seen.kind == Kind::sent) judgeLeader(seen.node, led->zxid.epoch());
    }
  }

 private:
  static std::uint64_t bit(int server) { return std::uint64_t{1} << server; }

  void onPromise(int node, ServerId leader) {
    const Promise given{this->own(node).asked_epoch, leader};
    auto& last = this->own(node).promise;
    if (last && last->epoch >= given.epoch) {
      this->check(*last == given, [&] {
        return phrase("{server} promises epoch {epoch} to {leader}, and promised {earlier} to {other} before",
                      this->server(node), given.epoch, Phrase::server(leader), last->epoch,
                      Phrase::server(last->leader));
      });
    } else {
      this->check(true, [] { return Phrase(); });
      last = given;
    }
  }

  void judgeLeader(int leader, std::int64_t epoch) {
    const auto& memory = this->own(leader);
    if (memory.placed) return;  // what went before is not known
    std::uint64_t all = memory.promised_by;
    if (memory.accepted() >= epoch) all |= bit(leader);
    this->check(this->ledger_.areQuorumTo(leader, all), [&] {
      return phrase("{server} leads in epoch {epoch}, which only these servers promised: {servers}",
                    this->server(leader), epoch, words(this->ledger_.idsOf(all)));
    });
  }
};

template <class F>
class InterruptedEpochStarts : public BasicRecoveryMonitor<F> {
 public:
  using typename BasicRecoveryMonitor<F>::Seen;

  explicit InterruptedEpochStarts(BasicLedger<F>& ledger)
      : BasicRecoveryMonitor<F>(
            ledger, kindBits(Kind::started, Kind::write_failed, Kind::stopped, Kind::step_over)) {}
  InvariantInfo info() const override {
    return {"interrupted-epoch-starts",
            "a server that died while it wrote currentEpoch, with all of that epoch's history, starts again"};
  }
  void on(const Seen& seen) override {
    if (seen.kind == Kind::started) {
      const auto& memory = this->own(seen.node);
      const std::int64_t last = memory.durable.empty() ? 0 : memory.durable.back().zxid().epoch();
      const std::int64_t unfinished = memory.image.current_epoch_tmp.value_or(0);
      starting_ =
          last > memory.current() && unfinished >= last && memory.accepted() >= unfinished ? seen.node : -1;
    } else if (seen.kind == Kind::write_failed) {
      starting_ = -1;  // the disk is the cause
    } else if (starting_ >= 0 && starting_ == seen.node) {
      starting_ = -1;
      this->check(seen.kind != Kind::stopped || seen.stopped != HowStopped::exit, [&] {
        return phrase("{server} does not start: {why}", this->server(seen.node), Phrase::words(seen.why));
      });
    }
  }

 private:
  int starting_ = -1;
};

template <class F>
class UpToDateApplied : public BasicRecoveryMonitor<F> {
 public:
  using typename BasicRecoveryMonitor<F>::Seen;

  explicit UpToDateApplied(BasicLedger<F>& ledger)
      : BasicRecoveryMonitor<F>(ledger, kindBits(Kind::delivered, Kind::sent)) {}
  InvariantInfo info() const override {
    return {
        "up-to-date-applied",
        "a follower that acknowledges UPTODATE has applied what it received as committed before NEWLEADER"};
  }
  void on(const Seen& seen) override {
    if (seen.link != learner_link || isObserver(seen.node)) return;
    if (seen.kind == Kind::sent) return onSent(seen.node, *seen.content);
    Told& told = this->own(seen.node).told;
    const typename F::Message& message = *seen.content;
    if (holds_alternative<Diff>(message) || holds_alternative<Trunc>(message) ||
        holds_alternative<BasicSnap<typename F::Service>>(message)) {
      told = {.syncing = true};
      const auto* snap = get_if<BasicSnap<typename F::Service>>(&message);
      if (snap != nullptr && !snap->snapshot.history.empty()) told.last = snap->snapshot.history.back().zxid;
    } else if (holds_alternative<NewLeader>(message)) {
      told.newleader = told.syncing;
    } else if (holds_alternative<UpToDate>(message)) {
      told.up_to_date = told.newleader;
    } else if (told.syncing && !told.newleader) {
      if (const auto* commit = get_if<Commit>(&message)) told.last = commit->zxid;
      if (const auto* inform = get_if<BasicInform<typename F::Service>>(&message))
        told.last = inform->txn.zxid;
    }
  }

 private:
  /// It takes all of that at UPTODATE (Learner.syncWithLeader).
  bool isObserver(int node) const {
    const auto& cluster = this->ledger_.cluster();
    return !votesIn(cluster.configs[static_cast<std::size_t>(node)], this->ledger_.id(node));
  }
  void onSent(int node, const typename F::Message& message) {
    const auto* ack = get_if<Ack>(&message);
    if (ack == nullptr || ack->zxid.counter() != 0 || !this->own(node).told.up_to_date) return;
    const Told told = std::exchange(this->own(node).told, Told{});
    if (!told.last) return;
    this->check(find(this->own(node).memory, *told.last).has_value(), [&] {
      const std::string zxid = words(*told.last);
      return Breach{
          phrase("{server} says that it is up to date and has not applied {zxid}, which it received "
                 "as committed before NEWLEADER",
                 this->server(node), zxid),
          zxid};
    });
  }
};

template <class F>
class NoFatalMessage : public BasicRecoveryMonitor<F> {
 public:
  using typename BasicRecoveryMonitor<F>::Seen;

  explicit NoFatalMessage(BasicLedger<F>& ledger)
      : BasicRecoveryMonitor<F>(ledger, kindBits(Kind::delivered, Kind::event, Kind::write_failed,
                                                 Kind::stopped, Kind::step_over)) {}
  InvariantInfo info() const override {
    return {"no-fatal-message",
            "no message of a leader or a learner makes a server end its process or its synchronization"};
  }
  void on(const Seen& seen) override {
    if (seen.kind == Kind::delivered) {
      reader_ = seen.link == learner_link ? seen.node : -1;
      return;
    }
    if (reader_ < 0 || reader_ != seen.node) return;
    if (seen.kind == Kind::event) {
      const auto* role = get_if<RoleChanged>(seen.event);
      if (role == nullptr || role->reason != RoleReason::sync_failed) return;
      this->check(false,
                  [&] { return phrase("{server} aborts its synchronization", this->server(seen.node)); });
    } else if (seen.kind != Kind::write_failed) {
      const bool ended = seen.kind == Kind::stopped && seen.stopped == HowStopped::exit;
      this->check(!ended, [&] {
        return phrase("{server} ends its process: {why}", this->server(seen.node), Phrase::words(seen.why));
      });
    }
    reader_ = -1;
  }

 private:
  int reader_ = -1;  ///< the server whose step is in progress, begun by a message
};

template <class F>
class NewLeaderAckedFirst : public BasicRecoveryMonitor<F> {
 public:
  using typename BasicRecoveryMonitor<F>::Seen;

  explicit NewLeaderAckedFirst(BasicLedger<F>& ledger)
      : BasicRecoveryMonitor<F>(ledger, kindBits(Kind::sent, Kind::delivered, Kind::event)) {}
  InvariantInfo info() const override {
    return {"newleader-acked-first",
            "the first ACK that a leader reads after it sent NEWLEADER is that of NEWLEADER"};
  }
  void on(const Seen& seen) override {
    auto& awaited = this->own(seen.node).awaited;
    if (seen.kind == Kind::event) {
      const auto* changed = get_if<LearnerChanged>(seen.event);
      if (changed != nullptr && !changed->present) awaited.erase(changed->learner);
      return;
    }
    if (seen.link != learner_link) return;
    if (seen.kind == Kind::sent) {
      if (const auto* sent = get_if<NewLeader>(seen.content)) awaited[seen.to] = sent->zxid;
      return;
    }
    const auto* ack = get_if<Ack>(seen.content);
    if (ack == nullptr || seen.late) return;
    const auto first = awaited.find(this->ledger_.id(seen.from));
    if (first == awaited.end()) return;
    const Zxid zxid = first->second;
    awaited.erase(first);
    this->check(ack->zxid == zxid, [&] {
      return phrase("{server} reads the ACK of {zxid} from {learner} before that of NEWLEADER",
                    this->server(seen.node), words(ack->zxid), this->server(seen.from));
    });
  }
};

template <class F>
std::vector<std::unique_ptr<Monitor<F>>> recoveryMonitors(BasicLedger<F>& ledger) {
  std::vector<std::unique_ptr<Monitor<F>>> monitors;
  const auto add = [&]<class M>(std::type_identity<M>) { monitors.push_back(std::make_unique<M>(ledger)); };
  add(std::type_identity<CommittedNeverLost<F>>{});
  add(std::type_identity<UncommittedNeverVisible<F>>{});
  add(std::type_identity<EpochClosure<F>>{});
  add(std::type_identity<OneLeaderPerEpoch<F>>{});
  add(std::type_identity<Agreement<F>>{});
  add(std::type_identity<TotalOrder<F>>{});
  add(std::type_identity<CommitsContiguous<F>>{});
  add(std::type_identity<ProposedInOwnEpoch<F>>{});
  add(std::type_identity<SameHistory<F>>{});
  add(std::type_identity<AcksDurable<F>>{});
  add(std::type_identity<EpochsMonotonic<F>>{});
  add(std::type_identity<EpochsDurable<F>>{});
  add(std::type_identity<PromisesKept<F>>{});
  add(std::type_identity<PromisedByQuorum<F>>{});
  add(std::type_identity<InterruptedEpochStarts<F>>{});
  add(std::type_identity<UpToDateApplied<F>>{});
  add(std::type_identity<NoFatalMessage<F>>{});
  add(std::type_identity<NewLeaderAckedFirst<F>>{});
  return monitors;
}

}  // namespace zablab::zab
