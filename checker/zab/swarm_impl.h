// A random run of an ensemble, drawn as a scenario: the servers, the content of their disks, the faults. The
// requests are defined by the service, whose class derives from this one.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "checker/fuzz/swarm.h"
#include "protocol/zab/messages.h"
#include "protocol/zab/state.h"

namespace zablab::zab {

template <class S>
class BroadcastSwarm : public Swarm {
 public:
  using Swarm::Swarm;

 protected:
  /// `count` changes are requested at this server, at intervals.
  virtual void drawChanges(Millis when, ServerId server, std::int64_t count, Millis every) = 0;

  Json drawConfig() override {
    Draws draws = drawsOf(Topic::timing);
    const TimingSpec& timing = scenario().timing;
    Json config;
    const Millis tick = draws.of(2, std::array<Millis, 4>{200, 200, 500, 1000});
    config["tick_ms"] = tick;
    config["init_limit"] = draws(3, 3, 10);
    // Large enough for sending a proposal, its fsync after another one, and sending its acknowledgement.
    const Millis round_trip = 2 * (timing.latency_ms.hi + timing.fsync_ms.hi);
    const std::int64_t sync_limit = std::max<std::int64_t>(draws(4, 2, 5), round_trip / tick + 2);
    config["sync_limit"] = sync_limit;
    quiet_ms = 2 * sync_limit * tick + 1000;
    slow_ms_max = std::min<Millis>(150, tick * sync_limit / 4);
    if (!has(long_back_off, "long_back_off")) config["max_notification_ms"] = 1600;
    if (has(short_memory, "short_memory")) {
      config["committed_log_max"] = drawsOf(short_memory)(1, 1, 3);
      config["log_file_min_bytes"] = 100;
    }
    if (has(snapshots, "snapshots")) {
      Draws own = drawsOf(snapshots);
      config["snap_count"] = own(1, 1, 6);
      // The longest one takes longer than a server needs to notice that its leader or its quorum is gone.
      const Millis ms = own.of(2, std::array<Millis, 6>{0, 20, 100, 400, 2000, 8000});
      if (ms > 0) config["snapshot_ms"] = ms;
    }
    if (has(slow_sync, "slow_sync"))
      config["newleader_delay_ms"] = drawsOf(slow_sync).of(1, std::array<Millis, 3>{20, 100, 400});
    if (has(no_disk_sync, "no_disk_sync")) config["log_to_snapshot_permille"] = -1;
    if (has(always_snap, "always_snap")) config["force_snapshot"] = true;
    return config;
  }

  /// The family's own topics.
  enum : std::uint8_t {
    last_counter = Topic::first_free,
    short_memory,
    no_disk_sync,
    always_snap,
    long_back_off,
    snapshots,
    slow_sync,
    hand_over,
    first_of_service  ///< those of the service's swarm
  };

 private:
  using Snap = BasicSnap<S>;
  using Proposal = BasicProposal<S>;
  using WriteSnapshot = BasicWriteSnapshot<S>;
  using WriteTxn = BasicWriteTxn<S>;

  /// Packets at which faults strike; the usual ones more often.
  static constexpr std::array<std::string_view, 14> packets{
      FollowerInfo::name, LeaderInfo::name, AckEpoch::name, Diff::name,        Trunc::name,
      Snap::name,         NewLeader::name,  UpToDate::name, Proposal::name,    Ack::name,
      Commit::name,       Proposal::name,   Commit::name,   Notification::name};

  std::string mainLink() const override { return "learner"; }
  std::string otherLink() const override { return "election"; }
  std::vector<std::string> clogged() const override {
    return names({AckEpoch::name, NewLeader::name, UpToDate::name, Proposal::name, Ack::name, Commit::name});
  }
  std::vector<std::string> struck() const override { return {packets.begin(), packets.end()}; }
  Json observer() const override { return {{"role", "observer"}}; }
  std::array<int, 4> voterCounts() const override { return {3, 4, 5, 6}; }

  bool drawBeginning() override {
    const bool counter = has(last_counter, "last_counter");
    const bool prepared = has(Topic::prepared, &FuzzKnobs::prepared);
    if (counter) {
      nearlyUsedUp();
    } else if (prepared) {
      prepare();
    }
    return counter;
  }

