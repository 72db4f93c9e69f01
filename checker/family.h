// What a family provides to the checker, besides its nodes (protocol/vocabulary.h) and their written forms
// (sim/binding.h): its invariants, how its random runs are drawn and judged, and what a search requires of it
// (checker/check/check_of.h). Each is a struct specialised in checker/<family>/; the concepts state what it
// must contain.
#pragma once

#include <concepts>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checker/fuzz/drawn.h"
#include "checker/monitor.h"
#include "checker/tables.h"
#include "sim/run.h"

namespace zablab {

/// The invariants.
///
///     static std::unique_ptr<MonitorSet<F>> all(const Cluster<F>&);   new ones, for one run
///     static std::vector<TableFunction> functions();                  pure decisions that tables can test
///     static std::vector<RecordingKind> recordingKinds();             what real servers did; may be omitted
///     static std::unique_ptr<Requested<F>> requested(RunOf<F>&, name);
///                                                     what states show, for a run whose scenario names it
///                                                     (checker/requested.h); may be omitted
///     static constexpr std::array requested_in_models                 names of invariants of states that a
///                                                     search judges only if its model names them
template <class F>
struct InvariantsOf;

template <class F>
class FuzzCounts;

/// Random runs. checker/fuzz/swarm.h contains what all families draw, checker/fuzz/run_impl.h how a run is
/// watched.
///
///     settings                        what they have besides the common faults, as an array
///     draw(shape, choices, unable)    a run; the same for the same choices and shape, regardless of its
///                                     rules
///     placeOf(Node)                   its place in its protocol: steps are counted by it
///     first_place                     the place of a process that has not done anything
///     placeName(place)                the same in words
///     all_operations                  the answers that each probe of the core must get, one bit each
///     operations_text                 the same in words
///     answered(Event)                 the operation that was answered successfully; 0: none
///     clientOf(Node)                  the server it turns to, and whether it waits
///     settingOf(Cluster)              times are grouped by it
///     run(scenario, judgement, counter, seed, source, made)    runCounted with its watcher
template <class F>
struct FuzzOf;

template <class F>
concept HasInvariants = requires(const Cluster<F>& cluster) {
  { InvariantsOf<F>::all(cluster) } -> std::same_as<std::unique_ptr<MonitorSet<F>>>;
  { InvariantsOf<F>::functions() } -> std::same_as<std::vector<TableFunction>>;
};

template <class F>
concept HasFuzz = requires(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable,
                           const LoadedScenario& scenario, const Judgement& judgement, FuzzCounts<F>& counts,
                           std::unique_ptr<ChoiceSource> source, std::vector<Choice>* made,
                           const typename F::Node& node, const typename F::Event& event,
                           const Cluster<F>& cluster) {
  {std::span<const FuzzSetting>(FuzzOf<F>::settings)};
  { FuzzOf<F>::draw(shape, choices, unable) } -> std::same_as<DrawnRun>;
  { FuzzOf<F>::placeOf(node) } -> std::same_as<std::uint32_t>;
  { FuzzOf<F>::first_place } -> std::convertible_to<std::uint32_t>;
  { FuzzOf<F>::placeName(std::uint32_t{}) } -> std::same_as<std::string>;
  { FuzzOf<F>::all_operations } -> std::convertible_to<std::uint32_t>;
  { FuzzOf<F>::operations_text } -> std::convertible_to<std::string>;
  { FuzzOf<F>::answered(event) } -> std::same_as<std::uint32_t>;
  { FuzzOf<F>::clientOf(node) } -> std::same_as<std::pair<ServerId, bool>>;
  { FuzzOf<F>::settingOf(cluster) } -> std::same_as<std::string>;
  {
    FuzzOf<F>::run(scenario, judgement, counts, std::uint64_t{}, std::move(source), made)
    } -> std::same_as<RunOutcome>;
};

}  // namespace zablab
