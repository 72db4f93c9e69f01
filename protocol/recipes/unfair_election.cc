#include "protocol/recipes/unfair_election.h"

#include <utility>

#include "protocol/zookeeper/paths.h"

namespace zablab::recipes {
namespace {

struct UnfairStep : HolderStep<UnfairStep> {
  UnfairElection& me;

  UnfairStep(const Hands& with, UnfairElection& election)
      : HolderStep{with, Recipe::unfair_election, election, election.node}, me(election) {}

  void begin() const {
    me.node.clear();
    me.stage = Attempt::creating;
    Op op = operation(OpCode::create, me.path);
    op.flags = 1;  // EPHEMERAL
    op.acl = zookeeper::openAcl();
    hands.ask(Purpose::join, std::move(op));
  }
  void rejoin() const {
    if (me.stage != Attempt::outside) {
      me.rejoining = me.leaving;
      return;
    }
    me.leaving = false;
    if (me.connected) begin();
  }
  void observe() const {
    me.stage = Attempt::observing;
    hands.ask(Purpose::observe, operation(OpCode::exists, me.path, true));
  }
  void leads(BeliefReason reason) const {
    me.node = me.path;
    me.stage = Attempt::waiting;
    if (me.leaving) return leave();
    believe(reason);
    if (hands.rules.own_node == OwnNode::watched && reason == BeliefReason::created) observe();
  }

  void changed(const NodeEvent& event) const {
    if (me.stage != Attempt::waiting || event.path != me.path) return;
    if (event.type == EventType::NodeDataChanged) {
      if (hands.rules.data_change == DataChange::watches_again) observe();
    } else if (event.type == EventType::NodeDeleted) {
      if (hands.rules.lost_place == LostPlace::joins_again) doubt(BeliefReason::lost_place);
      begin();
    }
  }

  std::int32_t limit() const { return 1; }
  void act(Act) const { hands.emit(NotHeld{}); }

  // ---- how it is given up

  void leave() const {
    if (!me.connected || me.unsure || me.stage != Attempt::waiting) return;
    if (me.node.empty()) return left();
    me.stage = Attempt::leaving;
    hands.ask(Purpose::leave, operation(OpCode::remove, me.path));
  }
  void left() const {
    doubt(BeliefReason::left);
    me.node.clear();
    me.stage = Attempt::outside;
    if (!me.rejoining) return;
    me.leaving = me.rejoining = false;
    begin();
  }

  // ---- the session

  bool keepsPlace() const { return hands.rules.new_session == NewSession::keeps_place; }
  void suspend() const {
    if (me.stage != Attempt::outside && hands.rules.reconnection == Reconnection::rechecks)
      me.stage = Attempt::suspended;
  }
  void forget() const {
    me.stage = Attempt::outside;
    me.unsure = false;
    me.node.clear();
  }
  void resume() const {
    if (me.stage == Attempt::outside && !me.leaving) return begin();
    if (me.stage != Attempt::suspended) return;
    if (me.unsure && me.leaving && !me.node.empty() && hands.rules.lost_delete == LostDelete::deletes_again) {
      me.unsure = false;
      me.stage = Attempt::waiting;
      return leave();
    }
    if (!me.unsure) return observe();
    catchUp();
  }
  void catchUp() const {
    me.stage = Attempt::looking;
    hands.ask(Purpose::catch_up, emptyWrite(me.path));
  }

  // ---- answers

  void lost(Purpose purpose) const {
    if (purpose == Purpose::join && hands.rules.lost_create == LostCreate::gives_up)
      return giveUp(GaveUpBecause::create_lost);
    if (purpose == Purpose::join || purpose == Purpose::leave) me.unsure = true;
    suspend();
    if (me.stage != Attempt::suspended) me.stage = Attempt::waiting;
  }

  void answered(const Answer& answer) const {
    const Error error = answer.result.error;
    switch (answer.purpose) {
      case Purpose::join:
        if (me.stage != Attempt::creating) return;
        if (error == Error::OK) return leads(BeliefReason::created);
        if (error == Error::NODEEXISTS) return observe();
        if (error == Error::NONODE) return createBase();
        if (error == Error::SESSIONMOVED) return begin();
        me.stage = Attempt::outside;
        return;
      case Purpose::create_base:
        if (me.stage != Attempt::creating) return;
        if (error == Error::NONODE) return giveUp(GaveUpBecause::no_parent);
        return begin();
      case Purpose::catch_up:
        if (me.stage != Attempt::looking) return;
        return error == Error::SESSIONMOVED ? catchUp() : observe();
      case Purpose::observe:
        if (me.stage == Attempt::observing) seen(answer.result);
        if (me.stage == Attempt::waiting && hands.rules.watched_node == WatchedNode::node_and_list)
          hands.ask(Purpose::list, operation(OpCode::getChildren, parent(), true));
        return;
      case Purpose::leave:
        if (me.stage != Attempt::leaving) return;
        if (error == Error::OK || error == Error::NONODE) return left();
        me.stage = Attempt::waiting;
        return leave();
      case Purpose::base:
      case Purpose::list:
      case Purpose::announce:
      case Purpose::close: return;
    }
  }

  std::string parent() const {
    const std::string_view path = zookeeper::parentOf(me.path);
    return path.empty() ? "/" : std::string(path);
  }
  void createBase() const {
    Op op = operation(OpCode::create, parent());
    op.acl = zookeeper::openAcl();
    hands.ask(Purpose::create_base, std::move(op));
  }

  void seen(const Result& result) const {
    me.unsure = false;
    if (result.stat && result.stat->ephemeral_owner == me.session) return leads(BeliefReason::owner);
    doubt(BeliefReason::lost_place);
    me.node.clear();
    me.stage = Attempt::waiting;
    if (me.leaving) return left();
    if (!result.stat) begin();
  }
};

}  // namespace

void step(const Hands& hands, UnfairElection& election, const Input& input) {
  const UnfairStep step(hands, election);
  visit([&](const auto& one) { step.on(one); }, input);
}

}  // namespace zablab::recipes
