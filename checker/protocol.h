// A family of protocols as everything above it sees it: the operations on its scenarios and models, and its
// contents. `ProtocolOf<F>` (checker/protocol_impl.h) makes one from a family's parts, in the family's own
// translation unit; checker/protocols.cc lists them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/check/check.h"
#include "checker/collision.h"
#include "checker/conformance.h"
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

class Protocol {
 public:
  virtual ~Protocol() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view text() const = 0;  ///< one line
  virtual const AnyFamily& family() const = 0;

  // ---- scenarios
  /// Checks what only the family can check: rules, configuration, states, messages. Throws InputError.
  virtual void checkScenario(const LoadedScenario& scenario) const = 0;
  /// Runs the scenario with all invariants watching; the trace contains their verdicts.
  virtual Trace run(const LoadedScenario& scenario, const Until& until) const = 0;
  virtual BareOutcome runBare(const LoadedScenario& scenario, bool monitored) const = 0;
  /// Runs it without a trace and without invariants: how many events of each kind a trace would have, other
  /// than those that only say what a step of the scenario does (a cut, a note). Throws EndlessRun.
  virtual std::map<std::string, std::uint64_t> countEvents(const LoadedScenario& scenario) const = 0;
  /// What a run by actions could do at this time, as the scenario's next action: a list of actions. First
  /// what the protocol does by itself, then messages that are lost, duplicated or overtake others, writes
  /// that fail, and processes that start or resume. Any process could also end or pause.
  virtual Json possibleActions(const LoadedScenario& scenario, Millis time) const = 0;
  /// A trace in a few lines: which server won each election, and why.
  virtual std::vector<std::string> narrate(const Trace& trace) const = 0;
  /// Where drawn waits decide who is elected: the events of that; empty for other protocols.
  virtual std::optional<ElectionEvents> electionEvents() const = 0;

  /// The field of a scenario whose text may be in a separate file; empty: there is none.
  virtual std::string_view fileField() const = 0;
  /// The family's own keys of scenarios.
  virtual OwnKeys ownKeys() const = 0;
  /// The server that a client turns to by this request; empty: none.
  virtual std::optional<ServerId> turnsTo(const step::Ask& ask) const = 0;

  // ---- models
  virtual void checkModel(const LoadedModel& model) const = 0;
  virtual CheckResult check(const LoadedModel& model, const CheckOptions& options) const = 0;

  // ---- random runs
  /// What they have besides the common faults.
  virtual std::span<const FuzzSetting> fuzzSettings() const = 0;
  /// One thread's part of a campaign.
  virtual std::unique_ptr<FuzzWorker> fuzzWorker(const FuzzTarget& target) const = 0;
  /// The scenario that a seed of a campaign runs, and its knobs in words (in `about`).
  virtual Scenario drawScenario(const FuzzTarget& target, std::uint64_t seed) const = 0;
  /// The run of a campaign for a seed, with other choices. The scenario of a run that fails does the same
  /// without their source: the choices that were not their default are pinned. It ends at a violation, and
  /// expects the invariant to hold.
  virtual std::pair<Scenario, RunOutcome> runChosen(const FuzzTarget& target,
                                                    const RunChoices& choices) const = 0;
  /// Runs a scenario without a trace. Besides the invariants, each client for which an expectation requires
  /// an answer has to get one. `made`: receives every choice that was not its default; `only`: if not empty,
  /// only these invariants are judged.
  virtual RunOutcome judge(const Scenario& scenario, std::vector<Choice>* made = nullptr,
                           const std::vector<std::string>& only = {}) const = 0;

  /// Kinds of recordings of real servers that its nodes are compared with.
  virtual std::vector<RecordingKind> recordingKinds() const = 0;

  // ---- lists
  /// The kinds of events that a trace may have.
  virtual std::vector<std::string> eventKinds() const = 0;
  virtual std::vector<NamedText> variants() const = 0;
  virtual std::vector<NamedText> rules() const = 0;  ///< each name is "name=value"
  virtual std::vector<NamedText> mutations() const = 0;
  virtual std::vector<NamedText> invariants() const = 0;
  /// Those that a state shows by itself: only searches judge them, not runs.
  virtual std::vector<NamedText> stateInvariants() const = 0;
  /// The decisions that tables can test.
  virtual std::vector<TableFunction> functions() const = 0;
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
