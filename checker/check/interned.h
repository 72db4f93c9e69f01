// The store that holds small numbers. Every distinct value of a component has one, a world is a short tuple
// of them, and an operation on a component has usually been done before and is looked up: a node's step by
// (node, input), a channel's change by (channel, change, message). On a miss the functions of
// sim/components.h and of the family are called on the values.
//
// A tuple's fingerprint is the sum of its parts' content hashes, each multiplied by a key of its place, so
// that a step hashes again only what it touched, and no number of the tables enters it.
//
// Functions that every transition calls are forced inline: by default g++ calls them, which costs a tenth of
// the time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "checker/check/tables.h"
#include "sim/store.h"

namespace zablab {

/// One thread's view of one tuple.
class InternedStore {
 public:
  using Family = Numbers;
  using V = Numbers::Vocabulary;
  using Timer = V::Timer;
  using Message = MessageNumber;
  using Part = std::uint32_t;  ///< of a tuple

  explicit InternedStore(Tables& tables) : t_(tables), layout_(tables.layout()), tuple_(layout_.size) {
    for (int place = 0; place < layout_.size; ++place) {
      keys_.push_back(mix64(static_cast<std::uint64_t>(place) + 0x5bd1e995) | 1);
      hashes_.push_back(hashesOf(place));
    }
  }

  // ---- the tuple
  const Part* tuple() const { return tuple_.data(); }
  Part& part(int place) {
    touched_ |= std::uint64_t{1} << (place % 64);
    return tuple_[at(place)];
  }
  Part part(int place) const { return tuple_[at(place)]; }
  void load(const Part* tuple) {
    std::memcpy(tuple_.data(), tuple, tuple_.size() * sizeof(Part));
    touched_ = 0;
  }
  /// Undoes everything done since that tuple was loaded.
  void reload(const Part* tuple) {
    forEachTouched([&](int place) { tuple_[at(place)] = tuple[place]; });
    touched_ = 0;
  }
  const Layout& layout() const { return layout_; }
  Spent spent() const { return spentIn(tuple()); }
  Spent spentIn(const Part* tuple) const {
    Spent::Words words;
    std::copy_n(tuple + layout_.spent_at, words.size(), words.begin());
    return Spent(words);
  }
  void setSpent(const Spent& spent) {
    int place = layout_.spent_at;
    for (const Part word : spent.words()) part(place++) = word;
  }
  const Tables& tables() const { return t_; }

  /// The fingerprint of the tuple, from that of the one that was loaded last.
  std::uint64_t fingerprint(const Part* loaded, std::uint64_t of_loaded) const {
    std::uint64_t sum = of_loaded;
    forEachTouched([&](int place) {
      const Part now = tuple_[at(place)];
      const Part then = loaded[place];
      if (now != then) sum += (hashOf(place, now) - hashOf(place, then)) * keys_[at(place)];
    });
    return sum;
  }
  std::uint64_t fingerprint() const {
    std::uint64_t sum = 0;
    for (int place = 0; place < layout_.size; ++place)
      sum += hashOf(place, tuple_[at(place)]) * keys_[at(place)];
    return sum;
  }
  std::uint64_t fingerprintWithout(const Part* tuple, int from, int to) const {
    std::uint64_t sum = 0;
    for (int place = 0; place < layout_.size; ++place) {
      if (place < from || place >= to) sum += hashOf(place, tuple[place]) * keys_[at(place)];
    }
    return sum;
  }
  /// Where the hashes of the monitors' memories are.
  void setMemoryHashes(const std::uint64_t* own, const std::uint64_t* shared) {
    for (int place = layout_.own_at; place < layout_.shared_at; ++place) hashes_[at(place)] = own;
    hashes_[at(layout_.shared_at)] = shared;
  }

