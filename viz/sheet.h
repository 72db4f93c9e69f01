// A picture of one or several ladders, one below the other: a run, two runs with what they have in common
// drawn once, or a page of a printed run.
#pragma once

#include <string>
#include <vector>

#include "viz/canvas.h"
#include "viz/ladder.h"

namespace zablab::viz {

struct Sheet {
  Sheet() = default;
  Sheet(Ladder ladder);  // NOLINT(google-explicit-constructor): a ladder is a picture

  std::string title;
  std::vector<Ladder> parts;
  Tenths width = 0, height = 0;
  Tenths printed_width = 0;  ///< of the paper that it fills; 0: `width`
  std::string footer;        ///< a line at the bottom
};

/// Two runs: what pictures of both show up to the first difference, then the rest of each. `options.width`
/// applies to the whole picture.
Sheet pairOf(const Trace& one, const Trace& other, const LadderOptions& options);

struct Paper {
  Tenths width = 0, height = 0;
};
inline constexpr Paper a4{5953, 8419}, letter{6120, 7920};

/// The run on numbered pages of this paper, each with the names of the lanes. Larger pages are drawn, to be
/// printed smaller, if the lanes are not as narrow as the paper. Throws std::length_error if they were more
/// than 100.
std::vector<Sheet> pagesOf(const Trace& trace, const LadderOptions& options, const Paper& paper);

/// The sheet as the canvas's document. The ids of further parts begin with `part2-` and so on.
std::string draw(const Sheet& sheet, Canvas& canvas);

/// What a reader needs to know of a picture before looking at it.
struct Measures {
  Tenths width = 0, height = 0;
  Tenths smallest_text = 0;  ///< its size; 0: there is no text
  int texts = 0;
  int cut_texts = 0;  ///< those that end in an ellipsis for want of room
};

Measures measure(const Sheet& sheet);

}  // namespace zablab::viz
