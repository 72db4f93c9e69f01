#include "viz/formats.h"

#include "viz/dot.h"
#include "viz/svg.h"
#include "viz/text.h"

namespace zablab::viz {
namespace {

constexpr Format known[] = {
    {".dot", "a picture for Graphviz", true, toDot},
    {".svg", "a picture", true, toSvg},
    {".png", "a picture, drawn by Graphviz", true},
    {".txt", "a picture in characters", true, [](const Ladder& ladder) { return toText(ladder, {}); }},
};

}  // namespace

std::span<const Format> formats() { return known; }

const Format* formatOf(std::string_view file_name) {
  const Format* found = nullptr;
  for (const Format& format : known) {
    if (!file_name.ends_with(format.extension) || file_name.size() == format.extension.size()) continue;
    if (found == nullptr || found->extension.size() < format.extension.size()) found = &format;
  }
  return found;
}

}  // namespace zablab::viz
