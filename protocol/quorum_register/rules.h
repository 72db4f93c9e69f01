// The decisions that stores of this kind make differently. There is one field for each decision and one
// enumerator for each answer; sources are in rules.cc. A node reads each rule in one place.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string_view>

#include "protocol/rule_tables.h"

namespace zablab::quorum_register {

enum class ReadRepair : std::uint8_t { write_back, asynchronous, none };
BOOST_DESCRIBE_ENUM(ReadRepair, write_back, asynchronous, none)

enum class Versions : std::uint8_t { asked, own_counter, clock };
BOOST_DESCRIBE_ENUM(Versions, asked, own_counter, clock)

enum class WriteTargets : std::uint8_t { homes, sloppy };
BOOST_DESCRIBE_ENUM(WriteTargets, homes, sloppy)

enum class HandOff : std::uint8_t { retried, never };
BOOST_DESCRIBE_ENUM(HandOff, retried, never)

enum class ReadQuorum : std::uint8_t { configured, disjoint };
BOOST_DESCRIBE_ENUM(ReadQuorum, configured, disjoint)

enum class WriteQuorum : std::uint8_t { configured, first_ack };
BOOST_DESCRIBE_ENUM(WriteQuorum, configured, first_ack)

enum class Counted : std::uint8_t { replicas, messages };
BOOST_DESCRIBE_ENUM(Counted, replicas, messages)

enum class Kept : std::uint8_t { newest, last_arrived };
BOOST_DESCRIBE_ENUM(Kept, newest, last_arrived)

enum class AckWhen : std::uint8_t { durable, at_once };
BOOST_DESCRIBE_ENUM(AckWhen, durable, at_once)

enum class ReadReturns : std::uint8_t { newest, last_heard };
BOOST_DESCRIBE_ENUM(ReadReturns, newest, last_heard)

enum class LateReplies : std::uint8_t { repaired, ignored };
BOOST_DESCRIBE_ENUM(LateReplies, repaired, ignored)

enum class HintKept : std::uint8_t { newest, first };
BOOST_DESCRIBE_ENUM(HintKept, newest, first)

enum class HintDropped : std::uint8_t { acknowledged, when_sent };
BOOST_DESCRIBE_ENUM(HintDropped, acknowledged, when_sent)

enum class StandInWhen : std::uint8_t { after_a_while, at_once };
BOOST_DESCRIBE_ENUM(StandInWhen, after_a_while, at_once)

struct Rules {
  ReadRepair read_repair{};
  Versions versions{};
  WriteTargets write_targets{};
  HandOff hand_off{};
  ReadQuorum read_quorum{};
  WriteQuorum write_quorum{};
  Counted counted{};
  Kept kept{};
  AckWhen ack_when{};
  ReadReturns read_returns{};
  LateReplies late_replies{};
  HintKept hint_kept{};
  HintDropped hint_dropped{};
  StandInWhen stand_in_when{};
  bool operator==(const Rules&) const = default;
};
BOOST_DESCRIBE_STRUCT(Rules, (),
                      (read_repair, versions, write_targets, hand_off, read_quorum, write_quorum, counted,
                       kept, ack_when, read_returns, late_replies, hint_kept, hint_dropped, stand_in_when))

using Variant = zablab::Variant<Rules>;

/// Their values, the variants, and the planted bugs.
RuleTables<Rules> ruleTables();

}  // namespace zablab::quorum_register
