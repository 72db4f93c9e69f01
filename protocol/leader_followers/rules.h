// The decisions that the sound machine, the handler as printed, and the planted bugs make differently. There
// is one field for each decision and one enumerator for each answer; texts and sources are in rules.cc.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string_view>

#include "protocol/rule_tables.h"

namespace zablab::leader_followers {

enum class NewGeneration : std::uint8_t { log_compared, granted };
BOOST_DESCRIBE_ENUM(NewGeneration, log_compared, granted)

enum class LogOrder : std::uint8_t { generation_index, index_alone };
BOOST_DESCRIBE_ENUM(LogOrder, generation_index, index_alone)

enum class TieBreak : std::uint8_t { first_to_ask, highest_id };
BOOST_DESCRIBE_ENUM(TieBreak, first_to_ask, highest_id)

enum class VoteSaved : std::uint8_t { vote_and_generation, generation_alone, nothing };
BOOST_DESCRIBE_ENUM(VoteSaved, vote_and_generation, generation_alone, nothing)

enum class AskWhen : std::uint8_t { durable, at_once };
BOOST_DESCRIBE_ENUM(AskWhen, durable, at_once)

enum class PreVote : std::uint8_t { asked, skipped };
BOOST_DESCRIBE_ENUM(PreVote, asked, skipped)

enum class LedVoter : std::uint8_t { refuses_pre_vote, refuses_votes, refuses_nothing };
BOOST_DESCRIBE_ENUM(LedVoter, refuses_pre_vote, refuses_votes, refuses_nothing)

enum class LedUntil : std::uint8_t { own_timeout, least_timeout };
BOOST_DESCRIBE_ENUM(LedUntil, own_timeout, least_timeout)

enum class CheckQuorum : std::uint8_t { steps_down, keeps_leading };
BOOST_DESCRIBE_ENUM(CheckQuorum, steps_down, keeps_leading)

enum class LeaderBegins : std::uint8_t { empty_entry, nothing };
BOOST_DESCRIBE_ENUM(LeaderBegins, empty_entry, nothing)

enum class AppendFrom : std::uint8_t { present_generation, any_generation };
BOOST_DESCRIBE_ENUM(AppendFrom, present_generation, any_generation)

enum class TruncateWhen : std::uint8_t { conflict, always };
BOOST_DESCRIBE_ENUM(TruncateWhen, conflict, always)

enum class AckWhen : std::uint8_t { durable, at_once };
BOOST_DESCRIBE_ENUM(AckWhen, durable, at_once)

enum class CommitCounts : std::uint8_t { own_generation, any_generation };
BOOST_DESCRIBE_ENUM(CommitCounts, own_generation, any_generation)

enum class ReadsBy : std::uint8_t { read_index, leaders_memory };
BOOST_DESCRIBE_ENUM(ReadsBy, read_index, leaders_memory)

enum class ReadsAt : std::uint8_t { leader, any_server };
BOOST_DESCRIBE_ENUM(ReadsAt, leader, any_server)

/// The rules that the nodes of a run obey. The defaults are the sound machine's.
struct Rules {
  NewGeneration new_generation{};
  LogOrder log_order{};
  TieBreak tie_break{};
  VoteSaved vote_saved{};
  AskWhen ask_when{};
  PreVote pre_vote{};
  LedVoter led_voter{};
  LedUntil led_until{};
  CheckQuorum check_quorum{};
  LeaderBegins leader_begins{};
  AppendFrom append_from{};
  TruncateWhen truncate_when{};
  AckWhen ack_when{};
  CommitCounts commit_counts{};
  ReadsBy reads_by{};
  ReadsAt reads_at{};
  bool operator==(const Rules&) const = default;
};
BOOST_DESCRIBE_STRUCT(Rules, (),
                      (new_generation, log_order, tie_break, vote_saved, ask_when, pre_vote, led_voter,
                       led_until, check_quorum, leader_begins, append_from, truncate_when, ack_when,
                       commit_counts, reads_by, reads_at))

using Variant = zablab::Variant<Rules>;

/// Their values, the variants, and the planted bugs.
RuleTables<Rules> ruleTables();

}  // namespace zablab::leader_followers
