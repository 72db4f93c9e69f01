// The states that a search has met: a set of fingerprints, or of whole tuples.
//
// Slots are 64-bit fingerprints, in pages of 2 MiB if the system provides them. The set grows between the
// levels of a search, while no other thread is working.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "checker/check/pages.h"
#include "checker/check/scratch.h"
#include "protocol/reflect.h"

namespace zablab {

class FingerprintSet {
  __extension__ using Wide = unsigned __int128;

 public:
  explicit FingerprintSet(std::uint64_t slots = 1U << 12) { reserve(slots); }

  void prefetch(std::uint64_t print) const { __builtin_prefetch(&slots_[home(print).line], 1); }
  /// True if it was not in the set before.
  bool insert(std::uint64_t print) {
    if (print == 0) print = 1;
    for (Place at = home(print);; at.line = next(at.line)) {
      for (std::uint64_t i = 0; i < line_size; ++i) {
        std::atomic<std::uint64_t>& slot = slots_[at.line + (at.first + i) % line_size];
        std::uint64_t there = slot.load(std::memory_order_relaxed);
        if (there == print) return false;
        if (there != 0) continue;
        if (slot.compare_exchange_strong(there, print, std::memory_order_relaxed)) return true;
        if (there == print) return false;
      }
    }
  }
  bool contains(std::uint64_t print) const {
    if (print == 0) print = 1;
    for (Place at = home(print);; at.line = next(at.line)) {
      for (std::uint64_t i = 0; i < line_size; ++i) {
        const std::uint64_t there =
            slots_[at.line + (at.first + i) % line_size].load(std::memory_order_relaxed);
        if (there == print) return true;
        if (there == 0) return false;
      }
    }
  }

  /// No other thread may be working.
  template <class Do>
  void forEach(Do&& visit) const {
    for (std::uint64_t i = 0; i < size_; ++i) {
      if (const std::uint64_t print = slots_[i].load(std::memory_order_relaxed); print != 0) visit(print);
    }
  }

  std::uint64_t slots() const { return size_; }
  std::uint64_t bytes() const { return size_ * sizeof(std::uint64_t); }
  bool huge() const { return slots_.huge(); }
  /// How many it may hold before growing, and how many, more slowly, if it cannot grow.
  std::uint64_t capacity() const { return size_ / 10 * 9; }
  std::uint64_t capacityAtMost() const { return size_ / 100 * 97; }
  /// No other thread may be working. Memory that was read is returned on the way: homes keep their order, so
  /// that old and new together take little more than the new alone.
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
  static constexpr std::uint64_t line_size = 8;  ///< slots in a line of the processor's cache

  /// The place where a fingerprint is looked for first; a full line overflows into the next.
  struct Place {
    std::uint64_t line;   ///< the line's first slot
    std::uint64_t first;  ///< the first slot to look at within the line
  };
  /// The upper bits of the product: so any number of lines is possible.
  Place home(std::uint64_t print) const {
    const std::uint64_t mixed = print * 0x9e3779b97f4a7c15ULL;
    const auto slot = static_cast<std::uint64_t>((static_cast<Wide>(mixed) * size_) >> 64);
    return {slot / line_size * line_size, slot % line_size};
  }
  std::uint64_t next(std::uint64_t line) const { return line + line_size == size_ ? 0 : line + line_size; }
  void reserve(std::uint64_t slots) {
    size_ = slots / line_size * line_size;
    slots_ = PageArray<std::atomic<std::uint64_t>>(size_, slots > 1U << 18);
  }

