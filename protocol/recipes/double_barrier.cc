#include "protocol/recipes/double_barrier.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/variant.h"
#include "protocol/zookeeper/paths.h"

namespace zablab::recipes {
namespace {

struct BarrierStep {
  const Hands& hands;
  DoubleBarrier& me;

  std::string readyPath() const { return me.path + "/ready"; }
  std::string ownName() const { return "member-" + std::to_string(hands.nodeNumber(me.session)); }
  std::string ownPath() const { return me.path + "/" + ownName(); }
  void pass(bool inside) const {
    me.inside = inside;
    hands.emit(BarrierPassed{me.path, me.members, inside});
  }

  // ---- entering

  void look() const {
    me.stage = BarrierStage::looking;
    me.ready = false;
    hands.ask(Purpose::observe, operation(OpCode::exists, readyPath(), true));
  }
  /// It was notified of a `ready` that was gone before its own node was there: once that is there, `ready`
  /// stays until all have left. Another watch has to wait for the next one.
  void watch() const {
    me.stage = BarrierStage::looking;
    hands.ask(Purpose::observe, operation(OpCode::exists, readyPath(), true));
  }
  void join() const {
    me.stage = BarrierStage::joining;
    hands.ask(Purpose::join, creation(ownPath(), ephemeral_mode));
  }
  /// There is a node of its name: of this session, or of one before. Until it knows which, the others may
  /// count it already.
  void own() const {
    me.stage = BarrierStage::owning;
    me.unsure = true;
    hands.ask(Purpose::observe, operation(OpCode::exists, ownPath(), true));
  }
  void owned(const Answer& answer) const {
    me.unsure = false;
    if (answer.result.error != Error::OK) return look();
    if (answer.result.stat->ephemeral_owner != me.session)
      return static_cast<void>(me.stage = BarrierStage::replacing);
    me.joined = true;
    list(BarrierStage::counting);
  }
  void list(BarrierStage stage) const {
    me.stage = stage;
    hands.ask(Purpose::list, operation(OpCode::getChildren, me.path));
  }
  void enter() const {
    me.stage = BarrierStage::inside;
    pass(true);
    if (me.leaving) list(BarrierStage::listing);
  }
  void counted(const std::vector<std::string>& children) const {
    const bool announced = std::find(children.begin(), children.end(), "ready") != children.end();
    const bool of_its_round = announced || (me.ready && hands.rules.old_ready == OldReady::passes);
    if (of_its_round && hands.rules.wake == Wake::trusts_ready) return enter();
    if (static_cast<std::int32_t>(children.size()) - (announced ? 1 : 0) < me.members) {
      me.ready && !announced ? watch() : static_cast<void>(me.stage = BarrierStage::waiting);
    } else if (announced) {
      enter();
    } else {
      me.stage = BarrierStage::announcing;
      hands.ask(Purpose::announce, creation(readyPath(), 0));
    }
  }
  void onReady() const {
    me.ready = true;
    if (me.stage != BarrierStage::waiting) return;
    hands.rules.wake == Wake::trusts_ready ? enter() : list(BarrierStage::counting);
  }

  /// There can be no node of its own below this path.
  void giveUp() const {
    me.stage = BarrierStage::outside;
    hands.emit(GaveUp{GaveUpBecause::no_parent});
  }

  // ---- leaving

