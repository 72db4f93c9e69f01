// Explores every state that a model's bounds allow.
//
// Breadth first, level by level: all threads take states of the present level and put their successors into
// the next; a level is finished before anything is decided, so that counts, verdict and the length of a
// counterexample do not depend on the number of threads. For each state the search keeps its fingerprint and,
// by its ordinal, its parent's ordinal and the number of the parent's move that led to it: a path is
// reconstructed by following it from the beginning.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "checker/check/checkpoint.h"
#include "checker/check/worker.h"
#include "sim/nodes.h"

namespace zablab {

/// The search of one model: `cluster`, `check` and `limits` outlive it.
class Search {
 public:
  using Store = InternedStore;
  using Part = InternedStore::Part;

  using Progress = std::function<void(const SearchCounts&)>;

  Search(const AnyCluster& cluster, const FamilyCheck& check, const Limits& limits,
         const SearchOptions& options, const WorldValue<Any>& start, std::vector<Sought> sought = {})
      : shared_(cluster, check, limits, options, start, std::move(sought)) {
    for (unsigned i = 0; i < std::max(1U, options_.threads); ++i)
      workers_.push_back(std::make_unique<Worker>(shared_));
    if (options_.clock) began_ = options_.clock();
    if constexpr (has_ranks) {
      if (options_.ranks != nullptr) beginAcrossRanks();
    }
  }
  Search(const Search&) = delete;

  /// Breadth first. `progress` is called between levels and occasionally within one.
  SearchCounts breadthFirst(Progress progress = {}) {
    progress_ = std::move(progress);
    if (!options_.scratch.empty()) {
      for (auto& file : shared_.waiting) file = std::make_unique<ScratchFile>(options_.scratch);
    }
    if constexpr (has_ranks) {
      if (exchange_) return acrossRanks();
    }
    Level level = startLevel();
    if constexpr (has_checkpoints) {
      if (keepsCheckpoints() && load(level)) limit();
      if (level.empty()) nextLevel(level);
    }
    while (!level.empty() && counts_.stopped_by.empty()) {
      expand(level);
      if (shared_.stopped && keepsCheckpoints()) saveNow(level, false);
      level.clear();
      nextLevel(level);
      if (!counts_.stopped_by.empty()) continue;
      limit();
      if (!counts_.stopped_by.empty() && keepsCheckpoints()) saveNow(level, true);
    }
    counts_.exhausted = level.empty() && counts_.stopped_by.empty();
    return counts_;
  }

  /// Depth first, with one thread: the states met last are expanded first. It finds the same states, with
  /// less memory for those that wait; a counterexample is not the shortest.
  SearchCounts depthFirst(Progress progress = {}) {
    Level level = startLevel();
    Worker& worker = *workers_.front();
    worker.next = std::move(level);
    return lastFirst(std::move(progress),
                     [&]() -> Level* { return worker.next.empty() ? nullptr : &worker.next; });
  }

  /// Of the states that wait, first the last of those that meet the most conditions of this sought state; it
  /// ends when that is met. With one thread. It finds the same states; a way is not the shortest.
  SearchCounts towards(std::size_t sought, Progress progress = {}) {
    Worker& worker = *workers_.front();
    worker.towards = shared_.sought[sought].get();
    worker.ranked.resize(worker.towards->sought.parts.size() + 1);
    startLevel();
    return lastFirst(std::move(progress), [&]() -> Level* {
      if (worker.towards->met) counts_.stopped_by = "goal";
      const auto level = std::find_if(worker.ranked.begin(), worker.ranked.end(),
                                      [](const Level& of) { return !of.empty(); });
      return worker.towards->met || level == worker.ranked.end() ? nullptr : &*level;
    });
  }

