#include "viz/statespace.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "viz/dot.h"
#include "viz/lettering.h"
#include "viz/palette.h"

namespace zablab::viz {
namespace {

constexpr const char* font = "Liberation Sans,Arial,Helvetica,sans-serif";
constexpr std::size_t label_columns = 40, edge_columns = 26;  ///< of a line
constexpr std::size_t title_columns = 80;
constexpr std::size_t label_lines_max = 5;

/// The text in lines, broken between words.
std::string inLines(const std::string& text, std::size_t columns) {
  std::string lines;
  std::size_t begin = 0, filled = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (filled > 0 && filled + 1 + word.size() > columns) {
      lines += "\n";
      filled = 0;
    }
    lines += (filled == 0 ? "" : " ") + word;
    filled += (filled == 0 ? 0 : 1) + word.size();
    begin = end + 1;
  }
  return lines;
}

std::string onLinesOf(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

std::string howMany(std::size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

class StateSpace {
 public:
  StateSpace(const StateGraph& graph, Theme theme)
      : graph_(graph),
        colours_(paletteOf(theme)),
        all_labelled_(graph.states.size() <= labelled_states_max),
        met_by_(graph.states.size()),
        on_path_(graph.states.size(), false),
        of_path_(graph.actions.size(), false) {
    on_path_[0] = !graph.path.empty();
    for (const std::uint64_t i : graph.path) {
      of_path_[i] = true;
      on_path_[graph.actions[i].to] = true;
      met_by_[graph.actions[i].to] = i;
      end_ = graph.actions[i].to;
    }
    for (std::size_t i = 0; i < graph.actions.size(); ++i) {
      const GraphAction& action = graph.actions[i];
      if (!met_by_[action.to] && action.from < action.to) met_by_[action.to] = i;
    }
  }

  std::string dot() const {
    std::string text = "digraph states {\n  graph [rankdir=TB, nodesep=" +
                       std::string(all_labelled_ ? "0.3, ranksep=0.4" : "0.12, ranksep=0.35, ratio=0.5") +
                       ", bgcolor=\"" + colours_.ground + "\", label=" + dotLabel(title()) +
                       ", labelloc=t, fontsize=14, fontname=\"" + font + "\", fontcolor=\"" + colours_.text +
                       "\", tooltip=\" \"];\n  node [fontsize=10, fontname=\"" + font + "\", color=\"" +
                       colours_.outline + "\", fontcolor=\"" + colours_.text +
                       "\"];\n  edge [arrowsize=0.6, fontsize=9, fontname=\"" + font + "\", color=\"" +
                       colours_.cell_frame + "\", fontcolor=\"" + colours_.muted + "\"];\n";
    for (std::size_t i = 0; i < graph_.states.size(); ++i) text += node(i);
    for (std::size_t i = 0; i < graph_.actions.size(); ++i) text += edge(i);
    return text + "}\n";
  }

 private:
  /// Lines in a DOT string, each ended by Graphviz' own escape: `\n` centres it, `\l` begins it on the left.
  static std::string dotLabel(const std::string& text, const std::string& indent = "",
                              const std::string& line_end = "\\n") {
    std::string label = "\"";
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string line = dotString(text.substr(begin, end - begin));
      label += indent + line.substr(1, line.size() - 2);
      begin = end + 1;
      if (begin <= text.size() || line_end == "\\l") label += line_end;
    }
    return label + "\"";
  }

  std::string title() const {
    std::string text = inLines(graph_.model, title_columns) + "\n" + howMany(graph_.states.size(), "state") +
                       ", " + howMany(graph_.actions.size(), "action");
    if (graph_.pruned > 0) text += ", " + std::to_string(graph_.pruned) + " beyond the budget of elections";
    if (!graph_.exhausted) text += "; the search ended here, later states are missing";
    if (!graph_.violated.empty()) {
      text += "\nviolated: " + graph_.violated + "; thick lines: the shortest way there, " +
              howMany(graph_.path.size(), "action");
    } else if (!graph_.reached.empty()) {
      text += "\nthick lines: a shortest way to \"" + graph_.reached + "\", " +
              howMany(graph_.path.size(), "action");
    }
    text += "\ndouble frame: the initial state";
    if (!graph_.violated.empty()) text += "; cut corners: something is violated";
    return text;
  }

  bool isViolated(std::size_t state) const {
    if (!graph_.violated.empty() && end_ == state) return true;
    return met_by_[state] && !graph_.actions[*met_by_[state]].violates.empty();
  }

  std::string labelOf(std::size_t i) const {
    const GraphState& state = graph_.states[i];
    if (i == 0) return "0: initial state\n" + onLinesOf(state.nodes);
    const GraphAction& action = graph_.actions[*met_by_[i]];
    std::string label = std::to_string(i);
    std::size_t lines = 0;
    for (const std::string& effect : action.effects) {
      if (++lines == label_lines_max && action.effects.size() > label_lines_max) {
        label += "\nand " + std::to_string(action.effects.size() - lines + 1) + " more";
        break;
      }
      label += "\n" + inLines(effect, label_columns);
    }
    if (end_ == i && !graph_.violated.empty()) {
      label += "\nviolated: " + graph_.violated;
    } else {
      for (const std::string& name : action.violates) label += "\nviolated: " + name;
      if (end_ == i && !graph_.reached.empty()) label += "\n" + graph_.reached;
    }
    return label;
  }

  std::string node(std::size_t i) const {
    const GraphState& state = graph_.states[i];
    const bool labelled = all_labelled_ || i == 0 || on_path_[i];
    const bool violated = isViolated(i);
    std::string text =
        "  \"s" + std::to_string(i) + "\" [id=\"state-" + std::to_string(i) + "\", tooltip=" +
        dotLabel("state " + std::to_string(i) + ", depth " + std::to_string(state.depth) + "\n" +
                 onLinesOf(state.nodes) + (state.messages.empty() ? "" : "\n") + onLinesOf(state.messages));
    if (labelled) {
      text += ", label=" + dotLabel(labelOf(i)) + ", shape=box, margin=\"0.1,0.06\"";
    } else {
      text += ", label=\"\", shape=" +
              std::string(violated ? "box, height=0.2, width=0.2" : "circle, width=0.11");
    }
    if (i == 0) text += ", peripheries=2";
    text += ", class=\"state" + std::string(i == 0 ? " initial" : "") + (on_path_[i] ? " path" : "") +
            (violated ? " violation" : "") + "\"";
    if (violated) {
      text += ", penwidth=3, style=\"filled,diagonals\", fillcolor=\"" + std::string(colours_.banner) +
              "\", fontcolor=\"" + colours_.banner_text + "\", color=\"" + colours_.loss + "\"";
    } else if (on_path_[i]) {
      text += ", penwidth=2.4, color=\"" + std::string(colours_.text) + "\"";
    }
    return text + "];\n";
  }

  std::string edge(std::size_t i) const {
    const GraphAction& action = graph_.actions[i];
    const bool path = of_path_[i];
    std::string about = action.text;
    for (const std::string& effect : action.effects) about += "\n" + effect;
    std::string text = "  \"s" + std::to_string(action.from) + "\" -> \"s" + std::to_string(action.to) +
                       "\" [id=\"action-" + std::to_string(i) + "\", class=\"action" + (path ? " path" : "") +
                       "\", tooltip=" + dotLabel(about);
    if (all_labelled_ || path)
      text += ", label=" + dotLabel(inLines(action.text, edge_columns), "  ", "\\l") +
              ", labeltooltip=" + dotLabel(about);
    if (path) text += ", penwidth=3.2, weight=20";
    if (path && action.violates.empty())
      text += ", color=\"" + std::string(colours_.text) + "\", fontcolor=\"" + colours_.text + "\"";
    if (!action.violates.empty())
      text += ", color=\"" + std::string(colours_.loss) + "\", fontcolor=\"" + colours_.loss + "\"";
    if (action.to <= action.from) text += ", constraint=false";
    return text + "];\n";
  }

  const StateGraph& graph_;
  const Palette& colours_;
  const bool all_labelled_;
  std::vector<std::optional<std::size_t>> met_by_;  ///< the action, by state; along the path that of the path
  std::vector<bool> on_path_;
  std::vector<bool> of_path_;
  std::optional<std::size_t> end_;  ///< of the path
};

}  // namespace

std::string statespaceDot(const StateGraph& graph, Theme theme) { return StateSpace(graph, theme).dot(); }

}  // namespace zablab::viz
