// Whether a history is linearizable (Herlihy and Wing, Linearizability: a correctness condition for
// concurrent objects, 1990): whether all its calls can be put into one order in which each gets the answer
// that it got, and in which a call that was over before another began precedes it. Open calls are placed
// wherever they fit, or nowhere.
//
// The search is Wing and Gong's (Testing and verifying concurrent objects, 1993): it tries the orders call by
// call, and backtracks where an answer does not fit. A configuration is the set of calls that were put in
// order and the state that they lead to; one that was met before leads to nothing new and is not explored
// again (Lowe, Testing for linearizability, 2017). It is exact: yes and no are certain. The question is
// NP-complete (Gibbons and Korach, Testing shared memories, 1997), so the number of configurations is
// bounded, and if the bound is reached the verdict is that the search gave up.
//
// It requires the sequential specification of a service:
//
//   struct Spec {
//     using Op;     // an operation, with its answer if it has one
//     using State;  // can be encoded (protocol/reflect.h)
//     State initial;
//     std::optional<State> apply(const State&, const Op&) const;  // empty: it cannot have this answer here
//     static Op unanswered(Op);                                   // fits every state
//     std::vector<Op> answers(const Op&, const std::vector<Op>& all) const;  // with each answer it might get
//     static Phrase words(const Op&);
//   };
#pragma once

#include <boost/describe.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "checker/history/history.h"
#include "protocol/reflect.h"
#include "sim/phrase.h"

