#include "sim/external_store/words.h"

#include <cstdint>
#include <set>

#include "sim/called.h"

namespace zablab::external_store {

std::vector<std::string> Words::answer(const Trace& trace) {
  const Called called(trace);
  std::set<std::int64_t> leaders;
  int contends = 0;
  int elected = 0;
  int notified = 0;
  for (const TraceEvent& event : trace.events) {
    if (!event.node) continue;
    const bool stops = event.kind == "stepped_down" || event.kind == "killed" || event.kind == "stopped";
    contends += event.kind == "contends";
    elected += event.kind == "elected";
    notified += event.kind == "notified";
    if (event.kind == "elected") leaders.insert(*event.node);
    if (stops) leaders.erase(*event.node);
  }
  std::vector<std::string> result;
  std::string names;
  for (const std::int64_t one : leaders) names += (names.empty() ? "" : ", ") + called(Json(one));
  result.push_back(names.empty() ? "nobody leads" : "leads: " + names);
  result.push_back(std::to_string(contends) + " attempts, " + std::to_string(elected) + " successes, " +
                   std::to_string(notified) + " notifications");
  return result;
}

}  // namespace zablab::external_store
