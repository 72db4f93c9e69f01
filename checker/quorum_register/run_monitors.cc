#include "checker/quorum_register/run_monitors.h"

#include <algorithm>
#include <array>

namespace zablab::quorum_register {
namespace {

using RunInvariant = zablab::Invariant<Records>;

template <class M>
const M* sentIn(const Happened<Family>& seen) {
  return seen.kind == Kind::sent && seen.how != SentHow::copy ? get_if<M>(seen.content) : nullptr;
}
bool isRunning(Records& records, int node, bool replica) {
  return records.own(node).running && records.isReplica(node) == replica;
}
bool isOneOf(const std::vector<ServerId>& list, ServerId id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}
Version versionIn(const std::map<ServerId, Stored>& hints, ServerId home) {
  const auto at = hints.find(home);
  return at == hints.end() ? Version{} : at->second.version;
}

// ---- replicas

/// It is to be kept for the receiver itself.
bool isOwn(Records& records, int node, const Write& write) {
  return write.home == no_server || write.home == records.id(node);
}

void judgeKept(Records& records, const Happened<Family>& seen, Judge judge) {
  NodeRecord& memory = records.own(seen.node);
  const auto* write = records.input<Write>();
  const auto* ack = records.input<WriteAck>();
  const auto wrong = [&] {
    return phrase("{server} keeps, or drops, what nobody has told it to", records.serverAt(seen.node));
  };
  if (const auto* keep = recordIn<Keep>(seen)) {
    judge(write != nullptr && isOwn(records, seen.node, *write) && keep->stored == write->stored &&
              keep->stored.version > records.storedBefore().version,
          wrong);
  } else if (const auto* hint = recordIn<KeepHint>(seen)) {
    const auto& before = records.hintBefore();
    judge(write != nullptr && hint->home == write->home && hint->stored == write->stored &&
              (!before || hint->stored.version > before->version),
          wrong);
  } else if (const auto* drop = recordIn<DropHint>(seen)) {
    const auto& before = records.hintBefore();
    judge(ack != nullptr && drop->home == records.sender() && before && before->version == ack->version,
          wrong);
  } else if (seen.kind == Kind::step_over && write != nullptr) {
    const bool own = isOwn(records, seen.node, *write);
    const Version kept = own ? memory.stored.version : versionIn(memory.hints, write->home);
    judge(kept >= write->stored.version && records.hasReplied(), [&] {
      return phrase("{server} does not keep a newer version, or does not answer",
                    records.serverAt(seen.node));
    });
  } else if (seen.kind == Kind::step_over && ack != nullptr && records.hintBefore()) {
    const bool has_it = records.hintBefore()->version == ack->version;
    judge(!has_it || !memory.hints.contains(records.sender()), [&] {
      return phrase("{server} keeps for {home} what it has handed over", records.serverAt(seen.node),
                    Phrase::server(records.sender()));
    });
  } else if (seen.kind == Kind::step_over && records.input<Read>() != nullptr) {
    judge(records.hasReplied(),
          [&] { return phrase("{server} does not answer a read", records.serverAt(seen.node)); });
  }
}

bool isTrueWeighed(Records& records, int node, const Weighed& weighed) {
  const auto* write = records.input<Write>();
  const Version& had = records.storedBefore().version;
  if (write == nullptr || !isOwn(records, node, *write)) return false;
  if (weighed.told != write->stored.version || weighed.had != had) return false;
  switch (weighed.reason) {
    case KeptReason::newer: return weighed.told > had;
    case KeptReason::there_already: return weighed.told == had;
    case KeptReason::older:
    case KeptReason::arrived_last: return weighed.told < had;
  }
  return false;
}

bool isTrueHinted(Records& records, int node, const Hinted& hinted) {
  const auto* write = records.input<Write>();
  if (!hinted.handed_over)
    return write != nullptr && hinted.home == write->home && hinted.version == write->stored.version;
  const auto& before = records.hintBefore();
  return before && hinted.home == records.sender() && hinted.version == before->version &&
         !records.own(node).hints.contains(hinted.home);
}

void replicaAnswers(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isRunning(records, seen.node, true)) return;
  const NodeRecord& memory = records.own(seen.node);
  const auto untrue = [&] { return phrase("{server} answers what is not so", records.serverAt(seen.node)); };
  if (seen.kind == Kind::started) {
    judge(records.findsItsDisk(), [&] {
      return phrase("{server} does not find on its disk what it has synced", records.serverAt(seen.node));
    });
  } else if (const auto* reply = sentIn<ReadReply>(seen)) {
    const auto* read = records.input<Read>();
    judge(read != nullptr && seen.to == records.sender() && reply->request == read->request &&
              reply->stored == memory.stored,
          untrue);
  } else if (const auto* ack = sentIn<WriteAck>(seen)) {
    const auto* write = records.input<Write>();
    if (write == nullptr) return judge(false, untrue);
    const bool own = isOwn(records, seen.node, *write);
    const Version there = own ? memory.disk.stored.version : versionIn(memory.disk.hints, write->home);
    judge(seen.to == records.sender() && ack->request == write->request && ack->home == write->home &&
              ack->version == write->stored.version && there >= ack->version,
          untrue);
  } else if (const auto* weighed = eventIn<Weighed>(seen)) {
    judge(isTrueWeighed(records, seen.node, *weighed), untrue);
  } else if (const auto* hinted = eventIn<Hinted>(seen)) {
    judge(isTrueHinted(records, seen.node, *hinted), untrue);
  } else {
    judgeKept(records, seen, judge);
  }
}

Phrase waitsForNothing(Records& records, int node) {
  return phrase("{node}'s timer fires, although what it waited for is over", records.who(node));
}

// ---- clients

std::vector<ServerId> homesIn(const NodeRecord& memory, Stage stage) {
  std::vector<ServerId> homes;
  if (stage == Stage::storing) {
    homes.assign(memory.acked.begin(), memory.acked.end());
  } else {
    for (const auto& entry : memory.heard) homes.push_back(entry.first);
  }
  return homes;
}

/// Whether enough replicas have the version for the request to be over.
bool isEnough(Records& records, int node, Stage stage) {
  const NodeRecord& memory = records.own(node);
  const Config& config = records.config(node);
  if (stage == Stage::storing) return std::ssize(memory.acked) >= config.write_quorum;
  if (memory.request.operation == Operation::write || std::ssize(memory.heard) < config.read_quorum)
    return false;
  if (records.cluster().rules.read_repair != ReadRepair::write_back) return true;
  const auto have = std::count_if(memory.heard.begin(), memory.heard.end(),
                                  [&](const auto& entry) { return entry.second == memory.newest.version; });
  return have >= config.write_quorum;
}

bool isTrueVersion(Records& records, int node, const VersionChosen& chosen) {
  const NodeRecord& memory = records.own(node);
  const Request& request = memory.request;
  const Version& version = chosen.stored.version;
  if (chosen.request != request.number || chosen.stored.value != request.value) return false;
  if (version.writer != records.id(node) || version.request != request.number) return false;
  const bool compares = request.operation == Operation::compare_and_set;
  if (compares && memory.newest.value != request.expected) return false;
  switch (chosen.source) {
    case VersionSource::quorum:
      return version.counter == memory.newest.version.counter + 1 &&
             std::ssize(memory.heard) >= records.config(node).read_quorum;
    case VersionSource::own_counter: return version.counter == memory.counter;
    case VersionSource::clock: return version.counter == request.clock;
  }
  return false;
}

bool isTrueResult(Records& records, int node, const Answered& answered) {
  const NodeRecord& memory = records.own(node);
  const Stage stage = records.stageBefore();
  const Config& config = records.config(node);
  const bool compares = memory.request.operation == Operation::compare_and_set;
  switch (answered.outcome) {
    case Outcome::ok: {
      const Stored& result = stage == Stage::storing ? memory.chosen : memory.newest;
      const std::int64_t value = compares ? (memory.own ? 1 : 0) : result.value;
      return isEnough(records, node, stage) && answered.version == result.version &&
             answered.value == value && answered.of == homesIn(memory, stage);
    }
    case Outcome::failed: return !memory.own && records.hasPassed(memory.began.at, config.request_limit_ms);
    case Outcome::unknown: return memory.own && records.hasPassed(memory.began.at, config.request_limit_ms);
    case Outcome::busy: return false;
  }
  return false;
}

void clientAnswers(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isRunning(records, seen.node, false)) return;
  const NodeRecord& memory = records.own(seen.node);
  const Config& config = records.config(seen.node);
  if (seen.kind == Kind::timer) {
    if (!records.isTimer(TimerKind::give_up)) return;
    return judge(memory.stage == Stage::asking || memory.stage == Stage::storing,
                 [&] { return waitsForNothing(records, seen.node); });
  }
  const auto wrong = [&] {
    return phrase("{client} does not take what follows from the answers that it has", records.who(seen.node));
  };
  if (const auto* read = eventIn<QuorumRead>(seen)) {
    judge(read->request == memory.request.number && read->from == homesIn(memory, Stage::asking) &&
              std::ssize(read->from) == config.read_quorum && read->newest == memory.newest,
          wrong);
  } else if (const auto* chosen = eventIn<VersionChosen>(seen)) {
    judge(isTrueVersion(records, seen.node, *chosen), wrong);
  } else if (const auto* answered = eventIn<Answered>(seen)) {
    const bool waits = records.stageBefore() == Stage::asking || records.stageBefore() == Stage::storing;
    const bool busy = answered->outcome == Outcome::busy;
    if (busy || !waits) return judge(busy && waits, wrong);
    judge(answered->request == memory.request.number && isTrueResult(records, seen.node, *answered), wrong);
  } else if (const auto* write = sentIn<Write>(seen); write != nullptr && write->home == no_server) {
    const Stored& stored = memory.stage == Stage::storing ? memory.chosen : memory.newest;
    const auto heard = memory.heard.find(seen.to);
    const bool has_it = memory.stage == Stage::storing
                            ? memory.acked.contains(seen.to)
                            : heard != memory.heard.end() && heard->second >= stored.version;
    judge(write->request == memory.request.number && write->stored == stored && !has_it &&
              (!records.toldBefore() || *records.toldBefore() < stored.version) &&
              isOneOf(config.homes, seen.to),
          wrong);
  } else if (seen.kind == Kind::step_over) {
    const bool asks = memory.stage == Stage::asking;
    if (!asks && memory.stage != Stage::storing) return;
    const bool over =
        asks ? std::ssize(memory.heard) >= config.read_quorum : isEnough(records, seen.node, Stage::storing);
    judge(!over && !records.isLate(seen.node, memory.began, config.request_limit_ms), [&] {
      return phrase("{client} waits for more answers than it needs, or for too long", records.who(seen.node));
    });
    if (!records.begins()) return;
    judge(!asks || std::all_of(config.homes.begin(), config.homes.end(),
                               [&](ServerId home) { return records.sentTo().contains(home); }),
          [&] { return phrase("{client} does not ask all homes", records.who(seen.node)); });
  }
}

