// The decisions that clients and the register make differently, in addition to the broadcast's rules; docs
// and sources are in rules.cc.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string_view>

#include "protocol/rule_tables.h"
#include "protocol/zab/rules.h"

namespace zablab::zab {

enum class Unanswered : std::uint8_t { ends, asked_again };
BOOST_DESCRIBE_ENUM(Unanswered, ends, asked_again)

enum class Answers : std::uint8_t { in_turn, reads_at_once, oldest_write };
BOOST_DESCRIBE_ENUM(Answers, in_turn, reads_at_once, oldest_write)

enum class AnsweredBy : std::uint8_t { server, leader };
BOOST_DESCRIBE_ENUM(AnsweredBy, server, leader)

enum class LastSeen : std::uint8_t { checked, unchecked };
BOOST_DESCRIBE_ENUM(LastSeen, checked, unchecked)

enum class ClientSync : std::uint8_t { by_leader, at_once };
BOOST_DESCRIBE_ENUM(ClientSync, by_leader, at_once)

/// The rules that the nodes of a run obey. The defaults are ZooKeeper's.
struct Rules : BroadcastRules {
  LastSeen last_seen{};
  ClientSync client_sync{};
  AnsweredBy answered_by{};
  Answers answers{};
  Unanswered unanswered{};
  bool operator==(const Rules&) const = default;
};
BOOST_DESCRIBE_STRUCT(Rules, (BroadcastRules), (last_seen, client_sync, answered_by, answers, unanswered))

using Variant = zablab::Variant<Rules>;

/// Their values, the variants, and the planted bugs.
RuleTables<Rules> ruleTables();

}  // namespace zablab::zab
