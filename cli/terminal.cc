#include "cli/terminal.h"

#include <editline/readline.h>
#include <clocale>
#include <cstdio>  // editline/readline.h needs it
#include <cstdlib>
#include <cstring>
#include <memory>

namespace zablab::cli {
namespace {

// libedit calls functions, not objects.
const std::vector<std::string>* known = nullptr;

/// The command number `state` and later ones that begin so; libedit frees it.
char* commandFrom(const char* begin, int state) {
  static std::size_t next = 0;
  if (state == 0) next = 0;
  while (next < known->size()) {
    const std::string& command = (*known)[next++];
    if (command.starts_with(begin)) return strdup(command.c_str());
  }
  return nullptr;
}

char** completions(const char* word, int start, int) {
  return start == 0 ? rl_completion_matches(word, &commandFrom) : nullptr;
}

}  // namespace

std::optional<std::string> typedLine(const std::vector<std::string>& commands) {
  std::setlocale(LC_CTYPE, "");
  known = &commands;
  rl_attempted_completion_function = &completions;
  const std::unique_ptr<char, decltype(&std::free)> line(readline("> "), &std::free);
  if (line == nullptr) return std::nullopt;
  if (*line != '\0') add_history(line.get());
  return line.get();
}

}  // namespace zablab::cli
