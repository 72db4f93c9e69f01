// The meaning of links, disks, timers and faults: written once, for every store and every way of choosing
// what comes next.
//
// The path of a message. A node's Send goes (1) into its disk's queue, if it must wait for a write or for an
// earlier send on the same connection that waits there; (2) into the slot of a slot link, while there is no
// connection; (3) onto the wire; (4) to the other node, by a deliver action. Wherever it is dropped instead,
// the environment is notified of the reason.
//
// A connection is a bit for the pair and two channels. Closing is a token in the channel, read after what was
// in flight; it is never answered by closing. What is sent to a node that has already closed is lost: a send
// from i to j is dropped when the connection is not open, or when there is an unread token in j -> i. These
// rules replace numbers of incarnations. Two connections are read one after the other, unless the later one
// overtakes the earlier one (TCP sent something again): then what is left of the earlier one is late. A cut
// holds back what is on the wire (TCP would retransmit it) and lets dials fail.
#pragma once

#include <array>
#include <cassert>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "protocol/variant.h"
#include "sim/action.h"
#include "sim/direct.h"
#include "sim/happened.h"
#include "sim/store.h"

namespace zablab {

/// The driver of a world. It is notified of everything in the order in which it is done, keeps what belongs
/// to time (when a message arrives, when a timer fires), numbers the messages, and may end a process between
/// two effects of one step.
template <class E, class F>
concept Environment = requires(E env, const Happened<F>& happened, Link link, int i, int j, ServerId id,
                               std::size_t position, Millis ms, const typename F::Message& message,
                               SentHow how, LossReason reason, const typename F::Vocabulary::Effect& effect,
                               const typename F::Vocabulary::Timer& timer, const typename F::Record& record,
                               const typename F::Vocabulary::MarkKey& mark) {
  { E::watches } -> std::convertible_to<bool>;  ///< false: it is notified of nothing, and ends nothing
  env.tell(happened);
  env.sent(link, i, j, message, how);            ///< it is last on the wire i -> j
  env.waiting(link, i, j, message);              ///< it waits in the slot for a connection
  env.transmitted(link, i, j);                   ///< what waited is last on the wire
  env.loseWaiting(link, i, j, message, reason);  ///< what waited is lost
  env.sentInVain(link, i, id, message, reason);  ///< it was never in a slot or on a wire
  env.push(link, i, j);                          ///< a closing token is last on the wire
  env.remove(link, i, j, position);              ///< this item left the wire
  { env.messageAt(link, i, j, position) } -> std::same_as<std::uint64_t>;
  env.overtaken(link, i, j);  ///< what is on the wire before the first token is late; the token is removed
  { env.removeLate(link, i, j) } -> std::same_as<std::uint64_t>;  ///< the first late message's number
  env.dialling(link, i, j);
  env.timerSet(i, timer, ms, ms);
  env.timerCancelled(i, timer);
  env.unsynced(i);                                      ///< i's disk has something to sync
  env.flushed(i);                                       ///< it no longer has
  { env.endBefore(i, effect) } -> std::same_as<bool>;   ///< the process was ended just before this effect
  { env.endAfter(i) } -> std::same_as<bool>;            ///< or just after the last effect
  { env.writeFails(i, record) } -> std::same_as<bool>;  ///< whether a write that is waited for fails
  env.marked(i, mark);                                  ///< the reading of i's clock is to be stored
  env.ageAsked(i, mark);                                ///< the time since then is asked for
  env.awaiting(i);  ///< i asked for something that it receives before anything else happens at it
};

template <class StoreType, class Env>
class World {
 public:
  using F = typename StoreType::Family;
  using V = typename F::Vocabulary;
  using Message = typename V::Message;
  using Timer = typename V::Timer;

  World(const ClusterShape& cluster, StoreType& store, Env& env)
      : cluster_(cluster), store_(store), env_(env) {}

  void apply(const Action<F>& action) {
    dies_ = action.dies;
    dies_in_flight_ = action.in_flight;
    perform(action);
    dies_ = {};
  }

  // ---- guards

