#include "sim/zab/words.h"

#include "protocol/overloaded.h"
#include "sim/json_reflect.h"
#include "sim/zab/codec.h"

namespace zablab::zab {
namespace {

std::string text(const Names& name, const Vote& vote) {
  return "(" + std::to_string(vote.round) + "," + (vote.leader == no_server ? "-" : name(vote.leader)) + "," +
         zab::text(vote.zxid) + ")";
}

template <class List>
std::string listed(const Names& name, const List& servers) {
  std::string text;
  for (const ServerId server : servers) text += (text.empty() ? "" : ", ") + name(server);
  return text;
}

std::string because(const Names& name, Comparison reason, const Vote& winner, const Vote& loser) {
  switch (reason) {
    case Comparison::higher_epoch:
    case Comparison::lower_epoch:
      return "epoch " + std::to_string(winner.epoch) + " > " + std::to_string(loser.epoch);
    case Comparison::higher_zxid:
    case Comparison::lower_zxid: return "zxid " + text(winner.zxid) + " > " + text(loser.zxid);
    case Comparison::higher_id:
    case Comparison::lower_id:
      return loser.leader == no_server ? "an observer votes for nobody"
                                       : "id " + name(winner.leader) + " > " + name(loser.leader);
    case Comparison::equal: return "the same vote";
    case Comparison::no_weight: return name(loser.leader) + " has no weight";
  }
  return "";
}

std::string because(RoleReason reason) {
  switch (reason) {
    case RoleReason::started: return "it starts";
    case RoleReason::decided: return "the election is decided";
    case RoleReason::leader_gone: return "the leader is gone";
    case RoleReason::leader_silent: return "the leader is silent";
    case RoleReason::leader_unreachable: return "the leader takes no connection";
    case RoleReason::quorum_lost: return "it no longer hears a quorum";
    case RoleReason::quorum_never_came: return "no quorum came in time";
    case RoleReason::told: return "it is told to";
    case RoleReason::placed: return "it runs already";
    case RoleReason::no_promises: return "no quorum promised its epoch in time";
    case RoleReason::epoch_behind: return "the leader's epoch is older than the one it promised";
    case RoleReason::no_newleader_quorum: return "no quorum acknowledged NEWLEADER in time";
    case RoleReason::counter_used_up: return "the epoch's counter is used up";
    case RoleReason::sync_failed: return "synchronization failed";
    case RoleReason::write_failed: return "its log could not be written";
  }
  return "";
}

std::string because(IgnoreReason reason) {
  switch (reason) {
    case IgnoreReason::lower_round: return "its round is lower";
    case IgnoreReason::higher_round: return "its round is higher";
    case IgnoreReason::unknown_candidate: return "its candidate cannot lead";
    case IgnoreReason::no_database: return "there is no database behind it";
    case IgnoreReason::sender_observes: return "its sender observes";
    case IgnoreReason::undecodable: return "it cannot be read";
    case IgnoreReason::not_looking: return "it needs no answer";
    case IgnoreReason::waiting_to_decide: return "it is no better than the vote that waits to be final";
    case IgnoreReason::not_yet_looking: return "the election has not begun here";
  }
  return "";
}

std::string because(SyncReason reason) {
  switch (reason) {
    case SyncReason::forced: return "snapshots are forced";
    case SyncReason::equal: return "it has everything";
    case SyncReason::learner_ahead: return "it has more than the leader";
    case SyncReason::within_committed_log: return "its end is in the committed log's range";
    case SyncReason::behind_from_disk: return "it is behind the committed log; the log's files reach back";
    case SyncReason::behind_without_log:
      return "it is behind the committed log, and the log's files do not serve";
    case SyncReason::other_epoch: return "its end is not in the leader's history and is of another epoch";
    case SyncReason::gap_in_log: return "the log's files have a gap before the committed log";
    case SyncReason::outstanding: return "what it has is proposed and stays";
    case SyncReason::after_committed: return "it keeps what it knows to be committed";
    case SyncReason::no_match: return "nothing else fits";
  }
  return "";
}

std::string words(Operation operation, std::int64_t value) {
  switch (operation) {
    case Operation::put: return "write " + std::to_string(value);
    case Operation::read: return "read";
    case Operation::sync: return "sync";
    case Operation::open_session: return "open a session";
    case Operation::close_session: return "close the session";
    case Operation::connect: return "connect";
  }
  return "";
}

std::string cell(const Names& name, const BoxEntry& entry) {
  std::string text = name(entry.voter) + "→" +
                     (entry.ballot.vote.leader == no_server ? "-" : name(entry.ballot.vote.leader));
  if (entry.ballot.state == Role::LEADING) text += " L";
  if (entry.ballot.state == Role::FOLLOWING) text += " F";
  return text;
}

Json picture(const Names& name, const Committed& committed) {
  Json cells = Json::array();
  for (const ServerId server : committed.acks) cells.push_back({{"text", name(server)}, {"mark", "counted"}});
  return {{"cells", std::move(cells)}, {"quorum", true}, {"caption", "quorum for " + text(committed.zxid)}};
}

Json picture(const Names& name, const BoxChanged& box) {
  Json cells = Json::array();
  for (const BoxEntry& entry : box.entries) {
    cells.push_back({{"text", cell(name, entry)}, {"mark", entry.counted ? "counted" : "plain"}});
  }
  Json picture{{"cells", std::move(cells)}, {"quorum", box.quorum}};
  if (box.quorum) picture["caption"] = "quorum for " + name(box.candidate);
  return picture;
}

}  // namespace

std::string text(Zxid zxid) {
  if (zxid == zxid_of_observer) return "-";
  if (zxid == zxid_unusable) return "none";
  if (zxid.epoch() == 0) return std::to_string(zxid.counter());
  return std::to_string(zxid.epoch()) + "." + std::to_string(zxid.counter());
}

std::string label(const Names& name, const Message& message) {
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
          [](const Snap& m) { return "SNAP " + text(m.snapshot.last); },
          [](const NewLeader& m) { return "NEWLEADER " + text(m.zxid); },
          [](const UpToDate&) { return std::string("UPTODATE"); },
          [](const Proposal& m) { return "PROPOSAL " + text(m.txn.zxid); },
          [](const Ack& m) { return "ACK " + text(m.zxid); },
          [](const Commit& m) { return "COMMIT " + text(m.zxid); },
          [](const Inform& m) { return "INFORM " + text(m.txn.zxid); },
          [](const Ping&) { return std::string("PING"); },
          [](const Forwarded& m) { return "REQUEST " + words(m.operation, m.value); },
          [](const SyncDone&) { return std::string("SYNC"); },
          [](const ClientHello&) { return std::string("CONNECT"); },
          [](const ClientRequest& m) { return words(m.operation, m.value); },
          [](const Answer& m) {
            return m.value ? "it is " + std::to_string(*m.value) : "done, " + text(m.zxid);
          },
      },
      message);
}

