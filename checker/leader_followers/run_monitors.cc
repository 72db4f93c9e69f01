// What a run judges of requests: servers answer what they were asked, and clients do not wait for nothing.
#include <array>

#include "checker/leader_followers/records.h"

namespace zablab::leader_followers {
namespace {

/// Whether a server may answer a read with what it has applied: it leads, and a quorum has said so since.
bool isConfirmed(Records& records, int node) {
  if (records.own(node).role != Role::LEADING) return false;
  return 2 * records.confirmedBy().size() > records.config(node).members.size();
}

/// It hands on what the leader has replied.
bool isHandedOn(Records& records, const Reply& reply, ServerId client) {
  const auto* told = records.input<ForwardedReply>();
  return told != nullptr && told->client == client && told->number == reply.number &&
         told->outcome == reply.outcome && told->index == reply.index && told->value == reply.value;
}

void judgeReply(Records& records, const Happened<Family>& seen, Judge judge) {
  const auto* reply = get_if<Reply>(seen.content);
  const auto* forwarded = get_if<ForwardedReply>(seen.content);
  if (reply == nullptr && forwarded == nullptr) return;
  const Open* answered = records.answered();
  judge(answered != nullptr, [&] {
    return phrase("{server} replies to {node}, which waits for no reply from it", records.serverAt(seen.node),
                  Phrase::node(seen.to));
  });
  if (answered == nullptr || records.operation() != Operation::read) return;
  if ((reply != nullptr ? reply->outcome : forwarded->outcome) != Outcome::ok) return;
  const bool handed_on = reply != nullptr && isHandedOn(records, *reply, seen.to);
  judge(handed_on || isConfirmed(records, seen.node), [&] {
    return phrase(
        "{server} answers a read of {client}, and no quorum has confirmed since it came that it leads",
        records.serverAt(seen.node), Phrase::client(answered->client));
  });
}

void requestsEnd(Records& records, const Happened<Family>& seen, Judge judge) {
  const NodeRecord& memory = records.own(seen.node);
  if (!memory.running) return;
  if (!records.isClient(seen.node)) {
    if (seen.kind == Kind::sent) judgeReply(records, seen, judge);
    return;
  }
  const Millis limit = records.config(seen.node).answer_limit_ms;
  if (seen.kind == Kind::timer) {
    const bool ends = seen.timer.kind == TimerKind::answer_limit;
    judge(memory.waits && (!ends || records.hasPassed(memory.began.at, limit)), [&] {
      return phrase("{client}'s timer fires, and no request of it has waited so long",
                    records.who(seen.node));
    });
  } else if (seen.kind == Kind::step_over && memory.waits) {
    judge(!memory.connection_over && !records.isLate(seen.node, memory.began, limit), [&] {
      return phrase("{client} waits for an answer, although its connection is closed or its limit is over",
                    records.who(seen.node));
    });
  }
}

constexpr std::array run_invariants{
    zablab::Invariant<Records>{
        {"requests-end",
         "a server replies once to what it was asked on this connection, and to a read when a quorum has "
         "since "
         "confirmed that it leads; a client's request ends with its connection, and at its limit"},
        &requestsEnd,
        kindBits(Kind::sent, Kind::timer, Kind::step_over)},
};

}  // namespace

std::span<const zablab::Invariant<Records>> runInvariants() { return run_invariants; }

}  // namespace zablab::leader_followers
