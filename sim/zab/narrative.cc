#include "sim/zab/narrative.h"

#include <map>

namespace zablab::zab {
namespace {

std::string ids(const Json& list) {
  std::string text;
  for (const Json& id : list) text += (text.empty() ? "" : ", ") + id.dump();
  return text;
}

/// "epoch 2 > 1", from the words of the event: what stands behind the colon.
std::string reasonIn(const std::string& text) {
  const std::size_t colon = text.find(": ");
  return colon == std::string::npos ? "" : text.substr(colon + 2);
}

}  // namespace

std::vector<std::string> tellElections(const Trace& trace) {
  std::vector<std::string> lines;
  std::map<std::string, std::string> reasons;  // by candidate: why its vote was preferred, last
  for (const TraceEvent& event : trace.events) {
    if (event.kind == "vote") reasons[event.data.at("vote").at("leader").dump()] = reasonIn(event.text);
    if (event.kind != "decided" || !event.node || event.data.at("vote").at("leader") != *event.node) continue;
    const Json& vote = event.data.at("vote");
    const auto reason = reasons.find(vote.at("leader").dump());
    lines.push_back("round " + vote.at("round").dump() + ": server " + std::to_string(*event.node) +
                    " wins at " + std::to_string(event.time) + " ms with the votes of " +
                    ids(event.data.at("counted")) +
                    (reason == reasons.end() ? "" : "; preferred for its " + reason->second));
  }
  if (lines.empty()) lines.push_back("nobody won an election");
  return lines;
}

}  // namespace zablab::zab
