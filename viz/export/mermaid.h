// A trace as a Mermaid sequence diagram, for pages that draw these (many wikis and code hosting sites do).
//
// Mermaid draws arrows level, so a message is in the place where it arrives or is lost; `@12` after its label
// is the event that sent it. Mermaid refuses long texts and becomes slow with many messages: the diagram ends
// before its limits, and says how to see the rest.
#pragma once

#include <cstddef>
#include <string>

#include "viz/ladder.h"

namespace zablab::viz {

/// Mermaid's limit of a text, in characters, and what it draws in about a second.
inline constexpr std::size_t mermaid_characters_max = 50'000;
inline constexpr int mermaid_messages_max = 500;

/// Obeys the options that choose what is drawn, not those about rows, pages and colours. Throws InputError if
/// there is nothing to draw.
std::string toMermaid(const Trace& trace, const LadderOptions& options);

}  // namespace zablab::viz
