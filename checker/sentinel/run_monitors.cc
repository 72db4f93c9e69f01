#include "checker/sentinel/run_monitors.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace zablab::sentinel {
namespace {

using RunInvariant = zablab::Invariant<Records>;

/// Redis' limits that are multiples of its intervals (sentinel.c, redis.conf).
constexpr int pings_of_candidates = 5;
constexpr int hellos_of_masters = 4;
constexpr int asks_of_answers = 5;

template <class M>
const M* sentIn(const Happened<Family>& seen) {
  return seen.kind == Kind::sent && seen.how != SentHow::copy ? get_if<M>(seen.content) : nullptr;
}
bool isIn(const std::vector<ServerId>& all, ServerId one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}
Phrase requestOf(const Entry& entry) {
  return phrase("write {number} of {client}", entry.number, Phrase::client(entry.client));
}

// ---- Redis servers

/// At the end of a step that has read a question.
void judgeReplied(Records& records, int node, Judge judge) {
  const bool asked = records.input<Ping>() != nullptr || records.input<Info>() != nullptr ||
                     records.input<IsMasterDown>() != nullptr || records.input<GetMaster>() != nullptr ||
                     records.input<WriteRequest>() != nullptr || records.input<ReadRequest>() != nullptr;
  if (!asked) return;
  judge(records.hasReplied(), [&] {
    return phrase("{server} does not answer {node}", records.serverAt(node), Phrase::node(records.sender()));
  });
}

void judgeWrite(Records& records, const Happened<Family>& seen, const WriteReply& reply, Judge judge) {
  NodeRecord& memory = records.own(seen.node);
  const Entry entry{seen.to, reply.number};
  judge(reply.result == WriteResult::ok || reply.offset == 0, [&] {
    return phrase("{server} refuses {request}, and tells its place", records.serverAt(seen.node),
                  requestOf(entry));
  });
  switch (reply.result) {
    case WriteResult::ok:
      judge(records.isMaster(seen.node) && records.appended() == entry &&
                reply.offset == std::ssize(memory.data),
            [&] {
              return phrase("{server} answers that {request} is done, which it has not executed as a master",
                            records.serverAt(seen.node), requestOf(entry));
            });
      return;
    case WriteResult::read_only:
      judge(!records.isMaster(seen.node), [&] {
        return phrase("{server} is a master, and refuses {request} as a replica does",
                      records.serverAt(seen.node), requestOf(entry));
      });
      return;
    case WriteResult::no_replicas:
      judge(records.config(seen.node).min_replicas_to_write > 0, [&] {
        return phrase("{server} refuses {request} for want of replicas, and needs none",
                      records.serverAt(seen.node), requestOf(entry));
      });
      return;
  }
}

void answersAsExecuted(Records& records, const Happened<Family>& seen, Judge judge) {
  NodeRecord& memory = records.own(seen.node);
  if (!memory.running) return;
  if (const auto* reply = sentIn<WriteReply>(seen)) {
    judgeWrite(records, seen, *reply, judge);
  } else if (const auto* read = sentIn<ReadReply>(seen)) {
    const std::int64_t value = memory.data.empty() ? 0 : memory.data.back().number;
    const bool true_answer = read->value == value && read->offset == std::ssize(memory.data) &&
                             read->master == records.isMaster(seen.node);
    judge(true_answer, [&] {
      return phrase("{server} answers a read with write {value}; its last one is {last}",
                    records.serverAt(seen.node), read->value, value);
    });
  } else if (const auto* append = recordIn<AppendEntry>(seen);
             append != nullptr && records.isMaster(seen.node)) {
    const auto* request = records.input<WriteRequest>();
    const auto key = std::pair(append->entry.client, append->entry.number);
    const bool asked = request != nullptr && Entry{records.sender(), request->number} == append->entry;
    judge(asked && records.appends() == 1, [&] {
      return phrase("{server} executes {request}, for which nobody asks it", records.serverAt(seen.node),
                    requestOf(append->entry));
    });
    judge(records.shared().executed[key] == 1 && !records.shared().refused.contains(key), [&] {
      return phrase("{server} executes {request}, which was executed or refused before",
                    records.serverAt(seen.node), requestOf(append->entry));
    });
  }
}

/// At the end of a step: each write goes on to all replicas, and one without its master's data asks for it.
void judgeHandedOn(Records& records, const Happened<Family>& seen, Judge judge) {
  const NodeRecord& memory = records.own(seen.node);
  if (records.appends() > 0) {
    judge(records.handedTo() == memory.replicas, [&] {
      return phrase("{server} does not hand on {request} to its replicas, and to nobody else",
                    records.serverAt(seen.node), requestOf(*records.appended()));
    });
  }
  if (records.isMaster(seen.node) || memory.copied || memory.effort.with != no_server) return;
  judge(!records.isLate(seen.node, memory.effort.idle, records.config(seen.node).sync_retry_ms), [&] {
    return phrase("{server}, a replica without its master's data, does not ask {master} for it",
                  records.serverAt(seen.node), Phrase::server(memory.master));
  });
}

/// What a replica has after it has read a message of replication.
void copiesAsSent(Records& records, const Happened<Family>& seen, Judge judge) {
  NodeRecord& memory = records.own(seen.node);
  if (!records.isRunning(seen.node, NodeKind::redis)) return;
  if (seen.kind == Kind::step_over) judgeHandedOn(records, seen, judge);
  if (records.readsLate()) return;
  if (const auto* append = recordIn<AppendEntry>(seen)) {
    if (records.isMaster(seen.node)) return;
    const auto* copied = records.input<Replicate>();
    const bool sent = copied != nullptr && copied->entry == append->entry &&
                      records.sender() == memory.master && records.copiedBefore() && records.appends() == 1;
    judge(sent, [&] {
      return phrase("{server}, a replica, appends {request}, which its master does not send",
                    records.serverAt(seen.node), requestOf(append->entry));
    });
    return;
  }
  if (seen.kind == Kind::written) {
    if (!holds_alternative<ReplaceData>(*seen.record)) return;
    judge(records.input<FullSync>() != nullptr && records.sender() == memory.master, [&] {
      return phrase("{server} replaces its data with what is not its master's", records.serverAt(seen.node));
    });
    return;
  }
  if (records.isMaster(seen.node) || records.sender() != memory.master || records.copy() == nullptr) return;
  if (records.input<FullSync>() != nullptr) {
    judge(memory.data == records.copy()->data, [&] {
      return phrase("{server} has {count} writes after {master} has sent it {all}",
                    records.serverAt(seen.node), std::ssize(memory.data), Phrase::server(memory.master),
                    std::ssize(records.copy()->data));
    });
  } else if (records.input<Replicate>() != nullptr && records.copiedBefore()) {
    judge(std::ssize(memory.data) == records.copy()->offset, [&] {
      return phrase("{server} has {count} writes after {master} has sent it {all}",
                    records.serverAt(seen.node), std::ssize(memory.data), Phrase::server(memory.master),
                    records.copy()->offset);
    });
  }
}

void judgeRole(Records& records, const Happened<Family>& seen, Judge judge) {
  const ServerId self = records.id(seen.node);
  const NodeRecord& memory = records.own(seen.node);
  if (const auto* save = recordIn<SaveMaster>(seen)) {
    const auto* order = records.input<ReplicaOf>();
    judge(order != nullptr && order->master.value_or(self) == save->master, [&] {
      return phrase("{server} follows {master}, as nobody tells it to", Phrase::server(self),
                    Phrase::server(save->master));
    });
  } else if (seen.kind == Kind::step_over) {
    const auto* order = records.input<ReplicaOf>();
    if (order == nullptr) return;
    judge(memory.master == order->master.value_or(self), [&] {
      return phrase("{server} is told to follow {master}, and follows {other}", Phrase::server(self),
                    Phrase::server(order->master.value_or(self)), Phrase::server(memory.master));
    });
  }
}

void reportsTrue(Records& records, const Happened<Family>& seen, Judge judge) {
  NodeRecord& memory = records.own(seen.node);
  if (!records.isRunning(seen.node, NodeKind::redis)) return;
  judgeRole(records, seen, judge);
  if (seen.kind == Kind::step_over) return judgeReplied(records, seen.node, judge);
  const bool master = records.isMaster(seen.node);
  const auto untrue = [&] { return phrase("{server} tells what is not so", records.serverAt(seen.node)); };
  if (const auto* info = sentIn<InfoReply>(seen)) {
    judge((info->role == RedisRole::master) == master && info->master == memory.master &&
              info->offset == std::ssize(memory.data) &&
              info->priority == records.config(seen.node).priority &&
              (!info->link_up || (memory.copied && !master)),
          untrue);
  } else if (const auto* all = sentIn<FullSync>(seen)) {
    judge(all->data == memory.data && (master || memory.copied), untrue);
  } else if (const auto* one = sentIn<Replicate>(seen)) {
    judge(records.appended() == one->entry, untrue);
  } else if (const auto* synced = eventIn<Synced>(seen)) {
    const Data& before = records.dataBefore();
    const auto same = std::mismatch(before.begin(), before.end(), memory.data.begin(), memory.data.end());
    judge(synced->master == memory.master && synced->offset == std::ssize(memory.data) &&
              synced->discarded == before.end() - same.first,
          untrue);
  } else if (const auto* role = eventIn<RoleChanged>(seen)) {
    judge((role->to == RedisRole::master) == master && role->master == memory.master &&
              role->offset == std::ssize(memory.data),
          untrue);
  }
}

bool needsReplicas(const Cluster<Family>& cluster) {
  return cluster.rules.writes_accepted == WritesAccepted::with_replicas;
}

void enoughReplicas(Records& records, const Happened<Family>& seen, Judge judge) {
  const auto* reply = sentIn<WriteReply>(seen);
  const Config& config = records.config(seen.node);
  NodeRecord& memory = records.own(seen.node);
  if (reply == nullptr || reply->result != WriteResult::ok || !memory.running ||
      config.min_replicas_to_write == 0)
    return;
  // Lags are whole seconds, and a master looks for them once a second.
  const auto count = std::count_if(memory.replicas.begin(), memory.replicas.end(), [&](ServerId replica) {
    return !records.isLate(seen.node, memory.reports[replica], config.min_replicas_max_lag_ms + 2000);
  });
  judge(count >= config.min_replicas_to_write, [&] {
    return phrase("{server} accepts a write with {count} replicas, and needs {all}",
                  records.serverAt(seen.node), count, config.min_replicas_to_write);
  });
}

// ---- clients

/// A client with a request asks one sentinel after the other, and the master that one of them names; when
/// nobody's answer is due, it tries again soon.
void judgeEffort(Records& records, const Happened<Family>& seen, Judge judge) {
  const NodeRecord& memory = records.own(seen.node);
  const Config& config = records.config(seen.node);
  if (seen.kind == Kind::sent) {
    if (!holds_alternative<GetMaster>(*seen.content)) return;
    judge(seen.to == memory.turn && memory.reaches, [&] {
      return phrase("{client} asks {node}, to which it has no connection", records.who(seen.node),
                    Phrase::node(seen.to));
    });
    return;
  }
  if (seen.kind == Kind::dialled) {
    const bool is_turn =
        isIn(config.sentinels, seen.to)
            ? seen.to == memory.turn
            : seen.to == memory.named || (memory.request && seen.to == memory.request->server);
    judge(is_turn, [&] {
      return phrase("{client} turns to {node}, whose turn it is not", records.who(seen.node),
                    Phrase::node(seen.to));
    });
    return;
  }
  if (!memory.request) return;
  if (seen.kind == Kind::timer && seen.timer.kind == TimerKind::answer_limit) {
    judge(records.hasPassed(memory.began.at, config.answer_limit_ms),
          [&] { return phrase("{client} gives up its request before its limit", records.who(seen.node)); });
  }
  if (seen.kind == Kind::step_over) {
    judge(!records.isLate(seen.node, memory.began, config.answer_limit_ms), [&] {
      return phrase("{client} waits for an answer, although its limit is over", records.who(seen.node));
    });
  }
  judge(memory.effort.with != no_server ||
            !records.isLate(seen.node, memory.effort.idle, config.client_retry_ms),
        [&] { return phrase("{client} waits, and asks nobody", records.who(seen.node)); });
}

void clientToldTrue(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!records.isRunning(seen.node, NodeKind::client)) return;
  if (seen.kind != Kind::event) return judgeEffort(records, seen, judge);
  const auto* answered = eventIn<Answered>(seen);
  if (answered == nullptr || !records.ended()) return;
  const auto wrong = [&] {
    return phrase("{client} takes request {number} for done, which nobody has answered so",
                  records.who(seen.node), answered->number);
  };
  if (answered->outcome == Outcome::ok && answered->operation == Operation::write) {
    const auto* reply = records.input<WriteReply>();
    judge(reply != nullptr && reply->number == answered->number && reply->result == WriteResult::ok &&
              reply->offset == answered->offset && answered->server == records.sender(),
          wrong);
  } else if (answered->outcome == Outcome::ok) {
    const auto* reply = records.input<ReadReply>();
    const bool there = records.ended()->server == records.sender();
    judge(reply != nullptr && reply->number == answered->number && reply->value == answered->value &&
              reply->offset == answered->offset && answered->server == records.sender() &&
              (reply->master || there),
          wrong);
  } else if (answered->outcome == Outcome::refused && answered->operation == Operation::write) {
    const auto executed = records.shared().executed.find({records.id(seen.node), answered->number});
    judge(executed == records.shared().executed.end(), [&] {
      return phrase("{client} takes write {number} for refused, which was executed", records.who(seen.node),
                    answered->number);
    });
  }
}

