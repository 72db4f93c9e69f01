// Explores every state that a model's bounds allow.
//
// Breadth first, level by level: all threads take states of the present level and put what follows into the
// next; a level is finished before anything is decided, so that counts, verdict and the length of a
// counterexample do not depend on the number of threads. Of each state are kept its fingerprint and, by its
// ordinal, its parent's ordinal and which of the parent's moves led to it: a way is found again by going it from
// the beginning.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "checker/check/moves.h"
#include "checker/check/states.h"
#include "checker/check/watch.h"

namespace zablab {

/// How a search is to go, beside its model.
struct SearchOptions {
  unsigned threads = 1;
  std::uint64_t memory_max = std::uint64_t{8} << 30;  ///< bytes
  std::uint64_t states_max = 0;                       ///< 0: no limit
  std::uint64_t depth_max = 0;                        ///< 0: no limit
  std::uint64_t milliseconds_max = 0;                 ///< 0: no limit
  std::uint32_t invariants = ~std::uint32_t{0};  ///< which end the search when they are violated, a bit each
  const std::atomic<bool>* interrupted = nullptr;
};

/// How far a search is, and how it ended.
struct SearchCounts {
  std::uint64_t distinct = 0;
  std::uint64_t generated = 0;  ///< transitions
  std::uint64_t pruned = 0;     ///< of them, those that an election beyond the budget ends
  std::uint64_t terminal = 0;   ///< states that nothing follows
  std::uint64_t depth = 0;
  std::uint64_t frontier = 0;
  std::map<std::string, std::uint64_t> moves;  ///< transitions, by what was done
  bool exhausted = false;
  std::string stopped_by;  ///< "memory", "time", "states", "depth", "interrupt", "violation"; empty: nothing
};

template <class F>
class Search {
 public:
  using Store = InternedStore<F>;
  using Value = typename Store::Value;
  using Mask = typename Memories<F>::Mask;

  struct Violation {
    Mask invariants = 0;
    std::uint64_t print = 0;  ///< of the state in which it shows
    std::uint32_t parent = 0;
    std::uint16_t move = 0;
  };

  Search(const Cluster<F>& cluster, const Limits& limits, const SearchOptions& options)
      : cluster_(cluster), limits_(limits), options_(options), tables_(cluster) {}
  Search(const Search&) = delete;

  /// Breadth first from `start`. `progress` is called between levels and now and then within one.
  SearchCounts run(const WorldValue<F>& start, const std::function<void(const SearchCounts&)>& progress = {}) {
    start_ = start;
    workers_.clear();
    for (unsigned i = 0; i < std::max(1U, options_.threads); ++i) workers_.push_back(std::make_unique<Worker>(*this));
    began_ = std::chrono::steady_clock::now();
    Worker& first = *workers_.front();
    first.putStart();
    counts_ = {};
    parents_ = PageArray<std::uint32_t>(ordinals_max);
    moves_ = PageArray<std::uint16_t>(ordinals_max);
    next_ordinal_ = 1;
    set_.insert(first.print());
    counts_.distinct = 1;
    Level level;
    first.openBlock(level_size_of_first);
    first.put(first.store.tuple(), first.print(), 0);
    first.closeBlock();
    level = std::move(first.next);
    first.next.clear();
    while (!level.empty() && counts_.stopped_by.empty()) {
      expand(level);
      collect(level);
      if (!violations_.empty()) counts_.stopped_by = "violation";
      if (!level.empty()) ++counts_.depth;
      if (progress) progress(counts_);
      limit();
    }
    counts_.exhausted = level.empty() && counts_.stopped_by.empty();
    return counts_;
  }

  /// The violation that was met first, the least where several were: the actions that lead to it.
  std::optional<std::pair<Mask, std::vector<Action<F>>>> counterexample() {
    if (violations_.empty()) return std::nullopt;
    const Violation& least = *std::min_element(
        violations_.begin(), violations_.end(),
        [](const Violation& a, const Violation& b) { return std::pair(a.print, a.move) < std::pair(b.print, b.move); });
    std::vector<std::uint16_t> way{least.move};
    for (std::uint32_t at = least.parent; at != 0; at = parents_[at]) way.push_back(moves_[at]);
    std::reverse(way.begin(), way.end());
    return std::pair(least.invariants, workers_.front()->follow(way));
  }

