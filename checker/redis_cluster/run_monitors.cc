#include "checker/redis_cluster/run_monitors.h"

#include <algorithm>
#include <array>

namespace zablab::redis_cluster {
namespace {

using RunInvariant = zablab::Invariant<Records>;

// Of src/cluster.c, Redis 7.0.15.
constexpr Millis election_delay_ms = 500;
constexpr Millis rank_ms = 1000;
constexpr Millis manual_limit_ms = 5000;
constexpr Millis other_master_ms = 500;  // Valkey, pull request 1018
constexpr Millis cron_ms = 100;
constexpr Millis acknowledgement_most_ms = 44;

template <class M>
const M* sentIn(const Happened<Family>& seen) {
  return seen.kind == Kind::sent && seen.node >= 0 && seen.how != SentHow::copy ? get_if<M>(seen.content)
                                                                                : nullptr;
}
bool isNode(Records& records, int node) { return node >= 0 && records.own(node).running; }
std::int64_t offsetOf(const NodeRecord& memory) { return static_cast<std::int64_t>(memory.history.size()); }

bool isIn(const std::vector<ServerId>& all, ServerId one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}
/// Whether these are all other nodes. What it sends to its master may wait for an acknowledgement.
bool areOthers(Records& records, int node, const std::vector<ServerId>& told) {
  const NodeRecord& memory = records.own(node);
  return std::all_of(memory.conf.nodes.begin(), memory.conf.nodes.end(), [&](const auto& one) {
    return one.first == records.id(node) || isIn(told, one.first) ||
           (memory.delayed && one.first == memory.delayed_to);
  });
}

// ---- clients and data

void judgeReply(Records& records, const Happened<Family>& seen, const Reply& reply, Judge judge) {
  NodeRecord& memory = records.own(seen.node);
  const auto wrong = [&] {
    return phrase(
        "{server} answers request {number} with {value}, which is not what it has executed, or not its to "
        "answer",
        records.serverAt(seen.node), reply.number, reply.value);
  };
  const auto owns = [&](Slot slot) {
    const auto at = memory.conf.slots.find(slot);
    return at != memory.conf.slots.end() && at->second == records.id(seen.node);
  };
  if (const auto set = memory.sets.find(reply.number); set != memory.sets.end()) {
    const Entry& entry = set->second;
    return judge(
        records.answered() == entry && reply.value == entry.value && owns(entry.slot) && memory.serves,
        wrong);
  }
  const auto get = memory.gets.find(reply.number);
  if (get == memory.gets.end()) return judge(false, wrong);
  const auto last = std::find_if(memory.history.rbegin(), memory.history.rend(),
                                 [&](const Entry& entry) { return entry.slot == get->second; });
  const std::int64_t value = last == memory.history.rend() ? 0 : last->value;
  judge(reply.value == value && owns(get->second) && memory.serves, wrong);
}

/// At the end of a step: whoever asks is answered, or waits for the end of a manual failover.
void judgeAnswered(Records& records, int node, Judge judge) {
  const NodeRecord& memory = records.own(node);
  const auto unanswered = [&] {
    return phrase("{server} does not answer a request, or more than once", records.serverAt(node));
  };
  const auto* set = records.input<Set>();
  if (set != nullptr || records.input<Get>() != nullptr) {
    const bool waits = set != nullptr && memory.postponed.contains(set->number);
    judge(records.done().answers == (waits ? 0 : 1), unanswered);
  }
  if (!memory.postponed.empty()) judge(memory.paused, unanswered);
}

void answersAsExecuted(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isNode(records, seen.node)) return;
  NodeRecord& memory = records.own(seen.node);
  if (seen.kind == Kind::step_over) return judgeAnswered(records, seen.node, judge);
  if (const auto* down = sentIn<ClusterDown>(seen)) {
    const auto set = memory.sets.find(down->number);
    const auto get = memory.gets.find(down->number);
    const Slot slot = set != memory.sets.end()   ? set->second.slot
                      : get != memory.gets.end() ? get->second
                                                 : 0;
    judge(!memory.serves || records.ownerOf(seen.node, slot) == no_server, [&] {
      return phrase("{server} refuses request {number}, although it serves", records.serverAt(seen.node),
                    down->number);
    });
    return;
  }
  if (const auto* reply = sentIn<Reply>(seen)) {
    judgeReply(records, seen, *reply, judge);
  } else if (const auto* append = recordIn<AppendEntry>(seen);
             append != nullptr && records.isMaster(seen.node)) {
    const bool asked = std::any_of(memory.sets.begin(), memory.sets.end(),
                                   [&](const auto& set) { return set.second == append->entry; });
    judge(asked && records.unanswered() == 1, [&] {
      return phrase("{server} executes a write of {value}, for which nobody asks it",
                    records.serverAt(seen.node), append->entry.value);
    });
    if (records.cluster().rules.manual_writes != ManualWrites::postponed) return;
    judge(!memory.paused, [&] {
      return phrase("{server} executes a write of {value}, although its replica is about to replace it",
                    records.serverAt(seen.node), append->entry.value);
    });
  } else if (const auto* moved = sentIn<Moved>(seen)) {
    const bool owner = std::any_of(memory.conf.slots.begin(), memory.conf.slots.end(),
                                   [&](const auto& slot) { return slot.second == moved->to; });
    judge(owner && moved->to != records.id(seen.node) && memory.serves, [&] {
      return phrase("{server} redirects request {number} to {other}, which is not the slot's owner",
                    records.serverAt(seen.node), moved->number, Phrase::server(moved->to));
    });
  }
}

void copiesAsSent(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isNode(records, seen.node) || records.readsLate() || records.isMaster(seen.node)) return;
  NodeRecord& memory = records.own(seen.node);
  const ServerId master = records.masterOf(seen.node);
  if (const auto* append = recordIn<AppendEntry>(seen)) {
    const auto* sent = records.input<Replicate>();
    judge(sent != nullptr && sent->entry == append->entry && records.sender() == master &&
              records.copiedBefore() && records.appends() == 1,
          [&] {
            return phrase("{server}, a replica, executes a write of {value}, which its master does not send",
                          records.serverAt(seen.node), append->entry.value);
          });
    return;
  }
  if (seen.kind == Kind::written) {
    if (!holds_alternative<SaveHistory>(*seen.record)) return;
    judge(records.input<FullResync>() != nullptr && records.sender() == master, [&] {
      return phrase("{server} replaces its data with what is not its master's", records.serverAt(seen.node));
    });
    return;
  }
  if (records.sender() != master || records.copy() == nullptr) return;
  const auto differs = [&] {
    return phrase("{server} does not have what {master} has sent it", records.serverAt(seen.node),
                  Phrase::server(master));
  };
  if (records.input<FullResync>() != nullptr) {
    judge(memory.history == records.copy()->history, differs);
  } else if (records.input<Replicate>() != nullptr && records.copiedBefore()) {
    judge(offsetOf(memory) == records.copy()->offset, differs);
  }
}

