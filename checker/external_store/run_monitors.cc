#include "checker/external_store/run_monitors.h"

#include <algorithm>
#include <array>

#include "checker/external_store/contents.h"

namespace zablab::external_store {
namespace {

using RunInvariant = zablab::Invariant<Records>;

template <class M>
const M* sentIn(const Happened<Family>& seen) {
  return seen.kind == Kind::sent && seen.how != SentHow::copy ? get_if<M>(seen.content) : nullptr;
}
bool isRunning(Records& records, int node, NodeKind kind) {
  return records.own(node).running && records.config(node).kind == kind;
}
bool hasLeaseThere(const StoreState& contents, std::int64_t lease) {
  return std::any_of(contents.leases.begin(), contents.leases.end(),
                     [lease](const Lease& one) { return one.id == lease; });
}
/// A candidate or client turns to the store's servers one after the other, and sends where it has a
/// connection.
void judgeTurns(Records& records, const Happened<Family>& seen, Judge judge) {
  if (seen.link != store_link) return;
  const ServerId next = records.storeFor(seen.node);
  if (seen.kind == Kind::dialled) {
    judge(seen.to == next, [&] {
      return phrase("{node} turns to {server}, and {next} is next", records.who(seen.node),
                    Phrase::server(seen.to), Phrase::server(next));
    });
  } else if (seen.kind == Kind::sent) {
    judge(records.sentAsDue(), [&] {
      return phrase("{node} sends {server} what is not due there", records.who(seen.node),
                    Phrase::server(seen.to));
    });
  }
}

// ---- the store

/// Whether this is what the contents of one of its revisions answer.
bool answersAt(Records& records, const Txn& txn, const TxnReply& reply) {
  const auto at = records.shared().keys.find(reply.revision);
  StoreState contents;
  contents.revision = reply.revision;
  if (at != records.shared().keys.end()) contents.keys = at->second;
  const Result result = carryOut(contents, Transact{txn});
  return result.changes.empty() && !result.lease_lost && result.succeeded == reply.succeeded &&
         !reply.lease_lost && result.found == reply.found;
}

bool isTrueAnswer(Records& records, int node, ServerId to, const Unanswered& asked, const TxnReply& reply) {
  NodeRecord& memory = records.own(node);
  const auto& request = get<TxnRequest>(asked.request);
  for (std::size_t i = asked.done; i < memory.done.size(); ++i) {
    Done& done = memory.done[i];
    const auto* txn = get_if<Transact>(&done.command);
    if (done.told || done.by != to || txn == nullptr || txn->txn != request.txn) continue;
    const Result& result = done.result;
    if (reply != TxnReply{result.succeeded, result.lease_lost, done.revision, result.found}) continue;
    done.told = true;
    return true;
  }
  if (records.isOneOfSeveral(node) && !isReading(request.txn)) return false;
  const bool missing_lease = reply.lease_lost && !isReading(request.txn);
  if (missing_lease) {
    StoreState contents = memory.contents;
    return carryOut(contents, Transact{request.txn}).lease_lost && reply.revision == contents.revision;
  }
  const std::int64_t oldest = request.local ? asked.revision : std::max(asked.revision, asked.revision_all);
  return reply.revision >= oldest && reply.revision <= memory.contents.revision &&
         answersAt(records, request.txn, reply);
}

bool isTrueGrant(Records& records, int node, ServerId to, const Unanswered& asked, const LeaseGranted& told) {
  NodeRecord& memory = records.own(node);
  for (std::size_t i = asked.done; i < memory.done.size(); ++i) {
    Done& done = memory.done[i];
    const auto* grant = get_if<Grant>(&done.command);
    if (grant == nullptr || done.told || done.by != to) continue;
    if (told != LeaseGranted{done.result.lease, grant->ttl_ms}) continue;
    done.told = true;
    return true;
  }
  return false;
}

/// A renewal: the server that measures the lease has it, or tells so.
bool isTrueRenewal(Records& records, int node, std::int64_t lease, bool found) {
  const NodeRecord& memory = records.own(node);
  if (memory.leads) return hasLeaseThere(memory.contents, lease) == found;
  const auto* renewed = records.input<Renewed>();
  return renewed != nullptr && renewed->leads && renewed->lease == lease && renewed->found == found;
}

/// How long a lease that is over may wait for its end: one whose time is over at the very instant of a check
/// waits for the next one, and others with it.
Millis untilChecked(const Config& config) { return 2 * config.lease_check_ms; }

/// A server that does not lead forwards renewals, and passes the answers on; a leader answers those that come
/// too late.
void judgeRenewals(Records& records, int node, Judge judge) {
  for (const ServerId client : records.owedRenewals()) {
    judge(false, [&] {
      return phrase("{server} neither forwards nor ends what {client} has asked for", records.serverAt(node),
                    Phrase::node(client));
    });
  }
  if (records.lateForEnded())
    judge(false, [&] {
      return phrase("{server} does not answer the renewal of a lease that has ended", records.serverAt(node));
    });
}

void storeAnswers(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isRunning(records, seen.node, NodeKind::store) || !records.shared().known) return;
  NodeRecord& memory = records.own(seen.node);
  const auto& asked = records.answers();
  const auto untrue = [&] {
    return phrase("{server} answers {client} what its contents do not say", records.serverAt(seen.node),
                  Phrase::node(seen.to));
  };
  if (const auto* vote = eventIn<leader_followers::VoteDecided>(seen)) {
    if (vote->reason != leader_followers::VoteReason::has_leader || memory.leads) return;
    judge(!records.isLate(seen.node, memory.led, records.config(seen.node).election_timeout_min_ms), [&] {
      return phrase("{server} refuses a vote because it is led, and has heard of no leader for too long",
                    records.serverAt(seen.node));
    });
  } else if (const auto* reply = sentIn<TxnReply>(seen)) {
    judge(asked && isTrueAnswer(records, seen.node, seen.to, *asked, *reply), untrue);
  } else if (const auto* granted = sentIn<LeaseGranted>(seen)) {
    judge(asked && isTrueGrant(records, seen.node, seen.to, *asked, *granted), untrue);
  } else if (const auto* kept = sentIn<KeptAlive>(seen)) {
    judge(asked && isTrueRenewal(records, seen.node, kept->lease, kept->found), untrue);
  } else if (const auto* renewed = sentIn<Renewed>(seen); renewed != nullptr && renewed->leads) {
    judge(asked && memory.leads && isTrueRenewal(records, seen.node, renewed->lease, renewed->found), untrue);
  } else if (seen.kind == Kind::step_over) {
    judgeRenewals(records, seen.node, judge);
    if (records.isAmongServers()) return;
    const Config& config = records.config(seen.node);
    const bool several = records.isOneOfSeveral(seen.node);
    const auto judgeAll = [&](const auto& lists, Millis limit) {
      for (const auto& [who, list] : lists) {
        if (list.empty()) continue;
        const ServerId client = who;
        judge(limit > 0 && !records.isLate(seen.node, list.front().since, limit), [&] {
          return phrase("{server} does not answer {client}", records.serverAt(seen.node),
                        Phrase::node(client));
        });
      }
    };
    judgeAll(memory.waiting, several ? config.request_limit_ms : 0);
    judgeAll(memory.renewals, several ? config.request_limit_ms : untilChecked(config));
  }
}

void judgeDisk(Records& records, int node, Judge judge) {
  judge(records.findsItsDisk(), [&] {
    return phrase("{server} does not find on its disk what it has synced", records.serverAt(node));
  });
}

/// Whether a server of the store has just executed a command of its own of which this is true.
template <class Holds>
bool hasDone(Records& records, int node, Holds holds) {
  const auto& done = records.own(node).done;
  return std::any_of(done.begin() + static_cast<std::ptrdiff_t>(records.doneBefore()), done.end(), holds);
}

/// What the store reports is what it has done.
void judgeReports(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isRunning(records, seen.node, NodeKind::store)) return;
  const auto untrue = [&] {
    return phrase("{server} reports what it has not done, or not what it has", records.serverAt(seen.node));
  };
  if (const auto* key = eventIn<KeyChanged>(seen)) {
    judge(hasDone(records, seen.node,
                  [&](const Done& one) {
                    const auto& changes = one.result.changes;
                    return one.by == key->by &&
                           std::find(changes.begin(), changes.end(), key->change) != changes.end();
                  }),
          untrue);
  } else if (const auto* lease = eventIn<LeaseBegun>(seen)) {
    judge(hasDone(records, seen.node,
                  [&](const Done& one) {
                    return holds_alternative<Grant>(one.command) && one.result.lease == lease->lease &&
                           (lease->to == one.by || lease->to == no_server);
                  }),
          untrue);
  } else if (const auto* failed = eventIn<CompareFailed>(seen)) {
    const auto isIt = [&](const Txn& txn, ServerId by, std::int64_t revision) {
      return (failed->by == by || failed->by == no_server) && failed->revision == revision &&
             !txn.compares.empty() && txn.compares.front().key == failed->key;
    };
    const auto* request = records.input<TxnRequest>();
    const bool alone = !records.isOneOfSeveral(seen.node);
    const bool here = alone && request != nullptr &&
                      isIt(request->txn, records.sender(), records.own(seen.node).contents.revision);
    judge(here || hasDone(records, seen.node,
                          [&](const Done& one) {
                            const auto* txn = get_if<Transact>(&one.command);
                            return txn != nullptr && !one.result.succeeded &&
                                   isIt(txn->txn, one.by, one.revision);
                          }),
          untrue);
  } else if (seen.kind == Kind::step_over && !records.isOneOfSeveral(seen.node)) {
    const auto& done = records.own(seen.node).done;
    std::size_t changes = 0;
    for (std::size_t i = records.doneBefore(); i < done.size(); ++i) changes += done[i].result.changes.size();
    if (records.reported() != 0 || changes != 0) judge(records.reported() == changes, untrue);
  }
}

