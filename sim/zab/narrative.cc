#include "sim/zab/narrative.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace zablab::zab {
namespace {

/// "epoch 2 > 1", from the text of the event: the part after the colon.
std::string reasonIn(const std::string& text) {
  const std::size_t colon = text.find(": ");
  return colon == std::string::npos ? "" : text.substr(colon + 2);
}

}  // namespace

std::vector<std::string> tellElections(const Trace& trace, const OwnLine& own) {
  const Called called(trace);
  std::vector<std::string> lines;
  std::map<std::string, std::string> reasons;  // by candidate: why its vote was preferred, last
  for (const TraceEvent& event : trace.events) {
    if (!event.node) continue;
    const std::string self = called(Json(*event.node));
    const std::string at = " at " + std::to_string(event.time) + " ms";
    if (event.kind == "vote") {
      reasons[event.data.at("vote").at("leader").dump()] = reasonIn(event.text);
    } else if (event.kind == "decided") {
      const Json& vote = event.data.at("vote");
      const bool joins = event.data.at("by").get<std::string>().starts_with("join");
      if (vote.at("leader") == *event.node) {
        const auto reason = reasons.find(vote.at("leader").dump());
        lines.push_back("round " + vote.at("election_epoch").dump() + ": " + self + " wins" + at +
                        " with the votes of " + called.all(event.data.at("counted")) +
                        (reason == reasons.end() ? "" : "; preferred for its " + reason->second));
      } else if (joins) {
        lines.push_back("round " + vote.at("election_epoch").dump() + ": " + self + " joins " +
                        called(vote.at("leader")) + at + ", according to " +
                        called.all(event.data.at("counted")));
      }
    } else if (event.kind == "established" && !event.data.at("by").empty()) {
      lines.push_back("epoch " + event.data.at("epoch").dump() + ": " + self + " leads from" + at.substr(3) +
                      "; " + called.all(event.data.at("by")) + " have its history up to " +
                      event.data.at("last").get<std::string>() + ", and all of it is committed");
    } else if (own) {
      std::string line = own(event, called);
      if (!line.empty()) lines.push_back(std::move(line));
    }
  }
  if (lines.empty()) lines.push_back("no server was elected");
  return lines;
}

}  // namespace zablab::zab
