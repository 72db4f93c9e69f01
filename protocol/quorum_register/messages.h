// The messages between coordinators and replicas. Each may be lost, arrive twice, or arrive late.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string_view>

#include "protocol/quorum_register/types.h"
#include "protocol/variant.h"

namespace zablab::quorum_register {

/// Belongs to no request: a stand-in hands over what it keeps.
inline constexpr std::int64_t no_request = 0;

/// A coordinator asks what a replica has.
struct Read {
  static constexpr std::string_view name = "READ";
  std::int64_t request = no_request;
  bool operator==(const Read&) const = default;
};
BOOST_DESCRIBE_STRUCT(Read, (), (request))

struct ReadReply {
  static constexpr std::string_view name = "READ_REPLY";
  std::int64_t request = no_request;
  Stored stored;
  bool operator==(const ReadReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReadReply, (), (request, stored))

/// A replica is to store this: from a write, from a read's repair, or handed over.
struct Write {
  static constexpr std::string_view name = "WRITE";
  std::int64_t request = no_request;
  Stored stored;
  ServerId home = no_server;  ///< the home it is to be kept for; unset: the receiver itself
  bool operator==(const Write&) const = default;
};
BOOST_DESCRIBE_STRUCT(Write, (), (request, stored, home))

/// The sending replica has this version, or a newer one.
struct WriteAck {
  static constexpr std::string_view name = "WRITE_ACK";
  std::int64_t request = no_request;
  Version version;
  ServerId home = no_server;  ///< the home named in the write
  bool operator==(const WriteAck&) const = default;
};
BOOST_DESCRIBE_STRUCT(WriteAck, (), (request, version, home))

using Message = variant<monostate, Read, ReadReply, Write, WriteAck>;

}  // namespace zablab::quorum_register
