// The shown names of a trace's servers and clients, for what is told of a whole run.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "sim/binding.h"
#include "sim/scenario.h"
#include "sim/trace.h"

namespace zablab {

inline Names namesOf(const Trace& trace) {
  std::map<ServerId, std::string> names;
  for (const Json& node : trace.header.value("nodes", Json::array()))
    names[node.at("id").get<ServerId>()] = node.at("name").get<std::string>();
  return Names(std::move(names));
}

/// The names of nodes by their ids in JSON.
class Called {
 public:
  explicit Called(const Trace& trace) : names_(namesOf(trace)) {}
  std::string operator()(const Json& id) const { return names_(serverIn(id)); }
  const Names& names() const { return names_; }

 private:
  Names names_;
};

}  // namespace zablab
