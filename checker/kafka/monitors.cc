#include "checker/kafka/monitors.h"

#include <algorithm>
#include <array>

#include "checker/kafka/run_monitors.h"
#include "checker/kafka/store_text.h"

namespace zablab::kafka {
namespace {

using Seen = Happened<Family>;
using Invariant = zablab::Invariant<Ledger>;

Phrase server(ServerId id) { return id == no_server ? phrase("nobody") : Phrase::server(id); }

void epochRaised(Ledger& ledger, const Seen&, Judge judge) {
  for (const Claim& claim : ledger.claims()) {
    judge(claim.epoch == claim.epoch_before + 1, [&] {
      return phrase(
          "{server} becomes the controller in controller epoch {epoch}, and the one before had {before}",
          server(claim.broker), claim.epoch, claim.epoch_before);
    });
  }
}

void controllerWrites(Ledger& ledger, const Seen&, Judge judge) {
  for (const StateWrite& write : ledger.stateWrites()) {
    Partition same = write.partition;
    if (write.before) same.isr = write.before->isr;
    const bool by_leader = write.before == same && write.before->leader == write.broker;
    judge(write.claimer == write.broker || by_leader, [&] {
      return phrase("{server} writes the partition's state after {controller} has become the controller",
                    server(write.broker), server(write.claimer.value_or(no_server)));
    });
  }
}

void oneLeaderInEpoch(Ledger& ledger, const Seen&, Judge judge) {
  for (const StateWrite& write : ledger.stateWrites()) {
    const Partition& next = write.partition;
    const auto [at, fresh] = ledger.shared().leaders.try_emplace(next.leader_epoch, next.leader);
    const ServerId before = at->second;
    judge(before == next.leader, [&] {
      return phrase("{server} becomes the leader in leader epoch {epoch}, in which {before} was",
                    server(next.leader), next.leader_epoch, server(before));
    });
  }
}

void firstLiveLeads(Ledger& ledger, const Seen&, Judge judge) {
  for (const StateWrite& write : ledger.stateWrites()) {
    const ServerId leader = write.partition.leader;
    if (write.before && write.before->leader == leader) continue;
    const auto seen = ledger.shared().seen_live.find(write.broker);
    if (seen == ledger.shared().seen_live.end()) {
      judge.passOver();  // it is no controller, which is another invariant's
      continue;
    }
    const std::vector<ServerId>& live = seen->second;
    const auto& assignment = ledger.config(0).assignment;
    const auto first = [&](bool in_sync) {
      const auto found = std::find_if(assignment.begin(), assignment.end(), [&](ServerId one) {
        return isIn(live, one) && (!in_sync || !write.before || isIn(write.before->isr, one));
      });
      return found == assignment.end() ? no_server : *found;
    };
    ServerId expected = first(true);
    if (expected == no_server && leader != no_server) expected = first(false);
    const bool is_gone = leader == no_server && write.before && !isIn(live, write.before->leader);
    if (is_gone) expected = no_server;
    judge(leader == expected, [&] {
      return phrase("{server} makes {leader} the leader, and {first} is the first that it may choose",
                    server(write.broker), server(leader), server(expected));
    });
  }
}

void judgeKept(Ledger& ledger, Judge judge, std::int64_t record) {
  const SharedMemory& shared = ledger.shared();
  const bool kept = std::any_of(shared.leader_log.begin(), shared.leader_log.end(),
                                [&](const Entry& entry) { return entry.number == record; });
  judge(shared.leader == no_server || kept, [&] {
    return phrase(
        "record {number} was acknowledged, and {leader}, the leader in leader epoch {epoch}, does not "
        "have it",
        record, server(shared.leader), shared.leads_in);
  });
}

void acknowledgedKept(Ledger& ledger, const Seen& seen, Judge judge) {
  SharedMemory& shared = ledger.shared();
  if (seen.kind == Kind::sent) {
    const auto* response = get_if<ProduceResponse>(seen.content);
    if (response == nullptr || response->outcome != Outcome::ok || response->acks != Acks::all) return;
    shared.acknowledged.insert(response->number);
    return judgeKept(ledger, judge, response->number);
  }
  const auto* role = get_if<RoleChanged>(seen.event);
  if (role == nullptr || role->leader != ledger.id(seen.node) || role->leader_epoch != shared.leads_in)
    return;
  for (const std::int64_t record : shared.acknowledged) judgeKept(ledger, judge, record);
}

void committedAgree(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* raised = get_if<HighWatermarkRaised>(seen.event);
  if (raised == nullptr) return;
  const Log& log = ledger.own(seen.node).log;
  Log& committed = ledger.shared().committed;
  const auto to = static_cast<std::size_t>(raised->to);
  const std::size_t common = std::min(to, committed.size());
  const bool agrees =
      log.size() >= to &&
      std::equal(committed.begin(), committed.begin() + static_cast<std::ptrdiff_t>(common), log.begin());
  judge(agrees, [&] {
    return phrase(
        "{server} knows the records before {to} as committed, and another replica has known other ones",
        ledger.serverAt(seen.node), raised->to);
  });
  if (agrees && to > common) committed.assign(log.begin(), log.begin() + raised->to);
}

void requestsForThisProcess(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* decided = get_if<RequestDecided>(seen.event);
  if (decided == nullptr || !decided->accepted) return;
  judge(decided->broker_epoch > ledger.own(seen.node).registered_before, [&] {
    return phrase("{server} accepts a request of {controller} that was meant for an earlier process",
                  ledger.serverAt(seen.node), server(decided->controller));
  });
}

void olderControllerRefused(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* decided = seen.kind == Kind::event ? get_if<RequestDecided>(seen.event) : nullptr;
  if (decided == nullptr || !decided->accepted) return;
  OwnMemory& own = ledger.own(seen.node);
  const std::int64_t before = own.accepted_epoch;
  own.accepted_epoch = std::max(before, decided->epoch);
  judge(decided->epoch >= before, [&] {
    return phrase(
        "{server} accepts a request of {controller}, controller of epoch {epoch}, after one of "
        "epoch {before}",
        ledger.serverAt(seen.node), server(decided->controller), decided->epoch, before);
  });
}

constexpr std::array invariants{
    Invariant{{"epoch-raised", "each new controller has the controller epoch after that of the one before"},
              &epochRaised,
              kindBits(Kind::event, Kind::started)},
    Invariant{
        {"controller-writes",
         "ZooKeeper accepts the partition's state from nobody but the broker that was elected last, and the "
         "ISR from the present leader"},
        &controllerWrites,
        kindBits(Kind::event, Kind::started)},
    Invariant{{"one-leader-in-epoch", "the partition has one leader in each leader epoch"},
              &oneLeaderInEpoch,
              kindBits(Kind::event, Kind::started)},
    Invariant{
        {"first-live-leads",
         "a new leader of the partition is the first replica of the assignment that is in sync and that the "
         "controller sees alive; if there is none, there is no leader, or, in an unclean election, the first "
         "that is alive; of a leader that is not alive a controller may write first that it is gone"},
        &firstLiveLeads,
        kindBits(Kind::event, Kind::started)},
    Invariant{
        {"older-controller-refused",
         "a broker that has accepted a controller's request accepts none of an earlier controller epoch"},
        &olderControllerRefused,
        kindBits(Kind::event, Kind::started)},
    Invariant{{"requests-for-this-process",
               "a broker accepts no controller's request that was meant for an earlier process of it"},
              &requestsForThisProcess,
              kindBits(Kind::event)},
    Invariant{{"acknowledged-kept",
               "a record that was acknowledged with acks=all is in the log of every later leader"},
              &acknowledgedKept,
              kindBits(Kind::event, Kind::sent)},
    Invariant{{"committed-agree", "what one replica knows as committed is the same at all others"},
              &committedAgree,
              kindBits(Kind::event)},
};

}  // namespace

std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger) {
  return monitorsOf<Ledger>(std::move(ledger), invariants);
}

std::unique_ptr<MonitorSet<Family>> runMonitors(const Cluster<Family>& cluster) {
  return monitorsOf<Ledger, Records>(std::make_unique<Ledger>(cluster), invariants,
                                     std::make_unique<Records>(cluster), runInvariants());
}

}  // namespace zablab::kafka
