// A world in virtual time: a queue of (time, sequence) that jumps from event to event. Latencies, timers and
// faults are drawn from `Choices`; everything else follows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/binding.h"
#include "sim/choices.h"
#include "sim/direct.h"
#include "sim/world.h"

namespace zablab {

/// A range of virtual milliseconds, both ends included. The default choice is `lo`.
struct Range {
  Millis lo = 0;
  Millis hi = 0;
  bool operator==(const Range&) const = default;
};
BOOST_DESCRIBE_STRUCT(Range, (), (lo, hi))

/// The durations.
struct Timing {
  std::vector<Range> latency;  ///< by link: one way, between two servers
  Range dial{1, 10};           ///< from requesting a connection to having it, or being refused
  Range fsync{1, 10};
  Millis connect_timeout = 5000;              ///< after which a dial without an answer is given up
  std::map<std::pair<int, int>, Range> slow;  ///< latency of single directions, by indexes, on every link
  /// How many of a thousand datagrams that are sent before `datagrams_until`.
  std::int64_t lost_permille = 0;
  std::int64_t doubled_permille = 0;
  Millis datagrams_until = 0;
};

/// Thrown when a run does more at one instant than any run should: an exchange that may never end.
class EndlessRun : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class F>
class Simulator {
 public:
  using V = typename F::Vocabulary;
  using Timer = typename V::Timer;
  using Message = typename F::Message;
  /// Keeps a message on the wire (and, if the link is FIFO, the messages after it) until it is released.
  struct Hold {
    Link link = 0;
    int from = -1;
    int to = -1;
    std::function<bool(const Message&)> matches;
  };

  Simulator(const Cluster<F>& cluster, Timing timing, Choices& choices)
      : cluster_(cluster),
        timing_(std::move(timing)),
        choices_(choices),
        store_(cluster),
        world_(cluster, store_, *this),
        places_(cluster.ids.size(), cluster.links.size()),
        ways_(places_.count()),
        servers_(cluster.ids.size()) {}
  Simulator(const Simulator&) = delete;

  Millis now() const { return now_; }
  std::uint64_t applied() const { return applied_; }
  DirectStore<F>& store() { return store_; }
  const DirectStore<F>& store() const { return store_; }
  World<DirectStore<F>, Simulator>& world() { return world_; }
  void listen(Listener<F>& listener) { listeners_.push_back(&listener); }

  /// Calls `what` at virtual time `when` (now, if that has passed), after what was scheduled for then before.
  void at(Millis when, std::function<void()> what) {
    calls_.push_back(std::move(what));
    schedule(std::max(when, now_), What::call, static_cast<std::uint32_t>(calls_.size() - 1));
  }

  /// Performs everything that is due up to and including `end`; false if `stop` requested an earlier end.
  bool run(Millis end, const std::function<bool()>& stop = {}) {
    while (!queue_.empty() && queue_.top().time <= end) {
      const Entry next = queue_.top();
      queue_.pop();
      if (std::exchange(now_, next.time) != next.time) handled_now_ = 0;
      countHandled();
      happen(next);
      if (stop && stop()) return false;
    }
    now_ = std::max(now_, end);
    return true;
  }

  void apply(const Action<F>& action) {
    ++applied_;
    world_.apply(action);
    switch (action.kind) {
      case ActionKind::pause: servers_[at(action.a)].paused_at = now_; break;
      case ActionKind::resume: resume(action.a); break;
      case ActionKind::heal: retry(action.a, action.b); break;
      default: break;
    }
  }