// ---- sentinels

bool isSentinel(Records& records, int node) { return records.isRunning(node, NodeKind::sentinel); }
ServerId masterOnDisk(Records& records, int node) {
  const ServerId master = records.own(node).disk.master;
  return master == no_server ? records.config(node).master : master;
}

void savedBeforeTold(Records& records, const Happened<Family>& seen, Judge judge) {
  if (seen.kind == Kind::started) {
    return judge(records.findsItsDisk(), [&] {
      return phrase("{server} starts, and does not find on its disk what it has written",
                    records.serverAt(seen.node));
    });
  }
  if (!isSentinel(records, seen.node)) return;
  const Durable& disk = records.own(seen.node).disk;
  const auto unsaved = [&] {
    return phrase("{server} tells other sentinels what is not on its disk", records.serverAt(seen.node));
  };
  if (const auto* named = sentIn<MasterIs>(seen)) {
    const ServerId master = masterOnDisk(records, seen.node);
    return judge(named->master == master, [&] {
      return phrase("{server} names the master {other} to {client}; on its disk is {master}",
                    records.serverAt(seen.node), Phrase::server(named->master), Phrase::client(seen.to),
                    Phrase::server(master));
    });
  }
  if (const auto* hello = sentIn<Hello>(seen)) {
    judge(*hello == Hello{records.id(seen.node), disk.current_epoch, disk.config_epoch,
                          masterOnDisk(records, seen.node)},
          unsaved);
  } else if (const auto* question = sentIn<IsMasterDown>(seen)) {
    const bool own = question->candidate && records.cluster().rules.votes_of == VotesOf::own_attempt;
    judge(question->epoch == (own ? records.own(seen.node).attempt : disk.current_epoch) &&
              question->epoch <= disk.current_epoch,
          unsaved);
  } else if (const auto* answer = sentIn<IsMasterDownReply>(seen); answer != nullptr && answer->vote.leader) {
    judge(answer->vote.epoch <= disk.leader_epoch && answer->vote.epoch <= disk.current_epoch, unsaved);
  }
}

