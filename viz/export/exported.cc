#include "viz/export/exported.h"

#include <algorithm>

namespace zablab::viz {
namespace {

constexpr int phrase_columns_max = 120, sentence_columns_max = 300;
constexpr std::size_t sentences_max = 8;

void addCount(std::vector<std::string>& phrases, std::size_t count, const std::string& noun,
              const std::string& words) {
  if (count > 0) phrases.push_back(std::to_string(count) + " " + noun + (count == 1 ? " " : "s ") + words);
}

void addCount(std::vector<std::string>& phrases, int count, const std::string& noun,
              const std::string& words) {
  addCount(phrases, static_cast<std::size_t>(count), noun, words);
}

}  // namespace

bool isBlank(const std::string& text) { return text.find_first_not_of(' ') == std::string::npos; }

std::string runTitle(const Trace& trace) {
  const std::string title = elideColumns(wordOf(trace.header, "title"), phrase_columns_max);
  return isBlank(title) ? "a run without a title" : title;
}

std::vector<std::string> runPhrases(const Trace& trace) {
  std::vector<std::string> phrases;
  const auto add = [&](const std::string& before, const std::string& word) {
    if (!word.empty()) phrases.push_back(elideColumns(before + word, phrase_columns_max));
  };
  add("", wordOf(trace.header, "protocol"));
  add("variant ", wordOf(trace.header, "variant"));
  add("seed ", wordOf(trace.header, "seed"));
  add("rules: ", textsIn(trace.header, "rules"));
  add("mutations: ", textsIn(trace.header, "mutations"));
  return phrases;
}

std::vector<std::string> answerPhrases(const Trace& trace) {
  std::vector<std::string> phrases = resultOf(trace);
  if (phrases.size() > sentences_max) phrases.resize(sentences_max);
  for (std::string& phrase : phrases) phrase = elideColumns(phrase, sentence_columns_max);
  return phrases;
}

bool retells(const Step& step) {
  return step.kind == Step::Kind::fold || step.kind == Step::Kind::verdict || step.kind == Step::Kind::state;
}

std::string joined(const std::vector<std::string>& phrases, const std::string& separator) {
  std::string result;
  for (const std::string& phrase : phrases) result += (result.empty() ? "" : separator) + phrase;
  return result;
}

InputError nothingToWrite(const std::string& why, const std::string& hint) {
  return {"", std::nullopt, "there is nothing to write: " + why, hint};
}

Exported::Exported(const Trace& trace, const LadderOptions& options)
    : trace_(trace), options_(options), story_(tell(trace, options)) {
  if (story_.lanes.empty()) {
    throw nothingToWrite("the trace names no nodes",
                         "its `header` has them under `nodes`, as docs/traces.md describes");
  }
  if (story_.window_begin >= story_.window_end) {
    throw nothingToWrite(
        "the trace has no such events",
        "the end of a trace is in its header; --from and --to take events, or times as in 2000ms");
  }
  for (const TraceVerdict& verdict : trace.verdicts) {
    const bool broken = verdict.verdict == "violated" || verdict.verdict == "failed";
    if (broken && verdict.event) broken_.emplace(static_cast<std::size_t>(*verdict.event), &verdict);
  }
}

int Exported::lane(std::size_t position) const {
  const std::optional<std::int64_t>& node = trace_.events[position].node;
  const auto found = node ? story_.lane_of.find(*node) : story_.lane_of.end();
  return found == story_.lane_of.end() ? -1 : found->second;
}

const Message* Exported::message(std::size_t position) const {
  const TraceEvent& event = trace_.events[position];
  const bool about = event.kind == "sent" || event.kind == "transmitted" || event.kind == "delivered" ||
                     event.kind == "lost";
  const std::optional<std::int64_t> number = about ? numberOf(event.data, "message") : std::nullopt;
  if (!number) return nullptr;
  const auto found = story_.message_of.find(static_cast<std::uint64_t>(*number));
  return found == story_.message_of.end() ? nullptr : &story_.messages[found->second];
}

std::string Exported::broken(std::size_t position) const {
  std::string result;
  const auto [first, last] = broken_.equal_range(position);
  for (auto one = first; one != last; ++one)
    result += (result.empty() ? "" : ", ") + clean(one->second->verdict + ": " + one->second->name);
  return result;
}

bool Exported::tells(std::size_t position) const {
  const TraceEvent& event = trace_.events[position];
  if (!inWindow(position) || (event.node && lane(position) < 0)) return false;
  if (broken_.contains(position)) return true;
  if (const Message* const about = message(position)) return about->drawn;
  if (event.node && story_.changesLifeline(trace_, position)) return true;
  if (!options_.kinds.empty()) return options_.kinds.contains(event.kind);
  if (!event.node) return true;
  const std::optional<std::size_t>& step = story_.step_of[position];
  const bool folded = event.kind == "timer" && step && !story_.steps[*step].visible;
  return !event.text.empty() && !folded;
}

std::string Exported::words(std::size_t position) const {
  const TraceEvent& event = trace_.events[position];
  std::vector<std::string> parts;
  const auto add = [&](const std::string& words) {
    if (!isBlank(words)) parts.push_back(words);
  };
  const std::string text = clean(event.text);
  if (const Message* const about = message(position)) {
    add(messageWords(*about, event.kind));
  } else if (const auto turn = story_.turns.find(position); turn != story_.turns.end()) {
    add(turn->second.to.role);
    add(turn->second.to.phase);
  }
  if (parts.empty() && isBlank(text)) {
    add(clean(event.kind));
    add(wordOf(event.data, "record"));
  }
  add(text);
  add(broken(position));
  return parts.empty() ? "an event" : joined(parts, "; ");
}

std::vector<std::string> Exported::windowPhrases() const {
  std::vector<std::string> phrases;
  addCount(phrases, story_.left_out.events_before, "event", "before this window (--from 0)");
  addCount(phrases, story_.left_out.events_after, "event",
           "after this window (--from " + std::to_string(story_.window_end) + ")");
  addCount(phrases, story_.names.size() - story_.lanes.size(), "node", "(--nodes)");
  return phrases;
}

std::vector<std::string> Exported::leftOutPhrases() const {
  const LeftOut& out = story_.left_out;
  std::vector<std::string> phrases = windowPhrases();
  addCount(phrases, out.across_window, "message", "under way during the whole window");
  addCount(phrases, out.of_hidden_servers, "message", "of other nodes (--nodes)");
  addCount(phrases, out.of_hidden_kinds, "message", "of other kinds (--kinds)");
  addCount(phrases, out.to_self, "message", "of nodes to themselves (--self)");
  std::string types;
  for (const std::string& type : out.heartbeat_types) types += (types.empty() ? "" : ", ") + type;
  addCount(phrases, out.heartbeats, elideColumns(types, 80) + " message", "folded (--no-fold)");
  return phrases;
}

std::vector<std::string> Exported::untoldPhrases() const {
  std::size_t untold = 0;
  for (std::size_t position = story_.window_begin; position < story_.window_end; ++position) {
    const bool shown = !trace_.events[position].node || lane(position) >= 0;
    if (shown && message(position) == nullptr && !tells(position)) ++untold;
  }
  std::vector<std::string> phrases = leftOutPhrases();
  addCount(phrases, untold, "event",
           options_.kinds.empty() ? "without a text (--kinds names kinds)" : "of other kinds (--kinds)");
  return phrases;
}

}  // namespace zablab::viz
