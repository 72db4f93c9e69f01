#include "checker/zab/swarm.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "protocol/zab/messages.h"
#include "protocol/zab/state.h"
#include "sim/zab/codec.h"

namespace zablab::zab {
namespace {

constexpr ServerId first_client = 101;
constexpr ServerId first_probe = 201;
/// Longest that something lasts which ends by itself: a stop, a pause, a cut.
constexpr Millis longest_ms = 4000;

/// Packets at which something strikes; the usual ones more often.
constexpr std::array<std::string_view, 14> packets{
    FollowerInfo::name, LeaderInfo::name, AckEpoch::name, Diff::name,        Trunc::name,
    Snap::name,         NewLeader::name,  UpToDate::name, Proposal::name,    Ack::name,
    Commit::name,       Proposal::name,   Commit::name,   Notification::name};

/// Who asks, in addresses.
enum class Topic : std::uint8_t {
  shape,
  timing,
  workload,
  core,
  kill,
  power_loss,
  blackout,
  pause,
  cut,
  isolation,
  partition,
  swizzle,
  disconnect,
  clog,
  clock,
  disk_error,
  disk_stall,
  crash_point,
  slow,
  late_start,
  prepared,
  last_counter,
  short_memory,
  no_disk_sync,
  always_snap,
  long_back_off,
  snapshots,
  slow_sync,
  hand_over
};

/// Draws of one topic. Each question has a number of its own, so that one more draw changes no other.
class Draws {
 public:
  Draws(Choices& choices, Topic topic) : choices_(choices), topic_(static_cast<std::uint8_t>(topic)) {}

  std::int64_t operator()(int question, std::int64_t lo, std::int64_t hi) {
    return choices_.within({ChoiceKind::fault, topic_, question}, lo, hi);
  }
  bool chance(int question, std::int64_t permille) { return (*this)(question, 0, 999) >= 1000 - permille; }
  template <class T, std::size_t N>
  T of(int question, const std::array<T, N>& values) {
    return values[static_cast<std::size_t>((*this)(question, 0, static_cast<std::int64_t>(N) - 1))];
  }
  template <class T>
  T of(int question, const std::vector<T>& values) {
    return values[static_cast<std::size_t>(
        (*this)(question, 0, static_cast<std::int64_t>(values.size()) - 1))];
  }
  /// In a drawn order.
  std::vector<ServerId> shuffled(int question, std::vector<ServerId> ids) {
    for (std::size_t i = ids.size(); i > 1; --i) {
      const auto other = static_cast<std::size_t>((*this)(question, 0, static_cast<std::int64_t>(i) - 1));
      std::swap(ids[i - 1], ids[other]);
    }
    return ids;
  }

 private:
  Choices& choices_;
  std::uint8_t topic_;
};

JsonValue json(Json value) { return JsonValue::fromJson(value, "drawn"); }
EventPattern pattern(Json value) { return {json(std::move(value))}; }
Ids ids(std::vector<ServerId> list) { return {std::move(list)}; }
Ids id(ServerId one) { return {{one}}; }

class Drawer {
 public:
  Drawer(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable)
      : shape_(shape), choices_(choices), unable_(unable) {}

  DrawnRun draw() {
    drawShape();
    drawSettings();
    drawStart();
    drawCrashPoints();
    drawFaults();
    drawWorkload();
    drawHandOver();
    drawRecovery();
    run_.voters = voters_;
    run_.scenario.steps = std::move(steps_);
    std::stable_sort(timed_.begin(), timed_.end(),
                     [](const StepSpec& a, const StepSpec& b) { return *a.at < *b.at; });
    for (StepSpec& step : timed_) run_.scenario.steps.push_back(std::move(step));
    return std::move(run_);
  }

 private:
  bool has(Topic topic, std::int64_t FuzzKnobs::*knob) {
    const bool on = Draws(choices_, topic).chance(0, shape_.knobs.*knob);
    run_.on.*knob = on ? 1000 : 0;
    return on;
  }

  StepSpec& at(Millis when) {
    timed_.emplace_back();
    timed_.back().at = when;
    return timed_.back();
  }

