#pragma once

#include "sim/zab/words.h"

#include <utility>

#include "protocol/overloaded.h"
#include "sim/json_reflect.h"
#include "sim/zab/codec.h"
#include "sim/zab/service_words.h"

namespace zablab::zab {

template <class List>
std::string listed(const Names& name, const List& servers) {
  std::string text;
  for (const ServerId server : servers) text += (text.empty() ? "" : ", ") + name(server);
  return text;
}

/// For the service's own messages and events; a service may have none.
template <class S, class Own>
std::string labelOfOwn(const Names& name, const Own& message) {
  return ServiceWords<S>::label(name, message);
}
template <class S, class Own>
std::string tellOwn(const Names& name, ServerId self, const Own& event) {
  return ServiceWords<S>::tell(name, self, event);
}

template <class S>
std::string label(const Names& name, const BasicMessage<S>& message) {
  static_assert(HasServiceWords<S>);
  return std::visit(
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
  return std::visit(
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
std::string tell(const Names& name, ServerId self, const BasicEvent<S>& event) {
  const std::string server = name(self);
  return std::visit(
      Overloaded{
          [&](const RoleChanged& e) {
            std::string does = "follows " + name(e.leader.value_or(no_server));
            if (e.to == Role::LOOKING) does = "looks for a leader";
            if (e.to == Role::LEADING) does = "leads";
            if (e.to == Role::OBSERVING) does = "observes " + name(e.leader.value_or(no_server));
            return server + " " + does +
                   (e.reason == RoleReason::decided || e.reason == RoleReason::placed
                        ? ""
                        : ": " + because(e.reason));
          },
          [&](const PhaseChanged& e) {
            if (e.phase != Phase::broadcast) return server + " enters " + std::string(enumName(e.phase));
            return server + (e.role == Role::LEADING ? " serves" : " is up to date and serves");
          },
          [&](const Looking& e) {
            return server + " votes " + text(name, e.vote) + " in round " + std::to_string(e.round);
          },
          [&](const VoteChanged& e) {
            return server + " adopts " + text(name, e.vote) + " from " + name(e.from) + ": " +
                   because(name, e.reason, e.vote, e.instead_of);
          },
          [&](const VoteKept& e) {
            return server + " keeps " + text(name, e.vote) + ": " +
                   because(name, e.reason, e.vote, e.against);
          },
          [&](const RoundRaised& e) {
            return server + " goes from round " + std::to_string(e.from) + " to " + std::to_string(e.to) +
                   " of " + name(e.because_of) + ", box emptied";
          },
          [&](const Ignored& e) { return server + " ignores " + name(e.from) + ": " + because(e.reason); },
          [&](const BoxChanged&) { return std::string(); },
          [&](const QuorumCounted& e) {
            return server + " counts " + listed(name, e.counted) + " for " + name(e.vote.leader) +
                   ": a quorum";
          },
          [&](const Reopened& e) {
            return server + " receives a better vote from " + name(e.from) + " and continues";
          },
          [&](const Decided& e) {
            if (e.by == DecidedBy::told) return server + " decides for " + name(e.vote.leader);
            const bool joins = e.by == DecidedBy::join_established || e.by == DecidedBy::join_same_round;
            return joins
                       ? server + " joins " + name(e.vote.leader) + ", according to " +
                             listed(name, e.counted)
                       : server + " decides for " + name(e.vote.leader) + ", with " + listed(name, e.counted);
          },
          [&](const Silent& e) {
            return server + " receives nothing and " + (e.redial ? "dials again" : "sends its vote again") +
                   "; next wait " + std::to_string(e.next_wait_ms) + " ms";
          },
          [&](const LearnerChanged& e) {
            return server + (e.present ? " accepts learner " : " drops learner ") + name(e.learner);
          },
          [&](const BasicHistoryLoaded<S>& e) {
            const std::string end =
                e.history.empty() ? "nothing" : "all up to " + text(e.history.back().zxid);
            switch (e.reason) {
              case HistoryReason::started:
                return e.history.empty() ? "" : server + " has " + end + " on its disk";
              case HistoryReason::placed: return std::string();
              case HistoryReason::truncated: return server + " truncates its log and keeps " + end;
              case HistoryReason::snapshot: return server + " loads the leader's snapshot: " + end;
              case HistoryReason::reloaded: return server + " reads its disk again: " + end;
            }
            return std::string();
          },
          [&](const BasicApplied<S>& e) {
            switch (e.because) {
              case AppliedBecause::committed: return server + " applies " + text(e.txn.zxid);
              case AppliedBecause::synchronized:
                return server + " applies " + text(e.txn.zxid) + " from its leader";
              case AppliedBecause::tail_of_log:
                return server + " applies " + text(e.txn.zxid) + " from its log, committed or not";
            }
            return std::string();
          },
          [&](const EpochProposed& e) {
            return server + " proposes epoch " + std::to_string(e.epoch) + ": one more than " +
                   listed(name, e.connecting) + " have accepted";
          },
          [&](const EpochPromised& e) {
            return server + " has promises from " + listed(name, e.by) + " for epoch " +
                   std::to_string(e.epoch);
          },
          [&](const LearnerAhead& e) {
            return server + " refuses " + name(e.learner) + ": its history, " + text(e.last) + " of epoch " +
                   std::to_string(e.epoch) + ", is newer";
          },
          [&](const SyncChosen& e) {
            std::string what(enumName(e.mode));
            if (e.mode != SyncMode::SNAP) what += " " + text(e.to);
            if (e.proposals > 0)
              what += " and " + std::to_string(e.proposals) + (e.proposals == 1 ? " proposal" : " proposals");
            return server + " sends " + name(e.learner) + " " + what + ": " + because(e.reason);
          },
          [&](const TailJudged& e) {
            return server + (e.kept ? " keeps " : " drops ") + text(e.zxid) + ": " + listed(name, e.holders) +
                   (e.holders.size() == 1 ? " has it" : " have it") +
                   (e.unheard.empty() ? "" : "; not heard from: " + listed(name, e.unheard));
          },
          [&](const Established& e) {
            return e.by.empty()
                       ? std::string()
                       : "epoch " + std::to_string(e.epoch) + " is established by " + listed(name, e.by) +
                             ": all of " + server + "'s history, up to " + text(e.last) + ", is committed";
          },
          [&](const Committed& e) {
            return server + " commits " + text(e.zxid) + ", with " + listed(name, e.acks);
          },
          [&](const auto& own) { return tellOwn<S>(name, self, own); },
      },
      event);
}

}  // namespace zablab::zab
