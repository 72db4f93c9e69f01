#include "viz/explain.h"

#include <algorithm>
#include <vector>

#include "viz/story.h"

namespace zablab::viz {
namespace {

Story outlineOf(const Trace& trace) {
  LadderOptions options;
  options.detail = Detail::outline;
  return tell(trace, options);
}

/// What an event was; its text, if it has one.
std::string wordsOf(const TraceEvent& event, const Story& story) {
  if (!event.text.empty()) return clean(event.text);
  const std::string self = event.node ? story.name(*event.node) + " " : "";
  if (const std::optional<std::int64_t> number = numberOf(event.data, "message")) {
    const auto found = story.message_of.find(static_cast<std::uint64_t>(*number));
    if (found != story.message_of.end())
      return self + messageWords(story.messages[found->second], event.kind);
  }
  if (event.kind == "written" || event.kind == "synced")
    return self + (event.kind == "written" ? "writes " : "has synced ") + wordOf(event.data, "record") + " " +
           wordOf(event.data, "content");
  if (event.kind == "timer") return self + "is called by the timer " + wordOf(event.data, "timer");
  return self + clean(event.kind);
}

std::string padded(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string timeOf(const TraceEvent& event) { return padded(std::to_string(event.time) + " ms", 9) + "  "; }

std::string causesOf(const Trace& trace, const Story& story, std::uint64_t last, std::size_t causes_max) {
  std::string text;
  std::optional<std::uint64_t> at = last;
  for (std::size_t count = 0; at && *at < trace.events.size(); ++count) {
    const TraceEvent& event = trace.events[*at];
    if (count == causes_max) return text + "    and what led to this: --causes lists more\n";
    text += "    event " + padded(std::to_string(*at), 5) + timeOf(event) + wordsOf(event, story) + "\n";
    at = event.cause;
  }
  return text;
}

std::string settingsOf(const Trace& trace) {
  std::string text = wordOf(trace.header, "protocol") + " " + wordOf(trace.header, "variant");
  for (const char* key : {"rules", "mutations"}) {
    const std::string list = listOf(trace.header, key);
    if (!list.empty()) text += std::string(", ") + key + " " + list;
  }
  return text +
         (wordOf(trace.header, "seed").empty() ? ", no seed" : ", seed " + wordOf(trace.header, "seed"));
}

std::string verdictOf(const TraceVerdict& verdict) {
  return verdict.verdict + (verdict.text.empty() ? "" : ": " + clean(verdict.text));
}

}  // namespace

std::string explain(const Trace& trace, std::size_t causes_max) {
  const Story story = outlineOf(trace);
  std::string text = wordOf(trace.header, "title") + "\n";
  for (const std::string& sentence : resultOf(trace)) text += "  " + sentence + "\n";
  text += "\n";
  std::optional<std::int64_t> time;
  std::string before;
  for (std::size_t position = 0; position < trace.events.size(); ++position) {
    const TraceEvent& event = trace.events[position];
    if (event.text.empty()) continue;
    if (!story.narrated.contains(position) && !story.changesLifeline(trace, position)) continue;
    const std::string line = clean(event.text);
    if (time == event.time && line == before) continue;
    text += (time == event.time ? std::string(11, ' ') : timeOf(event)) + line + "\n";
    time = event.time;
    before = line;
  }
  for (const TraceVerdict& verdict : trace.verdicts) {
    if (verdict.verdict != "violated") continue;
    text += "\n" + clean(verdict.name) + " is " + verdictOf(verdict) + "\n";
    if (verdict.event)
      text += "  its causes, the last first:\n" + causesOf(trace, story, *verdict.event, causes_max);
  }
  return text;
}

std::string compare(const Trace& one, const Trace& other) {
  if (one.events == other.events && one.verdicts == other.verdicts && settingsOf(one) == settingsOf(other))
    return "";
  const std::size_t at = eventsInCommon(one, other);
  std::string text = "first:  " + settingsOf(one) + "\nsecond: " + settingsOf(other) + "\n\n";
  if (at == one.events.size() && at == other.events.size()) {
    text += "The same happens in both; the servers' states or the verdicts differ.\n";
  } else if (at == 0) {
    text += "They differ from the first event.\n";
  } else {
    text += "The same happens up to event " + std::to_string(at - 1) + ", at " +
            std::to_string(one.events[at - 1].time) + " ms. Then:\n";
  }
  for (const Trace* trace : {&one, &other}) {
    const Story story = outlineOf(*trace);
    const char* which = trace == &one ? "  first:  " : "  second: ";
    if (at < trace->events.size()) {
      text +=
          which + std::to_string(trace->events[at].time) + " ms: " + wordsOf(trace->events[at], story) + "\n";
    } else if (one.events.size() != other.events.size()) {
      text += which + std::string("no more events\n");
    }
  }
  text += "\nResults:\n";
  for (const Trace* trace : {&one, &other}) {
    std::string all;
    for (const std::string& sentence : resultOf(*trace)) all += (all.empty() ? "" : "; ") + sentence;
    text += (trace == &one ? "  first:  " : "  second: ") + (all.empty() ? "not stated" : all) + "\n";
  }
  std::string verdicts;
  for (const TraceVerdict& verdict : one.verdicts) {
    const auto same = [&](const TraceVerdict& candidate) {
      return candidate.name == verdict.name && candidate.kind == verdict.kind;
    };
    const auto found = std::find_if(other.verdicts.begin(), other.verdicts.end(), same);
    if (found == other.verdicts.end() || verdictOf(*found) == verdictOf(verdict)) continue;
    verdicts += "  " + clean(verdict.name) + "\n    first:  " + verdictOf(verdict) +
                "\n    second: " + verdictOf(*found) + "\n";
  }
  if (!verdicts.empty()) text += "\nVerdicts that differ:\n" + verdicts;
  return text;
}

}  // namespace zablab::viz
