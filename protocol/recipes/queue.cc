#include "protocol/recipes/queue.h"

#include <utility>

#include "protocol/recipes/line.h"
#include "protocol/variant.h"

namespace zablab::recipes {
namespace {

struct QueueStep : WorkerStep<QueueStep> {
  QueueClient& me;

  QueueStep(const Hands& with, Recipe which, QueueClient& queue)
      : WorkerStep{with, which, queue}, me(queue) {}

  bool locks() const { return recipe == Recipe::protected_queue && hands.rules.item_lock == ItemLock::held; }
  /// Whether it processes an item before it deletes it.
  bool takesFirst() const {
    return recipe == Recipe::protected_queue ? hands.rules.queue_process == QueueProcess::before_delete
                                             : hands.rules.queue_take == QueueTake::when_read;
  }
  std::string item() const { return below(me.items.front()); }
  std::string lockOf(const std::string& item) const { return below(item) + "/taken"; }

  void instructed(const Instructed& instructed) const {
    if (instructed.act == Act::put) {
      me.to_put.push_back(instructed.data);
    } else if (instructed.act == Act::take) {
      ++me.wanted;
    } else {
      hands.emit(NotHeld{});
    }
  }

  void work() const {
    if (!me.to_put.empty())
      return ask(Purpose::announce, creation(below("item-"), sequential_mode, me.to_put.front()));
    if (me.wanted == 0) return;
    switch (me.stage) {
      case QueueStage::listing: {
        me.stale = false;
        const bool watch = !me.watched;
        me.watched = hands.rules.queue_watch == QueueWatch::once;
        return ask(Purpose::list, operation(OpCode::getChildren, me.path, watch));
      }
      case QueueStage::locking: return ask(Purpose::join, creation(lockOf(me.items.front()), ephemeral_mode));
      case QueueStage::owning:
        return ask(Purpose::catch_up, operation(OpCode::exists, lockOf(me.items.front())));
      case QueueStage::reading: return ask(Purpose::base, operation(OpCode::getData, item()));
      case QueueStage::removing: return ask(Purpose::leave, removal());
      case QueueStage::observing:
        return ask(Purpose::observe, operation(OpCode::exists, lockOf(me.locked), true));
      case QueueStage::waiting: return;
    }
  }
  Op removal() const {
    if (!locks()) return operation(OpCode::remove, item());
    Op op = operation(OpCode::multi, "");
    op.ops = {{.code = OpCode::remove, .path = lockOf(me.items.front())},
              {.code = OpCode::remove, .path = item()}};
    return op;
  }

  void answered(const Answer& answer) const {
    const Error error = answer.result.error;
    const bool done = error == Error::OK;
    switch (answer.purpose) {
      case Purpose::announce:
        if (error == Error::NONODE) return createBase();
        me.to_put.erase(me.to_put.begin());
        if (done) hands.emit(ItemPut{me.path, *answer.result.path});
        return;
      case Purpose::list:
        if (error == Error::NONODE) return createBase();
        me.items = inOrder(answer.result.children, hands.rules.number_order);
        me.locked.clear();
        return tryFirst();
      case Purpose::join:
        if (error == Error::NODEEXISTS) return static_cast<void>(me.stage = QueueStage::owning);
        return done ? static_cast<void>(me.stage = QueueStage::reading) : skip();
      case Purpose::catch_up:
        if (!done) return restart();
        if (answer.result.stat->ephemeral_owner == me.session)
          return static_cast<void>(me.stage = QueueStage::reading);
        me.locked = me.items.front();
        return skip();
      case Purpose::base:
        if (!done) return skip();
        me.data = answer.result.data.value_or("");
        if (takesFirst()) take();
        me.stage = QueueStage::removing;
        return;
      case Purpose::leave:
        if (!done && !takesFirst()) return skip();
        if (!takesFirst()) take();
        --me.wanted;
        return restart();
      case Purpose::observe: return done ? wait() : restart();
      case Purpose::create_base:
      case Purpose::close: return;
    }
  }
  void take() const { hands.emit(ItemTaken{me.path, item(), me.data, me.session}); }
  void tryFirst() const {
    if (!me.items.empty()) {
      me.stage = locks() ? QueueStage::locking : QueueStage::reading;
    } else if (!me.locked.empty()) {
      me.stage = QueueStage::observing;
    } else {
      wait();
    }
  }
  void skip() const {
    me.items.erase(me.items.begin());
    me.data.clear();
    // Items may have come since it has listed them.
    me.items.empty() && me.locked.empty() ? restart() : tryFirst();
  }
  void wait() const { me.stage = me.stale ? QueueStage::listing : QueueStage::waiting; }
  void restart() const {
    me.stage = QueueStage::listing;
    me.items.clear();
    me.locked.clear();
    me.data.clear();
  }

  void changed(const NodeEvent& event) const {
    if (event.path == me.path) me.stale = true;
    const bool unlocked = event.path == lockOf(me.locked) && event.type == EventType::NodeDeleted;
    if (me.stage == QueueStage::waiting && (me.stale || unlocked)) restart();
  }
  void unknown(Purpose purpose) const {
    if (purpose != Purpose::announce) return;
    // To put it again might put it twice.
    me.to_put.erase(me.to_put.begin());
    hands.emit(ItemPut{me.path, ""});
  }
  /// What was processed has still to be deleted, if this is still its own.
  void looksAgain() const {
    if (me.stage != QueueStage::removing || !takesFirst()) restart();
  }
  void sessionOver() const { restart(); }
};

}  // namespace

void step(const Hands& hands, Recipe recipe, QueueClient& queue, const Input& input) {
  const QueueStep step(hands, recipe, queue);
  visit([&](const auto& one) { step.on(one); }, input);
}

}  // namespace zablab::recipes
