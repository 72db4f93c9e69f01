// The decisions about clients that ZooKeeper, its releases and its descriptions make differently, in addition
// to the broadcast's rules; docs and sources are in rules.cc.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string_view>

#include "protocol/recipes/rules.h"
#include "protocol/rule_tables.h"
#include "protocol/zab/rules.h"

namespace zablab::zookeeper {

enum class LastSeen : std::uint8_t { checked, unchecked };
BOOST_DESCRIBE_ENUM(LastSeen, checked, unchecked)

enum class ClientSync : std::uint8_t { by_leader, at_once };
BOOST_DESCRIBE_ENUM(ClientSync, by_leader, at_once)

enum class Answers : std::uint8_t { in_turn, reads_at_once };
BOOST_DESCRIBE_ENUM(Answers, in_turn, reads_at_once)

enum class WatchOrder : std::uint8_t { before_reply, after_reply, with_reply, newest_first };
BOOST_DESCRIBE_ENUM(WatchOrder, before_reply, after_reply, with_reply, newest_first)

enum class Reregistration : std::uint8_t { with_last_seen, as_new, never };
BOOST_DESCRIBE_ENUM(Reregistration, with_last_seen, as_new, never)

enum class ClosedEphemerals : std::uint8_t { with_outstanding, applied_alone };
BOOST_DESCRIBE_ENUM(ClosedEphemerals, with_outstanding, applied_alone)

enum class SessionOwner : std::uint8_t { checked, unchecked };
BOOST_DESCRIBE_ENUM(SessionOwner, checked, unchecked)

enum class SessionCheck : std::uint8_t { by_leader, at_once };
BOOST_DESCRIBE_ENUM(SessionCheck, by_leader, at_once)

enum class SessionTimes : std::uint8_t { clamped, as_asked };
BOOST_DESCRIBE_ENUM(SessionTimes, clamped, as_asked)

enum class SessionMemory : std::uint8_t { log, process };
BOOST_DESCRIBE_ENUM(SessionMemory, log, process)

enum class SequenceNumbers : std::uint8_t { creations, children };
BOOST_DESCRIBE_ENUM(SequenceNumbers, creations, children)

enum class ParentCounter : std::uint8_t { in_transaction, counted };
BOOST_DESCRIBE_ENUM(ParentCounter, in_transaction, counted)

enum class MultiFails : std::uint8_t { whole, from_failure };
BOOST_DESCRIBE_ENUM(MultiFails, whole, from_failure)

enum class WatchesOnce : std::uint8_t { used_up, kept };
BOOST_DESCRIBE_ENUM(WatchesOnce, used_up, kept)

enum class DeletionEvents : std::uint8_t { once, per_table };
BOOST_DESCRIBE_ENUM(DeletionEvents, once, per_table)

enum class EphemeralChildren : std::uint8_t { refused, allowed };
BOOST_DESCRIBE_ENUM(EphemeralChildren, refused, allowed)

enum class ExistingNode : std::uint8_t { refused, overwritten };
BOOST_DESCRIBE_ENUM(ExistingNode, refused, overwritten)

enum class ExpectedVersion : std::uint8_t { compared, ignored };
BOOST_DESCRIBE_ENUM(ExpectedVersion, compared, ignored)

enum class Rights : std::uint8_t { checked, unchecked, reads_alone };
BOOST_DESCRIBE_ENUM(Rights, checked, unchecked, reads_alone)

enum class OutstandingAcl : std::uint8_t { followed, old_list };
BOOST_DESCRIBE_ENUM(OutstandingAcl, followed, old_list)

enum class WatchModes : std::uint8_t { side_by_side, last_one };
BOOST_DESCRIBE_ENUM(WatchModes, side_by_side, last_one)

enum class WatchRemoval : std::uint8_t { by_mode, by_table };
BOOST_DESCRIBE_ENUM(WatchRemoval, by_mode, by_table)

enum class EventRights : std::uint8_t { read, unchecked };
BOOST_DESCRIBE_ENUM(EventRights, read, unchecked)

enum class ExistsRights : std::uint8_t { read, unchecked };
BOOST_DESCRIBE_ENUM(ExistsRights, read, unchecked)

enum class LoneCheck : std::uint8_t { unknown, no_answer };
BOOST_DESCRIBE_ENUM(LoneCheck, unknown, no_answer)

enum class OwnExpiry : std::uint8_t { own_clock, never };
BOOST_DESCRIBE_ENUM(OwnExpiry, own_clock, never)

enum class FailedAuth : std::uint8_t { ends_handle, ignored };
BOOST_DESCRIBE_ENUM(FailedAuth, ends_handle, ignored)

enum class AddressLists : std::uint8_t { both, four_bytes };
BOOST_DESCRIBE_ENUM(AddressLists, both, four_bytes)

enum class IdentityOrder : std::uint8_t { hashed, as_proved };
BOOST_DESCRIBE_ENUM(IdentityOrder, hashed, as_proved)

enum class Operations : std::uint8_t { all, early };
BOOST_DESCRIBE_ENUM(Operations, all, early)

enum class EventOrder : std::uint8_t { as_changed, reversed };
BOOST_DESCRIBE_ENUM(EventOrder, as_changed, reversed)

enum class SessionSilence : std::uint8_t { timeout, half };
BOOST_DESCRIBE_ENUM(SessionSilence, timeout, half)

enum class SessionReports : std::uint8_t { with_pings, never };
BOOST_DESCRIBE_ENUM(SessionReports, with_pings, never)

enum class AskedVersion : std::uint8_t { as_asked, any };
BOOST_DESCRIBE_ENUM(AskedVersion, as_asked, any)

enum class Expiry : std::uint8_t { deletes_ephemerals, keeps_ephemerals };
BOOST_DESCRIBE_ENUM(Expiry, deletes_ephemerals, keeps_ephemerals)

enum class TtlNodes : std::uint8_t { refused, allowed };
BOOST_DESCRIBE_ENUM(TtlNodes, refused, allowed)

enum class Quotas : std::uint8_t { counted, enforced };
BOOST_DESCRIBE_ENUM(Quotas, counted, enforced)

enum class UnusedNodes : std::uint8_t { deleted, kept };
BOOST_DESCRIBE_ENUM(UnusedNodes, deleted, kept)

enum class Revalidation : std::uint8_t { answered, ignored };
BOOST_DESCRIBE_ENUM(Revalidation, answered, ignored)

enum class QuotaLimit : std::uint8_t { exceeded, reached };
BOOST_DESCRIBE_ENUM(QuotaLimit, exceeded, reached)

enum class NewSessions : std::uint8_t { global, local };
BOOST_DESCRIBE_ENUM(NewSessions, global, local)

enum class LocalEphemerals : std::uint8_t { upgraded, refused, allowed };
BOOST_DESCRIBE_ENUM(LocalEphemerals, upgraded, refused, allowed)

enum class WithoutQuorum : std::uint8_t { not_serving, read_only };
BOOST_DESCRIBE_ENUM(WithoutQuorum, not_serving, read_only)

/// The rules that the nodes of a run obey. The defaults are ZooKeeper's.
struct Rules : zab::BroadcastRules, recipes::RecipeRules {
  LastSeen last_seen{};
  ClientSync client_sync{};
  Answers answers{};
  WatchOrder watch_order{};
  Reregistration reregistration{};
  ClosedEphemerals closed_ephemerals{};
  SessionOwner session_owner{};
  SessionCheck session_check{};
  SessionTimes session_times{};
  SessionMemory session_memory{};
  SequenceNumbers sequence_numbers{};
  ParentCounter parent_counter{};
  MultiFails multi_fails{};
  WatchesOnce watches_once{};
  DeletionEvents deletion_events{};
  EphemeralChildren ephemeral_children{};
  ExistingNode existing_node{};
  ExpectedVersion expected_version{};
  Rights rights{};
  Expiry expiry{};
  TtlNodes ttl_nodes{};
  Quotas quotas{};
  NewSessions new_sessions{};
  LocalEphemerals local_ephemerals{};
  WithoutQuorum without_quorum{};
  OutstandingAcl outstanding_acl{};
  WatchModes watch_modes{};
  WatchRemoval watch_removal{};
  EventRights event_rights{};
  ExistsRights exists_rights{};
  LoneCheck lone_check{};
  OwnExpiry own_expiry{};
  FailedAuth failed_auth{};
  AddressLists address_lists{};
  IdentityOrder identity_order{};
  Operations operations{};
  EventOrder event_order{};
  SessionSilence session_silence{};
  SessionReports session_reports{};
  AskedVersion asked_version{};
  QuotaLimit quota_limit{};
  UnusedNodes unused_nodes{};
  Revalidation revalidation{};
  bool operator==(const Rules&) const = default;
};
BOOST_DESCRIBE_STRUCT(Rules, (zab::BroadcastRules, recipes::RecipeRules),
                      (last_seen, client_sync, answers, watch_order, reregistration, closed_ephemerals,
                       session_owner, session_check, session_times, session_memory, sequence_numbers,
                       parent_counter, multi_fails, watches_once, deletion_events, ephemeral_children,
                       existing_node, expected_version, rights, expiry, ttl_nodes, quotas, new_sessions,
                       local_ephemerals, without_quorum, outstanding_acl, watch_modes, watch_removal,
                       event_rights, exists_rights, lone_check, own_expiry, failed_auth, address_lists,
                       identity_order, operations, event_order, session_silence, session_reports,
                       asked_version, quota_limit, unused_nodes, revalidation))

using Variant = zablab::Variant<Rules>;

/// Their values, the variants, and the planted bugs.
RuleTables<Rules> ruleTables();

}  // namespace zablab::zookeeper
