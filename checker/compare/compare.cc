#include "checker/compare/compare.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "checker/built_lists.h"
#include "checker/compare/contender.h"

namespace zablab {

// Each is defined in its own checker/<family>/compare.cc.
#define DECLARED(name) const Contender& name();
ZABLAB_CONTENDERS(DECLARED)
#undef DECLARED

namespace {

std::vector<const Contender*>& takingPart() {
#define ADDRESS(name) &name(),
  static std::vector<const Contender*> all{ZABLAB_CONTENDERS(ADDRESS)};
#undef ADDRESS
  return all;
}

}  // namespace

std::span<const Contender* const> contenders() { return takingPart(); }

void addContender(const Contender& contender) { takingPart().push_back(&contender); }

const Contender* findContender(std::string_view protocol) {
  const auto all = contenders();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Contender* one) { return one->protocol() == protocol; });
  return found == all.end() ? nullptr : *found;
}

std::string_view nameOf(Measure measure) {
  switch (measure) {
    case Measure::without_leader: return "without_leader_ms";
    case Measure::messages: return "messages";
    case Measure::longest_wait: return "longest_wait_ms";
    case Measure::lost_writes: return "lost_writes";
    case Measure::false_elections: return "false_elections";
    case Measure::stale_reads: return "stale_reads";
  }
  return "";
}

std::string_view textOf(Measure measure) {
  switch (measure) {
    case Measure::without_leader: return "time without a leader, ms";
    case Measure::messages: return "messages between servers until service";
    case Measure::longest_wait: return "longest time without an answered write, ms";
    case Measure::lost_writes: return "answered writes lost";
    case Measure::false_elections: return "false elections";
    case Measure::stale_reads: return "stale reads";
  }
  return "";
}

std::optional<Spread> spreadOf(const std::vector<std::optional<std::int64_t>>& values, std::uint64_t first) {
  Histogram histogram;
  Spread spread;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) continue;
    if (spread.runs == 0 || *values[i] > spread.max) {
      spread.max = *values[i];
      spread.worst_seed = first + i;
    }
    ++spread.runs;
    ++histogram[*values[i]];
  }
  if (spread.runs == 0) return std::nullopt;
  spread.min = histogram.begin()->first;
  spread.lower = quantile(histogram, 250);
  spread.median = quantile(histogram, 500);
  spread.upper = quantile(histogram, 750);
  return spread;
}

std::optional<Spread> ContenderResult::spread(Measure measure, std::uint64_t first) const {
  std::vector<std::optional<std::int64_t>> values;
  for (const Measured& run : runs) values.push_back(run[measure]);
  return spreadOf(values, first);
}

std::vector<ContenderResult> compare(const CompareRequest& request) {
  std::vector<ContenderResult> results;
  for (const Contender* contender : request.contenders)
    results.push_back({contender, std::vector<Measured>(request.count)});
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::exception_ptr error;
  const std::uint64_t all = request.count * results.size();
  const auto work = [&] {
    for (std::uint64_t i = next++; i < all && !failed; i = next++) {
      ContenderResult& result = results[i / request.count];
      const std::uint64_t nth = i % request.count;
      try {
        result.runs[nth] = result.contender->measure(request.script, request.first + nth, request.overrides);
      } catch (...) {
        const std::lock_guard lock(mutex);
        error = std::current_exception();
        failed = true;
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < request.jobs; ++i) threads.emplace_back(work);
  }
  if (error) std::rethrow_exception(error);
  return results;
}

}  // namespace zablab