  Tables<F>& tables() { return tables_; }
  Memories<F>& memories() { return memories_; }
  const SearchCounts& counts() const { return counts_; }
  const FingerprintSet& set() const { return set_; }
  std::vector<std::uint64_t> obligations() const {
    std::vector<std::uint64_t> sums = workers_.front()->watch.obligations();
    for (std::size_t i = 1; i < workers_.size(); ++i) {
      const auto& more = workers_[i]->watch.obligations();
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += more[k];
    }
    return sums;
  }

 private:
  static constexpr std::uint64_t ordinals_max = 1ULL << 32;
  static constexpr std::size_t block_states = 256;
  static constexpr std::size_t level_size_of_first = 1;

  /// States of one level, one behind the other: a tuple, its fingerprint (two words), its ordinal.
  struct Block {
    std::unique_ptr<Value[]> words;
    std::size_t count = 0;
  };
  using Level = std::vector<Block>;

  struct Worker {
    explicit Worker(Search& of)
        : search(of),
          store(of.tables_),
          world(of.cluster_, store, environment),
          watch(of.cluster_, of.memories_),
          moves(of.tables_, of.limits_, world, store),
          layout(store.layout()) {
      store.setMemoryHashes(of.memories_.owns.hashes(), of.memories_.shareds.hashes());
    }

    // ---- the start
    void putStart() {
      store.setValue(search.start_);
      auto& monitors = watch.monitors();
      const auto [owns, shared] = monitors.memoriesOf(search.start_);
      for (int i = 0; i < layout.servers; ++i) {
        store.part(layout.own_at + i) = search.memories_.owns.number(owns[static_cast<std::size_t>(i)]);
      }
      store.part(layout.shared_at) = search.memories_.shareds.number(shared);
      std::uint32_t looked = 0;
      for (int i = 0; i < search.cluster_.serverCount(); ++i) {
        if (store.isUp(i) && (store.says(i) & CheckOf<F>::settled) == 0) looked |= 1U << i;
      }
      store.part(layout.spent_at) = 0;
      store.part(layout.spent_at + 1) = looked;
      start_print = store.fingerprint();
    }
    std::uint64_t print() const { return start_print; }

    // ---- one level
    void expandBlock(const Block& block) {
      const std::size_t entry = entrySize();
      for (std::size_t i = 0; i < block.count; ++i) {
        const Value* words = block.words.get() + i * entry;
        const Value* const tuple = words;
        std::uint64_t print = 0;
        std::memcpy(&print, words + layout.size, sizeof print);
        expandState(tuple, print, words[layout.size + 2]);
      }
      flush();
    }

    void expandState(const Value* tuple, std::uint64_t print, std::uint32_t ordinal) {
      store.load(tuple);
      followers.clear();
      const Spent spent(tuple[layout.spent_at]);
      moves.forEach(spent, [&](const Move<F>& move) { followers.push_back(move); });
      if (followers.empty()) ++counts.terminal;
      for (std::size_t k = 0; k < followers.size(); ++k) {
        if (k > 0) store.load(tuple);
        ++counts.generated;
        ++kinds[static_cast<std::size_t>(followers[k].action.kind)];
        Mask violated = 0;
        if (!perform(tuple, followers[k], violated)) {
          ++counts.pruned;
          continue;
        }
        const std::uint64_t after = store.fingerprint(tuple, print);
        violated &= search.options_.invariants;
        const auto which = static_cast<std::uint16_t>(k);
        if (violated != 0) violations.push_back({violated, after, ordinal, which});
        put(after, ordinal, which);
      }
    }

