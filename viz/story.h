// The content of a picture of a trace, before anything has a place: lanes, steps, messages, and which of them
// are to be drawn. A step is what happened at one server in one go: a delivery with everything that it led
// to.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "viz/ladder.h"
#include "viz/phrases.h"

namespace zablab::viz {

struct Message {
  std::uint64_t number = 0;
  int from = -1, to = -1;  ///< lanes; -1: not drawn, or not known
  std::string from_name, to_name;
  std::string type, label, content, reason;
  Json label_said = nullptr;                          ///< the label as a pattern and its parts
  std::optional<std::size_t> sent, transmitted, end;  ///< positions among the trace's events
  bool lost = false, waiting = false, again = false, copy = false, self = false;
  bool drawn = true, folded = false;
};

struct Step {
  enum class Kind { server, network, divider, note, fold, verdict, state } kind = Kind::server;
  int lane = -1;
  std::vector<std::size_t> events;  ///< positions, ascending
  std::int64_t time = 0;
  bool visible = false;
  bool of_start = false;           ///< a node's, with which the run begins
  std::string text;                ///< narration
  Json picture = nullptr;          ///< of a state: its box
  std::vector<std::size_t> after;  ///< steps that must be above this one
};

/// Messages left out, by reason.
struct LeftOut {
  int to_self = 0, of_hidden_servers = 0, of_hidden_kinds = 0, across_window = 0;
  int heartbeats = 0, heartbeats_lost = 0;
  int events_before = 0, events_after = 0;
  std::set<std::string> heartbeat_types;
};

/// A server's role, and its phase if the header gives that its own tone.
struct Standing {
  std::string role, phase;
  Tone role_tone = Tone::other;
  Tone tone = Tone::other;  ///< the phase's, or the role's
  bool operator==(const Standing&) const = default;
};

struct Story {
  std::vector<Lane> lanes;
  std::map<std::int64_t, int> lane_of;        ///< of the servers that are drawn
  std::map<std::int64_t, std::string> names;  ///< of all servers and clients
  std::set<std::int64_t> clients;
  std::vector<Message> messages;
  std::map<std::uint64_t, std::size_t> message_of;
  std::vector<Step> steps;  ///< in the order of their first events
  std::vector<std::optional<std::size_t>> step_of;
  std::size_t window_begin = 0, window_end = 0;  ///< positions, half open
  LeftOut left_out;
  int narrations_per_row = 3;  ///< at most
  const PhraseBook* book = &englishPhrases();  ///< for what is said besides the trace's own texts
  struct Turn {
    Standing to;
    bool names_role = true;  ///< false: only the phase changes
  };
  std::map<std::size_t, Turn> turns;  ///< made by the events at these positions
  std::map<std::size_t, std::vector<std::string>>
      violated;  ///< names of invariants, by the events' positions
  /// What violations are about, by the positions of the events whose pictures show it: the text of a cell, or
  /// of a caption; and the same for pictures of all servers' states.
  std::map<std::size_t, std::set<std::string>> concerned, concerned_states;
  std::set<std::size_t> narrated;  ///< positions of the events whose texts are told
  std::set<std::size_t> boxes;     ///< positions of the events whose pictures are drawn

  /// Whether the event changes its server's lifeline; such events are drawn regardless of what the options
  /// hide.
  bool changesLifeline(const Trace& trace, std::size_t position) const;
  std::string name(std::int64_t node) const;
  std::string title(std::int64_t node) const;  ///< of one that is drawn
};

Story tell(const Trace& trace, const LadderOptions& options);
/// Of the whole trace, without messages.
Story outlineOf(const Trace& trace);

/// Whether events of this kind begin a step even if their node did something else at the same instant.
bool beginsStep(const std::string& kind);

/// Members of an event's data; tolerant, because a picture of a damaged trace is better than none.
std::string wordOf(const Json& data, const char* key);
std::optional<std::int64_t> numberOf(const Json& data, const char* key);
bool flagOf(const Json& data, const char* key);
const Json* pictureOf(const TraceEvent& event);

/// What one of the header's lists contains, separated by commas; of objects, their names.
std::string textsIn(const Json& header, const char* key);
/// The run's result: the sentences of the header's `answer`, except blank ones.
std::vector<std::string> resultOf(const Trace& trace, const PhraseBook& book = englishPhrases());

/// The number of events after which two runs part: up to there the same happens, though states may differ.
std::size_t eventsInCommon(const Trace& one, const Trace& other);

/// Where pictures of the two runs begin to differ: the first events of the first steps that do not show the
/// same; a run that has no further step has its end.
std::pair<std::size_t, std::size_t> firstDifferenceDrawn(const Trace& one, const Trace& other,
                                                         const LadderOptions& options);

/// What a message is called: its label, or its type.
std::string nameOf(const Message& message);
/// What an event of this kind did to the message, as in "sends (1,3,0) to B"; of a loss, a sentence.
std::string messageWords(const Message& message, const std::string& kind);

}  // namespace zablab::viz
