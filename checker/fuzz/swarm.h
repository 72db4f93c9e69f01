// Draws random runs as scenarios: the servers and clients, their initial state, the clients' requests, the
// faults. What is the same for every family is here; a family's own class adds its specific parts.
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
/// When, after the faults, the clients that probe the core turn to their servers.
inline constexpr Millis probes_after_ms = 400;
/// When, after that, the first of them makes its requests.
inline constexpr Millis first_ask_ms = 100;
/// Time from one probe's requests to the next one's: somewhat longer than the slowest fsync.
inline constexpr Millis probe_every_ms = 250;

/// Draws of one topic. Each question has a separate number, so that an additional draw changes no other.
class Draws {
 public:
  /// `topic`: the name of the questions in addresses.
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
  /// In a randomly drawn order.
  std::vector<ServerId> shuffled(int question, std::vector<ServerId> ids);

 private:
  Choices& choices_;
  std::uint8_t topic_;
};

class Swarm {
 public:
  /// Servers of `unable` are not chosen for the core: the others must contain a quorum of the voters.
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

  /// A kind of step of one server, and its ordinal number: the point at which a fault strikes.
  struct CrashPoint {
    ServerId where = 0;
    When when;
    bool writes = false;
    bool sends = false;
    int kind = 0;  ///< the family's own; 0: none
  };

  // ---- what a family defines

  /// The link that carries messages of the protocol, and a second one, if there is one.
  virtual std::string mainLink() const = 0;
  virtual std::string otherLink() const { return {}; }
  /// Types of messages on the main link that are held back, or at which faults strike; the usual ones more
  /// often.
  virtual std::vector<std::string> clogged() const = 0;
  virtual std::vector<std::string> struck() const = 0;
  virtual std::array<int, 4> voterCounts() const { return {3, 4, 5, 5}; }
  /// How many servers there are that do not vote, the least number first.
  virtual std::array<int, 5> observerCounts() const { return {0, 0, 0, 1, 2}; }
  /// No core serves without them: they all belong to it, and there is no run with fewer.
  virtual bool needsObservers() const { return false; }
  /// One that does not vote and does not come back: it does not belong to the core.
  virtual bool isLost(ServerId) const { return false; }
  /// Fields of every server's configuration; sets `quiet_ms`, `slow_ms_max` and, if a probe's requests follow
  /// each other, `read_after_ms`. Latencies are drawn.
  virtual Json drawConfig() = 0;
  /// The content of the disks, or that the servers already run. True: no server starts late.
  virtual bool drawBeginning() { return false; }
  virtual CrashPoint drawPlace(Draws& draws) = 0;
  /// The family's fault for one of its own places. False: one of the general faults strikes.
  virtual bool strike(Draws&, CrashPoint&, std::int64_t /*what*/) { return false; }
  /// Messages use connections, which may break.
  virtual bool hasConnections() const { return true; }
  /// The request by which a client turns to a server; null: clients turn to none.
  virtual Json turn(ServerId /*server*/) const { return nullptr; }
  /// The fields of a server that does not vote, besides its id; null: all vote.
  virtual Json observer() const { return nullptr; }
  /// The least number of voters in a core.
  virtual std::size_t coreMin() const { return quorum(); }
  virtual void drawWorkload() = 0;
  /// Further faults of the family.
  virtual void drawMore() {}
  /// The repeated requests of a client of the core after the faults, and the answers it must get.
  virtual void drawProbe(ServerId probe, Millis first_ask, Millis every) = 0;

  // ---- means of drawing

  Draws drawsOf(std::uint8_t topic) { return Draws(choices_, topic); }
  /// Whether a fault or a setting is on in this run.
  bool has(std::uint8_t topic, std::int64_t FuzzKnobs::*knob);
  bool has(std::uint8_t topic, std::string_view setting);
  StepSpec::Does& at(Millis when);
  /// A request to a client, in the family's own keys.
  void ask(Millis when, ServerId client, const Json& what, std::int64_t times = 1, Millis every = 0,
           bool closed = false);
  static StepSpec after(Millis wait, StepSpec::Does does) { return {.after = wait, .does = std::move(does)}; }
  /// A fault that strikes at one of the first `nth_max` such events. Asks question 9.
  CrashPoint placedAt(Draws& draws, CrashPoint point, Json event, std::int64_t nth_max = 4);
  /// A client of the core has to receive such an answer.
  void expectAnswer(Json event, std::string because = "a core that is whole serves within 180 s");
  /// One ends, stands still, or is cut off from `others`, from `earliest` on or later, for at least
  /// `least_ms` unless faults end before that. Asks three questions.
  void takeAway(Draws& draws, int question, ServerId who, const std::vector<ServerId>& others,
                Millis earliest, Millis least_ms = 300);
  /// In both directions.
  void cutBetween(ServerId one, ServerId other, Millis when, Millis end);
  /// A step that is placed at an event, in the order of such steps.
  void add(StepSpec step) { steps_.push_back(std::move(step)); }
  /// Two different servers; asks two questions.
  std::pair<ServerId, ServerId> two(Draws& draws, int question);
  ServerId anyone(Draws& draws, int question) { return draws.of(question, servers_); }
  std::size_t quorum() const { return voters_.size() / 2 + 1; }
  /// Short or long; asks two questions.
  Millis lasting(Draws& draws, int question);
  /// Breaks all its connections, one after the other; what is in transit is lost.
  void loseConnections(CrashPoint point);

  static JsonValue json(Json value) { return JsonValue::fromJson(value, "drawn"); }
  static EventPattern pattern(Json value) { return {json(std::move(value))}; }
  static std::vector<std::string> names(const std::vector<std::string_view>& list) {
    return {list.begin(), list.end()};
  }
  static Ids ids(std::vector<ServerId> list) { return {std::move(list)}; }
  static Ids id(ServerId one) { return {{one}}; }

  static constexpr ServerId first_client = 101;
  static constexpr ServerId first_probe = 201;
  /// The longest duration of a fault that ends by itself: a stop, a pause, a cut.
  static constexpr Millis longest_ms = 4000;

  Scenario& scenario() { return run_.scenario; }
  const std::vector<ServerId>& voters() const { return voters_; }
  const std::vector<ServerId>& servers() const { return servers_; }
  Millis chaosMs() const { return chaos_ms_; }
  Millis faultsEndMs() const { return run_.faults_end_ms; }
  Millis quiet_ms = 0;       ///< longer than any limit on silence
  Millis slow_ms_max = 0;    ///< latency of a slow direction
  Millis read_after_ms = 0;  ///< time from a probe's first request in a round to its last

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
  std::vector<StepSpec> steps_;  ///< placed at events
  std::vector<StepSpec> timed_;
};

}  // namespace zablab
