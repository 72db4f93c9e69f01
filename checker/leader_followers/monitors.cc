#include "checker/leader_followers/monitors.h"

#include <algorithm>
#include <string>

namespace zablab::leader_followers {
namespace {

using Seen = Happened<Family>;

std::string number(std::int64_t value) { return std::to_string(value); }
/// As pictures write it in a log.
std::string cell(Position position) { return number(position.generation) + "." + number(position.index); }
std::string words(Position position) {
  return "entry " + number(position.index) + " of generation " + number(position.generation);
}

using LedgerMonitor = BookMonitor<Ledger>;

class ElectionSafety : public LedgerMonitor {
 public:
  explicit ElectionSafety(Ledger& ledger) : LedgerMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override { return {"election-safety", "a generation has at most one leader"}; }
  void on(const Seen& seen) override {
    if (!ledger_.facts().elected) return;
    const auto& before = ledger_.facts().led_before;
    check(!before, [&] {
      return serverAt(seen.node) + " leads generation " + number(own(seen.node).generation) + ", as server " +
             number(*before) + " did before it";
    });
  }
};

class VoteDurable : public LedgerMonitor {
 public:
  explicit VoteDurable(Ledger& ledger) : LedgerMonitor(ledger, kindBits(Kind::sent)) {}
  InvariantInfo info() const override {
    return {"vote-durable", "a vote is on the voter's disk before it is sent"};
  }
  void on(const Seen& seen) override {
    const auto* vote = std::get_if<VoteResponse>(seen.content);
    if (vote == nullptr || vote->pre || !vote->granted) return;
    const Durable& disk = own(seen.node).image;
    const bool durable = disk.generation > vote->generation ||
                         (disk.generation == vote->generation && disk.voted_for == seen.to);
    check(durable, [&] {
      return serverAt(seen.node) + " sends server " + number(seen.to) + " its vote in generation " +
             number(vote->generation) + ", which is not on its disk";
    });
  }
};

class GenerationGrows : public LedgerMonitor {
 public:
  explicit GenerationGrows(Ledger& ledger)
      : LedgerMonitor(ledger, kindBits(Kind::sent, Kind::synced, Kind::written)) {}
  InvariantInfo info() const override {
    return {
        "generation-grows",
        "the generation in which a server votes, acknowledges or leads is on its disk, and never decreases"};
  }
  void on(const Seen& seen) override {
    const std::int64_t here = own(seen.node).image.generation;
    if (seen.kind != Kind::sent) {
      if ((seen.kind == Kind::written && !seen.blocking) || !std::holds_alternative<WriteVote>(*seen.record))
        return;
      check(here >= ledger_.facts().generation_before, [&] {
        return serverAt(seen.node) + " goes from generation " + number(ledger_.facts().generation_before) +
               " back to " + number(here);
      });
      return;
    }
    std::int64_t told = 0;
    if (const auto* vote = std::get_if<VoteResponse>(seen.content); vote != nullptr && !vote->pre)
      told = vote->generation;
    if (const auto* append = std::get_if<Append>(seen.content)) told = append->generation;
    if (const auto* answer = std::get_if<AppendResponse>(seen.content)) told = answer->generation;
    if (told == 0) return;
    check(told <= here, [&] {
      return serverAt(seen.node) + " acts in generation " + number(told) + ", and " + number(here) +
             " is on its disk";
    });
  }
};

class AppendOfLeader : public LedgerMonitor {
 public:
  explicit AppendOfLeader(Ledger& ledger) : LedgerMonitor(ledger, kindBits(Kind::delivered, Kind::written)) {}
  InvariantInfo info() const override {
    return {"append-of-leader", "nothing is accepted from a leader of an older generation"};
  }
  void on(const Seen& seen) override {
    if (!ledger_.readsOlderAppend()) return;
    const bool takes = seen.kind == Kind::written && !std::holds_alternative<WriteVote>(*seen.record);
    check(!takes, [&] {
      return serverAt(seen.node) + ", in generation " + number(own(seen.node).generation) +
             ", changes its log for an older leader";
    });
  }
};

class LedVotersRefuse : public LedgerMonitor {
 public:
  explicit LedVotersRefuse(Ledger& ledger) : LedgerMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"led-voters-refuse",
            "a server that hears from a leader does not encourage another candidate (not claimed without "
            "pre-vote)"};
  }
  bool isClaimed() const override { return ledger_.cluster().rules.pre_vote == PreVote::asked; }
  void on(const Seen& seen) override {
    const auto* decided = std::get_if<VoteDecided>(seen.event);
    if (decided == nullptr || !decided->pre || !isClaimed()) return;
    check(!decided->granted || !own(seen.node).leader, [&] {
      return serverAt(seen.node) + " hears from server " + number(*own(seen.node).leader) +
             ", and would vote for server " + number(decided->candidate);
    });
  }
};

