// What the exports to other tools' formats have in common: which events of a trace they contain, and the
// words for them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "viz/story.h"

namespace zablab::viz {

/// Whether there is nothing to see in the text.
bool isBlank(const std::string& text);

/// The title of the run, never empty.
std::string runTitle(const Trace& trace);

/// What was run: protocol, variant, seed, rules, mutations. A phrase each.
std::vector<std::string> runPhrases(const Trace& trace);

/// The run's result, a sentence each.
std::vector<std::string> answerPhrases(const Trace& trace);

/// Whether the step shows events of other steps again: a fold, a verdict, a row of states.
bool retells(const Step& step);

/// The phrases as one line.
std::string joined(const std::vector<std::string>& phrases, const std::string& separator);

/// The error of an export for which nothing is left.
InputError nothingToWrite(const std::string& why, const std::string& hint);

/// A trace as the options choose it for an export.
class Exported {
 public:
  /// Throws InputError if no node or no event is left.
  Exported(const Trace& trace, const LadderOptions& options);

  const Story& story() const { return story_; }
  bool inWindow(std::size_t position) const {
    return position >= story_.window_begin && position < story_.window_end;
  }
  /// The lane of the event's node; -1: it has none, or it is hidden.
  int lane(std::size_t position) const;
  /// The message that the event is about, or null.
  const Message* message(std::size_t position) const;
  /// What was violated or failed at the event, in words; empty if nothing was.
  std::string broken(std::size_t position) const;
  /// The verdicts that were violated or failed, by the event that decided them.
  const std::multimap<std::size_t, const TraceVerdict*>& brokenVerdicts() const { return broken_; }

  /// Whether an export of single events contains this one. It must be in the window, at a node that is shown
  /// or at none, and about a message that is drawn, change a lifeline, break something, or have a text. An
  /// event of a kind that the options name needs no text.
  bool tells(std::size_t position) const;
  /// What happened, on one line; never empty.
  std::string words(std::size_t position) const;

  /// The events and nodes that the options leave out, and which option shows them. A phrase each.
  std::vector<std::string> windowPhrases() const;
  /// The same, with the messages that are left out.
  std::vector<std::string> leftOutPhrases() const;
  /// The same, with the events that tells() leaves out.
  std::vector<std::string> untoldPhrases() const;

 private:
  const Trace& trace_;
  const LadderOptions& options_;
  Story story_;
  std::multimap<std::size_t, const TraceVerdict*> broken_;
};

}  // namespace zablab::viz
