#include "viz/space.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace zablab::viz {
namespace {

constexpr Tenths slice_height = 500;

Tenths sliceOf(Tenths y) { return y >= 0 ? y / slice_height : -((-y + slice_height - 1) / slice_height); }

/// Positions along a line are fractions of this.
constexpr std::int64_t whole = 4096;

/// Narrows [begin, end] to where start + delta * t / whole is within [low, high].
void clip(std::int64_t start, std::int64_t delta, std::int64_t low, std::int64_t high, std::int64_t& begin,
          std::int64_t& end) {
  if (delta == 0) {
    if (start < low || start > high) end = begin - 1;
    return;
  }
  std::int64_t enter = (low - start) * whole / delta;
  std::int64_t leave = (high - start) * whole / delta;
  if (enter > leave) std::swap(enter, leave);
  begin = std::max(begin, enter);
  end = std::min(end, leave);
}

/// The larger side plus three eighths of the smaller one: within seven per cent of the true length, in
/// integers.
std::int64_t length(std::int64_t x, std::int64_t y) {
  const std::int64_t larger = std::max(std::abs(x), std::abs(y)),
                     smaller = std::min(std::abs(x), std::abs(y));
  return larger + smaller * 3 / 8;
}

}  // namespace

std::int64_t lengthWithin(Point from, Point to, const Rect& place) {
  std::int64_t begin = 0, end = whole;
  clip(from.x, to.x - from.x, place.left, place.right, begin, end);
  clip(from.y, to.y - from.y, place.top, place.bottom, begin, end);
  return begin >= end ? 0 : length(to.x - from.x, to.y - from.y) * (end - begin) / whole;
}

void Space::block(const Rect& place) {
  for (Tenths slice = sliceOf(place.top); slice <= sliceOf(place.bottom); ++slice) {
    slices_[slice].blocked.push_back(place);
  }
}

void Space::draw(Point from, Point to, std::uint64_t owner) {
  const Tenths top = std::min(from.y, to.y), bottom = std::max(from.y, to.y);
  for (Tenths slice = sliceOf(top); slice <= sliceOf(bottom); ++slice)
    slices_[slice].lines.push_back(lines_.size());
  lines_.push_back({from, to, owner});
}

bool Space::isFree(const Rect& place) const {
  for (auto slice = slices_.lower_bound(sliceOf(place.top)); slice != slices_.end(); ++slice) {
    if (slice->first > sliceOf(place.bottom)) break;
    for (const Rect& other : slice->second.blocked) {
      if (other.overlaps(place)) return false;
    }
  }
  return true;
}

std::int64_t Space::crossed(const Rect& place, std::uint64_t owner) const {
  std::set<std::size_t> near;
  for (auto slice = slices_.lower_bound(sliceOf(place.top)); slice != slices_.end(); ++slice) {
    if (slice->first > sliceOf(place.bottom)) break;
    near.insert(slice->second.lines.begin(), slice->second.lines.end());
  }
  std::int64_t sum = 0;
  for (const std::size_t line : near) {
    if (lines_[line].owner != owner) sum += lengthWithin(lines_[line].from, lines_[line].to, place);
  }
  return sum;
}

}  // namespace zablab::viz
