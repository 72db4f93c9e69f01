#include "checker/leader_followers/monitors.h"

#include <algorithm>
#include <array>
#include <string>

namespace zablab::leader_followers {
namespace {

using Seen = Happened<Family>;
using Invariant = zablab::Invariant<Ledger>;

std::string number(std::int64_t value) { return std::to_string(value); }
/// As pictures write it in a log.
std::string cell(Position position) { return number(position.generation) + "." + number(position.index); }
std::string words(Position position) {
  return "entry " + number(position.index) + " of generation " + number(position.generation);
}

void electionSafety(Ledger& ledger, const Seen& seen, Judge judge) {
  if (!ledger.facts().elected) return;
  const auto& before = ledger.facts().led_before;
  judge(!before, [&] {
    return ledger.serverAt(seen.node) + " leads generation " + number(ledger.own(seen.node).generation) +
           ", as server " + number(*before) + " did before it";
  });
}

void voteDurable(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* vote = std::get_if<VoteResponse>(seen.content);
  if (vote == nullptr || vote->pre || !vote->granted) return;
  const Durable& disk = ledger.own(seen.node).image;
  const bool durable = disk.generation > vote->generation ||
                       (disk.generation == vote->generation && disk.voted_for == seen.to);
  judge(durable, [&] {
    return ledger.serverAt(seen.node) + " sends server " + number(seen.to) + " its vote in generation " +
           number(vote->generation) + ", which is not on its disk";
  });
}

void generationGrows(Ledger& ledger, const Seen& seen, Judge judge) {
  const std::int64_t here = ledger.own(seen.node).image.generation;
  if (seen.kind != Kind::sent) {
    if ((seen.kind == Kind::written && !seen.blocking) || !std::holds_alternative<WriteVote>(*seen.record))
      return;
    judge(here >= ledger.facts().generation_before, [&] {
      return ledger.serverAt(seen.node) + " goes from generation " +
             number(ledger.facts().generation_before) + " back to " + number(here);
    });
    return;
  }
  std::int64_t told = 0;
  if (const auto* vote = std::get_if<VoteResponse>(seen.content); vote != nullptr && !vote->pre)
    told = vote->generation;
  if (const auto* append = std::get_if<Append>(seen.content)) told = append->generation;
  if (const auto* answer = std::get_if<AppendResponse>(seen.content)) told = answer->generation;
  if (told == 0) return;
  judge(told <= here, [&] {
    return ledger.serverAt(seen.node) + " acts in generation " + number(told) + ", and " + number(here) +
           " is on its disk";
  });
}

void appendOfLeader(Ledger& ledger, const Seen& seen, Judge judge) {
  if (!ledger.readsOlderAppend()) return;
  const bool takes = seen.kind == Kind::written && !std::holds_alternative<WriteVote>(*seen.record);
  judge(!takes, [&] {
    return ledger.serverAt(seen.node) + ", in generation " + number(ledger.own(seen.node).generation) +
           ", changes its log for an older leader";
  });
}

bool asksBeforeVotes(const Cluster<Family>& cluster) { return cluster.rules.pre_vote == PreVote::asked; }

void ledVotersRefuse(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* decided = std::get_if<VoteDecided>(seen.event);
  if (decided == nullptr || !decided->pre || !asksBeforeVotes(ledger.cluster())) return;
  judge(!decided->granted || !ledger.own(seen.node).leader, [&] {
    return ledger.serverAt(seen.node) + " hears from server " + number(*ledger.own(seen.node).leader) +
           ", and would vote for server " + number(decided->candidate);
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
            return Breach{ledger.serverAt(seen.node) + " and " + ledger.serverAt(static_cast<int>(other)) +
                              " both have " + words({mine[same - 1].generation, static_cast<Index>(same)}) +
                              ", and differ in it or before it",
                          cell({mine[same - 1].generation, static_cast<Index>(same)})};
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
      return Breach{ledger.serverAt(seen.node) + " leads generation " +
                        number(ledger.own(seen.node).generation) + " without " +
                        words({claims[i].entry.generation, static_cast<Index>(i) + 1}) +
                        ", which was committed in generation " + number(claims[i].generation),
                    cell({claims[i].entry.generation, static_cast<Index>(i) + 1})};
    });
  }
}

void stateMachineSafety(Ledger& ledger, const Seen& seen, Judge judge) {
  if (const auto conflict = ledger.facts().conflict) {
    const Entry& before = ledger.shared().committed[*conflict].entry;
    return judge(false, [&] {
      return Breach{ledger.serverAt(seen.node) + " commits another entry in the place of " +
                        words({before.generation, static_cast<Index>(*conflict) + 1}),
                    cell({before.generation, static_cast<Index>(*conflict) + 1})};
    });
  }
  const auto* applied = std::get_if<Applied>(seen.event);
  if (applied == nullptr) return;
  const auto& claims = ledger.shared().committed;
  const auto place = static_cast<std::size_t>(applied->index - 1);
  if (place >= claims.size()) return judge.passOver();
  judge(claims[place].entry == applied->entry, [&] {
    return Breach{ledger.serverAt(seen.node) + " applies " +
                      words({applied->entry.generation, applied->index}) + ", where " +
                      words({claims[place].entry.generation, applied->index}) + " was committed",
                  cell({applied->entry.generation, applied->index})};
  });
}

void appliedIsCommitted(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* applied = std::get_if<Applied>(seen.event);
  if (applied == nullptr) return;
  judge(static_cast<std::size_t>(applied->index) <= ledger.shared().committed.size(), [&] {
    return Breach{ledger.serverAt(seen.node) + " applies " +
                      words({applied->entry.generation, applied->index}) + ", which no leader has committed",
                  cell({applied->entry.generation, applied->index})};
  });
}

void committedIsBacked(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto& facts = ledger.facts();
  for (std::size_t i = facts.claimed_from; i < facts.claimed_to; ++i) {
    const Entry& entry = ledger.shared().committed[i].entry;
    judge(ledger.isBacked(i, entry), [&] {
      return Breach{ledger.serverAt(seen.node) + " commits " +
                        words({entry.generation, static_cast<Index>(i) + 1}) +
                        ", which is not durable on a quorum",
                    cell({entry.generation, static_cast<Index>(i) + 1})};
    });
  }
}

void committedStays(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* cut = std::get_if<Truncate>(seen.record);
  if (cut == nullptr || !ledger.facts().log_changed) return;
  const auto& claims = ledger.shared().committed;
  for (auto i = static_cast<std::size_t>(cut->index); i < claims.size(); ++i) {
    judge(ledger.isBacked(i, claims[i].entry), [&] {
      return Breach{ledger.serverAt(seen.node) + " truncates its log, and " +
                        words({claims[i].entry.generation, static_cast<Index>(i) + 1}) +
                        ", which was committed, is no longer on a quorum",
                    cell({claims[i].entry.generation, static_cast<Index>(i) + 1})};
    });
  }
}

void answersCommitted(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* answered = std::get_if<Answered>(seen.event);
  if (answered == nullptr || answered->outcome != Outcome::ok) return;
  const auto& claims = ledger.shared().committed;
  const auto end = static_cast<std::size_t>(answered->index);
  const std::string client = "client " + number(ledger.id(seen.node));
  if (answered->operation == Operation::put) {
    const bool there = end >= 1 && end <= claims.size() &&
                       claims[end - 1].entry.payload.client == ledger.id(seen.node) &&
                       claims[end - 1].entry.payload.number == answered->number;
    return judge(there, [&] {
      return client + " is told that its request " + number(answered->number) + " is entry " +
             number(answered->index) + ", which is not committed as such";
    });
  }
  std::int64_t value = 0;
  for (std::size_t i = 0; i < std::min(end, claims.size()); ++i) {
    if (claims[i].entry.payload.number != 0) value = claims[i].entry.payload.value;
  }
  judge(end <= claims.size() && answered->value == value, [&] {
    return client + " is shown the value " + number(answered->value) + " at entry " +
           number(answered->index) + ", and " + number(value) + " was committed up to there";
  });
}

void readsFresh(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto floor = ledger.facts().read_floor;
  if (!floor) return;
  const auto& answered = std::get<Answered>(*seen.event);
  judge(answered.index >= *floor, [&] {
    return "client " + number(ledger.id(seen.node)) + " reads up to entry " + number(answered.index) +
           ", and entry " + number(*floor) + " had been answered before it asked";
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
    Invariant{{"committed-stays", "what is committed stays on a quorum of disks"},
              &committedStays,
              kindBits(Kind::synced, Kind::written)},
    Invariant{{"vote-durable", "a vote is on the voter's disk before it is sent"},
              &voteDurable,
              kindBits(Kind::sent)},
    Invariant{
        {"generation-grows",
         "the generation in which a server votes, acknowledges or leads is on its disk, and never decreases"},
        &generationGrows,
        kindBits(Kind::sent, Kind::synced, Kind::written)},
    Invariant{{"append-of-leader", "nothing is accepted from a leader of an older generation"},
              &appendOfLeader,
              kindBits(Kind::delivered, Kind::written)},
    Invariant{{"led-voters-refuse",
               "a server that hears from a leader does not encourage another candidate (not claimed without "
               "pre-vote)"},
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

}  // namespace zablab::leader_followers
