#include "checker/quorum_register/monitors.h"

#include <algorithm>
#include <bit>
#include <string>

#include "checker/history/linearizable.h"
#include "checker/history/register.h"

namespace zablab::quorum_register {
namespace {

using Seen = Happened<Family>;
using history::Judgement;
using history::Register;
using history::Verdict;

std::string words(const Version& version) {
  if (version == Version{}) return "the first version";
  return "version " + std::to_string(version.counter) + " of client " + std::to_string(version.writer);
}

class RegisterMonitor : public BookMonitor<Ledger> {
 public:
  using BookMonitor::BookMonitor;

 protected:
  /// The answer that a client has received, if the event is one.
  static const Answered* answerIn(const Seen& seen) {
    const auto* answered = eventIn<Answered>(seen);
    return answered != nullptr && answered->outcome == Outcome::ok ? answered : nullptr;
  }
  static std::string name(ServerId id) { return std::to_string(id); }
};

/// Whether answers fit: judged at each answer, from all requests and answers until then.
class Fits : public RegisterMonitor {
 public:
  explicit Fits(Ledger& ledger) : RegisterMonitor(ledger, kindBits(Kind::event)) {}
  void on(const Seen& seen) override {
    if (answerIn(seen) == nullptr) return;
    const auto& history = ledger_.shared().history;
    const Judgement<Register> judgement = judge(history, {ledger_.config(seen.node).initial});
    if (judgement.verdict == Verdict::gave_up) return passOver();
    check(judgement.verdict == Verdict::yes,
          [&] { return explain(history, judgement, [](ServerId id) { return "client " + name(id); }); });
  }

 private:
  virtual Judgement<Register> judge(const history::RegisterHistory& history, const Register& spec) const = 0;
};

class Linearizable : public Fits {
 public:
  using Fits::Fits;
  InvariantInfo info() const override {
    return {"linearizable",
            "there is an order of all requests that explains all answers; in it, a request that ended before "
            "another began comes first"};
  }

 private:
  Judgement<Register> judge(const history::RegisterHistory& history, const Register& spec) const override {
    return history::judge(history, spec);
  }
};

class Regular : public Fits {
 public:
  using Fits::Fits;
  InvariantInfo info() const override {
    return {"regular",
            "a read returns what was written last before it began, or what is written concurrently"};
  }

 private:
  Judgement<Register> judge(const history::RegisterHistory& history, const Register& spec) const override {
    return history::regular(history, spec);
  }
};

class MonotonicReads : public RegisterMonitor {
 public:
  explicit MonotonicReads(Ledger& ledger) : RegisterMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"monotonic-reads", "a client is never shown an older version than it has seen or written"};
  }
  void on(const Seen& seen) override {
    const Answered* answered = answerIn(seen);
    if (answered == nullptr) return;
    Version& last = own(seen.node).seen;
    if (answered->operation == Operation::read && last != Version{}) {
      check(answered->version >= last, [&] {
        return "client " + who(seen.node) + " knows " + words(last) + " and is shown " +
               words(answered->version);
      });
    }
    last = std::max(last, answered->version);
  }
};

class WriteQuorumHasIt : public RegisterMonitor {
 public:
  explicit WriteQuorumHasIt(Ledger& ledger) : RegisterMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"write-quorum",
            "when a write is answered, W homes or their stand-ins have it, or a newer one, on their disks; "
            "the same holds for what a read has written back"};
  }
  void on(const Seen& seen) override {
    const Answered* answered = answerIn(seen);
    if (answered == nullptr) return;
    const bool wrote = answered->operation == Operation::write ||
                       (answered->operation == Operation::compare_and_set && answered->value != 0);
    if (!wrote && ledger_.cluster().rules.read_repair != ReadRepair::write_back) return;
    const std::vector<ServerId> homes = ledger_.homesThatHave(answered->version);
    check(std::ssize(homes) >= ledger_.config(seen.node).write_quorum, [&] {
      std::string have;
      for (const ServerId home : homes) have += (have.empty() ? "" : ", ") + name(home);
      return "client " + who(seen.node) + " gets the answer to request " + std::to_string(answered->request) +
             " with " + words(answered->version) +
             ", which is only on these servers: " + (have.empty() ? "none" : have);
    });
  }
};

class ReadQuorumHeard : public RegisterMonitor {
 public:
  explicit ReadQuorumHeard(Ledger& ledger) : RegisterMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"read-quorum", "when a read is answered, the client has answers from R replicas"};
  }
  void on(const Seen& seen) override {
    const Answered* answered = answerIn(seen);
    if (answered == nullptr || answered->operation == Operation::write) return;
    const int heard = std::popcount(own(seen.node).heard);
    check(heard >= ledger_.config(seen.node).read_quorum, [&] {
      return "client " + who(seen.node) + " gets the answer to request " + std::to_string(answered->request) +
             " with answers from " + std::to_string(heard) + " replicas";
    });
  }
};

class ReplicaForward : public RegisterMonitor {
 public:
  explicit ReplicaForward(Ledger& ledger) : RegisterMonitor(ledger, kindBits(Kind::written, Kind::started)) {}
  InvariantInfo info() const override {
    return {"replica-forward", "a replica's version never becomes older, and survives a restart"};
  }
  void on(const Seen& seen) override {
    const auto* kept = seen.kind == Kind::written ? std::get_if<Keep>(seen.record) : nullptr;
    if (seen.kind == Kind::written && kept == nullptr) return;
    const Version& now = kept != nullptr ? kept->stored.version : seen.disk->stored.version;
    const Version& before = ledger_.storedBefore();
    check(now >= before,
          [&] { return "server " + who(seen.node) + " had " + words(before) + " and has " + words(now); });
  }
};

}  // namespace

std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger) {
  return monitorSet<Family, Linearizable, Regular, MonotonicReads, WriteQuorumHasIt, ReadQuorumHeard,
                    ReplicaForward>(std::move(ledger));
}

}  // namespace zablab::quorum_register
