#include "sim/kafka/narrative.h"

namespace zablab::kafka {

std::vector<std::string> narrativeOf(const Trace& trace) {
  std::vector<std::string> lines;
  for (const TraceEvent& event : trace.events) {
    const bool refused = event.kind == "controller_request" && !event.data.at("accepted").get<bool>();
    const bool told = refused || event.kind == "controller_elected" || event.kind == "election_lost" ||
                      event.kind == "resigned" || event.kind == "leader_chosen" ||
                      event.kind == "session_expired";
    if (told && !event.text.empty())
      lines.push_back("at " + std::to_string(event.time) + " ms " + event.text);
  }
  return lines;
}

std::vector<std::string> answerOf(const Trace& trace) {
  std::string elected;
  std::string chosen;
  int elections = 0;
  for (const TraceEvent& event : trace.events) {
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
  return sentences;
}

}  // namespace zablab::kafka
