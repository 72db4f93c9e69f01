#include "checker/sentinel/monitors.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "checker/sentinel/run_monitors.h"

namespace zablab::sentinel {
namespace {

using Seen = Happened<Family>;
using Invariant = zablab::Invariant<Ledger>;

void judgeVote(Ledger& ledger, Judge judge, ServerId voter, const Vote& vote) {
  const auto [at, fresh] = ledger.shared().votes.try_emplace({vote.epoch, voter}, *vote.leader);
  const ServerId before = at->second;
  judge(before == *vote.leader, [&] {
    return phrase("{server} has voted for {before} in epoch {epoch}, and votes for {candidate}",
                  Phrase::server(voter), Phrase::server(before), vote.epoch, Phrase::server(*vote.leader));
  });
}

/// The vote that a sentinel gives, or tells another one, if this is what happens.
void voteOnce(Ledger& ledger, const Seen& seen, Judge judge) {
  if (const auto* decided = eventIn<VoteDecided>(seen)) {
    if (decided->granted) judgeVote(ledger, judge, ledger.id(seen.node), decided->vote);
  } else if (seen.kind == Kind::delivered) {
    const auto* reply = get_if<IsMasterDownReply>(seen.content);
    if (reply != nullptr && reply->vote.leader) judgeVote(ledger, judge, ledger.id(seen.from), reply->vote);
  }
}

void oneLeader(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* elected = eventIn<Elected>(seen);
  if (elected == nullptr) return;
  const ServerId self = ledger.id(seen.node);
  const auto [at, fresh] = ledger.shared().leaders.try_emplace(elected->votes_epoch, self);
  const ServerId before = at->second;
  judge(before == self, [&] {
    return Breach{phrase("{server} is elected in epoch {epoch}, as {other} was", Phrase::server(self),
                         elected->votes_epoch, Phrase::server(before)),
                  phrase("votes in epoch {epoch}", elected->votes_epoch)};
  });
}

void electedByMajority(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* elected = eventIn<Elected>(seen);
  if (elected == nullptr) return;
  std::int64_t votes = 0;
  for (const auto& [ballot, candidate] : ledger.shared().votes)
    votes += ballot.epoch == elected->votes_epoch && candidate == ledger.id(seen.node);
  const auto all = std::ssize(ledger.config(seen.node).sentinels);
  judge(2 * votes > all, [&] {
    return Breach{phrase("{server} is elected in epoch {epoch} with {count} votes of {all} sentinels",
                         ledger.serverAt(seen.node), elected->votes_epoch, votes, all),
                  phrase("votes in epoch {epoch}", elected->votes_epoch)};
  });
}

void majorityIsElected(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* aborted = eventIn<FailoverAborted>(seen);
  if (aborted == nullptr) return;
  const Config& config = ledger.config(seen.node);
  const auto votes = std::ssize(ledger.own(seen.node).attempt_votes);
  const auto all = std::ssize(config.sentinels);
  judge(2 * votes <= all || votes < config.quorum, [&] {
    return phrase("{server} gives up its attempt of epoch {epoch} with {count} votes of {all} sentinels",
                  ledger.serverAt(seen.node), aborted->epoch, votes, all);
  });
}

void configEpochUnique(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* promoted = eventIn<Promoted>(seen);
  if (promoted == nullptr) return;
  const ServerId self = ledger.id(seen.node);
  const auto [at, fresh] = ledger.shared().promotions.try_emplace(promoted->config_epoch, self);
  const ServerId before = at->second;
  judge(fresh, [&] {
    return phrase(
        "{server} makes {replica} the master of configuration {epoch}, which there is already from {other}",
        Phrase::server(self), Phrase::server(promoted->replica), promoted->config_epoch,
        Phrase::server(before));
  });
}

void configAgree(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* config = get_if<SaveConfig>(seen.record);
  if (config == nullptr) return;
  const auto [at, fresh] = ledger.shared().configurations.try_emplace(config->epoch, config->master);
  const ServerId before = at->second;
  judge(before == config->master, [&] {
    return phrase("{server} has configuration {epoch} with the master {master}, which elsewhere is {other}",
                  ledger.serverAt(seen.node), config->epoch, Phrase::server(config->master),
                  Phrase::server(before));
  });
}

void configForward(Ledger& ledger, const Seen& seen, Judge judge) {
  if (seen.kind == Kind::written && !holds_alternative<SaveConfig>(*seen.record)) return;
  if (ledger.config(seen.node).kind != NodeKind::sentinel) return;
  const OwnMemory& memory = ledger.own(seen.node);
  judge(memory.config_epoch >= memory.config_before, [&] {
    return phrase("{server} had configuration {before} and has {epoch}", ledger.serverAt(seen.node),
                  memory.config_before, memory.config_epoch);
  });
}

void bestReplica(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* selected = eventIn<ReplicaSelected>(seen);
  if (selected == nullptr) return;
  const auto& reports = ledger.own(seen.node).reports;
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
  judge(chosen != selected->among.end() && rank(*chosen) == rank(*best) && rank(*chosen).first != 0, [&] {
    return phrase("{server} chooses {replica} with {count} writes; {best} has {more}",
                  ledger.serverAt(seen.node), Phrase::server(selected->replica), -rank(*chosen).second,
                  Phrase::server(best->id), -rank(*best).second);
  });
}

void quorumSeesItDown(Ledger& ledger, const Seen& seen, Judge judge) {
  if (eventIn<TryFailover>(seen) == nullptr) return;
  const OwnMemory& memory = ledger.own(seen.node);
  const Config& config = ledger.config(seen.node);
  const ServerId master = memory.master == no_server ? config.master : memory.master;
  std::int64_t count = memory.sees_down ? 1 : 0;
  for (const auto& [peer, down] : memory.see_down) count += down == master;
  const bool enough = memory.sees_down && count >= config.quorum;
  if (memory.placed && !enough) return judge.passOver();
  judge(enough, [&] {
    return phrase(
        "{server} begins a failover, and the master is down for {count} sentinels; the quorum is {quorum}",
        ledger.serverAt(seen.node), count, config.quorum);
  });
}

void promotionConfirmed(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* promoted = eventIn<Promoted>(seen);
  if (promoted == nullptr) return;
  const auto& reports = ledger.own(seen.node).reports;
  const auto report = reports.find(promoted->replica);
  judge(report != reports.end() && report->second.master, [&] {
    return phrase("{server} publishes {replica} as the master, which has not reported that it is one",
                  ledger.serverAt(seen.node), Phrase::server(promoted->replica));
  });
}

constexpr std::array invariants{
    Invariant{
        {"vote-once",
         "a sentinel never has two different votes in one epoch, whether it restarts in between or not"},
        &voteOnce,
        kindBits(Kind::event, Kind::delivered)},
    Invariant{{"one-leader", "at most one sentinel is elected by the votes of an epoch"},
              &oneLeader,
              kindBits(Kind::event)},
    Invariant{
        {"elected-by-majority", "more than half of all sentinels have voted for the one that is elected"},
        &electedByMajority,
        kindBits(Kind::event)},
    Invariant{
        {"majority-is-elected",
         "a sentinel that has received enough votes for its attempt, in the attempt's epoch, does not give "
         "the attempt up"},
        &majorityIsElected,
        kindBits(Kind::event)},
    Invariant{{"config-epoch-unique", "no two failovers give their configurations the same epoch"},
              &configEpochUnique,
              kindBits(Kind::event)},
    Invariant{{"config-agree", "sentinels with a configuration of the same epoch have the same master"},
              &configAgree,
              kindBits(Kind::written)},
    Invariant{{"config-forward", "a sentinel's configuration never becomes older, and survives a restart"},
              &configForward,
              kindBits(Kind::written, Kind::started)},
    Invariant{
        {"best-replica",
         "of the replicas that may be promoted, the one with the lowest priority number is, then the one "
         "with the most writes, as far as they have reported"},
        &bestReplica,
        kindBits(Kind::event)},
    Invariant{
        {"quorum-sees-it-down",
         "a sentinel begins a failover when it sees the master down, and as many have told it that they do "
         "that the quorum is reached"},
        &quorumSeesItDown,
        kindBits(Kind::event)},
    Invariant{{"promotion-confirmed",
               "a configuration is published when the new master has reported that it is one"},
              &promotionConfirmed,
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

}  // namespace zablab::sentinel