void executedAsAsked(Records& records, const Happened<Family>& seen, Judge judge) {
  if (seen.kind == Kind::started && records.isStore(seen.node)) return judgeDisk(records, seen.node, judge);
  judgeReports(records, seen, judge);
  const auto& executes = records.executes();
  if (!executes || !records.shared().known) return;
  judge(executes->in_order,
        [&] { return phrase("{server} executes what is not next in its log", records.serverAt(seen.node)); });
  if (!executes->first) return;
  judge(executes->asked, [&] {
    return phrase("{server} executes what nobody has asked for, or once more", records.serverAt(seen.node));
  });
  if (!records.isOneOfSeveral(seen.node)) return;
  const std::int64_t all = std::ssize(records.config(seen.node).stores);
  judge(2 * executes->copies > all, [&] {
    return phrase("{server} executes what is on the disks of {count} of {all} servers",
                  records.serverAt(seen.node), executes->copies, all);
  });
}

void leaseLasts(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isRunning(records, seen.node, NodeKind::store)) return;
  NodeRecord& memory = records.own(seen.node);
  const auto& ending = records.endsLease();
  const auto late = [&](const Measured& one) {
    return records.isLate(seen.node, one.since, one.wait + untilChecked(records.config(seen.node)));
  };
  if (ending) {
    judge(ending->measured && records.hasPassed(ending->measured->since.at, ending->measured->wait), [&] {
      return phrase("{server} ends lease {lease} before its time is over", records.serverAt(seen.node),
                    ending->lease);
    });
  } else if (seen.kind == Kind::step_over && memory.leads && !records.isAmongServers()) {
    for (const auto& [lease, one] : memory.measured) {
      const std::int64_t which = lease;
      judge(one.ends || !late(one), [&] {
        return phrase("{server} does not end lease {lease}, whose time is over", records.serverAt(seen.node),
                      which);
      });
    }
  } else if (const auto& renewed = records.measuredBefore()) {
    judge(!late(*renewed),
          [&] { return phrase("{server} renews a lease whose time is over", records.serverAt(seen.node)); });
  }
}

