// What a trace records of nodes' states: at each event, what has changed since it was last recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json.h"
#include "sim/json_type.h"
#include "sim/trace.h"

namespace zablab {

/// A path is names of members with points between them; empty: the state itself. Nodes are named by index.
class RecordedStates {
 public:
  RecordedStates(std::size_t nodes, std::vector<TraceEvent>& events)
      : events_(events), states_(nodes, Json::object()) {}

  /// Records the members of a struct that differ from `before`; null: it was not recorded before.
  void noteMembers(int node, std::uint64_t index, const std::string& path,
                   const json_detail::StructType& type, const void* before, const void* now);
  void noteMember(int node, std::uint64_t index, const std::string& path, std::string_view name,
                  const json_detail::Type& type, const void* before, const void* now);
  /// No value: it is not there. Neither is, in the state itself, what is null.
  void note(int node, std::uint64_t index, const std::string& path, std::string_view name,
            std::optional<Json> value);
  /// Of a node that ends, only its disk is left.
  void noteEnd(int node, std::uint64_t index);

 private:
  bool noteEntries(int node, std::uint64_t index, const std::string& path, const json_detail::MapType& map,
                   const void* before, const void* now);
  void noteWhole(int node, std::uint64_t index, const std::string& path, const std::string& key);
  bool noteGrowth(std::uint64_t index, const std::string& path, const Json& before, const Json& now);
  Json& stateAt(int node, const std::string& path) {
    return memberAt(states_[static_cast<std::size_t>(node)], path);
  }

  std::vector<TraceEvent>& events_;
  std::vector<Json> states_;  ///< as last recorded
};

}  // namespace zablab
