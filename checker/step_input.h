// The message that a node reads in the present step of a run, for the books that only runs keep.
#pragma once

#include <optional>

#include "protocol/variant.h"
#include "protocol/vocabulary.h"

namespace zablab {

template <class F>
class StepInput {
 public:
  /// Null: the step reads none, or another one.
  template <class M>
  const M* input() const {
    return input_ ? get_if<M>(&*input_) : nullptr;
  }
  /// Of the message that the step reads.
  ServerId sender() const { return sender_; }

 protected:
  void forgetInput() {
    input_.reset();
    sender_ = no_server;
  }

  std::optional<typename F::Message> input_;
  ServerId sender_ = no_server;
};

}  // namespace zablab
