// What a search keeps on disk, if so requested: memory then holds little more than the set of states met.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "checker/check/pages.h"

namespace zablab {

/// A file without a name, removed when it is closed. Several threads may read and write.
class ScratchFile {
 public:
  /// Throws std::runtime_error if no file can be created in the directory.
  explicit ScratchFile(const std::string& directory);
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();

  /// Returns false if the disk is full, or defective.
  bool write(std::uint64_t at, const void* data, std::size_t bytes);
  /// Throws std::runtime_error if that was not written.
  void read(std::uint64_t at, void* data, std::size_t bytes) const;
  /// Reserves this many bytes at the end, for the caller alone.
  std::uint64_t take(std::size_t bytes) { return end_.fetch_add(bytes, std::memory_order_relaxed); }
  /// No other thread may be working.
  void clear();
  /// The number of bytes that were reserved or written.
  std::uint64_t bytes() const { return end_.load(std::memory_order_relaxed); }

 private:
  int descriptor_ = -1;
  std::atomic<std::uint64_t> end_{0};
};

/// The state, and its move, that led to a state.
class Origin {
 public:
  Origin() = default;
  Origin(std::uint32_t parent, std::uint16_t move)
      : words_{static_cast<std::uint16_t>(parent), static_cast<std::uint16_t>(parent >> 16), move} {}
  std::uint32_t parent() const { return words_[0] | static_cast<std::uint32_t>(words_[1]) << 16; }
  std::uint16_t move() const { return words_[2]; }

 private:
  std::uint16_t words_[3] = {};  ///< there are hundreds of millions: no padding
};
static_assert(sizeof(Origin) == 6);

/// The origins of states, by their ordinals.
class Origins {
 public:
  /// On disk in this directory; empty: in memory, of which a search has this many bytes.
  Origins(const std::string& directory, std::uint64_t memory_bytes);
  /// The largest possible number.
  std::uint64_t max() const { return file_ ? ordinals_max : here_.size(); }
  /// Returns false if the disk is full, or defective.
  bool put(std::uint32_t first, const std::vector<Origin>& origins);
  Origin of(std::uint32_t ordinal) const;
  /// `count` of them from this ordinal on; those that were never put are zero.
  std::vector<Origin> from(std::uint64_t first, std::uint64_t count) const;
  std::uint64_t bytesOnDisk() const { return file_ ? file_->bytes() : 0; }

  static constexpr std::uint64_t ordinals_max = 1ULL << 32;

 private:
  PageArray<Origin> here_;
  std::unique_ptr<ScratchFile> file_;
};

}  // namespace zablab