  void setValue(const WorldValue<Any>& value) {
    const int n = size();
    for (int i = 0; i < n; ++i) {
      part(i) = t_.numberOf(i, value.servers[at(i)]);
      part(layout_.disks_at + i) = t_.numberOf(value.disks[at(i)]);
    }
    for (std::size_t i = 0; i < value.channels.size(); ++i) {
      Channel<Value> channel = value.channels[i];
      if (isUnordered(static_cast<Link>(i / at(n * n)))) putInOrder(channel.wire);
      part(layout_.channels_at + static_cast<int>(i)) = t_.numberOf(channel);
    }
    Network network = value.network;
    for (Link link = 0; link < layout_.links; ++link) {
      for (const Relation relation : relations) {
        for (int a = 0; a < n; ++a) {
          for (int b = 0; b < n; ++b) relate(relation, link, a, b, network.of(relation, link).test(a, b));
        }
      }
    }
  }
  WorldValue<Any> value() const {
    const int n = size();
    WorldValue<Any> value;
    for (int i = 0; i < n; ++i) {
      value.servers.push_back(server(i));
      value.disks.push_back(disk(i));
    }
    for (int i = layout_.channels_at; i < layout_.relations_at; ++i)
      value.channels.push_back(t_.channels[part(i)]);
    value.network = networkOf(tuple());
    return value;
  }
  Network networkOf(const Part* tuple) const {
    const int n = size();
    Network network(n, static_cast<std::size_t>(layout_.links));
    for (Link link = 0; link < layout_.links; ++link) {
      for (const Relation relation : relations) {
        for (int a = 0; a < n; ++a) {
          for (int b = 0; b < n; ++b) {
            const int bit = layout_.relationBit(relation, link, a, b);
            network.of(relation, link).set(a, b, (tuple[layout_.relations_at + bit / 32] >> (bit % 32)) & 1);
          }
        }
      }
    }
    return network;
  }

  // ---- inputs: 4 bits for the kind, the others for its content
  static constexpr unsigned about_bits = 28;
  static constexpr unsigned first_free_kind = 13;  ///< for what is not an input
  [[gnu::always_inline]] static std::uint32_t packed(unsigned kind, std::uint64_t about) {
    if (about >> about_bits != 0) throw TableFull("there are too many distinct inputs");
    return kind << about_bits | static_cast<std::uint32_t>(about);
  }
  /// The input with which the present action stepped a node, for the code that stores what steps show; 0:
  /// none.
  std::uint32_t lastInput() const { return last_input_; }
  /// The number of that step; valid only after a step.
  std::uint32_t lastRan() const { return last_ran_; }
  /// Elections that began since the last call.
  std::uint32_t takeLooks() { return std::exchange(looks_, 0); }
  /// The timers, by number, one bit each, that the server set since the last call.
  std::uint64_t takeArmed(int i) { return std::exchange(armed_[at(i)], 0); }
  /// The points within the present action's step at which its process may die.
  const std::vector<CrashPoint>& crashPoints() const { return *crash_points_; }
  void forgetInput() {
    last_input_ = 0;
    crash_points_ = &no_crash_points;
  }

  // ---- the store: servers
  int size() const { return layout_.servers; }
  bool isUp(int i) const { return view(i).up; }
  bool isPaused(int i) const { return view(i).paused; }
  bool accepts(int i, Link link) const { return (view(i).accepts >> link) & 1; }
  std::uint32_t says(int i) const { return view(i).says; }
  template <class Visit>
  void forEachTimer(int i, Visit&& visit) const {
    for (std::uint64_t left = view(i).timers; left != 0; left &= left - 1) {
      visit(t_.timer(static_cast<unsigned>(std::countr_zero(left))));
    }
  }
  const Server<Any>& server(int i) const { return t_.servers[part(i)]; }

  [[gnu::always_inline]] const V::Effects& step(int i, const V::Input& input, Millis) {
    last_input_ = keyOf(input);
    const std::uint64_t key = std::uint64_t{part(i)} << 32 | last_input_;
    std::optional<std::uint32_t> known = t_.steps.find(key);
    if (!known) {
      known = compute(i, input);
      t_.steps.note(key, *known);
    }
    last_ran_ = *known;
    const auto& ran = t_.ran[*known];
    part(i) = ran.server;
    t_.servers.prefetch(ran.server);
    looks_ += ran.looks;
    armed_[at(i)] |= ran.armed;
    crash_points_ = &ran.crash_points;
    return ran.effects;
  }
  MessageNumber shown(int i) const {
    const std::uint64_t key = 1ULL << 63 | std::uint64_t{part(i)} << 32 | part(layout_.disks_at + i);
    if (const auto known = t_.shown.find(key)) return {*known};
    const AnyCluster& cluster = t_.cluster();
    const Value shown = cluster.nodes->shown(cluster, i, isUp(i), server(i).node, disk(i).image);
    const std::uint32_t number = t_.messages.number(shown);
    t_.shown.note(key, number);
    return {number};
  }
  void boot(int i) { part(i) = t_.blank(i); }
  void crash(int i) { part(i) = t_.down(i); }
  void setPaused(int i, bool paused) {
    part(i) = changed(i, paused ? 1 : 2, 0, [paused](Server<Any>& server) { server.paused = paused; });
  }
  bool arm(int i, const Timer& timer) {
    const bool fresh = !isArmed(i, timer);
    part(i) = changed(i, 3, timer.key.number,
                      [&](Server<Any>& server) { zablab::arm(server.timers, t_.valueOf(timer)); });
    return fresh;
  }
  bool disarm(int i, const Timer& timer) {
    if (!isArmed(i, timer)) return false;
    part(i) = changed(i, 4, timer.key.number,
                      [&](Server<Any>& server) { zablab::disarm(server.timers, t_.valueOf(timer)); });
    return true;
  }

