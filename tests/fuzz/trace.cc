// Traces: read, narrated, and replayed for a while.
#include "checker/protocol.h"
#include "sim/zab_register/binding.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/json_mutator.h"

using namespace zablab;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::withText(data, size, [](std::string_view text) {
    const Trace trace = readTrace(fuzz::file_name, text);
    fuzz::require(traceText(readTrace(fuzz::file_name, traceText(trace))) == traceText(trace),
                  "a trace that is read and written again is another one");
    const LoadedScenario scenario = replayOf(trace, fuzz::file_name);
    const Until until = fuzz::limited(untilOf(trace, fuzz::file_name));
    differencesOf(trace, runScenario(scenario, until).trace);
  });
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t size_max,
                                               unsigned seed) {
  static const std::vector<std::string> words = fuzz::wordsOf({traceSchema(), scenarioSchema()});
  return fuzz::mutateJson(data, size, size_max, seed, words);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data1, std::size_t size1,
                                                 const std::uint8_t* data2, std::size_t size2,
                                                 std::uint8_t* out, std::size_t out_max, unsigned seed) {
  return fuzz::crossJson(data1, size1, data2, size2, out, out_max, seed);
}
