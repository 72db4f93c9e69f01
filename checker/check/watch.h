// The monitors of a search. Their memory is parts of the tuple: one for each server, one for all. What an
// action shows of the server at which it happens follows from that server, its disk and the action alone, so
// its effect on a memory is looked up as well.
#pragma once

#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "checker/check/contract.h"
#include "checker/check/interned.h"
#include "checker/check/options.h"
#include "sim/idle.h"
#include "sim/world.h"

namespace zablab {

/// Passes on what happens at one server of a world in which nothing else matters.
class WatchEnvironment : public IdleEnvironment<Any> {
 public:
  static constexpr bool watches = true;
  explicit WatchEnvironment(const AnyCluster& cluster) : cluster_(cluster) {}
  AnyListener* listener = nullptr;
  int node = -1;

  void tell(const AnyHappened& happened) {
    if (listener != nullptr && happened.node == node) listener->on(happened);
  }
  void sent(Link link, int from, int to, const Value& message, SentHow how) {
    tellSent(link, from, cluster_.ids[static_cast<std::size_t>(to)], message, how);
  }
  void waiting(Link link, int from, int to, const Value& message) {
    sent(link, from, to, message, SentHow::waiting);
  }
  void sentInVain(Link link, int from, ServerId to, const Value& message, LossReason) {
    tellSent(link, from, to, message, SentHow::fresh);
  }

 private:
  void tellSent(Link link, int from, ServerId to, const Value& message, SentHow how) {
    tell({.kind = Kind::sent,
          .node = from,
          .link = link,
          .from = from,
          .to = to,
          .content = &message,
          .how = how});
  }
  const AnyCluster& cluster_;
};

/// The server at which an action happens; -1: it does not happen at a server.
template <class F>
int subjectOf(const Action<F>& action) {
  switch (action.kind) {
    case ActionKind::deliver:
    case ActionKind::overtake:
    case ActionKind::deliver_late: return action.b;
    case ActionKind::cut:
    case ActionKind::heal:
    case ActionKind::disrupt:
    case ActionKind::drop:
    case ActionKind::duplicate: return -1;
    default: return action.a;
  }
}

/// The monitors' memories and the results computed from them, shared by the threads of a search.
class Memories {
 public:
  struct OwnResult {
    std::uint32_t own = 0;
    InvariantMask violated = 0;
    bool touches_shared = false;
  };
  /// Where the memory of all mattered: to its own memory, too.
  struct SharedResult {
    std::uint32_t own = 0;
    std::uint32_t shared = 0;
    InvariantMask violated = 0;
  };

  explicit Memories(std::uint32_t values_max) : owns(values_max), shareds(values_max) {}

  /// As of Tables.
  void store(CheckpointWriter& file) const;
  void restore(CheckpointReader& file);

  Interned<Value> owns;
  Interned<Value> shareds;
  Memo unstepped;  ///< (server, action), and how a step was broken off
  Memo own;        ///< (what was done, disk, own memory)
  Memo wide;       ///< (what was done, disk), if the numbers do not fit into one key
  Memo shared;     ///< (shared memory, result of own)
  Results<OwnResult> own_results;
  Results<SharedResult> shared_results;
  std::atomic<std::uint32_t> numbers{1};

  void grow() {
    for (Memo* memo : {&unstepped, &own, &wide, &shared}) memo->grow();
  }
};

/// One thread's monitors.
class Watch {
 public:
  using Store = InternedStore;
  using Part = InternedStore::Part;

  Watch(const AnyCluster& cluster, const FamilyCheck& check, Memories& memories)
      : memories_(memories),
        monitors_(check.monitors(cluster)),
        of_monitors_(monitors_->obligations().size()),
        of_states_(check.stateInvariants().size()),
        environment_(cluster),
        direct_(cluster),
        world_(cluster, direct_, environment_),
        nothing_(direct_.value()) {
    environment_.listener = &monitors_->listener();
  }

  /// Lets the monitors see `action`, that led from the tuple `before` to the one in `store`, and puts their
  /// memories there. Returns what was violated.
  InvariantMask see(const Part* before, const NumberedAction& action, Store& store) {
    const int node = subjectOf(action);
    if (node < 0) return 0;
    const Layout& layout = store.layout();
    const std::uint32_t own = before[layout.own_at + node];
    const std::uint32_t shared = before[layout.shared_at];
    const std::uint64_t key = keyOf(done(before[node], action, store), before[layout.disks_at + node], own);
    std::optional<std::uint32_t> known = memories_.own.find(key);
    if (!known) {
      auto seen = watch(before, node, action, store);
      known =
          memories_.own_results.add({memories_.owns.number(seen.own), seen.violated, seen.touches_shared});
      memories_.own.note(key, *known);
    }
    const auto remember = [&](std::uint32_t memory) {
      store.part(layout.own_at + node) = memory;
      memories_.owns.prefetch(memory);
    };
    const auto& result = memories_.own_results[*known];
    if (!result.touches_shared) {
      remember(result.own);
      return result.violated;
    }

    const std::uint64_t shared_key = std::uint64_t{*known} << 32 | (shared + 1);
    std::optional<std::uint32_t> together = memories_.shared.find(shared_key);
    if (!together) {
      auto seen = watch(before, node, action, store);
      together = memories_.shared_results.add(
          {memories_.owns.number(seen.own), memories_.shareds.number(seen.shared), seen.violated});
      memories_.shared.note(shared_key, *together);
    }
    const auto& both = memories_.shared_results[*together];
    remember(both.own);
    store.part(layout.shared_at) = both.shared;
    return both.violated;
  }

