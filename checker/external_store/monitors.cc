#include "checker/external_store/monitors.h"

#include <string>

namespace zablab::external_store {
namespace {

using Seen = Happened<Family>;

std::string number(std::int64_t value) { return std::to_string(value); }
std::string server(ServerId id) { return "server " + number(id); }

class StoreMonitor : public BookMonitor<Ledger> {
 public:
  explicit StoreMonitor(Ledger& ledger) : BookMonitor(ledger, kindBits(Kind::event)) {}

 protected:
  ServerId self(const Seen& seen) const { return ledger_.id(seen.node); }
};

class OneHolder : public StoreMonitor {
 public:
  using StoreMonitor::StoreMonitor;
  InvariantInfo info() const override {
    return {"one-holder",
            "a candidate's key is never replaced by another one's: it ends before the next begins"};
  }
  std::uint64_t kinds() const override { return kindBits(Kind::written, Kind::event); }
  void on(const Seen&) override {
    for (const Change& change : ledger_.changes()) {
      if (change.kind != ChangeKind::put || change.what.key.prefix == Prefix::member) continue;
      const auto& replaced = ledger_.replaced();
      check(!replaced, [&] {
        return "the key of " + server(replaced->value) + " is replaced by that of " +
               server(change.what.value) + ", revision " + number(change.revision);
      });
    }
  }
};

class DeletedByOwner : public StoreMonitor {
 public:
  using StoreMonitor::StoreMonitor;
  InvariantInfo info() const override {
    return {"deleted-by-owner", "a key is deleted by the candidate that has created it, or with its lease"};
  }
  std::uint64_t kinds() const override { return kindBits(Kind::written, Kind::event); }
  void on(const Seen&) override {
    for (const Change& change : ledger_.changes()) {
      if (change.kind == ChangeKind::put) continue;
      const ServerId owner = change.what.value;
      check(change.kind == ChangeKind::expired || ledger_.by() == owner, [&] {
        return server(ledger_.by()) + " deletes the key of " + server(owner) + ", revision " +
               number(change.revision);
      });
    }
  }
};

class ElectedWasFirst : public StoreMonitor {
 public:
  using StoreMonitor::StoreMonitor;
  InvariantInfo info() const override {
    return {"elected-was-first",
            "the key of a candidate that is elected was at some time the first of those that there were"};
  }
  void on(const Seen& seen) override {
    const auto* elected = eventIn<Elected>(seen);
    if (elected == nullptr || elected->why == ElectedWhy::placed) return;
    check(ledger_.shared().first.contains(elected->token), [&] {
      return server(self(seen)) + " is elected with token " + number(elected->token) +
             ", and its key was never the first";
    });
  }
};

/// Nobody can promise this for a process that was stopped without noticing: such a candidate is left out
/// unless the rules count it.
class OneBeliever : public StoreMonitor {
 public:
  using StoreMonitor::StoreMonitor;
  InvariantInfo info() const override {
    return {"one-believer",
            "at most one candidate that runs takes itself for the leader; one that was paused while it leads "
            "is left out (rule `pauses`)"};
  }
  std::uint64_t kinds() const override { return kindBits(Kind::event, Kind::resumed); }
  void on(const Seen& seen) override {
    if (seen.kind == Kind::event && eventIn<Elected>(seen) == nullptr) return;
    const auto& believers = ledger_.shared().believers;
    const auto here = believers.find(self(seen));
    if (here == believers.end()) return;
    const bool excused = ledger_.cluster().rules.pauses == Pauses::excused;
    const auto isLeftOut = [&](const Believer& one) { return one.paused || (excused && one.was_paused); };
    if (isLeftOut(here->second)) return passOver();
    ServerId other = no_server;
    for (const auto& [id, one] : believers) {
      if (id == here->first) continue;
      if (isLeftOut(one)) {
        passOver();
      } else {
        other = id;
      }
    }
    check(other == no_server, [&] {
      return Breach{server(here->first) + " takes itself for the leader with token " +
                    number(here->second.token) + ", and so does " + server(other) + " with token " +
                    number(believers.at(other).token)};
    });
  }
};

class ActsAsLeader : public StoreMonitor {
 public:
  using StoreMonitor::StoreMonitor;
  InvariantInfo info() const override {
    return {"acts-as-leader",
            "a candidate writes to the resource only while it takes itself for the leader, with the token of "
            "that time"};
  }
  std::uint64_t kinds() const override { return kindBits(Kind::sent); }
  void on(const Seen& seen) override {
    const auto* write = std::get_if<Store>(seen.content);
    if (write == nullptr) return;
    const auto& believers = ledger_.shared().believers;
    const auto here = believers.find(self(seen));
    check(here != believers.end() && here->second.token == write->token, [&] {
      return server(self(seen)) + " writes with token " + number(write->token) +
             ", and does not take itself for the leader with it";
    });
  }
};

class Fence : public StoreMonitor {
 public:
  using StoreMonitor::StoreMonitor;
  InvariantInfo info() const override {
    return {"fence", "the tokens of the writes that the resource accepts never become smaller"};
  }
  void on(const Seen& seen) override {
    const auto* write = eventIn<WriteDecided>(seen);
    if (write == nullptr || !write->accepted) return;
    const std::int64_t before = ledger_.own(seen.node).before;
    check(write->token >= before, [&] {
      return server(self(seen)) + " takes a write of " + server(write->by) + " with token " +
             number(write->token) + " after one with token " + number(before);
    });
  }
};

class ReadIsCurrent : public StoreMonitor {
 public:
  using StoreMonitor::StoreMonitor;
  InvariantInfo info() const override {
    return {
        "read-is-current",
        "a client that reads who leads learns what was true at some time since it asked, by the keys of the "
        "store"};
  }
  void on(const Seen& seen) override {
    const auto& reading = ledger_.read();
    if (!reading) return;
    const auto& answered = std::get<Answered>(*seen.event);
    check(reading->current.contains(answered.token), [&] {
      const std::string what = answered.token == 0
                                   ? "nobody leads"
                                   : server(answered.holder) + " leads with token " + number(answered.token);
      return "client " + number(self(seen)) + " reads at " + server(answered.server) + " that " + what +
             ", which was not so at any time since it asked";
    });
  }
};

class StoreOneLeader : public StoreMonitor {
 public:
  using StoreMonitor::StoreMonitor;
  InvariantInfo info() const override {
    return {"store-one-leader", "a generation of a replicated store has at most one leader"};
  }
  bool isClaimed() const override { return ledger_.cluster().configs.front().isReplicated(); }
  void on(const Seen& seen) override {
    if (!ledger_.storeElects()) return;
    const auto before = ledger_.ledBefore();
    check(!before, [&] {
      const auto& role = std::get<leader_followers::RoleChanged>(*seen.event);
      return server(self(seen)) + " leads generation " + number(role.generation) + " of the store, as " +
             server(*before) + " did before it";
    });
  }
};

class StoreAgreement : public StoreMonitor {
 public:
  using StoreMonitor::StoreMonitor;
  InvariantInfo info() const override {
    return {"store-agreement",
            "no two servers of a replicated store execute different commands in one place"};
  }
  bool isClaimed() const override { return ledger_.cluster().configs.front().isReplicated(); }
  void on(const Seen& seen) override {
    const auto& before = ledger_.executedBefore();
    if (!before) return;
    const auto& applied = std::get<leader_followers::BasicApplied<StoreLog>>(*seen.event);
    check(*before == applied.entry, [&] {
      return server(self(seen)) + " executes entry " + number(applied.index) + " of generation " +
             number(applied.entry.generation) + ", where another one has executed one of generation " +
             number(before->generation);
    });
  }
};

/// What a candidate may count on, without a word about time: the time of its lease begins anew after it has
/// asked for that.
class LeaseTime : public StoreMonitor {
 public:
  using StoreMonitor::StoreMonitor;
  InvariantInfo info() const override {
    return {"lease-time",
            "when a candidate learns that its lease is renewed, the newest leader of a replicated store has "
            "begun to measure it again since the request was sent; so has a server when it ends a lease"};
  }
  std::uint64_t kinds() const override { return kindBits(Kind::event, Kind::delivered); }
  bool isClaimed() const override { return ledger_.cluster().configs.front().isReplicated(); }
  void on(const Seen& seen) override {
    if (const std::int64_t lease = ledger_.renewed(); lease != 0) {
      const SharedMemory& memory = ledger_.shared();
      if (memory.leaders.empty()) return;
      const ServerId newest = memory.leaders.rbegin()->second;
      check(!memory.renewals.at(lease).since_sent.contains(newest), [&] {
        return server(self(seen)) + " learns that lease " + number(lease) + " is renewed, and " +
               server(newest) + ", which leads the store, has not measured it again";
      });
    }
    if (const auto& ended = ledger_.ended()) {
      check(ended->measured, [&] {
        return server(ended->by) + " ends lease " + number(ended->lease) +
               ", and has not measured it again since it was renewed";
      });
    }
  }
};

}  // namespace

std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger) {
  return monitorSet<Family, OneHolder, DeletedByOwner, ElectedWasFirst, OneBeliever, ActsAsLeader, Fence,
                    ReadIsCurrent, StoreOneLeader, StoreAgreement, LeaseTime>(std::move(ledger));
}

}  // namespace zablab::external_store
