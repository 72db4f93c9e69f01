// Draws a ladder on a canvas. What belongs to the trace can be addressed in every format: message 17 is the
// line with id "m17" and class "message", its loss "loss-17", a box of event 12 "box-12", a stretch of a
// lifeline "role-12" (or "up-", "down-", "pause-", "resume-"), a server's state "state-12-of-1", a tag
// "tag-12", a crash "crash-12", a restart "restart-12", a narration "text-12".
#pragma once

#include "viz/canvas.h"

namespace zablab::viz {

/// Draws the ladder on a canvas that has begun and will be finished by the caller.
void draw(const Ladder& ladder, Canvas& canvas);

}  // namespace zablab::viz
