// What steps make observable. Decisions carry their reason.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "protocol/quorum_register/types.h"
#include "protocol/variant.h"

namespace zablab::quorum_register {

/// A client begins a request.
struct Invoked {
  static constexpr std::string_view name = "invoked";
  Request request;
  bool operator==(const Invoked&) const = default;
};
BOOST_DESCRIBE_STRUCT(Invoked, (), (request))

/// Enough replicas have reported what they have.
struct QuorumRead {
  static constexpr std::string_view name = "quorum_read";
  std::int64_t request = 0;
  std::vector<ServerId> from;
  Stored newest;
  bool operator==(const QuorumRead&) const = default;
};
BOOST_DESCRIBE_STRUCT(QuorumRead, (), (request, from, newest))

enum class VersionSource : std::uint8_t { quorum, own_counter, clock };
BOOST_DESCRIBE_ENUM(VersionSource, quorum, own_counter, clock)

/// A writer gives its value a version.
struct VersionChosen {
  static constexpr std::string_view name = "version";
  std::int64_t request = 0;
  Stored stored;
  VersionSource source{};
  bool operator==(const VersionChosen&) const = default;
};
BOOST_DESCRIBE_STRUCT(VersionChosen, (), (request, stored, source))

enum class RepairWhen : std::uint8_t { before_answer, after_answer };
BOOST_DESCRIBE_ENUM(RepairWhen, before_answer, after_answer)

/// Replicas that are behind, or not known to be up to date, are sent what a read found.
struct Repaired {
  static constexpr std::string_view name = "repair";
  std::int64_t request = 0;
  Stored stored;
  std::vector<ServerId> to;
  RepairWhen when{};
  bool operator==(const Repaired&) const = default;
};
BOOST_DESCRIBE_STRUCT(Repaired, (), (request, stored, to, when))

/// A home has not answered, and another server is asked to keep its copy.
struct StoodIn {
  static constexpr std::string_view name = "stand_in";
  std::int64_t request = 0;
  ServerId home = no_server;
  ServerId by = no_server;
  bool operator==(const StoodIn&) const = default;
};
BOOST_DESCRIBE_STRUCT(StoodIn, (), (request, home, by))

/// A client has finished a request. `value` is what a read returns; for a comparison, whether it set the
/// value. `of` are the replicas that the result rests on: for a read without write-back those that were read,
/// otherwise those whose copy is acknowledged.
struct Answered {
  static constexpr std::string_view name = "answered";
  Operation operation{};
  std::int64_t request = 0;
  Outcome outcome{};
  std::int64_t value = 0;
  Version version;
  std::vector<ServerId> of;
  bool operator==(const Answered&) const = default;
};
BOOST_DESCRIBE_STRUCT(Answered, (), (operation, request, outcome, value, version, of))

enum class KeptReason : std::uint8_t { newer, arrived_last, older, there_already };
BOOST_DESCRIBE_ENUM(KeptReason, newer, arrived_last, older, there_already)

/// A replica was sent a value, and has taken it or not.
struct Weighed {
  static constexpr std::string_view name = "weighed";
  Version told;
  Version had;
  KeptReason reason{};
  bool operator==(const Weighed&) const = default;
};
BOOST_DESCRIBE_STRUCT(Weighed, (), (told, had, reason))

/// A stand-in keeps a copy for a home, or has handed it over.
struct Hinted {
  static constexpr std::string_view name = "hint";
  ServerId home = no_server;
  Version version;
  bool handed_over = false;
  bool operator==(const Hinted&) const = default;
};
BOOST_DESCRIBE_STRUCT(Hinted, (), (home, version, handed_over))

using Event = variant<Invoked, QuorumRead, VersionChosen, Repaired, StoodIn, Answered, Weighed, Hinted>;

}  // namespace zablab::quorum_register
