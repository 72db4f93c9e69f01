#include "viz/palette.h"

namespace zablab::viz {

const Palette& paletteOf(Theme theme) {
  static const Palette light = {
      .ground = "#ffffff",
      .text = "#1b1f24",
      .muted = "#57606a",
      .grid = "#edf0f3",
      .outline = "#57606a",
      .label_ground = "#fffffff2",
      .head = "#24292f",
      .head_text = "#ffffff",
      .loss = "#b34700",
      .quorum = "#009E73",
      .cut = "#c2560a",
      .cut_text = "#8a3b00",
      .cell = "#ffffff",
      .cell_counted = "#CFE3F2",
      .cell_durable = "#FCE9BF",
      .cell_committed = "#C6EADD",
      .cell_gone = "#ECECEC",
      .cell_frame = "#8a939c",
      .cell_frame_strong = "#1b1f24",
      .banner = "#FFF3C4",
      .banner_text = "#3d2f00",
      .messages = {"#1b1f24", "#0072B2", "#00724f", "#A3487F", "#8a5a00", "#57606a", "#5b3fa8", "#5f6600"},
      .sides = {"#FBEADF", "#EFEAF7", "#E6F2EA"}};
  static const Palette dark = {
      .ground = "#10151b",
      .text = "#e6edf3",
      .muted = "#9da7b1",
      .grid = "#1d242c",
      .outline = "#9da7b1",
      .label_ground = "#10151bf2",
      .head = "#d6dde4",
      .head_text = "#10151b",
      .loss = "#ff8a3d",
      .quorum = "#00c08b",
      .cut = "#ff8a3d",
      .cut_text = "#ffb98a",
      .cell = "#10151b",
      .cell_counted = "#1f4663",
      .cell_durable = "#5a4510",
      .cell_committed = "#14513f",
      .cell_gone = "#2b3138",
      .cell_frame = "#7d8791",
      .cell_frame_strong = "#e6edf3",
      .banner = "#4a3d0a",
      .banner_text = "#ffe9a3",
      .messages = {"#e6edf3", "#6cb8ec", "#35d0a2", "#e59ac3", "#e8b44c", "#9da7b1", "#b79cf0", "#c3cc5a"},
      .sides = {"#33241a", "#262336", "#1a2f26"}};
  return theme == Theme::dark ? dark : light;
}

ToneColours toneColours(Tone tone, Theme theme) {
  const bool dark = theme == Theme::dark;
  switch (tone) {
    case Tone::seeking: return {"#F0E442", "#1b1f24"};
    case Tone::leading: return {"#0072B2", "#ffffff"};
    case Tone::following: return {"#56B4E9", "#1b1f24"};
    case Tone::observing: return {"#8FD3BF", "#1b1f24"};
    case Tone::syncing: return {"#CFE8F7", "#1b1f24"};
    case Tone::other: return {"#D9C9E8", "#1b1f24"};
    case Tone::client: return dark ? ToneColours{"#3a424b", "#e6edf3"} : ToneColours{"#EEF0F2", "#1b1f24"};
    case Tone::unknown: return dark ? ToneColours{"#3a424b", "#e6edf3"} : ToneColours{"#EEF0F2", "#1b1f24"};
    case Tone::down: return dark ? ToneColours{"#2b3138", "#e6edf3"} : ToneColours{"#DFE2E6", "#1b1f24"};
    case Tone::absent: break;
  }
  return dark ? ToneColours{"#10151b", "#e6edf3"} : ToneColours{"#ffffff", "#1b1f24"};
}

const char* toneName(Tone tone) {
  switch (tone) {
    case Tone::seeking: return "seeking";
    case Tone::leading: return "leading";
    case Tone::following: return "following";
    case Tone::observing: return "observing";
    case Tone::syncing: return "syncing";
    case Tone::other: return "other";
    case Tone::client: return "client";
    case Tone::unknown: return "unknown";
    case Tone::down: return "down";
    case Tone::absent: return "absent";
  }
  return "other";
}

}  // namespace zablab::viz