  /// Paths drawn at random from `seed`, each of at most `depth` moves, until something stops the search.
  SearchCounts randomWalks(std::uint64_t seed, std::uint64_t depth, Progress progress = {}) {
    progress_ = std::move(progress);
    Worker& worker = *workers_.front();
    startLevel();
    for (std::uint64_t walk = 0; counts_.stopped_by.empty(); ++walk) {
      if (!makeRoom(depth)) collect(nullptr);
      std::vector<std::uint16_t> way;
      worker.putStart();
      std::vector<Part> before(static_cast<std::size_t>(shared_.tables.layout().size));
      std::uint64_t print = worker.start_print;
      InvariantMask violated = 0;
      while (way.size() < depth && violated == 0) {
        std::copy_n(worker.store.tuple(), before.size(), before.begin());
        worker.listMoves();
        worker.listAllEnds(before.data());
        if (worker.followers.empty()) break;
        const std::uint64_t draw = mix64(seed ^ mix64(walk * 1'000'003 + way.size()));
        const auto which = static_cast<std::uint16_t>(draw % worker.followers.size());
        ++worker.counts.generated;
        if (!worker.perform(before.data(), worker.followers[which], violated)) break;
        way.push_back(which);
        violated &= options_.invariants;
        print = worker.store.fingerprint(before.data(), print);
        if (shared_.set.insert(print)) ++worker.counts.distinct;
      }
      counts_.depth = std::max<std::uint64_t>(counts_.depth, way.size());
      if (violated != 0) {
        walked_ = {violated, way};
        counts_.stopped_by = "violation";
      }
      if (walk % 256 == 0) {
        shared_.tables.grow();
        shared_.memories.grow();
        checkLimits();
      }
      collect(nullptr);
      if (counts_.stopped_by.empty() && options_.states_max > 0 && counts_.distinct >= options_.states_max)
        limit();
    }
    return counts_;
  }

  const std::deque<Projection>& projections() const { return shared_.projections; }

  /// The first violation, the least one if there are several: the invariants, and the actions that lead
  /// there.
  std::optional<std::pair<InvariantMask, std::vector<Action<Any>>>> counterexample() {
    if (walked_) return std::pair(walked_->first, workers_.front()->follow(walked_->second));
    if (violations_.empty()) return std::nullopt;
    const Violation least = *std::min_element(violations_.begin(), violations_.end());
    if constexpr (has_ranks) {
      if (exchange_) {
        std::vector<StepOfRank> steps = wayAcrossRanks({violation_rank_, least.parent});
        steps.push_back({violation_rank_, least.move});
        return std::pair(least.invariants, followAcrossRanks(steps));
      }
    }
    std::vector<std::uint16_t> way = wayTo(least.parent);
    way.push_back(least.move);
    return std::pair(least.invariants, workers_.front()->follow(way));
  }
  /// The place at which a sought state was first met, and the actions that lead there.
  std::optional<Met> met(std::size_t sought) const { return shared_.sought[sought]->met; }
  std::vector<Action<Any>> wayToMet(std::size_t sought) {
    if constexpr (has_ranks) {
      if (exchange_)
        return followAcrossRanks(wayAcrossRanks({met_ranks_[sought], shared_.sought[sought]->met->ordinal}));
    }
    return workers_.front()->follow(wayTo(shared_.sought[sought]->met->ordinal));
  }

  /// Sets the function that is called for every transition: the tuple before and the store after. With one
  /// thread.
  void setWitness(std::function<void(const Part* before, const Store& after)> witness) {
    shared_.witness = std::move(witness);
  }

  Tables& tables() { return shared_.tables; }
  Memories& memories() { return shared_.memories; }
  const SearchCounts& counts() const { return counts_; }
  /// The number of states with which it went on from a checkpoint, and how long it took to find these, ms.
  std::uint64_t resumed() const { return resumed_; }
  std::uint64_t earlier() const { return earlier_; }
  const FingerprintSet& set() const { return shared_.set; }
  /// The number of bytes that it keeps in memory now; of ranks, all of them.
  std::uint64_t bytesInMemory() const { return exchange_ ? bytes_of_ranks_ : residentBytes(); }
  /// What ranks have sent each other: states, and bytes.
  std::pair<std::uint64_t, std::uint64_t> sent() const { return sent_; }
  /// The number of bytes that it keeps in files now.
  std::uint64_t bytesOnDisk() const {
    std::uint64_t bytes = shared_.origins.bytesOnDisk();
    for (const auto& file : shared_.waiting) bytes += file ? file->bytes() : 0;
    return bytes;
  }
  std::vector<std::uint64_t> obligations() const {
    std::vector<std::uint64_t> sums = earlier_obligations_;
    if (exchange_) return sums;  // of all ranks
    for (const auto& worker : workers_) {
      const auto& more = worker->watch.obligations();
      sums.resize(more.size());
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += more[k];
    }
    return sums;
  }

