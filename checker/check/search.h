// Explores every state that a model's bounds allow.
//
// Breadth first, level by level: all threads take states of the present level and put what follows into the
// next; a level is finished before anything is decided, so that counts, verdict and the length of a
// counterexample do not depend on the number of threads. Of each state are kept its fingerprint and, by its
// ordinal, its parent's ordinal and which of the parent's moves led to it: a way is found again by going it
// from the beginning.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <exception>
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
  std::uint64_t states_max = 0;                       ///< 0: no limit; between levels
  std::uint64_t depth_max = 0;                        ///< 0: no limit
  std::uint64_t milliseconds_max = 0;                 ///< 0: no limit
  std::uint32_t invariants = ~std::uint32_t{0};  ///< which end the search when they are violated, a bit each
  bool exact = false;                            ///< whole states instead of fingerprints
  bool project = false;  ///< count the states that would be left if one kind of component did not matter
  const std::atomic<bool>* interrupted = nullptr;
  std::function<std::uint64_t()> clock;  ///< milliseconds, for limits and progress; without it there are none
};

/// A state that a search looks for: what some servers have.
template <class F>
struct Sought {
  std::string name;
  bool never = false;                                                        ///< meeting it ends the search
  std::vector<std::pair<int, std::function<bool(const Server<F>&)>>> parts;  ///< by index of a server
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

  using Progress = std::function<void(const SearchCounts&)>;

  Search(const Cluster<F>& cluster, const Limits<F>& limits, const SearchOptions& options,
         const WorldValue<F>& start, std::vector<Sought<F>> sought = {})
      : cluster_(cluster),
        limits_(limits),
        options_(options),
        tables_(cluster),
        start_(start),
        parents_(ordinals_max),
        moves_(ordinals_max) {
    for (auto& one : sought) sought_.push_back(std::make_unique<Looking>(std::move(one)));
    if (options_.exact) {
      const auto words = static_cast<std::size_t>(tables_.layout().size);
      exact_ =
          std::make_unique<ExactSet>(words, std::min(options_.memory_max / 4 / (words + 2), ordinals_max));
    }
    if (options_.project) {
      const Layout& layout = tables_.layout();
      projections_.emplace_back("servers", 0, layout.disks_at);
      projections_.emplace_back("disks", layout.disks_at, layout.own_at);
      projections_.emplace_back("monitors", layout.own_at, layout.channels_at);
      for (Link link = 0; link < layout.links; ++link) {
        projections_.emplace_back("channels, " + std::string(F::links[link].name), layout.channel(link, 0, 0),
                                  layout.channel(static_cast<Link>(link + 1), 0, 0));
      }
      projections_.emplace_back("connections", layout.relations_at, layout.spent_at);
      projections_.emplace_back("budgets", layout.spent_at, layout.size);
    }
    for (unsigned i = 0; i < std::max(1U, options_.threads); ++i)
      workers_.push_back(std::make_unique<Worker>(*this));
    if (options_.clock) began_ = options_.clock();
  }
  Search(const Search&) = delete;

  /// Breadth first. `progress` is called between levels and every now and then within one.
  SearchCounts breadthFirst(Progress progress = {}) {
    progress_ = std::move(progress);
    Level level = startLevel();
    while (!level.empty() && counts_.stopped_by.empty()) {
      expand(level);
      level.clear();
      collect(&level);
      if (!level.empty()) ++counts_.depth;
      if (counts_.stopped_by.empty()) limit();
    }
    counts_.exhausted = level.empty() && counts_.stopped_by.empty();
    return counts_;
  }

