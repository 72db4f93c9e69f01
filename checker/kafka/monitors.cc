#include "checker/kafka/monitors.h"

#include <algorithm>
#include <string>

namespace zablab::kafka {
namespace {

using Seen = Happened<Family>;

std::string number(std::int64_t value) { return std::to_string(value); }
std::string server(ServerId id) { return id == no_server ? "nobody" : "server " + number(id); }

class KafkaMonitor : public BookMonitor<Ledger> {
 public:
  explicit KafkaMonitor(Ledger& ledger) : BookMonitor(ledger, kindBits(Kind::event, Kind::started)) {}
};

class EpochRaised : public KafkaMonitor {
 public:
  using KafkaMonitor::KafkaMonitor;
  InvariantInfo info() const override {
    return {"epoch-raised", "each new controller has the controller epoch after that of the one before"};
  }
  void on(const Seen&) override {
    for (const Claim& claim : ledger_.claims()) {
      check(claim.epoch == claim.epoch_before + 1, [&] {
        return server(claim.broker) + " becomes the controller in controller epoch " + number(claim.epoch) +
               ", and the one before had " + number(claim.epoch_before);
      });
    }
  }
};

class ControllerWrites : public KafkaMonitor {
 public:
  using KafkaMonitor::KafkaMonitor;
  InvariantInfo info() const override {
    return {
        "controller-writes",
        "ZooKeeper accepts the partition's state from nobody but the broker that was elected last, and the "
        "ISR from the present leader"};
  }
  void on(const Seen&) override {
    for (const StateWrite& write : ledger_.stateWrites()) {
      Partition same = write.partition;
      if (write.before) same.isr = write.before->isr;
      const bool by_leader = write.before == same && write.before->leader == write.broker;
      check(write.claimer == write.broker || by_leader, [&] {
        return server(write.broker) + " writes the partition's state after " +
               server(write.claimer.value_or(no_server)) + " has become the controller";
      });
    }
  }
};

class OneLeaderInEpoch : public KafkaMonitor {
 public:
  using KafkaMonitor::KafkaMonitor;
  InvariantInfo info() const override {
    return {"one-leader-in-epoch", "the partition has one leader in each leader epoch"};
  }
  void on(const Seen&) override {
    for (const StateWrite& write : ledger_.stateWrites()) {
      const Partition& next = write.partition;
      const auto [at, fresh] = ledger_.shared().leaders.try_emplace(next.leader_epoch, next.leader);
      const ServerId before = at->second;
      check(before == next.leader, [&] {
        return server(next.leader) + " becomes the leader in leader epoch " + number(next.leader_epoch) +
               ", in which " + server(before) + " was";
      });
    }
  }
};

class FirstLiveLeads : public KafkaMonitor {
 public:
  using KafkaMonitor::KafkaMonitor;
  InvariantInfo info() const override {
    return {
        "first-live-leads",
        "a new leader of the partition is the first replica of the assignment that is in sync and that the "
        "controller sees alive; if there is none, there is no leader, or, in an unclean election, the first "
        "that is alive; of a leader that is not alive a controller may write first that it is gone"};
  }
  void on(const Seen&) override {
    for (const StateWrite& write : ledger_.stateWrites()) {
      const ServerId leader = write.partition.leader;
      if (write.before && write.before->leader == leader) continue;
      const auto seen = ledger_.shared().seen_live.find(write.broker);
      if (seen == ledger_.shared().seen_live.end()) {
        passOver();  // it is no controller, which is another invariant's
        continue;
      }
      const std::vector<ServerId>& live = seen->second;
      const auto& assignment = ledger_.config(0).assignment;
      const auto first = [&](bool in_sync) {
        const auto found = std::find_if(assignment.begin(), assignment.end(), [&](ServerId one) {
          return contains(live, one) && (!in_sync || !write.before || contains(write.before->isr, one));
        });
        return found == assignment.end() ? no_server : *found;
      };
      ServerId expected = first(true);
      if (expected == no_server && leader != no_server) expected = first(false);
      const bool is_gone = leader == no_server && write.before && !contains(live, write.before->leader);
      if (is_gone) expected = no_server;
      check(leader == expected, [&] {
        return server(write.broker) + " makes " + server(leader) + " the leader, and " + server(expected) +
               " is the first that it may choose";
      });
    }
  }
};

class AcknowledgedKept : public KafkaMonitor {
 public:
  using KafkaMonitor::KafkaMonitor;
  std::uint64_t kinds() const override { return kindBits(Kind::event, Kind::sent); }
  InvariantInfo info() const override {
    return {"acknowledged-kept",
            "a record that was acknowledged with acks=all is in the log of every later leader"};
  }
  void on(const Seen& seen) override {
    SharedMemory& shared = ledger_.shared();
    if (seen.kind == Kind::sent) {
      const auto* response = std::get_if<ProduceResponse>(seen.content);
      if (response == nullptr || response->outcome != Outcome::ok || response->acks != Acks::all) return;
      shared.acknowledged.insert(response->number);
      return compare(response->number);
    }
    const auto* role = std::get_if<RoleChanged>(seen.event);
    if (role == nullptr || role->leader != ledger_.id(seen.node) || role->leader_epoch != shared.leads_in)
      return;
    for (const std::int64_t record : shared.acknowledged) compare(record);
  }

