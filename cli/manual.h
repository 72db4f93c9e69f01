// The manual page and the shells' completions, from the commands' descriptions of their options.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"

namespace zablab::cli {

/// For `man`. `overview` is the output of `zablab --help`.
std::string manualPage(const std::vector<CommandEntry>& commands, const std::string& overview,
                       const std::string& version);
/// To be sourced by bash.
std::string bashCompletion(const std::vector<CommandEntry>& commands);
/// To be placed in zsh's fpath as `_zablab`.
std::string zshCompletion(const std::vector<CommandEntry>& commands);

}  // namespace zablab::cli
