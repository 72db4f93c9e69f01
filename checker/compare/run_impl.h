// How a family takes part in a comparison. Included by the one file of each family that instantiates it.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <type_traits>
#include <utility>

#include "checker/compare/compare.h"
#include "sim/run_of.h"

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

/// A client's request that was answered successfully.
struct AnsweredRequest {
  std::int64_t number = 0;
  bool read = false;
  std::int64_t value = 0;
};

/// What a family tells of its runs.
///
///     static ComparedCluster layout();
///     static constexpr std::string_view settings;
///     static bool votes(const F::Node&);
///     /// The reign of the leader that has just taken over, or that already leads.
///     static std::optional<Reign> claim(const Happened<F>&, const RunOf<F>&);
///     static std::optional<AnsweredRequest> answered(const F::Event&);
///     /// Whether this answered write was accepted by the leader of that reign.
///     static bool acceptedBy(const F::Event&, const Reign&, const RunOf<F>&);
///     /// The numbers of the writes that this server has.
///     static std::set<std::int64_t> kept(const F::Node&);
///     /// Instead of `kept` if leaders keep their data elsewhere: observes a run, and has the numbers.
///     struct Data { void on(const Happened<F>&); std::set<std::int64_t> kept() const; };
template <class F>
struct CompareOf;

namespace compare_detail {

/// Virtual times of a run.
constexpr Millis clients_start = 15'000, faults_start = 20'000, faults_within = 2000;
/// Each client writes once in this time, and reads halfway between two writes.
constexpr Millis write_every = 500;
constexpr ServerId first_client = 101;

inline OwnMembers membersOf(const Json& json) { return JsonValue::fromJson(json, "").members(); }

inline StepSpec stepAt(Millis at, StepSpec::Does does) {
  StepSpec spec;
  spec.at = at;
  spec.does = std::move(does);
  return spec;
}

struct NoData {};
template <class F>
struct DataOf {
  using Type = NoData;
};
template <class F>
requires requires { typename CompareOf<F>::Data; }
struct DataOf<F> {
  using Type = typename CompareOf<F>::Data;
};

/// Observes who leads, and what clients are answered.
template <class F>
class Meter : public Listener<F> {
  using Data = typename DataOf<F>::Type;

 public:
  Meter(RunOf<F>& run, const ComparedCluster& layout, Millis fault_at)
      : run_(run), layout_(layout), fault_at_(fault_at), reign_(layout.first), last_write_(fault_at) {}

  void on(const Happened<F>& h) override {
    if (h.kind == Kind::asked) asked_[h.request->number] = now();
    if (struck() && (h.kind == Kind::sent || h.kind == Kind::transmitted)) count(h);
    if (h.kind == Kind::event) {
      if (const auto answer = CompareOf<F>::answered(*h.event)) {
        answer->read ? onRead(*answer) : onWrite(*answer, *h.event);
      }
    }
    if (const auto claim = CompareOf<F>::claim(h, run_)) onClaim(*claim);
    if constexpr (!std::is_same_v<Data, NoData>) data_.on(h);
  }

  const std::optional<Reign>& reign() const { return reign_; }

  Measured measured(Millis end) {
    Measured result;
    if (served_at_) {
      result[Measure::without_leader] = *served_at_ - fault_at_;
      result[Measure::messages] = messages_;
    }
    result[Measure::longest_wait] = std::max(longest_, end - last_write_);
    if (reign_ && isWorking(reign_->server)) {
      const std::set<std::int64_t> kept = this->kept();
      std::int64_t lost = 0;
      for (const auto& [number, at] : writes_) lost += kept.contains(number) ? 0 : 1;
      result[Measure::lost_writes] = lost;
    }
    result[Measure::false_elections] = false_elections_;
    if (layout_.read) result[Measure::stale_reads] = stale_;
    result.answered_writes = static_cast<std::int64_t>(writes_.size());
    result.changes = changes_;
    return result;
  }

 private:
  Millis now() const { return run_.now(); }
  bool struck() const { return now() >= fault_at_; }
  bool isServer(int i) const { return i >= 0 && i < run_.cluster().serverCount(); }
  bool isWorking(int i) const { return run_.isUp(i) && !run_.isPaused(i); }

  std::set<std::int64_t> kept() const {
    if constexpr (std::is_same_v<Data, NoData>) {
      return CompareOf<F>::kept(run_.node(reign_->server));
    } else {
      return data_.kept();
    }
  }

  void count(const Happened<F>& h) {
    if (served_at_ || (h.kind == Kind::sent && h.how == SentHow::waiting)) return;
    if (isServer(h.from) && isServer(run_.cluster().indexOf(h.to))) ++messages_;
  }

  bool reachesMajority(int leader) const {
    std::int64_t reached = 0;
    for (int i = 0; i < run_.cluster().serverCount(); ++i) {
      if (!isWorking(i) || !CompareOf<F>::votes(run_.node(i))) continue;
      const bool cut = i != leader && (run_.isCut(leader, i) || run_.isCut(i, leader));
      reached += cut ? 0 : 1;
    }
    return 2 * reached > layout_.voters;
  }