  bool reaches(int from, int to) const { return from == to || !isCut(from, to); }
  bool canDeliver(Link link, int from, int to) const {
    return !store_.isEmpty(link, from, to) && reaches(from, to) && store_.isUp(to) && !store_.isPaused(to);
  }
  bool canOvertake(Link link, int from, int to) const {
    return cluster_.links[link] == LinkKind::tcp && store_.hasNextConnection(link, from, to) &&
           canDeliver(link, from, to);
  }
  bool canDeliverLate(Link link, int from, int to) const {
    return store_.firstLate(link, from, to) && reaches(from, to) && store_.isUp(to) && !store_.isPaused(to);
  }
  bool isDialling(Link link, int from, int to) const {
    return store_.holds(Relation::dialling, link, from, to);
  }
  bool isOpen(Link link, int a, int b) const { return store_.holds(Relation::open, link, a, b); }

  /// Every action of the protocol itself that could come next: deliveries, dials, timers, syncs. The caller
  /// adds faults, and also the answers that servers receive immediately. `visit(action)`.
  template <class Visit>
  void enabled(Visit&& visit) const {
    const int n = store_.size();
    for (Link link = 0; link < cluster_.links.size(); ++link) {
      for (int from = 0; from < n; ++from) {
        for (int to = 0; to < n; ++to) {
          if (canDeliver(link, from, to))
            visit(Action<F>{.kind = ActionKind::deliver, .link = link, .a = from, .b = to});
          if (isDialling(link, from, to) && store_.isUp(from) && !store_.isPaused(from)) {
            visit(Action<F>{.kind = ActionKind::dial, .link = link, .a = from, .b = to});
          }
        }
      }
    }
    for (int i = 0; i < n; ++i) {
      if (!store_.isUp(i) || store_.isPaused(i)) continue;
      store_.forEachTimer(
          i, [&](const Timer& timer) { visit(Action<F>{.kind = ActionKind::fire, .a = i, .timer = timer}); });
      if (store_.hasUnsynced(i)) visit(Action<F>{.kind = ActionKind::sync, .a = i});
    }
  }

  // ---- the protocol's own actions

  void deliver(Link link, int from, int to, std::size_t position = 0) {
    std::optional<Message> item = store_.take(link, from, to, position);
    if (!item) {
      begin({.kind = Kind::closed, .node = to, .link = link, .from = to, .to = idOf(from)});
      env_.remove(link, from, to, position);
      return run(to, typename V::Disconnected{link, idOf(from)});
    }
    begin({.kind = Kind::delivered,
           .node = to,
           .link = link,
           .from = from,
           .to = idOf(to),
           .message = env_.messageAt(link, from, to, position),
           .content = &*item});
    env_.remove(link, from, to, position);
    run(to, typename V::Received{link, idOf(from), std::move(*item)});
  }

  /// A message of the next connection of `from` is read before the previous one has been read to its end. The
  /// end of the previous connection is no longer reported.
  void overtake(Link link, int from, int to) {
    store_.change(link, from, to, ChannelChange::overtake, {});
    env_.overtaken(link, from, to);
    deliver(link, from, to);
  }
  void deliverLate(Link link, int from, int to) {
    Message message = *store_.firstLate(link, from, to);
    store_.change(link, from, to, ChannelChange::take_late, {});
    begin({.kind = Kind::delivered,
           .node = to,
           .link = link,
           .from = from,
           .to = idOf(to),
           .message = env_.removeLate(link, from, to),
           .content = &message,
           .late = true});
    run(to, typename V::Received{link, idOf(from), std::move(message), true});
  }

  /// A dial reaches the other machine: the connection opens if the process there accepts dials.
  void dial(Link link, int from, int to) {
    if (!store_.isUp(to) || !store_.accepts(to, link)) return refuse(link, from, to);
    stopDialling(link, from, to);
    if (!isOpen(link, from, to)) open(link, from, to);
    begin({.kind = Kind::connected, .node = from, .link = link, .from = from, .to = idOf(to)});
    if (isSlot(cluster_.links[link])) return over(from);
    run(from, typename V::Connected{link, idOf(to)});
  }

  void refuse(Link link, int from, int to) {
    stopDialling(link, from, to);
    begin({.kind = Kind::refused, .node = from, .link = link, .from = from, .to = idOf(to)});
    if (isSlot(cluster_.links[link])) return over(from);
    run(from, typename V::Refused{link, idOf(to)});
  }

  void fire(int i, const Timer& timer) {
    store_.disarm(i, timer);
    begin({.kind = Kind::timer, .node = i, .timer = timer});
    run(i, typename V::Fired{timer, nothingDelivered(i)});
  }

  void sync(int i) {
    if (syncOne(i) && store_.hasUnsynced(i)) env_.unsynced(i);
    answer(i);
  }