std::string_view typeName(const Message& message) {
  return std::visit([](const auto& alternative) { return alternative.name; }, message);
}

std::vector<std::vector<std::string>> messageGroups() {
  const auto names = [](const auto&... types) {
    return std::vector<std::string>{std::string(types.name)...};
  };
  return {names(Notification{}, Undecodable{}),
          names(FollowerInfo{}, ObserverInfo{}, LeaderInfo{}, AckEpoch{}),
          names(Proposal{}, Ack{}, Commit{}, Inform{}),
          names(Diff{}, Trunc{}, Snap{}, NewLeader{}, UpToDate{}),
          names(ClientHello{}, ClientRequest{}, Answer{}, Forwarded{}, SyncDone{}),
          names(Ping{})};
}

std::string_view kindName(const Event& event) {
  return std::visit([](const auto& alternative) { return alternative.name; }, event);
}

Json data(const Names& name, const Event& event) {
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

std::string tell(const Names& name, ServerId self, const Request& request) {
  const std::string client = name(self);
  if (request.operation == Operation::connect) return client + " turns to " + name(request.server);
  return client + " asks: " + words(request.operation, request.value);
}

std::string tell(const Names& name, ServerId self, const Event& event) {
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
            return server + " hears a better vote from " + name(e.from) + " and goes on";
          },
          [&](const Decided& e) {
            if (e.by == DecidedBy::told) return server + " decides for " + name(e.vote.leader);
            const bool joins = e.by == DecidedBy::join_established || e.by == DecidedBy::join_same_round;
            return joins
                       ? server + " joins " + name(e.vote.leader) + ", as " + listed(name, e.counted) + " say"
                       : server + " decides for " + name(e.vote.leader) + ", with " + listed(name, e.counted);
          },
          [&](const Silent& e) {
            return server + " hears nothing and " + (e.redial ? "dials again" : "says its vote again") +
                   "; next wait " + std::to_string(e.next_wait_ms) + " ms";
          },
          [&](const LearnerChanged& e) {
            return server + (e.present ? " takes in learner " : " drops learner ") + name(e.learner);
          },
          [&](const HistoryLoaded& e) {
            const std::string end =
                e.history.empty() ? "nothing" : "all up to " + text(e.history.back().zxid);
            switch (e.reason) {
              case HistoryReason::started:
                return e.history.empty() ? "" : server + " has " + end + " on its disk";
              case HistoryReason::placed: return std::string();
              case HistoryReason::truncated: return server + " cuts its log and keeps " + end;
              case HistoryReason::snapshot: return server + " takes the leader's snapshot: " + end;
              case HistoryReason::reloaded: return server + " reads its disk again: " + end;
            }
            return std::string();
          },
          [&](const Applied& e) {
            switch (e.because) {
              case AppliedBecause::committed: return server + " applies " + text(e.txn.zxid);
              case AppliedBecause::synchronized: return server + " takes over " + text(e.txn.zxid);
              case AppliedBecause::tail_of_log:
                return server + " counts " + text(e.txn.zxid) + " of its log in, committed or not";
            }
            return std::string();
          },
          [&](const EpochProposed& e) {
            return server + " proposes epoch " + std::to_string(e.epoch) + ": one more than " +
                   listed(name, e.connecting) + " have accepted";
          },
          [&](const EpochPromised& e) {
            return server + " has promises of " + listed(name, e.by) + " for epoch " +
                   std::to_string(e.epoch);
          },
          [&](const LearnerAhead& e) {
            return server + " refuses " + name(e.learner) + ": its history, " + text(e.last) + " of epoch " +
                   std::to_string(e.epoch) + ", is newer";
          },
          [&](const SyncChosen& e) {
            std::string what(enumName(e.mode));
            if (e.mode != SyncMode::SNAP) what += " " + text(e.to);
            if (e.proposals > 0) what += " and " + std::to_string(e.proposals) + " to follow";
            return server + " sends " + name(e.learner) + " " + what + ": " + because(e.reason);
          },
          [&](const TailJudged& e) {
            return server + (e.kept ? " keeps " : " drops ") + text(e.zxid) + ": " + listed(name, e.holders) +
                   (e.holders.size() == 1 ? " has it" : " have it") +
                   (e.unheard.empty() ? "" : "; not heard: " + listed(name, e.unheard));
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
          [&](const Answered& e) {
            const std::string request = e.value ? "read" : std::string(enumName(e.operation));
            switch (e.outcome) {
              case Outcome::ok:
                return server + (e.value ? " reads " + std::to_string(*e.value)
                                         : " knows its " + request + " done, " + text(e.zxid));
              case Outcome::unknown: return server + " cannot know what became of its " + request;
              case Outcome::not_sent: return server + " finds nobody for its " + request;
            }
            return std::string();
          },
          [&](const ClientRefused& e) {
            return server + " refuses " + name(e.client) + ", which has seen " + text(e.seen) + ": here is " +
                   text(e.here);
          },
      },
      event);
}

}  // namespace zablab::zab
