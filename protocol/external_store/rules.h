// The decisions that the sound rules, etcd's library, a description and the planted bugs make differently.
// There is one field for each decision and one enumerator for each answer; texts and sources are in rules.cc.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string_view>

#include "protocol/rule_tables.h"

namespace zablab::external_store {

enum class Procedure : std::uint8_t { compare_and_set, queue };
BOOST_DESCRIBE_ENUM(Procedure, compare_and_set, queue)

enum class Acquire : std::uint8_t { compared, get_then_put };
BOOST_DESCRIBE_ENUM(Acquire, compared, get_then_put)

enum class WatchFrom : std::uint8_t { failed_reply, now };
BOOST_DESCRIBE_ENUM(WatchFrom, failed_reply, now)

enum class Deadline : std::uint8_t { from_sending, from_reply };
BOOST_DESCRIBE_ENUM(Deadline, from_sending, from_reply)

enum class Margin : std::uint8_t { kept, none };
BOOST_DESCRIBE_ENUM(Margin, kept, none)

enum class StepDown : std::uint8_t { at_deadline, never };
BOOST_DESCRIBE_ENUM(StepDown, at_deadline, never)

enum class NewSession : std::uint8_t { contends, waits };
BOOST_DESCRIBE_ENUM(NewSession, contends, waits)

enum class OnExists : std::uint8_t { compares_lease, believes_the_reply };
BOOST_DESCRIBE_ENUM(OnExists, compares_lease, believes_the_reply)

enum class Release : std::uint8_t { compared, unconditional };
BOOST_DESCRIBE_ENUM(Release, compared, unconditional)

enum class Resignation : std::uint8_t { repeated, asked_once };
BOOST_DESCRIBE_ENUM(Resignation, repeated, asked_once)

enum class OrderlyStop : std::uint8_t { revokes, leaves };
BOOST_DESCRIBE_ENUM(OrderlyStop, revokes, leaves)

enum class Waiter : std::uint8_t { checks_its_key, trusts_the_wait, trusts_the_notification };
BOOST_DESCRIBE_ENUM(Waiter, checks_its_key, trusts_the_wait, trusts_the_notification)

enum class UnfinishedWork : std::uint8_t { refused, finished };
BOOST_DESCRIBE_ENUM(UnfinishedWork, refused, finished)

enum class Fencing : std::uint8_t { checked, ignored };
BOOST_DESCRIBE_ENUM(Fencing, checked, ignored)

enum class Pauses : std::uint8_t { excused, counted };
BOOST_DESCRIBE_ENUM(Pauses, excused, counted)

enum class Renewal : std::uint8_t { confirmed, unconfirmed };
BOOST_DESCRIBE_ENUM(Renewal, confirmed, unconfirmed)

enum class DeposedLeader : std::uint8_t { measures_nothing, measures_on };
BOOST_DESCRIBE_ENUM(DeposedLeader, measures_nothing, measures_on)

enum class NewLeader : std::uint8_t {
  adds_election_timeout,
  gives_whole_time,
  gives_half_time,
  measures_nothing
};
BOOST_DESCRIBE_ENUM(NewLeader, adds_election_timeout, gives_whole_time, gives_half_time, measures_nothing)

enum class LeastTtl : std::uint8_t { kept, none };
BOOST_DESCRIBE_ENUM(LeastTtl, kept, none)

enum class StoreVote : std::uint8_t { saved, forgotten };
BOOST_DESCRIBE_ENUM(StoreVote, saved, forgotten)

enum class StoreRead : std::uint8_t { linearizable, local };
BOOST_DESCRIBE_ENUM(StoreRead, linearizable, local)

enum class StoreAck : std::uint8_t { durable, at_once };
BOOST_DESCRIBE_ENUM(StoreAck, durable, at_once)

enum class ToldRevision : std::uint8_t { after, before };
BOOST_DESCRIBE_ENUM(ToldRevision, after, before)

enum class Proposals : std::uint8_t { once, twice };
BOOST_DESCRIBE_ENUM(Proposals, once, twice)

enum class WatchBegins : std::uint8_t { in_history, with_the_next };
BOOST_DESCRIBE_ENUM(WatchBegins, in_history, with_the_next)

enum class ResourceStarts : std::uint8_t { from_its_disk, without };
BOOST_DESCRIBE_ENUM(ResourceStarts, from_its_disk, without)

enum class WriteAnswered : std::uint8_t { by_the_resource, when_sent };
BOOST_DESCRIBE_ENUM(WriteAnswered, by_the_resource, when_sent)

enum class RenewsAfter : std::uint8_t { a_third, the_whole };
BOOST_DESCRIBE_ENUM(RenewsAfter, a_third, the_whole)

enum class WaitsFor : std::uint8_t { the_one_before, the_first };
BOOST_DESCRIBE_ENUM(WaitsFor, the_one_before, the_first)

enum class NoAnswer : std::uint8_t { unknown, refused };
BOOST_DESCRIBE_ENUM(NoAnswer, unknown, refused)

/// The rules that the nodes of a run obey. The defaults are the sound ones.
struct Rules {
  Procedure procedure{};
  Acquire acquire{};
  WatchFrom watch_from{};
  Deadline deadline{};
  Margin margin{};
  StepDown step_down{};
  NewSession new_session{};
  OnExists on_exists{};
  Release release{};
  Resignation resignation{};
  OrderlyStop orderly_stop{};
  Waiter waiter{};
  UnfinishedWork unfinished_work{};
  Fencing fencing{};
  Pauses pauses{};  ///< no node asks for it: what the invariant `one-believer` compares
  LeastTtl least_ttl{};
  NewLeader new_leader{};  ///< a store that is one process, too
  ToldRevision told_revision{};
  WatchBegins watch_begins{};
  ResourceStarts resource_starts{};
  WriteAnswered write_answered{};
  RenewsAfter renews_after{};
  WaitsFor waits_for{};
  NoAnswer no_answer{};
  // ---- a replicated store
  Renewal renewal{};
  DeposedLeader deposed_leader{};
  StoreVote store_vote{};
  StoreAck store_ack{};
  StoreRead store_read{};
  Proposals proposals{};
  bool operator==(const Rules&) const = default;
};
BOOST_DESCRIBE_STRUCT(Rules, (),
                      (procedure, acquire, watch_from, deadline, margin, step_down, new_session, on_exists,
                       release, resignation, orderly_stop, waiter, unfinished_work, fencing, pauses,
                       least_ttl, new_leader, told_revision, watch_begins, resource_starts, write_answered,
                       renews_after, waits_for, no_answer, renewal, deposed_leader, store_vote, store_ack,
                       store_read, proposals))

using Variant = zablab::Variant<Rules>;

/// Their values, the variants, and the planted bugs.
RuleTables<Rules> ruleTables();

}  // namespace zablab::external_store