  void onClaim(const Reign& claim) {
    if (reign_ && claim.number <= reign_->number) return;
    if (struck()) {
      ++changes_;
      const bool other = reign_ && claim.server != reign_->server;
      if (other && isWorking(reign_->server) && reachesMajority(reign_->server)) ++false_elections_;
    } else {
      before_ = claim.number;
    }
    reign_ = claim;
  }

  void onWrite(const AnsweredRequest& write, const typename F::Event& event) {
    writes_[write.number] = now();
    if (!struck()) return;
    longest_ = std::max(longest_, now() - last_write_);
    last_write_ = now();
    if (served_at_ || !reign_ || reign_->number <= before_) return;
    if (CompareOf<F>::acceptedBy(event, *reign_, run_)) served_at_ = now();
  }

  /// A value is stale if its own write was answered before a write was asked that was answered before the
  /// read was asked.
  void onRead(const AnsweredRequest& read) {
    if (!struck()) return;
    const Millis began = asked_[read.number];
    Millis answered = -1;
    if (read.value != 0) {
      const auto found = writes_.find(read.value);
      if (found == writes_.end()) return;
      answered = found->second;
    }
    for (const auto& [number, at] : writes_) {
      if (at < began && asked_[number] > answered) {
        ++stale_;
        return;
      }
    }
  }

  RunOf<F>& run_;
  const ComparedCluster& layout_;
  Data data_{};
  Millis fault_at_;
  std::optional<Reign> reign_;
  std::int64_t before_ = layout_.first ? layout_.first->number : 0;  ///< the reign when the fault struck
  std::map<std::int64_t, Millis> asked_;                             ///< by number
  std::map<std::int64_t, Millis> writes_;                            ///< answered, by number
  Millis last_write_;
  Millis longest_ = 0;
  std::optional<Millis> served_at_;
  std::int64_t messages_ = 0;
  std::int64_t changes_ = 0;
  std::int64_t false_elections_ = 0;
  std::int64_t stale_ = 0;
};

}  // namespace compare_detail

template <class F>
class ContenderOf : public Contender {
  using Of = CompareOf<F>;

 public:
  std::string_view protocol() const override { return F::name; }
  std::string_view settings() const override { return Of::settings; }

  Scenario scenario(const FaultScript& script, std::uint64_t seed,
                    const Overrides& overrides) const override {
    return drawn(script, seed, overrides).scenario;
  }
  Measured measure(const FaultScript& script, std::uint64_t seed, const Overrides& overrides) const override {
    Drawn run = drawn(script, seed, overrides);
    Measured measured;
    observe(run, run.scenario.until, [&](RunOf<F>&, compare_detail::Meter<F>& watch) {
      measured = watch.measured(run.scenario.until);
    });
    measured.without_target = run.without_target;
    return measured;
  }

 private:
  struct Drawn {
    ComparedCluster layout;
    Scenario scenario;
    Millis fault_at = 0;
    std::int64_t without_target = 0;
  };

  /// Runs until `end`, and passes what is there then.
  template <class Then>
  static void observe(const Drawn& drawn, Millis end, Then then) {
    Scenario part = drawn.scenario;
    part.until = end;
    const LoadedScenario loaded{std::move(part), {}};
    ScenarioRun any(loaded, makeSetup(theFamily<F>(), loaded), {});
    RunOf<F> run(any);
    compare_detail::Meter<F> watch(run, drawn.layout, drawn.fault_at);
    run.watch(watch);
    any.executeBare();
    then(run, watch);
  }

  static Drawn drawn(const FaultScript& script, std::uint64_t seed, const Overrides& overrides) {
    using namespace compare_detail;
    Drawn result{Of::layout(), {}, 0, 0};
    Json setting = result.layout.setting;
    setting["kind"] = "scenario";
    setting["name"] = script.name + ", " + std::string(F::name) + ", seed " + std::to_string(seed);
    setting["about"] = script.about;
    setting["protocol"] = F::name;
    setting["seed"] = seed;
    SeededChoices choices(seed);
    result.fault_at =
        faults_start + static_cast<Millis>(choices.pick({ChoiceKind::fault, 0, no_server, no_server}, 0,
                                                        static_cast<std::uint64_t>(faults_within)));
    const Millis end = result.fault_at + script.until;
    setting["until"] = end;
    setting["clients"] = Json::array();
    setting["steps"] = Json::array();
    for (std::size_t i = 0; i < result.layout.machines.size(); ++i) {
      const ServerId id = first_client + static_cast<ServerId>(i);
      Json client{{"id", id}};
      if (result.layout.clients_turn) client["server"] = result.layout.machines[i].front();
      setting["clients"].push_back(std::move(client));
      const Millis start = clients_start + static_cast<Millis>(i) * write_every /
                                               static_cast<Millis>(result.layout.machines.size());
      addRequests(setting["steps"], id, start, end, result.layout.write);
      if (result.layout.read)
        addRequests(setting["steps"], id, start + write_every / 2, end, *result.layout.read);
      result.layout.machines[i].push_back(id);
    }
    if (overrides.variant) setting["variant"] = *overrides.variant;
    for (const auto& [rule, value] : overrides.rules) setting["rules"][rule] = value;
    for (const std::string& mutation : overrides.mutations) setting["mutations"].push_back(mutation);
    result.scenario = readScenario(JsonValue::fromJson(setting, ""));
    for (const FaultStep& fault : script.faults) strike(result, fault);
    return result;
  }