/// Whether what it answers about its master is what it has reported to see.
void judgeAnswer(Records& records, const Happened<Family>& seen, const IsMasterDownReply& answer,
                 Judge judge) {
  NodeRecord& memory = records.own(seen.node);
  const auto* question = records.input<IsMasterDown>();
  const bool down = answer.master == memory.follows && memory.watched[memory.follows].down && !memory.tilt;
  judge(question != nullptr && answer.master == question->master && answer.down == down, [&] {
    return phrase("{server} answers about {master} what it does not see", records.serverAt(seen.node),
                  Phrase::server(answer.master));
  });
}

bool namesNewerConfiguration(Records& records, const Happened<Family>& seen, const SaveConfig& config) {
  const NodeRecord& memory = records.own(seen.node);
  const auto* hello = records.input<Hello>();
  if (hello == nullptr)
    return config.epoch == memory.attempt && memory.elected && config.master == memory.selected;
  const bool kept = hello->master == memory.follows;  // another rule keeps its own master
  return config.epoch == hello->config_epoch && config.epoch > records.diskBefore().config_epoch &&
         (config.master == hello->master || (kept && config.master == memory.selected));
}

/// Roles are reported when they change, as far as the servers have told.
void judgeRoleReport(Records& records, const Happened<Family>& seen, Judge judge) {
  const NodeRecord& memory = records.own(seen.node);
  const auto* info = records.input<InfoReply>();
  const auto wrong = [&] {
    return phrase("{server} reports another change of a role than it is told", records.serverAt(seen.node));
  };
  if (const auto* told = eventIn<RoleReported>(seen)) {
    const bool expected = (told->role == RedisRole::master) == (told->instance == memory.follows);
    judge(info != nullptr && told->instance == records.sender() && told->role == info->role &&
              told->expected == expected,
          wrong);
  } else if (seen.kind == Kind::step_over && info != nullptr) {
    judge(records.hasToldRole() == (info->role != records.roleBefore()), wrong);
  }
}

