// A picture as Graphviz DOT in which every element has coordinates (layout=nop2), so that Graphviz only
// draws:
//
//     dot -Tsvg ladder.dot -o ladder.svg
//
// What belongs to the trace can be addressed: message 17 is the edge with id "m17" and class "message", its
// loss the node "loss-17", a box of event 12 "box-12", a stretch of a lifeline "role-12" (or "up-", "down-",
// "pause-", "resume-"), a tag "tag-12", a crash "crash-12", a restart "restart-12", a narration "text-12".
// Edges of messages begin and end at nodes on their lanes. The text is the same on every machine.
#pragma once

#include <string>
#include <string_view>

#include "viz/sheet.h"

namespace zablab::viz {

std::string toDot(const Sheet& sheet);

/// A DOT string including its quotes, for any text.
std::string dotString(std::string_view text);

}  // namespace zablab::viz
