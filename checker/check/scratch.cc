#include "checker/check/scratch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace zablab {

ScratchFile::ScratchFile(const std::string& directory) {
  std::string name = directory + "/zablab-XXXXXX";
  descriptor_ = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0)
    throw std::runtime_error("no file can be created in `" + directory + "`: " + std::strerror(errno));
  unlink(name.c_str());
}

ScratchFile::~ScratchFile() { close(descriptor_); }

bool ScratchFile::write(std::uint64_t at, const void* data, std::size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  std::uint64_t known = end_.load(std::memory_order_relaxed);
  while (known < at + bytes && !end_.compare_exchange_weak(known, at + bytes, std::memory_order_relaxed)) {
  }
  while (bytes > 0) {
    const ssize_t done = pwrite(descriptor_, from, bytes, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    from += done;
    at += static_cast<std::uint64_t>(done);
    bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

void ScratchFile::read(std::uint64_t at, void* data, std::size_t bytes) const {
  auto* to = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t done = pread(descriptor_, to, bytes, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) throw std::runtime_error("a file of the search cannot be read back");
    to += done;
    at += static_cast<std::uint64_t>(done);
    bytes -= static_cast<std::size_t>(done);
  }
}

void ScratchFile::clear() {
  end_ = 0;
  if (ftruncate(descriptor_, 0) != 0) throw std::runtime_error("a file of the search cannot be emptied");
}

Origins::Origins(const std::string& directory, std::uint64_t memory_bytes) {
  if (directory.empty()) {
    // In addition to an origin there is at least a fingerprint.
    const std::uint64_t states = memory_bytes / (sizeof(Origin) + sizeof(std::uint64_t));
    here_ = PageArray<Origin>(std::clamp<std::uint64_t>(states, 1U << 20, ordinals_max));
  } else {
    file_ = std::make_unique<ScratchFile>(directory);
  }
}

bool Origins::put(std::uint32_t first, const std::vector<Origin>& origins) {
  if (file_) return file_->write(first * sizeof(Origin), origins.data(), origins.size() * sizeof(Origin));
  std::copy(origins.begin(), origins.end(), here_.data() + first);
  return true;
}

std::vector<Origin> Origins::from(std::uint64_t first, std::uint64_t count) const {
  std::vector<Origin> origins(count);
  if (!file_) {
    std::copy_n(here_.data() + first, count, origins.begin());
  } else if (const std::uint64_t there = file_->bytes() / sizeof(Origin); there > first) {
    file_->read(first * sizeof(Origin), origins.data(), std::min(count, there - first) * sizeof(Origin));
  }
  return origins;
}

Origin Origins::of(std::uint32_t ordinal) const {
  if (!file_) return here_[ordinal];
  Origin origin;
  file_->read(ordinal * sizeof(Origin), &origin, sizeof origin);
  return origin;
}

}  // namespace zablab
