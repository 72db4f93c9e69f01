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

namespace {

bool anyTurns(const Scenario& scenario) {
  return std::any_of(scenario.clients.begin(), scenario.clients.end(),
                     [](const ClientSpec& client) { return client.server.has_value(); }) ||
         std::any_of(scenario.steps.begin(), scenario.steps.end(),
                     [](const StepSpec& step) { return step.ask && step.ask->server; });
}

/// Where clients turn to no server: faults have stopped when the first probe asks, and the core is the side
/// that was parted from the rest last, or everybody.
void judgeWithoutTurns(const Scenario& scenario, Judgement& judgement) {
  std::optional<Millis> asked;
  for (const StepSpec& step : scenario.steps) {
    const auto& probes = judgement.probes;
    if (!step.at || !step.ask) continue;
    if (std::find(probes.begin(), probes.end(), step.ask->client) == probes.end()) continue;
    asked = std::min(asked.value_or(*step.at), *step.at);
  }
  if (!asked || !scenario.servers) return;
  judgement.faults_end_ms = std::max<Millis>(*asked - probes_after_ms - first_ask_ms, 0);
  for (const ServerSpec& server : scenario.servers->list) judgement.core.push_back(server.id);
  for (const StepSpec& step : scenario.steps) {
    if (step.at && *step.at >= judgement.faults_end_ms && step.partition && !step.partition->empty())
      judgement.core = step.partition->front();
  }
}

}  // namespace

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
  if (!anyTurns(scenario)) judgeWithoutTurns(scenario, judgement);
  if (connected) judgement.faults_end_ms = std::max<Millis>(*connected - probes_after_ms, 0);
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
