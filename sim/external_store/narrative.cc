#include "sim/external_store/words.h"

#include <cstdint>
#include <set>

#include "sim/called.h"

namespace zablab::external_store {

std::vector<Phrase> Words::answer(const Trace& trace) {
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
  return {leaders.empty()
              ? phrase("nobody leads")
              : phrase("leads: {leaders}", listOf(leaders, [&](std::int64_t id) { return called(id); })),
          phrase("{attempts} attempts, {elected} successes, {notified} notifications", contends, elected,
                 notified)};
}

}  // namespace zablab::external_store
