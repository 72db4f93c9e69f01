// A run as one HTML page that explains it step by step: the explorer of viz/explorer/ with the trace inside.
// The page asks for nothing from elsewhere, and its policy forbids it. docs/explorer.md describes it.
#pragma once

#include <string>
#include <string_view>

#include "viz/ladder.h"

namespace zablab::viz {

/// Of `options`, the theme counts: a dark one is kept, with a light one the page follows the reader's system.
/// Rows, lanes and kinds are chosen in the page. `engine`: a module of live/ that the page has inside, with
/// which it repeats the run with changes; empty: none.
std::string toHtml(const Trace& trace, const LadderOptions& options, std::string_view engine = {});

/// Two runs side by side, aligned at their first difference.
std::string toHtml(const Trace& trace, const Trace& other, const LadderOptions& options,
                   std::string_view engine = {});

}  // namespace zablab::viz
