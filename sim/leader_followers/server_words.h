// The servers of Leader and Followers in words, over a service: for the families that they are a part of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/converted.h"
#include "protocol/leader_followers/server.h"
#include "protocol/overloaded.h"
#include "sim/binding.h"
#include "sim/json_reflect.h"

namespace zablab::leader_followers {

/// `2.7`: entry 7, of generation 2; `0` is the beginning.
std::string text(Position position);
std::string words(Outcome outcome, Index index);
std::string listed(const Names& name, const std::vector<ServerId>& servers);
std::string because(RoleReason reason);
std::string because(const VoteDecided& decided);
/// A counted quorum.
Json picture(const Names& name, const std::vector<ServerId>& servers, const std::string& caption);

/// `request`: what a client has asked, from an operation and a value.
template <class S, class Request>
std::string labelOf(const Names& name, const BasicServerMessage<S>& message, Request&& request) {
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  return std::visit(
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
          [&](const BasicForwarded<S>& m) { return name(m.client) + ": " + request(m.operation, m.value); },
          [&](const BasicForwardedReply<S>& m) { return name(m.client) + ": " + words(m.outcome, m.index); },
      },
      message);
}

/// An event's fields, and its picture if it has one.
template <class S>
Json dataOf(const Names& name, const BasicServerEvent<S>& event) {
  return std::visit(
      [&](const auto& alternative) {
        Json fields = toJson(alternative);
        using Alternative = std::decay_t<decltype(alternative)>;
        if constexpr (std::is_same_v<Alternative, QuorumCounted>) {
          fields["picture"] = picture(name, alternative.by,
                                      "quorum for generation " + std::to_string(alternative.generation));
        } else if constexpr (std::is_same_v<Alternative, Committed>) {
          fields["picture"] = picture(name, alternative.by, "quorum for " + text(alternative.up_to));
        }
        return fields;
      },
      event);
}

/// What server `self` did, in one line.
template <class S>
std::string tellOf(const Names& name, ServerId self, const BasicServerEvent<S>& event) {
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  const std::string server = name(self);
  return std::visit(
      Overloaded{
          [&](const RoleChanged& e) {
            const std::string in = " in generation " + number(e.generation) + ": " + because(e.reason);
            if (e.to == Role::LEADING) return server + " leads" + in;
            if (e.to == Role::FOLLOWING && e.leader) return server + " follows " + name(*e.leader) + in;
            return server + (e.to == Role::FOLLOWING ? " waits for a leader" : " looks for a leader") + in;
          },
          [&](const Looking& e) {
            return server +
                   (e.pre ? " asks whether it would be elected in generation " : " begins generation ") +
                   number(e.generation) + " with " + text(e.last);
          },
          [&](const VoteDecided& e) {
            return server +
                   (e.granted ? (e.pre ? " would vote for " : " votes for ")
                              : (e.pre ? " would not vote for " : " does not vote for ")) +
                   name(e.candidate) + " in generation " + number(e.generation) + ": " + because(e);
          },
          [&](const QuorumCounted& e) {
            return server + " counts " + listed(name, e.by) + (e.pre ? ": it would be" : ": it is") +
                   " elected in generation " + number(e.generation);
          },
          [&](const AppendRefused& e) {
            const bool old = e.reason == RefusedReason::lower_generation;
            return server + " refuses entries from " + name(e.leader) + ": " +
                   (old ? "its generation is lower" : "it does not have " + text(e.previous));
          },
          [&](const Truncated& e) {
            return server + " truncates its log, which ended with " + text(e.last) + ", after entry " +
                   number(e.index);
          },
          [&](const Committed& e) {
            return server + " commits up to " + text(e.up_to) + ", with " + listed(name, e.by);
          },
          [&](const BasicApplied<S>& e) {
            return server + " applies " + text({e.entry.generation, e.index});
          },
          [&](const Silent& e) { return server + " does not hear from " + name(e.follower); },
      },
      event);
}

}  // namespace zablab::leader_followers