class LogMatching : public LedgerMonitor {
 public:
  explicit LogMatching(Ledger& ledger) : LedgerMonitor(ledger, kindBits(Kind::synced, Kind::written)) {}
  InvariantInfo info() const override {
    return {"log-matching",
            "logs that have an entry of the same generation in the same place are equal up to that place"};
  }
  void on(const Seen& seen) override {
    if (!ledger_.facts().log_changed) return;
    const Log& mine = own(seen.node).image.log;
    const auto& logs = shared().durable;
    for (std::size_t other = 0; other < logs.size(); ++other) {
      if (static_cast<int>(other) == seen.node) continue;
      std::size_t same = std::min(mine.size(), logs[other].size());  // up to here they must be the same
      while (same > 0 && mine[same - 1].generation != logs[other][same - 1].generation) --same;
      check(std::equal(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(same), logs[other].begin()),
            [&] {
              return Breach{serverAt(seen.node) + " and " + serverAt(static_cast<int>(other)) +
                                " both have " + words({mine[same - 1].generation, static_cast<Index>(same)}) +
                                ", and differ in it or before it",
                            cell({mine[same - 1].generation, static_cast<Index>(same)})};
            });
    }
  }
};

class LeaderCompleteness : public LedgerMonitor {
 public:
  explicit LeaderCompleteness(Ledger& ledger) : LedgerMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"leader-completeness", "a leader has everything that was committed in older generations"};
  }
  void on(const Seen& seen) override {
    if (!ledger_.facts().elected) return;
    const Log& log = own(seen.node).log;
    const auto& claims = shared().committed;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      if (claims[i].generation >= own(seen.node).generation) continue;
      check(i < log.size() && log[i] == claims[i].entry, [&] {
        return Breach{serverAt(seen.node) + " leads generation " + number(own(seen.node).generation) +
                          " without " + words({claims[i].entry.generation, static_cast<Index>(i) + 1}) +
                          ", which was committed in generation " + number(claims[i].generation),
                      cell({claims[i].entry.generation, static_cast<Index>(i) + 1})};
      });
    }
  }
};

class StateMachineSafety : public LedgerMonitor {
 public:
  explicit StateMachineSafety(Ledger& ledger) : LedgerMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"state-machine-safety", "no two servers apply different entries in the same place"};
  }
  void on(const Seen& seen) override {
    if (const auto conflict = ledger_.facts().conflict) {
      const Entry& before = shared().committed[*conflict].entry;
      return check(false, [&] {
        return Breach{serverAt(seen.node) + " commits another entry in the place of " +
                          words({before.generation, static_cast<Index>(*conflict) + 1}),
                      cell({before.generation, static_cast<Index>(*conflict) + 1})};
      });
    }
    const auto* applied = std::get_if<Applied>(seen.event);
    if (applied == nullptr) return;
    const auto& claims = shared().committed;
    const auto place = static_cast<std::size_t>(applied->index - 1);
    if (place >= claims.size()) return passOver();
    check(claims[place].entry == applied->entry, [&] {
      return Breach{serverAt(seen.node) + " applies " + words({applied->entry.generation, applied->index}) +
                        ", where " + words({claims[place].entry.generation, applied->index}) +
                        " was committed",
                    cell({applied->entry.generation, applied->index})};
    });
  }
};

class AppliedIsCommitted : public LedgerMonitor {
 public:
  explicit AppliedIsCommitted(Ledger& ledger) : LedgerMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"applied-is-committed", "nothing is applied before a leader has counted it as committed"};
  }
  void on(const Seen& seen) override {
    const auto* applied = std::get_if<Applied>(seen.event);
    if (applied == nullptr) return;
    check(static_cast<std::size_t>(applied->index) <= shared().committed.size(), [&] {
      return Breach{serverAt(seen.node) + " applies " + words({applied->entry.generation, applied->index}) +
                        ", which no leader has committed",
                    cell({applied->entry.generation, applied->index})};
    });
  }
};