  /// The process of server `i` dies immediately if a step of it is in progress, just after the effect being
  /// performed.
  void endProcess(int i, HowStopped how, bool in_flight = true, std::uint32_t unsynced = 0) {
    servers_[at(i)].end = {how, in_flight, unsynced};
  }
  bool inStep(int i) const { return stepping_ == i; }
  /// How a process ends just before an effect of its step.
  struct Ending {
    HowStopped how{};
    std::uint32_t unsynced = 0;  ///< writes that reach the disk although they were not synced
    bool half_written = false;   ///< the effect is a write, and it dies in the middle of it
  };
  /// Called before each effect of a step: whether the process ends there.
  std::function<std::optional<Ending>(int, const typename V::Effect&)> before_effect;
  /// Called for each write, when it is made or, if it is not blocking, when it would become durable: true
  /// makes it fail.
  std::function<bool(int, const typename F::Record&)> write_fails;

  void hold(Hold hold) { holds_.push_back(std::move(hold)); }
  /// Releases the holds that `which` names.
  void release(const std::function<bool(const Hold&)>& which) {
    std::erase_if(holds_, which);
    retry();
  }
  void setClockRate(int i, std::int64_t permille) {
    ServerTime& server = servers_[at(i)];
    server.clock = clockOf(server);
    server.clock_read = now_;
    server.clock_permille = permille;
  }
  void stallDisk(int i, bool stalled) {
    servers_[at(i)].stalled = stalled;
    if (!stalled && store_.disk(i).hasUnsynced()) unsynced(i);
  }

  /// Nothing arrives, fires or becomes durable by itself.
  bool led_by_hand = false;

  // ---- the world's environment

  static constexpr bool watches = true;

