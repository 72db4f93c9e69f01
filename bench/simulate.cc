// Measures the speed of the simulator: a workload, run with one seed after the other, without monitors and
// with all of them.
//
//     zablab_simulate FILE [SECONDS]
//
// One applied action is one event. Rates are for one core.
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iomanip>
#include <iostream>

#include "checker/execute.h"
#include "checker/protocol.h"

namespace {

using namespace zablab;
using Clock = std::chrono::steady_clock;

struct Rate {
  std::uint64_t runs = 0;
  std::uint64_t actions = 0;
  std::uint64_t violated = 0;
  double seconds = 0;
  double perSecond() const { return static_cast<double>(actions) / seconds; }
};

Rate measure(const LoadedScenario& scenario, bool monitored, double seconds) {
  Rate rate;
  const auto begin = Clock::now();
  while (rate.seconds < seconds) {
    LoadedScenario seeded = scenario;
    seeded.spec.seed = ++rate.runs;
    const BareOutcome outcome = protocolOf(seeded).runBare(seeded, monitored);
    rate.actions += outcome.actions;
    rate.violated += outcome.violated.size();
    rate.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  }
  return rate;
}

void print(const char* what, const Rate& rate, Millis until) {
  const double virtual_seconds = static_cast<double>(rate.runs) * static_cast<double>(until) / 1000;
  std::cout << std::fixed << std::setprecision(2) << std::setw(14) << what << ": "
            << rate.perSecond() / 1'000'000 << " M events/s, " << rate.actions / rate.runs
            << " events a run, " << std::setprecision(0) << virtual_seconds / rate.seconds
            << " virtual seconds a second, " << rate.violated << " violations\n";
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::cerr << "usage: zablab_simulate FILE [SECONDS]\n";
    return 2;
  }
  try {
    const Case workload = loadCase(words[1]);
    const double seconds = count > 2 ? std::atof(words[2]) : 5;
    const Millis until = workload.scenario.spec.until;
    const Rate bare = measure(workload.scenario, false, seconds);
    print("bare", bare, until);
    const Rate monitored = measure(workload.scenario, true, seconds);
    print("all monitors", monitored, until);
    std::cout << "monitors take " << std::fixed << std::setprecision(0)
              << 100 * (1 - monitored.perSecond() / bare.perSecond()) << " % of the time\n";
    return bare.violated + monitored.violated == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
