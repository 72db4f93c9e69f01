// zoo.cfg: read, and, where accepted, as the servers of a scenario.
#include "protocol/zab/zoo_cfg.h"

#include "tests/fuzz/fuzz.h"

using namespace zablab;

namespace {

void requireClear(const std::vector<zab::ZooCfgProblem>& problems, std::string_view text) {
  const auto lines = static_cast<std::int64_t>(text.size()) + 1;
  for (const zab::ZooCfgProblem& problem : problems) {
    fuzz::require(!problem.text.empty(), "a problem without a text");
    fuzz::require(problem.text.find_first_of("\n\r") == std::string::npos, "a problem of several lines");
    fuzz::require(problem.line >= 1 && problem.line <= lines, "a problem at no line");
    fuzz::require(problem.column >= 1 && problem.column <= lines, "a problem at no column");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::withText(data, size, [](std::string_view text) {
    const zab::ZooCfg cfg = zab::parseZooCfg(text);
    requireClear(cfg.errors, text);
    requireClear(cfg.warnings, text);
    Json scenario{{"kind", "scenario"}, {"name", "from a zoo.cfg"}, {"until", 1000}};
    scenario["zoo_cfg"] = std::string(text) + "\n";  // an end of line: otherwise it would be a file's name
    const auto document = JsonValue::fromJson(scenario, fuzz::file_name);
    fuzz::runShortly(readCase(fuzz::file_name, document).scenario, text);
  });
}
