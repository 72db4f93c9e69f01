// What clients asked for and were answered, and in which order: all that can be said of a service from
// outside. It comes from a search, which knows an order of events and no times, or from a run, whose events
// have the same order.
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <cassert>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "protocol/vocabulary.h"

namespace zablab::history {

/// Where an invocation or an answer stands in the order of events. It grows only where an invocation follows
/// an answer, for nothing else can be told apart: a call is over before another begins where it is answered
/// at an earlier moment than the other one is invoked at. So histories that mean the same are mostly equal.
using Moment = std::uint32_t;

/// One operation, from its invocation to its answer. A call that nobody has an answer of is open: it may take
/// effect at any time after its invocation, or never.
template <class Op>
struct Call {
  ServerId client = no_server;
  Op op;                    ///< with what it returned, where it was answered
  std::int64_t number = 0;  ///< of the client's calls; 0 for one that waits for each answer
  Moment invoked = 0;
  std::optional<Moment> answered = std::nullopt;
  bool operator==(const Call&) const = default;
  BOOST_DESCRIBE_CLASS(Call, (), (client, op, number, invoked, answered), (), ())
};

template <class Op>
struct History {
  std::vector<Call<Op>> calls;  ///< by the moment of their invocation, then by client
  Moment now = 0;
  bool answered_last = false;  ///< an answer was the last event
  bool operator==(const History&) const = default;
  BOOST_DESCRIBE_CLASS(History, (), (calls, now, answered_last), (), ())

  /// The client asks. What is never answered stays open.
  void invoke(ServerId client, Op op, std::int64_t number = 0) {
    if (answered_last) ++now;
    answered_last = false;
    const auto place = std::find_if(calls.begin(), calls.end(), [&](const Call<Op>& call) {
      return call.invoked == now && call.client > client;
    });
    calls.insert(place, {client, std::move(op), number, now});
  }
  /// The last call of this number is answered; `op` has what was returned.
  void answer(ServerId client, Op op, std::int64_t number = 0) {
    const auto call = find(client, number);
    assert(call != calls.rend() && !call->answered);
    call->op = std::move(op);
    call->answered = now;
    answered_last = true;
  }
  /// It had no effect and never will have: it is as if it had not been asked.
  void fail(ServerId client, std::int64_t number = 0) {
    const auto call = find(client, number);
    assert(call != calls.rend() && !call->answered);
    calls.erase(std::next(call).base());
  }
  /// The last call of this number, if it is open.
  const Call<Op>* open(ServerId client, std::int64_t number = 0) {
    const auto call = find(client, number);
    return call == calls.rend() || call->answered ? nullptr : &*call;
  }

 private:
  auto find(ServerId client, std::int64_t number) {
    return std::find_if(calls.rbegin(), calls.rend(),
                        [&](const Call<Op>& call) { return call.client == client && call.number == number; });
  }
};

template <class Op>
std::vector<Op> opsOf(const History<Op>& history) {
  std::vector<Op> ops;
  for (const Call<Op>& call : history.calls) ops.push_back(call.op);
  return ops;
}

}  // namespace zablab::history