void watchersTold(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isRunning(records, seen.node, NodeKind::store) || !records.shared().known) return;
  if (sentIn<Changes>(seen) != nullptr) {
    judge(records.owed(), [&] {
      return phrase("{server} tells {client} what it does not watch, or has been told",
                    records.serverAt(seen.node), Phrase::node(seen.to));
    });
  } else if (seen.kind == Kind::step_over && records.tells()) {
    for (const auto& [who, list] : records.own(seen.node).watches) {
      const ServerId client = who;
      for (const Watching& one : list) {
        judge(one.owed.empty(), [&] {
          return phrase("{server} does not tell {client} of a change that it watches",
                        records.serverAt(seen.node), Phrase::node(client));
        });
      }
    }
  }
}

// ---- the resource

void resourceAnswers(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isRunning(records, seen.node, NodeKind::resource)) return;
  if (seen.kind == Kind::started) return judgeDisk(records, seen.node, judge);
  const auto* write = records.input<Store>();
  const Resource before = records.resourceBefore().value_or(Resource{});
  const Resource& now = records.own(seen.node).resource;
  const auto wrong = [&] {
    return phrase("{server} decides about a write, or answers it, against what is on its disk",
                  records.serverAt(seen.node));
  };
  if (const auto* decided = eventIn<WriteDecided>(seen)) {
    const bool checks = records.cluster().rules.fencing == Fencing::checked;
    judge(write != nullptr && decided->by == records.sender() && decided->token == write->token &&
              decided->number == write->number && decided->newest == before.newest &&
              (!checks || decided->accepted == (write->token >= before.newest)),
          wrong);
  } else if (const auto* reply = sentIn<StoreReply>(seen)) {
    const Resource with{write == nullptr ? 0 : std::max(before.newest, write->token), reply->client,
                        reply->number};
    judge(write != nullptr && seen.to == records.sender() && reply->client == write->client &&
              reply->number == write->number && now == (reply->accepted ? with : before),
          wrong);
  } else if (seen.kind == Kind::step_over && write != nullptr) {
    judge(records.sentReply(), wrong);
  }
}