class CommittedIsBacked : public LedgerMonitor {
 public:
  explicit CommittedIsBacked(Ledger& ledger) : LedgerMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"acknowledged-durable", "what a leader counts as committed is durable on a quorum of servers"};
  }
  void on(const Seen& seen) override {
    const auto& facts = ledger_.facts();
    for (std::size_t i = facts.claimed_from; i < facts.claimed_to; ++i) {
      const Entry& entry = shared().committed[i].entry;
      check(ledger_.isBacked(i, entry), [&] {
        return Breach{serverAt(seen.node) + " commits " +
                          words({entry.generation, static_cast<Index>(i) + 1}) +
                          ", which is not durable on a quorum",
                      cell({entry.generation, static_cast<Index>(i) + 1})};
      });
    }
  }
};

class CommittedStays : public LedgerMonitor {
 public:
  explicit CommittedStays(Ledger& ledger) : LedgerMonitor(ledger, kindBits(Kind::synced, Kind::written)) {}
  InvariantInfo info() const override {
    return {"committed-stays", "what is committed stays on a quorum of disks"};
  }
  void on(const Seen& seen) override {
    const auto* cut = std::get_if<Truncate>(seen.record);
    if (cut == nullptr || !ledger_.facts().log_changed) return;
    const auto& claims = shared().committed;
    for (auto i = static_cast<std::size_t>(cut->index); i < claims.size(); ++i) {
      check(ledger_.isBacked(i, claims[i].entry), [&] {
        return Breach{serverAt(seen.node) + " truncates its log, and " +
                          words({claims[i].entry.generation, static_cast<Index>(i) + 1}) +
                          ", which was committed, is no longer on a quorum",
                      cell({claims[i].entry.generation, static_cast<Index>(i) + 1})};
      });
    }
  }
};

class AnswersCommitted : public LedgerMonitor {
 public:
  explicit AnswersCommitted(Ledger& ledger) : LedgerMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"answers-committed",
            "a client is answered only with what is committed: its write, or the value last written"};
  }
  void on(const Seen& seen) override {
    const auto* answered = std::get_if<Answered>(seen.event);
    if (answered == nullptr || answered->outcome != Outcome::ok) return;
    const auto& claims = shared().committed;
    const auto end = static_cast<std::size_t>(answered->index);
    const std::string client = "client " + number(ledger_.id(seen.node));
    if (answered->operation == Operation::put) {
      const bool there = end >= 1 && end <= claims.size() &&
                         claims[end - 1].entry.payload.client == ledger_.id(seen.node) &&
                         claims[end - 1].entry.payload.number == answered->number;
      return check(there, [&] {
        return client + " is told that its request " + number(answered->number) + " is entry " +
               number(answered->index) + ", which is not committed as such";
      });
    }
    std::int64_t value = 0;
    for (std::size_t i = 0; i < std::min(end, claims.size()); ++i) {
      if (claims[i].entry.payload.number != 0) value = claims[i].entry.payload.value;
    }
    check(end <= claims.size() && answered->value == value, [&] {
      return client + " is shown the value " + number(answered->value) + " at entry " +
             number(answered->index) + ", and " + number(value) + " was committed up to there";
    });
  }
};

class ReadsFresh : public LedgerMonitor {
 public:
  explicit ReadsFresh(Ledger& ledger) : LedgerMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"reads-fresh",
            "a read shows everything that any client had been answered before the read was asked"};
  }
  void on(const Seen& seen) override {
    const auto floor = ledger_.facts().read_floor;
    if (!floor) return;
    const auto& answered = std::get<Answered>(*seen.event);
    check(answered.index >= *floor, [&] {
      return "client " + number(ledger_.id(seen.node)) + " reads up to entry " + number(answered.index) +
             ", and entry " + number(*floor) + " had been answered before it asked";
    });
  }
};

}  // namespace

std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger) {
  return monitorSet<Family, ElectionSafety, LeaderCompleteness, LogMatching, StateMachineSafety,
                    AppliedIsCommitted, CommittedIsBacked, CommittedStays, VoteDurable, GenerationGrows,
                    AppendOfLeader, LedVotersRefuse, AnswersCommitted, ReadsFresh>(std::move(ledger));
}

}  // namespace zablab::leader_followers
