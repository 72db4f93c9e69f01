#include "checker/compare/script.h"

#include "sim/json_reflect.h"

namespace zablab {

const std::vector<FaultScript>& builtInScripts() {
  using enum ScriptedFault;
  using enum Struck;
  static const std::vector<FaultScript> all{
      {"faults",
       "leader-dies",
       "The leader's process is killed, and starts again after 30 s.",
       {{0, leader, dies}}},
      {"faults",
       "leader-pauses",
       "The leader's process stands still for 20 s.",
       {{0, leader, pauses, 20'000}}},
      {"faults",
       "minority-cut",
       "The leader's machine is cut off for 30 s, together with as many others as are a minority with it.",
       {{0, leader, cut_off}}},
      {"faults",
       "link-flaps",
       "The link between the leader's machine and one other is cut for 1 s and whole for 1 s, ten times.",
       {{0, leader, link_flaps, 20'000, 2000}}},
      {"faults",
       "two-deaths",
       "The leader's process is killed, and half a second later one that could replace it. Both start again "
       "after "
       "30 s.",
       {{0, leader, dies}, {500, follower, dies}}},
      {"faults",
       "slow-disk",
       "For 20 s the leader's disk completes nothing for 900 ms out of 1000.",
       {{0, leader, slow_disk, 20'000, 1000}}},
      {"faults",
       "short-pauses",
       "The leader's process stands still for 1.8 s, 20 s later for 3 s, and again 20 s later for 10.2 s.",
       {{0, leader, pauses, 1800}, {20'000, leader, pauses, 3000}, {40'000, leader, pauses, 10'200}}},
  };
  return all;
}

FaultScript readScript(const JsonValue& document) {
  constexpr Millis longest = 600'000;
  FaultScript script = read<FaultScript>(document);
  if (script.kind != "faults")
    throw document.keyError("kind", "there is no kind " + inBackticks(script.kind) + " here",
                            "a script is of kind faults");
  const JsonValue& faults = *document.find("faults");
  if (script.faults.empty()) throw document.keyError("faults", "`faults` names no fault");
  if (script.until < 1 || script.until > longest)
    throw document.keyError("until", "`until` is a number of ms from 1 to " + std::to_string(longest));
  for (std::size_t i = 0; i < script.faults.size(); ++i) {
    const FaultStep& step = script.faults[i];
    const JsonValue& place = faults.elements()[i];
    if (step.at < 0 || step.at > script.until)
      throw place.keyError(
          "at", "`at` is a number of ms from 0 to `until`, which is " + std::to_string(script.until));
    if (i == 0 ? step.at != 0 : step.at < script.faults[i - 1].at)
      throw place.keyError("at", "faults are in the order of their times, and the first is at 0");
    if (step.for_ < 1 || step.for_ > longest)
      throw place.keyError("for", "`for` is a number of ms from 1 to " + std::to_string(longest));
    if (step.every < 10) throw place.keyError("every", "`every` is at least 10 ms");
  }
  return script;
}

}  // namespace zablab