// ---- leaders

/// Whether a candidate may refuse this: it has not been written, and will not be.
bool mayRefuse(Records& records, int node, const Task& task) {
  if (task.accepted) return !*task.accepted;
  const bool leads = task.led && !records.stopped();
  return !task.sent && (!leads || (task.operation == Operation::write && !records.own(node).at_resource));
}

void judgeAnswer(Records& records, const Happened<Family>& seen, const Answer& answer, Judge judge) {
  const auto& task = records.ends();
  const auto wrong = [&] {
    return phrase("{server} answers {client} {outcome}, which is not so", records.serverAt(seen.node),
                  Phrase::client(seen.to), enumName(answer.outcome));
  };
  if (!task) return judge(false, wrong);
  const bool resigns = task->operation == Operation::resign;
  switch (answer.outcome) {
    case Outcome::ok:
      if (!resigns) return judge(task->accepted == true, wrong);
      if (!records.shared().known) return;
      for (const KeyValue& one : records.shared().contents.keys) {
        const bool there = one.key.prefix != Prefix::member && one.create_revision == task->token;
        judge(!there, wrong);
      }
      return judge(task->led, wrong);
    case Outcome::refused: return judge(mayRefuse(records, seen.node, *task), wrong);
    case Outcome::unknown:
      return judge(resigns || (task->sent && !task->accepted && !records.own(seen.node).at_resource), wrong);
  }
}