 private:
  using Level = std::vector<Block>;

  /// Expands the state that waits last in the level that `level_of` chooses, again and again; null: none
  /// waits.
  template <class LevelOf>
  SearchCounts lastFirst(Progress progress, LevelOf&& level_of) {
    progress_ = std::move(progress);
    Worker& worker = *workers_.front();
    std::uint64_t since = 0;
    Level* level = level_of();
    for (; level != nullptr && counts_.stopped_by.empty(); level = level_of()) {
      Block& last = level->back();
      if (last.count() == 0) {
        level->pop_back();
        continue;
      }
      const Waiting state = last.at(last.count() - 1, worker.current.data());
      last.removeLast();
      counts_.depth = std::max<std::uint64_t>(counts_.depth, state.depth);
      if (!makeRoom(65'536)) break;
      worker.expandState(state);
      worker.flush();
      if (++since % 4096 == 0) {
        shared_.tables.grow();
        shared_.memories.grow();
        checkLimits();
        collect(nullptr);
        if (counts_.stopped_by.empty()) limit();
      }
      if (!worker.violations.empty() || (worker.towards != nullptr && !worker.found.empty()))
        collect(nullptr);
    }
    counts_.exhausted = level == nullptr && counts_.stopped_by.empty() && !shared_.stopped;
    collect(nullptr);
    counts_.frontier = 0;
    return counts_;
  }

  Level startLevel() {
    Worker& first = *workers_.front();
    first.putStart();
    counts_.distinct = 1;
    if (shared_.exact) {
      shared_.exact->insert(first.start_print, first.store.tuple(), 0);
    } else {
      shared_.set.insert(first.start_print);
    }
    for (Projection& projection : shared_.projections)
      projection.count(first.store.fingerprintWithout(first.store.tuple(), projection.from, projection.to));
    first.put(first.store.tuple(), first.start_print, 0);
    first.seek(first.store.tuple(), first.start_print, 0);
    Level level = std::move(first.next);
    first.next.clear();
    return level;
  }

  /// What the workers have put into the next level becomes the present one.
  void nextLevel(Level& level) {
    collect(&level);
    shared_.waiting[0].swap(shared_.waiting[1]);
    if (shared_.waiting[1]) shared_.waiting[1]->clear();
    if (!level.empty()) ++counts_.depth;
  }

  // ---- with other processes (ranks.cc): all of them call these, in the same order
  struct PlaceInRank {
    std::uint16_t rank = 0;
    std::uint32_t ordinal = 0;
  };
  /// A move from a state that this rank has.
  struct StepOfRank {
    std::uint16_t rank = 0;
    std::uint16_t move = 0;
  };
  void beginAcrossRanks();
  SearchCounts acrossRanks();
  void expandAcrossRanks(Level& level);
  /// Adds up what the ranks have counted and found in a level; takes this rank's states of the next.
  void collectAcrossRanks(Level& level);
  std::vector<StepOfRank> wayAcrossRanks(PlaceInRank place);
  std::vector<Action<Any>> followAcrossRanks(const std::vector<StepOfRank>& way);
  std::uint64_t ownStates() const { return exchange_ ? own_states_ : counts_.distinct; }

  // ---- checkpoints (checkpoint.cc)
  bool keepsCheckpoints() const { return !options_.checkpoint.directory.empty(); }
  /// Stores how far the search is; the states of `level` that are not discarded are still to be processed. No
  /// other thread may be working.
  void saveNow(const Level& level, bool between_levels) {
    collectCounts();
    if constexpr (has_checkpoints) save(level, between_levels);
  }
  void save(const Level& level, bool between_levels);
  /// Goes on from what was stored, if anything. True: a level had just been finished.
  bool load(Level& level);
  static void store(CheckpointWriter& file, const Level& blocks, const ScratchFile* scratch);
  void restore(CheckpointReader& file, Level& blocks, ScratchFile* scratch);

  /// Makes room for this many more states; returns false, and the search stops, if that takes more memory
  /// than permitted. No other thread may be working.
  bool makeRoom(std::uint64_t more) {
    std::uint64_t states = ownStates() + more;
    for (const auto& worker : workers_) states += worker->counts.distinct;
    states += workers_.size() * Worker::ordinals_taken;  // taken, and perhaps not used
    if (states > shared_.origins.max()) {
      shared_.stop(shared_.origins.max() == Origins::ordinals_max ? "ordinals" : "memory");
      return false;
    }
    const std::uint64_t for_sets = options_.memory_max / 64 * 63;  // tables grow as well
    const auto grown = [&](auto& set) {
      const std::uint64_t now = set.slots();
      for (const std::uint64_t slots :
           {now < 1U << 26 ? now * 4 : now / 2 * 3, now / 4 * 5, now / 8 * 9, now / 16 * 17}) {
        if (residentBytes() + (slots - now) * sizeof(std::uint64_t) > for_sets) continue;
        set.grow(slots);
        return true;
      }
      return false;
    };
    const auto room = [&](auto& set) {
      while (states > set.capacity()) {
        if (!grown(set)) return states <= set.capacityAtMost();
      }
      return true;
    };
    bool fits = shared_.exact ? room(*shared_.exact) : room(shared_.set);
    for (Projection& projection : shared_.projections) fits = fits && room(projection.set);
    if (!fits) shared_.stop("memory");
    shared_.room =
        shared_.exact ? shared_.origins.max() : std::min(shared_.set.capacityAtMost(), shared_.origins.max());
    return fits;
  }

  /// Processes one level, in slices: between them room may have to be made.
  void expand(Level& level) {
    for (std::size_t begin = 0; begin < level.size() && !shared_.stopped; begin += slice) {
      const std::size_t end = std::min(begin + slice, level.size());
      std::uint64_t states = 0;
      for (std::size_t i = begin; i < end; ++i) states += level[i].count();
      std::uint64_t followers = followers_min;
      for (const auto& worker : workers_) followers = std::max(followers, 2 * worker->followers_most);
      if (!makeRoom(states * followers)) return;
      shared_.tables.grow();
      shared_.memories.grow();
      expand(level, begin, end);
      if (keepsCheckpoints() && elapsed() >= saved_ + options_.checkpoint.every_milliseconds)
        saveNow(level, false);
    }
  }
  /// With all threads, or with one if the states are few.
  void expand(Level& level, std::size_t begin, std::size_t end) {
    std::atomic<std::size_t> next_block{begin};
    const auto work = [&](Worker& worker) {
      for (std::size_t i = next_block++; i < end && !shared_.stopped; i = next_block++) {
        worker.expandBlock(level[i]);
        level[i].discard();  // its memory is for the next level
        if ((i & 63) == 0) checkLimits();
      }
    };
    if (workers_.size() == 1 || end - begin < 4) return work(*workers_.front());
    std::vector<std::thread> threads;
    for (auto& worker : workers_) {
      threads.emplace_back([&] {
        try {
          work(*worker);
        } catch (...) {
          shared_.stop("a table that is full");
          const std::lock_guard lock(shared_.mutex);
          failure_ = std::current_exception();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    if (failure_) std::rethrow_exception(failure_);
  }

  /// Adds up the workers' counts. What they found is decided when a level is finished, among all of it.
  void collectCounts() {
    for (auto& worker : workers_) {
      worker->putOrigins();
      counts_.distinct += std::exchange(worker->counts.distinct, 0);
      counts_.generated += std::exchange(worker->counts.generated, 0);
      counts_.pruned += std::exchange(worker->counts.pruned, 0);
      counts_.terminal += std::exchange(worker->counts.terminal, 0);
      for (std::size_t kind = 0; kind < worker->kinds.size(); ++kind) {
        if (worker->kinds[kind] == 0) continue;
        const auto name = actionName(*shared_.cluster.nodes, static_cast<ActionKind>(kind));
        counts_.moves[std::string(name)] += worker->kinds[kind];
        worker->kinds[kind] = 0;
      }
      worker->shown = 0;
    }
  }
  /// The same, and what they found; takes the states that they put into the next level.
  void collect(Level* level) {
    collectCounts();
    for (auto& worker : workers_) {
      if (level != nullptr) {
        for (Block& block : worker->next) level->push_back(std::move(block));
        worker->next.clear();
      }
      violations_.insert(violations_.end(), worker->violations.begin(), worker->violations.end());
      worker->violations.clear();
      for (const auto& [which, met] : worker->found) {
        auto& known = shared_.sought[which]->met;
        if (!known || std::pair(met.depth, met.print) < std::pair(known->depth, known->print)) known = met;
        if (shared_.sought[which]->sought.never) counts_.stopped_by = "violation";
      }
      worker->found.clear();
    }
    if (level != nullptr) {
      counts_.frontier = 0;
      for (const Block& block : *level) counts_.frontier += block.count();
    }
    if (!violations_.empty()) counts_.stopped_by = "violation";
    if (counts_.stopped_by.empty() && shared_.stopped) counts_.stopped_by = shared_.stop_reason;
    tellProgress(0);
  }

  std::vector<std::uint16_t> wayTo(std::uint32_t ordinal) const {
    std::vector<std::uint16_t> way;
    for (std::uint32_t at = ordinal; at != 0;) {
      const Origin origin = shared_.origins.of(at);
      way.push_back(origin.move());
      at = origin.parent();
    }
    std::reverse(way.begin(), way.end());
    return way;
  }

  std::uint64_t elapsed() const { return options_.clock ? options_.clock() - began_ : 0; }
  void checkLimits() {
    if (options_.interrupted != nullptr && *options_.interrupted) shared_.stop("interrupt");
    if (options_.milliseconds_max > 0 && elapsed() > options_.milliseconds_max) shared_.stop("time");
    if (residentBytes() > options_.memory_max) shared_.stop("memory");
    std::uint64_t fresh = 0;
    for (const auto& worker : workers_) fresh += worker->shown.load(std::memory_order_relaxed);
    tellProgress(fresh);
  }
  /// At most once a second.
  void tellProgress(std::uint64_t fresh) {
    if (!progress_) return;
    const std::lock_guard lock(shared_.mutex);
    const std::uint64_t now = elapsed();
    if (now < told_ + 1000) return;
    told_ = now;
    SearchCounts so_far = counts_;
    so_far.distinct += fresh;
    progress_(so_far);
  }
  void limit() {
    if (options_.states_max > 0 && counts_.distinct >= options_.states_max) counts_.stopped_by = "states";
    if (options_.depth_max > 0 && counts_.depth >= options_.depth_max) counts_.stopped_by = "depth";
  }

  static constexpr std::uint64_t origins_at_once = 1U << 16;
  static constexpr std::size_t slice = 256;           ///< blocks
  static constexpr std::uint64_t followers_min = 32;  ///< of a state, on average over a slice

  Shared shared_;
  const SearchOptions& options_ = shared_.options;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Violation> violations_;
  std::optional<std::pair<InvariantMask, std::vector<std::uint16_t>>>
      walked_;  ///< of a random walk that ended in a violation
  Progress progress_;
  std::uint64_t told_ = 0;  ///< when progress was last reported, ms
  SearchCounts counts_;
  std::uint64_t began_ = 0;
  std::uint64_t saved_ = 0;    ///< when the last checkpoint was complete, ms
  std::uint64_t earlier_ = 0;  ///< ms of the processes before this one
  std::vector<std::uint64_t> earlier_obligations_;
  std::uint64_t resumed_ = 0;
  std::exception_ptr failure_;  ///< of a thread
  // With other ranks:
  std::shared_ptr<StateExchange> exchange_;  ///< null: there are none
  std::uint64_t own_states_ = 0;
  std::uint64_t bytes_of_ranks_ = 0;
  std::pair<std::uint64_t, std::uint64_t> sent_;
  std::uint16_t violation_rank_ = 0;      ///< that has the parent of the least violation
  std::vector<std::uint16_t> met_ranks_;  ///< that have the states that met the sought ones
};

}  // namespace zablab
