#pragma once

#include "checker/zab/tables.h"

#include <algorithm>
#include <array>
#include <map>

#include "protocol/zab/discovery.h"
#include "protocol/zab/quorum.h"
#include "protocol/zab/step_impl.h"
#include "protocol/zab/zoo_cfg.h"
#include "sim/json_reflect.h"
#include "sim/zab/binding.h"
#include "sim/zab/codec.h"

namespace zablab::zab {
namespace tables_detail {

// ---- the inputs of each function

struct VoteOrderRow {
  Vote challenger;
  Vote current;
  std::vector<Member> servers;
  static constexpr std::array required{"challenger", "current"};
};
BOOST_DESCRIBE_STRUCT(VoteOrderRow, (), (challenger, current, servers))

struct QuorumRow {
  std::vector<Member> servers;
  std::vector<ServerId> agree;
  static constexpr std::array required{"servers", "agree"};
};
BOOST_DESCRIBE_STRUCT(QuorumRow, (), (servers, agree))

struct AvailableRow {
  std::int64_t voters = 0;
  std::int64_t crashed = 0;
  static constexpr std::array required{"voters", "crashed"};
};
BOOST_DESCRIBE_STRUCT(AvailableRow, (), (voters, crashed))

struct CastBallot {
  ServerId from = 0;
  ServerId leader = 0;
  Zxid zxid;
  static constexpr std::array required{"from", "leader"};
};
BOOST_DESCRIBE_STRUCT(CastBallot, (), (from, leader, zxid))

struct BoxRow {
  std::vector<CastBallot> votes;
  static constexpr std::array required{"votes"};
};
BOOST_DESCRIBE_STRUCT(BoxRow, (), (votes))

struct TallyRow {
  std::vector<Member> servers;
  std::map<ServerId, Ballot> box;
  Ballot vote;
  bool same_round = false;
  static constexpr std::array required{"servers", "box", "vote"};
};
BOOST_DESCRIBE_STRUCT(TallyRow, (), (servers, box, vote, same_round))

template <class S>
struct SyncPlanRow {
  Zxid learner;
  std::optional<Zxid> committed;
  Zxid last;
  bool from_the_start = false;
  Txns<S> committed_log;
  BasicDurable<S> disk;
  std::optional<JsonValue> config;
  static constexpr std::array required{"learner", "last"};
  BOOST_DESCRIBE_CLASS(SyncPlanRow, (),
                       (learner, committed, last, from_the_start, committed_log, disk, config), (), ())
};

struct TailRow {
  std::vector<Member> servers;
  std::vector<ServerId> holders;
  std::vector<ServerId> heard;
  static constexpr std::array required{"servers", "holders", "heard"};
};
BOOST_DESCRIBE_STRUCT(TailRow, (), (servers, holders, heard))

struct ProposedEpochRow {
  std::vector<Member> servers;
  std::map<ServerId, std::int64_t> accepted;
  static constexpr std::array required{"servers", "accepted"};
};
BOOST_DESCRIBE_STRUCT(ProposedEpochRow, (), (servers, accepted))

struct ZooCfgRow {
  std::string text;
  static constexpr std::array required{"text"};
};
BOOST_DESCRIBE_STRUCT(ZooCfgRow, (), (text))

inline Config configOf(std::vector<Member> members) {
  Config config;
  config.members = std::move(members);
  return config;
}

template <class S>
Config configOf(const SyncPlanRow<S>& row) {
  Config config;
  if (row.config) readInto(config, *row.config);
  return config;
}

// ---- the answers of each function

template <class F>
Json answer(const VoteOrderRow& row, const BroadcastRules& rules) {
  Config config = configOf(row.servers);
  const Comparison comparison = compare(config, rules, row.challenger, row.current);
  return {{"beats", beats(rules, comparison)}, {"by", std::string(enumName(comparison))}};
}

template <class F>
Json answer(const QuorumRow& row, const BroadcastRules& rules) {
  return isQuorum(configOf(row.servers), rules, row.agree);
}

template <class F>
Json answer(const AvailableRow& row, const BroadcastRules& rules) {
  std::vector<Member> members;
  std::vector<ServerId> alive;
  for (ServerId id = 1; id <= row.voters; ++id) {
    members.push_back({.id = id});
    if (id > row.crashed) alive.push_back(id);
  }
  return isQuorum(configOf(members), rules, alive);
}

template <class F>
Json answer(const BoxRow& row, const BroadcastRules& rules) {
  std::map<ServerId, Ballot> box;
  for (const CastBallot& cast : row.votes) {
    putIntoBox(rules, box, cast.from, {{cast.leader, cast.zxid, 0, 1}, Role::LOOKING});
  }
  Json answer = Json::object();
  for (const auto& [voter, ballot] : box) {
    Json& votes = answer[std::to_string(voter)];
    votes = ballot.vote.leader;
    if (!ballot.earlier) continue;
    votes = Json::array();
    for (const Vote& vote : *ballot.earlier) votes.push_back(vote.leader);
    votes.push_back(ballot.vote.leader);
  }
  return answer;
}

template <class F>
Json answer(const TallyRow& row, const BroadcastRules& rules) {
  const std::vector<ServerId> counted = agreeing(rules, row.box, row.vote, row.same_round);
  return {{"counted", counted}, {"quorum", isQuorum(configOf(row.servers), rules, counted)}};
}

template <class F, class S>
Json answer(const SyncPlanRow<S>& row, const BroadcastRules& rules) {
  const auto plan =
      planSync<S>(configOf(row), rules, {row.last, row.committed_log, row.disk, row.from_the_start},
                  row.learner, row.committed);
  Json answer{{"mode", std::string(enumName(plan.mode))}, {"reason", std::string(enumName(plan.reason))}};
  if (plan.mode != SyncMode::SNAP) answer["to"] = toJson(plan.to);
  answer["proposals"] = toJson(plan.txns);
  return answer;
}

template <class F>
Json answer(const TailRow& row, const BroadcastRules& rules) {
  const auto among = [](const std::vector<ServerId>& ids, ServerId id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  std::vector<ServerId> holders;
  std::vector<ServerId> unheard;
  for (const Member& member : row.servers) {
    if (member.observer) continue;
    if (!among(row.heard, member.id)) {
      unheard.push_back(member.id);
    } else if (among(row.holders, member.id)) {
      holders.push_back(member.id);
    }
  }
  return keepsTail(configOf(row.servers), rules, holders, unheard);
}

/// The epoch that the last server of `accepted` proposes when the others have connected to it.
template <class F>
Json answer(const ProposedEpochRow& row, const typename F::Rules& rules) {
  if (row.accepted.empty()) return nullptr;
  const Config config = configOf(row.servers);
  const ServerId leader = row.accepted.rbegin()->first;
  typename F::Node node = F::blank(leader);
  node.role = Role::LEADING;
  node.phase = Phase::discovery;
  node.files.accepted_epoch = row.accepted.rbegin()->second;
  node.files.current_epoch = 0;
  typename F::Vocabulary::Effects effects;
  const BasicContext<typename F::Service> in{config, rules, node, effects};
  beginLeading(in);
  for (const auto& [id, accepted] : row.accepted) {
    if (id != leader) onLearnerInfo(in, id, !config.isVoter(id), accepted);
  }
  return node.epoch_fixed ? Json(node.epoch) : Json(nullptr);
}

template <class F>
Json answer(const ZooCfgRow& row, const BroadcastRules&) {
  const ZooCfg cfg = parseZooCfg(row.text);
  Json answer{{"accepted", cfg.errors.empty()}};
  if (!cfg.errors.empty()) answer["error"] = cfg.errors.front().text;
  if (cfg.election_alg) answer["electionAlg"] = *cfg.election_alg;
  answer["voters"] =
      std::count_if(cfg.servers.begin(), cfg.servers.end(), [](const auto& s) { return !s.observer; });
  answer["observers"] =
      std::count_if(cfg.servers.begin(), cfg.servers.end(), [](const auto& s) { return s.observer; });
  answer["used"] = cfg.used;
  answer["without_effect"] = cfg.no_effect;
  answer["warnings"] = Json::array();
  for (const ZooCfgProblem& one : cfg.warnings)
    answer["warnings"].push_back("line " + std::to_string(one.line) + ": " + one.text +
                                 (one.hint.empty() ? "" : "; " + one.hint));
  return answer;
}

/// A row's numbers are small enough to count to.
inline void check(const JsonValue& given, const AvailableRow& row) {
  constexpr std::int64_t voters_max = 1000;
  if (row.voters < 0 || row.voters > voters_max)
    throw given.keyError("voters", "`voters` is from 0 to " + std::to_string(voters_max));
  if (row.crashed < 0 || row.crashed > row.voters)
    throw given.keyError("crashed", "`crashed` is from 0 to `voters`");
}
template <class S>
void check(const JsonValue&, const SyncPlanRow<S>& row) {
  if (row.config) checkConfig(*row.config, configOf(row));
}
template <class Row>
void check(const JsonValue& given, const Row& row) {
  if constexpr (requires { row.servers; }) checkMembers(given, row.servers);
}

template <class F, class Row>
Json run(const JsonValue& given, const Scenario& scenario, const JsonValue& document) {
  checkNumbers(given);
  const Row row = read<Row>(given);
  check(given, row);
  return answer<F>(row, Binding<F>::rules(scenario, document));
}

}  // namespace tables_detail

template <class F>
std::vector<TableFunction> tableFunctions() {
  using namespace tables_detail;
  return {
      {"vote_order", "does `challenger` beat `current`? {beats, by}", &run<F, VoteOrderRow>},
      {"quorum", "are the servers in `agree` a quorum of `servers`?", &run<F, QuorumRow>},
      {"available", "do `voters` servers still serve when `crashed` of them are down?",
       &run<F, AvailableRow>},
      {"box", "the ballot box after these votes in order: {voter: candidate}", &run<F, BoxRow>},
      {"tally", "which votes in `box` agree with `vote`, and are they a quorum? {counted, quorum}",
       &run<F, TallyRow>},
      {"sync_plan",
       "how a learner whose history ends at `learner` is synchronized: {mode, to, proposals, reason}",
       &run<F, SyncPlanRow<typename F::Service>>},
      {"tail",
       "does a new leader that hears from `heard` keep what `holders` have and no server knows to be "
       "committed?",
       &run<F, TailRow>},
      {"proposed_epoch",
       "the epoch proposed by the server with the largest id in `accepted` ({server: epoch}) when the others "
       "are connected; null: no quorum",
       &run<F, ProposedEpochRow>},
      {"zoo_cfg",
       "is this zoo.cfg accepted, and what of it counts here? {accepted, error, electionAlg, voters, "
       "observers, "
       "used, without_effect, warnings}",
       &run<F, ZooCfgRow>},
  };
}

}  // namespace zablab::zab
