#include "checker/compare/contender.h"

#include <algorithm>
#include <utility>

#include "checker/clients/account.h"

namespace zablab {
namespace {

/// Virtual times of a run.
constexpr Millis clients_start = 15'000, faults_start = 20'000, faults_within = 2000;
/// Each client writes once in this time, and reads halfway between two writes.
constexpr Millis write_every = 500;
constexpr ServerId first_client = 101;

StepSpec stepAt(Millis at, StepSpec::Does does) {
  StepSpec spec;
  spec.at = at;
  spec.does = std::move(does);
  return spec;
}

void addRequests(Json& steps, ServerId client, Millis start, Millis end, const Json& what) {
  Json step{{"at", start}, {"client", client}};
  step.update(what);
  step["times"] = (end - start) / write_every + 1;
  step["every"] = write_every;
  steps.push_back(std::move(step));
}

/// The place of the leader's machine; empty: nobody leads.
std::optional<std::size_t> machineOf(const std::vector<std::vector<ServerId>>& machines, ServerId id) {
  for (std::size_t i = 0; i < machines.size(); ++i) {
    if (std::find(machines[i].begin(), machines[i].end(), id) != machines[i].end()) return i;
  }
  return std::nullopt;
}

/// The machine, with those after it as long as they are a minority of the machines and of the voters; and
/// the others.
std::vector<std::vector<ServerId>> sidesOf(const ComparedCluster& layout, std::size_t machine,
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

}  // namespace

/// Observes who leads, and what clients are answered.
class Contender::Meter : public AnyListener {
 public:
  Meter(ScenarioRun& run, ComparedRun& family, std::unique_ptr<ClientsView> clients,
        const ComparedCluster& layout, Millis fault_at)
      : run_(run),
        family_(family),
        layout_(layout),
        fault_at_(fault_at),
        reign_(layout.first),
        last_write_(fault_at),
        account_(run, std::move(clients), false) {}

  void on(const AnyHappened& h) override {
    if (struck() && (h.kind == Kind::sent || h.kind == Kind::transmitted)) count(h);
    account_.on(h);
    if (const auto& ended = account_.ended(); ended && ended->done) {
      if (ended->what == Asked::write) onWrite(*h.event);
      if (ended->what == Asked::read) onRead(*ended);
    }
    if (const auto claim = family_.claim(h)) onClaim(*claim);
    family_.on(h);
  }

  const std::optional<Reign>& reign() const { return reign_; }

  Measured measured(Millis end) {
    Measured result;
    if (served_at_) {
      result[Measure::without_leader] = *served_at_ - fault_at_;
      result[Measure::messages] = messages_;
    }
    result[Measure::longest_wait] = std::max(longest_, end - last_write_);
    if (reign_ && isWorking(reign_->server)) result[Measure::lost_writes] = std::ssize(account_.lost());
    result[Measure::false_elections] = false_elections_;
    if (layout_.read) result[Measure::stale_reads] = stale_;
    result.answered_writes = std::ssize(account_.writes());
    result.changes = changes_;
    return result;
  }

 private:
  Millis now() const { return run_.simulator().now(); }
  const DirectStore<Any>& store() const { return run_.simulator().store(); }
  bool struck() const { return now() >= fault_at_; }
  bool isServer(int i) const { return i >= 0 && i < run_.cluster().serverCount(); }
  bool isWorking(int i) const { return store().isUp(i) && !store().isPaused(i); }

  void count(const AnyHappened& h) {
    if (served_at_ || (h.kind == Kind::sent && h.how == SentHow::waiting)) return;
    if (isServer(h.from) && isServer(run_.cluster().indexOf(h.to))) ++messages_;
  }