  /// The servers already run, in epoch 1, and its counter is nearly used up.
  void nearlyUsedUp() {
    Draws draws = drawsOf(last_counter);
    const std::string last = "1." + std::to_string(4'294'967'295 - draws(1, 1, 5));
    const ServerId leader = voters().back();
    for (ServerSpec& server : scenario().servers->list) {
      server.disk = json({{"accepted_epoch", 1}, {"current_epoch", 1}, {"snapshot", "0.0"}, {"log", {last}}});
      const char* role = server.id == leader           ? "LEADING"
                         : server.id > voters().back() ? "OBSERVING"
                                                       : "FOLLOWING";
      server.state =
          json({{"role", role},
                {"phase", "broadcast"},
                {"leader", leader},
                {"logicalclock", 1},
                {"current_vote",
                 {{"leader", leader}, {"zxid", "0.0"}, {"peer_epoch", 1}, {"election_epoch", 1}}}});
    }
    scenario().connected = true;
  }

  /// Disks as an earlier run may have left them. One epoch: every log is a prefix of the leader's. Two: a
  /// minority remained in the first one, with a tail that only they have; the others hold everything that was
  /// committed in it, and a prefix of the second one's log.
  void prepare() {
    Draws draws = drawsOf(Topic::prepared);
    const std::int64_t first_epoch = draws(1, 1, 4);
    const std::int64_t committed = draws(2, 0, 4);
    const std::int64_t tail = draws(3, 0, 3);
    const bool two_epochs = draws.chance(4, 600);
    const std::int64_t second = std::max<std::int64_t>(draws(5, -2, 4), 0);
    const std::vector<ServerId> order = draws.shuffled(6, servers());
    std::size_t behind_voters = two_epochs ? voters().size() - quorum() : 0;
    if (two_epochs)
      behind_voters = static_cast<std::size_t>(draws(7, 0, static_cast<std::int64_t>(behind_voters)));
    for (const ServerId server : order) {
      const bool votes = server <= voters().back();
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
      scenario().servers->list[static_cast<std::size_t>(server - 1)].disk =
          json({{"accepted_epoch", epoch + promised},
                {"current_epoch", epoch},
                {"snapshot", "0.0"},
                {"log", log}});
    }
  }

  // ---- faults that are placed by events

  /// The family's own places: in a synchronization; between the records that are written at NEWLEADER.
  enum { interrupts = 1, in_newleader };

  CrashPoint drawPlace(Draws& draws) override {
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
      point.kind = in_newleader;
      event["kind"] = "written";
      event["record"] = std::string(draws.of(21, of_newleader));
    } else {
      point.kind = interrupts;
      event["kind"] = "delivered";
      event["link"] = "learner";
      nth_max = 10;
      if (draws.chance(20, 400)) {
        event["type"] = std::string(Commit::name);
        nth_max = 3;
      }
    }
    return placedAt(draws, std::move(point), std::move(event), nth_max);
  }

  bool strike(Draws& draws, CrashPoint& point, std::int64_t) override {
    if (point.kind == in_newleader) {
      endInNewLeader(draws, std::move(point));
    } else if (point.kind == interrupts) {
      // However it is synchronized, it gets only a part.
      loseConnections(std::move(point));
    } else {
      return false;
    }
    return true;
  }

  /// It ends with a part of what is written at NEWLEADER, mostly together with another server, possibly its
  /// leader, and starts again before that one.
  void endInNewLeader(Draws& draws, CrashPoint point) {
    const bool power = draws.chance(22, 300);
    const bool alone = draws.chance(23, 250);
    const ServerId other = anyone(draws, 24);
    const Millis back = draws(25, 20, 400);
    const Millis others_back = draws(26, 500, longest_ms);
    if (draws.chance(27, 500)) point.when.edge = "during";
    const bool both = !alone && other != point.where;
    const Ids ended = both ? ids({point.where, other}) : id(point.where);
    StepSpec ends{.when = std::move(point.when)};
    if (power) {
      ends.does = step::PowerLoss{{ended}};
    } else {
      ends.does = step::Kill{ended};
    }
    add(std::move(ends));
    add(after(back, step::Start{id(point.where)}));
    if (both) add(after(others_back, step::Start{id(other)}));
  }

  // ---- a leader that has only just begun

  /// A server is down while the others commit. Then all others end, and a quorum that includes it starts: it
  /// is behind and is synchronized by a new leader. At one of the records written at NEWLEADER all of them
  /// end. Then it starts again, with those that were not in the quorum; the others start later.
  void drawMore() override {
    if (!has(hand_over, "hand_over") || voters().size() < 3) return;
    Draws draws = drawsOf(hand_over);
    constexpr std::array<std::string_view, 5> records{WriteAcceptedEpoch::name, WriteCurrentEpoch::name,
                                                      WriteCurrentEpoch::name, WriteSnapshot::name,
                                                      WriteTxn::name};
    std::vector<ServerId> order = draws.shuffled(1, voters());
    const ServerId behind = order.front();
    const auto first_late = order.begin() + static_cast<std::ptrdiff_t>(quorum());
    const std::vector<ServerId> early(order.begin() + 1, first_late);
    const std::vector<ServerId> late(first_late, order.end());
    const Millis away = draws(2, 500, chaosMs() / 3);
    const Millis asked = away + draws(3, 10, 600);
    const Millis over = asked + draws(4, 20, 800);
    const Millis again = over + draws(5, 10, 200);
    const std::string record(draws.of(6, records));
    const std::int64_t nth = draws(7, 1, 2);
    const bool during = draws.chance(8, 200);
    const bool power = draws.chance(9, 300);
    const Millis back = draws(10, 10, 300);
    const Millis others_back = back + draws(11, 300, longest_ms);
    at(away) = step::Kill{id(behind)};
    drawChanges(asked, early.front(), draws(12, 1, 4), 10);
    at(over) = step::Kill{ids(order)};
    std::vector<ServerId> first = early;
    first.push_back(behind);
    at(again) = step::Start{ids(first)};
    at(std::max(chaosMs(), again)) = step::Start{ids(late)};
    StepSpec ends;
    ends.when = When{.event = pattern({{"node", behind}, {"kind", "written"}, {"record", record}}),
                     .nth = nth,
                     .from = again + 1,
                     .by = std::max(chaosMs(), again) - 1};
    if (during) ends.when->edge = "during";
    if (power) {
      ends.does = step::PowerLoss{{ids(order)}};
    } else {
      ends.does = step::Kill{ids(order)};
    }
    add(std::move(ends));
    std::vector<ServerId> back_first = late;
    back_first.push_back(behind);
    add(after(back, step::Start{ids(back_first)}));
    add(after(others_back - back, step::Start{ids(early)}));
  }
};

}  // namespace zablab::zab
