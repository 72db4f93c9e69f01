// Goes through a run by commands, a line each, and changes it: what `zablab step` does with what it reads.
//
// A run follows from its scenario, so a change is one more thing in the scenario, placed at the position, and
// the whole run is repeated. It is accepted only if everything up to the position stays as it was.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cli/walked_run.h"

namespace zablab::cli {

class Stepper {
 public:
  /// `file`: what the scenario was read from; it is not overwritten. Throws InputError.
  Stepper(const LoadedScenario& scenario, std::string file);

  /// What the run is, and the first position.
  std::string begin() const;
  /// Does what the line says, and returns what there is to print. Throws UsageError, InputError or
  /// EnvironmentError; the run and the position are then as before.
  std::string perform(const std::string& line);
  bool over() const { return over_; }
  /// The first words of all commands, in alphabetical order.
  static std::vector<std::string> commands();

  const WalkedRun& run() const { return now_.version->run; }
  std::size_t position() const { return now_.position; }
  /// Those that are in the run.
  std::vector<std::string> changes() const;

 private:
  struct Change {
    std::string what;
    std::string where;
  };
  struct Version {
    WalkedRun run;
    std::vector<Change> changes;
  };
  /// What `undo` returns to.
  struct Moment {
    std::shared_ptr<const Version> version;
    std::size_t position = 0;
    std::string command;  ///< that led here
  };
  struct Said {
    std::vector<std::string> words;  ///< after the command's name
    std::string rest;                ///< the same, as one text
  };
  struct Entry {
    std::string name;
    std::string arguments;
    std::string text;
    std::string (Stepper::*does)(const Said&);
  };
  static const std::vector<Entry>& entries();

  std::string next(const Said& said);
  std::string back(const Said& said);
  std::string until(const Said& said);
  std::string undo(const Said& said);
  std::string show(const Said& said);
  std::string partition(const Said& said);
  std::string cut(const Said& said);
  std::string heal(const Said& said);
  std::string drop(const Said& said);
  std::string delay(const Said& said);
  std::string note(const Said& said);
  std::string doSteps(const Said& said);
  std::string possible(const Said& said);
  std::string choose(const Said& said);
  std::string discard(const Said& said);
  std::string listChanges(const Said& said);
  std::string save(const Said& said);
  std::string writeTrace(const Said& said);
  std::string draw(const Said& said);
  std::string help(const Said& said);
  std::string quit(const Said& said);
  /// A word of steps that names servers, as in `kill 2 3`.
  std::string onServers(const std::string& word, const Said& said);

  // ---- moves
  std::string moveTo(std::size_t position);
  std::string here() const;
  std::size_t eventOf(const Said& said) const;

  // ---- changes
  Json withoutExpectations() const;
  const TraceEvent& lastEventHere() const;
  Json momentHere() const;
  bool endsThisStep(const Json& step) const;
  Moment withSteps(const std::vector<Json>& steps) const;
  Moment withActions(const std::vector<Json>& actions) const;
  Moment withoutMessage(const WalkedRun::Message& message) const;
  Moment repeated(Json document, Millis done_at) const;
  std::string accept(Moment moment);

  // ---- what commands name
  ServerId node(const std::string& word) const;
  std::vector<ServerId> nodes(const std::vector<std::string>& words) const;
  Json way(const Said& said) const;
  const WalkedRun::Message& messageNamed(const std::string& word) const;
  const WalkedRun::Message& messageInFlight(const std::string& word) const;

  // ---- runs by actions
  void requireActions(bool wanted, const std::string& otherwise) const;
  bool isNextListed(const Json& action) const;
  std::string possibleList(const Json& actions, std::size_t most) const;
  Json possibleHere() const;
  std::string alternatives() const;

  std::string file_;
  std::string name_;     ///< of the scenario before any change
  std::string command_;  ///< the line that is being performed
  Moment now_;
  std::vector<Moment> before_;
  bool over_ = false;
};

}  // namespace zablab::cli
