#include "checker/zookeeper/requested.h"

#include <utility>

#include "checker/zookeeper/one_believer.h"
#include "checker/zookeeper/progress.h"
#include "sim/zookeeper/binding.h"

namespace zablab::zookeeper {
namespace {

/// What changes the states that these invariants compare.
constexpr std::uint64_t changes = kindBits(Kind::step_over, Kind::stopped, Kind::paused, Kind::resumed);

class OfStates : public Monitor<Family> {
 public:
  explicit OfStates(RunOf<Family>& run) : run_(run) {}
  std::uint64_t kinds() const override { return changes; }

 protected:
  Millis now() const { return run_.now(); }
  const Node& node(int i) const { return run_.node(i); }
  bool isUp(int i) const { return run_.isUp(i); }
  bool runs(int i) const { return isUp(i) && !run_.isPaused(i); }
  /// Calls `visit(i)` for each client whose process has not ended.
  template <class Visit>
  void forEachClient(Visit&& visit) const {
    const Cluster<Family>& cluster = run_.cluster();
    for (int i = cluster.serverCount(); i < static_cast<int>(cluster.ids.size()); ++i) {
      if (isUp(i)) visit(i);
    }
  }
  int indexOf(ServerId id) const { return run_.cluster().indexOf(id); }

 private:
  RunOf<Family>& run_;
};

/// It is violated if a client has waited in vain for some time, without an interruption.
class LastingProgress : public OfStates {
 public:
  LastingProgress(RunOf<Family>& run, std::size_t which) : OfStates(run), which_(which) {}
  InvariantInfo info() const override { return Progress::invariants[which_]; }

  void on(const Happened<Family>&) override {
    Progress progress;
    forEachClient([&](int i) {
      const int server = node(i).client ? indexOf(node(i).client->server.value_or(no_server)) : -1;
      progress.add(node(i), runs(i) && server >= 0 && runs(server) ? &node(server).service : nullptr);
    });
    const Phrase violation = progress.violation(which_);
    if (violation.empty()) {
      const bool waited = std::exchange(since_, -1) >= 0;  // and not in vain
      if (waited || progress.judged().test(which_)) check(true, [] { return Phrase(); });
      return;
    }
    // Another client's wait, or one for something else, has its own beginning.
    if (since_ < 0 || violation != waits_) since_ = now();
    waits_ = violation;
    if (now() - since_ >= vain_ms_max) check(false, [&] { return phrase("{waits}: for 60 s", waits_); });
  }

  Phrase undecided() const override {
    if (since_ < 0) return {};
    return phrase("{waits}: for {ms} ms so far, of 60 s", waits_, now() - since_);
  }

 private:
  std::size_t which_;
  Millis since_ = -1;  ///< when that wait began; -1: nobody waits in vain
  Phrase waits_;       ///< who waits in vain, and for what
};
static_assert(vain_ms_max == 60'000, "the texts state it");

class OneBelieverInRuns : public OfStates {
 public:
  using OfStates::OfStates;
  InvariantInfo info() const override { return OneBeliever::info; }

  void on(const Happened<Family>&) override {
    OneBeliever believers;
    forEachClient([&](int i) { believers.add(node(i)); });
    if (!believers.judged()) return;
    const Phrase violation = believers.violation();
    check(violation.empty(), [&] { return violation; });
  }
};

}  // namespace

std::unique_ptr<Monitor<Family>> requestedOf(RunOf<Family>& run, std::string_view name) {
  for (std::size_t which = 0; which < Progress::invariants.size(); ++which) {
    if (Progress::invariants[which].name == name) return std::make_unique<LastingProgress>(run, which);
  }
  if (name == OneBeliever::info.name) return std::make_unique<OneBelieverInRuns>(run);
  return nullptr;
}

}  // namespace zablab::zookeeper
