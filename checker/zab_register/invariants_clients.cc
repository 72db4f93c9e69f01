// The invariants of clients' answers: writes that were answered remain, answers report the present content,
// in the order of the requests.
#include <algorithm>
#include <string>

#include "checker/zab/recovery_monitor.h"
#include "checker/zab_register/ledger.h"

namespace zablab::zab {
namespace {

using RecoveryMonitor = BasicRecoveryMonitor<Family>;
using Seen = Happened<Family>;

class AcknowledgedWrites : public RecoveryMonitor {
 public:
  explicit AcknowledgedWrites(Ledger& ledger) : RecoveryMonitor(ledger, kindBits(Kind::sent, Kind::event)) {}
  InvariantInfo info() const override {
    return {"acknowledged-writes", "a write that was answered is in the history of every later leader"};
  }
  void on(const Seen& seen) override {
    const auto& facts = ledger_.facts();
    if (facts.established && !facts.given) return judge(seen.node);
    if (!facts.shown) return;
    const auto& reply = get<Reply>(*seen.content);
    if (reply.operation == Operation::read || reply.operation == Operation::sync) return;
    const History& memory = own(seen.node).memory;
    const auto place = find(memory, reply.zxid);
    if (!place) return passOver();
    // A server that has the last transaction of an epoch has all before it.
    auto& last = shared().service.answered[own(seen.node).current()];
    if (last.entry.chain == 0 || last.place < *place) last = {*place, memory[*place]};
  }

 private:
  void judge(int leader) {
    const Epoch& led = shared().epochs.back();
    for (const auto& entry : shared().service.answered) {
      const Placed& write = entry.second;
      if (entry.first > led.epoch) continue;
      check(stands(led.initial, write.place, write.entry), [&] {
        const std::string zxid = words(write.entry.zxid());
        return Breach{phrase("{zxid} was answered, and {leader}, which leads epoch {epoch}, does not have it",
                             zxid, server(leader), led.epoch),
                      zxid};
      });
    }
  }
};

class MonotonicReads : public RecoveryMonitor {
 public:
  explicit MonotonicReads(Ledger& ledger) : RecoveryMonitor(ledger, kindBits(Kind::event, Kind::stopped)) {}
  InvariantInfo info() const override {
    return {"monotonic-reads", "a client is never shown an older state than it has seen"};
  }
  void on(const Seen& seen) override {
    if (seen.kind == Kind::stopped) {  // another process does not know what this one has seen
      own(seen.node).service.seen.reset();
      return;
    }
    const auto* answered = get_if<Answered>(seen.event);
    if (answered == nullptr || answered->outcome != Outcome::ok) return;
    auto& last = own(seen.node).service.seen;
    if (last) {
      check(answered->zxid >= *last, [&] {
        return Breach{phrase("{client} has seen {zxid} and is shown {older}", client(seen.node), words(*last),
                             words(answered->zxid)),
                      words(*last)};
      });
    }
    last = last ? std::max(*last, answered->zxid) : answered->zxid;
  }
};

class AnswersTrue : public RecoveryMonitor {
 public:
  explicit AnswersTrue(Ledger& ledger) : RecoveryMonitor(ledger, kindBits(Kind::sent)) {}
  InvariantInfo info() const override {
    return {
        "answers-true",
        "a client sends the requests that it was given; a write's answer names the transaction that was made "
        "from the request; a read's answer, the state that its server had reached and the value there"};
  }
  void on(const Seen& seen) override {
    if (const auto* said = get_if<ClientRequest>(seen.content)) return judgeRequest(seen.node, *said);
    const auto* reply = get_if<Reply>(seen.content);
    if (reply == nullptr) return;
    const bool reads = reply->operation == Operation::read || reply->operation == Operation::sync;
    reads ? judgeRead(seen, *reply) : judgeWrite(seen, *reply);
  }

 private:
  static TxnKind kindOf(Operation operation) {
    return operation == Operation::open_session    ? TxnKind::open_session
           : operation == Operation::close_session ? TxnKind::close_session
                                                   : TxnKind::put;
  }
  static Phrase words(const Txn& txn) {
    return phrase("request {number} of {client}", txn.payload.number, Phrase::client(txn.payload.client));
  }

