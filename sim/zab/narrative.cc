#include "sim/zab/narrative.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "protocol/zab/events.h"
#include "sim/json_reflect.h"
#include "sim/scenario.h"
#include "sim/zab/codec.h"
#include "sim/zab/words.h"

namespace zablab::zab {
namespace {

/// Epoch and counter, of `2.17`; an observer's own vote has none.
std::pair<std::int64_t, std::int64_t> zxidOf(const Json& zxid) {
  std::pair<std::int64_t, std::int64_t> result{-1, -1};
  const std::string& text = zxid.get_ref<const std::string&>();
  const char* const end = text.data() + text.size();
  const auto [dot, error] = std::from_chars(text.data(), end, result.first);
  if (error == std::errc{} && dot != end) std::from_chars(dot + 1, end, result.second);
  return result;
}

/// A candidate other than the winner, and why the winner's vote was preferred to its own.
struct Rival {
  Json vote;
  Json winner;  ///< the vote that was preferred
  Comparison reason{};

  auto strength() const {
    const Json& epoch = vote.at("peer_epoch");  // null: an observer's
    return std::tuple(epoch.is_null() ? epoch_of_observer : epoch.get<std::int64_t>(),
                      zxidOf(vote.at("zxid")), serverIn(vote.at("leader")));
  }
};

Vote voteIn(const Json& vote) { return read<Vote>(JsonValue::fromJson(vote, "a vote")); }

/// The strongest rival of each candidate, as voters compared their votes.
class Rivals {
 public:
  explicit Rivals(const Trace& trace) : called_(trace) {}

  void read(const TraceEvent& event) {
    if (event.kind == "vote") add(event.data, "instead_of");
    if (event.kind == "kept") add(event.data, "against");
  }

  /// What the winning vote was preferred for; empty if it had no rival. The next election begins without
  /// rivals.
  Phrase decide(const Json& vote) {
    const auto found = strongest_.find(candidacyOf(vote));
    const Phrase reason = found == strongest_.end() ? Phrase() : against(found->second);
    strongest_.clear();
    return reason;
  }

 private:
  using Candidacy = std::pair<std::int64_t, std::int64_t>;  ///< the round, and who stands
  static Candidacy candidacyOf(const Json& vote) {
    return {vote.at("election_epoch").get<std::int64_t>(), serverIn(vote.at("leader"))};
  }

  void add(const Json& data, const char* other) {
    const Json& vote = data.at("vote");
    if (vote.at("leader") == data.at(other).at("leader")) return;
    const auto reason = enumFromName<Comparison>(data.at("reason").get_ref<const std::string&>());
    if (!reason) return;
    Rival rival{data.at(other), vote, *reason};
    const auto [found, added] = strongest_.try_emplace(candidacyOf(vote), rival);
    if (!added && found->second.strength() < rival.strength()) found->second = std::move(rival);
  }

  /// "epoch 2 > 1 of server C"
  Phrase against(const Rival& rival) const {
    using enum Comparison;
    const Vote winner = voteIn(rival.winner), loser = voteIn(rival.vote);
    const std::string server = called_(rival.vote.at("leader"));
    const Phrase reason = because(called_.names(), rival.reason, winner, loser);
    if (loser.leader == no_server) return reason;  // an observer's vote is not compared
    switch (rival.reason) {
      case higher_epoch:
      case lower_epoch:
        return phrase("epoch {epoch} > {other} of server {server}", winner.peer_epoch, loser.peer_epoch,
                      server);
      case higher_zxid:
      case lower_zxid:
        return phrase("zxid {zxid} > {other} of server {server}", text(winner.zxid), text(loser.zxid),
                      server);
      case higher_id:
      case lower_id: return reason;
      case equal:
      case no_weight: break;
    }
    return phrase("{reason} (against {server})", reason, server);
  }

  const Called called_;
  std::map<Candidacy, Rival> strongest_;
};

/// What the answer to "who leads, and why?" is taken from.
class Answer {
 public:
  explicit Answer(const Trace& trace) : called_(trace), rivals_(trace) {
    for (const Json& node : trace.header.value("nodes", Json::array())) {
      if (node.at("kind") == "observer") observers_.insert(node.at("id").get<std::int64_t>());
    }
    for (const TraceEvent& event : trace.events) {
      if (event.node) read(event);
    }
  }

  std::vector<Phrase> sentences() const {
    std::vector<Phrase> result;
    bool of_winner = false;
    for (const auto& [server, role] : roles_) {
      if (role != "LEADING") continue;
      of_winner = of_winner || winner_ == server;
      result.push_back(leads(server));
    }
    if (winner_ && !of_winner)
      result.push_back(phrase("{server} was {elected}, and leads no more", called_(Json(*winner_)),
                              elections_.at(*winner_)));
    if (result.empty()) {
      result.push_back(phrase("nobody leads when the run ends"));
      std::map<std::int64_t, std::set<std::int64_t>> voters;
      for (const auto& [server, candidate] : votes_) voters[candidate].insert(server);
      for (const auto& [candidate, counted] : own_votes_)
        voters[candidate].insert(counted.begin(), counted.end());
      for (const auto& [candidate, servers] : voters)
        result.push_back(phrase("{server} has the votes of {servers}", called_(Json(candidate)),
                                listOf(Json(servers), called_)));
    }
    result.insert(result.end(), tail_.begin(), tail_.end());
    return result;
  }

