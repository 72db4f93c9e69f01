#include "cli/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <utility>

#include "cli/commands.h"
#include "sim/json.h"
#include "viz/dot.h"
#include "viz/formats.h"
#include "viz/graphviz.h"
#include "viz/ladder.h"
#include "viz/text.h"

namespace zablab::cli {
namespace {

namespace fs = std::filesystem;

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Columns of the terminal, if they can be determined.
int terminalWidth() {
  constexpr int otherwise = 140;
  winsize size{};
  if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  const std::string columns = setting("COLUMNS");
  int width = 0;
  const auto [end, error] = std::from_chars(columns.data(), columns.data() + columns.size(), width);
  return error == std::errc{} && width > 0 && width < 10'000 ? width : otherwise;
}

viz::Sheet pictureOf(const Trace& trace, const viz::LadderOptions& options) {
  viz::Sheet sheet = tolerating([&] { return viz::layOut(trace, options); });
  checkDrawn(sheet);
  return sheet;
}

std::string onOneLine(const Json& value) {
  if (!value.is_structured()) return value.dump();
  std::string text;
  for (const auto& [name, child] : value.items()) {
    text += text.empty() ? "" : ", ";
    if (value.is_object()) text += Json(name).dump() + ": ";
    text += onOneLine(child);
  }
  return value.is_array() ? "[" + text + "]" : "{" + text + "}";
}

/// `draw()`, whose errors say which file could not be drawn.
template <class Draw>
void drawing(const std::string& path, Draw draw) {
  checkWritable(path);
  try {
    draw();
  } catch (const viz::GraphvizError& error) {
    throw EnvironmentError("cannot draw " + printable(path) + ": " + error.what());
  }
}

std::string sheetForTerminal(const viz::Sheet& sheet, std::optional<int> columns) {
  return viz::toText(
      sheet, {.width = columns.value_or(terminalWidth()), .ascii = !utf8Wanted(), .colour = colourWanted()});
}

/// A character that changes the direction of the text around it, at the beginning of `text`.
struct Bidirectional {
  std::size_t bytes = 0;
  std::string escape;
};
std::optional<Bidirectional> bidirectionalAt(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  if (byte(0) == 0xd8 && byte(1) == 0x9c) return Bidirectional{2, "\\u061c"};
  if (byte(0) != 0xe2) return std::nullopt;
  const unsigned low = (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);  // of U+2000 and more
  const bool marks =
      byte(1) == 0x80 && ((byte(2) >= 0x8e && byte(2) <= 0x8f) || (byte(2) >= 0xaa && byte(2) <= 0xae));
  const bool isolates = byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9;
  if (!marks && !isolates) return std::nullopt;
  constexpr std::string_view hex = "0123456789abcdef";
  return Bidirectional{3, std::string("\\u20") + hex[low >> 4 & 15] + hex[low & 15]};
}

bool isSpecialFile(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error) && !fs::is_regular_file(path, error);
}

}  // namespace

void checkWritable(const std::string& path) {
  if (path.empty() || path == "-") return;
  std::error_code error;
  if (fs::is_directory(path, error))
    throw EnvironmentError("cannot write " + printable(path) + ": it is a directory");
  const fs::path folder = fs::path(path).parent_path();
  if (folder.empty() || fs::is_directory(folder, error)) return;
  throw EnvironmentError("cannot write " + printable(path) + ": there is no directory " +
                         printable(folder.string()) + "; create it first");
}

void checkNotInput(const std::string& path, const std::string& input) {
  std::error_code error;
  if (path.empty() || !fs::equivalent(path, input, error)) return;
  throw UsageError("writing " + printable(path) + " would overwrite the input; choose another name");
}

void writeFile(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::cout << text;
    return;
  }
  checkWritable(path);
  if (isSpecialFile(path)) {  // a device or a pipe: it is not replaced
    std::ofstream out(path, std::ios::binary);
    out << text << std::flush;
    if (!out) throw EnvironmentError("cannot write " + printable(path));
    return;
  }
  const std::string unfinished = path + ".unfinished";
  {
    std::ofstream out(unfinished, std::ios::binary);
    out << text << std::flush;
    if (!out) {
      std::remove(unfinished.c_str());
      throw EnvironmentError("cannot write " + printable(path));
    }
  }
  if (std::rename(unfinished.c_str(), path.c_str()) != 0) {
    std::remove(unfinished.c_str());
    throw EnvironmentError("cannot write " + printable(path));
  }
}

std::string formatList() {
  std::string list;
  for (const viz::Format& format : viz::formats()) {
    list += list.empty() ? "" : &format == &viz::formats().back() ? " or " : ", ";
    list += format.extension;
  }
  return list;
}

void checkPictureName(const std::string& path) {
  if (path == "-" || viz::formatOf(path) != nullptr) return;
  throw UsageError("a picture's name ends in " + formatList() + ", not " + printable(path));
}

void checkDrawn(const viz::Sheet& sheet) {
  const bool any = std::any_of(sheet.parts.begin(), sheet.parts.end(),
                               [](const viz::Ladder& part) { return !part.rows.empty(); });
  if (any) return;
  throw InputError("", std::nullopt, "there is nothing to draw: the trace has no such events",
                   "the end of a trace is in its header; --from and --to take events, or times as in 2000ms");
}

void writePicture(const std::string& path, const Trace& trace, const viz::LadderOptions& options,
                  std::optional<int> columns) {
  checkPictureName(path);
  const viz::Format* const format = path == "-" ? nullptr : viz::formatOf(path);
  if (format != nullptr && !format->picture)
    return writeFile(path, tolerating([&] { return format->of_trace(trace, options); }));
  writeSheet(path, pictureOf(trace, options), columns);
}