void homesBroughtUp(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isRunning(records, seen.node, false)) return;
  NodeRecord& memory = records.own(seen.node);
  const bool stores = memory.stage == Stage::storing;
  const bool repairs =
      memory.stage == Stage::answered && records.cluster().rules.read_repair != ReadRepair::none;
  if (!stores && !repairs) return;
  const Version& newest = stores ? memory.chosen.version : memory.newest.version;
  for (const ServerId home : records.config(seen.node).homes) {
    const auto heard = memory.heard.find(home);
    const bool lacks =
        stores ? !memory.acked.contains(home) : heard != memory.heard.end() && heard->second < newest;
    if (!lacks) continue;
    const auto told = memory.told.find(home);
    judge(told != memory.told.end() && told->second >= newest, [&] {
      return phrase("{client} does not send {home} a version that it lacks", records.who(seen.node),
                    Phrase::server(home));
    });
  }
}

// ---- copies for homes that do not answer

void judgeStandIns(Records& records, const Happened<Family>& seen, Judge judge) {
  const NodeRecord& memory = records.own(seen.node);
  const Config& config = records.config(seen.node);
  if (seen.kind == Kind::timer) {
    if (!records.isTimer(TimerKind::stand_in)) return;
    judge(memory.stage == Stage::storing, [&] { return waitsForNothing(records, seen.node); });
  } else if (const auto* write = sentIn<Write>(seen); write != nullptr && write->home != no_server) {
    judge(memory.stage == Stage::storing && write->request == memory.request.number &&
              write->stored == memory.chosen && !memory.acked.contains(write->home) &&
              isOneOf(config.homes, write->home) && isOneOf(config.stand_ins, seen.to) &&
              !records.repeatsStandIn() && records.hasPassed(memory.stores_since.at, config.stand_in_ms),
          [&] {
            return phrase("{client} turns to {server} for {home}, and has no cause to",
                          records.who(seen.node), Phrase::server(seen.to), Phrase::server(write->home));
          });
  } else if (seen.kind == Kind::step_over && memory.stage == Stage::storing) {
    const bool uses = config.hints || records.cluster().rules.write_targets == WriteTargets::sloppy;
    if (!uses || config.stand_ins.empty()) return;
    const auto lacking = std::count_if(config.homes.begin(), config.homes.end(),
                                       [&](ServerId home) { return !memory.acked.contains(home); });
    const bool turns = !records.isTimer(TimerKind::stand_in) ||
                       std::ssize(records.sentTo()) == std::min(lacking, std::ssize(config.stand_ins));
    judge(turns && (memory.stood_in || !records.isLate(seen.node, memory.stores_since, config.stand_in_ms)),
          [&] { return phrase("{client} does not turn to a stand-in", records.who(seen.node)); });
  }
}

