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

enum class ProduceDone : std::uint8_t { appended, only_answered };
BOOST_DESCRIBE_ENUM(ProduceDone, appended, only_answered)

enum class ConsumedUpTo : std::uint8_t { high_watermark, log_end };
BOOST_DESCRIBE_ENUM(ConsumedUpTo, high_watermark, log_end)

enum class CommitNeeds : std::uint8_t { all_in_sync, leader };
BOOST_DESCRIBE_ENUM(CommitNeeds, all_in_sync, leader)

enum class NewRecords : std::uint8_t { answer_fetches, wait };
BOOST_DESCRIBE_ENUM(NewRecords, answer_fetches, wait)

enum class ToldHighWatermark : std::uint8_t { taken, ignored };
BOOST_DESCRIBE_ENUM(ToldHighWatermark, taken, ignored)

enum class LostFetch : std::uint8_t { repeated, not_repeated };
BOOST_DESCRIBE_ENUM(LostFetch, repeated, not_repeated)

enum class LagLimit : std::uint8_t { whole, half };
BOOST_DESCRIBE_ENUM(LagLimit, whole, half)

enum class IsrAnswer : std::uint8_t { heeded, assumed };
BOOST_DESCRIBE_ENUM(IsrAnswer, heeded, assumed)

enum class SameLeaderEpoch : std::uint8_t { ignored, taken };
BOOST_DESCRIBE_ENUM(SameLeaderEpoch, ignored, taken)

enum class Refusal : std::uint8_t { reported, taken_for_done };
BOOST_DESCRIBE_ENUM(Refusal, reported, taken_for_done)

enum class NotNamed : std::uint8_t { resigns, stays };
BOOST_DESCRIBE_ENUM(NotNamed, resigns, stays)

enum class ToldIsr : std::uint8_t { as_written, whole_assignment };
BOOST_DESCRIBE_ENUM(ToldIsr, as_written, whole_assignment)

enum class ChosenIsr : std::uint8_t { live_in_sync, leader_alone };
BOOST_DESCRIBE_ENUM(ChosenIsr, live_in_sync, leader_alone)

enum class DeadReplicas : std::uint8_t { leave, stay };
BOOST_DESCRIBE_ENUM(DeadReplicas, leave, stay)

enum class PreferredLeader : std::uint8_t { elected, ignored };
BOOST_DESCRIBE_ENUM(PreferredLeader, elected, ignored)

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
  ProduceDone produced{};
  ConsumedUpTo consumed{};
  CommitNeeds commit_needs{};
  NewRecords new_records{};
  ToldHighWatermark told_high_watermark{};
  LostFetch lost_fetch{};
  LagLimit lag_limit{};
  IsrAnswer isr_answer{};
  SameLeaderEpoch same_leader_epoch{};
  Refusal refusal{};
  NotNamed not_named{};
  ToldIsr told_isr{};
  ChosenIsr chosen_isr{};
  DeadReplicas dead_replicas{};
  PreferredLeader preferred_leader{};
  bool operator==(const Rules&) const = default;
};
BOOST_DESCRIBE_STRUCT(Rules, (),
                      (controller_epoch, store_writes, older_controller, failed_claim, old_registration,
                       controller_watch, no_controller, expiry_handled, leader_epoch, leader_order,
                       broker_epoch, unclean_election, truncation, isr_shrink, isr_version, stale_isr,
                       in_sync, min_isr, log_flush, request_retry, produced, consumed, commit_needs,
                       new_records, told_high_watermark, lost_fetch, lag_limit, isr_answer, same_leader_epoch,
                       refusal, not_named, told_isr, chosen_isr, dead_replicas, preferred_leader))

using Variant = zablab::Variant<Rules>;

/// Their values, the variants, and the planted bugs.
RuleTables<Rules> ruleTables();

}  // namespace zablab::kafka
