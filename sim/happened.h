// What the world reports to its observers: one flat record for each observable event, in the order in which
// it happened. Monitors, the recorder of traces and fault plans receive these.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/vocabulary.h"

namespace zablab {

enum class Kind : std::uint8_t {
  // The first of these, and the last two, begin a step of `node`; everything up to step_over belongs to it.
  started,
  delivered,
  connected,
  refused,
  closed,
  timer,
  write_failed,
  taken_up,
  asked,
  step_over,
  event,  ///< the node emits an event
  sent,
  transmitted,
  lost,
  dialled,
  written,
  synced,
  timer_set,
  stopped,
  paused,
  resumed,
  wiped,
  cut,
  healed,
  broken,
  durable,  ///< begins a step: the node is notified that what it wrote is durable
  age,      ///< begins a step: the node learns how long ago something was
};
BOOST_DESCRIBE_ENUM(Kind, started, delivered, connected, refused, closed, timer, write_failed, taken_up,
                    asked, step_over, event, sent, transmitted, lost, dialled, written, synced, timer_set,
                    stopped, paused, resumed, wiped, cut, healed, broken, durable, age)

enum class HowStopped : std::uint8_t { stop, kill, power_loss, exit };
BOOST_DESCRIBE_ENUM(HowStopped, stop, kill, power_loss, exit)

enum class LossReason : std::uint8_t {
  no_such_server,
  not_connected,
  receiver_down,
  sender_down,
  connection_closed,
  connection_broken,
  replaced_by_newer,
  peer_lost_power,
  cut,
  dropped
};
BOOST_DESCRIBE_ENUM(LossReason, no_such_server, not_connected, receiver_down, sender_down, connection_closed,
                    connection_broken, replaced_by_newer, peer_lost_power, cut, dropped)

/// How a message was put onto the wire, or where it waits.
enum class SentHow : std::uint8_t { fresh, waiting, again, copy };
BOOST_DESCRIBE_ENUM(SentHow, fresh, waiting, again, copy)

template <class Family>
struct Happened {
  using V = typename Family::Vocabulary;
  Kind kind{};
  int node = -1;  ///< index of the server it happened at; -1: the network
  Link link = 0;
  int from = -1;              ///< of a message or connection
  ServerId to = no_server;    ///< of a message or connection: an id, possibly not of any server
  std::uint64_t message = 0;  ///< number of the message in this run
  const typename Family::Message* content = nullptr;
  SentHow how{};
  bool late = false;  ///< delivered: through an earlier connection than the one last received from
  LossReason reason{};
  HowStopped stopped{};
  std::string_view why;   ///< of an exit; the point within a step at which it died
  bool blocking = false;  ///< of a write
  const typename Family::Record* record = nullptr;
  const typename Family::Event* event = nullptr;
  const typename Family::Durable* disk = nullptr;
  const typename Family::Request* request = nullptr;
  typename V::Timer timer;
  const typename V::DurableKey* durable_key = nullptr;
  const typename V::MarkKey* mark = nullptr;
  std::optional<Millis> age{};  ///< empty: it never happened
  std::optional<Millis> now{};  ///< the time of the run; a search has no time
};

/// An observer of a world. Called in order, for everything that happens.
template <class Family>
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void on(const Happened<Family>& happened) = 0;
};

}  // namespace zablab
