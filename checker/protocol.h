// A family of protocols as everything above it sees it: the operations on its scenarios and models, and its
// contents. `ProtocolOf<F>` (checker/family_of.h) makes one of a family's types; checker/built.cc lists
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/check/check.h"
#include "checker/check/contract.h"
#include "checker/clients/clients.h"
#include "checker/collision.h"
#include "checker/conformance.h"
#include "checker/family.h"
#include "checker/fuzz/campaign.h"
#include "checker/fuzz/drawn.h"
#include "checker/tables.h"
#include "sim/asks.h"
#include "sim/run.h"
#include "sim/trace.h"

namespace zablab {

struct NamedText {
  std::string name;
  std::string text;
};

/// The result of a run without a trace, for measurements: how many actions were done, and what was violated.
struct BareOutcome {
  std::uint64_t actions = 0;
  std::uint64_t obligations = 0;
  std::vector<std::string> violated;
};

class FuzzCounts;

class Protocol {
 public:
  Protocol(const AnyFamily& family, const FamilyCheck& check, const FamilyInvariants& invariants,
           const FamilyFuzz& fuzz, ClientsOfRun clients)
      : family_(family), check_(check), invariants_(invariants), fuzz_(fuzz), clients_(clients) {}
  Protocol(const Protocol&) = delete;
  std::string_view name() const { return family_.name(); }
  std::string_view text() const { return family_.text(); }  ///< one line
  const AnyFamily& family() const { return family_; }

  // ---- scenarios
  /// Checks what only the family can check: rules, configuration, states, messages. Throws InputError.
  void checkScenario(const LoadedScenario& scenario) const;
  /// Runs the scenario with all invariants watching; the trace contains their verdicts.
  Trace run(const LoadedScenario& scenario, const Until& until) const;
  /// What its clients are answered, and where what they write is, in a run; null: the family does not tell.
  std::unique_ptr<ClientsView> clients(ScenarioRun& run) const { return clients_(run); }
  BareOutcome runBare(const LoadedScenario& scenario, bool monitored) const;
  /// Runs it without a trace and without invariants: how many events of each kind a trace would have, other
  /// than those that only say what a step of the scenario does (a cut, a note). Throws EndlessRun.
  std::map<std::string, std::uint64_t> countEvents(const LoadedScenario& scenario) const;
  /// What a run by actions could do at this time, as the scenario's next action: a list of actions. First
  /// what the protocol does by itself, then messages that are lost, duplicated or overtake others, writes
  /// that fail, and processes that start or resume. Any process could also end or pause. In a timed run, what
  /// a step of it could have happen now (happensByItself).
  Json possibleActions(const LoadedScenario& scenario, Millis time) const;
  /// A trace in a few lines: which server won each election, and why.
  std::vector<std::string> narrate(const Trace& trace) const { return family_.narrate(trace); }
  /// Checks what the header of its traces says of roles and elections: tones that exist, and patterns of
  /// events that exist. Throws InputError.
  void checkHeader() const;
  /// Where drawn waits decide who is elected: the events of that; empty for other protocols.
  std::optional<ElectionEvents> electionEvents() const;

  /// The field of a scenario whose text may be in a separate file; empty: there is none.
  std::string_view fileField() const { return family_.fileField(); }
  /// The family's own keys of scenarios.
  OwnKeys ownKeys() const { return family_.ownKeys(); }
  /// The server that a client turns to by this request; empty: none.
  std::optional<ServerId> turnsTo(const step::Ask& ask) const;

  // ---- models
  void checkModel(const LoadedModel& model) const;
  CheckResult check(const LoadedModel& model, const CheckOptions& options) const;

