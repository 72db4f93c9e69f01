// One thread of a search: it takes a state, performs each of its moves, and keeps the new states.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "checker/check/moves.h"
#include "checker/check/options.h"
#include "checker/check/ranks.h"
#include "checker/check/states.h"
#include "checker/check/watch.h"

namespace zablab {

/// A state that a search looks for: conditions on some servers.
struct Sought {
  std::string name;
  bool never = false;                                                          ///< meeting it ends the search
  std::vector<std::pair<int, std::function<bool(const Server<Any>&)>>> parts;  ///< by index of a server
};

/// A transition that violates something.
struct Violation {
  InvariantMask invariants = 0;
  std::uint64_t print = 0;  ///< of the state in which it becomes visible
  std::uint32_t parent = 0;
  std::uint16_t move = 0;
  bool operator<(const Violation& other) const {
    return std::pair(print, move) < std::pair(other.print, other.move);
  }
  BOOST_DESCRIBE_CLASS(Violation, (), (invariants, print, parent, move), (), ())
};

/// The place at which a sought state was first met.
struct Met {
  std::uint64_t depth = 0;
  std::uint64_t print = 0;
  std::uint32_t ordinal = 0;
  BOOST_DESCRIBE_CLASS(Met, (), (depth, print, ordinal), (), ())
};

/// A cut of both directions, or healing them: the same action happens in the other direction, too.
inline bool isBothWays(const Move& move) {
  return move.action.kind == ActionKind::heal ||
         (move.action.kind == ActionKind::cut && move.spends != Budget::one_way_cuts);
}

/// A sought state, and for each of its parts what is known about servers' values, by number: 1 no, 2 yes.
struct Looking {
  Looking(Sought of, std::uint32_t numbers) : sought(std::move(of)) {
    for (std::size_t i = 0; i < sought.parts.size(); ++i) known.emplace_back(numbers);
  }
  bool matches(const InternedStore::Part* tuple, const Tables& tables) {
    for (std::size_t i = 0; i < sought.parts.size(); ++i) {
      if (!meets(i, tuple, tables)) return false;
    }
    return true;
  }
  /// How many of the conditions the state does not meet.
  std::size_t distance(const InternedStore::Part* tuple, const Tables& tables) {
    std::size_t unmet = 0;
    for (std::size_t i = 0; i < sought.parts.size(); ++i) unmet += meets(i, tuple, tables) ? 0 : 1;
    return unmet;
  }
  bool meets(std::size_t part, const InternedStore::Part* tuple, const Tables& tables) {
    const auto number = tuple[sought.parts[part].first];
    std::atomic<std::uint8_t>& matched = known[part][number];
    if (matched == 0) matched = sought.parts[part].second(tables.servers[number]) ? 2 : 1;
    return matched == 2;
  }
  Sought sought;
  std::vector<PageArray<std::atomic<std::uint8_t>>> known;
  std::optional<Met> met;
};

/// How many states there would be without a kind of component.
struct Projection {
  std::string without;
  int from = 0;
  int to = 0;
  FingerprintSet set;
  std::atomic<std::uint64_t> states{0};
  Projection(std::string name, int begin, int end) : without(std::move(name)), from(begin), to(end) {}
  void count(std::uint64_t print) {
    if (set.insert(print)) states.fetch_add(1, std::memory_order_relaxed);
  }
};

/// What the threads of a search share.
struct Shared {
  Shared(const AnyCluster& of, const FamilyCheck& by, const Limits& within, const SearchOptions& how,
         const WorldValue<Any>& from, std::vector<Sought> goals)
      : cluster(of),
        check(by),
        limits(within),
        options(how),
        start(from),
        tables(of, by, numbersFor(how.memory_max)),
        memories(numbersFor(how.memory_max)),
        origins(how.scratch, how.memory_max) {
    for (auto& one : goals)
      sought.push_back(std::make_unique<Looking>(std::move(one), numbersFor(how.memory_max)));
    const Layout& layout = tables.layout();
    if (options.exact) {
      const auto words = static_cast<std::size_t>(layout.size);
      exact =
          std::make_unique<ExactSet>(words, std::min(options.memory_max / 4 / (words + 2), origins.max()));
    }
    if (!options.project) return;
    projections.emplace_back("servers", 0, layout.disks_at);
    projections.emplace_back("disks", layout.disks_at, layout.own_at);
    projections.emplace_back("monitors", layout.own_at, layout.channels_at);
    for (Link link = 0; link < layout.links; ++link) {
      projections.emplace_back("channels, " + std::string(cluster.nodes->links()[link].name),
                               layout.channel(link, 0, 0), layout.channel(static_cast<Link>(link + 1), 0, 0));
    }
    projections.emplace_back("connections", layout.relations_at, layout.spent_at);
    projections.emplace_back("budgets", layout.spent_at, layout.size);
  }