void handsOver(Records& records, const Happened<Family>& seen, Judge judge) {
  if (isRunning(records, seen.node, false)) return judgeStandIns(records, seen, judge);
  if (!isRunning(records, seen.node, true)) return;
  const NodeRecord& memory = records.own(seen.node);
  const Millis every = records.config(seen.node).hand_off_ms;
  if (seen.kind == Kind::timer) {
    if (!records.isHandOff()) return;
    judge(!memory.hints.empty(), [&] { return waitsForNothing(records, seen.node); });
  } else if (const auto* write = sentIn<Write>(seen)) {
    const auto hint = memory.hints.find(seen.to);
    judge(records.isHandOff() && write->request == no_request && write->home == no_server &&
              hint != memory.hints.end() && hint->second == write->stored &&
              records.hasPassed(records.handsOverSince().at, every),
          [&] {
            return phrase("{server} hands over to {home} what it does not keep for it, or too early",
                          records.serverAt(seen.node), Phrase::server(seen.to));
          });
  } else if (seen.kind == Kind::step_over && !memory.hints.empty()) {
    for (const auto& entry : memory.hints) {
      const ServerId home = entry.first;
      const bool sends = !records.isHandOff() || records.sentTo().contains(home);
      judge(sends && !records.isLate(seen.node, memory.hands_over, every), [&] {
        return phrase("{server} does not hand over what it keeps for {home}", records.serverAt(seen.node),
                      Phrase::server(home));
      });
    }
  }
}

