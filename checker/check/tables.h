// What the numbers of a search refer to: the distinct values of each kind of component, with what guards need
// to know about them, and what was computed from them before.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "checker/check/bounds.h"
#include "checker/check/intern.h"
#include "sim/nodes.h"

namespace zablab {

class CheckpointReader;
class CheckpointWriter;
class FamilyCheck;

struct MessageNumber {
  std::uint32_t number = 0;
  bool operator==(const MessageNumber&) const = default;
};
struct RecordNumber {
  std::uint32_t number = 0;
};
struct DiskNumber {
  std::uint32_t number = 0;
};
struct RequestNumber {
  std::uint32_t number = 0;
  bool operator==(const RequestNumber&) const = default;
};
/// Of a timer, with its kind.
struct TimerNumber {
  std::uint8_t number = 0;
  auto operator<=>(const TimerNumber&) const = default;
};
/// Of the key of a request to be notified when something is durable.
struct DurableKeyNumber {
  std::uint32_t number = 0;
};
/// Of a mark: that of its answer without a time.
struct MarkNumber {
  std::uint32_t number = 0;
};
/// A server's events are for watchers; the tuples do not contain them.
struct Unsaid {};

struct NumberTypes {
  using Message = MessageNumber;
  using Record = RecordNumber;
  using Durable = DiskNumber;
  using TimerKind = std::uint8_t;
  using TimerKey = TimerNumber;
  using MarkKey = MarkNumber;
  using DurableKey = DurableKeyNumber;
  using Event = Unsaid;
  using Request = RequestNumber;
};
/// What a search performs actions on.
struct Numbers : NumberTypes {
  using Vocabulary = zablab::Vocabulary<NumberTypes>;
};
using NumberedAction = Action<Numbers>;

/// The positions of the parts of a world in a tuple.
struct Layout {
  int servers = 0;  ///< including clients
  int links = 0;
  int disks_at = 0;
  int own_at = 0;
  int shared_at = 0;
  int channels_at = 0;
  int relations_at = 0;
  int relation_words = 0;
  int spent_at = 0;
  int size = 0;

  static constexpr int size_max = 512;
  static constexpr int spent_words = std::tuple_size_v<Spent::Words>;

  explicit Layout(int server_count, int link_count) : servers(server_count), links(link_count) {
    disks_at = servers;
    own_at = disks_at + servers;
    shared_at = own_at + servers;
    channels_at = shared_at + 1;
    relations_at = channels_at + links * servers * servers;
    relation_words = ((1 + 3 * links) * servers * servers + 31) / 32;
    spent_at = relations_at + relation_words;
    size = spent_at + spent_words;
  }
  /// Whether a search has a place for each part, and a bit for each server and for each of its links.
  bool fits() const { return servers <= Spent::servers_max && links * servers <= 64 && size <= size_max; }
  int channel(Link link, int from, int to) const {
    return channels_at + (link * servers + from) * servers + to;
  }
  int relationBit(Relation relation, Link link, int a, int b) const {
    const int which = relation == Relation::cut ? 0 : 1 + 3 * link + static_cast<int>(relation) - 1;
    return (which * servers + a) * servers + b;
  }
};

/// The tables behind all tuples of a search, shared by its threads.
class Tables {
 public:
  using V = Numbers::Vocabulary;
  using Timer = V::Timer;
  static constexpr std::size_t links_max = 8;  ///< a server's view has a bit for each

  using AnyTimer = Any::Vocabulary::Timer;
  using Age = Any::Vocabulary::Age;