  void stop(const char* reason) {
    const std::lock_guard lock(mutex);
    if (stopped) return;
    stop_reason = reason;
    stopped = true;
  }

  const AnyCluster& cluster;
  const FamilyCheck& check;
  const Limits& limits;
  const SearchOptions options;
  const WorldValue<Any> start;
  Tables tables;
  Memories memories;
  FingerprintSet set;
  std::unique_ptr<ExactSet> exact;  ///< instead of the set of fingerprints, if requested
  Origins origins;
  std::atomic<std::uint64_t> next_ordinal{1};
  /// Ordinals that the set has room for. A full set would look for a free slot forever.
  std::uint64_t room = ~std::uint64_t{0};
  /// If there is a directory for them: the present level, and the next.
  std::array<std::unique_ptr<ScratchFile>, 2> waiting;
  std::vector<std::unique_ptr<Looking>> sought;
  std::deque<Projection> projections;
  /// If set, it is called for every transition: the tuple before and the store after. With one thread.
  std::function<void(const InternedStore::Part* before, const InternedStore& after)> witness;
  std::atomic<bool> stopped{false};
  std::atomic<bool> incomplete{
      false};  ///< successors of a state were not stored: no process can go on from here
  std::string stop_reason;
  std::mutex mutex;
};

/// One thread of a search.
struct Worker {
  using Store = InternedStore;
  using Part = InternedStore::Part;

  explicit Worker(Shared& of)
      : shared(of),
        store(of.tables),
        world(of.cluster, store, environment),
        watch(of.cluster, of.check, of.memories),
        moves(of.check.moves(of.tables, of.limits, world, store)),
        layout(store.layout()),
        guards(of.check.guards()),
        asks_world(of.cluster.nodes->asksWorld()),
        has_consequences(moves->hasConsequences()),
        watches(of.check.hasMonitors() && of.options.monitors),
        judges(of.options.monitors) {
    store.setMemoryHashes(of.memories.owns.hashes(), of.memories.shareds.hashes());
  }

  // ---- the start
  void putStart() {
    if (!start.empty()) return store.load(start.data());
    store.setValue(shared.start);
    auto& monitors = watch.monitors();
    const auto [owns, common] = monitors.memoriesOf(shared.start);
    for (int i = 0; i < layout.servers; ++i) {
      store.part(layout.own_at + i) = shared.memories.owns.number(owns[static_cast<std::size_t>(i)]);
    }
    store.part(layout.shared_at) = shared.memories.shareds.number(common);
    Spent spent;
    for (int i = 0; i < shared.cluster.serverCount(); ++i) {
      if (guards.elections && store.isUp(i) && (store.says(i) & guards.settled) == 0) spent.noteLooked(i);
    }
    store.setSpent(spent);
    start_print = store.fingerprint();
    start.assign(store.tuple(), store.tuple() + layout.size);
  }

  // ---- one level
  void expandBlock(Block& block) {
    if (shared.waiting[0]) block.open(*shared.waiting[0]);
    for (std::size_t i = 0; i < block.count(); ++i) expandState(block.at(i, current.data()));
    flush();
    shown.store(counts.distinct, std::memory_order_relaxed);
  }

