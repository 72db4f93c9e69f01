// How many clients believe at a time that they lead or hold something, whatever has become of their sessions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "checker/monitor.h"
#include "protocol/zookeeper/family.h"

namespace zablab::zookeeper {

class OneBeliever {
 public:
  /// No recipe promises it of clients that stand still or are cut off: it is judged where it is requested.
  static constexpr InvariantInfo info{
      "one-believer",
      "no more clients than a recipe lets in believe at a time that they lead or hold it, whether their "
      "sessions are open or not: one, the leases of a semaphore, or readers alone"};

  static bool believes(const Node& client);
  void add(const Node& client);

  /// Whether anybody believes it.
  bool judged() const { return !believers_.empty(); }
  /// Which clients are too many; empty: none.
  Phrase violation() const;

 private:
  struct Believers {
    std::vector<ServerId> clients;
    std::int32_t limit = 0;  ///< the smallest of those that limit it; 0: none does
  };
  std::map<std::string, Believers> believers_;  ///< by path
};

}  // namespace zablab::zookeeper