/// Whom a sentinel takes for another one.
void judgeKnown(Records& records, const Happened<Family>& seen, Judge judge) {
  const auto unknown = [&](ServerId other) {
    return phrase("{server} takes {node} for a sentinel that it has just heard of",
                  records.serverAt(seen.node), Phrase::node(other));
  };
  if (const auto* found = eventIn<SentinelFound>(seen)) {
    const auto* hello = records.input<Hello>();
    judge(hello != nullptr && hello->sentinel == found->sentinel && records.hasFound(),
          [&] { return unknown(found->sentinel); });
  } else if (sentIn<IsMasterDown>(seen) != nullptr) {
    judge(records.own(seen.node).known.contains(seen.to), [&] { return unknown(seen.to); });
  }
}

void configurationAsHeard(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isSentinel(records, seen.node)) return;
  const NodeRecord& memory = records.own(seen.node);
  judgeRoleReport(records, seen, judge);
  judgeKnown(records, seen, judge);
  if (seen.kind == Kind::step_over) return judgeReplied(records, seen.node, judge);
  const auto unheard = [&] {
    return phrase("{server} takes over an epoch, a vote or a configuration that nobody has told it",
                  records.serverAt(seen.node));
  };
  const auto* hello = records.input<Hello>();
  const auto* question = records.input<IsMasterDown>();
  if (const auto* config = recordIn<SaveConfig>(seen)) {
    // A failover that is over saves its configuration again.
    if (memory.elected || hello != nullptr)
      return judge(namesNewerConfiguration(records, seen, *config), unheard);
    judge(config->epoch == records.diskBefore().config_epoch && config->master == memory.follows, unheard);
  } else if (const auto* epoch = recordIn<SaveEpoch>(seen)) {
    const std::int64_t before = records.diskBefore().current_epoch;
    const std::int64_t heard = hello != nullptr      ? hello->current_epoch
                               : question != nullptr ? question->epoch
                                                     : before + 1;
    judge(epoch->epoch == heard && heard > before, unheard);
  } else if (const auto* vote = eventIn<VoteDecided>(seen); vote != nullptr && vote->granted) {
    const bool asked = question != nullptr && question->candidate == vote->candidate &&
                       question->epoch == vote->epoch && question->master == memory.follows;
    judge(question != nullptr ? asked : vote->epoch == memory.attempt, unheard);
    judge(vote->vote == Vote{vote->candidate, vote->epoch}, unheard);
  } else if (const auto* answer = sentIn<IsMasterDownReply>(seen)) {
    judgeAnswer(records, seen, *answer, judge);
  }
}

