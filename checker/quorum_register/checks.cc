#include "checker/quorum_register/checks.h"

#include <algorithm>
#include <bit>

#include "checker/history/linearizable.h"
#include "checker/quorum_register/run_monitors.h"
#include "protocol/overloaded.h"

namespace zablab {
namespace quorum_register {
namespace {

using history::RegisterOp;
using Seen = Happened<Family>;
using Invariant = zablab::Invariant<Ledger>;

RegisterOp opOf(const Request& request) {
  switch (request.operation) {
    case Operation::read: return RegisterOp::read();
    case Operation::write: return RegisterOp::write(request.value);
    case Operation::compare_and_set: return RegisterOp::compareAndSet(request.expected, request.value);
  }
  return {};
}

}  // namespace

void Ledger::begin(int server, const Durable& disk) {
  own(server).stored = disk.stored.version;
  if (disk.stored.version != Version{}) note(server, id(server), disk.stored.version);
  for (const auto& [home, stored] : disk.hints) note(server, home, stored.version);
}

void Ledger::on(const Seen& seen) {
  switch (seen.kind) {
    case Kind::started:
      stored_before_ = std::exchange(own(seen.node).stored, seen.disk->stored.version);
      if (seen.now) begin(seen.node, *seen.disk);
      return;
    case Kind::taken_up:
      if (seen.now && seen.disk != nullptr) begin(seen.node, *seen.disk);
      return;
    case Kind::stopped: own(seen.node).waits = false; return;
    case Kind::written:
      if (const auto* kept = recordIn<Keep>(seen))
        stored_before_ = std::exchange(own(seen.node).stored, kept->stored.version);
      if (seen.blocking) onRecord(seen.node, *seen.record);
      return;
    case Kind::synced: return onRecord(seen.node, *seen.record);
    case Kind::wiped:
      own(seen.node).stored = {};
      std::erase_if(shared().copies, [&](const Copy& copy) { return copy.holder == seen.node; });
      return;
    case Kind::delivered: {
      const auto* reply = get_if<ReadReply>(seen.content);
      OwnMemory& memory = own(seen.node);
      if (reply != nullptr && memory.waits && reply->request == memory.request)
        memory.heard |= std::uint64_t{1} << seen.from;
      return;
    }
    case Kind::event: return onEvent(seen.node, *seen.event);
    default: return;
  }
}

void Ledger::onEvent(int server, const Event& event) {
  OwnMemory& memory = own(server);
  if (const auto* invoked = get_if<Invoked>(&event)) {
    memory.request = invoked->request.number;
    memory.heard = 0;
    memory.waits = true;
    return shared().history.invoke(id(server), opOf(invoked->request));
  }
  const auto* answered = get_if<Answered>(&event);
  if (answered == nullptr || answered->outcome == Outcome::busy) return;
  memory.waits = false;
  auto& history = shared().history;
  const auto* open = history.open(id(server));
  if (open == nullptr) return;  // nothing waits for this answer, which is judged elsewhere
  if (answered->outcome == Outcome::failed) history.fail(id(server));
  if (answered->outcome != Outcome::ok) return;
  history.answer(id(server), open->op.returns(answered->operation == Operation::write ? 0 : answered->value));
}

void Ledger::onRecord(int server, const Record& record) {
  visit(Overloaded{[&](const Keep& keep) { note(server, id(server), keep.stored.version); },
                   [&](const KeepHint& keep) { note(server, keep.home, keep.stored.version); },
                   [&](const DropHint& drop) {
                     std::erase_if(shared().copies, [&](const Copy& copy) {
                       return copy.holder == server && copy.home == drop.home;
                     });
                   }},
        record);
}

void Ledger::note(int holder, ServerId home, const Version& version) {
  auto& copies = shared().copies;
  const auto at = std::find_if(copies.begin(), copies.end(), [&](const Copy& copy) {
    return std::pair(copy.holder, copy.home) >= std::pair(holder, home);
  });
  if (at != copies.end() && at->holder == holder && at->home == home) {
    at->version = version;
  } else {
    copies.insert(at, {holder, home, version});
  }
}

std::vector<ServerId> Ledger::homesThatHave(const Version& version) {
  std::vector<ServerId> homes;
  for (const ServerId home : cluster_.configs.front().homes) {
    const auto& copies = shared().copies;
    const bool has = std::any_of(copies.begin(), copies.end(), [&](const Copy& copy) {
      return copy.home == home && copy.version >= version;
    });
    if (has || version == Version{}) homes.push_back(home);
  }
  return homes;
}

// ---- invariants

namespace {

Phrase words(const Version& version) {
  if (version == Version{}) return phrase("the first version");
  return phrase("version {counter} of {client}", version.counter, Phrase::client(version.writer));
}
Phrase clientAt(const Ledger& ledger, const Seen& seen) { return Phrase::client(ledger.id(seen.node)); }

/// The answer that a client has received, if the event is one.
const Answered* answerIn(const Seen& seen) {
  const auto* answered = eventIn<Answered>(seen);
  return answered != nullptr && answered->outcome == Outcome::ok ? answered : nullptr;
}

/// Whether answers fit: judged at each answer, from all requests and answers until then.
template <bool linearizable>
void historyFits(Ledger& ledger, const Seen& seen, Judge judge) {
  if (answerIn(seen) == nullptr) return;
  const auto& history = ledger.shared().history;
  const history::Register spec{ledger.config(seen.node).initial};
  const auto judgement = linearizable ? history::judge(history, spec) : history::regular(history, spec);
  if (judgement.verdict == history::Verdict::gave_up) return judge.passOver();
  judge(judgement.verdict == history::Verdict::yes,
        [&] { return explain(history, judgement, &Phrase::client); });
}

void monotonicReads(Ledger& ledger, const Seen& seen, Judge judge) {
  const Answered* answered = answerIn(seen);
  if (answered == nullptr) return;
  Version& last = ledger.own(seen.node).seen;
  if (answered->operation == Operation::read && last != Version{}) {
    judge(answered->version >= last, [&] {
      return phrase("{client} knows {version} and is shown {shown}", clientAt(ledger, seen), words(last),
                    words(answered->version));
    });
  }
  last = std::max(last, answered->version);
}

void writeQuorumHasIt(Ledger& ledger, const Seen& seen, Judge judge) {
  const Answered* answered = answerIn(seen);
  if (answered == nullptr) return;
  const bool wrote = answered->operation == Operation::write ||
                     (answered->operation == Operation::compare_and_set && answered->value != 0);
  if (!wrote && ledger.cluster().rules.read_repair != ReadRepair::write_back) return;
  const std::vector<ServerId> homes = ledger.homesThatHave(answered->version);
  judge(std::ssize(homes) >= ledger.config(seen.node).write_quorum, [&] {
    return phrase(
        "{client} gets the answer to request {request} with {version}, which is only on these "
        "servers: {servers}",
        clientAt(ledger, seen), answered->request, words(answered->version),
        listOf(homes, Phrase::node, phrase("none")));
  });
}

void readQuorumHeard(Ledger& ledger, const Seen& seen, Judge judge) {
  const Answered* answered = answerIn(seen);
  if (answered == nullptr || answered->operation == Operation::write) return;
  const int heard = std::popcount(ledger.own(seen.node).heard);
  judge(heard >= ledger.config(seen.node).read_quorum, [&] {
    return phrase("{client} gets the answer to request {request} with answers from {count} replicas",
                  clientAt(ledger, seen), answered->request, heard);
  });
}

void replicaForward(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* kept = recordIn<Keep>(seen);
  if (seen.kind == Kind::written && kept == nullptr) return;
  const Version& now = kept != nullptr ? kept->stored.version : seen.disk->stored.version;
  judge(now >= ledger.storedBefore(), [&] {
    return phrase("{server} had {before} and has {version}", ledger.serverAt(seen.node),
                  words(ledger.storedBefore()), words(now));
  });
}

constexpr std::uint64_t at_events = kindBits(Kind::event);
constexpr std::array invariants{
    Invariant{{"linearizable",
               "there is an order of all requests that explains all answers; in it, a request that ended "
               "before another began comes first"},
              &historyFits<true>,
              at_events},
    Invariant{
        {"regular", "a read returns what was written last before it began, or what is written concurrently"},
        &historyFits<false>,
        at_events},
    Invariant{{"monotonic-reads", "a client is never shown an older version than it has seen or written"},
              &monotonicReads,
              at_events},
    Invariant{{"write-quorum",
               "when a write is answered, W homes or their stand-ins have it, or a newer one, on their "
               "disks; the same holds for what a read has written back"},
              &writeQuorumHasIt,
              at_events},
    Invariant{{"read-quorum", "when a read is answered, the client has answers from R replicas"},
              &readQuorumHeard,
              at_events},
    Invariant{{"replica-forward", "a replica's version never becomes older, and survives a restart"},
              &replicaForward,
              kindBits(Kind::written, Kind::started)},
};

}  // namespace

std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger) {
  return monitorsOf<Ledger>(std::move(ledger), invariants);
}

std::unique_ptr<MonitorSet<Family>> runMonitors(const Cluster<Family>& cluster) {
  return monitorsOf<Ledger, Records>(std::make_unique<Ledger>(cluster), invariants,
                                     std::make_unique<Records>(cluster), runInvariants());
}

}  // namespace quorum_register

