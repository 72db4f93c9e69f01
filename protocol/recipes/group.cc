#include "protocol/recipes/group.h"

#include <algorithm>
#include <utility>

#include "protocol/variant.h"

namespace zablab::recipes {
namespace {

struct GroupStep : WorkerStep<GroupStep> {
  Group& me;

  GroupStep(const Hands& with, Recipe which, Group& group) : WorkerStep{with, which, group}, me(group) {}

  /// No other session has a node of this name.
  std::string ownName() const { return "member-" + std::to_string(me.session); }

  void instructed(const Instructed& instructed) const {
    const bool asks_provider = instructed.act == Act::use && recipe == Recipe::discovery && me.lists;
    if (instructed.act == Act::join) {
      me.joins = true;
    } else if (instructed.act == Act::leave) {
      me.joins = false;
    } else if (asks_provider) {
      hands.emit(ProviderChosen{me.path, me.members.empty() ? "" : me.members.front()});
    } else {
      hands.emit(NotHeld{});
    }
  }
  void work() const {
    if (me.joins && !me.joined) return ask(Purpose::join, creation(below(ownName()), ephemeral_mode));
    if (!me.joins && me.joined) return ask(Purpose::leave, operation(OpCode::remove, below(ownName())));
    const WatchRenewal renewal = hands.rules.watch_renewal;
    const bool watches = renewal == WatchRenewal::with_the_read || !me.seen;
    if (me.lists && me.stale) return ask(Purpose::list, operation(OpCode::getChildren, me.path, watches));
    if (me.rewatch) ask(Purpose::observe, operation(OpCode::getChildren, me.path, true));
  }

  void answered(const Answer& answer) const {
    const Error error = answer.result.error;
    switch (answer.purpose) {
      case Purpose::join:
        if (error == Error::NONODE) return createBase();
        me.joined = true;
        return;
      case Purpose::leave: me.joined = false; return;
      case Purpose::list:
        if (error == Error::NONODE) return createBase();
        me.rewatch = me.seen && hands.rules.watch_renewal == WatchRenewal::after_the_read;
        return listed(answer.result.children);
      case Purpose::observe: me.rewatch = false; return;
      case Purpose::base:
      case Purpose::create_base:
      case Purpose::catch_up:
      case Purpose::announce:
      case Purpose::close: return;
    }
  }
  void listed(std::vector<std::string> names) const {
    std::sort(names.begin(), names.end());
    me.stale = false;
    const bool there = std::binary_search(names.begin(), names.end(), ownName());
    // Somebody else has deleted it.
    if (me.joins && me.joined && !there && hands.rules.lost_place == LostPlace::joins_again)
      me.joined = false;
    if (hands.rules.group_view == GroupView::added) {
      names.insert(names.end(), me.members.begin(), me.members.end());
      std::sort(names.begin(), names.end());
      names.erase(std::unique(names.begin(), names.end()), names.end());
    }
    const bool first = !std::exchange(me.seen, true);
    if (!first && me.members == names) return;
    me.members = std::move(names);
    hands.emit(MembersSeen{me.path, me.members});
  }
  void changed(const NodeEvent& event) const {
    if (event.path == me.path && event.type == EventType::NodeChildrenChanged) me.stale = true;
  }
  void unknown(Purpose) const {}
  void looksAgain() const { me.stale = true; }
  void sessionOver() const {
    me.joined = false;
    me.seen = false;
    me.stale = true;
  }
};

}  // namespace

void step(const Hands& hands, Recipe recipe, Group& group, const Input& input) {
  const GroupStep step(hands, recipe, group);
  visit([&](const auto& one) { step.on(one); }, input);
}

}  // namespace zablab::recipes
