// The watches that a server keeps for the clients connected to it (WatchManager). They live as long as the
// connection.
#pragma once

#include <boost/describe.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/vocabulary.h"
#include "protocol/zookeeper/rules.h"
#include "protocol/zookeeper/types.h"

namespace zablab::zookeeper {

enum class WatchMode : std::uint8_t { once, persistent, recursive };
BOOST_DESCRIBE_ENUM(WatchMode, once, persistent, recursive)

/// The modes of a client's watches of one path, as bits (WatchStats).
enum class WatchStats : std::uint8_t {
  none,
  once,
  persistent,
  once_persistent,
  recursive,
  once_recursive,
  persistent_recursive,
  all,
};
BOOST_DESCRIBE_ENUM(WatchStats, none, once, persistent, once_persistent, recursive, once_recursive,
                    persistent_recursive, all)

constexpr std::uint8_t bitOf(WatchMode mode) {
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(mode));
}
constexpr bool has(WatchStats stats, WatchMode mode) {
  return (static_cast<std::uint8_t>(stats) & bitOf(mode)) != 0;
}
constexpr WatchStats with(WatchStats stats, WatchMode mode) {
  return static_cast<WatchStats>(static_cast<std::uint8_t>(stats) | bitOf(mode));
}
constexpr WatchStats without(WatchStats stats, WatchMode mode) {
  return static_cast<WatchStats>(static_cast<std::uint8_t>(stats) & ~bitOf(mode));
}

/// Watches by path and client.
using WatchTable = std::map<std::string, std::map<ServerId, WatchStats>, std::less<>>;

/// Which watches are removed, or asked about; with the numbers of the wire.
enum class WatcherType : std::int32_t { children = 1, data = 2, any = 3, persistent = 4, recursive = 5 };

struct Watches {
  WatchTable data;   ///< of a node's data and existence
  WatchTable child;  ///< of a node's list of children
  bool operator==(const Watches&) const = default;

  void addData(std::string_view path, ServerId client, WatchMode mode, WatchModes rule = {});
  void addChild(std::string_view path, ServerId client, WatchMode mode, WatchModes rule = {});
  /// A persistent watch is in both tables. A recursive one is as well where a client has one mode of a path.
  void addBoth(std::string_view path, ServerId client, WatchMode mode, WatchModes rule = {});
  void forget(ServerId client);
  /// Whether there was one.
  bool remove(std::string_view path, WatcherType type, ServerId client, WatchRemoval rule = {});
  /// Whether the client has one; under the rule `by_table`, whether anybody has one.
  bool contains(std::string_view path, WatcherType type, ServerId client, WatchRemoval rule = {}) const;
  /// The clients that are to be notified of the event. Watches that fire once are used up.
  std::vector<ServerId> trigger(const NodeEvent& event, const Rules& rules = {});
};
BOOST_DESCRIBE_STRUCT(Watches, (), (data, child))

}  // namespace zablab::zookeeper