  static void addRequests(Json& steps, ServerId client, Millis start, Millis end, const Json& what) {
    Json step{{"at", start}, {"client", client}};
    step.update(what);
    step["times"] = (end - start) / compare_detail::write_every + 1;
    step["every"] = compare_detail::write_every;
    steps.push_back(std::move(step));
  }

  /// The place of the leader's machine; empty: nobody leads.
  static std::optional<std::size_t> machineOf(const std::vector<std::vector<ServerId>>& machines,
                                              ServerId id) {
    for (std::size_t i = 0; i < machines.size(); ++i) {
      if (std::find(machines[i].begin(), machines[i].end(), id) != machines[i].end()) return i;
    }
    return std::nullopt;
  }

  /// Adds the steps of a fault, at the expense of a run up to its time.
  static void strike(Drawn& drawn, const FaultStep& fault) {
    using namespace compare_detail;
    const Millis at = drawn.fault_at + fault.at;
    std::optional<ServerId> target;
    std::set<ServerId> voting;
    observe(drawn, at - 1, [&](RunOf<F>& run, Meter<F>& watch) {
      for (int i = 0; i < run.cluster().serverCount(); ++i) {
        if (Of::votes(run.node(i))) voting.insert(run.cluster().ids[static_cast<std::size_t>(i)]);
      }
      // After a death the next machine counts from the one that led.
      if (!watch.reign()) return;
      const int leader = watch.reign()->server;
      if (fault.who == Struck::leader && !run.isUp(leader)) return;
      target = run.cluster().ids[static_cast<std::size_t>(leader)];
    });
    if (!target) {
      ++drawn.without_target;
      return;
    }
    const auto& machines = drawn.layout.machines;
    const std::size_t n = machines.size();
    std::size_t machine = *machineOf(machines, *target);
    if (fault.who == Struck::follower) {
      machine = (machine + 1) % n;
      target = machines[machine].front();
    }
    std::vector<StepSpec>& steps = drawn.scenario.steps;
    const Millis over = at + fault.for_;
    const Ids only{{*target}};
    switch (fault.fault) {
      case ScriptedFault::dies:
        steps.push_back(stepAt(at, step::Kill{only}));
        steps.push_back(stepAt(over, step::Start{only}));
        break;
      case ScriptedFault::pauses:
        steps.push_back(stepAt(at, step::Pause{only}));
        steps.push_back(stepAt(over, step::Resume{only}));
        break;
      case ScriptedFault::cut_off:
        steps.push_back(stepAt(at, step::Partition{sidesOf(drawn.layout, machine, voting)}));
        steps.push_back(stepAt(over, step::Heal{}));
        break;
      case ScriptedFault::link_flaps:
        for (Millis cut = at; cut < over; cut += fault.every) {
          for (const ServerId a : machines[machine]) {
            for (const ServerId b : machines[(machine + 1) % n]) {
              for (const Way& way : {Way{a, b}, Way{b, a}}) {
                steps.push_back(stepAt(cut, step::Cut{way}));
                steps.push_back(stepAt(cut + fault.every / 2, step::Heal{{way}}));
              }
            }
          }
        }
        break;
      case ScriptedFault::slow_disk:
        for (Millis stall = at; stall < over; stall += fault.every) {
          steps.push_back(stepAt(stall, step::Disk{{*target, "stall", ""}}));
          steps.push_back(stepAt(stall + fault.every * 9 / 10, step::Disk{{*target, "resume", ""}}));
        }
        break;
    }
  }

  /// The machine, with those after it as long as they are a minority of the machines and of the voters; and
  /// the others.
  static std::vector<std::vector<ServerId>> sidesOf(const ComparedCluster& layout, std::size_t machine,
                                                    const std::set<ServerId>& voting) {
    const std::size_t n = layout.machines.size();
    std::vector<std::vector<ServerId>> sides(2);
    std::int64_t votes = 0;
    bool minority = true;
    for (std::size_t i = 0; i < n; ++i) {
      const auto& processes = layout.machines[(machine + i) % n];
      const auto more =
          std::count_if(processes.begin(), processes.end(), [&](ServerId id) { return voting.contains(id); });
      minority = minority && 2 * (i + 1) < n && 2 * (votes + more) < layout.voters;
      if (minority || i == 0) votes += more;
      auto& side = sides[minority || i == 0 ? 0 : 1];
      side.insert(side.end(), processes.begin(), processes.end());
    }
    sides[1].insert(sides[1].end(), layout.apart.begin(), layout.apart.end());
    return sides;
  }
};

}  // namespace zablab
