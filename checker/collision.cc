#include "checker/collision.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "sim/scenario.h"

namespace zablab {
namespace {

EventPattern patternOf(std::string_view text) {
  return {JsonValue::fromJson(Json::parse(text), "an event of elections")};
}

}  // namespace

std::optional<Collision> collisionIn(const Trace& trace, const ElectionEvents& events) {
  const EventPattern attempt = patternOf(events.attempt);
  const EventPattern elected = patternOf(events.elected);
  Collision collision;
  std::map<Millis, std::set<ServerId>> tried;
  for (const TraceEvent& event : trace.events) {
    if (matches(elected, event)) {
      tried.clear();
      collision.attempts = 0;
    } else if (event.node && matches(attempt, event)) {
      tried[event.time].insert(*event.node);
      ++collision.attempts;
    }
  }
  constexpr std::size_t enough = 3;
  if (tried.size() < enough) return std::nullopt;
  std::set<ServerId> nodes;
  Millis longest = 0;
  Millis last = tried.begin()->first;
  for (const auto& [time, by] : tried) {
    if (by.size() < 2) return std::nullopt;
    nodes.insert(by.begin(), by.end());
    longest = std::max(longest, time - last);
    last = time;
  }
  const Millis end = trace.header.at("end").get<Millis>();
  if (end - last > 2 * longest) return std::nullopt;  // they have given up
  collision.nodes.assign(nodes.begin(), nodes.end());
  collision.since = tried.begin()->first;
  collision.until = last;
  return collision;
}

std::uint64_t electionsIn(const Trace& trace, const ElectionEvents& events) {
  const EventPattern elected = patternOf(events.elected);
  return static_cast<std::uint64_t>(
      std::count_if(trace.events.begin(), trace.events.end(),
                    [&](const TraceEvent& event) { return matches(elected, event); }));
}

}  // namespace zablab
