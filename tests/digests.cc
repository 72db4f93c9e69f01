// Prints one line for each of 260 seeded runs with faults, of the register and of ZooKeeper's tree: the
// protocol, the seed, the number of events, and a hash of all of them. Every compiler at every -O must print
// the same lines.
#include <cinttypes>
#include <cstdio>
#include <memory>

#include "protocol/zab_register/family.h"
#include "protocol/zookeeper/family.h"
#include "tests/mishaps.h"

namespace zablab {

/// The simulator requires names of timers, although none is printed here.
template <>
struct Binding<zookeeper::Family> {
  static std::string timerKeyName(const zookeeper::V::TimerKey& key) {
    return std::to_string(key.peer.value_or(-1)) + "/" + std::to_string(key.own.value_or(-1));
  }
};

}  // namespace zablab

namespace {

using namespace zablab;

/// Hashes everything that happens, with its time.
template <class Family>
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
template <class Family>
Cluster<Family> clusterOf(int servers) {
  Cluster<Family> cluster;
  std::decay_t<decltype(cluster.configs.front())> config;
  for (int id = 1; id <= servers; ++id) {
    config.members.push_back({.id = id});
    cluster.ids.push_back(id);
  }
  cluster.configs.assign(cluster.ids.size(), config);
  cluster.ids.push_back(101);
  cluster.clients = 1;
  config.client = true;
  cluster.configs.push_back(config);
  cluster.scripted.assign(cluster.ids.size(), false);
  for (const auto& link : Family::links) cluster.links.push_back(link.kind);
  return cluster;
}

/// Writes, occasionally reads or turns to another server.
zab::Request requestOf(const zab::Family*, std::int64_t number, int servers) {
  zab::Request request{.operation = zab::Operation::put, .value = number, .number = number};
  if (number % 7 == 0) request.operation = zab::Operation::read;
  if (number % 11 == 0) request.operation = zab::Operation::sync;
  if (number % 20 == 1) {
    request.operation = zab::Operation::connect;
    request.server = number / 20 % servers + 1;
  }
  return request;
}

/// Creates sequential nodes, changes and watches the root, deletes, and turns to other servers with the
/// session that it has or for another one.
zookeeper::Request requestOf(const zookeeper::Family*, std::int64_t number, int servers) {
  using zookeeper::OpCode;
  zookeeper::Request request{.instruction = zookeeper::Instruction::operate, .number = number};
  if (number % 20 == 1) {
    request.instruction = zookeeper::Instruction::connect;
    request.server = number / 20 % servers + 1;
    request.timeout = 8000;
    request.renews = true;
    return request;
  }
  request.op.code = number % 3 == 0   ? OpCode::create
                    : number % 5 == 0 ? OpCode::setData
                    : number % 7 == 0 ? OpCode::remove
                                      : OpCode::getChildren2;
  request.op.path = number % 3 == 0 ? "/n-" : number % 7 == 0 ? "/n-0000000000" : "/";
  request.op.flags = number % 6 == 0 ? 3 : 2;  // EPHEMERAL_SEQUENTIAL, PERSISTENT_SEQUENTIAL
  request.op.acl = zookeeper::openAcl();
  request.op.version = -1;
  request.op.watch = number % 2 == 0;
  return request;
}

template <class Family>
void run(std::uint64_t seed) {
  const int servers = seed % 2 == 0 ? 5 : 3;
  const Cluster<Family> cluster = clusterOf<Family>(servers);
  Choices choices(std::make_unique<SeededChoices>(seed),
                  [](ChoiceKind, std::uint8_t) { return std::string(); });
  choices.remember(false);
  Simulator<Family> simulator(cluster, {.latency = {{1, 30}, {1, 30}, {1, 30}}}, choices);
  Digest<Family> digest(simulator);
  simulator.listen(digest);
  Mishaps<Family> mishaps(cluster, simulator, choices, {.begin_ms_max = 40'000, .lasts_ms_max = 8000});
  mishaps.arm();
  for (int i = 0; i < simulator.store().size(); ++i) {
    simulator.apply({.kind = ActionKind::start, .a = i});
  }
  for (std::int64_t number = 1; number <= 300; ++number) {
    const auto request = requestOf(static_cast<const Family*>(nullptr), number, servers);
    simulator.at(number * 200, [&simulator, servers, request] {
      if (!simulator.store().isUp(servers)) return;
      simulator.apply({.kind = ActionKind::ask, .a = servers, .request = request});
    });
  }
  simulator.run(60'000);
  std::printf("%s %" PRIu64 " %" PRIu64 " %016" PRIx64 "\n", std::string(Family::name).c_str(), seed,
              digest.count(), digest.hash());
}

}  // namespace

int main() {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) run<zablab::zab::Family>(seed);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) run<zablab::zookeeper::Family>(seed);
  return 0;
}
