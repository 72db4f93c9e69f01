// The store that holds live values: for the simulator, and for the walker of tests.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "protocol/reflect.h"
#include "sim/components.h"

namespace zablab {

/// Ids by index, and the index of each.
class NodeIds {
 public:
  NodeIds() = default;
  NodeIds(std::initializer_list<ServerId> ids) {
    for (const ServerId id : ids) push_back(id);
  }
  void push_back(ServerId id) {
    if (list_.size() >= gone_through) far_.emplace(id, static_cast<int>(list_.size()));
    list_.push_back(id);
  }
  std::size_t size() const { return list_.size(); }
  ServerId operator[](std::size_t index) const { return list_[index]; }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }
  const std::vector<ServerId>& list() const { return list_; }
  /// -1: there is no such id.
  int indexOf(ServerId id) const {
    for (std::size_t i = 0; i < std::min(list_.size(), gone_through); ++i) {
      if (list_[i] == id) return static_cast<int>(i);
    }
    const auto found = far_.find(id);
    return found == far_.end() ? -1 : found->second;
  }

 private:
  static constexpr std::size_t gone_through = 64;

  std::vector<ServerId> list_;
  std::unordered_map<ServerId, int> far_;  ///< those behind the first
};

/// The servers of a run; they never change.
struct ClusterShape {
  NodeIds ids;                  ///< by index: servers, then clients
  std::size_t clients = 0;      ///< this many of the last ids are clients
  std::vector<bool> scripted;   ///< by index: no process; a scenario sends its messages
  std::vector<LinkKind> links;  ///< by link: the kind that each runs on
  std::size_t capacity = 1;     ///< of bounded links, in messages

  int serverCount() const { return static_cast<int>(ids.size() - clients); }
  int indexOf(ServerId id) const { return ids.indexOf(id); }
};

/// The same with their rules and configurations.
template <class F>
struct Cluster : ClusterShape {
  std::vector<typename F::Config> configs;  ///< by index: views may differ
  typename F::Rules rules;
};

/// A family's steps, for the servers of a run. Of a family that is known only at run time: sim/any.h.
template <class F>
struct Steps {
  using V = typename F::Vocabulary;
  static typename F::Node blank(const Cluster<F>&, ServerId self) { return F::blank(self); }
  static typename F::Durable emptyDisk(const Cluster<F>&) { return {}; }
  static bool accepts(const Cluster<F>&, const typename F::Node& node, Link link) {
    return F::accepts(node, link);
  }
  static void step(const Cluster<F>& cluster, int i, Millis clock, typename F::Node& node,
                   const typename V::Input& input, typename V::Effects& effects) {
    stepAt<F>(clock, cluster.configs[static_cast<std::size_t>(i)], cluster.rules, node, input, effects);
  }
  static typename F::Message shown(const Cluster<F>& cluster, int i, bool up, const typename F::Node& node,
                                   const typename F::Durable& disk) {
    if constexpr (requires { F::own_action; }) {
      return F::shown(cluster.configs[static_cast<std::size_t>(i)], cluster.rules, up, node, disk);
    } else {
      return {};
    }
  }
  static void write(const Cluster<F>&, typename F::Durable& disk, const typename F::Record& record) {
    F::write(disk, record);
  }
  static void writeHalf(const Cluster<F>&, typename F::Durable& disk, const typename F::Record& record) {
    if constexpr (requires { &F::writeHalf; }) F::writeHalf(disk, record);
  }
};

/// Everything that can change in a world, as one value.
template <class F>
struct WorldValue {
  std::vector<Server<F>> servers;
  std::vector<Disk<F>> disks;
  std::vector<Channel<typename F::Message>> channels;  ///< [link][from][to]; of many nodes: PairPlaces
  Network network;
  bool operator==(const WorldValue&) const = default;
  BOOST_DESCRIBE_CLASS(WorldValue, (), (servers, disks, channels, network), (), ())
};

