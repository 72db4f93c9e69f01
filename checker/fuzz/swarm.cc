#include "checker/fuzz/swarm.h"

#include <algorithm>

#include "checker/run_clock.h"

namespace zablab {
namespace {

/// Whether it is a step of this kind, and of this server.
template <class T>
bool namesServer(const StepSpec& spec, ServerId server) {
  const T* does = spec.as<T>();
  return does != nullptr &&
         std::find(does->with.list.begin(), does->with.list.end(), server) != does->with.list.end();
}

}  // namespace

std::vector<ServerId> Draws::shuffled(int question, std::vector<ServerId> ids) {
  for (std::size_t i = ids.size(); i > 1; --i) {
    const auto other = static_cast<std::size_t>((*this)(question, 0, static_cast<std::int64_t>(i) - 1));
    std::swap(ids[i - 1], ids[other]);
  }
  return ids;
}

DrawnRun Swarm::draw() {
  drawShape();
  drawSettings();
  if (!drawBeginning()) drawLateStart();
  drawCrashPoints();
  drawFaults();
  drawWorkload();
  drawMore();
  drawRecovery();
  run_.voters = voters_;
  run_.scenario.steps = std::move(steps_);
  std::stable_sort(timed_.begin(), timed_.end(),
                   [](const StepSpec& a, const StepSpec& b) { return *a.at < *b.at; });
  for (StepSpec& step : timed_) run_.scenario.steps.push_back(std::move(step));
  return std::move(run_);
}

template <class Test>
bool Swarm::anyStep(Test test) const {
  return std::any_of(steps_.begin(), steps_.end(), test) || std::any_of(timed_.begin(), timed_.end(), test);
}

bool Swarm::has(std::uint8_t topic, std::int64_t FuzzKnobs::*knob) {
  const bool on = drawsOf(topic).chance(0, shape_.knobs.*knob);
  run_.on.*knob = on ? 1000 : 0;
  return on;
}
bool Swarm::has(std::uint8_t topic, std::string_view setting) {
  const auto share = shape_.knobs.settings.find(std::string(setting));
  const bool on = drawsOf(topic).chance(0, share == shape_.knobs.settings.end() ? 0 : share->second);
  if (on) run_.on.settings[std::string(setting)] = 1000;
  return on;
}

StepSpec::Does& Swarm::at(Millis when) {
  timed_.emplace_back();
  timed_.back().at = when;
  return timed_.back().does;
}

void Swarm::ask(Millis when, ServerId client, const Json& what, std::int64_t times, Millis every,
                bool closed) {
  at(when) = step::Ask{
      .who = client, .what = json(what).members(), .times = times, .every = every, .closed = closed};
}

Swarm::CrashPoint Swarm::placedAt(Draws& draws, CrashPoint point, Json event, std::int64_t nth_max) {
  point.when.event = pattern(std::move(event));
  point.when.nth = draws(9, 1, nth_max);
  point.when.by = chaosMs() - 100;
  return point;
}

void Swarm::expectAnswer(Json event, std::string because) {
  ExpectSpec expect;
  expect.event = pattern(std::move(event));
  expect.because = std::move(because);
  scenario().expect.push_back(std::move(expect));
}

void Swarm::cutBetween(ServerId one, ServerId other, Millis when, Millis end) {
  for (const Way way : {Way{one, other}, Way{other, one}}) {
    at(when) = step::Cut{way};
    at(end) = step::Heal{{way}};
  }
}

void Swarm::takeAway(Draws& draws, int question, ServerId who, const std::vector<ServerId>& others,
                     Millis earliest, Millis least_ms) {
  const Millis when = draws(question, earliest, chaosMs() - 500);
  const Millis end = std::min(when + draws(question + 1, least_ms, longest_ms), chaosMs());
  switch (draws(question + 2, 0, 2)) {
    case 0:
      at(when) = step::Kill{id(who)};
      at(end) = step::Start{id(who)};
      break;
    case 1:
      at(when) = step::Pause{id(who)};
      at(end) = step::Resume{id(who)};
      break;
    default:
      for (const ServerId other : others) {
        if (other != who) cutBetween(who, other, when, end);
      }
  }
}

void Swarm::drawShape() {
  Draws draws = drawsOf(Topic::shape);
  const int drawn = draws.of(0, voterCounts());
  const int drawn_observers = draws.of(1, observerCounts());
  int observers = observer().is_null() ? 0 : shape_.observers.value_or(drawn_observers);
  if (needsObservers()) observers = std::max(observers, observerCounts().front());
  const int voters = shape_.voters.value_or(drawn);
  for (int i = 1; i <= voters; ++i) voters_.push_back(i);
  servers_ = voters_;
  for (int i = 1; i <= observers; ++i) servers_.push_back(voters + i);
  run_.scenario.name = "drawn";
  std::vector<ServerSpec> specs;
  for (const ServerId server : servers_) {
    specs.push_back({.id = server});
    if (server > voters) specs.back().own = json(observer()).members();
  }
  run_.scenario.servers = Servers{std::move(specs)};
  chaos_ms_ = draws.of(2, std::array<Millis, 4>{3000, 6000, 6000, 12'000});
  run_.faults_end_ms = chaos_ms_ + 100;
  run_.scenario.restart_after_ms = draws(3, 100, 3000);
}

void Swarm::drawSettings() {
  Draws draws = drawsOf(Topic::timing);
  TimingSpec& timing = run_.scenario.timing;
  constexpr std::array<RangeSpec, 4> latencies{{{1, 5}, {1, 30}, {1, 30}, {1, 100}}};
  constexpr std::array<RangeSpec, 4> fsyncs{{{1, 5}, {1, 20}, {1, 100}, {20, 200}}};
  timing.latency_ms = draws.of(0, latencies);
  timing.fsync_ms = draws.of(1, fsyncs);
  run_.scenario.config = json(drawConfig());
  run_.quiet_ms = quiet_ms;
  if (!has(Topic::slow, &FuzzKnobs::slow)) return;
  Draws slow = drawsOf(Topic::slow);
  for (std::int64_t i = slow(1, 1, 3); i > 0; --i) {
    const auto [from, to] = two(slow, 2);
    timing.slow.push_back({from, to, {slow_ms_max / 4, slow_ms_max}});
  }
}

std::pair<ServerId, ServerId> Swarm::two(Draws& draws, int question) {
  const auto all = static_cast<std::int64_t>(servers_.size());
  const std::int64_t first = draws(question, 0, all - 1);
  std::int64_t second = draws(question + 1, 0, std::max<std::int64_t>(all - 2, 0));
  if (second >= first) ++second;
  return {servers_[static_cast<std::size_t>(first)], servers_[static_cast<std::size_t>(second % all)]};
}

void Swarm::drawLateStart() {
  if (!has(Topic::late_start, &FuzzKnobs::late_start)) return;
  Draws draws = drawsOf(Topic::late_start);
  for (const ServerId server : servers_) {
    if (!draws.chance(1, 500)) continue;
    const Millis when = draws(2, 1, 3000);
    at(when) = step::Start{id(server)};
  }
}

// ---- faults that are placed by events

void Swarm::drawCrashPoints() {
  if (!has(Topic::crash_point, &FuzzKnobs::crash_point)) return;
  Draws draws = drawsOf(Topic::crash_point);
  for (std::int64_t count = draws(1, 1, 5); count > 0; --count) drawCrashPoint(draws);
  const auto ends = [](const StepSpec& spec) { return spec.is<step::Heal>() || spec.is<step::Release>(); };
  if (std::any_of(steps_.begin(), steps_.end(), ends)) run_.faults_end_ms += longest_ms;
}

/// The fault at that point, and its end.
void Swarm::drawCrashPoint(Draws& draws) {
  CrashPoint point = drawPlace(draws);
  const ServerId where = point.where;
  const bool before = draws.chance(4, 500);
  const Millis plus = draws.chance(10, 250) ? draws(11, 1, 40) : 0;
  const std::int64_t what = draws(12, 0, 13);
  const Millis lasts = lasting(draws, 13);
  const std::int64_t keep = draws(15, 0, 3);
  const ServerId other = anyone(draws, 16);
  const bool together = draws.chance(17, 200);
  const std::string held = draws.of(18, struck());
  const bool during = draws.chance(19, 400);
  if (before && (point.writes || point.sends) && plus == 0 && what < 6 && !together) {
    point.when.edge = point.writes && during ? "during" : "before";
  } else {
    point.when.plus = plus;
  }
  if (strike(draws, point, what)) return;
  if (what == 10 && hasConnections()) return loseConnections(std::move(point));
  if (what > 10 && other == where) return;
  StepSpec::Does does;
  StepSpec::Does end;
  const auto down = [&]<class Ending>(const std::vector<ServerId>& who) {
    does = Ending{ids(who)};
    end = step::Start{ids(who)};
  };
  const auto dark = [&](const std::vector<ServerId>& who) {
    does = step::PowerLoss{{ids(who), keep}};
    end = step::Start{ids(who)};
  };
  const std::vector<ServerId> one_or_two =
      together && other != where ? std::vector{where, other} : std::vector{where};
  if (what < 3) {
    down.template operator()<step::Kill>(one_or_two);
  } else if (what < 6) {
    dark(one_or_two);
  } else if (what < 7) {
    down.template operator()<step::Crash>(one_or_two);
  } else if (what < 8) {
    does = step::Pause{id(where)};
    end = step::Resume{id(where)};
  } else if (what < 9) {
    dark(servers_);
  } else if (what < 10) {
    does = step::Partition{sidesOf({where})};
    end = step::Heal{};
  } else if (what < 12) {
    down.template operator()<step::Kill>({other});
  } else {
    const Selector way{mainLink(), other, where, json({{"type", held}})};
    does = step::Hold{way};
    end = step::Release{way};
  }
  steps_.push_back({.when = std::move(point.when), .does = std::move(does)});
  steps_.push_back(after(lasts, std::move(end)));
}

void Swarm::loseConnections(CrashPoint point) {
  StepSpec spec{.when = std::move(point.when)};
  for (const ServerId server : servers_) {
    if (server == point.where) continue;
    spec.does = step::Break{{mainLink(), {point.where, server}, true}};
    steps_.push_back(std::exchange(spec, {.after = 0}));
  }
}

Millis Swarm::lasting(Draws& draws, int question) {
  const bool is_long = draws.chance(question, 400);
  return is_long ? draws(question + 1, 1000, longest_ms) : draws(question + 1, 20, 600);
}

std::vector<std::vector<ServerId>> Swarm::sidesOf(const std::vector<ServerId>& one) const {
  std::vector<ServerId> rest;
  for (const ServerId server : servers_) {
    if (std::find(one.begin(), one.end(), server) == one.end()) rest.push_back(server);
  }
  return {one, rest};
}

// ---- faults that are placed by time

template <class Place>
void Swarm::faults(std::uint8_t topic, std::int64_t FuzzKnobs::*knob, std::int64_t most, Place place) {
  if (!has(topic, knob)) return;
  Draws draws = drawsOf(topic);
  for (std::int64_t count = draws(1, 1, most); count > 0; --count) {
    const Millis when = draws(2, 100, chaos_ms_ - 100);
    const Millis end = std::min(when + lasting(draws, 3), chaos_ms_);
    place(draws, when, end);
  }
}

void Swarm::drawFaults() {
  const auto link = [this](bool other) { return other && !otherLink().empty() ? otherLink() : mainLink(); };
  faults(Topic::kill, &FuzzKnobs::kill, 4, [&](Draws& draws, Millis when, Millis end) {
    const ServerId who = anyone(draws, 5);
    const std::int64_t how = draws(6, 0, 3);
    StepSpec::Does& does = at(when);
    if (how == 0) {
      does = step::Crash{id(who)};
    } else if (how == 1) {
      does = step::Stop{id(who)};
    } else {
      does = step::Kill{id(who)};
    }
    at(end) = step::Start{id(who)};
  });
  faults(Topic::power_loss, &FuzzKnobs::power_loss, 3, [&](Draws& draws, Millis when, Millis end) {
    const ServerId who = anyone(draws, 5);
    const std::int64_t keep = draws(6, 0, 3);
    at(when) = step::PowerLoss{{id(who), keep}};
    at(end) = step::Start{id(who)};
  });
  faults(Topic::blackout, &FuzzKnobs::blackout, 3, [&](Draws& draws, Millis when, Millis) {
    at(when) = step::PowerLoss{{ids(servers_)}};
    for (const ServerId server : servers_) {
      const Millis end = std::min(when + lasting(draws, 3), chaos_ms_);
      at(end) = step::Start{id(server)};
    }
  });
  faults(Topic::pause, &FuzzKnobs::pause, 4, [&](Draws& draws, Millis when, Millis end) {
    const ServerId who = anyone(draws, 5);
    at(when) = step::Pause{id(who)};
    at(end) = step::Resume{id(who)};
  });
  faults(Topic::cut, &FuzzKnobs::cut, 4, [&](Draws& draws, Millis when, Millis end) {
    const auto [from, to] = two(draws, 5);
    at(when) = step::Cut{{from, to}};
    at(end) = step::Heal{{Way{from, to}}};
  });
  faults(Topic::isolation, &FuzzKnobs::isolation, 3, [&](Draws& draws, Millis when, Millis end) {
    at(when) = step::Partition{sidesOf({anyone(draws, 5)})};
    at(end) = step::Heal{};
  });
  faults(Topic::partition, &FuzzKnobs::partition, 3, [&](Draws& draws, Millis when, Millis end) {
    std::vector<ServerId> side = draws.shuffled(5, servers_);
    side.resize(static_cast<std::size_t>(draws(6, 1, static_cast<std::int64_t>(servers_.size()) - 1)));
    at(when) = step::Partition{sidesOf(side)};
    at(end) = step::Heal{};
  });
  faults(Topic::swizzle, &FuzzKnobs::swizzle, 1, [&](Draws& draws, Millis when, Millis) {
    std::vector<ServerId> cut_off = draws.shuffled(5, servers_);
    cut_off.resize(static_cast<std::size_t>(draws(6, 1, static_cast<std::int64_t>(servers_.size()))));
    const std::vector<ServerId> back = draws.shuffled(7, cut_off);
    Millis now = when;
    const auto ways = [&](ServerId one, bool cut) {
      for (const ServerId other : servers_) {
        if (other == one) continue;
        for (const Way way : {Way{one, other}, Way{other, one}}) {
          StepSpec::Does& does = at(now);
          if (cut) {
            does = step::Cut{way};
          } else {
            does = step::Heal{{way}};
          }
        }
      }
      now = std::min(now + draws(8, 0, 400), chaos_ms_);
    };
    for (const ServerId server : cut_off) ways(server, true);
    for (const ServerId server : back) ways(server, false);
  });
  faults(Topic::disconnect, &FuzzKnobs::disconnect, 5, [&](Draws& draws, Millis when, Millis) {
    if (!hasConnections()) return;
    const auto [a, b] = two(draws, 5);
    at(when) = step::Break{{link(draws.chance(7, 300)), {a, b}, draws.chance(8, 500)}};
  });
  faults(Topic::clog, &FuzzKnobs::clog, 4, [&](Draws& draws, Millis when, Millis end) {
    const auto [from, to] = two(draws, 5);
    Selector way{link(draws.chance(7, 400)), from, to, {}};
    const bool one_type = draws.chance(8, 500);
    const std::string type = draws.of(9, clogged());
    if (one_type && way.link == mainLink()) way.message = json({{"type", type}});
    at(when) = step::Hold{way};
    at(std::min(end, chaos_ms_)) = step::Release{way};
  });
  faults(Topic::clock, &FuzzKnobs::clock, 3, [&](Draws& draws, Millis when, Millis) {
    const ServerId who = anyone(draws, 5);
    at(when) = step::Clock{{who, draws(6, own_second_min_ms, own_second_max_ms)}};
    at(run_.faults_end_ms) = step::Clock{{who, 1000}};
  });
  faults(Topic::disk_error, &FuzzKnobs::disk_error, 3, [&](Draws& draws, Millis when, Millis) {
    at(when) = step::Disk{{anyone(draws, 5), "error", ""}};
  });
  faults(Topic::disk_stall, &FuzzKnobs::disk_stall, 2, [&](Draws& draws, Millis when, Millis end) {
    const ServerId who = anyone(draws, 5);
    at(when) = step::Disk{{who, "stall", ""}};
    at(end) = step::Disk{{who, "none", ""}};
  });
}

// ---- the end of all faults

void Swarm::drawRecovery() {
  Draws draws = drawsOf(Topic::core);
  std::vector<ServerId> order = draws.shuffled(0, voters_);
  const auto size = static_cast<std::size_t>(
      draws(1, static_cast<std::int64_t>(coreMin()), static_cast<std::int64_t>(voters_.size())));
  std::erase_if(order, [&](ServerId server) { return unable_.contains(server); });
  order.resize(std::min(size, order.size()));
  for (const ServerId server : servers_) {
    const bool observes = server > voters_.back();
    const bool chosen = observes ? needsObservers() || (draws.chance(2, 500) && !unable_.contains(server))
                                 : std::find(order.begin(), order.end(), server) != order.end();
    if (chosen && !(observes && isLost(server))) run_.core.push_back(server);
  }
  const Millis now = run_.faults_end_ms;
  run_.scenario.until = now + recovery_ms;
  std::vector<ServerId> outside = sidesOf(run_.core)[1];
  const bool down = draws.chance(3, 500);
  at(now) = step::Heal{};
  std::vector<ServerId> to_resume, to_start, to_mend;
  for (const ServerId server : run_.core) {
    if (anyStep([&](const StepSpec& spec) { return namesServer<step::Pause>(spec, server); }))
      to_resume.push_back(server);
    if (anyStep([&](const StepSpec& spec) { return namesServer<step::Start>(spec, server); }))
      to_start.push_back(server);
    const auto strikesDisk = [&](const StepSpec& spec) {
      const auto* disk = spec.as<step::Disk>();
      return disk != nullptr && disk->with.server == server;
    };
    if (anyStep(strikesDisk)) to_mend.push_back(server);
  }
  std::vector<Selector> held;
  for (const auto* steps : {&steps_, &timed_}) {
    for (const StepSpec& spec : *steps) {
      if (const auto* hold = spec.as<step::Hold>()) held.push_back(hold->with);
    }
  }
  for (const Selector& way : held) at(now) = step::Release{way};
  if (!to_resume.empty()) at(now) = step::Resume{ids(to_resume)};
  for (const ServerId server : to_mend) at(now) = step::Disk{{server, "none", ""}};
  if (!to_start.empty()) at(now) = step::Start{ids(to_start)};
  if (!outside.empty()) at(now) = step::Partition{sidesOf(run_.core)};
  if (!outside.empty() && down) at(now) = step::Kill{ids(outside)};
  ServerId probe = first_probe;
  // One after the other, so that the slowest disk keeps up with them; then none, for longer than any limit on
  // silence.
  const Millis every = probe_every_ms * static_cast<Millis>(run_.core.size()) + read_after_ms + quiet_ms;
  Millis first_ask = now + probes_after_ms + first_ask_ms;
  for (const ServerId server : run_.core) {
    run_.scenario.clients.push_back({.id = probe, .name = {}, .server = {}});
    run_.probes.push_back(probe);
    if (const Json turns = turn(server); !turns.is_null()) ask(now + probes_after_ms, probe, turns);
    drawProbe(probe, first_ask, every);
    first_ask += probe_every_ms;
    ++probe;
  }
}

}  // namespace zablab
