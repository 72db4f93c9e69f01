// The files below scenarios/, for tests that look at all of them; and models written in tests.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "checker/execute.h"

namespace zablab {

/// Paths of all files below scenarios/, in order.
inline std::vector<std::string> shippedFiles() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ZABLAB_SOURCE_DIR "/scenarios")) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

inline std::string nameOfFile(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// The model in a text. Throws InputError.
inline LoadedModel modelOf(const Json& text) {
  const JsonValue document = JsonValue::fromJson(text, "a model");
  return {readModel(document), document};
}

}  // namespace zablab
