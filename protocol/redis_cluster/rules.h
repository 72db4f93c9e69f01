// The decisions that Redis Cluster, descriptions of it and repairs make differently. Sources are in rules.cc.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string_view>

#include "protocol/rule_tables.h"

namespace zablab::redis_cluster {

enum class Precondition : std::uint8_t { master_failed, none };
BOOST_DESCRIBE_ENUM(Precondition, master_failed, none)

enum class OwnerEpoch : std::uint8_t { compared, not_compared };
BOOST_DESCRIBE_ENUM(OwnerEpoch, compared, not_compared)

enum class VoteGap : std::uint8_t { twice_timeout, not_if_forced, none };
BOOST_DESCRIBE_ENUM(VoteGap, twice_timeout, not_if_forced, none)

enum class VoteSaved : std::uint8_t { before_ack, never };
BOOST_DESCRIBE_ENUM(VoteSaved, before_ack, never)

enum class OwnEpoch : std::uint8_t { votes, no_vote };
BOOST_DESCRIBE_ENUM(OwnEpoch, votes, no_vote)

enum class VoterOffset : std::uint8_t { not_compared, compared };
BOOST_DESCRIBE_ENUM(VoterOffset, not_compared, compared)

enum class Counted : std::uint8_t { voters, messages };
BOOST_DESCRIBE_ENUM(Counted, voters, messages)

enum class LateAck : std::uint8_t { ignored, counted };
BOOST_DESCRIBE_ENUM(LateAck, ignored, counted)

enum class DataAge : std::uint8_t { from_link_down, from_last_data, from_start };
BOOST_DESCRIBE_ENUM(DataAge, from_link_down, from_last_data, from_start)

enum class FactorZero : std::uint8_t { always_eligible, strictest };
BOOST_DESCRIBE_ENUM(FactorZero, always_eligible, strictest)

enum class Delay : std::uint8_t { by_offset, by_failed_masters_too, same_for_all };
BOOST_DESCRIBE_ENUM(Delay, by_offset, by_failed_masters_too, same_for_all)

enum class Takeover : std::uint8_t { at_once, by_votes };
BOOST_DESCRIBE_ENUM(Takeover, at_once, by_votes)

enum class Collision : std::uint8_t { smaller_id_moves, stays };
BOOST_DESCRIBE_ENUM(Collision, smaller_id_moves, stays)

enum class Claim : std::uint8_t { higher_epoch, last_heard };
BOOST_DESCRIBE_ENUM(Claim, higher_epoch, last_heard)

enum class StaleReplica : std::uint8_t { not_told, told };
BOOST_DESCRIBE_ENUM(StaleReplica, not_told, told)

enum class DemotedSlots : std::uint8_t { deleted, moved };
BOOST_DESCRIBE_ENUM(DemotedSlots, deleted, moved)

enum class SubReplica : std::uint8_t { at_claims, always };
BOOST_DESCRIBE_ENUM(SubReplica, at_claims, always)

enum class RoleChange : std::uint8_t { not_announced, announced };
BOOST_DESCRIBE_ENUM(RoleChange, not_announced, announced)

enum class Minority : std::uint8_t { refuses, serves };
BOOST_DESCRIBE_ENUM(Minority, refuses, serves)

enum class ManualWrites : std::uint8_t { postponed, executed };
BOOST_DESCRIBE_ENUM(ManualWrites, postponed, executed)

enum class ManualOffset : std::uint8_t { awaited, not_awaited };
BOOST_DESCRIBE_ENUM(ManualOffset, awaited, not_awaited)

enum class WriteDone : std::uint8_t { executed, only_answered };
BOOST_DESCRIBE_ENUM(WriteDone, executed, only_answered)

enum class Resync : std::uint8_t { replaces, keeps_more };
BOOST_DESCRIBE_ENUM(Resync, replaces, keeps_more)

enum class OffsetTold : std::uint8_t { own, zero };
BOOST_DESCRIBE_ENUM(OffsetTold, own, zero)

enum class FailNeeds : std::uint8_t { majority, one_report };
BOOST_DESCRIBE_ENUM(FailNeeds, majority, one_report)

enum class SuspectsAfter : std::uint8_t { timeout, half };
BOOST_DESCRIBE_ENUM(SuspectsAfter, timeout, half)

enum class OldData : std::uint8_t { not_eligible, stands };
BOOST_DESCRIBE_ENUM(OldData, not_eligible, stands)

enum class AckTo : std::uint8_t { candidate, everyone };
BOOST_DESCRIBE_ENUM(AckTo, candidate, everyone)

enum class Matches : std::uint8_t { number, any };
BOOST_DESCRIBE_ENUM(Matches, number, any)

struct Rules {
  Precondition precondition{};
  OwnerEpoch owner_epoch{};
  VoteGap vote_gap{};
  VoteSaved vote_saved{};
  OwnEpoch own_epoch{};
  VoterOffset voter_offset{};
  Counted counted{};
  LateAck late_ack{};
  DataAge data_age{};
  FactorZero factor_zero{};
  Delay delay{};
  Takeover takeover{};
  Collision collision{};
  Claim claim{};
  StaleReplica stale_replica{};
  DemotedSlots demoted_slots{};
  SubReplica sub_replica{};
  RoleChange role_change{};
  Minority minority{};
  ManualWrites manual_writes{};
  ManualOffset manual_offset{};
  WriteDone write_done{};
  Resync resync{};
  OffsetTold offset_told{};
  FailNeeds fail_needs{};
  SuspectsAfter suspects_after{};
  OldData old_data{};
  AckTo ack_to{};
  Matches matches{};
  bool operator==(const Rules&) const = default;
};
BOOST_DESCRIBE_STRUCT(Rules, (),
                      (precondition, owner_epoch, vote_gap, vote_saved, own_epoch, voter_offset, counted,
                       late_ack, data_age, factor_zero, delay, takeover, collision, claim, stale_replica,
                       demoted_slots, sub_replica, role_change, minority, manual_writes, manual_offset,
                       write_done, resync, offset_told, fail_needs, suspects_after, old_data, ack_to,
                       matches))

using Variant = zablab::Variant<Rules>;

/// Their values, the variants, and the planted bugs.
RuleTables<Rules> ruleTables();

}  // namespace zablab::redis_cluster
