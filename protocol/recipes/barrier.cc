#include "protocol/recipes/barrier.h"

#include "protocol/variant.h"

namespace zablab::recipes {
namespace {

struct PlainBarrierStep : WorkerStep<PlainBarrierStep> {
  Barrier& me;

  PlainBarrierStep(const Hands& with, Barrier& barrier)
      : WorkerStep{with, Recipe::barrier, barrier}, me(barrier) {}

  void instructed(const Instructed& instructed) const {
    if (instructed.act != Act::enter) return hands.emit(NotHeld{});
    me.waits = true;
    me.watches = false;
  }
  void work() const {
    if (me.waits && !me.watches) ask(Purpose::observe, operation(OpCode::exists, me.path, true));
  }
  void pass() const {
    me.waits = me.watches = false;
    hands.emit(BarrierPassed{me.path, 0, true});
  }

  void answered(const Answer& answer) const {
    if (!me.waits) return;
    answer.result.error == Error::NONODE ? pass() : static_cast<void>(me.watches = true);
  }
  void changed(const NodeEvent& event) const {
    if (!me.waits || !me.watches || event.path != me.path) return;
    if (event.type == EventType::NodeDeleted || hands.rules.barrier_end == BarrierEnd::any_event)
      pass();
    else if (hands.rules.data_change == DataChange::watches_again)
      me.watches = false;
  }
  void unknown(Purpose) const {}
  void looksAgain() const { me.watches = false; }
  void sessionOver() const { me.watches = false; }
};

}  // namespace

void step(const Hands& hands, Barrier& barrier, const Input& input) {
  const PlainBarrierStep step(hands, barrier);
  visit([&](const auto& one) { step.on(one); }, input);
}

}  // namespace zablab::recipes
