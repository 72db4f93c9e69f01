// What the numbers of a search refer to: the distinct values of each kind of component, with what guards need
// to know about them, and what was computed from them before.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "checker/check/bounds.h"
#include "checker/check/intern.h"
#include "sim/action.h"
#include "sim/direct.h"

namespace zablab {

struct MessageNumber {
  std::uint32_t number = 0;
};
struct RecordNumber {
  std::uint32_t number = 0;
};
struct DiskNumber {
  std::uint32_t number = 0;
};
/// A server's events are for watchers; the tuples do not contain them.
struct Unsaid {};

template <class F>
struct NumberTypes {
  using Message = MessageNumber;
  using Record = RecordNumber;
  using Durable = DiskNumber;
  using TimerKind = typename F::TimerKind;
  using TimerKey = typename F::Vocabulary::TimerKey;
  using MarkKey = typename F::Vocabulary::MarkKey;
  using DurableKey = typename F::Vocabulary::DurableKey;
  using Event = Unsaid;
  using Request = typename F::Request;
};

/// A table that a family has no use for.
struct NoTable {
  explicit NoTable(std::uint32_t) {}
};

/// What a search requires of a family besides its steps: checker/check/contract.h. Specialised once for each,
/// in checker/<family>/check.h.
template <class F>
struct CheckOf;

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
  static constexpr int spent_words = 4;

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

/// The points within a step at which a dying process leaves something that it would leave neither before nor
/// after the step: a write without what follows it, or half of a write.
template <class F>
std::vector<CrashPoint> crashPointsOf(const typename F::Vocabulary::Effects& effects) {
  using V = typename F::Vocabulary;
  std::vector<CrashPoint> points;
  std::uint8_t writes = 0;
  bool left_something = false;  // before the present effect
  bool written_last = false;
  for (const auto& effect : effects) {
    const auto* write = std::get_if<typename V::Write>(&effect);
    const bool sends = std::holds_alternative<typename V::Send>(effect);
    if (written_last && (sends || write != nullptr)) points.push_back({writes, AtWrite::after});
    if (write != nullptr && write->blocking) {
      ++writes;
      if (left_something && !written_last) points.push_back({writes, AtWrite::before});
      if constexpr (requires { &F::writeHalf; }) {
        typename F::Durable disk{};
        F::writeHalf(disk, write->record);
        if (disk != typename F::Durable{}) points.push_back({writes, AtWrite::half});
      }
      written_last = true;
    } else if (sends || write != nullptr) {
      written_last = false;
    }
    left_something = left_something || sends || write != nullptr;
  }
  return points;
}

/// The tables behind all tuples of a search, shared by its threads.
template <class F>
class Tables {
 public:
  using V = Vocabulary<NumberTypes<F>>;
  using Timer = typename V::Timer;
  using Message = typename F::Message;

  struct ServerView {
    bool up = false;
    bool paused = false;
    bool awaits_durable = false;  ///< it is to be notified immediately that something is durable
    bool awaits_age = false;
    std::uint8_t accepts = 0;  ///< by link, one bit each
    std::uint32_t says = 0;    ///< CheckOf<F>::view
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
    typename V::Effects effects;
    std::vector<CrashPoint>
        crash_points;  ///< points at which it leaves something that no crash between steps leaves
  };
  struct Gated {
    Link link = 0;
    ServerId to = no_server;
    MessageNumber message;
  };
  using DurableKey = typename F::Vocabulary::DurableKey;
  struct Synced {
    std::uint32_t disk = 0;
    SyncedWrite<RecordNumber, Gated, DurableKey> taken;
  };
  struct Ended {
    std::uint32_t disk = 0;
    std::vector<RecordNumber> records;
  };

  explicit Tables(const Cluster<F>& cluster, std::uint32_t numbers = Interned<Server<F>>::numbers_max)
      : servers(numbers),
        disks(numbers),
        channels(numbers),
        messages(numbers),
        records(numbers),
        requests(numbers),
        gated(numbers),
        durable_keys(numbers),
        ages(numbers),
        cluster_(cluster),
        layout_(static_cast<int>(cluster.ids.size()), static_cast<int>(cluster.links.size())) {
    if (!layout_.fits()) throw TableFull("this is too many servers and links for a search");
    static_assert(F::links.size() <= 8, "ServerView has a bit for each link");
    // Number 0 of each is the empty value.
    numberOf(Channel<Message>{});
    numberOf(Disk<F>{});
    for (int i = 0; i < layout_.servers; ++i) {
      Server<F> server;
      server.node = F::blank(cluster.ids[at(i)]);
      server.up = cluster.scripted[at(i)];
      down_.push_back(numberOf(server));
      server.up = true;
      blank_.push_back(numberOf(server));
    }
  }