  // ---- random runs
  /// What they have besides the common faults.
  std::span<const FuzzSetting> fuzzSettings() const { return fuzz_.settings(); }
  /// One thread's part of a campaign.
  std::unique_ptr<FuzzWorker> fuzzWorker(const FuzzTarget& target) const;
  /// The scenario that a seed of a campaign runs, and its knobs in words (in `about`).
  Scenario drawScenario(const FuzzTarget& target, std::uint64_t seed) const;
  /// The run of a campaign for a seed, with other choices. The scenario of a run that fails does the same
  /// without their source: the choices that were not their default are pinned. It ends at a violation, and
  /// expects the invariant to hold.
  std::pair<Scenario, RunOutcome> runChosen(const FuzzTarget& target, const RunChoices& choices) const;
  /// Runs a scenario without a trace. Besides the invariants, each client for which an expectation requires
  /// an answer has to get one. `made`: receives every choice that was not its default; `only`: if not empty,
  /// only these invariants are judged.
  RunOutcome judge(const Scenario& scenario, std::vector<Choice>* made = nullptr,
                   const std::vector<std::string>& only = {}) const;

  /// Kinds of recordings of real servers that its nodes are compared with.
  std::vector<RecordingKind> recordingKinds() const { return invariants_.recordingKinds(); }

  // ---- lists
  /// The kinds of events that a trace may have.
  std::vector<std::string> eventKinds() const;
  /// What patterns in scenarios may name: each kind of event, message and record with its fields; the fields
  /// of a server's state.
  std::vector<NamedText> events() const;
  std::vector<NamedText> messages() const;
  std::vector<NamedText> records() const;
  std::vector<NamedText> stateFields() const;
  std::vector<NamedText> variants() const;
  std::vector<NamedText> rules() const;  ///< each name is "name=value"
  std::vector<NamedText> mutations() const;
  std::vector<NamedText> invariants() const;
  /// Those that a state shows by itself: searches judge them, and some families' runs if a scenario names
  /// them.
  std::vector<NamedText> stateInvariants() const;
  /// Who checks them: "checked only by searches".
  std::string_view stateInvariantsCheckedBy() const;
  /// The decisions that tables can test.
  std::vector<TableFunction> functions() const { return invariants_.functions(); }
  /// Throws InputError if an entry of the list, which the document has under this key, names what does not
  /// exist. Steps, which only a scenario has, are checked with it.
  void checkFailsWith(const JsonValue& document, const char* key, const std::vector<FailsWith>& list,
                      bool is_scenario) const;

 private:
  class Worker;

  RunOutcome runOnce(const LoadedScenario& scenario, const Judgement& judgement, FuzzCounts& counts,
                     std::uint64_t seed, std::unique_ptr<ChoiceSource> source,
                     std::vector<Choice>* made) const;
  DrawnRun drawn(const FuzzTarget& target, std::unique_ptr<ChoiceSource> source,
                 const std::set<ServerId>& unable) const;
  std::pair<DrawnRun, RunOutcome> runDrawn(const FuzzTarget& target, const RunChoices& choices,
                                           std::optional<std::uint64_t> seed, FuzzCounts& counts) const;
  std::pair<DrawnRun, RunOutcome> runSeed(const FuzzTarget& target, std::uint64_t seed,
                                          FuzzCounts& counts) const;
  void checkInvariantNames(const JsonValue& place, const ExpectSpec& expect) const;

  const AnyFamily& family_;
  const FamilyCheck& check_;
  const FamilyInvariants& invariants_;
  const FamilyFuzz& fuzz_;
  ClientsOfRun clients_;
};

/// All of them; the first is used if none is named.
std::span<const Protocol* const> protocols();
/// The first if the name is empty; null if there is none of that name.
const Protocol* findProtocol(std::string_view name);
/// Throws InputError if there is none of that name.
const Protocol& protocolOf(const LoadedScenario& scenario);
const Protocol& protocolOf(const LoadedModel& model);
/// For what the program itself made: the name is known.
const Protocol& protocolOf(const Scenario& scenario);
const Protocol& protocolOf(const FuzzTarget& target);

/// Adds one to them, for good. Not to be called while another thread reads them.
void addProtocol(const Protocol& protocol);
/// Adds a program's own protocol to them for the lifetime of this object. Not to be used while another thread
/// reads them.
class ProtocolAdded {
 public:
  explicit ProtocolAdded(const Protocol& protocol);
  ~ProtocolAdded();
  ProtocolAdded(const ProtocolAdded&) = delete;

 private:
  const Protocol& protocol_;
};

/// Of all protocols, each name once.
std::vector<NamedText> allOf(std::vector<NamedText> (Protocol::*list)() const);

}  // namespace zablab
