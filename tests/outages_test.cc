// How long nobody led: from when to when, of what that time consists, and which settings decide it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "checker/execute.h"
#include "checker/protocol.h"
#include "tests/shipped.h"
#include "viz/outages.h"

namespace zablab {
namespace {

using Kind = viz::Outage::Part::Kind;

viz::Story storyOf(const Trace& trace) {
  viz::LadderOptions options;
  options.detail = viz::Detail::outline;
  return viz::tell(trace, options);
}

Trace traceOf(const Json& scenario) {
  return runScenario(readCase("f", JsonValue::fromJson(scenario, "f")).scenario).trace;
}

struct Loss {
  const char* scenario;  ///< whose last outage is looked at
  std::int64_t begin, end_min, end_max;
  const char* lost_by;  ///< a part of the event's text
  const char* timer;    ///< that runs for the longest time
  std::int64_t whole_ms;
  const char* setting;
  const char* field;  ///< of the configuration, and how much longer the timer runs with so much more
  std::int64_t more, longer;
};

// Times and settings are those of the systems: a follower of ZooKeeper hears nothing for syncLimit ticks, a
// voter that hears its leader refuses those who hear it no more, a lease ends after its time to live, a
// sentinel sees a master down after down-after-milliseconds, a node of Redis Cluster after its time-out, a
// broker's node ends with its session.
const std::vector<Loss> losses{
    {R"({"servers": 3, "steps": [{"at": 5000, "power_loss": 3}], "until": 30000})", 5000, 14000, 15500,
     "3 loses power", "leader_limit", 10000, "sync_limit 5 × tick_ms 2000", "sync_limit", 1, 2000},
    {R"({"servers": 3, "steps": [{"at": 5000, "kill": 3}], "until": 30000})", 5000, 5200, 5500, "3 is killed",
     "finalize_wait", 200, "finalize_wait_ms 200", "finalize_wait_ms", 100, 100},
    {R"({"protocol": "zookeeper", "servers": 3, "steps": [{"at": 5000, "pause": 3}], "until": 30000})", 5000,
     14000, 15500, "3 is paused", "leader_limit", 10000, "sync_limit 5 × tick_ms 2000", "sync_limit", 2,
     4000},
    {R"({"protocol": "leader_followers", "servers": [
          {"id": 1, "config": {"election_timeout_min_ms": 500, "election_timeout_max_ms": 500}}, {"id": 2},
          {"id": 3, "config": {"election_timeout_min_ms": 800, "election_timeout_max_ms": 800}}],
          "config": {"election_timeout_min_ms": 700, "election_timeout_max_ms": 700},
          "steps": [{"at": 3000, "power_loss": 1}], "until": 20000})",
     3000, 3700, 3800, "1 loses power", "election", 800,
     "election_timeout_min_ms 800 to election_timeout_max_ms 800", "", 0, 0},
    {R"({"protocol": "external_store", "servers": [{"id": 1}, {"id": 2}, {"id": 21, "kind": "store"},
          {"id": 31, "kind": "resource"}], "steps": [{"at": 5000, "power_loss": 1}], "until": 30000})",
     5000, 7000, 8600, "1 loses power", "lease", 3000, "ttl_ms 3000", "ttl_ms", 1000, 1000},
    {R"({"protocol": "sentinel", "servers": [{"id": 1}, {"id": 2}, {"id": 3}, {"id": 11, "kind": "redis"},
          {"id": 12, "kind": "redis"}, {"id": 13, "kind": "redis"}], "seed": 1,
          "steps": [{"at": 5000, "power_loss": 11}], "until": 60000})",
     5000, 6000, 8000, "11 loses power", "down", 1000, "down_after_ms 1000", "down_after_ms", 500, 500},
    {R"({"protocol": "redis_cluster", "servers": [{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4, "master": 1}],
          "config": {"node_timeout_ms": 2000}, "seed": 1, "steps": [{"at": 5000, "power_loss": 1}], "until": 60000})",
     5000, 7000, 12000, "1 loses power", "silent", 2000, "node_timeout_ms 2000", "node_timeout_ms", 1000,
     1000},
};

struct Found {
  Trace trace;
  std::vector<viz::Outage> outages;
  const viz::Outage& last() const { return outages.back(); }
  const viz::Outage::Part* part(const std::string& timer) const {
    const auto found =
        std::find_if(last().parts.begin(), last().parts.end(), [&](const viz::Outage::Part& part) {
          return part.kind == Kind::timer && trace.events[part.event].data.value("timer", "") == timer;
        });
    return found == last().parts.end() ? nullptr : &*found;
  }
};

