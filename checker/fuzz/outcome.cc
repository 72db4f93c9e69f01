#include "checker/fuzz/outcome.h"

namespace zablab {
namespace {

template <class Map>
void addTo(Map& sums, const Map& more) {
  for (const auto& [name, count] : more) sums[name] += count;
}

}  // namespace

std::int64_t quantile(const Histogram& histogram, std::int64_t permille) {
  std::uint64_t all = 0;
  for (const auto& [value, count] : histogram) all += count;
  std::uint64_t seen = 0;
  for (const auto& [value, count] : histogram) {
    seen += count;
    if (seen * 1000 >= all * static_cast<std::uint64_t>(permille)) return value;
  }
  return 0;
}

void FuzzStatistics::add(const FuzzStatistics& other) {
  seeds += other.seeds;
  actions += other.actions;
  virtual_ms += other.virtual_ms;
  digest += other.digest;
  addTo(planned, other.planned);
  addTo(fired, other.fired);
  addTo(lost, other.lost);
  addTo(obligations, other.obligations);
  addTo(passed_over, other.passed_over);
  addTo(slow_elections, other.slow_elections);
  addTo(coverage, other.coverage);
  addTo(transitions, other.transitions);
  for (const auto& [measure, by_setting] : other.times) {
    for (const auto& [setting, histogram] : by_setting) addTo(times[measure][setting], histogram);
  }
  node_states.insert(other.node_states.begin(), other.node_states.end());
}

std::vector<std::string> FuzzStatistics::notExercised() const {
  std::vector<std::string> silent;
  for (const auto& [invariant, count] : obligations) {
    if (count == 0) silent.push_back(invariant);
  }
  return silent;
}

std::vector<std::string> FuzzStatistics::neverFired() const {
  constexpr std::uint64_t expected = 20;
  std::vector<std::string> silent;
  for (const auto& [kind, count] : planned) {
    if (count >= expected && !fired.contains(kind)) silent.push_back(kind);
  }
  return silent;
}

}  // namespace zablab
