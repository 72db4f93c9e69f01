// What the engines ask of a family beside its steps: how its values are said to people, and how scenarios
// name them. Specialised once for each family, in sim/<family>/binding.h.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "protocol/vocabulary.h"

namespace zablab {

/// What servers and clients are called.
class Names {
 public:
  explicit Names(std::map<ServerId, std::string> names) : names_(std::move(names)) {}
  std::string operator()(ServerId id) const {
    if (id == no_server) return "nobody";
    const auto found = names_.find(id);
    return found == names_.end() ? std::to_string(id) : found->second;
  }

 private:
  std::map<ServerId, std::string> names_;
};

template <class Family>
struct Binding;

}  // namespace zablab
