// The states that a search has met: a set of fingerprints, or of whole tuples.
//
// Slots are 64-bit fingerprints in pages of 2 MiB where the system grants them, at most 3 of 4 taken. It
// grows between the levels of a search, while nobody else is at work.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

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
  /// Nobody else may be at work. What was read is given back on the way: homes keep their order, so that old
  /// and new together take little more than the new alone.
  void grow(std::uint64_t slots) {
    PageArray<std::atomic<std::uint64_t>> old = std::move(slots_);
    const std::uint64_t before = size_;
    reserve(slots);
    for (std::uint64_t i = 0; i < before; ++i) {
      if (i % (1U << 23) == 0) old.release(i);
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

/// A state that waits to be followed.
struct Waiting {
  const std::uint32_t* tuple = nullptr;
  std::uint64_t print = 0;
  std::uint32_t ordinal = 0;
  std::uint32_t depth = 0;
};

/// States that wait, packed: numbers of components are mostly small, and the waiting take the most memory.
class Block {
 public:
  explicit Block(std::size_t words)
      : words_(words), bytes_(std::make_unique_for_overwrite<std::uint8_t[]>(size_max)) {}

  std::size_t count() const { return begins_.size(); }
  bool isFull() const { return count() == states_max || used_ + (words_ + 2) * 5 + 8 > room_; }

  void add(const Waiting& state) {
    begins_.push_back(static_cast<std::uint32_t>(used_));
    std::uint8_t* to = bytes_.get() + used_;
    const auto put = [&to](std::uint32_t value) {
      for (; value >= 0x80; value >>= 7) *to++ = static_cast<std::uint8_t>(value | 0x80);
      *to++ = static_cast<std::uint8_t>(value);
    };
    for (std::size_t i = 0; i < words_; ++i) put(state.tuple[i]);
    put(state.ordinal);
    put(state.depth);
    std::memcpy(to, &state.print, sizeof state.print);
    used_ = static_cast<std::size_t>(to + sizeof state.print - bytes_.get());
  }
  /// The i-th, its tuple unpacked into `tuple`.
  Waiting at(std::size_t i, std::uint32_t* tuple) const {
    const std::uint8_t* from = bytes_.get() + begins_[i];
    const auto get = [&from] {
      std::uint32_t value = *from & 0x7f;
      for (unsigned shift = 7; (*from++ & 0x80) != 0; shift += 7) value |= (*from & 0x7fU) << shift;
      return value;
    };
    for (std::size_t k = 0; k < words_; ++k) tuple[k] = get();
    Waiting state{tuple};
    state.ordinal = get();
    state.depth = get();
    std::memcpy(&state.print, from, sizeof state.print);
    return state;
  }
  void removeLast() {
    used_ = begins_.back();
    begins_.pop_back();
  }
  /// Gives back what it does not need.
  void close() {
    auto kept = std::make_unique_for_overwrite<std::uint8_t[]>(used_);
    std::memcpy(kept.get(), bytes_.get(), used_);
    bytes_ = std::move(kept);
    room_ = used_;
    begins_.shrink_to_fit();
  }

 private:
  static constexpr std::size_t states_max = 256;
  static constexpr std::size_t size_max = 65'536;

  std::size_t words_;
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t room_ = size_max;
  std::size_t used_ = 0;
  std::vector<std::uint32_t> begins_;
};

/// The same with whole states: nothing is left out, whatever the fingerprints. A state's words are kept by
/// its ordinal; a slot is the upper half of a fingerprint and an ordinal.
class ExactSet {
 public:
  ExactSet(std::size_t words, std::uint64_t states_max)
      : words_(words), states_(states_max * (words + 2)), states_max_(states_max), slots_(1U << 12) {}

  /// Puts a state under an ordinal that nobody else uses. False: it is there already, and the ordinal is free
  /// again.
  bool insert(std::uint64_t print, const std::uint32_t* state, std::uint32_t ordinal) {
    if (ordinal >= states_max_) return false;
    std::uint32_t* const own = at(ordinal);
    std::copy_n(state, words_, own);
    own[words_] = static_cast<std::uint32_t>(print);
    own[words_ + 1] = static_cast<std::uint32_t>(print >> 32);
    return place(print, ordinal);
  }
  bool isFull(std::uint64_t ordinal) const { return ordinal >= states_max_; }
  std::uint64_t capacity() const { return slots_.size() / 4 * 3; }
  std::uint64_t slots() const { return slots_.size(); }
  void prefetch(std::uint64_t print) const { __builtin_prefetch(&slots_[home(print)], 1); }
  /// Nobody else may be at work.
  void grow(std::uint64_t slots) {
    const PageArray<std::atomic<std::uint64_t>> old = std::move(slots_);
    slots_ = PageArray<std::atomic<std::uint64_t>>(slots, slots > 1U << 18);
    for (std::uint64_t i = 0; i < old.size(); ++i) {
      const std::uint64_t slot = old[i].load(std::memory_order_relaxed);
      if (slot == 0) continue;
      const auto ordinal = static_cast<std::uint32_t>(slot) - 1;
      const std::uint32_t* const state = at(ordinal);
      place(std::uint64_t{state[words_ + 1]} << 32 | state[words_], ordinal);
    }
  }

 private:
  std::uint32_t* at(std::uint32_t ordinal) const { return &states_[ordinal * (words_ + 2)]; }
  std::uint64_t home(std::uint64_t print) const {
    return (print * 0x9e3779b97f4a7c15ULL >> 16) % slots_.size();
  }
  bool place(std::uint64_t print, std::uint32_t ordinal) {
    const std::uint64_t mine = (print >> 32) << 32 | (ordinal + 1);
    for (std::uint64_t i = home(print);; i = i + 1 == slots_.size() ? 0 : i + 1) {
      std::uint64_t there = slots_[i].load(std::memory_order_acquire);
      if (there == 0 && slots_[i].compare_exchange_strong(there, mine)) return true;
      if (there >> 32 != mine >> 32) continue;
      const std::uint32_t* const other = at(static_cast<std::uint32_t>(there) - 1);
      if (std::equal(other, other + words_, at(ordinal))) return false;
    }
  }

  std::size_t words_;
  PageArray<std::uint32_t> states_;
  std::uint64_t states_max_;
  PageArray<std::atomic<std::uint64_t>> slots_;
};

}  // namespace zablab
