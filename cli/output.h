// Output of results: files that are complete or absent, pictures, and colour on terminals that support it.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <string_view>

#include "sim/json.h"
#include "sim/trace.h"
#include "viz/sheet.h"

namespace zablab::cli {

/// An error outside the program: a file that cannot be written, a program that does not exist.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws EnvironmentError if nothing can be written under that name, before any work is done.
void checkWritable(const std::string& path);

/// Throws UsageError if writing `path` would overwrite the file that is read.
void checkNotInput(const std::string& path, const std::string& input);

/// Writes the whole text under that name, or throws EnvironmentError and leaves nothing behind. "-" is
/// standard output.
void writeFile(const std::string& path, const std::string& text);

/// The extensions of all formats, as in `.dot, .svg or .txt`.
std::string formatList();

/// Throws UsageError if the name has no format's extension.
void checkPictureName(const std::string& path);

/// Writes the trace into a file in the format that its extension determines (viz/formats.h). "-" is standard
/// output, as a picture in characters, `columns` wide. Throws EnvironmentError.
void writePicture(const std::string& path, const Trace& trace, const viz::LadderOptions& options = {},
                  std::optional<int> columns = std::nullopt);

/// Writes a picture in the format of pictures that the extension determines, or for "-" as the above.
void writeSheet(const std::string& path, const viz::Sheet& sheet, std::optional<int> columns = std::nullopt);

/// Writes DOT text as it is, or as the picture that Graphviz makes of it, as the extension says.
void writeDot(const std::string& path, const std::string& dot);

/// Throws UsageError, which begins with `option`, if Graphviz does not draw what has this extension.
void checkDrawnByGraphviz(const std::string& option, const std::string& path);

/// Throws InputError if there is no row in it.
void checkDrawn(const viz::Sheet& sheet);

/// `make()`, whose errors about JSON become InputErrors: a trace made by another program may lack what a
/// picture needs.
template <class Make>
auto tolerating(Make make) {
  try {
    return make();
  } catch (const nlohmann::json::exception& error) {
    throw InputError("", std::nullopt, std::string("the trace cannot be drawn: ") + error.what());
  }
}

/// The trace as DOT.
std::string dotPicture(const Trace& trace, const viz::LadderOptions& options = {});

/// The trace as text, for the terminal that standard output is.
std::string textForTerminal(const Trace& trace, const viz::LadderOptions& options = {},
                            std::optional<int> columns = std::nullopt);

/// Reports which of the choices given to a run were never used; each line begins with `indent`.
void printUnusedChoices(std::ostream& out, const Trace& trace, const std::string& indent);

/// Whether standard error is a terminal on which a line can be overwritten.
bool progressWanted();
/// Writes a line of progress over the previous one, at most as long as the terminal is wide; an empty text
/// only removes it.
void showProgressLine(const std::string& text);

/// Whether standard output supports colour: it is a terminal, and neither NO_COLOR nor TERM=dumb is set.
bool colourWanted();

/// The number with a comma between every three digits.
std::string grouped(std::uint64_t number);

/// Whether the locale supports more than ASCII.
bool utf8Wanted();

/// The name in the characters of a terminal: control characters, which would act on it, become `?`; those
/// that change the direction of text (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069) are
/// escaped.
std::string printable(const std::string& text);
/// The same for each line of a text.
std::string printableLines(const std::string& text);

/// While it exists, characters that change the direction of text are escaped as in JSON, `\u202e`, in
/// everything that is written to the stream: a terminal would show other text than is there.
class EscapedOutput : private std::streambuf {
 public:
  explicit EscapedOutput(std::ostream& stream);
  ~EscapedOutput() override;

 private:
  std::streamsize xsputn(const char* added, std::streamsize count) override;
  int_type overflow(int_type byte) override;
  int sync() override;
  bool put(std::string_view text);

  std::ostream& stream_;
  std::streambuf* to_;
  std::string held_;  ///< the beginning of a character
};

/// JSON as people write scenarios: one line for each member of the top level, and one for each element of a
/// list of objects there.
std::string laidOut(const Json& document);

/// The text broken into lines of at most `columns`, all but the first indented.
std::string wrapped(const std::string& text, std::size_t columns, std::size_t indent);

}  // namespace zablab::cli
