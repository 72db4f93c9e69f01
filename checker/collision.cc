#include "checker/collision.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace zablab {
namespace {

std::vector<EventPattern> patternsIn(const Json& header, const char* key) {
  std::vector<EventPattern> patterns;
  for (const Json& pattern : header.value(key, Json::array()))
    patterns.push_back({JsonValue::fromJson(pattern, "the header's " + std::string(key))});
  return patterns;
}

bool matchesAny(const std::vector<EventPattern>& patterns, const TraceEvent& event) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const EventPattern& pattern) { return matches(pattern, event); });
}

}  // namespace

ElectionEvents electionEventsOf(const Json& header) {
  return {patternsIn(header, "attempts"), patternsIn(header, "elections")};
}

std::optional<Collision> collisionIn(const Trace& trace, const ElectionEvents& events) {
  Collision collision;
  std::map<Millis, std::set<ServerId>> tried;
  for (const TraceEvent& event : trace.events) {
    if (isElection(events, event)) {
      tried.clear();
      collision.attempts = 0;
    } else if (event.node && matchesAny(events.attempts, event)) {
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

bool isElection(const ElectionEvents& events, const TraceEvent& event) {
  return matchesAny(events.elected, event);
}

std::uint64_t electionsIn(const Trace& trace, const ElectionEvents& events) {
  return static_cast<std::uint64_t>(
      std::count_if(trace.events.begin(), trace.events.end(),
                    [&](const TraceEvent& event) { return isElection(events, event); }));
}

}  // namespace zablab
