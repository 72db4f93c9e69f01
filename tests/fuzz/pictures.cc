// Traces, as `zablab render`, `explain` and `diff` show them: drawn in every format of viz/formats.h, packed,
// told in sentences, and compared.
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/json_mutator.h"
#include "viz/explain.h"
#include "viz/formats.h"
#include "viz/graphviz.h"
#include "viz/packed.h"
#include "viz/text.h"

using namespace zablab;

namespace {

/// What the schema of a trace leaves open and pictures look for.
const std::vector<std::string> words_of_pictures{
    // the header
    "nodes", "id", "name", "kind", "roles", "phases", "message_groups", "heartbeats", "folded_in_stories",
    "milestones", "state_rows", "state_picture", "facts", "answer", "title", "seed", "label", "until",
    "client", "voter", "observer", "scripted", "seeking", "leading", "following", "observing", "syncing",
    "down",
    // kinds of events, and their data
    "started", "stopped", "paused", "resumed", "wiped", "sent", "transmitted", "delivered", "lost",
    "connected", "refused", "closed", "broken", "timer", "durable", "written", "synced", "write_failed",
    "cut", "healed", "held", "released", "set", "note", "role", "phase", "box", "quorum", "how", "kill",
    "power_loss", "exit", "message", "receiver", "from", "to", "type", "content", "waiting", "again", "copy",
    "late", "reason", "record", "links", "selector", "leader", "disk.log",
    // pictures in events, and verdicts
    "picture", "cells", "text", "mark", "caption", "plain", "counted", "empty", "proposed", "committed",
    "gone", "violated", "failed", "invariant"};

constexpr std::size_t selections = 4;

/// One of several selections of options.
viz::LadderOptions optionsFor(const Trace& trace, std::size_t selection) {
  viz::LadderOptions options;
  if (selection == 1) {
    options.rows = viz::RowMode::causal;
    options.detail = viz::Detail::story;
    options.self_messages = true;
    options.theme = viz::Theme::dark;
  } else if (selection == 2) {
    options.rows = viz::RowMode::time;
    options.detail = viz::Detail::outline;
    options.fold_heartbeats = false;
    options.page_rows = 0;
  } else if (selection == 3) {
    options.rows = viz::RowMode::time;
    options.fold_heartbeats = false;
    options.self_messages = true;
    options.page_rows = 4;
    options.from = {viz::Bound::Unit::event, static_cast<std::int64_t>(trace.events.size() / 3)};
    options.to = {viz::Bound::Unit::time_ms, trace.events.back().time};
    for (const TraceEvent& event : trace.events) {
      if (event.node && options.nodes.size() < 2) options.nodes.insert(*event.node);
    }
    options.kinds = {"sent", "role", "box", "stopped"};
  }
  return options;
}

/// UTF-8 without characters that control a terminal or that XML does not allow.
void requireText(const std::string& text, std::string_view what) {
  fuzz::require(!text.empty(), std::string(what) + ": empty");
  const auto controls = [](char c) { return (c >= 0 && c < ' ' && c != '\n') || c == '\x7f'; };
  fuzz::require(std::none_of(text.begin(), text.end(), controls),
                std::string(what) + ": a control character");
  try {
    Json(text).dump();
  } catch (const Json::exception&) {
    fuzz::require(false, std::string(what) + ": not UTF-8");
  }
}

void draw(const Trace& trace, const viz::LadderOptions& options) {
  const viz::Ladder ladder = viz::layOut(trace, options);
  fuzz::require(viz::pngPixels(ladder, 96) > 0, "a picture without a size");
  requireText(viz::toText(ladder, {.width = 20, .ascii = true}), "narrow text");
  for (const viz::Format& format : viz::formats()) {
    std::string text;
    if (format.picture) {
      if (format.of_ladder == nullptr) continue;  // Graphviz draws the DOT text
      text = format.of_ladder(ladder);
    } else {
      try {
        text = format.of_trace(trace, options);
      } catch (const InputError& error) {  // the options leave nothing
        fuzz::require(!error.message.empty(), "an error without a message");
        continue;
      }
    }
    if (format.extension != ".html") requireText(text, format.extension);  // most of a page is constant
    if (format.extension.ends_with(".json"))
      fuzz::require(Json::accept(text), std::string(format.extension) + ": not JSON");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::withText(data, size, [](std::string_view text) {
    const Trace trace = readTrace(fuzz::file_name, text);
    fuzz::require(Json::accept(viz::packed(trace)), "a packed trace that is not JSON");
    requireText(viz::explain(trace, 20), "explain");
    fuzz::require(viz::compare(trace, trace).empty(), "a trace differs from itself");
    if (trace.events.empty()) return;  // `render` refuses it
    // Selected by the input's bytes: an input is always treated alike.
    draw(trace, optionsFor(trace, std::hash<std::string_view>()(text) % selections));
    Trace shorter = trace;
    shorter.events.pop_back();
    requireText(viz::compare(trace, shorter), "diff");
  });
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t size_max,
                                               unsigned seed) {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all = fuzz::wordsOf({traceSchema()});
    all.insert(all.end(), words_of_pictures.begin(), words_of_pictures.end());
    return all;
  }();
  return fuzz::mutateJson(data, size, size_max, seed, words);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data1, std::size_t size1,
                                                 const std::uint8_t* data2, std::size_t size2,
                                                 std::uint8_t* out, std::size_t out_max, unsigned seed) {
  return fuzz::crossJson(data1, size1, data2, size2, out, out_max, seed);
}
