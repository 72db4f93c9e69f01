// Words of several commands: --variant, --rule and --mutate, the rules that the nodes obey; patterns of
// events; protocols; ranges of seeds.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/execute.h"
#include "checker/protocol.h"
#include "cli/options.h"

namespace zablab::cli {

/// The two halves of "NAME=VALUE". Throws UsageError.
std::pair<std::string, std::string> keyAndValue(const std::string& word, std::string_view option,
                                                std::string_view example);

/// The event that "kind=decided,node=1" describes. Throws UsageError.
EventPattern eventPattern(const std::string& word, std::string_view option);

/// The protocol that an option names. Throws UsageError if it does not exist.
const Protocol& protocolNamed(const std::string& name);

/// The seeds that --seeds A:B names. Throws UsageError.
SeedRange seedsOf(const std::string& word);

void addRuleOptions(Command& command);

/// Throws UsageError if a name is unknown.
Overrides ruleOverrides(const po::variables_map& values);

/// The words of a command line that sets the same rules.
std::vector<std::string> ruleWords(const po::variables_map& values);

}  // namespace zablab::cli
