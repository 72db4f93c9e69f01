#include "viz/formats.h"

#include "viz/dot.h"
#include "viz/export/history.h"
#include "viz/export/itf.h"
#include "viz/export/mermaid.h"
#include "viz/export/perfetto.h"
#include "viz/export/shiviz.h"
#include "viz/html.h"
#include "viz/svg.h"
#include "viz/text.h"

namespace zablab::viz {
namespace {

constexpr Format known[] = {
    {".dot", "a picture for Graphviz", true, toDot},
    {".svg", "a picture", true, toSvg},
    {".png", "a picture, drawn by Graphviz", true},
    {".txt", "a picture in characters", true, [](const Sheet& sheet) { return toText(sheet, {}); }},
    {".mmd", "a Mermaid sequence diagram", false, nullptr, toMermaid},
    {".shiviz", "a log for ShiViz", false, nullptr, toShiviz},
    {".itf.json", "states in the Informal Trace Format", false, nullptr,
     [](const Trace& trace, const LadderOptions& options) { return toItf(trace, options); }},
    {".perfetto.json", "a timeline for Perfetto", false, nullptr, toPerfetto},
    {".edn", "what clients asked and were answered, as a history for Jepsen's tools", false, nullptr, toEdn},
    {".history.json", "the same in JSON", false, nullptr, toHistoryJson},
    {".html", "a page that goes through the run step by step", false, nullptr,
     [](const Trace& trace, const LadderOptions& options) { return toHtml(trace, options); }},
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
