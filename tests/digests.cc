// Prints one line for each of 200 seeded runs with faults: the seed, the number of events, and a hash of all
// of them. Every compiler at every -O must print the same lines.
#include <cinttypes>
#include <cstdio>
#include <memory>

#include "protocol/zab_register/family.h"
#include "tests/mishaps.h"

namespace {

using namespace zablab;
using zab::Family;

/// Hashes everything that happens, with its time.
class Digest : public Listener<Family> {
 public:
  explicit Digest(const Simulator<Family>& simulator) : simulator_(simulator) {}

  void on(const Happened<Family>& happened) override {
    bytes_.clear();
    add(simulator_.now());
    add(happened.kind);
    add(happened.node);
    add(happened.link);
    add(happened.from);
    add(happened.to);
    add(happened.message);
    add(happened.how);
    add(happened.reason);
    add(happened.stopped);
    add(std::string(happened.why));
    add(happened.blocking);
    add(happened.timer);
    if (happened.content != nullptr) add(*happened.content);
    if (happened.record != nullptr) add(*happened.record);
    if (happened.event != nullptr) add(*happened.event);
    if (happened.disk != nullptr) add(*happened.disk);
    if (happened.request != nullptr) add(*happened.request);
    hash_ = mix64(hash_ ^ hashBytes(bytes_));
    ++count_;
  }
  std::uint64_t hash() const { return hash_; }
  std::uint64_t count() const { return count_; }

 private:
  template <class T>
  void add(const T& value) {
    encodeTo(bytes_, value);
  }

  const Simulator<Family>& simulator_;
  Bytes bytes_;
  std::uint64_t hash_ = 0;
  std::uint64_t count_ = 0;
};

/// This many servers, and one client.
Cluster<Family> clusterOf(int servers) {
  Cluster<Family> cluster;
  zab::NodeConfig config;
  for (int id = 1; id <= servers; ++id) {
    config.members.push_back({.id = id});
    cluster.ids.push_back(id);
  }
  cluster.configs.assign(cluster.ids.size(), config);
  cluster.ids.push_back(101);
  cluster.clients = 1;
  cluster.configs.push_back({{}, true});
  cluster.scripted.assign(cluster.ids.size(), false);
  for (const auto& link : Family::links) cluster.links.push_back(link.kind);
  return cluster;
}

/// Writes five times a second, and occasionally reads or turns to another server.
void keepAsking(Simulator<Family>& simulator, int servers) {
  for (std::int64_t number = 1; number <= 300; ++number) {
    zab::Request request{.operation = zab::Operation::put, .value = number, .number = number};
    if (number % 7 == 0) request.operation = zab::Operation::read;
    if (number % 11 == 0) request.operation = zab::Operation::sync;
    if (number % 20 == 1) {
      request.operation = zab::Operation::connect;
      request.server = number / 20 % servers + 1;
    }
    simulator.at(number * 200, [&simulator, servers, request] {
      if (!simulator.store().isUp(servers)) return;
      simulator.apply({.kind = ActionKind::ask, .a = servers, .request = request});
    });
  }
}

void run(std::uint64_t seed) {
  const int servers = seed % 2 == 0 ? 5 : 3;
  const Cluster<Family> cluster = clusterOf(servers);
  Choices choices(std::make_unique<SeededChoices>(seed),
                  [](ChoiceKind, std::uint8_t) { return std::string(); });
  choices.remember(false);
  Simulator<Family> simulator(cluster, {.latency = {{1, 30}, {1, 30}, {1, 30}}}, choices);
  Digest digest(simulator);
  simulator.listen(digest);
  Mishaps<Family> mishaps(cluster, simulator, choices, {.begin_ms_max = 40'000, .lasts_ms_max = 8000});
  mishaps.arm();
  for (int i = 0; i < simulator.store().size(); ++i) {
    simulator.apply({.kind = ActionKind::start, .a = i});
  }
  keepAsking(simulator, servers);
  simulator.run(60'000);
  std::printf("%" PRIu64 " %" PRIu64 " %016" PRIx64 "\n", seed, digest.count(), digest.hash());
}

}  // namespace

int main() {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) run(seed);
  return 0;
}