  // ---- what servers request from the world
  bool awaits(int i) const { return awaitsDurable(i) || awaitsAge(i); }
  bool awaitsDurable(int i) const { return view(i).awaits_durable; }
  bool awaitsAge(int i) const { return view(i).awaits_age; }
  void noteDurable(int i, DurableKeyNumber key) {
    part(i) = changed(i, 5, key.number, [&](Server<Any>& server) {
      server.awaited.durable.push_back(t_.durable_keys[key.number]);
    });
  }
  DurableKeyNumber takeDurable(int i) {
    const DurableKeyNumber key{t_.durable_keys.number(server(i).awaited.durable.front())};
    part(i) = changed(
        i, 6, 0, [](Server<Any>& server) { server.awaited.durable.erase(server.awaited.durable.begin()); });
    return key;
  }
  void mark(int i, MarkNumber key) {  // done within the step
    part(i) =
        changed(i, 7, key.number, [&](Server<Any>& server) { server.awaited.mark(t_.ages[key.number].key); });
  }
  void askAge(int i, MarkNumber key) {
    part(i) = changed(i, 8, key.number,
                      [&](Server<Any>& server) { server.awaited.askAge(t_.ages[key.number].key); });
  }
  MarkNumber takeAge(int i) {
    const MarkNumber key{t_.ages.number({server(i).awaited.ages.front().key, {}})};
    part(i) =
        changed(i, 9, 0, [](Server<Any>& server) { server.awaited.ages.erase(server.awaited.ages.begin()); });
    return key;
  }

  // ---- channels
  bool isEmpty(Link link, int from, int to) const { return channelView(link, from, to).length == 0; }
  std::size_t length(Link link, int from, int to) const { return channelView(link, from, to).length; }
  bool hasClose(Link link, int from, int to) const { return channelView(link, from, to).close; }
  std::optional<MessageNumber> unsent(Link link, int from, int to) const {
    return numbered(channelView(link, from, to).unsent);
  }
  std::optional<MessageNumber> last(Link link, int from, int to) const {
    return numbered(channelView(link, from, to).last);
  }
  bool hasNextConnection(Link link, int from, int to) const {
    return channelView(link, from, to).next_connection;
  }
  std::optional<MessageNumber> firstLate(Link link, int from, int to) const {
    return numbered(channelView(link, from, to).late);
  }
  MessageNumber itemAt(Link link, int from, int to, std::size_t position) const {
    return {t_.messages.number(*channel(link, from, to).wire[position])};
  }
  [[gnu::always_inline]] std::optional<MessageNumber> take(Link link, int from, int to,
                                                           std::size_t position) {
    Part& number = part(layout_.channel(link, from, to));
    const std::uint64_t taken = position == 0 ? takeFirst(number) : takeAt(number, position);
    number = static_cast<Part>(taken >> 32) - 1;
    t_.channels.prefetch(number);
    return numbered(static_cast<std::uint32_t>(taken));
  }
  [[gnu::always_inline]] void change(Link link, int from, int to, ChannelChange what, MessageNumber message) {
    Part& number = part(layout_.channel(link, from, to));
    const bool unordered = isUnordered(link);
    const std::uint64_t key = 1ULL << 63 | std::uint64_t{unordered} << 62 |
                              std::uint64_t{static_cast<std::uint8_t>(what)} << 58 |
                              std::uint64_t{number} << 28 | message.number;
    if (const auto known = t_.channel_changes.find(key)) {
      number = *known;
      t_.channels.prefetch(number);
      return;
    }
    Channel<Value> channel = t_.channels[number];
    const bool said = what == ChannelChange::put || what == ChannelChange::put_kept ||
                      what == ChannelChange::wait || what == ChannelChange::keep;
    zablab::change(channel, what, said ? t_.messages[message.number] : Value());
    if (unordered) putInOrder(channel.wire);
    number = t_.numberOf(channel);
    t_.channel_changes.note(key, number);
  }
  const Channel<Value>& channel(Link link, int from, int to) const {
    return t_.channels[part(layout_.channel(link, from, to))];
  }

