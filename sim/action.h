// The actions: everything that may happen next. A scenario, a fuzz run, a counterexample and a trace are
// lists of actions.
#pragma once

#include <array>
#include <boost/describe.hpp>
#include <cstdint>
#include <optional>

#include "protocol/reflect.h"
#include "protocol/vocabulary.h"

namespace zablab {

enum class ActionKind : std::uint8_t {
  deliver,   ///< `b` reads what `a` sent first on `link` (or at `position`, on a datagram link)
  overtake,  ///< `b` reads what `a` sent first on its next connection, ahead of the rest of the previous one
  deliver_late,  ///< `b` reads the first message of an overtaken connection of `a`
  dial,          ///< `a`'s dial of `b` on `link` succeeds or is refused
  give_up,       ///< `a`'s dial of `b` on `link` times out
  fire,          ///< `a`'s timer fires
  sync,          ///< `a`'s oldest unsynced write becomes durable
  fail_write,    ///< `a`'s oldest unsynced write fails
  start,         ///< `a` starts, or restarts
  stop,          ///< `a` ends in an orderly way: everything it wrote is durable
  kill,          ///< `a`'s process dies
  lose_power,    ///< `a`'s machine dies: unsynced writes are lost, and no peer is notified
  pause,
  resume,
  wipe,          ///< `a`'s disk is emptied (while it is down)
  cut,           ///< messages from `a` no longer reach `b`
  heal,          ///< messages from `a` reach `b` again
  disrupt,       ///< the connection of `a` and `b` on `link` breaks
  drop,          ///< the message at `position` from `a` to `b` on a datagram link is lost
  duplicate,     ///< the same message arrives twice
  ask,           ///< client `a` is instructed to do something; a server, to propose a write
  own,           ///< the family's own action of `a` and `b`: Family::own_action is its name
  tell_durable,  ///< `a` is notified that something it asked about is durable
  tell_age,      ///< `a` learns how long ago something it asked about was: `age`
};
BOOST_DESCRIBE_ENUM(ActionKind, deliver, overtake, deliver_late, dial, give_up, fire, sync, fail_write, start,
                    stop, kill, lose_power, pause, resume, wipe, cut, heal, disrupt, drop, duplicate, ask,
                    own, tell_durable, tell_age)

/// The point relative to a write.
enum class AtWrite : std::uint8_t {
  before,
  half,  ///< with the part that the family leaves of an unfinished write
  after,
};
BOOST_DESCRIBE_ENUM(AtWrite, before, half, after)

/// The point within a step at which its process dies: at a write that it waits for.
struct CrashPoint {
  std::uint8_t write = 0;  ///< the nth of the step, from 1; 0: it does not die
  AtWrite at = AtWrite::before;
  bool power_loss = false;
  static constexpr std::array required{"write"};
  bool operator==(const CrashPoint&) const = default;
};
BOOST_DESCRIBE_STRUCT(CrashPoint, (), (write, at, power_loss))

template <class Family>
struct Action {
  using Timer = typename Family::Vocabulary::Timer;
  ActionKind kind{};
  Link link = 0;
  int a = -1;  ///< index of a server
  int b = -1;
  std::uint32_t position = 0;
  Timer timer{};
  bool in_flight = true;               ///< stop, kill, disrupt, dies: what was in transit still arrives
  typename Family::Request request{};  ///< ask
  std::uint32_t unsynced = 0;   ///< lose_power: how many of the unsynced writes reached the disk nevertheless
  CrashPoint dies{};            ///< actions that step a node: the point within the step
  std::optional<Millis> age{};  ///< tell_age; empty: it never happened
  bool operator==(const Action&) const = default;
  BOOST_DESCRIBE_CLASS(Action, (),
                       (kind, link, a, b, position, timer, in_flight, request, unsynced, dies, age), (), ())
};

}  // namespace zablab
