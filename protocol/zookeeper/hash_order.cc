#include "protocol/zookeeper/hash_order.h"

#include <algorithm>

#include "protocol/zookeeper/utf16.h"

namespace zablab::zookeeper {
namespace {

std::uint32_t bucketOf(std::string_view name, std::uint32_t capacity) {
  const std::uint32_t hash = javaHash(name);
  return (hash ^ (hash >> 16)) & (capacity - 1);
}

void grow(HashSet& set, std::uint32_t capacity) {
  set.capacity = capacity;
  std::stable_sort(set.names.begin(), set.names.end(), [capacity](const auto& a, const auto& b) {
    return bucketOf(a, capacity) < bucketOf(b, capacity);
  });
}

}  // namespace

void HashSet::insert(std::string_view name) {
  if (contains(name)) return;
  const auto place = std::upper_bound(
      names.begin(), names.end(), bucketOf(name, capacity),
      [this](std::uint32_t bucket, const auto& other) { return bucket < bucketOf(other, capacity); });
  names.emplace(place, name);
  if (names.size() * 4 > std::size_t{capacity} * 3) grow(*this, capacity * 2);
}

void HashSet::erase(std::string_view name) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at != names.end()) names.erase(at);
}

bool HashSet::contains(std::string_view name) const {
  return std::find(names.begin(), names.end(), name) != names.end();
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
