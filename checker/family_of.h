// Makes a protocol, as everything above sees it, of a family's own types. Included by the one file of each
// family that instantiates it (checker/<family>/protocol.cc).
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/check/contract.h"
#include "checker/clients/clients.h"
#include "checker/family.h"
#include "checker/fuzz/watcher.h"
#include "checker/protocol.h"
#include "sim/run_of.h"

namespace zablab {

template <class F>
class FamilyInvariantsOf : public FamilyInvariants {
  using Of = InvariantsOf<F>;
  static constexpr bool judges_states = requires { &Of::requested; };

 public:
  std::unique_ptr<Monitors> all(const AnyCluster& cluster) const override { return Of::all(cluster.as<F>()); }
  std::vector<InvariantInfo> list() const override {
    std::vector<InvariantInfo> list;
    const Cluster<F> nobody;
    const auto set = Of::all(nobody);
    for (const auto& monitor : set->monitors()) list.push_back(monitor->info());
    return list;
  }
  bool judgesStates() const override { return judges_states; }
  std::unique_ptr<Monitors> requested(ScenarioRun& run,
                                      const std::vector<std::string>& names) const override {
    return std::make_unique<Requested>(run, names);
  }
  std::vector<TableFunction> functions() const override {
    if constexpr (requires { &Of::functions; }) return Of::functions();
    return {};
  }
  std::vector<RecordingKind> recordingKinds() const override {
    if constexpr (requires { &Of::recordingKinds; }) return Of::recordingKinds();
    return {};
  }

 private:
  /// They look at the states of the run.
  class Requested : public MonitorSet<F> {
   public:
    Requested(ScenarioRun& run, const std::vector<std::string>& names)
        : MonitorSet<F>(nullptr, {}), run_(run) {
      if constexpr (judges_states) {
        for (const std::string& name : names) {
          if (auto monitor = Of::requested(run_, name)) this->add(std::move(monitor));
        }
      }
    }

   private:
    RunOf<F> run_;
  };
};

template <class F>
class FamilyFuzzOf : public FamilyFuzz {
  using Of = FuzzOf<F>;
  using Node = typename F::Node;

 public:
  std::span<const FuzzSetting> settings() const override { return Of::settings; }
  DrawnRun draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable) const override {
    return Of::draw(shape, choices, unable);
  }
  std::uint32_t placeOf(const Value& node) const override { return Of::placeOf(node.as<Node>()); }
  std::string placeName(std::uint32_t place) const override { return Of::placeName(place); }
  std::uint32_t firstPlace() const override { return Of::first_place; }
  std::uint32_t allOperations() const override { return Of::all_operations; }
  std::string operationsText() const override { return Of::operations_text; }
  std::uint32_t answered(const Value& event) const override {
    return Of::answered(event.as<typename F::Event>());
  }
  std::pair<ServerId, bool> clientOf(const Value& node) const override {
    return Of::clientOf(node.as<Node>());
  }
  std::string settingOf(const AnyCluster& cluster) const override { return Of::settingOf(cluster.as<F>()); }
  std::unique_ptr<FuzzWatcher> watcher(const FuzzRun& run) const override {
    if constexpr (requires { &Of::watcher; }) return Of::watcher(run);
    return std::make_unique<FuzzWatcher>(run);
  }
};

/// The first base of a protocol: its parts live as long as it does.
template <class F>
struct PartsOf {
  FamilyInvariantsOf<F> invariants;
  FamilyFuzzOf<F> fuzz;
};

template <class F>
class ProtocolOf : private PartsOf<F>, public Protocol {
 public:
  ProtocolOf()
      : Protocol(theFamily<F>(), theCheck<F>(), PartsOf<F>::invariants, PartsOf<F>::fuzz, &clientsOf<F>) {}
};

template <class F>
const Protocol& theProtocol() {
  static const ProtocolOf<F> protocol;
  return protocol;
}

}  // namespace zablab
