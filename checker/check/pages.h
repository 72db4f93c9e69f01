// Memory in pages: large, zeroed when first touched, never moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace zablab {

/// The system provides no more addresses.
class AddressesUsedUp : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Pages of the operating system, reserved but not yet present. Throws AddressesUsedUp.
class Pages {
 public:
  Pages() = default;
  /// `huge`: in pages of 2 MiB, if the system provides them.
  Pages(std::size_t bytes, bool huge);
  Pages(Pages&& other) noexcept { *this = std::move(other); }
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(huge_, other.huge_);
    return *this;
  }
  ~Pages();

  void* data() const { return data_; }
  /// Returns the pages up to byte `end` to the system; they are zero from now on.
  void release(std::size_t end);
  std::size_t bytes() const { return bytes_; }
  /// Whether the system accepted the request for huge pages.
  bool huge() const { return huge_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  bool huge_ = false;
};

/// A long array of plain values, all zero at first.
template <class T>
class PageArray {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  PageArray() = default;
  explicit PageArray(std::size_t size, bool huge = false) : pages_(size * sizeof(T), huge), size_(size) {}
  std::size_t size() const { return size_; }
  bool huge() const { return pages_.huge(); }
  T& operator[](std::size_t i) const { return data()[i]; }
  T* data() const { return static_cast<T*>(pages_.data()); }
  /// Returns the memory of the elements before `end`, or of most of them, to the system: they are not read
  /// any more.
  void release(std::size_t end) { pages_.release(end * sizeof(T)); }

 private:
  Pages pages_;
  std::size_t size_ = 0;
};

/// Bytes of this process that are in memory now.
std::uint64_t residentBytes();

}  // namespace zablab
