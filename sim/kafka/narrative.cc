#include "sim/kafka/narrative.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>

namespace zablab::kafka {
namespace {

/// What producers were answered, and what the last leader has of it.
class Records {
 public:
  void read(const TraceEvent& event) {
    if (event.kind == "replica_role" && event.node && event.data.at("leader") == *event.node) {
      const auto epoch = event.data.at("leader_epoch").get<std::int64_t>();
      if (epoch < leader_epoch_) return;
      leader_epoch_ = epoch;
      leader_ = *event.node;
      kept_.clear();
      for (const Json& number : event.data.at("records")) kept_.insert(number.get<std::int64_t>());
      for (const auto& [number, broker] : acknowledged_) {
        if (!kept_.contains(number)) lost_.insert(number);
      }
    }
    if (event.kind != "produced" || event.data.at("outcome") != "ok" || event.data.at("acks") == "none")
      return;
    const auto number = event.data.at("number").get<std::int64_t>();
    const auto broker = event.data.at("broker").get<std::int64_t>();
    acknowledged_[number] = broker;
    // What another broker accepts after that is lost, too.
    if (broker != leader_ && !kept_.contains(number)) lost_.insert(number);
  }
  std::optional<std::string> sentence() const {
    if (acknowledged_.empty()) return std::nullopt;
    return std::to_string(acknowledged_.size()) + " records were acknowledged, " +
           std::to_string(lost_.size()) + " of them lost";
  }

 private:
  std::int64_t leader_epoch_ = -1;
  std::int64_t leader_ = 0;
  std::set<std::int64_t> kept_;                        ///< what the leader began with
  std::map<std::int64_t, std::int64_t> acknowledged_;  ///< by which broker
  std::set<std::int64_t> lost_;
};

}  // namespace

std::vector<std::string> narrativeOf(const Trace& trace) {
  std::vector<std::string> lines;
  for (const TraceEvent& event : trace.events) {
    const bool refused = event.kind == "controller_request" && !event.data.at("accepted").get<bool>();
    const bool matters = refused || event.kind == "controller_elected" || event.kind == "election_lost" ||
                         event.kind == "resigned" || event.kind == "leader_chosen" ||
                         event.kind == "session_expired" || event.kind == "log_truncated" ||
                         event.kind == "isr_changed";
    if (matters && !event.text.empty())
      lines.push_back("at " + std::to_string(event.time) + " ms " + event.text);
  }
  return lines;
}

std::vector<std::string> answerOf(const Trace& trace) {
  std::string elected;
  std::string chosen;
  int elections = 0;
  Records records;
  for (const TraceEvent& event : trace.events) {
    records.read(event);
    if (event.kind == "controller_elected") {
      elected = event.text;
      ++elections;
    }
    if (event.kind == "leader_chosen") chosen = event.text;
  }
  if (elections == 0) return {"no broker became the controller"};
  std::vector<std::string> sentences{
      std::to_string(elections) + (elections == 1 ? " controller was elected" : " controllers were elected"),
      elected};
  if (!chosen.empty()) sentences.push_back(chosen);
  if (const auto sentence = records.sentence()) sentences.push_back(*sentence);
  return sentences;
}

}  // namespace zablab::kafka