/// Whether the sentinel has cause to see an instance down, or up again.
bool hasCause(Records& records, int node, const SubjectivelyDown& told) {
  const Config& config = records.config(node);
  const Watched& watched = records.own(node).watched[told.instance];
  const bool replica = watched.info && watched.info->role == RedisRole::replica;
  if (!told.down)
    return watched.pong.at >= watched.down_at ||
           (told.master && watched.info && watched.same_since >= watched.down_at);
  return records.hasPassed(watched.pong.at, config.down_after_ms) ||
         (told.master && replica &&
          records.hasPassed(watched.same_since, config.down_after_ms + 2 * config.info_ms));
}

bool dropsOldReports(const Cluster<Family>& cluster) {
  return cluster.rules.old_reports == OldReports::dropped;
}

/// How many sentinels see the master down, as far as answers that still count say so.
std::int64_t seersOf(Records& records, int node) {
  const Config& config = records.config(node);
  NodeRecord& memory = records.own(node);
  if (!memory.watched[memory.follows].down) return 0;
  std::int64_t count = 1;
  for (const ServerId sentinel : config.sentinels) {
    const Watched& peer = memory.watched[sentinel];
    count += sentinel != records.id(node) && peer.sees_down == memory.follows &&
             !records.isLate(node, peer.sees_at, asks_of_answers * config.ask_ms);
  }
  return count;
}

/// What a sentinel sends to an instance at intervals.
template <class Early>
void judgeInterval(Records& records, const Happened<Family>& seen, Judge judge, const Early& early) {
  NodeRecord& memory = records.own(seen.node);
  const Config& config = records.config(seen.node);
  const Watched& watched = memory.watched[seen.to];
  if (sentIn<Hello>(seen) != nullptr) {
    judge(records.hasHelloPassed(), early);
  } else if (sentIn<Ping>(seen) != nullptr) {
    // One may be due from before the connection, whose beginning is not seen if the other side opens it.
    if (watched.pongs < 2 || !isIn(config.redis, seen.to)) return;
    judge(records.hasPassed(watched.pong.at, std::min(config.down_after_ms, config.ping_ms)), early);
  } else if (sentIn<Info>(seen) != nullptr && watched.info) {
    const bool lost = watched.info->role == RedisRole::replica && !watched.info->link_up;
    const bool soon = seen.to != memory.follows && (memory.odown || memory.attempt != 0 || lost);
    judge(records.hasPassed(watched.info_at.at, soon ? config.info_in_failover_ms : config.info_ms), early);
  }
}