  void tell(Happened<F> happened) {
    happened.now = now_;
    switch (happened.kind) {
      case Kind::started:
      case Kind::delivered:
      case Kind::connected:
      case Kind::refused:
      case Kind::closed:
      case Kind::timer:
      case Kind::write_failed:
      case Kind::taken_up:
      case Kind::durable:
      case Kind::age:
      case Kind::asked: stepping_ = happened.node; break;
      case Kind::stopped: forget(happened.node); break;
      default: break;
    }
    for (Listener<F>* listener : listeners_) listener->on(happened);
    if (happened.kind == Kind::step_over) stepping_ = -1;
  }
  void sent(Link link, int from, int to, const Message& message, SentHow how) {
    const std::uint64_t number = next_message_++;
    put(link, from, to, number);
    tellSent(link, from, idOf(to), number, message, how);
    const bool copy = how == SentHow::copy;
    if (now_ < timing_.datagrams_until && !copy && cluster_.links[link] == LinkKind::datagram)
      decide(link, from, to, number);
  }
  void waiting(Link link, int from, int to, const Message& message) {
    const std::uint64_t number = next_message_++;
    wire(link, from, to).waiting = number;
    tellSent(link, from, idOf(to), number, message, SentHow::waiting);
  }
  void transmitted(Link link, int from, int to) {
    const std::uint64_t number = wire(link, from, to).waiting;
    put(link, from, to, number);
    tell({.kind = Kind::transmitted,
          .node = from,
          .link = link,
          .from = from,
          .to = idOf(to),
          .message = number,
          .content = &*store_.channel(link, from, to).wire.back()});
  }
  void loseWaiting(Link link, int from, int to, const Message& message, LossReason reason) {
    tellLost(link, from, idOf(to), wire(link, from, to).waiting, message, reason);
  }
  void sentInVain(Link link, int from, ServerId to, const Message& message, LossReason reason) {
    const std::uint64_t number = next_message_++;
    tellSent(link, from, to, number, message, SentHow::fresh);
    tellLost(link, from, to, number, message, reason);
  }
  void push(Link link, int from, int to) { put(link, from, to, 0); }
  void remove(Link link, int from, int to, std::size_t position) {
    auto& items = wire(link, from, to).items;
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(position));
  }
  void overtaken(Link link, int from, int to) {
    Wire& wire_to = wire(link, from, to);
    while (wire_to.items.front().message != 0) {
      wire_to.late.push_back(wire_to.items.front().message);
      wire_to.items.pop_front();
    }
    wire_to.items.pop_front();
  }
  std::uint64_t removeLate(Link link, int from, int to) {
    auto& late = wire(link, from, to).late;
    const std::uint64_t message = late.front();
    late.pop_front();
    return message;
  }
  std::uint64_t messageAt(Link link, int from, int to, std::size_t position) {
    return wire(link, from, to).items[position].message;
  }
  void dialling(Link link, int from, int to) {
    const std::size_t place = placeOf(link, from, to);
    Dial& dial = ways_[place].dial;
    dial.asked = now_;
    ++dial.generation;
    const Millis wait =
        choices_.within({ChoiceKind::dial, link, idOf(from), idOf(to)}, timing_.dial.lo, timing_.dial.hi);
    schedule(now_ + wait, What::dial, static_cast<std::uint32_t>(place), dial.generation);
    tell({.kind = Kind::dialled, .node = from, .link = link, .from = from, .to = idOf(to)});
  }
  void timerSet(int i, const Timer& timer, Millis lo, Millis hi) {
    ServerTime& server = servers_[at(i)];
    std::size_t slot = 0;
    while (slot < server.timers.size() && server.timers[slot].timer != timer) ++slot;
    if (slot == server.timers.size()) server.timers.push_back({.timer = timer, .subject = subjectOf(timer)});
    Alarm& alarm = server.timers[slot];
    if (lo < 0 || hi < lo) {
      throw BadStep("server " + std::to_string(idOf(i)) + " sets a timer to " + std::to_string(lo) + " to " +
                    std::to_string(hi) + " ms");
    }
    const Millis wait = choices_.within(
        {ChoiceKind::timer, static_cast<std::uint8_t>(timer.kind), idOf(i), alarm.subject}, lo, hi);
    alarm.active = true;
    // The wait times the rate is computed in parts, because both may be large.
    alarm.due = now_ + wait / 1000 * server.clock_permille + wait % 1000 * server.clock_permille / 1000;
    ring(i, slot);
    tell({.kind = Kind::timer_set, .node = i, .timer = timer});
  }
  void timerCancelled(int i, const Timer& timer) {
    for (Alarm& alarm : servers_[at(i)].timers) {
      if (alarm.timer == timer) alarm.active = false;
    }
  }
  void unsynced(int i) {
    ServerTime& server = servers_[at(i)];
    if (server.syncing || server.stalled) return;
    server.syncing = true;
    const Millis wait = choices_.within({ChoiceKind::fsync, 0, idOf(i)}, timing_.fsync.lo, timing_.fsync.hi);
    schedule(now_ + wait, What::sync, static_cast<std::uint32_t>(i), ++server.sync);
  }
  void flushed(int i) {
    servers_[at(i)].syncing = false;
    ++servers_[at(i)].sync;
  }
  bool endBefore(int i, const typename V::Effect& effect) {
    if (before_effect) {
      if (const auto end = before_effect(i, effect)) {
        const auto* write = get_if<typename V::Write>(&effect);
        if (end->half_written && write != nullptr) store_.writeHalf(i, write->record);
        endProcess(i, end->how, true, end->unsynced);
      }
    }
    return endAfter(i);
  }
  bool endAfter(int i) {
    auto& end = servers_[at(i)].end;
    if (!end) return false;
    const End last = *end;
    end.reset();
    if (!store_.isUp(i)) return false;
    world_.stop(i, last.how, last.in_flight && last.how != HowStopped::power_loss, last.unsynced);
    return true;
  }
  bool writeFails(int i, const typename F::Record& record) { return write_fails && write_fails(i, record); }
  void marked(int i, const typename V::MarkKey& key) {
    auto& marks = servers_[at(i)].marks;
    const auto found = findMark(marks, key);
    if (found != marks.end()) marks.erase(found);
    marks.emplace_back(key, clockOf(servers_[at(i)]));
  }
  void ageAsked(int i, const typename V::MarkKey& key) {
    ServerTime& server = servers_[at(i)];
    if (led_by_hand) return;
    const auto found = findMark(server.marks, key);
    const bool marked = found != server.marks.end();
    server.ages.push_back(marked ? std::optional(clockOf(server) - found->second) : std::nullopt);
  }
  /// The reading of its own clock. Time does not pass in a run by actions.
  Millis clock(int i) const { return led_by_hand ? 0 : clockOf(servers_[at(i)]); }
  /// The server gets the answers to what it asked now, before anything else.
  void awaiting(int i) {
    ServerTime& server = servers_[at(i)];
    if (led_by_hand || std::exchange(server.answering, true)) return;  // the outer call continues
    while (store_.awaits(i)) {
      countHandled();
      if (store_.awaitsDurable(i)) {
        apply({.kind = ActionKind::tell_durable, .a = i});
      } else {
        const auto age = server.ages.front();
        server.ages.pop_front();
        apply({.kind = ActionKind::tell_age, .a = i, .age = age});
      }
    }
    server.answering = false;
  }