/// A client asks the node whose turn it is, and ends its request with the answer, or at its limit.
void judgeAsking(Records& records, const Happened<Family>& seen, Judge judge) {
  const auto& asking = records.own(seen.node).asking;
  const auto wrong = [&] {
    return phrase("{client} asks a node whose turn it is not, or for something else", records.who(seen.node));
  };
  if (const auto* set = sentIn<Set>(seen)) {
    judge(asking && seen.to == asking->turn && asking->request.operation == Operation::write &&
              *set == Set{asking->request.slot, asking->request.value, asking->request.number},
          wrong);
  } else if (const auto* get = sentIn<Get>(seen)) {
    judge(asking && seen.to == asking->turn && asking->request.operation == Operation::read &&
              *get == Get{asking->request.slot, asking->request.number},
          wrong);
  }
  const Millis limit = records.config(seen.node).request_limit_ms;
  if (seen.kind == Kind::timer && asking) {
    judge(records.hasPassed(asking->began.at, limit),
          [&] { return phrase("{client} gives up its request before its limit", records.who(seen.node)); });
  } else if (seen.kind == Kind::step_over) {
    const auto& before = records.done().asking;
    const auto* down = records.input<ClusterDown>();
    const auto* reply = records.input<Reply>();
    const std::int64_t number = down != nullptr ? down->number : reply != nullptr ? reply->number : -1;
    const bool told = before && before->turn == records.sender() && before->request.number == number;
    judge((!told || records.done().ends) && (!asking || !records.isLate(seen.node, asking->began, limit)),
          [&] {
            return phrase("{client} waits for an answer, although it has one or its limit is over",
                          records.who(seen.node));
          });
  }
}

void judgeRefused(Records& records, const Happened<Family>& seen, const Answered& answered, Judge judge) {
  const auto& before = records.done().asking;
  const auto* down = records.input<ClusterDown>();
  const bool busy = answered.outcome == Outcome::busy;
  const bool refused = down != nullptr && down->number == answered.request && answered.by == records.sender();
  const bool unknown = before && before->request.number == answered.request && answered.by == before->turn;
  const bool holds = busy ? before.has_value() : answered.outcome == Outcome::refused ? refused : unknown;
  judge(holds && answered.value == 0, [&] {
    return phrase("{client} reports of request {number} what nobody has told it", records.who(seen.node),
                  answered.request);
  });
}

void clientToldTrue(Records& records, const Happened<Family>& seen, Judge judge) {
  if (seen.node < 0 || !records.isClient(seen.node)) return;
  if (seen.kind != Kind::event) return judgeAsking(records, seen, judge);
  const auto* answered = eventIn<Answered>(seen);
  if (answered == nullptr) return;
  if (answered->outcome != Outcome::ok) return judgeRefused(records, seen, *answered, judge);
  const auto* reply = records.input<Reply>();
  judge(reply != nullptr && reply->number == answered->request && reply->value == answered->value &&
            answered->by == records.sender(),
        [&] {
          return phrase("{client} takes request {number} for done, which nobody has answered so",
                        records.who(seen.node), answered->request);
        });
}

// ---- what nodes tell

bool isHeaderTrue(Records& records, int node, const Header& header) {
  const NodeRecord& memory = records.own(node);
  const ServerId self = records.id(node);
  const ServerId master = records.masterOf(node);
  if (header.master != master || header.offset != offsetOf(memory)) return false;
  if (header.current_epoch < memory.conf.current_epoch || header.current_epoch > memory.epoch) return false;
  if (header.slots != records.slotsOf(node, master == no_server ? self : master)) return false;
  if (master != no_server) {
    const auto known = memory.view.find(master);
    return known != memory.view.end() && header.config_epoch == known->second.config_epoch;
  }
  return header.config_epoch == memory.conf.nodes.at(self).config_epoch && header.paused == memory.paused;
}

std::vector<ServerId> flaggedBy(const NodeRecord& memory) {
  std::vector<ServerId> list;
  for (const auto& [id, watched] : memory.watched) {
    if (watched.flag != Flag::none) list.push_back(id);
  }
  return list;
}

bool isUpdateTrue(Records& records, int node, const Update& update) {
  const auto owner = records.own(node).view.find(update.owner);
  return owner != records.own(node).view.end() && update.config_epoch == owner->second.config_epoch &&
         update.slots == records.slotsOf(node, update.owner);
}

/// Whether the node knows an owner of the slot with a higher configuration epoch than that of the claim.
bool hasNewerOwner(Records& records, int node, Slot slot, const Header& claim) {
  const auto& view = records.own(node).view;
  const auto owner = view.find(records.ownerOf(node, slot));
  return owner != view.end() && owner->second.config_epoch > claim.config_epoch;
}

