#include "protocol/recipes/naming.h"

#include "protocol/variant.h"

namespace zablab::recipes {
namespace {

struct NamingStep : WorkerStep<NamingStep> {
  Naming& me;

  NamingStep(const Hands& with, Naming& naming) : WorkerStep{with, Recipe::naming, naming}, me(naming) {}

  void instructed(const Instructed& instructed) const {
    instructed.act == Act::name ? static_cast<void>(++me.wanted) : hands.emit(NotHeld{});
  }
  void work() const {
    if (me.wanted == 0) return;
    if (hands.rules.naming == Numbering::numbered)
      return ask(Purpose::join, creation(below("name-"), sequential_mode));
    if (me.number < 0) return ask(Purpose::list, operation(OpCode::getChildren, me.path));
    ask(Purpose::join, creation(below("name-" + std::to_string(me.number)), 0));
  }
  void answered(const Answer& answer) const {
    if (answer.result.error == Error::NONODE) return createBase();
    if (answer.purpose == Purpose::list) {
      me.number = static_cast<std::int32_t>(answer.result.children.size());
    } else if (hands.rules.naming == Numbering::counted) {
      give(below("name-" + std::to_string(me.number)));
    } else if (answer.result.path) {
      give(*answer.result.path);
    }
  }
  void give(const std::string& name) const {
    --me.wanted;
    me.number = -1;
    hands.emit(NameGiven{name});
  }
  void changed(const NodeEvent&) const {}
  /// It asks again: a number may be left out, but is not given twice.
  void unknown(Purpose) const { me.number = -1; }
  void looksAgain() const {}
  void sessionOver() const {}
};

}  // namespace

void step(const Hands& hands, Naming& naming, const Input& input) {
  const NamingStep step(hands, naming);
  visit([&](const auto& one) { step.on(one); }, input);
}

}  // namespace zablab::recipes
