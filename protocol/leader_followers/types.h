// The terms of Leader and Followers: roles, generations, the replicated log.
#pragma once

#include <boost/describe.hpp>
#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/vocabulary.h"

namespace zablab::leader_followers {

enum class Role : std::uint8_t { LOOKING_FOR_LEADER, FOLLOWING, LEADING };
BOOST_DESCRIBE_ENUM(Role, LOOKING_FOR_LEADER, FOLLOWING, LEADING)

/// The kind of a client's request. `connect` names a server and sends nothing by itself.
enum class Operation : std::uint8_t { put, read, connect };
BOOST_DESCRIBE_ENUM(Operation, put, read, connect)

/// What a client is instructed to do, or a leader itself where there are no clients.
template <class S>
struct BasicRequest {
  Operation operation{};
  typename S::Value value{};
  std::int64_t number = 0;
  ServerId server = no_server;
  bool operator==(const BasicRequest&) const = default;
  BOOST_DESCRIBE_CLASS(BasicRequest, (), (operation, value, number, server), (), ())
};

/// The content of an entry. `client` and `number` identify the request that it answers; number 0: the empty
/// entry with which a leader begins its generation. Only the service reads the value.
template <class S>
struct BasicPayload {
  typename S::Value value{};
  ServerId client = no_server;
  std::int64_t number = 0;
  bool operator==(const BasicPayload&) const = default;
  BOOST_DESCRIBE_CLASS(BasicPayload, (), (value, client, number), (), ())
};

template <class S>
struct BasicEntry {
  std::int64_t generation = 0;
  BasicPayload<S> payload;
  bool operator==(const BasicEntry&) const = default;
  BOOST_DESCRIBE_CLASS(BasicEntry, (), (generation, payload), (), ())
};

/// The first entry has index 1; 0 is the beginning, which every log has.
using Index = std::int64_t;
template <class S>
using BasicLog = std::vector<BasicEntry<S>>;

/// The end of a log, or the place of an entry; compared by generation, then index.
struct Position {
  std::int64_t generation = 0;
  Index index = 0;
  auto operator<=>(const Position&) const = default;
};
BOOST_DESCRIBE_STRUCT(Position, (), (generation, index))

template <class S>
Index lastIndex(const std::vector<BasicEntry<S>>& log) {
  return static_cast<Index>(log.size());
}
template <class S>
const BasicEntry<S>& entryAt(const std::vector<BasicEntry<S>>& log, Index index) {
  return log[static_cast<std::size_t>(index - 1)];
}
/// The generation of the entry at `index`; 0 before the first one.
template <class S>
std::int64_t generationAt(const std::vector<BasicEntry<S>>& log, Index index) {
  return index == 0 ? 0 : entryAt(log, index).generation;
}
template <class S>
Position endOf(const std::vector<BasicEntry<S>>& log) {
  return {generationAt(log, lastIndex(log)), lastIndex(log)};
}

/// The last read that a leader has accepted: a server that acknowledges it confirms the leader for all reads
/// up to it.
struct ReadMark {
  ServerId client = no_server;
  std::int64_t number = 0;
  bool operator==(const ReadMark&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReadMark, (), (client, number))

}  // namespace zablab::leader_followers
