// The clients' requests and answers, and their order: everything that can be observed of a service from
// outside. It comes from a search, which has an order of events but no times, or from a run, whose events
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

/// The place of an invocation or an answer in the order of events. It grows only where an invocation follows
/// an answer, because nothing else can be distinguished: a call is over before another begins if it is
/// answered at an earlier moment than that at which the other one is invoked. Histories with the same meaning
/// are therefore mostly equal.
using Moment = std::uint32_t;

/// One operation, from its invocation to its answer. A call without an answer is open: it may take effect at
/// any time after its invocation, or never.
template <class Op>
struct Call {
  ServerId client = no_server;
  Op op;                    ///< with what it returned, if it was answered
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

  /// The client makes a call. A call that is never answered remains open.
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
  /// It had no effect and never will have: as if it had not been made.
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
