// The decisions that ZooKeeper, its releases and its descriptions settle differently. One field each, one
// enumerator for each answer; docs and sources stand in rules.cc. A node asks each rule in one place.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zablab::zab {

enum class VoteOrder : std::uint8_t { epoch_zxid_id, zxid_id, id_regardless_of_epoch };
BOOST_DESCRIBE_ENUM(VoteOrder, epoch_zxid_id, zxid_id, id_regardless_of_epoch)

enum class HigherRound : std::uint8_t { initial_vote, current_vote, ignored };
BOOST_DESCRIBE_ENUM(HigherRound, initial_vote, current_vote, ignored)

enum class LowerRound : std::uint8_t { answered, silent, counted };
BOOST_DESCRIBE_ENUM(LowerRound, answered, silent, counted)

enum class BallotBox : std::uint8_t { last_vote, cleared_on_update, first_vote };
BOOST_DESCRIBE_ENUM(BallotBox, last_vote, cleared_on_update, first_vote)

enum class Decision : std::uint8_t { finalize_wait, at_once };
BOOST_DESCRIBE_ENUM(Decision, finalize_wait, at_once)

enum class Majority : std::uint8_t { more_than_half, half };
BOOST_DESCRIBE_ENUM(Majority, more_than_half, half)

enum class Counted : std::uint8_t { voters, everybody };
BOOST_DESCRIBE_ENUM(Counted, voters, everybody)

enum class Join : std::uint8_t { quorum_and_leader, quorum_alone, leader_alone, never };
BOOST_DESCRIBE_ENUM(Join, quorum_and_leader, quorum_alone, leader_alone, never)

enum class JoinCompares : std::uint8_t { leader_and_epoch, whole_vote };
BOOST_DESCRIBE_ENUM(JoinCompares, leader_and_epoch, whole_vote)

enum class Answer : std::uint8_t { settled_servers, nobody };
BOOST_DESCRIBE_ENUM(Answer, settled_servers, nobody)

enum class Silence : std::uint8_t { back_off, constant, never };
BOOST_DESCRIBE_ENUM(Silence, back_off, constant, never)

enum class RoundStart : std::uint8_t { next, kept };
BOOST_DESCRIBE_ENUM(RoundStart, next, kept)

enum class OwnVote : std::uint8_t { queued, at_once };
BOOST_DESCRIBE_ENUM(OwnVote, queued, at_once)

enum class Advertised : std::uint8_t { last_logged, last_snapshot };
BOOST_DESCRIBE_ENUM(Advertised, last_logged, last_snapshot)

enum class LostQuorum : std::uint8_t { step_down, keep_leading };
BOOST_DESCRIBE_ENUM(LostQuorum, step_down, keep_leading)

enum class LostLeader : std::uint8_t { look_again, keep_following };
BOOST_DESCRIBE_ENUM(LostLeader, look_again, keep_following)

/// What the nodes of a run obey. The defaults are ZooKeeper's.
struct Rules {
  VoteOrder vote_order{};
  HigherRound higher_round{};
  LowerRound lower_round{};
  BallotBox ballot_box{};
  Decision decision{};
  Majority majority{};
  Counted counted{};
  Join join{};
  JoinCompares join_compares{};
  Answer answer{};
  Silence silence{};
  RoundStart round_start{};
  OwnVote own_vote{};
  Advertised advertised{};
  LostQuorum lost_quorum{};
  LostLeader lost_leader{};
  bool operator==(const Rules&) const = default;
};
BOOST_DESCRIBE_STRUCT(Rules, (),
                      (vote_order, higher_round, lower_round, ballot_box, decision, majority, counted, join,
                       join_compares, answer, silence, round_start, own_vote, advertised, lost_quorum,
                       lost_leader))

/// One value of one rule: what happens then, and where that is written.
struct RuleValue {
  std::string_view rule;
  std::string_view value;
  std::string_view text;
  std::string_view source;
};
std::span<const RuleValue> ruleValues();

/// Sets one rule by its names. Returns what is wrong, or nothing.
std::optional<std::string> setRule(Rules& rules, std::string_view rule, std::string_view value);

/// The rules in which `rules` differs from ZooKeeper's, as "rule=value", in order.
std::vector<std::string> changedRules(const Rules& rules);

/// A named set of rules.
struct Variant {
  std::string_view name;
  Rules rules;
  std::string_view text;
};
std::span<const Variant> variants();
const Variant* findVariant(std::string_view name);

}  // namespace zablab::zab
