// The components of a world: everything that can change is in one of these. They are plain values, comparable
// and encodable, without pointers to anything outside, and the operations on them are pure functions. None of
// them contains time.
#pragma once

#include <algorithm>
#include <bit>
#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "protocol/reflect.h"
#include "protocol/variant.h"
#include "protocol/vocabulary.h"

namespace zablab {

/// Thrown when a node does what no node may do, or its step throws: an error of the protocol's code, not of
/// the run.
class BadStep : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A question about how long ago something was; `marked`: the mark was set when the question was asked.
template <class Key>
struct AgeAsk {
  Key key{};
  bool marked = false;
  bool operator==(const AgeAsk&) const = default;
  BOOST_DESCRIBE_CLASS(AgeAsk, (), (key, marked), (), ())
};

/// What a process requested from the world, and what the world stores for it.
template <class Vocabulary>
struct Awaited {
  using MarkKey = typename Vocabulary::MarkKey;
  using DurableKey = typename Vocabulary::DurableKey;
  std::vector<DurableKey> durable;    ///< durable, and the process is not notified yet
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

/// For a family whose nodes request nothing from the world.
struct AwaitsNothing {
  bool operator==(const AwaitsNothing&) const = default;
};
BOOST_DESCRIBE_STRUCT(AwaitsNothing, (), ())

/// A server: whether its process runs, which of its timers are armed, and the process itself. A server that
/// is down is always the same value, regardless of its state before.
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

/// A request to be notified when what was written before it is durable.
template <class Key>
struct DurableAsk {
  Key key{};
  bool operator==(const DurableAsk&) const = default;
  BOOST_DESCRIBE_CLASS(DurableAsk, (), (key), (), ())
};

/// A disk: what is durable, and in one queue what was written but is not synced yet and the sends and
/// questions after it.
template <class Family>
struct Disk {
  using Record = typename Family::Record;
  using Gated = GatedSend<typename Family::Message>;
  using Ask = DurableAsk<typename Family::Vocabulary::DurableKey>;
  typename Family::Durable image;
  std::vector<variant<Record, Gated, Ask>> queue;
  bool operator==(const Disk&) const = default;
  BOOST_DESCRIBE_CLASS(Disk, (), (image, queue), (), ())

  bool hasUnsynced() const { return !queue.empty(); }
  /// How many writes are not synced.
  std::uint32_t unsynced() const {
    return static_cast<std::uint32_t>(std::count_if(
        queue.begin(), queue.end(), [](const auto& entry) { return holds_alternative<Record>(entry); }));
  }
  /// Whether a send on this connection has to queue behind an earlier one that waits here.
  bool holdsBack(Link link, ServerId to) const {
    return std::any_of(queue.begin(), queue.end(), [&](const auto& entry) {
      const Gated* gated = get_if<Gated>(&entry);
      return gated != nullptr && gated->link == link && gated->to == to;
    });
  }
};

/// A write that became durable, and the items that waited for it.
template <class Record, class Gated, class Key>
struct SyncedWrite {
  Record record{};
  std::vector<Gated> sends;
  std::vector<Key> told;  ///< what the server asked to be notified of
};

/// Removes the oldest unsynced write and what waits directly after it. A queue that is not empty starts with
/// a write: an item with nothing before it is not queued.
template <class Family>
auto takeOldestWrite(Disk<Family>& disk) {
  using Record = typename Family::Record;
  using Gated = typename Disk<Family>::Gated;
  SyncedWrite<Record, Gated, typename Family::Vocabulary::DurableKey> taken;
  taken.record = get<Record>(std::move(disk.queue.front()));
  std::size_t used = 1;
  for (; used < disk.queue.size() && !holds_alternative<Record>(disk.queue[used]); ++used) {
    if (auto* gated = get_if<Gated>(&disk.queue[used])) {
      taken.sends.push_back(std::move(*gated));
    } else {
      taken.told.push_back(get<typename Disk<Family>::Ask>(std::move(disk.queue[used])).key);
    }
  }
  disk.queue.erase(disk.queue.begin(), disk.queue.begin() + static_cast<std::ptrdiff_t>(used));
  return taken;
}

/// The disk of a server that ends: the oldest `kept` unsynced writes are durable nevertheless, and are
/// returned; the rest and everything that waited is lost.
/// `write(image, record)` applies a record.
template <class Family, class Write>
std::vector<typename Family::Record> endDisk(Disk<Family>& disk, std::uint32_t kept, Write&& write) {
  std::vector<typename Family::Record> written;
  for (auto& entry : disk.queue) {
    auto* record = get_if<typename Family::Record>(&entry);
    if (record == nullptr || written.size() >= kept) continue;
    write(disk.image, *record);
    written.push_back(std::move(*record));
  }
  disk.queue.clear();
  return written;
}

/// What waits for the disk is lost with its connection: it was never sent.
template <class Family>
void dropGated(Disk<Family>& disk, Link link, ServerId to) {
  std::erase_if(disk.queue, [&](const auto& entry) {
    const auto* gated = get_if<typename Disk<Family>::Gated>(&entry);
    return gated != nullptr && gated->link == link && gated->to == to;
  });
}

/// One direction of a link between two servers. The wire holds messages in order; an item without a message
/// is the token that closes the connection, read after what was in flight.
template <class Message>
struct Channel {
  std::vector<std::optional<Message>> wire;
  std::optional<Message> unsent;  ///< slot links: waits for a connection
  std::optional<Message> last;    ///< slot links: the last one that was sent, sent again on reconnection
  std::vector<Message> late;      ///< from connections that were overtaken by the present one, in order
  bool operator==(const Channel&) const = default;
  BOOST_DESCRIBE_CLASS(Channel, (), (wire, unsent, last, late), (), ())