 private:
  Phrase leads(std::int64_t server) const {
    const std::string name = called_(Json(server));
    const auto election = elections_.find(server);
    const auto epoch = epochs_.find(server);
    if (epoch == epochs_.end())
      return election == elections_.end() ? phrase("{server} leads", name)
                                          : phrase("{server} leads, {elected}", name, election->second);
    return election == elections_.end()
               ? phrase("{server} leads epoch {epoch}", name, epoch->second)
               : phrase("{server} leads epoch {epoch}, {elected}", name, epoch->second, election->second);
  }

  void read(const TraceEvent& event) {
    const Json& data = event.data;
    rivals_.read(event);
    if (event.kind == "stopped" || event.kind == "started") {
      roles_.erase(*event.node);
      forgetVotes(*event.node);
    } else if (event.kind == "role") {
      roles_[*event.node] = data.at("to").get<std::string>();
      forgetVotes(*event.node);
    } else if ((event.kind == "looking" || event.kind == "vote") && !observers_.contains(*event.node)) {
      votes_[*event.node] = serverIn(data.at("vote").at("leader"));
    } else if (event.kind == "box" && !data.at("established").get<bool>()) {
      own_votes_.erase(*event.node);
      for (const Json& entry : data.at("entries")) {
        if (data.at("candidate") == *event.node && entry.at("counted").get<bool>())
          own_votes_[*event.node].insert(serverIn(entry.at("voter")));
      }
    } else if (event.kind == "decided" && data.at("vote").at("leader") == *event.node) {
      decide(event);
    } else if (event.kind == "established" && data.at("by").empty()) {  // the scenario begins with it
      epochs_[*event.node] = data.at("epoch").get<std::int64_t>();
      committed_ = std::max(committed_, zxidOf(data.at("last")));
    } else if (event.kind == "established") {
      epochs_[*event.node] = data.at("epoch").get<std::int64_t>();
      const std::string last = data.at("last").get<std::string>();
      if (committed_ < zxidOf(data.at("last")))
        tail_.push_back(phrase("{zxid}, not known to be committed before, is committed with epoch {epoch}",
                               last, data.at("epoch").get<std::int64_t>()));
      committed_ = std::max(committed_, zxidOf(data.at("last")));
    } else if (event.kind == "committed") {
      committed_ = std::max(committed_, zxidOf(data.at("zxid")));
    } else if (event.kind == "tail_judged" || (event.kind == "history" && data.at("reason") == "truncated")) {
      tail_.push_back(Phrase::of(event));
    }
  }

  void forgetVotes(std::int64_t server) {
    votes_.erase(server);
    own_votes_.erase(server);
  }

  void decide(const TraceEvent& event) {
    winner_ = *event.node;
    const Phrase voters = listOf(event.data.at("counted"), called_);
    const Phrase reason = rivals_.decide(event.data.at("vote"));
    elections_[*event.node] = voters.empty()   ? phrase("chosen without an election")
                              : reason.empty() ? phrase("elected by {servers}", voters)
                                               : phrase("elected by {servers}: {reason}", voters, reason);
    tail_.clear();
  }

  const Called called_;
  std::set<std::int64_t> observers_;
  std::map<std::int64_t, std::string> roles_;    ///< of the servers that run
  std::map<std::int64_t, std::int64_t> votes_;   ///< of those that look for a leader: for whom
  /// By candidate that looks for a leader: whose votes for it are in its box, also of those that follow it.
  std::map<std::int64_t, std::set<std::int64_t>> own_votes_;
  std::map<std::int64_t, std::int64_t> epochs_;  ///< by leader, the last it established
  Rivals rivals_;
  std::optional<std::int64_t> winner_;                     ///< of the last election that was decided
  std::map<std::int64_t, Phrase> elections_;               ///< by winner, the last: by whose votes, for what
  std::pair<std::int64_t, std::int64_t> committed_{0, 0};  ///< the last known to be committed
  std::vector<Phrase> tail_;                               ///< since that election
};

}  // namespace

std::vector<Phrase> answerOf(const Trace& trace) { return Answer(trace).sentences(); }

std::vector<std::string> tellElections(const Trace& trace, const OwnLine& own) {
  const Called called(trace);
  std::vector<std::string> lines;
  Rivals rivals(trace);
  for (const TraceEvent& event : trace.events) {
    if (!event.node) continue;
    const std::string self = called(Json(*event.node));
    const std::string at = " at " + std::to_string(event.time) + " ms";
    rivals.read(event);
    if (event.kind == "decided") {
      const Json& vote = event.data.at("vote");
      const bool joins = event.data.at("by").get<std::string>().starts_with("join");
      if (vote.at("leader") == *event.node) {
        const Json& voters = event.data.at("counted");
        const std::string reason = rivals.decide(vote).english();
        lines.push_back(
            "round " + vote.at("election_epoch").dump() + ": " + self + " wins" + at +
            (voters.empty() ? " without votes" : " with the votes of " + listOf(voters, called).english()) +
            (reason.empty() ? "" : "; preferred for its " + reason));
      } else if (joins) {
        lines.push_back("round " + vote.at("election_epoch").dump() + ": " + self + " joins " +
                        called(vote.at("leader")) + at + ", according to " +
                        listOf(event.data.at("counted"), called).english());
      }
    } else if (event.kind == "established" && !event.data.at("by").empty()) {
      lines.push_back("epoch " + event.data.at("epoch").dump() + ": " + self + " leads from" + at.substr(3) +
                      "; " + listOf(event.data.at("by"), called).english() + " have its history up to " +
                      event.data.at("last").get<std::string>() + ", and all of it is committed");
    } else if (own) {
      std::string line = own(event, called);
      if (!line.empty()) lines.push_back(std::move(line));
    }
  }
  if (lines.empty()) lines.push_back("no server was elected");
  return lines;
}

}  // namespace zablab::zab
