// The file in which a search leaves how far it is, so that another process can go on. It is complete or
// absent: it is written beside the last one, which it then replaces.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "protocol/reflect.h"
#include "sim/stored.h"

namespace zablab {

/// Pages have no files.
#ifdef __EMSCRIPTEN__
inline constexpr bool has_checkpoints = false;
#else
inline constexpr bool has_checkpoints = true;
#endif

/// A hash of the files that hold this program and this family's code.
std::uint64_t programHash(const AnyFamily& family);

std::string checkpointPath(const std::string& directory);
void removeCheckpoint(const std::string& directory);

/// Items are put one after another; each is within one frame, which has its length and a hash.
class CheckpointWriter {
 public:
  CheckpointWriter(const std::string& directory, std::span<const StoredType> types);
  CheckpointWriter(const CheckpointWriter&) = delete;
  /// Removes what `finish` did not complete.
  ~CheckpointWriter();

  template <class T>
  void put(const T& item) {
    reflect_detail::Writer<StoredValues> writer(frame_, values_);
    writer.put(item);
    writer.flush();
    endOfItem();
  }
  void put(const void* data, std::size_t bytes);
  /// Replaces the last checkpoint. Empty, or why that failed, and the last one is as it was.
  std::string finish();

 private:
  void endOfItem() {
    if (frame_.size() >= frame_bytes) writeFrame();
  }
  void writeFrame();
  void write(const void* data, std::size_t bytes);

  static constexpr std::size_t frame_bytes = 1U << 20;

  std::string path_;
  std::string new_path_;
  StoredValues values_;
  int file_ = -1;
  int error_ = 0;  ///< errno of the first failure
  Bytes frame_;
};

/// Reads what a CheckpointWriter wrote. Throws InputError if the file is damaged.
class CheckpointReader {
 public:
  /// If there is no checkpoint, `exists` is false.
  CheckpointReader(const std::string& directory, std::span<const StoredType> types);
  CheckpointReader(const CheckpointReader&) = delete;
  ~CheckpointReader();

  bool exists() const { return file_ >= 0; }
  template <class T>
  T get() {
    nextFrame();
    reflect_detail::Reader<StoredValues> reader(std::span<const std::uint8_t>(frame_).subspan(at_), values_);
    T item{};
    try {
      reader.get(item);
    } catch (const DecodeError&) {
      damaged();
    }
    at_ = frame_.size() - reader.rest().size();
    return item;
  }
  void get(void* data, std::size_t bytes);
  [[noreturn]] void damaged() const;
  [[noreturn]] void refuse(
      const std::string& what,
      const std::string& help = "remove the file to begin again, or name another directory") const;

 private:
  void nextFrame();
  void read(void* data, std::size_t bytes);

  std::string path_;
  StoredValues values_;
  int file_ = -1;
  Bytes frame_;
  std::size_t at_ = 0;
};

}  // namespace zablab
