// The states that a search has met: a set of fingerprints, or of whole tuples.
//
// Slots are 64-bit fingerprints in pages of 2 MiB where the system grants them, at most 3 of 4 taken. It grows
// between the levels of a search, while nobody else is at work.
#pragma once

#include <atomic>
#include <cstdint>

#include "checker/check/pages.h"

namespace zablab {

class FingerprintSet {
  __extension__ using Wide = unsigned __int128;

 public:
  explicit FingerprintSet(std::uint64_t slots = 1U << 12) { reserve(slots); }

  void prefetch(std::uint64_t print) const { __builtin_prefetch(&slots_[home(print)], 1); }
  /// True if it was not there before.
  bool insert(std::uint64_t print) {
    if (print == 0) print = 1;
    for (std::uint64_t at = home(print);; at = at + 1 == size_ ? 0 : at + 1) {
      std::uint64_t there = slots_[at].load(std::memory_order_relaxed);
      if (there == print) return false;
      if (there != 0) continue;
      if (slots_[at].compare_exchange_strong(there, print, std::memory_order_relaxed)) return true;
      if (there == print) return false;
    }
  }
  bool contains(std::uint64_t print) const {
    if (print == 0) print = 1;
    for (std::uint64_t at = home(print);; at = at + 1 == size_ ? 0 : at + 1) {
      const std::uint64_t there = slots_[at].load(std::memory_order_relaxed);
      if (there == print) return true;
      if (there == 0) return false;
    }
  }

  std::uint64_t slots() const { return size_; }
  std::uint64_t bytes() const { return size_ * sizeof(std::uint64_t); }
  bool huge() const { return slots_.huge(); }
  /// How many it may hold.
  std::uint64_t capacity() const { return size_ / 4 * 3; }
  /// Nobody else may be at work.
  void grow(std::uint64_t slots) {
    const PageArray<std::atomic<std::uint64_t>> old = std::move(slots_);
    const std::uint64_t before = size_;
    reserve(slots);
    for (std::uint64_t i = 0; i < before; ++i) {
      const std::uint64_t print = old[i].load(std::memory_order_relaxed);
      if (print != 0) insert(print);
    }
  }

 private:
  /// The upper bits of the product: any number of slots will do.
  std::uint64_t home(std::uint64_t print) const {
    const std::uint64_t mixed = print * 0x9e3779b97f4a7c15ULL;
    return static_cast<std::uint64_t>((static_cast<Wide>(mixed) * size_) >> 64);
  }
  void reserve(std::uint64_t slots) {
    slots_ = PageArray<std::atomic<std::uint64_t>>(slots, slots > 1U << 18);
    size_ = slots;
  }

  PageArray<std::atomic<std::uint64_t>> slots_;
  std::uint64_t size_ = 0;
};

}  // namespace zablab
