// The manual page and the shells' completions, from the options that the commands describe themselves with.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"

namespace zablab::cli {

/// For `man`. `overview` is what `zablab --help` prints.
std::string manualPage(const std::vector<CommandEntry>& commands, const std::string& overview,
                       const std::string& version);
/// To be sourced by bash.
std::string bashCompletion(const std::vector<CommandEntry>& commands);
/// To lie in zsh's fpath as `_zablab`.
std::string zshCompletion(const std::vector<CommandEntry>& commands);

}  // namespace zablab::cli
