// A trace in another language, for everything that draws traces.
#pragma once

#include "sim/trace.h"
#include "viz/phrases.h"

namespace zablab::viz {

/// The trace with the book's translations of what its events, verdicts, messages' labels, pictures' captions
/// and its result say, and of what its scenario says about itself in this language (`translations`).
Trace inLanguage(Trace trace, const PhraseBook& book);

/// A text of a scenario about itself, `name` or `about`: in this language if the scenario has it,
/// otherwise as it is; empty if it has none.
std::string scenarioText(const Json& scenario, const char* key, Language language);
/// The trace's title, in the book's language if it is the scenario's name.
std::string titleOf(const Trace& trace, const PhraseBook& book);

}  // namespace zablab::viz
