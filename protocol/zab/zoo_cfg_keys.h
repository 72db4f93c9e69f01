// The keys of a zoo.cfg: which ones ZooKeeper documents, and which one a misspelt key was probably meant to
// be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zablab::zab::zoo_cfg_detail {

/// The prefix that ZooKeeper adds to a key of zoo.cfg that it does not know itself, to make it a Java system
/// property.
inline constexpr std::string_view property_prefix = "zookeeper.";

/// True for every key of the Administrator's Guide and of QuorumPeerConfig, except those that count here.
bool isDocumented(std::string_view key);

/// How ZooKeeper reads a value.
enum class ValueKind : std::uint8_t {
  integer,    ///< QuorumPeerConfig: Integer.parseInt
  boolean,    ///< QuorumPeerConfig: true or false, anything else is refused
  role,       ///< QuorumPeerConfig: participant or observer, anything else is refused
  flag,       ///< a system property: true, or anything else for false
  unless_no,  ///< a system property: no, or anything else for yes
  if_yes,     ///< a system property: yes, or anything else for no
};

/// Of a documented key without effect; empty: any text may be its value.
std::optional<ValueKind> kindOf(std::string_view key);

/// The known key that `key` was probably meant to be; empty if no key is similar.
std::string nearMiss(std::string_view key);

/// The number of letters to change, insert, leave out or swap with their neighbour; case is ignored.
std::size_t editDistance(std::string_view a, std::string_view b);

}  // namespace zablab::zab::zoo_cfg_detail
