#include "viz/cuts.h"

#include <algorithm>
#include <map>
#include <set>

namespace zablab::viz {
namespace {

using Link = std::pair<std::int64_t, std::int64_t>;
using Links = std::set<Link>;

Links linksOf(const TraceEvent& event) {
  Links result;
  if (!event.data.is_object() || !event.data.contains("links")) return result;
  for (const Json& link : event.data["links"]) {
    if (!link.is_array() || link.size() != 2 || !link[0].is_number_integer() || !link[1].is_number_integer())
      continue;
    result.emplace(link[0].get<std::int64_t>(), link[1].get<std::int64_t>());
  }
  return result;
}

std::string linkWords(const Links& links, const Story& story) {
  std::string result;
  for (const auto& [from, to] : links) {
    const bool both = links.contains({to, from});
    if (both && to < from) continue;
    result += (result.empty() ? "" : ", ") + story.name(from) + (both ? " ↔ " : " → ") + story.name(to);
    if (!both) result += story.book->form(" (one way)");
  }
  return result;
}

/// The nodes that a cut may separate: the servers, and clients if it affects them.
std::vector<std::int64_t> partable(const Links& cut, const Story& story) {
  std::vector<std::int64_t> result;
  for (const auto& [node, name] : story.names) {
    const auto touches = [at = node](const Link& link) { return link.first == at || link.second == at; };
    if (!story.clients.contains(node) || std::any_of(cut.begin(), cut.end(), touches)) result.push_back(node);
  }
  return result;
}

/// The side of each of them, if the cut links are exactly all those between two or more sides.
std::optional<std::map<std::int64_t, int>> sides(const Links& cut, const Story& story) {
  const std::vector<std::int64_t> nodes = partable(cut, story);
  std::map<std::int64_t, int> side;
  int count = 0;
  for (const std::int64_t node : nodes) {
    if (side.contains(node)) continue;
    side[node] = count++;
    std::vector<std::int64_t> reached = {node};
    while (!reached.empty()) {
      const std::int64_t here = reached.back();
      reached.pop_back();
      for (const std::int64_t other : nodes) {
        if (side.contains(other) || cut.contains({here, other}) || cut.contains({other, here})) continue;
        side[other] = side[node];
        reached.push_back(other);
      }
    }
  }
  if (count < 2) return std::nullopt;
  for (const std::int64_t a : nodes) {
    for (const std::int64_t b : nodes) {
      if (a != b && cut.contains({a, b}) != (side[a] != side[b])) return std::nullopt;
    }
  }
  return side;
}

std::string sideWords(const std::map<std::int64_t, int>& side, int which, const Story& story) {
  std::string result;
  int count = 0;
  for (const auto& [node, other] : side) {
    if (other != which) continue;
    result += (result.empty() ? "" : ", ") + story.name(node);
    ++count;
  }
  return story.book->form(count == 1 ? "{nodes} alone" : "{nodes} among themselves", {{"nodes", result}});
}

std::vector<CutBlock> sideBlocks(const std::map<std::int64_t, int>& side, const Story& story) {
  std::vector<CutBlock> blocks;
  std::set<int> named;
  for (int lane = 0; lane < static_cast<int>(story.lanes.size()); ++lane) {
    const auto found = side.find(story.lanes[static_cast<std::size_t>(lane)].node);
    if (found == side.end()) continue;
    const int which = found->second;
    if (!blocks.empty() && blocks.back().side == which && blocks.back().lane_to == lane - 1) {
      blocks.back().lane_to = lane;
      continue;
    }
    const std::string words = sideWords(side, which, story);
    blocks.push_back({which, lane, lane, named.insert(which).second ? words : "",
                      story.book->form("partition: {nodes}", {{"nodes", words}})});
  }
  return blocks;
}

std::vector<CutBlock> linkBlocks(const Links& cut, const Story& story) {
  CutBlock block;
  bool any = false;
  for (const auto& [from, to] : cut) {
    for (const std::int64_t node : {from, to}) {
      const auto lane = story.lane_of.find(node);
      if (lane == story.lane_of.end()) continue;
      block.lane_from = any ? std::min(block.lane_from, lane->second) : lane->second;
      block.lane_to = any ? std::max(block.lane_to, lane->second) : lane->second;
      any = true;
    }
  }
  if (!any) return {};
  block.text = story.book->form("cut: {links}", {{"links", linkWords(cut, story)}});
  block.tooltip = block.text;
  return {block};
}

}  // namespace

std::vector<CutSpan> cutSpans(const Trace& trace, const Story& story) {
  std::vector<CutSpan> spans;
  Links cut;
  for (std::size_t position = 0; position < trace.events.size(); ++position) {
    const TraceEvent& event = trace.events[position];
    if (event.kind != "cut" && event.kind != "healed") continue;
    for (const Link& link : linksOf(event)) {
      if (event.kind == "cut") cut.insert(link);
      if (event.kind == "healed") cut.erase(link);
    }
    if (!spans.empty() && !spans.back().end) spans.back().end = position;
    if (cut.empty()) continue;
    const auto side = sides(cut, story);
    spans.push_back({position, std::nullopt, side ? sideBlocks(*side, story) : linkBlocks(cut, story)});
  }
  return spans;
}

std::string dividerWords(const Trace& trace, std::size_t position, const Story& story) {
  const TraceEvent& event = trace.events[position];
  if (event.kind == "held" || event.kind == "released") {
    if (!event.text.empty()) return clean(event.text);
    const std::string what = wordOf(event.data, "selector");
    return (event.kind == "held" ? "held back: " : "released: ") + elideColumns(what, 60);
  }
  const std::vector<CutSpan> spans = cutSpans(trace, story);
  const bool told =
      std::any_of(spans.begin(), spans.end(), [&](const CutSpan& span) { return span.begin == position; });
  if (told) return "";
  const bool all = std::any_of(spans.begin(), spans.end(), [&](const CutSpan& span) {
    return span.end == position && event.kind == "healed";
  });
  if (all) return story.book->form("healed");
  const PhraseBook::Fields fields{{"links", linkWords(linksOf(event), story)}};
  return elideColumns(event.kind == "cut" ? story.book->form("cut: {links}", fields)
                                          : story.book->form("healed: {links}", fields),
                      90);
}

}  // namespace zablab::viz