void leaderAnswers(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isRunning(records, seen.node, NodeKind::candidate)) return;
  NodeRecord& memory = records.own(seen.node);
  if (const auto* write = sentIn<Store>(seen)) {
    const auto& task = records.ends();
    const bool asked = task && task->operation == Operation::write && !task->sent && task->led;
    judge(asked && memory.at_resource, [&] {
      return phrase("{server} writes what {client} has not asked for, or once more",
                    records.serverAt(seen.node), Phrase::client(write->client));
    });
  } else if (const auto* answer = sentIn<Answer>(seen)) {
    judgeAnswer(records, seen, *answer, judge);
  } else if (seen.kind == Kind::step_over) {
    // A request that comes meanwhile lets those before it wait as long again.
    const Millis limit = (std::ssize(memory.tasks) + 1) * records.config(seen.node).work_ms + 20;
    const bool refuses = records.cluster().rules.unfinished_work == UnfinishedWork::refused;
    for (const auto& [which, task] : memory.tasks) {
      const ServerId client = which.first;
      const bool resigns = task.operation == Operation::resign;
      const bool waits = !resigns && !task.sent;
      const bool stopped = refuses && records.stopped().has_value();
      const bool may_wait = task.led && !stopped && !records.isLate(seen.node, task.since, limit);
      judge(!task.accepted && (!waits || may_wait) && !(resigns && task.led && records.released()), [&] {
        return phrase("{server} does not answer {client}", records.serverAt(seen.node),
                      Phrase::client(client));
      });
    }
  }
}

Phrase stepsDown(Records& records, int node) {
  return phrase("{server} stops to lead without a cause", records.serverAt(node));
}

/// Whether a leader that stops has cause to.
bool hasCause(Records& records, int node, StepDownWhy why) {
  const NodeRecord& memory = records.own(node);
  const auto* kept = records.input<KeptAlive>();
  const auto* reply = records.input<TxnReply>();
  const auto* write = records.input<StoreReply>();
  const auto* ask = records.input<Ask>();
  switch (why) {
    case StepDownWhy::deadline: return records.hasPassed(memory.answered_at.at, records.countedOn(node));
    case StepDownWhy::lease_ended:
      return (kept != nullptr && !kept->found) || (reply != nullptr && reply->lease_lost) ||
             records.input<Changes>() != nullptr;
    case StepDownWhy::resigned:
      return (ask != nullptr && ask->operation == Operation::resign) ||
             (records.instruction() && records.instruction()->operation == Operation::resign);
    case StepDownWhy::newer_token: return write != nullptr && !write->accepted;
  }
  return false;
}

