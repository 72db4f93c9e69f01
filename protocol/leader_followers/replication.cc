#include "protocol/leader_followers/replication.h"

#include <algorithm>

#include "protocol/leader_followers/requests.h"
#include "protocol/leader_followers/roles.h"

namespace zablab::leader_followers {
namespace {

std::optional<ReadMark> lastRead(const Node& node) {
  if (node.reads.empty()) return std::nullopt;
  return ReadMark{node.reads.back().client, node.reads.back().number};
}

/// A follower's answer, or a leader's to itself, leaves when what it speaks of is durable.
void acknowledge(const Context& in, ServerId to, const AppendResponse& response) {
  if (in.rules.ack_when == AckWhen::durable) return in.sendDurable(to, response);
  in.send(server_link, to, response);
}

/// Whether something waits for this follower: entries, or reads that it has to confirm.
bool isAwaited(const Node& node, const Progress& follower) {
  return follower.next <= lastIndex(node.log) || (lastRead(node) && follower.read != lastRead(node));
}
/// What the leader has itself is counted like what its followers have.
void acknowledgeOwn(const Context& in) {
  const AppendResponse own{in.node.generation, true, lastIndex(in.node.log), std::nullopt};
  in.config.waits_for_disk ? onAppendResponse(in, in.node.self, own) : acknowledge(in, in.node.self, own);
}

bool hasNews(const Node& node, const Progress& follower) {
  return isAwaited(node, follower) || follower.told < std::min(node.commit_index, follower.match);
}

void sendAppend(const Context& in, ServerId to, Progress& follower) {
  const Node& node = in.node;
  Append append;
  append.generation = node.generation;
  append.previous = {generationAt(node.log, follower.next - 1), follower.next - 1};
  append.entries.assign(node.log.begin() + (follower.next - 1), node.log.end());
  append.commit_index = node.commit_index;
  append.read = lastRead(node);
  follower.waiting = true;
  follower.told = node.commit_index;
  follower.read = append.read;
  in.say(to, std::move(append));
}

/// Tells followers of whom no answer is awaited, where `which` says that there is something to tell.
template <class Which>
void tell(const Context& in, Which&& which) {
  in.forOthers([&](ServerId id) {
    Progress& follower = in.node.followers.at(id);
    if (!follower.waiting && which(follower)) sendAppend(in, id, follower);
  });
}

void apply(const Context& in, Index up_to) {
  Node& node = in.node;
  while (node.commit_index < up_to) {
    ++node.commit_index;
    in.emit(Applied{node.commit_index, entryAt(node.log, node.commit_index)});
  }
}

/// The last entry that a quorum has. An entry of an older generation is committed by one of the leader's own
/// behind it alone.
void advanceCommit(const Context& in) {
  Node& node = in.node;
  for (Index index = lastIndex(node.log); index > node.commit_index; --index) {
    const bool own = entryAt(node.log, index).generation == node.generation;
    if (!own && in.rules.commit_counts == CommitCounts::own_generation) return;
    std::vector<ServerId> by;
    for (const auto& [id, progress] : node.followers) {
      if (progress.match >= index) by.push_back(id);
    }
    if (!in.config.isQuorum(by.size())) continue;
    in.emit(Committed{{entryAt(node.log, index).generation, index}, by});
    apply(in, index);
    return answerReady(in);
  }
}

/// The leader's entries in place of what differs.
void takeEntries(const Context& in, const Append& append) {
  Node& node = in.node;
  const auto cut = [&](Index index) {
    if (index >= lastIndex(node.log)) return;
    in.emit(Truncated{index, endOf(node.log)});
    node.log.resize(static_cast<std::size_t>(index));
    node.commit_index =
        std::min(node.commit_index, index);  // nothing that is committed goes, unless a rule lets it
    in.write(Truncate{index});
  };
  if (in.rules.truncate_when == TruncateWhen::always) cut(append.previous.index);
  Index index = append.previous.index;
  for (const Entry& entry : append.entries) {
    ++index;
    if (index <= lastIndex(node.log)) {
      if (generationAt(node.log, index) == entry.generation) continue;
      cut(index - 1);
    }
    node.log.push_back(entry);
    in.write(WriteEntry{entry});
  }
}

}  // namespace

void beginLeading(const Context& in) {
  Node& node = in.node;
  for (const ServerId id : in.config.members) node.followers[id].next = lastIndex(node.log) + 1;
  // What is durable of the old entries is learned with the first new one, or at once where there is none.
  in.forOthers([&](ServerId id) { in.setTimer(TimerKind::silent, in.config.check_quorum_ms, id); });
  in.setTimer(TimerKind::heartbeat, in.config.heartbeat_ms);
  if (in.rules.leader_begins == LeaderBegins::empty_entry) return appendOwn(in, {});
  acknowledgeOwn(in);
  tell(in, [](const Progress&) { return true; });
}

void appendOwn(const Context& in, const Payload& payload) {
  Node& node = in.node;
  const Entry entry{node.generation, payload};
  node.log.push_back(entry);
  in.write(WriteEntry{entry});
  acknowledgeOwn(in);
  replicate(in);
}

void replicate(const Context& in) {
  tell(in, [&](const Progress& follower) { return isAwaited(in.node, follower); });
}

void onHeartbeat(const Context& in) {
  in.setTimer(TimerKind::heartbeat, in.config.heartbeat_ms);
  tell(in, [&](const Progress& follower) { return in.config.idle_heartbeats || hasNews(in.node, follower); });
}

void onAppend(const Context& in, ServerId from, const Append& append) {
  Node& node = in.node;
  const auto refuse = [&](RefusedReason reason, Index hint) {
    in.emit(AppendRefused{from, append.previous, reason});
    in.sendDurable(from, AppendResponse{node.generation, false, hint, append.read});
  };
  const bool older = append.generation < node.generation;
  if (older && in.rules.append_from == AppendFrom::present_generation)
    return refuse(RefusedReason::lower_generation, 0);
  becomeFollower(in, from, node.generation, RoleReason::heard_leader);
  restartElectionTimer(in);
  const Position previous = append.previous;
  if (previous.index > lastIndex(node.log)) return refuse(RefusedReason::gap, lastIndex(node.log));
  if (generationAt(node.log, previous.index) != previous.generation)
    return refuse(RefusedReason::other_entry, previous.index - 1);
  takeEntries(in, append);
  const Index known = previous.index + static_cast<Index>(append.entries.size());
  apply(in, std::min(append.commit_index, known));
  acknowledge(in, from, {append.generation, true, known, append.read});
}

void onAppendResponse(const Context& in, ServerId from, const AppendResponse& response) {
  Node& node = in.node;
  if (node.role != Role::LEADING || response.generation != node.generation) return;
  Progress& follower = node.followers.at(from);
  if (from == node.self) {
    follower.match = std::max(follower.match, response.index);
    return advanceCommit(in);
  }
  follower.waiting = false;
  follower.silent = false;
  in.setTimer(TimerKind::silent, in.config.check_quorum_ms, from);
  if (response.fits) {
    follower.match = std::max(follower.match, response.index);
    follower.next = std::max(follower.next, follower.match + 1);
  } else {
    follower.next = std::max(follower.match, std::min(response.index, follower.next - 2)) + 1;
  }
  if (response.read) confirmReads(in, from, *response.read);
  advanceCommit(in);
  replicate(in);
}

void appendAgain(const Context& in, ServerId follower) {
  if (in.node.role == Role::LEADING) sendAppend(in, follower, in.node.followers.at(follower));
}

void onUnreachable(const Context& in, ServerId follower) {
  if (in.node.role != Role::LEADING) return;
  Progress& progress = in.node.followers.at(follower);
  progress.waiting = false;
  progress.told = 0;  // it may not have read it
  progress.read.reset();
}

void onSilent(const Context& in, ServerId follower) {
  Node& node = in.node;
  if (node.role != Role::LEADING) return;
  onUnreachable(in, follower);  // what it was sent may be lost
  node.followers.at(follower).silent = true;
  in.emit(Silent{follower});
  if (in.rules.check_quorum == CheckQuorum::keeps_leading) return;
  const auto heard = std::count_if(node.followers.begin(), node.followers.end(),
                                   [](const auto& entry) { return !entry.second.silent; });
  if (!in.config.isQuorum(static_cast<std::size_t>(heard))) becomeLooking(in, RoleReason::quorum_silent);
}

}  // namespace zablab::leader_followers