  /// A server receives the answers to what it asked; durable notifications come before ages.
  void tellDurable(int i) {
    if constexpr (V::asks_world) {
      const auto key = store_.takeDurable(i);
      begin({.kind = Kind::durable, .node = i, .durable_key = &key});
      run(i, typename V::NowDurable{key});
    }
  }
  void tellAge(int i, std::optional<Millis> age) {
    if constexpr (V::asks_world) {
      const auto key = store_.takeAge(i);
      begin({.kind = Kind::age, .node = i, .mark = &key, .age = age});
      run(i, typename V::Age{key, age});
    }
  }

  /// A client is instructed to do something.
  void ask(int i, const typename F::Request& request) {
    begin({.kind = Kind::asked, .node = i, .request = &request});
    run(i, typename V::Asked{request});
  }

  void doOwnAction(int i, int peer) {
    begin({.kind = Kind::taken_up, .node = i});
    run(i, typename V::OwnAction{idOf(peer), store_.shown(peer)});
  }

  /// What waits after the failed write is never written: the writer of the queue stops there.
  void failWrite(int i) {
    const auto record = store_.oldestUnsynced(i);
    store_.clearQueue(i);
    begin({.kind = Kind::write_failed, .node = i, .record = &record});
    run(i, typename V::WriteFailed{record});
  }

  // ---- processes

  void start(int i) {
    assert(!store_.isUp(i));
    store_.boot(i);
    const auto image = store_.image(i);
    begin({.kind = Kind::started, .node = i, .disk = &image});
    for (Link link = 0; link < cluster_.links.size(); ++link) tellOfLostPower(link, i);
    run(i, typename V::Start{image});
  }

  /// The process already runs, in the state it was given: its role's timers and connections are set up.
  void takeUp(int i) {
    const auto image = store_.image(i);
    begin({.kind = Kind::taken_up, .node = i, .disk = &image});
    run(i, typename V::TakeUp{});
  }

  /// The server does now what it would do by itself eventually (look for a leader again).
  void prompt(int i) {
    begin({.kind = Kind::taken_up, .node = i});
    run(i, typename V::Prompt{});
  }

  /// `in_flight`: what it sent still arrives. `unsynced`: how many unsynced writes a power loss leaves on the
  /// disk; a process that merely dies leaves them all with the kernel.
  void stop(int i, HowStopped how, bool in_flight, std::uint32_t unsynced, std::string_view why = {}) {
    env_.tell({.kind = Kind::stopped, .node = i, .stopped = how, .why = why});
    const int n = store_.size();
    for (Link link = 0; link < cluster_.links.size(); ++link) {
      clear(link, i, i, LossReason::sender_down);
      for (int j = 0; j < n; ++j) {
        if (j == i) continue;
        stopDialling(link, i, j);
        if (cluster_.links[link] == LinkKind::datagram) continue;
        if (cluster_.links[link] == LinkKind::bounded) {
          clear(link, i, j, LossReason::sender_down);
          clear(link, j, i, LossReason::receiver_down);
          continue;
        }
        loseUnsent(link, i, j);
        clear(link, j, i, LossReason::receiver_down);
        clearLate(link, j, i, LossReason::receiver_down);
        // The end of an earlier connection may not have been read yet: it is not lost with the rest.
        const bool ends = isOpen(link, i, j) || (!in_flight && store_.hasClose(link, i, j));
        if (!in_flight) {
          clear(link, i, j, LossReason::sender_down);
          clearLate(link, i, j, LossReason::sender_down);
        }
        relate(Relation::half_open, link, j, i, false);
        if (!ends) continue;
        setOpen(link, i, j, false);
        if (how == HowStopped::power_loss) {
          relate(Relation::half_open, link, i, j, true);
        } else {
          pushClose(link, i, j);
        }
      }
    }
    const auto all = std::numeric_limits<std::uint32_t>::max();
    for (const auto& record : store_.endDisk(i, how == HowStopped::power_loss ? unsynced : all)) {
      env_.tell({.kind = Kind::synced, .node = i, .record = &record});
    }
    store_.crash(i);
  }

  void pause(int i, bool paused) {
    store_.setPaused(i, paused);
    env_.tell({.kind = paused ? Kind::paused : Kind::resumed, .node = i});
  }

  void wipe(int i) {
    store_.wipe(i);
    env_.tell({.kind = Kind::wiped, .node = i});
  }

