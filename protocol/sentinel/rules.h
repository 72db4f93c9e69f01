// The decisions that the repaired sentinels, the real ones, a description and the planted bugs make
// differently. There is one field for each decision and one enumerator for each answer; texts and sources are
// in rules.cc.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string_view>

#include "protocol/rule_tables.h"

namespace zablab::sentinel {

enum class VotesOf : std::uint8_t { own_attempt, current_epoch };
BOOST_DESCRIBE_ENUM(VotesOf, own_attempt, current_epoch)

enum class VotesKept : std::uint8_t { of_the_attempt, of_the_latest_epoch };
BOOST_DESCRIBE_ENUM(VotesKept, of_the_attempt, of_the_latest_epoch)

enum class Electorate : std::uint8_t { configured, known };
BOOST_DESCRIBE_ENUM(Electorate, configured, known)

enum class WinnerNeeds : std::uint8_t { majority_and_quorum, majority, quorum };
BOOST_DESCRIBE_ENUM(WinnerNeeds, majority_and_quorum, majority, quorum)

enum class VoteGiven : std::uint8_t { first_to_ask, last_to_ask };
BOOST_DESCRIBE_ENUM(VoteGiven, first_to_ask, last_to_ask)

enum class VoteSaved : std::uint8_t { epoch, nothing };
BOOST_DESCRIBE_ENUM(VoteSaved, epoch, nothing)

enum class SecondRequest : std::uint8_t { told_the_vote, refused };
BOOST_DESCRIBE_ENUM(SecondRequest, told_the_vote, refused)

enum class Desync : std::uint8_t { drawn, none };
BOOST_DESCRIBE_ENUM(Desync, drawn, none)

enum class ReplicaChoice : std::uint8_t { priority_offset_id, lowest_id };
BOOST_DESCRIBE_ENUM(ReplicaChoice, priority_offset_id, lowest_id)

enum class StartsWhen : std::uint8_t { objectively_down, subjectively_down };
BOOST_DESCRIBE_ENUM(StartsWhen, objectively_down, subjectively_down)

enum class Promotion : std::uint8_t { confirmed, assumed };
BOOST_DESCRIBE_ENUM(Promotion, confirmed, assumed)

enum class ConfigAccepted : std::uint8_t { newer, any };
BOOST_DESCRIBE_ENUM(ConfigAccepted, newer, any)

enum class OldReports : std::uint8_t { dropped, kept };
BOOST_DESCRIBE_ENUM(OldReports, dropped, kept)

enum class Overtaken : std::uint8_t { gives_up, compares_old_address };
BOOST_DESCRIBE_ENUM(Overtaken, gives_up, compares_old_address)

enum class WhoDisagrees : std::uint8_t { corrected, left_alone };
BOOST_DESCRIBE_ENUM(WhoDisagrees, corrected, left_alone)

enum class WritesAccepted : std::uint8_t { with_replicas, always };
BOOST_DESCRIBE_ENUM(WritesAccepted, with_replicas, always)

enum class WriteDone : std::uint8_t { executed, only_answered };
BOOST_DESCRIBE_ENUM(WriteDone, executed, only_answered)

enum class Resync : std::uint8_t { replaces, keeps_more };
BOOST_DESCRIBE_ENUM(Resync, replaces, keeps_more)

enum class OffsetTold : std::uint8_t { own, zero };
BOOST_DESCRIBE_ENUM(OffsetTold, own, zero)

enum class Reliable : std::uint8_t { reporting, connected };
BOOST_DESCRIBE_ENUM(Reliable, reporting, connected)

enum class ReadAt : std::uint8_t { masters, anyone };
BOOST_DESCRIBE_ENUM(ReadAt, masters, anyone)

enum class HeardEpoch : std::uint8_t { saved, in_memory };
BOOST_DESCRIBE_ENUM(HeardEpoch, saved, in_memory)

enum class SeenDown : std::uint8_t { own_view, always };
BOOST_DESCRIBE_ENUM(SeenDown, own_view, always)

enum class DownAfter : std::uint8_t { whole, half };
BOOST_DESCRIBE_ENUM(DownAfter, whole, half)

enum class ReconfTarget : std::uint8_t { promoted, old_master };
BOOST_DESCRIBE_ENUM(ReconfTarget, promoted, old_master)

enum class Candidates : std::uint8_t { answering, any };
BOOST_DESCRIBE_ENUM(Candidates, answering, any)

/// The rules that the nodes of a run obey. The defaults are the repaired ones.
struct Rules {
  VotesOf votes_of{};
  VotesKept votes_kept{};
  Electorate electorate{};
  WinnerNeeds winner_needs{};
  VoteGiven vote_given{};
  VoteSaved vote_saved{};
  SecondRequest second_request{};
  Desync desync{};
  ReplicaChoice replica_choice{};
  StartsWhen starts_when{};
  Promotion promotion{};
  ConfigAccepted config_accepted{};
  OldReports old_reports{};
  Overtaken overtaken{};
  WhoDisagrees who_disagrees{};
  WritesAccepted writes_accepted{};
  WriteDone write_done{};
  Resync resync{};
  OffsetTold offset_told{};
  Reliable reliable{};
  ReadAt read_at{};
  HeardEpoch heard_epoch{};
  SeenDown seen_down{};
  DownAfter down_after{};
  ReconfTarget reconf_target{};
  Candidates candidates{};
  bool operator==(const Rules&) const = default;
};
BOOST_DESCRIBE_STRUCT(Rules, (),
                      (votes_of, votes_kept, electorate, winner_needs, vote_given, vote_saved, second_request,
                       desync, replica_choice, starts_when, promotion, config_accepted, old_reports,
                       overtaken, who_disagrees, writes_accepted, write_done, resync, offset_told, reliable,
                       read_at, heard_epoch, seen_down, down_after, reconf_target, candidates))

using Variant = zablab::Variant<Rules>;

/// Their values, the variants, and the planted bugs.
RuleTables<Rules> ruleTables();

}  // namespace zablab::sentinel
