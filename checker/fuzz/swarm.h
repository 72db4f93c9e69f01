// Draws random runs as scenarios: who there is, what they begin with, what clients ask, what goes wrong. What
// is the same for every family is here; a family's own class says what it has beside that.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/fuzz/drawn.h"
#include "sim/choices.h"
#include "sim/scenario.h"

namespace zablab {

/// How long a core may take to serve after faults have stopped, at any configuration. Virtual milliseconds.
inline constexpr Millis recovery_ms = 180'000;
/// When, after the faults, clients that probe the core turn to their servers.
inline constexpr Millis probes_after_ms = 400;
/// And when, after that, the first of them asks.
inline constexpr Millis first_ask_ms = 100;
/// From one probe's requests to the next one's: as long as the slowest fsync, and some.
inline constexpr Millis probe_every_ms = 250;

/// Draws of one topic. Each question has a number of its own, so that one more draw changes no other.
class Draws {
 public:
  /// `topic`: who asks, in addresses.
  Draws(Choices& choices, std::uint8_t topic) : choices_(choices), topic_(topic) {}

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
  std::vector<ServerId> shuffled(int question, std::vector<ServerId> ids);

 private:
  Choices& choices_;
  std::uint8_t topic_;
};

class Swarm {
 public:
  /// Servers of `unable` are not chosen for the core: what is left has to be a quorum of the voters.
  Swarm(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable)
      : shape_(shape), choices_(choices), unable_(unable) {}
  virtual ~Swarm() = default;
  Swarm(const Swarm&) = delete;

  DrawnRun draw();

 protected:
  /// A family's own topics are numbered from `first_free` on.
  struct Topic {
    enum : std::uint8_t {
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
      first_free
    };
  };

  /// A kind of step of one server, and which of them: there something strikes.
  struct CrashPoint {
    ServerId where = 0;
    When when;
    bool writes = false;
    bool sends = false;
    int kind = 0;  ///< the family's own; 0: none
  };

  // ---- what a family has

  /// The link on which messages of the protocol go, and a second one, if there is one.
  virtual std::string mainLink() const = 0;
  virtual std::string otherLink() const { return {}; }
  /// Types of messages on the main link that are held back, or struck at; the usual ones more often.
  virtual std::vector<std::string> clogged() const = 0;
  virtual std::vector<std::string> struck() const = 0;
  virtual std::array<int, 4> voterCounts() const { return {3, 4, 5, 5}; }
  /// Fields of every server's configuration; sets `quiet_ms`, `slow_ms_max` and, where a probe's requests
  /// follow each other, `read_after_ms`. Latencies are drawn.
  virtual Json drawConfig() = 0;
  /// What the disks hold, or that the servers run already. True: nobody starts late.
  virtual bool drawBeginning() { return false; }
  virtual CrashPoint drawPlace(Draws& draws) = 0;
  /// What the family has for a place of its own. False: what strikes everywhere does.
  virtual bool strike(Draws&, CrashPoint&, std::int64_t /*what*/) { return false; }
  /// Messages go over connections, which may break.
  virtual bool hasConnections() const { return true; }
  /// How a client is asked to turn to a server; null: clients turn to none.
  virtual Json turn(ServerId /*server*/) const { return nullptr; }
  /// What a server that does not vote says of itself beside its id; null: all vote.
  virtual Json observer() const { return nullptr; }
  /// How many of the voters a core has at least.
  virtual std::size_t coreMin() const { return quorum(); }
  virtual void drawWorkload() = 0;
  /// Whatever else goes wrong there.
  virtual void drawMore() {}
  /// What a client of the core asks again and again after the faults, and what it has to be answered.
  virtual void drawProbe(ServerId probe, Millis first_ask, Millis every) = 0;

  // ---- what it is drawn with

  Draws drawsOf(std::uint8_t topic) { return Draws(choices_, topic); }
  /// Whether a fault or a setting is on in this run.
  bool has(std::uint8_t topic, std::int64_t FuzzKnobs::*knob);
  bool has(std::uint8_t topic, std::string_view setting);
  StepSpec::Does& at(Millis when);
  /// A client is asked something, in the family's own keys.
  void ask(Millis when, ServerId client, const Json& what, std::int64_t times = 1, Millis every = 0);
  static StepSpec after(Millis wait, StepSpec::Does does) { return {.after = wait, .does = std::move(does)}; }
  /// A step that stands at what happens, in the order of such steps.
  void add(StepSpec step) { steps_.push_back(std::move(step)); }
  /// Two different servers; asks two questions.
  std::pair<ServerId, ServerId> two(Draws& draws, int question);
  ServerId anyone(Draws& draws, int question) { return draws.of(question, servers_); }
  std::size_t quorum() const { return voters_.size() / 2 + 1; }
  /// Short or long; asks two questions.
  Millis lasting(Draws& draws, int question);
  /// Breaks all its connections, one after the other, and what is under way is lost.
  void loseConnections(CrashPoint point);

  static JsonValue json(Json value) { return JsonValue::fromJson(value, "drawn"); }
  static EventPattern pattern(Json value) { return {json(std::move(value))}; }
  static Ids ids(std::vector<ServerId> list) { return {std::move(list)}; }
  static Ids id(ServerId one) { return {{one}}; }

  static constexpr ServerId first_client = 101;
  static constexpr ServerId first_probe = 201;
  /// Longest that something lasts which ends by itself: a stop, a pause, a cut.
  static constexpr Millis longest_ms = 4000;

  Scenario& scenario() { return run_.scenario; }
  const std::vector<ServerId>& voters() const { return voters_; }
  const std::vector<ServerId>& servers() const { return servers_; }
  Millis chaosMs() const { return chaos_ms_; }
  Millis faultsEndMs() const { return run_.faults_end_ms; }
  Millis quiet_ms = 0;       ///< longer than anybody's silence is borne
  Millis slow_ms_max = 0;    ///< latency of a slow way
  Millis read_after_ms = 0;  ///< a probe's last request in a round comes so long after its first

 private:
  void drawShape();
  void drawSettings();
  void drawLateStart();
  void drawCrashPoints();
  void drawCrashPoint(Draws& draws);
  void drawFaults();
  void drawRecovery();
  template <class Place>
  void faults(std::uint8_t topic, std::int64_t FuzzKnobs::*knob, std::int64_t most, Place place);
  std::vector<std::vector<ServerId>> sidesOf(const std::vector<ServerId>& one) const;
  template <class Test>
  bool anyStep(Test test) const;

  const FuzzShape& shape_;
  Choices& choices_;
  const std::set<ServerId>& unable_;
  DrawnRun run_;
  std::vector<ServerId> voters_;
  std::vector<ServerId> servers_;
  Millis chaos_ms_ = 0;
  std::vector<StepSpec> steps_;  ///< at what happens
  std::vector<StepSpec> timed_;
};

}  // namespace zablab