void leadsWithLease(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isRunning(records, seen.node, NodeKind::candidate)) return;
  NodeRecord& memory = records.own(seen.node);
  judgeTurns(records, seen, judge);
  const Rules& rules = records.cluster().rules;
  const bool by_sending = rules.deadline == Deadline::from_sending;
  if (const auto* elected = eventIn<Elected>(seen)) {
    if (elected->why == ElectedWhy::placed || !by_sending) return;
    judge(memory.lease != 0 && !records.hasLongPassed(memory.answered_at.at, records.countedOn(seen.node)),
          [&] {
            return phrase("{server} begins to lead when it cannot count on its lease",
                          records.serverAt(seen.node));
          });
  } else if (const auto* stepped = eventIn<SteppedDown>(seen)) {
    judge(hasCause(records, seen.node, stepped->why), [&] { return stepsDown(records, seen.node); });
  } else if (seen.kind == Kind::step_over) {
    if (records.ledBefore() && hasCause(records, seen.node, StepDownWhy::resigned)) {
      judge(memory.token == 0,
            [&] { return phrase("{server} is told to resign, and leads on", records.serverAt(seen.node)); });
    }
    judge(!records.keepsItsKey(seen.node), [&] {
      return phrase("{server} has resigned, and does not delete its key", records.serverAt(seen.node));
    });
    const bool ends = records.instruction() && records.instruction()->operation == Operation::end;
    if (ends && rules.orderly_stop == OrderlyStop::revokes && memory.at_store && memory.lease != 0) {
      judge(records.sentRevoke(), [&] {
        return phrase("{server} stops in order, and keeps its lease", records.serverAt(seen.node));
      });
    }
    if (memory.token != 0 && by_sending) {
      judge(memory.lease != 0 && !records.isLate(seen.node, memory.answered_at, records.countedOn(seen.node)),
            [&] {
              return phrase("{server} leads when it can no longer count on its lease",
                            records.serverAt(seen.node));
            });
    }
    const Millis redial_ms = records.config(seen.node).redial_ms;
    for (const auto& since : {memory.without_store, memory.without_resource}) {
      if (!since) continue;
      judge(!records.isLate(seen.node, *since, redial_ms),
            [&] { return phrase("{server} does not connect again in time", records.serverAt(seen.node)); });
    }
    const auto late = [&] {
      return phrase("{server} does not renew its lease in time", records.serverAt(seen.node));
    };
    if (records.hasConnected()) judge(memory.renewing, late);
    if (memory.lease == 0 || !memory.at_store || memory.renewing) return;
    judge(!records.isLate(seen.node, memory.may_renew, memory.ttl_ms / 3), late);
  }
}

// ---- candidates

const KeyValue* ownKeyIn(Records& records, int node, const std::vector<KeyValue>& keys) {
  for (const KeyValue& one : keys) {
    const bool own = one.value == records.id(node) && one.lease == records.own(node).lease;
    if (own && one.key.prefix != Prefix::member) return &one;
  }
  return nullptr;
}

/// Whether the key for whose end it begins to wait is the one that has to end, by the answer that it reads.
bool waitsForTheRightOne(Records& records, int node, const Follows& follows) {
  const auto* reply = records.input<TxnReply>();
  if (reply == nullptr) return false;
  const KeyValue* own = ownKeyIn(records, node, reply->found);
  if (records.cluster().rules.procedure != Procedure::queue) {
    const KeyValue* there = keyIn(reply->found, {Prefix::leader});
    return own == nullptr && there != nullptr && there->value == follows.holder &&
           there->create_revision == follows.revision;
  }
  const KeyValue* before = nullptr;
  for (const KeyValue& one : reply->found) {
    if (own == nullptr || one.create_revision >= own->create_revision) continue;
    if (before == nullptr || one.create_revision > before->create_revision) before = &one;
  }
  return before != nullptr && before->value == follows.holder && before->create_revision == follows.revision;
}

/// The end of the key for which it waited, in the message that it reads.
const Change* endIn(Records& records) {
  const auto* changes = records.input<Changes>();
  if (changes == nullptr || !records.watchedBefore()) return nullptr;
  for (const Change& change : changes->changes) {
    const bool it = change.what.key == *records.watchedBefore() && change.revision > records.seenBefore();
    if (it && change.kind != ChangeKind::put) return &change;
  }
  return nullptr;
}

void judgeMembers(Records& records, const Happened<Family>& seen, Judge judge) {
  NodeRecord& memory = records.own(seen.node);
  const bool reads = records.input<Changes>() != nullptr || records.asked();
  if (!reads || !memory.members_seen || !records.shared().known) return;
  std::set<ServerId> there;
  for (const KeyValue& one : records.shared().keys[*memory.members_seen]) {
    if (one.key.prefix == Prefix::member) there.insert(one.value);
  }
  judge(there == memory.members, [&] {
    return phrase("{server} takes {count} candidates for members, and there are {all}",
                  records.serverAt(seen.node), std::ssize(memory.members), std::ssize(there));
  });
}

