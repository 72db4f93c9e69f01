// The terms of a register that a quorum of replicas keeps: operations, versions, and a value with its
// version.
#pragma once

#include <boost/describe.hpp>
#include <compare>
#include <cstdint>

#include "protocol/vocabulary.h"

namespace zablab::quorum_register {

enum class Operation : std::uint8_t { read, write, compare_and_set };
BOOST_DESCRIBE_ENUM(Operation, read, write, compare_and_set)

/// What a client is instructed to do; an input of its node.
struct Request {
  Operation operation{};
  std::int64_t value = 0;     ///< to write, or to set
  std::int64_t expected = 0;  ///< compare_and_set: the value that is replaced
  std::int64_t number = 0;    ///< of this client's requests; 1 or more, each used once
  std::int64_t clock = 0;     ///< the reading of the client's own clock when the request is made
  bool operator==(const Request&) const = default;
};
BOOST_DESCRIBE_STRUCT(Request, (), (operation, value, expected, number, clock))

/// What orders the values of the register: a counter (or a reading of a clock), then the writer. A client
/// that gave up on a write may reach the same counter again: the request number distinguishes the two.
struct Version {
  std::int64_t counter = 0;
  ServerId writer = no_server;
  std::int64_t request = 0;
  auto operator<=>(const Version&) const = default;
};
BOOST_DESCRIBE_STRUCT(Version, (), (counter, writer, request))

/// A value with its version. The initial value has the least version.
struct Stored {
  Version version;
  std::int64_t value = 0;
  bool operator==(const Stored&) const = default;
};
BOOST_DESCRIBE_STRUCT(Stored, (), (version, value))

/// The outcome of a request.
enum class Outcome : std::uint8_t {
  ok,
  failed,   ///< it has no effect, and never will have
  unknown,  ///< a write that too few replicas acknowledged: the replicas that have it keep it
  busy,     ///< the client has not finished its previous request
};
BOOST_DESCRIBE_ENUM(Outcome, ok, failed, unknown, busy)

}  // namespace zablab::quorum_register