  bool isCut(int from, int to) const { return store().holds(Relation::cut, 0, from, to); }
  bool reachesMajority(int leader) const {
    std::int64_t reached = 0;
    for (int i = 0; i < run_.cluster().serverCount(); ++i) {
      if (!isWorking(i) || !family_.votes(i)) continue;
      const bool cut = i != leader && (isCut(leader, i) || isCut(i, leader));
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

  void onWrite(const Value& event) {
    if (!struck()) return;
    longest_ = std::max(longest_, now() - last_write_);
    last_write_ = now();
    if (served_at_ || !reign_ || reign_->number <= before_) return;
    if (family_.acceptedBy(event, *reign_)) served_at_ = now();
  }

  /// A value is stale if its own write was answered before a write was asked that was answered before the
  /// read was asked.
  void onRead(const Account::Ended& read) {
    if (!struck()) return;
    if (const auto stale = family_.isStale(read)) {
      stale_ += *stale ? 1 : 0;
      return;
    }
    const auto& writes = account_.writes();
    const auto own = std::find_if(writes.begin(), writes.end(),
                                  [&](const Account::Write& write) { return write.number == read.value; });
    if (!read.asked_at || (read.value != 0 && own == writes.end())) return;
    const Millis answered = read.value == 0 ? -1 : own->answered_at;
    stale_ += std::any_of(writes.begin(), writes.end(), [&](const Account::Write& write) {
      return write.answered_at < *read.asked_at && write.asked_at > answered;
    });
  }

  ScenarioRun& run_;
  ComparedRun& family_;
  const ComparedCluster& layout_;
  Millis fault_at_;
  std::optional<Reign> reign_;
  std::int64_t before_ = layout_.first ? layout_.first->number : 0;  ///< the reign when the fault struck
  Millis last_write_;
  Millis longest_ = 0;
  std::optional<Millis> served_at_;
  std::int64_t messages_ = 0;
  std::int64_t changes_ = 0;
  std::int64_t false_elections_ = 0;
  std::int64_t stale_ = 0;
  Account account_;
};

struct Contender::Drawn {
  ComparedCluster layout;
  Scenario scenario;
  Millis fault_at = 0;
  std::int64_t without_target = 0;
};

Scenario Contender::scenario(const FaultScript& script, std::uint64_t seed,
                             const CompareOverrides& overrides) const {
  return drawn(script, seed, overrides).scenario;
}

Measured Contender::measure(const FaultScript& script, std::uint64_t seed,
                            const CompareOverrides& overrides) const {
  Drawn run = drawn(script, seed, overrides);
  Measured measured;
  observe(run, run.scenario.until, [&](ScenarioRun&, const ComparedRun&, Meter& meter) {
    measured = meter.measured(run.scenario.until);
  });
  measured.without_target = run.without_target;
  return measured;
}

template <class Then>
void Contender::observe(const Drawn& drawn, Millis end, Then then) const {
  Scenario part = drawn.scenario;
  part.until = end;
  const LoadedScenario loaded{std::move(part), {}};
  ScenarioRun run(loaded, makeSetup(family_.family(), loaded), {});
  const auto family = family_.watch(run);
  Meter meter(run, *family, family_.clients(run), drawn.layout, drawn.fault_at);
  run.watch(meter);
  run.executeBare();
  then(run, *family, meter);
}

ComparedCluster Contender::layout(const CompareOverrides& overrides) const {
  ComparedCluster layout = family_.layout();
  if (!overrides.file) return layout;
  const auto& [path, text] = *overrides.file;
  const std::string field(family_.family().fileField());
  layout.setting = {{field, text}};
  const Json setting{
      {"kind", "scenario"}, {"name", path}, {"protocol", protocol()}, {"until", 1}, {field, text}};
  const JsonValue document = JsonValue::fromJson(setting, path);
  const LoadedScenario loaded{readScenario(document), document};
  ScenarioRun run(loaded, makeSetup(family_.family(), loaded), {});
  const auto family = family_.watch(run);
  if (!family->hasMajorities())
    throw document.keyError(field, "its quorums are not majorities: groups of servers cannot be compared");
  layout.machines.clear();
  layout.voters = 0;
  for (int i = 0; i < run.cluster().serverCount(); ++i) {
    layout.machines.push_back({run.cluster().ids[static_cast<std::size_t>(i)]});
    layout.voters += family->votes(i) ? 1 : 0;
  }
  return layout;
}

Contender::Drawn Contender::drawn(const FaultScript& script, std::uint64_t seed,
                                  const CompareOverrides& overrides) const {
  Drawn result{layout(overrides), {}, 0, 0};
  Json setting = result.layout.setting;
  setting["kind"] = "scenario";
  setting["name"] = script.name + ", " + std::string(protocol()) + ", seed " + std::to_string(seed);
  setting["about"] = script.about;
  setting["protocol"] = protocol();
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
  for (const auto& [field, value] : overrides.config) setting["config"][field] = value;
  result.scenario = readScenario(JsonValue::fromJson(setting, "the scenario of " + std::string(protocol())));
  for (const FaultStep& fault : script.faults) strike(result, fault);
  return result;
}

void Contender::strike(Drawn& drawn, const FaultStep& fault) const {
  const Millis at = drawn.fault_at + fault.at;
  std::optional<ServerId> target;
  std::set<ServerId> voting;
  observe(drawn, at - 1, [&](ScenarioRun& run, const ComparedRun& family, Meter& meter) {
    for (int i = 0; i < run.cluster().serverCount(); ++i) {
      if (family.votes(i)) voting.insert(run.cluster().ids[static_cast<std::size_t>(i)]);
    }
    // After a death the next machine counts from the one that led.
    if (!meter.reign()) return;
    const int leader = meter.reign()->server;
    if (fault.who == Struck::leader && !run.simulator().store().isUp(leader)) return;
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

}  // namespace zablab
