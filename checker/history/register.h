// A register as its clients should see it: it is read, written, and compared and set, one operation after the
// other.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "checker/history/history.h"
#include "checker/history/linearizable.h"

namespace zablab::history {

enum class RegisterAction : std::uint8_t { read, write, compare_and_set };
BOOST_DESCRIBE_ENUM(RegisterAction, read, write, compare_and_set)

struct RegisterOp {
  RegisterAction action{};
  std::int64_t value = 0;     ///< to write, or to set
  std::int64_t expected = 0;  ///< compare_and_set: the value that is replaced
  /// A read: the value. A comparison: 1 if it has set the value, 0 if it found another one. A write: 0. Empty
  /// while there is no answer.
  std::optional<std::int64_t> returned = std::nullopt;
  bool operator==(const RegisterOp&) const = default;

  static RegisterOp read() { return {}; }
  static RegisterOp write(std::int64_t value) { return {RegisterAction::write, value}; }
  static RegisterOp compareAndSet(std::int64_t expected, std::int64_t value) {
    return {RegisterAction::compare_and_set, value, expected};
  }
  RegisterOp returns(std::int64_t what) const {
    RegisterOp answered = *this;
    answered.returned = what;
    return answered;
  }
};
BOOST_DESCRIBE_STRUCT(RegisterOp, (), (action, value, expected, returned))

/// The sequential specification.
struct Register {
  using Op = RegisterOp;
  using State = std::int64_t;

  State initial = 0;

  std::optional<State> apply(const State& state, const Op& op) const;
  /// The same operation without an answer.
  static Op unanswered(Op op);
  /// The operation with every answer that some history with these operations can give it.
  std::vector<Op> answers(const Op& op, const std::vector<Op>& all) const;
  static Phrase words(const Op& op);
};

using RegisterHistory = History<RegisterOp>;

/// Whether the register is regular: each read by itself fits all writes. It returns the last value that was
/// written before it began, or one whose write is concurrent with it; two reads may disagree about the order
/// of concurrent writes. (Lamport, On interprocess communication, 1986; for several writers Shao, Welch,
/// Pierce, Lee, Multiwriter consistency conditions for shared memory registers, 2011: MWR-weak.) `misplaced`
/// is the first read that does not fit, `order` one of the writes without it.
Judgement<Register> regular(const RegisterHistory& history, const Register& spec, Limit limit = {});

}  // namespace zablab::history