  void listed(std::vector<std::string> children) const {
    const bool ready = std::erase(children, "ready") > 0;
    std::sort(children.begin(), children.end());
    const bool own = std::find(children.begin(), children.end(), ownName()) != children.end();
    // Whoever is there without `ready` has come to the next round.
    const bool over = !own && !ready && hands.rules.round_end == RoundEnd::ready_gone;
    // Others have died inside: who comes after that is not of this round.
    if (children.empty() && ready) return endRound({operation(OpCode::remove, readyPath())});
    if (children.empty() || over) return left();
    if (own && children.size() == 1) return removeLast(ready);
    if (own && children.front() != ownName()) {
      me.stage = BarrierStage::deleting;
      return hands.ask(Purpose::leave, operation(OpCode::remove, ownPath()));
    }
    // The lowest waits for the highest, all others for the lowest.
    me.stage = BarrierStage::observing;
    me.watched = me.path + "/" + (own ? children.back() : children.front());
    hands.ask(Purpose::observe, operation(OpCode::getData, me.watched, true));
  }
  /// Whether the node that it watches is of the round that it leaves.
  void checked(const std::vector<std::string>& children) const {
    const auto isThere = [&](std::string_view name) {
      return std::find(children.begin(), children.end(), name) != children.end();
    };
    // A member whose own node is there waits in any case.
    const bool of_its_round = isThere("ready") || isThere(ownName());
    if (!of_its_round || !isThere(zookeeper::nameOf(me.watched))) return listed(children);
    me.stage = BarrierStage::staying;
  }
  /// The last one deletes `ready` together with its node.
  void removeLast(bool ready) const {
    std::vector<zookeeper::SubOp> nodes;
    if (ready) nodes.push_back(operation(OpCode::remove, readyPath()));
    nodes.push_back(operation(OpCode::remove, ownPath()));
    endRound(std::move(nodes));
  }
  /// Deletes these nodes, unless another member's is there: its server may not have seen that yet, but a node
  /// with children cannot be deleted. So the barrier's own node is replaced by an empty one.
  void endRound(std::vector<zookeeper::SubOp> nodes) const {
    if (me.stage != BarrierStage::blocked) me.stage = BarrierStage::deleting;
    if (hands.rules.ready_removal == ReadyRemoval::if_empty) {
      nodes.push_back(operation(OpCode::remove, me.path));
      nodes.push_back(creation(me.path, 0));
    }
    Op op = operation(OpCode::multi, "");
    op.ops = std::move(nodes);
    hands.ask(Purpose::leave, std::move(op));
  }
  void left() const {
    me.stage = BarrierStage::outside;
    me.joined = me.leaving = false;
    me.watched.clear();
    pass(false);
  }

  // ---- inputs

