#include "protocol/recipes/contender.h"

#include <algorithm>
#include <utility>

#include "protocol/recipes/line.h"

namespace zablab::recipes {
namespace {

struct ContenderStep : HolderStep<ContenderStep> {
  const Line& line;
  Contender& me;

  ContenderStep(const Hands& with, const Line& in, Contender& contender)
      : HolderStep{with, in.recipe, contender, contender.node}, line(in), me(contender) {}

  std::string pathOf(const std::string& child) const { return (me.path == "/" ? "" : me.path) + "/" + child; }
  bool isProtected() const {
    return hands.rules.lost_create != LostCreate::creates_again &&
           hands.rules.lost_create != LostCreate::gives_up;
  }
  std::string guard() const { return isProtected() ? guardOf(me.session) : ""; }

  // ---- how a place is taken

  void begin() const {
    me.stage = Stage::base;
    hands.ask(Purpose::base, operation(OpCode::exists, me.path));
  }
  void rejoin() const {
    if (me.stage != Stage::outside) {
      me.rejoining = me.leaving;
      return;
    }
    me.leaving = false;
    if (me.connected) begin();
  }
  void join() const {
    Op op = operation(OpCode::create, pathOf(guard() + me.prefix));
    op.flags = 3;  // EPHEMERAL_SEQUENTIAL
    op.acl = zookeeper::openAcl();
    me.stage = Stage::joining;
    hands.ask(Purpose::join, std::move(op));
  }
  void setPlace(std::string path) const {
    if (me.node == path) return;
    me.node = std::move(path);
    hands.emit(PlaceChanged{me.path, me.node});
  }
  void losePlace() const {
    doubt(BeliefReason::lost_place);
    setDepth(0);
    setPlace("");
  }
  bool watchesBoth() const { return hands.rules.watched_node == WatchedNode::node_and_list; }
  void list() const {
    me.stage = Stage::listing;
    me.watched.clear();
    const bool watch = (line.watches_children && !me.listed) || watchesBoth();
    me.listed = line.watches_children && hands.rules.list_watch == ListWatch::once;
    hands.ask(Purpose::list, operation(OpCode::getChildren, me.path, watch));
  }

  // ---- what is before it

  void decide(const std::vector<std::string>& children) const {
    const std::vector<std::string> order = inOrder(children, hands.rules.number_order);
    if (me.unsure) return find(order);
    me.stage = Stage::waiting;
    if (order.empty() && hands.rules.empty_list == EmptyList::leads) return believe(BeliefReason::empty_list);
    auto mine = std::find_if(order.begin(), order.end(), [&](const std::string& child) {
      return pathOf(child) == me.node || child == me.node;
    });
    if (mine == order.end()) {
      if (hands.rules.lost_place == LostPlace::ignored) return;
      losePlace();
      return join();
    }
    // Of two names with one number the larger is the later one: a bare name comes behind its node's path.
    if (*mine == me.node) ++mine;
    const auto at = static_cast<std::size_t>(mine - order.begin());
    const std::optional<std::size_t> before = line.before(hands.rules, me, order, at);
    if (!before) {
      if (!line.checks_owner || hands.rules.latch_owner == LatchOwner::ignored) return hasTurn();
      me.stage = Stage::verifying;
      return hands.ask(Purpose::announce, operation(OpCode::getData, me.node));
    }
    if (hands.rules.lost_place == LostPlace::joins_again) doubt(BeliefReason::not_first);
    if (hands.rules.watched_node == WatchedNode::none) return list();
    if (!line.watches_children || watchesBoth()) observe(watchedOf(order, *before, at));
  }

  void hasTurn() const {
    believe(BeliefReason::first);
    if (me.depth == 0 && !line.election) setDepth(1);
    if (hands.rules.own_node == OwnNode::watched) observe(me.node);
  }
  /// Its node may be of a session that is over.
  void verified(const Result& result) const {
    me.stage = Stage::waiting;
    if (me.leaving) return leave();
    if (result.stat && result.stat->ephemeral_owner == me.session) return hasTurn();
    losePlace();
    join();
  }

  /// Whether the create that was not answered was carried out.
  void find(const std::vector<std::string>& order) const {
    me.unsure = false;
    const auto mine = std::find_if(order.begin(), order.end(),
                                   [&](const std::string& child) { return child.starts_with(guard()); });
    if (mine != order.end()) setPlace(hands.rules.found_node == FoundNode::bare_name ? *mine : pathOf(*mine));
    if (me.leaving) return leave();
    if (mine == order.end()) return join();
    decide(order);
  }

