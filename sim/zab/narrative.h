// A trace of servers that elect and broadcast, summarized in a few lines.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/trace.h"

namespace zablab::zab {

/// The names of the servers of a trace.
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

/// What is to be reported of an event about the service's clients; empty: nothing.
using OwnLine = std::function<std::string(const TraceEvent&, const Called&)>;

/// Who won each election and why, which epochs were established, and what the service adds: one line for
/// each.
std::vector<std::string> tellElections(const Trace& trace, const OwnLine& own = {});

/// Who leads when the run ends, elected by whose votes, preferred for what over the strongest other
/// candidate, and what became of the end of the log: one sentence each.
std::vector<std::string> answerOf(const Trace& trace);

}  // namespace zablab::zab