    /// Does the move in the store, with what happens at once behind it. False: it goes beyond the budget of
    /// elections.
    bool perform(const Value* before, const Move<F>& move, Mask& violated, std::vector<Action<F>>* done = nullptr) {
      if (!act(before, move.action, violated, done)) return false;
      if (move.spends) spend(*move.spends, 1);
      if (move.action.kind == ActionKind::cut || move.action.kind == ActionKind::heal) {
        Action<F> back = move.action;
        std::swap(back.a, back.b);
        world.apply(back);
        if (done != nullptr) done->push_back(back);
      }
      if (!moves.hasConsequences()) return true;
      while (const auto next_one = moves.consequence()) {
        std::copy_n(store.tuple(), layout.size, between.begin());
        if (!act(between.data(), *next_one, violated, done)) return false;
      }
      return true;
    }
    bool act(const Value* before, const Action<F>& action, Mask& violated, std::vector<Action<F>>* done) {
      store.forgetInput();
      world.apply(action);
      if (done != nullptr) done->push_back(action);
      if (const std::uint32_t looks = store.takeLooks(); looks != 0 && !look(subjectOf(action), looks)) return false;
      violated |= watch.see(before, action, store);
      return true;
    }
    bool look(int server, std::uint32_t looks) {
      Value& looked = store.part(layout.spent_at + 1);
      if (((looked >> server) & 1) == 0) {
        looked |= 1U << server;
        --looks;
      }
      const Spent spent(store.part(layout.spent_at));
      if (spent.of(Budget::elections) + looks > search.limits_.of(Budget::elections)) return false;
      spend(Budget::elections, looks);
      return true;
    }
    void spend(Budget budget, std::uint32_t amount) {
      Spent spent(store.part(layout.spent_at));
      spent.spend(budget, amount);
      store.part(layout.spent_at) = spent.word();
    }

    // ---- what follows, met before or new
    struct Waiting {
      std::uint64_t print;
      std::uint32_t parent;
      std::uint16_t move;
    };
    void put(std::uint64_t print, std::uint32_t parent, std::uint16_t move) {
      search.set_.prefetch(print);
      std::memcpy(batch.data() + waiting.size() * static_cast<std::size_t>(layout.size), store.tuple(),
                  static_cast<std::size_t>(layout.size) * sizeof(Value));
      waiting.push_back({print, parent, move});
      if (waiting.size() == batch_size) flush();
    }
    void flush() {
      for (std::size_t i = 0; i < waiting.size(); ++i) {
        const Waiting& one = waiting[i];
        if (!search.set_.insert(one.print)) continue;
        ++counts.distinct;
        const std::uint32_t ordinal = takeOrdinal();
        search.parents_[ordinal] = one.parent;
        search.moves_[ordinal] = one.move;
        put(batch.data() + i * static_cast<std::size_t>(layout.size), one.print, ordinal);
      }
      waiting.clear();
    }
    void put(const Value* tuple, std::uint64_t print, std::uint32_t ordinal) {
      if (next.empty() || next.back().count == block_states || !block_open) openBlock(block_states);
      Value* words = next.back().words.get() + next.back().count++ * entrySize();
      std::memcpy(words, tuple, static_cast<std::size_t>(layout.size) * sizeof(Value));
      std::memcpy(words + layout.size, &print, sizeof print);
      words[layout.size + 2] = ordinal;
    }
    std::size_t entrySize() const { return static_cast<std::size_t>(layout.size) + 3; }
    void openBlock(std::size_t states) {
      next.push_back({std::make_unique_for_overwrite<Value[]>(states * entrySize()), 0});
      block_open = true;
    }
    void closeBlock() { block_open = false; }
    std::uint32_t takeOrdinal() {
      if (ordinals_left == 0) {
        ordinal = static_cast<std::uint32_t>(search.next_ordinal_.fetch_add(1024));
        ordinals_left = 1024;
      }
      --ordinals_left;
      return ordinal++;
    }

    /// The actions of a way, gone from the start.
    std::vector<Action<F>> follow(const std::vector<std::uint16_t>& way) {
      putStart();
      std::vector<Action<F>> done;
      std::vector<Value> before(static_cast<std::size_t>(layout.size));
      for (const std::uint16_t step : way) {
        std::copy_n(store.tuple(), layout.size, before.begin());
        followers.clear();
        moves.forEach(Spent(store.part(layout.spent_at)), [&](const Move<F>& move) { followers.push_back(move); });
        Mask violated = 0;
        perform(before.data(), followers[step], violated, &done);
      }
      return done;
    }

    static constexpr std::size_t batch_size = 64;

