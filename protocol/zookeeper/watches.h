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

/// Watches by path and client. A client has one of a path: the mode set last replaces the one before.
using WatchTable = std::map<std::string, std::map<ServerId, WatchMode>, std::less<>>;

/// WatcherType: of which table.
enum class WatchTableKind : std::int32_t { child = 1, data = 2, any = 3 };

struct Watches {
  WatchTable data;   ///< of a node's data and existence
  WatchTable child;  ///< of a node's list of children
  bool operator==(const Watches&) const = default;

  /// Persistent and recursive watches are in both tables.
  void addBoth(std::string_view path, ServerId client, WatchMode mode);
  void forget(ServerId client);
  /// Whether there was one.
  bool remove(std::string_view path, WatchTableKind kind, ServerId client);
  /// Whether anybody has one of the path (DataTree.containsWatcher, which does not ask whose it is).
  bool contains(std::string_view path, WatchTableKind kind) const;
  /// The clients that are to be notified of the event. Watches that fire once are used up.
  std::vector<ServerId> trigger(const NodeEvent& event, const Rules& rules = {});
};
BOOST_DESCRIBE_STRUCT(Watches, (), (data, child))

}  // namespace zablab::zookeeper