  SearchMonitors& monitors() { return *monitors_; }

  /// What the state in `store` violates by itself.
  InvariantMask judge(const Store& store) {
    if (of_states_.empty()) return 0;
    const StateVerdict verdict = monitors_->judge(store);
    for (InvariantMask left = verdict.judged; left != 0; left &= left - 1)
      ++of_states_[static_cast<std::size_t>(std::countr_zero(left))];
    return verdict.violated << of_monitors_;
  }

  /// How often each invariant compared something, in steps that were not looked up: those of the monitors,
  /// and then those that states show.
  std::vector<std::uint64_t> obligations() const {
    std::vector<std::uint64_t> all = monitors_->obligations();
    all.insert(all.end(), of_states_.begin(), of_states_.end());
    return all;
  }

 private:
  /// The parts of an action without a node's step that matter to the monitors.
  static std::uint32_t keyOf(const NumberedAction& action) {
    return Store::packed(Store::first_free_kind + (action.in_flight ? 1 : 0),
                         static_cast<std::uint64_t>(action.kind) << 20 | action.unsynced);
  }
  static std::uint64_t keyOf(const CrashPoint& dies) {
    return std::uint64_t{dies.write} << 8 | static_cast<std::uint64_t>(dies.at) << 1 |
           (dies.power_loss ? 1 : 0);
  }
  /// A number for what was done at a server: that of its step, which is computed once, or a separate one for
  /// actions that step no node and for steps that were broken off.
  std::uint32_t done(std::uint32_t server, const NumberedAction& action, const Store& store) {
    if (store.lastInput() == 0) {
      return no_step | numberOf(memories_.unstepped, std::uint64_t{server} << 32 | keyOf(action));
    }
    if (action.dies.write == 0) return store.lastRan();
    return no_step | numberOf(memories_.unstepped,
                              1ULL << 63 | std::uint64_t{store.lastRan()} << 16 | keyOf(action.dies));
  }
  std::uint64_t keyOf(std::uint32_t done, std::uint32_t disk, std::uint32_t own) {
    const std::uint64_t number = done & ~no_step;
    if (number < 1U << 25 && disk < 1U << 15 && own + 1 < 1U << 22) {
      return std::uint64_t{done >> 31} << 62 | number << 37 | std::uint64_t{disk} << 22 | (own + 1);
    }
    const std::uint32_t both = numberOf(memories_.wide, std::uint64_t{done} << 32 | disk);
    return 1ULL << 63 | std::uint64_t{both} << 32 | (own + 1);
  }
  std::uint32_t numberOf(Memo& memo, std::uint64_t key) {
    if (const auto known = memo.find(key)) return *known;
    const std::uint32_t number = memories_.numbers.fetch_add(1);
    memo.note(key, number);
    return number;
  }

  /// Does the action again, on values, in a world with nothing but its server and what it reads.
  SearchMonitors::Seen watch(const Part* before, int node, const NumberedAction& action, const Store& store) {
    const Tables& tables = store.tables();
    const Layout& layout = store.layout();
    WorldValue<Any> value = nothing_;
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    value.servers[at(node)] = tables.servers[before[node]];
    value.disks[at(node)] = tables.disks[before[layout.disks_at + node]];
    Action<Any> here = tables.valueOf(action);
    here.position = 0;
    const auto reads = [&]() -> const auto& {
      return tables.channels[before[layout.channel(action.link, action.a, action.b)]];
    };
    const auto brings = [&]() -> auto& {
      return value.channels[at(layout.channel(action.link, action.a, action.b) - layout.channels_at)];
    };
    if (action.kind == ActionKind::deliver) {
      brings().wire = {reads().wire[action.position]};
    } else if (action.kind == ActionKind::overtake) {
      here.kind = ActionKind::deliver;
      brings().wire = {reads().wire[reads().nextConnection()]};
    } else if (action.kind == ActionKind::deliver_late) {
      brings().late = {reads().late.front()};
    } else if (action.kind == ActionKind::dial || action.kind == ActionKind::own) {
      value.servers[at(action.b)] = tables.servers[before[action.b]];
      value.disks[at(action.b)] = tables.disks[before[layout.disks_at + action.b]];
    } else if (action.kind == ActionKind::fire) {
      // Whether its messages wait to be sent is part of the input (Fired::undelivered).
      for (int i = layout.channels_at; i < layout.relations_at; ++i) {
        value.channels[at(i - layout.channels_at)] = tables.channels[before[i]];
      }
      value.network = store.networkOf(before);
    }
    direct_.setValue(std::move(value));
    environment_.node = node;
    monitors_->begin(node, memories_.owns[before[layout.own_at + node]],
                     memories_.shareds[before[layout.shared_at]]);
    world_.apply(here);
    return monitors_->end();
  }

  static constexpr std::uint32_t no_step = 1U << 31;

  Memories& memories_;
  std::unique_ptr<SearchMonitors> monitors_;
  std::size_t of_monitors_;  ///< the number of their invariants
  std::vector<std::uint64_t> of_states_;
  WatchEnvironment environment_;
  DirectStore<Any> direct_;
  World<DirectStore<Any>, WatchEnvironment> world_;
  WorldValue<Any> nothing_;
};

}  // namespace zablab
