// A service stands on the log: its clients put values into the log and read what these have led to. The log
// cannot read them. What depends on the service is a template over it; `IsService` states what it provides.
#pragma once

#include <concepts>

#include "protocol/leader_followers/events.h"
#include "protocol/leader_followers/messages.h"
#include "protocol/leader_followers/state.h"

namespace zablab::leader_followers {

template <class S>
struct BasicTypes {
  using Message = BasicMessage<S>;
  using Record = BasicRecord<S>;
  using Durable = BasicDurable<S>;
  using TimerKind = leader_followers::TimerKind;
  using Event = BasicEvent<S>;
  using Request = BasicRequest<S>;
};

/// A service is a struct with these types and this static function:
///
///     Value               what a client puts into the log
///     Result              what a client reads
///     read(log, up_to)    what all entries up to this index have led to
template <class S>
concept IsService = requires(const BasicLog<S>& log, Index up_to) {
  typename S::Value;
  { S::read(log, up_to) } -> std::same_as<typename S::Result>;
};

}  // namespace zablab::leader_followers
