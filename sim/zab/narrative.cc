#include "sim/zab/narrative.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "protocol/zab/types.h"
#include "sim/scenario.h"

namespace zablab::zab {
namespace {

/// "epoch 2 > 1", from the text of the event: the part after the colon.
std::string reasonIn(const std::string& text) {
  const std::size_t colon = text.find(": ");
  return colon == std::string::npos ? "" : text.substr(colon + 2);
}

/// Epoch and counter, of `2.17`; an observer's own vote has none.
std::pair<std::int64_t, std::int64_t> zxidOf(const Json& zxid) {
  std::pair<std::int64_t, std::int64_t> result{-1, -1};
  const std::string& text = zxid.get_ref<const std::string&>();
  const char* const end = text.data() + text.size();
  const auto [dot, error] = std::from_chars(text.data(), end, result.first);
  if (error == std::errc{} && dot != end) std::from_chars(dot + 1, end, result.second);
  return result;
}

/// "epoch 2 > 1 of server C", of "epoch 2 > 1".
std::string against(const std::string& reason, const std::string& rival) {
  const std::size_t greater = reason.find(" > ");
  if (greater == std::string::npos) return reason + " (against " + rival + ")";
  if (reason.substr(greater + 3) == rival) return reason;  // their ids are compared
  return reason + " of server " + rival;
}

/// A candidate other than the winner, and why the winner's vote was preferred to its own.
struct Rival {
  Json vote;
  std::string reason;

  auto strength() const {
    const Json& epoch = vote.at("peer_epoch");  // null: an observer's
    return std::tuple(epoch.is_null() ? epoch_of_observer : epoch.get<std::int64_t>(),
                      zxidOf(vote.at("zxid")), serverIn(vote.at("leader")));
  }
};

/// The strongest rival of each candidate, as voters compared their votes.
class Rivals {
 public:
  void read(const TraceEvent& event) {
    if (event.kind == "vote") add(event.data.at("vote"), event.data.at("instead_of"), event.text);
    if (event.kind == "kept") add(event.data.at("vote"), event.data.at("against"), event.text);
  }

  /// What the winning vote was preferred for; empty if it had no rival. The next election begins without
  /// rivals.
  std::string decide(const Json& vote, const Called& called) {
    const auto found = strongest_.find(candidacyOf(vote));
    const std::string reason = found == strongest_.end()
                                   ? ""
                                   : against(found->second.reason, called(found->second.vote.at("leader")));
    strongest_.clear();
    return reason;
  }

 private:
  using Candidacy = std::pair<std::int64_t, std::int64_t>;  ///< the round, and who stands
  static Candidacy candidacyOf(const Json& vote) {
    return {vote.at("election_epoch").get<std::int64_t>(), serverIn(vote.at("leader"))};
  }

  void add(const Json& vote, const Json& other, const std::string& text) {
    if (vote.at("leader") == other.at("leader")) return;
    Rival rival{other, reasonIn(text)};
    if (rival.reason.empty()) return;
    const auto [found, added] = strongest_.try_emplace(candidacyOf(vote), rival);
    if (!added && found->second.strength() < rival.strength()) found->second = std::move(rival);
  }

  std::map<Candidacy, Rival> strongest_;
};

/// What the answer to "who leads, and why?" is taken from.
class Answer {
 public:
  explicit Answer(const Trace& trace) : called_(trace) {
    for (const Json& node : trace.header.value("nodes", Json::array())) {
      if (node.at("kind") == "observer") observers_.insert(node.at("id").get<std::int64_t>());
    }
    for (const TraceEvent& event : trace.events) {
      if (event.node) read(event);
    }
  }

  std::vector<std::string> sentences() const {
    std::vector<std::string> result;
    bool of_winner = false;
    for (const auto& [server, role] : roles_) {
      if (role != "LEADING") continue;
      const auto election = elections_.find(server);
      of_winner = of_winner || winner_ == server;
      const auto epoch = epochs_.find(server);
      result.push_back(called_(Json(server)) + " leads" +
                       (epoch == epochs_.end() ? std::string() : " epoch " + std::to_string(epoch->second)) +
                       (election == elections_.end() ? std::string() : "," + election->second));
    }
    if (winner_ && !of_winner)
      result.push_back(called_(Json(*winner_)) + " was" + elections_.at(*winner_) + ", and leads no more");
    if (result.empty()) {
      result.push_back("nobody leads when the run ends");
      std::map<std::int64_t, Json> voters;
      for (const auto& [server, candidate] : votes_) voters[candidate].push_back(server);
      for (const auto& [candidate, servers] : voters)
        result.push_back(called_(Json(candidate)) + " has the votes of " + called_.all(servers));
    }
    result.insert(result.end(), tail_.begin(), tail_.end());
    return result;
  }

