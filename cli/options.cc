#include "cli/options.h"

#include <charconv>
#include <iostream>

#include <nlohmann/json.hpp>

#include "checker/modules.h"
#include "sim/json.h"

namespace zablab::cli {
namespace {

std::string withoutDashes(const std::string& name) {
  const std::size_t from = name.find_first_not_of('-');
  return from == std::string::npos ? "" : name.substr(from);
}

}  // namespace

std::optional<po::variables_map> parse(Command& command, const Words& words) {
  command.options.add_options()("protocol-module", po::value<std::vector<std::string>>()->value_name("PATH"),
                                "load a protocol from this module, or those of all modules of a directory")(
      "help,h", "show this help");
  if (words.size() == 1 && words[0] == describe_word) {
    Json description{{"usage", command.usage}, {"examples", command.examples}, {"options", Json::array()}};
    for (const auto& option : command.options.options()) {
      const bool takes_value = option->semantic()->max_tokens() > 0;
      description["options"].push_back({{"name", option->long_name()},
                                        {"value", takes_value ? option->format_parameter() : ""},
                                        {"text", option->description()}});
    }
    std::cout << description.dump();
    return std::nullopt;
  }
  po::options_description accepted;
  accepted.add(command.options);
  po::positional_options_description positional;
  if (!command.positional.empty()) {
    accepted.add_options()(command.positional.c_str(), po::value<std::vector<std::string>>());
    positional.add(command.positional.c_str(), -1);
  }
  po::variables_map values;
  try {
    namespace style = po::command_line_style;
    po::store(po::command_line_parser(words)
                  .options(accepted)
                  .positional(positional)
                  .style(style::unix_style & ~style::allow_guessing)
                  .run(),
              values);
    po::notify(values);
  } catch (const po::unknown_option& error) {
    std::vector<std::string> known;
    for (const auto& option : command.options.options()) known.push_back("--" + option->long_name());
    throw UsageError("there is no option " + inBackticks(error.get_option_name()) +
                     didYouMean("--" + withoutDashes(error.get_option_name()), known,
                                "; usage: " + command.usage + " (see --help)"));
  } catch (const po::too_many_positional_options_error&) {
    throw UsageError("too many words; usage: " + command.usage);
  } catch (const po::multiple_occurrences& error) {
    throw UsageError(error.get_option_name() + " is given more than once");
  } catch (const po::error& error) {
    throw UsageError(std::string(error.what()) + "; usage: " + command.usage + " (see --help)");
  }
  if (values.contains("help")) {
    std::cout << command.examples << "\nUsage: " << command.usage << "\n\n" << command.options;
    return std::nullopt;
  }
  for (const std::string& path : all(values, "protocol-module")) loadProtocols(path);
  return values;
}

Description descriptionFrom(const std::string& text) {
  const Json json = Json::parse(text);
  Description description{json.at("usage"), json.at("examples"), {}};
  for (const Json& option : json.at("options"))
    description.options.push_back({option.at("name"), option.at("value"), option.at("text")});
  return description;
}

std::vector<std::string> all(const po::variables_map& values, const std::string& name) {
  return values.contains(name) ? values[name].as<std::vector<std::string>>() : std::vector<std::string>{};
}

std::uint64_t numberOf(std::string_view option, const std::string& word, std::uint64_t min,
                       std::uint64_t max) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc{} && end == word.data() + word.size() && number >= min && number <= max)
    return number;
  throw UsageError(std::string(option) + " is a whole number from " + std::to_string(min) + " to " +
                   std::to_string(max) + ", not " + inBackticks(word));
}

std::string didYouMean(const std::string& word, const std::vector<std::string>& known,
                       const std::string& otherwise) {
  const std::string near = nearest(word, known);
  return near.empty() ? otherwise : "; did you mean " + near + "?";
}

}  // namespace zablab::cli