 private:
  static constexpr std::uint64_t max_handled_at_once = 20'000;
  static constexpr std::uint64_t max_handled_per_node = 100;

  enum class What : std::uint8_t { arrive, dial, alarm, sync, call };
  struct Entry {
    Millis time = 0;
    std::uint64_t sequence = 0;
    std::uint32_t subject = 0;
    std::uint32_t detail = 0;
    What what{};
    bool operator>(const Entry& other) const {
      return time != other.time ? time > other.time : sequence > other.sequence;
    }
  };
  struct InFlight {
    std::uint64_t message = 0;
    Millis due = 0;
    std::uint64_t sequence = 0;  ///< the order of those that are due at the same time
    bool isBefore(const InFlight& other) const {
      return due != other.due ? due < other.due : sequence < other.sequence;
    }
  };
  struct Wire {
    std::deque<InFlight> items;  ///< parallel to the channel's own, item by item
    std::uint64_t waiting = 0;
    std::deque<std::uint64_t> late;  ///< messages from overtaken connections
  };
  struct Dial {
    Millis asked = 0;
    std::uint32_t generation = 0;
  };
  /// From one node to another, on one link.
  struct Way {
    Wire wire;
    Dial dial;
  };
  struct Alarm {
    Timer timer;
    ServerId subject = no_server;  ///< the part of a choice's address for its key
    Millis due = 0;
    Millis queued_for = -1;  ///< the time of its entry in the queue; -1: it has none
    bool active = false;
  };
  struct End {
    HowStopped how{};
    bool in_flight = true;  ///< what it sent still arrives
    std::uint32_t unsynced = 0;
  };
  struct ServerTime {
    std::vector<Alarm> timers;
    std::vector<std::pair<typename V::MarkKey, Millis>> marks;  ///< by its own clock
    Millis paused_at = 0;
    std::int64_t clock_permille = 1000;      ///< virtual milliseconds per second of its own clock
    Millis clock = 0;                        ///< its reading
    Millis clock_read = 0;                   ///< at this virtual time
    std::deque<std::optional<Millis>> ages;  ///< that it asked for and receives next
    bool answering = false;                  ///< it is receiving the answers to what it asked
    bool syncing = false;
    bool stalled = false;
    std::uint32_t sync = 0;  ///< number of the sync in progress
    std::optional<End> end;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> parked;  ///< dials that arrived while it was paused
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  ServerId idOf(int i) const { return cluster_.ids[at(i)]; }
  std::size_t placeOf(Link link, int from, int to) {
    const std::size_t place = places_.place(link, from, to);
    if (place >= ways_.size()) ways_.resize(place + 1);
    return place;
  }
  Wire& wire(Link link, int from, int to) { return ways_[placeOf(link, from, to)].wire; }

  void countHandled() {
    const std::uint64_t most = std::max(max_handled_at_once, max_handled_per_node * cluster_.ids.size());
    if (++handled_now_ <= most) return;
    throw EndlessRun("more than " + std::to_string(most) + " events at " + std::to_string(now_) +
                     " ms: an endless exchange");
  }

