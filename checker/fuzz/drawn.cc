#include "checker/fuzz/drawn.h"

#include <algorithm>

#include "checker/fuzz/swarm.h"

namespace zablab {

void notePlan(FuzzStatistics& statistics, const DrawnRun& drawn) {
  for (const StepSpec& step : drawn.scenario.steps) {
    const auto plan = [&](const char* kind) { ++statistics.planned[kind]; };
    if (step.when) plan("crash_point");
    if (step.kill || step.crash || step.stop) plan("kill");
    if (step.power_loss) plan("power_loss");
    if (step.pause) plan("pause");
    if (step.cut || step.partition) plan("cut");
    if (step.break_) plan("disconnect");
    if (step.hold) plan("clog");
    if (step.clock) plan("clock");
    if (step.disk && step.disk->fault == "error") plan("disk_error");
    if (step.disk && step.disk->fault == "stall") plan("disk_stall");
  }
}

Judgement judgementOf(const Scenario& scenario) {
  Judgement judgement;
  const auto add = [](std::vector<ServerId>& list, ServerId one) {
    if (std::find(list.begin(), list.end(), one) == list.end()) list.push_back(one);
  };
  for (const ExpectSpec& expect : scenario.expect) {
    if (!expect.event) continue;
    const JsonValue& fields = expect.event->fields;
    const JsonValue* kind = fields.find("kind");
    const JsonValue* node = fields.find("node");
    if (kind == nullptr || node == nullptr || kind->asString() != "answered") continue;
    const auto isIt = [&](const ClientSpec& client) { return client.id == node->asInt64(); };
    if (std::any_of(scenario.clients.begin(), scenario.clients.end(), isIt))
      add(judgement.probes, node->asInt64());
  }
  std::optional<Millis> connected;
  for (const StepSpec& step : scenario.steps) {
    if (!step.at || !step.ask || !step.ask->server) continue;
    const auto& probes = judgement.probes;
    if (std::find(probes.begin(), probes.end(), step.ask->client) == probes.end()) continue;
    add(judgement.core, *step.ask->server);
    connected = std::min(connected.value_or(*step.at), *step.at);
  }
  judgement.faults_end_ms = std::max<Millis>(connected.value_or(0) - probes_after_ms, 0);
  for (const StepSpec& step : scenario.steps) {
    const auto& probes = judgement.probes;
    if (!step.ask || step.ask->server) continue;
    if (std::find(probes.begin(), probes.end(), step.ask->client) == probes.end()) continue;
    const auto asking = probe_every_ms * static_cast<Millis>(judgement.core.size());
    judgement.quiet_ms = std::max<Millis>(judgement.quiet_ms, step.ask->every - asking);
  }
  return judgement;
}

}  // namespace zablab
