#include "sim/zab/words.h"

#include "sim/json_reflect.h"
#include "sim/zab/codec.h"

namespace zablab::zab {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;  // clang 14 does not deduce it by itself

std::string name(ServerId id) { return id == no_server ? "nobody" : std::to_string(id); }

std::string text(const Vote& vote) {
  return "(" + std::to_string(vote.round) + "," + (vote.leader == no_server ? "-" : name(vote.leader)) + "," +
         zab::text(vote.zxid) + ")";
}

template <class List>
std::string listed(const List& servers) {
  std::string text;
  for (const ServerId server : servers) text += (text.empty() ? "" : ", ") + name(server);
  return text;
}

std::string because(Comparison reason, const Vote& winner, const Vote& loser) {
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
    case RoleReason::observer_delay_over: return "its pause is over";
    case RoleReason::leader_gone: return "the leader is gone";
    case RoleReason::leader_silent: return "the leader is silent";
    case RoleReason::leader_unreachable: return "the leader takes no connection";
    case RoleReason::quorum_lost: return "it no longer hears a quorum";
    case RoleReason::quorum_never_came: return "no quorum came in time";
    case RoleReason::told: return "it is told to";
    case RoleReason::placed: return "it runs already";
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

std::string cell(const BoxEntry& entry) {
  std::string text = name(entry.voter) + "→" +
                     (entry.ballot.vote.leader == no_server ? "-" : name(entry.ballot.vote.leader));
  if (entry.ballot.state == Role::LEADING) text += " L";
  if (entry.ballot.state == Role::FOLLOWING) text += " F";
  return text;
}

Json picture(const BoxChanged& box) {
  Json cells = Json::array();
  for (const BoxEntry& entry : box.entries) {
    cells.push_back({{"text", cell(entry)}, {"mark", entry.counted ? "counted" : "plain"}});
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

std::string label(const Message& message) {
  return std::visit(Overloaded{
                        [](const Notification& n) {
                          const std::string role =
                              n.state == Role::LOOKING ? "" : std::string(enumName(n.state)) + " ";
                          return role + text(n.vote);
                        },
                        [](const Undecodable&) { return std::string("???"); },
                        [](const LearnerInfo& info) {
                          return std::string(info.observer ? "OBSERVERINFO" : "FOLLOWERINFO");
                        },
                        [](const Ping&) { return std::string("PING"); },
                    },
                    message);
}

std::string typeName(const Message& message) {
  return std::visit([](const auto& alternative) { return std::string(alternative.name); }, message);
}

std::vector<std::vector<std::string>> messageGroups() {
  const auto names = [](const auto&... types) {
    return std::vector<std::string>{std::string(types.name)...};
  };
  return {names(Notification{}, Undecodable{}), names(LearnerInfo{}), names(Ping{})};
}

std::string kindName(const Event& event) {
  return std::visit([](const auto& alternative) { return std::string(alternative.name); }, event);
}

Json data(const Event& event) {
  return std::visit(
      [](const auto& alternative) {
        Json fields = toJson(alternative);
        if constexpr (std::is_same_v<std::decay_t<decltype(alternative)>, BoxChanged>) {
          fields["picture"] = picture(alternative);
        }
        return fields;
      },
      event);
}

std::string tell(const std::string& server, const Event& event) {
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
            if (e.phase != Phase::broadcast) return server + " reaches " + std::string(enumName(e.phase));
            return server + (e.role == Role::LEADING ? " has a quorum of learners" : " hears its leader");
          },
          [&](const Looking& e) {
            return server + " votes " + text(e.vote) + " in round " + std::to_string(e.round);
          },
          [&](const VoteChanged& e) {
            return server + " adopts " + text(e.vote) + " from " + name(e.from) + ": " +
                   because(e.reason, e.vote, e.instead_of);
          },
          [&](const VoteKept& e) {
            return server + " keeps " + text(e.vote) + ": " + because(e.reason, e.vote, e.against);
          },
          [&](const RoundRaised& e) {
            return server + " goes from round " + std::to_string(e.from) + " to " + std::to_string(e.to) +
                   " of " + name(e.because_of) + ", box emptied";
          },
          [&](const Ignored& e) { return server + " ignores " + name(e.from) + ": " + because(e.reason); },
          [&](const BoxChanged&) { return std::string(); },
          [&](const QuorumCounted& e) {
            return server + " counts " + listed(e.counted) + " for " + name(e.vote.leader) + ": a quorum";
          },
          [&](const Reopened& e) {
            return server + " hears a better vote from " + name(e.from) + " and goes on";
          },
          [&](const Decided& e) {
            const bool joins = e.by == DecidedBy::join_established || e.by == DecidedBy::join_same_round;
            return joins ? server + " joins " + name(e.vote.leader) + ", as " + listed(e.counted) + " say"
                         : server + " decides for " + name(e.vote.leader) + ", with " + listed(e.counted);
          },
          [&](const Silent& e) {
            return server + " hears nothing and " + (e.redial ? "dials again" : "says its vote again") +
                   "; next wait " + std::to_string(e.next_wait_ms) + " ms";
          },
          [&](const LearnerChanged& e) {
            return server + (e.present ? " takes in learner " : " drops learner ") + name(e.learner);
          },
      },
      event);
}

}  // namespace zablab::zab
