// The watches of the clients that are connected to one server, and whom a change is told, as the Programmer's
// Guide describes them; part of the model (model.h).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checker/zookeeper/model.h"
#include "protocol/zookeeper/watches.h"

namespace zablab::zookeeper::model {

/// Whether addWatch, removeWatches or checkWatches names a kind of watches that there is.
bool isKindOfWatch(const Rules& rules, const Op& op);

class ServerWatches {
 public:
  /// What an operation that is answered with success leaves: a read that asks for it, or addWatch.
  void set(const Rules& rules, ServerId client, const Op& op);
  /// Registers the watches of an earlier connection again, and tells what has happened to them meanwhile.
  std::vector<NodeEvent> setAgain(const Rules& rules, const State& state, ServerId client,
                                  const WatchLists& lists);
  /// Whether removeWatches and checkWatches find one.
  bool has(const Rules& rules, ServerId client, const Op& op) const;
  void remove(const Rules& rules, ServerId client, const Op& op);
  /// Whom the event is told, in the order of ids. A watch of a read is used up by this.
  std::vector<ServerId> notify(const NodeEvent& event);
  /// Its connection is over.
  void forget(ServerId client);

 private:
  using Modes = std::uint8_t;  ///< one bit each
  using Table = std::map<std::string, std::map<ServerId, Modes>, std::less<>>;

  static Modes modesIn(const Table& table, std::string_view path, ServerId client);
  static void put(const Rules& rules, Table& table, const std::string& path, ServerId client, WatchMode mode);
  static void take(Table& table, const std::string& path, ServerId client, Modes modes);
  static void fire(Table& table, const NodeEvent& event, std::set<ServerId>& told);
  void putPersistent(const Rules& rules, ServerId client, const std::string& path, WatchMode mode);

  Table data_;      ///< of nodes' data and existence
  Table children_;  ///< of nodes' lists of children
};

}  // namespace zablab::zookeeper::model
