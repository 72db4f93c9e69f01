#include "checker/history/register.h"

#include <algorithm>

namespace zablab::history {

std::optional<Register::State> Register::apply(const State& state, const Op& op) const {
  switch (op.action) {
    case RegisterAction::write: return op.value;
    case RegisterAction::read:
      if (op.returned && *op.returned != state) return std::nullopt;
      return state;
    case RegisterAction::compare_and_set:
      if (op.returned && (*op.returned != 0) != (state == op.expected)) return std::nullopt;
      return state == op.expected ? op.value : state;
  }
  return std::nullopt;
}

Register::Op Register::unanswered(Op op) {
  op.returned.reset();
  return op;
}

std::vector<Register::Op> Register::answers(const Op& op, const std::vector<Op>& all) const {
  if (op.action == RegisterAction::write) return {op.returns(0)};
  if (op.action == RegisterAction::compare_and_set) return {op.returns(0), op.returns(1)};
  std::vector<std::int64_t> values{initial};
  for (const Op& other : all) {
    if (other.action != RegisterAction::read) values.push_back(other.value);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<Op> answers;
  for (const std::int64_t value : values) answers.push_back(op.returns(value));
  return answers;
}

Phrase Register::words(const Op& op) {
  switch (op.action) {
    case RegisterAction::read:
      return op.returned ? phrase("read {value}", *op.returned) : phrase("read, without an answer");
    case RegisterAction::write:
      return op.returned ? phrase("write {value}", op.value)
                         : phrase("write {value}, without an answer", op.value);
    case RegisterAction::compare_and_set:
      if (!op.returned)
        return phrase("compare and set {expected} to {value}, without an answer", op.expected, op.value);
      return *op.returned != 0
                 ? phrase("compare and set {expected} to {value}, done", op.expected, op.value)
                 : phrase("compare and set {expected} to {value}, refused", op.expected, op.value);
  }
  return {};
}

Judgement<Register> regular(const RegisterHistory& history, const Register& spec, Limit limit) {
  const auto isRead = [](const Call<RegisterOp>& call) { return call.op.action == RegisterAction::read; };
  Judgement<Register> sum;
  for (std::size_t read = 0; read < history.calls.size(); ++read) {
    if (!isRead(history.calls[read]) || !history.calls[read].answered) continue;
    std::vector<Call<RegisterOp>> calls;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < history.calls.size(); ++i) {
      if (i != read && isRead(history.calls[i])) continue;
      calls.push_back(history.calls[i]);
      places.push_back(i);
    }
    const Judgement<Register> one = detail::search(calls, spec, Order::real_time, limit);
    sum.configurations += one.configurations;
    if (one.verdict == Verdict::yes) continue;
    sum.verdict = one.verdict;
    if (one.verdict == Verdict::gave_up) continue;
    sum.misplaced = read;
    const auto at = std::find(places.begin(), places.end(), read);
    RegisterOp& op = calls[static_cast<std::size_t>(at - places.begin())].op;
    for (const RegisterOp& answer : spec.answers(op, opsOf(history))) {
      op = answer;
      if (detail::search(calls, spec, Order::real_time, limit).verdict == Verdict::yes)
        sum.possible.push_back(answer);
    }
    calls.erase(calls.begin() + (at - places.begin()));
    places.erase(at);
    for (const auto& placed : detail::search(calls, spec, Order::real_time, limit).order)
      sum.order.push_back({places[placed.call], placed.op});
    return sum;
  }
  return sum;
}

}  // namespace zablab::history