/// Whether a slot that the sender claims belongs to another one, as far as this node knows, and the sender is
/// to be told so.
bool isClaimStale(Records& records, int node, const Header& claim) {
  const bool replica_too = records.cluster().rules.stale_replica == StaleReplica::told;
  return std::any_of(claim.slots.begin(), claim.slots.end(), [&](Slot slot) {
    const ServerId owner = records.ownerOf(node, slot);
    return owner != records.sender() && (owner != claim.master || replica_too) &&
           hasNewerOwner(records, node, slot, claim);
  });
}

/// At the end of a step that has read who has which slots: they are that one's, or those of who has an epoch
/// that is not lower.
bool takesClaim(Records& records, int node, ServerId owner, std::int64_t config_epoch,
                const std::vector<Slot>& slots) {
  const auto& view = records.own(node).view;
  return std::all_of(slots.begin(), slots.end(), [&](Slot slot) {
    const ServerId holder = records.ownerOf(node, slot);
    const auto known = view.find(holder);
    return holder == owner || (known != view.end() && known->second.config_epoch >= config_epoch);
  });
}

/// Whether the node has taken notice of the slots that it was told of.
bool takesClaims(Records& records, int node) {
  const Done& done = records.done();
  const NodeRecord& memory = records.own(node);
  if (const auto* update = records.input<Update>()) {
    const auto owner = memory.view.find(update->owner);
    if (owner == memory.view.end() || update->owner == records.id(node)) return true;
    return owner->second.config_epoch > update->config_epoch ||
           takesClaim(records, node, update->owner, update->config_epoch, update->slots);
  }
  if (done.told->master != no_server) return true;
  const auto* ping = records.input<Ping>();
  const auto* pong = records.input<Pong>();
  const Header& header = ping != nullptr ? ping->header : pong->header;
  return takesClaim(records, node, records.sender(), header.config_epoch, header.slots);
}

/// What a node reports of itself.
template <class Untrue>
void judgeReports(Records& records, const Happened<Family>& seen, Judge judge, const Untrue& untrue) {
  const NodeRecord& memory = records.own(seen.node);
  const ServerId master = records.masterOf(seen.node);
  if (const auto* moved = eventIn<SlotsMoved>(seen)) {
    const bool new_to_it = std::all_of(moved->slots.begin(), moved->slots.end(), [&](Slot slot) {
      return records.ownerOf(seen.node, slot) != moved->to;
    });
    judge(!moved->slots.empty() && new_to_it, untrue);
  } else if (const auto* manual = eventIn<ManualFailover>(seen)) {
    const bool here = master == no_server;
    const bool failed = !here && memory.watched.at(master).flag == Flag::FAIL;
    bool holds = manual->offset == offsetOf(memory);
    switch (manual->stage) {
      case ManualStage::requested: holds = holds && manual->with == master && !failed; break;
      case ManualStage::refused: holds = holds && manual->with == master && failed; break;
      case ManualStage::paused:
        holds = holds && here && records.input<MfStart>() != nullptr && manual->with == records.sender();
        break;
      case ManualStage::started: holds = holds && manual->with == master; break;
      case ManualStage::timed_out:
        holds = holds && records.done().expires && manual->with == (here ? memory.manual_with : master);
    }
    judge(holds, untrue);
  } else if (const auto* resynced = eventIn<Resynced>(seen)) {
    judge(resynced->master == master && resynced->offset == offsetOf(memory), untrue);
  } else if (const auto* discarded = eventIn<Discarded>(seen)) {
    judge(discarded->values == records.done().discards, untrue);
  } else if (const auto* role = eventIn<RoleChanged>(seen)) {
    judge((role->to == Role::MASTER) == (master == no_server), untrue);
  } else if (const auto* follows = eventIn<Follows>(seen)) {
    judge(follows->master == master, untrue);
  }
}

/// At the end of a step: whom a node has to tell what it has told.
void judgeTold(Records& records, const Happened<Family>& seen, Judge judge) {
  const Done& done = records.done();
  const Rules& rules = records.cluster().rules;
  NodeRecord& memory = records.own(seen.node);
  const bool announces = done.schedules || done.promoted || done.collides ||
                         (done.follows && rules.role_change == RoleChange::announced);
  const auto untold = [&] {
    return phrase("{server} does not tell others what they have to know", records.serverAt(seen.node));
  };
  if (announces) judge(areOthers(records, seen.node, done.ponged), untold);
  if (done.asks) judge(areOthers(records, seen.node, done.asked), untold);
  if (done.fails != no_server) judge(areOthers(records, seen.node, done.told_failed), untold);
  if (done.requests)
    judge(done.asks_master || (memory.delayed && memory.delayed_to == done.master_before), untold);
  if (done.instructed && done.master_before != no_server) judge(done.requests || done.refuses, untold);
  if (done.moved) {
    judge(std::all_of(done.moved->slots.begin(), done.moved->slots.end(),
                      [&](Slot slot) { return records.ownerOf(seen.node, slot) == done.moved->to; }),
          untold);
  }
  if (!memory.conf.nodes.contains(records.sender())) return;
  const bool waits = memory.delayed && records.sender() == memory.delayed_to;
  if (records.input<MfStart>() != nullptr && records.isMaster(seen.node)) {
    const auto asks = memory.view.find(records.sender());
    const bool own_replica = asks != memory.view.end() && asks->second.master == records.id(seen.node);
    judge(own_replica ? done.pauses && isIn(done.pinged, records.sender()) : !done.pauses, untold);
  }
  const auto* ping = records.input<Ping>();
  const auto* pong = records.input<Pong>();
  if (ping == nullptr && pong == nullptr) return;
  if (ping != nullptr) judge(waits || isIn(done.ponged, records.sender()), untold);
  if (isClaimStale(records, seen.node, ping != nullptr ? ping->header : pong->header))
    judge(waits || done.updates, untold);
}

