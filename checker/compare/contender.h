// How a protocol takes part in a comparison: its runs, drawn from a script of faults, and what is measured in
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "checker/clients/clients.h"
#include "checker/compare/compare.h"
#include "sim/run.h"

namespace zablab {

/// A leader: leaders that come later have higher numbers.
struct Reign {
  std::int64_t number = 0;
  int server = -1;  ///< by index
  bool operator==(const Reign&) const = default;
};

/// The processes, and which machine each is on: a client of each machine is added.
struct ComparedCluster {
  Json setting;                                 ///< of a scenario: servers, their configuration, rules
  std::vector<std::vector<ServerId>> machines;  ///< the first process of each is one that can lead
  /// Processes on machines of their own, without clients: a network that is cut leaves them with the
  /// majority.
  std::vector<ServerId> apart = {};
  std::int64_t voters = 0;
  std::optional<Reign> first;  ///< a leader by configuration
  Json write;                  ///< what a client is asked, as in a step
  std::optional<Json> read;
  bool clients_turn = false;  ///< a client is connected to the server of its machine
};

/// What a family tells of one of its runs. It is asked about an event before it receives it.
class ComparedRun : public AnyListener {
 public:
  virtual bool votes(int server) const = 0;
  /// Whether more than half of the voters are a quorum, and fewer are none.
  virtual bool hasMajorities() const = 0;
  /// The reign of the leader that has just taken over, or that already leads.
  virtual std::optional<Reign> claim(const AnyHappened& happened) const = 0;
  /// Whether this acknowledged write was accepted by the leader of that reign.
  virtual bool acceptedBy(const Value& event, const Reign& reign) const = 0;
  /// Whether what was read had been replaced before the read began. Empty: to be judged by the writes that
  /// clients were answered.
  virtual std::optional<bool> isStale(const ClientAnswer& read) const = 0;
};

/// A family as it takes part.
class FamilyCompare {
 public:
  virtual ~FamilyCompare() = default;
  virtual const AnyFamily& family() const = 0;
  virtual ComparedCluster layout() const = 0;
  virtual std::string_view settings() const = 0;
  virtual std::unique_ptr<ComparedRun> watch(ScenarioRun& run) const = 0;
  virtual std::unique_ptr<ClientsView> clients(ScenarioRun& run) const = 0;
};

class Contender {
 public:
  explicit Contender(const FamilyCompare& family) : family_(family) {}
  std::string_view protocol() const { return family_.family().name(); }
  /// Who takes part, and which timers: one line.
  std::string_view settings() const { return family_.settings(); }
  /// The run of a seed: the script's faults as steps that name servers.
  Scenario scenario(const FaultScript& script, std::uint64_t seed, const CompareOverrides& overrides) const;
  Measured measure(const FaultScript& script, std::uint64_t seed, const CompareOverrides& overrides) const;

 private:
  class Meter;
  struct Drawn;

  Drawn drawn(const FaultScript& script, std::uint64_t seed, const CompareOverrides& overrides) const;
  /// The family's, or the servers of its configuration file, each on its machine. Throws InputError.
  ComparedCluster layout(const CompareOverrides& overrides) const;
  /// Adds the steps of a fault, at the expense of a run up to its time.
  void strike(Drawn& drawn, const FaultStep& fault) const;
  /// Runs until `end`, and passes what is there then.
  template <class Then>
  void observe(const Drawn& drawn, Millis end, Then then) const;

  const FamilyCompare& family_;
};

}  // namespace zablab
