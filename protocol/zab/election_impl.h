#pragma once

#include "protocol/zab/election.h"

#include <algorithm>
#include <utility>

#include "protocol/zab/quorum.h"
#include "protocol/zab/roles.h"

namespace zablab::zab {

/// A leader must itself have announced that it leads; and a server is not the leader merely because others
/// say so, except in its own round (FastLeaderElection, checkLeader).
bool confirmedLeader(const IsContext auto& ctx, const std::map<ServerId, Ballot>& box, const Vote& vote) {
  if (vote.leader == ctx.node.self) return vote.election_epoch == ctx.node.logicalclock;
  const auto own_word = box.find(vote.leader);
  return own_word != box.end() && own_word->second.state == Role::LEADING;
}

void showBox(const IsContext auto& ctx, bool established, const Ballot& vote,
             const std::vector<ServerId>& counted, bool quorum) {
  BoxChanged event{established, vote.vote.leader, {}, quorum};
  for (const auto& [voter, ballot] : established ? ctx.node.outofelection : ctx.node.recvset) {
    const bool agreed = std::find(counted.begin(), counted.end(), voter) != counted.end();
    event.entries.push_back({voter, ballot, agreed});
  }
  ctx.emit(std::move(event));
}

/// Puts a server's own new vote into its box: by a message to itself, which is counted once it is read, or
/// immediately.
void castOwnVote(const IsContext auto& ctx) {
  if (ctx.rules.own_vote == OwnVote::at_once && ctx.isVoter()) {
    putIntoBox(ctx.rules, ctx.node.recvset, ctx.node.self, {ctx.node.proposal, Role::LOOKING});
  }
}

void sendNotifications(const IsContext auto& ctx) {
  for (const Member& member : ctx.config.members) {
    if (!isElectable(ctx.config, ctx.rules, member.id)) continue;
    if (member.id == ctx.node.self && ctx.rules.own_vote == OwnVote::at_once) continue;
    ctx.send(election_link, member.id, Notification{Role::LOOKING, ctx.node.proposal});
  }
}

/// The wait for a notification: doubled each time it expires in this election, up to a cap.
Millis notificationWait(const IsContext auto& ctx) {
  Millis wait = ctx.config.min_notification_ms;
  for (std::int64_t i = 0; i < ctx.node.doublings; ++i) wait *= 2;
  return std::min(wait, ctx.config.max_notification_ms);
}

void awaitNotification(const IsContext auto& ctx) {
  ctx.setTimer(TimerKind::notification_wait, notificationWait(ctx));
}

void decide(const IsContext auto& ctx, Vote vote, DecidedBy by, std::vector<ServerId> counted) {
  ctx.emit(Decided{vote, by, std::move(counted)});
  vote.leader == ctx.node.self ? becomeLeading(ctx, vote) : becomeFollowing(ctx, vote);
}

/// Counts the servers that share its own vote (FastLeaderElection, termPredicate).
void countVotes(const IsContext auto& ctx) {
  const Ballot own{ctx.node.proposal, Role::LOOKING};
  std::vector<ServerId> counted = agreeing(ctx.rules, ctx.node.recvset, own, false);
  const bool quorum = isQuorum(ctx.config, ctx.rules, counted);
  showBox(ctx, false, own, counted, quorum);
  if (!quorum) return;
  ctx.emit(QuorumCounted{ctx.node.proposal, counted, quorumSize(ctx.config, ctx.rules)});
  if (ctx.rules.decision == Decision::at_once)
    return decide(ctx, ctx.node.proposal, DecidedBy::at_once, std::move(counted));
  ctx.node.finalizing = true;
  ctx.cancelTimer(TimerKind::notification_wait);
  ctx.setTimer(TimerKind::finalize_wait, ctx.config.finalize_wait_ms);
}

void ignore(const IsContext auto& ctx, ServerId from, IgnoreReason reason) {
  ctx.emit(Ignored{from, reason});
}

void changeVote(const IsContext auto& ctx, ServerId from, const Vote& vote, const Vote& instead_of,
                Comparison reason) {
  ctx.emit(VoteChanged{vote, instead_of, from, reason});
  ctx.node.proposal = vote;
}

void setRound(const IsContext auto& ctx, std::int64_t round) {
  if (ctx.node.logicalclock == round) return;
  ctx.node.logicalclock = round;
  if (ctx.rules.round_memory == RoundMemory::disk) ctx.write(WriteLogicalClock{round});
}

void raiseRound(const IsContext auto& ctx, ServerId from, const Vote& heard) {
  auto& node = ctx.node;
  ctx.emit(RoundRaised{node.logicalclock, heard.election_epoch, from});
  setRound(ctx, heard.election_epoch);
  node.recvset.clear();
  // The server's own *initial* vote is compared, not a proposal that another server made in the old round.
  Vote mine = ctx.rules.higher_round == HigherRound::initial_vote ? initialVote(ctx.config, ctx.rules, node)
                                                                  : node.proposal;
  mine.election_epoch = heard.election_epoch;
  const Comparison comparison = compare(ctx.config, ctx.rules, heard, mine);
  if (beats(ctx.rules, comparison)) {
    changeVote(ctx, from, heard, mine, comparison);
  } else {
    ctx.emit(VoteKept{mine, heard, from, comparison});
    node.proposal = mine;
  }
  castOwnVote(ctx);
  sendNotifications(ctx);
}

/// Compares a vote of the server's own round (FastLeaderElection, lookForLeader, case LOOKING).
void onVoteOfOwnRound(const IsContext auto& ctx, ServerId from, const Vote& heard) {
  auto& node = ctx.node;
  const Comparison comparison = compare(ctx.config, ctx.rules, heard, node.proposal);
  if (beats(ctx.rules, comparison)) {
    changeVote(ctx, from, heard, node.proposal, comparison);
    if (ctx.rules.ballot_box == BallotBox::cleared_on_update) node.recvset.clear();
    castOwnVote(ctx);
    sendNotifications(ctx);
  } else if (from != node.self) {
    ctx.emit(VoteKept{node.proposal, heard, from, comparison});
    if (comparison == Comparison::equal || ctx.rules.kept_vote == KeptVote::silent) return;
    if (ctx.rules.kept_vote == KeptVote::said_again) return sendNotifications(ctx);
    ctx.send(election_link, from, Notification{Role::LOOKING, node.proposal});
  }
}

void onLookingVote(const IsContext auto& ctx, ServerId from, const Notification& heard) {
  const auto& node = ctx.node;
  const BroadcastRules& rules = ctx.rules;
  if (node.last_processed == zxid_unusable || heard.vote.zxid == zxid_unusable) {
    return ignore(ctx, from, IgnoreReason::no_database);
  }
  if (heard.vote.election_epoch > node.logicalclock) {
    if (rules.higher_round == HigherRound::ignored) return ignore(ctx, from, IgnoreReason::higher_round);
    raiseRound(ctx, from, heard.vote);
  } else if (heard.vote.election_epoch == node.logicalclock || rules.lower_round == LowerRound::counted) {
    onVoteOfOwnRound(ctx, from, heard.vote);
  } else {
    return ignore(ctx, from, IgnoreReason::lower_round);
  }
  putIntoBox(rules, ctx.node.recvset, from, {heard.vote, Role::LOOKING});
  countVotes(ctx);
}

/// The vote of a server that leads or follows (FastLeaderElection, receivedFollowingNotification and its
/// twin).
void onSettledVote(const IsContext auto& ctx, ServerId from, const Notification& heard) {
  auto& node = ctx.node;
  const Ballot ballot{heard.vote, heard.state};
  if (ctx.rules.join == Join::never) return ignore(ctx, from, IgnoreReason::unknown_candidate);

  const auto joins = [&](const std::map<ServerId, Ballot>& box, const std::vector<ServerId>& counted) {
    const bool quorum = isQuorum(ctx.config, ctx.rules, counted);
    switch (ctx.rules.join) {
      case Join::quorum_and_leader: return quorum && confirmedLeader(ctx, box, heard.vote);
      case Join::quorum_alone: return quorum && heard.vote.leader != node.self;
      case Join::leader_alone: return confirmedLeader(ctx, box, heard.vote);
      case Join::never: break;
    }
    return false;
  };

  if (heard.vote.election_epoch == node.logicalclock) {
    putIntoBox(ctx.rules, node.recvset, from, ballot);
    std::vector<ServerId> counted = agreeing(ctx.rules, node.recvset, ballot, true);
    if (ctx.rules.join == Join::quorum_alone)
      std::erase_if(counted, [&](ServerId id) { return node.recvset.at(id).state == Role::LOOKING; });
    showBox(ctx, false, ballot, counted, isQuorum(ctx.config, ctx.rules, counted));
    if (joins(node.recvset, counted))
      return decide(ctx, heard.vote, DecidedBy::join_same_round, std::move(counted));
  }
  putIntoBox(ctx.rules, node.outofelection, from, ballot);
  std::vector<ServerId> counted = agreeing(ctx.rules, node.outofelection, ballot, false);
  showBox(ctx, true, ballot, counted, isQuorum(ctx.config, ctx.rules, counted));
  if (joins(node.outofelection, counted)) {
    setRound(ctx, heard.vote.election_epoch);
    decide(ctx, heard.vote, DecidedBy::join_established, std::move(counted));
  }
}

/// The main loop's part in handling a notification (FastLeaderElection, lookForLeader).
void weigh(const IsContext auto& ctx, ServerId from, const Notification& heard) {
  if (ctx.node.finalizing) {
    if (!beats(ctx.rules, compare(ctx.config, ctx.rules, heard.vote, ctx.node.proposal))) {
      // Read and discarded, regardless of its content; the wait is restarted.
      ctx.setTimer(TimerKind::finalize_wait, ctx.config.finalize_wait_ms);
      return ignore(ctx, from, IgnoreReason::waiting_to_decide);
    }
    ctx.node.finalizing = false;
    ctx.cancelTimer(TimerKind::finalize_wait);
    ctx.emit(Reopened{from});
  }
  awaitNotification(ctx);
  if (!isElectable(ctx.config, ctx.rules, heard.vote.leader))
    return ignore(ctx, from, IgnoreReason::unknown_candidate);
  switch (heard.state) {
    case Role::LOOKING: return onLookingVote(ctx, from, heard);
    case Role::FOLLOWING:
    case Role::LEADING: return onSettledVote(ctx, from, heard);
    case Role::OBSERVING: return ignore(ctx, from, IgnoreReason::sender_observes);
  }
}

Vote initialVote(const Config& config, const BroadcastRules& rules, const auto& node) {
  if (!isElectable(config, rules, node.self))
    return {no_server, zxid_of_observer, epoch_of_observer, node.logicalclock};
  const bool of_log = rules.advertised == Advertised::last_logged || !node.files.snapshot;
  return {node.self, of_log ? node.last_processed : node.files.snapshot->last, node.currentEpoch(),
          node.logicalclock};
}

void startElection(const IsContext auto& ctx) {
  auto& node = ctx.node;
  if (ctx.rules.round_start == RoundStart::next) setRound(ctx, node.logicalclock + 1);
  node.proposal = initialVote(ctx.config, ctx.rules, node);
  ctx.emit(Looking{node.logicalclock, node.proposal});
  castOwnVote(ctx);
  sendNotifications(ctx);
  awaitNotification(ctx);
  if (ctx.rules.own_vote == OwnVote::at_once) countVotes(ctx);
}

void onNotification(const IsContext auto& ctx, ServerId from, const Notification& heard) {
  const auto& node = ctx.node;
  const bool looking = node.role == Role::LOOKING;
  // The receiver's part: a looking server that cannot know better is answered immediately
  // (FastLeaderElection, WorkerReceiver).
  if (!isElectable(ctx.config, ctx.rules, from) && ctx.rules.counted == Counted::voters) {
    Vote vote = node.current_vote;
    vote.election_epoch = node.logicalclock;
    ctx.send(election_link, from, Notification{node.role, vote});
    return;
  }
  if (!looking) {
    if (heard.state == Role::LOOKING && ctx.rules.answer == Answering::settled_servers) {
      ctx.send(election_link, from, Notification{node.role, node.current_vote});
    } else {
      ignore(ctx, from, IgnoreReason::not_looking);
    }
    return;
  }
  if (node.delayed) return ignore(ctx, from, IgnoreReason::not_yet_looking);
  if (heard.state == Role::LOOKING && heard.vote.election_epoch < node.logicalclock &&
      ctx.rules.lower_round == LowerRound::answered) {
    ctx.send(election_link, from, Notification{Role::LOOKING, node.proposal});
  }
  weigh(ctx, from, heard);
}

void onSilence(const IsContext auto& ctx, bool undelivered) {
  auto& node = ctx.node;
  if (ctx.rules.silence == Silence::never) return;
  if (undelivered) {
    for (const Member& member : ctx.config.members) {
      if (!member.observer && member.id != node.self) ctx.connect(election_link, member.id);
    }
  } else {
    sendNotifications(ctx);
  }
  if (ctx.rules.silence == Silence::back_off && notificationWait(ctx) < ctx.config.max_notification_ms)
    ++node.doublings;
  ctx.emit(Silent{undelivered, notificationWait(ctx)});
  awaitNotification(ctx);
}

void onElected(const IsContext auto& ctx, const Vote& vote) {
  if (ctx.node.role != Role::LOOKING || ctx.node.delayed) return;
  decide(ctx, vote, DecidedBy::told, {});
}

void onFinalizeWaitOver(const IsContext auto& ctx) {
  const Ballot own{ctx.node.proposal, Role::LOOKING};
  decide(ctx, ctx.node.proposal, DecidedBy::finalize_wait, agreeing(ctx.rules, ctx.node.recvset, own, false));
}

}  // namespace zablab::zab