  /// Depth first, with one thread: what was met last is followed first. The same states, at less memory for
  /// those that wait; a counterexample is not the shortest.
  SearchCounts depthFirst(Progress progress = {}) {
    progress_ = std::move(progress);
    Worker& worker = *workers_.front();
    worker.next = startLevel();
    std::uint64_t since = 0;
    while (!worker.next.empty() && counts_.stopped_by.empty()) {
      Block& last = worker.next.back();
      if (last.count() == 0) {
        worker.next.pop_back();
        continue;
      }
      const Waiting state = last.at(last.count() - 1, worker.current.data());
      last.removeLast();
      counts_.depth = std::max<std::uint64_t>(counts_.depth, state.depth);
      if (!makeRoom(65'536)) break;
      worker.expandState(state);
      worker.flush();
      if (++since % 4096 == 0) {
        tables_.grow();
        memories_.grow();
        checkLimits();
        collect(nullptr);
        if (counts_.stopped_by.empty()) limit();
      }
      if (!worker.violations.empty()) collect(nullptr);
    }
    counts_.exhausted = worker.next.empty() && counts_.stopped_by.empty() && !stopped_;
    collect(nullptr);
    counts_.frontier = 0;
    return counts_;
  }

  /// Ways drawn at random from `seed`, each of at most `depth` moves, until something stops them.
  SearchCounts randomWalks(std::uint64_t seed, std::uint64_t depth, Progress progress = {}) {
    progress_ = std::move(progress);
    Worker& worker = *workers_.front();
    startLevel();
    for (std::uint64_t walk = 0; counts_.stopped_by.empty(); ++walk) {
      if (!makeRoom(depth)) collect(nullptr);
      std::vector<std::uint16_t> way;
      worker.putStart();
      std::vector<Value> before(static_cast<std::size_t>(tables_.layout().size));
      std::uint64_t print = worker.start_print;
      Mask violated = 0;
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
        if (set_.insert(print)) ++worker.counts.distinct;
      }
      counts_.depth = std::max<std::uint64_t>(counts_.depth, way.size());
      if (violated != 0) {
        walked_ = {violated, way};
        counts_.stopped_by = "violation";
      }
      if (walk % 256 == 0) {
        tables_.grow();
        memories_.grow();
        checkLimits();
      }
      collect(nullptr);
      if (counts_.stopped_by.empty() && options_.states_max > 0 && counts_.distinct >= options_.states_max)
        limit();
    }
    return counts_;
  }

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
  const std::deque<Projection>& projections() const { return projections_; }

  /// What was violated first, the least where several were: the invariants, and the actions that lead there.
  std::optional<std::pair<Mask, std::vector<Action<F>>>> counterexample() {
    if (walked_) return std::pair(walked_->first, workers_.front()->follow(walked_->second));
    if (violations_.empty()) return std::nullopt;
    const Violation& least =
        *std::min_element(violations_.begin(), violations_.end(), [](const Violation& a, const Violation& b) {
          return std::pair(a.print, a.move) < std::pair(b.print, b.move);
        });
    std::vector<std::uint16_t> way = wayTo(least.parent);
    way.push_back(least.move);
    return std::pair(least.invariants, workers_.front()->follow(way));
  }
  /// Where a sought state was met first, and the actions that lead there.
  struct Met {
    std::uint64_t depth = 0;
    std::uint64_t print = 0;
    std::uint32_t ordinal = 0;
  };
  std::optional<Met> met(std::size_t sought) const { return sought_[sought]->met; }
  std::vector<Action<F>> wayToMet(std::size_t sought) {
    return workers_.front()->follow(wayTo(sought_[sought]->met->ordinal));
  }

  /// Sees every transition, where it is set: the tuple before and the store after. With one thread.
  std::function<void(const Value* before, const Store& after)> witness;

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
      Spent spent;
      for (int i = 0; i < search.cluster_.serverCount(); ++i) {
        if (store.isUp(i) && (store.says(i) & CheckOf<F>::settled) == 0) spent.noteLooked(i);
      }
      store.setSpent(spent);
      start_print = store.fingerprint();
    }

    // ---- one level
    void expandBlock(const Block& block) {
      for (std::size_t i = 0; i < block.count(); ++i) expandState(block.at(i, current.data()));
      flush();
      shown.store(counts.distinct, std::memory_order_relaxed);
    }