  // ---- the network

  void cut(int from, int to, bool cut) {
    if (isCut(from, to) == cut) return;
    relate(Relation::cut, 0, from, to, cut);
    env_.tell({.kind = cut ? Kind::cut : Kind::healed, .from = from, .to = idOf(to)});
  }

  /// The connection breaks: both ends read on to the end of what is in flight, or lose it, and then learn of
  /// it.
  void disrupt(Link link, int a, int b, bool in_flight) {
    if (!isOpen(link, a, b)) return;
    env_.tell({.kind = Kind::broken, .link = link, .from = a, .to = idOf(b)});
    setOpen(link, a, b, false);
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
      if (!in_flight) clear(link, from, to, LossReason::connection_broken);
      pushClose(link, from, to);
    }
  }

  /// A datagram arrived at a process that is not running.
  void loseArriving(Link link, int from, int to, std::size_t position) {
    lose(link, from, to, position, LossReason::receiver_down);
  }

  void drop(Link link, int from, int to, std::size_t position) {
    lose(link, from, to, position, LossReason::dropped);
  }

  void duplicate(Link link, int from, int to, std::size_t position) {
    push(link, from, to, store_.itemAt(link, from, to, position), SentHow::copy);
  }

  /// A scripted server sends a message.
  void inject(int from, Link link, ServerId to, Message message) {
    transmit(from, link, to, std::move(message));
  }

  /// A slot link's last message is sent once more.
  void repeatLast(Link link, int from, int to) {
    const auto last = store_.last(link, from, to);
    if (last && isOpen(link, from, to)) push(link, from, to, *last, SentHow::again);
  }

