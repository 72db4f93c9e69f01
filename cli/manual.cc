#include "cli/manual.h"

#include <iostream>
#include <sstream>
#include <utility>

#include "cli/options.h"
#include "sim/json.h"

namespace zablab::cli {
namespace {

/// A command's description, obtained by the word to which parse() answers.
Description describe(const CommandEntry& entry) {
  std::ostringstream text;
  std::streambuf* const before = std::cout.rdbuf(text.rdbuf());
  try {
    entry.run({std::string(describe_word)});
  } catch (...) {
    std::cout.rdbuf(before);
    throw;
  }
  std::cout.rdbuf(before);
  return descriptionFrom(text.str());
}

/// Text of a manual page, where a backslash, and a dot or a quote at the beginning of a line, have a special
/// meaning.
std::string roff(const std::string& text) {
  std::string result;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
    line_begins = c == '\n';
  }
  return result;
}

/// A word for a shell, in single quotes.
std::string inQuotes(const std::string& word) {
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// The list of `zablab list` with the values of an option; empty: it has no list.
std::string listOf(const std::string& option) {
  static const std::vector<std::pair<std::string, std::string>> lists{
      {"mutate", "mutations"}, {"variant", "variants"}, {"rule", "rules"}, {"invariant", "invariants"}};
  for (const auto& [name, list] : lists) {
    if (name == option) return list;
  }
  return "";
}

}  // namespace

std::string manualPage(const std::vector<CommandEntry>& commands, const std::string& overview,
                       const std::string& version) {
  std::string page =
      ".TH ZABLAB 1 \"\" \"zablab " + roff(version) +
      "\" \"User commands\"\n.SH NAME\nzablab \\- simulate and check ZooKeeper's elections and "
      "broadcast\n.SH SYNOPSIS\n.B zablab\n.I COMMAND\n[options]\n.SH DESCRIPTION\n.nf\n" +
      roff(overview) + ".fi\n.SH COMMANDS\n";
  for (const CommandEntry& entry : commands) {
    const Description description = describe(entry);
    page += ".SS zablab " + roff(entry.name) + "\n" + roff(entry.text) + ".\n.PP\n.B " +
            roff(description.usage) + "\n.PP\n.nf\n" + roff(description.examples) + "\n.fi\n";
    for (const DescribedOption& option : description.options) {
      page += ".TP\n.B \\-\\-" + roff(option.name) + "\n";
      if (!option.value.empty()) page += ".I " + roff(option.value) + "\n.br\n";
      page += roff(option.text) + "\n";
    }
  }
  return page;
}

std::string bashCompletion(const std::vector<CommandEntry>& commands) {
  std::string names, options, values;
  for (const CommandEntry& entry : commands) {
    names += (names.empty() ? "" : " ") + entry.name;
    options += "    " + entry.name + ") options='";
    for (const DescribedOption& option : describe(entry).options) {
      options += " --" + option.name;
      if (const std::string list = listOf(option.name);
          !list.empty() && values.find("--" + option.name + ")") == std::string::npos)
        values += "    --" + option.name + ") COMPREPLY=($(compgen -W \"$(\"$1\" list " + list +
                  " 2>/dev/null | awk '/^[^ ]/ {print $1}')\" -- \"$word\")); return ;;\n";
    }
    options += "' ;;\n";
  }
  return "# bash completion for zablab, made by `zablab completion bash`\n"
         "_zablab() {\n"
         "  local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD - 1]}\" options=''\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W '" +
         names +
         "' -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  case \"$before\" in\n" +
         values +
         "  esac\n"
         "  case \"${COMP_WORDS[1]}\" in\n" +
         options +
         "  esac\n"
         "  case \"$word\" in\n"
         "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$word\")); compopt -o filenames ;;\n"
         "  esac\n"
         "}\n"
         "complete -F _zablab zablab\n";
}

std::string zshCompletion(const std::vector<CommandEntry>& commands) {
  std::string names, cases;
  for (const CommandEntry& entry : commands) {
    names += "    " + inQuotes(entry.name + ":" + entry.text) + "\n";
    cases += "    " + entry.name + ")\n      _arguments";
    for (const DescribedOption& option : describe(entry).options) {
      std::string text;
      for (const char c : option.text)
        text += c == '[' || c == ']' || c == ':' ? std::string("\\") + c : std::string(1, c);
      std::string action = option.value.empty() ? "" : ":" + option.value + ":";
      if (const std::string list = listOf(option.name); !list.empty()) {
        action = ":" + option.value + ":($(zablab list " + list + " 2>/dev/null | awk '/^[^ ]/ {print $1}'))";
      } else if (!action.empty()) {
        action += "_files";
      }
      cases += " \\\n        " + inQuotes("*--" + option.name + "[" + text + "]" + action);
    }
    cases += " \\\n        '*:file:_files'\n      ;;\n";
  }
  return "#compdef zablab\n"
         "# zsh completion for zablab, made by `zablab completion zsh`\n"
         "_zablab() {\n"
         "  local -a commands=(\n" +
         names +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n"
         "_zablab \"$@\"\n";
}

}  // namespace zablab::cli