  /// What can happen in the state in the store, except steps that break off.
  void listMoves() {
    followers.clear();
    if (isAwaited()) return moves->listAnswers(store.spent(), followers);
    moves->list(store.spent(), followers);
  }
  void expandState(const Waiting& state) {
    const Part* const tuple = state.tuple;
    depth = state.depth + 1;
    store.load(tuple);
    listMoves();
    if (followers.empty()) ++counts.terminal;
    const std::size_t whole = followers.size();
    for (std::size_t k = 0; k < followers.size(); ++k) {
      if (k > 0) store.reload(tuple);
      ++counts.generated;
      ++kinds[static_cast<std::size_t>(followers[k].action.kind)];
      InvariantMask violated = 0;
      if (!perform(tuple, followers[k], violated)) {
        ++counts.pruned;
        continue;
      }
      if (k < whole) listEnds(store.spentIn(tuple), k);
      const std::uint64_t after = store.fingerprint(tuple, state.print);
      violated &= shared.options.invariants;
      if (shared.witness) shared.witness(tuple, store);
      const auto which = static_cast<std::uint16_t>(k);
      if (violated != 0) violations.push_back({violated, after, state.ordinal, which});
      if (isRecent(after)) continue;
      if constexpr (has_ranks) {
        if (exchange != nullptr && !exchange->isOwn(after)) {
          exchange->put({after, state.ordinal, which}, store.tuple());
          continue;
        }
      }
      put({after, state.ordinal, which, ownRank()}, store.tuple());
    }
    followers_most = std::max<std::uint64_t>(followers_most, followers.size());
  }

  /// Adds the ways in which the k-th move, just done, can be broken off by the end of the process that steps.
  void listEnds(Spent spent, std::size_t k) {
    if (points == nullptr || spent.of(Budget::crashes) >= shared.limits.of(Budget::crashes)) return;
    for (const CrashPoint& point : *points) {
      for (const Ends how : shared.limits.ends) {
        if (how == Ends::partial_power_loss) continue;  // only between steps
        Move broken_off = followers[k];
        broken_off.action.dies = point;
        broken_off.action.dies.power_loss = how == Ends::power_loss;
        broken_off.action.in_flight = how == Ends::kill;
        followers.push_back(broken_off);
      }
    }
  }
  /// Performs each of the moves of the state `tuple` to learn where they can break off.
  void listAllEnds(const Part* tuple) {
    const std::size_t whole = followers.size();
    for (std::size_t k = 0; k < whole; ++k) {
      store.load(tuple);
      InvariantMask violated = 0;
      if (perform(tuple, followers[k], violated)) listEnds(store.spentIn(tuple), k);
    }
    store.load(tuple);
  }

  /// Whether a server is to receive an answer before anything else.
  bool isAwaited() const { return asks_world && moves->isAwaited(); }
  /// Performs the move in the store, with what happens immediately after it. False: it exceeds the budget of
  /// elections.
  bool perform(const Part* before, const Move& move, InvariantMask& violated,
               std::vector<NumberedAction>* done = nullptr) {
    if (move.spends) spend(*move.spends, move.action);
    if (move.action.dies.write != 0) spend(Budget::crashes, move.action);
    if (!act(before, move.action, violated, done)) return false;
    points = shared.limits.ends_inside_steps && !store.crashPoints().empty() ? &store.crashPoints() : nullptr;
    if (isBothWays(move)) {
      NumberedAction back = move.action;
      std::swap(back.a, back.b);
      world.apply(back);
      if (done != nullptr) done->push_back(back);
    }
    if (!has_consequences) return true;
    while (!isAwaited()) {
      const auto next_one = moves->consequence();
      if (!next_one) break;
      std::copy_n(store.tuple(), layout.size, between.begin());
      if (!act(between.data(), *next_one, violated, done)) return false;
    }
    return true;
  }
  bool act(const Part* before, const NumberedAction& action, InvariantMask& violated,
           std::vector<NumberedAction>* done) {
    store.forgetInput();
    world.apply(action);
    if (done != nullptr) done->push_back(action);
    if (const std::uint32_t looks = store.takeLooks(); looks != 0 && !look(subjectOf(action), looks))
      return false;
    if (watches) violated |= watch.see(before, action, store);
    if (judges) violated |= watch.judge(store);
    return true;
  }
  bool look(int server, std::uint32_t looks) {
    Spent spent = store.spent();
    if (!spent.hasLooked(server)) {
      spent.noteLooked(server);
      --looks;
    }
    if (spent.of(Budget::elections) + looks > shared.limits.of(Budget::elections)) return false;
    spent.spend(Budget::elections, looks);
    store.setSpent(spent);
    return true;
  }
  void spend(Budget budget, const NumberedAction& action) {
    Spent spent = store.spent();
    if (budget == Budget::asked && shared.limits.asks_order == AskOrder::per_client) {
      spent.noteAsked(action.a - shared.cluster.serverCount());
    } else {
      spent.spend(budget);
    }
    store.setSpent(spent);
  }

