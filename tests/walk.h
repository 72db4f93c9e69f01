// A breadth-first walk over everything that a small world can do: every enabled action that a filter permits,
// from one start. It stores each state's 128-bit fingerprint and parent, and at the same time checks what the
// rest of the project relies on: steps are pure, values survive their encoding, and the states are finite in
// number.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "protocol/zab_register/family.h"
#include "sim/idle.h"
#include "sim/world.h"

namespace zablab::walk {

/// Nothing takes time and no process ends by itself; events that cost something are counted.
template <class F>
struct NullEnvironment : IdleEnvironment<F> {
  static constexpr bool watches = true;
  std::function<bool(const typename F::Event&)> costs;
  std::uint64_t spent = 0;

  void tell(const Happened<F>& happened) {
    if (happened.kind == Kind::event && costs && costs(*happened.event)) ++spent;
  }
};

struct Fingerprint {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const Fingerprint&) const = default;
  friend std::size_t hash_value(const Fingerprint& print) { return print.low; }
};

/// The state of a walk: the world, and what was spent on the way to it.
template <class F>
Fingerprint fingerprint(const WorldValue<F>& value, std::uint64_t spent) {
  Bytes bytes = encode(value);
  encodeTo(bytes, spent);
  const std::uint64_t low = hashBytes(bytes);
  bytes.push_back(0x5a);
  return {low, hashBytes(bytes)};
}

template <class F>
struct Options {
  std::function<bool(const Action<F>&)> explores;            ///< which actions are followed; all when empty
  std::function<bool(const typename F::Event&)> costs = {};  ///< events that are bounded
  std::uint64_t budget = 0;  ///< the number of such events; further ones are pruned
  std::uint64_t max_states = 4'000'000;
  std::uint64_t check_every =
      1;  ///< one transition in this many is made twice, from values that were decoded
};

struct Counts {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t terminal = 0;  ///< states in which no followed action is enabled
  std::uint64_t pruned = 0;
  std::uint64_t depth = 0;    ///< of the deepest state
  std::uint64_t impure = 0;   ///< transitions that came out differently the second time
  std::uint64_t misread = 0;  ///< states that did not survive encode and decode
  bool exhausted = true;
  bool operator==(const Counts&) const = default;
};
inline std::ostream& operator<<(std::ostream& out, const Counts& counts) {
  return out << counts.states << " states, " << counts.transitions << " transitions, " << counts.terminal
             << " terminal, " << counts.pruned << " pruned, depth " << counts.depth << ", impure "
             << counts.impure << ", misread " << counts.misread
             << (counts.exhausted ? "" : ", not exhausted");
}

template <class F>
class Walker {
 public:
  using Store = DirectStore<F>;
  using Value = WorldValue<F>;
  /// Called for each state when it is expanded; `terminal`: nothing follows it.
  using Visit = std::function<void(const Value&, bool terminal)>;

  Walker(const Cluster<F>& cluster, Value start, Options<F> options)
      : cluster_(cluster),
        start_(std::move(start)),
        options_(std::move(options)),
        store_(cluster),
        world_(cluster, store_, env_) {
    env_.costs = options_.costs;
  }
  Walker(const Walker&) = delete;

  Counts run(const Visit& visit = {}) {
    Counts counts;
    std::vector<Open> level;
    remember(start_, 0, 0, 0, level);
    while (!level.empty()) {
      std::vector<Open> next;
      for (const Open& open : level) expand(open, counts, visit, next);
      level = std::move(next);
      if (!level.empty()) ++counts.depth;
      if (origins_.size() > options_.max_states) {
        counts.exhausted = false;
        break;
      }
    }
    counts.states = origins_.size();
    return counts;
  }

  bool visited(const Value& value, std::uint64_t spent = 0) const {
    return numbers_.contains(fingerprint(value, spent));
  }

  /// The actions of a shortest path from the start to `value`, reconstructed by following it.
  std::vector<Action<F>> pathTo(const Value& value, std::uint64_t spent = 0) {
    std::vector<std::uint32_t> steps;
    for (std::uint32_t at = numbers_.at(fingerprint(value, spent)); at != 0; at = origins_[at].parent) {
      steps.push_back(origins_[at].action);
    }
    std::vector<Action<F>> path;
    store_.setValue(start_);
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      path.push_back(followed()[*step]);
      world_.apply(path.back());
    }
    return path;
  }

 private:
  struct Open {
    Value value;
    std::uint64_t spent = 0;
    std::uint32_t number = 0;
  };
  struct Origin {
    std::uint32_t parent = 0;
    std::uint32_t action = 0;  ///< which of the followed actions of the parent
  };

  /// The enabled actions of the present world that the walk follows.
  std::vector<Action<F>> followed() const {
    std::vector<Action<F>> actions;
    world_.enabled([&](const Action<F>& action) {
      if (!options_.explores || options_.explores(action)) actions.push_back(action);
    });
    return actions;
  }

  void expand(const Open& open, Counts& counts, const Visit& visit, std::vector<Open>& next) {
    const Value read_back = decode<Value>(encode(open.value));
    if (read_back != open.value) ++counts.misread;
    store_.setValue(open.value);
    const std::vector<Action<F>> actions = followed();
    if (visit) visit(open.value, actions.empty());
    if (actions.empty()) ++counts.terminal;
    for (std::uint32_t i = 0; i < actions.size(); ++i) {
      if (i > 0) store_.setValue(open.value);
      env_.spent = open.spent;
      world_.apply(actions[i]);
      const std::uint64_t spent = env_.spent;
      if (counts.transitions++ % options_.check_every == 0) {
        const Value once = store_.value();
        store_.setValue(read_back);
        world_.apply(actions[i]);
        if (store_.value() != once || encode(store_.value()) != encode(once)) ++counts.impure;
      }
      if (options_.costs && spent > options_.budget) {
        ++counts.pruned;
      } else {
        remember(store_.value(), spent, open.number, i, next);
      }
    }
  }

  void remember(const Value& value, std::uint64_t spent, std::uint32_t parent, std::uint32_t action,
                std::vector<Open>& next) {
    const auto number = static_cast<std::uint32_t>(origins_.size());
    if (!numbers_.emplace(fingerprint(value, spent), number).second) return;
    origins_.push_back({parent, action});
    next.push_back({value, spent, number});
  }

  const Cluster<F>& cluster_;
  Value start_;
  Options<F> options_;
  Store store_;
  NullEnvironment<F> env_;
  World<Store, NullEnvironment<F>> world_;
  boost::unordered_flat_map<Fingerprint, std::uint32_t> numbers_;
  std::vector<Origin> origins_;
};

// ---- elections of ZooKeeper

/// Servers 1, 2, ... whose logs end with these zxids, in one view.
Cluster<zab::Family> electionCluster(int servers, const zab::Rules& rules);
std::vector<zab::Durable> disksWith(const std::vector<zab::Zxid>& last);

/// The world just after all servers started. `connected`: election links are open from the start.
WorldValue<zab::Family> allStarted(const Cluster<zab::Family>& cluster,
                                   const std::vector<zab::Durable>& disks, bool connected);

/// The actions of an election alone: messages and dials of election links, and the end of the finalize wait.
bool isOfElection(const Action<zab::Family>& action);
/// A call of lookForLeader.
bool isLooking(const zab::Event& event);

/// Describes an action in a few characters: "2->3", "dial 2->3", "wait 2".
std::string words(const Action<zab::Family>& action);

extern template class Walker<zab::Family>;

}  // namespace zablab::walk
