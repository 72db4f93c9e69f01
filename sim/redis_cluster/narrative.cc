#include "sim/redis_cluster/words.h"

#include <map>

namespace zablab::redis_cluster {

std::vector<std::string> Words::narrate(const Trace& trace) {
  std::vector<std::string> lines;
  for (const TraceEvent& event : trace.events) {
    const bool fail = event.kind == "flagged" && event.data.at("reason") == "majority";
    const bool told = fail || event.kind == "scheduled" || event.kind == "asked_votes" ||
                      event.kind == "expired" || event.kind == "too_old" || event.kind == "promoted" ||
                      event.kind == "follows" || event.kind == "collision" || event.kind == "discarded";
    if (told && !event.text.empty())
      lines.push_back("at " + std::to_string(event.time) + " ms " + event.text);
  }
  return lines;
}

std::vector<std::string> Words::answer(const Trace& trace) {
  std::vector<std::string> sentences;
  std::map<std::string, int> ends;
  for (const TraceEvent& event : trace.events) {
    if (event.kind == "promoted" || event.kind == "discarded") sentences.push_back(event.text);
    if (event.kind == "answered") ++ends[event.data.at("outcome").get<std::string>()];
  }
  if (sentences.empty()) sentences.emplace_back("no replica was promoted");
  for (const auto& [outcome, count] : ends) {
    sentences.push_back(std::to_string(count) + (count == 1 ? " request ended: " : " requests ended: ") +
                        outcome);
  }
  return sentences;
}

}  // namespace zablab::redis_cluster