  /// A server's own clock continues while its process is paused: only the process stops.
  Millis clockOf(const ServerTime& server) const {
    const Millis passed = now_ - server.clock_read;  // in parts, because both may be large
    return server.clock + passed / server.clock_permille * 1000 +
           passed % server.clock_permille * 1000 / server.clock_permille;
  }
  template <class Marks>
  static auto findMark(Marks& marks, const typename V::MarkKey& key) {
    return std::find_if(marks.begin(), marks.end(), [&](const auto& mark) { return mark.first == key; });
  }
  /// A peer is a server's id. For a key type of the family, it is a hash of the key's content, and has a
  /// name.
  ServerId subjectOf(const Timer& timer) {
    if constexpr (requires { Steps<F>::subjectOf(cluster_, timer.key); }) {
      const auto [subject, name] = Steps<F>::subjectOf(cluster_, timer.key);
      if (!name.empty()) choices_.nameSubject(subject, name);
      return subject;
    } else if constexpr (std::is_same_v<typename V::TimerKey, ServerId>) {
      return timer.key;
    } else {
      if (timer.key == noTimerKey<typename V::TimerKey>()) return no_server;
      const auto subject = static_cast<ServerId>(contentHash(timer.key));
      choices_.nameSubject(subject, Binding<F>::timerKeyName(timer.key));
      return subject;
    }
  }

  void schedule(Millis time, What what, std::uint32_t subject, std::uint32_t detail = 0) {
    queue_.push({time, next_sequence_++, subject, detail, what});
  }

  void happen(const Entry& entry) {
    if (led_by_hand && entry.what != What::call) return;
    switch (entry.what) {
      case What::arrive:
        // An attempt that delivers nothing leads to nothing: however many there are, they end.
        if (!arrive(entry.subject)) --handled_now_;
        return;
      case What::dial: return reach(entry.subject, entry.detail);
      case What::alarm: return alarm(static_cast<int>(entry.subject), entry.detail);
      case What::sync: return syncDue(static_cast<int>(entry.subject), entry.detail);
      case What::call: {
        const auto call = std::move(calls_[entry.subject]);
        return call();
      }
    }
  }

  // ---- messages

  void tellSent(Link link, int from, ServerId to, std::uint64_t number, const Message& message, SentHow how) {
    tell({.kind = Kind::sent,
          .node = from,
          .link = link,
          .from = from,
          .to = to,
          .message = number,
          .content = &message,
          .how = how});
  }
  void tellLost(Link link, int from, ServerId to, std::uint64_t number, const Message& message,
                LossReason reason) {
    tell({.kind = Kind::lost,
          .link = link,
          .from = from,
          .to = to,
          .message = number,
          .content = &message,
          .reason = reason});
  }

  void put(Link link, int from, int to, std::uint64_t number) {
    Millis latency = 0;
    if (from != to) {
      const auto slow = timing_.slow.find({from, to});
      const Range range = slow == timing_.slow.end() ? timing_.latency[link] : slow->second;
      latency = choices_.within({ChoiceKind::latency, link, idOf(from), idOf(to)}, range.lo, range.hi);
    }
    Wire& wire_to = wire(link, from, to);
    Millis due = now_ + latency;
    if (cluster_.links[link] != LinkKind::datagram && !wire_to.items.empty()) {
      due = std::max(due, wire_to.items.back().due);
    }
    wire_to.items.push_back({number, due, next_sequence_});
    schedule(due, What::arrive, static_cast<std::uint32_t>(placeOf(link, from, to)));
  }

