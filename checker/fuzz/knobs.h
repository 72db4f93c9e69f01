// What random runs may contain: the share of seeds, in thousandths, in which each kind of fault or setting is
// on. If it is on, its frequency and severity are drawn as well. Knobs do not depend on rules: a run with a
// mutation and the same run without it get the same faults.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace zablab {

struct FuzzKnobs {
  // Faults.
  std::int64_t kill = 0;         ///< a process dies
  std::int64_t power_loss = 0;   ///< a machine dies; some of its unsynced writes may be kept
  std::int64_t blackout = 0;     ///< all machines lose power at once
  std::int64_t pause = 0;        ///< a process stops for a while
  std::int64_t cut = 0;          ///< one direction between two servers is cut
  std::int64_t isolation = 0;    ///< one server is cut off
  std::int64_t partition = 0;    ///< the servers are split into two sides
  std::int64_t swizzle = 0;      ///< servers are cut off one by one and come back in another order
  std::int64_t disconnect = 0;   ///< single connections break
  std::int64_t clog = 0;         ///< a link holds back everything, or one type of message, in one direction
  std::int64_t clock = 0;        ///< clocks run too slow or too fast
  std::int64_t disk_error = 0;   ///< a write fails
  std::int64_t disk_stall = 0;   ///< syncs wait
  std::int64_t crash_point = 0;  ///< faults that strike at a kind of step instead of at a time
  // Settings.
  std::int64_t slow = 0;                           ///< single directions are much slower than the others
  std::int64_t late_start = 0;                     ///< servers start one after the other
  std::int64_t prepared = 0;                       ///< disks hold logs from the start
  std::map<std::string, std::int64_t> settings{};  ///< further settings of a family, by name
  bool operator==(const FuzzKnobs&) const = default;
};
BOOST_DESCRIBE_STRUCT(FuzzKnobs, (),
                      (kill, power_loss, blackout, pause, cut, isolation, partition, swizzle, disconnect,
                       clog, clock, disk_error, disk_stall, crash_point, slow, late_start, prepared,
                       settings))

enum class FuzzPreset : std::uint8_t { calm, lossy, partitions, crashes, pauses, disk, swarm };
BOOST_DESCRIBE_ENUM(FuzzPreset, calm, lossy, partitions, crashes, pauses, disk, swarm)

/// A setting that a family has besides the common faults: its share in a preset, and in `swarm`.
struct FuzzSetting {
  std::string_view name;
  FuzzPreset preset;
  std::int64_t share;  ///< thousandths
};

FuzzKnobs knobsOf(FuzzPreset preset, std::span<const FuzzSetting> settings);

/// Sets one knob from "name=share", the share a decimal from 0 to 1 with up to three places. Returns the
/// error, or nothing.
std::optional<std::string> setKnob(FuzzKnobs& knobs, std::string_view name, std::string_view share,
                                   std::span<const FuzzSetting> settings);

/// The knobs of a run, in words.
std::string toText(const FuzzKnobs& knobs);

/// What the runs of a campaign have in common.
struct FuzzShape {
  std::optional<int> voters;     ///< drawn if not given
  std::optional<int> observers;  ///< the same
  FuzzKnobs knobs;
};

}  // namespace zablab
