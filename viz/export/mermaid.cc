#include "viz/export/mermaid.h"

#include <algorithm>

#include "viz/cuts.h"
#include "viz/export/exported.h"

namespace zablab::viz {
namespace {

constexpr int label_columns_max = 60, note_columns_max = 200, name_columns_max = 30;
constexpr std::size_t line_columns = 44;  ///< at which the text of a note is broken
constexpr std::size_t reserve_for_end =
    1000;  ///< of the characters, for what follows where the diagram is cut

/// Text of a diagram. Everything that could end a statement, begin a comment, a directive, a formula or an
/// element of HTML is written by its number.
std::string mermaidText(const std::string& text) {
  static constexpr std::string_view special = "#;:%<>&\"\\{}$";
  std::string result;
  for (const std::uint32_t code_point : codePoints(text)) {
    // The last two are Mermaid's own marks of a character that is written by its number.
    const bool by_number = code_point < 0x80
                               ? special.find(static_cast<char>(code_point)) != std::string_view::npos
                               : code_point == 0xFB02 || code_point == 0xB6;
    result += by_number ? "#" + std::to_string(code_point) + ";" : utf8(code_point);
  }
  return result;
}

std::string brokenText(const std::string& text) {
  std::string result;
  for (const std::string& line : wrapColumns(text, line_columns, 6))
    result += (result.empty() ? "" : "<br/>") + mermaidText(line);
  return result;
}

class DiagramWriter {
 public:
  DiagramWriter(const Trace& trace, const LadderOptions& options)
      : trace_(trace), exported_(trace, options), story_(exported_.story()), cuts_(cutSpans(trace, story_)) {}

  std::string write() {
    writeHead();
    for (const Step& step : story_.steps) {
      if (!step.visible) continue;
      if (!writeStep(step)) return finishCut(step);
    }
    writeUnderWay();
    return text_;
  }

 private:
  static std::string id(int lane) { return "n" + std::to_string(lane + 1); }

  std::string everybody() const {
    return story_.lanes.size() == 1 ? id(0) : id(0) + "," + id(static_cast<int>(story_.lanes.size()) - 1);
  }

  static std::string note(const std::string& over, const std::string& text) {
    return "  Note over " + over + ": " + text + "\n";
  }

  void writeHead() {
    text_ = "sequenceDiagram\n  title " + mermaidText(runTitle(trace_)) + "\n";
    for (std::size_t lane = 0; lane < story_.lanes.size(); ++lane) {
      const Lane& one = story_.lanes[lane];
      std::string name = elideColumns(one.name, name_columns_max);
      if (isBlank(name)) name = std::to_string(one.node);
      text_ += (one.isClient() ? "  actor " : "  participant ") + id(static_cast<int>(lane)) + " as " +
               mermaidText(name) + "\n";
      if (text_.size() > mermaid_characters_max / 2) {
        throw InputError("", std::nullopt,
                         std::to_string(story_.lanes.size()) + " nodes are too many for a Mermaid diagram",
                         "--nodes chooses some of them");
      }
    }
    for (const std::string& phrase : answerPhrases(trace_)) text_ += note(everybody(), brokenText(phrase));
    std::vector<std::string> phrases = runPhrases(trace_);
    for (const std::string& phrase : exported_.leftOutPhrases()) phrases.push_back("left out: " + phrase);
    phrases.push_back("a message is where it arrives, @ is the event that sent it");
    std::string lines;
    for (const std::string& phrase : phrases) lines += (lines.empty() ? "" : "<br/>") + mermaidText(phrase);
    text_ += note(everybody(), lines);
  }

  std::string arrow(const Message& message, const std::string& head, const std::string& more) const {
    std::string label = elideColumns(nameOf(message), label_columns_max);
    if (message.sent) label += " @" + std::to_string(*message.sent);
    if (!more.empty()) label += ", " + elideColumns(more, label_columns_max);
    return "  " + id(message.from) + head + id(message.to) + ": " + mermaidText(label) + "\n";
  }

  static std::string boxText(const Json& picture) {
    std::string cells;
    for (const Json& cell : picture["cells"])
      cells += (cells.empty() ? "" : ", ") + wordOf(cell, "text") + signOfWord(wordOf(cell, "mark"));
    const std::string caption = wordOf(picture, "caption");
    return brokenText(
        elideColumns((caption.empty() ? "box" : caption) + " [" + cells + "]", note_columns_max));
  }

  /// The boxes that the step draws, a line each.
  std::string boxes(const Step& step) const {
    if (step.kind == Step::Kind::state) return boxText(step.picture);
    std::string result;
    for (const std::size_t position : step.events) {
      const Json* const picture =
          story_.boxes.contains(position) ? pictureOf(trace_.events[position]) : nullptr;
      if (picture != nullptr) result += (result.empty() ? "" : "<br/>") + boxText(*picture);
    }
    return result;
  }