  /// Whether a datagram that was just sent is lost, or arrives twice; that happens when the step is over.
  /// There is no network from a node to itself.
  void decide(Link link, int from, int to, std::uint64_t number) {
    if (from == to) return;
    const std::int64_t drawn = choices_.within({ChoiceKind::datagram, link, idOf(from), idOf(to)}, 0, 999);
    const bool lost = drawn >= 1000 - timing_.lost_permille;
    const bool doubled = !lost && drawn >= 1000 - timing_.lost_permille - timing_.doubled_permille;
    if (!lost && !doubled) return;
    at(now_, [this, kind = lost ? ActionKind::drop : ActionKind::duplicate, link, from, to, number] {
      const auto& items = wire(link, from, to).items;
      const auto found = std::find_if(items.begin(), items.end(),
                                      [number](const InFlight& item) { return item.message == number; });
      if (found == items.end()) return;  // it took no time
      apply({.kind = kind,
             .link = link,
             .a = from,
             .b = to,
             .position = static_cast<std::uint32_t>(found - items.begin())});
    });
  }

  bool isHeld(Link link, int from, int to, const std::optional<Message>& item) const {
    return std::any_of(holds_.begin(), holds_.end(), [&](const Hold& hold) {
      return hold.link == link && hold.from == from && hold.to == to && item &&
             (!hold.matches || hold.matches(*item));
    });
  }

  /// False: nothing could be delivered.
  bool arrive(std::size_t place) {
    const auto [link, from, to] = places_.pairAt(place);
    const Wire& wire_to = ways_[place].wire;
    const auto& items = wire_to.items;
    const bool in_order = cluster_.links[link] != LinkKind::datagram;
    std::optional<std::size_t> first;  // of those that may arrive
    for (std::size_t position = 0; position < items.size(); ++position) {
      const bool ready = items[position].due <= now_ &&
                         !isHeld(link, from, to, store_.channel(link, from, to).wire[position]);
      if (ready && (!first || items[position].isBefore(items[*first]))) first = position;
      if (in_order) break;
    }
    if (!first) return false;
    if (world_.canDeliver(link, from, to)) {
      apply({.kind = ActionKind::deliver,
             .link = link,
             .a = from,
             .b = to,
             .position = static_cast<std::uint32_t>(*first)});
      return true;
    }
    if (store_.isUp(to)) return false;
    world_.loseArriving(link, from, to, *first);  // a datagram to a process that is not running
    return true;
  }

  /// Tries again to deliver what could not be read so far, in all directions or one: a process was resumed or
  /// ended, a direction was healed, a hold was released. It is read in the order in which it arrived, whoever
  /// sent it. Nothing waits for a start: what arrives at a server that is down is lost.
  void retry(int from = -1, int to = -1) {
    std::vector<std::pair<InFlight, std::size_t>> arrived;
    const auto look = [&](std::size_t place) {
      for (const InFlight& item : ways_[place].wire.items) {
        if (item.due <= now_) arrived.emplace_back(item, place);
      }
    };
    if (to < 0) {
      for (std::size_t place = 0; place < ways_.size(); ++place) {
        if (from < 0 || places_.pairAt(place).from == from) look(place);
      }
    } else {
      const int first = from < 0 ? 0 : from;
      const int end = from < 0 ? store_.size() : from + 1;
      for (Link link = 0; link < cluster_.links.size(); ++link) {
        for (int i = first; i < end; ++i) {
          if (const std::size_t place = places_.find(link, i, to); place < ways_.size()) look(place);
        }
      }
    }
    std::sort(arrived.begin(), arrived.end(),
              [](const auto& a, const auto& b) { return a.first.isBefore(b.first); });
    for (const auto& [item, place] : arrived) schedule(now_, What::arrive, static_cast<std::uint32_t>(place));
  }

  // ---- connections

