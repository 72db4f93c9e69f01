// The plane in which elements look for a free place: rectangles that nothing may cover, and lines that should
// remain visible.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "viz/ladder.h"

namespace zablab::viz {

class Space {
 public:
  void block(const Rect& place);
  void draw(Point from, Point to, std::uint64_t owner);

  bool isFree(const Rect& place) const;

  /// Length of the lines within `place`, except those of `owner`.
  std::int64_t crossed(const Rect& place, std::uint64_t owner) const;

 private:
  struct Line {
    Point from, to;
    std::uint64_t owner;
  };
  struct Slice {
    std::vector<Rect> blocked;
    std::vector<std::size_t> lines;
  };

  std::map<Tenths, Slice> slices_;  ///< by height
  std::vector<Line> lines_;
};

/// Length of the part of a line that is within `place`.
std::int64_t lengthWithin(Point from, Point to, const Rect& place);

}  // namespace zablab::viz
