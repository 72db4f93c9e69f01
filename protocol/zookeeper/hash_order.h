// The order in which a Java HashSet of strings lists its elements. Clients see it: it is the order of
// children and of ephemerals, and of the events when a session's ephemerals are deleted.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zablab::zookeeper {

/// A set of names in the order of its buckets; within a bucket in the order of insertion. Its capacity
/// doubles when more than three quarters of it are used, and never shrinks.
struct HashSet {
  std::vector<std::string> names;
  std::uint32_t capacity = 16;

  void insert(std::string_view name);
  void erase(std::string_view name);
  bool operator==(const HashSet&) const = default;
};
BOOST_DESCRIBE_STRUCT(HashSet, (), (names, capacity))

/// A copy as HashSet.clone makes it: its capacity follows from the number of names.
HashSet cloned(const HashSet& set);

}  // namespace zablab::zookeeper
