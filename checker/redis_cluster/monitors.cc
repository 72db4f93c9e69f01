#include "checker/redis_cluster/monitors.h"

#include <algorithm>
#include <array>
#include <vector>

#include "checker/redis_cluster/run_monitors.h"

namespace zablab::redis_cluster {
namespace {

using Seen = Happened<Family>;
using Invariant = zablab::Invariant<Ledger>;

template <class T>
const T* sentBy(const Seen& seen) {
  return seen.kind == Kind::sent && seen.node >= 0 && seen.how != SentHow::copy ? get_if<T>(seen.content)
                                                                                : nullptr;
}
const Promoted* electionIn(const Seen& seen) {
  const auto* promoted = eventIn<Promoted>(seen);
  return promoted != nullptr && promoted->by == PromotedBy::election ? promoted : nullptr;
}

void oneVotePerEpoch(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* ack = sentBy<AuthAck>(seen);
  if (ack == nullptr) return;
  judge(!ledger.votesAgain(), [&] {
    return phrase("{server} votes a second time in epoch {epoch}", ledger.serverAt(seen.node),
                  ack->header.current_epoch);
  });
}

void voteDurable(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* ack = sentBy<AuthAck>(seen);
  if (ack == nullptr) return;
  judge(ledger.own(seen.node).conf.last_vote_epoch >= ack->header.current_epoch, [&] {
    return phrase("{server} votes in epoch {epoch}, and the last vote on its disk is of epoch {last}",
                  ledger.serverAt(seen.node), ack->header.current_epoch,
                  ledger.own(seen.node).conf.last_vote_epoch);
  });
}

void votesForFailed(Ledger& ledger, const Seen& seen, Judge judge) {
  const AuthRequest* request = ledger.request();
  if (sentBy<AuthAck>(seen) == nullptr || request == nullptr || request->force) return;
  const auto& failed = ledger.own(seen.node).failed;
  judge(std::find(failed.begin(), failed.end(), request->header.master) != failed.end(), [&] {
    return phrase("{server} votes for a replica of {master}, which has not failed in its view",
                  ledger.serverAt(seen.node), Phrase::server(request->header.master));
  });
}

void votesKnowOwners(Ledger& ledger, const Seen& seen, Judge judge) {
  const AuthRequest* request = ledger.request();
  if (sentBy<AuthAck>(seen) == nullptr || request == nullptr) return;
  const NodesConf& conf = ledger.own(seen.node).conf;
  for (const Slot slot : request->header.slots) {
    const auto owner = conf.slots.find(slot);
    if (owner == conf.slots.end()) continue;
    const std::int64_t epoch = conf.nodes.at(owner->second).config_epoch;
    judge(epoch <= request->header.config_epoch, [&] {
      return phrase(
          "{server} votes for a replica that claims slot {slot} with configuration epoch {claimed}, but "
          "{owner} has it with {epoch}",
          ledger.serverAt(seen.node), slot, request->header.config_epoch, Phrase::server(owner->second),
          epoch);
    });
  }
}

void oneWinnerPerEpoch(Ledger& ledger, const Seen& seen, Judge judge) {
  const Promoted* promoted = electionIn(seen);
  if (promoted == nullptr) return;
  judge(ledger.otherWinner() == no_server, [&] {
    return phrase("{server} is elected in epoch {epoch}, as {other} was", ledger.serverAt(seen.node),
                  promoted->epoch, Phrase::server(ledger.otherWinner()));
  });
}

void winnerHasMajority(Ledger& ledger, const Seen& seen, Judge judge) {
  const Promoted* promoted = electionIn(seen);
  if (promoted == nullptr) return;
  const OwnMemory& memory = ledger.own(seen.node);
  const std::size_t votes = memory.asked == promoted->epoch ? memory.voters.size() : 0;
  judge(votes >= ledger.quorum(), [&] {
    return phrase("{server} is elected in epoch {epoch} with {count} of {all} masters' votes",
                  ledger.serverAt(seen.node), promoted->epoch, votes, ledger.electorate());
  });
}

void manualLosesNothing(Ledger& ledger, const Seen& seen, Judge judge) {
  const Handover* handover = ledger.handover();
  if (handover == nullptr || !holds_alternative<Promoted>(*seen.event)) return;
  judge(*handover->arrived >= handover->executed, [&] {
    return phrase("{server} replaces {master} with {count} of its {all} writes", ledger.serverAt(seen.node),
                  Phrase::server(handover->master), *handover->arrived, handover->executed);
  });
}

void slotEpochGrows(Ledger& ledger, const Seen& seen, Judge judge) {
  if (!seen.blocking || !holds_alternative<SaveConf>(*seen.record)) return;
  const NodesConf& before = ledger.confBefore();
  const NodesConf& now = ledger.own(seen.node).conf;
  for (const auto& slot : now.slots) {
    const auto was = before.slots.find(slot.first);
    if (was == before.slots.end() || was->second == slot.second) continue;
    const std::int64_t old_epoch = before.nodes.at(was->second).config_epoch;
    const std::int64_t new_epoch = now.nodes.at(slot.second).config_epoch;
    judge(new_epoch > old_epoch, [&] {
      return phrase("{server} gives slot {slot} of {owner}, configuration epoch {epoch}, to {other}, {later}",
                    ledger.serverAt(seen.node), slot.first, Phrase::server(was->second), old_epoch,
                    Phrase::server(slot.second), new_epoch);
    });
  }
}

void servedByMajority(Ledger& ledger, const Seen& seen, Judge judge) {
  if (sentBy<Reply>(seen) == nullptr) return;
  const OwnMemory& memory = ledger.own(seen.node);
  std::vector<ServerId> masters;
  for (const auto& slot : memory.conf.slots) {
    if (std::find(masters.begin(), masters.end(), slot.second) == masters.end())
      masters.push_back(slot.second);
  }
  const auto reached = std::count_if(masters.begin(), masters.end(), [&](ServerId master) {
    return std::find(memory.suspected.begin(), memory.suspected.end(), master) == memory.suspected.end() &&
           std::find(memory.failed.begin(), memory.failed.end(), master) == memory.failed.end();
  });
  judge(2 * static_cast<std::size_t>(reached) > masters.size(), [&] {
    return phrase("{server} answers a request while it reaches {count} of {all} masters",
                  ledger.serverAt(seen.node), reached, masters.size());
  });
}

constexpr std::array invariants{
    Invariant{{"one-vote-per-epoch", "a master votes at most once in each epoch, also if it restarts"},
              &oneVotePerEpoch,
              kindBits(Kind::sent)},
    Invariant{{"vote-durable", "when a vote is sent, its epoch is on the voter's disk"},
              &voteDurable,
              kindBits(Kind::sent)},
    Invariant{
        {"votes-for-failed",
         "a master votes for a replica only if it flags the replica's master as FAIL, or the vote is forced"},
        &votesForFailed,
        kindBits(Kind::sent)},
    Invariant{
        {"votes-know-owners",
         "a master does not vote for a replica that claims a slot with an older configuration epoch than the "
         "slot's owner has"},
        &votesKnowOwners,
        kindBits(Kind::sent)},
    Invariant{{"one-winner-per-epoch", "at most one replica is elected in each epoch"},
              &oneWinnerPerEpoch,
              kindBits(Kind::event)},
    Invariant{{"winner-has-majority",
               "a replica that is elected has the votes of a majority of the masters with slots"},
              &winnerHasMajority,
              kindBits(Kind::event)},
    Invariant{
        {"manual-failover-loses-nothing",
         "a replica that replaces its master as instructed, while the master works and waits for it, has "
         "every write that the master has executed"},
        &manualLosesNothing,
        kindBits(Kind::event)},
    Invariant{{"slot-epoch-grows",
               "a node gives a slot to another owner only if that one's configuration epoch is higher"},
              &slotEpochGrows,
              kindBits(Kind::written)},
    Invariant{
        {"served-by-majority",
         "a master answers requests only while it flags fewer than a majority of the masters as PFAIL or "
         "FAIL"},
        &servedByMajority,
        kindBits(Kind::sent)},
};

}  // namespace

std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger) {
  return monitorsOf<Ledger>(std::move(ledger), invariants);
}

std::unique_ptr<MonitorSet<Family>> runMonitors(const Cluster<Family>& cluster) {
  return monitorsOf<Ledger, Records>(std::make_unique<Ledger>(cluster), invariants,
                                     std::make_unique<Records>(cluster), runInvariants());
}

}  // namespace zablab::redis_cluster