  // ---- disks
  bool hasUnsynced(int i) const { return diskView(i).unsynced != 0; }
  std::uint32_t unsynced(int i) const { return diskView(i).unsynced; }
  bool holdsBack(int i, Link link, ServerId to) const {
    return diskView(i).holds_back != 0 && (diskView(i).holds_back & t_.holdBit(link, to)) != 0;
  }
  RecordNumber oldestUnsynced(int i) const { return {t_.records.number(get<Value>(disk(i).queue.front()))}; }
  DiskNumber image(int i) const { return {part(layout_.disks_at + i)}; }
  void write(int i, RecordNumber record) {
    changeDisk(i, 1, record.number,
               [&](Disk<Any>& disk) { t_.cluster().nodes->write(disk.image, t_.records[record.number]); });
  }
  void writeHalf(int i, RecordNumber record) {
    changeDisk(i, 6, record.number, [&](Disk<Any>& disk) {
      t_.cluster().nodes->writeHalf(disk.image, t_.records[record.number]);
    });
  }
  void queueWrite(int i, RecordNumber record) {
    changeDisk(i, 2, record.number,
               [&](Disk<Any>& disk) { disk.queue.push_back(t_.records[record.number]); });
  }
  void queueSend(int i, Link link, ServerId to, MessageNumber message) {
    const GatedSend<Value> send{link, to, t_.messages[message.number]};
    changeDisk(i, 3, t_.gated.number(send), [&](Disk<Any>& disk) { disk.queue.push_back(send); });
  }
  void queueAsk(int i, DurableKeyNumber key) {
    changeDisk(i, 7, key.number, [&](Disk<Any>& disk) {
      disk.queue.push_back(DurableAsk<AnyKey>{t_.durable_keys[key.number]});
    });
  }
  const auto& syncOldest(int i) {
    Part& number = part(layout_.disks_at + i);
    const std::uint64_t key = 1ULL << 63 | number;
    std::optional<std::uint32_t> known = t_.syncs.find(key);
    if (!known) {
      Disk<Any> disk = t_.disks[number];
      auto taken = takeOldestWrite(disk);
      t_.cluster().nodes->write(disk.image, taken.record);
      Tables::Synced synced{t_.numberOf(disk), {{t_.records.number(taken.record)}, {}, {}}};
      for (const AnyKey& told : taken.told) synced.taken.told.push_back({t_.durable_keys.number(told)});
      for (const auto& send : taken.sends) {
        synced.taken.sends.push_back({send.link, send.to, {t_.messages.number(send.message)}});
      }
      known = t_.synced.add(std::move(synced));
      t_.syncs.note(key, *known);
    }
    number = t_.synced[*known].disk;
    return t_.synced[*known].taken;
  }
  void clearQueue(int i) {
    changeDisk(i, 4, 0, [](Disk<Any>& disk) { disk.queue.clear(); });
  }
  void dropGated(int i, Link link, ServerId to) {
    if (!holdsBack(i, link, to)) return;
    const auto bit = static_cast<std::uint32_t>(std::countr_zero(t_.holdBit(link, to)));
    changeDisk(i, 5, bit, [&](Disk<Any>& disk) { zablab::dropGated(disk, link, to); });
  }
  const std::vector<RecordNumber>& endDisk(int i, std::uint32_t kept) {
    Part& number = part(layout_.disks_at + i);
    const std::uint64_t key = 1ULL << 63 | std::uint64_t{number} << 32 | kept;
    std::optional<std::uint32_t> known = t_.endings.find(key);
    if (!known) {
      Disk<Any> disk = t_.disks[number];
      Tables::Ended ended;
      for (const auto& record : zablab::endDisk(disk, kept, [this](Value&image, const Value&written) {
             t_.cluster().nodes->write(image, written);
           }))
        ended.records.push_back({t_.records.number(record)});
      ended.disk = t_.numberOf(disk);
      known = t_.ended.add(std::move(ended));
      t_.endings.note(key, *known);
    }
    number = t_.ended[*known].disk;
    return t_.ended[*known].records;
  }
  void wipe(int i) { part(layout_.disks_at + i) = 0; }
  const Disk<Any>& disk(int i) const { return t_.disks[part(layout_.disks_at + i)]; }

