// What steps make observable. Decisions carry their reason.
#pragma once

#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <cstdint>
#include <string_view>

#include "protocol/external_store/store_log.h"
#include "protocol/variant.h"

namespace zablab::external_store {

/// The store has granted a lease.
struct LeaseBegun {
  static constexpr std::string_view name = "lease";
  std::int64_t lease = 0;
  ServerId to = no_server;
  bool operator==(const LeaseBegun&) const = default;
};
BOOST_DESCRIBE_STRUCT(LeaseBegun, (), (lease, to))

/// A key of the store has changed. `by`: who has asked for it; nobody if a lease has expired. Of the servers
/// of a replicated store, the one reports it that was asked, or that has measured the lease.
struct KeyChanged {
  static constexpr std::string_view name = "key";
  Change change;
  ServerId by = no_server;
  bool operator==(const KeyChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(KeyChanged, (), (change, by))

/// The store compares, and does not do what it was asked for.
struct CompareFailed {
  static constexpr std::string_view name = "compare_failed";
  ServerId by = no_server;
  Key key;
  std::int64_t revision = 0;
  bool operator==(const CompareFailed&) const = default;
};
BOOST_DESCRIBE_STRUCT(CompareFailed, (), (by, key, revision))

/// A candidate asks for its key.
struct Contends {
  static constexpr std::string_view name = "contends";
  std::int64_t lease = 0;
  bool operator==(const Contends&) const = default;
};
BOOST_DESCRIBE_STRUCT(Contends, (), (lease))

/// `placed`: it leads already when the run begins.
enum class ElectedWhy : std::uint8_t { created, own_key, first_in_line, placed };
BOOST_DESCRIBE_ENUM(ElectedWhy, created, own_key, first_in_line, placed)

struct Elected {
  static constexpr std::string_view name = "elected";
  std::int64_t token = 0;
  ElectedWhy why{};
  bool operator==(const Elected&) const = default;
};
BOOST_DESCRIBE_STRUCT(Elected, (), (token, why))

/// A candidate waits until this key is deleted.
struct Follows {
  static constexpr std::string_view name = "follows";
  ServerId holder = no_server;
  std::int64_t revision = 0;
  bool operator==(const Follows&) const = default;
};
BOOST_DESCRIBE_STRUCT(Follows, (), (holder, revision))

/// It learns that this key is deleted.
struct Notified {
  static constexpr std::string_view name = "notified";
  ServerId holder = no_server;
  std::int64_t revision = 0;
  bool operator==(const Notified&) const = default;
};
BOOST_DESCRIBE_STRUCT(Notified, (), (holder, revision))

enum class StepDownWhy : std::uint8_t { deadline, lease_ended, resigned, newer_token };
BOOST_DESCRIBE_ENUM(StepDownWhy, deadline, lease_ended, resigned, newer_token)

struct SteppedDown {
  static constexpr std::string_view name = "stepped_down";
  std::int64_t token = 0;
  StepDownWhy why{};
  bool operator==(const SteppedDown&) const = default;
};
BOOST_DESCRIBE_STRUCT(SteppedDown, (), (token, why))

/// A candidate learns that its lease has ended.
struct LeaseLost {
  static constexpr std::string_view name = "lease_lost";
  std::int64_t lease = 0;
  bool operator==(const LeaseLost&) const = default;
};
BOOST_DESCRIBE_STRUCT(LeaseLost, (), (lease))

struct MemberChanged {
  static constexpr std::string_view name = "member";
  ServerId member = no_server;
  bool there = false;
  bool operator==(const MemberChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(MemberChanged, (), (member, there))

/// The resource has received a write. `newest`: the greatest token before it.
struct WriteDecided {
  static constexpr std::string_view name = "write";
  ServerId by = no_server;
  std::int64_t token = 0;
  std::int64_t newest = 0;
  std::int64_t number = 0;
  bool accepted = false;
  bool operator==(const WriteDecided&) const = default;
};
BOOST_DESCRIBE_STRUCT(WriteDecided, (), (by, token, newest, number, accepted))

/// `holder`, `token`: what was read, who leads and when its key was created; nobody and 0 if there is no key.
struct Answered {
  static constexpr std::string_view name = "answered";
  Operation operation{};
  std::int64_t number = 0;
  Outcome outcome{};
  ServerId server = no_server;
  ServerId holder = no_server;
  std::int64_t token = 0;
  bool operator==(const Answered&) const = default;
};
BOOST_DESCRIBE_STRUCT(Answered, (), (operation, number, outcome, server, holder, token))

/// A server of a replicated store does not serve this client any longer: it has no leader, or what was asked
/// took too long or may have been lost.
struct GivenUp {
  static constexpr std::string_view name = "given_up";
  ServerId client = no_server;
  bool operator==(const GivenUp&) const = default;
};
BOOST_DESCRIBE_STRUCT(GivenUp, (), (client))

using Event = boost::mp11::mp_append<
    variant<LeaseBegun, KeyChanged, CompareFailed, Contends, Elected, Follows, Notified, SteppedDown,
            LeaseLost, MemberChanged, WriteDecided, Answered, GivenUp>,
    leader_followers::BasicServerEvent<StoreLog>>;

}  // namespace zablab::external_store