/// At the end of a step: what a node has learned, and whom it sends its data.
void judgeLearned(Records& records, const Happened<Family>& seen, Judge judge) {
  const Done& done = records.done();
  NodeRecord& memory = records.own(seen.node);
  const auto wrong = [&] {
    return phrase("{server} takes for so what it was not told, or not what it was told",
                  records.serverAt(seen.node));
  };
  if (done.saves) judge(!done.forgets, wrong);
  if (done.told || records.input<Update>() != nullptr) judge(takesClaims(records, seen.node), wrong);
  const bool copied = records.input<FullResync>() != nullptr && !records.isMaster(seen.node) &&
                      records.sender() == records.masterOf(seen.node);
  if (copied) judge(done.discards.empty() == !done.discarded, wrong);
  const auto starved = [&] {
    return phrase("{server} does not send all its replicas what it executes, and signs of life",
                  records.serverAt(seen.node));
  };
  const auto appends = static_cast<std::size_t>(records.appends());
  if (done.copies != 0 || appends != 0) judge(done.copies == appends * memory.fed.size(), starved);
  if (records.isTimer(TimerKind::repl_ping) && records.isMaster(seen.node)) {
    judge(std::all_of(memory.fed.begin(), memory.fed.end(),
                      [&](ServerId replica) { return isIn(done.signs, replica); }),
          starved);
  }
}

void judgePromoted(Records& records, const Happened<Family>& seen, const Promoted& promoted, Judge judge) {
  const NodesConf& conf = records.own(seen.node).conf;
  const NodesConf& before = records.confBefore();
  const ServerId self = records.id(seen.node);
  const auto was = before.nodes.find(self);
  judge(conf.nodes.at(self) == Known{no_server, promoted.epoch} &&
            records.slotsOf(seen.node, promoted.old_master).empty() && was != before.nodes.end() &&
            was->second.master == promoted.old_master,
        [&] {
          return phrase("{server} replaces {master} in epoch {epoch}, which is not so on its disk",
                        Phrase::server(self), Phrase::server(promoted.old_master), promoted.epoch);
        });
}

void packetsTrue(Records& records, const Happened<Family>& seen, Judge judge) {
  if (seen.node < 0 || records.isClient(seen.node)) return;
  if (seen.kind == Kind::started) {
    return judge(records.findsItsDisk(), [&] {
      return phrase("{server} starts, and does not find on its disk what it has written",
                    records.serverAt(seen.node));
    });
  }
  if (!isNode(records, seen.node)) return;
  const NodeRecord& memory = records.own(seen.node);
  if (const auto* promoted = eventIn<Promoted>(seen)) return judgePromoted(records, seen, *promoted, judge);
  const auto untrue = [&] {
    return phrase("{server} tells others what is not so, or is not on its disk", records.serverAt(seen.node));
  };
  if (seen.kind == Kind::event) return judgeReports(records, seen, judge, untrue);
  if (seen.kind == Kind::step_over) {
    judgeLearned(records, seen, judge);
    return judgeTold(records, seen, judge);
  }
  if (seen.kind != Kind::sent || seen.how == SentHow::copy) return;
  if (seen.link == replication_link &&
      (holds_alternative<ReplPing>(*seen.content) || holds_alternative<Replicate>(*seen.content)))
    return judge(isIn(memory.fed, seen.to), untrue);
  if (const auto* all = get_if<FullResync>(seen.content))
    return judge(all->history == memory.history, untrue);
  const Header* header = headerOf(*seen.content);
  if (header == nullptr || records.sendsWithheld()) return;
  judge(isHeaderTrue(records, seen.node, *header), untrue);
  const auto* ping = get_if<Ping>(seen.content);
  const auto* pong = get_if<Pong>(seen.content);
  if (ping != nullptr) judge(ping->failing == flaggedBy(memory), untrue);
  if (pong != nullptr) judge(pong->failing == flaggedBy(memory), untrue);
  if (const auto* request = get_if<AuthRequest>(seen.content))
    judge(request->header.current_epoch == memory.conf.current_epoch && (!request->force || memory.forced),
          untrue);
  if (const auto* update = get_if<Update>(seen.content)) {
    const auto* read_ping = records.input<Ping>();
    const auto* read_pong = records.input<Pong>();
    const Header* claim = read_ping != nullptr   ? &read_ping->header
                          : read_pong != nullptr ? &read_pong->header
                                                 : nullptr;
    judge(isUpdateTrue(records, seen.node, *update) && claim != nullptr && seen.to == records.sender() &&
              update->config_epoch > claim->config_epoch,
          untrue);
  }
}

// ---- failures

/// Whether a majority of the masters reports it to this node, this one included.
bool isReported(Records& records, int node, ServerId about) {
  const NodeRecord& memory = records.own(node);
  std::size_t masters = records.isMaster(node) ? 1 : 0;
  for (const ServerId reporter : records.reportersOf(node, about)) {
    const auto known = memory.conf.nodes.find(reporter);
    const bool is_master = (known != memory.conf.nodes.end() && known->second.master == no_server) ||
                           memory.watched.at(reporter).master == no_server;
    masters += is_master ? 1 : 0;
  }
  return masters >= records.electorate(node).size() / 2 + 1;
}

/// Whether masters whose reports surely count are a majority.
bool isSurelyReported(Records& records, int node, ServerId about) {
  const NodeRecord& memory = records.own(node);
  const Millis lasts = 2 * records.config(node).node_timeout_ms;
  std::size_t masters = records.isMaster(node) ? 1 : 0;
  for (const auto& [reporter, watched] : memory.watched) {
    const auto known = memory.view.find(reporter);
    if (known == memory.view.end() || known->second.master != no_server || !watched.reported_as_master)
      continue;
    masters += isIn(watched.failing, about) && !records.hasPassed(watched.failing_at.at, lasts) ? 1 : 0;
  }
  return masters >= records.electorate(node).size() / 2 + 1;
}