  const Cluster<F>& cluster() const { return cluster_; }
  const Layout& layout() const { return layout_; }

  std::uint32_t numberOf(const Server<F>& value) {
    return servers.number(value, [this](const Server<F>& server) {
      ServerView view;
      view.up = server.up;
      view.paused = server.paused;
      if constexpr (F::Vocabulary::asks_world) {
        view.awaits_durable = !server.awaited.durable.empty();
        view.awaits_age = !server.awaited.ages.empty();
      }
      for (Link link = 0; link < cluster_.links.size(); ++link) {
        if (server.up && F::accepts(server.node, link)) view.accepts |= static_cast<std::uint8_t>(1U << link);
      }
      for (const Timer& timer : server.timers) view.timers |= std::uint64_t{1} << numberOf(timer);
      const int i = cluster_.indexOf(server.node.self);
      if (server.up) view.says = CheckOf<F>::view(cluster_.configs[at(i)], cluster_.rules, server.node);
      return view;
    });
  }
  std::uint32_t numberOf(const Disk<F>& value) {
    return disks.number(value, [this](const Disk<F>& disk) {
      DiskView view{disk.unsynced(), 0};
      for (const auto& entry : disk.queue) {
        const auto* send = std::get_if<GatedSend<Message>>(&entry);
        if (send != nullptr) view.holds_back |= holdBit(send->link, send->to);
      }
      return view;
    });
  }
  std::uint32_t numberOf(const Channel<Message>& value) {
    return channels.number(value, [this](const Channel<Message>& channel) {
      ChannelView view;
      view.length = static_cast<std::uint16_t>(channel.wire.size());
      view.close = channel.hasClose();
      if (channel.unsent) view.unsent = messages.number(*channel.unsent) + 1;
      if (channel.last) view.last = messages.number(*channel.last) + 1;
      if (!channel.late.empty()) view.late = messages.number(channel.late.front()) + 1;
      view.next_connection = channel.nextConnection() != 0;
      return view;
    });
  }
  /// A timer's name. There are few of them, and they are the same for every server.
  unsigned numberOf(const Timer& timer) {
    if (const auto known = findTimer(timer)) return *known;
    const std::lock_guard lock(timers_mutex_);
    if (const auto known = findTimer(timer)) return *known;
    const std::size_t count = timers_count_.load(std::memory_order_relaxed);
    if (count == timers_.size()) throw TableFull("there are more than 64 distinct timers");
    timers_[count] = timer;
    timers_count_.store(count + 1, std::memory_order_release);
    return static_cast<unsigned>(count);
  }
  const Timer& timer(unsigned number) const { return timers_[number]; }
  std::size_t timerCount() const { return timers_count_.load(std::memory_order_acquire); }
  std::uint64_t holdBit(Link link, ServerId to) const {
    const int j = cluster_.indexOf(to);
    return j < 0 ? 0 : std::uint64_t{1} << (link * layout_.servers + j);
  }

  std::uint32_t down(int i) const { return down_[at(i)]; }
  std::uint32_t blank(int i) const { return blank_[at(i)]; }

  /// Makes room in the memos. No other thread may be working.
  void grow() {
    for (Memo* memo :
         {&steps, &server_changes, &channel_changes, &takes, &disk_changes, &syncs, &endings, &shown}) {
      memo->grow();
    }
  }

  Interned<Server<F>, ServerView> servers;
  Interned<Disk<F>, DiskView> disks;
  Interned<Channel<Message>, ChannelView> channels;
  Interned<Message> messages;
  Interned<typename F::Record> records;
  Interned<typename F::Request> requests;
  Interned<GatedSend<Message>> gated;
  template <class T>
  using IfAsked = std::conditional_t<F::Vocabulary::asks_world, Interned<T>, NoTable>;
  IfAsked<typename F::Vocabulary::DurableKey> durable_keys;
  IfAsked<typename F::Vocabulary::Age> ages;  ///< answers
  Memo steps;
  Memo server_changes;
  Memo channel_changes;
  Memo takes;
  Memo disk_changes;
  Memo syncs;
  Memo endings;
  Memo shown;
  Results<Ran> ran;
  Results<Synced> synced;
  Results<Ended> ended;

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  std::optional<unsigned> findTimer(const Timer& timer) const {
    const std::size_t count = timers_count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i) {
      if (timers_[i] == timer) return static_cast<unsigned>(i);
    }
    return std::nullopt;
  }

  const Cluster<F>& cluster_;
  Layout layout_;
  std::vector<std::uint32_t> down_;
  std::vector<std::uint32_t> blank_;
  std::mutex timers_mutex_;
  std::array<Timer, 64> timers_;
  std::atomic<std::size_t> timers_count_{0};
};

}  // namespace zablab
