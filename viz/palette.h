// Colours of the two themes. Bands use the colours of Okabe and Ito, which the colour-blind can distinguish;
// texts and thin lines have a contrast of at least 4.5:1 to their background. No meaning is carried by colour
// alone.
#pragma once

#include <array>
#include <string>

#include "viz/ladder.h"

namespace zablab::viz {

struct Palette {
  const char *ground, *text, *muted, *grid, *outline;
  const char *label_ground, *head, *head_text;
  const char *loss, *quorum, *cut, *cut_text;
  const char *cell, *cell_counted, *cell_durable, *cell_committed, *cell_gone, *cell_frame,
      *cell_frame_strong;
  const char *banner, *banner_text;
  std::array<const char*, 8> messages;
  std::array<const char*, 3> sides;
};

const Palette& paletteOf(Theme theme);

struct ToneColours {
  const char *fill, *text;
};

ToneColours toneColours(Tone tone, Theme theme);

/// A name for classes.
const char* toneName(Tone tone);

}  // namespace zablab::viz
