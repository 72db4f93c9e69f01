#include "checker/check/tables.h"

#include "checker/check/contract.h"
#include "protocol/variant.h"

namespace zablab {

Tables::Tables(const AnyCluster& cluster, const FamilyCheck& check, std::uint32_t numbers)
    : servers(numbers),
      disks(numbers),
      channels(numbers),
      messages(numbers),
      records(numbers),
      requests(numbers),
      gated(numbers),
      durable_keys(cluster.nodes->asksWorld() ? numbers : 0),
      ages(cluster.nodes->asksWorld() ? numbers : 0),
      cluster_(cluster),
      check_(check),
      layout_(static_cast<int>(cluster.ids.size()), static_cast<int>(cluster.links.size())) {
  if (!layout_.fits() || cluster.links.size() > links_max)
    throw TableFull("this is too many servers and links for a search");
  // Number 0 of each is the empty value.
  numberOf(Channel<Value>{});
  Disk<Any> empty;
  empty.image = cluster.nodes->emptyDisk();
  numberOf(empty);
  for (int i = 0; i < layout_.servers; ++i) {
    Server<Any> server;
    server.node = cluster.nodes->blank(cluster.ids[at(i)]);
    server.up = cluster.scripted[at(i)];
    down_.push_back(numberOf(i, server));
    server.up = true;
    blank_.push_back(numberOf(i, server));
  }
}

std::uint32_t Tables::numberOf(int i, const Server<Any>& value) {
  return servers.number(value, encodingOf(value),
                        [&](const Server<Any>& server) { return viewOf(i, server); });
}
std::uint32_t Tables::numberOf(const Disk<Any>& value) {
  return disks.number(value, encode(value), [this](const Disk<Any>& disk) { return viewOf(disk); });
}
std::uint32_t Tables::numberOf(const Channel<Value>& value) {
  return channels.number(value, encode(value),
                         [this](const Channel<Value>& channel) { return viewOf(channel); });
}

Tables::Timer Tables::numberOf(const AnyTimer& timer) {
  if (const auto known = findTimer(timer)) return *known;
  const std::lock_guard lock(timers_mutex_);
  if (const auto known = findTimer(timer)) return *known;
  const std::size_t count = timers_count_.load(std::memory_order_relaxed);
  if (count == timers_.size()) throw TableFull("there are more than 64 distinct timers");
  timers_[count] = timer;
  timers_count_.store(count + 1, std::memory_order_release);
  return this->timer(static_cast<unsigned>(count));
}

std::optional<Tables::Timer> Tables::findTimer(const AnyTimer& timer) const {
  const std::size_t count = timers_count_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i) {
    if (timers_[i] == timer) return this->timer(static_cast<unsigned>(i));
  }
  return std::nullopt;
}

Action<Any> Tables::valueOf(const NumberedAction& action) const {
  return {action.kind,      action.link,
          action.a,         action.b,
          action.position,  action.kind == ActionKind::fire ? valueOf(action.timer) : AnyTimer{},
          action.in_flight, action.kind == ActionKind::ask ? requests[action.request.number] : Value(),
          action.unsynced,  action.dies,
          action.age};
}

/// What a family never uses is left out, so that its states' hashes do not depend on what others use.
Bytes Tables::encodingOf(const Server<Any>& server) const {
  Bytes out;
  encodeTo(out, server.up);
  encodeTo(out, server.paused);
  if (cluster_.nodes->asksWorld()) encodeTo(out, server.awaited);
  encodeTo(out, server.timers);
  encodeTo(out, server.node);
  return out;
}

Tables::ServerView Tables::viewOf(int i, const Server<Any>& server) {
  ServerView view;
  view.server = static_cast<std::uint8_t>(i);
  view.up = server.up;
  view.paused = server.paused;
  view.awaits_durable = !server.awaited.durable.empty();
  view.awaits_age = !server.awaited.ages.empty();
  for (Link link = 0; link < cluster_.links.size(); ++link) {
    if (server.up && cluster_.nodes->accepts(server.node, link))
      view.accepts |= static_cast<std::uint8_t>(1U << link);
  }
  for (const AnyTimer& timer : server.timers) view.timers |= std::uint64_t{1} << numberOf(timer).key.number;
  if (server.up) view.says = check_.view(cluster_, i, server.node);
  return view;
}

Tables::DiskView Tables::viewOf(const Disk<Any>& disk) const {
  DiskView view{disk.unsynced(), 0};
  for (const auto& entry : disk.queue) {
    const auto* send = get_if<GatedSend<Value>>(&entry);
    if (send != nullptr) view.holds_back |= holdBit(send->link, send->to);
  }
  return view;
}

Tables::ChannelView Tables::viewOf(const Channel<Value>& channel) {
  ChannelView view;
  view.length = static_cast<std::uint16_t>(channel.wire.size());
  view.close = channel.hasClose();
  if (channel.unsent) view.unsent = messages.number(*channel.unsent) + 1;
  if (channel.last) view.last = messages.number(*channel.last) + 1;
  if (!channel.late.empty()) view.late = messages.number(channel.late.front()) + 1;
  view.next_connection = channel.nextConnection() != 0;
  return view;
}

}  // namespace zablab