  std::string watchedOf(const std::vector<std::string>& order, std::size_t before, std::size_t mine) const {
    switch (hands.rules.watched_node) {
      case WatchedNode::predecessor:
      case WatchedNode::none:
      case WatchedNode::node_and_list: break;
      case WatchedNode::behind_or_last: return pathOf(order[mine + 1 < order.size() ? mine + 1 : before]);
      case WatchedNode::first: return pathOf(order.front());
      case WatchedNode::number_minus_one: {
        const std::int64_t wanted = *numberOf(me.node) - 1;
        if (numberOf(order[before]) == wanted) break;
        std::string number = std::to_string(wanted);
        number.insert(0, 10 - number.size(), '0');
        return me.node.substr(0, me.node.size() - number.size()) + number;
      }
    }
    return pathOf(order[before]);
  }
  void observe(std::string path) const {
    me.stage = Stage::observing;
    me.watched = path;
    hands.ask(Purpose::observe, operation(OpCode::getData, std::move(path), true));
  }

  void changed(const NodeEvent& event) const {
    if (me.stage != Stage::waiting) return;
    if (line.watches_children) {
      if (event.type == EventType::NodeChildrenChanged && event.path == me.path) return list();
    }
    if (event.path != me.watched) return;
    if (event.type == EventType::NodeDataChanged) {
      if (hands.rules.data_change == DataChange::watches_again) list();
    } else if (event.type == EventType::NodeDeleted) {
      if (hands.rules.promotion == Promotion::at_once && me.watched != me.node)
        return believe(BeliefReason::notified);
      list();
    }
  }

  // ---- a lock

  std::int32_t limit() const { return me.shared ? 0 : me.limit; }
  void setDepth(std::int32_t depth) const {
    if (me.depth == depth) return;
    me.depth = depth;
    hands.emit(DepthChanged{depth});
  }
  void act(Act act) const {
    switch (act) {
      case Act::acquire:
        if (me.holds && !me.leaving) return setDepth(me.depth + 1);
        me.wanted = true;
        return rejoin();
      case Act::release: return release();
      case Act::use:
        if (me.holds && me.resource != no_server) return hands.use(me.resource, *numberOf(me.node));
        return hands.emit(NotHeld{});
      case Act::enter:
      case Act::put:
      case Act::take:
      case Act::commit:
      case Act::abort:
      case Act::push:
      case Act::name: return hands.emit(NotHeld{});
      case Act::leave:
      case Act::join:
      case Act::close:
      case Act::report: return;
    }
  }
  void release() const {
    if (me.depth == 0) return hands.emit(NotHeld{});
    setDepth(me.depth - 1);
    if (me.depth > 0 && hands.rules.release == Release::last) return;
    me.wanted = false;
    me.leaving = true;
    me.rejoining = false;
    if (me.depth == 0 && hands.rules.resignation == Resignation::belief_first) doubt(BeliefReason::left);
    leave();
  }

  // ---- how it is given up

  void leave() const {
    if (me.unsure) return;  // it has to find its node first
    const bool at_rest =
        me.stage == Stage::waiting || me.stage == Stage::listing || me.stage == Stage::observing;
    if (me.connected && !me.node.empty() && at_rest) {
      me.stage = Stage::leaving;
      hands.ask(Purpose::leave, operation(OpCode::remove, me.node));
    } else if (me.node.empty() && at_rest) {
      left();
    }
  }
  void left() const {
    if (me.depth == 0 || hands.rules.release == Release::last) {
      doubt(BeliefReason::left);
      setDepth(0);
    }
    setPlace("");
    me.stage = Stage::outside;
    if (me.rejoining) {
      me.leaving = me.rejoining = false;
      if (me.connected) begin();
    }
  }

  // ---- the session