  void drawShape() {
    Draws draws(choices_, Topic::shape);
    const int drawn = draws.of(0, std::array{3, 4, 5, 6});
    const int observers = draws.of(1, std::array{0, 0, 0, 1, 2});
    const int voters = shape_.voters.value_or(drawn);
    for (int i = 1; i <= voters; ++i) voters_.push_back(i);
    servers_ = voters_;
    for (int i = 1; i <= shape_.observers.value_or(observers); ++i) servers_.push_back(voters + i);
    run_.scenario.name = "drawn";
    std::vector<ServerSpec> specs;
    for (const ServerId server : servers_) {
      specs.push_back({.id = server, .role = server > voters ? "observer" : "voter"});
    }
    run_.scenario.servers = Servers{std::move(specs)};
    chaos_ms_ = draws.of(2, std::array<Millis, 4>{3000, 6000, 6000, 12'000});
    run_.faults_end_ms = chaos_ms_ + 100;
    run_.scenario.restart_after_ms = draws(3, 100, 3000);
  }

  void drawSettings() {
    Draws draws(choices_, Topic::timing);
    Scenario& scenario = run_.scenario;
    constexpr std::array<RangeSpec, 4> latencies{{{1, 5}, {1, 30}, {1, 30}, {1, 100}}};
    constexpr std::array<RangeSpec, 4> fsyncs{{{1, 5}, {1, 20}, {1, 100}, {20, 200}}};
    scenario.timing.latency_ms = draws.of(0, latencies);
    scenario.timing.fsync_ms = draws.of(1, fsyncs);
    Json config;
    const Millis tick = draws.of(2, std::array<Millis, 4>{200, 200, 500, 1000});
    config["tick_ms"] = tick;
    config["init_limit"] = draws(3, 3, 10);
    // Wide enough for a proposal's way, its fsync behind another one, and its acknowledgement's way.
    const Millis round_trip = 2 * (scenario.timing.latency_ms.hi + scenario.timing.fsync_ms.hi);
    const std::int64_t sync_limit = std::max<std::int64_t>(draws(4, 2, 5), round_trip / tick + 2);
    config["sync_limit"] = sync_limit;
    run_.quiet_ms = quiet_ms_ = 2 * sync_limit * tick + 1000;
    if (!has(Topic::long_back_off, &FuzzKnobs::long_back_off)) config["max_notification_ms"] = 1600;
    if (has(Topic::short_memory, &FuzzKnobs::short_memory)) {
      config["committed_log_max"] = Draws(choices_, Topic::short_memory)(1, 1, 3);
      config["log_file_min_bytes"] = 100;
    }
    if (has(Topic::snapshots, &FuzzKnobs::snapshots))
      config["snap_count"] = Draws(choices_, Topic::snapshots)(1, 1, 6);
    if (has(Topic::slow_sync, &FuzzKnobs::slow_sync))
      config["newleader_delay_ms"] =
          Draws(choices_, Topic::slow_sync).of(1, std::array<Millis, 3>{20, 100, 400});
    if (has(Topic::no_disk_sync, &FuzzKnobs::no_disk_sync)) config["log_to_snapshot_permille"] = -1;
    if (has(Topic::always_snap, &FuzzKnobs::always_snap)) config["force_snapshot"] = true;
    scenario.config = json(config);
    if (has(Topic::slow, &FuzzKnobs::slow)) {
      Draws slow(choices_, Topic::slow);
      const Millis most = std::min<Millis>(150, tick * sync_limit / 4);
      for (std::int64_t i = slow(1, 1, 3); i > 0; --i) {
        const auto [from, to] = two(slow, 2);
        scenario.timing.slow.push_back({from, to, {most / 4, most}});
      }
    }
  }

  /// Two different servers; asks two questions.
  std::pair<ServerId, ServerId> two(Draws& draws, int question) {
    const auto all = static_cast<std::int64_t>(servers_.size());
    const std::int64_t first = draws(question, 0, all - 1);
    std::int64_t second = draws(question + 1, 0, std::max<std::int64_t>(all - 2, 0));
    if (second >= first) ++second;
    return {servers_[static_cast<std::size_t>(first)], servers_[static_cast<std::size_t>(second % all)]};
  }
  ServerId anyone(Draws& draws, int question) { return draws.of(question, servers_); }
  std::size_t quorum() const { return voters_.size() / 2 + 1; }

  // ---- the beginning

  void drawStart() {
    const bool counter = has(Topic::last_counter, &FuzzKnobs::last_counter);
    const bool prepared = has(Topic::prepared, &FuzzKnobs::prepared);
    const bool late = has(Topic::late_start, &FuzzKnobs::late_start);
    if (counter) return nearlyUsedUp();
    if (prepared) prepare();
    if (!late) return;
    Draws draws(choices_, Topic::late_start);
    for (const ServerId server : servers_) {
      if (!draws.chance(1, 500)) continue;
      const Millis when = draws(2, 1, 3000);
      at(when).start = id(server);
    }
  }

  /// They run already, in epoch 1, and its counter is nearly used up.
  void nearlyUsedUp() {
    Draws draws(choices_, Topic::last_counter);
    const std::string last = "1." + std::to_string(4'294'967'295 - draws(1, 1, 5));
    const ServerId leader = voters_.back();
    for (ServerSpec& server : run_.scenario.servers->list) {
      server.disk = json({{"accepted_epoch", 1}, {"current_epoch", 1}, {"snapshot", "0.0"}, {"log", {last}}});
      const char* role = server.id == leader         ? "LEADING"
                         : server.role == "observer" ? "OBSERVING"
                                                     : "FOLLOWING";
      server.state =
          json({{"role", role},
                {"phase", "broadcast"},
                {"leader", leader},
                {"round", 1},
                {"current_vote", {{"leader", leader}, {"zxid", "0.0"}, {"epoch", 1}, {"round", 1}}}});
    }
    run_.scenario.connected = true;
  }

  /// Disks as an earlier run may have left them. One epoch: everybody's log is a prefix of the leader's. Two:
  /// a minority stayed in the first one, with a tail that only they have; the others hold all that was
  /// committed in it, and a prefix of the second one's log.
  void prepare() {
    Draws draws(choices_, Topic::prepared);
    const std::int64_t first_epoch = draws(1, 1, 4);
    const std::int64_t committed = draws(2, 0, 4);
    const std::int64_t tail = draws(3, 0, 3);
    const bool two_epochs = draws.chance(4, 600);
    const std::int64_t second = std::max<std::int64_t>(draws(5, -2, 4), 0);
    const std::vector<ServerId> order = draws.shuffled(6, servers_);
    std::size_t behind_voters = two_epochs ? voters_.size() - quorum() : 0;
    if (two_epochs)
      behind_voters = static_cast<std::size_t>(draws(7, 0, static_cast<std::int64_t>(behind_voters)));
    for (const ServerId server : order) {
      const bool votes = server <= voters_.back();
      const bool behind = two_epochs && ((votes && behind_voters > 0) || (!votes && draws.chance(8, 500)));
      if (behind && votes) --behind_voters;
      const std::int64_t firsts = !two_epochs || behind ? draws(9, 0, committed + tail) : committed;
      const std::int64_t seconds = two_epochs && !behind ? draws(10, 0, second) : 0;
      const std::int64_t promised = draws.chance(11, 300) ? draws(12, 1, 3) : 0;
      Json log = Json::array();
      const auto add = [&](std::int64_t epoch, std::int64_t count) {
        for (std::int64_t i = 1; i <= count; ++i)
          log.push_back(std::to_string(epoch) + "." + std::to_string(i));
      };
      add(first_epoch, firsts);
      add(first_epoch + 1, seconds);
      const std::int64_t epoch = two_epochs && !behind ? first_epoch + 1 : first_epoch;
      run_.scenario.servers->list[static_cast<std::size_t>(server - 1)].disk =
          json({{"accepted_epoch", epoch + promised},
                {"current_epoch", epoch},
                {"snapshot", "0.0"},
                {"log", log}});
    }
  }

  // ---- faults that are placed by what happens

  void drawCrashPoints() {
    if (!has(Topic::crash_point, &FuzzKnobs::crash_point)) return;
    Draws draws(choices_, Topic::crash_point);
    for (std::int64_t count = draws(1, 1, 5); count > 0; --count) drawCrashPoint(draws);
    const auto ends = [](const StepSpec& step) { return step.heal || step.release; };
    if (std::any_of(steps_.begin(), steps_.end(), ends)) run_.faults_end_ms += longest_ms;
  }

  /// A kind of step of one server, and which of them.
  struct CrashPoint {
    ServerId where = 0;
    When when;
    bool writes = false;
    bool sends = false;
    bool interrupts = false;  ///< a synchronization
    bool newleader = false;   ///< between the records that NEWLEADER writes
  };

  CrashPoint drawPlace(Draws& draws) {
    constexpr std::array<std::string_view, 7> records{
        WriteAcceptedEpoch::name, WriteCurrentEpoch::name, WriteCurrentEpoch::name, WriteSnapshot::name,
        WriteTruncation::name,    WriteTxn::name,          WriteTxn::name};
    CrashPoint point{.where = anyone(draws, 2), .when = {}};
    Json event{{"node", point.where}};
    std::int64_t nth_max = 4;
    const std::int64_t kind = draws(3, 0, 14);
    if (kind < 3) {
      const std::string record(draws.of(5, records));
      event["kind"] = "written";
      event["record"] = record;
      if (record == WriteTxn::name) nth_max = 12;
      if (record == WriteTruncation::name || record == WriteSnapshot::name) nth_max = 2;
      point.writes = true;
    } else if (kind < 4) {
      event["kind"] = "synced";
      nth_max = 12;
    } else if (kind < 8) {
      const std::string type(draws.of(6, packets));
      point.sends = kind >= 6;
      event["kind"] = point.sends ? "sent" : "delivered";
      event["type"] = type;
      if (type == Proposal::name || type == Commit::name || type == Ack::name) nth_max = 12;
    } else if (kind < 9) {
      event["kind"] = "phase";
      event["phase"] = draws.of(7, std::array{"discovery", "synchronization", "broadcast"});
    } else if (kind < 10) {
      event["kind"] = "role";
      event["to"] = draws.of(8, std::array{"LOOKING", "FOLLOWING", "LEADING"});
    } else if (kind < 12) {
      constexpr std::array<std::string_view, 4> of_newleader{WriteCurrentEpoch::name, WriteCurrentEpoch::name,
                                                             WriteSnapshot::name, WriteTxn::name};
      point.newleader = true;
      event["kind"] = "written";
      event["record"] = std::string(draws.of(21, of_newleader));
    } else {
      point.interrupts = true;
      event["kind"] = "delivered";
      event["link"] = "learner";
      nth_max = 10;
      if (draws.chance(20, 400)) {
        event["type"] = std::string(Commit::name);
        nth_max = 3;
      }
    }
    point.when.event = pattern(std::move(event));
    point.when.nth = draws(9, 1, nth_max);
    point.when.by = chaos_ms_ - 100;
    return point;
  }

  /// What strikes there, and its end.
  void drawCrashPoint(Draws& draws) {
    CrashPoint point = drawPlace(draws);
    const ServerId where = point.where;
    const bool before = draws.chance(4, 500);
    const Millis plus = draws.chance(10, 250) ? draws(11, 1, 40) : 0;
    const std::int64_t what = draws(12, 0, 13);
    const Millis lasts = lasting(draws, 13);
    const std::int64_t keep = draws(15, 0, 3);
    const ServerId other = anyone(draws, 16);
    const bool together = draws.chance(17, 200);
    const std::string held(draws.of(18, packets));
    const bool during = draws.chance(19, 400);
    if (before && (point.writes || point.sends) && plus == 0 && what < 6 && !together) {
      point.when.edge = point.writes && during ? "during" : "before";
    } else {
      point.when.plus = plus;
    }
    if (point.newleader) return endInNewLeader(draws, std::move(point));
    if (point.interrupts || what == 10) return loseLeader(std::move(point));
    if (what > 10 && other == where) return;
    StepSpec step;
    StepSpec end;
    const auto down = [&](std::optional<Ids> StepSpec::*how, const std::vector<ServerId>& who) {
      step.*how = end.start = ids(who);
      if (how == &StepSpec::power_loss && keep > 0) step.keep = keep;
    };
    const std::vector<ServerId> one_or_two =
        together && other != where ? std::vector{where, other} : std::vector{where};
    if (what < 3) {
      down(&StepSpec::kill, one_or_two);
    } else if (what < 6) {
      down(&StepSpec::power_loss, one_or_two);
    } else if (what < 7) {
      down(&StepSpec::crash, one_or_two);
    } else if (what < 8) {
      step.pause = end.resume = id(where);
    } else if (what < 9) {
      down(&StepSpec::power_loss, servers_);
    } else if (what < 10) {
      step.partition = sidesOf({where});
      end.heal = WayOrAll{};
    } else if (what < 12) {
      down(&StepSpec::kill, {other});
    } else {
      step.hold = end.release = Selector{"learner", other, where, json({{"type", held}})};
    }
    step.when = std::move(point.when);
    end.after = lasts;
    steps_.push_back(std::move(step));
    steps_.push_back(std::move(end));
  }

  /// It ends with a part of what NEWLEADER writes, mostly together with another, who may be its leader, and
  /// is back first.
  void endInNewLeader(Draws& draws, CrashPoint point) {
    const bool power = draws.chance(22, 300);
    const bool alone = draws.chance(23, 250);
    const ServerId other = anyone(draws, 24);
    const Millis back = draws(25, 20, 400);
    const Millis others_back = draws(26, 500, longest_ms);
    if (draws.chance(27, 500)) point.when.edge = "during";
    StepSpec step;
    step.when = std::move(point.when);
    const bool both = !alone && other != point.where;
    (power ? step.power_loss : step.kill) = both ? ids({point.where, other}) : id(point.where);
    StepSpec starts;
    starts.after = back;
    starts.start = id(point.where);
    steps_.push_back(std::move(step));
    steps_.push_back(std::move(starts));
    if (!both) return;
    StepSpec starts_later;
    starts_later.after = others_back;
    starts_later.start = id(other);
    steps_.push_back(std::move(starts_later));
  }

  /// Whatever it synchronizes with, it gets but a part of it.
  void loseLeader(CrashPoint point) {
    StepSpec step;
    step.when = std::move(point.when);
    for (const ServerId server : servers_) {
      if (server == point.where) continue;
      step.break_ = BreakSpec{"learner", {point.where, server}, true};
      steps_.push_back(std::exchange(step, {}));
      step.after = 0;
    }
  }

  /// Short or long; asks two questions.
  Millis lasting(Draws& draws, int question) {
    const bool is_long = draws.chance(question, 400);
    return is_long ? draws(question + 1, 1000, longest_ms) : draws(question + 1, 20, 600);
  }

  std::vector<std::vector<ServerId>> sidesOf(const std::vector<ServerId>& one) const {
    std::vector<ServerId> rest;
    for (const ServerId server : servers_) {
      if (std::find(one.begin(), one.end(), server) == one.end()) rest.push_back(server);
    }
    return {one, rest};
  }

  // ---- faults that are placed by time

  template <class Place>
  void faults(Topic topic, std::int64_t FuzzKnobs::*knob, std::int64_t most, Place place) {
    if (!has(topic, knob)) return;
    Draws draws(choices_, topic);
    for (std::int64_t count = draws(1, 1, most); count > 0; --count) {
      const Millis when = draws(2, 100, chaos_ms_ - 100);
      const Millis end = std::min(when + lasting(draws, 3), chaos_ms_);
      place(draws, when, end);
    }
  }

  void drawFaults() {
    faults(Topic::kill, &FuzzKnobs::kill, 4, [&](Draws& draws, Millis when, Millis end) {
      const ServerId who = anyone(draws, 5);
      const std::int64_t how = draws(6, 0, 3);
      StepSpec& step = at(when);
      (how == 0 ? step.crash : how == 1 ? step.stop : step.kill) = id(who);
      at(end).start = id(who);
    });
    faults(Topic::power_loss, &FuzzKnobs::power_loss, 3, [&](Draws& draws, Millis when, Millis end) {
      const ServerId who = anyone(draws, 5);
      const std::int64_t keep = draws(6, 0, 3);
      StepSpec& step = at(when);
      step.power_loss = id(who);
      if (keep > 0) step.keep = keep;
      at(end).start = id(who);
    });
    faults(Topic::blackout, &FuzzKnobs::blackout, 3, [&](Draws& draws, Millis when, Millis) {
      at(when).power_loss = ids(servers_);
      for (const ServerId server : servers_) {
        const Millis end = std::min(when + lasting(draws, 3), chaos_ms_);
        at(end).start = id(server);
      }
    });
    faults(Topic::pause, &FuzzKnobs::pause, 4, [&](Draws& draws, Millis when, Millis end) {
      const ServerId who = anyone(draws, 5);
      at(when).pause = id(who);
      at(end).resume = id(who);
    });
    faults(Topic::cut, &FuzzKnobs::cut, 4, [&](Draws& draws, Millis when, Millis end) {
      const auto [from, to] = two(draws, 5);
      at(when).cut = Way{from, to};
      at(end).heal = WayOrAll{Way{from, to}};
    });
    faults(Topic::isolation, &FuzzKnobs::isolation, 3, [&](Draws& draws, Millis when, Millis end) {
      at(when).partition = sidesOf({anyone(draws, 5)});
      at(end).heal = WayOrAll{};
    });
    faults(Topic::partition, &FuzzKnobs::partition, 3, [&](Draws& draws, Millis when, Millis end) {
      std::vector<ServerId> side = draws.shuffled(5, servers_);
      side.resize(static_cast<std::size_t>(draws(6, 1, static_cast<std::int64_t>(servers_.size()) - 1)));
      at(when).partition = sidesOf(side);
      at(end).heal = WayOrAll{};
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
            StepSpec& step = at(now);
            if (cut) {
              step.cut = way;
            } else {
              step.heal = WayOrAll{way};
            }
          }
        }
        now = std::min(now + draws(8, 0, 400), chaos_ms_);
      };
      for (const ServerId server : cut_off) ways(server, true);
      for (const ServerId server : back) ways(server, false);
    });
    faults(Topic::disconnect, &FuzzKnobs::disconnect, 5, [&](Draws& draws, Millis when, Millis) {
      const auto [a, b] = two(draws, 5);
      at(when).break_ =
          BreakSpec{draws.chance(7, 300) ? "election" : "learner", {a, b}, draws.chance(8, 500)};
    });
    faults(Topic::clog, &FuzzKnobs::clog, 4, [&](Draws& draws, Millis when, Millis end) {
      constexpr std::array<std::string_view, 6> types{AckEpoch::name, NewLeader::name, UpToDate::name,
                                                      Proposal::name, Ack::name,       Commit::name};
      const auto [from, to] = two(draws, 5);
      Selector way{draws.chance(7, 400) ? "election" : "learner", from, to, {}};
      const bool one_type = draws.chance(8, 500);
      const std::string type(draws.of(9, types));
      if (one_type && way.link == "learner") way.message = json({{"type", type}});
      at(when).hold = way;
      at(std::min(end, chaos_ms_)).release = way;
    });
    faults(Topic::clock, &FuzzKnobs::clock, 3, [&](Draws& draws, Millis when, Millis) {
      const ServerId who = anyone(draws, 5);
      at(when).clock = ClockSpec{who, draws(6, 700, 1400)};
      at(run_.faults_end_ms).clock = ClockSpec{who, 1000};
    });
    faults(Topic::disk_error, &FuzzKnobs::disk_error, 3, [&](Draws& draws, Millis when, Millis) {
      at(when).disk = DiskSpec{anyone(draws, 5), "error", ""};
    });
    faults(Topic::disk_stall, &FuzzKnobs::disk_stall, 2, [&](Draws& draws, Millis when, Millis end) {
      const ServerId who = anyone(draws, 5);
      at(when).disk = DiskSpec{who, "stall", ""};
      at(end).disk = DiskSpec{who, "none", ""};
    });
  }