template <class F>
class DirectStore {
 public:
  using Family = F;
  using V = typename F::Vocabulary;
  using Message = typename F::Message;
  using Record = typename F::Record;

  explicit DirectStore(const Cluster<F>& cluster)
      : cluster_(&cluster), places_(cluster.ids.size(), cluster.links.size()) {
    const std::size_t n = cluster.ids.size();
    value_.servers.resize(n);
    value_.disks.resize(n);
    value_.channels.resize(places_.count());
    value_.network = Network(static_cast<int>(n), cluster.links.size());
    for (std::size_t i = 0; i < n; ++i) {
      crash(static_cast<int>(i));
      wipe(static_cast<int>(i));
      value_.servers[i].up = cluster.scripted[i];
    }
  }

  int size() const { return static_cast<int>(cluster_->ids.size()); }
  bool isUp(int i) const { return server(i).up; }
  bool isPaused(int i) const { return server(i).paused; }
  bool accepts(int i, Link link) const {
    return cluster_->scripted[at(i)] || Steps<F>::accepts(*cluster_, server(i).node, link);
  }
  template <class Visit>
  void forEachTimer(int i, Visit&& visit) const {
    for (const auto& timer : server(i).timers) visit(timer);
  }
  const Server<F>& server(int i) const { return value_.servers[at(i)]; }

  /// `clock`: the reading of the node's own clock. The effects are valid until the next step.
  typename V::Effects& step(int i, typename V::Input& input, Millis clock) {
    effects_.clear();
    Steps<F>::step(*cluster_, i, clock, value_.servers[at(i)].node, input, effects_);
    return effects_;
  }
  Message shown(int i) const {
    return Steps<F>::shown(*cluster_, i, server(i).up, server(i).node, disk(i).image);
  }
  void boot(int i) {
    crash(i);
    value_.servers[at(i)].up = true;
  }
  void crash(int i) {
    value_.servers[at(i)] = {};
    value_.servers[at(i)].node = Steps<F>::blank(*cluster_, cluster_->ids[at(i)]);
  }
  void setPaused(int i, bool paused) { value_.servers[at(i)].paused = paused; }
  /// Replaces the process: a scenario changes a state directly.
  void setNode(int i, typename F::Node node) { value_.servers[at(i)].node = std::move(node); }
  bool arm(int i, const typename V::Timer& timer) { return zablab::arm(value_.servers[at(i)].timers, timer); }
  bool disarm(int i, const typename V::Timer& timer) {
    return zablab::disarm(value_.servers[at(i)].timers, timer);
  }

  bool awaits(int i) const { return server(i).awaited.any(); }
  bool awaitsDurable(int i) const { return !server(i).awaited.durable.empty(); }
  void noteDurable(int i, const typename V::DurableKey& key) { awaited(i).durable.push_back(key); }
  auto takeDurable(int i) { return takeFirst(awaited(i).durable); }
  void mark(int i, const typename V::MarkKey& key) { awaited(i).mark(key); }
  void askAge(int i, const typename V::MarkKey& key) { awaited(i).askAge(key); }
  auto takeAge(int i) { return takeFirst(awaited(i).ages).key; }

  bool isEmpty(Link link, int from, int to) const { return channel(link, from, to).wire.empty(); }
  std::size_t length(Link link, int from, int to) const { return channel(link, from, to).wire.size(); }
  bool hasClose(Link link, int from, int to) const { return channel(link, from, to).hasClose(); }
  std::optional<Message> unsent(Link link, int from, int to) const { return channel(link, from, to).unsent; }
  std::optional<Message> last(Link link, int from, int to) const { return channel(link, from, to).last; }
  bool hasNextConnection(Link link, int from, int to) const {
    return channel(link, from, to).nextConnection() != 0;
  }
  std::optional<Message> firstLate(Link link, int from, int to) const {
    const auto& late = channel(link, from, to).late;
    return late.empty() ? std::nullopt : std::optional(late.front());
  }
  Message itemAt(Link link, int from, int to, std::size_t position) const {
    return *channel(link, from, to).wire[position];
  }
  std::optional<Message> take(Link link, int from, int to, std::size_t position) {
    return channel(link, from, to).take(position);
  }
  void change(Link link, int from, int to, ChannelChange what, Message message = {}) {
    const bool removes = what == ChannelChange::clear || what == ChannelChange::forget;
    if (removes && places_.find(link, from, to) == PairPlaces::none) return;
    zablab::change(channel(link, from, to), what, std::move(message));
  }

