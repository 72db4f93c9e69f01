// What a step works on.
#pragma once

#include <utility>

#include "protocol/quorum_register/family.h"

namespace zablab::quorum_register {

struct Context {
  const Config& config;
  const Rules& rules;
  Node& node;
  Effects& out;

  void send(ServerId to, Message message) const {
    out.push_back(V::Send{quorum_link, to, std::move(message)});
  }
  void emit(Event event) const { out.push_back(V::Emit{std::move(event)}); }
  void set(TimerKind kind, Millis wait) const { out.push_back(V::SetTimer{{kind}, wait, wait}); }
  void cancel(TimerKind kind) const { out.push_back(V::CancelTimer{{kind}}); }
};

}  // namespace zablab::quorum_register
