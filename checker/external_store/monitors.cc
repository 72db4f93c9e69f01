#include "checker/external_store/monitors.h"

#include <array>
#include <string>

namespace zablab::external_store {
namespace {

using Seen = Happened<Family>;
using Invariant = zablab::Invariant<Ledger>;

std::string number(std::int64_t value) { return std::to_string(value); }
std::string server(ServerId id) { return "server " + number(id); }

void oneHolder(Ledger& ledger, const Seen&, Judge judge) {
  for (const Change& change : ledger.changes()) {
    if (change.kind != ChangeKind::put || change.what.key.prefix == Prefix::member) continue;
    const auto& replaced = ledger.replaced();
    judge(!replaced, [&] {
      return "the key of " + server(replaced->value) + " is replaced by that of " +
             server(change.what.value) + ", revision " + number(change.revision);
    });
  }
}

void deletedByOwner(Ledger& ledger, const Seen&, Judge judge) {
  for (const Change& change : ledger.changes()) {
    if (change.kind == ChangeKind::put) continue;
    const ServerId owner = change.what.value;
    judge(change.kind == ChangeKind::expired || ledger.by() == owner, [&] {
      return server(ledger.by()) + " deletes the key of " + server(owner) + ", revision " +
             number(change.revision);
    });
  }
}

void electedWasFirst(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* elected = eventIn<Elected>(seen);
  if (elected == nullptr || elected->why == ElectedWhy::placed) return;
  judge(ledger.shared().first.contains(elected->token), [&] {
    return server(ledger.id(seen.node)) + " is elected with token " + number(elected->token) +
           ", and its key was never the first";
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
    return Breach{server(here->first) + " takes itself for the leader with token " +
                  number(here->second.token) + ", and so does " + server(other) + " with token " +
                  number(believers.at(other).token)};
  });
}

void actsAsLeader(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* write = std::get_if<Store>(seen.content);
  if (write == nullptr) return;
  const auto& believers = ledger.shared().believers;
  const auto here = believers.find(ledger.id(seen.node));
  judge(here != believers.end() && here->second.token == write->token, [&] {
    return server(ledger.id(seen.node)) + " writes with token " + number(write->token) +
           ", and does not take itself for the leader with it";
  });
}

void fence(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* write = eventIn<WriteDecided>(seen);
  if (write == nullptr || !write->accepted) return;
  const std::int64_t before = ledger.own(seen.node).before;
  judge(write->token >= before, [&] {
    return server(ledger.id(seen.node)) + " takes a write of " + server(write->by) + " with token " +
           number(write->token) + " after one with token " + number(before);
  });
}

void readIsCurrent(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto& reading = ledger.read();
  if (!reading) return;
  const auto& answered = std::get<Answered>(*seen.event);
  judge(reading->current.contains(answered.token), [&] {
    const std::string what = answered.token == 0
                                 ? "nobody leads"
                                 : server(answered.holder) + " leads with token " + number(answered.token);
    return "client " + number(ledger.id(seen.node)) + " reads at " + server(answered.server) + " that " +
           what + ", which was not so at any time since it asked";
  });
}

void storeOneLeader(Ledger& ledger, const Seen& seen, Judge judge) {
  if (!ledger.storeElects()) return;
  const auto before = ledger.ledBefore();
  judge(!before, [&] {
    const auto& role = std::get<leader_followers::RoleChanged>(*seen.event);
    return server(ledger.id(seen.node)) + " leads generation " + number(role.generation) +
           " of the store, as " + server(*before) + " did before it";
  });
}

void storeAgreement(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto& before = ledger.executedBefore();
  if (!before) return;
  const auto& applied = std::get<leader_followers::BasicApplied<StoreLog>>(*seen.event);
  judge(*before == applied.entry, [&] {
    return server(ledger.id(seen.node)) + " executes entry " + number(applied.index) + " of generation " +
           number(applied.entry.generation) + ", where another one has executed one of generation " +
           number(before->generation);
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
      return server(ledger.id(seen.node)) + " learns that lease " + number(lease) + " is renewed, and " +
             server(newest) + ", which leads the store, has not measured it again";
    });
  }
  if (const auto& ended = ledger.ended()) {
    judge(ended->measured, [&] {
      return server(ended->by) + " ends lease " + number(ended->lease) +
             ", and has not measured it again since it was renewed";
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

}  // namespace zablab::external_store
