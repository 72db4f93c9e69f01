// What of a run is drawn, and how: options of every command that draws runs.
#pragma once

#include <string>

#include "cli/options.h"
#include "sim/trace.h"
#include "viz/ladder.h"

namespace zablab::cli {

/// In the words of the command line.
struct Drawing {
  std::string from, to, page, nodes, kinds, rows, theme, detail, language;
  bool self = false, unfolded = false;

  /// Whether anything but the theme and the language is given.
  bool any() const;
  /// Without the nodes and kinds, which are a trace's. Throws UsageError.
  viz::LadderOptions options() const;
  /// With the nodes and kinds. Throws UsageError if the trace has none of such a name.
  void choose(viz::LadderOptions& options, const Trace& trace) const;
};

/// The phrase book of `--lang`. Throws UsageError.
const viz::PhraseBook& bookOf(const std::string& language);
inline constexpr const char* lang_text = "en: English; zh: Chinese (en)";

void addDrawing(Command& command, Drawing& drawing);

}  // namespace zablab::cli