  bool hasClose() const {
    return std::any_of(wire.begin(), wire.end(), [](const auto& item) { return !item.has_value(); });
  }
  /// The position on the wire at which the next connection begins; 0: nothing of it is on the wire.
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

/// The operations on a channel, other than taking something off its wire.
enum class ChannelChange : std::uint8_t {
  put,          ///< put a message onto the wire
  put_close,    ///< put the closing token onto the wire
  put_kept,     ///< put a message onto the wire, and store it as the last one
  wait,         ///< put a message into the slot, replacing what waits there
  keep,         ///< store a message as the last one without sending it
  send_unsent,  ///< move what waits in the slot onto the wire, and store it as the last one
  clear,        ///< clear the wire
  forget,       ///< discard what waits in the slot, and the last one
  overtake,     ///< the rest of the first connection on the wire becomes late, and its end is not reported
  take_late,    ///< remove the first late message
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

/// A relation between nodes (by index), one bit for each ordered pair.
struct PairSet {
  std::vector<std::uint64_t> rows;  ///< one after another, each of `row_words` words
  std::uint32_t row_words = 1;
  bool operator==(const PairSet&) const = default;

  static PairSet of(std::size_t nodes) {
    const std::size_t words = std::max<std::size_t>(1, (nodes + 63) / 64);
    return {std::vector<std::uint64_t>(nodes * words), static_cast<std::uint32_t>(words)};
  }
  bool test(int a, int b) const { return (rows[wordOf(a, b)] >> (b % 64)) & 1; }
  void set(int a, int b, bool value) {
    const std::uint64_t bit = std::uint64_t{1} << (b % 64);
    std::uint64_t& row = rows[wordOf(a, b)];
    row = value ? (row | bit) : (row & ~bit);
  }
  std::size_t wordOf(int a, int b) const {
    return static_cast<std::size_t>(a) * row_words + static_cast<std::size_t>(b) / 64;
  }
};
BOOST_DESCRIBE_STRUCT(PairSet, (), (rows, row_words))

/// The places of the ordered pairs of nodes, by link, in a table. In a small world every pair has its place
/// from the start, in order. In a large one most pairs never exchange anything: a pair gets a place when it
/// first needs one.
class PairPlaces {
 public:
  struct Pair {
    Link link = 0;
    int from = 0;
    int to = 0;
  };
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  PairPlaces(std::size_t nodes, std::size_t links) : nodes_(nodes), all_(nodes * nodes * links) {}

  std::size_t count() const { return isDense() ? all_ : numbers_.size(); }
  /// `none`: it has no place yet.
  std::size_t find(Link link, int from, int to) const {
    const std::size_t number = numberOf(link, from, to);
    if (isDense()) return number;
    const auto found = places_.find(number);
    return found == places_.end() ? none : found->second;
  }
  std::size_t place(Link link, int from, int to) {
    const std::size_t number = numberOf(link, from, to);
    if (isDense()) return number;
    const auto [at, is_new] = places_.try_emplace(number, numbers_.size());
    if (is_new) numbers_.push_back(number);
    return at->second;
  }
  Pair pairAt(std::size_t place) const {
    const std::size_t number = isDense() ? place : numbers_[place];
    return {static_cast<Link>(number / (nodes_ * nodes_)), static_cast<int>(number / nodes_ % nodes_),
            static_cast<int>(number % nodes_)};
  }

 private:
  static constexpr std::size_t dense_nodes_max = 64;

  bool isDense() const { return nodes_ <= dense_nodes_max; }
  std::size_t numberOf(Link link, int from, int to) const {
    return (link * nodes_ + static_cast<std::size_t>(from)) * nodes_ + static_cast<std::size_t>(to);
  }

  std::size_t nodes_;
  std::size_t all_;
  std::unordered_map<std::size_t, std::size_t> places_;  ///< by number; never gone through
  std::vector<std::size_t> numbers_;                     ///< by place
};

/// The relations between two servers on a link.
enum class Relation : std::uint8_t {
  cut,        ///< messages from the first do not reach the second, on any link
  open,       ///< there is a connection; symmetric
  dialling,   ///< the first has requested a connection to the second
  half_open,  ///< the first lost power, and the second has not noticed
};

/// Which connections exist and which directions are cut. Connections belong to the unordered pair.
struct Network {
  PairSet cut;                     ///< messages from the first do not reach the second
  std::vector<PairSet> open;       ///< by link; symmetric
  std::vector<PairSet> dialling;   ///< by link; the first has requested a connection to the second
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
  Network(int servers, std::size_t links) : cut(PairSet::of(static_cast<std::size_t>(servers))) {
    open.assign(links, cut);
    dialling.assign(links, cut);
    half_open.assign(links, cut);
  }
};
BOOST_DESCRIBE_STRUCT(Network, (), (cut, open, dialling, half_open))

}  // namespace zablab
