// What one step of a node works on, and the operations by which it acts on the world.
#pragma once

#include <utility>

#include "protocol/vocabulary.h"

namespace zablab {

/// A family's own context derives from it where it has more, for example links of which each has its verb.
template <class F>
struct StepContext {
  using V = typename F::Vocabulary;
  using TimerKind = typename F::TimerKind;
  using TimerKey = typename V::TimerKey;

  const typename F::Config& config;
  const typename F::Rules& rules;
  typename F::Node& node;
  typename V::Effects& out;

  void send(ServerId to, typename F::Message message, Link link = 0) const {
    out.push_back(typename V::Send{link, to, std::move(message)});
  }
  /// Leaves when everything written so far is durable.
  void sendDurable(ServerId to, typename F::Message message, Link link = 0) const {
    out.push_back(typename V::Send{link, to, std::move(message), true});
  }
  void emit(typename F::Event event) const { out.push_back(typename V::Emit{std::move(event)}); }
  /// `blocking`: completes inside the step; otherwise it becomes durable later.
  void write(typename F::Record record, bool blocking = true) const {
    out.push_back(typename V::Write{std::move(record), blocking});
  }
  void setTimer(TimerKind kind, Millis wait, TimerKey key = noTimerKey<TimerKey>()) const {
    setTimerWithin(kind, wait, wait, std::move(key));
  }
  void setTimerWithin(TimerKind kind, Millis lo, Millis hi, TimerKey key = noTimerKey<TimerKey>()) const {
    out.push_back(typename V::SetTimer{{kind, std::move(key)}, lo, hi});
  }
  void cancelTimer(TimerKind kind, TimerKey key = noTimerKey<TimerKey>()) const {
    out.push_back(typename V::CancelTimer{{kind, std::move(key)}});
  }
};

}  // namespace zablab
