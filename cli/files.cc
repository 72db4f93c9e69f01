#include "cli/files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

namespace zablab::cli {

namespace fs = std::filesystem;

std::vector<std::string> filesOf(const std::vector<std::string>& words) {
  std::vector<std::string> files;
  for (const std::string& word : words) {
    std::error_code error;
    if (!fs::is_directory(word, error)) {
      files.push_back(word);
      continue;
    }
    std::vector<std::string> found;
    fs::recursive_directory_iterator at(word, error);
    while (!error && at != fs::recursive_directory_iterator()) {
      std::error_code gone;
      if (at->path().extension() == ".json" && at->is_regular_file(gone))
        found.push_back(at->path().string());
      at.increment(error);
    }
    if (error) throw InputError(word, std::nullopt, "cannot read the directory: " + error.message());
    if (found.empty()) {
      throw InputError(word, std::nullopt, "there are no scenarios in this directory",
                       "scenarios are files that end in .json; `zablab new` prints one to begin with");
    }
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

Case readFile(const std::string& file) {
  if (file != "-") return loadCase(file);
  const std::string name = "(standard input)";
  return readCase(name, parseJson(name, std::string(std::istreambuf_iterator<char>(std::cin), {})));
}

Json errorLine(const std::string& file, const InputError& error) {
  Json line{{"file", file}, {"verdict", "error"}, {"error", error.message}};
  if (error.position) {
    line["line"] = error.position->line;
    line["column"] = error.position->column;
  }
  if (!error.hint.empty()) line["hint"] = error.hint;
  return line;
}

std::string quoted(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

constexpr std::uint64_t trace_bytes_max = std::uint64_t{64} << 20;

Trace loadTrace(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw InputError(path, std::nullopt, "there is no such file");
  if (std::filesystem::is_directory(status)) {
    throw InputError(path, std::nullopt, "this is a directory, not a trace",
                     "`zablab run FILE --trace T` writes a trace");
  }
  if (std::filesystem::is_regular_file(status) && std::filesystem::file_size(path, error) > trace_bytes_max)
    throw InputError(path, std::nullopt, "the file is larger than 64 MiB");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(path, std::nullopt, "cannot read the trace");
  return readTrace(path, std::string(std::istreambuf_iterator<char>(in), {}));
}

}  // namespace zablab::cli
