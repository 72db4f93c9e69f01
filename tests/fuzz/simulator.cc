// Runs of an ensemble, as `zablab fuzz` draws and judges them, with the bytes in place of a seed. Inputs with
// new coverage are kept and changed slightly, so that a search gets deeper than with independent seeds.
//
// A violation, or a core that does not recover, is written as a scenario with its choices pinned, next to
// libFuzzer's own artifact. ZABLAB_MUTATE names a mutation to plant, to check that the target finds existing
// bugs; the variable is only for this target, because libFuzzer does not pass on options of the program.
#include <array>
#include <cstring>
#include <fstream>
#include <iostream>

#include "checker/protocol.h"
#include "protocol/reflect.h"
#include "sim/json_reflect.h"
#include "tests/fuzz/fuzz.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

using namespace zablab;

namespace {

/// An input is divided into lanes, each with separate bytes for some of the questions, in the order in which
/// they are asked: a change of one lane does not move the bytes of the others.
struct Lane {
  std::size_t begin;
  std::size_t size;
};
constexpr std::size_t draw_lanes = 32;  ///< for the drawing, one for each of its topics
constexpr std::size_t draw_lane_size = 64;
constexpr std::size_t run_lanes = 64;  ///< for the run, shared by its links, timers and disks
constexpr std::size_t run_lane_size = 32;
constexpr std::size_t lanes = draw_lanes + run_lanes;
constexpr std::size_t input_size = draw_lanes * draw_lane_size + run_lanes * run_lane_size;

Lane laneAt(std::size_t i) {
  if (i < draw_lanes) return {i * draw_lane_size, draw_lane_size};
  return {draw_lanes * draw_lane_size + (i - draw_lanes) * run_lane_size, run_lane_size};
}

/// The bytes of a lane; fewer if the input ends before its end.
std::vector<std::uint8_t> bytesOf(const Lane& lane, const std::uint8_t* data, std::size_t size) {
  const std::size_t begin = std::min(lane.begin, size);
  return {data + begin, data + std::min(lane.begin + lane.size, size)};
}

/// Ends a run that asks too many questions, without a judgement: one whose core serves only in part during
/// all the time that it has to recover, until its long history takes a minute under sanitizers. Runs ask some
/// hundred questions, and stalls that serve no client some thousand.
struct TooLong {};
constexpr int questions_max = 10'000;

class LaneChoices : public ChoiceSource {
 public:
  /// `drawing`: answers the questions of the drawing, otherwise those of the run.
  LaneChoices(const std::uint8_t* data, std::size_t size, bool drawing) : drawing_(drawing) {
    const std::size_t begin = drawing ? 0 : draw_lanes;
    const std::size_t end = drawing ? draw_lanes : lanes;
    for (std::size_t i = begin; i < end; ++i) lanes_.emplace_back(bytesOf(laneAt(i), data, size));
  }

  std::uint64_t pick(const Question& question, std::uint32_t nth, std::uint64_t options) override {
    if (++asked_ > questions_max) throw TooLong{};
    const auto asked = static_cast<std::uint64_t>(question.kind) << 8 | question.topic;
    const auto between =
        static_cast<std::uint64_t>(question.a) << 32 ^ static_cast<std::uint64_t>(question.b);
    const std::uint64_t lane = drawing_ ? question.topic : mix64(mix64(asked) ^ between);
    return lanes_[lane % lanes_.size()].pick(question, nth, options);
  }

 private:
  bool drawing_;
  int asked_ = 0;
  std::vector<ByteChoices> lanes_;
};

std::string artifact_prefix = "./";

FuzzTarget targetOf(const char* mutation) {
  FuzzTarget target;
  target.shape.knobs = knobsOf(FuzzPreset::swarm, findProtocol("zab")->fuzzSettings());
  if (mutation != nullptr) target.overrides.mutations.push_back(mutation);
  return target;
}

/// Reports what failed, writes its scenario, and ends the process.
[[noreturn]] void tell(const Scenario& scenario, const Failure& failure) {
  const Json document = toCompactJson(scenario);
  const std::string path =
      artifact_prefix + "found-" + std::to_string(contentHash(document.dump())) + ".json";
  std::ofstream out(path, std::ios::binary);
  out << document.dump(2) << "\n";
  out.close();
  std::cerr << "zablab: " << failure.what << ": " << failure.text << "\n";
  std::cerr << (out ? "its scenario: " + path : "the scenario cannot be written to " + path) << std::endl;
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  constexpr std::string_view option = "-artifact_prefix=";
  for (int i = 1; i < *count; ++i) {
    const std::string_view word = (*words)[i];
    if (word.starts_with(option)) artifact_prefix = word.substr(option.size());
  }
  const char* mutation = std::getenv("ZABLAB_MUTATE");
  const auto list = allOf(&Protocol::mutations);
  const auto named = [&](const NamedText& known) { return known.name == mutation; };
  if (mutation == nullptr || std::any_of(list.begin(), list.end(), named)) return 0;
  std::cerr << "zablab: there is no mutation " << inBackticks(mutation) << "; see zablab list mutations\n";
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const FuzzTarget target = targetOf(std::getenv("ZABLAB_MUTATE"));
  const RunChoices choices{[&] { return std::make_unique<LaneChoices>(data, size, true); },
                           [&] { return std::make_unique<LaneChoices>(data, size, false); }};
  try {
    const auto [scenario, outcome] = protocolOf(target).runChosen(target, choices);
    if (outcome.failure) tell(scenario, *outcome.failure);
  } catch (const TooLong&) {
  }
  return 0;
}

/// Changes one lane: draws it anew, or changes it as libFuzzer changes inputs.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t size_max,
                                               unsigned seed) {
  const std::size_t all = std::min(size_max, input_size);
  if (size < all) std::memset(data + size, 0, all - size);
  const Lane lane = laneAt(mix64(seed) % lanes);
  if (lane.begin + lane.size > all) return LLVMFuzzerMutate(data, size, size_max);
  if (mix64(~std::uint64_t{seed}) % 4 == 0) {
    for (std::size_t i = 0; i < lane.size; ++i) {
      data[lane.begin + i] = static_cast<std::uint8_t>(mix64(mix64(seed) + i));
    }
    return all;
  }
  std::array<std::uint8_t, std::max(draw_lane_size, run_lane_size)> bytes{};
  std::memcpy(bytes.data(), data + lane.begin, lane.size);
  const std::size_t changed = LLVMFuzzerMutate(bytes.data(), lane.size, lane.size);
  std::memset(bytes.data() + changed, 0, lane.size - changed);
  std::memcpy(data + lane.begin, bytes.data(), lane.size);
  return all;
}

/// Takes each lane from one of two inputs.
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data1, std::size_t size1,
                                                 const std::uint8_t* data2, std::size_t size2,
                                                 std::uint8_t* out, std::size_t out_max, unsigned seed) {
  const std::size_t all = std::min(out_max, input_size);
  std::memset(out, 0, all);
  for (std::size_t i = 0; i < lanes; ++i) {
    const bool second = mix64(mix64(seed) + i) % 2 == 0;
    const Lane lane = laneAt(i);
    const std::vector<std::uint8_t> bytes =
        bytesOf(lane, second ? data2 : data1, std::min(all, second ? size2 : size1));
    if (!bytes.empty()) std::memcpy(out + lane.begin, bytes.data(), bytes.size());
  }
  return all;
}
