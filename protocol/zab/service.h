// A service is built on the broadcast. The broadcast proposes payloads that it cannot read, delivers them in
// order and carries the service's state in its snapshots; the service knows no epoch and no quorum.
// Everything that depends on the service is a template over it; `IsService` states what it must provide.
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

/// The service has something to do while the server looks for a leader.
template <class S>
concept NoticesLooking = requires {
  &S::onLooking;
};

/// The service has timers of its own.
template <class S>
concept HasTimers = requires {
  typename S::TimerKind;
  typename S::TimerKey;
};

/// For a timer of the broadcast, the peer, if one is kept per peer; for a timer of the service, the service's
/// key.
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
///     State              what the payloads lead to
///     Applied            what a delivered payload has to report
///     Proposed           what it requests the leader to propose
///     Request            what a scenario requests of its clients, or of a leader itself
///     Rules              BroadcastRules and the service's rules
///     Node               a process: BasicServer<S>, and the service's additional state
///     Messages, Events   a variant each: the service's messages and events
///
/// if it has timers, above all code that mentions its context,
///
///     TimerKind          an enumeration
///     TimerKey           what distinguishes timers of one kind
///
/// and these static functions. `prepare` and `apply` are sufficient if the service is used without this
/// broadcast; the others, by which it is notified of what happens to a server, get the step's context.
///
///     prepare(rules, state, outstanding, proposed)
///                                             at the leader: checks what is requested against the state and
///                                             what is proposed and not delivered. Empty: it is refused
///     apply(state, zxid, payload)             a payload is delivered; returns what there is to report
///     onDelivered(ctx, txn, applied)          the same at a server that serves: waiting clients are answered
///     onServes(ctx)                           the server begins to serve
///     onPinged(ctx)                           a learner is about to answer a ping of its leader
///     onCommitted(ctx, zxid)                  at the leader: all up to here is committed and delivered
///     onFromLearner(ctx, learner, message)    a message of the service came to a leader that serves
///     onFromLeader(ctx, message)              a message of the service came to a learner
///     onLearnerGone(ctx, learner)
///     onRoleOver(ctx)                         the server leaves its role, and forgets the clients it served
///     onOwnLink(ctx, input)                   a message or a connection on one of the service's links
///     onAsked(ctx, request)                   a request is made to a server itself
///     onTimer(ctx, kind, key)                 a timer of the service fired; if it has any
///
/// A service may do something without a leader, too (NoticesLooking):
///
///     onLooking(ctx)                          the server looks for a leader from now on
///     onLookingOver(ctx)                      it has found one, or leads
template <class S>
concept IsService = requires(const typename S::Rules& rules, typename S::State& state,
                             const typename S::Payload& payload, const typename S::Proposed& proposed,
                             const typename S::Applied& applied,
                             const std::vector<BasicOutstanding<S>>& outstanding, const BasicContext<S>& ctx,
                             const BasicTxn<S>& txn, const BasicMessage<S>& message, ServerId id, Zxid zxid,
                             const typename Vocabulary<BasicTypes<S>>::Input& input,
                             const typename S::Request& request) {
  { S::prepare(rules, state, outstanding, proposed) } -> std::same_as<std::optional<typename S::Payload>>;
  { S::apply(state, zxid, payload) } -> std::same_as<typename S::Applied>;
  S::onDelivered(ctx, txn, applied);
  S::onServes(ctx);
  S::onPinged(ctx);
  S::onCommitted(ctx, zxid);
  S::onFromLearner(ctx, id, message);
  S::onFromLeader(ctx, message);
  S::onLearnerGone(ctx, id);
  S::onRoleOver(ctx);
  S::onOwnLink(ctx, input);
  S::onAsked(ctx, request);
};

}  // namespace zablab::zab
