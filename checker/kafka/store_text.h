// What brokers write to ZooKeeper, as the monitors read it.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/kafka/types.h"

namespace zablab::kafka {

inline bool isIn(const std::vector<ServerId>& list, ServerId id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}
/// Those of the first list that are in the second one, too.
inline std::vector<ServerId> bothIn(const std::vector<ServerId>& ordered,
                                    const std::vector<ServerId>& other) {
  std::vector<ServerId> both;
  for (const ServerId one : ordered) {
    if (isIn(other, one)) both.push_back(one);
  }
  return both;
}

/// Of the node of a live broker.
std::string registrationPath(ServerId broker);
/// Empty: it is no whole number.
std::optional<std::int64_t> readNumber(std::string_view text);
/// Of the node of the partition's state; empty: it is none.
std::optional<Partition> readState(std::string_view text);

}  // namespace zablab::kafka
