#include "checker/external_store/monitors.h"

#include <array>

#include "checker/external_store/run_monitors.h"

namespace zablab::external_store {
namespace {

using Seen = Happened<Family>;
using Invariant = zablab::Invariant<Ledger>;

void oneHolder(Ledger& ledger, const Seen&, Judge judge) {
  for (const Change& change : ledger.changes()) {
    if (change.kind != ChangeKind::put || change.what.key.prefix == Prefix::member) continue;
    const auto& replaced = ledger.replaced();
    judge(!replaced, [&] {
      return phrase("the key of {holder} is replaced by that of {other}, revision {revision}",
                    Phrase::server(replaced->value), Phrase::server(change.what.value), change.revision);
    });
  }
}

void deletedByOwner(Ledger& ledger, const Seen&, Judge judge) {
  for (const Change& change : ledger.changes()) {
    if (change.kind == ChangeKind::put) continue;
    const ServerId owner = change.what.value;
    judge(change.kind == ChangeKind::expired || ledger.by() == owner, [&] {
      return phrase("{server} deletes the key of {owner}, revision {revision}", Phrase::server(ledger.by()),
                    Phrase::server(owner), change.revision);
    });
  }
}

void electedWasFirst(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* elected = eventIn<Elected>(seen);
  if (elected == nullptr || elected->why == ElectedWhy::placed) return;
  judge(ledger.shared().first.contains(elected->token), [&] {
    return phrase("{server} is elected with token {token}, and its key was never the first",
                  ledger.serverAt(seen.node), elected->token);
  });
}

/// Nobody can promise this for a process that was stopped without noticing: such a candidate is left out
/// unless the rules count it.
void oneBeliever(Ledger& ledger, const Seen& seen, Judge judge) {
  if (seen.kind == Kind::event && eventIn<Elected>(seen) == nullptr) return;
  const auto& believers = ledger.shared().believers;
  const auto here = believers.find(ledger.id(seen.node));
  if (here == believers.end()) return;
  const bool excused = ledger.cluster().rules.pauses == Pauses::excused;
  const auto isLeftOut = [&](const Believer& one) { return one.paused || (excused && one.was_paused); };
  if (isLeftOut(here->second)) return judge.passOver();
  ServerId other = no_server;
  for (const auto& [id, one] : believers) {
    if (id == here->first) continue;
    if (isLeftOut(one)) {
      judge.passOver();
    } else {
      other = id;
    }
  }
  judge(other == no_server, [&] {
    return phrase(
        "{server} takes itself for the leader with token {token}, and so does {other} with token "
        "{token2}",
        Phrase::server(here->first), here->second.token, Phrase::server(other), believers.at(other).token);
  });
}

void actsAsLeader(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* write = get_if<Store>(seen.content);
  if (write == nullptr) return;
  const auto& believers = ledger.shared().believers;
  const auto here = believers.find(ledger.id(seen.node));
  judge(here != believers.end() && here->second.token == write->token, [&] {
    return phrase("{server} writes with token {token}, and does not take itself for the leader with it",
                  ledger.serverAt(seen.node), write->token);
  });
}

void fence(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* write = eventIn<WriteDecided>(seen);
  if (write == nullptr || !write->accepted) return;
  const std::int64_t before = ledger.own(seen.node).before;
  judge(write->token >= before, [&] {
    return phrase("{server} takes a write of {leader} with token {token} after one with token {before}",
                  ledger.serverAt(seen.node), Phrase::server(write->by), write->token, before);
  });
}

void readIsCurrent(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto& reading = ledger.read();
  if (!reading) return;
  const auto& answered = get<Answered>(*seen.event);
  judge(reading->current.contains(answered.token), [&] {
    const Phrase client = Phrase::client(ledger.id(seen.node));
    const Phrase server = Phrase::server(answered.server);
    return answered.token == 0
               ? phrase(
                     "{client} reads at {server} that nobody leads, which was not so at any time since it "
                     "asked",
                     client, server)
               : phrase(
                     "{client} reads at {server} that {leader} leads with token {token}, which was not so "
                     "at any time since it asked",
                     client, server, Phrase::server(answered.holder), answered.token);
  });
}

void storeOneLeader(Ledger& ledger, const Seen& seen, Judge judge) {
  if (!ledger.storeElects()) return;
  const auto before = ledger.ledBefore();
  judge(!before, [&] {
    const auto& role = get<leader_followers::RoleChanged>(*seen.event);
    return phrase("{server} leads generation {generation} of the store, as {other} did before it",
                  ledger.serverAt(seen.node), role.generation, Phrase::server(*before));
  });
}

void storeAgreement(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto& before = ledger.executedBefore();
  if (!before) return;
  const auto& applied = get<leader_followers::BasicApplied<StoreLog>>(*seen.event);
  judge(*before == applied.entry, [&] {
    return phrase(
        "{server} executes entry {index} of generation {generation}, where another one has executed "
        "one of generation {before}",
        ledger.serverAt(seen.node), applied.index, applied.entry.generation, before->generation);
  });
}

/// What a candidate may count on, without a word about time: the time of its lease begins anew after it has
/// asked for that.
void leaseTime(Ledger& ledger, const Seen& seen, Judge judge) {
  if (const std::int64_t lease = ledger.renewed(); lease != 0) {
    const SharedMemory& memory = ledger.shared();
    if (memory.leaders.empty()) return;
    const ServerId newest = memory.leaders.rbegin()->second;
    judge(!memory.renewals.at(lease).since_sent.contains(newest), [&] {
      return phrase(
          "{server} learns that lease {lease} is renewed, and {leader}, which leads the store, has "
          "not measured it again",
          ledger.serverAt(seen.node), lease, Phrase::server(newest));
    });
  }
  if (const auto& ended = ledger.ended()) {
    judge(ended->measured, [&] {
      return phrase("{server} ends lease {lease}, and has not measured it again since it was renewed",
                    Phrase::server(ended->by), ended->lease);
    });
  }
}

bool isReplicated(const Cluster<Family>& cluster) { return cluster.configs.front().isReplicated(); }

constexpr std::array invariants{
    Invariant{{"one-holder",
               "a candidate's key is never replaced by another one's: it ends before the next begins"},
              &oneHolder,
              kindBits(Kind::written, Kind::event)},
    Invariant{
        {"deleted-by-owner", "a key is deleted by the candidate that has created it, or with its lease"},
        &deletedByOwner,
        kindBits(Kind::written, Kind::event)},
    Invariant{{"elected-was-first",
               "the key of a candidate that is elected was at some time the first of those that there were"},
              &electedWasFirst,
              kindBits(Kind::event)},
    Invariant{
        {"one-believer",
         "at most one candidate that runs takes itself for the leader; one that was paused while it leads "
         "is left out (rule `pauses`)"},
        &oneBeliever,
        kindBits(Kind::event, Kind::resumed)},
    Invariant{
        {"acts-as-leader",
         "a candidate writes to the resource only while it takes itself for the leader, with the token of "
         "that time"},
        &actsAsLeader,
        kindBits(Kind::sent)},
    Invariant{{"fence", "the tokens of the writes that the resource accepts never become smaller"},
              &fence,
              kindBits(Kind::event)},
    Invariant{
        {"read-is-current",
         "a client that reads who leads learns what was true at some time since it asked, by the keys of the "
         "store"},
        &readIsCurrent,
        kindBits(Kind::event)},
    Invariant{{"store-one-leader", "a generation of a replicated store has at most one leader"},
              &storeOneLeader,
              kindBits(Kind::event),
              &isReplicated},
    Invariant{
        {"store-agreement", "no two servers of a replicated store execute different commands in one place"},
        &storeAgreement,
        kindBits(Kind::event),
        &isReplicated},
    Invariant{
        {"lease-time",
         "when a candidate learns that its lease is renewed, the newest leader of a replicated store has "
         "begun to measure it again since the request was sent; so has a server when it ends a lease"},
        &leaseTime,
        kindBits(Kind::event, Kind::delivered),
        &isReplicated},
};

}  // namespace

std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger) {
  return monitorsOf<Ledger>(std::move(ledger), invariants);
}

std::unique_ptr<MonitorSet<Family>> runMonitors(const Cluster<Family>& cluster) {
  return monitorsOf<Ledger, Records>(std::make_unique<Ledger>(cluster), invariants,
                                     std::make_unique<Records>(cluster), runInvariants());
}

}  // namespace zablab::external_store