 private:
  void compare(std::int64_t record) {
    const SharedMemory& shared = ledger_.shared();
    const bool kept = std::any_of(shared.leader_log.begin(), shared.leader_log.end(),
                                  [&](const Entry& entry) { return entry.number == record; });
    check(shared.leader == no_server || kept, [&] {
      return "record " + number(record) + " was acknowledged, and " + server(shared.leader) +
             ", the leader in leader epoch " + number(shared.leads_in) + ", does not have it";
    });
  }
};

class CommittedAgree : public KafkaMonitor {
 public:
  using KafkaMonitor::KafkaMonitor;
  std::uint64_t kinds() const override { return kindBits(Kind::event); }
  InvariantInfo info() const override {
    return {"committed-agree", "what one replica knows as committed is the same at all others"};
  }
  void on(const Seen& seen) override {
    const auto* raised = std::get_if<HighWatermarkRaised>(seen.event);
    if (raised == nullptr) return;
    const Log& log = ledger_.own(seen.node).log;
    Log& committed = ledger_.shared().committed;
    const auto to = static_cast<std::size_t>(raised->to);
    const std::size_t common = std::min(to, committed.size());
    const bool agrees =
        log.size() >= to &&
        std::equal(committed.begin(), committed.begin() + static_cast<std::ptrdiff_t>(common), log.begin());
    check(agrees, [&] {
      return server(ledger_.id(seen.node)) + " knows the records before " + number(raised->to) +
             " as committed, and another replica has known other ones";
    });
    if (agrees && to > common) committed.assign(log.begin(), log.begin() + raised->to);
  }
};

class RequestsForThisProcess : public KafkaMonitor {
 public:
  using KafkaMonitor::KafkaMonitor;
  std::uint64_t kinds() const override { return kindBits(Kind::event); }
  InvariantInfo info() const override {
    return {"requests-for-this-process",
            "a broker accepts no controller's request that was meant for an earlier process of it"};
  }
  void on(const Seen& seen) override {
    const auto* decided = std::get_if<RequestDecided>(seen.event);
    if (decided == nullptr || !decided->accepted) return;
    check(decided->broker_epoch > ledger_.own(seen.node).registered_before, [&] {
      return server(ledger_.id(seen.node)) + " accepts a request of " + server(decided->controller) +
             " that was meant for an earlier process";
    });
  }
};

class OlderControllerRefused : public KafkaMonitor {
 public:
  using KafkaMonitor::KafkaMonitor;
  InvariantInfo info() const override {
    return {"older-controller-refused",
            "a broker that has accepted a controller's request accepts none of an earlier controller epoch"};
  }
  void on(const Seen& seen) override {
    const auto* decided = seen.kind == Kind::event ? std::get_if<RequestDecided>(seen.event) : nullptr;
    if (decided == nullptr || !decided->accepted) return;
    OwnMemory& own = ledger_.own(seen.node);
    const std::int64_t before = own.accepted_epoch;
    own.accepted_epoch = std::max(before, decided->epoch);
    check(decided->epoch >= before, [&] {
      return server(ledger_.id(seen.node)) + " accepts a request of " + server(decided->controller) +
             ", controller of epoch " + number(decided->epoch) + ", after one of epoch " + number(before);
    });
  }
};

}  // namespace

std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger) {
  return monitorSet<Family, EpochRaised, ControllerWrites, OneLeaderInEpoch, FirstLiveLeads,
                    OlderControllerRefused, RequestsForThisProcess, AcknowledgedKept, CommittedAgree>(
      std::move(ledger));
}

}  // namespace zablab::kafka