    Search& search;
    NoEnvironment<F> environment;
    Store store;
    typename Moves<F>::WorldType world;
    Watch<F> watch;
    Moves<F> moves;
    const Layout& layout;
    std::uint64_t start_print = 0;
    std::vector<Move<F>> followers;
    std::vector<Value> between = std::vector<Value>(static_cast<std::size_t>(layout.size));
    std::vector<Value> batch = std::vector<Value>(batch_size * static_cast<std::size_t>(layout.size));
    std::vector<Waiting> waiting;
    Level next;
    bool block_open = false;
    std::uint32_t ordinal = 0;
    std::uint32_t ordinals_left = 0;
    std::vector<Violation> violations;
    SearchCounts counts;
    std::array<std::uint64_t, 32> kinds{};
  };

  /// Does one level with all threads, or with one where it is small.
  void expand(const Level& level) {
    std::uint64_t states = 0;
    for (const Block& block : level) states += block.count;
    // Every transition may be a new state: there has to be room for a level's worth of them at any time.
    while (counts_.distinct + states * growth_per_level > set_.capacity()) set_.grow(set_.slots() * 4);
    tables_.grow();
    memories_.grow();
    std::atomic<std::size_t> next_block{0};
    const auto work = [&](Worker& worker) {
      for (std::size_t i = next_block++; i < level.size(); i = next_block++) {
        if (stopped_) return;
        worker.expandBlock(level[i]);
        if ((i & 63) == 0) checkLimits(worker);
      }
    };
    if (workers_.size() == 1 || level.size() < 4) {
      work(*workers_.front());
    } else {
      std::vector<std::thread> threads;
      for (auto& worker : workers_) threads.emplace_back([&work, &worker] { work(*worker); });
      for (std::thread& thread : threads) thread.join();
    }
  }

  /// What the workers did.
  void collect(Level& level) {
    level.clear();
    for (auto& worker : workers_) {
      for (Block& block : worker->next) level.push_back(std::move(block));
      worker->next.clear();
      worker->block_open = false;
      counts_.distinct += std::exchange(worker->counts.distinct, 0);
      counts_.generated += std::exchange(worker->counts.generated, 0);
      counts_.pruned += std::exchange(worker->counts.pruned, 0);
      counts_.terminal += std::exchange(worker->counts.terminal, 0);
      for (std::size_t kind = 0; kind < worker->kinds.size(); ++kind) {
        if (worker->kinds[kind] == 0) continue;
        counts_.moves[std::string(enumName(static_cast<ActionKind>(kind)))] += worker->kinds[kind];
        worker->kinds[kind] = 0;
      }
      violations_.insert(violations_.end(), worker->violations.begin(), worker->violations.end());
      worker->violations.clear();
    }
    counts_.frontier = 0;
    for (const Block& block : level) counts_.frontier += block.count;
    if (stopped_) counts_.stopped_by = stop_reason_;
  }

  std::uint64_t elapsed() const {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began_).count());
  }
  void checkLimits(Worker&) {
    if (options_.interrupted != nullptr && *options_.interrupted) stop("interrupt");
    if (options_.milliseconds_max > 0 && elapsed() > options_.milliseconds_max) stop("time");
    if (residentBytes() > options_.memory_max) stop("memory");
  }
  void limit() {
    if (!counts_.stopped_by.empty()) return;
    if (options_.states_max > 0 && counts_.distinct >= options_.states_max) counts_.stopped_by = "states";
    if (options_.depth_max > 0 && counts_.depth >= options_.depth_max) counts_.stopped_by = "depth";
  }
  void stop(const char* reason) {
    const std::lock_guard lock(stop_mutex_);
    if (stopped_) return;
    stop_reason_ = reason;
    stopped_ = true;
  }

  static constexpr std::uint64_t growth_per_level = 8;

  const Cluster<F>& cluster_;
  const Limits& limits_;
  SearchOptions options_;
  Tables<F> tables_;
  Memories<F> memories_;
  WorldValue<F> start_;
  FingerprintSet set_;
  PageArray<std::uint32_t> parents_;
  PageArray<std::uint16_t> moves_;
  std::atomic<std::uint64_t> next_ordinal_{1};
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Violation> violations_;
  SearchCounts counts_;
  std::chrono::steady_clock::time_point began_;
  std::atomic<bool> stopped_{false};
  std::string stop_reason_;
  std::mutex stop_mutex_;
};

}  // namespace zablab