    /// What can happen in the state in the store, but for what breaks off in the midst.
    void listMoves() {
      followers.clear();
      moves.forEach(store.spent(), [&](const Move<F>& move) { followers.push_back(move); });
    }
    void expandState(const Waiting& state) {
      const Value* const tuple = state.tuple;
      depth = state.depth + 1;
      store.load(tuple);
      listMoves();
      if (followers.empty()) ++counts.terminal;
      const std::size_t whole = followers.size();
      for (std::size_t k = 0; k < followers.size(); ++k) {
        if (k > 0) store.load(tuple);
        ++counts.generated;
        ++kinds[static_cast<std::size_t>(followers[k].action.kind)];
        Mask violated = 0;
        if (!perform(tuple, followers[k], violated)) {
          ++counts.pruned;
          continue;
        }
        if (k < whole) listEnds(store.spentIn(tuple), k);
        const std::uint64_t after = store.fingerprint(tuple, state.print);
        violated &= search.options_.invariants;
        if (search.witness) search.witness(tuple, store);
        const auto which = static_cast<std::uint16_t>(k);
        if (violated != 0) violations.push_back({violated, after, state.ordinal, which});
        if (!isRecent(after)) put(after, state.ordinal, which);
      }
    }

    /// Adds the ways in which the k-th move, just done, is broken off by the end of who steps.
    void listEnds(Spent spent, std::size_t k) {
      if (points == nullptr || spent.of(Budget::crashes) >= search.limits_.of(Budget::crashes)) return;
      for (const CrashPoint& point : *points) {
        for (const Ends how : search.limits_.ends) {
          Move<F> broken_off = followers[k];
          broken_off.action.dies = point;
          broken_off.action.dies.power_loss = how == Ends::power_loss;
          broken_off.action.in_flight = how == Ends::kill;
          followers.push_back(broken_off);
        }
      }
    }
    /// Does each of the moves of the state `tuple` to learn where they break off.
    void listAllEnds(const Value* tuple) {
      const std::size_t whole = followers.size();
      for (std::size_t k = 0; k < whole; ++k) {
        store.load(tuple);
        Mask violated = 0;
        if (perform(tuple, followers[k], violated)) listEnds(store.spentIn(tuple), k);
      }
      store.load(tuple);
    }

    /// Does the move in the store, with what happens at once behind it. False: it goes beyond the budget of
    /// elections.
    bool perform(const Value* before, const Move<F>& move, Mask& violated,
                 std::vector<Action<F>>* done = nullptr) {
      if (!act(before, move.action, violated, done)) return false;
      points =
          search.limits_.ends_inside_steps && !store.crashPoints().empty() ? &store.crashPoints() : nullptr;
      if (move.spends) spend(*move.spends, 1);
      if (move.action.dies.write != 0) spend(Budget::crashes, 1);
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
      if (const std::uint32_t looks = store.takeLooks(); looks != 0 && !look(subjectOf(action), looks))
        return false;
      if constexpr (CheckOf<F>::has_monitors) violated |= watch.see(before, action, store);
      violated |= CheckOf<F>::judge(store);
      return true;
    }
    bool look(int server, std::uint32_t looks) {
      Spent spent = store.spent();
      if (!spent.hasLooked(server)) {
        spent.noteLooked(server);
        --looks;
      }
      if (spent.of(Budget::elections) + looks > search.limits_.of(Budget::elections)) return false;
      spent.spend(Budget::elections, looks);
      store.setSpent(spent);
      return true;
    }
    void spend(Budget budget, std::uint32_t amount) {
      Spent spent = store.spent();
      spent.spend(budget, amount);
      store.setSpent(spent);
    }