  // ---- connections and cuts
  bool holds(Relation relation, Link link, int a, int b) const {
    const int bit = layout_.relationBit(relation, link, a, b);
    return (part(layout_.relations_at + bit / 32) >> (bit % 32)) & 1;
  }
  /// Whether any two servers are in this relation.
  bool holdsAny(Relation relation, Link link) const {
    const int first = layout_.relationBit(relation, link, 0, 0);
    const int end = first + size() * size();
    for (int bit = first; bit < end; bit = (bit / 32 + 1) * 32) {
      const Part of_word = part(layout_.relations_at + bit / 32) >> (bit % 32);
      if ((of_word & ((std::uint64_t{1} << std::min(end - bit, 32)) - 1)) != 0) return true;
    }
    return false;
  }
  void relate(Relation relation, Link link, int a, int b, bool value) {
    const int bit = layout_.relationBit(relation, link, a, b);
    Part& word = part(layout_.relations_at + bit / 32);
    const Part mask = Part{1} << (bit % 32);
    word = value ? (word | mask) : (word & ~mask);
  }

 private:
  /// Visits all places that may differ from the tuple that was loaded last, and possibly others.
  template <class Visit>
  void forEachTouched(Visit&& visit) const {
    for (std::uint64_t left = touched_; left != 0; left &= left - 1) {
      for (int place = std::countr_zero(left); place < layout_.size; place += 64) visit(place);
    }
  }

  static constexpr std::array relations{Relation::cut, Relation::open, Relation::dialling,
                                        Relation::half_open};

  /// Datagrams have no order: two orders of the same datagrams are one state.
  bool isUnordered(Link link) const { return t_.cluster().links[link] == LinkKind::datagram; }

  template <class Integer>
  static std::size_t at(Integer i) {
    return static_cast<std::size_t>(i);
  }
  static std::optional<MessageNumber> numbered(std::uint32_t one_more) {
    return one_more == 0 ? std::nullopt : std::optional(MessageNumber{one_more - 1});
  }

  const Tables::ServerView& view(int i) const { return t_.servers.view(part(i)); }
  const Tables::DiskView& diskView(int i) const { return t_.disks.view(part(layout_.disks_at + i)); }
  const Tables::ChannelView& channelView(Link link, int from, int to) const {
    return t_.channels.view(part(layout_.channel(link, from, to)));
  }
  bool isArmed(int i, const Timer& timer) const { return (view(i).timers >> timer.key.number) & 1; }

  std::uint64_t hashOf(int place, Part value) const {
    const std::uint64_t* const hashes = hashes_[at(place)];
    return hashes != nullptr ? hashes[value] : mix64(value);
  }
  /// The content hashes of this place's values, by number; null if it holds no numbers, or those of the
  /// monitors' memories.
  const std::uint64_t* hashesOf(int place) const {
    if (place < layout_.disks_at) return t_.servers.hashes();
    if (place < layout_.own_at) return t_.disks.hashes();
    if (place < layout_.channels_at || place >= layout_.relations_at) return nullptr;
    return t_.channels.hashes();
  }

