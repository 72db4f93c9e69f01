// The components of a world: everything that can change lives in one of these. They are plain values,
// comparable and encodable, with no pointer out of them, and what can be done to them are pure functions on
// them. Time is in none.
#pragma once

#include <algorithm>
#include <bit>
#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/reflect.h"
#include "protocol/vocabulary.h"

namespace zablab {

/// A question how long ago something was; `marked`: it was, when that was asked.
template <class Key>
struct AgeAsk {
  Key key{};
  bool marked = false;
  bool operator==(const AgeAsk&) const = default;
  BOOST_DESCRIBE_CLASS(AgeAsk, (), (key, marked), (), ())
};

/// What a process asked the world for, and what the world remembers for it.
template <class Vocabulary>
struct Awaited {
  using MarkKey = typename Vocabulary::MarkKey;
  using DurableKey = typename Vocabulary::DurableKey;
  std::vector<DurableKey> durable;    ///< is durable, and it is not told yet
  std::vector<AgeAsk<MarkKey>> ages;  ///< not answered yet
  std::vector<MarkKey> marks;         ///< set since it started, in order
  bool operator==(const Awaited&) const = default;
  BOOST_DESCRIBE_CLASS(Awaited, (), (durable, ages, marks), (), ())

  bool any() const { return !durable.empty() || !ages.empty(); }
  bool isMarked(const MarkKey& key) const { return std::binary_search(marks.begin(), marks.end(), key); }
  void askAge(const MarkKey& key) { ages.push_back({key, isMarked(key)}); }
  void mark(const MarkKey& key) {
    const auto at = std::lower_bound(marks.begin(), marks.end(), key);
    if (at == marks.end() || *at != key) marks.insert(at, key);
  }
};

/// Of a family whose nodes ask the world for nothing.
struct AwaitsNothing {
  bool operator==(const AwaitsNothing&) const = default;
};
BOOST_DESCRIBE_STRUCT(AwaitsNothing, (), ())

/// A server: whether its process runs, which of its timers are armed, and the process itself. A server that
/// is down is the same value whatever it was before.
template <class Family>
struct Server {
  using Timer = typename Family::Vocabulary::Timer;
  using Asks =
      std::conditional_t<Family::Vocabulary::asks_world, Awaited<typename Family::Vocabulary>, AwaitsNothing>;
  bool up = false;
  bool paused = false;
  Asks awaited{};
  std::vector<Timer> timers;  ///< armed, in order
  typename Family::Node node;
  bool operator==(const Server&) const = default;
  BOOST_DESCRIBE_CLASS(Server, (), (up, paused, awaited, timers, node), (), ())
};

/// Arms a timer; true if it was not armed before.
template <class Timer>
bool arm(std::vector<Timer>& timers, const Timer& timer) {
  const auto at = std::lower_bound(timers.begin(), timers.end(), timer);
  if (at != timers.end() && *at == timer) return false;
  timers.insert(at, timer);
  return true;
}

/// Disarms a timer; true if it was armed.
template <class Timer>
bool disarm(std::vector<Timer>& timers, const Timer& timer) {
  const auto at = std::lower_bound(timers.begin(), timers.end(), timer);
  if (at == timers.end() || *at != timer) return false;
  timers.erase(at);
  return true;
}

/// A send that waits until what was written before it is durable.
template <class Message>
struct GatedSend {
  Link link = 0;
  ServerId to = no_server;
  Message message;
  bool operator==(const GatedSend&) const = default;
  BOOST_DESCRIBE_CLASS(GatedSend, (), (link, to, message), (), ())
};

/// Who wants to be told when what was written before this is durable.
template <class Key>
struct DurableAsk {
  Key key{};
  bool operator==(const DurableAsk&) const = default;
  BOOST_DESCRIBE_CLASS(DurableAsk, (), (key), (), ())
};

/// A disk: what is durable, and in one queue what was written but is not synced yet and the sends and
/// questions behind it.
template <class Family>
struct Disk {
  using Record = typename Family::Record;
  using Gated = GatedSend<typename Family::Message>;
  using Ask = DurableAsk<typename Family::Vocabulary::DurableKey>;
  typename Family::Durable image;
  std::vector<std::variant<Record, Gated, Ask>> queue;
  bool operator==(const Disk&) const = default;
  BOOST_DESCRIBE_CLASS(Disk, (), (image, queue), (), ())

