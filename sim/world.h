// What links, disks, timers and faults mean: written once, for every store and every way of choosing what
// comes next.
//
// A message's way. A node's Send goes (1) into its disk's queue, if it must wait for a write or for an
// earlier send on the same connection that waits there; (2) into the slot of a slot link, while there is no
// connection; (3) onto the wire; (4) to the other node, by a deliver action. Wherever it is dropped instead,
// the environment is told why.
//
// A connection is a bit for the pair and two channels. Closing is a token in the channel, read after what was
// in flight; it is never answered by closing. What is sent to somebody who has already closed is lost: a send
// from i to j is dropped when the connection is not open, or when an unread token stands in j -> i. These
// rules replace numbers of incarnations. A cut holds back what is on the wire (TCP would retransmit it) and
// lets dials fail.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "sim/action.h"
#include "sim/direct.h"
#include "sim/happened.h"
#include "sim/store.h"

namespace zablab {

/// Who drives a world. It hears of everything in the order in which it is done, keeps what belongs to time
/// (when a message arrives, when a timer fires), numbers the messages, and may end a process between two
/// effects of one step.
template <class E, class F>
concept Environment = requires(E env, const Happened<F>& happened, Link link, int i, int j, ServerId id,
                               std::size_t position, Millis ms, const typename F::Message& message,
                               SentHow how, LossReason reason, const typename F::Vocabulary::Effect& effect,
                               const typename F::Vocabulary::Timer& timer, const typename F::Record& record) {
  env.tell(happened);
  env.sent(link, i, j, message, how);            ///< it stands last on the wire i -> j
  env.waiting(link, i, j, message);              ///< it waits in the slot for a connection
  env.transmitted(link, i, j);                   ///< what waited stands last on the wire
  env.loseWaiting(link, i, j, message, reason);  ///< what waited is gone
  env.sentInVain(link, i, id, message, reason);  ///< it never stood anywhere
  env.push(link, i, j);                          ///< a closing token stands last on the wire
  env.remove(link, i, j, position);              ///< this item left the wire
  { env.messageAt(link, i, j, position) } -> std::same_as<std::uint64_t>;
  env.dialling(link, i, j);
  env.timerSet(i, timer, ms, ms);
  env.timerCancelled(i, timer);
  env.unsynced(i);                                      ///< i's disk has something to sync
  env.flushed(i);                                       ///< and now it has nothing
  { env.endBefore(i, effect) } -> std::same_as<bool>;   ///< the process was ended just before this effect
  { env.endAfter(i) } -> std::same_as<bool>;            ///< or just after the last one
  { env.writeFails(i, record) } -> std::same_as<bool>;  ///< a write that is waited for fails
};

template <class StoreType, class Env>
class World {
 public:
  using F = typename StoreType::Family;
  using V = typename F::Vocabulary;
  using Message = typename F::Message;
  using Timer = typename V::Timer;

  World(const Cluster<F>& cluster, StoreType& store, Env& env)
      : cluster_(cluster), store_(store), env_(env) {}

  void apply(const Action<F>& action) {
    switch (action.kind) {
      case ActionKind::deliver: return deliver(action.link, action.a, action.b, action.position);
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
    }
  }

  // ---- guards

  bool reaches(int from, int to) const { return from == to || !network().cut.test(from, to); }
  bool canDeliver(Link link, int from, int to) const {
    return !store_.channel(link, from, to).wire.empty() && reaches(from, to) && store_.isUp(to) &&
           !store_.isPaused(to);
  }
  bool isDialling(Link link, int from, int to) const { return network().dialling[link].test(from, to); }
  bool isOpen(Link link, int a, int b) const { return network().open[link].test(a, b); }

