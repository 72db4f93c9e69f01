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
struct Request {
  Operation operation{};
  std::int64_t value = 0;
  std::int64_t number = 0;
  ServerId server = no_server;
  bool operator==(const Request&) const = default;
};
BOOST_DESCRIBE_STRUCT(Request, (), (operation, value, number, server))

/// The content of an entry. `client` and `number` identify the request that it answers; number 0: the empty
/// entry with which a leader begins its generation.
struct Payload {
  std::int64_t value = 0;
  ServerId client = no_server;
  std::int64_t number = 0;
  bool operator==(const Payload&) const = default;
};
BOOST_DESCRIBE_STRUCT(Payload, (), (value, client, number))

struct Entry {
  std::int64_t generation = 0;
  Payload payload;
  bool operator==(const Entry&) const = default;
};
BOOST_DESCRIBE_STRUCT(Entry, (), (generation, payload))

/// The first entry has index 1; 0 is the beginning, which every log has.
using Index = std::int64_t;
using Log = std::vector<Entry>;

/// The end of a log, or the place of an entry; compared by generation, then index.
struct Position {
  std::int64_t generation = 0;
  Index index = 0;
  auto operator<=>(const Position&) const = default;
};
BOOST_DESCRIBE_STRUCT(Position, (), (generation, index))

inline Index lastIndex(const Log& log) { return static_cast<Index>(log.size()); }
inline const Entry& entryAt(const Log& log, Index index) { return log[static_cast<std::size_t>(index - 1)]; }
/// The generation of the entry at `index`; 0 before the first one.
inline std::int64_t generationAt(const Log& log, Index index) {
  return index == 0 ? 0 : entryAt(log, index).generation;
}
inline Position endOf(const Log& log) { return {generationAt(log, lastIndex(log)), lastIndex(log)}; }

/// The last read that a leader has accepted: a server that acknowledges it confirms the leader for all reads
/// up to it.
struct ReadMark {
  ServerId client = no_server;
  std::int64_t number = 0;
  bool operator==(const ReadMark&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReadMark, (), (client, number))

}  // namespace zablab::leader_followers
