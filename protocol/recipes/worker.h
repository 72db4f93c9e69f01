// What the recipes that choose nobody have in common: the session, and one request at a time. Such a recipe
// keeps what it wants and what it knows, and `work` asks for what is missing next.
#pragma once

#include <boost/describe.hpp>
#include <string>
#include <utility>

#include "protocol/recipes/recipe.h"

namespace zablab::recipes {

struct Worker {
  std::string path;
  SessionId session = no_session;  ///< that it has, or had last
  bool connected = false;
  bool asks = false;     ///< a request is under way
  bool closing = false;  ///< it was instructed to close its session
  bool ended = false;
  bool operator==(const Worker&) const = default;
};
BOOST_DESCRIBE_STRUCT(Worker, (), (path, session, connected, asks, closing, ended))

/// `S` adds what a recipe does: work(), instructed(), answered(), unknown(), changed(), sessionOver(), and
/// looksAgain() for what may have changed while it was not connected.
template <class S>
struct WorkerStep {
  const Hands& hands;
  Recipe recipe;
  Worker& self;

  std::string below(const std::string& child) const {
    return (self.path == "/" ? "" : self.path) + "/" + child;
  }
  void ask(Purpose purpose, Op op) const {
    self.asks = true;
    hands.ask(purpose, std::move(op));
  }
  void createBase() const { ask(Purpose::create_base, creation(self.path, 0)); }

  void on(const Begin& begin) const {
    hands.emit(RecipeBegan{recipe, self.path});
    self.session = begin.session;
    self.connected = begin.session != no_session;
    advance();
  }
  void on(const TimerFired&) const {}
  void on(const Instructed& instructed) const {
    instructed.act == Act::close ? static_cast<void>(self.closing = true) : own().instructed(instructed);
    advance();
  }
  void on(const Changed& changed) const {
    own().changed(changed.event);
    advance();
  }
  void on(const SessionChanged& changed) const {
    self.connected = changed.link == SessionLink::connected;
    self.asks = false;
    switch (changed.link) {
      case SessionLink::lost: return;
      case SessionLink::over:
        own().sessionOver();
        self.ended = self.ended || self.closing;
        return;
      case SessionLink::connected:
        if (self.session != no_session && self.session != changed.session) own().sessionOver();
        self.session = changed.session;
        if (hands.rules.reconnection == Reconnection::rechecks) own().looksAgain();
        return advance();
    }
  }
  void on(const Answer& answer) const {
    if (answer.purpose == Purpose::close) return;
    self.asks = false;
    const Error error = answer.result.error;
    if (error == Error::CONNECTIONLOSS) return own().unknown(answer.purpose);
    if (error == Error::SESSIONEXPIRED) return;
    if (answer.purpose == Purpose::create_base && error == Error::NONODE) {
      self.ended = true;
      return hands.emit(GaveUp{GaveUpBecause::no_parent});
    }
    if (answer.purpose != Purpose::create_base && error != Error::SESSIONMOVED) own().answered(answer);
    advance();
  }

 private:
  const S& own() const { return static_cast<const S&>(*this); }

  void advance() const {
    if (!self.connected || self.asks || self.ended) return;
    if (self.closing) return ask(Purpose::close, operation(OpCode::closeSession, ""));
    own().work();
  }
};

}  // namespace zablab::recipes
