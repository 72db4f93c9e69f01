// Boost.Program_options, with help that begins with examples, and with suggestions of names that were
// probably meant.
#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "sim/json.h"

namespace zablab::cli {

namespace po = boost::program_options;

/// Columns that help and lists fit into.
inline constexpr unsigned columns = 100;

/// One command's description: what `--help` prints, and what is accepted.
struct Command {
  std::string usage;     ///< "zablab run FILE|DIR... [options]"
  std::string examples;  ///< printed first
  po::options_description options{"Options", columns, columns / 2};
  std::string positional;  ///< the name of the positional words; empty: there are none
};

/// The description of one option of a command.
struct DescribedOption {
  std::string name;   ///< without dashes
  std::string value;  ///< the placeholder of its value; empty: it has none
  std::string text;
};
struct Description {
  std::string usage;
  std::string examples;
  std::vector<DescribedOption> options;
};
/// The word to which parse() answers with the command's description, for the manual and the completions.
inline constexpr std::string_view describe_word = "--describe-this-command";
/// The answer of parse().
Description descriptionFrom(const std::string& text);

/// Parses; if help is requested, prints it and returns nothing. Throws UsageError.
std::optional<po::variables_map> parse(Command& command, const Words& words);

/// The values of an option that may be given several times.
std::vector<std::string> all(const po::variables_map& values, const std::string& name);

/// The number given for an option. Throws UsageError.
std::uint64_t numberOf(std::string_view option, const std::string& word, std::uint64_t min,
                       std::uint64_t max);

/// "; did you mean near?", or `otherwise` if nothing is near.
std::string didYouMean(const std::string& word, const std::vector<std::string>& known,
                       const std::string& otherwise);

/// The value that an option's word names. Throws UsageError.
template <class Value>
Value oneOf(const std::string& option, const std::string& word,
            const std::vector<std::pair<std::string, Value>>& known) {
  std::vector<std::string> names;
  std::string list;
  for (const auto& [name, value] : known) {
    if (name == word) return value;
    names.push_back(name);
    list += (list.empty() ? "" : ", ") + name;
  }
  throw UsageError(option + " cannot be " + inBackticks(word) +
                   didYouMean(word, names, "; known names: " + list));
}

}  // namespace zablab::cli