  void judgeRequest(int node, const ClientRequest& said) {
    const auto& asked = own(node).service.asked;
    const Request request{said.operation, said.value, said.number};
    check(std::find(asked.begin(), asked.end(), request) != asked.end(), [&] {
      return phrase("{client} sends request {number}, {operation} {value}, which it was not given",
                    client(node), said.number, Phrase::words(enumName(said.operation)), said.value);
    });
  }

  void judgeWrite(const Seen& seen, const Reply& reply) {
    const History& memory = own(seen.node).memory;
    const auto place = find(memory, reply.zxid);
    Txn asked{reply.zxid,
              {kindOf(reply.operation), place ? memory[*place].txn.payload.value : 0, seen.to, reply.number}};
    // If another server answers, as one rule requires, the request is not known here.
    if (const auto& request = ledger_.facts().service.request) {
      asked.payload.value = request->value;
      asked.payload.kind = kindOf(request->operation);
    } else {
      passOver();
    }
    check(place && memory[*place].txn == asked, [&] {
      const Phrase self = server(seen.node);
      const std::string zxid = zab::words(reply.zxid);
      return place ? phrase("{server} answers {request} with {zxid}, which is made from {other}", self,
                            words(asked), zxid, words(memory[*place].txn))
                   : phrase("{server} answers {request} with {zxid}, which is not in its history", self,
                            words(asked), zxid);
    });
  }

  void judgeRead(const Seen& seen, const Reply& reply) {
    const History& memory = own(seen.node).memory;
    const Zxid last = memory.empty() ? Zxid{} : memory.back().zxid();
    // If an epoch has begun and has no transaction yet, its own zxid represents the state.
    const bool reached = reply.zxid == last || (reply.zxid > last && reply.zxid.counter() == 0);
    check(reached, [&] {
      return phrase("{server} answers a read with {zxid}, and is at {last}", server(seen.node),
                    zab::words(reply.zxid), zab::words(last));
    });
    if (reply.operation != Operation::read) return;
    const auto put = std::find_if(memory.rbegin(), memory.rend(),
                                  [](const Entry& entry) { return entry.txn.payload.kind == TxnKind::put; });
    const std::int64_t value = put == memory.rend() ? 0 : put->txn.payload.value;
    check(reply.value == value, [&] {
      const Phrase self = server(seen.node);
      return reply.value ? phrase("{server} answers a read with the value {value}, and has {expected}", self,
                                  *reply.value, value)
                         : phrase("{server} answers a read with no value, and has {expected}", self, value);
    });
  }
};

class AnswersInOrder : public RecoveryMonitor {
 public:
  explicit AnswersInOrder(Ledger& ledger)
      : RecoveryMonitor(ledger, kindBits(Kind::asked, Kind::event, Kind::stopped)) {}
  InvariantInfo info() const override {
    return {"answers-in-order", "a client is answered in the order in which it asked"};
  }
  void on(const Seen& seen) override {
    if (seen.node < 0 || !ledger_.cluster().configs[static_cast<std::size_t>(seen.node)].client) return;
    auto& asked = own(seen.node).service.asked;
    if (seen.kind == Kind::stopped) return asked.clear();
    if (seen.kind == Kind::asked) {
      if (seen.request->operation != Operation::connect) asked.push_back(*seen.request);
      return;
    }
    const auto* answered = get_if<Answered>(seen.event);
    if (answered == nullptr) return;
    const auto at = std::find_if(asked.begin(), asked.end(),
                                 [&](const Request& request) { return request.number == answered->number; });
    if (answered->outcome == Outcome::ok) {
      check(at == asked.begin() && at != asked.end(), [&] {
        const Phrase self = client(seen.node);
        return at == asked.end()
                   ? phrase("{client} gets the answer to request {number}, for which it does not wait", self,
                            answered->number)
                   : phrase("{client} gets the answer to request {number} before request {first}", self,
                            answered->number, asked.front().number);
      });
    }
    if (at != asked.end()) asked.erase(at);
  }
};

class SyncThroughLeader : public RecoveryMonitor {
 public:
  explicit SyncThroughLeader(Ledger& ledger)
      : RecoveryMonitor(ledger, kindBits(Kind::sent, Kind::delivered, Kind::written, Kind::event)) {}
  InvariantInfo info() const override {
    return {
        "sync-through-leader",
        "a sync is answered only after the leader was asked, and has committed what it had proposed by then"};
  }
  void on(const Seen& seen) override {
    OwnMemory& memory = own(seen.node);
    switch (seen.kind) {
      case Kind::written: {
        const auto* write = get_if<WriteTxn>(seen.record);
        const bool proposes = memory.role == Role::LEADING && memory.phase == Phase::broadcast;
        if (write != nullptr && proposes) memory.service.proposed = write->txn.zxid;
        return;
      }
      case Kind::event: {
        const auto* changed = get_if<LearnerChanged>(seen.event);
        if (changed == nullptr || changed->present) return;
        std::erase_if(memory.service.forwarded,
                      [&](const ForwardedSync& one) { return one.learner == changed->learner; });
        return;
      }
      case Kind::delivered: return onDelivered(seen, memory);
      default: return onSent(seen, memory);
    }
  }