/// At the end of a step that has read a report: who is suspected, and reported by enough, is taken for
/// failed.
void judgeReported(Records& records, int node, Judge judge) {
  const auto* ping = records.input<Ping>();
  const auto* pong = records.input<Pong>();
  const NodeRecord& memory = records.own(node);
  const auto from = memory.watched.find(records.sender());
  if ((ping == nullptr && pong == nullptr) || from == memory.watched.end() ||
      !from->second.reported_as_master)
    return;
  for (const ServerId about : ping != nullptr ? ping->failing : pong->failing) {
    const auto watched = memory.watched.find(about);
    if (watched == memory.watched.end() || watched->second.flag != Flag::PFAIL) continue;
    judge(!isSurelyReported(records, node, about), [&] {
      return phrase(
          "{server} does not take {other} for failed, which a majority of the masters has reported to it",
          records.serverAt(node), Phrase::server(about));
    });
  }
}

void failByMajority(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isNode(records, seen.node)) return;
  if (seen.kind == Kind::step_over) return judgeReported(records, seen.node, judge);
  ServerId about = no_server;
  bool holds = false;
  if (const auto* flagged = eventIn<Flagged>(seen)) {
    if (flagged->flag != Flag::FAIL) return;
    about = flagged->about;
    const auto* told = records.input<Fail>();
    holds = flagged->reason == FlagReason::told ? told != nullptr && told->failed == about
                                                : isReported(records, seen.node, about);
  } else if (const auto* fail = sentIn<Fail>(seen)) {
    if (records.isTimer(TimerKind::acknowledged))
      return;  // it was decided when this waited, and sent to others
    about = fail->failed;
    holds = isReported(records, seen.node, about);
  } else {
    return;
  }
  judge(holds, [&] {
    return phrase("{server} takes {other} for failed, which no majority of the masters has reported to it",
                  records.serverAt(seen.node), Phrase::server(about));
  });
}

// ---- times

/// Whether it may be taken for working again now.
bool mayWorkAgain(Records& records, int node, ServerId about) {
  const Watched& watched = records.own(node).watched[about];
  const auto known = records.own(node).conf.nodes.find(about);
  const bool guarded = watched.failed_at > 0 && known != records.own(node).conf.nodes.end() &&
                       known->second.master == no_server && !records.slotsOf(node, about).empty();
  return records.input<Pong>() != nullptr && records.sender() == about &&
         (!guarded || records.hasPassed(watched.failed_at, 2 * records.config(node).node_timeout_ms));
}

/// After which a replica begins its next attempt.
Millis retryLimit(const Config& config) { return 2 * std::max<Millis>(2 * config.node_timeout_ms, 2000); }

bool mayAsk(Records& records, int node) {
  const NodeRecord& memory = records.own(node);
  if (memory.forced) return true;
  const Config& config = records.config(node);
  const auto before = records.askedBefore();
  return memory.scheduled_at &&
         records.hasPassed(*memory.scheduled_at, election_delay_ms + memory.rank * rank_ms) &&
         (!before || records.hasPassed(*before, retryLimit(config)));
}

/// A master serves again after it has given others time to say that they have replaced it.
bool mayServe(Records& records, int node) {
  if (!records.isMaster(node)) return true;
  const Config& config = records.config(node);
  const Millis wait = std::clamp<Millis>(config.node_timeout_ms, 500, 5000);
  const auto minority = records.minorityBefore();
  const NodeRecord& memory = records.own(node);
  return (!memory.returns || records.hasPassed(memory.started_at, std::min(wait, config.start_wait_ms))) &&
         (!minority || records.hasPassed(*minority, wait)) &&
         (!records.inMinorityBefore() ||
          (memory.again_since && records.hasPassed(memory.again_since->at, wait)));
}

/// Whether it is late, and has not stood still meanwhile: a process that does may be instructed, and it is
/// not known how long the timers that it then sets stand still.
bool isOver(Records& records, int node, const Since& since, Millis wait) {
  return since.still == records.sinceNow(node).still && records.isLate(node, since, wait);
}

/// Whether a node that could serve has waited for longer than it has to.
bool servesLate(Records& records, int node) {
  const NodeRecord& memory = records.own(node);
  if (memory.serves || !memory.could_since) return false;
  if (!records.isMaster(node) || (!memory.minority && !memory.returns)) return true;
  const Config& config = records.config(node);
  const Millis wait = std::clamp<Millis>(config.node_timeout_ms, 500, 5000);
  return records.isLate(node, *memory.could_since,
                        memory.returns ? std::max(wait, config.start_wait_ms) : wait);
}

/// Whether a replica that has been instructed to replace its master, or has waited for the others of it, does
/// not ask for votes.
bool asksLate(Records& records, int node) {
  const NodeRecord& memory = records.own(node);
  if (memory.instructed) return isOver(records, node, *memory.instructed, cron_ms);
  if (memory.looks)
    return isOver(records, node, *memory.looks, memory.retries ? retryLimit(records.config(node)) : cron_ms);
  if (!memory.waits) return false;
  const auto masters = static_cast<Millis>(records.electorate(node).size());
  return isOver(records, node, *memory.waits,
                2 * election_delay_ms + memory.rank * rank_ms + masters * other_master_ms);
}

/// At the end of a step: whether all other nodes are asked for signs of life, and those taken for failing
/// that give none.
void judgeWatched(Records& records, int node, Judge judge) {
  const NodeRecord& memory = records.own(node);
  const Config& config = records.config(node);
  const ServerId asked = records.timer()->key;
  const bool asks = isIn(records.done().pinged, asked) || (memory.delayed && memory.delayed_to == asked);
  const bool late = std::any_of(memory.watched.begin(), memory.watched.end(), [&](const auto& one) {
    const Watched& watched = one.second;
    if (one.first == records.id(node)) return false;
    const Millis interval = watched.often ? cron_ms : config.node_timeout_ms / 2 + cron_ms;
    return isOver(records, node, watched.pinged, interval) ||
           (watched.silent_since && isOver(records, node, *watched.silent_since, config.node_timeout_ms));
  });
  judge(asks && !late, [&] {
    return phrase(
        "{server} does not send PING as often as it has to, or suspects nobody although it has no "
        "answer",
        records.serverAt(node));
  });
}

