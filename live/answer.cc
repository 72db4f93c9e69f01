#include "live/answer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "checker/check/check.h"
#include "checker/check/pages.h"
#include "checker/execute.h"
#include "checker/fuzz/report.h"
#include "checker/protocol.h"
#include "checker/why.h"
#include "sim/json_reflect.h"
#include "viz/outages.h"

namespace zablab::live {
namespace {

struct Request {
  std::string ask;
  std::string scenario;
  std::string model;
  std::string protocol;
  Millis time = 0;
  std::uint64_t from = 0;
  std::uint64_t count = 0;
  std::uint64_t states = 0;
  bool why = false;
};
BOOST_DESCRIBE_STRUCT(Request, (), (ask, scenario, model, protocol, time, from, count, states, why))

/// How what takes long is watched.
struct Watch {
  const std::function<void(const std::string&)>& progress;
  const std::function<std::uint64_t()>& clock;
};

/// What a browser's tab may well spend on a search.
constexpr std::uint64_t search_bytes = std::uint64_t{256} << 20;

LoadedScenario scenarioOf(const Request& request) {
  const std::string file = "the scenario";
  const Case one = readCase(file, parseJson(file, request.scenario));
  if (one.kind != Case::Kind::scenario) throw InputError(file, {}, "a page runs scenarios only");
  return one.scenario;
}

/// `{"name": value, ..., "trace": {...}}`: the trace as the program writes it, since pages are compared with
/// it.
std::string withTrace(const Json& fields, const Trace& trace) {
  std::string text = fields.dump();
  text.back() = ',';
  std::string written = traceText(trace);
  written.erase(written.find_last_not_of('\n') + 1);
  return text + "\"trace\":" + written + "}";
}

std::string run(const Request& request, const Watch&) {
  Outcome outcome = runScenario(scenarioOf(request));
  Json fields{{"warnings", outcome.warnings}, {"problems", outcome.problems}};
  if (request.why) {
    outcome.trace.why = whyOf(outcome.trace);
    fields["outages"] = viz::outagesJson(outcome.trace);
  }
  return withTrace(fields, outcome.trace);
}

std::string possible(const Request& request, const Watch&) {
  const LoadedScenario scenario = scenarioOf(request);
  return Json{{"actions", protocolOf(scenario).possibleActions(scenario, request.time)}}.dump();
}

Json listOf(const std::vector<NamedText>& rows) {
  Json list = Json::array();
  for (const NamedText& row : rows) list.push_back({{"name", row.name}, {"text", row.text}});
  return list;
}

std::string lists(const Request& request, const Watch&) {
  const Protocol* const protocol = findProtocol(request.protocol);
  if (protocol == nullptr)
    throw std::invalid_argument("there is no protocol " + inBackticks(request.protocol));
  return Json{{"variants", listOf(protocol->variants())},
              {"rules", listOf(protocol->rules())},
              {"mutations", listOf(protocol->mutations())}}
      .dump();
}

std::string seeds(const Request& request, const Watch&) {
  FuzzTarget target;
  target.scenario = scenarioOf(request);
  const Protocol& protocol = protocolOf(target);
  const std::unique_ptr<FuzzWorker> worker = protocol.fuzzWorker(target);
  for (std::uint64_t seed = request.from; seed < request.from + request.count; ++seed) {
    const std::optional<Failure> failure = worker->run(seed).failure;
    if (!failure) continue;
    const std::optional<Story> story = tellStory(target, Finding{seed, *failure});
    if (!story) continue;  // written as a scenario it does not fail
    return Json{{"next", seed + 1},
                {"seed", seed},
                {"what", story->failure.what},
                {"text", story->failure.text},
                {"found", toCompactJson(story->scenario)}}
        .dump();
  }
  return Json{{"next", request.from + request.count}}.dump();
}

std::string modelOf(const Request& request, const Watch&) {
  Setting setting = scenarioOf(request).spec;
  setting.kind = "model";
  setting.about = setting.because = "";
  setting.claims.clear();
  Json model = toCompactJson(setting);
  model["bounds"] = {{"crashes", 1}, {"restarts", 1}, {"timeouts", 1}};
  return Json{{"model", std::move(model)}}.dump();
}

Json resultOf(const CheckResult& result) {
  Json answer{{"verdict", result.verdict},     {"violated", result.violated},
              {"distinct", result.distinct},   {"depth", result.depth},
              {"exhausted", result.exhausted}, {"stopped_by", result.stopped_by}};
  if (result.scenario) answer["found"] = *result.scenario;
  return answer;
}

std::string search(const Request& request, const Watch& watch) {
  const std::string file = "the model";
  const Case one = readCase(file, parseJson(file, request.model));
  if (one.kind != Case::Kind::model) throw InputError(file, {}, "only models are searched");
  CheckOptions options;
  options.memory_max = residentBytes() + search_bytes;
  options.states_max = request.states;
  options.clock = watch.clock;
  if (watch.progress)
    options.progress = [&](const CheckResult& result) { watch.progress(resultOf(result).dump()); };
  return resultOf(check(one.model, options)).dump();
}

struct Answer {
  std::string_view ask;
  std::string (*give)(const Request&, const Watch&);
};
constexpr Answer answers[] = {{"run", run},     {"possible", possible}, {"lists", lists},
                              {"seeds", seeds}, {"model", modelOf},     {"check", search}};

}  // namespace

std::string answer(const std::string& request, const std::function<void(const std::string&)>& progress,
                   const std::function<std::uint64_t()>& clock) {
  try {
    const auto asked = read<Request>(parseJson("the request", request));
    const auto* const found = std::find_if(std::begin(answers), std::end(answers),
                                           [&](const Answer& one) { return one.ask == asked.ask; });
    if (found == std::end(answers))
      throw std::invalid_argument("there is no request " + inBackticks(asked.ask));
    return found->give(asked, {progress, clock});
  } catch (const std::exception& error) {
    return Json{{"error", error.what()}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

}  // namespace zablab::live
