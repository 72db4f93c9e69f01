// Where a world keeps its components. The world owns what links, disks, timers and faults mean; a store owns
// only how values are held and stepped. The direct store holds live values. (An interned store can hold small
// integers instead and look steps up: every operation here is a pure function of the component and its
// arguments.)
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include "protocol/vocabulary.h"
#include "sim/components.h"

namespace zablab {

/// What a step hands back, in order. `World` implements it.
template <class V, class Sink>
concept EffectSink = requires(Sink sink, typename V::Effect effect) {
  { sink(std::move(effect)) } -> std::same_as<bool>;  ///< false: stop here, nothing further is done
};

/// The page to read before writing a store. `i` and `j` are indexes of servers.
template <class S>
concept Store = requires(S store, const S constant, int i, int j, Link link,
                         typename S::Family::Vocabulary::Input input,
                         typename S::Family::Vocabulary::Timer timer, typename S::Family::Message message,
                         typename S::Family::Record record) {
  typename S::Family;
  // ---- views: all that guards may read
  { constant.size() } -> std::same_as<int>;
  { constant.isUp(i) } -> std::same_as<bool>;
  { constant.isPaused(i) } -> std::same_as<bool>;
  { constant.accepts(i, link) } -> std::same_as<bool>;  ///< a dial on this link succeeds now
  { constant.isArmed(i, timer) } -> std::same_as<bool>;
  // ---- servers
  store.step(i, input);  ///< the effects, as a range of the family's Effect
  store.boot(i);         ///< up, with a blank process
  store.crash(i);        ///< down, whatever it was
  store.setPaused(i, true);
  { store.arm(i, timer) } -> std::same_as<bool>;
  { store.disarm(i, timer) } -> std::same_as<bool>;
  // ---- channels and disks: pure operations of sim/components.h on the value
  { store.channel(link, i, j) } -> std::same_as<Channel<typename S::Family::Message>&>;
  { store.disk(i) } -> std::same_as<Disk<typename S::Family>&>;
  { store.network() } -> std::same_as<Network&>;
};

}  // namespace zablab
