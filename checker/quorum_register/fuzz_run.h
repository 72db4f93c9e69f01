// Random runs of quorum registers.
#pragma once

#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "checker/family.h"
#include "protocol/quorum_register/family.h"

namespace zablab {

template <>
struct FuzzOf<quorum_register::Family> {
  using F = quorum_register::Family;

  static constexpr std::array settings{
      FuzzSetting{"datagrams", FuzzPreset::lossy, 700},        ///< messages are lost, or arrive twice
      FuzzSetting{"client_cut", FuzzPreset::partitions, 400},  ///< a client is cut off from a server
      FuzzSetting{"client_clog", FuzzPreset::lossy, 400},      ///< a link between them holds messages back
      FuzzSetting{"skew", FuzzPreset::pauses, 500},            ///< clients' clocks differ
      FuzzSetting{"uneven", FuzzPreset::calm, 300},            ///< R and W are not majorities
  };
  static DrawnRun draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable);

  /// Whether a replica has been written to, and whether it keeps anything for another.
  static std::uint32_t placeOf(const F::Node& node) {
    return (node.stored.version == quorum_register::Version{} ? 0U : 1U) | (node.hints.empty() ? 0U : 2U);
  }
  static constexpr std::uint32_t first_place = 0;
  static std::string placeName(std::uint32_t place);

  static constexpr std::uint32_t all_operations =
      1U << static_cast<unsigned>(quorum_register::Operation::write) |
      1U << static_cast<unsigned>(quorum_register::Operation::read);
  static constexpr const char* operations_text = "a write and a read";
  static std::uint32_t answered(const F::Event& event);
  /// It turns to no server, and ends each request by itself.
  static std::pair<ServerId, bool> clientOf(const F::Node&) { return {no_server, false}; }
  static std::string settingOf(const Cluster<F>& cluster);

  static std::unique_ptr<FuzzWatcher> watcher(const FuzzRun& run);
};

}  // namespace zablab
