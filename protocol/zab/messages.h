// What servers send each other: notifications on the election links, packets between a leader and its
// learners.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "protocol/zab/types.h"

namespace zablab::zab {

/// An election message: the sender's role and vote. The vote's round is the sender's own while it looks, and
/// the round in which it was elected once it does not.
struct Notification {
  static constexpr std::string_view name = "NOTIFICATION";
  Role state = Role::LOOKING;
  Vote vote;
  bool operator==(const Notification&) const = default;
};
BOOST_DESCRIBE_STRUCT(Notification, (), (state, vote))

/// Bytes that are no message: too short, or of an unknown form.
struct Undecodable {
  static constexpr std::string_view name = "UNDECODABLE";
  std::string bytes;
  bool operator==(const Undecodable&) const = default;
};
BOOST_DESCRIBE_STRUCT(Undecodable, (), (bytes))

/// A learner's first packet to its leader.
struct LearnerInfo {
  static constexpr std::string_view name = "LEARNERINFO";
  bool observer = false;
  std::int64_t accepted_epoch = 0;
  bool operator==(const LearnerInfo&) const = default;
};
BOOST_DESCRIBE_STRUCT(LearnerInfo, (), (observer, accepted_epoch))

/// A heartbeat, and its answer.
struct Ping {
  static constexpr std::string_view name = "PING";
  Zxid zxid;
  bool operator==(const Ping&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ping, (), (zxid))

using Message = std::variant<Notification, Undecodable, LearnerInfo, Ping>;

inline constexpr Link election_link = 0;
inline constexpr Link learner_link = 1;

}  // namespace zablab::zab