  // ---- successors, known or new
  /// Many paths to a state pass through states that are near each other: a look-up in this thread's own
  /// memory saves one in the set. Only for fingerprints, of which only equality matters.
  bool isRecent(std::uint64_t print) {
    if (shared.exact || print == 0) return false;
    std::uint64_t& there = recent[print >> (64 - recent_bits)];
    if (there == print) return true;
    there = print;
    return false;
  }
  struct Generated {
    std::uint64_t print;
    std::uint32_t parent;
    std::uint16_t move;
    std::uint16_t rank;  ///< that has the parent
  };
  std::uint16_t ownRank() const {
    return exchange == nullptr ? std::uint16_t{0} : static_cast<std::uint16_t>(exchange->own());
  }
  /// Generated states wait in batches: the set's memory is prefetched when a batch is full, for the whole
  /// batch, and used when the next one is full.
  struct Batch {
    explicit Batch(int words) : tuples(size_max * static_cast<std::size_t>(words)) {}
    static constexpr std::size_t size_max = 64;
    std::vector<Generated> waiting;
    std::vector<Part> tuples;
  };
  void put(const Generated& generated, const Part* tuple) {
    std::memcpy(batch.tuples.data() + batch.waiting.size() * static_cast<std::size_t>(layout.size), tuple,
                static_cast<std::size_t>(layout.size) * sizeof(Part));
    batch.waiting.push_back(generated);
    if (batch.waiting.size() < Batch::size_max) return;
    for (const Generated& one : batch.waiting)
      shared.exact ? shared.exact->prefetch(one.print) : shared.set.prefetch(one.print);
    insert(batch_before);
    std::swap(batch, batch_before);
  }
  void flush() {
    insert(batch_before);
    insert(batch);
  }
  void insert(Batch& of) {
    for (std::size_t i = 0; i < of.waiting.size(); ++i) {
      const Generated& one = of.waiting[i];
      const Part* const tuple = of.tuples.data() + i * static_cast<std::size_t>(layout.size);
      if (ordinals_left == 0 && !takeOrdinals()) {
        shared.incomplete = true;
        break;
      }
      if (!shared.exact && !shared.set.insert(one.print)) continue;
      const std::uint32_t number = takeOrdinal();
      if (shared.exact && !shared.exact->insert(one.print, tuple, number)) {
        giveBackOrdinal();
        if (shared.exact->isFull(number)) shared.stop("memory");
        continue;
      }
      ++counts.distinct;
      origins.emplace_back(one.parent, one.move);
      if (exchange != nullptr) exchange->parents.push_back(one.rank);
      put(tuple, one.print, number);
      if (!shared.sought.empty()) seek(tuple, one.print, number);
      for (Projection& projection : shared.projections)
        projection.count(store.fingerprintWithout(tuple, projection.from, projection.to));
    }
    of.waiting.clear();
  }
  void put(const Part* tuple, std::uint64_t print, std::uint32_t number) {
    auto& to = towards == nullptr ? next : ranked[towards->distance(tuple, shared.tables)];
    if (to.empty() || to.back().isFull()) {
      if (!to.empty() && !to.back().close(shared.waiting[1].get())) {
        shared.incomplete = true;
        shared.stop("disk");
      }
      to.emplace_back(static_cast<std::size_t>(layout.size));
    }
    to.back().add({tuple, print, number, depth});
  }
  void seek(const Part* tuple, std::uint64_t print, std::uint32_t number) {
    for (std::size_t i = 0; i < shared.sought.size(); ++i) {
      Looking& looking = *shared.sought[i];
      if (!looking.met && looking.matches(tuple, shared.tables)) found.push_back({i, {depth, print, number}});
    }
  }
  /// Returns false, and the search stops, if there is no room for more states.
  bool takeOrdinals() {
    if (shared.next_ordinal + ordinals_taken > shared.room) {
      shared.stop("memory");
      return false;
    }
    putOrigins();
    free_ordinal = static_cast<std::uint32_t>(shared.next_ordinal.fetch_add(ordinals_taken));
    ordinals_left = ordinals_taken;
    return true;
  }
  std::uint32_t takeOrdinal() {
    --ordinals_left;
    return free_ordinal++;
  }
  void giveBackOrdinal() {
    ++ordinals_left;
    --free_ordinal;
  }
  /// The origins of the ordinals before the free one.
  void putOrigins() {
    const auto first = static_cast<std::uint32_t>(free_ordinal - origins.size());
    if (!origins.empty() && !shared.origins.put(first, origins)) {
      shared.incomplete = true;
      shared.stop("disk");
    }
    origins.clear();
  }

