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

std::vector<Phrase> Words::answer(const Trace& trace) {
  std::vector<Phrase> sentences;
  std::map<std::string, int> ends;
  for (const TraceEvent& event : trace.events) {
    if (event.kind == "promoted" || event.kind == "discarded") sentences.push_back(Phrase::of(event));
    if (event.kind == "answered") ++ends[event.data.at("outcome").get<std::string>()];
  }
  if (sentences.empty()) sentences.push_back(phrase("no replica was promoted"));
  for (const auto& [outcome, count] : ends) {
    const Phrase end = Phrase::words(outcome);
    sentences.push_back(count == 1 ? phrase("{count} request ended: {outcome}", count, end)
                                   : phrase("{count} requests ended: {outcome}", count, end));
  }
  return sentences;
}

}  // namespace zablab::redis_cluster
