// What a search keeps on disk, where it is told to: memory then holds little more than the set of what was
// met.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "checker/check/pages.h"

namespace zablab {

/// A file without a name, gone when it is closed. Several threads may read and write.
class ScratchFile {
 public:
  /// Throws std::runtime_error where the directory takes no file.
  explicit ScratchFile(const std::string& directory);
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();

  /// False: the disk is full, or broken.
  bool write(std::uint64_t at, const void* data, std::size_t bytes);
  /// Throws std::runtime_error where that was not written.
  void read(std::uint64_t at, void* data, std::size_t bytes) const;
  /// So many bytes at the end, for the caller alone.
  std::uint64_t take(std::size_t bytes) { return end_.fetch_add(bytes, std::memory_order_relaxed); }
  /// Nobody else may be at work.
  void clear();
  /// That were taken or written.
  std::uint64_t bytes() const { return end_.load(std::memory_order_relaxed); }

 private:
  int descriptor_ = -1;
  std::atomic<std::uint64_t> end_{0};
};

/// Which state's which move led to a state.
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
  /// On disk in this directory; empty: in memory, of which a search has so many bytes.
  Origins(const std::string& directory, std::uint64_t memory_bytes);
  /// How many there may be.
  std::uint64_t max() const { return file_ ? ordinals_max : here_.size(); }
  /// False: the disk is full, or broken.
  bool put(std::uint32_t first, const std::vector<Origin>& origins);
  Origin of(std::uint32_t ordinal) const;
  std::uint64_t bytesOnDisk() const { return file_ ? file_->bytes() : 0; }

  static constexpr std::uint64_t ordinals_max = 1ULL << 32;

 private:
  PageArray<Origin> here_;
  std::unique_ptr<ScratchFile> file_;
};

}  // namespace zablab
