// The decisions that Kafka, its releases and descriptions of it make differently; texts and sources are in
// rules.cc.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string_view>

#include "protocol/rule_tables.h"

namespace zablab::kafka {

enum class ControllerEpoch : std::uint8_t { raised_with_claim, none };
BOOST_DESCRIBE_ENUM(ControllerEpoch, raised_with_claim, none)

enum class StoreWrites : std::uint8_t { with_epoch_check, unchecked };
BOOST_DESCRIBE_ENUM(StoreWrites, with_epoch_check, unchecked)

enum class OlderController : std::uint8_t { refused, accepted };
BOOST_DESCRIBE_ENUM(OlderController, refused, accepted)

enum class FailedClaim : std::uint8_t { read_again, lost };
BOOST_DESCRIBE_ENUM(FailedClaim, read_again, lost)

enum class OldRegistration : std::uint8_t { replaced, kept };
BOOST_DESCRIBE_ENUM(OldRegistration, replaced, kept)

enum class ControllerWatch : std::uint8_t { set_again, set_once };
BOOST_DESCRIBE_ENUM(ControllerWatch, set_again, set_once)

enum class NoController : std::uint8_t { elects, waits };
BOOST_DESCRIBE_ENUM(NoController, elects, waits)

enum class ExpiryHandled : std::uint8_t { before_new_session, in_turn };
BOOST_DESCRIBE_ENUM(ExpiryHandled, before_new_session, in_turn)

enum class LeaderEpoch : std::uint8_t { raised, kept };
BOOST_DESCRIBE_ENUM(LeaderEpoch, raised, kept)

enum class LeaderOrder : std::uint8_t { assignment, by_id };
BOOST_DESCRIBE_ENUM(LeaderOrder, assignment, by_id)

enum class BrokerEpoch : std::uint8_t { checked, ignored };
BOOST_DESCRIBE_ENUM(BrokerEpoch, checked, ignored)

enum class UncleanElection : std::uint8_t { disabled, enabled };
BOOST_DESCRIBE_ENUM(UncleanElection, disabled, enabled)

enum class Truncation : std::uint8_t { to_epoch_end, to_high_watermark };
BOOST_DESCRIBE_ENUM(Truncation, to_epoch_end, to_high_watermark)

enum class IsrShrink : std::uint8_t { after_write, at_once };
BOOST_DESCRIBE_ENUM(IsrShrink, after_write, at_once)

enum class IsrVersion : std::uint8_t { compared, ignored };
BOOST_DESCRIBE_ENUM(IsrVersion, compared, ignored)

enum class StaleIsr : std::uint8_t { reads_again, waits };
BOOST_DESCRIBE_ENUM(StaleIsr, reads_again, waits)

enum class InSync : std::uint8_t { with_everything, by_fetches, at_end };
BOOST_DESCRIBE_ENUM(InSync, with_everything, by_fetches, at_end)

enum class MinIsr : std::uint8_t { refuses, ignored };
BOOST_DESCRIBE_ENUM(MinIsr, refuses, ignored)

enum class RequestRetry : std::uint8_t { until_connected, none };
BOOST_DESCRIBE_ENUM(RequestRetry, until_connected, none)

enum class LogFlush : std::uint8_t { before_answer, later };
BOOST_DESCRIBE_ENUM(LogFlush, before_answer, later)

/// The rules that the nodes of a run obey.
struct Rules {
  ControllerEpoch controller_epoch{};
  StoreWrites store_writes{};
  OlderController older_controller{};
  FailedClaim failed_claim{};
  OldRegistration old_registration{};
  ControllerWatch controller_watch{};
  NoController no_controller{};
  ExpiryHandled expiry_handled{};
  LeaderEpoch leader_epoch{};
  LeaderOrder leader_order{};
  BrokerEpoch broker_epoch{};
  UncleanElection unclean_election{};
  Truncation truncation{};
  IsrShrink isr_shrink{};
  IsrVersion isr_version{};
  StaleIsr stale_isr{};
  InSync in_sync{};
  MinIsr min_isr{};
  LogFlush log_flush{};
  RequestRetry request_retry{};
  bool operator==(const Rules&) const = default;
};
BOOST_DESCRIBE_STRUCT(Rules, (),
                      (controller_epoch, store_writes, older_controller, failed_claim, old_registration,
                       controller_watch, no_controller, expiry_handled, leader_epoch, leader_order,
                       broker_epoch, unclean_election, truncation, isr_shrink, isr_version, stale_isr,
                       in_sync, min_isr, log_flush, request_retry))

using Variant = zablab::Variant<Rules>;

/// Their values, the variants, and the planted bugs.
RuleTables<Rules> ruleTables();

}  // namespace zablab::kafka
