#include "protocol/zookeeper/hash_order.h"

#include <algorithm>

#include "protocol/zookeeper/utf16.h"

namespace zablab::zookeeper {
namespace {

std::uint32_t bucketOf(std::string_view name, std::uint32_t capacity) {
  const std::uint32_t hash = javaHash(name);
  return (hash ^ (hash >> 16)) & (capacity - 1);
}

/// The names that have the bucket of this one.
auto bucket(const HashSet& set, std::string_view name) {
  struct Order {
    std::uint32_t capacity;
    bool operator()(std::uint32_t a, const std::string& b) const { return a < bucketOf(b, capacity); }
    bool operator()(const std::string& a, std::uint32_t b) const { return bucketOf(a, capacity) < b; }
  };
  return std::equal_range(set.names.begin(), set.names.end(), bucketOf(name, set.capacity),
                          Order{set.capacity});
}

void grow(HashSet& set, std::uint32_t capacity) {
  set.capacity = capacity;
  std::stable_sort(set.names.begin(), set.names.end(), [capacity](const auto& a, const auto& b) {
    return bucketOf(a, capacity) < bucketOf(b, capacity);
  });
}

}  // namespace

void HashSet::insert(std::string_view name) {
  const auto [begin, end] = bucket(*this, name);
  if (std::find(begin, end, name) != end) return;
  names.emplace(end, name);
  if (names.size() * 4 > std::size_t{capacity} * 3) grow(*this, capacity * 2);
}

void HashSet::erase(std::string_view name) {
  const auto [begin, end] = bucket(*this, name);
  const auto at = std::find(begin, end, name);
  if (at != end) names.erase(at);
}

HashSet cloned(const HashSet& set) {
  // HashMap.putMapEntries: the smallest power of two that is not less than n / 0.75 + 1.
  const std::size_t least = set.names.size() * 4 / 3 + 1;
  HashSet copy{{}, 1};
  while (copy.capacity < least) copy.capacity *= 2;
  for (const std::string& name : set.names) copy.insert(name);
  return copy;
}

}  // namespace zablab::zookeeper
