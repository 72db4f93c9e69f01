#include "viz/roles.h"

#include <map>
#include <set>

#include "viz/dot.h"
#include "viz/palette.h"
#include "viz/story.h"

namespace zablab::viz {
namespace {

struct Change {
  int count = 0;
  std::set<std::string> servers;
};

class Automaton {
 public:
  Automaton(const Trace& trace, const LadderOptions& options) : options_(options) {
    const Story story = tell(trace, options);
    for (std::size_t position = 0; position < story.window_end; ++position) {
      const TraceEvent& event = trace.events[position];
      if (!event.node || !story.lane_of.contains(*event.node) || story.clients.contains(*event.node))
        continue;
      const auto turn = story.turns.find(position);
      const bool stops = event.kind == "stopped";
      if (turn == story.turns.end() && !stops) continue;
      const Standing to = stops ? Standing{"down", "", Tone::down, Tone::down} : turn->second.to;
      const std::string name = nameOfState(to);
      std::string& present = present_[*event.node];
      if (position >= story.window_begin) {
        if (!present.empty()) states_.emplace(present, standing_[*event.node]);
        states_.emplace(name, to);
        Change& change = changes_[{present, name}];
        ++change.count;
        change.servers.insert(story.name(*event.node));
      }
      present = name;
      standing_[*event.node] = to;
    }
    title_ = wordOf(trace.header, "title");
  }

  std::string dot() const {
    const Palette& colours = paletteOf(options_.theme);
    std::string text = "digraph roles {\n  graph [rankdir=LR, nodesep=0.5, ranksep=0.9, bgcolor=\"" +
                       std::string(colours.ground) + "\", label=" + dotString(title_) +
                       ", labelloc=t, fontsize=14, fontname=\"Liberation Sans,Arial,Helvetica,sans-serif\", "
                       "fontcolor=\"" +
                       colours.text +
                       "\"];\n  node [shape=box, style=\"rounded,filled\", fontsize=11, "
                       "fontname=\"Liberation Sans,Arial,Helvetica,sans-serif\"];\n  edge [fontsize=10, "
                       "fontname=\"Liberation Sans,Arial,Helvetica,sans-serif\", color=\"" +
                       colours.text + "\", fontcolor=\"" + colours.text + "\"];\n";
    for (const auto& [name, standing] : states_) {
      const ToneColours tone = toneColours(standing.tone, options_.theme);
      text += "  " + dotString("state " + name) + " [label=" + dotString(name) + ", fillcolor=\"" +
              tone.fill + "\", fontcolor=\"" + tone.text + "\", color=\"" + colours.outline + "\"];\n";
    }
    bool begins = false;
    for (const auto& [way, change] : changes_) {
      const auto& [from, to] = way;
      begins = begins || from.empty();
      std::string servers;
      for (const std::string& server : change.servers) servers += (servers.empty() ? "" : ", ") + server;
      text += "  " + (from.empty() ? std::string("begin") : dotString("state " + from)) + " -> " +
              dotString("state " + to) +
              " [label=" + dotString(std::to_string(change.count) + " × " + elideColumns(servers, 40)) +
              ", tooltip=" + dotString(servers) + "];\n";
    }
    if (begins) text += "  begin [shape=point, width=0.12, color=\"" + std::string(colours.text) + "\"];\n";
    return text + "}\n";
  }

 private:
  static std::string nameOfState(const Standing& standing) {
    return standing.role + (standing.phase.empty() ? "" : " · " + standing.phase);
  }

  const LadderOptions& options_;
  std::string title_;
  std::map<std::int64_t, std::string> present_;
  std::map<std::int64_t, Standing> standing_;
  std::map<std::string, Standing> states_;
  std::map<std::pair<std::string, std::string>, Change> changes_;
};

}  // namespace

std::string rolesDot(const Trace& trace, const LadderOptions& options) {
  return Automaton(trace, options).dot();
}

}  // namespace zablab::viz
