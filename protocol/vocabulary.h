// The inputs and effects that every protocol's nodes and the world exchange. A node is a value plus one pure
// function,
//
//     step(context, node, input, effects)
//
// which changes the node in place and appends everything else it requests to an ordered list of effects. A
// family of protocols defines its own message, record, durable, timer and event types; the structures around
// them are here.
#pragma once

#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "protocol/variant.h"

namespace zablab {

/// A server's id, as in its configuration (ZooKeeper: myid). Any value but `no_server`.
using ServerId = std::int64_t;
inline constexpr ServerId no_server = std::numeric_limits<ServerId>::min();

/// Virtual milliseconds.
using Millis = std::int64_t;

/// Which of a family's kinds of connection; an index into Family::links.
using Link = std::uint8_t;

/// How the world treats the messages of one kind of connection.
enum class LinkKind : std::uint8_t {
  slot,  ///< at most one unsent message per peer, the newest replaces it; FIFO on the wire; the last is sent
         ///< again on reconnection (ZooKeeper's election port)
  tcp,   ///< FIFO; loss is a broken connection, of which both ends are notified
  datagram,  ///< dropped, duplicated, reordered and delayed one by one
  newest,    ///< a slot link on which a newer message also replaces an unread one, and nothing is sent again
  bounded,   ///< always there, FIFO; when it is full the newest message is overwritten; nothing is kept for a
             ///< process that is down, and a process that ends loses what it sent
  mute,      ///< no message is ever sent: the result it would have is decided otherwise
};
BOOST_DESCRIBE_ENUM(LinkKind, slot, tcp, datagram, newest, bounded, mute)

/// Whether it is a slot link, of either kind.
constexpr bool isSlot(LinkKind kind) { return kind == LinkKind::slot || kind == LinkKind::newest; }

/// One of a family's links.
struct LinkSpec {
  std::string_view name;
  LinkKind kind;
};

/// The key of a timer kind that has only one timer.
template <class Key>
constexpr Key noTimerKey() {
  if constexpr (std::is_same_v<Key, ServerId>) return no_server;
  return {};
}

/// A timer's name: its kind and, if there are several timers of the kind, the key of this one; a peer, unless
/// the family defines another key type. Keys are compared, described (protocol/reflect.h) and ordered.
template <class TimerKind, class Key = ServerId>
struct TimerName {
  TimerKind kind{};
  Key key = noTimerKey<Key>();
  auto operator<=>(const TimerName&) const = default;
  BOOST_DESCRIBE_CLASS(TimerName, (), (kind, key), (), ())
};

namespace vocabulary_detail {

template <class Types>
using TimerKey = typename Types::TimerKey;
template <class Types>
using MarkKey = typename Types::MarkKey;
template <class Types>
using DurableKey = typename Types::DurableKey;

}  // namespace vocabulary_detail

/// The structures of inputs and effects over one family's types. A family may leave out of its types
///
///     TimerKey      what distinguishes timers of one kind; by default a peer
///     MarkKey       names an instant that a node marks, to ask later for the time since then
///     DurableKey    names a request to be notified when everything written so far is durable
///
/// and then has no marks, or requests no such notifications.
template <class Types>
struct Vocabulary {
  using Message = typename Types::Message;
  using Record = typename Types::Record;    ///< the content of a durable write
  using Durable = typename Types::Durable;  ///< what a disk holds
  using TimerKind = typename Types::TimerKind;
  using Event = typename Types::Event;
  using Request = typename Types::Request;  ///< what a scenario or a workload requests of a client

  using TimerKey = boost::mp11::mp_eval_or<ServerId, vocabulary_detail::TimerKey, Types>;
  using Timer = TimerName<TimerKind, TimerKey>;
  using MarkKey = boost::mp11::mp_eval_or<monostate, vocabulary_detail::MarkKey, Types>;
  using DurableKey = boost::mp11::mp_eval_or<monostate, vocabulary_detail::DurableKey, Types>;
  static constexpr bool has_marks = requires { typename Types::MarkKey; };
  /// Whether nodes ask the world for a NowDurable or an Age, either of which arrives, once it is due, before
  /// anything else happens at the node.
  static constexpr bool asks_world = has_marks || requires { typename Types::DurableKey; };

