// Runs in sentences: what happened in one, and where two part.
#pragma once

#include <cstddef>
#include <string>

#include "sim/trace.h"
#include "viz/phrases.h"
#include "viz/story.h"

namespace zablab::viz {

/// What an event was: its text or, if it has none, what its kind and its data say.
std::string wordsOf(const TraceEvent& event, const Story& story, const PhraseBook& book = englishPhrases());

/// What violations and losses of `trace.why` needed, and what became of what was lost: at most seven lines
/// for those that needed the same. Empty if there are none.
std::string whysOf(const Trace& trace, const PhraseBook& book = englishPhrases());

/// The title, whysOf(), what the run is and its result, outagesText(), the events that led to it in order,
/// and for each acknowledged write that was lost and each violation the chain of its causes, of which at most
/// `causes_max` are listed.
std::string explain(const Trace& trace, std::size_t causes_max, const PhraseBook& book = englishPhrases());

/// Where the two runs part, what each does there, and how their results and verdicts differ; empty if they
/// are equal.
std::string compare(const Trace& one, const Trace& other, const PhraseBook& book = englishPhrases());

}  // namespace zablab::viz