constexpr std::array run_invariants{
    RunInvariant{
        {"replica-answers",
         "a replica keeps a newer version that it is sent, for itself or another home, and nothing else; it "
         "answers what it has, and acknowledges what is on its disk"},
        &replicaAnswers,
        kindBits(Kind::started, Kind::sent, Kind::written, Kind::event, Kind::step_over)},
    RunInvariant{{"client-answers",
                  "a client asks all homes, takes the newest of R answers, gives a value the next version, "
                  "and is done "
                  "as soon as R or W homes have answered, and at its limit"},
                 &clientAnswers,
                 kindBits(Kind::timer, Kind::event, Kind::sent, Kind::step_over)},
    RunInvariant{{"homes-brought-up",
                  "a home that is not known to have what a client stores is sent it; so is one that answers "
                  "a read with an older version, in that step"},
                 &homesBroughtUp,
                 kindBits(Kind::step_over)},
    RunInvariant{{"hands-over",
                  "a client turns to stand-ins for homes that have not acknowledged in time, and not before; "
                  "they hand "
                  "over what they keep at their interval, until the home has it"},
                 &handsOver,
                 kindBits(Kind::timer, Kind::sent, Kind::step_over)},
};

}  // namespace

std::span<const zablab::Invariant<Records>> runInvariants() { return run_invariants; }

}  // namespace zablab::quorum_register
