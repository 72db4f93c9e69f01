// A store holds the components of a world. The world defines what links, disks, timers and faults mean; a
// store defines only how values are held and stepped. The direct store holds live values. The interned store
// of the checker holds small integers and looks up what was computed once: every operation here is a pure
// function of the component and its arguments. Messages, records and disk images are values in the direct
// store, and numbers in the interned one.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>

#include "protocol/vocabulary.h"
#include "sim/components.h"

namespace zablab {

/// The requirements on a store. `i` and `j` are indexes of servers.
template <class S>
concept Store = requires(S store, const S constant, int i, int j, Link link, ServerId id,
                         typename S::V::Input input, typename S::V::Timer timer,
                         typename S::V::Message message, typename S::V::Record record, Relation relation,
                         ChannelChange change, std::size_t position, std::uint32_t count,
                         typename S::V::DurableKey durable, typename S::V::MarkKey mark) {
  typename S::Family;
  typename S::V;  ///< inputs and effects
  // ---- servers
  { constant.size() } -> std::same_as<int>;
  { constant.isUp(i) } -> std::same_as<bool>;
  { constant.isPaused(i) } -> std::same_as<bool>;
  { constant.accepts(i, link) } -> std::same_as<bool>;           ///< whether a dial on this link succeeds now
  constant.forEachTimer(i, [](const typename S::V::Timer&) {});  ///< each armed timer, in order
  store.step(i, input, Millis{});  ///< returns the effects, as a range; the step may arm timers itself
  { constant.shown(i) } -> std::same_as<typename S::V::Message>;  ///< for an action of the family
  store.boot(i);                                                  ///< up, with a blank process
  store.crash(i);                                                 ///< down, regardless of its state before
  store.setPaused(i, true);
  { store.arm(i, timer) } -> std::same_as<bool>;
  { store.disarm(i, timer) } -> std::same_as<bool>;
  { constant.awaits(i) } -> std::same_as<bool>;  ///< whether it asked for something that is due
  store.noteDurable(i, durable);                 ///< records that this is due
  { store.takeDurable(i) } -> std::same_as<typename S::V::DurableKey>;
  store.mark(i, mark);
  store.askAge(i, mark);
  { store.takeAge(i) } -> std::same_as<typename S::V::MarkKey>;
  // ---- channels
  { constant.isEmpty(link, i, j) } -> std::same_as<bool>;  ///< nothing on the wire
  { constant.length(link, i, j) } -> std::same_as<std::size_t>;
  { constant.hasClose(link, i, j) } -> std::same_as<bool>;
  { constant.unsent(link, i, j) } -> std::same_as<std::optional<typename S::V::Message>>;
  { constant.last(link, i, j) } -> std::same_as<std::optional<typename S::V::Message>>;
  { constant.hasNextConnection(link, i, j) } -> std::same_as<bool>;  ///< something of it is on the wire
  { constant.firstLate(link, i, j) } -> std::same_as<std::optional<typename S::V::Message>>;
  { constant.itemAt(link, i, j, position) } -> std::same_as<typename S::V::Message>;
  { store.take(link, i, j, position) } -> std::same_as<std::optional<typename S::V::Message>>;
  store.change(link, i, j, change, message);
  // ---- disks
  { constant.hasUnsynced(i) } -> std::same_as<bool>;
  { constant.holdsBack(i, link, id) } -> std::same_as<bool>;
  { constant.oldestUnsynced(i) } -> std::same_as<typename S::V::Record>;
  { constant.image(i) } -> std::same_as<typename S::V::Durable>;
  store.write(i, record);
  store.writeHalf(i, record);  ///< the part that remains when the process dies while writing it
  store.queueWrite(i, record);
  store.queueSend(i, link, id, message);
  store.queueAsk(i, durable);
  store.syncOldest(i);  ///< makes it durable; returns the record, and what waited for it (SyncedWrite)
  store.clearQueue(i);
  store.dropGated(i, link, id);
  store.endDisk(i, count);  ///< returns the records that are durable nevertheless
  store.wipe(i);
  // ---- connections and cuts
  { constant.holds(relation, link, i, j) } -> std::same_as<bool>;
  store.relate(relation, link, i, j, true);
};

}  // namespace zablab