  // ---- inputs
  struct Start {
    Durable disk;
  };                 ///< the process starts, with the content of its disk
  struct TakeUp {};  ///< the node was put into its present role: arm its timers
  /// `late`: it came through an earlier connection of the peer than the one last received from.
  struct Received {
    Link link;
    ServerId from;
    Message message;
    bool late = false;
  };
  struct Connected {
    Link link;
    ServerId peer;
  };  ///< a connection that this node requested is open
  struct Refused {
    Link link;
    ServerId peer;
  };  ///< a connection that this node requested could not be made
  struct Disconnected {
    Link link;
    ServerId peer;
  };  ///< the peer closed, or the connection broke
  /// A timer fired. `undelivered`: on every slot link of this node a message still waits to be sent.
  struct Fired {
    Timer timer;
    bool undelivered;
  };
  struct WriteFailed {
    Record record;
  };                 ///< an asynchronous write could not be made
  struct Prompt {};  ///< the node does now what it would do by itself eventually
  struct Asked {
    Request request;
  };  ///< a client is instructed to do something
  /// An action of the family's own (Family::own_action) of this node and `peer`: `shown` is the message that
  /// stands for the peer's state in it (Family::shown).
  struct OwnAction {
    ServerId peer;
    Message shown;
  };
  /// What this node asked to be notified of with `key`, and everything that it had written before, is
  /// durable. The input arrives before anything else happens at the node.
  struct NowDurable {
    DurableKey key;
  };
  /// The answer to an AskAge: the time from the mark to the question, by the node's own clock. It arrives at
  /// the instant of the question and before anything else happens at the node. Empty: when it asked, the node
  /// had not set the mark since it started.
  struct Age {
    MarkKey key;
    std::optional<Millis> millis;
    bool operator==(const Age&) const = default;
    BOOST_DESCRIBE_CLASS(Age, (), (key, millis), (), ())
  };
  using Input = variant<Start, TakeUp, Received, Connected, Refused, Disconnected, Fired, WriteFailed, Prompt,
                        Asked, OwnAction, NowDurable, Age>;

  // ---- effects, performed in order
  /// `after_durable`: is sent only when everything this node has written so far is durable. Later sends on
  /// the same connection queue behind it, because TCP keeps order.
  struct Send {
    Link link;
    ServerId to;
    Message message;
    bool after_durable = false;
  };
  struct Connect {
    Link link;
    ServerId to;
  };  ///< request a connection, unless there is one
  struct Disconnect {
    Link link;
    ServerId to;
  };
  struct SetTimer {
    Timer timer;
    Millis lo;
    Millis hi;
  };  ///< replaces; the world picks within [lo, hi]
  struct CancelTimer {
    Timer timer;
  };
  /// `blocking`: completes inside the step (ZooKeeper's epoch files); otherwise it becomes durable later.
  struct Write {
    Record record;
    bool blocking = true;
  };
  /// Everything written so far becomes durable now, inside the step; sends that waited for it are released.
  struct Flush {};
  struct Exit {
    std::string reason;
  };  ///< the process ends itself; effects after this one are not performed
  struct Emit {
    Event event;
  };  ///< something observable, with its reason
  /// Requests a NowDurable when everything written so far is durable. A crash, or a write that fails, cancels
  /// the request.
  struct AskDurable {
    DurableKey key;
  };
  /// Sets a mark: the present reading of the node's clock is stored, replacing what was stored for the key.
  /// The marks are lost when the process ends.
  struct Mark {
    MarkKey key;
  };
  /// Requests, as Age, the time from that mark to this effect: a Mark later in the same step does not count.
  /// In a search the answer is one of the spans between the thresholds that the family defines, so a node may
  /// only compare it with those.
  struct AskAge {
    MarkKey key;
  };
  using Effect = variant<Send, Connect, Disconnect, SetTimer, CancelTimer, Write, Flush, Exit, Emit,
                         AskDurable, Mark, AskAge>;
  using Effects = std::vector<Effect>;
};

/// A family whose steps read the node's own clock: F::step has a last parameter, the clock's reading, in
/// milliseconds. A node may pass it on as content, as ZooKeeper puts it into transactions, but decides
/// nothing by it: in a search the clock always reads 0.
template <class F>
concept ReadsClock = requires(const typename F::Config& config, const typename F::Rules& rules,
                              typename F::Node& node, const typename F::Vocabulary::Input& input,
                              typename F::Vocabulary::Effects& out, Millis clock) {
  F::step(config, rules, node, input, out, clock);
};

/// One step of a node whose clock reads `clock`.
template <class F>
void stepAt(Millis clock, const typename F::Config& config, const typename F::Rules& rules,
            typename F::Node& node, const typename F::Vocabulary::Input& input,
            typename F::Vocabulary::Effects& out) {
  if constexpr (ReadsClock<F>) {
    F::step(config, rules, node, input, out, clock);
  } else {
    F::step(config, rules, node, input, out);
  }
}

}  // namespace zablab
