// Random runs of the register: clients read and write while datagrams are lost, doubled and overtaken and
// replicas end, stand still and are cut off; drawn from a seed, judged by all monitors.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "protocol/quorum_register/family.h"
#include "sim/faults.h"

namespace zablab::quorum_register {

struct Trial {
  Rules rules;
  int homes = 3;
  int stand_ins = 2;
  int clients = 3;
  std::int64_t read_quorum = 2;
  std::int64_t write_quorum = 2;
  std::int64_t requests = 24;          ///< of all clients
  std::int64_t writes_permille = 500;  ///< of the requests; the rest are reads
  bool one_writer = false;             ///< only the first client writes
  Millis busy_ms = 6000;               ///< requests and faults begin within it
  /// After a half and after three quarters of it comes a read, by which all should be repaired: one that
  /// writes back leaves alone what only a replica has that it hears of meanwhile.
  Millis length_ms = 20'000;
  Range latency{1, 80};                 ///< so that datagrams overtake each other
  std::int64_t lost_permille = 100;     ///< of datagrams, while it is busy
  std::int64_t doubled_permille = 100;  ///< of datagrams, while it is busy
  Range cut_off{0, 3};                  ///< times that a replica and all clients do not hear each other
  Millis cut_off_ms = 1500;             ///< at most, each
  Millis skew_ms = 500;                 ///< of clients' clocks, at most, either way
  FaultKnobs knobs;                     ///< of replicas' ends and pauses
};
/// With replicas that die, lose power and stand still.
Trial underFaults(const Rules& rules);

struct TrialOutcome {
  std::map<std::string, std::string> violations;     ///< by invariant
  std::map<std::string, std::uint64_t> obligations;  ///< by invariant
  std::map<std::string, std::uint64_t> answers;      ///< by operation and outcome
  std::map<std::string, std::uint64_t> happened;     ///< faults and repairs
  bool converged = false;  ///< all homes have the same in the end, and no stand-in anything
  std::uint64_t actions = 0;
};

TrialOutcome runTrial(const Trial& trial, std::uint64_t seed);

}  // namespace zablab::quorum_register