  [[gnu::always_inline]] std::uint64_t packedPeer(Link link, ServerId peer, std::uint64_t message = 0) const {
    if (message >> 20 != 0) throw TableFull("there are more than a million distinct messages");
    static_assert(Spent::servers_max <= 32);
    return std::uint64_t{link} << 25 | static_cast<std::uint64_t>(t_.cluster().indexOf(peer)) << 20 | message;
  }
  [[gnu::always_inline]] std::uint32_t keyOf(const V::Input& input) const {
    if (const auto* received = get_if<V::Received>(&input)) {
      return packed(received->late ? 12 : 1,
                    packedPeer(received->link, received->from, received->message.number));
    }
    if (const auto* fired = get_if<V::Fired>(&input)) {
      return packed(2, fired->timer.key.number * 2U + (fired->undelivered ? 1 : 0));
    }
    if (const auto* connected = get_if<V::Connected>(&input)) {
      return packed(3, packedPeer(connected->link, connected->peer));
    }
    if (const auto* refused = get_if<V::Refused>(&input)) {
      return packed(4, packedPeer(refused->link, refused->peer));
    }
    if (const auto* closed = get_if<V::Disconnected>(&input)) {
      return packed(5, packedPeer(closed->link, closed->peer));
    }
    if (const auto* started = get_if<V::Start>(&input)) return packed(6, started->disk.number);
    if (const auto* failed = get_if<V::WriteFailed>(&input)) return packed(7, failed->record.number);
    if (const auto* asked = get_if<V::Asked>(&input)) return packed(8, asked->request.number);
    if (const auto* own = get_if<V::OwnAction>(&input))
      return packed(11, packedPeer(0, own->peer, own->shown.number));
    if (const auto* told = get_if<V::NowDurable>(&input)) return packed(9, told->key.number * 2ULL);
    if (const auto* age = get_if<V::Age>(&input)) return packed(9, numberOf(*age) * 2ULL + 1);
    if (holds_alternative<V::Prompt>(input)) return packed(10, 1);
    return packed(10, 0);  // TakeUp
  }
  std::uint32_t numberOf(const V::Age& age) const {
    return t_.ages.number({t_.ages[age.key.number].key, age.millis});
  }

  Any::Vocabulary::Input valueOf(const V::Input& input) const;
  /// The family's own step, on values.
  std::uint32_t compute(int i, const V::Input& input);

  template <class Change>
  std::uint32_t changed(int i, unsigned what, std::uint64_t about, Change&& change) {
    const std::uint64_t key = std::uint64_t{what} << 60 | std::uint64_t{part(i)} << 32 | about;
    if (const auto known = t_.server_changes.find(key)) return *known;
    Server<Any> server = t_.servers[part(i)];
    change(server);
    const std::uint32_t number = t_.numberOf(i, server);
    t_.server_changes.note(key, number);
    return number;
  }
  template <class Change>
  void changeDisk(int i, unsigned what, std::uint64_t about, Change&& change) {
    Part& number = part(layout_.disks_at + i);
    const std::uint64_t key = std::uint64_t{what} << 60 | std::uint64_t{number} << 32 | about;
    if (const auto known = t_.disk_changes.find(key)) {
      number = *known;
      t_.disks.prefetch(number);
      return;
    }
    Disk<Any> disk = t_.disks[number];
    change(disk);
    number = t_.numberOf(disk);
    t_.disk_changes.note(key, number);
  }

  /// What remains, and the number of the item's message plus one, or 0 for a token.
  [[gnu::always_inline]] std::uint64_t takeFirst(Part number) {
    auto& taken = const_cast<Tables::ChannelView&>(t_.channels.view(number)).taken;
    std::uint64_t known = taken.load(std::memory_order_acquire);
    if (known == 0) taken.store(known = computeTake(number, 0), std::memory_order_release);
    return known;
  }
  std::uint64_t takeAt(Part number, std::size_t position) {
    return computeTake(number, position);  // only on datagram links
  }
  std::uint64_t computeTake(Part number, std::size_t position) {
    Channel<Value> channel = t_.channels[number];
    const auto item = channel.take(position);
    const std::uint64_t message = item ? t_.messages.number(*item) + 1 : 0;
    return (std::uint64_t{t_.numberOf(channel)} + 1) << 32 | message;
  }

  Tables& t_;
  const Layout& layout_;
  std::vector<Part> tuple_;
  std::uint64_t touched_ = 0;  ///< places that were written since a tuple was loaded, one bit for every 64th
  std::vector<std::uint64_t> keys_;           ///< by place
  std::vector<const std::uint64_t*> hashes_;  ///< by place
  static inline const std::vector<CrashPoint> no_crash_points;
  const std::vector<CrashPoint>* crash_points_ = &no_crash_points;
  std::uint32_t last_input_ = 0;
  std::uint32_t last_ran_ = 0;
  std::uint32_t looks_ = 0;
  std::array<std::uint64_t, Spent::servers_max> armed_{};  ///< by server
};

}  // namespace zablab