  // ---- clients

  void drawWorkload() {
    Draws draws(choices_, Topic::workload);
    const std::int64_t clients = draws(0, 1, 2);
    for (std::int64_t i = 0; i < clients; ++i) {
      const ServerId client = first_client + i;
      run_.scenario.clients.push_back({.id = client, .name = {}, .server = anyone(draws, 1)});
      for (std::int64_t burst = draws(2, 2, 6); burst > 0; --burst) {
        const Millis when = draws(3, 300, chaos_ms_);
        if (draws.chance(4, 500)) at(when).connect = ConnectSpec{client, anyone(draws, 5)};
        AskSpec ask{.client = client, .value = {}, .repeat = draws(6, 1, 4), .every = draws(7, 5, 200)};
        const std::int64_t what = draws(8, 0, 9);
        StepSpec& step = at(when);
        // A value of its own, so that it is not taken for the request's number.
        if (what < 7) ask.value = draws(9, 1000, 9999);
        const std::int64_t session = what < 7 ? draws(10, 0, 9) : 0;
        (what >= 9      ? step.sync
         : what >= 7    ? step.read
         : session == 8 ? step.open_session
         : session == 9 ? step.close_session
                        : step.write) = ask;
      }
    }
  }

  // ---- a leader that has hardly begun

  /// A server is down while the others commit. Then all others end, and a quorum comes back, with it: it is
  /// behind and is synchronized by a new leader. At one of the records that NEWLEADER writes all of them end.
  /// It comes back, and those that were not there; the others later.
  void drawHandOver() {
    if (!has(Topic::hand_over, &FuzzKnobs::hand_over) || voters_.size() < 3) return;
    Draws draws(choices_, Topic::hand_over);
    constexpr std::array<std::string_view, 5> records{WriteAcceptedEpoch::name, WriteCurrentEpoch::name,
                                                      WriteCurrentEpoch::name, WriteSnapshot::name,
                                                      WriteTxn::name};
    std::vector<ServerId> order = draws.shuffled(1, voters_);
    const ServerId behind = order.front();
    const auto first_late = order.begin() + static_cast<std::ptrdiff_t>(quorum());
    const std::vector<ServerId> early(order.begin() + 1, first_late);
    const std::vector<ServerId> late(first_late, order.end());
    const Millis away = draws(2, 500, chaos_ms_ / 3);
    const Millis asked = away + draws(3, 10, 600);
    const Millis over = asked + draws(4, 20, 800);
    const Millis again = over + draws(5, 10, 200);
    const std::string record(draws.of(6, records));
    const std::int64_t nth = draws(7, 1, 2);
    const bool during = draws.chance(8, 200);
    const bool power = draws.chance(9, 300);
    const Millis back = draws(10, 10, 300);
    const Millis others_back = back + draws(11, 300, longest_ms);
    at(away).kill = id(behind);
    at(asked).connect = ConnectSpec{first_client, early.front()};
    at(asked).write = AskSpec{.client = first_client, .value = {}, .repeat = draws(12, 1, 4), .every = 10};
    at(over).kill = ids(order);
    std::vector<ServerId> first = early;
    first.push_back(behind);
    at(again).start = ids(first);
    at(std::max(chaos_ms_, again)).start = ids(late);
    StepSpec ends;
    ends.when = When{.event = pattern({{"node", behind}, {"kind", "written"}, {"record", record}}),
                     .nth = nth,
                     .from = again + 1,
                     .by = std::max(chaos_ms_, again) - 1};
    if (during) ends.when->edge = "during";
    (power ? ends.power_loss : ends.kill) = ids(order);
    StepSpec starts;
    starts.after = back;
    starts.start = ids(late);
    starts.start->list.push_back(behind);
    StepSpec starts_later;
    starts_later.after = others_back - back;
    starts_later.start = ids(early);
    for (StepSpec* step : {&ends, &starts, &starts_later}) steps_.push_back(std::move(*step));
  }

