// Random runs with faults, by the thousand: what do the invariants find?
//
//     zablab_hunt [--seeds N] [--from SEED] [--servers N] [--observers N] [--mutate M] [--rule K=V]...
//
// Prints what was violated, how often, and the first seed; exits 1 where something was.
#include <algorithm>
#include <boost/program_options.hpp>
#include <chrono>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "checker/zab/trial.h"
#include "protocol/zab/mutations.h"

namespace {

using namespace zablab;
namespace po = boost::program_options;

struct Found {
  std::uint64_t seeds = 0;
  std::uint64_t first = 0;
  std::string words;
};

int hunt(const po::variables_map& values) {
  zab::Trial trial =
      zab::underFaults(zab::ensembleOf(values["servers"].as<int>(), values["observers"].as<int>()), 20'000);
  if (values.count("mutate") != 0) {
    const auto* mutation = zab::findMutation(values["mutate"].as<std::string>());
    if (mutation == nullptr) {
      std::cerr << "there is no such mutation; see zablab list mutations\n";
      return 2;
    }
    zab::mutate(trial.rules, *mutation);
  }
  for (const std::string& rule : values["rule"].as<std::vector<std::string>>()) {
    const std::size_t equals = std::min(rule.find('='), rule.size());
    const std::string value = equals < rule.size() ? rule.substr(equals + 1) : "";
    if (const auto problem = zab::setRule(trial.rules, rule.substr(0, equals), value)) {
      std::cerr << *problem << "; see zablab list rules\n";
      return 2;
    }
  }
  const std::uint64_t from = values["from"].as<std::uint64_t>();
  const std::uint64_t seeds = values["seeds"].as<std::uint64_t>();
  std::map<std::string, Found> found;
  std::map<std::string, std::uint64_t> obligations;
  std::uint64_t actions = 0, answered = 0, established = 0, idle = 0, first_idle = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t seed = from; seed < from + seeds; ++seed) {
    const zab::TrialOutcome outcome = zab::runTrial(trial, seed);
    actions += outcome.actions;
    answered += outcome.answered;
    established += outcome.established;
    if (!outcome.serving && idle++ == 0) first_idle = seed;
    for (const auto& [name, count] : outcome.obligations) obligations[name] += count;
    for (const auto& [name, words] : outcome.violations) {
      Found& entry = found[name];
      if (entry.seeds++ == 0) entry = {1, seed, words};
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::cout << seeds << " seeds, " << actions << " actions, " << established << " epochs, " << answered
            << " requests answered, " << took.count() << " s\n";
  if (idle > 0) std::cout << "no leader at the end: " << idle << " seeds, the first " << first_idle << "\n";
  for (const auto& [name, count] : obligations) std::cout << "  " << name << ": " << count << " checks\n";
  for (const auto& [name, entry] : found) {
    std::cout << "VIOLATED " << name << ": " << entry.seeds << " seeds, the first " << entry.first << ": "
              << entry.words << "\n";
  }
  return found.empty() ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  po::options_description options;
  options.add_options()("seeds", po::value<std::uint64_t>()->default_value(1000))(
      "from", po::value<std::uint64_t>()->default_value(1))("servers", po::value<int>()->default_value(3))(
      "observers", po::value<int>()->default_value(0))("mutate", po::value<std::string>())(
      "rule", po::value<std::vector<std::string>>()->default_value({}, ""));
  try {
    po::variables_map values;
    po::store(po::parse_command_line(count, words, options), values);
    po::notify(values);
    return hunt(values);
  } catch (const std::exception& error) {
    std::cerr << "zablab_hunt: " << error.what() << "\n";
    return 2;
  }
}
