#include "checker/fuzz/drawn.h"

#include <algorithm>

#include "checker/fuzz/swarm.h"
#include "protocol/overloaded.h"

namespace zablab {

void notePlan(FuzzStatistics& statistics, const DrawnRun& drawn) {
  for (const StepSpec& spec : drawn.scenario.steps) {
    const auto plan = [&](const char* kind) { ++statistics.planned[kind]; };
    if (spec.when) plan("crash_point");
    visit(Overloaded{[](const auto&) {}, [&](const step::Kill&) { plan("kill"); },
                     [&](const step::Crash&) { plan("kill"); }, [&](const step::Stop&) { plan("kill"); },
                     [&](const step::PowerLoss&) { plan("power_loss"); },
                     [&](const step::Pause&) { plan("pause"); }, [&](const step::Cut&) { plan("cut"); },
                     [&](const step::Partition&) { plan("cut"); },
                     [&](const step::Break&) { plan("disconnect"); },
                     [&](const step::Hold&) { plan("clog"); }, [&](const step::Clock&) { plan("clock"); },
                     [&](const step::Disk& disk) {
                       if (disk.with.fault == "error") plan("disk_error");
                       if (disk.with.fault == "stall") plan("disk_stall");
                     }},
          spec.does);
  }
}

namespace {

/// The step's request to one of the clients; null: it is a different step.
const step::Ask* askOf(const StepSpec& spec, const std::vector<ServerId>& clients) {
  const auto* ask = spec.as<step::Ask>();
  return ask != nullptr && std::find(clients.begin(), clients.end(), ask->who) != clients.end() ? ask
                                                                                                : nullptr;
}

bool anyTurns(const Scenario& scenario, const TurnsTo& turns_to) {
  const auto turns = [&](const StepSpec& spec) {
    const auto* ask = spec.as<step::Ask>();
    return ask != nullptr && turns_to(*ask);
  };
  return std::any_of(scenario.clients.begin(), scenario.clients.end(),
                     [](const ClientSpec& client) { return client.server.has_value(); }) ||
         std::any_of(scenario.steps.begin(), scenario.steps.end(), turns);
}

/// If clients do not turn to servers: faults have stopped when the first probe makes a request, and the core
/// is the side that was last separated from the rest, or all servers.
void judgeWithoutTurns(const Scenario& scenario, Judgement& judgement) {
  std::optional<Millis> asked;
  for (const StepSpec& spec : scenario.steps) {
    if (spec.at && askOf(spec, judgement.probes)) asked = std::min(asked.value_or(*spec.at), *spec.at);
  }
  if (!asked || !scenario.servers) return;
  judgement.faults_end_ms = std::max<Millis>(*asked - probes_after_ms - first_ask_ms, 0);
  for (const ServerSpec& server : scenario.servers->list) judgement.core.push_back(server.id);
  for (const StepSpec& spec : scenario.steps) {
    const auto* partition = spec.as<step::Partition>();
    if (spec.at && *spec.at >= judgement.faults_end_ms && partition != nullptr && !partition->with.empty())
      judgement.core = partition->with.front();
  }
}

}  // namespace

Judgement judgementOf(const Scenario& scenario, const TurnsTo& turns_to) {
  Judgement judgement;
  const auto add = [](std::vector<ServerId>& list, ServerId one) {
    if (std::find(list.begin(), list.end(), one) == list.end()) list.push_back(one);
  };
  for (const ExpectSpec& expect : scenario.expect) {
    if (!expect.event) continue;
    const JsonValue& fields = expect.event->fields;
    const JsonValue* kind = fields.find("kind");
    const JsonValue* node = fields.find("node");
    if (kind == nullptr || node == nullptr || !kind->asString().ends_with("answered")) continue;
    const auto isIt = [&](const ClientSpec& client) { return client.id == node->asInt64(); };
    if (std::any_of(scenario.clients.begin(), scenario.clients.end(), isIt))
      add(judgement.probes, node->asInt64());
  }
  std::optional<Millis> connected;
  for (const StepSpec& spec : scenario.steps) {
    const step::Ask* ask = askOf(spec, judgement.probes);
    const auto server = ask != nullptr && spec.at ? turns_to(*ask) : std::nullopt;
    if (!server) continue;
    add(judgement.core, *server);
    connected = std::min(connected.value_or(*spec.at), *spec.at);
  }
  if (!anyTurns(scenario, turns_to)) judgeWithoutTurns(scenario, judgement);
  if (connected) judgement.faults_end_ms = std::max<Millis>(*connected - probes_after_ms, 0);
  Millis every = 0;
  std::optional<Millis> first, last;  // within a round
  for (const StepSpec& spec : scenario.steps) {
    const step::Ask* ask = askOf(spec, judgement.probes);
    if (ask == nullptr || turns_to(*ask) || !spec.at) continue;
    every = std::max(every, ask->every);
    first = std::min(first.value_or(*spec.at), *spec.at);
    last = std::max(last.value_or(*spec.at), *spec.at);
  }
  if (first) judgement.quiet_ms = std::max<Millis>(every - (*last - *first) - probe_every_ms, 0);
  return judgement;
}

}  // namespace zablab