  void on(const Begin& begin) const {
    hands.emit(RecipeBegan{Recipe::double_barrier, me.path});
    me.session = begin.session;
    me.connected = begin.session != no_session;
  }
  void on(const TimerFired&) const {}
  void on(const Instructed& instructed) const {
    if (instructed.act == Act::enter && me.stage == BarrierStage::outside) {
      me.connected ? look() : static_cast<void>(me.stage = BarrierStage::suspended);
    } else if (instructed.act == Act::leave && me.stage != BarrierStage::outside) {
      me.leaving = true;
      if (me.stage == BarrierStage::inside && me.connected) list(BarrierStage::listing);
    } else {
      hands.emit(NotHeld{});
    }
  }
  void on(const SessionChanged& changed) const {
    me.connected = changed.link == SessionLink::connected;
    switch (changed.link) {
      case SessionLink::lost:
        if (me.stage != BarrierStage::outside) me.stage = BarrierStage::suspended;
        return;
      case SessionLink::over:
        // Whoever was inside is out: its node is gone.
        if (me.inside) me.stage = BarrierStage::outside;
        me.joined = me.unsure = me.inside = me.leaving = false;
        if (me.stage != BarrierStage::outside) me.stage = BarrierStage::suspended;
        return;
      case SessionLink::connected:
        if (changed.session != me.session) me.joined = me.unsure = false;
        me.session = changed.session;
        if (me.stage == BarrierStage::suspended) resume();
        return;
    }
  }
  void resume() const {
    if (me.inside && !me.leaving) {
      me.stage = BarrierStage::inside;
    } else if (me.inside) {
      list(BarrierStage::listing);
    } else if (me.joined) {
      list(BarrierStage::counting);
    } else if (me.unsure && hands.rules.lost_create != LostCreate::creates_again) {
      recall();
    } else {
      look();
    }
  }
  /// The others may count its node already.
  void recall() const {
    if (hands.rules.lost_create == LostCreate::looks_at_once) return list(BarrierStage::counting);
    me.stage = BarrierStage::recalling;
    const bool syncs = hands.rules.lost_create == LostCreate::looks_after_sync;
    hands.ask(Purpose::catch_up, syncs ? operation(OpCode::sync, me.path) : emptyWrite(me.path));
  }
  void recalled(const std::vector<std::string>& children) const {
    me.unsure = false;
    std::find(children.begin(), children.end(), ownName()) != children.end() ? own() : look();
  }
  void on(const Changed& changed) const {
    const NodeEvent& event = changed.event;
    if (event.path == readyPath()) {
      if (event.type == EventType::NodeCreated) return onReady();
      return;
    }
    if (me.stage == BarrierStage::replacing && event.path == ownPath() &&
        event.type == EventType::NodeDeleted)
      return look();  // the round that counted that node may be over
    if (me.stage == BarrierStage::blocked && event.path == me.path) return block();
    if (me.stage == BarrierStage::staying && event.path == me.watched && event.type == EventType::NodeDeleted)
      list(BarrierStage::listing);
  }
  void on(const Answer& answer) const {
    const Error error = answer.result.error;
    if (error == Error::CONNECTIONLOSS && answer.purpose == Purpose::join) me.unsure = true;
    if (error == Error::CONNECTIONLOSS || error == Error::SESSIONEXPIRED) return;
    switch (answer.purpose) {
      case Purpose::observe:
        if (me.stage == BarrierStage::looking) return looked(error == Error::OK);
        if (me.stage == BarrierStage::owning) return owned(answer);
        if (me.stage != BarrierStage::observing) return;
        if (error != Error::OK) return list(BarrierStage::listing);
        // That node may be of the next round by now: it lists the nodes once more.
        if (hands.rules.round_end == RoundEnd::ready_gone) return list(BarrierStage::observing);
        me.stage = BarrierStage::staying;
        return;
      case Purpose::join:
        if (me.stage != BarrierStage::joining) return;
        if (error == Error::NONODE) return hands.ask(Purpose::create_base, creation(me.path, 0));
        if (error == Error::SESSIONMOVED) return join();
        if (error == Error::NODEEXISTS) return own();
        if (error != Error::OK) return giveUp();
        me.joined = true;
        me.unsure = false;
        return list(BarrierStage::counting);
      case Purpose::create_base:
        if (me.stage != BarrierStage::joining) return;
        return error == Error::OK || error == Error::NODEEXISTS ? join() : giveUp();
      case Purpose::list:
        if (me.stage == BarrierStage::counting && me.unsure) return recalled(answer.result.children);
        if (me.stage == BarrierStage::counting) return counted(answer.result.children);
        if (me.stage == BarrierStage::listing) return listed(answer.result.children);
        if (me.stage == BarrierStage::observing) return checked(answer.result.children);
        if (me.stage == BarrierStage::blocked) return unblock(answer.result.children);
        return;
      case Purpose::announce:
        if (me.stage != BarrierStage::announcing) return;
        return error == Error::OK || error == Error::NODEEXISTS ? enter() : list(BarrierStage::counting);
      case Purpose::leave:
        if (me.stage == BarrierStage::deleting) return list(BarrierStage::listing);
        if (me.stage == BarrierStage::blocked) look();
        return;
      case Purpose::catch_up:
        if (me.stage != BarrierStage::recalling) return;
        return error == Error::SESSIONMOVED ? recall() : list(BarrierStage::counting);
      case Purpose::base:
      case Purpose::close: return;
    }
  }
  /// `ready` is of an earlier round, which is over when there is nobody.
  void block() const {
    me.stage = BarrierStage::blocked;
    hands.ask(Purpose::list, operation(OpCode::getChildren, me.path, true));
  }
  void unblock(const std::vector<std::string>& children) const {
    if (children.empty()) return look();
    // The last one has died inside.
    if (children.size() == 1 && children.front() == "ready")
      endRound({operation(OpCode::remove, readyPath())});
  }
  void looked(bool found) const {
    if (me.joined) {
      me.ready = false;
      return found ? list(BarrierStage::counting) : static_cast<void>(me.stage = BarrierStage::waiting);
    }
    if (found && hands.rules.old_ready == OldReady::waits) return block();
    me.ready = found;
    join();
  }
};

}  // namespace

void step(const Hands& hands, DoubleBarrier& barrier, const Input& input) {
  const BarrierStep step{hands, barrier};
  visit([&](const auto& one) { step.on(one); }, input);
}

}  // namespace zablab::recipes
