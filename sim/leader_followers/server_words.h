// The servers of Leader and Followers in words, over a service: for the families that they are a part of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/converted.h"
#include "protocol/leader_followers/server.h"
#include "protocol/overloaded.h"
#include "sim/json_reflect.h"
#include "sim/sentences.h"

namespace zablab::leader_followers {

/// `2.7`: entry 7, of generation 2; `0` is the beginning.
std::string text(Position position);
Phrase words(Outcome outcome, Index index);
Phrase because(RoleReason reason);
Phrase because(const VoteDecided& decided);

/// `request`: what a client has asked, from an operation and a value.
template <class S, class Request>
Phrase labelOf(const Names& name, const BasicServerMessage<S>& message, Request&& request) {
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  return visit<Phrase>(
      Overloaded{
          [&](const VoteRequest& m) {
            return std::string(m.pre ? "PRE-VOTE? " : "VOTE? ") + number(m.generation) + ", " + text(m.last);
          },
          [&](const VoteResponse& m) {
            return std::string(m.pre ? "PRE-VOTE " : "VOTE ") + (m.granted ? "yes " : "no ") +
                   number(m.generation);
          },
          [&](const BasicAppend<S>& m) {
            const std::string what = m.entries.empty() ? "HEARTBEAT " + number(m.generation)
                                                       : "APPEND " + number(m.generation) + ", " +
                                                             number(static_cast<Index>(m.entries.size()));
            return what + " after " + text(m.previous);
          },
          [&](const AppendResponse& m) { return (m.fits ? "ACK up to " : "NO, from ") + number(m.index); },
          [&](const BasicForwarded<S>& m) {
            return phrase("{client}: {request}", name(m.client), request(m.operation, m.value));
          },
          [&](const BasicForwardedReply<S>& m) {
            return phrase("{client}: {request}", name(m.client), words(m.outcome, m.index));
          },
      },
      message);
}

/// An event's fields, and its picture if it has one.
template <class S>
Json dataOf(const Names& name, const BasicServerEvent<S>& event) {
  return visit(
      [&](const auto& alternative) {
        Json fields = toJson(alternative);
        using Alternative = std::decay_t<decltype(alternative)>;
        if constexpr (std::is_same_v<Alternative, QuorumCounted>) {
          fields["picture"] = quorumPicture(
              name, alternative.by, phrase("quorum for generation {generation}", alternative.generation));
        } else if constexpr (std::is_same_v<Alternative, Committed>) {
          fields["picture"] =
              quorumPicture(name, alternative.by, phrase("quorum for {entry}", text(alternative.up_to)));
        }
        return fields;
      },
      event);
}

/// What server `self` did, in one line.
template <class S>
Phrase tellOf(const Names& name, ServerId self, const BasicServerEvent<S>& event) {
  const std::string server = name(self);
  return visit(
      Overloaded{
          [&](const RoleChanged& e) {
            const Phrase reason = because(e.reason);
            if (e.to == Role::LEADING)
              return phrase("{server} leads in generation {generation}: {reason}", server, e.generation,
                            reason);
            if (e.to == Role::FOLLOWING && e.leader)
              return phrase("{server} follows {leader} in generation {generation}: {reason}", server,
                            name(*e.leader), e.generation, reason);
            return e.to == Role::FOLLOWING
                       ? phrase("{server} waits for a leader in generation {generation}: {reason}", server,
                                e.generation, reason)
                       : phrase("{server} looks for a leader in generation {generation}: {reason}", server,
                                e.generation, reason);
          },
          [&](const Looking& e) {
            return e.pre ? phrase(
                               "{server} asks whether it would be elected in generation {generation} with "
                               "{last}",
                               server, e.generation, text(e.last))
                         : phrase("{server} begins generation {generation} with {last}", server, e.generation,
                                  text(e.last));
          },
          [&](const VoteDecided& e) {
            const std::string candidate = name(e.candidate);
            const Phrase reason = because(e);
            if (e.pre)
              return e.granted
                         ? phrase("{server} would vote for {candidate} in generation {generation}: {reason}",
                                  server, candidate, e.generation, reason)
                         : phrase(
                               "{server} would not vote for {candidate} in generation {generation}: "
                               "{reason}",
                               server, candidate, e.generation, reason);
            return e.granted
                       ? phrase("{server} votes for {candidate} in generation {generation}: {reason}", server,
                                candidate, e.generation, reason)
                       : phrase("{server} does not vote for {candidate} in generation {generation}: {reason}",
                                server, candidate, e.generation, reason);
          },
          [&](const QuorumCounted& e) {
            const Phrase by = listOf(e.by, name);
            return e.pre ? phrase("{server} counts {servers}: it would be elected in generation {generation}",
                                  server, by, e.generation)
                         : phrase("{server} counts {servers}: it is elected in generation {generation}",
                                  server, by, e.generation);
          },
          [&](const AppendRefused& e) {
            return phrase("{server} refuses entries from {leader}: {reason}", server, name(e.leader),
                          e.reason == RefusedReason::lower_generation
                              ? phrase("its generation is lower")
                              : phrase("it does not have {entry}", text(e.previous)));
          },
          [&](const Truncated& e) {
            return phrase("{server} truncates its log, which ended with {last}, after entry {index}", server,
                          text(e.last), e.index);
          },
          [&](const Committed& e) {
            return phrase("{server} commits up to {entry}, with {servers}", server, text(e.up_to),
                          listOf(e.by, name));
          },
          [&](const BasicApplied<S>& e) {
            return phrase("{server} applies {entry}", server, text({e.entry.generation, e.index}));
          },
          [&](const Silent& e) {
            return phrase("{server} does not hear from {follower}", server, name(e.follower));
          },
      },
      event);
}

}  // namespace zablab::leader_followers