    // ---- what follows, met before or new
    /// Many ways to a state lead over states that are near each other: a look into this thread's own memory
    /// saves one into the set. For fingerprints alone, whose equality is all that is asked for.
    bool isRecent(std::uint64_t print) {
      if (search.exact_ || print == 0) return false;
      std::uint64_t& there = recent[print >> (64 - recent_bits)];
      if (there == print) return true;
      there = print;
      return false;
    }
    struct Generated {
      std::uint64_t print;
      std::uint32_t parent;
      std::uint16_t move;
    };
    /// What was generated waits in batches: the set's memory is asked for when a batch is full, for all of it
    /// at once, and needed when the next one is.
    struct Batch {
      explicit Batch(int words) : tuples(size_max * static_cast<std::size_t>(words)) {}
      static constexpr std::size_t size_max = 64;
      std::vector<Generated> waiting;
      std::vector<Value> tuples;
    };
    void put(std::uint64_t print, std::uint32_t parent, std::uint16_t move) {
      std::memcpy(batch.tuples.data() + batch.waiting.size() * static_cast<std::size_t>(layout.size),
                  store.tuple(), static_cast<std::size_t>(layout.size) * sizeof(Value));
      batch.waiting.push_back({print, parent, move});
      if (batch.waiting.size() < Batch::size_max) return;
      for (const Generated& one : batch.waiting)
        search.exact_ ? search.exact_->prefetch(one.print) : search.set_.prefetch(one.print);
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
        const Value* const tuple = of.tuples.data() + i * static_cast<std::size_t>(layout.size);
        if (!search.exact_ && !search.set_.insert(one.print)) continue;
        const std::uint32_t number = takeOrdinal();
        if (search.exact_ && !search.exact_->insert(one.print, tuple, number)) {
          giveBackOrdinal();
          if (search.exact_->isFull(number)) search.stop("memory");
          continue;
        }
        ++counts.distinct;
        search.parents_[number] = one.parent;
        search.moves_[number] = one.move;
        put(tuple, one.print, number);
        if (!search.sought_.empty()) seek(tuple, one.print, number);
        for (Projection& projection : search.projections_)
          projection.count(store.fingerprintWithout(tuple, projection.from, projection.to));
      }
      of.waiting.clear();
    }
    void put(const Value* tuple, std::uint64_t print, std::uint32_t number) {
      if (next.empty() || next.back().isFull()) {
        if (!next.empty()) next.back().close();
        next.emplace_back(static_cast<std::size_t>(layout.size));
      }
      next.back().add({tuple, print, number, depth});
    }
    void seek(const Value* tuple, std::uint64_t print, std::uint32_t number) {
      for (std::size_t i = 0; i < search.sought_.size(); ++i) {
        Looking& looking = *search.sought_[i];
        if (!looking.met && looking.matches(tuple, search.tables_))
          found.push_back({i, {depth, print, number}});
      }
    }
    std::uint32_t takeOrdinal() {
      if (ordinals_left == 0) {
        free_ordinal = static_cast<std::uint32_t>(search.next_ordinal_.fetch_add(1024));
        ordinals_left = 1024;
      }
      --ordinals_left;
      return free_ordinal++;
    }
    void giveBackOrdinal() {
      ++ordinals_left;
      --free_ordinal;
    }

    /// The actions of a way, gone from the start.
    std::vector<Action<F>> follow(const std::vector<std::uint16_t>& way) {
      putStart();
      std::vector<Action<F>> done;
      std::vector<Value> before(static_cast<std::size_t>(layout.size));
      for (const std::uint16_t step : way) {
        std::copy_n(store.tuple(), layout.size, before.begin());
        listMoves();
        if (step >= followers.size()) listAllEnds(before.data());
        Mask violated = 0;
        perform(before.data(), followers[step], violated, &done);
      }
      return done;
    }

    static constexpr unsigned recent_bits = 15;

    Search& search;
    IdleEnvironment<F> environment;
    Store store;
    typename Moves<F>::WorldType world;
    Watch<F> watch;
    Moves<F> moves;
    const Layout& layout;
    std::uint64_t start_print = 0;
    std::vector<Move<F>> followers;
    const std::vector<CrashPoint>* points = nullptr;  ///< of the move that was done last, where there are any
    std::vector<Value> current = std::vector<Value>(static_cast<std::size_t>(layout.size));
    std::vector<Value> between = std::vector<Value>(static_cast<std::size_t>(layout.size));
    Batch batch{layout.size};
    Batch batch_before{layout.size};
    std::vector<std::uint64_t> recent = std::vector<std::uint64_t>(std::size_t{1} << recent_bits);
    Level next;
    std::uint32_t depth = 0;  ///< of what is generated
    std::vector<std::pair<std::size_t, Met>> found;
    std::atomic<std::uint64_t> shown{0};  ///< distinct states of this level so far
    std::uint32_t free_ordinal = 0;
    std::uint32_t ordinals_left = 0;
    std::vector<Violation> violations;
    SearchCounts counts;
    std::array<std::uint64_t, 32> kinds{};
  };

  /// A sought state, and for each of its parts what is known of servers' values, by number: 1 no, 2 yes.
  struct Looking {
    explicit Looking(Sought<F> of) : sought(std::move(of)) {
      for (std::size_t i = 0; i < sought.parts.size(); ++i) known.emplace_back(tables_max);
    }
    bool matches(const Value* tuple, const Tables<F>& tables) {
      for (std::size_t i = 0; i < sought.parts.size(); ++i) {
        const Value number = tuple[sought.parts[i].first];
        std::atomic<std::uint8_t>& matched = known[i][number];
        if (matched == 0) matched = sought.parts[i].second(tables.servers[number]) ? 2 : 1;
        if (matched == 1) return false;
      }
      return true;
    }
    static constexpr std::size_t tables_max = Interned<Server<F>>::numbers_max;
    Sought<F> sought;
    std::vector<PageArray<std::atomic<std::uint8_t>>> known;
    std::optional<Met> met;
  };

  Level startLevel() {
    Worker& first = *workers_.front();
    first.putStart();
    counts_.distinct = 1;
    if (exact_) {
      exact_->insert(first.start_print, first.store.tuple(), 0);
    } else {
      set_.insert(first.start_print);
    }
    first.put(first.store.tuple(), first.start_print, 0);
    first.seek(first.store.tuple(), first.start_print, 0);
    Level level = std::move(first.next);
    first.next.clear();
    return level;
  }

  /// Room for so many more states; false, and the search stops, where that takes more memory than there may
  /// be. Nobody else may be at work.
  bool makeRoom(std::uint64_t more) {
    std::uint64_t states = counts_.distinct + more;
    for (const auto& worker : workers_) states += worker->counts.distinct;
    const auto grown = [&](auto& set) {
      const std::uint64_t now = set.slots();
      for (const std::uint64_t slots : {now < 1U << 26 ? now * 4 : now / 2 * 3, now / 4 * 5, now / 8 * 9}) {
        if (residentBytes() + (slots - now) * sizeof(std::uint64_t) > options_.memory_max) continue;
        set.grow(slots);
        return true;
      }
      return false;
    };
    const auto room = [&](auto& set) {
      while (states > set.capacity()) {
        if (!grown(set)) return false;
      }
      return true;
    };
    bool fits = exact_ ? room(*exact_) : room(set_);
    for (Projection& projection : projections_) fits = fits && room(projection.set);
    if (!fits) stop("memory");
    return fits;
  }

  /// Does one level, in slices: between them there is room to be made.
  void expand(Level& level) {
    for (std::size_t begin = 0; begin < level.size() && !stopped_; begin += slice) {
      const std::size_t end = std::min(begin + slice, level.size());
      std::uint64_t states = 0;
      for (std::size_t i = begin; i < end; ++i) states += level[i].count();
      if (!makeRoom(states * followers_max)) return;
      tables_.grow();
      memories_.grow();
      expand(level, begin, end);
    }
  }
  /// With all threads, or with one where they are few.
  void expand(Level& level, std::size_t begin, std::size_t end) {
    std::atomic<std::size_t> next_block{begin};
    const auto work = [&](Worker& worker) {
      for (std::size_t i = next_block++; i < end && !stopped_; i = next_block++) {
        worker.expandBlock(level[i]);
        { const Block done = std::move(level[i]); }  // its memory is for the next level
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
          stop("a table that is full");
          const std::lock_guard lock(stop_mutex_);
          failure_ = std::current_exception();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    if (failure_) std::rethrow_exception(failure_);
  }

  /// Adds up what the workers did, and takes what they put into the next level.
  void collect(Level* level) {
    for (auto& worker : workers_) {
      if (level != nullptr) {
        for (Block& block : worker->next) level->push_back(std::move(block));
        worker->next.clear();
      }
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
      for (const auto& [which, met] : worker->found) {
        auto& known = sought_[which]->met;
        if (!known || std::pair(met.depth, met.print) < std::pair(known->depth, known->print)) known = met;
        if (sought_[which]->sought.never) counts_.stopped_by = "violation";
      }
      worker->found.clear();
      worker->shown = 0;
    }
    if (level != nullptr) {
      counts_.frontier = 0;
      for (const Block& block : *level) counts_.frontier += block.count();
    }
    if (!violations_.empty()) counts_.stopped_by = "violation";
    if (counts_.stopped_by.empty() && stopped_) counts_.stopped_by = stop_reason_;
    tellProgress(0);
  }

  std::vector<std::uint16_t> wayTo(std::uint32_t ordinal) const {
    std::vector<std::uint16_t> way;
    for (std::uint32_t at = ordinal; at != 0; at = parents_[at]) way.push_back(moves_[at]);
    std::reverse(way.begin(), way.end());
    return way;
  }

  std::uint64_t elapsed() const { return options_.clock ? options_.clock() - began_ : 0; }
  void checkLimits() {
    if (options_.interrupted != nullptr && *options_.interrupted) stop("interrupt");
    if (options_.milliseconds_max > 0 && elapsed() > options_.milliseconds_max) stop("time");
    if (residentBytes() > options_.memory_max) stop("memory");
    std::uint64_t fresh = 0;
    for (const auto& worker : workers_) fresh += worker->shown.load(std::memory_order_relaxed);
    tellProgress(fresh);
  }
  /// At most once a second.
  void tellProgress(std::uint64_t fresh) {
    if (!progress_) return;
    const std::lock_guard lock(stop_mutex_);
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
  void stop(const char* reason) {
    const std::lock_guard lock(stop_mutex_);
    if (stopped_) return;
    stop_reason_ = reason;
    stopped_ = true;
  }

  static constexpr std::size_t slice = 256;           ///< blocks
  static constexpr std::uint64_t followers_max = 32;  ///< new ones of a state, on average over a slice

  const Cluster<F>& cluster_;
  const Limits<F>& limits_;
  SearchOptions options_;
  Tables<F> tables_;
  Memories<F> memories_;
  WorldValue<F> start_;
  FingerprintSet set_;
  std::unique_ptr<ExactSet> exact_;
  std::deque<Projection> projections_;
  PageArray<std::uint32_t> parents_;
  PageArray<std::uint16_t> moves_;
  std::atomic<std::uint64_t> next_ordinal_{1};
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<Looking>> sought_;
  std::vector<Violation> violations_;
  std::optional<std::pair<Mask, std::vector<std::uint16_t>>> walked_;  ///< by a random walk into a violation
  Progress progress_;
  std::uint64_t told_ = 0;  ///< when progress was told last, ms
  SearchCounts counts_;
  std::uint64_t began_ = 0;
  std::atomic<bool> stopped_{false};
  std::string stop_reason_;
  std::exception_ptr failure_;  ///< of a thread
  std::mutex stop_mutex_;
};

}  // namespace zablab
