#include "checker/fuzz/watcher.h"

#include <algorithm>

#include "checker/expectations.h"

namespace zablab {
namespace {

/// How long a core may take to come to rest, once all of it serves.
constexpr Millis settle_ms = 60'000;
/// How long after the faults clients still make requests that were drawn for the time before (swarm.cc).
constexpr Millis clients_end_ms = 1000;
constexpr Millis idle_ms = 500;
/// The part of a quiet time in which the core is examined.
constexpr Millis quiet_end_ms = 600;

/// A hash of what happened, with its content: of a message where it is sent, since later it is named by its
/// number, and of a record where it is written, since they become durable in order.
std::uint64_t hashOf(const AnyHappened& h) {
  thread_local Bytes bytes;  // runs are many, and this allocates nothing
  bytes.clear();
  const auto add = [](const auto& value) { encodeTo(bytes, value); };
  add(h.kind);
  add(h.node);
  add(h.link);
  add(h.from);
  add(h.to);
  add(h.message);
  switch (h.kind) {
    case Kind::sent:
      add(h.how);
      if (h.content != nullptr) add(*h.content);
      break;
    case Kind::delivered: add(h.late); break;
    case Kind::lost: add(h.reason); break;
    case Kind::stopped:
      add(h.stopped);
      bytes.insert(bytes.end(), h.why.begin(), h.why.end());
      break;
    case Kind::timer:
    case Kind::timer_set: add(h.timer); break;
    case Kind::written:
      add(h.blocking);
      if (h.record != nullptr) add(*h.record);
      break;
    case Kind::age:
      if (h.mark != nullptr) add(*h.mark);
      add(h.age);
      break;
    case Kind::durable:
      if (h.durable_key != nullptr) add(*h.durable_key);
      break;
    default: break;
  }
  if (h.event != nullptr) add(*h.event);
  if (h.request != nullptr) add(*h.request);
  if (h.kind == Kind::started && h.disk != nullptr) add(*h.disk);
  return hashBytes(bytes);
}

}  // namespace

std::uint8_t FuzzCounts::typeOf(const Value& message) {
  const auto type = static_cast<std::uint8_t>(family_.typeIndex(message));
  const auto [known, fresh] = message_names_.try_emplace(type);
  if (fresh) known->second = std::string(family_.typeName(message));
  return type;
}

FuzzStatistics FuzzCounts::statistics() const {
  FuzzStatistics all = sums;
  for (const auto& [key, count] : steps) {
    std::string input(enumName(key.kind));
    if (key.kind == Kind::delivered) input = message_names_.at(key.what);
    if (key.kind == Kind::timer) input = family_.timerName(key.what);
    all.coverage[fuzz_.placeName(key.place) + ", " + input] += count;
  }
  for (const auto& [ends, count] : transitions)
    all.transitions[fuzz_.placeName(ends.first) + " > " + fuzz_.placeName(ends.second)] += count;
  for (const auto& [type, count] : lost) all.lost[message_names_.at(type)] += count;
  for (const auto& [kind, count] : fired) all.fired[std::string(kind)] += count;
  return all;
}

FuzzWatcher::FuzzWatcher(const FuzzRun& run)
    : judgement_(run.judgement),
      any_(run.run),
      family_(run.family),
      counts_(run.counts),
      setting_(run.family.settingOf(run.run.cluster())),
      sampled_(run.sampled),
      core_(run.run.cluster().ids.size()),
      places_(run.run.cluster().ids.size(), run.family.firstPlace()),
      in_place_since_(run.run.cluster().ids.size()),
      account_(run.run, run.clients(run.run), false) {
  for (const ServerId server : judgement_.core) core_[static_cast<std::size_t>(indexOf(server))] = true;
  for (const ServerId probe : judgement_.probes) answered_[probe] = 0;
}

void FuzzWatcher::on(const AnyHappened& h) {
  digest_ = mix64(digest_ ^ hashOf(h)) + static_cast<std::uint64_t>(now());
  switch (h.kind) {
    case Kind::started:
    case Kind::delivered:
    case Kind::connected:
    case Kind::refused:
    case Kind::closed:
    case Kind::timer:
    case Kind::durable:
    case Kind::age:
    case Kind::write_failed: begin(h); break;
    case Kind::step_over: over(h.node); break;
    case Kind::event: event(h); break;
    case Kind::asked: last_asked_ = now(); break;
    case Kind::sent: ++sent_; break;
    case Kind::lost: ++counts_.lost[counts_.typeOf(*h.content)]; break;
    case Kind::stopped: stopped(h); break;
    case Kind::paused: ++counts_.fired["pause"]; break;
    case Kind::cut: ++counts_.fired["cut"]; break;
    case Kind::broken: ++counts_.fired["disconnect"]; break;
    default: break;
  }
  account_.on(h);
}

bool FuzzWatcher::hasEnded() {
  if (failure_ || judgement_.probes.empty()) return failure_.has_value();
  if (recovered_at_ < 0) {
    // The clients' requests during the faults may be more than slow disks can handle in time, and limits
    // run from then.
    const bool idle = all_answered_ && now() > judgement_.faults_end_ms + clients_end_ms &&
                      unansweredClient() == no_server && disksHaveCaughtUp();
    if (!idle) idle_since_ = -1;
    if (idle && idle_since_ < 0) idle_since_ = now();
    if (!idle || now() < idle_since_ + idle_ms) return endsWithoutThem();
    recovered_at_ = now();
  }
  if (now() < last_asked_ + judgement_.quiet_ms - quiet_end_ms) return false;
  const ServerId client = unansweredClient();
  const std::optional<Failure> unsettled = isUnsettled();
  if (client == no_server && !unsettled) {
    failure_ = judgeAtRest();
    if (!failure_) failure_ = lostInPlace();
    return true;
  }
  if (now() <= recovered_at_ + settle_ms) return false;
  failure_ = client == no_server
                 ? unsettled
                 : Failure{"stall: a request is not answered",
                           "client " + std::to_string(client) + " has received no answer", now()};
  return true;
}

std::vector<ServerId> FuzzWatcher::waiting() const {
  std::vector<ServerId> probes;
  for (const auto& [probe, operations] : answered_) {
    if (operations != family_.allOperations()) probes.push_back(probe);
  }
  return probes;
}

std::vector<ServerId> FuzzWatcher::unableToStart() const {
  std::vector<ServerId> unable;
  for (const auto& [server, times] : exits_) {
    if (times >= 3) unable.push_back(server);
  }
  return unable;
}

int FuzzWatcher::serverOf(ServerId client) const {
  const auto [server, waits] = family_.clientOf(node(indexOf(client)));
  return server == no_server ? -1 : indexOf(server);
}

void FuzzWatcher::forgetAnswersBy(int server) {
  for (auto& [probe, operations] : answered_) {
    if (serverOf(probe) == server) operations = 0;
  }
  all_answered_ = waiting().empty();
}

void FuzzWatcher::begin(const AnyHappened& h) {
  if (h.kind == Kind::write_failed) ++counts_.fired["disk_error"];
  if (!isServer(h.node)) return;
  const std::uint8_t what = h.kind == Kind::delivered ? counts_.typeOf(*h.content)
                            : h.kind == Kind::timer   ? static_cast<std::uint8_t>(h.timer.kind)
                                                      : std::uint8_t{0};
  ++counts_.steps[{family_.placeOf(node(h.node)), h.kind, what}];
}

void FuzzWatcher::over(int i) {
  if (!isServer(i)) return;
  const std::uint32_t after = family_.placeOf(node(i));
  std::uint32_t& place = places_[static_cast<std::size_t>(i)];
  if (place != after) {
    ++counts_.transitions[{place, after}];
    place = after;
    in_place_since_[static_cast<std::size_t>(i)] = now();
    placeChanged(i);
  }
  if (sampled_) counts_.sums.node_states.insert(Digest{contentHash(node(i))});
}

void FuzzWatcher::event(const AnyHappened& h) {
  const std::uint32_t operation = family_.answered(*h.event);
  if (operation != 0 && faultsAreOver()) {
    if (const auto found = answered_.find(idOf(h.node)); found != answered_.end()) {
      found->second |= operation;
      all_answered_ = waiting().empty();
    }
  }
  emitted(h);
}

ServerId FuzzWatcher::unansweredClient() const {
  for (int i = serverCount(); i < static_cast<int>(any_.cluster().ids.size()); ++i) {
    const auto [server, waits] = family_.clientOf(node(i));
    if (waits && server != no_server && isCore(indexOf(server))) return idOf(i);
  }
  return no_server;
}

bool FuzzWatcher::disksHaveCaughtUp() const {
  for (int i = 0; i < serverCount(); ++i) {
    if (isCore(i) && any_.simulator().store().disk(i).hasUnsynced()) return false;
  }
  return true;
}

void FuzzWatcher::stopped(const AnyHappened& h) {
  ended(h.node);
  in_place_since_[static_cast<std::size_t>(h.node)] = now();
  places_[static_cast<std::size_t>(h.node)] = family_.firstPlace();
  switch (h.stopped) {
    case HowStopped::kill:
    case HowStopped::stop: ++counts_.fired["kill"]; break;
    case HowStopped::power_loss: ++counts_.fired["power_loss"]; break;
    case HowStopped::exit:
      if (h.why == "a write to the disk failed") ++counts_.fired["disk_error"];
      if (faultsAreOver() && isCore(h.node)) ++exits_[idOf(h.node)];
      break;
  }
}

std::optional<Failure> FuzzWatcher::lostInPlace() {
  for (const Account::Write* write : account_.lost()) {
    const int server = write->by == no_server ? -1 : indexOf(write->by);
    if (!isServer(server) || !isCore(server)) continue;
    const bool in_place = in_place_since_[static_cast<std::size_t>(server)] < write->sent_at;
    if (!in_place || !account_.isServedBySame(*write) || account_.has(server, *write)) continue;
    return Failure{"a write is lost in place",
                   "server " + std::to_string(write->by) + " has answered write " +
                       std::to_string(write->number) + " of client " + std::to_string(write->client) +
                       ", and does not have it",
                   now()};
  }
  return std::nullopt;
}

RunOutcome runWatched(const WatchedFamily& watched, const LoadedScenario& scenario,
                      const Judgement& judgement, FuzzCounts& counts, std::uint64_t seed,
                      std::unique_ptr<ChoiceSource> source, std::vector<Choice>* made) {
  const auto& [family, fuzz, invariants, clients] = watched;
  RunOutcome outcome;
  ScenarioRun run(scenario, makeSetup(family, scenario), {}, std::move(source));
  const auto now = [&] { return run.simulator().now(); };
  const auto monitors = invariants.all(run.cluster());
  const auto fail = [&](Failure failure) {
    const auto& only = judgement.only;
    const bool wanted = only.empty() || std::find(only.begin(), only.end(), failure.what) != only.end();
    if (wanted && !outcome.failure) outcome.failure = std::move(failure);
  };
  const auto requested = invariants.requested(run, namedInvariants(scenario.spec.expect));
  for (Monitors* const set : {monitors.get(), requested.get()}) {
    set->on_violation = [&, set](std::size_t i) {
      const AnyMonitor& monitor = *set->monitors()[i];
      fail({std::string(monitor.info().name), monitor.violation()->english(), now()});
    };
    if (!set->monitors().empty()) run.watch(*set);
  }
  const auto watcher = fuzz.watcher({run, fuzz, judgement, counts, clients, seed % 64 == 0});
  run.watch(*watcher);
  try {
    run.executeBare([&] { return outcome.failure || watcher->hasEnded(); }, made != nullptr);
  } catch (const EndlessRun& endless) {
    fail({endless_exchange, endless.what(), now()});
  } catch (const BadStep& bad) {
    fail({broken_step, bad.what(), now()});
  }
  watcher->finish();
  if (watcher->failure()) fail(*watcher->failure());
  outcome.slow_election_ms = watcher->slowElectionMs();
  if (outcome.slow_election_ms > 0)
    counts.sums.slow_elections[static_cast<std::int64_t>(seed)] =
        static_cast<std::uint64_t>(outcome.slow_election_ms);
  if (!outcome.failure && !judgement.probes.empty() && !watcher->recovered() && !watcher->mayBeLeftOut()) {
    outcome.unable = watcher->unableToStart();
    const std::string left = watcher->allAnswered()
                                 ? "a client of the core is not answered"
                                 : std::to_string(watcher->waiting().size()) + " of " +
                                       std::to_string(judgement.probes.size()) +
                                       " servers of the core do not answer " + fuzz.operationsText();
    fail({outcome.unable.empty() ? stall_no_service : stall_unable,
          left + " within 180 s after the last fault", now()});
  }
  if (made != nullptr) *made = run.choices().made();
  outcome.actions = run.simulator().applied();
  outcome.virtual_ms = now();
  outcome.digest = mix64(watcher->digest() ^ mix64(seed));
  for (int i = 0; i < run.simulator().store().size(); ++i) {  // what no event has shown
    const auto& server = run.simulator().store().server(i);
    if (server.up) outcome.digest = mix64(outcome.digest ^ contentHash(server.node));
    outcome.digest = mix64(outcome.digest ^ contentHash(run.simulator().store().disk(i).image));
  }
  counts.sums.actions += outcome.actions;
  counts.sums.virtual_ms += outcome.virtual_ms;
  counts.sums.digest.value += outcome.digest;
  for (const auto& monitor : monitors->monitors()) {
    if (!monitor->isClaimed()) continue;
    const std::string name(monitor->info().name);
    counts.sums.obligations[name] += monitor->obligations();
    if (monitor->passedOver() > 0) counts.sums.passed_over[name] += monitor->passedOver();
  }
  for (std::size_t i = 0; i < scenario.spec.steps.size(); ++i) {
    if (!run.stepDone(i)) continue;
    const StepSpec& spec = scenario.spec.steps[i];
    if (spec.when) ++counts.fired["crash_point"];
    if (spec.is<step::Hold>()) ++counts.fired["clog"];
    if (spec.is<step::Clock>()) ++counts.fired["clock"];
    if (const auto* disk = spec.as<step::Disk>(); disk != nullptr && disk->with.fault == "stall")
      ++counts.fired["disk_stall"];
  }
  return outcome;
}

}  // namespace zablab
