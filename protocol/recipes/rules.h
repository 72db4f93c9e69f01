// The decisions that recipes make differently; docs and sources are in variants.h.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>

namespace zablab::recipes {

enum class LostCreate : std::uint8_t { looks, looks_after_sync, looks_at_once, creates_again, gives_up };
BOOST_DESCRIBE_ENUM(LostCreate, looks, looks_after_sync, looks_at_once, creates_again, gives_up)

enum class LostDelete : std::uint8_t { looks, deletes_again };
BOOST_DESCRIBE_ENUM(LostDelete, looks, deletes_again)

enum class FoundNode : std::uint8_t { path, bare_name };
BOOST_DESCRIBE_ENUM(FoundNode, path, bare_name)

enum class NumberOrder : std::uint8_t { wraps, as_signed };
BOOST_DESCRIBE_ENUM(NumberOrder, wraps, as_signed)

enum class WatchedNode : std::uint8_t {
  predecessor,
  number_minus_one,
  first,
  node_and_list,
  behind_or_last,
  none
};
BOOST_DESCRIBE_ENUM(WatchedNode, predecessor, number_minus_one, first, node_and_list, behind_or_last, none)

enum class ListWatch : std::uint8_t { renewed, once };
BOOST_DESCRIBE_ENUM(ListWatch, renewed, once)

enum class MissingPredecessor : std::uint8_t { looks_again, ignored };
BOOST_DESCRIBE_ENUM(MissingPredecessor, looks_again, ignored)

enum class DataChange : std::uint8_t { watches_again, ignored };
BOOST_DESCRIBE_ENUM(DataChange, watches_again, ignored)

enum class Promotion : std::uint8_t { rechecks, at_once };
BOOST_DESCRIBE_ENUM(Promotion, rechecks, at_once)

enum class OwnNode : std::uint8_t { unwatched, watched };
BOOST_DESCRIBE_ENUM(OwnNode, unwatched, watched)

enum class LostPlace : std::uint8_t { joins_again, ignored };
BOOST_DESCRIBE_ENUM(LostPlace, joins_again, ignored)

enum class EmptyList : std::uint8_t { no_place, leads };
BOOST_DESCRIBE_ENUM(EmptyList, no_place, leads)

enum class Resignation : std::uint8_t { belief_first, node_first };
BOOST_DESCRIBE_ENUM(Resignation, belief_first, node_first)

enum class SessionLoss : std::uint8_t { doubts, ignored };
BOOST_DESCRIBE_ENUM(SessionLoss, doubts, ignored)

enum class Reconnection : std::uint8_t { rechecks, nothing };
BOOST_DESCRIBE_ENUM(Reconnection, rechecks, nothing)

enum class NewSession : std::uint8_t { joins, keeps_place, nothing };
BOOST_DESCRIBE_ENUM(NewSession, joins, keeps_place, nothing)

enum class BaseExists : std::uint8_t { joins, gives_up };
BOOST_DESCRIBE_ENUM(BaseExists, joins, gives_up)

enum class FirstConnection : std::uint8_t { waits, limited };
BOOST_DESCRIBE_ENUM(FirstConnection, waits, limited)

enum class Release : std::uint8_t { last, first };
BOOST_DESCRIBE_ENUM(Release, last, first)

enum class Reader : std::uint8_t { behind_writers, behind_first, watches_first_writer };
BOOST_DESCRIBE_ENUM(Reader, behind_writers, behind_first, watches_first_writer)

enum class Leases : std::uint8_t { limited, one_more };
BOOST_DESCRIBE_ENUM(Leases, limited, one_more)

enum class Fencing : std::uint8_t { checked, unchecked };
BOOST_DESCRIBE_ENUM(Fencing, checked, unchecked)

enum class Wake : std::uint8_t { trusts_ready, recounts };
BOOST_DESCRIBE_ENUM(Wake, trusts_ready, recounts)

enum class OldReady : std::uint8_t { waits, passes };
BOOST_DESCRIBE_ENUM(OldReady, waits, passes)

enum class RoundEnd : std::uint8_t { ready_gone, nobody_there };
BOOST_DESCRIBE_ENUM(RoundEnd, ready_gone, nobody_there)

enum class ReadyRemoval : std::uint8_t { if_empty, as_listed };
BOOST_DESCRIBE_ENUM(ReadyRemoval, if_empty, as_listed)

enum class BarrierEnd : std::uint8_t { deletion, any_event };
BOOST_DESCRIBE_ENUM(BarrierEnd, deletion, any_event)

enum class QueueTake : std::uint8_t { when_deleted, when_read };
BOOST_DESCRIBE_ENUM(QueueTake, when_deleted, when_read)

enum class QueueWatch : std::uint8_t { renewed, once };
BOOST_DESCRIBE_ENUM(QueueWatch, renewed, once)

enum class ItemLock : std::uint8_t { held, none };
BOOST_DESCRIBE_ENUM(ItemLock, held, none)

enum class QueueProcess : std::uint8_t { before_delete, after_delete };
BOOST_DESCRIBE_ENUM(QueueProcess, before_delete, after_delete)

enum class SiteNode : std::uint8_t { ephemeral, persistent };
BOOST_DESCRIBE_ENUM(SiteNode, ephemeral, persistent)

enum class NodeName : std::uint8_t { of_client, of_session };
BOOST_DESCRIBE_ENUM(NodeName, of_client, of_session)

enum class TwopcDecision : std::uint8_t { all_votes, majority };
BOOST_DESCRIBE_ENUM(TwopcDecision, all_votes, majority)

enum class ConfigRead : std::uint8_t { at_once, one_by_one };
BOOST_DESCRIBE_ENUM(ConfigRead, at_once, one_by_one)

enum class ConfigPush : std::uint8_t { at_once, one_by_one };
BOOST_DESCRIBE_ENUM(ConfigPush, at_once, one_by_one)

enum class WatchRenewal : std::uint8_t { with_the_read, after_the_read, never };
BOOST_DESCRIBE_ENUM(WatchRenewal, with_the_read, after_the_read, never)

enum class GroupView : std::uint8_t { replaced, added };
BOOST_DESCRIBE_ENUM(GroupView, replaced, added)

enum class Numbering : std::uint8_t { numbered, counted };
BOOST_DESCRIBE_ENUM(Numbering, numbered, counted)

enum class LatchOwner : std::uint8_t { compared, ignored };
BOOST_DESCRIBE_ENUM(LatchOwner, compared, ignored)

struct RecipeRules {
  LostCreate lost_create{};
  LostDelete lost_delete{};
  FoundNode found_node{};
  NumberOrder number_order{};
  WatchedNode watched_node{};
  ListWatch list_watch{};
  MissingPredecessor missing_predecessor{};
  DataChange data_change{};
  Promotion promotion{};
  OwnNode own_node{};
  LostPlace lost_place{};
  EmptyList empty_list{};
  Resignation resignation{};
  SessionLoss session_loss{};
  Reconnection reconnection{};
  NewSession new_session{};
  BaseExists base_exists{};
  FirstConnection first_connection{};
  Release release{};
  Reader reader{};
  Leases leases{};
  Fencing fencing{};
  Wake wake{};
  OldReady old_ready{};
  RoundEnd round_end{};
  ReadyRemoval ready_removal{};
  BarrierEnd barrier_end{};
  QueueTake queue_take{};
  QueueWatch queue_watch{};
  ItemLock item_lock{};
  QueueProcess queue_process{};
  SiteNode site_node{};
  NodeName node_name{};
  TwopcDecision twopc_decision{};
  ConfigRead config_read{};
  ConfigPush config_push{};
  WatchRenewal watch_renewal{};
  GroupView group_view{};
  Numbering naming{};
  LatchOwner latch_owner{};
  bool operator==(const RecipeRules&) const = default;
};
BOOST_DESCRIBE_STRUCT(RecipeRules, (),
                      (lost_create, lost_delete, found_node, number_order, watched_node, list_watch,
                       missing_predecessor, data_change, promotion, own_node, lost_place, empty_list,
                       resignation, session_loss, reconnection, new_session, base_exists, first_connection,
                       release, reader, leases, fencing, wake, old_ready, round_end, ready_removal,
                       barrier_end, queue_take, queue_watch, item_lock, queue_process, site_node, node_name,
                       twopc_decision, config_read, config_push, watch_renewal, group_view, naming,
                       latch_owner))

}  // namespace zablab::recipes