void writeSheet(const std::string& path, const viz::Sheet& sheet, std::optional<int> columns) {
  if (path == "-") return writeFile(path, sheetForTerminal(sheet, columns));
  const viz::Format& format = *viz::formatOf(path);
  if (columns && format.extension == ".txt") return writeFile(path, viz::toText(sheet, {.width = *columns}));
  if (format.of_sheet != nullptr) return writeFile(path, format.of_sheet(sheet));
  drawing(path, [&] { viz::drawSheet(sheet, viz::ImageFormat::png, path, {}); });
}

void writeDot(const std::string& path, const std::string& dot) {
  if (path.ends_with(".dot")) return writeFile(path, dot);
  const viz::ImageFormat format = path.ends_with(".svg") ? viz::ImageFormat::svg : viz::ImageFormat::png;
  drawing(path, [&] { viz::drawDot(dot, format, path, {}); });
}

void checkDrawnByGraphviz(const std::string& option, const std::string& path) {
  for (const char* extension : {".svg", ".png", ".dot"}) {
    if (path.ends_with(extension)) return;
  }
  throw UsageError(option + ": Graphviz draws this: a name that ends in .svg, .png or .dot, not " +
                   inBackticks(path));
}

std::string dotPicture(const Trace& trace, const viz::LadderOptions& options) {
  return viz::toDot(pictureOf(trace, options));
}

std::string textForTerminal(const Trace& trace, const viz::LadderOptions& options,
                            std::optional<int> columns) {
  return sheetForTerminal(pictureOf(trace, options), columns);
}

bool progressWanted() { return isatty(STDERR_FILENO) != 0 && setting("TERM") != "dumb"; }

void showProgressLine(const std::string& text) {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  std::cerr << "\r\033[K" << (known ? text.substr(0, size.ws_col - 1U) : text) << std::flush;
}

bool colourWanted() {
  return isatty(STDOUT_FILENO) != 0 && setting("NO_COLOR").empty() && setting("TERM") != "dumb";
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

bool utf8Wanted() {
  std::string locale;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (locale.empty()) locale = setting(name);
  }
  std::string plain;
  for (const char c : locale) {
    if (c != '-') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return plain.find("utf8") != std::string::npos;
}

void printUnusedChoices(std::ostream& out, const Trace& trace, const std::string& indent) {
  for (const Json& unused : trace.header.value("unused_choices", Json::array()))
    out << indent << "note: the choice " << inBackticks(unused.get<std::string>())
        << " was never asked for\n";
}

std::string printable(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    const bool c1 = byte == 0xc2 && next >= 0x80 && next < 0xa0;  // U+0080 to U+009F, in UTF-8
    const bool control = byte < 0x20 || byte == 0x7f || c1;
    if (const auto mark = bidirectionalAt(std::string_view(text).substr(i))) {
      result += mark->escape;
      i += mark->bytes - 1;
      continue;
    }
    result += control ? '?' : text[i];
    if (c1) ++i;
  }
  return result;
}

std::string printableLines(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) result += (result.empty() ? "" : "\n") + printable(line);
  return result;
}

EscapedOutput::EscapedOutput(std::ostream& stream) : stream_(stream), to_(stream.rdbuf(this)) {}

EscapedOutput::~EscapedOutput() {
  put(held_);
  to_->pubsync();
  stream_.rdbuf(to_);
}

bool EscapedOutput::put(std::string_view text) {
  const auto size = static_cast<std::streamsize>(text.size());
  return to_->sputn(text.data(), size) == size;
}

std::streamsize EscapedOutput::xsputn(const char* added, std::streamsize count) {
  const std::string all = std::exchange(held_, {}) + std::string(added, static_cast<std::size_t>(count));
  std::string_view rest = all;
  bool good = true;
  while (good && !rest.empty()) {
    const std::size_t at = std::min(rest.find_first_of("\xe2\xd8"), rest.size());
    good = put(rest.substr(0, at));
    rest.remove_prefix(at);
    if (rest.empty()) break;
    if (const auto mark = bidirectionalAt(rest)) {
      good = good && put(mark->escape);
      rest.remove_prefix(mark->bytes);
    } else if (rest.size() == 1 || (rest.size() == 2 && rest[0] == '\xe2')) {  // what follows may complete it
      held_ = rest;
      break;
    } else {
      good = good && put(rest.substr(0, 1));
      rest.remove_prefix(1);
    }
  }
  return good ? count : 0;
}

EscapedOutput::int_type EscapedOutput::overflow(int_type byte) {
  if (traits_type::eq_int_type(byte, traits_type::eof())) return sync() == 0 ? 0 : traits_type::eof();
  const char one = traits_type::to_char_type(byte);
  return xsputn(&one, 1) == 1 ? byte : traits_type::eof();
}

int EscapedOutput::sync() { return to_->pubsync(); }

std::string laidOut(const Json& document) {
  const auto key = [](const std::string& name) { return Json(name).dump() + ": "; };
  std::string text = "{";
  for (const auto& [name, value] : document.items()) {
    text += (text.size() == 1 ? "\n  " : ",\n  ") + key(name);
    const bool lines = value.is_array() && !value.empty() && value[0].is_object();
    if (!lines) {
      text += onOneLine(value);
      continue;
    }
    std::string list;
    for (const Json& element : value) list += (list.empty() ? "[\n    " : ",\n    ") + onOneLine(element);
    text += list + "\n  ]";
  }
  return text + "\n}\n";
}

std::string wrapped(const std::string& text, std::size_t columns, std::size_t indent) {
  std::istringstream words(text);
  std::string result;
  std::size_t column = indent;
  for (std::string word; words >> word;) {
    if (!result.empty() && column + 1 + word.size() > columns) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!result.empty()) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

}  // namespace zablab::cli