namespace zablab::history {

enum class Verdict : std::uint8_t { yes, no, gave_up };
BOOST_DESCRIBE_ENUM(Verdict, yes, no, gave_up)

/// The order that is required.
enum class Order : std::uint8_t {
  real_time,   ///< after what was answered before it was invoked: linearizable
  per_client,  ///< after what its own client was answered before: sequentially consistent (Lamport 1979)
};

struct Limit {
  std::uint64_t configurations = 1'000'000;  ///< of one search
};

template <class Spec>
struct Judgement {
  using Op = typename Spec::Op;
  Verdict verdict = Verdict::yes;
  std::uint64_t configurations = 0;  ///< number of configurations met
  struct Placed {
    std::size_t call = 0;  ///< by index
    Op op;                 ///< as it was when it was placed: answered or not
  };
  /// An order of the calls that fits. If there is none, one of the longest part of the history that has one:
  /// up to the last event before `misplaced` is answered.
  std::vector<Placed> order;
  /// The call whose answer no order fits any more.
  std::optional<std::size_t> misplaced;
  /// The answers that some order would have permitted.
  std::vector<Op> possible;
};

/// A set of calls, one bit each.
class CallSet {
 public:
  explicit CallSet(std::size_t calls) : words_((calls + 63) / 64) {}
  bool has(std::size_t i) const { return (words_[i / 64] >> (i % 64)) & 1; }
  void add(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void remove(std::size_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  bool includes(const CallSet& other) const;
  const std::vector<std::uint64_t>& words() const { return words_; }

 private:
  std::vector<std::uint64_t> words_;
};

/// What the search has to know about the calls besides their operations.
struct Extent {
  ServerId client = no_server;
  Moment invoked = 0;
  std::optional<Moment> answered;
};
class Precedence {
 public:
  Precedence(const std::vector<Extent>& calls, Order order);
  /// Whether everything that must precede the call is in this set.
  bool mayFollow(const CallSet& set, std::size_t i) const { return set.includes(before_[i]); }
  /// Whether every call that was answered is in the set.
  bool isComplete(const CallSet& set) const { return set.includes(answered_); }
  /// The order in which calls are tried: as they were answered, then those that were not.
  const std::vector<std::size_t>& tried() const { return tried_; }

 private:
  std::vector<CallSet> before_;
  CallSet answered_;
  std::vector<std::size_t> tried_;
};

namespace detail {

template <class Op>
std::vector<Extent> extentsOf(const std::vector<Call<Op>>& calls) {
  std::vector<Extent> extents;
  for (const Call<Op>& call : calls) extents.push_back({call.client, call.invoked, call.answered});
  return extents;
}

struct BytesHash {
  std::size_t operator()(const Bytes& bytes) const { return hashBytes(bytes); }
};

/// Whether there is an order, and which; without the place at which it fails.
template <class Spec>
Judgement<Spec> search(const std::vector<Call<typename Spec::Op>>& calls, const Spec& spec, Order order,
                       Limit limit) {
  using State = typename Spec::State;
  struct Frame {
    State state;
    std::size_t next = 0;  ///< of the calls that are tried
    std::size_t call = 0;  ///< the call that led here
  };
  const Precedence precedence(extentsOf(calls), order);
  Judgement<Spec> found;
  CallSet set(calls.size());
  boost::unordered_flat_set<Bytes, BytesHash> met;
  const auto isNew = [&](const State& state) {
    Bytes configuration = encode(set.words());
    encodeTo(configuration, state);
    return met.insert(std::move(configuration)).second;
  };
  std::vector<Frame> way;
  way.push_back({spec.initial});
  while (!precedence.isComplete(set)) {
    Frame& here = way.back();
    if (here.next == calls.size()) {
      if (way.size() == 1) {
        found.verdict = Verdict::no;
        return found;
      }
      set.remove(here.call);
      way.pop_back();
      continue;
    }
    const std::size_t i = precedence.tried()[here.next++];
    if (set.has(i) || !precedence.mayFollow(set, i)) continue;
    const std::optional<State> after = spec.apply(here.state, calls[i].op);
    if (!after) continue;
    // A call that was not answered and changes nothing here may equally be omitted.
    if (!calls[i].answered && *after == here.state) continue;
    set.add(i);
    if (!isNew(*after)) {
      set.remove(i);
      continue;
    }
    if (++found.configurations > limit.configurations) {
      found.verdict = Verdict::gave_up;
      return found;
    }
    way.push_back({*after, 0, i});
  }
  for (std::size_t i = 1; i < way.size(); ++i) found.order.push_back({way[i].call, calls[way[i].call].op});
  return found;
}

}  // namespace detail

/// Whether the history fits the specification in an order. A negative result in real time includes where it
/// begins: prefixes of linearizable histories are linearizable, so the first answer that breaks it is found
/// by bisection. (For sequential consistency this is not so: a read may return what is written later.)
template <class Spec>
Judgement<Spec> judge(const History<typename Spec::Op>& history, const Spec& spec,
                      Order order = Order::real_time, Limit limit = {}) {
  using Calls = std::vector<Call<typename Spec::Op>>;
  Judgement<Spec> verdict = detail::search(history.calls, spec, order, limit);
  if (verdict.verdict != Verdict::no || order != Order::real_time) return verdict;

  std::vector<std::size_t> answered;  // in an order in which the answers may have arrived
  for (std::size_t i = 0; i < history.calls.size(); ++i) {
    if (history.calls[i].answered) answered.push_back(i);
  }
  std::stable_sort(answered.begin(), answered.end(), [&](std::size_t a, std::size_t b) {
    return *history.calls[a].answered < *history.calls[b].answered;
  });
  /// The calls up to the answer of the last of this many, and their places in the history.
  std::vector<std::size_t> places;
  const auto prefix = [&](std::size_t answers) {
    const Moment end = answers == 0 ? 0 : *history.calls[answered[answers - 1]].answered;
    Calls calls;
    places.clear();
    for (std::size_t i = 0; i < history.calls.size(); ++i) {
      if (history.calls[i].invoked > end) continue;
      places.push_back(i);
      calls.push_back(history.calls[i]);
      const auto rank = std::find(answered.begin(), answered.end(), i) - answered.begin();
      if (calls.back().answered && static_cast<std::size_t>(rank) < answers) continue;
      calls.back().answered.reset();
      calls.back().op = Spec::unanswered(calls.back().op);
    }
    return calls;
  };
  std::size_t fits = 0;
  std::size_t fails = answered.size();
  while (fits + 1 < fails) {
    const std::size_t middle = std::midpoint(fits, fails);
    const auto part = detail::search(prefix(middle), spec, order, limit);
    if (part.verdict == Verdict::gave_up) return verdict;
    (part.verdict == Verdict::yes ? fits : fails) = middle;
  }
  verdict.misplaced = answered[fails - 1];
  for (auto& placed : detail::search(prefix(fits), spec, order, limit).order)
    verdict.order.push_back({places[placed.call], std::move(placed.op)});

  Calls calls = prefix(fails);
  const auto at =
      static_cast<std::size_t>(std::find(places.begin(), places.end(), *verdict.misplaced) - places.begin());
  for (const auto& answer : spec.answers(calls[at].op, opsOf(history))) {
    calls[at].op = answer;
    if (detail::search(calls, spec, order, limit).verdict == Verdict::yes) verdict.possible.push_back(answer);
  }
  return verdict;
}

/// The verdict in words. `name` gives the names of clients.
template <class Spec, class Name>
Phrase explain(const History<typename Spec::Op>& history, const Judgement<Spec>& judgement, Name&& name) {
  const auto words = [&](std::size_t i, const typename Spec::Op& op) {
    return phrase("{client} {operation}", name(history.calls[i].client), Spec::words(op));
  };
  const Phrase order = listOf(
      judgement.order, [&](const auto& placed) { return words(placed.call, placed.op); }, phrase("none"),
      "; ");
  if (judgement.verdict == Verdict::gave_up)
    return phrase("not decided: {count} configurations were not enough", judgement.configurations);
  if (judgement.verdict == Verdict::yes) return phrase("these fit in this order: {order}", order);
  if (!judgement.misplaced) return phrase("no order explains the answers");
  const Phrase misplaced = words(*judgement.misplaced, history.calls[*judgement.misplaced].op);
  if (judgement.possible.empty())
    return phrase("{call} fits in no order. Before it, this order fits: {order}. It could have been: nothing",
                  misplaced, order);
  return phrase("{call} fits in no order. Before it, this order fits: {order}. It could have been: {answers}",
                misplaced, order, listOf(judgement.possible, [](const auto& op) { return Spec::words(op); }));
}

}  // namespace zablab::history
