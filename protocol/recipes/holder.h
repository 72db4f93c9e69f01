// What the recipes that choose one of several clients have in common: the session, and whether the client
// believes that it is the one.
#pragma once

#include <boost/describe.hpp>
#include <string>
#include <utility>

#include "protocol/recipes/recipe.h"

namespace zablab::recipes {

struct Holder {
  std::string path;
  SessionId session = no_session;  ///< that it has, or had last
  bool connected = false;
  bool holds = false;      ///< it believes that it is the one
  bool wanted = false;     ///< it was instructed to take part, and not to leave since
  bool leaving = false;    ///< it gives its place up, or takes none
  bool rejoining = false;  ///< and to join again, before it had left
  bool closing = false;    ///< it was instructed to close its session
  bool gave_up = false;
  bool operator==(const Holder&) const = default;
};
BOOST_DESCRIBE_STRUCT(Holder, (),
                      (path, session, connected, holds, wanted, leaving, rejoining, closing, gave_up))

/// 99 times 300 ms.
inline constexpr Millis first_connection_ms = 29'700;

/// The part of a step that is about the session and the belief. `S` adds what a recipe does: begin(),
/// rejoin(), leave(), keepsPlace(), suspend(), resume(), forget(), lost(), answered() and changed().
template <class S>
struct HolderStep {
  const Hands& hands;
  Recipe recipe;
  Holder& self;
  const std::string& node;  ///< its own

  void believe(BeliefReason reason) const { setBelief(true, reason); }
  void doubt(BeliefReason reason) const { setBelief(false, reason); }

  void giveUp(GaveUpBecause reason) const {
    self.gave_up = true;
    hands.emit(GaveUp{reason});
  }

  void on(const Begin& begin) const {
    hands.emit(RecipeBegan{recipe, self.path});
    self.session = begin.session;
    self.connected = begin.session != no_session;
    self.wanted = !self.leaving;
    if (self.connected && !self.leaving) own().begin();
    if (self.connected) return;
    if (hands.rules.first_connection == FirstConnection::limited) hands.setTimer(first_connection_ms);
  }

  void on(const TimerFired&) const {
    if (self.session == no_session) giveUp(GaveUpBecause::no_connection);
  }

  void on(const Instructed& instructed) const {
    switch (instructed.act) {
      case Act::report: return hands.emit(Reported{self.holds});
      case Act::acquire:
      case Act::release:
      case Act::use:
      case Act::enter:
      case Act::put:
      case Act::take:
      case Act::commit:
      case Act::abort:
      case Act::push:
      case Act::name: return own().act(instructed.act);
      case Act::join: self.wanted = true; return own().rejoin();
      case Act::leave:
        self.wanted = false;
        self.leaving = true;
        self.rejoining = false;
        if (hands.rules.resignation == Resignation::belief_first) doubt(BeliefReason::left);
        return own().leave();
      case Act::close:
        if (self.closing) return;
        self.closing = true;
        if (hands.rules.resignation == Resignation::belief_first) doubt(BeliefReason::closed);
        if (self.connected) hands.ask(Purpose::close, operation(OpCode::closeSession, ""));
        return;
    }
  }

  void on(const SessionChanged& changed) const {
    switch (changed.link) {
      case SessionLink::lost:
        self.connected = false;
        own().suspend();
        if (hands.rules.session_loss == SessionLoss::doubts) doubt(BeliefReason::disconnected);
        return;
      case SessionLink::over:
        self.connected = false;
        own().keepsPlace() ? own().suspend() : own().forget();
        if (self.rejoining) self.leaving = self.rejoining = false;
        if (hands.rules.session_loss == SessionLoss::doubts && !self.closing)
          doubt(BeliefReason::session_over);
        return;
      case SessionLink::connected: return onConnected(changed.session);
    }
  }

  void on(const Answer& answer) const {
    if (answer.purpose == Purpose::close) return doubt(BeliefReason::closed);
    if (answer.result.error == Error::CONNECTIONLOSS) return own().lost(answer.purpose);
    if (answer.result.error == Error::SESSIONEXPIRED) return;
    own().answered(answer);
  }

  void on(const Changed& changed) const {
    if (!self.gave_up && !self.closing) own().changed(changed.event);
  }

 private:
  const S& own() const { return static_cast<const S&>(*this); }

  void setBelief(bool holds, BeliefReason reason) const {
    if (self.holds == holds) return;
    self.holds = holds;
    hands.emit(BeliefChanged{recipe, self.path, holds, reason, node, own().limit(), self.session});
  }

  void onConnected(SessionId session) const {
    const bool first = self.session == no_session;
    const bool another = self.session != session;
    self.session = session;
    self.connected = true;
    if (first && hands.rules.first_connection == FirstConnection::limited) hands.cancelTimer();
    if (self.gave_up) return;
    if (self.closing) {
      if (!another) hands.ask(Purpose::close, operation(OpCode::closeSession, ""));
      return;
    }
    if (first || (another && !own().keepsPlace())) {
      own().forget();
      if (self.rejoining) self.leaving = self.rejoining = false;
      if (!first && hands.rules.new_session == NewSession::nothing) self.leaving = true;
      if ((first || hands.rules.new_session == NewSession::joins) && !self.leaving) own().begin();
    } else if (hands.rules.reconnection == Reconnection::rechecks) {
      own().resume();
    }
  }
};

}  // namespace zablab::recipes