/// Whether a failover, or the election before it, has lasted too long at a tick.
bool isOverdue(Records& records, int node) {
  NodeRecord& memory = records.own(node);
  const Config& config = records.config(node);
  // A tick notices what a timer has said since the last one.
  const Millis ticks = 2 * config.tick_max_ms;
  switch (memory.state) {
    case FailoverState::WAIT_START:
      return records.isLate(node, *memory.postponed,
                            std::min(config.election_timeout_max_ms, config.failover_timeout_ms) +
                                config.desync_max_ms + ticks);
    case FailoverState::SEND_REPLICAOF:
    case FailoverState::WAIT_PROMOTION:
      return records.isLate(node, memory.state_since, config.failover_timeout_ms + ticks);
    case FailoverState::RECONF_REPLICAS: {
      const Watched& promoted = memory.watched[memory.selected];
      return !promoted.down && records.isLate(node, promoted.up, ticks) &&
             records.isLate(node, memory.state_since, config.failover_timeout_ms + ticks);
    }
    default: return false;
  }
}

/// What a sentinel reports that it does when a time is over.
template <class Early>
void judgeTimes(Records& records, const Happened<Family>& seen, Judge judge, const Early& early) {
  const NodeRecord& memory = records.own(seen.node);
  const Config& config = records.config(seen.node);
  if (const auto* told = eventIn<SubjectivelyDown>(seen)) {
    judge(hasCause(records, seen.node, *told), early);
  } else if (const auto* quorum = eventIn<ObjectivelyDown>(seen); quorum != nullptr && quorum->down) {
    if (dropsOldReports(records.cluster())) judge(seersOf(records, seen.node) >= config.quorum, early);
  } else if (eventIn<TryFailover>(seen) != nullptr) {
    const auto before = records.postponedBefore();
    if (before) judge(records.hasPassed(*before, 2 * config.failover_timeout_ms), early);
  } else if (const auto* aborted = eventIn<FailoverAborted>(seen)) {
    if (aborted->reason == AbortReason::not_elected) {
      judge(records.hasPassed(memory.state_since.at,
                              std::min(config.election_timeout_max_ms, config.failover_timeout_ms)),
            early);
    } else if (aborted->reason == AbortReason::replica_timeout) {
      judge(records.hasPassed(memory.state_since.at, config.failover_timeout_ms), early);
    }
  } else if (const auto* ended = eventIn<FailoverEnded>(seen); ended != nullptr && ended->timed_out) {
    judge(records.hasPassed(memory.state_since.at, config.failover_timeout_ms), early);
  } else if (const auto* corrected = eventIn<Corrected>(seen)) {
    const Watched& watched = records.own(seen.node).watched[corrected->instance];
    const Millis wait = corrected->correction == Correction::convert_to_replica
                            ? hellos_of_masters * config.hello_ms
                            : config.failover_timeout_ms;
    judge(records.hasPassed(watched.same_since, wait), early);
  }
}

void waitsLongEnough(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isSentinel(records, seen.node)) return;
  NodeRecord& memory = records.own(seen.node);
  const auto early = [&] {
    return phrase("{server} does not wait as long as it has to", records.serverAt(seen.node));
  };
  if (seen.kind == Kind::sent) {
    judgeInterval(records, seen, judge, early);
  } else if (seen.kind == Kind::event) {
    judgeTimes(records, seen, judge, early);
  } else if (seen.kind == Kind::timer && seen.timer.kind == TimerKind::detached) {
    const auto& info = memory.watched[seen.timer.key].info;
    judge(info && info->role == RedisRole::replica && !info->link_up, [&] {
      return phrase("{server} still counts for how long {replica} has been without the master that it copies",
                    records.serverAt(seen.node), Phrase::server(seen.timer.key));
    });
  } else if (seen.kind == Kind::step_over && records.isTick() && !memory.tilt) {
    judge(!isOverdue(records, seen.node), [&] {
      return phrase("{server} goes on with a failover for longer than it may", records.serverAt(seen.node));
    });
  }
}

/// Whether a replica that was told the new master may have been counted as done without having been.
bool isGivenUp(Records& records, int node, const Watched& replica) {
  return replica.told && !replica.obeys &&
         records.hasPassed(*replica.told, records.config(node).reconf_timeout_ms);
}