void candidateFollows(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isRunning(records, seen.node, NodeKind::candidate)) return;
  NodeRecord& memory = records.own(seen.node);
  const auto wrong = [&] {
    return phrase("{server} reports about a key what it has not read", records.serverAt(seen.node));
  };
  if (const auto* elected = eventIn<Elected>(seen)) {
    if (elected->why == ElectedWhy::placed || !records.shared().known) return;
    const auto& created = records.shared().created;
    const auto at = created.find(elected->token);
    judge(at != created.end() && ownKeyIn(records, seen.node, at->second) != nullptr, [&] {
      return phrase("{server} is elected with the token of a key that it has not created",
                    records.serverAt(seen.node));
    });
  } else if (const auto* follows = eventIn<Follows>(seen)) {
    judge(waitsForTheRightOne(records, seen.node, *follows), wrong);
  } else if (const auto* notified = eventIn<Notified>(seen)) {
    const Change* end = endIn(records);
    judge(end != nullptr && end->what.value == notified->holder && end->revision == notified->revision,
          wrong);
  } else if (const auto* watch = sentIn<Watch>(seen); watch != nullptr && !watch->prefix) {
    judge(memory.watched == watch->key && watch->from == memory.seen + 1, [&] {
      return phrase("{server} watches from revision {revision}, and knows the changes up to {seen}",
                    records.serverAt(seen.node), watch->from, memory.seen);
    });
  } else if (seen.kind == Kind::step_over) {
    const auto ignores = [&] {
      return phrase("{server} does not do what follows from what it reads", records.serverAt(seen.node));
    };
    const bool begins = memory.watched && memory.watched != records.watchedBefore();
    const bool connects = records.hasConnected() && memory.watched;
    if (begins || connects) judge(records.sentWatch(), ignores);
    if (endIn(records) != nullptr) judge(memory.watched != records.watchedBefore(), ignores);
    judgeMembers(records, seen, judge);
  }
}

// ---- clients

void judgeRead(Records& records, const Happened<Family>& seen, const Answered& answered, Judge judge) {
  const auto* reply = records.input<TxnReply>();
  KeyValue first;
  bool any = false;
  if (reply != nullptr) {
    for (const KeyValue& one : reply->found) {
      if (!any || one.create_revision < first.create_revision) first = one;
      any = true;
    }
  }
  judge(reply != nullptr && answered.server == records.sender() && answered.holder == first.value &&
            answered.token == first.create_revision,
        [&] {
          return phrase("{client} takes {holder} for the leader, which is not what it reads",
                        records.who(seen.node), Phrase::node(answered.holder));
        });
}

void clientToldTrue(Records& records, const Happened<Family>& seen, Judge judge) {
  if (const auto* accept = recordIn<Accept>(seen)) {
    judge(!records.shared().refused.contains({accept->client, accept->number}), [&] {
      return phrase("{client} took write {number} for refused, which is accepted",
                    Phrase::client(accept->client), accept->number);
    });
    return;
  }
  if (!isRunning(records, seen.node, NodeKind::client)) return;
  NodeRecord& memory = records.own(seen.node);
  judgeTurns(records, seen, judge);
  const auto* answer = records.input<Answer>();
  if (const bool dials = seen.kind == Kind::dialled;
      (dials || sentIn<Ask>(seen)) && seen.link == client_link) {
    judge(dials ? memory.named == seen.to : records.sentAsDue(), [&] {
      return phrase("{client} asks {server}, which the store has not named, or once more",
                    records.who(seen.node), Phrase::server(seen.to));
    });
  } else if (const auto* answered = eventIn<Answered>(seen); answered != nullptr && records.ended()) {
    if (answered->outcome == Outcome::ok && answered->operation == Operation::read) {
      judgeRead(records, seen, *answered, judge);
    } else if (answered->outcome == Outcome::ok) {
      judge(answer != nullptr && answer->number == answered->number && answer->outcome == Outcome::ok &&
                answered->server == records.sender(),
            [&] {
              return phrase("{client} takes request {number} for done, and its leader has not said so",
                            records.who(seen.node), answered->number);
            });
    } else if (answered->outcome == Outcome::refused && answered->operation == Operation::write) {
      judge(!records.shared().accepted.contains({records.id(seen.node), answered->number}), [&] {
        return phrase("{client} takes write {number} for refused, which was accepted", records.who(seen.node),
                      answered->number);
      });
    }
  } else if (seen.kind == Kind::step_over) {
    const Millis limit = records.config(seen.node).answer_limit_ms;
    const auto waits = [&] {
      return phrase("{client} waits for an answer that it has, or for too long", records.who(seen.node));
    };
    const Millis retry_ms = records.config(seen.node).client_retry_ms;
    for (const auto& since : {memory.request_rests, memory.read_rests}) {
      if (!since) continue;
      judge(!records.isLate(seen.node, *since, retry_ms),
            [&] { return phrase("{client} does not try again in time", records.who(seen.node)); });
    }
    if (memory.request) judge(!records.isLate(seen.node, memory.request_at, limit), waits);
    if (memory.read) judge(!records.isLate(seen.node, memory.read_at, limit), waits);
    if (records.readDue() != 0) judge(!memory.read || memory.read->number != records.readDue(), waits);
  }
}