  bool hasUnsynced() const { return !queue.empty(); }
  /// How many writes are not synced.
  std::uint32_t unsynced() const {
    return static_cast<std::uint32_t>(std::count_if(
        queue.begin(), queue.end(), [](const auto& entry) { return std::holds_alternative<Record>(entry); }));
  }
  /// A send on this connection has to queue behind an earlier one that waits here.
  bool holdsBack(Link link, ServerId to) const {
    return std::any_of(queue.begin(), queue.end(), [&](const auto& entry) {
      const Gated* gated = std::get_if<Gated>(&entry);
      return gated != nullptr && gated->link == link && gated->to == to;
    });
  }
};

/// A write that became durable, and what waited for it.
template <class Record, class Gated, class Key>
struct SyncedWrite {
  Record record{};
  std::vector<Gated> sends;
  std::vector<Key> told;  ///< what the server asked to be told of
};

/// Removes the oldest unsynced write and what waits right behind it. The queue starts with a write whenever
/// it is not empty: what has nothing before it is not queued.
template <class Family>
auto takeOldestWrite(Disk<Family>& disk) {
  using Record = typename Family::Record;
  using Gated = typename Disk<Family>::Gated;
  SyncedWrite<Record, Gated, typename Family::Vocabulary::DurableKey> taken;
  taken.record = std::get<Record>(std::move(disk.queue.front()));
  std::size_t used = 1;
  for (; used < disk.queue.size() && !std::holds_alternative<Record>(disk.queue[used]); ++used) {
    if (auto* gated = std::get_if<Gated>(&disk.queue[used])) {
      taken.sends.push_back(std::move(*gated));
    } else {
      taken.told.push_back(std::get<typename Disk<Family>::Ask>(std::move(disk.queue[used])).key);
    }
  }
  disk.queue.erase(disk.queue.begin(), disk.queue.begin() + static_cast<std::ptrdiff_t>(used));
  return taken;
}

/// A disk whose server ends: the oldest `kept` of what is not synced is there all the same, and is handed
/// back; the rest and all that waited is gone.
template <class Family>
std::vector<typename Family::Record> endDisk(Disk<Family>& disk, std::uint32_t kept) {
  std::vector<typename Family::Record> written;
  for (auto& entry : disk.queue) {
    auto* record = std::get_if<typename Family::Record>(&entry);
    if (record == nullptr || written.size() >= kept) continue;
    Family::write(disk.image, *record);
    written.push_back(std::move(*record));
  }
  disk.queue.clear();
  return written;
}

/// What waits for the disk goes down with its connection: it was never sent.
template <class Family>
void dropGated(Disk<Family>& disk, Link link, ServerId to) {
  std::erase_if(disk.queue, [&](const auto& entry) {
    const auto* gated = std::get_if<typename Disk<Family>::Gated>(&entry);
    return gated != nullptr && gated->link == link && gated->to == to;
  });
}

/// One direction of a link between two servers. On the wire stand messages in order; an item without a
/// message is the token that closes the connection, read after what was in flight.
template <class Message>
struct Channel {
  std::vector<std::optional<Message>> wire;
  std::optional<Message> unsent;  ///< slot links: waits for a connection
  std::optional<Message> last;    ///< slot links: the last one that went out, sent again on reconnection
  std::vector<Message> late;      ///< of connections that were overtaken by the present one, in order
  bool operator==(const Channel&) const = default;
  BOOST_DESCRIBE_CLASS(Channel, (), (wire, unsent, last, late), (), ())