/// A failover ends when all other replicas that answer have the new master's data, or when it takes too long.
void judgeEnd(Records& records, const Happened<Family>& seen, const FailoverEnded& ended, Judge judge) {
  NodeRecord& memory = records.own(seen.node);
  bool all = true;
  bool perhaps = true;
  for (const ServerId other : records.othersOf(seen.node)) {
    const Watched& watched = memory.watched[other];
    const bool done = watched.done || watched.down;
    all = all && done;
    perhaps = perhaps && (done || isGivenUp(records, seen.node, watched));
  }
  judge(ended.timed_out ? !all : perhaps, [&] {
    return phrase("{server} ends its failover, and is wrong about what the other replicas have done",
                  records.serverAt(seen.node));
  });
}

/// No more replicas are told at a time than may be without a master.
void judgeTold(Records& records, const Happened<Family>& seen, Judge judge) {
  NodeRecord& memory = records.own(seen.node);
  std::int64_t told = 0;
  for (const ServerId other : records.othersOf(seen.node)) {
    const Watched& watched = memory.watched[other];
    told += watched.told && !watched.done && !isGivenUp(records, seen.node, watched);
  }
  const std::int64_t most = records.config(seen.node).parallel_syncs;
  judge(told <= most, [&] {
    return phrase("{server} has told {count} replicas at a time to follow the new master, and may tell {all}",
                  records.serverAt(seen.node), told, most);
  });
}

/// A replica that has been told long ago, and does not obey, is waited for no longer.
void judgeGivenUp(Records& records, const Happened<Family>& seen, Judge judge) {
  const Watched& watched = records.own(seen.node).watched[records.overdue()];
  judge(records.hasGivenUp() == (watched.told && !watched.obeys), [&] {
    return phrase("{server} is wrong about whether {replica} obeys in time", records.serverAt(seen.node),
                  Phrase::server(records.overdue()));
  });
}

void commandsFollowConfiguration(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isSentinel(records, seen.node)) return;
  const NodeRecord& memory = records.own(seen.node);
  if (const auto* ended = eventIn<FailoverEnded>(seen)) return judgeEnd(records, seen, *ended, judge);
  if (seen.kind == Kind::step_over) {
    if (records.overdue() != no_server) judgeGivenUp(records, seen, judge);
    if (!records.hasEndedFailover()) return;
    return judge(records.untold() == records.toldLast(), [&] {
      return phrase("{server} ends its failover, and tells others than those that it has not told before",
                    records.serverAt(seen.node));
    });
  }
  const auto* order = sentIn<ReplicaOf>(seen);
  if (order == nullptr) return;
  if (order->master && records.isTick()) judgeTold(records, seen, judge);
  const ServerId master = order->master.value_or(no_server);
  const bool promotes = !order->master && memory.elected && seen.to == memory.selected;
  // A server that reports another role or master is corrected; the others are told when a failover has come
  // to it.
  const bool corrects = records.input<InfoReply>() != nullptr;
  if (corrects) {
    const Watched& watched = records.own(seen.node).watched[memory.follows];
    judge(watched.info && watched.info->role == RedisRole::master && !watched.down && !memory.odown, [&] {
      return phrase(
          "{server} corrects {replica}, although {master} has not said that it is a master, or is down",
          records.serverAt(seen.node), Phrase::server(seen.to), Phrase::server(memory.follows));
    });
  }
  const bool published = master == (corrects ? memory.follows : masterOnDisk(records, seen.node));
  judge(promotes || (order->master && published && seen.to != master), [&] {
    return phrase("{server} tells {replica} to follow {master}, against its configuration",
                  records.serverAt(seen.node), Phrase::server(seen.to),
                  Phrase::server(order->master.value_or(seen.to)));
  });
}

enum class Fitness : std::uint8_t { fit, perhaps, unfit };

/// Whether a replica may be promoted, as far as the clocks of the servers permit to know it.
Fitness fitnessOf(Records& records, int node, ServerId replica) {
  const Config& config = records.config(node);
  const Watched& watched = records.own(node).watched[replica];
  const Millis limit = pings_of_candidates * config.ping_ms;
  if (watched.down || !watched.info || watched.info->priority == 0) return Fitness::unfit;
  // The sentinel's timers have whole milliseconds, and it decides at its ticks.
  if (records.isLate(node, watched.pong, limit) || records.isLate(node, watched.info_at, limit))
    return Fitness::unfit;
  const bool fresh =
      !records.hasPassed(watched.pong.at, limit) && !records.hasPassed(watched.info_at.at, limit);
  return fresh && watched.info->link_up && !watched.interrupted ? Fitness::fit : Fitness::perhaps;
}

