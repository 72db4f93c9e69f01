#include "sim/zab/narrative.h"

#include <map>

namespace zablab::zab {
namespace {

/// What the servers of a trace are called.
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

/// "epoch 2 > 1", from the words of the event: what stands behind the colon.
std::string reasonIn(const std::string& text) {
  const std::size_t colon = text.find(": ");
  return colon == std::string::npos ? "" : text.substr(colon + 2);
}

}  // namespace

std::vector<std::string> tellElections(const Trace& trace) {
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
        lines.push_back("round " + vote.at("round").dump() + ": " + self + " wins" + at +
                        " with the votes of " + called.all(event.data.at("counted")) +
                        (reason == reasons.end() ? "" : "; preferred for its " + reason->second));
      } else if (joins) {
        lines.push_back("round " + vote.at("round").dump() + ": " + self + " joins " +
                        called(vote.at("leader")) + at + ", as " + called.all(event.data.at("counted")) +
                        " say");
      }
    } else if (event.kind == "established" && !event.data.at("by").empty()) {
      lines.push_back("epoch " + event.data.at("epoch").dump() + ": " + self + " leads from" + at.substr(3) +
                      "; " + called.all(event.data.at("by")) + " have its history up to " +
                      event.data.at("last").get<std::string>() + ", and all of it is committed");
    } else if (event.kind == "answered" && event.data.at("outcome") == "unknown") {
      lines.push_back(self + " cannot know what became of its " +
                      event.data.at("operation").get<std::string>() + " (request " +
                      event.data.at("number").dump() + "): its connection was lost" + at);
    }
  }
  if (lines.empty()) lines.push_back("nobody was elected");
  return lines;
}

}  // namespace zablab::zab