 private:
  void onDelivered(const Seen& seen, OwnMemory& memory) {
    if (const auto* forwarded = get_if<Forwarded>(seen.content)) {
      if (forwarded->operation != Operation::sync || memory.role != Role::LEADING) return;
      memory.service.forwarded.push_back(
          {ledger_.id(seen.from), forwarded->client, forwarded->number, memory.service.proposed});
    }
  }

  void onSent(const Seen& seen, OwnMemory& memory) {
    if (const auto* done = get_if<SyncDone>(seen.content)) {
      judgeLeader(seen, *done, memory);
    } else if (const auto* reply = get_if<Reply>(seen.content)) {
      if (reply->operation == Operation::sync) judgeAnswer(seen, memory);
    }
  }

  void judgeLeader(const Seen& seen, const SyncDone& done, OwnMemory& memory) {
    const auto at =
        std::find_if(memory.service.forwarded.begin(), memory.service.forwarded.end(), [&](const auto& one) {
          return one.learner == seen.to && one.client == done.client && one.number == done.number;
        });
    if (at == memory.service.forwarded.end()) return passOver();
    const Zxid after = at->after;
    const Zxid last = memory.memory.empty() ? Zxid{} : memory.memory.back().zxid();
    memory.service.forwarded.erase(at);
    check(after <= last, [&] {
      return Breach{phrase("{server} says that a sync is done, and has not committed {zxid}, which it had "
                           "proposed when it was asked",
                           server(seen.node), words(after)),
                    words(after)};
    });
  }

  void judgeAnswer(const Seen& seen, const OwnMemory& memory) {
    const auto& request = ledger_.facts().service.request;
    if (!request) return passOver();
    check(request->done || memory.role == Role::LEADING, [&] {
      return phrase("{server} answers a sync of {client} that its leader has not answered", server(seen.node),
                    Phrase::client(seen.to));
    });
  }
};

class DoneOnce : public RecoveryMonitor {
 public:
  explicit DoneOnce(Ledger& ledger) : RecoveryMonitor(ledger, claim_kinds) {}
  InvariantInfo info() const override {
    return {"done-once", "a request of a client is committed at most once"};
  }
  void on(const Seen&) override {
    if (ledger_.facts().given) return;
    forNewClaims([&](std::size_t position, const Claim& claim) {
      const Txn& txn = claim.entry.txn;
      if (txn.payload.client == no_server) return;
      const auto& claims = shared().claims;
      const auto before = std::find_if(claims.begin(), claims.begin() + static_cast<std::ptrdiff_t>(position),
                                       [&](const Claim& other) {
                                         return other.entry.txn.payload.client == txn.payload.client &&
                                                other.entry.txn.payload.number == txn.payload.number;
                                       });
      check(before == claims.begin() + static_cast<std::ptrdiff_t>(position), [&] {
        return phrase("request {number} of {client} is committed as {zxid} and as {second}",
                      txn.payload.number, Phrase::client(txn.payload.client), words(before->entry.zxid()),
                      words(txn.zxid));
      });
    });
  }
};

}  // namespace

std::vector<std::unique_ptr<Monitor<Family>>> ServiceBook<Family>::monitors(Ledger& ledger) {
  std::vector<std::unique_ptr<Monitor<Family>>> monitors;
  monitors.push_back(std::make_unique<AcknowledgedWrites>(ledger));
  monitors.push_back(std::make_unique<MonotonicReads>(ledger));
  monitors.push_back(std::make_unique<SyncThroughLeader>(ledger));
  monitors.push_back(std::make_unique<AnswersTrue>(ledger));
  monitors.push_back(std::make_unique<AnswersInOrder>(ledger));
  monitors.push_back(std::make_unique<DoneOnce>(ledger));
  return monitors;
}

}  // namespace zablab::zab
