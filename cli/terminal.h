// Commands that are typed on a terminal: with editing, a history and completion (libedit).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace zablab::cli {

/// The next line from the terminal, or nothing at its end. Lines of this process can be had again with the
/// arrow keys and by Ctrl-R; Tab completes the first word to one of `commands`, and others to names of files.
std::optional<std::string> typedLine(const std::vector<std::string>& commands);

}  // namespace zablab::cli
