// The results of random runs: of one, and of many together. All figures can be added, so that workers and
// shards need no coordination.
#pragma once

#include <boost/describe.hpp>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "protocol/vocabulary.h"
#include "sim/json_reflect.h"

namespace zablab {

/// A run in which time does not advance: what happens at one instant leads to more at the same instant
/// without end.
inline constexpr const char* endless_exchange = "endless exchange";
/// A step throws, or does what no step may do: an error of the protocol's code.
inline constexpr const char* broken_step = "broken step";
/// The run ends the program by a signal, such as SIGSEGV: an error of the protocol's code.
inline constexpr const char* program_crash = "program crash";
/// A step that does not end: an error of the protocol's code.
inline constexpr const char* endless_step = "endless step";
/// Servers of a core without faults do not answer.
inline constexpr const char* stall_no_service = "stall: no service";
/// The same, but not caused by the protocol: too few servers can start, because their disks are unusable.
inline constexpr const char* stall_unable = "stall: too few servers can start";
/// The name for the story of an election that took long. It is not a failure: the duration of an election has
/// no bound.
inline constexpr const char* slow_election = "slow election";

/// The reason why a run is a finding.
struct Failure {
  /// An invariant's name, one of the kinds of `stall`, `endless_exchange`, `broken_step`, `program_crash` or
  /// `endless_step`.
  std::string what;
  std::string text;
  Millis time = 0;
  bool isStall() const { return what.starts_with("stall"); }
  /// A stall as measured by a scenario's own expectations.
  bool isUnserved() const { return what == stall_no_service || what == stall_unable; }
  /// The run has ended the program, or does not end: nothing but this is known of it.
  bool hasNoRun() const { return what == program_crash || what == endless_step; }
  bool isViolation() const {
    return !isStall() && what != endless_exchange && what != broken_step && !hasNoRun();
  }
};
BOOST_DESCRIBE_STRUCT(Failure, (), (what, text, time))

struct RunOutcome {
  std::optional<Failure> failure;
  Millis slow_election_ms =
      0;  ///< duration of a slow election of a core without faults: not a failure; 0: none
  std::uint64_t actions = 0;
  Millis virtual_ms = 0;
  std::uint64_t digest = 0;      ///< of everything that happened, in order
  std::vector<ServerId> unable;  ///< servers of the core that could not start after the faults
};

/// A hash of 64 bits. In JSON, as everywhere, 16 hexadecimal digits: readers of JSON keep 53 bits of a
/// number.
struct Digest {
  std::uint64_t value = 0;
  auto operator<=>(const Digest&) const = default;
  bool operator==(const Digest&) const = default;
};
std::string hexOf(Digest digest);

/// How often each value occurred.
using Histogram = std::map<std::int64_t, std::uint64_t>;
/// The smallest value that at least `permille` of all values do not exceed; 0 if there are none.
std::int64_t quantile(const Histogram& histogram, std::int64_t permille);

using Counts = std::map<std::string, std::uint64_t>;

struct FuzzStatistics {
  std::uint64_t seeds = 0;
  std::uint64_t actions = 0;
  Millis virtual_ms = 0;
  Digest digest;             ///< of all runs, in any order
  Counts planned;            ///< faults that were drawn, by kind
  Counts fired;              ///< faults that had an effect
  Counts lost;               ///< messages, by type
  Counts obligations;        ///< by invariant
  Counts passed_over;        ///< by invariant: what could not be compared
  Histogram slow_elections;  ///< virtual milliseconds, by seed
  Counts coverage;           ///< steps by "role, phase, input"
  Counts transitions;        ///< changes of role and phase, by "from > to"
  std::map<std::string, std::map<std::string, Histogram>> times;  ///< by measure, then by setting
  std::set<Digest> node_states;                                   ///< of every 64th seed

  void add(const FuzzStatistics& other);
  /// Invariants that had nothing to compare.
  std::vector<std::string> notExercised() const;
  /// Faults that were drawn 20 times or more and never had an effect.
  std::vector<std::string> neverFired() const;
};
BOOST_DESCRIBE_STRUCT(FuzzStatistics, (),
                      (seeds, actions, virtual_ms, digest, planned, fired, lost, obligations, passed_over,
                       slow_elections, coverage, transitions, times, node_states))

template <>
struct JsonCodec<Digest> {
  static Json write(const Digest& digest);
  static Digest read(const JsonValue& value);
  static Json schema();
};

}  // namespace zablab
