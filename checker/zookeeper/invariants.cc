#include "checker/zookeeper/invariants.h"

#include "checker/zab/monitors_impl.h"
#include "checker/zookeeper/conform.h"
#include "checker/zookeeper/run_monitors.h"
#include "sim/zookeeper/binding.h"

namespace zablab {

namespace zab {
template std::unique_ptr<MonitorSet<zookeeper::Family>> monitorsWith(
    std::unique_ptr<BasicLedger<zookeeper::Family>> ledger);
template std::vector<std::unique_ptr<Monitor<zookeeper::Family>>> monitorsOf(
    BasicLedger<zookeeper::Family>& ledger);
template std::vector<std::unique_ptr<Monitor<zookeeper::Family>>> electionMonitors(
    BasicLedger<zookeeper::Family>& ledger);
}  // namespace zab

namespace zookeeper {
namespace {

/// The book of searches, and the one that only runs have and that reads it.
struct RunBooks : Listener<Family> {
  explicit RunBooks(const Cluster<Family>& cluster) : ledger(cluster), records(cluster, ledger) {}
  void on(const Happened<Family>& happened) override {
    ledger.on(happened);
    records.on(happened);
  }
  Ledger ledger;
  Records records;
};

}  // namespace
}  // namespace zookeeper

namespace {

template <class Monitors>
std::unique_ptr<MonitorSet<zookeeper::Family>> inRuns(const Cluster<zookeeper::Family>& cluster,
                                                      Monitors&& monitorsOf) {
  auto books = std::make_unique<zookeeper::RunBooks>(cluster);
  auto monitors = monitorsOf(books->ledger);
  addMonitors(monitors, books->records, zookeeper::runInvariants());
  return std::make_unique<MonitorSet<zookeeper::Family>>(std::move(books), std::move(monitors));
}

}  // namespace

std::unique_ptr<MonitorSet<zookeeper::Family>> InvariantsOf<zookeeper::Family>::all(
    const Cluster<zookeeper::Family>& cluster) {
  return inRuns(cluster,
                [](zookeeper::Ledger& ledger) { return zab::monitorsOf<zookeeper::Family>(ledger); });
}

std::unique_ptr<MonitorSet<zookeeper::Family>> zookeeper::clientMonitors(const Cluster<Family>& cluster) {
  return inRuns(cluster, [](Ledger& ledger) { return Book::monitors(ledger); });
}

std::vector<RecordingKind> InvariantsOf<zookeeper::Family>::recordingKinds() {
  return {{"client", [](const Scenario& rules) {
             return zookeeper::judgeClients(Binding<zookeeper::Family>::rules(rules, {}));
           }}};
}

}  // namespace zablab