/// At the end of a step: what has to be done by now.
void judgeLate(Records& records, int node, Judge judge) {
  const NodeRecord& memory = records.own(node);
  if (!memory.serves || !memory.could_since) {
    judge(!memory.serves && !servesLate(records, node), [&] {
      return phrase("{server} does not serve although it could, or serves although it may not",
                    records.serverAt(node));
    });
  }
  if (records.isTimer(TimerKind::ping)) judgeWatched(records, node, judge);
  if (!memory.fed.empty()) {
    judge(!isOver(records, node, memory.fed_at, records.config(node).repl_ping_ms), [&] {
      return phrase("{server} does not send all its replicas what it executes, and signs of life",
                    records.serverAt(node));
    });
  }
  if (memory.instructed || memory.waits || memory.looks || memory.manual) {
    const bool manual = memory.manual && isOver(records, node, *memory.manual, manual_limit_ms);
    judge(!asksLate(records, node) && !manual, [&] {
      return phrase("{server} goes on waiting although the time is over", records.serverAt(node));
    });
  }
  if (!memory.manual || !memory.awaited) return;
  const bool awaits = records.cluster().rules.manual_offset == ManualOffset::awaited;
  judge(memory.hands_over || (awaits && *memory.awaited != offsetOf(memory)), [&] {
    return phrase("{server} has all that its master has executed, and does not begin to replace it",
                  records.serverAt(node));
  });
}

void judgeVoteGap(Records& records, const Happened<Family>& seen, Judge judge) {
  const auto* request = records.input<AuthRequest>();
  const VoteGap rule = records.cluster().rules.vote_gap;
  if (request == nullptr || rule == VoteGap::none || (rule == VoteGap::not_if_forced && request->force))
    return;
  const auto voted = records.watchedBefore().voted;
  if (!voted) return;
  judge(records.hasPassed(*voted, 2 * records.config(seen.node).node_timeout_ms), [&] {
    return phrase("{server} votes about {master} again too early", records.serverAt(seen.node),
                  Phrase::server(request->header.master));
  });
}

void waitsLongEnough(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isNode(records, seen.node)) return;
  if (sentIn<AuthAck>(seen) != nullptr) return judgeVoteGap(records, seen, judge);
  if (seen.kind == Kind::step_over) return judgeLate(records, seen.node, judge);
  NodeRecord& memory = records.own(seen.node);
  const Config& config = records.config(seen.node);
  const auto early = [&] {
    return phrase("{server} does not wait as long as it has to", records.serverAt(seen.node));
  };
  if (seen.kind == Kind::timer) {
    if (seen.timer.kind != TimerKind::acknowledged) return;
    judge(memory.delayed && !isOver(records, seen.node, *memory.delayed, acknowledgement_most_ms), [&] {
      return phrase("{server} waits for an acknowledgement that is not due", records.serverAt(seen.node));
    });
  } else if (const auto* flagged = eventIn<Flagged>(seen)) {
    if (flagged->flag == Flag::PFAIL)
      judge(records.hasPassed(memory.watched[flagged->about].packet, config.node_timeout_ms), early);
    if (flagged->flag == Flag::none) judge(mayWorkAgain(records, seen.node, flagged->about), early);
  } else if (eventIn<Asked>(seen) != nullptr) {
    judge(mayAsk(records, seen.node), early);
  } else if (eventIn<Expired>(seen) != nullptr) {
    const Millis limit = std::max<Millis>(2 * config.node_timeout_ms, 2000);
    if (memory.asked_at) judge(records.hasPassed(*memory.asked_at, limit), early);
  } else if (const auto* manual = eventIn<ManualFailover>(seen); manual != nullptr) {
    if (manual->stage == ManualStage::timed_out)
      judge(records.hasPassed(memory.manual_at, manual_limit_ms), early);
  } else if (const auto* state = eventIn<StateChanged>(seen); state != nullptr && state->ok) {
    judge(mayServe(records, seen.node), early);
  } else if (const auto* scheduled = eventIn<Scheduled>(seen); scheduled != nullptr && !memory.forced) {
    if (records.cluster().rules.delay == Delay::same_for_all) return;
    std::int64_t least = 0;
    std::int64_t most = 0;
    const ServerId master = records.masterOf(seen.node);
    for (const auto& [id, watched] : memory.watched) {
      if (id == records.id(seen.node) || watched.offset <= offsetOf(memory)) continue;
      const auto known = memory.conf.nodes.find(id);
      const bool saved = known != memory.conf.nodes.end() && known->second.master == master;
      const bool told = watched.heard && watched.master == master;
      least += saved && told ? 1 : 0;
      most += saved || told ? 1 : 0;
    }
    judge(least <= scheduled->rank && scheduled->rank <= most && scheduled->offset == offsetOf(memory),
          early);
    const auto before = records.done().attempt;
    if (before) judge(records.hasPassed(*before, retryLimit(config)), early);
  }
}

bool limitsAge(const Cluster<Family>& cluster) { return cluster.rules.data_age != DataAge::from_start; }

/// By the age that the node is told.
void judgeAge(Records& records, const Happened<Family>& seen, Judge judge) {
  const Config& config = records.config(seen.node);
  const Done& done = records.done();
  const NodeRecord& memory = records.own(seen.node);
  const Rules& rules = records.cluster().rules;
  if (!done.by_age || memory.forced || rules.old_data != OldData::not_eligible) return;
  // In whole seconds, and less the time-out that the failure took to be noticed.
  const Millis limit =
      (config.repl_ping_ms + config.node_timeout_ms * (config.validity_factor + 1)) / 1000 * 1000 + 1000;
  const bool limited = config.validity_factor != 0 || rules.factor_zero != FactorZero::always_eligible;
  const bool old = limited && (!memory.ever_copied || !done.age || *done.age >= limit);
  judge(old == (eventIn<TooOld>(seen) != nullptr), [&] {
    return phrase("{server} is wrong about whether its data are too old: {age} ms",
                  records.serverAt(seen.node), done.age.value_or(-1));
  });
}

