// What stands on the broadcast: a service. The broadcast proposes payloads that it cannot read, delivers them
// in order and carries the service's state in its snapshots; the service knows no epoch and no quorum.
// Whatever depends on the service is a template over it; `IsService` says what it gives.
#pragma once

#include <compare>
#include <concepts>
#include <optional>
#include <vector>

#include "protocol/timer_kinds.h"
#include "protocol/zab/events.h"
#include "protocol/zab/messages.h"
#include "protocol/zab/state.h"

namespace zablab::zab {

/// The service has timers of its own.
template <class S>
concept HasTimers = requires {
  typename S::TimerKind;
  typename S::TimerKey;
};

/// Of a timer of the broadcast the peer, where one is kept per peer; of the service's, its own key.
template <class S>
struct BasicTimerKey {
  std::optional<ServerId> peer;
  std::optional<typename S::TimerKey> own;
  auto operator<=>(const BasicTimerKey&) const = default;
  BOOST_DESCRIBE_CLASS(BasicTimerKey, (), (peer, own), (), ())
};

template <class S>
struct BasicTimers {
  using Kind = TimerKind;
  using Key = ServerId;
  static Key keyOf(ServerId peer) { return peer; }
  static ServerId peerOf(Key key) { return key; }
};
template <HasTimers S>
struct BasicTimers<S> {
  using Kind = JoinedKinds<TimerKind, typename S::TimerKind>;
  using Key = BasicTimerKey<S>;
  static Key keyOf(ServerId peer) {
    return {peer == no_server ? std::nullopt : std::optional(peer), std::nullopt};
  }
  static ServerId peerOf(const Key& key) { return key.peer.value_or(no_server); }
};

template <class S>
struct BasicTypes {
  using Message = BasicMessage<S>;
  using Record = BasicRecord<S>;
  using Durable = BasicDurable<S>;
  using TimerKind = typename BasicTimers<S>::Kind;
  using TimerKey = typename BasicTimers<S>::Key;
  using Event = BasicEvent<S>;
  using Request = typename S::Request;
};

template <class S>
struct BasicContext;

/// A service is a struct with these types,
///
///     Payload            what it puts into the log
///     State              what the payloads make of it
///     Proposed           what it asks the leader to propose
///     Request            what a scenario asks of its clients, or of a leader itself
///     Rules              BroadcastRules, and its own
///     Node               a process: BasicServer<S>, and what the service keeps beside it
///     Messages, Events   a variant each: what it says and makes observable itself
///
/// where it has timers, above all that mentions its context,
///
///     TimerKind          an enumeration
///     TimerKey           what tells timers of one kind apart
///
/// and these static functions. `prepare` and `apply` are all there is to it where the service stands on
/// something else; the others, by which it hears of a server's life, get the step's context.
///
///     prepare(state, outstanding, proposed)   at the leader: checks what is asked for against the state and
///                                             what is proposed and not delivered. Nothing: it is refused
///     apply(state, zxid, payload)             a payload is delivered
///     onDelivered(ctx, txn)                   the same at a server that serves: who waits for it is answered
///     onCommitted(ctx, zxid)                  at the leader: all up to here is committed and delivered
///     onFromLearner(ctx, learner, message)    a message of its own came to a leader that serves
///     onFromLeader(ctx, message)              or to a learner
///     onLearnerGone(ctx, learner)
///     onRoleOver(ctx)                         the server leaves its role, and forgets whom it served
///     onOwnLink(ctx, input)                   a message or a connection on a link that is the service's own
///     onAsked(ctx, request)                   a server itself is asked
///     onTimer(ctx, kind, key)                 a timer of its own fired; where it has any
template <class S>
concept IsService = requires(typename S::State& state, const typename S::Payload& payload,
                             const typename S::Proposed& proposed,
                             const std::vector<BasicOutstanding<S>>& outstanding, const BasicContext<S>& ctx,
                             const BasicTxn<S>& txn, const BasicMessage<S>& message, ServerId id, Zxid zxid,
                             const typename Vocabulary<BasicTypes<S>>::Input& input,
                             const typename S::Request& request) {
  { S::prepare(state, outstanding, proposed) } -> std::same_as<std::optional<typename S::Payload>>;
  S::apply(state, zxid, payload);
  S::onDelivered(ctx, txn);
  S::onCommitted(ctx, zxid);
  S::onFromLearner(ctx, id, message);
  S::onFromLeader(ctx, message);
  S::onLearnerGone(ctx, id);
  S::onRoleOver(ctx);
  S::onOwnLink(ctx, input);
  S::onAsked(ctx, request);
};

}  // namespace zablab::zab
