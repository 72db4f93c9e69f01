// A run that one goes through step by step, and what it shows on the way. It knows no protocol: what it says
// is in the trace.
//
// A position is a place between two rows of the run: position 0 is before the first row, position N after the
// Nth. A row is what one node did in one go, as in the explorer; in a run by actions, what one action did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/execute.h"
#include "viz/story.h"

namespace zablab::cli {

class WalkedRun {
 public:
  /// A message, and the connection or direction that it uses.
  struct Message {
    std::uint64_t number = 0;  ///< in the trace; it is called m17
    std::string link;
    ServerId from = 0;
    ServerId to = 0;
    std::string label;
    Json content;
    std::size_t sent = 0;                    ///< the events' indexes
    std::optional<std::size_t> transmitted;  ///< it waited for a connection
    std::optional<std::size_t> end;
    bool waits = false;
    bool lost = false;
  };

  struct Node {
    ServerId id = 0;
    std::string kind;  ///< as in the trace's header
    Json state;
    bool up = false;
    bool paused = false;
  };

  /// Runs the scenario. Throws InputError.
  explicit WalkedRun(LoadedScenario scenario);

  const LoadedScenario& scenario() const { return scenario_; }
  const Trace& trace() const { return outcome_.trace; }
  const std::vector<std::string>& warnings() const { return outcome_.warnings; }
  bool byActions() const { return scenario_.spec.isByActions(); }

  // ---- positions
  std::size_t firstPosition() const { return byActions() && !rows_.empty() && rows_[0].time == 0 ? 1 : 0; }
  std::size_t lastPosition() const { return rows_.size(); }
  Millis timeAt(std::size_t position) const { return position == 0 ? 0 : rows_[position - 1].time; }
  /// The number of events up to there.
  std::size_t eventsAt(std::size_t position) const { return position == 0 ? 0 : rows_[position - 1].end; }
  /// The first event of the row before the position: the number of that row in pictures and in the explorer.
  std::size_t rowNumberAt(std::size_t position) const {
    return position == 0 ? 0 : rows_[position - 1].first;
  }
  /// The position after the row of an event.
  std::size_t positionAfter(std::size_t event) const;
  /// The last position at or before a time.
  std::size_t positionAtTime(Millis time) const;
  /// In a run by actions, the number of actions done.
  std::size_t actionsAt(std::size_t position) const;

  // ---- nodes and messages
  /// The node of this id or name; empty: there is none.
  std::optional<ServerId> nodeNamed(const std::string& word) const;
  std::string name(ServerId node) const { return story_.name(node); }
  /// As it is named in lists: its id and, if it has another name, that.
  std::string title(ServerId node) const;
  std::string nodeList() const;
  Json stateAt(std::size_t position, ServerId node) const;
  std::vector<Node> nodesAt(std::size_t position) const;
  const Message* message(std::uint64_t number) const;
  bool inFlight(const Message& message, std::size_t position) const;
  /// Whether it is not on its way yet, because there is no connection.
  bool waits(const Message& message, std::size_t position) const;
  std::vector<const Message*> inFlightAt(std::size_t position) const;

  // ---- in words, each line ended
  std::string title() const { return viz::wordOf(trace().header, "title"); }
  /// What happened in the row before the position; `whole`: every event of it.
  std::string happened(std::size_t position, bool whole = false) const;
  /// Which fields of states it changed.
  std::string changes(std::size_t position) const;
  /// What is on its way: messages, timers, writes, and what keeps messages back.
  std::string pending(std::size_t position) const;
  /// All nodes, a line each, and what was violated so far.
  std::string overview(std::size_t position) const;
  std::string messages(std::size_t position) const;
  /// An action of a run by actions, on one line.
  std::string actionWords(const Json& action, std::size_t position) const;
  /// How the run ended.
  std::string ending() const;

 private:
  struct Row {
    std::size_t first = 0, end = 0;  ///< events
    Millis time = 0;
  };

  void readRows();
  void readMessages();
  bool isTold(const TraceEvent& event) const;
  Json firstFields(const Json& state) const;
  std::string messageLine(const Message& message, std::size_t position) const;
  std::string timers(std::size_t position) const;
  std::string writes(std::size_t position) const;
  std::string obstacles(std::size_t position) const;
  std::string violations(std::size_t first, std::size_t end) const;

  LoadedScenario scenario_;
  Outcome outcome_;
  viz::Story story_;
  std::vector<Row> rows_;
  std::vector<Message> messages_;
};

}  // namespace zablab::cli