/// The age is counted from the last that the master has sent or, in Redis, from when the connection ended.
void judgeToldAge(Records& records, const Happened<Family>& seen, Judge judge) {
  const NodeRecord& memory = records.own(seen.node);
  auto since = memory.data_at;
  if (records.cluster().rules.data_age == DataAge::from_link_down && memory.link_at)
    since = std::max(since.value_or(0), *memory.link_at);
  const auto age = records.done().age;
  const bool holds = since.has_value() == age.has_value() &&
                     (!age || (records.hasPassed(*since, *age) && !records.hasLongPassed(*since, *age + 2)));
  judge(holds, [&] {
    return phrase("{server} counts the age of its data, {age} ms, from another time than their arrival",
                  records.serverAt(seen.node), age.value_or(-1));
  });
}

void tooOldDoesNotStand(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isNode(records, seen.node)) return;
  if (seen.kind == Kind::age) return judgeToldAge(records, seen, judge);
  if (eventIn<TooOld>(seen) != nullptr || eventIn<Scheduled>(seen) != nullptr ||
      eventIn<Asked>(seen) != nullptr)
    judgeAge(records, seen, judge);
  if (eventIn<Asked>(seen) == nullptr) return;
  const NodeRecord& memory = records.own(seen.node);
  const Config& config = records.config(seen.node);
  const Rules& rules = records.cluster().rules;
  if (memory.forced || (config.validity_factor == 0 && rules.factor_zero == FactorZero::always_eligible))
    return;
  // The age is counted from the last data or, in Redis, from when the connection ended; in whole seconds, and
  // less the time-out that the failure took to be noticed.
  Millis since = memory.data_at.value_or(0);
  if (rules.data_age == DataAge::from_link_down) since = std::max(since, memory.link_at.value_or(0));
  const Millis limit = config.repl_ping_ms + config.node_timeout_ms * (config.validity_factor + 1) + 1000;
  judge(memory.ever_copied && !records.hasLongPassed(since, limit), [&] {
    return phrase("{server} asks for votes, and its data are {age} ms old; the limit is {limit}",
                  records.serverAt(seen.node), records.now() - since, limit);
  });
}

/// Whether the voter knows a replica of the same master that works and has more.
bool knowsFresher(Records& records, int node, ServerId candidate, const Header& header) {
  const NodeRecord& memory = records.own(node);
  return std::any_of(memory.watched.begin(), memory.watched.end(), [&](const auto& one) {
    const auto known = memory.conf.nodes.find(one.first);
    return one.first != candidate && known != memory.conf.nodes.end() &&
           known->second.master == header.master && one.second.heard && one.second.master == header.master &&
           one.second.flag == Flag::none && one.second.offset > header.offset;
  });
}

bool mayKnowFresher(Records& records, int node, ServerId candidate, const Header& header) {
  const NodeRecord& memory = records.own(node);
  return std::any_of(memory.watched.begin(), memory.watched.end(), [&](const auto& one) {
    const auto known = memory.view.find(one.first);
    return one.first != candidate && one.first != records.id(node) && known != memory.view.end() &&
           known->second.master == header.master && one.second.flag == Flag::none &&
           one.second.offset > header.offset;
  });
}

/// Whether the reason for which a node does not vote is there, and none that comes before it.
bool isReasonTrue(Records& records, int node, const AuthRequest& request, VoteReason reason) {
  NodeRecord& memory = records.own(node);
  const Header& header = request.header;
  const Rules& rules = records.cluster().rules;
  const auto known = memory.view.find(records.sender());
  if (known == memory.view.end()) return false;
  const ServerId master = known->second.master;
  const auto of_master = memory.watched.find(master);
  const bool is_member = of_master != memory.watched.end();
  const bool is_old = header.current_epoch < memory.epoch;
  const bool has_voted = memory.conf.last_vote_epoch == memory.epoch;
  const bool is_replica = master != no_server && master == header.master;
  switch (reason) {
    case VoteReason::granted: return true;  // judged when it is sent
    case VoteReason::old_epoch: return is_old;
    case VoteReason::voted_in_epoch: return !is_old && has_voted;
    case VoteReason::not_a_replica: return !is_old && !has_voted && !is_replica;
    default: break;
  }
  if (is_old || has_voted || !is_replica) return false;
  switch (reason) {
    case VoteReason::master_works: return !request.force && is_member && of_master->second.flag != Flag::FAIL;
    case VoteReason::voted_recently:
      return (rules.vote_gap == VoteGap::twice_timeout || !request.force) && is_member &&
             of_master->second.voted &&
             !records.isLate(node, of_master->second.voted_since, 2 * records.config(node).node_timeout_ms);
    case VoteReason::newer_owner:
      return std::any_of(header.slots.begin(), header.slots.end(),
                         [&](Slot slot) { return hasNewerOwner(records, node, slot, header); });
    case VoteReason::fresher_sibling: return mayKnowFresher(records, node, records.sender(), header);
    case VoteReason::own_epoch: return memory.conf.nodes.at(records.id(node)).config_epoch == memory.epoch;
    default: return false;
  }
}

