#include "checker/kafka/monitors.h"

#include <algorithm>
#include <string>

namespace zablab::kafka {
namespace {

using Seen = Happened<Family>;

std::string number(std::int64_t value) { return std::to_string(value); }
std::string server(ServerId id) { return id == no_server ? "nobody" : "server " + number(id); }

class KafkaMonitor : public Monitor<Family> {
 public:
  explicit KafkaMonitor(Ledger& ledger) : ledger_(ledger) {}
  std::uint64_t kinds() const override { return kindBits(Kind::event, Kind::started); }

 protected:
  Ledger& ledger_;
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
    return {"controller-writes",
            "ZooKeeper accepts the partition's state from nobody but the broker that was elected last"};
  }
  void on(const Seen&) override {
    for (const StateWrite& write : ledger_.stateWrites()) {
      check(write.claimer == write.broker, [&] {
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
    return {"first-live-leads",
            "a new leader of the partition is the first replica of the assignment that the controller sees "
            "alive"};
  }
  void on(const Seen& seen) override {
    const auto* chosen = seen.kind == Kind::event ? std::get_if<LeaderChosen>(seen.event) : nullptr;
    if (chosen == nullptr) return;
    const ServerId leader = chosen->partition.leader;
    OwnMemory& own = ledger_.own(seen.node);
    const auto& assignment = ledger_.config(seen.node).assignment;
    const auto is_live = [&](ServerId one) {
      return std::find(own.seen_live.begin(), own.seen_live.end(), one) != own.seen_live.end();
    };
    const auto first = std::find_if(assignment.begin(), assignment.end(), is_live);
    // A leader that is alive stays.
    auto& shared = ledger_.shared();
    const auto at = shared.leaders.find(chosen->partition.leader_epoch - 1);
    if (at != shared.leaders.end() && at->second == leader && is_live(leader)) return;
    check(first != assignment.end() && *first == leader, [&] {
      return server(ledger_.id(seen.node)) + " makes " + server(leader) + " the leader, and " +
             server(first == assignment.end() ? no_server : *first) + " is the first that it sees alive";
    });
  }
};

class OlderControllerRefused : public KafkaMonitor {
 public:
  using KafkaMonitor::KafkaMonitor;
  InvariantInfo info() const override {
    return {"older-controller-refused",
            "a broker that has obeyed a controller does not obey one of an earlier controller epoch"};
  }
  void on(const Seen& seen) override {
    const auto* decided = seen.kind == Kind::event ? std::get_if<RequestDecided>(seen.event) : nullptr;
    if (decided == nullptr || !decided->accepted) return;
    OwnMemory& own = ledger_.own(seen.node);
    const std::int64_t before = own.obeyed_epoch;
    own.obeyed_epoch = std::max(before, decided->epoch);
    check(decided->epoch >= before, [&] {
      return server(ledger_.id(seen.node)) + " obeys " + server(decided->controller) +
             ", controller of epoch " + number(decided->epoch) + ", after one of epoch " + number(before);
    });
  }
};

}  // namespace

std::vector<std::unique_ptr<Monitor<Family>>> monitors(Ledger& ledger) {
  std::vector<std::unique_ptr<Monitor<Family>>> monitors;
  monitors.push_back(std::make_unique<EpochRaised>(ledger));
  monitors.push_back(std::make_unique<ControllerWrites>(ledger));
  monitors.push_back(std::make_unique<OneLeaderInEpoch>(ledger));
  monitors.push_back(std::make_unique<FirstLiveLeads>(ledger));
  monitors.push_back(std::make_unique<OlderControllerRefused>(ledger));
  return monitors;
}

std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger) {
  auto list = monitors(*ledger);
  return std::make_unique<MonitorSet<Family>>(std::move(ledger), std::move(list));
}

std::unique_ptr<MonitorSet<Family>> allMonitors(const Cluster<Family>& cluster) {
  return monitorsWith(std::make_unique<Ledger>(cluster));
}

}  // namespace zablab::kafka