Found foundIn(const Loss& row, std::int64_t more) {
  Json scenario = Json::parse(row.scenario);
  scenario["kind"] = "scenario";
  scenario["name"] = "n";
  if (more > 0) {
    const Json configuration = traceOf(scenario).header.at("configuration");
    scenario["config"][row.field] = configuration.at(row.field).get<std::int64_t>() + more;
  }
  Found found{traceOf(scenario), {}};
  found.outages = viz::outagesOf(found.trace, storyOf(found.trace));
  return found;
}

TEST_CASE("outages: from the fault to the next leader, with the timer that takes longest and its setting") {
  for (const Loss& row : losses) {
    CAPTURE(std::string(row.scenario));
    const Found found = foundIn(row, 0);
    REQUIRE(!found.outages.empty());
    CHECK(found.last().begin == row.begin);
    CHECK(found.last().end >= row.end_min);
    CHECK(found.last().end <= row.end_max);
    REQUIRE(found.last().lost_by);
    CHECK(found.trace.events[*found.last().lost_by].text.find(row.lost_by) != std::string::npos);
    const viz::Outage::Part* const part = found.part(row.timer);
    REQUIRE(part != nullptr);
    for (const viz::Outage::Part& other : found.last().parts)
      CHECK(other.end - other.begin <= part->end - part->begin);
    CHECK(part->whole_ms == row.whole_ms);
    CHECK(viz::settingOf(found.trace, *part) == row.setting);
    if (row.more == 0) continue;
    // With more of it in the configuration it runs longer, and is named with that.
    const Found longer = foundIn(row, row.more);
    REQUIRE(!longer.outages.empty());
    const viz::Outage::Part* const same = longer.part(row.timer);
    REQUIRE(same != nullptr);
    CHECK(same->whole_ms == row.whole_ms + row.longer);
    CHECK(viz::settingOf(longer.trace, *same).find(row.field) != std::string::npos);
  }
}

/// Adds up the parts of the outages of all shipped scenarios.
class Sums : public TraceReader {
 public:
  void read(const std::string& path, const Case&, const Outcome& outcome) override {
    const Trace& trace = outcome.trace;
    checkForms(trace);
    for (const viz::Outage& outage : viz::outagesOf(trace, storyOf(trace))) {
      CAPTURE(path);
      CAPTURE(outage.end);
      ++outages[trace.header.value("protocol", "")];
      std::int64_t at = outage.begin;
      for (const viz::Outage::Part& part : outage.parts) {
        CHECK(part.begin == at);
        CHECK(part.end > part.begin);
        at = part.end;
        const TraceEvent& event = trace.events[part.event];
        CHECK(event.time == part.end);
        CHECK((part.kind == Kind::timer) == (event.kind == "timer" && part.kind != Kind::scenario));
        if (part.kind != Kind::timer || part.end - part.begin < 100) continue;
        ++timers;
        if (!viz::settingOf(trace, part).empty()) ++with_settings;
      }
      CHECK(at == outage.end);
      CHECK(outage.begin < outage.end);
    }
  }
  /// What the header's `timers` name are fields of a configuration: the servers', or that of a part of them.
  void checkForms(const Trace& trace) {
    const std::string protocol = trace.header.value("protocol", "");
    if (!trace.header.contains("timers") || !seen.insert(protocol).second) return;
    const std::string known = trace.header.at("configuration").dump();
    for (const Json& forms : trace.header.at("timers")) {
      for (const Json& form : forms) {
        CAPTURE(protocol);
        std::istringstream words(form.get<std::string>());
        for (std::string word; words >> word;) {
          if (word == "to" || !std::isalpha(static_cast<unsigned char>(word[0]))) continue;
          CHECK_MESSAGE(known.find("\"" + word + "\":") != std::string::npos, word);
        }
      }
    }
  }

  std::map<std::string, int> outages;
  std::set<std::string> seen;
  int timers = 0, with_settings = 0;
};
Sums sums;

TEST_CASE("scenarios: the parts of each time without a leader follow each other without a gap") {
  TraceReader::readAll();
  int all = 0;
  for (const Protocol* protocol : protocols()) {
    const Json roles = protocol->family().header().at("roles");
    if (std::none_of(roles.begin(), roles.end(), [](const Json& tone) { return tone == "leading"; }))
      continue;
    CAPTURE(protocol->name());
    const int count = sums.outages[std::string(protocol->name())];
    CHECK(count >= 5);
    all += count;
  }
  CHECK(all >= 60);
  CHECK(sums.with_settings * 10 >= sums.timers * 9);
  MESSAGE(all, " outages; ", sums.with_settings, " of ", sums.timers, " timers have their setting");
}

}  // namespace
}  // namespace zablab
