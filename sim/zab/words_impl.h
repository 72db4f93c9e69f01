#pragma once

#include "sim/zab/words.h"

#include <utility>

#include "protocol/overloaded.h"
#include "sim/json_reflect.h"
#include "sim/zab/codec.h"
#include "sim/zab/service_words.h"

namespace zablab::zab {

/// For the service's own messages and events; a service may have none.
template <class S, class Own>
Phrase labelOfOwn(const Names& name, const Own& message) {
  return ServiceWords<S>::label(name, message);
}
template <class S, class Own>
Phrase tellOwn(const Names& name, ServerId self, const Own& event) {
  return ServiceWords<S>::tell(name, self, event);
}

template <class S>
Phrase label(const Names& name, const BasicMessage<S>& message) {
  static_assert(HasServiceWords<S>);
  return visit<Phrase>(
      Overloaded{
          [&](const Notification& n) {
            const std::string role = n.state == Role::LOOKING ? "" : std::string(enumName(n.state)) + " ";
            return role + text(name, n.vote);
          },
          [](const Undecodable&) { return std::string("???"); },
          [](const FollowerInfo& m) { return "FOLLOWERINFO " + std::to_string(m.accepted_epoch); },
          [](const ObserverInfo& m) { return "OBSERVERINFO " + std::to_string(m.accepted_epoch); },
          [](const LeaderInfo& m) { return "LEADERINFO " + std::to_string(m.epoch); },
          [](const AckEpoch& m) { return "ACKEPOCH " + text(m.last); },
          [](const Diff& m) { return "DIFF " + text(m.to); },
          [](const Trunc& m) { return "TRUNC " + text(m.to); },
          [](const BasicSnap<S>& m) { return "SNAP " + text(m.snapshot.last); },
          [](const NewLeader& m) { return "NEWLEADER " + text(m.zxid); },
          [](const UpToDate&) { return std::string("UPTODATE"); },
          [](const BasicProposal<S>& m) { return "PROPOSAL " + text(m.txn.zxid); },
          [](const Ack& m) { return "ACK " + text(m.zxid); },
          [](const Commit& m) { return "COMMIT " + text(m.zxid); },
          [](const BasicInform<S>& m) { return "INFORM " + text(m.txn.zxid); },
          [](const Ping&) { return std::string("PING"); },
          [&](const auto& own) { return labelOfOwn<S>(name, own); },
      },
      message);
}

template <class S>
std::vector<std::vector<std::string>> messageGroups(std::vector<std::string> own) {
  const auto names = [](const auto&... types) {
    return std::vector<std::string>{std::string(types.name)...};
  };
  std::vector<std::vector<std::string>> groups{
      names(Notification{}, Undecodable{}), names(FollowerInfo{}, ObserverInfo{}, LeaderInfo{}, AckEpoch{}),
      names(BasicProposal<S>{}, Ack{}, Commit{}, BasicInform<S>{}),
      names(Diff{}, Trunc{}, BasicSnap<S>{}, NewLeader{}, UpToDate{})};
  if (!own.empty()) groups.push_back(std::move(own));
  groups.push_back(names(Ping{}));
  return groups;
}

template <class S>
std::vector<std::string> foldedInStories(std::vector<std::string> own) {
  for (const std::string_view name :
       {Notification::name, Undecodable::name, FollowerInfo::name, ObserverInfo::name, LeaderInfo::name,
        AckEpoch::name, NewLeader::name, UpToDate::name, Ack::name, Commit::name, BasicInform<S>::name,
        Ping::name}) {
    own.emplace_back(name);
  }
  return own;
}

template <class S>
std::vector<std::string> milestones(std::vector<std::string> own) {
  for (const std::string_view name :
       {Looking::name, QuorumCounted::name, SyncChosen::name, BasicHistoryLoaded<S>::name, TailJudged::name,
        Established::name, Committed::name}) {
    own.emplace_back(name);
  }
  return own;
}

template <class S>
Json data(const Names& name, const BasicEvent<S>& event) {
  return visit(
      [&](const auto& alternative) {
        Json fields = toJson(alternative);
        using Alternative = std::decay_t<decltype(alternative)>;
        if constexpr (std::is_same_v<Alternative, BoxChanged> || std::is_same_v<Alternative, Committed>) {
          fields["picture"] = picture(name, alternative);
        }
        return fields;
      },
      event);
}

template <class S>
Phrase tell(const Names& name, ServerId self, const BasicEvent<S>& event) {
  const std::string server = name(self);
  return visit(
      Overloaded{
          [&](const RoleChanged& e) {
            Phrase does =
                phrase("{server} follows {leader}", server, nameOf(name, e.leader.value_or(no_server)));
            if (e.to == Role::LOOKING) does = phrase("{server} looks for a leader", server);
            if (e.to == Role::LEADING) does = phrase("{server} leads", server);
            if (e.to == Role::OBSERVING)
              does = phrase("{server} observes {leader}", server, nameOf(name, e.leader.value_or(no_server)));
            const bool expected = e.reason == RoleReason::decided || e.reason == RoleReason::placed;
            return expected ? does : phrase("{what} because {reason}", does, because(e.reason));
          },
          [&](const PhaseChanged& e) {
            if (e.phase != Phase::broadcast)
              return phrase("{server} enters {phase}", server, Phrase::words(enumName(e.phase)));
            return e.role == Role::LEADING ? phrase("{server} serves", server)
                                           : phrase("{server} is up to date and serves", server);
          },
          [&](const Looking& e) {
            return phrase("{server} votes {vote} in round {round}", server, text(name, e.vote), e.round);
          },
          [&](const VoteChanged& e) {
            return phrase("{server} adopts {vote} from {other}: {reason}", server, text(name, e.vote),
                          name(e.from), because(name, e.reason, e.vote, e.instead_of));
          },
          [&](const VoteKept& e) {
            return phrase("{server} keeps {vote}: {reason}", server, text(name, e.vote),
                          because(name, e.reason, e.vote, e.against));
          },
          [&](const RoundRaised& e) {
            return phrase("{server} goes from round {from} to {to} of {other}, box emptied", server, e.from,
                          e.to, name(e.because_of));
          },
          [&](const Ignored& e) {
            return phrase("{server} ignores {other}: {reason}", server, name(e.from), because(e.reason));
          },
          [&](const BoxChanged&) { return Phrase(); },
          [&](const QuorumCounted& e) {
            return phrase("{server} counts {servers} for {candidate}: a quorum", server,
                          listOf(e.counted, name), name(e.vote.leader));
          },
          [&](const Reopened& e) {
            return phrase("{server} receives a better vote from {other} and continues", server, name(e.from));
          },
          [&](const Decided& e) {
            const std::string leader = name(e.vote.leader);
            if (e.by == DecidedBy::told) return phrase("{server} decides for {leader}", server, leader);
            const Phrase counted = listOf(e.counted, name);
            const bool joins = e.by == DecidedBy::join_established || e.by == DecidedBy::join_same_round;
            return joins ? phrase("{server} joins {leader}, according to {servers}", server, leader, counted)
                         : phrase("{server} decides for {leader}, with {servers}", server, leader, counted);
          },
          [&](const Silent& e) {
            return e.redial
                       ? phrase("{server} receives nothing and dials again; next wait {wait} ms", server,
                                e.next_wait_ms)
                       : phrase("{server} receives nothing and sends its vote again; next wait {wait} ms",
                                server, e.next_wait_ms);
          },
          [&](const LearnerChanged& e) {
            return e.present ? phrase("{server} accepts learner {learner}", server, name(e.learner))
                             : phrase("{server} drops learner {learner}", server, name(e.learner));
          },
          [&](const BasicHistoryLoaded<S>& e) {
            const bool empty = e.history.empty();
            const std::string last = empty ? "" : text(e.history.back().zxid);
            switch (e.reason) {
              case HistoryReason::started:
                return empty ? Phrase()
                             : phrase("{server} has everything up to {zxid} on its disk", server, last);
              case HistoryReason::placed: return Phrase();
              case HistoryReason::truncated:
                return empty ? phrase("{server} truncates its log and keeps nothing", server)
                             : phrase("{server} truncates its log and keeps all up to {zxid}", server, last);
              case HistoryReason::snapshot:
                return empty ? phrase("{server} loads the leader's snapshot: nothing", server)
                             : phrase("{server} loads the leader's snapshot: all up to {zxid}", server, last);
              case HistoryReason::reloaded:
                return empty ? phrase("{server} reads its disk again: nothing", server)
                             : phrase("{server} reads its disk again: all up to {zxid}", server, last);
            }
            return Phrase();
          },
          [&](const BasicApplied<S>& e) {
            const std::string zxid = text(e.txn.zxid);
            switch (e.because) {
              case AppliedBecause::committed: return phrase("{server} applies {zxid}", server, zxid);
              case AppliedBecause::synchronized:
                return phrase("{server} applies {zxid} from its leader", server, zxid);
              case AppliedBecause::tail_of_log:
                return phrase("{server} applies {zxid} from its log, committed or not", server, zxid);
            }
            return Phrase();
          },
          [&](const EpochProposed& e) {
            return phrase("{server} proposes epoch {epoch}: one more than {servers} have accepted", server,
                          e.epoch, listOf(e.connecting, name));
          },
          [&](const EpochPromised& e) {
            return phrase("{server} has promises from {servers} for epoch {epoch}", server,
                          listOf(e.by, name), e.epoch);
          },
          [&](const LearnerAhead& e) {
            return phrase("{server} refuses {learner}: its history, {zxid} of epoch {epoch}, is newer",
                          server, name(e.learner), text(e.last), e.epoch);
          },
          [&](const SyncChosen& e) {
            std::string mode(enumName(e.mode));
            if (e.mode != SyncMode::SNAP) mode += " " + text(e.to);
            const Phrase packets = e.proposals <= 0 ? Phrase(mode)
                                   : e.proposals == 1
                                       ? phrase("{mode} and {count} proposal", mode, 1)
                                       : phrase("{mode} and {count} proposals", mode, e.proposals);
            return phrase("{server} sends {learner} {packets}: {reason}", server, name(e.learner), packets,
                          because(e.reason));
          },
          [&](const TailJudged& e) {
            Phrase why = e.holders.size() == 1 ? phrase("{servers} has it", listOf(e.holders, name))
                                               : phrase("{servers} have it", listOf(e.holders, name));
            if (!e.unheard.empty())
              why = phrase("{holders}; not heard from: {servers}", why, listOf(e.unheard, name));
            return e.kept ? phrase("{server} keeps {zxid}: {reason}", server, text(e.zxid), why)
                          : phrase("{server} drops {zxid}: {reason}", server, text(e.zxid), why);
          },
          [&](const Established& e) {
            return e.by.empty()
                       ? Phrase()
                       : phrase(
                             "epoch {epoch} is established by {servers}: all of {server}'s history, up to "
                             "{zxid}, is committed",
                             e.epoch, listOf(e.by, name), server, text(e.last));
          },
          [&](const Committed& e) {
            return phrase("{server} commits {zxid}, with {servers}", server, text(e.zxid),
                          listOf(e.acks, name));
          },
          [&](const auto& own) { return tellOwn<S>(name, self, own); },
      },
      event);
}

}  // namespace zablab::zab