  static std::string signOfWord(const std::string& mark) {
    if (mark == "proposed") return signOf(Mark::proposed);
    if (mark == "durable") return signOf(Mark::durable);
    if (mark == "committed") return signOf(Mark::committed);
    if (mark == "gone") return signOf(Mark::gone);
    return "";
  }

  /// What happened at this step apart from messages; empty if there is nothing to say.
  std::string words(const Step& step) const {
    std::string result = step.text;
    const auto add = [&](const std::string& phrase) {
      if (!phrase.empty()) result += (result.empty() ? "" : "; ") + phrase;
    };
    for (const std::size_t position : step.events) {
      if (step.kind == Step::Kind::divider) {
        for (const CutSpan& span : cuts_) {
          if (span.begin != position) continue;
          for (const CutBlock& block : span.blocks) add(block.text);
        }
        if (result.empty()) add(dividerWords(trace_, position, story_));
      }
      if (step.kind != Step::Kind::server) continue;
      const bool untold = step.text.empty() && story_.changesLifeline(trace_, position);
      if (untold || story_.turns.contains(position)) add(lifelineWords(position));
    }
    return brokenText(elideColumns(result, note_columns_max));
  }

  std::string lifelineWords(std::size_t position) const {
    const auto turn = story_.turns.find(position);
    if (turn == story_.turns.end()) return clean(trace_.events[position].kind);
    const Standing& to = turn->second.to;
    return to.role + (to.role.empty() || to.phase.empty() ? "" : ", ") + to.phase;
  }

  /// False if the step has no room.
  bool writeStep(const Step& step) {
    std::string text;
    int messages = 0;
    for (const std::size_t position : step.events) {
      const Message* const message = retells(step) ? nullptr : exported_.message(position);
      if (message == nullptr || !message->drawn || message->end != position) continue;
      text += message->lost
                  ? arrow(*message, "-x", message->reason.empty() ? "lost" : "lost, " + message->reason)
                  : arrow(*message, "->>", "");
      ++messages;
    }
    std::string told = words(step);
    const bool of_node = step.kind == Step::Kind::server || step.kind == Step::Kind::state;
    const std::string drawn = of_node ? boxes(step) : "";
    told += (told.empty() || drawn.empty() ? "" : "<br/>") + drawn;
    if (step.kind == Step::Kind::verdict) {
      const auto& node = trace_.events[step.events.front()].node;
      const bool shown = node && story_.lane_of.contains(*node);
      text += "  rect rgb(255, 214, 200)\n  " +
              note(shown ? id(story_.lane_of.at(*node)) : everybody(), told) + "  end\n";
    } else if (!told.empty()) {
      text += note(of_node ? id(step.lane) : everybody(), told);
    }
    if (messages_ + messages > mermaid_messages_max ||
        text_.size() + text.size() + reserve_for_end > mermaid_characters_max)
      return false;
    text_ += text;
    messages_ += messages;
    return true;
  }

  /// The messages that arrive after the window, or never.
  void writeUnderWay() {
    int left_out = 0;
    for (const Message& message : story_.messages) {
      if (!message.drawn || (message.end && *message.end < story_.window_end)) continue;
      const std::string line = arrow(message, "--)", message.end ? "arrives later" : "still under way");
      if (messages_ >= mermaid_messages_max ||
          text_.size() + line.size() + reserve_for_end > mermaid_characters_max) {
        ++left_out;
        continue;
      }
      text_ += line;
      ++messages_;
    }
    if (left_out > 0)
      text_ += note(everybody(), "left out#58; " + std::to_string(left_out) + " messages still under way");
  }

  std::string finishCut(const Step& step) const {
    const std::size_t next = step.events.front();
    const auto left =
        std::count_if(story_.messages.begin(), story_.messages.end(), [&](const Message& message) {
          return message.drawn && message.end && *message.end >= next && *message.end < story_.window_end;
        });
    return text_ + note(everybody(),
                        mermaidText("cut here: Mermaid refuses or crawls beyond this") + "<br/>" +
                            mermaidText("left out: events from " + std::to_string(next) + " on, with " +
                                        std::to_string(left) + " messages") +
                            "<br/>" + mermaidText("the rest begins with --from " + std::to_string(next)));
  }

  const Trace& trace_;
  const Exported exported_;
  const Story& story_;
  const std::vector<CutSpan> cuts_;
  std::string text_;
  int messages_ = 0;
};

}  // namespace

std::string toMermaid(const Trace& trace, const LadderOptions& options) {
  return DiagramWriter(trace, options).write();
}

}  // namespace zablab::viz
