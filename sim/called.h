// The shown names of a trace's servers and clients, for what is told of a whole run.
#pragma once

#include <map>
#include <string>

#include "sim/trace.h"

namespace zablab {

/// The names of the nodes of a trace.
class Called {
 public:
  explicit Called(const Trace& trace) {
    for (const Json& node : trace.header.value("nodes", Json::array())) {
      names_[node.at("id").dump()] = node.at("name").get<std::string>();
    }
  }
  std::string operator()(const Json& id) const {
    const auto found = names_.find(id.dump());
    return found == names_.end() ? id.dump() : found->second;
  }
  std::string all(const Json& ids) const {
    std::string text;
    for (const Json& id : ids) text += (text.empty() ? "" : ", ") + (*this)(id);
    return text;
  }

 private:
  std::map<std::string, std::string> names_;
};

}  // namespace zablab