  /// Every action of the protocol itself that could come next: deliveries, dials, timers, syncs. Faults are
  /// for whoever asks to add. `visit(action)`.
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
      for (const Timer& timer : store_.server(i).timers) {
        visit(Action<F>{.kind = ActionKind::fire, .a = i, .timer = timer});
      }
      if (store_.disk(i).hasUnsynced()) visit(Action<F>{.kind = ActionKind::sync, .a = i});
    }
  }

  // ---- the protocol's own actions

  void deliver(Link link, int from, int to, std::size_t position = 0) {
    auto& wire = store_.channel(link, from, to).wire;
    std::optional<Message> item = std::move(wire[position]);
    wire.erase(wire.begin() + static_cast<std::ptrdiff_t>(position));
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

  /// A dial reaches the other machine: the connection opens if its process takes dials there.
  void dial(Link link, int from, int to) {
    if (!store_.isUp(to) || !store_.accepts(to, link)) return refuse(link, from, to);
    stopDialling(link, from, to);
    if (!isOpen(link, from, to)) open(link, from, to);
    begin({.kind = Kind::connected, .node = from, .link = link, .from = from, .to = idOf(to)});
    if (cluster_.links[link] == LinkKind::slot) return over(from);
    run(from, typename V::Connected{link, idOf(to)});
  }

  void refuse(Link link, int from, int to) {
    stopDialling(link, from, to);
    begin({.kind = Kind::refused, .node = from, .link = link, .from = from, .to = idOf(to)});
    if (cluster_.links[link] == LinkKind::slot) return over(from);
    run(from, typename V::Refused{link, idOf(to)});
  }

  void fire(int i, const Timer& timer) {
    store_.disarm(i, timer);
    begin({.kind = Kind::timer, .node = i, .timer = timer});
    run(i, typename V::Fired{timer, nothingDelivered(i)});
  }

  void sync(int i) {
    if (syncOne(i) && store_.disk(i).hasUnsynced()) env_.unsynced(i);
  }

  /// A client is told to do something.
  void ask(int i, const typename F::Request& request) {
    begin({.kind = Kind::asked, .node = i, .request = &request});
    run(i, typename V::Asked{request});
  }

  /// What waits behind the write that fails is never written: whoever writes the queue stops with it.
  void failWrite(int i) {
    const auto record = takeOldestWrite(store_.disk(i)).first;
    store_.disk(i).queue.clear();
    begin({.kind = Kind::write_failed, .node = i, .record = &record});
    run(i, typename V::WriteFailed{record});
  }

  // ---- processes

  void start(int i) {
    assert(!store_.isUp(i));
    store_.boot(i);
    begin({.kind = Kind::started, .node = i, .disk = &store_.disk(i).image});
    for (Link link = 0; link < cluster_.links.size(); ++link) tellOfLostPower(link, i);
    run(i, typename V::Start{store_.disk(i).image});
  }

  /// The process runs already, in the state it was given: its role's timers and connections are taken up.
  void takeUp(int i) {
    begin({.kind = Kind::taken_up, .node = i, .disk = &store_.disk(i).image});
    run(i, typename V::TakeUp{});
  }

  /// The server is told to do what it would do by itself some time (look for a leader again).
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
        loseUnsent(link, i, j);
        clear(link, j, i, LossReason::receiver_down);
        // Of an earlier connection the end may not have been read yet: that is not lost with the rest.
        const bool ends = isOpen(link, i, j) || (!in_flight && store_.channel(link, i, j).hasClose());
        if (!in_flight) clear(link, i, j, LossReason::sender_down);
        network().half_open[link].set(j, i, false);
        if (!ends) continue;
        setOpen(link, i, j, false);
        if (how == HowStopped::power_loss) {
          network().half_open[link].set(i, j, true);
        } else {
          pushClose(link, i, j);
        }
      }
    }
    Disk<F>& disk = store_.disk(i);
    std::uint32_t kept = 0;
    for (auto& entry : disk.queue) {
      auto* record = std::get_if<typename F::Record>(&entry);
      if (record == nullptr || (how == HowStopped::power_loss && kept++ >= unsynced)) continue;
      F::write(disk.image, *record);
      env_.tell({.kind = Kind::synced, .node = i, .record = record});
    }
    disk.queue.clear();
    store_.crash(i);
  }

  void pause(int i, bool paused) {
    store_.setPaused(i, paused);
    env_.tell({.kind = paused ? Kind::paused : Kind::resumed, .node = i});
  }

  void wipe(int i) {
    store_.disk(i) = {};
    env_.tell({.kind = Kind::wiped, .node = i});
  }

  // ---- the network

  void cut(int from, int to, bool cut) {
    if (network().cut.test(from, to) == cut) return;
    network().cut.set(from, to, cut);
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

  /// A datagram arrived where nobody listens.
  void loseArriving(Link link, int from, int to, std::size_t position) {
    lose(link, from, to, position, LossReason::receiver_down);
  }

  void drop(Link link, int from, int to, std::size_t position) {
    lose(link, from, to, position, LossReason::dropped);
  }

  void duplicate(Link link, int from, int to, std::size_t position) {
    Message copy = *store_.channel(link, from, to).wire[position];
    push(link, from, to, std::move(copy), SentHow::copy);
  }

  /// A scripted server says something.
  void inject(int from, Link link, ServerId to, Message message) {
    transmit(from, link, to, std::move(message));
  }

  /// A slot link's last message goes out once more.
  void repeatLast(Link link, int from, int to) {
    const auto& last = store_.channel(link, from, to).last;
    if (last && isOpen(link, from, to)) push(link, from, to, Message(*last), SentHow::again);
  }

  /// Connections that are open from the start.
  void open(Link link, int a, int b) {
    setOpen(link, a, b, true);
    network().half_open[link].set(a, b, false);
    network().half_open[link].set(b, a, false);
    if (cluster_.links[link] != LinkKind::slot) return;
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
      auto& channel = store_.channel(link, from, to);
      if (channel.unsent) {
        channel.last = std::move(channel.unsent);
        channel.unsent.reset();
        channel.wire.push_back(channel.last);
        env_.transmitted(link, from, to);
      } else if (channel.last) {
        push(link, from, to, Message(*channel.last), SentHow::again);
      }
    }
  }

 private:
  Network& network() { return store_.network(); }
  const Network& network() const { return store_.network(); }
  ServerId idOf(int i) const { return cluster_.ids[static_cast<std::size_t>(i)]; }

  // ---- steps

  void begin(const Happened<F>& happened) { env_.tell(happened); }
  void over(int i) { env_.tell({.kind = Kind::step_over, .node = i}); }

  void run(int i, const typename V::Input& input) {
    if (cluster_.scripted[static_cast<std::size_t>(i)]) return over(i);
    for (auto& effect : store_.step(i, input)) {
      if (env_.endBefore(i, effect) || !perform(i, effect) || env_.endAfter(i)) break;
    }
    over(i);
  }

  /// False when the process is over.
  bool perform(int i, typename V::Effect& effect) {
    if (auto* send = std::get_if<typename V::Send>(&effect)) {
      sendOrQueue(i, *send);
    } else if (auto* timer_set = std::get_if<typename V::SetTimer>(&effect)) {
      store_.arm(i, timer_set->timer);
      env_.timerSet(i, timer_set->timer, timer_set->lo, timer_set->hi);
    } else if (auto* cancelled = std::get_if<typename V::CancelTimer>(&effect)) {
      if (store_.disarm(i, cancelled->timer)) env_.timerCancelled(i, cancelled->timer);
    } else if (auto* emit = std::get_if<typename V::Emit>(&effect)) {
      env_.tell({.kind = Kind::event, .node = i, .event = &emit->event});
    } else if (auto* connect = std::get_if<typename V::Connect>(&effect)) {
      startDialling(connect->link, i, cluster_.indexOf(connect->to));
    } else if (auto* disconnect = std::get_if<typename V::Disconnect>(&effect)) {
      close(disconnect->link, i, cluster_.indexOf(disconnect->to));
    } else if (auto* write = std::get_if<typename V::Write>(&effect)) {
      return performWrite(i, *write);
    } else if (std::holds_alternative<typename V::Flush>(effect)) {
      while (store_.disk(i).hasUnsynced()) {
        const auto oldest = std::get<typename F::Record>(store_.disk(i).queue.front());
        if (env_.writeFails(i, oldest)) {
          store_.disk(i).queue.clear();
          return endByFailedWrite(i, oldest);
        }
        if (!syncOne(i)) return false;
      }
      env_.flushed(i);
    } else if (auto* exit = std::get_if<typename V::Exit>(&effect)) {
      stop(i, HowStopped::exit, true, 0, exit->reason);
      return false;
    }
    return true;
  }

  bool performWrite(int i, typename V::Write& write) {
    if (write.blocking && env_.writeFails(i, write.record)) return endByFailedWrite(i, write.record);
    if (write.blocking) F::write(store_.disk(i).image, write.record);
    env_.tell({.kind = Kind::written, .node = i, .blocking = write.blocking, .record = &write.record});
    if (!write.blocking) {
      store_.disk(i).queue.push_back(std::move(write.record));
      env_.unsynced(i);
    }
    return true;
  }

  /// A write that the process waits for fails, and the process ends. False, as it is over.
  bool endByFailedWrite(int i, const typename F::Record& record) {
    env_.tell({.kind = Kind::write_failed, .node = i, .record = &record});
    stop(i, HowStopped::exit, true, 0, "a write to the disk failed");
    return false;
  }

  /// False when the process was ended by it.
  bool syncOne(int i) {
    auto [record, sends] = takeOldestWrite(store_.disk(i));
    F::write(store_.disk(i).image, record);
    env_.tell({.kind = Kind::synced, .node = i, .record = &record});
    if (env_.endAfter(i)) return false;
    for (auto& gated : sends) transmit(i, gated.link, gated.to, std::move(gated.message));
    return true;
  }

  void sendOrQueue(int i, typename V::Send& send) {
    Disk<F>& disk = store_.disk(i);
    if ((send.after_durable && disk.hasUnsynced()) || disk.holdsBack(send.link, send.to)) {
      disk.queue.push_back(GatedSend<Message>{send.link, send.to, std::move(send.message)});
    } else {
      transmit(i, send.link, send.to, std::move(send.message));
    }
  }

  bool nothingDelivered(int i) const {
    bool any_slot = false;  // datagrams leave at once
    for (Link link = 0; link < cluster_.links.size(); ++link) {
      if (cluster_.links[link] != LinkKind::slot) continue;
      any_slot = true;
      for (int j = 0; j < store_.size(); ++j) {
        const auto& channel = store_.channel(link, i, j);
        if (j == i || channel.unsent) continue;
        if (channel.last || isOpen(link, i, j)) return false;
      }
    }
    return any_slot;
  }

  // ---- messages

  void transmit(int i, Link link, ServerId to, Message message) {
    const int j = cluster_.indexOf(to);
    if (j < 0) return loseUnqueued(link, i, to, message, LossReason::no_such_server);
    if (j == i) return push(link, i, i, std::move(message), SentHow::fresh);
    switch (cluster_.links[link]) {
      case LinkKind::slot: return sendBySlot(link, i, j, std::move(message));
      case LinkKind::tcp:
        if (network().half_open[link].test(j, i)) {
          return loseUnqueued(link, i, to, message, LossReason::peer_lost_power);
        }
        if (!isOpen(link, i, j) || store_.channel(link, j, i).hasClose()) {
          return loseUnqueued(link, i, to, message, LossReason::not_connected);
        }
        return push(link, i, j, std::move(message), SentHow::fresh);
      case LinkKind::datagram:
        if (!reaches(i, j)) return loseUnqueued(link, i, to, message, LossReason::cut);
        return push(link, i, j, std::move(message), SentHow::fresh);
    }
  }

  void sendBySlot(Link link, int i, int j, Message message) {
    auto& channel = store_.channel(link, i, j);
    if (network().half_open[link].test(j, i)) {
      channel.last = message;
      return loseUnqueued(link, i, idOf(j), message, LossReason::peer_lost_power);
    }
    if (isOpen(link, i, j)) {
      channel.last = message;
      return push(link, i, j, std::move(message), SentHow::fresh);
    }
    if (channel.unsent) env_.loseWaiting(link, i, j, *channel.unsent, LossReason::replaced_by_newer);
    channel.unsent = std::move(message);
    env_.waiting(link, i, j, *channel.unsent);
    startDialling(link, i, j);
  }

  void push(Link link, int from, int to, Message message, SentHow how) {
    auto& wire = store_.channel(link, from, to).wire;
    wire.push_back(std::move(message));
    env_.sent(link, from, to, *wire.back(), how);
  }

  void pushClose(Link link, int from, int to) {
    if (cluster_.links[link] != LinkKind::tcp) return;  // nobody is told of a slot link's end
    store_.channel(link, from, to).wire.push_back(std::nullopt);
    env_.push(link, from, to);
  }

  void lose(Link link, int from, int to, std::size_t position, LossReason reason) {
    auto& wire = store_.channel(link, from, to).wire;
    if (wire[position]) {
      env_.tell({.kind = Kind::lost,
                 .link = link,
                 .from = from,
                 .to = idOf(to),
                 .message = env_.messageAt(link, from, to, position),
                 .content = &*wire[position],
                 .reason = reason});
    }
    env_.remove(link, from, to, position);
    wire.erase(wire.begin() + static_cast<std::ptrdiff_t>(position));
  }

  /// Empties a wire. A token on it is thrown away with the rest: whoever would have read it is gone, or has
  /// closed.
  void clear(Link link, int from, int to, LossReason reason) {
    while (!store_.channel(link, from, to).wire.empty()) lose(link, from, to, 0, reason);
  }

  void loseUnsent(Link link, int from, int to) {
    auto& channel = store_.channel(link, from, to);
    if (channel.unsent) env_.loseWaiting(link, from, to, *channel.unsent, LossReason::sender_down);
    channel.unsent.reset();
    channel.last.reset();
  }

  void loseUnqueued(Link link, int from, ServerId to, const Message& message, LossReason reason) {
    env_.sentInVain(link, from, to, message, reason);
  }

  // ---- connections

  /// What waits for the disk goes down with its connection: it was never sent.
  void dropGated(Link link, int i, int j) {
    std::erase_if(store_.disk(i).queue, [&](const auto& entry) {
      const auto* gated = std::get_if<GatedSend<Message>>(&entry);
      return gated != nullptr && gated->link == link && gated->to == idOf(j);
    });
  }

  void setOpen(Link link, int a, int b, bool open) {
    if (!open && cluster_.links[link] == LinkKind::tcp) {
      dropGated(link, a, b);
      dropGated(link, b, a);
    }
    network().open[link].set(a, b, open);
    network().open[link].set(b, a, open);
  }

  void startDialling(Link link, int i, int j) {
    if (j < 0 || isOpen(link, i, j) || isDialling(link, i, j)) return;
    network().dialling[link].set(i, j, true);
    env_.dialling(link, i, j);
  }

  void stopDialling(Link link, int i, int j) { network().dialling[link].set(i, j, false); }

  void close(Link link, int i, int j) {
    if (j < 0) return;
    stopDialling(link, i, j);
    network().half_open[link].set(j, i, false);
    if (!isOpen(link, i, j)) {
      // The other end closed first: what it sent before, and its token, are thrown away unread.
      if (store_.channel(link, j, i).hasClose()) clear(link, j, i, LossReason::connection_closed);
      return;
    }
    setOpen(link, i, j, false);
    clear(link, j, i, LossReason::connection_closed);
    pushClose(link, i, j);
  }

  /// A machine that lost power is back: whoever still believes in a connection to it learns better.
  void tellOfLostPower(Link link, int i) {
    for (int j = 0; j < store_.size(); ++j) {
      if (!network().half_open[link].test(i, j)) continue;
      network().half_open[link].set(i, j, false);
      pushClose(link, i, j);
    }
  }

  const Cluster<F>& cluster_;
  StoreType& store_;
  Env& env_;
};

}  // namespace zablab