  bool hasClose() const {
    return std::any_of(wire.begin(), wire.end(), [](const auto& item) { return !item.has_value(); });
  }
  /// Where on the wire the next connection begins; 0: nothing of it is there.
  std::size_t nextConnection() const {
    const auto end = std::find(wire.begin(), wire.end(), std::nullopt);
    return wire.end() - end < 2 ? 0 : static_cast<std::size_t>(end - wire.begin()) + 1;
  }
  /// Takes the item at `position` off the wire.
  std::optional<Message> take(std::size_t position) {
    std::optional<Message> item = std::move(wire[position]);
    wire.erase(wire.begin() + static_cast<std::ptrdiff_t>(position));
    return item;
  }
};

/// What can be done to a channel beside taking something off its wire.
enum class ChannelChange : std::uint8_t {
  put,          ///< a message onto the wire
  put_close,    ///< the token
  put_kept,     ///< a message onto the wire, and it is the last one
  wait,         ///< a message into the slot, in place of what waits there
  keep,         ///< a message is the last one and goes nowhere
  send_unsent,  ///< what waits in the slot goes onto the wire, and is the last one
  clear,        ///< the wire
  forget,       ///< what waits in the slot, and the last one
  overtake,     ///< what is left of the first connection on the wire is late, and its end is nobody's news
  take_late,    ///< the first of what is late is gone
};

template <class Message>
void change(Channel<Message>& channel, ChannelChange what, Message message = {}) {
  switch (what) {
    case ChannelChange::put: channel.wire.push_back(std::move(message)); return;
    case ChannelChange::put_close: channel.wire.push_back(std::nullopt); return;
    case ChannelChange::put_kept:
      channel.last = message;
      channel.wire.push_back(std::move(message));
      return;
    case ChannelChange::wait: channel.unsent = std::move(message); return;
    case ChannelChange::keep: channel.last = std::move(message); return;
    case ChannelChange::send_unsent:
      channel.last = std::exchange(channel.unsent, std::nullopt);
      channel.wire.push_back(channel.last);
      return;
    case ChannelChange::clear: channel.wire.clear(); return;
    case ChannelChange::forget:
      channel.unsent.reset();
      channel.last.reset();
      return;
    case ChannelChange::overtake: {
      const std::size_t next = channel.nextConnection();
      for (std::size_t i = 0; i + 1 < next; ++i) channel.late.push_back(std::move(*channel.wire[i]));
      channel.wire.erase(channel.wire.begin(), channel.wire.begin() + static_cast<std::ptrdiff_t>(next));
      return;
    }
    case ChannelChange::take_late: channel.late.erase(channel.late.begin()); return;
  }
}

/// A relation between servers (by index), one bit for each ordered pair.
struct PairSet {
  std::vector<std::uint64_t> rows;
  bool operator==(const PairSet&) const = default;

  bool test(int a, int b) const { return (rows[static_cast<std::size_t>(a)] >> b) & 1; }
  void set(int a, int b, bool value) {
    const std::uint64_t bit = std::uint64_t{1} << b;
    std::uint64_t& row = rows[static_cast<std::size_t>(a)];
    row = value ? (row | bit) : (row & ~bit);
  }
};
BOOST_DESCRIBE_STRUCT(PairSet, (), (rows))

/// At most this many servers and clients in one world: a pair set's row is one word.
inline constexpr int max_servers = 64;

/// What can be true of two servers and a link.
enum class Relation : std::uint8_t {
  cut,        ///< nothing gets from the first to the second; of no link
  open,       ///< there is a connection; symmetric
  dialling,   ///< the first has asked for a connection to the second
  half_open,  ///< the first lost power, and the second has not noticed
};

/// Which connections there are and which ways are cut. Connections belong to the unordered pair.
struct Network {
  PairSet cut;                     ///< nothing gets from the first to the second
  std::vector<PairSet> open;       ///< by link; symmetric
  std::vector<PairSet> dialling;   ///< by link; the first has asked for a connection to the second
  std::vector<PairSet> half_open;  ///< by link; the first lost power, and the second has not noticed
  bool operator==(const Network&) const = default;

  PairSet& of(Relation relation, Link link) {
    switch (relation) {
      case Relation::open: return open[link];
      case Relation::dialling: return dialling[link];
      case Relation::half_open: return half_open[link];
      case Relation::cut: break;
    }
    return cut;
  }

  Network() = default;
  Network(int servers, std::size_t links) {
    cut.rows.resize(static_cast<std::size_t>(servers));
    open.assign(links, cut);
    dialling.assign(links, cut);
    half_open.assign(links, cut);
  }
};
BOOST_DESCRIBE_STRUCT(Network, (), (cut, open, dialling, half_open))

}  // namespace zablab