void fitReplicaChosen(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isSentinel(records, seen.node)) return;
  NodeRecord& memory = records.own(seen.node);
  if (const auto* aborted = eventIn<FailoverAborted>(seen);
      aborted != nullptr && aborted->reason == AbortReason::no_good_replica) {
    for (const ServerId server : records.config(seen.node).redis) {
      if (server == memory.follows) continue;
      judge(fitnessOf(records, seen.node, server) != Fitness::fit, [&] {
        return phrase("{server} finds no replica to promote, although {best} is there",
                      records.serverAt(seen.node), Phrase::server(server));
      });
    }
  }
  const auto* selected = eventIn<ReplicaSelected>(seen);
  if (selected == nullptr) return;
  const auto rank = [&](ServerId server) {
    const InfoReply info = memory.watched[server].info.value_or(InfoReply{});
    return std::tuple(info.priority, -info.offset, server);
  };
  for (const Candidate& one : selected->among) {
    judge(fitnessOf(records, seen.node, one.id) != Fitness::unfit && one.id != memory.follows, [&] {
      return phrase("{server} thinks of promoting {replica}, which does not answer",
                    records.serverAt(seen.node), Phrase::server(one.id));
    });
  }
  if (records.cluster().rules.replica_choice != ReplicaChoice::priority_offset_id) return;
  for (const ServerId server : records.config(seen.node).redis) {
    if (server == memory.follows || fitnessOf(records, seen.node, server) != Fitness::fit) continue;
    judge(rank(selected->replica) <= rank(server), [&] {
      return phrase("{server} promotes {replica}, although {best} is there", records.serverAt(seen.node),
                    Phrase::server(selected->replica), Phrase::server(server));
    });
  }
}

constexpr std::array run_invariants{
    RunInvariant{
        {"answers-as-executed",
         "a server answers that a write is done when it is a master and has executed it, once and because "
         "the client asks; a read returns the last write that the server has"},
        &answersAsExecuted,
        kindBits(Kind::sent, Kind::written)},
    RunInvariant{
        {"copies-as-sent",
         "a replica asks for its master's data until it has it; it has what its master had when it sent its "
         "data, and then each write that it is sent; each write goes on to all replicas"},
        &copiesAsSent,
        kindBits(Kind::written, Kind::step_over)},
    RunInvariant{
        {"reports-true",
         "a server follows whom a sentinel tells it to and answers what it is asked, and what it reports to "
         "sentinels and replicas is so"},
        &reportsTrue,
        kindBits(Kind::sent, Kind::written, Kind::event, Kind::step_over)},
    RunInvariant{{"enough-replicas",
                  "a master accepts a write if as many replicas as it needs have reported within the limit"},
                 &enoughReplicas,
                 kindBits(Kind::sent),
                 &needsReplicas},
    RunInvariant{{"client-told-true",
                  "a client asks one sentinel after the other, and then the master that one of them names, "
                  "until its limit; it takes a request for done, or for refused, only if a server has "
                  "answered so"},
                 &clientToldTrue,
                 kindBits(Kind::event, Kind::sent, Kind::dialled, Kind::timer, Kind::step_over)},
    RunInvariant{
        {"saved-before-told",
         "what a sentinel tells others about epochs, its vote, its configuration and the master is on its "
         "disk, and a server that starts finds there what it has written"},
        &savedBeforeTold,
        kindBits(Kind::sent, Kind::started)},
    RunInvariant{
        {"configuration-as-heard",
         "a sentinel takes over an epoch or a configuration as another one tells it, or as its own failover "
         "decides; it votes for who asks, answers each question with what it sees, and reports sentinels and "
         "roles as it hears of them"},
        &configurationAsHeard,
        kindBits(Kind::sent, Kind::written, Kind::event, Kind::step_over)},
    RunInvariant{
        {"waits-long-enough",
         "a sentinel asks an instance again, sees it down, begins another failover, gives one up and "
         "corrects "
         "a server only after the time that is configured for it; a failover lasts no longer than it may"},
        &waitsLongEnough,
        kindBits(Kind::sent, Kind::event, Kind::timer, Kind::step_over)},
    RunInvariant{{"commands-follow-configuration",
                  "a sentinel promotes only the replica that it has chosen when it was elected, and makes "
                  "others follow only the master of its configuration, no more at a time than it may; its "
                  "failover ends when all have done so, or takes too long"},
                 &commandsFollowConfiguration,
                 kindBits(Kind::sent, Kind::event, Kind::step_over)},
    RunInvariant{
        {"fit-replica-chosen",
         "a replica that does not answer is not promoted, nor one with a lower rank than one that does, and "
         "one is if it answers and copies the master"},
        &fitReplicaChosen,
        kindBits(Kind::event)},
};

}  // namespace

std::span<const zablab::Invariant<Records>> runInvariants() { return run_invariants; }

}  // namespace zablab::sentinel