 private:
  void read(const TraceEvent& event) {
    const Json& data = event.data;
    rivals_.read(event);
    if (event.kind == "stopped" || event.kind == "started") {
      roles_.erase(*event.node);
      votes_.erase(*event.node);
    } else if (event.kind == "role") {
      roles_[*event.node] = data.at("to").get<std::string>();
      votes_.erase(*event.node);
    } else if ((event.kind == "looking" || event.kind == "vote") && !observers_.contains(*event.node)) {
      votes_[*event.node] = serverIn(data.at("vote").at("leader"));
    } else if (event.kind == "decided" && data.at("vote").at("leader") == *event.node) {
      decide(event);
    } else if (event.kind == "established" && data.at("by").empty()) {  // the scenario begins with it
      epochs_[*event.node] = data.at("epoch").get<std::int64_t>();
      committed_ = std::max(committed_, zxidOf(data.at("last")));
    } else if (event.kind == "established") {
      epochs_[*event.node] = data.at("epoch").get<std::int64_t>();
      const std::string last = data.at("last").get<std::string>();
      if (committed_ < zxidOf(data.at("last")))
        tail_.push_back(last + ", not known to be committed before, is committed with epoch " +
                        data.at("epoch").dump());
      committed_ = std::max(committed_, zxidOf(data.at("last")));
    } else if (event.kind == "committed") {
      committed_ = std::max(committed_, zxidOf(data.at("zxid")));
    } else if (event.kind == "tail_judged" || (event.kind == "history" && data.at("reason") == "truncated")) {
      tail_.push_back(event.text);
    }
  }

  void decide(const TraceEvent& event) {
    winner_ = *event.node;
    const Json& counted = event.data.at("counted");
    const std::string reason = rivals_.decide(event.data.at("vote"), called_);
    elections_[*event.node] =
        counted.empty() ? " elected without votes"
                        : " elected by " + called_.all(counted) + (reason.empty() ? "" : ": " + reason);
    tail_.clear();
  }

  const Called called_;
  std::set<std::int64_t> observers_;
  std::map<std::int64_t, std::string> roles_;    ///< of the servers that run
  std::map<std::int64_t, std::int64_t> votes_;   ///< of those that look for a leader: for whom
  std::map<std::int64_t, std::int64_t> epochs_;  ///< by leader, the last it established
  Rivals rivals_;
  std::optional<std::int64_t> winner_;                     ///< of the last election that was decided
  std::map<std::int64_t, std::string> elections_;          ///< by winner, the last: by whose votes, for what
  std::pair<std::int64_t, std::int64_t> committed_{0, 0};  ///< the last known to be committed
  std::vector<std::string> tail_;                          ///< since that election
};

}  // namespace

std::vector<std::string> answerOf(const Trace& trace) { return Answer(trace).sentences(); }

std::vector<std::string> tellElections(const Trace& trace, const OwnLine& own) {
  const Called called(trace);
  std::vector<std::string> lines;
  Rivals rivals;
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
        const std::string reason = rivals.decide(vote, called);
        lines.push_back("round " + vote.at("election_epoch").dump() + ": " + self + " wins" + at +
                        (voters.empty() ? " without votes" : " with the votes of " + called.all(voters)) +
                        (reason.empty() ? "" : "; preferred for its " + reason));
      } else if (joins) {
        lines.push_back("round " + vote.at("election_epoch").dump() + ": " + self + " joins " +
                        called(vote.at("leader")) + at + ", according to " +
                        called.all(event.data.at("counted")));
      }
    } else if (event.kind == "established" && !event.data.at("by").empty()) {
      lines.push_back("epoch " + event.data.at("epoch").dump() + ": " + self + " leads from" + at.substr(3) +
                      "; " + called.all(event.data.at("by")) + " have its history up to " +
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