  // ---- the end of all faults

  void drawRecovery() {
    Draws draws(choices_, Topic::core);
    std::vector<ServerId> order = draws.shuffled(0, voters_);
    const auto size = static_cast<std::size_t>(
        draws(1, static_cast<std::int64_t>(quorum()), static_cast<std::int64_t>(voters_.size())));
    std::erase_if(order, [&](ServerId server) { return unable_.contains(server); });
    order.resize(std::min(size, order.size()));
    for (const ServerId server : servers_) {
      const bool observes = server > voters_.back();
      const bool chosen = observes ? draws.chance(2, 500) && !unable_.contains(server)
                                   : std::find(order.begin(), order.end(), server) != order.end();
      if (chosen) run_.core.push_back(server);
    }
    const Millis now = run_.faults_end_ms;
    run_.scenario.until = now + recovery_ms;
    std::vector<ServerId> outside = sidesOf(run_.core)[1];
    const bool down = draws.chance(3, 500);
    at(now).heal = WayOrAll{};
    std::vector<ServerId> to_resume, to_start, to_mend;
    for (const ServerId server : run_.core) {
      if (anyStep([&](const StepSpec& step) { return names(step.pause, server); }))
        to_resume.push_back(server);
      if (anyStep([&](const StepSpec& step) { return names(step.start, server); }))
        to_start.push_back(server);
      if (anyStep([&](const StepSpec& step) { return step.disk && step.disk->server == server; }))
        to_mend.push_back(server);
    }
    std::vector<Selector> held;
    for (const auto* steps : {&steps_, &timed_}) {
      for (const StepSpec& step : *steps) {
        if (step.hold) held.push_back(*step.hold);
      }
    }
    for (const Selector& way : held) at(now).release = way;
    if (!to_resume.empty()) at(now).resume = ids(to_resume);
    for (const ServerId server : to_mend) at(now).disk = DiskSpec{server, "none", ""};
    if (!to_start.empty()) at(now).start = ids(to_start);
    if (!outside.empty()) at(now).partition = sidesOf(run_.core);
    if (!outside.empty() && down) at(now).kill = ids(outside);
    ServerId probe = first_probe;
    // One after the other, so that the slowest disk keeps up with them; then none, for longer than anybody's
    // silence is borne.
    const Millis every = probe_every_ms * static_cast<Millis>(run_.core.size()) + quiet_ms_;
    Millis first_ask = now + probes_after_ms + 100;
    for (const ServerId server : run_.core) {
      run_.scenario.clients.push_back({.id = probe, .name = {}, .server = {}});
      run_.probes.push_back(probe);
      at(now + probes_after_ms).connect = ConnectSpec{probe, server};
      const AskSpec often{.client = probe, .value = {}, .repeat = recovery_ms / every - 1, .every = every};
      at(first_ask).write = often;
      at(first_ask).read = often;
      at(first_ask).sync = often;
      first_ask += probe_every_ms;
      for (const char* operation : {"put", "read", "sync"}) {
        ExpectSpec expect;
        expect.event =
            pattern({{"kind", "answered"}, {"node", probe}, {"operation", operation}, {"outcome", "ok"}});
        expect.because = "a core that is whole serves within 180 s";
        run_.scenario.expect.push_back(std::move(expect));
      }
      ++probe;
    }
  }

  template <class Test>
  bool anyStep(Test test) const {
    return std::any_of(steps_.begin(), steps_.end(), test) || std::any_of(timed_.begin(), timed_.end(), test);
  }
  static bool names(const std::optional<Ids>& ids, ServerId server) {
    return ids && std::find(ids->list.begin(), ids->list.end(), server) != ids->list.end();
  }

  const FuzzShape& shape_;
  Choices& choices_;
  const std::set<ServerId>& unable_;
  DrawnRun run_;
  std::vector<ServerId> voters_;
  std::vector<ServerId> servers_;
  Millis chaos_ms_ = 0;
  Millis quiet_ms_ = 0;
  std::vector<StepSpec> steps_;  ///< crash points
  std::vector<StepSpec> timed_;
};

}  // namespace

DrawnRun drawRun(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable) {
  return Drawer(shape, choices, unable).draw();
}

}  // namespace zablab::zab
