// Where results go: files that are whole or not there, pictures, and colour where a terminal wants it.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <stdexcept>
#include <string>

#include "sim/trace.h"
#include "viz/ladder.h"

namespace zablab::cli {

/// Something outside the program went wrong: a file that cannot be written, a program that is not there.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws EnvironmentError where nothing can be written under that name, before any work is done.
void checkWritable(const std::string& path);

/// Throws UsageError where writing `path` would overwrite the file that is read.
void checkNotInput(const std::string& path, const std::string& input);

/// Writes the whole text under that name, or throws EnvironmentError and leaves nothing behind. "-" is
/// standard output.
void writeFile(const std::string& path, const std::string& text);

/// Throws UsageError where the name's ending is none of a picture's.
void checkPictureName(const std::string& path);

/// Draws the trace into a file; its ending says how: .dot, .svg, .png or .txt. "-" is standard output, as
/// text, of `width` columns. Throws EnvironmentError.
void writePicture(const std::string& path, const Trace& trace, const viz::LadderOptions& options = {},
                  std::optional<int> width = std::nullopt);

/// The trace as DOT.
std::string dotPicture(const Trace& trace);

/// The trace as text, for the terminal that standard output is.
std::string textForTerminal(const Trace& trace, const viz::LadderOptions& options = {},
                            std::optional<int> width = std::nullopt);

/// Says which of the choices that a run was given were never asked for; each line begins with `indent`.
void printUnusedChoices(std::ostream& out, const Trace& trace, const std::string& indent);

/// Whether standard error is a terminal on which a line can be written over.
bool progressWanted();
/// A line of progress over the one before, as long as the terminal is wide; an empty text only takes it away.
void showProgressLine(const std::string& text);

/// Whether standard output takes colour: it is a terminal, and neither NO_COLOR nor TERM=dumb is against it.
bool colourWanted();

/// The number with a comma between every three digits.
std::string grouped(std::uint64_t number);

/// Whether the locale takes more than ASCII.
bool utf8Wanted();

/// The name in the characters of a terminal: control characters, which would steer it, become `?`.
std::string printable(const std::string& text);

/// JSON as people write scenarios: a line for each member of the top, and one for each element of a list of
/// objects there.
std::string laidOut(const Json& document);

/// The text broken into lines of at most `columns`, all but the first indented.
std::string wrapped(const std::string& text, std::size_t columns, std::size_t indent);

}  // namespace zablab::cli