  bool keepsPlace() const { return line.checks_owner || hands.rules.new_session == NewSession::keeps_place; }
  void suspend() const {
    if (me.stage != Stage::outside && hands.rules.reconnection == Reconnection::rechecks)
      me.stage = Stage::suspended;
  }
  void forget() const {
    setDepth(0);
    me.stage = Stage::outside;
    me.unsure = false;
    setPlace("");
  }
  void catchUp() const {
    me.stage = Stage::looking;
    const bool syncs = hands.rules.lost_create == LostCreate::looks_after_sync;
    hands.ask(Purpose::catch_up, syncs ? operation(OpCode::sync, me.path) : emptyWrite(me.path));
  }
  void resume() const {
    if (me.stage == Stage::outside && !me.leaving) return begin();
    if (me.stage != Stage::suspended) return;
    if (me.unsure && hands.rules.lost_create == LostCreate::creates_again) {
      me.unsure = false;
      return join();
    }
    if (me.unsure && hands.rules.lost_create != LostCreate::looks_at_once) return catchUp();
    if (me.unsure) return list();
    me.stage = Stage::waiting;
    if (me.leaving) return leave();
    if (me.node.empty()) return begin();
    list();
  }

  // ---- answers

  void lost(Purpose purpose) const {
    const bool creates =
        purpose == Purpose::join || purpose == Purpose::base || purpose == Purpose::create_base;
    if (creates && hands.rules.lost_create == LostCreate::gives_up) return giveUp(GaveUpBecause::create_lost);
    if (purpose == Purpose::join) me.unsure = true;
    suspend();
    if (me.stage != Stage::suspended) me.stage = Stage::waiting;
  }

  void answered(const Answer& answer) const {
    const Error error = answer.result.error;
    switch (answer.purpose) {
      case Purpose::base: {
        if (me.stage != Stage::base) return;
        if (error == Error::OK) return join();
        Op op = operation(OpCode::create, me.path);
        op.acl = zookeeper::openAcl();
        return hands.ask(Purpose::create_base, std::move(op));
      }
      case Purpose::create_base:
        if (me.stage != Stage::base) return;
        if (error == Error::NONODE) return giveUp(GaveUpBecause::no_parent);
        if (error != Error::OK && hands.rules.base_exists == BaseExists::gives_up)
          return giveUp(GaveUpBecause::base_exists);
        return join();
      case Purpose::join:
        if (me.stage != Stage::joining) return;
        if (error != Error::OK || !answer.result.path) {
          // The parent node is gone.
          if (hands.rules.lost_create == LostCreate::gives_up) return giveUp(GaveUpBecause::create_lost);
          me.stage = Stage::outside;
          if (error == Error::NONODE || error == Error::SESSIONMOVED) begin();
          return;
        }
        setPlace(*answer.result.path);
        me.stage = Stage::listing;
        return me.leaving ? leave() : list();
      case Purpose::catch_up:
        if (me.stage != Stage::looking) return;
        return error == Error::SESSIONMOVED ? catchUp() : list();
      case Purpose::list:
        if (me.stage != Stage::listing) return;
        if (error == Error::OK) return decide(answer.result.children);
        if (error == Error::NONODE && hands.rules.lost_place == LostPlace::joins_again) {
          losePlace();
          me.unsure = false;
          return begin();
        }
        me.stage = Stage::waiting;
        return;
      case Purpose::observe:
        if (me.stage != Stage::observing) return;
        me.stage = Stage::waiting;
        // Under `number_minus_one` it would look for a node that there never will be.
        if (error == Error::NONODE && hands.rules.missing_predecessor == MissingPredecessor::looks_again &&
            hands.rules.watched_node != WatchedNode::number_minus_one)
          list();
        return;
      case Purpose::leave:
        if (me.stage != Stage::leaving) return;
        if (error == Error::OK || error == Error::NONODE) return left();
        me.stage = Stage::waiting;
        // What it takes for the path of its node is none.
        return error == Error::BADARGUMENTS ? giveUp(GaveUpBecause::invalid_path) : leave();
      case Purpose::announce:
        if (me.stage == Stage::verifying) verified(answer.result);
        return;
      case Purpose::close: return;
    }
  }
};

}  // namespace

std::optional<std::size_t> nextBefore(const RecipeRules&, const Contender&, const std::vector<std::string>&,
                                      std::size_t mine) {
  return mine == 0 ? std::nullopt : std::optional(mine - 1);
}

void step(const Hands& hands, const Line& line, Contender& contender, const Input& input) {
  const ContenderStep step(hands, line, contender);
  visit([&](const auto& one) { step.on(one); }, input);
}

}  // namespace zablab::recipes
