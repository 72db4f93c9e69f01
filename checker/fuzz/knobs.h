// What random runs may contain: the share of seeds, in thousandths, in which each kind of fault or setting is
// on. Where it is on, how often and how hard it strikes is drawn as well. Knobs know nothing of rules: a run
// with a mutation and its twin without get the same faults.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zablab {

struct FuzzKnobs {
  // Faults.
  std::int64_t kill = 0;         ///< a process dies
  std::int64_t power_loss = 0;   ///< a machine does, with some of its unsynced writes
  std::int64_t blackout = 0;     ///< all machines lose power at once
  std::int64_t pause = 0;        ///< a process stands still
  std::int64_t cut = 0;          ///< one way between two servers is cut
  std::int64_t isolation = 0;    ///< one server is cut off
  std::int64_t partition = 0;    ///< two sides
  std::int64_t swizzle = 0;      ///< servers are cut off one by one and come back in another order
  std::int64_t disconnect = 0;   ///< single connections break
  std::int64_t clog = 0;         ///< a link holds back everything, or one type of message, on one way
  std::int64_t clock = 0;        ///< clocks run too slow or too fast
  std::int64_t disk_error = 0;   ///< a write fails
  std::int64_t disk_stall = 0;   ///< syncs wait
  std::int64_t crash_point = 0;  ///< faults that strike at a kind of step instead of at a time
  std::int64_t hand_over =
      0;  ///< who was behind is synchronized by a new leader, and both end in the midst of it
  // Settings.
  std::int64_t slow = 0;           ///< single ways are much slower than the others
  std::int64_t late_start = 0;     ///< servers start one after the other
  std::int64_t prepared = 0;       ///< disks hold logs from the start
  std::int64_t last_counter = 0;   ///< the counter of the first epoch is nearly used up
  std::int64_t short_memory = 0;   ///< the committed log is short
  std::int64_t no_disk_sync = 0;   ///< learners are never served from the log's files
  std::int64_t always_snap = 0;    ///< learners always get SNAP
  std::int64_t snapshots = 0;      ///< a snapshot after every few transactions
  std::int64_t slow_sync = 0;      ///< NEWLEADER comes some time after a learner is registered for proposals
  std::int64_t long_back_off = 0;  ///< the wait for a notification doubles up to 60 s, as by default
  bool operator==(const FuzzKnobs&) const = default;
};
BOOST_DESCRIBE_STRUCT(FuzzKnobs, (),
                      (kill, power_loss, blackout, pause, cut, isolation, partition, swizzle, disconnect,
                       clog, clock, disk_error, disk_stall, crash_point, hand_over, slow, late_start,
                       prepared, last_counter, short_memory, no_disk_sync, always_snap, snapshots, slow_sync,
                       long_back_off))

enum class FuzzPreset : std::uint8_t { calm, lossy, partitions, crashes, pauses, disk, swarm };
BOOST_DESCRIBE_ENUM(FuzzPreset, calm, lossy, partitions, crashes, pauses, disk, swarm)

FuzzKnobs knobsOf(FuzzPreset preset);

/// Sets one knob from "name=share", the share a decimal from 0 to 1 with up to three places. Returns what is
/// wrong, or nothing.
std::optional<std::string> setKnob(FuzzKnobs& knobs, std::string_view name, std::string_view share);

/// The knobs of a run, in words.
std::string toText(const FuzzKnobs& knobs);

/// What a campaign's runs have in common.
struct FuzzShape {
  std::optional<int> voters;     ///< drawn where it is not given
  std::optional<int> observers;  ///< the same
  FuzzKnobs knobs;
};

}  // namespace zablab