// ---- searches

using Check = CheckOf<quorum_register::Family>;

std::uint32_t Check::view(const F::Config&, const F::Rules&, const F::Node& node) {
  const bool waits = node.doing && node.doing->phase != quorum_register::Phase::repairing;
  return (waits ? 0 : idle) | (node.hints.empty() ? 0 : has_hints);
}

Fires Check::firesByDefault(F::TimerKind kind) {
  return kind == quorum_register::TimerKind::give_up ? Fires::quiescent : Fires::free;
}

StateVerdict Check::judge(const StoreOf<F>& store) {
  StateVerdict verdict;
  const Spent spent = store.spent();
  if (spent.of(Budget::drops) > 0 || spent.of(Budget::crashes) > 0) return verdict;
  for (int i = 0; i < store.size(); ++i) {
    if (!store.isUp(i) || (store.says(i) & idle) == 0 || (store.says(i) & has_hints) != 0) return verdict;
    for (int j = 0; j < store.size(); ++j) {
      if (!store.isEmpty(quorum_register::quorum_link, i, j)) return verdict;
    }
  }
  const Cluster<F>& cluster = store.cluster();
  const auto& homes = cluster.configs.front().homes;
  const auto storedAt = [&](ServerId home) -> const auto& {
    return store.node(cluster.indexOf(home)).stored;
  };
  const auto& first = storedAt(homes.front());
  verdict.note(
      0, std::all_of(homes.begin(), homes.end(), [&](ServerId home) { return storedAt(home) == first; }));
  return verdict;
}

}  // namespace zablab