  PageArray<std::atomic<std::uint64_t>> slots_;
  std::uint64_t size_ = 0;
};

/// A state that waits to be expanded.
struct Waiting {
  const std::uint32_t* tuple = nullptr;
  std::uint64_t print = 0;
  std::uint32_t ordinal = 0;
  std::uint32_t depth = 0;
};

/// States that wait, packed: numbers of components are mostly small, and waiting states take the most memory.
class Block {
 public:
  explicit Block(std::size_t words)
      : words_(words),
        begins_(std::make_unique_for_overwrite<std::uint16_t[]>(states_max)),
        bytes_(std::make_unique_for_overwrite<std::uint8_t[]>(size_max)) {}
  /// Of what `packed` returned.
  Block(std::size_t words, std::size_t count, std::span<const std::uint8_t> packed) : Block(words) {
    count_ = count;
    used_ = packed.size() - beginsSize();
    std::memcpy(begins_.get(), packed.data(), beginsSize());
    std::memcpy(bytes_.get(), packed.data() + beginsSize(), used_);
  }

  std::size_t count() const { return count_; }
  bool isFull() const { return count_ == states_room_ || used_ + (words_ + 2) * 5 + 8 > bytes_room_; }

  void add(const Waiting& state) {
    begins_[count_++] = static_cast<std::uint16_t>(used_);
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
  void removeLast() { used_ = begins_[--count_]; }
  /// Its states are not needed any more.
  void discard() {
    begins_.reset();
    bytes_.reset();
    count_ = used_ = 0;
  }
  /// Its states, which may be in this file.
  Bytes packed(const ScratchFile* file) const {
    Bytes packed(beginsSize() + used_);
    if (!bytes_) {
      file->read(place_, packed.data(), packed.size());
    } else {
      std::memcpy(packed.data(), begins_.get(), beginsSize());
      std::memcpy(packed.data() + beginsSize(), bytes_.get(), used_);
    }
    return packed;
  }

  /// Frees the memory that it does not need, or writes all of it to a file. False: it could not be written.
  bool close(ScratchFile* file) {
    states_room_ = count_;
    bytes_room_ = used_;
    if (file == nullptr) {
      begins_ = shortened(begins_, count_);
      bytes_ = shortened(bytes_, used_);
      return true;
    }
    const auto begins = std::exchange(begins_, nullptr);
    const auto bytes = std::exchange(bytes_, nullptr);
    place_ = file->take(beginsSize() + used_);
    return file->write(place_, begins.get(), beginsSize()) &&
           file->write(place_ + beginsSize(), bytes.get(), used_);
  }
  /// Reads back what it wrote to the file.
  void open(const ScratchFile& file) {
    if (bytes_) return;
    begins_ = std::make_unique_for_overwrite<std::uint16_t[]>(count_);
    bytes_ = std::make_unique_for_overwrite<std::uint8_t[]>(used_);
    file.read(place_, begins_.get(), beginsSize());
    file.read(place_ + beginsSize(), bytes_.get(), used_);
  }

 private:
  template <class T>
  static std::unique_ptr<T[]> shortened(const std::unique_ptr<T[]>& from, std::size_t size) {
    auto kept = std::make_unique_for_overwrite<T[]>(size);
    std::copy_n(from.get(), size, kept.get());
    return kept;
  }
  std::size_t beginsSize() const { return count_ * sizeof(std::uint16_t); }

  static constexpr std::size_t states_max = 256;
  static constexpr std::size_t size_max = 65'536;

  std::size_t words_;
  std::unique_ptr<std::uint16_t[]> begins_;
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t count_ = 0;
  std::size_t used_ = 0;
  std::size_t states_room_ = states_max;
  std::size_t bytes_room_ = size_max;
  std::uint64_t place_ = 0;  ///< in a file
};

/// The same with whole states: no state is missed, regardless of the fingerprints. A state's words are kept
/// by its ordinal; a slot is the upper half of a fingerprint and an ordinal.
class ExactSet {
 public:
  ExactSet(std::size_t words, std::uint64_t states_max)
      : words_(words), states_(states_max * (words + 2)), states_max_(states_max), slots_(1U << 12) {}

  /// Puts a state under an ordinal that is not in use. False: the state is already there, and the ordinal is
  /// free again.
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
  std::uint64_t capacityAtMost() const { return capacity(); }
  std::uint64_t slots() const { return slots_.size(); }
  void prefetch(std::uint64_t print) const { __builtin_prefetch(&slots_[home(print)], 1); }
  /// No other thread may be working.
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
