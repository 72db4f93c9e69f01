#include "sim/faults.h"

#include "protocol/reflect.h"

namespace zablab {

FaultKnobs knobsOf(FaultPreset preset) {
  FaultKnobs knobs;
  const auto crashes = [&] {
    knobs.kills = {0, 4};
    knobs.power_losses = {0, 3};
    knobs.strikes = {0, 4};
  };
  const auto partitions = [&] {
    knobs.one_way_cuts = {0, 4};
    knobs.two_way_cuts = {0, 4};
    knobs.isolations = {0, 3};
    knobs.breaks = {0, 4};
  };
  const auto pauses = [&] {
    knobs.pauses = {0, 4};
    knobs.clock_drift_permille = 200;
  };
  switch (preset) {
    case FaultPreset::calm: break;
    case FaultPreset::crashes: crashes(); break;
    case FaultPreset::partitions: partitions(); break;
    case FaultPreset::pauses: pauses(); break;
    case FaultPreset::everything:
      crashes();
      partitions();
      pauses();
      break;
  }
  return knobs;
}

FaultKnobs swarm(FaultKnobs knobs, Choices& choices) {
  ServerId number = 0;
  const auto maybe = [&](auto& knob) {
    const Question question{ChoiceKind::fault, faultTopic(FaultKind::swarm, FaultQuestion::how), number++};
    if (choices.draw(question, 2) == 0) knob = {};
  };
  maybe(knobs.kills);
  maybe(knobs.power_losses);
  maybe(knobs.pauses);
  maybe(knobs.one_way_cuts);
  maybe(knobs.two_way_cuts);
  maybe(knobs.isolations);
  maybe(knobs.breaks);
  maybe(knobs.strikes);
  maybe(knobs.clock_drift_permille);
  return knobs;
}

std::string faultTopicName(std::uint8_t topic) {
  std::string kind(enumName(static_cast<FaultKind>(topic / 8)));
  if (kind.back() == '_') kind.pop_back();
  return kind + " " + std::string(enumName(static_cast<FaultQuestion>(topic % 8)));
}

}  // namespace zablab
