#include "checker/zookeeper/run_monitors.h"

#include <algorithm>
#include <array>
#include <string>

#include "checker/zab/recovery_monitor.h"
#include "sim/zookeeper/words.h"

namespace zablab::zookeeper {
namespace {

using RunInvariant = zablab::Invariant<Records>;
using Seen = Happened<Family>;

Phrase words(const std::vector<NodeEvent>& events) {
  return listOf(
      events, [](const NodeEvent& event) { return words(event); }, phrase("nothing"));
}

void watchesTrue(Records& records, const Seen& seen, Judge judge) {
  const Records::Facts& facts = records.facts();
  if (seen.node < 0 || !records.own(seen.node).running) return;
  const auto here = [&] { return records.serverAt(seen.node); };
  if (facts.told) judge(true, [] { return Phrase{}; });
  if (facts.undue) {
    judge(false, [&] {
      return phrase("{server} tells {client} of {event}, which is not the next change that it watches",
                    here(), Phrase::client(facts.undue->first), words(facts.undue->second));
    });
  }
  if (facts.overdue) {
    judge(false, [&] {
      return phrase("{server} has applied what {client} watches, {event}, and does not tell it", here(),
                    Phrase::client(facts.overdue->first), words(facts.overdue->second));
    });
  }
  if (facts.missed) {
    judge(*facts.missed == facts.told_missed, [&] {
      return phrase(
          "{client} registers its watches again, and {server} tells it {told}; it has missed {missed}",
          Phrase::client(seen.to), here(), words(facts.told_missed), words(*facts.missed));
    });
  }
  if (facts.about_watches) {
    const Error error = get_if<Reply>(seen.content)->result.error;
    judge(error == *facts.about_watches, [&] {
      return phrase("{server} answers {client} about a watch with {error}; it should be {expected}", here(),
                    Phrase::client(seen.to), enumName(error), enumName(*facts.about_watches));
    });
  }
}

void sessionTimeouts(Records& records, const Seen& seen, Judge judge) {
  if (records.facts().negotiated) {
    const auto* connected = get_if<ConnectResponse>(seen.content);
    judge(connected->timeout == *records.facts().negotiated, [&] {
      return phrase(
          "{server} gives {client} a timeout of {timeout} ms; {bound} ms follow from its request",
          records.serverAt(seen.node), Phrase::client(seen.to), connected->timeout,
          *records.facts().negotiated);
    });
    return;
  }
  // The server whose client begins the session applies what its leader has made of it.
  const auto* applied = eventIn<zab::BasicApplied<ZooKeeper>>(seen);
  if (applied == nullptr || applied->txn.payload.kind != TxnKind::create_session) return;
  const Payload& payload = applied->txn.payload;
  for (const auto& one : records.own(seen.node).clients) {
    const Attendance& client = one.second;
    if (!client.begins || client.open || client.session != payload.number) continue;
    judge(payload.timeout == client.timeout, [&] {
      return phrase("session {session} has a timeout of {timeout} ms; {client} was to get {bound} ms",
                    payload.session, payload.timeout, Phrase::client(one.first), client.timeout);
    });
  }
}

void sessionExpiry(Records& records, const Seen& seen, Judge judge) {
  const auto& silent = records.facts().silent;
  const auto& overlong = records.facts().overlong;
  if (silent && records.cluster().rules.session_memory == SessionMemory::log) {
    const auto* expired = eventIn<SessionExpired>(seen);
    judge(records.hasPassed(silent->at, silent->timeout), [&] {
      return phrase("{server} ends session {session}, which has been silent for {ms} of {timeout} ms",
                    records.serverAt(seen.node), expired->session, records.now() - silent->at,
                    silent->timeout);
    });
  }
  if (const auto& write = records.facts().write_of_session) {
    judge(write->second, [&] {
      return write->first ? phrase("{server} refuses a write because of its session, which is open",
                                   records.serverAt(seen.node))
                          : phrase("{server} carries out a write of a session that is over",
                                   records.serverAt(seen.node));
    });
  }
  if (const auto& again = records.facts().begun_again) {
    judge(false, [&] {
      return phrase("{server} begins session {session}, which is open", records.serverAt(seen.node), *again);
    });
  }
  if (const auto& again = records.facts().ended_again) {
    judge(false, [&] {
      return phrase("{server} ends session {session}, which is over", records.serverAt(seen.node), *again);
    });
  }
  if (overlong) {
    judge(false, [&] {
      return phrase(
          "{server} has not ended session {session}, silent for {ms} ms; its timeout is {timeout} ms",
          records.serverAt(seen.node), overlong->first, records.now() - overlong->second.at,
          overlong->second.timeout);
    });
  }
}

void requestsAnswered(Records& records, const Seen& seen, Judge judge) {
  const Records::Facts& facts = records.facts();
  if (seen.node < 0 || records.isClient(seen.node) || !records.own(seen.node).running) return;
  if (facts.too_large) {
    judge(*facts.too_large, [&] {
      return phrase("{server} refuses a request that is not too large", records.serverAt(seen.node));
    });
  }
  if (facts.left_out) {
    judge(false, [&] {
      return phrase("{server} does not ask its leader what {client} has asked it before",
                    Phrase::server(records.sender()), Phrase::client(*facts.left_out));
    });
  }
  const bool had_to = seen.kind == Kind::step_over &&
                      (records.input<ClientRequest>() != nullptr || records.input<Revalidate>() != nullptr ||
                       records.input<ConnectRequest>() != nullptr);
  if (!had_to && facts.owed.empty()) return;
  judge(facts.owed.empty(), [&] {
    return phrase("{server} was to {duty}, and has not", records.serverAt(seen.node), facts.owed);
  });
}

void unusedDeleted(Records& records, const Seen& seen, Judge judge) {
  if (const auto& deleted = records.facts().deleted) {
    judge(deleted->second, [&] {
      return phrase("{server} deletes {path}, which is in use", records.serverAt(seen.node), deleted->first);
    });
  }
  if (const auto& kept = records.facts().kept) {
    judge(false, [&] {
      return phrase("{server} has not deleted {path}, which is not used any more",
                    records.serverAt(seen.node), *kept);
    });
  }
}

void sessionTouches(Records& records, const Seen& seen, Judge judge) {
  const auto& to_report = records.facts().to_report;
  if (!to_report) return;
  const auto* touched = get_if<Touched>(seen.content);
  judge(touched != nullptr && touched->sessions == *to_report, [&] {
    return phrase(
        "{server} reports {count} sessions with its answer to a ping, and has heard of {heard} since the "
        "last",
        Phrase::server(records.sender()), touched == nullptr ? 0 : touched->sessions.size(),
        to_report->size());
  });
}

void quotasHold(Records& records, const Seen& seen, Judge judge) {
  const auto& write = records.facts().under_quota;
  if (!write) return;
  const std::string zxid = zab::words(eventIn<zab::BasicApplied<ZooKeeper>>(seen)->txn.zxid);
  judge(write->refused ? write->may_be_refused : write->may_be_done, [&] {
    return write->refused ? phrase("{zxid} is refused because of a quota that it does not exceed", zxid)
                          : phrase("{zxid} is carried out and exceeds its quota", zxid);
  });
}

void clientsTrue(Records& records, const Seen& seen, Judge judge) {
  if (seen.node < 0 || !records.isClient(seen.node) || !records.own(seen.node).running) return;
  const NodeRecord& memory = records.own(seen.node);
  const auto self = [&] { return Phrase::client(records.id(seen.node)); };
  if (!records.facts().untrue_use.empty()) judge(false, [&] { return records.facts().untrue_use; });
  if (seen.kind == Kind::sent && seen.how != SentHow::copy) {
    const auto* request = get_if<ClientRequest>(seen.content);
    if (request == nullptr) return;
    const auto asked = memory.asked.find(request->number);
    const bool known = asked != memory.asked.end();
    if (!known && request->number <= 0) return;  // its own: a ping, credentials, watches
    judge(known && asked->second == request->op, [&] {
      return phrase("{client} asks {request} as number {number}, which it was not told to", self(),
                    words(request->op), request->number);
    });
  } else if (const auto* answered = eventIn<Answered>(seen)) {
    const bool by_itself = answered->zxid == Zxid{} && (answered->result.error == Error::CONNECTIONLOSS ||
                                                        answered->result.error == Error::SESSIONEXPIRED ||
                                                        answered->result.error == Error::AUTHFAILED);
    const auto* reply = records.input<Reply>();
    if (by_itself && (reply == nullptr || reply->number != answered->number)) return;
    judge(reply != nullptr && reply->number == answered->number && reply->zxid == answered->zxid &&
              reply->result == answered->result,
          [&] {
            return phrase(
                "{client} reports {result} as the answer to request {number}, and its server says something "
                "else",
                self(), words(answered->result), answered->number);
          });
  } else if (const auto* watched = eventIn<Watched>(seen)) {
    const auto* told = records.input<WatchEvent>();
    judge(told != nullptr && told->event == watched->event, [&] {
      return phrase("{client} reports {event}, of which no server has told it", self(),
                    words(watched->event));
    });
  }
}

void noCircularWait(Records& records, const Seen& seen, Judge judge) {
  const auto* answered = eventIn<Answered>(seen);
  if (answered == nullptr || records.waitsFor(seen.node) < 0) return;
  std::vector<int> circle{seen.node};
  for (int next = records.waitsFor(seen.node); next >= 0 && next != seen.node;
       next = records.waitsFor(next)) {
    // Who has run into a circle that does not contain this client was judged when that was closed.
    if (std::find(circle.begin(), circle.end(), next) != circle.end()) return;
    circle.push_back(next);
  }
  judge(records.waitsFor(circle.back()) != seen.node, [&] {
    return phrase(
        "{clients} wait for each other in a circle",
        listOf(
            circle, [&](int client) { return Phrase::client(records.id(client)); }, phrase("nobody")));
  });
}

void noLivelock(Records& records, const Seen& seen, Judge judge) {
  // No recipe asks more often for the same without a reason: a notification, an instruction, another state.
  constexpr int often = 10;
  const auto* answered = eventIn<Answered>(seen);
  if (answered == nullptr || records.facts().repeated == 0) return;
  judge(records.facts().repeated < often, [&] {
    return phrase(
        "{client} has asked {request} {count} times and got the same answer, and nothing has changed",
        Phrase::client(records.id(seen.node)), words(answered->op), often);
  });
}

constexpr std::array all{
    RunInvariant{
        {"watches-true",
         "a server tells its clients of each change that they watch when it applies it, once and in order, "
         "and of nothing else"},
        watchesTrue,
        kindBits(Kind::sent, Kind::event, Kind::step_over)},
    RunInvariant{
        {"session-timeouts", "a session's timeout is what its client asks for, within 2 to 20 ticks"},
        sessionTimeouts,
        kindBits(Kind::sent, Kind::event)},
    RunInvariant{{"session-expiry",
                  "a session ends when a leader has heard nothing of it for its timeout, and at most a tick "
                  "later; its "
                  "writes are refused then, and not before"},
                 sessionExpiry,
                 kindBits(Kind::sent, Kind::event, Kind::step_over, Kind::written)},
    RunInvariant{
        {"requests-answered",
         "a server answers each request as soon as it can, a leader each learner, and nobody refuses "
         "more than what is too large"},
        requestsAnswered,
        kindBits(Kind::event, Kind::delivered, Kind::step_over)},
    RunInvariant{{"unused-deleted",
                  "a leader deletes a container that has lost its last child, and a node whose time to live "
                  "is over, when it looks next, and no other"},
                 unusedDeleted,
                 kindBits(Kind::written, Kind::step_over)},
    RunInvariant{{"session-touches",
                  "with each answer to a ping a learner tells its leader of which sessions it has heard"},
                 sessionTouches,
                 kindBits(Kind::delivered)},
    RunInvariant{
        {"quotas-hold", "a write is refused because of a quota if it exceeds its hard limit, and only then"},
        quotasHold,
        kindBits(Kind::event)},
    RunInvariant{{"clients-true", "a client asks what it is told to, and reports what its server answers"},
                 clientsTrue,
                 kindBits(Kind::sent, Kind::event, Kind::refused, Kind::dialled, Kind::step_over)},
    RunInvariant{{"no-circular-wait", "no contenders of a recipe wait for each other's nodes in a circle"},
                 noCircularWait,
                 kindBits(Kind::event)},
    RunInvariant{
        {"no-livelock", "no recipe's client asks for the same again and again while nothing changes"},
        noLivelock,
        kindBits(Kind::event)},
};

}  // namespace

std::span<const RunInvariant> runInvariants() { return all; }

}  // namespace zablab::zookeeper
