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

template <class M>
const M* sentIn(const Happened<Family>& seen) {
  return seen.kind == Kind::sent && seen.node >= 0 && seen.how != SentHow::copy ? get_if<M>(seen.content)
                                                                                : nullptr;
}
bool isNode(Records& records, int node) { return node >= 0 && records.own(node).running; }
std::int64_t offsetOf(const NodeRecord& memory) { return static_cast<std::int64_t>(memory.history.size()); }

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

void answersAsExecuted(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isNode(records, seen.node)) return;
  NodeRecord& memory = records.own(seen.node);
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

void clientToldTrue(Records& records, const Happened<Family>& seen, Judge judge) {
  const auto* answered = eventIn<Answered>(seen);
  if (answered == nullptr || answered->outcome != Outcome::ok) return;
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
  if (master != no_server) return true;
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
  const auto owner = records.own(node).conf.nodes.find(update.owner);
  return owner != records.own(node).conf.nodes.end() && update.config_epoch >= owner->second.config_epoch &&
         update.slots == records.slotsOf(node, update.owner);
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
  if (!isNode(records, seen.node)) return;
  const NodeRecord& memory = records.own(seen.node);
  if (const auto* promoted = eventIn<Promoted>(seen)) return judgePromoted(records, seen, *promoted, judge);
  if (seen.kind != Kind::sent || seen.how == SentHow::copy) return;
  const auto untrue = [&] {
    return phrase("{server} tells others what is not so, or is not on its disk", records.serverAt(seen.node));
  };
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
  if (const auto* update = get_if<Update>(seen.content))
    judge(isUpdateTrue(records, seen.node, *update), untrue);
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

void failByMajority(Records& records, const Happened<Family>& seen, Judge judge) {
  if (!isNode(records, seen.node)) return;
  ServerId about = no_server;
  bool holds = false;
  if (const auto* flagged = eventIn<Flagged>(seen)) {
    if (flagged->flag != Flag::FAIL) return;
    about = flagged->about;
    const auto* told = records.input<Fail>();
    holds = flagged->reason == FlagReason::told ? told != nullptr && told->failed == about
                                                : isReported(records, seen.node, about);
  } else if (const auto* fail = sentIn<Fail>(seen)) {
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

bool mayAsk(Records& records, int node) {
  const NodeRecord& memory = records.own(node);
  if (memory.forced) return true;
  const Config& config = records.config(node);
  const Millis limit = std::max<Millis>(2 * config.node_timeout_ms, 2000);
  const auto before = records.askedBefore();
  return memory.scheduled_at &&
         records.hasPassed(*memory.scheduled_at, election_delay_ms + memory.rank * rank_ms) &&
         (!before || records.hasPassed(*before, 2 * limit));
}

/// A master serves again after it has given others time to say that they have replaced it.
bool mayServe(Records& records, int node) {
  if (!records.isMaster(node)) return true;
  const Config& config = records.config(node);
  const Millis wait = std::clamp<Millis>(config.node_timeout_ms, 500, 5000);
  const auto minority = records.minorityBefore();
  const NodeRecord& memory = records.own(node);
  return (!memory.returns || records.hasPassed(memory.started_at, std::min(wait, config.start_wait_ms))) &&
         (!minority || records.hasPassed(*minority, wait));
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
  NodeRecord& memory = records.own(seen.node);
  const Config& config = records.config(seen.node);
  const auto early = [&] {
    return phrase("{server} does not wait as long as it has to", records.serverAt(seen.node));
  };
  if (const auto* flagged = eventIn<Flagged>(seen)) {
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
  }
}

bool limitsAge(const Cluster<Family>& cluster) { return cluster.rules.data_age != DataAge::from_start; }

void tooOldDoesNotStand(Records& records, const Happened<Family>& seen, Judge judge) {
  if (eventIn<Asked>(seen) == nullptr || !isNode(records, seen.node)) return;
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

void votesAsAsked(Records& records, const Happened<Family>& seen, Judge judge) {
  const auto* ack = sentIn<AuthAck>(seen);
  if (ack == nullptr || !isNode(records, seen.node)) return;
  const auto* request = records.input<AuthRequest>();
  const NodeRecord& memory = records.own(seen.node);
  const ServerId self = records.id(seen.node);
  const Rules& rules = records.cluster().rules;
  const bool asked = request != nullptr && records.sender() == seen.to &&
                     request->header.master != no_server &&
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
         "it because a client asks, and a read with the last write that it has"},
        &answersAsExecuted,
        kindBits(Kind::sent, Kind::written)},
    RunInvariant{
        {"copies-as-sent",
         "a replica has what its master had when it sent its data, and then each write that it is sent"},
        &copiesAsSent,
        kindBits(Kind::written, Kind::step_over)},
    RunInvariant{{"client-told-true", "a client takes a request for done only if a node has answered so"},
                 &clientToldTrue,
                 kindBits(Kind::event)},
    RunInvariant{{"packets-true",
                  "what a node tells others of its role, slots, epochs and data is so, and on its disk; a "
                  "replica that "
                  "is elected has its master's slots with the epoch of its election"},
                 &packetsTrue,
                 kindBits(Kind::sent, Kind::event)},
    RunInvariant{
        {"fail-by-majority",
         "a node is taken for failed, and others are told so, when a majority of the masters has reported it "
         "within twice the time-out"},
        &failByMajority,
        kindBits(Kind::sent, Kind::event)},
    RunInvariant{{"waits-long-enough",
                  "a node suspects another one, takes it for working again, asks for votes, votes about a "
                  "master again, "
                  "gives up and serves again only after the times that are configured for it"},
                 &waitsLongEnough,
                 kindBits(Kind::sent, Kind::event)},
    RunInvariant{{"too-old-does-not-stand",
                  "a replica whose data are older than the validity factor permits does not ask for votes"},
                 &tooOldDoesNotStand,
                 kindBits(Kind::event),
                 &limitsAge},
    RunInvariant{
        {"votes-as-asked",
         "a master with slots votes for the replica that asks, in the epoch in which it asks, and not if it "
         "knows a later one"},
        &votesAsAsked,
        kindBits(Kind::sent)},
};

}  // namespace

std::span<const zablab::Invariant<Records>> runInvariants() { return run_invariants; }

}  // namespace zablab::redis_cluster
