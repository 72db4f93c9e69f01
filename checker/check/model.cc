#include "checker/check/model.h"

#include <algorithm>
#include <utility>

namespace zablab {

bool AskedFor::takeOther(const JsonValue& member) { return takeOwn(own, member); }
void AskedFor::writeOther(Json& ask) const { writeOwn(own, ask); }

Bounds BoundsSpec::bounds() const {
  Bounds all{};
  forEachField(*this, [&](const char* name, std::int64_t bound) {
    all[static_cast<std::size_t>(enumFromName<Budget>(name).value())] = static_cast<std::uint32_t>(bound);
  });
  return all;
}

Model readModel(const JsonValue& document) {
  Model model = read<Model>(document);
  if (model.kind != "model") throw document.keyError("kind", "`kind` is not \"model\"");
  forEachField(model.bounds, [&](const char* name, std::int64_t bound) {
    if (bound < 0 || bound > budget_max) {
      throw document.find("bounds")->keyError(
          name,
          "a bound is a number from 0 to " + std::to_string(budget_max) + ", not " + std::to_string(bound));
    }
  });
  for (const auto& [budget, bound] :
       {std::pair{"writes", model.bounds.writes}, {"reads", model.bounds.reads}}) {
    if (model.asks.empty() || bound == 0) continue;
    throw document.find("bounds")->keyError(
        budget,
        "with `asks` there are no other writes and reads: leave out " + inBackticks(budget) + " or `asks`");
  }
  if (model.expect.verdict != "holds" && model.expect.verdict != "violated") {
    throw document.find("expect")->keyError("verdict", "`verdict` is \"holds\" or \"violated\"");
  }
  if (const JsonValue* expect = document.find("expect"); expect != nullptr && expect->members().empty())
    throw expect->errorAtKey("`expect` is empty", "expect something, or leave it out");
  for (const auto& [list, goals] : {std::pair{"reach", &model.reach}, {"never", &model.never}}) {
    for (std::size_t i = 0; i < goals->size(); ++i) {
      const JsonValue& state = *document.find(list)->elements()[i].find("state");
      const auto is_empty = [](const JsonValue& of_server) { return of_server.plain().empty(); };
      if (std::any_of(state.members().begin(), state.members().end(), is_empty) || state.members().empty())
        throw state.errorAtKey("every state is like this", "name fields of a server's state");
    }
  }
  for (std::size_t i = 0; i < model.liveness.size(); ++i) {
    const LivenessSpec& one = model.liveness[i];
    const JsonValue& written = document.find("liveness")->elements()[i];
    if (one.eventually.has_value() + one.always_eventually.has_value() + one.leads_to.has_value() != 1)
      throw written.error("what has to happen is one of `eventually`, `always_eventually` and `leads_to`");
    if (one.leads_to.has_value() != one.from.has_value())
      throw written.error("`leads_to` and `from` belong together: from these states it leads to those");
  }
  if (!model.fairness.empty() && model.liveness.empty())
    throw document.keyError("fairness", "`fairness` is for `liveness`, and there is none");
  if (model.ends.empty()) throw document.keyError("ends", "servers end in at least one way");
  return model;
}

LoadedScenario scenarioOf(const LoadedModel& model) {
  const Model& spec = model.spec;
  Scenario scenario;
  static_cast<Setting&>(scenario) = spec;
  scenario.kind = "scenario";
  scenario.connected = spec.connected;
  LoadedScenario loaded{std::move(scenario), model.document};
  loaded.keys = [] { return json_detail::structTypeOf<Model>().names(); };
  return loaded;
}

template const json_detail::StructType& json_detail::structTypeOf<Model>();

}  // namespace zablab