/// At the end of a step that has read a request for a vote, and what is reported in it.
void judgeVote(Records& records, const Happened<Family>& seen, Judge judge) {
  const auto* request = records.input<AuthRequest>();
  if (const auto* decided = eventIn<VoteDecided>(seen)) {
    judge(request != nullptr && decided->candidate == records.sender() &&
              decided->epoch == request->header.current_epoch &&
              isReasonTrue(records, seen.node, *request, decided->reason),
          [&] {
            return phrase("{server} does not vote for {candidate}, for a reason that is not so",
                          records.serverAt(seen.node), Phrase::server(decided->candidate));
          });
  } else if (const auto* counted = eventIn<VoteCounted>(seen)) {
    const NodeRecord& memory = records.own(seen.node);
    judge(records.input<AuthAck>() != nullptr && counted->voter == records.sender() &&
              counted->epoch == memory.asked && memory.asked > 0 && isIn(counted->voters, counted->voter) &&
              isIn(records.electorate(seen.node), counted->voter) &&
              counted->needed == static_cast<std::int64_t>(records.electorate(seen.node).size() / 2 + 1),
          [&] {
            return phrase("{server} counts a vote of {voter} that it has not been given in this attempt",
                          records.serverAt(seen.node), Phrase::server(counted->voter));
          });
  } else if (seen.kind == Kind::step_over && request != nullptr) {
    const NodeRecord& memory = records.own(seen.node);
    const bool votes =
        records.isMaster(seen.node) && !records.slotsOf(seen.node, records.id(seen.node)).empty();
    const auto& vote = records.done().vote;
    const bool granted = vote == VoteReason::granted;
    judge(!votes || (vote && (granted == records.done().acknowledges ||
                              (memory.delayed && memory.delayed_to == records.sender()))),
          [&] {
            return phrase("{server} does not decide about the vote that {candidate} asks for",
                          records.serverAt(seen.node), Phrase::server(records.sender()));
          });
  }
}

/// Whether the voter knows it as a replica of the master that it wants to replace.
bool isKnownReplica(const NodeRecord& memory, ServerId candidate, const AuthRequest& request) {
  const auto known = memory.view.find(candidate);
  return known != memory.view.end() && known->second.master == request.header.master;
}

void votesAsAsked(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isNode(records, seen.node)) return;
  judgeVote(records, seen, judge);
  const auto* ack = sentIn<AuthAck>(seen);
  if (ack == nullptr) return;
  const auto* request = records.input<AuthRequest>();
  const NodeRecord& memory = records.own(seen.node);
  const ServerId self = records.id(seen.node);
  const Rules& rules = records.cluster().rules;
  const bool asked = request != nullptr && records.sender() == seen.to &&
                     request->header.master != no_server && isKnownReplica(memory, seen.to, *request) &&
                     ack->header.current_epoch == request->header.current_epoch &&
                     request->header.current_epoch >= memory.epoch;
  bool may = records.isMaster(seen.node) && !records.slotsOf(seen.node, self).empty();
  if (asked && rules.own_epoch == OwnEpoch::no_vote)
    may = may && memory.conf.nodes.at(self).config_epoch != request->header.current_epoch;
  if (asked && rules.voter_offset == VoterOffset::compared)
    may = may && !knowsFresher(records, seen.node, seen.to, request->header);
  judge(asked && may, [&] {
    return phrase("{server} votes for {candidate}, for which it may not vote", records.serverAt(seen.node),
                  Phrase::server(seen.to));
  });
}

constexpr std::array run_invariants{
    RunInvariant{
        {"answers-as-executed",
         "a master answers for slots that it owns while it serves: that a write is done when it has executed "
         "it because a client asks, and a read with the last write that it has; every request is answered"},
        &answersAsExecuted,
        kindBits(Kind::sent, Kind::written, Kind::step_over)},
    RunInvariant{
        {"copies-as-sent",
         "a replica has what its master had when it sent its data, and then each write that it is sent"},
        &copiesAsSent,
        kindBits(Kind::written, Kind::step_over)},
    RunInvariant{{"client-told-true",
                  "a client asks the owner that it knows or is told, until its limit, and takes a request "
                  "for done or refused only if a node has answered so"},
                 &clientToldTrue,
                 kindBits(Kind::event, Kind::sent, Kind::timer, Kind::step_over)},
    RunInvariant{
        {"packets-true",
         "what a node tells others of its role, slots, epochs and data is so, and on its disk; a "
         "replica that is elected has its master's slots with the epoch of its election; it tells "
         "all others what changes, and whoever claims slots that a newer owner has; it knows of "
         "others what it was told, and sends its replicas what it executes; a node that starts finds "
         "on its disk what it has written"},
        &packetsTrue,
        kindBits(Kind::sent, Kind::event, Kind::started, Kind::step_over)},
    RunInvariant{{"fail-by-majority",
                  "a node is taken for failed, and others are told so, if and when a majority of the masters "
                  "has reported it "
                  "within twice the time-out"},
                 &failByMajority,
                 kindBits(Kind::sent, Kind::event, Kind::step_over)},
    RunInvariant{{"waits-long-enough",
                  "a node suspects another one, takes it for working again, asks for votes, votes about a "
                  "master again, "
                  "gives up and serves again only after the times that are configured for it, and asks for "
                  "signs of life and gives them, suspects, asks for votes, serves and ends a manual failover "
                  "when they are over"},
                 &waitsLongEnough,
                 kindBits(Kind::sent, Kind::event, Kind::timer, Kind::step_over)},
    RunInvariant{{"too-old-does-not-stand",
                  "a replica does not ask for votes if its data are older than the validity factor permits, "
                  "counted from the last that its master has sent, and only then says so"},
                 &tooOldDoesNotStand,
                 kindBits(Kind::event, Kind::age),
                 &limitsAge},
    RunInvariant{
        {"votes-as-asked",
         "a master with slots votes for the replica that asks, in the epoch in which it asks, and not if it "
         "knows a later one; who gets no vote is refused for a reason that is so, and who asks counts the "
         "votes of its last attempt"},
        &votesAsAsked,
        kindBits(Kind::sent, Kind::event, Kind::step_over)},
};

}  // namespace

std::span<const zablab::Invariant<Records>> runInvariants() { return run_invariants; }

}  // namespace zablab::redis_cluster