constexpr std::array run_invariants{
    RunInvariant{{"store-answers",
                  "a server of the store answers what its contents say, since it was asked, and in time; it "
                  "passes renewals on at once, and refuses a vote for its leader only while it hears of one"},
                 &storeAnswers,
                 kindBits(Kind::sent, Kind::event, Kind::step_over)},
    RunInvariant{
        {"executed-as-asked",
         "a command is executed because somebody asks for it, once, and when it is on the disks of a "
         "majority of the store's servers; each of them executes its log in order, and reports what it does"},
        &executedAsAsked,
        kindBits(Kind::started, Kind::written, Kind::event, Kind::step_over)},
    RunInvariant{{"lease-lasts",
                  "a lease that is not renewed ends when its time is over by the clock of the server that "
                  "measures it, and not before"},
                 &leaseLasts,
                 kindBits(Kind::written, Kind::sent, Kind::step_over)},
    RunInvariant{{"watchers-told",
                  "who watches is told of each change from the revision on that it names, once and in order"},
                 &watchersTold,
                 kindBits(Kind::sent, Kind::step_over)},
    RunInvariant{
        {"resource-answers",
         "the resource decides by the greatest token on its disk, and answers what it has written there"},
        &resourceAnswers,
        kindBits(Kind::started, Kind::sent, Kind::event, Kind::step_over)},
    RunInvariant{
        {"leader-answers",
         "a leader writes what a client asks for, once, and answers as the resource or the store has "
         "answered; it refuses only what is not written"},
        &leaderAnswers,
        kindBits(Kind::sent, Kind::step_over)},
    RunInvariant{{"leads-with-lease",
                  "a candidate turns to one server of the store after the other, renews its lease in time, "
                  "leads only while it can count on it, and does not stop without a cause"},
                 &leadsWithLease,
                 kindBits(Kind::event, Kind::sent, Kind::dialled, Kind::step_over)},
    RunInvariant{
        {"candidate-follows",
         "a candidate waits for the end of the key that it has read, watches it from there on, is elected "
         "with a key of its own, and reports the members that there are"},
        &candidateFollows,
        kindBits(Kind::event, Kind::sent, Kind::step_over)},
    RunInvariant{
        {"client-told-true",
         "a client asks whom the store names, tries again in time, and takes a request for done, for "
         "refused, or for read, only if it is, and within its limit"},
        &clientToldTrue,
        kindBits(Kind::event, Kind::written, Kind::sent, Kind::dialled, Kind::step_over)},
};

}  // namespace

std::span<const zablab::Invariant<Records>> runInvariants() { return run_invariants; }

}  // namespace zablab::external_store