  void reach(std::size_t place, std::uint32_t generation) {
    const auto [link, from, to] = places_.pairAt(place);
    const Dial& dial = ways_[place].dial;
    if (dial.generation != generation || !world_.isDialling(link, from, to)) return;
    if (store_.isPaused(from)) {
      servers_[at(from)].parked.push_back({static_cast<std::uint32_t>(place), generation});
      return;
    }
    if (world_.reaches(from, to) && world_.reaches(to, from) && !store_.isPaused(to)) {
      return apply({.kind = ActionKind::dial, .link = link, .a = from, .b = to});
    }
    // No answer: TCP retries after one and three seconds.
    const Millis elapsed = now_ - dial.asked;
    if (elapsed >= timing_.connect_timeout) {
      return apply({.kind = ActionKind::give_up, .link = link, .a = from, .b = to});
    }
    const Millis next = elapsed < 1000 ? 1000 : elapsed < 3000 ? 3000 : timing_.connect_timeout;
    schedule(dial.asked + std::min(next, timing_.connect_timeout), What::dial,
             static_cast<std::uint32_t>(place), generation);
  }

  // ---- timers and disks

  /// Ensures that the queue has an entry for the alarm no later than it is due.
  void ring(int i, std::size_t slot) {
    Alarm& alarm = servers_[at(i)].timers[slot];
    if (alarm.queued_for >= 0 && alarm.queued_for <= alarm.due) return;
    alarm.queued_for = alarm.due;
    schedule(alarm.due, What::alarm, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(slot));
  }

  void alarm(int i, std::size_t slot) {
    Alarm& alarm = servers_[at(i)].timers[slot];
    if (alarm.queued_for != now_) return;  // a later entry was replaced by an earlier one
    alarm.queued_for = -1;
    if (!alarm.active || store_.isPaused(i)) return;
    if (alarm.due > now_) return ring(i, slot);
    alarm.active = false;
    const Timer timer = alarm.timer;
    apply({.kind = ActionKind::fire, .a = i, .timer = timer});
  }

  void syncDue(int i, std::uint32_t sync) {
    ServerTime& server = servers_[at(i)];
    if (server.sync != sync) return;
    server.syncing = false;
    if (server.stalled || !store_.disk(i).hasUnsynced()) return;
    if (store_.isPaused(i)) return;
    const bool fails = write_fails && write_fails(i, get<typename F::Record>(store_.disk(i).queue.front()));
    apply({.kind = fails ? ActionKind::fail_write : ActionKind::sync, .a = i});
  }

  void resume(int i) {
    ServerTime& server = servers_[at(i)];
    const Millis frozen = now_ - server.paused_at;
    for (std::size_t slot = 0; slot < server.timers.size(); ++slot) {
      if (!server.timers[slot].active) continue;
      server.timers[slot].due += frozen;
      ring(i, slot);
    }
    for (const auto& [place, generation] : std::exchange(server.parked, {})) {
      schedule(now_, What::dial, place, generation);
    }
    if (store_.disk(i).hasUnsynced()) unsynced(i);
    retry(-1, i);
  }

  void forget(int i) {
    ServerTime& server = servers_[at(i)];
    for (Alarm& alarm : server.timers) alarm.active = false;
    server.marks.clear();
    server.ages.clear();
    if (store_.isPaused(i)) retry(-1, i);  // what arrived in the meantime is lost with the process
    flushed(i);
    server.end.reset();
    server.parked.clear();
  }

  const Cluster<F>& cluster_;
  Timing timing_;
  Choices& choices_;
  DirectStore<F> store_;
  World<DirectStore<F>, Simulator> world_;
  std::vector<Listener<F>*> listeners_;
  PairPlaces places_;
  std::vector<Way> ways_;  ///< by place
  std::vector<ServerTime> servers_;
  std::vector<Hold> holds_;
  std::vector<std::function<void()>> calls_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  std::uint64_t next_sequence_ = 0;
  std::uint64_t next_message_ = 1;
  std::uint64_t applied_ = 0;
  std::uint64_t handled_now_ = 0;  ///< entries of the queue at the present instant that had an effect
  Millis now_ = 0;
  int stepping_ = -1;
};

}  // namespace zablab
