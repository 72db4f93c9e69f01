#include "checker/fuzz/campaign.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "checker/protocol.h"

namespace zablab {
namespace {

/// What the threads share: the next seed, and the findings.
struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> stopped{false};
  CampaignProgress progress;
  CampaignResult result;
  int running = 0;
  std::exception_ptr error;
};

void work(const FuzzTarget& target, const SeedRange& seeds, SeedWatch* watch, Shared& shared) {
  try {
    const auto worker = protocolOf(target).fuzzWorker(target);
    while (!shared.stopped) {
      const std::uint64_t index = shared.next++;
      if (index >= seeds.size()) break;
      const std::uint64_t seed = seeds.at(index);
      if (watch != nullptr) watch->begins(seed);
      RunOutcome outcome = worker->run(seed);
      if (watch != nullptr) watch->ends();
      const std::lock_guard lock(shared.mutex);
      ++shared.progress.done;
      shared.progress.actions += outcome.actions;
      shared.progress.virtual_ms += outcome.virtual_ms;
      if (!outcome.failure) continue;
      ++shared.progress.findings;
      shared.result.findings.push_back({seed, std::move(*outcome.failure)});
    }
    const std::lock_guard lock(shared.mutex);
    shared.result.statistics.add(worker->statistics());
  } catch (...) {
    const std::lock_guard lock(shared.mutex);
    shared.error = std::current_exception();
    shared.stopped = true;
  }
  const std::lock_guard lock(shared.mutex);
  --shared.running;
  shared.changed.notify_all();
}

}  // namespace

std::uint64_t SeedRange::size() const {
  const std::uint64_t all = end - begin;
  return all / shards + (shard < all % shards ? 1 : 0);
}

CampaignResult runCampaign(const FuzzTarget& target, const SeedRange& seeds, int jobs,
                           const std::function<bool(const CampaignProgress&)>& proceed, SeedWatch* watch) {
  Shared shared;
  shared.progress.all = seeds.size();
  shared.running = jobs;
  std::vector<std::jthread> threads;
  for (int i = 0; i < jobs; ++i) threads.emplace_back([&] { work(target, seeds, watch, shared); });
  {
    std::unique_lock lock(shared.mutex);
    while (shared.running > 0) {
      shared.changed.wait_for(lock, std::chrono::milliseconds(200));
      const CampaignProgress progress = shared.progress;
      lock.unlock();
      if (proceed && !proceed(progress)) shared.stopped = true;
      lock.lock();
    }
  }
  threads.clear();
  if (shared.error) std::rethrow_exception(shared.error);
  shared.result.complete = shared.progress.done == seeds.size();
  std::sort(shared.result.findings.begin(), shared.result.findings.end(),
            [](const Finding& a, const Finding& b) { return a.seed < b.seed; });
  return std::move(shared.result);
}

}  // namespace zablab
