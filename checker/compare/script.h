// Faults in words that suit every protocol: they name the leader and its machine, and never a server. Each
// protocol's world says who leads when a fault strikes.
#pragma once

#include <array>
#include <boost/describe.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/vocabulary.h"
#include "sim/json.h"

namespace zablab {

enum class ScriptedFault : std::uint8_t {
  dies,        ///< its process is killed
  pauses,      ///< its process stands still
  cut_off,     ///< its machine, and others as long as they are a minority, reach no other machine
  link_flaps,  ///< the link between its machine and the next is cut and healed in turn
  slow_disk,   ///< its disk completes nothing for nine tenths of the time
};
BOOST_DESCRIBE_ENUM(ScriptedFault, dies, pauses, cut_off, link_flaps, slow_disk)

/// Whom a fault strikes: the process that leads at that moment, or one on the next machine, which could lead.
enum class Struck : std::uint8_t { leader, follower };
BOOST_DESCRIBE_ENUM(Struck, leader, follower)

struct FaultStep {
  Millis at = 0;  ///< after the first fault
  Struck who = Struck::leader;
  ScriptedFault fault{};
  Millis for_ = 30'000;  ///< then it is over: the process starts or resumes, the network is whole again
  Millis every = 2000;   ///< link_flaps, slow_disk: from one time to the next
  static constexpr std::array required{"fault"};
};
BOOST_DESCRIBE_STRUCT(FaultStep, (), (at, who, fault, for_, every))

struct FaultScript {
  std::string kind;
  std::string name;
  std::string about;
  std::vector<FaultStep> faults;
  Millis until = 60'000;  ///< after the first fault; how long clients are observed
  static constexpr const char* schema_name = "faults";
  static constexpr std::array required{"kind", "name", "faults"};
};
BOOST_DESCRIBE_STRUCT(FaultScript, (), (kind, name, about, faults, until))

/// The scripts that the program has.
const std::vector<FaultScript>& builtInScripts();
/// Reads {"kind": "faults", ...}. Throws InputError.
FaultScript readScript(const JsonValue& document);

}  // namespace zablab