  struct ServerView {
    bool up = false;
    bool paused = false;
    bool awaits_durable = false;  ///< it is to be notified immediately that something is durable
    bool awaits_age = false;
    std::uint8_t server = 0;   ///< the index of the one that had this value first
    std::uint8_t accepts = 0;  ///< by link, one bit each
    std::uint32_t says = 0;    ///< FamilyCheck::view
    std::uint64_t timers = 0;  ///< by number, one bit each
  };
  struct DiskView {
    std::uint32_t unsynced = 0;    ///< number of writes
    std::uint64_t holds_back = 0;  ///< by link and server, one bit each
  };
  struct ChannelView {
    std::uint16_t length = 0;
    bool close = false;        ///< a token is on it
    std::uint32_t unsent = 0;  ///< a message's number plus one; 0: none
    std::uint32_t last = 0;
    std::uint32_t late = 0;        ///< the first late message
    bool next_connection = false;  ///< something of it is after the token
    std::atomic<std::uint64_t> taken{
        0};  ///< what remains when the first item is taken, and the item; 0: unknown
    ChannelView& operator=(const ChannelView& other) {
      length = other.length;
      close = other.close;
      unsent = other.unsent;
      last = other.last;
      late = other.late;
      next_connection = other.next_connection;
      taken = other.taken.load();
      return *this;
    }
    ChannelView() = default;
    ChannelView(const ChannelView& other) { *this = other; }
  };
  /// The result of a step, with its timers already armed. It fits into one cache line: it is mostly not in
  /// the cache when needed.
  struct alignas(64) Ran {
    std::uint32_t server = 0;
    std::uint32_t looks = 0;  ///< elections that began in it
    V::Effects effects;
    std::vector<CrashPoint>
        crash_points;  ///< points at which it leaves something that no crash between steps leaves
    std::uint64_t armed = 0;  ///< the timers that it set, by number, one bit each
  };
  static_assert(sizeof(void*) < 8 || sizeof(Ran) == 64);
  struct Gated {
    Link link = 0;
    ServerId to = no_server;
    MessageNumber message;
  };
  struct Synced {
    std::uint32_t disk = 0;
    SyncedWrite<RecordNumber, Gated, DurableKeyNumber> taken;
  };
  struct Ended {
    std::uint32_t disk = 0;
    std::vector<RecordNumber> records;
  };

  Tables(const AnyCluster& cluster, const FamilyCheck& check,
         std::uint32_t numbers = Interned<Server<Any>>::numbers_max);

  const AnyCluster& cluster() const { return cluster_; }
  const FamilyCheck& check() const { return check_; }
  const Layout& layout() const { return layout_; }

  /// Of server `i`.
  std::uint32_t numberOf(int i, const Server<Any>& value);
  std::uint32_t numberOf(const Disk<Any>& value);
  std::uint32_t numberOf(const Channel<Value>& value);
  /// There are few timers, and they are the same for every server.
  Timer numberOf(const AnyTimer& timer);
  Timer timer(unsigned number) const { return {timers_[number].kind, {static_cast<std::uint8_t>(number)}}; }
  const AnyTimer& valueOf(const Timer& timer) const { return timers_[timer.key.number]; }
  std::uint64_t holdBit(Link link, ServerId to) const {
    const int j = cluster_.indexOf(to);
    return j < 0 ? 0 : std::uint64_t{1} << (link * layout_.servers + j);
  }
  /// The action on values.
  Action<Any> valueOf(const NumberedAction& action) const;

  std::uint32_t down(int i) const { return down_[at(i)]; }
  std::uint32_t blank(int i) const { return blank_[at(i)]; }

  /// Makes room in the memos. No other thread may be working.
  void grow() {
    for (Memo* memo : {&steps, &server_changes, &channel_changes, &disk_changes, &syncs, &endings, &shown}) {
      memo->grow();
    }
  }

  /// All values, and their numbers; not what was computed from them. `restore` is called before anything else
  /// is entered than a search enters at its beginning.
  void store(CheckpointWriter& file) const;
  void restore(CheckpointReader& file);

  Interned<Server<Any>, ServerView> servers;
  Interned<Disk<Any>, DiskView> disks;
  Interned<Channel<Value>, ChannelView> channels;
  Interned<Value> messages;
  Interned<Value> records;
  Interned<Value> requests;
  Interned<GatedSend<Value>> gated;
  Interned<AnyKey> durable_keys;
  Interned<Age> ages;  ///< answers; a mark has the number of its answer without a time
  Memo steps;
  Memo server_changes;
  Memo channel_changes;
  Memo disk_changes;
  Memo syncs;
  Memo endings;
  Memo shown;
  Results<Ran> ran;
  Results<Synced> synced;
  Results<Ended> ended;

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::optional<Timer> findTimer(const AnyTimer& timer) const;
  Bytes encodingOf(const Server<Any>& server) const;
  ServerView viewOf(int i, const Server<Any>& server);
  DiskView viewOf(const Disk<Any>& disk) const;
  ChannelView viewOf(const Channel<Value>& channel);

  const AnyCluster& cluster_;
  const FamilyCheck& check_;
  Layout layout_;
  std::vector<std::uint32_t> down_;
  std::vector<std::uint32_t> blank_;
  std::mutex timers_mutex_;
  std::array<AnyTimer, 64> timers_;
  std::atomic<std::size_t> timers_count_{0};
};

}  // namespace zablab