  /// Connections that are open from the start.
  void open(Link link, int a, int b) {
    setOpen(link, a, b, true);
    relate(Relation::half_open, link, a, b, false);
    relate(Relation::half_open, link, b, a, false);
    if (!isSlot(cluster_.links[link])) return;
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
      if (store_.unsent(link, from, to)) {
        replaceUnread(link, from, to);
        store_.change(link, from, to, ChannelChange::send_unsent, {});
        if (cluster_.links[link] == LinkKind::newest)
          store_.change(link, from, to, ChannelChange::forget, {});
        env_.transmitted(link, from, to);
      } else {
        repeatLast(link, from, to);
      }
    }
  }

 private:
  static constexpr bool watched = Env::watches;

  void perform(const Action<F>& action) {
    switch (action.kind) {
      case ActionKind::deliver: return deliver(action.link, action.a, action.b, action.position);
      case ActionKind::overtake: return overtake(action.link, action.a, action.b);
      case ActionKind::deliver_late: return deliverLate(action.link, action.a, action.b);
      case ActionKind::dial: return dial(action.link, action.a, action.b);
      case ActionKind::give_up: return refuse(action.link, action.a, action.b);
      case ActionKind::fire: return fire(action.a, action.timer);
      case ActionKind::sync: return sync(action.a);
      case ActionKind::fail_write: return failWrite(action.a);
      case ActionKind::start: return start(action.a);
      case ActionKind::stop: return stop(action.a, HowStopped::stop, true, 0);
      case ActionKind::kill: return stop(action.a, HowStopped::kill, action.in_flight, 0);
      case ActionKind::lose_power: return stop(action.a, HowStopped::power_loss, false, action.unsynced);
      case ActionKind::pause: return pause(action.a, true);
      case ActionKind::resume: return pause(action.a, false);
      case ActionKind::wipe: return wipe(action.a);
      case ActionKind::cut: return cut(action.a, action.b, true);
      case ActionKind::heal: return cut(action.a, action.b, false);
      case ActionKind::disrupt: return disrupt(action.link, action.a, action.b, action.in_flight);
      case ActionKind::drop: return drop(action.link, action.a, action.b, action.position);
      case ActionKind::duplicate: return duplicate(action.link, action.a, action.b, action.position);
      case ActionKind::ask: return ask(action.a, action.request);
      case ActionKind::own: return doOwnAction(action.a, action.b);
      case ActionKind::tell_durable: return tellDurable(action.a);
      case ActionKind::tell_age: return tellAge(action.a, action.age);
    }
  }

  ServerId idOf(int i) const { return cluster_.ids[static_cast<std::size_t>(i)]; }
  bool isCut(int from, int to) const { return store_.holds(Relation::cut, 0, from, to); }
  void relate(Relation relation, Link link, int a, int b, bool value) {
    store_.relate(relation, link, a, b, value);
  }

  // ---- steps

  void begin(const Happened<F>& happened) { env_.tell(happened); }
  void over(int i) { env_.tell({.kind = Kind::step_over, .node = i}); }

  void run(int i, typename V::Input input) {
    if (cluster_.scripted[static_cast<std::size_t>(i)]) return end(i);
    for (auto& effect : store_.step(i, input, env_.clock(i))) {
      if constexpr (watched) {
        if (env_.endBefore(i, effect) || !perform(i, effect) || env_.endAfter(i)) break;
      } else {
        if (!perform(i, effect)) break;
      }
    }
    end(i);
    answer(i);
  }
  /// Of a step; the process may end with it, if no effect was left with which it could have ended.
  void end(int i) {
    if constexpr (watched) env_.endAfter(i);
    over(i);
  }
  /// What the server asked for and is due, if anything.
  void answer(int i) {
    if constexpr (V::asks_world) {
      if (store_.awaits(i)) env_.awaiting(i);
    }
  }

  /// False when the process is over.
  template <class Effect>
  bool perform(int i, Effect& effect) {
    if (auto* send = get_if<typename V::Send>(&effect)) {
      sendOrQueue(i, *send);
    } else if (auto* timer_set = get_if<typename V::SetTimer>(&effect)) {
      store_.arm(i, timer_set->timer);
      env_.timerSet(i, timer_set->timer, timer_set->lo, timer_set->hi);
    } else if (auto* cancelled = get_if<typename V::CancelTimer>(&effect)) {
      if (store_.disarm(i, cancelled->timer)) env_.timerCancelled(i, cancelled->timer);
    } else if (auto* emit = get_if<typename V::Emit>(&effect)) {
      env_.tell({.kind = Kind::event, .node = i, .event = &emit->event});
    } else if (auto* connect = get_if<typename V::Connect>(&effect)) {
      startDialling(connect->link, i, cluster_.indexOf(connect->to));
    } else if (auto* disconnect = get_if<typename V::Disconnect>(&effect)) {
      close(disconnect->link, i, cluster_.indexOf(disconnect->to));
    } else if (auto* write = get_if<typename V::Write>(&effect)) {
      return performWrite(i, *write);
    } else if (holds_alternative<typename V::Flush>(effect)) {
      while (store_.hasUnsynced(i)) {
        const auto oldest = store_.oldestUnsynced(i);
        if (env_.writeFails(i, oldest)) {
          store_.clearQueue(i);
          return endByFailedWrite(i, oldest);
        }
        if (!syncOne(i)) return false;
      }
      env_.flushed(i);
    } else if (auto* exit = get_if<typename V::Exit>(&effect)) {
      stop(i, HowStopped::exit, true, 0, exit->reason);
      return false;
    } else if constexpr (V::asks_world) {
      performAsk(i, effect);
    }
    return true;
  }

  template <class Effect>
  void performAsk(int i, const Effect& effect) {
    if (const auto* ask = get_if<typename V::AskDurable>(&effect)) {
      store_.hasUnsynced(i) ? store_.queueAsk(i, ask->key) : store_.noteDurable(i, ask->key);
    } else if (const auto* mark = get_if<typename V::Mark>(&effect)) {
      store_.mark(i, mark->key);
      env_.marked(i, mark->key);
    } else if (const auto* age = get_if<typename V::AskAge>(&effect)) {
      store_.askAge(i, age->key);
      env_.ageAsked(i, age->key);
    }
  }

  template <class Write>
  bool performWrite(int i, Write& write) {
    const auto& record = write.record;
    if (write.blocking && env_.writeFails(i, record)) return endByFailedWrite(i, record);
    const bool last = write.blocking && dies_.write != 0 && --dies_.write == 0;
    if (last && dies_.at != AtWrite::after) {
      if (dies_.at == AtWrite::half) store_.writeHalf(i, write.record);
      return die(i);
    }
    if (write.blocking) store_.write(i, write.record);
    env_.tell({.kind = Kind::written, .node = i, .blocking = write.blocking, .record = &record});
    if (!write.blocking) {
      store_.queueWrite(i, std::move(write.record));
      env_.unsynced(i);
    }
    return last ? die(i) : true;
  }

  /// The process dies within its step. Returns false, as the process is over.
  bool die(int i) {
    static constexpr std::array where{"before a write", "in the midst of a write", "right after a write"};
    stop(i, dies_.power_loss ? HowStopped::power_loss : HowStopped::kill,
         dies_in_flight_ && !dies_.power_loss, 0, where[static_cast<std::size_t>(dies_.at)]);
    return false;
  }

  /// A write that the process waits for fails, and the process ends. Returns false, as the process is over.
  bool endByFailedWrite(int i, const typename F::Record& record) {
    env_.tell({.kind = Kind::write_failed, .node = i, .record = &record});
    stop(i, HowStopped::exit, true, 0, "a write to the disk failed");
    return false;
  }

  /// False when the process was ended by it.
  bool syncOne(int i) {
    auto&& synced = store_.syncOldest(i);
    env_.tell({.kind = Kind::synced, .node = i, .record = &synced.record});
    if (env_.endAfter(i)) return false;
    for (auto& gated : synced.sends) transmit(i, gated.link, gated.to, std::move(gated.message));
    if constexpr (V::asks_world) {
      for (const auto& key : synced.told) store_.noteDurable(i, key);
    }
    return true;
  }

  template <class Send>
  void sendOrQueue(int i, Send& send) {
    if ((send.after_durable && store_.hasUnsynced(i)) || store_.holdsBack(i, send.link, send.to)) {
      store_.queueSend(i, send.link, send.to, std::move(send.message));
    } else {
      transmit(i, send.link, send.to, std::move(send.message));
    }
  }

  bool nothingDelivered(int i) const {
    bool any_slot = false;                       // datagrams leave immediately
    const int servers = cluster_.serverCount();  // clients have no slot links
    for (Link link = 0; link < cluster_.links.size(); ++link) {
      if (!isSlot(cluster_.links[link])) continue;
      any_slot = true;
      for (int j = 0; j < servers; ++j) {
        if (j == i || store_.unsent(link, i, j)) continue;
        if (store_.last(link, i, j) || isOpen(link, i, j)) return false;
      }
    }
    return any_slot;
  }

  // ---- messages

  void transmit(int i, Link link, ServerId to, Message message) {
    const int j = cluster_.indexOf(to);
    if (j < 0) return loseUnqueued(link, i, to, message, LossReason::no_such_server);
    if (cluster_.links[link] == LinkKind::mute)
      return loseUnqueued(link, i, to, message, LossReason::not_connected);
    if (j == i) return push(link, i, i, std::move(message), SentHow::fresh);
    switch (cluster_.links[link]) {
      case LinkKind::slot:
      case LinkKind::newest: return sendBySlot(link, i, j, std::move(message));
      case LinkKind::tcp:
        if (store_.holds(Relation::half_open, link, j, i)) {
          return loseUnqueued(link, i, to, message, LossReason::peer_lost_power);
        }
        if (!isOpen(link, i, j) || store_.hasClose(link, j, i)) {
          return loseUnqueued(link, i, to, message, LossReason::not_connected);
        }
        return push(link, i, j, std::move(message), SentHow::fresh);
      case LinkKind::bounded:
        if (!store_.isUp(j)) return loseUnqueued(link, i, to, message, LossReason::receiver_down);
        if (store_.length(link, i, j) == cluster_.capacity)
          lose(link, i, j, cluster_.capacity - 1, LossReason::replaced_by_newer);
        return push(link, i, j, std::move(message), SentHow::fresh);
      case LinkKind::mute: return;
      case LinkKind::datagram:
        if (!reaches(i, j)) return loseUnqueued(link, i, to, message, LossReason::cut);
        return push(link, i, j, std::move(message), SentHow::fresh);
    }
  }

  void sendBySlot(Link link, int i, int j, Message message) {
    const bool keeps = cluster_.links[link] == LinkKind::slot;
    if (store_.holds(Relation::half_open, link, j, i)) {
      if (keeps) store_.change(link, i, j, ChannelChange::keep, message);
      return loseUnqueued(link, i, idOf(j), message, LossReason::peer_lost_power);
    }
    if (isOpen(link, i, j)) {
      replaceUnread(link, i, j);
      store_.change(link, i, j, keeps ? ChannelChange::put_kept : ChannelChange::put, message);
      return env_.sent(link, i, j, message, SentHow::fresh);
    }
    if (const auto replaced = store_.unsent(link, i, j)) {
      env_.loseWaiting(link, i, j, *replaced, LossReason::replaced_by_newer);
    }
    store_.change(link, i, j, ChannelChange::wait, message);
    env_.waiting(link, i, j, message);
    startDialling(link, i, j);
  }

  void push(Link link, int from, int to, Message message, SentHow how) {
    replaceUnread(link, from, to);
    store_.change(link, from, to, ChannelChange::put, message);
    env_.sent(link, from, to, message, how);
  }

  void replaceUnread(Link link, int from, int to) {
    if (cluster_.links[link] == LinkKind::newest) clear(link, from, to, LossReason::replaced_by_newer);
  }

  void pushClose(Link link, int from, int to) {
    if (cluster_.links[link] != LinkKind::tcp) return;  // the end of a slot link is not reported
    store_.change(link, from, to, ChannelChange::put_close, {});
    env_.push(link, from, to);
  }

  void lose(Link link, int from, int to, std::size_t position, LossReason reason) {
    const std::uint64_t number = env_.messageAt(link, from, to, position);
    const auto item = store_.take(link, from, to, position);
    if (item) {
      env_.tell({.kind = Kind::lost,
                 .link = link,
                 .from = from,
                 .to = idOf(to),
                 .message = number,
                 .content = &*item,
                 .reason = reason});
    }
    env_.remove(link, from, to, position);
  }

  /// Empties a wire. A token on it is discarded with the rest: the process that would have read it has ended,
  /// or has closed.
  void clear(Link link, int from, int to, LossReason reason) {
    if constexpr (watched) {
      while (!store_.isEmpty(link, from, to)) lose(link, from, to, 0, reason);
    } else {
      if (!store_.isEmpty(link, from, to)) store_.change(link, from, to, ChannelChange::clear, {});
    }
  }

  void clearLate(Link link, int from, int to, LossReason reason) {
    while (const auto message = store_.firstLate(link, from, to)) {
      store_.change(link, from, to, ChannelChange::take_late, {});
      env_.tell({.kind = Kind::lost,
                 .link = link,
                 .from = from,
                 .to = idOf(to),
                 .message = env_.removeLate(link, from, to),
                 .content = &*message,
                 .reason = reason});
    }
  }

  void loseUnsent(Link link, int from, int to) {
    if (const auto unsent = store_.unsent(link, from, to)) {
      env_.loseWaiting(link, from, to, *unsent, LossReason::sender_down);
    }
    store_.change(link, from, to, ChannelChange::forget, {});
  }

  void loseUnqueued(Link link, int from, ServerId to, const Message& message, LossReason reason) {
    env_.sentInVain(link, from, to, message, reason);
  }

  // ---- connections

  void setOpen(Link link, int a, int b, bool open) {
    if (!open && cluster_.links[link] == LinkKind::tcp) {
      store_.dropGated(a, link, idOf(b));
      store_.dropGated(b, link, idOf(a));
    }
    relate(Relation::open, link, a, b, open);
    relate(Relation::open, link, b, a, open);
  }

  void startDialling(Link link, int i, int j) {
    if (j < 0 || isOpen(link, i, j) || isDialling(link, i, j)) return;
    relate(Relation::dialling, link, i, j, true);
    env_.dialling(link, i, j);
  }

  void stopDialling(Link link, int i, int j) { relate(Relation::dialling, link, i, j, false); }

  void close(Link link, int i, int j) {
    if (j < 0) return;
    stopDialling(link, i, j);
    relate(Relation::half_open, link, j, i, false);
    if (!isOpen(link, i, j)) {
      // The other end closed first: what it sent before, and its token, are discarded unread.
      if (store_.hasClose(link, j, i)) clear(link, j, i, LossReason::connection_closed);
      return;
    }
    setOpen(link, i, j, false);
    clear(link, j, i, LossReason::connection_closed);
    pushClose(link, i, j);
  }

  /// A machine that lost power is back: peers that still consider a connection to it open are notified.
  void tellOfLostPower(Link link, int i) {
    for (int j = 0; j < store_.size(); ++j) {
      if (!store_.holds(Relation::half_open, link, i, j)) continue;
      relate(Relation::half_open, link, i, j, false);
      pushClose(link, i, j);
    }
  }

  const ClusterShape& cluster_;
  StoreType& store_;
  Env& env_;
  CrashPoint dies_;  ///< of the present action
  bool dies_in_flight_ = true;
};

}  // namespace zablab
