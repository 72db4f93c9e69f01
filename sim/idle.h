// An environment that does nothing: nothing takes time and no process ends by itself. An environment that
// needs some functions to behave differently derives from it and redefines them; a world calls the functions
// of its environment's own type.
#pragma once

#include "sim/happened.h"

namespace zablab {

template <class F>
struct IdleEnvironment {
  using V = typename F::Vocabulary;
  static constexpr bool watches = false;

  void tell(const Happened<F>&) {}
  void sent(Link, int, int, const typename F::Message&, SentHow) {}
  void waiting(Link, int, int, const typename F::Message&) {}
  void transmitted(Link, int, int) {}
  void loseWaiting(Link, int, int, const typename F::Message&, LossReason) {}
  void sentInVain(Link, int, ServerId, const typename F::Message&, LossReason) {}
  void push(Link, int, int) {}
  void remove(Link, int, int, std::size_t) {}
  void overtaken(Link, int, int) {}
  std::uint64_t removeLate(Link, int, int) { return 0; }
  std::uint64_t messageAt(Link, int, int, std::size_t) { return 0; }
  void dialling(Link, int, int) {}
  void timerSet(int, const typename V::Timer&, Millis, Millis) {}
  void timerCancelled(int, const typename V::Timer&) {}
  void unsynced(int) {}
  void flushed(int) {}
  bool endBefore(int, const typename V::Effect&) { return false; }
  bool endAfter(int) { return false; }
  bool writeFails(int, const typename F::Record&) { return false; }
  void marked(int, const typename V::MarkKey&) {}
  void ageAsked(int, const typename V::MarkKey&) {}
  void awaiting(int) {}
  static Millis clock(int) { return 0; }
};

}  // namespace zablab
