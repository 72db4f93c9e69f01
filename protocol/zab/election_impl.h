#pragma once

#include "protocol/zab/election.h"

#include <algorithm>
#include <utility>

#include "protocol/zab/quorum.h"
#include "protocol/zab/roles.h"

namespace zablab::zab {

/// A leader must itself have said that it leads; and nobody leads because others say so, unless in his own
/// round (FastLeaderElection, checkLeader).
bool confirmedLeader(const IsContext auto& in, const std::map<ServerId, Ballot>& box, const Vote& vote) {
  if (vote.leader == in.node.self) return vote.round == in.node.round;
  const auto own_word = box.find(vote.leader);
  return own_word != box.end() && own_word->second.state == Role::LEADING;
}

void showBox(const IsContext auto& in, bool established, const Ballot& vote,
             const std::vector<ServerId>& counted, bool quorum) {
  BoxChanged event{established, vote.vote.leader, {}, quorum};
  for (const auto& [voter, ballot] : established ? in.node.established : in.node.box) {
    const bool agreed = std::find(counted.begin(), counted.end(), voter) != counted.end();
    event.entries.push_back({voter, ballot, agreed});
  }
  in.emit(std::move(event));
}

/// Puts a server's own new vote into its box: by a message to itself, which is counted once it is read, or at
/// once.
void castOwnVote(const IsContext auto& in) {
  if (in.rules.own_vote == OwnVote::at_once && in.isVoter()) {
    putIntoBox(in.rules, in.node.box, in.node.self, {in.node.proposal, Role::LOOKING});
  }
}

void sendNotifications(const IsContext auto& in) {
  for (const Member& member : in.config.members) {
    if (member.observer) continue;
    if (member.id == in.node.self && in.rules.own_vote == OwnVote::at_once) continue;
    in.send(election_link, member.id, Notification{Role::LOOKING, in.node.proposal});
  }
}

/// The wait for a notification: doubled at every silence of this election, up to a cap.
Millis notificationWait(const IsContext auto& in) {
  Millis wait = in.config.min_notification_ms;
  for (std::int64_t i = 0; i < in.node.doublings; ++i) wait *= 2;
  return std::min(wait, in.config.max_notification_ms);
}

void awaitNotification(const IsContext auto& in) {
  in.setTimer(TimerKind::notification_wait, notificationWait(in));
}

void decide(const IsContext auto& in, Vote vote, DecidedBy by, std::vector<ServerId> counted) {
  in.emit(Decided{vote, by, std::move(counted)});
  settle(in, vote);
}

/// Counts who shares the own vote (FastLeaderElection, termPredicate).
void countVotes(const IsContext auto& in) {
  const Ballot own{in.node.proposal, Role::LOOKING};
  std::vector<ServerId> counted = agreeing(in.rules, in.node.box, own, false);
  const bool quorum = isQuorum(in.config, in.rules, counted);
  showBox(in, false, own, counted, quorum);
  if (!quorum) return;
  in.emit(QuorumCounted{in.node.proposal, counted, quorumSize(in.config, in.rules)});
  if (in.rules.decision == Decision::at_once)
    return decide(in, in.node.proposal, DecidedBy::at_once, std::move(counted));
  in.node.finalizing = true;
  in.cancelTimer(TimerKind::notification_wait);
  in.setTimer(TimerKind::finalize_wait, in.config.finalize_wait_ms);
}

void ignore(const IsContext auto& in, ServerId from, IgnoreReason reason) { in.emit(Ignored{from, reason}); }

void changeVote(const IsContext auto& in, ServerId from, const Vote& vote, const Vote& instead_of,
                Comparison reason) {
  in.emit(VoteChanged{vote, instead_of, from, reason});
  in.node.proposal = vote;
}

void setRound(const IsContext auto& in, std::int64_t round) {
  if (in.node.round == round) return;
  in.node.round = round;
  if (in.rules.round_memory == RoundMemory::disk) in.write(WriteRound{round});
}

void raiseRound(const IsContext auto& in, ServerId from, const Vote& heard) {
  auto& node = in.node;
  in.emit(RoundRaised{node.round, heard.round, from});
  setRound(in, heard.round);
  node.box.clear();
  // The own *initial* vote is compared, not a proposal that another server made in the old round.
  Vote mine = in.rules.higher_round == HigherRound::initial_vote ? initialVote(in.config, in.rules, node)
                                                                 : node.proposal;
  mine.round = heard.round;
  const Comparison comparison = compare(in.config, in.rules, heard, mine);
  if (beats(comparison)) {
    changeVote(in, from, heard, mine, comparison);
  } else {
    in.emit(VoteKept{mine, heard, from, comparison});
    node.proposal = mine;
  }
  castOwnVote(in);
  sendNotifications(in);
}

/// A vote of the own round is weighed (FastLeaderElection, lookForLeader, case LOOKING).
void onVoteOfOwnRound(const IsContext auto& in, ServerId from, const Vote& heard) {
  auto& node = in.node;
  const Comparison comparison = compare(in.config, in.rules, heard, node.proposal);
  if (beats(comparison)) {
    changeVote(in, from, heard, node.proposal, comparison);
    if (in.rules.ballot_box == BallotBox::cleared_on_update) node.box.clear();
    castOwnVote(in);
    sendNotifications(in);
  } else if (from != node.self) {
    in.emit(VoteKept{node.proposal, heard, from, comparison});
    if (comparison == Comparison::equal || in.rules.kept_vote == KeptVote::silent) return;
    if (in.rules.kept_vote == KeptVote::said_again) return sendNotifications(in);
    in.send(election_link, from, Notification{Role::LOOKING, node.proposal});
  }
}

void onLookingVote(const IsContext auto& in, ServerId from, const Notification& heard) {
  const auto& node = in.node;
  const BroadcastRules& rules = in.rules;
  if (node.last_processed == zxid_unusable || heard.vote.zxid == zxid_unusable) {
    return ignore(in, from, IgnoreReason::no_database);
  }
  if (heard.vote.round > node.round) {
    if (rules.higher_round == HigherRound::ignored) return ignore(in, from, IgnoreReason::higher_round);
    raiseRound(in, from, heard.vote);
  } else if (heard.vote.round == node.round || rules.lower_round == LowerRound::counted) {
    onVoteOfOwnRound(in, from, heard.vote);
  } else {
    return ignore(in, from, IgnoreReason::lower_round);
  }
  putIntoBox(rules, in.node.box, from, {heard.vote, Role::LOOKING});
  countVotes(in);
}

/// The vote of a server that leads or follows (FastLeaderElection, receivedFollowingNotification and its
/// twin).
void onSettledVote(const IsContext auto& in, ServerId from, const Notification& heard) {
  auto& node = in.node;
  const Ballot ballot{heard.vote, heard.state};
  if (in.rules.join == Join::never) return ignore(in, from, IgnoreReason::unknown_candidate);

  const auto joins = [&](const std::map<ServerId, Ballot>& box, const std::vector<ServerId>& counted) {
    const bool quorum = isQuorum(in.config, in.rules, counted);
    switch (in.rules.join) {
      case Join::quorum_and_leader: return quorum && confirmedLeader(in, box, heard.vote);
      case Join::quorum_alone: return quorum && heard.vote.leader != node.self;
      case Join::leader_alone: return confirmedLeader(in, box, heard.vote);
      case Join::never: break;
    }
    return false;
  };

  if (heard.vote.round == node.round) {
    putIntoBox(in.rules, node.box, from, ballot);
    std::vector<ServerId> counted = agreeing(in.rules, node.box, ballot, true);
    if (in.rules.join == Join::quorum_alone)
      std::erase_if(counted, [&](ServerId id) { return node.box.at(id).state == Role::LOOKING; });
    showBox(in, false, ballot, counted, isQuorum(in.config, in.rules, counted));
    if (joins(node.box, counted))
      return decide(in, heard.vote, DecidedBy::join_same_round, std::move(counted));
  }
  putIntoBox(in.rules, node.established, from, ballot);
  std::vector<ServerId> counted = agreeing(in.rules, node.established, ballot, false);
  showBox(in, true, ballot, counted, isQuorum(in.config, in.rules, counted));
  if (joins(node.established, counted)) {
    setRound(in, heard.vote.round);
    decide(in, heard.vote, DecidedBy::join_established, std::move(counted));
  }
}

/// The main loop's share of a notification (FastLeaderElection, lookForLeader).
void weigh(const IsContext auto& in, ServerId from, const Notification& heard) {
  if (in.node.finalizing) {
    if (!beats(compare(in.config, in.rules, heard.vote, in.node.proposal))) {
      // Read and forgotten, whatever it says; the wait begins anew.
      in.setTimer(TimerKind::finalize_wait, in.config.finalize_wait_ms);
      return ignore(in, from, IgnoreReason::waiting_to_decide);
    }
    in.node.finalizing = false;
    in.cancelTimer(TimerKind::finalize_wait);
    in.emit(Reopened{from});
  }
  awaitNotification(in);
  if (!in.config.isVoter(heard.vote.leader)) return ignore(in, from, IgnoreReason::unknown_candidate);
  switch (heard.state) {
    case Role::LOOKING: return onLookingVote(in, from, heard);
    case Role::FOLLOWING:
    case Role::LEADING: return onSettledVote(in, from, heard);
    case Role::OBSERVING: return ignore(in, from, IgnoreReason::sender_observes);
  }
}

Vote initialVote(const Config& config, const BroadcastRules& rules, const auto& node) {
  if (!config.isVoter(node.self)) return {no_server, zxid_of_observer, epoch_of_observer, node.round};
  const bool of_log = rules.advertised == Advertised::last_logged || !node.files.snapshot;
  return {node.self, of_log ? node.last_processed : node.files.snapshot->last, node.currentEpoch(),
          node.round};
}

void startElection(const IsContext auto& in) {
  auto& node = in.node;
  if (in.rules.round_start == RoundStart::next) setRound(in, node.round + 1);
  node.proposal = initialVote(in.config, in.rules, node);
  in.emit(Looking{node.round, node.proposal});
  castOwnVote(in);
  sendNotifications(in);
  awaitNotification(in);
  if (in.rules.own_vote == OwnVote::at_once) countVotes(in);
}

void onNotification(const IsContext auto& in, ServerId from, const Notification& heard) {
  const auto& node = in.node;
  const bool looking = node.role == Role::LOOKING;
  // The receiver's share: whoever looks and cannot know better is answered at once (FastLeaderElection,
  // WorkerReceiver).
  if (!in.config.isVoter(from) && in.rules.counted == Counted::voters) {
    Vote vote = node.current_vote;
    vote.round = node.round;
    in.send(election_link, from, Notification{node.role, vote});
    return;
  }
  if (!looking) {
    if (heard.state == Role::LOOKING && in.rules.answer == Answering::settled_servers) {
      in.send(election_link, from, Notification{node.role, node.current_vote});
    } else {
      ignore(in, from, IgnoreReason::not_looking);
    }
    return;
  }
  if (node.delayed) return ignore(in, from, IgnoreReason::not_yet_looking);
  if (heard.state == Role::LOOKING && heard.vote.round < node.round &&
      in.rules.lower_round == LowerRound::answered) {
    in.send(election_link, from, Notification{Role::LOOKING, node.proposal});
  }
  weigh(in, from, heard);
}

void onSilence(const IsContext auto& in, bool undelivered) {
  auto& node = in.node;
  if (in.rules.silence == Silence::never) return;
  if (undelivered) {
    for (const Member& member : in.config.members) {
      if (!member.observer && member.id != node.self) in.connect(election_link, member.id);
    }
  } else {
    sendNotifications(in);
  }
  if (in.rules.silence == Silence::back_off && notificationWait(in) < in.config.max_notification_ms)
    ++node.doublings;
  in.emit(Silent{undelivered, notificationWait(in)});
  awaitNotification(in);
}

void onElected(const IsContext auto& in, const Vote& vote) {
  if (in.node.role != Role::LOOKING || in.node.delayed) return;
  decide(in, vote, DecidedBy::told, {});
}

void onFinalizeWaitOver(const IsContext auto& in) {
  const Ballot own{in.node.proposal, Role::LOOKING};
  decide(in, in.node.proposal, DecidedBy::finalize_wait, agreeing(in.rules, in.node.box, own, false));
}

}  // namespace zablab::zab
