#include "checker/leader_followers/monitors.h"

#include <algorithm>
#include <array>
#include <string>

#include "checker/leader_followers/records.h"

namespace zablab::leader_followers {
namespace {

using Seen = Happened<Family>;
using Invariant = zablab::Invariant<Ledger>;

/// As pictures write it in a log.
std::string cell(Position position) {
  return std::to_string(position.generation) + "." + std::to_string(position.index);
}
Phrase words(Position position) {
  return phrase("entry {index} of generation {generation}", position.index, position.generation);
}

void electionSafety(Ledger& ledger, const Seen& seen, Judge judge) {
  if (!ledger.facts().elected) return;
  const auto& before = ledger.facts().led_before;
  judge(!before, [&] {
    return phrase("{server} leads generation {generation}, as {other} did before it",
                  ledger.serverAt(seen.node), ledger.own(seen.node).generation, Phrase::server(*before));
  });
}

void voteDurable(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* vote = get_if<VoteResponse>(seen.content);
  if (vote == nullptr || vote->pre || !vote->granted) return;
  const Durable& disk = ledger.own(seen.node).image;
  const bool durable = disk.generation > vote->generation ||
                       (disk.generation == vote->generation && disk.voted_for == seen.to);
  judge(durable, [&] {
    return phrase("{server} sends {candidate} its vote in generation {generation}, which is not on its disk",
                  ledger.serverAt(seen.node), Phrase::server(seen.to), vote->generation);
  });
}

void countedVoteDurable(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* counted = get_if<QuorumCounted>(seen.event);
  if (counted == nullptr || counted->pre) return;
  const ServerId self = ledger.id(seen.node);
  if (std::count(counted->by.begin(), counted->by.end(), self) == 0) return;
  const Durable& disk = ledger.own(seen.node).image;
  judge(disk.generation == counted->generation && disk.voted_for == self, [&] {
    return phrase("{server} counts its own vote in generation {generation}, which is not on its disk",
                  ledger.serverAt(seen.node), counted->generation);
  });
}

void votesDecided(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* vote = get_if<WriteVote>(seen.record);
  if (vote == nullptr || !vote->voted_for) return;
  const auto& granted = ledger.granted();
  const bool decided =
      granted && granted->candidate == *vote->voted_for && granted->generation == vote->generation;
  judge(decided || *vote->voted_for == ledger.id(seen.node), [&] {
    return phrase("{server} writes a vote for {candidate} in generation {generation}, which it has not decided",
                  ledger.serverAt(seen.node), Phrase::server(*vote->voted_for), vote->generation);
  });
}

void commitsOwnGeneration(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* committed = get_if<Committed>(seen.event);
  if (committed == nullptr) return;
  const std::int64_t here = ledger.own(seen.node).generation;
  judge(committed->up_to.generation == here, [&] {
    return phrase("{server}, in generation {generation}, commits by counting {entry}", ledger.serverAt(seen.node),
                  here, words(committed->up_to));
  });
}

void generationGrows(Ledger& ledger, const Seen& seen, Judge judge) {
  const std::int64_t here = ledger.own(seen.node).image.generation;
  if (seen.kind != Kind::sent) {
    if ((seen.kind == Kind::written && !seen.blocking) || !holds_alternative<WriteVote>(*seen.record)) return;
    judge(here >= ledger.facts().generation_before, [&] {
      return phrase("{server} goes from generation {before} back to {generation}", ledger.serverAt(seen.node),
                    ledger.facts().generation_before, here);
    });
    return;
  }
  std::int64_t told = 0;
  if (const auto* vote = get_if<VoteResponse>(seen.content); vote != nullptr && !vote->pre)
    told = vote->generation;
  if (const auto* append = get_if<Append>(seen.content)) told = append->generation;
  if (const auto* answer = get_if<AppendResponse>(seen.content)) told = answer->generation;
  if (told == 0) return;
  judge(told <= here, [&] {
    return phrase("{server} acts in generation {generation}, and {durable} is on its disk",
                  ledger.serverAt(seen.node), told, here);
  });
}

void appendOfLeader(Ledger& ledger, const Seen& seen, Judge judge) {
  if (!ledger.readsOlderAppend()) return;
  const bool takes = seen.kind == Kind::written && !holds_alternative<WriteVote>(*seen.record);
  judge(!takes, [&] {
    return phrase("{server}, in generation {generation}, changes its log for an older leader",
                  ledger.serverAt(seen.node), ledger.own(seen.node).generation);
  });
}

bool asksBeforeVotes(const Cluster<Family>& cluster) { return cluster.rules.pre_vote == PreVote::asked; }

void ledVotersRefuse(Ledger& ledger, const Seen& seen, Judge judge) {
  if (const auto* counted = get_if<QuorumCounted>(seen.event);
      counted != nullptr && asksBeforeVotes(ledger.cluster())) {
    return judge(!ledger.own(seen.node).leader, [&] {
      return phrase("{server} hears from {leader}, and counts who would vote for it",
                    ledger.serverAt(seen.node), Phrase::server(*ledger.own(seen.node).leader));
    });
  }
  const auto* decided = get_if<VoteDecided>(seen.event);
  if (decided == nullptr || !decided->pre || !asksBeforeVotes(ledger.cluster())) return;
  judge(!decided->granted || !ledger.own(seen.node).leader, [&] {
    return phrase("{server} hears from {leader}, and would vote for {candidate}", ledger.serverAt(seen.node),
                  Phrase::server(*ledger.own(seen.node).leader), Phrase::server(decided->candidate));
  });
}

void logMatching(Ledger& ledger, const Seen& seen, Judge judge) {
  if (!ledger.facts().log_changed) return;
  const Log& mine = ledger.own(seen.node).image.log;
  const auto& logs = ledger.shared().durable;
  for (std::size_t other = 0; other < logs.size(); ++other) {
    if (static_cast<int>(other) == seen.node) continue;
    std::size_t same = std::min(mine.size(), logs[other].size());  // up to here they must be the same
    while (same > 0 && mine[same - 1].generation != logs[other][same - 1].generation) --same;
    judge(std::equal(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(same), logs[other].begin()),
          [&] {
            const Position last{mine[same - 1].generation, static_cast<Index>(same)};
            return Breach{
                phrase("{server} and {other} both have {entry}, and differ in it or before it",
                       ledger.serverAt(seen.node), ledger.serverAt(static_cast<int>(other)), words(last)),
                cell(last)};
          });
  }
}

void leaderCompleteness(Ledger& ledger, const Seen& seen, Judge judge) {
  if (!ledger.facts().elected) return;
  const Log& log = ledger.own(seen.node).log;
  const auto& claims = ledger.shared().committed;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (claims[i].generation >= ledger.own(seen.node).generation) continue;
    judge(i < log.size() && log[i] == claims[i].entry, [&] {
      const Position missing{claims[i].entry.generation, static_cast<Index>(i) + 1};
      return Breach{phrase("{server} leads generation {generation} without {entry}, which was committed in "
                           "generation {before}",
                           ledger.serverAt(seen.node), ledger.own(seen.node).generation, words(missing),
                           claims[i].generation),
                    cell(missing)};
    });
  }
}

void stateMachineSafety(Ledger& ledger, const Seen& seen, Judge judge) {
  if (const auto conflict = ledger.facts().conflict) {
    const Entry& entry = ledger.shared().committed[*conflict].entry;
    const Position before{entry.generation, static_cast<Index>(*conflict) + 1};
    return judge(false, [&] {
      return Breach{phrase("{server} commits another entry in the place of {entry}",
                           ledger.serverAt(seen.node), words(before)),
                    cell(before)};
    });
  }
  const auto* applied = get_if<Applied>(seen.event);
  if (applied == nullptr) return;
  const auto& claims = ledger.shared().committed;
  const auto place = static_cast<std::size_t>(applied->index - 1);
  if (place >= claims.size()) return judge.passOver();
  judge(claims[place].entry == applied->entry, [&] {
    const Position here{applied->entry.generation, applied->index};
    return Breach{
        phrase("{server} applies {entry}, where {committed} was committed", ledger.serverAt(seen.node),
               words(here), words({claims[place].entry.generation, applied->index})),
        cell(here)};
  });
}

void appliedIsCommitted(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* applied = get_if<Applied>(seen.event);
  if (applied == nullptr) return;
  judge(static_cast<std::size_t>(applied->index) <= ledger.shared().committed.size(), [&] {
    const Position here{applied->entry.generation, applied->index};
    return Breach{phrase("{server} applies {entry}, which no leader has committed",
                         ledger.serverAt(seen.node), words(here)),
                  cell(here)};
  });
}

void committedIsBacked(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto& facts = ledger.facts();
  for (std::size_t i = facts.claimed_from; i < facts.claimed_to; ++i) {
    const Entry& entry = ledger.shared().committed[i].entry;
    judge(ledger.isBacked(i, entry), [&] {
      const Position claimed{entry.generation, static_cast<Index>(i) + 1};
      return Breach{phrase("{server} commits {entry}, which is not durable on a quorum",
                           ledger.serverAt(seen.node), words(claimed)),
                    cell(claimed)};
    });
  }
}

void committedOnce(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto& facts = ledger.facts();
  const auto& claims = ledger.shared().committed;
  for (std::size_t i = facts.claimed_from; i < facts.claimed_to; ++i) {
    const auto& payload = claims[i].entry.payload;
    if (payload.number == 0 || payload.client == no_server) continue;
    const auto end = claims.begin() + static_cast<std::ptrdiff_t>(i);
    const bool before = std::any_of(claims.begin(), end, [&](const Claim& one) {
      return one.entry.payload.client == payload.client && one.entry.payload.number == payload.number;
    });
    judge(!before, [&] {
      const Position again{claims[i].entry.generation, static_cast<Index>(i) + 1};
      return Breach{phrase("{server} commits {entry}, and the same request was committed before",
                           ledger.serverAt(seen.node), words(again)),
                    cell(again)};
    });
  }
}

void committedStays(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* cut = get_if<Truncate>(seen.record);
  if (cut == nullptr || !ledger.facts().log_changed) return;
  const auto& claims = ledger.shared().committed;
  for (auto i = static_cast<std::size_t>(cut->index); i < claims.size(); ++i) {
    judge(ledger.isBacked(i, claims[i].entry), [&] {
      const Position lost{claims[i].entry.generation, static_cast<Index>(i) + 1};
      return Breach{phrase("{server} truncates its log, and {entry}, which was committed, is no longer on a "
                           "quorum",
                           ledger.serverAt(seen.node), words(lost)),
                    cell(lost)};
    });
  }
}

void answersCommitted(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* answered = get_if<Answered>(seen.event);
  if (answered == nullptr || answered->outcome != Outcome::ok) return;
  const auto& claims = ledger.shared().committed;
  const auto end = static_cast<std::size_t>(answered->index);
  const Phrase client = Phrase::client(ledger.id(seen.node));
  if (answered->operation == Operation::put) {
    const bool there = end >= 1 && end <= claims.size() &&
                       claims[end - 1].entry.payload.client == ledger.id(seen.node) &&
                       claims[end - 1].entry.payload.number == answered->number;
    return judge(there, [&] {
      return phrase(
          "{client} is told that its request {number} is entry {index}, which is not committed as "
          "such",
          client, answered->number, answered->index);
    });
  }
  std::int64_t value = 0;
  for (std::size_t i = 0; i < std::min(end, claims.size()); ++i) {
    if (claims[i].entry.payload.number != 0) value = claims[i].entry.payload.value;
  }
  judge(end <= claims.size() && answered->value == value, [&] {
    return phrase(
        "{client} is shown the value {value} at entry {index}, and {committed} was committed up to "
        "there",
        client, answered->value, answered->index, value);
  });
}

void readsFresh(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto floor = ledger.facts().read_floor;
  if (!floor) return;
  const auto& answered = get<Answered>(*seen.event);
  judge(answered.index >= *floor, [&] {
    return phrase("{client} reads up to entry {index}, and entry {floor} had been answered before it asked",
                  Phrase::client(ledger.id(seen.node)), answered.index, *floor);
  });
}

constexpr std::array invariants{
    Invariant{
        {"election-safety", "a generation has at most one leader"}, &electionSafety, kindBits(Kind::event)},
    Invariant{{"leader-completeness", "a leader has everything that was committed in older generations"},
              &leaderCompleteness,
              kindBits(Kind::event)},
    Invariant{{"log-matching",
               "logs that have an entry of the same generation in the same place are equal up to that place"},
              &logMatching,
              kindBits(Kind::synced, Kind::written)},
    Invariant{{"state-machine-safety", "no two servers apply different entries in the same place"},
              &stateMachineSafety,
              kindBits(Kind::event)},
    Invariant{{"applied-is-committed", "nothing is applied before a leader has counted it as committed"},
              &appliedIsCommitted,
              kindBits(Kind::event)},
    Invariant{{"acknowledged-durable", "what a leader counts as committed is durable on a quorum of servers"},
              &committedIsBacked,
              kindBits(Kind::event)},
    Invariant{
        {"committed-once",
         "a request is committed once: a client asks again only if it was told that it was not accepted"},
        &committedOnce,
        kindBits(Kind::event)},
    Invariant{{"committed-stays", "what is committed stays on a quorum of disks"},
              &committedStays,
              kindBits(Kind::synced, Kind::written)},
    Invariant{{"vote-durable", "a vote is on the voter's disk before it is sent"},
              &voteDurable,
              kindBits(Kind::sent)},
    Invariant{{"counted-vote-durable", "a candidate counts its own vote when it is on its disk"},
              &countedVoteDurable,
              kindBits(Kind::event)},
    Invariant{
        {"votes-decided", "a server writes no vote but for itself or for whom it has just decided to vote"},
        &votesDecided,
        kindBits(Kind::written)},
    Invariant{{"commits-own-generation",
               "a leader commits by counting entries of its own generation; older ones follow with them"},
              &commitsOwnGeneration,
              kindBits(Kind::event)},
    Invariant{
        {"generation-grows",
         "the generation in which a server votes, acknowledges or leads is on its disk, and never decreases"},
        &generationGrows,
        kindBits(Kind::sent, Kind::synced, Kind::written)},
    Invariant{{"append-of-leader", "nothing is accepted from a leader of an older generation"},
              &appendOfLeader,
              kindBits(Kind::delivered, Kind::written)},
    Invariant{{"led-voters-refuse",
               "a server that hears from a leader does not encourage another candidate, and is none itself "
               "(not claimed without pre-vote)"},
              &ledVotersRefuse,
              kindBits(Kind::event),
              &asksBeforeVotes},
    Invariant{{"answers-committed",
               "a client is answered only with what is committed: its write, or the value last written"},
              &answersCommitted,
              kindBits(Kind::event)},
    Invariant{{"reads-fresh",
               "a read shows everything that any client had been answered before the read was asked"},
              &readsFresh,
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

}  // namespace zablab::leader_followers
