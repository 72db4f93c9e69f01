// Tables that several threads share: every distinct value of a component under a small number, and the
// results of pure functions of such numbers.
//
// 1. Numbers depend on which thread came first; nothing but speed may depend on them. Hashes of contents do
//    not depend on it.
// 2. Reading takes no lock. A new value takes one, per table; values never move.
// 3. A memo forgets nothing that was stored in it. While it is full it stores nothing new, so that look-ups
//    of new keys fail until it grows, which happens while no other thread is working (`grow`). After a
//    failed look-up the result is computed again; it is the same.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cassert>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "checker/check/pages.h"
#include "protocol/reflect.h"

namespace zablab {

/// A table has no number left. Nothing is reported of what was found so far.
class TableFull : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How many values of a component fit into this much memory: each takes hundreds of bytes.
constexpr std::uint32_t numbersFor(std::uint64_t memory_bytes) {
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(memory_bytes / 256, 1U << 16, 1U << 26));
}

/// What a search keeps next to a value, for its guards: a plain struct made from the value once.
struct NoView {};

template <class T, class View = NoView>
class Interned {
 public:
  static constexpr std::uint32_t numbers_max = 1U << 26;

  /// `numbers`: how many values there may be, numbers_max at most; addresses are reserved for them.
  explicit Interned(std::uint32_t numbers = numbers_max)
      : numbers_(std::min(numbers, numbers_max)),
        chunks_((numbers_ + chunk_size - 1) / chunk_size),
        hashes_(numbers_),
        views_(numbers_) {}

  /// The value's number. `view_of(value)` is called for a new value.
  template <class ViewOf>
  std::uint32_t number(const T& value, const Bytes& encoding, ViewOf&& view_of) {
    const std::uint64_t hash = hashBytes(encoding);
    const std::lock_guard lock(mutex_);
    for (std::uint64_t key = hash;; ++key) {  // two contents with the same hash are at neighbouring keys
      const auto [found, fresh] = index_.try_emplace(key, size_.load(std::memory_order_relaxed));
      if (!fresh) {
        if ((*this)[found->second] == value) return found->second;
        continue;
      }
      const std::uint32_t number = found->second;
      if (number == numbers_)
        throw TableFull("there are more than " + std::to_string(numbers_) +
                        " distinct values of a component");
      const std::size_t chunk = number / chunk_size;
      if (!chunks_[chunk]) chunks_[chunk] = std::make_unique<std::array<std::optional<T>, chunk_size>>();
      (*chunks_[chunk])[number % chunk_size] = value;
      hashes_[number] = mix64(hash);
      views_[number] = view_of(value);
      size_.store(number + 1, std::memory_order_release);
      return number;
    }
  }
  std::uint32_t number(const T& value) {
    return number(value, encode(value), [](const T&) { return View{}; });
  }

  const T& operator[](std::uint32_t number) const {
    return *(*chunks_[number / chunk_size])[number % chunk_size];
  }
  const View& view(std::uint32_t number) const { return views_[number]; }
  /// By number: the hash of the content.
  const std::uint64_t* hashes() const { return hashes_.data(); }
  /// Prefetches: the hash of the content will be needed soon.
  void prefetch(std::uint32_t number) const { __builtin_prefetch(&hashes_[number]); }
  std::uint32_t size() const { return size_.load(std::memory_order_acquire); }

 private:
  static constexpr std::size_t chunk_size = 1024;

  std::uint32_t numbers_;
  std::mutex mutex_;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> index_;
  /// On the heap: a search's tables together are larger than a stack.
  std::vector<std::unique_ptr<std::array<std::optional<T>, chunk_size>>> chunks_;
  PageArray<std::uint64_t> hashes_;
  PageArray<View> views_;
  std::atomic<std::uint32_t> size_{0};
};

/// Results that are too large for a memo's value, by number. They never move.
template <class T>
class Results {
 public:
  std::uint32_t add(T result) {
    const std::lock_guard lock(mutex_);
    const std::uint32_t number = size_++;
    const std::size_t chunk = number / chunk_size;
    if (chunk == chunks_.size()) throw TableFull("there are more than 67 million distinct steps");
    if (!chunks_[chunk]) chunks_[chunk] = std::make_unique<std::array<T, chunk_size>>();
    (*chunks_[chunk])[number % chunk_size] = std::move(result);
    return number;
  }
  const T& operator[](std::uint32_t number) const {
    return (*chunks_[number / chunk_size])[number % chunk_size];
  }
  std::uint32_t size() const { return size_; }

 private:
  static constexpr std::size_t chunk_size = 1024;
  std::mutex mutex_;
  std::array<std::unique_ptr<std::array<T, chunk_size>>, 65'536> chunks_;
  std::uint32_t size_ = 0;
};

/// The results of a pure function, by a key of 64 bits that is not 0.
class Memo {
 public:
  Memo() { reserve(1U << 12); }

  [[gnu::always_inline]] std::optional<std::uint32_t> find(std::uint64_t key) const {
    assert(key != 0);
    for (std::size_t at = home(key);; ++at) {
      const Slot& slot = slots_[at & mask_];
      const std::uint64_t there = slot.key.load(std::memory_order_acquire);
      if (there == key) {
        const std::uint64_t value = slot.value.load(std::memory_order_acquire);
        if (value == 0) return std::nullopt;  // another thread is writing it
        return static_cast<std::uint32_t>(value - 1);
      }
      if (there == 0) return std::nullopt;
    }
  }

  void note(std::uint64_t key, std::uint32_t value) {
    for (std::size_t at = home(key);; ++at) {
      Slot& slot = slots_[at & mask_];
      std::uint64_t there = slot.key.load(std::memory_order_acquire);
      if (there == 0) {
        if (used_.load(std::memory_order_relaxed) > (mask_ >> 3) * 7) return;
        if (slot.key.compare_exchange_strong(there, key)) {
          used_.fetch_add(1, std::memory_order_relaxed);
          there = key;
        }
      }
      if (there == key) return slot.value.store(std::uint64_t{value} + 1, std::memory_order_release);
    }
  }

  /// Makes room. No other thread may be working.
  void grow() {
    if (used_ <= mask_ / 2) return;
    const std::size_t before = mask_ + 1;
    const bool asked_in_vain = used_ > mask_ / 4 * 3;  // possibly often
    const PageArray<Slot> old = std::move(slots_);
    reserve(before * (asked_in_vain ? 8 : 2));
    for (std::size_t i = 0; i < before; ++i) {
      const std::uint64_t value = old[i].value;
      if (value != 0) note(old[i].key, static_cast<std::uint32_t>(value - 1));
    }
  }

  std::uint64_t size() const { return used_; }

 private:
  struct Slot {
    std::atomic<std::uint64_t> key;
    std::atomic<std::uint64_t> value;  ///< the value plus one; 0: not known yet
  };

  /// Where a key's slots begin. The upper bits of the product are those that depend on the whole key.
  std::size_t home(std::uint64_t key) const { return ((key ^ key >> 32) * 0x9e3779b97f4a7c15ULL) >> shift_; }
  void reserve(std::size_t size) {
    slots_ = PageArray<Slot>(size, size > 1U << 16);
    mask_ = size - 1;
    shift_ = 64 - static_cast<unsigned>(std::countr_zero(size));
    used_ = 0;
  }

  PageArray<Slot> slots_;
  std::size_t mask_ = 0;
  unsigned shift_ = 0;
  std::atomic<std::uint64_t> used_{0};
};

}  // namespace zablab
