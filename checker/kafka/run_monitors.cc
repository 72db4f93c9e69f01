#include "checker/kafka/run_monitors.h"

#include <algorithm>
#include <array>

#include "checker/kafka/controller_monitors.h"
#include "checker/kafka/store_text.h"

namespace zablab::kafka {
namespace {

using RunInvariant = zablab::Invariant<Records>;
using Seen = Happened<Family>;
using zookeeper::Error, zookeeper::OpCode;

/// What no timer of a broker takes longer for than it is set to.
constexpr Millis slack_ms = 100;

template <class M>
const M* sentIn(const Seen& seen) {
  const bool by_itself =
      seen.kind == Kind::sent && (seen.how == SentHow::fresh || seen.how == SentHow::waiting);
  return by_itself ? get_if<M>(seen.content) : nullptr;
}
bool isRunning(Records& records, const Seen& seen) {
  return seen.node >= 0 && records.isBroker(seen.node) && records.own(seen.node).running;
}
/// The node's timer of this kind, which fires now.
bool isTimer(const Seen& seen, TimerKind kind) { return seen.kind == Kind::timer && seen.timer.kind == kind; }
void judgeTimer(Records& records, const Seen& seen, bool has_cause, Judge judge) {
  judge(has_cause, [&] {
    return phrase("a timer of {server} fires, and it has not waited so long for anything",
                  records.serverAt(seen.node));
  });
}
std::int64_t epochOf(const NodeRecord& memory) { return memory.applied->partition.leader_epoch; }

// ---- what brokers answer

bool hasTooFew(Records& records, int node) {
  return std::ssize(records.own(node).applied->partition.isr) < records.config(node).min_isr;
}

/// Whether the record is done as far as the answer says.
bool isTrueReply(Records& records, const Seen& seen, const ProduceResponse& reply) {
  const auto* produce = records.input<Produce>();
  const bool asked = produce != nullptr && produce->number == reply.number && records.sender() == seen.to;
  if (records.ended()) {
    if (reply.acks != Acks::all) return false;
    const bool committed = records.ended()->offset < records.own(seen.node).high_watermark;
    switch (reply.outcome) {
      case Outcome::ok:
      case Outcome::not_enough_replicas: return committed && records.leads(seen.node);
      case Outcome::not_leader: return true;  // which the end of the step shows
      default: return false;
    }
  }
  if (!asked || reply.acks != produce->acks) return false;
  switch (reply.outcome) {
    case Outcome::ok:
      return reply.acks == Acks::leader && records.leads(seen.node) && records.appended().size() == 1;
    case Outcome::not_enough_replicas: return reply.acks == Acks::all && records.leads(seen.node);
    case Outcome::not_leader: return !records.leads(seen.node);
    default: return false;
  }
}

/// What has to have come of a producer's request.
void judgeProduce(Records& records, const Seen& seen, const Produce& produce, Judge judge) {
  const NodeRecord& memory = records.own(seen.node);
  const bool leads = records.leads(seen.node);
  const bool appends = leads && (produce.acks != Acks::all || !hasTooFew(records, seen.node) ||
                                 records.cluster().rules.min_isr == MinIsr::ignored);
  const Log expected = appends ? Log{Entry{produce.number, epochOf(memory)}} : Log{};
  judge(records.appended() == expected && !records.truncatedTo(), [&] {
    return phrase("{server} appends {count} records when it is asked to append record {number}",
                  records.serverAt(seen.node), records.appended().size(), produce.number);
  });
  const bool waits =
      std::any_of(memory.waiting.begin(), memory.waiting.end(), [&](const WaitingProducer& one) {
        return one.client == records.sender() && one.number == produce.number;
      });
  const int answers = produce.acks == Acks::none || waits ? 0 : 1;
  judge(records.answers() == answers, [&] {
    return phrase("{server} answers the request for record {number} {count} times",
                  records.serverAt(seen.node), produce.number, records.answers());
  });
}

void producersAnswered(Records& records, const Seen& seen, Judge judge) {
  if (!isRunning(records, seen)) return;
  if (const auto* reply = sentIn<ProduceResponse>(seen)) {
    judge(isTrueReply(records, seen, *reply), [&] {
      return phrase("{server} answers the request for record {number} with what is not so",
                    records.serverAt(seen.node), reply->number);
    });
    return;
  }
  if (seen.kind != Kind::step_over) return;
  const NodeRecord& memory = records.own(seen.node);
  if (const auto* produce = records.input<Produce>()) judgeProduce(records, seen, *produce, judge);
  if (memory.waiting.empty() && !records.refusesWaiting()) return;
  const bool answered =
      std::all_of(memory.waiting.begin(), memory.waiting.end(), [&](const WaitingProducer& one) {
        return records.leads(seen.node) && one.offset >= memory.high_watermark;
      });
  judge(answered && (!records.refusesWaiting() || records.roleChanged()), [&] {
    return phrase(
        "{server} lets a producer wait for a record that is committed, or that it no longer leads for",
        records.serverAt(seen.node));
  });
}

void enoughInSync(Records& records, const Seen& seen, Judge judge) {
  const auto* reply = sentIn<ProduceResponse>(seen);
  if (reply == nullptr || reply->acks != Acks::all || !records.leads(seen.node)) return;
  if (reply->outcome != Outcome::ok && reply->outcome != Outcome::not_enough_replicas) return;
  judge(hasTooFew(records, seen.node) == (reply->outcome != Outcome::ok), [&] {
    return phrase("{server} answers acks=all with {count} replicas in sync, and needs {all}",
                  records.serverAt(seen.node), records.own(seen.node).applied->partition.isr.size(),
                  records.config(seen.node).min_isr);
  });
}

void acknowledgedByAll(Records& records, const Seen& seen, Judge judge) {
  const auto* reply = sentIn<ProduceResponse>(seen);
  if (reply == nullptr || reply->acks != Acks::all || reply->outcome != Outcome::ok) return;
  if (!records.ended() || !records.leads(seen.node)) return;
  const auto at = static_cast<std::size_t>(records.ended()->offset);
  for (const ServerId replica : records.own(seen.node).applied->partition.isr) {
    const Log& log = records.own(records.cluster().indexOf(replica)).log;
    judge(at < log.size() && log[at].number == reply->number, [&] {
      return phrase("{server} acknowledges record {number}, which {replica}, in sync, does not have",
                    records.serverAt(seen.node), reply->number, Phrase::server(replica));
    });
  }
}

void consumedIsCommitted(Records& records, const Seen& seen, Judge judge) {
  if (!isRunning(records, seen)) return;
  const NodeRecord& memory = records.own(seen.node);
  if (const auto* reply = sentIn<ConsumeResponse>(seen)) {
    ConsumeResponse expected{.number = reply->number, .outcome = Outcome::not_leader, .record = 0};
    if (records.leads(seen.node)) {
      const std::int64_t end = memory.high_watermark;
      expected.outcome = end < memory.epoch_start ? Outcome::not_available : Outcome::ok;
      if (expected.outcome == Outcome::ok && end > 0)
        expected.record = memory.log[static_cast<std::size_t>(end - 1)].number;
    }
    judge(*reply == expected, [&] {
      return phrase("{server} gives a consumer record {number}, and the last one that is committed is {last}",
                    records.serverAt(seen.node), reply->record, expected.record);
    });
  } else if (const auto* consume = records.input<Consume>(); consume && seen.kind == Kind::step_over) {
    judge(records.answers() == 1, [&] {
      return phrase("{server} does not answer consumer's request {number}", records.serverAt(seen.node),
                    consume->number);
    });
  }
}

// ---- what a leader commits, and tells its followers

void committedAsFetched(Records& records, const Seen& seen, Judge judge) {
  if (!isRunning(records, seen)) return;
  const NodeRecord& memory = records.own(seen.node);
  if (const auto* raised = eventIn<HighWatermarkRaised>(seen)) {
    const bool leads = records.leads(seen.node);
    judge(raised->leads == leads && raised->to <= std::ssize(memory.log) &&
              (!leads || raised->to <= records.fetchedByAll(seen.node)),
          [&] {
            return phrase("{server} commits the records before {to}, and not all in sync have fetched them",
                          records.serverAt(seen.node), raised->to);
          });
    return;
  }
  if (seen.kind != Kind::step_over) return;
  const bool changes = memory.high_watermark != records.highWatermarkBefore();
  if (changes || records.checkpoint()) {
    judge(records.checkpoint() == memory.high_watermark, [&] {
      return phrase("{server} does not write the high watermark {to} to its disk, or another one",
                    records.serverAt(seen.node), memory.high_watermark);
    });
  }
  if (records.leads(seen.node)) {
    judge(records.fetchedByAll(seen.node) <= memory.high_watermark, [&] {
      return phrase(
          "{server} commits the records before {to}, and all in sync have fetched those before {end}",
          records.serverAt(seen.node), memory.high_watermark, records.fetchedByAll(seen.node));
    });
  }
}

void judgeFetchResponse(Records& records, const Seen& seen, const FetchResponse& response, Judge judge) {
  const NodeRecord& memory = records.own(seen.node);
  const auto follower = memory.followers.find(seen.to);
  const bool asked = records.leads(seen.node) && follower != memory.followers.end() && records.owedSince() &&
                     follower->second.end == response.asked;
  const std::int64_t end = std::ssize(memory.log);
  const auto untrue = [&] {
    return phrase("{server} answers {follower}'s fetch with what it does not have or was not asked for",
                  records.serverAt(seen.node), Phrase::server(seen.to));
  };
  if (!asked) return judge(false, untrue);
  const std::int64_t from = std::min(response.asked, end);
  judge(response.leader_epoch == epochOf(memory) && response.offset == from &&
            std::equal(response.entries.begin(), response.entries.end(), memory.log.begin() + from,
                       memory.log.end()) &&
            response.high_watermark == memory.high_watermark,
        untrue);
  // Without anything new it waits.
  if (response.asked == end) {
    judge(records.hasPassed(records.owedSince()->at, records.config(seen.node).fetch_wait_ms), [&] {
      return phrase("{server} answers {follower}'s fetch although there is nothing new",
                    records.serverAt(seen.node), Phrase::server(seen.to));
    });
  }
}

/// Where this epoch, or the latest one before it, ends in the log (KIP-101, KIP-279).
EpochEndResponse epochEnd(const Log& log, const EpochEndRequest& request) {
  EpochEndResponse response{.leader_epoch = request.leader_epoch, .asked = request.epoch, .epoch = -1};
  for (const Entry& entry : log) {
    if (entry.leader_epoch > request.epoch) break;
    response.epoch = entry.leader_epoch;
    ++response.end;
  }
  return response;
}

void fetchesAnswered(Records& records, const Seen& seen, Judge judge) {
  if (!isRunning(records, seen)) return;
  const NodeRecord& memory = records.own(seen.node);
  if (const auto* response = sentIn<FetchResponse>(seen))
    return judgeFetchResponse(records, seen, *response, judge);
  const auto* request = records.input<EpochEndRequest>();
  if (const auto* response = sentIn<EpochEndResponse>(seen)) {
    judge(request != nullptr && seen.to == records.sender() && records.leads(seen.node) &&
              request->leader_epoch == epochOf(memory) && *response == epochEnd(memory.log, *request),
          [&] {
            return phrase("{server} tells {follower} an end of leader epoch {epoch} that is not so",
                          records.serverAt(seen.node), Phrase::server(seen.to), response->asked);
          });
    return;
  }
  if (isTimer(seen, TimerKind::fetch_wait)) {
    const auto waits = memory.followers.find(seen.timer.key.peer.value_or(no_server));
    const bool has_cause =
        waits != memory.followers.end() && waits->second.owed_at &&
        records.hasPassed(waits->second.owed_at->at, records.config(seen.node).fetch_wait_ms);
    return judgeTimer(records, seen, has_cause, judge);
  }
  if (seen.kind != Kind::step_over || !records.leads(seen.node)) return;
  if (request != nullptr && request->leader_epoch == epochOf(memory)) {
    judge(records.answers() == 1, [&] {
      return phrase("{server} does not tell {follower} where leader epoch {epoch} ends",
                    records.serverAt(seen.node), Phrase::server(records.sender()), request->epoch);
    });
  }
  const Millis wait = records.config(seen.node).fetch_wait_ms + slack_ms;
  for (const auto& one : memory.followers) {
    const auto& follower = one.second;
    if (!follower.owed_at) continue;
    const bool waits =
        follower.end == std::ssize(memory.log) && !records.isLate(seen.node, *follower.owed_at, wait);
    judge(waits, [&] {
      return phrase("{server} does not answer {follower}'s fetch", records.serverAt(seen.node),
                    Phrase::server(one.first));
    });
  }
}

// ---- what followers copy

/// The leader that it follows, if that leads in the same epoch; null: it is over, or unknown.
const NodeRecord* leaderOf(Records& records, int node) {
  const Partition& partition = records.own(node).applied->partition;
  const int leader = records.cluster().indexOf(partition.leader);
  if (leader < 0 || !records.leads(leader)) return nullptr;
  const NodeRecord& memory = records.own(leader);
  return epochOf(memory) == partition.leader_epoch ? &memory : nullptr;
}

std::int64_t commonPart(const Log& one, const Log& other) {
  return std::mismatch(one.begin(), one.end(), other.begin(), other.end()).first - one.begin();
}

/// A log changes by what the leader has sent.
void judgeFetched(Records& records, const Seen& seen, const FetchResponse& response, Judge judge) {
  const NodeRecord& memory = records.own(seen.node);
  const bool follows = records.follows(seen.node) && records.sender() == memory.applied->partition.leader &&
                       response.leader_epoch == epochOf(memory) && records.fetchesBefore() &&
                       response.asked == records.endBefore();
  const auto wrong = [&] {
    return phrase("{server} does not take what its leader has sent, or takes what is not for it",
                  records.serverAt(seen.node));
  };
  if (!follows) {
    judge(records.appended().empty() && !records.truncatedTo() &&
              memory.high_watermark == records.highWatermarkBefore(),
          wrong);
    return;
  }
  const auto truncated =
      response.offset < response.asked ? std::optional(response.offset) : std::optional<std::int64_t>();
  const std::int64_t end = response.offset + std::ssize(response.entries);
  const std::int64_t high_watermark = std::max(std::min(records.highWatermarkBefore(), response.offset),
                                               std::min(response.high_watermark, end));
  judge(records.appended() == response.entries && records.truncatedTo() == truncated &&
            memory.high_watermark == high_watermark && records.asksLeader(),
        wrong);
}

/// What a follower reports of what it removes.
bool isTrueRemoval(Records& records, int node, const Truncated& removed) {
  const TruncatedBy by = records.input<EpochEndResponse>() != nullptr ? TruncatedBy::epoch
                         : records.input<FetchResponse>() != nullptr  ? TruncatedBy::leaders_end
                                                                      : TruncatedBy::high_watermark;
  return removed.by == by && removed.from == std::ssize(records.own(node).log) && removed.to < removed.from;
}

void followersCopy(Records& records, const Seen& seen, Judge judge) {
  if (!isRunning(records, seen)) return;
  if (const auto* removed = eventIn<Truncated>(seen)) {
    return judge(isTrueRemoval(records, seen.node, *removed), [&] {
      return phrase("{server} reports that it removes other records than it does, or another cause",
                    records.serverAt(seen.node));
    });
  }
  if (seen.kind != Kind::step_over) return;
  if (const auto* response = records.input<FetchResponse>())
    return judgeFetched(records, seen, *response, judge);
  const bool removes = records.truncatedTo().has_value();
  if (records.input<Produce>() != nullptr || (records.appended().empty() && !removes)) return;
  const bool by_rule =
      records.input<EpochEndResponse>() != nullptr ||
      (records.roleChanged() && records.cluster().rules.truncation == Truncation::to_high_watermark);
  judge(records.appended().empty() && by_rule,
        [&] { return phrase("{server} changes its log without a cause", records.serverAt(seen.node)); });
}

/// What a follower removes its leader does not have; and when it fetches, the leader has all that it has.
void followersMatch(Records& records, const Seen& seen, Judge judge) {
  if (!isRunning(records, seen) || !records.follows(seen.node)) return;
  const NodeRecord& memory = records.own(seen.node);
  const NodeRecord* leader = leaderOf(records, seen.node);
  if (const auto* fetch = sentIn<Fetch>(seen)) {
    if (records.fetchesBefore()) return;
    if (leader == nullptr) return judge.passOver();
    judge(commonPart(memory.log, leader->log) == std::ssize(memory.log), [&] {
      return phrase("{server} fetches from {leader}, whose log is another one before offset {offset}",
                    records.serverAt(seen.node), Phrase::server(memory.applied->partition.leader),
                    fetch->offset);
    });
  } else if (const auto* removed = eventIn<Truncated>(seen); removed && removed->by == TruncatedBy::epoch) {
    if (leader == nullptr) return judge.passOver();
    // The event comes before the write.
    judge(commonPart(memory.log, leader->log) <= removed->to && removed->from == std::ssize(memory.log), [&] {
      return phrase("{server} removes the records from {to} on, some of which {leader} has",
                    records.serverAt(seen.node), removed->to,
                    Phrase::server(memory.applied->partition.leader));
    });
  }
}

void followersAsk(Records& records, const Seen& seen, Judge judge) {
  if (!isRunning(records, seen)) return;
  const NodeRecord& memory = records.own(seen.node);
  const auto wrong = [&] {
    return phrase("{server} does not ask its leader for what comes after its log",
                  records.serverAt(seen.node));
  };
  const auto isLeader = [&] {
    return records.follows(seen.node) && seen.to == memory.applied->partition.leader;
  };
  if (const auto* fetch = sentIn<Fetch>(seen)) {
    judge(isLeader() && fetch->leader_epoch == epochOf(memory) && fetch->offset == std::ssize(memory.log),
          wrong);
  } else if (const auto* question = sentIn<EpochEndRequest>(seen)) {
    judge(isLeader() && question->leader_epoch == epochOf(memory) && !memory.log.empty() &&
              question->epoch == memory.log.back().leader_epoch,
          wrong);
  } else if (isTimer(seen, TimerKind::fetch_retry)) {
    const Millis wait = 2 * records.config(seen.node).fetch_wait_ms;
    judgeTimer(records, seen, records.follows(seen.node) && records.hasPassed(memory.asked_at.at, wait),
               judge);
  } else if (seen.kind == Kind::step_over && records.follows(seen.node) &&
             isIn(records.config(seen.node).assignment, records.id(seen.node))) {
    const Millis wait = 2 * records.config(seen.node).fetch_wait_ms + slack_ms;
    judge(!records.isLate(seen.node, memory.asked_at, wait), wrong);
    const auto* answer = records.input<EpochEndResponse>();
    if (answer == nullptr || records.sender() != memory.applied->partition.leader) return;
    const bool awaited = answer->leader_epoch == epochOf(memory) && !records.fetchesBefore() &&
                         answer->asked == records.lastEpochBefore();
    judge(records.asksLeader() == awaited, wrong);
  }
}

// ---- who is in sync

bool isCaughtUp(Records& records, int node, const FollowerRecord& follower) {
  return records.cluster().rules.in_sync == InSync::with_everything &&
         follower.end == std::ssize(records.own(node).log);
}

bool mayJoin(const NodeRecord& memory, const FollowerRecord& follower) {
  return follower.end && *follower.end >= std::max(memory.high_watermark, memory.epoch_start);
}

/// Why a leader writes this ISR: one follower lags, or one has caught up.
bool isDueIsr(Records& records, int node, const std::vector<ServerId>& isr) {
  const NodeRecord& memory = records.own(node);
  const std::vector<ServerId>& before = memory.applied->partition.isr;
  std::vector<ServerId> changed;
  for (const ServerId one : isr) {
    if (!isIn(before, one)) changed.push_back(one);
  }
  for (const ServerId one : before) {
    if (!isIn(isr, one)) changed.push_back(one);
  }
  if (changed.size() != 1 || isr.size() + 1 < before.size() || before.size() + 1 < isr.size()) return false;
  const auto found = memory.followers.find(changed[0]);
  if (found == memory.followers.end()) return false;
  const FollowerRecord& follower = found->second;
  if (isIn(isr, changed[0])) return mayJoin(memory, follower);
  return !isCaughtUp(records, node, follower) &&
         records.hasPassed(follower.caught_up_at.at, records.config(node).replica_lag_ms);
}

/// Whether one that is in sync has not been for too long, and the leader, which looks twice in that time, has
/// not noticed (ReplicaManager.scala: startup, isr-expiration).
bool overlooks(Records& records, int node) {
  const NodeRecord& memory = records.own(node);
  const Millis lag = records.config(node).replica_lag_ms;
  const auto isOver = [&](const Since& since, Millis wait) {
    return records.isLate(node, since, wait + slack_ms);
  };
  if (memory.wanted_isr || !isOver(memory.isr_known_at, lag)) return false;
  return std::any_of(memory.followers.begin(), memory.followers.end(), [&](const auto& one) {
    const FollowerRecord& follower = one.second;
    return isIn(memory.applied->partition.isr, one.first) && !isCaughtUp(records, node, follower) &&
           isOver(follower.caught_up_at, lag) && isOver(follower.lacks_at, lag / 2);
  });
}

void isrAsFetched(Records& records, const Seen& seen, Judge judge) {
  if (!isRunning(records, seen)) return;
  if (isTimer(seen, TimerKind::replica_lag))
    return judgeTimer(records, seen, records.leads(seen.node), judge);
  if (!records.leads(seen.node)) return;
  const NodeRecord& memory = records.own(seen.node);
  if (const auto* asked = eventIn<zookeeper::Requested>(seen)) {
    const auto next = records.isrWrite(seen.node, asked->op);
    if (!next) return;
    const bool again = records.wantedBefore() == next->isr;
    const bool compared = records.cluster().rules.isr_version == IsrVersion::ignored ||
                          asked->op.version == memory.applied->version;
    judge(compared && (again || (!records.wantedBefore() && isDueIsr(records, seen.node, next->isr))), [&] {
      return phrase("{server} writes {count} replicas as in sync, and those are {others} by their fetches",
                    records.serverAt(seen.node), next->isr.size(), memory.applied->partition.isr.size());
    });
    return;
  }
  if (seen.kind != Kind::step_over) return;
  if (records.input<Fetch>() != nullptr) {
    const auto follower = memory.followers.find(records.sender());
    if (follower == memory.followers.end() || !follower->second.owed_at ||
        isIn(memory.applied->partition.isr, follower->first) || !mayJoin(memory, follower->second))
      return;
    judge(memory.wanted_isr.has_value(), [&] {
      return phrase("{server} does not take {follower}, which has what is committed, into the ISR",
                    records.serverAt(seen.node), Phrase::server(follower->first));
    });
  }
  judge(!overlooks(records, seen.node), [&] {
    return phrase("{server} takes a replica for one in sync that has not fetched what there is for too long",
                  records.serverAt(seen.node));
  });
}

/// Whether a leader does what ZooKeeper's answer to its write of the ISR says, or what it has read after
/// that.
bool takesAnswer(Records& records, int node, const zookeeper::Answered& answer) {
  const NodeRecord& memory = records.own(node);
  if (!memory.applied) return false;
  if (!records.answeredState()) return records.isrRefused();
  const Partition& there = records.answeredState()->partition;
  if (records.roleChanged())
    return records.leads(node) && answer.op.code == OpCode::getData &&
           records.cluster().rules.stale_isr == StaleIsr::reads_again;
  Partition wanted = memory.applied->partition;
  wanted.isr = records.wantedBefore().value_or(wanted.isr);
  if (there == wanted) return records.isrChanged();
  // A controller has decided since. If this broker leads on, it need not wait for that controller's request.
  const bool leads_on = there.leader == records.id(node) && there.leader_epoch > wanted.leader_epoch &&
                        records.cluster().rules.stale_isr == StaleIsr::reads_again;
  return answer.op.code == OpCode::getData && records.isrRefused() && !leads_on;
}

/// What a leader makes of ZooKeeper's answer about the ISR.
void isrAsWritten(Records& records, const Seen& seen, Judge judge) {
  if (!isRunning(records, seen)) return;
  const NodeRecord& memory = records.own(seen.node);
  if (const auto* changed = eventIn<IsrChanged>(seen)) {
    judge(records.isrAnswer() && records.answeredState() && records.wantedBefore() == changed->isr &&
              records.answeredState()->partition.isr == changed->isr && records.leads(seen.node),
          [&] {
            return phrase("{server} takes an ISR for written that ZooKeeper does not have",
                          records.serverAt(seen.node));
          });
  } else if (const auto* refused = eventIn<IsrRefused>(seen)) {
    judge(records.isrAnswer() && refused->isr == memory.wanted_isr, [&] {
      return phrase("{server} takes an ISR for refused that it has not asked for",
                    records.serverAt(seen.node));
    });
  } else if (seen.kind == Kind::step_over && records.isrAnswer()) {
    const zookeeper::Answered& answer = *records.isrAnswer();
    const Error error = answer.result.error;
    const bool lost = error == Error::CONNECTIONLOSS || error == Error::SESSIONEXPIRED;
    // A late reply to a write must not be taken for the next one.
    const bool anew = memory.isr_asked && (!lost || answer.op.code != OpCode::setData ||
                                           memory.isr_asked->number != answer.number);
    const bool asks_again = lost || (error == Error::BADVERSION && answer.op.code == OpCode::setData);
    judge(asks_again ? anew && !records.isrChanged() && !records.isrRefused()
                     : takesAnswer(records, seen.node, answer),
          [&] {
            return phrase("{server} does not go on by ZooKeeper's answer about the ISR",
                          records.serverAt(seen.node));
          });
  }
}

// ---- controllers' requests

bool isDecidedByEpochs(Records& records, int node, const RequestDecided& decided) {
  const Rules& rules = records.cluster().rules;
  const bool other_process =
      decided.broker_epoch < records.own(node).registration && rules.broker_epoch == BrokerEpoch::checked;
  const bool older = decided.epoch < decided.seen && rules.older_controller == OlderController::refused;
  const auto& request = records.decided();
  return request && decided.seen == records.seenEpochBefore() && request->controller == decided.controller &&
         request->controller_epoch == decided.epoch && request->broker_epoch == decided.broker_epoch &&
         decided.other_process == other_process && decided.accepted == (!older && !other_process);
}

void requestsObeyed(Records& records, const Seen& seen, Judge judge) {
  if (!isRunning(records, seen)) return;
  const NodeRecord& memory = records.own(seen.node);
  const auto wrong = [&] {
    return phrase("{server} does not do what a controller's request says, or something else",
                  records.serverAt(seen.node));
  };
  if (const auto* role = eventIn<RoleChanged>(seen)) {
    std::vector<std::int64_t> numbers;
    if (role->leader == records.id(seen.node)) {
      for (const Entry& entry : memory.log) numbers.push_back(entry.number);
    }
    judge(memory.applied && role->leader == memory.applied->partition.leader &&
              role->leader_epoch == epochOf(memory) && role->records == numbers &&
              role->again == (records.ledBefore() && records.leads(seen.node)),
          wrong);
  } else if (const auto* decided = eventIn<RequestDecided>(seen)) {
    judge(isDecidedByEpochs(records, seen.node, *decided), wrong);
  } else if (const auto* reply = sentIn<MetadataResponse>(seen)) {
    const auto* asked = records.input<MetadataRequest>();
    const ServerId leader = memory.applied ? memory.applied->partition.leader : no_server;
    judge(asked != nullptr && *reply == MetadataResponse{asked->number, memory.metadata_controller, leader} &&
              seen.to == records.sender(),
          wrong);
  } else if (seen.kind == Kind::step_over && records.decidesOrReads()) {
    judge(!records.givenRole() && !(records.registers() && memory.deferred), wrong);
    const bool answers = records.input<MetadataRequest>() == nullptr || records.answers() == 1;
    const bool defers = records.cluster().rules.broker_epoch == BrokerEpoch::checked && !memory.registered;
    judge(answers && (records.input<ControllerRequest>() == nullptr || records.hasDecided() != defers),
          wrong);
  }
}

// ---- clients

/// Whether the client may end its request so by what it reads, if a broker's answer has to say so.
struct Told {
  ServerId broker = no_server;
  Outcome outcome{};
  bool by_reply = false;  ///< a reply to the request itself says the same
};

bool isTrueEnd(Records& records, int node, std::int64_t number, const Told& told) {
  const NodeRecord& memory = records.own(node);
  if (!records.endedRequest() || records.endedRequest()->number != number) return false;
  if (told.by_reply) return told.broker == records.sender();
  if (told.outcome == Outcome::unanswered)
    return records.begun().has_value() && told.broker == memory.turned_to;
  const auto* metadata = records.input<MetadataResponse>();
  if (metadata == nullptr || metadata->number != number || told.broker != records.sender()) return false;
  if (told.outcome == Outcome::no_controller)
    return metadata->controller == no_server && memory.turned_to == records.sender();
  return told.outcome == Outcome::not_leader && metadata->controller != no_server &&
         metadata->leader == no_server;
}

bool isTrueEvent(Records& records, int node, const Event& event) {
  if (const auto* one = get_if<Produced>(&event)) {
    const auto* reply = records.input<ProduceResponse>();
    const bool said = reply != nullptr && reply->number == one->number && reply->outcome == one->outcome;
    const bool sent =
        one->acks == Acks::none && one->outcome == Outcome::ok && records.own(node).leader_asks > 0;
    if (sent && records.endedRequest())
      return records.endedRequest()->acks == Acks::none && one->broker == records.own(node).asked_leader;
    return isTrueEnd(records, node, one->number, {one->broker, one->outcome, said}) &&
           records.endedRequest()->acks == one->acks;
  }
  if (const auto* one = get_if<Consumed>(&event)) {
    const auto* reply = records.input<ConsumeResponse>();
    const bool said = reply != nullptr && reply->number == one->number && reply->outcome == one->outcome &&
                      reply->record == one->last_record;
    return isTrueEnd(records, node, one->number, {one->broker, one->outcome, said}) &&
           (said || one->last_record == 0);
  }
  const auto& one = get<MetadataAnswered>(event);
  const auto* reply = records.input<MetadataResponse>();
  const bool said = reply != nullptr && reply->number == one.number && one.outcome == Outcome::ok &&
                    reply->controller == one.controller && reply->leader == one.leader &&
                    one.controller != no_server;
  return isTrueEnd(records, node, one.number, {one.broker, one.outcome, said}) &&
         (said || (one.controller == no_server && one.leader == no_server));
}

/// Whether the client has done nothing about what it has read.
bool waitsOn(Records& records, int node) {
  const NodeRecord& memory = records.own(node);
  if (!memory.request) return false;
  const std::int64_t number = memory.request->number;
  if (memory.request->acks == Acks::none && memory.leader_asks > 0) return true;
  if (const auto* reply = records.input<ProduceResponse>(); reply && reply->number == number) return true;
  if (const auto* reply = records.input<ConsumeResponse>(); reply && reply->number == number) return true;
  const auto* metadata = records.input<MetadataResponse>();
  if (metadata == nullptr || metadata->number != number || records.askedLeaderBefore()) return false;
  const bool heeds = memory.turned_to == no_server ? metadata->controller != no_server
                                                   : memory.turned_to == records.sender();
  return heeds && memory.leader_asks == 0;
}

/// It begins a session with ZooKeeper if it has none, to delete /controller in it.
bool deletesInSession(Records& records, int node) {
  using zookeeper::ClientState;
  const NodeRecord& memory = records.own(node);
  const bool is_connected = memory.state == ClientState::CONNECTED;
  if (records.toldSession() && is_connected != (*records.toldSession() != zookeeper::no_session))
    return false;
  if (memory.deletes && is_connected) return false;
  if (!records.instructed() || records.instructed()->operation != Operation::delete_controller) return true;
  return (records.stateChanges() > 0) == (records.stateBefore() == ClientState::CLOSED);
}

void clientToldTrue(Records& records, const Seen& seen, Judge judge) {
  if (seen.node < 0 || records.config(seen.node).kind != NodeKind::client) return;
  const NodeRecord& memory = records.own(seen.node);
  const auto wrong = [&] {
    return phrase("{client} asks for what it was not told to, or takes for an answer what is none",
                  records.who(seen.node));
  };
  if (seen.kind == Kind::event) {
    if (holds_alternative<Produced>(*seen.event) || holds_alternative<Consumed>(*seen.event) ||
        holds_alternative<MetadataAnswered>(*seen.event))
      judge(isTrueEvent(records, seen.node, *seen.event), wrong);
    return;
  }
  const auto isLeader = [&] {
    const auto* metadata = records.input<MetadataResponse>();
    const ServerId there = memory.request->server;
    return there != no_server ? seen.to == there : metadata != nullptr && seen.to == metadata->leader;
  };
  if (const auto* produce = sentIn<Produce>(seen)) {
    judge(memory.request && memory.request->operation == Operation::produce && isLeader() &&
              memory.leader_asks == 1 && *produce == Produce{memory.request->number, memory.request->acks},
          wrong);
  } else if (const auto* consume = sentIn<Consume>(seen)) {
    judge(memory.request && memory.request->operation == Operation::consume && isLeader() &&
              memory.leader_asks == 1 && consume->number == memory.request->number,
          wrong);
  } else if (const auto* search = sentIn<MetadataRequest>(seen)) {
    judge(memory.request && search->number == memory.request->number &&
              (memory.turned_to == no_server || seen.to == memory.turned_to),
          wrong);
  } else if (seen.kind == Kind::step_over) {
    judge(!waitsOn(records, seen.node) && deletesInSession(records, seen.node), wrong);
    if (records.instructed() && records.instructed()->operation == Operation::elect_preferred) {
      const auto all = std::ssize(records.config(seen.node).brokers);
      judge(records.searches() == (memory.turned_to == no_server ? all : 1), wrong);
    }
    if (!records.begun()) return;
    if (records.begun()->server != no_server) return judge(memory.leader_asks == 1, wrong);
    const auto all = std::ssize(records.config(seen.node).brokers);
    judge(records.searches() == (memory.turned_to == no_server ? all : 1), wrong);
  }
}

constexpr std::array run_invariants{
    RunInvariant{
        {"producers-answered",
         "a leader appends what a producer asks for and answers as it was done; who waits for all in "
         "sync is answered when the record is committed, or when it no longer leads"},
        &producersAnswered,
        kindBits(Kind::sent, Kind::step_over)},
    RunInvariant{
        {"enough-in-sync",
         "acks=all is refused if fewer replicas than min.insync.replicas are in sync, and only then"},
        &enoughInSync,
        kindBits(Kind::sent)},
    RunInvariant{{"acknowledged-by-all",
                  "when a record is acknowledged with acks=all, all replicas that are in sync, as the leader "
                  "knows, have it at its offset"},
                 &acknowledgedByAll,
                 kindBits(Kind::sent)},
    RunInvariant{{"consumed-is-committed", "a leader gives a consumer the last record that is committed"},
                 &consumedIsCommitted,
                 kindBits(Kind::sent, Kind::step_over)},
    RunInvariant{
        {"committed-as-fetched",
         "a leader's high watermark is the end of what all that are in sync, or may be, have fetched "
         "in its leader epoch"},
        &committedAsFetched,
        kindBits(Kind::event, Kind::step_over)},
    RunInvariant{{"fetches-answered",
                  "a leader answers fetches and questions for the end of an epoch with what its log has: at "
                  "once, or when there is something new or the fetch has waited long enough"},
                 &fetchesAnswered,
                 kindBits(Kind::sent, Kind::timer, Kind::step_over)},
    RunInvariant{{"followers-copy",
                  "a follower's log and high watermark change by what its leader has sent it, and by nothing "
                  "else"},
                 &followersCopy,
                 kindBits(Kind::event, Kind::step_over)},
    RunInvariant{
        {"followers-match",
         "when a follower begins to fetch, its log is the beginning of its leader's; what it removes "
         "before that its leader does not have"},
        &followersMatch,
        kindBits(Kind::event, Kind::sent)},
    RunInvariant{{"followers-ask",
                  "a follower asks its leader for what comes after the end of its log, and goes on asking"},
                 &followersAsk,
                 kindBits(Kind::sent, Kind::timer, Kind::step_over)},
    RunInvariant{
        {"isr-as-fetched",
         "a leader takes a follower from the ISR if it has not had what there was for "
         "replica.lag.time.max.ms, and into it if it has what is committed and what the leader began "
         "with; and it does so in time"},
        &isrAsFetched,
        kindBits(Kind::event, Kind::timer, Kind::step_over)},
    RunInvariant{{"isr-as-written", "a leader goes by the ISR that ZooKeeper has, as it has answered"},
                 &isrAsWritten,
                 kindBits(Kind::event, Kind::step_over)},
    RunInvariant{
        {"requests-obeyed",
         "a broker accepts a controller's request, unless its epochs are earlier ones; takes the role "
         "that it gives, if the leader epoch is a later one; and answers clients what the last one says"},
        &requestsObeyed,
        kindBits(Kind::event, Kind::sent, Kind::step_over)},
    RunInvariant{
        {"client-told-true",
         "a client asks the leader that a broker has named, and takes a request for done or refused as "
         "it was answered"},
        &clientToldTrue,
        kindBits(Kind::event, Kind::sent, Kind::step_over)},
};

}  // namespace

std::span<const RunInvariant> runInvariants() {
  static const std::vector<RunInvariant> all = [] {
    std::vector<RunInvariant> list(run_invariants.begin(), run_invariants.end());
    list.insert(list.end(), controllerInvariants().begin(), controllerInvariants().end());
    return list;
  }();
  return all;
}

}  // namespace zablab::kafka