  /// The actions of a path, followed from the start.
  std::vector<Action<Any>> follow(const std::vector<std::uint16_t>& way) {
    putStart();
    std::vector<NumberedAction> done;
    std::vector<Part> before(static_cast<std::size_t>(layout.size));
    for (const std::uint16_t step : way) {
      std::copy_n(store.tuple(), layout.size, before.begin());
      listMoves();
      if (step >= followers.size()) listAllEnds(before.data());
      InvariantMask violated = 0;
      perform(before.data(), followers[step], violated, &done);
    }
    std::vector<Action<Any>> actions;
    for (const NumberedAction& action : done) actions.push_back(shared.tables.valueOf(action));
    return actions;
  }

  static constexpr unsigned recent_bits = 15;
  static constexpr std::uint32_t ordinals_taken = 1024;

  Shared& shared;
  IdleEnvironment<Numbers> environment;
  Store store;
  SearchWorld world;
  Watch watch;
  std::unique_ptr<Moves> moves;
  const Layout& layout;
  const Guards guards;
  const bool asks_world;
  const bool has_consequences;
  const bool watches;
  const bool judges;
  std::vector<Part> start;  ///< the tuple with which a search begins
  std::uint64_t start_print = 0;
  std::vector<Move> followers;
  std::uint64_t followers_most = 0;                 ///< largest number so far for any state
  const std::vector<CrashPoint>* points = nullptr;  ///< of the move that was done last, if there are any
  std::vector<Part> current = std::vector<Part>(static_cast<std::size_t>(layout.size));
  std::vector<Part> between = std::vector<Part>(static_cast<std::size_t>(layout.size));
  Batch batch{layout.size};
  Batch batch_before{layout.size};
  std::vector<std::uint64_t> recent = std::vector<std::uint64_t>(std::size_t{1} << recent_bits);
  std::vector<Block> next;
  StateExchange* exchange = nullptr;       ///< with other ranks
  Looking* towards = nullptr;              ///< if set, states wait in `ranked` instead
  std::vector<std::vector<Block>> ranked;  ///< by their distance
  std::uint32_t depth = 0;  ///< of the generated states
  std::vector<std::pair<std::size_t, Met>> found;
  std::atomic<std::uint64_t> shown{0};  ///< distinct states of this level so far
  std::vector<Origin> origins;          ///< of the last ordinals, if they are not stored yet
  std::uint32_t free_ordinal = 0;
  std::uint32_t ordinals_left = 0;
  std::vector<Violation> violations;
  SearchCounts counts;
  std::array<std::uint64_t, 32> kinds{};
};

}  // namespace zablab
