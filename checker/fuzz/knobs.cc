#include "checker/fuzz/knobs.h"

#include <vector>

#include "sim/json.h"
#include "sim/json_reflect.h"

namespace zablab {
namespace {

/// Thousandths, from "0", "1", "0.25". Empty if it is not such a number.
std::optional<std::int64_t> shareOf(std::string_view text) {
  const std::size_t dot = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, dot);
  std::string_view places = dot < text.size() ? text.substr(dot + 1) : "";
  if ((whole != "0" && whole != "1") || places.size() > 3 || (dot < text.size() && places.empty())) return {};
  std::int64_t thousandths = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const char digit = i < places.size() ? places[i] : '0';
    if (digit < '0' || digit > '9') return {};
    thousandths = thousandths * 10 + (digit - '0');
  }
  if (whole == "1") thousandths += 1000;
  return thousandths <= 1000 ? std::optional(thousandths) : std::nullopt;
}

}  // namespace

FuzzKnobs knobsOf(FuzzPreset preset, std::span<const FuzzSetting> settings) {
  FuzzKnobs knobs;
  const bool all = preset == FuzzPreset::swarm;
  if (all || preset == FuzzPreset::lossy) {
    knobs.disconnect = knobs.clog = 400;
    knobs.slow = 250;
  }
  if (all || preset == FuzzPreset::partitions) {
    knobs.cut = knobs.isolation = knobs.partition = 300;
    knobs.swizzle = 150;
  }
  if (all || preset == FuzzPreset::crashes) {
    knobs.kill = 500;
    knobs.power_loss = 350;
    knobs.blackout = 250;
    knobs.crash_point = 700;
  }
  if (all || preset == FuzzPreset::pauses) {
    knobs.pause = 300;
    knobs.clock = 250;
  }
  if (all || preset == FuzzPreset::disk) {
    knobs.disk_error = 250;
    knobs.disk_stall = 250;
  }
  if (all) {
    knobs.late_start = 300;
    knobs.prepared = 400;
  }
  for (const FuzzSetting& setting : settings) {
    if (all || setting.preset == preset) knobs.settings[std::string(setting.name)] = setting.share;
  }
  return knobs;
}

namespace {

/// Calls `visit(name, share)` for every fault and setting.
template <class Knobs, class Visit>
void forEachKnob(Knobs& knobs, Visit&& visit) {
  json_detail::forEachMember<FuzzKnobs>([&](std::string_view name, auto pointer) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(knobs.*pointer)>, std::int64_t>)
      visit(name, knobs.*pointer);
  });
  for (auto& [name, share] : knobs.settings) visit(std::string_view(name), share);
}

}  // namespace

std::optional<std::string> setKnob(FuzzKnobs& knobs, std::string_view name, std::string_view share,
                                   std::span<const FuzzSetting> settings) {
  const auto thousandths = shareOf(share);
  for (const FuzzSetting& setting : settings) knobs.settings.try_emplace(std::string(setting.name), 0);
  std::vector<std::string> known;
  bool found = false;
  forEachKnob(knobs, [&](std::string_view knob, std::int64_t& value) {
    known.emplace_back(knob);
    if (knob != name) return;
    found = true;
    if (thousandths) value = *thousandths;
  });
  if (!found) {
    const std::string near = nearest(std::string(name), known);
    std::string all;
    for (const std::string& knob : known) all += (all.empty() ? "" : ", ") + knob;
    return "there is no fault " + inBackticks(std::string(name)) +
           (near.empty() ? "; known names: " + all : "; did you mean " + near + "?");
  }
  if (!thousandths) {
    return "the share of " + std::string(name) + " is from 0 to 1 with up to three places, not " +
           inBackticks(std::string(share));
  }
  return std::nullopt;
}

std::string toText(const FuzzKnobs& knobs) {
  std::string text;
  forEachKnob(knobs, [&](std::string_view knob, std::int64_t value) {
    if (value != 0) text += (text.empty() ? "" : ", ") + std::string(knob);
  });
  return text.empty() ? "calm" : text;
}

}  // namespace zablab
