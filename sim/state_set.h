// Sets of states, as models and loops describe them: by what servers and clients are like.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/any.h"
#include "sim/direct.h"
#include "sim/scenario.h"

namespace zablab {

/// Whether the server is in a state that the pattern describes: fields of its node, and `up`.
bool isLike(const Server<Any>& server, const Json& pattern);

/// Checks that a pattern is about a process, and that the process can be like that. Throws InputError.
void checkLikeness(const AnyCluster& cluster, const JsonValue& pattern);

class StateSet {
 public:
  /// Throws InputError at what names no server, is empty, or cannot be.
  StateSet(const AnyCluster& cluster, const StatesSpec& spec, const JsonValue& place);

  const std::vector<Json>& patterns() const { return patterns_; }

  /// `is(server, pattern)`: whether the server of that index is like the pattern of that index.
  template <class Is>
  bool contains(Is&& is) const {
    for (const std::vector<Part>& alternative : alternatives_) {
      bool all = true;
      for (std::size_t i = 0; all && i < alternative.size(); ++i) all = holds(alternative[i], is);
      if (all) return true;
    }
    return false;
  }
  bool contains(const DirectStore<Any>& store) const {
    return contains(
        [&](int server, std::size_t pattern) { return isLike(store.server(server), patterns_[pattern]); });
  }

 private:
  /// What is said of servers: of every one of them, or of some one.
  struct Part {
    bool every = true;
    std::vector<int> servers;
    std::vector<std::size_t> patterns;  ///< one of them
  };
  template <class Is>
  static bool holds(const Part& part, Is& is) {
    for (const int server : part.servers) {
      bool one = false;
      for (std::size_t i = 0; !one && i < part.patterns.size(); ++i) one = is(server, part.patterns[i]);
      if (one != part.every) return one;
    }
    return part.every;
  }
  std::vector<int> serversOf(const AnyCluster& cluster, const std::string& word,
                             const JsonValue& place) const;

  std::vector<std::vector<Part>> alternatives_;
  std::vector<Json> patterns_;
};

}  // namespace zablab