  bool hasUnsynced(int i) const { return disk(i).hasUnsynced(); }
  bool holdsBack(int i, Link link, ServerId to) const { return disk(i).holdsBack(link, to); }
  Record oldestUnsynced(int i) const { return get<Record>(disk(i).queue.front()); }
  typename F::Durable image(int i) const { return disk(i).image; }
  void write(int i, const Record& record) { Steps<F>::write(*cluster_, disk(i).image, record); }
  void writeHalf(int i, const Record& record) { Steps<F>::writeHalf(*cluster_, disk(i).image, record); }
  void queueWrite(int i, Record record) { disk(i).queue.push_back(std::move(record)); }
  void queueSend(int i, Link link, ServerId to, Message message) {
    disk(i).queue.push_back(GatedSend<Message>{link, to, std::move(message)});
  }
  void queueAsk(int i, const typename V::DurableKey& key) {
    disk(i).queue.push_back(DurableAsk<typename V::DurableKey>{key});
  }
  auto syncOldest(int i) {
    auto taken = takeOldestWrite(disk(i));
    write(i, taken.record);
    return taken;
  }
  void clearQueue(int i) { disk(i).queue.clear(); }
  void dropGated(int i, Link link, ServerId to) { zablab::dropGated(disk(i), link, to); }
  std::vector<Record> endDisk(int i, std::uint32_t kept) {
    return zablab::endDisk(disk(i), kept, [this](auto& image, const Record& record) {
      Steps<F>::write(*cluster_, image, record);
    });
  }
  void wipe(int i) {
    disk(i) = {};
    disk(i).image = Steps<F>::emptyDisk(*cluster_);
  }

  bool holds(Relation relation, Link link, int a, int b) const {
    return const_cast<DirectStore*>(this)->value_.network.of(relation, link).test(a, b);
  }
  void relate(Relation relation, Link link, int a, int b, bool value) {
    value_.network.of(relation, link).set(a, b, value);
  }

  // ---- for code that examines the values themselves
  Channel<typename F::Message>& channel(Link link, int from, int to) {
    const std::size_t place = places_.place(link, from, to);
    if (place >= value_.channels.size()) value_.channels.resize(place + 1);
    return value_.channels[place];
  }
  const Channel<typename F::Message>& channel(Link link, int from, int to) const {
    const std::size_t place = places_.find(link, from, to);
    return place == PairPlaces::none ? nothing_ : value_.channels[place];
  }
  Disk<F>& disk(int i) { return value_.disks[at(i)]; }
  const Disk<F>& disk(int i) const { return value_.disks[at(i)]; }
  Network& network() { return value_.network; }
  const Network& network() const { return value_.network; }

  const WorldValue<F>& value() const { return value_; }
  void setValue(WorldValue<F> value) { value_ = std::move(value); }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  auto& awaited(int i) { return value_.servers[at(i)].awaited; }
  template <class T>
  static T takeFirst(std::vector<T>& list) {
    T first = std::move(list.front());
    list.erase(list.begin());
    return first;
  }

  const Cluster<F>* cluster_;
  PairPlaces places_;
  WorldValue<F> value_;
  Channel<typename F::Message> nothing_;
  typename V::Effects effects_;
};

}  // namespace zablab
