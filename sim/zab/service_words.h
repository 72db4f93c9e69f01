// What the broadcast's words and formats require of the service built on it: how its payloads, messages and
// events are described.
#pragma once

#include <concepts>
#include <string>

#include "protocol/zab/types.h"
#include "sim/binding.h"

namespace zablab::zab {

/// Specialised for each service in its folder:
///
///     plain(Zxid)                the payload of a transaction that is written as its zxid alone
///     plain_text                 a description of that, for schemas
///     label(names, message)      the arrow's text of each message of the service
///     tell(names, self, event)   the line of each event of the service
template <class S>
struct ServiceWords;

template <class S>
concept HasServiceWords = requires(Zxid zxid) {
  { ServiceWords<S>::plain(zxid) } -> std::same_as<typename S::Payload>;
  { ServiceWords<S>::plain_text } -> std::convertible_to<std::string>;
};

}  // namespace zablab::zab
