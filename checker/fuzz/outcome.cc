#include "checker/fuzz/outcome.h"

#include <charconv>

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

std::string hexOf(Digest digest) {
  std::string text(16, '0');
  constexpr std::string_view digits = "0123456789abcdef";
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = digits[digest.value >> (60 - 4 * i) & 15];
  return text;
}

Json JsonCodec<Digest>::write(const Digest& digest) { return hexOf(digest); }
Digest JsonCodec<Digest>::read(const JsonValue& value) {
  const std::string& text = value.asString();
  Digest digest;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), digest.value, 16);
  if (error != std::errc{} || end != text.data() + text.size() || text.size() != 16)
    throw value.kindError("16 hexadecimal digits");
  return digest;
}
Json JsonCodec<Digest>::schema() { return {{"type", "string"}, {"pattern", "^[0-9a-f]{16}$"}}; }

void FuzzStatistics::add(const FuzzStatistics& other) {
  seeds += other.seeds;
  actions += other.actions;
  virtual_ms += other.virtual_ms;
  digest.value += other.digest.value;
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
